"""What a command costs: CPU and peak memory of all its processes."""
import ctypes
import multiprocessing
import os
import resource
import select
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.02
# the process that was started, the fork server below it, the readers below that
KINDS = ("main", "server", "reader")


def high_water(pid):
    """VmHWM in bytes: the peak of this program alone, not of what forked it."""
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def children_of(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def look(pid, peak):
    level = [pid]
    for kind in KINDS:
        for p in level:
            peak[kind] = max(peak[kind], high_water(p))
        level = [child for p in level for child in children_of(p)]


def written_by(pid):
    """Bytes that the process and those it waited for gave to disks."""
    try:
        with open("/proc/%d/io" % pid, encoding="ascii") as f:
            return int(dict(line.split(": ") for line in f)["write_bytes"])
    except OSError:
        return 0


def cpu_of(pid):
    """Seconds that the process itself took so far, also when it has ended and nobody waited for it."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def watch(process, peak):
    """Until the process has ended; it stays to be waited for."""
    end = os.pidfd_open(process.pid)
    try:
        while not select.select([end], [], [], POLL_S)[0]:
            look(process.pid, peak)
    finally:
        os.close(end)
    return written_by(process.pid), cpu_of(process.pid)


def measure_here(pipe, command, env, text):
    """In a process of its own: orphans come to it, so that none is missed."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.TemporaryFile() as feed:
        feed.write(text)
        feed.seek(0)
        peak = dict.fromkeys(KINDS, 0)
        begin = time.monotonic()
        process = subprocess.Popen(command, env=env, stdin=feed, stdout=out, stderr=err)
        written, main = watch(process, peak)
        seconds = time.monotonic() - begin
        process.wait()
        try:
            while True:
                os.wait()
        except ChildProcessError:
            pass
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        err.seek(0)
        pipe.send({"cpu": used.ru_utime + used.ru_stime, "main": main, "wall": seconds, "peak": peak,
                   "written": written, "status": process.returncode,
                   "out": out.read().decode(), "err": err.read().decode("utf-8", "replace")})


def measure(command, env=None, text=b""):
    """Run to the end; a dict with cpu, main (CPU of the first process), wall (s), peak by kind, written (bytes),
    status, out and err."""
    mine, theirs = multiprocessing.Pipe(duplex=False)
    worker = multiprocessing.Process(target=measure_here, args=(theirs, command, env, text))
    worker.start()
    theirs.close()
    try:
        return mine.recv()
    except EOFError:
        sys.exit("cannot run '%s'" % command[0])
    finally:
        worker.join()
