"""TARGETs: typed and from lists, hosts, documents and sections; and the
messages about a site that could not be read completely."""
import os
import unittest

from case import Case, urlset
from late import assert_sooner


class Lists(Case):
    """A bad line of a list is reported with its place, and is lost alone."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/sitemap.xml", urlset([self.server.url("/a")]))
        self.list = os.path.join(self.program.folder, "list")
        with open(self.list, "w", encoding="utf-8") as f:
            f.write("# sites\n\n%s # the first\nexa mple\n" % self.server.url("/sitemap.xml"))
        self.said = "freshet: %s:4: 'exa mple' is neither a host nor a URL\n" % self.list

    def test_crawl(self):
        result = self.program.run("crawl", "--progress", "off", "--json", "-i", self.list)
        self.assertEqual((result.status, result.err), (1, self.said), str(result))
        self.assertEqual(self.program.run("ls").out, self.server.url("/a\n"))

    def test_robots(self):
        result = self.program.run("robots", "-i", self.list)
        self.assertEqual((result.status, result.err), (1, self.said), str(result))
        self.assertIn("  yes      %s\n" % self.server.url("/sitemap.xml"), result.out)

    def test_ls(self):
        self.crawl(self.server.url("/sitemap.xml"))
        result = self.program.run("ls", "-i", self.list)
        self.assertEqual((result.status, result.out, result.err),
                         (1, self.server.url("/a\n"), self.said))

    def test_only_bad_lines(self):
        self.crawl(self.server.url("/sitemap.xml"))
        for command in ("crawl", "robots", "ls"):
            result = self.program.run(command, "-", input="\nexa mple\n")
            self.assertEqual((result.status, result.out, result.err),
                             (4, "", "freshet: -:2: 'exa mple' is neither a host nor a URL\n"))

    def test_a_fragment_is_no_comment(self):
        result = self.program.run("robots", "--json", "-",
                                  input=self.server.url("/a#b c\n").replace(" c", ""))
        self.assertEqual([r["url"] for r in result.records()], [self.server.url("/a")])

    def test_typed(self):
        """Typed targets are checked before any request is made."""
        for command in ("crawl", "robots", "ls"):
            for bad in ("", "exa mple"):
                result = self.program.run(command, bad, self.server.url("/sitemap.xml"))
                self.assertEqual(
                    (result.status, result.out, result.err),
                    (2, "", "freshet: '%s' is neither a host nor a URL\n" % bad))
        self.assertEqual(self.server.requests, [])
        result = self.program.run("crawl", self.list)
        self.assertEqual(result.err,
                         "freshet: '%s' is a file, not a host or a URL\n" % self.list)


class Sections(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.place = self.server.url("").split("://")[1]
        self.server.put("/sitemap.xml", urlset([self.server.url(p) for p in
                                                ("/blog/a", "/blog/b", "/blogs", "/tea/c")]))
        self.crawl(self.server.url("/sitemap.xml"))

    def test_without_a_scheme(self):
        """https is tried first, then http."""
        wanted = self.server.url("/blog/a\n") + self.server.url("/blog/b\n")
        for target in (self.place + "/blog/", self.server.url("/blog/")):
            self.assertEqual(self.program.run("ls", target).out, wanted)
            self.assertEqual(self.program.run("export", "-f", "urls", target).out, wanted)
        result = self.program.run("ls", self.place + "/sitemap.xml")
        self.assertEqual((result.status, len(result.out.split())), (0, 4), str(result))

    def test_nothing_in_it(self):
        for command in (("ls",), ("export",), ("export", "-f", "sitemap"),
                        ("export", "--changes")):
            for target in (self.place + "/blo/", self.server.url("/blo/")):
                result = self.program.run(*command, target)
                self.assertEqual((result.status, result.out), (4, ""), str(result))
                self.assertIn("nothing in the store begins with 'http", result.err)
        result = self.program.run("ls", self.server.url("/blo/"), self.server.url("/tea/"))
        self.assertEqual((result.status, result.out), (1, self.server.url("/tea/c\n")))

    def test_what_was_removed_is_known(self):
        """The section exists, but has nothing to print."""
        self.server.put("/sitemap.xml", urlset([self.server.url("/tea/c")]))
        self.crawl(self.server.url("/sitemap.xml"))
        self.assertEqual(self.program.run("ls", self.server.url("/blog/")).status, 0)
        result = self.program.run("export", "--changes", "--columns", "kind",
                                  self.server.url("/blog/"))
        self.assertEqual((result.status, result.out), (0, "kind\nremoved\nremoved\n"))


class Troubles(Case):
    def test_partial(self):
        server = self.site()
        url = server.url("/sitemap.xml")
        server.put("/sitemap.xml", urlset([server.url("/a"), server.url("/b")])[:-20])
        self.crawl(url, status=1)
        self.assertIn("%s  urlset, 1 URL, partial\n" % url, self.program.run("ls", "--tree").out)
        self.assertRegex(self.program.run("ls", "--sitemaps", "-l").out, r"  partial  .*%s\n" % url)

    def test_no_robots(self):
        server = self.site()
        url = server.url("/robots.txt")
        server.put("/robots.txt", "", status=503)
        self.crawl("--retry", "0", server.url("/"), status=4)
        self.assertEqual(self.program.run("ls", "--tree").out,
                         "127.0.0.1\n  %s  robots-unreachable (status 503)\n" % url)
        self.assertRegex(self.program.run("ls", "--sitemaps", "-l").out,
                         r"\nrobots .*  robots-unreachable  .*  %s\n" % url)
        record, = self.program.run("ls", "--sitemaps", "--json").records()
        self.assertEqual((record["kind"], record["failure"], record["status"]),
                         ("robots", "robots-unreachable", 503))
        # it is no sitemap
        self.assertEqual(self.program.run("ls", "--sitemaps").out, "")

    def test_lost_robots(self):
        """A robots.txt that could not be read is counted, and makes the status, also if what it
        said before holds."""
        server = self.site()
        server.put("/robots.txt", "User-agent: *\nSitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url("/a")]))
        self.crawl(server.url("/"))
        server.put("/robots.txt", "<!DOCTYPE html><html><body>Welcome!</body></html>")
        crawl = self.program.run("crawl", "--force", server.url("/"))
        self.assertEqual(crawl.status, 1)
        self.assertRegex(crawl.out, r"(?s)^2 documents of 1 site.*1 read   1 failed .*1 document could not be read:"
                         ".*what it said before holds; now: a web page")

    def test_http_after_https(self):
        server = self.site()
        server.put("/sitemap.xml", urlset(["http://shop.example/a"]))
        with self.site() as nobody:
            port = nobody.port
        result = self.program.run(
            "crawl", "--progress", "off", "--retry", "0", "--delay", "0",
            "--connect-to", "shop.example:443:127.0.0.1:%d" % port,
            "--connect-to", "shop.example:80:127.0.0.1:%d" % server.port, "shop.example")
        self.assertEqual(result.status, 0, str(result))
        self.assertRegex(result.err, r"^freshet: https://shop.example/robots.txt: "
                         r".*; going on with http\n$")


class ReaderGone(Case):
    """A reader of the output that went away is not reported as a fault of the
    disk."""

    def test_reader_gone(self):
        server = self.site()
        server.put("/sitemap.xml", urlset([server.url("/a")]))
        out, into = os.pipe()
        os.close(out)
        try:
            result = self.program.run("crawl", "--json", "--progress", "off",
                                      server.url("/sitemap.xml"), stdout=into)
        finally:
            os.close(into)
        self.assertEqual(result.status, 0, str(result))

    def test_demo_on_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            result = self.program.run("demo", stdout=full)
        self.assertEqual(result.status, 7, str(result))
        self.assertIn("cannot write to stdout: No space left on device", result.err)
        assert_sooner(result.seconds, 10)


class Typed(Case):
    """A typed option is stronger than any other source."""

    def test_format(self):
        server = self.site()
        server.put("/sitemap.xml", urlset([server.url("/a")]))
        self.crawl(server.url("/sitemap.xml"))
        path = os.path.join(self.program.folder, "json.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\njson = yes\n")
        for words, first in ((("export", "-f", "csv"), "loc,"), (("export",), "{"),
                             (("sql", "-f", "csv", "SELECT 1 AS x"), "x"),
                             (("sql", "SELECT 1 AS x"), "{"),
                             (("ls", "--tree"), "127.0.0.1\n"), (("ls",), "{")):
            with self.subTest(words=words):
                result = self.program.run(*words, env={"FRESHET_CONFIG": path})
                self.assertEqual((result.status, result.err), (0, ""), str(result))
                self.assertEqual(result.out[:len(first)], first)


if __name__ == "__main__":
    unittest.main()
