"""The readers of a running crawl: their descriptors and limits, and what
happens when they misbehave (HOSTILE X33, X34)."""
import contextlib
import resource
import threading
import time
import unittest

from case import Case, index, urlset
from processes import children_of, files_of
from program import HOOKED, NO_HOOKS


def status_of(pid):
    """What /proc says of it; nothing, if it has ended."""
    with contextlib.suppress(OSError), open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
    return {}


class Readers(Case):
    """Readers, looked at from outside during a crawl."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/index.xml", index([self.server.url("/a.xml"),
                                             self.server.url("/b.xml")]))
        self.server.put("/a.xml", urlset([self.server.url("/a")]))
        may_end = threading.Event()
        self.server.put("/b.xml", urlset([self.server.url("/b")]), gate=may_end)
        self.process = self.program.start("crawl", self.server.url("/index.xml"))
        self.addCleanup(self.process.communicate, timeout=600)
        self.addCleanup(may_end.set)
        # two documents have been read when the third is asked for
        self.server.wait_for("/b.xml")
        end = time.monotonic() + 600
        while not self.are_there():
            self.assertLess(time.monotonic(), end, "no reader")
            time.sleep(0.01)

    def are_there(self):
        """Have the fork server and a reader begun, and given up what they may not have?"""
        self.forkserver = children_of(self.process.pid)
        self.readers = [p for f in self.forkserver for p in children_of(f)]
        return self.readers and all(status_of(pid).get("Seccomp") == "2" for pid in self.readers)

    def test_processes(self):
        self.assertEqual(len(self.forkserver), 1)
        self.assertGreaterEqual(len(self.readers), 1)

    def test_filter(self):
        self.assertTrue(self.readers)
        for pid in self.readers:
            status = status_of(pid)
            self.assertEqual(status["Seccomp"], "2")
            self.assertEqual(status["NoNewPrivs"], "1")

    def test_descriptors(self):
        """A socket to main; between jobs no document, never a database."""
        self.assertTrue(self.readers)
        for pid in self.readers:
            held = files_of(pid)
            sockets = [t for n, t in held.items() if n > 2 and t.startswith("socket:")]
            self.assertEqual(len(sockets), 1, held)
            for number, target in held.items():
                allowed = target.startswith("socket:") or target == "/dev/null" or \
                    "(deleted)" in target or "#" in target or number <= 2
                self.assertTrue(allowed, held)
                self.assertNotIn("store.db", target)

    def test_limits(self):
        for pid in self.readers:
            with open("/proc/%d/limits" % pid, encoding="ascii") as f:
                limits = {line[:26].strip(): line[26:].split()[0] for line in f}
            self.assertEqual(limits["Max core file size"], "0")
            self.assertEqual(limits["Max processes"], "0")

    def test_fork_server_holds_no_database(self):
        for pid in self.forkserver:
            for target in files_of(pid).values():
                self.assertNotIn("store.db", target)
                self.assertNotIn("eventpoll", target)


def in_halves(connection, body):
    half = len(body) // 2
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:half])
    time.sleep(0.3)
    connection.sendall(body[half:])
    return True


class Isolation(Case):
    """How many readers a crawl of two sites starts."""

    def readers(self, *options):
        sites = [self.site(address="127.0.0.%d" % n) for n in (1, 2)]
        for site in sites:
            site.put("/index.xml", index([site.url("/s%d.xml" % n) for n in range(3)]))
            for n in range(3):
                # a reader that waits for the rest is there for long enough to be seen
                body = urlset([site.url("/%d" % n)]).encode()
                site.put("/s%d.xml" % n, call=lambda _, s, body=body: in_halves(s, body))
        process = self.program.start("crawl", "--readers", "1", *options,
                                     *[site.url("/index.xml") for site in sites])
        pids = set()
        while process.poll() is None:
            pids.update(p for f in children_of(process.pid) for p in children_of(f))
            time.sleep(0.002)
        self.assertEqual(process.returncode, 0, process.communicate())
        self.assertEqual(len(self.program.urls()), 6)
        return len(pids)

    def test_off(self):
        self.assertEqual(self.readers(), 1)

    def test_site(self):
        self.assertGreaterEqual(self.readers("--isolate", "site"), 3)

    def test_document(self):
        # of six, some of them too short to be seen
        self.assertGreaterEqual(self.readers("--isolate", "document"), 3)


class NoReader(Case):
    def test_cannot_fork(self):
        """P10: no document is to blame: the crawl ends, and all documents stay
        due."""
        server = self.site()
        server.put("/robots.txt", "User-agent: *\n", delay=1)
        server.put("/s.xml", urlset([server.url("/1")]))
        process = self.program.start("crawl", server.url("/s.xml"))
        server.wait_for("/robots.txt")
        for pid in children_of(process.pid):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 8, (out, err))
        self.assertIn(b"no reader can be started: Too many open files", err)
        self.crawl(server.url("/s.xml"))
        self.assertEqual(len(self.program.urls()), 1)

    def test_cannot_fork_yet(self):
        """P10: it tries again after 50, 100, ... ms, and the document waits."""
        server = self.site()
        server.put("/robots.txt", "User-agent: *\n", delay=1)
        server.put("/s.xml", urlset([server.url("/1")]))
        process = self.program.start("crawl", server.url("/s.xml"))
        server.wait_for("/robots.txt")
        before = {pid: resource.prlimit(pid, resource.RLIMIT_NOFILE) for pid in children_of(process.pid)}
        for pid, (_, most) in before.items():
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, most))
        server.wait_for("/s.xml")
        time.sleep(0.5)
        for pid, limits in before.items():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, (out, err))
        self.assertEqual(len(self.program.urls()), 1)


@unittest.skipIf(NO_HOOKS, NO_HOOKS)
class Planted(Case):
    """The first reader has a planted fault: one reading is lost, with its
    finding, and all others are right."""

    COUNT = 8

    def setUp(self):
        super().setUp()
        self.program.binary = HOOKED
        self.server = self.site()
        self.urls = [self.server.url("/s%d.xml" % n) for n in range(self.COUNT)]
        for n in range(self.COUNT):
            self.server.put("/s%d.xml" % n, urlset([
                self.server.url("/%d/%d" % (n, k)) for k in range(30)]))

    def judge(self, plant, code, text="", *options):
        crawl = self.crawl(*options, *self.urls, env={"FRESHET_TEST_FAULT": plant}, status=1)
        lost = [d for d in crawl.sitemaps() if d["outcome"] != "read"]
        self.assertEqual(len(lost), 1, str(crawl))
        self.assertEqual((lost[0]["outcome"], lost[0]["failure"]), ("failed", code))
        finding = next(f for f in lost[0]["findings"] if f["code"] == code)
        self.assertIn(text, finding["text"])
        good = sorted(self.server.origin + "/%d/%d" % (n, k) for n in range(self.COUNT)
                      for k in range(30) if self.urls[n] != lost[0]["url"])
        self.assertEqual(self.program.urls(), good)
        self.assertEqual(self.program.run("db", "fsck").status, 0)
        # the next run reads what was lost
        self.crawl(*self.urls)
        self.assertEqual(len(self.program.urls()), self.COUNT * 30)

    def test_open(self):
        """Every way to open a file was answered with EACCES: status 41."""
        self.judge("open", "reader-crashed", "41")

    def test_descriptors(self):
        """nothing but the socket and the job's files is open: status 41"""
        self.judge("fds", "reader-crashed", "41")

    def test_socket(self):
        """The filter sends SIGSYS."""
        self.judge("socket", "reader-crashed", "31")

    def test_exec(self):
        self.judge("exec", "reader-crashed", "31")

    def test_fork(self):
        self.judge("fork", "reader-crashed", "31")

    def test_map(self):
        """The reader asks for memory that could be executed."""
        self.judge("map", "reader-crashed")

    def test_crash(self):
        self.judge("crash", "reader-crashed", "signal")

    def test_exit(self):
        self.judge("exit", "reader-crashed")

    def test_garbage(self):
        self.judge("garbage", "reader-killed")

    def test_oversize(self):
        self.judge("oversize", "reader-killed")

    def test_flood(self):
        self.judge("flood", "reader-killed")

    def test_lies(self):
        """The reader sends false answers in the right form: none of them is
        stored."""
        self.judge("lie-host", "reader-killed", "may not list")

    def test_lie_of_the_store(self):
        self.judge("lie-damage", "reader-killed", "damage that is not there")

    def test_loop(self):
        """The reader uses up its CPU time, and is killed."""
        self.judge("loop", "reader-killed", "CPU limit", "--reader-cpu", "1")

    def test_sleep(self):
        self.judge("sleep", "reader-killed", "wall clock limit", "--reader-time", "3s")

    def test_memory(self):
        self.judge("memory", "reader-crashed", "out of memory", "--reader-memory", "200M")


if __name__ == "__main__":
    unittest.main()
