"""freshet serve: pages, API and metrics, whose numbers are those of the commands, and
clients that mean harm."""
import base64
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest
import urllib.parse

from case import index, urlset
from clock import DAY
from daemon import Daemon
from processes import children_of, files_of, is_alive, kill, words_of
from program import TOP, interrupt
from test_clock import Clocked
from test_report import Page, number

HOSTILE = "<script>alert('a')</script> \"onload=x & \u202e"
NASTY = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;onload=&apos;x&apos;"
DASHBOARD = os.path.join(TOP, "docs", "examples", "grafana.json")
DESCRIPTION = os.path.join(TOP, "docs", "reference", "openapi.json")
SPAN = "days=20"


def timeless(objects):
    """The objects without the ends of the span, which ends now."""
    return [{k: v for k, v in o.items() if k not in ("since", "until")} for o in objects]


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = body.decode("utf-8")

    def json(self):
        return json.loads(self.text)


class Linked(Page):
    """A page whose links lead to other pages, too."""

    def __init__(self, text):
        self.here = []
        super().__init__(text)
        self.faults = [f for f in self.faults if not re.match(r"href=/[a-z]*\?|href=/[a-z0-9/.]*$", f)]

    def handle_starttag(self, tag, attrs):
        super().handle_starttag(tag, attrs)
        href = dict(attrs).get("href", "")
        if href.startswith("/"):
            self.here.append(href)


class Served(Clocked):
    def setUp(self):
        super().setUp()
        self.clock.leap()

    def live(self):
        """Two sites, twelve days, and what happens there."""
        self.sites = [self.site(), self.site(address="127.0.0.3")]
        shop = {"/p/%d%s" % (n, NASTY): "2025-0%d-01" % (n % 9 + 1) for n in range(40)}
        news = {"/x/%d" % n: "2025-12-30" for n in range(25)}
        self.sites[0].put("/lost.xml", "", status=500)
        for day in range(12):
            if day in (2, 5):
                shop.update({"/p/new-%d-%d" % (day, n): "2026-01-0%d" % day for n in range(3)})
            elif day == 4:
                news.update({"/launch/%d" % n: None for n in range(30)})
            elif day == 7:
                for n in range(5):
                    del shop["/p/%d%s" % (n, NASTY)]
            elif day == 8:
                news = {page.replace("/x/", "/y/"): date for page, date in news.items()}
            for site, pages in zip(self.sites, (shop, news)):
                url = site.url
                site.put("/robots.txt", "User-agent: *\nDisallow:\nSitemap: %s\n" % url("/i.xml"))
                site.put("/i.xml", index([url("/s%s.xml" % NASTY)]
                                         + ([url("/lost.xml")] if site is self.sites[0] else [])))
                site.put("/s%3Cscript%3Ealert(1)%3C/script%3E%22onload='x'.xml",
                         urlset([(url(page), pages[page]) for page in sorted(pages)]))
            self.crawl("--retry", "0", *[site.url("/") for site in self.sites], status=None)
            self.clock.advance(DAY)
        self.program.run("note", "127.0.0.1", "2026-01-04", HOSTILE)

    def serve(self, *args):
        self.clock.rate(1)
        self.process = self.program.start("serve", "--listen", "127.0.0.1:0", *args)
        line = self.process.stderr.readline().decode()
        self.assertRegex(line, r"^freshet: listening on http://127\.0\.0\.1:\d+/$")
        self.port = int(line.rsplit(":", 1)[1].strip("/\n"))

    def ask(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.request(method, path, headers=headers or {})
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def page(self, path):
        answer = self.ask(path)
        self.assertEqual(answer.status, 200, path + "\n" + answer.text[-500:])
        self.assertEqual(answer.headers["content-type"], "text/html; charset=utf-8")
        page = Linked(answer.text)
        self.assertEqual(page.faults, [], path)
        return page

    def items(self, path):
        """All objects of a list, part by part."""
        found = []
        while path is not None:
            answer = self.ask(path)
            self.assertEqual(answer.status, 200, path + answer.text)
            part = answer.json()
            found += part["items"]
            path = part["next"]
        return found

    def raw(self, *parts, timeout=600):
        """Send bytes and read until the server closes."""
        got = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as s:
            try:
                for part in parts:
                    s.sendall(part)
                while True:
                    more = s.recv(65536)
                    if not more:
                        break
                    got += more
            except OSError:  # reset by the server
                pass
        return got.decode("latin-1")


class Pages(Served):
    def setUp(self):
        super().setUp()
        self.live()
        self.serve()

    def test_all_pages(self):
        """Whoever follows the links of the overview gets whole pages, without markup of
        the sites, and every kind of page."""
        seen, todo = {}, ["/?" + SPAN]
        while todo and len(seen) < 60:
            path = todo.pop(0)
            if path in seen or path.startswith("/api") or "days=365" in path:
                continue
            seen[path] = self.page(path)
            # some of each kind
            for href in seen[path].here:
                kind = href.split("?")[0]
                if sum(1 for p in list(seen) + todo if p.split("?")[0] == kind) < 5:
                    todo.append(href)
        self.assertEqual({path.split("?")[0] for path in seen},
                         {"/", "/site", "/events", "/event", "/document", "/url", "/findings", "/health"})
        for path, page in seen.items():
            # a page of a site names it once
            if path.startswith("/site?"):
                host = urllib.parse.parse_qs(path.partition("?")[2])["site"][0]
                text = self.ask(path).text
                self.assertEqual([host in re.sub("<[^>]*>", "", heading) for heading in
                                  re.findall("(?s)<h[1-6]>.*?</h", text)].count(True), 1)
                self.assertNotIn("<h3>", text)
        for page in seen.values():
            self.assertEqual(page.count.get("script", 0) + page.count.get("img", 0), 0)

    def test_where_one_is(self):
        for path, name in (("/?" + SPAN, "Overview"), ("/events?" + SPAN, "Events"),
                           ("/findings", "Findings"), ("/health", "Health")):
            self.assertEqual(re.findall('<a aria-current="page" [^>]*>(.*?)</a>', self.ask(path).text),
                             [name])
        self.assertNotIn("aria-current=", self.ask("/site?site=127.0.0.1&" + SPAN).text)

    def test_severities_have_colours(self):
        shown = re.findall('data-name="severity"><span><span class="(.*?)">(.*?)<',
                           self.ask("/findings").text)
        self.assertIn(("error", "error"), shown)
        self.assertEqual([css for css, word in shown if css != word], [])

    def test_numbers(self):
        answer = self.ask("/?" + SPAN)
        self.assertLess(len(answer.text), 120000)
        rows = Linked(answer.text).table("Who does what", "sites")
        since = ("--since", "20d")
        for row in rows:
            host = row[0]
            diff = next(r for r in self.program.run("diff", "-f", "ndjson", host, *since).records()
                        if r["type"] == "site")
            site = self.program.run("sql", "-f", "json", "SELECT listed - refused AS n FROM site "
                                    "WHERE host = '%s'" % host).records()[0]
            self.assertEqual([number(row[2])] + [number(cell) for cell in row[3:7]],
                             [site["n"], diff["new"], diff["gone"], diff["moved"], diff["redated"]])
            page = self.page("/site?site=%s&%s" % (host, SPAN))
            events = [r for r in self.program.run("diff", "-f", "ndjson", host, *since).records()
                      if r["type"] == "event"]
            for event in events:
                self.assertIn(" ".join(event["text"].split()), " ".join(page.text.split()))
        self.assertEqual(len(rows), 2)

    def test_moved(self):
        """The page of pages that moved has what each became."""
        events = self.page("/events?site=127.0.0.3&" + SPAN)
        href, = {href for href in events.here if "kind=pages-moved" in href}
        cells = re.findall(r'data-name="(was|page)"><span>(?:<a [^>]*>)?([^<]*)', self.ask(href).text)
        self.assertEqual(len(cells), 50)
        for (_, was), (_, page) in zip(cells[::2], cells[1::2]):
            self.assertEqual(page.replace("/y/", "/x/"), was.replace(self.sites[1].url(""), ""))

    def test_choice_of_days(self):
        week = self.page("/site?site=127.0.0.1&days=7").text
        self.assertNotEqual(week, self.page("/site?site=127.0.0.1&days=20").text)
        self.assertIn("2026-01-03", self.page("/?since=2026-01-03&until=2026-01-05").text)
        for bad in ("days=0", "days=x", "days=99999", "since=never", "until=", "since=1d&until=2d"):
            answer = self.ask("/?" + bad)
            self.assertEqual(answer.status, 200 if bad == "until=" else 400, bad)

    def test_health(self):
        """Which site fails, since when and why: as in list -l, and at the site."""
        why = "status 500 since 2026-01-01 00:00 (12 tries)"
        rows = self.page("/health").table("Which documents cannot be read")
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0][0], "127.0.0.1")
        self.assertIn("/lost.xml", rows[0][1])
        self.assertEqual(" ".join(rows[0][2].split()), why + " fetch-server-error")
        row, = [r for r in self.page("/site?site=127.0.0.1&" + SPAN).table("Sitemaps") if r[0] == "/lost.xml"]
        self.assertEqual(row[-1], why)
        row, = [r for r in self.page("/").table("Who does what") if r[0] == "127.0.0.1"]
        self.assertEqual(row[-1], "1 of 2 sitemaps fails")
        self.program.run("add", *[site.url("/") for site in self.sites])
        listed = self.program.run("list", "-l").out
        self.assertIn("\n  %s: %s (fetch-server-error)\n" % (why, self.sites[0].url("/lost.xml")), listed)
        self.assertIn("  1 of 2 sitemaps fails since 2026-01-01 00:00\n", listed)

    def test_health_of_a_wall(self):
        """R-141: what can be done about a wall, on each page that tells of it."""
        self.sites[0].put("/lost.xml", "", status=451)
        self.clock.advance(DAY)
        self.crawl("--retry", "0", self.sites[0].url("/"), status=None)
        (_, _, why, *_), = self.page("/health").table("Which documents cannot be read")
        advice = "the law of a region forbids it: read the site from another one, or leave it out"
        self.assertIn(advice, " ".join(why.split()))
        row, = [r for r in self.page("/site?site=127.0.0.1&" + SPAN).table("Sitemaps") if r[0] == "/lost.xml"]
        self.assertIn("status 451 since", row[-1])
        self.assertTrue(row[-1].endswith("; " + advice), row)
        self.sites[1].put("/robots.txt", "", status=401, headers=[("Accept-Signature", 's=("@authority")')])
        self.clock.advance(DAY)
        self.crawl("--retry", "0", self.sites[1].url("/"), status=None)
        (origin, why, *_), = self.page("/health").table("Which robots.txt cannot be had")
        self.assertEqual(origin, self.sites[1].origin)
        self.assertRegex(" ".join(why.split()), "^status 401.* signature-wanted ?signed requests are let in: .*make a key with")

    def test_health_of_held(self):
        """A mass drop that is held, with the numbers of the overview and of list."""
        site = self.sites[1]
        site.put("/s%3Cscript%3Ealert(1)%3C/script%3E%22onload='x'.xml",
                 urlset([site.url("/y/%d" % n) for n in range(5)]))
        self.crawl("--retry", "0", site.url("/"), status=None)
        (host, document, urls, _), = self.page("/health").table("What waits for a second reading")
        self.assertEqual((host, urls), ("127.0.0.3", "50"))
        self.assertTrue(document.endswith(".xml"))
        self.assertIn("1 sitemap, 50 URLs wait for a second reading", " ".join(self.page("/").text.split()))

    def test_health_of_ends(self):
        """What was not found for a week has ended, and fails nowhere any more."""
        self.sites[0].put("/lost.xml", "", status=404)
        self.clock.advance(DAY)
        for step in range(9):
            self.crawl("--retry", "0", self.sites[0].url("/"), status=None)
            if step == 0:
                self.assertIn("status 404 since", self.page("/health").text)
            self.clock.advance(DAY)
        self.program.run("add", self.sites[0].url("/"))
        self.assertIn("  ok\n", self.program.run("list", "-l").out)
        self.assertNotIn("status 404", self.page("/health").text)
        self.assertEqual(self.items("/api/v1/documents?failing=1"), [])

    def test_unknown(self):
        for path, status in (("/site?site=www.other.example", 404), ("/site", 400),
                             ("/site?site=%00", 400), ("/site?site=127.0.0.1&site=x", 400),
                             ("/document?url=http://nobody.example/", 404), ("/nothing", 404),
                             ("/event?site=127.0.0.1&at=5&kind=burst", 404), ("/event", 400),
                             ("/?page=x", 400), ("/?script=1", 400), ("/?tag=none", 404),
                             ("/index.html", 404), ("/../etc/passwd", 404),
                             ("/%2e%2e/%2e%2e/etc/passwd", 404), ("/site?site=--help", 404)):
            answer = self.ask(path)
            self.assertEqual(answer.status, status, path + answer.text[-300:])
            self.assertNotIn(self.program.folder, answer.text)
        # what was asked for comes back escaped
        answer = self.ask("/site?site=" + urllib.parse.quote("<script>x</script>"))
        self.assertEqual(answer.status, 400)
        self.assertNotIn("<script", answer.text)
        self.assertEqual(Linked(answer.text).faults, [])

    def test_headers(self):
        for path in ("/", "/api/v1/sites", "/metrics", "/nothing"):
            headers = self.ask(path).headers
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertNotIn("access-control-allow-origin", headers)
        head = self.ask("/health", "HEAD")
        self.assertEqual((head.status, head.text), (200, ""))
        self.assertEqual(int(head.headers["content-length"]), len(self.ask("/health").text.encode()))


class Api(Served):
    def setUp(self):
        super().setUp()
        self.live()
        self.serve()
        with open(DESCRIPTION, encoding="utf-8") as f:
            self.description = json.load(f)

    def fits(self, value, schema, where):
        """What of the value is not as the schema says."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self.fits(value, self.description["components"]["schemas"][name], where)
        if "oneOf" in schema:
            faults = [self.fits(value, one, where) for one in schema["oneOf"]]
            return [] if sum(not f for f in faults) == 1 else ["%s: none, or several: %s" % (where, value)]
        faults = []
        types = schema.get("type")
        names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array",
                 dict: "object", type(None): "null"}
        if types and names[type(value)] not in (types if isinstance(types, list) else [types]):
            faults.append("%s: %r is no %s" % (where, value, types))
        if "const" in schema and value != schema["const"]:
            faults.append("%s: %r" % (where, value))
        if "enum" in schema and value not in schema["enum"]:
            faults.append("%s: %r is none of the words" % (where, value))
        if isinstance(value, dict):
            known = schema.get("properties", {})
            faults += ["%s: no %s" % (where, n) for n in schema.get("required", []) if n not in value]
            if schema.get("additionalProperties") is False:
                faults += ["%s: %s is unknown" % (where, n) for n in value if n not in known]
            for name in set(known) & set(value):
                faults += self.fits(value[name], known[name], where + "." + name)
        if isinstance(value, list):
            for item in value:
                faults += self.fits(item, schema["items"], where + "[]")
        return faults

    def test_description(self):
        """openapi.json is what is served, and what is served is as it says."""
        self.assertEqual(self.ask("/api/v1/openapi.json").json(), self.description)
        values = {"site": "127.0.0.1", "url": self.sites[0].url("/p/new-2-0"), "by": "day",
                  "last": "9d", "since": "19d", "until": "1d", "kind": "burst,redated",
                  "section": "/p", "failing": "1", "code": "fetch-not-found", "severity": "error",
                  "document": self.sites[0].url("/lost.xml"), "limit": "7", "offset": "1"}
        for path, methods in self.description["paths"].items():
            get = methods["get"]
            needed = {p["name"]: values[p["name"]] for p in get["parameters"] if p["required"]}
            good = get["responses"]["200"]["content"]["application/json"]["schema"]
            bad = get["responses"]["default"]["content"]["application/json"]["schema"]
            for more in [{}] + [{p["name"]: values[p["name"]]} for p in get["parameters"]
                                if p["name"] != "tag"]:
                asked = path + "?" + urllib.parse.urlencode({**needed, **more})
                answer = self.ask(asked)
                self.assertEqual(answer.status, 200, asked + answer.text)
                self.assertEqual(answer.headers["content-type"], "application/json")
                self.assertEqual(self.fits(answer.json(), good, asked), [])
            for wrong in [{"other": "1"}, {"limit": "0"}, {"limit": "1001"}, {"offset": "-1"}]:
                asked = path + "?" + urllib.parse.urlencode({**needed, **wrong})
                answer = self.ask(asked)
                self.assertEqual(answer.status, 400, asked)
                self.assertEqual(self.fits(answer.json(), bad, asked), [])
            if needed:
                self.assertEqual(self.ask(path).status, 400)

    def test_same_as_commands(self):
        span = ("--since", "20d")

        def lines(*args):
            return self.program.run(*args).records()
        diff = lines("diff", "-f", "ndjson", "--rows", *span)
        self.assertGreater(len(diff), 40)
        self.assertEqual(timeless(self.items("/api/v1/diff?since=20d&limit=30")), timeless(diff))
        events = [r for r in diff if r["type"] == "event"]
        self.assertGreater(len(events), 2)
        self.assertEqual(self.items("/api/v1/events?since=20d&limit=1"), events)
        self.assertEqual(self.items("/api/v1/events?since=20d&kind=" + events[0]["kind"]),
                         [e for e in events if e["kind"] == events[0]["kind"]])
        week = [r for r in lines("stats", "--json", "--by", "weekday", "127.0.0.1")
                if r["type"] in ("weekday", "rhythm")]
        self.assertEqual(len(week), 7 * 25 + 1)
        served = self.items("/api/v1/series?site=127.0.0.1&by=weekday")
        self.assertEqual(served, week)
        schema = {"oneOf": [{"$ref": "/weekday"}, {"$ref": "/rhythm"}]}
        self.assertEqual([f for r in served for f in self.fits(r, schema, "week")], [])
        self.assertEqual(self.items("/api/v1/series?site=127.0.0.1&by=day&last=9d"),
                         [r for r in lines("stats", "--json", "--by", "day", "--last", "9d", "127.0.0.1")
                          if r["type"] == "changes"])
        sites = self.items("/api/v1/sites")
        self.assertEqual([s["site"] for s in sites], ["127.0.0.1", "127.0.0.3"])
        self.assertEqual([s["failing"] for s in sites], [1, 0])
        self.assertEqual([s["listed"] for s in sites], [r["listed"] for r in lines(
            "sql", "-f", "json", "SELECT listed FROM site ORDER BY host")])
        self.assertEqual(self.items("/api/v1/findings?limit=2"), lines(
            "sql", "-f", "json", "SELECT site, document, code, severity, count, line, text, at FROM "
            "finding WHERE current ORDER BY site, document, code"))
        url = self.sites[0].url("/p/new-2-0")
        self.assertEqual(self.items("/api/v1/explain?url=" + urllib.parse.quote(url))[-1]["url"], url)

    def test_parts(self):
        """A list comes in parts that do not depend on their size (O5)."""
        whole = timeless(self.items("/api/v1/diff?since=20d&limit=1000"))
        for limit in (7, len(whole), len(whole) + 1):
            self.assertEqual(timeless(self.items("/api/v1/diff?since=20d&limit=%d" % limit)), whole)
            part = self.ask("/api/v1/diff?since=20d&limit=%d" % limit).json()
            self.assertEqual(len(part["items"]), min(limit, len(whole)))
            self.assertEqual(part["next"] is None, limit >= len(whole))
        self.assertEqual(self.ask("/api/v1/diff?since=20d&offset=%d" % len(whole)).json(),
                         {"v": 1, "items": [], "next": None})

    def test_plain_text(self):
        """What is SQL or an option elsewhere is a value here (D11)."""
        for value in ("' OR 1 = 1 --", "127.0.0.1' OR 'a' = 'a", "%", "\"; DROP TABLE page; --",
                      "freshet_now", "--help", "-h", "a\\'b"):
            for path in ("documents", "findings", "sites"):
                asked = "/api/v1/%s?site=%s" % (path, urllib.parse.quote(value))
                self.assertEqual(self.ask(asked).json()["items"], [], asked)
            for name in ("site", "since", "kind", "section", "tag"):
                answer = self.ask("/api/v1/events?%s=%s" % (name, urllib.parse.quote(value)))
                self.assertIn(answer.status, (200, 400, 404), name + value)
                self.assertEqual(answer.json().get("items", []), [], name + value)
        self.assertGreater(len(self.items("/api/v1/findings")), 0)

    def test_other_origins(self):
        """No page of another origin gets an answer (D10)."""
        own = "http://127.0.0.1:%d" % self.port
        self.assertEqual(self.ask("/api/v1/sites", headers={"Origin": own}).status, 200)
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1",
                       "http://127.0.0.1.evil.example:%d" % self.port):
            answer = self.ask("/api/v1/sites", headers={"Origin": origin})
            self.assertEqual(answer.status, 403, origin)
            self.assertNotIn("127.0.0.3", answer.text)

    def test_metrics(self):
        answer = self.ask("/metrics")
        self.assertEqual(answer.status, 200, answer.text)
        found, types = {}, {}
        for line in answer.text.splitlines():
            if line.startswith("# TYPE "):
                types[line.split()[2]] = line.split()[3]
            elif not line.startswith("# HELP "):
                name, labels, value = re.fullmatch(
                    r'(\w+)(?:\{site="([^"]*)"\})? (-?[0-9.]+)', line).groups()
                found[name, labels] = float(value)
        self.assertEqual({name for name, _ in found} | {n for n in types if "_cop" in n}, set(types))
        self.assertNotIn("://", answer.text)
        with sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True) as db:
            self.assertEqual(found["freshet_readings_total", None],
                             db.execute("SELECT count(*) FROM reading").fetchone()[0])
        self.assertEqual(found["freshet_site_failing_documents", "127.0.0.1"], 1)
        self.assertEqual(found["freshet_site_failing_documents", "127.0.0.3"], 0)
        self.assertEqual(found["freshet_site_pages", "127.0.0.3"], 55)
        self.assertEqual(found["freshet_site_waiting_pages", "127.0.0.3"], 55)
        with open(DASHBOARD, encoding="utf-8") as f:
            panels = json.load(f)["panels"]
        asked = {name for panel in panels for target in panel["targets"]
                 for name in re.findall(r"freshet_\w+", target["expr"])}
        self.assertEqual(asked - set(types), set())
        self.assertGreater(len(asked), 9)

    def test_promtool(self):
        """Prometheus's own tool finds nothing wrong."""
        promtool = shutil.which("promtool")
        if promtool is None:
            self.skipTest("there is no promtool (Debian's package prometheus)")
        done = subprocess.run([promtool, "check", "metrics"],
                              input=self.ask("/metrics").text.encode(),
                              capture_output=True, timeout=600)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, b""))


class Http(Served):
    def test_https_that_nobody_needs(self):
        """A host that speaks only http does not fail, and is not shown as if."""
        site = self.site()
        site.put("/robots.txt", "Sitemap: http://h.example/s.xml\n")
        site.put("/s.xml", urlset([("http://h.example/a", None)]))
        self.program.run("add", "h.example")
        run = self.program.run("run", "--once", "--delay", "0", "--retry", "0",
                               "--connect-to", "::127.0.0.1:%d" % site.port)
        self.assertEqual(run.status, 0, str(run))
        rows = self.program.run("sql", "-f", "json",
                                "SELECT url FROM document WHERE failures > 0").records()
        self.assertEqual([r["url"] for r in rows], [])
        listed = self.program.run("list", "--json").records()
        self.assertEqual([r["failing"] for r in listed], [0])
        rows = self.program.run("sql", "-f", "json", "SELECT origin, spare FROM origin ORDER BY 1").records()
        self.assertEqual([(r["origin"], r["spare"]) for r in rows],
                         [("http://h.example", 0), ("https://h.example", 1)])
        self.serve()
        self.assertIn('freshet_site_failing_documents{site="h.example"} 0\n', self.ask("/metrics").text)
        self.assertEqual([(s["failing"], s["listed"]) for s in self.items("/api/v1/sites")], [(0, 1)])
        self.assertEqual(self.items("/api/v1/documents?failing=1"), [])
        self.assertNotIn("https://h.example", self.page("/health").text)
        self.assertNotIn("cannot be read", self.page("/").text)


class Large(Served):
    def test_metrics(self):
        """Metrics grow with the sites, and have no size at which they stop."""
        self.program.run("add", "a.example")
        self.program.leave_postgresql()
        with contextlib.closing(sqlite3.connect(self.program.store)) as db, db:
            db.executemany("INSERT INTO site (host) VALUES (?)",
                           [("%050d.example" % i,) for i in range(10000)])
        self.serve()
        answer = self.ask("/metrics")
        self.assertEqual(answer.status, 200)
        self.assertGreater(len(answer.text), 6 << 20)
        self.assertIn("freshet_alerts_died_total 0\n", answer.text)
        self.assertIn("\nfreshet_store_bytes ", answer.text)


class Clients(Served):
    """Those that mean harm (D1 to D9)."""

    def setUp(self):
        super().setUp()
        self.crawl(self.put_small())
        self.serve()

    def put_small(self):
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url("/a")]))
        return self.server.url("/")

    def test_clients(self):
        host = b"Host: 127.0.0.1\r\n"
        for name, status, parts in (
                ("D1", "4", [b"GET / HTTP/1.1\r\n" + host, b"X: y\r\n" * 40000]),
                ("D4", "4", [b"GET /" + b"a" * 1000000, b" HTTP/1.1\r\n" + host + b"\r\n"]),
                ("D6", "421", [b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"]),
                ("D6", "421", [b"GET / HTTP/1.0\r\n\r\n"]),
                ("D6", "421", [b"GET http://evil.example/ HTTP/1.1\r\n" + host + b"\r\n"]),
                ("D7", "4", [b"GET /../../x HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"]),
                ("D7", "4", [b"GET /%2e%2e/x HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"]),
                ("D7", "", [b"GET /\0 HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"]),
                ("D8", "400", [b"GET / HTTP/1.1\r\n" + host + b"Content-Length: 3\r\n"
                               b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"]),
                ("D9", "400", [b"GET / HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n"
                               b"Trailer: X\r\n\r\n0\r\nX: y\r\n\r\n"])):
            with self.subTest(name, parts=parts[0][:40]):
                got = self.raw(*parts)
                self.assertNotIn("Who does what", got)
                if got:
                    self.assertRegex(got, r"^HTTP/1\.[01] " + status)
        for method in ("POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH"):
            answer = self.ask("/", method)
            self.assertEqual(answer.status, 405, method)
            self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.assertEqual(self.ask("/healthz").text, "ok\n")

    def test_silent_clients(self):
        """Many silent connections keep nobody waiting for longer than they live (D3)."""
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(60)]
        self.assertEqual(self.ask("/healthz").status, 200)
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            rss = int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))
        with open(self.program.binary, "rb") as f:
            is_sanitized = b"__asan_init" in f.read()
        if not is_sanitized:
            self.assertLess(rss, 32 << 10)
        for connection in idle:
            connection.close()

    def makers(self):
        """The processes that make answers now."""
        return children_of(self.process.pid)

    def stopped(self, path):
        """A client that waits for an answer, whose process is stopped."""
        while True:
            s = socket.create_connection(("127.0.0.1", self.port))
            s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
            known = getattr(self, "known", [])
            s.setblocking(False)
            while True:
                found = [pid for pid in self.makers() if pid not in known]
                if found:
                    try:
                        os.kill(found[0], signal.SIGSTOP)
                        with open("/proc/%d/stat" % found[0], encoding="ascii") as f:
                            state = f.read().rpartition(")")[2].split()
                        # the last thing before it looks at the store is to be nice
                        if state[0] in "Tt" and state[16] == "10":
                            self.known = known + found
                            return s
                        os.kill(found[0], signal.SIGCONT)
                    except (ProcessLookupError, FileNotFoundError):
                        pass
                try:
                    if s.recv(65536):  # answered already
                        break
                except BlockingIOError:
                    pass
            s.close()

    def test_slow_answers(self):
        """Slow answers of one kind keep nobody waiting who asks for another kind, and end
        when nobody waits for them."""
        # Whoever opens the store first makes the index of its log, and keeps others out
        # meanwhile; a process that is stopped would do so for ever.
        first = sqlite3.connect(self.program.store)
        self.addCleanup(first.close)
        first.execute("SELECT count(*) FROM site").fetchone()
        slow = [self.stopped("/health"), self.stopped("/health")]
        for path in ("/healthz", "/metrics", "/api/v1/sites", "/api/v1/openapi.json"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=600) as s:
                s.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
                self.assertIn(b"HTTP/1.1 200", s.recv(65536), path)
        for s in slow:
            s.close()
        self.assertEqual(self.ask("/health").status, 200)
        self.assertEqual([pid for pid in self.makers() if pid in self.known], [])

    def test_memory(self):
        """The process of an answer has a limit."""
        with open(self.program.binary, "rb") as f:
            if b"__asan_init" in f.read():
                self.skipTest("a binary with AddressSanitizer has no limit of memory")
        client = self.stopped("/health")
        with open("/proc/%d/limits" % self.known[0], encoding="ascii") as f:
            self.assertRegex(f.read(), r"(?m)^Max address space +536870912 ")
        client.close()

    def test_descriptors(self):
        """The process of an answer has no connection of a client, and no socket."""
        with socket.create_connection(("127.0.0.1", self.port)):
            client = self.stopped("/health")
            self.assertEqual([name for name in files_of(self.known[0]).values() if name.startswith("socket:")], [])
            client.close()

    def test_client_that_leaves(self):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", self.port)) as s:
                s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.ask("/healthz").text, "ok\n")

    def test_damaged_store(self):
        """It is said, and the server goes on."""
        self.assertEqual(self.ask("/healthz").status, 200)
        with open(self.program.store, "rb") as f:
            kept = f.read()
        with open(self.program.store, "r+b") as f:
            f.write(b"\xff" * len(kept))
        for path in ("/", "/health", "/api/v1/sites", "/metrics", "/healthz"):
            answer = self.ask(path)
            self.assertEqual(answer.status, 503, path + answer.text)
            self.assertNotIn(self.program.folder, answer.text)
        with open(self.program.store, "r+b") as f:
            f.write(kept)
        self.assertEqual(self.ask("/healthz").status, 200)
        os.rename(self.program.store, self.program.store + ".away")
        self.assertEqual(self.ask("/").status, 503)
        self.assertEqual(self.ask("/api/v1/events").status, 503)

    def test_replaced_store(self):
        """What stands in its place is not opened, and where that is, is for the log."""
        store = self.program.store
        os.rename(store, store + ".away")
        for replace, restore in ((lambda: os.symlink(store + ".away", store), os.unlink), (lambda: os.mkfifo(store), os.unlink),
                                 (lambda: os.mkdir(store), os.rmdir), (lambda: open(store, "x").close(), os.unlink)):
            replace()
            for path in ("/", "/api/v1/sites", "/healthz"):
                answer = self.ask(path)
                self.assertEqual(answer.status, 503, path + answer.text)
                self.assertNotIn(self.program.folder, answer.text)
            restore(store)
        os.rename(store + ".away", store)
        self.assertEqual(self.ask("/healthz").status, 200)

    def test_damaged_host(self):
        """A name that is none adds no line to the metrics."""
        self.program.change("UPDATE site SET host = 'a\nfreshet_sites 9'")
        answer = self.ask("/metrics")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertIn('{site="a\\nfreshet_sites 9"}', answer.text)
        self.assertEqual(re.findall("(?m)^freshet_sites .*", answer.text), ["freshet_sites 1"])

    def test_end(self):
        for sign, status in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with socket.create_connection(("127.0.0.1", self.port)):
                ended, out, err, _ = interrupt(self.process, sign)
            self.assertEqual((ended, out, err), (status, "", ""))
            self.serve()


class Configured(Served):
    def test_broken_configuration(self):
        """What is wrong in it is for the log, and not for clients."""
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write("[defaults]\ndelay = 1s\n")
        self.program.variables["FRESHET_CONFIG"] = path
        self.program.run("add", "www.example.org")
        self.serve()
        with open(path, "a", encoding="ascii") as f:
            f.write("secret\n")
        answer = self.ask("/api/v1/events")
        self.assertEqual(answer.status, 500, answer.text)
        self.assertNotIn("secret", answer.text)
        self.assertNotIn(self.program.folder, answer.text)
        self.assertEqual(self.ask("/").status, 200)

    def test_sections(self):
        """What is a section, and which pages do not count, is configured once for pages, API
        and commands."""
        with open(os.path.join(self.program.folder, "freshet.conf"), "w", encoding="ascii") as f:
            f.write("[defaults]\nsection-paths = wares: /p\nsection-ignore = /x/\n")
        self.program.variables["FRESHET_CONFIG"] = os.path.join(self.program.folder, "freshet.conf")
        self.live()
        self.serve()
        page = self.page("/site?site=127.0.0.1&" + SPAN)
        self.assertIn("wares", [row[0] for row in page.table("Sections")])
        diff = self.items("/api/v1/diff?since=20d&site=127.0.0.1&limit=1000")
        self.assertEqual({r["section"] for r in diff if r["type"] == "page"}, {"wares"})
        self.assertEqual(timeless(diff), timeless(self.program.run(
            "diff", "-f", "ndjson", "--rows", "--since", "20d", "127.0.0.1").records()))


class Many(Served):
    def test_paged_sites(self):
        hosts = ["s%03d.test" % n for n in range(90)]
        result = self.program.run("add", *hosts)
        self.assertEqual(result.status, 0, str(result))
        self.serve()
        seen = []
        for part, rows in ((1, 40), (2, 40), (3, 10), (4, 0)):
            page = self.page("/?page=%d" % part)
            table = page.table("Who does what", "sites")
            self.assertEqual(len(table), rows)
            seen += [row[0] for row in table]
            self.assertEqual("next" in page.text, part < 3)
        self.assertEqual(sorted(seen), hosts)
        self.assertLess(len(self.ask("/").text), 120000)
        self.assertEqual([s["site"] for s in self.items("/api/v1/sites?limit=40")], hosts)


class BesideRun(Served):
    """run --listen."""

    def setUp(self):
        super().setUp()
        self.clock.rate(1)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]

    def wait(self, is_wanted, timeout=600):
        """Until the server answers, or does not."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                is_there = self.ask("/healthz").status == 200
            except OSError:
                is_there = False
            if is_there == is_wanted:
                return
            time.sleep(0.02)
        raise TimeoutError("the server %s" % ("does not answer" if is_wanted else "goes on"))

    def test_listen(self):
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url("/a")]))
        self.program.run("add", self.server.url("/"))
        daemon = Daemon(self.program, "--listen", "127.0.0.1:%d" % self.port)
        daemon.wait("read", url=self.server.url("/s.xml"))
        self.wait(True)
        # run holds the store, which the server reads
        self.assertEqual([d["url"] for d in self.items("/api/v1/documents")],
                         [self.server.url("/robots.txt"), self.server.url("/s.xml")])
        self.assertEqual(daemon.end(), 143)
        self.wait(False)
        self.assertTrue(all(line.startswith("{") for line in daemon.lines), daemon.lines)

    def servers(self, daemon):
        return [pid for pid in children_of(daemon.process.pid) if "serve" in words_of(pid)]

    def test_none(self):
        """Without --listen nobody listens."""
        daemon = Daemon(self.program)
        daemon.wait("started")
        self.clock.advance(61)
        self.assertEqual(self.servers(daemon), [])
        self.assertEqual(daemon.end(), 143)

    def test_at_once(self):
        """A run that ends while its server begins ends all the same."""
        for _ in range(8):
            daemon = Daemon(self.program, "--listen", "127.0.0.1:%d" % self.port)
            daemon.wait("started")
            self.assertEqual(daemon.end(), 143)

    def test_killed(self):
        """The server does not outlive a run that is killed; one that was killed is started again."""
        daemon = Daemon(self.program, "--listen", "127.0.0.1:%d" % self.port)
        daemon.wait("started")
        self.wait(True)
        server, = self.servers(daemon)
        self.assertTrue(kill(server))
        while is_alive(server):
            time.sleep(0.01)
        self.clock.advance(61)
        daemon.wait("warning", text="the server of --listen has ended; it is started again")
        self.wait(True)
        self.assertEqual(daemon.end(signal.SIGKILL), -signal.SIGKILL)
        self.wait(False)

    def test_no_token(self):
        result = self.program.run("run", "--listen", "0.0.0.0:%d" % self.port)
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("--token-file", result.err)


class Tokens(Served):
    TOKEN = "0123456789abcdef!"

    def write(self, text):
        path = os.path.join(self.program.folder, "token")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        return path

    def test_token(self):
        self.program.run("add", "www.example.org")
        self.serve("--token-file", self.write(self.TOKEN + "\nmore\n"))
        basic = base64.b64encode(b"freshet:" + self.TOKEN.encode()).decode()
        for header, status in ((None, 401), ("Bearer " + self.TOKEN, 200), ("Basic " + basic, 200),
                               ("Bearer " + self.TOKEN[:-1], 401), ("Bearer " + self.TOKEN + "x", 401),
                               ("Bearer ", 401), (self.TOKEN, 401), ("Basic " + basic[:-4], 401)):
            headers = {} if header is None else {"Authorization": header}
            for path in ("/", "/api/v1/sites", "/metrics"):
                self.assertEqual(self.ask(path, headers=headers).status, status, header)
            # without a token, nobody learns what there is
            self.assertEqual(self.ask("/nothing", headers=headers).status,
                             401 if status == 401 else 404)
        self.assertIn("Basic", self.ask("/").headers["www-authenticate"])
        self.assertEqual(self.ask("/healthz").status, 200)
        # whoever shows the token may use any name of the server
        self.assertEqual(self.ask("/metrics", headers={
            "Host": "stats.example", "Authorization": "Bearer " + self.TOKEN}).status, 200)

    def test_no_token(self):
        self.program.run("add", "www.example.org")
        for args, said in ((("--listen", "0.0.0.0:0"), "--token-file"),
                           (("--listen", "[::]:0"), "--token-file"),
                           (("--listen", "0.0.0.0:0", "--token-file", self.write("short\n")), "token"),
                           (("--listen", "here:80"), "an address and a port"),
                           (("--listen", "127.0.0.1"), "an address and a port"),
                           (("--listen", "127.0.0.1:99999"), "an address and a port"),
                           (("--listen", "::1:80"), "an address and a port"),
                           (("--token-file", "none"), "none")):
            result = self.program.run("serve", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(said, result.err)

    def test_no_store(self):
        result = self.program.run("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(result.status, 2)
        self.assertIn("there is no store", result.err)

    def test_taken_port(self):
        self.program.run("add", "www.example.org")
        self.serve()
        result = self.program.run("serve", "--listen", "127.0.0.1:%d" % self.port)
        self.assertEqual(result.status, 2)
        self.assertIn("cannot listen on", result.err)


if __name__ == "__main__":
    unittest.main()
