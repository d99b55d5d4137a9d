"""What a site makes the store keep has a budget, and other sites go on."""
import contextlib
import random
import sqlite3
import unittest

from case import urlset
from clock import DAY
from daemon import Daemon
from test_clock import Clocked

SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Kept(Clocked):
    def setUp(self):
        super().setUp()
        self.other = self.site(address="127.0.0.9")
        self.other.put("/robots.txt", "Sitemap: %s\n" % self.other.url("/s.xml"))
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.seed = 0

    def change(self, count=100):
        """The site lists other long URLs than before, 100 KB; the other one a page more."""
        self.seed += 1
        draw = random.Random(self.seed)
        self.server.put("/s.xml", urlset([self.server.url("/" + "".join(draw.choices(SIGNS, k=1900)))
                                          for _ in range(count)]))
        self.other.put("/s.xml", urlset([self.other.url("/%d" % n) for n in range(self.seed)]))

    def crawl_both(self, *args, status=0):
        self.clock.advance(3700)
        return self.crawl("--max-drop", "100", "--retry", "0", *args, self.server.url("/"), self.other.url("/"),
                   status=status)

    def sql(self, text):
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            return db.execute(text).fetchone()

    def kept(self):
        """The bytes of the site, which are those of its rows."""
        kept, = self.sql("SELECT sum(kept) FROM site")
        rows, = self.sql("SELECT (SELECT sum(length(data)) FROM segment) +"
                         " (SELECT coalesce(sum(length(data)), 0) FROM delta)")
        self.assertEqual(kept, rows)
        return kept

    def others(self):
        return len(self.program.urls(self.other.url("/").split("/")[2]))

    def test_day(self):
        """A day's bytes beyond the first reading; the next day it goes on."""
        for _ in range(2):
            self.change()
            self.crawl_both("--max-site-day", "500K")
        first = self.kept()
        for _ in range(4):
            self.change()
            run = self.program.run("crawl", "--max-drop", "100", "--retry", "0", "--max-site-day", "500K",
                                   self.server.url("/"), self.other.url("/"))
            self.clock.advance(3700)
        self.assertEqual(run.status, 1, str(run))
        self.assertIn("budget-reached", run.out)
        self.assertIn("the store keeps all that it may of the site today (max-site-day)", run.out)
        self.assertEqual(self.others(), self.seed)
        self.assertLess(self.kept() - first, 500000)
        asked = len(self.server.asked("/s.xml"))
        self.crawl_both("--max-site-day", "500K", status=1)
        self.assertEqual(len(self.server.asked("/s.xml")), asked)
        before = self.kept()
        self.clock.advance(DAY)
        self.change()
        self.crawl_both("--max-site-day", "500K")
        self.assertGreater(self.kept(), before)
        before = self.kept()
        self.clock.advance(DAY)
        self.program.leave_postgresql()
        self.program.run("db", "prune", "--older", "1s")
        self.assertLess(self.kept(), before)

    def test_total(self):
        """All bytes, and a limit for one site in the configuration."""
        with open(self.program.folder + "/conf", "w", encoding="ascii") as f:
            f.write("[site %s]\nmax-site-store = 600K\n" % self.server.url("/").split("/")[2])
        for _ in range(6):
            self.change()
            self.crawl_both("--config", self.program.folder + "/conf", status=None)
            self.clock.advance(DAY)
        self.assertLess(self.kept(), 600 << 10)
        self.assertGreater(self.kept(), 450 << 10)
        self.assertEqual(self.others(), self.seed)
        self.assertIn("max-site-store", self.program.run("crawl", "--config", self.program.folder + "/conf",
                                                         self.server.url("/")).out)

    def test_full_store(self):
        """It does not fill a store that may have some size."""
        for day in range(4):
            for _ in range(3):
                self.change()
                self.crawl_both("--max-store", "2M", "--max-site-day", "300K", status=None)
        self.assertEqual(self.others(), self.seed)

    def test_run(self):
        """`run` neither asks nor tries all the time, and reads the other site."""
        self.change()
        for server in (self.server, self.other):
            self.program.run("add", "--every", "30m", server.url("/"))
        daemon = Daemon(self.program, "--max-site-day", "300K", "--max-drop", "100", "--no-config")
        try:
            for _ in range(16):
                until = self.clock.now() + 1800
                self.clock.leap(until=until)
                self.clock.wait_until(until)
                self.change()
        finally:
            self.assertEqual(daemon.end(), 143)
        self.assertGreater(self.others(), 8)
        refused, = self.sql("SELECT count(*) FROM reading WHERE failure = 'budget-reached'")
        self.assertLess(refused, 20)
        self.assertGreater(refused, 0)
        self.assertLess(len(self.server.asked("/s.xml")), 8)


if __name__ == "__main__":
    unittest.main()
