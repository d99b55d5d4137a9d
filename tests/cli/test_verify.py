"""What left a sitemap, moved or is new: `run` asks some of the pages, and each event says what they
answered."""
import contextlib
import html
import os
import sqlite3
import unittest

from case import Case, index, urlset
from daemon import Daemon

HOUR = 3600
DAY = 86400
BEGIN = 1767225600      # 2026-01-01
HTML = [("Content-Type", "text/html; charset=utf-8")]
PAGE = "<!DOCTYPE html><html><head><title>A page</title></head><body><p>%s</p></body></html>" % (
    "Some words that a page has. " * 20)


class Verify(Case):
    """A site with a blog of 60 pages and a shop of 60; a test takes pages away."""

    def setUp(self):
        super().setUp()
        self.follow_clock(wall=BEGIN)
        self.server = self.site()
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /secret/\nSitemap: %s\n"
                        % self.server.url("/sitemap.xml"))
        self.shop = ["/shop/%d" % n for n in range(60)]
        self.blog = ["/blog/post-%02d-words" % n for n in range(60)]
        for path in self.shop + self.blog:
            self.server.put(path, PAGE, headers=HTML)
        self.publish(self.shop + self.blog)
        self.now = 0

    def publish(self, paths):
        self.server.put("/sitemap.xml", urlset(map(self.server.url, paths)))

    def add(self, *args):
        result = self.program.run("add", "--every", "1h", *args, self.server.url("/sitemap.xml"))
        self.assertEqual(result.status, 0, str(result))
        self.live(2 * HOUR)
        self.server.forget()

    def live(self, seconds, *args):
        daemon = Daemon(self.program, "--delay", "0", *args)
        self.clock.wait_followers(1)
        self.now += seconds
        self.clock.leap(until=BEGIN + self.now, stride=60)
        self.clock.wait_until(BEGIN + self.now)
        self.clock.hold()
        self.assertEqual(daemon.end(), 143, str(daemon))

    def events(self, kind):
        result = self.program.run("diff", "--json", "--since", "60d", "--kind", kind)
        self.assertEqual(result.status, 0, str(result))
        return [r for r in result.records() if r["type"] == "event"]

    def said(self, kind):
        """The sentence of the answers, which the event's sentence ends with."""
        event, = self.events(kind)
        self.assertTrue(event["text"].endswith("; " + event["verified"]), event)
        return event["verified"]

    def stored(self):
        """(url, status) of what answered."""
        with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True)) as db:
            return db.execute("SELECT url, status FROM verified WHERE at_s > 0").fetchall()

    def asked(self):
        asked = [(r.method, r.target) for r in self.server.requests
                 if r.target not in ("/robots.txt", "/sitemap.xml")]
        self.server.forget()
        return asked

    def drop(self, reply, gone=None, seconds=HOUR + 600):
        """Half of the blog leaves the sitemap; its pages answer with what reply(path) puts."""
        gone = self.blog[::2] + self.shop[::2] if gone is None else gone
        for path in gone:
            self.server.drop(path)
            reply(path)
        self.publish([p for p in self.shop + self.blog if p not in gone])
        self.live(seconds)
        return gone

    def test_left_out(self):
        """Nothing was taken down.  Nobody is asked twice, also after a restart."""
        self.add("--verify", "5")
        gone = self.drop(lambda path: self.server.put(path, PAGE, headers=HTML))
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 still answer: left out, not taken down")
        asked = self.asked()
        self.assertEqual([m for m, _ in asked].count("HEAD"), 5)
        self.assertEqual([m for m, _ in asked].count("GET"), 5)
        self.assertEqual(len({path for _, path in asked}), 5)
        self.assertTrue({path for _, path in asked} <= set(gone))
        # spread over what left: of both sections
        self.assertEqual({path.split("/")[1] for _, path in asked}, {"blog", "shop"})
        self.live(2 * HOUR)
        self.assertEqual(self.asked(), [])
        # a day later it is confirmed: the same event
        self.live(2 * DAY)
        self.assertEqual(self.said("mass-drop-confirmed"), "5 of 5 still answer: left out, not taken down")
        self.assertEqual({status for _, status in self.stored()}, {200})
        self.assertEqual(self.asked(), [])
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))

    def test_off(self):
        self.add()
        self.drop(lambda path: None)
        event, = self.events("mass-drop-waiting")
        self.assertNotIn("verified", event)
        self.assertEqual(self.asked(), [])

    def test_taken_down(self):
        self.add("--verify", "5")
        self.drop(lambda path: self.server.put(path, "", status=410))
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 say 410: taken down")
        self.assertEqual({m for m, _ in self.asked()}, {"HEAD"})

    def test_noindex(self):
        """In the page, which HEAD does not tell, or in a header."""
        page = PAGE.replace("<head>", "<head><meta name=robots content=noindex>")
        self.add("--verify", "4")
        self.drop(lambda path: self.server.put(path, page, headers=HTML) if path.startswith("/blog")
                  else self.server.put(path, PAGE, headers=HTML + [("X-Robots-Tag", "noindex")]))
        self.assertEqual(self.said("mass-drop-waiting"),
                         "4 of 4 say 200 with noindex: hidden from search, not taken down")

    def test_redirects(self):
        self.add("--verify", "5")
        self.drop(lambda path: self.server.redirect(path, "/insights" + path, status=301))
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 redirect to /insights: moved")

    def test_home_page(self):
        self.server.put("/", PAGE, headers=HTML)
        self.add("--verify", "5")
        self.drop(lambda path: self.server.redirect(path, "/", status=301))
        self.assertEqual(self.said("mass-drop-waiting"),
                         "5 of 5 redirect to the home page: taken down, it seems")

    def test_mixed(self):
        """No HEAD here, a 404 there: said as it is."""
        def no_head(request, connection):
            status = "405 No" if request.method == "HEAD" else "200 OK"
            body = b"" if request.method == "HEAD" else PAGE.encode()
            connection.sendall(("HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (
                status, len(body))).encode() + body)
            return True

        self.add("--verify", "5")
        gone = self.blog[::2] + self.shop[::2]
        self.drop(lambda path: None if path.startswith("/shop") else self.server.put(path, call=no_head), gone)
        there = len([url for url, status in self.stored() if status == 200])
        self.assertIn(there, (2, 3))
        self.assertEqual(self.said("mass-drop-waiting"), "3 of 5 still answer, 2 say 404" if there == 3
                         else "3 of 5 say 404, 2 still answer")

    def test_forbidden(self):
        """What robots.txt forbids is not asked, and that is said."""
        secret = ["/secret/%d" % n for n in range(120)]
        self.publish(self.shop + self.blog + secret)
        self.add("--verify", "5")
        self.publish(self.shop + self.blog)
        self.live(HOUR + 600)
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 may not be asked, as robots.txt says")
        self.assertEqual(self.asked(), [])

    def test_moved(self):
        """Old URLs are asked."""
        self.add("--verify", "5")
        moved = [path.replace("/blog/", "/insights/") for path in self.blog]
        for old, new in zip(self.blog, moved):
            self.server.put(new, PAGE, headers=HTML)
            self.server.redirect(old, new, status=301)
        self.publish(self.shop + moved)
        self.live(3 * DAY)
        self.assertEqual(self.said("pages-moved"), "5 of 5 redirect to /insights: moved")

    def test_drop_beside_a_rename(self):
        """The blog is renamed while the shop loses half of its pages: the drop is asked when the
        moves are known, within the hour, and alerts tell it, too."""
        self.server.put("/sitemap.xml", index([self.server.url("/%s.xml" % name) for name in ("shop", "blog")]))
        moved = [path.replace("/blog/", "/insights/") for path in self.blog]
        for shop, blog in ((self.shop, self.blog), (self.shop[::2], moved)):
            self.server.put("/shop.xml", urlset(map(self.server.url, shop)))
            self.server.put("/blog.xml", urlset(map(self.server.url, blog)))
            if blog == self.blog:
                self.add("--verify", "5")
        for path in self.shop[1::2]:
            self.server.put(path, "", status=410)
        self.live(2 * HOUR)
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 say 410: taken down")
        self.live(DAY)
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w") as f:
            f.write("[alert drops]\nkinds = mass-drop-waiting, mass-drop-confirmed\nexec = /bin/true\n")
        told = self.program.run("alert", "replay", "drops", "--since", "30d", "--config", path)
        self.assertIn("30 of 60 pages are missing from /shop.xml", told.out, str(told))
        self.assertIn("30 of 60 pages left /shop.xml", told.out, str(told))

    def test_launched(self):
        """New URLs are asked, and their headlines are told."""
        self.add("--verify", "5", "--titles", "20/d")
        new = ["/academy/%d" % n for n in range(12)]
        for path in new:
            self.server.put(path, PAGE.replace("A page", "Course " + path[-1]), headers=HTML)
        self.publish(self.shop + self.blog + new)
        self.live(3 * DAY)
        self.assertEqual(self.said("section-launched"), "5 of 5 answer")
        event, = self.events("section-launched")
        self.assertEqual(len(event["titles"]), 3)
        words = '; "%s"; 5 of 5 answer' % '", "'.join(event["titles"])
        self.assertIn("Course ", words)
        self.assertIn(words, event["text"])
        # so it is in alerts and in the report
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w") as f:
            f.write("[alert new]\nkinds = section-launched\nexec = /bin/true\n")
        told = self.program.run("alert", "replay", "new", "--since", "30d", "--config", path)
        self.assertIn(words, told.out, str(told))
        page = self.program.run("report", "--html", "-", "--since", "30d").out
        self.assertIn(words, html.unescape(page))

    def test_budget(self):
        """A few requests an hour: all are answered in the end, and no sooner."""
        self.add("--verify", "5", "--budget", "3/h")
        self.drop(lambda path: self.server.put(path, "", status=404))
        self.assertLessEqual(len(self.server.requests), 5)
        event, = self.events("mass-drop-waiting")
        self.assertNotIn("verified", event)
        self.live(6 * HOUR)
        self.assertEqual(self.said("mass-drop-waiting"), "5 of 5 say 404: taken down")
        self.assertEqual(len(self.stored()), 5)


if __name__ == "__main__":
    unittest.main()
