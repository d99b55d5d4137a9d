"""docs/internals/security.md: each limit has the same default and key as in the
program."""
import os
import re
import unittest

from case import Case
from program import TOP

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
         "h": 3600, "days": 86400, "%": 1, "s": 1, "lines": 1, "m": 60, "d": 86400, "": 1}
# Those without a key: where they stand; what is said there is times the factor.
FIXED = {
    "bytes of headers, trailers and interim answers": [
        ("crawler/fetch/fetch_call.c", r"\.max_header_bytes = (.*?)[,}]", 1)],
    "bytes of an answer that is no 200": [("crawler/fetch/fetch_call.c", r"\.max_error_body = (.*?)[,}]", 1)],
    "redirects of a document; of robots.txt": [
        ("crawler/crawl/run_read.c", r"define MAX_HOPS (\d+)", 1),
        ("crawler/crawl/run_read.c", r"define MAX_ROBOTS_HOPS (\d+)", 1)],
    "requests to a host at once": [("crawler/fetch/fetch.c", r"of_host = is_direct \? (\d) : 0", 1)],
    "names looked up at once; of one owner; time that one without address is not asked for again": [
        ("crawler/fetch/fetch_lookups.h", r"define LOOKUPS_MAX (\d+)", 1),
        ("crawler/fetch/fetch_lookups.h", r"define LOOKUPS_MAX_OWNER (\d+)", 1),
        ("crawler/fetch/fetch_lookups.h", r"define LOOKUPS_LOST_S (\d+)", 1)],
    "requests to an address at once; in a second": [
        ("sched/host_queue.c", r"\.address_in_flight = (\d+)", 1),
        ("sched/host_queue.c", r"\.address_per_second = (\d+)", 1)],
    "longest Crawl-delay that is honoured": [("base/robots.c", r"define DELAY_MAX_MS (\d+)", 0.001)],
    "longest Retry-After that is honoured": [
        ("crawler/fetch/fetch_headers.h", r"define HEADER_MAX_WAIT_S (\d+)", 1)],
    "bytes of robots.txt; of its Sitemap lines that count": [
        ("base/robots.h", r"define ROBOTS_MAX_BYTES (\d+)", 1),
        ("base/robots.h", r"define ROBOTS_MAX_SITEMAPS (\d+)", 1)],
    "bytes of a document unpacked": [("crawler/parse/scope.c", r"\.max_bytes = (.*?),", 1),
                                     ("crawler/parse/scope.c", r"\.hard_bytes = (.*?),", 1)],
    "entries of a document": [("crawler/parse/scope.c", r"\.max_entries = (.*?),", 1),
                              ("crawler/parse/scope.c", r"\.hard_entries = (.*?),", 1)],
    "gzip members; layers; input without output": [
        ("crawler/parse/scope.c", r"\.max_members = (.*?),", 1),
        ("crawler/parse/gunzip.c", r"is_deflate_sent \? (\d)\s*: 1;", 1),
        ("crawler/parse/scope.c", r"\.max_idle_input = (.*?),", 1)],
    "XML levels; attributes of an element; bytes of a value": [
        ("crawler/parse/scope.c", r"\.max_depth = (.*?),", 1),
        ("crawler/parse/scope.c", r"\.max_attributes = (.*?),", 1),
        ("crawler/parse/scope.c", r"\.max_text = (.*?),", 1)],
    "bytes that the XML parser may hold back": [("crawler/parse/scope.c", r"\.max_pending = (.*?),", 1)],
    "characters of a loc": [("base/profile.c", r'"max_loc_chars", NULL, AT\(max_loc_chars\), \{\d+, (\d+)', 1),
                            ("base/profile.c", r'"max_loc_chars", NULL, AT\(max_loc_chars\), \{(\d+)', 1),
                            ("base/profile.c", r'"max_loc_chars", NULL, AT.*?, \d+, (\d+)\}', 1)],
    "scratch file of a reader": [("crawler/sandbox/reader.c", r"define SCRATCH_BYTES (.*)", 1)],
    "answer of a reader": [("crawler/control/crawler.c", r"define MAX_RESULT_BYTES (.*)", 1)],
    "file with hashes of the URLs of new sites, beyond which sites are counted by their segments": [
        ("store/url_hashes.c", r"define MOST_BYTES \(\(off_t\)(.*?)\)", 1)],
    "documents before a reader is replaced": [("crawler/control/crawler.c", r"define JOBS_EACH (\d+)", 1)],
    "levels of indexes": [("crawler/parse/scope.h", r"define INDEX_MAX_DEPTH (\d+)", 1)],
    "time without a full reading": [("crawler/crawl/run_scope.c", r"define FULL_GET_S \((.*?)\)", 1)],
}


def amounts(text):
    """Returns the numbers in a text, in bytes or seconds, or as they are."""
    return [float(number.replace(",", "")) * UNITS.get(unit, 1) for number, unit in
            re.findall(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?) ?(KiB|MiB|GiB|[KMG]\b|days|lines|[hsmd%](?!\w))?", text)]


def value(expression):
    """Returns the value of a constant of C: digits, shifts, products."""
    plain = re.sub(r"UINT64_C\((\d+)\)", r"\1", re.sub(r"/\*.*", "", expression))
    plain = re.sub(r"(\d)(?:ull|u|l)\b", r"\1", plain).strip()
    assert re.fullmatch(r"[\d\s*<()]+", plain), expression
    return eval(plain)  # pylint: disable=eval-used


class Limits(Case):
    def setUp(self):
        super().setUp()
        with open(os.path.join(TOP, "docs", "internals", "security.md"), encoding="utf-8") as f:
            text = f.read()
        table = text[text.index("| limit | default | key |"):].split("\n\n")[0]
        self.rows = [[cell.strip() for cell in line.strip("|").split("|")]
                     for line in table.splitlines()[2:]]
        command = self.program.run("help", "--json", "crawl").records()[0]
        self.options = {o["name"]: o for o in command["options"]}
        self.switches = self.program.run("help", "config").out

    def test_keys(self):
        keys = 0
        for title, default, key in self.rows:
            name = key.strip("`")
            if not key or "_" in name:
                continue
            with self.subTest(key=name):
                keys += 1
                self.assertIn(name, self.options, title)
                said = self.options[name].get("default")
                if name != "isolate":  # a word; what it counts is fixed
                    self.assertEqual(amounts(default), amounts(said) if said else [], title)
                self.assertEqual(default == "none", said is None, title)
        self.assertGreater(keys, 14)

    def test_switches(self):
        for title, _, key in self.rows:
            if "_" in key:
                self.assertIn("  %s = " % key.strip("`"), self.switches, title)

    def test_fixed(self):
        seen = set()
        for title, default, key in self.rows:
            if key and title not in FIXED:
                continue
            with self.subTest(limit=title):
                self.assertIn(title, FIXED)
                seen.add(title)
                found = []
                for path, pattern, factor in FIXED[title]:
                    with open(os.path.join(TOP, path), encoding="utf-8") as f:
                        match = re.search(pattern, f.read())
                    self.assertIsNotNone(match, "%s has no %s" % (path, pattern))
                    found.append(float(value(match[1]) * factor))
                said = amounts(default)
                self.assertEqual(said[:1] if title == "levels of indexes" else said, found)
        self.assertEqual(seen, set(FIXED))

    def test_every_limit_is_there(self):
        """The document has every limit that the options have."""
        keys = {key.strip("`") for _, _, key in self.rows}
        missing = {name for name in self.options if name.startswith(("max-", "min-"))} - keys
        self.assertEqual(missing, set())


if __name__ == "__main__":
    unittest.main()
