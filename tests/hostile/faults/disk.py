"""HOSTILE 4.11, E50 to E57: the disk, or who else gets at it: a store with bytes
that nobody wrote, and neighbours that may read its folder."""
import os
import sqlite3
import subprocess
import threading

from origin import whole
from processes import files_of
from scene import fault, index, urlset

NO_URL = "document [0-9]+: url '.*' is no normalised URL"


def site(w, pages=3):
    """A target whose robots.txt has controls, with an index and a child."""
    origin = w.origin()
    origin.put("/robots.txt", whole("User-agent: *\nDisallow: /private\x1b[31m\x07\nSitemap: %s\n"
                                    % origin.url("/index.xml")))
    origin.put("/index.xml", whole(index([origin.url("/s.xml")])))
    origin.put("/s.xml", whole(urlset([origin.url("/p%d" % n) for n in range(pages)])))
    w.targets.append(origin.url("/"))
    return origin


def change(w, *statements):
    """What nobody but a broken disk does to a store."""
    db = sqlite3.connect(w.program.store)
    db.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def told(w, status, word, *args):
    """That command ends so, and says so."""
    run = w.command(*args)
    said = run.err.decode() + run.out.decode()
    w.check(run.status == status, "freshet %s: status %d, not %d: %s",
            " ".join(args), run.status, status, said[-300:])
    w.check(word in said, "freshet %s does not say %r: %s", " ".join(args), word, said[-300:])
    return said


def crawl(w, status, word):
    return told(w, status, word, "crawl", "--allow-address", "127.0.0.1/32", *w.targets)


@fault("E50", does="(the disk) has a document whose URL is none, or at a host that older versions took",
       good="names it, with status 6, whatever is asked; a repair forgets it",
       off="stored-url")
def stored_url(w):
    origin = site(w)
    yield
    for url in ("http://%s.example/" % ("a" * 300), origin.url("/s.xml") + " ", ""):
        w.sub_cases += 1
        change(w, "UPDATE document SET url = '%s' WHERE url = '%s'" % (url, origin.url("/s.xml")))
        for args in (["ls"], ["ls", "--sitemaps"], ["export"], ["explain", origin.url("/index.xml")],
                     ["stats", "--by", "sitemap", origin.address]):
            told(w, 6, "document ", *args)
        crawl(w, 6, "document ")
        told(w, 6, "J10", "db", "fsck")
        told(w, 0, "repaired", "db", "fsck", "--repair")
        crawl(w, 0, "")
        found = w.command("ls", origin.address).out.decode().split()
        w.check(len(found) == 3, "lists %s", found)


@fault("E51", does="(the disk) has times, counts and ids that are none",
       good="names the row and the number, with status 6; a repair mends it",
       off="stored-numbers")
def stored_numbers(w):
    origin = site(w)
    yield
    for column, args in (("document.last_read_s", ["ls", "--sitemaps", "-l"]),
                         ("document.failures", ["ls", "--tree"]),
                         ("reading.at_s", ["stats", origin.address]),
                         ("reading.wire_bytes", ["stats", origin.address]),
                         ("origin.fetched_s", ["explain", origin.url("/p1")])):
        w.sub_cases += 1
        table, name = column.split(".")
        change(w, "UPDATE %s SET %s = 1 << 62" % (table, name))
        told(w, 6, "%s is 4611686018427387904" % name, *args)
        told(w, 6, "J", "db", "fsck")
        told(w, 0, "repaired", "db", "fsck", "--repair")
        crawl(w, 0, "")


@fault("E52", does="(the disk) has lost a block of entries",
       good="names the document, with status 6; a repair forgets what it listed, and it is read anew",
       off="forgetting")
def lost_block(w):
    origin = site(w)
    yield
    for damage in ("UPDATE segment SET data = zeroblob(50)", "DELETE FROM segment"):
        w.sub_cases += 1
        change(w, damage + " WHERE id >> 16 = (SELECT id FROM document WHERE url = '%s')"
               % origin.url("/s.xml"))
        told(w, 6, origin.url("/s.xml"), "ls", origin.address)
        told(w, 6, "J5", "db", "fsck")
        told(w, 0, "to be read anew", "db", "fsck", "--repair")
        told(w, 0, "", "db", "fsck")
        w.check(not w.command("ls", origin.address).out, "it invents what was lost")
        crawl(w, 0, "3 URLs")
        told(w, 0, "", "db", "fsck")


@fault("E53", does="(the disk) has an index that does not know what its table has",
       good="tells what is found; looks at a site without making it; a repair makes the index anew",
       off="looking-makes-nothing")
def lost_index(w):
    origin = site(w)
    yield
    w.command("add", "--tag", "t", origin.url("/"))
    change(w, "UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX x ON site (host) WHERE 0',"
              " name = 'x' WHERE name = 'sqlite_autoindex_site_1' AND 0",
           "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE"
           " name = 'sqlite_autoindex_origin_1') WHERE name = 'sqlite_autoindex_site_1'")
    for args in (["stats", "--tag", "t"], ["explain", origin.url("/p1")]):
        run = w.command(*args)
        w.check(run.status in (0, 6), "%s: status %d: %s", args[0], run.status, run.err.decode()[-300:])
    told(w, 6, "J1", "db", "fsck")


@fault("E54", does="(a neighbour) may read the folder, and the store may only its owner",
       good="lets it read neither a copy nor the lock, with which it could lock writers out",
       off=("lock-mode", "copy-mode"))
def modes(w):
    site(w)
    yield
    store = w.program.store
    os.chmod(store, 0o600)
    os.chmod(store + ".lock", 0o644)  # as older versions made it
    copy = os.path.join(w.program.folder, "copy.db")
    told(w, 0, "", "db", "backup", copy)
    told(w, 0, "", "hold", "h.example", "--for", "1h")
    for path in (copy, store + ".lock"):
        mode = os.stat(path).st_mode & 0o777
        w.check(mode == 0o600, "%s has mode %o", os.path.basename(path), mode)
    os.chmod(store, 0o640)
    os.unlink(copy)
    told(w, 0, "", "db", "backup", copy)
    w.check(os.stat(copy).st_mode & 0o777 == 0o640, "a copy of 640 has another mode")


@fault("E55", does="(a neighbour) holds a lock of SQLite's on the store for longer than is waited for",
       good="says that it is locked, with status 5",
       off="locked-by-others")
def locked(w):
    site(w)
    yield
    db = sqlite3.connect(w.program.store, check_same_thread=False)
    db.execute("BEGIN IMMEDIATE")
    release = threading.Timer(12, db.rollback)
    release.start()
    told(w, 5, "store-locked", "add", "www.example.org")
    release.cancel()
    db.rollback()
    db.close()
    told(w, 0, "", "add", "www.example.org")


@fault("E56", does="(the disk) may be written, and is only to be looked at",
       good="opens nothing of the store for writing but what readers are marked in",
       off="read-only")
def only_reads(w):
    site(w, pages=5000)
    w.args += ["--max-bytes", "8M"]
    yield
    process = subprocess.Popen(
        [w.program.binary, "export", "-f", "jsonl"], env=w.program.environment(),
        cwd=w.program.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdout.read(1)  # it has begun, and its pipe fills up
    written = set()
    for number, path in files_of(process.pid).items():
        with open("/proc/%d/fdinfo/%d" % (process.pid, number), encoding="ascii") as f:
            flags = next(int(line.split()[1], 8) for line in f if line.startswith("flags"))
        if path.startswith(w.program.store) and flags & os.O_ACCMODE != os.O_RDONLY:
            written.add(path[len(w.program.store):])
    process.communicate()
    w.check(written == {"-shm"}, "opens for writing: %s", sorted(written))
    left = [n for n in os.listdir(w.program.folder) if n.startswith("store.db-")]
    w.check("store.db-wal" not in left, "it left %s", left)


@fault("E57", does="has controls in the rule of its robots.txt that decides",
       good="prints nothing that acts, to a pipe, either",
       off="piped-text")
def piped(w):
    origin = site(w)
    yield
    told(w, 4, "it may not be fetched", "explain", origin.url("/private%1B[31m%07"))
    told(w, 1, "", "robots", origin.url("/private%1B[31m%07"))
    change(w, "UPDATE sqlite_schema SET sql = sql || char(27) || '[31m' WHERE name = 'hold'")
    told(w, 6, "store-damaged", "crawl", *w.targets)
    told(w, 6, "store-damaged", "ls")
