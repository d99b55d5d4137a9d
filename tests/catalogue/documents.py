"""One document for each code that its bytes alone provoke.

DOCUMENTS: code -> (body, what else it forces, arguments, how it is answered).
In text, $ stands for the origin of the server; the document is /sitemap.xml
unless the answer has a "path".
"""
import gzip
import time

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
XML = (("Content-Type", "application/xml"),)
GZIP = (("Content-Type", "application/gzip"),)


def urlset(inner, namespace=NAMESPACE, head=HEAD):
    named = ' xmlns="%s"' % namespace if namespace else ""
    return "%s<urlset%s>%s</urlset>\n" % (head, named, inner)


def index(inner):
    return '%s<sitemapindex xmlns="%s">%s</sitemapindex>\n' % (HEAD, NAMESPACE, inner)


def entry(loc="$/page", more=""):
    return "<url><loc>%s</loc>%s</url>" % (loc, more)


def dated(text):
    return urlset(entry(more="<lastmod>%s</lastmod>" % text))


def many(count, text, limit=None):
    return HEAD + '<urlset xmlns="%s">' % NAMESPACE + "".join(
        text % n for n in range(count)) + "</urlset>\n"


GOOD = urlset(entry())


def packed(origin, times=1):
    data = GOOD.replace("$", origin).encode()
    for _ in range(times):
        data = gzip.compress(data, mtime=0)
    return data


def broken_check(origin):
    data = packed(origin)
    return data[:-8] + b"\0\0\0\0" + data[-4:]


def padded(origin, size):
    """A sitemap of so many bytes."""
    text = GOOD.replace("$", origin).replace("</urlset>\n", "")
    end = "</urlset>\n"
    return (text + " " * (size - len(text) - len(end)) + end).encode()


def large(origin):
    """One byte more than 52,428,800."""
    return gzip.compress(padded(origin, 52428801), 1, mtime=0)


def uniform():
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return urlset("".join(entry("$/%d" % n, "<lastmod>%s</lastmod>" % now) for n in range(20)))


def equal(date):
    return urlset("".join(entry("$/%d" % n, "<lastmod>%s</lastmod>" % date) for n in range(5)))


def deep():
    return urlset(entry() + entry("$/deep", "<x:x xmlns:x='urn:x'>" * 100 + "</x:x>" * 100))


PART = ("partial-document",)
LENIENT = ("--profile", "lenient")

DOCUMENTS = {
    # the whole of it
    "wrong-content-type": (GOOD, (), (), {"headers": [("Content-Type", "text/html")]}),
    "html-not-sitemap": ("<!DOCTYPE html><html><body>x</body></html>", (), (), {}),
    "unsupported-format": ("just words\n", (), (), {}),
    "empty-file": (" \n", (), (), {}),
    "empty-sitemap": (urlset(""), (), (), {}),
    "encoding-not-utf8": (urlset(entry(), head=HEAD.replace("UTF-8", "ISO-8859-1")), (), (), {}),
    "parse-error": (GOOD.replace("</urlset>", ""), PART, (), {}),
    "partial-document": (GOOD.replace("</urlset>", ""), ("parse-error",), (), {}),
    "leading-whitespace": ("\n" + GOOD, (), (), {}),
    "doctype-present": (urlset(entry(), head="<!DOCTYPE urlset>"), (), (), {}),
    "incorrect-namespace": (urlset(entry(), "https://www.sitemaps.org/schemas/sitemap/0.9"),
                            (), (), {}),
    "legacy-namespace": (urlset(entry(), "http://www.google.com/schemas/sitemap/0.84"), (), (), {}),
    "missing-namespace": (urlset(entry(), None), (), (), {}),
    "xml-limit": (deep, PART, (), {}),
    "file-too-large": (large, PART, (), {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "too-many-urls": (lambda: many(50001, "<url><loc>$/%d</loc></url>"), PART, (), {}),
    # of an index; strict fetches no child of one that it drops
    "too-many-sitemaps": (lambda: index("".join("<sitemap><loc>$/%d</loc></sitemap>" % n
                                                for n in range(50001))),
                          (), ("--profile", "strict"), {}),
    "index-self-reference": (index("<sitemap><loc>$/sitemap.xml</loc></sitemap>"), (), (), {}),
    # compression
    "unsupported-encoding": (GOOD, (), (), {"headers": [("Content-Encoding", "br")]}),
    "content-encoding-mismatch": (GOOD, (), (), {"headers": [("Content-Encoding", "gzip")]}),
    "compression-error": (broken_check, PART, (), {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "gzip-truncated": (lambda origin: packed(origin)[:-4], PART, (),
                       {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "gzip-too-many-layers": (lambda origin: packed(origin, 3), (), (),
                             {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "gzip-double": (lambda origin: packed(origin, 2), (), (),
                    {"path": "/sitemap.xml.gz",
                     "headers": list(GZIP) + [("Content-Encoding", "gzip")]}),
    "gzip-multimember": (lambda origin: packed(origin) + gzip.compress(b"\n"), (), (),
                         {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "gzip-trailing-garbage": (lambda origin: packed(origin) + b"x", (), (),
                              {"path": "/sitemap.xml.gz", "headers": GZIP}),
    "gz-extension-not-gzip": (GOOD, (), (), {"path": "/sitemap.xml.gz", "headers": XML}),
    "gzip-undeclared": (packed, (), (), {"headers": XML}),
    # elements
    "undeclared-prefix": (urlset(entry(more="<x:y>z</x:y>")), (), (), {}),
    "wrong-root": (index(entry()), (), (), {}),
    "unknown-tag": (urlset(entry(more="<colour>red</colour>")), (), (), {}),
    "missing-tag": (urlset("<url></url>" + entry()), (), (), {}),
    "empty-tag": (urlset(entry(more="<lastmod/>")), (), (), {}),
    "duplicate-tag": (urlset(entry(more="<priority>1</priority>" * 2)), (), (), {}),
    "nested-markup": (urlset(entry(more="<lastmod><b>2024</b></lastmod>")), (), (), {}),
    "unexpected-text": (urlset("text" + entry()), (), (), {}),
    "invalid-tag-value": (urlset(entry(more="<priority>2</priority>")), (), (), {}),
    # dates
    "invalid-date": (dated("yesterday"), (), (), {}),
    "lastmod-no-timezone": (dated("2024-06-05T10:00:00"), (), (), {}),
    "lastmod-date-timezone": (dated("2024-06-05Z"), (), (), {}),
    "lastmod-nonstandard": (dated("20240605"), (), LENIENT, {}),
    "lastmod-coarse": (dated("2024-06"), (), (), {}),
    "lastmod-implausible": (dated("1980-01-01"), (), (), {}),
    "lastmod-future": (dated("9999-12-31"), (), (), {}),
    "lastmod-uniform": (uniform, (), (), {}),
    "lastmod-build": (equal("2024-06-05T10:11:12.345Z"), (), (), {}),
    "lastmod-one-moment": (equal("2024-06-05T10:11:12Z"), (), (), {}),
    # URLs
    "relative-url": (urlset(entry("/page")), (), (), {}),
    "unsupported-scheme": (urlset(entry("ftp://127.0.0.1/page")), (), (), {}),
    "invalid-url": (urlset(entry("http:/page")), (), (), {}),
    "url-has-userinfo": (urlset(entry("http://user:secret@127.0.0.1/page")), (), (), {}),
    "url-too-long": (urlset(entry("$/" + "a" * 2048)), (), (), {}),
    "url-whitespace": (urlset(entry("$/pa\tge")), (), (), {}),
    "url-not-escaped": (urlset(entry("$/a page")), (), (), {}),
    "url-bad-percent": (urlset(entry("$/100%")), (), (), {}),
    "url-non-ascii": (urlset(entry("$/p\u00e4ge")), (), (), {}),
    "url-double-escaped": (urlset(entry("$/page?a=1&amp;amp;b=2")), (), (), {}),
    "url-has-fragment": (urlset(entry("$/page#top")), (), (), {}),
    "duplicate-url": (urlset(entry() * 2), (), (), {}),
    # places
    "outside-directory": (urlset(entry()), (), (), {"path": "/maps/sitemap.xml"}),
    "host-mismatch": (urlset(entry("http://other.test/page")), (), (), {}),
    "scheme-mismatch": (lambda origin: urlset(entry(origin.replace("http:", "https:") + "/page")),
                        (), (), {}),
    "port-mismatch": (urlset(entry("http://127.0.0.1/page")), (), (), {}),
}

# code -> (robots.txt, what else it forces); the document is a good one
ROBOTS = {
    "robots-html": ("<!DOCTYPE html><html><body>none</body></html>\n", ()),
    "robots-too-large": ("# much\n" * 75000, ()),
    "robots-bom": ("\ufeffUser-agent: *\nDisallow: /private\n", ()),
    "robots-rule-outside-group": ("Disallow: /private\nUser-agent: *\nAllow: /\n", ()),
    "robots-typo": ("User-agent: *\nDisalow: /private\n", ()),
    "robots-sitemap-key": ("User-agent: *\nDisallow:\nSitemaps: $/sitemap.xml\n", ()),
    "robots-bad-preference": ("User-agent: *\nContent-Signal: ai-train=never\n", ()),
    "robots-relative-sitemap": ("Sitemap: /sitemap.xml\n", ()),
    "robots-bad-sitemap": ("Sitemap: http://[/sitemap.xml\n", ()),
    "robots-crawl-delay": ("User-agent: *\nCrawl-delay: 0.1\nAllow: /\n", ()),
    "too-many-robots-sitemaps": ("".join("Sitemap: http://other.test/%d.xml\n" % n
                                         for n in range(10001)), ()),
    "fetch-blocked-by-robots": ("User-agent: *\nDisallow: /sitemap.xml\n", ()),
}
