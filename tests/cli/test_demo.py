"""freshet demo: the exact text of its story, and what it leaves behind."""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import parent_death
from case import Case
from late import assert_sooner
from program import BINARY, TOP
from test_golden import GOLDEN

# a URL of 2,100 characters, whole where it is not written to a terminal
LONG = r"(http://shop\.example/search\?q=tea\+t)\S*", r"\1..."
# what may differ from one run to the next
MASKS = (LONG, (r"\bin (\d+:\d\d|[\d.]+ s)(?=,)", "in DURATION"), (r"[\d.]+ kB\b", "SIZE"),
         (r"(?m)\u00b7 [\d.]+ s$", "\u00b7 DURATION"),
         (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
         (r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b", "MINUTE"), (r"\(reading \d+\)", "(reading N)"),
         # two pages are worth nearly the same, and it depends on the second
         (r"(?<=due -n 1 -f urls\n)http://shop\.example/\S*\n", "URL\n"),
         (r"(?s)(?<=\n)(out|waiting)  (?:(?!\n\n).)*\n(?=\nThe demonstration)", "DUE\n"))


def mask(text):
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text


class Demo(Case):
    def demo(self, *args, env=None, binary=BINARY):
        """Returns its stdout and stderr as one stream, as a terminal shows
        them."""
        return subprocess.run([binary, "demo"] + list(args), stdin=subprocess.DEVNULL,
                              env=self.program.environment(env), cwd=self.program.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)

    def left_behind(self):
        return [n for n in os.listdir(self.program.folder) if n.startswith("freshet-demo")]

    def test_story(self):
        """The story is exact, and nothing in the operator's environment changes
        it."""
        begin = time.monotonic()
        done = self.demo(env={"FRESHET_STORE": "/nowhere/store", "FRESHET_CONFIG": "/nowhere/conf",
                              "http_proxy": "http://127.0.0.1:1/"})
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, text)
        assert_sooner(time.monotonic() - begin, 30)
        self.assertEqual(self.left_behind(), [])
        self.assertFalse(os.path.exists(self.program.store))
        self.assertNotIn("\x1b", text)
        self.assertEqual([line for line in re.sub(*LONG, text).splitlines() if len(line) > 80], [])
        path = os.path.join(GOLDEN, "demo.txt")
        if os.environ.get("FRESHET_GOLDEN") == "write":
            with open(path, "w", encoding="utf-8") as f:
                f.write(mask(text))
        with open(path, encoding="utf-8") as f:
            self.assertEqual(mask(text), f.read(), "%s differs" % path)

    def test_tour_shows_it(self):
        """The tour shows what the demo says."""
        path = os.path.join(TOP, "docs", "guide", "tour.md")
        with open(path, encoding="utf-8") as f:
            head, line, shown = f.read().partition("\t$ ./freshet demo\n")
        said = self.demo().stdout.decode().rstrip("\n")
        if os.environ.get("FRESHET_GOLDEN") == "write":
            with open(path, "w", encoding="utf-8") as f:
                f.write(head + line + re.sub(r"(?m)^(?=.)", "\t", re.sub(*LONG, said)) + "\n")
            return
        shown = re.sub(r"(?m)^\t", "", shown).rstrip("\n")
        self.assertEqual(mask(shown), mask(said), "docs/guide/tour.md differs from the demo")

    def test_what_it_shows(self):
        """The commands say what the text around them promises."""
        result = self.program.run("demo", "--json")
        self.assertEqual((result.status, result.err), (0, ""), str(result))
        records = result.records()
        first, again, later = [r for r in records if r.get("type") == "summary"]
        self.assertEqual([r["verdict"] for r in records if r.get("type") == "explain"],
                         ["refused", "accepted", "accepted"])
        due = [r for r in records if "lease" in r and "why" in r]
        self.assertEqual([(r["host"], r["why"]) for r in due], [("shop.example", "new")])
        last = [r for r in records if r.get("record") == "summary"][-1]
        self.assertEqual((last["record"], last["urls"], last["refused"]), ("summary", 35, 3))
        self.assertEqual({k: v for k, v in first["urls"].items() if v},
                         {"listed": 34, "refused": 1})
        self.assertEqual(first["refused_entries"], 5)
        self.assertEqual(again["documents"]["unchanged"], 5)
        self.assertEqual(again["wire_bytes"], 0)
        self.assertEqual(later["documents"]["read"], 3)
        self.assertEqual({k: v for k, v in later["urls"].items() if v and k != "listed"},
                         {"refused": 1, "added": 3, "removed": 1, "redated": 2})
        self.assertEqual(len([r for r in records if set(r) - {"v"} == {"loc", "lastmod"}]), 5)
        self.assertEqual([r["allowed"] for r in records if r.get("type") == "robots"],
                         [True, False])

    def test_stories(self):
        """Each part is shorter than the whole story, and each step fits on a
        screen of 24 lines."""
        whole = len(self.demo().stdout.splitlines())
        for name, words in (("owner", ["robots", "check", "help"]),
                            ("monitor", ["crawl", "ls", "crawl", "diff", "export", "sql"]),
                            ("crawler", ["crawl", "due", "crawl", "explain"])):
            with self.subTest(story=name):
                done = self.demo(name)
                text = done.stdout.decode()
                self.assertEqual(done.returncode, 0, text)
                self.assertLess(len(text.splitlines()), whole / 2)
                head, *steps = text.split("\n$ freshet ")
                self.assertEqual([step.split()[0] for step in steps], words)
                for step in [head] + steps:
                    self.assertLessEqual(len(step.splitlines()), 24, step)
                self.assertEqual([line for line in re.sub(*LONG, text).splitlines() if len(line) > 80], [])
        done = self.demo("ownr")
        self.assertEqual((done.returncode, done.stdout.count(b"\n")), (2, 1), done.stdout)
        self.assertIn(b"did you mean 'owner'", done.stdout)

    def test_without_the_source(self):
        """The site is part of the program, so a copy of the binary elsewhere
        works."""
        copy = shutil.copy(BINARY, os.path.join(self.program.folder, "freshet"))
        self.assertEqual(self.demo(binary=copy).returncode, 0)

    def test_keep(self):
        folder = os.path.join(self.program.folder, "kept")
        done = self.demo("--keep", folder)
        self.assertEqual(done.returncode, 0, done.stdout)
        store = os.path.join(folder, "freshet.db")
        self.assertIn(b"\n    freshet ls --tree --store %s\n" % store.encode(), done.stdout)
        self.assertEqual(len(self.program.run("ls", "--store", store).out.split()), 36)
        again = self.demo("--keep", folder)
        self.assertEqual((again.returncode, again.stdout.count(b"\n")), (2, 1))
        self.assertTrue(os.path.exists(store))

    def test_no_folder(self):
        done = self.demo(env={"TMPDIR": "/nonexistent"})
        self.assertEqual((done.returncode, done.stdout.count(b"\n")), (2, 1), done.stdout)

    def test_colour(self):
        done = self.demo("--color", "always")
        self.assertIn(b"\x1b[1m$ freshet crawl", done.stdout)

    def test_quiet(self):
        done = self.demo("-q")
        self.assertTrue(done.stdout.startswith(b"$ freshet robots"), done.stdout)

    def test_nobody_listens(self):
        """P7: the reader of its output goes away."""
        process = self.program.start("demo")
        process.stdout.read(100)
        process.stdout.close()
        self.assertEqual(process.wait(600), 0, process.stderr.read())
        self.assertEqual(self.left_behind(), [])

    def test_interrupts(self):
        """Ctrl-C and other signals end the demo soon, without leftovers."""
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            for delay in (0.02, 0.1, 0.2):
                with self.subTest(signal=number, delay=delay):
                    process = subprocess.Popen(
                        [BINARY, "demo"], env=self.program.environment(),
                        cwd=self.program.folder, stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        start_new_session=True, preexec_fn=parent_death.with_parent())
                    self.program.running.append(process)
                    if delay > 0.02:
                        process.stdout.read(1)
                    time.sleep(delay)
                    if process.poll() is not None:
                        continue  # a machine so fast that it is over
                    # to all of its group, as from a terminal
                    os.killpg(process.pid, number)
                    out, _ = process.communicate(timeout=600)
                    # before its handlers are there it dies of the signal
                    self.assertIn(process.returncode, (status, -number), out)
                    if process.returncode == status:
                        self.assertEqual(self.left_behind(), [])


if __name__ == "__main__":
    unittest.main()
