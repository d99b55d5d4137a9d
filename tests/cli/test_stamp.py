"""freshet stamp: true dates in the sitemaps of a folder that is not published yet."""
import fcntl
import gzip
import os
import re
import shutil
import subprocess
import unittest

from case import gz
from test_dates import BASE, Folder

NOW = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"


class Stamp(Folder):
    def stamp(self, *args, status=0):
        result = self.program.run("stamp", "--base", BASE, "--manifest", self.manifest, *args, "public")
        self.assertEqual(result.status, status, str(result))
        return result

    def path(self, name="sitemap.xml"):
        return os.path.join(self.program.folder, "public", name)

    def text(self, name="sitemap.xml"):
        with open(self.path(name), "rb") as f:
            return f.read().decode()

    def write(self, name, text):
        with open(self.path(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())

    def dates(self, name="sitemap.xml"):
        return {loc.removeprefix(BASE): date for loc, date in re.findall(
            r"<loc>(.*?)</loc>(?:\s*<lastmod>(.*?)</lastmod>)?", self.text(name))}

    def test_a_history(self):
        """Builds lie; the stamped dates do not."""
        self.put(self.FIRST)
        self.stamp("--init")
        first = {"": "2026-01-05", "oolong.html": "2026-01-06T10:00:00Z", "green/": "2026-01-07", "milk.html": ""}
        self.assertEqual(self.dates(), first)
        # nothing changed but the frame, and the build dates all pages
        lie = {name: (text, date and "2026-02-02") for name, (text, date) in self.FIRST.items()}
        self.put(lie, build=2)
        before = self.read()
        self.stamp()
        self.assertEqual(self.dates(), first)
        self.assertEqual(self.read(), before)
        # one page changed, one is new
        self.put({**lie, "green/index.html": ("Never oxidised", "2026-02-03"),
                  "black.html": ("Oxidised", "2026-02-03")}, build=3)
        self.stamp()
        dates = self.dates()
        self.assertRegex(dates.pop("green/"), "^%s$" % NOW)
        self.assertRegex(dates.pop("black.html"), "^%s$" % NOW)
        self.assertEqual(dates, {name: date for name, date in first.items() if name != "green/"})
        # what was stamped is what check finds true
        self.check()
        text = self.text()
        self.stamp()
        self.assertEqual(self.text(), text)

    def test_all_other_bytes_stay(self):
        self.put(self.FIRST)
        self.stamp("--init")
        text = self.text()
        strange = text.replace("<url>", "<!-- é & so on -->\t<url>\r\n ").replace("</lastmod>", "</lastmod> ")
        self.write("sitemap.xml", strange.replace("2026-01-05", "2026-03-01"))
        self.stamp()
        self.assertEqual(self.text(), strange)

    def test_first_run_takes_out_the_day_of_a_build(self):
        self.follow_clock(wall=1772359200)  # 2026-03-01
        pages = {"%d.html" % n: ("page %d" % n, "2026-03-01T10:00:0%dZ" % n) for n in range(6)}
        pages["old.html"] = ("old", "2025-01-01")
        self.put(pages)
        self.stamp("--init")
        self.assertEqual({name for name, date in self.dates().items() if date}, {"old.html"})
        self.assertNotIn("lastmod", self.text().replace("<lastmod>2025-01-01</lastmod>", ""))

    def test_the_millisecond_of_a_build(self):
        """Pages that changed in this very second do not keep one that check would call a build's."""
        self.follow_clock(wall=1772359200)  # 2026-03-01T10:00:00Z
        self.put({"%d.html" % n: ("page %d" % n, None) for n in range(6)})
        self.stamp("--init")
        self.put({"%d.html" % n: ("changed %d" % n, "2026-03-01T10:00:00.123Z") for n in range(6)}, build=2)
        self.stamp()
        for date in self.dates().values():
            self.assertRegex(date, "^%s$" % NOW)

    def test_index(self):
        """The dates of an index are those of its sitemaps; one that has none gets none."""
        self.put(self.FIRST)
        os.rename(self.path(), self.path("pages.xml"))
        self.write("sitemap.xml", '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                   "<sitemap><loc>%spages.xml</loc><lastmod>2026-03-03</lastmod></sitemap></sitemapindex>" % BASE)
        self.stamp("--init")
        self.assertEqual(self.dates(), {"pages.xml": "2026-01-07"})
        self.put({**self.FIRST, "index.html": ("Other", "2026-01-05")}, build=2)
        os.rename(self.path(), self.path("pages.xml"))
        index = ('<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                 "<sitemap><loc>%spages.xml</loc>%s</sitemap></sitemapindex>")
        self.write("sitemap.xml", index % (BASE, "<lastmod>2026-03-03</lastmod>"))
        self.stamp()
        self.assertRegex(self.dates()["pages.xml"], "^%s$" % NOW)
        self.assertEqual(self.dates()["pages.xml"], self.dates("pages.xml")[""])
        self.write("sitemap.xml", index % (BASE, ""))
        self.stamp()
        self.assertEqual(self.text(), index % (BASE, ""))

    def test_dry_run(self):
        self.put(self.FIRST)
        text = self.text()
        self.assertIn("0 dates set, 0 taken out, 4 stay", self.stamp("--init", "--dry-run").out)
        self.assertFalse(os.path.exists(self.manifest))
        self.stamp("--init")
        self.put({**self.FIRST, "index.html": ("Other", "2026-01-05")})
        before = self.read()
        self.assertIn("1 date set, 0 taken out, 3 stay", self.stamp("--dry-run").out)
        self.assertEqual((self.text(), self.read()), (text, before))

    def test_after_a_kill(self):
        """The manifest is written, and no sitemap: the next run ends the same."""
        self.put(self.FIRST)
        self.stamp("--init")
        self.put({**self.FIRST, "index.html": ("Other", "2026-03-05")}, build=2)
        built = self.text()
        self.stamp()
        wanted, manifest = self.text(), self.read()
        self.write("sitemap.xml", built)
        self.stamp("--init")
        self.assertEqual((self.text(), self.read()), (wanted, manifest))

    def test_one_at_a_time(self):
        self.put(self.FIRST)
        fd = os.open(os.path.join(self.program.folder, "public"), os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        self.assertIn("another freshet stamp", self.stamp("--init", status=5).err)
        os.close(fd)
        self.stamp("--init")

    def test_packed(self):
        """gzip is kept; a sitemap that nothing names is found."""
        self.put(self.FIRST)
        text = self.text()
        self.write("packed.xml.gz", gz(text))
        with open(self.path("packed.xml.gz"), "rb") as f:
            packed = f.read()
        self.stamp("--init")
        with open(self.path("packed.xml.gz"), "rb") as f:
            self.assertEqual(f.read(), packed)
        self.write("packed.xml.gz", gz(text.replace("2026-01-05", "2026-02-03")))
        self.stamp()
        with open(self.path("packed.xml.gz"), "rb") as f:
            self.assertEqual(gzip.decompress(f.read()).decode(), text)

    def test_what_stays(self):
        """Entries without a file, text lists."""
        self.put(self.FIRST)
        os.unlink(self.path("milk.html"))
        self.write("list.txt", BASE + "oolong.html\n")
        self.write("robots.txt", "".join("Sitemap: %s%s\n" % (BASE, name) for name in ("sitemap.xml", "list.txt")))
        out = self.stamp("--init").out
        self.assertIn("3 stay; 1 entries without a file or text stay", out)
        self.assertIn("1 text lists and feeds stay", out)
        os.mkdir(self.path("data"))
        self.write("data/export.xml.gz", gz("<teas/>"))
        self.assertEqual(self.stamp().out.count("sitemap.xml"), 1)

    def test_a_page_that_moved(self):
        """The same text at another URL keeps its date; a copy does not."""
        self.put(self.FIRST)
        self.stamp("--init")
        moved = {name.replace("oolong", "blue"): (text, "2026-02-03") for name, (text, _) in self.FIRST.items()}
        self.put({**moved, "copy.html": self.FIRST["index.html"]}, build=2)
        os.unlink(self.path("oolong.html"))
        self.stamp()
        self.assertEqual(self.dates()["blue.html"], "2026-01-06T10:00:00Z")
        self.assertRegex(self.dates()["copy.html"], "^%s$" % NOW)

    def test_any_form(self):
        """Namespaces, comments, CDATA: only dates change."""
        self.put(self.FIRST)
        text = ('<?xml version="1.0"?><!-- <url> --><s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" '
                'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n<s:url><s:loc><![CDATA[%s]]></s:loc>'
                "<image:image><image:loc>%sa.png</image:loc></image:image>%s</s:url>\n</s:urlset>")
        self.write("sitemap.xml", text % (BASE, BASE, "<s:lastmod>2026-01-05</s:lastmod>"))
        self.stamp("--init")
        self.write("sitemap.xml", text % (BASE, BASE, ""))
        self.stamp()
        self.assertEqual(self.text(), (text % (BASE, BASE, "")).replace(
            "</s:loc>", "</s:loc><s:lastmod>2026-01-05</s:lastmod>"))

    def test_nothing_is_written(self):
        """A sitemap that cannot be read, none at all, a bad manifest."""
        self.put(self.FIRST)
        good = self.text()
        self.assertIn("--init", self.stamp(status=2).err)
        self.write("sitemap.xml", good[:-20])
        self.assertIn("could not be read to its end", self.stamp("--init", status=1).err)
        self.assertFalse(os.path.exists(self.manifest))
        self.assertEqual(self.text(), good[:-20])
        os.rename(self.path(), os.path.join(self.program.folder, "outside.xml"))
        os.symlink("../outside.xml", self.path())
        self.write("robots.txt", "Sitemap: %ssitemap.xml\n" % BASE)
        self.assertIn("could not be read to its end", self.stamp("--init", status=1).err)
        os.unlink(self.path())
        self.assertIn("could not be read to its end", self.stamp("--init", status=1).err)
        os.unlink(self.path("robots.txt"))
        self.assertEqual(self.stamp("--init", status=4).out, "")
        self.write("sitemap.xml", good)
        self.stamp("--init")
        with open(self.manifest, "a", encoding="ascii") as f:
            f.write("x\n")
        self.assertIn("damaged", self.stamp(status=2).err)
        self.assertEqual(self.text(), good)

    def test_a_generator_learns_dates(self):
        """A page that has no date gets that of the sitemap, if it was true at the last run."""
        self.follow_clock(wall=1772359200)  # 2026-03-01
        self.put({name: (text, None) for name, (text, _) in self.FIRST.items()})
        self.stamp("--init")
        self.put({**self.FIRST, "milk.html": ("No tea", "2026-03-02")})
        self.assertIn("0 pages changed, 0 new, 0 moved, 4 as before", self.stamp().out)
        self.assertEqual(self.dates(), {"": "2026-01-05", "oolong.html": "2026-01-06T10:00:00Z",
                                        "green/": "2026-01-07", "milk.html": ""})

    def test_a_date_of_today(self):
        """A date after the first run that found the text is that of a build."""
        self.follow_clock(wall=1772359200)  # 2026-03-01
        self.put({name: (text, None) for name, (text, _) in self.FIRST.items()})
        self.stamp("--init")
        self.put({**self.FIRST, "milk.html": ("No tea", "2026-03-01")})
        self.stamp()
        self.assertEqual(self.dates()["milk.html"], "")
        # nor does it become true by a run, which may have been killed
        self.clock.step(86400 * 3)
        self.put({**self.FIRST, "milk.html": ("No tea", "2026-03-02"), "index.html": ("Other", None)})
        text = self.text()
        self.stamp()
        stamped, manifest = self.text(), self.read()
        self.assertEqual(self.dates()["milk.html"], "")
        self.write("sitemap.xml", text)
        self.stamp()
        self.assertEqual((self.text(), self.read()), (stamped, manifest))

    def test_what_is_no_date(self):
        """It is taken out, and counted."""
        self.put({**self.FIRST, "milk.html": ("No tea", "yesterday")})
        self.assertIn("0 dates set, 1 taken out, 3 stay", self.stamp("--init").out)
        self.assertNotIn("yesterday", self.text())

    def test_one_sitemap_twice(self):
        """A link within the folder, the other scheme; a packed file that is none."""
        self.put(self.FIRST)
        os.rename(self.path(), self.path("real.xml"))
        os.symlink("real.xml", self.path())
        self.write("robots.txt", "Sitemap: http%ssitemap.xml\nSitemap: %sreal.xml\n" % (BASE[BASE.index(":"):], BASE))
        self.write("data.xml.gz", gz("<data/>"))
        self.stamp("--init")
        self.put({**self.FIRST, "index.html": ("Other", "2026-01-05")}, build=2)
        self.stamp()
        self.assertRegex(self.dates("real.xml")[""], "^%s$" % NOW)
        self.assertEqual(self.text(), self.text("real.xml"))

    def test_half_a_build(self):
        """A page whose file is missing keeps its line; most of them are a fault."""
        self.put(self.FIRST)
        self.stamp("--init")
        before = self.read()
        os.unlink(self.path("oolong.html"))
        self.assertIn("1 without a file", self.stamp().out)
        self.assertEqual(self.read(), before)
        os.unlink(self.path("index.html"))
        os.unlink(self.path("milk.html"))
        text = self.text()
        self.assertIn("3 of 4 listed pages", self.stamp(status=2).err)
        self.assertEqual((self.text(), self.read()), (text, before))

    def test_usage(self):
        self.put(self.FIRST)
        base, manifest = ["--base", BASE], ["--manifest", self.manifest]
        for args, why in (([*manifest, "public"], "--base"), ([*base, "public"], "--manifest"),
                          ([*base, *manifest, "public/sitemap.xml"], "folder"),
                          ([*base, *manifest, "nowhere"], "is not there"),
                          ([*base, *manifest, "--git", "public"], "--git needs --init")):
            result = self.program.run("stamp", *args)
            self.assertEqual(result.status, 2, str(result))
            self.assertIn(why, result.err)
        os.mkdir(self.path("empty"))
        result = self.program.run("stamp", *base, *manifest, "--init", "public/empty")
        self.assertEqual((result.status, result.err.count("\n")), (4, 1), str(result))

    def test_line_ends(self):
        """git may have given the manifest those of Windows."""
        self.put(self.FIRST)
        self.stamp("--init")
        before = self.read()
        with open(self.manifest, "wb") as f:
            f.write(before.replace("\n", "\r\n").encode())
        self.stamp()
        self.assertEqual(self.read(), before)
        self.assertEqual(self.program.run("stamp", "-q", "--base", BASE, "--manifest", self.manifest, "public").out, "")

    def test_no_page_has_a_file(self):
        self.put(self.FIRST)
        for name in self.FIRST:
            os.unlink(self.path(name))
        self.assertIn("no listed page has a file", self.stamp("--init", status=2).err)
        self.assertFalse(os.path.exists(self.manifest))

    def git(self, *args, at="2025-01-01T00:00:00Z"):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@a.example", *args], check=True,
                       cwd=self.program.folder, env={**os.environ, "GIT_COMMITTER_DATE": at},
                       stdout=subprocess.DEVNULL)

    def commit(self, name, at):
        path = os.path.join(self.program.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as f:
            f.write(at)
        self.git("add", name)
        self.git("commit", "-q", "-m", name, at=at)

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_dates_of_git(self):
        """Each page with a source gets the time of its last commit."""
        self.put({**self.FIRST, "2024/01/02/tea.html": ("Post", None), "tags/index.html": ("Tags", None)})
        self.assertIn("git", self.stamp("--init", "--git", status=2).err)
        self.assertFalse(os.path.exists(self.manifest))
        self.git("init", "-q")
        for number, name in enumerate(("content/oolong.md", "content/green/_index.md", "content/_index.md",
                                       "content/_posts/2024-01-02-tea.md", "content/tags.png", "layouts/milk.html",
                                       "content/README.md", "content/oolong.md", "content/oolong#.md")):
            self.commit(name, "2025-01-%02dT00:00:00Z" % (number + 1))
        self.git("branch", "grafted")
        self.assertIn("4 of 6 pages have a source", self.stamp("--init", "--git").err)
        self.assertEqual(self.dates(), {
            "": "2025-01-07T00:00:00Z", "oolong.html": "2025-01-08T00:00:00Z", "green/": "2025-01-02T00:00:00Z",
            "milk.html": "", "2024/01/02/tea.html": "2025-01-04T00:00:00Z", "tags/": ""})

    @unittest.skipUnless(shutil.which("git"), "there is no git")
    def test_shallow(self):
        self.put(self.FIRST)
        self.git("init", "-q", "whole")
        self.program.folder, folder = os.path.join(self.program.folder, "whole"), self.program.folder
        self.commit("milk.md", "2025-01-01T00:00:00Z")
        self.commit("milk.md", "2025-01-02T00:00:00Z")
        self.program.folder = folder
        self.git("clone", "-q", "--depth", "1", "file://" + os.path.join(folder, "whole"), "cut")
        os.rename(os.path.join(folder, "cut", ".git"), os.path.join(folder, ".git"))
        self.assertIn("history", self.stamp("--init", "--git", status=2).err)
        self.assertFalse(os.path.exists(self.manifest))
