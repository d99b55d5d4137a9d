"""What is measured: groups of runs over one corpus each."""
import collections
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import urllib.request

import corpora
import truth
from measure import measure

CONNECT = "::127.0.0.1:%d"


class Mode(collections.namedtuple("Mode", "name group needs")):
    """needs: modes of the same group whose run comes before."""


MODES = {mode.name: mode for mode in (
    Mode("z", "main", ()),
    Mode("start", "main", ()),
    Mode("curl.start", "main", ("start",)),
    Mode("curl.same", "main", ("same",)),
    Mode("first", "main", ()),
    Mode("same", "main", ("first",)),
    Mode("digest", "main", ("first",)),
    Mode("changed", "main", ("first",)),
    Mode("adjacent", "main", ("first",)),
    Mode("check", "main", ("first",)),
    Mode("download", "main", ()),
    Mode("inflate", "main", ()),
    Mode("grep", "main", ()),
    Mode("small.z", "small", ()),
    Mode("small", "small", ("small.z",)),
    Mode("small.same", "small", ("small",)),
    Mode("hosts.z", "hosts", ()),
    Mode("hosts", "hosts", ("hosts.z",)),
    Mode("hosts.same", "hosts", ("hosts",)),
    Mode("polite", "hosts", ()),
    Mode("hosts.look", "hosts", ("hosts",)),
    Mode("large.z", "large", ()),
    Mode("large", "large", ("large.z",)),
    Mode("large.look", "large", ("large",)),
    Mode("fsck", "large", ("large",)),
    Mode("backup", "large", ("large",)),
    Mode("large.same", "large", ("large",)),
    Mode("one", "main", ("first",)),
    Mode("large.one", "large", ("large",)),
    Mode("queue", "sched", ()),
    Mode("decisions", "sched", ()),
    Mode("brute", "sched", ()),
    Mode("leases", "pages", ()),
    Mode("frontier", "pages", ()),
)}
# those that crawl a corpus
GROUPS = ("main", "small", "hosts", "large")
# a run of these takes long: not in every round
SLOW = {"polite", "decisions", "brute", "leases", "frontier", "large.z", "large", "large.look",
        "fsck", "backup", "large.same", "large.one"}
MAX_SLOW_ROUNDS = 3
FRONTIER_SITES = 1000
DELAY_S = 1.0
# simulated
DECISIONS_DAYS = "20"
BRUTE_DAYS = "60"
BRUTE_SEEDS = "4"
LOOKS = 20


def closure(names):
    """The modes of these names and what they need, in order."""
    wanted = set()
    if any(MODES[name].group in GROUPS for name in names):
        wanted |= {"z", "start"}
    todo = list(names)
    while todo:
        name = todo.pop()
        wanted.add(name)
        todo += MODES[name].needs
    return [name for name in MODES if name in wanted]


class Bench:
    """runs[mode][round] is what measure() gave, with further members:
    requests, stored (bytes of the store), gap (s)."""

    def __init__(self, programs, folder, sizes):
        self.binary, self.inflate, self.sched, self.leases, self.frontier = programs
        self.sizes = sizes
        self.folder = folder
        self.server = corpora.Server(os.path.join(folder, "server"))
        self.corpora = {}
        self.runs = {name: {} for name in MODES}
        self.wrong = 0
        self.round = 0
        self.env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8",
                    "TMPDIR": folder}

    def close(self):
        self.server.close()

    # --- what each run is checked with -----------------------------------

    def check(self, mode, what, got, wanted):
        if got != wanted:
            self.wrong += 1
            print("WRONG %s, round %d: %s: %s, should be %s" % (
                mode, self.round + 1, what, got, wanted), file=sys.stderr)

    def keep(self, mode, run):
        self.check(mode, "exit status", run["status"], 0)
        if run["status"] != 0:
            print(run["err"][-2000:], file=sys.stderr)
        self.runs[mode][self.round] = run
        return run

    # --- runs without a store --------------------------------------------

    def start(self):
        self.keep("start", measure([self.binary, "version"], self.env))

    def curl_start(self):
        self.keep("curl.start", measure(["curl", "--version"], self.env))

    def curl_same(self, corpus):
        """The same conditional requests by curl, which knows nothing of sitemaps."""
        self.server.serve(corpus)
        requests = []
        for url in [target + "robots.txt" for target in corpus.targets()] + corpus.locations():
            with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as answer:
                tag = answer.headers["ETag"]
            requests.append('url = "%s"\nheader = "If-None-Match: %s"\n'
                            % (url, tag.replace('"', '\\"')))
        self.server.requests(len(requests))  # the last of them is logged, too
        self.server.nginx.forget()
        self.keep("curl.same", measure(["curl", "-s", "-K", "-"], self.env,
                                       "next\nsilent\n".join(requests).encode()))
        log = self.server.requests(len(requests))
        self.check("curl.same", "statuses", {r["status"] for r in log}, {"304"})

    def sink(self, mode, corpus, options, names):
        """The measure itself: the bytes it counts are the corpus's."""
        run = self.keep(mode, measure([self.inflate] + options, self.env,
                                      "\n".join(names).encode()))
        indexes = sum(os.path.getsize(path) for path in corpus.files()
                      if path.endswith(".xml"))
        wire = corpus.manifest["file_bytes"] + indexes
        inflated = corpus.manifest["xml_bytes"] + indexes
        self.check(mode, "bytes and files", run["out"].split(), [
            str(n) for n in (wire, wire if "-d" in options else inflated, len(names))])

    def z(self, mode, corpus, *options):
        self.server.serve(corpus)
        self.sink(mode, corpus, ["-c", CONNECT % corpus.port] + list(options),
                  corpus.locations())

    def grep(self, corpus):
        """What one would do by hand; it stores nothing."""
        self.server.serve(corpus)
        locations = [url for url in corpus.locations() if url.endswith(".gz")]
        run = self.keep("grep", measure(
            ["sh", "-c", "xargs curl -s | zcat | grep -o '<loc>[^<]*</loc>' | wc -l"],
            self.env, "\n".join(locations).encode()))
        self.check("grep", "lines", run["out"].strip(), str(corpus.urls))

    # --- crawls ------------------------------------------------------------

    def store(self, corpus_name):
        return os.path.join(self.folder, corpus_name + ".db")

    def forget(self, store):
        for suffix in ("", "-wal", "-shm", ".lock"):
            if os.path.exists(store + suffix):
                os.unlink(store + suffix)

    def crawl(self, mode, corpus, store, *options):
        run = measure([self.binary, "crawl", "--json", "--progress", "off", "--store", store,
                       "--connect-to", CONNECT % corpus.port] + list(options) + ["-"],
                      self.env, "".join(t + "\n" for t in corpus.targets()).encode())
        self.keep(mode, run)
        said = [json.loads(line) for line in run["out"].splitlines() if line.startswith("{")]
        run["out"] = ""
        summary = said[-1] if said else {}
        log = self.server.requests(summary.get("requests", 0))
        run["requests"] = len(log)
        run["stored"] = sum(os.path.getsize(store + suffix) for suffix in ("", "-wal")
                            if os.path.exists(store + suffix))
        self.check(mode, "requests", summary.get("requests"), len(log))
        return summary, log

    def judge(self, mode, corpus, store, generation, outcome, changes=None):
        for what, got, wanted in truth.faults(
                self.binary, store, corpus, corpus.truth(generation), outcome, changes):
            self.check(mode, what, got, wanted)

    def documents(self, corpus):
        return len(corpus.hosts) * (corpus.children + 1)

    def first(self, mode, corpus, store, *options):
        self.forget(store)
        self.server.serve(corpus)
        summary, log = self.crawl(mode, corpus, store, *options)
        self.check(mode, "URLs listed", summary.get("urls", {}).get("listed"), corpus.urls)
        self.check(mode, "requests of a host", {
            count for count in collections.Counter(r["host"] for r in log).values()},
            {corpus.children + 2})
        self.judge(mode, corpus, store, "v1", "read", {})
        return log

    def report(self, corpus):
        """check: all that crawl does, and nothing is kept."""
        self.server.serve(corpus)
        run = self.keep("check", measure(
            [self.binary, "check", "--format", "json", "--delay", "0", "--connect-to",
             CONNECT % corpus.port] + corpus.targets(), self.env))
        said = [json.loads(line) for line in run["out"].splitlines()]
        run["out"] = ""
        summary = said[-1] if said else {}
        self.check("check", "sitemaps and URLs",
                   (summary.get("sitemaps"), summary.get("urls")),
                   (self.documents(corpus), corpus.urls))

    def unchanged(self, mode, corpus, store, has_validators):
        self.server.serve(corpus, "v1", has_validators)
        _, log = self.crawl(mode, corpus, store, "--delay", "0")
        statuses = collections.Counter(
            r["status"] for r in log if r["uri"] != "/robots.txt")
        self.check(mode, "statuses", dict(statuses), {
            "304" if has_validators else "200": self.documents(corpus)})
        self.judge(mode, corpus, store, "v1", "unchanged", {})

    def changed(self, corpus, store):
        self.server.serve(corpus, "v2")
        self.crawl("changed", corpus, store, "--delay", "0")
        self.judge("changed", corpus, store, "v2", "read")
        manifest = corpus.manifest["v2"]
        changes = corpus.truth("v2")["changes"]
        self.check("changed", "what the manifest says", changes, {
            "added": manifest["added"], "removed": manifest["removed"], "returned": 0,
            "redated": manifest["touched"], "gone": 0})

    def adjacent(self, corpus):
        """In a store of its own, because `changed` leaves v2 in that of `first`."""
        store = self.store("adjacent")
        corpus.make_adjacent()
        self.forget(store)
        self.server.serve(corpus)
        self.crawl("adjacent", corpus, store, "--delay", "0")
        self.server.serve(corpus, "v3")
        self.crawl("adjacent", corpus, store, "--delay", "0")
        self.judge("adjacent", corpus, store, "v3", "read")
        self.check("adjacent", "changes", {
            kind for kind, n in corpus.truth("v3")["changes"].items() if n > 0}, {"redated"})

    # --- what is done with a store ------------------------------------------

    def some_entries(self, corpus):
        """LOOKS rows that the store must have: (document, loc, lastmod)."""
        rng = random.Random("look %d" % self.round)
        found = []
        for _ in range(4):
            host, child = rng.choice(corpus.hosts), rng.randrange(corpus.children)
            name = corpus.names()[child + 1]
            path = os.path.join(corpus.folder, "v1", host, name)
            found += [("http://%s:%d/%s" % (host, corpus.port, name), loc, date)
                      for loc, date in rng.sample(sorted(truth.listed(path).items()), LOOKS // 4)]
        return found

    def look(self, mode, corpus, store):
        """Some URLs, one by one, and one that nobody lists."""
        runs = []
        wanted = [(loc, "\t".join((document, loc, date)) + "\n")
                  for document, loc, date in self.some_entries(corpus)]
        for loc, row in wanted + [(wanted[0][0] + "-", "")]:
            run = self.keep(mode, measure(
                [self.binary, "sql", "--store", store, "-f", "tsv",
                 "SELECT document, loc, lastmod FROM url WHERE loc = '%s'" % loc], self.env))
            self.check(mode, "the row of " + loc, run["out"], "document\tloc\tlastmod\n" + row)
            runs.append(run)
        runs[-1]["longest"] = max(run["wall"] for run in runs)
        runs[-1]["wall"] = statistics.median(run["wall"] for run in runs)
        runs[-1]["cpu"] = statistics.median(run["cpu"] for run in runs)

    def fsck(self, corpus, store):
        run = self.keep("fsck", measure([self.binary, "db", "fsck", "--store", store], self.env))
        entries = "{:,} entries".format(corpus.urls + len(corpus.hosts) * corpus.children)
        said = run["out"].partition("\n")[0]
        self.check("fsck", "what it found", (entries in said, said.endswith(": all is well")),
                   (True, True))

    def backup(self, corpus, store):
        copy = self.store("copy")
        self.forget(copy)
        self.keep("backup", measure([self.binary, "db", "backup", "--store", store, copy],
                                    self.env))
        self.judge("backup", corpus, copy, "v1", "read", {})
        self.forget(copy)

    def scheduler(self, mode):
        """The scheduler, or its calendar alone, in virtual time."""
        entries, pages, few = self.sizes["sched"].split("x")
        run = self.keep(mode, measure([self.sched, mode] + {
            "queue": [entries, entries], "decisions": [pages, DECISIONS_DAYS],
            "brute": [few, BRUTE_DAYS, BRUTE_SEEDS]}[mode], self.env))
        run["costs"] = {name: float(value) for name, value in (
            line.split() for line in run["out"].splitlines())}
        wanted = {"queue": ("count", float(entries)), "decisions": ("same", 1.0),
                  "brute": None}[mode]
        if wanted:
            self.check(mode, wanted[0], run["costs"].get(wanted[0]), wanted[1])

    def lease_pages(self, name, program, what, wanted):
        """Pages leased and completed: through the store, at random; and with all that stands
        behind it, of a thousand sites."""
        pages, pairs = self.sizes["pages"].split("x")
        folder = os.path.join(self.folder, name)
        if name == "frontier":
            pages = [str(min(FRONTIER_SITES, int(pages))), pages]
        else:
            pages = [pages]
        os.mkdir(folder)
        try:
            run = self.keep(name, measure(program + [folder] + pages + [pairs], self.env))
        finally:
            shutil.rmtree(folder)
        run["costs"] = {name: float(value) for name, value in (
            line.split() for line in run["out"].splitlines())}
        self.check(name, what, run["costs"].get(what), wanted)

    def polite(self, corpus, store):
        log = self.first("polite", corpus, store, "--delay", "%gs" % DELAY_S)
        last = {}
        gaps = []
        for request in log:
            at = float(request["time"])
            if request["host"] in last:
                gaps.append(at - last[request["host"]])
            last[request["host"]] = at
        run = self.runs["polite"][self.round]
        run["gap"] = min(gaps, default=0)
        run["ideal"] = (corpus.children + 1) * DELAY_S
        # the log says when an answer was out, not when it was asked for
        self.check("polite", "no two requests of a host at once",
                   run["gap"] >= DELAY_S / 2, True)

    def test_itself(self):
        """A store that holds the wrong generation is found to be wrong."""
        corpus = self.corpora["main"]
        store = self.store("main")
        self.forget(store)
        self.server.serve(corpus)
        self.crawl("first", corpus, store, "--delay", "0")
        noticed = {what.partition(" of ")[0] for what, got, wanted in truth.faults(
            self.binary, store, corpus, corpus.truth("v2"), "unchanged", None) if got != wanted}
        self.check("first", "what the check notices", noticed, {
            "outcomes", "changes", "entries", "changes exported"})
        self.forget(store)

    # --- one round ------------------------------------------------------------

    def run_round(self, number, modes):
        self.round = number
        for name in modes:
            if name in SLOW and number >= MAX_SLOW_ROUNDS:
                continue
            group = MODES[name].group
            self.run_mode(name, self.corpora.get(group), self.store(group))
            print("round %d: %-10s CPU %.3f s, wall %.3f s" % (
                number + 1, name, self.runs[name][number]["cpu"],
                self.runs[name][number]["wall"]), file=sys.stderr)
        for name in GROUPS + ("polite",):
            self.forget(self.store(name))

    def run_mode(self, name, corpus, store):
        if name == "start":
            self.start()
        elif name == "curl.start":
            self.curl_start()
        elif name == "curl.same":
            self.curl_same(corpus)
        elif name.split(".")[-1] == "z":
            self.z(name, corpus)
        elif name == "download":
            self.z(name, corpus, "-d")
        elif name == "inflate":
            self.sink(name, corpus, ["-f"], corpus.files())
        elif name == "grep":
            self.grep(corpus)
        elif name in ("first", "small", "hosts", "large"):
            self.first(name, corpus, store, "--delay", "0")
        elif name in ("one", "large.one"):
            self.first(name, corpus, self.store(name), "--delay", "0", "--readers", "1")
        elif name in ("same", "digest", "small.same", "hosts.same", "large.same"):
            self.unchanged(name, corpus, store, name != "digest")
        elif name == "adjacent":
            self.adjacent(corpus)
        elif name == "changed":
            self.changed(corpus, store)
        elif name == "check":
            self.report(corpus)
        elif MODES[name].group == "sched":
            self.scheduler(name)
        elif name == "leases":
            self.lease_pages(name, [self.leases], "settled",
                          float(self.sizes["pages"].split("x")[0]))
        elif name == "frontier":
            self.lease_pages(name, [self.frontier], "out", 0.0)
        elif name == "polite":
            self.polite(corpus, self.store("polite"))
        elif name.endswith(".look"):
            self.look(name, corpus, store)
        elif name == "fsck":
            self.fsck(corpus, store)
        elif name == "backup":
            self.backup(corpus, store)
        else:
            raise AssertionError(name)


def version_of(binary):
    """The version that the program says."""
    out = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout
    return out.split()[1]
