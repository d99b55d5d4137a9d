#!/usr/bin/env python3
"""A site search: a full-text index of SQLite that follows the sites.

    freshet run --fetch --texts texts &
    feed_fts5.py texts search.db              # follow: from cron, each minute
    feed_fts5.py texts search.db green tea    # follow, and find

The folder of texts has what pages say; 'freshet changes' says which pages are to
be found.  It may be killed at any time: what was read of the texts is stored with
how far that went, and a batch of changes is acknowledged after its commit.
"""
import glob
import json
import os
import sqlite3
import subprocess
import sys
import zlib

TABLES = """
CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, url TEXT UNIQUE,
    listed INTEGER NOT NULL DEFAULT 0);    -- 1: to be found; 2: likewise, until a reset is over
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (title, text);
CREATE TABLE IF NOT EXISTS archive (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL);"""
FIND = """SELECT coalesce(title, ''), url, snippet(search, 1, '[', ']', '…', 16)
    FROM search JOIN page ON page.id = search.rowid WHERE search MATCH ? AND listed > 0
    ORDER BY rank LIMIT 10"""


def changes(*words, **options):
    return subprocess.run([os.environ.get("FRESHET", "freshet"), "changes", *words], stdout=subprocess.PIPE,
                          encoding="utf-8", **{"check": True, **options}).stdout


def members(path, at):
    """The gzip members behind a place in a file that still grows, and where each ends."""
    with open(path, "rb") as file:
        file.seek(at)
        text, packed, unpacker = b"", b"", zlib.decompressobj(31)
        while packed := packed or file.read(65536):
            text += unpacker.decompress(packed)
            at, packed = at + len(packed) - len(unpacker.unused_data), unpacker.unused_data
            if unpacker.eof:
                yield text, at
                text, unpacker = b"", zlib.decompressobj(31)


def read_texts(db, folder):
    for path in sorted(glob.glob(folder + "/*.jsonl.gz*")):
        file = os.path.basename(path).removesuffix(".open")  # as long as it grows
        at, = db.execute("SELECT coalesce(max(bytes), 0) FROM archive WHERE file = ?", (file,)).fetchone()
        try:
            with db:
                for lines, at in members(path, at):
                    for page in filter(lambda page: page.get("text"), map(json.loads, lines.splitlines())):
                        db.execute("INSERT INTO page (url) VALUES (:url) ON CONFLICT DO NOTHING", page)
                        db.execute("INSERT OR REPLACE INTO search (rowid, title, text)"
                                   " SELECT id, :title, :text FROM page WHERE url = :url", page)
                    db.execute("INSERT OR REPLACE INTO archive VALUES (?, ?)", (file, at))
        except FileNotFoundError:
            pass  # it got its last name just now: next time
        except zlib.error:  # the disk was full, and what was read is not there any more: next time from the beginning
            with db:
                db.execute("DELETE FROM archive WHERE file = ?", (file,))


def follow(db, consumer):
    more = True
    while more:
        *lines, last = map(json.loads, changes("--consumer", consumer).splitlines())
        more = last["more"]  # the batch was cut if its last line has none
        with db:
            for line in lines:
                if line["type"] == "reset":
                    db.execute("UPDATE page SET listed = 2 WHERE listed > 0")
                else:
                    db.execute("INSERT INTO page (url, listed) VALUES (?1, ?2)"
                               " ON CONFLICT DO UPDATE SET listed = ?2", (line["url"], line["type"] == "upsert"))
            if not more:
                db.execute("UPDATE page SET listed = 0 WHERE listed = 2")
        changes("--consumer", consumer, "--ack", "-", input=last["cursor"])


def main(folder, path, *words):
    consumer = os.path.basename(path).partition(".")[0]
    if not os.path.exists(path):  # a new index is told all pages
        changes("--forget", consumer, check=False, stderr=subprocess.DEVNULL)
    db = sqlite3.connect(path)
    db.executescript(TABLES)
    read_texts(db, folder)
    follow(db, consumer)
    for title, url, text in db.execute(FIND, (" ".join('"%s"' % word.replace('"', "") for word in words),)) if words else ():
        print("%s\n  %s\n  %s" % (title, url, " ".join(text.split())))


if __name__ == "__main__":
    main(*sys.argv[1:])
