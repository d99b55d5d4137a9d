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
        """One run; each report says the same."""
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
        """A link stays a link, a mode stays, and what is no file is written as it is."""
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
    """A finding names its line, its entry, the page, and the other occurrence."""

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
        """What is found before the loc is read gets it; what follows the entries has none."""
        self.put("sitemap.xml", urlset([BASE + "1"]).replace(
            "<url>", "<url><odd/>", 1) + "<url><odd/>")
        found = self.records()
        self.assertEqual(found["unknown-tag"], [(3, 1, BASE + "1", "odd")])
        self.assertEqual([f[1:3] for f in found["parse-error"]], [(None, None)])

    def test_formats(self):
        """Each format says entry and page; annotations stand where the mistake is."""
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
