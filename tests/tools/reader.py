"""Reads sitemaps in another way than freshet does: the judge of its output.

Python's own XML parser and gzip, no normalisation: for documents whose URLs
are written in normal form already.
"""
import calendar
import gzip
import os
import re
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"

PRECISIONS = {4: "year", 7: "month", 10: "day"}


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    while data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data


def entries(data):
    """[(loc, lastmod text or None)] in order, of a urlset or an index."""
    root = ElementTree.fromstring(data)
    found = []
    for entry in root:
        loc = entry.find(NAMESPACE + "loc")
        if loc is None or not (loc.text or "").strip():
            continue
        date = entry.find(NAMESPACE + "lastmod")
        text = (date.text or "").strip() if date is not None else ""
        found.append((loc.text.strip(), text or None))
    return found


def instant(text):
    """(seconds since the Epoch, nanoseconds, precision) of a W3C date."""
    if text is None:
        return None
    match = re.fullmatch(
        r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?"
        r"(Z|[+-]\d\d:\d\d)?)?)?)?", text)
    if match is None:
        raise ValueError("no date: %r" % text)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    seconds = calendar.timegm((int(year), int(month or 1), int(day or 1), int(hour or 0),
                               int(minute or 0), int(second or 0)))
    if zone and zone != "Z":
        away = int(zone[1:3]) * 3600 + int(zone[4:6]) * 60
        seconds -= away if zone[0] == "+" else -away
    nanos = int(((fraction or "") + "0" * 9)[:9])
    if hour is None:
        precision = PRECISIONS[len(text)]
    else:
        precision = "fraction" if fraction else "second" if second else "minute"
    return seconds, nanos, precision


def corpus(root, host, port, folder="/"):
    """{document URL: [(loc, lastmod)]} of one generation of gen_corpus.py."""
    base = "http://%s:%d%s" % (host, port, folder)
    top = os.path.join(root, host, folder.strip("/"))
    return {base + name: entries(load(os.path.join(top, name)))
            for name in sorted(os.listdir(top)) if name.startswith("sitemap")}
