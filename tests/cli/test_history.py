"""freshet-sim export-trace: the history in a store, and what the simulator
computes from it."""
import json
import os
import sqlite3
import time
import unittest

from case import index, urlset
from clock import DAY
from test_over_days import Days


class History(Days):
    each_alone = True

    def trace(self, *args, status=0):
        """Returns the rows below the heading, with times as days after the
        first."""
        result = self.program.sim("export-trace", self.program.store, *args)
        self.assertEqual(result.status, status, str(result))
        if status != 0:
            return result
        lines = result.out.splitlines()
        self.assertEqual(lines[0], "# freshet-trace 1")
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        begin = int(rows[0][0])
        self.assertEqual(rows, sorted(rows, key=lambda row: int(row[0])))
        self.heading = [line for line in lines if line.startswith("#")]
        return [((int(t) - begin) // DAY, kind, ids, value) for t, kind, ids, value in rows]

    def sim(self, *args, status=0):
        path = os.path.join(self.program.folder, "history.trace")
        with open(path, "w", encoding="ascii") as f:
            f.write(self.program.sim("export-trace", self.program.store).out)
        result = self.program.sim("--trace", path, "--budget", "2/d", "--json", *args)
        self.assertEqual(result.status, status, str(result))
        # nothing of it was refused or mended
        self.assertEqual(result.err, "")
        return result.records()

    def days(self, count):
        """Let days pass: one page changes its date each day, one is added, and
        one disappears at the end."""
        for day in range(count):
            entries = [(url, "2026-01-01") for url in self.pages(range(5 + day))]
            entries[1] = (entries[1][0], "2026-01-%02d" % (day + 1))
            if day == count - 1:
                del entries[0]
            self.server.put("/sitemap.xml", urlset(entries))
            self.day()

    def test_rows(self):
        self.days(3)
        rows = self.trace(self.url)
        pages = self.pages(range(7))
        self.assertEqual(rows, [
            (0, "D", "0", self.url)] + [
            (0, "U", str(n), pages[n]) for n in range(5)] + [
            (0, "N", str(n), "0") for n in range(5)] + [
            (0, "A", "0-4", "0"), (0, "L", "0-4", "2026-01-01"), (0, "P", "0", "5"),
            (1, "U", "5", pages[5]), (1, "N", "5", "0"), (1, "A", "5", "0"),
            (1, "L", "5", "2026-01-01"), (1, "L", "1", "2026-01-02"), (1, "P", "0", "6"),
            (2, "U", "6", pages[6]), (2, "N", "6", "0"), (2, "R", "0", "0"), (2, "A", "6", "0"),
            (2, "L", "6", "2026-01-01"), (2, "L", "1", "2026-01-03"), (2, "P", "0", "6")])
        self.assertIn("# 0 of 7 URLs were fetched, 0 with the hash of a text: the others are",
                      self.heading)

    def test_what_if(self):
        self.days(6)
        records = self.sim()
        self.assertTrue(any(record.get("policy") == "ours" for record in records), records)

    def test_fetches(self):
        """A change is placed where the page's date moved, or else halfway
        between two fetches."""
        self.days(4)
        a, b, c, d, _ = self.pages(range(5))
        end = int(self.clock.now())
        lines = []
        for page, looks in ((b, ((3.5, "x"), (1.5, "y"))), (c, ((3, "x"), (2, "x"), (1, "z"))),
                            (d, ((3, "x"), (1, None)))):
            for ago, text in looks:
                lines.append({"url": page, "fetched": end - int(ago * DAY)})
                lines[-1].update({"content_hash": text} if text else {"status": 404})
        result = self.program.run("import", "-f", "jsonl",
                                  input="".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(result.status, 0, str(result))
        self.trace()
        self.assertIn("# 3 of 8 URLs were fetched, 3 with the hash of a text: the others are",
                      self.heading)
        rows = [line.split("\t") for line in
                self.program.sim("export-trace", self.program.store).out.splitlines() if line[0] != "#"]
        begin = int(rows[0][0])
        told = {row[2]: (row[1], round((int(row[0]) - begin) / DAY, 1)) for row in rows
                if row[1] in "CX"}
        # the first page was read on day 0; the last reading is now, on day 3
        self.assertEqual(told, {"1": ("C", 1.0), "2": ("C", 1.5), "3": ("X", 1.0)})
        self.sim()

    def fetch(self, pages, text):
        """Fetch the pages, which have that text."""
        self.program.run("due", "-n", "40")
        result = self.program.run("done", input="".join(json.dumps(
            {"url": page, "status": 200, "content_hash": text}) + "\n" for page in pages))
        self.assertEqual([record["ack"] for record in result.records()], ["OK"] * len(pages))

    def precisions(self, is_true):
        """A quarter of the pages change their dates each day, and three of four
        pages are fetched every 12 days. Returns the precision of these dates by
        stats, and by sim."""
        pages = self.pages(range(40))
        dates = ["2025-12-31T00:00:00Z"] * len(pages)
        for day in range(61):
            now = time.gmtime(self.clock.now() + DAY - 60)
            for n in range(day % 4, len(pages), 4):
                dates[n] = time.strftime("%Y-%m-%dT%H:%M:%SZ", now)
            self.server.put("/sitemap.xml", urlset(zip(pages, dates)))
            self.day()
            if day % 12 == 0:
                self.fetch(pages[:30], str(day) if is_true else "same")
        result = self.program.run("stats", "--json", "127.0.0.1")
        stats = result.records()[-1]
        documents = [record for record in self.sim("--policy", "ours", "--days", "60")
                     if record["type"] == "document"]
        return stats["precision"], documents[0]["true_precision"]

    def test_dates_are_right(self):
        """Between two fetches with different texts the date moved three times:
        sim and stats count all of these moves as true, or none."""
        stats, sim = self.precisions(True)
        self.assertGreater(stats, 0.9)
        self.assertAlmostEqual(sim, stats, delta=0.05)

    def test_dates_are_wrong(self):
        stats, sim = self.precisions(False)
        self.assertLess(stats, 0.1)
        self.assertEqual(sim, 0)

    def test_nothing_new(self):
        """Readings that find nothing new are no publications; 404 withdraws the
        pages."""
        self.put(range(3))
        self.day()
        self.day()
        self.server.put("/sitemap.xml", "", status=404)
        self.day(status=None)
        self.put(range(3))
        self.day()
        self.assertEqual([row for row in self.trace() if row[1] == "P"],
                         [(0, "P", "0", "3"), (2, "P", "0", "-"), (3, "P", "0", "3")])

    def test_two_documents(self):
        """Each document has its own publications; a page that both list is one
        URL."""
        a, b = self.server.url("/a.xml"), self.server.url("/b.xml")
        self.server.put("/sitemap.xml", index([a, b]))
        self.server.put("/a.xml", urlset(self.pages(range(3))))
        self.server.put("/b.xml", urlset(self.pages(range(2, 5))))
        self.day()
        rows = self.trace()
        self.assertEqual(sorted(row[3] for row in rows if row[1] == "D"), [a, b])
        self.assertEqual(len([row for row in rows if row[1] == "U"]), 5)
        self.assertEqual([row[3] for row in rows if row[1] == "P"], ["3", "3"])
        # of one document alone
        self.assertEqual([row[3] for row in self.trace(b) if row[1] == "U"],
                         self.pages(range(2, 5)))

    def test_damaged(self):
        """History that cannot be read must not look as if it never existed."""
        self.days(3)
        self.program.leave_postgresql()
        for table in ("segment", "delta"):
            with sqlite3.connect(self.program.store) as db:
                whole = db.execute("SELECT id, data FROM %s" % table).fetchall()
                db.execute("UPDATE %s SET data = zeroblob(50)" % table)
            db.close()
            result = self.trace(status=6)
            self.assertIn("store-damaged", result.err)
            with sqlite3.connect(self.program.store) as db:
                db.executemany("UPDATE %s SET data = ?2 WHERE id = ?1" % table, whole)
            db.close()
        # ids that no store gives are those of no page
        with sqlite3.connect(self.program.store) as db:
            db.execute("INSERT INTO outcome (page_id, number, at_s, kind, status, hash, bytes, ms)"
                       " VALUES (1 << 50, 0, 5, 'same', 200, 7, 0, 0),"
                       " (-5, 0, 5, 'same', 200, 7, 0, 0)")
        db.close()
        self.trace()

    def test_usage(self):
        self.put(range(3))
        self.day()
        self.assertIn("usage", self.trace(self.url, self.url, status=2).err)
        self.assertIn("no folder", self.trace(self.server.url("/x/"), status=2).err)
        self.assertIn("nowhere.example", self.trace("nowhere.example", status=4).err)

    def test_unlisted(self):
        """Pages that no document listed are left out; the heading counts those
        of the sites that are meant."""
        self.put(range(3))
        self.day()
        self.program.run("add", "--tag", "news", self.url)
        path = os.path.join(self.program.folder, "urls")
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join([self.server.url("/nobody"), "http://a.example/x"]))
        self.program.run("import", path)
        for args, said, left_out in (([], "all its sites", 2), (["127.0.0.1"], "127.0.0.1", 1),
                                     (["--tag", "news"], "1 of its sites", 1)):
            with self.subTest(args=args):
                self.trace(*args)
                self.assertIn("# what a store of freshet knows of %s" % said, self.heading)
                self.assertIn("# left out: %d pages that no document here listed" % left_out,
                              self.heading)

    def test_nothing_read(self):
        self.server.put("/sitemap.xml", "", status=500)
        self.day(status=None)
        self.assertIn("no past", self.trace(status=4).err)


if __name__ == "__main__":
    unittest.main()
