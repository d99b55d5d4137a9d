"""freshet run: the daemon, against scripted servers and by the test's clock."""
import calendar
import json
import os
import pty
import resource
import signal
import socket
import time
import unittest

from case import Case, index, urlset
from clock import DAY
from daemon import Daemon
from late import assert_sooner
from nginx import free_port
from test_due import result

MINUTE = 60
HOUR = 3600


class Running(Case):
    """A daemon that follows the test's clock, and a server with two
    sitemaps."""

    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.server = self.small("127.0.0.1", 2)

    def small(self, address, children):
        """robots.txt, an index, and sitemaps with three pages each."""
        server = self.site(address=address)
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/index.xml"))
        server.put("/index.xml", index([server.url("/%d.xml" % n) for n in range(children)]),
                   etag='"index"')
        for n in range(children):
            self.publish(server, n, 3)
        return server

    def publish(self, server, number, pages):
        server.put("/%d.xml" % number, urlset([server.url("/%d/%d" % (number, n))
                                               for n in range(pages)]),
                   etag='"%d"' % pages)

    def add(self, *args):
        result = self.program.run("add", *args)
        self.assertEqual(result.status, 0, str(result))

    def run_daemon(self, *args, **kwargs):
        daemon = Daemon(self.program, *args, **kwargs)
        if "--once" not in args:
            daemon.wait("started")
        return daemon

    def first_picture(self, *args, every="10m"):
        """Start a daemon that has read the whole server."""
        self.add("--every", every, self.server.url("/"))
        daemon = self.run_daemon(*args)
        daemon.wait("crawled", site="127.0.0.1")
        return daemon

    def fsck(self):
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))


class Watching(Running):
    each_alone = True

    def test_first_picture(self):
        daemon = self.first_picture()
        event = daemon.all("crawled")[0]
        self.assertEqual((event["read"], event["failed"], event["entries"]), (3, 0, 6))
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(len(self.program.urls()), 6)
        self.fsck()

    def test_a_crawl_reads_once_what_is_due(self):
        """A site is crawled again as a whole while its documents are due."""
        for how in ((), ("--once",)):
            with self.subTest(how=how):
                self.first_picture(every="10m").end()
                self.clock.advance(HOUR)
                self.server.forget()
                self.add(self.server.url("/index.xml"))
                daemon = self.run_daemon(*how)
                event = daemon.wait("crawled", site="127.0.0.1")
                self.assertEqual((event["read"] + event["unchanged"], event["entries"]), (3, 6))
                daemon.end(None if how else signal.SIGTERM)
                self.assertEqual(sorted(t for t in self.server.targets() if t != "/robots.txt"),
                                 ["/0.xml", "/1.xml", "/index.xml"])
                self.program.run("rm", "127.0.0.1")

    def test_the_log_is_cut_at_rest(self):
        """The store's write-ahead log is truncated when nothing is written any
        more."""
        daemon = self.first_picture(every="30d")
        self.assertGreater(os.path.getsize(self.program.store + "-wal"), 0)
        self.clock.advance(HOUR)
        end = time.monotonic() + 600
        while os.path.getsize(self.program.store + "-wal") > 0:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        daemon.end()
        self.fsck()

    def test_a_change_is_picked_up(self):
        """A change is found within --every; an unchanged document costs a
        conditional request."""
        daemon = self.first_picture(every="10m")
        self.server.forget()
        self.publish(self.server, 1, 5)
        begin = self.clock.now()
        self.clock.leap(until=begin + 11 * MINUTE)
        event = daemon.wait("read", url=self.server.url("/1.xml"))
        self.assertEqual(event["added"], 2)
        self.assertIn(event["why"], ("interval", "ceiling"))
        self.clock.wait_until(begin + 11 * MINUTE)
        asked = self.server.asked("/0.xml")
        self.assertEqual(len(asked), 1)
        self.assertTrue(asked[0].is_conditional)
        self.assertEqual(asked[0].status, 304)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(len(self.program.urls()), 8)

    def test_a_new_child_is_read(self):
        daemon = self.first_picture(every="10m")
        self.publish(self.server, 2, 4)
        self.server.put("/index.xml", index([self.server.url("/%d.xml" % n) for n in range(3)]),
                        etag='"more"')
        self.clock.leap(until=self.clock.now() + 30 * MINUTE)
        daemon.wait("read", url=self.server.url("/2.xml"))
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(len(self.program.urls()), 10)

    def test_new_before_lost(self):
        """A document that was never requested does not wait for those that were
        missing."""
        dead = 900
        result = self.program.run("add", "-", input="".join(
            "http://d%03d.example/\n" % n for n in range(dead)))
        self.assertEqual(result.status, 0, str(result))
        silent = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.addCleanup(silent.close)
        daemon = self.run_daemon("--delay=0", "--connect-to", ":80:127.0.0.1:%d" % free_port())
        for _ in range(dead):
            daemon.wait("lost", timeout=600)
        self.assertEqual(daemon.end(), 143)
        self.clock.advance(HOUR)
        self.add(self.server.url("/"))
        daemon = self.run_daemon("--delay=0", "--connect-to",
                                 ":80:127.0.0.1:%d" % silent.getsockname()[1])
        daemon.wait("crawled", timeout=600)
        self.assertEqual(daemon.all("lost"), [])
        self.assertEqual(daemon.end(signal.SIGKILL), -signal.SIGKILL)

    def test_what_no_sitemap_lists(self):
        """Pages that another crawler knew are handed out. The store keeps them
        under a row that is no document: it is never requested, shown or
        counted."""
        for is_before in (True, False):
            name = "127.0.0.1" if is_before else "127.0.0.2"
            server = self.server if is_before else self.small(name, 2)
            lost = server.url("/lost")
            if is_before:
                self.program.run("import", "-", input=lost + "\n")
            self.add("--every", "10m", server.url("/"))
            daemon = self.run_daemon()
            daemon.wait("crawled", site=name)
            if not is_before:
                result = self.program.run("import", "-", input=lost + "\n")
                self.assertIn("1 that no sitemap here lists", result.out)
            end = self.clock.now() + HOUR
            self.clock.leap(until=end)
            self.clock.wait_until(end)
            pages = self.program.run("due", "-n", "50", "-f", "urls", name).out.split()
            self.assertIn(lost, pages)
            self.assertEqual(daemon.end(), 143)
            self.assertNotIn("/", server.targets())
            documents = self.program.run("ls", "--sitemaps", "-f", "urls", name).out
            self.assertNotIn(server.url("/") + "\n", documents)
            record, = self.program.run("list", "--json", name).records()
            self.assertEqual((record["sitemaps"], record["failing"]), (2, 0))
        self.fsck()

    def test_added_while_it_runs(self):
        daemon = self.first_picture()
        other = self.small("127.0.0.2", 1)
        self.add("--every", "10m", other.url("/"))
        daemon.wait("added", site="127.0.0.2")
        daemon.wait("crawled", site="127.0.0.2")
        other.forget()
        result = self.program.run("rm", "127.0.0.2")
        self.assertEqual(result.status, 0, str(result))
        daemon.wait("removed", site="127.0.0.2")
        begin = self.clock.now()
        self.clock.leap(until=begin + HOUR)
        self.clock.wait_until(begin + HOUR)
        self.assertEqual(other.requests, [])
        self.assertEqual(daemon.end(), 143)

    def test_a_crawl_joins(self):
        """A crawl of a site that is not on the watch list: the frontier learns
        what the crawl reads."""
        daemon = self.first_picture()
        other = self.small("127.0.0.2", 1)
        crawl = self.crawl(other.url("/"))
        self.assertEqual(len(crawl.sitemaps()), 2, str(crawl))
        self.server.forget()
        crawl = self.crawl(self.server.url("/"))
        self.assertEqual(crawl.summary["documents"]["unchanged"], 3, str(crawl))
        # what was just looked at is not looked at again at once
        self.server.forget()
        begin = self.clock.now()
        self.clock.leap(until=begin + 5 * MINUTE)
        self.clock.wait_until(begin + 5 * MINUTE)
        self.assertEqual(self.server.targets(), [])
        self.assertEqual(daemon.end(), 143)

    def test_a_dead_site_comes_back(self):
        dead = self.site(address="127.0.0.3")
        port = dead.port
        dead.close()
        self.add("http://127.0.0.3:%d/" % port)
        daemon = self.run_daemon()
        self.clock.leap()
        first = daemon.wait("lost", site="127.0.0.3")
        second = daemon.wait("lost", site="127.0.0.3")
        self.assertGreater(second["next"], first["next"])
        self.clock.hold()
        site, = self.program.run("list", "-l", "--json").records()
        last = daemon.all("lost")[-1]
        self.assertEqual((site["state"], site["next_try"], site["next_reading"]),
                         ("lost", last["next"], last["next"]))
        self.assertLessEqual(site["lost_since"], first["at"])
        self.assertGreaterEqual(site["failing"], 1, "its robots.txt")
        self.assertIn("not found since %s, next try %s" % (site["lost_since"], last["next"]),
                      self.program.run("list").out)
        explained = self.program.run("explain", "127.0.0.3:%d" % port).out
        self.assertIn("not found  nothing is found at its site since %s; 'run' tries again %s\n"
                      % (site["lost_since"], last["next"]), explained)
        self.assertIn("robots.txt cannot be had: no answer", explained)
        self.clock.leap()
        alive = self.site(address="127.0.0.3", port=port)
        alive.put("/sitemap.xml", urlset([alive.url("/a")]))
        event = daemon.wait("crawled", site="127.0.0.3")
        self.assertEqual(event["entries"], 1)
        self.assertEqual(daemon.end(), 143)

    def test_robots_names_another(self):
        """Later robots.txt names another sitemap, to which nothing else
        leads."""
        daemon = self.first_picture(every="1h")
        server = self.server
        server.put("/other.xml", urlset([server.url("/z")]))
        server.put("/robots.txt", "Sitemap: %s\nSitemap: %s\n"
                   % (server.url("/index.xml"), server.url("/other.xml")))
        self.clock.leap()
        server.wait_for("/other.xml")
        self.assertEqual(daemon.end(), 143)

    def test_found_elsewhere(self):
        """From some time on, the sitemap is at another default location."""
        server = self.site(address="127.0.0.3")
        server.put("/sitemap.xml", urlset([server.url("/a")]))
        self.add(server.url("/"))
        daemon = self.run_daemon()
        self.clock.leap()
        daemon.wait("crawled", site="127.0.0.3")
        server.drop("/sitemap.xml")
        server.put("/sitemap_index.xml", index([server.url("/new.xml")]))
        server.put("/new.xml", urlset([server.url("/a"), server.url("/b")]))
        begin = self.clock.now()
        event = daemon.wait("crawled", site="127.0.0.3")
        self.assertEqual(event["entries"], 2)
        self.assertLess(self.clock.now() - begin, 10 * DAY)
        self.assertEqual(daemon.end(), 143)

    def test_due_while_it_is_crawled(self):
        """A sitemap becomes due while another one delays the crawl."""
        self.server.replies["/1.xml"].delay = 2
        self.add("--every", "1s", self.server.url("/"))
        daemon = self.run_daemon()
        self.clock.rate(1)
        daemon.wait("crawled", site="127.0.0.1")
        self.server.forget()
        self.server.wait_for("/0.xml")
        self.assertEqual(daemon.end(), 143)

    def test_keep(self):
        """Older history is removed while the daemon runs, but not the current
        state."""
        daemon = self.first_picture("--keep", "1d")
        begin = self.clock.now()
        self.clock.leap(until=begin + 4 * DAY)
        self.clock.wait_until(begin + 4 * DAY)
        self.assertEqual(daemon.end(), 143)
        count, first_s = map(int, self.program.run(
            "sql", "-f", "csv", "SELECT count(*), min(at_s) FROM reading WHERE outcome = 'unchanged'"
        ).out.split("\n")[1].split(","))
        self.assertGreater(count, 100)
        self.assertGreater(first_s, begin + 3 * DAY - HOUR)
        self.assertEqual(len(self.program.urls()), 6)
        self.fsck()

    def test_failing_in_peace(self):
        """A document that fails is past its ceiling, and is still requested
        only with pauses."""
        daemon = self.first_picture(every="1h")
        self.server.close()
        begin = self.clock.now()
        self.clock.leap()
        for _ in range(30):
            daemon.wait("failed")
        self.assertGreater(self.clock.now() - begin, 3 * HOUR)
        self.assertEqual(daemon.end(), 143)

    def test_a_dead_site_is_let_be(self):
        """Only the crawls of the whole site ask a dead site, and they do so
        less and less often."""
        self.server.put("/robots.txt", b"", status=500)
        self.add(self.server.url("/"))
        daemon = self.run_daemon()
        daemon.wait("lost")
        begin = self.clock.now()
        self.clock.leap(until=begin + 20 * DAY, stride=600)
        self.clock.wait_until(begin + 20 * DAY)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual({e["why"] for e in daemon.all("failed")}, {"crawl"})
        self.assertEqual(len(daemon.all("failed")), len(daemon.all("lost")))
        self.assertLess(len(daemon.all("lost")), 14)
        self.fsck()


class Limits(Running):
    def index(self, children):
        self.server.put("/index.xml", index([self.server.url("/%d.xml" % n)
                                             for n in range(children)]),
                        etag='"of %d"' % children)
        for n in range(children):
            self.publish(self.server, n, 3)
        self.clock.leap(until=self.clock.now() + 30 * MINUTE)

    def test_site_urls(self):
        """A site that lists enough URLs gets no more sitemaps; those that are
        known are still read."""
        daemon = self.first_picture("--max-site-urls", "8")
        self.index(3)
        daemon.wait("read", url=self.server.url("/2.xml"))
        self.assertEqual(daemon.wait("problem")["code"], "budget-reached")
        self.index(4)
        daemon.wait("read", url=self.server.url("/index.xml"))
        self.publish(self.server, 2, 5)
        self.clock.leap(until=self.clock.now() + 30 * MINUTE)
        daemon.wait("read", url=self.server.url("/2.xml"))
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.server.asked("/3.xml"), [])
        daemon = self.run_daemon("--max-site-urls", "8")
        # where time stands when the first daemon ends, all may have been read a moment ago
        self.clock.leap(until=self.clock.now() + 30 * MINUTE)
        daemon.wait("unchanged")
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.server.asked("/3.xml"), [])
        daemon = self.run_daemon()
        self.clock.leap(until=self.clock.now() + 30 * MINUTE)
        daemon.wait("read", url=self.server.url("/3.xml"))
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(len(self.program.urls()), 14)


class OtherHosts(Running):
    """Pages of a host whose robots.txt was needed by no reading."""

    def setUp(self):
        super().setUp()
        self.other = self.site(address="127.0.0.2")
        self.pages = ["http://other.example/" + page for page in ("p0", "p1", "p2", "private/x")]
        self.server.put("/0.xml", urlset(self.pages), etag='"0"')
        self.server.put("/1.xml", urlset([]), etag='"1"')
        self.own = ("--own", "http://other.example/", "--own", self.server.url("/"))
        self.options = self.own + (
            "--connect-to", "other.example:80:127.0.0.2:%d" % self.other.port)

    def follows(self, pages):
        """Assert that `run` reads the robots.txt of the other host, once, as
        soon as a page of this host is due."""
        daemon = self.first_picture("--delay", "0", *self.options)
        self.assertEqual(self.other.requests, [])
        due = self.program.run("due", "--wait", "20s", timeout=600)
        self.assertEqual(sorted(page["url"] for page in due.records()), sorted(pages),
                         str(daemon))
        self.assertEqual(len(self.other.asked("/robots.txt")), 1)
        self.assertEqual(daemon.end(), 143)
        self.fsck()

    def test_rules(self):
        self.other.put("/robots.txt", "User-agent: *\nDisallow: /private\n")
        self.follows(self.pages[:3])

    def test_no_rules(self):
        self.follows(self.pages)

    def test_without_a_daemon(self):
        self.other.put("/robots.txt", "User-agent: *\nDisallow: /private\n")
        self.crawl(*self.options, self.server.url("/"))
        self.assertEqual(self.program.run("due").out, "")
        explained = self.program.run("explain", *self.own, self.pages[0])
        self.assertIn("'crawl' of that host", explained.out)
        self.crawl(*self.options, "http://other.example/robots.txt", status=None)
        self.assertEqual(len(self.program.run("due", "--delay", "0").records()), 3)


class Holds(Running):
    """Hosts that are held, and the reasons."""

    def test_ordered(self):
        daemon = self.first_picture()
        begin = self.clock.now()
        self.program.run("hold", "127.0.0.1", "--for", "2m")
        event = daemon.wait("hold", host="127.0.0.1")
        self.assertEqual(event["why"], "order")
        self.assertIn("until", event)
        site, = self.program.run("list", "-l", "--json").records()
        self.assertEqual((site["state"], site["held_until"]), ("held", event["until"]))
        self.assertGreaterEqual(site["next_reading"], event["until"])
        self.assertIn("  held until " + event["until"], self.program.run("list").out)
        self.clock.leap(until=begin + 3 * MINUTE)
        daemon.wait("hold-over", host="127.0.0.1")
        self.program.run("hold", "127.0.0.1", "--for", "2m")
        self.program.run("hold", "127.0.0.1", "--for", "0")
        daemon.wait("hold-over", host="127.0.0.1")
        self.assertEqual(daemon.end(), 143)

    def test_asked_for(self):
        daemon = self.first_picture()
        page, = self.program.run("due", "-n", "1").records()
        self.program.run("done", input=result(page, status=503, retry_after=600) + "\n")
        self.assertEqual(daemon.wait("hold", host="127.0.0.1")["why"], "retry-after")
        self.assertEqual(daemon.end(), 143)
        daemon = self.run_daemon()
        self.assertEqual(daemon.all("hold", host="127.0.0.1")[0]["why"], "before")
        self.assertEqual(daemon.end(), 143)

    def test_pages_fail(self):
        """Three pages fail: pages wait, but sitemaps do not. After 429
        everything waits."""
        daemon = self.first_picture(every="5m")
        pages = self.program.run("due", "-n", "4").records()
        self.program.run("done", input="".join(result(page, status=500) + "\n"
                                               for page in pages[:3]))
        event = daemon.wait("hold", host="127.0.0.1")
        self.assertEqual((event["what"], event["why"]), ("pages", "failures"))
        site, = self.program.run("list", "--json").records()
        self.assertEqual((site["state"], site["held_until"], site["pages_held_until"]),
                         ("pages-held", None, event["until"]))
        self.assertIn("  pages held until " + event["until"], self.program.run("list").out)
        self.assertEqual(self.program.run("hold").out,
                         "127.0.0.1  has its pages held until %s\n" % event["until"])
        held, = self.program.run("hold", "--json").records()
        self.assertEqual((held["until"], held["pages_until"]), (None, event["until"]))
        page, document = [self.program.run("explain", url, "--json").records()[-1]["due"][0]
                          for url in (pages[0]["url"], self.server.url("/0.xml"))]
        self.assertEqual((page["state"], page["held_until"], page["held_with_pages"]),
                         ("held", event["until"], True))
        self.assertEqual((document["state"], document["held_until"]), ("later", None))
        self.assertIn("pages of its host failed: they are held until 20",
                      " ".join(self.program.run("explain", pages[0]["url"]).out.split()))
        self.assertEqual(self.program.run("due").out, "")
        self.assertEqual(daemon.end(), 143)

        # held for an hour, while the sitemaps are read
        self.program.change("UPDATE hold SET pages_until_s = pages_until_s + 3600")
        daemon = self.run_daemon()
        event = daemon.all("hold", host="127.0.0.1")[0]
        self.assertEqual((event["what"], event["why"]), ("pages", "before"))
        self.clock.leap(until=self.clock.now() + 10 * MINUTE)
        daemon.wait("unchanged", url=self.server.url("/0.xml"))
        self.clock.hold()
        self.assertEqual(self.program.run("due").out, "")
        self.program.run("done", input=json.dumps({"url": pages[3]["url"], "status": 429}) + "\n")
        event = daemon.wait("hold", host="127.0.0.1", what="all")
        self.assertEqual(event["why"], "limited")
        site, = self.program.run("list", "--json").records()
        self.assertEqual((site["state"], site["held_until"]), ("held", event["until"]))
        self.assertGreater(site["pages_held_until"], event["until"])
        self.assertRegex(self.program.run("hold").out, "  is held until .*, its pages until ")
        self.program.run("hold", "127.0.0.1", "--for", "0")
        daemon.wait("hold-over", host="127.0.0.1", what="pages")
        self.assertIn("no host is held", self.program.run("hold").err)
        self.assertEqual(daemon.end(), 143)


class Clocks(Running):
    def test_suspended(self):
        """The monotonic clock stands still while the wall clock goes on by a
        day."""
        daemon = self.first_picture(every="1h")
        self.server.forget()
        self.clock.step(wall=DAY)
        self.clock.leap(until=self.clock.now() + 10 * MINUTE)
        self.assertAlmostEqual(daemon.wait("clock")["jump_s"], DAY, delta=5)
        self.server.wait_for("/0.xml")
        self.assertEqual(daemon.end(), 143)

    def test_set_back(self):
        """The clock goes back by a year: nothing hangs."""
        daemon = self.first_picture(every="1h")
        self.clock.step(wall=-365 * DAY)
        self.clock.leap(until=self.clock.now() + 3 * HOUR)
        daemon.wait("clock")
        self.server.forget()
        self.server.wait_for("/0.xml")
        self.assertEqual(daemon.end(), 143)
        self.fsck()


class Signals(Running):
    def test_terminate_and_interrupt(self):
        for number, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            daemon = self.first_picture() if number == signal.SIGTERM else self.run_daemon()
            self.assertEqual(daemon.end(number), status)
            self.assertTrue(daemon.all("stopping"), str(daemon))
            self.assertEqual(daemon.events[-1]["event"], "stopped", str(daemon))

    def test_end_in_the_middle(self):
        """Readings under way are stored or given up; a second signal ends the
        daemon at once."""
        self.server.replies["/1.xml"].delay = 30
        self.add(self.server.url("/"))
        for times in (1, 2):
            daemon = self.run_daemon()
            self.server.forget()
            self.server.wait_for("/1.xml")
            begin = time.monotonic()
            for _ in range(times):
                daemon.send(signal.SIGTERM)
                time.sleep(0.1)
            self.assertEqual(daemon.end(None), 143)
            assert_sooner(time.monotonic() - begin, 8 if times == 1 else 2)
            self.fsck()

    def test_killed(self):
        daemon = self.first_picture(every="10m")
        daemon.process.kill()
        daemon.process.wait(600)
        self.fsck()
        self.server.forget()
        daemon = self.run_daemon()
        begin = self.clock.now()
        self.clock.leap(until=begin + 5 * MINUTE)
        self.clock.wait_until(begin + 5 * MINUTE)
        self.assertEqual(self.server.targets(), [], "it was read a moment ago")
        self.clock.leap(until=begin + 15 * MINUTE)
        self.server.wait_for("/0.xml")
        self.assertTrue(self.server.asked("/0.xml")[0].is_conditional)
        self.assertEqual(daemon.end(), 143)

    def configure(self, text):
        """Returns the path of a configuration with this text."""
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\n" + text)
        return path

    def agents(self):
        """Returns which agents made the requests from now on."""
        self.server.forget()
        self.clock.leap(until=self.clock.now() + 20 * MINUTE)
        self.server.wait_for("/0.xml")
        return {request.header("User-Agent") for request in self.server.requests}

    def test_closed_terminal(self):
        """The daemon ends with its terminal. While the terminal is there,
        SIGHUP reloads the configuration."""
        self.add(self.server.url("/"))
        child, terminal = pty.fork()
        if child == 0:
            os.execve(self.program.binary, [self.program.binary, "run"],
                      self.program.environment())
        self.addCleanup(self.reap, child)
        said = b""
        while b"crawled" not in said:
            said += os.read(terminal, 4096)
        os.kill(child, signal.SIGHUP)
        while b"reloaded" not in said:
            said += os.read(terminal, 4096)
        os.close(terminal)
        begin = time.monotonic()
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            assert_sooner(time.monotonic() - begin, 20, "it goes on without a terminal")
            time.sleep(0.05)

    @staticmethod
    def reap(child):
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def test_reload(self):
        daemon = self.first_picture("--config", self.configure("user-agent = one\n"))
        self.configure("user-agent = two\nno-such-key = 1\n")
        daemon.send(signal.SIGHUP)
        event = daemon.wait("reload-failed")
        self.assertIn("no-such-key", event["text"])
        self.assertEqual(event["read"], 3)
        self.configure("user-agent = two\n")
        daemon.send(signal.SIGHUP)
        self.assertEqual(daemon.wait("reloaded")["read"], 3, "of all that it did")
        self.assertEqual(self.agents(), {"two"})
        # others find it still
        self.add("127.0.0.9")
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(len(daemon.lines), len(daemon.events), str(daemon))
        self.assertGreaterEqual(daemon.events[-1]["read"], 3)

    def test_reload_of_keys(self):
        """Keys that cannot be read leave the old ones in force."""
        folder = os.path.join(self.program.folder, "keys")
        self.assertEqual(self.program.run("identity", "new", folder).status, 0)
        key = os.path.join(folder, os.listdir(folder)[0])
        daemon = self.first_picture("--config", self.configure("identity = %s\n" % folder))
        for mode, event in ((0o644, "reload-failed"), (0o600, "reloaded")):
            os.chmod(key, mode)
            daemon.send(signal.SIGHUP)
            text = daemon.wait(event).get("text", "")
            self.assertEqual("key-readable" in text, mode == 0o644, text)
        self.assertEqual(daemon.end(), 143)

    def test_each_line_is_json(self):
        """Each line is JSON, also when the daemon cannot start, and when no
        JSON was asked for."""
        config = os.path.join(self.program.folder, "bad.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write("[defaults]\ndelay = 2x\n")
        for words in ((), ("--log", "json")):
            result = self.program.run("run", "--config", config, *words)
            self.assertEqual(result.status, 2, str(result))
            event, = [json.loads(line) for line in result.err.splitlines()]
            self.assertEqual((event["v"], event["type"], event["event"]), (1, "log", "error"))
            self.assertIn("bad.conf:2: 'delay' takes a time", event["text"])
        result = self.program.run("run", "--config", config, "--log=text")
        self.assertTrue(result.err.startswith("freshet: "), str(result))

    def test_reload_twice(self):
        """Changes that were written while the first reload waited for its
        requests are read, too."""
        daemon = self.first_picture("--config", self.configure("user-agent = one\n"))
        self.clock.rate(1)
        self.server.replies["/1.xml"].delay = 1
        self.server.forget()
        self.clock.advance(11 * MINUTE)
        self.server.wait_for("/1.xml")
        for name in ("two", "three"):
            self.configure("user-agent = %s\n" % name)
            daemon.send(signal.SIGHUP)
            time.sleep(0.2)
        daemon.wait("reloaded")
        self.server.replies["/1.xml"].delay = 0
        self.assertEqual(self.agents(), {"three"})
        self.assertEqual(daemon.end(), 143)

    def test_another_store(self):
        """The store cannot be changed while the daemon has it open."""
        store = self.program.environment()["FRESHET_STORE"]
        self.program.variables["FRESHET_STORE"] = None
        config = self.configure("store = %s\n" % store)
        self.add("--config", config, "--every", "10m", self.server.url("/"))
        daemon = self.run_daemon("--config", config)
        daemon.wait("crawled")
        self.configure("store = %s.other\n" % store)
        daemon.send(signal.SIGHUP)
        daemon.wait("reload-failed")
        self.configure("store = %s\n" % store)
        self.add("--config", config, "127.0.0.9")
        daemon.wait("added")
        self.assertEqual(daemon.end(), 143)

    def test_hangup_at_first(self):
        """SIGHUP while the store is being opened does not end the daemon."""
        self.add(self.server.url("/"))
        lock = self.program.store + ".lock"
        for _ in range(5):
            os.unlink(lock)
            daemon = Daemon(self.program)
            while not os.path.exists(lock):
                pass
            daemon.send(signal.SIGHUP)
            daemon.wait("started")
            self.assertEqual(daemon.end(), 143)

    def test_idle_and_full(self):
        """A hold cannot be written: the daemon ends, although it is idle."""
        daemon = self.first_picture(every="7d")
        resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (4096, 4096))
        self.assertEqual(self.program.run("hold", "127.0.0.1", "--for", "1h").status, 7)
        self.assertEqual(daemon.process.wait(timeout=600), 7)

    def test_store_removed(self):
        """The daemon does not go on writing to a removed file."""
        daemon = self.first_picture()
        for name in os.listdir(self.program.folder):
            if name.startswith("store.db"):
                os.unlink(os.path.join(self.program.folder, name))
        self.clock.leap()
        self.assertEqual(daemon.process.wait(timeout=600), 6)

    def test_only_one(self):
        daemon = self.first_picture()
        second = self.program.run("run", timeout=600)
        self.assertEqual(second.status, 5, str(second))
        event, = [json.loads(line) for line in second.err.splitlines()]
        self.assertEqual(event["event"], "error")
        self.assertIn("store-locked", event["text"])
        self.assertEqual(daemon.end(), 143)


class Once(Running):
    def once(self, status, *args):
        daemon = self.run_daemon("--once", *args)
        self.clock.leap()
        self.assertEqual(daemon.end(None), status, str(daemon))
        self.clock.hold()
        return daemon

    def test_all_is_well(self):
        self.add("--every", "10m", self.server.url("/"))
        self.once(0)
        self.assertEqual(len(self.program.urls()), 6)
        self.server.forget()
        daemon = self.once(0)
        self.assertEqual(self.server.targets(), [], "nothing was due")
        idle, = daemon.all("nothing-due")
        self.assertIn("'freshet crawl SITE'", idle["text"])
        next_s = calendar.timegm(time.strptime(idle["next"], "%Y-%m-%dT%H:%M:%SZ"))
        self.assertTrue(0 < next_s - self.clock.now() <= 10 * MINUTE, idle)
        self.clock.advance(20 * MINUTE)
        self.publish(self.server, 0, 4)
        self.assertEqual(self.once(0).all("nothing-due"), [])
        self.assertEqual(len(self.program.urls()), 7)

    def test_robots_fails(self):
        """What fails first is no reason to read again what was due with it."""
        self.add("--every", "1d", self.server.url("/"))
        self.once(0)
        self.server.put("/robots.txt", b"<!doctype html><html><body>hi</body></html>")
        for path in "/index.xml", "/0.xml", "/1.xml":
            self.server.replies[path].delay = 0.1
        for _ in range(2):
            self.server.forget()
            self.clock.advance(24 * HOUR + 10)
            self.once(1)
            self.assertEqual(sorted(self.server.targets(robots=True)),
                             ["/0.xml", "/1.xml", "/index.xml", "/robots.txt"])

    def keep_budget(self, *args):
        """Six requests an hour, over many processes."""
        self.once(0, *args)
        begin = self.clock.now()
        self.server.forget()
        rounds = 0
        while self.clock.now() < begin + HOUR:
            self.clock.advance(2 * MINUTE)
            self.once(0, *args)
            rounds += 1
        self.assertGreater(rounds, 12)
        self.assertTrue(5 <= len(self.server.targets()) <= 7, self.server.targets())

    def test_budget_of_a_site(self):
        self.add("--every", "1m", "--budget", "6/h", self.server.url("/"))
        self.keep_budget()

    def test_budget_of_all(self):
        self.add("--every", "1m", self.server.url("/"))
        self.keep_budget("--total-budget", "6/h")

    def test_some_fail(self):
        self.server.put("/1.xml", b"", status=404)
        self.add(self.server.url("/"))
        self.once(1)

    def test_nothing_answers(self):
        self.server.close()
        self.add(self.server.url("/"))
        self.once(4)

    def test_nothing_is_watched(self):
        self.add(self.server.url("/"))
        self.program.run("rm", "127.0.0.1")
        daemon = self.once(0)
        self.assertTrue(any("empty" in e["text"] for e in daemon.all("warning")), str(daemon))


class Manager(Running):
    """What systemd is told, and the form of the log."""

    def listen(self):
        path = os.path.join(self.program.folder, "notify")
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(path)
        self.notify.settimeout(600)
        self.addCleanup(self.notify.close)
        return path

    def hear(self, text):
        while True:
            heard = self.notify.recv(4096).decode()
            if text in heard:
                return heard

    def test_notify(self):
        path = self.listen()
        self.add("--every", "10m", self.server.url("/"))
        daemon = self.run_daemon(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000"})
        self.assertIn("STATUS=1 site, 0 documents read, ", self.hear("READY=1"))
        for _ in range(3):
            self.hear("WATCHDOG=1")
        daemon.send(signal.SIGHUP)
        self.assertIn("MONOTONIC_USEC=", self.hear("RELOADING=1"))
        self.hear("READY=1")
        daemon.send(signal.SIGTERM)
        self.hear("STOPPING=1")
        self.assertEqual(daemon.end(None), 143)

    def test_stopped_is_not_alive(self):
        """The watchdog is told that the loop runs, not only that the process
        exists."""
        path = self.listen()
        daemon = self.run_daemon(env={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"})
        self.hear("WATCHDOG=1")
        daemon.send(signal.SIGSTOP)
        time.sleep(0.3)
        self.notify.setblocking(False)
        while True:
            try:
                self.notify.recv(4096)
            except BlockingIOError:
                break
        time.sleep(0.5)
        self.assertRaises(BlockingIOError, self.notify.recv, 4096)
        daemon.send(signal.SIGCONT)
        self.notify.settimeout(600)
        self.hear("WATCHDOG=1")
        self.assertEqual(daemon.end(), 143)

    def test_contact(self):
        daemon = self.first_picture()
        self.assertTrue(any("contact" in e["text"] for e in daemon.all("warning")), str(daemon))
        self.assertEqual(daemon.end(), 143)
        daemon = self.run_daemon("--contact", "https://bot.example/")
        self.assertEqual(daemon.all("warning"), [])
        self.assertEqual(daemon.end(), 143)

    def test_text(self):
        self.server.put("/robots.txt", b"Sitemap: /\x1b[2Jx.xml\nSitemap: %s\n"
                        % self.server.url("/0.xml").encode())
        self.add(self.server.url("/"))
        daemon = Daemon(self.program, "--log", "text", log=False)
        ends = time.monotonic() + 600
        while not any(" crawled " in line for line in daemon.lines) and time.monotonic() < ends:
            time.sleep(0.02)
        self.assertEqual(daemon.end(), 143)
        text = "\n".join(daemon.lines)
        self.assertRegex(text, " crawled (shard=0 )?site=127.0.0.1 ")
        self.assertNotIn("\x1b", text)
        for line in daemon.lines:
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z-]+( \w+=.+)*$")


if __name__ == "__main__":
    unittest.main()
