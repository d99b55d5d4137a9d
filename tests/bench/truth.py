"""What a corpus lists, by Python's own parser, and what a store must hold.

The truth of a generation is one count and one digest for each sitemap, over
the sorted lines `loc TAB lastmod`: as long as the corpus is large, and quick
to compare with.  It lies beside the corpus, so that it is computed once.
"""
import hashlib
import itertools
import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))

import reader  # noqa: E402

KINDS = ("added", "removed", "returned", "redated", "gone")


def in_utc(date):
    """A lastmod of the generator as an export gives it."""
    date = date.replace("+00:00", "Z")
    if "." in date:
        whole, _, fraction = date[:-1].partition(".")
        date = "%s.%sZ" % (whole, fraction.rstrip("0") or "0")
    return date


def listed(path):
    """{loc: lastmod} of one file."""
    return {loc: in_utc(date) for loc, date in reader.entries(reader.load(path))}


def digest_of(lines):
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def judge(job):
    """(document, [count, digest], {kind: [lines]}) of one child."""
    document, old, new = job
    entries = listed(new)
    changes = {}
    if old is not None and not os.path.samefile(old, new):
        before = listed(old)
        for kind, locs in (("added", entries.keys() - before.keys()),
                           ("removed", before.keys() - entries.keys()),
                           ("redated", [loc for loc in entries.keys() & before.keys()
                                        if entries[loc] != before[loc]])):
            changes[kind] = ["%s\t%s\t%s\n" % (kind, document, loc) for loc in locs]
    return document, [len(entries), digest_of(
        "%s\t%s\n" % pair for pair in entries.items())], changes


def jobs(corpus, generation):
    for host in corpus.hosts:
        folder = os.path.join(corpus.folder, generation, host)
        for name in sorted(os.listdir(folder)):
            if name.startswith("sitemap-"):
                old = None
                if generation != "v1":
                    old = os.path.join(corpus.folder, "v1", host, name)
                yield ("http://%s:%d/%s" % (host, corpus.port, name), old,
                       os.path.join(folder, name))


def worker_begins():
    """The handler of the parent would only note the SIGTERM of a pool's end, and a
    worker that begins to wait in that moment would do so for ever."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def compute(corpus, generation):
    documents = {}
    changes = dict.fromkeys(KINDS, 0)
    lines = []
    with multiprocessing.Pool(initializer=worker_begins) as pool:
        for document, found, changed in pool.imap_unordered(judge, jobs(corpus, generation), 4):
            documents[document] = found
            for kind, of_kind in changed.items():
                changes[kind] += len(of_kind)
                lines += of_kind
        # nobody is ended who is about to wait for the next job
        pool.close()
        pool.join()
    return {"documents": documents, "urls": sum(n for n, _ in documents.values()),
            "changes": changes, "changes_digest": digest_of(lines)}


def of(corpus, generation):
    """The truth of that generation, and of what differs from v1."""
    path = os.path.join(corpus.folder, "truth-%s.json" % generation)
    if not os.path.exists(path):
        truth = compute(corpus, generation)
        if truth["urls"] != corpus.manifest[generation]["urls"]:
            sys.exit("the corpus lists %d URLs, its manifest says %d" % (
                truth["urls"], corpus.manifest[generation]["urls"]))
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(truth, f)
        os.replace(path + ".new", path)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def export(binary, store, *options):
    """The lines of `export -f tsv`, without the heading."""
    process = subprocess.Popen(
        [binary, "export", "--store", store, "-f", "tsv"] + list(options),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=1 << 20)
    try:
        next(process.stdout, None)
        yield from process.stdout
    finally:
        process.stdout.close()
        if process.wait() != 0:
            yield b"export failed: exit status %d\n" % process.returncode


def stored(binary, store):
    """{document: [count, digest]} of what the store lists."""
    found = {}
    lines = export(binary, store, "--by", "document", "--columns",
                   "document,loc,lastmod")
    for document, group in itertools.groupby(lines, lambda line: line.partition(b"\t")[0]):
        sha = hashlib.sha256()
        count = 0
        for line in group:
            sha.update(line[len(document) + 1:])
            count += 1
        name = document.decode()
        # a document that comes twice is wrong whatever it lists
        found[name if name not in found else name + " again"] = [count, sha.hexdigest()]
    return found


def changes_stored(binary, store, pages):
    """Digest over the changes to pages that the latest readings saw."""
    return digest_of(line.decode() for line in export(
        binary, store, "--changes", "--columns", "kind,document,loc")
        if line.split(b"\t")[1].decode() in pages)


def tables(store):
    """What SQLite finds: documents and entries by kind, and of the sitemaps
    the outcomes and the changes of their latest readings."""
    db = sqlite3.connect("file:%s?mode=ro" % store, uri=True)
    try:
        kinds = {kind: (documents, entries) for kind, documents, entries in db.execute(
            "SELECT kind, count(*), sum(entries) FROM document GROUP BY kind")}
        latest = ("FROM document d JOIN reading r ON r.id = d.last_reading_id"
                  " WHERE d.kind = 'urlset'")
        outcomes = dict(db.execute("SELECT r.outcome, count(*) " + latest + " GROUP BY 1"))
        totals = db.execute("SELECT %s %s" % (
            ", ".join("total(r.%s)" % kind for kind in KINDS), latest)).fetchone()
        return kinds, outcomes, dict(zip(KINDS, map(int, totals)))
    finally:
        db.close()


def faults(binary, store, corpus, wanted, outcome, changes):
    """Yield what is wrong with a store: (what, got, wanted).

    outcome: of the latest reading of every sitemap; changes: {kind: count} of
    these readings, or None: those of wanted.
    """
    kinds, outcomes, totals = tables(store)
    sitemaps = len(wanted["documents"])
    yield "sitemaps", kinds.get("urlset"), (sitemaps, wanted["urls"])
    yield "indexes", kinds.get("index"), (len(corpus.hosts), sitemaps)
    yield "outcomes", outcomes, {outcome: sitemaps}
    yield "changes", totals, dict(dict.fromkeys(KINDS, 0),
                                  **(wanted["changes"] if changes is None else changes))
    got = stored(binary, store)
    yield "documents exported", len(got), sitemaps
    yield "URLs exported", sum(n for n, _ in got.values()), wanted["urls"]
    for document, found in wanted["documents"].items():
        if got.get(document) != found:
            yield "entries of " + document, got.get(document), found
            break
    if changes is None:
        yield "changes exported", changes_stored(
            binary, store, wanted["documents"]), wanted["changes_digest"]
