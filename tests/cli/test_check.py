"""freshet check: the report of sites that are broken in one way each."""
import datetime
import json
import os
import re
import signal
import time

import processes
from case import NAMESPACE, Case, gz, index, urlset
from late import assert_sooner
from program import TOP, interrupt

SITES = os.path.join(TOP, "tests", "sites")
ORIGIN = "http://shop.example"


def stamp(text):
    """A document whose dates depend on today."""
    now = datetime.datetime.now(datetime.timezone.utc)
    later = now + datetime.timedelta(days=30)
    return (text.replace(b"@NOW@", now.strftime("%Y-%m-%dT%H:%M:%SZ").encode())
            .replace(b"@TODAY@", now.strftime("%Y-%m-%d").encode())
            .replace(b"@FUTURE@", later.strftime("%Y-%m-%d").encode()))


def made(answer, body):
    """Documents that are too large for a file, or are made from one."""
    if "many" in answer:
        body = urlset("%s/tea/%d" % (ORIGIN, n) for n in range(answer["many"])).encode()
    if "pad" in answer:
        body = urlset([ORIGIN + "/tea/1", ORIGIN + "/tea/2"]).encode()
        end = b"</urlset>\n"
        body = body[:-len(end)].ljust(answer["pad"] - len(end)) + end
    if answer.get("gzip"):
        body = gz(body)
    if answer.get("spoil"):
        body = body[:-8] + b"\0\0\0\0" + body[-4:]
    if "cut" in answer:
        body = body[:-answer["cut"]]
    return body + answer.get("tail", "").encode()


class Check(Case):
    def check(self, *args, status=0, **kwargs):
        """Run check -f json. Returns {path: record}, the findings by code, and
        the summary."""
        result = self.program.run("check", "--json", "--progress", "off", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        records = result.records()
        self.result = result
        self.documents = {r["path"]: r for r in records if r["record"] == "document"}
        self.findings = {r["code"]: r for r in records if r["record"] == "finding"}
        self.summary = next(r for r in records if r["record"] == "summary")
        return self.documents

    def serve(self, name):
        """Serve a site of tests/sites. Returns its manifest, and the options
        that lead to it."""
        folder = os.path.join(SITES, name)
        with open(os.path.join(folder, "site.json"), encoding="utf-8") as f:
            manifest = json.load(f)
        answers = manifest.get("answers", {})
        paths = set(answers)
        for at, _, files in os.walk(folder):
            paths |= {os.path.join(at, f)[len(folder):] for f in files}
        server = self.site()
        for path in paths - {"/site.json"}:
            answer = answers.get(path, {})
            body = b""
            if os.path.exists(folder + path):
                with open(folder + path, "rb") as f:
                    body = stamp(f.read())
            if "location" in answer:
                server.redirect(path, answer["location"])
            else:
                server.put(path, made(answer, body), status=answer.get("status", 200),
                           headers=list(answer.get("headers", {}).items()))
        return manifest, ("--connect-to", "::127.0.0.1:%d" % server.port)

    def codes(self):
        """Returns {code: sorted paths of the documents that have it}."""
        found = {}
        for path, record in self.documents.items():
            for finding in record["findings"]:
                found.setdefault(finding["code"], []).append(path.replace(ORIGIN, "", 1))
        return {code: sorted(paths) for code, paths in found.items()}


class Sites(Check):
    """Each folder of tests/sites provokes exactly what its manifest says."""

    def look(self, name):
        manifest, options = self.serve(name)
        self.check(*options, "--retry", "0", *manifest.get("options", []),
                   ORIGIN + manifest.get("target", "/"), status=manifest["exit"])
        self.assertEqual(self.codes(), {c: sorted(p) for c, p in manifest["codes"].items()},
                         str(self.result))
        for path, status in manifest.get("status", {}).items():
            self.assertEqual(self.documents[ORIGIN + path]["status"], status, path)
        for path, shape in manifest.get("shapes", {}).items():
            self.assertEqual(self.documents[ORIGIN + path]["lastmod_shape"], shape, path)
        for code, count in manifest.get("counts", {}).items():
            self.assertEqual(self.findings[code]["count"], count, code)
        for code, text in manifest.get("text", {}).items():
            self.assertIn(text, [s["text"] for s in self.findings[code]["samples"]], code)

    def test_text_and_page(self):
        """The other formats report the same codes."""
        for name in ("bad-urls", "bot-wall"):
            manifest, options = self.serve(name)
            for form in ("text", "html", "junit", "github", "sarif"):
                with self.subTest(name=name, form=form):
                    result = self.program.run("check", "-f", form, *options, ORIGIN + "/")
                    self.assertEqual(result.status, 1, str(result))
                    for code in manifest["codes"]:
                        self.assertIn(code, result.out, str(result))


def add_sites():
    """One test for each folder, so that a failure names it."""
    for name in sorted(os.listdir(SITES)):
        def test(self, name=name):
            self.look(name)
        setattr(Sites, "test_" + re.sub(r"\W", "_", name), test)


add_sites()


class Report(Check):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.named = ("--connect-to", "::127.0.0.1:%d" % self.server.port)

    def put(self, children=3, entries=5):
        self.server.put("/robots.txt", "User-agent: *\nSitemap: %s/index.xml\n" % ORIGIN)
        self.server.put("/index.xml", index("%s/%d.xml.gz" % (ORIGIN, n)
                                            for n in range(children)))
        for n in range(children):
            self.server.put("/%d.xml.gz" % n, gz(urlset(
                ("%s/%d/%d" % (ORIGIN, n, k), "2025-01-%02d" % (k % 28 + 1))
                for k in range(entries))))

    def test_counts(self):
        self.put()
        documents = self.check(*self.named, ORIGIN + "/")
        self.assertEqual(list(documents), [ORIGIN + p for p in (
            "/robots.txt", "/index.xml", "/0.xml.gz", "/1.xml.gz", "/2.xml.gz")])
        child = documents[ORIGIN + "/1.xml.gz"]
        self.assertEqual((child["status"], child["type"], child["accepted"], child["dated"],
                          child["newest"], child["gzip_layers"], child["parent"]),
                         ("success", "sitemap", 5, 5, "2025-01-05", 1, ORIGIN + "/index.xml"))
        self.assertEqual((self.summary["sitemaps"], self.summary["success"],
                          self.summary["urls"], self.summary["exit"]), (4, 4, 15, 0))
        # nothing is asked for twice, and no store is made
        self.assertEqual(len(self.server.requests), 5)
        self.assertEqual(os.listdir(self.program.folder), [])

    def test_a_word_of_before(self):
        """What scripts and configurations of before ask for is always judged now."""
        self.put(children=1)
        counts = [self.check(*self.named, ORIGIN + "/")]
        counts.append(self.check("--extensions", *self.named, ORIGIN + "/"))
        conf = os.path.join(self.program.folder, "conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write("[defaults]\nextensions = yes\n")
        counts.append(self.check("--config", conf, *self.named, ORIGIN + "/"))
        self.assertEqual([list(documents) for documents in counts], [list(counts[0])] * 3)

    def test_coverage(self):
        """Only accepted entries count in the share of entries with a date."""
        there, other = [ORIGIN + "/%d" % n for n in range(3)], "http://other.example/"
        for number, (entries, said) in enumerate((
                ([(url, "2025-01-05") for url in there] + [(other, "2025-01-05")],
                 "lastmod 100 % of 3 accepted URLs"),
                ([(there[0], "2025-01-05"), there[0], there[1]], "lastmod 50 % of 2 accepted URLs"),
                ([(there[0], "2025-01-05"), there[1]], "lastmod 50 %"),
                ([there[0], (other, "2025-01-05")], "no lastmod"),
                ([(other, "2025-01-05")], None))):
            with self.subTest(said=said):
                path = "/%d.xml" % number
                self.server.put(path, urlset(entries))
                out = self.program.run("check", *self.named, ORIGIN + path).out
                self.assertEqual(re.findall("lastmod [0-9]+ %(?: of [0-9]+ accepted URLs)?|no lastmod", out),
                                 [said] if said else [], out)

    def test_bases(self):
        """The report says what a row counts: URLs, accepted URLs, sitemaps, or
        entries of an index."""
        self.put(2)
        self.server.put("/index.xml", index(ORIGIN + "/%d.xml.gz" % n for n in (0, 1, 0)))
        self.server.put("/0.xml.gz", urlset([(ORIGIN + "/1", "2025-01-05"), ORIGIN + "/2",
                                             "http://other.example/"]))
        out = self.program.run("check", *self.named, ORIGIN + "/").out
        self.assertIn("\n  2 sitemaps   1 success   1 has errors   1 entry listed already\n", out)
        self.assertRegex(out, r"\n  /0.xml.gz +3 +50 %.*\n +host-mismatch, lastmod of 2 accepted URLs\n")
        self.assertRegex(out, r"\n  /1.xml.gz +5 +100 %.*\n(?!.* accepted)")
        self.assertIn(" 7 URLs accepted, 1 refused ", out)
        page = self.program.run("check", "-f", "html", *self.named, ORIGIN + "/").out
        self.assertEqual(page.count('<span class="soft">of 2 accepted</span>'), 1)
        self.put(6, 100)
        out = self.program.run("check", *self.named, "--max-urls", "100", ORIGIN + "/").out
        self.assertRegex(out, r"\n  \d sitemaps?   \d success   \d entr(y|ies) not read\n")

    def test_fail_on(self):
        self.server.put("/warn.xml", urlset([(ORIGIN + "/a", "yesterday")]))
        self.server.put("/info.xml", urlset([ORIGIN + "/a#b"]))
        for path, severity, status in (("/warn.xml", "error", 0), ("/warn.xml", "warning", 1),
                                       ("/info.xml", "warning", 0), ("/info.xml", "info", 1)):
            with self.subTest(path=path, severity=severity):
                self.check(*self.named, "--fail-on", severity, ORIGIN + path, status=status)

    def test_cookie_is_named(self):
        """A redirect that ends only for whoever sends its cookie back."""
        for cookies, named in ((["locale=en; path=/", "b=c"], True), ([], False), (["locale"], False)):
            with self.subTest(cookies=cookies):
                self.server.put("/s.xml", status=302, headers=[("Location", ORIGIN + "/s.xml")] + [
                    ("Set-Cookie", cookie) for cookie in cookies])
                self.check(*self.named, ORIGIN + "/s.xml", status=4)
                text = self.findings["fetch-redirect-loop"]["samples"][0]["text"]
                self.assertEqual("cookie 'locale'" in text, named, text)
                self.assertEqual("cookie" in text, named, text)

    def test_charset_of_the_media_type(self):
        body = urlset([ORIGIN + "/a"])
        latin = "<?xml version='1.0' encoding='iso-8859-1'?>" + body[body.index("<urlset"):]
        for kind, text, is_wrong in (
                ("application/xml; charset=iso-8859-1", body, True),
                ('text/xml;q=1;Charset="windows-1252"', body, True),
                ("application/xml", body, False), ("application/xml; charset=UTF-8", body, False),
                ('application/xml; charset="utf-8"', body, False), ("text/xml; charset=", body, False),
                ("application/xml; charset=iso-8859-1", latin, False)):
            with self.subTest(kind=kind, text=text[:50]):
                self.server.put("/s.xml", text, headers=[("Content-Type", kind)])
                self.check(*self.named, ORIGIN + "/s.xml")
                self.assertEqual("wrong-content-type" in self.codes(), is_wrong, str(self.result))
                if is_wrong:
                    self.assertEqual(self.findings["wrong-content-type"]["samples"][0]["text"], kind)

    def test_remarks_have_remedies(self):
        self.server.put("/s.xml", urlset([ORIGIN + "/a#b"]))
        out = self.program.run("check", *self.named, ORIGIN + "/s.xml").out
        self.assertIn("remarks (1 kind, 1 time)", out)
        self.assertIn("    remedy: ", out)
        self.assertIn("all is well but for remarks in 1 sitemap ", out)
        self.server.put("/s.xml", urlset([ORIGIN + "/a"]))
        self.assertIn("all is well with 1 sitemap ", self.program.run("check", *self.named, ORIGIN + "/s.xml").out)

    def test_text_before_xml(self):
        for front in ("\ufeff\ufeff", "<br />\n<b>Warning</b>: x in y.php on line 3<br />\n", "Notice: x\n"):
            with self.subTest(front=front):
                self.server.put("/s.xml", front + urlset([ORIGIN + "/a"]))
                self.check(*self.named, ORIGIN + "/s.xml", status=1)
                self.assertIn("before <?xml", self.findings["unsupported-format"]["remedy"])

    def test_line_of_robots(self):
        """Two schemes, or two URLs: the line is told, and no host is asked for that nobody meant."""
        good = ORIGIN + "/s.xml"
        self.server.put("/s.xml", urlset([ORIGIN + "/a"]))
        for line in ("http://" + good, good + " " + good):
            with self.subTest(line=line):
                self.server.put("/robots.txt", "User-agent: *\nAllow: /\nSitemap: %s\n" % line)
                self.check(*self.named, ORIGIN + "/", status=4)
                self.assertEqual([(s["line"], s["text"]) for s in self.findings["robots-bad-sitemap"]["samples"]],
                                 [(3, line)])

    def test_keys_of_robots(self):
        """A key that is meant to be Sitemap is told, and nothing else about it; others are not."""
        self.server.put("/sitemap.xml", urlset([ORIGIN + "/a"]))
        for key, is_told in (("Sitemaps", True), ("Site map", True), ("Sitmap", True), ("sitemap_index", True),
                             ("Sitemap-URL", True), ("SITEMAP", False), ("Sitter", False)):
            with self.subTest(key=key):
                self.server.put("/robots.txt", "User-agent: *\nAllow: /\n%s: %s/sitemap.xml\n" % (key, ORIGIN))
                self.check(*self.named, ORIGIN + "/")
                codes = {"robots-sitemap-key"} if is_told else set() if key == "SITEMAP" else {"sitemap-guessed"}
                self.assertEqual(set(self.findings), codes)

    def test_titles_of_error_pages(self):
        """Short pages whose title says so; neither a long article nor other words."""
        pages = {"/a": "Not found", "/b": "Shop - Not Found", "/c": "404", "/d": "Page not found | Shop",
                 "/e": "Not Found &ndash; Shop", "/f": "Tea", "/g": "Lost, not found yet: tea", "/h": "404 errors"}
        for path, title in pages.items():
            self.server.put(path, "<!doctype html><title>%s</title><p>%s" % (
                title, "words " * (400 if path == "/h" else 9)), headers=[("Content-Type", "text/html")])
        self.server.put("/s.xml", urlset([ORIGIN + path for path in pages]))
        self.check(*self.named, "--sample", "20", "--delay", "0", ORIGIN + "/s.xml")
        gone = {r["path"] for r in self.result.records() if r["record"] == "page" and "url-soft-404" in r["codes"]}
        self.assertEqual(gone, {ORIGIN + path for path in "/a /b /c /d /e".split()})

    def test_what_costs_a_document(self):
        """A code because of which a document is lost is an error in every
        format, even if the code is usually a warning."""
        self.put()
        self.server.put("/1.xml.gz", "", status=429, headers=[("Retry-After", "1")])
        args = (*self.named, "--retry", "0", ORIGIN + "/")
        self.check(*args, status=1)
        self.assertEqual(self.documents[ORIGIN + "/1.xml.gz"]["status"], "couldnt-fetch")
        self.assertEqual([(c, f["severity"]) for c, f in self.findings.items()],
                         [("fetch-rate-limited", "error")])
        self.assertEqual(self.findings["fetch-rate-limited"]["samples"][0]["text"],
                         "status 429, Retry-After: 1 s")
        self.assertEqual((self.summary["errors"], self.summary["exit"]), (1, 1))
        for form, words in (("text", "errors (1 kind, 1 time)"),
                            ("github", "::error file="), ("html", 'sev-error" id="fetch-rate'),
                            ("junit", ">error: fetch-rate-limited"),
                            ("sarif", '"level":"error"')):
            with self.subTest(form=form):
                result = self.program.run("check", "-f", form, *args)
                self.assertEqual(result.status, 1, str(result))
                self.assertIn(words, result.out)

    def test_severities_of_two_profiles(self):
        """One code may have two severities, which are counted apart, because
        sites may be judged by different profiles."""
        bare = ' xmlns="%s"' % NAMESPACE
        for host in ("a.example", "b.example"):
            self.server.put(host + "/s.xml", urlset(["http://%s/1" % host]).replace(bare, ""))
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[site b.example]\nprofile = strict\n")
        result = self.program.run("check", "--json", "--config", path, *self.named,
                                  "http://a.example/s.xml", "http://b.example/s.xml")
        self.assertEqual(result.status, 1, str(result))
        rows = [(r["code"], r["severity"], r["count"]) for r in result.records()
                if r["record"] == "finding"]
        self.assertEqual(rows, [("missing-namespace", "error", 1),
                                ("missing-namespace", "warning", 1)])
        page = self.program.run("check", "-f", "html", "--config", path, *self.named,
                                "http://a.example/s.xml", "http://b.example/s.xml").out
        self.assertEqual(re.findall('<details class="[^"]*item[^"]*" id="([^"]*)"', page), ["missing-namespace"])

    def test_dates_of_one_day(self):
        """Dates of one day: the report gives the numbers, a remedy and a status
        of its own. Small sitemaps are counted together."""
        self.put(3, 30)
        self.server.put("/0.xml.gz", gz(urlset((ORIGIN + "/0/%d" % n, "2024-01-03")
                                               for n in range(30))))
        self.server.put("/1.xml.gz", gz(urlset((ORIGIN + "/1/%d" % n, "2024-01-%02d" % (
            3 if n < 27 else n)) for n in range(30))))
        self.check(*self.named, "--fail-on", "warning", ORIGIN + "/")
        self.check(*self.named, "--fail-on", "info", ORIGIN + "/", status=1)
        self.assertEqual(self.codes(), {"lastmod-frozen": ["/0.xml.gz", "/1.xml.gz"]})
        finding = self.findings["lastmod-frozen"]
        self.assertEqual([s["text"] for s in finding["samples"]], [
            "30 of 30 dates are of 2024-01-03", "27 of 30 dates are of 2024-01-03"])
        out = self.program.run("check", *self.named, ORIGIN + "/").out
        self.assertRegex(out, r"\n  /0.xml.gz +30 +100 % +2024-01-03 +success\n  /1")
        self.assertIn("remedy: if pages changed since: search engines ignore all dates", out)
        self.assertIn("all is well but for remarks in ", out)
        for children, entries, dated in ((4, 5, True), (4, 4, False), (3, 20, False)):
            with self.subTest(children=children, entries=entries):
                self.put(children, entries)
                for n in range(children if entries < 20 else 0):
                    self.server.put("/%d.xml.gz" % n, gz(urlset(
                        ("%s/%d/%d" % (ORIGIN, n, k), "2024-01-03") for k in range(entries))))
                self.check(*self.named, ORIGIN + "/")
                self.assertEqual(self.codes(), {"lastmod-frozen": ["/index.xml"]} if dated else {})
                if dated:
                    self.assertEqual(
                        self.findings["lastmod-frozen"]["samples"][0]["text"],
                        "20 of 20 dates in its 4 sitemaps with fewer than 20 of them are of "
                        "2024-01-03")

    def test_an_index_that_is_behind(self):
        self.put(1)
        self.server.put("/index.xml", index([(ORIGIN + "/0.xml.gz", "2025-01-03")]))
        self.check(*self.named, "--fail-on", "warning", ORIGIN + "/", status=1)
        self.assertEqual(self.findings["lastmod-backwards"]["samples"], [
            {"path": ORIGIN + "/0.xml.gz", "line": None, "entry": None, "loc": None,
             "text": "the index says 2025-01-03, the newest entry 2025-01-05", "meant": None, "new": None}])
        # what lies ahead is another fault
        self.server.put("/0.xml.gz", gz(urlset([(ORIGIN + "/0", "2099-01-01")])))
        self.check(*self.named, ORIGIN + "/")
        self.assertEqual(list(self.findings), ["lastmod-future"])

    def test_sandbox(self):
        """JSON says what held the readers; text and page say so only if nothing
        did."""
        self.server.put("/s.xml", urlset([ORIGIN + "/a"]))
        for args, word in (((), ("jailed", "unsupported")), (("--sandbox", "off"), ("off",)),
                           (("--readers", "0"), ("in-process",))):
            with self.subTest(args=args):
                self.check(*self.named, *args, ORIGIN + "/s.xml")
                said = self.summary["sandbox"]
                self.assertIn(said, word)
                for form in ("text", "html"):
                    result = self.program.run("check", "-f", form, *self.named, *args,
                                              ORIGIN + "/s.xml")
                    self.assertEqual("readers not sandboxed: " + said in result.out,
                                     said != "jailed", str(result))
                crawl = self.crawl("--force", *self.named, *args, ORIGIN + "/s.xml")
                self.assertEqual(crawl.result.records()[-1]["sandbox"], said)

    def test_profiles(self):
        """The profile decides the severity."""
        self.server.put("/a.xml", urlset([ORIGIN + "/a"]).replace(' xmlns="%s"' % NAMESPACE, ""))
        self.check(*self.named, ORIGIN + "/a.xml")
        self.assertEqual(self.findings["missing-namespace"]["severity"], "warning")
        self.check(*self.named, "--profile", "strict", ORIGIN + "/a.xml", status=1)
        self.assertEqual(self.findings["missing-namespace"]["severity"], "error")

    def test_login(self):
        """--user-file and -H are sent only to the target's own origin."""
        self.put(1)
        path = os.path.join(self.program.folder, "password")
        with open(path, "w", encoding="utf-8") as f:
            f.write("me:pw\n")
        self.check(*self.named, "--user-file", path, "-H", "X-Staging: 1", ORIGIN + "/")
        request, = self.server.asked("/0.xml.gz")
        self.assertEqual((request.header("Authorization"), request.header("X-Staging")),
                         ("Basic bWU6cHc=", "1"))

    def test_extensions_and_schema(self):
        body = urlset([ORIGIN + "/a"]).replace(
            "</loc>", "</loc><image:image xmlns:image='http://www.google.com/schemas/"
            "sitemap-image/1.1'/><lastmod>2025-01-01</lastmod>")
        self.server.put("/a.xml", body)
        self.check(*self.named, ORIGIN + "/a.xml")
        self.assertEqual(self.codes(), {"image-missing-loc": ["/a.xml"]})
        self.check(*self.named, "--schema", ORIGIN + "/a.xml")
        self.assertEqual(self.codes(), {"image-missing-loc": ["/a.xml"], "element-order": ["/a.xml"]})

    def test_return_links(self):
        """R-112 across documents: only links that are not returned are
        reported."""
        def page(path, *others):
            links = "".join('<x:link rel="alternate" hreflang="%s" href="%s%s"/>'
                            % (code, ORIGIN, to) for code, to in others)
            return "<url><loc>%s%s</loc>%s</url>" % (ORIGIN, path, links)

        def sitemap(*pages):
            return ('<urlset xmlns="%s" xmlns:x="http://www.w3.org/1999/xhtml">%s</urlset>'
                    % (NAMESPACE, "".join(pages)))
        both = (("en", "/en/1"), ("de", "/de/1"))
        self.server.put("/robots.txt", "")
        self.server.put("/index.xml", index([ORIGIN + "/en.xml", ORIGIN + "/de.xml"]))
        self.server.put("/en.xml", sitemap(page("/en/1", *both),
                                           page("/en/2", ("en", "/en/2"), ("de", "/de/2"))))
        self.server.put("/de.xml", sitemap(page("/de/1", *both), page("/de/2")))
        self.check(*self.named, ORIGIN + "/index.xml")
        self.assertEqual(self.codes(), {"hreflang-no-return": ["/en.xml"]})
        self.assertEqual(self.findings["hreflang-no-return"]["count"], 1)
        # a page that one document lists without links, and another with them
        self.server.put("/en.xml", sitemap(page("/en/1", *both), page("/de/1")))
        self.check(*self.named, ORIGIN + "/index.xml")
        self.assertNotIn("hreflang-no-return", self.codes())

    def test_several_targets(self):
        self.put(1)
        self.server.put("/extra.xml", urlset([ORIGIN + "/a"]))
        self.check(*self.named, "-", input="%s/\n%s/extra.xml\n" % (ORIGIN, ORIGIN))
        self.assertEqual(self.summary["targets"], [ORIGIN + "/", ORIGIN + "/extra.xml"])
        self.assertEqual(self.documents[ORIGIN + "/extra.xml"]["target"], ORIGIN + "/extra.xml")
        self.assertEqual(self.documents[ORIGIN + "/0.xml.gz"]["target"], ORIGIN + "/")

    def test_nobody(self):
        self.server.close()
        self.check(*self.named, "--retry", "0", ORIGIN + "/", status=4)
        self.assertEqual(self.summary["sitemaps"], 0)
        # robots.txt is one document, whatever was said of it on the way
        self.assertEqual(list(self.documents), [ORIGIN + "/robots.txt"])
        self.assertEqual(self.findings["fetch-network-error"]["count"], 1)
        result = self.program.run("check", *self.named, "--retry", "0", ORIGIN + "/")
        self.assertIn("\nnothing could be read \u00b7 0 URLs", result.out)

    def test_several_origins(self):
        """Each origin is reported apart, with its own paths; the report also
        says where nothing was found."""
        self.put(1)
        for host, n in (("a.example", 2), ("b.example", 1)):
            for k in range(n):
                self.server.put("%s/%d.xml" % (host, k), urlset(["http://%s/x" % host]))
            self.server.put(host + "/robots.txt", "".join(
                "Sitemap: http://%s/%d.xml\n" % (host, k) for k in range(n)))
        self.server.put("c.example/robots.txt", "", status=404)
        for path in ("/sitemap.xml", "/sitemap_index.xml"):
            self.server.put("c.example" + path, "", status=404)
        result = self.program.run("check", *self.named, "http://c.example/",
                                  "http://b.example/", "http://a.example/", ORIGIN + "/")
        self.assertEqual(result.status, 1, str(result))
        parts = result.out.split("\n\n")
        self.assertEqual(len(parts), 5, str(result))
        self.assertIn("sitemaps of http://a.example without an index that was read\n  2 sitemaps", parts[0])
        self.assertIn("\n  /1.xml  ", parts[0])
        self.assertIn("sitemap  http://b.example/0.xml", parts[1])
        self.assertIn("robots.txt   404  there is none, all may be read\n"
                      "http://c.example  no sitemap was found", parts[2])
        self.assertIn("\n  /0.xml.gz  ", parts[3])
        self.assertIn("no-sitemap-found", parts[4])
        self.assertIn("all is well but for remarks in 4 sitemaps and 1 index, 1 target has none", parts[4])

    def test_sitemaps_named_one_by_one(self):
        """No index was read, so it is not known whether one lists the
        sitemaps."""
        self.server.put("/robots.txt", "Sitemap: %s/index.xml\n" % ORIGIN)
        self.server.put("/index.xml", index([ORIGIN + "/0.xml", ORIGIN + "/1.xml"]))
        for n in range(4):
            self.server.put("/%d.xml" % n, urlset([ORIGIN + "/x%d" % n]))
        urls = ["%s/%d.xml" % (ORIGIN, n) for n in range(3)]
        result = self.program.run("check", *self.named, *urls)
        self.assertNotIn("no index lists", result.out)
        self.assertIn("\nsitemaps without an index that was read\n  3 sitemaps   3 success\n", result.out)
        # one was: it lists two of them
        result = self.program.run("check", *self.named, ORIGIN + "/index.xml", urls[2],
                                  ORIGIN + "/3.xml")
        self.assertIn("\nsitemaps without an index that was read\n", result.out)

    def test_long_texts_on_the_page(self):
        """Long texts are shown without their middle, but the link has the whole
        URL."""
        path = "/%s.xml" % ("x" * 1900)
        self.server.put("/robots.txt", "")
        self.server.put("/index.xml", index([ORIGIN + path]))
        self.server.put(path, urlset(["http://other.example/" + "y" * 1900]))
        targets = [ORIGIN + "/index.xml"] + ["%s/%d.xml" % (ORIGIN, n) for n in range(6)]
        page = self.program.run("check", "-f", "html", *self.named, *targets).out
        self.assertIn('href="%s%s"' % (ORIGIN, path), page)
        self.assertNotRegex(page, ">[^<>]*x{200}")
        self.assertNotIn("y" * 200, page)
        self.assertIn("</span> and 2 more</h1>", page)

    def test_which_are_repeated(self):
        """Repeated URLs are shown once each; lastmod is reported for accepted
        entries."""
        self.put(1)
        self.server.put("/0.xml.gz", urlset(
            [(ORIGIN + "/a", "2025-01-01")] * 3 + [ORIGIN + "/b/../c", ORIGIN + "/c"] +
            [("http://other.example/", "2025-01-01")] * 5))
        self.check(*self.named, ORIGIN + "/", status=1)
        finding = self.findings["duplicate-url"]
        self.assertEqual((finding["count"], [s["text"] for s in finding["samples"]]),
                         (3, [ORIGIN + "/a is also entry 1", ORIGIN + "/c is also entry 4"]))
        self.assertEqual([(s["line"], s["entry"], s["loc"]) for s in finding["samples"]],
                         [(4, 2, ORIGIN + "/a"), (7, 5, ORIGIN + "/c")])
        out = self.program.run("check", *self.named, ORIGIN + "/").out
        self.assertIn("  /0.xml.gz    10     50 %  2025-01-01  has errors\n", out)

    def test_lines_of_robots(self):
        self.put(1)
        self.server.put("/robots.txt", "\ufeffAllow: /\r\n\rUser-agent: *\nDisalow: /a\n"
                        "Sitemap: /x.xml\nSitemap: %s/index.xml\n" % ORIGIN)
        self.check(*self.named, ORIGIN + "/")
        lines = {code: finding["samples"][0]["line"] for code, finding in self.findings.items()}
        self.assertEqual(lines, {"robots-bom": None, "robots-rule-outside-group": 1,
                                 "robots-typo": 4, "robots-relative-sitemap": 5})

    def test_http_after_https(self):
        """A host that does not speak https has no sitemap missing."""
        self.put(1)
        with self.site() as nobody:
            port = nobody.port
        hosts = ("--connect-to", "shop.example:443:127.0.0.1:%d" % port,
                 "--connect-to", "shop.example:80:127.0.0.1:%d" % self.server.port)
        self.check(*hosts, "--retry", "0", "--delay", "0", "shop.example")
        self.assertEqual((self.summary["sitemaps"], self.summary["errors"]), (2, 0))
        self.assertRegex(self.result.err, "^freshet: https://shop.example/robots.txt: "
                         ".*; going on with http\n$")

    def test_limit(self):
        self.put(6, 100)
        self.check(*self.named, "--max-urls", "100", ORIGIN + "/", status=3)

    def test_interrupt(self):
        """Exit status 130, with the report of what was read, and without
        leftovers."""
        self.put(1)
        self.server.put("/0.xml.gz", b"", delay=20)
        process = self.program.start("check", *self.named, ORIGIN + "/")
        self.server.wait_for("/0.xml.gz")
        # the index is committed when nothing is left to do
        spent = -1
        while spent != processes.cpu_s(process.pid):
            spent = processes.cpu_s(process.pid)
            time.sleep(0.3)
        status, out, err, _ = interrupt(process, signal.SIGINT)
        self.assertEqual(status, 130, out + err)
        self.assertIn("/index.xml", out)
        self.assertIn("interrupted", err)
        self.assertEqual(os.listdir(self.program.folder), [])

    def test_killed(self):
        """A killed check leaves nothing behind either."""
        self.put(1)
        self.server.put("/0.xml.gz", b"", delay=20)
        process = self.program.start("check", *self.named, ORIGIN + "/")
        self.server.wait_for("/0.xml.gz")
        process.kill()
        process.communicate()
        self.assertEqual(os.listdir(self.program.folder), [])

    def test_beside_a_crawl(self):
        """The check does not touch the store, which may even be an invalid
        file."""
        self.put(1)
        with open(self.program.store, "w", encoding="utf-8") as f:
            f.write("no store")
        self.check(*self.named, ORIGIN + "/")


class Below(Check):
    """Targets that end in a slash: sites below a path of their host."""

    PAGE = b"<!DOCTYPE html><html><head><title>x</title></head><body>x</body></html>"

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.options = ("--connect-to", "::127.0.0.1:%d" % self.server.port, "--delay", "0",
                        "--retry", "0")

    def test_places(self):
        """The sitemap of the host is found although the typed URL is a page."""
        url = "http://docs.test/guide/"
        self.server.put("/guide/", self.PAGE, headers=[("Content-Type", "text/html")])
        self.server.put("/guide/sitemap.xml", urlset([url + "a"]))
        self.check(*self.options, url)
        self.assertEqual(set(self.documents), {"http://docs.test/robots.txt", url + "sitemap.xml"})
        self.assertEqual((self.summary["urls"], self.summary["targets"]), (1, [url]))
        self.assertEqual(self.server.targets(), ["/guide/sitemap_index.xml", "/guide/sitemap.xml"])
        result = self.program.run("compare", *self.options, url)
        self.assertEqual(result.status, 0, str(result))
        self.crawl(*self.options, url)
        self.assertEqual(self.program.run("export", "-f", "urls").out, url + "a\n")
        self.server.put("/guide/sitemap_index.xml", index([url + "sitemap.xml"]))
        self.check(*self.options, url, url, url + "sitemap.xml")
        self.assertEqual(set(self.documents), {"http://docs.test/robots.txt",
                                               url + "sitemap_index.xml", url + "sitemap.xml"})
        self.assertEqual((self.summary["urls"], self.summary["lost_targets"]), (1, 0))

    def test_pages_at_the_places(self):
        """If a host answers every request with a page, the next default
        location is tried."""
        url = "http://docs.test/guide/"
        self.server.put("/guide/sitemap_index.xml", self.PAGE)
        self.server.put("/guide/sitemap.xml", urlset([url + "a"]))
        self.check(*self.options, url)
        self.assertEqual(self.documents[url + "sitemap.xml"]["status"], "success")

    def test_start_page(self):
        """Where robots.txt names nothing, the start page is asked first where to look."""
        usual, home = ["/sitemap_index.xml", "/sitemap.xml"], "http://shop.test/"
        others = ["/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.txt"]
        made = "<meta name=generator content='%s'>"
        for says, link, asked in (
                ("", None, usual + others),
                (made % "Nobody 1.0", None, usual + others),
                (made % "WordPress 6.1.9", None, usual + ["/wp-sitemap.xml", "/?sitemap=index"]),
                (made % "DokuWiki", None, usual + ["/doku.php?do=sitemap"]),
                (made % "Astro v7.3", None, usual + ["/sitemap-index.xml"]),
                ("<link rel=sitemap href=all.xml>", None, ["/all.xml"] + usual + others),
                ("", "<all.xml>; rel=sitemap", ["/all.xml"] + usual + others),
                # one that may list only what is below it comes last
                ("<link rel=sitemap href=maps/all.xml>", None, usual + others + ["/maps/all.xml"]),
                ("<base href=/x/><link rel=sitemap href=all.xml>", None, usual + others + ["/x/all.xml"]),
                # a page proves nothing for another site
                ("<link rel=sitemap href=http://other.test/s.xml>", None, usual + others)):
            with self.subTest(says=says, link=link):
                self.server.put("/", "<!doctype html><title>t</title>%s<p>x" % says, headers=[
                    ("Content-Type", "text/html")] + ([("Link", link)] if link else []))
                before = len(self.server.targets())
                self.check(*self.options, home, status=4)
                self.assertEqual(self.server.targets()[before:], ["/"] + asked)
                # what is there is read, and nothing behind it
                first = asked[0] if asked[0] not in usual else asked[-1]
                self.server.put(first, urlset([home.rstrip("/") + first[:first.rindex("/") + 1] + "a"]))
                self.check(*self.options, home)
                self.assertEqual(self.summary["urls"], 1)
                self.assertEqual(self.server.targets()[-1], first)
                self.server.put(first, "", status=404)
        # a start page that cannot be read ends no search
        before = len(self.server.targets())
        self.server.put("/", "", status=500)
        self.check(*self.options, home, status=4)
        self.assertEqual(self.server.targets()[before:], ["/"] + usual + others)
        # robots.txt holds for the start page, too
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /$\n")
        before = len(self.server.targets())
        self.check(*self.options, home, status=4)
        self.assertEqual(self.server.targets()[before:], usual + others)

    def test_document(self):
        """The URL of a feed may end in a slash: it is read after the default
        locations."""
        url = "http://blog.test/feed/"
        self.server.put("/feed/", urlset(["http://blog.test/feed/1"]))
        self.check(*self.options, url)
        self.assertEqual(self.documents[url]["status"], "success")
        asked = ["/feed/sitemap_index.xml", "/feed/sitemap.xml", "/feed/"]
        self.assertEqual(self.server.targets(), asked)
        self.crawl(*self.options, url)
        self.assertEqual(self.server.targets(), 2 * asked)

    def test_nothing(self):
        """The target fails, not a default location that nobody typed."""
        url = "http://docs.test/none/"
        self.check(*self.options, url, status=4)
        self.assertEqual(self.documents[url]["http_status"], 404)
        self.assertNotIn(url + "sitemap.xml", self.documents)
        # of a host that refuses all nothing is asked
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /\n")
        self.check(*self.options, url, status=4)
        self.assertEqual(self.server.targets()[3:], [])

    def test_page(self):
        """If the target is a page, the message says what to type instead."""
        url = "http://www.shop.test/ok"
        self.server.put("/ok", self.PAGE, headers=[("Content-Type", "text/html")])
        said = ("freshet: %s is a web page, not a sitemap; to find its site's: "
                "freshet check http://www.shop.test\n" % url)
        self.check(*self.options, url, status=1)
        self.assertEqual(self.result.err, said)
        self.assertIn("not a web page", self.findings["html-not-sitemap"]["remedy"])
        self.check("-q", *self.options, url, status=1)
        self.assertEqual(self.result.err, "")
        # not of a child that is one
        self.server.put("/s.xml", index(["http://www.shop.test/ok"]))
        self.check(*self.options, "http://www.shop.test/s.xml", status=1)
        self.assertEqual(self.result.err, "")


class Files(Check):
    """Local files, before they are published."""

    def write(self, path, body):
        path = os.path.join(self.program.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(body if isinstance(body, bytes) else body.encode())

    def publish(self):
        base = "https://www.example.org"
        self.write("public/robots.txt", "User-agent: *\nDisallow: /no/\n"
                   "Sitemap: %s/sitemap.xml\n" % base)
        self.write("public/sitemap.xml", index([base + "/maps/a.xml.gz", base + "/no/b.xml",
                                                base + "/maps/lost.xml"]))
        self.write("public/maps/a.xml.gz", gz(urlset([base + "/maps/1", base + "/x"])))
        self.write("public/no/b.xml", urlset([base + "/no/1"]))
        return base

    def test_days_of_other_zones(self):
        """Dates in other time zones get a line of their own in the table, and
        in the page, apart from the days of the site."""
        base = self.publish()
        self.write("public/maps/a.xml.gz", gz(urlset([
            (base + "/maps/1", "2025-11-21T23:30:00-05:00")])))
        for args in (("--base", base, "public"), ("public/maps/a.xml.gz",)):
            for form in "text", "html":
                out = self.program.run("check", "-f", form, *args).out
                self.assertIn("2025-11-22 UTC", out)

    def test_folder(self):
        """A folder with an index, gzipped children and robots.txt is read as if
        a server served it."""
        base = self.publish()
        for args in (("public/sitemap.xml",), ("public",),
                     ("--root", "public", base + "/"), ("--root", "public", "www.example.org")):
            with self.subTest(args=args):
                self.check("--base", base + "/", *args, status=1)
                self.assertEqual(set(self.documents), {base + p for p in (
                    "/robots.txt", "/sitemap.xml", "/maps/a.xml.gz", "/no/b.xml",
                    "/maps/lost.xml")})
                self.assertEqual({c: f["count"] for c, f in self.findings.items()},
                                 {"fetch-blocked-by-robots": 1, "fetch-not-found": 1,
                                  "directory-waived": 1})
                self.assertEqual(self.documents[base + "/maps/a.xml.gz"]["gzip_layers"], 1)

    def test_what_nothing_lists(self):
        """Pages of the folder that may be indexed and are not listed, in any of
        their forms, and sitemaps that nothing names."""
        base = "https://www.example.org"
        self.write("public/robots.txt", "User-agent: *\nDisallow: /private\n")
        self.write("public/sitemap.xml", urlset([base + p for p in (
            "/", "/a/", "/b", "/c.html?x=1", "/d/index.html", "/lost")]))
        for page in ("index", "a/index", "b", "c", "d/index", "404", "private/x", ".git/x",
                     "new/index", "old%20 page"):
            self.write("public/%s.html" % page, "<title>t</title>")
        self.write("public/hidden.html", "<meta name=robots content=noindex>")
        self.write("public/copy.htm", "<link rel=canonical href=/b>")
        self.write("public/sitemap.xml.gz", gz(urlset([base + "/"])))
        self.write("public/maps/more.xml", urlset([base + "/maps/1"]))
        self.write("public/feeds/sitemap-old.xml.gz", b"")
        self.write("public/data.xml", "<data/>")
        os.symlink(self.program.folder, os.path.join(self.program.folder, "public/loop"))
        self.check("--base", base, "public")
        self.assertEqual({r["unlisted"]: (r["path"], r["sitemap"], r["codes"])
                          for r in self.result.records() if r["record"] == "page"}, {
                              "public/new/index.html":
                              (base + "/new/", None, ["page-not-listed"]),
                              "public/old%20 page.html":
                              (base + "/old%2520%20page.html", None, ["page-not-listed"])})
        found = {r["code"]: [s["text"] for s in r["samples"]] for r in self.result.records()
                 if r["record"] == "finding"}
        self.assertEqual(found, {
            "sitemap-guessed": [base + "/sitemap.xml"],
            "page-not-listed": [base + "/new/: public/new/index.html",
                                base + "/old%2520%20page.html: public/old%20 page.html"],
            "sitemap-not-listed": [
                base + "/feeds/sitemap-old.xml.gz: public/feeds/sitemap-old.xml.gz",
                base + "/maps/more.xml: public/maps/more.xml"],
            "url-fetch-failed": [base + "/lost: no such file below the folder"],
            "url-needs-server": ["1 URL needs a server that adds .html"]})
        self.check("--base", base, "--ignore", "page-not-listed:public/new/*", "--sample", "9",
                   "--ignore", "sitemap-not-listed", "--fail-on", "warning", "public", status=1)
        self.assertEqual(self.summary["ignored"], 3)
        self.assertEqual({r["path"]: r["codes"] for r in self.result.records()
                          if r["record"] == "page" and r["codes"]},
                         {base + "/lost": ["url-fetch-failed"],
                          base + "/old%2520%20page.html": ["page-not-listed"]})
        result = self.program.run("check", "--base", base, "public")
        self.assertIn("\n2 pages that no sitemap lists\n", result.out)

    def looked_up(self, urls, *args, pages=()):
        """The samples of a folder that lists these paths and has these files."""
        base = "https://www.example.org"
        self.write("public/sitemap.xml", urlset([base + url for url in urls]))
        for page in pages:
            self.write("public/" + page, "<title>t</title>")
        self.check("--base", base, *args)
        return {r["code"]: [s["text"].replace(base, "") for s in r["samples"]]
                for r in self.result.records() if r["record"] == "finding"}

    def test_listed_pages_that_have_no_file(self):
        """Without --sample; what a server has to add, and addresses escaped twice."""
        pages = ("index.html", "a.html", "b/index.html", "tea & milk.html", "zürich/index.html")
        self.write("public/news.rss", "<?xml version='1.0'?><rss version='2.0'><channel/></rss>")
        urls = ("/", "/a", "/b", "/none", "/tea%2520&amp;%2520milk", "/z%25C3%25BCrich/",
                "/x%2520y", "/news.rss")
        expected = {
            "url-fetch-failed": ["/none: no such file below the folder",
                                 "/x%2520y: no such file below the folder"],
            "url-escaped-twice": [
                "/tea%2520&%2520milk has no file, and /tea%20&%20milk has one",
                "/z%25C3%25BCrich/ has no file, and /z%C3%BCrich/ has one"],
            "url-needs-server": ["1 URL needs a server that adds .html; "
                                 "1 URL is redirected to a slash by most servers"],
            "url-not-a-page": ["/news.rss"]}
        self.assertEqual(self.looked_up(urls, "public", pages=pages), expected)
        # a sample looks at the same pages, and counts no fault twice
        self.assertEqual(self.looked_up(urls, "--sample", "99", "public"), expected)
        self.assertEqual({r["path"][23:]: r["codes"] for r in self.result.records()
                          if r["record"] == "page" and r["codes"]},
                         {"/none": ["url-fetch-failed"], "/x%2520y": ["url-fetch-failed"],
                          "/tea%2520&%2520milk": ["url-escaped-twice"],
                          "/z%25C3%25BCrich/": ["url-escaped-twice"]})
        # a file as target, whose folder has the pages
        self.assertEqual(self.looked_up(urls, "public/sitemap.xml")["url-fetch-failed"],
                         expected["url-fetch-failed"])

    def test_one_fault_has_one_finding(self):
        pages = ("index.html", "guide/a.html", "b.html", "404.html", "404/index.html")
        for urls, codes in ((("//guide/a.html", "/b.html"), {"url-double-slash"}),
                            (("/guide//a.html", "/b.html"), {"url-double-slash"}),
                            (("/guide/a.html", "/b.html", "/404"), {"url-of-error"}),
                            (("/guide/a.html", "/b.html", "/500.html"), {"url-of-error"})):
            with self.subTest(urls=urls):
                self.assertEqual(set(self.looked_up(("/",) + urls, "public", pages=pages)), codes)

    def test_many_pages_that_have_no_file(self):
        """A folder with the sitemaps alone is not searched for each page, and a folder with pages is."""
        urls = ["/p%d.html" % n for n in range(3000)]
        self.assertEqual(self.looked_up(urls, "public", pages=["p2999.pdf"]), {})
        found = self.looked_up(urls, "public", pages=["p1.html"])
        self.assertEqual(list(found), ["url-fetch-failed"])
        self.assertEqual([(s["line"], s["entry"]) for s in self.findings["url-fetch-failed"]["samples"][:2]],
                         [(3, 1), (13, 11)])
        self.assertEqual(self.findings["url-fetch-failed"]["count"], 2999)

    def test_why_all_pages_miss(self):
        pages = ("index.html", "a.html", "b/index.html", "c/d.html")
        cause = "4 of 4 listed pages are not in the folder; 4 would be there without "
        for front in ("/en", "/docs/1.0"):
            with self.subTest(front=front):
                found = self.looked_up([front + page for page in (
                    "/", "/a.html", "/b/", "/c/d.html")], "public", pages=pages)
                self.assertEqual(list(found), ["url-fetch-failed"])
                self.assertEqual(found["url-fetch-failed"][0], cause + front)
                self.assertEqual(len(found["url-fetch-failed"]), 5)
        found = self.looked_up(["/x", "/y/", "/none/"], "--ignore", "page-not-listed", "public")
        self.assertEqual(found["url-fetch-failed"][0],
                         "3 of 3 listed pages are not in the folder")

    def test_a_folder_without_the_pages_of_its_server(self):
        """A server that makes its pages itself: nothing is said of them."""
        self.assertEqual(self.looked_up(["/a", "/b", "/c"], "public"), {})
        self.assertEqual(list(self.looked_up(["/a", "/b", "/sitemap.xml"], "public")),
                         ["url-not-a-page"])
        self.assertEqual(self.looked_up(["/a", "/b", "/c"], "--ignore", "page-not-listed",
                                        "public", pages=["offline.html", "_astro/a.html", "b/_parts/a/c.html"]), {})

    def test_what_nothing_names(self):
        """No Sitemap line, and no usual name: what lies in the folder is read."""
        base = "https://www.example.org/"
        item = "<item><link>" + base + "</link>%s</item>"
        rss = ("<?xml version='1.0'?><rss version='2.0' xmlns:d='http://purl.org/dc/terms/'>"
               "<channel>%s</channel></rss>")
        made = "<pubDate>Mon, 02 Sep 2024 10:00:00 GMT</pubDate>"
        for modified, newest in (("2025-09-02T10:00:00Z", "2025-09-02T10:00:00Z"),
                                 ("2023-09-02T10:00:00Z", "2024-09-02T10:00:00Z"),
                                 ("nonsense", "2024-09-02T10:00:00Z")):
            with self.subTest(modified=modified):
                self.write("public/blog/index.rss", rss % "")
                self.write("public/index.rss", rss % (
                    item % (made + "<d:modified>%s</d:modified>" % modified)))
                self.check("--base", base, "public")
                self.assertEqual(self.codes(), {"sitemap-guessed": [base + "index.rss"]})
                self.assertEqual(self.documents[base + "index.rss"]["newest"], newest)
        # a bad pubDate is told, and costs the other date nothing
        self.write("public/index.rss", rss % (
            item % "<pubDate>soon</pubDate><d:modified>2025-09-02T10:00:00Z</d:modified>"))
        self.check("--base", base, "public")
        self.assertIn("invalid-date", self.codes())
        self.assertEqual(self.documents[base + "index.rss"]["newest"], "2025-09-02T10:00:00Z")
        # Atom has the times of changes, and "all" more than a part
        atom = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='%s'/></entry></feed>" % base
        for name in ("new.atom", "me.atom", "all.atom"):
            self.write("public/" + name, atom)
            self.check("--base", base, "public")
            self.assertEqual(self.codes(), {"sitemap-guessed": [base + name]})
        self.write("public/maps/x.html", "<meta name=robots content=noindex>")
        self.write("public/maps/pages.xml", urlset([base + "maps/x.html"]))
        self.check("--base", base, "public")
        self.assertEqual(self.codes(), {"sitemap-guessed": [base + "maps/pages.xml"]})
        self.write("public/maps/all.xml", index([base + "maps/pages.xml"]))
        self.check("--base", base, "public")
        self.assertEqual(self.codes(), {"sitemap-guessed": [base + "maps/all.xml"]})
        # what lies below a folder counts as if robots.txt named it, as it should
        self.write("public/a.html", "<title>a</title>")
        self.write("public/maps/pages.xml", urlset([base + "a.html"]))
        self.check("--base", base, "public")
        self.assertEqual(self.summary["urls"], 1)
        self.assertEqual(set(self.findings), {"sitemap-guessed", "directory-waived"})
        # a copy with a gzip layer is no second sitemap
        os.unlink(os.path.join(self.program.folder, "public/maps/all.xml"))
        self.write("public/maps/pages.xml.gz", gz(urlset([base + "a.html"])))
        self.check("--base", base, "public")
        self.assertEqual(self.summary["urls"], 1)
        self.write("public/maps/more.xml", urlset([base + "a.html"]))
        self.check("--base", base, "public")
        self.assertEqual(self.findings["sitemap-guessed"]["count"], 2)
        for path in ("a.html", "maps/more.xml", "maps/pages.xml.gz"):
            os.unlink(os.path.join(self.program.folder, "public", path))
        self.write("public/maps/pages.xml", urlset([base + "maps/x.html"]))
        self.write("public/maps/all.xml", index([base + "maps/pages.xml"]))
        # it is told of robots.txt, if there is one
        self.write("public/robots.txt", "User-agent: *\n")
        self.check("--base", base, "public")
        self.assertEqual(self.codes(), {"sitemap-guessed": [base + "robots.txt"]})
        # a usual name needs no search
        self.write("public/sitemap-index.xml", index([base + "maps/pages.xml"]))
        self.check("--base", base, "public")
        self.assertNotIn(base + "maps/all.xml", self.documents)

    def test_width_of_a_terminal(self):
        """The report is as wide as the terminal, and whole in a pipe."""
        page = "https://www.example.org/" + "long/" * 30
        self.write("public/sitemap.xml", urlset([page, page]))
        args = ["check", "--base", "https://www.example.org/", "public"]
        self.assertFitsTerminal(*args)
        self.assertIn(page, self.program.run(*args).out)

    def test_a_limit_before_all_is_read(self):
        """What was not read may list the page."""
        base = "https://www.example.org"
        self.write("public/sitemap.xml", index([base + "/a.xml", base + "/b.xml"]))
        self.write("public/a.xml", urlset([base + "/a"]))
        self.write("public/b.xml", urlset([base + "/b"]))
        for page in "abc":
            self.write("public/%s.html" % page, "<title>t</title>")
        self.check("--base", base, "--ignore", "url-needs-server", "public")
        self.assertEqual(self.codes(), {"page-not-listed": [base + "/sitemap.xml"]})
        self.check("--base", base, "--max-urls", "1", "public", status=3)
        self.assertNotIn("page-not-listed", self.codes())
        self.assertNotIn("sitemap-not-listed", self.codes())

    def test_a_feed_is_no_list_of_all_pages(self):
        self.write("public/old.html", "<title>old</title>")
        self.write("public/feeds/all.atom", "<feed xmlns='http://www.w3.org/2005/Atom'><entry>"
                   "<link href='https://www.example.org/new.html'/></entry></feed>")
        self.write("public/data.xml.gz", gz("<teas/>"))  # it may be anything
        self.check("--base", "https://www.example.org/", "public")
        self.assertEqual(self.summary["urls"], 1)
        self.assertNotIn("page-not-listed", self.findings)

    def test_a_child_that_lies_elsewhere(self):
        """The index names it at a wrong place: that is told once."""
        base = "https://www.example.org/"
        self.write("public/robots.txt", "Sitemap: %ssitemap.xml\n" % base)
        self.write("public/sitemap.xml", index([base + "maps/a.xml"]))
        self.write("public/a.xml", urlset([base]))
        self.check("--base", base, "public", status=1)
        self.assertEqual(set(self.findings), {"fetch-not-found"})

    def test_a_folder_without_the_usual_name(self):
        """The sitemap that lies there is named."""
        self.write("public/sitemap-index.xml", index(["https://www.example.org/a.xml"]))
        self.write("public/a.xml", urlset(["https://www.example.org/"]))
        self.check("--base", "https://www.example.org/", "public")
        self.assertEqual(self.summary["urls"], 1)

    def test_another_agent_of_files(self):
        base = self.publish()
        self.write("public/robots.txt", "User-agent: *\nDisallow: /\nUser-agent: Googlebot\n"
                   "Disallow: /maps/1\nSitemap: %s/maps/a.xml.gz\n" % base)
        self.check("--base", base, "public", status=4)
        self.check("--base", base, "--agent", "Googlebot", "public")
        self.assertEqual(self.findings["url-blocked-by-robots"]["count"], 1)

    def test_delay(self):
        """Crawl-delay does not apply to files."""
        self.write("p/robots.txt", "User-agent: *\nCrawl-delay: 30\n"
                   "Sitemap: https://a.example/s.xml\n")
        self.write("p/s.xml", urlset(["https://a.example/1"]))
        self.check("--base", "https://a.example", "p")
        assert_sooner(self.result.seconds, 20)

    def test_base_of_another_scheme(self):
        """No request goes to that host, over http, https or another port."""
        server = self.site()
        server.put("/robots.txt", "User-agent: *\nDisallow: /\n")
        base = server.url("").replace("http:", "https:")
        self.write("p/sitemap_index.xml", index([base + "/a.xml", server.url("/b.xml")]))
        self.write("p/a.xml", urlset([base + "/1"]))
        self.write("p/b.xml", urlset([server.url("/2")]))
        self.check("--profile", "lenient", "--base", base, "p")
        self.assertEqual(server.targets(), [])
        self.assertEqual({u: d["accepted"] for u, d in self.documents.items()
                          if u.endswith("b.xml")}, {server.url("/b.xml"): 1})

    def test_base_below(self):
        """The base is a folder of a site; nothing above it is requested."""
        base = "https://www.example.org/shop/"
        self.write("out/sitemap.xml", urlset([base + "1", "https://www.example.org/2"]))
        self.check("--base", base, "out/sitemap.xml", status=1)
        self.assertEqual(list(self.findings), ["outside-directory"])

    def test_alone(self):
        """SPEC 15.7: without a URL there are no location rules, and the report
        says so."""
        self.write("a.xml", urlset(["https://one.example/a", "http://two.example/b"]))
        self.check("a.xml")
        self.assertEqual(set(self.documents), {"a.xml"})
        self.assertEqual(self.codes(), {"mixed-hosts": ["a.xml"]})
        self.assertIn("no location rule", self.result.err)
        self.assertEqual(self.documents["a.xml"]["accepted"], 2)

    def test_index_alone(self):
        """The children of an index are found by the ends of their URLs, and
        only so."""
        self.publish()
        self.check("public/sitemap.xml", status=1)
        self.assertEqual(self.codes(), {
            "fetch-not-found": ["https://www.example.org/maps/lost.xml"]})
        self.assertEqual(self.documents["https://www.example.org/maps/a.xml.gz"]["accepted"], 2)

    def test_names(self):
        """Names with blanks and other odd characters work, and no name leads
        out of the folder."""
        base = "https://a.example/"
        self.write("secret.xml", urlset([base + "x"]))
        self.write("p/my map%.xml", urlset([base + "1"]))
        self.write("p/index.xml", index([base + "my%20map%25.xml", base + "..%2Fsecret.xml",
                                         base + "%2e%2e/secret.xml"]))
        self.check("--base", base, "p/my map%.xml")
        self.check("--base", base, "p/index.xml", status=1)
        self.assertEqual(self.documents[base + "my%20map%25.xml"]["status"], "success")
        self.assertEqual(self.documents[base + "..%2Fsecret.xml"]["status"], "couldnt-fetch")
        self.assertEqual(self.documents[base + "secret.xml"]["status"], "couldnt-fetch")

    def test_slips_of_the_pen(self):
        """A misspelt file name never leads to a request."""
        self.write("t1/sitemap.xml", urlset(["https://a.example/1"]))
        self.write("www.example/sitemap.xml", urlset(["https://www.example/1"]))
        server = self.site()
        connect = ("--connect-to", "::127.0.0.1:%d" % server.port)
        for name in ("t1/sitemp.xml", "public/sitemap.xml", "dist/", "sitemap.xml", "sitemap.xml.gz",
                     "SITEMAP.TXT", "./sitemap", "../t1/x", "/t1/x.xml", "~/x.xml", "public",
                     "www.example/sitemp.xml"):
            for command in ("check", "compare"):
                with self.subTest(name=name, command=command):
                    result = self.program.run(command, *connect, "--retry", "0", name)
                    self.assertEqual((result.status, result.out), (2, ""), str(result))
                    self.assertEqual(result.err, (
                        "freshet: '%s' is not there: no such file; if it is a host or a URL, "
                        "write https:// in front of it\n" % name))
        for command in ("crawl", "add", "robots"):
            with self.subTest(command=command):
                result = self.program.run(command, *(connect if command != "add" else ()),
                                          "public/sitemap.xml")
                self.assertEqual((result.status, result.out), (2, ""), str(result))
                self.assertIn("'public/sitemap.xml' is the name of a file", result.err)
        self.assertEqual(server.requests, [])
        # a host has a dot, a port or a scheme
        self.write("x/y", "")
        for name in ("a.example/sitemp.xml", "localhost/sitemap.xml", "public:80/sitemap.xml",
                     "https://public/sitemap.xml"):
            with self.subTest(name=name):
                result = self.program.run("check", *connect, "--retry", "0", name)
                self.assertIn(result.status, (1, 4), str(result))
        self.assertNotEqual(server.requests, [])

    def test_place_of_a_file(self):
        """Without --root the URL of a file is a guess, which the report says;
        with --root it is known."""
        base = "https://www.shop.test/"
        self.write("t7/sitemaps/sitemap.xml", urlset([base + "a", base + "b"]))
        said = ("freshet: 't7/sitemaps/sitemap.xml' is judged as %ssitemap.xml; --root names "
                "another folder, if that is not its place\n" % base)
        self.check("--base", base, "t7/sitemaps/sitemap.xml")
        self.assertEqual(self.result.err, said)
        result = self.program.run("compare", "--base", base, "t7/sitemaps/sitemap.xml")
        self.assertTrue(result.err.startswith(said), str(result))
        self.check("-q", "--base", base, "t7/sitemaps/sitemap.xml")
        self.assertEqual(self.result.err, "")
        self.check("--base", base, "--root", "t7", "t7/sitemaps/sitemap.xml", status=1)
        self.assertEqual((self.result.err, self.summary["refused"]), ("", 2))
        self.assertEqual(list(self.documents), [base + "robots.txt", base + "sitemaps/sitemap.xml"])
        self.check("--base", base, "--root", "t7/sitemaps", "t7/sitemaps/sitemap.xml")
        self.assertEqual(self.result.err, "")

    def test_folder_below_a_path(self):
        """If the base has a path, the sitemap of the folder is found as that of
        a host would be."""
        base = "https://www.shop.test/shop/"
        self.write("t1/sitemap.xml", urlset([base + "a"]))
        self.check("--base", base, "t1")
        self.assertEqual(list(self.documents), ["https://www.shop.test/robots.txt",
                                                base + "sitemap.xml"], str(self.result))
        os.rename(os.path.join(self.program.folder, "t1/sitemap.xml"),
                  os.path.join(self.program.folder, "t1/map.xml"))
        self.check("--base", base, "t1")
        self.assertEqual(self.codes(), {"sitemap-guessed": [base + "map.xml"]})
        os.remove(os.path.join(self.program.folder, "t1/map.xml"))
        self.check("--base", base, "t1", status=4)
        self.assertEqual(self.documents[base]["failure"], "no-sitemap-found")
        self.assertEqual(self.summary["lost_targets"], 1)

    def test_bad_lines_of_a_list(self):
        """Each bad line is reported with its place, and only that line is
        lost."""
        self.write("t1/sitemap.xml", urlset(["https://a.example/1"]))
        self.write("list", "t1/sitemap.xml\n\nt1/sitemp.xml # gone\nhttp://[/\n")
        self.check("-i", "list", status=1)
        self.assertEqual(list(self.documents), ["t1/sitemap.xml"])
        self.assertEqual(self.summary["targets"], ["t1/sitemap.xml"])
        lines = self.result.err.splitlines()
        self.assertTrue(lines[0].startswith("freshet: list:3: 't1/sitemp.xml' is not there"), lines)
        self.assertTrue(lines[1].startswith("freshet: list:4: 'http://[/' is neither"), lines)
        self.write("list", "http://[/\n")
        result = self.program.run("check", "-i", "list")
        self.assertEqual((result.status, result.out), (4, ""), str(result))

    def test_usage(self):
        self.write("a.xml", urlset(["https://a.example/1"]))
        self.write("d/b.xml", urlset(["https://a.example/1"]))
        for args, word in (((), "TARGET"), (("--base", "https://a.example/"), "TARGET"),
                           (("--base", "https://a.example/", "https://a.example/x"), "--root"),
                           (("--base", "nonsense:/", "a.xml"), "--base"),
                           (("--base", "https://a.example/?x", "a.xml"), "--base"),
                           (("--root", "nowhere", "a.xml"), "nowhere"),
                           (("--root", "d", "a.xml"), "not below"),
                           (("d",), "folder"),
                           (("a.xml", "https://a.example/"), "--base"),
                           (("http://[/",), "neither"),
                           (("-f", "pdf", "a.xml"), "pdf")):
            with self.subTest(args=args):
                result = self.program.run("check", *args)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn(word, result.err)
                self.assertEqual(result.out, "")


if __name__ == "__main__":
    import unittest
    unittest.main()
