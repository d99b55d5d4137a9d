"""What an index says of a document while the document is being fetched (SPEC
R-115)."""
import sqlite3
import unittest

from case import Case, index, urlset

JANUARY_5 = 1767571200


class OnItsWay(Case):
    def test_later_index(self):
        """A second index, on another host, is read after the request for the
        document and before its answer: the index may describe newer bytes."""
        server = self.site(name="www.own.test")
        other = "http://idx.own.test:%d/b.xml" % server.port
        server.put("/a.xml", index([(server.url("/s.xml"), "2026-01-05"), other]))
        server.put("/b.xml", index([(server.url("/s.xml"), "2026-01-09")]), delay=0.3)
        server.put("/s.xml", urlset([server.url("/page")]), delay=1.5)
        hosts = ["--resolve=%s:%d:127.0.0.1" % (host, server.port)
                 for host in ("www.own.test", "idx.own.test")]
        crawl = self.crawl("--profile", "lenient", "--own", "domain:own.test", "--delay", "0",
                           *hosts, server.url("/a.xml"))
        order = [d["url"][-6:] for d in crawl.sitemaps()]
        self.assertEqual(order, ["/a.xml", "/b.xml", "/s.xml"], str(crawl))
        store = sqlite3.connect(self.program.store)
        self.addCleanup(store.close)
        self.assertEqual(store.execute(
            "SELECT index_lastmod_s FROM document WHERE url = ?",
            (server.url("/s.xml"),)).fetchall(), [(JANUARY_5,)])


if __name__ == "__main__":
    unittest.main()
