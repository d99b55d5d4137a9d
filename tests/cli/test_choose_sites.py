"""Sites chosen by their names and tags: due, list, set, rm, export, stats."""
import os
import re
import subprocess
import time
import unittest

from case import Case
from test_due import PAGES, Frontier, result
from test_due_stream import Clocked, Streams, interrupt


class Due(Frontier):
    def setUp(self):
        super().setUp()
        self.two = self.make("127.0.0.2", 3)
        self.three = self.make("127.0.0.3", 2)

    def hosts(self, *args, status=0):
        return sorted({page["host"] for page in self.due(*args, status=status)})

    def said(self, *args, status=0):
        result = self.program.run("due", *args)
        self.assertEqual(result.status, status, str(result))
        self.err = result.err
        return result.records()

    def tag(self, tag, *hosts):
        self.assertEqual(self.program.run("add", "--tag", tag, *hosts).status, 0)

    def test_several_sites(self):
        self.assertEqual(self.hosts("127.0.0.2", self.three.url("/x")), ["127.0.0.2", "127.0.0.3"])
        self.assertEqual(self.hosts("127.0.0.2", "127.0.0.3"), [])
        # nobody else's pages were kept from others meanwhile
        self.assertEqual(len(self.due()), PAGES)

    def test_not_in_the_store(self):
        """The message is the same as that of ls and stats."""
        self.assertEqual(self.said("a.example", "b.example", status=4), [])
        self.assertEqual(self.err, "".join(
            "freshet: '%s.example' is not in the store; run 'freshet crawl %s.example' first\n"
            % (name, name) for name in "ab"))
        pages = self.said("a.example", "127.0.0.2", status=1)
        self.assertEqual({page["host"] for page in pages}, {"127.0.0.2"})
        self.assertIn("'a.example' is not in the store", self.err)
        self.assertEqual(self.said("a.example", "--follow", status=4), [])

    def test_tags(self):
        self.tag("news", "127.0.0.2", "127.0.0.3")
        self.tag("slow", "127.0.0.1")
        self.assertEqual(self.hosts("--tag", "news", "-n", "4"), ["127.0.0.2", "127.0.0.3"])
        self.assertEqual(self.hosts("--tag", "news", "127.0.0.1"), [])
        self.assertEqual(len(self.due("--tag", "news", "--tag", "slow")), PAGES + 1)

    def test_no_such_tag(self):
        self.assertEqual(self.said("--tag", "news", status=4), [])
        self.assertEqual(self.err, "freshet: no site of the watch list has the tag 'news'\n")
        self.tag("news", "127.0.0.2")
        self.assertEqual(self.hosts("--tag", "news", "--tag", "none", status=1), ["127.0.0.2"])
        self.program.run("rm", "127.0.0.2")
        self.assertEqual(self.said("--tag", "news", status=4), [])

    def test_crawl(self):
        """Watched sites are crawled by their tag, due or not."""
        self.tag("news", self.two.url("/"), self.three.url("/"))
        self.tag("slow", "127.0.0.1")
        asked = [len(site.requests) for site in (self.two, self.three, self.one)]
        crawl = self.program.run("crawl", "--tag", "news", "--tag", "none", "--json")
        self.assertEqual(crawl.status, 0, str(crawl))
        self.assertEqual(crawl.err.splitlines()[0],
                         "freshet: no site of the watch list has the tag 'none'")
        now = [len(site.requests) for site in (self.two, self.three, self.one)]
        self.assertEqual([a < b for a, b in zip(asked, now)], [True, True, False])
        # one known tag is enough, and an unknown one is named everywhere
        for args in (("diff",), ("list",), ("stats",), ("export", "-f", "urls")):
            result = self.program.run(*args, "--tag", "news", "--tag", "none")
            self.assertEqual((result.status, result.err), (
                0, "freshet: no site of the watch list has the tag 'none'\n"), args)
        crawl = self.program.run("crawl", "--tag", "none")
        self.assertEqual((crawl.status, crawl.out), (4, ""))
        crawl = self.program.run("crawl", "--tag", "news", "127.0.0.1")
        self.assertEqual((crawl.status, crawl.err), (2, "freshet: give TARGETs or --tag, one of them\n"))
        crawl = self.program.run("crawl")
        self.assertEqual((crawl.status, crawl.err), (
            2, "freshet: 'crawl' needs a TARGET or --tag; see 'freshet help crawl'\n"))

    def next_s(self, *args):
        """Returns in how many seconds something may be due, by the message;
        None: not known."""
        self.assertEqual(self.said(*args), [])
        if "nothing will be before" in self.err:
            return None
        at = self.err.split("may be at ")[1].split()[0].rstrip(";")
        return time.mktime(time.strptime(at, "%Y-%m-%dT%H:%M:%SZ")) - time.mktime(time.gmtime())

    def test_when(self):
        """If nothing is due, the time in the message is right for the chosen
        sites."""
        self.program.run("hold", "127.0.0.2", "--for", "2h")
        self.assertAlmostEqual(self.next_s("127.0.0.2"), 7200, delta=60)
        self.due("127.0.0.1", "--lease", "1h")
        self.assertAlmostEqual(self.next_s("127.0.0.1"), 3600, delta=60)
        self.assertAlmostEqual(self.next_s("127.0.0.1", "127.0.0.2"), 3600, delta=60)
        pages = self.due("127.0.0.3", "--lease", "30m")
        self.assertAlmostEqual(self.next_s(), 1800, delta=60)
        self.assertAlmostEqual(self.next_s("--per-host", "1"), 1800, delta=60)
        # asked again when it may have changed, and not at once
        self.done(*[result(page) for page in pages])
        self.assertGreater(self.next_s("127.0.0.3"), 30)
        self.program.run("rm", "127.0.0.3")

    def test_a_site_that_was_taken_off(self):
        self.tag("news", "127.0.0.3")
        self.program.run("rm", "127.0.0.3")
        self.assertIsNone(self.next_s("127.0.0.3"))


class Following(Streams):
    def test_a_site_that_gets_the_tag(self):
        """A stream follows the watch list."""
        other = self.make("127.0.0.2", 2)
        self.program.run("add", "--tag", "news", "127.0.0.2")
        due = self.follow("--tag", "news")
        self.assertEqual({self.page(due)["url"] for _ in range(2)},
                         {other.url("/p0"), other.url("/p1")})
        self.program.run("add", "--tag", "news", "127.0.0.1")
        self.assertEqual(self.page(due)["host"], "127.0.0.1")
        self.assertEqual(interrupt(due)[0], 130)


class List(Case):
    def setUp(self):
        super().setUp()
        for name, tags in (("a", ["x"]), ("b", ["x", "y"]), ("c", ["y"]), ("d", [])):
            self.ask("add", "%s.example" % name, *[arg for tag in tags for arg in ("--tag", tag)])

    def ask(self, *args, status=0):
        result = self.program.run(*args)
        self.assertEqual(result.status, status, str(result))
        return result

    def sites(self, *args, status=0):
        records = self.ask("list", "--json", *args, status=status).records()
        return "".join(r["site"][0] for r in records)

    def test_list(self):
        self.assertEqual(self.sites("--tag", "x"), "ab")
        self.assertEqual(self.sites("--tag", "x", "--tag", "y"), "abc")
        self.assertEqual(self.sites("--tag", "x", "b.example"), "b")
        self.assertEqual(self.sites("--tag", "x", "c.example", status=4), "")
        self.assertEqual(self.ask("list", "--tag", "z", status=4).err,
                         "freshet: no site of the watch list has the tag 'z'\n")

    def test_set(self):
        out = self.ask("set", "--tag", "x", "every=1h", "weight=3").out
        self.assertEqual(out, "changed  a.example\nchanged  b.example\n")
        for record in self.ask("list", "--json").records():
            self.assertEqual((record["every"], record["weight"]),
                             ("1h", 3) if record["site"][0] in "ab" else (None, 1), record)
        self.assertEqual(self.ask("set", "--tag", "z", "every=1h", status=4).err,
                         "freshet: no site of the watch list has the tag 'z'\n")
        self.assertIn("KEY=VALUE", self.ask("set", "--tag", "x", status=2).err)
        self.assertIn("KEY=VALUE", self.ask("set", "--tag", "x", "a.example", "every=1h",
                                            status=2).err)

    def test_rm(self):
        self.ask("rm", "--tag", "x")
        self.assertEqual(self.sites(), "cd")
        self.ask("rm", "--tag", "x", status=4)
        self.ask("rm", status=2)
        self.ask("rm", "--tag", "y", "d.example", status=2)
        self.assertEqual(self.sites(), "cd")


class Budget(Frontier):
    """The budget of all sites with a tag together."""

    def setUp(self):
        super().setUp()
        self.make("127.0.0.2", 9)
        self.make("127.0.0.3", 9)
        self.make("127.0.0.4", 3)
        self.ask("add", "--tag", "news", "127.0.0.2", "127.0.0.3")
        self.ask("add", "--tag", "news", "--tag", "slow", "127.0.0.4")

    def ask(self, *args, status=0):
        result = self.program.run(*args)
        self.assertEqual(result.status, status, str(result))
        return result

    def budget(self, tag, value):
        self.assertEqual(self.ask("set", "@" + tag, "budget=" + value).out,
                         "changed  @%s\n" % tag)

    def assertSpent(self, what, *args):
        result = self.program.run("due", *args)
        self.assertEqual(result.out, "", str(result))
        self.assertRegex(result.err, r"^freshet: nothing is due; the next may be at 20\S+Z"
                         "%s\n$" % (what and "; until then the budget of %s" % re.escape(what)))

    def test_what_is_used_up(self):
        """If nothing is handed out, does a budget cause it, and which?"""
        self.due("-n", "9", "--lease", "1d", "--total-budget", "3/h")
        self.assertSpent("all (total-budget) is used up: 3/h", "--total-budget", "3/h")
        self.due("-n", "9", "--lease", "1d", "--delay", "20m", "127.0.0.2")
        self.assertSpent("", "--delay", "20m", "127.0.0.2")
        self.ask("add", "--budget", "2/h", "127.0.0.1")
        self.due("-n", "99", "--lease", "1d")
        self.assertSpent("site 127.0.0.1 is used up: 2/h", "127.0.0.1")
        page = self.program.run("ls", "127.0.0.1").out.split()[0]
        self.assertIn("the budget is used up until 20", " ".join(self.ask("explain", page).out.split()))
        # what others have left is nobody's reason
        self.assertSpent("site 127.0.0.1 is used up: 2/h")
        # the host waits for something else for longer
        self.assertEqual(self.program.run("hold", "127.0.0.1", "--for", "9h").status, 0)
        self.assertSpent("", "127.0.0.1")

    def test_of_who_holds_the_store(self):
        """A configured budget applies to every command. A typed one is not kept
        by others, and a message says so."""
        # what was read of the watch list would count
        self.ask("rm", "--tag", "news")
        path = os.path.join(self.program.folder, "budget.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\ntotal-budget = 3/h\n")
        owner = subprocess.Popen(
            [self.program.binary, "done", "--config", path], env=self.program.environment(),
            cwd=self.program.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.program.running.append(owner)
        owner.stdin.write(b"{}\n")
        owner.stdin.flush()
        self.assertIn(b"FAIL", owner.stdout.readline())
        result = self.program.run("due", "-n", "9", "--config", path)
        pages = len(result.records())
        self.assertIn(pages, (1, 2, 3))
        self.assertEqual(result.err, "")
        result = self.program.run("due", "-n", "9", "--total-budget", "90000/h")
        self.assertEqual(result.records(), [])
        self.assertIn("freshet: the process that holds the store hands out pages by its own "
                      "total-budget, 3/h, not by 90000/h\n", result.err)
        owner.communicate(timeout=600)
        result = self.program.run("due", "-n", "9", "--total-budget", "90000/h")
        self.assertEqual((len(result.records()), result.err), (PAGES - pages, ""))

    def test_together(self):
        """The budget is kept over several commands, and other sites are not
        delayed."""
        self.budget("news", "120/h")  # ten at once; the readings count
        self.budget("slow", "1/h")
        pages = sum((self.due("-n", "9", "--tag", "news") for _ in range(4)), [])
        self.assertIn(len(pages), range(1, 8))
        self.assertEqual(len(self.due("127.0.0.1")), PAGES)
        self.assertEqual(self.due("127.0.0.4"), [])
        self.assertSpent("tag news is used up: 120/h", "--tag", "news")
        self.assertSpent("tag slow is used up: 1/h", "127.0.0.4")
        self.budget("news", "")
        self.assertEqual(len(self.due("-n", "99", "127.0.0.2", "127.0.0.3")), 18 - len(pages))
        self.assertEqual(self.due("127.0.0.4"), [], "its other budget holds")
        self.budget("slow", "")
        self.assertEqual(len(self.due("127.0.0.4")), 3)

    def test_set(self):
        self.budget("news", "12/h")
        self.assertEqual(self.ask("set", "@news", "budget=12").out, "same     @news\n")
        self.assertEqual(self.ask("list").out.splitlines()[-1], "@news  budget=12/h together")
        records = self.ask("list", "--json").records()
        self.assertEqual(records[-1], {"v": 1, "type": "tag", "tag": "news",
                                       "requests_per_hour": 12})
        self.assertEqual(records[0]["requests_per_hour"], None)
        self.assertNotIn("@news", self.ask("list", "--tag", "slow").out)
        self.assertEqual(self.ask("set", "@none", "budget=1/h", status=4).err,
                         "freshet: no site of the watch list has the tag 'none'\n")
        for args, said in ((["@news", "every=1h"], "only budget= can be set"),
                           (["@news", "budget=fast"], "a rate such as"),
                           (["@", "budget=1/h"], "'@' is no tag"),
                           (["@a,b", "budget=1/h"], "'@a,b' is no tag")):
            self.assertIn(said, self.ask("set", *args, status=2).err)
        self.ask("rm", "@news", status=2)
        self.assertEqual(self.ask("sql", "-f", "csv", "SELECT * FROM tag_budget").out,
                         "tag,requests_per_hour\nnews,12.0\n")
        self.ask("db", "fsck")
        self.assertEqual(self.ask("set", "@news", "budget=", "--json").records(),
                         [{"v": 1, "type": "tag", "tag": "news", "change": "changed"}])
        self.assertNotIn("@news", self.ask("list").out)


class BudgetWhileItRuns(Streams):
    def test_a_follower(self):
        """A running stream keeps a budget that is set meanwhile, and notices
        when it is removed."""
        self.make("127.0.0.2", 9)
        self.program.run("add", "--tag", "news", "127.0.0.2")
        self.program.run("hold", "127.0.0.2", "--for", "1h")
        due = self.follow("--tag", "news")
        self.wait_for_socket()
        self.assertEqual(self.program.run("set", "@news", "budget=1/h").status, 0)
        self.program.run("hold", "127.0.0.2", "--for", "0")
        self.page(due)
        time.sleep(1.5)
        leases = self.program.run("sql", "-f", "csv", "SELECT count(*) FROM lease").out
        self.assertEqual(leases.splitlines()[1], "1")
        self.assertEqual(self.program.run("set", "@news", "budget=").status, 0)
        self.assertEqual(len({self.page(due)["url"] for _ in range(8)}), 8)
        self.assertEqual(interrupt(due)[0], 130)


class BudgetOverTime(Clocked):
    def test_an_hour(self):
        """The budget is kept over many commands, each with a frontier of its
        own."""
        for address in ("127.0.0.2", "127.0.0.3"):
            self.make(address, 40)
        self.program.run("add", "--tag", "news", "127.0.0.2", "127.0.0.3")
        self.program.run("set", "@news", "budget=24/h")
        self.clock.advance(2 * 3600)
        asked = []
        for _ in range(12):
            pages = self.due("-n", "99", "--tag", "news")
            asked.append(len(pages))
            self.done(*[result(page) for page in pages])
            self.clock.advance(300)
        self.assertLessEqual(max(asked), 3, asked)
        self.assertIn(sum(asked), range(18, 24 + 3), asked)


class Look(Frontier):
    """What is in the store, by tag: export and stats."""

    def setUp(self):
        super().setUp()
        self.two = self.make("127.0.0.2", 3)
        self.three = self.make("127.0.0.3", 2)
        self.ask("add", "--tag", "news", "127.0.0.2", "127.0.0.3")
        self.ask("add", "--tag", "slow", "127.0.0.3")

    def ask(self, *args, status=0):
        result = self.program.run(*args)
        self.assertEqual(result.status, status, str(result))
        return result

    def hosts(self, *args):
        urls = self.ask("export", "-f", "urls", *args).out.split()
        return [url.split("/")[2].split(":")[0] for url in urls]

    def test_export(self):
        self.assertEqual(self.hosts("--tag", "slow"), ["127.0.0.3"] * 3)
        self.ask("add", "--tag", "news", "--tag", "slow", "127.0.0.3")
        self.assertEqual(self.hosts("--tag", "news"), ["127.0.0.2"] * 4 + ["127.0.0.3"] * 3)
        self.assertEqual(self.hosts("--tag", "slow", "--tag", "news"), self.hosts("--tag", "news"))
        self.assertEqual(len(self.hosts()), PAGES + 1 + 4 + 3)
        self.assertEqual(self.ask("export", "--changes", "--json", "--tag", "slow").records(), [])
        for site in (self.two, self.three):
            self.list_pages(site, range(2, 5))
            self.crawl(site.url("/"))
        changes = self.ask("export", "--changes", "--json", "--tag", "slow").records()
        self.assertEqual({row["loc"] for row in changes},
                         {self.three.url("/p%d" % n) for n in range(5)})
        self.ask("rm", "127.0.0.3")
        self.assertEqual(self.hosts("--tag", "news"), ["127.0.0.2"] * 4)

    def test_stats(self):
        self.ask("add", "--tag", "news", "--tag", "slow", "127.0.0.3")
        heads = [part.split()[0] for part in self.ask("stats", "--tag", "news").out.split("\n\n")]
        self.assertEqual(heads, ["127.0.0.2", "127.0.0.3"])
        records = self.ask("stats", "--json", "--tag", "news").records()
        self.assertEqual([r["site"] for r in records if r["type"] == "summary"], heads)
        self.assertEqual({r["site"] for r in records if r["type"] == "changes"}, set(heads))
        self.assertEqual(self.ask("stats", "--tag", "slow").out,
                         self.ask("stats", "127.0.0.3").out)

    def test_none(self):
        for command in ("export", "stats"):
            with self.subTest(command=command):
                self.assertEqual(self.ask(command, "--tag", "z", status=4).err,
                                 "freshet: no site of the watch list has the tag 'z'\n")
                self.assertEqual(self.ask(command, "--tag", "news", "127.0.0.2", status=2).err,
                                 "freshet: give a SITE or --tag, one of them\n")


if __name__ == "__main__":
    unittest.main()
