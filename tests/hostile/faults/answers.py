"""HOSTILE 4.1: answers that say what they are not, TLS, and too many."""
import ssl
import tempfile
import zlib

from certs import Authority
from faults.gzip import ALL, put
from origin import redirect, whole
from payload import deflate
from scene import Document, fault, gz, index, urlset
from server import tls_context

NET = "fetch-network-error"
PAGES = ["/a", "/b", "/c"]
XML = "/sitemap.xml"


# --- what the body is, and what the header says --------------------------------


@fault("N30", does="answers a web page with status 200 where its sitemap was",
       good="says that it is HTML, and misses nothing for it", off="content-decides")
def soft_404(w):
    page = "<html><head><title>Not found</title></head><body><a href='/x'>x</a></body></html>"
    kinds = (("HTML", page, "text/html"),
             ("with a doctype", "<!DOCTYPE html>\n" + page, "text/html; charset=utf-8"),
             ("as XML", page, "application/xml"), ("upper case", page.upper(), "text/html"))
    for name, _, _ in kinds:
        put(w, name, bytes, path=XML, **ALL)
    put(w, "a sitemap called HTML", bytes, "Content-Type: text/html", path=XML, **ALL)
    yield
    for document, (_, body, said) in zip(w.documents, kinds):
        document.put(whole(body, "Content-Type: " + said))
        document.expect(failure="html-not-sitemap", urls=PAGES)
    for _ in range(2):
        run = yield
        changes = run.summary["urls"]
        w.check(changes["removed"] + changes["gone"] == 0, "URLs are missed: %s", changes)


@fault("N31", does="sends gzip without a word of it",
       good="looks at the body, and reads it", off="gzip-magic")
def undeclared(w):
    for said in ("text/xml", "application/octet-stream", "text/plain"):
        put(w, said, gz, "Content-Type: " + said, path=XML, codes=("gzip-undeclared",), **ALL)
    put(w, "identity", gz, "Content-Encoding: identity", path=XML, codes=("gzip-undeclared",),
        **ALL)


@fault("N32", does="says gzip of a body that is none",
       good="looks at the body, and reads it", off="no-magic")
def not_gzip(w):
    for name, path in (("XML", XML), ("XML named .gz", "/sitemap.xml.gz")):
        put(w, name, bytes, "Content-Encoding: gzip", path=path,
            codes=("content-encoding-mismatch",), **ALL)


@fault("N33", does="packs a .gz file once more in transport, or says so of one that is packed once",
       good="unpacks both layers, or the one that is there", off="second-layer")
def double_layer(w):
    said = "Content-Encoding: gzip"
    put(w, "twice", lambda text: gz(gz(text)), said, codes=("gzip-double",), **ALL)
    put(w, "once", gz, said, **ALL)
    put(w, "once, x-gzip", gz, "Content-Encoding: x-gzip", **ALL)
    put(w, "in deflate", lambda text: zlib.compress(gz(text)), "Content-Encoding: deflate", **ALL)


def times(count):
    def pack(text):
        for _ in range(count):
            text = gz(text)
        return text
    return pack


@fault("N34", does="uses br, zstd, six layers of gzip",
       good="reads gzip, x-gzip, deflate and identity, and names what it cannot read",
       off=("unknown-coding", "layers"))
def codings(w):
    for said, pack in (("gzip", gz), ("x-gzip", gz), ("GZip", gz), ("identity", bytes),
                       ("deflate", zlib.compress), ("deflate", deflate), ("", bytes),
                       ("identity, gzip", gz), (" ,gzip,, ", gz)):
        put(w, "%r %s" % (said, pack.__name__), pack, "Content-Encoding: " + said, path=XML, **ALL)
    # sound bodies: whoever does not look at the name would read them
    for said, pack in (("br", bytes), ("zstd", bytes), ("compress", bytes), ("gzip, br", gz),
                       ("br, gzip", gz), ("aes128gcm", bytes)):
        put(w, said, pack, "Content-Encoding: " + said, path=XML,
            failure="unsupported-encoding")
    put(w, "two fields", gz, "Content-Encoding: gzip", "Content-Encoding: br", path=XML,
        failure="unsupported-encoding")
    put(w, "gzip six times", times(6), "Content-Encoding: " + ", ".join(["gzip"] * 6), path=XML,
        failure="gzip-too-many-layers")


# --- what outlives an answer, elsewhere ------------------------------------------


class Trust:
    """Certificates of an authority of its own, which w trusts."""

    def __init__(self, w):
        # pylint: disable-next=consider-using-with
        self.scratch = tempfile.TemporaryDirectory(prefix="freshet-certs-")
        self.authority = Authority(self.scratch.name)
        w.args += ["--cacert", self.authority.path]
        w.trust = self  # the file stays for the crawl

    def context(self, names, days=7):
        return tls_context(*self.authority.sign(names, days))


def own_address(w):
    """That of the next server, for its certificate."""
    count = len(w.net.origins)
    return "127.0.%d.%d" % (1 + count // 250, 1 + count % 250)


@fault("N35", does="sends cookies, HSTS and an alternative service",
       good="asks the next time as if they had not come", off=("cookies", "alt-svc"))
def sticky(w):
    trust = Trust(w)
    origins = [w.origin(), w.origin(tls=trust.context([own_address(w)]))]
    for origin in origins:
        other = "127.0.0.2:%d" % origin.port
        fields = ("Set-Cookie: id=1; Path=/; Max-Age=99999", "Set-Cookie2: id=2",
                  "Strict-Transport-Security: max-age=99999; includeSubDomains",
                  'Alt-Svc: h1="%s"; ma=99999; persist=1, h2="%s"; ma=99999' % (other, other),
                  "Refresh: 0; url=http://%s/" % other,
                  "Connection: close")
        children = [origin.url("/%d.xml" % n) for n in range(3)]
        for n, url in enumerate(children):
            origin.put("/%d.xml" % n, whole(urlset([origin.url(PAGES[n])]), *fields))
        origin.put("/robots.txt", whole("", *fields, status=404))
        w.bad(whole(index(children), *fields), origin=origin, name=origin.url_root.split(":")[0],
              clean=True, urls=PAGES)
    for _ in range(2):
        yield
        for origin in origins:
            w.check(len(origin.requests) >= 4, "%d requests", len(origin.requests))
            for request in origin.requests:
                wrong = [k for k, _ in request.fields if k.lower() in ("cookie", "cookie2", "alt-used")]
                w.check(not wrong, "%s: sent %s", request.target, wrong)


# --- TLS ---------------------------------------------------------------------------


async def stall(c):
    while await c.reader.read(4096):
        pass


async def cut(c):
    await c.reader.read(1)
    c.reset()


async def speak_http(c):
    await c.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    await c.hang()


def contexts(w):
    """(name, what is said of it, TLS or what is done instead of it)."""
    trust = Trust(w)
    yield "sound", None, trust.context([own_address(w)])
    yield "expired", "certificate expired", trust.context([own_address(w)], -1)
    yield "wrong name", "for another host", trust.context(["b.example", "127.0.0.1"])
    with tempfile.TemporaryDirectory() as folder:
        stranger = Authority(folder)
        yield "self-signed", "not trusted", tls_context(stranger.path, stranger.key)
        yield "another authority", "not trusted", tls_context(*stranger.sign([own_address(w)]))
    old = trust.context([own_address(w)])
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1
    yield "TLS 1.0", "TLS handshake failed", old
    yield "stalls", "s connecting", stall
    yield "resets", "", cut
    yield "no TLS", "TLS handshake failed", speak_http


@fault("N38", does="has an expired certificate, another's, its own, TLS 1.0, or breaks the handshake",
       good="asks nothing of it, and says why", off=("certificate", "tls-version"))
def bad_tls(w):
    w.args += ["--connect-timeout", "1"]
    said = {}
    for name, words, how in contexts(w):
        is_tls = isinstance(how, ssl.SSLContext)
        origin = w.origin(tls=how if is_tls else None)
        if not is_tls:
            origin.tls, origin.on_accept = True, how
        document = w.bad(whole(urlset([origin.url("/a")])), origin=origin, name=name)
        said[document] = words
        if words is None:
            document.expect(clean=True, urls=["/a"])
        else:
            document.expect(failure=("robots-unreachable", NET))
    run = yield
    for document, words in said.items():
        if words is not None:
            found = run.findings(document.url)
            found.update(run.findings(document.origin.url("/robots.txt")))
            w.check(words in " ".join(found.values()), "%s: %r is not said in %s",
                    document.name, words, found)
            w.check(not document.origin.requests, "%s: %s", document.name,
                    document.origin.requests)
    w.check_time(run.own_s < 4, "took %.1f s", run.own_s)


CHILD = "https://a.example/c.xml"


def downgraded(w, trust):
    """a.example: over TLS, and what its redirects lead to; (secure, plain)."""
    secure = w.origin(tls=trust.context(["a.example"]))
    plain = w.origin()
    for port, origin in ((443, secure), (80, plain)):
        w.args += ["--connect-to", "a.example:%d:%s:%d" % (port, origin.address, origin.port)]
    pages = ["%s://a.example/%s" % (s, p) for s in ("http", "https") for p in "ab"]
    secure.put("/s.xml", redirect("http://a.example/s.xml"))
    secure.put("/c.xml", redirect("http://a.example/c.xml"))
    secure.put("/i.xml", whole(index([CHILD])))
    for path in ("/s.xml", "/c.xml"):
        plain.put(path, whole(urlset(pages)))
    return secure, plain


@fault("R11", does="redirects from https to http",
       good="tells, lists no https page for it unless lenient, and keeps the operator's headers",
       off=("final-base", "own-origin"))
def downgrade(w):
    secure, plain = downgraded(w, Trust(w))
    w.args += ["--header", "X-Api-Key: secret"]
    w.targets += ["https://a.example/s.xml", "https://a.example/i.xml"]
    run = yield
    listed = [u for u in w.listed if "a.example" in u]
    w.check(listed == ["http://a.example/a", "http://a.example/b"], "lists %s", listed)
    for url in (w.targets[0], CHILD):
        found = run.findings(url)
        for code in ("sitemap-redirected", "scheme-mismatch"):
            w.check(code in found, "%s: %s is not in %s", url, code, found)
    keys = {o: {r.header("X-Api-Key") for r in o.requests} for o in (secure, plain)}
    w.check(keys[secure] == {"secret"}, "https was sent %s", keys[secure])
    w.check(keys[plain] == {None}, "http was sent %s", keys[plain])


# --- too many -------------------------------------------------------------------


@fault("N40", does="100 hosts, each of whose indexes has a child that hangs",
       good="has no more connections than descriptors, and reads others meanwhile",
       off="descriptors")
def hanging_children(w):
    w.hurry()
    count, at_once = (1000, 400) if w.is_full else (100, 60)
    w.descriptors = 64 + 3 * at_once
    w.healthy_s = w.wall_s = 20 if w.is_full else 8
    w.cpu_s = 10
    under_way = set()
    most = []

    async def answer(c):
        under_way.add(c)
        most.append(len(under_way))
        try:
            await c.hang()
        finally:
            under_way.discard(c)
    for n in range(count):
        origin = w.origin()
        origin.put("/child.xml", answer)
        w.bad(whole(index([origin.url("/child.xml")])), origin=origin, clean=True,
              name="host %d" % n)
        w.documents.append(Document(origin, "/child.xml", "child %d" % n).expect(
            failure=NET, says="too slow"))
    yield
    w.check(len(most) == count, "%d children of %d were asked for", len(most), count)
    w.check(max(most, default=0) <= at_once, "%d at once, not %d", max(most, default=0), at_once)
