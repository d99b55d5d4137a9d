"""Crawls that are interrupted or killed, and then run again."""
import json
import os
import signal
import threading
import time
import unittest

from case import Case, index, urlset
from late import assert_sooner
from processes import children_of, descendants, is_alive, kill
from program import interrupt

CHILDREN = 12


class Interrupt(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.server = self.site()
        self.children = ["/s%02d.xml" % n for n in range(CHILDREN)]
        self.server.put("/index.xml", index([self.server.url(c) for c in self.children]),
                        etag='"index"')
        for n, child in enumerate(self.children):
            self.server.put(child, urlset([(self.server.url("/%d/%d" % (n, k)), "2026-01-01")
                                           for k in range(50)]),
                            etag='"%d"' % n, delay=0.25)
        self.url = self.server.url("/index.xml")

    def begin(self, count):
        """Start a crawl; return the process and its records when `count`
        children were committed."""
        process = self.program.start("crawl", "--json", "--progress", "off", self.url)
        records = []
        timer = threading.Timer(30, process.kill)
        timer.start()
        while sum(r["url"].endswith(".xml") for r in records) < count + 1:
            line = process.stdout.readline()
            if not line:
                self.fail(process.stderr.read().decode())
            records.append(json.loads(line))
        timer.cancel()
        return process, records

    def finish(self, committed):
        """Run again; committed documents are not requested without a
        condition."""
        self.server.forget()
        for child in self.children:
            self.server.replies[child].delay = 0
        crawl = self.crawl(self.url)
        self.assertEqual(crawl.summary["exit"], 0)
        for url in committed:
            path = url[len(self.server.origin):]
            for request in self.server.asked(path):
                self.assertTrue(request.is_conditional,
                                "%s was committed and is asked for again\n%s" % (path, crawl))
        # those whose commit was not told of may be asked for or not
        resumed = self.program.export()
        self.assertEqual(len(resumed), CHILDREN * 50)
        self.same_as_uninterrupted(resumed)

    def same_as_uninterrupted(self, resumed):
        other = os.path.join(self.program.folder, "whole.db")
        self.crawl("--store", other, self.url)
        whole = self.program.export("--store", other)

        def plain(rows):
            return [(r["document"], r["loc"], r["lastmod"], r["state"]) for r in rows]
        self.assertEqual(plain(resumed), plain(whole))

    @staticmethod
    def committed(records):
        return {r["url"] for r in records
                if r["type"] == "document" and r["outcome"] in ("read", "unchanged")
                and r["kind"] != "robots"}

    def by_signal(self, sign, status):
        process, records = self.begin(4)
        code, out, err, seconds = interrupt(process, sign)
        self.assertEqual(code, status, out + err)
        assert_sooner(seconds, 3)
        records += [json.loads(line) for line in out.splitlines()]
        self.assertEqual(records[-1]["type"], "summary")
        self.assertEqual(records[-1]["exit"], status)
        self.assertIn("run the same command to resume", err)
        committed = self.committed(records)
        self.assertGreaterEqual(len(committed), 5)
        self.assertLess(len(committed), CHILDREN)
        self.finish(committed)

    def test_ctrl_c(self):
        self.by_signal(signal.SIGINT, 130)

    def test_sigterm(self):
        self.by_signal(signal.SIGTERM, 143)

    def test_silent_server(self):
        """Ctrl-C ends it at once while a server sends nothing."""
        for child in self.children:
            self.server.replies[child].delay = 6
        process = self.program.start("crawl", self.url)
        self.server.wait_for("/index.xml")
        time.sleep(1)
        code, out, err, seconds = interrupt(process)
        self.assertEqual(code, 130, out + err)
        assert_sooner(seconds, 2)

    def test_kill(self):
        """HOSTILE P1: what was acknowledged is stored, the rest is read
        again."""
        for count in (1, 4, 8):
            with self.subTest(after=count):
                process, records = self.begin(count)
                process.kill()
                rest, _ = process.communicate(timeout=600)
                for line in rest.decode().splitlines(keepends=True):
                    if line.endswith("\n"):
                        records.append(json.loads(line))
                self.finish(self.committed(records))
                for name in os.listdir(self.program.folder):
                    if name.startswith("store.db"):
                        os.unlink(os.path.join(self.program.folder, name))
                self.server.forget()
                for child in self.children:
                    self.server.replies[child].delay = 0.25

    def test_earlier_failure(self):
        """A document that failed before is not requested again, but reported
        again."""
        self.server.put("/s00.xml", b"gone", status=404)
        process, records = self.begin(3)
        self.assertTrue([r for r in records if r["failure"] == "fetch-not-found"])
        process.kill()
        process.communicate(timeout=600)
        self.server.forget()
        crawl = self.crawl(self.url, status=1)
        self.assertEqual(self.server.asked("/s00.xml"), [])
        self.assertEqual(crawl.summary["documents"]["failed"], 1)
        self.assertIn("/s00.xml: fetch-not-found: earlier in this crawl\n",
                      crawl.result.err)

    def test_no_orphans(self):
        """HOSTILE P5: the fork server and the readers end with the main
        process."""
        process, _ = self.begin(2)
        processes = descendants(process.pid)
        self.assertTrue(processes, "there is no fork server")
        process.kill()
        process.wait()
        end = time.monotonic() + 600
        while time.monotonic() < end and any(map(is_alive, processes)):
            time.sleep(0.05)
        self.assertEqual([pid for pid in processes if is_alive(pid)], [])

    def test_reader_killed(self):
        """A reader that dies costs at most its reading, never the run."""
        process, _ = self.begin(2)
        main = process.pid
        deadline = time.monotonic() + 60
        killed = 0
        while killed < 3 and time.monotonic() < deadline:
            for pid in descendants(main):
                # the readers are the children of the fork server
                if pid not in children_of(main):
                    killed += kill(pid)
            time.sleep(0.4)
        out, err = process.communicate(timeout=600)
        self.assertIn(process.returncode, (0, 1), out.decode() + err.decode())
        self.assertGreater(killed, 0)
        self.finish(set())


if __name__ == "__main__":
    unittest.main()
