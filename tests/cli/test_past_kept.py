"""The past of sites is kept: when it is computed anew, and who says so."""
import unittest

from case import Case, urlset
from clock import DAY
from program import NO_HOOKS

NOTE = "freshet: the past of 1 site is not kept yet: looking at it takes longer; 'freshet run' keeps it\n"


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
