"""export --changes: what the latest crawl of each site changed, or all changes
since a time."""
import time
import unittest

from case import Case, index, urlset
from clock import DAY
from test_clock import HOUR, Clocked


class Changes(Case):
    def site_of(self, address, names):
        site = self.site(address=address)
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/index.xml"))
        self.list(site, names)
        for name in names:
            site.put("/%s.xml" % name, urlset([site.url("/%s/%d" % (name, n)) for n in (1, 2)]),
                     etag='"%s"' % name)
        return site

    def list(self, site, names):
        site.put("/index.xml", index([site.url("/%s.xml" % n) for n in names]))

    def changes(self, *args):
        return sorted((row["kind"], row["loc"]) for row in self.program.export("--changes", *args))

    def test_latest_crawl_only(self):
        a = self.site_of("127.0.0.1", ["x", "y"])
        b = self.site_of("127.0.0.2", ["z"])
        self.crawl(a.url("/"), b.url("/"))
        # what a site has when it is first read is no change
        self.assertEqual(self.changes(), [])
        b.put("/z.xml", urlset([b.url("/z/%d" % n) for n in (1, 2, 3)]))
        self.crawl(a.url("/"), b.url("/"))
        # nothing is new at a; b was not asked since
        self.crawl("--delay", "0", a.url("/"))
        self.assertEqual(self.changes(), [("added", b.url("/z/3"))])
        self.assertEqual(self.changes("127.0.0.1"), [])
        self.crawl("--delay", "0", b.url("/"))
        self.assertEqual(self.changes(), [])

    def test_a_sitemap_that_no_index_lists_any_more(self):
        """Entries of a sitemap that the latest crawl did not read are not added
        by this crawl."""
        a = self.site_of("127.0.0.1", ["x", "y"])
        self.crawl(a.url("/"))
        self.list(a, ["x"])
        a.put("/x.xml", urlset([a.url("/x/1"), a.url("/x/3")]))
        self.crawl(a.url("/"))
        self.assertEqual(self.changes(), [("added", a.url("/x/3")), ("removed", a.url("/x/2"))])
        # it is kept, and marked
        tree = self.program.run("ls", "--tree").out
        self.assertIn("/y.xml  urlset, 2 URLs, unlisted", tree)
        self.assertIn("/x.xml  urlset, 2 URLs\n", tree)
        rows = self.program.run("ls", "--sitemaps", "--json").records()
        self.assertEqual([r["url"] for r in rows if r["unlisted"]], [a.url("/y.xml")])

    def test_children_are_no_pages(self):
        """Changes among the sitemaps of an index are no changes of the site."""
        a = self.site_of("127.0.0.1", ["x", "y"])
        for day in (1, 2):
            a.put("/index.xml", index([(a.url("/%s.xml" % n), "2026-01-0%d" % day)
                                       for n in ("x", "y")]))
            self.crawl(a.url("/"))
        self.assertEqual(self.changes(), [])
        self.assertEqual(self.changes("--indexes"),
                         [("redated", a.url("/x.xml")), ("redated", a.url("/y.xml"))])

    def test_columns_of_fractional_dates(self):
        a = self.site_of("127.0.0.1", ["x"])
        a.put("/x.xml", urlset([(a.url("/x/1"), "2024-01-03T09:42:07.997Z")]))
        self.crawl(a.url("/"))
        lines = self.program.run("ls", "--sitemaps", "-l").out.splitlines()
        row, = [line for line in lines if line.endswith("/x.xml")]
        self.assertIn("  2024-01-03T09:42:07Z  ", row)
        self.assertEqual(row.index("read"), lines[0].index("STATUS"))


class Since(Clocked):
    """--since: the changes of all readings from that time on."""

    def setUp(self):
        super().setUp()
        self.begin = self.clock.now()
        put = self.server.put
        self.url = self.server.url
        put("/robots.txt", "Sitemap: %s\n" % self.url("/index.xml"))
        put("/index.xml", index([self.url("/x.xml"), self.url("/y.xml")]))
        put("/y.xml", urlset([self.url("/y/1")]), etag='"y"')
        for pages in ([("/x/1", "2025-01-01"), ("/x/2", "2025-01-01")],
                      [("/x/1", "2025-02-02"), ("/x/2", "2025-01-01"), ("/x/3", None)],
                      [("/x/1", "2025-02-02"), ("/x/3", None)]):
            put("/x.xml", urlset([(self.url(path), date) for path, date in pages]))
            self.crawl(self.url("/"))
            self.clock.advance(DAY)

    def since(self, when, *args):
        rows = self.program.export("--changes", "--since", when, *args)
        return [(row["kind"], row["loc"][len(self.url("")):], row["before"], row["after"])
                for row in rows]

    THIRD = [("removed", "/x/2", "2025-01-01", None)]
    SECOND = [("redated", "/x/1", "2025-01-01", "2025-02-02"), ("added", "/x/3", None, None)]
    def test_how_far_back(self):
        """The oldest reading comes first. The first reading of all has no
        changes."""
        self.assertEqual(self.since("36h"), self.THIRD)
        self.assertEqual(self.since("60h"), self.SECOND + self.THIRD)
        self.assertEqual(self.since("7d"), self.SECOND + self.THIRD)
        self.assertEqual(self.since("2025"), self.since("7d"))
        second = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(self.begin + DAY - HOUR))
        self.assertEqual(self.since(second), self.SECOND + self.THIRD)
        self.assertEqual(self.since("1h"), [])
        # the latest crawl of all is another thing: nothing changed at y
        self.assertEqual([row["kind"] for row in self.program.export("--changes")], ["removed"])

    def test_as_sql_has_it(self):
        when = time.strftime("%Y-%m-%d", time.gmtime(self.begin + DAY))
        rows = self.program.run("sql", "--json", "SELECT document, reading, at, kind, loc, before,"
                                " after, refused, NULL AS \"from\" FROM change WHERE at >= '%s' ORDER BY reading, loc" % when)
        export = self.program.run("export", "--changes", "--since", when, "--json").records()
        export.sort(key=lambda row: (row["reading"], row["loc"]))
        self.assertEqual([{k: v for k, v in row.items() if k != "v"} for row in export],
                         [{k: v for k, v in row.items() if k != "v"} for row in rows.records()])
        self.assertEqual(len(export), 3)

    def test_formats(self):
        def lines(*args):
            result = self.program.run("export", "--changes", "--since", "36h", *args)
            self.assertEqual(result.status, 0, str(result))
            return result.out.splitlines()
        self.assertEqual(lines("-f", "urls"), [self.url("/x/2")])
        self.assertEqual(lines("--columns", "kind,loc"), ["kind,loc", "removed," + self.url("/x/2")])
        self.assertEqual(lines("-f", "tsv", "--columns", "kind,loc"),
                         ["kind\tloc", "removed\t" + self.url("/x/2")])
        self.assertEqual(len(lines("-f", "jsonl")), 1)

    def test_of_some(self):
        self.assertEqual(self.since("7d", self.url("/y.xml")), [])
        self.assertEqual(self.since("7d", self.url("/x.xml")), self.SECOND + self.THIRD)
        self.assertEqual(self.since("7d", self.url("/x/")), self.SECOND + self.THIRD)
        self.server.put("/index.xml", index([self.url("/x.xml"), self.url("/z.xml")]))
        self.crawl(self.url("/"), status=(0, 1))
        self.assertEqual([row[:2] for row in self.since("1h", "--indexes")],
                         [("removed", "/y.xml"), ("added", "/z.xml"), ("gone", "/x/2")])
        # a folder in which nothing changed is one all the same
        for args in (("--since", "36h"), ()):
            result = self.program.run("export", "--changes", *args, self.url("/y/"))
            self.assertEqual((result.status, result.err), (0, ""), str(result))
        self.assertEqual(self.program.run("export", "--changes", "--since", "7d",
                                          self.url("/z/")).status, 4)

    def test_usage(self):
        result = self.program.run("export", "--since", "7d")
        self.assertEqual((result.status, result.err),
                         (2, "freshet: '--since' needs '--changes'\n"))
        self.assertEqual(self.program.run("export", "--changes", "--since", "soon").status, 2)

    def test_readings_that_are_forgotten(self):
        self.assertEqual(self.program.run("db", "prune", "--older", "36h").status, 0)
        self.assertEqual([row for row in self.since("7d") if row[0] != "added"], self.THIRD)


if __name__ == "__main__":
    unittest.main()
