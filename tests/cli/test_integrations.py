"""The fetchers of docs/guide/run-a-crawler.md, as they are in docs/examples."""
import os
import re
import subprocess
import unittest

from case import Case, urlset
from clock import DAY, Clock
from program import BINARY, HOOKED, NO_HOOKS, TOP

EXAMPLES = os.path.join(TOP, "docs", "examples")
# where Debian's packages are, whatever python3 is
PYTHON = "/usr/bin/python3"
HAS_SCRAPY = subprocess.run([PYTHON, "-c", "import scrapy"], capture_output=True).returncode == 0


class Fetchers(Case):
    """Six pages: one with an ETag, one that moved, one that is gone, one that
    fails, and two without validators."""

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.folder = os.path.join(self.program.folder, "bin")
        os.mkdir(self.folder)
        os.symlink(BINARY, os.path.join(self.folder, "freshet"))
        paths = ["/tagged", "/moved", "/gone", "/fails", "/plain", "/other"]
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url(p) for p in paths]))
        self.put("first")
        self.server.put("/moved", "", status=301, headers=[("Location", self.server.url("/x"))])
        self.server.put("/gone", "gone", status=410)
        self.server.put("/fails", "later", status=503)
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

    def judge(self, line):
        self.shell(line)
        self.assertEqual(self.kinds(), {
            "/tagged": "fetched", "/moved": "moved", "/gone": "gone", "/fails": "failed",
            "/plain": "fetched", "/other": "fetched"})
        self.assertEqual({re.split("[/ ]", r.header("User-Agent"))[0]
                          for r in self.server.requests}, {"freshet"})

    def test_python(self):
        self.judge("freshet due --follow -n 6 | %s/fetch.py | freshet done" % EXAMPLES)

    def test_python_is_short(self):
        with open(EXAMPLES + "/fetch.py", encoding="utf-8") as f:
            self.assertEqual(max(35, len(f.readlines())), 35)

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
        self.judge("%s/fetch.sh pages --follow -n 6" % EXAMPLES)
        names = os.listdir(os.path.join(self.program.folder, "pages"))
        self.assertEqual(len([n for n in names if "." not in n]), 3, names)

    def test_curl(self):
        self.judge("freshet due -f curl --per-host 0 | curl -K - | freshet done")

    @unittest.skipUnless(HAS_SCRAPY, "python3-scrapy is not installed")
    def test_scrapy(self):
        self.judge("%s -m scrapy runspider -L WARNING -a due='-n 6' -O items.jl "
                   "%s/freshet_spider.py" % (PYTHON, EXAMPLES))
        with open(os.path.join(self.program.folder, "items.jl")) as f:
            self.assertEqual(len(f.readlines()), 3)

    def test_documented(self):
        """The document names each example, and each of its command lines has
        known options."""
        with open(os.path.join(TOP, "docs", "guide", "run-a-crawler.md"), encoding="utf-8") as f:
            text = f.read()
        for name in ("fetch.py", "fetch.sh", "freshet_spider.py"):
            self.assertIn("examples/" + name, text)
        for line in re.findall(r"(?m)^\$ (freshet due.*)$", text):
            self.assertNotIn("unknown", self.program.run(
                *line.split("|")[0].split("freshet ")[1].split(), "--help").err, line)


if __name__ == "__main__":
    unittest.main()
