#!/usr/bin/env python3
"""Keeps a JSON file in step with the pages that sites list.

    feed_json.py CONSUMER FILE [TAG...]

FILE has {"pages": {URL: {"lastmod": ..., "changed": N}}, "stale": [...]}.  Run
this from cron, or after each 'freshet crawl'.  It may be killed at any time:
the file is replaced as a whole, and a batch is acknowledged only when it is in
the file.  Until then freshet tells the same again.
"""
import json
import os
import subprocess
import sys

FRESHET = os.environ.get("FRESHET", "freshet")
BELIEVED = 0.3  # dates of a site that re-dates all its pages count for less


def freshet(*args, text=None):
    return subprocess.run([FRESHET, "changes", *args], input=text, check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def load(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return {"pages": {}, "stale": []}


def save(path, copy):
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(copy, f, indent=1, sort_keys=True)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + ".new", path)


def apply(copy, lines):
    """Apply all lines of a batch but the last."""
    pages, stale = copy["pages"], set(copy["stale"])
    for line in lines:
        if line["type"] == "reset":     # what is not told again is to go
            stale = set(pages)
        elif line["type"] == "delete":
            pages.pop(line["url"], None)
        elif line["type"] == "upsert":
            page = pages.setdefault(line["url"], {"changed": 0})
            page["lastmod"] = line["lastmod"]
            if line["believed"] >= BELIEVED:
                page["changed"] += 1    # fetch and index it again here
            stale.discard(line["url"])
    copy["stale"] = sorted(stale & set(pages))


def sync(consumer, path, tags):
    tags = [arg for tag in tags for arg in ("--tag", tag)]
    more = True
    while more:
        lines = [json.loads(line) for line in freshet("--consumer", consumer, *tags).splitlines()]
        last = lines.pop()              # freshet failed if this is no cursor
        copy = load(path)
        apply(copy, lines)
        more = last["more"]
        if not more:                    # the snapshot after a reset is whole
            for url in copy["stale"]:
                del copy["pages"][url]
            copy["stale"] = []
        save(path, copy)
        freshet("--consumer", consumer, "--ack", "-", text=last["cursor"])


if __name__ == "__main__":
    sync(sys.argv[1], sys.argv[2], sys.argv[3:])
