"""More of what docs/internals/HOSTILE.md did not have at first (4.11)."""
import csv
import gzip
import html.parser
import io
import json
import re
import xml.etree.ElementTree
import zlib

from faults.http import NET, PAGES, bad, pages
from origin import head, redirect, whole
from scene import fault, index, urlset

XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@fault("E15", is_crowd=True,
       does="has 2,000 rules of stars, and 600 children of 1,900 characters that all of these are tried on",
       good="judges a few of them in a round: what others send is read meanwhile",
       off="begin-slices")
def rules_and_children(w):
    w.args += ["--delay", "0", "--max-bytes", "8M"]
    origin = w.origin()
    name = "/" + "a" * 1900
    origin.put("/robots.txt", whole("User-agent: *\n" + (
        "Disallow: /" + "*a" * 60 + "*b\n") * 2000 + "Disallow: /a\n"))
    children = [origin.url("%s%d" % (name, n)) for n in range(600)]
    w.bad(whole(index(children)), origin=origin, clean=True)
    w.cpu_s, w.status = 10, 1
    run = yield
    w.check(len(origin.requests) == 2, "asked for %d", len(origin.requests))
    gap = run.summary["longest_gap_cpu_ms"]
    w.check(gap < 100, "the loop did nothing else for %d ms", gap)


@fault("E16", does="names stylesheets, schemas and icons of others in its sitemap",
       good="asks nobody for them",
       off="foreign-children")
def companions(w):
    other = w.origin()
    url = other.url("/x")
    text = ('<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="%s"?>'
            '<?import "%s"?><%s ' + XMLNS + ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
            ' xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 %s"'
            ' xsi:noNamespaceSchemaLocation="%s" xml:base="%s">%s</%s>')
    page = ('<url xml:base="%s" xsi:schemaLocation="a %s"><loc>%%s</loc></url>' % (url, url))

    def urls(o):
        return whole(text % (url, url, "urlset", url, url, url, page % o.url("/1"), "urlset"))

    def children(o):
        o.put("/a.xml", urls(o))
        inner = "<sitemap><loc>%s</loc></sitemap><sitemap><loc>%s</loc></sitemap>" % (
            o.url("/a.xml"), url)
        return whole(text % (url, url, "sitemapindex", url, url, url, inner, "sitemapindex"))
    w.status = 1  # a child is refused
    bad(w, urls, name="urlset", clean=True, urls=["/1"])
    bad(w, children, name="index", clean=True, urls=["/1"], codes=("host-mismatch",))
    yield
    w.check(not other.accepted, "it was asked for %s", other.requests)


@fault("E17", does="cuts a value into 60,000 pieces: sections, comments, references, zeros in references",
       good="reads it in linear time, as what it spells",
       off="sections")
def pieces(w):
    w.args += ["--max-bytes", "8M"]
    w.cpu_s = 4
    many = 60000
    for name, between in (("sections", "<![CDATA[]]>" * many), ("comments", "<!---->" * many),
                          ("instructions", "<?a?>" * many), ("spaces", " " * many),
                          ("mixed", "<!--a--><![CDATA[]]><?b c?>" * (many // 3))):
        bad(w, lambda o, b=between: whole("<urlset %s><url><loc>%s%s</loc></url></urlset>" % (
            XMLNS, b, o.url("/1"))), name=name, clean=True, urls=["/1"])
    for name, spelled, page in (
            ("references", "&#47;&#x61;" * 300, "/a" * 300), ("zeros", "&#%s97;" % ("0" * 30000), "a"),
            ("hexadecimal zeros", "&#x%s61;" % ("0" * 30000), "a"),
            ("sections of one", "<![CDATA[a]]>" * 1500, "a" * 1500)):
        bad(w, lambda o, s=spelled: whole("<urlset %s><url><loc>%s</loc></url></urlset>" % (
            XMLNS, o.url("/") + s)), name=name, clean=True, urls=["/" + page])


@fault("E18", does="has 50,000 entries, each of which is wrong in every way",
       good="says each kind once with a few samples; what is said and stored stays small",
       off="finding-samples")
def all_wrong(w):
    w.args += ["--max-bytes", "40M"]
    w.cpu_s, w.rss_mib = 6, 96
    entry = ("<url a='b'><image:x/><lastmod>%05d tomorrow</lastmod><lastmod/><priority>%d</priority>"
             "<changefreq>%05d</changefreq><loc>//user:word@%d.example/%s#%05d</loc><loc/><b%d/>"
             "<loc>http://10.0.0.1/</loc></url>")
    body = "".join(entry % (n, n, n, n, "x" * 200, n, n) for n in range(50000))
    w.bad(whole("<urlset %s xmlns:image='urn:x'>%s</urlset>" % (XMLNS, body)), clean=True)
    w.status = None
    run = yield
    w.check(len(run.out) < 40000, "said %d bytes", len(run.out))
    rows = w.sql("SELECT count(*) AS n FROM finding")
    w.check(rows[0]["n"] < 200, "%s findings are stored", rows)


@fault("E19", does="spells Content-Encoding in every way there is",
       good="undoes what it says, or refuses it; never lists what is half unpacked",
       off="unknown-coding")
def codings(w):
    packed = gzip.compress
    for field in ("GZIP", "gZip", "x-gzip", " gzip ", "gzip,", ",gzip", "gzip, identity",
                  "identity, gzip", "identity,,gzip"):
        bad(w, lambda o, f=field: whole(packed(pages(o)), "Content-Encoding: " + f), name=repr(field),
            clean=True, urls=PAGES)
    bad(w, lambda o: whole(packed(packed(pages(o))), "Content-Encoding: gzip", "Content-Encoding: gzip"),
        name="two lines", clean=True, urls=PAGES)
    bad(w, lambda o: whole(zlib.compress(pages(o)), "Content-Encoding: deflate"), name="zlib",
        clean=True, urls=PAGES)
    # these name no coding, and what stands there can be read as it is
    for field in ("gzip;q=1", '"gzip"', "gzip gzip", "*"):
        bad(w, lambda o, f=field: whole(pages(o), "Content-Encoding: " + f), name=repr(field),
            clean=True, urls=PAGES, codes=("content-encoding-mismatch",))
    for field in ("compress", "aes128gcm", "gzip, br", "exi", "pack200-gzip"):
        bad(w, lambda o, f=field: whole(pages(o), "Content-Encoding: " + f), name=repr(field),
            failure=("unsupported-encoding", NET))


@fault("E20", does="leads from an index by a redirect to its child, and from there back",
       good="asks for each once, and ends",
       off="redirect-loop")
def turning(w):
    w.args += ["--delay", "0"]
    origin = w.origin()
    here = index([origin.url(p) for p in ("/a.xml", "/b.xml", "/i.xml", "/self.xml")])
    origin.put("/i.xml", redirect("/j.xml"))
    origin.put("/a.xml", redirect("/i.xml"))
    origin.put("/b.xml", redirect("/c.xml"))
    origin.put("/c.xml", redirect("/b.xml"))
    origin.put("/self.xml", redirect("?" * 3))
    origin.put("/self.xml???", redirect("/self.xml"))
    origin.put("/j.xml", whole(here))
    w.targets.append(origin.url("/i.xml"))
    w.status = 1
    yield
    counts = {t: len(origin.asked(t)) for t in {r.target for r in origin.requests}}
    w.check(sum(counts.values()) <= 16 and max(counts.values()) <= 3, "asked for %s", counts)


@fault("E21", does="dates its documents by Last-Modified in every way, and packs an ETag beside it",
       good="sends back what a header may hold, and nothing else",
       off="field-bytes")
def last_modified(w):
    w.args += ["--delay", "0"]
    now = "Sat, 01 Aug 2026 00:00:00 GMT"
    dates = [now, "Sat, 01 Aug 2026 00:00:00 +0100", "2026-08-01", "0", "-1", "x" * 300, "",
             "Saturday, 01-Aug-26 00:00:00 GMT", "Sat Aug  1 00:00:00 2026",
             "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Aug 2026 00:00:00 GMT, " + now,
             "Sat, 01 Aug 2026 00:00:00 GMT\x1b[2J", "Sat, 01 Aug\xa02026 00:00:00 GMT", "\"" + now + "\""]
    for date in dates:
        bad(w, lambda o, d=date: whole(pages(o), "Last-Modified: " + d), name=repr(date[:40]),
            clean=True, urls=PAGES)
    yield
    yield
    for document in w.documents:
        for request in document.origin.asked(document.path):
            told = request.header("If-Modified-Since")
            w.check(told is None or (len(told) <= 256 and told.isprintable() and told.isascii()),
                    "%s: was told %r", document.name, told)
    first = w.documents[0].origin.asked(w.documents[0].path)[-1]
    w.check(first.header("If-Modified-Since") == now, "a good one is not sent back: %r", first.fields)


class Html(html.parser.HTMLParser):
    """Elements that act, and addresses that do."""

    def __init__(self, text):
        super().__init__()
        self.acting = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "iframe", "object", "embed", "base", "form", "link") or any(
                name.startswith("on") or (name in ("href", "src") and not (
                    value or "").startswith(("http://", "https://", "#"))) for name, value in attrs):
            self.acting.append((tag, attrs))


@fault("E22", does="writes for every reader of a report: terminals, scripts, browsers, pipelines",
       good="makes a well-formed report of it, in which nothing acts",
       off="json-printable")
def reports(w):
    evil = ["</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "]]>", "<!--",
            "::error::pwned", "%0A::set-output name=a::b", "\n::add-mask::a", "=cmd|' /C calc'!A0",
            "\u2028\u2029", "${jndi:ldap://x}", "`id`", "$(id)", "|a|b|", "\ufeff", "javascript:alert(1)", "##[stop-commands]a", "\x85\x9b2J", "\u202egpj"]
    text = "".join("<url><loc>%s</loc></url>" % "".join("&#%d;" % ord(c) for c in "http://o.example/" + t)
                   for t in evil)
    text += "".join("<url><loc>%s</loc><lastmod>%s</lastmod></url>" % (t, t) for t in (
        "".join("&#%d;" % ord(c) for c in t) for t in evil))
    origin = w.origin()
    document = w.bad(whole("<urlset %s>%s<url><loc>%s</loc></url></urlset>" % (
        XMLNS, text, origin.url("/" + "".join("&#%d;" % ord(c) for c in evil[0])))), origin=origin,
        clean=True, urls=["/%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E"])
    yield
    allow = ("--allow-address", "127.0.0.1/32", "--progress", "off")

    def check(form):
        run = w.command("check", "-f", form, *allow, document.url)
        w.check(run.status == 1, "check -f %s: %s", form, run)
        return run.out.decode()
    for line in check("json").splitlines():
        json.loads(line)
    json.loads(check("sarif"))
    xml.etree.ElementTree.fromstring(check("junit"))
    for line in check("github").splitlines():
        w.check(re.match(r"::(error|warning|notice)|[^:]", line), "github: %r", line)
        # older commands may stand anywhere in a line that is none of the newer
        w.check(line.startswith("::") or "##[" not in line, "github: a command within %r", line)
    acting = Html(check("html")).acting
    w.check(not acting, "html: %s", acting[:3])
    check("text")
    for args in (("ls",), ("ls", "--tree"), ("ls", "--sitemaps", "-l"), ("explain", document.url),
                 ("sql", "SELECT * FROM finding"), ("export", "-f", "sitemap"), ("export", "-f", "csv"),
                 ("compare", *allow, document.url), ("ls", "--json")):
        run = w.command(*args)
        w.check(run.status in (0, 1), "%s", run)
    rows = list(csv.reader(io.StringIO(w.command("sql", "-f", "csv", "SELECT text FROM finding").out.decode())))
    w.check(all(row and not row[0].startswith(("=", "+", "-", "@")) for row in rows), "csv: %s", rows)


@fault("E23", does="has listed pages that lead to its neighbours, never end, and drown in headers",
       good="looks at the beginning of each, at its own host, and says what it saw",
       off="address-policy")
def sampled(w):
    w.args += ["--delay", "0"]
    origin, other = w.origin(), w.origin()
    endless = head("Content-Type: text/html") + b"<html><head>"

    async def flood(c):
        await c.send(endless)
        await c.flood(b"<meta name=robots content=noindex><link rel=canonical href=http://127.0.0.2/>")
    answers = {
        "/inside": redirect("http://127.0.0.2:%d/" % origin.port), "/file": redirect("file:///etc/passwd"),
        "/loop": redirect("/loop"), "/away": redirect(other.url("/x")), "/flood": flood,
        "/tags": whole(b"<html>" + b"<meta name='robots' content='all,none" + b",x" * 20000 + b"'>" * 9),
        "/lines": head(*["X-Robots-Tag: bot%d: noindex" % n for n in range(2000)]) + b"<html>",
        "/nul": whole(b"<html>\0<link rel=canonical href='\0http://127.0.0.2/'>"),
        "/base": whole(b"<base href='http://127.0.0.2/'><link rel=canonical href=x>"
                       b"<meta http-equiv=refresh content='0;url=http://127.0.0.2/'>"
                       b"<script src=http://127.0.0.2/></script><img src=http://127.0.0.2/>"),
        "/deep": whole(b"<html>" + b"<div>" * 100000), "/quote": whole(b"<html><a href='" + b"x" * 100000),
    }
    for path, answer in answers.items():
        origin.put(path, answer)
    document = w.bad(whole(urlset([origin.url(p) for p in answers])), origin=origin, clean=True,
                     urls=list(answers))
    yield
    origin.requests.clear()
    run = w.command("check", "--json", "--sample", "50", "--allow-address", "127.0.0.1/32", "--progress",
                    "off", "--max-time", "4", "--delay", "0", document.url, seconds=30)
    w.check(run.status == 1 and run.own_s < 10 and run.rss_mib < 64, "%s", run)
    w.check(not other.accepted or all(r.target in ("/robots.txt", "/x") for r in other.requests),
            "the other was asked for %s", other.requests)
    w.check(sum(listener.accepted for listener in w.net.forbidden) == 0, "the inside was connected to")
    asked = {r.target for r in origin.requests}
    w.check(set(answers) <= asked, "not looked at: %s", set(answers) - asked)
    w.check(max(len(origin.asked(p)) for p in answers) == 1, "asked twice")
    most = max(r.sent for r in origin.requests)
    w.check(most < 8 << 20, "%d bytes were sent", most)


@fault("E24", does="answers before it is asked, says Continue unasked, and sends statuses that mean nothing",
       good="takes an answer for what was asked, or none",
       off="odd-redirect")
def odd_answers(w):
    async def early(c):
        await c.send(whole(b"User-agent: *\nDisallow:\n") + whole(b"", status=404) * 3)
        await c.hang(1)
    w.bad(b"", name="early", failure=("unsupported-format", "robots-unreachable", NET)).origin.on_accept = early
    for first in ("100 Continue", "102 Processing", "199 x"):
        bad(w, lambda o, f=first: b"HTTP/1.1 %s\r\nContent-Length: 5\r\n\r\n" % f.encode() + whole(pages(o)),
            name=first, clean=True, urls=PAGES)
    for status in (300, 305, 306, 399):
        bad(w, lambda o: whole(pages(o), "Location: http://127.0.0.2:%d/" % o.port, status=status),
            name=str(status), failure="fetch-http-error")
        bad(w, lambda o: whole(pages(o), status=status), name="%d, nowhere" % status,
            failure="fetch-http-error")
    for status in (201, 203, 205, 207, 226, 299, 402, 418, 451, 499, 511, 599):
        bad(w, lambda o: whole(pages(o), status=status), name=str(status),
            failure=("fetch-http-error", "fetch-access-denied", "fetch-server-error"))
