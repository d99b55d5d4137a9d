"""Pages of HTML in a browser: on a desktop and on a phone, light and dark.

Needs chromium, node and npm, and what npm ci installs from tests/tools/browser;
where that cannot be had, the test is skipped.  FRESHET_PICTURES=FOLDER keeps a
picture of each page.
"""
import calendar
import json
import os
import shutil
import subprocess
import time
import unittest
import urllib.parse

import npm
from case import index, urlset
from clock import DAY
from program import TOP
from test_clock import Clocked

BROWSER = os.path.join(TOP, "tests", "tools", "browser")
READERS = 4
NASTY = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;onload=&apos;x&apos;"

NAMED = "http://shop.wholesale-books.of-the-rivals.example/"


class Pages(Clocked):
    def setUp(self):
        self.chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if self.chromium is None:
            self.skipTest("there is no chromium")
        self.modules, reason = npm.modules("browser")
        if reason is not None:
            self.skipTest(reason)
        super().setUp()
        self.clock.leap()

    def live(self):
        """Two sites, some days, hostile words wherever they fit."""
        sites = [self.site(), self.site(address="127.0.0.3")]
        named = self.site()  # has a name that narrow columns break
        named.put("/robots.txt", "Sitemap: %ss.xml\nSitemap: %slost.xml\n" % (NAMED, NAMED))
        named.put("/s.xml", urlset([NAMED + "a"]))
        pages = {"/p%s/%d" % (NASTY, n): "2026-01-0%d" % (n % 9 + 1) for n in range(30)}
        for day in range(7):
            if day == 3:
                pages.update({"/news/%d%s" % (n, NASTY): "2026-01-03" for n in range(12)})
            elif day == 5:
                for page in sorted(pages)[:9]:
                    del pages[page]
            for number, site in enumerate(sites):
                site.put("/robots.txt", "Sitemap: %s\n" % site.url("/i.xml"))
                site.put("/i.xml", index([site.url("/a%s.xml" % NASTY), site.url("/lost.xml")]))
                dated = dict.fromkeys(pages, "2026-01-0%d" % (day + 1)) if number else pages
                site.put("/a%3Cscript%3Ealert(1)%3C/script%3E%22onload='x'.xml",
                         urlset([(site.url(p), dated[p]) for p in sorted(dated)]))
            self.crawl("--retry", "0", *[site.url("/") for site in sites], status=None)
            self.crawl("--retry", "0", "--connect-to", "::127.0.0.1:%d" % named.port, NAMED, status=None)
            self.clock.advance(DAY)
        self.program.run("note", "127.0.0.1", "2026-01-04", "<img src=x onerror=alert(1)> \u202e")
        return sites

    def test_pages(self):
        sites = self.live()
        files = []
        for name, args in (
                ("report", ("report", "--since", "9d", "--html", "report.html")),
                ("check", ("check", "--retry", "0", "-f", "html:check.html", sites[0].url("/")))):
            path = os.path.join(self.program.folder, name + ".html")
            result = self.program.run(*args)
            self.assertIn(result.status, (0, 1), str(result))
            files.append(path)
        for name, least in (("report", "Who does what"), ("check", "What was found")):
            with open(os.path.join(self.program.folder, name + ".html"), encoding="utf-8") as f:
                self.assertIn(least, f.read())
        self.look(files)

    def test_pages_of_serve(self):
        """Pages of `serve`: links, tables, and what a page says of hostile words."""
        sites = self.live()
        self.clock.rate(1)
        process = self.program.start("serve", "--listen", "127.0.0.1:0", "--tz", "Asia/Tokyo")
        address = process.stderr.readline().decode().split()[-1]
        events = self.program.run("diff", "-f", "ndjson", "--kind", "section-launched",
                                  "127.0.0.1").records()
        at = next(calendar.timegm(time.strptime(e["at"], "%Y-%m-%dT%H:%M:%SZ")) for e in events
                  if e["type"] == "event")
        document = urllib.parse.quote(
            sites[0].url("/a%3Cscript%3Ealert(1)%3C/script%3E%22onload='x'.xml"), safe="")
        self.look([address + path for path in (
            "?days=9", "site?days=9&site=127.0.0.3", "events?days=9", "document?url=" + document,
            "event?site=127.0.0.1&days=9&kind=section-launched&at=%d" % at, "findings", "health",
            "url?url=" + urllib.parse.quote(self.program.export()[0]["loc"], safe=""))])

    def look(self, files):
        """Look at pages: none has a fault."""
        profile = os.path.join(self.program.folder, "profile")
        os.makedirs(profile)
        pictures = os.environ.get("FRESHET_PICTURES", "-")
        done = subprocess.run(
            ["node", os.path.join(BROWSER, "look.js"), self.chromium, profile, pictures] + files,
            capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL,
            env=dict(os.environ, NODE_PATH=self.modules))
        self.assertEqual(done.returncode, 0, done.stderr)
        looks = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(looks), READERS * len(files))
        for look in looks:
            with self.subTest(page=look["page"], reader=look["reader"]):
                self.assertEqual(look["faults"], [])


if __name__ == "__main__":
    unittest.main()
