"""Runs a program and says what it took, all of its processes together.

    python3 -IS measured.py REPORT SECONDS PROGRAM ARG...

A process keeps the peak memory of the one that it was forked from, so this one
is small.  It ends with its parent; after SECONDS the program is killed, later by
what it has waited for a processor, at ten times the time at the latest.
REPORT, a JSON object: status (as in subprocess), rss_kib (of the largest
process), cpu_s, wall_s, is_late, waited_s (that its main process was ready to run
while others had the processors).
"""
import ctypes
import json
import os
import signal
import sys
import time


def waited_s(pid):
    """0 where the kernel does not say."""
    try:
        with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
            return int(f.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def main():
    report, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
    libc = ctypes.CDLL(None)
    libc.prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        libc.prctl(1, int(signal.SIGKILL), 0, 0, 0)
        os.execv(command[0], command)
    late = []

    def end(*_):
        left = begin + seconds + min(waited_s(pid), 9 * seconds) - time.monotonic()
        if left > 0:
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.01))
            return
        late.append(1)
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    waited = waited_s(pid)
    _, how, usage = os.wait4(pid, 0)
    with open(report, "w", encoding="ascii") as f:
        json.dump({"status": os.waitstatus_to_exitcode(how), "rss_kib": usage.ru_maxrss,
                   "cpu_s": usage.ru_utime + usage.ru_stime,
                   "wall_s": time.monotonic() - begin, "is_late": bool(late),
                   "waited_s": waited}, f)


main()
