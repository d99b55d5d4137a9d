"""A part of docs/internals/performance.md that a program of its own writes.

    figures = Figures("dead")
    figures.add("memory when all were asked once, MB", 120.0, "%.0f", most=160)
    sys.exit(figures.finish(is_written, head))     # 1: one does not hold
"""
import os
import re

DOCUMENT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "docs",
                                         "internals", "performance.md"))


def parts(text):
    """{name: the whole part, its marks included} of a text."""
    found = re.finditer(r"<!-- ([a-z]+) -->\n.*?<!-- end of \1 -->\n", text, re.S)
    return {match.group(1): match.group(0) for match in found}


def keep(text, old):
    """The text, with the parts that the old one had."""
    return "\n".join([text] + [part for _, part in sorted(parts(old).items())])


def write(name, lines, path=DOCUMENT):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    part = "<!-- %s -->\n%s\n<!-- end of %s -->\n" % (name, "\n".join(lines), name)
    old = parts(text).get(name)
    text = text.replace(old, part) if old else text.rstrip("\n") + "\n\n" + part
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Figures:
    """What was measured, and what must hold."""

    def __init__(self, name):
        self.name = name
        self.rows = []
        self.faults = []

    def add(self, text, value, form="%.1f", most=None, least=None):
        """One more; printed at once."""
        is_good = not (most is not None and value > most) and not (
            least is not None and value < least)
        bound = "" if most is None and least is None else (
            "at most " + form % most if most is not None else "at least " + form % least)
        self.rows.append((text, form % value, bound or "-"))
        if not is_good:
            self.faults.append("%s: %s, must be %s" % (text, form % value, bound))
        print("%s: %s%s" % (text, form % value, "" if is_good else "   OVER: " + bound), flush=True)

    def finish(self, is_written, head):
        """The table, into the document if wanted; the exit status."""
        if is_written:
            write(self.name, head + ["", "| what | measured | must be |", "| --- | ---: | --- |"]
                  + ["| %s | %s | %s |" % row for row in self.rows])
        for fault in self.faults:
            print("over: " + fault)
        return 1 if self.faults else 0
