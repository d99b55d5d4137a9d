"""The watch list: add, list, rm and set, with another owner of the store and
without."""
import datetime
import os
import signal
import socket
import subprocess
import time
import unittest

from case import Case, index, urlset
from late import assert_sooner
from suite import cpu_s


class Watch(Case):
    def ask(self, *args, status=0, **kwargs):
        result = self.program.run(*args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def list(self, *sites, status=0):
        """Returns {site: its object}."""
        records = self.ask("list", "--json", *sites, status=status).records()
        return {r["site"]: r for r in records}

    def changes(self, *args, status=0, **kwargs):
        """Returns [(site, change)]."""
        result = self.ask(*args, "--json", status=status, **kwargs)
        return [(r["site"], r["change"]) for r in result.records()]


class Alone(Watch):
    def test_add_and_list(self):
        self.assertEqual(self.changes("add", "--every", "1h..1d", "--pages-every", "..7d",
                                      "--tag", "news", "--tag", "fast", "--below", "/blog",
                                      "--depth", "3", "--weight", "2.5", "--budget", "48/d",
                                      "--profile", "lenient", "www.example.org"),
                         [("www.example.org", "added")])
        site = self.list()["www.example.org"]
        self.assertRegex(site.pop("added"), r"^20\d\d-")
        self.assertEqual(site, {
            "v": 1, "type": "site", "site": "www.example.org", "targets": ["www.example.org"],
            "every": "1h..1d", "pages_every": "..7d",
            "every_kept": None, "pages_every_kept": None, "requests_per_hour": 2, "weight": 2.5,
            "profile": "lenient", "tags": ["news", "fast"], "below": ["/blog"], "filters": ["below=/blog", "depth=3"],
            "last_read": None, "next_reading": None, "sitemaps": 0, "indexes": 0, "failing": 0,
            "urls": 0, "refused": 0, "refused_by": None, "pages": 0,
            "state": "new", "held_until": None, "pages_held_until": None, "lost_since": None,
            "next_try": None, "stale_since": None, "waiting": {"documents": 0, "urls": 0}})

    def on_a_terminal(self, *args):
        """Returns what the command prints on stderr."""
        there, here = os.openpty()
        try:
            done = subprocess.run([self.program.binary, *args], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=here, timeout=600,
                                  env=self.program.environment(), cwd=self.program.folder)
            self.assertEqual(done.returncode, 0)
        finally:
            os.close(here)
        try:
            return os.read(there, 4096).decode()
        except OSError:  # nothing
            return ""
        finally:
            os.close(there)

    def test_what_to_do_next(self):
        """A line says what to do next, on a terminal, if no daemon reads the
        site already."""
        self.assertIn("'freshet run' reads", self.on_a_terminal("add", "a.example"))
        self.assertEqual(self.on_a_terminal("add", "a.example"), "", "it is not new")
        self.assertEqual(self.on_a_terminal("add", "-q", "b.example"), "")
        self.assertEqual(self.ask("add", "c.example").err, "")
        follower = self.program.start("due", "--follow")
        while not os.path.exists(self.program.store + ".sock") and follower.poll() is None:
            time.sleep(0.02)
        self.assertEqual(self.on_a_terminal("add", "d.example"), "")
        follower.send_signal(signal.SIGINT)
        self.assertEqual(follower.wait(600), 130)

    def test_targets_of_one_site(self):
        self.changes("add", "WWW.Example.org")
        self.assertEqual(
            self.changes("add", "https://www.example.org/a.xml", "www.example.org:8080",
                         "https://www.example.org/", "www.example.org"),
            [("www.example.org", c) for c in ("changed", "changed", "changed", "same")])
        self.assertEqual(self.list()["www.example.org"]["targets"],
                         ["www.example.org", "https://www.example.org/a.xml",
                          "www.example.org:8080", "https://www.example.org/"])

    def test_a_target_is_taken_off(self):
        self.changes("add", "a.example", "http://a.example:8080/", "https://a.example/x.xml")
        self.assertEqual(self.changes("set", "a.example", "target=a.example",
                                      "target=https://a.example/x.xml"), [("a.example", "changed")])
        self.assertEqual(self.list()["a.example"]["targets"],
                         ["a.example", "https://a.example/x.xml"])
        for value in ("", "b.example", "http://"):
            self.assertIn("'target' takes a host or a URL",
                          self.ask("set", "a.example", "target=" + value, status=2).err)
        self.assertEqual(len(self.list()["a.example"]["targets"]), 2)

    def test_what_is_given_again_takes_its_place(self):
        self.changes("add", "--tag", "a", "--tag", "b", "--every", "10m", "a.example")
        self.assertEqual(self.changes("add", "--tag", "c", "a.example"), [("a.example", "changed")])
        site = self.list()["a.example"]
        self.assertEqual((site["tags"], site["every"]), (["c"], "10m"))

    def test_a_site_taken_up_again_begins_anew(self):
        self.changes("add", "--weight", "3", "https://a.example/x.xml")
        self.changes("rm", "a.example")
        self.assertEqual(self.list(), {})
        self.assertEqual(self.changes("add", "a.example"), [("a.example", "added")])
        site = self.list()["a.example"]
        self.assertEqual((site["targets"], site["weight"]), (["a.example"], 1))

    def test_rm(self):
        self.changes("add", "a.example", "b.example")
        self.assertEqual(self.changes("rm", "none.example", "https://a.example/x", "a.example", status=1),
                         [("none.example", "unknown"), ("https://a.example/x", "unknown"), ("a.example", "removed")])
        self.assertEqual(list(self.list()), ["b.example"])
        self.assertEqual(self.changes("rm", "a.example", status=4), [("a.example", "unknown")])
        result = self.ask("rm", "a.example", status=4)
        self.assertIn("'a.example' is not on the watch list", result.err)

    def test_rm_of_targets(self):
        """Targets that were added are removed, while others stay."""
        targets = ["a.example", "a.example:81", "https://a.example/x.xml", "http://a.example/"]
        self.changes("add", "--every", "1h", "b.example", *targets)
        self.assertEqual(self.changes("rm", "https://A.example/x.xml"), [("a.example", "changed")])
        self.assertEqual(self.list()["a.example"]["targets"],
                         ["a.example", "a.example:81", "http://a.example/"])
        # twice the same, and one of another site
        self.assertEqual(self.changes("rm", "a.example:81", "b.example", "a.example:81", status=1),
                         [("a.example", "changed"), ("b.example", "removed"), ("a.example:81", "unknown")])
        site = self.list()["a.example"]
        self.assertEqual((site["targets"], site["every"]), (["a.example", "http://a.example/"], "1h"))
        # a URL that is no target means none, and not the site
        self.assertEqual(self.changes("rm", "http://a.example/", "http://a.example/y", status=1),
                         [("a.example", "changed"), ("http://a.example/y", "unknown")])
        self.changes("rm", "a.example")
        for which in (["a.example"], targets[1:], ["http://a.example/"]):
            with self.subTest(which=which):
                self.changes("add", *(targets if which[0] == "a.example" else which))
                self.assertEqual(self.changes("rm", *which),
                                 [("a.example", "changed")] * (len(which) - 1) + [("a.example", "removed")])
                self.assertEqual(self.list(), {})
        self.changes("rm", "http://a.example/", status=4)

    def test_rm_of_a_list(self):
        names = ["%s.example" % c for c in "abcde"]
        self.changes("add", *names)
        # a pipe alone chooses nothing
        self.assertIn("'rm' needs a SITE", self.ask("rm", input="a.example\n", status=2).err)
        self.assertIn("'rm' needs a SITE", self.ask("rm", "-", "--tag", "x", input="a.example\n",
                                                    status=2).err)
        self.assertIn("the list has none", self.ask("rm", "-", input="# all\n", status=2).err)
        self.assertEqual(self.ask("rm", "-", input="http://[x\n", status=4).out, "")
        self.assertEqual(list(self.list()), names)
        self.assertEqual(self.changes("rm", "-", "b.example", status=1,
                                      input="# and one that is none\na.example\nhttp://[x\n"),
                         [("b.example", "removed"), ("a.example", "removed")])
        self.assertEqual(self.ask("rm", "-", input="a.example\nc.example\n", status=1).out,
                         "removed  c.example\n")
        self.assertEqual(list(self.list()), ["d.example", "e.example"])
        # looking for a site makes none
        self.assertEqual(self.ask("sql", "SELECT count(*) FROM site WHERE host = 'none.example'",
                                  "-f", "csv").out.split()[-1], "0")

    def test_a_pause_is_no_failure(self):
        """A host that asked for a pause is held; its sitemap waits."""
        site = self.site()
        site.put("/robots.txt", "")
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        self.program.run("add", site.url("/sitemap.xml"))
        self.crawl(site.url("/sitemap.xml"))
        site.put("/sitemap.xml", "", status=503, headers=[("Retry-After", "3600")])
        self.crawl(site.url("/sitemap.xml"), status=None)
        text = self.program.run("list", "-l").out
        self.assertIn("held until ", text)
        self.assertNotIn("fail", text)
        self.assertNotIn("503", text)
        listed, = self.program.run("list", "--json").records()
        self.assertEqual((listed["state"], listed["failing"]), ("held", 0))

    def test_no_store_is_made(self):
        """Only `add` makes one: the others are about sites that are known."""
        for args in (("rm", "a.example"), ("set", "a.example", "weight=2"),
                     ("note", "a.example", "2026-01-01", "x")):
            result = self.program.run(*args)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn("there is no store", result.err)
            self.assertFalse(os.path.exists(self.program.store))

    def test_set(self):
        self.changes("add", "a.example")
        self.assertEqual(self.changes("set", "a.example", "every=90s", "pages-every=1h..",
                                      "budget=500", "weight=0.5", "profile=strict", "tag=x",
                                      "tag=y", "below=/a", "below=/b"),
                         [("a.example", "changed")])
        site = self.list()["a.example"]
        self.assertEqual([site[k] for k in ("every", "pages_every", "requests_per_hour", "weight",
                                            "profile", "tags", "below")],
                         ["90s", "1h..", 500, 0.5, "strict", ["x", "y"], ["/a", "/b"]])
        self.assertEqual(self.changes("set", "a.example", "every=90s"), [("a.example", "same")])
        self.changes("set", "a.example", "every=", "pages-every=", "budget=", "weight=",
                     "profile=", "tag=", "below=/c")
        site = self.list()["a.example"]
        self.assertEqual([site[k] for k in ("every", "pages_every", "requests_per_hour", "weight",
                                            "profile", "tags", "below")],
                         [None, None, None, 1, None, [], ["/c"]])
        self.assertEqual(self.changes("set", "b.example", "weight=2", status=4),
                         [("b.example", "unknown")])

    def test_what_nobody_can_want(self):
        self.changes("add", "a.example")
        for args, said in (
                (("set", "a.example", "weigth=2"), "did you mean 'weight'?"),
                (("set", "a.example", "colour=2"), "there is every, pages-every, budget"),
                (("set", "a.example", "weight"), "'weight' is no KEY=VALUE"),
                (("set", "a.example", "weight=0"), "'weight' takes a number"),
                (("set", "a.example", "weight=-1"), "'weight' takes a number"),
                (("set", "a.example", "weight=nan"), "'weight' takes a number"),
                (("set", "a.example", "every=1d..1h"), "'every' takes a time such as 10m"),
                (("set", "a.example", "every=0"), "'every' takes"),
                (("set", "a.example", "every=1x"), "'every' takes"),
                (("set", "a.example", "every=.."), "'every' takes"),
                (("set", "a.example", "budget=5%"), "'budget' takes a rate such as"),
                (("set", "a.example", "profile=googel"), "'profile' takes strict"),
                (("set", "a.example", "tag=a,b"), "'tag' takes a word"),
                (("set", "a.example", "below=blog"), "'below' takes a path prefix"),
                (("set", "a.example", "every=1h", "tag=x", "every=2h"), "'every' is given twice"),
                (("set", "a.example"), "'set' needs"),
                (("set", "http://[x", "weight=1"), "neither a host nor a URL"),
                (("add", "--every", "soon", "b.example"), "'--every' takes a time"),
                (("add", "--budget", "5%", "b.example"), "'--budget' takes a rate"),
                (("add", "--profile", "googel", "b.example"), "did you mean 'google'"),
                (("add", "--below", "x", "b.example"), "'--below' takes"),
                (("add", "--evry", "1h", "b.example"), "did you mean '--every'"),
                (("rm", "http://[x"), "neither a host nor a URL"),
                (("list", "http://[x"), "neither a host nor a URL"),
                (("rm",), "'rm' needs a SITE")):
            with self.subTest(args=args):
                result = self.ask(*args, status=2)
                self.assertIn(said, result.err)
                self.assertEqual(len(result.err.splitlines()), 1, str(result))
        self.assertEqual(list(self.list()), ["a.example"])

    def test_the_configuration_is_not_the_watch_list(self):
        """A profile in the configuration applies to readings; the profile of a
        watched site is typed."""
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write("[defaults]\nprofile = strict\n[site a.example]\nprofile = lenient\n")
        self.changes("add", "--config", path, "a.example")
        self.assertIsNone(self.list()["a.example"]["profile"])

    def test_which_profile_wins(self):
        """The order of sources: what is typed, the watch list, [site ...],
        [defaults]."""
        site = self.site()
        target = site.url("/sitemap.xml")
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        path = os.path.join(self.program.folder, "freshet.conf")
        with open(path, "w", encoding="ascii") as f:
            f.write("[defaults]\nprofile = google\n[site 127.0.0.1]\nprofile = strict\n"
                    "url-dir-waiver = none\n")
        self.changes("add", "--profile", "lenient", target)

        def profile(*args, env=None):
            self.crawl("--force", "--config", path, *args, target, env=env)
            record = self.ask("explain", "--json", "--config", path, *args, site.url("/a"),
                              env=env).records()[0]
            place = record["places"][0]
            self.assertTrue(place["rules_known"], record)
            return place["profile"]

        self.assertEqual(profile(), "lenient")
        self.assertEqual(profile("--profile", "strict"), "strict")
        self.changes("set", "127.0.0.1", "profile=")
        self.assertEqual(profile(), "strict")
        self.changes("set", "127.0.0.1", "profile=google")
        self.assertEqual(profile(), "google")
        self.changes("rm", "127.0.0.1")
        self.assertEqual(profile(), "strict")

    def test_many_from_a_file(self):
        path = os.path.join(self.program.folder, "sites")
        with open(path, "w", encoding="ascii") as f:
            f.write("# those of others\n\n")
            f.write("".join("h%d.example  # a comment\n" % n for n in range(40000)))
            f.write("http://[x\nftp://h.example/\n")
        begin = cpu_s()
        result = self.ask("add", "--every", "1d", "-i", path, status=1)
        assert_sooner(cpu_s() - begin, 12)
        self.assertEqual(result.out, "40,000 added\n")
        self.assertIn("%s:40003: 'http://[x' is neither a host nor a URL" % path, result.err)
        self.assertIn("%s:40004: 'ftp://h.example/'" % path, result.err)
        records = self.list()
        self.assertEqual(len(records), 40000)
        self.assertEqual(records["h39999.example"]["every"], "1d")
        self.assertEqual(self.ask("add", "-", input="h1.example\nnew.example\n").out,
                         "same     h1.example\nadded    new.example\n")
        self.assertEqual(self.ask("add", "-", input="http://[x\n", status=4).out, "")
        with open(path, "a", encoding="ascii") as f:
            f.write("https://h7.example/x.xml\n")  # which is no target
        begin = cpu_s()
        result = self.ask("rm", "-i", path, status=1)
        assert_sooner(cpu_s() - begin, 12)
        self.assertEqual(result.out, "40,000 removed, 1 unknown\n")
        self.assertIn("%s:40003: 'http://[x' is neither a host nor a URL" % path, result.err)
        self.assertIn("'https://h7.example/x.xml' is not on the watch list", result.err)
        self.assertEqual(list(self.list()), ["new.example"])

    def test_a_site_takes_so_many_targets(self):
        lines = "".join("https://a.example/%d.xml\n" % n for n in range(1005))
        result = self.ask("add", input=lines, status=1)
        self.assertEqual(result.out, "1 added, 999 changed, 5 full\n")
        self.assertIn("'a.example' has 1000 targets, and takes no more", result.err)

    def test_list_of_some(self):
        self.changes("add", "a.example", "b.example")
        self.assertEqual(list(self.list("b.example")), ["b.example"])
        self.assertEqual(list(self.list("b.example", "c.example", status=1)), ["b.example"])
        self.assertEqual(self.list("c.example", status=4), {})

    def test_list_of_nothing(self):
        self.ask("list", status=2)
        self.changes("add", "a.example")
        self.changes("rm", "a.example")
        self.assertIn("the watch list is empty", self.ask("list").err)

    def test_list_for_people(self):
        site = self.site()
        site.put("/index.xml", index([site.url("/a.xml"), site.url("/b.xml"),
                                      site.url("/none.xml")]))
        site.put("/a.xml", urlset([site.url("/a%d" % n) for n in range(1200)]))
        site.put("/b.xml", urlset([site.url("/b")]))
        self.ask("add", "--every", "1h", site.url("/index.xml"))
        line = self.ask("list").out.splitlines()[1]
        self.assertEqual(line.split(), ["127.0.0.1", "1h", "never", "0", "0", "0", "new"])
        self.crawl(site.url("/index.xml"), status=1)
        line = self.ask("list").out.splitlines()[1]
        self.assertRegex(line, r"^127\.0\.0\.1 +1h +(now|\d+ s ago) +3 +1,201 +0  1 of 3 sitemaps fails since 20\d\d-\d\d-\d\d \d\d:\d\d$")
        long = self.ask("list", "-l").out
        self.assertIn("  target=%s\n  every=1h\n  on the list since 20" % site.url("/index.xml"),
                      long)
        self.assertRegex(long, r"; next reading 20\d\d-\d\d-\d\dT[\d:]+Z; "
                               r"pages are fetched every 1h..90d\n")
        record, = self.ask("list", "-l", "--json").records()
        read, following = (datetime.datetime.fromisoformat(record[k][:-1])
                           for k in ("last_read", "next_reading"))
        self.assertLessEqual(following - read, datetime.timedelta(hours=1))

    def test_reasons(self):
        """list -l says of each site that is not found, or of which a sitemap
        fails, why."""
        forbids = "User-agent: *\nDisallow: /\n"
        rows = []  # address, robots.txt, what fails, why
        for n, robots, failing, why in (
                (2, forbids + "Sitemap: %s/s.xml\n", 1, r"robots.txt forbids it \(line 2: Disallow: /\) since .*/s\.xml"),
                (3, forbids, 0, r"robots.txt forbids it \(line 2: Disallow: /\): http://127.*/sitemap_index\.xml"),
                (4, "Sitemap: https%s/s.xml\n", 1, r"its robots.txt: TLS handshake failed since .*https://.*/s\.xml"),
                (5, None, 0, "no sitemap: robots.txt names none"),
                (6, "User-agent: *\nDisallow: /b\nSitemap: %s/i.xml\n", 1,
                 r"robots.txt forbids it \(line 2: Disallow: /b\) since .*/b\.xml"),
                (7, 401, 0, "robots.txt: status 401; login: set user-file ")):
            site = self.site(address="127.0.0.%d" % n)
            if robots == 401:
                site.put("/robots.txt", "", status=robots)
                robots = None
            if robots is not None:
                root = site.url("") if "https%s" not in robots else site.url("")[4:]
                site.put("/robots.txt", robots % root if "%s" in robots else robots)
            site.put("/i.xml", index([site.url("/a.xml"), site.url("/b.xml")]))
            site.put("/a.xml", urlset([site.url("/a")]))
            self.ask("add", site.url("/"))
            rows.append(("127.0.0.%d" % n, failing, why))
        self.program.run("run", "--once", "--retry", "0")
        listed = {r["site"]: r for r in self.ask("list", "--json").records()}
        for address, failing, why in rows:
            self.assertEqual(listed[address]["failing"], failing, address)
            self.assertRegex(self.ask("list", "-l", address).out, "\n  " + why)
        self.assertIn("1 of 2 sitemaps fails", self.ask("list", "127.0.0.6").out)

    def test_a_full_disk_changes_nothing(self):
        """No change is acknowledged before it is safe."""
        self.changes("add", "a.example")
        result = self.program.run("add", "b.example", "--min-free", "1000TiB")
        self.assertEqual((result.status, result.out), (7, ""), str(result))
        self.assertEqual(list(self.list()), ["a.example"])

    def test_the_rows(self):
        self.changes("add", "--tag", "news", "--every", "10m", "a.example")
        result = self.ask("sql", "-f", "csv", "SELECT w.*, s.host FROM watch w "
                          "JOIN site s ON s.id = w.site_id")
        self.assertIn("a.example", result.out)


class Held(Watch):
    """The commands use the socket of a running crawl."""

    def hold(self):
        site = self.site()
        paths = ["/s%d.xml" % n for n in range(8)]
        site.put("/index.xml", index([site.url(p) for p in paths]))
        for path in paths:
            site.put(path, urlset([site.url("/x")]), delay=0.4)
        process = self.program.start("crawl", "--json", "--progress", "off",
                                     site.url("/index.xml"))
        site.wait_for("/s0.xml")
        return process

    def end(self, process):
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out + err)

    def test_a_crawl_takes_changes(self):
        owner = self.hold()
        self.assertEqual(self.changes("add", "--every", "1h", "a.example", "b.example"),
                         [("a.example", "added"), ("b.example", "added")])
        self.assertEqual(self.changes("set", "a.example", "weight=2"), [("a.example", "changed")])
        self.assertEqual(self.changes("rm", "b.example", "c.example", status=1),
                         [("b.example", "removed"), ("c.example", "unknown")])
        self.changes("add", "https://a.example/x.xml")
        self.assertEqual(self.changes("rm", "https://a.example/x.xml"), [("a.example", "changed")])
        self.assertEqual(self.list()["a.example"]["targets"], ["a.example"])
        # it is committed when it is told of, and others can read it
        site = self.list()["a.example"]
        self.assertEqual((site["weight"], site["every"]), (2, "1h"))
        self.assertIsNone(owner.poll(), "the owner was through before")
        self.end(owner)
        self.assertEqual(list(self.list()), ["a.example"])

    def test_more_than_a_piece(self):
        owner = self.hold()
        lines = "".join("h%d.example\n" % n for n in range(2500))
        self.assertEqual(self.ask("add", input=lines).out, "2,500 added\n")
        self.assertEqual(self.ask("rm", "-", input=lines).out, "2,500 removed\n")
        self.assertEqual(self.list(), {})
        self.assertEqual(self.ask("add", input=lines).out, "2,500 added\n")
        self.assertIsNone(owner.poll(), "the owner was through before")
        self.end(owner)
        self.assertEqual(len(self.list()), 2500)

    def test_what_a_stranger_sends(self):
        """The owner trusts no request, and goes on."""
        owner = self.hold()
        version = self.ask("version").out.split()[1]
        for request in (
                '{"v":1,"command":"add"}', '{"v":1,"command":"add","version":"0","targets":["a.example"]}',
                '{"v":1,"command":"eat","version":"%s"}' % version,
                '{"v":1,"command":"add","version":"%s","targets":["a.example"],'
                '"settings":["weight=no"]}' % version,
                '{"v":1,"command":"add","version":"%s","targets":["","[","/"]}' % version):
            with self.subTest(request=request):
                with socket.socket(socket.AF_UNIX) as s:
                    s.settimeout(600)
                    s.connect(self.program.store + ".sock")
                    s.sendall(request.encode() + b"\n")
                    answer = b""
                    while True:
                        more = s.recv(65536)
                        if not more:
                            break
                        answer += more
                    self.assertIn(b'"type":"end"', answer)
        self.end(owner)
        self.assertEqual(self.list(), {})

    def test_the_owner_is_killed(self):
        """The command itself makes the changes that were not answered."""
        owner = self.hold()
        owner.send_signal(signal.SIGSTOP)
        adding = self.program.start("add", "--json", "a.example")
        time.sleep(0.3)
        owner.kill()
        out, err = adding.communicate(timeout=600)
        self.assertEqual(adding.returncode, 0, out + err)
        self.assertIn(b'"change":"added"', out)
        self.assertEqual(list(self.list()), ["a.example"])

    def test_an_owner_that_does_not_answer(self):
        owner = self.hold()
        owner.send_signal(signal.SIGSTOP)
        result = self.ask("add", "b.example", status=5, timeout=600)
        self.assertIn("store-locked", result.err)
        owner.send_signal(signal.SIGCONT)
        self.end(owner)


if __name__ == "__main__":
    unittest.main()
