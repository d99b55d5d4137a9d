"""What the end-to-end tests share."""
import gzip
import os
import unittest

import in_postgresql
from clock import Clock
from program import BINARY, HOOKED, NO_HOOKS, TOP, Program
from server import Site

SHARED = os.environ.get("FRESHET_SHARED") or os.path.join(TOP, "..", "shared")
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def document(root, entry, entries):
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<%s xmlns="%s">' % (root, NAMESPACE)]
    for e in entries:
        loc, lastmod = e if isinstance(e, tuple) else (e, None)
        date = "<lastmod>%s</lastmod>" % lastmod if lastmod else ""
        lines.append("<%s><loc>%s</loc>%s</%s>" % (entry, loc, date, entry))
    return "\n".join(lines + ["</%s>" % root]) + "\n"


def urlset(entries):
    """entries: loc, or (loc, lastmod); escaped already."""
    return document("urlset", "url", entries)


def index(entries):
    return document("sitemapindex", "sitemap", entries)


def gz(text, level=6):
    return gzip.compress(text.encode() if isinstance(text, str) else text, level, mtime=0)


class Case(unittest.TestCase):
    """A test case: self.program runs freshet, and self.site() starts a new
    scripted server."""

    maxDiff = 4000

    def setUp(self):
        if not os.access(BINARY, os.X_OK):
            self.fail("there is no binary '%s'" % BINARY)
        self.program = Program()
        if in_postgresql.SERVER:
            in_postgresql.begin(self)
        self.addCleanup(self.program.close)
        if self.program.remote is not None:
            self.addCleanup(self.program.remote.compare, self)

    def follow_clock(self, wall=1767225600):
        """From now on every process follows self.clock; time passes as usual
        unless a test moves the clock."""
        if NO_HOOKS:
            self.skipTest(NO_HOOKS)
        self.clock = Clock(self.program.folder, wall=wall)
        self.addCleanup(self.clock.close)
        self.program.binary = HOOKED
        self.program.variables.update(self.clock.variables)

    def site(self, **kwargs):
        site = Site(**kwargs)
        self.addCleanup(site.close)
        return site

    def crawl(self, *args, status=0, **kwargs):
        """Run crawl --json; the exit status must be the given one, or one of
        the given ones."""
        crawl = self.program.crawl(*args, **kwargs)
        if status is not None:
            wanted = status if isinstance(status, tuple) else (status,)
            self.assertIn(crawl.status, wanted, str(crawl))
        return crawl

    def assertFitsTerminal(self, *args):
        """Assert that no line is wider than the terminal, and that a wide one
        is made use of."""
        widths = {}
        for width in (60, 160):
            widths[width] = max(map(len, self.program.at_terminal(width, *args)))
            self.assertLessEqual(widths[width], width)
        self.assertGreater(widths[160], widths[60])

    def assertFailure(self, crawl, url, code):
        """Assert that the document was not read, and for this reason."""
        record = crawl.document(url)
        self.assertIn(record["outcome"], ("failed", "refused"), str(crawl))
        self.assertEqual(record["failure"], code, str(crawl))
        self.assertIn(code, crawl.codes(url), str(crawl))
