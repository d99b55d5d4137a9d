"""Which pages and sitemaps: include, exclude, newer and depth of sites, tags and calls."""
import time
import unittest

from clock import DAY
from case import Case, index, urlset
from daemon import Daemon


class Filters(Case):
    """A site with an index, sitemaps and pages in folders."""
    PAGES = {"/shop.xml": [("/shop/a", "2025-12-31"), ("/shop/b", "2025-06-01"),
                           ("/shop/x/y/c", "2025-12-30")],
             "/blog.xml": [("/blog/1", "2020-01-01"), ("/blog/tag/2", "2025-12-31"), ("/top", None)],
             "/old/2019.xml": [("/old/p", "2019-01-01")]}

    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.server = self.site()
        self.server.put("/robots.txt", "Sitemap: %s\nSitemap: %s\n" % (
            self.server.url("/index.xml"), self.server.url("/extra.xml")))
        self.publish("/extra.xml", [("/extra/e", None)])
        for path, pages in self.PAGES.items():
            self.publish(path, pages)
        self.server.put("/nested.xml", index([(self.server.url("/old/2019.xml"), "2019-01-01")]))
        self.server.put("/index.xml", index([
            (self.server.url("/shop.xml"), "2025-12-31"), (self.server.url("/blog.xml"), "2025-06-01"),
            self.server.url("/nested.xml")]))

    def publish(self, path, pages):
        self.server.put(path, urlset([(self.server.url(page), date) if date else self.server.url(page)
                                      for page, date in pages]))

    def ask(self, *args, status=0):
        done = self.program.run(*args)
        self.assertEqual(done.status, status, str(done))
        return done

    def paths(self, urls):
        return sorted(url.replace(self.server.url("/"), "/") for url in urls)

    def due(self, *args):
        """The pages that a call gets, which are given back."""
        pages = self.ask("due", "-n", "50", "--per-host", "0", *args).records()
        if pages:
            self.ask("release", *[page["lease"] for page in pages])
        return self.paths(page["url"] for page in pages)

    def export(self, *args):
        out = self.ask("export", "-f", "urls", *args)
        self.said = out.err
        return self.paths(out.out.split())

    def listed(self):
        """The site of the watch list, as JSON."""
        return self.ask("list", "--json").records()[0]

    def configure(self, text):
        path = self.program.folder + "/freshet.conf"
        with open(path, "w") as f:
            f.write(text)
        return ("--config", path)

    def same(self, wanted, *rules):
        """What a call, a site and the configuration leave of the pages is the same."""
        options = [word for rule in rules for word in ("--" + rule.split("=")[0], rule.split("=", 1)[1])]
        self.assertEqual(self.due(*options), wanted)
        self.assertEqual(self.export(*options), wanted)
        self.ask("add", *options, self.server.url("/"))
        self.assertEqual(self.listed()["filters"], list(rules))
        self.assertEqual(self.due(), wanted)
        self.assertEqual(self.export(), wanted)
        self.ask("set", "127.0.0.1", *{rule.split("=")[0] + "=" for rule in rules})
        self.assertEqual(self.listed()["filters"], [])
        for section in ("[defaults]", "[site 127.0.0.1]"):
            config = self.configure("%s\n%s\n" % (section, "\n".join(
                rule.replace("=", " = ", 1) for rule in rules)))
            self.assertEqual(self.due(*config), wanted)
            self.assertEqual(self.export(*config), wanted)


class Pages(Filters):
    ALL = ["/blog/1", "/blog/tag/2", "/extra/e", "/old/p", "/shop/a", "/shop/b", "/shop/x/y/c", "/top"]

    def setUp(self):
        super().setUp()
        self.crawl(self.server.url("/"))

    def test_kinds(self):
        self.assertEqual(self.due(), self.ALL)
        self.same(["/shop/a", "/shop/b", "/shop/x/y/c", "/top"], "include=/shop/", "include=*top$")
        self.same(["/blog/1", "/extra/e", "/old/p", "/shop/a", "/shop/b", "/top"], "exclude=/blog/tag/",
                  "exclude=*/x/")
        self.same(["/extra/e", "/top"], "exclude=/blog/", "exclude=/shop/", "exclude=/old/", "depth=1")
        # those without a date count by when they were first seen, which is now
        self.same(["/blog/tag/2", "/extra/e", "/shop/a", "/shop/x/y/c", "/top"], "newer=30d")
        self.same(["/blog/tag/2", "/extra/e", "/shop/a", "/top"], "newer=2025-12-31")
        self.assertEqual(self.due(), self.ALL)

    def test_below(self):
        """below is a case of include."""
        self.ask("add", "--below", "/shop/x", self.server.url("/"))
        self.assertEqual(self.due(), ["/shop/x/y/c"])
        self.assertEqual((self.listed()["below"], self.listed()["filters"]), (["/shop/x"], ["below=/shop/x"]))
        self.ask("set", "127.0.0.1", "include=*/tag/")
        self.assertEqual(self.due(), ["/blog/tag/2", "/shop/x/y/c"])
        self.assertIn("takes no '--section'", self.ask("add", "--section", "/x", "a.example", status=2).err)

    def test_a_call_narrows_its_sites(self):
        self.ask("add", "--include", "/shop/", "--include", "/blog/", self.server.url("/"))
        self.assertEqual(self.due("--exclude", "/blog/", "--depth", "1"), ["/shop/a", "/shop/b"])
        self.assertEqual(self.export("--exclude", "/blog/", "--depth", "1"), ["/shop/a", "/shop/b"])
        self.assertIn("6 rows were left out by include, exclude, newer or depth", self.said)

    def test_what_counts(self):
        """The watch list is stronger than the configuration, key by key."""
        self.ask("add", "--include", "/blog/", self.server.url("/"))
        config = self.configure("[defaults]\ninclude = /shop/\nexclude = */tag/\n")
        self.assertEqual(self.due(*config), ["/blog/1"])
        self.ask("set", "127.0.0.1", "include=")
        self.assertEqual(self.due(*config), ["/shop/a", "/shop/b", "/shop/x/y/c"])

    def test_others_get_the_rest(self):
        """What a call refuses, a stream among them, stays for others."""
        first = self.ask("due", "-n", "50", "--per-host", "0", "--include", "/shop/").records()
        self.assertEqual(len(first), 3)
        self.assertEqual(self.ask("due", "-n", "50", "--per-host", "0", "--include", "/shop/").records(), [])
        rest = self.ask("due", "-n", "50", "--per-host", "0").records()
        self.assertEqual(self.paths(page["url"] for page in rest),
                         [path for path in self.ALL if not path.startswith("/shop/")])

    def test_fetch(self):
        """What fetches by itself obeys the same filters."""
        for path in self.ALL:
            self.server.put(path, "<title>%s</title>" % path)
        self.ask("add", "--exclude", "/shop/x/", self.server.url("/"))
        fetched = [r["url"] for r in self.ask("fetch", "--json", "--include", "/shop/").records()
                   if r["type"] == "page"]
        self.assertEqual(self.paths(fetched), ["/shop/a", "/shop/b"])
        self.assertEqual(self.due(), ["/blog/1", "/blog/tag/2", "/extra/e", "/old/p", "/top"])
        self.assertEqual(self.ask("fetch", "--json", "--include", "x", status=2).out, "")

    def test_within_an_owner(self):
        """One process serves calls with different filters in turn."""
        self.ask("add", "--every", "1h", self.server.url("/"))
        daemon = Daemon(self.program)
        daemon.wait("started")
        for _ in range(2):
            self.assertEqual(self.due("--include", "/shop/"), ["/shop/a", "/shop/b", "/shop/x/y/c"])
            self.assertEqual(self.due("--include", "/blog/"), ["/blog/1", "/blog/tag/2"])
            self.assertEqual(self.due("--newer", "30d", "--exclude", "/shop/"),
                             ["/blog/tag/2", "/extra/e", "/top"])
            self.assertEqual(self.due(), self.ALL)
        # a page that was handed out is not any more, once its site does not want it
        pages = self.ask("due", "-n", "50", "--per-host", "0").records()
        self.ask("set", "127.0.0.1", "exclude=/shop/")
        self.ask("release", *[page["lease"] for page in pages])
        self.assertEqual(self.due(), [path for path in self.ALL if not path.startswith("/shop/")])
        self.ask("set", "127.0.0.1", "exclude=")
        self.assertEqual(self.due(), self.ALL)
        daemon.end()

    def test_explain(self):
        def of(path, *args):
            done = self.program.run("explain", "--json", *args, self.server.url(path))
            entry, = [due for due in done.records()[-1]["due"] if due["of"] == "page"]
            text = self.program.run("explain", *args, self.server.url(path)).out
            return entry["state"], entry.get("left_out_by"), " ".join(text.split())

        self.assertEqual(of("/shop/a")[:2], ("unpromoted", None))
        self.ask("add", "--exclude", "/shop/x/", "--newer", "30d", self.server.url("/"))
        self.assertEqual(of("/shop/a")[:2], ("unpromoted", None))
        state, rule, text = of("/shop/x/y/c")
        self.assertEqual((state, rule), ("unwanted", {
            "key": "exclude", "value": "/shop/x/", "source": "the watch list"}))
        self.assertIn("it is none of the pages that are wanted of its site, by exclude = /shop/x/ of "
                      "the watch list", text)
        self.assertEqual(of("/shop/b")[1]["key"], "newer")
        config = self.configure("[site 127.0.0.1]\ndepth = 0\n")
        self.assertEqual(of("/shop/a", *config)[1],
                         {"key": "depth", "value": "0", "source": "the configuration"})

    def test_numbers(self):
        """What the configuration excludes counts in no change; section-ignore is the same for the
        numbers alone."""
        self.publish("/shop.xml", [("/shop/a", None)])
        self.crawl(self.server.url("/"))
        self.publish("/shop.xml", [("/shop/a", None), ("/shop/new", None), ("/blog/new", None)])
        self.crawl(self.server.url("/"))

        def new(*args):
            out = self.ask("export", "--changes", "-f", "csv", "--columns", "loc,kind", *args).out
            return sorted(line.split(",")[0].replace(self.server.url("/"), "/")
                          for line in out.splitlines() if line.endswith(",added"))

        def counted(*args):
            return sum(r["new"] for r in self.ask("diff", "--json", *args).records()
                       if r["type"] == "section")

        self.assertEqual((new(), counted()), (["/blog/new", "/shop/new"], 2))
        for key in ("exclude", "section-ignore"):
            self.assertEqual(counted("--" + key, "/shop/"), 1)
        config = self.configure("[defaults]\nexclude = /shop/\n")
        self.assertEqual((new(*config), counted(*config)), (["/blog/new"], 1))
        config = self.configure("[defaults]\nsection-ignore = /shop/\n")
        self.assertEqual((new(*config), counted(*config)), (["/blog/new", "/shop/new"], 1))
        self.assertIn("/shop/a", self.due(*config))

    def test_tags(self):
        """Rules for a tag are set for each of its sites."""
        self.ask("add", "--tag", "news", self.server.url("/"))
        self.ask("add", "--tag", "news", "b.example")
        self.ask("add", "c.example")
        self.ask("set", "@news", "exclude=/shop/", "sitemap-depth=1")
        self.assertEqual([site["filters"] for site in self.ask("list", "--json").records()
                          if site["type"] == "site"],
                         [["exclude=/shop/", "sitemap-depth=1"]] * 2 + [[]])
        self.assertEqual(self.due("--include", "/shop/"), [])
        self.ask("set", "@none", "exclude=/shop/", status=4)
        self.ask("set", "@news", "exclude=/shop/", "budget=5/h", status=2)

    def test_bad_values(self):
        for args, said in ((("due", "--include", "shop"), "'--include' takes a pattern as in robots.txt"),
                           (("due", "--exclude", "/*"), "not '/*'"),
                           (("export", "--newer", "yesterday"), "'--newer' takes a date such as"),
                           (("export", "--depth", "-1"), "'--depth' takes a number from 0 to 999"),
                           (("add", "--sitemap-newer", "30", "a.example"), "'--sitemap-newer' takes"),
                           (("due", *self.configure("[defaults]\ndepth = x\n")), "'depth' takes"),
                           (("due", "--exclude", "/a" * 40000), "patterns of more than 65536 bytes")):
            self.assertIn(said, self.ask(*args, status=2).err)
        config = self.configure("[defaults]\n" + "exclude = /%s\n" % ("x" * 8000) * 9)
        self.assertIn("patterns of more than 65536 bytes", self.ask("due", *config, status=2).err)


class Sitemaps(Filters):
    def asked(self, *args, **kwargs):
        self.server.forget()
        self.crawl(*args, self.server.url("/"), **kwargs)
        return sorted(path for path in self.server.targets() if path.endswith(".xml"))

    ALL = ["/blog.xml", "/extra.xml", "/index.xml", "/nested.xml", "/old/2019.xml", "/shop.xml"]

    def test_kinds(self):
        for options, wanted in (
                ((), self.ALL),
                (("--sitemap-include", "/index", "--sitemap-include", "*shop"), ["/index.xml", "/shop.xml"]),
                (("--sitemap-exclude", "/nested"),
                 ["/blog.xml", "/extra.xml", "/index.xml", "/shop.xml"]),
                (("--sitemap-depth", "1"), [p for p in self.ALL if p != "/old/2019.xml"]),
                (("--sitemap-depth", "0"), ["/extra.xml", "/index.xml"]),
                # what the index does not date is read
                (("--sitemap-newer", "30d"),
                 ["/extra.xml", "/index.xml", "/nested.xml", "/shop.xml"])):
            self.assertEqual(self.asked(*options), wanted, options)
        self.ask("add", "--sitemap-exclude", "/nested", "--sitemap-exclude", "/extra",
                 self.server.url("/"))
        self.assertEqual(self.asked(), ["/blog.xml", "/index.xml", "/shop.xml"])
        config = self.configure("[site 127.0.0.1]\nsitemap-depth = 0\n")
        self.assertEqual(self.asked(*config), ["/index.xml"])
        # what the user names is read
        self.server.forget()
        self.crawl(self.server.url("/extra.xml"))
        self.assertIn("/extra.xml", self.server.targets())

    def test_nothing_is_missed(self):
        """What was known of a sitemap that is left out stays as it is, and what others list and drop
        is told."""
        self.clock.leap()
        self.assertEqual(self.asked(), self.ALL)
        self.ask("add", "--sitemap-exclude", "/nested", self.server.url("/"))
        self.publish("/shop.xml", [("/shop/a", None), ("/shop/b", None), ("/shop/new", None)])
        # one that is left out may have it, as far as is known, for two days
        for _ in range(4):
            self.clock.advance(DAY)
            self.asked()
        self.assertIn("/old/p", self.export())
        changes = self.ask("export", "--changes", "--since", "7d", "-f", "csv",
                           "--columns", "loc,kind").out
        self.assertNotIn("/old/p", changes)
        self.assertIn("/shop/x/y/c,gone", changes)
        self.assertIn("/shop/new,added", changes)
        out = self.program.run("explain", "--json", self.server.url("/nested.xml"))
        due, = [due for due in out.records()[-1]["due"] if due["of"] == "document"]
        self.assertEqual((due["state"], due["left_out_by"]["key"]), ("unwanted", "sitemap-exclude"))
        text = self.program.run("explain", self.server.url("/nested.xml")).out
        self.assertIn("it is none of the sitemaps that are read of its site, by sitemap-exclude",
                      " ".join(text.split()))
        # it is read again as if nothing had been
        self.ask("set", "127.0.0.1", "sitemap-exclude=")
        self.assertEqual(self.asked(), self.ALL)

    def test_run(self):
        self.ask("add", "--every", "10m", "--sitemap-exclude", "/nested", "--sitemap-exclude", "/extra",
                 self.server.url("/"))
        daemon = Daemon(self.program)
        daemon.wait("crawled")
        self.server.forget()
        while not {"/shop.xml", "/blog.xml"} <= set(self.server.targets()):
            self.clock.advance(600)
            time.sleep(0.05)
        self.assertEqual(set(self.server.targets()), {"/index.xml", "/blog.xml", "/shop.xml"})
        self.ask("set", "127.0.0.1", "sitemap-exclude=/blog")
        for path in ("/nested.xml", "/extra.xml", "/old/2019.xml"):
            while path not in self.server.targets():
                self.clock.advance(600)
                time.sleep(0.05)
        self.server.forget()
        while not {"/shop.xml", "/nested.xml"} <= set(self.server.targets()):
            self.clock.advance(600)
            time.sleep(0.05)
        self.assertNotIn("/blog.xml", self.server.targets())
        daemon.end()


if __name__ == "__main__":
    unittest.main()
