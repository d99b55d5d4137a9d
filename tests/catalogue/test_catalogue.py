"""Each code is provoked by what a server sends, through the program itself,
and nothing else is that its cause does not force.

A code whose part is not there yet stands in WAITING with that part.
"""
import inspect
import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest
import urllib.request

import documents
import extensions
from case import Case
from clock import Clock
from daemon import Daemon
from program import BINARY
from test_sandbox import HOOKED, NO_HOOKS

# Codes of a whole run are told by its exit status.
BUDGET, UNUSABLE, NO_TARGET, LOCKED, DAMAGED, DISK = 3, 2, 4, 5, 6, 7

# part -> codes that only it will produce
WAITING = {
    "diff: what left a site": ["entry-gone"],
    "nothing: they name what others report": ["video-thumbnail-size", "engine-temporary-error"],
}


def has_command(name):
    """False without a binary, too: each test says that there is none."""
    if not os.access(BINARY, os.X_OK):
        return False
    return "  %s " % name in subprocess.run([BINARY, "help"], capture_output=True, text=True,
                                            stdin=subprocess.DEVNULL, check=False).stdout


HAS_CHECK = has_command("check")


class Fixtures(Case):
    """What the classes of fixtures share."""

    def setUp(self):
        super().setUp()
        self.server = self.site()

    def put(self, path="/sitemap.xml", body=documents.GOOD, **kwargs):
        kwargs.setdefault("headers", () if kwargs.get("raw") else documents.XML)
        if isinstance(body, str):
            body = body.replace("$", self.server.origin)
        self.server.put(path, body, **kwargs)
        return self.server.url(path)

    def provoke(self, code, *args, also=(), **kwargs):
        """Crawl: that code comes, with those and no others."""
        crawl = self.crawl("--retry", "0", *args, status=None, **kwargs)
        self.assertEqual(set(crawl.codes()), {code} | set(also), str(crawl))
        return crawl

    def names(self, *hosts):
        """Options by which those hosts are the server."""
        return ["--resolve=%s:%d:127.0.0.1" % (host, self.server.port) for host in hosts]

    def at(self, host, path="/sitemap.xml"):
        return "http://%s:%d%s" % (host, self.server.port, path)


def body_of(made, origin):
    """A fixture's bytes: as they are, or what its function makes."""
    if callable(made):
        made = made(origin) if inspect.signature(made).parameters else made()
    return made


def document_test(code):
    body, also, args, how = documents.DOCUMENTS[code]

    def test(self):
        how_it_is = dict(how)
        url = self.put(how_it_is.pop("path", "/sitemap.xml"), body_of(body, self.server.origin),
                       **how_it_is)
        self.provoke(code, *args, url, also=also)
    return test


def robots_test(code):
    text, also = documents.ROBOTS[code]

    def test(self):
        self.put("/robots.txt", text, headers=())
        self.provoke(code, self.put(), also=also)
    return test


class Documents(Fixtures):
    pass


class Robots(Fixtures):
    def test_robots_unreachable(self):
        self.put("/robots.txt", "", status=500)
        self.provoke("robots-unreachable", self.put())

    def test_robots_redirect_limit(self):
        self.server.redirect("/robots.txt", "/r0")
        for n in range(6):
            self.server.redirect("/r%d" % n, "/r%d" % (n + 1))
        self.provoke("robots-redirect-limit", self.put())

    def test_accepted_by_robots_proof(self):
        """robots.txt of one host names a document of another."""
        self.put("b.test/robots.txt", "Sitemap: %s\n" % self.at("a.test"), headers=())
        self.put("a.test/sitemap.xml", documents.urlset(
            documents.entry(self.at("b.test", "/page"))))
        self.provoke("accepted-by-robots-proof", *self.names("a.test", "b.test"),
                     self.at("b.test", "/robots.txt"))

    def test_directory_waived(self):
        self.put("/robots.txt", "Sitemap: $/maps/sitemap.xml\n", headers=())
        self.provoke("directory-waived", self.put("/maps/sitemap.xml"))


class Signatures(Fixtures):
    """A host that wants signed requests, and refuses them."""

    CHALLENGE = 'sig1=("@authority");created;tag="web-bot-auth"'

    def refused(self, *headers, challenge=CHALLENGE):
        """A sitemap that is refused to all, signed or not."""
        return self.put(status=401, headers=[("Accept-Signature", challenge), *headers])

    def identity(self):
        key = os.path.join(self.program.folder, "key")
        result = self.program.run("identity", "new", key)
        self.assertEqual(result.status, 0, str(result))
        return ["--identity", key]

    def test_signature_wanted(self):
        self.provoke("signature-wanted", self.refused())

    def test_signature_refused(self):
        self.provoke("signature-refused", *self.identity(), self.refused())

    def test_signature_clock(self):
        self.provoke("signature-clock", *self.identity(),
                     self.refused(("Date", "Thu, 01 Jan 2026 00:00:00 GMT")))

    def test_challenge_unanswerable(self):
        self.provoke("challenge-unanswerable", *self.identity(),
                     self.refused(challenge='sig1=("@method")'), also=["signature-wanted"])


class Answers(Fixtures):
    def test_fetch_not_found(self):
        self.provoke("fetch-not-found", self.server.url("/sitemap.xml"))

    def test_fetch_unauthorized(self):
        self.provoke("fetch-unauthorized", self.put(status=403))

    def test_fetch_http_error(self):
        self.provoke("fetch-http-error", self.put(status=418))

    def test_fetch_server_error(self):
        self.provoke("fetch-server-error", self.put(status=500))

    def test_fetch_rate_limited(self):
        self.provoke("fetch-rate-limited", self.put(status=429))

    def test_fetch_network_error(self):
        self.provoke("fetch-network-error", self.put(raw=b"no HTTP\r\n\r\n"))

    def test_fetch_too_many_redirects(self):
        for n in range(12):
            self.server.redirect("/%d" % n, "/%d" % (n + 1))
        self.provoke("fetch-too-many-redirects", self.server.url("/0"))

    def test_fetch_redirect_loop(self):
        self.server.redirect("/a", "/b")
        self.server.redirect("/b", "/a")
        self.provoke("fetch-redirect-loop", self.server.url("/a"))

    def test_fetch_redirect_unsafe(self):
        self.server.redirect("/a", "ftp://127.0.0.1/a")
        self.provoke("fetch-redirect-unsafe", self.server.url("/a"))

    def test_sitemap_redirected(self):
        self.server.redirect("/a", "/sitemap.xml")
        self.put()
        self.provoke("sitemap-redirected", self.server.url("/a"))

    def test_cross_host_redirect(self):
        self.server.redirect("a.test/a", self.at("b.test"))
        self.put("b.test/sitemap.xml", documents.urlset(
            documents.entry(self.at("b.test", "/page"))))
        self.provoke("cross-host-redirect", *self.names("a.test", "b.test"),
                     self.at("a.test", "/a"))

    def test_not_modified(self):
        url = self.put()
        self.crawl(url)
        self.provoke("not-modified", url)

    def test_headers_too_big(self):
        self.provoke("headers-too-big", self.put(headers=[("X-Much", "a" * 1000)] * 70))

    def test_body_too_big(self):
        self.provoke("body-too-big", "--max-bytes", "100", self.put())


class Sites(Fixtures):
    """More than one document, or more than one name."""

    def judge_entry(self, code, host, entry, *args, also=()):
        """A document of that host lists the entry."""
        self.put(body=documents.urlset(documents.entry(entry)))
        self.provoke(code, *args, *self.names(host), self.at(host), also=also)

    def test_url_idn(self):
        self.judge_entry("url-idn", "xn--bcher-kva.test", self.at("b\u00fccher.test", "/page"))

    def test_private_address(self):
        self.judge_entry("private-address", "a.test", "http://127.0.0.1/page")

    def test_www_missing(self):
        self.judge_entry("www-missing", "a.test", self.at("www.a.test", "/page"))

    def test_www_extra(self):
        self.judge_entry("www-extra", "www.a.test", self.at("a.test", "/page"))

    def test_cross_host_accepted(self):
        self.judge_entry("cross-host-accepted", "www.a.test", self.at("a.test", "/page"),
                         *documents.LENIENT)

    def test_accepted_by_ownership(self):
        self.judge_entry("accepted-by-ownership", "a.test", self.at("b.test", "/page"),
                         "--own", "domain:a.test", "--own", "domain:b.test")

    def test_mixed_hosts(self):
        """Another host is accepted for a reason, which is said too."""
        self.put(body=documents.urlset(documents.entry(self.at("a.test", "/page")) +
                                       documents.entry(self.at("b.a.test", "/page"))))
        self.provoke("mixed-hosts", "--own", "domain:a.test", *self.names("a.test"),
                     self.at("a.test"), also=("accepted-by-ownership",))

    def test_duplicate_child(self):
        self.put()
        self.provoke("duplicate-child", self.put("/index.xml", documents.index(
            "<sitemap><loc>$/sitemap.xml</loc></sitemap>" * 2)))

    def put_chain(self, count, last):
        """Indexes, each of which lists the next; the last lists another."""
        for n in range(count):
            to = "$/%d.xml" % (n + 1) if n + 1 < count else last
            self.put("/%d.xml" % n, documents.index("<sitemap><loc>%s</loc></sitemap>" % to))
        return self.server.url("/0.xml")

    def test_nested_index(self):
        self.put("/sitemap.xml")
        self.provoke("nested-index", self.put_chain(2, "$/sitemap.xml"))

    def test_index_loop(self):
        """Lenient follows an index in an index, and says so."""
        self.provoke("index-loop", *documents.LENIENT, self.put_chain(2, "$/0.xml"),
                     also=("nested-index",))

    def test_index_too_deep(self):
        self.provoke("index-too-deep", *documents.LENIENT, self.put_chain(6, "$/sitemap.xml"),
                     also=("nested-index",))

    def test_lastmod_regressed(self):
        self.crawl(self.put(body=documents.dated("2024-06-05")))
        self.provoke("lastmod-regressed", self.put(body=documents.dated("2024-06-04")))


    def test_lastmod_untrusted(self):
        for day in (1, 2, 3):
            self.crawl(self.put(body=documents.dated("2024-06-0%d" % day)))
        self.provoke("lastmod-untrusted", self.put(body=documents.dated("2024-06-04")))

    def test_versions_alternate(self):
        versions = [documents.urlset("<url><loc>$/%d</loc></url>" % n) for n in (1, 2)]
        for n in (0, 1, 0):
            self.crawl(self.put(body=versions[n]))
        self.provoke("versions-alternate", self.put(body=versions[1]))

    def test_mass_drop(self):
        pages = ["<url><loc>$/%d</loc></url>" % n for n in range(10)]
        self.crawl(self.put(body=documents.urlset("".join(pages))))
        self.provoke("mass-drop", self.put(body=documents.urlset("".join(pages[:6]))))

    def test_index_date_disputed(self):
        """The index says that the sitemap is new, the server that it is not."""
        index = ('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap>'
                 '<loc>$/map.xml</loc><lastmod>%s</lastmod></sitemap></sitemapindex>')
        self.put("/map.xml", etag='"1"')
        self.crawl(self.put(body=index % "2024-06-01"))
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        self.provoke("index-date-disputed", self.put(body=index % soon), also=("not-modified",))

    def test_verdict_changed(self):
        names, url = self.names("own.test", "www.own.test"), self.at("own.test")
        self.put(body=documents.urlset("<url><loc>%s</loc></url><url><loc>%s</loc></url>"
                                       % (self.at("own.test", "/1"), self.at("www.own.test", "/2"))))
        self.crawl(*names, "--own", "domain:own.test", url)
        self.provoke("verdict-changed", *names, url, also=("www-missing",))

    def test_sitemap_line_lost(self):
        """robots.txt names no sitemap any more: the known one is asked on."""
        self.put("/robots.txt", "Sitemap: $/map.xml\n", headers=())
        self.put("/map.xml")
        self.crawl(self.server.url("/"))
        self.put("/robots.txt", "User-agent: *\nDisallow:\n", headers=())
        crawl = self.provoke("sitemap-line-lost", self.server.url("/"))
        self.assertEqual(crawl.document(self.server.url("/map.xml"))["entries"], 1)
        self.assertEqual((crawl.summary["urls"]["listed"], crawl.summary["urls"]["removed"]), (1, 0))


class Runs(Fixtures):
    """What ends a run, and readers that misbehave."""

    def end(self, code, status, *args, **kwargs):
        result = self.program.run(*args, **kwargs)
        self.assertEqual(result.status, status, "%s\n%s" % (code, result))

    def test_budget_reached(self):
        self.put("/a.xml")
        self.put("/b.xml")
        self.end("budget-reached", BUDGET, "crawl", "--max-urls", "1", self.put(
            "/index.xml", documents.index("<sitemap><loc>$/a.xml</loc></sitemap>"
                                          "<sitemap><loc>$/b.xml</loc></sitemap>")))

    def test_store_unusable(self):
        self.end("store-unusable", UNUSABLE, "crawl", "--store", "/", self.put())

    def identity(self, code, status, change, *args):
        """A key in a folder, or what has become of it."""
        folder = os.path.join(self.program.folder, "keys")
        self.program.run("identity", "new", folder)
        name, = os.listdir(folder)
        change(os.path.join(folder, name))
        result = self.program.run("identity", *(arg.replace("$", folder) for arg in args))
        self.assertEqual(result.status, status, str(result))
        self.assertIn(code, result.err + result.out)

    def test_key_invalid(self):
        self.identity("key-invalid", UNUSABLE, os.unlink, "show", "$")

    def test_key_readable(self):
        self.identity("key-readable", UNUSABLE, lambda path: os.chmod(path, 0o644), "show", "$")

    def test_key_directory_invalid(self):
        self.identity("key-directory-invalid", 1, lambda path: None, "verify", "$", self.server.url("/"))

    def indexnow(self, code, status, key="0123456789abcdef", answer=200):
        """A site has changed since the first call, and the endpoint answers that."""
        with open(os.path.join(self.program.folder, "key"), "w", encoding="ascii") as f:
            f.write(key)
        self.put("/indexnow", status=answer)
        for text in (documents.GOOD, documents.GOOD.replace("/page", "/other")):
            self.crawl(self.put(body=text))
            result = self.program.run(
                "notify", "--endpoint", self.server.url("/indexnow"), "--key", f.name,
                "--key-location", self.server.url("/key.txt"), "127.0.0.1")
        self.assertEqual(result.status, status, str(result))
        self.assertIn(code, result.err + result.out)

    def test_indexnow_key_invalid(self):
        self.indexnow("indexnow-key-invalid", UNUSABLE, key="short")

    def test_indexnow_refused(self):
        self.indexnow("indexnow-refused", 1, answer=404)

    def test_store_damaged(self):
        with open(self.program.store, "w", encoding="ascii") as f:
            f.write("no store\n" * 1000)
        self.end("store-damaged", DAMAGED, "crawl", self.put())

    def test_store_locked(self):
        process = self.program.start("crawl", self.put("/slow.xml", delay=2))
        self.server.wait_for("/slow.xml")
        process.send_signal(signal.SIGSTOP)  # it has the store, and answers nobody
        try:
            self.end("store-locked", LOCKED, "add", "a.example")
        finally:
            process.send_signal(signal.SIGCONT)
        process.communicate(timeout=600)

    def test_site_set_aside(self):
        with open(self.program.store + ".abort", "w", encoding="ascii") as f:
            f.write("freshet-abort 2 6 127.0.0.1\n" * 2)
        self.end("site-set-aside", NO_TARGET, "crawl", self.put())

    def test_hint_key_refused(self):
        """Of run --hints: somebody has a key that the site does not have."""
        self.program.run("add", self.put())
        daemon = Daemon(self.program, "--hints", "127.0.0.1:0", "--delay", "0")
        self.addCleanup(daemon.end)
        port = daemon.wait("listening")["port"]
        with urllib.request.urlopen("http://127.0.0.1:%d/indexnow?key=no-such-key&url=%s" % (
                port, self.server.url("/a"))) as answer:
            self.assertEqual(answer.status, 202)
        self.assertEqual(daemon.wait("problem")["code"], "hint-key-refused")

    def test_disk_full(self):
        self.end("disk-full", DISK, "crawl", self.put(),
                 limits=[(resource.RLIMIT_FSIZE, 20000)])

    def use_hooks(self):
        if NO_HOOKS:
            self.skipTest(NO_HOOKS)
        self.program.binary = HOOKED

    def test_clock_jump(self):
        """The clock stands before the end of the last run."""
        self.use_hooks()
        clock = Clock(self.program.folder)
        self.addCleanup(clock.close)
        self.program.variables.update(clock.variables)
        self.crawl(self.put())
        clock.step(-86400)
        crawl = self.crawl(self.put())
        self.assertEqual(set(crawl.summary["findings"]), {"clock-jump", "not-modified"})

    def test_fetch_given_up(self):
        """Not before a week, nor of one that was read meanwhile."""
        self.use_hooks()
        clock = Clock(self.program.folder)
        self.addCleanup(clock.close)
        self.program.variables.update(clock.variables)
        url = self.put()
        self.crawl(url)
        self.put(status=500)
        self.provoke("fetch-server-error", url)
        clock.advance(7 * 86400 - 60)
        self.provoke("fetch-server-error", url)
        clock.advance(60)
        self.provoke("fetch-given-up", url, also={"fetch-server-error"})
        self.put()
        self.crawl(url)
        clock.advance(86400)
        self.put(status=500)
        self.provoke("fetch-server-error", url)

    def test_reader_crashed(self):
        self.use_hooks()
        self.provoke("reader-crashed", self.put(), env={"FRESHET_TEST_FAULT": "crash"})

    def test_reader_killed(self):
        self.use_hooks()
        self.provoke("reader-killed", self.put(), env={"FRESHET_TEST_FAULT": "garbage"})


class Checks(Fixtures):
    """What `check` alone looks for, when it is asked to."""

    def judge(self, code, options, body, also=()):
        self.judge_url(code, *options, self.put(body=body), also=also)

    def judge_url(self, code, *args, also=()):
        if not HAS_CHECK:
            self.skipTest("there is no check yet")
        result = self.program.run("check", "-f", "json", "--fail-on", "error", *args)
        found = {finding["code"] for record in result.records()
                 for finding in record.get("findings", ())}
        self.assertEqual(found, ({code} if code else set()) | set(also), str(result))
        return result

    def test_too_many_news(self):
        self.judge("too-many-news", (), extensions.too_many_news())

    def test_lastmod_frozen(self):
        self.judge_url("lastmod-frozen", self.put(body=documents.urlset("".join(
            documents.entry("$/%d" % n, "<lastmod>2019-04-01</lastmod>") for n in range(20)))))

    def test_index_dates_build(self):
        for name in ("/a.xml", "/b.xml"):
            self.put(name, documents.urlset(documents.entry("$" + name + ".html", "<lastmod>2024-01-01</lastmod>")))
        self.judge_url("index-dates-build", self.put("/index.xml", documents.index("".join(
            "<sitemap><loc>$%s</loc><lastmod>2025-03-01</lastmod></sitemap>" % name for name in ("/a.xml", "/b.xml")))))

    def test_lastmod_backwards(self):
        self.put(body=documents.dated("2025-03-01"))
        self.judge_url("lastmod-backwards", self.put("/index.xml", documents.index(
            "<sitemap><loc>$/sitemap.xml</loc><lastmod>2024-01-01</lastmod></sitemap>")))

    def test_no_sitemap_found(self):
        """Of no document: a site has none."""
        result = self.program.run("check", "-f", "json", self.server.url("/"))
        found = [r["code"] for r in result.records() if r["record"] == "finding"]
        self.assertEqual((result.status, found), (4, ["no-sitemap-found"]), str(result))

    def test_hreflang_no_return(self):
        self.judge("hreflang-no-return", (), extensions.no_return())

    def test_hreflang_not_listed(self):
        """One alternate of two is listed; that of another host may be anywhere."""
        self.judge("hreflang-not-listed", (), extensions.not_listed())

    def test_file_over_legacy_limit(self):
        """At 10,485,760 bytes nothing is said, at one more it is; unasked, never."""
        for more, found in ((0, False), (1, True)):
            url = self.put("/%d.xml" % more, documents.padded(self.server.origin, 10485760 + more))
            self.judge_url(*(["file-over-legacy-limit", "--legacy"] if found
                             else ["", "--legacy"]), url)
            self.judge_url("", url)

    def judge_folder(self, code, more=(), also=(), **files):
        """A folder with a good sitemap, and with those files; "_" in a name stands for "."."""
        folder = os.path.join(self.program.folder, "public")
        shutil.rmtree(folder, ignore_errors=True)
        files.setdefault("sitemap_xml", documents.urlset(documents.entry("https://a.test/page.html")))
        for name, text in files.items():
            path = os.path.join(folder, name.replace("_", "."))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
        return self.judge_url(code, "--base", "https://a.test/", *more, folder, also=also)

    def test_page_not_listed(self):
        self.judge_folder("page-not-listed", page_html="<title>t</title>",
                          other_html="<title>t</title>")
        self.judge_files_that_are_no_pages()
        self.judge_what_is_not_known()

    def test_url_escaped_twice(self):
        self.folder_of("/a%2520b", "a b.html")
        self.judge_url("url-escaped-twice", "--base", "https://a.test/", "public")
        # on a server, a page that is not there
        self.judge_url("url-escaped-twice", "--sample", "1",
                       self.put(body=documents.urlset(documents.entry("$/a%2520b"))),
                       also=["url-fetch-failed"])

    def test_url_needs_server(self):
        for url in ("/a", "/b"):
            self.folder_of(url, url[1:] + ("/index.html" if url == "/b" else ".html"))
            self.judge_url("url-needs-server", "--base", "https://a.test/",
                           "--ignore", "page-not-listed", "public")

    def test_lastmod_moved_unchanged(self):
        self.judge_dates("lastmod-moved-unchanged", ("2024-01-01", "a"), ("2025-01-01", "a"))

    def test_lastmod_unmoved_changed(self):
        self.judge_dates("lastmod-unmoved-changed", ("2024-01-01", "a"), ("2024-01-01", "b"))

    def judge_dates(self, code, *states):
        """A page with a date and a text, as it was published and as it is."""
        for number, (date, text) in enumerate(states):
            self.folder_of("/a.html", "a.html")
            path = os.path.join(self.program.folder, "public", "sitemap.xml")
            with open(path, "w", encoding="ascii") as f:
                f.write(documents.urlset(documents.entry("https://a.test/a.html", "<lastmod>%s</lastmod>" % date)))
            with open(os.path.join(self.program.folder, "public", "a.html"), "w", encoding="ascii") as f:
                f.write("<title>t</title><p>" + text)
            self.judge_url(code if number else None, "--base", "https://a.test/", "--dates", "--init",
                           "--manifest", "m", "public")

    def folder_of(self, url, page):
        """A folder with one page, and a sitemap that lists the URL."""
        for name, text in ((page, "<title>t</title>"),
                           ("sitemap.xml", documents.urlset(documents.entry("https://a.test" + url)))):
            path = os.path.join(self.program.folder, "public", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as f:
                f.write(text)

    def test_sitemap_not_listed(self):
        self.judge_folder("sitemap-not-listed", other_xml=documents.GOOD)
        self.judge_gzip()
        self.judge_unlisted_index()

    def judge_gzip(self):
        """A copy of a file of the folder is silent, whatever that is."""
        self.judge_folder("", sitemap_xml_gz="x", feed_xml="<rss/>", feed_xml_gz="x")
        self.judge_folder("sitemap-not-listed", sitemap_xml_gz="x", more_xml_gz="x")
        # among other files it may be anything
        self.judge_folder("", **{"data/export_xml_gz": "x"})

    def judge_unlisted_index(self):
        """It may name the other sitemaps, and is reported alone."""
        index = documents.index("<sitemap><loc>https://a.test/c0.xml</loc></sitemap>")
        files = {"c%d_xml" % n: documents.urlset(documents.entry("https://a.test/page")) for n in range(2)}
        result = self.judge_folder("sitemap-not-listed", robots_txt="Sitemap: https://a.test/sitemap.xml\n",
                                   index_xml=index, other_xml=index, **files)
        self.assertEqual([f["count"] for r in result.records() for f in r.get("findings", ())
                          if f["code"] == "sitemap-not-listed"], [2], str(result))

    def judge_files_that_are_no_pages(self):
        self.judge_folder("", **{name + "_html": "x" for name in (
            "google0123456789abcdef", "pinterest-ab12c", "naver0123", "offline", "200", "404", "50x", "page")})
        self.judge_folder("page-not-listed", page_html="x", googlemaps_html="<title>t</title>")

    def judge_what_is_not_known(self):
        """Behind an error, pages may be listed."""
        broken = documents.urlset(documents.entry("https://a.test/page.html") + documents.entry("https://a.test/a&b"))
        self.judge_folder("parse-error", also=("partial-document",), other_html="<title>t</title>",
                          page_html="x", sitemap_xml=broken)
        self.judge_folder("", **{"tea & milk_html": "<title>t</title>"}, sitemap_xml=documents.urlset(
            documents.entry("https://a.test/tea%20%26%20milk.html")))

    def test_partial_document(self):
        entries = [documents.entry("$/%d" % n) for n in range(3000)]
        entries[1999] = documents.entry("$/a&b")
        for count in (2010, 3000):
            result = self.program.run("check", "-f", "json", self.put(body=documents.urlset("".join(entries[:count]))))
            self.assertIn("%d of its %d entries are lost" % (count - 1999, count), str(result))

    def look(self, code, *, robots="", **kwargs):
        """At /page, which the sitemap lists."""
        self.put("/robots.txt", robots, headers=())
        self.put("/page", kwargs.pop("body", "<title>t</title>"), **kwargs)
        self.judge_url(code, "--sample", "1", self.put())

    def test_url_fetch_failed(self):
        self.look("url-fetch-failed", status=404)

    def test_url_redirects(self):
        self.put("/other", "x", headers=())
        self.look("url-redirects", status=301,
                  headers=[("Location", self.server.url("/other"))])

    def test_url_redirect_loop(self):
        self.look("url-redirect-loop", status=302,
                  headers=[("Location", self.server.url("/page"))])

    def test_url_blocked_by_robots(self):
        self.look("url-blocked-by-robots", robots="User-agent: *\nDisallow: /page\n")

    def test_url_noindex(self):
        self.look("url-noindex", headers=[("X-Robots-Tag", "noindex")])

    def test_url_bad_preference(self):
        self.look("url-bad-preference", headers=[("Content-Usage", "train-ai=no")])

    def test_url_meta_refresh(self):
        for code, content, title in (
                ("url-meta-refresh", "0; URL=/other", "Tea"), ("url-meta-refresh", "0;/other", "Tea"),
                ("", "300", "Tea"), ("", "300; URL=/page", "Tea"),
                ("url-soft-404", "5; URL=/", "Page not found")):
            with self.subTest(content=content):
                self.look(code, headers=[("Content-Type", "text/html")], body="<title>%s</title>"
                          "<meta http-equiv=Refresh content='%s'>" % (title, content))

    def test_url_soft_404(self):
        menu = "<a href=/tea>All the teas of this shop</a> " * 200
        for body in ("", " \n", "<title>404</title>", "<title>Shop: Page not found</title>",
                     "<title>Page not found | Shop</title>" + menu):
            with self.subTest(body=body):
                self.look("url-soft-404", body=body, headers=[("Content-Type", "text/html")])
        about = "<p>What a status means, and whom it is for. " * 60
        for body in ("<title>4040 teas</title>", "<title>Found</title>",
                     "<title>How to fix a 404 page not found error</title>" + about,
                     "<title>What is a \"Page not found\"?</title>" + about,
                     "<title>404 Not Found - HTTP | Docs</title>" + about + menu):
            with self.subTest(body=body):
                self.look("", body=body, headers=[("Content-Type", "text/html")])

    def test_url_not_a_page(self):
        for path, code in (("/robots.txt", "url-not-a-page"), ("/maps/sitemap-2.xml.gz", "url-not-a-page"),
                           ("/a/robots.txt", ""), ("/sitemap/page.xml", ""), ("/sitemap.html", ""),
                           ("/shop/sitemap/0.xml", "url-not-a-page"), ("/sitemap/0a.xml", ""),
                           ("/shop/0.xml", "")):
            with self.subTest(path=path):
                self.judge_url(code, self.put(body=documents.urlset(documents.entry("$" + path))))

    def test_url_has_session_id(self):
        some = "0123456789abcdef"
        for path, code in (("/a;jsessionid=" + some, "url-has-session-id"),
                           ("/a?b=1&amp;PHPSESSID=" + some, "url-has-session-id"),
                           ("/a?sid=12", ""), ("/a?side=" + some, "")):
            with self.subTest(path=path):
                self.judge_url(code, self.put(body=documents.urlset(documents.entry("$" + path))))

    def judge_path(self, code, path):
        self.judge_url(code, self.put(body=documents.urlset(documents.entry("$" + path))))

    def test_sitemap_guessed(self):
        """At a robots.txt that is there."""
        self.put("/sitemap.xml")
        self.judge_url("", self.server.url("/"))
        self.put("/robots.txt", "User-agent: *\nDisallow:\n", headers=())
        self.judge_url("sitemap-guessed", self.server.url("/"))
        self.put("/robots.txt", "Sitemap: $/sitemap.xml\n", headers=())
        self.judge_url("", self.server.url("/"))

    def test_robots_other_hosts(self):
        """One robots.txt for two hosts; the sitemap lists pages of one, or of both."""
        for host in ("a.test", "b.test"):
            self.put(host + "/robots.txt", "Sitemap: %s\n" % self.at("a.test"), headers=())
        for listed, code in (("a.test", "robots-other-hosts"), ("b.test", "")):
            self.put("a.test/sitemap.xml", documents.urlset(
                documents.entry(self.at("a.test", "/page")) + documents.entry(self.at(listed, "/other"))))
            self.judge_url(code, *self.names("a.test", "b.test"), self.at("b.test", "/"),
                           also=() if code else ("accepted-by-robots-proof", "mixed-hosts"))

    def test_robots_overwritten(self):
        """A plugin adds lines, or writes over those of the source."""
        map_line = "Sitemap: https://a.test/sitemap.xml\n"
        os.makedirs(os.path.join(self.program.folder, "static"))
        with open(os.path.join(self.program.folder, "static", "robots.txt"), "w", encoding="ascii") as f:
            f.write("# ours\r\nUser-agent: *\r\nDisallow: /no\r\n")
        for text, code in (("user-agent: *\nDisallow: /no\n", ""), ("User-agent: *\nAllow: /\n", "robots-overwritten")):
            self.judge_folder(code, page_html="x", robots_txt=text + map_line)
        self.judge_folder("", page_html="x")
        # a link out of static may lead to what is secret
        source = os.path.join(self.program.folder, "static", "robots.txt")
        os.rename(source, os.path.join(self.program.folder, "secret"))
        os.symlink("../secret", source)
        self.judge_folder("", page_html="x", robots_txt="User-agent: *\nAllow: /\n" + map_line)

    def test_html_not_sitemap(self):
        """It is no sitemap that anybody named."""
        page = "<!doctype html><html><head><title>Shop</title></head><body>x</body></html>"
        html = [("Content-Type", "text/html")]
        self.put("/sitemap_index.xml", page, headers=html)
        self.put("/sitemap.xml")
        self.judge_url("", self.server.url("/"))
        self.put("/sitemap.xml", page, headers=html)
        result = self.program.run("check", "-f", "json", self.server.url("/"))
        found = [r["code"] for r in result.records() if r["record"] == "finding"]
        self.assertEqual((result.status, found), (4, ["no-sitemap-found"]), str(result))
        self.judge_url("html-not-sitemap", self.server.url("/sitemap.xml"))

    def test_url_of_error(self):
        for code, paths in (("url-of-error", ("/404", "/404/", "/404.html", "/500", "/_error", "/de/404.html",
                                              "/404/index.html", "/en-us/404")),
                            ("", ("/items/404", "/a/b/404", "/4040", "/room-404.html", "/42", "/"))):
            for path in paths:
                with self.subTest(path=path):
                    self.judge_path(code, path)

        self.judge_url("", self.put(body=documents.urlset("".join(
            documents.entry("$/%d" % n) for n in range(390, 420)))))  # a row of numbers

    def test_url_has_tracking(self):
        for code, path in (("url-has-tracking", "/a?utm_source=x"), ("url-has-tracking", "/a?b=1&amp;gclid=x"),
                           ("", "/a?utm=1"), ("", "/utm_source=x")):
            with self.subTest(path=path):
                self.judge_path(code, path)

    def test_url_double_slash(self):
        for code, path in (("url-double-slash", "//a"), ("url-double-slash", "/a//"),
                           ("", "/web/https://b.test/"), ("", "/a?b=//c")):
            with self.subTest(path=path):
                self.judge_path(code, path)

    def test_url_slash_both(self):
        """In one sitemap; the root and a longer name are other pages."""
        for code, paths in (("url-slash-both", ("/a", "/a/")), ("", ("/", "/a", "/a-b/"))):
            self.judge_url(code, self.put(body=documents.urlset("".join(
                documents.entry("$" + path) for path in paths))))
        # each sample is a URL of the sitemap that has the finding
        for name, path in (("/a.xml", "/a"), ("/b.xml", "/a/")):
            self.put(name, documents.urlset(documents.entry("$" + path)))
        result = self.judge_url("url-slash-both", self.put("/index.xml", documents.index("".join(
            "<sitemap><loc>$%s.xml</loc></sitemap>" % name for name in ("/b", "/a")))))
        sample, = [s for r in result.records() if r["record"] == "finding" for s in r["samples"]]
        self.assertEqual((sample["path"][-6:], sample["entry"], sample["loc"][-2:]), ("/b.xml", 1, "a/"))
        self.assertIn("/a/ is also, without the slash at its end, in ", sample["text"])

    def test_url_canonical_missing(self):
        """Of a folder: the canonical page is no file of it."""
        for code, name in (("url-canonical-missing", "gone"), ("url-canonical-missing", "page.htm"),
                           ("url-not-canonical", "other")):
            page = '<title>t</title><link rel=canonical href="https://a.test/%s">' % name
            self.judge_folder(code, page_html=page, other_html="<title>t</title><meta name=robots content=noindex>",
                              more=("--sample", "1"))

    def test_url_not_canonical(self):
        self.look("url-not-canonical", body="<link rel=canonical href=/other>",
                  headers=[("Content-Type", "text/html")])

    def test_too_many_indexes(self):
        """501 indexes, each with a sitemap of its own."""
        named = []
        for n in range(501):
            named.append("Sitemap: $/%d/index.xml" % n)
            self.put("/%d/index.xml" % n, documents.index(
                "<sitemap><loc>$/%d/s.xml</loc></sitemap>" % n))
            self.put("/%d/s.xml" % n, documents.urlset(documents.entry("$/%d/page" % n)))
        self.put("/robots.txt", "\n".join(named), headers=())
        self.judge_url("too-many-indexes", self.server.url("/robots.txt"))


def check_test(code, options, body, also):
    return lambda self: self.judge(code, options, extensions.document(body), also)


for options, table in (((), extensions.EXTENSIONS), (("--schema",), extensions.SCHEMA)):
    for name, (body, also) in table.items():
        setattr(Checks, "test_" + name.replace("-", "_"), check_test(name, options, body, also))
for name in documents.DOCUMENTS:
    setattr(Documents, "test_" + name.replace("-", "_"), document_test(name))
for name in documents.ROBOTS:
    setattr(Robots, "test_" + name.replace("-", "_"), robots_test(name))


def provoked():
    """The codes that have a fixture, `check` or not."""
    return {name[len("test_"):].replace("_", "-")
            for group in (Documents, Robots, Signatures, Answers, Sites, Runs, Checks)
            for name in dir(group) if name.startswith("test_")}


class Catalogue(unittest.TestCase):
    @staticmethod
    def say(*args):
        return subprocess.run([BINARY] + list(args), check=True, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL).stdout

    def test_none_is_missing(self):
        """Each code has its fixture, or waits for a part, and not both."""
        codes = {json.loads(line)["code"]
                 for line in self.say("help", "diagnostics", "--json").splitlines()}
        waiting = [code for part in WAITING.values() for code in part]
        for part, names in WAITING.items():
            print("skipped %d codes wait for %s: %s" % (len(names), part, " ".join(names)))
        self.assertEqual(len(waiting), len(set(waiting)))
        self.assertEqual(sorted(codes - provoked() - set(waiting)), [], "without a fixture")
        self.assertEqual(sorted(provoked() & set(waiting)), [], "these wait no longer")
        self.assertEqual(sorted((provoked() | set(waiting)) - codes), [], "no such code")


if __name__ == "__main__":
    unittest.main()
