"""Memory that runs out at an allocation, once or from then on, in whatever library
(HOSTILE L1): one line, a status, and the next run completes what was begun.

Each run of the part tier tries other allocations than the one before (counts.py).
"""
import os
import unittest

import counts
from durable import Durable
from program import BINARY, MEMORY

OUT_OF_MEMORY = 8


def is_asan():
    with open(BINARY, "rb") as f:
        return b"__asan_init" in f.read()


@unittest.skipUnless(os.access(MEMORY, os.R_OK), "nothing to preload: '%s'" % MEMORY)
class Memory(Durable):
    WORLD = {"children": 3, "entries": 20, "delay": 0}
    DEPTH = 0

    def setUp(self):
        if is_asan():
            self.skipTest("nothing is preloaded before AddressSanitizer")
        super().setUp()

    def fail_at(self, number, is_ever, **more):
        """A crawl of which that allocation fails; 0: none."""
        env = {"LD_PRELOAD": MEMORY, "FRESHET_MEMORY_AT": str(number),
               "FRESHET_MEMORY_DEPTH": str(self.DEPTH)}
        if is_ever:
            env["FRESHET_MEMORY_EVER"] = "1"
        env.update(more)
        self.fresh()
        return self.crawl_under(told_as=("allocation %d%s" % (number, " and on" if is_ever else ""),),
                                env=env)

    def allocations(self, file):
        """How many a crawl makes that nobody disturbs."""
        path = os.path.join(self.program.folder, "allocations")
        result = self.fail_at(0, False, FRESHET_MEMORY_COUNT=path, FRESHET_MEMORY_IN=file)
        self.assertEqual(result.status, 0, str(result))
        with open(path, encoding="ascii") as f:
            counted = max(map(int, f))
        os.unlink(path)
        return counted

    def points(self, name, most, trials):
        """Allocations to fail: others in each run."""
        done = counts.turn(name)
        for number in range(done, done + trials):
            # the golden ratio: evenly over all, however many there are
            yield 1 + int((0.5 + number * counts.GOLDEN) % 1 * most), number % 2 == 1
        counts.add(name, trials)

    def check(self, file, most, trials, statuses):
        for number, is_ever in self.points("%s in %s" % (self.id(), file), most, trials):
            with self.subTest(file=file, allocation=number, ever=is_ever):
                result = self.fail_at(number, is_ever, FRESHET_MEMORY_IN=file)
                self.judge_one(result, statuses)

    def judge_one(self, result, statuses):
        # the C library gives a thread its room only when the thread uses it
        is_thread = result.status == 127 and "thread-local" in result.err
        self.judge(result, (127,) if is_thread else statuses)
        if result.status == OUT_OF_MEMORY:
            # GnuTLS has a line of its own when it is loaded; what loads libraries says what it could
            # not make
            self.assertRegex(result.err, r"\A(Error in GnuTLS .*\n)?"
                             r"freshet: (.*memory.*|cannot load a library: .*cannot create .*)\n\Z")


class Main(Memory):
    # those of the C library are stdio, the resolver and what loads libraries
    FILES = ("crawler/freshet", "libcurl", "libsqlite3", "libevent", "libzstd", "libgnutls", "libc.so",
             "ld-linux")

    def test_files(self):
        # all that libjansson allocates comes from mem_alloc()
        self.assertEqual(self.allocations("libjansson"), 0)
        for file in self.FILES:
            most = self.allocations(file)
            if most > 0:
                self.check(file, most, counts.pick(1, 6, 12), (0, 1, OUT_OF_MEMORY))


@unittest.skipUnless(counts.FULL or counts.PART, "a second generation takes minutes")
class MainAgain(Main):
    GENERATION = 1


class Readers(Memory):
    """Of each reader: documents fail, or another reader reads them, and nothing is missed for it."""

    DEPTH = 2
    ALLOCATIONS = 130  # that each makes at least

    def judge_one(self, result, statuses):
        self.assertIn(result.status, statuses, str(result))
        self.failed += result.status != 0
        self.assertSound()
        self.assertKept(result.out)
        if result.status != 0:
            self.assertIn("reader-crashed", result.out)
        self.crawl("--delay", "0", self.world.index)
        self.assertSame(self.told("--since", "1h"))

    def test_reader(self):
        self.failed = 0
        # 4: nothing could be read
        self.check("", self.ALLOCATIONS, counts.pick(3, 30, 60), (0, 1, 4))
        self.assertGreater(self.failed, 0, "no reader makes so many allocations")


if __name__ == "__main__":
    unittest.main()
