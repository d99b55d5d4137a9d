"""freshet stats: what happened at a site lately, in bars and in JSON."""
import unittest

from case import index, urlset
from clock import DAY
from test_clock import Clocked


class Stats(Clocked):
    def crawled(self):
        """A site over a week: the index, a sitemap that grows, and one that is
        added late."""
        url = self.server.url
        self.server.put("/index.xml", index([url("/posts.xml")]))
        self.posts(10)
        self.crawl(url("/index.xml"))
        for day, posts in enumerate((10, 13, 13, 18, 18, 19)):
            self.clock.advance(DAY)
            self.posts(posts, moved=day == 2)
            if day == 4:
                self.server.put("/index.xml", index([url("/posts.xml"), url("/shop.xml")]))
                self.server.put("/shop.xml", urlset([url("/shop/%d" % n) for n in range(7)]))
            if day == 5:
                self.server.put("/shop.xml", "gone", status=500)
            self.crawl("--retry", "0", url("/index.xml"), status=(0, 1))

    def posts(self, count, moved=False):
        url = self.server.url
        dates = ["2026-01-0%d" % (2 if moved and n < 4 else 1) for n in range(count)]
        self.server.put("/posts.xml", urlset(
            [(url("/blog/%d" % n if n % 2 else "/%d" % n), date) for n, date in enumerate(dates)]))

    def ask(self, *args, status=0):
        result = self.program.run("stats", *args, "127.0.0.1")
        self.assertEqual(result.status, status, str(result))
        return result

    def rows(self, *args):
        records = self.ask("--json", *args).records()
        self.assertEqual(records[-1]["type"], "summary")
        return [r for r in records if r["type"] == "changes"], records[-1]

    def test_by_day(self):
        self.crawled()
        rows, summary = self.rows("--last", "6d")
        self.assertEqual([r["new"] for r in rows], [0, 0, 3, 0, 5, 7, 1])
        self.assertEqual([r["redated"] for r in rows], [0, 0, 0, 4, 4, 0, 0])
        self.assertTrue(all(r["at"].endswith("T00:00:00Z") for r in rows))
        self.assertEqual((summary["new"], summary["redated"], summary["removed"]), (16, 8, 0))
        self.assertEqual((summary["site"], summary["checks"]), ("127.0.0.1", 0))
        self.assertGreaterEqual(summary["failed"], 1)
        # each day is one of UTC; what fits by default
        self.assertEqual(len(self.rows()[0]), 15)
        self.assertEqual(self.rows()[1]["new"], 16)

    def test_span(self):
        """--since and --until, as in diff: what is later does not count, neither do its
        readings."""
        self.crawled()      # on 1 to 7 January
        for since, until, new in (("2026-01-03", "2026-01-06", [3, 0, 5]),
                                  ("2026-01-03 12:00", "2026-01-05 23:00", [3, 0, 5]),
                                  ("5d", "36h", [0, 3, 0, 5])):
            rows, summary = self.rows("--since", since, "--until", until)
            self.assertEqual([r["new"] for r in rows], new, (since, until))
            self.assertEqual((summary["new"], summary["failed"]), (8, 0))
        rows, summary = self.rows("--by", "section", "--since", "2026-01-06")
        self.assertEqual({r["section"]: r["new"] for r in rows}, {"/shop": 7, "/": 1})
        self.assertEqual(summary["failed"], 1)
        # the usual time back from the end
        rows, summary = self.rows("--until", "2026-01-06")
        self.assertEqual((len(rows), summary["new"]), (14, 8))
        rows, _ = self.rows("--by", "hour", "--since", "2026-01-06", "--until", "2026-01-06 03:00")
        self.assertEqual(len(rows), 3)
        # an end that is still to come is none: no row for a day that has not begun
        rows, summary = self.rows("--since", "2026-01-03", "--until", "9999-12-31")
        self.assertEqual([r["new"] for r in rows], [3, 0, 5, 7, 1])
        rows, summary = self.rows("--since", "9998-12-31", "--until", "9999-12-31")
        self.assertEqual((len(rows), summary["new"]), (1, 0))

    def test_bars(self):
        self.crawled()
        lines = self.ask("--last", "6d").out.splitlines()
        self.assertRegex(lines[0], r"^127\.0\.0\.1  20\d\d-\d\d-\d\d → 20\d\d-\d\d-\d\d  \d+ "
                         r"readings: \d+ read, \d+ unchanged, 1 failed$")
        self.assertRegex(lines[1], r"^new      ▁▁▄▁▆█▂        16   max 7 on [A-Z][a-z]{2} \d\d-\d\d$")
        self.assertRegex(lines[2], r"^removed  ▁{7}         0$")
        self.assertRegex(lines[3], r"^re-dated ▁▁▁██▁▁         8   max 4 on ")
        self.assertEqual(lines[4], "lastmod honesty: not checked: it takes pages fetched by 'due' and "
                         "'done'")
        self.assertEqual(len(lines), 5)

    def test_by_hour_and_week(self):
        self.crawled()
        rows, summary = self.rows("--by", "hour", "--last", "30h")
        self.assertEqual(len(rows), 31)
        self.assertEqual([r["new"] for r in rows if r["new"]], [7, 1])
        self.assertEqual(summary["new"], 8)
        rows, summary = self.rows("--by", "week", "--last", "14d")
        self.assertEqual(len(rows), 3)
        self.assertEqual(summary["new"], 16)
        # a year of hours: some in each column
        line = self.ask("--by", "hour", "--last", "365d").out.splitlines()[1]
        self.assertRegex(line, r"^new      [▁▂▃▄▅▆▇█]{60}        16   max 13 from Sat 01-03 0[0-9]:00$")

    def test_by_section(self):
        self.crawled()
        rows, summary = self.rows("--by", "section", "--last", "6d")
        self.assertEqual([(r["section"], r["new"], r["redated"]) for r in rows],
                         [("/", 5, 4), ("/blog", 4, 4), ("/shop", 7, 0)])
        self.assertEqual(sum(r["new"] for r in rows), summary["new"])
        lines = self.ask("--by", "section", "--last", "6d").out.splitlines()
        self.assertRegex(lines[1], "^SECTION +NEW +MOVED +REMOVED +GONE +RE-DATED$")
        self.assertRegex(lines[2], "^/ +5 +0 +0 +0 +4  ▇{10}$")
        self.assertTrue(all(len(line) <= 80 for line in lines[1:]), lines)

    def test_by_sitemap(self):
        self.crawled()
        rows, _ = self.rows("--by", "sitemap", "--last", "6d")
        self.assertEqual([(r["sitemap"], r["new"], r["redated"]) for r in rows],
                         [(self.server.url("/posts.xml"), 9, 8),
                          (self.server.url("/shop.xml"), 7, 0)])
        sources = [r for r in self.ask("--json").records() if r["type"] == "source"]
        self.assertEqual([r["sitemap"] for r in sources], [self.server.url("/posts.xml")])
        self.assertEqual(sources[0]["checks"], 0)

    def test_gone_without_a_new_file(self):
        """Pages also become gone by a reading that finds the file unchanged."""
        self.posts(10)
        self.crawl(self.server.url("/posts.xml"))
        self.posts(8)
        for _ in range(2):
            self.clock.advance(DAY)
            self.crawl(self.server.url("/posts.xml"))
        rows, summary = self.rows("--by", "sitemap", "--last", "6d")
        self.assertEqual([(r["removed"], r["gone"]) for r in rows], [(2, 2)])
        self.assertEqual((summary["removed"], summary["gone"], summary["unchanged"]), (2, 2, 1))
        rows, _ = self.rows("--by", "section", "--last", "6d")
        self.assertEqual([(r["section"], r["gone"]) for r in rows], [("/", 1), ("/blog", 1)])

    def test_bad_input(self):
        self.crawled()
        for args, status, said in (
                (("--by", "dya", "127.0.0.1"), 2, "did you mean 'day'"),
                (("--last", "0", "127.0.0.1"), 2, "must be more than 0"),
                (("--last", "11y", "127.0.0.1"), 2, "'--last' takes a time"),
                (("--last", "1d", "--since", "2d", "127.0.0.1"), 2, "do not go together"),
                (("--since", "2d", "--until", "3d", "127.0.0.1"), 2, "must be before '--until'"),
                (("--until", "tomorrow", "127.0.0.1"), 2, "'--until' takes a date"),
                ((), 2, "'stats' needs a SITE"),
                (("127.0.0.1", "b.example"), 2, "'stats' takes one SITE"),
                (("http://[x",), 2, "neither a host nor a URL"),
                ((self.server.url("/blog/"),), 2, "'stats' is of whole sites"),
                (("b.example",), 4, "'b.example' is not in the store")):
            with self.subTest(args=args):
                result = self.program.run("stats", *args)
                self.assertEqual((result.status, result.out), (status, ""), str(result))
                self.assertIn(said, result.err)

    def test_a_site_without_readings(self):
        self.program.run("add", "a.example")
        result = self.program.run("stats", "a.example")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("0 readings", result.out)
        self.assertIn("lastmod honesty: no sitemap has dates", result.out)

    def test_width_of_a_terminal(self):
        """Tables fit the terminal; in a pipe each URL is whole."""
        url = self.server.url
        lost = "/lost/" + "folder/" * 20 + "s.xml"
        long = "/" + "section" * 12
        for day in range(3):
            self.server.put("/" + "long/" * 20 + "s.xml", urlset(
                [url("%s/%d/%s" % (long, n, "page-" * 20)) for n in range(10 + 5 * day)]))
            self.server.put("/index.xml", index([url("/" + "long/" * 20 + "s.xml"), url(lost)]))
            self.crawl("--retry", "0", url("/index.xml"), status=None)
            self.clock.advance(DAY)
        self.assertEqual(self.program.run("add", "--every", "15m..2d", url("/index.xml")).status, 0)
        # a name that the table has no room for
        self.assertEqual(self.program.run("add", "www." + "long-" * 10 + "name.example").status, 0)
        for command in ("list", "list -l", "stats 127.0.0.1", "stats --by hour 127.0.0.1",
                        "stats --by section 127.0.0.1", "stats --by sitemap 127.0.0.1",
                        "diff", "diff --rows"):
            for width in (60, 80, 100, 160):
                lines = self.program.at_terminal(width, *command.split())
                self.assertGreater(len(lines), 2, command)
                for line in lines:
                    self.assertLessEqual(len(line), width, (command, line))
        self.assertIn("\n  status 404 since 2026-01-01 00:00 (3 tries): %s (fetch-not-found)\n" % url(lost),
                      self.program.run("list", "-l").out)
        self.assertIn("new       %s/14/%s\n" % (long, "page-" * 20),
                      self.program.run("diff", "--rows").out)
        self.assertIn("\n%s  " % long, self.program.run("stats", "--by", "section", "127.0.0.1").out)


if __name__ == "__main__":
    unittest.main()
