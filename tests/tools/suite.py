"""Runs a folder of end-to-end tests in several processes: class by class, or
each test by itself in a class that says `each_alone = True`, as long ones do.

A test that took too long (late.py) while others ran beside it runs once more,
alone, at the end.  What then passes is named and counts as passed; more than a
handful are never noise, and none of them gets a second run.  A wrong answer is
wrong whatever runs beside it, and gets none either.

Each test that ends has a line.  SIGTERM cuts all: what was under way is named,
and has failed.  The last line is `N passed, N failed`; a test with sub-tests
counts by them.
"""
import argparse
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import unittest
from multiprocessing import connection

import under_way
from late import LATE

NOISE = 5  # so many late tests of a run at most get a second run
tell = None  # in a worker: tell(event, name, ...) the process that counts


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def cpu_s():
    """Processor time of this process and of the children it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Record(unittest.TestResult):
    """Counts each test once, a test with sub-tests by its sub-tests, and tells."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.lines = []
        self.good = self.bad = 0
        self.sub_good = self.sub_bad = 0
        self.begin, self.begin_cpu = time.monotonic(), cpu_s()
        self.is_late = True  # nothing of the test that runs was wrong

    def startTest(self, test):
        super().startTest(test)
        self.clear()
        tell("begun", test.id())

    def stopTest(self, test):
        super().stopTest(test)
        self.end(test)

    def end(self, test):
        tell("ended", test.id(), self.good, self.bad, self.lines, self.bad > 0 and self.is_late)
        self.clear()

    def note(self, word, test, detail=""):
        self.lines.append((word, test.id(), time.monotonic() - self.begin,
                           cpu_s() - self.begin_cpu, detail))

    def broken(self, word, test, err):
        self.bad += 1
        self.is_late &= issubclass(err[0], LATE)
        self.note(word, test, "".join(traceback.format_exception(*err)))

    def addSuccess(self, test):
        # without any sub-test the test itself counts
        if not (self.sub_good or self.sub_bad):
            self.good += 1
        self.note("ok", test)

    def addFailure(self, test, err):
        self.broken("FAIL", test, err)

    def addError(self, test, err):
        self.broken("ERROR", test, err)

    def addSubTest(self, test, subtest, err):
        if err is None:
            self.sub_good += 1
            self.good += 1
        else:
            self.sub_bad += 1
            self.broken("FAIL", subtest, err)

    def addSkip(self, test, reason):
        self.note("skipped", test, reason)


def work(writer, names):
    """What a worker does: run those tests, and tell."""
    global tell
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    tell = lambda *event: writer.send(event)  # noqa: E731
    record = Record()
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    suite.run(record)
    if record.lines:
        # what belongs to no test: setUpClass
        tell("ended", names[0], record.good, record.bad, record.lines, False)


def show(lines):
    for word, name, seconds, cpu, detail in lines:
        if word == "skipped":
            print("skipped %s: %s" % (name, detail))
        elif word != "ok":
            print("%s %s (%.1f s)\n%s" % (word, name, seconds, detail))
        else:
            print("ok %s (%.1f s, %.1f s of CPU)" % (name, seconds, cpu))
    sys.stdout.flush()


class Count:
    """What the workers tell."""

    def __init__(self):
        self.good = self.bad = 0
        self.begun = {}  # tests under way: since when
        self.ended = set()
        self.late = {}   # tests that were late, and no more than that: good and bad

    def hear(self, event, name, *more):
        if event == "begun":
            self.begun[name] = time.monotonic()
            return
        good, bad, lines, is_late = more
        show(lines)
        self.begun.pop(name, None)
        self.ended.add(name)
        self.good += good
        self.bad += bad
        if is_late:
            self.late[name] = good, bad

    def run(self, groups, jobs):
        """Run the groups of names side by side, each in a process of its own: no
        pool of processes, which waits for ever for one that was killed."""
        waiting, running = list(reversed(groups)), []
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    names = waiting.pop()
                    reader, writer = multiprocessing.Pipe(duplex=False)
                    process = multiprocessing.Process(target=work, args=(writer, names), daemon=True)
                    process.start()
                    writer.close()
                    running.append((process, reader, names))
                connection.wait([p.sentinel for p, _, _ in running] + [r for _, r, _ in running], 0.5)
                for one in list(running):
                    process, reader, names = one
                    is_over = not process.is_alive()
                    self.hear_all(reader)
                    if is_over:
                        running.remove(one)
                        reader.close()
                        if process.exitcode != 0:
                            self.has_died(process.exitcode, names)
        finally:
            for process, _, _ in running:
                process.kill()

    def hear_all(self, reader):
        try:
            while reader.poll():
                self.hear(*reader.recv())
        except EOFError:
            pass

    def has_died(self, code, names):
        """A worker is gone, and did not say how its tests ended."""
        missing = [name for name in names if name not in self.ended]
        self.bad += max(1, len(missing))
        for name in missing or names[:1]:
            print("ERROR %s: its process ended with %d" % (name, code))
            self.begun.pop(name, None)
            self.ended.add(name)
        sys.stdout.flush()


def run(folder, names, jobs, verbose, heavy, chosen, begin, end):
    found = list(flatten(unittest.defaultTestLoader.discover(folder)))
    broken = [t for t in found if type(t).__module__ == "unittest.loader"]
    groups = {}
    found = [test for test in found if test not in broken and chosen(test.id())
             and (not names or any(n in test.id() for n in names))]
    for test in found:
        parts = 3 if getattr(test, "each_alone", False) else 2
        groups.setdefault(".".join(test.id().split(".")[:parts]), []).append(test.id())
    count = Count()
    for test in broken:
        count.bad += 1
        print("ERROR %s: cannot be loaded" % test.id())
        test.debug() if verbose else None
    # what takes long begins first, so that the end waits for nobody
    ranks = {name: rank for rank, name in enumerate(heavy)}

    def rank(name):
        words = name.split(".")
        return min(ranks.get(".".join(words[:n + 1]), len(ranks)) for n in range(len(words)))
    order = sorted(groups, key=lambda name: (rank(name), name))
    begin(found)
    try:
        count.run([groups[n] for n in order], jobs)
        late = dict(count.late) if jobs > 1 and len(count.late) <= NOISE else {}
        for name, (good, bad) in sorted(late.items()):
            alone = Count()
            alone.run([[name]], 1)
            if alone.bad == 0:
                print("again %s: passes when it runs alone" % name)
                count.good += alone.good - good
                count.bad -= bad
    except under_way.Cut:
        waiting = sum(map(len, groups.values())) - len(count.ended) - len(count.begun)
        count.bad += under_way.name_them(count.begun, waiting)
    end()
    print("%d passed, %d failed" % (count.good, count.bad))
    return 0 if count.bad == 0 and count.good > 0 else 1


def main(folder, doc, heavy=(), jobs=3, chosen=lambda name: True, begin=lambda tests: None, end=lambda: None):
    """Run the test_*.py in folder as the command line says; the exit status.
    heavy: modules, classes or tests that begin first, in this order; jobs:
    processes, unless it says; chosen(NAME): is this test one of them?  begin(TESTS) is
    called before they are begun in processes that are forked from this one, end()
    before the last line."""
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-j", "--jobs", type=int, default=jobs)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    # a shell starts what runs in the background with SIGINT ignored, and so
    # would be every program under test until it has handlers
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # killed, it takes its workers and its folder along
    under_way.may_be_cut()
    with tempfile.TemporaryDirectory(prefix="freshet-test-") as scratch:
        os.environ["TMPDIR"] = tempfile.tempdir = scratch
        return run(folder, args.names, args.jobs, args.verbose, heavy, chosen, begin, end)
