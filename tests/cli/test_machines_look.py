"""Looking at a store in PostgreSQL, and the ways in and out of it."""
import os
import re
import signal
import sqlite3
import urllib.error
import urllib.request

from case import index, urlset
from test_depot import DepotCase

LOOKS = (["ls"], ["ls", "--sitemaps"], ["ls", "--json"], ["list"], ["list", "-l"], ["list", "--json"], ["export"],
         ["export", "--changes", "--since", "1w"], ["diff"], ["diff", "--format", "csv"], ["report", "--html", "-"],
         ["hold"], ["note", "--list"], ["changes", "--list"],
         ["sql", "SELECT host, listed FROM site ORDER BY host"], ["sql", "SELECT loc, lastmod FROM url ORDER BY loc"],
         ["sql", "SELECT d.url, r.outcome, r.seen FROM reading r JOIN document d ON d.id = r.document ORDER BY 1, r.id"])
LOOKS_AT_SITE = (["ls"], ["ls", "--sitemaps"], ["stats"], ["export"], ["export", "--format", "csv"], ["diff"],
                 ["stats", "--json"], ["stats", "--by", "section"], ["robots", "--history"], ["list"])


class LookCase(DepotCase):
    def setUp(self):
        super().setUp()
        self.url = self.program.store
        self.path = os.path.join(self.program.folder, "file.db")

    def make(self, hosts=5):
        """A store in a file, with so many sites, a crawl of yesterday and one of today,
        pages that were handed out and answered, a note and a hold."""
        self.follow_clock()
        self.program.store = self.path
        self.sites = [self.site(address="127.0.0.%d" % (i + 1)) for i in range(hosts)]
        for day in range(2):
            for number, site in enumerate(self.sites):
                site.put("/robots.txt", "Sitemap: %s\n# %d\n" % (site.url("/index.xml"), day))
                site.put("/index.xml", index([site.url("/s%d.xml" % i) for i in range(3)] + ["http://x y/"]))
                for i in range(3):
                    site.put("/s%d.xml" % i, urlset(
                        [(site.url("/%d/%d" % (i, k)), "2025-12-%02d" % (1 + day + k)) for k in range(day, 4 + number)]))
            self.assertEqual(self.program.run("add", *(site.url("/") for site in self.sites)).status, 0)
            self.crawl(*(site.url("/") for site in self.sites), "--delay", "0", status=(0, 1))
            pages = self.program.run("due", "-n", "20", "--delay", "0").records()
            self.assertGreater(len(pages), 5)
            lines = "".join('{"lease": "%s", "status": %d}\n' % (page["lease"], 404 if i == 3 else 200)
                            for i, page in enumerate(pages) if i != 2)
            self.assertEqual(self.program.run("done", input=lines).status, 0)
            self.clock.advance(86400)
        self.assertEqual(self.program.run("hold", "127.0.0.2", "--for", "2d").status, 0)
        note = self.program.run("note", self.sites[-1].address, "today", "a new template")
        self.assertEqual(note.status, 0, str(note))
        self.assertEqual(self.program.run("changes", "--consumer", "search").status, 0)

    def move(self, *more):
        self.program.store = self.url
        result = self.program.run("db", "move", self.path, *more)
        self.assertEqual(result.status, 0, str(result))
        return result

    def look(self, store, words):
        result = self.program.run(*words, "--store", store)
        self.assertIn(result.status, (0, 1), str(result))
        return result

    def assertSameLooks(self, is_exact, path="/1/2"):
        """path: of pages of which both stores know the same."""
        # time stands: no command here waits for a timer
        self.clock.leap()
        pages = [["explain", site.url(path)] for site in self.sites]
        some = [words + [site.address for site in self.sites] for words in (["list"], ["ls"], ["diff"])]
        for words in LOOKS + tuple(pages + some) + tuple(
                words + [site.address] for words in LOOKS_AT_SITE for site in self.sites[:3]):
            ours, theirs = self.look(self.path, words), self.look(self.url, words)
            self.assertEqual(ours.status, theirs.status, words)
            self.assertGreater(len(ours.out), 0, words)
            if is_exact:
                self.assertEqual(ours.out, theirs.out, words)
            else:
                # readings have other numbers
                lines = [sorted(re.sub(r"(\.xml,|reading\s+)\d+", r"\1N", out).splitlines())
                         for out in (ours.out, theirs.out)]
                self.assertEqual(*lines, words)

    def tables(self, path):
        db = sqlite3.connect(path)
        names = [row[0] for row in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        rows = {name: sorted(map(repr, db.execute("SELECT * FROM \"%s\"" % name))) for name in names}
        db.close()
        return rows


class Look(LookCase):
    def test_one_shard(self):
        """What a command says of a store is the same after the store has moved."""
        self.make()
        self.move()
        self.assertSameLooks(True)

    def test_several_shards(self):
        self.make()
        self.move("--shards", "3")
        homes = self.sql("SELECT shard, host FROM freshet.site")
        self.assertGreater(len({shard for shard, _ in homes}), 1)
        self.assertSameLooks(False)
        fsck = self.program.run("db", "fsck")
        self.assertEqual(fsck.status, 0, str(fsck))
        self.assertEqual(fsck.out.count("all is well"), 3)

    def test_one_host_of_several_shards(self):
        """What shards know of the same host is told together."""
        self.program.run("db", "init", "--shards", "2")
        self.sql("INSERT INTO freshet.request_log VALUES (0, 'a', 60, 2, 900, 500, 0, 70), (1, 'a', 60, 3, 800, 700, 1, 65),"
                 " (1, 'a', 120, 1, NULL, 700, 0, 125)")
        self.sql("INSERT INTO freshet.hold VALUES (0, 'a', 1, 0, 2), (1, 'a', 4102444800, 5, 0)")
        log = self.program.run("sql", "SELECT minute_s || ':' || requests || ':' || ifnull(least_gap_ms, '')"
                               " || ':' || delay_ms || ':' || overlaps FROM request_log ORDER BY minute_s")
        self.assertIn("60:5:800:500:1\n120:1::700:0\n", log.out)
        self.assertIn("2100-01-01", self.program.run("hold").out)

    def test_nothing_left(self):
        """The copy has no name, and goes with the command."""
        self.make(2)
        self.move()
        temporary = os.path.join(self.program.folder, "tmp")
        os.mkdir(temporary)
        self.program.variables["TMPDIR"] = temporary
        self.assertEqual(self.program.run("ls").status, 0)
        self.assertEqual(os.listdir(temporary), [])
        self.assertFalse(os.path.exists(self.program.variables["XDG_CACHE_HOME"]))

    def test_held(self):
        """Who looks disturbs nobody, and sees what is committed."""
        self.make(2)
        self.move()
        self.sql("UPDATE freshet.shard SET owner = 'another', until = now() + '1 hour'")
        before = self.sql("SELECT owner, term, version, until FROM freshet.shard")
        self.assertEqual(self.look(self.url, ["ls"]).out, self.look(self.path, ["ls"]).out)
        self.assertEqual(self.sql("SELECT owner, term, version, until FROM freshet.shard"), before)


class Serve(LookCase):
    def ask(self, path):
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d%s" % (self.port, path), timeout=600) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def serve(self):
        process = self.program.start("serve", "--listen", "127.0.0.1:0")
        self.port = int(process.stderr.readline().decode().rsplit(":", 1)[1].strip("/\n"))
        return process

    def test_copy(self):
        """Pages of a copy, which is made anew; its files go with the server."""
        self.make()
        self.move("--shards", "3")
        self.clock.rate(1)
        before = set(os.listdir(self.program.folder))
        process = self.serve()
        for site in self.sites:
            self.assertIn(site.address, self.ask("/")[1])
        self.assertEqual(self.ask("/healthz"), (200, "ok\n"))
        self.assertGreater(self.ask("/metrics")[1].count("freshet_"), 10)
        page = "/site?site=" + self.sites[-1].address
        self.assertIn("a new template", self.ask(page)[1])
        self.sql("DELETE FROM freshet.note")
        self.clock.advance(61)
        self.wait_for(lambda: "a new template" not in self.ask(page)[1])
        # PostgreSQL is away: the last copy stays
        self.sql("ALTER SCHEMA freshet RENAME TO gone")
        self.clock.advance(61)
        self.assertIn("store-unusable", process.stderr.readline().decode())
        self.assertEqual(self.ask("/healthz"), (200, "ok\n"))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(600), 143)
        self.assertEqual(set(os.listdir(self.program.folder)), before)

    def test_none(self):
        """No store, no server."""
        result = self.program.run("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("store-unusable", result.err)


class Changes(LookCase):
    """The feed of a store with several shards."""

    def start_workers(self, count=3):
        self.workers = {}
        for shard in range(count):
            self.start_worker(shard)
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.shard WHERE until > now()") == [[str(count)]])

    def start_worker(self, shard):
        self.workers[shard] = self.program.start("run", "--shard", str(shard), "--delay", "0")
        self.addCleanup(self.workers[shard].kill)

    def batch(self, *more, status=0):
        result = self.program.run("changes", "--consumer", "search", *more)
        self.assertEqual(result.status, status, str(result))
        return result.records() if status == 0 else result

    def pages(self, records):
        return sorted((r["type"], r["url"]) for r in records if r["type"] in ("upsert", "delete"))

    def test_several_shards(self):
        """A consumer is told each page once, whatever shard it lives in, also when a worker
        is killed and the shard is taken over."""
        self.program.store = self.path
        self.sites = [self.site(address="127.0.0.%d" % (i + 1)) for i in range(5)]
        for site in self.sites:
            site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
            site.put("/s.xml", urlset([site.url("/%d" % k) for k in range(4)]))
        self.crawl(*(site.url("/") for site in self.sites), "--delay", "0")
        self.move("--shards", "3")
        self.sql("UPDATE freshet.cluster SET lease_ms = 1000")
        homes = dict(self.sql("SELECT host, shard FROM freshet.site"))
        self.assertGreater(len(set(homes.values())), 1)
        self.start_workers()
        all_pages = sorted(("upsert", site.url("/%d" % k)) for site in self.sites for k in range(4))
        made = self.program.run("changes", "--consumer", "search")
        self.assertIn(made.status, (0, 5), str(made))
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.feed") == [["3"]])
        # in batches of seven; what is not acknowledged comes again
        told = []
        for _ in range(9):
            first, again = self.batch("--limit", "7"), self.batch("--limit", "7")
            self.assertEqual(first, again)
            self.assertEqual(first[0].get("type") == "reset", not told)
            told += self.pages(first)
            self.assertEqual(self.program.run("changes", "--consumer", "search", "--ack",
                                              first[-1]["cursor"]).status, 0)
            if not first[-1]["more"]:
                break
            self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.mail") == [["0"]])
        self.assertEqual(sorted(told), all_pages)
        # a page more, and one less, while a worker is killed
        site = self.sites[0]
        site.put("/s.xml", urlset([site.url("/%d" % k) for k in range(1, 5)]))
        shard = int(homes[site.address])
        self.workers[shard].kill()
        self.workers[shard].wait()
        self.start_worker(shard)
        self.assertEqual(self.crawl(site.url("/"), "--delay", "0").status, 0)
        changes = self.batch()
        self.assertEqual(self.pages(changes), [("upsert", site.url("/4"))])
        self.assertEqual(self.program.run("changes", "--consumer", "search", "--ack", changes[-1]["cursor"]).status, 0)
        self.wait_for(lambda: self.pages(self.batch()) == [])
        for bad in ("m1.9.3.abc.", "m1.0.99.abc.", "m1.x", "m1.0.3.abc."):
            self.batch("--ack", bad, status=2)
        self.assertEqual(self.program.run("changes", "--forget", "search").status, 0)
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.feed") == [["0"]])


class Mail(LookCase):
    def test_nobody_is_there(self):
        """What was noted and is not done yet is told, so that nobody believes it was lost."""
        self.assertEqual(self.program.run("db", "init", "--shards", "2").status, 0)
        self.assertEqual(self.program.run("add", "http://127.0.0.1/").status, 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.mail"), [["1"]])
        self.assertIn("wait for a 'freshet run': 1", self.program.run("list").err)
        self.sql("UPDATE freshet.shard SET owner = 'another', until = now() + '1 hour'")
        self.assertNotIn("wait for", self.program.run("list").err)

    def test_machines(self):
        """Whoever is gone is told, and whoever has left is not; a machine has one name in all that is said."""
        self.assertEqual(self.program.run("db", "init", "--shards", "2").status, 0)
        self.sql("INSERT INTO freshet.member (member, place, program, schema, capacity, leaves, until, since) VALUES"
                 " ('a', 'host 11', '1', 1, 1, false, now() - interval '1 minute', now()),"
                 " ('b', 'host 12', '1', 1, 1, true, now() - interval '1 minute', now())")
        self.sql("UPDATE freshet.shard SET owner = 'a', until = now() + '1 hour'")
        told = self.program.run("list", "--workers").out
        self.assertIn("host 11: gone", told)
        self.assertNotIn("host 12", told)
        self.assertRegex(self.program.run("crawl", "http://127.0.0.1/").err, r"holds shard \d: host 11\b")
        self.sql("UPDATE freshet.shard SET owner = 'set aside'")
        self.assertIn("left alone", self.program.run("crawl", "http://127.0.0.1/").err)
        self.assertIn("nobody holds", self.program.run("add", "http://127.0.0.1/").err)


class Ways(LookCase):
    def test_there_and_back(self):
        """A store that moved to one shard and was copied back is the same, row by row."""
        self.make()
        self.move()
        back = os.path.join(self.program.folder, "back.db")
        self.assertEqual(self.program.run("db", "copy", "--shard", "0", back).status, 0)
        self.assertEqual(self.tables(self.path), self.tables(back))
        self.assertGreater(sum(map(len, self.tables(back).values())), 100)
        again = self.program.run("db", "copy", back)
        self.assertEqual(again.status, 2, str(again))
        self.assertEqual(self.program.run("db", "copy", "--shard", "7", back + "2").status, 2)
        self.assertIn("there is no shard 7", self.program.run("run", "--shard", "7").err)
        self.program.store = back
        self.assertIn("is about a store in PostgreSQL", self.program.run("run", "--shard", "0").err)

    def test_merged(self):
        """Three shards become one file again: fsck is content, and a crawl goes on with it."""
        self.make()
        self.move("--shards", "3")
        back = os.path.join(self.program.folder, "back.db")
        self.assertEqual(self.program.run("db", "copy", back).status, 0)
        fsck = self.program.run("db", "fsck", "--store", back)
        self.assertIn("all is well", fsck.out, str(fsck))
        ours, theirs = self.tables(self.path), self.tables(back)
        for table in ours:
            if table not in ("learned",):
                self.assertEqual(len(ours[table]), len(theirs[table]), table)
        self.program.store = back
        # the second site is held, as before
        crawl = self.crawl(*(site.url("/") for site in self.sites if site.address != "127.0.0.2"), "--delay", "0",
                           status=(0, 1))
        self.assertEqual({d["outcome"] for d in crawl.sitemaps()}, {"unchanged"}, str(crawl))
        self.assertIn("all is well", self.program.run("db", "fsck").out)

    def test_prune(self):
        """Three shards, one after the other, forget as much as a file."""
        self.make()
        self.move("--shards", "3")
        took = []
        for store in (self.path, self.url):
            self.program.store = store
            result = self.program.run("db", "prune", "--json", "--older", "1h")
            self.assertEqual(result.status, 0, str(result))
            took.append(result.records()[0])
        # the last outcome of each stays
        took[0]["outcomes"] += 1 - int(self.sql("SELECT count(DISTINCT shard) FROM freshet.outcome")[0][0])
        self.assertEqual(took[0], took[1])
        self.assertGreater(took[0]["readings"], 10)
        self.assertGreater(took[0]["outcomes"], 10)
        kept = {row[0][-4:] for row in self.sql(
            "SELECT url FROM freshet.outcome o JOIN freshet.page p ON p.shard = o.shard AND p.id = o.page_id")}
        self.assertSameLooks(False, next(path for path in ("/1/2", "/1/3", "/0/2", "/0/3") if path not in kept))
        self.assertEqual(self.program.run("db", "fsck").status, 0)
        self.sql("UPDATE freshet.shard SET owner = 'm-1', until = now() + interval '1 hour' WHERE shard = 1")
        result = self.program.run("db", "prune", "--older", "1h")
        self.assertEqual(result.status, 5, str(result))
        self.assertIn("freshet run --keep", result.err)

    def test_split(self):
        """Half of a shard becomes a new one; nothing is lost, and fsck is content."""
        self.make(8)
        self.move()
        result = self.program.run("db", "split", "0")
        self.assertEqual(result.status, 0, str(result))
        counts = self.sql("SELECT shard, count(*) FROM freshet.site GROUP BY shard ORDER BY shard")
        self.assertEqual([shard for shard, _ in counts], ["0", "1"])
        self.assertEqual(self.sql("SELECT shard, count(*) FROM freshet.slot GROUP BY shard ORDER BY shard"),
                         [["0", "2048"], ["1", "2048"]])
        self.assertSameLooks(False)
        fsck = self.program.run("db", "fsck")
        self.assertEqual(fsck.status, 0, str(fsck))

    def test_news_after_a_move(self):
        """What a crawl finds after sites have moved to other shards, where ids are lower, is
        news for diff and for consumers."""
        self.make()
        again = self.program.run("changes", "--consumer", "search").records()
        self.assertEqual(self.program.run("changes", "--consumer", "search", "--ack", again[-1]["cursor"]).status, 0)
        self.move("--shards", "3")
        self.clock.advance(86400)
        for number, site in enumerate(self.sites):
            site.put("/s0.xml", urlset([(site.url("/0/%d" % k), "2025-12-30") for k in range(1, 4 + number)]
                                       + [(site.url("/later"), "2026-01-01")]))
        free = [site for site in self.sites if site.address != "127.0.0.2"]
        self.crawl(*(site.url("/") for site in free), "--delay", "0", status=(0, 1))
        for site in free:
            self.assertIn("/later", self.program.run("export", "--changes", "--since", "1h", site.address).out)
        told = self.program.run("changes", "--consumer", "search")
        self.assertEqual(told.status, 0, str(told))
        self.assertEqual(told.records()[0]["type"], "reset")
        self.assertEqual(sum("/later" in r.get("url", "") for r in told.records()), len(free))

    def test_split_knows_all(self):
        """Each table of the store moves, or is in both shards; each reference is named as an id,
        which is how rows of several shards get their new ids."""
        self.crawl(self.tree(1).url("/"), "--store", self.path)
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "store", "depot", "split.sql")) as file:
            known = set(re.findall(r"'(\w+)'", file.read()))
        db = sqlite3.connect(self.path)
        tables = {name for name, in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")}
        references = db.execute('SELECT DISTINCT "from" FROM sqlite_schema m, pragma_foreign_key_list(m.name)').fetchall()
        db.close()
        self.assertEqual(tables - known, set())
        self.assertEqual([name for name, in references if not name.endswith("_id") and name != "position"], [])

    def test_split_is_refused(self):
        """Nothing is split while a shard or a host is held, or requests wait."""
        self.make(2)
        self.move()
        for begin, end in (
                ("UPDATE freshet.shard SET owner = 'x', until = now() + '1 hour'", "UPDATE freshet.shard SET owner = NULL"),
                ("INSERT INTO freshet.mail (shard, lines) VALUES (0, 'x')", "DELETE FROM freshet.mail"),
                ("INSERT INTO freshet.host (host, home, until) VALUES ('x', 0, now() + '1 hour')",
                 "UPDATE freshet.host SET until = now()")):
            self.sql(begin)
            result = self.program.run("db", "split", "0")
            self.assertEqual(result.status, 5, str(result))
            self.assertIn("freshet run", result.err)
            self.sql(end)
        for word in ("1", "x", ""):
            self.assertEqual(self.program.run("db", "split", word).status, 2)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.shard"), [["1"]])
        self.assertEqual(self.program.run("db", "split", "0").status, 0)

    def test_move_is_refused(self):
        """A database that has a store already keeps it; a file that is none makes none."""
        self.make(2)
        self.program.store = self.url
        result = self.program.run("db", "move", self.path + "-none")
        self.assertEqual(result.status, 2, str(result))
        self.assertEqual(self.sql("SELECT to_regnamespace('freshet')"), [[None]])
        self.init()
        result = self.program.run("db", "move", self.path)
        self.assertEqual(result.status, 5, str(result))
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.site"), [["0"]])

    def test_places(self):
        """Actions that are of another kind of store say what to do instead."""
        self.init()
        for words, name in ((["backup", "x.db"], "pg_basebackup"), (["vacuum"], "autovacuum"),
                            (["fsck", "--repair"], "db copy")):
            result = self.program.run("db", *words)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(name, result.err)
        for words in (["init"], ["copy", "x.db"], ["move", "x.db"], ["split", "0"]):
            result = self.program.run("db", *words, "--store", self.path)
            self.assertEqual(result.status, 2, str(result))


class Roles(LookCase):
    shares_server = False

    def test_roles(self):
        """A worker writes, a reader looks; a user who may make no roles is told so."""
        self.make(1)
        self.move("--shards", "2")
        for user, role in (("%s_w" % self.name, "freshet_worker"), ("%s_r" % self.name, "freshet_reader")):
            self.sql("CREATE USER %s IN ROLE %s" % (user, role))
            self.program.store = self.url.replace("postgres@", user + "@")
            looked = self.program.run("ls")
            self.assertEqual(looked.status, 0, str(looked))
            self.assertIn("127.0.0.1", looked.out)
            self.sql("SET ROLE %s; SELECT * FROM freshet_public.document" % user)
            added = self.program.run("add", "http://127.0.0.9/")
            self.assertEqual(added.status, 0 if role == "freshet_worker" else 2, str(added))
        self.assertIn("permission denied", added.err)
        self.sql("CREATE USER %s_n" % self.name)
        self.server.database(self.name + "_n", "OWNER %s_n" % self.name)
        # the roles are those of the whole server
        self.program.store = self.server.url(self.name + "_n").replace("postgres@", "%s_n@" % self.name)
        made = self.program.run("db", "init")
        self.assertEqual((made.status, made.err), (0, ""), str(made))


class Fsck(LookCase):
    def test_faults(self):
        """What no shard alone can have wrong is found."""
        self.make(3)
        self.move("--shards", "2")
        self.assertEqual(self.program.run("db", "fsck").status, 0)
        home = self.sql("SELECT shard FROM freshet.site WHERE host = '127.0.0.1'")[0][0]
        self.sql("DELETE FROM freshet.slot WHERE slot = 17")
        self.sql("INSERT INTO freshet.tag_budget VALUES (9, 'news', 1.0)")
        self.sql("UPDATE freshet.slot SET shard = %d WHERE shard = %s" % (1 - int(home), home))
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 6, str(result))
        for words in ("J20 site '127.0.0.1': it is in shard %s, its home is" % home, "J20 slot", ": 17",
                      "J20 tag_budget: 1 rows of shard 9"):
            self.assertIn(words, result.out)

    def test_rows(self):
        """What one shard has wrong is found as in a file."""
        self.make(3)
        self.move("--shards", "2")
        self.sql("DELETE FROM freshet.state")
        result = self.program.run("db", "fsck")
        self.assertEqual(result.status, 6, str(result))
        self.assertRegex(result.out, r"(?m)^shard [01]: J6 page")
        records = self.program.run("db", "fsck", "--json").records()
        self.assertEqual([r["shard"] for r in records if r["type"] == "summary"], [0, 1])
        self.assertLessEqual({r["shard"] for r in records if r["type"] == "violation"}, {0, 1})
        info = self.program.run("db", "info", "--json").records()[0]
        self.assertEqual((info["store"], info["sites"]), (self.url, 3))
        self.assertGreater(info["file_bytes"], 100000)


class Public(LookCase):
    def test_views(self):
        """What psql finds in freshet_public is what `freshet sql` says, but for what blocks are decoded for."""
        self.make(3)
        self.move("--shards", "2")
        self.clock.leap()
        names = sorted(row[0] for row in self.sql(
            "SELECT viewname FROM pg_views WHERE schemaname = 'freshet_public'"))
        self.assertGreater(len(names), 14)
        for name in names:
            ours = self.program.run("sql", "--format", "json", "SELECT * FROM \"%s\"" % name, "--store", self.path)
            self.assertEqual(ours.status, 0, str(ours))
            rows = [{key: value for key, value in row.items() if key not in ("v", "type")} for row in ours.records()]
            columns = self.sql("SELECT column_name, data_type FROM information_schema.columns"
                               " WHERE table_schema = 'freshet_public' AND table_name = '%s'" % name)
            columns = [column for column in columns if column[0] != "shard"]
            read = {"bigint": int, "double precision": float}
            theirs = [{column: None if cell is None else read.get(kind, str)(cell)
                       for (column, kind), cell in zip(columns, row)}
                      for row in self.sql("SELECT %s FROM freshet_public.\"%s\"" % (
                          ", ".join('"%s"' % column for column, _ in columns), name))]
            if name in ("tag_budget", "robots_text"):
                continue
            if name in ("hold", "origin", "proof", "robots_text"):
                # each shard knows them
                theirs = [row for i, row in enumerate(theirs) if row not in theirs[:i]]
            self.assertGreater(len(rows), 0, name)
            by = lambda row: sorted((key, str(value)) for key, value in row.items())
            self.assertEqual(sorted(rows, key=by), sorted(theirs, key=by), name)
