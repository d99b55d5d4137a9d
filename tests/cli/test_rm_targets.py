"""Targets that are removed from a site that stays on the watch list."""
import sqlite3
import unittest

from case import index, urlset
from test_run import HOUR, Running


class RemovedTargets(Running):
    """A site with two targets: an index of two sitemaps, and another
    sitemap."""

    def setUp(self):
        super().setUp()
        self.server.put("/more.xml", urlset([self.server.url(path) for path in ("/1/0", "/new")]))
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\n")
        self.index, self.more = self.server.url("/index.xml"), self.server.url("/more.xml")
        self.add("--every", "10m", self.index, self.more)

    def remove(self, *targets):
        result = self.program.run("rm", *targets)
        self.assertEqual(result.status, 0, str(result))

    def asked_within(self, seconds):
        """Returns what is requested in that time."""
        self.server.forget()
        until = self.clock.now() + seconds
        self.clock.leap(until=until)
        self.clock.wait_until(until)
        return sorted(set(self.server.targets()))

    def taken(self, *args):
        """Returns the pages that are handed out; no results are sent for
        them."""
        result = self.program.run("due", *args)
        self.assertEqual(result.status, 0, str(result))
        return sorted(page["url"][len(self.server.url("")):] for page in result.records())

    def listed(self):
        site, = self.program.run("list", "--json").records()
        return site

    def explained(self, path, *args):
        result = self.program.run("explain", *args, self.server.url(path))
        return result.out

    def test_while_it_runs(self):
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.1")
        self.assertEqual(self.asked_within(HOUR), ["/0.xml", "/1.xml", "/index.xml", "/more.xml"])
        self.remove(self.index)
        # documents that were due a moment before are still read, one after the other
        self.asked_within(HOUR / 6)
        self.assertEqual(self.asked_within(HOUR), ["/more.xml"])
        self.assertEqual((self.listed()["sitemaps"], self.listed()["indexes"], self.listed()["urls"]),
                         (1, 0, 2))
        self.assertEqual(self.taken(), ["/1/0", "/new"])
        self.add(self.index)
        self.assertIn("/0.xml", self.asked_within(HOUR))
        self.assertEqual(len(self.taken()), 7)
        self.assertEqual(self.listed()["sitemaps"], 3)
        result = self.program.run("due", "--delay=7")
        self.assertEqual((result.status, result.out, result.err), (
            2, "", "freshet: the 'run' that holds this store has another '--delay'\n"))
        daemon.end()
        self.fsck()

    def test_targets_that_never_answered(self):
        dead = ["http://127.0.0.1:9/", "http://127.0.0.1:7/"]
        self.add(*dead)
        self.run_daemon("--once").end(None)
        self.assertEqual((self.listed()["sitemaps"], self.listed()["failing"]), (3, 2))
        self.remove(*dead)
        self.assertEqual((self.listed()["sitemaps"], self.listed()["failing"]), (3, 0))

    def test_without_a_daemon(self):
        self.run_daemon("--once").end(None)
        self.assertEqual(len(self.taken("--delay=0")), 7)
        self.remove(self.more)
        for path in ("/new", "/more.xml"):
            self.assertIn("nor a target leads to it any more", self.explained(path))
            self.assertIn('"state":"removed"', self.explained(path, "--json"))
        self.assertNotIn("taken off", self.explained("/1/0"))
        self.assertNotIn("taken off", self.explained("/index.xml"))
        self.clock.advance(90 * 24 * HOUR)
        self.assertEqual(len(self.taken("--delay=0")), 6)

    def test_the_site_begins_anew(self):
        """The site is added again with one of its targets: the other one was
        removed with the site."""
        self.run_daemon("--once").end(None)
        self.remove("127.0.0.1")
        self.add(self.more)
        self.assertEqual(self.taken("--delay=0"), ["/1/0", "/new"])
        self.server.forget()
        self.clock.advance(HOUR)
        self.run_daemon("--once").end(None)
        self.assertEqual([t for t in self.server.targets() if t != "/robots.txt"], ["/more.xml"])

    def test_what_is_found_later(self):
        """The index that stays also lists what only the removed one listed
        before."""
        self.server.put("/other.xml", index([self.server.url("/0.xml")]), etag='"one"')
        self.add(self.server.url("/other.xml"))
        self.run_daemon("--once").end(None)
        self.remove(self.index)
        self.assertEqual(self.taken("--delay=0"), ["/0/0", "/0/1", "/0/2", "/1/0", "/new"])
        self.server.put("/other.xml", index([self.server.url(p) for p in ("/0.xml", "/1.xml")]),
                        etag='"two"')
        self.clock.advance(HOUR)
        self.run_daemon("--once").end(None)
        self.assertEqual(len(self.taken("--delay=0")), 7)

    def test_dropped_by_its_index(self):
        """The document has ended: it is not requested any more, and entries
        that only it listed are gone."""
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.1")
        self.server.put("/index.xml", index([self.server.url(p) for p in ("/0.xml", "/more.xml")]),
                        etag='"two"')
        self.asked_within(HOUR)
        self.assertEqual(self.asked_within(HOUR), ["/0.xml", "/index.xml", "/more.xml"])
        daemon.end()
        self.clock.advance(HOUR)
        self.server.forget()
        self.run_daemon("--once").end(None)
        self.assertNotIn("/1.xml", self.server.targets())
        self.assertIn("nothing names it any more", self.explained("/1.xml"))
        self.assertEqual(self.taken("--delay=0"), ["/0/0", "/0/1", "/0/2", "/1/0", "/new"])
        # a target is none that an index can drop
        self.server.put("/index.xml", index([self.server.url(p) for p in ("/0.xml", "/1.xml")]),
                        etag='"one"')
        daemon = self.run_daemon()
        self.asked_within(HOUR)
        self.assertEqual(self.asked_within(HOUR), ["/0.xml", "/1.xml", "/index.xml", "/more.xml"])
        daemon.end()
        self.assertEqual(len(self.taken("--delay=0")), 7)

    def test_an_interrupted_crawl_was_for_others(self):
        self.run_daemon("--once").end(None)
        with sqlite3.connect(self.program.store) as db:
            db.execute("UPDATE site SET crawl_begun_s = ?", (int(self.clock.now()) - 1,))
        db.close()
        self.remove("127.0.0.1")
        self.add(self.more)
        self.server.forget()
        self.run_daemon("--once").end(None)
        self.assertIn("/more.xml", self.server.targets())


if __name__ == "__main__":
    unittest.main()
