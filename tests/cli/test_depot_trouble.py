"""Trouble with PostgreSQL: what the table of failures says, each with a real server."""
import os
import shutil
import subprocess
import tempfile
import time

import pg
from late import assert_sooner
from test_depot_hosts import Peer, PeerCase

# psql on a server that is read only, to make it another one
WRITES = "&options=-c%20default_transaction_read_only%3Doff"


class TroubleCase(PeerCase):
    shares_server = False

    def crawl_to(self, documents=60):
        """A crawl under way, which has said something."""
        self.init()
        self.site_of_it = self.tree(documents=documents, pages=5, delay=0.02)
        process = self.program.start("crawl", "--json", "--progress", "off", "--delay", "0", self.site_of_it.url("/"))
        while b'"document"' not in process.stdout.readline():
            self.assertIsNone(process.poll())
        return process

    def end(self, process, status=0):
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, err)
        return err.decode()

    def readings(self):
        return int(self.sql("SELECT count(*) FROM freshet.reading")[0][0])

    def hang_up(self):
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                 " WHERE datname = current_database() AND pid <> pg_backend_pid()")

    def session(self, text):
        """A session of psql's that stays open behind these statements."""
        process = subprocess.Popen(
            [os.path.join(pg.BIN, "psql"), "-XAtq", "-h", self.server.folder, "-p", str(pg.PORT), "-U", "postgres",
             "-d", self.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, PGAPPNAME="freshet"))

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        process.stdin.write(text + ";\n\\echo ready\n")
        process.stdin.flush()
        self.assertEqual([line for line in iter(process.stdout.readline, "ready\n") if line == ""], [])
        return end


class Server(TroubleCase):
    def test_read_only(self):
        """A server that takes no writes is waited for."""
        process = self.crawl_to()
        self.sql("ALTER SYSTEM SET default_transaction_read_only = on")
        self.sql("SELECT pg_reload_conf()")
        try:
            time.sleep(4)
            self.assertIsNone(process.poll())
            before = self.readings()
            time.sleep(0.5)
            self.assertEqual(self.readings(), before)
        finally:
            url = self.server.url(self.name) + WRITES
            pg.sql(url, "ALTER SYSTEM RESET default_transaction_read_only")
            pg.sql(url, "SELECT pg_reload_conf()")
        self.assertIn("PostgreSQL is not there", self.end(process))
        self.assertEqual(self.readings(), 62)
        self.assertEqualStores()

    def test_locked(self):
        """Who locks the tables is waited for."""
        process = self.crawl_to()
        end = self.session("BEGIN; LOCK TABLE freshet.shard")
        time.sleep(5)
        self.assertIsNone(process.poll())
        end()
        self.end(process)
        self.assertEqual(self.readings(), 62)
        self.assertEqualStores()

    def test_statement_timeout(self):
        """A limit on statements that is too short for any of them is waited for, too."""
        process = self.crawl_to()
        self.sql("CREATE FUNCTION freshet.slow() RETURNS trigger LANGUAGE plpgsql AS"
                 " $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;"
                 "CREATE TRIGGER slow BEFORE UPDATE ON freshet.shard FOR EACH ROW EXECUTE FUNCTION freshet.slow();"
                 "ALTER DATABASE \"%s\" SET statement_timeout = '100ms'" % self.name)
        self.hang_up()
        time.sleep(1)
        self.assertIsNone(process.poll())
        self.sql("SET statement_timeout = 0; ALTER DATABASE \"%s\" RESET statement_timeout;"
                 " DROP TRIGGER slow ON freshet.shard" % self.name)
        self.end(process)
        self.assertEqual(self.readings(), 62)

    def test_refused(self):
        """A commit that the server refuses again and again will not pass."""
        process = self.crawl_to()
        self.sql("CREATE FUNCTION freshet.no() RETURNS trigger LANGUAGE plpgsql AS"
                 " $$ BEGIN RAISE 'this will not do' USING ERRCODE = 'XX000'; END $$;"
                 "CREATE TRIGGER no BEFORE INSERT ON freshet.reading FOR EACH ROW EXECUTE FUNCTION freshet.no()")
        before = self.readings()
        err = self.end(process, 6)
        self.assertIn("this will not do", err)
        self.assertEqual(self.readings(), before)

    def test_rows_are_gone(self):
        """Rows that an operator removed are missed by the next commit that changes them."""
        process = self.crawl_to()
        self.sql("DELETE FROM freshet.document")
        err = self.end(process, 6)
        self.assertIn("changed by somebody else", err)
        self.assertIn("fsck", err)

    def test_full(self):
        """A disk that is full is waited for; nothing is lost."""
        if os.geteuid() != 0:
            self.skipTest("a small file system needs root")
        folder = tempfile.mkdtemp(prefix="freshet-full-", dir="/tmp")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no file system can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=False)
        shutil.chown(folder, "postgres")
        self.sql("CREATE TABLESPACE small LOCATION '%s'" % folder)
        self.addCleanup(self.server.sql, "DROP DATABASE \"%s\" WITH (FORCE); DROP TABLESPACE small" % self.name)
        self.sql("ALTER DATABASE \"%s\" SET default_tablespace = small" % self.name)
        process = self.crawl_to()
        with open(os.path.join(folder, "fill"), "wb") as f:
            try:
                while True:
                    f.write(b"x" * 65536)
                    f.flush()
            except OSError:
                pass
        told = b""
        while b"PostgreSQL is not there" not in told:
            line = process.stderr.readline()
            self.assertNotEqual(line, b"", told)
            told += line
        time.sleep(2)
        self.assertIsNone(process.poll())
        os.unlink(os.path.join(folder, "fill"))
        self.end(process)
        self.assertEqual(self.readings(), 62)
        self.assertEqualStores()


class Tls(TroubleCase):
    def test_verify(self):
        """A server on the network must show a certificate that is trusted, unless the URL says otherwise."""
        if shutil.which("openssl") is None:
            self.skipTest("openssl is missing")
        self.init()
        key, certificate = (os.path.join(self.server.folder, name) for name in ("key.pem", "cert.pem"))
        address = "127.%d.%d.1" % (1 + os.getpid() % 200, os.getpid() // 200 % 250)
        subprocess.run(["openssl", "req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=" + address, "-addext",
                        "subjectAltName=IP:" + address, "-keyout", key, "-out", certificate], check=True,
                       stderr=subprocess.DEVNULL)
        if os.geteuid() == 0:
            shutil.chown(key, "postgres")
        os.chmod(key, 0o600)
        os.chmod(certificate, 0o644)
        server = pg.Server(settings=("listen_addresses=" + address, "ssl=on", "ssl_key_file=" + key,
                                     "ssl_cert_file=" + certificate))
        self.addCleanup(server.close)
        server.database("t")
        url = "postgresql://postgres@%s:%d/t" % (address, pg.PORT)
        for store, word in ((url, "certificate"),
                            (url + "?sslrootcert=" + os.devnull, "certificate")):
            result = self.program.run("db", "init", "--store", store)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(word, result.err)
        for store, status in ((url + "?sslrootcert=" + certificate, 0), (url + "?sslmode=require", 5)):
            result = self.program.run("db", "init", "--store", store)
            self.assertEqual(result.status, status, str(result))


class Clock(TroubleCase):
    """The server's clock is a function that stands in front of the real one."""

    def set_clock(self, seconds):
        self.sql("CREATE SCHEMA IF NOT EXISTS fake; CREATE OR REPLACE FUNCTION fake.clock_timestamp()"
                 " RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '%d s' $$;"
                 " ALTER DATABASE \"%s\" SET search_path = fake, pg_catalog" % (seconds, self.name))

    def test_take(self):
        """A machine with a wrong clock takes no shard."""
        self.init()
        for seconds, word in ((-60, "60 s ahead"), (60, "60 s behind")):
            self.set_clock(seconds)
            result = self.program.run("crawl", "http://127.0.0.1:1/")
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(word[3:], result.err)
            self.assertEqual(self.sql("SELECT owner, version FROM freshet.shard"), [[None, "0"]])
        self.set_clock(5)
        self.crawl("http://127.0.0.1:1/", status=None)
        self.assertEqual(self.sql("SELECT owner, version > 0 FROM freshet.shard"), [[None, "t"]])

    def test_while_it_runs(self):
        """A machine whose clock goes wrong gives its shard back."""
        process = self.crawl_to()
        self.set_clock(-60)
        self.hang_up()
        err = self.end(process, 2)
        self.assertIn("ahead of", err)
        self.assertEqual(self.sql("SELECT owner FROM freshet.shard"), [[None]])


class Take(TroubleCase):
    def fill_slowly(self):
        """From now on the sites of shard 0 take 4 seconds."""
        peer = self.peer(0)
        for i in range(100):
            peer.say("site", "%d.example" % i)
        peer.wait("durable")
        peer.quit()
        columns = [row[0] for row in self.sql(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'freshet.site'::regclass AND attnum > 0"
            " ORDER BY attnum")]
        slow = ", ".join("host || CASE WHEN pg_sleep(0.04)::text = '' THEN repeat('x', 9000) END AS host"
                         if name == "host" else '"%s"' % name for name in columns)
        self.sql("ALTER TABLE freshet.site RENAME TO kept; CREATE VIEW freshet.site AS SELECT %s FROM freshet.kept"
                 % slow)

    def test_fill_is_long(self):
        """The shard stays held while a table fills the cache for longer than a lease."""
        self.start(lease_ms=2000)
        self.fill_slowly()
        peer = Peer(self, 0)
        self.wait_for(lambda: self.sql("SELECT owner IS NOT NULL FROM freshet.shard") == [["t"]])
        ends = time.monotonic() + 4
        while time.monotonic() < ends and self.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%'"
                                                   " AND state = 'active'") == [["1"]]:
            self.assertEqual(self.sql("SELECT until > now() FROM freshet.shard"), [["t"]])
        peer.wait("taken")

    def test_cut_while_it_fills(self):
        """A connection that breaks then ends the process, which its keeper starts again."""
        self.start(lease_ms=2000)
        self.fill_slowly()
        peer = Peer(self, 0)
        self.wait_for(lambda: self.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'COPY%'"
                                       " AND state = 'active'") == [["1"]])
        self.hang_up()
        self.assertEqual(peer.wait("failed")[1], "store-unusable")
        Peer(self, 0).wait("taken")

    def test_stopped_in_a_commit(self):
        """An owner that stands still in the middle of a commit has the row of the shard locked, for as long as
        nobody needs it."""
        self.start(lease_ms=1000)
        self.session("BEGIN; UPDATE freshet.shard SET version = version")
        began = time.monotonic()
        peer = self.peer(0)
        assert_sooner(time.monotonic() - began, 30)
        peer.quit()
        self.assertEqual(self.sql("SELECT owner FROM freshet.shard"), [[None]])
