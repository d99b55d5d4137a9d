"""Fetching from a store of several shards."""
import os

from test_fetch import HTML, page, records
from test_machines_router import PAGES, RouterCase


class Shards(RouterCase):
    def test_shards(self):
        """Workers fetch for the command, free shards are taken, and others are named."""
        workers = [self.crawled(shard) for shard in (0, 1)]
        folder = os.path.join(self.program.folder, "pages")
        for site in self.sites.values():
            for k in range(PAGES):
                site.put("/%d" % k, page(k), headers=HTML)
        result = self.ok("fetch", "--json", "-n", "8", "--warc", folder, "--delay", "0")
        pages = [r["url"] for r in result.records() if r["type"] == "page"]
        self.assertEqual(len(set(pages)), 8, str(result))
        self.assertEqual([sum(url.startswith(self.sites[s].url("/")) for url in pages) for s in (0, 1)],
                         [PAGES, 8 - PAGES])
        # one of the others is free, and one is another machine's
        self.end(workers[0], 0)
        self.sql("UPDATE freshet.shard SET owner = NULL, until = now() WHERE shard = 0")
        rest = self.ok("fetch", "--json", "--warc", folder, "--delay", "0", status=1)
        self.assertEqual(len([r for r in rest.records() if r["type"] == "page"]), 2 * PAGES - 8, str(rest))
        self.assertRegex(rest.err, "store-locked.*db2")
        urls = [url for kind, url, _ in records(folder) if kind == "response"]
        self.assertEqual(len(urls), 2 * PAGES)
        self.assertEqual(len(set(urls)), 2 * PAGES)
        self.assertEqual((self.outcomes(0), self.outcomes(1)), (PAGES, PAGES))
        follow = self.ok("fetch", "--follow", status=2)
        self.assertIn("'--follow' needs a store of one shard", follow.err)
        self.end(workers[1], 1)
