"""The past of sites is kept: when it is computed anew, and who says so."""
import contextlib
import sqlite3
import time
import unittest

from case import Case, urlset
from clock import DAY
from program import NO_HOOKS

NOTE = "freshet: the past of 1 site is not kept yet: looking at it takes longer; 'freshet run' keeps it\n"


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


if __name__ == "__main__":
    unittest.main()
