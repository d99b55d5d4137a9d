"""HOSTILE 4.1: what servers do to clients that speak HTTP/2.  Freshet does not: it
never agrees to it, and takes frames for what they are, no HTTP/1.1."""
import struct

from faults.answers import Trust, own_address
from origin import whole
from scene import fault, urlset

DATA, HEADERS, RESET, SETTINGS, PROMISE, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 9
END_HEADERS = 4
OK = b"\x88"  # ":status: 200" of HPACK's static table
LOC = b"http://127.0.0.2/evil"
EVIL = (b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>' + LOC
        + b"</loc></url></urlset>")
FLOOD = 4 << 20


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def secure(w, trust):
    context = trust.context([own_address(w)])
    context.set_alpn_protocols(["h2", "http/1.1"])
    return w.origin(tls=context)


def answers(w, frames, most=FLOOD):
    """A server that would rather speak HTTP/2, and two that speak it unasked: with
    TLS and without."""
    trust = Trust(w)
    w.args += ["--max-time", "3", "--low-speed-time", "1"]
    agreed = []

    async def speak(c):
        await c.reader.read(64)
        await c.send(frame(SETTINGS, 0, 0))
        sent = 0
        while sent < most:
            for piece in frames:
                await c.send(piece)
                sent += len(piece)
            if most <= FLOOD // 64:
                break
        await c.hang(10)

    origin = secure(w, trust)
    page = origin.url("/page")
    serve_http = origin.serve

    async def serve(reader, writer):
        if writer.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
            agreed.append(origin)
            origin.on_accept = speak
        await serve_http(reader, writer)
    origin.serve = serve
    origin.put("/robots.txt", whole(b"", status=404))
    w.bad(whole(urlset([page])), origin=origin, name="offered", clean=True, urls=[page])
    for name, other in (("with TLS", secure(w, trust)), ("without", w.origin())):
        other.put("/robots.txt", whole(b"", status=404))
        w.bad(speak, origin=other, path="/%d.xml" % len(name), name=name,
              failure="fetch-network-error")
    yield
    w.check(not agreed, "HTTP/2 was agreed to")


def scene_of(name, does, frames, most=FLOOD):
    @fault(name, does="speaks HTTP/2, and " + does,
           good="does not agree to it, reads HTTP/1.1, and refuses frames that come unasked", off="http-1")
    def speaks(w):
        yield from answers(w, frames, most)


BEGUN = frame(HEADERS, END_HEADERS, 1, OK)
scene_of("V1", "promises to push, without end",
         [frame(PROMISE, END_HEADERS, 1, struct.pack(">I", n) + b"\x82\x84\x87") for n in range(2, 2000, 2)])
scene_of("V2", "resets every stream", [frame(RESET, 0, n, struct.pack(">I", 8)) for n in range(1, 9, 2)], 1)
scene_of("V3", "floods with settings and pings", [frame(SETTINGS, 0, 0), frame(PING, 0, 0, b"12345678")] * 500)
scene_of("V4", "goes away in the middle of a body",
         [BEGUN, frame(DATA, 0, 1, EVIL[:60]), frame(GOAWAY, 0, 0, struct.pack(">II", 1, 0))], 1)
scene_of("V5", "stalls a stream", [BEGUN, frame(DATA, 0, 1, b"<")], 1)
scene_of("V6", "continues a block of headers without end",
         [frame(HEADERS, 0, 1, OK)] + [frame(CONTINUATION, 0, 1, b"\x00\x01a\x01b" * 1000)] * 200)
