"""The processes of a running crawl, as /proc shows them."""


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


def name_of(pid):
    try:
        with open("/proc/%d/comm" % pid, encoding="ascii", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def named(pid, name):
    """Living descendants of that name: freshet-forks, freshet-reader."""
    return [p for p in descendants(pid) if name_of(p) == name and is_alive(p)]
