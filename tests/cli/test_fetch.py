"""Fetching pages: freshet fetch, and run --fetch."""
import gzip
import json
import os
import signal
import subprocess
import time

from case import Case, urlset
from daemon import Daemon

TEXT = "<p>" + "All about tea, its leaves and its seasons, in many words. " * 12 + "</p>"


def page(n, head="", body=TEXT):
    return ("<!doctype html><html lang=en><head><title>Page %s</title>"
            "<meta name=description content='About %s'>%s</head><body>%s<p>%s</p></body></html>"
            % (n, n, head, body, n))


class Fetching(Case):
    """A store with one site of a few pages."""

    def setUp(self):
        super().setUp()
        self.one = self.make("127.0.0.1", 4)

    def make(self, address, pages, robots="", **kwargs):
        site = self.site(address=address, **kwargs)
        site.put("/robots.txt", "User-agent: *\nDisallow: /private\n%sSitemap: %s\n"
                 % (robots, site.url("/s.xml")))
        for n in range(pages):
            site.put("/p%d" % n, page(n), headers=[("Content-Type", "text/html")],
                     etag='"%d"' % n)
        self.list_pages(site, ["/p%d" % n for n in range(pages)])
        self.crawl(site.url("/"))
        return site

    def list_pages(self, site, paths):
        site.put("/s.xml", urlset([site.url(path) for path in paths]))

    def fetch(self, *args, status=0):
        result = self.program.run("fetch", *args)
        self.assertEqual(result.status, status, str(result))
        return result

    def pages(self, *args, status=0):
        """The objects of the pages, by their paths."""
        records = self.fetch("--json", *args, status=status).records()
        pages = {r["url"].partition("://")[2].partition("/")[2]: r
                 for r in records if r["type"] == "page"}
        self.assertEqual(len(pages), sum(r["type"] == "page" for r in records))
        return pages


class Fetch(Fetching):
    def test_pages(self):
        result = self.fetch()
        lines = result.out.splitlines()
        self.assertEqual(sorted(lines[:4]), [
            "fetched      200  %s  Page %d" % (self.one.url("/p%d" % n), n) for n in range(4)])
        self.assertRegex(lines[4], r"^4 pages in .*, [\d.]+ kB$")
        self.assertEqual(lines[5], "    4 fetched")
        self.assertEqual(len(lines), 6)
        again = self.fetch()
        self.assertEqual(again.out, "")
        self.assertRegex(again.err, r"^freshet: nothing is due; the next may be at 2\S+Z\n$")
