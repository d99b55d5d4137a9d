"""Commands on a store of several shards: what workers of this machine hold, and what lives elsewhere."""
import json
import os
import signal
import time
import unittest

import pg
import processes
from case import urlset
from test_depot import DepotCase
from test_machines_keeper import Keepers

SHARDS = 3
PAGES = 6


@unittest.skipIf(pg.NO_SERVER, pg.NO_SERVER)
class RouterCase(DepotCase):
    """Another machine, db2, holds all shards, until here() makes some free; self.sites has a site of each."""

    def setUp(self):
        super().setUp()
        self.init()
        self.sql("INSERT INTO freshet.shard (shard, schema) SELECT n, schema FROM freshet.shard,"
                 " generate_series(1, %d) n; UPDATE freshet.slot SET shard = slot %% %d;"
                 " UPDATE freshet.shard SET owner = 'db2', until = now() + '1 hour'"
                 % (SHARDS - 1, SHARDS))
        self.sites = {}
        host = 1
        while len(self.sites) < SHARDS:
            site = self.site(address="127.0.0.%d" % host)
            host += 1
            site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
            site.put("/s.xml", urlset([(site.url("/%d" % k), "2026-01-01") for k in range(PAGES)]))
            self.ok("add", site.url("/"))
            self.sites.setdefault(int(self.sql("DELETE FROM freshet.mail RETURNING shard")[0][0]), site)

    def ok(self, *args, status=0, **kwargs):
        result = self.program.run(*args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def mail(self, shard):
        """The requests that wait for the owner of a shard, each a list of lines."""
        return [row[0].splitlines()
                for row in self.sql("SELECT lines FROM freshet.mail WHERE shard = %d ORDER BY id" % shard)]

    def mailed(self, shard):
        return int(self.sql("SELECT count(*) FROM freshet.mail WHERE shard = %d" % shard)[0][0])

    def worker(self, shard):
        """A process that holds the shard, and serves commands."""
        self.sql("UPDATE freshet.shard SET owner = NULL, until = now()"
                 " WHERE shard = %d AND owner = 'db2'" % shard)
        process = self.program.start("run", "--shard", str(shard), "--delay", "0")
        while b"started" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        return process

    def end(self, process, shard):
        """The worker ends, and the other machine has the shard."""
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 143, err)
        self.sql("UPDATE freshet.shard SET owner = 'db2', until = now() + '1 hour'"
                 " WHERE shard = %d" % shard)
        return err.decode()

    def outcomes(self, shard):
        return int(self.sql("SELECT count(*) FROM freshet.outcome WHERE shard = %d" % shard)[0][0])

    def crawled(self, shard):
        """Have a worker that knows the pages of the site of its shard."""
        process = self.worker(shard)
        added = self.ok("add", self.sites[shard].url("/"))
        self.assertIn("added", added.out)
        self.assertEqual(added.err, "")
        self.wait_for(lambda: self.program.run("due", "--peek").records() and len(
            self.program.run("due", "--peek", "--per-host", "0", self.sites[shard].address).records()) == PAGES)
        return process

    def results(self, pages):
        return "".join('{"lease": "%s", "status": 200}\n' % page["lease"] for page in pages)


class Elsewhere(RouterCase):
    def test_requests(self):
        """What is asked of a shard that lives elsewhere is a row of mail, and the answer says so once."""
        site = self.sites[1]
        for number, (words, command, key, value) in enumerate((
                (["add", site.url("/"), "--tag", "news"], "add", "targets", [site.url("/")]),
                (["set", site.address, "every=1d"], "set", "settings", ["every=1d"]),
                (["rm", site.address], "rm", "targets", [site.address]),
                (["note", site.address, "2026-01-01", "New year"], "note", "note", "New year"),
                (["hold", site.address, "--for", "1h"], "hold", "for_s", 3600),
                (["release", "1:a.1"], "release", "leases", ["1:a.1"]))):
            result = self.ok(*words)
            self.assertEqual(result.err.count("what lives on machine db2 is noted"), 1, str(result))
            mail = self.mail(1)
            self.assertEqual(len(mail), number + 1, str(result))
            request = json.loads(mail[-1][0])
            self.assertEqual((request["command"], request[key]), (command, value))
        self.assertEqual(self.mail(0) + self.mail(2), [])
        self.assertEqual(self.ok("add", "--json", site.url("/")).records()[0]["change"], "noted")
        # all shards have what concerns all
        self.ok("release")
        self.ok("set", "@news", "budget=5/h")
        for shard in range(SHARDS):
            self.assertEqual([json.loads(m[0])["command"] for m in self.mail(shard)[-2:]], ["release", "set"])

    def test_lines(self):
        """Each line of `done` and `import` goes to its shard."""
        urls = {shard: self.sites[shard].url("/x") for shard in self.sites}
        lines = ['{"lease": "2:1f.1", "status": 200}', "", '{"url": "%s", "status": 404}' % urls[0], "no result",
                 '{"lease": "1:a.1", "status": 200, "rest": "last_modified"} \u00e4']
        done = self.ok("done", input="\n".join(lines) + "\n")
        answers = {record["line"]: record for record in done.records()}
        self.assertEqual({line: a["ack"] for line, a in answers.items()}, {1: "OK", 3: "OK", 4: "FAIL", 5: "OK"})
        self.assertEqual((answers[1]["lease"], answers[3]["url"], answers[4]["reason"]), ("2:1f.1", urls[0], "not-json"))
        self.assertEqual([m[1:] for shard in (2, 0, 1) for m in self.mail(shard)],
                         [["1 " + lines[0]], ["3 " + lines[2], "4 " + lines[3]], ["5 " + lines[4]]])
        self.sql("DELETE FROM freshet.mail")
        result = self.ok("import", input="%s\nnonsense\n\n%s\n" % (urls[1], urls[2]), status=4)
        self.assertIn("stdin:2: ", result.err)
        self.assertEqual([m[1:] for shard in range(SHARDS) for m in self.mail(shard)], [[urls[1]], [urls[2]]])

    def test_refused(self):
        """`due` and `crawl` work where the shard lives."""
        result = self.ok("due", status=5)
        self.assertIn("'freshet run' holds shards", result.err)
        result = self.ok("due", self.sites[0].address, status=4)
        self.assertIn("does not live on this machine", result.err)
        result = self.ok("crawl", self.sites[0].url("/"), status=5)
        self.assertIn("store-locked", result.err)
        self.assertEqual(self.sites[0].requests, [])

    def test_free(self):
        """Nobody holds the shard: what is asked is noted, and a crawl takes it."""
        self.sql("UPDATE freshet.shard SET owner = NULL")
        self.assertIn("nobody holds", self.ok("add", self.sites[0].url("/")).err)
        self.crawl(*(site.url("/") for site in self.sites.values()))
        self.assertEqual(self.sql("SELECT shard FROM freshet.site ORDER BY shard"), [[str(s)] for s in range(SHARDS)])


class Here(RouterCase):
    def test_due_done(self):
        """`due` has pages of the shards that are here, as many as were asked for; each result goes to its shard."""
        workers = {shard: self.crawled(shard) for shard in (0, 1)}
        seen = []
        for count in (1, 4, 100):
            pages = self.ok("due", "-n", str(count), "--per-host", "0").records()
            self.assertLessEqual(len(pages), count)
            if count == 4:
                # the first that is asked leaves a part to the others
                self.assertEqual({page["lease"].split(":")[0] for page in pages}, {"0", "1"})
            seen += pages
        self.assertEqual(len({page["url"] for page in seen}), 2 * PAGES)
        self.assertEqual({page["lease"].split(":")[0] for page in seen}, {"0", "1"})
        for page in seen:
            self.assertEqual(page["url"].split(":")[1], "//" + self.sites[int(page["lease"][0])].address)
        back = [page["lease"] for page in seen[-2:]]
        self.assertEqual(self.ok("release", *back).err, "")
        done = self.ok("done", input=self.results(seen[:-2])).records()
        self.assertEqual([a["ack"] for a in done], ["OK"] * (2 * PAGES - 2))
        self.assertEqual(sorted(a["line"] for a in done), list(range(1, 2 * PAGES - 1)))
        self.assertTrue(all(a["next_due"] for a in done))
        self.assertEqual(self.outcomes(0) + self.outcomes(1), 2 * PAGES - 2)
        self.assertEqual({page["lease"].rsplit(".")[0] for page in self.ok("due", "-n", "9", "--per-host", "0").records()},
                         {lease.rsplit(".")[0] for lease in back})
        self.assertIn("1 page was", self.ok("release").out.replace("2 pages were", "1 page was"))
        for shard, process in workers.items():
            # the first of those that are here
            self.assertEqual(self.ok("top", "-f", "ndjson").records()[0]["pid"], process.pid)
            self.end(process, shard)

    def test_sites(self):
        """`due` of sites and tags: who knows them, and what lives elsewhere."""
        for shard in (0, 1):
            self.crawled(shard)
        result = self.ok("due", "--peek", self.sites[0].address, self.sites[2].address, status=1)
        self.assertEqual({page["site"] for page in result.records()}, {self.sites[0].address})
        self.assertIn("'%s' does not live on this machine" % self.sites[2].address, result.err)
        self.assertIn("no shard with such pages is held on this machine", self.ok("due", "--tag", "news", status=4).err)
        self.ok("set", self.sites[1].address, "tag=news")
        self.assertEqual({page["site"] for page in self.ok("due", "--peek", "--tag", "news").records()},
                         {self.sites[1].address})

    def test_stopped(self):
        """A worker that is stopped does not keep `due` from its end, whoever is asked first."""
        workers = {shard: self.crawled(shard) for shard in (0, 1)}
        self.ok("due", "-n", "100", "--per-host", "0")
        workers[1].send_signal(signal.SIGSTOP)
        asking = [self.program.start("due") for _ in range(SHARDS)]
        for process in asking:
            process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0)
        workers[1].send_signal(signal.SIGCONT)

    def test_follow(self):
        """`due --follow` has the pages of workers that come later, and gives back what nobody read."""
        first = self.crawled(0)
        process = self.program.start("due", "--follow", "--per-host", "0")
        leases = [json.loads(process.stdout.readline())["lease"] for _ in range(PAGES)]
        self.assertEqual({lease[0] for lease in leases}, {"0"})
        self.worker(2)
        self.ok("add", self.sites[2].url("/"))
        leases += [json.loads(process.stdout.readline())["lease"] for _ in range(PAGES)]
        self.assertEqual({lease[0] for lease in leases[PAGES:]}, {"2"})
        self.end(first, 0)
        answers = self.ok("done", input=self.results({"lease": lease} for lease in leases)).records()
        self.assertEqual([a["ack"] for a in answers], ["OK"] * 2 * PAGES)
        self.assertEqual(len(self.mail(0)), 1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 143)

    def test_alert(self):
        """Alerts are told by the workers, each for its shard."""
        config = os.path.join(self.program.folder, "alert.conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("[alert a]\nexec = /bin/cat\n")
        self.assertIn("--shard", self.ok("alert", "send", "--config", config, status=2).err)
        process = self.crawled(1)
        self.assertEqual(self.ok("alert", "send", "--shard", "1", "--config", config).err, "")
        self.end(process, 1)

    def test_mail(self):
        """The next owner does what was noted, once, and says what it does not understand."""
        process = self.crawled(1)
        pages = self.ok("due", "-n", "9", "--per-host", "0").records()
        self.assertEqual(len(pages), PAGES)
        self.end(process, 1)
        self.ok("done", input=self.results(pages))
        self.ok("note", self.sites[1].address, "2026-01-01", "New year")
        self.ok("hold", "--for", "1h", self.sites[1].address)
        self.ok("import", input="".join(self.sites[1].url("/new/%d\n" % k) for k in range(3)))
        self.sql("INSERT INTO freshet.mail (shard, lines) VALUES (1, 'nonsense'),"
                 " (1, '{\"v\":1,\"command\":\"run\"}'), (1, '')")
        self.assertEqual(self.mailed(1), 7)
        self.assertEqual(self.outcomes(1), 0)
        process = self.worker(1)
        self.wait_for(lambda: self.mailed(1) == 0)
        self.assertEqual(self.outcomes(1), PAGES)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.note WHERE shard = 1"), [["1"]])
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.page WHERE shard = 1"), [[str(PAGES + 3)]])
        # a worker that is here learns of mail at once
        self.sql("INSERT INTO freshet.mail (shard, lines) VALUES (1,"
                 " '{\"v\":1,\"command\":\"hold\",\"host\":\"example.com\",\"for_s\":3600}');"
                 "NOTIFY freshet_1")
        self.wait_for(lambda: self.mailed(1) == 0)
        self.assertEqual(self.sql("SELECT count(*) FROM freshet.hold WHERE shard = 1 AND host = 'example.com'"), [["1"]])
        err = self.end(process, 1)
        self.assertEqual(err.count("through PostgreSQL: the process that holds the store does not know"), 2, err)

    def test_killed(self):
        """A worker is killed while results come: those that it did not answer are noted."""
        process = self.crawled(1)
        pages = self.ok("due", "-n", "9", "--per-host", "0").records()
        process.kill()
        process.wait()
        answers = self.ok("done", input=self.results(pages)).records()
        self.assertEqual([a["ack"] for a in answers], ["OK"] * PAGES)
        self.assertEqual(len(self.mail(1)), 1)
        self.worker(1)
        self.wait_for(lambda: self.mailed(1) == 0)
        self.assertEqual(self.outcomes(1), PAGES)


class Machines(Keepers):
    def test_across(self):
        """Two machines, whose workers are killed: pages of each are told on the other, and no result is lost."""
        self.init_shards(4)
        ones, twos = self.keeper("one"), self.keeper("two")
        self.wait_for(lambda: self.held() == [2, 2])
        for host in range(1, 9):
            site = self.site(address="127.0.0.%d" % host)
            site.put("/robots.txt", "Sitemap: %s\n" % site.url("/s.xml"))
            site.put("/s.xml", urlset([(site.url("/%d" % k), "2026-01-01") for k in range(PAGES)]))
            added = self.program.run("add", site.url("/"), env=self.machine("one"))
            self.assertEqual(added.status, 0, str(added))
        leased = set()
        ends = time.monotonic() + 600
        for turn in range(1000):
            here, there = ("one", "two") if turn % 2 else ("two", "one")
            pages = self.program.run("due", "-n", "7", "--per-host", "0", env=self.machine(here)).records()
            self.assertLessEqual(len(pages), 7)
            # nobody gets a page twice within its lease
            self.assertEqual(leased & {page["url"] for page in pages}, set())
            leased |= {page["url"] for page in pages}
            if pages:
                done = self.program.run("done", env=self.machine(there), input="".join(
                    '{"lease": "%s", "url": "%s", "status": 200}\n' % (page["lease"], page["url"]) for page in pages))
                self.assertEqual([a["ack"] for a in done.records()], ["OK"] * len(pages), str(done))
            # after three deaths a shard would be left alone
            if turn in (3, 8):
                for keeper in (ones, twos):
                    for worker in list(self.workers(keeper).values())[:1]:
                        processes.kill(worker)
            if len(leased) == 8 * PAGES:
                break
            self.assertLess(time.monotonic(), ends)
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.mail") == [["0"]])
        self.assertEqual(self.sql("SELECT count(*), count(DISTINCT (shard, page_id)) FROM freshet.outcome"),
                         [[str(8 * PAGES)] * 2])
        self.end(ones)
        self.end(twos)
