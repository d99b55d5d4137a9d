"""A site whose files nginx serves, behind a verifier of signatures that nginx asks: read on challenge,
with one request more a host and day at most; what the wall refuses for ever is named, and left alone
(SPEC R-138 to R-141)."""
import os
import time
import unittest

import nginx
from case import gz, index, urlset
from daemon import Daemon
from test_sign import DAY, Signed

HOUR = 3600
# Two ways to ask the verifier: its answer is the client's, or 401 and 403 of it alone are.
SERVERS = {
    "proxy": """
  location / {
    proxy_pass http://127.0.0.1:%(verifier)d;
    proxy_set_header Host $http_host;
    proxy_pass_header Date;
  }
  location /files/ { internal; alias %(root)s/; }""",
    "auth": """
  root %(root)s;
  location / {
    auth_request /verifier;
    auth_request_set $challenge $upstream_http_accept_signature;
    add_header Accept-Signature $challenge always;
  }
  location = /verifier {
    internal;
    proxy_pass http://127.0.0.1:%(verifier)d$request_uri;
    proxy_ignore_headers X-Accel-Redirect;
    proxy_set_header Host $http_host;
  }""",
}


class Guarded(Signed):
    """self.wall verifies, and self.url() is nginx before it, which has a robots.txt and an index of two
    sitemaps with gzip."""

    way = "proxy"

    def setUp(self):
        super().setUp()
        self.clock.set(time.time())     # which is that of nginx
        prefix = os.path.join(self.program.folder, "nginx")
        root = os.path.join(prefix, "root")
        os.makedirs(root)
        self.port = nginx.free_port()
        nginx.write_conf(prefix, "server { listen 127.0.0.1:%d;%s }\n" % (
            self.port, SERVERS[self.way] % {"verifier": self.wall.port, "root": root}))
        names = ("a.xml.gz", "b.xml.gz")
        self.pages = {name: [self.url("/%s/%d" % (name[0], n)) for n in range(5)] for name in names}
        files = {"robots.txt": ("Sitemap: %s\n" % self.url("/sitemap.xml")).encode(),
                 "sitemap.xml": index(map(self.url, ("/a.xml.gz", "/b.xml.gz"))).encode()}
        files.update((name, gz(urlset(pages))) for name, pages in self.pages.items())
        for name, body in files.items():
            with open(os.path.join(root, name), "wb") as file:
                file.write(body)
            self.wall.put("/" + name, headers=[("X-Accel-Redirect", "/files/" + name)])
        self.nginx = nginx.Nginx(prefix, self.port)
        self.addCleanup(self.nginx.close)

    def url(self, path):
        return "http://127.0.0.1:%d%s" % (self.port, path)

    def requests(self, at_least):
        """The access log of nginx, which it writes after it has answered."""
        end = time.monotonic() + 60
        while len(self.nginx.requests()) < at_least and time.monotonic() < end:
            time.sleep(0.01)
        return self.nginx.requests()

    def days(self, count, *args):
        """`run` for so many days, which reads the site each hour: what the verifier saw, in order."""
        self.wall.forget()
        self.nginx.forget()
        self.assertEqual(self.program.run("add", "--every", "1h", self.url("/sitemap.xml")).status, 0)
        daemon = Daemon(self.program, "--delay", "0", *self.identity(), *args)
        self.clock.wait_followers(1)
        end = self.clock.now() + count * DAY
        self.clock.leap(until=end)
        self.clock.wait_until(end)
        self.assertEqual(daemon.end(), 143)
        seen = list(self.wall.seen)
        self.assertGreaterEqual(len(seen), 24 * count)
        # nobody came in by another door
        self.assertEqual([r["uri"] for r in self.requests(len(seen))], [target for target, _ in seen])
        return seen

    def extra(self, seen):
        """How many of them a site without a wall would not have got."""
        return sum(one[0] == two[0] and one[1] == "unsigned" != two[1] for one, two in zip(seen, seen[1:]))

    def assertNamed(self, word):
        self.assertIn(word, self.shown(self.url("/sitemap.xml"), word))


class Proxy(Guarded):
    def test_day(self):
        """Two days: all is read, and one request was asked twice."""
        seen = self.days(2)
        self.assertEqual(seen[:2], [("/robots.txt", "unsigned"), ("/robots.txt", "valid")])
        self.assertEqual({verdict for _, verdict in seen[2:]}, {"valid"})
        self.assertEqual(sorted(self.program.urls()), sorted(sum(self.pages.values(), [])))
        self.assertEqual(self.nginx.requests()[-1]["status"], "304")

    def test_too_many_requests(self):
        self.wall.status, self.wall.extra = 429, [("Retry-After", "20")]
        seen = self.days(1)
        self.assertEqual((self.extra(seen), self.wall.unsigned()), (1, ["/robots.txt"]))
        self.assertGreaterEqual(self.wall.times[1] - self.wall.times[0], 19)
        self.assertEqual(len(self.program.export("--all")), 10)

    def refused(self, word, verdict):
        """Two days: one signature for each."""
        seen = self.days(2)
        self.assertEqual(seen[:3], [("/robots.txt", "unsigned"), ("/robots.txt", verdict),
                                    ("/sitemap.xml", "unsigned")])
        self.assertIn(len(self.wall.signed()), (1, 2))
        self.assertEqual(self.extra(seen), 1)
        self.assertEqual({r["status"] for r in self.nginx.requests()}, {"401"})
        self.assertNamed(word)

    def test_wrong_key(self):
        self.wall.keys = {}
        self.refused("signature-refused", "another key")

    def test_without_end(self):
        self.wall.ends = False
        self.refused("signature-refused", "valid")

    def test_clock(self):
        """A day with a clock that is an hour late, and nothing is asked twice but once."""
        self.wall.now = lambda: self.clock.now() + HOUR
        seen = self.days(1)
        self.assertEqual((self.extra(seen), self.wall.unsigned()), (1, ["/robots.txt"]))
        self.assertEqual({verdict for _, verdict in seen[1:]}, {"not now"})
        self.assertNamed("clock")


class Auth(Guarded):
    way = "auth"

    def test_day(self):
        seen = self.days(1)
        self.assertEqual((self.extra(seen), self.wall.unsigned()), (1, ["/robots.txt"]))
        self.assertEqual(self.wall.verdicts(), {"unsigned", "valid"})
        self.assertEqual(len(self.program.export("--all")), 10)

    def test_forbidden(self):
        self.wall.status = 403
        self.assertEqual(self.extra(self.days(1)), 1)
        self.assertEqual(len(self.program.export("--all")), 10)

    def test_clock(self):
        """nginx tells the time that it is; freshet's is wrong, in both directions, and then right."""
        self.wall.now = time.time
        url = self.url("/sitemap.xml")
        self.program.run("add", url)
        for offset, word in ((-HOUR, "behind"), (HOUR, "ahead of")):
            self.clock.set(time.time() + offset)
            crawl = self.crawl(*self.identity(), url, status=(1, 3, 4))
            self.assertIn("signature-clock", crawl.codes(url))
            self.assertIn(word, str(crawl))
            self.assertNamed("clock")
        self.clock.set(time.time())
        self.crawl(*self.identity(), url)
        self.assertEqual((self.wall.unsigned(), len(self.program.export("--all"))), (["/robots.txt"], 10))


if __name__ == "__main__":
    unittest.main()
