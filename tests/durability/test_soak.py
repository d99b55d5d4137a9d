"""A month of a thousand sites (HOSTILE P13), with servers and readers that fail: memory,
descriptors, processes and the store do not grow once all is known, and the first readings
are old enough to be forgotten.  Not in the quick tier.
"""
import os
import random
import unittest

import counts
from case import Case
from clock import DAY
from daemon import Daemon
from processes import descendants, files_of, kill, named
from thousand import Thousand

SITES = int(os.environ.get("FRESHET_SOAK_SITES", "1000"))
DAYS = int(os.environ.get("FRESHET_SOAK_DAYS", "30"))
FAULTY = 97  # of so many requests one fails
KNOWN = 3    # days until all is known
READERS = 8  # processes that may read at once
KEPT = 7     # days that a reading is kept: what is new takes the room of what is forgotten
STORE = 1.01 # times that the store may grow after that
LOG = 8 << 20  # bytes of its log, which is brought into it before
FILES = 512  # that may be open: fewer than the hosts need, each of which has a connection that is kept
OPEN = 64 + (FILES - 64) // 3 * 2  # of them at rest: a connection and a spool file for each transfer
KIB = 3000   # that memory may differ from day to day: what is under way, and how it fragments


class State:
    """What the daemon has of a machine, at rest."""

    def __init__(self, daemon, store):
        pid = daemon.process.pid
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
            found = dict(line.split(":", 1) for line in f)
        self.kib = int(found["VmRSS"].split()[0])
        self.threads = int(found["Threads"])
        self.files = len(files_of(pid))
        self.processes = len(descendants(pid))
        self.store, self.log = (os.path.getsize(store + suffix) if os.path.exists(store + suffix) else 0
                                for suffix in ("", "-wal"))

    def __str__(self):
        return "%d KiB, %d threads, %d files, %d processes, store %d KiB, log %d KiB" % (
            self.kib, self.threads, self.files, self.processes, self.store >> 10, self.log >> 10)


@unittest.skipUnless(counts.FULL or counts.PART, "a month takes minutes")
class Month(Case):
    def test_month(self):
        self.follow_clock()
        server = Thousand(hosts=SITES, children=1, urls=20, faulty=FAULTY, max_time=1200)
        self.addCleanup(server.close)
        path = os.path.join(self.program.folder, "hosts")
        with open(path, "w", encoding="ascii") as f:
            f.writelines("http://%s/\n" % host for host in server.hosts)
        added = self.program.run("add", "--every", "1d", "-i", path)
        self.assertEqual(added.status, 0, str(added)[:2000])
        self.limit_files()
        daemon = Daemon(self.program, "--log", "text", "--delay", "0", "--keep", "%dd" % KEPT,
                        *server.connect_to, log=False)
        self.clock.wait_followers(1)
        chance, days = random.Random(counts.turn(self.id())), []
        for _ in range(DAYS):
            end = self.clock.now() + DAY
            self.clock.leap(until=end)
            for _ in range(3):  # faults of a day
                # the clock holds at the end of the day, however late this comes
                self.clock.wait_until(min(end, self.clock.now() + DAY / 5))
                readers = named(descendants(daemon.process.pid), "freshet-reader")
                if readers:
                    kill(chance.choice(readers))
            self.clock.wait_until(end)
            self.clock.settle()
            self.assertIsNone(daemon.process.poll(), str(daemon))
            days.append(State(daemon, self.program.store))
        counts.add(self.id(), DAYS)
        self.judge(days)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.program.run("db", "fsck").status, 0)
        self.assertEqual(self.program.urls(), server.expected_urls())
        server.close()
        asked = {}
        for request in server.requests():
            asked.setdefault(request.host, []).append(request.status)
        # each was read each day, whatever failed
        self.assertEqual(len(asked), SITES)
        self.assertGreaterEqual(min(len(found) for found in asked.values()), 2 * (DAYS - 1))

    def limit_files(self):
        path = os.path.join(self.program.folder, "freshet")
        with open(path, "w", encoding="ascii") as f:
            f.write('#!/bin/sh\nulimit -n %d\nexec "%s" "$@"\n' % (FILES, self.program.binary))
        os.chmod(path, 0o755)
        self.program.binary = path

    def judge(self, days):
        first, rest = days[KNOWN - 1], days[KNOWN:]
        told = "\n".join(map(str, days))
        self.assertLess(max(day.kib for day in rest) - first.kib, KIB, told)
        self.assertLessEqual(max(day.files for day in days), OPEN, told)
        self.assertLessEqual(max(day.processes for day in rest), 1 + READERS, told)
        self.assertLessEqual(max(day.threads for day in rest), max(d.threads for d in days[:KNOWN]) + 8, told)
        full = days[KNOWN + KEPT - 1:]
        self.assertLessEqual(max(day.store for day in full), STORE * full[0].store, told)
        self.assertLessEqual(max(day.log for day in days), LOG, told)


if __name__ == "__main__":
    unittest.main()
