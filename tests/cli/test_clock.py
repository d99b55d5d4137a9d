"""Behaviour that needs hours, days or a wrong clock, with the test's own
clock."""
import os
import time
import unittest

from case import Case, index, urlset
from clock import DAY
from late import assert_sooner
from program import BINARY, HOOKED

MINUTE = 60
HOUR = 3600


class Clocked(Case):
    """Every crawl of self.program follows self.clock."""

    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.server = self.site()


class TheClock(Clocked):
    """The clock itself."""

    def put(self, count):
        self.server.put("/index.xml", index([self.server.url("/%d.xml" % n)
                                             for n in range(count)]))
        for n in range(count):
            self.server.put("/%d.xml" % n, urlset([self.server.url("/%d/a" % n)]))
        return self.server.url("/index.xml")

    def test_wall_clock(self):
        self.crawl(self.put(2))
        rows = self.program.export()
        self.assertEqual({row["first_seen"][:13] for row in rows}, {"2026-01-01T00"})
        self.clock.advance(40 * DAY)
        self.server.put("/0.xml", urlset([self.server.url("/0/a"), self.server.url("/0/b")]))
        self.crawl(self.server.url("/index.xml"))
        self.assertEqual({row["loc"][-4:]: row["first_seen"][:10] for row in self.program.export()},
                         {"/0/a": "2026-01-01", "/1/a": "2026-01-01", "/0/b": "2026-02-10"})

    def test_leaps_do_not_wait(self):
        """A delay of a minute between ten requests takes no real time."""
        self.clock.leap()
        begin = self.clock.now()
        crawl = self.crawl("--delay", "60", self.put(9))
        self.assertEqual(len(crawl.sitemaps()), 10)
        assert_sooner(crawl.result.seconds, 10)
        # the wall clock stood while the first request was answered
        self.assertGreater(self.clock.now() - begin, 9 * MINUTE)

    def test_nothing_is_left_behind(self):
        """The clock stands still while a server prepares its answer."""
        self.clock.leap()
        url = self.put(2)
        self.server.replies["/0.xml"].delay = 0.5
        begin = self.clock.now()
        crawl = self.crawl("--max-time", "5", url)
        self.assertEqual(len(crawl.sitemaps()), 3)
        self.assertLess(self.clock.now() - begin, 60)

    def test_rate(self):
        self.clock.rate(600)
        crawl = self.crawl("--delay", "60", self.put(9))
        assert_sooner(crawl.result.seconds, 10)
        self.assertGreaterEqual(crawl.result.seconds, 10 * MINUTE / 600 * 0.9)

    def settle(self, least):
        """Wait until everything that is due within that time is done; returns
        when something is due next."""
        due = self.clock.wait_idle()
        while due < least:
            self.clock.advance(due)
            due = self.clock.wait_idle()
        return due

    def test_by_hand(self):
        """The test learns when there is nothing to do, and until when."""
        process = self.program.start("crawl", "--progress", "off", "--delay", "3600",
                                     self.put(1))
        self.server.wait_for("/robots.txt")
        for path in ("/index.xml", "/0.xml"):
            due = self.settle(MINUTE)
            self.assertEqual(self.server.asked(path), [])
            self.assertAlmostEqual(due, HOUR, delta=MINUTE)
            self.clock.advance(due)
            self.server.wait_for(path)
        self.clock.leap()
        self.assertEqual(process.wait(timeout=600), 0)

    def test_clocks_apart(self):
        """A step of the wall clock alone does not move any timer."""
        process = self.program.start("crawl", "--progress", "off", "--delay", "60",
                                     self.put(1))
        self.server.wait_for("/robots.txt")
        self.settle(1)
        self.clock.step(wall=12 * HOUR)
        time.sleep(0.2)
        self.assertEqual(self.server.asked("/index.xml"), [])
        self.clock.step(monotonic=MINUTE)
        self.server.wait_for("/index.xml")
        self.clock.leap()
        self.assertEqual(process.wait(timeout=600), 0)

    def test_two_follow(self):
        """The clock waits for both processes, so neither falls behind."""
        other = self.site()
        other.put("/sitemap.xml", urlset([other.url("/a")]), delay=0.5)
        self.clock.leap()
        slow = self.program.start("crawl", "--store", os.path.join(self.program.folder, "other.db"),
                                  "--max-time", "5", other.url("/sitemap.xml"))
        other.wait_for("/sitemap.xml")
        crawl = self.crawl("--delay", "60", self.put(3))
        self.assertEqual(slow.wait(timeout=600), 0)
        assert_sooner(crawl.result.seconds, 20)

    def test_no_clock(self):
        result = self.program.run("version", env={"FRESHET_TEST_CLOCK": "/nowhere"})
        self.assertEqual((result.status, result.out), (9, ""), str(result))

    def test_only_for_tests(self):
        """The binary that is shipped contains nothing of the test's clock."""
        if BINARY == HOOKED:
            self.skipTest("the binary under test has hooks")
        with open(HOOKED, "rb") as f:
            self.assertIn(b"FRESHET_TEST_CLOCK", f.read())
        with open(BINARY, "rb") as f:
            code = f.read()
        for word in (b"FRESHET_TEST", b"test_clock", b"clock of the test"):
            self.assertNotIn(word, code)


if __name__ == "__main__":
    unittest.main()
