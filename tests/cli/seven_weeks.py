"""Thirteen sites and seven weeks in which they misbehave in some thirty ways.

Each site publishes its documents of a day, and says which pages it has then: by
the identity of a page, whatever its URL is on that day.  What came, went and
moved follows from that alone, and from no rule of the program.  Days count from
Monday, 2026-01-05; everything changes at midnight, on Tuesdays to Fridays, so
that it is seen in the week in which it happens.  What is broken for less than a
day is mended at eight in the evening.
"""
import collections
import hashlib
import time

from case import NAMESPACE, index, urlset

BEGIN = 1767571200      # 2026-01-05 00:00 UTC, a Monday
DAY = 86400
DAYS = 49
WEEKS = DAYS // 7
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
CHALLENGE = ("<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
             "<script>window._cf_chl_opt={}</script></body></html>")
HTML = "<!DOCTYPE html><html><head><title>Home</title></head><body><p>Welcome</p></body></html>"

# What is told of a week, and how a page counts that a site has on a day.
Page = collections.namedtuple("Page", "url is_window")
WORDS = ("ash birch cedar dogwood elm fir ginkgo hazel ivy juniper katsura larch maple oak pine "
         "quince rowan spruce tulip walnut yew").split()


def slug(n):
    return "%s-%s-%d" % (WORDS[n % 21], WORDS[n * 8 % 19], n)


def slugs(first, end):
    return [slug(n) for n in range(first, end)]


def weekdays(day, *days):
    """The days from 1 to that day which are one of these, Monday being 0."""
    return [d for d in range(1, day + 1) if d % 7 in days]


def date(day, form="%Y-%m-%d"):
    return time.strftime(form, time.gmtime(BEGIN + day * DAY))


def listed(pages):
    """Of {identity: url}: pages that stay until their site drops them."""
    return {name: Page(url, False) for name, url in pages.items()}


class World:
    """Servers of all sites; without them it takes in what is published, and keeps nothing."""

    def __init__(self, plain=None, secure=None):
        self.plain, self.secure = plain, secure
        self.is_evening = False
        self.former = {}    # {(site, identity): its URLs so far}

    def put(self, url, body, **kwargs):
        if self.plain is None:
            return
        scheme, rest = url.split("://")
        text = body.encode()
        server = self.secure if scheme == "https" else self.plain
        if kwargs.get("status", 200) == 200:
            kwargs.setdefault("etag", '"%s"' % hashlib.md5(text).hexdigest())
        server.put(rest, text, **kwargs)

    def redirect(self, paths, old, new):
        """Documents at these paths are at another origin."""
        if self.plain is not None:
            for path in paths:
                self.plain.redirect((old + path).split("://")[1], new + path, status=301)

    def robots(self, origin, *sitemaps, rules=""):
        self.put(origin + "/robots.txt", "User-agent: *\nDisallow:%s\n" % rules
                 + "".join("Sitemap: %s%s\n" % (origin, path) for path in sitemaps))

    def index(self, origin, path="/index.xml", **children):
        """Publish an index of these sitemaps; children: their URLs, or pairs of
        URL and date."""
        self.put(origin + path, index(["%s/%s.xml" % (origin, name.replace("_", "-"))
                                       for name in children]))
        for name, entries in children.items():
            self.put("%s/%s.xml" % (origin, name.replace("_", "-")), urlset(entries))

    def publish(self, day, hour=0):
        """Publish the documents of that hour; {site: {identity: Page}}, as far as
        anybody can see them."""
        self.is_evening = hour >= 20
        if self.plain is not None:
            self.plain.replies.clear()
            self.secure.replies.clear()
        pages = {host: site(self, "http://" + host, day) for host, site in SITES.items()}
        if self.plain is not None:
            self.put_pages(pages)
        return pages

    def put_pages(self, pages):
        """A page answers where it is, and redirects from where it was, whatever sitemaps say;
        one that its site dropped is gone (410), or at some sites not found."""
        for host in pages:
            for name, page in pages[host].items():
                urls = self.former.setdefault((host, name), [])
                if page.url not in urls:
                    urls.append(page.url)
        for (host, name), urls in self.former.items():
            page = pages[host].get(name)
            for url in urls:
                scheme, rest = url.split("://")
                server = self.secure if scheme == "https" else self.plain
                if rest in server.replies:
                    continue
                if page is None and not host.startswith(WINDOWS):
                    server.put(rest, "", status=410 if host < "f" else 404)
                elif page is None or page.url == url:
                    server.put(rest, HTML, headers=[("Content-Type", "text/html")])
                else:
                    server.redirect(rest, page.url, status=301)


# --- the sites: each publishes a day, and returns its pages ------------------------


def acorn(world, o, day):
    """A sitemap of its index becomes an index itself: two children, ten products more
    and ten fewer from then on.  A section ends, another is launched at once."""
    products = ["%s/shop/%s" % (o, s) for s in slugs(0, 150)]
    new = ["%s/shop/%s" % (o, s) for s in slugs(200, 210)]
    pages = dict(zip(slugs(0, 150), products))
    jobs = {"job" + s: "%s/jobs/%s" % (o, s) for s in slugs(300, 312)} if day < 37 else {}
    academy = {"ac" + s: "%s/academy/%s" % (o, s) for s in slugs(400, 408)} if day >= 29 else {}
    world.robots(o, "/index.xml")
    world.put(o + "/index.xml", index([o + "/products.xml", o + "/rest.xml"]))
    world.put(o + "/rest.xml", urlset(list(jobs.values()) + list(academy.values())
                                      + [o + "/", o + "/about"]))
    pages.update(jobs)
    pages.update(academy)
    pages.update(home=o + "/", about=o + "/about")
    if day < 15:
        world.put(o + "/products.xml", urlset(products))
        return listed(pages)
    if day >= 17:
        products = products[10:]
        for s in slugs(0, 10):
            del pages[s]
    if day >= 23:
        products += new
        pages.update(zip(slugs(200, 210), new))
    world.put(o + "/products.xml", index([o + "/products-1.xml", o + "/products-2.xml"]))
    world.put(o + "/products-1.xml", urlset(products[:80]))
    world.put(o + "/products-2.xml", urlset(products[80:]))
    return listed(pages)


def birch(world, o, day):
    """All dates are those of last night.  Posts on Tuesdays and Thursdays, also in a feed of
    the newest ten.  /blog is renamed, and a section is launched in three days."""
    folder = "/blog/" if day < 23 else "/insights/"
    posts = {"old-%d" % n: "old-" + slug(n) for n in range(30)}
    posts.update({"post-%d" % d: "new-" + slug(100 + d) for d in weekdays(day, 1, 3)})
    learn = {"learn-%d" % n: "%s/learn/%s" % (o, slug(500 + n)) for n in range(12)
             if day >= 36 + n // 4}
    pages = {name: o + folder + s for name, s in posts.items()}
    recent = list(pages.values())[-10:]
    pages.update(learn)
    build = date(day, "%Y-%m-%dT03:00:00Z")
    world.robots(o, "/index.xml", "/feed.xml")
    world.index(o, posts=[(url, build) for url in pages.values()])
    world.put(o + "/feed.xml", '<?xml version="1.0"?><rss version="2.0"><channel><title>b</title>'
              "<link>%s/</link><description>d</description>%s</channel></rss>" % (o, "".join(
                  "<item><title>t</title><link>%s</link></item>" % url for url in reversed(recent))))
    return listed(pages)


def cedar(world, o, day):
    """Its products are not listed for one morning.  Guides are gone for a few days and
    come back.  A sitemap fails for two days while it changes."""
    products = {s: "%s/products/%s" % (o, s) for s in slugs(0, 100)}
    guides = {"g" + s: "%s/guides/%s" % (o, s) for s in slugs(200, 230)}
    news = {"n" + s: "%s/stories/%s" % (o, s) for s in slugs(300, 320)}
    if day >= 9:
        news["nx"] = o + "/stories/extra-one"
        del news["n" + slug(300)]
    pages = dict(products)
    if not 30 <= day < 33:
        pages.update(guides)
    else:
        guides = {}
    pages.update(news)
    world.robots(o, "/index.xml")
    is_empty = day == 25 and not world.is_evening
    world.index(o, products_1=[] if is_empty else products.values(), guides=guides.values(),
                stories=news.values())
    if 9 <= day < 11:
        world.put(o + "/stories.xml", "", status=503)
        del pages["nx"]
        pages["n" + slug(300)] = "%s/stories/%s" % (o, slug(300))
    return listed(pages)


def dogwood(world, o, day):
    """Posts on Tuesdays.  What happens is in robots.txt: no file, a bot wall with 202, a page
    with 200, all disallowed, no Sitemap line; the sitemaps are in a folder that proves
    nothing."""
    pages = {s: "%s/docs/%s" % (o, s) for s in slugs(0, 40)}
    for d in weekdays(day, 1):
        pages["post-%d" % d] = "%s/docs/post-%s" % (o, slug(100 + d))
    world.robots(o, "/maps/index.xml", rules=" /labs/" if day < 44 else " /private/")
    world.put(o + "/maps/index.xml", index([o + "/maps/all.xml"]))
    world.put(o + "/maps/all.xml", urlset(pages.values()))
    if day in (2, 3):
        world.put(o + "/robots.txt", CHALLENGE, status=202)
    if day in (9, 10):
        world.put(o + "/robots.txt", HTML, headers=[("Content-Type", "text/html")])
    if day in (16, 17):
        world.put(o + "/robots.txt", "", status=404)
    if day in (23, 24):
        world.robots(o, "/maps/index.xml", rules=" /")
    if 30 <= day < 38:
        world.robots(o)
    return listed(pages)


def elm(world, o, day):
    """Everything moves to another domain; it sells on."""
    new = o.replace("elm", "elm-wood")
    at = o if day < 23 else new
    pages = {s: "%s/shop/%s" % (at, s) for s in slugs(0, 120)}
    pages.update({"g" + s: "%s/guides/%s" % (at, s) for s in slugs(200, 220)})
    for d in weekdays(day, 2):
        pages["w%d" % d] = "%s/shop/week-%s" % (at, slug(300 + d))
    shop = [url for url in pages.values() if "/shop/" in url]
    guides = [url for url in pages.values() if "/guides/" in url]
    world.robots(at, "/index.xml")
    world.index(at, shop=shop, guides=guides)
    if day >= 23:
        world.redirect(("/robots.txt", "/index.xml", "/shop.xml", "/guides.xml"), o, new)
    return listed(pages)


def fir(world, o, day):
    """A blog with posts in no folder, the newest first, 50 a sitemap: each new one
    pushes others into the next sitemap, and so does each that is deleted."""
    posts = {"p%d" % n: "%s/%s/" % (o, slug(n)) for n in range(225)}
    for d in weekdays(day, 1, 2, 3, 4):
        for n in (0, 1):
            posts["d%d-%d" % (d, n)] = "%s/day-%s/" % (o, slug(300 + 2 * d + n))
    if day >= 18:
        del posts["p40"]
    if day >= 31:
        del posts["p200"]
        del posts["p10"]
    urls = list(posts.values())[::-1]
    world.robots(o, "/index.xml")
    world.index(o, **{"posts_%d" % (n // 50 + 1): urls[n:n + 50] for n in range(0, len(urls), 50)})
    return listed(posts)


def ginkgo(world, o, day):
    """Four articles a day from Tuesday to Friday; its news sitemap has the last eight.  An
    imprint."""
    articles = [("a%d-%d" % (d, n), "%s/2026/%s-%d.html" % (o, slug(d * 4 + n), d))
                for d in [-5, -4] + weekdays(day, 1, 2, 3, 4) for n in range(4)]
    pages = listed({"imprint": o + "/imprint", "contact": o + "/contact", "home": o + "/"})
    world.robots(o, "/news.xml", "/pages.xml")
    world.put(o + "/pages.xml", urlset([(p.url, "2025-09-30") for p in pages.values()]))
    recent = articles[-8:]
    world.put(o + "/news.xml", '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="%s"'
              ' xmlns:news="%s">%s</urlset>\n' % (NAMESPACE, NEWS, "".join(
                  "<url><loc>%s</loc><news:news><news:publication><news:name>N</news:name>"
                  "<news:language>en</news:language></news:publication><news:publication_date>%s"
                  "</news:publication_date><news:title>T</news:title></news:news></url>"
                  % (url, date(int(name[1:name.rindex("-")]), "%Y-%m-%dT00:00:00Z"))
                  for name, url in recent)))
    pages.update({name: Page(url, True) for name, url in recent})
    return pages


def gum(world, o, day):
    """Its shop has another session in each URL, each day; its guides are as others'."""
    shop = {s: "%s/shop/%s" % (o, s) for s in slugs(0, 40)}
    guides = {"g" + s: "%s/guides/%s" % (o, s) for s in slugs(200, 220)}
    for d in weekdays(day, 2):
        guides["w%d" % d] = "%s/guides/week-%s" % (o, slug(300 + d))
    if day >= 24:
        del guides["g" + slug(201)]
    world.robots(o, "/shop.xml", "/guides.xml")
    sid = hashlib.md5(b"%d" % day).hexdigest()
    world.put(o + "/shop.xml", urlset(["%s?sid=%s" % (url, sid) for url in shop.values()]))
    world.put(o + "/guides.xml", urlset(guides.values()))
    return listed({**shop, **guides})


def hazel(world, o, day):
    """From http to https; a sitemap that is split, and one that leaves its index."""
    at = o if day < 16 else o.replace("http:", "https:")
    pages = {s: "%s/p/%s" % (at, s) for s in slugs(0, 90)}
    terms = {"t%d" % n: "%s/terms/%s" % (at, slug(500 + n)) for n in range(7)}
    for d in weekdays(day, 3):
        pages["w%d" % d] = "%s/p/week-%s" % (at, slug(300 + d))
    urls = list(pages.values())
    world.robots(at, "/index.xml")
    parts = {"products": urls} if day < 30 else {"products_a": urls[:45], "products_b": urls[45:]}
    if day < 39:
        parts["terms"] = terms.values()
        pages.update(terms)
    world.index(at, **parts)
    if day >= 16:
        world.redirect(("/robots.txt", "/index.xml", "/products.xml", "/terms.xml"), o, at)
    return listed(pages)


def ivy(world, o, day):
    """From the apex to www.  Its sitemap file is renamed.  /en is put before all."""
    at = o if day < 10 else o.replace("//", "//www.")
    before = "" if day < 37 else "/en"
    pages = {s: "%s%s/garden/%s" % (at, before, s) for s in slugs(0, 60)}
    pages.update({"h" + s: "%s%s/help/%s" % (at, before, s) for s in slugs(100, 130)})
    for d in weekdays(day, 1):
        pages["w%d" % d] = "%s%s/garden/week-%s" % (at, before, slug(300 + d))
    name = "/sitemap-1.xml" if day < 24 else "/sitemap-main.xml"
    world.robots(at, name)
    world.put(at + name, urlset(pages.values()))
    if day >= 10:
        world.redirect(("/robots.txt", "/sitemap-1.xml"), o, at)
    return listed(pages)


def juniper(world, o, day):
    """Pages lose .html; later all addresses end in a slash.  A few leave, and some come."""
    end = ".html" if day < 17 else "" if day < 38 else "/"
    docs = {s: "%s/docs/%s%s" % (o, s, end) for s in slugs(0, 60)}
    tips = {"t" + s: "%s/tips/%s%s" % (o, s, end) for s in slugs(100, 130)}
    if day >= 24:
        for n in range(3):
            del docs[slug(n)]
    for d in weekdays(day, 4):
        tips["w%d" % d] = "%s/tips/week-%s%s" % (o, slug(300 + d), end)
    world.robots(o, "/index.xml")
    world.index(o, docs=docs.values(), tips=tips.values())
    return listed({**docs, **tips})


def katsura(world, o, day):
    """A folder is renamed in three days; two folders are joined in one."""
    pages = {}
    for n in range(60):
        moved = day >= 15 + n // 20
        pages["r%d" % n] = "%s/%s/%s" % (o, "stories" if moved else "articles", slug(n))
    for n in range(40):
        folder = ("tea", "coffee")[n % 2] if day < 36 else "drinks"
        pages["j%d" % n] = "%s/%s/%s" % (o, folder, slug(200 + n))
    for d in weekdays(day, 2):
        pages["w%d" % d] = "%s/notes/%s" % (o, slug(400 + d))
    world.robots(o, "/index.xml")
    world.index(o, all=pages.values())
    return listed(pages)


def larch(world, o, day):
    """Its pages have numbers, and its news have some of the same.  Redeploys; two
    days of HTML; a cut file; the list of a section that is empty for a day."""
    pages = {"p%d" % n: "%s/p/%d" % (o, n) for n in range(1, 101) if day < 31 or not 41 <= n <= 46}
    pages.update({"n%d" % n: "%s/news/%d" % (o, n) for n in range(1, 41)})
    if day >= 22:
        pages.update({"n%d" % n: "%s/news/%d" % (o, n) for n in range(41, 47)})
    dates = [d for d in (0, 4, 9, 18, 25, 39) if d <= day]
    entries = [(url, date(dates[-1], "%Y-%m-%dT04:00:00Z")) for url in pages.values()]
    world.robots(o, "/index.xml")
    world.index(o, products=[e for e in entries if "/p/" in e[0]],
                news=[e for e in entries if "/news/" in e[0]])
    if day in (11, 12):
        world.put(o + "/products.xml", HTML, headers=[("Content-Type", "text/html")])
    if day == 44:
        world.put(o + "/products.xml", urlset([e for e in entries if "/p/" in e[0]])[:3000])
    if day == 46 and not world.is_evening:
        world.put(o + "/news.xml", urlset([]))
    return listed(pages)


SITES = {"acorn.test": acorn, "birch.test": birch, "cedar.test": cedar, "dogwood.test": dogwood,
         "elm.test": elm, "fir.test": fir, "ginkgo.test": ginkgo, "gum.test": gum,
         "hazel.test": hazel, "ivy.test": ivy, "juniper.test": juniper, "katsura.test": katsura,
         "larch.test": larch}
WINDOWS = "ginkgo"          # what leaves its list of what is recent is still there
SESSIONS = ("gum.test",)     # identity is without what follows "?"


# What pages of each mass drop, section that went or came, and rename say when they are asked:
# (site, kind of event, day): what follows from put_pages().
TAKEN_DOWN = "5 of 5 say %d: taken down"
MOVED = "5 of 5 redirect to %s: moved"
LEFT_OUT = "5 of 5 still answer: left out, not taken down"
SAID = {
    ("acorn.test", "section-launched", 29): "5 of 5 answer",
    ("acorn.test", "section-gone", 37): TAKEN_DOWN % 410,
    ("acorn.test", "mass-drop-confirmed", 37): TAKEN_DOWN % 410,
    ("birch.test", "pages-moved", 23): MOVED % "/insights",
    ("birch.test", "section-launched", 36): "5 of 5 answer",
    ("cedar.test", "mass-drop-accident", 25): LEFT_OUT,
    ("cedar.test", "section-gone", 30): TAKEN_DOWN % 410,
    ("cedar.test", "mass-drop-confirmed", 30): TAKEN_DOWN % 410,
    ("cedar.test", "section-launched", 33): "5 of 5 answer",
    ("elm.test", "pages-moved", 23): MOVED % "http://elm-wood.test",
    ("hazel.test", "pages-moved", 16): MOVED % "https://hazel.test/p",
    ("hazel.test", "section-gone", 39): TAKEN_DOWN % 404,
    ("ivy.test", "pages-moved", 10): MOVED % "http://www.ivy.test",
    ("ivy.test", "pages-moved", 37): MOVED % "http://www.ivy.test/en",
    ("juniper.test", "pages-moved", 17): MOVED % "other pages",
    ("juniper.test", "pages-moved", 38): MOVED % "other pages",
    ("katsura.test", "pages-moved", 15): MOVED % "/stories",
    ("katsura.test", "pages-moved", 36): MOVED % "/drinks",
    ("larch.test", "mass-drop-accident", 46): LEFT_OUT,
}


def site_of(url):
    """Whose page that is, wherever the site has moved."""
    host = url.split("/")[2].removeprefix("www.")
    return "elm.test" if host == "elm-wood.test" else host


class Truth:
    """What is listed on each day, and the numbers of each week."""

    def __init__(self):
        days = [World().publish(day) for day in range(DAYS)]
        self.days = {site: [day[site] for day in days] for site in SITES}

    def listed(self, site, day):
        return {page.url for page in self.days[site][day].values()}

    def numbers(self, site, week):
        """The numbers of the readings of that week: the first day's is the last before them."""
        counts = collections.Counter(new=0, gone=0, moved=0, left=0)
        days = self.days[site]
        for day in range(max(1, 7 * week), 7 * week + 7):
            before, after = days[day - 1], days[day]
            for name in after.keys() - before.keys():
                counts["new"] += 1
            for name in before.keys() - after.keys():
                counts["left" if before[name].is_window else "gone"] += 1
            for name in after.keys() & before.keys():
                counts["moved"] += after[name].url != before[name].url
        return dict(counts)
