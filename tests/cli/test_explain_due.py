"""freshet explain and stats: when pages that fetchers have had are due, and
why."""
import json
import os
import unittest

from case import urlset
from clock import DAY
from daemon import Daemon
from program import interrupt
from test_clock import HOUR, Clocked


class Due(Clocked):
    def setUp(self):
        super().setUp()
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /x\nSitemap: %s\n"
                        % self.server.url("/s.xml"))
        self.publish("2026-01-01")
        self.crawl(self.server.url("/"))

    def publish(self, date, pages=3):
        """Publish the site: the first page gets that date, all others keep
        theirs."""
        self.server.put("/s.xml", urlset(
            [(self.server.url("/p%d" % n), date if n == 0 else "2026-01-01")
             for n in range(pages)]))

    def explain(self, path="/p0"):
        result = self.program.run("explain", "--json", self.server.url(path))
        self.assertEqual(result.status, 0, str(result))
        due, = result.records()[-1]["due"]
        return due

    def text(self, path="/p0"):
        return self.program.run("explain", self.server.url(path)).out

    def fetch(self, content, *args):
        """Fetch all pages that are due; returns the pages and the answers."""
        pages = self.program.run("due", *args).records()
        lines = "".join(json.dumps({"lease": p["lease"], "url": p["url"], "status": 200,
                                    "content_hash": content}) + "\n" for p in pages)
        answers = self.program.run("done", input=lines).records()
        self.assertEqual({a["ack"] for a in answers} | {"OK"}, {"OK"}, answers)
        return pages

    def test_a_page_goes_round(self):
        self.assertEqual(self.explain()["state"], "unpromoted")
        pages = self.program.run("due", "--lease", "10m").records()
        self.assertEqual(len(pages), 3)
        due = self.explain()
        self.assertEqual((due["state"], due["promoted"], due["fetched"], due["days"],
                          due["host_leases"]), ("out", True, None, None, 3))
        self.assertEqual(due["lease_until"], pages[0]["lease_until"])
        self.assertIn("out        a fetcher has it, until 2026-", self.text())
        self.assertIn("; never fetched", self.text())
        self.clock.advance(11 * 60)
        self.assertEqual(self.explain()["state"], "due")
        self.assertIn("due now    ", self.text())
        self.assertEqual(len(self.fetch("a")), 3)
        due = self.explain()
        self.assertEqual((due["state"], due["moves"], due["host_leases"]), ("later", 0, 0))
        self.assertIn("lastmod 2026-01-01, not moved since;", self.text())
        self.assertIn("; last fetched ", self.text())

    def test_before_its_turn(self):
        """A page that was never handed out: how many wait with it, and what
        delays them all."""
        self.publish("2026-01-01", pages=30)
        self.server.put("/robots.txt", "User-agent: *\nCrawl-delay: 7\nSitemap: %s\nSitemap: %s\n"
                        % (self.server.url("/s.xml"), self.server.url("/t.xml")))
        self.server.put("/t.xml", urlset(self.server.url("/t%d" % n) for n in range(4)))
        self.clock.advance(DAY + HOUR)
        self.crawl(self.server.url("/"))
        self.clock.advance(8)  # the delay of the host, after the crawl
        self.program.run("due", "-n", "2")
        path = "/p29"
        due = self.explain(path)
        self.assertEqual((due["state"], due["promoted"], due["delay_ms"], due["host_leases"]),
                         ("unpromoted", False, 7000, 2))
        self.assertEqual(due["site_unpromoted"], 32)
        self.assertIn(due["unpromoted"], (28, 29, 30))
        self.assertGreater(due["value"], 0)
        self.assertIn("waits in its sitemap for its turn, with about %d pages that never were "
                      "either, and about %d in other sitemaps a request now "
                      % (due["unpromoted"] - 1, 32 - due["unpromoted"]), self.flat(path))
        self.assertRegex(self.flat(path), r"; its host is asked every 7 s(, not before 2026-\S+Z)?, "
                         "2 pages of it out; fetched every ")
        self.program.run("add", "--budget", "5/h", "--tag", "news", "--pages-every", "..1m",
                         self.server.url("/"))
        self.program.run("set", "@news", "budget=6/h")
        self.program.run("hold", "127.0.0.1", "--for", "2h")
        self.assertRegex(self.flat(path), r"its host is held until 2026-\S+Z a request now .*; budgets 5/h "
                         "of its site, 6/h of tag news; fetched every .*, which cannot be kept: 34 "
                         "pages at ")

    def test_a_date_moves(self):
        self.fetch("a")
        self.clock.advance(DAY)
        self.publish("2026-01-02")
        self.crawl(self.server.url("/"))
        due = self.explain()
        self.assertEqual((due["moves"], due["lastmod"], due["lastmod_before"]),
                         (1, "2026-01-02", "2026-01-01"))
        self.assertIn("lastmod 2026-01-01 → 2026-01-02, moved once since;", self.text())
        self.clock.advance(DAY)
        self.publish("2026-01-03T10:00:00Z")
        self.crawl(self.server.url("/"))
        due = self.explain()
        self.assertEqual((due["moves"], due["lastmod"], due["lastmod_before"]),
                         (2, "2026-01-03T10:00:00Z", "2026-01-01"))
        other = self.explain("/p1")
        self.assertEqual((other["moves"], other["lastmod_before"]), (0, None))
        self.assertGreater(due["value"] or 1e9, other["value"])

    def test_what_came_of_it(self):
        """The result of the last fetch, and since when it has been so."""
        def say(path, **fields):
            fields.update(url=self.server.url(path))
            self.program.run("done", input=json.dumps(fields) + "\n")
        self.assertIsNone(self.explain()["last_tried"])
        self.assertNotIn("last tried", self.text())
        self.program.run("due")
        for _ in range(3):
            say("/p0", status=500)
            self.clock.advance(60)
        due = self.explain()
        self.assertEqual((due["last_outcome"], due["last_status"], due["last_times"]),
                         ("failed", 500, 3))
        self.assertGreater(due["last_tried"], due["last_since"])
        self.assertIn("status 500, it failed, 3 times in a row since 2026-", self.flat("/p0"))
        # an answer such as 403 is no failure, and begins a row of its own
        say("/p0", status=403)
        self.assertRegex(self.flat("/p0"), r"status 403, an answer without the page lastmod ")
        say("/p0", status=403)
        due = self.explain()
        self.assertEqual((due["last_outcome"], due["last_times"], due["failures"]),
                         ("failed", 2, 0))
        self.assertIn("status 403, an answer without the page, 2 times in a row since 2026-",
                      self.flat("/p0"))
        say("/p0", status=301, location="https://a.example/new")
        self.assertIn("status 301, it has moved, to https://a.example/new", self.flat("/p0"))
        say("/p1", status=404)
        self.assertIn("status 404, it is gone", self.flat("/p1"))
        say("/p1", status=200, content_hash="a")
        self.assertEqual(self.explain("/p1")["last_outcome"], "fetched")
        self.assertIn("status 200, and no text before to compare it with", self.flat("/p1"))
        self.assertRegex(self.flat("/p1"), r"the page changes about every [0-9.]+ d, a guess;")
        say("/p1", status=200, content_hash="a")
        due = self.explain("/p1")
        self.assertEqual((due["last_outcome"], due["last_times"]), ("same", 1))
        self.assertIn("status 200, it was as before", self.flat("/p1"))
        self.assertNotIn("a guess;", self.flat("/p1"))
        self.assertNotIn("noindex", self.flat("/p1"))
        say("/p1", status=200, content_hash="a", noindex=True)
        self.assertIn("status 200, it was as before; it says noindex", self.flat("/p1"))

    def flat(self, path):
        return " ".join(self.text(path).split())

    def test_why_not(self):
        self.fetch("a")
        self.program.run("hold", "127.0.0.1", "--for", "2h")
        self.assertEqual(self.explain()["state"], "held")
        self.assertIn("not due    its host is held until 2026-", self.text())
        self.clock.advance(3 * HOUR)
        self.assertNotEqual(self.explain()["state"], "held")
        self.program.run("add", "--below", "/elsewhere", self.server.url("/"))
        self.assertEqual(self.explain()["state"], "unwanted")
        self.program.run("rm", "127.0.0.1")
        self.assertEqual(self.explain()["state"], "removed")

    def test_delay_of_its_host(self):
        """The delay of the configuration applies, as for due; a typed delay is
        stronger."""
        path = os.path.join(self.program.folder, "a.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\ndelay = 200ms\n[site 127.0.0.1]\ndelay = 3s\n")
        self.clock.advance(5)  # the delay of the host, after the crawl
        due, = self.program.run("due", "-n", "1", "--config", path).records()
        self.assertEqual(due["delay_ms"], 3000)
        for args, ms in (([], 3000), (["--delay", "7s"], 7000)):
            result = self.program.run("explain", "--json", "--config", path, *args,
                                      self.server.url("/p0"))
            self.assertEqual(result.records()[-1]["due"][0]["delay_ms"], ms)
        text = self.program.run("explain", "--config", path, self.server.url("/p0")).out
        self.assertIn("asked every 3 s", " ".join(text.split()))

    def test_ceilings_that_cannot_be_kept(self):
        """explain and list -l show ceilings of pages and documents that cannot
        be kept, and when they can be kept again."""
        self.fetch("a")
        site = self.server.url("/")
        slow = ("--config", os.path.join(self.program.folder, "slow.conf"))
        with open(slow[1], "w", encoding="utf-8") as f:
            f.write("[defaults]\ndelay = 40s\n")

        def said(path):
            text = self.program.run("explain", *slow, self.server.url(path)).out
            due, = self.program.run("explain", "--json", *slow,
                                    self.server.url(path)).records()[-1]["due"]
            return " ".join(text.split()), due["round_s"], due["most_kept"]

        def listed():
            record, = self.program.run("list", "-l", "--json", *slow).records()
            return (" ".join(self.program.run("list", "-l", *slow).out.split()),
                    record["every_kept"], record["pages_every_kept"])

        self.program.run("add", "--every", "30s", "--pages-every", "1m..100s", site)
        late = "3 pages at 40 s a request take 2 min, and take turns"
        text, seconds, is_kept = said("/p0")
        self.assertIn("fetched every 1m..100s (pages-every), which cannot be kept: " + late, text)
        self.assertEqual((seconds, is_kept), (120, False))
        text, seconds, is_kept = said("/s.xml")
        self.assertIn("read every 30s (every), which cannot be kept: 1 document at 40 s a "
                      "request take", text)
        self.assertEqual((seconds, is_kept), (40, False))
        text, *kept = listed()
        self.assertIn("pages are fetched every 1m..100s, which cannot be kept: " + late, text)
        self.assertIn("; documents cannot be read every 30s: 1 document at 40 s", text)
        self.assertEqual(kept, [False, False])
        self.assertIsNone(self.program.run("list", "--json").records()[0]["every_kept"])
        self.program.run("set", "127.0.0.1", "every=1m", "pages-every=1m..2m")
        self.assertEqual(said("/p0")[1:], (120, True))
        self.assertEqual(said("/s.xml")[1:], (40, True))
        self.assertNotIn("cannot be kept", said("/p0")[0])
        text, *kept = listed()
        self.assertNotIn("cannot be", text)
        self.assertEqual(kept, [True, True])
        # a budget is no pace, but it has the same end
        self.program.run("set", "127.0.0.1", "budget=60/h")
        self.assertEqual(said("/p0")[1:], (180, False))
        self.program.run("set", "127.0.0.1", "budget=", "tag=news")
        self.program.run("set", "@news", "budget=40/h")
        self.assertEqual(said("/p0")[1:], (270, False))

    def test_documents_that_failed(self):
        """When documents were tried, with which result, and when they are tried
        again."""
        url = self.server.url("/lost.xml")
        self.server.put("/robots.txt", "Sitemap: %s\n" % url)
        self.server.put("/lost.xml", "", status=500)
        self.program.run("add", self.server.url("/"))
        self.crawl("--retry", "0", url, status=(1, 4))
        due, = self.program.run("explain", "--json", url).records()[-1]["due"]
        self.assertEqual((due["state"], due["last_outcome"], due["last_failure"],
                          due["last_status"], due["last_times"], due["failures"]),
                         ("later", "failed", "fetch-server-error", 500, 1, 1))
        self.assertGreater(due["not_before"], due["last_tried"])
        text = self.flat("/lost.xml")
        self.assertIn("last tried %s: fetch-server-error, status 500" % due["last_tried"], text)
        self.assertIn("; never read, though tried", text)
        self.assertIn("failed once: tried again " + due["not_before"], text)
        self.assertNotIn("has no dates", text)
        due, = self.program.run("explain", "--json",
                                self.server.url("/s.xml")).records()[-1]["due"]
        self.assertEqual((due["last_outcome"], due["last_failure"], due["not_before"]),
                         ("read", None, None))
        self.assertNotIn("last tried", self.flat("/s.xml"))

    def test_budgets(self):
        """Each budget that applies is shown: the configured total, the site's,
        and those of its tags."""
        self.fetch("a")
        self.assertEqual((self.explain()["budgets"], self.explain()["budgeted"]), ([], False))
        path = os.path.join(self.program.folder, "a.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\ntotal-budget = 96/d\n")
        self.program.run("add", "--budget", "500/h", "--tag", "news", "--tag", "poor",
                         self.server.url("/"))
        self.program.run("set", "@news", "budget=600/h")
        for url in ("/p0", "/s.xml", "/robots.txt"):
            due, = self.program.run("explain", "--json", "--config", path,
                                    self.server.url(url)).records()[-1]["due"]
            self.assertTrue(due["budgeted"])
            self.assertEqual([(b["of"], b["tag"], b["requests_per_hour"]) for b in due["budgets"]],
                             [("total", None, 4), ("site", None, 500), ("tag", "news", 600)])
        text = self.program.run("explain", "--config", path, self.server.url("/p0")).out
        self.assertIn("; budgets 4/h of all (total-budget), 500/h of its site, 600/h of tag news;",
                      " ".join(text.split()))
        text = self.program.run("explain", "--total-budget", "7", self.server.url("/p0")).out
        self.assertIn("budgets 7/h of all", " ".join(text.split()))
        # what it makes impossible is said, too
        self.program.run("set", "127.0.0.1", "pages-every=..1h", "every=..1h")
        listed, = [r for r in self.program.run("list", "-l", "--json", "--total-budget",
                                               "2/h").records() if r["type"] == "site"]
        self.assertEqual((listed["every_kept"], listed["pages_every_kept"]), (True, False))

    def test_budget_of_who_holds_the_store(self):
        """The budget that was typed to run or due applies, whatever is
        configured; but a budget that is typed to explain is the one that is
        explained."""
        path = os.path.join(self.program.folder, "a.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\ntotal-budget = 96/d\n")

        def budgets(*args):
            due, = self.program.run("explain", "--json", *args,
                                    self.server.url("/p0")).records()[-1]["due"]
            return [b["requests_per_hour"] for b in due["budgets"]]

        def kept():
            """Does list -l say that the ceiling is kept, with one request in
            ten days configured?"""
            poor = os.path.join(self.program.folder, "poor.conf")
            with open(poor, "w", encoding="utf-8") as f:
                f.write("[defaults]\ntotal-budget = 0.1/d\n")
            listed, = [r for r in self.program.run("list", "-l", "--json", "--config",
                                                   poor).records() if r["type"] == "site"]
            return listed["every_kept"]

        configured = ("--config", path)
        daemon = Daemon(self.program, "--total-budget", "7/h")
        daemon.wait("started")
        self.assertEqual(budgets(), [7])
        self.assertEqual(budgets(*configured), [7])
        self.assertEqual(budgets("--total-budget", "9/h"), [9])
        self.assertIn("budget 7/h of all (total-budget)", self.flat("/p0"))
        self.program.run("add", "--every", "..1d", self.server.url("/"))
        self.assertTrue(kept())
        self.assertEqual(daemon.end(), 143)
        self.assertFalse(kept())
        self.assertEqual((budgets(), budgets(*configured)), ([], [4]))
        daemon = Daemon(self.program)
        daemon.wait("started")
        self.assertEqual(budgets(*configured), [], "it was not told of that configuration")
        self.assertEqual(daemon.end(), 143)
        # whoever hands out pages keeps the store while he is asked; what the
        # daemon read counts in his budget for an hour
        self.clock.advance(HOUR)
        process = self.program.start("due", "--follow", "--total-budget", "5/h")
        process.stdout.readline()
        self.assertEqual(budgets(*configured), [5])
        self.assertEqual(budgets(*configured), [5])
        interrupt(process)

    def test_honesty_has_evidence(self):
        """The date changes each day although the text never does."""
        for day in range(1, 9):
            self.publish("2026-01-%02dT00:30:00Z" % day)
            self.crawl(self.server.url("/"))
            self.fetch("always the same", "--lease", "1h")
            self.clock.advance(DAY)
        records = self.program.run("stats", "--json", "127.0.0.1").records()
        source, = [r for r in records if r["type"] == "source"]
        self.assertGreater(source["checks"], 3, records)
        self.assertLess(source["precision"], 0.35)
        text = self.program.run("stats", "127.0.0.1").out
        self.assertRegex(text, r"lastmod honesty: right \d+ % of the time it moves, over \d moves "
                         "→ dates carry ")
        self.assertAlmostEqual(self.explain()["checks"], source["checks"], delta=0.01)

    def test_what_its_generator_is_known_for(self):
        """Trust in dates begins with what the generator is known for; what fetches show
        counts for more."""
        self.assertIsNone(self.explain()["generator"])
        self.assertNotIn("known for", self.text() + self.program.run("stats", "127.0.0.1").out)
        unknown = self.explain("/s.xml")

        def hexo(date):
            self.server.put("/s.xml", """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
""" + "".join("  \n  <url>\n    <loc>%s</loc>\n    \n    <lastmod>%s</lastmod>\n    \n  </url>\n" % (
                self.server.url("/p%d" % n), date if n == 0 else "2026-01-01") for n in range(3)) + "</urlset>\n")
            self.crawl(self.server.url("/"))

        hexo("2026-01-01")
        for path, whose in (("/s.xml", "its"), ("/p0", "this sitemap's")):
            self.fetch("a")
            due = self.explain(path)
            self.assertEqual((due["generator"], due["checks"]), ("Hexo", 0))
            self.assertLess(due["precision"], unknown["precision"] / 2)
            self.assertIn("%s dates began with what Hexo is known for: the time of the file" % whose,
                          " ".join(self.text(path).split()))
        lines = self.program.run("stats", "127.0.0.1").out.splitlines()
        self.assertIn("dates: 1 sitemap began with what Hexo is known for: the time of the file", lines)
        source, = [r for r in self.program.run("stats", "--json", "127.0.0.1").records()
                   if r["type"] == "source"]
        self.assertEqual(source["generator"], "Hexo")
        # moves that were right
        for day in range(2, 8):
            self.clock.advance(DAY)
            hexo("2026-01-%02d" % day)
            self.fetch("text of day %d" % day)
        self.assertGreater(self.explain()["precision"], 0.5)
        # another writes it now
        self.publish("2026-01-08")
        self.crawl(self.server.url("/"))
        self.assertIsNone(self.explain()["generator"])


if __name__ == "__main__":
    unittest.main()