"""What a site lists after it was reorganised: every command gives the same
number (SPEC 15.3)."""
import sqlite3
import unittest

from case import index, urlset
from clock import DAY
from daemon import Daemon
from test_clock import Clocked


class Reorganised(Clocked):
    """A site whose index lists two sitemaps of 20 pages; it is crawled each
    day."""

    each_alone = True

    def setUp(self):
        super().setUp()
        self.clock.leap()
        self.new = self.gone = self.returned = 0
        self.days = 0
        self.robots("/index.xml")
        self.index("/index.xml", "/a.xml", "/b.xml")
        self.urls("/a.xml", self.pages("a", 20))
        self.urls("/b.xml", self.pages("b", 20))

    def pages(self, name, count, first=0):
        return ["/%s/%02d" % (name, n) for n in range(first, first + count)]

    def robots(self, *paths):
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\n" + "".join(
            "Sitemap: %s\n" % self.server.url(path) for path in paths))

    def index(self, path, *children):
        self.server.put(path, index([self.server.url(child) for child in children]))

    def urls(self, path, pages):
        self.server.put(path, urlset([self.server.url(page) for page in pages]))

    def target(self):
        return self.server.url("/")

    def crawl_days(self, count=1, status=(0, 1, 4)):
        for _ in range(count):
            crawl = self.crawl(self.target(), status=status)
            urls = crawl.summary["urls"]
            if self.days > 0:
                self.new += urls["added"]
                self.gone += urls["gone"]
                self.returned += urls["returned"]
            else:
                self.first = urls["listed"]
                self.assertEqual(urls["added"], 0, str(crawl))
            self.days += 1
            self.last = crawl
            self.clock.advance(DAY)

    def crawl_once(self):
        self.crawl_days(1)

    def listed(self):
        """Returns what the last reading of the site reported."""
        return self.last.summary["urls"]["listed"]

    def codes(self):
        return self.last.codes()

    def assertLists(self, pages, new, gone):
        """Assert that all commands give that number, and that the changes sum
        up to it."""
        expected = sorted(self.server.url(page) for page in pages)
        self.assertEqual(self.listed(), len(expected))
        self.assertEqual(sorted(self.program.urls()), expected)
        result = self.program.run("export")
        self.assertEqual(sorted(line.split("\t")[0].split(",")[0]
                                for line in result.out.splitlines()
                                if line.startswith("http")), expected)
        shown = self.program.run("stats", "127.0.0.1", "--json").records()[-1]
        self.assertEqual(shown["listed"], len(expected), shown)
        result = self.program.run("sql", "--json",
                                  "SELECT listed FROM site")
        self.assertEqual(result.records()[0]["listed"], len(expected), str(result))
        self.assertEqual((self.new, self.gone), (new, gone))
        self.assertEqual(self.first + self.new - self.gone, len(expected))
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))

    A = property(lambda self: self.pages("a", 20))
    B = property(lambda self: self.pages("b", 20))


class Children(Reorganised):
    def setUp(self):
        super().setUp()
        self.crawl_days(2)

    def test_as_it_was(self):
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 0, 0)

    def test_dropped_and_there(self):
        self.index("/index.xml", "/a.xml")
        self.crawl_days(3)
        self.assertLists(self.A, 0, 20)

    def test_dropped_and_404(self):
        self.index("/index.xml", "/a.xml")
        self.server.drop("/b.xml")
        self.crawl_days(3)
        self.assertLists(self.A, 0, 20)

    def test_dropped_and_410(self):
        self.index("/index.xml", "/a.xml")
        self.server.put("/b.xml", "", status=410)
        self.crawl_days(3)
        self.assertLists(self.A, 0, 20)

    def test_dropped_once(self):
        self.index("/index.xml", "/a.xml")
        self.crawl_once()
        self.assertEqual(self.listed(), 40)
        self.index("/index.xml", "/a.xml", "/b.xml")
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 0, 0)

    def test_dropped_and_back(self):
        self.index("/index.xml", "/a.xml")
        self.crawl_days(3)
        self.index("/index.xml", "/a.xml", "/b.xml")
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 20, 20)

    def test_absent(self):
        """404 ends a document after a week, although its index lists it."""
        self.server.drop("/b.xml")
        self.crawl_days(7)
        self.assertEqual(self.listed(), 40)
        self.crawl_days(2)
        self.assertLists(self.A, 0, 20)
        self.urls("/b.xml", self.B)
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 20, 20)

    def test_failing(self):
        self.server.put("/b.xml", "", status=503)
        self.crawl_days(12)
        self.assertLists(self.A + self.B, 0, 0)

    def test_forbidden(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /b.xml\nSitemap: %s\n"
                        % self.server.url("/index.xml"))
        self.crawl_days(12)
        self.assertLists(self.A + self.B, 0, 0)

    def test_renamed(self):
        self.index("/index.xml", "/a.xml", "/c.xml")
        self.server.drop("/b.xml")
        self.urls("/c.xml", self.B)
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_split(self):
        self.index("/index.xml", "/a.xml", "/b1.xml", "/b2.xml")
        self.urls("/b1.xml", self.B[:10])
        self.urls("/b2.xml", self.B[10:])
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_joined(self):
        self.index("/index.xml", "/a.xml")
        self.urls("/a.xml", self.A + self.B)
        self.server.drop("/b.xml")
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_pages_go_over(self):
        self.urls("/a.xml", self.A + self.B[:15])
        self.urls("/b.xml", self.B[15:])
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_listed_by_two(self):
        self.robots("/index.xml", "/other.xml")
        self.index("/other.xml", "/b.xml", "/c.xml")
        self.urls("/c.xml", self.pages("c", 5))
        self.crawl_days(2)
        self.index("/index.xml", "/a.xml")
        self.crawl_days(3)
        self.assertLists(self.A + self.B + self.pages("c", 5), 5, 0)
        self.index("/other.xml", "/c.xml")
        self.crawl_days(3)
        self.assertLists(self.A + self.pages("c", 5), 5, 20)

    def test_moved_between_indexes(self):
        self.robots("/index.xml", "/other.xml")
        self.index("/other.xml", "/b.xml")
        self.crawl_days(1)
        self.index("/index.xml", "/a.xml")
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_cut(self):
        """A document that ends in the middle removes nothing."""
        whole = urlset([self.server.url(page) for page in self.B])
        self.server.put("/b.xml", whole[:len(whole) // 2])
        self.crawl_days(5)
        self.assertLists(self.A + self.B, 0, 0)

    def test_empty(self):
        self.urls("/b.xml", [])
        self.crawl_days(4)
        self.assertLists(self.A, 0, 20)

    def test_mass_drop_by_accident(self):
        self.urls("/b.xml", self.B[:4])
        self.crawl_once()
        self.assertEqual(self.listed(), 40)
        self.urls("/b.xml", self.B)
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 0, 0)

    def test_mass_drop(self):
        """The second reading confirms that the pages are gone."""
        self.urls("/b.xml", self.B[:4])
        self.crawl_days(2)
        self.assertLists(self.A + self.B[:4], 0, 16)

    def test_redirected_child(self):
        self.server.redirect("/b.xml", self.server.url("/new/b.xml"), 301)
        self.server.put("/new/b.xml", urlset([self.server.url(page) for page in self.B]))
        self.index("/index.xml", "/a.xml", "/b.xml", "/new/b.xml")
        self.robots("/index.xml", "/new/b.xml", "/b.xml")
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_new_child(self):
        self.index("/index.xml", "/a.xml", "/b.xml", "/c.xml")
        self.urls("/c.xml", self.pages("c", 7) + self.A[:3])
        self.crawl_days(2)
        self.assertLists(self.A + self.B + self.pages("c", 7), 7, 0)


class Indexes(Reorganised):
    def setUp(self):
        super().setUp()
        self.crawl_days(2)

    def test_replaced(self):
        """robots.txt names another index."""
        self.robots("/new.xml")
        self.index("/new.xml", "/c.xml")
        self.urls("/c.xml", self.A[:10] + self.pages("c", 10))
        self.crawl_days(4)
        self.assertLists(self.A[:10] + self.pages("c", 10), 10, 30)

    def test_redirected(self):
        self.server.redirect("/index.xml", self.server.url("/new.xml"), 301)
        self.robots("/index.xml", "/new.xml")
        self.index("/new.xml", "/a.xml", "/b.xml")
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)

    def test_becomes_urlset_and_back(self):
        self.urls("/index.xml", self.A)
        self.crawl_days(4)
        self.assertLists(self.A, 0, 20)
        self.index("/index.xml", "/a.xml", "/b.xml")
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 20, 20)

    def test_line_lost(self):
        """robots.txt names no sitemap any more: nothing changes, and a finding
        says so."""
        self.robots()
        self.crawl_days(5)
        self.assertLists(self.A + self.B, 0, 0)
        self.assertIn("sitemap-line-lost", self.codes())
        self.robots("/index.xml")
        self.crawl_days(2)
        self.assertLists(self.A + self.B, 0, 0)

    def test_line_gained(self):
        self.robots("/index.xml", "/more.xml")
        self.urls("/more.xml", self.A[:5] + self.pages("m", 5))
        self.crawl_days(3)
        self.assertLists(self.A + self.B + self.pages("m", 5), 5, 0)

    def test_line_moved(self):
        """robots.txt names another index, which cannot be read yet."""
        self.robots("/new.xml")
        self.server.put("/new.xml", "", status=503)
        self.crawl_days(4)
        self.assertLists(self.A + self.B, 0, 0)
        self.index("/new.xml", "/a.xml")
        self.crawl_days(2)
        self.assertLists(self.A, 0, 20)

    def test_robots_fails(self):
        self.server.put("/robots.txt", "", status=503)
        self.crawl_days(5)
        self.assertLists(self.A + self.B, 0, 0)

    def test_robots_goes(self):
        self.server.drop("/robots.txt")
        self.crawl_days(5)
        self.assertLists(self.A + self.B, 0, 0)


class ByRun:
    """The same site, read by a daemon every six hours."""

    daemon = None

    def crawl_days(self, count=1):
        if self.daemon is None:
            result = self.program.run("add", "--every", "6h", self.target())
            self.assertEqual(result.status, 0, str(result))
            self.daemon = Daemon(self.program)
            self.daemon.wait("crawled", site="127.0.0.1")
            self.first = self.listed()
        self.wait(count * DAY)
        store = sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True)
        self.new, self.gone = store.execute(
            "SELECT coalesce(sum(site_new), 0), coalesce(sum(site_gone), 0) FROM reading"
        ).fetchone()
        store.close()

    def wait(self, seconds):
        until = self.clock.now() + seconds
        self.clock.leap(until=until, stride=1800)
        self.clock.wait_until(until)
        if self.daemon is not None:
            self.clock.settle()

    def crawl_once(self):
        """Crawl until a reading leaves something open: the next one comes
        within the hour."""
        for _ in range(60):
            self.wait(600)
            site, = self.program.run("list", "--json").records()
            if site["waiting"]["documents"] > 0:
                return
        self.fail("nothing is open")

    def listed(self):
        site, = self.program.run("list", "--json").records()
        return site["urls"]

    def codes(self):
        result = self.program.run("sql", "--json", "SELECT code FROM finding")
        return [row["code"] for row in result.records()]

    def tearDown(self):
        if self.daemon is not None:
            self.daemon.end()
        super().tearDown()


class ChildrenByRun(ByRun, Children):
    pass


class IndexesByRun(ByRun, Indexes):
    pass


if __name__ == "__main__":
    unittest.main()
