"""freshet alert: what happened is told once, to whoever is to know."""
import contextlib
import json
import os
import signal
import socket
import sqlite3
import stat
import time
import xml.etree.ElementTree as ElementTree

from case import urlset
from clock import DAY
from daemon import Daemon
from server import Site
from test_diff import Story, Told

HOUR = 3600
ATOM = "{http://www.w3.org/2005/Atom}"


class Alert(Told):
    def setUp(self):
        super().setUp()
        self.hook = Site()
        self.addCleanup(self.hook.close)
        self.hook.put("/hook", status=204)
        self.url_file = self.write("hook.url", self.hook.url("/hook") + "\n")
        self.heard = self.path("heard")
        self.program_path = self.write("tell", "#!/bin/sh\nexec cat >>%s\n" % self.heard)
        os.chmod(self.program_path, stat.S_IRWXU)

    def path(self, name):
        return os.path.join(self.program.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def configure(self, text, defaults="allow-address = 127.0.0.0/8\n"):
        self.config = self.write("alert.conf", "[defaults]\n" + defaults + text)

    def alert(self, *args, status=0, env=None):
        result = self.program.run("alert", *args, "--config", self.config, env=env)
        self.assertEqual(result.status, status, str(result))
        return result

    def launch(self, name):
        """A section is launched; two days later that is known."""
        self.docs["/%s.xml" % name] = self.pages("/" + name, range(8))
        self.crawl_day(3)

    def told(self):
        """The events that the program has heard, as (kind, day)."""
        if not os.path.exists(self.heard):
            return []
        with open(self.heard, encoding="ascii") as f:
            records = [json.loads(line) for line in f]
        return [(r["kind"], self.day_of(r["at"])) for r in records if r["type"] == "event"]


class Once(Alert):
    """Each event of a long story is told once, and replay tells the same."""

    def test_story(self):
        self.configure("[alert all]\nexec = %s\natom = %s\n[alert trouble]\nkinds = sitemap-failing, "
                       "mass-drop-waiting\nat-least = 5\nwebhook-file = %s\n"
                       % (self.program_path, self.path("all.atom"), self.url_file))
        story = Story("test_story")
        self.docs = {"/a.xml": self.pages("/p", range(40), "2026-01-01"),
                     "/b.xml": self.pages("/blog", range(30))}
        self.crawl_day()
        self.assertEqual(self.alert("send").out, "")
        for day in range(1, 58):
            Story.happen(self, day)
            self.crawl_day()
            if day % 3 == 0:
                self.alert("send")
        self.clock.advance(3 * DAY)
        self.alert("send")
        self.assertEqual(self.alert("send").out, "")
        truth = [(kind, at) for kind, at, _ in story.TRUTH
                 if at > 0 and kind != "other-sitemap"]
        self.assertEqual(sorted(self.told()), sorted(truth + [("mass-drop-waiting", 26),
                                                              ("mass-drop-waiting", 36)]))
        past = self.alert("replay", "all", "--since", "60d", "--json").records()
        self.assertEqual([(r["kind"], self.day_of(r["at"])) for r in past], self.told())
        lines = self.alert("replay", "all", "--since", "60d").out.splitlines()
        self.assertEqual(len(lines), len(past))
        self.assertIn("  127.0.0.1: /academy is new: 8 pages came", lines[0])
        # the chat channel, of some kinds and with their ends
        texts = [json.loads(r.body)["text"] for r in self.hook.asked("/hook")]
        self.assertEqual(len(texts), 5)
        self.assertTrue(texts[0].startswith("trouble: 127.0.0.1: "), texts[0])
        self.assertTrue(texts[0].splitlines()[0].endswith("; and 1 other event"), texts[0])
        self.assertTrue(any("resolved: 127.0.0.1: " in text for text in texts), texts)
        self.assertTrue(all(len(text.splitlines()[0].encode()) <= 300 for text in texts))
        # the feed has all, the latest first
        feed = ElementTree.parse(self.path("all.atom")).getroot()
        entries = feed.findall(ATOM + "entry")
        self.assertEqual(len(entries), len(self.told()))
        self.assertEqual(len({e.find(ATOM + "id").text for e in entries}), len(entries))
        self.assertIn("pages", entries[0].find(ATOM + "title").text)


class Ways(Alert):
    """How and when it is told."""

    def setUp(self):
        super().setUp()
        self.docs = {"/a.xml": self.pages("/p", range(20))}

    def start(self, keys, **kwargs):
        self.configure("[alert new]\nkinds = section-launched\n" + keys, **kwargs)
        self.crawl_day(2)
        self.alert("send")

    def test_uncounted(self):
        """What becomes known while changes are not counted is told when they are."""
        self.start("exec = %s\n" % self.program_path)
        self.launch("one")
        self.docs["/one.xml"].update(self.pages("/one", (8, 9)))
        self.publish()
        self.crawl(self.server.url("/"))
        # as if that crawl had been killed before it counted
        with contextlib.closing(sqlite3.connect(self.program.store)) as db, db:
            last, = db.execute("SELECT max(id) FROM reading WHERE site_new > 0").fetchone()
            db.execute("UPDATE reading SET site_new = NULL, site_removed = NULL, site_returned ="
                       " NULL, site_gone = NULL WHERE id = ?", (last,))
            db.execute("UPDATE site SET tallied_id = ?, pending_id = ?", (last - 1, last))
        self.alert("send")
        self.assertEqual([kind for kind, _ in self.told()], ["section-launched"])
        self.launch("two")
        del self.docs["/two.xml"]
        self.alert("send")
        self.assertEqual([kind for kind, _ in self.told()], ["section-launched"] * 2)

    def test_held_up(self):
        """A site whose changes are not counted holds up no other site."""
        slow = Site(address="127.0.0.5")
        self.addCleanup(slow.close)
        slow.put("/robots.txt", "Sitemap: %s\n" % slow.url("/s.xml"))
        slow.put("/s.xml", urlset([slow.url("/%d" % i) for i in range(9)]))
        self.start("exec = %s\n" % self.program_path)
        self.crawl(slow.url("/"))
        self.launch("one")
        with contextlib.closing(sqlite3.connect(self.program.store)) as db, db:
            db.execute("UPDATE site SET tallied_id = 0, pending_id = (SELECT max(id) FROM reading)"
                       " WHERE host LIKE '127.0.0.5%'")
            db.execute("UPDATE reading SET delta_blocks = 1, pages = 1 WHERE document_id IN (SELECT d.id"
                       " FROM document d JOIN site s ON s.id = d.site_id WHERE s.host LIKE '127.0.0.5%')")
        self.alert("send")
        self.assertEqual([kind for kind, _ in self.told()], ["section-launched"])

    def test_exec_fails(self):
        self.start("exec = %s\n" % self.program_path)
        os.rename(self.program_path, self.program_path + "2")
        self.launch("one")
        result = self.alert("send", status=1)
        self.assertIn("new  exec  1 event not told: ", result.out)
        self.assertIn("No such file", result.out)
        self.write("tell", "#!/bin/sh\nexit 3\n")
        os.chmod(self.program_path, stat.S_IRWXU)
        self.assertEqual(self.alert("send").out, "")  # not yet
        self.assertIn("1 event to tell, again at 2026-", self.alert("list").out)
        self.clock.advance(60)
        self.assertIn("ended with 3", self.alert("send", status=1).out)
        os.rename(self.program_path + "2", self.program_path)
        self.clock.advance(60)
        self.assertEqual(self.alert("send").out, "")
        self.clock.advance(61)
        self.assertEqual(self.alert("send").out, "new  exec  1 event told\n")
        self.assertEqual(len(self.told()), 1)

    def test_webhook_fails(self):
        place = self.write("secret-url", self.hook.url("/secret") + "\n")
        self.start("webhook-file = %s\n" % place)
        self.launch("one")
        for answer, words in ((None, "answered 404"), (500, "answered 500"),
                              (302, "answered 302")):
            if answer:
                self.hook.put("/secret", status=answer, headers=[("Location", "/hook")])
            result = self.alert("send", status=1)
            self.assertIn(words, result.out)
            self.assertNotIn("secret", result.out + result.err)
            self.clock.advance(HOUR)
        self.hook.put("/secret", raw=b"")
        self.assertIn("new  webhook  1 event not told: the webhook: ",
                      self.alert("send", status=1).out)
        self.clock.advance(HOUR)
        os.rename(place, place + "2")
        self.assertIn("cannot be read", self.alert("send", status=1).out)
        os.rename(place + "2", place)
        self.clock.advance(HOUR)
        self.configure("[alert new]\nkinds = section-launched\nwebhook-file = %s\n" % place, defaults="")
        self.assertIn("private address", self.alert("send", status=1).out)
        self.assertEqual(self.hook.asked("/hook"), [])
        self.clock.advance(HOUR)
        self.hook.put("/secret", status=200)
        self.alert("send", "--allow-address", "127.0.0.1")
        self.assertEqual(json.loads(self.hook.asked("/secret")[-1].body)["text"].splitlines()[0],
                         "new: 127.0.0.1: /one is new: 8 pages came")
        # what cannot be told for two weeks is given up
        self.launch("two")
        self.hook.put("/secret", status=500)
        self.alert("send", "--allow-address", "127.0.0.1", status=1)
        self.clock.advance(15 * DAY)
        result = self.alert("send", status=1)
        self.assertIn("1 event given up", result.out)
        self.assertEqual(self.alert("send").out, "")

    def test_hostile_text(self):
        """What a site writes calls nobody, and is text in the feed."""
        self.configure("[alert a]\nwebhook-file = %s\natom = %s\nexec = %s\n"
                       % (self.url_file, self.path("a.atom"), self.program_path))
        self.crawl_day()
        self.alert("send")
        put = self.server.put
        self.server.put = lambda path, body, **kw: put(
            path, body + "Disallow: /<!channel>@here\x1b]]>&amp;\n" if path == "/robots.txt"
            else body, **kw)
        self.crawl_day(2)
        self.alert("send")
        text = json.loads(self.hook.asked("/hook")[-1].body)["text"]
        self.assertIn("Disallow: /&lt;!channel&gt;@\u200bhere", text)
        self.assertNotIn("\x1b", text)
        entry = ElementTree.parse(self.path("a.atom")).getroot().find(ATOM + "entry")
        self.assertIn("Disallow: /<!channel>@here", entry.find(ATOM + "title").text)
        self.assertEqual([kind for kind, _ in self.told()], ["robots-changed"])

    def test_full(self):
        """A chat that is full counts the rest, and sites take turns; a program hears all."""
        quiet = Site(address="127.0.0.5")
        self.addCleanup(quiet.close)
        quiet.put("/robots.txt", "Sitemap: %s\n" % quiet.url("/s.xml"))
        quiet.put("/s.xml", urlset([quiet.url("/%d" % i) for i in range(9)]))
        self.start("webhook-file = %s\nexec = %s\natom = %s\n"
                   % (self.url_file, self.program_path, self.path("new.atom")))
        self.crawl(quiet.url("/"))
        for name in range(600):
            self.docs["/a.xml"].update(self.pages("/a%d-is-a-new-section" % name, range(5)))
        quiet.put("/s.xml", urlset([quiet.url("/%d" % i) for i in range(9)] +
                                   [quiet.url("/b/%d" % i) for i in range(9)]))
        self.publish()
        self.clock.advance(HOUR)
        self.crawl(self.server.url("/"))
        self.crawl(quiet.url("/"))
        self.crawl_day(3)
        self.crawl(quiet.url("/"))
        out = self.alert("send").out
        self.assertEqual(out, "".join("new  %s  601 events told\n" % way for way in ("exec", "webhook", "atom")))
        text = json.loads(self.hook.asked("/hook")[-1].body)["text"]
        self.assertIn("127.0.0.5: /b is new", text)
        self.assertLess(len(text.encode()), 35000)
        lines = text.splitlines()
        self.assertEqual(lines[-1], "and %d other events: freshet alert replay new" % (601 - (len(lines) - 2)))
        self.assertGreater(len(lines), 100)
        self.assertEqual(len(self.heard_records("event")), 601)
        entries = ElementTree.parse(self.path("new.atom")).getroot().findall(ATOM + "entry")
        titles = [e.find(ATOM + "title").text for e in entries]
        self.assertEqual(len(titles), 100)
        self.assertIn("127.0.0.5: /b is new: 9 pages came", titles)
        self.assertEqual(self.alert("send").out, "")

    def test_latest_of_many_sites(self):
        """Of more sites than a feed has entries the latest events are in it, and not one of each."""
        names = ["h%d.example" % n for n in range(102)]
        network = ("--connect-to", "::127.0.0.1:%d" % self.server.port, "--delay", "0")

        def change(rule, *hosts):
            for host in hosts:
                self.server.put(host + "/robots.txt", "User-agent: *\nDisallow: /%s\n"
                                "Sitemap: http://%s/s.xml\n" % (rule, host))
                self.server.put(host + "/s.xml", urlset(["http://%s/" % host]))
            self.clock.advance(25 * HOUR)
            self.crawl(*("http://%s/" % host for host in hosts), *network)

        self.configure("[alert new]\nkinds = robots-changed\natom = %s\n" % self.path("new.atom"))
        self.crawl_day(2)
        self.alert("send")
        change("a", *names)
        change("b", *names)
        change("c", names[-1])
        change("d", names[-1])
        self.clock.advance(HOUR)
        self.alert("send")
        entries = ElementTree.parse(self.path("new.atom")).getroot().findall(ATOM + "entry")
        titles = [e.find(ATOM + "title").text for e in entries]
        self.assertEqual(len(titles), 100)
        for title, rule in zip(titles, "dc"):
            self.assertRegex(title, r"^h101\.example: .*Disallow: /" + rule)

    def heard_records(self, kind):
        with open(self.heard, encoding="ascii") as f:
            return [r for r in map(json.loads, f) if r["type"] == kind]

    def test_urls(self):
        """What holds no URL of http is no webhook, and holds up no other alert."""
        self.start("webhook-file = %s\n[alert b]\nexec = %s\n" % (self.url_file, self.program_path))
        self.launch("one")
        for text in ("", "\n\n", "ftp://127.0.0.1/", "127.0.0.1/hook", "HTTP:/x", "file:///etc/passwd"):
            self.write("hook.url", text)
            out = self.alert("send", status=1).out
            self.assertIn("new  webhook  1 event not told: '%s' holds no URL of http or https"
                          % self.url_file, out)
            self.assertNotIn("etc/passwd", out)
            self.assertEqual(len(self.heard_records("event")), 1)
            self.assertIn("holds no URL", self.alert("test", "new", status=1).out)
            self.clock.advance(6 * HOUR)
        self.write("hook.url", self.hook.url("/hook").replace("http:", "HTTP:") + "\n")
        self.assertEqual(self.alert("send").out, "new  webhook  1 event told\n")

    def test_program(self):
        """A program has a process group of its own, and freshet ends in order."""
        self.write("tell", "#!/bin/sh\ncut -d' ' -f1,5 /proc/$$/stat >%s\ncat /proc/self/oom_score_adj "
                   ">>%s\nread -r line\necho B >>%s\nwhile ! test -e %s; do sleep 0.01; done\necho E >>%s\n"
                   % ((self.heard,) * 3 + (self.path("go"), self.heard)))
        self.start("exec = %s\n" % self.program_path)
        self.launch("one")
        send = self.program.start("alert", "send", "--config", self.config)
        end = time.monotonic() + 600
        heard = []
        while "B" not in heard and time.monotonic() < end:
            time.sleep(0.01)
            with contextlib.suppress(FileNotFoundError), open(self.heard, encoding="ascii") as f:
                heard = f.read().split()
        self.assertEqual(heard[0], heard[1])  # the leader of its group
        self.assertEqual(heard[2], "1000")
        send.terminate()
        time.sleep(0.05)
        self.write("go", "")
        self.assertEqual(send.wait(600), -signal.SIGTERM)
        self.assertEqual(self.alert("send").out, "")
        with open(self.heard, encoding="ascii") as f:
            self.assertEqual(f.read().split()[3:], ["B", "E"])

    def test_dies(self):
        """`run` logs and counts a process for alerts that dies."""
        self.write("tell", "#!/bin/sh\nkill -9 $PPID\n")
        self.start("exec = %s\n" % self.program_path)
        self.launch("one")
        daemon = Daemon(self.program, "--config", self.config)
        try:
            self.clock.rate(600)
            daemon.wait("warning", text="'freshet alert send' was ended by signal 9: what it had to tell waits")
        finally:
            daemon.end()
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            self.assertGreater(db.execute("SELECT alerts_died FROM meta").fetchone()[0], 0)

    def test_thresholds(self):
        self.start("at-least = 5\nshare = 50%%\nexec = %s\n[alert blog]\nsections = /blog\nexec = %s\n"
                   "[alert tag]\ntags = rivals\nexec = %s\n[alert less]\nkinds = section-launched\n"
                   "at-least = 9\nexec = %s\n" % ((self.program_path,) * 4))
        self.launch("one")
        self.launch("blog")
        told = self.alert("send", "--json").records()
        self.assertEqual([(t["alert"], t["events"]) for t in told], [("new", 2), ("blog", 1)])
        # a tag that no site has is named, or an alert would be silent for ever
        warning = "[alert tag]: no site of the watch list has the tag 'rivals', so nothing is told of it"
        past = self.alert("replay", "tag", "--since", "30d")
        self.assertEqual((past.out, past.err), ("", "freshet: %s\n" % warning))
        self.assertEqual(self.alert("test", "tag").err, "freshet: %s\n" % warning)
        self.program.run("add", self.server.url("/"))
        run = ("run", "--once", "--config", self.config, "--log", "json")
        warnings = [r["text"] for r in map(json.loads, self.program.run(*run).err.splitlines())
                    if r["event"] == "warning"]
        self.assertIn(warning, warnings)
        self.program.run("add", "--tag", "rivals", self.server.url("/"))
        self.assertNotIn(warning, self.program.run(*run).err)
        self.assertEqual(self.alert("test", "tag").err, "")
        past = self.alert("replay", "tag", "--since", "30d").out
        self.assertIn("/blog is new", past)

    def test_headline(self):
        """The first line has the event that matters most, not the first one."""
        self.configure("[alert usual]\nexec = %s\n[alert all]\nkinds = first-reading, "
                       "section-launched, section-gone, robots-changed\nwebhook-file = %s\n"
                       % (self.program_path, self.url_file))
        self.program.run("add", self.server.url("/"))
        self.alert("send")  # the alerts begin before the site is read
        self.docs["/old.xml"] = self.pages("/old", range(50, 56))
        self.crawl_day()
        self.alert("send")
        self.assertEqual(self.told(), [])  # a first reading is no news
        first, = self.hook.asked("/hook")
        self.assertEqual(json.loads(first.body)["text"].splitlines()[0],
                         "all: 127.0.0.1: read for the first time: 26 pages, of which none counts "
                         "as new")
        self.docs["/one.xml"] = self.pages("/one", range(8))
        self.crawl_day()
        self.docs["/two.xml"] = self.pages("/two", range(9))
        self.crawl_day(4)
        del self.docs["/old.xml"]
        self.crawl_day(6)
        self.alert("send")
        text = json.loads(self.hook.asked("/hook")[-1].body)["text"].splitlines()
        self.assertEqual(text[0], "all: 127.0.0.1: /two is new: 9 pages came; and 2 other events")
        self.assertIn("/one is new", text[1])  # in the order of time
        with open(self.heard, encoding="ascii") as f:
            alert = json.loads(f.readline())
        self.assertEqual(alert["events"], 3)
        self.assertIn("usual: 127.0.0.1: /two is new", alert["line"])

    def test_test(self):
        self.start("exec = %s\nwebhook-file = %s\natom = /nowhere/a.atom\n"
                   % (self.program_path, self.url_file))
        result = self.alert("test", "new", status=1)
        self.assertEqual(result.out.splitlines()[:2],
                         ["new  exec  1 event told", "new  webhook  1 event told"])
        self.assertIn("new  atom  1 event not told: the folder '/nowhere' cannot be written",
                      result.out)
        self.assertIn("a test: nothing happened",
                      json.loads(self.hook.asked("/hook")[0].body)["text"])
        self.assertEqual(self.alert("send").out, "")

    def test_run(self):
        """The daemon tells without being asked."""
        self.start("exec = %s\n" % self.program_path)
        self.docs["/one.xml"] = self.pages("/one", range(8))
        self.publish()
        self.program.run("add", "--every", "1d", self.server.url("/"))
        daemon = Daemon(self.program, "--config", self.config, "--retry", "0")
        try:
            self.clock.leap(until=self.clock.now() + 5 * DAY)
            end = time.monotonic() + 600
            while not self.told() and time.monotonic() < end:
                time.sleep(0.05)
        finally:
            daemon.end()
        self.assertEqual([kind for kind, _ in self.told()], ["section-launched"])

    def test_state(self):
        """What was told is in the store: there is no file beside it, and a link in the place
        of the one that earlier versions made is not followed."""
        state = self.program.store + "-alerts"
        os.symlink(self.path("victim"), state)
        self.configure("[alert new]\nkinds = section-launched\nexec = %s\n" % self.program_path)
        self.crawl_day(2)
        self.assertIn("begins with the next 'alert send'", self.alert("list").out)
        self.alert("send")
        self.assertIn("events until 2026-01-02 ", self.alert("list").out)
        self.assertFalse(os.path.exists(self.path("victim")))
        os.unlink(state)
        self.launch("one")
        self.assertIn(", 1 event to tell", self.alert("list").out)
        self.alert("send")
        self.assertEqual(self.alert("list").out.count("to tell"), 0)
        self.assertEqual(len(self.told()), 1)
        self.assertFalse(os.path.exists(state))

    def test_claim(self):
        """Two processes do not tell the same; a process that was killed holds up the next one
        for ten minutes at most, whatever the clock does."""
        self.start("exec = %s\n" % self.program_path)
        self.launch("one")
        for until, status in ((int(self.clock.now()) + 300, 5), (int(self.clock.now()) + 10 * HOUR, 0)):
            self.program.change("UPDATE alert SET until_s = %d WHERE name = ''" % until)
            self.assertEqual("another 'freshet alert send' is at work" in self.alert("send", status=status).err,
                             status == 5)
            self.assertEqual(len(self.told()), 1 - (status == 5))

    def ask(self, line):
        """The exit status that the owner of the store answers."""
        end = time.monotonic() + 600
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.settimeout(600)
                    peer.connect(self.program.store + ".sock")
                    peer.sendall(line)
                    with peer.makefile() as answer:
                        return json.loads(answer.readlines()[-1])["exit"]
            except (OSError, IndexError):
                # it is not there yet, or has closed a peer that was too slow for its clock
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)

    def test_bad_requests(self):
        """What no freshet would ask of the owner of the store is refused, and changes nothing."""
        self.start("exec = %s\n" % self.program_path)
        self.program.run("add", self.server.url("/"))
        version = self.program.run("version", "--json").records()[0]["version"]
        good = {"v": 1, "command": "alert", "version": version, "alert": "other", "sink": 0, "begun": 9,
                "until": 99, "tries": 0, "next": 0, "why": None}
        daemon = Daemon(self.program, "--config", self.config)
        try:
            for change in ({"version": "0"}, {"alert": None}, {"sink": -1}, {"until": 1 << 62}, {"until": -1},
                           {"tries": 1 << 40}, {"next": "x"}, {"sites": ["1"]}, {"sites": ["1 -5"]}, {}):
                line = (json.dumps(dict(good, **change)) + "\n").encode()
                self.assertEqual(self.ask(line), 0 if change == {} else 2, change)
        finally:
            daemon.end()
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            self.assertEqual(db.execute("SELECT until_s FROM alert WHERE name = 'other'").fetchone(), (99,))

    def test_wrong_use(self):
        for text, words in (
                ("[alert]\natom = /x\n", "an alert needs a name"),
                ("[alert a b]\natom = /x\n", "letters, digits"),
                ("[alert a]\natom = x\n", "'atom' takes the path of a file, from the root"),
                ("[alert a]\natom = /x\natom = /y\n", "stands in [alert a] already"),
                ("[alert a]\nkinds = burst\n", "[alert a] tells nobody"),
                ("[alert a]\nkind = burst\n", "did you mean 'kinds'"),
                ("[alert a]\nkinds = brust\natom = /x\n", "'kinds' takes kinds of events"),
                ("[alert a]\nquiet = 22:00-07:00\natom = /x\n", "unknown key 'quiet'"),
                ("[alert a]\nshare = 30\natom = /x\n", "'share' takes a percentage"),
                ("[alert a]\nsections = /a/b\natom = /x\n", "no site has a section '/a/b'"),
                ("[alert a]\nsections = a b\natom = /x\n", "'sections' takes sections"),
                ("[alert a]\nxyz = 1\natom = /x\n", "unknown key 'xyz'")):
            self.configure(text)
            self.assertIn(words, self.alert("list", status=2).err)
        self.configure("[alert a]\natom = /x\n")
        self.crawl_day()
        for args in (("test",), ("test", "b"), ("replay", "b"), ("send", "a"), ("list", "a")):
            self.alert(*args, status=2)
        self.configure("")
        self.assertIn("no section [alert NAME]", self.alert("send", status=2).err)
