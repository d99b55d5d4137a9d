"""One document for each code of extensions, and for each that only `check --schema`
looks for.

EXTENSIONS, SCHEMA: code -> (what stands in an entry, what else it forces);
HEADS are the namespaces by prefix.  $ is the origin of the server.
"""
import time

from documents import HEAD, NAMESPACE

GOOGLE = "http://www.google.com/schemas/sitemap-"
HEADS = {"image": GOOGLE + "image/1.1", "video": GOOGLE + "video/1.1", "news": GOOGLE + "news/0.9",
         "pagemap": GOOGLE + "pagemap/1.0", "xhtml": "http://www.w3.org/1999/xhtml"}


def document(inner, loc="$/page"):
    named = "".join(' xmlns:%s="%s"' % head for head in HEADS.items())
    return '%s<urlset xmlns="%s"%s><url><loc>%s</loc>%s</url></urlset>\n' % (
        HEAD, NAMESPACE, named, loc, inner)


def image(inner):
    return "<image:image>%s</image:image>" % inner


IMAGE = image("<image:loc>$/1.jpg</image:loc>")
VIDEO = ("<video:thumbnail_loc>$/t.jpg</video:thumbnail_loc><video:title>T</video:title>"
         "<video:description>D</video:description>")
PLACE = "<video:content_loc>$/v.mp4</video:content_loc>"


def video(inner):
    return "<video:video>%s</video:video>" % inner


def news(language="en", date=None, title="<news:title>T</news:title>"):
    date = date or time.strftime("%Y-%m-%d", time.gmtime())
    return ("<news:news><news:publication><news:name>N</news:name><news:language>%s"
            "</news:language></news:publication><news:publication_date>%s</news:publication_date>"
            "%s</news:news>" % (language, date, title))


def links(*pairs):
    return "".join('<xhtml:link rel="alternate" hreflang="%s" href="%s"/>' % p for p in pairs)


SELF = ("en", "$/page")

EXTENSIONS = {
    "image-missing-loc": (image(""), ()),
    "image-bad-loc": (image("<image:loc>/1.jpg</image:loc>"), ()),
    "too-many-images": (IMAGE * 1001, ()),
    "image-removed-tag": (image("<image:loc>$/1.jpg</image:loc><image:caption>c</image:caption>"),
                          ()),
    "video-missing-tag": (video(VIDEO.replace("<video:title>T</video:title>", "") + PLACE), ()),
    "video-missing-location": (video(VIDEO), ()),
    "video-location-equals-page": (
        video(VIDEO + "<video:player_loc>$/page</video:player_loc>"), ()),
    "video-invalid-value": (video(VIDEO + PLACE + "<video:rating>6</video:rating>"), ()),
    "video-too-many-tags": (video(VIDEO + PLACE + "<video:tag>t</video:tag>" * 33), ()),
    "video-missing-attribute": (
        video(VIDEO + PLACE + "<video:restriction>DE</video:restriction>"), ()),
    "video-duplicate-tag": (video(VIDEO + PLACE + "<video:title>T</video:title>"), ()),
    "video-removed-tag": (video(VIDEO + PLACE + "<video:category>c</video:category>"), ()),
    "news-missing-tag": (news(title=""), ()),
    "news-bad-language": (news("EN"), ()),
    "news-invalid-date": (news(date="yesterday"), ()),
    "news-stale": (news(date="2024-06-05"), ()),
    "hreflang-missing-self": (links(("de", "https://de.test/")), ()),
    "hreflang-conflict": (links(SELF, ("de", "https://de.test/"), ("DE", "https://at.test/")), ()),
    "hreflang-bad-code": (links(SELF, ("english", "https://en.test/")), ()),
    "hreflang-relative": (links(SELF, ("de", "/de")), ()),
    "missing-attribute": ("<pagemap:PageMap><pagemap:DataObject/></pagemap:PageMap>", ()),
    "invalid-attribute-value": ('<xhtml:link rel="alternative" hreflang="de" href="$/page"/>', ()),
    "hreflang-missing-attribute": (
        links(SELF) + '<xhtml:link rel="alternate" href="https://de.test/"/>', ()),
}

SCHEMA = {
    "element-order": ("<priority>0.5</priority><lastmod>2024-06-05</lastmod>", ()),
    "schema-violation": ("<changefreq> daily </changefreq>", ()),
}


def too_many_news():
    entry = "<url><loc>$/%d</loc>" + news() + "</url>"
    body = document("").split("<url>")[0]
    return body + "".join(entry % n for n in range(1001)) + "</urlset>\n"


def not_listed():
    """All pages return their links, and one of them is missing."""
    pair = links(SELF, ("de", "$/de"), ("fr", "$/fr"), ("it", "https://it.example/"))
    other = "<url><loc>$/de</loc>%s</url></urlset>" % pair
    return document(pair).replace("</urlset>", other)


def no_return():
    """The other page is listed, and names itself alone."""
    other = "<url><loc>$/de</loc>%s</url></urlset>" % links(("de", "$/de"))
    return document(links(SELF, ("de", "$/de"))).replace("</urlset>", other)
