"""freshet run over many hosts keeps the budget of each host, and the budget of
all together."""
import bisect
import collections
import os
import time
import unittest

from daemon import Daemon
from test_many_hosts import FULL, Many

HOUR = 3600
HOSTS = 999 if FULL else 30
CHILDREN = 3
DOCUMENTS = CHILDREN + 1
EVERY = 600
HOURS = 2           # after the second generation
BURST = 300         # seconds: what they bring may be spent at once
PATIENCE = 500 if FULL else 60
SLACK = 2           # seconds: what is due is told by the second
SHARE = 0.5         # of the total budget, for documents


class Budgets(Many):
    """Budgets over hours of the test's clock, without waiting."""

    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.marks = []  # (real seconds, those of the clock) at each leap

    def mark(self, at):
        self.marks.append((time.monotonic(), at))

    def leap(self, seconds):
        until = self.clock.now() + seconds
        self.clock.leap(until=until, before=self.mark)
        self.clock.wait_until(until, timeout=PATIENCE)

    def add(self, server, budgets):
        """Add the hosts, which get these budgets in turn. Returns {host:
        requests an hour}."""
        of = {}
        for n, budget in enumerate(budgets):
            hosts = server.hosts[n::len(budgets)]
            path = os.path.join(self.program.folder, "hosts%d" % n)
            with open(path, "w", encoding="ascii") as f:
                f.writelines("http://%s/\n" % host for host in hosts)
            more = [] if budget is None else ["--budget", "%d/h" % budget]
            result = self.program.run("add", "--every", "%ds" % EVERY, *more, "-i", path)
            self.assertEqual(result.status, 0, str(result)[:2000])
            of.update((host, budget) for host in hosts)
        return of

    def live(self, server, budgets, *args):
        """Let the daemon see two generations of the sites. Returns {host:
        budget}, the time of the second generation, and the requests since all
        sites were read: [(clock, request)]."""
        of = self.add(server, budgets)
        self.mark(self.clock.now())
        daemon = Daemon(self.program, *args, *server.connect_to)
        self.clock.leap(until=self.clock.now() + EVERY / 2, before=self.mark)
        for _ in server.hosts:
            daemon.wait("crawled", timeout=600)
        whole = time.monotonic()
        self.clock.wait_until(1767225600 + EVERY / 2)
        self.leap(HOUR)
        server.swap()
        swapped = self.clock.now()
        self.leap(HOURS * HOUR)
        self.assertEqual(daemon.end(), 143)
        server.close()
        reals = [real for real, _ in self.marks]
        asked = []
        for request in server.requests():
            if request.at > whole:
                real, at = self.marks[bisect.bisect(reals, request.at) - 1]
                asked.append((at + request.at - real, request))
        return of, swapped, asked

    def assertWithin(self, times, per_hour, burst):
        """Assert that a token bucket allows these requests: between any two of
        them there are at most as many as the bucket holds and receives in that
        time. Comparing with the lowest level so far checks all pairs."""
        rate = per_hour / HOUR
        times = sorted(times)
        holds = max(1, rate * burst) + rate * SLACK
        least = -rate * times[0]
        for n, at in enumerate(times):
            least = min(least, n - rate * at)
            self.assertLessEqual(n + 1 - rate * at - least, holds + 1e-6, times[:n + 1])

    def changes(self, server, swapped, asked):
        """Returns {host: seconds until the last of its changes was read}."""
        wanted = {(host, "/c%d.xml.gz" % child) for host in server.hosts
                  for child in range(CHILDREN) if server.world.is_changed(host, child)}
        read = {(r.host, r.path): at - swapped for at, r in asked
                if r.status == 200 and at > swapped}
        self.assertEqual(set(read), wanted)
        last = collections.defaultdict(float)
        for (host, _), after in read.items():
            last[host] = max(last[host], after)
        return last

    def test_of_each_site(self):
        server = self.thousand(hosts=HOSTS, children=CHILDREN, urls=5, max_time=2 * PATIENCE)
        of, swapped, asked = self.live(server, (None, 6, 12))
        times = collections.defaultdict(list)
        for at, request in asked:
            times[request.host].append(at)
        for host, budget in of.items():
            if budget is not None:
                self.assertWithin(times[host], budget, BURST)
                # and it is spent: what is asked for is more
                self.assertGreaterEqual(len(times[host]), budget * HOURS)
            else:
                self.assertGreaterEqual(len(times[host]), DOCUMENTS * HOURS * HOUR / EVERY)
        for host, after in self.changes(server, swapped, asked).items():
            bound = EVERY if of[host] is None else DOCUMENTS / of[host] * HOUR
            self.assertLessEqual(after, bound + 60, "%s, %s/h" % (host, of[host]))
        self.assertWhole(server)

    def test_of_all(self):
        server = self.thousand(hosts=HOSTS, children=CHILDREN, urls=5, max_time=2 * PATIENCE)
        total = HOSTS * DOCUMENTS / SHARE
        of, swapped, asked = self.live(server, (None, 2), "--total-budget", "%d/h" % total)
        self.assertWithin([at for at, _ in asked], total, 1)
        self.assertGreater(len(asked), HOURS * total * SHARE * 0.9)
        for host, after in self.changes(server, swapped, asked).items():
            bound = 1 if of[host] is None else DOCUMENTS / of[host]
            self.assertLessEqual(after, bound * HOUR + 120, "%s, %s/h" % (host, of[host]))
        self.assertWhole(server)


if __name__ == "__main__":
    unittest.main()
