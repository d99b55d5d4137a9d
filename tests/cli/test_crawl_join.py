"""A crawl that is asked for while another process owns the store: the owner
does it."""
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from case import Case, index, urlset
from daemon import Daemon
from late import assert_sooner
from program import interrupt

CHILDREN = 8


class Join(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.slow = self.make("127.0.0.1", CHILDREN, 0.4)
        self.fast = self.make("127.0.0.2", 3, 0)

    def make(self, address, children, delay):
        site = self.site(address=address)
        paths = ["/s%d.xml" % n for n in range(children)]
        site.put("/index.xml", index([site.url(p) for p in paths]), etag='"index"')
        for n, path in enumerate(paths):
            site.put(path, urlset([site.url("/%d/%d" % (n, k)) for k in range(20)]),
                     etag='"%d"' % n, delay=delay)
        return site

    def target(self, site):
        return site.url("/index.xml")

    def hold(self, *args):
        """Start a crawl of the slow site."""
        process = self.program.start("crawl", "--json", "--progress", "off", *args,
                                     self.target(self.slow))
        self.slow.wait_for("/s0.xml")
        return process

    def end(self, process, status=0):
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, out + err)
        return [json.loads(line) for line in out.splitlines()]

    def urls_of(self, site, children):
        return sorted(site.url("/%d/%d" % (n, k)) for n in range(children) for k in range(20))

    def check_all(self):
        self.assertEqual(self.program.urls(), sorted(
            self.urls_of(self.slow, CHILDREN) + self.urls_of(self.fast, 3)))

    def test_progress(self):
        """At a terminal the line of progress goes before the summary comes."""
        self.program.variables["TERM"] = "xterm"
        lines = self.program.at_terminal(
            120, "crawl", self.target(self.make("127.0.0.3", 1, 0.5)), has_stderr=True)
        shown = [line for line in lines if "2 documents of 1 site" in line]
        self.assertRegex(shown[0], r"crawling .*\r\x1b\[K2 documents of 1 site, 20 URLs$")

    def test_another_site(self):
        owner = self.hold()
        crawl = self.crawl(self.target(self.fast))
        self.assertIsNone(owner.poll(), "the owner was through before")
        self.assertEqual(len(crawl.sitemaps()), 4, str(crawl))
        self.assertEqual(crawl.summary["sites"], 1)
        self.assertEqual(crawl.summary["urls"]["listed"], 60)
        self.assertEqual(crawl.summary["requests"], 5)
        # it is committed when it is told of, and others can read it
        self.assertEqual(self.program.urls("127.0.0.2"), self.urls_of(self.fast, 3))
        records = self.end(owner)
        self.assertEqual(records[-1]["urls"]["listed"], CHILDREN * 20)
        self.assertFalse(any("127.0.0.2" in r.get("url", "") for r in records))
        self.check_all()
        self.assertFalse(os.path.exists(self.program.store + ".sock"))

    def test_for_people(self):
        owner = self.hold()
        self.fast.put("/s1.xml", "gone", status=404)
        result = self.program.run("crawl", self.target(self.fast))
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("4 documents of 1 site, 40 URLs", result.out)
        self.assertIn("fetch-not-found", result.out)
        self.end(owner)

    def test_the_same_site(self):
        owner = self.hold()
        crawl = self.crawl(self.target(self.slow))
        self.end(owner)
        # once more, when the other is through with it
        # (the client goes on by itself when the owner leaves)
        documents = crawl.summary["documents"]
        self.assertEqual(documents["unchanged"] + documents["already"], CHILDREN + 1, str(crawl))
        for n in range(CHILDREN):
            asked = self.slow.asked("/s%d.xml" % n)
            self.assertFalse(asked[0].is_conditional)
            self.assertTrue(all(r.is_conditional for r in asked[1:]), asked)

    def test_a_site_that_the_owner_is_through_with(self):
        """The crawl of the owner ends after one that began at one of its
        sites later."""
        owner = self.hold(self.target(self.fast))
        crawl = self.crawl(self.target(self.fast))
        self.assertIsNone(owner.poll(), "the owner was through before")
        self.assertEqual(crawl.summary["documents"]["unchanged"], 4, str(crawl))
        self.assertEqual(self.end(owner)[-1]["sites"], 2)
        self.check_all()

    def test_forced(self):
        self.crawl(self.target(self.fast))
        owner = self.hold()
        crawl = self.crawl("--force", self.target(self.fast))
        self.assertEqual(crawl.summary["documents"]["read"], 4, str(crawl))
        self.end(owner)

    def test_another_option(self):
        owner = self.hold()
        result = self.program.run("crawl", "--retry", "5", self.target(self.fast))
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("the 'crawl' that holds this store has another '--retry'", result.err)
        self.assertEqual(self.fast.requests, [])
        self.end(owner)

    def test_another_option_than_run(self):
        daemon = Daemon(self.program)
        daemon.wait("started")
        result = self.program.run("crawl", "--profile", "strict", self.target(self.fast))
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("the 'run' that holds this store has another '--profile'", result.err)
        self.crawl(self.target(self.fast))
        daemon.end()

    def test_another_configuration(self):
        """The content of the configuration counts, not the name of its file."""
        for folder, secret in (("a", "of-a"), ("b", "of-b")):
            os.mkdir(os.path.join(self.program.folder, folder))
            with open(os.path.join(self.program.folder, folder, "c.conf"), "w") as f:
                f.write("[site z.example]\nheader = X-S: %s\n" % secret)
        owner = self.hold("--config", "a/c.conf")
        result = self.program.run("crawl", "--config", "b/c.conf", self.target(self.fast))
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("config", result.err)
        self.crawl("--config", os.path.join(self.program.folder, "a", "c.conf"),
                   self.target(self.fast))
        self.end(owner)

    def test_bytes_that_are_no_text(self):
        owner = self.hold()
        self.crawl(self.fast.url("/") + os.fsdecode(b"\xff.xml"), status=4)
        self.assertEqual(len(self.fast.asked("/%FF.xml")), 1)
        self.end(owner)

    def check_left(self, crawl):
        """The crawl went on by itself, as after an interruption: each document
        was told of once, and what the owner had committed was not asked for
        again."""
        documents = crawl.summary["documents"]
        self.assertEqual(documents["read"] + documents["already"], 4, str(crawl))
        self.assertEqual(documents["unchanged"], 0, str(crawl))
        paths = ["/index.xml", "/s0.xml", "/s1.xml", "/s2.xml"]
        self.assertEqual(sorted(d["url"] for d in crawl.sitemaps()),
                         sorted(map(self.fast.url, paths)), str(crawl))
        asked = [len(self.fast.asked(path)) for path in paths]
        self.assertEqual(asked[0], 1)
        # one request was under way when the owner left
        self.assertLessEqual(sum(asked), len(paths) + 1, asked)
        self.assertGreater(documents["already"], 0)

    def test_forced_and_left_alone(self):
        """Documents that were read with --force before the owner left are not
        read again."""
        owner = self.hold()
        for path in ("/s0.xml", "/s1.xml", "/s2.xml"):
            self.fast.replies[path].delay = 1.5
        crawl = self.crawl("--force", self.target(self.fast))
        self.assertIsNotNone(owner.poll(), "the owner was not through")
        self.check_left(crawl)

    def test_forced_and_quiet(self):
        """So it is if the owner has had nothing to tell."""
        self.hold()
        paths = ["/index.xml", "/s0.xml", "/s1.xml", "/s2.xml"]
        for path in paths[1:]:
            self.fast.replies[path].delay = 1.5
        result = self.program.run("crawl", "--quiet", "--force", self.target(self.fast))
        self.assertEqual(result.status, 0, str(result))
        asked = [len(self.fast.asked(path)) for path in paths]
        # one request was under way when the owner left
        self.assertLessEqual(sum(asked), len(paths) + 1, asked)

    def test_a_silent_owner(self):
        """The owner is stopped: exit status 5, within 5 s."""
        owner = self.hold()
        owner.send_signal(signal.SIGSTOP)
        try:
            begin = time.monotonic()
            result = self.program.run("crawl", self.target(self.fast))
            assert_sooner(time.monotonic() - begin, 12)
        finally:
            owner.send_signal(signal.SIGCONT)
        self.assertEqual(result.status, 5, str(result))
        self.end(owner)

    def test_somebody_elses_file(self):
        path = self.program.store + ".sock"
        with open(path, "w") as f:
            f.write("precious")
        result = self.program.run("crawl", self.target(self.fast))
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("no socket", result.err)
        result = self.program.run("hold", "--for", "1m", "127.0.0.2")
        self.assertEqual((result.status, result.err), (0, ""), str(result))
        with open(path) as f:
            self.assertEqual(f.read(), "precious")

    def take_over(self, sign):
        owner = self.hold()
        for path in ("/s0.xml", "/s1.xml", "/s2.xml"):
            self.fast.replies[path].delay = 0.7
        client = self.program.start("crawl", "--json", "--progress", "off",
                                   self.target(self.fast))
        self.fast.wait_for("/s1.xml")
        owner.send_signal(sign)
        owner.wait(600)
        records = self.end(client)
        self.assertEqual(records[-1]["type"], "summary")
        self.assertEqual(self.program.urls("127.0.0.2"), self.urls_of(self.fast, 3))
        # what was committed was not asked for again
        self.assertEqual(len(self.fast.asked("/index.xml")), 1)
        self.crawl(self.target(self.slow))
        self.check_all()

    def test_the_owner_is_killed(self):
        self.take_over(signal.SIGKILL)

    def test_the_owner_is_interrupted(self):
        self.take_over(signal.SIGINT)

    def test_the_owner_is_through_first(self):
        owner = self.hold()
        for path in ("/s0.xml", "/s1.xml", "/s2.xml"):
            self.fast.replies[path].delay = 1.5
        crawl = self.crawl(self.target(self.fast))
        self.assertIsNotNone(owner.poll(), "the owner was not through")
        self.assertEqual(crawl.summary["exit"], 0)
        self.assertEqual(crawl.summary["urls"]["listed"], 60, str(crawl))
        self.check_left(crawl)
        self.check_all()

    def test_the_client_is_interrupted(self):
        owner = self.hold()
        self.fast.replies["/s0.xml"].delay = 0.5
        client = self.program.start("crawl", "--progress", "off", self.target(self.fast))
        self.fast.wait_for("/s0.xml")
        status, _, err, seconds = interrupt(client)
        self.assertEqual(status, 130, err)
        assert_sooner(seconds, 2)
        self.assertIn("run the same command to resume", err)
        self.end(owner)
        # what had been asked for already is all
        self.assertEqual(self.fast.asked("/s2.xml"), [])
        self.crawl(self.target(self.fast))
        self.check_all()

    def test_interrupted_while_the_owner_hangs(self):
        owner = self.hold()
        self.fast.replies["/s0.xml"].delay = 0.5
        client = self.program.start("crawl", self.target(self.fast))
        self.fast.wait_for("/s0.xml")
        owner.send_signal(signal.SIGSTOP)
        try:
            status, _, err, _ = interrupt(client, signal.SIGTERM)
        finally:
            owner.send_signal(signal.SIGCONT)
        self.assertEqual(status, 143, err)
        self.end(owner)

    def test_many(self):
        owner = self.hold()
        sites = [self.make("127.0.1.%d" % n, 2, 0) for n in range(1, 16)]
        clients = [self.program.start("crawl", "--json", "--progress", "off",
                                     self.target(s)) for s in sites]
        for site, client in zip(sites, clients):
            records = self.end(client)
            self.assertEqual(records[-1]["urls"]["listed"], 40)
        self.end(owner)

    def test_nonsense(self):
        owner = self.hold()
        for text in (b"", b"\n", b"{}\n", b"[1]\n", b"\0\xff\n",
                     b'{"command":"crawl","version":"9"}\n',
                     b'{"command":"crawl","command":"crawl"}\n', b"x" * 100000):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect(self.program.store + ".sock")
                s.sendall(text)
                if text.endswith(b"\n"):
                    answer = s.makefile("rb").read()
                    self.assertIn(b'"exit":2', answer, text)
        self.crawl(self.target(self.fast))
        self.end(owner)
        self.check_all()

    def test_the_socket_is_ours_alone(self):
        owner = self.hold()
        self.assertEqual(os.stat(self.program.store + ".sock").st_mode & 0o777, 0o600)
        self.end(owner)

    def test_a_socket_is_left(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(self.program.store + ".sock")
        self.crawl(self.target(self.fast))

    def test_a_long_path(self):
        folder = os.path.join(self.program.folder, "d" * 120)
        os.mkdir(folder)
        self.program.store = os.path.join(folder, "store.db")
        owner = self.hold()
        self.crawl(self.target(self.fast))
        self.end(owner)

    def test_nobody_serves(self):
        """The lock belongs to a process that serves no socket: one line within
        5 s, and the command goes on when the lock is free."""
        self.crawl(self.target(self.fast))
        script = ("import fcntl,struct,sys,time\n"
                  "f=open(sys.argv[1],'r+')\n"
                  "fcntl.fcntl(f,37,struct.pack('hhqqi4x',fcntl.F_WRLCK,0,0,0,0))\n"
                  "print('held',flush=True)\ntime.sleep(60)\n")
        owner = subprocess.Popen(["python3", "-c", script, self.program.store + ".lock"],
                                  stdout=subprocess.PIPE)
        self.addCleanup(owner.stdout.close)
        self.addCleanup(owner.wait)
        self.addCleanup(owner.kill)
        owner.stdout.readline()
        begin = time.monotonic()
        crawl = self.program.start("crawl", "-q", self.target(self.fast))
        self.assertRegex(crawl.stderr.readline(), b"store-locked: .*; waiting")
        self.assertGreater(time.monotonic() - begin, 4)
        assert_sooner(time.monotonic() - begin, 12)
        self.assertIsNone(crawl.poll())
        owner.kill()
        self.assertEqual(crawl.wait(600), 0, crawl.stderr.read())


class Lines(Case):
    def test_a_bad_line_among_many(self):
        """A bad line of a list is lost alone; a bad target that was typed stops
        the command."""
        server = self.site()
        server.put("/s.xml", urlset([server.url("/1")]))
        lines = "http://\n%s\nno host at all\n" % server.url("/s.xml")
        result = self.program.run("crawl", "-", input=lines)
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("'no host at all'", result.err)
        self.assertEqual(self.program.urls(), [server.url("/1")])
        result = self.program.run("crawl", "-", input="no host at all\n")
        self.assertEqual(result.status, 4, str(result))
        result = self.program.run("crawl", "no host at all", server.url("/s.xml"))
        self.assertEqual(result.status, 2, str(result))

    def test_files_of_targets(self):
        server = self.site()
        for n in (1, 2, 3):
            server.put("/s%d.xml" % n, urlset([server.url("/%d" % n)]))
        path = os.path.join(self.program.folder, "list")
        with open(path, "w") as f:
            f.write("# two\n%s\n\n  %s  " % (server.url("/s1.xml"), server.url("/s2.xml")))
        self.crawl("-i", path, server.url("/s3.xml"))
        self.assertEqual(self.program.urls(), [server.url("/%d" % n) for n in (1, 2, 3)])
        result = self.program.run("crawl", "--input-file", path + "no")
        self.assertEqual(result.status, 2)
        self.assertIn("cannot read '%sno'" % path, result.err)


if __name__ == "__main__":
    unittest.main()
