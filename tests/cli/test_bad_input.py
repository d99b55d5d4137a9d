"""Bad input: each fault has its code and its exit status, and what was known
before is kept."""
import gzip
import os
import sqlite3
import time
import unittest

from case import Case, gz, index, urlset
from clock import DAY
from late import assert_sooner
from nginx import free_port
from test_clock import Clocked

PAGES = ["/a", "/b", "/c"]


def bomb():
    """A gzipped urlset with 60 MB of blanks in it."""
    head = urlset([]).replace("</urlset>\n", "")
    return gzip.compress(head.encode() + b" " * 60_000_000 + b"</urlset>\n", 9)


class OneDocument(Case):
    """One document that is read well once, then is bad, and at last is good
    again."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url("/sitemap.xml")
        self.good = urlset([(self.server.url(p), "2026-01-0%d" % n)
                            for n, p in enumerate(PAGES, 1)])
        self.put_good()
        self.crawl(self.url)
        self.before = self.program.export("--all")
        self.assertEqual(len(self.before), 3)

    def put_good(self):
        self.server.put("/sitemap.xml", self.good, etag='"good"')

    def judge(self, codes, status=4, is_partial=False, args=()):
        """Crawl what the test has published. codes: the failure, or the
        possible ones; is_partial: was a part read? None: it may have been, or
        the part is empty."""
        codes = codes if isinstance(codes, tuple) else (codes,)
        crawl = self.crawl(*args, self.url, status=status)
        record = crawl.document(self.url)
        self.assertTrue(set(codes) & set(crawl.codes(self.url)), str(crawl))
        if is_partial is None and record["outcome"] == "failed":
            # nothing came before the fault: there is no part to keep
            self.assertIn(record["failure"], codes, str(crawl))
        elif is_partial is not False:
            self.assertEqual((record["outcome"], record["complete"]), ("read", False), str(crawl))
            self.assertIn("partial-document", crawl.codes(self.url))
        else:
            self.assertIn(record["outcome"], ("failed", "refused"), str(crawl))
            self.assertIn(record["failure"], codes, str(crawl))
        self.assertEqual(self.program.export("--all"), self.before)
        # a failure that was read must not pass for the good version: the good
        # one is read or recognised again, and nothing is missing
        self.put_good()
        self.wait()
        again = self.crawl(self.url)
        self.assertIn(again.document(self.url)["outcome"], ("read", "unchanged"), str(again))
        self.assertEqual(self.program.export("--all"), self.before)
        return crawl

    def wait(self):
        """Let time pass until the server may be asked again."""

    def status(self, number, code, headers=()):
        self.server.put("/sitemap.xml", b"no\n", status=number, headers=headers)
        self.judge(code)


class Busy(OneDocument, Clocked):
    """R-76: a server that names the time when it may be asked again."""

    def wait(self):
        self.server.forget()
        self.crawl(self.url, status=4)
        self.assertEqual(self.server.requests, [])
        self.clock.advance(DAY)

    def test_429(self):
        self.status(429, "fetch-rate-limited", [("Retry-After", "86400")])

    def test_503(self):
        self.status(503, "fetch-rate-limited", [("Retry-After", "86400")])


class Documents(OneDocument):
    """Faults of the server's answer, or of its bytes."""

    #
    def test_404(self):
        self.status(404, "fetch-not-found")

    def test_410(self):
        self.status(410, "fetch-not-found")

    def test_401(self):
        self.status(401, "fetch-unauthorized")

    def test_403(self):
        self.status(403, "fetch-unauthorized")

    def test_418(self):
        self.status(418, "fetch-http-error")

    def test_204(self):
        self.status(204, "fetch-http-error")

    def test_206_unasked(self):
        self.status(206, "fetch-http-error")

    def test_500(self):
        self.status(500, "fetch-server-error")

    #
    def test_html(self):
        self.server.put("/sitemap.xml", "<!DOCTYPE html>\n<html><body>soft 404</body></html>\n",
                        headers=[("Content-Type", "text/html")])
        self.judge("html-not-sitemap")

    def test_empty(self):
        self.server.put("/sitemap.xml", b"")
        self.judge("empty-file")

    def test_blank(self):
        self.server.put("/sitemap.xml", b" \n\t\n")
        self.judge("empty-file")

    def test_json(self):
        self.server.put("/sitemap.xml", b'{"urls": []}\n')
        self.judge("unsupported-format")

    def test_unknown_root(self):
        self.server.put("/sitemap.xml", b"<URLSET><url/></URLSET>\n")
        self.judge("unsupported-format")

    #
    def test_broken_from_the_beginning(self):
        self.server.put("/sitemap.xml", self.good.replace("<url>", "<url", 1))
        self.judge("parse-error", status=(1, 4), is_partial=None)

    def test_broken_after_two_entries(self):
        cut = self.good.index("<url>", self.good.index("<url>", self.good.index("<url>") + 1) + 1)
        self.server.put("/sitemap.xml", self.good[:cut] + "<url><loc>http://x/?a&b</url>")
        self.judge("parse-error", status=1, is_partial=True)

    def test_broken_in_strict(self):
        """R-02: strict drops the whole document."""
        cut = self.good.index("</urlset>")
        self.server.put("/sitemap.xml", self.good[:cut] + "</sitemapindex>")
        self.judge("parse-error", args=("--profile", "strict"))

    def test_doctype(self):
        body = self.good.replace("<urlset", '<!DOCTYPE urlset [<!ENTITY a "b">]>\n<urlset')
        self.server.put("/sitemap.xml", body)
        self.judge("doctype-present", status=(1, 4))

    #
    def test_gzip_cut(self):
        """The part that is kept is a part of the known document."""
        self.server.put("/sitemap.xml", gz(self.good)[:-30])
        self.judge("gzip-truncated", status=(1, 4), is_partial=None)

    def test_gzip_cut_in_the_trailer(self):
        self.server.put("/sitemap.xml", gz(self.good)[:-3])
        self.judge("gzip-truncated", status=1, is_partial=True)

    def test_gzip_checksum(self):
        body = bytearray(gz(self.good))
        body[-6] ^= 1
        self.server.put("/sitemap.xml", bytes(body))
        self.judge("compression-error", status=1, is_partial=True)

    def test_gzip_header(self):
        body = bytearray(gz(self.good))
        body[2] = 7
        self.server.put("/sitemap.xml", bytes(body))
        self.judge("compression-error", status=(1, 4))

    def test_gzip_three_layers(self):
        self.server.put("/sitemap.xml", gz(gz(gz(self.good))))
        self.judge("gzip-too-many-layers")

    def test_bomb(self):
        self.server.put("/sitemap.xml", bomb())
        begin = time.monotonic()
        self.judge("file-too-large", status=(1, 4), is_partial=None)
        assert_sooner(time.monotonic() - begin, 30)

    def test_brotli(self):
        self.server.put("/sitemap.xml", b"\x1b\x00", headers=[("Content-Encoding", "br")])
        self.judge("unsupported-encoding")

    # HOSTILE N1 to N8, N19 to N22
    def raw(self, answer, codes="fetch-network-error", **kwargs):
        self.server.put("/sitemap.xml", raw=answer)
        self.judge(codes, **kwargs)

    def test_truncated_body(self):
        """N4: the beginning that came is kept, and no entry counts as missed
        because of the missing rest."""
        body = self.good.encode()
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                 % (len(body) + 100, body[:-20]), status=1, is_partial=True)

    def test_nothing_but_a_close(self):
        self.raw(b"")

    def test_http_09(self):
        self.raw(self.good.encode())

    def test_two_lengths(self):
        """N6"""
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde")

    def test_length_and_chunks(self):
        """N7"""
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                 b"3\r\nabc\r\n0\r\n\r\n")

    def test_header_flood(self):
        """N10"""
        self.raw(b"HTTP/1.1 200 OK\r\n" + b"X-Flood: %s\r\n" % (b"y" * 1000) * 1000 + b"\r\n",
                 "headers-too-big")

    def test_one_endless_header(self):
        """N11"""
        self.raw(b"HTTP/1.1 200 OK\r\nX-Flood: " + b"y" * 1_000_000, "headers-too-big")

    def test_trailer_flood(self):
        """N13"""
        self.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" +
                 b"X-Flood: %s\r\n" % (b"y" * 1000) * 1000, "headers-too-big",
                 status=(1, 4))

    def test_body_over_the_budget(self):
        """N1: a body of endless chunks stops at the limit of --max-bytes."""
        sent = []

        def flood(_, connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
            for n in range(20000):
                sent.append(n)
                connection.sendall(chunk)
            return False
        self.server.put("/sitemap.xml", call=flood)
        self.judge("body-too-big", status=(1, 4), args=("--max-bytes", "1000000"))
        self.assertLess(len(sent), 2000)

    def test_too_slow(self):
        """N16: the speed limit ends a body that only trickles."""
        def trickle(_, connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(60):
                connection.sendall(b" ")
                time.sleep(0.2)
            return False
        self.server.put("/sitemap.xml", call=trickle)
        begin = time.monotonic()
        self.judge("fetch-network-error", status=(1, 4),
                   args=("--low-speed-time", "1", "--max-time", "5", "--retry", "0"))
        assert_sooner(time.monotonic() - begin, 11)


class Unreachable(Case):
    def test_does_not_resolve(self):
        url = "http://no-such-host.invalid/sitemap.xml"
        crawl = self.crawl("--connect-timeout", "3", "--retry", "0", url, status=4)
        self.assertTrue({"fetch-network-error", "robots-unreachable"} & set(crawl.codes()),
                        str(crawl))

    def test_nobody_listens(self):
        url = "http://127.0.0.1:%d/sitemap.xml" % free_port()
        crawl = self.crawl("--retry", "0", url, status=4)
        self.assertTrue({"fetch-network-error", "robots-unreachable"} & set(crawl.codes()),
                        str(crawl))

    def test_one_of_two(self):
        """Exit status 1: the other document was read."""
        site = self.site()
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        crawl = self.crawl("--retry", "0", site.url("/sitemap.xml"), site.url("/missing.xml"),
                           status=1)
        self.assertEqual(crawl.document(site.url("/sitemap.xml"))["outcome"], "read")
        self.assertFailure(crawl, site.url("/missing.xml"), "fetch-not-found")
        self.assertEqual(crawl.summary["documents"]["failed"], 1)
        self.assertEqual(self.program.urls(), [site.url("/a")])

    def test_nothing_at_the_default_places(self):
        site = self.site()
        crawl = self.crawl(site.url("/"), status=4)
        self.assertEqual(site.targets(), ["/", "/sitemap_index.xml", "/sitemap.xml",
                                          "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.txt"])
        self.assertEqual(crawl.summary["exit"], 4)

    def test_names_that_are_no_target(self):
        for target in ("http://", "ftp://a.example/s.xml", "http://a b/", "http://u:p@a.example/",
                       "http://a.example:99999/"):
            with self.subTest(target=target):
                result = self.program.run("crawl", target)
                self.assertIn(result.status, (2, 4), str(result))
                self.assertTrue(result.err.strip(), str(result))


class Indexes(Case):
    """Indexes with entries that are not allowed."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/maps/a.xml", urlset([self.server.url("/maps/page")]))
        self.url = self.server.url("/maps/index.xml")

    def judge(self, entries, code, count, status=1):
        self.server.put("/maps/index.xml", index([self.server.url("/maps/a.xml")] + entries))
        crawl = self.crawl(self.url, status=status)
        self.assertEqual(crawl.codes(self.url).get(code), count, str(crawl))
        self.assertEqual(crawl.document(self.server.url("/maps/a.xml"))["outcome"], "read")
        self.assertEqual(set(self.server.targets()), {"/maps/index.xml", "/maps/a.xml"})
        return crawl

    def test_itself(self):
        """R-69"""
        self.judge([self.url], "index-self-reference", 1)

    def test_other_hosts(self):
        """R-59: other hosts get no request."""
        self.judge(["http://other%d.example/maps/s.xml" % n for n in range(40)],
                   "host-mismatch", 40)

    def test_other_directories(self):
        """R-60"""
        self.judge([self.server.url("/b.xml"), self.server.url("/mapsx/b.xml"),
                    self.server.url("/maps/../b.xml"), self.server.url("/maps/%2e%2e/c.xml")],
                   "outside-directory", 4)

    def test_other_port(self):
        """R-57, HOSTILE R14"""
        self.judge(["http://127.0.0.1:%d/maps/s.xml" % (self.server.port % 60000 + n)
                    for n in range(1, 11)], "port-mismatch", 10, status=(0, 1))

    def test_refused_children_can_be_seen(self):
        """R-71: the entry's text and line are kept."""
        crawl = self.judge(["http://other.example/maps/s.xml"], "host-mismatch", 1,
                           status=(0, 1))
        finding = next(f for f in crawl.document(self.url)["findings"]
                       if f["code"] == "host-mismatch")
        self.assertIn("http://other.example/maps/s.xml", finding["text"])
        self.assertEqual(finding["line"], 4)
        self.assertEqual(finding["severity"], "error")

    def test_60000_children(self):
        """R-37: the first 50,000 children are read."""
        crawl = self.judge(["http://other.example/maps/%d.xml" % n for n in range(59_999)],
                           "too-many-sitemaps", 1)
        self.assertEqual(crawl.codes(self.url)["host-mismatch"], 49_999)
        self.assertFalse(crawl.document(self.url)["complete"])

    def test_another_zone(self):
        """R-30: dates that are written with the same digits in another zone did not move."""
        times = ["2026-01-%02dT10:00:00" % day for day in range(1, 25)]
        url = self.server.url("/maps/a.xml")
        for zone in ("+01:00", "-05:00", "", "Z", "+05:30"):
            self.server.put("/maps/a.xml", urlset([
                (self.server.url("/maps/%d" % n), at + zone) for n, at in enumerate(times)]))
            self.assertEqual(self.crawl(url).document(url)["redated"], 0, zone)
        times[3] = "2026-01-30T11:00:00"
        self.server.put("/maps/a.xml", urlset([
            (self.server.url("/maps/%d" % n), at + "+01:00") for n, at in enumerate(times)]))
        self.assertEqual(self.crawl(url).document(url)["redated"], 1)

    def test_index_in_an_index(self):
        """R-17: check and strict refuse it; who watches a site sees its pages."""
        page = self.server.url("/maps/p")
        self.server.put("/maps/b.xml", urlset([page]))
        self.server.put("/maps/a.xml", index([self.server.url("/maps/b.xml")]))
        self.server.put("/maps/index.xml", index([self.server.url("/maps/a.xml")]))
        for args in (("--profile", "strict"), ("--nested-index", "reject")):
            crawl = self.crawl(*args, self.url, status=1)
            self.assertFailure(crawl, self.server.url("/maps/a.xml"), "nested-index")
        check = self.program.run("check", "--json", self.url)
        self.assertEqual(check.status, 1, str(check))
        self.assertIn("nested-index", check.out)
        self.assertEqual(self.server.asked("/maps/b.xml"), [])
        crawl = self.crawl(self.url)
        self.assertEqual(crawl.codes(self.server.url("/maps/a.xml")), {"nested-index": 1})
        self.assertIn(page, self.program.run("ls").out)

    def test_nested_index_in_lenient(self):
        """R-17, R-69: a nested index is followed, but a loop is not."""
        self.server.put("/maps/a.xml", index([self.server.url("/maps/b.xml"), self.url]))
        self.server.put("/maps/b.xml", urlset([self.server.url("/maps/page")]))
        self.server.put("/maps/index.xml", index([self.server.url("/maps/a.xml")]))
        crawl = self.crawl("--profile", "lenient", self.url, status=1)
        self.assertEqual(crawl.codes(self.server.url("/maps/a.xml")).get("index-loop"), 1,
                         str(crawl))
        self.assertEqual(self.program.urls().count(self.server.url("/maps/page")), 1)
        self.assertEqual(len(self.server.asked("/maps/index.xml")), 1)

    def test_same_child_often(self):
        """R-51, HOSTILE I4"""
        self.judge([self.server.url("/maps/a.xml")] * 500, "duplicate-child", 500, status=0)
        self.assertEqual(len(self.server.asked("/maps/a.xml")), 1)


class Stores(Case):
    """Stores that cannot be used (HOSTILE S8)."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.server.put("/sitemap.xml", urlset([self.server.url("/a")]))
        self.url = self.server.url("/sitemap.xml")
        self.path = os.path.join(self.program.folder, "other.db")

    def judge(self, status, path=None):
        result = self.program.run("crawl", "--store", path or self.path, self.url)
        self.assertEqual(result.status, status, str(result))
        lines = [line for line in result.err.splitlines() if line.strip()]
        self.assertTrue(lines, str(result))
        self.assertIn(os.path.basename(path or self.path), result.err)
        self.assertEqual(self.server.requests, [])

    def test_folder(self):
        os.mkdir(self.path)
        self.judge(2)

    def test_missing_folder(self):
        self.judge(2, os.path.join(self.program.folder, "missing", "x.db"))

    def test_where_nothing_can_be_written(self):
        self.judge(2, "/proc/x.db")

    def test_symbolic_link(self):
        self.crawl(self.url)
        self.server.forget()
        os.symlink(self.program.store, self.path)
        self.judge(2)

    def test_fifo(self):
        os.mkfifo(self.path)
        self.judge(2)

    def test_no_store(self):
        with open(self.path, "wb") as f:
            f.write(b"this is a text and no database\n" * 100)
        self.judge(6)
        with open(self.path, "rb") as f:
            self.assertTrue(f.read().startswith(b"this is a text"))

    def test_database_of_somebody_else(self):
        with sqlite3.connect(self.path) as db:
            db.execute("CREATE TABLE theirs (x)")
        self.judge(6)

    def test_newer_store(self):
        self.crawl("--store", self.path, self.url)
        self.server.forget()
        with sqlite3.connect(self.path) as db:
            db.execute("PRAGMA user_version = 1000")
        self.judge(6)

    def test_empty_file_is_a_new_store(self):
        with open(self.path, "wb"):
            pass
        crawl = self.crawl("--store", self.path, self.url)
        self.assertEqual(crawl.summary["urls"]["listed"], 1)

    def test_url_of_a_store(self):
        crawl = self.crawl("--store", "sqlite://" + self.path, self.url)
        self.assertEqual(crawl.summary["urls"]["listed"], 1)
        self.assertTrue(os.path.exists(self.path))

    def test_default_place(self):
        env = {"FRESHET_STORE": None, "XDG_DATA_HOME": None}
        self.crawl(self.url, env=env)
        self.assertTrue(os.path.exists(os.path.join(
            self.program.folder, ".local", "share", "freshet", "freshet.db")))

    def test_reading_beside_a_crawl(self):
        """Commands that only read the store work while a crawl writes."""
        self.server.put("/slow.xml", urlset([self.server.url("/b")]), delay=2)
        owner = self.program.start("crawl", "--json", "--progress", "off",
                                    self.server.url("/slow.xml"))
        self.server.wait_for("/slow.xml")
        self.assertEqual(self.program.run("db", "info").status, 0)
        self.assertEqual(self.program.urls(), [])
        out, err = owner.communicate(timeout=600)
        self.assertEqual(owner.returncode, 0, out.decode() + err.decode())
        self.assertEqual(self.program.urls(), [self.server.url("/b")])

    def test_reading_a_store_that_is_missing(self):
        for command in (["export"], ["ls"], ["db", "info"]):
            with self.subTest(command=command):
                result = self.program.run(*command)
                self.assertEqual(result.status, 2, str(result))


class Usage(Case):
    """Wrong usage: exit status 2, and the message names the nearest known
    word."""

    def judge(self, args, hint):
        result = self.program.run(*args)
        self.assertEqual(result.status, 2, str(result))
        self.assertEqual(result.out, "")
        self.assertIn(hint, result.err)

    def test_option(self):
        self.judge(["crawl", "--proflie", "strict", "http://a.example/"], "--profile")

    def test_command(self):
        self.judge(["crwal", "http://a.example/"], "crawl")

    def test_value(self):
        self.judge(["crawl", "--profile", "googel", "http://a.example/"], "google")

    def test_switch(self):
        self.judge(["crawl", "--dir-rul", "warn", "http://a.example/"], "dir")

    def test_switch_value(self):
        self.judge(["crawl", "--dir-rule", "wran", "http://a.example/"], "warn")

    def test_no_target(self):
        self.judge(["crawl"], "crawl")

    def test_nothing(self):
        result = self.program.run()
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("freshet crawl", result.out + result.err)

    def test_number(self):
        self.judge(["crawl", "--delay", "soon", "http://a.example/"], "--delay")

    def test_connect_to(self):
        self.judge(["crawl", "--connect-to", "a.example", "http://a.example/"], "connect-to")

    def test_address(self):
        self.judge(["crawl", "--allow-address", "127.0.0.1/99", "http://a.example/"],
                   "127.0.0.1/99")

    def test_stdin(self):
        site = self.site()
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        text = "# a comment\n\n%s\n" % site.url("/sitemap.xml")
        result = self.program.run("crawl", "-", input=text)
        self.assertEqual(result.status, 0, str(result))
        self.assertEqual(self.program.urls(), [site.url("/a")])
        # a pipe without a named target is read as well
        result = self.program.run("crawl", input=text)
        self.assertEqual(result.status, 0, str(result))

    def test_closed_stdout(self):
        """HOSTILE P7, P11: a reader of the output that goes away causes no
        crash."""
        site = self.site()
        site.put("/sitemap.xml", urlset([site.url("/%d" % n) for n in range(20000)]))
        self.crawl(site.url("/sitemap.xml"))
        process = self.program.start("export", "-f", "urls")
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read().decode()
        self.assertGreaterEqual(process.wait(600), 0, err)
        self.assertNotEqual(process.returncode, 9, err)


class Output(Case):
    """Foreign text is never printed raw (HOSTILE T23, O1)."""

    def test_terminal_escapes(self):
        site = self.site()
        nasty = "\x1b]0;owned\x07\u202e\u009b31m"
        site.put("/sitemap.xml", raw=b"HTTP/1.1 404 \x1b[31mno\r\nContent-Length: 0\r\n\r\n")
        site.put("/s.txt", "http://a.example/%s\nhttp://127.0.0.1/%s\nnasty %s\n"
                 % (nasty, nasty, nasty))
        for args in (["crawl", site.url("/sitemap.xml"), site.url("/s.txt")],
                     ["ls"], ["export"], ["export", "-f", "tsv"], ["db", "info"]):
            with self.subTest(args=args[0]):
                result = self.program.run(*args)
                for c in result.out + result.err:
                    self.assertTrue(c in "\n\t" or " " <= c < "\x7f" or c > "\xa0"
                                    and c not in "\u202e", repr(result.out + result.err))


if __name__ == "__main__":
    unittest.main()
