"""Crawlers of others that take their pages from freshet, with the examples as they are."""
import gzip
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import npm
from case import Case, urlset
from clock import DAY
from program import BINARY, HOOKED, TOP

EXAMPLES = os.path.join(TOP, "docs", "examples")
# where Debian's packages are, whatever python3 is
PYTHON = "/usr/bin/python3"
HAS_SCRAPY = subprocess.run([PYTHON, "-c", "import scrapy"], capture_output=True).returncode == 0


class Neighbour(Case):
    """A site of nine pages: one with an ETag, one that moved, one that is gone, one that fails, one that wants to
    be asked later, two without validators, and two that say noindex."""

    PATHS = ("/tagged", "/moved", "/gone", "/fails", "/plain", "/other", "/meta", "/header", "/cut")
    FIT = ("/tagged", "/plain", "/other", "/fails", "/cut")

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.folder = os.path.join(self.program.folder, "bin")
        os.mkdir(self.folder)
        self.put_program("exec %s \"$@\"" % BINARY)
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url(p) for p in self.PATHS]))
        self.put("first")
        self.server.put("/moved", "", status=301, headers=[("Location", self.server.url("/x"))])
        self.html("/gone", "gone", status=410)
        self.html("/fails", "later", status=500)
        self.html("/meta", "<meta name='robots' content='noindex'>m")
        self.html("/header", "h", headers=[("X-Robots-Tag", "nofollow, NOINDEX")])
        self.html("/cut", "c", headers=[("Content-Length", "100")])
        self.html("/x", "x")
        self.html("/x2", "x")
        self.crawl(self.server.url("/"))

    def html(self, path, body, headers=(), **kwargs):
        self.server.put(path, body, headers=[("Content-Type", "text/html"), *headers], **kwargs)

    def put(self, text, paths=("/tagged", "/plain", "/other")):
        for path in paths:
            self.html(path, "<html><head><title>t</title></head><body><p>%s</p></body></html>" % text,
                      **({"etag": '"%s"' % text} if path == "/tagged" else {}))

    def put_program(self, script):
        path = os.path.join(self.folder, "freshet")
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n%s\n" % script)
        os.chmod(path, 0o755)

    def run_it(self, argv, timeout=600):
        return subprocess.run(argv, capture_output=True, text=True, timeout=timeout, cwd=self.program.folder,
                              stdin=subprocess.DEVNULL, env=self.environment())

    def run_until(self, argv, is_enough):
        """Begin it, and end it as a user does, by an interrupt."""
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.program.folder, stdin=subprocess.DEVNULL, start_new_session=True,
                                   env=self.environment())
        self.addCleanup(process.kill)
        begin = time.monotonic()
        while not is_enough() and time.monotonic() < begin + 600 and process.poll() is None:
            time.sleep(0.1)
        time.sleep(0.5)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(argv, process.returncode, out, err)

    def environment(self):
        return self.program.environment(dict(self.extra(), PATH=self.folder + ":" + os.environ["PATH"]))

    def extra(self):
        return {"PYTHONPATH": EXAMPLES, "PYTHONDONTWRITEBYTECODE": "1"}

    def kinds(self):
        """Returns {path: the outcome by the latest result}."""
        rows = self.program.run("sql", "-f", "json", "SELECT url, kind FROM outcome ORDER BY id").records()
        return {row["url"][len(self.server.url("")):]: row["kind"] for row in rows}

    def judge(self, done, cut="failed"):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.kinds(), {
            "/tagged": "fetched", "/moved": "moved", "/gone": "gone", "/fails": "failed", "/plain": "fetched",
            "/other": "fetched", "/meta": "fetched", "/header": "fetched", "/cut": cut}, done.stderr)
        fit = [r["url"] for r in self.program.run("changes", "--consumer", "c").records() if r["type"] == "upsert"]
        self.assertEqual(sorted(fit), sorted(map(self.server.url, self.FIT)))
        moved, = self.program.run("sql", "-f", "json", "SELECT location FROM outcome WHERE kind = 'moved'").records()
        self.assertEqual(moved["location"], self.server.url("/x"))
        # neither robots.txt, a target of a redirect nor a page twice
        targets = [r.target for r in self.server.requests if "freshet" in r.header("User-Agent")
                   and r.target not in ("/robots.txt", "/s.xml")]
        self.assertEqual(sorted(targets), sorted(self.PATHS))
        self.assertEqual(self.program.run("release").out.strip(), "0 pages were given back")

    def again(self, first, argv):
        """Months after the first crawl, an unchanged page is recognised, also by its ETag."""
        self.follow_clock()
        self.put_program("exec %s \"$@\"" % HOOKED)
        self.crawl(self.server.url("/"))
        self.run_it(first)
        self.clock.advance(100 * DAY)
        self.put("second", ["/other"])
        self.server.forget()
        done = self.run_until(argv, lambda: {"/tagged", "/plain", "/other"} <= {
            r.target for r in self.server.requests})
        kinds = self.kinds()
        self.assertEqual((kinds["/tagged"], kinds["/plain"], kinds["/other"]),
                         ("not-modified", "same", "changed"), done.stderr)

    def limited(self, argv):
        """A host that answers 429 is not asked again, and nothing of it stays handed out."""
        for path in self.PATHS:
            self.html(path, "", status=429)
        self.server.forget()
        done = self.run_until(argv, lambda: self.server.requests)
        self.assertEqual(len([r for r in self.server.requests if "s.xml" not in r.target]), 1, done.stderr)
        self.assertEqual(self.program.run("release").out.strip(), "0 pages were given back")

    def without_done(self, argv, says):
        """When 'freshet done' ends, so does the crawler, and says why: else it would fetch in vain for ever."""
        self.put_program("if [ \"$1\" = done ]; then head -n 1 | %s done; exit 3; fi\nexec %s \"$@\"" % (BINARY, BINARY))
        done = self.run_it(argv)
        self.assertIn(says, done.stderr + done.stdout)


class Curl(Neighbour):
    """curl alone: it computes no hash, and tells neither noindex nor where a page moved."""

    def test_pipeline(self):
        done = self.run_it(["sh", "-c", "freshet due -f curl --per-host 0 | curl -K - | freshet done"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.kinds(), {
            "/tagged": "fetched", "/moved": "moved", "/gone": "gone", "/fails": "failed", "/plain": "fetched",
            "/other": "fetched", "/meta": "fetched", "/header": "fetched", "/cut": "fetched"})


OWN_SPIDER = """
import scrapy

class Own(scrapy.Spider):
    name = "own"
    start_urls = ["%s"]

    def parse(self, response):
        yield {"path": response.url.split("/", 3)[3].join(["/", ""])}
        if response.url.endswith("/x"):
            yield response.follow("/x2")
"""


@unittest.skipUnless(HAS_SCRAPY, "python3-scrapy is not installed")
class Scrapy(Neighbour):
    def spider(self, due="-n 9", *args, name=EXAMPLES + "/freshet_spider.py"):
        return [PYTHON, "-m", "scrapy", "runspider", "-L", "WARNING", "-s", "TELNETCONSOLE_ENABLED=0",
                "-s", "FRESHET_DUE=" + due, "-O", "items.jl", *args, name]

    def test_spider(self):
        done = self.run_it(self.spider("-n 9", "-s", "TWISTED_REACTOR=twisted.internet.asyncioreactor.AsyncioSelectorReactor"))
        self.judge(done)
        with open(os.path.join(self.program.folder, "items.jl"), encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), 5)

    def test_own_spider(self):
        """A spider with pages of its own, in a project whose settings name the scheduler. It is not called for
        pages that did not change."""
        with open(os.path.join(self.program.folder, "own.py"), "w", encoding="ascii") as f:
            f.write(OWN_SPIDER % self.server.url("/x"))
        done = self.run_it(self.spider("-n 9", "-s", "SCHEDULER=freshet_scheduler.FreshetScheduler",
                                       "-s", "USER_AGENT=freshet", "-s", "JOBDIR=job", name="own.py"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.kinds()), 9)
        with open(os.path.join(self.program.folder, "items.jl"), encoding="utf-8") as f:
            self.assertEqual(sorted(json.loads(line)["path"] for line in f),
                             ["/header", "/meta", "/other", "/plain", "/tagged", "/x", "/x2"])

    def test_again(self):
        self.again(self.spider(), self.spider(""))

    def test_limited(self):
        self.limited(self.spider(""))

    def test_without_done(self):
        self.without_done(self.spider(""), "'freshet done' has ended")


CRAWLER = """
import { CheerioCrawler } from '@crawlee/cheerio';
import { appendFileSync } from 'node:fs';
import { FreshetList } from './freshet_crawlee.mjs';

const list = new FreshetList({ due: process.argv.slice(2) });
const crawler = new CheerioCrawler(list.options({
    async requestHandler({ request, $ }) {
        appendFileSync('items.jl', `${JSON.stringify({ url: request.url, text: $('body').text() })}\\n`);
    },
}));
await crawler.run();
await list.close();
"""


class Crawlee(Neighbour):
    def setUp(self):
        modules, reason = npm.modules("neighbours")
        if reason is not None:
            self.skipTest(reason)
        super().setUp()
        # beside the packages, where node looks for them
        os.symlink(modules, os.path.join(self.program.folder, "node_modules"))
        shutil.copy(os.path.join(EXAMPLES, "freshet_crawlee.mjs"), self.program.folder)
        with open(os.path.join(self.program.folder, "own.mjs"), "w", encoding="ascii") as f:
            f.write(CRAWLER)

    def crawlee(self, *due):
        return ["node", "own.mjs", *due]

    def extra(self):
        return {"CRAWLEE_LOG_LEVEL": "WARNING", "CRAWLEE_PERSIST_STORAGE": "0"}

    def test_list(self):
        done = self.run_it(self.crawlee("-n", "9"))
        self.judge(done)
        with open(os.path.join(self.program.folder, "items.jl"), encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), 5)

    def test_again(self):
        self.again(self.crawlee("-n", "9"), self.crawlee())

    def test_limited(self):
        self.limited(self.crawlee())

    def test_without_done(self):
        self.without_done(self.crawlee(), "'freshet done' has ended")


WARCIO = """
import { createHash } from 'crypto';
import { createReadStream } from 'fs';
import { WARCParser } from 'warcio';

// base32 of RFC 4648, of 20 bytes
const base32 = (bytes) => {
    const bits = [...bytes].map((b) => b.toString(2).padStart(8, '0')).join('');
    return bits.match(/.{5}/g).map((b) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[parseInt(b, 2)]).join('');
};
const sha1 = (bytes) => `sha1:${base32(createHash('sha1').update(bytes).digest())}`;
const read = async (file, parseHttp, take) => {
    const parser = new WARCParser(createReadStream(file), { keepHeadersCase: true, parseHttp });
    for await (const record of parser) {
        const fields = Object.fromEntries([...record.warcHeaders.headers].map(([k, v]) => [k.toLowerCase(), v]));
        await take(record, fields, parser);
    }
};
for (const file of process.argv.slice(2)) {
    const found = [];
    await read(file, false, async (record, fields, parser) => {
        const block = await record.readFully(false);
        found.push({ fields, block: sha1(block), length: block.length, offset: parser.offset });
    });
    let i = 0;
    await read(file, true, async (record) => {
        if (record.httpHeaders && record.warcType === 'response') {
            const payload = await record.readFully(false);
            found[i].payload = sha1(payload);
            found[i].status = record.httpHeaders.statusCode;
            found[i].content = Buffer.from(await record.readFully(true)).toString('latin1');
        }
        i += 1;
    });
    for (const record of found) console.log(JSON.stringify({ file, ...record }));
}
"""


class Warcio(Case):
    """warcio of npm reads what freshet archives, with every digest; Python's gzip reads every member."""

    def setUp(self):
        modules, reason = npm.modules("neighbours")
        if reason is not None:
            self.skipTest(reason)
        super().setUp()
        os.symlink(modules, os.path.join(self.program.folder, "node_modules"))
        with open(os.path.join(self.program.folder, "read.mjs"), "w", encoding="ascii") as f:
            f.write(WARCIO)
        self.follow_clock()

    def read(self, folder):
        """What warcio says of each record, in their order."""
        files = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".warc.gz"))
        done = subprocess.run(["node", "read.mjs", *files], capture_output=True, text=True, timeout=600,
                              cwd=self.program.folder, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        records = [json.loads(line) for line in done.stdout.splitlines()]
        members = []
        for file in files:
            with gzip.open(file) as f:
                members += f.read().split(b"\r\n\r\nWARC/1.1\r\n")
        self.assertEqual(len(records), len(members))
        for record in records:
            fields = record["fields"]
            self.assertEqual(fields["warc-block-digest"], record["block"], fields)
            self.assertEqual(int(fields["content-length"]), record["length"], fields)
            if fields["warc-type"] == "response" and "warc-payload-digest" in fields:
                self.assertEqual(fields["warc-payload-digest"], record["payload"], fields)
        ids = [record["fields"]["warc-record-id"] for record in records]
        self.assertEqual(len(set(ids)), len(ids))
        return records

    def answers(self, records):
        """{path: [(type, status, content, truncated) of each]}"""
        found = {}
        for record in records:
            fields = record["fields"]
            if fields["warc-type"] in ("response", "revisit"):
                path = "/" + fields["warc-target-uri"].split("/", 3)[3]
                found.setdefault(path, []).append(
                    (fields["warc-type"], record.get("status"), record.get("content"), fields.get("warc-truncated")))
        return found

    def test_fetch(self):
        server = self.site()
        # chunks, and a body that looks like chunks to a reader that undoes them again
        chunks = "5\nhello"
        html = [("Content-Type", "text/html")]
        pages = {
            "/plain": dict(body="<p>plain</p>" * 50, headers=html, etag='"1"'),
            "/packed": dict(body=gzip.compress(b"<p>packed</p>" * 50), headers=html + [("Content-Encoding", "gzip")]),
            "/chunked": dict(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
                                 b"7\r\n%s\r\n0\r\n\r\n" % chunks.encode()),
            "/gone": dict(body="<p>gone</p>", headers=html, status=410),
            "/empty": dict(body="", headers=html),
            "/moved": dict(body="<a>moved</a>", headers=html + [("Location", server.url("/plain"))], status=301),
            "/long": dict(body="<p>long</p>" * 50000, headers=html),
        }
        for path, page in pages.items():
            server.put(path, **page)
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url(path) for path in pages]))
        folder = os.path.join(self.program.folder, "pages")
        self.crawl(server.url("/"), "--warc", folder, "--warc-sitemaps")
        said = self.program.run("fetch", "--json", "--max-bytes", "100000", "--warc", folder)
        self.assertEqual(len([r for r in said.records() if r["type"] == "page"]), len(pages), str(said))
        self.clock.advance(100 * DAY)
        self.program.run("crawl", "--force", server.url("/"))
        again = self.program.run("fetch", "--json", "--max-bytes", "100000", "--warc", folder)
        records = self.read(folder)
        found = self.answers(records)
        self.assertEqual(found["/robots.txt"][0][:2], ("response", 200))
        self.assertIn("<urlset", found["/s.xml"][0][2])
        self.assertEqual(found["/plain"][0], ("response", 200, pages["/plain"]["body"], None))
        self.assertEqual(found["/packed"][0], ("response", 200, "<p>packed</p>" * 50, None))
        self.assertEqual(found["/chunked"][0], ("response", 200, chunks, None))
        self.assertEqual(found["/gone"][0], ("response", 410, "<p>gone</p>", None))
        self.assertEqual(found["/empty"][0], ("response", 200, "", None))
        self.assertEqual(found["/moved"][0], ("response", 301, "<a>moved</a>", None))
        self.assertEqual(found["/long"][0], ("response", 200, pages["/long"]["body"][:100000], "length"))
        # what had not changed is there again, as a name of what it was
        self.assertIn("revisit", [r[0] for r in found["/plain"]], str(again))
        self.assertEqual([r[0] for r in found["/packed"]], ["response", "revisit"])
        ids = {r["fields"]["warc-record-id"]: r for r in records}
        profiles = set()
        for record in records:
            fields = record["fields"]
            if fields["warc-type"] == "revisit":
                first = ids[fields["warc-refers-to"]]["fields"]
                self.assertEqual(first["warc-type"], "response")
                self.assertEqual((first["warc-target-uri"], first["warc-date"]),
                                 (fields["warc-refers-to-target-uri"], fields["warc-refers-to-date"]))
                profiles.add(fields["warc-profile"].rpartition("/")[2])
            elif "warc-concurrent-to" in fields:
                self.assertIn(fields["warc-concurrent-to"], ids)
        self.assertEqual(profiles, {"server-not-modified", "identical-payload-digest"})
        # what was read of a page is no capture of it
        files = sorted({record["file"] for record in records})
        index = subprocess.run(["node", "node_modules/warcio/dist/cli.js", "cdx-index", *files], capture_output=True,
                               text=True, timeout=600, cwd=self.program.folder, check=True).stdout.splitlines()
        captures = [json.loads(line.split(" ", 2)[2]) for line in index]
        self.assertEqual({c["url"].startswith("urn:X-freshet:") for c in captures if c.get("mime") == "application/json"},
                         {True}, index)
        self.assertEqual(len([c for c in captures if c["url"].startswith("http")]),
                         sum(len(answers) for answers in found.values()))
        # and each page lies where its line says
        for page in said.records() + again.records():
            if page["type"] == "page":
                place = page["archive"]
                there = [r for r in records if os.path.basename(r["file"]) == place["file"]
                         and r["offset"] == place["offset"]]
                self.assertEqual([r["fields"]["warc-record-id"] for r in there], ["<%s>" % place["id"]])


if __name__ == "__main__":
    unittest.main()
