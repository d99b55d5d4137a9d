"""Fetching pages: freshet fetch, and run --fetch."""
import contextlib
import gzip
import json
import os
import re
import signal
import socket
import sqlite3
import threading
import time

import warc
from case import Case, urlset
from daemon import Daemon
from late import assert_sooner
from program import interrupt
from test_json import flat, tables

TEXT = "<p>" + "All about tea, its leaves and its seasons, in many words. " * 12 + "</p>"
HTML = [("Content-Type", "text/html; charset=utf-8")]


def page(n, head="", body=TEXT):
    return ("<!doctype html><html lang=en><head><title>Page %s</title>"
            "<meta name=description content='About %s'>%s</head><body>%s<p>%s</p></body></html>"
            % (n, n, head, body, n))


def records(folder):
    """(type, URL) and the bytes of each record of the WARC files of a folder."""
    found = []
    for name in sorted(os.listdir(folder)):
        if ".warc.gz" not in name:
            continue
        with gzip.open(os.path.join(folder, name)) as f:
            data = f.read()
        while data:
            head, _, rest = data.partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
            length = int(fields["Content-Length"])
            found.append((fields["WARC-Type"], fields.get("WARC-Target-URI"), rest[:length]))
            data = rest[length + 4:]
    return found


class Fetching(Case):
    """A store with one site of a few pages."""

    def setUp(self):
        super().setUp()
        self.one = self.make("127.0.0.1", 4)
        self.pages_folder = os.path.join(self.program.folder, "pages")

    def make(self, address, pages, **kwargs):
        site = self.site(address=address, **kwargs)
        site.put("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: %s\n"
                 % site.url("/s.xml"))
        for n in range(pages):
            site.put("/p%d" % n, page(n), headers=HTML, etag='"%d"' % n)
        self.listed(site, *("/p%d" % n for n in range(pages)))
        return site

    def listed(self, site, *paths):
        site.put("/s.xml", urlset([site.url(path) for path in paths]))
        self.crawl(site.url("/"))

    def fetch(self, *args, status=0, **kwargs):
        result = self.program.run("fetch", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def objects(self, *args, status=0):
        """The objects of the pages, by their paths."""
        found = self.fetch("--json", *args, status=status).records()
        pages = {"/" + r["url"].split("/", 3)[3]: r for r in found if r["type"] == "page"}
        self.assertEqual(len(pages), sum(r["type"] == "page" for r in found))
        self.assertEqual(found[-1]["type"], "summary")
        self.assertEqual(found[-1]["pages"], len(pages))
        return pages

    def asked(self, site, path):
        return [r for r in site.requests if r.target == path]


class Fetch(Fetching):
    def test_pages(self):
        result = self.fetch()
        lines = result.out.splitlines()
        self.assertEqual(sorted(lines[:4]), [
            "fetched      200  %s  Page %d" % (self.one.url("/p%d" % n), n) for n in range(4)])
        self.assertRegex(lines[4], r"^4 pages in [\d.]+ s, [\d.]+ kB$")
        self.assertEqual(lines[5:], ["    4 fetched"])
        again = self.fetch()
        self.assertEqual(again.out, "")
        self.assertRegex(again.err, r"^freshet: nothing is due; the next may be at 2\S+Z\n$")
        self.assertEqual(len(self.asked(self.one, "/p0")), 1)

    def test_object(self):
        self.one.put("/p0", page(0, "<link rel=canonical href=/c><meta name=robots content=nofollow>",
                                 TEXT + "<a href=/p1>one</a><a href=/p2>two</a>"),
                     headers=HTML, etag='"x"', modified="Mon, 05 Jan 2026 10:00:00 GMT")
        self.listed(self.one, "/p0")
        found = self.objects()["/p0"]
        self.assertRegex(found.pop("content_hash"), "^[0-9a-f]{32}$")
        self.assertRegex(found.pop("fetched"), r"^2\d{3}-.*Z$")
        self.assertGreaterEqual(found.pop("ms"), 0)
        self.assertGreater(found.pop("bytes"), 500)
        self.assertEqual(found, {
            "v": 1, "type": "page", "url": self.one.url("/p0"), "status": 200,
            "outcome": "fetched", "title": "Page 0", "description": "About 0", "language": "en",
            "canonical": self.one.url("/c"), "robots": "nofollow", "links": 2, "changed": False,
            "content_type": "text/html; charset=utf-8", "etag": '"x"',
            "last_modified": "Mon, 05 Jan 2026 10:00:00 GMT", "noindex": False})

    def test_count_and_sites(self):
        two = self.make("127.0.0.2", 3)
        self.assertEqual(len(self.objects("-n", "2", "127.0.0.2")), 2)
        self.assertEqual(len(self.asked(self.one, "/p0")), 0)
        self.program.run("add", "--tag", "tea", two.url("/"))
        self.assertEqual(len(self.objects("--tag", "tea")), 1)
        self.assertEqual(len(self.objects("-n", "100")), 4)

    def test_unknown(self):
        result = self.fetch("nobody.example", status=4)
        self.assertEqual(result.err, "freshet: 'nobody.example' is not in the store; run "
                         "'freshet crawl nobody.example' first\n")
        result = self.fetch("--tag", "tea", status=4)
        self.assertEqual(result.err, "freshet: no site of the watch list has the tag 'tea'\n")
        result = self.fetch("nobody.example", "127.0.0.1", status=1)
        self.assertIn("4 pages in ", result.out)
        self.program.store += ".none"
        result = self.fetch(status=2)
        self.assertIn("freshet: there is no store '%s'" % self.program.store, result.err)

    def test_at_once(self):
        """So many hosts are asked at the same time."""
        two = self.make("127.0.0.2", 2)
        for site in (self.one, two):
            for n in range(2):
                site.put("/p%d" % n, page(n), headers=HTML, delay=0.2)
        self.listed(self.one, "/p0", "/p1")
        self.fetch("--at-once", "1")
        spans = [[(r.at, r.end) for n in range(2) for r in self.asked(site, "/p%d" % n)]
                 for site in (self.one, two)]
        self.assertEqual([len(s) for s in spans], [2, 2])
        for at, end in spans[0]:
            for other_at, other_end in spans[1]:
                self.assertTrue(end <= other_at or other_end <= at, spans)

    def test_usage(self):
        for args, why in ((("--follow", "-n", "3"), "'--follow' and '-n 3' do not go together"),
                          (("--texts", "-"), "'--texts -' needs --json: texts are members of the "
                           "objects on stdout"),
                          (("--at-once", "0"), "'--at-once' ")):
            result = self.fetch(*args, status=2)
            self.assertIn("freshet: " + why, result.err)
        result = self.fetch("--warc", "/proc/none", status=7)
        self.assertIn("/proc/none", result.err)
        self.assertEqual(self.asked(self.one, "/p0"), [])

    def test_outcomes(self):
        """Each outcome, in the objects and for people."""
        one = self.one
        one.put("/p0", status=404)
        one.put("/p1", status=301, headers=[("Location", "/p2")])
        one.put("/p3", status=302, headers=[("Location", "/p2")])
        one.put("/p4", status=301, headers=[("Location", "/private/x")])
        one.put("/p5", status=500)
        one.put("/p6", status=302, headers=[("Location", "/login?next=/p6")])
        one.put("/login", page("login", body="<form><input type=password></form>"), headers=HTML)
        one.put("/p7", page(7, "<meta name=robots content=noindex>"), headers=HTML)
        one.put("/p8", page(8), headers=HTML + [("X-Robots-Tag", "none")])
        one.put("/p9", page(9, "<meta name=Freshet content='nofollow, noindex'>"), headers=HTML)
        one.put("/p10", page(10, "<meta name=bingbot content=noindex>"), headers=HTML)
        one.put("/p11", page(11), headers=HTML + [("X-Robots-Tag", "Freshet: noindex")])
        one.put("/p12", page(12), headers=HTML + [("X-Robots-Tag", "bingbot: noindex")])
        one.put("/p13", status=302, headers=[("Location", "http://sso.example/?next=13")])
        one.put("/p14", status=302, headers=[("Location", "/oauth2/authorize")])
        self.listed(one, *("/p%d" % n for n in range(15)))
        found = self.objects("--retry", "0", status=1)
        self.assertEqual({path: (p["status"], p["outcome"], p.get("location"), p["noindex"])
                          for path, p in found.items()}, {
            "/p0": (404, "gone", None, False),
            "/p1": (301, "moved", one.url("/p2"), False),
            "/p2": (200, "fetched", None, False),
            "/p3": (200, "fetched", one.url("/p2"), False),
            "/p4": (301, "moved", one.url("/private/x"), False),
            "/p5": (500, "failed", None, False),
            "/p6": (302, "failed", one.url("/login?next=/p6"), False),
            "/p7": (200, "fetched", None, True),
            "/p8": (200, "fetched", None, True),
            "/p9": (200, "fetched", None, True),
            "/p10": (200, "fetched", None, False),
            "/p11": (200, "fetched", None, True),
            "/p12": (200, "fetched", None, False),
            "/p13": (302, "failed", "http://sso.example/?next=13", False),
            "/p14": (302, "failed", one.url("/oauth2/authorize"), False)})
        self.assertEqual({path for path, p in found.items() if p.get("wall") == "login"}, {"/p6", "/p13", "/p14"})
        self.assertEqual(found["/p1"]["final_url"], one.url("/p2"))
        self.assertEqual(self.asked(one, "/private/x"), [])
        self.assertEqual(self.asked(one, "/login?next=/p6") + self.asked(one, "/oauth2/authorize"), [])
        explained = self.program.run("explain", one.url("/p4")).out
        self.assertIn(one.url("/private/x"), explained)

    def test_no_page(self):
        """Of the answers with success only status 200 is a page: the others have an error, and failed."""
        statuses = (201, 202, 203, 204, 205, 206, 226)
        for status in statuses:
            self.one.put("/%d" % status, "" if status in (204, 205) else page(status), headers=HTML,
                         status=status, etag='"%d"' % status)
        self.listed(self.one, *("/%d" % status for status in statuses))
        found = self.objects("--warc", self.pages_folder, status=4)
        self.assertEqual(
            {path: (p["status"], p["outcome"], p["error"], p["content_hash"]) for path, p in found.items()},
            {"/%d" % status: (status, "failed", "status %d" % status, None) for status in statuses})

    def test_packed(self):
        """A page that the server packed, and cut or spoilt, is none; one that freshet cut is one."""
        packed = gzip.compress(page(0, body=TEXT * 100 + os.urandom(15000).hex()).encode())
        coded = HTML + [("Content-Encoding", "gzip")]
        self.one.put("/p0", packed, headers=coded)
        self.one.put("/p1", packed[:-9], headers=coded)
        self.one.put("/p2", packed[:-8] + b"CRC " + packed[-4:], headers=coded)
        self.one.put("/p3", gzip.compress(packed), headers=coded)
        found = self.objects("--texts", self.pages_folder, status=1)
        self.assertEqual(
            {path: (p["outcome"], p.get("error"), p["title"], p["content_hash"] is None)
             for path, p in found.items()}, {
            "/p0": ("fetched", None, "Page 0", False),
            "/p1": ("failed", "its gzip stream ends too early", None, True),
            "/p2": ("failed", "it cannot be unpacked", None, True),
            "/p3": ("fetched", None, "Page 0", False)})
        two = self.make("127.0.0.2", 1)
        two.put("/p0", packed, headers=coded)
        found = self.objects("--max-bytes", "10K", "127.0.0.2")["/p0"]
        self.assertEqual((found["outcome"], found["title"], found["bytes"]), ("fetched", "Page 0", 10240))

    def test_texts_on_stdout(self):
        self.one.put("/p0", page("caf\u00e9 <b>&amp;</b> tea").encode("latin-1"),
                     headers=[("Content-Type", "text/html; charset=iso-8859-1")])
        self.listed(self.one, "/p0")
        found = self.objects("--texts", "-")["/p0"]
        self.assertIn("All about tea", found["text"])
        self.assertIn("caf\u00e9 & tea", found["text"])

    def test_quiet(self):
        result = self.fetch("--quiet")
        self.assertEqual((result.out, result.err), ("", ""))
        self.assertEqual(len(self.asked(self.one, "/p3")), 1)

    def test_progress(self):
        """A line at a terminal, and objects for programs."""
        self.one.put("/p0", page(0), headers=HTML, delay=0.7)
        self.program.variables["TERM"] = "xterm"
        shown = self.program.at_terminal(80, "fetch", has_stderr=True)
        self.assertTrue(any(re.search(r"fetching  [0-3] pages  [\d.]+ k?B  [\d.]+ pages/s", line)
                            for line in shown), shown)
        self.listed(self.one, "/p0", "/new")
        self.one.put("/new", page("new"), headers=HTML, delay=1.4)
        result = self.fetch("--progress", "json")
        line = json.loads(result.err.splitlines()[-1])
        self.assertEqual((line["type"], line["pages"], line["pages_done"]), ("progress", 1, 0))

    def test_robots_of_the_target(self):
        """robots.txt of the origin that a redirect leads to decides."""
        two = self.site(address="127.0.0.2")
        two.put("/robots.txt", "User-agent: *\nDisallow: /no\n")
        two.put("/yes", page("yes"), headers=HTML)
        two.put("/no", page("no"), headers=HTML)
        self.one.put("/p0", status=302, headers=[("Location", two.url("/yes"))])
        self.one.put("/p1", status=302, headers=[("Location", two.url("/no"))])
        self.listed(self.one, "/p0", "/p1")
        # the operator allows the other address; a redirect alone does not
        found = self.objects("--allow-address", "127.0.0.2", "--resolve",
                             "127.0.0.2:%d:127.0.0.2" % two.port, status=1)
        self.assertEqual((found["/p0"]["status"], found["/p0"]["title"]), (200, "Page yes"))
        self.assertEqual((found["/p1"]["status"], found["/p1"]["outcome"]), (302, "failed"))
        self.assertEqual(len(self.asked(two, "/robots.txt")), 1)
        self.assertEqual(self.asked(two, "/no"), [])


class Held(Fetching):
    MANY = 30

    def test_given_back(self):
        """Pages that are leased when their host asks for an hour are given back, and come when that is over."""
        self.follow_clock()
        paths = ["/p%d" % n for n in range(self.MANY)]
        for path in paths:
            self.one.put(path, status=429, headers=[("Retry-After", "3600")])
        self.listed(self.one, *paths)
        process = self.program.start("fetch", "--follow", "--json")
        late = threading.Timer(60, process.kill)
        late.start()
        self.addCleanup(late.cancel)
        limited = json.loads(process.stdout.readline())
        self.assertEqual((limited["status"], limited["outcome"]), (429, "failed"))
        for n, path in enumerate(paths):
            self.one.put(path, page(n), headers=HTML)
        self.clock.advance(3700)
        came = set()
        while len(came) < self.MANY:
            one = json.loads(process.stdout.readline())
            if one["status"] == 200:
                came.add(one["url"])
        process.send_signal(signal.SIGINT)
        summary = json.loads(process.communicate(timeout=600)[0].splitlines()[-1])
        self.assertEqual(summary["outcomes"]["fetched"], self.MANY)
        self.assertGreater(summary["returned"], 0)


class Fields(Fetching):
    def test_fields(self):
        """json.md has the fields of these objects, and no other."""
        self.one.put("/p0", status=302, headers=[("Location", "/login")])
        self.one.put("/p1", status=301, headers=[("Location", "/p2")])
        self.one.put("/p2", page(2), headers=HTML + [("Content-Usage", "search=y"), ("X-Robots-Tag", "noarchive")],
                     etag='"2"', modified="Mon, 05 Jan 2026 10:00:00 GMT")
        found = self.fetch("--json", "--texts", "-", "--warc", self.pages_folder, status=1).records()
        wanted = tables()
        for kind in ("page", "summary"):
            fields = set()
            for record in found:
                if record["type"] == kind:
                    fields |= flat({k: v for k, v in record.items() if k not in ("v", "type")}, "",
                                   wanted["fetch: " + kind])
            self.assertEqual(fields, wanted["fetch: " + kind])


class Revisit(Fetching):
    def setUp(self):
        Case.setUp(self)
        self.follow_clock()
        self.one = self.make("127.0.0.1", 4)
        self.pages_folder = os.path.join(self.program.folder, "pages")

    def due_again(self):
        """From now on every page is due."""
        self.clock.advance(100 * 86400)
        self.crawl(self.one.url("/"))

    def said(self):
        """What the store has of each page: when it was read, title and description."""
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            return {"/" + url.split("/", 3)[3]: tuple(row) for url, *row in map(tuple, db.execute(
                "SELECT url, at_s, title, description FROM page_says JOIN page ON id = page_id"))}

    def test_revisit(self):
        first = self.objects("--warc", self.pages_folder)
        self.assertEqual({p["archive"]["revisit"] for p in first.values()}, {False})
        said = self.said()
        self.one.put("/p1", page(1), headers=HTML)     # no ETag any more, the same bytes
        self.one.put("/p2", page(2, body=TEXT + "new"), headers=HTML, etag='"new"')
        self.due_again()
        again = self.objects("--warc", self.pages_folder)
        self.assertEqual({path: (p["status"], p["outcome"], p["changed"], p["archive"]["revisit"])
                          for path, p in again.items()}, {
            "/p0": (304, "not-modified", False, True), "/p1": (200, "same", False, True),
            "/p2": (200, "changed", True, False), "/p3": (304, "not-modified", False, True)})
        kinds = sorted((kind, url[-3:]) for kind, url, _ in records(self.pages_folder)
                       if kind in ("response", "revisit"))
        self.assertEqual(kinds, [("response", "/p%d" % n) for n in (0, 1, 2, 2, 3)]
                         + [("revisit", "/p%d" % n) for n in (0, 1, 3)])
        # what a page says is written when that is something else
        self.assertEqual(self.said(), said)
        self.one.put("/p1", page(7), headers=HTML)
        self.due_again()
        self.objects()
        now = self.said()
        self.assertEqual(said.pop("/p1")[1:], ("Page 1", "About 1"))
        self.assertEqual(now.pop("/p1")[1:], ("Page 7", "About 7"))
        self.assertEqual(said, now)
        # another folder has no answer that "not modified" could mean
        self.due_again()
        other = self.objects("--warc", self.pages_folder + "2")
        self.assertEqual({(p["status"], p["archive"]["revisit"]) for p in other.values()},
                         {(200, False)})
        # without an archive, validators save the body
        self.due_again()
        self.assertEqual({p["status"] for path, p in self.objects().items() if path != "/p1"},
                         {304})


    def test_another_fetch_between(self):
        """"Not modified" means what the archive has: not what a fetch brought that was not archived."""
        def archived(path, revisit):
            self.due_again()
            found = self.objects("--warc", self.pages_folder)[path]
            self.assertEqual((found["status"], found["archive"]["revisit"]), (200, revisit))

        self.objects("--warc", self.pages_folder)
        second = dict(body=page(0, body=TEXT * 100 + "new"), headers=HTML, etag='"second"')
        self.one.put("/p0", **second)
        self.due_again()
        self.objects()
        archived("/p0", False)
        # a page that was cut, and a redirect to another URL
        self.one.put("/p0", page(0, body=TEXT * 100 + "newer"), headers=HTML, etag='"third"')
        self.due_again()
        self.objects("--warc", self.pages_folder, "--max-bytes", "5K")
        archived("/p0", False)
        self.one.put("/p0", status=302, headers=[("Location", "/else")])
        self.one.put("/else", page("else"), headers=HTML, etag='"else"')
        self.due_again()
        self.objects("--warc", self.pages_folder)
        self.one.put("/p0", page("else"), headers=HTML, etag='"else"')
        archived("/p0", False)
        # what another fetcher reports
        self.one.put("/p0", **second)
        self.due_again()
        self.program.run("done", input=json.dumps(
            {"url": self.one.url("/p0"), "status": 200, "etag": '"second"'}) + "\n")
        archived("/p0", False)
        self.assertEqual(warc.read_folder(self.pages_folder)[1], [])

    def test_failure(self):
        """The validators of an error page, or of a login, are not those of the page."""
        self.objects()
        self.one.put("/p0", "an error", status=500, etag='"error"')
        self.one.put("/p1", page(1, body="<form><input type=password></form>"), headers=HTML,
                     etag='"login"')
        self.due_again()
        found = self.objects(status=1)
        self.assertEqual({path: p["outcome"] for path, p in found.items()},
                         {"/p0": "failed", "/p1": "failed", "/p2": "not-modified",
                          "/p3": "not-modified"})
        self.due_again()
        self.objects(status=1)
        self.assertEqual([r.header("If-None-Match") for path in ("/p0", "/p1")
                          for r in self.asked(self.one, path)], [None, '"0"', '"0"', None, '"1"', '"1"'])

    def test_form(self):
        """Main texts in a folder are not what a WARC file in it can refer to."""
        self.objects("--texts", self.pages_folder)
        self.due_again()
        self.assertEqual({p["status"] for p in self.objects("--warc", self.pages_folder).values()}, {200})
        self.due_again()
        self.assertEqual({p["status"] for p in self.objects("--texts", self.pages_folder).values()}, {200})
        self.assertEqual(warc.read_folder(self.pages_folder)[1], [])


class Archive(Fetching):
    def test_where_it_lies(self):
        found = self.objects("--warc", self.pages_folder)
        for path, p in found.items():
            place = p.pop("archive")
            with open(os.path.join(self.pages_folder, place["file"]), "rb") as f:
                f.seek(place["offset"])
                record = gzip.decompress(f.read(place["length"]))
            self.assertIn(b"WARC-Record-ID: <%s>" % place["id"].encode(), record)
            self.assertIn(b"Page " + path[2:].encode(), record)
        metadata = {url: json.loads(body) for kind, url, body in records(self.pages_folder)
                    if kind == "metadata"}
        self.assertEqual(metadata, {"urn:X-freshet:" + p["url"]: p for p in found.values()})

    def test_documents(self):
        """--warc-sitemaps: robots.txt and sitemaps as they come, in the crawl that asks for them."""
        two = self.site(address="127.0.0.2")
        two.put("/robots.txt", "Sitemap: %s\n" % two.url("/s.xml"))
        two.put("/s.xml", gzip.compress(urlset([two.url("/p")]).encode()), etag='"1"')
        options = ("--warc", self.pages_folder, "--warc-sitemaps")
        self.crawl(two.url("/"), *options)
        self.crawl(two.url("/"), "--force", *options)
        self.assertEqual(
            [(kind, url[len(two.url("")):], block.split()[1], block.partition(b"\r\n\r\n")[2])
             for kind, url, block in records(self.pages_folder) if kind == "response"],
            [("response", "/robots.txt", b"200", two.replies["/robots.txt"].body),
             ("response", "/s.xml", b"200", two.replies["/s.xml"].body)] * 2)
        # what a file of this machine says is no answer of a server
        path = os.path.join(self.program.folder, "local.xml")
        with open(path, "w", encoding="ascii") as f:
            f.write(urlset([two.url("/q")]))
        count = len(records(self.pages_folder))
        self.program.run("crawl", path, *options)
        self.assertEqual(len(records(self.pages_folder)), count)
        for args, why in ((("crawl", "--warc", "x", "/"), "'crawl --warc' needs '--warc-sitemaps'"),
                          (("fetch", "--warc-sitemaps"), "'--warc-sitemaps' needs '--warc FOLDER'")):
            result = self.program.run(*args)
            self.assertEqual((result.status, why in result.err), (2, True), str(result))
        result = self.program.run("crawl", two.url("/"), "--warc", path, "--warc-sitemaps")
        self.assertEqual((result.status, result.err), (7, "freshet: cannot open '%s': Not a directory\n" % path))

    def test_documents_elsewhere(self):
        """An owner that archives no sitemaps does not do it for a client, which is told."""
        daemon = Daemon(self.program)
        daemon.wait("started")
        result = self.program.run("crawl", self.one.url("/"), "--warc", self.pages_folder, "--warc-sitemaps")
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("the 'run' that holds this store has no '--warc-sitemaps'", result.err)
        self.fetch("--warc", self.pages_folder, "--warc-sitemaps", status=2)
        self.assertEqual(daemon.end(), 143)

    def test_redirects(self):
        self.one.put("/p0", status=302, headers=[("Location", "/p1")])
        self.listed(self.one, "/p0")
        self.objects("--warc", self.pages_folder)
        self.assertEqual([(kind, url and url[-3:]) for kind, url, _ in records(self.pages_folder)
                          if kind == "response"], [("response", "/p0"), ("response", "/p1")])

    def test_redirects_not_followed(self):
        """The last answer is that of the last redirect, and final_url the last URL that was asked for."""
        for path, to in (("/p4", "/private/x"), ("/p5", "/p4"), ("/p6", "/broken"), ("/p7", "/p7")):
            self.one.put(path, status=302, headers=[("Location", to)])
        self.one.put("/broken", raw=b"no HTTP\r\n\r\n")
        self.listed(self.one, "/p4", "/p5", "/p6", "/p7")
        found = self.objects("--warc", self.pages_folder, "--retry", "0", status=4)
        self.assertEqual({path: [p["status"]] + [p.get(key) and p[key][len(self.one.url("")):]
                                                 for key in ("location", "final_url")]
                          for path, p in found.items()}, {
            "/p4": [302, "/private/x", None],
            "/p5": [302, "/p4", "/p4"],
            "/p6": [0, "/broken", "/broken"],
            "/p7": [302, "/p7", None]})
        for path, p in found.items():
            with open(os.path.join(self.pages_folder, p["archive"]["file"]), "rb") as f:
                f.seek(p["archive"]["offset"])
                record = gzip.decompress(f.read(p["archive"]["length"]))
            # no answer came from /broken
            url = p["url"] if path == "/p6" else p.get("final_url", p["url"])
            self.assertIn(b"WARC-Target-URI: %s\r\n" % url.encode(), record)

    def test_texts(self):
        self.one.put("/p3", status=404)
        result = self.fetch("--texts", self.pages_folder)
        self.assertIn("texts: " + self.pages_folder, result.out)
        name, = (n for n in os.listdir(self.pages_folder) if n.endswith(".jsonl.gz"))
        with gzip.open(os.path.join(self.pages_folder, name), "rt") as f:
            lines = [json.loads(line) for line in f]
        self.assertEqual(sorted(line["title"] for line in lines), ["Page 0", "Page 1", "Page 2"])
        self.assertTrue(all("All about tea" in line["text"] for line in lines))

    def test_long_page(self):
        self.one.put("/p0", page(0, body=TEXT * 100), headers=HTML)
        self.listed(self.one, "/p0")
        found = self.objects("--warc", self.pages_folder, "--max-bytes", "5K")["/p0"]
        self.assertEqual((found["status"], found["title"]), (200, "Page 0"))
        self.assertLess(found["archive"]["length"], 5000)
        found = [body for kind, _, body in records(self.pages_folder) if kind == "response"]
        self.assertEqual(len(found[0].partition(b"\r\n\r\n")[2]), 5120)


class Exec(Fetching):
    def program_of(self, text):
        path = os.path.join(self.program.folder, "program.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write("import json, sys\nout = open(%r, 'a')\n%s" % (path + ".out", text))
        return "python3 " + path, path + ".out"

    def test_ok(self):
        program, out = self.program_of("""
for line in sys.stdin:
    page = json.loads(line)
    print(page['title'], 'All about tea' in page['text'], file=out, flush=True)
    print('ok', flush=True)
""")
        self.fetch("--exec", program)
        with open(out, encoding="utf-8") as f:
            self.assertEqual(sorted(f), ["Page %d True\n" % n for n in range(4)])
        self.assertIn("nothing is due", self.fetch().err)

    def test_refused(self):
        self.follow_clock()
        program, _ = self.program_of("""
for line in sys.stdin:
    print('no' if '/p1"' in line else 'ok', flush=True)
""")
        self.listed(self.one, "/p0", "/p1")
        found = self.objects("--exec", program, status=1)
        self.assertEqual({path: (p["outcome"], p.get("error")) for path, p in found.items()}, {
            "/p0": ("fetched", None), "/p1": ("failed", "the program of --exec did not take it")})
        # it is not asked for without end, but after an hour
        self.assertEqual(len(self.asked(self.one, "/p1")), 1)
        self.assertEqual(self.objects(), {})
        self.clock.advance(3700)
        self.assertEqual(set(self.objects()), {"/p1"})

    def test_death(self):
        program, _ = self.program_of("sys.stdin.readline(); print('ok', flush=True); sys.exit(3)\n")
        self.fetch("--exec", program, status=3)
        self.assertEqual(len(self.objects()), 3)


class Owners(Fetching):
    def test_beside_run(self):
        """`run` without --fetch fetches for a client, and says so to nobody else."""
        daemon = Daemon(self.program)
        daemon.wait("started")
        self.assertEqual(len(self.objects("--warc", self.pages_folder)), 4)
        self.assertEqual(len([r for r in records(self.pages_folder) if r[0] == "response"]), 4)
        self.assertEqual(daemon.end(), 143)

    def test_foreign_client(self):
        """A filter that no freshet sends makes a wrong request, and no full disk."""
        daemon = Daemon(self.program)
        daemon.wait("started")
        path, aside = self.program.store + ".sock", os.path.join(self.program.folder, "aside")
        os.rename(path, aside)
        # a request as freshet sends it
        with socket.socket(socket.AF_UNIX) as owner:
            owner.bind(path)
            owner.listen()
            client = self.program.start("fetch")
            peer, _ = owner.accept()
            with peer, peer.makefile() as lines:
                request = json.loads(lines.readline())
                peer.sendall(b'{"v":1,"type":"end","exit":0}\n')
                client.wait(600)
        for rule, status in (("depth=x", 2), ("nothing=1", 2), ("depth=9", 0)):
            with socket.socket(socket.AF_UNIX) as peer, peer.makefile() as lines:
                peer.connect(aside)
                peer.sendall(json.dumps({**request, "filter": [rule]}).encode() + b"\n")
                self.assertEqual(json.loads(lines.readlines()[-1])["exit"], status)
        self.assertEqual(daemon.end(), 143)

    def test_run_fetch(self):
        self.program.run("add", self.one.url("/"))
        daemon = Daemon(self.program, "--fetch", "--warc", self.pages_folder)
        daemon.wait("started")
        self.one.wait_for("/p3")
        self.assertEqual(daemon.end(), 143)
        fetched = daemon.all("fetched")
        self.assertEqual((fetched[-1]["pages"], fetched[-1]["fetched"]), (4, 4))
        self.assertEqual(len([r for r in records(self.pages_folder) if r[0] == "response"]), 4)
        self.assertFalse([n for n in os.listdir(self.pages_folder) if n.endswith(".open")])

    def test_run_ends(self):
        """A page that does not come holds up the end of `run` for seconds only."""
        self.one.put("/p0", page(0), headers=HTML, delay=30)
        self.program.run("add", self.one.url("/"))
        daemon = Daemon(self.program, "--fetch")
        with self.one.lock:
            while not self.asked(self.one, "/p0"):
                self.one.arrived.wait(600)
        began = time.monotonic()
        self.assertEqual(daemon.end(), 143)
        assert_sooner(time.monotonic() - began, 5)
        self.one.put("/p0", page(0), headers=HTML)
        self.assertIn("/p0", self.objects())

    def test_once(self):
        """Sitemaps first, then the pages that they list."""
        self.one.put("/s.xml", urlset([self.one.url("/p%d" % n) for n in range(4)]
                                      + [self.one.url("/p9")]))
        self.one.put("/p9", page(9), headers=HTML)
        two = self.make_unread("127.0.0.2")
        self.program.run("add", two.url("/"))
        result = self.program.run("run", "--once", "--fetch", "--log", "json")
        self.assertEqual(result.status, 0, str(result))
        self.assertEqual(len(self.asked(two, "/new")), 1)

    def make_unread(self, address):
        site = self.site(address=address)
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
        site.put("/s.xml", urlset([site.url("/new")]))
        site.put("/new", page("new"), headers=HTML)
        return site

    def test_no_folder(self):
        result = self.program.run("run", "--fetch", "--warc", "/proc/none", "--log", "json")
        self.assertEqual(result.status, 7, str(result))

    def test_beside_due(self):
        """Each gets what the other one has not."""
        due = self.program.run("due", "-n", "2", "--per-host", "0").records()
        found = self.objects()
        self.assertEqual(len(found), 2)
        self.assertFalse({p["url"] for p in due} & {p["url"] for p in found.values()})

    def test_two_at_once(self):
        """Two commands, one store, one folder: each page once."""
        for n in range(4):
            self.one.put("/p%d" % n, page(n), headers=HTML, delay=0.3)
        both = [self.program.start("fetch", "--json", "--warc", self.pages_folder)
                for _ in range(2)]
        out = [process.communicate(timeout=600)[0] for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0])
        urls = [json.loads(line)["url"] for text in out for line in text.splitlines()
                if json.loads(line)["type"] == "page"]
        self.assertEqual(sorted(urls), [self.one.url("/p%d" % n) for n in range(4)])
        self.assertEqual(sorted(url for kind, url, _ in records(self.pages_folder)
                                if kind == "response"), sorted(urls))

    def test_owner_ends(self):
        """The owner leaves: the command goes on by itself, and no page is fetched twice."""
        for n in range(4):
            self.one.put("/p%d" % n, page(n), headers=HTML, delay=0.4)
        for number in (signal.SIGTERM, signal.SIGKILL):
            daemon = Daemon(self.program)
            daemon.wait("started")
            del self.one.requests[:]
            process = self.program.start("fetch", "--json", "-n", "2")
            with self.one.lock:
                while not self.one.requests:
                    self.one.arrived.wait(600)
            daemon.end(number)
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, err)
            urls = [json.loads(line)["url"] for line in out.splitlines()
                    if json.loads(line)["type"] == "page"]
            self.assertEqual(len(set(urls)), 2, err)
        self.assertIn("nothing is due", self.fetch().err)

    def test_reload(self):
        """SIGHUP: what comes from then on goes into another folder."""
        config = os.path.join(self.program.folder, "freshet.conf")

        def configure(folder):
            with open(config, "w", encoding="utf-8") as f:
                f.write("[defaults]\nfetch = yes\nwarc = %s\n" % os.path.join(self.program.folder, folder))

        self.program.run("add", self.one.url("/"))
        configure("a")
        daemon = Daemon(self.program, "--config", config)
        daemon.wait("started")
        with self.one.lock:
            while not self.asked(self.one, "/p3"):
                self.one.arrived.wait(600)
        configure("b")
        daemon.send(signal.SIGHUP)
        daemon.wait("reloaded")
        self.one.put("/new", page("new"), headers=HTML)
        self.listed(self.one, "/p0", "/new")
        with self.one.lock:
            while not self.asked(self.one, "/new"):
                self.one.arrived.wait(600)
        self.assertEqual(daemon.end(), 143)
        found = [[url for kind, url, _ in records(os.path.join(self.program.folder, folder))
                  if kind == "response"] for folder in "ab"]
        self.assertEqual([len(urls) for urls in found], [4, 1])

    def test_pace(self):
        """Pages keep the delay of their host, beside each other and beside sitemaps."""
        site = self.site()
        there = "--connect-to=tea.example:80:127.0.0.1:%d" % site.port
        site.put("/robots.txt", "Sitemap: http://tea.example/s.xml\n")
        site.put("/s.xml", urlset(["http://tea.example/p%d" % n for n in range(3)]))
        for n in range(3):
            site.put("/p%d" % n, page(n), headers=HTML, delay=0.1)
        self.crawl("--delay", "0.4", there, "http://tea.example/")
        result = self.fetch("--json", "--delay", "0.4", there, "tea.example")
        self.assertEqual(result.records()[-1]["pages"], 3)
        times = [(r.at, r.end) for r in site.requests]
        self.assertGreaterEqual(len(times), 5)
        for (_, end), (at, _) in zip(times, times[1:]):
            # the server notes the end of an answer after it was sent
            self.assertGreaterEqual(at - end, 0.35)

    def test_busy_host(self):
        """A host that asks for a minute of rest keeps no place of --at-once meanwhile, and
        its pages are fetched after that."""
        self.follow_clock()
        for n in range(4):
            self.one.put("/p%d" % n, status=503)
        process = self.program.start("fetch", "--json", "--at-once", "1")
        self.assertEqual(json.loads(process.stdout.readline())["status"], 503)
        two = self.make("127.0.0.2", 2)
        for _ in range(2):
            self.assertTrue(json.loads(process.stdout.readline())["url"].startswith(two.url("/p")))
        for n in range(4):
            self.one.put("/p%d" % n, page(n), headers=HTML)
        self.clock.advance(80)
        out, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1, err)
        self.assertEqual([r.get("status") for r in map(json.loads, out.splitlines())],
                         [200] * 4 + [None])
        self.assertEqual(len([r for r in self.one.requests if r.target.startswith("/p")]), 5)

    def test_follow_and_interrupt(self):
        process = self.program.start("fetch", "--follow", "--json")
        for _ in range(4):
            self.assertEqual(json.loads(process.stdout.readline())["type"], "page")
        self.one.put("/new", page("new"), headers=HTML)
        self.listed(self.one, "/p0", "/new")
        self.assertEqual(json.loads(process.stdout.readline())["url"], self.one.url("/new"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(json.loads(out.splitlines()[-1])["exit"], 130)

    def test_nobody_reads(self):
        """Objects that nobody reads are not made."""
        process = self.program.start("fetch", "--follow", "--json")
        process.stdout.readline()
        process.stdout.close()
        self.one.put("/new", page("new"), headers=HTML)
        self.listed(self.one, "/p0", "/new")
        self.assertEqual(process.wait(600), 7)

    def test_interrupt_under_way(self):
        """What does not come within two seconds is given back."""
        self.one.put("/p0", page(0), headers=HTML, delay=30)
        process = self.program.start("fetch", "--json")
        with self.one.lock:
            while not self.asked(self.one, "/p0"):
                self.one.arrived.wait(600)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=600)
        assert_sooner(time.monotonic() - began, 5)
        self.assertEqual(process.returncode, 130)
        self.one.put("/p0", page(0), headers=HTML)
        done = sum(json.loads(line)["type"] == "page" for line in out.splitlines())
        self.assertEqual(len(self.objects()), 4 - done)

    def test_second_interrupt(self):
        """It ends at once, and not in order, which says a summary."""
        self.one.put("/p0", page(0), headers=HTML, delay=30)
        process = self.program.start("fetch", "--json")
        with self.one.lock:
            while not self.asked(self.one, "/p0"):
                self.one.arrived.wait(600)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        status, out, _, seconds = interrupt(process, signal.SIGTERM)
        assert_sooner(seconds, 1.5)
        self.assertEqual(status, 143)
        self.assertNotIn('"summary"', out)
