"""freshet robots: the verdict, and the line that decides."""
import gzip
import json
import os
import unittest
import zlib

from case import Case, urlset

BODY = """# rules
User-agent: *
Disallow: /private/
Allow: /private/open
Crawl-delay: 2.5

User-agent: other
Disallow: /
Sitemap: http://shop.example/one.xml
Sitemap: http://shop.example/two.xml
"""


class Robots(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/robots.txt", BODY)

    def ask(self, *args, status=0, **kwargs):
        result = self.program.run("robots", "--json", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result.records()

    def named(self, name="shop.example"):
        """Returns options under which that host is the scripted server."""
        return ("--connect-to", "%s:80:127.0.0.1:%d" % (name, self.server.port))

    def test_tokens_of_google(self):
        """Some crawlers of Google obey the group of another, and some ignore
        groups for all."""
        path = os.path.join(self.program.folder, "r.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("User-agent: *\nDisallow: /\nUser-agent: googlebot\nDisallow: /no\n")
        for agent, url, status, words in (
                ("Googlebot-Image", "/yes", 0, "group    line 3: User-agent: googlebot"),
                ("Googlebot-Image", "/no", 1, "line 4: Disallow: /no"),
                ("GoogleOther-Image", "/no", 1, "line 2: Disallow: /"),
                ("AdsBot-Google", "/no", 0, "none for AdsBot-Google, which follows none for *")):
            with self.subTest(agent=agent, url=url):
                result = self.program.run("robots", "--file", path, "--agent", agent,
                                          "https://a.example" + url)
                self.assertEqual(result.status, status, str(result))
                self.assertIn(words, result.out)

    def test_several_agents(self):
        """robots.txt is asked for once, and judged for each of them."""
        url = self.server.url("/private/x")
        records = self.ask("--agent", "other", "--agent", "Googlebot", "--agent", "third",
                           url, self.server.url("/"), status=1)
        self.assertEqual([(r["agent"], r["allowed"], r["line"]) for r in records], [
            ("other", False, 8), ("other", False, 8), ("Googlebot", False, 3),
            ("Googlebot", True, 0), ("third", False, 3), ("third", True, 0)])
        self.assertEqual(len(self.server.asked("/robots.txt")), 1)
        result = self.program.run("robots", "--agent", "other", "--agent", "Googlebot", url)
        self.assertEqual(result.status, 1, str(result))
        self.assertRegex(result.out, r"(?s)  agent    other\n  group    line 7: User-agent: other\n"
                         r".*  agent    Googlebot\n  group    line 2: User-agent: \*\n")
        self.assertNotIn("  agent", self.program.run("robots", "--agent", "other", url).out)

    def test_verdicts(self):
        """R-89 to R-95, each with its line."""
        for target, agent, allowed, line, text in (
                ("/", None, True, 0, None),
                ("/private/x", None, False, 3, "Disallow: /private/"),
                ("/private/open/x", None, True, 4, "Allow: /private/open"),
                ("/", "other", False, 8, "Disallow: /"),
                ("/robots.txt", "other", True, 0, None)):
            with self.subTest(target=target, agent=agent):
                more = ("--agent", agent) if agent else ()
                record, = self.ask(self.server.url(target), *more,
                                   status=0 if allowed else 1)
                self.assertEqual((record["v"], record["type"]), (1, "robots"))
                self.assertEqual((record["allowed"], record["line"], record["text"]),
                                 (allowed, line, text))
                self.assertEqual(record["group"], [7] if agent else [2])
                self.assertEqual(record["crawl_delay_ms"], 0 if agent else 2500)
                self.assertEqual(record["sitemaps"], [
                    {"line": 9, "url": "http://shop.example/one.xml"},
                    {"line": 10, "url": "http://shop.example/two.xml"}])

    def test_text(self):
        result = self.program.run("robots", *self.named(), "http://shop.example/private/x",
                                  "http://shop.example/tea")
        self.assertEqual(result.status, 1, str(result))
        self.assertEqual(result.out, """\
http://shop.example/robots.txt  185 B
  group    line 2: User-agent: *
  delay    2.5 s between two requests
  sitemap  line 9: Sitemap: http://shop.example/one.xml
  sitemap  line 10: Sitemap: http://shop.example/two.xml
  no       http://shop.example/private/x
           line 3: Disallow: /private/
  yes      http://shop.example/tea
           no rule matches
""")
        self.assertEqual(result.err, "")

    def test_one_fetch_for_an_origin(self):
        urls = [self.server.url("/%d" % n) for n in range(20)]
        records = self.ask("-", input="\n".join(urls) + "\n# no target\n")
        self.assertEqual([r["url"] for r in records], urls)
        self.assertEqual([r.target for r in self.server.requests], ["/robots.txt"])
        piped = self.ask(input="\n".join(urls[:2]))
        self.assertEqual(len(piped), 2)

    def test_outcomes(self):
        """R-100 to R-103."""
        for status, headers, allowed, rules in (
                (404, (), True, "none"), (401, (), True, "none"), (403, (), True, "none"),
                (410, (), True, "none"),
                (429, (), False, "unreachable"), (500, (), False, "unreachable"),
                (503, [("Retry-After", "1")], False, "unreachable"),
                (302, [("Location", "/robots.txt")], True, "none"),
                (302, (), True, "none")):
            with self.subTest(status=status, headers=headers):
                self.server.put("/robots.txt", "", status=status, headers=headers)
                record, = self.ask(self.server.url("/x"), status=0 if allowed else 1)
                self.assertEqual((record["allowed"], record["rules"]), (allowed, rules))
                self.assertEqual(record["status"], status)

    def test_too_large(self):
        """R-99: rules within the limit apply, although the server announces
        more bytes."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /x\n" + "# much\n" * 80000)
        record, = self.ask(self.server.url("/x"), status=1)
        self.assertEqual((record["allowed"], record["rules"]), (False, "rules"))
        self.assertIn("robots-too-large", record["findings"])
        crawl = self.program.crawl(self.server.url("/x"))
        self.assertFailure(crawl, self.server.url("/x"), "fetch-blocked-by-robots")

    def test_any_success(self):
        """R-100: any status 2xx gives a file."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /x\n", status=203)
        self.ask(self.server.url("/x"), status=1)

    def test_redirects(self):
        """R-100: five redirects are followed, and the rules apply to the origin
        that was asked."""
        for hops in (5, 6):
            with self.subTest(hops=hops):
                for n in range(hops):
                    path = "/robots.txt" if n == 0 else "/%d" % n
                    self.server.redirect(path, "/%d" % (n + 1), status=301)
                self.server.put("/%d" % hops, "User-agent: *\nDisallow: /\n")
                record, = self.ask(self.server.url("/x"), status=1 if hops == 5 else 0)
                self.assertEqual(record["rules"], "rules" if hops == 5 else "none")
                self.assertEqual("robots-redirect-limit" in record["findings"], hops == 6)
                self.assertEqual(self.server.asked("/6"), [])

    def test_redirect_into_a_private_network(self):
        """HOSTILE T6: a redirect from a public name into a private network is
        not followed."""
        self.server.redirect("/robots.txt", "http://10.0.0.1/robots.txt")
        record, = self.ask("http://shop.example/", *self.named())
        self.assertEqual((record["rules"], record["findings"]),
                         ("none", ["robots-redirect-limit"]))

    def test_nobody_answers(self):
        self.server.close()
        record, = self.ask("--retry", "0", self.server.url("/x"), status=4)
        self.assertEqual((record["allowed"], record["rules"], record["status"]),
                         (False, "unreachable", 0))
        self.assertIn("connect", record["why"])

    def test_private_address(self):
        """HOSTILE T6: a typed name does not permit a private address."""
        record, = self.ask("--retry", "0", "http://localhost.shop.example/", "--resolve",
                           "other.example:80:127.0.0.1", "--connect-to",
                           "localhost.shop.example:80:other.example:80", status=4)
        self.assertEqual(record["rules"], "unreachable")
        self.assertEqual(self.server.requests, [])

    def test_file(self):
        path = os.path.join(self.program.folder, "mine.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("User-agent: *\r\nDisallow: /*.pdf$\r\n")
        records = self.ask("--file", path, "https://a.example/x.pdf", "b.example/x.pdf?1",
                           status=1)
        self.assertEqual([(r["url"], r["allowed"], r["line"]) for r in records], [
            ("https://a.example/x.pdf", False, 2), ("https://b.example/x.pdf?1", True, 0)])
        for bad, status in ((path, 1), (path + "x", 2)):
            self.assertEqual(self.program.run("robots", "--file", bad, "-", input="http://[/\n").status, status)
        self.assertEqual(self.server.requests, [])
        self.assertEqual(self.program.run("robots", "--file", path + "x", "a.example").status, 2)

    def test_delay_between_hops(self):
        """A host gets one request at a time, with Crawl-delay or without."""
        self.server.redirect("/robots.txt", "/r")
        self.server.put("/r", BODY)
        self.ask("--delay", "300ms", self.server.url("/x"))
        self.assertGreaterEqual(min(self.server.gaps()), 0.299)

    def test_usage(self):
        for args in ((), ("http://[/",), ("--agent", "no good", "a.example")):
            self.assertEqual(self.program.run("robots", *args).status, 2, args)
        # a bad line does not stop the others
        result = self.program.run("robots", "--json", "-", input="# list\nhttp://[/\n%s\n"
                                  % self.server.url("/x"))
        self.assertEqual((result.status, len(result.records())), (1, 1), str(result))
        self.assertEqual(result.err,
                         "freshet: -:2: 'http://[/' is neither a host nor a URL\n")
        self.assertEqual(self.program.run("robots", "-", input="http://[/\n").status, 4)

    def test_hostile_text(self):
        """HOSTILE O1: JSON stays ASCII and one line."""
        self.server.put("/robots.txt", b"User-agent: *\nDisallow: /\x1bx\xff\n")
        record, = self.ask(self.server.url("/%1Bx%FF"), status=1)
        self.assertEqual(record["line"], 2)
        out = self.program.run("robots", "--json", self.server.url("/%1Bx%FF")).out
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(out.splitlines()), 1)
        self.assertTrue(json.loads(out))


class NotAFile(Case):
    """What comes in the place of a robots.txt (R-100, R-102, R-106)."""

    PAGE = "<!DOCTYPE html>\n<html><head><title>Shop</title></head><body>Welcome!</body></html>\n"
    AMAZON = "<html><head><script>window.gokuProps = {};</script></head><body></body></html>\n"
    RULES = b"User-agent: *\nDisallow: /private/\n"
    # name: (status, headers, body, whether all is closed where no rules are known)
    KINDS = {
        "202": (202, [("Content-Type", "text/html")], PAGE, True),
        "AWS": (202, [("x-amzn-waf-action", "challenge")], "", True),
        "Cloudflare": (403, [("cf-mitigated", "challenge")], "", True),
        "challenge": (200, [], AMAZON, True),
        "page": (200, [("Content-Type", "text/html")], PAGE, False),
        "text": (200, [], "Not found\n", False),
        "br": (200, [("Content-Encoding", "br")], b"\x0b\x0d\x80\0\1", True)}

    def test_robots(self):
        """Without known rules, as `robots` and `crawl` see them."""
        for i, (name, (status, headers, body, is_closed)) in enumerate(self.KINDS.items()):
            with self.subTest(name=name):
                server = self.site(address="127.0.0.%d" % (i + 20))
                server.put("/s.xml", urlset([server.url("/a")]))
                server.put("/robots.txt", body, status=status, headers=headers)
                result = self.program.run("robots", "--json", server.url("/s.xml"))
                record, = result.records()
                self.assertEqual((record["allowed"], record["rules"]),
                                 (not is_closed, "unreachable" if is_closed else "none"), str(result))
                self.assertNotEqual(record["why"], "")
                crawl = self.program.crawl(server.url("/s.xml"))
                self.assertEqual(crawl.document(server.url("/s.xml"))["outcome"],
                                 "refused" if is_closed else "read", str(crawl))
        for coding, pack in (("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress),
                             ("utf-8", bytes), ("", gzip.compress), ("identity", bytes)):
            with self.subTest(coding=coding):
                server.put("/robots.txt", pack(self.RULES), headers=[("Content-Encoding", coding)] if coding else [])
                record, = self.program.run("robots", "--json", server.url("/private/")).records()
                self.assertEqual((record["allowed"], record["line"]), (False, 2))
                self.assertEqual("content-encoding-mismatch" in record["findings"], coding == "utf-8")

    def test_known(self):
        """What it said before holds, and no event says otherwise, for 30 days.
        Then a page counts as no file, so that its Sitemap line is lost; the
        others are as if no answer came for so long."""
        self.follow_clock()
        servers = {name: self.site(address="127.0.0.%d" % (i + 20)) for i, name in enumerate(self.KINDS)}
        for server in servers.values():
            server.put("/robots.txt", self.RULES + b"Sitemap: %s\n" % server.url("/maps/s.xml").encode())
            server.put("/maps/s.xml", urlset([server.url("/private/a"), server.url("/a")]))
            self.program.run("add", server.url("/"))
        targets = [server.url("/") for server in servers.values()]
        self.program.crawl(*targets)
        for name, (status, headers, body, _) in self.KINDS.items():
            servers[name].put("/robots.txt", body, status=status, headers=headers)

        def due():
            return self.program.run("due", "--peek", "-n", "100", "-f", "urls", "--per-host", "0").out.split()

        for _ in range(2):
            self.clock.advance(7200)
            self.program.crawl(*targets)
        self.assertEqual(sorted(due()), sorted(server.url("/a") for server in servers.values()))
        said = self.program.run("diff", "--since", "3d").out
        for no in ("Disallow", "no sitemap", "refuses"):
            self.assertNotIn(no, said)
        for name, server in servers.items():
            with self.subTest(name=name):
                url = server.url("/private/a")
                robots = self.program.run("explain", "--json", url).records()[0]["robots"]
                self.assertEqual((robots["allowed"], robots["line"]), (False, 2))
                self.assertIn("what it said before holds", self.program.run("explain", server.url("/a")).out)
        self.clock.advance(31 * 86400)
        self.program.crawl(*targets)
        private = [name for name, server in servers.items() if server.url("/private/a") in due()]
        self.assertEqual(private, [name for name, kind in self.KINDS.items() if kind[3]])
        self.assertIn("Disallow", self.program.run("diff", "--since", "1d").out)


if __name__ == "__main__":
    unittest.main()
