"""freshet check has no error and no warning about sites with nothing wrong, as folders and on servers."""
import datetime
import os
import urllib.parse

from case import NAMESPACE, Case, gz, index, urlset

ORIGIN = "http://shop.example"
BASE = ORIGIN + "/"
WORDS = "Tea is made of leaves, of water, and of time, which nobody has. " * 5
G = "http://www.google.com/schemas/sitemap-"


def page(title, head="", body=WORDS):
    return ("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>%s</title>%s<nav><a href=/>Home</a></nav>"
            "<h1>%s</h1><p>%s" % (title, head, title, body))


def canonical(path):
    return '<link rel="canonical" href="%s">' % path


def flat():
    names = ("index", "about", "tea")
    return {name + ".html": page(name) for name in names} | {
        "sitemap.xml": urlset((BASE + name.replace("index", "") + ".html" * (name != "index"), "2026-01-0%d" % n)
                              for n, name in enumerate(names, 1))}


def folders():
    """Redirects of old pages, parts of pages, further pages of lists, old versions: all need no listing."""
    return {"index.html": page("Home", canonical("/")), "latest/index.htm": page("Latest", canonical("./")),
            "v1/index.html": page("Version 1", canonical(BASE + "latest/")),
            "old.html": '<meta http-equiv=refresh content="0; url=latest/">',
            "thanks/index.html": page("Thanks", '<meta name=robots content="noindex, follow">'),
            "page/2/index.html": page("Page 2"), "tags/tea/page3.html": page("Page 3"),
            "_astro/part.html": "<p>Part", "latest/_parts/menu.html": "<p>Menu",
            "sitemap.xml": urlset([BASE, BASE + "latest/"])}


def names():
    """Sitemaps escape; files do not."""
    files = ("zürich.html", "tea & milk.html", "日本/index.html", "it's (a+b).html")
    return {"index.html": page("Home")} | {name: page("A page") for name in files} | {
        "sitemap.xml": urlset([BASE] + [BASE + urllib.parse.quote(
            name, safe="/'()+&" if number % 2 else "/").replace("&", "&amp;").replace("index.html", "")
            for number, name in enumerate(files)])}


def extras():
    """Pages for errors and for machines."""
    return {"index.html": page("Home"), "sitemap.xml": urlset([BASE])} | {
        name + ".html": page("Page not found") for name in ("404", "500", "50x", "offline", "200")} | {
        "google0123456789abcdef.html": "google-site-verification: google0123456789abcdef.html",
        "BingSiteAuth.xml": "<?xml version='1.0'?><users><user>AB</user></users>",
        "feed.xml": "<?xml version='1.0'?><rss version='2.0'><channel><title>T</title><item><link>%s</link>"
                    "</item></channel></rss>" % BASE, "humans.txt": "me\n", "CNAME": "shop.example\n"}


def errors():
    """Articles about errors, numbers of errors in paths, and a menu."""
    text = "What a server means by it, whom it concerns, and what to do. " * 40
    return {"index.html": page("A blog about errors"),
            "http-404.html": page("404 Not Found: what it means", "", text),
            "not-found.html": page("What to do about &quot;page not found&quot; | Blog", "", text),
            "500-miles.html": page("500 miles"), "404-teas/index.html": page("Teas"),
            "sitemap.xml": urlset([BASE] + [BASE + p for p in (
                "http-404.html", "not-found.html", "500-miles.html", "404-teas/")])}


def languages():
    links = "".join('<x:link rel="alternate" hreflang="%s" href="%s%s/"/>' % (code, BASE, code[:2])
                    for code in ("en", "de-CH"))
    return {"index.html": page("Home", canonical("/en/")), "en/index.html": page("Tea"), "de/index.html": page("Tee"),
            "sitemap.xml": '<urlset xmlns="%s" xmlns:x="http://www.w3.org/1999/xhtml" xmlns:i="%simage/1.1">' % (
                NAMESPACE, G) + "".join("<url><loc>%s%s/</loc>%s<i:image><i:loc>https://cdn.example.net/a.jpg?b=1&amp;c"
                                        "</i:loc></i:image></url>" % (BASE, code, links)
                                        for code in ("en", "de")) + "</urlset>"}


def launch():
    """All is of today, and no word of it is more than a remark."""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    paths = ["%d.html" % n for n in range(25)]
    return {path: page(path) for path in paths} | {"sitemap.xml": urlset((BASE + path, today) for path in paths)}


def packed():
    """An index of gzipped sitemaps, a text list, and a byte order mark with CR LF."""
    return {"index.html": page("Home"), "a/index.html": page("A"), "b.html": page("B"), "c.html": page("C"),
            "robots.txt": "# Ours\r\nUser-agent: *\r\nDisallow: /private/\r\n\r\nSitemap: %sall.xml\r\n"
                          "Sitemap: %slist.txt\r\n" % (BASE, BASE),
            "private/index.html": page("Private"), "list.txt": BASE + "c.html\n",
            "all.xml": index(BASE + name for name in ("one.xml.gz", "two.xml")),
            "one.xml.gz": gz(urlset([(BASE, "2026-01-05"), (BASE + "a/", "2026-02-05")])),
            "two.xml": "\ufeff" + urlset([BASE + "b.html"]).replace("\n", "\r\n")}


class RightSites(Case):
    def nothing_wrong(self, *args):
        result = self.program.run("check", "--json", "--progress", "off", "--fail-on", "warning", *args)
        self.assertEqual(result.status, 0, str(result))
        found = [r["code"] for r in result.records() if r["record"] == "finding" and r["severity"] != "info"]
        self.assertEqual(found, [], str(result))

    def look(self, make):
        files = {"robots.txt": "User-agent: *\nAllow: /\nSitemap: %ssitemap.xml\n" % BASE} | make()
        folder = os.path.join(self.program.folder, "public")
        server = self.site()
        for path, text in files.items():
            body = text if isinstance(text, bytes) else text.encode()
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as f:
                f.write(body)
            kind = "text/html" if path.endswith((".html", ".htm")) else "text/plain" if path.endswith(
                ".txt") else "application/gzip" if path.endswith(".gz") else "application/xml"
            # the paths by which sitemaps name it
            for name in (path, path.removesuffix("index.html").removesuffix("index.htm")):
                for safe in ("/", "/'()+", "/'()+&"):
                    server.put("/" + urllib.parse.quote(name, safe=safe), body, headers=[("Content-Type", kind)])
        self.nothing_wrong("--base", BASE, "public")
        self.nothing_wrong("--base", BASE, "--sample", "99", "public")
        self.nothing_wrong("--connect-to", "::127.0.0.1:%d" % server.port, "--sample", "99", BASE)


for one in (flat, folders, names, extras, errors, languages, launch, packed):
    setattr(RightSites, "test_" + one.__name__, lambda self, make=one: self.look(make))
