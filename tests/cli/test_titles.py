"""Headlines: `run` asks new pages for their titles, and what shows changes shows them."""
import csv
import io
import json
import os
import unittest
import urllib.request

from case import Case, urlset
from clock import DAY
from daemon import Daemon

HOUR = 3600
BEGIN = 1767225600      # 2026-01-01
HTML = [("Content-Type", "text/html; charset=utf-8")]


def html(title, description=""):
    return ("<!DOCTYPE html><html><head><title>%s</title><meta name=description content='%s'></head>"
            "<body><p>Some words of the page.</p></body></html>" % (title, description))


class Titles(Case):
    """A site with ten pages, to which others come."""

    def setUp(self):
        super().setUp()
        self.follow_clock(wall=BEGIN)
        self.server = self.site()
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: %s\n"
                        % self.server.url("/sitemap.xml"))
        self.pages = ["/old-%d" % n for n in range(10)]
        self.publish()

    def publish(self, *new):
        """Paths, and pairs of a path and the text of its page."""
        for page in new:
            path, text = page if isinstance(page, tuple) else (page, html("About " + page))
            self.pages.append(path)
            self.server.put(path, text, headers=HTML)
        self.server.put("/sitemap.xml", urlset(map(self.server.url, self.pages)))

    def add(self, *args):
        result = self.program.run("add", "--every", "1h", *args, self.server.url("/sitemap.xml"))
        self.assertEqual(result.status, 0, str(result))

    def run_until(self, at, *args):
        daemon = Daemon(self.program, "--delay", "0", *args)
        self.clock.wait_followers(1)
        self.clock.leap(until=BEGIN + at, stride=60)
        self.clock.wait_until(BEGIN + at)
        self.clock.hold()
        self.assertEqual(daemon.end(), 143, str(daemon))
        return daemon

    def asked(self):
        """The pages that were asked, in order, since the last call."""
        targets = [(r.method, r.target) for r in self.server.requests
                   if r.target not in ("/robots.txt", "/sitemap.xml")]
        self.server.forget()
        self.assertTrue(all(method == "GET" for method, _ in targets), targets)
        return [target for _, target in targets]

    def rows(self, *args):
        result = self.program.run("diff", "--json", "--rows", "--since", "2d", *args)
        self.assertEqual(result.status, 0, str(result))
        return {r["url"].replace(self.server.origin, ""): r for r in result.records() if r["type"] == "page"}

    def test_moved_pages(self):
        """Pages that are known to have moved are not new: no title is asked of them."""
        self.publish(*("/blog/post-%02d-words" % n for n in range(12)))
        self.add("--titles", "3/d")
        self.run_until(2 * HOUR)
        self.asked()
        self.pages = [p.replace("/blog/", "/insights/") for p in self.pages]
        self.publish("/a-new-page")
        for path in self.pages:
            self.server.put(path, html("About " + path), headers=HTML)
        for _ in range(2):
            result = self.program.run("crawl", self.server.url("/sitemap.xml"))
            self.assertEqual(result.status, 0, str(result))
            self.clock.advance(HOUR)
        self.run_until(8 * HOUR)
        self.assertEqual(self.asked(), ["/a-new-page"])

    def test_new_pages_alone(self):
        """So many a day, each once, also after a restart; nothing that was there before."""
        self.add("--titles", "3/d")
        self.run_until(2 * HOUR)
        self.assertEqual(self.asked(), [])
        self.publish(*("/new-%d" % n for n in range(5)))
        self.run_until(6 * HOUR)
        first = self.asked()
        self.assertEqual(len(first), 3, first)
        self.publish("/newest")
        self.run_until(12 * HOUR)
        self.assertEqual(self.asked(), [])
        # the newest first; the rest, as far as it goes
        self.run_until(DAY + 6 * HOUR)
        second = self.asked()
        self.assertEqual(second[0], "/newest")
        self.assertEqual(sorted(first + second), sorted(self.pages[10:]))
        self.run_until(3 * DAY)
        self.assertEqual(self.asked(), [])
        rows = self.rows("--since", "2026-01-01")
        self.assertEqual({path: row["title"] for path, row in rows.items()},
                         {path: "About " + path for path in self.pages[10:]})

    def test_off(self):
        """Nobody asked for titles: no page is asked, and nothing is shown."""
        self.add()
        self.run_until(2 * HOUR)
        self.publish("/new")
        self.run_until(6 * HOUR)
        self.assertEqual(self.asked(), [])
        self.assertEqual(set(self.rows()["/new"]), {"v", "type", "site", "kind", "at", "section", "url", "from"})

    def test_configured(self):
        """The configuration says it for a site, and the watch list is stronger."""
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w") as f:
            f.write("[site 127.0.0.1]\ntitles = 9/d\n")
        self.program.variables["FRESHET_CONFIG"] = path
        self.add()
        self.run_until(2 * HOUR)
        self.publish("/new-1", "/new-2")
        self.run_until(4 * HOUR)
        self.assertEqual(sorted(self.asked()), ["/new-1", "/new-2"])
        self.program.run("set", "127.0.0.1", "titles=3/d")
        self.publish("/new-3", "/new-4")
        self.run_until(8 * HOUR)
        self.assertEqual(len(self.asked()), 1)
        # what is typed is the strongest
        self.run_until(12 * HOUR, "--titles", "9/d")
        self.assertEqual(len(self.asked()), 1)

    def test_robots_and_bad_answers(self):
        """What robots.txt forbids is not asked; what has no title says none."""
        self.add("--titles", "20/d")
        self.run_until(2 * HOUR)
        self.publish("/private/new", "/good", ("/untitled", "<p>words</p>"))
        self.server.put("/gone", "", status=404)
        self.pages.append("/gone")
        self.publish()
        self.run_until(8 * HOUR)
        self.assertEqual(sorted(self.asked()), ["/gone", "/good", "/untitled"])
        self.assertEqual({path: row.get("title") for path, row in self.rows().items()},
                         {"/private/new": None, "/gone": None, "/good": "About /good", "/untitled": None})
        self.run_until(DAY)
        self.assertEqual(self.asked(), [])

    def test_fetched_already(self):
        """What the fetcher of pages has read is not asked again."""
        self.add("--titles", "20/d")
        self.run_until(2 * HOUR)
        self.publish("/new")
        self.program.run("crawl", "-q", "--delay", "0", self.server.url("/sitemap.xml"))
        result = self.program.run("fetch", "-n", "100", "--delay", "0", "--progress", "off")
        self.assertIn(result.status, (0, 1), str(result))
        self.assertIn("/new", self.asked())
        self.assertEqual(self.rows()["/new"]["title"], "About /new")
        self.run_until(8 * HOUR)
        self.assertEqual(self.asked(), [])

    def test_budget(self):
        """Titles count in the budget of the site."""
        self.add("--titles", "20/d", "--budget", "2/h")
        self.run_until(2 * HOUR)
        self.publish(*("/new-%d" % n for n in range(9)))
        self.server.forget()
        self.run_until(6 * HOUR)
        asked = len(self.server.requests)
        self.assertGreater(len(self.asked()), 1)
        self.assertLessEqual(asked, 2 * 4 + 2)

    def test_shown(self):
        """Beside the URL, and hostile text does nothing."""
        evil = "</title><script>alert(1)</script>\x1b[31m=cmd|' /C calc'!A0 "
        self.add("--titles", "20/d")
        self.run_until(2 * HOUR)
        self.publish(("/blog/a", html("Why tea &lt;b&gt; &amp; coffee", "Both are hot")),
                     ("/blog/b", html("=1+1 &#27;[31m " + "x" * 300)), ("/blog/c", html(evil)))
        self.run_until(4 * HOUR)
        rows = self.rows()
        self.assertEqual(rows["/blog/a"]["title"], "Why tea <b> & coffee")
        self.assertEqual(rows["/blog/a"]["description"], "Both are hot")
        text = self.program.run("diff", "--rows", "--since", "2d").out
        self.assertIn("/blog/a  Why tea <b> & coffee\n", text)
        self.assertNotIn("\x1b", text)
        table = list(csv.DictReader(io.StringIO(self.program.run(
            "diff", "--rows", "--format", "csv", "--since", "2d").out)))
        cells = {row["url"].replace(self.server.origin, ""): row["text"] for row in table if row["type"] == "page"}
        self.assertEqual(cells["/blog/a"], "Why tea <b> & coffee")
        self.assertTrue(cells["/blog/b"].startswith("'=1+1"), cells)
        for line in self.program.at_terminal(80, "diff", "--rows", "--since", "2d"):
            self.assertLessEqual(len(line), 80)
        # export has columns that must be named
        plain = self.program.run("export", "--changes", "--since", "2d").out
        self.assertNotIn("tea", plain)
        named = self.program.run("export", "--changes", "--since", "2d", "-f", "jsonl", "--columns",
                                 "loc,title,description")
        found = {r["loc"].replace(self.server.origin, ""): r for r in map(json.loads, named.out.splitlines())}
        self.assertEqual(found["/blog/a"]["title"], "Why tea <b> & coffee")
        self.assertEqual(found["/blog/a"]["description"], "Both are hot")
        # serve: its pages and its API
        self.clock.rate(1)
        process = self.program.start("serve", "--listen", "127.0.0.1:0")
        origin = process.stderr.readline().decode().split()[-1].rstrip("/")

        def ask(path):
            with urllib.request.urlopen(origin + path, timeout=600) as answer:
                return answer.read().decode()

        for path in ("/document?url=", "/url?url="):
            url = "/sitemap.xml" if "document" in path else "/blog/a"
            self.assertIn("Why tea &lt;b&gt; &amp; coffee", ask(path + self.server.url(url)))
        self.assertNotIn("<script>alert", ask("/url?url=" + self.server.url("/blog/c")))
        titles = [item.get("title") for item in json.loads(ask("/api/v1/diff?since=2d"))["items"]]
        self.assertIn("Why tea <b> & coffee", titles)
        process.terminate()
        process.wait(600)
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))


if __name__ == "__main__":
    unittest.main()
