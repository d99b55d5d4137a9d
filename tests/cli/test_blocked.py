"""freshet check: which of the listed URLs are forbidden by the site's own
robots.txt."""
from case import index, urlset
from late import assert_sooner
from suite import cpu_s
from test_check import ORIGIN, Check

CODE = "url-blocked-by-robots"


class Blocked(Check):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.named = ("--connect-to", "::127.0.0.1:%d" % self.server.port)

    def put(self, path, pages, origin=ORIGIN):
        self.server.put(path, urlset(p if "://" in p else origin + p for p in pages))

    def robots(self, *lines, host=""):
        self.server.put(host + "/robots.txt", "\n".join(("User-agent: *",) + lines) + "\n")

    def samples(self):
        found = self.findings.get(CODE, {"samples": []})
        return [(s["path"].replace(ORIGIN, "", 1), s["text"]) for s in found["samples"]]

    def test_listed(self):
        """Each forbidden URL is shown with the sitemap that lists it and the
        line that forbids it."""
        self.robots("Disallow: /basket/", "Disallow: /*?sort=", "Allow: /basket/help",
                    "Sitemap: %s/index.xml" % ORIGIN)
        self.server.put("/index.xml", index(ORIGIN + p for p in ("/a.xml", "/b.xml")))
        self.put("/a.xml", ["/tea", "/basket/1", "/basket/help", "/tea?sort=price", "/%2a"])
        self.put("/b.xml", ["/b", "/basket/%7e"])
        self.check(*self.named, ORIGIN + "/")
        self.assertEqual(self.findings[CODE]["count"], 3)
        self.assertEqual(self.findings[CODE]["severity"], "warning")
        self.assertEqual(sorted(self.samples()), [
            ("/a.xml", ORIGIN + "/basket/1: robots.txt line 2: /basket/"),
            ("/a.xml", ORIGIN + "/tea?sort=price: robots.txt line 3: /*?sort="),
            ("/b.xml", ORIGIN + "/basket/~: robots.txt line 2: /basket/")])
        self.assertEqual({p: self.documents[ORIGIN + p]["warnings"]
                          for p in ("/a.xml", "/b.xml")}, {"/a.xml": 2, "/b.xml": 1})
        self.check(*self.named, "--fail-on", "warning", ORIGIN + "/", status=1)
        # nothing but documents was asked for
        self.assertEqual({r.target for r in self.server.requests},
                         {"/robots.txt", "/index.xml", "/a.xml", "/b.xml"})

    def test_text(self):
        self.robots("Disallow: /basket/")
        self.put("/s.xml", ["/tea", "/basket/1"])
        out = self.program.run("check", *self.named, ORIGIN + "/s.xml").out
        self.assertIn("\n      /s.xml line 4, entry 2: %s/basket/1: robots.txt line 2: /basket/\n" % ORIGIN,
                      out.replace(":\n        ", ": "))

    def test_with_a_sample(self):
        """A page that is also fetched as a sample is not counted twice."""
        self.robots("Disallow: /basket/")
        self.put("/s.xml", ["/basket/1", "/basket/2", "/old", "/tea"])
        self.server.redirect("/old", ORIGIN + "/basket/3")
        self.server.put("/tea", "x")
        self.check(*self.named, "--sample", "4", ORIGIN + "/s.xml")
        self.assertEqual(self.findings[CODE]["count"], 3)
        pages = {r["path"]: r["codes"] for r in self.result.records() if r["record"] == "page"}
        self.assertEqual(pages, {
            ORIGIN + "/basket/1": [CODE], ORIGIN + "/basket/2": [CODE],
            ORIGIN + "/old": ["url-redirects", CODE], ORIGIN + "/tea": []})

    def test_other_origins(self):
        """URLs of other origins are judged by the robots.txt of each, if the
        check read it, at whatever time."""
        for host in ("a.example", "b.example"):
            self.robots("Disallow: /no", host=host)
        # that of b.example is not there before the first sitemap was read
        self.server.replies["b.example/robots.txt"].delay = 1
        self.robots("Disallow: /never")
        self.server.put("/index.xml", index((ORIGIN + "/s.xml", "http://b.example/b.xml")))
        self.put("/s.xml", ["http://%s/%s" % (host, path) for host in (
            "a.example", "b.example", "shop.example") for path in ("no", "yes")] + ["/never"])
        self.put("b.example/b.xml", ["http://b.example/no/2"])
        own = [a for h in "abs" for a in ("--own", "domain:%s.example" % h.replace("s", "shop"))]
        self.check(*self.named, *own,
                   ORIGIN + "/index.xml")
        self.assertEqual(sorted(self.samples()), [
            ("/s.xml", "http://b.example/no: robots.txt line 2: /no"),
            ("/s.xml", ORIGIN + "/never: robots.txt line 2: /never"),
            ("http://b.example/b.xml", "http://b.example/no/2: robots.txt line 2: /no")])
        self.assertEqual(self.findings[CODE]["count"], 3)

    def test_nobody_forbids(self):
        """Nothing is forbidden if there is no robots.txt, if its rules are for
        others, or if it cannot be read."""
        self.put("/s.xml", ["/tea"])
        self.server.put("/robots.txt", "User-agent: otherbot\nDisallow: /\n")
        self.check(*self.named, ORIGIN + "/s.xml")
        self.assertNotIn(CODE, self.findings)
        self.server.put("/robots.txt", "", status=404)
        self.check(*self.named, ORIGIN + "/s.xml")
        self.assertNotIn(CODE, self.findings)

    def test_another_agent(self):
        """With --agent, the rules for that agent judge documents and listed
        pages; the requests are still made by freshet."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /\nCrawl-delay: 0.3\n"
                        "User-agent: Googlebot\nDisallow: /basket/\nDisallow: /b.xml\n"
                        "Sitemap: %s/a.xml\nSitemap: %s/b.xml\n" % (ORIGIN, ORIGIN))
        self.put("/a.xml", ["/tea", "/basket/1"])
        self.put("/b.xml", ["/b"])
        self.check(*self.named, ORIGIN + "/", status=4)
        self.assertEqual(self.summary["agent"], "freshet")
        for agent in ("Googlebot", "googlebot-image"):
            with self.subTest(agent=agent):
                del self.server.requests[:]
                self.check(*self.named, "--agent", agent, "--sample", "2", ORIGIN + "/", status=1)
                self.assertEqual({p.replace(ORIGIN, ""): d["status"]
                                  for p, d in self.documents.items()},
                                 {"/robots.txt": "success", "/a.xml": "success",
                                  "/b.xml": "couldnt-fetch"})
                self.assertEqual(self.samples(), [
                    ("/a.xml", ORIGIN + "/basket/1: robots.txt line 5: /basket/")])
                pages = {r["path"]: r["outcome"] for r in self.result.records()
                         if r["record"] == "page"}
                self.assertEqual(pages, {ORIGIN + "/tea": "failed",
                                         ORIGIN + "/basket/1": "disallowed"})
                self.assertEqual(self.summary["agent"], agent)
                for request in self.server.requests:
                    self.assertRegex(request.header("User-Agent"), "^freshet/")
                # the pace is that of who asks
                times = [r.at for r in self.server.requests]
                self.assertEqual(len(times), 3)
                self.assertGreater(min(b - a for a, b in zip(times, times[1:])), 0.29)
        for form, words in (("text", "\nrobots.txt was judged for Googlebot\n"),
                            ("html", ", robots.txt for Googlebot<"),
                            ("github", ", robots.txt for Googlebot\n"),
                            ("sarif", '"agent":"Googlebot"')):
            out = self.program.run("check", "-f", form, *self.named, "--agent", "Googlebot",
                                   ORIGIN + "/").out
            self.assertIn(words, out)
        result = self.program.run("check", "--agent", "Googlebot/2.1", *self.named, ORIGIN + "/")
        self.assertEqual((result.status, result.out), (2, ""))

    def test_several_agents(self):
        """Each has a column; the first one is obeyed for documents."""
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /\n"
                        "User-agent: Googlebot\nDisallow: /basket\n"
                        "User-agent: bingbot\nDisallow: /basket/1\nDisallow: /tea\n"
                        "Sitemap: %s/a.xml\n" % ORIGIN)
        self.put("/a.xml", ["/tea", "/basket/1", "/basket/2", "/coffee"])
        agents = ("--agent", "Googlebot", "--agent", "bingbot", "--agent", "freshet")
        self.check(*self.named, *agents[:4], ORIGIN + "/")
        self.assertEqual({r["path"]: r["allowed"] for r in self.result.records()
                          if r["record"] == "closed"}, {
                              ORIGIN + "/basket/1": {"Googlebot": False, "bingbot": False},
                              ORIGIN + "/basket/2": {"Googlebot": False, "bingbot": True},
                              ORIGIN + "/tea": {"Googlebot": True, "bingbot": False}})
        self.assertEqual((self.summary["agent"], self.summary["agents"]), ("Googlebot", [
            {"agent": "Googlebot", "forbidden": 2}, {"agent": "bingbot", "forbidden": 2}]))
        self.assertEqual(self.findings[CODE]["count"], 3)
        self.assertEqual(sorted(self.samples()), [
            ("/a.xml", ORIGIN + "/basket/1: robots.txt line 4: /basket for Googlebot, bingbot"),
            ("/a.xml", ORIGIN + "/basket/2: robots.txt line 4: /basket for Googlebot"),
            ("/a.xml", ORIGIN + "/tea: robots.txt line 7: /tea for bingbot")])
        said = "robots.txt forbids 2 listed URLs to Googlebot, 2 to bingbot, 4 to freshet"
        for form, words in (("text", said + "\n  PAGE"), ("text", "  /tea "),
                            ("text", " yes        no       no\n"),
                            ("html", '<td data-name="bingbot"><span>no</span></td>'),
                            ("markdown", "/tea</code></a> | yes | no | no |\n"),
                            ("text", "\nrobots.txt was judged for Googlebot, bingbot, freshet\n"),
                            ("github", ", robots.txt for Googlebot, bingbot, freshet\n")):
            out = self.program.run("check", "-f", form, *self.named, *agents, ORIGIN + "/").out
            self.assertIn(words, out)
        # a name may be shorter than what stands in its column
        self.assertIn("  bingbot  a  freshet\n", self.program.run(
            "check", *self.named, *agents[2:4], "--agent", "a", *agents[4:], ORIGIN + "/").out)
        self.check(*self.named, *agents[4:], *agents[:4], ORIGIN + "/", status=4)
        result = self.program.run("check", *agents * 3, ORIGIN + "/")
        self.assertEqual((result.status, result.err),
                         (2, "freshet: '--agent' may be given 8 times\n"))

    def test_files(self):
        """The files of a folder are judged by the robots.txt in the folder."""
        for name, text in (("robots.txt", "User-agent: *\nDisallow: /no\n"),
                           ("s.xml", urlset([ORIGIN + "/no", ORIGIN + "/yes"]))):
            with open("%s/%s" % (self.program.folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        self.check("--base", ORIGIN, "s.xml")
        self.assertEqual(self.findings[CODE]["count"], 1)
        self.check("s.xml")
        self.assertNotIn(CODE, self.findings)

    def test_a_thousand_rules(self):
        """Many rules and many URLs take no noticeable time."""
        self.robots(*("Disallow: /*a%d*b$" % n for n in range(5000)))
        self.put("/s.xml", ["/%d/%s" % (n, "a" * 60) for n in range(8000)] + ["/a7b"])
        begin = cpu_s()
        self.check(*self.named, ORIGIN + "/s.xml")
        assert_sooner(cpu_s() - begin, 24)
        self.assertEqual((self.summary["compared"], self.summary["uncompared"]), (8001, 0))

    def test_too_many_rules(self):
        """If not all URLs are compared, one line says so, and how many were
        left out."""
        self.robots(*("Disallow: /a%d" % n for n in range(20000)))
        self.put("/s.xml", ["/%d/%s" % (n, "b" * 300) for n in range(5200)])
        self.check(*self.named, ORIGIN + "/s.xml")
        compared = self.summary["compared"]
        self.assertEqual(compared + self.summary["uncompared"], 5200)
        self.assertIn(compared, range(4900, 5001))
        assert_sooner(self.result.seconds, 60)
        said = "only the first %s of 5,200 URLs were compared with robots.txt" % (
            "{:,}".format(compared))
        out = self.program.run("check", *self.named, ORIGIN + "/s.xml").out
        self.assertIn("\n%s\n" % said, out)
        out = self.program.run("check", "-f", "html", *self.named, ORIGIN + "/s.xml").out
        self.assertIn("; %s</p>" % said, out)
