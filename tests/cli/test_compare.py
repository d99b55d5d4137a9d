"""freshet compare: the same bytes under strict, google and lenient."""
import os
import unittest

from case import Case, gz, index, urlset
from late import assert_sooner
from program import interrupt

STRICT, GOOGLE, LENIENT = "strict", "google", "lenient"


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.url = self.server.url
        self.server.put("/robots.txt", "")

    def compare(self, *args, status=1, **kwargs):
        """Returns the differences as (what, in, codes, count), and the summary."""
        result = self.program.run("compare", "--json", "--progress", "off", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        records = result.records()
        for record in records:
            self.assertEqual(record["v"], 1)
        self.result = result
        self.records = [r for r in records if r["type"] == "difference"]
        return (sorted(((r["what"], r["in"], r["codes"], r["count"]) for r in self.records), key=str),
                next((r for r in records if r["type"] == "summary"), None))

    def one(self, body, *args, status=1, path="/s/map.xml", **kwargs):
        """Compare one sitemap."""
        self.server.put(path, body, **kwargs)
        differences, self.summary = self.compare(self.url(path), *args, status=status)
        return differences

    def of_each(self, what):
        """What the summary says of strict, google and lenient."""
        return [self.summary["profiles"][p][what] for p in (STRICT, GOOGLE, LENIENT)]

    def test_same(self):
        differences = self.one(gz(urlset([(self.url("/s/a"), "2026-01-02"), self.url("/s/b")])),
                               status=0)
        self.assertEqual(differences, [])
        self.assertEqual(self.of_each("urls"), [2, 2, 2])
        self.assertEqual(self.summary["profiles"][STRICT], {"documents": 1, "urls": 2, "dated": 1})
        self.assertEqual(len(self.server.asked("/s/map.xml")), 1, "fetched once")

    def test_location(self):
        differences = self.one(urlset([self.url("/s/a"), self.url("/b"), "http://other.example/c"]))
        self.assertEqual(differences, [
            ("url", [LENIENT], {STRICT: "outside-directory", GOOGLE: "outside-directory"}, 1)])
        self.assertEqual(self.records[0]["samples"], [self.url("/b")])
        self.assertEqual(self.of_each("urls"), [1, 1, 2])

    def test_line_of_a_megabyte(self):
        """--all names every URL of a difference, however long the line becomes."""
        urls = [self.url("/b/%d/%s" % (i, "x" * 1000)) for i in range(3000)]
        self.one(urlset(urls), "--all")
        self.assertEqual(sorted(self.records[0]["samples"]), sorted(urls))

    def test_proof(self):
        """A Sitemap line lifts the directory rule, but not under strict."""
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.url("/s/map.xml"))
        self.assertEqual(self.one(urlset([self.url("/b")])), [
            ("url", [GOOGLE, LENIENT], {STRICT: "outside-directory"}, 1)])

    def test_ownership(self):
        self.assertEqual(
            self.one(urlset(["http://other.example/c"]), "--own", "http://other.example/",
                     "--own", self.url("/s/")),
            [("url", [GOOGLE, LENIENT], {STRICT: "host-mismatch"}, 1)])

    def test_configured_profile(self):
        """The profile of the configuration decides nothing here."""
        with open(os.path.join(self.program.folder, "c"), "w", encoding="utf-8") as f:
            f.write("[defaults]\nprofile = strict\n[site 127.0.0.1]\nprofile = strict\n")
        self.assertEqual(
            self.one(urlset([self.url("/b")]), "--config", "c"),
            [("url", [LENIENT], {STRICT: "outside-directory", GOOGLE: "outside-directory"}, 1)])

    def test_values(self):
        """The words of a URL have no rule that the list could name."""
        self.one(urlset(["/s/relative", self.url("/s/%zz"), self.url("/s/" + "x" * 2100)]))
        self.assertEqual({(url.replace(self.server.origin, "")[:8], tuple(sorted(d["codes"].items())))
                          for d in self.records for url in d["samples"]}, {
            ("/s/relat", ((GOOGLE, None), (STRICT, None))),
            ("/s/%25zz", ((STRICT, None),)),
            ("/s/xxxxx", ((GOOGLE, None), (STRICT, None)))})

    def test_many_values(self):
        """All are counted, three are named."""
        body = urlset(["/s/%d" % n for n in range(20)])
        self.assertEqual(self.one(body), [
            ("url", [LENIENT], {STRICT: None, GOOGLE: None}, 20)])
        self.assertEqual(len(self.records[0]["samples"]), 3)
        self.one(body, "--all")
        self.assertEqual(len(self.records[0]["samples"]), 20)

    def test_dates(self):
        for text, dated in (("2026-01-02T10:00:00", [0, 1, 1]), ("2026-01-02Z", [0, 1, 1]),
                            ("20260102", [0, 0, 1]), ("2026-01-02 10:00:00Z", [0, 0, 1])):
            with self.subTest(text=text):
                difference, = self.one(urlset([(self.url("/s/a"), text)]))
                self.assertEqual(self.of_each("dated"), dated)
                self.assertEqual((difference[0], set(difference[2].values()), difference[3]),
                                 ("lastmod", {None}, 1))

    def test_width_of_a_terminal(self):
        """The lines are as wide as the terminal, and whole in a pipe."""
        long = "long/" * 30
        self.server.put("/s/map.xml?" + long, urlset([self.url("/" + long)]))
        args = ["compare", self.url("/s/map.xml?" + long)]
        self.assertFitsTerminal(*args)
        self.assertIn("\n  %s\n" % self.url("/" + long), self.program.run(*args).out)

    def test_broken(self):
        self.assertEqual(self.one(urlset([self.url("/s/a")]).replace("</urlset>", "<bad>")), [
            ("document", [GOOGLE, LENIENT], {STRICT: "parse-error"}, 1),
            ("url", [GOOGLE, LENIENT], {STRICT: "parse-error"}, 1)])
        self.assertEqual(self.of_each("documents"), [0, 1, 1])

    def test_limit(self):
        locs = [self.url("/s/%d" % n) for n in range(50003)]
        self.assertEqual(self.one(gz(urlset(locs))), [
            ("document", [GOOGLE, LENIENT], {STRICT: "too-many-urls"}, 1),
            ("url", [GOOGLE, LENIENT], {STRICT: "too-many-urls"}, 50000),
            ("url", [LENIENT], {STRICT: "too-many-urls", GOOGLE: None}, 3)])
        self.assertEqual(self.of_each("urls"), [0, 50000, 50003])

    def test_children(self):
        """A child that an index may not list differs in the index; it is read
        all the same."""
        self.server.put("/m/index.xml", index([
            self.url("/m/a.xml"), self.url("/o/b.xml"), self.url("/m/nested.xml"),
            self.url("/m/lost.xml")]))
        self.server.put("/m/a.xml", urlset([self.url("/m/1")]))
        self.server.put("/o/b.xml", urlset([self.url("/o/1"), self.url("/o/2")]))
        self.server.put("/m/nested.xml", index([self.url("/m/deep.xml")]))
        self.server.put("/m/deep.xml", urlset([self.url("/m/deep")]))
        differences, self.summary = self.compare(self.url("/m/index.xml"))
        outside = {STRICT: "outside-directory", GOOGLE: "outside-directory"}
        nested = {STRICT: "nested-index", GOOGLE: "nested-index"}
        self.assertEqual(differences, [
            ("document", [LENIENT], nested, 1), ("url", [LENIENT], nested, 1),
            ("url", [LENIENT], outside, 1)])
        self.assertEqual({name.replace(self.server.origin, "") for r in self.records
                          if r["what"] == "document" for name in r["samples"]},
                         {"/m/nested.xml"})
        self.assertEqual((self.summary["documents"], self.summary["lost"]), (5, 1))
        self.assertEqual(self.of_each("documents"), [4, 4, 5])
        self.assertEqual(self.of_each("urls"), [4, 4, 4])
        self.assertIn("/m/lost.xml: fetch-not-found", self.result.err)

    def test_text(self):
        self.server.put("/s/map.xml", urlset([self.url("/s/a"), (self.url("/b"), "20260102"),
                                              (self.url("/s/c"), "2026-01-02Z")]))
        result = self.program.run("compare", "--progress", "off", self.url("/s/map.xml"))
        self.assertEqual((result.status, result.err), (1, ""), str(result))
        lines = result.out.replace(self.server.origin, "").splitlines()
        self.assertEqual(lines, [
            "1 URL only in lenient",
            "  strict: outside-directory (R-58 R-60)",
            "  google: outside-directory (R-58 R-60)",
            "  /b",
            "1 lastmod only in google, lenient",
            "  /s/c",
            "the profiles differ; compared: 1 document",
            "  strict             2 URLs,           0 with lastmod",
            "  google             2 URLs,           1 with lastmod",
            "  lenient            3 URLs,           2 with lastmod"])

    def test_readers_and_leftovers(self):
        """Without reader processes the result is the same; no file is left, and
        no store is touched."""
        body = urlset([self.url("/s/a"), self.url("/b")])
        differences = self.one(body)
        self.assertEqual(len(differences), 1)
        self.assertEqual(self.one(body, "--readers", "0"), differences)
        self.assertEqual(os.listdir(self.program.folder), [])

    def test_nothing(self):
        self.compare(self.url("/none.xml"), status=4)
        result = self.program.run("compare", self.url("/none.xml"))
        self.assertEqual(result.out, "nothing was read; could not be fetched: 1\n", str(result))
        for args in ((), ("mailto:x",), ("--profile", "strict", self.url("/"))):
            result = self.program.run("compare", *args)
            self.assertEqual((result.status, result.out), (2, ""), str(result))

    def test_interrupted(self):
        self.server.put("/s/map.xml", urlset([]), delay=5)
        process = self.program.start("compare", self.url("/s/map.xml"))
        self.server.wait_for("/s/map.xml")
        status, _, _, seconds = interrupt(process)
        self.assertEqual(status, 130)
        assert_sooner(seconds, 4)
        self.assertEqual(os.listdir(self.program.folder), [])

    def put_file(self, name, text):
        path = os.path.join(self.program.folder, "public", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_files_as_published(self):
        site = "https://www.example.org/"
        self.put_file("robots.txt", "")
        self.put_file("sitemap.xml", index([site + "s/a.xml", site + "none.xml"]))
        self.put_file("s/a.xml", urlset([site + "s/1", site + "b", "http://other.example/c"]))
        differences, summary = self.compare("--base", site, os.path.join(
            self.program.folder, "public"))
        self.assertEqual(differences, [
            ("url", [LENIENT], {STRICT: "outside-directory", GOOGLE: "outside-directory"}, 1)])
        self.assertEqual((summary["documents"], summary["lost"]), (2, 1))

    def test_files_without_urls(self):
        """There are no location rules, but the spelling of URLs still makes
        differences."""
        path = self.put_file("a.xml", urlset(["http://a.example/1", "https://b.example/2",
                                         ("http://a.example/3", "2025-01-01T10:00:00")]))
        differences, self.summary = self.compare(path)
        self.assertEqual(differences, [
            ("lastmod", [GOOGLE, LENIENT], {STRICT: None}, 1)])
        self.assertEqual(self.of_each("urls"), [3, 3, 3])
        result = self.program.run("compare", path)
        self.assertIn("\n  google             3 URLs,           1 with lastmod\n", result.out)
        self.assertIn("have no URL", result.err)
        self.assertEqual(self.program.run("compare", "-q", path).err, "")
        self.put_file("a.xml", urlset(["http://a.example/1"]).replace("</urlset>", "<bad>"))
        self.compare(path)
        self.assertEqual(self.records[0]["samples"] + self.records[1]["samples"],
                         ["http://a.example/1", path])

    def test_files_ask_nobody(self):
        """lenient would follow an index to other hosts, but local files lead to
        no request."""
        server = self.site()
        other = "http://cdn.shop.test"
        server.put("cdn.shop.test/b.xml", urlset([other + "/1"]))
        for name, text in (("sitemap.xml", index([other + "/b.xml", other + "/c.xml",
                                                  "https://www.shop.test/a.xml"])),
                           ("a.xml", urlset(["https://www.shop.test/1"]))):
            with open(os.path.join(self.program.folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        args = ("--base", "https://www.shop.test/", "--connect-to",
                "::127.0.0.1:%d" % server.port)
        for command in (["compare"], ["check", "--profile", "lenient"]):
            with self.subTest(command=command):
                result = self.program.run(*command, *args, "sitemap.xml")
                self.assertEqual(server.requests, [])
                self.assertEqual(result.err.count("nobody is asked for it"), 1, str(result))
                self.assertIn("freshet: %s/" % other, result.err)
        self.assertEqual(result.status, 0, str(result))
        self.assertIn("  1 sitemap   1 success   2 entries not read\n", result.out)
        # who is named is asked
        result = self.program.run("check", "--profile", "lenient", *args, "sitemap.xml",
                                  other + "/b.xml")
        self.assertNotIn("nobody", result.err)
        self.assertIn("/b.xml", server.targets())

    def test_files_not_there(self):
        result = self.program.run("compare", "--base", "http://a.example/", "nothing.xml")
        self.assertEqual((result.status, result.err), (
            2, "freshet: 'nothing.xml' is not there: no such file; if it is a host or a URL, "
            "write https:// in front of it\n"))
        self.assertEqual(self.program.run("compare", self.program.folder).status, 2)


if __name__ == "__main__":
    unittest.main()
