"""Medians, ranges and budgets (DESIGN 7) of what was measured."""
import collections
import os
import platform
import statistics
import time

import modes
import table as parts

MB = 1e6


class Row(collections.namedtuple("Row", "text values form ship aim at_least")):
    """One quantity, a value a round; ship and aim may be None."""

    def is_over(self):
        if self.ship is None or not self.values:
            return False
        middle = statistics.median(self.values)
        return middle < self.ship if self.at_least else middle > self.ship

    def limits(self):
        sign = "at least " if self.at_least else ""
        return " | ".join("-" if limit is None else sign + "%g" % limit
                          for limit in (self.ship, self.aim))


def row(text, values, form="%.3g", ship=None, aim=None, at_least=False):
    return Row(text, list(values), form, ship, aim, at_least)


def spread(values, form):
    shown = [form % v for v in (statistics.median(values), min(values), max(values))]
    return shown[0] if len(values) == 1 else "%s (%s to %s)" % tuple(shown)


def paired(bench, first, second):
    """(run of first, run of second) of each round that has both."""
    a, b = bench.runs[first], bench.runs[second]
    return [(a[n], b[n]) for n in sorted(a.keys() & b.keys())]


def values(bench, mode, of):
    return [of(bench.runs[mode][n]) for n in sorted(bench.runs[mode])]


# mode, z, what it is called, ship and aim as ratios to z
COSTS = (
    ("z", "z", "download and inflate, nothing else (*z*)", None, None),
    ("download", "z", "download only", None, None),
    ("inflate", "z", "inflate only, from files", None, None),
    ("grep", "z", "`curl`, `zcat`, `grep -o`: nothing is stored", None, None),
    ("start", "z", "start and end of the program: `freshet version`", None, None),
    ("first", "z", "first consume, rules enforced, durably stored", 1.75, 1.5),
    ("same", "z", "unchanged, validators honoured", 0.02, 0.005),
    ("digest", "z", "unchanged, validators ignored: the digest decides", 0.2, 0.13),
    ("check", "z", "`check`, nothing kept", None, None),
    ("changed", "z", "1 % of the entries changed, in every sitemap", None, None),
    ("adjacent", "z", "1 % changed that stand together in the order of the URLs", None, None),
    ("small.z", "small.z", "download and inflate", None, None),
    ("small", "small.z", "first consume", None, None),
    ("small.same", "small.z", "unchanged, validators honoured", None, None),
    ("hosts.z", "hosts.z", "download and inflate", None, None),
    ("hosts", "hosts.z", "first consume, without delay", None, None),
    ("hosts.same", "hosts.z", "unchanged, validators honoured", None, None),
    ("polite", "hosts.z", "first consume, 1 s between requests to a host", None, None),
    ("large.z", "large.z", "download and inflate", None, None),
    ("large", "large.z", "first consume", 1.75, 1.5),
    ("large.same", "large.z", "unchanged, validators honoured", 0.02, 0.005),
    ("fsck", "large.z", "`db fsck`", None, None),
    ("backup", "large.z", "`db backup`", None, None),
)
TITLES = {"main": "One site of large sitemaps", "small": "One site of small sitemaps",
          "hosts": "Many sites", "large": "A very large site"}
READ = ("first", "changed", "large", "hosts", "polite", "small")
CRAWLS = READ + ("same", "digest", "small.same", "hosts.same", "large.same")


def costs(bench, group):
    for mode, base, text, ship, aim in COSTS:
        if base.split(".")[0] == ("z" if group == "main" else group):
            pairs = paired(bench, mode, base)
            if pairs:
                yield mode, row(text, [a["cpu"] / z["cpu"] for a, z in pairs], "%.3f",
                                ship, aim)


def ratios(bench):
    yield row("1 % changed, CPU against the first consume",
              [a["cpu"] / b["cpu"] for a, b in paired(bench, "changed", "first")],
              "%.2f", 1.25, 1.15)
    yield row("`check` against the first consume, CPU",
              [a["cpu"] / b["cpu"] for a, b in paired(bench, "check", "first")], "%.2f", 1)
    yield row("times cheaper than `curl`, `zcat`, `grep -o`, CPU",
              [a["cpu"] / b["cpu"] for a, b in paired(bench, "grep", "first")],
              "%.2f", 2, 4, True)
    yield row("times faster than `curl`, `zcat`, `grep -o`, wall",
              [a["wall"] / b["wall"] for a, b in paired(bench, "grep", "first")], "%.2f")
    sizes = {mode: bench.corpora[group].urls for mode, group in (
        ("first", "main"), ("large", "large")) if group in bench.corpora}
    yield row("CPU per URL of the very large site against the one site",
              [(a["cpu"] / sizes["large"]) / (b["cpu"] / sizes["first"])
               for a, b in paired(bench, "large", "first")], "%.3f", 1.1, 1.05)
    yield row("wall per URL of the very large site against the one site",
              [(a["wall"] / sizes["large"]) / (b["wall"] / sizes["first"])
               for a, b in paired(bench, "large", "first")], "%.3f")
    for mode, base, text in (("first", "one", "the one site"),
                             ("large", "large.one", "the very large site")):
        yield row("wall with two readers against one, " + text,
                  [a["wall"] / b["wall"] for a, b in paired(bench, mode, base)],
                  "%.2f", 0.7)
    yield row("start and end of the program against `curl --version`, CPU",
              [a["cpu"] / b["cpu"] for a, b in paired(bench, "start", "curl.start")],
              "%.2f", 1)
    yield row("unchanged against `curl` for the same requests, CPU",
              [a["cpu"] / b["cpu"] for a, b in paired(bench, "same", "curl.same")],
              "%.2f", 1.5)
    yield row("CPU per conditional request, us; one host",
              [(a["cpu"] - b["cpu"]) / a["requests"] * 1e6
               for a, b in paired(bench, "small.same", "start")], "%.0f", 175, 90)
    yield row("CPU per conditional request, us; many hosts",
              [(a["cpu"] - b["cpu"]) / a["requests"] * 1e6
               for a, b in paired(bench, "hosts.same", "start")], "%.0f", 160, 90)
    yield row("many sites, 1 s between requests to a host: wall against the ideal",
              values(bench, "polite", lambda r: r["wall"] / r["ideal"]), "%.3f", 1.15, 1.08)
    yield row("least time between two answers to one host then, s",
              values(bench, "polite", lambda r: r["gap"]), "%.3f")


def looks(bench):
    for mode, group in (("large.look", "large"), ("hosts.look", "hosts")):
        if group in bench.corpora:
            corpus = bench.corpora[group]
            what = "{:,} URLs in {:,} sitemaps, the program's start included, ms".format(
                corpus.urls, len(corpus.hosts) * corpus.children)
            yield row("one URL looked up among " + what,
                      values(bench, mode, lambda r: r["wall"] * 1e3), "%.1f", 50)
            yield row("the longest look-up among " + what,
                      values(bench, mode, lambda r: r["longest"] * 1e3), "%.1f", 50)


def queue(bench):
    """SCHEDULING F.5, alone."""
    def row_of(text, name, form, ship=None, aim=None, scale=1):
        return row(text, values(bench, "queue", lambda r: r["costs"][name] * scale),
                   form, ship, aim)
    yield row_of("one put into it, ns", "fill_ns", "%.0f")
    yield row_of("one that is due taken and put again, ns", "again_ns", "%.0f", 1000, 250)
    yield row_of("the same, and another put to an earlier or later time, ns", "signal_ns",
                 "%.0f", 1000)
    yield row_of("bytes an entry", "bytes", "%.2f", 20, 13)
    yield row_of("bytes an entry then", "signal_bytes", "%.2f", 20)
    yield row_of("the longest 64 of these, ms", "longest_ms", "%.0f")


def decided(bench):
    """A request of the whole scheduler, workload W1, from nothing known."""
    def row_of(text, mode, name, form, **limits):
        return row(text, values(bench, mode, lambda r: r["costs"][name]), form, **limits)
    yield row_of("a request chosen and learned from, signals included, us", "decisions", "us",
                 "%.1f", ship=9, aim=4)
    yield row_of("values computed for it", "decisions", "looks", "%.1f")
    yield row_of("bytes of a page", "decisions", "page_bytes", "%.0f", ship=64)
    yield row_of("bytes of the queue for it", "decisions", "queue_bytes", "%.1f", ship=10)
    yield row_of("freshness against looking at each page in each tick", "brute", "share",
                 "%.4f", ship=0.99, aim=0.999, at_least=True)


def handed(bench):
    """Pages through the store; a second of CPU, since the disk is no one's alone."""
    def row_of(text, name, form, **limits):
        return row(text, values(bench, "leases", lambda r: r["costs"][name]), form, **limits)
    yield row("leased and completed, a second of CPU", values(
        bench, "leases", lambda r: 1e6 / r["costs"]["pair_us"]), "%.0f", ship=20000, aim=50000,
        at_least=True)
    yield row_of("the same, a second of wall time", "pair_per_s", "%.0f")
    yield row_of("promoted, a second", "promoted_per_s", "%.0f")
    yield row_of("read again when a program starts, a second", "loaded_per_s", "%.0f")
    yield row("bytes of a page, its URL of 58 included", values(
        bench, "leases", lambda r: r["costs"]["bytes"] / float(
            bench.sizes["pages"].split("x")[0])), "%.0f")


def whole(bench):
    """The same with all that stands behind it."""
    def row_of(text, name, form, **limits):
        return row(text, values(bench, "frontier", lambda r: r["costs"][name]), form, **limits)
    yield row("handed out and taken back, a second of CPU", values(
        bench, "frontier", lambda r: 1e6 / r["costs"]["pair_us"]), "%.0f", ship=20000, aim=50000,
        at_least=True)
    yield row_of("the same, a second of wall time", "pair_per_s", "%.0f")
    yield row_of("seconds to load them all", "loaded_s", "%.1f")
    yield row_of("bytes of memory a page", "bytes_a_page", "%.0f", ship=400)


def sizes(bench):
    for mode, group, ship, aim in (("first", "main", 30, 25), ("small", "small", 40, 30),
                                   ("hosts", "hosts", None, None),
                                   ("large", "large", 30, 25)):
        if group in bench.corpora:
            corpus = bench.corpora[group]
            text = ", ".join((TITLES[group].lower(), "%d an entry list" % (
                corpus.urls // len(corpus.hosts) // corpus.children)))
            yield row("bytes stored per URL: " + text, values(
                bench, mode, lambda r: r["stored"] / corpus.urls), "%.1f", ship, aim)
            yield row("bytes written per URL, bodies included: " + TITLES[group].lower(),
                      values(bench, mode, lambda r: r["written"] / corpus.urls), "%.1f")


def rewritten(bench):
    """What is written where a little has changed; the bodies are read anew."""
    for mode in ("changed", "adjacent"):
        if bench.runs[mode]:
            body = bench.corpora["main"].manifest["file_bytes"]
            urls = bench.corpora["main"].urls
            yield row("bytes written per URL, bodies not included: " + dict(
                (name, text) for name, _, text, _, _ in COSTS)[mode], values(
                    bench, mode, lambda r: (r["written"] - body) / urls), "%.1f")


def peaks(bench, modes, kind):
    """The highest of those modes, a value a round."""
    rounds = sorted({n for mode in modes for n in bench.runs[mode]})
    return [max(bench.runs[mode][n]["peak"][kind] for mode in modes if n in bench.runs[mode]) / MB
            for n in rounds]


def memory(bench):
    yield row("main, one site", peaks(bench, ("first", "same", "digest", "changed"), "main"),
              "%.1f", 64, 32)
    yield row("main, very large site", peaks(bench, ("large", "large.same"), "main"),
              "%.1f", 64, 32)
    yield row("main, many sites", peaks(bench, ("hosts", "hosts.same", "polite"), "main"),
              "%.1f", 160, 96)
    yield row("a reader", peaks(bench, READ, "reader"), "%.1f", 64, 32)
    yield row("the fork server", peaks(bench, CRAWLS, "server"), "%.1f")


def table(heading, rows):
    rows = [r for r in rows if r.values]
    if not rows:
        return []
    return ["| %s | median (range) | ship | aim |" % heading, "| --- | --- | --- | --- |"] + [
        "| %s | %s | %s |" % (r.text, spread(r.values, r.form), r.limits()) for r in rows] + [""]


def shape(corpus):
    return "%s of %d sitemaps of %d URLs, %s in all; %.1f MB on the wire, %.1f MB of XML" % (
        "One host" if len(corpus.hosts) == 1 else "%d hosts" % len(corpus.hosts),
        corpus.children, corpus.urls // len(corpus.hosts) // corpus.children,
        "{:,}".format(corpus.urls), corpus.manifest["file_bytes"] / MB,
        corpus.manifest["xml_bytes"] / MB)


def group_lines(bench, group):
    found = list(costs(bench, group))
    if not found:
        return []
    lines = ["## " + TITLES[group], "", shape(bench.corpora[group]) + ".", "",
             "| what | CPU, s | ratio to *z* | wall, s | ship | aim |",
             "| --- | --- | --- | --- | --- | --- |"]
    for mode, r in found:
        runs = bench.runs[mode].values()
        lines.append("| %s | %s | %s | %.2f | %s |" % (
            r.text, spread([run["cpu"] for run in runs], "%.3f"), spread(r.values, r.form),
            statistics.median(run["wall"] for run in runs), r.limits()))
    return lines + [""]


def crawl_lines(bench):
    out = []
    for group in TITLES:
        if group in bench.corpora:
            out += group_lines(bench, group)
    if bench.corpora:
        out += ["## Ratios, sizes, memory", ""]
    out += table("ratio", ratios(bench))
    out += table("look-up", looks(bench))
    out += table("size", list(sizes(bench)) + list(rewritten(bench)))
    out += table("peak memory, MB", memory(bench))
    return out


def frontier_lines(bench):
    out = []
    if bench.runs["queue"]:
        out += ["## The scheduler's queue", "", "{:,} entries, looked at again after 30 days on"
                " average, in ticks of a minute; CPU in virtual time.".format(
                    int(bench.sizes["sched"].split("x")[0])), ""]
        out += table("queue", queue(bench))
    if bench.runs["decisions"] or bench.runs["brute"]:
        out += ["## The scheduler", "", "Workload W1 with {:,} pages for {} days, and with {:,} for"
                " {} days; nothing is known at first.".format(
                    int(bench.sizes["sched"].split("x")[1]), modes.DECISIONS_DAYS,
                    int(bench.sizes["sched"].split("x")[2]), modes.BRUTE_DAYS), ""]
        out += table("scheduler", decided(bench))
    if bench.runs["leases"]:
        out += ["## Pages through the store", "", "{:,} pages, of which {:,} at random are leased"
                " and completed, 500 in a commit.".format(
                    *map(int, bench.sizes["pages"].split("x"))), ""]
        out += table("pages", handed(bench))
    if bench.runs["frontier"]:
        out += ["## Pages handed out", "", "Those pages, of {:,} sites, chosen by value, judged by"
                " robots.txt and politeness, and learned from.".format(modes.FRONTIER_SITES), ""]
        out += table("pages", whole(bench))
    return out


def over(bench, kinds):
    """The rows of these kinds whose median does not hold what must hold."""
    rows = [r for kind in kinds for r in kind(bench)]
    return ["%s: %s, must be %s" % (
        r.text, spread(r.values, r.form),
        ("at least %g" if r.at_least else "at most %g") % r.ship) for r in rows if r.is_over()]


def costs_of_all(bench):
    return [r for group in TITLES if group in bench.corpora for _, r in costs(bench, group)]


CRAWL = (costs_of_all, ratios, looks, sizes, memory)
FRONTIER = (queue, decided, handed, whole)


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo", encoding="ascii") as f:
        memory_kb = int(f.readline().split()[1])
    return "%d cores, %s, %.0f GB, Linux %s" % (
        os.cpu_count(), model, memory_kb / 1e6, platform.release().split("-")[0])


DOCUMENT = """# What it costs

Measured on %(date)s by

    %(command)s

on %(machine)s; freshet %(version)s.
nginx serves generated sitemaps on loopback. CPU is user and system of all
processes of a run; *z* is the CPU of a program that downloads the same files
with libcurl, inflates them with zlib and does nothing else, in the same round.
Every round runs every mode once, so that a slow minute of the machine hits all
of them; given are medians, and ranges, of %(rounds)s. After each run the
store was compared, through `export` and through SQLite, with what Python's XML
parser finds in the corpus: every URL, date, and change. `ship` is what
must hold and `aim` what is hoped for, see DESIGN section 7; a ratio depends
less on the machine than a time does.

`ship` and `aim` of a first consume are those of a reader with a fast inflater, ISA-L; with zlib alone they would be 2.4
and 2.2.
What an unchanged site of 20 sitemaps costs is mostly the start of the program and
of its libraries, whatever the size of the site.

%(tables)s"""


def faults(bench, kinds):
    found = over(bench, kinds)
    return ["Over what must hold:", ""] + ["- " + fault for fault in found] + [""] if found else []


def printed(bench):
    return crawl_lines(bench) + frontier_lines(bench) + [
        "over: " + fault for fault in over(bench, CRAWL + FRONTIER)]


def document(bench, command, version, rounds):
    return DOCUMENT % {"date": time.strftime("%Y-%m-%d"), "command": command,
                       "machine": machine(), "version": version, "rounds": in_words(rounds),
                       "tables": "\n".join(crawl_lines(bench) + faults(bench, CRAWL))}


def in_words(rounds):
    return "%d round%s" % (rounds, "" if rounds == 1 else "s")


def write(bench, command, version, rounds):
    """What was run, into docs/internals/performance.md; the parts of the others stay."""
    if bench.corpora:
        with open(parts.DOCUMENT, encoding="utf-8") as f:
            old = f.read()
        with open(parts.DOCUMENT, "w", encoding="utf-8") as f:
            f.write(parts.keep(document(bench, command, version, rounds), old))
    if frontier_lines(bench):
        parts.write("frontier", [
            "## What choosing and handing out costs", "",
            "Measured on %s by `%s` on %s; freshet %s, %s." % (
                time.strftime("%Y-%m-%d"), command, machine(), version, in_words(rounds)), ""]
            + ["#" + line if line.startswith("## ") else line for line in frontier_lines(bench)]
            + faults(bench, FRONTIER))
