"""HOSTILE 4.1: what may go wrong between the connection and the body."""
import asyncio
import re

from origin import KEEP, REST_S, chunk, head, whole
from scene import fault, index, urlset

CHUNKED = head("Transfer-Encoding: chunked")
NET = "fetch-network-error"
MIB = 1 << 20
PAGES = ["/1", "/2", "/3"]


def pages(origin, paths=PAGES):
    """A sound urlset of that server."""
    return urlset([origin.url(p) for p in paths]).encode()


def text_list(origin, paths=PAGES):
    """The same as a list of lines, where nothing but the framing says that it
    was cut."""
    return "".join(origin.url(p) + "\n" for p in paths).encode()


def bad(w, make, name=None, **expected):
    """w.bad, with an answer that has to know its server: make(origin)."""
    origin = w.origin()
    return w.bad(make(origin), name=name, origin=origin, **expected)


def sent(document):
    """Bytes of the answer to the latest request for it."""
    return document.origin.asked(document.path)[-1].sent


def flood(first, piece, **limits):
    async def answer(c):
        await c.send(first)
        await c.flood(piece, **limits)
    return answer


# --- bodies -----------------------------------------------------------------

FILLER = b"<url><loc>http://a.example/page</loc></url>\n" * 300


@fault("N1", does="sends chunks without end",
       good="stops at a limit of bytes", off="body-limit")
def endless_chunks(w):
    w.cpu_s = 1.5
    document = w.bad(flood(CHUNKED, chunk(FILLER)), failure="body-too-big")
    yield
    w.check(sent(document) < 4 * MIB, "%d bytes were sent", sent(document))


@fault("N2", does="sends a body without a length and without end",
       good="stops at a limit of bytes", off="body-limit")
def endless_close(w):
    w.cpu_s = 1.5
    document = w.bad(flood(head(), FILLER), failure="body-too-big")
    yield
    w.check(sent(document) < 4 * MIB, "%d bytes were sent", sent(document))


@fault("N3", does="announces a body of 999,999,999,999 bytes, and sends it",
       good="refuses it before the body", off="announced-length")
def announced(w):
    document = w.bad(flood(head("Content-Length: 999999999999"), FILLER, rest_s=REST_S),
                     failure="body-too-big")
    yield
    w.check(sent(document) < MIB, "%d bytes were sent", sent(document))


@fault("N4", does="closes before the length that it announced",
       good="uses what came whole and says that it is a part; nothing is missed for it",
       off="cut-body")
def cut_body(w):
    """Over what was read well before, with a page more."""
    kinds = [("XML", "/sitemap.xml", pages), ("text", "/sitemap.txt", text_list)]
    documents = []
    for name, path, make in kinds:
        origin = w.origin()
        documents.append(w.bad(whole(make(origin)), path=path, name=name, origin=origin,
                               clean=True, urls=PAGES))
    yield
    for (_, _, make), document in zip(kinds, documents):
        body = make(document.origin, ["/new"])
        # the end tag, or nothing of a line, is missing
        body = body[:body.rindex(b"</")] if b"<" in body else body
        document.put(head("Content-Length: 5000") + body)
        document.expect(partial=NET, urls=PAGES + ["/new"])
    for _ in range(2):
        run = yield
        changes = run.summary["urls"]
        w.check(changes["removed"] + changes["gone"] == 0, "URLs are missed: %s", changes)
    for name, path, make in kinds:
        origin = w.origin()
        w.bad(head("Content-Length: 5000") + make(origin)[:3], path=path, origin=origin,
              name=name + " from the beginning", lost=NET)
    yield


@fault("N5", does="cuts its chunks off, at any byte, or goes on with a size that is none",
       good="uses what came whole and says that it is a part; no cut line becomes a URL",
       off="cut-body")
def cut_chunks(w):
    ends = (b"zz\r\n", b"-1\r\n", b"\r\n", b"0\r", b"fffffffffffffffff\r\n", b"5\r\nabc")
    at = 0
    while True:
        origin = w.origin()
        lines = text_list(origin, ["/%d" % n for n in range(30)])
        parts = [lines[n:n + 50] for n in range(0, len(lines), 50)]
        framed = b"".join(chunk(p) for p in parts)
        if at > len(framed):
            break
        # an end that is a number too large would come behind all of them
        done = sum(len(chunk(p)) <= at - sum(len(chunk(q)) for q in parts[:n])
                   for n, p in enumerate(parts))
        came = lines[:50 * done] + framed[sum(len(chunk(p)) for p in parts[:done]):at].partition(
            b"\r\n")[2][:50]
        w.bad(CHUNKED + framed[:at], path="/list.txt", origin=origin, name="cut %d" % at,
              lost=NET, urls=["/%d" % n for n in range(came.count(b"\n"))])
        at += 5 if w.is_full else 41
    for end in ends:
        origin = w.origin()
        w.bad(CHUNKED + chunk(text_list(origin)) + end, path="/list.txt", origin=origin,
              name="goes on with %r" % end, lost=NET, urls=PAGES)
    w.cpu_s = 10


# --- framing ----------------------------------------------------------------

@fault("N6", does="says two Content-Length that differ",
       good="refuses the answer: whoever believes one of them takes a part of it for the next one",
       off="two-lengths")
def two_lengths(w):
    for name, cut in (("smaller first", False), ("larger first", True)):
        def make(origin, cut=cut):
            body = pages(origin)
            sizes = [len(body), len(body) - 20]
            return head(*["Content-Length: %d" % n
                          for n in (sizes if cut else reversed(sizes))]) + body
        bad(w, make, name, failure=NET, says="differ")


@fault("N7", does="says both Content-Length and Transfer-Encoding: chunked",
       good="refuses the answer: another reader of it would see another body",
       off="length-and-chunks")
def length_and_chunks(w):
    for name, fields in (
            ("length first", ("Content-Length: 30", "Transfer-Encoding: chunked")),
            ("chunks first", ("Transfer-Encoding: chunked", "Content-Length: 30"))):
        bad(w, lambda o, f=fields: head(*f) + chunk(pages(o)) + b"0\r\n\r\n", name,
            failure=NET, says="both")


@fault("N8", does="gives a Content-Length that is no number",
       good="refuses the answer", off="length-number")
def no_number(w):
    for value in ("%dx", "-%d", "+%d", "%d, %d", "0x%d", "", "%d.0", "1" * 40, "\u00b2%d"):
        def make(origin, value=value):
            body = pages(origin)
            return head("Content-Length: " + value.replace("%d", str(len(body)))) + body
        bad(w, make, repr(value), failure=(NET, "body-too-big"))


@fault("N9", does="sends another answer behind the one that was asked for",
       good="drops that connection; the next request goes over a new one", off="idle-bytes")
def smuggled(w):
    for name, pause in (("at once", 0), ("a moment later", 0.02)):
        origin = w.origin()
        evil = whole(urlset([origin.url("/evil")]))

        async def answer(c, origin=origin, evil=evil, pause=pause):
            body = whole(index([origin.url("/a.xml"), origin.url("/b.xml")]))
            if pause:
                await c.send(body)
                await asyncio.sleep(pause)
                await c.send(evil)
            else:
                await c.send(body + evil)
            return KEEP
        origin.put("/a.xml", whole(pages(origin, ["/a"])))
        origin.put("/b.xml", whole(pages(origin, ["/b"])))
        w.bad(answer, origin=origin, name=name, clean=True, urls=["/a", "/b"])
    # the moment must come before the next request, on a slow machine, too
    w.args += ["--delay", "1"]
    yield
    for document in w.documents:
        first, then = document.origin.asked("/sitemap.xml"), document.origin.asked("/a.xml")
        w.check(first[0].connection != then[0].connection, "%s: the connection is used again",
                document.name)


# --- headers ----------------------------------------------------------------

@fault("N10", does="sends a million header lines",
       good="stops at a limit for all of them together", off="header-limit")
def header_flood(w):
    w.rss_mib = 24
    w.bad(flood(head()[:-2], b"X-Flood: yes, this is one\r\n"), failure="headers-too-big",
          name="many")
    w.bad(head(*["X-Flood: %s" % ("y" * 990) for _ in range(100)]) + b"", failure="headers-too-big",
          name="100 kB")


@fault("N11", does="sends one header line without end",
       good="says that, and not that memory is short", off="long-line")
def endless_line(w):
    w.rss_mib = 24
    w.bad(flood(b"HTTP/1.1 200 OK\r\nX-Flood: ", b"y"), failure="headers-too-big")
    run = yield
    w.check(b"memory" not in run.err + run.out, "speaks of memory")


@fault("N12", does="sends 103 Early Hints without end",
       good="counts them as headers, and stops", off="header-limit")
def endless_hints(w):
    w.rss_mib = 24
    w.bad(flood(b"", head(status="HTTP/1.1 103 Early Hints")), failure="headers-too-big",
          name="empty")
    w.bad(flood(b"", head("Link: </a.css>; rel=preload", status="HTTP/1.1 103 Early Hints")),
          failure="headers-too-big", name="with a field")


@fault("N13", does="sends trailers without end behind the last chunk",
       good="counts them as headers, and stops", off="header-limit")
def endless_trailers(w):
    w.rss_mib = 24
    bad(w, lambda o: flood(CHUNKED + chunk(pages(o)) + b"0\r\n", b"X-Flood: yes, this is one\r\n"),
        failure="headers-too-big")


@fault("N25", does="has a NUL byte in a header",
       good="refuses the answer, and prints nothing of it as it came", off="header-nul")
def header_nul(w):
    for name, line in (("value", b"X-A: b\0c"), ("name", b"X\0A: b"),
                       ("length", b"Content-Type: text/xml\0; x=\x1b[31m")):
        bad(w, lambda o, n=line: head(n) + pages(o), name, failure=NET)
    bad(w, lambda o: b"HTTP/1.1 200 O\0K\r\n\r\n" + pages(o), "reason", failure=NET)
    bad(w, lambda o: CHUNKED + chunk(pages(o)) + b"0\r\nX-A: b\0c\r\n\r\n", "trailer",
        partial=NET, urls=PAGES)


@fault("N26", does="has a bare CR in a header, or a folded one",
       good="refuses the answer: another reader of it would see another header",
       off=("header-cr", "header-fold"))
def header_cr(w):
    bad(w, lambda o: head("X-A: b\rX-C: d") + pages(o), "bare CR", failure=NET, says="bare CR")
    bad(w, lambda o: head("X-A: b\rContent-Length: 3") + pages(o), "bare CR before a length",
        failure=NET, says="bare CR")
    for name, white in (("space", " "), ("tab", "\t")):
        bad(w, lambda o, s=white: head("X-A: b", s + "c\x1b]0;x\x07") + pages(o),
            "folded by a " + name, failure=NET, says="folded")


# --- pace -------------------------------------------------------------------

SLOW = "too slow"


@fault("N14", does="sends a chunk extension without end",
       good="gives up by the clock: no byte of a body ever comes", off="low-speed")
def endless_extension(w):
    w.hurry()

    async def answer(c):
        await c.send(CHUNKED + b"1;")
        await c.drip(b"a" * 4096, 0.01)
    w.wall_s = 8
    w.bad(answer, failure=NET, says=SLOW)


def slow_everywhere(w, answer, count, **expected):
    """Many such servers at once, and one that is like that from robots.txt on."""
    for n in range(count):
        w.bad(answer, name="slow %d" % n, **expected)
    first = w.origin()
    first.put("/robots.txt", answer)
    w.bad(answer, origin=first, name="robots.txt too",
          failure=("robots-unreachable", NET))
    w.wall_s = 8


@fault("N15", does="sends its header one byte in half a second",
       good="gives up by the clock, and reads others meanwhile", off="low-speed")
def drip_header(w):
    w.hurry()

    async def answer(c):
        await c.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        await c.drip(b"y", 0.5)
    slow_everywhere(w, answer, 10, failure=NET, says=SLOW)


@fault("N16", does="sends its body with 5 bytes a second",
       good="gives up by the clock, and reads others meanwhile", off="low-speed")
def drip_body(w):
    w.hurry()

    async def answer(c):
        await c.send(head("Content-Length: 100000"))
        await c.drip(b" ", 0.2)
    slow_everywhere(w, answer, 10, lost=NET, says=SLOW)


@fault("N17", does="takes the request and says nothing, 200 servers of them",
       good="gives up by the clock, and reads others meanwhile", off="low-speed")
def silence(w):
    w.hurry()

    async def answer(c):
        await c.hang()
    slow_everywhere(w, answer, 200 if w.is_full else 60, failure=NET, says=SLOW)


@fault("N18", does="never accepts the connection: its queue is full",
       good="gives up connecting, and reads others meanwhile", off="connect-time")
def never_accepts(w):
    w.args += ["--connect-timeout", "1", "--max-time", "14"]
    for n in range(5):
        w.bad(b"", origin=w.net.deaf(), name="deaf %d" % n,
              failure=("robots-unreachable", NET))
    run = yield
    said = [float(s) for s in re.findall(rb"after ([0-9.]+) s connecting", run.out)]
    w.check(said and max(said) < 4 + run.waited_s, "says %s", said)
    w.check_time(run.own_s < 4, "took %.1f s", run.own_s)


def tried(w, document, run):
    """Three times, and not at once."""
    at = [r.at for r in document.origin.asked(document.path)]
    gaps = [b - a for a, b in zip(at, at[1:])]
    w.check(len(at) == 3, "%s: %d requests, not 3", document.name, len(at))
    w.check(all(g >= 0.2 for g in gaps) and all(a <= b + run.waited_s for a, b in zip(gaps, gaps[1:])),
            "%s: without pause: %s", document.name, gaps)
    w.check(run.record(document.url).get("status", 0) in (0, 200), "%s: status", document.name)


def retried(w, make, **expected):
    w.args += ["--retry", "2"]
    w.wall_s = 12
    document = bad(w, make, **expected)
    run = yield
    tried(w, document, run)


@fault("N19", does="resets the connection in the body",
       good="tries again a few times, with pauses, then uses the part that came", off="retry-limit")
def reset_in_body(w):
    def make(origin):
        async def answer(c):
            body = pages(origin)
            await c.send(head("Content-Length: 9000") + body[:body.rindex(b"</")])
            await asyncio.sleep(0.1)  # else the part is lost with the connection
            c.reset()
        return answer
    yield from retried(w, make, partial=NET, urls=PAGES)


@fault("N20", does="closes without a byte",
       good="tries again a few times, with pauses", off=("retry-limit", "retry-at-once"))
def close_at_once(w):
    yield from retried(w, lambda _: b"", failure=NET)


@fault("N21", does="closes after the status line",
       good="tries again a few times, with pauses", off="retry-limit")
def close_after_status(w):
    yield from retried(w, lambda _: b"HTTP/1.1 200 OK\r\n", failure=NET)


# --- answers that are none --------------------------------------------------

@fault("N22", does="answers as HTTP/0.9: a body without any header",
       good="refuses it: a port that speaks no HTTP would do the same", off="http-09")
def http_09(w):
    bad(w, pages, "XML", failure=NET)
    bad(w, text_list, "text", failure=NET)
    w.bad(b"220 mail.example ESMTP\r\n", failure=NET, name="a mail server")


@fault("N23", does="switches protocols unasked (101)",
       good="ends the connection", off="switching")
def switching(w):
    async def silent(c):
        await c.send(head("Upgrade: h2c", "Connection: Upgrade", status="HTTP/1.1 101 Switching"))
        await c.hang()
    w.bad(silent, failure=NET, says="switches", name="and is silent")
    bad(w, lambda o: head("Upgrade: x", status="HTTP/1.1 101 Switching") + whole(pages(o)),
        "and answers", failure=NET, says="switches")


@fault("N24", does="answers 204 with a body, 304 or 206 unasked, 999, HTTP/3.7",
       good="takes none of it for a document", off="odd-status")
def odd_status(w):
    for status, code in ((204, "fetch-http-error"), (304, "fetch-http-error"),
                         (206, "fetch-http-error"), (999, "fetch-http-error"),
                         (201, "fetch-http-error"), (100, NET), (199, NET)):
        bad(w, lambda o, s=status: whole(pages(o), status=s), str(status), failure=code)
    for version in ("HTTP/3.7 200 OK", "HTTP/1.2 200 OK", "HTTP/11 200 OK", "ICY 200 OK",
                    "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1  200 OK"):
        bad(w, lambda o, v=version: head(status=v) + pages(o), version, failure=NET)
