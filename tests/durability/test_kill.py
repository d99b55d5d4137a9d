"""kill -9 of the main process in the middle of a crawl (HOSTILE P1, P5)."""
import os
import sqlite3
import time
import unittest

import counts
from durable import FULL, Durable
from processes import descendants
from test_reader import TORN

KILLS = counts.pick(10, 30, 50)
EARLY = KILLS // 10  # kills before the first commit
INSIDE = 0.8  # of the kills lie between the first commit and the last


class Kill:
    """KILLS trials, each at a moment of its own: after a number of commits
    that is drawn, and a part of the time that the next one takes."""

    def kill_at(self, number):
        """Kill once; what was told of, and the offset in milliseconds."""
        self.fresh()
        begin = time.monotonic()
        process = self.program.start("crawl", "--json", "--progress", "off",
                                     self.world.index)
        out = b""
        if number < EARLY:
            time.sleep(self.random.uniform(0, self.first))
        else:
            for _ in range(self.random.randrange(1, self.documents - 1)):
                out += process.stdout.readline()
            time.sleep(self.random.uniform(0, self.step))
        processes = descendants(process.pid)
        offset = time.monotonic() - begin
        process.kill()
        rest, _ = process.communicate(timeout=600)
        self.assertGone(processes)
        return (out + rest).decode(), offset * 1000

    def test_kill(self):
        inside = 0
        log = []
        for number in range(KILLS):
            with self.subTest(kill=number):
                out, offset_ms = self.kill_at(number)
                self.assertSound()
                committed = self.assertKept(out)
                inside += 0 < len(committed) < self.documents
                log.append("killed after %d ms, %d of %d documents committed"
                           % (offset_ms, len(committed), self.documents))
                self.resume(committed)
        counts.add(self.id(), KILLS)
        if FULL:
            print("\n".join(log))
        self.assertGreaterEqual(inside, INSIDE * KILLS, "\n".join(log))


class FirstCrawl(Kill, Durable):
    """Nothing was known before."""


class Recrawl(Kill, Durable):
    """The site changed since it was last read: 304s, same bytes, deltas."""

    GENERATION = 1


class BesideReader(Durable):
    """Whoever reads the store meanwhile, and stays, reads no log anew when the
    writer is gone: it believes what the shared index says of the database."""

    # so much that the log is written into the database while it is read
    WORLD = {"children": 120, "entries": 4000, "delay": 0}
    SECTION = 4  # documents of a transaction of the reader

    def test_kill(self):
        for number in range(KILLS // 2):
            with self.subTest(kill=number):
                self.fresh()
                process = self.program.start("crawl", "--json", "--progress", "off",
                                             "--delay", "0", self.world.index)
                out = process.stdout.readline()
                reader = sqlite3.connect(self.program.store, isolation_level=None)
                for at in range(self.random.randrange(self.documents * 3 // 4, self.documents - 1)):
                    if at % self.SECTION == 0:
                        self.look_anew(reader)
                    out += process.stdout.readline()
                process.kill()
                rest, _ = process.communicate(timeout=600)
                self.assertGreater(os.path.getsize(self.program.store), 1 << 20,
                                   "the log was not written into the database")
                self.look_anew(reader)
                self.assertEqual(reader.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                self.assertEqual(reader.execute(TORN).fetchall(), [])
                self.assertKept((out + rest).decode())
                reader.close()
                self.assertSound()
        counts.add(self.id(), KILLS // 2)

    @staticmethod
    def look_anew(reader):
        """End its transaction, and begin the next one."""
        if reader.in_transaction:
            reader.execute("COMMIT")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reading").fetchall()


if __name__ == "__main__":
    unittest.main()
