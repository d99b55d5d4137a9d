"""Manual pages and --help agree with the table of options, and pages render.

The pages are made by the build that the binary lies in.
"""
import glob
import os
import re
import shutil
import subprocess
import unittest

from case import Case
from program import BINARY

BUILD = os.path.dirname(os.path.dirname(BINARY))
# what scdoc writes for one character
ROFF = [(r"\\-", "-"), (r"\\&", ""), (r"\(aq", "'"), (r"\\f[BIRP]", ""), (r"\\e", "\\"),
        (r"\\\[lq\]|\\\[rq\]", '"'), (r"\\\(ti", "~"), (r"\\\(ha", "^"), (r"\\\.", ".")]


def plain(text):
    for pattern, by in ROFF:
        text = re.sub(pattern, by.replace("\\", r"\\"), text)
    return text


class Manual(Case):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(BUILD, "build.ninja")):
            raise unittest.SkipTest("no build folder around '%s'" % BINARY)
        done = subprocess.run(["ninja", "-C", BUILD, "manual"], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-2000:])

    def setUp(self):
        super().setUp()
        self.commands = self.program.run("help", "--json").records()

    def page(self, name):
        with open(os.path.join(BUILD, "docs", name), encoding="utf-8") as f:
            return plain(f.read())

    def section(self, page, name):
        match = re.search(r'(?ms)^\.SH %s\n(.*?)(?=^\.SH |\Z)' % name, page)
        self.assertIsNotNone(match, "no %s in %s" % (name, page[:300]))
        return match.group(1)

    def options(self, command):
        """{"--delay": None, "--header": "-H"}"""
        return {"--" + o["name"].replace("_", "-"): "-" + o["letter"] if "letter" in o else None
                for o in command["options"]}

    def found(self, lines):
        """The same, of lines that begin with an option."""
        return {m.group(2): m.group(1) for m in
                (re.match(r"(?:(-\w), )?(--[\w-]+)", line) for line in lines) if m}

    def test_a_page_for_each_command(self):
        names = {"freshet-%s.1" % c["name"] for c in self.commands}
        pages = {os.path.basename(p) for p in glob.glob(os.path.join(BUILD, "docs", "*.[1-9]"))}
        self.assertEqual(pages, names | {"freshet.1", "freshet.conf.5", "freshet-diagnostics.7"})
        overview = self.page("freshet.1")
        for command in self.commands:
            self.assertIn("freshet-%s(1)" % command["name"], overview)
            self.assertIn(command["summary"], overview)

    def test_pages_agree(self):
        for command in self.commands:
            with self.subTest(command=command["name"]):
                page = self.page("freshet-%s.1" % command["name"])
                self.assertEqual(self.found(self.section(page, "OPTIONS").split("\n")),
                                 self.options(command))
                statuses = re.findall(r"(?m)^(\d+)\n", self.section(page, "EXIT STATUS"))
                self.assertEqual(statuses, list(command["exits"]))
                for option in command["options"]:
                    for choice in option["choices"]:
                        self.assertIn(choice, self.section(page, "OPTIONS"))
                self.section(page, "EXAMPLES")

    def test_help_agrees(self):
        for command in self.commands:
            with self.subTest(command=command["name"]):
                text = self.program.run(command["name"], "--help").out
                part = re.search(r"(?s)\nOptions:\n(.*?)\n\n", text).group(1)
                found = self.found(line.strip() for line in part.split("\n"))
                switches = re.findall(r"(?m)^  ([a-z0-9_]+)  +\S+$",
                                      text[text.find("\nSwitches ("):] if "\nSwitches (" in text
                                      else "")
                found.update({"--" + s.replace("_", "-"): None for s in switches})
                self.assertEqual(found, self.options(command))
                statuses = re.search(r"(?s)\nExit status:\n(.*?)\n\n", text).group(1)
                self.assertEqual(re.findall(r"(?m)^  (\d+) ", statuses), list(command["exits"]))
                for line in text.split("\n"):
                    self.assertLessEqual(len(line), 80, line)

    def test_every_key(self):
        page = self.section(self.page("freshet.conf.5"), "KEYS")
        keys = re.findall(r"(?m)^([a-z0-9-]+) = ", page)
        wanted = [k["name"].replace("_", "-")
                  for k in self.program.run("help", "config", "--json").records()]
        self.assertEqual(keys, wanted)

    def test_every_diagnostic(self):
        page = self.section(self.page("freshet-diagnostics.7"), "CODES")
        wanted = [d["code"] for d in
                  self.program.run("help", "diagnostics", "--json").records()]
        self.assertEqual(re.findall(r"(?m)^([a-z0-9-]+)\n\.RS", page), wanted)

    def test_pages_render(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        for path in sorted(glob.glob(os.path.join(BUILD, "docs", "*.[1-9]"))):
            with self.subTest(page=os.path.basename(path)):
                done = subprocess.run(["groff", "-ww", "-mandoc", "-Tutf8", "-P-cbou", path],
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("SEE ALSO", done.stdout)
                # marks that were meant for scdoc
                self.assertNotRegex(done.stdout, r"\\[_*<\[]")

    def test_examples_are_lines_that_are_understood(self):
        """No example of a command has an unknown option."""
        for command in self.commands:
            text = self.program.run("help", command["name"]).out
            part = text[text.index("\nExamples:\n") + 11:]
            for line in re.findall(r"(?m)^  (\S.*)$", part[:part.index("\n\n")]):
                with self.subTest(line=line):
                    for name in re.findall(r" (--[\w-]+)", line):
                        self.assertIn(name, self.options(command))


if __name__ == "__main__":
    unittest.main()
