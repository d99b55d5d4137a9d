"""Stores with damaged bytes, and what every command makes of them.

A sound store is filled by real crawls on loopback: indexes, children of each
kind, two sites, removals and returns, pages that were handed out and answered,
holds, a watch list, findings, a request log.  damaged() makes another one of it by a
seed; judge() runs the commands on copies of that and says what was wrong.
"""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import parent_death
from case import gz, index, urlset
from program import Program
from server import Site

PAGE = 4096
STATUSES = (0, 1, 2, 3, 4, 6)
SECONDS = 600  # that a command may take
TABLES = ("meta", "site", "origin", "site_origin", "document", "link", "proof", "reading",
          "finding", "sample", "segment", "delta", "block_index", "request_log", "watch", "watch_item",
          "page", "state", "lease", "outcome", "learned", "hold", "tag_budget", "robots_text",
          "note", "feed", "feed_site", "file", "sqlite_schema")
# what is said of a store that is damaged names a table, a document or the file
PLACE = re.compile(r"store-damaged: .*('[^']+'|\b(%s)\b)" % "|".join(TABLES))
# a crawl says it of a document among the others
DOCUMENT = re.compile(r"store-damaged +(\d+ +)?http|\"failure\":\"store-damaged\"")
# and an examination has its findings on stdout
FOUND = re.compile(r"^J\d+ (%s)\b" % "|".join(TABLES), re.M)


class Sound:
    """The store that all others are made of, and the servers that it knows."""

    def __init__(self):
        self.program = Program()
        self.sites = [Site(), Site(address="127.0.0.3")]
        self.base = os.path.join(self.program.folder, "base")
        self.logged = os.path.join(self.program.folder, "logged")
        self.fill()
        self.keep(self.base)
        self.keep_log()

    def close(self):
        for site in self.sites:
            site.close()
        self.program.close()

    def run(self, *args, statuses=(0,), **kwargs):
        result = self.program.run(*args, **kwargs)
        if result.status not in statuses:
            raise AssertionError(str(result))
        return result

    def publish(self, generation):
        """Of the second site a child is named by the robots.txt of the first."""
        one, two = self.sites
        for site, other in ((one, two), (two, one)):
            url = site.url
            site.put("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: %s\n"
                     "Sitemap: %s\nSitemap: %s\n" % (url("/index.xml"), url("/news.txt"),
                                                     other.url("/named.xml")))
            site.put("/index.xml", index([(url("/a.xml"), "2026-01-0%d" % (generation + 1)),
                                          url("/b/b.xml.gz"), url("/feed.xml"),
                                          url("/missing.xml"), "http://h.example/x.xml"]
                                         + [url("/c%d.xml" % n) for n in range(8)]
                                         + ([url("/late.xml")] if generation else [])))
            site.put("/late.xml", urlset([url("/late/1")]))
            site.put("/named.xml", urlset([url("/named/%d" % n) for n in range(30)]
                                          + [other.url("/others/1")]))
            site.put("/a.xml", urlset(
                [(url("/pages/%d?x=%s" % (n, hashlib.md5(b"%d" % n).hexdigest())),
                  "2026-01-%02d" % (generation + 1 + n % 3))
                 for n in range(100 * generation, 4500 + 100 * generation)]
                + [url("/private/x"), "ftp://h.example/", "http://other.example/y",
                   (url("/dated"), "yesterday"), url("/dated"), " "]))
            site.put("/b/b.xml.gz", gz(urlset([url("/b/%d" % n) for n in range(10)]
                                              + [url("/elsewhere")])))
            site.put("/feed.xml", "<rss version=\"2.0\"><channel><item><link>%s</link><pubDate>"
                     "Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>"
                     % url("/item"))
            site.put("/news.txt", "".join(url("/news/%d\n" % n) for n in range(20 + generation)))
            for n in range(8):
                site.put("/c%d.xml" % n, urlset([url("/c/%d/%d" % (n, k)) for k in range(3)]),
                         etag='"%d"' % (generation if n % 2 else 0))

    def fill(self):
        targets = [site.url("/") for site in self.sites]
        for generation in range(3):
            self.publish(generation)
            self.run("crawl", *targets, statuses=(0, 1))
        self.run("crawl", targets[0], statuses=(0, 1))
        self.run("add", "--tag", "news", "--tag", "all", "--every", "1h..1d", targets[0])
        self.run("add", "--tag", "all", "--below", "/b", targets[1])
        self.run("set", "@news", "budget=100/h")
        self.run("hold", "held.example", "--for", "1h")
        batch = self.run("changes", "--consumer", "all", "--limit", "20").records()
        self.run("changes", "--consumer", "all", "--ack", batch[-1]["cursor"])
        self.run("hold", "127.0.0.3", "--for", "1s")
        self.run("import", "-f", "jsonl", input="".join('{"url":"%s","weight":2,"fetched":1767225600}\n' % u for u in (
            self.sites[0].url("/strange"), self.sites[0].url("/b/1"), "http://far.example/1")))
        time.sleep(1.1)
        for status in (200, 200, 500):
            pages = self.run("due", "-n", "60").records()
            self.run("done", input="".join(json.dumps(
                {"lease": p["lease"], "url": p["url"], "status": status if n % 5 else 404,
                 "content_hash": "h%d" % (n * status), "etag": '"e"'}) + "\n"
                for n, p in enumerate(pages[:-10])), statuses=(0, 1))
        self.publish(3)
        self.run("run", "--once", statuses=(0, 1))

    def keep(self, folder):
        os.mkdir(folder)
        for name in os.listdir(self.program.folder):
            if name.startswith("store.db") and not name.endswith((".sock", ".lock")):
                shutil.copy(os.path.join(self.program.folder, name), folder)

    def keep_log(self):
        """The same with a log that nobody has brought into the store."""
        reader = sqlite3.connect(self.program.store)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM document").fetchone()
        self.publish(4)
        self.run("crawl", self.sites[1].url("/"), statuses=(0, 1))
        self.run("due", "-n", "5")
        self.keep(self.logged)
        reader.close()
        if os.path.getsize(os.path.join(self.logged, "store.db-wal")) < 10 * PAGE:
            raise AssertionError("there is no log")


# --- damage -------------------------------------------------------------------

TEXTS = ["", "x", "\x1b[31mred\x07", "http://%s.example/" % ("a" * 300),
         "http://%s.example/x" % ".".join(["a" * 60] * 5), "http://h.example/" + "a" * 40000,
         "http://h.example/ x", "ftp://h.example/", "HTTP://H.example/", "http://h.example",
         "http://[::1", "http://u:p@h.example/", "http://h.example:99999/", "../..", "://",
         "http:///", "a\nb", "\u202e\u0007", "robots", "index", "unlisted", "urlset", "read",
         "http://127.0.0.1/robots.txt", "http://h.example/robots.txt", "-", "\"", "'", "%s%n"]
NUMBERS = [-1, 0, 1, 2, 3, 7, 8, 255, 65535, 65536, 65537, 2**31 - 1, 2**31, 2**32, 2**40 - 1,
           2**40, 2**40 + 1, 2**47, 2**48, 2**62, 2**63 - 1, -2**63, -2**40, -2**31,
           253402387199, 253402387200, -62135683201]
REALS = [-1.0, 0.0, 1e-308, 1e308, -1e308, float("inf"), float("-inf"), 1e18, 0.5]


def flipped(rng, data, count=1):
    data = bytearray(data)
    for _ in range(count):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def other_value(rng, kind, value):
    """Another value of that type; TEXT as bytes."""
    if kind == "INTEGER":
        return rng.choice(NUMBERS + [value + 1, value - 1, value ^ 1 << rng.randrange(40)]
                          if isinstance(value, int) else NUMBERS)
    if kind == "REAL":
        return rng.choice(REALS)
    was = value if isinstance(value, bytes) else (value or "").encode()
    made = rng.choice([lambda: flipped(rng, was), lambda: was[:len(was) // 2], lambda: b"",
                       lambda: os.urandom(0) + bytes(rng.randrange(256) for _ in range(16)),
                       lambda: was + b"x", lambda: was * 3])()
    if kind == "TEXT":
        made = rng.choice([made, rng.choice(TEXTS).encode()])
    return made


class Damage:
    """One way a store is damaged, on the files of a folder."""

    def __init__(self, rng, folder):
        self.rng = rng
        self.path = os.path.join(folder, "store.db")

    def read(self, suffix=""):
        with open(self.path + suffix, "rb") as f:
            return f.read()

    def write(self, data, suffix=""):
        with open(self.path + suffix, "wb") as f:
            f.write(data)

    def pages(self):
        return os.path.getsize(self.path) // PAGE

    def sql(self):
        db = sqlite3.connect(self.path)
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA writable_schema = ON")
        db.text_factory = bytes
        return db

    def roots(self):
        db = sqlite3.connect(self.path)
        found = [r for r, in db.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")]
        db.close()
        return found

    def some_page(self):
        """The root of a table or an index as often as any other."""
        return self.rng.choice([self.rng.choice(self.roots()),
                                self.rng.randrange(1, self.pages() + 1)]) - 1

    # --- bytes

    def bits(self):
        self.write(flipped(self.rng, self.read(), self.rng.choice([1, 1, 2, 8])))

    def page_bits(self):
        data = bytearray(self.read())
        at = min(self.some_page() * PAGE, len(data) - PAGE)
        for _ in range(self.rng.choice([1, 1, 2, 5])):
            data[at + self.rng.randrange(self.rng.choice([16, 128, PAGE]))] ^= \
                1 << self.rng.randrange(8)
        self.write(data)

    def run(self):
        data = bytearray(self.read())
        length = self.rng.choice([4, 16, 64, 512, PAGE])
        at = min(self.some_page() * PAGE + self.rng.randrange(PAGE), len(data) - length)
        fill = self.rng.choice([b"\0", b"\xff", None])
        data[at:at + length] = fill * length if fill else bytes(
            self.rng.randrange(256) for _ in range(length))
        self.write(data)

    def swap(self):
        data = bytearray(self.read())
        a, b = self.some_page() * PAGE, self.some_page() * PAGE
        if self.rng.random() < 0.3:
            data[a:a + PAGE] = data[b:b + PAGE]
        else:
            data[a:a + PAGE], data[b:b + PAGE] = data[b:b + PAGE], data[a:a + PAGE]
        self.write(data)

    def cut(self):
        data = self.read()
        self.write(data[:self.rng.choice([
            0, 1, 50, 99, 100, 512, PAGE, len(data) - 1, len(data) - PAGE,
            self.rng.randrange(len(data)), self.some_page() * PAGE])])

    def grow(self):
        self.write(self.read() + os.urandom(0) + bytes(
            self.rng.randrange(256) for _ in range(self.rng.choice([1, PAGE, 3 * PAGE]))))

    def header(self):
        data = bytearray(self.read())
        for _ in range(self.rng.choice([1, 1, 3])):
            data[self.rng.randrange(100)] = self.rng.randrange(256)
        self.write(data)

    def schema_bytes(self):
        data = bytearray(self.read())
        data[100 + self.rng.randrange(PAGE - 100)] ^= 1 << self.rng.randrange(8)
        self.write(data)

    # --- rows

    def schema(self):
        db = self.sql()
        names = [n.decode() for n, in db.execute("SELECT name FROM sqlite_schema")]
        one, two = self.rng.sample(names, 2)
        db.execute(*self.rng.choice([
            ("UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE"
             " name = ?) WHERE name = ?", (one, two)),
            ("UPDATE sqlite_schema SET name = ? WHERE name = ?",
             (one + self.rng.choice(["x", "\x1b[31m\x07"]), one)),
            ("UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER', 'TEXT') WHERE name = ?", (one,)),
            ("UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = ?", (one,)),
            ("UPDATE sqlite_schema SET sql = substr(sql, 1, 40) WHERE name = ?", (one,)),
            ("UPDATE sqlite_schema SET sql = sql || char(27) || '[31m' WHERE name = ?", (one,)),
            ("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?",
             (self.rng.choice([0, 1, 2, 10**6, self.rng.randrange(1, self.pages())]), one)),
            ("DELETE FROM sqlite_schema WHERE name = ?", (one,)),
            ("PRAGMA user_version = %d" % self.rng.choice([0, 1, 7, 9, -1, 2**31 - 1]), ()),
            ("PRAGMA application_id = 5", ()),
        ]))
        db.commit()
        db.close()

    def table(self, db):
        """(its name, [(column, type)], its rows) of one that has any."""
        while True:
            name = self.rng.choice([t for t in TABLES if t not in ("file", "sqlite_schema")])
            count, = db.execute("SELECT count(*) FROM %s" % name).fetchone()
            if count:
                columns = [(c[1].decode(), c[2].decode())
                           for c in db.execute("PRAGMA table_info(%s)" % name)]
                keys = [c[1].decode() for c in db.execute("PRAGMA table_info(%s)" % name) if c[5]]
                return name, columns, keys

    def cell(self):
        db = self.sql()
        for _ in range(self.rng.choice([1, 1, 2, 4])):
            name, columns, keys = self.table(db)
            column, kind = self.rng.choice(columns)
            key = ", ".join(keys)
            rows = db.execute("SELECT %s FROM %s" % (", ".join([column] + keys), name)).fetchall()
            row = self.rng.choice(rows)
            value = other_value(self.rng, kind, row[0])
            if self.rng.random() < 0.1:
                value = None
            cast = "CAST(? AS TEXT)" if kind == "TEXT" else "?"
            try:
                db.execute("UPDATE OR REPLACE %s SET %s = %s WHERE (%s) = (%s)" % (
                    name, column, cast, key, ", ".join("CAST(? AS TEXT)" if isinstance(v, bytes)
                                                       else "?" for v in row[1:])),
                           (value, *row[1:]))
            except (sqlite3.IntegrityError, sqlite3.OperationalError):
                pass
        db.commit()
        db.close()

    def rows(self):
        db = self.sql()
        name, _, _ = self.table(db)
        db.execute("DELETE FROM %s WHERE random() %% %d = 0" % (
            name, self.rng.choice([1, 2, 5, 50])))
        db.commit()
        db.close()

    def blob(self):
        db = self.sql()
        name, column = self.rng.choice([("segment", "data"), ("segment", "data"), ("delta", "data"),
                                        ("block_index", "bloom"), ("state", "learned"),
                                        ("learned", "data"), ("learned", "data"),
                                        ("origin", "body")])
        rows = db.execute("SELECT rowid, %s FROM %s WHERE %s IS NOT NULL" % (
            column, name, column)).fetchall() if name != "learned" else db.execute(
                "SELECT kind || '/' || id, data FROM learned").fetchall()
        if not rows:
            return
        key, data = self.rng.choice(rows)
        data = bytes(data)
        data = self.rng.choice([lambda: flipped(self.rng, data, self.rng.choice([1, 3])),
                                lambda: data[:self.rng.randrange(len(data) + 1)],
                                lambda: bytes(self.rng.choice(rows)[1]),
                                lambda: data + b"\xff" * 8,
                                lambda: b"\xff" * len(data), lambda: b"\0" * len(data)])()
        db.execute("UPDATE %s SET %s = ? WHERE %s = %s" % (
            name, column, "rowid" if name != "learned" else "kind || '/' || id",
            "?" if name != "learned" else "CAST(? AS TEXT)"), (data, key))
        db.commit()
        db.close()

    # --- the log

    def log_bits(self):
        self.write(flipped(self.rng, self.read("-wal"), self.rng.choice([1, 4, 50])), "-wal")

    def log_cut(self):
        wal = self.read("-wal")
        self.write(wal[:self.rng.randrange(len(wal))], "-wal")

    def log_index(self):
        self.write(self.rng.choice([b"", b"\xff" * 32768, flipped(self.rng, self.read("-shm"), 20)]),
                   "-shm")

    def log_gone(self):
        os.unlink(self.path + "-wal")

    def log_and_pages(self):
        """Frames that are sound, with pages that are not: as one whose memory fails wrote them."""
        db = sqlite3.connect(self.path)
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.close()
        self.page_bits()


FILE = [Damage.bits, Damage.page_bits, Damage.page_bits, Damage.run, Damage.run, Damage.swap,
        Damage.cut, Damage.grow, Damage.header, Damage.schema_bytes]
ROWS = [Damage.schema, Damage.cell, Damage.cell, Damage.cell, Damage.cell, Damage.cell, Damage.cell,
        Damage.rows, Damage.rows, Damage.blob, Damage.blob, Damage.blob]
LOG = [Damage.log_bits, Damage.log_bits, Damage.log_cut, Damage.log_index, Damage.log_gone,
       Damage.log_and_pages]
WAYS = FILE + ROWS + LOG


def damaged(sound, seed, folder):
    """A damaged copy of the store in folder; the names of the ways."""
    rng = random.Random(seed)
    way = WAYS[seed % len(WAYS)]
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound.logged if way in LOG else sound.base, folder)
    way(Damage(rng, folder))
    return way.__name__


# --- commands -----------------------------------------------------------------

READS, WRITES = True, False
PUBLIC = ("site", "origin", "document", "child", "proof", "reading", "finding", "sample", "url",
          "index_url", "change", "index_change", "request_log")


def commands(sound):
    """[(does it only read, arguments, stdin)]"""
    one, two = sound.sites
    host = one.address
    read = [["ls"], ["ls", "-l", host], ["ls", "--tree", "-l"], ["ls", "--sitemaps", "-l", host],
            ["ls", "-l", one.url("/a.xml")], ["list"], ["list", "-l", "--json"],
            ["export", "--all"], ["export", "-f", "jsonl", host], ["export", "--changes"],
            ["export", "--changes", "--since", "2026-01-01", "-f", "jsonl"],
            ["export", "--indexes", "-f", "tsv"], ["export", "-f", "sitemap", one.url("/b/")],
            ["export", "--tag", "all", "-f", "urls"],
            ["stats", host], ["stats", "--by", "section", host], ["stats", "--by", "hour", host],
            ["stats", "--by", "weekday", host],
            ["stats", "--by", "sitemap", "--json", two.address], ["stats", "--tag", "all"],
            ["explain", one.url("/b/1")], ["explain", one.url("/a.xml")],
            ["explain", "--json", one.url("/private/x"), two.url("/nowhere"), "ftp://h.example/"],
            ["explain", two.url("/others/1"), two.url("/robots.txt"), one.url("/strange")],
            ["changes", "--list"], ["db", "info"], ["db", "fsck"], ["db", "fsck", "--json"],
            ["db", "backup", "@copy"], ["doctor"]]
    read += [["sql", "-f", "json", "SELECT * FROM " + table] for table in PUBLIC]
    results = "".join('{"lease":"%x.%d","status":200,"content_hash":"n%d"}\n' % (n, k, n)
                      for n in range(1, 40) for k in (1, 2)) + \
        '{"url":"%s","status":304}\nnothing\n' % one.url("/b/2")
    pages = "".join('{"url":"%s","weight":3,"lastmod":"2026-01-03"}\n' % u for u in (
        one.url("/b/3"), one.url("/strange"), two.url("/new"), "http://far.example/2"))
    write = [(["crawl", one.url("/"), two.url("/")], None),
             (["crawl", "--force", "--json", two.url("/")], None),
             (["crawl", one.url("/c1.xml")], None), (["run", "--once"], None),
             (["due", "-n", "100"], None), (["due", "-n", "20", "--tag", "all"], None),
             (["changes", "--consumer", "all"], None),
             (["changes", "--consumer", "all", "--ack", "f1.1.0.1.0.0.0.0.0.....0.0.0.0~"], None),
             (["done"], results), (["release"], None), (["hold"], None),
             (["hold", host, "--for", "1h"], None), (["add", "--tag", "new", "new.example", host], None),
             (["rm", host], None), (["set", "@all", "every=1h..2h"], None), (["set", host, "weight=2"], None),
             (["import", "-f", "jsonl"], pages), (["db", "migrate"], None),
             (["db", "prune", "--older", "1s"], None), (["db", "vacuum"], None),
             (["db", "fsck", "--repair"], None)]
    return [(READS, args, None) for args in read] + [(WRITES, args, text) for args, text in write]


class Told:
    def __init__(self, args, status, out, err, seconds):
        self.args, self.status, self.out, self.err, self.seconds = args, status, out, err, seconds

    def __str__(self):
        return "freshet %s: status %s, %.1f s\n%s\n%s" % (
            " ".join(self.args), self.status, self.seconds, self.out[-400:], self.err[-3000:])


def run(sound, store, args, text):
    """Told of that command on that store."""
    begin = time.monotonic()
    args = [os.path.join(os.path.dirname(store), "..", "copy.db") if a == "@copy" else a for a in args]
    env = sound.program.environment({"FRESHET_STORE": store, "TMPDIR": sound.program.folder,
                                     "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
                                     "ASAN_OPTIONS": "detect_leaks=0"})
    if "copy.db" in args[-1] and os.path.lexists(args[-1]):
        os.unlink(args[-1])
    process = subprocess.Popen(
        [sound.program.binary, *args], env=env, cwd=sound.program.folder,
        preexec_fn=parent_death.with_parent(),
        stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(None if text is None else text.encode(), timeout=SECONDS)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        status = "too late"
    return Told(args, status, out.decode("utf-8", "surrogateescape"),
                err.decode("utf-8", "surrogateescape"), time.monotonic() - begin)


def unprintable(text):
    return [c for c in text if c != "\n" and not c.isprintable()]


def faults_of(told):
    """What no command may do, whatever store it is given."""
    faults = []
    if told.status == "too late":
        faults.append("does not end")
    elif told.status < 0:
        faults.append("died of %s" % signal.Signals(-told.status).name)
    elif told.status not in STATUSES:
        faults.append("status %d" % told.status)
    if "Sanitizer" in told.err or "runtime error:" in told.err:
        faults.append("a sanitizer's report")
    if unprintable(told.err):
        faults.append("stderr has %r" % unprintable(told.err)[:5])
    if told.status == 6 and not PLACE.search(told.err) and not (
            told.args[0] == "crawl" and DOCUMENT.search(told.out)) and not (
            told.args[:2] == ["db", "fsck"] and
            (FOUND.search(told.out) or '"table"' in told.out)):
        faults.append("names no place")
    if told.status not in (0, 1) and not told.err and not told.out:
        faults.append("does not say why")
    return faults


def state_of(folder):
    """{name: its bytes and time} of all that a command that reads must leave as it is."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith("-shm") or not os.path.isfile(path):
            continue
        with open(path, "rb") as f:
            found[name] = hashlib.sha256(f.read()).digest(), os.stat(path).st_mtime_ns
    return found


def copied(folder, to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("*.sock"))
    return os.path.join(to, "store.db")


class Judge:
    """Runs commands on copies of the store in folder; faults says what was wrong.  choose(commands)
    are those that are run."""

    def __init__(self, sound, folder, scratch, choose=lambda chosen: chosen):
        self.sound, self.folder, self.scratch, self.choose = sound, folder, scratch, choose
        self.faults, self.statuses = [], {}
        self.count = 0

    def fault(self, text, told):
        self.faults.append("%s: %s\n%s" % (" ".join(told.args), text, told))

    def run(self, store, args, text=None):
        told = run(self.sound, store, args, text)
        self.count += 1
        for fault in faults_of(told):
            self.fault(fault, told)
        return told

    def all(self):
        fsck = None
        damage_told = []
        for only_reads, args, text in self.choose(commands(self.sound)):
            store = copied(self.folder, self.scratch)
            before = state_of(self.scratch)
            told = self.run(store, args, text)
            self.statuses[" ".join(args)] = told.status
            after = state_of(self.scratch)
            if only_reads and after != before:
                self.fault("it wrote: %s" % sorted(
                    n for n in set(before) | set(after) if before.get(n) != after.get(n)), told)
            if args == ["db", "fsck"]:
                fsck = told
            elif told.status == 6:
                damage_told.append(told)
        if fsck is not None and fsck.status != 6:
            for told in damage_told:
                self.fault("fsck saw nothing: %s" % fsck.status, told)
        self.repair()

    def repair(self):
        """What is repaired is sound, or the same is said again."""
        store = copied(self.folder, self.scratch)
        first = self.run(store, ["db", "fsck", "--repair"])
        again = self.run(store, ["db", "fsck"])
        if (first.status == 0) != (again.status == 0) or again.status not in (0, 2, 6):
            self.fault("after a repair that ended with %s" % first.status, again)
        if first.status == 6:
            second = self.run(store, ["db", "fsck", "--repair"])
            if "(repaired)" in second.out:
                self.fault("repairs once more", second)
        if again.status != 0:
            return again.status
        for only_reads, args, text in self.choose(commands(self.sound)):
            if args[0] == "db" and args[1] != "info":
                continue
            told = self.run(store if only_reads else copied_again(store, self.scratch), args, text)
            if told.status == 6:
                self.fault("fsck says that all is well", told)
        return 0


def copied_again(store, scratch):
    to = scratch + "-again"
    return copied(os.path.dirname(store), to)
