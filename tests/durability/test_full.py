"""A disk that is full in earnest (HOSTILE S4, S5, S7): the last commit is
intact, and with room the next run completes it."""
import os
import shutil
import subprocess
import unittest

from durable import Durable
from test_sandbox import HOOKED

WORLD = {"children": 8, "entries": 1000, "delay": 0.03}


class FileSize(Durable):
    """RLIMIT_FSIZE; its signal is ignored."""

    WORLD = WORLD

    def sizes(self):
        """From one at which the store cannot be made to one that suffices: the
        log before the store may be twice as large, by how commits fall."""
        return self.some(range(20000, 4 * os.path.getsize(self.program.store), 20000), 5)

    def test_limits(self):
        statuses = set()
        for size in self.sizes():
            with self.subTest(size=size):
                self.fresh()
                result = self.crawl_under("prlimit", "--fsize=%d" % size,
                                          told_as=("%d bytes" % size,))
                self.judge(result, (0, 7))
                statuses.add(result.status)
        self.assertEqual(statuses, {0, 7})


@unittest.skipUnless(os.geteuid() == 0, "a small file system needs root")
@unittest.skipUnless(os.access(HOOKED, os.X_OK), "no binary with test hooks: '%s'" % HOOKED)
class SmallDisk(Durable):
    """A file system of its own, of a few megabytes."""

    WORLD = WORLD

    def setUp(self):
        super().setUp()
        self.program.binary = HOOKED
        self.disk = os.path.join(self.program.folder, "disk")
        os.mkdir(self.disk)

    def mount(self, size):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "freshet-test",
                               self.disk], capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("nothing can be mounted: " + done.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)
        self.program.store = os.path.join(self.disk, "store.db")

    def crawl_with(self, min_free):
        path = os.path.join(self.program.folder, "disk.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write("[defaults]\nmin-free = %d\n" % min_free)
        return self.crawl_under(env={"FRESHET_CONFIG": path})

    def check(self, size, min_free):
        self.mount(size)
        result = self.crawl_with(min_free)
        free = os.statvfs(self.disk).f_bavail * os.statvfs(self.disk).f_frsize
        # with room again
        self.fresh()
        for name in os.listdir(self.disk):
            shutil.copy(os.path.join(self.disk, name), os.path.dirname(self.program.store))
        self.judge(result, (7,))
        return result, free

    def test_full(self):
        result, _ = self.check(400 << 10, 0)
        self.assertIn("disk-full", result.err)

    def test_floor(self):
        """Stopped while there is room (S7)."""
        result, free = self.check(1200 << 10, 700 << 10)
        self.assertGreater(free, 0)
        self.assertTrue(self.acknowledged(result.out))

    def test_floor_at_start(self):
        result, _ = self.check(1 << 20, 2 << 20)
        self.assertEqual(self.acknowledged(result.out), [])


if __name__ == "__main__":
    unittest.main()
