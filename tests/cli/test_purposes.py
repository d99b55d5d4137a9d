"""For what a site lets its pages be used: Content-Signal, Content-Usage, robots directives."""
import os

from case import urlset
from daemon import Daemon
from test_fetch import HTML, Fetching, page, records


class Purposes(Fetching):
    SIGNALS = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /p1 ai-train=yes\n"

    def say(self, text, paths=("/p0", "/p1")):
        """The site says that in robots.txt, and lists the pages."""
        self.one.put("/robots.txt", text + "Sitemap: %s\n" % self.one.url("/s.xml"))
        self.listed(self.one, *paths)

    def path(self, record):
        return "/" + record["url"].split("/", 3)[3]

    def ask(self, *args, status=0):
        done = self.program.run(*args)
        self.assertEqual(done.status, status, str(done))
        return done

    def due(self):
        """What is said of each page that is handed out, and given back."""
        pages = self.ask("due", "-n", "9", "--per-host", "0").records()
        if pages:
            self.ask("release", *[page["lease"] for page in pages])
        return {self.path(page): page.get("purposes") for page in pages}

    def changes(self):
        lines = self.ask("changes", "--consumer", "c").records()
        self.ask("changes", "--consumer", "c", "--ack", lines[-1]["cursor"])
        return {self.path(line): (line["type"], line["why"], line.get("purposes"))
                for line in lines if "url" in line}


class Shown(Purposes):
    def test_robots(self):
        self.say(self.SIGNALS + "Content-Usage: search=maybe\n")
        url = self.one.url("/p0")
        shown = self.ask("robots", url).out
        self.assertIn("it says search=yes, ai-train=no\n", shown)
        self.assertIn("robots-bad-preference", shown)
        self.assertIn(" line 4: Content-Usage: search=maybe\n", shown)
        path = os.path.join(self.program.folder, "robots.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write("User-agent: *\nDisallow: /y\nContent-Signal: search=no,,\n")
        shown = self.ask("robots", "--file", path, url).out
        self.assertIn("robots-bad-preference", shown)
        self.assertIn(" line 3: Content-Signal: search=no,,\n", shown)
        found = self.ask("robots", "--json", url, self.one.url("/p1"),
                         self.one.url("/robots.txt")).records()
        self.assertEqual([r.get("purposes") for r in found], [
            {"search": True, "ai-train": False}, {"ai-train": True}, None])
        self.assertTrue(all(r["allowed"] for r in found))

    def test_check(self):
        self.say(self.SIGNALS)
        self.one.put("/p1", page(1), headers=HTML + [("Content-Usage", "ai-use=n"),
                                                     ("X-Robots-Tag", "max-snippet:9")])
        found = self.ask("check", "--json", "--sample", "2", self.one.url("/")).records()
        pages = {r["path"].rsplit("/", 1)[1]: r for r in found if r["record"] == "page"}
        self.assertEqual(pages["p0"]["purposes"], {"search": True, "ai-train": False})
        self.assertEqual(pages["p1"]["purposes"], {"ai-input": False, "ai-train": True})

    def test_history(self):
        self.say("User-agent: *\nAllow: /\n")
        self.say(self.SIGNALS)
        shown = self.ask("robots", "--history", self.one.url("/")).out
        self.assertIn("Content-Signal: search=yes, ai-train=no for *", shown)

    def test_changes(self):
        self.ask("add", self.one.url("/"))
        self.say("User-agent: *\nAllow: /\n")
        self.assertEqual(self.changes()["/p1"], ("upsert", "snapshot", None))
        self.say("User-agent: *\nContent-Usage: /p1 train-ai=n\n")
        found = self.changes()
        self.assertEqual(found["/p1"], ("upsert", "purposes", {"ai-train": False}))
        self.assertNotIn("/p0", found)


class Obeyed(Purposes):
    def test_due(self):
        self.say(self.SIGNALS)
        both = {"/p0": {"search": True, "ai-train": False}, "/p1": {"ai-train": True}}
        self.assertEqual(self.due(), both)
        self.ask("add", "--purpose", "ai-train", self.one.url("/"))
        self.assertEqual(self.due(), {"/p1": {"ai-train": True}})
        why = self.ask("explain", self.one.url("/p0"))
        self.assertIn("robots.txt forbids it, line 2: its site has a purpose, and ai-train=no",
                      " ".join(why.out.split()))
        why = self.ask("explain", "--json", self.one.url("/p0")).records()[0]
        self.assertEqual(why["robots"]["purposes"], both["/p0"])
        self.assertEqual([(d["state"], d["robots_line"]) for d in why["due"] if d["of"] == "page"],
                         [("refused", 2)])
        # another purpose, and none; and what robots.txt says changes
        self.ask("set", "127.0.0.1", "purpose=search")
        self.assertEqual(self.due(), both)
        self.ask("set", "127.0.0.1", "purpose=ai-train", "purpose=search")
        self.assertEqual(set(self.due()), {"/p1"})
        self.say("User-agent: *\nContent-Usage: search=n\n")
        self.assertEqual(self.due(), {})
        self.say("User-agent: *\nAllow: /\n")
        self.assertEqual(self.due(), {"/p0": None, "/p1": None})

    def test_a_daemon_follows_the_watch_list(self):
        self.say(self.SIGNALS)
        self.ask("add", self.one.url("/"))
        daemon = Daemon(self.program, "--delay", "0")
        daemon.wait("started")
        self.ask("set", "127.0.0.1", "purpose=ai-train")
        self.assertEqual(set(self.due()), {"/p1"})
        self.ask("set", "127.0.0.1", "purpose=")
        self.assertEqual(set(self.due()), {"/p0", "/p1"})
        self.assertEqual(daemon.end(), 143)

    def test_sitemaps_are_read(self):
        """A site that refuses the purpose is left out, but its sitemaps are read: a path may be allowed."""
        self.ask("add", "--purpose", "ai-train", self.one.url("/"))
        self.say("User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: /p1 ai-train=yes\n")
        self.assertEqual(self.due(), {"/p1": {"ai-train": True}})

    def test_fetch(self):
        self.ask("add", "--purpose", "ai-train", self.one.url("/"))
        self.say("User-agent: *\nContent-Signal: search=yes\n", ["/p0", "/p1", "/p2", "/p3"])
        for path, headers, head in (
                ("/p1", [("Content-Usage", "search=y"), ("Content-Usage", "train-ai=n")], ""),
                ("/p2", [("X-Robots-Tag", "otherbot: noai"), ("X-Robots-Tag", "freshet: noarchive"),
                         ("X-Robots-Tag", "max-snippet: 50")], ""),
                ("/p3", [], "<meta name=robots content='noai, noimageai'>")):
            self.one.put(path, page(path, head), headers=HTML + headers)
        pages = self.objects("--texts", "-", "--warc", self.pages_folder, status=1)
        self.assertEqual({p: o["purposes"] for p, o in pages.items()}, {
            "/p0": {"search": True}, "/p1": {"search": True, "ai-train": False},
            "/p2": {"search": True}, "/p3": {"search": True, "ai-input": False, "ai-train": False}})
        self.assertEqual(pages["/p2"]["x_robots_tag"], "noarchive, max-snippet: 50")
        self.assertNotIn("x_robots_tag", pages["/p0"])
        for path, said in (("/p1", "search=yes, ai-train=no"),
                           ("/p3", "search=yes, ai-input=no, ai-train=no")):
            self.assertEqual(pages[path]["outcome"], "failed")
            self.assertEqual(pages[path]["error"], "its answer says " + said)
            self.assertIsNone(pages[path]["title"])
            self.assertIsNone(pages[path]["content_hash"])
            self.assertNotIn("text", pages[path])
            self.assertNotIn("archive", pages[path])
            why = self.ask("explain", self.one.url(path)).out
            self.assertIn("status 200, but its answer refuses a purpose of its site", " ".join(why.split()))
        self.assertIn("text", pages["/p2"])
        # nothing of what is refused is kept
        self.assertEqual({url for kind, url, _ in records(self.pages_folder) if kind == "response"},
                         {self.one.url("/p0"), self.one.url("/p2")})

    def test_search_is_what_noindex_refuses(self):
        self.ask("add", "--purpose", "search", self.one.url("/"))
        self.say("User-agent: *\nAllow: /\n", ["/p0"])
        self.one.put("/p0", page(0, "<meta name=googlebot content=noindex>"), headers=HTML)
        self.assertEqual(self.objects(status=4)["/p0"]["error"], "its answer says search=no")

    def test_bad_purpose(self):
        done = self.ask("set", "127.0.0.1", "purpose=train-ai", status=2)
        self.assertIn("'purpose' takes search, ai-input or ai-train, not 'train-ai'", done.err)
