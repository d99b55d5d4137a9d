"""Pages that moved as the user says (the key 'moved'), or as redirects say: the same in every
command."""
import json
import os
import unittest

from test_clock import HOUR
from test_diff import Told
from test_serve import Served

RULE = "moved = /blog/post-* /insights/2026/*\n"
SAID = "3 pages moved from /blog to /insights/2026, as told by the configuration"


class Renamed(Told):
    """A site that renames three pages so that nothing of their URLs stays."""

    def setUp(self):
        super().setUp()
        old = ("/blog/post-a1", "/blog/post-b2", "/blog/post-c3", "/about.html")
        new = ("/insights/2026/a1", "/insights/2026/b2", "/insights/2026/c3", "/company")
        self.docs["/a.xml"] = self.pages("/p", range(20))
        self.docs["/a.xml"].update(dict.fromkeys(old))
        self.crawl_day(2)
        self.fetch()
        self.docs["/a.xml"] = self.pages("/p", range(20))
        self.docs["/a.xml"].update(dict.fromkeys(new))
        self.crawl_day(5)

    def fetch(self):
        """A fetcher gets all pages that are listed."""
        pages = self.program.run("due", "-n", "100").records()
        self.assertGreaterEqual(len(pages), sum(map(len, self.docs.values())))
        self.report((page["url"], None, 200) for page in pages)

    def report(self, results):
        """A fetcher got these pages, or was told where they are: (URL, location, status)."""
        lines = "".join(json.dumps({"url": url, "location": to or "", "status": status}) + "\n"
                        for url, to, status in results)
        for record in self.program.run("done", "--json", input=lines).records():
            self.assertEqual(record["ack"], "OK", record)

    def redirect(self, moves, status=301):
        self.report((self.server.url(page), to, status) for page, to in moves)

    def configure(self, text):
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return ("--config", path)


class Counted(Renamed):
    """What the commands say of moves, which they count alike."""

    def moved(self, *args):
        """The events of moves: (pages, from, to, whether the user said so)."""
        return sorted((r["count"], "/" + r["from"].split("/", 3)[3], "/" + r["to"].split("/", 3)[3],
                       r["configured"]) for r in self.diff("--json", *args).records()
                      if r["type"] == "event" and r["kind"] == "pages-moved")

    def assertCounts(self, new, gone, moved, *args):
        """diff, stats by whatever, and the rows of both agree."""
        wanted = (new, gone, moved)
        site, = [r for r in self.diff("--json", *args).records() if r["type"] == "site"]
        self.assertEqual((site["new"], site["gone"], site["moved"]), wanted)
        for by in ("day", "section", "sitemap", "weekday"):
            records = self.program.run("stats", "--by", by, "--json", *args, "127.0.0.1").records()
            last = records[-1]
            self.assertEqual((last["new"], last["gone"], last["moved"]), wanted, by)
        rows = [r["kind"] for r in self.diff("--rows", "--json", *args).records()
                if r["type"] == "page"]
        self.assertEqual(tuple(rows.count(kind) for kind in ("new", "gone", "moved")), wanted)
        rows = [r["kind"] for r in self.program.export("--changes", "--since", "100d", *args)]
        self.assertEqual(tuple(rows.count(kind) for kind in ("added", "gone", "moved")), wanted)


class Renamings(Counted):
    """Commands, typed and configured."""

    def test_without(self):
        self.assertCounts(4, 4, 0)
        self.assertEqual(self.moved(), [])
        # a renaming to where nothing came
        args = ("--moved", "/blog/post-* /news/*")
        self.assertCounts(4, 4, 0, *args)
        self.assertEqual(self.moved(*args), [])

    def test_renamed(self):
        config = self.configure("[defaults]\n%s[alert a]\natom = /x.atom\n" % RULE)
        self.assertCounts(1, 1, 3, *config)
        self.assertEqual(self.moved(*config), [(3, "/blog", "/insights/2026", True)])
        self.assertIn(SAID, " ".join(self.diff(*config).out.split()))
        self.assertIn(SAID, self.program.run("report", "--html", "-", *config).out)
        told = self.program.run("alert", "replay", "a", "--since", "9d", *config).out
        self.assertIn("127.0.0.1: " + SAID, told)
        moves = {r["from"].split("/", 3)[3]: r["loc"].split("/", 3)[3]
                 for r in self.program.export("--changes", "--since", "100d", *config)
                 if r["kind"] == "moved"}
        self.assertEqual(moves, {"blog/post-%s" % n: "insights/2026/%s" % n
                                 for n in ("a1", "b2", "c3")})
        # one page, and a site's own list instead of that of all
        config = self.configure("[defaults]\n%s[site 127.0.0.1]\nmoved = /about.html /company\n"
                                % RULE)
        self.assertCounts(3, 3, 1, *config)
        self.assertEqual(self.moved(*config), [(1, "/about.html", "/company", True)])
        config = self.configure("[site a.test]\n" + RULE)
        self.assertCounts(4, 4, 0, *config)
        # what is typed is stronger, and may be repeated
        self.assertCounts(0, 0, 4, "--moved", "/about.html /company", "--moved",
                          "/blog/post-* /insights/2026/*", *config)

    def test_found(self):
        """What freshet finds by itself is no move that the user gave."""
        self.docs["/a.xml"] = self.pages("/q", range(20))
        self.crawl_day(4)
        self.assertEqual(self.moved("--since", "100d", "--moved", "/about.html /company"),
                         [(1, "/about.html", "/company", True), (20, "/p", "/q", False)])

    def test_mistakes(self):
        for value in ("/blog/*", "/a/* /b", "/a /a", "/a/*/c /b", "a /b", "/a /b /c",
                      "http://a.test/a /b"):
            config = self.configure("[defaults]\nmoved = %s\n" % value)
            # every command says so, also one that has no moves
            for command in ("diff", "list"):
                result = self.program.run(command, *config)
                self.assertEqual(result.status, 2)
                self.assertIn("freshet.conf:2: ", result.err)
                self.assertIn("'moved' takes two paths that differ", result.err)
                self.assertIn("not '%s'" % value, result.err)
        config = self.configure("[defaults]\nmove = /a /b\n")
        self.assertIn("did you mean 'moved'", self.diff(*config, status=2).err)
        lines = "".join("moved = /a%d /b\n" % n for n in range(1001))
        config = self.configure("[defaults]\n" + lines)
        self.assertIn("'moved' stands more than 1000 times", self.diff(*config, status=2).err)


class Redirects(Counted):
    """A fetcher reports where pages that are gone redirect to."""

    TOLD = "2 pages moved from /blog to /insights/2026, as told by redirects"

    def redirects(self, *args):
        return [(r["count"], r["text"], self.day_of(r["known"])) for r in
                self.diff("--json", "--since", "100d", *args).records()
                if r["type"] == "event" and r["redirected"]]

    def test_redirects(self):
        self.redirect([("/blog/post-a1", "/insights/2026/a1")], status=302)
        self.assertEqual(self.redirects(), [])
        self.redirect([("/blog/post-a1", "/insights/2026/a1"),
                     ("/blog/post-b2", self.server.url("/insights/2026/b2")),
                     ("/blog/post-c3", "/"), ("/about.html", "/contact")])
        self.assertEqual(self.redirects(), [(2, self.TOLD, 7)])
        self.assertCounts(2, 2, 2)
        self.assertIn(self.TOLD, self.program.run("report", "--html", "-").out)
        # the user's word is stronger
        self.assertEqual(self.redirects("--moved", "/blog/post-* /insights/2026/*"), [])

    def test_alert(self):
        """An alert tells the redirect once, when it is known; replay tells the same."""
        config = self.configure("[alert a]\nkinds = pages-moved\natom = %s/a.atom\n"
                                % self.program.folder)
        self.program.run("alert", "send", *config)
        self.redirect([("/about.html", "/company")])
        self.clock.advance(HOUR)
        for _ in range(2):
            self.program.run("alert", "send", *config)
        with open(os.path.join(self.program.folder, "a.atom"), encoding="utf-8") as f:
            feed = f.read()
        told = "127.0.0.1: 1 page moved within %s, as told by redirects" % self.server.url("")
        self.assertEqual(feed.count("<entry>"), 1)
        self.assertIn(told, feed)
        replay = self.program.run("alert", "replay", "a", "--since", "9d", *config).out
        self.assertEqual(replay.count("\n"), 1)
        self.assertIn(told, replay)

    def test_same_folder(self):
        """Pages get other names in their folder."""
        self.docs["/b.xml"] = self.pages("/shop", range(9))
        self.crawl_day(3)
        self.fetch()
        self.docs["/b.xml"] = self.pages("/shop/new", range(6, 9))
        self.docs["/b.xml"].update(self.pages("/shop", (0, 1, 2, 13, 14, 15)))
        self.redirect([("/shop/%03d" % n, "/shop/%03d" % (n + 10)) for n in (3, 4, 5)])
        self.crawl_day(5)
        self.assertEqual([text for _, text, _ in self.redirects()],
                         ["3 pages moved within /shop, as told by redirects"])


class Pages(Renamed, Served):
    def test_pages(self):
        """serve takes the key, as commands do."""
        self.program.variables["FRESHET_CONFIG"] = self.configure("[defaults]\n" + RULE)[1]
        self.serve()
        event, = [e for e in self.items("/api/v1/events?since=20d") if e["kind"] == "pages-moved"]
        self.assertEqual((event["text"], event["configured"]), (SAID, True))
        self.assertIn(SAID, self.page("/events?days=30").text)
        self.assertIn(SAID, self.page("/site?site=127.0.0.1&days=30").text)


if __name__ == "__main__":
    unittest.main()
