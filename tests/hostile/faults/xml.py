"""HOSTILE 4.4: XML that was not written to be read."""
import subprocess

import payload
from origin import whole
from program import BINARY
from scene import fault, gz, index, urlset

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
ROOT = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="%s">\n' % NS
END = "</urlset>\n"
MIB = 1 << 20
GZIP = "Content-Type: application/gzip"


def url(loc):
    return "<url><loc>%s</loc></url>\n" % loc


def put(w, name, text, path="/sitemap.xml", origin=None, compress=False, **expected):
    """A document as target; $ in it is its own origin."""
    origin = origin or w.origin()
    body = text.replace("$", origin.url_root) if isinstance(text, str) else text.replace(
        b"$", origin.url_root.encode())
    return w.bad(whole(gz(body)) if compress else whole(body), path=path, name=name,
                 origin=origin, **expected)


def read_first(w, name, bad, code, **kwargs):
    """An entry before what is bad is kept, what comes after is not."""
    put(w, name, ROOT + url("$/before") + bad + url("$/after") + END, partial=code,
        urls=["/before"], **kwargs)


# --- DOCTYPE ------------------------------------------------------------------


def doctype(w, name, dtd, loc="$/a", **kwargs):
    """Stops before anything is declared, so that nothing is expanded."""
    w.cpu_s = 1
    put(w, name, '<?xml version="1.0"?>\n%s\n<urlset xmlns="%s">%s</urlset>' % (dtd, NS, url(loc)),
        failure="doctype-present", **kwargs)


@fault("X1", does="declares an external entity that is a file, or another server",
       good="stops at the DOCTYPE, opens nothing and asks nobody",
       off="doctype")
def external_entity(w):
    for name, where in (("file", "file:///etc/hostname"), ("server", "http://127.0.0.2:%d/x"),
                        ("own server", "$/evil.txt")):
        origin = w.origin()
        where = where % origin.port if "%" in where else where
        doctype(w, name, '<!DOCTYPE urlset [<!ENTITY x SYSTEM "%s">]>' % where, "$/&x;",
                origin=origin)
    yield
    for document in w.documents:
        w.check(not document.origin.asked("/evil.txt"), "the entity was asked for")


@fault("X2", does="pulls its DTD from a server by a parameter entity",
       good="stops at the DOCTYPE and asks nobody",
       off="doctype")
def parameter_entity(w):
    origin = w.origin()
    doctype(w, "forbidden server", '<!DOCTYPE urlset [<!ENTITY %% p SYSTEM '
            '"http://127.0.0.2:%d/x.dtd"> %%p;]>' % origin.port, origin=origin)
    doctype(w, "own server", '<!DOCTYPE urlset [<!ENTITY % p SYSTEM "$/evil.dtd"> %p;]>')
    yield
    w.check(not w.documents[-1].origin.asked("/evil.dtd"), "the DTD was asked for")


@fault("X3", does="names an external DTD",
       good="stops at the DOCTYPE and asks nobody",
       off="doctype")
def external_dtd(w):
    origin = w.origin()
    doctype(w, "system", '<!DOCTYPE urlset SYSTEM "http://127.0.0.2:%d/x.dtd">' % origin.port,
            origin=origin)
    doctype(w, "public", '<!DOCTYPE urlset PUBLIC "-//X//Y" "$/evil.dtd">')
    yield
    w.check(not w.documents[-1].origin.asked("/evil.dtd"), "the DTD was asked for")


@fault("X4", does="includes other documents by XInclude, in and beside entries",
       good="ignores what is not of the sitemap namespace",
       off="foreign-namespace")
def xinclude(w):
    include = '<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="%s" parse="text"/>\n'
    foreign = '<x:url xmlns:x="http://www.w3.org/2001/XInclude"><x:loc>$/foreign</x:loc></x:url>\n'
    origin = w.origin()
    put(w, None, ROOT + include % ("http://127.0.0.2:%d/x" % origin.port)
        + "<url><loc>$/a</loc>%s</url>\n" % (include % "$/evil.xml")
        + include % "file:///etc/hostname" + foreign + END, origin=origin, clean=True, urls=["/a"])
    yield
    w.check(not origin.asked("/evil.xml"), "what is included was asked for")


def entities(count, first, each):
    """A DTD that grows by `each` at each level."""
    rows = ['<!ENTITY e0 "%s">' % first] + [
        '<!ENTITY e%d "%s">' % (n, ("&e%d;" % (n - 1)) * each) for n in range(1, count)]
    return "<!DOCTYPE urlset [%s]>" % "".join(rows)


@fault("X5", does="sends the billion laughs: entities of entities",
       good="stops at the DOCTYPE",
       off="doctype")
def laughs(w):
    doctype(w, None, entities(10, "ha", 10), "$/&e9;")


@fault("X6", does="sends one long entity, used 50,000 times",
       good="stops at the DOCTYPE",
       off="doctype")
def quadratic(w):
    doctype(w, None, '<!DOCTYPE urlset [<!ENTITY a "%s">]>' % ("a" * 50000), "$/" + "&a;" * 50000)


@fault("X7", does="gives elements attributes, and a namespace, by its DTD",
       good="stops at the DOCTYPE",
       off="doctype")
def defaults(w):
    doctype(w, None, '<!DOCTYPE urlset [<!ATTLIST url %s><!ATTLIST urlset xmlns CDATA "%s">]>' % (
        " ".join('a%d CDATA "%s"' % (n, "x" * 100) for n in range(1000)), NS))


@fault("X8", does="sends entities that stand in themselves",
       good="stops at the DOCTYPE",
       off="doctype")
def recursive(w):
    doctype(w, None, '<!DOCTYPE urlset [<!ENTITY a "&b;"><!ENTITY b "&a;">]>', "$/&a;")


@fault("X9", does="sends its DOCTYPE late: behind 1 MB of comments, across every boundary, in UTF-16",
       good="stops at the DOCTYPE, wherever it is",
       off="doctype")
def late(w):
    w.args += ["--max-bytes", "8M"]
    dtd = '<!DOCTYPE urlset [<!ENTITY a "x">]>'
    doctype(w, "behind 1 MB", "<!-- %s -->\n" % ("c" * 1000) * 1000 + dtd, "$/&a;")
    put(w, "in UTF-16", ("\ufeff%s<urlset xmlns='%s'>%s</urlset>" % (
        dtd, NS, url("http://a.example/&a;"))).encode("utf-16-le"), failure="doctype-present")
    origin = w.origin()
    head = '<?xml version="1.0"?>\n'
    for n in range(64 if w.is_full else 24):
        # what is read at once has 16 or 32 KiB: the DTD lies across that
        gap = (16384 << n % 2) - len(head) - len("<!---->") - n * len(dtd) // 24
        put(w, "across %d" % n, head + "<!--%s-->" % ("c" * gap) + dtd + "<urlset/>",
            path="/%d.xml" % n, origin=origin, failure="doctype-present")


# --- what is long, wide or deep ------------------------------------------------


@fault("X10", does="sends a tag of 100,000 attributes",
       good="stops at a limit of bytes and of attributes",
       off="wide-tag")
def attributes(w):
    w.args += ["--max-bytes", "8M"]
    w.cpu_s = 1
    many = "".join(' a%d="x"' % n for n in range(100000))
    put(w, "100,000", ROOT + "<url%s><loc>$/a</loc></url>" % many + END, partial="xml-limit",
        compress=True)
    few = "".join(' a%d="x"' % n for n in range(65))
    put(w, "65", ROOT + url("$/before") + "<url%s><loc>$/a</loc></url>" % few + END,
        partial="xml-limit", urls=["/before"])
    put(w, "64", ROOT + "<url%s><loc>$/a</loc></url>" % few.replace(' a0="x"', "") + END,
        clean=True, urls=["/a"])


@fault("X11", does="sends 100,000 attributes with > in their values",
       good="stops at a limit of bytes and of attributes",
       off="wide-tag")
def pointed(w):
    w.args += ["--max-bytes", "8M"]
    w.cpu_s = 1
    many = "".join(' a%d=">/>"' % n for n in range(100000))
    put(w, None, ROOT + "<url%s><loc>$/a</loc></url>" % many + END, partial="xml-limit",
        compress=True)


@fault("X12", does="declares 50,000 namespaces in a tag",
       good="stops at a limit of bytes and of attributes",
       off="wide-tag")
def namespaces(w):
    w.args += ["--max-bytes", "8M"]
    w.cpu_s = 1
    many = "".join(' xmlns:n%d="u:%d"' % (n, n) for n in range(50000))
    put(w, "50,000", ROOT + "<url%s><loc>$/a</loc></url>" % many + END, partial="xml-limit",
        compress=True)
    few = "".join(' xmlns:n%d="u:%d"' % (n, n) for n in range(65))
    put(w, "65", ROOT + "<url%s><loc>$/a</loc></url>" % few + END, partial="xml-limit")


def streamed(bomb):
    async def answer(c):
        await c.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n"
                     b"Content-Length: %d\r\n\r\n" % bomb.length)
        for piece in bomb.pieces():
            await c.send(piece)
    return answer


@fault("X13", does="sends one comment, instruction, section, value or name of 60 MB",
       good="stops when a piece does not end, long before the end",
       off="long-token")
def long_tokens(w):
    root = ROOT + url("http://a.example/a")
    for name, before, after, most in (
            ("comment", root + "<!-- ", "-->" + END, 160 << 10),
            ("comment before the root", '<?xml version="1.0"?><!-- ', "-->" + ROOT, 160 << 10),
            ("instruction", root + "<?pi ", "?>" + END, 160 << 10),
            ("section", root + "<url><loc><![CDATA[", "]]></loc></url>" + END, 5 * MIB // 4),
            ("attribute", root + '<url a="', '"></url>' + END, 160 << 10),
            ("element", root + "<", "/>" + END, 160 << 10),
            ("white space in a tag", root + "<url", "></url>" + END, 160 << 10)):
        fill = b" " if "space" in name else b"a"
        bomb = payload.Bomb(60 * MIB, before.encode(), fill, after.encode())
        early = not before.startswith(ROOT)
        document = w.bad(streamed(bomb), name=name, **(
            {"failure": "xml-limit"} if early else {"partial": "xml-limit"}))
        document.most = most
    run = yield
    for document in w.documents:
        read = run.record(document.url).get("decoded_bytes", 0)
        w.check(read <= document.most, "%s: %d bytes were read, not at most %d", document.name,
                read, document.most)


@fault("X14", does="nests elements 101 deep",
       good="stops at a limit of levels; 100 are fine",
       off="depth")
def deep(w):
    for levels, expected in ((100, {"clean": True, "urls": ["/a", "/z"]}),
                             (101, {"partial": "xml-limit", "urls": ["/a"]})):
        # the root and the entry are levels, too
        inner = levels - 2
        put(w, "%d levels" % levels, ROOT + url("$/a") + "<url><loc>$/z</loc>"
            + '<e xmlns="u:e">' + "<e>" * (inner - 1) + "</e>" * inner + "</url>" + END, **expected)


@fault("X15", does="nests 3,000,000 elements",
       good="stops at a limit of levels",
       off="depth")
def deepest(w):
    bomb = payload.Bomb(9 * MIB, (ROOT + url("http://a.example/a")).encode(), b"<e>",
                        b"</e>" + END.encode())
    w.rss_mib = 32
    w.bad(streamed(bomb), partial="xml-limit")


# --- what is not well-formed ---------------------------------------------------


@fault("X16", does="sends bare &, unknown entities, references to what is no character",
       good="ends the reading there, keeps what was before, and mends nothing",
       off="recover")
def ampersands(w):
    for bad in ("?x=1&y=2", "a&b", "&nbsp;", "&y=2", "&#0;", "&#27;", "&#xFFFE;", "&#x110000;",
                "&#xD800;", "a&", "&;", "&#;", "&#x;", "&amp", "&lt", "<b"):
        read_first(w, "in loc: " + bad, url("$/" + bad), "parse-error")
    read_first(w, "in an attribute", '<url a="&x;"><loc>$/a</loc></url>', "parse-error")
    read_first(w, "in lastmod", "<url><loc>$/a</loc><lastmod>2026&</lastmod></url>", "parse-error")


def not_utf8(w, cases):
    for name, bytes_ in cases:
        body = ROOT.encode() + url("$/before").encode() + b"<url><loc>$/" + bytes_ + (
            b"</loc></url>") + url("$/after").encode() + END.encode()
        put(w, name, body, partial="parse-error", urls=["/before"])


@fault("X17", does="sends bytes that are no UTF-8",
       good="ends the reading there, and takes no URL that holds them",
       off="recover")
def bad_utf8(w):
    not_utf8(w, (("a lone continuation", b"\x80"), ("a cut sequence", b"\xe2\x82"),
                 ("latin-1", b"caf\xe9"), ("0xFF", b"\xff"), ("five bytes", b"\xf8\x88\x80\x80\x80"),
                 ("beyond U+10FFFF", b"\xf4\x90\x80\x80")))


@fault("X18", does="sends / and . in overlong UTF-8",
       good="ends the reading there: it is no spelling of them",
       off="recover")
def overlong(w):
    not_utf8(w, (("two bytes", b"a/\xc0\xae\xc0\xae/b"), ("three", b"\xe0\x80\xaf"),
                 ("four", b"\xf0\x80\x80\xaf"), ("NUL in two", b"\xc0\x80")))


@fault("X19", does="sends surrogates in UTF-8",
       good="ends the reading there",
       off="recover")
def surrogates(w):
    not_utf8(w, (("high", b"\xed\xa0\x80"), ("low", b"\xed\xb0\x80"),
                 ("a pair", b"\xed\xa0\xbd\xed\xb8\x80")))


@fault("X20", does="sends control characters as they are",
       good="ends the reading there",
       off="recover")
def controls(w):
    not_utf8(w, [("0x%02X" % c, b"a%cb" % c) for c in (1, 7, 8, 0x0b, 0x0c, 0x1b, 0x1f)]
             + [("U+FFFE", b"\xef\xbf\xbe"), ("U+FFFF", b"\xef\xbf\xbf")])


@fault("X21", does="sends NUL bytes",
       good="ends the reading there; what follows is no part of the text",
       off="recover")
def nul(w):
    not_utf8(w, (("in loc", b"a\0b"), ("behind loc", b"a</loc>\0<loc>")))
    put(w, "first of all", b"\0" + ROOT.encode() + url("$/a").encode() + END.encode(),
        failure=("unsupported-format", "parse-error", "encoding-not-utf8"))


# --- encodings -------------------------------------------------------------------


def labelled(name, text):
    return text.replace('"UTF-8"', '"%s"' % name, 1)


@fault("X22", does="says it is UTF-16, and is not",
       good="believes the bytes, or refuses; never reads other URLs",
       off="unknown-encoding")
def mislabelled(w):
    text = ROOT + url("$/a") + END
    put(w, "UTF-8 that says UTF-16", labelled("UTF-16", text), failure="encoding-not-utf8")
    put(w, "UTF-16 without a mark", labelled("UTF-16", text.replace(
        "$", "http://a.example")).encode("utf-16-le"),
        failure=("encoding-not-utf8", "parse-error", "unsupported-format"))
    put(w, "UTF-16 that says UTF-8", ("\ufeff" + text.replace("$", "http://a.example")).encode(
        "utf-16-be"), clean=True, codes=("host-mismatch",))


@fault("X23", does="is in EUC-JP, UTF-7, EBCDIC, UTF-32, or in what it calls something long",
       good="refuses encodings that it does not have to know",
       off="unknown-encoding")
def exotic(w):
    text = (ROOT + url("http://a.example/+ADw-a") + END)
    for name in ("EUC-JP", "UTF-7", "UTF-32", "IBM037", "SHIFT_JIS", "ISO-2022-JP", "x-nothing",
                 "file:///etc/passwd", "e" * 10000):
        put(w, name[:20], labelled(name, text), failure="encoding-not-utf8")
    for name in ("cp037", "utf-32-le", "utf-32-be"):
        mark = "\ufeff" if "32" in name else ""
        put(w, "bytes of " + name, (mark + text).encode(name),
            failure=("encoding-not-utf8", "unsupported-format", "parse-error", "html-not-sitemap"))


@fault("X24", does="is in UTF-16 with a mark, in UTF-8 with one, in ISO-8859-1",
       good="reads it",
       off=("encodings", "utf16-mark"))
def encodings(w):
    for name, label, codec, mark in (
            ("UTF-16LE", "UTF-16", "utf-16-le", "\ufeff"),
            ("UTF-16BE", "UTF-16", "utf-16-be", "\ufeff"),
            ("UTF-8 with a mark", "UTF-8", "utf-8", "\ufeff"),
            ("ISO-8859-1", "ISO-8859-1", "latin-1", "")):
        origin = w.origin()
        text = labelled(label, ROOT + url("$/caf\xe9") + END).replace("$", origin.url_root)
        w.bad(whole((mark + text).encode(codec)), name=name, origin=origin, clean=True,
              urls=["/caf%C3%A9"])


# --- what stands where -----------------------------------------------------------


@fault("X25", does="has no namespace, a wrong one, prefixes, capitals, and locs of extensions",
       good="reads what is a sitemap, says what is wrong, never takes the loc of an image",
       off="foreign-namespace")
def namespaces_of(w):
    entries = url("$/a")
    image = ('<image:image xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
             "<image:loc>$/picture</image:loc></image:image>")
    for name, text, codes in (
            ("none", "<urlset>%s</urlset>" % entries, ("missing-namespace",)),
            ("wrong", '<urlset xmlns="u:x">%s</urlset>' % entries, ("incorrect-namespace",)),
            ("https", '<urlset xmlns="%s">%s</urlset>' % (NS.replace("http:", "https:"), entries),
             ("incorrect-namespace",)),
            ("a prefix", '<s:urlset xmlns:s="%s">%s</s:urlset>' % (
                NS, entries.replace("</", "</s:").replace("<u", "<s:u").replace("<l", "<s:l")),
             ()),
            ("images", ROOT + "<url>%s<loc>$/a</loc>%s</url>" % (image, image) + END, ()),
            ("an image alone", ROOT + entries + "<url>%s</url>" % image + END, ("missing-tag",)),
            ("an entry of another", ROOT + '<x:url xmlns:x="u:x"><x:loc>$/b</x:loc></x:url>'
             + entries + END, ()),
            ("a loc of another", ROOT + '<url><x:loc xmlns:x="u:x">$/b</x:loc><loc>$/a</loc></url>'
             + END, ()),
            ("images between", ROOT + image + entries + image + END, ())):
        put(w, name, text, clean=True, urls=["/a"], codes=codes)
    put(w, "capitals", "<URLSET xmlns='%s'>%s</URLSET>" % (NS, entries),
        failure="unsupported-format")


@fault("X26", does="nests entries, repeats loc, empties it, cuts it by comments and sections",
       good="takes the first valid loc of each entry, and counts what is wrong",
       off="first-loc")
def structure(w):
    for name, entry, urls, codes in (
            ("two locs", "<url><loc>$/a</loc><loc>$/b</loc></url>", ["/a"], ("duplicate-tag",)),
            ("an entry in an entry", "<url><loc>$/a</loc><url><loc>$/b</loc></url></url>", ["/a"],
             ("unknown-tag",)),
            ("an empty loc", "<url><loc></loc></url>" + url("$/a"), ["/a"], ()),
            ("cut by a comment", url("$/<!-- $/b -->a"), ["/a"], ()),
            ("a section", url("<![CDATA[$/a]]>"), ["/a"], ()),
            ("half a section", url("$<![CDATA[/a]]>"), ["/a"], ()),
            ("references", url("$/a&amp;b&#x26;c&#38;d"), ["/a&b&c&d"], ()),
            ("white space around", url("\n\t $/a \n"), ["/a"], ()),
            ("an element in it", url("$/b<b>$/c</b>") + url("$/a"), ["/a"], ("nested-markup",)),
            ("a sitemap in a urlset", "<sitemap><loc>$/b</loc></sitemap>" + url("$/a"), ["/a"],
             ("wrong-root",))):
        put(w, name, ROOT + entry + END, clean=True, urls=urls, codes=codes)


@fault("X27", does="forgets end tags, or has others",
       good="ends the reading there",
       off="recover")
def end_tags(w):
    for name, bad in (("another name", "<url><loc>$/a</loc></urls>"),
                      ("crossed", "<url><loc>$/a</url></loc>"),
                      ("one too many", "</url>"), ("none", "<url><loc>$/a</loc>")):
        read_first(w, name, bad, "parse-error")


@fault("X28", does="ends at every byte of a document",
       good="keeps whole entries, says that it is partial, reads no other URL",
       off="recover")
def cut(w):
    origin = w.origin()
    text = (ROOT + "".join(
        "<url><loc>%s/%s?x=1&amp;y=2</loc><lastmod>2026-01-0%d</lastmod></url>\n" % (
            origin.url_root, name, n + 1) for n, name in enumerate("ab")) + END).encode()
    whole_at = len(text) - 1  # without the last line end
    for n in range(0, whole_at, 1 if w.is_full else 3):
        origin.put("/%d.xml" % n, whole(text[:n]))
        w.targets.append(origin.url("/%d.xml" % n))
        w.sub_cases += 1
    w.status = 1
    run = yield
    for n in range(0, whole_at, 1 if w.is_full else 3):
        record = run.record(origin.url("/%d.xml" % n))
        ends = text[:n].count(b"</url>")
        w.check(record.get("complete") is not True or record["outcome"] == "failed",
                "cut after %d bytes: %s, complete", n, record.get("outcome"))
        w.check(record.get("accepted") == ends, "cut after %d bytes: %s entries, not %d", n,
                record.get("accepted"), ends)
    made = {origin.url("/%s?x=1&y=2" % name) for name in "ab"}
    listed = {u for u in w.listed if u.startswith(origin.url("/"))}
    w.check(listed == made, "other URLs: %s", sorted(listed - made))


@fault("X29", does="sends two documents at once, junk around one, XML 1.1",
       good="reads the first as far as it is one",
       off="recover")
def more_than_one(w):
    one = ROOT + url("$/a") + END
    for name, text in (("two", one + one.replace("$/a", "$/b")), ("junk behind", one + "junk"),
                       ("an element behind", one + "<x/>"), ("NUL behind", one + "\0\0")):
        put(w, name, text, partial="parse-error", urls=["/a"])
    put(w, "blank lines before", "\n\n \t\n" + one, clean=True, urls=["/a"],
        codes=("leading-whitespace",))
    put(w, "a comment behind", one + "<!-- end -->\n", clean=True, urls=["/a"])
    put(w, "junk before", "junk" + one, failure=("unsupported-format", "parse-error"))
    put(w, "XML 1.1", one.replace('"1.0"', '"1.1"'), clean=True, urls=["/a"])


@fault("X30", does="sends HTML, JSON, a feed, a list, nothing or a space as sitemap.xml",
       good="tells what it is by what it holds",
       off="content-decides")
def other_formats(w):
    for name, text, expected in (
            ("HTML", "<!DOCTYPE html><html><a href='$/a'>a</a></html>",
             {"failure": "html-not-sitemap"}),
            ("JSON", '{"urls": ["$/a"]}', {"failure": "unsupported-format"}),
            ("RSS", '<rss version="2.0"><channel><link>$/</link><item><link>$/a</link></item>'
             "</channel></rss>", {"clean": True, "urls": ["/a"]}),
            ("Atom", '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="$/a"/></entry>'
             "</feed>", {"clean": True, "urls": ["/a"]}),
            ("a list", "$/a\n$/b\n", {"clean": True, "urls": ["/a", "/b"]}),
            ("nothing", "", {"failure": "empty-file"}),
            ("a space", " ", {"failure": "empty-file"})):
        put(w, name, text, **expected)


@fault("X31", does="stands on, and just beyond, each limit of the protocol",
       good="takes what is within it and not one more",
       off="limits")
def boundaries(w):
    w.args += ["--max-bytes", "64M"]
    w.cpu_s = 6
    for count in (50000, 50001):
        origin = w.origin()
        text = ROOT + "".join(url("%s/%d" % (origin.url_root, n)) for n in range(count)) + END
        urls = ["/%d" % n for n in range(50000)]
        w.bad(whole(gz(text)), name="%d URLs" % count, origin=origin, urls=urls, **(
            {"clean": True} if count == 50000 else {"partial": "too-many-urls"}))
    for more in (0, 1):
        origin = w.origin()
        before = (ROOT + url(origin.url("/a"))).encode()
        after = (url(origin.url("/b")) + END).encode()
        fill = 52428800 + more - len(before) - len(after) - (49 * MIB)
        bomb = payload.Bomb(49 * MIB, before + b" " * fill, b" ", after)
        w.bad(streamed(bomb), name="50 MiB + %d" % more, origin=origin, **(
            {"clean": True, "urls": ["/a", "/b"]} if more == 0
            else {"partial": "file-too-large", "urls": ["/a", "/b"]}))
    for size, is_good in ((2047, True), (2048, True), (2049, False)):
        origin = w.origin()
        path = "/" + "p" * (size - len(origin.url_root) - 1)
        w.bad(whole(ROOT + url(origin.url(path)) + url(origin.url("/a")) + END),
              name="loc of %d" % size, origin=origin, clean=True,
              codes=() if is_good else ("url-too-long",),
              urls=["/a"] + ([path] if is_good else []))


@fault("X32", does="lies across every boundary of what is read at once, byte by byte",
       good="reads the same, however it is cut",
       off="cut-characters")
def across(w):
    entry = "<url><loc>$/caf\xe9-\u20ac-\U0001f600?a=1&amp;b=&#x32;</loc></url>"
    wanted = "/caf%C3%A9-%E2%82%AC-%F0%9F%98%80?a=1&b=2"
    size = len(entry.encode())
    for n in range(0, size, 1 if w.is_full else 2):
        gap = (16384 << n % 2) - len(ROOT) - len("<!---->") - n
        put(w, "at %d" % n, ROOT + "<!--%s-->" % ("c" * gap) + entry + END, clean=True,
            urls=[wanted], compress=bool(n & 4))


@fault("X34", does="makes a reader try to open, connect, run and trace",
       good="has sandboxed it: the attempt kills it",
       off="sandbox")
def sandboxed(w):
    done = subprocess.run([BINARY, "doctor", "--sandbox-test", "--json"], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=600)
    w.check(done.returncode == 0, "doctor --sandbox-test: status %d: %s", done.returncode,
            done.stdout.decode("utf-8", "replace"))
    w.bad(whole(index([])), clean=True, codes=("empty-sitemap",))
