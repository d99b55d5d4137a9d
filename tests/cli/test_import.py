"""freshet import: what another crawler knows of URLs."""
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

from case import index, urlset
from test_db import F_OFD_SETLK, Db
from test_due import PAGES, result
from test_due_stream import Streams, interrupt


class Import(Db):
    def taken(self, text, *args, status=0):
        """Run import --json on that text; returns its record and its
        complaints."""
        result = self.program.run("import", "--json", *args, input=text)
        self.assertEqual(result.status, status, str(result))
        self.said = result.err
        records = result.records()
        return records[0] if records else None

    def lines(self, *objects, status=0):
        return self.taken("".join(json.dumps(one) + "\n" for one in objects), "-f", "jsonl",
                          status=status)

    def pages(self, columns="url, weight, fetched_s, status, etag, document"):
        result = self.program.run("sql", "-f", "json", "SELECT %s FROM page ORDER BY id" % columns)
        self.assertEqual(result.status, 0, str(result))
        return [tuple(record.values())[1:] for record in result.records()]

    def outcomes(self):
        result = self.program.run(
            "sql", "-f", "json", "SELECT url, at_s, kind, status FROM outcome ORDER BY id")
        return [tuple(record.values())[1:] for record in result.records()]


class Urls(Import):
    def test_new_store(self):
        """One URL a line, with blanks and CR around it; a second import finds
        them all known."""
        text = "https://www.example.org/a\n\n  https://www.example.org/B#x\r\nHTTP://b.example"
        record = self.taken(text)
        self.assertEqual((record["lines"], record["new"], record["known"], record["bad"],
                          record["unlisted"], record["history"]), (4, 3, 0, 0, 3, 0))
        self.assertEqual(self.pages("url, document, site"), [
            ("https://www.example.org/a", "https://www.example.org/", "www.example.org"),
            ("https://www.example.org/B", "https://www.example.org/", "www.example.org"),
            ("http://b.example/", "http://b.example/", "b.example")])
        record = self.taken(text)
        self.assertEqual((record["new"], record["known"]), (0, 3))
        self.fsck()

    def test_explained(self):
        """A page that is handed out is known to explain, whatever is known of
        its site."""
        self.taken("https://www.example.org/a\n")
        self.assertEqual(self.program.run("add", "www.example.org").status, 0)
        answer = self.program.run("explain", "https://www.example.org/a")
        self.assertEqual(answer.status, 1, str(answer))
        self.assertIn("not listed", answer.out)
        self.assertIn("no robots.txt of its origin was read yet", answer.out)
        record, = self.program.run("explain", "--json", "https://www.example.org/a").records()
        self.assertEqual([(due["state"], due["promoted"], due["listed"]) for due in record["due"]],
                         [("unknown-robots", True, False)])
        self.assertEqual(self.program.run("explain", "https://www.example.org/b").status, 4)

    def test_listed_later(self):
        """A page that no sitemap listed belongs to the sitemap that lists it
        later, and gets its date."""
        server = self.site()
        server.put("/s.xml", urlset([(server.url("/a"), "2024-05-06"), server.url("/b")]))
        self.assertEqual(self.taken(server.url("/a") + "\n" + server.url("/c"))["unlisted"], 2)
        self.crawl(server.url("/s.xml"))
        for _ in range(2):  # the pages that are given back are the same
            due = {page["url"]: page["lastmod"]
                   for page in self.program.run("due", "-n", "9").records()}
            self.assertEqual(due, {server.url("/a"): "2024-05-06", server.url("/b"): None,
                                   server.url("/c"): None})
            self.program.run("release")
        self.assertEqual(sorted(self.pages("url, document")), [
            (server.url("/a"), server.url("/s.xml")), (server.url("/b"), server.url("/s.xml")),
            (server.url("/c"), server.url("/"))])
        self.fsck()

    def test_bad_lines(self):
        """Each bad line is reported with its number, and only that line is
        lost."""
        text = "https://h.example/a\nnothing\nftp://h.example/b\nhttps://h.example/c\n" + \
            "https://h.example/" + "x" * 70000 + "\nhttps://u:p@h.example/\n"
        record = self.taken(text, status=1)
        self.assertEqual((record["lines"], record["new"], record["bad"]), (6, 2, 4))
        self.assertEqual(self.said.splitlines(), [
            "freshet: stdin:2: is no URL with a scheme and a host",
            "freshet: stdin:3: is neither http nor https",
            "freshet: stdin:5: is longer than 65,536 bytes",
            "freshet: stdin:6: names a user"])
        self.assertEqual(len(self.pages()), 2)

    def test_long_lines(self):
        """Reading a few of these lines takes as long as other clients may have
        to wait."""
        record = self.lines(*({"url": "https://h.example/%d" % n, "pad": "x" * 62000}
                              for n in range(40)))
        self.assertEqual((record["new"], record["bad"]), (40, 0))

    def test_no_good_line(self):
        self.assertEqual(self.taken("nothing\n", status=4)["bad"], 1)
        self.assertEqual(self.taken("")["lines"], 0)

    def test_nothing(self):
        """What has no line makes no store."""
        for text in ("", "\n\n"):
            self.assertEqual(self.taken(text)["lines"], 0)
            self.assertFalse(os.path.exists(self.program.store))

    def test_blank_lines_first(self):
        """More of them than wait for the store at a time."""
        record = self.taken("\n" * 1500000 + "https://h.example/\n")
        self.assertEqual((record["lines"], record["new"]), (1500001, 1))

    def test_a_file(self):
        path = os.path.join(self.program.folder, "urls.txt")
        with open(path, "w", encoding="ascii") as f:
            f.writelines("https://h.example/%d\n" % n for n in range(2500))
        result = self.program.run("import", path)
        self.assertEqual(result.status, 0, str(result))
        self.assertEqual(result.out, "imported 2,500 new pages, 0 known, 0 with a fetch that was"
                         " not known; 2,500 that no sitemap here lists\n")
        with open(path, "a", encoding="ascii") as f:
            f.write("?\n")
        result = self.program.run("import", "-q", path)
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertIn("urls.txt:2501: is no URL", result.err)

    def test_no_file(self):
        result = self.program.run("import", "nowhere.txt")
        self.assertEqual(result.status, 2)
        self.assertIn("nowhere.txt", result.err)
        self.assertFalse(os.path.exists(self.program.store))
        # a folder is opened and cannot be read
        self.assertEqual(self.program.run("import", self.program.folder).status, 7)

    def test_listed(self):
        """A page belongs to the sitemap that lists it, and has its date."""
        self.server = self.site()
        url = self.server.url
        self.server.put("/robots.txt", "Sitemap: %s\n" % url("/index.xml"))
        self.server.put("/index.xml", index([url("/a.xml")]))
        self.server.put("/a.xml", urlset([(url("/1"), "2026-01-02"),
                                          (url("/2"), "2026-01-02T03:04:05Z")]))
        self.crawl(url("/"))
        record = self.taken("\n".join([url("/1"), url("/2"), url("/3"), url("/a.xml")]))
        self.assertEqual((record["new"], record["unlisted"]), (4, 2))
        self.assertEqual(self.pages("url, document, lastmod"), [
            (url("/1"), url("/a.xml"), "2026-01-02"),
            (url("/2"), url("/a.xml"), "2026-01-02T03:04:05Z"),
            (url("/3"), url("/"), None), (url("/a.xml"), url("/"), None)])
        # of the site that is there, not another one
        sites = self.program.run("sql", "-f", "json", "SELECT host FROM site").records()
        self.assertEqual(len(sites), 1)
        self.fsck()


class History(Import):
    URL = "https://h.example/a"

    def test_all_of_it(self):
        record = self.lines({
            "url": self.URL, "weight": 2.5, "fetched": "2026-01-02T00:00:00Z", "status": 200,
            "content_hash": "abc", "etag": "\"e\"", "last_modified": "Mon",
            "lastmod": "2026-01-01", "more": [1, {"x": None}]})
        self.assertEqual((record["new"], record["history"]), (1, 1))
        self.assertEqual(self.pages("url, weight, fetched, status, etag, last_modified, lastmod"),
                         [(self.URL, 2.5, "2026-01-02T00:00:00Z", 200, "\"e\"", "Mon",
                           "2026-01-01")])
        self.fsck()

    def test_fetch_after_fetch(self):
        """Later fetches are added to the history; fetches that are already
        known change nothing."""
        lines = [{"url": self.URL, "fetched": 1000000, "content_hash": "a"},
                 {"url": self.URL, "fetched": 2000000, "content_hash": "a"},
                 {"url": self.URL, "fetched": 3000000, "content_hash": "b"},
                 {"url": self.URL, "fetched": 4000000, "status": 304},
                 {"url": self.URL, "fetched": 5000000, "status": 410},
                 {"url": self.URL, "fetched": 6000000, "status": 503},
                 {"url": self.URL, "fetched": 7000000}]
        self.assertEqual(self.lines(*lines)["history"], 7)
        outcomes = [(self.URL, 1000000 * (n + 1), kind, status) for n, (kind, status) in enumerate([
            ("fetched", 200), ("same", 200), ("changed", 200), ("not-modified", 304),
            ("gone", 410), ("failed", 503), ("fetched", 200)])]
        self.assertEqual(self.outcomes(), outcomes)
        self.assertEqual(self.lines(*lines)["history"], 0)
        self.assertEqual(self.outcomes(), outcomes)
        self.fsck()

    def test_weight_alone(self):
        self.lines({"url": self.URL, "weight": 3})
        self.lines({"url": self.URL})
        self.assertEqual(self.pages("weight, fetched"), [(3.0, None)])
        self.lines({"url": self.URL, "weight": 0.5})
        self.assertEqual(self.pages("weight"), [(0.5,)])

    def test_bad_objects(self):
        bad = [[], {}, {"url": 5}, {"url": "x"}, {"url": self.URL, "weight": "high"},
               {"url": self.URL, "weight": 0}, {"url": self.URL, "weight": -1},
               {"url": self.URL, "fetched": "soon"}, {"url": self.URL, "fetched": -5},
               {"url": self.URL, "fetched": 4102444800}, {"url": self.URL, "fetched": True},
               {"url": self.URL, "fetched": 5, "status": 99},
               {"url": self.URL, "fetched": 5, "status": "200"},
               {"url": self.URL, "fetched": 5, "status": 200.5},
               {"url": self.URL, "fetched": 5, "etag": "a\nb"},
               {"url": self.URL, "fetched": 5, "content_hash": 7},
               {"url": self.URL, "content_hash": "abc"},
               {"url": self.URL, "lastmod": "never"}, {"url": self.URL, "lastmod": 7}]
        record = self.lines(*bad, status=4)
        self.assertEqual((record["bad"], record["new"]), (len(bad), 0))
        said = self.said.splitlines()
        self.assertEqual([line.split(":")[2] for line in said],
                         [str(n + 1) for n in range(len(bad))])
        self.assertEqual(self.taken("{\"url\":\"%s\"\nno\n" % self.URL, "-f", "jsonl",
                                    status=4)["bad"], 2)
        self.assertEqual(self.pages(), [])

    def test_null_is_nothing(self):
        self.lines(dict.fromkeys(
            ("weight", "fetched", "status", "content_hash", "etag", "last_modified", "lastmod"),
            None, ) | {"url": self.URL})
        self.assertEqual(self.pages("url, weight, fetched"), [(self.URL, 1.0, None)])


class Held(Import):
    def test_no_answer(self):
        """The owner of the store does not answer: exit status 5, and nothing is
        lost."""
        self.taken("https://h.example/a\n")
        with open(self.program.store + ".lock", "r+b") as lock, \
                socket.socket(socket.AF_UNIX) as silent:
            fcntl.fcntl(lock, F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
            silent.bind(self.program.store + ".sock")
            silent.listen()
            result = self.program.run("import", input="https://h.example/b\n")
        self.assertEqual(result.status, 5, str(result))
        self.assertIn("store-locked", result.err)
        self.assertEqual(len(self.pages()), 1)


class Owners(Streams, Import):
    """Another process owns the store, and does the import."""

    def urls(self, *names):
        return "".join(self.one.url("/" + name) + "\n" for name in names)

    def test_a_follower(self):
        """Imported pages are handed out at once, except those that were fetched
        lately."""
        due = self.follow()
        pages = [self.page(due) for _ in range(PAGES)]
        before = int(time.time()) - 5
        text = "\n".join([
            json.dumps({"url": self.one.url("/fetched"), "fetched": before, "content_hash": "h"}),
            json.dumps({"url": self.one.url("/new"), "weight": 7}), "",
            json.dumps({"url": pages[0]["url"], "fetched": before}), "?"])
        record = self.taken(text, "-f", "jsonl", status=1)
        self.assertEqual((record["lines"], record["bad"], record["new"], record["known"],
                          record["history"], record["unlisted"]), (5, 1, 2, 1, 2, 2))
        self.assertEqual(self.said, "freshet: stdin:5: is no JSON object\n")
        self.assertEqual(self.page(due)["url"], self.one.url("/new"))
        # the lease of the one that is out stands
        self.assertEqual(self.ack(result(pages[0])), "OK")
        self.assertEqual(interrupt(due)[0], 130)
        self.fsck()

    def test_the_same_as_alone(self):
        """Answers, summary, exit status and the store are the same as without
        an owner."""
        lines = [json.dumps(one) for one in (
            {"url": self.one.url("/p1"), "fetched": 1000000, "content_hash": "a"},
            {"url": self.one.url("/p1"), "fetched": 2000000, "content_hash": "b", "weight": 2},
            {"url": self.one.url("/x"), "fetched": 3000000, "status": 404},
            {"url": "https://other.example/", "lastmod": "2026-01-01"},
            {"url": "nothing"}, {"url": self.one.url("/x"), "weight": 0})]
        seen = []
        for holds in (False, True):
            due = self.follow()
            for _ in range(PAGES):
                self.page(due)
            if not holds:
                self.assertEqual(interrupt(due)[0], 130)
            run = [self.program.run("import", "-f", "jsonl", input="\n".join(lines))
                   for _ in range(2)]
            if holds:
                self.assertEqual(interrupt(due)[0], 130)
            seen.append(([(one.status, one.out, one.err) for one in run], self.outcomes(),
                         self.pages("url, document, weight, fetched_s, status, lastmod")))
            os.rename(self.program.store, self.program.store + ".%d" % holds)
            self.crawl(self.one.url("/"))
        self.assertEqual(seen[0], seen[1])
        self.assertIn("imported 2 new pages, 2 known", seen[0][0][0][1])

    def wait_for_pages(self, below):
        """Wait until the store has one of those pages."""
        for _ in range(500):
            if any(url.startswith(below) for url, in self.pages("url")):
                return
            time.sleep(0.02)
        raise TimeoutError("nothing of %s comes" % below)

    def test_the_owner_leaves(self):
        """The import goes on, whichever process owns the store next; nothing is
        lost."""
        known = [self.one.url("/p%d" % n) for n in range(PAGES)]
        for sign in (signal.SIGKILL, signal.SIGINT):
            below = "https://h.example/%s/" % sign.name
            urls = [below + str(n) for n in range(3000)]
            text = [url.encode() + b"\n" for url in urls]
            due = self.follow()
            # a page is known from when it was handed out, and no sooner
            shown = [self.page(due)["url"] for _ in range(PAGES)]
            self.assertEqual(sorted(shown), sorted(known[:PAGES]))
            process = self.start("import", "--json", stdin=subprocess.PIPE)
            process.stdin.write(b"".join(text[:1000]))
            self.wait_for_pages(below)
            process.stdin.write(b"".join(text[1000:2000]))
            due.send_signal(sign)
            due.wait(600)
            process.stdin.write(b"".join(text[2000:]))
            process.stdin.close()
            record = json.loads(process.stdout.read())
            self.assertEqual(process.wait(600), 0)
            self.assertEqual((record["lines"], record["new"] + record["known"]), (3000, 3000))
            self.program.run("release")
            known += urls
            self.assertEqual(sorted(url for url, in self.pages("url")), sorted(known))
        self.fsck()

    def test_it_serves_others(self):
        """While the import reads its input, it serves `due`."""
        process = self.start("import", "--json", stdin=subprocess.PIPE)
        process.stdin.write(self.urls("new").encode())
        self.wait_for_socket()
        urls = []
        while self.one.url("/new") not in urls:
            urls += [page["url"] for page in self.due("--wait", "20s")]
        self.assertEqual(len(urls), PAGES + 1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(600), 130)
        self.assertEqual(json.loads(process.stdout.read())["new"], 1)

    def test_a_crawl(self):
        """In the end the crawl's own store has both."""
        slow = self.site(address="127.0.0.3")
        slow.put("/s.xml", urlset([slow.url("/a")]), delay=1)
        crawl = self.program.start("crawl", "-q", slow.url("/s.xml"))
        slow.wait_for("/s.xml")
        self.assertEqual(self.taken(self.urls("p1", "new"))["new"], 2)
        self.assertIsNone(crawl.poll(), "the crawl was through before")
        self.assertEqual(crawl.wait(600), 0)
        self.assertEqual([page[0] for page in self.pages()],
                         [self.one.url("/p1"), self.one.url("/new")])
        self.fsck()


if __name__ == "__main__":
    unittest.main()
