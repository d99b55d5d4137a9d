"""The fetchers of docs/guide/run-a-crawler.md, as they are in docs/examples."""
import os
import re
import subprocess
import unittest

from case import Case, urlset
from clock import DAY, Clock
from program import BINARY, HOOKED, NO_HOOKS, TOP

EXAMPLES = os.path.join(TOP, "docs", "examples")


class Fetchers(Case):
    """Eight pages: one with an ETag, one that moved, one that is gone, one that
    fails, two without validators, and two that say noindex."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.folder = os.path.join(self.program.folder, "bin")
        os.mkdir(self.folder)
        os.symlink(BINARY, os.path.join(self.folder, "freshet"))
        paths = ["/tagged", "/moved", "/gone", "/fails", "/plain", "/other", "/meta", "/header"]
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url(p) for p in paths]))
        self.put("first")
        self.server.put("/moved", "", status=301, headers=[("Location", self.server.url("/x"))])
        self.server.put("/gone", "gone", status=410)
        self.server.put("/fails", "later", status=500)
        self.server.put("/meta", "<meta name='robots' content='noindex'>m")
        self.server.put("/header", "h", headers=[("X-Robots-Tag", "nofollow, NOINDEX")])
        self.crawl(self.server.url("/"))

    def put(self, text, paths=("/tagged", "/plain", "/other"), menu="menu"):
        html = ("<html><head><title>t</title><script>var a = '%%d';</script></head>"
                "<body><nav>%s</nav><p>%s</p></body></html>" % (menu, text))
        for n, path in enumerate(paths):
            self.server.put(path, html.replace("%d", str(n)),
                            **({"etag": '"%s"' % text} if path == "/tagged" else {}))

    def shell(self, line):
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=100,
                              cwd=self.program.folder, stdin=subprocess.DEVNULL,
                              env=self.program.environment(
                                  {"PATH": self.folder + ":" + os.environ["PATH"]}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def kinds(self):
        """Returns {path: the outcome by the latest result}."""
        rows = self.program.run("sql", "-f", "json",
                                "SELECT url, kind FROM outcome ORDER BY id").records()
        return {row["url"][len(self.server.url("")):]: row["kind"] for row in rows}

    FIT = ("/tagged", "/plain", "/other", "/moved", "/fails")

    def judge(self, line, tells_noindex=True):
        self.shell(line)
        self.assertEqual(self.kinds(), {
            "/tagged": "fetched", "/moved": "moved", "/gone": "gone", "/fails": "failed",
            "/plain": "fetched", "/other": "fetched", "/meta": "fetched", "/header": "fetched"})
        if tells_noindex:
            fit = [r["url"] for r in self.program.run("changes", "--consumer", "c").records()
                   if r["type"] == "upsert"]
            self.assertEqual(sorted(fit), sorted(map(self.server.url, self.FIT)))
            moved, = self.program.run("sql", "-f", "json",
                                      "SELECT location FROM outcome WHERE kind = 'moved'").records()
            self.assertEqual(moved["location"], self.server.url("/x"))
        self.assertEqual({re.split("[/ ]", r.header("User-Agent"))[0]
                          for r in self.server.requests}, {"freshet"})

    def test_python(self):
        self.judge("freshet due --follow -n 8 | %s/fetch.py | freshet done" % EXAMPLES)

    def test_python_is_short(self):
        with open(EXAMPLES + "/fetch.py", encoding="utf-8") as f:
            self.assertEqual(max(60, len(f.readlines())), 60)

    def test_python_keeps_delays(self):
        """A fetcher that works on batches reports the time of each request."""
        self.server.put("/robots.txt", "User-agent: *\nCrawl-delay: 1\nSitemap: %s\n"
                        % self.server.url("/s.xml"))
        self.crawl("--force", self.server.url("/"))
        self.server.forget()
        self.shell("freshet due -n 3 | %s/fetch.py | freshet done" % EXAMPLES)
        times = [r.at for r in self.server.requests]
        self.assertEqual(len(times), 3)
        # Two delays, but a busy machine may note the first request late.
        self.assertGreater(times[2] - times[0], 1)

    @unittest.skipIf(NO_HOOKS, NO_HOOKS)
    def test_python_again(self):
        """Months later, unchanged pages are recognised, also by their ETags; a
        new script or menu is no change."""
        line = "freshet due -n 20 | %s/fetch.py | freshet done" % EXAMPLES
        self.program.binary = HOOKED
        clock = Clock(self.program.folder)
        self.addCleanup(clock.close)
        self.program.variables.update(clock.variables)
        os.unlink(os.path.join(self.folder, "freshet"))
        os.symlink(HOOKED, os.path.join(self.folder, "freshet"))
        self.judge(line)
        clock.advance(100 * DAY)
        self.put("first", menu="another menu")
        self.put("second", ["/other"])
        self.shell(line)
        kinds = self.kinds()
        self.assertEqual((kinds["/tagged"], kinds["/plain"], kinds["/other"]),
                         ("not-modified", "same", "changed"))

    def test_shell(self):
        os.mkdir(os.path.join(self.program.folder, "pages"))
        self.judge("%s/fetch.sh pages --follow -n 8" % EXAMPLES)
        names = os.listdir(os.path.join(self.program.folder, "pages"))
        self.assertEqual(len([n for n in names if "." not in n]), 5, names)

    def dies(self, line, before=""):
        """'freshet done' ends after the first result: so does the pipeline, and says why. Else it
        would fetch in vain for ever. Returns what it said."""
        path = os.path.join(self.folder, "freshet")
        os.unlink(path)
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\nif [ \"$1\" = done ]; then %s head -n 1 | %s done; exit 3; fi\n"
                    "exec %s \"$@\"\n" % (before, BINARY, BINARY))
        os.chmod(path, 0o755)
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=600,
                              cwd=self.program.folder, stdin=subprocess.DEVNULL,
                              env=self.program.environment(
                                  {"PATH": self.folder + ":" + os.environ["PATH"]}))
        return done.stderr

    def test_python_without_done(self):
        said = self.dies("freshet due --follow | %s/fetch.py | freshet done" % EXAMPLES)
        self.assertIn("fetch.py: nobody reads the results", said)
        self.assertIn("nobody reads the pages any more", said)

    def test_python_without_done_at_last(self):
        """All results are written by then, and no page comes any more."""
        said = self.dies("freshet due --follow | %s/fetch.py | freshet done" % EXAMPLES, "sleep 2;")
        self.assertIn("fetch.py: nobody reads the results", said)
        self.assertIn("nobody reads the pages any more", said)

    def test_shell_without_done(self):
        os.mkdir(os.path.join(self.program.folder, "pages"))
        said = self.dies("%s/fetch.sh pages --follow" % EXAMPLES)
        self.assertIn("fetch.sh: nobody reads the results", said)
        self.assertIn("nobody reads the pages any more", said)

    def limited(self, status, line):
        """A host that answers so is not asked again, and nothing of it stays handed out."""
        for path in ("/tagged", "/moved", "/gone", "/fails", "/plain", "/other", "/meta", "/header"):
            self.server.put(path, "", status=status)
        self.server.forget()
        self.shell(line)
        self.assertEqual(len(self.server.requests), 1)
        self.assertEqual(self.program.run("release").out.strip(), "0 pages were given back")

    def test_python_limited(self):
        self.limited(429, "freshet due -n 100 | %s/fetch.py | freshet done" % EXAMPLES)

    def test_shell_limited(self):
        os.mkdir(os.path.join(self.program.folder, "pages"))
        self.limited(503, "%s/fetch.sh pages -n 100 --per-host 9" % EXAMPLES)

    def test_shell_without_folder(self):
        done = subprocess.run([EXAMPLES + "/fetch.sh", "pages"], capture_output=True, text=True, timeout=600,
                              cwd=self.program.folder)
        self.assertEqual((done.returncode, done.stderr), (2, "fetch.sh: no such folder: 'pages' (make it)\n"))

    def test_curl(self):
        self.judge("freshet due -f curl --per-host 0 | curl -K - | freshet done", tells_noindex=False)

    def test_documented(self):
        """The document names each example, and each of its command lines has
        known options."""
        with open(os.path.join(TOP, "docs", "guide", "run-a-crawler.md"), encoding="utf-8") as f:
            text = f.read()
        for name in ("fetch.py", "fetch.sh", "freshet_scheduler.py", "freshet_spider.py",
                     "freshet_crawlee.mjs"):
            self.assertIn("examples/" + name, text)
        for line in re.findall(r"(?m)^\$ (freshet due.*)$", text):
            self.assertNotIn("unknown", self.program.run(
                *line.split("|")[0].split("freshet ")[1].split(), "--help").err, line)


if __name__ == "__main__":
    unittest.main()
