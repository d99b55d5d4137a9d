"""A fault during the recovery of a fault (HOSTILE S17): kill -9 and a broken disk at each
system call of what follows a kill, or repairs a store; then once more, to the end.
"""
import os
import shutil
import unittest

from test_faults import CALLS, Strace

SAMPLED = 2   # points of a call in the quick tier
AGAIN = 3     # recoveries that a fault cuts off, one after another
REPAIR = ("db", "fsck", "--repair")


class Recovery(Strace):
    """self.broken: a folder with the store that a fault left."""

    GENERATION = 1

    def setUp(self):
        super().setUp()
        self.fresh()
        self.break_it()
        self.broken = os.path.join(self.program.folder, "broken")
        shutil.copytree(os.path.dirname(self.program.store), self.broken,
                        ignore=shutil.ignore_patterns("*.sock"))

    def again(self):
        """The store as the fault left it."""
        folder = os.path.dirname(self.program.store)
        shutil.rmtree(folder)
        shutil.copytree(self.broken, folder)

    def recover(self, *inject):
        """Repair it under strace; its result and {call: how often}."""
        return self.under_strace(inject, words=REPAIR)

    def faults(self):
        """Of each system call of a recovery that nobody disturbs."""
        self.again()
        result, made = self.recover()
        self.assertIn(result.status, (0, 6), str(result))
        self.assertGreater(made["pwrite64"], 0)
        for call in CALLS:
            for number in self.some(range(1, made[call] + 1), SAMPLED, call):
                yield "%s:signal=KILL:when=%d" % (call, number), (0, 6, -9)
                yield "%s:error=EIO:when=%d" % (call, number), (0, 6, 7)

    def check(self):
        for fault, statuses in self.faults():
            with self.subTest(fault=fault):
                self.again()
                for _ in range(AGAIN):
                    result, _ = self.recover(fault)
                    self.assertIn(result.status, statuses, str(result))
                result = self.program.run(*REPAIR)
                self.assertEqual(result.status, 0, str(result))
                self.judge_recovered()


class Log(Recovery):
    """A crawl was killed: what it committed is in the log."""

    def break_it(self):
        process = self.program.start("crawl", "--json", "--progress", "off", self.world.index)
        out = b"".join(process.stdout.readline() for _ in range(self.documents - 1))
        process.kill()
        rest, _ = process.communicate(timeout=600)
        self.acked = (out + rest).decode()
        self.assertGreater(os.path.getsize(self.program.store + "-wal"), 0)

    def judge_recovered(self):
        self.assertSound()
        self.resume(self.assertKept(self.acked))

    def test_recovery(self):
        self.check()


class Repair(Recovery):
    """Something counts wrong, and the list of a document is lost."""

    def break_it(self):
        self.crawl(self.world.index)
        self.listed = self.program.urls()
        self.program.change("UPDATE document SET entries = entries + 1 WHERE url LIKE '%/s02.xml'")
        self.program.change("DELETE FROM segment WHERE id = (SELECT max(id) FROM segment)")

    def judge_recovered(self):
        self.assertSound()
        self.world.hurry()
        self.crawl("--delay", "0", self.world.index)
        self.assertSound()
        # what changed in it before is forgotten, and all that it lists is there once
        self.assertEqual(self.program.urls(), self.listed)

    def test_repair(self):
        self.check()


if __name__ == "__main__":
    unittest.main()
