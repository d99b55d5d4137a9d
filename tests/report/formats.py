#!/usr/bin/env python3
"""Read reports of each format again, with parsers that are not ours.

    tests/report/formats.py REPORT-SAMPLE [unittest's options]

golden/NAME.FORMAT is what was looked at and found good; FRESHET_GOLDEN=write
writes it anew: read the difference before committing.

FRESHET_SEEDS         how many random reports are read (100)
FRESHET_SARIF_SCHEMA  the JSON schema of SARIF 2.1.0, to validate by as well
"""
import base64
import functools
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

from page import Page

GOLDEN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "golden")
FORMATS = ("text", "json", "junit", "github", "sarif", "html", "markdown")
SEEDS = range(int(os.environ.get("FRESHET_SEEDS", "100")))


@functools.lru_cache(None)
def sample(name, form, *args):
    done = subprocess.run([SAMPLE, str(name), form, *args], capture_output=True, timeout=600)
    if done.returncode != 0 or done.stderr:
        raise AssertionError("%s %s: %s %s" % (name, form, done.returncode, done.stderr))
    return done.stdout


def records(name):
    return [json.loads(line) for line in sample(name, "json").decode().splitlines()]


# They ask for nothing, and are one sentence at the end.
ASIDES = ("directory-waived", "accepted-by-ownership", "accepted-by-robots-proof")


class Golden(unittest.TestCase):
    maxDiff = 4000

    def test_golden(self):
        for name in ("site", "well", "none", "local", "unpublished", "pages"):
            for form in FORMATS:
                with self.subTest(name=name, form=form):
                    self.judge(name, form)

    def judge(self, name, form):
        text = sample(name, form).decode()
        text = re.sub(r'(freshet |"freshet","version":")\d+\.\d+\.\d[\w.+-]*', r"\1VERSION", text)
        # where the documents are installed
        text = re.sub(r'"helpUri":"file:///[^"#]*/(?=reference/)', '"helpUri":"file:///DOCUMENTS/', text)
        # the style is a file of its own
        text = re.sub(r"(?s)<style>.*?</style>|sha256-[^']*", "STYLE", text)
        path = os.path.join(GOLDEN, "%s.%s" % (name, form))
        if os.environ.get("FRESHET_GOLDEN") == "write":
            os.makedirs(GOLDEN, exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(text, f.read(), "%s differs" % path)


class Everywhere(unittest.TestCase):
    def test_bytes_are_harmless(self):
        """HOSTILE T23: UTF-8, and nothing that acts on a terminal."""
        bad = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e"
                         "\u2060-\u206f\ufeff\ufffe\uffff\ue000-\uf8ff]")
        for seed in SEEDS:
            for form in FORMATS:
                with self.subTest(seed=seed, form=form):
                    text = sample(seed, form).decode("utf-8")
                    self.assertIsNone(bad.search(text))
                    self.assertTrue(text.endswith("\n"))
                    # what runners of continuous integration look for
                    self.assertNotIn("##", re.sub("[\u034f\ufe00-\ufe0f]", "", text))
                    self.assertEqual([line for line in text.splitlines() if re.match(r"\s*:", line)
                                      and (form != "github" or not re.match(
                                          "::(error|warning|notice)[ :]", line))], [])


class Text(unittest.TestCase):
    def test_width(self):
        for name in ("site", "well", "none", "local", "many", "pages"):
            for width in (60, 65, 70, 80, 100, 160):
                for line in sample(name, "text", str(width)).decode().splitlines():
                    self.assertLessEqual(len(line), width, line)

    def test_whole_in_a_file(self):
        """Without a terminal no URL is cut."""
        path = "/a/rather/long/path/that/goes/on/and/on/until/it/ends.html"
        self.assertNotIn("  %s  200" % path, sample("pages", "text", "80").decode())
        self.assertIn("  %s  200" % path, sample("pages", "text", "160").decode())
        text = sample("pages", "text").decode()
        self.assertIn("  %s  200" % path, text)
        self.assertIn(" https://www.example.org%s\n" % path, text)

    def test_width_of_anything(self):
        """Only the URL of a document of its own is never cut."""
        for seed in SEEDS:
            for line in sample(seed, "text", "80").decode().splitlines():
                if line.startswith("  ") and not line.startswith("   redirected"):
                    self.assertLessEqual(len(line), 80, (seed, line))

    def test_no_line_of_spaces(self):
        """What was seen may end with a space where a line is full."""
        for seed in (32, 95):
            for width in (40, 80):
                self.assertIsNone(re.search(rb"(?m)^ +$", sample(seed, "text", str(width))))

    def test_color(self):
        plain = sample("site", "text")
        colored = sample("site", "text", "color")
        self.assertNotIn(b"\x1b", plain)
        self.assertIn(b"\x1b[31mhas errors\x1b[0m", colored)
        self.assertEqual(re.sub(rb"\x1b\[\d*m", b"", colored), plain)

    def test_a_long_index(self):
        text = sample("many", "text").decode()
        self.assertEqual(len(re.findall(r"(?m)^  /s/\d+\.xml ", text)), 40)
        self.assertIn("  /s/1000.xml ", text)
        self.assertIn("... and 1,260 more, which -f json or html lists", text)


class Json(unittest.TestCase):
    def test_records(self):
        for seed in SEEDS:
            rows = records(seed)
            kinds = [row["record"] for row in rows]
            self.assertEqual(kinds, sorted(kinds, key=("document", "page", "finding",
                                                        "summary").index))
            self.assertEqual(kinds.count("summary"), 1)
            for row in rows:
                self.assertEqual(row["v"], 1)
            documents = [row for row in rows if row["record"] == "document"]
            summary = rows[-1]
            for name in ("errors", "warnings", "infos"):
                self.assertEqual(sum(d[name] for d in documents), summary[name])
            pages = [row for row in rows if row["record"] == "page"]
            self.assertEqual(summary["pages"], len(pages))
            for page in pages:
                self.assertIn(page["sitemap"], [d["path"] for d in documents])
            for group in rows[len(documents) + len(pages):-1]:
                self.assertEqual(group["count"], sum(
                    f["count"] for d in documents for f in d["findings"]
                    if (f["code"], f["severity"]) == (group["code"], group["severity"])))

    def test_names_of_the_api(self):
        rows = {row.get("path"): row for row in records("site") if row["record"] == "document"}
        host = "https://www.example.org"
        index = rows[host + "/sitemap_index.xml.gz"]
        self.assertEqual((index["type"], index["isSitemapsIndex"]), ("sitemap", True))
        self.assertEqual(index["lastDownloaded"], "2026-11-21T00:00:01Z")
        # an index has what its sitemaps have
        self.assertEqual(index["contents"], [{"type": "web", "submitted": 100821}])
        self.assertEqual((rows[host + "/feed.rss"]["type"], rows[host + "/robots.txt"]["type"]),
                         ("rssFeed", "notSitemap"))
        lost = rows[host + "/sitemaps/old.xml.gz"]
        self.assertEqual((lost["type"], lost["lastDownloaded"], lost["contents"]),
                         (None, None, []))
        self.assertEqual((lost["status"], lost["failure"], lost["errors"]),
                         ("couldnt-fetch", "fetch-not-found", 1))


class Junit(unittest.TestCase):
    def test_counts(self):
        """What it says of itself is what is there, and what json says."""
        for seed in list(SEEDS) + ["site", "local", "none", "pages"]:
            root = ElementTree.fromstring(sample(seed, "junit"))
            rows = records(seed)
            documents = [row for row in rows if row["record"] == "document"]
            self.assertEqual([suite.tag for suite in root], ["testsuite"] * len(rows[-1]["targets"]))
            for node in [root] + list(root):
                cases = node.findall(".//testcase")
                self.assertEqual(int(node.get("tests")), len(cases))
                self.assertEqual(int(node.get("failures")),
                                 sum(c.find("failure") is not None for c in cases))
            cases = root.findall(".//testcase")
            self.assertEqual(len(cases), len(documents))
            failed = [c for c in cases if c.find("failure") is not None]
            self.assertEqual(len(failed), sum(d["errors"] > 0 or d["status"] != "success" for d in documents))
            for case in cases:
                self.assertIn([child.tag for child in case],
                              (["failure", "system-out"], ["system-out"]))

    def test_shape(self):
        """No more elements and attributes than the usual schemas have."""
        known = {"testsuites": {"name", "tests", "failures", "errors", "time"},
                 "testsuite": {"name", "tests", "failures", "errors", "skipped", "time",
                               "timestamp"},
                 "testcase": {"name", "classname", "time"},
                 "failure": {"type", "message"}, "system-out": set()}
        for seed in SEEDS:
            for node in ElementTree.fromstring(sample(seed, "junit")).iter():
                self.assertEqual(set(node.keys()), known[node.tag])


class Markdown(unittest.TestCase):
    TAG = re.compile(r'</?code>|<br>|</a>|<a href="(https?&#58;//[^"<>|]*)">')

    def test_nothing_breaks_out(self):
        """What is foreign is letters and references between tags of freshet's own."""
        for seed in list(SEEDS) + ["site", "local", "none", "pages"]:
            lines = sample(seed, "markdown").decode().splitlines()
            for i, line in enumerate(lines):
                text = self.TAG.sub("", line)
                if line.startswith("|"):
                    self.assertNotRegex(text[1:-1], r"[<>`*_\[\]\\!~@]|://|www\.", line)
                elif line != "---":
                    self.assertNotRegex(text, r"[<>\[\]\\~@]|://|www\.|^ *[-+#>]", line)
                for url in self.TAG.findall(line):
                    if url:
                        self.assertRegex(html.unescape(url), "^https?://")
            self.assertEqual(lines[1], "===")

    def test_tables(self):
        """Every row has as many cells as its heading, and says what json says."""
        for seed in list(SEEDS) + ["site", "local", "pages"]:
            tables, cells = [], 0
            for line in sample(seed, "markdown").decode().splitlines():
                if not line.startswith("|"):
                    cells = 0
                    continue
                if cells == 0:
                    tables.append([])
                    cells = line.count("|")
                self.assertEqual(line.count("|"), cells, line)
                tables[-1].append([html.unescape(self.TAG.sub("", cell)).strip()
                                   for cell in line.split("|")[1:-1]])
            groups = [row for row in records(seed) if row["record"] == "finding"
                      and not (row["severity"] == "info" and row["code"] in ASIDES)]
            found = tables[1][2:] if groups else []
            self.assertEqual([(row[0], int(row[2].replace(",", ""))) for row in found],
                             [(g["severity"], g["count"]) for g in groups])
            for row, group in zip(found, groups):
                self.assertEqual(row[1], group["code"] + group["trigger"])
                self.assertEqual(row[4], group["remedy"])


class Github(unittest.TestCase):
    COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:]*,?)+)::(.*)")

    @staticmethod
    def undo(text, special):
        """What the runner does."""
        for c in special:
            text = text.replace("%%%02X" % ord(c), c)
        return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")

    def test_commands(self):
        for seed in list(SEEDS) + ["site", "local", "pages"]:
            groups = [row for row in records(seed) if row["record"] == "finding"]
            lines = sample(seed, "github").decode().splitlines()
            self.assertTrue(lines[-1].startswith("freshet: "))
            matches = []
            for line in lines[:-1]:
                matches.append(self.COMMAND.fullmatch(line))
                self.assertIsNotNone(matches[-1], line)
            # first each code of a severity, then further places of each
            shown = []
            for severity in ("error", "warning", "info"):
                codes = [g for g in groups if g["severity"] == severity]
                more = sum(max(0, len(g["samples"]) - 1) for g in codes)
                shown.append(max(len(codes), min(10, len(codes) + more)))
            self.assertEqual([sum(m.group(1) == name for m in matches)
                              for name in ("error", "warning", "notice")], shown)
            first = {}
            for match in matches:
                first.setdefault((match.group(1), re.search("title=freshet%3A ([a-z0-9-]+)",
                                                            match.group(2)).group(1)), match)
            for group in groups:
                severity = {"info": "notice"}.get(group["severity"], group["severity"])
                match = first[severity, group["code"]]
                line = match.group(0)
                properties = dict(p.split("=", 1) for p in match.group(2).split(","))
                self.assertEqual(self.undo(properties["title"], ":,"),
                                 "freshet: " + group["code"])
                self.assertLessEqual(set(properties), {"file", "line", "title"})
                for value in properties.values():
                    self.assertIsNone(re.search(r"%(?!25|3A|2C)", value), value)
                self.assertIsNone(re.search(r"%(?!25|0A)", match.group(3)), line)
                said = self.undo(match.group(3), "").split("\n")
                self.assertEqual(len(said), len(group["samples"]) + 2)
                self.assertEqual(said[-1], "remedy: " + group["remedy"])

    def test_place(self):
        first = sample("local", "github").decode().splitlines()[0]
        self.assertTrue(first.startswith(
            "::error file=/srv/web/#1/a%3Ab.xml,line=7,title=freshet%3A outside-directory::"),
            first)
        self.assertIn("https://www.example.org/50%25\\x0a::error::x%0Aremedy: ", first)

    def test_file_of_the_repository(self):
        """An annotation stands where the file is, whatever URL it will have."""
        first = sample("unpublished", "github").decode().splitlines()[0]
        self.assertTrue(first.startswith("::error file=public/blog/s.xml.gz,line=7,"), first)
        self.assertIn("%0A/blog/s.xml.gz line 7: https://www.example.org/about%0A", first)
        log = json.loads(sample("unpublished", "sarif"))
        self.assertEqual([a["location"]["uri"] for a in log["runs"][0]["artifacts"]],
                         ["public/sitemap.xml", "public/blog/s.xml.gz"])


class Sarif(unittest.TestCase):
    # what the schema says of the objects that we write: required, optional
    SHAPES = {
        "log": ({"version", "runs"}, {"$schema"}),
        "run": ({"tool"}, {"invocations", "artifacts", "results", "columnKind", "properties"}),
        "driver": ({"name"}, {"version", "rules"}),
        "rule": ({"id"}, {"shortDescription", "help", "helpUri", "defaultConfiguration",
                          "properties"}),
        "invocation": ({"executionSuccessful"}, {"exitCode", "startTimeUtc", "endTimeUtc"}),
        "artifact": (set(), {"location", "length"}),
        "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations",
                                 "relatedLocations", "occurrenceCount", "baselineState"}),
        "location": (set(), {"id", "physicalLocation", "message"}),
        "physicalLocation": ({"artifactLocation"}, {"region"}),
        "artifactLocation": (set(), {"uri", "index"}),
        "region": ({"startLine"}, set()),
        "message": ({"text"}, set()),
    }
    LEVELS = ("none", "note", "warning", "error")
    URI = re.compile(r"(?:[!$&'()*+,;=\-._~:/?#@A-Za-z0-9\[\]]|%[0-9A-Fa-f]{2})*")

    def shape(self, value, name):
        required, optional = self.SHAPES[name]
        self.assertLessEqual(required, set(value), name)
        self.assertLessEqual(set(value), required | optional, name)
        return value

    def location(self, value, artifacts):
        self.shape(value, "location")
        place = self.shape(value["physicalLocation"], "physicalLocation")
        where = self.shape(place["artifactLocation"], "artifactLocation")
        self.assertEqual(artifacts[where["index"]]["location"]["uri"], where["uri"])
        if "region" in place:
            self.assertGreaterEqual(self.shape(place["region"], "region")["startLine"], 1)
        if "message" in value:
            self.shape(value["message"], "message")

    def judge(self, log):
        self.shape(log, "log")
        self.assertEqual(log["version"], "2.1.0")
        self.assertEqual(len(log["runs"]), 1)
        run = self.shape(log["runs"][0], "run")
        driver = self.shape(run["tool"]["driver"], "driver")
        for rule in driver["rules"]:
            self.shape(rule, "rule")
            self.assertIn(rule["defaultConfiguration"]["level"], self.LEVELS)
            self.shape(rule["shortDescription"], "message")
            self.shape(rule["help"], "message")
            self.assertRegex(rule["helpUri"], "^file:///.*/reference/diagnostics.md#%s$" % rule["id"])
        self.assertEqual(len(set(r["id"] for r in driver["rules"])), len(driver["rules"]))
        for invocation in run["invocations"]:
            self.shape(invocation, "invocation")
            for name in ("startTimeUtc", "endTimeUtc"):
                self.assertRegex(invocation[name], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for artifact in run["artifacts"]:
            self.shape(artifact, "artifact")
            self.assertRegex(artifact["location"]["uri"], "^%s$" % self.URI.pattern)
        for result in run["results"]:
            self.shape(result, "result")
            self.shape(result["message"], "message")
            self.assertIn(result["level"], self.LEVELS)
            self.assertGreaterEqual(result["occurrenceCount"], 1)
            self.assertEqual(driver["rules"][result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(len(result["locations"]), 1)
            for value in result["locations"] + result.get("relatedLocations", []):
                self.location(value, run["artifacts"])
            related = [json.dumps(value) for value in result.get("relatedLocations", [])]
            self.assertEqual(len(set(related)), len(related))
        return run

    def test_shape(self):
        for seed in list(SEEDS) + ["site", "well", "none", "local"]:
            run = self.judge(json.loads(sample(seed, "sarif")))
            found = [(d["path"], f["code"], f["count"], len(f["samples"]))
                     for d in records(seed) if d["record"] == "document"
                     for f in d["findings"]]
            self.assertEqual(len(run["results"]), len(found))
            for result, (_, code, count, samples) in zip(run["results"], found):
                self.assertEqual((result["ruleId"], result["occurrenceCount"]), (code, count))
                self.assertEqual(len(result.get("relatedLocations", [])), max(samples - 1, 0))

    def test_schema(self):
        path = os.environ.get("FRESHET_SARIF_SCHEMA")
        if not path:
            self.skipTest("FRESHET_SARIF_SCHEMA names no schema")
        import jsonschema
        with open(path, encoding="utf-8") as f:
            validator = jsonschema.Draft7Validator(json.load(f))
        for seed in list(SEEDS) + ["site", "well", "none", "local", "pages"]:
            validator.validate(json.loads(sample(seed, "sarif")))

    def test_places(self):
        log = json.loads(sample("local", "sarif"))
        self.assertEqual([a["location"]["uri"] for a in log["runs"][0]["artifacts"]],
                         ["public/sitemap,%20index%20100%25.xml",
                          "file:///srv/web/%231/a%3Ab.xml"])
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["region"], {"startLine": 7})
        site = json.loads(sample("site", "sarif"))["runs"][0]
        self.assertEqual((site["invocations"][0]["exitCode"],
                          site["invocations"][0]["executionSuccessful"]), (1, True))


class Html(unittest.TestCase):
    def test_data_is_never_markup(self):
        for seed in list(SEEDS) + ["site", "well", "none", "local", "pages"]:
            page = Page(sample(seed, "html").decode())
            self.assertEqual(page.faults, [], seed)
            text = re.sub(r"\s+", " ", page.text)
            for row in records(seed):
                if row["record"] == "finding":
                    self.assertRegex(text, re.escape(row["code"]) + "[ ,]")

    def test_policy(self):
        text = sample("site", "html").decode()
        style = re.search(r"(?s)<style>(.*?)</style>", text).group(1)
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.assertIn("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; "
                      "form-action 'none'" % digest, text,
                      "REPORT_HTML_STYLE_HASH is not that of the style")
        self.assertLess(text.index("Content-Security-Policy"), text.index("<title>"))
        self.assertNotRegex(style, r"url\(|@import|expression")

    def test_looks(self):
        """Phone and desktop, dark and light: what looks depend on is there."""
        text = sample("site", "html").decode()
        for part in ('name="viewport" content="width=device-width, initial-scale=1"',
                     "prefers-color-scheme:dark", "color-scheme:light dark",
                     "@media(max-width:"):
            self.assertIn(part, text)

    @staticmethod
    def order(text, name, key):
        """The items of a section, in the order of the ranks of a key: "abc", "def", "ghi"."""
        section = re.search('(?s)<section id="%s">.*?</section>' % name, text).group(0)
        ranks = {}
        for classes, item in re.findall(
                r'(?s)<(?:details|tr) class="([^"]*\bitem\b[^"]*)".*?<(?:code|a [^>]*)>(.*?)</',
                section):
            digits = [re.search(r"\b%s(\d)\b" % letter, classes) for letter in key]
            rank = int("".join(d.group(1) if d else "0" for d in digits))
            assert rank not in ranks, rank
            ranks[rank] = item
        return [ranks[rank] for rank in range(len(ranks))]

    def test_orders(self):
        text = sample("site", "html").decode()
        groups = [row for row in records("site") if row["record"] == "finding"]
        self.assertEqual(self.order(text, "found", "abc"), [g["code"] for g in sorted(
            groups, key=lambda g: (-g["count"], ("error", "warning", "info").index(g["severity"]),
                                   groups.index(g)))])
        self.assertEqual(self.order(text, "found", "def"), sorted(g["code"] for g in groups))
        rows = [row for row in records("site") if row["record"] == "document"]
        paths = [row["path"].replace("https://www.example.org", "") for row in rows]
        self.assertEqual(self.order(text, "documents", "abc"), sorted(paths))
        seen = dict(zip(paths, [row["seen"] for row in rows]))
        for key, value in (("def", lambda path: -seen[path]), ("ghi", dict(zip(paths, [
                -int((row["newest"] or "0").translate({ord(c): "" for c in "-:TZ"}).ljust(14, "0"))
                for row in rows])).get)):
            order = [value(path) for path in self.order(text, "documents", key)]
            self.assertEqual(order, sorted(order))

    def test_every_order_has_a_style(self):
        """A class that sorts or filters means something in the style."""
        text = sample("many", "html").decode()
        style = re.search(r"(?s)<style>(.*?)</style>", text).group(1)
        for classes in set(re.findall(r'class="([^"]*\b(?:pick|item)\b[^"]*)"', text)):
            for name in classes.split():
                if name not in ("pick", "item", "sev-all", "by-0"):
                    self.assertIn("." + name, style)

    def test_limits_are_said_once(self):
        text = re.sub(r"(?s)<style>.*</style>", "", sample("site", "html").decode())
        self.assertEqual(text.count("52,428,800"), 1)
        self.assertEqual(text.count('class="soft">limit'), 0)

    def test_sources(self):
        """Each code has its rule, who says so, and what an example has."""
        text = sample("site", "html").decode()
        for code in {row["code"] for row in records("site") if row["record"] == "finding"}:
            part = re.search('(?s) id="%s".*?(?=<details class="[a-z]+ item|</section>)' % code,
                             text).group(0)
            self.assertRegex(part, "; freshet&apos;s rule R-[0-9 R-]+ \\(SPEC, section ")
            self.assertRegex(part, 'href="https://(www.sitemaps.org|developers.google.com|'
                             'support.google.com|www.rfc-editor.org|www.w3.org)/')
            self.assertIn("<b>with this finding</b>\n<pre>", part)

    def test_numbers(self):
        """They are those of json."""
        for name in ["site", "pages", "many", "well"] + list(range(0, 100, 9)):
            text = sample(name, "html").decode()
            rows = records(name)
            tiles = {key: value.replace(",", "") for key, value in re.findall(
                r"<dt>([^<]*)</dt><dd[^>]*>([0-9,]+)</dd>", text)}
            for key, of in (("success", "success"), ("has errors", "has_errors"),
                            ("couldn&apos;t fetch", "couldnt_fetch"), ("URLs", "urls"),
                            ("errors", "errors"), ("warnings", "warnings")):
                self.assertEqual(int(tiles[key]), rows[-1][of], (name, key))
            found = re.findall(r'<details class="(\w+) item[^>]*>\n<summary><code>([a-z0-9-]+)</code>'
                               r'.*?<span class="soft">\w+, ([0-9,]+) times?', text)
            self.assertEqual(
                [(severity, code, int(n.replace(",", ""))) for severity, code, n in found],
                [(g["severity"], g["code"], g["count"]) for g in rows if g["record"] == "finding"
                 and not (g["severity"] == "info" and g["code"] in ASIDES)])

    def test_dates(self):
        """The bars are all URLs."""
        text = sample("site", "html").decode()
        figure = re.search("(?s)<figure>\n<figcaption>How old its dates are.*?</figure>", text).group(0)
        bars = re.findall('<td class="n">([0-9,]+)</td>', figure)
        self.assertEqual(sum(int(n.replace(",", "")) for n in bars), 100841)

    def test_a_long_site(self):
        text = sample("many", "html").decode()
        documents = text[text.index('<section id="documents">'):]
        self.assertEqual(documents.count("<tr"), 1001)
        # however many documents and findings there are
        self.assertLess(len(text), 1000000)
        self.assertIn("301 more not shown; -f json lists all", text)
        self.assertIn("/s/1000.xml", text)


if __name__ == "__main__":
    SAMPLE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
