"""Sections: by depth, by name, ignored pages; the same in every command."""
import csv
import io
import os
import unittest

from case import urlset
from clock import DAY
from test_diff import Told

HOSTILE = "/%1B%5B2J/%3Cscript%3E/" + "x" * 1500 + "/y"


class Sections(Told):
    """A site that opens an academy, and gets a page for each of its tags."""

    def setUp(self):
        super().setUp()
        self.docs["/a.xml"] = self.pages("/p", range(20))
        self.crawl_day(2)
        self.docs["/a.xml"].update(self.pages("/academy/law", range(8)))
        self.docs["/a.xml"].update(self.pages("/academy/art", range(6)))
        self.docs["/a.xml"].update(self.pages("/tag", range(30)))
        self.docs["/a.xml"].update({"/p/%d?page=2" % n: None for n in range(9)})
        self.docs["/a.xml"].update({HOSTILE: None, HOSTILE + "2": None})
        # a folder with one page, and nothing below it, counts in the one above
        self.docs["/a.xml"].update({"/post-one/": None, "/post-two/": None, "/x/y.html": None})
        self.crawl_day(4)

    def launched(self, *args):
        return [(r["section"], r["count"]) for r in self.diff("--json", *args).records()
                if r["type"] == "event" and r["kind"] == "section-launched"]

    def sections(self, command, *args):
        records = self.program.run(*command, "--json", *args, "127.0.0.1").records()
        return {r["section"]: r["new"] for r in records if r.get("type") in ("section", "changes")}

    def configure(self, text):
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return ("--config", path)

    def same_everywhere(self, wanted, *args):
        """diff, stats by section and by day, and the report agree."""
        self.assertEqual(self.sections(("diff",), *args), wanted)
        self.assertEqual(self.sections(("stats", "--by", "section"), *args), wanted)
        for by in ("day", "sitemap", "weekday"):
            summary = self.program.run("stats", "--by", by, "--json", *args,
                                       "127.0.0.1").records()[-1]
            self.assertEqual(summary["new"], sum(wanted.values()), by)
        page = self.program.run("report", "--html", "-", *args).out
        for name in wanted:
            if len(name) < 20:
                self.assertIn(">%s<" % name, page)
        self.assertNotIn("\x1b", page)

    def test_rules(self):
        strange = "/%1B%5B2J"
        self.assertEqual(sorted(self.launched()), [("/academy", 14), ("/tag", 30)])
        self.same_everywhere({"/academy": 14, "/tag": 30, "/p": 9, strange: 2, "/": 3})
        rows = [r["section"] for r in self.diff("--rows", "--json", "--section", "/").records()
                if r["type"] == "page"]
        self.assertEqual(rows, ["/"] * 3)
        # by depth
        depth = ("--section-depth", "2")
        self.assertEqual(sorted(self.launched(*depth)),
                         [("/academy/art", 6), ("/academy/law", 8), ("/tag", 30)])
        self.assertEqual(self.launched("--section", "/academy/law", *depth), [("/academy/law", 8)])
        self.same_everywhere({"/academy/law": 8, "/academy/art": 6, "/tag": 30, "/p": 9,
                              "/%1B%5B2J/%3Cscript%3E": 2, "/": 3}, *depth)
        # with a name, which had pages before
        ignore = ("--section-ignore", "/tag/", "--section-ignore", "*?page=",
                  "--section-ignore", "/%1B", "--section-ignore", "/post-",
                  "--section-ignore", "/x/")
        names = ("--section-paths", "school: /p /academy/", *ignore)
        self.assertEqual(self.launched(*names), [])
        self.same_everywhere({"school": 14}, *names)
        # ignored pages are no rows
        rows = [r for r in self.diff("--rows", "--json", *names).records() if r["type"] == "page"]
        self.assertEqual({r["section"] for r in rows}, {"school"})
        self.assertEqual(len(rows), 14)
        table = list(csv.reader(io.StringIO(self.diff("--rows", "-f", "csv", *names).out)))
        self.assertEqual({row[1] for row in table[1:] if row[2] == "page"}, {"school"})
        # all of a site, and nothing of it
        self.same_everywhere({}, *ignore, "--section-ignore", "/academy/")
        self.assertEqual(self.launched(*ignore), [("/academy", 14)])

    def test_configuration(self):
        """A site's own keys replace those of all; an alert knows the names."""
        config = self.configure(
            "[defaults]\nsection-ignore = /tag/ *?page=\nsection-paths = law: /academy/law\n"
            "section-paths = art: /academy/art\n"
            "[alert a]\nsections = art\natom = /x.atom\n"
            "[alert b]\nsections = /academy, law\nat-least = 8\natom = /x.atom\n")
        self.assertEqual(sorted(self.launched(*config)), [("art", 6), ("law", 8)])
        for name, said in (("a", "art is new: 6 pages came"), ("b", "law is new: 8 pages came")):
            result = self.program.run("alert", "replay", name, "--since", "9d", *config)
            self.assertEqual([line.split(": ", 1)[1] for line in result.out.splitlines()], [said])
        config = self.configure("[defaults]\nsection-ignore = /tag/\n[site 127.0.0.1]\n"
                                "section-ignore = /academy/\nsection-depth = 3\n")
        self.assertEqual(self.launched(*config), [("/tag", 30)])
        # what is typed is stronger
        self.assertEqual(self.launched(*config, "--section-ignore", "/tag/"),
                         [("/academy/art", 6), ("/academy/law", 8)])

    def test_mistakes(self):
        for key, value, said in (
                ("section-depth", "0", "'section-depth' must be more than 0"),
                ("section-depth", "10", "'section-depth' takes a number from 0 to 9"),
                ("section-ignore", "?page=", "'section-ignore' takes a pattern as in robots.txt"),
                ("section-ignore", "/a /*", "not '/*'"),
                ("section-ignore", "/a#b", "which / or * begins"),
                ("section-paths", "/p", "'section-paths' takes NAME: /PATH /PATH"),
                ("section-paths", "a b: /p", "in the name, not 'a b: /p'"),
                ("section-paths", "p: /p?x", "'section-paths' takes"),
                ("section-path", "p: /p", "did you mean 'section-paths'")):
            result = self.diff(*self.configure("[defaults]\n%s = %s\n" % (key, value)), status=2)
            self.assertIn(said, result.err)
            self.assertIn("freshet.conf:2: ", result.err)
        # more patterns than a page can be compared with
        config = self.configure("[defaults]\n" + "section-ignore = /%s\n" % ("x" * 8000) * 9)
        self.assertIn("patterns of more than 65536 bytes", self.diff(*config, status=2).err)
        # the daemon would never tell this alert
        config = self.configure("[alert a]\nsections = art\natom = /x.atom\n")
        self.assertIn("[alert a]: no site has a section 'art'",
                      self.program.run("run", "--once", *config).err)
        config = self.configure("[alert a]\nsections = art\natom = /x.atom\n"
                                "[site a.test]\nsection-paths = art: /art\n")
        self.assertEqual(self.program.run("run", "--once", *config).status, 0)
        # every command says so, also one that has no sections
        config = self.configure("[site a.test]\nsection-ignore = x\n")
        self.assertEqual(self.program.run("list", *config).status, 2)

    def test_weekday(self):
        """The forms of stats by weekday, and readings that failed."""
        self.clock.advance(3 * DAY)
        self.docs["/a.xml"].update(self.pages("/late", range(40)))
        self.crawl_day()
        ask = ("stats", "--by", "weekday", "127.0.0.1")
        text = self.program.run(*ask).out
        self.assertIn("\nrhythm: no rhythm yet, 6 of 21 days read\n", text)
        self.assertIn("\nnot placed: 40 new pages came with a new sitemap, or while", text)
        self.assertIn("\nfound: not known", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()[1:9]), 60)
        records = self.program.run(*ask, "--json").records()
        hours = [r for r in records if r["type"] == "weekday"]
        self.assertEqual(len(hours), 7 * 25)
        self.assertEqual(sum(r["new"] for r in hours), 58)
        rhythm, = [r for r in records if r["type"] == "rhythm"]
        self.assertEqual((rhythm["new"], rhythm["not_placed"], rhythm["has_rhythm"]),
                         (98, 40, False))
        table = list(csv.DictReader(io.StringIO(self.program.run(*ask, "-f", "csv").out)))
        self.assertEqual([(row["weekday"], row["hour"], int(row["new"]), int(row["seen"]))
                          for row in table],
                         [(r["weekday"], "" if r["hour"] is None else str(r["hour"]), r["new"],
                           r["seen"]) for r in hours])
        # a day is one of the zone
        shifted = self.program.run(*ask, "--json", "--tz", "+13:00").records()
        self.assertNotEqual([r for r in shifted if r.get("new")], [r for r in records if r.get("new")])
        for by, key in (("section", "section"), ("sitemap", "sitemap"), ("day", "at")):
            rows = list(csv.DictReader(io.StringIO(self.program.run(
                "stats", "--by", by, "-f", "csv", "127.0.0.1").out)))
            changes = [r for r in self.program.run("stats", "--by", by, "-f", "ndjson",
                                                   "127.0.0.1").records()
                       if r["type"] == "changes"]
            self.assertEqual([(r[key], int(r["new"])) for r in rows],
                             [(r[key], r["new"]) for r in changes])
        self.assertEqual(self.program.run("stats", "--json", "-f", "csv", "127.0.0.1").status, 2)


class Changing(Told):
    """Sitemaps of which most changes are none of pages."""

    def kinds(self, *args):
        return [(r["kind"], r["count"]) for r in self.diff("--json", *args).records()
                if r["type"] == "event" and r["kind"] != "first-reading"]

    def test_sessions(self):
        """Another session in each URL at each reading: told once, and counted no more."""
        for day in range(7):
            self.docs["/shop.xml"] = {"/shop/%d;jsessionid=%032d" % (n, day): None
                                      for n in range(20)}
            self.docs["/a.xml"] = self.pages("/p", range(20 + day))
            self.crawl_day()
        events = self.diff("--json").records()
        told, = [r for r in events if r["type"] == "event" and r["kind"] != "first-reading"]
        self.assertEqual((told["kind"], told["finding"]), ("session-urls", ";jsessionid="))
        self.assertEqual(self.day_of(told["known"]), 2)
        # from there, what came before is known to be nothing, too
        self.assertEqual((events[0]["new"], events[0]["gone"]), (6, 0))
        rows = [row["kind"] for row in self.program.export("--changes", "--since", "100d")]
        self.assertEqual(rows, ["added"] * 6)
        self.assertEqual(len(self.program.run("ls", "127.0.0.1").out.splitlines()),
                         46)

    def test_sessions_after_a_start_without(self):
        """What the session added is none of what the first reading found."""
        for day in range(4):
            self.docs["/shop.xml"] = {"/shop/%d%s" % (n, "?sid=%08x" % day if day else ""): None
                                      for n in range(20)}
            self.crawl_day()
            first = [r["count"] for r in self.diff("--json").records()
                     if r["type"] == "event" and r["kind"] == "first-reading"]
            self.assertEqual(first, [20], "day %d" % day)

    def test_ignored_drop(self):
        self.docs["/a.xml"] = self.pages("/p", range(20))
        self.docs["/a.xml"].update(self.pages("/tag", range(30)))
        self.crawl_day(2)
        self.docs["/a.xml"] = self.pages("/p", range(16))
        self.crawl_day(4)
        self.assertIn(("mass-drop-confirmed", 34), self.kinds())
        self.assertEqual(self.kinds("--section-ignore", "/tag/"), [("mass-drop-confirmed", 4)])
        self.assertEqual(self.kinds("--section-ignore", "/tag/", "--section-ignore", "/p/01"), [])


if __name__ == "__main__":
    unittest.main()
