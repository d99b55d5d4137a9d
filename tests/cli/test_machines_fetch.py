"""`freshet run --fetch` over the shards of a store in PostgreSQL."""
import collections
import os
import unittest

import warc
from case import urlset
from test_machines_keeper import Keepers

HOSTS, PAGES = 8, 12


class Fetch(Keepers):
    def world(self):
        """Hosts by name, on one server."""
        web = self.site()
        self.names = ["h%d.example" % n for n in range(HOSTS)]
        web.put("/robots.txt", "User-agent: *\nDisallow: /private/\n")
        for name in self.names:
            pages = ["http://%s/%d" % (name, n) for n in range(PAGES)]
            web.put(name + "/sitemap.xml", urlset(pages + ["http://%s/private/1" % name]))
            for n in range(PAGES):
                web.put("%s/%d" % (name, n), "<title>%d of %s</title><main>text</main>" % (n, name),
                        headers=[("Content-Type", "text/html")])
        self.web = web
        return ["--connect-to", "::127.0.0.1:%d" % web.port]

    def pages_asked(self):
        with self.web.lock:
            return collections.Counter((r.host, r.target) for r in self.web.requests if r.target[1:].isdigit())

    def fetched(self):
        return int(self.sql("SELECT count(*) FROM freshet.state WHERE fetched_s > 0")[0][0])

    def test_two_workers(self):
        """Each worker fetches the pages of its hosts, each page once, into one folder."""
        self.init_shards(2)
        # hosts have the same homes in each run, and each shard has some
        self.sql("UPDATE freshet.cluster SET hash_key = '0123456789abcdef'")
        network = self.world()
        folder = os.path.join(self.program.folder, "pages")
        keeper = self.keeper("one", "--fetch", "--warc", folder, *network)
        self.wait_for(lambda: self.held() == [2] and len(self.workers(keeper)) == 2)
        added = self.program.run("add", *["http://%s/" % name for name in self.names], env=self.machine("one"))
        self.assertEqual(added.status, 0, str(added))
        self.wait_for(lambda: self.fetched() == HOSTS * PAGES)
        self.end(keeper)
        asked = self.pages_asked()
        self.assertEqual(asked, {(name, "/%d" % n): 1 for name in self.names for n in range(PAGES)})
        self.assertEqual([r for r in self.web.requests if r.target.startswith("/private")], [])
        records, wrong = warc.read_folder(folder)
        self.assertEqual(wrong, [])
        answers = [r for r in records if r.is_answer]
        self.assertEqual(sorted(r.url for r in answers),
                         sorted("http://%s/%d" % (name, n) for name in self.names for n in range(PAGES)))
        # by both workers: each had a file of its own
        self.assertEqual(len({r.file for r in answers}), 2)
        self.assertEqual([name for name in os.listdir(folder) if name.endswith(".open")], [])


if __name__ == "__main__":
    unittest.main()
