"""Crawlers of others that take their pages from freshet, with the examples as they are."""
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

    def run_it(self, argv, timeout=100):
        return subprocess.run(argv, capture_output=True, text=True, timeout=timeout, cwd=self.program.folder,
                              stdin=subprocess.DEVNULL, env=self.environment())

    def run_until(self, argv, is_enough):
        """Begin it, and end it as a user does, by an interrupt."""
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.program.folder, stdin=subprocess.DEVNULL, start_new_session=True,
                                   env=self.environment())
        self.addCleanup(process.kill)
        begin = time.monotonic()
        while not is_enough() and time.monotonic() < begin + 60 and process.poll() is None:
            time.sleep(0.1)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, err = process.communicate(timeout=100)
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

    def again(self, argv):
        """Months later, an unchanged page is recognised, also by its ETag."""
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
        self.follow_clock()
        self.put_program("exec %s \"$@\"" % HOOKED)
        self.crawl(self.server.url("/"))
        self.run_it(self.spider())
        self.clock.advance(100 * DAY)
        self.again(self.spider(""))

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
        self.follow_clock()
        self.put_program("exec %s \"$@\"" % HOOKED)
        self.crawl(self.server.url("/"))
        self.run_it(self.crawlee("-n", "9"))
        self.clock.advance(100 * DAY)
        self.again(self.crawlee())

    def test_limited(self):
        self.limited(self.crawlee())

    def test_without_done(self):
        self.without_done(self.crawlee(), "'freshet done' has ended")


if __name__ == "__main__":
    unittest.main()
