"""What shows over days: what is kept, what is asked for again, and when."""
import sqlite3
import unittest

from case import index, urlset
from clock import DAY
from test_clock import HOUR, MINUTE, Clocked

BEGIN = "2026-01-01"


class Days(Clocked):
    """One sitemap, read once a day unless a test says otherwise."""

    def setUp(self):
        super().setUp()
        self.url = self.server.url("/sitemap.xml")

    def put(self, numbers, **kwargs):
        self.server.put("/sitemap.xml", urlset(self.pages(numbers)), **kwargs)

    def pages(self, numbers):
        return [self.server.url("/%03d" % n) for n in numbers]

    def day(self, *args, after=DAY, status=0):
        """The next day, a crawl; the record of the sitemap."""
        self.clock.advance(after)
        self.server.forget()
        crawl = self.crawl(*(args or (self.url,)), status=status)
        return crawl.document(self.url)

    def changes(self, record):
        return {kind: record[kind] for kind in ("added", "removed", "returned", "redated", "gone")
                if record[kind] > 0}

    def codes(self, record):
        return sorted(finding["code"] for finding in record["findings"])

    def rows(self, sql, *args):
        store = sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True)
        try:
            return store.execute(sql, args).fetchall()
        finally:
            store.close()

    def assertSound(self):
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))


class Drops(Days):
    """HOSTILE I8, SPEC R-120: what leaves a document."""

    def setUp(self):
        super().setUp()
        self.put(range(100))
        self.crawl(self.url)

    def test_few_leave(self):
        """30 %: removed by the first reading that lacks them, gone by the second."""
        self.put(range(30, 100))
        self.assertEqual(self.changes(self.day()), {"removed": 30})
        self.assertEqual(self.program.urls(), self.pages(range(30, 100)))
        self.assertEqual(len(self.program.urls("--all")), 100)
        record = self.day()
        self.assertEqual((record["outcome"], self.changes(record)), ("unchanged", {"gone": 30}))
        self.assertEqual(len(self.program.urls("--all")), 70)
        self.assertSound()

    def test_mass_drop(self):
        """More than that: held until a second reading says the same."""
        self.put(range(69))
        record = self.day()
        self.assertEqual((record["outcome"], record["complete"], self.changes(record)),
                         ("read", True, {}), record)
        self.assertEqual(self.codes(record), ["mass-drop"])
        self.assertEqual(self.program.urls(), self.pages(range(100)))
        self.assertIn("listed, though the last reading lacked it",
                      self.program.run("explain", self.pages([99])[0]).out)
        self.assertSound()
        record = self.day()
        self.assertEqual((self.changes(record), self.codes(record)), ({"removed": 31}, []))
        self.assertEqual(self.program.urls(), self.pages(range(69)))
        self.assertEqual(len(self.program.urls("--all")), 100)
        self.assertSound()
        self.assertEqual(self.changes(self.day()), {"gone": 31})
        self.assertSound()

    def test_an_accident(self):
        """The next day all are back: nothing has happened."""
        for broken in (range(10), range(0)):
            with self.subTest(left=len(broken)):
                self.put(broken)
                self.assertIn("mass-drop", self.codes(self.day()))
                self.put(range(100))
                record = self.day()
                self.assertEqual(self.changes(record), {})
                self.assertEqual(self.program.urls(), self.pages(range(100)))
                rows = self.program.export()
                self.assertEqual({row["first_seen"][:10] for row in rows}, {BEGIN})

    def test_another_drop(self):
        """Each reading is held for what it lacks itself."""
        self.put(range(60))
        self.assertEqual(self.codes(self.day()), ["mass-drop"])
        self.put(range(40, 100))
        record = self.day()
        self.assertEqual((self.changes(record), self.codes(record)), ({}, ["mass-drop"]))
        self.assertEqual(len(self.program.urls()), 100)
        record = self.day()
        self.assertEqual(self.changes(record), {"removed": 40})
        self.assertEqual(self.program.urls(), self.pages(range(40, 100)))
        self.assertSound()

    def test_held_and_new(self):
        """What is new is taken at once."""
        self.put(range(90, 110))
        self.assertEqual(self.changes(self.day()), {"added": 10})
        self.assertEqual(self.program.urls(), self.pages(range(110)))

    def test_no_condition_meanwhile(self):
        """The reading that confirms it must bring bytes."""
        self.put(range(10), etag='"half"')
        self.day()
        record = self.day()
        self.assertFalse(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual(self.changes(record), {"removed": 90})
        record = self.day()
        self.assertTrue(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual((record["outcome"], self.changes(record)), ("unchanged", {"gone": 90}))

    def test_answers_that_remove_nothing(self):
        body = urlset(self.pages(range(100)))
        for what in ({"status": 404}, {"status": 410}, {"status": 500}, {"status": 503},
                     {"body": ""}, {"body": "<html>not here</html>"}, {"body": body[:2000]},
                     {"body": "<urlset>&nbsp;</urlset>"}):
            for _ in range(3):
                with self.subTest(str(what)[:40]):
                    self.server.put("/sitemap.xml", **what)
                    record = self.day(status=None)
                    self.assertEqual(self.changes(record), {})
                    self.assertEqual(self.program.urls(), self.pages(range(100)))
        self.assertSound()

    def test_emptied(self):
        """However small it was."""
        self.put(range(3))
        for _ in range(3):
            self.day()
        self.assertEqual(len(self.program.urls()), 3)
        self.put(range(0))
        self.assertEqual(self.codes(self.day()), ["empty-sitemap", "mass-drop"])
        self.assertEqual(len(self.program.urls()), 3)
        self.assertEqual(self.changes(self.day()), {"removed": 3})
        self.assertEqual(self.changes(self.day()), {"gone": 3})
        self.assertSound()

    def test_small_ones_change(self):
        self.put(range(9))
        for _ in range(3):
            self.day()
        self.put(range(8, 10))
        record = self.day()
        self.assertEqual((self.changes(record), self.codes(record)),
                         ({"added": 1, "removed": 8}, []))

    def test_feeds_and_news_move_on(self):
        """They list what is recent; what leaves them was no accident."""
        def feed(numbers):
            return ('<rss version="2.0"><channel><link>%s</link>%s</channel></rss>'
                    % (self.server.url("/"), "".join(
                        "<item><link>%s</link></item>" % page for page in self.pages(numbers))))

        def news(numbers):
            return ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
                    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">%s</urlset>'
                    % "".join('<url><loc>%s</loc><news:news><news:title>t</news:title>'
                              '</news:news></url>' % page for page in self.pages(numbers)))
        for name, made in (("feed", feed), ("news", news)):
            with self.subTest(name):
                self.url = self.server.url("/%s.xml" % name)
                self.server.put("/%s.xml" % name, made(range(20)))
                self.day()
                self.server.put("/%s.xml" % name, made(range(18, 38)))
                record = self.day()
                self.assertEqual((self.changes(record), self.codes(record)),
                                 ({"added": 18, "removed": 18}, []))

    def test_other_rules(self):
        """What the operator's rules refuse now was not dropped by the site."""
        other = "http://www.own.test:%d" % self.server.port
        names = ["--resolve=%s:%d:127.0.0.1" % (name, self.server.port)
                 for name in ("own.test", "www.own.test")]
        self.url = "http://own.test:%d/sitemap.xml" % self.server.port
        self.server.put("/sitemap.xml", urlset([other + "/%d" % n for n in range(20)]
                                               + [self.url[:-11] + "a"]))
        own = ["--own", "domain:own.test", self.url]
        self.day(*names, *own)
        self.assertEqual(len(self.program.urls("own.test")), 21)
        record = self.day(*names, self.url)
        self.assertEqual(self.changes(record), {"removed": 20})
        self.assertNotIn("mass-drop", self.codes(record))

    def test_index(self):
        """Children that an index lost are read as before, until it says so
        twice; then they are left alone, and what they list is kept."""
        paths = ["/c%02d.xml" % n for n in range(20)]
        for n, path in enumerate(paths):
            self.server.put(path, urlset([self.server.url("/page-%d" % n)]))
        self.url = self.server.url("/index.xml")
        self.server.put("/index.xml", index([self.server.url(path) for path in paths]),
                        etag='"all"')
        self.day()
        self.server.put("/index.xml", index([self.server.url(path) for path in paths[:5]]),
                        etag='"five"')
        record = self.day()
        self.assertEqual(self.codes(record), ["mass-drop"])
        self.assertEqual(len(self.server.targets()), 21)
        self.assertEqual(self.changes(self.day()), {"removed": 15})
        self.assertEqual(sorted(self.server.targets()), sorted(["/index.xml"] + paths[:5]))
        self.assertEqual(self.changes(self.day()), {"gone": 15})
        self.assertEqual(len([u for u in self.program.urls() if "page" in u]), 20)
        self.assertSound()


if __name__ == "__main__":
    unittest.main()
