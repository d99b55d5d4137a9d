"""The examples of docs/reference/check.md, as they are printed there."""
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import unittest

from case import Case, gz, index, urlset
from program import BINARY, TOP

DOCS = os.path.join(TOP, "docs")
EXAMPLES = os.path.join(DOCS, "examples")
SITE = "https://www.example.org/"


def inputs(job, workflow="github-actions.yml"):
    """What a job of the workflow gives the action of packaging/ci."""
    with open(os.path.join(EXAMPLES, workflow), encoding="utf-8") as f:
        text = f.read()
    block = re.search(r"(?ms)^  %s:\n(.*?)(?=^  \w|\Z)" % job, text).group(1)
    block = re.search(r"(?s)uses: \./\.github/freshet\n +with:\n(.*?)(?=\n      -|\Z)", block).group(1)
    found = dict(re.findall(r"(?m)^          ([\w-]+): ([^|\n]+)$", block))
    found["arguments"] = "\n".join(re.findall(r"(?m)^            (\S.*)$", block))
    return found


class Examples(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.program.folder, "work")
        self.write("public/robots.txt", "Sitemap: %ssitemap.xml\n" % SITE)
        self.write("public/sitemap.xml", index([SITE + "blog/a.xml.gz", SITE + "pages.xml"]))
        self.write("public/pages.xml", urlset([(SITE + "about", "2025-01-02")]))
        self.entry(SITE + "blog/1")
        os.makedirs(os.path.join(self.folder, "bin"))
        os.symlink(BINARY, os.path.join(self.folder, "bin", "freshet"))

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
            args, cwd=self.folder, capture_output=True, text=True, timeout=600,
            env={"PATH": path, "HOME": self.program.folder, "TMPDIR": self.program.folder, **env})

    def test_drop_in(self):
        """The unit of the package, with the drop-in for several machines, is one that systemd takes."""
        if shutil.which("systemd-analyze") is None:
            self.skipTest("no systemd-analyze")
        with open(os.path.join(TOP, "packaging", "freshet.service.in"), encoding="utf-8") as f:
            self.write("units/freshet.service", f.read().replace("@bindir@", os.path.dirname(BINARY)))
        with open(os.path.join(EXAMPLES, "freshet-postgresql.conf"), encoding="utf-8") as f:
            text = f.read()
        self.write("units/freshet.service.d/store.conf", text)
        done = self.sh("systemd-analyze", "verify", "--man=no", os.path.join(self.folder, "units", "freshet.service"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        # its folder of caches is the one that the sandbox lets it write
        folder = re.search(r"XDG_CACHE_HOME=(.*)", text)[1]
        self.assertEqual(folder + "/" + re.search(r"CacheDirectory=(.*)", text)[1], "/var/cache/freshet")

    def test_compose(self):
        """The container's user may use its files, and it is the image of this version."""
        path = os.path.join(EXAMPLES, "compose.yml")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(os.path.join(TOP, "packaging", "image"), encoding="utf-8") as f:
            user = re.search(r"(?m)^USER = (\d+)", f.read())[1]
        with open(os.path.join(TOP, "meson.build"), encoding="utf-8") as f:
            version = re.search(r"version: '([\d.]+)'", f.read())[1]
        self.assertIn("uid=%s,gid=%s" % (user, user), text)
        self.assertIn("the user %s," % user, text)
        self.assertIn("image: freshet:%s\n" % version, text)
        if shutil.which("yamllint") is not None:
            done = self.sh("yamllint", "-s", "-d", "{extends: default, rules: {brackets: disable}}", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

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

    def test_digests(self):
        """Only the digest of the tarball lets it run, in each of the two files."""
        tarball, digest = self.tarball(b"#!/bin/sh\ntouch ran\n")
        nothing = hashlib.sha256(b"").hexdigest()
        with open(os.path.join(TOP, "packaging", "ci", "gitlab.yml"), encoding="utf-8") as f:
            gitlab = re.search(r"^    - (test .*sha256sum.*)$", f.read(), re.M)[1]
        ran = os.path.join(self.folder, "ran")
        for value, is_right in ((nothing + "  /dev/null\n#", False), (nothing, False), (digest[:-1], False),
                                (digest + " ", False), (digest + "\n" + nothing + "  /dev/null", False),
                                ("*", False), ("[0-9a-f]*", False), (digest, True)):
            with self.subTest(value=value):
                self.sh(os.path.join(TOP, "packaging", "ci", "check.sh"), FRESHET_URL="file://" + tarball,
                        FRESHET_SHA256=value, FRESHET_TARGETS="public")
                self.assertEqual(os.path.exists(ran), is_right)
                done = self.sh("sh", "-c", gitlab.replace("/tmp/freshet.tar.gz", tarball), FRESHET_SHA256=value)
                self.assertEqual(done.returncode == 0, is_right)

    def tarball(self, script):
        """A tarball whose program is this script, and its digest."""
        tarball = os.path.join(self.folder, "freshet.tar.gz")
        with tarfile.open(tarball, "w:gz") as tar:
            member = tarfile.TarInfo("freshet/bin/freshet")
            member.mode = 0o755
            member.size = len(script)
            tar.addfile(member, io.BytesIO(script))
        with open(tarball, "rb") as f:
            return tarball, hashlib.sha256(f.read()).hexdigest()

    def action(self, job, targets=None, workflow="github-actions.yml"):
        """The step of the action, as the runner does it, with this build's program in the tarball."""
        given = inputs(job, workflow)
        tarball, digest = self.tarball(b"#!/bin/sh\nexec '%s' \"$@\"\n" % BINARY.encode())
        self.assertEqual((given["url"], given["sha256"]), ("${{ env.TARBALL }}", "${{ env.SHA256 }}"))
        ci = os.path.join(TOP, "packaging", "ci")
        with open(os.path.join(ci, "action.yml"), encoding="utf-8") as f:
            run = re.search(r"(?s)      run: \|\n(.*)", f.read())[1]
        return self.sh("sh", "-e", "-c", run, GITHUB_ACTION_PATH=ci, GITHUB_STEP_SUMMARY="summary.md",
                       FRESHET_URL="file://" + tarball, FRESHET_SHA256=digest, FRESHET_COMMAND=given.get("command", "check"),
                       FRESHET_TARGETS=targets or given["targets"], FRESHET_FAIL_ON=given.get("fail-on", "error"),
                       FRESHET_ARGUMENTS=given["arguments"])

    def pages(self, text):
        self.write("public/about.html", "<title>x</title><main>%s</main>" % text)

    def dates(self):
        with open(os.path.join(self.folder, "public", "pages.xml"), encoding="utf-8") as f:
            return re.findall("<lastmod>([^<]*)", f.read())

    def stamp_twice(self, stamp):
        """The recipe of stamp.md: the first manifest at home, then a job that finds one page unchanged, then changed."""
        self.pages("one")
        done = self.sh("freshet", "stamp", "--base", SITE, "--manifest", "pages.manifest", "--init", "public")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text, is_old in (("one", True), ("two", False)):
            with self.subTest(text=text):
                self.pages(text)
                done = stamp()
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertEqual(self.dates() == ["2025-01-02"], is_old, self.dates())

    def test_github_pages(self):
        self.stamp_twice(lambda: self.action("publish", workflow="github-pages.yml"))
        done = self.sh(os.path.join(TOP, "packaging", "ci", "check.sh"), FRESHET_URL="x", FRESHET_SHA256="x",
                       FRESHET_TARGETS="public", FRESHET_COMMAND="db")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "freshet: FRESHET_COMMAND is neither check nor stamp\n"))

    def test_gitlab_pages(self):
        """The script of the job in in-ci.md, with a curl that fetches what the last one published."""
        with open(os.path.join(DOCS, "guide", "in-ci.md"), encoding="utf-8") as f:
            job = f.read().split("\npages:\n")[1]
        script = re.search(r"(?ms)^  script:\n(.*?)^  \w", job)[1]
        lines = "\n".join(re.findall(r"(?m)^    - (.*)$", script)).replace("/tmp/freshet/bin/freshet", "freshet")
        self.write("bin/curl", "#!/bin/sh\n[ \"$*\" = '-fsS -o pages.manifest %spages.manifest' ] && "
                               "cp kept pages.manifest\n" % SITE)
        os.chmod(os.path.join(self.folder, "bin", "curl"), 0o755)

        def stamp():
            kept = os.path.join(self.folder, "public", "pages.manifest")
            if not os.path.exists(kept):
                kept = os.path.join(self.folder, "pages.manifest")
            os.rename(kept, os.path.join(self.folder, "kept"))
            return self.sh("sh", "-e", "-c", lines, FRESHET_SITE=SITE)
        self.stamp_twice(stamp)

    def test_github_before(self):
        done = self.action("before")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "freshet: all is well with 2 sitemaps and 1 index, 2 URLs\n", ""))
        self.entry("https://other.example/x")
        done = self.action("before")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stdout.startswith(
            "::error file=public/blog/a.xml.gz,line=3,title=freshet%3A host-mismatch::"),
            done.stdout)
        self.assertIn("host-mismatch", self.read("summary.md"))

    def test_gitlab(self):
        """The variables in the head of gitlab.yml run its script, and freshet does not warn of them."""
        with open(os.path.join(TOP, "packaging", "ci", "gitlab.yml"), encoding="utf-8") as f:
            head, job = f.read().split("\n.freshet:\n")
        script = re.search(r"(?ms)^  script:\n(.*?)^  \w", job)[1]
        lines = "\n".join(re.findall(r"(?m)^    - (.*)$", script)).replace("/tmp/freshet/bin/freshet", "freshet")
        given = dict(re.findall(r"(?m)^#       (FRESHET_\w+): (.*)$", head), FRESHET_FAIL_ON="error")
        self.assertEqual(given["FRESHET_TARGETS"], "public")
        given["FRESHET_SITE"] = SITE
        done = self.sh("sh", "-c", lines, **given)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.entry("https://other.example/x")
        done = self.sh("sh", "-c", lines, **given)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn("host-mismatch", self.read("sitemaps.xml"))

    def test_github_published(self):
        self.assertEqual(inputs("published")["targets"], SITE)
        server = self.site()
        server.put("/robots.txt", "Sitemap: %s\n" % server.url("/s.xml"))
        server.put("/s.xml", urlset([server.url("/a")]))
        done = self.action("published", server.url("/"))
        self.assertEqual(done.returncode, 0, done.stderr)
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
