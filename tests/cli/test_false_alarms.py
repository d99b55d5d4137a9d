"""What looks like an event and is none tells nothing; when one fact changes, it
is one.  Each pair is two sites, which are read daily."""
import collections

from case import index, urlset
from clock import DAY
from test_clock import Clocked

DAYS = 12
# all but first-reading, which each site has
KINDS = ("section-launched, section-gone, mass-drop-waiting, mass-drop-confirmed, "
         "mass-drop-accident, pages-moved, other-sitemap, burst, silence, redated, "
         "dates-backwards, verdict-changed, robots-changed, sitemap-line-lost, "
         "sitemap-line-back, sitemap-failing, sitemap-back")


def pages(folder, count, date=None, first=0):
    return {"/%s/%d" % (folder, n): date for n in range(first, first + count)}


def union(*parts):
    return {page: date for part in parts for page, date in part.items()}


class Place:
    """A site on one day: sitemaps with their pages, those that the index lists,
    those that fail, and the sitemap that robots.txt names."""

    def __init__(self, sitemaps, listed=None, failing=(), robots="index"):
        self.sitemaps = sitemaps
        self.listed = sorted(sitemaps) if listed is None else listed
        self.failing, self.robots = failing, robots


SHOP = pages("shop", 40)
BLOG = pages("blog", 8)
DATED = {page: "2026-02-02" for page in SHOP}
BEFORE = Place({"a": SHOP, "b": BLOG})


def then(place, first=1, last=DAYS):
    """As before, but for these days."""
    return lambda day: place if first <= day <= last else BEFORE


def since(place, before):
    return lambda day: before if day == 0 else place


# name, what is no event, its kinds all the same; what changes, the kinds then
PAIRS = [
    ("nothing happens", then(BEFORE), "",
     "a section comes", then(Place({"a": SHOP, "b": union(BLOG, pages("new", 5))})),
     "section-launched"),
    ("a section of four pages", then(Place({"a": SHOP, "b": union(BLOG, pages("new", 4))})), "",
     "five pages", then(Place({"a": SHOP, "b": union(BLOG, pages("new", 5))})),
     "section-launched"),
    ("new pages in a section that is there", then(Place({"a": union(SHOP, pages("blog", 9, first=9)),
                                                         "b": BLOG})), "",
     "in a section of their own", then(Place({"a": union(SHOP, pages("news", 9)), "b": BLOG})),
     "section-launched"),
    ("a sitemap is split", then(Place({"a": pages("shop", 20), "c": pages("shop", 20, first=20),
                                       "b": BLOG})), "other-sitemap",
     "the index lists one part alone", then(Place(
         {"a": pages("shop", 20), "c": pages("shop", 20, first=20), "b": BLOG},
         listed=["a", "b"])), "mass-drop-confirmed mass-drop-waiting"),
    ("a folder and its sitemap are renamed", then(Place({"a": SHOP, "c": pages("insights", 8)})),
     "pages-moved",
     "the pages have other names", then(Place({"a": SHOP, "c": pages("insights", 8, first=100)})),
     "section-gone section-launched"),
    ("a folder is renamed within its sitemap", then(Place({"a": pages("store", 40), "b": BLOG})),
     "pages-moved",
     "some of its pages are lost", then(Place({"a": pages("store", 15), "b": BLOG})),
     "mass-drop-confirmed mass-drop-waiting pages-moved section-gone"),
    ("the index drops a sitemap whose pages another one has",
     then(Place({"a": union(SHOP, BLOG)})), "other-sitemap",
     "no other one has them", then(Place({"a": SHOP})), "section-gone"),
    ("robots.txt names no sitemap any more", then(Place(BEFORE.sitemaps, robots=None)),
     "sitemap-line-lost",
     "it names another one", then(Place(
         dict(BEFORE.sitemaps, other=SHOP), listed=["a", "b"], robots="other")),
     "other-sitemap robots-changed section-gone"),
    ("most pages are missing once", then(Place({"a": pages("shop", 10), "b": BLOG}), last=1),
     "mass-drop-accident mass-drop-waiting",
     "twice", then(Place({"a": pages("shop", 10), "b": BLOG}), last=2),
     "mass-drop-confirmed mass-drop-waiting"),
    ("a fifth is missing", then(Place({"a": pages("shop", 32), "b": BLOG})), "",
     "half is missing", then(Place({"a": pages("shop", 20), "b": BLOG})),
     "mass-drop-confirmed mass-drop-waiting"),
    ("a sitemap fails once", then(Place(BEFORE.sitemaps, failing={"b": 503}), last=1), "",
     "twice", then(Place(BEFORE.sitemaps, failing={"b": 503}), last=2),
     "sitemap-back sitemap-failing"),
    ("a sitemap is not there for five days", then(Place(BEFORE.sitemaps, failing={"b": 404}), last=5),
     "sitemap-back sitemap-failing",
     "for good", then(Place(BEFORE.sitemaps, failing={"b": 404})),
     "section-gone sitemap-failing"),
    ("a page is dated anew", since(Place({"a": union(DATED, {"/shop/1": "2026-02-03"})}),
                                   Place({"a": DATED})), "",
     "all are", since(Place({"a": {page: "2026-02-03" for page in SHOP}}), Place({"a": DATED})),
     "redated"),
    ("all are dated anew", since(Place({"a": {page: "2026-02-03" for page in SHOP}}),
                                 Place({"a": DATED})), "redated",
     "to older dates", since(Place({"a": {page: "2025-02-03" for page in SHOP}}),
                             Place({"a": DATED})), "dates-backwards"),
]


MONTHS = 46  # days


def growing(last=MONTHS, jump=MONTHS, a_day=1, failing=()):
    """A new page each day until the last one; 30 of them at once on the day of the jump; no
    answers on the failing days."""
    return lambda day: Place({"a": pages("shop", 40 + a_day * min(day, last)
                                         + 30 * (day >= jump))},
                             failing={"a": 503} if day in failing else ())


# the same over a month and a half, against the habit of a site
HABITS = [
    ("many pages come after a week in which nobody could look",
     growing(jump=37, failing=range(30, 38)), "sitemap-back sitemap-failing",
     "while everybody could", growing(jump=37), "burst"),
    ("many pages come days after a month in which nobody could look",
     growing(a_day=0, jump=41, failing=range(1, 39)), "sitemap-back sitemap-failing",
     "after a month in which nothing came", growing(a_day=0, jump=41), "burst"),
    ("no page comes while nobody can look", growing(last=20, failing=range(21, MONTHS)),
     "sitemap-failing",
     "while everybody can", growing(last=20), "silence"),
    ("no page comes for a week", growing(a_day=1, last=38), "",
     "for longer", growing(a_day=1, last=36), "silence"),
]


class FalseAlarms(Clocked):
    def publish(self, host, place):
        url = "http://%s/%%s.xml" % host
        self.server.put(host + "/robots.txt", "User-agent: *\nDisallow:\n" + (
            "Sitemap: %s\n" % (url % place.robots) if place.robots else ""))
        self.server.put(host + "/index.xml", index([url % name for name in place.listed]))
        for name in "a", "b", "c", "other":
            path = "%s/%s.xml" % (host, name)
            if name not in place.sitemaps:
                self.server.drop(path)
            else:
                self.server.put(path, urlset([
                    ("http://%s%s" % (host, page), date)
                    for page, date in sorted(place.sitemaps[name].items())]),
                    status=place.failing.get(name, 200) if place.failing else 200)

    def live(self, pairs, days):
        """Assert that the sites of these pairs have these events."""
        sites, wanted, names = {}, {}, {}
        for number, (no, quiet, none, yes, loud, some) in enumerate(pairs):
            for host, name, how, kinds in (("n%d.test" % number, no, quiet, none),
                                           ("y%d.test" % number, no + "; " + yes, loud, some)):
                sites[host], wanted[host], names[host] = how, kinds.split(), name
        told, conf = (self.program.folder + name for name in ("/told.atom", "/conf"))
        with open(conf, "w", encoding="ascii") as f:
            f.write("[alert all]\natom = %s\nkinds = %s\n" % (told, KINDS))
        self.clock.leap()
        for day in range(days):
            for host, how in sites.items():
                self.publish(host, how(day))
            result = self.program.run(
                "crawl", "-q", "--progress", "off", "--retry", "0", "--delay", "0", "--connect-to",
                ":80:127.0.0.1:%d" % self.server.port, *["http://%s/" % host for host in sites])
            self.assertIn(result.status, (0, 1), str(result))
            self.clock.advance(DAY)
        self.clock.advance(4 * DAY)
        found = collections.defaultdict(list)
        for event in self.program.run("alert", "replay", "all", "--config", conf, "--json",
                                      "--since", "60d").records():
            found[event["site"]].append(event["kind"])
        for host, name in names.items():
            with self.subTest(name):
                self.assertEqual(sorted(found[host]), sorted(wanted[host]))

    def test_pairs(self):
        self.live(PAIRS, DAYS)

    def test_habits(self):
        self.live(HABITS, MONTHS)
