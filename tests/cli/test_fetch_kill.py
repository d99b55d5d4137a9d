"""Fetching into an archive, with kill -9 at any moment, lost power and full disks."""
import datetime
import gzip
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import threading
import time
import unittest

from case import Case
from test_fetch import HTML, TEXT, Fetching, page, records

PAGES = 150
KILLS = 12


class Kill(Fetching):
    def setUp(self):
        Case.setUp(self)
        self.one = self.make("127.0.0.1", PAGES)
        for n in range(PAGES):
            self.one.put("/p%d" % n, page(n), headers=HTML, delay=0.004)
        self.folder = os.path.join(self.program.folder, "pages")
        self.words = ("--json", "--warc", self.folder)

    def told(self, out):
        """The objects of pages, as far as the lines are whole."""
        lines = out.decode().split("\n")[:-1]
        return [r for r in map(json.loads, lines) if r["type"] == "page"]

    def responses(self):
        """How often each URL and time has a record."""
        found = {}
        for name in sorted(os.listdir(self.folder)):
            if ".warc.gz" not in name:
                continue
            with gzip.open(os.path.join(self.folder, name), "rt", encoding="latin-1") as f:
                head = {}
                for line in f:
                    if line.startswith("WARC-"):
                        key, _, value = line.strip().partition(": ")
                        head[key] = value
                        if key == "WARC-Type" and value == "response":
                            head = {key: value}
                    if line.startswith("WARC-Payload-Digest") and head["WARC-Type"] == "response":
                        at = datetime.datetime.fromisoformat(head["WARC-Date"].replace("Z", "+00:00"))
                        key = head["WARC-Target-URI"], round(at.timestamp() * 1e6)
                        found[key] = found.get(key, 0) + 1
        return found

    def rows(self, query):
        with sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True) as db:
            return db.execute(query).fetchall()

    def test_kill(self):
        """What was acknowledged lies in the archive once; what was not is fetched again."""
        chance = random.Random(time.time_ns())
        seed = chance.getrandbits(32)
        chance = random.Random(seed)
        told = []
        for _ in range(KILLS):
            process = self.program.start("fetch", *self.words)
            time.sleep(chance.uniform(0.02, 0.35))
            process.kill()
            out, _ = process.communicate()
            told += self.told(out)
        told += [r for r in self.fetch(*self.words).records() if r["type"] == "page"]
        why = "seed %d" % seed
        outcomes = self.rows("SELECT p.url, o.status FROM outcome o JOIN page p ON p.id = o.page_id")
        self.assertEqual(sorted(outcomes), sorted((self.one.url("/p%d" % n), 200)
                                                  for n in range(PAGES)), why)
        self.assertEqual(len({r["url"] for r in told}), len(told), why)
        found = self.responses()
        archived = self.rows("SELECT p.url, a.at_us FROM archived a JOIN page p ON p.id = a.page_id")
        self.assertEqual(len(archived), PAGES, why)
        self.assertEqual({key: found.get(key) for key in archived}, {key: 1 for key in archived}, why)
        self.assertFalse([n for n in os.listdir(self.folder) if n.endswith(".open")], why)
        for r in told:
            with open(os.path.join(self.folder, r["archive"]["file"]), "rb") as f:
                f.seek(r["archive"]["offset"])
                record = gzip.decompress(f.read(r["archive"]["length"]))
            self.assertIn(r["archive"]["id"].encode(), record, why)
        # nothing of the dead is left
        self.assertEqual(self.rows("SELECT count(*) FROM lease WHERE until_s > strftime('%s')"),
                         [(0,)], why)


@unittest.skipUnless(shutil.which("strace"), "there is no strace")
class Power(Fetching):
    def calls(self, *words):
        """What fetching a page does to files, in order: A writes to the archive, a syncs that, S writes to the
        store, s syncs that, and T tells of the page."""
        log = os.path.join(self.program.folder, "calls")
        subprocess.run(["strace", "-y", "-o", log, "-e", "trace=write,pwrite64,fdatasync", *self.program.words(
            ("fetch", "-n", "1", "--json", *words))], env=self.program.environment(), cwd=self.program.folder,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=True)
        found = ""
        with open(log, encoding="utf-8", errors="replace") as f:
            for line in f:
                sync = line.startswith("fdatasync")
                if ".gz.open>" in line:
                    found += "a" if sync else "A"
                elif "-wal>" in line:
                    found += "s" if sync else "S"
                elif line.startswith("write(1<") and r'\"type\":\"page\"' in line:
                    found += "T"
        return found

    def test_order(self):
        """A page is on the disk before its outcome is in the store, and told when that is on the disk as well."""
        for words in (("--warc", "pages"), ("--texts", "texts")):
            found = self.calls(*words)
            # the lease of the page may go to the disk while the page comes
            self.assertRegex(found, "^[Ss]*A[ASs]*aS+sT[^AT]*$")


class Full(Fetching):
    MANY = 60

    def test_store(self):
        """The disk of the store is full: the command ends, and says so."""
        gate = threading.Event()
        self.one.put("/p0", page(0), headers=HTML, gate=gate)
        process = self.program.start("fetch", "--json")
        with self.one.lock:
            while not self.one.requests or self.one.requests[-1].target[:2] != "/p":
                self.one.arrived.wait(600)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        gate.set()
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 7, err)
        self.assertIn(b"freshet: disk-full: ", err)
        told = sum(json.loads(x)["type"] == "page" for x in out.splitlines())
        self.assertEqual(len(self.fetch("--json").records()) - 1, 4 - told)

    def test_archive_beside_the_store(self):
        """An archive leaves the store on its disk room to be written."""
        one = self.one = self.make("127.0.0.3", self.MANY)
        for n in range(self.MANY):
            one.put("/p%d" % n, page(n, body=os.urandom(60000).hex()), headers=HTML, delay=0.01)
        disk = os.path.join(self.program.folder, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=36m", "freshet-test", disk], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        store = shutil.copy(self.program.store, disk)
        process = self.program.start("fetch", "--json", "--warc", os.path.join(disk, "pages"), "--store", store,
                                     "--min-free", "32M", "127.0.0.3")
        self.assertRegex(process.stderr.readline().decode(), "^freshet: the disk of the store is nearly full: fetching pauses ")
        self.assertLess(len(one.requests), self.MANY)
        subprocess.run(["mount", "-o", "remount,size=99m", disk], check=True)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(err.decode(), "freshet: the disk of the store has room: fetching goes on\n")
        self.assertEqual(sum(json.loads(x)["type"] == "page" for x in out.splitlines()), self.MANY)

    def test_full(self):
        """A full disk: a warning, a try each ten seconds, and on it goes."""
        Case.setUp(self)
        self.follow_clock()
        one = self.one = self.make("127.0.0.3", self.MANY)
        for n in range(self.MANY):  # half of its bits are noise
            one.put("/p%d" % n, page(n, body=TEXT + os.urandom(15000).hex()), headers=HTML)
        folder = os.path.join(self.program.folder, "pages")
        process = self.program.start("fetch", "--json", "--warc", folder, "127.0.0.3")
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (600000, resource.RLIM_INFINITY))
        line = process.stderr.readline().decode()
        self.assertRegex(line, r"^freshet: cannot write '.*': File too large: fetching pauses until "
                         r"it can be written\n$")
        time.sleep(0.3)
        asked = len(one.requests)
        self.clock.advance(11)
        with one.lock:
            while len(one.requests) < asked + 1:
                one.arrived.wait(600)
        time.sleep(0.3)
        # one page after another tries, as long as they are small enough
        self.assertLess(len(one.requests), asked + 8)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        self.clock.advance(11)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(err.decode(), "freshet: the archive can be written again: fetching goes on\n")
        self.assertEqual(sum(json.loads(x)["type"] == "page" for x in out.splitlines()), self.MANY)
        urls = [url for kind, url, _ in records(folder) if kind == "response"]
        self.assertEqual(sorted(urls), sorted(one.url("/p%d" % n) for n in range(self.MANY)))

    def test_no_folder(self):
        """A folder that is gone is told as what it is, and awaited like room on a disk."""
        Case.setUp(self)
        self.follow_clock()
        one = self.one = self.make("127.0.0.3", self.MANY)
        for n in range(self.MANY):
            one.put("/p%d" % n, page(n), headers=HTML, delay=0.02)
        folder = os.path.join(self.program.folder, "pages")
        process = self.program.start("fetch", "--json", "--warc", folder, "127.0.0.3")
        with one.lock:
            while not any(r.target == "/p5" for r in one.requests):
                one.arrived.wait(600)
        shutil.rmtree(folder)
        line = process.stderr.readline().decode()
        self.assertRegex(line, r"^freshet: cannot (find|open) '%s.*': No such file or directory: "
                         r"fetching pauses until it can be written\n$" % re.escape(folder))
        os.mkdir(folder)
        self.clock.advance(11)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(err.decode(), "freshet: the archive can be written again: fetching goes on\n")
        told = {r["url"] for r in map(json.loads, out.splitlines()) if r["type"] == "page"}
        self.assertEqual(told, {one.url("/p%d" % n) for n in range(self.MANY)})
