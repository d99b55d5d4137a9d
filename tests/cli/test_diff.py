"""freshet diff: what happened at sites, told once and only once."""
import csv
import io
import os
import re
import subprocess
import time
import unittest

from case import index, urlset
from clock import DAY
from daemon import Daemon
from program import TOP
from test_clock import Clocked


def moment(text):
    return int(time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))) - time.timezone


class Told(Clocked):
    """A made-up site with a daily crawl."""

    def setUp(self):
        super().setUp()
        self.clock.leap()
        self.begin = self.clock.now()
        self.days = 0
        self.docs = {}          # path -> {page: lastmod or None}
        self.is_named = True    # by robots.txt
        self.failing = set()    # paths

    def pages(self, section, numbers, date=None):
        return {"%s/%03d" % (section, n): date for n in numbers}

    def publish(self):
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\n" + (
            "Sitemap: %s\n" % url("/index.xml") if self.is_named else ""))
        self.server.put("/index.xml", index([url(path) for path in sorted(self.docs)]))
        for path, pages in self.docs.items():
            if path in self.failing:
                self.server.put(path, "", status=500)
            else:
                self.server.put(path, urlset([(url(page), pages[page]) for page in sorted(pages)]))

    def crawl_day(self, count=1, *args):
        for _ in range(count):
            self.publish()
            self.crawl("--retry", "0", *args, self.server.url("/"), status=None)
            self.days += 1
            self.clock.advance(DAY)

    def diff(self, *args, status=0):
        result = self.program.run("diff", *args)
        self.assertEqual(result.status, status, str(result))
        return result

    def day_of(self, text):
        return None if text is None else (moment(text) - int(self.begin)) // DAY

    def records(self, *args):
        """The events as (kind, day on which it happened, day on which it was known)."""
        records = self.diff("--json", *args).records()
        return [(r["kind"], self.day_of(r["at"]), self.day_of(r["known"]))
                for r in records if r["type"] == "event"]

    def date(self, day):
        return time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(self.begin + day * DAY))

    def text(self, *args):
        return self.diff("--since", "100d", *args).out


class Story(Told):
    """Sixty days with an event of nearly every kind."""

    TRUTH = [
        ("first-reading", 0, 0),
        ("section-launched", 10, 12),
        ("other-sitemap", 15, 15),
        ("pages-moved", 18, 19),
        ("redated", 22, 22),
        ("mass-drop-accident", 26, 27),
        ("section-gone", 30, 33),
        ("burst", 34, 37),
        ("mass-drop-confirmed", 36, 37),
        ("sitemap-line-lost", 40, 40),
        ("sitemap-line-back", 43, 43),
        ("silence", 45, 53),
        ("sitemap-failing", 46, 47),
        ("sitemap-back", 49, 49),
        ("dates-backwards", 55, 55),
    ]

    def happen(self, day):
        shop = self.docs["/a.xml"]
        if day % 3 == 0 and 3 <= day <= 45:
            shop.update(self.pages("/p", [500 + day], "2026-01-05"))
        if day == 10:
            self.docs["/d.xml"] = self.pages("/academy", range(8))
        elif day == 14:
            posts = sorted(self.docs["/b.xml"])
            self.docs["/b2.xml"] = {page: None for page in posts[15:]}
            self.docs["/b.xml"] = {page: None for page in posts[:15]}
        elif day == 18:
            for path in ("/b.xml", "/b2.xml"):
                self.docs["/new-" + path[1:]] = {
                    page.replace("/blog/", "/insights/"): None for page in self.docs.pop(path)}
        elif day == 22:
            self.docs["/a.xml"] = dict.fromkeys(shop, "2026-01-22")
        elif day == 26:
            self.kept = dict(shop)
            self.docs["/a.xml"] = dict(list(shop.items())[:10])
        elif day == 27:
            self.docs["/a.xml"] = dict(self.kept, **self.pages("/p", [527], "2026-01-05"))
        elif day == 30:
            del self.docs["/d.xml"]
        elif day == 34:
            shop.update(self.pages("/p", range(200, 240), "2026-01-05"))
        elif day == 36:
            for page in sorted(shop)[:50]:
                del shop[page]
        elif day == 40:
            self.is_named = False
        elif day == 43:
            self.is_named = True
        elif day == 46:
            self.failing = {"/new-b.xml"}
        elif day == 49:
            self.failing = set()
        elif day == 55:
            self.docs["/a.xml"] = dict.fromkeys(shop, "2025-06-01")

    def live(self):
        """Live all days; returns what was told each day, of the day before."""
        told = []
        self.docs = {"/a.xml": self.pages("/p", range(40), "2026-01-01"),
                     "/b.xml": self.pages("/blog", range(30))}
        for day in range(60):
            self.happen(day)
            self.crawl_day()
            if day % 10 == 9:
                told += self.records("--since", self.date(day - 9), "--until", self.date(day + 1))
        return told

    def test_story(self):
        told = self.live()
        # in the order in which it happened, each once, and nothing else
        self.assertEqual(self.records("--since", "100d"), self.TRUTH)
        # told every ten days, each is told once, too; nothing was taken back
        self.assertEqual(sorted(told), sorted(
            self.TRUTH + [("mass-drop-waiting", 36, 36)] * (("mass-drop-waiting", 36, 36) in told)))
        # consecutive days have each event once
        each = []
        for day in range(60):
            each += self.records("--since", self.date(day), "--until", self.date(day + 1))
        waiting = [("mass-drop-waiting", 26, 26), ("mass-drop-waiting", 36, 36)]
        self.assertEqual(sorted(e for e in each if e not in waiting), sorted(self.TRUTH))
        self.assertEqual(sorted(e for e in each if e in waiting), sorted(waiting))
        # a kind, a section
        self.assertEqual(self.records("--since", "100d", "--kind", "burst, silence"),
                         [("burst", 34, 37), ("silence", 45, 53)])
        self.assertEqual(self.records("--since", "100d", "--section", "/blog"),
                         [("pages-moved", 18, 19)])
        self.assertEqual(self.records("--since", "100d", "--section", "/academy/"),
                         [("section-launched", 10, 12), ("section-gone", 30, 33)])
        # the numbers are those of stats and of the rows
        site, = [r for r in self.diff("--since", "100d", "--json").records()
                 if r["type"] == "site"]
        stats = self.program.run("stats", "--json", "--last", "100d", "127.0.0.1").records()[-1]
        rows = [r["kind"] for r in self.diff("--since", "100d", "--json", "--rows").records()
                if r["type"] == "page"]
        for key in ("new", "gone", "moved", "redated", "refused", "accepted"):
            self.assertEqual(site[key], stats[key], key)
            self.assertEqual(site[key], rows.count(key), key)
        self.assertEqual((site["new"], site["gone"], site["moved"], site["listed"]),
                         (8 + 15 + 40, 8 + 50, 30, 70 + 63 - 58))
        # so are those of each week, which make the whole
        sums = dict.fromkeys(("new", "gone", "moved", "redated"), 0)
        for day in range(0, 63, 7):
            args = ("--json", "--since", self.date(day), "--until", self.date(day + 7))
            site, = [r for r in self.diff(*args).records() if r["type"] == "site"]
            rows = [r["kind"] for r in self.diff(*args, "--rows").records() if r["type"] == "page"]
            for key in sums:
                self.assertEqual(site[key], rows.count(key), (day, key))
                sums[key] += site[key]
        self.assertEqual((sums["new"], sums["gone"], sums["moved"]), (63, 58, 30))
        self.sentences()

    def sentences(self):
        text = " ".join(self.text().split())
        for sentence in (
                "read for the first time: 70 pages, of which none counts as new",
                "/academy is new: 8 pages came",
                "note: 15 pages left /b.xml; other sitemaps list them, or they were soon back, so none is new or gone",
                "30 pages moved from /blog to /insights",
                "47 of 47 pages with dates got another date in /a.xml, and nearly none came or "
                "went: a redeploy, it seems",
                "were missing from /a.xml, and a later reading had them again: nothing is gone",
                "/academy is gone: its last 8 pages left",
                "40 new pages in a day; in the 28 days before at most 8 a day",
                "pages left /a.xml at once; a later reading confirmed it",
                "/robots.txt names no sitemap any more; freshet goes on reading those that it named",
                "/robots.txt names a sitemap again",
                "no new page for 8 days, since 2026-02-15; before never longer than 3 days",
                "/new-b.xml cannot be read for a day: status 500",
                "/new-b.xml can be read again",
                "pages with dates got an older date in /a.xml"):
            self.assertIn(sentence, text)
        for line in self.text().splitlines():
            self.assertLessEqual(len(line), 80, line)


class Run(Told):
    """The same by `run`, which reads each document at a pace of its own."""

    def test_run(self):
        self.docs = {"/a.xml": self.pages("/p", range(40)), "/b.xml": self.pages("/blog", range(30))}
        self.publish()
        self.assertEqual(self.program.run("add", self.server.url("/")).status, 0)
        daemon = Daemon(self.program)
        self.addCleanup(daemon.end)
        daemon.wait("crawled", site="127.0.0.1")
        for day in range(1, 14):
            if day == 3:
                self.docs["/d.xml"] = self.pages("/academy", range(9))
            elif day == 6:
                self.docs["/c.xml"] = self.pages("/insights", range(30))
                del self.docs["/b.xml"]
            elif day == 9:
                self.docs["/a.xml"] = self.pages("/p", range(10))
            self.publish()
            until = self.clock.now() + DAY
            self.clock.leap(until=until, stride=600)
            self.clock.wait_until(until)
            self.clock.settle()
        self.assertEqual([kind for kind, _, _ in self.records("--since", "60d")],
                         ["first-reading", "section-launched", "pages-moved",
                          "mass-drop-confirmed"])
        site = self.diff("--since", "60d", "--json").records()[0]
        self.assertEqual([site[key] for key in ("listed", "new", "gone", "moved")], [49, 9, 30, 30])


class Languages(Told):
    """Pages of two sections move into a third one: that concerns each of them."""

    def test_sections(self):
        self.docs["/a.xml"] = {**self.pages("/p", range(30)), **self.pages("/blog", range(6))}
        self.crawl_day(2)
        self.docs["/a.xml"] = {"/en" + page: date for page, date in self.docs["/a.xml"].items()}
        self.crawl_day(4)
        for sections in ([], ["--section", "/blog"], ["--section", "/p"], ["--section", "/en"]):
            self.assertEqual(self.records("--since", "100d", "--kind", "pages-moved", *sections),
                             [("pages-moved", 2, 3)], sections)
        event, = [r for r in self.diff("--json", "--since", "100d", "--kind", "pages-moved")
                  .records() if r["type"] == "event"]
        self.assertEqual((event["count"], event["section"], event["to_section"]),
                         (36, None, "/en"))
        config = os.path.join(self.program.folder, "alert.conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("[alert a]\nsections = /blog\natom = /x.atom\n")
        self.assertIn("36 pages moved from", self.program.run(
            "alert", "replay", "a", "--config", config, "--since", "9d").out)


class Redeploys(Told):
    """A site that is built anew every other day: the text has one line, all else has each."""

    def test_redeploys(self):
        for day in range(20):
            date = "2026-01-%02d" % (1 + day - day % 2)
            self.docs["/a.xml"] = self.pages("/p", range(30), date)
            self.crawl_day()
        span = "--since", self.date(0), "--until"
        self.assertEqual([day for _, day, _ in self.records(
            "--kind", "redated", "--since", "100d")], list(range(2, 20, 2)))
        text = " ".join(self.diff(*span, self.date(19)).out.split())
        line = ("30 of 30 pages with dates got another date in /a.xml, and nearly none came or "
                "went: a redeploy, it seems")
        self.assertIn("%s; 9 such redeploys since 2026-01-03" % line, text)
        self.assertEqual(text.count(line), 1)
        # fewer, or kinds that leave them out
        text = " ".join(self.diff(*span, self.date(10)).out.split())
        self.assertEqual(text.count(line), 4)
        self.assertNotIn("such redeploys", text)
        self.assertEqual(self.text("--kind", "burst").count("redeploy"), 0)
        csv = self.diff("-f", "csv", "--since", "100d").out
        self.assertEqual(csv.count("a redeploy"), 9)


class Facts(Told):
    """What is back, what replaces something, and what comes nearly every day."""

    def headlines(self):
        page = self.program.run("report", "--html", "-", "--since", "100d").out
        first = page.split("What happened", 1)[1].split("</section>", 1)[0]
        return first, [re.sub("<[^>]*>", "", line).split(": ", 1)[1]
                       for line in re.findall("<li>.*</li>", first)]

    def test_back(self):
        self.docs["/a.xml"] = {**self.pages("/p", range(20)), **self.pages("/guides", range(8)),
                               **self.pages("/blog", range(12))}
        self.crawl_day(2)
        for n in range(8):
            del self.docs["/a.xml"]["/guides/%03d" % n]
        self.crawl_day(4)
        self.docs["/a.xml"].update(self.pages("/guides", range(9)))
        self.crawl_day(4)
        for n in range(12):
            del self.docs["/a.xml"]["/blog/%03d" % n]
        self.docs["/a.xml"].update(self.pages("/learn", range(40, 50)))
        self.crawl_day(4)
        away = self.date(2)[:10]
        back, = [r for r in self.diff("--json", "--since", "100d").records()
                 if r["type"] == "event" and r["section"] == "/guides" and
                 r["kind"] == "section-launched"]
        self.assertEqual(back["text"], "/guides is back: 9 pages came, away since " + away)
        self.assertEqual((back["count"], back["back"], back["away_since"][:10]), (9, 8, away))
        site = self.diff("--json", "--since", "100d").records()[0]
        self.assertEqual((site["new"], site["gone"]), (19, 20))
        # each fact once: what went and came back, and what was replaced
        first, told = self.headlines()
        self.assertEqual(sorted(told), ["/guides is back: 9 pages came, away since " + away,
                                        "/learn replaced /blog: 10 pages came, and 12 left",
                                        "read for the first time: 40 pages, of which none "
                                        "counts as new"])
        self.assertIn("5 events", first)

    def test_wandering(self):
        """Pages that wander between two sitemaps each day are told of once, and everywhere."""
        pages = list(self.pages("/p", range(40)))
        for day in range(9):
            turn = pages[day * 3:] + pages[:day * 3]
            self.docs["/a.xml"] = dict.fromkeys(turn[:20])
            self.docs["/b.xml"] = dict.fromkeys(turn[20:])
            self.crawl_day()
        notes = [r for r in self.diff("--json", "--since", "100d").records() if r.get("note")]
        self.assertGreater(len(notes), 2)
        text = " ".join(self.text().split())
        self.assertEqual(text.count("note: "), 1)
        self.assertIn("; %d such days since 2026-01-" % len(notes), text)
        self.assertIn("1 event", self.headlines()[0])


class Robots(Told):
    """The texts of robots.txt are kept, and what changes in them is told."""

    def setUp(self):
        super().setUp()
        self.docs = {"/a.xml": self.pages("/p", range(20))}
        self.rules = "User-agent: *\nDisallow:\n"

    def publish(self):
        super().publish()
        if self.rules is None:
            self.server.put("/robots.txt", "", status=404)
        else:
            self.server.put("/robots.txt", self.rules + (
                "Sitemap: %s\n" % self.server.url("/index.xml") if self.is_named else ""))

    def test_rules(self):
        self.crawl_day(2)
        self.rules = "# hello\nUser-agent: *\nDisallow: # nothing\n"
        self.crawl_day(2)
        self.rules += "Disallow: /labs/\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n"
        self.crawl_day(2)
        self.is_named = False
        self.crawl_day(2)
        self.rules = None
        self.crawl_day(2)
        self.is_named = True
        self.rules = "User-agent: *\nCrawl-delay: 0.1\n"
        self.crawl_day(2)
        self.assertEqual(self.records("--since", "100d"), [
            ("first-reading", 0, 0), ("robots-changed", 4, 4), ("sitemap-line-lost", 6, 6),
            ("robots-changed", 8, 8), ("robots-changed", 10, 10), ("sitemap-line-back", 10, 10)])
        each = []
        for day in range(12):
            each += self.records("--since", self.date(day), "--until", self.date(day + 1),
                                 "--kind", "robots-changed")
        self.assertEqual([day for _, day, _ in each], [4, 8, 10])
        text = " ".join(self.text("--kind", "robots-changed").split())
        for sentence in ("/robots.txt changed: new Disallow: / for CCBot, GPTBot; new Disallow: "
                         "/labs/ for *",
                         "/robots.txt changed: there is none any more: gone Disallow: / for CCBot, "
                         "GPTBot; gone Disallow: /labs/ for *",
                         "/robots.txt changed: there was none before: new Crawl-delay: 0.1 for *; "
                         "new Sitemap: "):
            self.assertIn(sentence, text)
        event = self.diff("--json", "--since", "9d", "--kind", "robots-changed").records()
        event = [r for r in event if r["type"] == "event"][0]
        self.assertEqual((event["count"], event["of"], event["documents"]), (2, None, 1))
        readings = [r["outcome"] for r in self.program.run(
            "sql", "--json", "SELECT outcome FROM reading WHERE id IN (%d, %d)"
            % (event["first_reading"], event["last_reading"])).records()]
        self.assertEqual(len(readings), 2)

        lines = self.program.run("robots", "--history", self.server.url("/")).out.splitlines()
        self.assertEqual(lines[0], self.server.url("/robots.txt"))
        self.assertEqual([line[:18] for line in lines if line.startswith("  2")],
                         ["  2026-01-%02d 00:00" % day for day in (1, 5, 7, 9, 11)])
        self.assertEqual([line[4:40] for line in lines[3:5]],
                         ["+ Disallow: / for CCBot, GPTBot", "+ Disallow: /labs/ for *"])
        self.assertIn("there was no such file", lines[7])
        texts = self.program.run("robots", "--json", "--history", "127.0.0.1").records()
        self.assertEqual([t["file"] for t in texts], [True, True, True, False, True])
        self.assertEqual([t["until"] for t in texts], [t["since"] for t in texts[1:]] + [None])
        self.assertIn("Disallow: /labs/\n", texts[1]["text"])
        self.assertEqual(self.program.run(
            "sql", "-f", "csv", "SELECT count(*) FROM robots_text").out.split()[1], "4")

    def test_back_after_long(self):
        """What was lost long before the span is known when it comes back."""
        self.crawl_day()
        self.is_named = False
        self.crawl_day(2)
        self.clock.advance(60 * DAY)
        self.days += 60
        self.is_named = True
        self.crawl_day()
        self.assertIn(("sitemap-line-back", 63, 63), self.records("--since", "3d"))

    def test_hostile_text(self):
        """A text is shown without its control characters, and cut."""
        self.crawl_day()
        self.rules = "User-agent: \x1b[31m\nDisallow: /\x1b[2J%s\n" % ("x" * 5000)
        self.crawl_day()
        for args in (("diff", "--since", "9d"), ("diff", "--since", "9d", "-f", "csv"),
                     ("robots", "--history", "127.0.0.1")):
            out = self.program.run(*args).out
            self.assertIn("xxxx", out)
            self.assertNotIn("\x1b", out)
            self.assertLess(len(out), 2000)

    def test_wrong_use(self):
        for args, status in ((("127.0.0.1",), 2), (("--file", "x", "a.test"), 2),
                             (("no.test",), 2)):
            self.assertEqual(self.program.run("robots", "--history", *args).status, status)
        self.crawl_day()
        self.assertEqual(self.program.run("robots", "--history", "no.test").status, 4)


class Spans(Told):
    """What is asked for, and how it is printed."""

    def setUp(self):
        super().setUp()
        self.docs = {"/a.xml": self.pages("/p", range(20))}
        self.crawl_day(3)

    def test_nothing_happened(self):
        out = self.diff("--since", "2d").out
        self.assertEqual(out, "1 site without events or changes\n")
        self.assertEqual(self.diff("-q", "--since", "2d").out, "")
        out = self.diff("--since", "2d", "127.0.0.1").out
        self.assertRegex(out, r"^127\.0\.0\.1  2026-01-02 00:00 → now  0 new, 0 gone\n$")
        self.diff("--since", "2d", "--exit-code")
        self.diff("--since", "9d", "--exit-code", status=1)
        self.diff("--since", "9d", "--exit-code", "--kind", "burst")
        self.diff("--since", "9d", "--until", "2d", "--exit-code", "--kind", "first-reading",
                  status=1)

    def test_ends(self):
        """A week before the end, if it has no beginning; and a beginning that is to come."""
        head = self.diff("--until", "2026-01-03", "127.0.0.1").out.split("\n")[0]
        self.assertRegex(head, r"^127\.0\.0\.1  2025-12-27 00:00 → 2026-01-03 00:00  0 new")
        self.assertIn("'--since' must be before now", self.diff("--since", "2030-01-01",
                                                                status=2).err)
        listed = self.program.run("ls", "--sitemaps", "-l", "--tz", "+09:00").out
        self.assertIn(" 2026-01-03 09:00  http", listed)

    def test_so_far(self):
        """Until it is settled, an event may be told, and stays as it was."""
        self.docs["/b.xml"] = self.pages("/labs", range(6))
        self.crawl_day()
        self.assertIn("/labs is new: 6 pages came (so far)", self.text())
        self.assertEqual(self.records("--since", "1d")[0], ("section-launched", 3, None))
        self.assertEqual(self.records("--until", "today"), [("first-reading", 0, 0)])
        self.crawl_day(3)
        self.assertNotIn("(so far)", self.text())
        self.assertEqual(self.records("--since", "3d"), [("section-launched", 3, 5)])
        self.assertEqual(self.records("--since", "1d"), [])

    def test_a_rename_is_no_launch(self):
        """While old pages may be gone, nothing is said of new ones."""
        self.docs["/b.xml"] = self.pages("/blog", range(9))
        self.crawl_day(4)
        del self.docs["/b.xml"]
        self.docs["/c.xml"] = self.pages("/insights", range(9))
        self.crawl_day()
        self.assertEqual(self.records("--since", "1d"), [])
        self.crawl_day()
        self.assertEqual(self.records("--since", "2d"), [("pages-moved", 7, 8)])

    def test_rows(self):
        self.docs["/a.xml"].update(self.pages("/p", [77, 78], "2026-01-04"))
        self.crawl_day()
        self.docs["/a.xml"]["/p/077"] = "2026-01-05"
        del self.docs["/a.xml"]["/p/003"]
        self.crawl_day(2)
        lines = self.diff("--since", "4d", "--rows").out.splitlines()
        self.assertEqual([line[20:] for line in lines if line[20:].split(" ")[0] in
                          ("new", "gone", "re-dated")],
                         ["new       /p/077", "new       /p/078",
                          "re-dated  /p/077  2026-01-04 → 2026-01-05", "gone      /p/003"])
        self.assertEqual(lines[0].split("now  ")[1], "2 new, 1 gone, 1 re-dated")
        self.assertIn("  sections: /p 2 new 1 gone 1 re-dated", lines)
        rows = list(csv.DictReader(io.StringIO(
            self.diff("--since", "4d", "--rows", "-f", "csv").out)))
        self.assertEqual([(r["site"], r["section"], r["type"], r["kind"], r["at"][:10],
                           r["url"][-6:]) for r in rows],
                         [("127.0.0.1", "/p", "page", "new", "2026-01-04", "/p/077"),
                          ("127.0.0.1", "/p", "page", "new", "2026-01-04", "/p/078"),
                          ("127.0.0.1", "/p", "page", "redated", "2026-01-05", "/p/077"),
                          ("127.0.0.1", "/p", "page", "gone", "2026-01-05", "/p/003")])
        self.assertEqual(len(self.diff("--since", "4d", "--until", "2026-01-05", "--rows", "-f",
                                       "csv").out.splitlines()), 3)
        out = self.diff("--since", "4d", "--rows", "--section", "/blog").out
        self.assertEqual(out, "1 site without events or changes\n")

    def test_zone(self):
        """Times are printed and read in the zone of --tz; those of JSON are not."""
        self.docs["/a.xml"].update(self.pages("/p", [77]))
        self.crawl_day()  # on 2026-01-04 at 00:00 UTC
        berlin = "Europe/Berlin" if os.path.exists("/usr/share/zoneinfo/Europe/Berlin") else "+01:00"
        for zone, time_there in ((berlin, "2026-01-04 01:00"), ("+05:30", "2026-01-04 05:30"),
                                 ("-03:00", "2026-01-03 21:00"), ("+00:15", "2026-01-04 00:15")):
            args = ("--tz", zone, "--rows", "--since")
            self.assertIn("\n  %s  new       /p/077\n" % time_there,
                          self.diff(*args, time_there).out)
            self.assertIn("  %s → now" % time_there, self.diff(*args, time_there).out)
            day = time_there[:10]
            counts = [self.diff("--tz", zone, "--json", *span).records()[0]["new"] for span in (
                ("--since", "2026-01-02", "--until", time_there),
                ("--since", "2026-01-02", "--until", time_there[:-1] + "9"),
                ("--since", "yesterday", "--until", "today"), ("--since", "today"),
                ("--since", day, "--until", time_there + ":00Z"))]
            self.assertEqual(counts, [0, 1, 1, 0, int(time_there > "2026-01-04 00:00")], zone)
            first, = [r["at"] for r in self.diff("--json", *args, time_there).records()
                      if r["type"] == "page"]
            self.assertEqual(first[:16], "2026-01-04T00:00")
            self.assertIn(time_there.replace(" ", "T") + ":", self.program.run(
                "export", "--tz", zone, "--changes", "--since", "2d", "127.0.0.1").out)
            days = self.program.run("stats", "--tz", zone, "--last", "3d", "127.0.0.1").out
            self.assertIn(" on %s %s" % ("Sat" if day.endswith("3") else "Sun", day[5:]), days)
        for command in ("list", "hold", "db info", "explain http://127.0.0.1/"):
            self.assertNotIn("zone", self.program.run(*command.split(), "--tz", "+02:00").err)
        self.assertIn("there is no time zone 'Mars/Base'",
                      self.diff("--tz", "Mars/Base", status=2).err)
        for zone in ("/etc/passwd", "../x", "CET-1CEST,M3"):
            self.assertIn("takes a time zone such as", self.diff("--tz", zone, status=2).err)
        config = os.path.join(self.program.folder, "tz.conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("[defaults]\ntz = +09:00\n")
        self.assertIn("2026-01-04 09:00", self.diff("--config", config, "--rows").out)

    def test_verdicts(self):
        """What freshet refuses is not gone, but told."""
        url = self.server.url
        other = "http://www.own.test/"
        self.server.put("/a.xml", urlset([url("/p/%03d" % n) for n in range(20)]
                                         + [other + "%d" % n for n in range(6)]))
        own = ("--own", "domain:own.test", "--own", url("/"))
        for args in (own, own, (), ()):
            self.crawl(*args, url("/"), status=None)
            self.clock.advance(DAY)
        events = [r for r in self.diff("--since", "3d", "--json").records() if r["type"] == "event"]
        self.assertEqual([(e["kind"], e["count"], e["of"]) for e in events],
                         [("verdict-changed", 6, None)])
        self.assertIn("freshet now refuses 6 pages of /a.xml (",
                      " ".join(self.diff("--since", "3d").out.split()))

    def test_sites(self):
        self.program.run("add", "--tag", "rivals", self.server.url("/"))
        self.assertIn("127.0.0.1  ", self.diff("--since", "9d", "--tag", "rivals").out)
        self.diff("--tag", "friends", status=4)
        self.diff("no.test", status=4)
        self.diff("--tag", "rivals", "127.0.0.1", status=2)
        twice = self.diff("127.0.0.1", self.server.url("/")).out
        self.assertEqual(twice.count("127.0.0.1"), 1)
        result = self.diff(self.server.url("/a.xml"), status=2)
        self.assertIn("'diff' is of whole sites", result.err)

    def test_wrong_options(self):
        for args, message in (
                (("--kind", "brst"), "unknown kind 'brst'; did you mean 'burst'?"),
                (("--kind", "burst,"), "unknown kind ''"),
                (("--section", "/a/b"), "no site has a section '/a/b'"),
                (("--section", "a"), "no site has a section 'a'"),
                (("--section", "a b"), "a section such as /blog"),
                (("--since", "soon"), "takes a date"),
                (("--since", "yesterday", "--until", "1w"), "'--since' must be before '--until'")):
            self.assertIn(message, self.diff(*args, status=2).err)

    def test_forgotten_readings(self):
        """Without its first readings, a site is not read for the first time."""
        self.docs["/a.xml"].update(self.pages("/p", [77]))
        self.crawl_day(30)
        self.assertEqual(self.records("--since", "60d"), [("first-reading", 0, 0)])
        self.program.leave_postgresql()
        self.assertEqual(self.program.run("db", "prune", "--older", "10d").status, 0)
        self.assertEqual(self.records("--since", "60d"), [])

    def test_kinds(self):
        """Help, SPEC and the reference name the same kinds."""
        places = [self.program.run("help", "diff").out]
        for path in ("internals/SPEC.md", "reference/events.md"):
            with open(os.path.join(TOP, "docs", path), encoding="utf-8") as f:
                places.append(f.read())
        kinds = re.findall(r"(?m)^\| `([a-z-]+)`(?: \(note\))? \|", places[1].split("## 16.")[1])
        self.assertEqual(len(kinds), 19)
        for kind in kinds:
            self.assertIn(kind, " ".join(places[0].split()))
            self.assertIn("\n| `%s` |" % kind, places[2])
            self.diff("--kind", kind)

    def test_empty_store(self):
        self.program.store += ".other"
        self.diff(status=2)

class Excel(Told):
    """freshet diff --excel."""

    def cells(self, separator, *args, env=None):
        out = self.program.run("diff", "--excel", "--rows", *args, env=dict(env or {})).out
        self.assertEqual(out[0], "\ufeff")
        return list(csv.DictReader(io.StringIO(out[1:]), delimiter=separator))

    def test_table(self):
        self.docs = {"/a.xml": self.pages("/p;a,b", range(3))}
        self.crawl_day()
        self.docs["/a.xml"].update(self.pages("/p;a,b", [7]))
        self.crawl_day()
        folder = os.path.join(self.program.folder, "locale")
        os.mkdir(folder)
        subprocess.run(["localedef", "-f", "UTF-8", "-i", "de_DE", folder + "/de_DE.UTF-8"],
                       check=True, timeout=600)
        german = {"LOCPATH": folder, "LC_ALL": "de_DE.UTF-8"}
        expected = self.cells(",", env={"LC_ALL": "C"})
        self.assertEqual(expected, self.cells(";", env=german))
        event, row = expected
        self.assertEqual((event["kind"], row["type"], row["kind"], row["section"]),
                         ("first-reading", "page", "new", "/p;a,b"))
        self.assertRegex(row["at"], r"^2026-01-02 00:00:\d\d$")
        self.assertTrue(row["url"].endswith("/p;a,b/007"))
        self.assertEqual([r["at"][:16] for r in self.cells(",", "--tz", "-03:00")],
                         ["2025-12-31 21:00", "2026-01-01 21:00"])
        for args in (("--json",), ("-f", "text")):
            self.diff("--excel", *args, status=2)


class Past(Told):
    """freshet export --as-of: what was listed, as it was exported then."""

    def export(self, *args, status=0):
        result = self.program.run("export", "--columns", "loc,lastmod,document", *args)
        self.assertEqual(result.status, status, str(result))
        return sorted(result.out.splitlines())

    def test_each_day(self):
        self.docs = {"/a.xml": self.pages("/p", range(12), "2025-12-01"),
                     "/b.xml": self.pages("/b", range(9))}
        then, each = [], []
        for day in range(8):
            if day == 1:
                self.docs["/a.xml"].update(self.pages("/p", [3, 4, 20], "2026-01-02"))
            elif day == 2:
                self.docs["/b.xml"].update(self.pages("/p", [5]))
                del self.docs["/b.xml"]["/b/002"]
            elif day == 4:
                self.docs["/c.xml"] = self.pages("/c", range(3))
                del self.docs["/a.xml"]["/p/007"]
            elif day == 5:
                self.docs["/a.xml"].update(self.pages("/p", [7], "2026-01-06"))
            self.crawl_day()
            then.append(self.export("--by", "document"))
            each.append(self.export("--by", "document", "--as-of", self.date(day + 1)))
        self.assertEqual(then, each)
        for day in range(8):
            self.assertEqual(then[day], self.export(
                "--by", "document", "--as-of", "%dh" % (24 * (8 - day) - 6), "127.0.0.1"), day)
        # each URL once
        urls = self.export("--as-of", "2026-01-04 12:00", "-f", "jsonl")
        self.assertEqual(len(urls), 13 + 8)
        self.assertEqual(self.export("--as-of", "2025-12-31"), ["loc,lastmod,document"])
        self.assertEqual(len(self.export("--as-of", "5d", self.server.url("/b/"))), 1 + 9 - 1)
        self.assertEqual(len(self.export("--as-of", "5d", self.server.url("/c/"))), 1)
        result = self.program.run("export", "-f", "sitemap", "--as-of", "5d", self.server.url("/b/"))
        self.assertEqual(result.out.count("<loc>"), 8)
        for args in (("--all",), ("--changes",), ("--refused",), ("--indexes",)):
            self.assertEqual(self.program.run("export", "--as-of", "5d", *args).status, 2)
        self.program.leave_postgresql()
        self.program.run("db", "prune", "--older", "3d")
        self.assertEqual(len(self.export("--as-of", "1d")), len(then[-1]) - 1)
        result = self.program.run("export", "--as-of", "6d")
        self.assertEqual(result.status, 1)
        self.assertIn("/a.xml': its readings of that time were removed\n", result.err)


class Refused(Told):
    """What the rules refuse is listed all the same: no export is empty while diff counts."""

    def rows(self, *args):
        """(url, code) of each row, and it is the same in each format."""
        found = [[(row["loc"], row["refused"] or "") for row in self.program.export(*args)]]
        for form, separator in (("csv", ","), ("tsv", "\t")):
            text = self.program.run("export", "-f", form, *args).out
            found.append([(row["loc"], row["refused"]) for row in csv.DictReader(io.StringIO(text), delimiter=separator)])
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        return sorted(found[0])

    def plain(self, form, *args):
        """What is written without a column for the rule, and what stderr says of the rest."""
        result = self.program.run("export", "-f", form, *args)
        self.assertEqual(result.status, 0, str(result))
        return len(re.findall(r"\bhttp://127\S+?/p/\d+", result.out)), result.err

    def test_line_lost(self):
        self.docs = {"/maps/a.xml": self.pages("/p", range(20))}
        self.crawl_day()
        self.is_named = False
        self.docs["/maps/a.xml"].update(self.pages("/p", range(20, 25)))
        self.crawl_day()
        self.crawl_day()
        url = self.server.url
        listed = [(url("/p/%03d" % n), "outside-directory") for n in range(25)]
        self.assertEqual(self.rows(), listed)
        self.assertEqual(self.rows("--by", "document"), listed)
        self.assertEqual(self.rows("--refused"), listed)
        self.assertEqual(self.rows("--as-of", self.date(2)), listed)
        self.assertEqual(self.rows("--as-of", "66h"), [(page, "") for page, _ in listed[:20]])
        new, = [r for r in self.diff("--json", "--since", "3d").records() if r["type"] == "site"]
        added = [row for row in self.program.export("--changes", "--since", "3d") if row["kind"] == "added"]
        self.assertEqual((new["new"], [(row["loc"], row["refused"]) for row in added]), (5, listed[20:]))
        for args in ((), ("--as-of", self.date(2))):
            for form in ("urls", "sitemap"):
                written, said = self.plain(form, *args)
                self.assertEqual(written, 0)
                self.assertIn("25 refused URLs were left out", said)
        self.assertIn("refused URLs were left out", self.plain("urls", "--changes", "--since", "3d")[1])
        self.assertEqual(self.plain("urls", "--refused"), (25, ""))
        self.assertIn("25 of these URLs are refused; the column", self.program.run("export", "--columns", "loc").err)
        ls = self.program.run("ls")
        self.assertEqual(ls.out.split(), [page for page, _ in listed])
        self.assertIn("25 of these URLs are refused", ls.err)
        self.assertEqual(self.program.run("ls", "-l").out.count("  outside-directory\n"), 25)
        # the line is back: by which rule it was refused is not known any more
        self.is_named = True
        self.crawl_day()
        self.assertEqual(self.rows(), [(page, "") for page, _ in listed])
        self.assertEqual(self.rows("--as-of", self.date(2)), [(page, "refused") for page, _ in listed])

    def test_until(self):
        """export --changes --until: what diff counts in that span."""
        self.docs = {"/a.xml": self.pages("/p", range(20))}
        self.crawl_day()
        for day in range(4):
            self.docs["/a.xml"].update(self.pages("/p", [100 + day]))
            self.crawl_day()
        span = ["--since", self.date(1), "--until", self.date(3)]
        rows = self.program.export("--changes", *span)
        self.assertEqual([row["loc"][-3:] for row in rows], ["100", "101"])
        counted, = [r for r in self.diff("--json", *span).records() if r["type"] == "site"]
        self.assertEqual(counted["new"], len(rows))
        # a day before it, if no --since says otherwise
        rows = self.program.export("--changes", "--until", self.date(3))
        self.assertEqual([row["loc"][-3:] for row in rows], ["101"])
        for args in (["--until", "1d"], ["--changes", "--since", "1d", "--until", "2d"]):
            self.assertEqual(self.program.run("export", *args).status, 2)


class OnlyHttp(Told):
    """The https robots.txt of a host that speaks only http fails for ever, and is no event."""

    def test_run_once(self):
        self.docs = {"/a.xml": self.pages("/p", range(20))}
        self.publish()
        port = self.server.url("/").split(":")[2].strip("/")
        self.server.put("/robots.txt", "Sitemap: http://shop.example/a.xml\n")
        self.server.put("/a.xml", urlset(["http://shop.example/p/%d" % n for n in range(20)]))
        self.program.run("add", "shop.example")
        for day in range(16):
            daemon = Daemon(self.program, "--once", "--retry", "0", "--connect-to",
                            "::127.0.0.1:" + port)
            self.clock.leap()
            self.assertIn(daemon.end(None), (0, 1), str(daemon))
            self.clock.hold()
            self.clock.advance(DAY)
        failed = self.program.run("sql", "SELECT count(*) FROM reading WHERE document = "
                                  "'https://shop.example/robots.txt' AND outcome = 'failed'")
        self.assertGreater(int(failed.out.split()[-1]), 1, "more than a day apart")
        self.assertEqual([kind for kind, _, _ in self.records("--since", "20d")], ["first-reading"])


class Waiting(Told):
    """What is not believed yet is said in one line, so that nobody takes it for nothing."""

    def said(self, *args):
        return " ".join(self.diff(*args).out.split())

    def test_launch(self):
        self.docs = {"/a.xml": self.pages("/p", range(20))}
        self.crawl_day(2)
        self.docs["/n.xml"] = self.pages("/new", range(100, 108))
        self.crawl_day()
        line = "1 event waits: section-launched, until 2026-01-05 00:00: pages that came or went may have moved"
        self.assertIn("/new is new: 8 pages came (so far) %s sections:" % line, self.said())
        self.assertNotIn("waits", self.said("--kind", "burst"))
        # while a page is missing for the first time, the launch itself is not told
        self.docs["/a.xml"] = self.pages("/p", range(19))
        self.crawl_day()
        said = self.said("--since", "3d")
        self.assertNotIn("is new", said)
        line = ("1 event waits: section-launched, until a sitemap that lacked pages is read again: "
                "they may have moved")
        self.assertIn("8 new, 0 gone " + line, said)
        self.assertEqual(self.records("--since", "3d"), [])
        # a span without any change says so, too, and one in the past does not
        self.assertIn(line, self.said("--since", "10m"))
        self.assertNotIn("wait", self.said("--since", "3d", "--until", "2d"))
        config = os.path.join(self.program.folder, "alert.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write("[alert new]\nkinds = section-launched\natom = /tmp/never\n"
                    "[alert gone]\nkinds = section-gone\natom = /tmp/never\n")
        replay = ("alert", "replay", "--config", config)
        self.assertEqual(self.program.run(*replay, "new").out, line + "\n")
        self.assertEqual(self.program.run(*replay, "new", "--until", "1d").out, "")
        self.assertEqual(self.program.run(*replay, "gone").out, "")
        self.crawl_day()
        self.assertNotIn("wait", self.said())
        self.assertIn("/new is new: 8 pages came", self.program.run(*replay, "new").out)
        self.assertNotIn("wait", self.program.run(*replay, "new").out)
        # it belongs to the day on which it became known, and says why its time is another one
        said = self.said("--since", self.date(3)[:11] + "12:00")
        self.assertIn("2026-01-04 12:00 → now 0 new, 0 gone", said)
        self.assertIn("2026-01-03 00:00 /new is new: 8 pages came (known since 2026-01-05 00:00)", said)
        self.assertNotIn("known since", self.said("--since", "4d"))

    def test_missing(self):
        """Pages that are missing once are not gone yet."""
        self.docs = {"/a.xml": self.pages("/p", range(30))}
        self.crawl_day(2)
        self.docs["/a.xml"] = self.pages("/p", range(5, 45))
        self.crawl_day()
        said = self.said()
        self.assertIn("15 new, 0 gone", said)
        line = ("1 sitemap, 5 URLs wait for a second reading: what is missing counts as gone when that "
                "lacks it, too")
        self.assertEqual(said.count(line), 1)
        self.assertNotIn("wait", self.said("--until", "1d"))
        self.crawl_day()
        self.assertIn("15 new, 5 gone", self.said())
        self.assertNotIn("wait for a second", self.said())


if __name__ == "__main__":
    unittest.main()
