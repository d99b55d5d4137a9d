"""kill -9 of daemon, fetcher or both, at any moment, and on.

What was acknowledged is in the store, what is leased is handed to nobody else,
and the store is sound.
"""
import json
import random
import sqlite3
import subprocess
import time
import unittest

import counts
from case import Case, urlset
from daemon import Daemon
from durable import SEED

KILLS = counts.pick(8, 30, 100)
PAGES = 4000
TAKE = 12  # pages in one answer


class Killed(Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.server = self.site()
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url("/%d" % n) for n in range(PAGES)]))
        result = self.program.run("add", "--every", "1s", self.server.url("/"))
        self.assertEqual(result.status, 0, str(result))
        self.leases = {}    # URL -> lease, of those that nobody answered
        self.given = 0
        self.acknowledged = set()

    def begin(self):
        daemon = Daemon(self.program, "--delay", "0")
        daemon.wait("started")
        return daemon

    def take(self):
        """A fetcher at work: it takes pages and answers most of them."""
        due = self.program.start("due", "-n", str(TAKE), "--lease", "7d", "--per-host", "0")
        done = subprocess.Popen([self.program.binary, "done"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env=self.program.environment(), cwd=self.program.folder)
        return due, done

    def hear(self, due, done):
        """Hand on what due says; what was sent."""
        sent = []
        out, _ = due.communicate()
        for line in out.decode().splitlines():
            try:
                page = json.loads(line)
            except ValueError:
                continue  # cut where it was killed
            self.assertNotIn(page["url"], self.leases, "it is leased already")
            self.leases[page["url"]] = page["lease"]
            self.given += 1
            sent.append(page)
        try:
            for page in sent:
                done.stdin.write((json.dumps({
                    "lease": page["lease"], "url": page["url"], "status": 200,
                    "content_hash": "a", "bytes": 10, "ms": 1}) + "\n").encode())
            done.stdin.flush()
        except BrokenPipeError:
            pass
        return sent

    def believe(self, out):
        """What done acknowledged before it died."""
        by_lease = {lease: url for url, lease in self.leases.items()}
        for line in out.decode().splitlines():
            try:
                ack = json.loads(line)
            except ValueError:
                continue
            if ack["ack"] == "OK":
                self.acknowledged.add(ack["lease"])
                del self.leases[by_lease[ack["lease"]]]

    def check(self):
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))
        db = sqlite3.connect(self.program.store)
        stored = {"%x.%x" % row for row in db.execute("SELECT page_id, number FROM outcome")}
        db.close()
        self.assertEqual(self.acknowledged - stored, set(), "acknowledged, and lost")
        # what nobody heard of may be stored, too: its lease is over then
        for url, lease in list(self.leases.items()):
            if lease in stored:
                del self.leases[url]

    def once(self, whom):
        """One fetcher, and kill -9 of these at any moment of its work."""
        due, done = self.take()
        delay = self.random.uniform(0, 0.12)
        if "due" in whom:
            time.sleep(delay)
            due.kill()
        if "daemon" in whom and self.random.random() < 0.5:
            time.sleep(delay)
            self.daemon.process.kill()
        self.hear(due, done)
        time.sleep(self.random.uniform(0, 0.06))
        if "daemon" in whom:
            self.daemon.process.kill()
            self.daemon.process.wait()
        if "done" in whom:
            done.kill()
        out, _ = done.communicate(timeout=600)
        self.believe(out)

    def test_kill(self):
        self.daemon = self.begin()
        self.daemon.wait("crawled")
        whom = [("daemon",), ("due",), ("done",), ("daemon", "due", "done")]
        for number in range(KILLS):
            with self.subTest(kill=number, whom=whom[number % 4]):
                self.once(whom[number % 4])
                if self.daemon.process.poll() is not None:
                    self.daemon = self.begin()
                self.check()
        self.assertGreater(self.given, KILLS, "hardly anything was handed out")
        self.assertGreater(len(self.acknowledged), KILLS, "hardly anything came back")
        self.assertEqual(self.daemon.end(), 143)


if __name__ == "__main__":
    unittest.main()
