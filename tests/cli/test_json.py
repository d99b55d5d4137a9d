"""docs/reference/json.md names every field that the commands print, and no other."""
import json
import os
import re
import sqlite3
import unittest

from case import Case, index, urlset
from program import TOP


def tables(path=os.path.join(TOP, "docs", "reference", "json.md"), mark="## "):
    """{"crawl: document": {"url", "findings[].code", ...}}"""
    with open(path, encoding="utf-8") as f:
        parts = re.split(r"(?m)^%s(.*)\n" % mark, f.read())
    return {name: {field for row in re.findall(r"(?m)^\| (`.*?) \| .* \|$", text)
                   for field in re.findall(r"`([^`]+)`", row)}
            for name, text in zip(parts[1::2], parts[2::2])}


def flat(value, name, wanted):
    """Returns the names of all fields in the value."""
    if name + ".*" in wanted:
        return {name + ".*"}
    if value is None and any(w.startswith(name + ".") for w in wanted):
        return set()
    if isinstance(value, dict):
        dot = name + "." if name else ""
        return {n for key, member in value.items() for n in flat(member, dot + key, wanted)}
    if isinstance(value, list):
        return {n for member in value for n in flat(member, name + "[]", wanted)}
    return {name}


class News(Case):
    def test_newest(self):
        """The newest date of a news sitemap is that of its articles."""
        site = self.site()
        space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"' \
            ' xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'
        entry = "<url><loc>%s</loc><n:news><n:publication_date>%s</n:publication_date></n:news></url>"
        site.put("/news.xml", "<urlset %s>%s</urlset>" % (space, "".join(
            entry % (site.url("/a%d" % day), "2025-01-0%dT10:00:00Z" % day) for day in (1, 3, 2))))
        site.put("/pages.xml", urlset([(site.url("/imprint"), "2024-01-05")]))
        site.put("/robots.txt", "Sitemap: %s\nSitemap: %s\n" % (
            site.url("/news.xml"), site.url("/pages.xml")))
        self.crawl(site.url("/"))
        want = {"/news.xml": "2025-01-03T10:00:00Z", "/pages.xml": "2024-01-05"}
        seen = {r["url"]: r["newest"] for r in
                self.program.run("ls", "--sitemaps", "--json").records()}
        for path, date in want.items():
            self.assertEqual(seen[site.url(path)], date)
        rows = self.program.run("sql", "--format", "csv", "SELECT newest FROM document"
                                " WHERE newest IS NOT NULL ORDER BY newest").out.split()
        self.assertEqual(rows[1:], sorted(want.values()))
        check = {r.get("path"): r.get("newest") for r in
                 self.program.run("check", "--format", "json", site.url("/")).records()}
        self.assertEqual(check[site.url("/news.xml")], want["/news.xml"])


class Fields(Case):
    def setUp(self):
        super().setUp()
        self.tables = tables()
        self.server = self.site()
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /x\nContent-Signal: search=yes\n"
                        "Sitemap: %s\nodd\n" % url("/index.xml"))
        self.server.put("/index.xml", index([url("/sitemap.xml"), url("/none.xml")]))
        self.server.put("/sitemap.xml", urlset([(url("/a"), "2025-01-01"), url("/b"),
                                                "http://other.example/c"]))

        self.server.put("/alone.xml", urlset([url("/d")]))

    def judge(self, name, records):
        wanted = self.tables.pop(name)
        kind = name.split(": ")[1] if ": " in name else None
        found = set()
        for record in records:
            self.assertEqual(record["v"], 1)
            if kind is not None and record["type"] != kind:
                continue
            record = {k: v for k, v in record.items() if k not in ("v", "type")}
            found |= flat(record, "", wanted)
        self.assertEqual(found, wanted, name)

    def records(self, *args, status=0):
        result = self.program.run(*args, "--json")
        self.assertEqual(result.status, status, str(result))
        return result.records()

    def test_fields(self):
        url = self.server.url
        crawl = self.program.run("crawl", "--json", url("/"))
        self.assertEqual(crawl.status, 1, str(crawl))
        self.judge("crawl: document", crawl.records())
        self.judge("crawl: summary", crawl.records())
        self.tables.pop("crawl: progress")  # see test_progress
        for kind in ("page", "summary"):
            self.tables.pop("fetch: " + kind)  # see test_fetch.Fields
        # see test_verify and test_titles: a daemon has to ask pages
        self.tables["diff: event"] -= {"titles[]", "verified"}
        self.tables["diff: page"] -= {"title", "description"}
        self.judge_frontier()
        self.judge_watch_list()
        self.tables.pop("top: status")  # see test_top
        self.judge("ls: url", self.records("ls"))
        self.judge("ls: document", self.records("ls", "--sitemaps"))
        self.judge("export", self.records("export"))
        self.judge("import: import", self.program.run(
            "import", "--json", input=url("/a")).records())
        self.crawl(url("/alone.xml"))
        for gone in (["/d", "/e"], ["/d"], ["/d", "/f"]):
            self.server.put("/alone.xml", urlset([url(path) for path in gone]))
            self.crawl(url("/alone.xml"))
        self.judge("export --changes", self.records("export", "--changes", "--since", "1h"))
        self.judge_stats()
        self.judge_feed()
        self.judge_alert()
        self.judge("explain: explain", self.records(
            "explain", url("/a"), url("/d"), url("/e"), "http://other.example/c", status=1))
        self.server.put("/m/map.xml", urlset([(url("/x"), "2025-01-01"), (url("/m/y"), "20250101")]))
        compare = self.records("compare", url("/m/map.xml"), status=1)
        self.judge("compare: difference", compare)
        self.judge("compare: summary", compare)
        robots = [dict(r, group=r["group"], findings=r["findings"] or ["none"])
                  for r in self.records("robots", url("/x"), url("/a"), status=1)]
        self.judge("robots: robots", robots)
        self.assertEqual(self.tables.pop("sql"), set())
        self.judge_store()
        doctor = self.program.run("doctor", "--json").records()
        self.judge("doctor: check", doctor)
        self.judge("doctor: summary", doctor)
        key = os.path.join(self.program.folder, "indexnow")
        with open(key, "w", encoding="ascii") as f:
            f.write("0123456789abcdef")
        self.judge("notify: notified", self.records(  # the first call sends nothing
            "notify", "--endpoint", url("/indexnow"), "--key", key, "127.0.0.1"))
        self.judge("version: version", self.records("version"))
        self.judge("help: diagnostic", self.records("help", "parse-error"))
        self.judge("help: rule", self.records("help", "R-58"))
        self.judge("help: generator", self.records("help", "generators"))
        self.judge("help: switch", self.records("help", "switches"))
        self.judge("help: option", self.records("help", "config"))
        self.judge("help: command", self.records("help"))
        self.assertEqual(self.tables, {})

    def judge_watch_list(self):
        self.judge("add, rm, set: site", self.records(
            "add", "--tag", "a", "--below", "/", "--titles", "20/d", "--verify", "5", self.server.url("/")))
        self.records("set", "127.0.0.1", "sign=challenge")
        listed = self.records("list")
        self.judge("list: site", listed)
        self.records("set", "@a", "budget=9/h")
        self.judge("list: tag", self.records("list")[-1:])
        for name in ("list: shard", "list: machine"):
            self.tables.pop(name)  # see test_machines_keeper

    def judge_stats(self):
        stats = [r for by in ("day", "section", "sitemap", "weekday")
                 for r in self.records("stats", "--by", by, "127.0.0.1")]
        for kind in ("source", "summary", "weekday", "rhythm"):
            self.judge("stats: " + kind, stats)
        self.judge("stats: changes", stats)
        diff = self.records("diff", "--rows", "127.0.0.1")
        for kind in ("site", "section", "event", "page"):
            self.judge("diff: " + kind, diff)
        self.judge("note", self.records("note", "127.0.0.1", "2026-01-01", "a sale")
                   + self.records("note", "--list"))

    def judge_alert(self):
        folder = self.program.folder
        config = os.path.join(folder, "alert.conf")
        heard = os.path.join(folder, "heard")
        tell = os.path.join(folder, "tell")
        with open(tell, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\ncat >%s\n" % heard)
        os.chmod(tell, 0o700)
        with open(config, "w", encoding="ascii") as f:
            f.write("[alert a]\nexec = %s\n" % tell)
        self.judge("alert send: told", self.records("alert", "test", "a", "--config", config))
        with open(heard, encoding="ascii") as f:
            self.judge("alert: alert", [json.loads(line) for line in f])
        self.judge("alert list: sink", self.records("alert", "list", "--config", config))

    def judge_feed(self):
        batch = self.records("changes", "--consumer", "a")
        self.program.run("changes", "--consumer", "a", "--ack", batch[-1]["cursor"])
        self.server.put("/alone.xml", urlset([self.server.url("/d")]))
        for _ in range(2):
            self.crawl(self.server.url("/alone.xml"))
        batch += self.records("changes", "--consumer", "a")
        for kind in ("reset", "upsert", "delete", "cursor"):
            self.judge("changes: " + kind, batch)
        self.judge("changes: consumer", self.records("changes", "--list"))

    def judge_frontier(self):
        self.records("add", "--tag", "a", self.server.url("/"))
        key = os.path.join(self.program.folder, "key")
        self.assertEqual(self.program.run("identity", "new", key).status, 0)
        pages = self.records("due", "127.0.0.1", "--sign", "always", "--identity", key,
                             "--signature-agent", "https://bot.example")
        self.judge("due", pages)
        self.judge("identity: identity-key", self.records("identity", "show", key))
        self.judge("identity: identity-verify", self.records(
            "identity", "verify", key, self.server.url("/none"), status=1))
        lines = [json.dumps({"lease": pages[0]["lease"], "status": 200}),
                 json.dumps({"url": pages[0]["url"], "status": 200}), "x"]
        self.judge("done", self.program.run("done", input="\n".join(lines)).records())
        self.records("hold", "127.0.0.1", "--for", "1h")
        self.judge("hold: held", self.records("hold", "127.0.0.1", "--for", "1s")
                   + self.records("hold", "unknown.example", "--for", "1s"))
        self.records("hold", "127.0.0.1", "--for", "0")
        self.judge("release", self.records("release", "1.9", status=1))
        self.records("release")

    def judge_robots_texts(self):
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /y\n")
        self.program.run("crawl", "--force", self.server.url("/"))
        self.judge("robots: robots-text", self.records("robots", "--history", "127.0.0.1"))

    def judge_store(self):
        self.judge_robots_texts()
        self.judge("db info: store", self.records("db", "info"))
        self.program.leave_postgresql()
        self.judge("db backup: backup", self.records(
            "db", "backup", os.path.join(self.program.folder, "copy.db")))
        self.judge("db migrate: migrate", self.records("db", "migrate"))
        self.judge("db prune: prune", self.records("db", "prune", "--older", "1d"))
        self.judge("db vacuum: vacuum", self.records("db", "vacuum"))
        self.judge("db fsck: summary", self.records("db", "fsck"))
        store = sqlite3.connect(self.program.store)
        store.execute("UPDATE document SET entries = entries + 1 WHERE kind = 'urlset'")
        store.commit()
        store.close()
        self.judge("db fsck: violation", self.program.run("db", "fsck", "--json").records())

    def test_progress(self):
        """A progress object is printed each second of a crawl that takes
        longer."""
        wanted = self.tables["crawl: progress"]
        result = self.program.run("crawl", "--progress", "json", "--delay", "500ms",
                                  self.server.url("/"))
        lines = [line for line in result.err.splitlines() if line.startswith("{")]
        self.assertTrue(lines, str(result))
        record = json.loads(lines[0])
        self.assertEqual(set(record), wanted | {"v", "type"})


if __name__ == "__main__":
    unittest.main()
