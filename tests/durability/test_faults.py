"""A disk that is full or broken, and kill -9, at each system call of the main
process that touches the store (HOSTILE S1, S2, P2); strace plays the kernel.
"""
import collections
import os
import re
import shutil
import unittest

from counts import PART
from durable import FULL, Durable

STRACE = shutil.which("strace")
CALLS = ("pwrite64", "pread64", "write", "ftruncate", "fdatasync", "fsync", "openat", "unlink")
SAMPLED = 5  # points of a call in the quick tier


class Strace(Durable):
    """A small site, so that there are few points."""

    WORLD = {"children": 3, "entries": 20, "delay": 0}

    def setUp(self):
        if STRACE is None:
            self.skipTest("there is no strace")
        super().setUp()

    def trace(self, *inject, paths=True):
        """A crawl under strace, readers and fork server left alone; its
        result and {call: how often}."""
        self.fresh()
        return self.under_strace(inject, paths)

    def under_strace(self, inject, paths=True, words=None):
        """The same of any command, on the store as it is."""
        folder = os.path.dirname(self.program.store)
        log = os.path.join(self.program.folder, "strace")
        args = [STRACE, "-o", log, "-e", "trace=" + ",".join(CALLS)]
        for fault in inject:
            args += ["-e", "inject=" + fault]
        if paths:
            for suffix in ("", "-wal", "-shm", "-journal", ".lock"):
                args += ["-P", self.program.store + suffix]
            # the folder itself; and that of the bodies, which have no names
            args += ["-P", folder, "-P", self.program.folder]
        result = self.crawl_under(*args, told_as=inject, words=words)
        with open(log, encoding="utf-8", errors="replace") as f:
            calls = collections.Counter(re.findall(r"^(\w+)\(", f.read(), re.M))
        return result, calls


class Fault(Strace):
    ERRORS = ("ENOSPC", "EIO")

    def points(self, counts):
        """(call, number, error, is it for ever) of each fault to inject."""
        kinds = [(error, sticky) for error in self.ERRORS for sticky in (False, True)]
        for call in CALLS:
            for turn, number in enumerate(self.some(range(1, counts[call] + 1), SAMPLED, call)):
                for error, sticky in kinds if FULL else [kinds[turn % len(kinds)]]:
                    yield call, number, error, sticky

    def check(self):
        _, counts = self.trace()
        for call, number, error, sticky in self.points(counts):
            fault = "%s:error=%s:when=%d%s" % (call, error, number, "+" if sticky else "")
            with self.subTest(fault=fault):
                result, _ = self.trace(fault)
                # SQLite calls what cannot be read damaged
                self.judge(result, (0, 6, 7) if call == "pread64" else (0, 7))
                if result.status != 0:
                    self.assertRegex(result.err, r"\Afreshet: .*\n\Z")


class FirstCrawlFaults(Fault):
    """The store is made."""

    def test_store(self):
        self.check()

    def test_sync(self):
        """Neither the change to a write-ahead log that was not synced nor a
        folder that was not is taken for done."""
        for fault, words in (("fdatasync:error=EIO:when=1", "disk I/O error"),
                             ("fsync:error=EIO:when=1",
                              "its folder cannot be synchronised: Input/output error")):
            with self.subTest(fault=fault):
                result, _ = self.trace(fault)
                self.assertIn(words, result.err)
                self.judge(result, (7,))


class RecrawlFaults(Fault):
    GENERATION = 1

    def test_store(self):
        self.check()


class ReadFaults(Strace):
    """What cannot be read ends the run, even when no commit would come."""

    GENERATION = 1

    def test_read(self):
        _, counts = self.trace()
        for number in self.some(range(1, counts["pread64"] + 1), 12):
            with self.subTest(pread64=number):
                result, _ = self.trace("pread64:error=EIO:when=%d" % number)
                self.judge(result, (0, 6, 7))


class BodyFaults(Fault):
    """Bodies and output, too."""

    GENERATION = 1

    def test_write(self):
        _, counts = self.trace(paths=False)
        for number in self.some(range(1, counts["write"] + 1), SAMPLED):
            with self.subTest(write=number):
                result, _ = self.trace("write:error=ENOSPC:when=%d" % number, paths=False)
                self.judge(result, (0, 7))


class SyncFaults(Strace):
    """HOSTILE S2: a commit that could not be synced is none."""

    GENERATION = 1

    def test_sync(self):
        _, counts = self.trace()
        told = set()
        for number in range(1, counts["fdatasync"] + 1):
            with self.subTest(fdatasync=number):
                result, calls = self.trace("fdatasync:error=EIO:when=%d" % number)
                self.judge(result, (0, 7))
                told.add(result.status)
        # the last one is of the checkpoint, of what is safe in the log
        self.assertIn(7, told)


class MigrateFaults(Strace):
    """What `db migrate` computes of the past is kept, or it says why not."""

    GENERATION = 1

    def migrate(self, *inject):
        self.fresh()
        self.program.change("DELETE FROM past")
        return self.under_strace(inject, words=("db", "migrate"))

    def test_past(self):
        _, counts = self.migrate()
        statuses = set()
        for number in range(1, counts["fdatasync"] + 1):
            with self.subTest(fdatasync=number):
                result, _ = self.migrate("fdatasync:error=EIO:when=%d" % number)
                statuses.add(result.status)
                if result.status != 0:
                    self.assertRegex(result.err, r"\Afreshet: disk-full: .*\n\Z")
        self.assertIn(7, statuses)
        self.assertLessEqual(statuses, {0, 7})


class Kill(Strace):
    """P2: kill -9 just before each call."""

    def check(self):
        _, counts = self.trace()
        for call in CALLS:
            if call in ("pread64", "write", "openat") and not (FULL or PART):
                continue
            for number in self.some(range(1, counts[call] + 1), SAMPLED, call):
                with self.subTest(call=call, number=number):
                    result, _ = self.trace("%s:signal=KILL:when=%d" % (call, number))
                    self.judge(result, (0, -9))


class FirstCrawlKill(Kill):
    def test_kill(self):
        self.check()


class RecrawlKill(Kill):
    GENERATION = 1

    def test_kill(self):
        self.check()


if __name__ == "__main__":
    unittest.main()
