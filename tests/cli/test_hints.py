"""Hints: `run --hints` takes IndexNow submissions of watched sites, whose key file it reads."""
import http.client
import json
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
        self.assertEqual(told["key"], self.server.url("/%s.txt" % KEY))
        self.assertEqual(self.submit(["/a"]), 200)
        self.assertEqual(self.get("/sitemap.xml"), 200)
        self.assertEqual(daemon.wait("hints")["known"], 1)
        self.assertEqual(daemon.wait("hints")["known"], 1)
        self.assertEqual(self.asked("/%s.txt" % KEY), 1)
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.hints("/a"), (2, True))
        self.assertEqual(self.hints("/folder/c"), (0, True))
        self.assertNotIn("/unknown", str(self.program.run("ls", self.server.url("/sitemap.xml"))))

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


if __name__ == "__main__":
    unittest.main()
