"""freshet db: care for the store, with the real binary."""
import os
import sqlite3
import unittest

from case import Case, gz, index, urlset


class Db(Case):
    def fill(self):
        """A site that was crawled three times: kept, changed, removed."""
        self.server = self.site()
        url = self.server.url
        self.server.put("/robots.txt", "Sitemap: %s\n" % url("/index.xml"))
        self.server.put("/index.xml", index([(url("/a.xml"), "2026-01-01"),
                                             url("/b/b.xml.gz")]))
        for generation in range(3):
            self.server.put("/a.xml", urlset(
                [(url("/page%d" % n), "2026-01-%02d" % (generation + 1))
                 for n in range(5000 + generation, 9500 + generation)]))
            self.server.put("/b/b.xml.gz", gz(urlset(
                [url("/b/%d" % n) for n in range(10)])))
            self.crawl(url("/"))
        return url("/")

    def sql(self, statement, path=None):
        with sqlite3.connect(path or self.program.store) as db:
            db.execute(statement)
        db.close()

    def fsck(self, *args, status=0, store=None):
        """The records of `db fsck --json`, the summary last."""
        where = ["--store", store] if store else []
        result = self.program.run("db", "fsck", "--json", *where, *args)
        self.assertEqual(result.status, status, str(result))
        records = result.records()
        self.assertTrue(all(r["v"] == 1 for r in records))
        return records


class Fsck(Db):
    def test_sound(self):
        self.fill()
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("all is well", result.out)
        self.assertEqual(result.err, "")
        summary, = self.fsck()
        self.assertEqual(summary["type"], "summary")
        self.assertEqual(summary["violations"], 0)
        self.assertEqual(summary["documents"], 4)
        self.assertEqual(summary["judged_exactly"], 3)
        self.assertEqual(summary["judged_generally"], 0)
        self.assertEqual(summary["entries"], 4501 + 2 + 10)

    def test_repair(self):
        self.fill()
        self.sql("UPDATE document SET entries = entries + 1 WHERE entries > 100")
        records = self.fsck(status=6)
        self.assertEqual({r["invariant"] for r in records[:-1]}, {"J3", "J8"})
        self.assertEqual({r["where"] for r in records[:-1]}, {self.server.url("/a.xml")})
        self.assertEqual(records[-1]["violations"], len(records) - 1)
        lines = self.program.run("db", "fsck").out.splitlines()
        self.assertRegex(lines[0], r"^J8 document \d+ '.*/a\.xml': entries is 4501, ")
        repaired = self.fsck("--repair")
        self.assertTrue(all(r["repaired"] for r in repaired[:-1]))
        self.fsck()

    def test_lost_is_not_invented(self):
        self.fill()
        self.sql("DELETE FROM segment WHERE count = 4096")
        before = self.fsck(status=6)
        self.assertIn("J5", {r.get("invariant") for r in before})
        self.fsck("--repair", status=6)

    def test_proof_that_changed(self):
        """Under which rules it was read is not known any more, and is said."""
        self.fill()
        self.sql("UPDATE document SET fingerprint = 5")
        self.sql("UPDATE reading SET fingerprint = 5")
        summary, = self.fsck()
        self.assertEqual(summary["judged_exactly"], 0)
        self.assertEqual(summary["judged_generally"], 3)
        self.assertIn("rules that are not stored", self.program.run("db", "fsck").out)

    def test_not_a_store(self):
        with open(self.program.store, "w", encoding="ascii") as f:
            f.write("nothing of the kind\n" * 100)
        record, = self.fsck(status=6)
        self.assertEqual(record["type"], "violation")
        self.assertEqual(record["invariant"], "J1")

    def test_no_store(self):
        for args in ([], ["--repair"]):
            result = self.program.run("db", "fsck", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertFalse(os.path.exists(self.program.store))

    def test_flipped_bytes(self):
        """A few through the binary; hundreds in the unit test (HOSTILE S9)."""
        self.fill()
        with open(self.program.store, "rb") as f:
            whole = f.read()
        for n in range(40):
            torn = bytearray(whole)
            for k in range(4):
                torn[(n * 7919 + k * 104729 + 1000) % len(torn)] ^= 1 << n % 8
            with open(self.program.store, "wb") as f:
                f.write(torn)
            result = self.program.run("db", "fsck")
            self.assertIn(result.status, (0, 6), str(result))


class Usage(Db):
    def test_actions(self):
        for args, word in ((["db"], "ACTION"), (["db", "fcsk"], "did you mean 'fsck'"),
                           (["db", "zzzzzz"], "no action"),
                           (["db", "info", "more"], "takes no 'more'")):
            with self.subTest(args=args):
                result = self.program.run(*args)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn(word, result.err)
                self.assertEqual(result.err.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
