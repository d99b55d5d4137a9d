"""freshet db: maintenance of the store, with the real binary."""
import contextlib
import fcntl
import os
import resource
import shutil
import socket
import sqlite3
import struct
import tempfile
import threading
import time
import unittest

from case import Case, gz, index, urlset
from late import assert_sooner
from program import interrupt
from server import Site

F_OFD_SETLK = 37  # the fcntl module of Python 3.11 has no name for it


class Db(Case):
    filled = None   # of each class: a folder with the store that fill() made
    server = None   # of each class

    def fill(self):
        """Make a store with a site that was crawled three times: with kept,
        changed and removed entries."""
        kind = type(self)
        if kind.filled is None:
            kind.server = Site()
            kind.addClassCleanup(kind.server.close)
            folder = tempfile.mkdtemp(prefix="freshet-filled-")
            kind.addClassCleanup(shutil.rmtree, folder)
            for generation in range(3):
                self.publish(generation)
                self.crawl(self.server.url("/"))
            self.copy_store(self.program.folder, folder)
            kind.filled = folder
        else:
            self.server.replies.clear()
            self.publish(2)
            self.copy_store(kind.filled, self.program.folder)
        return self.server.url("/")

    @staticmethod
    def copy_store(where, to):
        for name in os.listdir(where):
            if name.startswith("store.db"):
                shutil.copy2(os.path.join(where, name), to)

    def publish(self, generation):
        url = self.server.url
        self.server.put("/robots.txt", "Sitemap: %s\n" % url("/index.xml"))
        self.server.put("/index.xml", index([(url("/a.xml"), "2026-01-01"),
                                             url("/b/b.xml.gz")]))
        self.server.put("/a.xml", urlset(
            [(url("/page%d" % n), "2026-01-%02d" % (generation + 1))
             for n in range(5000 + generation, 9500 + generation)]))
        self.server.put("/b/b.xml.gz", gz(urlset([url("/b/%d" % n) for n in range(10)])))

    def sql(self, statement, path=None):
        with sqlite3.connect(path or self.program.store) as db:
            db.execute(statement)
        db.close()

    def fsck(self, *args, status=0, store=None):
        """Returns the records of `db fsck --json`, with the summary at the
        end."""
        where = ["--store", store] if store else []
        result = self.program.run("db", "fsck", "--json", *where, *args)
        self.assertEqual(result.status, status, str(result))
        records = result.records()
        self.assertTrue(all(r["v"] == 1 for r in records))
        return records


class Damaged(Db):
    def test_a_way_out(self):
        """A segment that cannot be decoded affects only its document, until
        --force repairs it."""
        target = self.fill()
        self.sql("UPDATE segment SET data = zeroblob(100)"
                 " WHERE id >> 16 = (SELECT id FROM document WHERE url LIKE '%/a.xml')")
        self.server.put("/a.xml", urlset([self.server.url("/new")]))
        self.server.put("/b/b.xml.gz", gz(urlset([self.server.url("/b/1")])))
        crawl = self.crawl(target, status=6)
        self.assertFailure(crawl, self.server.url("/a.xml"), "store-damaged")
        self.assertEqual(crawl.document(self.server.url("/b/b.xml.gz"))["outcome"], "read",
                         str(crawl))
        self.fsck(status=6)
        crawl = self.crawl("--force", target)
        self.assertEqual(crawl.document(self.server.url("/a.xml"))["entries"], 1)
        self.fsck()
        self.assertIn(self.server.url("/new"), self.program.urls())

    def test_header_of_newer(self):
        """SQLite reads a file that it must not write, which no disk is to blame for."""
        self.fill()
        with open(self.program.store, "r+b") as f:
            f.seek(18)
            f.write(b"\5")
        words = "its header says that only a newer SQLite may write it"
        self.assertIn("J1 file: " + words, self.program.run("db", "fsck").out)
        for command in (["hold", "127.0.0.1", "--for", "1h"], ["db", "vacuum"], ["db", "fsck", "--repair"]):
            result = self.program.run(*command)
            self.assertEqual(result.status, 6, str(result))
            self.assertIn("store-damaged", result.err)
            self.assertIn(words, result.err)

    def test_damage_does_not_look_empty(self):
        """Whichever page of the file is damaged, a command gives the same
        answer or exit status 6, and never a shorter answer."""
        self.fill()
        store = os.path.join(self.program.folder, "hit.db")
        commands = (["ls"], ["ls", "--tree"], ["export"], ["export", "--changes"],
                    ["sql", "SELECT count(*) FROM url"], ["db", "info"])
        wanted = {}
        with open(self.program.store, "rb") as f:
            sound = f.read()
        self.assertGreater(len(sound), 20 * 4096)
        for page in [None, *range(1, len(sound) // 4096)]:
            with open(store, "wb") as f:
                f.write(sound if page is None else
                        sound[:page * 4096] + b"\xff" * 4096 + sound[(page + 1) * 4096:])
            for command in commands:
                result = self.program.run(*command, "--store", store)
                said = result.status, result.out
                if page is None:
                    self.assertEqual(result.status, 0, str(result))
                    wanted[str(command)] = said
                elif said != wanted[str(command)]:
                    self.assertEqual(result.status, 6, "page %d: %s" % (page, result))
                    self.assertIn("store-damaged", result.err)

    def test_a_page_of_the_file(self):
        """What is said names a table of the store, or its file, and the way to look further."""
        self.fill()
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            (size,), = db.execute("PRAGMA page_size")
            (root,), = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'reading'")
        with open(self.program.store, "r+b") as file:
            file.seek((root - 1) * size)
            file.write(bytes(size))
        for args, where in ((["db", "prune", "--older", "1s"], "reading"), (["db", "info"], "file")):
            with self.subTest(args=args):
                result = self.program.run(*args)
                self.assertEqual(result.status, 6, str(result))
                self.assertIn("store-damaged: %s: database disk image is malformed; see 'freshet db fsck'" % where,
                              result.err)


class Fsck(Db):
    def test_sound(self):
        self.fill()
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("all is well", result.out)
        self.assertEqual(result.err, "")
        summary, = self.fsck()
        self.assertEqual(summary["type"], "summary")
        self.assertEqual(summary["violations"], 0)
        self.assertEqual(summary["documents"], 4)
        self.assertEqual(summary["entries"], 4501 + 2 + 10)

    def test_repair(self):
        self.fill()
        self.sql("UPDATE document SET entries = entries + 1 WHERE entries > 100")
        records = self.fsck(status=6)
        self.assertEqual({r["invariant"] for r in records[:-1]}, {"J3", "J8"})
        self.assertEqual({r["where"] for r in records[:-1]}, {self.server.url("/a.xml")})
        self.assertEqual(records[-1]["violations"], len(records) - 1)
        lines = self.program.run("db", "fsck").out.splitlines()
        self.assertRegex(lines[0], r"^J8 document \d+ '.*/a\.xml': entries is 4501, ")
        repaired = self.fsck("--repair")
        self.assertTrue(all(r["repaired"] for r in repaired[:-1]))
        self.fsck()

    def test_one_repair_is_enough(self):
        """What can be judged only when everything else is right is repaired with it."""
        self.fill()
        self.sql("UPDATE document SET entries = entries + 1 WHERE entries > 100")
        self.sql("UPDATE site SET listed_refused = listed_refused + 7")
        repaired = self.fsck("--repair")
        self.assertIn("J19", {r.get("invariant") for r in repaired})
        self.fsck()

    def test_lost_is_not_invented(self):
        """A lost document is read anew, although its bytes are the same."""
        target = self.fill()
        self.sql("DELETE FROM segment WHERE count = (SELECT max(count) FROM segment)")
        before = self.fsck(status=6)
        self.assertIn("J5", {r.get("invariant") for r in before})
        copy = os.path.join(self.program.folder, "copy.db")
        shutil.copy(self.program.store, copy)
        said = self.program.run("db", "fsck", "--repair", "--store", copy).out
        self.assertRegex(said, r"J5 segment \d+ '.*/a\.xml': block 0 is missing "
                         r"\(repaired: forgotten, to be read anew\)\n")
        after = self.fsck("--repair")
        self.assertEqual([r["where"] for r in after[:-1] if r["forgotten"]],
                         [self.server.url("/a.xml")])
        self.fsck()
        self.assertEqual(len(self.program.urls()), 10)
        crawl = self.crawl(target)
        # what was there when the site was first read is not new for that
        self.assertEqual(crawl.document(self.server.url("/a.xml"))["entries"], 4500)
        self.assertEqual(crawl.summary["urls"]["added"], 0)
        self.assertEqual(len(self.program.urls()), 4510)
        self.fsck()

    def test_pages_of_what_is_lost(self):
        """A page keeps its history, and belongs again to the document that
        lists it."""
        target = self.fill()
        self.program.run("import", input=self.server.url("/b/1") + "\n")
        self.sql("UPDATE document SET url = 'http://' || substr(hex(zeroblob(150)), 1, 254)"
                 " || '.example/' WHERE url LIKE '%/b.xml.gz'")
        self.fsck(status=6)
        self.fsck("--repair")
        self.fsck()
        known = ("SELECT p.url, s.is_listed, d.url FROM page p JOIN state s USING (id)"
                 " JOIN document d ON d.id = p.document_id")
        with sqlite3.connect(self.program.store) as db:
            self.assertEqual(db.execute(known).fetchall(),
                             [(self.server.url("/b/1"), 1, self.server.url("/"))])
        db.close()
        self.crawl(target)
        self.fsck()
        self.program.run("due")
        with sqlite3.connect(self.program.store) as db:
            self.assertEqual(db.execute(known + " WHERE p.id = 1").fetchall(),
                             [(self.server.url("/b/1"), 1, self.server.url("/b/b.xml.gz"))])
        db.close()

    def test_what_stays(self):
        """The request log is evidence, so it is kept. Rows that cannot be read
        stay, and the report says where."""
        self.fill()
        self.sql("UPDATE request_log SET overlaps = 1")
        self.fsck(status=6)
        records = self.fsck("--repair", status=6)
        self.assertEqual({r["invariant"] for r in records[:-1]}, {"J17"})
        self.assertEqual(records[-1]["repaired"], 0)

    def test_not_a_store(self):
        with open(self.program.store, "w", encoding="ascii") as f:
            f.write("nothing of the kind\n" * 100)
        record, = self.fsck(status=6)
        self.assertEqual(record["type"], "violation")
        self.assertEqual(record["invariant"], "J1")

    def test_no_store(self):
        for args in ([], ["--repair"]):
            result = self.program.run("db", "fsck", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertFalse(os.path.exists(self.program.store))

    def test_flipped_bytes(self):
        """A few bytes are changed here; the unit test changes hundreds (HOSTILE
        S9)."""
        self.fill()
        with open(self.program.store, "rb") as f:
            whole = f.read()
        for n in range(40):
            torn = bytearray(whole)
            for k in range(4):
                torn[(n * 7919 + k * 104729 + 1000) % len(torn)] ^= 1 << n % 8
            with open(self.program.store, "wb") as f:
                f.write(torn)
            result = self.program.run("db", "fsck")
            self.assertIn(result.status, (0, 6), str(result))


class Backup(Db):
    def setUp(self):
        super().setUp()
        self.copy = os.path.join(self.program.folder, "copy.db")

    def test_odd_names(self):
        """SQLite would read the first of these names as a URI."""
        self.fill()
        for name in ("file:copy.db?mode=ro", "copy ?.db", "./file:copy.db"):
            result = self.program.run("db", "backup", name)
            self.assertEqual(result.status, 0, str(result))
            self.fsck(store=os.path.join(self.program.folder, name))

    def test_damaged(self):
        """The message says which table or document is damaged."""
        self.fill()
        with open(self.program.store, "r+b") as f:
            f.truncate(os.path.getsize(self.program.store) // 2)
        result = self.backup(status=6)
        self.assertIn("store-damaged", result.err)
        self.assertNothingLeft()

    def backup(self, *args, status=0, **kwargs):
        result = self.program.run("db", "backup", self.copy, *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def assertNothingLeft(self, *more):
        """Assert that there is no draft, and no copy unless it existed
        before."""
        left = [n for n in os.listdir(self.program.folder) if n.startswith("copy")]
        self.assertEqual(left, list(more))

    def test_copy(self):
        self.fill()
        result = self.backup("--json")
        self.assertEqual(result.records(), [{"v": 1, "type": "backup", "file": self.copy,
                                             "bytes": os.path.getsize(self.copy)}])
        self.assertNothingLeft("copy.db")
        self.assertEqual(self.fsck(store=self.copy), self.fsck())
        self.assertEqual(self.program.export("--store", self.copy), self.program.export())
        # it is a store like any other
        os.replace(self.copy, self.program.store)
        self.crawl(self.server.url("/"))
        self.fsck()

    def test_with_a_log(self):
        """The copy has also what is only in the write-ahead log."""
        self.fill()
        db = sqlite3.connect(self.program.store)
        db.execute("UPDATE document SET failures = 7")
        db.commit()
        self.assertGreater(os.path.getsize(self.program.store + "-wal"), 0)
        self.backup()
        db.close()
        with sqlite3.connect(self.copy) as copy:
            self.assertEqual(copy.execute("SELECT min(failures) FROM document").fetchone(), (7,))
        copy.close()

    def test_file_is_there(self):
        self.fill()
        with open(self.copy, "w", encoding="ascii") as f:
            f.write("mine")
        result = self.backup(status=2)
        self.assertIn("exists", result.err)
        self.assertEqual(result.err.count("\n"), 1)
        self.assertEqual(open(self.copy, encoding="ascii").read(), "mine")
        os.unlink(self.copy)
        os.symlink("/nonexistent/x", self.copy)
        self.backup(status=2)
        self.assertNothingLeft("copy.db")

    def test_no_such_folder(self):
        self.fill()
        self.copy = os.path.join(self.program.folder, "missing", "copy.db")
        self.assertIn("No such file", self.backup(status=2).err)

    def test_no_store(self):
        self.backup(status=2)
        self.assertNothingLeft()

    def test_disk_full(self):
        """HOSTILE S4: no file may become as large as the store."""
        self.fill()
        size = os.path.getsize(self.program.store)
        self.backup()
        os.unlink(self.copy)
        for limit in (4096, size // 2, size - 4096):
            with self.subTest(limit=limit):
                result = self.program.run("db", "backup", self.copy,
                                          limits=[(resource.RLIMIT_FSIZE, limit)])
                self.assertEqual(result.status, 7, str(result))
                self.assertEqual(result.err.count("\n"), 1)
                self.assertNothingLeft()

    def test_while_a_crawl_writes(self):
        """HOSTILE S16: the copy is a state that the crawl went through, and the
        crawl does not wait."""
        server = self.site()
        urls = [server.url("/s%d.xml" % n) for n in range(100)]
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/index.xml"))
        server.put("/index.xml", index(urls))
        for n, url in enumerate(urls):
            server.put("/s%d.xml" % n, urlset(["%s/%d" % (server.url("/p"), n * 200 + k)
                                               for k in range(200)]), delay=0.02)
        crawl = self.program.start("crawl", "--progress", "off", server.url("/"))
        copies = []
        while crawl.poll() is None and len(copies) < 12:
            self.copy = os.path.join(self.program.folder, "copy%d.db" % len(copies))
            result = self.program.run("db", "backup", self.copy)
            if result.status == 0:
                assert_sooner(result.seconds, 4, str(result))
                copies.append(self.copy)
                self.fsck()  # the store itself, in one snapshot
            elif result.status == 2:  # nothing was stored in it yet
                self.assertEqual(copies, [])
            else:
                self.fail(str(result))
        out, err = crawl.communicate(timeout=600)
        self.assertEqual(crawl.returncode, 0, (out, err))
        self.assertGreater(len(copies), 2)
        sizes = []
        for copy in copies:
            sizes.append(self.fsck(store=copy)[-1]["documents"])
        self.assertEqual(sizes, sorted(sizes))
        self.fsck()
        self.assertEqual(len(self.program.urls()), 20000)

    def test_interrupted(self):
        """No draft is left behind, whenever the signal comes."""
        self.fill()
        # an incompressible ballast makes it last
        self.sql("INSERT INTO segment WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT"
                 " i + 1 FROM n LIMIT 150) SELECT (99 << 16) + i, 1,"
                 " randomblob(1000000) FROM n")
        statuses = set()
        for delay in (0.0, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
            if delay > 0.06 and 130 in statuses:
                break  # a busy machine only needs longer to begin
            process = self.program.start("db", "backup", self.copy)
            time.sleep(delay)
            status, _, err, _ = interrupt(process)
            statuses.add(status)
            self.assertIn(status, (-2, 0, 130), err)
            if os.path.exists(self.copy):
                self.assertEqual(status, 0)
                os.unlink(self.copy)
            self.assertNothingLeft()
        self.assertIn(130, statuses)


# Tables of the schemas from the sixth on; those that others refer to come
# last.
DAEMON = ("tag_budget", "hold", "learned", "outcome", "lease", "state", "page", "watch_item", "watch")


# Columns of the ninth.
REFUSED = {"document": ("refused", "refused_by", "lacks_refused"),
           "reading": ("listed_refused", "now_refused", "now_accepted")}


# Columns of the tenth and the fifteenth.
REACHED = {"document": ("ended_s", "is_led", "absent_since_s", "alias_of", "cleared", "owed_s",
                        "owed_urls", "answered_s", "missed_pages"),
           "link": ("missed_s",),
           "reading": ("since_s", "pages", "site_new", "site_removed", "site_returned",
                       "site_gone", "elsewhere"),
           "site": ("baseline_id", "listed", "listed_refused", "tallied_id", "pending_id",
                    "uncounted_id", "is_settled", "kept", "kept_today", "kept_day")}


# Columns of the twelfth.
TEXTS = {"origin": ("text_since_s",),
         "meta": ("pruned_reading_id", "pruned_outcome_id", "pruned_robots_id")}
# and of the fifteenth, of a table that the sixth has
FEED = {"state": ("unfit", "lastmod_nanos", "lastmod_form", "first_seen_s"), "outcome": ("has_turned",),
        "hold": ("limited",)}


# Columns of the fifteenth and the seventeenth.
FIFTEENTH = {"meta": ("alerts_well_s", "alerts_died", "killed_s", "pruned_unknown_id"),
             "document": ("asked_s", "looked_s", "whole_s", "plain_until_s", "index_is_wrong", "window",
                          "published_s", "published_nanos", "published_form", "generator"),
             "reading": ("sessions", "text", "left_window", "back", "site_left", "site_back")}


class Migrate(Db):
    def drop_newer(self):
        """Remove the tables and columns of the schemas from the ninth on."""
        self.sql("DROP INDEX reading_changing")
        self.sql("DROP INDEX site_origin_sites")
        for table in ("past", "signing", "verified", "archived", "page_says", "alert", "alert_site", "left_page",
                      "unknown_page", "feed_site", "feed", "note", "robots_text"):
            self.sql("DROP TABLE " + table)
        self.sql("DROP TABLE root")
        for name in ("document_final", "site_pending"):
            self.sql("DROP INDEX " + name)
        self.sql("ALTER TABLE segment ADD COLUMN first_url TEXT NOT NULL DEFAULT ''")
        self.sql("UPDATE segment SET first_url ="
                 " (SELECT first_url FROM block_index b WHERE b.id = segment.id)")
        self.sql("ALTER TABLE block_index RENAME COLUMN bloom TO sieve")
        self.sql("ALTER TABLE block_index RENAME TO fence")
        self.sql("ALTER TABLE request_log RENAME TO ledger")
        self.sql("ALTER TABLE origin ADD COLUMN parked_until_s INTEGER NOT NULL DEFAULT 0")
        self.drop_columns(FIFTEENTH, TEXTS, REACHED, REFUSED)

    def drop_feed(self):
        """Remove the columns of the twelfth and the fifteenth schema and the index of the
        thirteenth in tables of the sixth."""
        self.sql("ALTER TABLE state ADD COLUMN is_day INTEGER NOT NULL DEFAULT 0")
        self.sql("UPDATE state SET is_day = 1 WHERE lastmod_form & 7 = 3")
        for name in ("state_unfit", "outcome_redirect"):
            self.sql("DROP INDEX " + name)
        self.drop_columns(FEED)

    def drop_columns(self, *lists):
        for tables in lists:
            for table, columns in tables.items():
                for column in columns:
                    self.sql("ALTER TABLE %s DROP COLUMN %s" % (table, column))

    def older(self, version):
        for table in DAEMON:
            self.sql("DROP TABLE " + table)
        self.drop_newer()
        self.sql("PRAGMA user_version = %d" % version)

    def migrated(self, version):
        for args in (["db", "fsck"], ["ls"]):
            result = self.program.run(*args)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("freshet db migrate", result.err)
        record, = self.program.run("db", "migrate", "--json").records()
        self.assertEqual((record["from"], record["to"]), (version, 20))
        self.fsck()
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            kept, rows = db.execute("SELECT (SELECT sum(kept) FROM site), (SELECT sum(length(data)) FROM segment)"
                                    " + (SELECT coalesce(sum(length(data)), 0) FROM delta)").fetchone()
        self.assertEqual(kept, rows)

    def test_nothing_to_do(self):
        self.fill()
        result = self.program.run("db", "migrate")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("nothing to do", result.out)
        record, = self.program.run("db", "migrate", "--json").records()
        self.assertEqual(record["from"], record["to"])
        self.assertEqual(self.program.run("db", "migrate", "-q").out, "")

    def test_an_empty_file(self):
        open(self.program.store, "w", encoding="ascii").close()
        record, = self.program.run("db", "migrate", "--json").records()
        self.assertEqual(record["from"], 0)
        self.assertGreater(record["to"], 0)
        self.fsck()

    def test_older(self):
        """A store of the first schema, as the first version wrote it."""
        self.fill()
        self.sql("ALTER TABLE site DROP COLUMN last_crawl_after")
        self.sql("ALTER TABLE site DROP COLUMN last_crawl_s")
        self.older(1)
        self.sql("ALTER TABLE origin DROP COLUMN parked_until_s")
        self.sql("DROP TABLE ledger")
        self.sql("DROP TABLE fence")
        self.migrated(1)

    def test_before_the_daemon(self):
        """A store of the fifth schema: nothing in it is lost."""
        self.fill()
        before = self.program.run("export", "-f", "tsv", "--all").out
        self.assertGreater(before.count("\n"), 4500)
        self.older(5)
        self.migrated(5)
        self.assertTrue(self.program.run("export", "-f", "tsv", "--all").out == before)

    def test_before_budgets_of_tags(self):
        """A store of the sixth schema: its watch list is kept."""
        self.fill()
        self.program.run("add", "--tag", "news", "a.example")
        self.sql("DROP TABLE tag_budget")
        self.sql("ALTER TABLE hold DROP COLUMN pages_until_s")
        self.drop_newer()
        self.drop_feed()
        self.sql("PRAGMA user_version = 6")
        self.migrated(6)
        self.assertEqual(self.program.run("set", "@news", "budget=1/h").status, 0)

    def test_before_holds_of_pages(self):
        """A store of the seventh schema: its holds are kept."""
        self.fill()
        self.program.run("hold", "a.example", "--for", "1h")
        before = self.program.run("hold").out
        self.assertIn("a.example  is held until", before)
        self.sql("ALTER TABLE hold DROP COLUMN pages_until_s")
        self.drop_newer()
        self.drop_feed()
        self.sql("PRAGMA user_version = 7")
        self.migrated(7)
        self.assertEqual(self.program.run("hold").out, before)

    def test_newer(self):
        self.fill()
        self.sql("PRAGMA user_version = 1000")
        for action in ("migrate", "fsck", "info", "vacuum"):
            result = self.program.run("db", action)
            self.assertEqual(result.status, 6, str(result))
            self.assertIn("newer", result.err)


class Prune(Db):
    DAY = 86400

    def age(self, days):
        """Every reading was that much earlier, but those whose time the entries
        of a segment repeat; what documents repeat of the others is mended."""
        self.sql("UPDATE reading SET at_s = at_s - %d WHERE id NOT IN (SELECT max(id) FROM"
                 " reading WHERE gone > 0 OR (outcome = 'read' AND failure IS NULL)"
                 " GROUP BY document_id)" % (days * self.DAY))
        self.program.run("db", "fsck", "--repair")

    def readings(self):
        return self.program.run("db", "info", "--json").records()[0]["readings"]

    def prune(self, *args, status=0):
        result = self.program.run("db", "prune", "--json", *args)
        self.assertEqual(result.status, status, str(result))
        return result.records()[0] if status == 0 else result

    def test_what_matters_stays(self):
        self.fill()
        before = self.program.export("--all")
        count = self.readings()
        self.age(10)
        changes = self.program.export("--changes")
        self.assertEqual(self.prune("--older", "30d")["readings"], 0)
        done = self.prune("--older", "1d")
        self.assertGreater(done["readings"], 3)
        self.assertGreater(done["changes"], 0)
        self.assertEqual(self.prune("--older", "1d")["readings"], 0)
        self.assertEqual(self.readings(), count - done["readings"])
        self.assertGreater(done["kept"], 0)
        self.assertEqual(self.program.export("--changes"), changes)
        self.assertEqual(self.program.export("--all"), before)

    def test_fsck_before_and_after(self):
        self.fill()
        self.server.put("/a.xml", "", status=500)
        self.crawl(self.server.url("/"), status=None)
        self.crawl(self.server.url("/"), status=None)
        self.prune("--older", "30d")
        self.fsck()
        self.age(10)
        self.fsck()
        done = self.prune("--older", "5d")
        self.assertGreater(done["readings"], 0)
        self.fsck()
        # and a crawl goes on from there
        self.server.put("/a.xml", urlset([self.server.url("/page1")]))
        self.crawl(self.server.url("/"), status=None)
        self.fsck()

    def test_usage(self):
        self.fill()
        result = self.prune(status=2)
        self.assertIn("--older", result.err)
        self.assertEqual(self.prune("--older", "soon", status=2).err.count("\n"), 1)

    def test_in_words(self):
        self.fill()
        result = self.program.run("db", "prune", "--older", "30d")
        self.assertIn("removed 0 readings", result.out)


class Vacuum(Db):
    def test_space_comes_back(self):
        self.fill()
        self.sql("INSERT INTO segment WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT"
                 " i + 1 FROM n LIMIT 20) SELECT (99 << 16) + i, 1,"
                 " randomblob(100000) FROM n")
        self.sql("DELETE FROM segment WHERE id >> 16 = 99")
        before = self.program.export()
        record, = self.program.run("db", "vacuum", "--json").records()
        self.assertGreater(record["before"], record["after"] + 1500000)
        self.assertEqual(record["after"], os.path.getsize(self.program.store))
        self.assertEqual(self.program.export(), before)
        self.fsck()
        self.assertRegex(self.program.run("db", "vacuum").out, r"before, .* after\n$")

    def test_beside_a_reader(self):
        """db vacuum succeeds; the log is truncated when the reader has gone."""
        self.fill()
        reader = sqlite3.connect(self.program.store)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM document").fetchone()
        result = self.program.run("db", "vacuum")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("reader", result.err)
        reader.close()
        self.fsck()

    def test_disk_full(self):
        self.fill()
        before = self.program.export()
        result = self.program.run("db", "vacuum", limits=[
            (resource.RLIMIT_FSIZE, os.path.getsize(self.program.store) // 2)])
        self.assertEqual(result.status, 7, str(result))
        self.assertEqual(self.program.export(), before)
        self.fsck()


class Lock(Db):
    def test_an_owner_of_an_older_version(self):
        """It says why it refuses, in a line of its own before the end."""
        self.fill()
        why = b"the process that holds the store is older"

        def serve(listener):
            peer, _ = listener.accept()
            with peer, peer.makefile("rb") as lines:
                lines.readline()
                peer.sendall(b'{"v":1,"type":"said","text":"%s"}\n'
                             b'{"v":1,"type":"end","exit":2}\n' % why)

        with open(self.program.store + ".lock", "r+b") as lock, \
                socket.socket(socket.AF_UNIX) as listener:
            fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            listener.bind(self.program.store + ".sock")
            listener.listen()
            for args in (["run", "--once"], ["hold", "h.example", "--for", "1h"]):
                with self.subTest(args=args):
                    owner = threading.Thread(target=serve, args=(listener,))
                    owner.start()
                    result = self.program.run(*args)
                    owner.join()
                    self.assertEqual((result.status, result.err.count("\n")), (2, 1))
                    self.assertIn(why.decode(), result.err)

    def test_held(self):
        """A command that needs the store alone says that another process has
        it, and waits; so does a command that finds an owner without a socket."""
        self.fill()
        with open(self.program.store + ".lock", "r+b") as lock:
            fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            waiting = [self.program.start(*args) for args in (
                ["db", "migrate"], ["db", "vacuum"], ["db", "prune", "--older", "1d"],
                ["db", "fsck", "--repair"], ["hold", "-q", "h.example", "--for", "1h"])]
            for args in (["fsck"], ["info"], ["backup", "copy.db"]):
                with self.subTest(args=args):
                    result = self.program.run("db", *args)
                    self.assertEqual(result.status, 0, str(result))
            for process in waiting:
                line = process.stderr.readline()
                self.assertRegex(line, b"store-locked: .*another process holds it.*; waiting")
                self.assertIsNone(process.poll())
        for process in waiting:
            out, err = process.communicate(timeout=600)
            self.assertEqual((process.returncode, err), (0, b""), (process.args, out))

    def test_an_owner_that_crawls(self):
        """It keeps the store until it is through, and nothing fails."""
        site = self.site(address="127.0.0.3")
        site.put("/s.xml", urlset([site.url("/1")]), delay=1)
        self.fill()
        crawl = self.program.start("crawl", site.url("/s.xml"))
        site.wait_for("/s.xml")
        prune = self.program.run("db", "prune", "--older", "1d")
        self.assertEqual(prune.status, 0, str(prune))
        self.assertIn("waiting", prune.err)
        # what it read is in the store; the process itself may end later
        self.assertIn(site.url("/1"), [row["loc"] for row in self.program.export()])
        self.assertEqual(crawl.wait(timeout=600), 0)

    def test_an_owner_that_leases(self):
        """It leaves the store, and comes back."""
        self.fill()
        due = self.program.start("due", "--follow", "-q")
        due.stdout.readline()
        for _ in range(2):
            vacuum = self.program.run("db", "vacuum", timeout=600)
            self.assertEqual(vacuum.status, 0, str(vacuum))
            self.assertIsNone(due.poll())

    def test_no_store(self):
        for args in (["migrate"], ["vacuum"], ["prune", "--older", "1d"], ["info"]):
            result = self.program.run("db", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertEqual(os.listdir(self.program.folder), [])


class Log(Db):
    """HOSTILE S10: files that may lie beside a store that was not closed."""

    def setUp(self):
        super().setUp()
        self.fill()
        self.left = {}
        db = sqlite3.connect(self.program.store)
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("UPDATE document SET failures = 7")
        db.commit()
        for suffix in ("", "-wal", "-shm"):
            with open(self.program.store + suffix, "rb") as f:
                self.left[suffix] = f.read()
        db.close()
        self.assertGreater(len(self.left["-wal"]), 4096)

    def leave(self, changed):
        """Leave the files of the store, some of them changed; None: the file is
        missing."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            path = self.program.store + suffix
            if os.path.isdir(path):
                os.rmdir(path)
            elif os.path.lexists(path):
                os.unlink(path)
            content = changed.get(suffix, self.left.get(suffix))
            if content is not None:
                with open(path, "wb") as f:
                    f.write(content)

    def failures(self):
        """What the commit that lies in the log says, read by the program itself."""
        copy = os.path.join(self.program.folder, "copy.db")
        result = self.program.run("db", "backup", copy)
        self.assertEqual(result.status, 0, str(result))
        with sqlite3.connect(copy) as db:
            number, = db.execute("SELECT min(failures) FROM document").fetchone()
        db.close()
        os.unlink(copy)
        return number

    def judge(self, changed, statuses=(0,), failures=None):
        """Read the store, then write to it, then read again: all three
        succeed."""
        self.leave(changed)
        for args in (["fsck"], ["migrate"], ["fsck"]):
            result = self.program.run("db", *args)
            self.assertIn(result.status, statuses, str(result))
            self.assertLessEqual(result.err.count("\n"), 1, str(result))
        if failures is not None:
            self.assertEqual(self.failures(), failures)

    def test_nothing_is_wrong(self):
        self.judge({}, failures=7)

    def test_no_log(self):
        self.judge({"-wal": None}, failures=0)
        self.judge({"-wal": None, "-shm": None}, failures=0)
        self.judge({"-wal": b""}, failures=0)

    def test_index_of_the_log(self):
        size = len(self.left["-shm"])
        for shm in (None, b"", b"\0" * size, b"\xff" * size, os.urandom(size), b"x",
                    self.left["-shm"][:100], self.left["-shm"] + os.urandom(32768)):
            self.judge({"-shm": shm}, failures=7)

    def test_cut_log(self):
        """An incomplete commit was never acknowledged; nothing else is lost."""
        wal = self.left["-wal"]
        for length in (1, 31, 32, 33, 56, len(wal) // 2, len(wal) - 1):
            self.judge({"-wal": wal[:length], "-shm": None}, failures=0)
        self.judge({"-wal": wal + os.urandom(5000), "-shm": None}, failures=7)

    def test_flipped_log(self):
        for n in range(12):
            wal = bytearray(self.left["-wal"])
            wal[(n * 7919) % len(wal)] ^= 1 << n % 8
            self.judge({"-wal": bytes(wal), "-shm": None}, statuses=(0, 6))

    def test_foreign_log(self):
        """The log of another store: SQLite takes its pages as those of this
        store, and fsck finds it out."""
        other = os.path.join(self.program.folder, "other.db")
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/o.xml"))
        site.put("/o.xml", urlset([site.url("/%d" % n) for n in range(20)]))
        self.crawl("--store", other, site.url("/"))
        db = sqlite3.connect(other)
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("UPDATE document SET url = url || 'x'")
        db.execute("DELETE FROM segment")
        db.commit()
        with open(other + "-wal", "rb") as f:
            wal = f.read()
        db.close()
        self.leave({"-wal": wal, "-shm": None})
        self.fsck(status=6)
        self.assertIn(self.program.run("db", "migrate").status, (0, 6))
        self.fsck(status=6)

    def test_hot_journal(self):
        """A rollback journal is never of freshet, whatever it contains."""
        header = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
        for journal in (b"", b"junk", os.urandom(5000), header + b"\0" * 5000,
                        header + struct.pack(">iIIII", -1, 7, 1, 512, 4096) + b"\0" * 5000):
            self.judge({"-journal": journal}, statuses=(0, 2, 6, 7))
            self.judge({})

    def test_no_files(self):
        for suffix in ("-wal", "-shm", "-journal"):
            for make in (os.mkdir, lambda path: os.symlink("/nonexistent/x", path)):
                self.leave({suffix: None})
                make(self.program.store + suffix)
                for args in (["fsck"], ["migrate"]):
                    result = self.program.run("db", *args)
                    self.assertIn(result.status, (0, 2, 6, 7), str(result))
                    self.assertLessEqual(result.err.count("\n"), 1, str(result))


class Info(Db):
    def test_robots_are_no_documents(self):
        self.fill()
        record, = self.program.run("db", "info", "--json").records()
        self.assertEqual(record["documents"], 3)
        self.assertEqual(record["robots"], 1)


class Usage(Db):
    def test_actions(self):
        for args, word in ((["db"], "are: info|init"), (["db", "fcsk"], "did you mean 'fsck'"),
                           (["db", "zzzzzz"], "unknown ACTION 'zzzzzz'"),
                           (["db", "info", "more"], "takes no 'more'"),
                           (["db", "backup"], "needs a FILE")):
            with self.subTest(args=args):
                result = self.program.run(*args)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn(word, result.err)
                self.assertEqual(result.err.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
