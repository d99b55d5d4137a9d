"""Hosts and budgets that several shards share, with workers and hosts that are real: the
server is the oracle."""
import collections
import contextlib
import glob
import http.client
import os
import signal
import threading
import time
import unittest

from case import urlset
from test_depot import DepotCase

DELAY = 0.3
# the server sees a request a little later than its sender, who waits for the delay
SLACK = 0.02


class HostCase(DepotCase):
    SHARDS = 2

    def setUp(self):
        super().setUp()
        self.program.is_hasty = False
        result = self.program.run("db", "init", "--shards", str(self.SHARDS))
        self.assertEqual(result.status, 0, str(result))
        # hosts have the same homes in each run
        self.sql("UPDATE freshet.cluster SET lease_ms = 3000, hash_key = '0123456789abcdef'")
        self.web = self.site()

    def options(self):
        return ["--connect-to", "::127.0.0.1:%d" % self.web.port, "--delay", str(DELAY)]

    def worker(self, shard, *args):
        process = self.program.start("run", "--shard", str(shard), *self.options(), *args)
        process.said = []
        # a pipe that nobody reads would stop the process
        for pipe in (process.stdout, process.stderr):
            threading.Thread(target=lambda pipe=pipe: process.said.extend(pipe), daemon=True).start()
        self.wait_for(lambda: process.poll() is not None or self.holds(shard))
        self.assertIsNone(process.poll(), process.said)
        return process

    def add_all(self, sites):
        result = self.program.run("add", *["http://%s/" % site for site in sites])
        self.assertEqual(result.status, 0, str(result))

    def holds(self, shard):
        return self.sql("SELECT owner IS NOT NULL AND until > now() FROM freshet.shard WHERE shard = %d"
                        % shard) == [["t"]]

    def stop(self, *processes):
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            # the one that has just been started may not take it as a wish yet
            self.assertIn(process.wait(600), (143, -signal.SIGTERM), process.said[-5:])

    def asked(self, name):
        """What was asked of that host, in order of time."""
        return sorted((r for r in list(self.web.requests) if r.host.rsplit(":", 1)[0] == name),
                      key=lambda r: r.at)

    def hosts(self):
        return {r.host.rsplit(":", 1)[0] for r in list(self.web.requests)}

    def assertPolite(self, delay=DELAY):
        """No host was asked before its delay was over, or while it answered; returns how
        many gaps there are."""
        count = 0
        for host in self.hosts():
            asked = self.asked(host)
            for before, after in zip(asked, asked[1:]):
                self.assertGreaterEqual(
                    after.at, before.at + delay - SLACK,
                    "%s: %s, then %s after %.3f s" % (host, before, after, after.at - before.at))
                self.assertTrue(before.end is None or after.at >= before.end - SLACK,
                                "%s: %s while %s" % (host, after, before))
                count += 1
        return count


class Shared(HostCase):
    def test_documents(self):
        """The sitemaps of sites of two shards are on three other hosts."""
        thirds = ["cdn%d.example" % n for n in range(3)]
        sites = ["s%d.example" % n for n in range(6)]
        for site in sites:
            maps = ["http://%s/%s-%d.xml" % (third, site, n) for third in thirds for n in range(2)]
            self.web.put(site + "/robots.txt", "".join("Sitemap: %s\n" % url for url in maps))
            for url in maps:
                self.web.put(url[len("http://"):], urlset([("http://%s/%s" % (site, url[-5:-4]), "2026-01-01")]),
                             delay=0.05)
        workers = [self.worker(n) for n in range(self.SHARDS)]
        self.add_all(sites)
        wanted = len(sites) * len(thirds) * 2
        self.wait_for(lambda: sum(r.target.endswith(".xml") and r.status == 200
                                  for r in list(self.web.requests)) >= wanted)
        self.stop(*workers)
        self.assertGreater(self.assertPolite(), wanted)
        # both shards have asked each of them
        rows = self.sql("SELECT host, count(DISTINCT r.shard) FROM freshet.request_log r"
                        " WHERE host LIKE 'cdn%' GROUP BY host ORDER BY host")
        self.assertEqual(rows, [[third, "2"] for third in thirds])
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.host WHERE holder IS NOT NULL"), [["0"]])

    def test_pages(self):
        """Pages of hosts on which another shard has sitemaps: a fetcher asks for them, and
        nobody else meanwhile."""
        sites = ["p%d.example" % n for n in range(4)]
        for n, site in enumerate(sites):
            other = sites[n - 1]
            self.web.put(site + "/robots.txt", "Sitemap: http://%s/own.xml\n" % site + "".join(
                "Sitemap: http://%s/of-%s-%d.xml\n" % (third, site, k) for k in range(4)
                for third in sites if third != site))
            self.web.put(site + "/own.xml", urlset(["http://%s/page%d" % (site, k) for k in range(12)]))
            for third in sites:
                for k in range(4):
                    self.web.put("%s/of-%s-%d.xml" % (third, site, k), urlset(["http://%s/x" % site]), delay=0.05)
            for k in range(12):
                self.web.put("%s/page%d" % (site, k), b"page", delay=0.05)
        workers = [self.worker(n) for n in range(self.SHARDS)]
        self.add_all(sites)
        fetched = set()
        ends = time.monotonic() + 600
        while len(fetched) < 24 and time.monotonic() < ends:
            due = self.program.run("due", "-n", "6")
            self.assertIn(due.status, (0, 1), str(due))
            pages = due.records()
            by_host = collections.defaultdict(list)
            for page in pages:
                by_host[page["url"].split("/")[2]].append(page)
            threads = [threading.Thread(target=self.fetch, args=(host, some)) for host, some in by_host.items()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            fetched.update(page["url"] for page in pages)
            done = self.program.run("done", input="".join(
                '{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages))
            self.assertEqual(done.status, 0, str(done))
            time.sleep(0.1)
        self.stop(*workers)
        self.assertGreaterEqual(len(fetched), 24)
        self.assertGreater(self.assertPolite(), 40)
        shared = self.sql("SELECT count(DISTINCT host) FROM freshet.host")
        self.assertGreater(int(shared[0][0]), 0)

    def fetch(self, host, pages):
        """What a fetcher does: one request after the other, with the delay that it was told."""
        for number, page in enumerate(pages):
            if number > 0:
                time.sleep(page["delay_ms"] / 1000)
            connection = http.client.HTTPConnection("127.0.0.1", self.web.port)
            connection.request("GET", "/" + page["url"].split("/", 3)[3], headers={"Host": host})
            connection.getresponse().read()
            connection.close()

    def test_killed(self):
        """Workers are killed again and again: who comes after them waits for the delay, also
        one that robots.txt asks for."""
        sites = ["k%d.example" % n for n in range(4)]
        for n, site in enumerate(sites):
            maps = ["http://%s/%s-%d.xml" % (third, site, k) for k in range(12) for third in sites]
            self.web.put(site + "/robots.txt", ("User-agent: *\nCrawl-delay: 1\n" if n % 2 else "")
                         + "".join("Sitemap: %s\n" % url for url in maps))
            for url in maps:
                self.web.put(url[len("http://"):], urlset(["http://%s/x" % site]), delay=0.05)
        workers = [self.worker(n) for n in range(self.SHARDS)]
        self.add_all(sites)
        for turn in range(4):
            count = len(self.web.requests)
            self.wait_for(lambda: len(self.web.requests) >= count + 8)
            shard = turn % self.SHARDS
            workers[shard].kill()
            workers[shard].wait()
            if turn >= 2:
                # as if another machine took it: nothing of the cache is left
                for path in glob.glob(self.program.variables["XDG_CACHE_HOME"] + "/freshet/*-%d.db*" % shard):
                    os.unlink(path)
            workers[shard] = self.worker(shard)
        self.stop(*workers)
        self.assertGreater(self.assertPolite(), 20)
        for site in sites[1::2]:
            asked = self.asked(site)
            for before, after in zip(asked, asked[1:]):
                # a shard that has not read it yet knows of no other delay than its own
                if after.target != "/robots.txt":
                    self.assertGreaterEqual(after.at, before.at + 1 - SLACK, "%s, then %s" % (before, after))

    def crowd(self):
        """Workers with much to ask, at work; the workers."""
        sites = ["q%d.example" % n for n in range(6)]
        for site in sites:
            maps = ["http://%s/%d.xml" % (site, k) for k in range(60)]
            self.web.put(site + "/robots.txt", "".join("Sitemap: %s\n" % url for url in maps))
            for url in maps:
                self.web.put(url[len("http://"):], urlset(["http://%s/x" % site]), delay=0.02)
        workers = [self.worker(n) for n in range(self.SHARDS)]
        self.add_all(sites)
        self.wait_for(lambda: len(self.web.requests) >= 30)
        return workers

    def test_stopped(self):
        """A worker that was stopped until another machine had its shard asks nobody any more."""
        workers = self.crowd()
        for worker in workers:
            worker.send_signal(signal.SIGSTOP)
        time.sleep(4)
        self.sql("UPDATE freshet.shard SET owner = 'another', term = term + 1, until = now() + '1 hour'")
        count = len(self.web.requests)
        for worker in workers:
            worker.send_signal(signal.SIGCONT)
        for worker in workers:
            self.assertEqual(worker.wait(600), 5, worker.said[-5:])
        self.assertEqual(self.web.requests[count:], [])

    def lock(self):
        """Keep the rows of all shards until that is cancelled."""
        with contextlib.suppress(RuntimeError):
            self.sql("BEGIN; SELECT 1 FROM freshet.shard FOR UPDATE; SELECT pg_sleep(500); COMMIT")

    def test_doubt(self):
        """A worker that was stopped for longer than its lease asks nobody before PostgreSQL
        has said that the shard is still its, and then goes on."""
        workers = self.crowd()
        for worker in workers:
            worker.send_signal(signal.SIGSTOP)
        time.sleep(4)
        # nobody can renew a hold meanwhile
        lock = threading.Thread(target=self.lock)
        lock.start()
        self.wait_for(lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                                       " AND datname = current_database()") != [["0"]])
        count = len(self.web.requests)
        for worker in workers:
            worker.send_signal(signal.SIGCONT)
        time.sleep(1)
        self.assertTrue(lock.is_alive())
        self.assertEqual(self.web.requests[count:], [])
        self.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                 " AND datname = current_database()")
        lock.join()
        self.wait_for(lambda: len(self.web.requests) >= count + 20)
        self.stop(*workers)
        self.assertPolite()


class Budget(HostCase):
    def options(self):
        return ["--connect-to", "::127.0.0.1:%d" % self.web.port, "--delay", "0", "--total-budget", "10800/h"]

    def test_total(self):
        """Two workers together hand out no more than the budget of everything, whatever
        waits for each of them."""
        sites = ["b%d.example" % n for n in range(6)]
        for n, site in enumerate(sites):
            self.web.put(site + "/robots.txt", "Sitemap: http://%s/map.xml\n" % site)
            self.web.put(site + "/map.xml", urlset(
                ["http://%s/%d" % (site, k) for k in range(300 if n else 30)]))
        workers = [self.worker(n) for n in range(self.SHARDS)]
        self.add_all(sites)
        # before somebody asked for the page, and after he was told it
        befores, afters, shards = [], [], collections.Counter()
        self.wait_for(lambda: sum(r.target == "/map.xml" for r in list(self.web.requests)) == len(sites))
        begin = time.monotonic()
        while time.monotonic() < begin + 12 or len(afters) < 20:
            before = time.monotonic()
            due = self.program.run("due", "-n", "50")
            self.assertIn(due.status, (0, 1), str(due))
            for page in due.records():
                befores.append(before)
                afters.append(time.monotonic())
                shards[page["lease"].partition(":")[0]] += 1
            time.sleep(0.3)
        self.stop(*workers)
        # three a second, what is spent of them in one second, and one more for each shard
        self.assertEqual(len(shards), 2, shards)
        for i, before in enumerate(befores):
            for k in range(i, len(afters)):
                self.assertLessEqual(k - i + 1, 3 * (afters[k] - before) + 3 + 2 * self.SHARDS)


if __name__ == "__main__":
    unittest.main()
