"""What happens over days: what is kept, what is asked for again, and when."""
import os
import sqlite3
import time
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
        """Crawl on the next day; returns the record of the sitemap."""
        self.clock.advance(after)
        self.server.forget()
        crawl = self.crawl(*(args or (self.url,)), status=status)
        return crawl.document(self.url)

    def changes(self, record):
        return {kind: record[kind] for kind in ("added", "removed", "returned", "redated", "gone",
                                            "now_refused", "now_accepted", "left", "back") if record[kind] > 0}

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
    """HOSTILE I8, SPEC R-120: entries that disappear from a document."""

    def setUp(self):
        super().setUp()
        self.put(range(100))
        self.crawl(self.url)

    def test_few_leave(self):
        """If at most 30 % disappear, the first reading that lacks them removes
        them, and the second makes them gone."""
        self.put(range(30, 100))
        self.assertEqual(self.changes(self.day()), {"removed": 30})
        self.assertEqual(self.program.urls(), self.pages(range(30, 100)))
        self.assertEqual(len(self.program.urls("--all")), 100)
        record = self.day()
        self.assertEqual((record["outcome"], self.changes(record)), ("unchanged", {"gone": 30}))
        self.assertEqual(len(self.program.urls("--all")), 70)
        self.assertSound()

    def test_mass_drop(self):
        """If more disappear, they are kept until a second reading lacks them
        too."""
        self.put(range(69))
        record = self.day()
        self.assertEqual((record["outcome"], record["complete"], self.changes(record)),
                         ("read", True, {}), record)
        self.assertEqual(self.codes(record), ["mass-drop"])
        self.assertEqual(self.program.urls(), self.pages(range(100)))
        self.assertIn("listed, though the last reading lacked it",
                      " ".join(self.program.run("explain", self.pages([99])[0]).out.split()))
        self.assertSound()
        record = self.day()
        self.assertEqual((self.changes(record), self.codes(record)), ({"gone": 31}, []))
        self.assertEqual(self.program.urls(), self.pages(range(69)))
        self.assertEqual(len(self.program.urls("--all")), 69)
        self.assertSound()
        # nothing waits for a third
        self.assertEqual(self.changes(self.day()), {})
        self.assertSound()

    def test_max_drop(self):
        """The operator sets this share for all sites or for one, or switches
        the rule off."""
        self.put(range(69))
        self.assertEqual(self.changes(self.day("--max-drop", "31", self.url)), {"removed": 31})
        config = os.path.join(self.program.folder, "freshet.conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("[site %s]\nmax-drop = 1\n" % self.server.url("/").split("/")[2].split(":")[0])
        self.put(range(67))
        record = self.day("--config", config, self.url)
        self.assertEqual((self.changes(record), self.codes(record)),
                         ({"gone": 31}, ["mass-drop"]))
        self.assertEqual(self.program.urls(), self.pages(range(69)))
        self.put(range(0))
        record = self.day("--max-drop", "100", self.url)
        self.assertEqual(self.codes(record), ["empty-sitemap"])
        self.assertEqual(self.program.urls(), [])
        self.assertSound()
        for wrong in ("101", "-1", "30%"):
            self.crawl("--max-drop", wrong, self.url, status=2)

    def test_an_accident(self):
        """If all entries are back the next day, nothing has changed."""
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
        """Each reading is judged by the entries that it lacks itself."""
        self.put(range(60))
        self.assertEqual(self.codes(self.day()), ["mass-drop"])
        self.put(range(40, 100))
        record = self.day()
        self.assertEqual((self.changes(record), self.codes(record)), ({}, ["mass-drop"]))
        self.assertEqual(len(self.program.urls()), 100)
        record = self.day()
        self.assertEqual(self.changes(record), {"gone": 40})
        self.assertEqual(self.program.urls(), self.pages(range(40, 100)))
        self.assertSound()

    def test_held_and_new(self):
        """New entries are taken at once, also from such a reading."""
        self.put(range(90, 110))
        self.assertEqual(self.changes(self.day()), {"added": 10})
        self.assertEqual(self.program.urls(), self.pages(range(110)))

    def test_no_condition_meanwhile(self):
        """The reading that decides must bring bytes, so its request has no
        condition."""
        self.put(range(10), etag='"half"')
        self.day()
        record = self.day()
        self.assertFalse(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual(self.changes(record), {"gone": 90})
        record = self.day()
        self.assertTrue(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual((record["outcome"], self.changes(record)), ("unchanged", {}))

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
        """A document that becomes empty is held back, however small it was."""
        self.put(range(3))
        for _ in range(3):
            self.day()
        self.assertEqual(len(self.program.urls()), 3)
        self.put(range(0))
        self.assertEqual(self.codes(self.day()), ["empty-sitemap", "mass-drop"])
        self.assertEqual(len(self.program.urls()), 3)
        self.assertEqual(self.changes(self.day()), {"gone": 3})
        self.assertEqual(self.changes(self.day()), {})
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
        """Feeds and news sitemaps list what is recent, so entries that
        disappear from them are no accident."""
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
                                 ({"added": 18, "left": 18}, []))

    def test_other_rules(self):
        """Entries that the operator's new rules refuse were not dropped by the
        site: they stay listed, with this verdict, and are accepted again when
        the rules change back."""
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
        self.assertEqual(self.changes(record), {"now_refused": 20})
        self.assertNotIn("mass-drop", self.codes(record))
        self.assertIn("verdict-changed", self.codes(record))
        self.assertEqual(self.program.urls("own.test"), [self.url[:-11] + "a"])
        self.assertEqual(len(self.program.urls("--refused", "own.test")), 20)
        self.assertEqual(self.changes(self.day(*names, *own)), {"now_accepted": 20})
        self.assertEqual(len(self.program.urls("own.test")), 21)
        self.assertSound()

    def refused_changes(self):
        return [(row["kind"], row["loc"], row["refused"]) for row in self.program.export("--changes")]

    def test_read_before_refused_ones_were_kept(self):
        """Refused entries of a document that an older version read belong to
        the baseline: they are listed, but not reported as new."""
        self.url = self.server.url("/before.xml")
        self.server.put("/before.xml", urlset(self.pages(range(200, 204))))
        self.day()
        # as schema step 9 leaves it
        self.program.change("UPDATE document SET lacks_refused = 1, fingerprint = 1"
                            " WHERE url = '%s'" % self.url)
        self.program.change("UPDATE reading SET fingerprint = 1 WHERE id IN"
                            " (SELECT last_full_id FROM document WHERE url = '%s')" % self.url)
        foreign = ["http://other.example/%d" % n for n in range(3)]
        self.server.put("/before.xml", urlset(self.pages(range(200, 205)) + foreign))
        record = self.day()
        self.assertEqual((self.changes(record), record["entries"], record["listed_refused"]),
                         ({"added": 1}, 8, 3))
        self.assertEqual(self.program.urls("--refused"), foreign)
        self.assertEqual([row["loc"] for row in self.program.export("--changes")], self.pages([204]))
        self.assertSound()
        # known from now on
        self.server.put("/before.xml", urlset(self.pages(range(200, 205)) + foreign + ["http://b.example/"]))
        self.assertEqual(self.changes(self.day()), {"added": 1})
        self.assertEqual(self.refused_changes(), [("added", "http://b.example/", "host-mismatch")])
        self.server.put("/before.xml", urlset(self.pages(range(200, 205)) + foreign))
        self.assertEqual(self.changes(self.day()), {"removed": 1})
        self.assertEqual(self.changes(self.day()), {"gone": 1})
        self.assertEqual(self.refused_changes(), [("gone", "http://b.example/", "host-mismatch")])
        self.assertSound()

    def test_index(self):
        """Children that an index lacks once are read as before. If it lacks
        them twice, they are not read any more, and their entries are gone."""
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
        self.assertEqual(len([u for u in self.program.urls() if "page" in u]), 20)
        self.assertEqual(self.changes(self.day()), {"gone": 15})
        self.assertEqual(sorted(self.server.targets()), sorted(["/index.xml"] + paths[:5]))
        self.assertEqual(self.changes(self.day()), {})
        self.assertEqual([u for u in self.program.urls() if "page" in u],
                         [self.server.url("/page-%d" % n) for n in range(5)])
        self.assertSound()


class LeftAlone(Days):
    """HOSTILE N27, SPEC R-76: Retry-After, across runs."""

    def setUp(self):
        super().setUp()
        self.put(range(3))
        self.crawl(self.url)

    def refuse(self, status, after, path="/sitemap.xml"):
        """Crawl while the server refuses with this answer."""
        self.server.put(path, b"", status=status,
                        headers=[("Retry-After", after)] if after is not None else [])
        self.day(status=None)
        self.put(range(4))
        if path == "/robots.txt":
            self.server.put(path, "User-agent: *\nDisallow:\n")

    def parked(self):
        """Returns for how long from now the store holds the host."""
        (until,), = self.rows("SELECT until_s FROM hold")
        return until - self.clock.now()

    def assertParked(self, seconds):
        """Assert that no request is sent for that long, and that all is as
        usual afterwards."""
        self.assertAlmostEqual(self.parked(), seconds, delta=5)
        for left in (seconds - MINUTE, MINUTE * 2):
            record = self.day(after=self.parked() - left, status=4)
            self.assertEqual((record["outcome"], record["failure"]),
                             ("failed", "fetch-rate-limited"))
            self.assertEqual(self.server.requests, [])
            self.assertEqual(len(self.program.urls()), 3)
        self.assertEqual(self.day(after=self.parked() + 1)["outcome"], "read")
        self.assertEqual(len(self.program.urls()), 4)

    def test_a_day(self):
        for status in (429, 503):
            with self.subTest(status=status):
                self.put(range(3))
                self.day()
                self.day()
                self.day()
                self.refuse(status, "86400")
                self.assertParked(DAY)

    def test_for_ever(self):
        """The hold lasts a day at most, whatever the server says."""
        self.refuse(503, "99999999999")
        self.assertParked(DAY)

    def test_a_date(self):
        at = time.gmtime(self.clock.now() + DAY + 5 * HOUR)
        self.refuse(429, time.strftime("%a, %d %b %Y %H:%M:%S GMT", at))
        self.assertParked(5 * HOUR)

    def test_robots(self):
        """The whole authority is held, whichever of its URLs was refused."""
        self.refuse(503, "7200", "/robots.txt")
        self.assertParked(2 * HOUR)

    def test_no_reason_to_wait(self):
        """A time that is negative or past means now, and one that cannot be
        read means nothing: as without it, the host is left alone for a minute."""
        for after in ("-1", "0", "Thu, 01 Jan 2015 00:00:00 GMT", "soon", "1e9", "", None):
            with self.subTest(after):
                self.clock.leap()  # tries again within the run
                self.refuse(503, after)
                self.clock.hold()
                self.assertLess(self.parked(), 76)
                self.assertEqual(self.day(after=DAY)["failure"], None)

    def test_not_far(self):
        """If only a short time is left, the crawl waits for its end."""
        self.refuse(503, "7200")
        self.clock.advance(self.parked() - 30)
        self.clock.leap()
        begin = self.clock.now()
        self.assertEqual(self.day(after=0)["outcome"], "read")
        self.assertGreater(self.clock.now() - begin, 29)

    def test_redirect_to_it(self):
        """A redirect from another host does not lead to a request either."""
        self.refuse(503, "86400")
        self.server.forget()
        other = self.site(address="127.0.0.3")
        other.redirect("/robots.txt", self.server.url("/robots.txt"))
        other.put("/sitemap.xml", urlset([other.url("/a")]))
        self.clock.leap()
        self.crawl(other.url("/sitemap.xml"), status=4)
        self.assertEqual(self.server.requests, [])

    def test_clock_set_back(self):
        """The hold lasts a day at most, whatever the clock does."""
        self.refuse(503, "86400")
        self.clock.step(-365 * DAY)
        self.assertEqual(self.day(after=2 * DAY + 1, status=None)["failure"],
                         "fetch-rate-limited")


class Validators(Days):
    """HOSTILE N28, N29, T35."""

    each_alone = True

    def test_unchanged_for_ever(self):
        """If all answers are 304, the server must send the bytes after 30
        days."""
        self.put(range(3), etag='"for ever"')
        self.crawl(self.url)
        asked = []
        for _ in range(65):
            self.day()
            asked.append(self.server.asked("/sitemap.xml")[0].is_conditional)
        self.assertEqual([n + 1 for n, is_conditional in enumerate(asked) if not is_conditional],
                         [30, 60])

    def test_liar(self):
        """Changes that a server hid behind 304 are found then."""
        def unchanged(request, connection):
            body = urlset(self.pages(range(3))).encode()
            if request.is_conditional:
                connection.sendall(b"HTTP/1.1 304 Not Modified\r\n\r\n")
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: %d\r\n\r\n"
                                   % len(body) + body)
            return True
        self.put(range(1), etag='"1"')
        self.crawl(self.url)
        self.server.put("/sitemap.xml", call=unchanged)
        for _ in range(29):
            self.assertEqual(self.day()["outcome"], "unchanged")
        self.assertEqual(len(self.program.urls()), 1)
        self.assertEqual(self.day()["outcome"], "read")
        self.assertEqual(len(self.program.urls()), 3)

    def test_spoilt(self):
        """A server that cannot answer conditions is asked again at once, and has none for a
        week."""
        body = urlset(self.pages(range(3))).encode()
        for status in (200, 400, 412):
            def spoil(request, connection):
                code, text = (status, b"") if request.is_conditional else (200, body)
                connection.sendall(b"HTTP/1.1 %d X\r\nETag: \"1\"\r\nContent-Length: %d\r\n\r\n"
                                   % (code, len(text)) + text)
                return True
            with self.subTest(status):
                self.server.put("/sitemap.xml", call=spoil)
                self.day("--force", self.url)
                asked = []
                for _ in range(8):
                    self.assertEqual(self.day("--retry", "0", self.url)["failure"], None)
                    asked.append(len(self.server.asked("/sitemap.xml")))
                self.assertEqual(asked, [2] + [1] * 6 + [2])
                self.clock.advance(8 * DAY)

    def test_same_bytes(self):
        """The bytes of a server without validators are read fully every 30
        days."""
        self.put(range(3))
        self.crawl(self.url)
        outcomes = [self.day()["outcome"] for _ in range(31)]
        self.assertEqual(outcomes, ["unchanged"] * 29 + ["read", "unchanged"])

    def test_hostile_tags(self):
        for tag, is_kept in (('"a"', True), ('W/"a"', True), ("a", True), ('"a b,c"', True),
                             ('""', True), ('"%s"' % ("x" * 254), True),
                             ('"%s"' % ("x" * 255), False), ('"%s"' % ("x" * 60000), False),
                             ('"a"b"', False), ('"a", "b"', False), ('W/"a""', False),
                             ('"', False), ("*", False), ('"a\x07b"', False), ('"a\tb\x01"', False),
                             ('"a\x1b[2Jb"', False), ('"\xe9"', False), ('"a\x7f"', False)):
            with self.subTest(tag[:12]):
                self.put(range(3), etag=tag)
                self.day("--force", self.url)
                (kept,), = self.rows("SELECT etag FROM document WHERE kind = 'urlset'")
                self.assertEqual(kept, tag if is_kept else None)
                self.day()
                sent = self.server.asked("/sitemap.xml")[0].header("If-None-Match")
                self.assertEqual(sent, tag if is_kept else None)

    def test_huge_tag(self):
        """An ETag of 1 MB: the answer is refused, and the known content is
        kept."""
        self.put(range(3), etag='"1"')
        self.crawl(self.url)
        self.put(range(2), etag='"%s"' % ("x" * (1 << 20)))
        self.assertEqual(self.day(status=None)["failure"], "headers-too-big")
        self.assertEqual(len(self.program.urls()), 3)
        self.assertEqual(self.rows("SELECT etag FROM document WHERE kind = 'urlset'"),
                         [('"1"',)])


class Dates(Days):
    """HOSTILE U8: dates that move although nothing changed."""

    def read(self, moved, of=20):
        """Read on one more day, on which the dates of this many entries moved.
        Returns whether the dates are reported as untrusted."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock.now()))
        self.dates = [at] * moved + getattr(self, "dates", [None] * of)[moved:]
        self.server.put("/sitemap.xml", urlset(list(zip(self.pages(range(of)), self.dates))))
        return "lastmod-untrusted" in self.codes(self.day())

    def test_always_now(self):
        self.assertEqual([self.read(20) for _ in range(6)], [False] * 3 + [True] * 3)
        # a reading that moves few is believed; one that moves all is not
        self.assertEqual([self.read(1), self.read(20)], [False, True])

    def test_honest(self):
        """Half of the dates move each day, or all of them now and then: this is
        believed."""
        self.read(20)
        self.assertEqual([self.read(10) for _ in range(6)], [False] * 6)
        self.assertEqual([self.read(20 * (n % 3 == 0)) for n in range(12)], [False] * 12)

    def test_it_learns(self):
        """After eight good readings the bad ones are forgotten."""
        for _ in range(4):
            self.read(20)
        self.assertEqual([self.read(n % 2) for n in range(8)], [False] * 8)
        self.assertFalse(self.read(20))


class Turns(Days):
    """Two caches answer in turns."""

    def told(self, some):
        """What is told of the time when it is known that the versions, of 30
        pages and of some, with other dates, come in turns."""
        both = [urlset([(page, "2025-01-0%d" % n) for page in self.pages(range(count))])
                for n, count in ((1, 30), (2, some))]
        codes = []
        for n in range(8):
            self.server.put("/sitemap.xml", both[n % 2])
            codes.append("versions-alternate" in self.codes(self.day()))
        self.assertEqual(codes, [False] * 3 + [True] * 5)
        return " ".join(self.program.run("diff", "--since", "60h").out.split())

    def test_dates(self):
        told = self.told(30)
        self.assertNotIn("re-dated", told)
        self.assertNotIn("redeploy", told)
        self.assertNotIn("older", told)

    def test_mass_drop(self):
        told = self.told(15)
        self.assertIn("nothing is gone; it seems that two versions of it come in turns", told)
        self.assertIn("lacks them, too; it seems that two versions of it come in turns", told)


class WrongClock(Days):
    """HOSTILE T21, J9."""

    def setUp(self):
        super().setUp()
        self.put(range(20))
        self.crawl(self.url)

    def last_s(self):
        return self.rows("SELECT max(at_s) FROM reading")[0][0]

    def crawl_at(self, offset, numbers):
        """Crawl after a step of the clock."""
        self.clock.step(offset)
        self.put(numbers)
        self.server.forget()
        return self.crawl(self.url)

    def test_back(self):
        """Times continue from the end of the last run."""
        for offset in (-HOUR, -365 * DAY):
            with self.subTest(offset=offset):
                before = self.last_s()
                crawl = self.crawl_at(offset, range(18))
                self.assertEqual(crawl.summary["findings"].get("clock-jump"), 1)
                self.assertEqual(crawl.result.err.count("clock-jump"), 1, crawl.result.err)
                self.assertGreaterEqual(self.last_s(), before)
                self.assertLess(self.last_s(), before + MINUTE)
                self.put(range(20))
                self.crawl(self.url)
                self.assertEqual(len(self.program.urls()), 20)
                self.assertSound()
        (odd,), = self.rows("SELECT count(*) FROM reading a JOIN reading b ON b.id > a.id"
                            " WHERE b.at_s < a.at_s")
        self.assertEqual(odd, 0)

    def test_right_again(self):
        self.crawl_at(-HOUR, range(18))
        crawl = self.crawl_at(2 * HOUR, range(20))
        self.assertNotIn("clock-jump", crawl.summary["findings"])
        self.assertAlmostEqual(self.last_s(), self.clock.now(), delta=10)

    def test_forward(self):
        """The clock goes a year ahead, and back: nothing is gone, no host is
        asked more often, and a date of today is not in the future."""
        crawl = self.crawl_at(365 * DAY, range(18))
        self.assertNotIn("clock-jump", crawl.summary["findings"])
        self.assertEqual(len(self.server.requests), 2)
        self.server.put("/sitemap.xml", urlset([(page, "2026-12-30T00:00:00Z")
                                                for page in self.pages(range(20))]))
        self.clock.step(-365 * DAY)
        crawl = self.crawl(self.url)
        self.assertIn("clock-jump", crawl.codes() | crawl.summary["findings"])
        self.assertNotIn("lastmod-future", crawl.codes())
        self.assertSound()

    def test_while_it_runs(self):
        """NTP corrects the clock during a run."""
        for offset in (40 * DAY, -DAY):
            with self.subTest(offset=offset):
                self.server.put("/index.xml", index([self.server.url("/a.xml"),
                                                     self.server.url("/b.xml")]))
                for name in "ab":
                    self.server.put("/%s.xml" % name, urlset([self.server.url("/" + name)]))
                self.server.forget()
                # a new run keeps to the delay that the last request asked for
                self.clock.advance(2 * MINUTE)
                process = self.program.start("crawl", "--json", "--delay", "60",
                                             self.server.url("/index.xml"))
                self.server.wait_for("/robots.txt")
                self.clock.wait_idle()
                self.clock.step(offset)
                self.clock.leap()
                out, err = process.communicate(timeout=600)
                self.clock.hold()
                self.assertEqual(process.returncode, 0, err)
                self.assertEqual(b"clock-jump" in err, offset < 0)
                self.assertLess(len(self.server.requests), 6)
                self.assertSound()

    def test_many_times(self):
        """The clock goes back and forth: stored times never go back, and
        nothing is lost."""
        for n, offset in enumerate((-HOUR, HOUR, 2 * DAY, -DAY, -30 * DAY, 60 * DAY)):
            self.crawl_at(offset, range(20 + n))
        self.assertEqual(len(self.program.urls()), 25)
        self.assertSound()


class RobotsCache(Days):
    """SPEC R-104, R-102 over days."""

    def setUp(self):
        super().setUp()
        paths = ["/%02d.xml" % n for n in range(30)]
        for path in paths:
            self.server.put(path, urlset([self.server.url("/page" + path)]))
        self.url = self.server.url("/index.xml")
        self.server.put("/index.xml", index([self.server.url(path) for path in paths]))

    def rules(self, text="User-agent: *\nDisallow:\n", age=None):
        self.server.put("/robots.txt", text, headers=[] if age is None else
                        [("Cache-Control", "max-age=%d" % age)])

    def slow_crawl(self, delay=HOUR, status=0):
        """Crawl 31 documents, an hour apart."""
        self.clock.leap()
        return self.crawl("--delay", str(delay), self.url, status=status)

    def test_a_day(self):
        """A run of 31 hours asks for robots.txt twice."""
        self.rules()
        self.slow_crawl()
        self.assertEqual(len(self.server.asked("/robots.txt")), 2)

    def test_max_age(self):
        """max-age can make the time shorter, but not longer."""
        for age, count in ((4 * HOUR, range(10, 13)), (1000 * DAY, range(2, 3))):
            with self.subTest(age=age):
                self.server.forget()
                self.rules(age=age)
                self.slow_crawl()
                self.assertIn(len(self.server.asked("/robots.txt")), count)

    def test_no_age(self):
        """Nor is it asked for with every document."""
        self.rules(age=0)
        self.slow_crawl(delay=300)
        self.assertIn(len(self.server.asked("/robots.txt")), range(2, 5))

    def test_it_says_no(self):
        """When robots.txt forbids it during the run, the next request is not
        made."""
        self.rules(age=4 * HOUR)
        self.clock.leap(before=lambda now: len(self.server.requests) == 10 and self.rules(
            "User-agent: *\nDisallow: /\n"))
        crawl = self.crawl("--delay", str(HOUR), self.url, status=1)
        targets = self.server.targets(robots=True)
        last = len(targets) - 1 - targets[::-1].index("/robots.txt")
        self.assertEqual(targets[last + 1:], [])
        self.assertIn("fetch-blocked-by-robots", crawl.codes())
        self.assertEqual(len(crawl.sitemaps()), 31)

    def test_unreachable(self):
        """For 12 hours nothing is fetched. Then the last good copy applies.
        After 30 days it is as if there were no robots.txt."""
        self.rules("User-agent: *\nDisallow: /07\n")
        self.crawl("--retry", "0", self.url, status=1)
        self.server.put("/robots.txt", b"", status=500)
        self.clock.advance(DAY)
        for after, count in ((0, 0), (11 * HOUR, 0), (2 * HOUR, 30), (20 * DAY, 30),
                             (10 * DAY, 31)):
            with self.subTest(after=after):
                self.clock.advance(after)
                self.server.forget()
                self.crawl("--retry", "0", self.url, status=None)
                self.assertEqual(len(self.server.targets()), count)


if __name__ == "__main__":
    unittest.main()
