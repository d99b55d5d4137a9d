"""run, due --follow, done and crawl of one store, started in every order: a
process that needs the store for itself gets it, and the others go on as its
clients."""
import itertools
import json
import os
import subprocess
import threading
import time
import unittest

from case import Case, urlset
from daemon import Daemon
from test_due import result

PAGES = 4  # of one order, for each fetcher
COMMANDS = ("run", "due", "done", "crawl")
MANY = 4000
ORDERS = list(itertools.permutations(COMMANDS))


class Orders(Case):
    def setUp(self):
        super().setUp()
        self.one = self.small("127.0.0.1", 3 * PAGES * len(ORDERS))
        self.two = self.small("127.0.0.2", 1)
        self.crawl(self.one.url("/"))
        self.assertEqual(self.program.run("add", "--every", "1d", self.one.url("/")).status, 0)
        self.seen = []

    def small(self, address, pages):
        site = self.site(address=address)
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
        site.put("/s.xml", urlset([site.url("/p%d" % n) for n in range(pages)]))
        return site

    def pipe(self, *args):
        process = subprocess.Popen(
            [self.program.binary] + list(args), env=self.program.environment(),
            cwd=self.program.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.program.running.append(process)
        return process

    def begin(self, command):
        if command == "run":
            return Daemon(self.program)
        if command == "due":
            return self.pipe("due", "--follow", "-n", str(PAGES))
        if command == "done":
            return self.pipe("done")
        return self.program.start("crawl", "-q", "--force", self.two.url("/"))

    def carry(self, due, done):
        """Pass on what one process hands out to the other."""
        for line in due.stdout:
            page = json.loads(line)
            self.seen.append(page["url"])
            done.stdin.write(result(page).encode() + b"\n")
            done.stdin.flush()
        done.stdin.close()

    def end(self, order, begun):
        daemons = [p for c, p in begun if c == "run"]
        lists = {c: [p for d, p in begun if d == c] for c in ("due", "done", "crawl")}
        carriers = [threading.Thread(target=self.carry, args=pair)
                    for pair in zip(lists["due"], lists["done"])]
        for carrier in carriers:
            carrier.start()
        daemons[0].wait("started")
        for carrier in carriers:
            carrier.join(60)
        for process in lists["due"] + lists["done"] + lists["crawl"]:
            self.assertEqual(process.wait(600), 0, (order, process.args, process.stderr.read()))
        for done in lists["done"]:
            answers = [json.loads(line) for line in done.stdout]
            self.assertEqual([a["ack"] for a in answers], ["OK"] * PAGES, (order, answers))
        self.assertEqual(daemons[0].end(), 143, (order, str(daemons[0])))

    def check(self, pages):
        self.assertEqual(len(self.seen), pages)
        self.assertEqual(len(set(self.seen)), pages, "a page was handed out twice")
        leases = self.program.run("sql", "-f", "csv", "SELECT count(*) FROM lease")
        self.assertEqual(leases.out.split()[-1], "0")
        fsck = self.program.run("db", "fsck")
        self.assertEqual(fsck.status, 0, str(fsck))

    def test_at_once(self):
        """Two fetchers with two processes each start at the same time."""
        for order in ORDERS:
            self.end(order, [(c, self.begin(c)) for c in order + ("due", "done")])
        self.check(2 * PAGES * len(ORDERS))

    def test_one_after_the_other(self):
        """Each process starts while the one before is at work, except after a
        crawl."""
        for order in ORDERS:
            begun = []
            for command in order:
                begun.append((command, self.begin(command)))
                if command == "run":
                    begun[-1][1].wait("started")
                    begun[-1][1].taken = 0
                else:
                    time.sleep(0.05)
            self.end(order, begun)
        self.check(PAGES * len(ORDERS))


class Half(Case):
    """A process leaves the store to crawls while it leases the pages of one
    answer, and while what it answered is not read yet: no page is lost."""

    def setUp(self):
        super().setUp()
        many = self.site(address="127.0.0.1")
        many.put("/s.xml", urlset([many.url("/%s/%d" % ("p" * 900, n)) for n in range(MANY)]))
        self.one = self.site(address="127.0.0.2")
        self.one.put("/s.xml", urlset([self.one.url("/p")]))
        self.crawl(self.one.url("/s.xml"), many.url("/s.xml"))

    def due(self, out, *args):
        due = subprocess.Popen(
            [self.program.binary, "due", "--lease", "7d"] + list(args),
            env=self.program.environment(), cwd=self.program.folder,
            stdin=subprocess.DEVNULL, stdout=out)
        self.program.running.append(due)
        return due

    def check(self):
        with open(os.path.join(self.program.folder, "out"), "w+b") as out:
            due = self.due(out, "-n", str(MANY), "-f", "urls", "--per-host", "0", "127.0.0.1")
            while due.poll() is None:
                self.crawl("--force", self.one.url("/s.xml"))
            out.seek(0)
            urls = out.read().split()
        self.assertEqual(due.returncode, 0)
        self.assertEqual(len(set(urls)), len(urls), "a page was handed out twice")
        self.assertEqual(len(urls), MANY)

    def test_own(self):
        self.check()

    def test_of_another(self):
        """The pages are those of a process that waits for some of its own."""
        self.due(subprocess.DEVNULL, "--follow", "127.0.0.2")
        self.check()


if __name__ == "__main__":
    unittest.main()
