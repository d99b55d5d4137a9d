#!/usr/bin/env python3
"""Keeps a full-text index of SQLite in step with the pages that sites list.

    feed_fts5.py CONSUMER DATABASE [TAG...]
    sqlite3 DATABASE "SELECT url FROM search WHERE search MATCH 'tea'"

text_of() indexes the words of the URL; put your own fetching and extracting
there.  Each batch is one transaction, and is acknowledged after its commit.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys

FRESHET = os.environ.get("FRESHET", "freshet")
BELIEVED = 0.3  # a date that is believed less is no reason to fetch a page again

TABLES = """
CREATE TABLE IF NOT EXISTS page (id INTEGER PRIMARY KEY, url TEXT UNIQUE, lastmod TEXT,
                                 is_stale INTEGER NOT NULL DEFAULT 0);
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (url UNINDEXED, text);
"""


def text_of(url):
    return " ".join(re.findall(r"[^\W_]+", url.split("://", 1)[1].partition("/")[2]))


def freshet(*args, text=None):
    return subprocess.run([FRESHET, "changes", *args], input=text, check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def delete(db, where, *values):
    db.execute("DELETE FROM search WHERE rowid IN (SELECT id FROM page WHERE %s)" % where, values)
    db.execute("DELETE FROM page WHERE %s" % where, values)


def upsert(db, line):
    known = db.execute("SELECT id FROM page WHERE url = ?", (line["url"],)).fetchone()
    db.execute("INSERT INTO page (url, lastmod) VALUES (:url, :lastmod)"
               " ON CONFLICT (url) DO UPDATE SET lastmod = :lastmod, is_stale = 0", line)
    if known is None or line["believed"] >= BELIEVED:
        row, = db.execute("SELECT id FROM page WHERE url = ?", (line["url"],)).fetchone()
        db.execute("DELETE FROM search WHERE rowid = ?", (row,))
        db.execute("INSERT INTO search (rowid, url, text) VALUES (?, ?, ?)",
                   (row, line["url"], text_of(line["url"])))


def sync(consumer, path, tags):
    tags = [arg for tag in tags for arg in ("--tag", tag)]
    db = sqlite3.connect(path)
    db.executescript(TABLES)
    more = True
    while more:
        lines = [json.loads(line) for line in freshet("--consumer", consumer, *tags).splitlines()]
        last = lines.pop()              # freshet failed if this is no cursor
        with db:
            for line in lines:
                if line["type"] == "reset":
                    db.execute("UPDATE page SET is_stale = 1")
                elif line["type"] == "delete":
                    delete(db, "url = ?", line["url"])
                elif line["type"] == "upsert":
                    upsert(db, line)
            more = last["more"]
            if not more:
                delete(db, "is_stale")
        freshet("--consumer", consumer, "--ack", "-", text=last["cursor"])
    db.close()


if __name__ == "__main__":
    sync(sys.argv[1], sys.argv[2], sys.argv[3:])
