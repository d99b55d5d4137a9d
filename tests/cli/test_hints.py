"""Hints: `run --hints` takes IndexNow submissions of watched sites, whose key file it reads."""
import hashlib
import hmac
import http.client
import json
import time
import unittest
import urllib.parse

from case import Case, urlset
from daemon import Daemon

KEY = "0123456789abcdef-A"
OTHER = "another-key-of-nobody"


class Hints(Case):
    """A site with three pages that were fetched, and a daemon that listens."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        pages = ["/a", "/b", "/folder/c"]
        for path in pages:
            self.server.put(path, "<p>Some words of %s" % path, headers=[("Content-Type", "text/html")])
        self.server.put("/sitemap.xml", urlset(map(self.server.url, pages)))
        self.program.run("add", self.server.url("/sitemap.xml"))
        for command in (("crawl", "--delay", "0", self.server.url("/sitemap.xml")), ("fetch", "--delay", "0", "-n", "3")):
            result = self.program.run(*command)
            self.assertEqual(result.status, 0, str(result))
        self.server.put("/%s.txt" % KEY, KEY + "\n")
        self.server.forget()

    def listen(self, *args):
        daemon = Daemon(self.program, "--hints", "127.0.0.1:0", "--delay", "0", *args)
        self.addCleanup(daemon.end)
        self.port = daemon.wait("listening")["port"]
        return daemon

    def ask(self, method, target, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, target, body, dict(headers))
            return connection.getresponse().status
        finally:
            connection.close()

    def submit(self, paths, key=KEY, host="127.0.0.1", origin=None, **more):
        urls = [(origin or self.server.origin) + path for path in paths]
        return self.ask("POST", "/indexnow", json.dumps(dict(host=host, key=key, urlList=urls, **more)),
                        [("Content-Type", "application/json")])

    def get(self, path, key=KEY, **more):
        return self.ask("GET", "/indexnow?" + urllib.parse.urlencode(
            dict(more, url=self.server.url(path), key=key)))

    def hints(self, path):
        due = self.program.run("explain", "--json", self.server.url(path)).records()[0]["due"][0]
        return due["hints"], due["hint_precision"] is not None

    def asked(self, path):
        return len([r for r in self.server.requests if r.target == path])

    def files(self):
        """Requests that readings do not make."""
        return [r for r in self.server.requests if r.target not in ("/robots.txt", "/sitemap.xml")]

    def test_submission(self):
        """The key file is asked for once; then the pages are hinted, and nothing is listed."""
        daemon = self.listen()
        self.assertEqual(self.submit(["/a", "/unknown", "/b"]), 202)
        told = daemon.wait("hints")
        self.assertEqual((told["urls"], told["known"]), (3, 2))
        self.assertEqual(told["by"], self.server.url("/%s.txt" % KEY))
        self.assertEqual(self.submit(["/a"]), 200)
        self.assertEqual(self.get("/sitemap.xml"), 200)
        self.assertEqual(daemon.wait("hints")["known"], 1)
        self.assertEqual(daemon.wait("hints")["known"], 1)
        self.assertEqual(self.asked("/%s.txt" % KEY), 1)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.hints("/a"), (2, True))
        self.assertEqual(self.hints("/folder/c"), (0, True))
        self.assertNotIn("/unknown", str(self.program.run("ls", self.server.url("/sitemap.xml"))))

    def test_notify(self):
        """What `freshet notify` sends is taken: it names the host with its port."""
        daemon = self.listen()
        self.assertEqual(self.submit(["/a"], host="127.0.0.1:%d" % (self.server.port + 1)), 422)
        self.assertEqual(self.submit(["/a"], host="127.0.0.1:%d" % self.server.port), 202)
        self.assertEqual(daemon.wait("hints")["known"], 1)
        self.assertEqual(daemon.end(), 143)

    def test_scope(self):
        """A key speaks for what lies in the folder of its file (R-130)."""
        where = self.server.url("/folder/key.txt")
        self.server.put("/folder/key.txt", KEY)
        self.listen()
        self.assertEqual(self.get("/a", keyLocation=where), 422)
        self.assertEqual(self.submit(["/folder/c", "/a"], keyLocation=where), 422)
        self.assertEqual(self.submit(["/folder/c"], keyLocation="http://other.example/k.txt"), 422)
        self.assertEqual(self.files(), [])
        self.assertEqual(self.get("/folder/c", keyLocation=where), 202)

    def test_wrong_keys(self):
        """No key, another text, a redirect, and a file that robots.txt forbids."""
        files = {"/none.txt": None, "/text.txt": lambda p: self.server.put(p, KEY + KEY),
                 "/moved.txt": lambda p: self.server.redirect(p, "/%s.txt" % KEY)}
        for path, put in files.items():
            with self.subTest(path):
                if put:
                    put(path)
                daemon = self.listen()
                self.assertEqual(self.submit(["/a"], keyLocation=self.server.url(path)), 202)
                self.assertEqual(daemon.wait("problem")["code"], "hint-key-refused")
                self.assertEqual(self.submit(["/a"], keyLocation=self.server.url(path)), 403)
                # the host is asked for no other key now, and not again for this one
                self.assertEqual(self.submit(["/a"], key=OTHER), 429)
                self.assertEqual(self.asked(path), 1)
                self.assertEqual(self.asked("/%s.txt" % OTHER), 0)
                self.assertEqual(daemon.end(), 143)
                self.assertEqual(daemon.all("hints"), [])
        self.assertEqual(self.hints("/a"), (0, False))

    def test_refused(self):
        """What no key could prove costs nobody a request."""
        self.listen()
        self.assertEqual(self.submit(["/a"], host="unwatched.example", origin="http://unwatched.example"), 422)
        self.assertEqual(self.submit(["/a"], host="unwatched.example"), 422)
        self.assertEqual(self.submit(["/a"], key="short"), 422)
        self.assertEqual(self.submit(["/a"], key="../../etc/passwd"), 422)
        self.assertEqual(self.submit(["/a"] * 10001), 422)
        self.assertEqual(self.submit([]), 400)
        for body in ("", "no JSON", "[1]", '{"host":1}', "{" * 100000, '{"host":"127.0.0.1","key":"%s"}' % KEY):
            self.assertEqual(self.ask("POST", "/indexnow", body), 400)
        self.assertEqual(self.ask("GET", "/indexnow?url=%00&key=" + KEY), 400)
        self.assertEqual(self.ask("HEAD", "/indexnow"), 400)
        self.assertEqual(self.ask("GET", "/"), 404)
        self.assertEqual(self.ask("PUT", "/indexnow", "x"), 405)
        self.assertIn(self.ask("POST", "/indexnow", "x" * (1 << 20) + "x"), (413, 400))
        self.assertEqual(self.files(), [])

    def test_flood(self):
        """A sender has 60 requests a minute; the oldest URLs of a host go."""
        self.server.put("/%s.txt" % KEY, KEY, delay=3)
        daemon = self.listen()
        many = ["/u%d" % n for n in range(9999)]
        self.assertEqual(self.submit(["/a"] + many), 202)
        self.assertEqual(self.submit(["/b"] + many), 202)
        statuses = [self.get("/folder/c") for _ in range(100)]
        self.assertEqual(set(statuses), {202, 429})
        # a minute may have ended meanwhile
        self.assertLessEqual(statuses.count(202), 120)
        told = daemon.wait("hints")
        self.assertEqual(told["urls"], 10000)
        self.assertEqual(told["known"], statuses.count(202))
        self.assertEqual(daemon.end(), 143)

    def test_robots(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /*.txt\n")
        daemon = self.listen()
        self.submit(["/a"])
        self.assertEqual(daemon.wait("problem")["code"], "hint-key-refused")
        self.assertEqual(self.asked("/%s.txt" % KEY), 0)

    def test_another_key(self):
        """A site that has another key now: the old one is asked for again after a day, and gives way."""
        self.follow_clock(wall=int(time.time()) + 60)
        daemon = self.listen()
        self.assertEqual(self.submit(["/a"]), 202)
        daemon.wait("hints")
        self.server.drop("/%s.txt" % KEY)
        self.server.put("/%s.txt" % OTHER, OTHER)
        self.assertEqual(self.submit(["/a"], key=OTHER), 429)
        self.assertEqual(self.submit(["/b"]), 200)
        self.clock.wait_followers(1)
        self.clock.step(25 * 3600)
        self.assertEqual(self.submit(["/a"], key=OTHER), 429)
        self.assertEqual(daemon.wait("problem")["code"], "hint-key-refused")
        self.clock.step(3700)
        self.assertEqual(self.submit(["/a"], key=OTHER), 202)
        daemon.forget()
        self.assertEqual(self.submit(["/a"]), 429)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.asked("/%s.txt" % OTHER), 1)


class Hubs(Hints):
    """A site with a feed that names a hub, which is this test."""

    FEED = ('<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>'
            '<link rel="hub" href="%s"/><entry><id>i</id><link href="%s"/>'
            '<updated>2026-01-01T00:00:0%dZ</updated></entry></feed>')

    # the tests of Hints are made there
    test_submission = test_scope = test_wrong_keys = test_refused = test_flood = test_robots = None
    test_another_key = test_notify = None

    def setUp(self):
        super().setUp()
        self.server.put("/hub", status=202)
        self.write(1)
        self.watch("1s..")

    def watch(self, every):
        self.program.run("add", "--every", every, self.server.url("/feed.xml"))

    def write(self, second, hub="/hub"):
        self.server.put("/feed.xml", self.FEED % (self.server.url(hub), self.server.url("/a"), second))

    def subscribe(self, path="/hub"):
        """What the hub was asked, in its parameters."""
        self.server.wait_for(path)
        end = time.monotonic() + 60
        while True:
            found = [r for r in self.server.requests if r.target == path and r.body]
            if found or time.monotonic() > end:
                break
            time.sleep(0.02)
        self.assertEqual(found[-1].method, "POST")
        asked = {k: v[0] for k, v in urllib.parse.parse_qs(found[-1].body.decode()).items()}
        self.path = urllib.parse.urlsplit(asked["hub.callback"]).path
        return asked

    def verify(self, path=None, **changes):
        values = {"hub.mode": "subscribe", "hub.topic": self.server.url("/feed.xml"),
                  "hub.challenge": "c-h-a-l-l-e-n-g-e", "hub.lease_seconds": "864000"}
        values.update({"hub." + k: v for k, v in changes.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", (path or self.path) + "?" + urllib.parse.urlencode(values))
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body, answer.getheader("Content-Type")

    def notify(self, secret, body=b"<feed/>", path=None, signature=None):
        if signature is None:
            signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        return self.ask("POST", path or self.path, body, [("X-Hub-Signature", signature)] if signature else [])

    def listen(self, *args):
        return super().listen("--hints-url", "https://crawler.example", *args)

    def test_without_listener(self):
        run = self.program.run("run", "--hints-url", "https://crawler.example")
        self.assertEqual(run.status, 2, str(run))
        self.assertIn("'--hints-url' needs --hints", run.err)

    def test_subscription(self):
        """Subscribed, verified, notified: the feed is due, and nothing else happens."""
        daemon = self.listen()
        asked = self.subscribe()
        self.assertEqual((asked["hub.mode"], asked["hub.topic"]), ("subscribe", self.server.url("/feed.xml")))
        self.assertRegex(asked["hub.callback"], "^https://crawler.example/websub/[0-9a-f]{32}$")
        secret = asked["hub.secret"]
        self.assertEqual(self.notify(secret), 403, "the hub has not asked back")
        self.assertEqual(daemon.wait("problem")["text"], "a notification before the hub asked back")
        self.assertEqual(self.verify(topic=self.server.url("/other.xml"))[0], 404)
        self.assertEqual(self.verify(mode="unsubscribe")[0], 404)
        self.assertEqual(self.verify(path="/websub/" + "0" * 32)[0], 404)
        self.assertEqual(self.verify(), (200, "c-h-a-l-l-e-n-g-e", "text/plain; charset=utf-8"))
        self.assertEqual(self.verify()[0], 404, "it was asked for once")
        self.assertEqual(self.notify("0" * 32), 403)
        self.assertEqual(self.notify(secret, signature=""), 403)
        self.assertEqual(self.notify(secret, signature="sha1=00"), 403)
        self.assertEqual(self.notify(secret, path="/websub/"), 404)
        self.assertEqual(daemon.all("hints"), [])
        self.assertEqual(len(daemon.all("problem")), 1, "of the first in a row")
        self.write(2)
        daemon.forget()
        self.assertEqual(self.notify(secret), 202)
        self.assertEqual(daemon.wait("hints")["by"], self.server.url("/hub"))
        daemon.wait("read", url=self.server.url("/feed.xml"), why="owed")
        self.assertEqual(self.notify(secret), 202, "a replay")
        self.assertEqual(daemon.wait("problem")["text"], "a notification that came before")
        self.assertEqual(len(daemon.all("hints")), 1)
        self.assertEqual(daemon.end(), 143)

    def test_replays(self):
        """One of the last sixteen notifications says nothing new, whatever came in between."""
        daemon = self.listen()
        secret = self.subscribe()["hub.secret"]
        self.assertEqual(self.verify()[0], 200)
        self.assertEqual(self.notify(secret, signature="sha256=" + "0" * 64), 403)
        self.assertEqual(daemon.wait("problem")["text"], "a notification without the signature of its secret")
        for n in list(range(16)) + [0, 9, 15]:
            self.assertEqual(self.notify(secret, b"%d" % n), 202)
        self.assertEqual(daemon.wait("problem", text="a notification that came before")["event"], "problem")
        self.assertEqual(len(daemon.all("hints")), 16)
        self.assertEqual(daemon.end(), 143)

    def test_hub_of_a_header(self):
        """A feed without a hub has that of its Link header, which comes before one that it names."""
        self.server.put("/other", status=202)
        link = [("Link", '<%s>; rel="self", <%s>; rel="hub"' % (self.server.url("/feed.xml"), self.server.url("/other")))]
        for second, text in ((2, self.FEED.replace('<link rel="hub" href="%s"/>', "")), (3, self.FEED)):
            targets = (self.server.url("/hub"),) if text == self.FEED else ()
            self.server.put("/feed.xml", text % (targets + (self.server.url("/a"), second)), headers=link)
            daemon = self.listen()
            self.subscribe("/other")
            self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.asked("/hub"), 0)

    def test_private_hub(self):
        """A feed cannot make freshet ask an address of its own network; then it names another hub."""
        private = self.site(address="127.0.0.77")
        self.server.put("/feed.xml", self.FEED % (private.url("/hub"), self.server.url("/a"), 1))
        self.watch("1s..2s")
        daemon = self.listen()
        daemon.wait("read", url=self.server.url("/feed.xml"))
        self.server.put("/feed.xml", '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
                        '<atom:link rel="hub" href="%s"/><item><link>%s</link></item></channel></rss>'
                        % (self.server.url("/hub"), self.server.url("/a")))
        self.subscribe()
        self.assertEqual(self.verify()[0], 200)
        self.assertEqual(private.requests, [])
        self.assertEqual(daemon.end(), 143)


if __name__ == "__main__":
    unittest.main()
