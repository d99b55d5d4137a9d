"""A store in PostgreSQL: `db init`, and commands on it with a real server."""
import atexit
import glob
import os
import signal
import sqlite3
import threading
import time
import unittest

import pg
from case import Case, index, urlset
from late import assert_sooner

SERVERS, SHARED = [], []
NUMBERS = iter(range(1000000))


def server():
    """One server for all tests of this process."""
    if not SERVERS:
        SERVERS.append(pg.Server())
        atexit.register(SERVERS[0].close)
    return SERVERS[0]


def shared_server(tests):
    """Start a server for those of the tests, in processes that are forked later, that
    leave it as it is.  An initdb takes a second of processor time."""
    if not pg.NO_SERVER and sum(getattr(t, "shares_server", False) for t in tests) > 1:
        SHARED.append(pg.Server())
        atexit.register(SHARED[0].close)


@unittest.skipIf(pg.NO_SERVER, pg.NO_SERVER)
class DepotCase(Case):
    shares_server = True  # it neither stops its server nor changes its settings

    def setUp(self):
        super().setUp()
        if "built without" in self.program.run("db", "init", "--store", "postgresql:///x?host=/nowhere").err:
            self.skipTest("the binary was built without libpq")
        self.server = SHARED[0] if SHARED and self.shares_server else server()
        self.name = "t%d_%d" % (os.getpid(), next(NUMBERS))
        self.program.store = self.server.database(self.name)
        self.program.variables["XDG_CACHE_HOME"] = os.path.join(self.program.folder, "cache")

    def sql(self, text):
        return self.server.sql(text, self.name)

    def init(self):
        result = self.program.run("db", "init")
        self.assertEqual(result.status, 0, str(result))

    def cache_path(self):
        return glob.glob(os.path.join(self.program.variables["XDG_CACHE_HOME"], "freshet", "*.db"))[0]

    def cache(self):
        return sqlite3.connect(self.cache_path())

    def assertEqualStores(self):
        """PostgreSQL has what the cache has, row by row; returns their number."""
        lines, count = pg.differences(self.program.store, self.cache_path())
        self.assertEqual(lines, [])
        self.assertGreater(count, 0)
        return count

    def wait_for(self, what):
        """Until that is so; a host that a killed worker had reserved is free after a minute."""
        ends = time.monotonic() + 300
        while not what():
            self.assertLess(time.monotonic(), ends)
            time.sleep(0.02)

    def tree(self, documents=20, pages=50, delay=0.0):
        """A site with an index of so many documents."""
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/index.xml"))
        site.put("/index.xml", index([site.url("/s%d.xml" % i) for i in range(documents)]))
        for i in range(documents):
            site.put("/s%d.xml" % i, urlset([(site.url("/%d/%d" % (i, k)), "2026-01-01") for k in range(pages)]),
                     delay=delay)
        return site


class Init(DepotCase):
    def test_tables(self):
        """All tables of the store are there, and the second call changes nothing."""
        self.init()
        tables = {row[0] for row in self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'freshet'")}
        self.assertLessEqual({"cluster", "shard", "site", "document", "reading", "segment", "page", "learned"}, tables)
        self.assertEqual(self.sql("SELECT shard, owner, term, version FROM freshet.shard"), [["0", None, "0", "0"]])
        again = self.program.run("db", "init")
        self.assertEqual(again.status, 5, str(again))
        self.assertIn("already", again.err)

    def test_unfit(self):
        """What cannot be a store is refused, with what to do about it."""
        latin = self.server.database(self.name + "_latin", "ENCODING 'LATIN1' TEMPLATE template0")
        self.sql("ALTER DATABASE \"%s\" SET synchronous_commit = off" % self.name)
        for url, word in ((latin, "UTF8"), (self.program.store, "synchronous_commit"),
                          (self.server.url("nobody"), "does not exist"),
                          ("postgresql:///x?host=/nowhere", "cannot reach"),
                          ("postgresql://u:secret@h/x", "PGPASSFILE"),
                          ("postgresql://h/x?password=secret", "PGPASSFILE"),
                          ("postgresql://h/x?nonsense=1", "nonsense")):
            for command in (["db", "init"], ["crawl", "http://127.0.0.1:1/"]):
                result = self.program.run(*command, "--store", url)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn(word, result.err)
                self.assertNotIn("secret", result.err)

    def test_none(self):
        """Without `db init` there is no store, and none is made."""
        result = self.program.run("crawl", "http://127.0.0.1:1/")
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("db init", result.err)
        for command in (["ls"], ["db", "info"], ["serve"]):
            result = self.program.run(*command)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("db init", result.err)
        self.assertEqual(self.sql("SELECT to_regnamespace('freshet')"), [[None]])

    def test_doctor(self):
        told = self.program.run("doctor").out
        self.assertIn("db init", told)
        self.assertNotIn("PGPASSFILE", told)
        self.init()
        result = self.program.run("doctor")
        self.assertRegex(result.out, r"ok +PostgreSQL +\d+")
        self.assertEqual(result.status, 0, str(result))


class Rows(DepotCase):
    def test_crawl(self):
        """PostgreSQL has each row of the cache, and as many as a store in a file."""
        self.init()
        site = self.tree()
        self.crawl(site.url("/"))
        self.assertGreater(self.assertEqualStores(), 100)
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [[None, "1"]])
        path = os.path.join(self.program.folder, "file.db")
        self.crawl("--store", path, site.url("/"))
        db = sqlite3.connect(path)
        for table in ("site", "document", "link", "proof", "reading", "finding", "segment", "delta"):
            count = db.execute("SELECT count(*) FROM \"%s\"" % table).fetchone()[0]
            self.assertEqual(self.sql("SELECT count(*) FROM freshet.\"%s\"" % table), [[str(count)]], table)
        db.close()

    def test_delay_of_the_owner_before(self):
        """A host's delay lies between the requests of two owners, and no longer time: what
        nobody asked for so long may be asked at once."""
        self.init()
        site = self.site()
        site.put("/s.xml", urlset([site.url("/1")]))
        self.crawl("--delay", "4s", site.url("/s.xml"))
        count, last = len(site.requests), site.requests[-1].at
        self.crawl("--delay", "4s", "--force", site.url("/s.xml"))
        self.assertGreaterEqual(site.requests[count].at - last, 3.9)
        self.sql("UPDATE freshet.shard SET until = until - interval '1 hour'")
        self.sql("UPDATE freshet.request_log SET last_s = last_s - 3600")
        count = len(site.requests)
        process = self.program.start("crawl", "--delay", "1h", "--force", site.url("/s.xml"))
        self.wait_for(lambda: len(site.requests) > count)
        process.kill()

    def test_cache_is_worthless(self):
        """Another machine, or one whose cache is gone, goes on where the last one was."""
        self.init()
        site = self.tree()
        self.crawl(site.url("/"))
        before = self.assertEqualStores()
        for number in range(2):
            self.program.variables["XDG_CACHE_HOME"] = os.path.join(self.program.folder, "cache%d" % number)
            again = self.crawl(site.url("/"))
            self.assertEqual({d["outcome"] for d in again.sitemaps()}, {"unchanged"}, str(again))
            self.assertGreater(self.assertEqualStores(), before)

    def test_damaged_cache(self):
        """A cache that is damaged is made anew."""
        self.init()
        site = self.tree(documents=2)
        self.crawl(site.url("/"))
        for at in (0, 4096):  # seen when the cache is opened, and when it is filled
            with open(self.cache_path(), "r+b") as f:
                f.seek(at)
                f.write(b"x" * 20000)
            self.crawl(site.url("/"))
            self.assertGreater(self.assertEqualStores(), 10)

    def test_pages(self):
        """add, due and done: what was handed out and what came of it is in PostgreSQL."""
        self.init()
        site = self.tree(documents=2, pages=5)
        self.assertEqual(self.program.run("add", site.url("/")).status, 0)
        self.crawl(site.url("/"))
        due = self.program.run("due", "-n", "5", "--delay", "0")
        self.assertEqual(due.status, 0, str(due))
        pages = due.records()
        self.assertGreater(len(pages), 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.lease"), [[str(len(pages))]])
        lines = "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)
        done = self.program.run("done", input=lines)
        self.assertEqual(done.status, 0, str(done))
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.outcome"), [[str(len(pages))]])
        self.assertGreater(self.assertEqualStores(), 10)


    def test_run(self):
        """Commands find the process that holds the shard beside the cache of this machine."""
        self.init()
        self.sql("UPDATE freshet.cluster SET lease_ms = 1000")
        site = self.tree(documents=3, pages=5)
        process = self.program.start("run", "--delay", "0")
        self.wait_for(lambda: self.sql("SELECT owner FROM freshet.shard") != [[None]])
        self.assertEqual(self.program.run("add", site.url("/")).status, 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.watch"), [["1"]])
        self.wait_for(lambda: int(self.sql("SELECT count(*) FROM freshet.reading")[0][0]) >= 5)
        pages = self.program.run("due", "-n", "3", "--delay", "0").records()
        self.assertEqual(len(pages), 3)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.lease"), [["3"]])
        # with nothing to commit, the hold is renewed all the same
        time.sleep(1.5)
        self.assertEqual(self.sql("SELECT owner IS NOT NULL, until > now(), term FROM freshet.shard"),
                         [["t", "t", "1"]])
        lines = "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)
        self.assertEqual(self.program.run("done", input=lines).status, 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.outcome"), [["3"]])
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 143, err)
        self.assertEqual(self.sql("SELECT owner FROM freshet.shard"), [[None]])
        self.assertEqualStores()


class Trouble(DepotCase):
    shares_server = False

    def readings(self):
        return int(self.sql("SELECT count(*) FROM freshet.reading")[0][0])

    def follow(self, process, said, count):
        """Read so many lines of documents that the crawl says are committed."""
        while len(said) < count:
            line = process.stdout.readline()
            self.assertTrue(line)
            if b'"type":"document"' in line.replace(b" ", b""):
                said.append(line)

    def test_kill(self):
        """A crawl that is killed: what it said is in PostgreSQL, and the next one on
        this machine goes on at once."""
        self.init()
        site = self.tree(documents=60, pages=5, delay=0.02)
        said = []
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        self.follow(process, said, 5)
        process.kill()
        rest, _ = process.communicate()
        said += [line for line in rest.splitlines() if b'"document"' in line]
        self.assertGreaterEqual(self.readings(), len(said))
        begin = time.monotonic()
        self.crawl(site.url("/"), "--delay", "0")
        assert_sooner(time.monotonic() - begin, 60)
        self.assertGreaterEqual(self.readings(), 62)
        self.assertEqualStores()
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [[None, "2"]])

    def test_restart(self):
        """The server is killed and comes back: the crawl waits, finds out what was
        committed, and ends well."""
        self.init()
        site = self.tree(documents=60, pages=5, delay=0.02)
        said = []
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        self.follow(process, said, 3)
        self.server.stop()
        # it says so after three seconds
        time.sleep(4)
        self.assertIsNone(process.poll())
        self.server.start()
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn(b"PostgreSQL is not there", err)
        self.assertEqual(self.readings(), 62)
        self.assertEqualStores()
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [[None, "1"]])

    def test_cut(self):
        """Connections are cut again and again, in the middle of commits, too: each commit is
        there once."""
        self.init()
        site = self.tree(documents=80, pages=20, delay=0.02)
        said = []
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        # what is cut while the shard is taken ends the command, which nobody has heard of yet
        self.follow(process, said, 1)
        reader = threading.Thread(target=lambda: said.extend(process.stdout))
        reader.start()
        cuts = 0
        while process.poll() is None and cuts < 60:
            rows = self.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                            " WHERE datname = current_database() AND pid <> pg_backend_pid()")
            cuts += int(rows[0][0])
        process.wait(600)
        reader.join()
        self.assertEqual(process.returncode, 0, process.stderr.read())
        self.assertGreater(cuts, 2)
        self.assertEqual(len([line for line in said if b'"type":"document"' in line]), 82)
        self.assertEqual(self.readings(), 82)
        self.assertEqualStores()
        # the last cut may have been that of giving the shard back
        self.assertEqual(self.sql("SELECT term FROM freshet.shard"), [["1"]])

    def test_stale(self):
        """Another machine took the shard: nothing more is committed or said."""
        self.init()
        site = self.tree(documents=60, pages=5, delay=0.02)
        said = []
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        self.follow(process, said, 3)
        taken = self.sql("UPDATE freshet.shard SET owner = 'another', term = term + 1, until = now() + '1 hour'"
                         " RETURNING version")
        count = self.readings()
        rest, err = process.communicate(timeout=600)
        said += [line for line in rest.splitlines() if b'"document"' in line]
        self.assertEqual(process.returncode, 5, err)
        self.assertEqual(self.readings(), count)
        self.assertEqual(self.sql("SELECT owner, version FROM freshet.shard"), [["another"] + taken[0]])
        self.assertLessEqual(len(said), count)

    def test_held(self):
        """A shard that another machine holds is not taken before its time has passed; 'crawl' does not wait for
        that, and what others want is noted."""
        self.init()
        self.sql("UPDATE freshet.cluster SET lease_ms = 1000")
        self.sql("UPDATE freshet.shard SET owner = 'another', until = now() + '1 hour'")
        site = self.tree(documents=1, pages=1)
        result = self.program.run("crawl", site.url("/"))
        self.assertEqual(result.status, 5, str(result))
        self.assertIn("another", result.err)
        self.assertEqual(site.requests, [])
        self.assertIn("noted", self.program.run("add", site.url("/")).out)
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [["another", "0"]])
        self.sql("UPDATE freshet.shard SET until = now()")
        self.crawl(site.url("/"))
        self.assertEqual(self.sql("SELECT owner, term FROM freshet.shard"), [[None, "1"]])

    def test_paused(self):
        """Whoever has not heard from PostgreSQL for most of a lease asks no host."""
        self.init()
        self.sql("UPDATE freshet.cluster SET lease_ms = 1000")
        site = self.tree(documents=40, pages=1, delay=0.1)
        said = []
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        self.follow(process, said, 3)
        self.server.stop()
        time.sleep(1.5)
        asked = len(site.requests)
        time.sleep(1.5)
        self.assertEqual(len(site.requests), asked)
        self.assertLess(asked, 42)
        self.server.start()
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.readings(), 42)
        self.assertEqualStores()

    def test_signal(self):
        """A crawl that is interrupted gives the shard back."""
        self.init()
        site = self.tree(documents=60, pages=5, delay=0.02)
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", site.url("/"))
        self.follow(process, [], 3)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
        self.assertEqual(self.sql("SELECT owner FROM freshet.shard"), [[None]])
        self.assertEqualStores()
