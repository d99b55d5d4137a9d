"""When a reading leaves a question open, a second one follows within the hour
(SPEC R-120)."""
import sqlite3
import unittest

from case import index, urlset
from clock import DAY
from daemon import Daemon
from test_clock import HOUR, Clocked


class Owed(Clocked):
    """A site whose index lists two sitemaps of 20 pages."""

    def setUp(self):
        super().setUp()
        self.clock.leap()
        self.daemon = None
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\nSitemap: %s\n"
                        % self.server.url("/index.xml"))
        self.index("/a.xml", "/b.xml")
        self.urls("/a.xml", self.pages("a", 20))
        self.urls("/b.xml", self.pages("b", 20))

    def tearDown(self):
        if self.daemon is not None:
            self.daemon.end()
        super().tearDown()

    def pages(self, name, count, first=0):
        return ["/%s/%02d" % (name, n) for n in range(first, first + count)]

    def index(self, *children):
        self.server.put("/index.xml", index([self.server.url(child) for child in children]))

    def urls(self, path, pages):
        self.server.put(path, urlset([self.server.url(page) for page in pages]))

    def rows(self, sql, *args):
        store = sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True)
        try:
            return store.execute(sql, args).fetchall()
        finally:
            store.close()

    def readings(self, path):
        """Returns when the document was requested since the change."""
        return [at for at, in self.rows(
            "SELECT r.at_s FROM reading r JOIN document d ON d.id = r.document_id"
            " WHERE d.url = ? AND r.id > ? AND r.outcome <> 'ended' ORDER BY r.id",
            self.server.url(path), self.mark)]

    def note(self):
        """Note that the change happens now."""
        self.mark, = self.rows("SELECT max(id) FROM reading")[0]

    def listed(self):
        site, = self.program.run("list", "--json").records()
        return site

    def watch(self, *args):
        result = self.program.run("add", *(args or ("--every", "1d")), self.server.url("/"))
        self.assertEqual(result.status, 0, str(result))
        self.begin()
        self.daemon.wait("crawled", site="127.0.0.1")
        self.wait(DAY / 2)
        self.note()

    def begin(self):
        self.daemon = Daemon(self.program)

    def end(self):
        self.daemon.end()
        self.daemon = None

    def wait(self, seconds):
        until = self.clock.now() + seconds
        self.clock.leap(until=until)
        self.clock.wait_until(until)
        if self.daemon is not None:
            self.clock.settle()

    def wait_read(self, path, count=1, days=2):
        """Wait until it was read this often since the change.  A second reading
        may come after a quarter of an hour, so the steps are shorter."""
        for _ in range(8 * 24 * days):
            if len(self.readings(path)) >= count:
                return
            self.wait(HOUR / 8)
        self.fail("%s was not read" % path)

    def assertBetween(self, value, least, most):
        self.assertTrue(least <= value <= most, value)

    def assertWithinTheHour(self, path, count=2):
        """Assert that the last two of this many readings are within an hour."""
        times = self.readings(path)
        self.assertEqual(len(times), count, times)
        self.assertLessEqual(times[-1] - times[-2], HOUR)
        self.assertGreaterEqual(times[-1] - times[-2], HOUR / 4)


class ByRun(Owed):
    def setUp(self):
        super().setUp()
        self.watch()

    def test_as_it_was(self):
        self.wait(3 * DAY)
        for path in ("/index.xml", "/a.xml", "/b.xml"):
            self.assertLessEqual(len(self.readings(path)), 4)
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})
        self.assertIsNone(self.listed()["stale_since"])

    def test_child_dropped(self):
        self.index("/a.xml")
        self.wait_read("/index.xml")
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (40, {"documents": 1, "urls": 20}))
        self.assertIn("waiting: 1 sitemap, 20 URLs", self.program.run("list").out)
        said = self.program.run("explain", self.server.url("/index.xml")).out
        self.assertIn("for what its last reading lacked", " ".join(said.split()))
        self.wait(HOUR)
        self.assertWithinTheHour("/index.xml")
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (20, {"documents": 0, "urls": 0}))
        self.daemon.wait("unchanged", why="owed", url=self.server.url("/index.xml"))
        self.wait(0.8 * DAY)
        self.assertEqual(len(self.readings("/index.xml")), 2)

    def test_child_dropped_and_back(self):
        self.index("/a.xml")
        self.wait_read("/index.xml")
        self.index("/a.xml", "/b.xml")
        self.wait(HOUR)
        self.assertWithinTheHour("/index.xml")
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (40, {"documents": 0, "urls": 0}))

    def test_mass_drop(self):
        self.urls("/b.xml", self.pages("b", 4))
        self.wait_read("/b.xml")
        problem = self.daemon.wait("problem", code="mass-drop")
        self.assertEqual(problem["url"], self.server.url("/b.xml"))
        self.assertIn("16 of 20", problem["text"])
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (40, {"documents": 1, "urls": 16}))
        self.wait(21 * HOUR)
        self.assertEqual(len(self.readings("/b.xml")), 1)
        self.assertEqual(self.listed()["urls"], 40)
        self.wait(2 * HOUR)
        first, second = self.readings("/b.xml")
        self.assertBetween(second - first, 22 * HOUR, 23 * HOUR)
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (24, {"documents": 0, "urls": 0}))

    def test_mass_drop_by_accident(self):
        self.urls("/b.xml", self.pages("b", 4))
        self.wait_read("/b.xml")
        self.urls("/b.xml", self.pages("b", 20))
        self.wait(23 * HOUR)
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (40, {"documents": 0, "urls": 0}))
        self.assertEqual(len(self.readings("/b.xml")), 2)

    def test_mass_drop_is_replaced(self):
        """As many pages came as are lacking: they wait for no day."""
        self.urls("/b.xml", self.pages("b", 20, first=16))
        self.wait_read("/b.xml")
        self.wait(HOUR)
        self.assertWithinTheHour("/b.xml")
        self.assertEqual(self.listed()["urls"], 40)
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})

    def test_page_leaves(self):
        self.urls("/b.xml", self.pages("b", 19))
        self.wait_read("/b.xml")
        self.assertEqual(self.listed()["waiting"], {"documents": 1, "urls": 1})
        self.wait(HOUR)
        self.assertWithinTheHour("/b.xml")
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})
        self.assertEqual(self.listed()["urls"], 39)

    def test_once_a_day(self):
        """One page disappears with each reading."""
        count = 20
        self.wait_read("/b.xml")
        for _ in range(4 * 24 * 3):
            count = 20 - len(self.readings("/b.xml"))
            self.urls("/b.xml", self.pages("b", count))
            self.wait(HOUR / 4)
        times = self.readings("/b.xml")
        # as often as somebody wants, and once a day besides
        self.assertLessEqual(len(times), 3 + 1 + 3)
        self.assertGreaterEqual(len(times), 4)
        self.daemon.wait("read", url=self.server.url("/b.xml"), why="owed")

    def test_absent(self):
        self.server.drop("/b.xml")
        self.wait_read("/b.xml")
        site = self.listed()
        self.assertEqual((site["urls"], site["waiting"]), (40, {"documents": 1, "urls": 20}))
        self.assertEqual(site["stale_since"][:10], self.today(self.readings("/b.xml")[0]))
        self.assertIn("1 of 2 sitemaps fails, stale since " + self.today(self.readings("/b.xml")[0]),
                      self.program.run("list").out)
        self.wait(HOUR)
        self.assertGreaterEqual(len(self.readings("/b.xml")), 2)
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})
        self.assertIsNotNone(self.listed()["stale_since"])
        self.urls("/b.xml", self.pages("b", 20))
        self.wait(DAY)
        self.assertIsNone(self.listed()["stale_since"])

    def test_after_a_restart(self):
        self.index("/a.xml")
        self.wait_read("/index.xml")
        self.end()
        self.begin()
        self.wait(HOUR)
        self.assertWithinTheHour("/index.xml")
        self.assertEqual(self.listed()["urls"], 20)

    def test_budget(self):
        """The second reading counts in the budget of the site."""
        self.end()
        result = self.program.run("set", "127.0.0.1", "budget=1/h")
        self.assertEqual(result.status, 0, str(result))
        self.begin()
        self.urls("/a.xml", self.pages("a", 19))
        self.urls("/b.xml", self.pages("b", 19))
        self.wait_read("/b.xml")
        self.wait(6 * HOUR)
        # all were due at the same time, and whichever is read first, two will do
        for path in ("/a.xml", "/b.xml"):
            self.assertEqual(len(self.readings(path)), 2)
        times = sorted(at for path in ("/index.xml", "/a.xml", "/b.xml")
                       for at in self.readings(path))
        self.assertGreaterEqual(min(b - a for a, b in zip(times, times[1:])), HOUR - 60)

    def test_stale(self):
        """The content that was read before is kept."""
        self.server.put("/b.xml", "", status=503)
        self.wait_read("/b.xml")
        self.assertIsNotNone(self.listed()["stale_since"])
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})

    def test_stale_robots(self):
        self.server.put("/robots.txt", "", status=503)
        self.wait(2 * DAY)
        self.assertIsNotNone(self.listed()["stale_since"])

    def test_stale_forbidden(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /b.xml\nSitemap: %s\n"
                        % self.server.url("/index.xml"))
        self.wait(2.5 * DAY)
        self.assertIsNotNone(self.listed()["stale_since"])

    def today(self, at):
        return self.rows("SELECT strftime('%Y-%m-%d', ?, 'unixepoch')", at)[0][0]


class ByValue(Owed):
    """No interval is configured."""

    def test_mass_drop(self):
        self.watch("--tag", "x")
        self.urls("/b.xml", [])
        self.wait_read("/b.xml", days=9)
        self.daemon.wait("problem", code="mass-drop")
        self.wait(23 * HOUR)
        self.assertEqual(self.listed()["urls"], 20)

    def test_child_dropped(self):
        self.watch("--tag", "x")
        self.index("/a.xml")
        self.wait_read("/index.xml", days=9)
        self.wait(HOUR)
        self.assertWithinTheHour("/index.xml")
        self.assertEqual(self.listed()["urls"], 20)


class Recent(Owed):
    """Feeds and news sitemaps list what is recent."""

    def feed(self, numbers):
        return ('<rss version="2.0"><channel><link>%s</link>%s</channel></rss>'
                % (self.server.url("/"), "".join(
                    "<item><link>%s</link></item>" % self.server.url("/f/%d" % n)
                    for n in numbers)))

    def news(self, numbers):
        return ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
                'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">%s</urlset>'
                % "".join('<url><loc>%s</loc><news:news><news:title>t</news:title>'
                          '</news:news></url>' % self.server.url("/n/%d" % n)
                          for n in numbers))

    def test_never(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\nSitemap: %s\nSitemap: %s\n"
                        % (self.server.url("/feed.xml"), self.server.url("/news.xml")))
        self.server.put("/feed.xml", self.feed(range(20)))
        self.server.put("/news.xml", self.news(range(20)))
        self.watch()
        self.server.put("/feed.xml", self.feed(range(10, 30)))
        self.server.put("/news.xml", self.news(range(18, 30)))
        self.wait_read("/feed.xml")
        self.wait_read("/news.xml")
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})
        self.server.drop("/feed.xml")
        self.server.drop("/news.xml")
        self.wait(DAY)
        self.assertEqual(self.listed()["waiting"], {"documents": 0, "urls": 0})
        self.assertEqual(self.daemon.all("read", why="owed"), [])
        self.assertEqual(self.daemon.all("failed", why="owed"), [])


class ByCrawl(Owed):
    def crawl_once(self):
        self.clock.advance(DAY)
        return self.crawl(self.server.url("/"), status=(0, 1, 4))

    def test_it_says_what_waits(self):
        self.crawl_once()
        self.urls("/a.xml", self.pages("a", 4))
        self.index("/a.xml")
        crawl = self.crawl_once()
        self.assertEqual(crawl.summary["waiting"], {"documents": 2, "urls": 16 + 20})
        self.assertEqual(crawl.summary["urls"]["listed"], 40)
        crawl = self.crawl_once()
        self.assertEqual(crawl.summary["waiting"], {"documents": 0, "urls": 0})
        self.assertEqual(crawl.summary["urls"]["listed"], 4)
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))

    def test_for_people(self):
        self.crawl_once()
        self.urls("/a.xml", self.pages("a", 19))
        self.clock.advance(DAY)
        result = self.program.run("crawl", "--progress", "off", self.server.url("/"))
        self.assertIn("\nwaiting for a second reading: 1 sitemap, 1 URL\n", result.out)
        self.clock.advance(DAY)
        result = self.program.run("crawl", "--progress", "off", self.server.url("/"))
        self.assertNotIn("waiting", result.out)


if __name__ == "__main__":
    unittest.main()
