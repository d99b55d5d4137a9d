"""docs/internals/defences.md: every fault, what freshet does, the test that shows it,
and what that test says without the defence (without.tsv, which `off` writes)."""
import os

import elsewhere
import scene
from defences import DEFENCES

HERE = os.path.dirname(os.path.realpath(__file__))
PATH = os.path.join(HERE, "..", "..", "docs", "internals", "defences.md")
WITHOUT = os.path.join(HERE, "without.tsv")
TEXT = """\
# Every fault, and the test that shows it

Written by

	tests/hostile/run --full --table

which runs the test of every fault of section 4 of [HOSTILE.md](HOSTILE.md): %(tests)d of
%(ids)d ids have one, and %(reasons)d a reason at the end. `hostile N1` means
`tests/hostile/run N1`, `cli` `tests/cli/run`, `durability` `tests/durability/run part`,
`unit` a program of unit tests and a module of it; anything else is a program in `tests`.
What happens is what a server does, unless the actor stands in parentheses.

`tests/hostile/off` takes the defences out of a copy of the sources, one after another
(`tests/hostile/defences.py` has the lines), and runs the tests of those faults: each
passes with all defences there, and fails without its own. The last column is the first
thing that it then says, from the latest run of `off`. %(pairs)d pairs of a fault and a
defence, of %(off)d faults.

| id | what happens | freshet | test | without its defence |
| --- | --- | --- | --- | --- |
"""


def cell(text):
    return text.replace("|", "\\|")


def without():
    """{(id, defence): what the test says without it}"""
    if not os.path.exists(WITHOUT):
        return {}
    with open(WITHOUT, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {(row[0], row[1]): row[2] for row in rows[1:]}


def keep(found):
    """Keep what `off` found: (fault, defence, has it failed, what it said)."""
    rows = without()
    for fault, defence, has_failed, why in found:
        rows.pop((fault.name, defence), None)
        if has_failed:
            rows[fault.name, defence] = " ".join(why.split())[:160]
    with open(WITHOUT, "w", encoding="utf-8") as f:
        f.write("id\tdefence\tsays\n")
        for (name, defence), why in sorted(
                rows.items(), key=lambda r: (scene.order(r[0][0]), r[0][1])):
            f.write("%s\t%s\t%s\n" % (name, defence, why))


def row(fault, said):
    ways = []
    for defence in fault.off:
        places = ", ".join(sorted({"`%s`" % e[0] for e in DEFENCES[defence]}))
        ways.append("%s (%s): %s" % (defence, places, said.get((fault.name, defence), "**not tried**")))
    test = fault.shown_by() if fault.name in elsewhere.FAULTS else "`hostile %s`" % fault.name
    return "| %s | %s | %s | %s | %s |\n" % (
        fault.name, cell(fault.does), cell(fault.good), test, cell("; ".join(ways)))


def write(passed):
    """Write the page; passed: the names of the faults whose test passed."""
    faults = sorted(scene.load() + list(elsewhere.FAULTS.values()), key=lambda f: scene.order(f.name))
    said = {k: v for k, v in without().items() if any(f.name == k[0] and k[1] in f.off for f in faults)}
    text = TEXT % {"tests": len(faults), "ids": len(elsewhere.ids()), "reasons": len(scene.REASONS),
                   "pairs": len(said), "off": len({name for name, _ in said})}
    for fault in faults:
        line = row(fault, said)
        text += line if fault.name in passed else line.replace("| %s |" % fault.name,
                                                               "| %s (**failed**) |" % fault.name, 1)
    text += "\n| id | no test, because |\n| --- | --- |\n"
    for name, why in sorted(scene.REASONS.items(), key=lambda r: scene.order(r[0])):
        text += "| %s | %s |\n" % (name, cell(why))
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(text)
