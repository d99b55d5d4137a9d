"""Power cuts (HOSTILE S3); see powercut.c."""
import os
import subprocess
import unittest

import counts
import parent_death
from test_sandbox import HOOKED

POWERCUT = os.path.join(os.path.dirname(HOOKED), "..", "tests", "durability", "powercut")
SEED = 4  # of the quick tier: one that finds what FULL and settle() prevent


@unittest.skipUnless(os.access(POWERCUT, os.X_OK), "it is not built: '%s'" % POWERCUT)
class PowerCut(unittest.TestCase):
    def cuts(self, count, seed):
        done = subprocess.run([POWERCUT, str(count), str(seed)], capture_output=True,
                              timeout=600, preexec_fn=parent_death.with_parent())
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr).decode())

    def test_cuts(self):
        count = counts.pick(100, 300, 1000)
        # other disks in each run
        self.cuts(count, SEED + counts.turn(self.id()))
        counts.add(self.id(), count)


if __name__ == "__main__":
    unittest.main()
