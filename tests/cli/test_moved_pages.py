"""Pages that move within their site: neither new nor gone (SPEC 15.28)."""
import time
import unittest

from case import index, urlset
from clock import DAY
from daemon import Daemon
from test_clock import HOUR, Clocked


class Moved(Clocked):
    """A site with a daily crawl, whose sitemaps have arbitrary entries."""

    FEW = ["/%d" % n for n in range(20)]
    BLOG = ["/blog/%02d" % n for n in range(12)] + ["/blog/2025/%02d" % n for n in range(4)]

    def setUp(self):
        super().setUp()
        self.clock.leap()
        self.days = 0
        self.begin = self.clock.now()
        self.list({"/a.xml": self.of("http://h.test", self.FEW + self.BLOG)})
        self.crawl_day()

    @staticmethod
    def of(origin, paths):
        return [origin + path for path in paths]

    def list(self, sitemaps):
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/index.xml"))
        # the dates of an index are no dates of pages
        self.server.put("/index.xml", index([(self.server.url(path), time.strftime(
            "%Y-%m-%d", time.gmtime(self.clock.now()))) for path in sitemaps]))
        for path, urls in sitemaps.items():
            self.server.put(path, urlset(urls))

    def crawl_day(self, count=1):
        for _ in range(count):
            crawl = self.crawl("--own", "domain:h.test", "--own", self.server.url("/"),
                               self.server.url("/"))
            self.assertEqual(crawl.summary["urls"]["refused"], 0)
            self.listed = crawl.summary["urls"]["listed"]
            self.days += 1
            self.clock.advance(DAY)

    def stats(self, *args):
        records = self.program.run("stats", "--json", "--last", "100d", *args,
                                   "127.0.0.1").records()
        return [r for r in records if r["type"] == "changes"], records[-1]

    def rows(self, *args, since="100d"):
        return self.program.export("--changes", "--since", since, *args)

    def moves(self, *args, **kwargs):
        return sorted((row["from"], row["loc"]) for row in self.rows(*args, **kwargs)
                      if row["kind"] == "moved")

    def assertSums(self, new, gone, moved, listed=None):
        """Assert the sums by day, section and sitemap, and those of the
        export."""
        for by in ("day", "hour", "week", "section", "sitemap"):
            rows, summary = self.stats("--by", by)
            for key, value in (("new", new), ("gone", gone), ("moved", moved)):
                self.assertEqual(summary[key], value, (by, key, summary))
                self.assertEqual(sum(row[key] for row in rows), value, (by, key, rows))
        kinds = [row["kind"] for row in self.rows()]
        self.assertEqual([kinds.count(kind) for kind in ("added", "gone", "moved")],
                         [new, gone, moved])
        self.assertEqual(self.listed, len(self.FEW + self.BLOG) + new - gone)
        self.assertEqual(self.listed, self.stats()[1]["listed"])
        self.assertEqual((self.stats()[1]["redated"], kinds.count("redated")), (0, 0))

    def day(self, n):
        return time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(self.begin + n * DAY))

    def test_nothing(self):
        self.crawl_day(2)
        self.assertSums(0, 0, 0)
        self.assertEqual(self.rows(), [])
        self.assertTrue(self.stats()[1]["compared"])

    def test_scheme(self):
        """All pages move from http to https; on the same day one page is new
        and one is gone."""
        self.list({"/a.xml": self.of("https://h.test", (self.FEW + self.BLOG)[1:] + ["/new"])})
        self.crawl_day(4)
        self.assertSums(1, 1, 35)
        rows, _ = self.stats()
        self.assertEqual([(row["at"], row["new"], row["gone"], row["moved"])
                          for row in rows if row["new"]], [(self.day(1), 1, 1, 35)])
        self.assertEqual(self.moves()[0], ("http://h.test/1", "https://h.test/1"))
        self.assertEqual([row["at"] for row in self.rows() if row["kind"] == "gone"],
                         [self.day(1)])
        # whoever looks each day is told at last, and once
        self.assertEqual(len(self.moves(since="84h")), 35)
        self.assertEqual(len(self.moves(since="60h")), 0)

    def test_www_and_back(self):
        for origin in ("http://www.h.test", "http://h.test"):
            self.list({"/a.xml": self.of(origin, self.FEW + self.BLOG)})
            self.crawl_day(5)
        self.assertSums(0, 0, 72)
        moves = self.moves()
        self.assertIn(("http://h.test/1", "http://www.h.test/1"), moves)
        self.assertIn(("http://www.h.test/1", "http://h.test/1"), moves)

    def test_prefix(self):
        insights = [path.replace("/blog", "/in/sights") for path in self.BLOG]
        self.list({"/a.xml": self.of("http://h.test", self.FEW + insights + ["/in/sights/x"])})
        self.crawl_day(4)
        self.assertSums(1, 0, 16)
        self.assertEqual(self.moves()[0],
                         ("http://h.test/blog/00", "http://h.test/in/sights/00"))
        lines = self.program.run("stats", "--last", "9d", "127.0.0.1").out.splitlines()
        self.assertRegex(lines[1], "^new .* 1   max 1 on ")
        self.assertRegex(lines[2], "^moved .* 16   max 16 on ")
        self.assertRegex(lines[3], "^removed .* 0$")

    def test_spelling(self):
        """All addresses end otherwise than before; later those of a folder have other letter
        case.  One event says it, in words that 'moved' knows."""
        html = [path + ".html" for path in self.FEW + self.BLOG]
        self.list({"/a.xml": self.of("http://h.test", html)})
        self.crawl_day(4)
        self.assertSums(0, 0, 36)
        # the same once more
        big = [path.replace("/blog", "/Blog").replace(".html", ".HTML") for path in html]
        self.list({"/a.xml": self.of("http://h.test", big + ["/blog/new"])})
        self.crawl_day(4)
        self.assertSums(1, 0, 72)
        told = self.program.run("diff", "--json", "--since", "100d", "127.0.0.1").records()
        self.assertEqual([r["text"] for r in told if r["type"] == "event"][1:],
                         ["36 pages moved from http://h.test/* to http://h.test/*.html",
                          "36 pages moved from http://h.test/*.html to http://h.test/*.HTML"])

    def test_section(self):
        """The move shows in both sections; a move to another host is a renamed
        prefix, too."""
        origin = self.server.url("")
        self.list({"/a.xml": self.of(origin, self.FEW + self.BLOG)})
        self.crawl_day(4)
        self.assertSums(0, 0, 36)
        insights = [path.replace("/blog", "/insights") for path in self.BLOG]
        self.list({"/a.xml": self.of(origin, self.FEW + insights)})
        self.crawl_day(2)
        self.assertSums(0, 0, 52)
        for section in ("/blog/", "/insights/"):
            self.assertEqual(len(self.moves(origin + section, since="60h")), 16)
        rows, _ = self.stats("--by", "section")
        self.assertEqual({row["section"]: row["moved"] for row in rows},
                         {"/": 20, "/blog": 16, "/insights": 16})
        # the pages of one document: its own changes
        self.assertEqual(self.moves(self.server.url("/a.xml")), [])

    def test_too_few(self):
        pages = self.FEW + self.BLOG[:-4] + [path.replace("/blog", "/b") for path in self.BLOG[-4:]]
        self.list({"/a.xml": self.of("http://h.test", pages)})
        self.crawl_day(4)
        self.assertSums(4, 4, 0)
        self.assertEqual(self.moves(), [])

    def test_other_document(self):
        """A sitemap is split, and joined again: the site has not changed."""
        pages = self.of("http://h.test", self.FEW + self.BLOG)
        self.list({"/b.xml": pages[:20], "/c.xml": pages[20:]})
        self.crawl_day(4)
        self.list({"/a.xml": pages[:30], "/c.xml": pages[30:]})
        self.crawl_day(4)
        self.assertSums(0, 0, 0)
        self.assertEqual(self.rows(), [])
        rows = self.rows("--by", "document")
        self.assertGreaterEqual(len([row for row in rows if row["kind"] == "added"]), 36)
        self.assertEqual({row["from"] for row in rows}, {None})
        change, = self.program.run("sql", "--json", "SELECT count(*) AS n, sum(elsewhere) AS other"
                                   " FROM change").records()
        self.assertEqual((change["n"], change["other"]), (len(rows), len(rows)))
        reading, = self.program.run("sql", "--json", "SELECT sum(added) AS added, sum(site_new) AS"
                                    " site_new, sum(site_gone) AS gone FROM reading").records()
        self.assertGreaterEqual(reading["added"], 36)
        self.assertEqual((reading["site_new"], reading["gone"]), (0, 0))

    def test_document_and_url(self):
        """The entries move to another sitemap and another scheme; the old
        sitemap is dropped."""
        self.list({"/b.xml": self.of("https://h.test", self.FEW + self.BLOG)})
        self.crawl_day(4)
        self.assertSums(0, 0, 36)
        self.assertEqual({row["at"][:10] for row in self.rows()}, {self.day(1)[:10]})

    def test_gone_with_its_document(self):
        pages = self.of("http://h.test", self.FEW + self.BLOG)
        self.list({"/a.xml": pages[:20], "/b.xml": pages[20:]})
        self.crawl_day(3)
        self.list({"/a.xml": pages[:20]})
        self.crawl_day(4)
        self.assertSums(0, 16, 0)
        self.assertEqual({row["at"][:10] for row in self.rows() if row["kind"] == "gone"},
                         {self.day(4)[:10]})


class ByRun(Clocked):
    """Without --since: the last day of a watched site, or the latest crawl of
    another site."""

    def test_last_day(self):
        self.clock.leap()
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/a.xml"))
        self.put(5)
        self.assertEqual(self.program.run("add", "--every", "6h", self.server.url("/")).status, 0)
        daemon = Daemon(self.program)
        daemon.wait("crawled", site="127.0.0.1")
        self.pass_time(DAY)
        self.assertEqual(self.changed(), [])
        self.put(7)
        self.pass_time(7 * HOUR)
        self.assertEqual(self.changed(), ["added", "added"])
        self.put(8)
        self.pass_time(7 * HOUR)
        self.assertEqual(self.changed(), ["added"] * 3)
        self.pass_time(2 * DAY)
        self.assertEqual(self.changed(), [])
        daemon.end()

    def test_moved(self):
        self.clock.leap()
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/a.xml"))
        self.put(9, "/blog")
        self.assertEqual(self.program.run("add", "--every", "6h", self.server.url("/")).status, 0)
        daemon = Daemon(self.program)
        daemon.wait("crawled", site="127.0.0.1")
        self.pass_time(2 * DAY)
        self.put(10, "/insights")
        self.pass_time(20 * HOUR)
        self.assertEqual(sorted(self.changed()), ["added"] + ["moved"] * 9)
        self.pass_time(2 * DAY)
        rows = self.program.run("stats", "--json", "127.0.0.1").records()
        self.assertEqual({(row["new"], row["gone"], row["moved"]) for row in rows
                          if row["type"] == "changes"}, {(0, 0, 0), (1, 0, 9)})
        daemon.end()

    def put(self, count, folder=""):
        self.server.put("/a.xml", urlset([self.server.url("%s/%d" % (folder, n))
                                          for n in range(count)]))

    def pass_time(self, seconds):
        until = self.clock.now() + seconds
        self.clock.leap(until=until, stride=600)
        self.clock.wait_until(until)

    def changed(self):
        return [row["kind"] for row in self.program.export("--changes")]


if __name__ == "__main__":
    unittest.main()
