"""How often `run` and `due --follow` ask a server over days, when all is well
and when nothing works."""
import collections
import json
import subprocess
import threading
import unittest

from case import index, urlset
from clock import DAY
from test_run import HOUR, MINUTE, Running

LINES = "User-agent: *\nDisallow: /no\nSitemap: %s\n"


class Frequency(Running):
    """self.asked has the times of requests by path, since the test began to
    count."""

    def begin(self, *args):
        """Start a daemon that has read the site, and a server that records
        requests."""
        self.add(*args, self.server.url("/"))
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.1")
        self.take_notes()
        return daemon

    def take_notes(self):
        self.asked = collections.defaultdict(list)
        find = self.server.find

        def note(request):
            self.asked[request.target].append(self.clock.now())
            return find(request)
        self.server.find = note

    def go_on(self, seconds, stride=0):
        end = self.clock.now() + seconds
        self.clock.leap(until=end, stride=stride)
        self.clock.wait_until(end, timeout=600)

    def tries(self, path, apart=MINUTE):
        """Returns how often the path was asked for; retries at once count as
        one."""
        times = self.asked[path]
        return [at for n, at in enumerate(times) if n == 0 or at - times[n - 1] > apart]

    def gap(self, path):
        times = self.tries(path)
        return min(b - a for a, b in zip(times, times[1:]))


class Robots(Frequency):
    """SPEC R-102, R-104: robots.txt has an interval of its own, whatever the
    interval of the site is."""

    each_alone = True

    def rules(self, age=None, **kwargs):
        headers = [] if age is None else [("Cache-Control", "max-age=%d" % age)]
        self.server.put("/robots.txt", **{"body": LINES % self.server.url("/index.xml"),
                                          "headers": headers, **kwargs})

    def test_a_day(self):
        self.rules()
        daemon = self.begin("--every", "10m")
        self.go_on(3 * DAY)
        self.assertGreater(len(self.asked["/0.xml"]), 400)
        self.assertIn(len(self.asked["/robots.txt"]), (2, 3))
        daemon.end()

    def test_no_age(self):
        """robots.txt is not fetched again with every document."""
        self.rules(age=0)
        daemon = self.begin("--every", "10m")
        self.go_on(DAY)
        self.assertGreater(len(self.asked["/0.xml"]), 130)
        self.assertIn(len(self.asked["/robots.txt"]), range(20, 25))
        self.assertGreater(self.gap("/robots.txt"), HOUR - 2)
        daemon.end()

    def out_of_reach(self, *args, **reply):
        """Let days pass in which the server cannot be reached, so nothing is
        read."""
        self.rules(age=HOUR)
        daemon = self.begin(*args)
        self.rules(**reply)
        self.go_on(2 * DAY)
        self.assertIn(len(self.tries("/robots.txt")), range(4, 60))
        # a site that is lost is looked for anew, first after 15 minutes
        self.assertGreater(self.gap("/robots.txt"), 14 * MINUTE)
        # what is refused by it is no busy work
        self.assertLess(len(daemon.all("refused")) + len(daemon.all("failed")), 700)
        daemon.end()

    def test_no_server(self):
        self.out_of_reach("--every", "10m", body=b"", status=503)

    def test_no_answer(self):
        self.out_of_reach("--every", "10m", raw=b"")

    def test_no_interval(self):
        self.out_of_reach(body=b"", status=500)

    def test_never_there(self):
        """A site that was never read is in the end tried once an hour at
        most."""
        self.server.put("/robots.txt", raw=b"")
        self.take_notes()
        self.add("--every", "10m", self.server.url("/"))
        daemon = self.run_daemon()
        self.go_on(DAY)
        self.assertIn(len(self.tries("/robots.txt")), range(20, 28))
        self.assertEqual(set(self.asked), {"/robots.txt"})
        daemon.end()

    def test_a_follower(self):
        """A consumer that waits for pages causes no further requests."""
        self.rules(age=HOUR)
        daemon = self.begin("--every", "10m")
        self.rules(raw=b"")
        follower = self.program.start("due", "--follow")
        self.go_on(5 * HOUR)
        self.assertIn(len(self.tries("/robots.txt")), range(3, 6))
        follower.terminate()
        follower.wait(600)
        daemon.end()


class Documents(Frequency):
    def test_one_fails(self):
        """A document that fails is not asked for at the host's rate, although
        it is overdue."""
        daemon = self.begin("--every", "10m")
        self.server.put("/1.xml", b"", status=500)
        self.go_on(DAY)
        self.assertGreater(len(self.asked["/0.xml"]), 130)
        self.assertIn(len(self.tries("/1.xml")), range(80, 97))
        daemon.end()


class Defaults(Frequency):
    """No interval is configured."""

    def test_many_sitemaps(self):
        """Of many sitemaps, those that change are read often, and the others
        are not."""
        count = 150
        self.server = self.small("127.0.0.4", count)
        self.add(self.server.url("/"))
        daemon = self.run_daemon()
        daemon.wait("crawled", site="127.0.0.4")
        self.take_notes()
        for day in range(12):
            for number in range(5):
                self.publish(self.server, number, 4 + day)
            self.go_on(DAY, stride=300)
        quiet = sum(len(self.asked["/%d.xml" % n]) for n in range(5, count)) / (count - 5)
        lively = sum(len(self.asked["/%d.xml" % n]) for n in range(5)) / 5
        # each 15 minutes were 800 readings
        self.assertLess(quiet, 4)
        self.assertGreater(quiet, 1)
        self.assertGreater(lively, 4 * quiet)
        daemon.end()

    def most_a_day(self):
        """The most requests of any 24 hours, and whether the last one had enough."""
        times = sorted(at for asked in self.asked.values() for at in asked)
        most = max(sum(at <= other < at + DAY for other in times) for at in times)
        self.assertGreater(sum(at > self.clock.now() - DAY for at in times), 36)
        return most

    def test_few_sitemaps(self):
        """R-121: the server's log never has more than 48 requests in a day, robots.txt and
        owed readings included."""
        daemon = self.begin()
        for day in range(7):
            self.go_on(DAY)
            if day % 2 == 1:                    # a page goes, and a second reading is owed
                self.publish(self.server, 0, 3 - day // 2)
        self.assertLessEqual(self.most_a_day(), 48)
        self.assertGreater(len(self.asked["/0.xml"]), 40)
        daemon.end()

    def test_a_busy_sitemap(self):
        """R-121: five times for each change, once they have shown."""
        daemon = self.begin()
        for hour in range(5 * 24):
            if hour % 2 == 0:
                self.publish(self.server, 0, 4 + hour)
            self.go_on(HOUR)
        # the sitemap alone changes, 12 times a day
        self.assertLessEqual(self.most_a_day(), 5 * 12)
        self.assertGreater(len(self.asked["/0.xml"]), 30)
        daemon.end()

    def test_a_robots_txt_without_age(self):
        """Its requests are taken from those for the sitemaps."""
        self.server.put("/robots.txt", LINES % self.server.url("/index.xml"),
                        headers=[("Cache-Control", "max-age=0")])
        daemon = self.begin()
        self.go_on(7 * DAY)
        self.assertLessEqual(self.most_a_day(), 48)
        daemon.end()

    def test_redirected(self):
        """Each request counts."""
        self.server.put("/0.xml", status=301, headers=[("Location", "/other.xml")], body=b"")
        self.server.put("/other.xml", urlset([self.server.url("/0/0")]), etag='"o"')
        daemon = self.begin()
        self.go_on(7 * DAY)
        self.assertGreater(len(self.asked["/other.xml"]), 20)
        self.assertLessEqual(self.most_a_day(), 48)
        daemon.end()

    def test_all_fail(self):
        """A site that is down is asked no more often."""
        daemon = self.begin()
        self.go_on(3 * DAY)
        for path in ("/index.xml", "/0.xml", "/1.xml"):
            self.server.put(path, b"", status=500)
        self.asked.clear()
        self.go_on(2 * DAY)
        times = [at for asked in self.asked.values() for at in asked]
        self.assertLessEqual(len(times), 2 * 48)
        self.server.put("/robots.txt", raw=b"")
        daemon.end()

    def test_restarts(self):
        """A restart gives nothing away."""
        daemon = self.begin()
        for _ in range(20):
            self.go_on(6 * HOUR)
            daemon.end()
            daemon = self.run_daemon()
        self.assertLessEqual(self.most_a_day(), 48)
        daemon.end()


class Fetcher:
    """This fetcher stands between `due --follow` and `done`; the pages never
    change."""

    def __init__(self, program):
        self.count = 0
        self.due = self.start(program, "due", "--follow")
        self.done = self.start(program, "done", stdin=subprocess.PIPE)
        self.threads = [threading.Thread(target=run, daemon=True)
                        for run in (self.fetch, self.done.stdout.read)]
        for thread in self.threads:
            thread.start()

    @staticmethod
    def start(program, *args, stdin=subprocess.DEVNULL):
        process = subprocess.Popen(
            [program.binary] + list(args), env=program.environment(), cwd=program.folder,
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        program.running.append(process)
        return process

    def fetch(self):
        for line in self.due.stdout:
            page = json.loads(line)
            self.count += 1
            self.done.stdin.write((json.dumps({
                "lease": page["lease"], "url": page["url"], "status": 200,
                "content_hash": "same"}) + "\n").encode())

    def close(self):
        self.due.terminate()
        self.due.wait(600)
        self.done.stdin.close()
        self.done.wait(600)


class SmallBudget(Frequency):
    def test_both_are_served(self):
        """A consumer that would use every request leaves the sitemaps their
        share."""
        self.server.put("/index.xml", index([self.server.url("/0.xml")]),
                        etag='"i"')
        self.server.put("/0.xml", urlset([self.server.url("/p/%d" % n) for n in range(3000)]),
                        etag='"s"')
        daemon = self.begin("--every", "1h", "--budget", "6/h")
        fetcher = Fetcher(self.program)
        self.go_on(5 * HOUR + 20 * MINUTE)
        for path in ("/index.xml", "/0.xml"):
            self.assertIn(len(self.asked[path]), (4, 5), path)
        self.assertIn(fetcher.count, range(17, 26))
        fetcher.close()
        daemon.end()


if __name__ == "__main__":
    unittest.main()
