"""Histories of real sitemaps, read once a day: every page is counted as the trace has it, and each
event is told once, in order, and no other.

Parts of the histories; with FRESHET_FULL=1 all of them, which takes ten minutes.
"""
import calendar
import collections
import gzip
import os
import time
import unittest
from xml.sax.saxutils import escape

import replay
from case import Case
from clock import DAY
from past import judge_past
from program import NO_HOOKS
from test_replay import SHARED

TRACES = os.path.join(SHARED, "traces")
FULL = os.environ.get("FRESHET_FULL") == "1"
HOUR = 3600
REST = 20   # days after the last one, until all is settled
HOP = ("hop-site", "hop-manual", "hop-tech-manual")

# What an analyst finds in the traces: (when it happened, kind, pages), but for redeploys, which
# Truth finds.  A release brings a version of the manual, which is a burst; its old ones go by and
# by, less than a third at a time.  What as many new pages replace at once is no mass drop.
HOP_EVENTS = """
2020-10-24 section-gone 11
2020-10-24 section-launched 11
2020-10-24 section-launched 7
2021-03-11 burst 24
2021-03-11 pages-moved 293
2021-03-14 mass-drop-confirmed 5
2021-03-14 pages-moved 12
2021-03-14 pages-moved 157
2021-03-14 pages-moved 74
2021-04-04 pages-moved 5
2021-09-22 burst 446
2021-10-25 silence 29
2022-01-18 burst 449
2022-02-09 pages-moved 451
2022-03-08 burst 462
2022-06-02 burst 471
2022-10-15 burst 489
2022-12-07 burst 487
2023-02-02 burst 497
2023-04-01 burst 502
2023-06-13 burst 505
2023-09-18 burst 514
2023-12-02 burst 526
2024-03-14 burst 528
2024-05-25 burst 530
2024-10-08 burst 537
2024-12-06 burst 546
2025-02-18 burst 540
2025-04-23 burst 544
2025-08-21 burst 551
2025-11-19 burst 559
2025-11-20 pages-moved 11
2026-02-07 burst 564
2026-06-02 burst 581
2026-08-18 burst 614
"""
# Before 2019-11-09 its entries are relative, so that it lists no page.
INGRESS_EVENTS = """
2019-11-09 section-launched 50
"""


class Trace:
    """One sitemap: what it lists at a time."""

    def __init__(self, name):
        self.events = replay.read(os.path.join(TRACES, name + ".trace.tsv.gz"))
        self.urls, self.said = {}, {}
        self.url = self.shown = None
        self.next = self.version = 0

    def go(self, now):
        """On to that time; returns whether it was published anew."""
        before = self.version
        while self.next < len(self.events) and self.events[self.next].at <= now:
            event = self.events[self.next]
            self.next += 1
            for i in event.ids:
                if event.kind == "U":
                    self.urls[i] = event.value.replace("https:", "http:")
                elif event.kind == "R":
                    self.said.pop(i, None)
                elif event.kind == "A":
                    self.said[i] = None
                elif event.kind == "L":
                    self.said[i] = None if event.value == "-" else event.value
            if event.kind == "D":
                self.url = event.value.replace("https:", "http:")
            elif event.kind == "P":
                self.version += 1
                self.shown = None if event.value == "-" else {
                    self.urls[i]: lastmod for i, lastmod in sorted(self.said.items())}
        return self.version != before

    def body(self):
        return '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>' % "".join(
            "<url><loc>%s</loc>%s</url>" % (
                escape(url), "<lastmod>%s</lastmod>" % lastmod if lastmod else "")
            for url, lastmod in self.shown.items())


class Truth:
    """What readings of the sitemaps, one after the other, say of a site."""

    def __init__(self):
        self.known = {}     # sitemap -> {page: when it was missed, or None}
        self.dates = {}     # sitemap -> {page: lastmod}, as it was read last
        self.begin = None
        self.new, self.gone = collections.Counter(), collections.Counter()
        self.redated = collections.Counter()    # pages, by time
        self.redeploys = {}                     # time -> pages

    def read(self, name, pages, now):
        if name not in self.known:
            self.begin = self.begin or now
            if now - self.begin >= DAY:
                self.come(name, pages, now)
            self.known[name] = dict.fromkeys(pages)
        else:
            self.compare(name, pages, now)
        self.dates[name] = dict(pages)

    def come(self, name, pages, now):
        self.new.update((page, now) for page in pages if not self.has_other(name, page))

    def has_other(self, name, page):
        return any(page in pages for other, pages in self.known.items() if other != name)

    def compare(self, name, pages, now):
        known, dates = self.known[name], self.dates[name]
        added = [page for page in pages if page not in known]
        self.come(name, added, now)
        redated = [page for page in pages if page in dates and dates[page] != pages[page]]
        returned = [page for page, missed in known.items() if missed and page in pages]
        gone = [page for page, missed in known.items() if missed and page not in pages]
        missed = [page for page in known if known[page] is None and page not in pages]
        known.update((page, None) for page in added + returned)
        known.update((page, now) for page in missed)
        for page in gone:
            self.gone[page, known.pop(page)] += not self.has_other(name, page)
        self.redated[now] += len(redated)
        dated = sum(lastmod is not None for lastmod in pages.values())
        others = len(added) + len(returned) + len(gone) + len(missed)
        if len(redated) >= max(20, dated / 2) and others <= len(redated) // 10:
            self.redeploys[now] = self.redeploys.get(now, 0) + len(redated)


@unittest.skipIf(NO_HOOKS, NO_HOOKS)
@unittest.skipUnless(os.path.exists(TRACES), "no traces in '%s'" % SHARED)
class Histories(Case):
    def live(self, names, begin, end):
        """Read the sitemaps each morning from begin to end, such as 2024-01-31, or all the time;
        returns when that ended."""
        traces = {name: Trace(name) for name in names}
        begin = self.at(begin) if begin else min(t.events[0].at for t in traces.values())
        last = self.at(end) if end else max(t.events[-1].at for t in traces.values()) + REST * DAY
        begin -= begin % DAY - 8 * HOUR
        self.truth = Truth()
        self.follow_clock(wall=begin)
        self.clock.leap()
        site = self.site()
        lines = {}
        for now in range(begin, last, DAY):
            self.clock.advance(now - self.clock.now())
            for name, trace in traces.items():
                if trace.go(now):
                    lines[trace.url] = "Sitemap: %s\n" % trace.url
                    self.publish(site, trace, "".join(sorted(lines.values())))
                if trace.shown is not None:
                    # a relative entry is refused
                    self.truth.read(name, {page: lastmod for page, lastmod in trace.shown.items()
                                           if page.startswith("http:")}, now)
            if lines:
                self.program.run("crawl", "-q", "--progress", "off", "--retry", "0", "--delay", "0",
                                 "--connect-to", ":80:127.0.0.1:%d" % site.port,
                                 "/".join(trace.url.split("/")[:3]) + "/")
        return last

    @staticmethod
    def publish(site, trace, lines):
        path = trace.url.split("://")[1]
        site.put(path.split("/")[0] + "/robots.txt", "User-agent: *\nDisallow:\n" + lines)
        if trace.shown is None:
            site.drop(path)
        else:
            site.put(path, gzip.compress(trace.body().encode(), 1, mtime=0),
                     headers=[("Content-Encoding", "gzip")], etag='"%d"' % trace.version)

    @staticmethod
    def at(text):
        return calendar.timegm(time.strptime(text[:10], "%Y-%m-%d"))

    @staticmethod
    def morning(text):
        return calendar.timegm(time.strptime(text[:10], "%Y-%m-%d")) + 8 * HOUR

    def judge(self, events, begin, last):
        """The rows are those of the truth, and the events these and the redeploys."""
        records = self.program.run("diff", "--json", "--rows", "--since", "2018-01-01").records()
        rows = collections.defaultdict(collections.Counter)
        for r in records:
            if r["type"] == "page":
                rows[r["kind"]][r["url"], self.morning(r["at"])] += 1
                rows["from"][r["from"]] += r["kind"] == "moved"
        new = rows["new"] + rows["moved"]
        self.assertEqual((new - self.truth.new, self.truth.new - new), ({}, {}))
        # a page that moved went when it went, which its row does not say
        self.assertEqual(rows["gone"] - self.truth.gone, {})
        went, gone = collections.Counter(rows["from"]), collections.Counter()
        for page, _ in rows["gone"].elements():
            went[page] += 1
        for page, _ in self.truth.gone.elements():
            gone[page] += 1
        self.assertEqual((went - gone, gone - went), ({}, {}))
        redated = collections.Counter()
        for (_, now), count in rows["redated"].items():
            redated[now] += count
        self.assertEqual(redated, +self.truth.redated)

        wanted = [line.split() for line in events.split("\n") if line]
        wanted = [(day, kind, int(count)) for day, kind, count in wanted
                  if (not begin or day > begin) and self.at(day) < last - REST * DAY]
        wanted += [(time.strftime("%Y-%m-%d", time.gmtime(now)), "redated", count)
                   for now, count in self.truth.redeploys.items()]
        told = [(r["at"][:10], r["kind"], r["count"]) for r in records
                if r["type"] == "event" and r["kind"] != "first-reading" and
                (r["kind"] == "redated" or self.at(r["at"]) < last - REST * DAY)]
        self.assertEqual(sorted(told), sorted(wanted))
        self.assertEqual([day for day, _, _ in told], sorted(day for day, _, _ in told))

    def check(self, names, events, begin, end):
        if FULL:
            begin = end = None
        last = self.live(names, begin, end)
        self.judge(events, begin, last)
        judge_past(self, last - 120 * DAY, 120, spans=2)

    def test_releases(self):
        """Versions of a manual come, go and are renamed; a site is built anew each day or so."""
        self.check(HOP, HOP_EVENTS, "2022-01-25", "2022-04-05")

    def test_sections(self):
        """The first months of a site, which is reorganised."""
        self.check(HOP[:1], "\n".join(HOP_EVENTS.split("\n")[:4]), None, "2021-01-15")

    def test_builds(self):
        self.check(("ingress-nginx",), INGRESS_EVENTS, "2019-10-01", "2020-01-01")


if __name__ == "__main__":
    unittest.main()
