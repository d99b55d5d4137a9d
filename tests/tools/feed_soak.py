#!/usr/bin/env python3
"""Consumers of the feed and freshet are killed at random while sites
reorganise; the copies must equal the truth.

    FRESHET_BIN=... FRESHET_HOOKED_BIN=... tests/tools/feed_soak.py [SYNCS [SEED [FOLDER]]]

FOLDER gets the store and the copies if they differ.

The truth is kept here, apart from freshet: what the sitemaps list, without what
robots.txt disallows and what fetches found unfit for an index.  A page that one
reading lacks is in nobody's truth: it may be there or not until the next one.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"),
                os.path.dirname(os.path.abspath(__file__))]
from clock import Clock, DAY  # noqa: E402
from program import HOOKED, Program, TOP  # noqa: E402
from server import Site  # noqa: E402

HEAD = '<?xml version="1.0"?>\n<%s xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
DATES = ["2025-12-%02d" % day for day in range(1, 29)]


class Site_:
    """A site that reorganises; its documents are dicts of page -> lastmod."""

    def __init__(self, rng, address):
        self.rng = rng
        self.server = Site(address=address)
        self.documents = {"/a.xml": {}, "/b.xml": {}}
        self.dropped = []       # documents that nothing leads to any more
        self.failing = {}       # document -> "status" or "cut"
        self.disallowed = ""    # a folder
        self.is_named = True    # the index, by robots.txt
        self.unfit = set()      # pages that fetches found unfit
        self.number = 0
        for _ in range(6):
            self.add()

    def page(self):
        self.number += 1
        return "/%s/%d" % (self.rng.choice(["blog", "shop", "docs"]), self.number)

    def any(self):
        return self.rng.choice(sorted(self.documents))

    def add(self):
        document = self.documents[self.any()]
        for _ in range(self.rng.randint(1, 5)):
            document[self.page()] = self.rng.choice(DATES + [None])

    def remove(self):
        document = self.documents[self.any()]
        for page in self.rng.sample(sorted(document), min(len(document), self.rng.randint(1, 4))):
            del document[page]

    def redate(self):
        document = self.documents[self.any()]
        for page in document:
            if self.rng.random() < 0.3:
                document[page] = self.rng.choice(DATES)

    def split(self):
        """Half of a document's pages are in a new one; some stay in both."""
        document = self.documents[self.any()]
        self.number += 1
        other = self.documents["/s%d.xml" % self.number] = {}
        for page in sorted(document):
            if self.rng.random() < 0.5:
                other[page] = document[page]
                if self.rng.random() < 0.7:
                    del document[page]

    def rename(self):
        path = self.any()
        self.number += 1
        self.documents["/r%d.xml" % self.number] = self.documents.pop(path)
        self.failing.pop(path, None)
        self.server.drop(path)

    def drop(self):
        if len(self.documents) > 2:
            path = self.any()
            del self.documents[path]
            self.failing.pop(path, None)
            self.server.drop(path)

    def move(self):
        """A folder is renamed."""
        document = self.documents[self.any()]
        self.number += 1
        for page in sorted(document):
            if page.startswith("/blog/"):
                document["/news%d%s" % (self.number, page)] = document.pop(page)

    def empty(self):
        self.documents[self.any()].clear()

    def fail(self):
        self.failing[self.any()] = self.rng.choice(["status", "cut", "not-found"])

    def mend(self):
        self.failing.clear()

    def disallow(self):
        self.disallowed = self.rng.choice(["", "/blog/", "/shop/", "/docs/"])

    def lose(self):
        self.is_named = not self.is_named

    def change(self):
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice([self.add, self.add, self.add, self.remove, self.redate, self.split,
                             self.rename, self.drop, self.move, self.empty, self.fail, self.mend,
                             self.mend, self.disallow, self.lose])()

    def publish(self):
        put, url = self.server.put, self.server.url
        put("/robots.txt", "User-agent: *\nDisallow: %s\n%s" % (
            self.disallowed, "Sitemap: %s\n" % url("/index.xml") if self.is_named else ""))
        put("/index.xml", HEAD % "sitemapindex" + "".join(
            "<sitemap><loc>%s</loc></sitemap>\n" % url(path)
            for path in sorted(self.documents)) + "</sitemapindex>\n")
        for path, pages in self.documents.items():
            body = HEAD % "urlset" + "".join(
                "<url><loc>%s</loc>%s</url>\n" % (
                    url(page), "<lastmod>%s</lastmod>" % date if date else "")
                for page, date in sorted(pages.items())) + "</urlset>\n"
            how = self.failing.get(path)
            if how == "cut":
                put(path, body[:len(body) * 2 // 3])
            else:
                put(path, body, status={"status": 503, "not-found": 404}.get(how, 200))

    def truth(self):
        return {self.server.url(page) for pages in self.documents.values() for page in pages
                if not (self.disallowed and page.startswith(self.disallowed))} - self.unfit


class Soak:
    def __init__(self, seed, example="feed_json.py"):
        self.rng = random.Random(seed)
        self.program = Program()
        self.clock = Clock(self.program.folder, wall=1767225600)
        self.clock.leap()
        self.program.binary = HOOKED
        self.program.variables.update(self.clock.variables)
        self.sites = [Site_(self.rng, "127.0.0.%d" % n) for n in (1, 2)]
        self.consumers = {"all": [], "some": ["red"]}
        self.tags = {}          # site -> has it the tag "red"?
        self.syncs = self.kills = 0
        self.example = os.path.join(TOP, "docs", "examples", example)

    def close(self):
        for site in self.sites:
            site.server.close()
        self.clock.close()
        self.program.close()

    def run(self, argv, env=None, chance=0.0, input=None):
        """Run to the end, or kill it with this chance at a random time; the status."""
        process = subprocess.Popen(
            argv, env=self.program.environment(env), cwd=self.program.folder,
            stdin=subprocess.PIPE if input else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        is_killed = self.rng.random() < chance
        if is_killed:
            time.sleep(self.rng.random() ** 2 * 0.15)
            try:
                os.killpg(process.pid, signal.SIGKILL)  # the client, and freshet below it
                self.kills += 1
            except ProcessLookupError:
                pass
        out, err = process.communicate(input.encode() if input else None, timeout=120)
        if process.returncode not in (0, 1) and not is_killed:
            raise AssertionError("%s: status %d\n%s" % (argv, process.returncode, err.decode()))
        return out.decode()

    def freshet(self, *args, chance=0.0, input=None):
        return self.run([self.program.binary, *args], chance=chance, input=input)

    def path(self, consumer):
        return os.path.join(self.program.folder, consumer + ".json")

    def sync(self, consumer, chance):
        self.syncs += 1
        self.run([sys.executable, self.example, consumer, self.path(consumer),
                  *self.consumers[consumer]],
                 env={"FRESHET": self.program.binary, "PYTHONDONTWRITEBYTECODE": "1"},
                 chance=chance)

    def crawl(self, chance):
        self.clock.advance(self.rng.choice([600, 3600, DAY]))
        self.freshet("crawl", "--retry", "0", "--delay", "0", "--progress", "off",
                     *[site.server.url("/") for site in self.sites], chance=chance)

    def tag(self):
        site = self.rng.choice(self.sites)
        self.tags[site] = not self.tags.get(site)
        self.freshet("set", site.server.origin.split("/")[2].split(":")[0],
                     "tag=" + ("red" if self.tags[site] else ""))

    def fetch(self):
        """A fetcher tells of some pages that they are unfit, or fit again."""
        lines = []
        for line in self.freshet("due", "-n", "3").splitlines():
            page = json.loads(line)
            unfit = self.rng.choice([None, 301, 404, 410, "noindex"])
            for site in self.sites:
                if page["url"].startswith(site.server.url("/")):
                    (site.unfit.add if unfit else site.unfit.discard)(page["url"])
            lines.append({"lease": page["lease"], "url": page["url"],
                          "status": unfit if isinstance(unfit, int) else 200,
                          "location": page["url"] + "/moved",
                          "noindex": unfit == "noindex"})
        if lines:
            self.freshet("done", input="".join(json.dumps(line) + "\n" for line in lines))

    def step(self):
        for site in self.sites:
            if self.rng.random() < 0.6:
                site.change()
            site.publish()
        roll = self.rng.random()
        if roll < 0.06:
            self.tag()
        elif roll < 0.12:
            self.fetch()
        self.crawl(chance=0.25)
        for _ in range(self.rng.randint(1, 3)):
            self.sync(self.rng.choice(sorted(self.consumers)), chance=0.4)

    def settle(self):
        """The sites stop changing, and are read until nothing is open."""
        for site in self.sites:
            site.mend()
            site.is_named = True
            site.publish()
        for _ in range(3):
            self.clock.advance(8 * DAY)
            self.crawl(chance=0)
        for consumer in self.consumers:
            self.sync(consumer, chance=0)

    def judge(self):
        for consumer, tags in self.consumers.items():
            truth = set()
            for site in self.sites:
                if not tags or self.tags.get(site):
                    truth |= site.truth()
            with open(self.path(consumer), encoding="utf-8") as f:
                copy = set(json.load(f)["pages"])
            if copy != truth:
                raise AssertionError("after %d syncs '%s' lacks %s, and has %s that are gone" % (
                    self.syncs, consumer, sorted(truth - copy)[:5], sorted(copy - truth)[:5]))

    def go(self, syncs, between=40, judged=None):
        for site in self.sites:
            site.publish()
            self.freshet("add", site.server.url("/"), "--tag", "red")
            self.tags[site] = True
        self.crawl(chance=0)
        while self.syncs < syncs:
            until = min(syncs, self.syncs + between)
            while self.syncs < until:
                self.step()
            self.settle()
            self.judge()
            if judged:
                judged(self)


def main():
    syncs = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    begin = time.monotonic()
    soak = Soak(seed)
    try:
        soak.go(syncs, judged=lambda soak: print(
            "%d syncs, %d kills, %.0f s: the copies equal the truth" % (
                soak.syncs, soak.kills, time.monotonic() - begin), flush=True))
    except AssertionError:
        if len(sys.argv) > 3:
            shutil.copytree(soak.program.folder, sys.argv[3], dirs_exist_ok=True,
                            ignore=lambda folder, names: [n for n in names if "." not in n])
        raise
    finally:
        soak.close()


if __name__ == "__main__":
    main()
