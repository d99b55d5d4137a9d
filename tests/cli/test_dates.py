"""freshet check --dates: the dates of a folder against what changed since it was published last."""
import os

from case import Case, gz, urlset

BASE = "https://www.tea.example/"
PAGE = ('<!doctype html><title>Tea</title><link rel=stylesheet href="/a.%s.css"><header>Tea house</header>'
        '<nav><a href="/">%s</a></nav><main><h1>Tea</h1><p>%s</main><footer>Built %s, version %s</footer>')


class Folder(Case):
    """A folder that is built, and its manifest."""

    def setUp(self):
        super().setUp()
        self.manifest = os.path.join(self.program.folder, "pages.manifest")

    def put(self, pages, build=1, dates=True, folder="public"):
        """Build a folder: {name: (text, date)}; each build has another frame."""
        for name, (text, _) in pages.items():
            path = os.path.join(self.program.folder, folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(PAGE % ("%08x" % (build * 0x1234567), "menu %d" % build, text,
                                "2026-03-%02d" % build, "1.%d.0" % build))
        entries = "".join("<url><loc>%s%s</loc>%s</url>\n" % (
            BASE, name.removesuffix("index.html"), "<lastmod>%s</lastmod>" % date if date and dates else "")
            for name, (_, date) in pages.items())
        with open(os.path.join(self.program.folder, folder, "sitemap.xml"), "w", encoding="utf-8") as f:
            f.write('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/'
                    'sitemap/0.9">\n%s</urlset>\n' % entries)

    def check(self, *args, status=0, base=BASE):
        result = self.program.run("check", "--json", "--fail-on", "warning", "--dates", "--manifest",
                                  self.manifest, "--base", base, *args, "public")
        self.assertEqual(result.status, status, str(result))
        return result

    def found(self, result):
        return {r["code"]: sorted(s["loc"].removeprefix(BASE) for s in r["samples"])
                for r in result.records() if r["record"] == "finding" and r["code"].startswith("lastmod-")}

    def read(self):
        with open(self.manifest, encoding="ascii") as f:
            return f.read()

    FIRST = {"index.html": ("Welcome", "2026-01-05"), "oolong.html": ("Half oxidised", "2026-01-06T10:00:00Z"),
             "green/index.html": ("Not oxidised", "2026-01-07"), "milk.html": ("No tea", None)}

    def begin(self):
        self.put(self.FIRST)
        self.check("--init")


class Dates(Folder):
    def test_manifest(self):
        """A sorted text of URLs, digests and dates."""
        self.begin()
        lines = self.read().splitlines()
        self.assertEqual(lines[0], "freshet manifest 1")
        self.assertRegex(lines[1], "^site %s 20[0-9-]+T[0-9:]+Z$" % BASE)
        since = "-" + lines[1].split(" ")[2]
        self.assertEqual([line.split(" ")[::2] for line in lines[2:-1]], [
            [BASE, "2026-01-05"], [BASE + "green/", "2026-01-07"], [BASE + "milk.html", since],
            [BASE + "oolong.html", "2026-01-06T10:00:00Z"]])
        self.assertRegex(lines[-1], "^end 4 [0-9a-f]{32}$")
        self.assertEqual(os.listdir(self.program.folder).count("pages.manifest"), 1)

    def test_honest(self):
        """Only the frame changed; one page changed, with its date; one is new."""
        self.begin()
        before = self.read()
        self.put({**self.FIRST, "oolong.html": ("Half of it", "2026-02-01"),
                  "black.html": ("Oxidised", "2026-02-01")}, build=2)
        result = self.check()
        self.assertEqual(self.found(result), {})
        self.assertIn("compared 4 pages", result.err)
        self.assertIn("1 changed, of these 0 without a new date; 3 did not change, of these 0 with a new date; "
                      "1 are new", result.err)
        self.assertEqual(self.read(), before)

    def test_lies(self):
        self.begin()
        self.put({**{name: (text, date and "2026-02-02") for name, (text, date) in self.FIRST.items()},
                  "green/index.html": ("Never oxidised", "2026-01-07")}, build=2)
        result = self.check(status=1)
        self.assertEqual(self.found(result), {"lastmod-moved-unchanged": ["", "oolong.html"],
                                              "lastmod-unmoved-changed": ["green/"]})
        texts = {s["text"] for r in result.records() if r["record"] == "finding" for s in r["samples"]}
        self.assertIn("2026-01-05 became 2026-02-02, and its text is the same", texts)
        self.assertIn("2026-01-07 stayed, and its text is another", texts)
        # without the severity, they do not fail
        self.check("--fail-on", "error")

    def test_a_date_that_goes_back(self):
        self.begin()
        self.put({**self.FIRST, "index.html": ("Welcome", "2025-01-05")})
        self.assertEqual(self.found(self.check(status=1)), {"lastmod-moved-unchanged": [""]})

    def test_a_change_of_the_day(self):
        """A day is right for all changes of the day."""
        self.follow_clock(wall=1767225600)  # 2026-01-01
        pages = {"index.html": ("a", "2026-01-01"), "b.html": ("b", "2025-12-31")}
        self.put(pages)
        self.check("--init")
        self.put({"index.html": ("c", "2026-01-01"), "b.html": ("d", "2025-12-31")})
        self.assertEqual(self.found(self.check(status=1)), {"lastmod-unmoved-changed": ["b.html"]})

    def test_dates_that_come_and_go(self):
        """Without a date nothing is claimed."""
        self.begin()
        self.put({"index.html": ("Welcome", None), "milk.html": ("No tea", "2026-02-02"),
                  "oolong.html": ("Other", None), "green/index.html": ("Not oxidised", None)})
        self.assertEqual(self.found(self.check()), {})

    def test_what_cannot_be_compared(self):
        self.put({**self.FIRST, "tea.pdf": ("no page", "2026-01-01")})
        os.unlink(os.path.join(self.program.folder, "public", "oolong.html"))
        result = self.program.run("check", "--dates", "--init", "--manifest", self.manifest,
                                  "--base", BASE, "public")
        self.assertEqual(result.status, 0, str(result))
        self.assertNotIn("tea.pdf", self.read())
        self.assertNotIn("oolong", self.read())

    def test_no_link_out_of_the_folder(self):
        self.put(self.FIRST)
        path = os.path.join(self.program.folder, "public", "milk.html")
        os.rename(path, os.path.join(self.program.folder, "milk.html"))
        os.symlink("../milk.html", path)
        self.program.run("check", "--dates", "--init", "--manifest", self.manifest, "--base", BASE, "public")
        self.assertNotIn("milk", self.read())

    def test_refused(self):
        """Nothing is written, and one line says why."""
        self.put(self.FIRST)
        self.assertIn("--init", self.check(status=2).err)
        self.assertFalse(os.path.exists(self.manifest))
        self.check("--init")
        good = self.read()
        lines = good.splitlines(keepends=True)
        conflict = "".join(lines[:3] + ["<<<<<<< HEAD\n"] + lines[3:])
        for text, why in (
                ("", "no manifest"), ("hello\n", "no manifest"), (lines[0], "line 2"),
                (good.replace("manifest 1", "manifest 2"), "newer version"),
                (conflict, "damaged at line 4"), ("".join(lines[:-1]), "damaged"),
                ("".join(lines[:3] + lines[4:]), "damaged at line 6"),
                ("".join(lines[:2] + [lines[3], lines[2]] + lines[4:]), "damaged at line 4"),
                (good.replace("2026-01-05", "2026-01-04"), "damaged at line 7"),
                (good + "x\n", "damaged"),
                (good.replace("2026-01-05", "yesterday"), "damaged at line 3")):
            with self.subTest(why=why, text=text):
                with open(self.manifest, "w", encoding="ascii") as f:
                    f.write(text)
                self.assertIn(why, self.check(status=2).err)
                self.assertEqual(self.read(), text)
        with open(self.manifest, "w", encoding="ascii") as f:
            f.write(good)
        self.check()

    def test_another_site(self):
        self.put({"index.html": ("a", None)})
        self.check("--init")
        self.put({"index.html": ("a", None)})
        with open(self.manifest, encoding="ascii") as f:
            before = f.read()
        path = os.path.join(self.program.folder, "public", "sitemap.xml")
        with open(path, encoding="ascii") as f:
            text = f.read().replace("www.tea", "www.milk")
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        result = self.check(status=2, base="https://www.milk.example/")
        self.assertIn("is the manifest of %s, and not of https://www.milk.example/" % BASE, result.err)
        self.assertEqual(self.read(), before)

    def test_usage(self):
        self.put(self.FIRST)
        for args in (("--dates", "public"), ("--manifest", "m", "public"), ("--init", "public"),
                     ("--dates", "--manifest", "m", "public/sitemap.xml"),
                     ("--dates", "--manifest", "m", "https://www.tea.example/")):
            self.assertEqual(self.program.run("check", *args).status, 2, args)

    def test_no_page(self):
        os.makedirs(os.path.join(self.program.folder, "public"))
        with open(os.path.join(self.program.folder, "public", "sitemap.xml"), "w", encoding="ascii") as f:
            f.write(urlset([BASE + "a", BASE + "b"]))
        self.assertIn("no listed page has a file", self.check("--init", status=2).err)
        self.assertFalse(os.path.exists(self.manifest))

    def test_many(self):
        """More pages than files that are open at once, in gzip; with and without reader processes."""
        pages = {"%d.html" % n: ("page %d" % n, "2026-01-01") for n in range(150)}
        self.put(pages)
        path = os.path.join(self.program.folder, "public", "sitemap.xml")
        with open(path, "rb") as f:
            packed = gz(f.read().decode())
        os.unlink(path)
        with open(path + ".gz", "wb") as f:
            f.write(packed)
        with open(os.path.join(self.program.folder, "public", "robots.txt"), "w", encoding="ascii") as f:
            f.write("Sitemap: %ssitemap.xml.gz\n" % BASE)
        texts = []
        for readers in ("0", "2"):
            self.program.run("check", "--readers", readers, "--dates", "--init", "--manifest", self.manifest,
                             "--base", BASE, "public")
            texts.append([line for line in self.read().splitlines() if line.startswith(BASE)])
            os.unlink(self.manifest)
        self.assertEqual(len(texts[0]), 150)
        self.assertEqual(texts[0], texts[1])
