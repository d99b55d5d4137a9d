"""Whoever reads the store while a crawl writes it sees whole documents only
(HOSTILE S12), and is not held up."""
import collections
import shutil
import subprocess
import time
import unittest

from durable import Durable
from late import assert_sooner

SQLITE = shutil.which("sqlite3")

# A document has been read when it has entries; what its reading, its segment
# and its delta say must then agree.
TORN = """
SELECT d.url FROM document d
 LEFT JOIN reading r ON r.id = d.last_full_id
 LEFT JOIN (SELECT id >> 16 AS id, sum(count) AS entries, count(*) AS blocks
            FROM segment GROUP BY 1) s ON s.id = d.id
 LEFT JOIN (SELECT id >> 16 AS id, count(*) AS blocks
            FROM delta GROUP BY 1) c ON c.id = r.id
 WHERE coalesce(s.entries, 0) <> d.entries + d.missed
    OR coalesce(s.blocks, 0) <> d.blocks
    OR (d.entries > 0 AND (r.id IS NULL OR r.entries <> d.entries
                           OR coalesce(c.blocks, 0) <> r.delta_blocks))
    OR (d.last_reading_id IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM reading WHERE id = d.last_reading_id));
"""


class Watched(Durable):
    """Looked at again and again, by two programs."""

    WORLD = {"children": 16, "entries": 400, "delay": 0.05}
    LONGEST_S = 5  # of one look, on a busy machine

    def start(self):
        self.fresh()
        process = self.program.start("crawl", "--json", "--progress", "off",
                                     self.world.index)
        return process, process.stdout.readline()

    def while_it_runs(self, look):
        """Calls look until the crawl has ended, and once more."""
        process, _ = self.start()
        looks = 0
        while process.poll() is None:
            begin = time.monotonic()
            look()
            assert_sooner(time.monotonic() - begin, self.LONGEST_S)
            looks += 1
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)
        look()
        self.assertGreaterEqual(looks, 3)
        self.assertSame(self.told())

    def test_export(self):
        """Each document has none of its entries or all of them."""
        seen = []

        def look():
            counts = collections.Counter(row["document"] for row in self.program.export())
            self.assertEqual(set(counts.values()) - {self.world.entries}, set())
            seen.append(len(counts))
        self.while_it_runs(look)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(set(seen)), 2, "nothing was seen to grow")

    @unittest.skipIf(SQLITE is None, "there is no sqlite3")
    def test_sqlite(self):
        """With nothing of ours between, in one statement."""
        def look():
            done = subprocess.run([SQLITE, "-readonly", "-cmd", ".timeout 5000",
                                   self.program.store, TORN], capture_output=True,
                                  timeout=600, stdin=subprocess.DEVNULL)
            self.assertEqual((done.stdout, done.stderr), (b"", b""))
        self.while_it_runs(look)


class WatchedAgain(Watched):
    """While the segments of known documents are replaced."""

    GENERATION = 1

    def test_export(self):
        """What was known stays whole: documents that changed list as many
        entries as before."""
        def look():
            counts = collections.Counter(row["document"] for row in self.program.export())
            self.assertEqual(set(counts.values()), {self.world.entries})
        self.while_it_runs(look)


if __name__ == "__main__":
    unittest.main()
