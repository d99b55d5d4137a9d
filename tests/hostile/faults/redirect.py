"""HOSTILE 4.2: redirects, and addresses that nobody may be sent to."""
import socket

from faults.xml import MIB
from origin import KEEP, REST_S, head, redirect, whole
from scene import fault, index, urlset

REFUSED = ("private-address", "fetch-redirect-unsafe")


def hops(origin):
    """What was asked for but robots.txt."""
    return [r.target for r in origin.requests if r.target != "/robots.txt"]


@fault("R1", does="redirects to itself",
       good="notices at once",
       off="redirect-loop")
def to_itself(w):
    document = w.bad(redirect("/sitemap.xml"), name="itself", failure="fetch-redirect-loop")
    other = w.bad(redirect("sitemap.xml#x"), name="with a fragment", failure="fetch-redirect-loop")
    yield
    for one in (document, other):
        w.check(len(hops(one.origin)) == 1, "%s: asked for %s", one.name, hops(one.origin))


@fault("R2", does="redirects in a circle of two, of two spellings",
       good="notices when it has been there",
       off="redirect-loop")
def circle(w):
    origin = w.origin()
    origin.put("/b", redirect("/a"))
    document = w.bad(redirect("/b"), path="/a", origin=origin, failure="fetch-redirect-loop")
    other = w.origin()
    other.put("/%62", redirect("/./a"))
    other.put("/b", redirect("/./a"))
    spelt = w.bad(redirect("/%62"), path="/a", origin=other, failure="fetch-redirect-loop")
    yield
    for one in (document, spelt):
        w.check(hops(one.origin) == ["/a", "/b"], "asked for %s", hops(one.origin))


@fault("R3", does="redirects to a new URL each time, without end",
       good="follows ten of them; for robots.txt five",
       off="redirect-limit")
def endless(w):
    origin = w.origin()

    async def onward(c):
        number = int(c.request.target.rpartition("/")[2])
        await c.send(redirect("/r/%d" % (number + 1)))
        return KEEP
    origin.put(None, onward)
    origin.put("/robots.txt", whole("", status=404))
    w.bad(onward, path="/r/0", origin=origin, failure="fetch-too-many-redirects")
    other = w.origin()
    other.put(None, onward)
    other.put("/robots.txt", redirect("/r/0"))
    w.bad(whole(urlset([other.url("/p")])), path="/s.xml", origin=other, clean=True, urls=["/p"])
    ten = w.origin()
    for n in range(10):
        ten.put("/%d" % n, redirect("/%d" % (n + 1)))
    ten.put("/10", whole(urlset([ten.url("/p")])))
    w.bad(redirect("/1"), path="/0", origin=ten, clean=True, urls=["/p"])
    yield
    w.check(len(hops(origin)) == 11, "%d requests", len(hops(origin)))
    robots = [t for t in hops(other) if t.startswith("/r/")]
    w.check(len(robots) == 5, "robots.txt: %s", robots)


@fault("R4", does="sends a body without end with its redirect",
       good="takes little of it, and follows",
       off="redirect-body")
def long_body(w):
    for name, first in (("chunked", "Transfer-Encoding: chunked"), ("until it closes", "X: y")):
        async def answer(c, first=first):
            await c.send(head("Location: /b.xml", first, status=302))
            if "chunked" in first:
                await c.flood(b"4000\r\n" + b"x" * 0x4000 + b"\r\n", rest_s=REST_S)
            else:
                await c.flood(b"x" * 16384, rest_s=REST_S)
        origin = w.origin()
        origin.put("/b.xml", whole(urlset([origin.url("/p")])))
        w.bad(answer, name=name, origin=origin, clean=True, urls=["/p"])
    w.cpu_s = 1
    yield
    for document in w.documents:
        sent = document.origin.asked("/sitemap.xml")[0].sent
        w.check(sent < MIB, "%s: %d bytes were sent", document.name, sent)


@fault("R5", does="redirects to its neighbours: loopback and other addresses, in every spelling",
       good="connects to none of them",
       off="address-policy")
def neighbours(w):
    for host in ("127.0.0.2", "0x7f.2", "0177.0.0.2", "2130706434", "127.2", "0", "[::1]",
                 "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[0:0:0:0:0:ffff:127.0.0.2]", "localhost.",
                 "%31%32%37.0.0.2", "127.0.0.2.", "\uff11\uff12\uff17.0.0.2".encode().decode("latin-1"),
                 "[64:ff9b::7f00:2]", "169.254.169.254"):
        origin = w.origin()
        w.args += ["--delay", "0"]
        w.bad(redirect("http://%s:%d/x" % (host, origin.port)), name=host.encode(
            "ascii", "replace").decode(), origin=origin,
            # the one that is allowed is a localhost, too; nobody listens there
            failure=REFUSED + ("robots-unreachable" if host == "localhost." else "invalid-url",))
    run = yield
    for origin in {d.origin for d in w.documents}:
        said = [(r["url"], f["text"]) for r in run.records if r["type"] == "document"
                for f in r["findings"]
                if f["code"] == "fetch-network-error" and ":%d/" % origin.port in r["url"]]
        # that name may stand for the one address that is allowed, too
        w.check(not said or "localhost" in said[0][0], "a connection was tried: %s", said)


@fault("R10", does="redirects to files, to other schemes, to nothing, to 1 MB of it, across lines",
       good="refuses it, or resolves it as the standard says",
       off="redirect-scheme")
def odd_locations(w):
    for where in ("file:///etc/passwd", "gopher://127.0.0.2/x", "ftp://127.0.0.2/x",
                  "dict://127.0.0.2/x", "data:text/xml,<urlset/>", "javascript:alert(1)",
                  "javascript:1", "localhost:80/x", "", "http://user:pw@127.0.0.2/",
                  "http://127.0.0.1:99999/", "http:///x", "http:x", "//", "http://", "http://a b/", "\\\\127.0.0.2\\x",
                  "http://127.0.0.2\\@127.0.1.9/"):
        w.bad(redirect(where), name=where or "empty",
              failure="fetch-redirect-unsafe" if where else "fetch-redirect-loop")
    w.bad(redirect("/" + "x" * MIB), name="1 MB", failure=("headers-too-big",))
    w.bad(head("Content-Length: 0", "Location: /a\r\n\tb", status=302), name="folded",
          failure=REFUSED + ("fetch-network-error", "fetch-http-error"))
    origin = w.origin()
    origin.put("/b.xml", whole(urlset([origin.url("/p")])))
    for where in ("b.xml", "..//../b.xml", "./x/../b.xml", "?/../b.xml", "//%s/b.xml"):
        good = w.origin()
        body = whole(urlset([good.url("/p")]))
        good.put("/b.xml", body)
        good.put("/sitemap.xml?/../b.xml", body)
        good.put("//b.xml", body)
        if "%s" in where:
            where = where % good.url_root.partition("//")[2]
        w.bad(redirect(where), name=where, origin=good, clean=True, urls=["/p"],
              codes=())


@fault("R12", does="redirects its children to the sitemaps of somebody else",
       good="asks nobody else for them",
       off="foreign-redirect")
def to_another(w):
    other = w.origin()
    other.put(None, whole(urlset([other.url("/p")])))
    origin = w.origin()
    for n in range(50):
        origin.put("/%d.xml" % n, redirect(other.url("/%d.xml" % n)))
    origin.put("/good.xml", whole(urlset([origin.url("/p")])))
    w.args += ["--delay", "0"]
    w.bad(whole(index([origin.url("/%d.xml" % n) for n in range(50)] + [origin.url("/good.xml")])),
          path="/a.xml", origin=origin, clean=True, urls=["/p"])
    w.targets.append(other.url("/own.xml"))
    w.status = 1
    yield
    w.check(hops(other) == ["/own.xml"], "the other was asked for %s", hops(other)[:9])


@fault("R14", does="lists children on 1,000 ports of its own host",
       good="asks no other port",
       off="other-port")
def ports(w):
    origin = w.origin()
    others = [socket.create_server((origin.address, 0)) for _ in range(20)]
    numbers = [s.getsockname()[1] for s in others] + list(range(1, 981))
    w.bad(whole(index(["http://%s:%d/s.xml" % (origin.address, n) for n in numbers])),
          path="/a.xml", origin=origin, clean=True, codes=("port-mismatch",))
    w.status = 1
    try:
        yield
        for server in others:
            server.settimeout(0)
            try:
                server.accept()
                w.fail("a port of its own was connected to")
                break
            except BlockingIOError:
                pass
    finally:
        for server in others:
            server.close()
