"""freshet notify: what changed at a site is sent once, by IndexNow."""
import json
import os
import signal

from case import Case, urlset
from daemon import Daemon
from server import Site

HOUR = 3600
KEY = "73134416ae45434d98edc086e0bf6740"


class Notify(Case):
    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.clock.leap()
        self.server = self.site()
        self.engine = Site()
        self.addCleanup(self.engine.close)
        self.engine.put("/indexnow")
        self.key = self.write("key", KEY + "\n")
        self.location = "/%s.txt" % KEY
        self.rules = ""
        self.dates = {"/tea/green": None, "/tea/black": None, "/coffee": None}

    def write(self, name, text):
        path = os.path.join(self.program.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def read(self, **dates):
        """The site has changed, and is crawled an hour later."""
        self.dates.update(("/" + name, date) for name, date in dates.items())
        url = self.server.url
        self.server.put("/robots.txt", "Sitemap: %s\n%s" % (url("/a.xml"), self.rules))
        self.server.put("/a.xml", urlset([(url(p), d) for p, d in sorted(self.dates.items())]))
        self.clock.advance(HOUR)
        self.crawl(url("/"))

    def words(self, *args):
        return ("notify", "--endpoint", self.engine.url("/indexnow"), "--key", self.key,
                "--key-location", self.server.url(self.location)) + (args or ("127.0.0.1",))

    def notify(self, *args, status=0):
        result = self.program.run(*self.words(*args))
        self.assertEqual(result.status, status, str(result))
        return result

    def begin(self):
        self.read()
        self.notify()

    def sent(self):
        """The paths of each POST since the last call."""
        posts = [json.loads(r.body) for r in self.engine.asked("/indexnow")]
        self.engine.forget()
        for post in posts:
            self.assertEqual({k: v for k, v in post.items() if k != "urlList"},
                             {"host": "127.0.0.1:%d" % self.server.port, "key": KEY,
                              "keyLocation": self.server.url(self.location)})
        return [[u.replace(self.server.origin, "") for u in post["urlList"]] for post in posts]


class Once(Notify):
    def test_changes(self):
        """New, changed and gone pages are sent, once each; what was there is not."""
        # there is no store, or it has no such site
        self.assertIn(self.program.run(*self.words()).status, (2, 4))
        self.begin()
        self.assertEqual(self.notify().out, "")
        self.assertEqual(self.sent(), [])
        self.read(coffee="2026-01-01", cocoa=None)
        out = self.notify().out
        self.assertEqual(out, "127.0.0.1  2 URLs sent\n")
        self.assertEqual(self.sent(), [["/cocoa", "/coffee"]])
        self.assertEqual(self.notify().out, "")
        del self.dates["/tea/green"]
        self.read()
        self.assertEqual(self.notify().out, "")
        self.read()
        self.notify()
        self.assertEqual(self.sent(), [["/tea/green"]])
        for result in ({"status": 200, "noindex": True}, {"status": 410}):
            self.clock.advance(HOUR)
            line = json.dumps(dict(result, url=self.server.url("/coffee"))) + "\n"
            self.assertEqual(self.program.run("done", input=line).status, 0)
            self.notify()
        self.assertEqual(self.sent(), [["/coffee"]] * 2)
        self.assertIn("indexnow,127.0.0.1", self.program.run("changes", "--list").out)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_first(self):
        """Nothing begins before the first crawl is over."""
        self.server.put("/robots.txt", "", delay=60)
        self.program.run("add", self.server.url("/"))
        self.assertIn("its first crawl is not over", self.notify(status=1).out)
        self.read()
        self.assertEqual(self.notify().out, "")
        self.assertEqual(self.sent(), [])

    def test_nothing(self):
        """A terminal is told that there is nothing to send, unless with --quiet."""
        self.read()
        for said in ("127.0.0.1  changes are sent from now on", "127.0.0.1  nothing to send"):
            self.assertEqual(self.program.at_terminal(80, *self.words()), [said, ""])
        self.assertEqual(self.program.at_terminal(80, *self.words("--quiet", "127.0.0.1")), [""])

    def test_batches(self):
        self.begin()
        self.read(a=None, b=None, c=None, d=None, e=None)
        record, = self.notify("--limit", "2", "--json", "127.0.0.1").records()
        self.assertEqual(record, {"v": 1, "type": "notified", "site": "127.0.0.1", "urls": 5,
                                  "passed_over": 0, "why": None, "next": None})
        self.assertEqual(self.sent(), [["/a", "/b"], ["/c", "/d"], ["/e"]])

    def test_no_news(self):
        """What is outside the folder of the key, or says nothing of the page, is not sent."""
        self.location = "/tea/key.txt"
        self.begin()
        self.read(**{"tea/white": None, "milk": None})
        self.assertIn("1 URL sent, 1 not below the folder", self.notify().out)
        self.assertEqual(self.sent(), [["/tea/white"]])
        self.location = "/key.txt"
        self.read(**{"p%02d" % i: "2026-01-01" for i in range(40)})
        self.notify()
        self.assertEqual(len(self.sent()[0]), 40)
        self.read(**{"p%02d" % i: "2026-01-02" for i in range(40)})
        self.assertIn("0 URLs sent, 40 not below", self.notify().out)
        # the site leaves the watch list, and is added again
        self.program.run("add", self.server.url("/"))
        for words in (("rm", "127.0.0.1"), ("add", self.server.url("/"))):
            self.assertEqual(self.program.run(*words).status, 0)
            self.notify()
            self.notify()
        self.read()
        self.notify()
        self.assertEqual(self.sent(), [])

    def test_robots(self):
        """A page that robots.txt allows again is news; one that it disallows is none."""
        self.begin()
        for rules, sent in (("User-agent: *\nDisallow: /coffee\n", []), ("", [["/coffee"]]),
                            ("User-agent: *\nContent-Signal: ai-train=no\n", [])):
            self.rules = rules
            self.clock.advance(24 * HOUR)
            self.read()
            self.notify()
            self.assertEqual(self.sent(), sent)

    def test_owner(self):
        """It is noted while 'run' has the store; a tag chooses the site."""
        self.begin()
        self.read(cocoa=None)
        self.assertEqual(self.program.run("add", "--tag", "own", self.server.url("/")).status, 0)
        # a daemon that leaps on would live through years while a slow machine starts 'notify'
        self.clock.hold()
        daemon = Daemon(self.program)
        daemon.wait("started")
        self.notify("--tag", "own")
        self.notify("--tag", "own")
        self.assertEqual(daemon.end(), 143)
        self.assertEqual(self.sent(), [["/cocoa"]])

    def test_wrong_use(self):
        self.read()
        self.key = self.write("key", "short\n")
        self.assertIn("indexnow-key-invalid", self.notify(status=2).err)
        self.key = self.write("key", "two lines\nof it\n")
        self.assertIn("indexnow-key-invalid", self.notify(status=2).err)
        self.key = self.write("key", KEY)
        self.assertIn("indexnow-key-invalid", self.notify(
            "--key-location", "ftp://a/k.txt", "127.0.0.1", status=2).err)
        self.assertIn("SITE or --tag", self.notify("--quiet", status=2).err)
        self.assertIn("no URL of http", self.notify("--endpoint", "x", "127.0.0.1", status=2).err)
        self.notify("www.other.example", status=4)
        self.assertEqual(self.sent(), [])


class Trouble(Notify):
    def setUp(self):
        super().setUp()
        self.begin()
        self.read(cocoa=None)

    def test_killed(self):
        """A batch whose acknowledgement was lost is sent again, and no other."""
        self.engine.put("/indexnow", delay=60)
        process = self.program.start(*self.words())
        self.engine.wait_for("/indexnow")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.engine.put("/indexnow", status=202)
        self.notify()
        self.notify()
        self.assertEqual(self.sent(), [["/cocoa"]] * 2)

    def test_asked_to_end(self):
        """A signal does not part the answer from its acknowledgement."""
        self.engine.put("/indexnow", delay=1)
        process = self.program.start(*self.words())
        self.engine.wait_for("/indexnow")
        process.send_signal(signal.SIGTERM)
        process.wait()
        self.notify()
        self.assertEqual(self.sent(), [["/cocoa"]])

    def test_two_processes(self):
        self.engine.put("/indexnow", delay=2)
        process = self.program.start(*self.words())
        self.engine.wait_for("/indexnow")
        self.assertIn("another 'freshet notify'", self.notify(status=5).err)
        self.assertEqual(process.wait(), 0)
        self.notify()
        self.assertEqual(self.sent(), [["/cocoa"]])

    def test_later(self):
        """429 waits as long as Retry-After says; 503 and the network a minute, then two."""
        self.engine.put("/indexnow", status=429, headers=[("Retry-After", "7200")])
        self.assertIn("the endpoint '%s' answered 429; again at" % self.engine.url("/indexnow"),
                      self.notify(status=1).out)
        self.engine.put("/indexnow", status=503)
        self.read(milk=None)
        self.assertIn("answered 429", self.notify(status=1).out)
        self.assertEqual(self.sent(), [["/cocoa"]])
        self.clock.advance(HOUR)
        self.notify(status=1)
        self.clock.advance(100)
        self.notify(status=1)
        self.assertEqual(self.sent(), [["/cocoa", "/milk"]])
        self.engine.put("/indexnow")
        self.clock.advance(HOUR)
        self.notify()
        self.assertEqual(self.sent(), [["/cocoa", "/milk"]])
        self.engine.close()
        self.read(water=None)
        record, = self.notify("--json", "127.0.0.1", status=1).records()
        self.assertIn("/indexnow': ", record["why"])
        self.assertIsNotNone(record["next"])

    def test_mistyped(self):
        """The wait of an endpoint holds up no call with another one."""
        refused = self.notify("--endpoint", self.engine.url("/indexnow").replace("/indexnow", "/index"),
                              "127.0.0.1", status=1).out
        self.assertIn("/index' answered 404", refused)
        self.assertEqual(self.notify().out, "127.0.0.1  1 URL sent\n")
        self.assertEqual(self.sent(), [["/cocoa"]])

    def test_refused(self):
        """What was refused is sent again, hours later, and is not sent elsewhere."""
        self.engine.put("/elsewhere")
        for status in (403, 422, 400, 302):
            self.engine.put("/indexnow", status=status,
                            headers=[("Location", self.engine.url("/elsewhere"))])
            for _ in range(2):
                out = self.notify("--quiet", "127.0.0.1", status=1).out
                self.assertIn("answered %d: indexnow-refused" % status, out)
            self.clock.advance(6 * HOUR)
            self.assertEqual(self.engine.asked("/elsewhere"), [])
            self.assertEqual(self.sent(), [["/cocoa"]])
        self.engine.put("/indexnow")
        self.notify()
        self.notify()
        self.assertEqual(self.sent(), [["/cocoa"]])

    def test_left_out(self):
        """What is refused for ever holds up the rest until the operator drops what waits."""
        self.engine.put("/indexnow", status=422)
        self.assertIn("freshet changes --forget indexnow,HOST", self.notify(status=1).out)
        self.read(milk=None)
        self.assertEqual(self.program.run("changes", "--forget", "indexnow,127.0.0.1").status, 0)
        self.engine.put("/indexnow")
        self.sent()
        self.assertEqual(self.notify().out, "")
        self.read(water=None)
        self.notify()
        self.assertEqual(self.sent(), [["/water"]])
