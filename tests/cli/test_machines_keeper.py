"""`freshet run` on several machines: who has which shards of a store in PostgreSQL."""
import glob
import os
import signal
import socket
import struct
import time
import unittest

import processes
import test_json
from daemon import Daemon
from test_depot import DepotCase

LEASE_S = 2


class Keepers(DepotCase):
    def init_shards(self, shards):
        self.init()
        self.sql("UPDATE freshet.cluster SET lease_ms = %d;"
                 "INSERT INTO freshet.shard (shard, schema) SELECT n, schema FROM freshet.shard,"
                 " generate_series(1, %d) n; UPDATE freshet.slot SET shard = slot %% %d"
                 % (LEASE_S * 1000, shards - 1, shards))

    def machine(self, name):
        return {"XDG_CACHE_HOME": os.path.join(self.program.folder, name)}

    def keeper(self, name, *args):
        """A keeper of the machine, whose log is in a file."""
        process = self.program.start("run", "--log", "json", "--delay", "0", *args, env=self.machine(name))
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process):
        """The machine is lost: the keeper and its workers at once."""
        pids = processes.descendants(process.pid)
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            pids = processes.descendants(process.pid)
        for pid in pids + ([process.pid] if process.poll() is None else []):
            processes.kill(pid)
        process.communicate(timeout=600)

    def workers(self, process):
        """The workers of a keeper, by shard."""
        found = {}
        for pid in processes.children_of(process.pid):
            words = processes.words_of(pid)
            if words[1:2] == ["--shard"]:
                found[int(words[2])] = pid
        return found

    def kill_worker(self, keepers, shard):
        """Kill the worker that has the shard, once there is one; its term.  A worker
        that has given the shard to another machine is about to end, and is none."""
        found = []

        def is_killed():
            rows = self.sql("SELECT place, term FROM freshet.shard JOIN freshet.member ON owner = member"
                            " WHERE shard = %d AND shard.until > clock_timestamp()" % shard)
            workers = [self.workers(k).get(shard) for k in keepers if rows and rows[0][0].endswith(" %d" % k.pid)]
            found[:] = rows
            return workers != [] and workers[0] is not None and processes.kill(workers[0])

        self.wait_for(is_killed)
        return int(found[0][1])

    def filled(self, name):
        """How many workers of that machine have filled their cache, beside which they have a socket then."""
        return len(glob.glob(os.path.join(self.machine(name)["XDG_CACHE_HOME"], "freshet", "*.sock")))

    def held(self):
        """How many shards each machine holds."""
        return sorted(int(row[0]) for row in self.sql(
            "SELECT count(*) FROM freshet.shard WHERE owner IS NOT NULL AND until > clock_timestamp()"
            " GROUP BY owner"))

    def owners(self):
        return {int(row[0]): row[1] for row in self.sql(
            "SELECT shard, owner FROM freshet.shard WHERE until > clock_timestamp()")}

    def end(self, process, status=143):
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, err)
        return err.decode()


class Share(Keepers):
    def test_two(self):
        """Two machines share evenly; one that leaves gives; one that is lost is replaced."""
        self.init_shards(4)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [4])
        self.assertEqual(sorted(self.workers(one)), [0, 1, 2, 3])
        two = self.keeper("two")
        self.wait_for(lambda: self.held() == [2, 2])
        self.wait_for(lambda: len(self.workers(two)) == 2)
        # nothing moves any more
        terms = self.sql("SELECT term FROM freshet.shard ORDER BY shard")
        time.sleep(LEASE_S)
        self.assertEqual(self.sql("SELECT term FROM freshet.shard ORDER BY shard"), terms)
        # the second one leaves: it does not wait for a lease
        self.end(two)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.shard JOIN freshet.member ON owner = member"
                                  " WHERE leaves"), [["0"]])
        self.wait_for(lambda: self.held() == [4])
        # and comes back, and is lost with its workers
        two = self.keeper("two")
        self.wait_for(lambda: self.held() == [2, 2])
        self.kill(two)
        begin = time.monotonic()
        self.wait_for(lambda: self.held() == [4])
        # what a dead machine had is its own until its lease is over
        self.assertGreater(time.monotonic() - begin, LEASE_S / 4)
        self.end(one)
        self.wait_for(lambda: self.held() == [])

    def test_capacity(self):
        """A machine of three times the capacity has three times the shards."""
        self.init_shards(8)
        one = self.keeper("one", "--capacity", "1")
        two = self.keeper("two", "--capacity", "3")
        self.wait_for(lambda: len(self.workers(one)) == 2 and len(self.workers(two)) == 6)
        self.wait_for(lambda: self.held() == [2, 6])

    def test_second_keeper(self):
        """A machine has one keeper for a store."""
        self.init_shards(2)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [2])
        second = self.program.run("run", "--log", "text", env=self.machine("one"))
        self.assertEqual(second.status, 5, str(second))
        self.assertIn("another 'run' of this machine", second.err)
        self.assertEqual(self.held(), [2])
        # its members are told apart by their caches
        self.assertEqual(len(self.workers(one)), 2)

    def test_hangup(self):
        """SIGHUP reaches the workers."""
        self.init_shards(2)
        one = self.listening_keeper()
        one.send(signal.SIGHUP)
        self.wait_for(lambda: self.shards_that(one, "reloaded") >= {0, 1})
        self.assertEqual(one.end(), 143, one)
        self.assertGreaterEqual(self.shards_that(one, "stopped"), {0, 1})

    def listening_keeper(self, **more):
        """A keeper of two shards whose workers have begun: a signal before that would end them."""
        one = Daemon(self.program, env=dict(self.machine("one"), **more))
        self.addCleanup(self.kill, one.process)
        self.wait_for(lambda: self.shards_that(one, "started") >= {0, 1})
        return one

    @staticmethod
    def shards_that(keeper, event):
        return {e.get("shard") for e in keeper.all(event)}

    def test_notify(self):
        """The service manager hears the keeper, and none of its workers."""
        self.init_shards(2)
        path = os.path.join(self.program.folder, "notify")
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(path)
        manager.settimeout(600)
        manager.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        one = self.listening_keeper(NOTIFY_SOCKET=path, WATCHDOG_USEC="400000")
        heard = []

        def hear(word):
            while True:
                text, extra, _, _ = manager.recvmsg(4096, 64)
                self.assertEqual(struct.unpack("iii", extra[0][2])[0], one.process.pid)
                heard.append(text.decode())
                if word in heard[-1]:
                    return

        hear("READY=1")
        one.send(signal.SIGHUP)
        hear("RELOADING=1")
        hear("READY=1")
        hear("WATCHDOG=1")
        self.assertEqual(one.end(), 143, one)
        hear("STOPPING=1")

    def test_copy_of_a_machine(self):
        """A machine that was copied with its caches, and renamed, is another one."""
        self.init_shards(2)

        def once():
            # PostgreSQL may hear of what was given a moment after the process has ended
            self.wait_for(lambda: self.held() == [])
            self.assertEqual(self.program.run("run", "--once", env=self.machine("one")).status, 0)

        once()
        path = glob.glob(os.path.join(self.program.folder, "one", "freshet", "*.owner"))[0]
        name = open(path, encoding="ascii").read()
        once()
        self.assertEqual(open(path, encoding="ascii").read(), name)
        with open(path, "w", encoding="ascii") as f:
            f.write("original " + name.split(" ")[1])
        once()
        self.assertNotIn(name.split(" ")[1], open(path, encoding="ascii").read())
        self.assertEqual(self.sql("SELECT DISTINCT term FROM freshet.shard"), [["3"]])

    def test_once(self):
        """With --once all shards that are free are read, then the keeper ends."""
        self.init_shards(3)
        self.assertEqual(self.program.run("run", "--once", env=self.machine("one")).status, 0)
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [[None, "1"]] * 3)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [3])
        self.assertEqual(self.program.run("run", "--once", env=self.machine("two")).status, 5)
        self.end(one)


class Workers(Keepers):
    def test_list(self):
        """`list --workers` names shards and machines, and its JSON is as it is documented."""
        self.init_shards(3)
        site = self.tree(documents=2, pages=3)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [3])
        self.program.variables.update(self.machine("one"))
        self.assertEqual(self.program.run("add", site.url("/")).status, 0)
        self.wait_for(lambda: self.sql("SELECT sum(sites) FROM freshet.shard") == [["1"]])
        self.sql("INSERT INTO freshet.mail (shard, lines) VALUES (1, 'x')")
        records = self.program.run("list", "--workers", "--json").records()
        shards = [r for r in records if r["type"] == "shard"]
        machines = [r for r in records if r["type"] == "machine"]
        self.assertEqual([s["shard"] for s in shards], [0, 1, 2])
        self.assertEqual([(s["state"], s["term"]) for s in shards], [("held", 1)] * 3)
        self.assertEqual(sum(s["sites"] for s in shards), 1)
        self.assertEqual([(m["state"], m["machine"]) for m in machines], [("runs", shards[0]["machine"])])
        self.assertTrue(machines[0]["machine"].endswith(" %d" % one.pid))
        tables = test_json.tables()
        for name, rows in (("list: shard", shards), ("list: machine", machines)):
            self.assertEqual(set(rows[0]) - {"v", "type"}, tables[name])
        self.end(one)
        text = self.program.run("list", "--workers").out
        self.assertRegex(text, r"(?m)^ +0 +1 .* free$")
        self.assertIn("leaves, capacity", text)

    def test_file(self):
        result = self.program.run("list", "--workers", "--store", "x.db")
        self.assertEqual(result.status, 2)
        self.assertIn("PostgreSQL", result.err)
        result = self.program.run("run", "--listen", "127.0.0.1:0")
        self.assertEqual(result.status, 2)
        self.assertIn("a store in a file", result.err)


class Death(Keepers):
    shares_server = False

    def test_worker(self):
        """A worker that is killed is replaced at once, and nothing is lost."""
        self.init_shards(1)
        site = self.tree(documents=60, pages=5, delay=0.05)
        one = self.keeper("cache")
        self.program.variables.update(self.machine("cache"))
        self.wait_for(lambda: self.held() == [1])
        self.assertEqual(self.program.run("add", site.url("/")).status, 0)
        readings = lambda: int(self.sql("SELECT count(*) FROM freshet.reading")[0][0])
        self.wait_for(lambda: readings() >= 5)
        self.kill_worker([one], 0)
        before = readings()
        self.wait_for(lambda: self.sql("SELECT term FROM freshet.shard") == [["2"]])
        self.wait_for(lambda: readings() >= 62)
        self.assertGreaterEqual(before, 5)
        err = self.end(one)
        self.assertIn("signal 9", err)
        self.assertEqualStores()

    def test_keeper(self):
        """Workers of a keeper that died give their shards; the next keeper takes them."""
        self.init_shards(2)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [2] and self.filled("one") == 2)
        pids = list(self.workers(one).values())
        one.kill()
        one.wait(600)
        self.wait_for(lambda: not any(map(processes.is_alive, pids)))
        self.assertEqual(self.held(), [])
        again = self.keeper("one")
        self.wait_for(lambda: self.held() == [2])
        self.end(again)

    def test_poisoned(self):
        """A shard that kills its workers is left alone, by all machines; the others go on."""
        self.init_shards(2)
        one = self.keeper("one")
        two = self.keeper("two")
        self.wait_for(lambda: self.held() == [1, 1])
        # three deaths on one machine; the shard may change machines if these are slow
        for deaths in range(1, 6):
            term = self.kill_worker((one, two), 1)
            self.wait_for(lambda: int(self.sql("SELECT term FROM freshet.shard WHERE shard = 1")[0][0]) > term)
            if self.owners().get(1) == "set aside":
                break
        self.assertGreaterEqual(deaths, 3)
        self.wait_for(lambda: self.owners().get(1) == "set aside")
        time.sleep(LEASE_S)
        self.assertEqual(self.owners()[1], "set aside")
        self.wait_for(lambda: 0 in self.owners())
        log = self.end(one) + self.end(two)
        self.assertIn("leave the shard alone for 10 minutes", log)
        # the time passes
        self.sql("UPDATE freshet.shard SET until = now() WHERE shard = 1")
        self.keeper("three")
        self.wait_for(lambda: self.owners().get(1, "set aside") != "set aside")

    def test_early(self):
        """Whoever holds a shard: workers that die early are not started again and again."""
        self.init_shards(1)
        one = self.keeper("one")
        for _ in range(3):
            self.wait_for(lambda: 0 in self.workers(one))
            pid = self.workers(one).get(0)
            self.assertTrue(processes.kill(pid))
            self.wait_for(lambda: self.workers(one).get(0) != pid)
        self.sql("UPDATE freshet.shard SET owner = NULL")
        time.sleep(LEASE_S)
        self.assertEqual(self.workers(one), {})
        self.assertEqual(self.end(one).count("its worker died"), 3)

    def test_server(self):
        """The server restarts: all go on with what they had."""
        self.init_shards(4)
        one = self.keeper("one")
        two = self.keeper("two")
        self.wait_for(lambda: self.held() == [2, 2])
        self.wait_for(lambda: self.filled("one") == self.filled("two") == 2)
        before = self.owners()
        terms = self.sql("SELECT term FROM freshet.shard ORDER BY shard")
        self.server.stop()
        time.sleep(LEASE_S + 0.5)
        self.server.start()
        self.wait_for(lambda: self.held() == [2, 2])
        time.sleep(LEASE_S)
        self.wait_for(lambda: self.held() == [2, 2])
        owners, now = self.owners(), self.sql("SELECT term FROM freshet.shard ORDER BY shard")
        said = self.end(one)
        self.assertIn("there again", said)
        said += self.end(two)
        self.assertEqual(owners, before, said)
        self.assertEqual(now, terms, said)


if __name__ == "__main__":
    unittest.main()
