"""What documents may look like (SPEC sections 2, 7)."""
import unittest

from case import Case, gz, urlset


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()

    def read(self, body, path="/sitemap.xml", kind="urlset", args=(), **kwargs):
        self.server.put(path, body, **kwargs)
        crawl = self.crawl(*args, self.server.url(path))
        record = crawl.document(self.server.url(path))
        self.assertEqual((record["outcome"], record["kind"], record["complete"]),
                         ("read", kind, True), str(crawl))
        return crawl.codes(self.server.url(path))

    def listed(self):
        return {row["loc"][len(self.server.origin):]: row["lastmod"]
                for row in self.program.export()}

    def pages(self, *names):
        return urlset([self.server.url(n) for n in names])

    def test_text_list(self):
        """R-19"""
        self.read("%s\r\n\r\n %s \n" % (self.server.url("/a"), self.server.url("/b")),
                  "/sitemap.txt", "text")
        self.assertEqual(self.listed(), {"/a": None, "/b": None})

    def test_rss(self):
        """R-20"""
        self.read("""<?xml version="1.0"?>
<rss version="2.0"><channel><title>t</title><link>%(o)s/</link>
<item><title>x</title><link>%(o)s/a</link><pubDate>Thu, 01 Jan 2026 10:00:00 GMT</pubDate></item>
<item><guid>%(o)s/b</guid></item>
<item><guid isPermaLink="false">%(o)s/c</guid></item>
</channel></rss>""" % {"o": self.server.origin}, "/feed", "rss")
        self.assertEqual(self.listed(), {"/a": "2026-01-01T10:00:00Z", "/b": None})

    def test_atom(self):
        """R-21"""
        self.read("""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><link href="%(o)s/"/>
<entry><link rel="self" href="%(o)s/no"/><link href="/rel/a"/>
<updated>2026-01-01T12:00:00+02:00</updated></entry>
<entry><link rel="alternate" href="%(o)s/b"/></entry></feed>""" % {"o": self.server.origin},
                  "/feed.atom", "atom")
        self.assertEqual(self.listed(), {"/rel/a": "2026-01-01T10:00:00Z", "/b": None})

    def test_plain_gzip(self):
        self.read(gz(self.pages("/a", "/b")), "/sitemap.xml.gz")
        self.assertEqual(set(self.listed()), {"/a", "/b"})

    def test_gzip_members(self):
        """R-83"""
        body = self.pages("/a", "/b").encode()
        codes = self.read(gz(body[:50]) + gz(b"") + gz(body[50:]), "/sitemap.xml.gz")
        self.assertIn("gzip-multimember", codes)
        self.assertEqual(set(self.listed()), {"/a", "/b"})

    def test_gzip_in_transit_too(self):
        """R-81"""
        codes = self.read(gz(gz(self.pages("/a"))), "/sitemap.xml.gz",
                          headers=[("Content-Encoding", "gzip")])
        self.assertIn("gzip-double", codes)
        self.assertEqual(set(self.listed()), {"/a"})

    def test_gzip_in_transit(self):
        self.read(gz(self.pages("/a")), headers=[("Content-Encoding", "gzip")])
        self.assertEqual(set(self.listed()), {"/a"})

    def test_gzip_undeclared(self):
        """R-80, R-84"""
        self.assertIn("gzip-undeclared", self.read(gz(self.pages("/a"))))

    def test_no_gzip_under_gz(self):
        self.assertIn("gz-extension-not-gzip", self.read(self.pages("/a"), "/sitemap.xml.gz"))

    def test_gzip_announced_only(self):
        """R-85"""
        self.assertIn("content-encoding-mismatch",
                      self.read(self.pages("/a"), headers=[("Content-Encoding", "gzip")]))

    def test_deflate(self):
        """R-79: zlib and raw form"""
        import zlib
        text = self.pages("/a").encode()
        raw = zlib.compressobj(wbits=-15)
        for body in (zlib.compress(text), raw.compress(text) + raw.flush()):
            self.read(body, args=["--force"], headers=[("Content-Encoding", "deflate")])
            self.assertEqual(set(self.listed()), {"/a"})

    def test_trailing_garbage(self):
        self.assertIn("gzip-trailing-garbage",
                      self.read(gz(self.pages("/a")) + b"garbage", "/sitemap.xml.gz"))

    def test_trailing_zeros(self):
        self.assertNotIn("gzip-trailing-garbage",
                         self.read(gz(self.pages("/a")) + bytes(512), "/sitemap.xml.gz"))

    def test_byte_order_mark(self):
        """R-03: silent"""
        self.read("\ufeff" + self.pages("/a"))

    def test_utf16(self):
        """R-01"""
        text = self.pages("/a").replace('encoding="UTF-8"', 'encoding="UTF-16"')
        self.assertIn("encoding-not-utf8", self.read(text.encode("utf-16")))
        self.assertEqual(set(self.listed()), {"/a"})

    def test_latin1(self):
        text = self.pages("/caf\xe9").replace("UTF-8", "ISO-8859-1")
        self.read(text.encode("latin-1"))
        self.assertEqual(set(self.listed()), {"/caf%C3%A9"})

    def test_gbk(self):
        """The converter for this encoding was opened before the sandbox was
        entered."""
        text = self.pages("/\u4e2d").replace("UTF-8", "GBK")
        self.read(text.encode("gbk"))
        self.assertEqual(set(self.listed()), {"/%E4%B8%AD"})

    def test_international_host(self):
        """R-45, inside the sandbox"""
        port = self.server.port
        self.server.put("/sitemap.xml", urlset(["http://b\u00fccher.example:%d/a" % port]))
        crawl = self.crawl(
            "--connect-to", "xn--bcher-kva.example:%d:127.0.0.1:%d" % (port, port),
            "http://xn--bcher-kva.example:%d/sitemap.xml" % port)
        self.assertEqual(self.program.urls(), ["http://xn--bcher-kva.example:%d/a" % port],
                         str(crawl))

    def test_extensions_are_no_entries(self):
        """R-13"""
        self.read("""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><image:image><image:loc>%(o)s/i.png</image:loc></image:image><loc>%(o)s/a</loc></url>
</urlset>""" % {"o": self.server.origin})
        self.assertEqual(set(self.listed()), {"/a"})

    def test_chunked(self):
        text = self.pages("/a").encode()

        def chunks(_, connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for n in range(0, len(text), 7):
                piece = text[n:n + 7]
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            connection.sendall(b"0\r\n\r\n")
            return True
        self.read(b"", call=chunks)
        self.assertEqual(set(self.listed()), {"/a"})

    def test_dates(self):
        """R-25 to R-28: dates are exported in UTC, with their precision."""
        dates = {"/year": ("2024", "2024", "year"),
                 "/month": ("2024-05", "2024-05", "month"),
                 "/day": ("2024-05-06", "2024-05-06", "day"),
                 "/minute": ("2024-05-06T10:30+02:00", "2024-05-06T08:30Z", "minute"),
                 "/second": ("2024-05-06T10:30:15Z", "2024-05-06T10:30:15Z", "second"),
                 "/nozone": ("2024-05-06T10:30:15", "2024-05-06T10:30:15Z", "second"),
                 "/none": ("yesterday", None, None)}
        self.read(urlset([(self.server.url(p), d[0]) for p, d in dates.items()]))
        got = {row["loc"][len(self.server.origin):]: (row["lastmod"], row["precision"])
               for row in self.program.export()}
        self.assertEqual({p: d[0] for p, d in got.items()}, {p: d[1] for p, d in dates.items()})
        self.assertEqual({p: d[1] for p, d in got.items() if p != "/none"},
                         {p: d[2] for p, d in dates.items() if p != "/none"})

    def test_csv_formula(self):
        """HOSTILE T24, O3: CSV contains nothing that a spreadsheet would
        execute."""
        import csv
        self.read(self.pages("/a,b", "/=cmd", '/"q"'))
        result = self.program.run("export", "-f", "csv")
        for row in csv.reader(result.out.splitlines()):
            for field in row:
                self.assertNotIn(field[:1], tuple("=+-@\t\r"), row)

    def test_50000_and_one_more(self):
        """R-36"""
        for count, has in ((50_000, False), (50_001, True)):
            with self.subTest(count=count):
                path = "/s%d.xml" % count
                self.server.put(path, urlset([self.server.url("/%d" % n)
                                              for n in range(count)]))
                crawl = self.crawl(self.server.url(path), status=(0, 1))
                self.assertEqual("too-many-urls" in crawl.codes(), has)
                self.assertEqual(crawl.document(self.server.url(path))["entries"], 50_000)

    def test_https(self):
        import tempfile
        from certs import Authority
        from server import tls_context
        with tempfile.TemporaryDirectory() as folder:
            authority = Authority(folder)
            site = self.site(tls=tls_context(*authority.sign(["a.example"])))
            site.put("/sitemap.xml", urlset(["https://a.example/x", "http://a.example/y"]))
            options = ["--connect-to", "a.example:443:127.0.0.1:%d" % site.port]
            crawl = self.crawl("--cacert", authority.path, *options,
                               "https://a.example/sitemap.xml")
            self.assertEqual(self.program.urls(), ["https://a.example/x"])
            self.assertEqual(crawl.codes().get("scheme-mismatch"), 1)
            # a bare host means https (SPEC 15.6)
            crawl = self.crawl("--cacert", authority.path, *options, "a.example")
            self.assertEqual(crawl.documents[-1]["url"], "https://a.example/sitemap.xml")
            # the wrong name
            crawl = self.crawl("--cacert", authority.path, "--retry", "0", "--connect-to",
                               "b.example:443:127.0.0.1:%d" % site.port,
                               "https://b.example/sitemap.xml", status=4)
            self.assertEqual(len(self.program.urls()), 1)

    def test_bare_host_falls_back_to_http(self):
        """SPEC 15.6"""
        from nginx import free_port
        self.server.put("/sitemap.xml", urlset(["http://a.example/x"]))
        self.crawl("--retry", "0", "--connect-to",
                   "a.example:443:127.0.0.1:%d" % free_port(), "--connect-to",
                   "a.example:80:127.0.0.1:%d" % self.server.port, "a.example")
        self.assertEqual(self.program.urls(), ["http://a.example/x"])


if __name__ == "__main__":
    unittest.main()
