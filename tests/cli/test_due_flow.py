"""A stream of pages of several hosts: no host delays another, and each server
sees its delay kept, however late the fetcher is."""
import os
import signal
import subprocess
import sys
import time
import unittest

from case import Case, urlset
from daemon import Daemon
from late import assert_sooner
from program import BINARY

HOSTS = 6
PAGES = 400
DELAY = 0.2
# What a busy machine takes: servers see requests that much nearer together.
LATE = 0.05
# Pages lie about for up to a time: before they are asked for, and, if it says when that was, after.
FETCHER = """
import json, random, sys, threading, time, urllib.request
late = float(sys.argv[1])
def fetch(page):
    time.sleep(late * random.random())
    begun = time.monotonic()
    urllib.request.urlopen(page["url"]).read()
    result = {"lease": page["lease"], "status": 200, "content_hash": "a"}
    if sys.argv[2:] == ["ms"]:
        time.sleep(late / 2 * random.random())
        result["ms"] = int(1000 * (time.monotonic() - begun))
    print(json.dumps(result) + "\\n", end="", flush=True)
for line in sys.stdin:
    threading.Thread(target=fetch, args=(json.loads(line),)).start()
"""


class Flow(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.servers = [self.site(address="127.0.0.%d" % (11 + n)) for n in range(HOSTS)]
        self.config = os.path.join(self.program.folder, "test.conf")
        with open(self.config, "w", encoding="utf-8") as f:
            f.write("[defaults]\ndelay = %dms\n" % (1000 * DELAY))
        for server in self.servers:
            server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
            server.put("/s.xml", urlset([server.url("/%d" % n) for n in range(PAGES)]))
            for n in range(PAGES):
                server.put("/%d" % n, "<p>page %d</p>" % n)

    def begin(self, *fetcher, due=()):
        added = self.program.run("add", *[server.url("/") for server in self.servers])
        self.assertEqual(added.status, 0, str(added))
        self.daemon = Daemon(self.program, "--config", self.config)
        self.due = self.start([BINARY, "due", "--follow", *due], subprocess.DEVNULL)
        fetch = self.start([sys.executable, "-c", FETCHER, *fetcher], self.due.stdout)
        self.done = self.start([BINARY, "done", "-q"], fetch.stdout)
        for server in self.servers:
            server.wait_for("/0")

    def start(self, words, stdin):
        process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE,
                                   env=self.program.environment())
        self.addCleanup(process.kill)
        if stdin is not subprocess.DEVNULL:
            stdin.close()
        return process

    def end(self):
        self.due.send_signal(signal.SIGINT)
        self.done.communicate(timeout=600)
        self.assertEqual(self.daemon.end(), 143)

    def asked(self, count, seconds, held=0):
        """Wait until so many pages of each host are handed out, but for the last ones,
        which are held; a quiet machine needs less than that time."""
        for server in self.servers:
            server.forget()
        begin = time.monotonic()
        while True:
            asked = [len([r for r in list(server.requests) if r.target[1:].isdigit()]) for server in self.servers]
            if min(asked[:HOSTS - held]) > count:
                break
            if time.monotonic() > begin + 600:
                raise TimeoutError("asked so often: %s" % asked)
            time.sleep(0.05)
        assert_sooner(time.monotonic() - begin, seconds)
        self.assertEqual(asked[HOSTS - held:], [0] * held, asked)

    def gaps(self):
        for server in self.servers:
            times = sorted(r.at for r in server.requests)
            yield from (b - a for a, b in zip(times, times[1:]))

    def test_held(self):
        """One host is held, and the pages of the others have little value: they
        are still handed out."""
        self.begin("0", "ms")
        self.asked(5 / DELAY / 2, 5)
        hosts = [server.url("/") for server in self.servers]
        for host in hosts[:-1]:
            self.assertEqual(self.program.run("set", host, "weight=0.02").status, 0)
        held = self.program.run("hold", "127.0.0.%d" % (10 + HOSTS), "--for", "2h")
        self.assertEqual(held.status, 0, str(held))
        time.sleep(1)
        self.asked(5 / DELAY / 2, 5, held=1)
        self.end()

    def late(self, *said):
        self.begin("0.5", *said)
        self.asked(6, 6)
        self.assertGreater(min(self.gaps()), DELAY - LATE)
        self.end()

    def test_late(self):
        """A fetcher is late with its requests, and does not report when it made
        them."""
        self.late()

    def test_late_says(self):
        """A fetcher is late with its requests, and reports when it made
        them."""
        self.late("ms")


if __name__ == "__main__":
    unittest.main()
