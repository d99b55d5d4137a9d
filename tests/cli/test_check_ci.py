"""freshet check in continuous integration: several formats, what is accepted, what is new."""
import json
import os
import re

from case import Case, index, urlset

BASE = "https://www.shop.example/"


class Folder(Case):
    """Files that are not published yet."""

    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.program.folder, "public")
        os.makedirs(self.folder)

    def put(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def check(self, *args, status=0):
        result = self.program.run("check", "--progress", "off", "--base", BASE, *args, self.folder)
        self.assertEqual(result.status, status, str(result))
        return result

    def read(self, name):
        with open(os.path.join(self.program.folder, name), encoding="utf-8") as f:
            return f.read()


class Formats(Folder):
    def setUp(self):
        super().setUp()
        self.put("sitemap.xml", urlset([BASE + "a", "https://other.example/b"]))

    def file(self, name):
        return os.path.join(self.program.folder, name)

    def test_several(self):
        """Several formats come from one run, and each report says the same."""
        result = self.check("-f", "github", "-f", "html:" + self.file("r.html"),
                            "-f", "markdown:" + self.file("r.md"), "-f", "json:" + self.file("r"),
                            status=1)
        self.assertTrue(result.out.startswith("::error file="), str(result))
        self.assertIn("<code>host-mismatch</code>", self.read("r.html"))
        self.assertIn("| error | <code>host-mismatch</code>", self.read("r.md"))
        records = [json.loads(line) for line in self.read("r").splitlines()]
        self.assertEqual([r["code"] for r in records if r["record"] == "finding"],
                         ["host-mismatch"])
        self.assertEqual(sorted(os.listdir(self.program.folder)).count("r.html"), 1)
        self.assertEqual([n for n in os.listdir(self.program.folder) if n.endswith(".tmp")], [])

    def test_files_alone(self):
        result = self.check("-f", "junit:" + self.file("r.xml"), status=1)
        self.assertEqual(result.out, "")
        self.assertIn("<testsuites", self.read("r.xml"))

    def test_json_and_a_file(self):
        result = self.check("--json", "-f", "text:" + self.file("r.txt"), status=1)
        self.assertEqual(result.records()[-1]["record"], "summary")
        self.assertIn("host-mismatch", self.read("r.txt"))
        self.assertIn("do not go together",
                      self.check("--json", "-f", "text", status=2).err)
        self.assertIn("write '-f text:FILE'",
                      self.check("-f", "html", "-f", "text", status=2).err)

    def test_bad_values(self):
        for value, text in (("htlm:x", "did you mean 'html'?"), ("html:", "FORMAT:FILE"),
                            ("pdf", "one of text|json|"), (":x", "FORMAT:FILE")):
            self.assertIn(text, self.check("-f", value, status=2).err)
        nowhere = self.file("no/such/r.html")
        result = self.check("-f", "html:" + nowhere, status=2)
        self.assertIn("cannot write to '%s': No such file" % nowhere, result.err)

    def test_the_old_file(self):
        """A report over an old file keeps a link and the mode; a target that is
        no regular file is written directly."""
        old = self.file("old.html")
        with open(old, "w", encoding="utf-8") as f:
            f.write("old")
        os.chmod(old, 0o640)
        os.symlink("old.html", self.file("link.html"))
        self.check("-f", "html:" + self.file("link.html"), status=1)
        self.assertTrue(os.path.islink(self.file("link.html")))
        self.assertIn("host-mismatch", self.read("old.html"))
        self.assertEqual(os.stat(old).st_mode & 0o777, 0o640)
        self.check("-f", "html:/dev/null", status=1)
        self.assertFalse(os.path.isfile("/dev/null"))
        self.check("-f", "html:/dev/full", status=7)


class Places(Folder):
    """A finding names its line, its entry, the page, and the other
    occurrence."""

    def records(self, *args, status=1):
        rows = self.check("--json", *args, status=status).records()
        self.documents = {r["path"]: r for r in rows if r["record"] == "document"}
        return {r["code"]: [(s["line"], s["entry"], s["loc"], s["text"]) for s in r["samples"]]
                for r in rows if r["record"] == "finding"}

    def test_places(self):
        self.put("robots.txt", "User-agent: *\nDisallow: /secret/\n")
        self.put("sitemap_index.xml", index([BASE + "a.xml", BASE + "dead.xml", BASE + "b.xml"]))
        self.put("a.xml", urlset([(BASE + "1", "2025-02-30"), BASE + "2", BASE + "1",
                                  BASE + "secret/x", "relative"]))
        # all in one line: only the entry says which
        self.put("b.xml", urlset([BASE + "8", (BASE + "9", "soon"), BASE + "2"]).replace("\n", ""))
        found = self.records()
        self.assertEqual(found["invalid-date"], [
            (3, 1, BASE + "1", "2025-02-30"), (1, 2, BASE + "9", "soon")])
        self.assertEqual(found["relative-url"], [(7, 5, "relative", "relative")])
        self.assertEqual(found["url-blocked-by-robots"], [
            (6, 4, BASE + "secret/x", BASE + "secret/x: robots.txt line 2: /secret/")])
        self.assertEqual(found["duplicate-url"], [
            (5, 3, BASE + "1", BASE + "1 is also entry 1"),
            (1, 3, BASE + "2", "%s2 is also in %sa.xml" % (BASE, BASE))])
        self.assertEqual(found["fetch-not-found"][0][:2], (None, None))
        dead = self.documents[BASE + "dead.xml"]
        self.assertEqual((dead["listed_line"], dead["listed_entry"]), (4, 2))
        self.assertIsNone(self.documents[BASE + "a.xml"]["listed_entry"])

    def test_before_the_loc(self):
        """A finding before the loc is attributed to the entry when its loc is
        read; a finding after all entries has none."""
        self.put("sitemap.xml", urlset([BASE + "1"]).replace(
            "<url>", "<url><odd/>", 1) + "<url><odd/>")
        found = self.records()
        self.assertEqual(found["unknown-tag"], [(3, 1, BASE + "1", "odd")])
        self.assertEqual([f[1:3] for f in found["parse-error"]], [(None, None)])

    def test_formats(self):
        """Each format names entry and page, and annotations stand at the line
        of the mistake."""
        self.put("sitemap_index.xml", index([BASE + "a.xml", BASE + "dead.xml"]))
        self.put("a.xml", urlset([BASE + "1", (BASE + "2", "soon"), (BASE + "3", "later")]))
        for form in ("text", "github", "junit", "markdown", "html", "sarif"):
            out = self.check("-f", form, status=1).out
            for text in ("entry 2",) if form != "sarif" else ():
                self.assertIn(text, out, form)
            self.assertRegex(out, "soon.{0,9}, in ", form)
        lines = self.check("-f", "github", status=1).out.splitlines()
        self.assertEqual([re.findall("^::([a-z]+) file=.*/(.*),line=(.*),title=freshet%3A (.*?)::",
                                     line) for line in lines[:-1]],
                         [[("error", "sitemap_index.xml", "4", "fetch-not-found")],
                          [("warning", "a.xml", "4", "invalid-date")],
                          [("warning", "a.xml", "5", "invalid-date")]])
        log = json.loads(self.check("-f", "sarif", status=1).out)
        self.assertEqual([(os.path.basename(p["artifactLocation"]["uri"]),
                           p["region"]["startLine"])
                          for r in log["runs"][0]["results"]
                          for p in [r["locations"][0]["physicalLocation"]]],
                         [("a.xml", 4), ("sitemap_index.xml", 4)])


class Accepted(Folder):
    """--ignore, --severity and --baseline."""

    def setUp(self):
        super().setUp()
        self.put("sitemap_index.xml", index([BASE + "a.xml", BASE + "blog/b.xml"]))
        self.put("a.xml", urlset([BASE + "1", (BASE + "2", "soon"), "https://other.example/x"]))
        self.put("blog/b.xml", urlset([(BASE + "blog/1", "later"), "https://other.example/y"]))

    def summary(self, *args, status):
        self.rows = self.check("--json", *args, status=status).records()
        return self.rows[-1]

    def counts(self):
        return {r["code"]: (r["severity"], r["count"], r["new"])
                for r in self.rows if r["record"] == "finding"}

    def test_ignore(self):
        self.assertEqual(self.summary(status=1)["ignored"], 0)
        self.assertEqual(self.counts(), {"host-mismatch": ("error", 2, None),
                                         "invalid-date": ("warning", 2, None)})
        self.assertEqual(self.summary("--ignore", "host-mismatch", status=0)["ignored"], 2)
        self.assertEqual(self.counts(), {"invalid-date": ("warning", 2, None)})
        for pattern, ignored in (("/blog/*", 1), (BASE + "a.xml", 1), ("*.xml", 2), ("*/b.xml", 1),
                                 ("/b.xml", 0), ("/a.xm?", 1), ("b*", 0)):
            with self.subTest(pattern=pattern):
                summary = self.summary("--ignore", "host-mismatch:" + pattern,
                                       status=0 if ignored == 2 else 1)
                self.assertEqual(summary["ignored"], ignored)
        out = self.check("--ignore", "host-mismatch:/a.xml", "--ignore",
                         "host-mismatch:/blog/*").out
        self.assertIn("\n2 findings ignored\n", out)
        self.assertNotIn("host-mismatch", out)

    def test_severity(self):
        self.summary("--severity", "host-mismatch=warning", status=0)
        self.assertEqual(self.counts()["host-mismatch"], ("warning", 2, None))
        self.summary("--severity", "host-mismatch=info", "--severity", "invalid-date=error",
                     status=1)
        self.assertEqual(self.counts(), {"host-mismatch": ("info", 2, None),
                                         "invalid-date": ("error", 2, None)})
        junit = self.check("--severity", "host-mismatch=warning", "-f", "junit").out
        self.assertIn('failures="0"', junit)

    def test_a_document_that_is_not_read(self):
        """An accepted code does not make the check fail, but is still
        reported."""
        self.put("sitemap_index.xml", index([BASE + "a.xml", BASE + "gone.xml"]))
        self.put("a.xml", urlset([BASE + "1"]))
        self.check(status=1)
        for args in (("--ignore", "fetch-not-found:/gone.xml"),
                     ("--severity", "fetch-not-found=warning")):
            out = self.check(*args).out
            self.assertRegex(out, r"/gone.xml .*couldn't fetch")
            self.assertIn('failures="0"', self.check("-f", "junit", *args).out)
        self.check("--severity", "fetch-not-found=warning", "--fail-on", "warning", status=1)

    def test_configuration(self):
        path = self.put("../c.conf", "[defaults]\nignore = host-mismatch:/a.xml "
                        "host-mismatch:/blog/*\nseverity = invalid-date=error\n")
        self.summary("--config", path, status=1)
        self.assertEqual(self.counts(), {"invalid-date": ("error", 2, None)})

    def test_bad_values(self):
        for option, value in (("--ignore", "no-such"), ("--ignore", "host-mismatch:"),
                              ("--ignore", ""), ("--severity", "host-mismatch"),
                              ("--severity", "host-mismatch=fatal"),
                              ("--severity", "no-such=info")):
            self.assertIn("'%s' takes" % option, self.check(option, value, status=2).err)

    def baseline(self):
        path = os.path.join(self.program.folder, "known.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.program.run("check", "--json", "--base", BASE, self.folder).out)
        return "--baseline", path

    def test_the_same(self):
        args = self.baseline()
        summary = self.summary(*args, status=0)
        self.assertEqual((summary["new"], summary["known"], summary["gone"]), (0, 4, 0))
        self.assertEqual(self.counts()["host-mismatch"], ("error", 2, 0))
        out = self.check(*args, "-f", "github").out
        self.assertEqual(out, "freshet: 2 of 3 sitemaps and indexes need attention, 3 URLs, "
                              "0 new findings, 4 known, 0 gone\n")
        self.assertIn('failures="0"', self.check(*args, "-f", "junit").out)
        states = [r["baselineState"] for r in json.loads(
            self.check(*args, "-f", "sarif").out)["runs"][0]["results"]]
        self.assertEqual(states, ["unchanged"] * 4)

    def test_lines_shift(self):
        """Findings that moved are recognised, those that were repaired are
        gone, and new ones are reported."""
        args = self.baseline()
        self.put("a.xml", urlset([BASE + "new", BASE + "1", (BASE + "3", "soon"),
                                  (BASE + "2", "soon"), "https://other.example/x"]))
        self.put("blog/b.xml", urlset([(BASE + "blog/1", "later")]))
        summary = self.summary(*args, status=0)
        self.assertEqual((summary["new"], summary["known"], summary["gone"]), (1, 3, 1))
        self.assertEqual(self.counts(), {"host-mismatch": ("error", 1, 0),
                                         "invalid-date": ("warning", 3, 1)})
        samples = next(r for r in self.rows if r.get("code") == "invalid-date")["samples"]
        self.assertEqual([(s["loc"], s["new"]) for s in samples],
                         [(BASE + "3", True), (BASE + "2", False), (BASE + "blog/1", False)])
        self.check(*args, "--fail-on", "warning", status=1)
        self.assertIn("invalid-date                      3, 1 new\n", self.check(*args).out)
        self.assertIn("\n1 new finding, 3 known, 1 gone\n", self.check(*args).out)

    def test_another_mistake_of_an_entry(self):
        args = self.baseline()
        self.put("a.xml", urlset([BASE + "1", (BASE + "2", "tomorrow"),
                                  "https://other.example/x"]))
        summary = self.summary(*args, status=0)
        self.assertEqual((summary["new"], summary["known"], summary["gone"]), (1, 3, 1))

    def test_many(self):
        """If there are more than eight, their number is compared."""
        self.put("a.xml", urlset("https://other.example/%d" % n for n in range(20)))
        args = self.baseline()
        self.check(*args)
        self.put("a.xml", urlset("https://other.example/%d" % n for n in range(-1, 20)))
        summary = self.summary(*args, status=1)
        self.assertEqual((summary["new"], summary["known"], summary["gone"]), (1, 22, 0))

    def test_ignored_is_not_gone(self):
        args = self.baseline()
        summary = self.summary(*args, "--ignore", "host-mismatch", status=0)
        self.assertEqual((summary["new"], summary["known"], summary["gone"], summary["ignored"]),
                         (0, 2, 0, 2))

    def test_bad_baseline(self):
        for text, says in (("nonsense\n", "line 1 is no line of a report"),
                           ('{"v":1}\n', "line 1 is no line"),
                           ('{"record":"document","path":"x","findings":[]}\n',
                            "no whole report")):
            path = self.put("../bad.json", text)
            self.assertIn(says, self.check("--baseline", path, status=2).err)
        self.assertIn("cannot read", self.check("--baseline", path + "x", status=2).err)


class PullRequest(Folder):
    """What a change adds is annotated at its place; findings that existed
    before are accepted."""

    def test_play(self):
        self.put("robots.txt", "User-agent: *\nDisallow: /draft/\nSitemap: %ssitemap.xml\n" % BASE)
        self.put("sitemap.xml", index([BASE + "pages.xml", BASE + "posts.xml", BASE + "old.xml"]))
        pages = [BASE, BASE + "about", (BASE + "team", "last year")]
        posts = [(BASE + "posts/%d" % n, "2025-01-0%d" % n) for n in range(1, 6)]
        self.put("pages.xml", urlset(pages))
        self.put("posts.xml", urlset(posts))
        known = os.path.join(self.program.folder, "known.json")
        self.check("-f", "json:" + known, "--fail-on", "warning", status=1)
        gate = ("--fail-on", "warning", "--baseline", known)
        self.assertEqual(self.check("-f", "github", *gate).out.count("::"), 0)

        # the change: entries in front, and five mistakes of four kinds
        self.put("sitemap.xml", index([BASE + n + ".xml" for n in
                                       ("news", "pages", "posts", "old")]))
        self.put("pages.xml", urlset([BASE + "first", BASE + "draft/x", "/relative"] + pages))
        self.put("posts.xml", urlset([(BASE + "posts/7", "2025-13-01"),
                                      (BASE + "posts/8", "2025-02-30")] + posts))
        result = self.check("-f", "github", "-f", "markdown:" + known + ".md", *gate, status=1)
        found = [re.fullmatch(r"::(\w+) file=.*/public/(\w+\.xml),line=(\d+),"
                              r"title=freshet%3A ([a-z-]+)::.*", line)
                 for line in result.out.splitlines()[:-1]]
        self.assertEqual([m and m.groups() for m in found], [
            ("error", "sitemap.xml", "3", "fetch-not-found"),
            ("error", "pages.xml", "5", "relative-url"),
            ("warning", "posts.xml", "3", "invalid-date"),
            ("warning", "pages.xml", "4", "url-blocked-by-robots"),
            ("warning", "posts.xml", "4", "invalid-date")], str(result))
        self.assertTrue(result.out.endswith("5 new findings, 2 known, 0 gone\n"), str(result))
        self.assertIn("<br>5 new findings, 2 known, 0 gone\n", self.read("known.json.md"))

        # the mistakes are mended again: only what was known is left
        self.put("sitemap.xml", index([BASE + n + ".xml" for n in ("pages", "posts", "old")]))
        self.put("pages.xml", urlset([BASE + "first"] + pages))
        self.put("posts.xml", urlset([(BASE + "posts/7", "2025-12-01")] + posts))
        self.assertEqual(self.check("-f", "github", *gate).out.count("::"), 0)


class Pages(Folder):
    """--sample with --base reads the files of the listed pages."""

    def look(self, *paths, files=()):
        for path, text in files:
            self.put(path, text)
        self.put("sitemap.xml", urlset(BASE + path for path in paths))
        rows = self.check("--json", "--sample", "1000").records()
        self.found = {r["code"]: r for r in rows if r["record"] == "finding"}
        return {r["path"][len(BASE):]: r for r in rows if r["record"] == "page"}

    def test_files(self):
        pages = self.look(
            "", "about/", "plain.html", "plain", "team", "none", "none/", "a%2fb", "x%20y",
            "..%2fsecret", "blog?p=1",
            files=(("index.html", "<html>"), ("about/index.html", "<html>"),
                   ("plain.html", "<html>"), ("team/index.html", "<html>"), ("x y.html", "<html>"),
                   ("blog/index.html", "<html>"), ("../secret.html", "<html>")))
        self.assertEqual({path: page["http_status"] for path, page in pages.items()}, {
            "": 200, "about/": 200, "plain.html": 200, "plain": 200, "team": 200, "none": 404,
            "none/": 404, "a%2Fb": 404, "x%20y": 200, "..%2Fsecret": 404, "blog?p=1": 200})
        failed = self.found["url-fetch-failed"]
        self.assertEqual(failed["count"], 4)
        self.assertIn({"path": BASE + "sitemap.xml", "line": 8, "entry": 6, "loc": BASE + "none",
                       "text": BASE + "none: no such file below the folder",
                       "meant": None, "new": None}, failed["samples"])

    def test_content(self):
        pages = self.look("a", "b", "c", files=(
            ("a.html", "<html><head><meta name=robots content=noindex>"),
            ("b.html", "<html><head><link rel=canonical href='/a'>"),
            ("c.html", "<html><head><link rel=canonical href='%sc'>" % BASE)))
        self.assertEqual({path: page["codes"] for path, page in pages.items()},
                         {"a": ["url-noindex"], "b": ["url-not-canonical"], "c": []})

    def test_a_long_page(self):
        pages = self.look("a", files=(("a.html", "<html>" + " " * (600 << 10)),))
        self.assertEqual((pages["a"]["outcome"], pages["a"]["noindex"]), ("answered", None))

    def test_links(self):
        """No symbolic link leads out of the folder."""
        self.put("../secret.html", "<html>")
        for name, to in (("a", "../secret.html"), ("b", "../nothing.html"), ("c", "/etc/passwd"),
                         ("d", "/nowhere/x"), ("e", os.path.join(self.folder, "z.html"))):
            os.symlink(to, os.path.join(self.folder, name + ".html"))
        pages = self.look(*(name + ".html" for name in "abcde"), files=(("z.html", "<html>"),))
        # what there is outside cannot be told from what is not there
        self.assertEqual({pages[name + ".html"]["detail"] for name in "abcd"},
                         {"status 404: a link that leads out of the folder"})
        self.assertEqual((pages["a.html"]["http_status"], pages["e.html"]["http_status"]), (404, 200))

    def test_without_a_base(self):
        self.put("sitemap.xml", urlset([BASE]))
        result = self.program.run("check", "--sample", "3",
                                  os.path.join(self.folder, "sitemap.xml"))
        self.assertEqual(result.status, 2)
        self.assertIn("--base must say where it will be", result.err)


class Words(Folder):
    """Messages for users who make a mistake."""

    def run_check(self, *args, status=2, **kwargs):
        result = self.program.run("check", "--progress", "off", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def test_options(self):
        """An option of another command is not suggested."""
        self.assertIn("did you mean '--sample'", self.run_check("--smaple").err)
        self.assertNotIn("--for'", self.run_check("--foo").err)

    def test_base(self):
        self.assertIn("'--base www.shop.example' needs https:// or http:// in front",
                      self.run_check("--base", "www.shop.example", self.folder).err)

    def test_a_sitemap_on_stdin(self):
        result = self.run_check("-", input=urlset([BASE]))
        self.assertEqual(len(result.err.splitlines()), 1, str(result))
        self.assertIn("is XML: a list has targets", result.err)

    def test_a_password(self):
        self.put("sitemap.xml", urlset(["https://me:hunter2@www.shop.example/x"]))
        for form in ("text", "json", "github", "markdown", "html", "junit", "sarif"):
            self.assertNotIn("hunter2", self.check("-f", form, status=1).out, form)

    def test_a_file_that_is_not_gzipped(self):
        """In a folder this is a fault of the build."""
        self.put("sitemap_index.xml", index([BASE + "a.xml.gz"]))
        self.put("a.xml.gz", urlset([BASE]))
        self.check()
        self.check("--fail-on", "warning", status=1)

    def test_title(self):
        """The heading names the site, not the folder."""
        self.put("sitemap.xml", urlset([BASE]))
        self.assertIn("<title>%s: " % BASE, self.check("-f", "html").out)

    def test_size_near_the_limit(self):
        text = urlset([BASE]).replace("</urlset>", "")
        end = "</urlset>\n"
        limit = "52,428,800 bytes"
        for size, says, of in ((52428801, "over " + limit, limit),
                               (52428800, limit, limit),
                               (1000000, "1.0 MB", "52.4 MB")):
            self.put("sitemap.xml", text + " " * (size - len(text) - len(end)) + end)
            status = 1 if size > 52428800 else 0
            self.assertIn("%s (limit %s)" % (says, of), self.check(status=status).out)
            # a page says the limit once, and at a size only where it is near
            near = "<br> <[^>]*>limit %s<" % of if of == limit else "</span></td>"
            self.assertRegex(self.check("-f", "html", status=status).out,
                             '"size"><span>%s%s' % (says, near))
