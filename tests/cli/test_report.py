"""freshet report and note: a page whose numbers are those of diff, stats and sql."""
import base64
import hashlib
import html.parser
import os
import re
import resource
import time
import unittest

from case import index, urlset
from clock import DAY
from test_clock import HOUR, Clocked

VOID = {"meta", "br", "wbr"}
HOSTILE = "<script>alert('a')</script> \"onload=x & \u202e"


class Page(html.parser.HTMLParser):
    """A report, read again. tables: (id of the section, heading before it, rows of texts);
    faults: what no report has."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.tables, self.text = [], [], [], ""
        self.section, self.heading, self.heading_open = None, "", None
        self.cell = None
        self.count, self.ids, self.links = {}, set(), []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append("left open: %s" % self.open)
        self.faults += ["no target: " + link for link in self.links
                        if link.startswith("#") and link[1:] not in self.ids]

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        attrs = dict(attrs)
        for name, value in attrs.items():
            if name.startswith("on") or name in ("style", "src"):
                self.faults.append("%s %s=%s" % (tag, name, value))
            if re.search(r"\bnan\b|\binf\b", value or "") and name not in ("href",):
                self.faults.append("%s %s=%s" % (tag, name, value))
        if tag in ("script", "img", "iframe", "link", "object", "form", "base"):
            self.faults.append(tag)
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.faults.append("twice: " + attrs["id"])
            self.ids.add(attrs["id"])
        if "href" in attrs:
            self.links.append(attrs["href"])
            if not re.match(r"https?://|#[a-z0-9-]+$", attrs["href"]):
                self.faults.append("href=" + attrs["href"])
        if tag == "section":
            self.section = attrs.get("id")
        if tag in ("h2", "h3", "figcaption"):
            self.heading, self.heading_open = "", tag
        if tag == "table":
            self.tables.append((self.section, self.heading.strip(), []))
        if tag == "tr":
            self.tables[-1][2].append([])
        if tag in ("td", "th"):
            self.cell = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID or not self.open or self.open.pop() != tag:
            self.faults.append("end of " + tag)
        if tag == self.heading_open:
            self.heading_open = None
        if tag in ("td", "th"):
            self.tables[-1][2][-1].append(self.cell.strip())
            self.cell = None

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.heading_open:
            self.heading += data
        if self.cell is not None:
            self.cell += data

    def table(self, heading, section=None):
        """The rows of the only table with that heading, without its head."""
        found = [rows for where, name, rows in self.tables
                 if name.startswith(heading) and section in (None, where)]
        assert len(found) == 1, (heading, [t[:2] for t in self.tables])
        return found[0][1:]


def number(text):
    """The first number of a cell."""
    text = text.split()[0].replace(",", "")
    return 0 if text == "-" else int(text)


class Reported(Clocked):
    def setUp(self):
        super().setUp()
        self.clock.leap()
        # the crawls follow a day that begins at midnight
        self.sites = [self.site(), self.site(address="127.0.0.3")]
        self.docs = [{}, {}]

    def crawl_day(self, count=1):
        for _ in range(count):
            for site, docs in zip(self.sites, self.docs):
                url = site.url
                site.put("/robots.txt", "User-agent: *\nDisallow:\nSitemap: %s\n" % url("/i.xml"))
                site.put("/i.xml", index([url(path) for path in sorted(docs)]))
                for path, pages in docs.items():
                    site.put(path, urlset([(url(page), pages[page]) for page in sorted(pages)]))
            self.crawl("--retry", "0", *[site.url("/") for site in self.sites], status=None)
            self.clock.advance(DAY)

    def report(self, *args, status=0):
        self.path = os.path.join(self.program.folder, "r.html")
        result = self.program.run("report", "--html", self.path, *args)
        self.assertEqual(result.status, status, str(result))
        if status != 0:
            return result
        with open(self.path, encoding="utf-8") as f:
            self.html = f.read()
        page = Page(self.html)
        self.assertEqual(page.faults, [])
        return page


class Numbers(Reported):
    def live(self):
        shop = self.docs[0]["/a.xml"] = {"/p/%d" % n: "2025-0%d-01" % (n % 9 + 1)
                                         for n in range(40)}
        self.docs[0]["/b.xml"] = {"/blog/%d" % n: None for n in range(30)}
        self.docs[1]["/c.xml"] = {"/x/%d" % n: "2025-12-30" for n in range(25)}
        for day in range(12):
            if day in (2, 5):
                shop.update({"/p/new-%d-%d" % (day, n): "2026-01-0%d" % day for n in range(3)})
            elif day == 3:
                self.docs[0]["/d.xml"] = {"/academy/%d" % n: "2026-01-04" for n in range(8)}
            elif day == 4:
                self.docs[1]["/c.xml"] = dict.fromkeys(self.docs[1]["/c.xml"], "2026-01-05")
            elif day == 6:
                del self.docs[0]["/b.xml"]
                self.docs[0]["/e.xml"] = {"/insights/%d" % n: None for n in range(30)}
            elif day == 8:
                for page in sorted(shop)[:5]:
                    del shop[page]
            self.crawl_day()

    def judge(self, page, args):
        """All numbers of the page against those of other commands."""
        records = self.program.run("diff", "--json", *args).records()
        for row in page.table("Who does what"):
            host = row[0]
            site, = [r for r in records if r["type"] == "site" and r["site"] == host]
            self.assertEqual([number(cell) for cell in (row[2], row[3], row[4], row[5], row[6])],
                             [site[key] for key in ("listed", "new", "gone", "moved", "redated")])
            part = "site-%d" % ([r[0] for r in page.table("Who does what")].index(host) + 1)
            self.sections(page, part, host, [r for r in records if r["type"] == "section"
                                             and r["site"] == host])
            self.days(page, host, site)
            documents = self.program.run("sql", "-f", "json", (
                "SELECT url, listed FROM document WHERE site = '%s' AND "
                "kind <> 'robots' ORDER BY url" % host)).records()
            self.assertEqual([(r[0], number(r[1])) for r in page.table("Sitemaps", part)],
                             [(re.sub("^https?://[^/]*", "", d["url"]), d["listed"])
                              for d in documents if d["listed"] > 0])
            events = [r for r in records if r["type"] == "event" and r["site"] == host]
            part_text = self.html.split('<section id="%s">' % part)[1].split("</section>")[0]
            told = re.findall(r'<time datetime="([^"]*)">[^<]*</time><span><b>\d+</b>'
                              r'<span class="kind">([^<]*)</span>', part_text)
            self.assertEqual(told, [(e["at"], e["kind"].replace("-", " ")) for e in events])
            ages = [number(row[1]) for row in page.table("How old its dates are", part)]
            self.assertEqual(sum(ages), self.listed("site = '%s'" % host))
        return records

    def listed(self, where):
        """How many pages sql knows."""
        row, = self.program.run("sql", "-f", "json", (
            "SELECT count(DISTINCT loc) AS n FROM url WHERE state = 'listed' AND refused IS NULL "
            "AND " + where)).records()
        return row["n"]

    def sections(self, page, part, host, records):
        rows = {row[0]: [number(cell) for cell in row[1:]] for row in page.table("Sections", part)}
        for r in records:
            self.assertEqual(rows[r["section"]][1:],
                             [r[key] for key in ("new", "gone", "moved", "redated")])
        for name, row in rows.items():
            self.assertEqual(row[0], self.listed("loc LIKE 'http://%s:%%%s/%%'" % (host, name)))

    def days(self, page, host, site):
        rows = page.table(host + " pages a day")
        stats = self.program.run("stats", "--json", "--by", "day", "--last", "14d", host).records()
        months = {"Jan": 1, "Dec": 12}
        by_day = {}
        for name, new, gone, moved in rows:
            day, month = name.split()
            by_day["%02d-%02d" % (months[month], int(day))] = [number(new), number(gone),
                                                              number(moved)]
        stats = [r for r in stats if r["type"] == "changes" and r["at"][5:10] in by_day]
        self.assertGreater(len(stats), 12)
        for r in stats:
            self.assertEqual(by_day[r["at"][5:10]], [r["new"], r["gone"], r["moved"]], r)
        for i, key in enumerate(("new", "gone", "moved")):
            self.assertEqual(sum(day[i] for day in by_day.values()), site[key])

    def test_numbers(self):
        self.live()
        since = time.strftime("%Y-%m-%d", time.gmtime(self.clock.now() - 13 * DAY))
        page = self.report("--since", since)
        records = self.judge(page, ("--since", since))
        self.assertEqual({(r["kind"], r["site"]) for r in records if r["type"] == "event"}, {
            ("first-reading", "127.0.0.1"), ("first-reading", "127.0.0.3"),
            ("section-launched", "127.0.0.1"), ("pages-moved", "127.0.0.1"),
            ("redated", "127.0.0.3")})
        self.assertIn("All 2 sites were read within the last 26 h. Nothing waits", page.text)
        self.assertIn("Who does what", page.text)
        # dates that all moved at once say nothing
        self.assertIn('<s class="struck">25</s>', self.html)
        self.assertNotIn('<s class="struck">0', self.html)
        # what was listed at the end of each day, to the last page
        trend = [row[1] for row in page.table("Pages listed", "site-1")]
        self.assertEqual([number(n) for n in trend[1:13]],
                         [70, 70, 73, 81, 81, 84, 84, 84, 79, 79, 79, 79])
        self.links_and_limits(page)
        # a part of the time
        until = time.strftime("%Y-%m-%d", time.gmtime(self.clock.now() - 5 * DAY))
        page = self.report("--since", since, "--until", until, "127.0.0.1")
        trend = [number(row[1]) for row in page.table("Pages listed", "site-1") if row[1] != "-"]
        self.assertEqual(trend, [70, 70, 73, 81, 81, 84, 84, 84][:len(trend)])
        self.assertEqual(number(page.table("Who does what")[0][4]), 0)
        self.notes(since)
        self.zone()

    def zone(self):
        """Times are those of --tz; a year is 365 days."""
        self.assertIn("all times are UTC", self.report("--since", "1y").text)
        self.assertIn("Who does what", self.report("--since", "0.5y").text)
        first = '<time datetime="2026-01-01T00:00:00Z">2026-01-01 %s</time>'
        self.assertIn(first % "00:00", self.html)
        page = self.report("--since", "1y", "--tz", "+05:30")
        self.assertIn("times are those of the zone +05:30", page.text)
        self.assertIn(first % "05:30", self.html)
        self.assertIn("  2020-01-01T05:30:00+05:30  ", self.program.run(
            "note", "--tz", "+05:30", "--list", "127.0.0.1").out)

    def links_and_limits(self, page):
        """It loads nothing and runs nothing; each chart has its table."""
        style = re.search(r"(?s)<style>(.*?)</style>", self.html).group(1)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.assertIn("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
                      "form-action 'none'" % digest, self.html)
        self.assertEqual(page.count["figure"], 6)
        self.assertEqual(page.count["details"], page.count["figure"])
        self.assertLess(len(self.html), 60000)
        self.assertEqual(os.listdir(self.program.folder).count("r.html"), 1)

    def notes(self, since):
        """A note is a mark, and text, whatever it says."""
        day = time.strftime("%Y-%m-%d", time.gmtime(self.clock.now() - 4 * DAY))
        for change in ("added", "same"):
            result = self.program.run("note", "127.0.0.1", day, HOSTILE)
            self.assertEqual((result.status, result.out.split()[0]), (0, change), str(result))
        listed, = self.program.run("note", "--list", "--json").records()
        self.assertEqual((listed["site"], listed["at"], listed["text"]),
                         ("127.0.0.1", day + "T00:00:00Z", HOSTILE))
        row, = self.program.run("sql", "-f", "json", "SELECT * FROM note").records()
        self.assertEqual((row["site"], row["at"], row["text"]),
                         ("127.0.0.1", day + "T00:00:00Z", HOSTILE))
        page = self.report("--since", since)
        self.assertIn("<script>alert('a')</script> \"onload=x & \\xe2\\x80\\xae", page.text)
        self.assertIn('class="sign mid">A</text>', self.html)
        # an old note is not in the span
        self.assertEqual(self.program.run("note", "127.0.0.1", "2020-01-01", "long ago").status, 0)
        self.assertNotIn("long ago", self.report("--since", since).text)
        self.assertEqual(len(self.program.run("note", "--list", "127.0.0.1").out.splitlines()), 2)
        self.assertEqual(self.program.run("note", "--list", "127.0.0.3").out, "")
        # the owner of the store is asked
        for args, status in ((("127.0.0.1", day), 0), (("127.0.0.1", day), 1),
                             (("127.0.0.9", day), 1)):
            self.assertEqual(self.program.run("note", "--remove", *args).status, status, args)
        for args, message, status in (
                (("127.0.0.9", day, "x"), "is not in the store", 4),
                (("127.0.0.1", "someday", "x"), "is not a date such as", 2),
                (("127.0.0.1", day, " "), "a note is a line of", 2),
                (("127.0.0.1", day, "a\nb"), "a note is a line of", 2),
                (("127.0.0.1", day, "x" * 501), "a note is a line of", 2),
                (("127.0.0.1", day), "needs SITE, DATE and TEXT", 2),
                (("--list", "--remove"), "one of them", 2)):
            result = self.program.run("note", *args)
            self.assertEqual(result.status, status, str(result))
            self.assertIn(message, result.err)


class Missing(Reported):
    def test_missing_once(self):
        """Pages that are missing once are listed until the reading that lacks them, whatever the
        end of the report."""
        pages = self.docs[0]["/a.xml"] = {"/p/%d" % n: None for n in range(20)}
        self.crawl_day(4)
        del pages["/p/3"], pages["/p/4"]
        self.crawl_day()
        self.clock.advance(2 * DAY)
        since, until = (time.strftime("%Y-%m-%d", time.gmtime(self.clock.now() - days * DAY))
                        for days in (7, 1))
        for args, trend in (((), [20, 20, 20, 20, 18, 18, 18, 18]),
                            (("--until", until), [20, 20, 20, 20, 18, 18])):
            page = self.report("--since", since, *args, "127.0.0.1")
            self.assertEqual([number(row[1]) for row in page.table("Pages listed", "site-1")],
                             trend)


    def test_became_an_index(self):
        """So they are if the sitemap lists children instead of them."""
        site, pages = self.sites[0], ["/p/%d" % n for n in range(20)]
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/i.xml"))
        site.put("/i.xml", urlset([site.url(page) for page in pages]))
        self.crawl(site.url("/"))
        self.clock.advance(DAY)
        site.put("/i.xml", index([site.url("/a.xml")]))
        site.put("/a.xml", urlset([site.url(page + "/") for page in pages + ["/p/20"]]))
        for _ in range(2):
            self.crawl(site.url("/"))
            page = self.report("--since", "2026-01-01", "127.0.0.1")
            self.assertEqual([number(row[1]) for row in page.table("Pages listed", "site-1")],
                             [20, 21])
            self.clock.advance(HOUR)


class BuildDates(Numbers):
    """A site that gives all its pages a new date each day."""

    def test_numbers(self):
        self.docs[0]["/a.xml"] = {"/p/%d" % n: "2026-01-01" for n in range(40)}
        self.docs[1]["/c.xml"] = {"/x/%d" % n: None for n in range(5)}
        for day in range(9):
            self.docs[0]["/a.xml"] = dict.fromkeys(self.docs[0]["/a.xml"], "2026-01-%02d" % (day + 1))
            if day == 6:
                self.docs[0]["/a.xml"].update({"/launch/%d" % n: "2026-01-07" for n in range(8)})
            self.crawl_day()
        since = time.strftime("%Y-%m-%d", time.gmtime(self.clock.now() - 13 * DAY))
        page = self.report("--since", since)
        records = self.program.run("diff", "--json", "--since", since, "127.0.0.1").records()
        site, = [r for r in records if r["type"] == "site"]
        events = [r for r in records if r["type"] == "event"]
        redates = [e for e in events if e["kind"] == "redated"]
        self.assertGreater(len(redates), 4)
        # the last one stands for all of them
        kept = [e for e in events if e["kind"] != "redated" or e is redates[-1]]
        part = self.html.split('<section id="site-1">')[1].split("</section>")[0]
        told = re.findall(r'<time datetime="([^"]*)">[^<]*</time><span><b>(\d+)</b>'
                          r'<span class="kind">([^<]*)</span>', part)
        self.assertEqual(told, [(e["at"], str(n + 1), e["kind"].replace("-", " "))
                                for n, e in enumerate(kept)])
        self.assertIn("; %d such redeploys since 2026-01-02" % len(redates), part)
        # each mark of a chart has the numbers of the list
        marks = re.findall(r'class="sign mid">([0-9-]+)</text>', part.split("<table")[0])
        by_day = {}
        for at, n, _ in told:
            by_day.setdefault(at[:10], []).append(n)
        self.assertEqual(marks, [n[0] if len(n) == 1 else n[0] + "-" + n[-1]
                                 for _, n in sorted(by_day.items())])
        # and the numbers beside are those of diff and stats
        self.days(page, "127.0.0.1", site)
        row, = [r for r in page.table("Who does what") if r[0] == "127.0.0.1"]
        self.assertEqual([number(cell) for cell in row[2:7]],
                         [site[key] for key in ("listed", "new", "gone", "moved", "redated")])
        self.assertIn('<s class="struck">%d</s>' % site["redated"], part)


class Edges(Reported):
    def test_one_reading(self):
        """Without history there are no changes, and no chart of nothing."""
        self.docs[0]["/a.xml"] = {"/p/1": None}
        self.docs[1]["/a.xml"] = {}
        self.crawl_day()
        page = self.report()
        self.assertEqual([number(cell) for cell in page.table("Who does what")[0][2:7]],
                         [1, 0, 0, 0, 0])
        self.assertIn("1 event; 0 pages new", page.text)

    def test_missing_once(self):
        """Pages that a sitemap lacks for the first time are none of its entries."""
        self.docs[0]["/a.xml"] = {"/p/%d" % n: "2026-01-01" for n in range(20)}
        self.docs[1]["/a.xml"] = {"/p/1": None}
        self.crawl_day()
        for n in range(3):
            del self.docs[0]["/a.xml"]["/p/%d" % n]
        self.crawl_day()
        row, = [r for r in self.report().table("Sitemaps", "site-1") if r[0] == "/a.xml"]
        self.assertEqual([" ".join(cell.split()) for cell in row[1:3]], ["17", "100 %"])

    def test_doubt(self):
        self.docs = [{"/a.xml": {"/p/%d" % n: None for n in range(20)}} for _ in range(2)]
        self.crawl_day(2)
        self.sites[0].put("/a.xml", "", status=503)
        self.crawl("--retry", "0", self.sites[0].url("/"), status=None)
        self.clock.advance(DAY / 4)
        page = self.report("--since", "3d")
        self.assertIn("1 of 2 sites was read within the last 26 h. 1 document of 1 site cannot be "
                      "read now; nothing counts as gone for that.", page.text)
        self.assertIn('<p class="trust doubt">', self.html)
        self.assertIn("its sitemap fails", page.table("Who does what")[0][-1])

    def test_not_come_to(self):
        """What a crawl did not come to, because robots.txt failed, lists what it listed."""
        self.docs = [{"/a.xml": {"/p/1": "2026-01-01"}} for _ in range(2)]
        self.crawl_day()
        self.sites[0].put("/robots.txt", "", status=500)
        self.crawl("--retry", "0", self.sites[0].url("/"), status=None)
        page = self.report()
        row, = [r for r in page.table("Who does what") if "robots.txt fails" in r[-1]]
        self.assertEqual(row[-2], "2026-01-01")
        self.assertEqual([r[:2] for r in page.table("Sitemaps", "site-1")],
                         [r[:2] for r in page.table("Sitemaps", "site-2")]
                         + [["/robots.txt", "-"]])

    def test_full_disk(self):
        """The old page stays, and nothing lies beside it."""
        self.docs = [{"/a.xml": {"/p/1": None}} for _ in range(2)]
        self.crawl_day()
        self.report("--since", "60d")
        self.assertGreater(len(self.html), 34000)
        before, names = self.html, sorted(os.listdir(self.program.folder))
        # SQLite needs 32 KiB beside the store
        result = self.program.run("report", "--html", self.path, "--since", "60d",
                                  limits=((resource.RLIMIT_FSIZE, 33000),))
        self.assertEqual(result.status, 7, str(result))
        self.assertIn("cannot write to '%s'" % self.path, result.err)
        with open(self.path, encoding="utf-8") as f:
            self.assertEqual(f.read(), before)
        self.assertEqual(sorted(os.listdir(self.program.folder)), names)
        self.assertEqual(self.program.run("report", "--html", "-", "--since", "60d").out, before)

    def test_no_store(self):
        self.assertEqual(self.program.run("report", "--html", "r.html").status, 2)

    def test_wrong_options(self):
        self.assertIn("needs --html FILE", self.program.run("report").err)
        self.docs = [{"/a.xml": {"/p/1": None}} for _ in range(2)]
        self.crawl_day()
        for args, message, status in (
                (("no.test",), "no.test", 4), (("--tag", "friends"), "no site", 4),
                (("--since", "1d", "--until", "2d"), "'--since' must be before '--until'", 2),
                ((self.sites[0].url("/a.xml"),), "'report' is of whole sites", 2)):
            result = self.program.run("report", "--html", "r.html", *args)
            self.assertEqual(result.status, status, str(result))
            self.assertIn(message, result.err)
        self.assertNotIn("r.html", os.listdir(self.program.folder))


if __name__ == "__main__":
    unittest.main()
