"""freshet demo machines: three machines with one store, one of which dies."""
import os
import re
import unittest

import pg
from case import Case


@unittest.skipIf(pg.NO_SERVER, pg.NO_SERVER)
class DemoMachines(Case):
    def test_all_is_well(self):
        result = self.program.run("demo", "machines", timeout=600)
        self.assertEqual(result.status, 0, str(result))
        last = result.out.splitlines()[-1]
        self.assertIn("nothing is lost (all 6000 URLs are in the store)", last)
        self.assertIn("no site was asked too early", last)
        # a machine is gone, and its shards have other holders
        self.assertRegex(result.out, r"(?m)^\S.*: gone, ")
        folder = re.search(r"host=(/tmp/freshet-machines-\w+)", result.out).group(1)
        self.assertFalse(os.path.exists(folder), folder)

    def test_refused(self):
        for words in (("--keep", self.program.folder), ("--json",)):
            result = self.program.run("demo", "machines", *words)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("neither --keep nor --json", result.err)
