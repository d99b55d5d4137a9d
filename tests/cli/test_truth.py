"""Sixty days of sites that are reorganised, compared with a truth that the test
computes (SPEC 15.3)."""
import random
import unittest

from case import index, urlset
from clock import DAY
from daemon import Daemon
from test_clock import Clocked

DAYS = 60
DROP_LEAST = 10         # entries from which on a drop is a share of them
DROP_PERCENT = 30


class Truth:
    """What a document is known to list, by the text of the specification."""

    def __init__(self):
        self.listed, self.missed, self.held = set(), set(), set()
        self.is_read = False
        self.absent_days = 0

    def read(self, now, is_whole=True):
        if not is_whole:
            self.missed -= now
            self.held -= now
            self.listed |= now
            return
        absent = self.listed - now
        fresh = absent - self.held
        lasting = len(self.listed)
        drops = (not now and bool(fresh)) if lasting < DROP_LEAST else (
            len(fresh) * 100 > lasting * DROP_PERCENT)
        gone_held = absent & self.held
        if self.is_read and drops:
            self.missed = set()
            self.held = fresh
            self.listed = now | fresh
        else:
            self.missed = fresh
            self.held = set()
            self.listed = set(now)
        self.listed -= gone_held
        self.is_read = True

    def end(self):
        self.__init__()


OF_CHILDREN = ("more", "more", "fewer", "fewer", "many", "empty", "rename", "split", "join",
               "drop", "drop404", "child", "over", "both", "cut")
OF_ALL = OF_CHILDREN + ("503", "404", "index", "lost", "back", "twice")


class World:
    """One site: what it publishes, and what freshet can know of it."""

    def __init__(self, server, rng, events):
        self.server, self.rng, self.events = server, rng, events
        self.number = self.names = 0
        self.docs = {}          # path -> set of pages
        self.states = {}        # path -> ("ok"|"503"|"404"|"cut", days left)
        self.children = {}      # index path -> list
        self.lines = []
        self.known = {}         # path -> Truth
        self.indexes = {}       # path -> Truth, of children
        self.roots = {}         # path -> readings of robots.txt that lacked it
        self.since = {}         # path -> day on which it was first lacked
        self.read_day = {}      # path -> day of its last complete reading
        self.before = (set(), set())
        first = self.name("index")
        self.lines = [first]
        self.children[first] = []
        for _ in range(4):
            self.add_child(first, self.pages(self.rng.randrange(20, 60)))

    def name(self, kind):
        self.names += 1
        return "/%s%d.xml" % (kind, self.names)

    def pages(self, count, prefix="/p"):
        self.number += count
        return {"%s/%05d" % (prefix, n) for n in range(self.number - count, self.number)}

    def add_child(self, parent, pages):
        path = self.name("map")
        self.docs[path] = set(pages)
        self.children[parent].append(path)
        return path

    # --- what happens -----------------------------------------------------

    def happen(self):
        parent = self.lines[0] if self.lines else next(iter(self.children))
        children = [c for c in self.children[parent] if c in self.docs and c not in self.states]
        if len(children) < 2:
            self.add_child(parent, self.pages(30))
            return "child"
        one, other = self.rng.sample(children, 2)
        some = sorted(self.docs[one])
        what = self.rng.choice(self.events)
        if what == "503" and self.states:
            what = "more"   # a host that says so too often is left alone
        if what == "more":
            self.docs[one] |= self.pages(self.rng.randrange(1, 9))
        elif what == "fewer":
            self.docs[one] -= set(some[:len(some) // 5])
        elif what == "many":
            self.docs[one] -= set(some[:len(some) // 2])
        elif what == "empty":
            self.docs[one] = set()
        elif what == "rename":
            self.add_child(parent, self.docs[one])
            self.drop(parent, one, True)
        elif what == "split":
            self.add_child(parent, some[::2])
            self.add_child(parent, some[1::2])
            self.drop(parent, one, False)
        elif what == "join":
            self.docs[other] |= self.docs[one]
            self.drop(parent, one, True)
        elif what in ("drop", "drop404"):
            self.drop(parent, one, what == "drop404")
        elif what == "child":
            self.add_child(parent, self.pages(25) | set(some[:3]))
        elif what == "over":
            self.docs[other] |= set(some[:5])
            self.docs[one] -= set(some[:5])
        elif what == "both":
            self.docs[other] |= set(some[:8])
        elif what in ("503", "404", "cut"):
            self.states[one] = (what, self.rng.randrange(1, 12))
        elif what == "index":
            path = self.name("index")
            self.children[path] = children[1:]
            self.add_child(path, self.pages(10))
            self.lines = [path]
        elif what == "lost":
            self.lines = []
        elif what == "back" and not self.lines:
            self.lines = [list(self.children)[-1]]
        elif what == "twice":
            self.children[parent].append(self.children[parent][0])
        return what

    def drop(self, parent, child, is_404):
        self.children[parent].remove(child)
        if is_404:
            self.docs.pop(child, None)

    def publish(self):
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow:\n" + "".join(
            "Sitemap: %s\n" % url(line) for line in self.lines))
        for path, children in self.children.items():
            self.server.put(path, index([url(child) for child in children]))
        for path in list(self.known) + list(self.docs):
            state, days = self.states.get(path, ("ok", 0))
            pages = sorted(self.docs.get(path, ()))
            body = urlset([url(page) for page in pages])
            if path not in self.docs or state == "404":
                self.server.drop(path)
            elif state == "503":
                self.server.put(path, "", status=503)
            elif state == "cut":
                self.server.put(path, body[:body.find("</url>") + 6] if pages else body[:-20])
            else:
                self.server.put(path, body)

    def age(self):
        for path, (state, days) in list(self.states.items()):
            if days <= 1:
                del self.states[path]
            else:
                self.states[path] = (state, days - 1)

    # --- what is to be known ----------------------------------------------

    def crawl(self, day):
        """Read the whole site, as a daily crawl does."""
        for line in self.lines:
            self.roots[line] = 0
            self.since.pop(line, None)
        for root in self.roots:
            if root not in self.lines:
                # two in a row lack it and name another
                self.roots[root] = self.roots[root] + 1 if self.lines else 0
                self.since.setdefault(root, day)
                if not self.lines:
                    del self.since[root]
        for root in [r for r, lacked in self.roots.items() if lacked >= 2]:
            if any(other in self.roots and self.read_day.get(other, -1) >= self.since[root]
                   for other in self.lines):
                del self.roots[root], self.since[root]
        self.settle()
        done = set()
        queue = list(self.roots)
        while queue:
            path = queue.pop(0)
            if path in done:
                continue
            done.add(path)
            if path in self.children:
                truth = self.indexes.setdefault(path, Truth())
                truth.read(set(self.children[path]))
                self.read_day[path] = day
                queue += sorted(truth.listed - truth.held)
                continue
            truth = self.known.setdefault(path, Truth())
            state, _ = self.states.get(path, ("ok", 0))
            if path not in self.docs or state == "404":
                truth.absent_days += 1
            elif state == "503":
                truth.absent_days = 0
            elif state == "cut":
                truth.absent_days = 0
                truth.read(set(sorted(self.docs[path])[:1]), is_whole=False)
            else:
                truth.absent_days = 0
                truth.read(set(self.docs[path]))
            if truth.absent_days > 7:
                days = truth.absent_days
                truth.end()
                truth.absent_days = days
        self.settle()
        listed, present = self.sets()
        before_listed, before_present = self.before
        self.before = (listed, present)
        return {"listed": len(listed), "added": len(listed - before_present),
                "gone": len(before_present - present),
                "returned": len((listed & before_present) - before_listed),
                "removed": len((before_listed - listed) & present)}

    def settle(self):
        led, queue = set(), list(self.roots)
        while queue:
            path = queue.pop()
            if path not in led:
                led.add(path)
                if path in self.indexes:
                    truth = self.indexes[path]
                    queue += truth.listed | truth.missed
        for path in list(self.known):
            if path not in led:
                del self.known[path]
        for path in list(self.indexes):
            if path not in led:
                del self.indexes[path]

    def sets(self):
        listed, present = set(), set()
        for truth in self.known.values():
            listed |= truth.listed
            present |= truth.listed | truth.missed
        return listed, present


class SixtyDays(Clocked):
    each_alone = True

    def play(self, seed):
        self.clock.leap()
        world = World(self.server, random.Random(seed), OF_ALL)
        history = []
        for day in range(DAYS):
            if day > 0 and day % 2 == 0:
                history.append("%d: %s" % (day, world.happen()))
            world.publish()
            truth = world.crawl(day)
            if day == 0:
                truth["added"] = 0
            crawl = self.crawl(self.server.url("/"), status=None)
            urls = crawl.summary["urls"]
            self.assertEqual({key: urls[key] for key in truth}, truth,
                             "seed %d, day %d, after %s\n%s" % (
                                 seed, day, ", ".join(history[-6:]), crawl))
            listed = sorted(self.server.url(page) for page in world.before[0])
            self.assertEqual(self.program.urls(), listed)
            world.age()
            self.clock.advance(DAY)
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))

    def play_run(self, seed):
        """A reading every six hours.  What happened is settled 36 hours
        later: a mass drop is held for 22 hours after the first of them."""
        world = World(self.server, random.Random(seed), OF_CHILDREN)
        world.publish()
        world.crawl(0)
        result = self.program.run("add", "--every", "6h", self.server.url("/"))
        self.assertEqual(result.status, 0, str(result))
        daemon = Daemon(self.program)
        self.addCleanup(daemon.end)
        daemon.wait("crawled", site="127.0.0.1")
        first = len(world.before[0])
        history = []
        for day in range(1, DAYS * 2 // 3):
            if day % 2 == 0:
                history.append("%d: %s" % (day, world.happen()))
            world.publish()
            for _ in range(3):
                world.crawl(day)
            until = self.clock.now() + DAY * 3 // 2
            self.clock.leap(until=until, stride=1800)
            self.clock.wait_until(until)
            self.clock.settle()
            listed = sorted(self.server.url(page) for page in world.before[0])
            self.assertEqual(self.program.urls(), listed, "seed %d, day %d, after %s" % (
                seed, day, ", ".join(history[-6:])))
            site, = self.program.run("list", "--json").records()
            self.assertEqual(site["urls"], len(listed))
            world.age()
        sums, = self.program.run("sql", "--json", "SELECT sum(site_new) AS new,"
                                 " sum(site_gone) AS gone FROM main.reading").records()
        self.assertEqual(first + sums["new"] - sums["gone"], len(listed))
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))

    def test_run_one(self):
        self.play_run(5)

    def test_run_two(self):
        self.play_run(6)

    def test_one(self):
        self.play(1)

    def test_two(self):
        self.play(2)

    def test_three(self):
        self.play(3)

    def test_four(self):
        self.play(4)


if __name__ == "__main__":
    unittest.main()
