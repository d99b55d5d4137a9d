"""export --changes: what the latest crawl of each site changed."""
import unittest

from case import Case, index, urlset


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
        self.assertEqual(len(self.changes()), 6)
        # nothing is new at a; b was not asked since
        self.crawl("--delay", "0", a.url("/"))
        self.assertEqual(self.changes(), [("added", b.url("/z/1")), ("added", b.url("/z/2"))])
        self.assertEqual(self.changes("127.0.0.1"), [])

    def test_a_sitemap_that_no_index_lists_any_more(self):
        """What the latest crawl did not meet, it did not add."""
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

    def test_columns_of_fractional_dates(self):
        a = self.site_of("127.0.0.1", ["x"])
        a.put("/x.xml", urlset([(a.url("/x/1"), "2024-01-03T09:42:07.997Z")]))
        self.crawl(a.url("/"))
        lines = self.program.run("ls", "--sitemaps", "-l").out.splitlines()
        row, = [line for line in lines if line.endswith("/x.xml")]
        self.assertIn("  2024-01-03T09:42:07Z  ", row)
        self.assertEqual(row.index("read"), lines[0].index("STATUS"))


if __name__ == "__main__":
    unittest.main()
