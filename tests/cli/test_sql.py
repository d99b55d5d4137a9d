"""freshet sql, and the same tables in the sqlite3 shell."""
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import processes
from case import Case, index, urlset
from late import assert_sooner
from program import BINARY, TOP, interrupt

BUILD = os.path.dirname(os.path.dirname(BINARY))
EXTENSION = os.path.join(BUILD, "store", "sql", "libfreshet_sql")


class Stored(Case):
    def query(self, query, *args, status=0):
        result = self.program.run("sql", *args, query)
        self.assertEqual(result.status, status, str(result))
        return result.out

    def rows(self, query):
        return [{k: v for k, v in json.loads(line).items() if k != "v"}
                for line in self.query(query, "--json").splitlines()]

    def two_generations(self):
        """A site that was read twice: one child changes, and one stays."""
        self.server = site = self.site()
        url = site.url
        site.put("/robots.txt", "Sitemap: %s\n" % url("/index.xml"))
        site.put("/index.xml", index([(url("/a.xml"), "2025-01-01"), url("/b.xml")]))
        site.put("/a.xml", urlset([(url("/%03d" % i), "2025-02-%02d" % (i % 28 + 1))
                                   for i in range(100)]))
        site.put("/b.xml", urlset([url("/x"), (url("/y"), "2025-03"),
                                   (url("/z"), "2025-03-01T10:00:00+01:00"),
                                   "https://elsewhere.example/"]))
        self.crawl(url("/"))
        site.put("/a.xml", urlset([(url("/%03d" % i), "2025-04-01" if i < 10 else
                                    "2025-02-%02d" % (i % 28 + 1))
                                   for i in range(5, 110)]))
        self.crawl("--force", url("/"))

    def state(self):
        """Returns the bytes of the store's file, and of its log."""
        found = {"-wal": b""}
        for suffix in ("", "-wal"):
            try:
                with open(self.program.store + suffix, "rb") as f:
                    found[suffix] = f.read()
            except FileNotFoundError:
                pass
        return found


class Sql(Stored):
    def test_like_export(self):
        self.two_generations()
        exported = self.program.run("export", "--all").out
        columns = "loc, lastmod, precision, document, first_seen, redated, state, refused"
        self.assertEqual(self.query("SELECT %s FROM url ORDER BY document, loc"
                                    % columns, "-f", "csv"), exported)
        self.assertIn(",removed", exported)
        # what the last readings changed
        changes = self.program.run("export", "--changes").out
        self.assertEqual(self.query(
            "SELECT c.document, c.reading, c.at, c.kind, c.loc, c.before, c.after, c.refused,"
            " NULL AS \"from\" FROM change c"
            " JOIN document d ON d.id = c.document_id AND d.last_reading = c.reading"
            " ORDER BY c.document, c.loc", "-f", "csv"), changes)
        self.assertIn(",redated,", changes)
        # and counts of every reading
        self.assertEqual(
            self.query("SELECT sum(removed), sum(redated) FROM reading", "-f", "csv"),
            self.query("SELECT sum(kind = 'removed') AS 'sum(removed)',"
                       " sum(kind = 'redated') AS 'sum(redated)' FROM change", "-f", "csv"))

    def test_formats(self):
        self.two_generations()
        query = ("SELECT 'a' AS text, -1.5 AS number, NULL AS none, x'00ff' AS bytes,"
                 " '=1+1' AS formula, char(27) || '[2J' || char(10) || 'é' AS hostile")
        self.assertEqual(self.query(query, "-f", "csv"),
                         "text,number,none,bytes,formula,hostile\n"
                         "a,-1.5,,00ff,\"'=1+1\",\\x1b[2J\\x0aé\n")
        self.assertEqual(self.query(query, "-f", "tsv").splitlines()[1].split("\t"),
                         ["a", "-1.5", "", "00ff", "\"'=1+1\"", "\\x1b[2J\\x0aé"])
        self.assertEqual(self.rows(query), [
            {"text": "a", "number": -1.5, "none": None, "bytes": "00ff",
             "formula": "=1+1", "hostile": "\x1b[2J\né"}])
        self.assertEqual(self.query(query, "-f", "json"), self.query(query, "--json"))
        self.assertEqual(self.query(query),
                         "text  number  none  bytes  formula  hostile\n"
                         "a       -1.5     -  00ff   =1+1     \\x1b[2J\\x0aé\n")
        self.assertEqual(self.query("SELECT 1 AS a WHERE 0"), "a\n")
        # alignment, to either side, and letters of more than one byte
        self.assertEqual(self.query("VALUES ('éé', 1), ('x', 1000)"),
                         "column1  column2\néé             1\nx           1000\n")
        self.assertEqual(self.rows("SELECT 9e999 AS i, 1e300 AS r"),
                         [{"i": None, "r": 1e300}])

    def test_many_rows(self):
        """There are rows beyond those that set the widths of columns, and a
        reader that goes away."""
        self.two_generations()
        many = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d)"
                " SELECT i, 'x' AS x FROM n")
        lines = self.query(many % 5000).splitlines()
        self.assertEqual(len(lines), 5001)
        self.assertEqual((lines[1], lines[1000], lines[5000]), (
            "   1  x", "1000  x", "5000  x"))
        process = self.program.start("sql", many % 50000000)
        process.stdout.read(100)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=600), 0)

    def test_long_values(self):
        """Long values are printed whole in every format, or refused."""
        self.two_generations()
        for n in (100000, 2000000):
            query = "SELECT replace(hex(zeroblob(%d)), '00', 'x') AS a, 1 AS b" % n
            self.assertEqual(self.rows(query), [{"a": "x" * n, "b": 1}])
            self.assertEqual(self.query(query, "-f", "csv"), "a,b\n%s,1\n" % ("x" * n))
            self.assertEqual(self.query(query).split("\n")[1], "x" * n + "  1")
        query = "SELECT replace(hex(zeroblob(2000000)), '00', char(1)) AS a"
        self.assertEqual(self.rows(query), [{"a": "\x01" * 2000000}])
        result = self.program.run("sql", "WITH t(a) AS (SELECT replace(hex(zeroblob(6000000)),"
                                  " '00', 'xx')) SELECT a, a AS b FROM t")
        self.assertEqual(result.status, 2, str(result)[:300])
        self.assertIn("too long", result.err)

    def test_stdin(self):
        self.two_generations()
        for args in (["-"], []):
            # without "-": stdin must be a pipe
            done = subprocess.run([BINARY, "sql", "-f", "csv"] + args,
                                  env=self.program.environment(), capture_output=True,
                                  input=b"SELECT count(*) AS n\nFROM site;\n", timeout=600)
            self.assertEqual((done.returncode, done.stdout), (0, b"n\n1\n"), done.stderr)

    def test_errors(self):
        result = self.program.run("sql", "SELECT 1")
        self.assertEqual(result.status, 2)
        self.assertIn("there is no store", result.err)
        self.two_generations()
        for query, why in (("SELECT", "incomplete input"),
                           ("SELECT 1 FROM urls", "no such table: urls"),
                           ("DELETE FROM main.site", "may only read"),
                           ("SELECT 1 AS a, 2 AS a", None),
                           ("SELECT 1; SELECT 2", "one statement")):
            result = self.program.run("sql", query)
            if why is None:
                self.assertEqual(result.status, 0, str(result))
                result = self.program.run("sql", "--json", query)
                why = "'a' is taken"
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(why, result.err)
            self.assertEqual(result.err.count("\n"), 1, str(result))
        self.assertEqual(self.program.run("sql").status, 2)
        self.assertEqual(self.program.run("sql", "a", "b").status, 2)
        self.assertEqual(self.program.run("sql", "-f", "xml", "SELECT 1").status, 2)

    def test_interrupt(self):
        self.two_generations()
        for sign, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.program.start(
                "sql", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                " SELECT max(i) FROM n")
            # of which hardly any is spent before the query
            while processes.cpu_s(process.pid) < 0.3 and process.poll() is None:
                time.sleep(0.01)
            found, _, _, seconds = interrupt(process, sign)
            self.assertEqual(found, status)
            assert_sooner(seconds, 5)

    def test_damaged(self):
        self.two_generations()
        shell = shutil.which("sqlite3")
        if shell is None:
            self.skipTest("the sqlite3 shell is not installed")
        subprocess.run([shell, self.program.store,
                        "UPDATE segment SET data = substr(data, 1, 30)"], check=True)
        result = self.program.run("sql", "SELECT * FROM url")
        self.assertEqual(result.status, 6, str(result))
        self.assertRegex(result.err, r"^freshet: store-damaged: the entries of 'http:.*' cannot")
        self.assertEqual(result.err.count("\n"), 1)
        # what needs no entries still answers
        self.assertEqual(self.query("SELECT count(*) AS n FROM site", "-f", "csv"), "n\n1\n")

    def test_nothing_is_written(self):
        self.two_generations()
        before = self.state()
        self.query("SELECT * FROM url ORDER BY lastmod")
        self.program.run("sql", "DROP TABLE main.site")
        self.assertEqual(self.state(), before)

    def test_docs(self):
        """docs/reference/sql.md has every table and column, and its queries
        run."""
        self.two_generations()
        with open(os.path.join(TOP, "docs", "reference", "sql.md"), encoding="utf-8") as f:
            text = f.read()
        listed = re.findall(r"(?m)^\| `(\w+)` \|", text)
        tables = {row["table_name"] for row in self.rows("SELECT table_name FROM freshet_schema")}
        self.assertEqual(set(listed), tables | {"freshet_schema"})
        queries = re.findall(r"(?ms)^```sql\n(.*?)^```", text)
        self.assertGreater(len(queries), 10)
        for query in queries:
            with self.subTest(query=query):
                self.query(query.replace("https://www.example.org", self.server.url("")), "-q")


class Shell(Stored):
    """The extension in the sqlite3 shell."""

    def setUp(self):
        super().setUp()
        self.sqlite3 = shutil.which("sqlite3")
        if self.sqlite3 is None:
            self.skipTest("the sqlite3 shell is not installed")
        if not os.path.exists(EXTENSION + ".so"):
            self.fail("there is no '%s.so'" % EXTENSION)

    def shell(self, *commands, options=("-readonly",), store=None, load=True):
        loads = [".load %s" % EXTENSION] if load else []
        done = subprocess.run(
            [self.sqlite3, "-batch", "-csv", "-header", *options,
             store or self.program.store, *loads, *commands], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=600)
        if "AddressSanitizer" in done.stderr or "__asan" in done.stderr:
            self.skipTest("the extension was built with a sanitizer, the shell was not")
        return done

    def test_like_freshet_sql(self):
        self.two_generations()
        for query in ("SELECT * FROM url ORDER BY document_id, loc",
                      "SELECT * FROM index_url",
                      "SELECT * FROM change",
                      "SELECT * FROM document ORDER BY id",
                      "SELECT * FROM reading ORDER BY id",
                      "SELECT * FROM finding ORDER BY reading, code",
                      "SELECT * FROM site", "SELECT * FROM proof", "SELECT * FROM child",
                      "SELECT * FROM freshet_schema"):
            with self.subTest(query=query):
                done = self.shell(query)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                found = list(csv.reader(io.StringIO(done.stdout)))
                self.assertGreater(len(found), 1)
                self.assertEqual(found, list(csv.reader(io.StringIO(
                    self.query(query, "-f", "csv")))))

    def test_pushed_down(self):
        self.two_generations()
        done = self.shell("EXPLAIN QUERY PLAN SELECT * FROM url WHERE loc = 'x'")
        self.assertIn("VIRTUAL TABLE INDEX 8:loc=", done.stdout)

    def leave_a_log(self):
        """Leave the write-ahead log of a writer that was killed."""
        script = ("import os, sqlite3, sys\n"
                  "db = sqlite3.connect(sys.argv[1])\n"
                  "db.execute('PRAGMA wal_autocheckpoint = 0')\n"
                  "db.execute('UPDATE site SET crawl_begun_s = 5')\n"
                  "db.commit()\n"
                  "os._exit(0)\n")
        subprocess.run([sys.executable, "-c", script, self.program.store], check=True)
        state = self.state()
        self.assertGreater(len(state["-wal"]), 0)
        return state

    def test_no_checkpoint(self):
        self.two_generations()
        before = self.leave_a_log()
        query = "SELECT crawl_begun FROM site"
        seen = "crawl_begun\n1970-01-01T00:00:05Z\n"
        self.assertEqual(self.shell(query).stdout, seen)
        self.assertEqual(self.state(), before)
        # opened for writing, the extension prevents it
        self.assertEqual(self.shell(query, options=()).stdout, seen)
        self.assertEqual(self.state(), before)
        self.assertEqual(self.query("SELECT crawl_begun FROM site", "-f", "csv"), seen)
        self.assertEqual(self.state(), before)
        # without it, the shell does what the manual warns of
        self.shell("SELECT 1 FROM main.site", options=(), load=False)
        self.assertNotEqual(self.state(), before)

    def test_no_writing(self):
        self.two_generations()
        before = self.state()
        for options in ((), ("-readonly",)):
            for statement in ("DELETE FROM main.site", "CREATE TABLE main.t (a)",
                              "PRAGMA wal_checkpoint(TRUNCATE)", "DELETE FROM url"):
                done = self.shell(statement, options=options)
                if "PRAGMA" not in statement:
                    self.assertNotEqual(done.returncode, 0, statement)
        self.assertEqual(self.state(), before)
        # beside the store, all is allowed
        done = self.shell("CREATE TEMP TABLE t AS SELECT loc FROM url",
                          "SELECT count(*) > 100 AS many FROM t")
        self.assertEqual(done.stdout, "many\n1\n", done.stderr)

    def test_beside_a_crawl(self):
        """S12: both programs read while a crawl writes: they see whole
        documents, and none twice."""
        site = self.site()
        children = ["/%d.xml" % i for i in range(20)]
        site.put("/index.xml", index([site.url(c) for c in children]))
        # each part of the crawl waits until more was seen than before
        gates = {n: threading.Event() for n in (2, 5, 8, 11, 14, 17)}
        for n, child in enumerate(children):
            site.put(child, urlset([site.url("%s/%d" % (child[:-4], i)) for i in range(50)]), gate=gates.get(n))
        gates = list(gates.values())
        process = self.program.start("crawl", "--delay", "0", "--progress", "off",
                                     site.url("/index.xml"))
        query = "SELECT count(*) AS n, count(DISTINCT document) AS d FROM url"
        seen = [0]
        while process.poll() is None:
            for ask in (lambda: self.program.run("sql", "-f", "csv", query),
                        lambda: self.shell(query)):
                begin = time.monotonic()
                done = ask()
                out = done.out if hasattr(done, "out") else done.stdout
                if len(seen) == 1 and not out:
                    time.sleep(0.02)  # the store is being made
                    continue
                assert_sooner(time.monotonic() - begin, 5)
                self.assertEqual(len(out.split()), 2, str(done))
                n, d = out.split()[1].split(",")
                self.assertEqual(int(n), 50 * int(d))
                self.assertGreaterEqual(int(n), seen[-1])
                if int(n) > seen[-1] and gates:
                    gates.pop(0).set()
                seen.append(int(n))
        self.assertEqual(process.wait(timeout=600), 0)
        self.assertGreater(len(set(seen)), 4, seen)
        self.assertEqual(self.query(query, "-f", "csv"), "n,d\n1000,20\n")

    def test_no_store(self):
        for path in (os.path.join(self.program.folder, "new.db"), ":memory:"):
            done = self.shell("SELECT 1", options=(), store=path)
            self.assertIn("open a store of freshet first", done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_damaged(self):
        self.two_generations()
        self.shell("UPDATE segment SET data = x'0102'", options=(), load=False)
        done = self.shell("SELECT * FROM url")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot be decoded", done.stderr)


if __name__ == "__main__":
    unittest.main()
