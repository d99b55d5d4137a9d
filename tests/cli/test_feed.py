"""freshet changes: a copy of what sites list, kept in step."""
import contextlib
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import unittest

from case import Case, urlset
from daemon import Daemon
from feed_soak import Soak
from program import NO_HOOKS, TOP

EXAMPLES = os.path.join(TOP, "docs", "examples")


class Feed(Case):
    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.clock.leap()
        self.server = self.site()
        self.publish("/tea/green", "/tea/black", "/coffee")

    def publish(self, *pages, disallow=""):
        url = self.server.url
        self.server.put("/robots.txt", "User-agent: *\nDisallow: %s\nSitemap: %s\n" % (
            disallow, url("/a.xml")))
        self.server.put("/a.xml", urlset([url(page) for page in pages]))
        self.clock.advance(3600)

    def read(self):
        self.crawl(self.server.url("/"))

    def changes(self, *args, status=0, **kwargs):
        result = self.program.run("changes", *args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def batch(self, *args):
        """What consumer a is told: (sign, path, why), and the last line."""
        lines = self.changes("--consumer", "a", *args).records()
        self.assertEqual(lines[-1]["type"], "cursor")
        return [({"upsert": "+", "delete": "-"}.get(line["type"], "!"),
                 line.get("url", "").replace(self.server.origin, ""), line["why"])
                for line in lines[:-1]], lines[-1]

    def test_batches(self):
        self.read()
        told, last = self.batch("--limit", "2")
        self.assertEqual(told, [("!", "", "new"), ("+", "/coffee", "snapshot"),
                                ("+", "/tea/black", "snapshot")])
        self.assertTrue(last["more"])
        self.assertEqual(self.batch("--limit", "2"), (told, last))
        self.changes("--consumer", "a", "--ack", last["cursor"])
        told, last = self.batch()
        self.assertEqual(told, [("+", "/tea/green", "snapshot")])
        self.assertFalse(last["more"])
        self.changes("--consumer", "a", "--ack", "-", input=last["cursor"] + "\n")
        self.changes("--consumer", "a", "--ack", "-", input=json.dumps(last) + "\n")
        for line in ('{"type":"cursor"}', '{"cursor":7}', "{}", '{"cursor":""}'):
            self.assertIn("this is no cursor", self.changes(
                "--consumer", "a", "--ack", "-", input=line, status=2).err)
        self.publish("/tea/green", "/cocoa", disallow="/tea/")
        self.read()
        self.assertEqual(self.batch()[0], [("+", "/cocoa", "new"),
                                           ("-", "/tea/black", "disallowed"),
                                           ("-", "/tea/green", "disallowed")])

    def test_outcomes(self):
        """What a fetch finds unfit is deleted; a redirect to another spelling of the page is not."""
        self.read()
        self.changes("--consumer", "a", "--ack", self.batch()[1]["cursor"])
        url = self.server.url
        told = []
        for result in ({"status": 200, "noindex": True}, {"status": 308, "location": url("/cocoa")},
                       {"status": 301, "location": "/coffee/"}, {"status": 503}, {"status": 410}):
            self.clock.advance(3600)
            line = json.dumps(dict(result, url=url("/coffee"))) + "\n"
            self.assertEqual(self.program.run("done", input=line).status, 0)
            batch, last = self.batch()
            self.changes("--consumer", "a", "--ack", last["cursor"])
            told.append(batch)
        self.assertEqual(told, [[("-", "/coffee", "noindex")], [("-", "/coffee", "moved")],
                                [("+", "/coffee", "fit")], [], [("-", "/coffee", "not-found")]])

    def test_consumers(self):
        self.read()
        self.assertEqual(self.changes("--list").out, "")
        self.batch()
        self.assertEqual(self.changes("--consumer", "b", "--tag", "teh", status=4).err,
                         "freshet: no site of the watch list has the tag 'teh'\n")
        self.program.run("add", "--tag", "tea", self.server.url("/"))
        self.changes("--consumer", "b", "--tag", "tea", "--tag", "hot")
        out = self.changes("--list").out
        self.assertEqual(out, "a  all sites  never acknowledged\n"
                              "b  tags hot tea  never acknowledged\n")
        self.assertEqual(self.changes("--consumer", "b", "--tag", "tea", status=2).err,
                         "freshet: consumer 'b' has the tags hot tea, and keeps its tags until "
                         "'freshet changes --forget b'\n")
        self.changes("--consumer", "b", "--tag", "hot", "--tag", "tea")
        self.changes("--forget", "b")
        self.assertEqual(self.changes("--forget", "b", status=2).err,
                         "freshet: the feed has no consumer 'b'\n")
        self.assertEqual(self.changes("--consumer", "a", "--ack", "f1.x", status=2).err,
                         "freshet: this is no cursor that consumer 'a' was given\n")
        self.changes("--consumer", "a", "--ack", "m1.", status=2)
        self.assertEqual(self.changes("--consumer", "b", "--ack", "x", status=2).err,
                         "freshet: the feed has no consumer 'b'\n")
        self.assertIn("--consumer NAME", self.changes(status=2).err)
        self.assertIn("do not go together",
                      self.changes("--list", "--forget", "a", status=2).err)
        self.assertEqual(self.program.run("db", "fsck").status, 0)

    def test_no_store(self):
        self.assertIn("there is no store", self.changes("--consumer", "a", status=2).err)

    def test_owner(self):
        """The consumer is made, and its cursor moved, while 'run' has the store."""
        self.assertEqual(self.program.run("add", self.server.url("/")).status, 0)
        daemon = Daemon(self.program)
        daemon.wait("read", url=self.server.url("/a.xml"))
        told, last = self.batch()
        self.assertEqual(len(told), 4)
        self.changes("--consumer", "a", "--ack", last["cursor"])
        self.assertEqual(self.batch()[0], [])
        self.assertEqual(self.changes("--consumer", "a", "--ack", "f1.x", status=2).err,
                         "freshet: this is no cursor that consumer 'a' was given\n")
        self.changes("--forget", "a")
        daemon.end()

    def test_older_copy(self):
        """A cursor that is ahead of the store is refused."""
        self.program.leave_postgresql()
        self.read()
        copy = os.path.join(self.program.folder, "copy.db")
        self.batch()
        self.assertEqual(self.program.run("db", "backup", copy).status, 0)
        self.publish("/cocoa")
        self.read()
        cursor = self.batch()[1]["cursor"]
        self.changes("--consumer", "a", "--ack", cursor)
        self.changes("--store", copy, "--consumer", "a", "--ack", cursor, status=2)

    def example(self, name, *args):
        return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *args], check=True,
                              cwd=self.program.folder, stdout=subprocess.PIPE, encoding="utf-8", env=dict(
                                  self.program.environment(), FRESHET=self.program.binary,
                                  PYTHONDONTWRITEBYTECODE="1")).stdout

    def test_json_client(self):
        path = os.path.join(self.program.folder, "copy.json")
        self.read()
        self.example("feed_json.py", "a", path)
        self.publish("/tea/green", "/cocoa")
        self.read()
        self.read()
        self.example("feed_json.py", "a", path)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(sorted(json.load(f)["pages"]),
                             [self.server.url("/cocoa"), self.server.url("/tea/green")])
        # begun anew, with a page in the copy that is no page any more
        self.changes("--forget", "a")
        self.publish("/cocoa")
        self.read()
        self.read()
        self.example("feed_json.py", "a", path)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(sorted(json.load(f)["pages"]), [self.server.url("/cocoa")])

    def find(self, *words):
        """What docs/examples/feed_fts5.py finds: paths."""
        done = self.example("feed_fts5.py", "texts", "a.db", *words)
        return sorted(line.strip().replace(self.server.origin, "") for line in done.splitlines()[1::3])

    def keep_texts(self, file, *paths, cut=None, **more):
        """Append pages to an archive of texts, as 'fetch --texts' does."""
        lines = "".join(json.dumps(dict(more, url=self.server.url(path), title=path, text=" ".join(path[1:].split("/"))))
                        + "\n" for path in paths)
        os.makedirs(os.path.join(self.program.folder, "texts"), exist_ok=True)
        with open(os.path.join(self.program.folder, "texts", file), "ab") as f:
            f.write(gzip.compress(lines.encode())[:cut])

    def test_fts5_client(self):
        self.read()
        self.keep_texts("1.jsonl.gz.open", "/tea/green", "/tea/black", "/tea/old")
        self.keep_texts("1.jsonl.gz.open", "/coffee", cut=20)
        self.assertEqual(self.find("tea"), ["/tea/black", "/tea/green"])
        self.assertEqual(self.find("coffee"), [])
        # the writer was killed: the file is cut, and another one begun
        texts = os.path.join(self.program.folder, "texts")
        os.truncate(os.path.join(texts, "1.jsonl.gz.open"), os.stat(os.path.join(texts, "1.jsonl.gz.open")).st_size - 20)
        os.rename(os.path.join(texts, "1.jsonl.gz.open"), os.path.join(texts, "1.jsonl.gz"))
        self.keep_texts("2.jsonl.gz.open", "/coffee", "/tea/white")
        self.publish("/tea/green", "/tea/white", "/coffee")
        self.read()
        self.read()
        self.assertEqual(self.find("tea"), ["/tea/green", "/tea/white"])
        self.assertEqual(self.find('"coffee'), ["/coffee"])
        self.assertEqual(self.find("coffee", "tea"), [])
        # it begins anew, without a page that is none any more; what was written over is read again
        self.changes("--forget", "a")
        self.publish("/tea/white", "/tea/old")
        self.read()
        self.read()
        os.truncate(os.path.join(texts, "2.jsonl.gz.open"), 0)
        self.keep_texts("2.jsonl.gz.open", "/tea/white", "/tea/white/pot", "/tea/white/cup", "/coffee/pot")
        self.assertEqual(self.find("tea"), ["/tea/old", "/tea/white"])
        self.assertEqual(self.find("green"), [])
        self.assertEqual(self.find("tea"), ["/tea/old", "/tea/white"])
        with contextlib.closing(sqlite3.connect(os.path.join(self.program.folder, "a.db"))) as db:
            self.assertEqual(db.execute("SELECT sum(bytes) FROM archive").fetchone()[0],
                             sum(os.stat(os.path.join(texts, name)).st_size for name in os.listdir(texts)))
        # a new index is told everything
        os.unlink(os.path.join(self.program.folder, "a.db"))
        self.assertEqual(self.find("tea"), ["/tea/old", "/tea/white"])


class Killed(unittest.TestCase):
    @unittest.skipIf(NO_HOOKS, NO_HOOKS)
    def test_soak(self):
        """tests/tools/feed_soak.py, for some seconds."""
        soak = Soak(7)
        self.addCleanup(soak.close)
        soak.go(16, between=16)


if __name__ == "__main__":
    unittest.main()
