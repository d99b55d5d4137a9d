"""A new version of freshet with other tables, while machines of the old one work."""
import contextlib
import json
import os
import subprocess
import unittest

import pg
from case import index, urlset
from program import BINARY, HOOKED
from test_machines_keeper import LEASE_S, Keepers

# a freshet with one step of the schema more (tests/fixtures/schema_next.c)
NEXT = next((path for path in (os.path.join(os.path.dirname(binary), "..", "tests", "tools", "freshet-next")
                               for binary in (BINARY, HOOKED)) if os.path.exists(path)), "")


@unittest.skipIf(not NEXT, "freshet-next is not there")
class MigrateCase(Keepers):
    def setUp(self):
        super().setUp()
        self.url = self.program.store
        self.old = self.program.binary

    @contextlib.contextmanager
    def next(self):
        """What is run in between is the next version."""
        self.program.binary = NEXT
        try:
            yield
        finally:
            self.program.binary = self.old

    def run_next(self, *words, status=0, **more):
        with self.next():
            result = self.program.run(*words, **more)
        self.assertEqual(result.status, status, str(result))
        return result

    def make(self, shards, sites=6, documents=3):
        """A store with so many shards, whose sites were crawled and have pages."""
        path = os.path.join(self.program.folder, "file.db")
        self.sites = [self.site(address="127.0.0.%d" % (i + 1)) for i in range(sites)]
        for site in self.sites:
            site.put("/robots.txt", "Sitemap: %s\n" % site.url("/index.xml"))
            site.put("/index.xml", index([site.url("/s%d.xml" % i) for i in range(documents)]))
            for i in range(documents):
                site.put("/s%d.xml" % i, urlset([site.url("/%d/%d" % (i, k)) for k in range(20)]))
        self.program.store = path
        self.assertEqual(self.program.run("add", *(site.url("/") for site in self.sites)).status, 0)
        self.crawl(*(site.url("/") for site in self.sites), "--delay", "0")
        pages = self.program.run("due", "-n", "60", "--delay", "0").records()
        self.assertGreater(len(pages), 10)
        lines = "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)
        self.assertEqual(self.program.run("done", input=lines).status, 0)
        self.program.store = self.url
        result = self.program.run("db", "move", path, "--shards", str(shards))
        self.assertEqual(result.status, 0, str(result))
        self.sql("UPDATE freshet.cluster SET lease_ms = %d" % (LEASE_S * 1000))
        self.version = int(self.sql("SELECT schema FROM freshet.cluster")[0][0])

    def schemas(self):
        return [int(row[0]) - self.version for row in self.sql("SELECT schema FROM freshet.shard ORDER BY shard")]

    def rows(self):
        """What no reading changes: lines for each table."""
        return {table: set(map(tuple, self.sql("SELECT %s FROM freshet.%s" % (columns, table)))) for table, columns in (
            ("site", "shard, id, host"), ("document", "shard, id, url"), ("reading", "shard, id, document_id, at_s"),
            ("page", "shard, id, url"), ("outcome", "shard, id, page_id"), ("watch", "shard, site_id, added_s"),
            ("segment", "shard, id, count, md5(data)"), ("meta", "shard, hash_key"))}

    def tables(self, database=None):
        """The columns, the indexes and the views of a store."""
        return [self.server.sql(text, database or self.name) for text in (
            "SELECT table_name, column_name, data_type, collation_name, is_nullable, column_default"
            " FROM information_schema.columns WHERE table_schema = 'freshet' ORDER BY 1, 2",
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'freshet' ORDER BY 1",
            "SELECT relname, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relkind = 'r'"
            " AND relnamespace = 'freshet'::regnamespace AND attstorage = 'e' ORDER BY 1, 2",
            "SELECT viewname, definition FROM pg_views WHERE schemaname = 'freshet_public' ORDER BY 1")]

    def next_keeper(self, name, *args):
        with self.next():
            return self.keeper(name, *args)


class Roll(MigrateCase):
    def test_roll(self):
        """Machines get the next version one after another; nothing is lost, and nobody
        waits for the last one."""
        self.make(4)
        before = self.rows()
        listed = self.program.run("ls").out
        one, two = self.keeper("one"), self.keeper("two")
        self.wait_for(lambda: self.held() == [2, 2])
        self.assertIn("'freshet db migrate'", self.run_next("ls", status=2).err)

        told = self.run_next("db", "migrate")
        self.assertRegex(told.out, r"%d is now %d; 4 of 4 shards" % (self.version, self.version + 1))
        self.assertEqual(self.schemas(), [0] * 4)
        refused = self.program.run("db", "migrate")
        self.assertEqual(refused.status, 2, str(refused))
        self.assertRegex(refused.err, "schema %d, newer than %d" % (self.version + 1, self.version))
        # the old ones go on
        versions = self.sql("SELECT sum(version) FROM freshet.shard")
        pages = []
        # a host may still wait for its delay, as its shard has a new owner
        self.wait_for(lambda: pages.extend(self.program.run(
            "due", "-n", "10", "--delay", "0", env=self.machine("one")).records()) or pages)
        lines = "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)
        done = self.program.run("done", input=lines, env=self.machine("one"))
        self.assertEqual(done.status, 0, str(done))
        self.assertGreater(int(self.sql("SELECT sum(version) FROM freshet.shard")[0][0]), int(versions[0][0]))
        # both look at rows of the old schema
        self.assertEqual(self.program.run("ls").out, listed)
        self.assertEqual(self.run_next("ls").out, listed)
        outcomes = {tuple(row) for row in self.sql("SELECT shard, id, page_id FROM freshet.outcome")}
        self.assertGreaterEqual(len(outcomes), len(before["outcome"]) + len(pages))

        self.end(two)
        two = self.next_keeper("two")
        self.wait_for(lambda: self.held() == [2, 2] and sum(self.schemas()) == 2)
        # shards of both schemas
        for binary in (self.old, NEXT):
            self.program.binary = binary
            looks = self.program.run("ls")
            self.assertEqual(looks.status, 2, str(looks))
            self.assertIn("schema %d" % (self.version + (binary == self.old)), looks.err)
        self.program.binary = self.old
        schema_of = dict(self.sql("SELECT host, schema FROM freshet.site JOIN freshet.shard USING (shard)"))
        for host, schema in schema_of.items():
            self.assertIn("/2/19", self.run_next("export", host).out)
            looks = self.program.run("export", host)
            self.assertEqual(looks.status, 0 if int(schema) == self.version else 2, str(looks))
        self.assertRegex(self.run_next("db", "migrate").out, "; 2 of 4 shards")
        self.end(one)
        one = self.next_keeper("one")
        self.wait_for(lambda: self.held() == [2, 2] and self.schemas() == [1] * 4)

        # nothing is lost, and the step was done to all rows
        after = self.rows()
        for table in before:
            self.assertLessEqual(before[table], after[table], table)
        self.assertLessEqual(outcomes, after["outcome"])
        self.assertEqual(self.sql("SELECT shard, id, host, encode(data, 'hex') FROM freshet.next_site ORDER BY 1, 2"),
                         self.sql("SELECT shard, id, host, '00ff' FROM freshet.site ORDER BY 1, 2"))
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.document WHERE next_url IS DISTINCT FROM url"), [["0"]])
        for _ in range(2):
            self.assertIn("schema %d is the newest, and that of all shards" % (self.version + 1), self.run_next("db", "migrate").out)
        self.assertEqual(self.run_next("db", "fsck").out.count("all is well"), 4)
        for words in (["ls"], ["run", "--log", "text"], ["add", "127.0.0.1"], ["db", "migrate"]):
            refused = self.program.run(*words)
            self.assertEqual(refused.status, 2, str(refused))
            self.assertRegex(refused.err, "schema %d, newer than %d" % (self.version + 1, self.version))
        for keeper in (one, two):
            self.end(keeper)

    def test_lost(self):
        """The shards of a new machine that is lost are for new ones; an old one says so, once."""
        self.make(4, sites=2, documents=1)
        one = self.keeper("one")
        self.wait_for(lambda: self.held() == [4])
        self.run_next("db", "migrate")
        two = self.next_keeper("two")
        self.wait_for(lambda: self.held() == [2, 2] and sum(self.schemas()) == 2)
        self.kill(two)
        self.wait_for(lambda: self.held() == [2])
        self.sql("SELECT pg_sleep(%d)" % LEASE_S)
        self.assertLessEqual(sum(self.held()), 2)
        three = self.next_keeper("three")
        # its part is no less than what the other may not have
        self.wait_for(lambda: self.held() == [2, 2])
        lines = [json.loads(line) for line in self.end(one).splitlines()]
        self.assertEqual(sum("newer schema" in line.get("text", "") for line in lines), 1, lines)
        self.wait_for(lambda: self.held() == [4] and self.schemas() == [1] * 4)
        self.end(three)


class Tables(MigrateCase):
    def test_as_new(self):
        """A store that was migrated has the tables of one that the next version made, what is
        of no use goes with the last shard, and rights and views are there."""
        self.make(2, sites=2, documents=1)
        self.sql("CREATE TABLE freshet.former (shard integer, id bigint); ALTER TABLE freshet.site ADD COLUMN former text;"
                 "ALTER TABLE freshet.member ADD COLUMN former integer")
        self.assertIn('"older":2}', self.run_next("db", "migrate", "--json").out.replace(" ", ""))
        self.assertEqual(self.sql("SELECT count(*), count(former) FROM freshet.site"), [["2", "0"]])
        for shard in "01":
            with self.next():
                worker = self.program.start("run", "--shard", shard)
                self.addCleanup(worker.kill)
            self.wait_for(lambda at=int(shard): self.schemas()[at] == 1)
            worker.terminate()
            worker.communicate(timeout=600)
        # who has made a view of these views hears of it, and loses nothing
        self.sql("CREATE VIEW public.mine AS SELECT host FROM freshet_public.site")
        self.assertIn("mine", self.run_next("db", "migrate", status=2).err)
        self.sql("DROP VIEW public.mine")
        self.assertIn('"older":0}', self.run_next("db", "migrate", "--json").out.replace(" ", ""))
        fresh = self.server.database(self.name + "_fresh")
        self.run_next("db", "init", "--store", fresh)
        for ours, theirs in zip(self.tables(), self.tables(self.name + "_fresh")):
            self.assertEqual(ours, theirs)
            self.assertGreater(len(ours), 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet_public.site"), [["2"]])
        self.assertEqual(self.sql("SELECT has_table_privilege('freshet_reader', 'freshet.next_site', 'SELECT'),"
                                  " has_table_privilege('freshet_reader', 'freshet_public.site', 'SELECT')"), [["t", "t"]])

    def test_busy(self):
        """Whoever reads for long is not disturbed, and nothing is changed."""
        self.make(1, sites=1, documents=1)
        before = self.tables()
        reader = subprocess.Popen([os.path.join(pg.BIN, "psql"), "-Xq", "-d", self.url, "-c",
                                   "BEGIN; SELECT FROM freshet.shard; SELECT pg_sleep(60)"], stdout=subprocess.DEVNULL)
        self.addCleanup(reader.wait)
        self.addCleanup(reader.kill)
        self.wait_for(lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'"
                                       " AND wait_event = 'PgSleep' AND datname = current_database()") == [["1"]])
        self.assertIn("lock timeout", self.run_next("db", "migrate", status=2).err)
        self.assertEqual(self.tables(), before)

    def test_untaken(self):
        """Shards that nobody has ever taken follow, too."""
        self.init_shards(2)
        self.run_next("db", "migrate")
        keeper = self.next_keeper("one")
        self.wait_for(lambda: self.schemas_of() == ["1", "1"])
        self.end(keeper)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.meta"), [["2"]])

    def schemas_of(self):
        return [row[0] for row in self.sql("SELECT s.schema - c.schema + 1 FROM freshet.shard s, freshet.cluster c")]


class Killed(MigrateCase):
    # the migration of a shard waits while its rows are removed, added, and at its COMMIT
    SLOW = ("CREATE TRIGGER slow BEFORE DELETE ON freshet.page FOR EACH STATEMENT EXECUTE FUNCTION public.slow()",
            "CREATE TRIGGER slow BEFORE INSERT ON freshet.page FOR EACH STATEMENT EXECUTE FUNCTION public.slow()",
            "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON freshet.page DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION public.slow()")

    def digest(self):
        names = [row[0] for row in self.sql("SELECT table_name FROM information_schema.columns WHERE table_schema = 'freshet'"
                                            " AND column_name = 'shard' AND table_name NOT IN ('shard', 'slot', 'next_site')")]
        return {name: self.sql("SELECT md5(coalesce(string_agg((to_jsonb(t) - 'next_url' - 'killed_s')::text, ',' ORDER BY"
                               " to_jsonb(t)::text), '')) FROM freshet.%s t" % name) for name in names}

    def backends(self, where):
        return int(self.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freshet'"
                            " AND datname = current_database() AND %s" % where)[0][0])

    def test_killed(self):
        """Whenever a worker dies that migrates a shard, the shard is whole, and of one schema."""
        self.make(1, sites=2)
        self.run_next("db", "migrate")
        before = self.digest()
        self.sql("CREATE FUNCTION public.slow() RETURNS trigger LANGUAGE plpgsql AS"
                 " $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$")
        for slow in self.SLOW:
            self.sql(slow)
            with self.next():
                worker = self.program.start("run", "--shard", "0")
            self.wait_for(lambda: self.backends("wait_event = 'PgSleep'") == 1)
            worker.kill()
            worker.communicate(timeout=600)
            self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
                     " AND datname = current_database()")
            self.wait_for(lambda: self.backends("true") == 0)
            self.sql("DROP TRIGGER slow ON freshet.page")
            self.assertEqual(self.schemas(), [0], slow)
            self.assertEqual(self.digest(), before, slow)
        # the old version can still have it; nothing is read any more
        for site in self.sites:
            self.assertEqual(self.program.run("hold", site.address, "--for", "2d").status, 0)
        self.assertEqual(self.schemas(), [0])
        before = self.digest()
        with self.next():
            worker = self.program.start("run", "--shard", "0")
            self.wait_for(lambda: self.schemas() == [1])
            worker.terminate()
            worker.communicate(timeout=600)
        after = self.digest()
        self.assertEqual({name for name in before if before[name] != after[name]} - {"learned"}, set())
        lines, _ = pg.differences(self.url, self.cache_path())
        self.assertEqual(lines, [])
