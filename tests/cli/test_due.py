"""Pages for any fetcher: due, done, hold, release."""
import json
import os
import subprocess
import time
import unittest

from case import Case, urlset
from daemon import Daemon

PAGES = 6


def result(page, **more):
    """A line that a fetcher writes for a page that was handed out."""
    return json.dumps({"lease": page["lease"], "url": page["url"], "status": 200,
                       "content_hash": "h", **more})


class Frontier(Case):
    """A store with one site of a few pages."""

    def setUp(self):
        super().setUp()
        self.one = self.make("127.0.0.1", PAGES)

    def make(self, address, pages, **kwargs):
        site = self.site(address=address, **kwargs)
        site.put("/robots.txt", "User-agent: *\nDisallow: /private\nSitemap: %s\n"
                 % site.url("/s.xml"))
        self.list_pages(site, range(pages))
        self.crawl(site.url("/"))
        return site

    def list_pages(self, site, numbers):
        site.put("/s.xml", urlset([(site.url("/p%d" % n), "2026-01-%02d" % (n % 28 + 1))
                                   for n in numbers] + [site.url("/private/x")]))

    def due(self, *args, status=0):
        result = self.program.run("due", *args)
        self.assertEqual(result.status, status, str(result))
        return result.records()

    def done(self, *lines, args=(), status=0):
        result = self.program.run("done", *args, input="".join(line + "\n" for line in lines))
        self.assertEqual(result.status, status, str(result))
        return result.records()

    def ack(self, line):
        """Returns the answer to this result: OK, or why it was refused."""
        answer, = self.done(line)
        self.assertEqual(answer["line"], 1)
        return answer.get("reason", answer["ack"])


class Due(Frontier):
    def test_a_page(self):
        pages = self.due("-n", "2", "--lease", "1h")
        self.assertEqual([p["url"] for p in pages],
                         [self.one.url("/p%d" % n) for n in (PAGES - 1, PAGES - 2)])
        page = pages[0]
        self.assertEqual(list(page), [
            "v", "lease", "url", "host", "due", "value", "why", "site", "tags", "sitemap",
            "lastmod", "first_seen", "failures", "etag", "last_modified", "delay_ms", "lease_until"])
        self.assertEqual((page["host"], page["why"], page["lastmod"], page["etag"]),
                         ("127.0.0.1", "new", "2026-01-06", None))
        until = time.mktime(time.strptime(page["lease_until"], "%Y-%m-%dT%H:%M:%SZ"))
        self.assertAlmostEqual(until, time.mktime(time.gmtime()) + 3600, delta=60)

    def test_what_is_known(self):
        """A page comes with all that a fetcher may ask for, its date as its site gave it."""
        dates = ["2026", "2026-01", "2026-01-02", "2026-01-02T10:11Z", "2026-01-02T10:11:12Z",
                 "2026-01-02T10:11:12.5+00:00"]
        self.one.put("/s.xml", urlset([(self.one.url("/d%d" % n), date)
                                       for n, date in enumerate(dates)]))
        self.program.run("add", "--tag", "news", "--tag", "de", self.one.url("/"))
        self.crawl(self.one.url("/"))
        before = time.time()
        pages = {p["url"][-2:]: p for p in self.due("-n", "50", "--per-host", "0")}
        for n, date in enumerate(dates):
            page = pages["d%d" % n]
            self.assertEqual(page["lastmod"], date.replace("+00:00", "Z"))
            self.assertEqual((page["site"], page["tags"], page["sitemap"], page["failures"]),
                             ("127.0.0.1", ["news", "de"], self.one.url("/s.xml"), 0))
            seen = time.mktime(time.strptime(page["first_seen"], "%Y-%m-%dT%H:%M:%SZ"))
            self.assertAlmostEqual(seen, time.mktime(time.gmtime(before)), delta=60)

    def test_everything_once(self):
        """No page is handed out twice, and none that robots.txt forbids."""
        urls = [p["url"] for _ in range(3) for p in self.due("-n", "4")]
        self.assertEqual(sorted(urls), sorted(self.one.url("/p%d" % n) for n in range(PAGES)))

    def test_nothing(self):
        self.assertEqual(len(self.due()), PAGES)
        result = self.program.run("due")
        self.assertEqual((result.status, result.out), (0, ""))
        self.assertRegex(result.err, r"^freshet: nothing is due; the next may be at 20\S+Z; 6 pages are handed out; "
                         r"'freshet release' gives them back\n$")
        self.assertEqual(self.program.run("due", "-q").err, "")

    def test_peek(self):
        """--peek shows what would be handed out, without a lease; another
        consumer gets the pages."""
        seen = self.due("--peek", "-n", "3", "--per-host", "0")
        self.assertEqual(len(seen), 3)
        for page in seen:
            self.assertEqual(set(page) & {"lease", "lease_until"}, set())
            self.assertIn("delay_ms", page)
        urls = self.program.run("due", "--peek", "-n", "3", "--per-host", "0", "-f", "urls")
        self.assertEqual(len(urls.out.split()), 3)
        self.assertEqual(len(self.due("--peek", "--delay", "2s", "--per-host", "0")), PAGES)
        leased = self.due("-n", str(PAGES), "--per-host", "0")
        self.assertEqual(sorted(page["url"] for page in leased),
                         sorted(self.one.url("/p%d" % n) for n in range(PAGES)))
        self.assertEqual(self.ack(result(leased[0])), "OK")
        for words in (["--follow"], ["--wait", "1"], ["-f", "curl"]):
            wrong = self.program.run("due", "--peek", *words)
            self.assertEqual((wrong.status, wrong.out), (2, ""))
            self.assertIn("do not go together", wrong.err)

    def test_no_store(self):
        for command in (["due"], ["done"], ["hold", "a.example", "--for", "1h"], ["release"]):
            result = self.program.run(*command, "--store", "none.db", input="")
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("no store 'none.db'", result.err)
            self.assertFalse(os.path.exists(os.path.join(self.program.folder, "none.db")))

    def test_formats(self):
        urls = self.program.run("due", "-f", "urls", "--per-host", "2")
        self.assertEqual(urls.out.split(), [self.one.url("/p5"), self.one.url("/p4")])
        curl = self.program.run("due", "-f", "curl", "--per-host", "3")
        self.assertEqual(curl.out.count("next\n"), 1)
        self.assertRegex(curl.out, 'url = "%s[0-3]"\n' % self.one.url("/p"))

    def test_per_host(self):
        other = self.make("127.0.0.2", 3)
        pages = self.due("--per-host", "1")
        self.assertEqual(sorted(p["host"] for p in pages), ["127.0.0.1", "127.0.0.2"])
        self.assertEqual(self.due("--per-host", "1"), [], "they are out, whoever has them")
        self.assertEqual(len(self.due("--per-host", "2")), 2)
        self.done(*[result(p) for p in pages if p["host"] == "127.0.0.2"])
        again = self.due("--per-host", "2")
        self.assertEqual([p["host"] for p in again], ["127.0.0.2"])
        self.assertTrue(again[0]["url"].startswith(other.url("/p")))

    def test_total_budget(self):
        """One limit for all requests is kept over several commands."""
        self.make("127.0.0.9", 3)
        pages = sum((self.due("-n", "9", "--total-budget", "3/h") for _ in range(3)), [])
        self.assertEqual(len(pages), 1)
        self.assertGreater(len(self.due("-n", "9")), 1)

    def test_hosts(self):
        self.make("127.0.0.2", 3)
        pages = self.due("--hosts", "1")
        self.assertEqual(len({p["host"] for p in pages}), 1, pages)

    def test_a_short_lease(self):
        """No more pages are leased than can be fetched in half the lease; the
        consumer is told a later time for more."""
        first = self.due("-n", "1", "--delay", "2s", "--lease", "1h")[0]
        result = self.program.run("due", "--delay", "2s", "--lease", "6s", "--per-host", "0")
        self.assertEqual((result.status, result.out), (0, ""))
        self.assertEqual(result.err, "freshet: nothing is due; the next may be at %s; 1 page is handed out; "
                         "'freshet release' gives it back\n" % first["lease_until"])
        self.assertEqual(len(self.due("--delay", "2s", "--lease", "12s", "--per-host", "0")), 2)

    def test_one_pipeline_at_a_time(self):
        """Who has pages of a host that has a delay spaces them; nobody else gets
        one of that host before all are answered, unless it says --per-host."""
        self.make("127.0.0.2", 3)
        mine = self.due("-n", "4", "--delay", "10ms", "127.0.0.1")
        self.assertEqual(len(mine), 4)
        self.assertEqual({p["host"] for p in self.due("--delay", "10ms")}, {"127.0.0.2"})
        self.done(*[result(p) for p in mine[:3]])
        self.assertEqual(self.due("--delay", "10ms"), [])
        self.assertEqual(len(self.due("--delay", "10ms", "--per-host", "2", "127.0.0.1")), 1)
        self.done(result(mine[3]))
        self.assertEqual(self.due("--delay", "10ms"), [])

    def test_long_urls(self):
        """Pages with long URLs come in several answers of the process that holds the store,
        which lets no client wait for more than 16 MB; so do their acknowledgements, which
        repeat the URLs."""
        other = self.site(address="127.0.0.2")
        other.put("/robots.txt", "Sitemap: %s\n" % other.url("/s.xml"))
        other.put("/s.xml", urlset([other.url("/%d/%s" % (i, "\u4e2d" * 1950)) for i in range(1100)]))
        self.crawl(other.url("/"))
        daemon = Daemon(self.program, "--delay", "0")
        daemon.wait("started")
        pages = self.due("-n", "1100", "127.0.0.2", "--delay", "0", "--per-host", "0")
        lines = "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)
        done = self.program.run("done", input=lines)
        daemon.end()
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertEqual(done.out.count('"OK"'), 1100)
        self.assertEqual(len(pages), 1100)
        self.assertGreater(sum(len(page["url"]) for page in pages), 16 << 20)

    def test_one_site(self):
        other = self.make("127.0.0.2", 3)
        self.assertEqual({p["host"] for p in self.due("127.0.0.2")}, {"127.0.0.2"})
        self.assertEqual(self.due(other.url("/")), [])
        self.assertEqual(len(self.due()), PAGES)

    def test_usage(self):
        for args, said in ((["--lease", "0"], "--lease"), (["--lease", "30d"], "--lease"),
                           (["-n", "0"], "-n"), (["-f", "xml"], "ndjson"),
                           (["--follow", "--wait", "1s"], "do not go together"),
                           (["not a site"], "neither a host nor a URL")):
            result = self.program.run("due", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(said, result.err)

    def test_robots_changes(self):
        self.due()
        self.assertEqual(self.due(), [])
        self.one.put("/robots.txt", "User-agent: *\nSitemap: %s\n" % self.one.url("/s.xml"))
        self.crawl("--force", self.one.url("/"))
        self.assertEqual([p["url"] for p in self.due()], [self.one.url("/private/x")])


class Done(Frontier):
    def test_reasons(self):
        page, other, third = self.due("-n", "3")
        self.assertEqual(self.ack(result(page)), "OK")
        self.assertEqual(self.ack(result(page)), "repeated-lease")
        self.assertEqual(self.ack(result(other, url=page["url"])), "url-of-another-page")
        self.assertEqual(self.ack(result(other, lease="99.1")), "unknown-lease")
        self.assertEqual(self.ack(result(other, lease="soon")), "bad-lease")
        self.assertEqual(self.ack(result(other, at="2090-01-01T00:00:00Z")), "from-the-future")
        self.assertEqual(self.ack('{"status":200}'), "nothing-named")
        self.assertEqual(self.ack('{"url":"http://nowhere.example/","status":200}'),
                         "unknown-url")
        self.program.run("release", third["lease"])
        again = [p for p in self.due() if p["url"] == third["url"]][0]
        self.assertEqual(self.ack(result(third)), "superseded-lease")
        self.assertEqual(self.ack(result(again)), "OK")
        self.assertEqual(self.ack(result(other)), "OK")

    def test_before_it_was_asked(self):
        """A fetch of a listed page that was never handed out counts, and that
        of a URL that nothing lists, or that may not be listed, does not."""
        url = self.one.url("/p2")
        foreign = "http://other.example/x"
        self.one.put("/s.xml", urlset([self.one.url("/p%d" % n) for n in range(PAGES)] + [foreign]))
        self.crawl(self.one.url("/"), status=(0, 1))
        self.assertEqual(self.ack('{"url":"%s","status":200}' % foreign), "unknown-url")
        self.assertEqual(self.ack('{"url":"%s","status":200}' % self.one.url("/s.xml")),
                         "unknown-url")
        self.assertEqual(self.ack('{"url":"%s","status":200,"content_hash":"h"}' % url), "OK")
        self.assertEqual(self.ack('{"url":"%s","status":200}' % self.one.url("/never")),
                         "unknown-url")
        self.assertEqual(sorted(page["url"] for page in self.due()),
                         sorted(self.one.url("/p%d" % n) for n in range(PAGES) if n != 2))
        explained, = self.program.run("explain", "--json", url).records()
        self.assertEqual(explained["due"][0]["last_outcome"], "fetched")
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_bad_lines(self):
        """Each bad line is reported with its number, and only that line is
        lost."""
        page, other = self.due("-n", "2")
        bad = [("", None), ("{", "not-json"), ("[]", "not-json"), ("nothing", "not-json"),
               (result(other)[:40], "not-json"),
               ('{"lease":"1.1","lease":"1.1","status":200}', "not-json"),
               ('{"lease":"1.1","status":200,"etag":"\\u0000"}', "not-json"),
               ('{"lease":5,"status":200}', "bad-lease"), ('{"lease":"1.1"}', "no-status"),
               ('{"lease":"1.1","status":"ok"}', "bad-status"),
               ('{"lease":"1.1","status":-1}', "bad-status"),
               ('{"lease":"1.1","status":200,"bytes":"many"}', "bad-bytes"),
               ('{"lease":"1.1","status":200,"ms":-5}', "bad-ms"),
               ('{"lease":"1.1","status":200,"at":"yesterday"}', "bad-at"),
               ('{"lease":"1.1","status":200,"x":"%s"}' % ("y" * 10000000), "too-long"),
               ("[" * 100000, "not-json")]
        lines = [result(page)] + [line for line, _ in bad] + [result(other)]
        answers = self.done(*lines)
        self.assertEqual([a["ack"] for a in answers], ["OK"] + ["FAIL"] * (len(bad) - 1) + ["OK"])
        wanted = [(n + 2, reason) for n, (_, reason) in enumerate(bad) if reason is not None]
        self.assertEqual([(a["line"], a["reason"]) for a in answers[1:-1]], wanted)
        self.assertEqual(answers[-1]["line"], len(lines))

    def test_bytes_that_are_no_text(self):
        page, = self.due("-n", "1")
        lines = b'{"lease":"\xff\xfe","status":200}\n\x00\n' + result(page).encode()
        done = subprocess.run([self.program.binary, "done"], input=lines, capture_output=True,
                              env=self.program.environment(), timeout=600)
        self.assertEqual([json.loads(line)["ack"] for line in done.stdout.splitlines()],
                         ["FAIL", "FAIL", "OK"], "the last one lacks its line feed")

    def test_strict(self):
        page, = self.due("-n", "1")
        self.done(result(page), args=["--strict"])
        self.done(result(page), status=0)
        self.done(result(page), args=["--strict"], status=1)

    def test_answered_twice(self):
        """A fetcher that sends each result twice changes nothing."""
        pages = self.due()
        first = self.done(*[result(p) for p in pages])
        second = self.done(*[result(p) for p in pages])
        self.assertEqual({a["ack"] for a in first}, {"OK"})
        self.assertEqual({a["reason"] for a in second}, {"repeated-lease"})
        self.assertEqual(self.due(), [])

    def test_next_due(self):
        page, = self.due("-n", "1")
        answer, = self.done(result(page))
        self.assertGreater(answer["next_due"], page["due"])

    def test_without_lease(self):
        answer, = self.done(json.dumps({"url": self.one.url("/p5"), "status": 200}))
        self.assertIn(answer["ack"], ("OK", "SKIPPED"))
        page = self.due("-n", "1")[0]
        answer, = self.done(json.dumps({"url": page["url"], "status": 200}))
        self.assertEqual((answer["ack"], answer["url"]), ("OK", page["url"]))

    def test_validators(self):
        """Validators that a fetch brought come with the next lease."""
        page, = self.due("-n", "1")
        self.done(result(page, status=503, etag='"no"', retry_after=1))
        self.program.run("release")
        time.sleep(1.1)
        page = self.due()[0]
        self.done(result(page, etag='"a1"', last_modified="Sat, 21 Nov 2026 20:00:00 GMT"))

    def test_retry_after(self):
        page, = self.due("-n", "1")
        self.done(result(page, status=429, retry_after="7200"))
        self.assertEqual(self.due(), [], "the host wants to be left alone")

    def test_half_an_input(self):
        """If a fetcher dies in the middle, the results that it sent count."""
        page, other = self.due("-n", "2")
        process = subprocess.Popen([self.program.binary, "done"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   env=self.program.environment())
        self.addCleanup(process.stdout.close)
        process.stdin.write((result(page) + "\n" + result(other)[:30]).encode())
        process.stdin.flush()
        self.assertEqual(json.loads(process.stdout.readline())["ack"], "OK",
                         "it is answered while the input goes on")
        process.stdin.close()
        self.assertEqual(json.loads(process.stdout.readline())["reason"], "not-json")
        self.assertEqual(process.wait(600), 0)


class HoldAndRelease(Frontier):
    def test_hold(self):
        result = self.program.run("hold", "127.0.0.1", "--for", "1h")
        self.assertEqual(result.status, 0, str(result))
        self.assertRegex(result.out, r"^127\.0\.0\.1  is held until 20\S+Z\n$")
        self.assertEqual(self.program.run("hold", "127.0.0.1", "--for", "1s").out,
                         result.out.replace("Z\n", "Z, as it was before\n"))
        self.assertEqual(self.due(), [])
        record, = self.program.run("hold", "127.0.0.1", "--for", "0", "--json").records()
        self.assertEqual((record["type"], record["host"]), ("held", "127.0.0.1"))
        self.assertEqual(len(self.due()), PAGES)

    def test_little_room(self):
        """The message says how much space is free, how much is needed, and by
        which option."""
        result = self.program.run("due", "--min-free", "100TB")
        self.assertEqual(result.status, 7, str(result))
        self.assertRegex(result.err, r"disk-full: .* \d+ MiB are free on its file system, "
                                     r"less than the 95367431 MiB of 'min-free'")

    def test_answers_have_the_url(self):
        page, other = self.due("-n", "2")
        answers = self.program.run("done", input="".join(
            json.dumps(line) + "\n" for line in (
                {"lease": page["lease"], "url": page["url"], "status": 200},
                {"lease": other["lease"], "status": 200},
                {"lease": other["lease"], "status": 200}))).records()
        self.assertEqual([(a["ack"], a["url"]) for a in answers],
                         [("OK", page["url"]), ("OK", other["url"]), ("SKIPPED", other["url"])])

    def test_holds_are_listed(self):
        self.assertIn("no host is held", self.program.run("hold").err)
        for host in ("b.example", "a.example"):
            self.program.run("hold", host, "--for", "1h")
        first, second = self.program.run("hold", "--json").records()
        self.assertEqual((first["type"], first["host"], second["host"]),
                         ("held", "a.example", "b.example"))
        self.assertEqual(self.program.run("hold").out,
                         "a.example  is held until %s\nb.example  is held until %s\n"
                         % (first["until"], second["until"]))
        # the longer one stands, and that is what is said
        record, = self.program.run("hold", "--json", "a.example", "--for", "10s").records()
        self.assertEqual(record["until"], first["until"])

    def test_hold_of_nobody(self):
        """A host that is not known may be a typing error, which a message says;
        a known host gets no message."""
        result = self.program.run("hold", "typo.example", "--for", "1h")
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("no site and no page of 'typo.example' is known", result.err)
        result = self.program.run("hold", "--json", "typo.example", "--for", "2h")
        self.assertIs(result.records()[0]["unknown"], True)
        self.assertIn("is known", result.err)
        result = self.program.run("hold", "--json", "127.0.0.1", "--for", "1s")
        self.assertNotIn("unknown", result.records()[0])
        self.assertEqual(result.err, "")

    def test_hold_many(self):
        """Hold several hosts, or the sites with a tag."""
        first, second = self.program.run("hold", "--json", "b.example", "a.example",
                                         "--for", "1h").records()
        self.assertEqual((first["host"], second["host"]), ("b.example", "a.example"))
        added = self.program.run("add", "--tag", "shop", "c.example", "d.example")
        self.assertEqual(added.status, 0, str(added))
        held = self.program.run("hold", "--tag", "shop", "--for", "1h")
        self.assertEqual(held.status, 0, str(held))
        self.assertEqual([line.split()[0] for line in held.out.splitlines()],
                         ["c.example", "d.example"])
        self.assertEqual(len(self.program.run("hold").out.splitlines()), 4)
        self.program.run("hold", "--tag", "shop", "--for", "0")
        self.assertEqual(len(self.program.run("hold").out.splitlines()), 2)
        self.assertEqual(self.program.run("hold", "--tag", "none", "--for", "1h").status, 4)
        self.assertEqual(self.program.run("hold", "a.example", "--tag", "shop",
                                          "--for", "1h").status, 2)

    def test_hold_usage(self):
        for args in (["127.0.0.1"], ["--for", "1h"], ["127.0.0.1", "--for", "900d"],
                     ["no host", "--for", "1h"]):
            self.assertEqual(self.program.run("hold", *args).status, 2, args)

    def test_release(self):
        page, other = self.due("-n", "2")
        result = self.program.run("release", page["lease"], "ab.7")
        self.assertEqual(result.status, 1, str(result))
        self.assertIn("%s  given back" % page["lease"], result.out)
        self.assertIn("ab.7  unknown-lease", result.out)
        self.assertIn(page["url"], [p["url"] for p in self.due("-n", "9")])
        self.assertEqual(self.program.run("release").out, "%d pages were given back\n" % PAGES)
        self.assertEqual(len(self.due()), PAGES)
        self.assertNotEqual(other["lease"], page["lease"])


if __name__ == "__main__":
    unittest.main()
