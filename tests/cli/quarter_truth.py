"""What happens at the sites of test_quarter.py in 91 days, and what must be told of it.

This file was written from the specification and the users' documents, not from
what the program prints.  Days count from Monday, 2026-01-05.
"""
import collections

BEGIN = 1767571200      # 2026-01-05 00:00 UTC, a Monday
DAYS = 91
WEEKS = DAYS // 7

# site -> the day of its first reading
SITES = {"acorn.test": 0, "birch.test": 0, "cedar.test": 0, "dogwood.test": 0, "elm.test": 0,
         "fir.test": 0, "gum.test": 0, "hazel.test": 45}


class Page:
    """A page from the day on which a reading can find it until the day on
    which readings lack it; born: the day of its date."""

    def __init__(self, site, url, first, end, born):
        self.site, self.url, self.first, self.end, self.born = site, url, first, end, born

    def is_listed(self, day):
        return self.first <= day and (self.end is None or day < self.end)


PAGES = []
MOVES = []      # (day of the new page, site, from, to)


def add(site, paths, first=None, end=None, origin=None):
    origin = origin or "http://" + site
    first = SITES[site] if first is None else first
    for path in paths:
        PAGES.append(Page(site, origin + path, first, end, first))


def named(form, count):
    return [form % n for n in range(count)]


def move(site, old, new, first, end=None):
    """All that begins with old on that day is at new from then on, and leaves
    the old place on the day end."""
    for page in [p for p in PAGES if p.site == site and p.url.startswith(old)
                 and p.is_listed(first)]:
        page.end = first if end is None else end
        url = new + page.url[len(old):]
        PAGES.append(Page(site, url, first, None, page.born))
        MOVES.append((first, site, page.url, url))


def weekdays(*days):
    return [day for day in range(1, DAYS) if day % 7 in days]


# acorn.test publishes from Monday to Friday, launches a section, ends another
# one, and is silent for two weeks.
add("acorn.test", named("/blog/old-%02d", 30) + named("/shop/%02d", 50))
add("acorn.test", named("/jobs/%02d", 12), end=30)
for DAY in weekdays(0, 1, 2, 3, 4):
    if DAY <= 60 or DAY >= 75:
        add("acorn.test", ["/blog/d%02d" % DAY], DAY)
for DAY, COUNT in ((10, 3), (11, 3), (12, 2), (15, 1)):
    add("acorn.test", named("/academy/%d-%%d" % DAY, COUNT), DAY)

# birch.test publishes on Tuesdays and Thursdays, renames its blog, is built anew
# on four Wednesdays, imports old dates, and gets forty products at once.
add("birch.test", named("/blog/p%02d", 28) + named("/shop/%02d", 60))
add("birch.test", ["/blog/d%02d" % day for day in weekdays(1, 3) if day < 24])
for PAGE in PAGES:
    if PAGE.site == "birch.test" and "/blog/d" in PAGE.url:
        PAGE.first = PAGE.born = int(PAGE.url[-2:])
move("birch.test", "http://birch.test/blog/", "http://birch.test/insights/", 24)
for DAY in weekdays(1, 3):
    if DAY >= 24:
        add("birch.test", ["/insights/d%02d" % DAY], DAY)
add("birch.test", named("/shop/n%02d", 40), 82)
BUILDS = (44, 51, 58, 65)   # of birch.test: all dates are those of the build
BACK_DAY, BACK = 72, 20     # then so many products are dated back

# cedar.test lists five new products on Mondays, goes to https, and drops products
# and guides.
add("cedar.test", ["/", "/about", "/contact", "/terms"] + named("/p/%03d", 130)
    + named("/guides/%02d", 40))
for DAY in (7, 14):
    add("cedar.test", named("/p/m%02d-%%d" % DAY, 5), DAY)
move("cedar.test", "http://cedar.test/", "https://cedar.test/", 20)
for DAY in weekdays(0):
    if DAY > 20:
        add("cedar.test", named("/p/m%02d-%%d" % DAY, 5), DAY, origin="https://cedar.test")
for PAGE in PAGES:
    if PAGE.url in ["https://cedar.test/p/%03d" % n for n in range(60)]:
        PAGE.end = 50
    if PAGE.url in ["https://cedar.test/guides/%02d" % n for n in range(20)]:
        PAGE.end = 76

# dogwood.test publishes on Mondays and Thursdays; what happens is in robots.txt.
add("dogwood.test", named("/docs/%02d", 40) + named("/labs/%02d", 10))
for DAY in weekdays(0, 3):
    add("dogwood.test", ["/docs/d%02d" % DAY], DAY)
LABS_DAY = 9                # from then on robots.txt disallows /labs/
LOST = range(27, 34)        # robots.txt names no sitemap
LOST_AGAIN = 88             # nor from then on
UNREACHABLE = range(53, 56)  # robots.txt answers 503

# elm.test publishes on Fridays; its sitemaps fail, stand behind a bot wall, and
# one is 404 for good.
add("elm.test", named("/shop/%02d", 60))
add("elm.test", named("/guides/%02d", 15), end=55)
for DAY in weekdays(4):
    add("elm.test", named("/shop/d%02d-%%d" % DAY, 2), 42 if DAY == 39 else DAY)
add("elm.test", named("/shop/behind-%02d", 25), 42)
BROKEN = range(15, 18)      # /shop.xml answers 503
WALL = range(37, 42)        # a bot wall answers
HICCUP = 47                 # /shop.xml answers 503 once

# fir.test publishes 22 posts each Monday, splits a sitemap, joins it again, and
# moves to another host.
add("fir.test", named("/products/%02d", 80) + named("/blog/old-%02d", 10))
for DAY in weekdays(0):
    if DAY < 60:
        add("fir.test", named("/blog/m%02d-%%02d" % DAY, 22), DAY)
move("fir.test", "http://fir.test/", "http://www.fir.test/", 60)
for DAY in weekdays(0):
    if DAY >= 60:
        add("fir.test", named("/blog/m%02d-%%02d" % DAY, 22), DAY, origin="http://www.fir.test")
SPLIT, JOIN, HOST = 16, 36, 60

# gum.test has one sitemap, and much that is less than it seems.
add("gum.test", named("/shop/%02d", 33))
add("gum.test", named("/shop/left-%02d", 14), end=55)
add("gum.test", named("/shop/few-%d", 3), end=62)
add("gum.test", named("/store/few-%d", 3), 62)          # too few to be a move
add("gum.test", named("/press/%02d", 12))
add("gum.test", named("/sale/%d", 10), 20, 27)
add("gum.test", named("/tiny/%d", 4), 30)               # too few to be a launch
move("gum.test", "http://gum.test/press/", "http://gum.test/news/", 40, 46)
for DAY in range(66, 90, 3):
    add("gum.test", ["/guide/%d" % DAY], DAY)           # too slow to be a launch
ACCIDENT = 64               # the sitemap is cut to 20 pages for a day

# hazel.test is watched from day 45 on.
add("hazel.test", named("/a/%02d", 30))
add("hazel.test", named("/b/%d", 6), 50)


def listed(day, site=None):
    """The URLs that a reading of that day, and the readings after it, find."""
    return {p.url for p in PAGES if p.is_listed(day) and site in (None, p.site)
            and day >= SITES[p.site]}


def refused(day):
    """Those of them that the location rules refuse."""
    return listed(day, "dogwood.test") if day in LOST or day >= LOST_AGAIN else set()


def redated(site, day):
    """How many dates a site changes on a day."""
    if site != "birch.test":
        return 0
    if day in BUILDS:
        return sum(p.is_listed(day) and p.first < day for p in PAGES if p.site == site)
    return BACK if day == BACK_DAY else 0


def verdicts(day):
    """How many pages of dogwood.test are refused, and how many accepted again."""
    return (len(listed(day, "dogwood.test")) if day in (LOST[0], LOST_AGAIN) else 0,
            len(listed(LOST[-1], "dogwood.test")) if day == LOST[-1] + 1 else 0)


def numbers(site, first, end):
    """The numbers of the days from first to before end."""
    counts = collections.Counter(new=0, gone=0, moved=0, redated=0, refused=0, accepted=0)
    sources, targets = {m[2] for m in MOVES}, {m[3] for m in MOVES}
    for page in PAGES:
        if page.site != site:
            continue
        if first <= page.first < end and page.first > SITES[site]:
            counts["moved" if page.url in targets else "new"] += 1
        if page.end is not None and first <= page.end < end and page.url not in sources:
            counts["gone"] += 1
    for day in range(first, end):
        counts["redated"] += redated(site, day)
        if site == "dogwood.test":
            refused, accepted = verdicts(day)
            counts["refused"] += refused
            counts["accepted"] += accepted
    return dict(counts)


class Event:
    """known, at: the days on which it is known, and happened; is_passing: told
    when it was known, and not later, when more was known; later: what is known
    of it later."""

    def __init__(self, known, at, site, kind, is_passing=False, later=(), **fields):
        self.known, self.at, self.site, self.kind = known, at, site, kind
        self.is_passing, self.later, self.fields = is_passing, dict(later), fields

    def known_later(self):
        return Event(self.known, self.at, self.site, self.kind,
                     **dict(self.fields, **self.later))

    def __repr__(self):
        return "day %d, of day %d: %s %s %s" % (self.known, self.at, self.site, self.kind,
                                                self.fields)


# In the order in which they are known.
EVENTS = [
    Event(0, 0, "acorn.test", "first-reading", count=92),
    Event(0, 0, "birch.test", "first-reading", count=88),
    Event(0, 0, "cedar.test", "first-reading", count=174),
    Event(0, 0, "dogwood.test", "first-reading", count=50),
    Event(0, 0, "elm.test", "first-reading", count=75),
    Event(0, 0, "fir.test", "first-reading", count=90),
    Event(0, 0, "gum.test", "first-reading", count=62),
    Event(9, 9, "dogwood.test", "robots-changed", finding="new Disallow: /labs/ for *"),
    Event(13, 10, "acorn.test", "section-launched", section="/academy", count=8,
          later={"count": 9}),
    Event(16, 15, "elm.test", "sitemap-failing", document="http://elm.test/shop.xml"),
    Event(17, 17, "fir.test", "other-sitemap", count=80, note=True),
    Event(18, 18, "elm.test", "sitemap-back", document="http://elm.test/shop.xml"),
    Event(20, 20, "cedar.test", "pages-moved", count=184,
          **{"from": "http:", "to": "https:"}),
    Event(20, 20, "cedar.test", "robots-changed", is_passing=True),  # its Sitemap line
    Event(22, 20, "gum.test", "section-launched", section="/sale", count=10),
    Event(25, 24, "birch.test", "pages-moved", count=35,
          **{"from": "http://birch.test/blog", "to": "http://birch.test/insights"}),
    Event(27, 27, "dogwood.test", "sitemap-line-lost"),
    Event(27, 27, "dogwood.test", "verdict-changed", count=57),
    Event(30, 27, "gum.test", "section-gone", section="/sale", count=10),
    Event(33, 30, "acorn.test", "section-gone", section="/jobs", count=12),
    Event(34, 34, "dogwood.test", "sitemap-line-back"),
    Event(34, 34, "dogwood.test", "verdict-changed", of=59),
    Event(37, 37, "fir.test", "other-sitemap", count=80, note=True),
    Event(38, 37, "elm.test", "sitemap-failing"),
    Event(42, 42, "elm.test", "sitemap-back"),
    Event(42, 40, "gum.test", "section-launched", is_passing=True, section="/news", count=12),
    Event(44, 44, "birch.test", "redated", count=101),
    Event(45, 45, "hazel.test", "first-reading", count=30),
    Event(47, 40, "gum.test", "pages-moved", count=12,
          **{"from": "http://gum.test/press", "to": "http://gum.test/news"}),
    Event(50, 50, "cedar.test", "mass-drop-waiting", is_passing=True, count=60, of=165),
    Event(51, 50, "cedar.test", "mass-drop-confirmed", count=60, of=165),
    Event(51, 51, "birch.test", "redated", count=103),
    Event(52, 50, "hazel.test", "section-launched", section="/b", count=6),
    Event(54, 53, "dogwood.test", "sitemap-failing"),
    Event(56, 56, "dogwood.test", "sitemap-back"),
    Event(56, 55, "elm.test", "sitemap-failing", document="http://elm.test/guides.xml"),
    Event(58, 58, "birch.test", "redated", count=105),
    Event(60, 60, "fir.test", "pages-moved", count=266,
          **{"from": "http://fir.test", "to": "http://www.fir.test"}),
    Event(60, 60, "fir.test", "robots-changed", is_passing=True),    # its Sitemap line
    Event(64, 55, "elm.test", "section-gone", section="/guides", count=15),
    Event(64, 64, "gum.test", "mass-drop-waiting", is_passing=True, count=32, of=52),
    Event(65, 64, "gum.test", "mass-drop-accident", count=32, of=52),
    Event(65, 65, "birch.test", "redated", count=107),
    Event(68, 60, "acorn.test", "silence", count=8),
    Event(72, 72, "birch.test", "dates-backwards", count=20, of=60),
    # at the end of a week: it waits then, and is decided in the next one
    Event(76, 76, "cedar.test", "mass-drop-waiting", count=20, of=40),
    Event(77, 76, "cedar.test", "mass-drop-confirmed", count=20, of=40),
    Event(85, 82, "birch.test", "burst", count=40),
    Event(88, 88, "dogwood.test", "sitemap-line-lost"),
    Event(88, 88, "dogwood.test", "verdict-changed", count=75),
]
