"""Lists of what is recent, and the pages that leave them: feeds, news sitemaps, and others by their habit."""
import time

from case import Case, urlset

DAY = 86400
NEWS = ('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">%s</urlset>')
ARTICLE = ("<url><loc>%s</loc><news:news><news:publication><news:name>N</news:name><news:language>en"
           "</news:language></news:publication><news:publication_date>2026-01-01</news:publication_date>"
           "<news:title>T</news:title></news:news></url>")
RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><link>%s</link>%s</channel></rss>'


class Windows(Case):
    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.clock.leap()
        self.server = self.site()
        self.names = []

    def url(self, page):
        return self.server.url("/" + page)

    def put(self, name, body):
        if name not in self.names:
            self.names.append(name)
        self.server.put("/" + name, body)
        self.server.put("/robots.txt", "".join("Sitemap: %s\n" % self.url(each) for each in self.names))

    def feed(self, pages, name="feed.xml"):
        self.put(name, RSS % (self.url(""), "".join(
            "<item><title>t</title><link>%s</link></item>" % self.url(page) for page in pages)))

    def news(self, articles, others=(), name="news.xml"):
        self.put(name, NEWS % "".join(
            [ARTICLE % self.url(page) for page in articles] +
            ["<url><loc>%s</loc></url>" % self.url(page) for page in others]))

    def sitemap(self, pages, name="pages.xml"):
        self.put(name, urlset([self.url(page) for page in pages]))

    def day(self, status=0):
        self.clock.advance(DAY + 60)
        return self.crawl(self.url(""), status=status)

    def records(self, *args):
        return self.program.run(*args).records()

    def kinds(self):
        """How many changes of each kind the site had, in all."""
        count = {}
        for row in self.records("export", "--changes", "--since", "400d", "--format", "jsonl"):
            count[row["kind"]] = count.get(row["kind"], 0) + 1
        return count

    def listed(self):
        return sorted(line.replace(self.url(""), "") for line in self.program.run("ls").out.split())

    def told(self):
        """What consumer a is told, and acknowledges: (path, why) of each delete."""
        lines = self.records("changes", "--consumer", "a")
        self.program.run("changes", "--consumer", "a", "--ack", lines[-1]["cursor"])
        return sorted((line["url"].replace(self.url(""), ""), line["why"])
                      for line in lines if line["type"] == "delete")

    def check_sums(self, first):
        """All outputs have the same numbers, which explain how the listing grew."""
        host = "127.0.0.1"
        numbers = self.records("diff", "--since", "400d", "--json")[0]
        self.assertEqual(numbers["listed"], len(self.listed()))
        self.assertEqual(numbers["new"] + numbers["back"] - numbers["gone"] - numbers["left"],
                         numbers["listed"] - first)
        stats = [line for line in self.records("stats", "--json", "--last", "400d", host)
                 if line["type"] == "changes"]
        by_sitemap = [line for line in self.records(
            "stats", "--json", "--last", "400d", "--by", "sitemap", host) if line["type"] == "changes"]
        for key in ("new", "gone", "left", "back", "moved"):
            self.assertEqual(sum(line[key] for line in stats), numbers[key], key)
            self.assertEqual(sum(line[key] for line in by_sitemap), numbers[key], key)
        kinds = self.kinds()
        self.assertEqual([kinds.get(kind, 0) for kind in ("added", "gone", "left", "back")],
                         [numbers[key] for key in ("new", "gone", "left", "back")])
        return numbers

    def test_feed(self):
        """A feed of five posts, two more each day, whose posts stay online; one is back for a day."""
        self.feed(["p%02d" % i for i in range(5)])
        self.sitemap(["about", "terms"])
        self.program.run("add", "--pages-every", "1h..5d", self.url(""))
        self.day()
        self.told()
        past, unknown = [(int(self.clock.now()), self.listed())], []
        for day in range(1, 11):
            last = 4 + 2 * day
            posts = ["p%02d" % i for i in range(last, last - 5, -1)]
            if day == 5:
                posts.append("p05")
            self.feed(posts)
            self.day()
            self.assertEqual(self.listed(), sorted(posts + ["about", "terms"]))
            past.append((int(self.clock.now()), self.listed()))
            unknown += self.told()
        numbers = self.check_sums(7)
        self.assertEqual((numbers["new"], numbers["gone"], numbers["moved"]), (20, 0, 0))
        self.assertEqual((numbers["left"], numbers["back"]), (21, 1))
        for at, pages in past:
            rows = self.program.run("export", "--as-of", time.strftime(
                "%Y-%m-%dT%H:%M:%SZ", time.gmtime(at + 30)), "--format", "urls").out.split()
            self.assertEqual(sorted(row.replace(self.url(""), "") for row in rows), pages)
        # Five days after a post left, nobody knows of it any more.
        self.assertEqual({why for _, why in unknown}, {"unknown"})
        self.assertEqual([page for page, _ in unknown], ["p%02d" % i for i in range(10) if i != 5])
        out = self.program.run("diff", "--since", "400d").out
        self.assertIn("20 new, 0 gone, 21 left the window, 1 back in the window", " ".join(out.split()))
        self.assertIn("left the window", self.program.run("stats", "--last", "400d", "127.0.0.1").out)
        self.assertIn("left the window", self.program.run("explain", "--json", self.url("p01")).out +
                      self.program.run("explain", self.url("p01")).out)
        self.assertIn("a window: it is a feed", self.program.run("explain", self.url("feed.xml")).out)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    # What the feed and the sitemap list of page x, on days in a row: "f", "s", "fs" or "-"; then the kinds of all
    # changes of the site that are about x, and the deletes that a consumer is told.
    ORDERS = (
        ("leaves the feed alone", "fs s s s", [], []),
        ("the sitemap drops it first", "fs f f f - -", ["left"], []),
        ("the feed drops it first", "fs s s - - -", ["removed", "gone"], ["gone"]),
        ("both at once", "fs - - -", ["removed", "gone"], ["gone"]),
        ("only ever in the feed", "- f - -", ["added", "left"], []),
        ("back in the feed", "f - - f f", ["left", "back"], []),
        ("from the feed to the sitemap", "- f - s s", ["added", "left", "back"], []),
        ("and then off the sitemap", "f - s - - -", ["left", "back", "removed", "gone"], ["gone"]),
        ("missed once by the sitemap", "fs f s s", [], []),
    )

    def test_orders(self):
        for number, (_, days, _, _) in enumerate(self.ORDERS):
            self.assertLessEqual(len(days.split()), 6)
        for day in range(6):
            listed = {"f": ["keep"], "s": ["keep"]}
            for number, (_, days, _, _) in enumerate(self.ORDERS):
                days = days.split()
                for each in days[min(day, len(days) - 1)].replace("-", ""):
                    listed[each].append("x%d" % number)
            self.feed(listed["f"])
            # So many pages that none of these is a mass drop.
            self.sitemap(listed["s"] + ["other%02d" % i for i in range(40)])
            self.day()
            told = self.told() if day == 0 else told + self.told()
        rows = self.records("export", "--changes", "--since", "400d", "--format", "jsonl")
        for number, (name, _, kinds, deletes) in enumerate(self.ORDERS):
            page = "x%d" % number
            self.assertEqual([row["kind"] for row in sorted(rows, key=lambda row: row["reading"])
                              if row["loc"] == self.url(page)], kinds, name)
            self.assertEqual([why for path, why in told if path == page], deletes, name)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_news(self):
        """Half of the news sitemap is other pages, which are gone when they are taken off; articles are not."""
        for day in range(6):
            self.news(["n%d" % i for i in range(3 * day, 3 * day + 6)],
                      ["page%d" % i for i in range(8) if day < 2 or i != 4])
            self.day()
        numbers = self.check_sums(14)
        self.assertEqual((numbers["new"], numbers["left"], numbers["gone"]), (15, 15, 1))
        # No article, and no more other pages: what a news sitemap lists is news.
        self.news(["n%d" % i for i in range(15, 25)], ["page%d" % i for i in range(8) if i != 4])
        self.day()
        self.assertIn("a news sitemap", self.program.run("explain", self.url("news.xml")).out)
        self.news(["n%d" % i for i in range(15, 25)], ["page0"])
        for _ in range(2):
            self.day()
        self.assertEqual(self.check_sums(14)["gone"], 1)

    def test_habit(self):
        """A list of the ten latest pages, and then one from which others are taken."""
        for day in range(9):
            self.sitemap(["p%02d" % i for i in range(2 * day + 9, 2 * day - 1, -1)], "latest.xml")
            self.day()
        self.day()
        numbers = self.check_sums(10)
        # Until the fifth such reading it might have been a list of all that there is.
        self.assertEqual((numbers["gone"], numbers["left"]), (8, 8))
        self.assertIn("only its oldest entries left", self.program.run("explain", self.url("latest.xml")).out)
        self.sitemap(["p%02d" % i for i in (25, 24, 22, 19, 17, 16)], "latest.xml")
        for _ in range(3):
            self.day()
        numbers = self.check_sums(10)
        self.assertEqual((numbers["gone"], numbers["left"]), (12, 8))

    def test_end(self):
        """A feed that is not found for a week."""
        self.feed(["p1", "p2"])
        self.sitemap(["about", "p2"])
        self.day()
        self.told()
        self.server.put("/feed.xml", status=404)
        for _ in range(9):
            self.day(status=None)
        self.assertEqual(self.listed(), ["about", "p2"])
        self.assertEqual(self.kinds(), {"left": 1})
        self.assertEqual(self.told(), [])

    def test_fetched(self):
        """A page that left is not asked for as one that is gone is, and a fetch of it counts as news of it."""
        def due():
            return {line["url"].replace(self.url(""), ""): line["why"]
                    for line in self.records("due", "-n", "20")}

        def done(*pages):
            self.program.run("done", input="".join(
                '{"url":"%s","status":200}\n' % self.url(page) for page in pages))
        self.feed(["p0", "p1", "p2"])
        self.sitemap(["s%d" % i for i in range(9)])
        self.program.run("add", "--pages-every", "1h..5d", self.url(""))
        self.day()
        done(*due())
        self.told()
        self.feed(["p2", "p3", "p4"])
        self.sitemap(["s%d" % i for i in range(1, 9)])
        for _ in range(2):
            self.day()
        handed_out = due()
        self.assertEqual(handed_out.get("s0"), "removed")
        self.assertNotIn("p0", handed_out)
        self.assertNotIn("p1", handed_out)
        done("p1")
        told = []
        for _ in range(6):
            self.day()
            told.append(self.told())
        self.assertEqual(told, [[("s0", "gone")], [], [], [("p0", "unknown")], [("p1", "unknown")], []])
