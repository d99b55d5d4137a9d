"""The configuration file, seen from outside."""
import json
import os
import re
import shutil
import subprocess
import unittest

from case import Case, index, urlset


class Config(Case):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.program.folder, "freshet.conf")

    def write(self, text, path=None):
        path = path or self.path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    def named_site(self, name):
        """Make a site under a real name: an index with two children."""
        site = self.site()
        base = "http://%s/" % name
        site.put("/robots.txt", "Sitemap: %sindex.xml\n" % base)
        site.put("/index.xml", index([base + "a.xml", base + "deep/b.xml"]))
        site.put("/a.xml", urlset([base + "1", base + "2"]))
        site.put("/deep/b.xml", urlset([base + "deep/3", base + "outside"]))
        return site

    def two_sites(self, text):
        a, b = self.named_site("a.example"), self.named_site("b.example")
        self.write("[defaults]\n"
                   "connect-to = a.example:80:127.0.0.1:%d b.example:80:127.0.0.1:%d\n"
                   % (a.port, b.port) + text)
        return a, b

    def test_sites_have_rules_of_their_own(self):
        secret = self.write("bob:secret\n", os.path.join(self.program.folder, "secret"))
        a, b = self.two_sites(
            "delay = 0\ndir-rule = enforce\nheader = X-All: 1\n"
            "[site a.example]\nheader = X-A: 1\nheader = X-B: 2\nuser-file = %s\n"
            "dir-rule = warn\nchild_dir_waiver = listed-child\n"
            "[site https://B.example/]\ndelay = 0.2\n" % secret)
        crawl = self.crawl("--config", self.path, "--url-dir-waiver", "none",
                           "http://a.example/", "http://b.example/", status=(0, 1))
        first = a.requests[0]
        self.assertEqual((first.header("X-A"), first.header("X-B"), first.header("X-All")),
                         ("1", "2", None))
        self.assertEqual(first.header("Authorization"), "Basic Ym9iOnNlY3JldA==")
        second = b.requests[0]
        self.assertEqual((second.header("X-A"), second.header("X-All"),
                          second.header("Authorization")), (None, "1", None))
        times = [r.at for r in b.requests]
        self.assertGreaterEqual(min(y - x for x, y in zip(times, times[1:])), 0.19)
        # /deep/b.xml lists a page outside of its directory
        urls = self.program.urls()
        self.assertIn("http://a.example/outside", urls)
        self.assertNotIn("http://b.example/outside", urls)
        for host, severity in (("a", "warning"), ("b", "error")):
            found = crawl.document("http://%s.example/deep/b.xml" % host)["findings"]
            self.assertEqual([f["severity"] for f in found if f["code"] == "outside-directory"],
                             [severity], str(crawl))

    def test_secrets_stay_at_home(self):
        """Secrets for one target are not sent to another one to which it
        redirects."""
        a, b = self.two_sites("[site a.example]\nheader = X-Secret: a\n")
        a.redirect("/a.xml", "http://b.example/a.xml")
        a.put("/robots.txt", "Sitemap: http://a.example/a.xml\n")
        self.crawl("--config", self.path, "--delay", "0", "http://a.example/", "http://b.example/",
                   status=(0, 1))
        self.assertEqual({r.header("X-Secret") for r in a.requests}, {"a"})
        self.assertEqual(len(b.asked("/a.xml")), 2)
        self.assertEqual({r.header("X-Secret") for r in b.requests}, {None})

    def test_what_is_typed_wins(self):
        a, _ = self.two_sites("[site a.example]\nheader = X-A: 1\ndir-rule = warn\n")
        self.crawl("--config", self.path, "--delay", "0", "-H", "X-T: 1", "--dir-rule", "enforce",
                   "--url-dir-waiver", "none", "http://a.example/", status=(0, 1))
        self.assertEqual((a.requests[0].header("X-T"), a.requests[0].header("X-A")), ("1", None))
        self.assertNotIn("http://a.example/outside", self.program.urls())

    def test_places(self):
        home = os.path.join(self.program.folder, ".config", "freshet", "freshet.conf")
        xdg = os.path.join(self.program.folder, "xdg", "freshet", "freshet.conf")
        broken = "[defaults]\n%s = 1\n"
        self.write(broken % "home", home)
        env = {"XDG_CONFIG_HOME": os.path.join(self.program.folder, "xdg")}
        self.assertIn(home + ":2: unknown key 'home'", self.program.run("ls").err)
        # a folder of configurations without one of ours
        self.assertNotIn("unknown key", self.program.run("ls", env=env).err)
        self.write(broken % "xdg", xdg)
        self.assertIn(xdg + ":2: unknown key 'xdg'", self.program.run("ls", env=env).err)
        self.write(broken % "named")
        env["FRESHET_CONFIG"] = self.path
        self.assertIn(self.path + ":2: unknown key 'named'", self.program.run("ls", env=env).err)
        other = self.write(broken % "typed", os.path.join(self.program.folder, "typed"))
        result = self.program.run("ls", "--config", other, env=env)
        self.assertIn(other + ":2: unknown key 'typed'", result.err)
        self.assertEqual(result.status, 2)
        result = self.program.run("ls", "--no-config", env=env)
        self.assertNotIn("unknown key", result.err)

    def test_of_the_system(self):
        """/etc/freshet/freshet.conf is read, in a mount namespace of the
        test."""
        self.write("[defaults]\nsystem = 1\n")
        script = ("mount -t tmpfs none /etc && mkdir /etc/freshet && "
                  "cp %s /etc/freshet/freshet.conf && exec %s ls"
                  % (self.path, self.program.binary))
        tool = shutil.which("unshare")
        if tool is None or subprocess.run([tool, "-rm", "true"],
                                          capture_output=True).returncode != 0:
            self.skipTest("no file systems of one's own here")
        done = subprocess.run([tool, "-rm", "sh", "-c", script], capture_output=True, text=True,
                              env=self.program.environment(), timeout=600)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/etc/freshet/freshet.conf:2: unknown key 'system'", done.stderr)

    def test_files_that_are_none(self):
        for name, data in (("binary", bytes(range(256))),
                           ("huge", b"[defaults]\n" + b"# x\n" * 300000),
                           ("long", b"[defaults]\ncontact = " + b"x" * 9000),
                           ("nul", b"[defaults]\n\0\n"),
                           ("xml", b"<?xml version='1.0'?>\n<a/>\n")):
            with self.subTest(name=name):
                self.write(data)
                result = self.program.run("ls", "--config", self.path)
                self.assertEqual(result.status, 2, str(result))
                self.assertEqual(result.err.count("\n"), 1, str(result))
                self.assertIn(self.path, result.err)
        for path in (self.program.folder, "/nowhere/x"):
            with self.subTest(path=path):
                result = self.program.run("ls", "--config", path)
                self.assertEqual(result.status, 2, str(result))
                self.assertIn("cannot read '%s'" % path, result.err)
        if os.geteuid() != 0:  # root reads what it likes
            os.chmod(self.path, 0)
            self.assertEqual(self.program.run("ls", "--config", self.path).status, 2)

    def test_ends_of_lines(self):
        for text in ("[defaults]\njson = 1", "\ufeff[defaults]\r\njson = 1\r\n",
                     "\n\n# a\n; b\n[defaults]\n\n json = 1 "):
            with self.subTest(text=text):
                self.write(text)
                result = self.program.run("db", "info", "--config", self.path)
                self.assertNotIn("freshet.conf", result.err)
        self.crawl(self.named_small(), status=0)
        result = self.program.run("db", "info", "--config", self.path)
        self.assertEqual(json.loads(result.out)["v"], 1)

    def named_small(self):
        site = self.site()
        site.put("/s.xml", urlset([site.url("/1")]))
        return site.url("/s.xml")

    def test_a_broken_one_and_help(self):
        env = {"FRESHET_CONFIG": self.write("[default]\n")}
        for words in (["help", "config"], ["ls", "--help"], ["version"], ["--version"]):
            with self.subTest(words=words):
                result = self.program.run(*words, env=env)
                self.assertEqual((result.status, result.err), (0, ""), str(result))

    def test_help_names_every_key(self):
        """Every key that the help names is accepted, with its default, where
        the help says."""
        keys = self.program.run("help", "config", "--json").records()
        text = self.program.run("help", "config").out
        commands = self.program.run("help", "--json").records()
        wanted = {o["name"] for c in commands for o in c["options"]
                  if "defaults" in o["places"]}
        self.assertEqual({k["name"] for k in keys}, wanted)
        for key in keys:
            with self.subTest(key=key["name"]):
                self.assertRegex(text, r"(?m)^  %s = " % re.escape(key["name"]))
                if "default" not in key:
                    continue
                place = "[site a.example]" if "site" in key["places"] else "[defaults]"
                self.write("%s\n%s = %s\n" % (place, key["name"], key["default"]))
                result = self.program.run("ls", "--config", self.path)
                self.assertNotIn("freshet.conf:", result.err)
                if place == "[defaults]":
                    self.write("[site a.example]\n%s = %s\n" % (key["name"], key["default"]))
                    result = self.program.run("ls", "--config", self.path)
                    self.assertIn("concerns all sites", result.err)


if __name__ == "__main__":
    unittest.main()
