"""A store of ten million URLs (HOSTILE S15): whatever begins with it begins at once, and
what looks at all of it takes a time and a memory that are bounded.  Not in the quick tier."""
import json
import os
import subprocess
import sys
import unittest

from case import Case, gz, index, urlset
from counts import FULL, PART
from late import assert_sooner
from program import TOP

CHILDREN = int(os.environ.get("FRESHET_LARGE_CHILDREN", "200"))
ENTRIES = 50000
MIB = 64  # of memory that a command may use, that does not show all at once
# of a first crawl, with what the server of the test needs
CRAWL_S = 400
# (command, seconds that it may take): those that need no more than a part of the store,
# and those that look at all of it
COMMANDS = (
    (["db", "info"], 5), (["list"], 5), (["explain", "SITE/0.xml.gz"], 5), (["diff"], 10),
    (["run", "--once"], 30), (["db", "fsck"], 120), (["db", "backup", "copy.db"], 60),
    (["export", "-f", "urls"], 120), (["db", "vacuum"], 120))


@unittest.skipUnless(FULL or PART, "ten million URLs take minutes")
class Large(Case):
    def measured(self, args, out):
        """(seconds, MiB) of the command, whose output is in a file."""
        report = os.path.join(self.program.folder, "measured.json")
        done = subprocess.run(
            [sys.executable, "-IS", os.path.join(TOP, "tests", "tools", "measured.py"), report, "600",
             self.program.binary] + args, env=self.program.environment(), cwd=self.program.folder,
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        with open(report, encoding="ascii") as f:
            used = json.load(f)
        self.assertEqual(used["status"], 0, done.stderr.decode())
        return used["wall_s"], used["rss_kib"] / 1024

    def test_all(self):
        site = self.site()
        site.put("/robots.txt", "Sitemap: %s\n" % site.url("/index.xml"))
        site.put("/index.xml", index([site.url("/%d.xml.gz" % n) for n in range(CHILDREN)]))
        for n in range(CHILDREN):
            site.put("/%d.xml.gz" % n, gz(urlset(
                ["%s/%d/%d" % (site.origin, n, k) for k in range(ENTRIES)]), 1), etag='"%d"' % n)
        with open(os.path.join(self.program.folder, "out"), "wb+") as out:
            added = self.program.run("add", site.url("/"), "--every", "30d")
            self.assertEqual(added.status, 0, str(added))
            seconds, _ = self.measured(["run", "--once"], out)
            assert_sooner(seconds, CRAWL_S)
            for command, most_s in COMMANDS:
                with self.subTest(command=command):
                    out.truncate(0)
                    args = [word.replace("SITE", site.origin) for word in command]
                    seconds, mib = self.measured(args, out)
                    print("%s: %.1f s, %.0f MiB" % (" ".join(command), seconds, mib))
                    self.assertLess(mib, MIB, command)
                    assert_sooner(seconds, most_s)
            out.truncate(0)
            out.seek(0)
            self.measured(["export", "-f", "urls"], out)
            out.seek(0)
            self.assertEqual(sum(chunk.count(b"\n") for chunk in iter(lambda: out.read(1 << 20), b"")),
                             CHILDREN * ENTRIES)


if __name__ == "__main__":
    unittest.main()
