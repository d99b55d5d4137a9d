"""freshet explain: whether a URL is accepted, by which chain of documents and
which rule."""
import os
import sqlite3
import unittest

from case import Case, index, urlset
from clock import DAY

LONG = "http://long.example/" + "a" * 1000
FOREIGN = ["http://other.example/%d" % n for n in range(12)]


class Explain(Case):
    def crawled(self, *options, site=None):
        """robots.txt names an index in /maps/ and a sitemap in /deep/."""
        self.server = site or self.site()
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /private/\n\nSitemap: %s\n"
                        "Sitemap: %s\n" % (url("/maps/index.xml"), url("/deep/own.xml")))
        self.server.put("/maps/index.xml", index([
            url("/maps/a.xml"), url("/other/c.xml"), url("/maps/none.xml"),
            url("/maps/long.xml")]))
        self.server.put("/maps/a.xml", urlset([
            url("/maps/x"), (url("/blog/a"), "2026-01-02"), url("/private/z"), "/relative",
            "htp://bad"] + FOREIGN))
        self.server.put("/maps/long.xml", urlset([LONG]))
        self.server.put("/deep/own.xml", urlset([url("/deep/1"), url("/blog/a")]))
        self.crawl(*options, url("/"), status=1)

    def due(self, path, status=0, of="page"):
        """Returns its state; None: none is printed."""
        records = self.explain(self.server.url(path), status=status)
        return {d["of"]: d["state"] for r in records for d in r["due"]}.get(of)

    def test_without_a_store(self):
        """It says what makes one."""
        result = self.program.run("explain", "--store", "none.db", "https://www.shop.example/a?b=1")
        self.assertEqual((result.status, result.out), (2, ""), str(result))
        self.assertIn("there is no store 'none.db'; 'freshet add' or 'freshet crawl' makes one", result.err)
        self.assertFalse(os.path.exists(os.path.join(self.program.folder, "none.db")))

    def test_a_bare_host_is_read_over_http(self):
        server = self.site()
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url("/")]))
        self.crawl(server.url("/"))
        result = self.program.run("explain", server.url("/").split("//")[1].rstrip("/"))
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("accepted", result.out)

    def test_when_it_is_due(self):
        self.crawled()
        self.assertEqual(self.due("/blog/a"), "unpromoted")
        self.assertEqual(self.due("/maps/a.xml", of="document"), "unwatched")
        self.program.run("add", "--below", "/blog/", self.server.url("/"))
        self.assertEqual(self.due("/blog/a"), "unpromoted")
        self.assertEqual(self.due("/maps/x"), "unwanted")
        self.assertEqual(self.due("/maps/a.xml", of="document"), "later")
        self.assertIsNone(self.due("/none", status=4))
        self.program.run("set", "127.0.0.1", "below=")
        self.assertEqual(self.due("/maps/x"), "unpromoted")
        self.assertEqual(self.due("/private/z"), "refused")
        text = self.program.run("explain", self.server.url("/private/z")).out
        self.assertIn("not due    robots.txt forbids it, line 2\n", text)
        text = self.program.run("explain", self.server.url("/maps/a.xml")).out
        self.assertRegex(text, r"due later  looked at again 20\d\d-")
        self.assertIn("a request now would bring nothing; its host wants no delay; read every 15m..7d (every); all documents of its site",
                      " ".join(text.split()))
        self.program.run("rm", "127.0.0.1")
        self.assertEqual(self.due("/maps/x"), "removed")
        self.assertEqual(self.due("/maps/a.xml", of="document"), "removed")

    def explain(self, *args, status=0):
        """Returns the records; the last one of each URL."""
        result = self.program.run("explain", "--json", *args)
        self.assertEqual((result.status, result.err), (status, ""), str(result))
        records = [r for r in result.records() if r["type"] == "explain"]
        for record in records:
            self.assertEqual(record["v"], 1)
        return records

    def text(self, *args, status=0):
        result = self.program.run("explain", *args)
        self.assertEqual((result.status, result.err), (status, ""), str(result))
        return " ".join(result.out.split())

    def chain(self, place, number=0):
        """Returns the steps of the chain as (path, line or 0)."""
        return [(step.get("robots", step.get("document", "")).replace(self.server.origin, ""),
                 step.get("line", 0)) for step in place["chains"][number]]

    def test_accepted(self):
        self.crawled()
        record, = self.explain(self.server.url("/maps/x"))
        self.assertEqual((record["verdict"], record["listed"]), ("accepted", 1))
        place, = record["places"]
        self.assertEqual((place["entry"], place["code"], place["state"], place["profile"],
                          place["rules_known"]), (1, None, "listed", "google", True))
        self.assertEqual(self.chain(place), [("/robots.txt", 4), ("/maps/index.xml", 0),
                                             ("/maps/a.xml", 0)])
        self.assertEqual(record["robots"]["allowed"], True)
        self.assertIn("same origin, in the directory /maps/ (R-55, R-58)",
                      self.text(self.server.url("/maps/x")))

    def test_waived(self):
        """Every document that lists the URL is shown, and why the directory
        rule does not apply."""
        self.crawled()
        record, = self.explain(self.server.url("/blog/a"))
        by = {place["document"].replace(self.server.origin, ""): place
              for place in record["places"]}
        self.assertEqual({d: p["code"] for d, p in by.items()},
                         {"/maps/a.xml": "directory-waived", "/deep/own.xml": "directory-waived"})
        self.assertIn("names the index (R-65)", by["/maps/a.xml"]["why"])
        self.assertIn("names the sitemap (R-65)", by["/deep/own.xml"]["why"])
        self.assertEqual(by["/maps/a.xml"]["lastmod"], "2026-01-02")
        self.assertEqual((by["/maps/a.xml"]["entry"], by["/deep/own.xml"]["entry"]), (2, 2))
        self.assertEqual(self.chain(by["/deep/own.xml"]), [("/robots.txt", 5),
                                                           ("/deep/own.xml", 0)])
        text = self.text(self.server.url("/blog/a"))
        self.assertRegex(text, r"accepted /robots.txt line 4 → /maps/index.xml \(reading \d+\) "
                         r"→ /maps/a.xml \(reading \d+\) → entry 2 when first read same origin; directory /maps/ "
                         r"waived, because robots.txt names the index \(R-65\) lastmod 2026-01-02")

    def test_forbidden_to_fetch(self):
        self.crawled()
        record, = self.explain(self.server.url("/private/z"))
        self.assertEqual(record["verdict"], "accepted")
        self.assertEqual((record["robots"]["allowed"], record["robots"]["line"],
                          record["robots"]["text"]), (False, 2, "Disallow: /private/"))
        self.assertIn("may not be fetched: line 2: Disallow: /private/",
                      self.text(self.server.url("/private/z")))

    def test_refused(self):
        """The record names line, code, chain and remedy, from a sample."""
        self.crawled()
        for url, document, line, code in (
                (FOREIGN[0], "/maps/a.xml", 8, "host-mismatch"),
                (self.server.url("/other/c.xml"), "/maps/index.xml", 4, "outside-directory"),
                (self.server.url("/relative"), "/maps/a.xml", 6, "relative-url"),
                (LONG, "/maps/long.xml", 3, "host-mismatch"),
                ("htp://bad", "/maps/a.xml", 7, "unsupported-scheme")):
            with self.subTest(url=url):
                record, = self.explain(url, status=1)
                self.assertEqual((record["verdict"], record["refused"]), ("refused", 1))
                place, = record["places"]
                self.assertEqual((place["document"], place["line"], place["code"]),
                                 (self.server.url(document), line, code))
                self.assertEqual(self.chain(place)[0], ("/robots.txt", 4))
                text = self.text(url, status=1)
                self.assertIn("→ line %d %s (" % (line, code), text)
                self.assertIn("remedy: ", text)

    def test_refused_without_sample(self):
        """There are few samples, but the entry itself is stored."""
        self.crawled()
        record, = self.explain(FOREIGN[11], status=1)
        place, = record["places"]
        self.assertEqual((place["document"], place["line"], place["entry"], place["code"]),
                         (self.server.url("/maps/a.xml"), 0, 17, "host-mismatch"))
        self.assertIn("→ entry 17 when first read host-mismatch (", self.text(FOREIGN[11], status=1))
        record, = self.explain("http://other.example/12", status=4)
        self.assertEqual((record["verdict"], record["places"]), ("unknown", []))

    def test_perhaps_refused(self):
        """The document was read by a version that did not store refused
        entries. Not all of its many refusals have samples, so this URL may be
        one of them."""
        self.crawled()
        store = sqlite3.connect(self.program.store)
        with store:
            store.execute("UPDATE document SET lacks_refused = 1")
        store.close()
        record, = self.explain("http://other.example/12", status=4)
        self.assertEqual((record["verdict"], record["unable"]), ("unknown", 1))
        place, = record["places"]
        self.assertEqual((place["document"], place["code_now"], place["refused_so"]),
                         (self.server.url("/maps/a.xml"), "host-mismatch", 12))
        self.assertIn("refused 12 entries so and 8 were kept",
                      self.text("http://other.example/12", status=4))

    def test_never_seen(self):
        self.crawled()
        record, = self.explain(self.server.url("/never/seen"), status=4)
        self.assertEqual(record["verdict"], "unknown")
        able = {p["document"].replace(self.server.origin, "") for p in record["places"]
                if p["accepted_now"]}
        self.assertEqual(able, {"/maps/a.xml", "/maps/long.xml", "/deep/own.xml"})
        text = self.text(self.server.url("/never/seen"), status=4)
        self.assertIn("lies on %s in / or /never/ (R-58)" % self.server.origin, text)
        self.assertIn("Sitemap line of %s/robots.txt" % self.server.origin, text)
        self.assertIn("--own", text)
        # strict: no proof lifts the directory rule
        record, = self.explain("--profile", "strict", self.server.url("/never/seen"), status=4)
        self.assertEqual((record["able"], record["unable"]), (0, 4))

    def test_other_rules(self):
        """The verdict by the rules under which the document was read, and the
        verdict of the present rules."""
        self.crawled()
        record, = self.explain("--profile", "strict", self.server.url("/blog/a"))
        place = record["places"][0]
        self.assertEqual((place["profile"], place["rules_known"], place["accepted_now"],
                          place["code_now"]), ("google", True, False, "outside-directory"))
        self.assertIn("so by profile google, under which it was read; by the rules given now: "
                      "outside-directory", self.text("--profile=strict", self.server.url("/blog/a")))
        # what is refused would be accepted
        record, = self.explain("--profile", "lenient", self.server.url("/other/c.xml"), status=1)
        self.assertTrue(record["places"][0]["accepted_now"])

    def test_ownership(self):
        server = self.site(name="www.own.test")
        server.put("/s.xml", urlset(["http://shop.own.test/a"]))
        host = "--resolve=www.own.test:%d:127.0.0.1" % server.port
        self.crawl("--own", "domain:own.test", host, server.url("/s.xml"))
        self.server = server
        record, = self.explain("--own", "domain:own.test", "http://shop.own.test/a")
        place, = record["places"]
        self.assertEqual((place["code"], place["rules_known"]), ("accepted-by-ownership", True))
        self.assertEqual(place["chains"][0][0], {"named": True, "by": "target"})
        # without the assertion nobody knows the rules it was read under
        record, = self.explain("http://shop.own.test/a")
        place, = record["places"]
        self.assertEqual((place["rules_known"], place["code_now"]), (False, "host-mismatch"))

    def test_proof(self):
        """Another origin's robots.txt names the sitemap (R-63)."""
        server = self.site(name="a.test")
        far = "http://b.test:%d/" % server.port
        server.put("a.test/robots.txt", "Sitemap: %sfar.xml\n" % far)
        server.put("b.test/robots.txt", "")
        server.put("/far.xml", urlset([server.url("/page")]))
        self.crawl(*["--resolve=%s:%d:127.0.0.1" % (h, server.port) for h in ("a.test", "b.test")],
                   server.url("/"))
        self.server = server
        record, = self.explain(server.url("/page"))
        place, = record["places"]
        self.assertEqual((place["code"], place["document"]),
                         ("accepted-by-robots-proof", far + "far.xml"))
        self.assertIn("names the sitemap (R-63)", place["why"])

    def test_documents(self):
        self.crawled()
        text = self.text(self.server.url("/maps/index.xml"))
        self.assertRegex(text, r"^document /robots.txt line 4 → /maps/index.xml \(reading \d+\) "
                         r"index, read \S+ \(reading \d+\), status 200 4 entries, 1 refused by R-58, "
                         r"0 with lastmod error outside-directory \(R-58 R-60\), 1 time; line 4: ")
        text = self.text(self.server.url("/maps/none.xml"))
        self.assertIn("status 404, fetch-not-found", text)
        self.assertIn("→ entry 3", text)
        text = self.text(self.server.url("/robots.txt"))
        self.assertIn("line 4 names %s" % self.server.url("/maps/index.xml"), text)
        result = self.program.run("explain", "--json", self.server.url("/maps/a.xml"))
        record = result.records()[0]
        self.assertEqual((record["type"], record["kind"], record["index"]),
                         ("document", "urlset", self.server.url("/maps/index.xml")))

    def test_removed(self):
        self.crawled()
        self.server.put("/deep/own.xml", urlset([self.server.url("/deep/2")]))
        self.crawl("--force", self.server.url("/"), status=1)
        record, = self.explain(self.server.url("/deep/1"))
        self.assertEqual(record["places"][0]["state"], "removed")
        self.assertIn("absent from the last complete reading",
                      self.text(self.server.url("/deep/1")))

    def test_several(self):
        self.crawled()
        known, lost = self.server.url("/maps/x"), "http://nowhere.example/"
        records = self.explain(known, FOREIGN[0], lost, status=1)
        self.assertEqual([r["verdict"] for r in records], ["accepted", "refused", "unknown"])
        self.assertEqual(self.explain(lost, status=4)[0]["robots"], None)
        result = self.program.run("explain", input="%s\n%s\n" % (known, known))
        self.assertEqual((result.status, result.out.count(known + "\n")), (0, 2), str(result))

    def test_no_store(self):
        self.assertEqual(self.program.run("explain", "http://a.example/").status, 2)

    def test_usage(self):
        self.crawled()
        result = self.program.run("explain")
        self.assertEqual((result.status, result.out), (2, ""))
        # a hostile URL does nothing to the terminal or to JSON
        record, = self.explain("http://a.example/\x1b[31m\"<x>", status=4)
        self.assertEqual(record["url"], "http://a.example/%1B[31m%22%3Cx%3E")

    def test_what_now_cannot_change(self):
        """A URL that is refused because of its spelling does not depend on
        present rules and proofs."""
        self.crawled()
        text = self.text(self.server.url("/relative"), status=1)
        self.assertIn("relative-url (R-43)", text)
        self.assertNotIn("crawl again", text)

    def test_width(self):
        """Long chains are broken before an arrow; a reason that many documents
        share is printed once."""
        self.crawled()
        for url in ("/blog/a", "/maps/x", "/never"):
            out = self.program.run("explain", self.server.url(url)).out
            self.assertEqual([line for line in out.splitlines()
                              if len(line) > 80 and " \u2192 " in line[11:]], [], out)
        out = self.program.run("explain", self.server.url("/deep/2")).out
        self.assertIn("it would be accepted if one of these listed it:\n           - ", out)
        self.assertLess(out.count("(R-65)"), out.count("           - /"), out)


    def test_gone(self):
        """Two complete readings lack the URL: who listed it, and until when."""
        self.follow_clock()
        server = self.site()
        entries = [(server.url("/%s" % n), "2026-01-01") for n in "abc"]
        for some in (entries, entries, entries[:2], entries[:2][::-1]):
            server.put("/sitemap.xml", urlset(some))
            self.crawl(server.url("/sitemap.xml"))
            self.clock.advance(DAY)
        record, = self.explain(server.url("/c"), status=1)
        self.assertEqual((record["verdict"], record["gone"]["document"], record["gone"]["at"][:10]),
                         ("unknown", server.url("/sitemap.xml"), "2026-01-02"))
        self.assertIn("gone no document lists it any more /sitemap.xml listed it until ",
                      self.text(server.url("/c"), status=1))
        never, = self.explain(server.url("/d"), status=4)
        self.assertIsNone(never["gone"])


if __name__ == "__main__":
    unittest.main()
