"""HOSTILE 4.1: what may go wrong between the connection and the body."""
from origin import chunk, head
from scene import fault, urlset

CHUNKED = head("Transfer-Encoding: chunked")
MIB = 1 << 20


def filler(origin_url):
    """A piece of a urlset that never ends."""
    return b"<url><loc>%s</loc></url>\n" % origin_url.encode()


def start(w):
    """The beginning of a urlset."""
    return urlset([]).split("</")[0].encode()


def endless(w, first, wrap, **expected):
    """A urlset that never ends; wrap: how a piece is sent."""
    async def answer(c):
        await c.send(first + wrap(start(w)))
        await c.flood(wrap(filler(document.origin.url("/a")) * 300))
    document = w.bad(answer, failure="body-too-big", **expected)
    return document


@fault("N1", does="sends chunks without end",
       good="stops at a limit of bytes",
       off="body-limit")
def endless_chunks(w):
    w.cpu_s = 1.5
    document = endless(w, CHUNKED, chunk)
    yield
    sent = document.origin.asked("/sitemap.xml")[0].sent
    w.check(sent < 4 * MIB, "%d bytes were sent", sent)


@fault("N2", does="sends a body without a length and without end",
       good="stops at a limit of bytes",
       off="body-limit")
def endless_close(w):
    w.cpu_s = 1.5
    document = endless(w, head(), lambda piece: piece)
    yield
    sent = document.origin.asked("/sitemap.xml")[0].sent
    w.check(sent < 4 * MIB, "%d bytes were sent", sent)


@fault("N3", does="announces a body of 999,999,999,999 bytes, and sends it",
       good="refuses it before the body",
       off="announced-length")
def announced(w):
    async def answer(c):
        await c.send(head("Content-Length: 999999999999"))
        await c.flood(filler("http://a.example/") * 300)
    document = w.bad(answer, failure="body-too-big")
    yield
    sent = document.origin.asked("/sitemap.xml")[0].sent
    w.check(sent < MIB, "%d bytes were sent", sent)


@fault("N6", does="says two Content-Length that differ",
       good="refuses the answer: whoever believes one of them takes a part of it for the next one",
       off="two-lengths")
def two_lengths(w):
    for name, fields in (("smaller first", (2, 5)), ("larger first", (5, 2))):
        w.bad(head(*["Content-Length: %d" % n for n in fields]) + b"abcde", name=name,
              failure="fetch-network-error", says="differ")
