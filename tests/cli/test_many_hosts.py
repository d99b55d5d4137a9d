"""Many hosts in one run: all at the same time, and each at its delay."""
import os
import random
import threading
import time
import unittest

from case import Case
from late import assert_sooner
from nginx import free_port
from program import BINARY, NAMES
from thousand import Thousand

FULL = os.environ.get("FRESHET_FULL") == "1"


class Many(Case):
    def thousand(self, max_time=200, **kwargs):
        server = Thousand(max_time=max_time, **kwargs)
        self.addCleanup(server.close)
        return server

    def crawl_all(self, server, *args, status=0, more=(), **kwargs):
        """Crawl every host of the server, from stdin; afterwards server.report
        exists."""
        lines = "\n".join(server.targets() + list(more)) + "\n"
        crawl = self.crawl(*args, *server.connect_to, "-", input=lines, status=status, **kwargs)
        server.close()
        self.assertFalse(server.report["hold_failed"], server.report)
        return crawl

    def assertWhole(self, server):
        """Assert that export lists exactly the URLs of the server."""
        out = self.program.run("export", "-f", "urls")
        self.assertEqual(out.status, 0, str(out)[:4000])
        found, wanted = sorted(out.out.split()), server.expected_urls()
        if found != wanted:  # a difference of 100,000 lines would take hours
            missing = sorted(set(wanted) - set(found))[:5]
            extra = sorted(set(found) - set(wanted))[:5]
            self.fail("%d URLs instead of %d; missing %s, extra %s" % (
                len(found), len(wanted), missing, extra))


class Held(Many):
    """No request is answered before all connections are open."""

    def test_thousand(self):
        server = self.thousand(hosts=1000, urls=20, hold=1000, hold_time=60)
        self.crawl_all(server, "--delay", "0")
        self.assertGreaterEqual(server.report["most_open"], 1000)
        self.assertEqual(server.report["requests"], 7000)
        self.assertWhole(server)


class Spaced(Many):
    """By the server's log, no two requests to a host are closer than its
    delay."""

    def spaced(self, hosts, delay, slack):
        server = self.thousand(hosts=hosts, urls=5)
        self.crawl_all(server, "--delay", "%gs" % delay)
        self.assertWhole(server)
        gaps = server.gaps()
        self.assertEqual(len(gaps), 6 * hosts)
        self.assertGreaterEqual(min(gaps), delay)
        times = [r.at for r in server.requests()]
        assert_sooner(max(times) - min(times), 6 * delay * slack)

    def test_two_hundred(self):
        # on a busy machine it takes longer, but never as long as one host after the other
        self.spaced(200, 0.3, 40)

    @unittest.skipUnless(FULL, "FRESHET_FULL=1 waits a second between requests")
    def test_thousand(self):
        self.spaced(1000, 1, 1.1)


class Dead(Many):
    """Most targets do not exist: memory, threads and time stay bounded."""

    def watch(self, process):
        """Returns the highest number of threads, and the most memory in kB,
        until the process ends."""
        most = [0, 0]

        def look():
            while process.poll() is None:
                try:
                    with open("/proc/%d/status" % process.pid, encoding="ascii") as f:
                        status = dict(line.split(":", 1) for line in f)
                except OSError:
                    break
                if "VmHWM" in status:
                    most[0] = max(most[0], int(status["Threads"]))
                    most[1] = max(most[1], int(status["VmHWM"].split()[0]))
                time.sleep(0.01)
        thread = threading.Thread(target=look)
        thread.start()
        self.addCleanup(thread.join)
        return most

    def finish(self, server, targets, env=None, args=()):
        random.Random(1).shuffle(targets)
        dead = free_port()
        begin = time.monotonic()
        process = self.program.start(
            "crawl", "--json", "--progress", "off", "--delay", "0",
            "--connect-to", ":80:127.0.0.1:%d" % server.port,
            "--connect-to", ":81:127.0.0.1:%d" % dead, *args, *targets, env=env)
        most = self.watch(process)
        out, err = process.communicate(timeout=150)
        server.close()
        self.assertEqual(process.returncode, 1, (out[-1000:], err[-1000:]))
        self.assertWhole(server)
        return most, time.monotonic() - begin

    def test_refused(self):
        server = self.thousand(hosts=300, urls=5)
        gone = ["http://d%04d.example:81/" % n for n in range(4700)]
        most, seconds = self.finish(server, server.targets() + gone)
        self.assertLess(most[1], 160000)
        assert_sooner(seconds, 90)

    @unittest.skipUnless(os.access(NAMES, os.R_OK), "no resolver to preload: '%s'" % NAMES)
    def test_without_address(self):
        """HOSTILE T5, N36, N37: many names without an address, and names whose
        answer never comes."""
        with open(BINARY, "rb") as f:
            if b"__asan_init" in f.read():
                self.skipTest("nothing is preloaded before AddressSanitizer")
        server = self.thousand(hosts=100, urls=5)
        gone = ["http://gone%04d.example:82/" % n for n in range(2000)]
        tar = ["http://tar%02d.pit.example:82/" % n for n in range(8)]
        most, seconds = self.finish(
            server, server.targets() + gone + tar, args=("--connect-timeout", "1"),
            env={"LD_PRELOAD": NAMES, "FRESHET_TAR_S": "3"})
        self.assertLessEqual(most[0], 17)
        self.assertLess(most[1], 160000)
        assert_sooner(seconds, 60)
        hosts = {r.host for r in server.requests()}
        self.assertEqual(len(hosts), 100)


class Descriptors(Many):
    """HOSTILE P8: the run is slower and complete, or ends with exit status 8;
    nothing is lost."""

    def limit(self, descriptors):
        wrapper = os.path.join(self.program.folder, "limited")
        with open(wrapper, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\nulimit -n %d\nexec '%s' \"$@\"\n" % (descriptors, BINARY))
        os.chmod(wrapper, 0o755)
        self.program.binary = wrapper

    def test_few(self):
        for descriptors in (16, 24, 32, 64, 100):
            with self.subTest(descriptors=descriptors):
                server = self.thousand(hosts=30, children=3, urls=5)
                self.limit(descriptors)
                crawl = self.crawl_all(server, "--delay", "0", status=None)
                self.program.binary = BINARY
                if crawl.status == 8:
                    self.assertLess(descriptors, 32)
                    continue
                self.assertEqual(crawl.status, 0, str(crawl))
                self.assertWhole(server)
                self.program.close()
                self.program.__init__()


if __name__ == "__main__":
    unittest.main()
