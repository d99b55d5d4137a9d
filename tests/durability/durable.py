"""What the tests of durability share: a site, and an oracle.

The oracle is a crawl that nobody disturbed: whatever happened to another one
of the same site, once it was run to its end the store must tell the same.
"""
import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import time

import counts
import parent_death
from case import Case, index, urlset
from processes import is_alive
from program import Result

FULL = counts.FULL
SEED = 20260101


def noise(*numbers):
    """What does not compress."""
    return hashlib.sha256(repr(numbers).encode()).hexdigest()[:16]


class World:
    """A site of an index and its children, in two generations."""

    def __init__(self, site, children=24, entries=40, delay=0.02):
        self.site = site
        self.children = children
        self.entries = entries
        self.delay = delay
        self.index = site.url("/index.xml")
        self.generation = 0

    def body(self, child, generation):
        """Of three children one keeps its bytes, one gains, loses and
        re-dates entries, one answers 304."""
        first = 5 * generation if child % 3 == 1 else 0
        date = "2026-01-%02d" % (1 + (generation if child % 3 == 1 else 0))
        return urlset([(self.site.url("/%d/%03d-%s" % (child, k, noise(child, k))), date)
                       for k in range(first, first + self.entries)])

    def serve(self, generation):
        """In the second generation two children left and two came."""
        self.generation = generation
        names = range(2 * generation, 2 * generation + self.children)
        self.site.replies.clear()
        self.site.put("/index.xml", index([self.site.url("/s%02d.xml" % n) for n in names]),
                      etag='"i%d"' % generation, delay=self.delay)
        for n in names:
            tag = 0 if n % 3 == 2 else generation
            self.site.put("/s%02d.xml" % n, self.body(n, generation),
                          etag='"%d-%d"' % (n, tag), delay=self.delay)

    def hurry(self):
        for reply in self.site.replies.values():
            reply.delay = 0


class Durable(Case):
    """self.world is served; self.base, a folder, holds the store before it."""

    GENERATION = 0
    WORLD = {}

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.world = World(self.server, **self.WORLD)
        # in the part tier each run goes another way
        self.random = random.Random("%d %s %s" % (SEED, self.id(), counts.turn(self.id()) or ""))
        self.base = os.path.join(self.program.folder, "base")
        os.mkdir(self.base)
        for generation in range(self.GENERATION):
            self.world.serve(generation)
            self.world.hurry()
            self.crawl("--store", os.path.join(self.base, "store.db"), self.world.index)
        if self.GENERATION:
            time.sleep(1.1)  # the times of the base differ from all later ones
        self.begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.world.serve(self.GENERATION)
        self.whole = self.uninterrupted()

    def some(self, points, count, what="", part=None):
        """As counts.some, of this test."""
        return counts.some(" ".join(filter(None, (self.id(), what))), points, count, part)

    # --- stores ---------------------------------------------------------------

    def fresh(self):
        """A folder of its own for the next trial, beginning from the base."""
        folder = os.path.join(self.program.folder, "trial")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.base, folder)
        self.program.store = os.path.join(folder, "store.db")
        return folder

    def look(self, ask):
        """ask(connection) on a copy of the store: looking at the store itself
        would checkpoint it.  None when there is no store yet."""
        folder = os.path.join(self.program.folder, "copy")
        shutil.rmtree(folder, ignore_errors=True)
        # a socket is left behind by whoever was killed
        shutil.copytree(os.path.dirname(self.program.store), folder,
                        ignore=shutil.ignore_patterns("*.sock"))
        path = os.path.join(folder, os.path.basename(self.program.store))
        if not os.path.exists(path):
            return None
        connection = sqlite3.connect(path)
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                return None  # it died before there was a schema
            return ask(connection)
        finally:
            connection.close()

    def committed(self):
        """URLs of the documents that were read by this crawl, robots.txt left
        out, each as often as there are readings of it."""
        def ask(connection):
            return [row[0] for row in connection.execute(
                "SELECT d.url FROM reading r JOIN document d ON d.id = r.document_id"
                " WHERE r.id > ? AND r.outcome IN ('read', 'unchanged')"
                " AND d.url NOT LIKE '%/robots.txt'", (self.last_base_reading(),))]
        return self.look(ask) or []

    def last_base_reading(self):
        path = os.path.join(self.base, "store.db")
        if not os.path.exists(path):
            return 0
        connection = sqlite3.connect(path)
        try:
            return connection.execute("SELECT max(id) FROM reading").fetchone()[0] or 0
        finally:
            connection.close()

    def is_under_way(self):
        """Does the store know of a crawl that is not over?"""
        def ask(connection):
            return connection.execute(
                "SELECT count(*) FROM site WHERE crawl_begun_s <> 0").fetchone()[0] > 0
        return bool(self.look(ask))

    def assertSound(self):
        """No promise of the store is broken."""
        def readings(connection):
            return connection.execute("SELECT count(*) FROM reading").fetchone()[0]
        count = self.look(readings)
        if count is None:
            return
        copy = os.path.join(self.program.folder, "copy", "store.db")
        result = self.program.run("db", "fsck", "--store", copy)
        if result.status == 2 and count == 0:
            # it was killed between two steps of its making
            self.assertIn("is older than", result.err)
            return
        self.assertEqual(result.status, 0, str(result))

    def crawl_under(self, *command, told_as=(), env=None, words=None):
        """A crawl, or other words, that this command runs; told_as: it, in messages."""
        args = list(command) + [self.program.binary] + list(words or (
            "crawl", "--json", "--progress", "off", self.world.index))
        done = subprocess.run(args, env=self.program.environment(env), cwd=self.program.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                              preexec_fn=parent_death.with_parent())
        return Result(told_as, done.returncode, done.stdout.decode(), done.stderr.decode(), 0)

    # --- the oracle -------------------------------------------------------------

    def masked(self, rows):
        """Two crawls cannot read at the same second, nor need their readings
        have the same numbers, since robots.txt is read anew: times since this
        test began are masked, those of the base are compared."""
        for row in rows:
            row.pop("reading", None)
            for column in ("first_seen", "redated", "at"):
                if (row.get(column) or "") >= self.begun:
                    row[column] = "since"
        return sorted(json.dumps(row, sort_keys=True) for row in rows)

    def told(self, *since):
        """What the store tells: entries, present and removed, and changes: of the latest crawl,
        or since then."""
        return (self.masked(self.program.export("--all")),
                self.masked(self.program.export("--changes", *since)))

    def uninterrupted(self):
        """What an undisturbed crawl of the world leads to; self.first and
        self.step: seconds to the first commit, and from each to the next."""
        self.fresh()
        begin = time.monotonic()
        process = self.program.start("crawl", "--json", "--progress", "off", self.world.index)
        times = []
        while True:
            line = process.stdout.readline()
            if not line:
                break
            if json.loads(line)["type"] == "document":
                times.append(time.monotonic() - begin)
        self.assertEqual(process.wait(timeout=600), 0, process.stderr.read().decode())
        self.first, self.step = times[0], (times[-1] - times[0]) / len(times)
        self.documents = len(self.committed())
        self.assertEqual(self.documents, self.world.children + 1)
        return self.told()

    def assertSame(self, told):
        for got, wanted in zip(told, self.whole):
            self.assertEqual(len(got), len(wanted))
            self.assertEqual(got, wanted)

    def resume(self, committed):
        """Run to the end; nothing of committed is asked for again."""
        self.server.forget()
        self.world.hurry()
        if self.is_under_way() or not committed:
            # a resumed crawl waits for one delay first, for the sake of its hosts
            self.crawl("--delay", "0", self.world.index)
            again = [u for u in committed if self.server.asked(u[len(self.server.origin):])]
            self.assertEqual(again, [], "committed, and asked for again")
        self.world.serve(self.GENERATION)
        self.assertSound()
        self.assertSame(self.told())

    def judge(self, result, statuses):
        """The run ended as it may, what it told of is there, and the next
        one completes it."""
        self.assertIn(result.status, statuses, str(result))
        self.assertSound()
        committed = self.assertKept(result.out)
        if result.status == 0:
            self.assertSame(self.told())
        self.resume(committed)

    @staticmethod
    def acknowledged(out):
        """URLs of the documents that the output, cut anywhere, tells of."""
        found = []
        for line in out.splitlines(keepends=True):
            if not line.endswith("\n"):
                continue
            record = json.loads(line)
            if record["type"] == "document" and record["kind"] != "robots" and \
                    record["outcome"] in ("read", "unchanged"):
                found.append(record["url"])
        return found

    def assertKept(self, out):
        """What was told of is in the store, once; answers what is there."""
        committed = self.committed()
        self.assertEqual(len(committed), len(set(committed)), "read twice")
        self.assertEqual([u for u in self.acknowledged(out) if u not in committed], [],
                         "told of, and not in the store")
        return committed

    def assertGone(self, pids, seconds=60):
        """HOSTILE P5: nothing survives main."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(map(is_alive, pids)):
            time.sleep(0.02)
        self.assertEqual([pid for pid in pids if is_alive(pid)], [])
