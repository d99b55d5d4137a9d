"""freshet cannot be used to attack a third party, and the store can show it
(HOSTILE T10, T11, J17)."""
import contextlib
import sqlite3
import time
import unittest

from case import Case, index, urlset
from late import assert_sooner
from program import interrupt

VICTIM = "127.0.0.99"
DELAY = 0.15


class RequestLog(Case):
    def request_log(self, host):
        """{column: total} of a host: sums, and the least of what is a least."""
        rows = self.program.run("sql", "-f", "json", "SELECT * FROM request_log").records()
        rows = [r for r in rows if r["host"] == host]
        gaps = [r["least_gap_ms"] for r in rows if r["least_gap_ms"] is not None]
        return {"requests": sum(r["requests"] for r in rows),
                "overlaps": sum(r["overlaps"] for r in rows),
                "least_gap_ms": min(gaps) if gaps else None,
                "delay_ms": min(r["delay_ms"] for r in rows) if rows else None}

    def assertKept(self, site, host):
        """Assert that the request log agrees with the server's log, and that
        the delay was kept."""
        log = self.request_log(host)
        self.assertEqual(log["requests"], len(site.requests))
        self.assertEqual(log["delay_ms"], DELAY * 1000)
        self.assertEqual(log["overlaps"], 0)
        self.assertGreaterEqual(log["least_gap_ms"], DELAY * 1000)
        self.assertGreaterEqual(min(site.gaps()), DELAY - 0.01)
        self.assertEqual(site.most_at_once(), 1)
        self.assertEqual(self.program.run("db", "fsck").status, 0)


class One(RequestLog):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/index.xml", index([self.server.url("/s%d.xml" % n)
                                             for n in range(6)]))
        for n in range(5):  # and one is not there
            self.server.put("/s%d.xml" % n, urlset([self.server.url("/%d" % n)]))
        self.server.redirect("/s4.xml", "/s0.xml")
        self.options = ["--delay", "%dms" % (DELAY * 1000), self.server.url("/index.xml")]

    def test_crawl(self):
        self.crawl(*self.options, status=1)
        self.assertKept(self.server, "127.0.0.1")

    def test_again_at_once(self):
        """The delay also holds between two crawls."""
        self.crawl(*self.options, status=1)
        self.crawl(*self.options, status=1)
        self.assertKept(self.server, "127.0.0.1")

    def test_without_delay(self):
        self.crawl(self.server.url("/index.xml"), status=1)
        begin = time.monotonic()
        self.crawl(self.server.url("/index.xml"), status=1)
        assert_sooner(time.monotonic() - begin, 5)
        self.assertEqual(self.request_log("127.0.0.1")["requests"], len(self.server.requests))
        self.assertEqual(self.request_log("127.0.0.1")["delay_ms"], 0)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_retries(self):
        """Requests that failed count, too."""
        self.server.put("/s1.xml", raw=b"")
        self.crawl("--retry", "1", *self.options, status=1)
        self.assertKept(self.server, "127.0.0.1")

    def test_after_a_page(self):
        """A crawl that begins when a page of the host was just asked for waits for its delay,
        and the log knows of a page that could not be fetched."""
        port = self.server.url("/").split(":")[2].rstrip("/")
        to = ("--connect-to", "::127.0.0.1:%s" % port)
        site = "http://shop.example/"
        self.server.put("/robots.txt", "Sitemap: %ssitemap.xml\n" % site)
        self.server.put("/sitemap.xml", urlset([site + "a", site + "b"]))
        self.assertEqual(self.program.run("crawl", "--delay", "0", *to, site).status, 0)
        reported = time.monotonic()
        self.report(200)
        count = len(self.server.requests)
        self.assertEqual(self.program.run("crawl", "--force", "--delay", "1s", *to, site).status, 0)
        self.assertGreaterEqual(self.server.requests[count].at - reported, 0.9)
        host, requests, last_s = self.logged()
        time.sleep(1)
        self.report(503)
        self.assertEqual(self.logged()[:2], (host, requests))
        self.assertGreater(self.logged()[2], last_s)

    def logged(self):
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            row, = db.execute("SELECT host, sum(requests), max(last_s) FROM request_log GROUP BY host")
        return row

    def report(self, status):
        page, = self.program.run("due", "-n", "1").records()
        done = self.program.run("done", input='{"lease":"%s","status":%d}\n' % (page["lease"], status))
        self.assertEqual(done.status, 0, str(done))

    def test_unanswered(self):
        """When a crawl ends, the log knows of the requests whose answers it does not wait for."""
        self.server.put("/slow.xml", urlset([]), delay=60)
        process = self.program.start("crawl", "--delay", "2s", self.server.url("/slow.xml"))
        while not self.server.asked("/slow.xml"):
            time.sleep(0.02)
        asked = time.time()
        self.assertEqual(interrupt(process)[0], 130)
        with sqlite3.connect(self.program.store) as db:
            last_s, = db.execute("SELECT max(last_s) FROM request_log").fetchone()
        self.assertGreaterEqual(last_s, int(asked))

    def test_prune(self):
        self.crawl(*self.options, status=1)
        self.assertGreater(self.request_log("127.0.0.1")["requests"], 0)
        time.sleep(2.1)
        self.program.leave_postgresql()
        self.assertEqual(self.program.run("db", "prune", "--older", "1").status, 0)
        self.assertEqual(self.request_log("127.0.0.1")["requests"], 0)


class FanOut(RequestLog):
    """Many sites that all lead to one host, which has nothing to do with
    them."""

    COUNT = 20

    def setUp(self):
        super().setUp()
        self.victim = self.site(address=VICTIM)
        for n in range(self.COUNT):
            self.victim.put("/s%d.xml" % n, urlset([self.victim.url("/%d" % n)]))
        # one port, since no site may lead to others than its own
        self.sites = [self.site(address="127.0.1.%d" % (n + 1), port=self.victim.port)
                      for n in range(self.COUNT)]

    def run_all(self, path, *options, status=1):
        return self.crawl("--delay", "%dms" % (DELAY * 1000), "--allow-address",
                          "127.0.0.0/8", *options, *[s.url(path) for s in self.sites],
                          status=status)

    def spellings(self, n):
        port = self.victim.port
        return ["http://%s:%d/s%d.xml" % (host, port, n) for host in (
            VICTIM, "2130706531", "0x7f.0.0.0x63", "127.99", "0177.0.0.0143", VICTIM + ".")] + [
                "http://u@%s:%d/s%d.xml" % (VICTIM, port, n), "//%s:%d/s%d.xml" % (
                    VICTIM, port, n), "http://%s:%d/a/../s%d.xml" % (VICTIM, port, n),
                "http://%s:%d/s%d.xml" % (VICTIM, port + 1, n),
                "https://%s:%d/s%d.xml" % (VICTIM, port, n)]

    def test_children(self):
        """If the victim's own robots.txt does not permit it, the victim gets no
        request for children."""
        for n, site in enumerate(self.sites):
            site.put("/index.xml", index(self.spellings(n) + [site.url("/s.xml")]))
            site.put("/s.xml", urlset([site.url("/1")]))
        crawl = self.run_all("/index.xml")
        self.assertEqual(self.victim.requests, [])
        self.assertEqual(self.victim.connections, 0)
        self.assertEqual(self.request_log(VICTIM)["requests"], 0)
        self.assertEqual(len(self.program.urls()), self.COUNT)
        self.assertGreater(crawl.codes()["host-mismatch"], self.COUNT)

    def test_redirects_of_children(self):
        for n, site in enumerate(self.sites):
            site.put("/index.xml", index([site.url("/s.xml")]))
            site.redirect("/s.xml", self.victim.url("/s%d.xml" % n))
        self.run_all("/index.xml")
        self.assertEqual(self.victim.connections, 0)

    def test_robots(self):
        """Sitemap lines of the other sites make the URLs their seeds, which are
        requested one after the other."""
        for n, site in enumerate(self.sites):
            site.put("/robots.txt", "".join("Sitemap: %s\n" % u for u in self.spellings(n)[:6]))
        self.run_all("/robots.txt", status=(0, 1))
        self.assertKept(self.victim, VICTIM)
        asked = [r.target for r in self.victim.requests]
        self.assertEqual(asked.count("/robots.txt"), 1)

    def test_redirects_of_targets(self):
        for n, site in enumerate(self.sites):
            site.redirect("/s.xml", self.victim.url("/s%d.xml" % n))
        self.run_all("/s.xml", status=(0, 1))
        self.assertKept(self.victim, VICTIM)

    def test_redirects_of_robots(self):
        for site in self.sites:
            site.redirect("/robots.txt", self.victim.url("/robots.txt"))
            site.put("/s.xml", urlset([site.url("/1")]))
        self.run_all("/s.xml", status=0)
        self.assertKept(self.victim, VICTIM)

    def test_named_by_the_victim(self):
        """The victim itself names the indexes of the others: they may list its
        URLs, which are read at its rate."""
        self.victim.put("/robots.txt", "".join("Sitemap: %s\n" % s.url("/index.xml")
                                               for s in self.sites))
        for n, site in enumerate(self.sites):
            site.put("/index.xml", index([self.victim.url("/s%d.xml" % n)]))
        self.crawl("--delay", "%dms" % (DELAY * 1000), "--allow-address", "127.0.0.0/8",
                   self.victim.url("/robots.txt"), status=(0, 1))
        self.assertEqual(len(self.program.urls()), self.COUNT)
        self.assertKept(self.victim, VICTIM)


if __name__ == "__main__":
    unittest.main()
