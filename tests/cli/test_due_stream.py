"""Streams of pages and results: due --follow and done, owners of the store that
change, leases that expire."""
import contextlib
import datetime
import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time
import unittest

from case import index, urlset
from clock import DAY
from late import assert_sooner
from program import interrupt
from test_due import PAGES, Frontier, result

MINUTE = 60
HOUR = 3600
LOCK_WAIT = 5


class Streams(Frontier):
    def start(self, *args, **kwargs):
        """Start a process; its stdin is a pipe if asked for."""
        process = subprocess.Popen(
            [self.program.binary] + list(args), env=self.program.environment(),
            cwd=self.program.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            bufsize=0, **{"stdin": subprocess.DEVNULL, **kwargs})
        self.program.running.append(process)
        return process

    def follow(self, *args):
        return self.start("due", "--follow", *args)

    def page(self, process):
        """Returns its next line, which must come within ten minutes."""
        late = threading.Timer(600, process.kill)
        late.start()
        line = process.stdout.readline()
        late.cancel()
        self.assertTrue(line.endswith(b"\n"), process.stderr)
        return json.loads(line)

    def wait_for_socket(self):
        end = time.monotonic() + 600
        while time.monotonic() < end:
            try:
                with socket.socket(socket.AF_UNIX) as s:
                    s.connect(self.program.store + ".sock")
                return
            except OSError:
                time.sleep(0.02)
        raise TimeoutError("nobody serves")

    def say(self, process, *lines):
        process.stdin.write("".join(line + "\n" for line in lines).encode())


class Follow(Streams):
    def test_comes_as_it_is_due(self):
        due = self.follow()
        first = [self.page(due) for _ in range(PAGES)]
        self.assertEqual(len({p["url"] for p in first}), PAGES)
        # it holds the store: others speak to it
        self.assertEqual(self.ack(result(first[0])), "OK")
        self.assertEqual(self.program.run("release", first[1]["lease"]).status, 0)
        self.assertEqual(self.page(due)["url"], first[1]["url"], "it is handed out again")
        status, out, err, _ = interrupt(due)
        self.assertEqual((status, out), (130, ""), err)
        self.assertFalse(os.path.exists(self.program.store + ".sock"))

    def test_says_that_it_waits(self):
        """If the store has no page yet, a message says so once."""
        self.program.store = os.path.join(self.program.folder, "empty.db")
        added = self.program.run("add", "nobody.example")
        self.assertEqual(added.status, 0, str(added))
        due = self.follow()
        line = due.stderr.readline()
        self.assertEqual(line, b"freshet: nothing is due, and nothing will be before a sitemap "
                               b"is read or a result comes; waiting\n")
        self.crawl(self.one.url("/"))
        self.assertEqual(self.page(due)["host"], "127.0.0.1")
        status, _, err, _ = interrupt(due)
        self.assertEqual((status, err), (130, ""))

    def test_nobody_gets_a_page_twice(self):
        self.many(300)
        followers = [self.follow("-n", "100") for _ in range(3)]
        pages = [json.loads(line) for f in followers for line in f.stdout]
        self.assertEqual([f.wait(600) for f in followers], [0, 0, 0])
        self.assertEqual(len({p["url"] for p in pages}), 300)

    def many(self, pages):
        self.list_pages(self.one, range(pages))
        self.crawl("--force", self.one.url("/"))

    def leased(self):
        return int(self.program.run("sql", "-f", "csv", "SELECT count(*) FROM lease")
                   .out.split()[-1])

    def test_a_reader_that_stops(self):
        """A reader that stops gets no more leases than a pipe holds; Ctrl-C
        releases those that were not read."""
        self.many(3000)
        due = self.follow()
        self.page(due)
        held = -1
        while held != self.leased():
            held = self.leased()
            time.sleep(0.5)
        self.assertLess(held, 700)
        due.send_signal(signal.SIGINT)
        seen = 1 + len([line for line in due.stdout if line.endswith(b"\n")])
        self.assertEqual(due.wait(600), 130)
        self.assertLessEqual(self.leased(), seen)
        self.assertGreater(seen, 100)

    def test_a_reader_that_goes(self):
        due = self.follow()
        for _ in range(PAGES):
            self.page(due)
        due.stdout.close()
        self.assertEqual(due.wait(600), 7, "it need not wait for a page to notice")
        self.assertIn(b"nobody reads the pages any more", due.stderr.read())

    def test_what_a_reader_leaves(self):
        """Pages that a reader left in the pipe are given back."""
        self.many(300)
        due = self.follow()
        taken = os.read(due.stdout.fileno(), 4096)
        due.stdout.close()
        self.assertEqual(due.wait(600), 7)
        self.assertIn(b"are given back", due.stderr.read())
        self.assertEqual(self.leased(), taken.count(b"\n"))

    def test_in_a_circle(self):
        """due --follow, a fetcher and done in a pipeline: no process waits for
        ever."""
        self.many(2000)
        due = self.follow("-n", "2000")
        done = self.start("done", stdin=subprocess.PIPE)
        answers = []
        reader = threading.Thread(target=lambda: answers.extend(
            json.loads(line) for line in done.stdout))
        reader.start()
        for line in due.stdout:
            self.say(done, result(json.loads(line)))
        done.stdin.close()
        self.assertEqual((due.wait(600), done.wait(600)), (0, 0))
        reader.join()
        self.assertEqual([a["ack"] for a in answers], ["OK"] * 2000)
        self.assertEqual([a["line"] for a in answers], list(range(1, 2001)))


class Wait(Streams):
    def test_in_vain(self):
        self.due()
        begin = time.monotonic()
        self.assertEqual(self.due("--wait", "600ms"), [])
        self.assertGreater(time.monotonic() - begin, 0.6)

    def test_for_a_page(self):
        pages = self.due()
        waiting = self.start("due", "--wait", "30s")
        self.wait_for_socket()
        self.program.run("release", pages[0]["lease"])
        self.assertEqual(self.page(waiting)["url"], pages[0]["url"])
        self.assertEqual(waiting.wait(600), 0)


class Owners(Streams):
    """The process that owns the store changes."""

    def slow_crawl(self):
        """Begin a crawl of another site that ends when self.may_end is set."""
        self.may_end = threading.Event()
        slow = self.site(address="127.0.0.3")
        slow.put("/index.xml", index([slow.url("/%d.xml" % n) for n in range(8)]))
        for n in range(8):
            slow.put("/%d.xml" % n, urlset([slow.url("/%d/a" % n)]), delay=0.1, gate=self.may_end if n == 7 else None)
        crawl = self.program.start("crawl", "-q", slow.url("/index.xml"))
        slow.wait_for("/0.xml")
        return crawl

    def test_a_crawl(self):
        crawl = self.slow_crawl()
        pages = self.due("-n", "2")
        self.assertEqual([self.ack(result(p)) for p in pages], ["OK", "OK"])
        self.assertEqual(self.program.run("hold", "127.0.0.1", "--for", "1h").status, 0)
        self.assertEqual(self.due("127.0.0.1"), [])
        self.assertIsNone(crawl.poll(), "the crawl was through before")
        self.may_end.set()
        self.assertEqual(crawl.wait(600), 0)
        self.assertEqual(self.due("127.0.0.1"), [], "a hold lasts")

    def test_what_a_crawl_finds(self):
        """A consumer beside a crawl gets pages that the crawl has just read."""
        self.due()
        crawl = self.slow_crawl()
        due = self.follow()
        self.assertEqual(self.page(due)["host"], "127.0.0.3")
        self.assertIsNone(crawl.poll(), "the crawl was through before")
        self.assertEqual(interrupt(due)[0], 130)
        self.may_end.set()
        crawl.wait(600)

    def test_a_crawl_leaves(self):
        """When the crawl ends, streams of pages and results go on, one through
        the other."""
        for sign in (signal.SIGKILL, signal.SIGINT):
            crawl = self.slow_crawl()
            due = self.follow()
            done = self.start("done", stdin=subprocess.PIPE)
            pages = [self.page(due) for _ in range(2)]
            self.say(done, result(pages[0]))
            self.assertEqual(self.page(done)["ack"], "OK")
            crawl.send_signal(sign)
            self.may_end.set()
            crawl.wait(600)
            self.say(done, result(pages[1]), result(pages[1]))
            answer = self.page(done)
            self.assertEqual((answer["line"], answer["ack"]), (2, "OK"), sign)
            self.assertEqual(self.page(done)["reason"], "repeated-lease")
            self.program.run("release", pages[1]["lease"])
            interrupt(due)
            done.stdin.close()
            self.assertEqual(done.wait(600), 0)
            self.program.run("release")

    def test_it_makes_way_for_a_crawl(self):
        """A process that owns the store only to lease pages yields it to a
        crawl, and goes on as the crawl's client."""
        due = self.follow()
        for _ in range(PAGES):
            self.page(due)
        self.list_pages(self.one, range(PAGES + 2))
        result = self.program.run("crawl", "--force", self.one.url("/"))
        self.assertEqual(result.status, 0, str(result))
        self.assertEqual({self.page(due)["url"] for _ in range(2)},
                         {self.one.url("/p%d" % n) for n in (PAGES, PAGES + 1)})
        self.assertEqual(interrupt(due)[0], 130)

    def test_an_owner_is_killed(self):
        """The process that owns the store for both is killed: no answer is
        lost."""
        due = self.follow()
        pages = [self.page(due) for _ in range(PAGES)]
        done = self.start("done", stdin=subprocess.PIPE)
        self.say(done, result(pages[0]))
        self.assertEqual(self.page(done)["ack"], "OK")
        due.kill()
        due.wait()
        self.say(done, *[result(p) for p in pages[:3]])
        answers = [self.page(done) for _ in range(3)]
        self.assertEqual([a.get("reason") for a in answers], ["repeated-lease", None, None])
        self.assertEqual([a["line"] for a in answers], [2, 3, 4])
        done.stdin.close()
        done.wait(600)
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            self.assertGreater(db.execute("SELECT killed_s FROM meta").fetchone()[0], 0, "the next owner knows it")
        self.assertEqual(self.due(), [], "its leases live")
        fsck = self.program.run("db", "fsck")
        self.assertEqual(fsck.status, 0, str(fsck))

    def test_a_silent_owner(self):
        due = self.follow()
        self.page(due)
        due.send_signal(signal.SIGSTOP)
        try:
            begin = time.monotonic()
            silent = self.program.run("due")
            assert_sooner(time.monotonic() - begin, 12)
        finally:
            due.send_signal(signal.SIGCONT)
        self.assertEqual(silent.status, 5, str(silent))
        self.assertIn("store-locked", silent.err)

    def test_the_first_result_is_late(self):
        """In a pipe, `done` begins long before the store's owner can answer."""
        due = self.follow()
        page = self.page(due)
        due.send_signal(signal.SIGSTOP)
        try:
            done = self.start("done", stdin=subprocess.PIPE)
            time.sleep(LOCK_WAIT + 1)
            self.assertIsNone(done.poll())
        finally:
            due.send_signal(signal.SIGCONT)
        self.say(done, "", result(page))
        self.assertEqual(self.page(done)["ack"], "OK")
        done.stdin.close()
        self.assertEqual(done.wait(600), 0)

    def test_the_last_results(self):
        """`due -n` ends its output when it has no more pages, but takes the
        results of them before it ends: `done` need not open the store."""
        due = self.follow("-n", str(PAGES + 1))
        pages = [self.page(due) for _ in range(PAGES)]
        done = self.start("done", stdin=subprocess.PIPE)
        self.say(done, result(pages[0]))
        self.assertEqual(self.page(done)["ack"], "OK")
        self.assertEqual(self.program.run("release", pages[1]["lease"]).status, 0)
        again = self.page(due)
        self.assertEqual(due.stdout.read(), b"")
        self.assertIsNone(due.poll())
        self.say(done, result(again))
        self.assertEqual(self.page(done)["ack"], "OK")
        self.assertIsNone(due.poll())
        done.stdin.close()
        self.assertEqual((done.wait(600), due.wait(600)), (0, 0))

    def test_nonsense(self):
        due = self.follow()
        self.page(due)
        for text in (b"\n", b"{}\n", b"\0\xff\n", b'{"command":"due","version":"9"}\n',
                     b"x" * 100000, b'{"command":"done"}\n{\n'):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(self.program.store + ".sock")
                s.sendall(text)
        self.assertEqual(interrupt(due)[0], 130)


class Clocked(Streams):
    """Tests that use the test's clock."""

    def setUp(self):
        super().setUp()
        self.follow_clock(wall=time.time())


class Time(Clocked):
    def test_a_lease_is_over(self):
        pages = self.due("--lease", "10m")
        self.clock.advance(9 * MINUTE)
        self.assertEqual(self.due(), [])
        self.clock.advance(2 * MINUTE)
        self.assertEqual(self.ack(result(pages[0])), "expired-lease")
        again = self.due("--lease", "10m")
        self.assertEqual({p["url"] for p in again}, {p["url"] for p in pages})
        self.assertEqual(self.ack(result(pages[1])), "superseded-lease")
        self.assertEqual(self.ack(result(again[1])), "OK")

    def test_clocks_that_jump(self):
        """A lease ends at its time, however late its end is noticed, and no
        process hangs."""
        due = self.follow("--lease", "30s")
        urls = {self.page(due)["url"] for _ in range(PAGES)}
        for jump in (3600, -3600, 365 * DAY, -365 * DAY):
            self.clock.step(jump)
            if jump < 0:
                self.assertEqual(self.due(), [], jump)
            self.clock.advance(31)
            self.clock.advance(MINUTE)
            self.assertEqual({self.page(due)["url"] for _ in range(PAGES)}, urls, jump)
        interrupt(due)

    def test_retry_after(self):
        page, = self.due("-n", "1")
        self.done(result(page, status=503, retry_after=3600))
        self.clock.advance(50 * MINUTE)
        self.assertEqual(self.due(), [])
        self.clock.advance(11 * MINUTE)
        self.assertEqual(len(self.due()), PAGES)

    def test_failing_page(self):
        """A page that fails waits alone, and its answer says until when; the
        others go on."""
        page, = self.due("-n", "1")
        for hours in (1, 2, 4):
            answer, = self.done(result(page, status=500))
            when = datetime.datetime.fromisoformat(answer["next_due"].replace("Z", "+00:00"))
            self.assertAlmostEqual(when.timestamp(), self.clock.now() + hours * HOUR, delta=60)
            others = self.due()
            if hours == 1:
                self.assertEqual(len(others), PAGES - 1)
            self.done(*[result(other) for other in others])
            self.clock.advance(hours * HOUR - MINUTE)
            self.assertNotIn(page["url"], [other["url"] for other in self.due()])
            self.clock.advance(2 * MINUTE)
            page, = [other for other in self.due() if other["url"] == page["url"]]

    def test_hold_for(self):
        self.program.run("hold", "127.0.0.1", "--for", "2h")
        self.clock.advance(119 * MINUTE)
        self.assertEqual(self.due(), [])
        self.clock.advance(2 * MINUTE)
        self.assertEqual(len(self.due()), PAGES)

    def test_the_pace_of_a_follower(self):
        """Between two pages of a host its delay passes, and after the crawl
        before."""
        config = os.path.join(self.program.folder, "slow.conf")
        with open(config, "w") as f:
            f.write("[defaults]\ndelay = 60\n")
        due = self.follow("--config", config)
        self.clock.wait_idle()
        self.clock.leap(until=self.clock.now() + 2 * MINUTE)
        page = self.page(due)
        self.clock.hold()
        seen = [self.clock.now()]
        for _ in range(PAGES - 1):
            # one page of a host is out at a time
            self.done(result(page))
            self.clock.leap(until=self.clock.now() + 10 * MINUTE)
            page = self.page(due)
            self.clock.hold()
            seen.append(self.clock.now())
        self.assertGreater(seen[-1] - seen[0], (PAGES - 1.5) * MINUTE)
        self.clock.hold()
        self.assertEqual(interrupt(due)[0], 130)


if __name__ == "__main__":
    unittest.main()
