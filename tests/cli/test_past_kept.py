"""The past of sites is kept: when it is computed anew, and who says so."""
import contextlib
import json
import signal
import sqlite3
import time
import unittest

from case import Case, urlset
from clock import DAY
from program import NO_HOOKS

NOTE = "freshet: the past of 1 site is not kept yet: looking at it takes longer; 'freshet run' keeps it\n"
READINGS = 40000  # some seconds


class Kept(Case):
    def test_crawl(self):
        """A crawl takes its time: what it keeps holds after it."""
        self.program.leave_postgresql()
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
        for n in range(2):
            site.put("/s.xml", urlset([site.url("/blog/%d" % i) for i in range(5 + n)]))
            self.program.run("crawl", "--delay", str(1.2 * n), site.url("/"))
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM past WHERE until_s > ?",
                                        (time.time() + 3600,)).fetchall(), [(1,)])

    def test_interrupt(self):
        """Nobody waits for what a crawl keeps at its end: a signal ends it at once."""
        self.program.leave_postgresql()
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
        for n in range(2):
            site.put("/s.xml", urlset([site.url("/blog/%d" % i) for i in range(5 + n)]))
            self.program.run("crawl", "--delay", "0", site.url("/"))
        # it changed so often, and all of that is counted, that this takes seconds
        with contextlib.closing(sqlite3.connect(self.program.store)) as db, db:
            names = ", ".join(row[1] for row in db.execute("PRAGMA table_info(reading)") if row[1] != "id")
            last, = db.execute("SELECT max(id) FROM reading WHERE delta_blocks > 0").fetchone()
            end, = db.execute("SELECT max(id) FROM reading").fetchone()
            db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO"
                       " reading (id, %s) SELECT ? + i, %s FROM n, reading WHERE id = ?" % (names, names),
                       (READINGS, end, last))
            db.execute("INSERT INTO delta (id, count, data) SELECT (r.id << 16) + (d.id & 65535), d.count, d.data"
                       " FROM delta d, reading r WHERE d.id >> 16 = ? AND r.id > ?", (last, end))
            db.execute("UPDATE site SET tallied_id = (SELECT max(id) FROM reading)")
        site.put("/s.xml", urlset([site.url("/blog/%d" % i) for i in range(8)]))
        process = self.program.start("crawl", "--json", "--delay", "0", site.url("/"))
        while b"/s.xml" not in process.stdout.readline():
            self.assertIsNone(process.poll())
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(60), (-signal.SIGINT, 128 + signal.SIGINT))
        self.assertEqual(len(self.program.urls()), 8)


@unittest.skipIf(NO_HOOKS, NO_HOOKS)
class Behind(Case):
    def listed(self, *args):
        result = self.program.run("list", *args)
        self.assertEqual(result.status, 0, str(result))
        return result.err

    def live(self, site, days):
        for day in days:
            site.put("/s.xml", urlset([site.url("/blog/%d" % n) for n in range(5 + day)]))
            self.program.run("crawl", "--delay", "0", site.url("/"))
            self.clock.advance(DAY + 60)

    def test_list(self):
        self.program.leave_postgresql()
        self.follow_clock()
        self.clock.leap()
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
        self.program.run("add", site.url("/"))
        self.live(site, range(1))
        # nothing is kept of a first reading, and nobody looks for it on that day
        self.assertEqual(self.listed(), NOTE)
        self.live(site, range(1, 3))
        self.assertEqual(self.listed(), "")
        config = self.program.store + ".conf"
        with open(config, "w") as f:
            f.write("[defaults]\nsection-depth = 2\n")
        self.assertEqual(self.listed("--config", config), NOTE)
        self.assertEqual(self.listed("--config", config, "--quiet"), "")
        told = self.program.run("diff", "--json", "--config", config).out
        self.assertEqual(self.program.run("db", "migrate", "--quiet", "--config", config).status, 0)
        self.assertEqual(self.listed("--config", config), "")
        self.assertEqual(self.program.run("diff", "--json", "--config", config).out, told)

    def test_page_of_two_sites(self):
        """What is learned of a page concerns each site that lists it."""
        self.program.leave_postgresql()
        self.follow_clock()
        self.clock.leap()
        one, other = self.site(), self.site(address="127.0.0.9")
        one.put("/robots.txt", "Sitemap: %s\n" % one.url("/s.xml"))
        # the pages are also those of whoever names another sitemap there
        other.put("/robots.txt", "Sitemap: %s\nSitemap: %s\n" % (other.url("/s.xml"), one.url("/x.xml")))
        other.put("/s.xml", urlset([other.url("/")]))
        one.put("/x.xml", urlset([other.url("/x")]))
        for site in (other, one):
            self.program.run("add", "--every", "3h", site.url("/"))
        for name in ("old-a", "old-a", "new-b", "new-b"):
            one.put("/s.xml", urlset([one.url("/blog/%d" % n) for n in range(9)] + [one.url("/shop/" + name)]))
            self.program.run("run", "--once", "--delay", "0")
            self.program.run("due", "-n", "100")
            self.clock.advance(DAY + 60)
        self.program.run("db", "migrate", "--quiet")
        answer = self.program.run("done", input=json.dumps({"url": one.url("/shop/old-a"), "status": 301,
                                                   "location": one.url("/shop/new-b")}) + "\n").out
        self.assertIn("OK", answer)
        with contextlib.closing(sqlite3.connect(self.program.store)) as db, db:
            self.assertEqual(db.execute("SELECT count(*) FROM document WHERE url = ?",
                                        (one.url("/s.xml"),)).fetchall(), [(2,)])
            told = self.program.run("diff", "--json").out
            db.execute("DELETE FROM past")
        self.assertIn("1 page moved within /shop, as told by redirects", told)
        self.assertEqual(self.program.run("diff", "--json").out, told)


if __name__ == "__main__":
    unittest.main()
