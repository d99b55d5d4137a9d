"""The examples of docs/reference/check.md, as they stand there."""
import json
import os
import re
import subprocess
import unittest

from case import Case, gz, index, urlset
from program import BINARY, TOP

DOCS = os.path.join(TOP, "docs")
EXAMPLES = os.path.join(DOCS, "examples")
SITE = "https://www.example.org/"


def steps(job):
    """The commands of a job of the workflow; a step's run is one line."""
    with open(os.path.join(EXAMPLES, "github-actions.yml"), encoding="utf-8") as f:
        text = f.read()
    block = re.search(r"(?ms)^  %s:\n(.*?)(?=^  \w|\Z)" % job, text).group(1)
    return re.findall(r"(?m)^        run: (\S.*)$", block)


class Examples(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.program.folder, "work")
        self.write("public/robots.txt", "Sitemap: %ssitemap.xml\n" % SITE)
        self.write("public/sitemap.xml", index([SITE + "blog/a.xml.gz", SITE + "pages.xml"]))
        self.write("public/pages.xml", urlset([(SITE + "about", "2025-01-02")]))
        self.entry(SITE + "blog/1")
        for name in ("bin", ".freshet"):
            os.makedirs(os.path.join(self.folder, name))
            os.symlink(BINARY, os.path.join(self.folder, name, "freshet"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def entry(self, url):
        self.write("public/blog/a.xml.gz", gz(urlset([(url, "2025-01-03")])))

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as f:
            return f.read()

    def sh(self, *args, **env):
        path = os.path.join(self.folder, "bin") + ":" + os.environ["PATH"]
        return subprocess.run(
            args, cwd=self.folder, capture_output=True, text=True, timeout=60,
            env={"PATH": path, "HOME": self.program.folder, "TMPDIR": self.program.folder, **env})

    def publish(self):
        return self.sh(os.path.join(EXAMPLES, "pre-publish.sh"), "public", SITE,
                       "touch", "published")

    def test_pre_publish(self):
        done = self.publish()
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "published")))
        self.assertIn("all is well with 2 sitemaps and 1 index", self.read("sitemaps.html"))

    def test_pre_publish_stops(self):
        self.entry("https://other.example/x")
        done = self.publish()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("not published: see sitemaps.html", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "published")))
        self.assertIn('id="host-mismatch"', self.read("sitemaps.html"))

    def actions(self, job, **env):
        """As the runner does: each step in a shell of its own, until one fails."""
        done = None
        for command in steps(job):
            done = self.sh("sh", "-e", "-c", command, **env)
            if done.returncode != 0:
                break
        return done

    def test_github_before(self):
        self.assertEqual(len(steps("before")), 2)
        done = self.actions("before", SITE=SITE, FOLDER="public")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "freshet: all is well with 2 sitemaps and 1 index, 2 URLs\n"), done.stderr)
        self.entry("https://other.example/x")
        done = self.actions("before", SITE=SITE, FOLDER="public")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stdout.startswith(
            "::error file=public/blog/a.xml.gz,line=3,title=freshet%3A host-mismatch::"),
            done.stdout)

    def test_github_published(self):
        server = self.site()
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url("/a")]))
        done = self.actions("published", SITE=server.url("/"))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("all is well with 1 sitemap<", self.read("sitemaps.html"))

    def test_names_in_the_text(self):
        """docs/reference/check.md has every name that json has, and no other format."""
        with open(os.path.join(DOCS, "reference", "check.md"), encoding="utf-8") as f:
            text = f.read()
        self.entry("https://other.example/x")
        done = self.sh("freshet", "check", "-f", "json", "--base", SITE, "public")
        names = set()
        for line in done.stdout.splitlines():
            record = json.loads(line)
            names |= set(record) | {record["record"]}
            for finding in record.get("findings", []):
                names |= set(finding) | {k for s in finding["samples"] for k in s}
            names |= {k for s in record.get("samples", []) for k in s}
        self.assertIn("finding", names)
        for name in names - {"v"}:
            self.assertIn("`%s`" % name, text)


if __name__ == "__main__":
    unittest.main()
