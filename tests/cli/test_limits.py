"""How much a crawl may use of a site, and of the disk (HOSTILE T10, T18,
T29)."""
import unittest

from case import Case, index, urlset


class Limits(Case):
    def setUp(self):
        super().setUp()
        self.server = self.fill(self.site(), 6)

    @staticmethod
    def fill(site, count):
        site.put("/index.xml", index([site.url("/s%d.xml" % n) for n in range(count)]))
        for n in range(count):
            site.put("/s%d.xml" % n, urlset([site.url("/%d/%d" % (n, k)) for k in range(10)]))
        return site

    def asked(self, site=None):
        return [t for t in (site or self.server).targets() if t.startswith("/s")]

    def rows(self, table):
        return int(self.program.run("sql", "-f", "csv", "SELECT count(*) FROM " + table)
                   .out.splitlines()[-1])

    def test_children(self):
        """Children beyond the limit are not requested, and get no row."""
        crawl = self.crawl("--max-children", "4", self.server.url("/index.xml"), status=3)
        self.assertEqual(len(self.asked()), 4)
        self.assertEqual(crawl.codes()["budget-reached"], 2)
        self.assertEqual(self.rows("document"), 2 + 4)  # robots.txt is one
        # as many as there may be: nothing is lost
        self.crawl("--max-children", "6", "--force", self.server.url("/index.xml"))
        self.crawl("--max-children", "6", "--force", self.server.url("/index.xml"))
        self.assertEqual(len(self.program.urls()), 60)

    def test_children_of_one_site(self):
        other = self.fill(self.site(address="127.0.0.2"), 6)
        config = self.program.folder + "/conf"
        with open(config, "w", encoding="ascii") as f:
            f.write("[defaults]\nmax-children = 5\n[site 127.0.0.2]\nmax-children = 2\n")
        self.crawl("--config", config, self.server.url("/index.xml"), other.url("/index.xml"),
                   status=3)
        self.assertEqual((len(self.asked()), len(self.asked(other))), (5, 2))

    def test_site_urls(self):
        """One site has reached its limit; another site is read on."""
        other = self.fill(self.site(address="127.0.0.2"), 2)
        crawl = self.crawl("--max-site-urls", "30", self.server.url("/index.xml"),
                           other.url("/index.xml"), status=3)
        self.assertLess(len(self.asked()), 6)
        self.assertEqual(len(self.asked(other)), 2)
        self.assertIn("the limit of URLs was reached", crawl.result.err)

    def test_store(self):
        """The store does not grow any more, and its content is kept."""
        url = self.server.url("/index.xml")
        self.crawl(url)
        self.server.forget()
        crawl = self.crawl("--max-store", "4K", "--force", url, status=3)
        self.assertEqual(self.server.targets(), [])
        self.assertIn("budget-reached", crawl.result.err)
        self.assertIn("the store has the size that it may have", crawl.result.err)
        self.assertEqual(len(self.program.urls()), 60)
        self.crawl("--max-store", "100M", "--force", url)

    def test_store_in_the_middle(self):
        self.server = self.fill(self.site(), 40)
        for n in range(40):
            self.server.put("/s%d.xml" % n, urlset(
                [self.server.url("/%d/%d/%x" % (n, k, k * 2654435761 % 2 ** 32))
                 for k in range(2000)]), delay=0.05)
        self.crawl("--max-store", "400K", self.server.url("/index.xml"), status=3)
        self.assertGreater(len(self.asked()), 1)
        self.assertLess(len(self.asked()), 40)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_free(self):
        """The crawl stops while there is still room."""
        crawl = self.crawl("--min-free", "1000TB", self.server.url("/index.xml"), status=7)
        self.assertIn("disk-full", crawl.result.err)
        self.crawl("--min-free", "0", self.server.url("/index.xml"))
        self.assertEqual(len(self.program.urls()), 60)

    def test_bad(self):
        for option, value in (("--max-children", "0"), ("--max-site-urls", "-1"),
                              ("--max-store", "0"), ("--min-free", "much"),
                              ("--isolate", "sites"), ("--reader-cpu", "0"),
                              ("--reader-memory", "0")):
            result = self.program.run("crawl", option, value, self.server.url("/index.xml"))
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(option[2:], result.err)
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    unittest.main()
