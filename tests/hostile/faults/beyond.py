"""What docs/internals/HOSTILE.md did not have at first (4.11)."""
import gzip
import zlib

from faults.http import CHUNKED, NET, PAGES, bad, pages
from faults.names import has_names, named
from origin import KEEP, chunk, head, whole
from scene import fault, index, urlset


@fault("E2", does="names, in the robots.txt of a host with a name, addresses of the inside",
       good="asks nobody at these, though the operator may",
       off="seeds-inward")
def inward(w):
    if not has_names():
        return
    origin = named(w, "outside.example")
    inside = w.net.origin("127.0.0.3", port=origin.port)
    w.args += ["--allow-address", "127.0.0.3/32", "--delay", "0"]
    inside.put(None, whole(urlset([inside.url("/p")])))
    spellings = ["http://%s:%d/x.xml" % (host, inside.port) for host in (
        "127.0.0.3", "127.3", "2130706435", "0x7f000003", "[::ffff:127.0.0.3]")]
    origin.put("/robots.txt", whole("".join("Sitemap: %s\n" % u for u in spellings)))
    w.targets.append(origin.url("/robots.txt"))
    w.status = 1
    run = yield
    w.check(not inside.accepted, "it was asked for %s", inside.requests)
    w.check("private-address" in run.findings(inside.url("/x.xml")), "not told: %s", run.records)


@fault("E3", does="begins its header with a folded line, over a connection that was used",
       good="refuses the answer; its HTTP library wrote to what it had freed",
       off="fresh-handle")
def folded_at_once(w):
    w.args += ["--delay", "0"]
    for blank in (" ", "\t", " \t "):
        for field in ("Content-Length: 3", "X: " + "y" * 5000, ""):
            bad(w, lambda o, line=blank + field: b"HTTP/1.1 200 OK\r\n" + line.encode() +
                b"\r\n\r\n" + pages(o), name=repr(blank + field[:5]), failure=NET)


@fault("E4", does="packs its robots.txt, which forbids all, though no coding was offered",
       good="unpacks and obeys it; what it cannot read may forbid everything",
       off="packed-robots")
def packed_robots(w):
    rules = b"User-agent: *\nDisallow: /\n"
    for name, body, coding in (
            ("gzip", gzip.compress(rules), "gzip"), ("unsaid", gzip.compress(rules), None),
            ("deflate", zlib.compress(rules), "deflate"),
            ("bomb", gzip.compress(rules + bytes(64 << 20)), "gzip"),
            ("twice", gzip.compress(gzip.compress(rules)), "gzip"),
            ("br", b"\x0b\x0d\x80" + rules[:26] + b"\x03", "br"),
            ("zstd", b"\x28\xb5\x2f\xfd" + rules, None),
            ("thrice", gzip.compress(gzip.compress(gzip.compress(rules))), "gzip"),
            ("cut", gzip.compress(rules)[:-9], "x-gzip"), ("unknown", b"\0\1\2" + rules, "x")):
        fields = ["Content-Encoding: " + coding] if coding else []
        is_read = name in ("gzip", "unsaid", "deflate", "bomb", "twice")
        document = bad(w, lambda o: whole(pages(o)), name=name, failure=(
            "fetch-blocked-by-robots" if is_read else "robots-unreachable"))
        document.origin.put("/robots.txt", whole(body, *fields))
    plain = bad(w, lambda o: whole(pages(o)), name="said and not done",
                failure="fetch-blocked-by-robots")
    plain.origin.put("/robots.txt", whole(rules, "Content-Encoding: gzip"))
    plain = bad(w, lambda o: whole(pages(o)), name="identity", clean=True, urls=PAGES)
    plain.origin.put("/robots.txt", whole(b"Disallow:\n", "Content-Encoding: identity"))
    late = bad(w, lambda o: whole(pages(o)), name="late", clean=True, urls=PAGES)
    late.origin.put("/robots.txt", whole(
        gzip.compress(b"#" * 600000 + b"\n" + rules), "Content-Encoding: gzip"))
    yield
    for document in w.documents[:-2]:
        asked = [r.target for r in document.origin.requests]
        w.check(asked == ["/robots.txt"], "%s: asked for %s", document.name, asked)


@fault("E5", does="redirects with two Locations that differ",
       good="follows neither: who split the answer meant one of them",
       off="two-locations")
def two_locations(w):
    for name, lines in (("two", ["/b.xml", "/c.xml"]), ("the first empty", ["", "/b.xml"]),
                        ("the other elsewhere", ["/b.xml", "http://127.0.0.2/"])):
        document = bad(w, lambda o, lines=lines: whole(
            pages(o), *["Location: " + line for line in lines], status=302), name=name,
                       failure=NET, says="two Location")
        document.origin.put("/b.xml", whole(pages(document.origin)))
    same = bad(w, lambda o: whole(b"", "Location: /b.xml", "location:  /b.xml ", status=302),
               name="the same twice", clean=True, urls=PAGES)
    same.origin.put("/b.xml", whole(pages(same.origin)))


@fault("E6", does="spells the length of its body so that readers differ",
       good="refuses the answer, or reads it as everybody does",
       off="blank-colon")
def odd_framing(w):
    for field in ("Content-Length : 3", "Content-Length\t: 3", "Transfer-Encoding : chunked",
                  "Content-Length: +3", "Content-Length: 3;", "Content-Length: 3\v",
                  "Content-Length: 18446744073709551619", "Transfer-Encoding:\vchunked",
                  'Transfer-Encoding: "chunked"', "Transfer-Encoding: xchunked",
                  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"):
        bad(w, lambda o, f=field: head(f) + pages(o), name=repr(field),
            failure=(NET, "body-too-big"))
    for size in (b"0x%x", b"+%x", b" %x", b"-%x", b"10000000000000000%x", b"%%20%x"):
        bad(w, lambda o, size=size: CHUNKED + size % len(pages(o)) + b"\r\n" + pages(o) +
            b"\r\n0\r\n\r\n", name="a chunk of " + repr(size), lost=NET)


@fault("E7", does="packs its body in the transfer (Transfer-Encoding: gzip), 64 MiB in 64 KiB",
       good="unpacks nothing outside of its sandbox: refuses the answer",
       off="other-coding")
def transfer_codings(w):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(squeeze.compress(bytes(1 << 20)) for _ in range(64)) + squeeze.flush()
    for coding in ("gzip", "gzip, chunked", "deflate, chunked", "br, chunked", "gzip, gzip, chunked"):
        def make(origin, codings=coding.split(", ")):
            body = pages(origin)
            for one in codings:
                body = gzip.compress(body) if one == "gzip" else zlib.compress(body) \
                    if one == "deflate" else body
            end = chunk(body) + b"0\r\n\r\n" if "chunked" in codings else body
            return head("Transfer-Encoding: " + ", ".join(codings)) + end
        bad(w, make, name=coding, failure=NET)
    w.bad(head("Transfer-Encoding: gzip, chunked") + chunk(bomb) + b"0\r\n\r\n", name="bomb",
          failure=NET)
    w.cpu_s = 1


@fault("E8", does="says in hints and trailers what only a header may say",
       good="believes none of it, then or later",
       off="trailer-fields")
def fields_elsewhere(w):
    w.args += ["--delay", "0"]
    fields = ("Location: /other.xml", "Content-Encoding: br", "Retry-After: 80000", 'ETag: "t"',
              "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Content-Length: 5",
              "Transfer-Encoding: chunked", "Content-Type: text/html")
    for field in fields:
        line = field.encode() + b"\r\n\r\n"
        bad(w, lambda o, line=line: CHUNKED + chunk(pages(o)) + b"0\r\n" + line,
            name="trailer " + field, clean=True, urls=PAGES)
        bad(w, lambda o, line=line: b"HTTP/1.1 103 Early Hints\r\n" + line + whole(pages(o)),
            name="hint " + field, clean=True, urls=PAGES)
    yield
    yield
    for document in w.documents:
        again = document.origin.asked(document.path)
        w.check(len(again) == 1, "%s: asked %d times", document.name, len(again))
        for request in again:
            told = request.header("If-None-Match"), request.header("If-Modified-Since")
            w.check(told == (None, None), "%s: was told %s", document.name, told)


@fault("E9", does="closes or resets a kept connection instead of answering",
       good="asks again no sooner than the pace allows, and counts each request",
       off="retry-at-once")
def closes_kept(w):
    w.args += ["--delay", "500ms", "--retry", "1"]
    for name in ("close", "reset"):
        async def answer(c, name=name):
            if name == "reset":
                c.reset()
        bad(w, lambda o, answer=answer: answer, name=name, failure=NET)
    yield
    # a row for each host and minute
    told = {row["host"]: row["n"] for row in w.sql("SELECT host, sum(requests) AS n FROM request_log GROUP BY host")}
    for document in w.documents:
        times = [r.at for r in document.origin.requests]
        gaps = [b - a for a, b in zip(times, times[1:])]
        w.check(min(gaps) > 0.45, "%s: asked after %.2f s", document.name, min(gaps))
        w.check(told.get(document.origin.address) == len(times),
                "%s: %d requests, the request log has %s",
                document.name, len(times), told.get(document.origin.address))


@fault("E10", does="speaks another protocol, or another HTTP, on its port",
       good="reads no document out of it",
       off="http-09")
def other_protocols(w):
    for first in ("ICY 200 OK", "RTSP/1.0 200 OK", "HTTP/2 200", "HTTP/0.9 200 OK", "HTTP/1.2 200 OK",
                  "HTTP/1.1 20 OK", "HTTP/1.1  200 OK", "http/1.1 200 OK", "HTTP/1.1 +200 OK",
                  "HTTP/1.1\t200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 099 OK"):
        bad(w, lambda o, f=first: f.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(pages(o)) +
            pages(o), name=first, failure=NET)
    for text in (b"SSH-2.0-OpenSSH_9.2\r\n", b"220 mail ESMTP\r\n", b"+OK POP3\r\n",
                 b"\0\0\x12\4\0\0\0\0\0", b"\x15\3\1\0\2\2\x46"):
        async def speak(c, text=text):
            await c.send(text)
            await c.hang(2)
        w.bad(b"", name=repr(text), failure="robots-unreachable").origin.on_accept = speak


@fault("E11", does="leads to somebody else by all that feeds have: bases, hubs, clouds, next pages",
       good="asks nobody else, and lists no page of theirs",
       off="foreign-children")
def feeds(w):
    other = w.origin()
    url = other.url("/x")
    atom = ('<feed xmlns="http://www.w3.org/2005/Atom" xml:base="%s">' % url +
            "".join('<link rel="%s" href="%s"/>' % (rel, url)
                    for rel in ("next", "hub", "self", "related", "alternate")) +
            '<entry xml:base="%s"><link href="/p"/><link rel="enclosure" href="%s"/>'
            '<content src="%s"/></entry><entry><link href="%s"/></entry></feed>')
    bad(w, lambda o: whole(atom % (url, url, url, url)), name="Atom", clean=True, urls=["/p"],
        codes=("host-mismatch",))
    rss = ('<rss version="2.0"><channel><link>%s</link><cloud domain="%s" port="%d" path="/x"/>'
           "<item><link>%s</link></item><item><guid>%s</guid></item></channel></rss>")
    bad(w, lambda o: whole(rss % (url, other.address, other.port, url, url)), name="RSS", clean=True,
        codes=("host-mismatch",))
    w.status = 0
    yield
    w.check(not other.accepted, "it was asked for %s", other.requests)
    theirs = [u for u in w.listed if u.startswith(other.url("/"))]
    w.check(not theirs, "lists %s", theirs)


@fault("E12", does="lists children whose characters take 8,000 and 24,000 bytes, and pages like these",
       good="stores and asks for what they are in a request, or refuses them; no part of one",
       off=("escaping", "sitemap-url-bytes"))
def long_characters(w):
    w.args += ["--delay", "0"]
    name, sent = "\U0001f600" * 2000, "%F0%9F%98%80" * 2000
    short, sent_short = "\U0001f600" * 670, "%F0%9F%98%80" * 670
    origin = w.origin()
    for n in range(3):
        origin.put("/%s%d" % (sent_short, n), whole(urlset([origin.url("/p%d" % n)])))
    w.status = 1
    w.bad(whole(index([origin.url("/%s%d" % (short, n)) for n in range(3)])), origin=origin,
          name="children", clean=True, urls=["/p%d" % n for n in range(3)])
    bad(w, lambda o: whole(index([o.url("/" + name)])), name="longer ones", clean=True,
        codes=("url-too-long",))
    bad(w, lambda o: whole(urlset([o.url("/" + name)])), name="pages", clean=True, urls=["/" + sent])
