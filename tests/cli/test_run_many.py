"""freshet run over many hosts whose sites change to a second generation."""
import os
import time
import unittest

from daemon import Daemon
from late import assert_sooner
from nginx import free_port
from processes import files_of
from test_many_hosts import FULL, Many

HOSTS, EVERY, DELAY = (1000, 60, 1.0) if FULL else (100, 8, 0.4)
CHILDREN = 3
SLACK = 8  # seconds: other tests run at the same time


class Generations(Many):
    def changed(self, server):
        return {(host, "/c%d.xml.gz" % child) for host in server.hosts
                for child in range(CHILDREN) if server.world.is_changed(host, child)}

    def begin(self, server):
        """Make the list, and start a daemon that has read all of it."""
        path = os.path.join(self.program.folder, "hosts")
        with open(path, "w", encoding="ascii") as f:
            f.writelines("http://%s/\n" % host for host in server.hosts)
        result = self.program.run("add", "--every", "%ds" % EVERY, "-i", path)
        self.assertEqual(result.status, 0, str(result)[:2000])
        daemon = Daemon(self.program, "--delay", "%gs" % DELAY, *server.connect_to)
        for _ in server.hosts:
            daemon.wait("crawled", timeout=600)
        # No connection is kept for each of them; but on a slow machine all may
        # be asked again by now, so that as many are in use for a moment.
        end = time.monotonic() + 600
        while self.sockets(daemon) >= HOSTS and time.monotonic() < end:
            time.sleep(0.05)
        self.assertLess(self.sockets(daemon), HOSTS)
        return daemon

    @staticmethod
    def sockets(daemon):
        return sum(name.startswith("socket:") for name in files_of(daemon.process.pid).values())

    def test_every_change_within_its_bound(self):
        server = self.thousand(hosts=HOSTS, children=CHILDREN, urls=5)
        daemon = self.begin(server)
        begin = time.monotonic()
        server.swap()
        wanted = self.changed(server)
        self.assertGreater(len(wanted), HOSTS / 2)
        for _ in wanted:
            event = daemon.wait("read")
            self.assertEqual(event["added"], 1, event)
        self.assertEqual(daemon.end(), 143)
        server.close()
        self.assertWhole(server)
        after = [r for r in server.requests() if r.at > begin + 1]
        read = {(r.host, r.path): r.at for r in after if r.status == 200}
        # the one more second: what was under way at the moment of the swap
        self.assertLessEqual(set(read), wanted)
        assert_sooner(max(read.values()) - begin, EVERY + (CHILDREN + 2) * DELAY + SLACK)
        # nobody was asked sooner than agreed, nor more often than wanted
        self.assertGreaterEqual(min(server.gaps()), DELAY)
        asked = {}
        for request in after:
            asked.setdefault((request.host, request.path), []).append(request.at)
        for at in asked.values():
            self.assertTrue(all(b - a > EVERY - 1.5 for a, b in zip(at, at[1:])), at)


class Dead(Many):
    """Most hosts of the list do not exist: the others are not affected."""

    def test_thousand(self):
        server = self.thousand(hosts=20, children=CHILDREN, urls=5)
        path = os.path.join(self.program.folder, "hosts")
        every, dead = 4, 1000
        for name, lines, more in (
                ("living", ["http://%s/" % host for host in server.hosts],
                 ["--every", "%ds" % every]),
                ("dead", ["http://d%03d.example:81/" % n for n in range(dead)], [])):
            with open(path, "w", encoding="ascii") as f:
                f.writelines(line + "\n" for line in lines)
            self.assertEqual(self.program.run("add", *more, "-i", path).status, 0, name)
        daemon = Daemon(self.program, "--delay", "0",
                        "--connect-to", ":80:127.0.0.1:%d" % server.port,
                        "--connect-to", ":81:127.0.0.1:%d" % free_port())
        for _ in server.hosts:
            daemon.wait("crawled", timeout=600)
        daemon.taken = 0
        for _ in range(dead):
            daemon.wait("lost", timeout=600)
        begin = time.monotonic()
        time.sleep(2 * every)
        listed = self.program.run("list", "-l")
        self.assertEqual(listed.status, 0)
        self.assertEqual(listed.out.count("\n  target="), dead + len(server.hosts))
        with open("/proc/%d/status" % daemon.process.pid, encoding="ascii") as f:
            memory_kb = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
        self.assertLess(memory_kb, 100000)
        self.assertEqual(daemon.end(), 143)
        # asked once, and not again so soon
        self.assertEqual(len(daemon.all("lost")), dead)
        self.assertEqual({e["why"] for e in daemon.all("failed")}, {"crawl"})
        server.close()
        asked = {}
        for request in server.requests():
            if request.path != "/robots.txt":
                asked.setdefault((request.host, request.path), []).append(request.at)
        self.assertEqual(len(asked), len(server.hosts) * (CHILDREN + 1))
        for at in asked.values():
            assert_sooner(max(b - a for a, b in zip(at, at[1:])), every + SLACK)
            self.assertGreater(at[-1], begin)


if __name__ == "__main__":
    unittest.main()
