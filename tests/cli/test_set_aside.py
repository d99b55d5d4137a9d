"""A site whose documents were being read when a bug ended the process, twice in
a row, is set aside."""
import os
import signal

from test_run import HOUR, MINUTE, Running

BAD = "127.0.0.2"
FAULTS = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)


class Aside(Running):
    """The main process of a binary with hooks gets a signal when it has read a
    document of a site."""

    def setUp(self):
        super().setUp()
        self.bad = self.small(BAD, 1)
        self.mark = self.program.store + ".abort"

    def bug(self, site=BAD, number=signal.SIGABRT):
        return {"FRESHET_TEST_BUG": "%d:%s" % (number, site)}

    def add_both(self):
        self.add("--every", "10m", self.server.url("/"), self.bad.url("/"))

    def start_ends(self, site=BAD, number=signal.SIGABRT):
        """Start the daemon, which such a bug ends; returns its log."""
        daemon = self.run_daemon("--delay=0", env=self.bug(site, number))
        status = daemon.end(None)
        self.assertEqual(status, 9 if number == signal.SIGABRT else -number, str(daemon))
        return daemon

    def states(self):
        records = self.program.run("list", "--json").records()
        return {r["site"]: r["state"] for r in records if r["type"] == "site"}

    def assert_bad_is_aside(self, daemon):
        daemon.wait("crawled", site="127.0.0.1")
        problem, = daemon.all("problem", code="site-set-aside")
        self.assertEqual(problem["site"], BAD)
        self.assertIn("freshet hold %s --for 0" % BAD, problem["text"])
        self.assertEqual(self.states(), {"127.0.0.1": "ok", BAD: "set-aside"})
        self.assertIn("set aside until 2026-01-31", self.program.run("list").out)


class New(Aside):
    """A site that is new on the list is crawled as a whole."""

    def test_twice_in_a_row(self):
        self.add_both()
        self.start_ends()
        daemon = self.start_ends(number=signal.SIGSEGV)
        self.assertIn("signal 6", str(daemon.all("warning")))
        self.assertIn(BAD, str(daemon.all("warning")))
        self.bad.forget()
        daemon = self.run_daemon(env=self.bug())
        self.assert_bad_is_aside(daemon)
        end = self.clock.now() + 2 * HOUR
        self.clock.leap(until=end)
        self.clock.wait_until(end)
        self.assertEqual(self.bad.requests, [])
        self.assertEqual(daemon.end(), 143)
        self.assertFalse(os.path.exists(self.mark))
        self.fsck()

    def test_each_fault_leaves_a_mark(self):
        for number in FAULTS:
            crawl = self.program.crawl(self.bad.url("/"), env=self.bug(number=number))
            self.assertEqual(crawl.status, 9 if number == signal.SIGABRT else -number, str(crawl))
            with open(self.mark, encoding="ascii") as f:
                self.assertEqual(f.read(), "freshet-abort 2 %d %s\n" % (number, BAD))
            os.unlink(self.mark)

    def test_the_operator_has_it_back(self):
        self.add_both()
        self.start_ends()
        self.start_ends()
        daemon = self.run_daemon()
        self.assert_bad_is_aside(daemon)
        self.assertEqual(self.program.run("hold", BAD, "--for", "0").status, 0)
        self.assertEqual(self.states()[BAD], "new")
        self.clock.leap(until=self.clock.now() + HOUR)
        daemon.wait("crawled", site=BAD)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.states()[BAD], "ok")
        daemon = self.run_daemon()
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(daemon.all("problem", code="site-set-aside"), [])

    def test_it_is_over_by_itself(self):
        self.add_both()
        self.start_ends()
        self.start_ends()
        self.assert_bad_is_aside(self.run_daemon())
        self.clock.advance(31 * 24 * HOUR)
        self.assertNotEqual(self.states()[BAD], "set-aside")

    def test_crawl(self):
        """The other sites of a command are read; a site that was set aside
        counts as a lost target if it is the only one."""
        targets = (self.bad.url("/"), self.server.url("/"))
        for _ in range(2):
            crawl = self.program.crawl("--delay", "0", *targets, env=self.bug())
            self.assertEqual(crawl.status, 9, str(crawl))
        self.bad.forget()
        crawl = self.crawl("--delay", "0", *targets, status=1)
        # the index may have been committed before the bug came
        already = crawl.summary["documents"]["already"]
        self.assertEqual(len(crawl.sitemaps()) + already, 3, str(crawl))
        self.assertIn("site-set-aside", str(crawl))
        self.crawl(self.bad.url("/index.xml"), status=4)
        self.assertEqual(self.bad.requests, [])

    def test_killed(self):
        """SIGKILL is no bug, and it is not known which site was being read."""
        self.add_both()
        for _ in range(3):
            self.start_ends(number=signal.SIGKILL)
            self.assertFalse(os.path.exists(self.mark))
        self.start_ends()
        self.start_ends(number=signal.SIGKILL)
        self.start_ends()
        daemon = self.run_daemon()
        daemon.wait("crawled", site=BAD)
        self.assertEqual(daemon.end(), 143)

    def test_ended_well_between(self):
        self.add_both()
        self.start_ends()
        self.assertEqual(self.run_daemon().end(), 143)
        self.start_ends()
        daemon = self.run_daemon()
        daemon.wait("crawled", site=BAD)
        self.assertEqual(daemon.end(), 143)

    def test_two_take_turns(self):
        """If two sites cause aborts in turn, each abort counts for the site
        that was being read."""
        self.small("127.0.0.3", 1)
        other = self.small("127.0.0.3", 1)
        self.add_both()
        self.add("--every", "10m", other.url("/"))
        self.start_ends(BAD)
        self.start_ends("127.0.0.3")
        self.start_ends(BAD)
        self.start_ends("127.0.0.3")
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.1")
        self.assertEqual(self.states(), {"127.0.0.1": "ok", BAD: "set-aside",
                                         "127.0.0.3": "set-aside"})
        self.assertEqual(daemon.end(), 143)

    def test_full_mark(self):
        """Each line of a full mark still counts, and the latest line is kept."""
        self.add_both()
        with open(self.mark, "w", encoding="ascii") as f:
            f.write("freshet-abort 2 6 %s\n" % BAD)
            f.write("freshet-abort 2 6 h%d.example\n" * 300 % tuple(range(300)))
        self.start_ends()
        with open(self.mark, encoding="ascii") as f:
            lines = f.read().splitlines()
        self.assertTrue(50 < len(lines) < 300, len(lines))
        self.assertEqual(lines[-1], "freshet-abort 2 6 " + BAD)
        self.start_ends()
        self.assert_bad_is_aside(self.run_daemon())

    def test_marks_that_make_no_sense(self):
        self.add_both()
        twice = b"freshet-abort 2 6 127.0.0.2\n"
        for text in (b"", b"\0" * 5000, b"freshet-abort", b"freshet-abort 2 6", twice[:-1],
                     twice + twice[:-1], b"\0" + twice + twice, b"x\n" + twice + twice,
                     b"freshet-abort 1 6 127.0.0.2\n127.0.0.2 2\n",
                     b"freshet-abort 2 6 " + b"a" * 300 + b"\n" + twice + twice,
                     b"freshet-abort 2 6 %00\nfreshet-abort 2 6 %00\n",
                     b"freshet-abort 2 -6 127.0.0.2\n" + twice + twice):
            with open(self.mark, "wb") as f:
                f.write(text)
            self.assertEqual(self.program.run("crawl", self.server.url("/")).status, 0, text)
            self.assertFalse(os.path.exists(self.mark), text)
            self.assertEqual(self.states()[BAD], "new")
        os.mkdir(self.mark)
        self.assertEqual(self.program.run("crawl", self.server.url("/")).status, 0)


class Known(Aside):
    """A site that was read before is read document by document."""

    def test_twice_in_a_row(self):
        self.add_both()
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.1")
        if not daemon.all("crawled", site=BAD):
            daemon.wait("crawled", site=BAD)
        self.assertEqual(daemon.end(), 143)
        for number in range(2):
            self.publish(self.bad, 0, 4 + number)
            self.clock.advance(HOUR)
            self.start_ends()
        self.bad.forget()
        self.publish(self.server, 0, 5)
        daemon = self.run_daemon()
        end = self.clock.now() + 30 * MINUTE
        self.clock.leap(until=end)
        daemon.wait("read", url=self.server.url("/0.xml"))
        self.clock.wait_until(end)
        self.assertEqual(self.states(), {"127.0.0.1": "ok", BAD: "set-aside"})
        due = self.program.run("due", "-n", "50", "-f", "urls").out
        self.assertIn("127.0.0.1", due)
        self.assertNotIn(BAD, due)
        self.assertEqual(self.bad.requests, [])
        self.assertEqual(daemon.end(), 143)
        self.fsck()


del Running
