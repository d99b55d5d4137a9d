"""How often each long test was tried, in all runs of the full tier: counts.tsv.

Whoever begins where the last run ended tries something else each time, and what was
tried adds up over runs.
"""
import fcntl
import os

from durable import FULL

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "counts.tsv")
HEAD = "test\ttrials\n"


def read(file):
    rows = [line.rstrip("\n").split("\t") for line in file]
    return {name: int(count) for name, count in rows[1:]}


def turn(name):
    """How many trials of that test there were; 0 in the quick tier, which always tries
    the same."""
    if not FULL or not os.path.exists(PATH):
        return 0
    with open(PATH, encoding="ascii") as f:
        return read(f).get(name, 0)


def add(name, count):
    if not FULL:
        return
    with open(PATH, "a+", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        rows = read(f) if f.read(1) and not f.seek(0) else {}
        rows[name] = rows.get(name, 0) + count
        f.seek(0)
        f.truncate()
        f.write(HEAD + "".join("%s\t%d\n" % row for row in sorted(rows.items())))
