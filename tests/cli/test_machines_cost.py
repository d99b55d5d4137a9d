"""A store in PostgreSQL: COMMITs that become durable while other work goes on."""
import os
import signal
import socket
import time

from test_depot import DepotCase


class Late(DepotCase):
    shares_server = False

    def start_run(self, *args):
        """A `run` that holds the shard, with a short lease."""
        self.init()
        self.sql("UPDATE freshet.cluster SET lease_ms = 1000")
        process = self.program.start("run", "--delay", "0", *args)
        self.wait_for(lambda: self.sql("SELECT owner FROM freshet.shard") != [[None]])
        return process

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 143, err)
        self.assertEqualStores()

    def test_add_while_away(self):
        """What the holder of a shard acknowledges is in PostgreSQL, also if the hold was in doubt when it was asked."""
        process = self.start_run()
        version = self.program.run("--version").out.split()[1]
        peer = socket.socket(socket.AF_UNIX)
        self.addCleanup(peer.close)
        folder = os.open(os.path.dirname(self.cache_path()), os.O_RDONLY)
        self.wait_for(lambda: os.path.exists(self.cache_path() + ".sock"))
        peer.connect("/proc/self/fd/%d/%s.sock" % (folder, os.path.basename(self.cache_path())))
        os.close(folder)
        self.wait_for(lambda: self.sql("SELECT until > now() + '0.7 s' FROM freshet.shard") == [["t"]])
        self.server.stop()
        time.sleep(1.5)
        peer.sendall(b'{"v":1,"command":"add","version":"%s","targets":["http://127.0.0.9:1/"],"settings":[]}\n'
                     % version.encode())
        peer.settimeout(1)
        answer = b""
        with self.assertRaises(TimeoutError):
            while True:
                answer += peer.recv(4096)
        self.assertNotIn(b"added", answer)
        self.assertNotIn(b"end", answer)
        self.server.start()
        peer.settimeout(600)
        while b"end" not in answer:
            answer += peer.recv(4096)
        self.assertIn(b'"change":"added"', answer)
        self.assertIn(b'"exit":0', answer)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.watch"), [["1"]])
        self.end(process)

    def test_prune(self):
        """Old readings are removed while new ones come in."""
        self.follow_clock()
        site = self.tree(documents=200, pages=2, delay=0.02)
        process = self.start_run("--keep", "1h")
        self.assertEqual(self.program.run("add", site.url("/")).status, 0)
        count = lambda: int(self.sql("SELECT count(*) FROM freshet.reading")[0][0])
        self.wait_for(lambda: count() >= 20)
        self.clock.advance(2 * 3600)
        self.wait_for(lambda: process.poll() is not None or count() >= 150)
        self.assertIsNone(process.poll())
        self.end(process)

    def test_rows_are_found_by_key(self):
        """The server looks at the rows that a commit changes, and not at all of the shard, though nobody has
        analyzed its tables."""
        self.init()
        site = self.tree(documents=120, pages=2, delay=0.01)
        self.crawl("--delay", "0", site.url("/"))
        count = "SELECT n_tup_ins + n_tup_upd + n_tup_del, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables" \
                " WHERE schemaname = 'freshet' AND relname = 'document'"
        self.wait_for(lambda: self.sql(count)[0][0] not in (None, "0"))
        changed, seen = (int(n) for n in self.sql(count)[0])
        self.assertGreater(changed, 240)
        self.assertLessEqual(seen, 2 * changed)
