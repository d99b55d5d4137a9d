"""freshet run and a stream of pages ask one host: together they keep its delay,
also after the delay has changed."""
import os
import signal
import subprocess
import sys
import time
import unittest

from case import Case, index, urlset
from daemon import Daemon

CHILDREN = 3
PAGES = 60
DELAY = 0.4
# The server may note a request later than it was sent: a busy machine needs
# time.  So the time of many requests is judged, and not each gap.
LATE = 2.5
PATIENCE = 600
# Each page when its line comes.
FETCHER = """
import json, sys, urllib.request
for line in sys.stdin:
    page = json.loads(line)
    urllib.request.urlopen(page["url"]).read()
    print(json.dumps({"lease": page["lease"], "status": 200, "content_hash": "a"}), flush=True)
"""


class Together(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.server = self.site(address="127.0.0.3")
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/index.xml"))
        children = [self.server.url("/%d.xml" % n) for n in range(CHILDREN)]
        self.server.put("/index.xml", index(children))
        for n in range(CHILDREN):
            pages = ["/%d/%d" % (n, page) for page in range(PAGES // CHILDREN)]
            self.server.put("/%d.xml" % n, urlset([self.server.url(page) for page in pages]))
            for page in pages:
                self.server.put(page, "a page")

    def configure(self, delay):
        path = os.path.join(self.program.folder, "test.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\ndelay = %dms\n" % (1000 * delay))
        return path

    def begin(self, delay):
        """Start a daemon that has read the whole server, and a fetcher."""
        path = self.configure(delay)
        added = self.program.run("add", "--every", "1s..2s", self.server.url("/"))
        self.assertEqual(added.status, 0, str(added))
        daemon = Daemon(self.program, "--config", path)
        daemon.wait("crawled", site="127.0.0.3")
        due = self.start(["due", "--follow"])
        fetcher = self.start(None, due.stdout)
        done = self.start(["done", "-q"], fetcher.stdout)
        return daemon, (due, fetcher, done)

    def start(self, words, stdin=subprocess.DEVNULL):
        args = [sys.executable, "-c", FETCHER] if words is None else (
            [self.program.binary] + words)
        process = subprocess.Popen(args, stdin=stdin, stdout=subprocess.PIPE,
                                   env=self.program.environment())
        self.addCleanup(process.kill)
        if stdin is not subprocess.DEVNULL:
            stdin.close()
        return process

    def end(self, daemon, processes):
        processes[0].send_signal(signal.SIGINT)
        acks = processes[2].communicate(timeout=600)[0]
        self.assertEqual([p.wait(600) for p in processes], [130, 0, 0])
        self.assertEqual(daemon.end(), 143)
        return acks.count(b'"ack":"OK"')

    def wait_for(self, count, documents=0, pages=0):
        """Wait until the server has got so many requests, of these so many for
        documents and for pages.  Returns all of them."""
        end = time.monotonic() + PATIENCE
        while True:
            asked = list(self.server.requests)
            xml = sum(r.target.endswith(".xml") for r in asked)
            if len(asked) >= count and xml >= documents and len(asked) - xml >= pages:
                return asked
            self.assertLess(time.monotonic(), end, asked)
            time.sleep(0.05)

    def judge(self, asked, delay):
        """The requests kept the delay."""
        times = sorted(r.at for r in asked)
        self.assertGreater(times[-1] - times[0], (len(times) - 1) * delay - LATE, times)

    def test_one_delay(self):
        daemon, processes = self.begin(DELAY)
        self.server.forget()
        asked = self.wait_for(30, documents=5, pages=10)
        self.assertGreaterEqual(self.end(daemon, processes), 10)
        self.judge(asked, DELAY)

    def test_a_longer_delay(self):
        """A longer delay holds from the next request on, and the host is not
        held for longer than that."""
        daemon, processes = self.begin(0.1)
        self.wait_for(16)
        self.configure(2)
        daemon.send(signal.SIGHUP)
        daemon.wait("reloaded")
        self.server.forget()
        asked = self.wait_for(7)
        self.end(daemon, processes)
        self.judge(asked, 2)


if __name__ == "__main__":
    unittest.main()
