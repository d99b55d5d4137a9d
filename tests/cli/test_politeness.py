"""Politeness, robots.txt and redirects, by the log of the server."""
import http.server
import threading
import unittest

from case import Case, index, urlset
from daemon import Daemon
from late import assert_sooner
from server import Listener

# The server sees a request a little later than it was sent, not always by the
# same time.
JITTER = 0.01


class Pace(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.children = ["/s%d.xml" % n for n in range(5)]
        self.server.put("/index.xml", index([self.server.url(c) for c in self.children]))
        for child in self.children:
            self.server.put(child, urlset([self.server.url("/a" + child)]))
        self.url = self.server.url("/index.xml")

    def assertPace(self, seconds):
        self.assertGreaterEqual(len(self.server.requests), 6)
        self.assertGreaterEqual(min(self.server.gaps()), seconds - JITTER,
                                self.server.gaps())

    def test_delay(self):
        """--delay: no two requests are closer than that, and robots.txt
        counts."""
        crawl = self.crawl("--delay", "0.3", self.url)
        self.assertPace(0.3)
        count = len(self.server.requests)
        # DESIGN 7: the wall is the delays, and little more
        assert_sooner(crawl.result.seconds, (count - 1) * 0.3 * 1.1 + 1)

    def test_crawl_delay(self):
        """R-105: a Crawl-delay that is larger than --delay replaces it."""
        self.server.put("/robots.txt", "User-agent: *\nCrawl-delay: 0.5\n")
        crawl = self.crawl("--delay", "0.1", self.url)
        self.assertPace(0.5)
        self.assertIn("robots-crawl-delay", crawl.codes())

    def test_our_group(self):
        """R-89, R-90: the rules and the delay of our group replace those of
        the other group."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /\nCrawl-delay: 30\n\n"
                        "User-agent: Freshet\nDisallow:\nCrawl-delay: 0.4\n")
        crawl = self.crawl(self.url)
        self.assertPace(0.4)
        assert_sooner(crawl.result.seconds, 10)

    def test_no_delay_on_loopback(self):
        """There is no delay if the target itself names the loopback address."""
        crawl = self.crawl(self.url)
        assert_sooner(crawl.result.seconds, 3)

    def test_a_name_has_its_delay(self):
        """A server of one's own that stands for a site is asked as the site
        would be: its name decides, and not the address that answers."""
        self.program.is_hasty = False
        origin = "http://a.example:%d" % self.server.port
        self.server.put("/index.xml", index([origin + c for c in self.children[:1]]))
        self.crawl("--connect-to", "::127.0.0.1:%d" % self.server.port, origin + "/index.xml")
        self.assertEqual(len(self.server.gaps()), 2)
        self.assertGreaterEqual(min(self.server.gaps()), 1 - JITTER)

    def test_one_connection(self):
        """One request at a time, and all of them over one connection."""
        for child in self.children:
            self.server.replies[child].delay = 0.1
        self.crawl(self.url)
        self.assertEqual(self.server.most_at_once(), 1)
        self.assertEqual(self.server.connections, 1)

    def test_two_hosts_at_once(self):
        other = self.site(address="127.0.0.3")
        for site in (self.server, other):
            site.put("/index.xml", index([site.url(c) for c in self.children]))
            for child in self.children:
                site.put(child, urlset([site.url("/a" + child)]))
        crawl = self.crawl("--delay", "0.3", self.url, other.url("/index.xml"))
        self.assertPace(0.3)
        self.assertGreaterEqual(min(other.gaps()), 0.3 - JITTER)
        assert_sooner(crawl.result.seconds, 6 * 0.3 + 2)

    def test_late_robots(self):
        """SPEC 15.4: a slow robots.txt delays no other host; what it proves
        still counts in the same crawl."""
        other, late = self.site(address="127.0.0.3"), self.site(address="127.0.0.4")
        other.put("/sitemap.xml", urlset([other.url("/here"), late.url("/there")]))
        gate = threading.Event()
        late.put("/robots.txt", "Sitemap: %s\n" % other.url("/sitemap.xml"), gate=gate)
        late.put("/own.xml", urlset([late.url("/own")]))
        opener = threading.Thread(target=lambda: (
            late.wait_for("/robots.txt"), other.wait_for("/sitemap.xml"),
            [self.server.wait_for(child) for child in self.children], gate.set()))
        opener.start()
        crawl = self.crawl(self.url, other.url("/sitemap.xml"), late.url("/own.xml"))
        opener.join()
        asked = [r.at for r in other.asked("/sitemap.xml")]
        self.assertEqual(len(asked), 2, str(crawl))
        self.assertGreater(asked[1], late.asked("/robots.txt")[0].end)
        self.assertIn(late.url("/there"), self.program.urls())
        self.assertIn(late.url("/own"), self.program.urls())
        # and once more, with what is known now
        again = self.crawl(self.url, other.url("/sitemap.xml"), late.url("/own.xml"))
        self.assertEqual(again.document(other.url("/sitemap.xml"))["outcome"], "unchanged")
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_newest_first(self):
        """Children are read in the order of their lastmod in the index, newest
        first."""
        dates = ["2024-05-01", "2026-01-02T10:00:00Z", None, "2026-01-02T09:00:00+02:00",
                 "2025"]
        self.server.put("/index.xml", index(
            [(self.server.url(c), d) for c, d in zip(self.children, dates)]))
        self.crawl(self.url)
        self.assertEqual(self.server.targets(), ["/index.xml", "/s1.xml", "/s3.xml", "/s4.xml",
                                                 "/s0.xml", "/s2.xml"])

    def test_retry_after(self):
        """R-76: the whole host is held for that long."""
        self.server.put("/s0.xml", b"", status=503, headers=[("Retry-After", "1")])
        crawl = self.crawl("--retry", "1", self.url, status=(0, 1))
        refused = next(r for r in self.server.requests if r.target == "/s0.xml")
        later = [r.at for r in self.server.requests if r.at > refused.at]
        if later:
            self.assertGreaterEqual(min(later) - refused.at, 1 - JITTER, str(crawl))

    def test_budget_of_urls(self):
        """The exit status is 3, and the same command continues the crawl."""
        for child in self.children:
            self.server.put(child, urlset([self.server.url("/%d%s" % (n, child))
                                           for n in range(100)]), delay=0.15)
        crawl = self.crawl("--max-urls", "150", self.url, status=3)
        self.assertLess(len(crawl.sitemaps()), 6)
        self.assertIn("budget-reached", crawl.result.err)
        self.crawl(self.url)
        self.assertEqual(len(self.program.urls()), 500)

    def test_user_agent(self):
        self.crawl("--contact", "https://operator.example/bot", self.url)
        agents = {r.header("User-Agent") for r in self.server.requests}
        self.assertEqual(len(agents), 1)
        self.assertRegex(agents.pop(), r"^freshet/.*operator\.example/bot")
        self.server.forget()
        self.crawl("-A", "mine/1.0", self.url)
        self.assertEqual({r.header("User-Agent") for r in self.server.requests}, {"mine/1.0"})

    def test_offers_gzip_only(self):
        """DESIGN 5.4"""
        self.crawl(self.url)
        self.assertEqual({r.header("Accept-Encoding") for r in self.server.requests
                          if r.target != "/robots.txt"}, {"gzip"})


class Robots(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url("/sitemap.xml")
        self.server.put("/sitemap.xml", urlset([self.server.url("/a")]))

    def test_disallowed(self):
        """R-87: also when robots.txt names it."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /sitemap\nSitemap: %s\n"
                        % self.url)
        crawl = self.crawl(self.server.url("/"), status=4)
        self.assertFailure(crawl, self.url, "fetch-blocked-by-robots")
        self.assertEqual(self.server.targets(), [])

    def test_child_disallowed(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /private/\n")
        self.server.put("/index.xml", index([self.server.url("/private/s.xml"), self.url]))
        crawl = self.crawl(self.server.url("/index.xml"), status=1)
        self.assertFailure(crawl, self.server.url("/private/s.xml"), "fetch-blocked-by-robots")
        self.assertEqual(self.server.asked("/private/s.xml"), [])
        self.assertEqual(crawl.summary["documents"]["refused"], 1)

    def test_asked_first(self):
        """SPEC 15.4: robots.txt of all targets before any document."""
        other = self.site()
        other.put("/sitemap.xml", urlset([other.url("/b")]))
        other.put("/robots.txt", "User-agent: *\nDisallow:\n", delay=0.5)
        self.crawl(self.url, other.url("/sitemap.xml"))
        first = self.server.asked("/sitemap.xml")[0]
        # the server may note the end of its answer late, but not its beginning too early
        self.assertGreaterEqual(first.at, other.asked("/robots.txt")[0].at + 0.5 - JITTER)

    def test_asked_once_in_a_run(self):
        """R-104: for several documents and the children of an index."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\n")
        self.server.put("/index.xml", index([self.server.url("/s%d.xml" % n)
                                             for n in range(5)]))
        for n in range(5):
            self.server.put("/s%d.xml" % n, urlset([self.server.url("/%d" % n)]))
        self.crawl(self.url, self.server.url("/index.xml"))
        self.assertEqual(len(self.server.asked("/robots.txt")), 1)

    def test_changed(self):
        """The present robots.txt applies, whatever it said the day before."""
        self.crawl(self.url)
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /\n",
                        headers=[("Cache-Control", "max-age=0")])
        before = self.program.export()
        crawl = self.crawl(self.url, status=4)
        self.assertFailure(crawl, self.url, "fetch-blocked-by-robots")
        self.assertEqual(self.program.export(), before)

    def test_proof_across_hosts(self):
        """R-63: robots.txt of A names a document of B; it may list A's URLs."""
        other = self.site()
        names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                 "--connect-to", "b.example:80:127.0.0.1:%d" % other.port]
        other.put("/sitemap.xml", urlset(["http://a.example/x", "http://b.example/y",
                                          "http://c.example/z"]))
        self.server.put("/robots.txt", "Sitemap: http://b.example/sitemap.xml\n")
        crawl = self.crawl(*names, "http://a.example/")
        self.assertEqual(self.program.urls(), ["http://a.example/x", "http://b.example/y"])
        codes = crawl.codes("http://b.example/sitemap.xml")
        self.assertEqual(codes.get("accepted-by-robots-proof"), 1, str(crawl))
        self.assertEqual(codes.get("host-mismatch"), 1)

    def test_no_proof(self):
        """R-63: a third host cannot prove anything for another."""
        other = self.site()
        names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                 "--connect-to", "b.example:80:127.0.0.1:%d" % other.port]
        other.put("/robots.txt", "Sitemap: http://b.example/sitemap.xml\n")
        other.put("/sitemap.xml", urlset(["http://a.example/x", "http://b.example/y"]))
        crawl = self.crawl(*names, "http://b.example/")
        self.assertEqual(self.program.urls(), ["http://b.example/y"])
        self.assertEqual(crawl.codes().get("host-mismatch"), 1)

    def test_proof_found_later(self):
        """SPEC 15.1, 15.4: another scope, so the document is read anew."""
        other = self.site()
        names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                 "--connect-to", "b.example:80:127.0.0.1:%d" % other.port]
        other.put("/sitemap.xml", urlset(["http://a.example/x", "http://b.example/y"]),
                  etag='"1"')
        self.crawl(*names, "http://b.example/sitemap.xml")
        self.assertEqual(self.program.urls(), ["http://b.example/y"])
        self.server.put("/robots.txt", "Sitemap: http://b.example/sitemap.xml\n")
        other.forget()
        self.crawl(*names, "http://b.example/sitemap.xml", "http://a.example/robots.txt")
        self.assertIn("http://a.example/x", self.program.urls())
        self.assertFalse(other.asked("/sitemap.xml")[0].is_conditional)

    def test_another_profile_reads_anew(self):
        """SPEC 15.1: under another fingerprint the requests have no
        condition."""
        self.server.put("/sitemap.xml", urlset([self.server.url("/a"), "/b"]), etag='"1"')
        self.crawl(self.url)
        self.assertEqual(self.program.urls(), [self.server.url("/a")])
        self.server.forget()
        self.crawl("--profile", "lenient", self.url)
        self.assertFalse(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual(self.program.urls(), [self.server.url("/a"), self.server.url("/b")])

    def test_force(self):
        self.server.put("/sitemap.xml", urlset([self.server.url("/a")]), etag='"1"')
        self.crawl(self.url)
        self.server.forget()
        crawl = self.crawl("--force", self.url)
        self.assertFalse(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual(crawl.document(self.url)["outcome"], "read")


class Validators(Case):
    """R-74, R-75"""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url("/sitemap.xml")
        self.body = urlset([self.server.url("/a")])

    def again(self, **validators):
        self.server.put("/sitemap.xml", self.body, **validators)
        self.crawl(self.url)
        self.server.forget()
        crawl = self.crawl(self.url)
        self.assertEqual(crawl.document(self.url)["outcome"], "unchanged", str(crawl))
        return self.server.asked("/sitemap.xml")[0]

    def test_tag(self):
        request = self.again(etag='W/"a b,c"', modified="Thu, 01 Jan 2026 00:00:00 GMT")
        self.assertEqual(request.header("If-None-Match"), 'W/"a b,c"')
        self.assertIsNone(request.header("If-Modified-Since"))

    def test_date(self):
        request = self.again(modified="Thu, 01 Jan 2026 00:00:00 GMT")
        self.assertEqual(request.header("If-Modified-Since"), "Thu, 01 Jan 2026 00:00:00 GMT")
        self.assertIsNone(request.header("If-None-Match"))

    def test_neither(self):
        request = self.again()
        self.assertFalse(request.is_conditional)


class Redirects(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url("/sitemap.xml")
        self.server.put("/real.xml", urlset([self.server.url("/a")]))

    def chain(self, hops):
        for n in range(hops):
            self.server.redirect("/sitemap.xml" if n == 0 else "/h%d" % n,
                                 "/real.xml" if n == hops - 1 else "/h%d" % (n + 1),
                                 status=(301, 302, 303, 307, 308)[n % 5])

    def test_three_hops(self):
        self.chain(3)
        crawl = self.crawl(self.url)
        record = crawl.document(self.url)
        self.assertEqual((record["outcome"], record["final_url"]),
                         ("read", self.server.url("/real.xml")))
        self.assertIn("sitemap-redirected", crawl.codes(self.url))

    def test_private_address(self):
        """R-70: a public name leads to an address of this machine."""
        with Listener("127.0.0.2") as listener:
            self.server.redirect("/sitemap.xml", "http://127.0.0.2:%d/x" % listener.port)
            crawl = self.crawl("--retry", "0", "--connect-to",
                               "pub.example:80:127.0.0.1:%d" % self.server.port,
                               "http://pub.example/sitemap.xml", status=4)
            codes = set(crawl.codes("http://pub.example/sitemap.xml"))
            self.assertTrue({"private-address", "fetch-redirect-unsafe"} & codes, str(crawl))
            self.assertEqual(listener.accepted, 0)

    def test_without_location(self):
        self.server.put("/sitemap.xml", b"", status=302)
        crawl = self.crawl(self.url, status=4)
        self.assertIn(crawl.document(self.url)["outcome"], ("failed", "refused"))

    def test_seed_to_another_host(self):
        """R-54: a target may be redirected to another host; its base is the
        final URL."""
        other = self.site()
        names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                 "--connect-to", "b.example:80:127.0.0.1:%d" % other.port]
        self.server.redirect("/sitemap.xml", "http://b.example/real.xml")
        other.put("/real.xml", urlset(["http://a.example/x", "http://b.example/y"]))
        crawl = self.crawl(*names, "http://a.example/sitemap.xml")
        self.assertEqual(self.program.urls(), ["http://b.example/y"])
        codes = crawl.codes("http://a.example/sitemap.xml")
        self.assertIn("cross-host-redirect", codes)
        self.assertEqual(codes.get("host-mismatch"), 1)

    def test_robots_of_the_other_host(self):
        """R-73: each hop is checked against robots.txt of its authority."""
        other = self.site()
        names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                 "--connect-to", "b.example:80:127.0.0.1:%d" % other.port]
        self.server.redirect("/sitemap.xml", "http://b.example/real.xml")
        other.put("/robots.txt", "User-agent: *\nDisallow: /\n")
        crawl = self.crawl(*names, "http://a.example/sitemap.xml", status=4)
        self.assertFailure(crawl, "http://a.example/sitemap.xml", "fetch-blocked-by-robots")
        self.assertEqual(other.targets(), [])

    def test_child_to_another_host(self):
        """R-54, HOSTILE R12: the child is refused, and the other host gets no
        request."""
        with Listener("127.0.0.1") as listener:
            names = ["--connect-to", "a.example:80:127.0.0.1:%d" % self.server.port,
                     "--connect-to", "b.example:80:127.0.0.1:%d" % listener.port]
            self.server.put("/index.xml", index(["http://a.example/child.xml"]))
            self.server.redirect("/child.xml", "http://b.example/real.xml")
            crawl = self.crawl(*names, "http://a.example/index.xml", status=1)
            self.assertFailure(crawl, "http://a.example/child.xml", "fetch-redirect-unsafe")
            self.assertEqual(listener.accepted, 0)

    def test_child_within_its_site(self):
        self.server.put("/index.xml", index([self.url]))
        self.chain(2)
        crawl = self.crawl(self.server.url("/index.xml"))
        self.assertEqual(crawl.document(self.url)["outcome"], "read")



class Holds(Case):
    """R-76: a 429 or 503 holds its host for sitemaps and pages, whichever of them
    was answered so."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/index.xml"))
        self.server.put("/index.xml", index([self.server.url(p) for p in ("/a.xml", "/b.xml")]))
        for path in ("/a.xml", "/b.xml"):
            self.server.put(path, urlset([self.server.url("/%d%s" % (n, path)) for n in range(3)]))
        self.follow_clock()
        added = self.program.run("add", "--every", "5m..10m", self.server.url("/"))
        self.assertEqual(added.status, 0, str(added))

    def once(self):
        """`run --once`, a process of its own; what it asked for."""
        self.server.forget()
        self.clock.leap()
        self.assertIn(self.program.run("run", "--once", "--log", "json").status, (0, 1))
        self.clock.hold()
        return self.server.targets()

    def due(self):
        return self.program.run("due", "-n", "1").records()

    def test_a_sitemap(self):
        """Its 429 without Retry-After stops pages, and the next process."""
        self.assertIn("/a.xml", self.once())
        self.clock.advance(660)
        self.server.put("/a.xml", b"", status=429)
        self.assertIn("/a.xml", self.once())
        self.server.put("/a.xml", urlset([self.server.url("/0/a.xml")]))
        self.assertEqual(self.due(), [])
        self.assertIn("127.0.0.1", self.program.run("hold").out)
        self.assertEqual(self.once(), [])
        self.clock.advance(80)
        self.assertEqual(len(self.due()), 1)

    def test_a_page(self):
        """Its 503 stops sitemaps, also those of a crawl that somebody wants."""
        self.once()
        page, = self.due()
        told = self.program.run("done", input='{"lease":"%s","status":503,"retry_after":3600}\n' % page["lease"])
        self.assertEqual(told.records()[0]["ack"], "OK", str(told))
        self.clock.advance(1800)
        self.assertEqual(self.once(), [])
        crawl = self.crawl(self.server.url("/b.xml"), status=4)
        self.assertFailure(crawl, self.server.url("/b.xml"), "fetch-rate-limited")
        self.assertEqual(self.server.requests, [])
        self.clock.advance(1801)
        self.assertIn("/b.xml", self.once())


class OnlyHttp(http.server.BaseHTTPRequestHandler):
    """Ends a TLS handshake at once, which a scripted server waits for."""

    def send_error(self, code, *_):
        """What came was no request: a handshake."""
        self.server.handshakes += 1

    def do_GET(self):
        self.server.targets.append(self.path)
        url = "http://%s/" % self.headers["Host"]
        body = ("Sitemap: %ss.xml\n" % url if self.path == "/robots.txt"
                else urlset([url + "a"])).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class BareHost(Case):
    def test_http_alone(self):
        """If a bare host only speaks http, https is tried once a week, by
        whatever asks for robots.txt, and nothing fails."""
        server = http.server.HTTPServer(("127.0.0.3", 0), OnlyHttp)
        server.handshakes, server.targets = 0, []
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        bare = "127.0.0.3:%d" % server.server_port
        self.assertEqual(self.program.run("add", bare).status, 0)
        for _ in range(2):
            daemon = Daemon(self.program, "--once")
            self.assertEqual(daemon.end(None), 0, str(daemon))
            self.assertEqual(daemon.all("failed"), [])
        crawl = self.crawl(bare)
        self.assertIn("once a week; going on with http", crawl.result.err)
        self.assertEqual(server.handshakes, 1)
        self.assertEqual(server.targets.count("/robots.txt"), 2)
        site = self.program.run("list", "--json").records()[0]
        self.assertEqual((site["state"], site["failing"]), ("ok", 0))
        due = self.program.run("explain", "https://%s/robots.txt" % bare).out
        self.assertIn("in 7.0 d", due)


if __name__ == "__main__":
    unittest.main()
