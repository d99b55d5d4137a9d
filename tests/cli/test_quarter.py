"""A quarter of eight sites at which everything happens that has an event: what
is told, counted, listed and fed is compared with quarter_truth.py."""
import collections
import hashlib
import json
import os
import time

import quarter_truth as truth
from case import Case, index, urlset
from certs import Authority
from clock import DAY
from server import tls_context

HOUR = 3600
WALL = ("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
        "<script>window._cf_chl_opt={}</script></body></html>")


def date(day):
    """A page of the baseline is older than the day of its first reading."""
    return time.strftime("%Y-%m-%d", time.gmtime(truth.BEGIN + day * DAY))


class Plan:
    """What the sites publish on a day: documents, failures, redirects."""

    def __init__(self, plain, secure):
        self.plain, self.secure = plain, secure
        self.day = None
        self.dates = {}     # of birch.test, since its builds

    def put(self, url, body, **kwargs):
        scheme, rest = url.split("://")
        text = body.encode()
        server = self.secure if scheme == "https" else self.plain
        server.put(rest, text, etag='"%s"' % hashlib.md5(text).hexdigest(), **kwargs)

    def sitemap(self, url, pages):
        self.put(url, urlset(sorted((page.url, self.dates.get(page.url, date(page.born - 1)))
                                    for page in pages)))

    def pages(self, site, *folders):
        return [p for p in truth.PAGES if p.site == site and p.is_listed(self.day)
                and (not folders or p.url.split("/")[3] in folders)]

    def robots(self, origin, *sitemaps, rules=""):
        self.put(origin + "/robots.txt", "User-agent: *\nDisallow:%s\n" % rules
                 + "".join("Sitemap: %s%s\n" % (origin, path) for path in sitemaps))

    def index(self, origin, path="/index.xml", **children):
        """Publish an index of these sitemaps, which have these pages."""
        self.put(origin + path, index(["%s/%s.xml" % (origin, name.replace("_", "-"))
                                       for name in children]))
        for name, pages in children.items():
            self.sitemap("%s/%s.xml" % (origin, name.replace("_", "-")), pages)

    def redirect(self, *urls, to):
        """to: function of the URL."""
        for url in urls:
            self.plain.redirect(url.split("://")[1], to(url), status=301)

    def publish(self, day):
        self.day = day
        self.plain.replies.clear()
        self.secure.replies.clear()
        for site in truth.SITES:
            getattr(self, site.split(".")[0])("http://" + site, lambda *folders, site=site:
                                              self.pages(site, *folders))

    def acorn(self, origin, pages):
        self.robots(origin, "/index.xml")
        jobs = {"jobs": pages("jobs")} if self.day < 30 else {}
        self.index(origin, blog=pages("blog"), shop=pages("shop", "academy"), **jobs)

    def birch(self, origin, pages):
        self.robots(origin, "/index.xml")
        if self.day in truth.BUILDS:
            self.dates = {page.url: date(self.day) for page in pages()}
        elif self.day == truth.BACK_DAY:
            self.dates.update({"%s/shop/%02d" % (origin, n): "2024-01-31"
                               for n in range(truth.BACK)})
        blog = {"insights": pages("insights")} if self.day >= 24 else {"blog": pages("blog")}
        self.index(origin, shop=pages("shop"), **blog)

    def cedar(self, origin, pages):
        if self.day >= 20:
            self.redirect(*[origin + path for path in (
                "/robots.txt", "/index.xml", "/products.xml", "/guides.xml", "/pages.xml")],
                to=lambda url: url.replace("http:", "https:"))
            origin = origin.replace("http:", "https:")
        self.robots(origin, "/index.xml")
        self.index(origin, products=pages("p"), guides=pages("guides"),
                   pages=pages("", "about", "contact", "terms"))

    def dogwood(self, origin, pages):
        is_lost = self.day in truth.LOST or self.day >= truth.LOST_AGAIN
        self.robots(origin, *(() if is_lost else ("/sitemaps/index.xml",)),
                    rules=" /labs/" if self.day >= truth.LABS_DAY else "")
        if self.day in truth.UNREACHABLE:
            self.put(origin + "/robots.txt", "", status=503)
        self.put(origin + "/sitemaps/index.xml", index([origin + "/sitemaps/all.xml"]))
        self.sitemap(origin + "/sitemaps/all.xml", pages())

    def elm(self, origin, pages):
        self.robots(origin, "/index.xml")
        self.index(origin, shop=pages("shop"), guides=pages("guides"))
        if self.day >= 55:
            self.plain.drop("elm.test/guides.xml")
        if self.day in truth.BROKEN or self.day == truth.HICCUP:
            self.put(origin + "/shop.xml", "", status=503)
        if self.day in truth.WALL:
            for path in ("/index.xml", "/shop.xml", "/guides.xml"):
                self.put(origin + path, WALL, status=403, headers=[("cf-mitigated", "challenge")])

    def fir(self, origin, pages):
        www = origin.replace("fir", "www.fir")
        if self.day >= truth.HOST:
            self.redirect(*[origin + path for path in (
                "/robots.txt", "/index.xml", "/catalog.xml", "/blog.xml")],
                to=lambda url: url.replace(origin, www))
            origin = www
        self.robots(origin, "/index.xml")
        products = pages("products")
        if self.day < truth.SPLIT:
            self.index(origin, blog=pages("blog"), products=products)
        elif self.day < truth.JOIN:
            self.index(origin, blog=pages("blog"), products_1=products[:40],
                       products_2=products[40:])
        else:
            self.index(origin, blog=pages("blog"), catalog=products)

    def gum(self, origin, pages):
        self.robots(origin, "/sitemap.xml")
        pages = pages()
        self.sitemap(origin + "/sitemap.xml",
                     pages[:20] if self.day == truth.ACCIDENT else pages)

    def hazel(self, origin, pages):
        self.robots(origin, "/sitemap.xml")
        self.sitemap(origin + "/sitemap.xml", pages())


class Quarter(Case):
    """The sites are read each morning, a minute later than the day before;
    alerts are sent half an hour after that."""

    def setUp(self):
        super().setUp()
        self.follow_clock(wall=truth.BEGIN)
        self.clock.leap()
        authority = Authority(self.program.folder)
        secure = self.site(tls=tls_context(*authority.sign(["cedar.test"])))
        plain = self.site()
        self.plan = Plan(plain, secure)
        self.network = ["--cacert", authority.path, "--connect-to",
                        ":443:127.0.0.1:%d" % secure.port, "--connect-to",
                        ":80:127.0.0.1:%d" % plain.port]
        self.told = os.path.join(self.program.folder, "told.jsonl")
        self.conf = os.path.join(self.program.folder, "alerts.conf")
        script = os.path.join(self.program.folder, "tell")
        with open(script, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\ncat >>%s\n" % self.told)
        os.chmod(script, 0o755)
        with open(self.conf, "w", encoding="ascii") as f:
            f.write("[alert all]\nexec = %s\n" % script)
        self.copy = {}      # of the consumer that syncs all the time

    def run_program(self, *args, status=0):
        result = self.program.run(*args)
        self.assertEqual(result.status, status, str(result))
        return result

    def records(self, kind, *args):
        return [r for r in self.run_program(*args).records() if r["type"] == kind]

    def at(self, day, seconds):
        """The clock goes on to that time."""
        self.clock.advance(truth.BEGIN + day * DAY + seconds - self.clock.now())

    def live(self):
        # a new alert tells nothing of what was before it
        self.run_program("add", "http://acorn.test/")
        self.run_program("alert", "send", "--config", self.conf)
        for day in range(truth.DAYS):
            self.at(day, 8 * HOUR + day * 60)
            self.plan.publish(day)
            result = self.program.run(
                "crawl", "-q", "--progress", "off", "--retry", "0", "--delay", "0", *self.network,
                *["http://%s/" % site for site, first in truth.SITES.items() if first <= day])
            self.assertIn(result.status, (0, 1), str(result))
            self.at(day, 8 * HOUR + day * 60 + 1800)
            self.run_program("alert", "send", "--config", self.conf)
            if day % 9 == 4:
                self.sync("steady", self.copy)
        self.at(truth.DAYS, 0)

    def sync(self, consumer, copy):
        """Apply what the consumer is told."""
        more = True
        while more:
            batch = self.run_program("changes", "--consumer", consumer).records()
            for line in batch:
                if line["type"] == "upsert":
                    copy[line["url"]] = line["why"]
                elif line["type"] == "delete":
                    copy.pop(line["url"], None)
            self.run_program("changes", "--consumer", consumer, "--ack", batch[-1]["cursor"])
            more = batch[-1]["more"]

    @staticmethod
    def day_of(stamp):
        return (time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
                - truth.BEGIN) // DAY

    def describe(self, event, expected):
        """The event as the truth describes one."""
        fields = {name: event[name] for name in expected.fields} if expected else {}
        return truth.Event(self.day_of(event["known"]), self.day_of(event["at"]), event["site"],
                           event["kind"], **fields)

    def assertTells(self, events, expected):
        """Assert that these are the events, each once, in order."""
        def order(event):
            return (event["known"], event["site"], event["kind"])

        def key(known, site, kind):
            return "day %d: %s %s" % (known, site, kind)
        self.assertEqual([e["known"] for e in events if e["known"] is None], [])
        found = sorted(events, key=order)
        keys = collections.Counter(key(self.day_of(e["known"]), e["site"], e["kind"])
                                   for e in found)
        wanted = collections.Counter(key(e.known, e.site, e.kind) for e in expected)
        self.assertEqual((sorted((keys - wanted).elements()),
                          sorted((wanted - keys).elements())), ([], []),
                         "told and not true; true and not told; of\n"
                         + "\n".join("%s  %s" % (e["known"], e["text"]) for e in found))
        for event in expected:
            same = [e for e in found if (self.day_of(e["known"]), e["site"], e["kind"]) ==
                    (event.known, event.site, event.kind)]
            self.assertIn(repr(event), [repr(self.describe(e, event)) for e in same], same)

    def week(self, number):
        return [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(truth.BEGIN + 7 * w * DAY))
                for w in (number, number + 1)]

    def test_quarter(self):
        self.live()
        for judge in (self.judge_events, self.judge_numbers, self.judge_listing,
                      self.judge_feed, self.judge_alerts):
            with self.subTest(judge.__name__):
                judge()

    def judge_events(self):
        """Each week tells what became known in it."""
        for week in range(truth.WEEKS):
            since, until = self.week(week)
            with self.subTest("week %d" % week):
                self.assertTells(
                    self.records("event", "diff", "--json", "--since", since, "--until", until),
                    [e.known_later() for e in truth.EVENTS
                     if e.known // 7 == week and not e.is_passing])

    def judge_numbers(self):
        """The numbers of each week are the truth, and so are the rows."""
        for week in range(truth.WEEKS):
            since, until = self.week(week)
            records = self.run_program("diff", "--json", "--rows", "--since", since,
                                       "--until", until).records()
            rows = collections.Counter((r["site"], r["kind"]) for r in records
                                       if r["type"] == "page")
            for record in records:
                if record["type"] != "site":
                    continue
                site = record["site"]
                with self.subTest("week %d of %s" % (week, site)):
                    wanted = truth.numbers(site, 7 * week, 7 * week + 7)
                    self.assertEqual({name: record[name] for name in wanted}, wanted)
                    self.assertEqual({name: rows[site, name] for name in wanted}, wanted)
                    self.assertEqual(record["listed"],
                                     len(truth.listed(truth.DAYS - 1, site)))

    def judge_listing(self):
        """What was listed at the end of each week is the truth."""
        for week in range(truth.WEEKS):
            at = self.week(week)[1]
            # export prints what is accepted
            wanted = truth.listed(7 * week + 6) - truth.refused(7 * week + 6)
            with self.subTest("end of week %d" % week):
                found = set(self.program.urls("--as-of", at))
                self.assertEqual((sorted(found - wanted), sorted(wanted - found)), ([], []))
        found = set(self.program.urls()) | set(self.program.urls("--refused"))
        wanted = truth.listed(truth.DAYS - 1)
        self.assertEqual((sorted(found - wanted), sorted(wanted - found)), ([], []))

    def judge_feed(self):
        """Consumers have what is listed and allowed."""
        wanted = {url for url in truth.listed(truth.DAYS - 1) if "/labs/" not in url}
        self.sync("steady", self.copy)
        fresh = {}
        self.sync("fresh", fresh)
        for copy in (self.copy, fresh):
            self.assertEqual((sorted(copy.keys() - wanted), sorted(wanted - copy.keys())),
                             ([], []))

    def judge_alerts(self):
        """What was told when it was known is the truth as it was known then, but for
        first readings, which are no news; and replay tells the same."""
        with open(self.told, encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        told = [line for line in lines if line["type"] == "event"]
        self.assertTells(told, [e for e in truth.EVENTS if not e.fields.get("note")
                                 and e.kind != "first-reading"])
        replayed = self.records("event", "alert", "replay", "all", "--config", self.conf, "--json",
                                "--since", self.week(0)[0])
        # what is told at once is told site by site
        told.sort(key=lambda e: e["known"])
        self.assertEqual(["%s %s" % (e["known"], e["text"]) for e in replayed],
                         ["%s %s" % (e["known"], e["text"]) for e in told])
        self.assertEqual(replayed, told)


if __name__ == "__main__":
    import unittest
    unittest.main()
