"""The processes of a running crawl, as /proc shows them."""
import os
import signal


def stat_of(pid):
    """(state, parent), or None when there is no such process."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            fields = f.read().rsplit(")", 1)[1].split()
            return fields[0], int(fields[1])
    except OSError:
        return None


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] not in "ZX"


def children_of(pid):
    """Processes that this one, or a thread of it, has forked."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def descendants(pid):
    found = []
    for child in children_of(pid):
        found += [child] + descendants(child)
    return found


def started_with(variable, value):
    """The living whose environment says so, orphans included."""
    wanted = ("%s=%s" % (variable, value)).encode()
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/environ" % name, "rb") as f:
                if name.isdigit() and wanted in f.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            continue
    return [pid for pid in found if is_alive(pid)]


def kill(pid, number=signal.SIGKILL):
    """Was a process still there to be sent the signal?  One that was found a moment
    ago may have ended, and its parent may know it."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def cpu_s(pid):
    """The processor time that it has used; 0: it has ended."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def words_of(pid):
    """Its command line; none: it has ended."""
    try:
        with open("/proc/%d/cmdline" % pid, encoding="utf-8", errors="replace") as f:
            return f.read().split("\0")[:-1]
    except OSError:
        return []


def files_of(pid):
    """{descriptor: what it leads to} of a process that may close some meanwhile."""
    folder, found = "/proc/%d/fd" % pid, {}
    for name in os.listdir(folder):
        try:
            found[int(name)] = os.readlink(os.path.join(folder, name))
        except FileNotFoundError:
            continue
    return found


def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid, encoding="ascii", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def named(pids, name):
    """Those of that name: freshet-forks, freshet-reader."""
    return [pid for pid in pids if name_of(pid) == name]
