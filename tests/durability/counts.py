"""How much each test tries: a sample in the quick tier, everything in the full one, and in
the part tier, which tests/hostile/run --full has, as much as a minute allows.

The part tier begins where its last run ended, so that its runs try everything after a
while; how often each test was tried, in all of them, is kept in counts.tsv.
"""
import fcntl
import math
import os

TIER = os.environ.get("FRESHET_DURABILITY", "quick")
FULL = TIER == "full"
PART = TIER == "part"
PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "counts.tsv")
HEAD = "test\ttrials\n"
GOLDEN = 0.6180339887498949


def pick(quick, part, full):
    return full if FULL else part if PART else quick


def read(file):
    rows = [line.rstrip("\n").split("\t") for line in file]
    return {name: int(count) for name, count in rows[1:]}


def turn(name):
    """How many trials of that test there were; 0 in other tiers, which always try the
    same."""
    if not PART or not os.path.exists(PATH):
        return 0
    with open(PATH, encoding="ascii") as f:
        return read(f).get(name, 0)


def add(name, count):
    if not PART:
        return
    with open(PATH, "a+", encoding="ascii") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        f.seek(0)
        rows = read(f)
        rows[name] = rows.get(name, 0) + count
        f.seek(0)
        f.truncate()
        f.write(HEAD + "".join("%s\t%d\n" % row for row in sorted(rows.items())))


def some(name, points, count, part=None):
    """All of them in the full tier, `part` in the part tier (three times count), others in
    each run, else count, spread evenly, ends included."""
    points = list(points)
    part = part or 3 * count
    if FULL or len(points) <= (part if PART else count):
        add(name, len(points))
        return points
    if PART:
        stride = round(len(points) * GOLDEN)
        while math.gcd(stride, len(points)) > 1:
            stride += 1
        begin = turn(name)
        add(name, part)
        return [points[(begin + i) * stride % len(points)] for i in range(part)]
    return [points[round(i * (len(points) - 1) / (count - 1))] for i in range(count)]
