"""The site search of docs/guide/site-search.md: what it finds is what the site has, within the site's schedule.

FRESHET_PAGES=10000 tries a larger site.
"""
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import unittest

from case import Case, urlset
from daemon import Daemon
from program import TOP

PAGES = int(os.environ.get("FRESHET_PAGES", "300"))
HOUR = 3600
EXAMPLE = os.path.join(TOP, "docs", "examples", "feed_fts5.py")


def part(begin, end):
    """These of 300 pages, or as large a part of more."""
    return range(PAGES * begin // 300, PAGES * end // 300)


class Shop:
    """A site; each page has a word of its own for each of its versions."""

    def __init__(self, server):
        self.server = server
        self.version = dict.fromkeys(range(PAGES), 1)
        self.dates = dict.fromkeys(range(PAGES), "2026-01-01")
        self.listed = set(range(PAGES))
        self.status, self.noindex, self.moved, self.disallowed = {}, set(), {}, set()

    def path(self, n):
        return "/%s/%d" % ("staff" if n % 50 == 49 else "shop", n)

    def word(self, n):
        return "p%dv%d" % (n, self.version[n])

    def publish(self):
        put, url = self.server.put, self.server.url
        rules = "".join("Disallow: %s\n" % folder for folder in sorted(self.disallowed))
        put("/robots.txt", "User-agent: *\n%sSitemap: %s\n" % (rules, url("/s.xml")),
            headers=[("Content-Type", "text/plain")])
        put("/s.xml", urlset([(url(self.path(n)), self.dates[n]) for n in sorted(self.listed)]),
            headers=[("Content-Type", "application/xml")])
        for n in self.version:
            headers = [("Content-Type", "text/html")]
            if n in self.moved:
                headers.append(("Location", self.moved[n]))
            put(self.path(n), "<html><head><title>Page %d</title>%s</head><body><nav>menu</nav><main><p>All about %s, "
                "in a sentence or two. It is a page of a shop, and it has a text.</p></main></body></html>" % (
                    n, "<meta name=robots content=noindex>" if n in self.noindex else "", self.word(n)),
                status=301 if n in self.moved else self.status.get(n, 200), headers=headers,
                etag='"%s%s"' % (self.word(n), n in self.noindex))
            put(self.path(n) + "/", "<title>Page %d</title><p>All about %s, in a sentence." % (n, self.word(n)),
                headers=[("Content-Type", "text/html")])

    def truth(self):
        return {self.server.url(self.path(n)): self.word(n) for n in self.listed
                if self.status.get(n, 200) == 200 and n not in self.noindex and
                (n not in self.moved or self.moved[n] == self.path(n) + "/") and
                not any(self.path(n).startswith(folder) for folder in self.disallowed)}


class SiteSearch(Case):
    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.shop = Shop(self.site())
        self.shop.publish()

    def find(self, *words):
        done = subprocess.run([sys.executable, EXAMPLE, "texts", "search.db", *words], cwd=self.program.folder,
                              stdout=subprocess.PIPE, encoding="utf-8", timeout=600, check=True,
                              env=self.program.environment({"FRESHET": self.program.binary}))
        return done.stdout.splitlines()[1::3]

    def judge(self):
        """What can be found is what the site has, each page with the word of its version."""
        self.find()
        with contextlib.closing(sqlite3.connect(os.path.join(self.program.folder, "search.db"))) as db:
            found = dict(db.execute("SELECT url, text FROM search JOIN page ON page.id = search.rowid WHERE listed > 0"))
        truth = self.shop.truth()
        self.assertEqual(sorted(found.keys() ^ truth.keys()), [])
        wrong = {url: text for url, text in found.items() if "about %s," % truth[url] not in text or "menu" in text}
        self.assertEqual(wrong, {})

    def later(self, hours):
        """An hour passes at once, but for its last minute, in which what has become due is done."""
        for _ in range(hours):
            self.clock.advance(HOUR - 60)
            end = self.clock.now() + 60
            self.clock.leap(until=end)
            self.clock.wait_until(end, timeout=300)
            self.clock.hold()

    def test_follows(self):
        url = self.shop.server.url("/")
        self.assertEqual(self.program.run("add", url, "--every", "1h", "--pages-every", "6h..1d").status, 0)
        daemon = Daemon(self.program, "--fetch", "--texts", "texts", "--delay", "0")
        daemon.wait("crawled")
        self.later(1)
        self.judge()
        self.assertEqual(self.find("p7v1"), ["  " + self.shop.server.url("/shop/7")])
        shop = self.shop
        for n in part(0, 30):           # edited, and dated
            shop.version[n], shop.dates[n] = 2, "2026-02-02"
        for n in part(30, 40):          # edited
            shop.version[n] = 2
        shop.noindex.update(part(50, 60))
        shop.listed.difference_update(part(60, 80))
        shop.status.update(dict.fromkeys(part(60, 70), 404))
        shop.status.update(dict.fromkeys(part(80, 85), 410))    # listed all the same
        shop.moved.update({n: shop.path(n + PAGES // 2) for n in part(90, 95)})
        shop.moved.update({n: shop.path(n) + "/" for n in part(95, 99)})
        shop.disallowed.add("/staff/")
        for n in part(300, 310):        # new
            shop.version[n], shop.dates[n] = 1, "2026-02-02"
            shop.listed.add(n)
        shop.publish()
        # what sitemaps say is found with their next readings, but no page is fetched twice within six hours
        self.later(7)
        self.assertEqual(self.find("p5v2"), ["  " + shop.server.url("/shop/5")])
        new = part(300, 310)[3]
        self.assertEqual(self.find("p%dv1" % new), ["  " + shop.server.url("/shop/%d" % new)])
        self.assertEqual(self.find("p%dv1" % part(60, 70)[5]), [])
        # and all of it within the schedule of pages and of robots.txt
        self.later(36)
        self.judge()
        # everything is taken back, and the daemon killed
        shop.noindex.clear()
        shop.status.clear()
        shop.moved.clear()
        shop.disallowed.clear()
        shop.listed.update(part(60, 80))
        shop.publish()
        self.later(1)
        daemon.process.kill()
        daemon.process.wait()
        daemon = Daemon(self.program, "--fetch", "--texts", "texts", "--delay", "0")
        self.later(36)
        self.judge()
        # a new index comes from the same folder
        os.unlink(os.path.join(self.program.folder, "search.db"))
        self.judge()
        self.assertEqual(daemon.end(), 143)
        # without both, all pages come anew, unchanged as they are
        os.unlink(os.path.join(self.program.folder, "search.db"))
        shutil.rmtree(os.path.join(self.program.folder, "texts"))
        daemon = Daemon(self.program, "--fetch", "--texts", "texts", "--delay", "0")
        self.later(26)
        self.judge()
        self.assertEqual(daemon.end(), 143)


if __name__ == "__main__":
    unittest.main()
