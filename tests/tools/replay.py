"""A trace of a site (docs/internals/scheduling-formulas.md), lived through by the real programs.

    trace = cut(read(path), begin, days)      # a part of it, as a trace
    compared_replay.measure(trace, pages_a_day)        # as freshet-sim counts it

The site has robots.txt, an index, and a gzipped sitemap; its pages carry ETags
that move with their bytes.  Time is the test's: it goes on when nobody has
anything to do.
"""
import collections
import gzip
import http.client
import json
import os
import random
import select
import subprocess
import time
import urllib.parse

import parent_death
from clock import DAY
from server import Reply, Site

READ_EVERY = "6h"
# beyond the end: ceilings are no matter of value, and sim has none
PAGES_EVERY = "1h..400d"
FAILING = 0.005     # of the requests for pages
TICK_S = 3600       # what a tick leaves is not saved up
PATIENCE_S = 120    # real ones, on a machine that has other things to do


Event = collections.namedtuple("Event", "at kind ids value")


def numbers(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read(path):
    """Its rows."""
    events = []
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                at, kind, ids, value = line.rstrip("\n").split("\t")
                events.append(Event(int(at), kind, tuple(numbers(ids)), value))
    return events


class State:
    """What there is at some time, and what is published."""

    def __init__(self):
        self.paths = {}      # of pages, by number
        self.text = {}       # None: gone
        self.bytes = {}      # times they moved
        self.said = {}       # lastmod or None, of listed ones, by number
        self.shown = {}
        self.published = None  # when, and None: withdrawn
        self.count = 0

    def happen(self, event):
        for i in event.ids:
            if event.kind == "U":
                self.paths[i] = path_of(event.value)
            elif event.kind in "NC":
                self.text[i] = event.value
                self.bytes[i] = self.bytes.get(i, 0) + 1
            elif event.kind == "B":
                self.bytes[i] = self.bytes.get(i, 0) + 1
            elif event.kind == "X":
                self.text[i] = None
            elif event.kind == "R":
                self.said.pop(i, None)
            elif event.kind == "A":
                self.said[i] = None
            elif event.kind == "L":
                self.said[i] = None if event.value == "-" else event.value
        if event.kind == "P":
            self.published = None if event.value == "-" else event.at
            self.count += 1
            if self.published is not None:
                self.shown = dict(self.said)


def path_of(url):
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(("", "", parts.path or "/", parts.query, ""))


def spell(ids):
    return ",".join("%d" % i for i in ids)


def cut(events, begin, days):
    """So many days of it, that begin with what there was; pages of one host."""
    state = State()
    end = begin + days * DAY
    hosts = {}
    rest = [e for e in events if begin < e.at < end]
    for event in events:
        if event.kind == "U":
            hosts[event.ids[0]] = urllib.parse.urlsplit(event.value).netloc
        if event.at <= begin:
            state.happen(event)
    used = set(state.shown) | set(state.said) | {i for e in rest if e.kind != "D" and e.kind != "P"
                                                 for i in e.ids}
    main = collections.Counter(hosts[i] for i in used).most_common(1)[0][0]
    number = {old: new for new, old in enumerate(sorted(i for i in used if hosts[i] == main))}
    urls = {e.ids[0]: e.value for e in events if e.kind == "U"}
    out = [Event(begin, "D", (0,), "https://%s/sitemap.xml" % main)]
    out += [Event(begin, "U", (new,), urls[old]) for old, new in number.items()]
    for old, new in number.items():
        if old in state.text:
            gone = state.text[old] is None
            out.append(Event(begin, "X" if gone else "N", (new,),
                             "-" if gone else state.text[old]))
    listed = [number[i] for i in state.shown if i in number]
    if listed:
        out.append(Event(begin, "A", tuple(sorted(listed)), "0"))
    for old, lastmod in state.shown.items():
        if lastmod is not None and old in number:
            out.append(Event(begin, "L", (number[old],), lastmod))
    out.append(Event(begin, "P", (0,), "%d" % len(listed)))
    for event in rest:
        if event.kind in "DU":
            continue
        ids = event.ids if event.kind == "P" else tuple(
            number[i] for i in event.ids if i in number)
        if ids:
            out.append(event._replace(ids=ids))
    # so that it lasts as long as it is said to
    out.append(Event(end, "P", (0,), "%d" % len(listed)))
    return out


def write(events, path):
    with open(path, "w", encoding="utf-8") as f:
        f.write("# freshet-trace 1\n")
        for e in events:
            f.write("%d\t%s\t%s\t%s\n" % (e.at, e.kind, spell(e.ids), e.value))


# --- how fresh --------------------------------------------------------------


class Freshness:
    """Pages that are listed, and the part of them that a copy is like."""

    def __init__(self, events):
        self.state = State()
        self.events = events
        self.next = 0
        self.copies = {}  # text, None: gone
        self.fresh = self.listed = 0.0
        self.at = events[0].at

    def sums(self):
        fresh = sum(1 for i in self.state.shown
                    if i in self.copies and self.copies[i] == self.state.text.get(i))
        return fresh, len(self.state.shown)

    def go(self, until, counts):
        """On to that time; what happens then has happened."""
        while True:
            is_over = self.next == len(self.events) or self.events[self.next].at > until
            at = until if is_over else self.events[self.next].at
            if at > self.at:
                if counts:
                    fresh, listed = self.sums()
                    self.fresh += fresh * (at - self.at)
                    self.listed += listed * (at - self.at)
                self.at = at
            if is_over:
                return
            self.state.happen(self.events[self.next])
            self.next += 1


def freshness(events, fetches):
    """Over the second half of its days; fetches: (time, page, has answered)."""
    begin, end = events[0].at, events[-1].at
    middle = begin + int((end - begin) / DAY + 0.999999) // 2 * DAY
    world = Freshness(events)
    is_late = False
    for at, page, answered in sorted(fetches) + [(end, None, False)]:
        at = min(at, end)
        if not is_late and at >= middle:
            world.go(middle, False)
            is_late = True
        world.go(at, is_late)
        if answered:
            world.copies[page] = world.state.text.get(page)
    return world.fresh / world.listed


# --- the programs -----------------------------------------------------------


class Replay:
    """program follows the clock already, which says when the trace begins."""

    def __init__(self, program, events, clock, seed=1):
        self.program = program
        self.events = events
        self.clock = clock
        self.random = random.Random(seed)
        self.state = State()
        self.next = 0
        self.fetches = []  # (when, page, was it answered)
        self.acks = collections.Counter()
        self.statuses = collections.Counter()
        self.site = Site()
        self.site.find = self.find
        self.numbers = {}
        self.connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=600)

    def close(self):
        self.connection.close()
        self.site.close()

    # the site

    def find(self, request):
        if request.target == "/robots.txt":
            return Reply("User-agent: *\nSitemap: %s\n" % self.site.url("/index.xml"))
        if self.state.published is None and request.target in ("/index.xml", "/sitemap.xml.gz"):
            return Reply(status=404)
        etag = '"%d"' % self.state.count
        if request.target == "/index.xml":
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.state.published))
            return Reply('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                         "<sitemap><loc>%s</loc><lastmod>%s</lastmod></sitemap></sitemapindex>"
                         % (self.site.url("/sitemap.xml.gz"), at), etag=etag)
        if request.target == "/sitemap.xml.gz":
            return Reply(gzip.compress(self.sitemap().encode(), mtime=0), etag=etag)
        return self.page(request)

    def sitemap(self):
        entries = ["<url><loc>%s</loc>%s</url>" % (
            self.site.url(self.state.paths[i]).replace("&", "&amp;"),
            "" if lastmod is None else "<lastmod>%s</lastmod>" % lastmod)
            for i, lastmod in sorted(self.state.shown.items())]
        return ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>'
                % "".join(entries))

    def page(self, request):
        page = self.numbers.get(request.target)
        if page is None or self.state.text.get(page) is None:
            return Reply(status=404)
        if self.random.random() < FAILING:
            return Reply(status=500)
        return Reply("menu %d\ntext %s\n" % (self.state.bytes[page], self.state.text[page]),
                     etag='"%s-%d"' % (self.state.text[page], self.state.bytes[page]))

    def pass_time(self):
        """What has happened by now."""
        now = self.clock.now()
        with self.site.lock:
            while self.next < len(self.events) and self.events[self.next].at <= now:
                event = self.events[self.next]
                self.state.happen(event)
                if event.kind == "U":
                    self.numbers[path_of(event.value)] = event.ids[0]
                self.next += 1

    # the fetcher

    def fetch(self, page):
        path = page["url"][len(self.site.origin):]
        headers = {"If-None-Match": page["etag"]} if page["etag"] else {}
        self.connection.request("GET", path, headers=headers)
        reply = self.connection.getresponse()
        body = reply.read().decode()
        self.statuses[reply.status] += 1
        self.fetches.append((self.clock.now(), self.numbers[path], reply.status < 500))
        result = {"lease": page["lease"], "url": page["url"], "status": reply.status,
                  "bytes": len(body), "etag": reply.headers.get("ETag")}
        if reply.status == 200:
            result["content_hash"] = body.split()[-1]
        return json.dumps({k: v for k, v in result.items() if v is not None})

    def advance(self, seconds):
        self.clock.step(seconds, seconds, PATIENCE_S)

    def tell(self, done, line):
        """To 'done', and what it answers."""
        done.stdin.write(line.encode() + b"\n")
        while not select.select([done.stdout], [], [], 0)[0]:
            # it waits a moment for further results
            self.advance(min(self.clock.settle(PATIENCE_S) or 0, 0.1))
        answer = json.loads(done.stdout.readline())
        self.acks[answer.get("reason") or answer["ack"]] += 1

    def spend(self, done, pages):
        """So many, or what is due."""
        due = self.program.run("due", "-q", "-n", "%d" % pages)
        if due.status != 0:
            raise AssertionError(str(due))
        for page in due.records():
            self.tell(done, self.fetch(page))
        return len(due.records())

    def live(self, done, pages_a_tick):
        """Tick by tick, as the simulator: what a tick leaves is not saved up."""
        begin, end = self.events[0].at, self.events[-1].at
        credit, tick = 0.0, begin + TICK_S // 2  # what is new has been read by then
        wait = self.clock.settle(PATIENCE_S)
        while self.clock.now() < end:
            self.pass_time()
            if self.clock.now() >= tick:
                tick += TICK_S
                credit += pages_a_tick
                if credit >= 1 - 1e-9:
                    credit -= self.spend(done, int(credit + 1e-9))
                    wait = self.clock.settle(PATIENCE_S)
                credit = min(credit, max(1, pages_a_tick))
                continue
            coming = [end, tick] + [e.at for e in self.events[self.next:self.next + 1]]
            left = min(coming) - self.clock.now()
            # between these nobody says anything to the others
            wait = self.clock.pass_idle(
                max(0, left if wait is None else min(wait, left)), PATIENCE_S)

    def start(self, *args, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        process = subprocess.Popen([self.program.binary] + list(args), stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=stderr, bufsize=0,
                                   env=self.program.environment(), cwd=self.program.folder,
                                   preexec_fn=parent_death.with_parent())
        self.program.running.append(process)
        return process

    def run(self, pages_a_day, log=subprocess.DEVNULL):
        """To the end of the trace."""
        self.pass_time()
        added = self.program.run("add", "--every", READ_EVERY, "--pages-every", PAGES_EVERY,
                                 self.site.url("/"))
        if added.status != 0:
            raise AssertionError(str(added))
        daemon = self.start("run", stderr=log)
        while not os.path.exists(self.program.store + ".sock"):
            if daemon.poll() is not None:
                raise AssertionError("'run' has ended: %d" % daemon.returncode)
            time.sleep(0.01)
        done = self.start("done", stdin=subprocess.PIPE, stderr=log)
        self.clock.wait_followers(2)
        self.live(done, pages_a_day * TICK_S / DAY)
        for process in (done, daemon):
            process.terminate()
            process.wait(20)
