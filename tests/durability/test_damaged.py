"""Stores with damaged bytes (HOSTILE S9): a sample of what `damaged` tries."""
import os
import random
import tempfile
import unittest

import counts
import damage
from durable import FULL
from program import BINARY

FEW = 12  # commands on a store, all of them in turn


class Sample(unittest.TestCase):
    """Stores that are damaged in some ways."""

    @classmethod
    def setUpClass(cls):
        if not os.access(BINARY, os.X_OK):
            raise AssertionError("there is no binary '%s'" % BINARY)
        cls.sound = damage.Sound()
        cls.turn = 0

    @classmethod
    def tearDownClass(cls):
        cls.sound.close()

    def choose(self, commands):
        """Each has its turn; always what judges the others."""
        if FULL:
            return commands
        always = [c for c in commands if c[1] == ["db", "fsck"]]
        first = self.turn % len(commands)
        type(self).turn += FEW
        return always + (commands + commands)[first:first + FEW]

    def judge(self, ways, rounds=(0,)):
        for number in rounds:
            for way in sorted(set(ways), key=ways.index):
                seed = number * len(damage.WAYS) + damage.WAYS.index(way)
                with self.subTest(way=way.__name__, seed=seed):
                    self.judge_one(seed)

    def judge_one(self, seed):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store")
            damage.damaged(self.sound, seed, store)
            judge = damage.Judge(self.sound, store, os.path.join(folder, "trial"), self.choose)
            judge.all()
            self.assertEqual(judge.faults, [], "\n".join(judge.faults))


class Files(Sample):
    def test_bytes(self):
        self.judge(damage.FILE)


class Rows(Sample):
    def test_rows(self):
        self.judge(damage.ROWS)

    def test_cells(self):
        """A number, a text or a blob is another: what most may go wrong with."""
        rounds = counts.pick(5, 30, 200)
        begin = counts.turn(self.id())
        self.judge([damage.Damage.cell], random.Random(7 + begin).sample(range(1000), rounds))
        counts.add(self.id(), rounds)


class Log(Sample):
    def test_log(self):
        self.judge(damage.LOG)
