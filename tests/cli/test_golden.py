"""The exact output for people, with times, sizes, ports and paths masked. The
files in golden/ were read and approved. FRESHET_GOLDEN=write writes them anew:
read the difference before you commit it."""
import json
import os
import re
import unittest

from case import TOP, Case, gz, index, urlset

GOLDEN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "golden")


class Golden(Case):
    def mask(self, text):
        text = text.replace(self.program.folder, "FOLDER")
        if hasattr(self, "server"):
            text = text.replace(":%d" % self.server.port, ":PORT")
        for pattern, name in (
                # times of the run, not the dates that the site gives
                (r"(?!2025-12-31)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
                (r"\d{4}-\d\d-\d\d \d\d:\d\d(?=  http)", "MOMENT"),
                (r"\bin (\d+:\d\d|[\d.]+ s)(?=,)", "in DURATION"),
                (r"[\d,.]+ ?([kM]?B|bytes)\b", "SIZE"),
                # readings are numbered in the order of their commits
                (r"(?m)^(http[^,]*),\d+,", r"\1,READING,"),
                (r"\bfreshet \d[\w.+-]*", "freshet VERSION")):
            text = re.sub(pattern, name, text)
        return text

    def judge(self, name, result, status=0):
        self.assertEqual(result.status, status, str(result))
        text = result.out if name.startswith("help") else self.mask(result.out)
        if result.err:
            text += "--- stderr ---\n" + self.mask(result.err)
        path = os.path.join(GOLDEN, name + ".txt")
        if os.environ.get("FRESHET_GOLDEN") == "write":
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(text, f.read(), "%s differs" % path)

    def small_site(self):
        """An index with five children: a good one, a gzipped one, one with
        entries of other places, and one that is missing."""
        self.server = self.site()
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow: /private/\nSitemap: %s\n"
                        % url("/sitemap_index.xml"))
        self.server.put("/sitemap_index.xml", index([
            (url("/posts.xml"), "2026-01-03"), (url("/shop.xml.gz"), "2026-01-02"),
            (url("/strays.xml"), "2026-01-01"), url("/missing.xml"),
            url("/private/s.xml")]))
        self.server.put("/posts.xml", urlset([(url("/blog/b"), "2026-01-01"),
                                              (url("/blog/a"), "2025-12-31T10:00:00+02:00"),
                                              url("/about")]))
        self.server.put("/shop.xml.gz", gz(urlset([url("/shop/%d" % n) for n in range(4)])))
        self.server.put("/strays.xml", urlset([url("/ok"), "http://other.example/x",
                                               "/relative"]))
        return self.server.url("/")

    def test_help(self):
        self.judge("help", self.program.run("help"))
        self.assertEqual(self.program.run("--help").out, self.program.run("help").out)
        self.assertEqual(self.program.run("-h").status, 0)

    def test_help_of_commands(self):
        commands = {c["name"]: c["options"] for c in self.program.run("help", "--json").records()}
        self.assertIn("crawl", commands)
        for command, options in commands.items():
            with self.subTest(command=command):
                help_of = self.program.run("help", command)
                self.judge("help-" + command, help_of)
                self.assertEqual([o["name"] for o in options if o["type"] == "option" and
                                  " --" + o["name"] not in help_of.out], [])
                self.assertEqual([l for l in help_of.out.splitlines() if len(l) > 80], [])
                self.assertEqual(self.program.run(command, "--help").out,
                                 self.program.run("help", command).out)

    def test_help_of_the_configuration(self):
        """The keys themselves change with the options: see test_config."""
        result = self.program.run("help", "config")
        result.out = result.out[:result.out.index("\nKeys:\n")]
        self.judge("help-config", result)

    def test_help_of_a_key(self):
        for key, line in (("sign", "sign = challenge|always|never"), ("newer", "newer = WHEN ..."),
                          ("dir-rule", "dir_rule = enforce|warn")):
            self.assertIn("\n  %s\n" % line, self.program.run("help", key).out)
            record, = self.program.run("help", key, "--json").records()
            self.assertEqual(record["name"], line.split()[0])

    def test_help_of_the_switches(self):
        self.judge("help-switches", self.program.run("help", "switches"))
        records = self.program.run("help", "switches", "--json").records()
        text = self.program.run("help", "switches").out
        self.assertGreater(len(records), 20)
        for record in records:
            self.assertEqual((record["type"], record["v"]), ("switch", 1))
            self.assertIn("\n  %s = " % record["name"], text)
            for value in record["profiles"].values():
                self.assertIn(value, record["choices"] or [value])

    def test_help_of_a_code(self):
        """The help has what the documents say of the code: rule, sources, an
        example before and after."""
        text = self.program.run("help", "outside-directory").out
        for line in ("  rule    R-58 R-60; see 'freshet help R-58'",
                     "          https://www.sitemaps.org/protocol.html#location",
                     "    -- /maps/index.xml --", "  And without:"):
            self.assertIn(line + "\n", text)
        record, = self.program.run("help", "outside-directory", "--json").records()
        self.assertIn("/maps/index.xml", record["before"])
        self.assertNotIn("/maps/index.xml", record["after"])
        self.assertEqual(record["sources"][0]["url"],
                         "https://www.sitemaps.org/protocol.html#location")

    def test_help_of_a_rule(self):
        """The text of the specification is printed, for every rule that a
        diagnostic names."""
        with open(os.path.join(TOP, "docs", "internals", "SPEC.md"), encoding="utf-8") as f:
            line = next(line for line in f if line.startswith("R-58:"))
        text = self.program.run("help", "r-58").out
        self.assertEqual(" ".join(text.split("\n", 1)[1].split()), line[len("R-58: "):].strip())
        self.assertTrue(text.startswith("R-58  (SPEC, section 6. "), text)
        record, = self.program.run("help", "R-58", "--json").records()
        self.assertEqual((record["type"], record["rule"]), ("rule", "R-58"))
        named = {r["rule"].split()[0] for r in self.program.run(
            "help", "diagnostics", "--json").records()}
        for rule in sorted(named):
            with self.subTest(rule=rule):
                self.assertEqual(self.program.run("help", rule).status, 0)
        self.assertEqual(self.program.run("help", "R-999").status, 2)

    def test_help_of_nothing(self):
        result = self.program.run("help", "crwal")
        self.assertEqual(result.status, 2)
        self.assertIn("crawl", result.err)

    def test_version(self):
        self.judge("version", self.program.run("version"))
        record = json.loads(self.program.run("version", "--json").out)
        self.assertEqual(record["v"], 1)
        self.assertRegex(record["version"], r"^\d+\.\d+\.\d+")

    def test_crawl(self):
        self.judge("crawl", self.program.run("crawl", "--progress", "off", self.small_site()),
                   status=1)

    def test_ls(self):
        target = self.small_site()
        self.crawl(target, status=1)
        self.judge("ls", self.program.run("ls"))
        for view in ("--urls", "--sitemaps", "--tree"):
            self.judge("ls" + view, self.program.run("ls", view))
            self.judge("ls%s-long" % view, self.program.run("ls", view, "-l"))
        for record in self.program.run("ls", "--json").records():
            self.assertEqual(record["v"], 1)

    def test_ls_of_one_site(self):
        self.crawl(self.small_site(), status=1)
        self.assertEqual(len(self.program.run("ls", "127.0.0.1").out.split()), 9)

    def test_db_info(self):
        self.crawl(self.small_site(), status=1)
        self.judge("db-info", self.program.run("db", "info"))
        record = json.loads(self.program.run("db", "info", "--json").out)
        self.assertEqual(record["v"], 1)

    def test_export(self):
        self.crawl(self.small_site(), status=1)
        for form in ("csv", "tsv", "jsonl", "urls", "sitemap"):
            self.judge("export-" + form, self.program.run("export", "-f", form))
        self.judge("export-columns", self.program.run("export", "--columns", "lastmod,loc"))
        url = self.server.url
        self.server.put("/posts.xml", urlset([(url("/blog/b"), "2026-01-04"),
                                              (url("/blog/c"), "2025-12-31T10:00:00+02:00"),
                                              url("/about")]))
        self.crawl(url("/"), status=1)
        self.judge("export-changes", self.program.run("export", "--changes", "-f", "csv"))

    def test_colour(self):
        """There is no colour unless an option asks for it, with NO_COLOR or
        without."""
        target = self.small_site()
        plain = self.program.run("crawl", "--progress", "off", target)
        self.assertNotIn("\x1b", plain.out + plain.err)
        never = self.program.run("ls", "-l", "--color", "never")
        self.assertNotIn("\x1b", never.out)

    def test_progress_json(self):
        result = self.program.run("crawl", "--progress", "json", self.small_site())
        self.assertEqual(result.status, 1)
        for line in result.err.splitlines():
            if line.startswith("{"):
                self.assertIsInstance(json.loads(line), dict)

    def test_quiet(self):
        result = self.program.run("crawl", "-q", self.small_site())
        self.assertEqual((result.status, result.out), (1, ""), str(result))


if __name__ == "__main__":
    unittest.main()
