"""What owners of shards tell each other through PostgreSQL: mail, reserved hosts, shared budgets."""
import collections
import contextlib
import os
import queue
import random
import signal
import subprocess
import threading
import time

import pg
import test_depot
from program import BINARY, HOOKED, TOP

PEER = next((path for path in (os.path.join(os.path.dirname(binary), "..", "tests", "tools", "depot-peer")
                               for binary in (BINARY, HOOKED)) if os.path.exists(path)), "depot-peer")
PATIENCE = 600


class Peer:
    """An owner of a shard (tests/tools/depot_peer.c)."""

    def __init__(self, case, shard, owner=None):
        self.shard = shard
        owner = owner or "peer %d" % shard
        path = os.path.join(case.program.folder, "%s-%d.db" % (owner.replace(" ", "-"), next(test_depot.NUMBERS)))
        self.process = subprocess.Popen([PEER, case.program.store, str(shard), owner, path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.kill)
        self.lines = queue.Queue()
        self.seen = []  # words of lines that nobody waited for
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n").split(" "))
        self.lines.put([""])  # the end

    def say(self, *words):
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()

    def wait(self, *words):
        """The next line that begins with these words."""
        ends = time.monotonic() + PATIENCE
        while True:
            for i, line in enumerate(self.seen):
                if line[:len(words)] == [str(word) for word in words]:
                    return self.seen.pop(i)
            if [""] in self.seen:
                raise AssertionError("%d ended before %s: %s" % (self.shard, words, self.seen))
            try:
                self.seen.append(self.lines.get(timeout=max(0, ends - time.monotonic())))
            except queue.Empty:
                raise AssertionError("%d waits for %s, and has %s" % (self.shard, words, self.seen)) from None

    def ask(self, *words):
        self.say(*words)
        return self.wait(words[0])

    def reserve(self, host, delay_ms):
        self.say("reserve", host, delay_ms)
        return int(self.wait("reserved", host)[2])

    def reserve_at_last(self, host, delay_ms):
        ends = time.monotonic() + PATIENCE
        while True:
            wait_ms = self.reserve(host, delay_ms)
            if wait_ms >= 0:
                return wait_ms
            assert time.monotonic() < ends
            time.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.reader.join()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()

    def quit(self):
        self.say("quit")
        self.wait("ended")


class PeerCase(test_depot.DepotCase):
    def start(self, shards=1, lease_ms=10000):
        self.init()
        self.sql("INSERT INTO freshet.shard (shard, schema)"
                 " SELECT n, schema FROM freshet.shard, generate_series(1, %d) n;"
                 " UPDATE freshet.slot SET shard = slot %% %d;"
                 " UPDATE freshet.cluster SET lease_ms = %d" % (shards - 1, shards, lease_ms))

    def peer(self, shard, owner=None):
        peer = Peer(self, shard, owner)
        peer.wait("taken")
        return peer

    def host_of(self, peer, shard=None):
        """A host whose home is the shard, by default that of the peer."""
        for i in range(1000):
            host = "h%d.example" % i
            if peer.ask("home", host)[1] == str(peer.shard if shard is None else shard):
                return host
        raise AssertionError("no host")


class Mail(PeerCase):
    def post(self, lines):
        return self.sql("INSERT INTO freshet.mail (shard, lines) VALUES (0, '%s') RETURNING id;"
                        " NOTIFY freshet_0" % lines)[0][0]

    def test_mail(self):
        """The owner hears of mail at once, and it is removed when it is done."""
        self.start()
        peer = self.peer(0)
        first, second = self.post("one"), self.post("two")
        self.assertEqual(peer.wait("mail", first)[2:], ["one"])
        self.assertEqual(peer.wait("mail", second)[2:], ["two"])
        peer.say("done", second)
        self.post("three")  # wakes the owner again
        peer.wait("mail")
        self.wait_for(lambda: self.sql("SELECT id FROM freshet.mail WHERE lines <> 'three'") == [[first]])
        self.assertEqual([line for line in peer.seen if line[0] == "mail"], [])

    def test_next_owner(self):
        """Mail that an owner was told and did not finish is told to the next one."""
        self.start()
        number = self.post("one")
        peer = self.peer(0)
        peer.wait("mail", number)
        peer.kill()
        peer = self.peer(0)
        peer.wait("mail", number)
        peer.quit()
        self.peer(0).wait("mail", number)

    def test_much(self):
        """More than the owner takes at once."""
        self.start()
        self.sql("INSERT INTO freshet.mail (shard, lines) SELECT 0, n FROM generate_series(1, 300) n")
        peer = self.peer(0)
        for _ in range(300):
            peer.say("done", peer.wait("mail")[1])
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.mail") == [["0"]])


class Hosts(PeerCase):
    shares_server = False

    def test_turns(self):
        """The home gives the host back first; then whoever waits is next, and the delay lies between."""
        self.start(shards=3)
        home, first, second = self.peer(0), self.peer(1), self.peer(2)
        host = self.host_of(home)
        self.assertEqual(first.reserve(host, 5000), -1)
        home.wait("shared", host)
        # the home knows, and may have a request under way
        self.assertEqual(first.reserve(host, 5000), -1)
        home.say("back", host)
        wait_ms = first.reserve_at_last(host, 5000)
        self.assertGreater(wait_ms, 0)
        self.assertLessEqual(wait_ms, 5000)
        # again, without giving it back: the same time
        self.assertLessEqual(first.reserve(host, 5000), wait_ms)
        self.assertEqual(second.reserve(host, 5000), -1)
        self.assertEqual(home.reserve(host, 5000), -1)
        first.say("back", host)
        # the second came first, although the first asks again at once
        self.assertEqual(first.reserve(host, 5000), -1)
        wait_ms = second.reserve(host, 5000)
        self.assertGreater(wait_ms, 2000)
        self.assertLessEqual(wait_ms, 5000)
        second.say("back", host)
        self.assertGreater(home.reserve_at_last(host, 0), 2000)
        self.assertEqual(self.sql("SELECT home, holder FROM freshet.host"), [["0", "0"]])

    def test_holder_dies(self):
        """Whoever died keeps the host for its time; the next owner of its shard, too, has to wait."""
        self.start(shards=2)
        home, other = self.peer(0), self.peer(1)
        host = self.host_of(home)
        other.reserve(host, 0)
        home.wait("shared", host)
        home.say("back", host)
        other.reserve_at_last(host, 0)
        self.assertEqual(self.sql("SELECT until BETWEEN now() + '50 s' AND now() + '61 s' FROM freshet.host"), [["t"]])
        other.kill()
        other = self.peer(1)
        self.assertEqual(other.reserve(host, 0), -1)
        self.assertEqual(home.reserve(host, 0), -1)
        self.sql("UPDATE freshet.host SET until = now() - interval '1 s'")
        self.assertGreater(other.reserve_at_last(host, 60000), 40000)

    def test_renewed(self):
        """What is held is renewed with each pulse."""
        self.start(shards=2, lease_ms=1000)
        home, other = self.peer(0), self.peer(1)
        host = self.host_of(home)
        other.reserve(host, 0)
        home.wait("shared", host)
        home.say("back", host)
        other.reserve_at_last(host, 0)
        before = self.sql("SELECT until FROM freshet.host")
        self.wait_for(lambda: self.sql("SELECT until FROM freshet.host") > before)

    def test_longer_delay(self):
        """The delay after a request is the one that the shard knew which made it, if that is longer."""
        self.start(shards=2)
        home, other = self.peer(0), self.peer(1)
        host = self.host_of(home)
        other.reserve(host, 60000)
        home.wait("shared", host)
        home.say("back", host)
        self.assertGreater(other.reserve_at_last(host, 60000), 50000)
        other.say("back", host)
        self.assertGreater(home.reserve_at_last(host, 0), 50000)
        home.say("back", host)
        self.assertLess(home.reserve_at_last(host, 0), 1000)

    def test_home_is_gone(self):
        """A home that lives no more gives no answer: after its time others have the host; and its next owner
        asks only when it is told so."""
        self.start(shards=2, lease_ms=2000)
        home, other = self.peer(0), self.peer(1)
        host = self.host_of(home)
        home.process.send_signal(signal.SIGSTOP)
        self.assertEqual(other.reserve(host, 60000), -1)
        wait_ms = other.reserve_at_last(host, 60000)
        self.assertGreater(wait_ms, 50000)
        self.assertEqual(self.sql("SELECT holder, until - free_at = '60 s', seen FROM freshet.host"),
                         [["1", "t", "0"]])
        owner = self.peer(0, "another")
        self.assertEqual(owner.wait("shared"), ["shared", host])
        self.assertEqual(owner.reserve(host, 0), -1)
        other.say("back", host)
        self.assertGreaterEqual(owner.reserve_at_last(host, 0), 0)
        # the old one finds out, and changes nothing
        home.process.send_signal(signal.SIGCONT)
        home.wait("failed", "store-locked")
        self.assertEqual(self.sql("SELECT holder, holder_term, seen FROM freshet.host"), [["0", "2", "2"]])

    def test_pause(self):
        """After a pause an owner asks nobody before it has news: hosts that others want, and all that it had
        reserved is in doubt."""
        self.start(shards=2, lease_ms=2000)
        home, other = self.peer(0), self.peer(1)
        self.wait_for(lambda: home.ask("ask")[1] == "1")
        host = self.host_of(home)
        home.process.send_signal(signal.SIGSTOP)
        other.reserve_at_last(host, 0)
        home.say("ask")
        home.process.send_signal(signal.SIGCONT)
        self.assertEqual(home.wait("ask")[1], "0")
        home.wait("reserved", "", "-1")
        home.wait("shared", host)
        self.wait_for(lambda: home.ask("ask")[1] == "1")
        self.assertEqual(home.reserve(host, 0), -1)

    def test_server_is_gone(self):
        """Without PostgreSQL nobody is asked once the time of the shard is nearly over."""
        self.start(lease_ms=2000)
        peer = self.peer(0)
        self.wait_for(lambda: peer.ask("ask")[1] == "1")
        self.server.stop()
        self.addCleanup(lambda: self.server.process or self.server.start())
        self.wait_for(lambda: peer.ask("ask")[1] == "0")
        self.server.start()
        self.wait_for(lambda: peer.ask("ask")[1] == "1")

    def test_forgotten(self):
        """A host that nobody wanted for a day is the home's alone again."""
        self.start(shards=2)
        host = self.host_of(self.peer(1), 0)
        self.sql("INSERT INTO freshet.host (host, home, wanted_at) VALUES ('%s', 0, now() - interval '2 days'),"
                 " ('other.example', 0, now())" % host)
        self.peer(0)
        self.assertEqual(self.sql("SELECT host FROM freshet.host"), [["other.example"]])

    def test_random(self):
        """Owners that are stopped and killed: never two at once, and never too early."""
        delay_ms, shards = 50, 3
        self.start(shards=shards, lease_ms=1000)
        requests, trouble = [], []
        peers = {shard: self.peer(shard) for shard in range(shards)}
        host = self.host_of(peers[0])
        ends = time.monotonic() + 10
        lock = threading.Lock()
        dice = random.Random(os.getpid())

        def work(shard):
            """What a crawler would do."""
            peer, taken, is_shared = peers[shard], time.monotonic(), shard != 0
            while time.monotonic() < ends:
                try:
                    if peer.process.poll() is not None:
                        with lock:
                            peer = peers[shard] = Peer(self, shard)
                        peer.wait("taken")
                        taken, is_shared = time.monotonic(), shard != 0
                    if is_shared:
                        wait_ms = peer.reserve(host, delay_ms)
                        if wait_ms < 0:
                            time.sleep(0.02)
                            continue
                        due = time.monotonic() + wait_ms / 1000
                        time.sleep(max(0, due - time.monotonic()))
                    if time.monotonic() < taken + delay_ms / 1000:
                        time.sleep(delay_ms / 1000)
                    # the look in the moment of sending; the host is asked while the process is known to run
                    with lock:
                        may_ask = peer.ask("ask")[1] == "1"
                        is_late = is_shared and time.monotonic() > due + 0.2
                        if any(line[0] == "shared" for line in peer.seen):
                            peer.seen = [line for line in peer.seen if line[0] != "shared"]
                            if not is_shared:
                                peer.say("back", host)
                                is_shared = True
                                continue
                        if may_ask and not is_late:
                            requests.append((time.monotonic(), shard))
                    if is_shared and not is_late:
                        peer.say("back", host)
                    elif not is_shared:
                        time.sleep(delay_ms / 1000)
                except (AssertionError, BrokenPipeError, ValueError) as error:
                    # one that ended is started again
                    try:
                        peer.process.wait(1)
                    except subprocess.TimeoutExpired:
                        trouble.append(repr(error))

        workers = [threading.Thread(target=work, args=(shard,)) for shard in range(shards)]
        for worker in workers:
            worker.start()
        while time.monotonic() < ends - 2:
            time.sleep(dice.random())
            with lock:
                peer = peers[dice.randrange(shards)]
                how = dice.choice((signal.SIGKILL, signal.SIGSTOP))
                peer.process.send_signal(how)
            if how == signal.SIGSTOP:
                time.sleep(dice.random() * 2)
                peer.process.send_signal(signal.SIGCONT)
            # holds of the dead would last a minute
            self.sql("UPDATE freshet.host SET until = now() FROM freshet.shard s WHERE s.shard = holder"
                     " AND s.term > holder_term AND free_at < now() - interval '0.2 s'")
        for worker in workers:
            worker.join(PATIENCE)
        self.assertEqual(trouble, [])
        gaps = [(b[0] - a[0], a, b) for a, b in zip(requests, requests[1:])]
        self.assertEqual([gap for gap in gaps if gap[0] < delay_ms / 1000], [])
        self.assertGreater(len(requests), 20)
        self.assertGreater(len(collections.Counter(shard for _, shard in requests)), 1)


class Races(PeerCase):
    """A statement that waits for a row judges the row as it is then, in all of its parts."""

    def statement(self, name, *values):
        with open(os.path.join(TOP, "store", "depot", name + ".sql"), encoding="ascii") as f:
            return pg.psql(self.program.store, "PREPARE t AS %s;\nEXECUTE t(%s);" % (f.read(), ", ".join(values))).strip()

    def while_locked(self, change, name, *values):
        """What the statement answers that comes while another transaction changes the row."""
        self.sql("UPDATE freshet.host SET until = now() - interval '1 s'")
        other = threading.Thread(target=pg.psql, args=(self.program.store,
                                                       "BEGIN; UPDATE freshet.host SET %s; SELECT pg_sleep(1); COMMIT"
                                                       % change))
        other.start()
        self.wait_for(lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%'"
                                       " AND wait_event = 'PgSleep' AND datname = current_database()") == [["1"]])
        answer = self.statement(name, *values)
        other.join()
        return answer

    def test_rows_that_change(self):
        self.start(shards=3)
        self.sql("UPDATE freshet.shard SET term = 5, until = now() + interval '1 hour';"
                 " INSERT INTO freshet.host (host, home, seen, holder, holder_term) VALUES ('h', 0, 5, 1, 5)")
        take = ("host_take", "2", "5", "60000", "'h'", "5000")
        # given back: the delay counts from then
        wait_ms = int(self.while_locked(
            "holder = NULL, free_at = now() + interval '100 s', until = now() + interval '100 s'", *take))
        self.assertGreater(wait_ms, 50000)
        # renewed
        self.assertEqual(self.while_locked("until = now() + interval '60 s', holder = 1", *take), "")
        # its home has a new owner, who does not know of it
        self.assertEqual(self.while_locked("holder = NULL, seen = 4", *take), "")
        # the home takes note while another one takes it
        self.assertEqual(self.while_locked("holder = 1, until = now() + interval '60 s'",
                                           "host_see", "0", "5", "60000", "false"), "h")
        self.assertEqual(self.sql("SELECT holder, seen FROM freshet.host"), [["1", "5"]])


class Shares(PeerCase):
    def rate(self, peer, wanted):
        return float(peer.ask("share", "total", 100, wanted)[2])

    def bounded(self):
        rows = self.sql("SELECT sum(rate) FROM freshet.share WHERE until > now()")
        self.assertLessEqual(float(rows[0][0]), 100.000001)

    def test_shares(self):
        """In proportion to what is wanted, never more than the total together."""
        self.start(shards=3)
        first, second, third = (self.peer(shard) for shard in range(3))
        self.assertEqual(self.rate(first, 10), 100)
        self.bounded()
        # nothing is left until the first has asked again, and was told less, and has asked again
        self.assertEqual(self.rate(second, 30), 0)
        self.assertEqual(self.rate(first, 10), 25)
        self.bounded()
        self.assertEqual(self.rate(second, 30), 0)
        self.assertEqual(self.rate(first, 10), 25)
        self.assertEqual(self.rate(second, 30), 75)
        self.bounded()
        self.assertEqual(self.rate(third, 0), 0)
        # one that is gone leaves its part
        second.kill()
        self.sql("UPDATE freshet.share SET until = now() WHERE shard = 1")
        self.assertEqual(self.rate(first, 10), 100)
        self.bounded()
        self.assertEqual(self.rate(first, 0), 0)


class Commits(PeerCase):
    def test_text(self):
        """Text that PostgreSQL does not take is kept as U+FFFD, and it is said."""
        self.start()
        peer = self.peer(0)
        peer.say("site", "a%00b%ffc")
        peer.say("site", "d.example")
        peer.wait("durable")
        self.assertIn("U+FFFD", " ".join(peer.wait("warned")))
        self.wait_for(lambda: self.sql("SELECT host FROM freshet.site ORDER BY id") ==
                      [["a\ufffdb\ufffdc"], ["d.example"]])
        self.assertEqual([line for line in peer.seen if line[0] == "warned"], [])
        # and it comes back
        peer.quit()
        self.peer(0)
