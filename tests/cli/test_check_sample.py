"""check --sample: some of the listed pages are looked at, politely."""
import gzip
import json
import re

from case import Case, index, urlset

HTML = [("Content-Type", "text/html; charset=utf-8")]
XML = [("Content-Type", "application/xml")]


def canonical(url):
    return '<link rel="canonical" href="%s">' % url


class Sample(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url

    def page(self, path, body="<title>t</title>", headers=(), **kwargs):
        self.server.put(path, body, headers=HTML + list(headers), **kwargs)

    def sitemap(self, path, pages):
        self.server.put(path, urlset(p if p.startswith("http") else self.url(p) for p in pages),
                        headers=XML)

    def index(self, *paths):
        self.server.put("/index.xml", index(self.url(p) for p in paths), headers=XML)

    def check(self, *args, target="/sitemap.xml", status=0, **kwargs):
        """Run check --json; returns the records of the pages by path, and the
        other records."""
        self.result = self.program.run("check", "--json", "--progress", "off", "--retry", "0",
                                       *args, self.url(target), **kwargs)
        self.assertEqual(self.result.status, status, str(self.result))
        records = self.result.records()
        self.findings = {r["code"]: r for r in records if r["record"] == "finding"}
        self.summary = records[-1]
        self.pages = {r["path"].replace(self.server.origin, "", 1): r
                      for r in records if r["record"] == "page"}
        self.assertEqual(self.summary["pages"], len(self.pages))
        return self.pages

    def look(self, path, *args, **kwargs):
        """Check that page alone."""
        self.sitemap("/sitemap.xml", [path])
        return self.check("--sample", "1", *args, **kwargs)[path]

    def asked(self):
        return [r.target for r in self.server.requests]

    # what is said of one page

    def test_well(self):
        self.page("/a", canonical(self.url("/a")))
        page = self.look("/a")
        self.assertEqual(page, {
            "v": 1, "record": "page", "path": self.url("/a"), "sitemap": self.url("/sitemap.xml"),
            "unlisted": None, "outcome": "answered", "http_status": 200, "redirects": 0, "final_url": None,
            "final_status": 200, "detail": None, "noindex": False, "noindex_by": None,
            "canonical": "itself", "canonical_url": self.url("/a"), "codes": []})
        self.assertEqual(self.findings, {})

    def test_table_names_the_bad(self):
        """Of pages that are all right there is no table."""
        self.page("/a", canonical(self.url("/a")))
        self.sitemap("/sitemap.xml", ["/a"])
        for is_well in (True, False):
            if not is_well:
                self.server.put("/a", status=404)
            for form, head in (("text", "PAGE"), ("markdown", "| page |")):
                with self.subTest(is_well=is_well, form=form):
                    out = self.program.run("check", "-f", form, "--sample", "1", self.url("/sitemap.xml")).out
                    self.assertIn("1 listed page looked at", out)
                    self.assertEqual(head in out, not is_well, out)

    def test_noindex(self):
        self.page("/a", "<html><head><meta name='robots' content='noindex,follow'>")
        page = self.look("/a")
        self.assertEqual((page["noindex"], page["noindex_by"], page["codes"]),
                         (True, "<meta name=robots>: noindex,follow", ["url-noindex"]))
        self.assertEqual(self.findings["url-noindex"]["samples"], [
            {"path": self.url("/sitemap.xml"), "line": 3, "entry": 1, "loc": self.url("/a"),
             "text": self.url("/a") + ": <meta name=robots>: noindex,follow",
             "meant": None, "new": None}])

    def test_noindex_of_google(self):
        """The finding names the element that is really there."""
        self.page("/a", "<meta name=description content=none>"
                        "<meta name=GoogleBot content=noindex><meta name=robots content=none>")
        page = self.look("/a")
        self.assertEqual(page["noindex_by"], "<meta name=googlebot>: noindex")
        self.assertEqual(self.findings["url-noindex"]["samples"][0]["text"],
                         self.url("/a") + ": <meta name=googlebot>: noindex")

    def test_noindex_of_a_file(self):
        """A file that is no HTML is excluded by its headers."""
        self.server.put("/a.pdf", "%PDF <meta name=robots content=noindex>", headers=[
            ("Content-Type", "application/pdf"), ("X-Robots-Tag", "otherbot: noindex"),
            ("X-Robots-Tag", "none"), ("Link", '<%s>; rel="canonical"' % self.url("/b"))])
        page = self.look("/a.pdf")
        self.assertEqual((page["noindex_by"], page["canonical"], page["canonical_url"]),
                         ("X-Robots-Tag: none", "another", self.url("/b")))
        self.assertEqual(page["codes"], ["url-noindex", "url-not-canonical"])

    def test_canonical(self):
        for n, (body, headers, verdict, url) in enumerate((
                ("<title>t</title>", [], "none", None),
                (canonical("/b?x=1&amp;y=2"), [], "another", "/b?x=1&y=2"),
                (canonical("/b") + canonical("/c"), [], "several", "/b"),
                (canonical("/b") + canonical("b"), [], "another", "/b"),
                (canonical("/b"), [("Link", "</c>; rel=canonical")], "several", "/c"),
                (canonical("/b"), [("Link", "</b>; rel=canonical")], "another", "/b"),
                ("<base href='/c/d'>" + canonical("e"), [], "another", "/c/e"),
                (canonical("http://[x"), [], "invalid", None),
                ("<body>" + canonical("/b"), [], "none", None))):
            with self.subTest(body=body):
                path = "/%d" % n
                self.page(path, body, headers)
                page = self.look(path)
                self.assertEqual((page["canonical"], page["canonical_url"]),
                                 (verdict, url and self.url(url)))
                self.assertEqual(page["codes"],
                                 [] if verdict == "none" else ["url-not-canonical"])

    def test_failures(self):
        self.page("/gone", status=410)
        self.page("/wall", status=403, headers=[("Server", "cloudflare")])
        self.page("/challenge", "<title>Just a moment...</title><form id='challenge-form'>")
        self.page("/broken", raw=b"no HTTP\r\n\r\n")
        self.page("/br", headers=[("Content-Encoding", "br")])
        for path, status, words in (("/gone", 410, "status 410"),
                                    ("/wall", 403, "status 403 from the bot wall of Cloudflare"),
                                    ("/challenge", 200, "a page of the bot wall of Cloudflare"),
                                    ("/broken", None, "unreadable answer"),
                                    ("/br", 200, "a Content-Encoding that was not asked for")):
            with self.subTest(path=path):
                page = self.look(path)
                self.assertEqual((page["outcome"], page["http_status"], page["detail"],
                                  page["codes"], page["noindex"], page["canonical"]),
                                 ("failed", status, words, ["url-fetch-failed"], None, None))

    def test_redirects(self):
        self.page("/new", canonical("/other") + "<meta name=robots content=noindex>")
        self.server.redirect("/old", "/new")
        page = self.look("/old")
        self.assertEqual((page["http_status"], page["redirects"], page["final_url"],
                          page["final_status"], page["codes"]),
                         (302, 1, self.url("/new"), 200, ["url-redirects"]))
        self.assertEqual(self.findings["url-redirects"]["severity"], "warning")
        self.server.redirect("/lost", "/404")
        self.assertEqual(self.look("/lost")["codes"], ["url-redirects", "url-fetch-failed"])

    def test_endless_redirects(self):
        """A loop is an error of its own, beside redirects with an end, and is
        counted once."""
        self.server.redirect("/a", "/b")
        self.server.redirect("/b", "/a")
        page = self.look("/a", status=1)
        self.assertEqual(page["detail"], "redirects in a circle, back to /a")
        self.assertEqual(page["codes"], ["url-redirect-loop"])
        self.assertEqual({c: (f["severity"], f["count"]) for c, f in self.findings.items()},
                         {"url-redirect-loop": ("error", 1)})
        for n in range(12):
            self.server.redirect("/%d" % n, "/%d" % (n + 1))
        self.assertIn("redirects without end", self.look("/0", status=1)["detail"])
        self.assertEqual(self.asked().count("/11"), 0)
        self.page("/new")
        for n in range(20, 25):
            self.server.redirect("/%d" % n, "/new")
        self.sitemap("/sitemap.xml", ["/a"] + ["/%d" % n for n in range(20, 25)])
        self.check("--sample", "6", status=1)
        self.assertEqual({c: (f["severity"], f["count"]) for c, f in self.findings.items()},
                         {"url-redirect-loop": ("error", 1), "url-redirects": ("warning", 5)})
        self.assertEqual((self.summary["errors"], self.summary["warnings"]), (1, 5))

    def test_redirect_that_is_unsafe(self):
        self.server.redirect("/a", "ftp://a.example/")
        page = self.look("/a")
        self.assertEqual((page["detail"], page["final_url"], page["codes"]),
                         ("is not followed: redirects to what is no http or https URL: ftp://a.example/", None,
                          ["url-redirects", "url-fetch-failed"]))

    def test_robots(self):
        """A disallowed page is not requested, and the report says so."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /private\n")
        self.page("/private/a")
        page = self.look("/private/a")
        self.assertEqual((page["outcome"], page["http_status"], page["detail"], page["codes"]),
                         ("disallowed", None, "robots.txt line 2: /private",
                          ["url-blocked-by-robots"]))
        self.assertNotIn("/private/a", self.asked())
        self.server.redirect("/open", "/private/b")
        self.assertEqual(self.look("/open")["codes"],
                         ["url-redirects", "url-blocked-by-robots"])
        self.assertNotIn("/private/b", self.asked())

    def test_large(self):
        """Of an endless page the beginning is read."""
        self.page("/a", "<meta name=robots content=noindex>" + " " * 5000000)
        self.assertTrue(self.look("/a")["noindex"])
        self.page("/b", " " * 600000 + "<meta name=robots content=noindex>")
        page = self.look("/b")
        self.assertEqual((page["noindex"], page["noindex_by"], page["codes"]), (None, None, []))
        out = self.program.run("check", "--sample", "1", self.url("/sitemap.xml")).out
        self.assertRegex(out, r"\n  /b +200 +unknown +none\n      no noindex in its first 512 KiB; "
                              r"the rest was not looked at\n")
        body = "x" * 600000
        self.page("/c", gzip.compress(body.encode()), [("Content-Encoding", "gzip")])
        self.assertIsNone(self.look("/c")["noindex"])
        self.page("/d", "x" * 500000)
        self.assertIs(self.look("/d")["noindex"], False)

    def test_gzip(self):
        body = gzip.compress(canonical("/b").encode() + b" " * 50000000)
        self.page("/a", body, [("Content-Encoding", "gzip")])
        self.assertEqual(self.look("/a")["canonical_url"], self.url("/b"))

    def test_hostile_text(self):
        """No text of a page acts on a terminal, or becomes markup."""
        self.page("/a", "<meta name=robots content='none, \x1b[31m\x07<script>x</script>\x00'>"
                        "<link rel=canonical href='/\x1b[31m&#8238;\"><script>x</script>'>")
        self.sitemap("/sitemap.xml", ["/a"])
        for form in ("text", "json", "junit", "github", "sarif", "html"):
            result = self.program.run("check", "-f", form, "--sample", "1",
                                      self.url("/sitemap.xml"))
            self.assertIn("url-noindex", result.out, form)
            self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", result.out), form)
            if form in ("html", "junit"):
                self.assertNotIn("<script", result.out)

    def test_junit_with_rules(self):
        """A page fails for what is not accepted, also where something else is."""
        self.sitemap("/sitemap.xml", ["/gone"])
        for args in ((), ("--ignore", "url-noindex")):
            out = self.program.run("check", "-f", "junit", "--sample", "1", "--fail-on", "warning",
                                   *args, self.url("/sitemap.xml")).out
            self.assertEqual(out.count('<failure type="url-fetch-failed"'), 1, args)

    # which pages, and how they are asked for

    def many(self, sizes):
        paths = []
        for n, size in enumerate(sizes):
            pages = ["/%d/%d" % (n, k) for k in range(size)]
            for page in pages:
                self.page(page)
            self.sitemap("/%d.xml" % n, pages)
            paths.append("/%d.xml" % n)
        self.index(*paths)

    def shares(self, *sizes):
        counts = [0] * len(sizes)
        for path in self.pages:
            counts[int(path.split("/")[1])] += 1
        return counts

    def test_spread(self):
        self.many([30, 30, 30, 30])
        first = set(self.check("--sample", "8", target="/index.xml"))
        self.assertEqual(self.shares(1, 1, 1, 1), [2, 2, 2, 2])
        self.assertEqual(set(self.check("--sample", "8", target="/index.xml")), first)
        self.check("--sample", "2", target="/index.xml")
        self.assertEqual(self.shares(1, 1, 1, 1), [0, 1, 0, 1])
        self.check("--sample", "6", target="/index.xml")
        self.assertEqual(sum(self.shares(1, 1, 1, 1)), 6)
        # within a document, too: not only those that come first
        numbers = sorted(int(p.split("/")[2]) for p in first if p.startswith("/0/"))
        order = sorted(str(n) for n in range(30))
        self.assertEqual([order.index(str(n)) // 15 for n in
                          sorted(numbers, key=lambda n: order.index(str(n)))], [0, 1])

    def test_uneven(self):
        """A sitemap with few pages gives all of them, and the others give the
        rest."""
        self.many([1, 20, 3])
        self.check("--sample", "12", target="/index.xml")
        self.assertEqual(self.shares(1, 1, 1), [1, 8, 3])
        self.assertEqual(len(self.check("--sample", "100", target="/index.xml")), 24)

    def test_listed_twice(self):
        for page in ("/a", "/b"):
            self.page(page)
        self.sitemap("/1.xml", ["/a", "/b"])
        self.sitemap("/2.xml", ["/a", "/b"])
        self.index("/1.xml", "/2.xml")
        self.assertEqual(set(self.check("--sample", "4", target="/index.xml")), {"/a", "/b"})
        self.assertEqual(self.asked().count("/a"), 1)

    def test_none_unless_asked_for(self):
        self.page("/a")
        self.sitemap("/sitemap.xml", ["/a"])
        self.assertEqual(self.check(), {})
        self.assertNotIn("/a", self.asked())

    def test_nothing_to_look_at(self):
        self.sitemap("/sitemap.xml", [])
        self.assertEqual(self.check("--sample", "5"), {})

    def test_a_limit_of_urls(self):
        """Pages beyond the limit are not sampled; listed pages are."""
        self.many([3, 3])
        self.check("--sample", "9", "--max-urls", "1", target="/index.xml", status=3)
        self.assertEqual(len(self.pages), 3)

    def test_delay(self):
        """Requests for documents and pages together keep the delay of their
        host."""
        self.many([3])
        self.check("--sample", "3", "--delay", "200ms", target="/index.xml")
        times = [r.at for r in self.server.requests]
        self.assertEqual(len(times), 6)
        for one, other in zip(times, times[1:]):
            self.assertGreater(other - one, 0.19)

    def test_headers_stay_at_home(self):
        """The operator's headers are sent only to the target's own origin."""
        other = "b.test:%d" % self.server.port
        self.server.put("b.test/b", "x", headers=HTML)
        self.server.redirect("/a", "http://%s/b" % other)
        self.look("/a", "-H", "X-Secret: 1", "--resolve", other + ":127.0.0.1")
        self.assertEqual([(r.target, r.header("X-Secret")) for r in self.server.requests
                          if r.host == other], [("/robots.txt", None), ("/b", None)])
        self.assertEqual({r.header("X-Secret") for r in self.server.requests
                          if r.host != other}, {"1"})

    def test_robots_of_another_host(self):
        """The robots.txt of a host to which a page redirects is obeyed, and is
        no document of the report."""
        other = "b.test:%d" % self.server.port
        self.server.put("b.test/robots.txt", "", status=500)
        self.server.redirect("/a", "http://%s/b" % other)
        page = self.look("/a", "--resolve", other + ":127.0.0.1")
        self.assertEqual(page["detail"],
                         "robots.txt cannot be had, so nothing may be asked for")
        self.assertEqual((self.summary["sitemaps"], self.summary["errors"], set(self.findings)),
                         (1, 0, {"url-redirects", "url-fetch-failed"}))

    def test_private_address(self):
        """HOSTILE T6: a public host cannot lead to a private one."""
        inside = self.site()
        inside.put("/b", "x", headers=HTML)
        origin = "http://a.test:%d" % self.server.port
        self.server.redirect("a.test/a", "http://10.0.0.1/b")
        self.server.redirect("a.test/c", inside.url("/b"))
        self.server.put("a.test/sitemap.xml", urlset([origin + "/a", origin + "/c"]), headers=XML)
        result = self.program.run("check", "--json", "--sample", "2", "--resolve",
                                  "a.test:%d:127.0.0.1" % self.server.port,
                                  origin + "/sitemap.xml")
        details = [r["detail"] for r in result.records() if r["record"] == "page"]
        self.assertEqual(len(details), 2, str(result))
        for detail in details:
            self.assertTrue(detail.startswith("is not followed: "), detail)
        self.assertEqual(inside.requests, [])

    def test_readers_in_the_process_itself(self):
        self.page("/a", canonical("/b"))
        self.assertEqual(self.look("/a", "--readers", "0")["canonical"], "another")

    def test_progress(self):
        self.many([2])
        result = self.program.run("check", "--sample", "2", "--delay", "700ms", "--progress",
                                  "json", self.url("/index.xml"))
        last = json.loads(result.err.splitlines()[-1])
        self.assertEqual((last["pages"], last["done"]), (2, 2))
        self.assertLessEqual(last["pages_done"], 2)

    # how it ends

    def test_exit_status(self):
        self.page("/a", canonical("/b"))
        self.look("/a")
        self.look("/a", "--fail-on", "warning", status=1)

    def test_files(self):
        path = self.program.folder + "/sitemap.xml"
        with open(path, "w", encoding="utf-8") as f:
            f.write(urlset(["http://a.test/"]))
        result = self.program.run("check", "--sample", "1", path)
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("'--sample' looks at listed pages", result.err)
        for value in ("-1", "x", "1000001"):
            result = self.program.run("check", "--sample", value, self.url("/"))
            self.assertEqual(result.status, 2, str(result))
