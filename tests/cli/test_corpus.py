"""The generated corpus: what is read, what has changed, and what is refused."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import reader
from case import TOP, Case
from nginx import Nginx, free_port

GENERATOR = os.path.join(TOP, "tests", "bench", "gen_corpus.py")
FULL = os.environ.get("FRESHET_FULL") == "1"
CHILDREN, URLS = (20, 50000) if FULL else (4, 5000)


def generate(folder, *options):
    subprocess.run([sys.executable, GENERATOR, folder, "--jobs", "2"] + list(options),
                   check=True, capture_output=True)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        return json.load(f)


def use(folder, generation):
    """Let nginx serve the other generation."""
    live = os.path.join(folder, "live")
    os.symlink(generation, live + ".new")
    os.replace(live + ".new", live)


class Generator(unittest.TestCase):
    """The generator still makes the same corpus."""

    def digest(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            return generate(folder, *options)["sha256_of_v1_children"]

    def test_plain_run(self):
        self.assertEqual(self.digest("--children", "4", "--urls", "300"),
                         "60d4d6e9fc412304c32ed5d31e6d974a63c9b4a493ec2b620abef6fcf90ec9ec")

    def test_hosts_and_strays(self):
        self.assertEqual(
            self.digest("--children", "3", "--urls", "200", "--hosts", "3", "--host-pattern",
                        "h{n}.test", "--out-of-scope", "0.1", "--change-layout",
                        "clustered", "--changed", "0.05", "--seed", "7"),
            "474037270f08ac97aa438543a054014b3322e338fc9d30285c1f8b64b48a1315")

    def test_strays_are_where_the_manifest_says(self):
        with tempfile.TemporaryDirectory() as folder:
            manifest = generate(folder, "--children", "2", "--urls", "500", "--plain",
                                "--host-pattern", "www.shop{n}.example", "--index-dir",
                                "/maps/", "--stray-port", "0.1", "--stray-dir", "0.1")
            locs = [loc for name, found in reader.corpus(
                os.path.join(folder, "v2"), "www.shop0.example", 8088, "/maps/").items()
                if "index" not in name for loc, _ in found]
            inside = "http://www.shop0.example:8088/"
            self.assertEqual(sum(":8089/" in loc for loc in locs),
                             manifest["v2"]["stray_port"])
            self.assertEqual(sum(loc.startswith(inside) and
                                 not loc.startswith(inside + "maps/") for loc in locs),
                             manifest["v2"]["stray_dir"])
            self.assertGreater(manifest["v2"]["stray_dir"], 50)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Corpus(Case):
    """One site in two generations, compared with Python's XML parser."""

    @classmethod
    def setUpClass(cls):
        """The corpus is generated and parsed once for all tests."""
        cls.folder = tempfile.mkdtemp(prefix="freshet-corpus-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.port = free_port()
        cls.manifest = generate(
            cls.folder, "--children", str(CHILDREN), "--urls", str(URLS), "--port",
            str(cls.port), "--access-log", "--changed", "0.02", "--removed-share", "0.2",
            "--added-share", "0.2")
        cls.target = "http://127.0.0.1:%d/" % cls.port
        # what the children list; the children of an index are no pages
        cls.truth = {generation: {
            d: entries for d, entries in reader.corpus(
                os.path.join(cls.folder, generation), "127.0.0.1", cls.port).items()
            if "index" not in d} for generation in ("v1", "v2")}
        cls.rows = {generation: cls.as_rows(found) for generation, found in cls.truth.items()}

    def setUp(self):
        super().setUp()
        use(self.folder, "v1")
        self.start_nginx()

    def start_nginx(self):
        self.nginx = Nginx(self.folder, self.port)
        self.addCleanup(self.nginx.close)
        self.nginx.forget()

    @staticmethod
    def as_rows(truth):
        """Returns {(document, loc): instant}."""
        return {(d, loc): reader.instant(date)
                for d, found in truth.items() for loc, date in found}

    def exported(self, *args):
        rows = self.program.export(*args)
        found = {}
        for row in rows:
            key = (row["document"], row["loc"])
            self.assertNotIn(key, found)
            found[key] = None
            if row["lastmod"] is not None:
                seconds, nanos, _ = reader.instant(row["lastmod"])
                found[key] = (seconds, nanos, row["precision"])
        return rows, found

    def assertSame(self, got, wanted):
        """Compare two mappings; a failure shows only a part of the
        difference."""
        if got != wanted:
            self.fail("missing %r\nextra %r\ndifferent %r" % (
                sorted(set(wanted) - set(got))[:5], sorted(set(got) - set(wanted))[:5],
                [(k, got[k], wanted[k]) for k in sorted(set(got) & set(wanted))
                 if got[k] != wanted[k]][:5]))

    def first(self):
        crawl = self.crawl(self.target)
        self.assertEqual(len(crawl.sitemaps()), CHILDREN + 1, str(crawl))
        return crawl

    def test_first_crawl(self):
        crawl = self.first()
        truth = self.truth["v1"]
        rows, found = self.exported()
        self.assertSame(found, self.rows["v1"])
        total = self.manifest["v1"]["urls"]
        self.assertEqual(len(found), total)
        self.assertEqual(crawl.summary["urls"]["listed"], total)
        # the baseline: nothing of it is new (SPEC 15.3)
        self.assertEqual(crawl.summary["urls"]["added"], 0)
        for url, listed in truth.items():
            record = crawl.document(url)
            self.assertEqual((record["outcome"], record["kind"], record["complete"]),
                             ("read", "urlset", True))
            self.assertEqual(
                (record["seen"], record["accepted"], record["refused"], record["entries"],
                 record["dated"], record["added"]),
                (len(listed), len(listed), 0, len(listed), len(listed), 0))
        self.assertEqual(crawl.summary["refused_entries"], 0)
        self.assertEqual(crawl.summary["exit"], 0)
        parsers = crawl.summary["parsers"]
        self.assertEqual((parsers["scanned"], parsers["parsed"], parsers["aside"]),
                         (CHILDREN + 1, 0, {}))
        documents = crawl.summary["documents"]
        self.assertEqual([documents[k] for k in ("known", "read", "unchanged", "failed",
                                                 "refused")],
                         [CHILDREN + 1, CHILDREN + 1, 0, 0, 0])
        # rows: of the whole site in the order of URLs
        order = [row["loc"] for row in rows]
        self.assertEqual(order, sorted(set(order)))
        # or documents in URL order, entries in URL order
        rows, found = self.exported("--by", "document")
        self.assertSame(found, self.rows["v1"])
        order = [(row["document"], row["loc"]) for row in rows]
        self.assertEqual(order, sorted(order))

    def test_the_other_parser(self):
        """Without the scanner the same is read."""
        crawl = self.crawl(self.target, "--parser", "libxml2")
        parsers = crawl.summary["parsers"]
        self.assertEqual((parsers["scanned"], parsers["parsed"], parsers["aside"]),
                         (0, CHILDREN + 1, {}))
        self.assertGreater(parsers["parsed_bytes"], 0)
        _, found = self.exported()
        self.assertSame(found, self.rows["v1"])

    def test_formats_of_export_agree(self):
        self.first()
        wanted = sorted(loc for _, loc in self.rows["v1"])
        urls = self.program.run("export", "-f", "urls")
        self.assertEqual(sorted(urls.out.split()), wanted)
        listed = self.program.run("ls", "--urls")
        self.assertLessEqual(set(listed.out.split()), set(wanted))
        lines = self.program.run("export", "-f", "csv").out.splitlines()
        self.assertEqual(sorted(row["loc"] for row in csv.DictReader(lines)), wanted)
        lines = self.program.run("export", "-f", "tsv").out.splitlines()
        at = lines[0].split("\t").index("loc")
        self.assertEqual(sorted(line.split("\t")[at] for line in lines[1:]), wanted)
        result = self.program.run("export", "-f", "sitemap")
        self.assertEqual(result.status, 0, str(result))
        again = sorted(loc for loc, _ in reader.entries(result.out.encode()))
        self.assertEqual(again, wanted)

    def test_second_crawl_reads_nothing(self):
        first = self.first()
        before = self.program.export()
        self.nginx.forget()
        second = self.crawl(self.target)
        self.assertEqual([d["outcome"] for d in second.sitemaps()],
                         ["unchanged"] * (CHILDREN + 1), str(second))
        asked = [r for r in self.nginx.requests() if r["uri"] != "/robots.txt"]
        self.assertEqual({r["status"] for r in asked}, {"304"})
        self.assertEqual(len(asked), CHILDREN + 1)
        self.assertEqual(second.summary["urls"]["added"], 0)
        self.assertEqual(second.summary["urls"]["listed"], first.summary["urls"]["listed"])
        self.assertEqual(self.program.export(), before)

    def test_unchanged_without_validators(self):
        """If the server sends no validators, the digest of the bytes
        decides."""
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, encoding="utf-8") as f:
            conf = f.read()
        write(path, conf.replace("sendfile on;", "sendfile on;\n  etag off;\n"
                                 "  if_modified_since off;\n  add_header Last-Modified \"\";"))
        self.addCleanup(write, path, conf)
        self.nginx.close()
        self.start_nginx()
        self.first()
        before = self.program.export()
        self.nginx.forget()
        second = self.crawl(self.target)
        self.assertEqual([d["outcome"] for d in second.sitemaps()],
                         ["unchanged"] * (CHILDREN + 1), str(second))
        self.assertEqual({r["status"] for r in self.nginx.requests()}, {"200"})
        self.assertEqual(self.program.export(), before)

    def changes(self, *args):
        """Returns {kind: {(document, loc): (before, after)}} of the latest
        readings."""
        found = {}
        for row in self.program.export("--changes", *args):
            if "index" in row["document"]:
                continue
            found.setdefault(row["kind"], {})[(row["document"], row["loc"])] = (
                row["before"], row["after"])
        return found

    def test_second_generation(self):
        self.first()
        use(self.folder, "v2")
        crawl = self.crawl(self.target)
        old, new = self.rows["v1"], self.rows["v2"]
        self.assertSame(self.exported()[1], new)
        added = set(new) - set(old)
        removed = set(old) - set(new)
        redated = {k for k in set(old) & set(new) if old[k] != new[k]}
        self.assertTrue(added and removed and redated)
        changes = self.changes()
        self.assertEqual(set(changes), {"added", "removed", "redated"}, str(crawl))
        self.assertEqual(set(changes["added"]), added)
        self.assertEqual(set(changes["removed"]), removed)
        self.assertEqual(set(changes["redated"]), redated)
        for key, (before, after) in changes["redated"].items():
            self.assertEqual(reader.instant(before)[:2], old[key][:2])
            self.assertEqual(reader.instant(after)[:2], new[key][:2])
        totals = crawl.summary["urls"]
        self.assertEqual((totals["added"], totals["removed"], totals["redated"]),
                         (len(added), len(removed), len(redated)))
        counted = self.manifest["v2"]
        self.assertEqual((len(added), len(removed), len(redated)),
                         (counted["added"], counted["removed"], counted["touched"]))
        # what is missed once is still known, SPEC 15.3
        everything = self.exported("--all")[1]
        self.assertEqual(set(everything), set(new) | removed)

    def test_gone_after_two_complete_readings(self):
        """R-120, and SPEC 15.2: an unchanged reading is a complete one."""
        self.first()
        use(self.folder, "v2")
        self.crawl(self.target)
        third = self.crawl(self.target)
        self.assertEqual({d["outcome"] for d in third.sitemaps()}, {"unchanged"})
        old, new = self.rows["v1"], self.rows["v2"]
        changes = self.changes()
        self.assertEqual(set(changes), {"gone"})
        self.assertEqual(set(changes["gone"]), set(old) - set(new))
        self.assertEqual(third.summary["urls"]["gone"], len(changes["gone"]))
        self.assertSame(self.exported("--all")[1], new)

    def test_returned(self):
        """A page that is missed once and then back is returned, not new."""
        self.first()
        use(self.folder, "v2")
        self.crawl(self.target)
        use(self.folder, "v1")
        crawl = self.crawl(self.target)
        old, new = self.rows["v1"], self.rows["v2"]
        changes = self.changes()
        self.assertEqual(set(changes["returned"]), set(old) - set(new), str(crawl))
        self.assertEqual(set(changes["removed"]), set(new) - set(old))
        self.assertNotIn("added", changes)
        self.assertSame(self.exported()[1], old)


class Strays(Case):
    """Entries that do not belong into their document, by kind (SPEC section
    6)."""

    HOST = "www.shop0.example"
    SHARES = {"host": 0.03, "www": 0.02, "subdomain": 0.04, "scheme": 0.05, "port": 0.06,
              "dir": 0.07}

    corpora = {}    # by options: folder, port, manifest, what it lists

    @classmethod
    def corpus(cls, *options):
        """A corpus is generated and parsed once for all tests."""
        if options not in cls.corpora:
            folder = tempfile.mkdtemp(prefix="freshet-strays-")
            cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
            port = free_port()
            strays = [a for k, v in cls.SHARES.items() for a in ("--stray-" + k, str(v))]
            manifest = generate(folder, "--children", "2", "--urls", "2000", "--port",
                                str(port), "--host-pattern", "www.shop{n}.example",
                                "--index-dir", "/maps/", *strays, *options)
            cls.corpora[options] = folder, port, manifest, reader.corpus(
                os.path.join(folder, "v1"), cls.HOST, port, "/maps/")
        return cls.corpora[options]

    def serve(self, *options):
        folder, self.port, manifest, self.truth = self.corpus(*options)
        nginx = Nginx(folder, self.port)
        self.addCleanup(nginx.close)
        return {k: manifest["v1"]["stray_" + k] for k in self.SHARES}

    def kind_of(self, loc):
        inside = "http://%s:%d" % (self.HOST, self.port)
        if loc.startswith(inside + "/maps/"):
            return None
        if loc.startswith(inside + "/"):
            return "dir"
        if loc.startswith("http://%s:%d/" % (self.HOST, self.port + 1)):
            return "port"
        if loc.startswith("https://%s:" % self.HOST):
            return "scheme"
        if loc.startswith("http://shop0."):
            return "www"
        return "subdomain" if "//blog." in loc else "host"

    def judge(self, profile, is_listed, accepted, refused, noted):
        """accepted: the kinds of stray entries that are accepted; refused:
        {code: kinds}; noted: {code: kinds} of accepted ones with a finding."""
        counts = self.serve(*([] if is_listed else ["--no-robots-sitemap"]))
        origin = "http://%s:%d" % (self.HOST, self.port)
        target = origin + ("/" if is_listed else "/maps/sitemap_index.xml")
        crawl = self.crawl(
            "--profile", profile, "--connect-to",
            "%s:%d:127.0.0.1:%d" % (self.HOST, self.port, self.port), target)
        wanted = {(d, loc) for d, found in self.truth.items()
                  if "index" not in d for loc, _ in found
                  if self.kind_of(loc) is None or self.kind_of(loc) in accepted}
        got = {(row["document"], row["loc"]) for row in self.program.export() if row["refused"] is None}
        self.assertEqual(got, wanted, str(crawl))
        codes = crawl.codes()
        for code, kinds in list(refused.items()) + list(noted.items()):
            self.assertEqual(codes.get(code, 0), sum(counts[k] for k in kinds),
                             "%s\n%s" % (code, crawl))
        self.assertEqual(crawl.summary["refused_entries"],
                         sum(counts[k] for kinds in refused.values() for k in kinds))
        location = {"host-mismatch", "www-missing", "www-extra", "scheme-mismatch",
                    "port-mismatch", "outside-directory", "private-address",
                    "cross-host-accepted", "directory-waived", "accepted-by-robots-proof"}
        self.assertEqual(location & set(codes),
                         {c for c, kinds in list(refused.items()) + list(noted.items())
                          if sum(counts[k] for k in kinds)}, str(crawl))

    # refuse the same kinds in strict and google
    OUTSIDE = {"host-mismatch": ["host", "subdomain"], "www-extra": ["www"],
               "scheme-mismatch": ["scheme"], "port-mismatch": ["port"]}

    def test_google_listed(self):
        """R-65: the pages of a document that robots.txt names may be in any
        folder."""
        self.judge("google", True, {"dir"}, self.OUTSIDE, {"directory-waived": ["dir"]})

    def test_google_not_listed(self):
        """R-58"""
        self.judge("google", False, set(), dict(self.OUTSIDE, **{"outside-directory": ["dir"]}),
                   {})

    def test_strict_listed(self):
        """R-65: under strict nothing lifts the directory rule."""
        self.judge("strict", True, set(), dict(self.OUTSIDE, **{"outside-directory": ["dir"]}),
                   {})

    def test_strict_not_listed(self):
        self.judge("strict", False, set(), dict(self.OUTSIDE, **{"outside-directory": ["dir"]}),
                   {})

    def test_lenient_listed(self):
        """R-59, R-63: a registrable domain is one site, and a robots.txt counts
        for its host, whatever scheme and port."""
        self.judge("lenient", True, {"dir", "www", "subdomain", "scheme", "port"},
                   {"host-mismatch": ["host"]},
                   {"cross-host-accepted": ["www", "subdomain"],
                    "accepted-by-robots-proof": ["scheme", "port"],
                    "directory-waived": ["dir"]})

    def test_lenient_not_listed(self):
        """R-57 also holds under lenient."""
        self.judge("lenient", False, {"dir", "www", "subdomain", "scheme"},
                   {"host-mismatch": ["host"], "port-mismatch": ["port"]},
                   {"cross-host-accepted": ["www", "subdomain", "scheme"],
                    "outside-directory": ["dir"]})

    def test_owned(self):
        """R-67: ownership lifts host and directory rules for both sides."""
        counts = self.serve("--no-robots-sitemap")
        crawl = self.crawl(
            "--own", "domain:shop0.example", "--connect-to",
            "%s:%d:127.0.0.1:%d" % (self.HOST, self.port, self.port),
            "http://%s:%d/maps/sitemap_index.xml" % (self.HOST, self.port))
        self.assertEqual(crawl.summary["refused_entries"], counts["host"], str(crawl))
        self.assertEqual(crawl.codes().get("host-mismatch"), counts["host"])

    def test_switches_alone(self):
        """SPEC section 1: every switch can be set alone."""
        counts = self.serve("--no-robots-sitemap")
        crawl = self.crawl(
            "--dir-rule", "warn", "--www-rule", "fold", "--connect-to",
            "%s:%d:127.0.0.1:%d" % (self.HOST, self.port, self.port),
            "http://%s:%d/maps/sitemap_index.xml" % (self.HOST, self.port))
        self.assertEqual(crawl.summary["refused_entries"],
                         sum(counts[k] for k in ("host", "subdomain", "scheme", "port")),
                         str(crawl))


if __name__ == "__main__":
    unittest.main()
