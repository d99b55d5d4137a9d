"""Real documents under their true host names, over https with a CA of the test.
The tests are skipped if the documents are not there."""
import collections
import csv
import os
import shutil
import tempfile
import unittest

import nginx
import reader
from case import SHARED, Case
from certs import Authority

REAL = os.path.join(SHARED, "real")


def manifest():
    with open(os.path.join(REAL, "MANIFEST.tsv"), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


@unittest.skipUnless(os.path.isfile(os.path.join(REAL, "MANIFEST.tsv")),
                     "no real documents in '%s'" % REAL)
class Real(Case):
    @classmethod
    def setUpClass(cls):
        cls.rows = manifest()
        cls.hosts = sorted({row["host"] for row in cls.rows})
        cls.folder = tempfile.mkdtemp(prefix="freshet-real-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.authority = Authority(cls.folder)
        certificate, key = cls.authority.sign(cls.hosts)
        port = nginx.free_port()
        nginx.write_conf(cls.folder, """server {
    listen 127.0.0.1:%d ssl;
    ssl_certificate %s;
    ssl_certificate_key %s;
    root %s/$host;
  }""" % (port, certificate, key, os.path.abspath(REAL)))
        cls.nginx = nginx.Nginx(cls.folder, port)
        cls.addClassCleanup(cls.nginx.close)
        cls.connect = [a for host in cls.hosts
                       for a in ("--connect-to", "%s:443:127.0.0.1:%d" % (host, port))]

    def options(self, *args):
        return ["--cacert", self.authority.path] + self.connect + list(args)

    def documents(self):
        return [row for row in self.rows if row["kind"] != "robots"]

    def assertCounts(self, crawl, row):
        """Compare the record of that document with its row of the manifest."""
        record = crawl.document(row["url"])
        self.assertEqual(record["outcome"], "read", str(crawl))
        self.assertEqual(record["kind"], row["kind"])
        self.assertTrue(record["complete"])
        self.assertEqual(record["seen"], int(row["entries"]), row["url"])
        self.assertEqual(record["accepted"] + record["refused"], int(row["entries"]))
        self.assertEqual(record["decoded_bytes"], int(row["bytes_inflated"]), row["url"])
        self.assertEqual(record["wire_bytes"], int(row["bytes"]), row["url"])

    def test_hosts(self):
        """The documents that robots.txt or the default locations lead to."""
        everywhere = {row["url"]: row for row in self.documents()}
        causeway = [u for u in everywhere if "//causeway.apache.org/" in u]
        wanted = {"benchmarkdotnet.org": ["https://benchmarkdotnet.org/sitemap.xml"],
                  "cassandra.apache.org": ["https://cassandra.apache.org/sitemap.xml"],
                  "causeway.apache.org": causeway,
                  "crawlee.dev": ["https://crawlee.dev/sitemap.xml"],
                  "hop.apache.org": ["https://hop.apache.org/sitemap.xml"],
                  "kubernetes.github.io": [],
                  "opennlp.apache.org": ["https://opennlp.apache.org/sitemap.xml"],
                  "www.va.gov": []}
        self.assertEqual(sorted(wanted), self.hosts)
        for host, urls in wanted.items():
            with self.subTest(host=host):
                crawl = self.crawl(*self.options(host), status=0 if urls else 4)
                self.assertEqual(sorted(d["url"] for d in crawl.sitemaps()), sorted(urls),
                                 str(crawl))
                # the scanner reads what real sites publish
                self.assertEqual(crawl.summary["parsers"]["parsed"], 0)
                for url in urls:
                    self.assertCounts(crawl, everywhere[url])

    def test_documents_google(self):
        """Read every document by its URL; only what SPEC refuses is refused."""
        urls = [row["url"] for row in self.documents()]
        crawl = self.crawl(*self.options(*urls))
        refused = collections.Counter()
        for row in self.documents():
            self.assertCounts(crawl, row)
            refused[row["host"]] += crawl.document(row["url"])["refused"]
        self.assertEqual(+refused, {"www.va.gov": 115_732, "cassandra.apache.org": 477})
        codes = crawl.codes()
        self.assertEqual(codes.get("outside-directory"), 115_732)
        self.assertEqual(codes.get("relative-url"), 477)
        errors = {f["code"] for d in crawl.documents for f in d["findings"]
                  if f["severity"] == "error"}
        self.assertEqual(errors, {"outside-directory", "relative-url"}, str(crawl))
        self.judge_export(crawl, {"www.va.gov", "cassandra.apache.org"})

    def dates(self, without):
        """How many documents have dates of a build or of one moment; and how many, and indexes
        for their small sitemaps, dates of one day."""
        counts, few = collections.Counter(), {}
        for row in self.documents():
            if row["host"] in without or row["kind"] == "index":
                continue
            path = os.path.join(REAL, row["host"], row["path"].lstrip("/"))
            dates = [reader.instant(date)
                     for date in dict(reader.entries(reader.load(path))).values() if date]
            days = [date[0] // 86400 for date in dates]
            moments = collections.Counter(date[:2] for date in dates if date[1]).most_common(1)
            if moments and moments[0][1] >= 5 and moments[0][1] >= 0.1 * len(dates):
                counts["lastmod-build"] += 1
            elif len(dates) >= 5 and len({date[:2] for date in dates}) == 1 and dates[0][0] % 86400:
                counts["lastmod-one-moment"] += 1
            elif len(days) < 20:
                few.setdefault(row["host"], []).extend(days)
            else:
                counts["lastmod-frozen"] += max(days.count(day) for day in set(days)) >= 0.9 * len(days)
        counts["lastmod-frozen"] += sum(
            len(days) >= 20 and len(set(days)) == 1 for days in few.values())
        return +counts

    def test_check(self):
        """No real document is reported for a fault that it does not have, with
        schema and extensions checked too."""
        urls = [row["url"] for row in self.documents()]
        for profile in ("google", "strict", "lenient"):
            with self.subTest(profile=profile):
                result = self.program.run(
                    "check", "--json", "--progress", "off", "--profile", profile,
                    "--schema", *self.options(*urls))
                self.assertEqual(result.status, 0 if profile == "lenient" else 1, str(result))
                codes = {r["code"]: r["count"] for r in result.records()
                         if r["record"] == "finding"}
                # kubernetes.github.io lists all in a twin as well; the documents of
                # www.va.gov have half of their URLs in common, once they are accepted
                shared = 63 + (57_865 if profile == "lenient" else 0)
                self.assertEqual(codes, {"outside-directory": 115_732, "relative-url": 477,
                                         "url-of-error": 1, "duplicate-url": shared, **self.dates(
                                             () if profile == "lenient" else
                                             ("www.va.gov", "cassandra.apache.org"))})

    def judge_export(self, crawl, without):
        """Compare URLs and dates of accepted entries with those of Python's
        parser."""
        got = {}
        for row in self.program.export("--by", "document"):
            if row["refused"] is None:
                got.setdefault(row["document"], {})[row["loc"]] = row["lastmod"]
        for row in self.documents():
            if row["kind"] == "index":
                continue  # its entries are documents, no pages
            if row["host"] in without:
                self.assertNotIn(row["url"], got)
                continue
            path = os.path.join(REAL, row["host"], row["path"].lstrip("/"))
            truth = {}
            for loc, date in reader.entries(reader.load(path)):
                truth.setdefault(loc, set()).add(reader.instant(date))
            mine = got[row["url"]]
            # those that are written in normal form already can be compared
            plain = {loc for loc in truth if loc.isascii() and "%" not in loc
                     and "#" not in loc and ".." not in loc}
            self.assertGreater(len(plain), len(truth) * 0.9, row["url"])
            self.assertLessEqual(plain, set(mine), row["url"])
            for loc in plain:
                self.assertIn(reader.instant(mine[loc]), truth[loc], loc)
            record = crawl.document(row["url"])
            self.assertEqual(record["entries"], len(mine))
            self.assertEqual(record["dated"], sum(date is not None for date in mine.values()))
            if len(mine) == int(row["entries"]):
                self.assertEqual(record["dated"], int(row["with_lastmod"]), row["url"])

    def test_documents_lenient(self):
        """R-43, dir_rule=warn: no entry is refused for these reasons."""
        urls = [row["url"] for row in self.documents()]
        crawl = self.crawl("--profile", "lenient", *self.options(*urls))
        for row in self.documents():
            self.assertCounts(crawl, row)
            self.assertEqual(crawl.document(row["url"])["refused"], 0, row["url"])
        self.assertIn("https://cassandra.apache.org/_/index.html", self.program.urls())

    def test_again(self):
        """With validators of a real server, no document is read twice."""
        urls = [row["url"] for row in self.documents()]
        self.crawl(*self.options(*urls))
        before = self.program.export()
        again = self.crawl(*self.options(*urls))
        self.assertEqual({d["outcome"] for d in again.sitemaps()}, {"unchanged"}, str(again))
        self.assertEqual(self.program.export(), before)

    def test_another_authority(self):
        """HOSTILE T32: without the CA no answer is trusted."""
        crawl = self.crawl(*self.connect, "--retry", "0",
                           "https://crawlee.dev/sitemap.xml", status=4)
        self.assertEqual(self.program.run("export", "-f", "urls").out, "", str(crawl))


if __name__ == "__main__":
    unittest.main()
