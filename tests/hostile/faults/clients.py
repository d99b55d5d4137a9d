"""HOSTILE 4.9, D1 to D11: clients of `freshet serve`, which reads the store of a crawl."""
import http.client
import json
import re
import socket
import time
import urllib.parse
from contextlib import closing, contextmanager

from scene import fault

HOST = b"Host: 127.0.0.1\r\n"
CLOSE = b"Connection: close\r\n"
MOST_KIB = 32 << 10
GIVE_UP_S = 15
CLIENT = "(a client of `serve`) "


class Server:
    """`freshet serve`, and how clients speak with it."""

    def __init__(self, world, process, port):
        self.world = world
        self.process = process
        self.port = port

    def connect(self, timeout=GIVE_UP_S):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def raw(self, *parts):
        """Send bytes; what comes back until the server closes.  None: the server does not."""
        got = b""
        with self.connect() as s:
            try:
                for part in parts:
                    s.sendall(part)
                for more in iter(lambda: s.recv(65536), b""):
                    got += more
            except socket.timeout:
                return None
            except OSError:  # reset
                pass
        return got

    def ask(self, path, method="GET", headers=None):
        """(status, headers, body)"""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=GIVE_UP_S)) as connection:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def refused(self, name, got, *statuses):
        """An answer with one of these statuses, and no other behind it; 0: none."""
        found = [int(n) for n in re.findall(rb"HTTP/1\.[01] (\d+)", got or b"")]
        self.world.check(got is not None, "%s: the connection stays", name)
        self.world.check((found or [0])[0] in statuses and len(found) < 2, "%s: gets %s, not one of %s",
                         name, found, statuses)

    def peak_kib(self):
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


@contextmanager
def serving(w):
    """Judged at the end: it answers still, has used little memory, has printed nothing, and
    ends when it is told to."""
    from trial import IS_ASAN  # pylint: disable=import-outside-toplevel
    process = w.program.start("serve", "--listen", "127.0.0.1:0")
    line = process.stderr.readline().decode()
    server = Server(w, process, int(line.rsplit(":", 1)[1].strip("/\n")))
    yield server
    status, _, body = server.ask("/healthz")
    w.check((status, body) == (200, "ok\n"), "is not well: %s", status)
    used = server.peak_kib()
    w.check(IS_ASAN or used < MOST_KIB, "has %d KiB", used)
    process.terminate()
    out, err = process.communicate(timeout=GIVE_UP_S)
    w.check((process.returncode, out, err) == (143, b"", b""), "ends with %s", (process.returncode, out, err))


@fault("D1", does=CLIENT + "sends headers without end", good="closes after 16 KiB of them", off="serve-headers")
def header_flood(w):
    yield
    with serving(w) as server:
        server.refused("many", server.raw(b"GET / HTTP/1.1\r\n" + HOST, b"X-A: b\r\n" * 300000, b"\r\n"), 0, 400, 413)
        server.refused("long", server.raw(b"GET / HTTP/1.1\r\n" + HOST + b"X: ", b"x" * 5000000, b"\r\n\r\n"), 0, 400, 413)


@fault("D2", does=CLIENT + "sends its request byte by byte, and never ends it",
       good="closes after 15 s, whatever comes", off="serve-deadline")
def drip(w):
    w.has_clock = True
    yield
    w.clock.rate(1)
    with serving(w) as server, server.connect() as s:
        s.sendall(b"GET / HTTP/1.1\r\n" + HOST)
        is_open, end = True, time.monotonic() + GIVE_UP_S
        while is_open and time.monotonic() < end:
            try:
                s.sendall(b"X: y\r\n")
                w.clock.advance(1)
                s.setblocking(False)
                is_open = s.recv(1) != b""
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                is_open = False
        w.check(not is_open, "the connection stays")


@fault("D3", does=CLIENT + "opens more connections than there may be, and is silent",
       good="closes them soon, when others wait", off="serve-crowd")
def silent_crowd(w):
    yield
    with serving(w) as server:
        idle = [server.connect() for _ in range(150)]
        status, _, _ = server.ask("/healthz")
        w.check(status == 200, "others get %d", status)
        for one in idle:
            one.close()


@fault("D4", does=CLIENT + "asks for a URI of 10 MB", good="closes after 16 KiB of it", off="serve-headers")
def long_uri(w):
    yield
    with serving(w) as server:
        for path in (b"/", b"/url?url=", b"/?"):
            server.refused(path.decode(), server.raw(b"GET " + path, b"a" * 10000000, b" HTTP/1.1\r\n" + HOST + b"\r\n"),
                           0, 400, 413)


@fault("D5", does=CLIENT + "posts, puts, deletes, traces", good="takes GET and HEAD only", off="serve-methods")
def methods(w):
    yield
    with serving(w) as server:
        for method in ("POST", "PUT", "DELETE", "TRACE", "OPTIONS", "PATCH"):
            status, headers, _ = server.ask("/healthz", method)
            w.check((status, headers["Allow"]) == (405, "GET, HEAD"), "%s gets %d", method, status)
        server.refused("unknown", server.raw(b"BREW / HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"), 0, 400, 405, 501)


@fault("D6", does=CLIENT + "names another host, as a page does whose name leads to 127.0.0.1",
       good="refuses it: 421", off="serve-host")
def other_host(w):
    yield
    with serving(w) as server:
        for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:%d" % server.port, "127.0.0.2",
                     "[::2]", "127.0.0.1@evil.example", "2130706433"):
            got = server.raw(b"GET /api/v1/sites HTTP/1.1\r\nHost: %s\r\n" % host.encode() + CLOSE + b"\r\n")
            server.refused(host, got, 400, 421)
        server.refused("in the target", server.raw(b"GET http://evil.example/ HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"), 421)
        server.refused("none", server.raw(b"GET / HTTP/1.0\r\n\r\n"), 421)
        server.refused("two", server.raw(b"GET / HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n\r\n"), 400)


@fault("D7", does=CLIENT + "asks for /../, %2e%2e, a NUL", good="has a table of paths, and no files", off="serve-paths")
def paths(w):
    yield
    with serving(w) as server:
        for path in (b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/..%2fetc/passwd", b"//etc/passwd",
                     b"/site/../health", b"/./", b"/health/", b"/HEALTH", b"/%68ealth", b"/health%00", b"/health\\",
                     b"/api/v1/../../metrics", b"/etc/passwd?site=1"):
            got = server.raw(b"GET " + path + b" HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n")
            server.refused(path.decode(), got, 400, 404, 421)
            w.check(b"root:" not in (got or b""), "%r: is a file", path)
        server.refused("NUL", server.raw(b"GET /health\0x HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"), 0, 400, 404)


@fault("D8", does=CLIENT + "sends requests whose end others see elsewhere", good="answers none, and closes", off="serve-framing")
def smuggled(w):
    yield
    second = b"GET /healthz HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n"
    with serving(w) as server:
        for name, fields, body in (
                ("both", b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", b"0\r\n\r\n"),
                ("a body", b"Content-Length: %d\r\n\r\n" % len(second), b""),
                ("two lengths", b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(second), b""),
                ("a list of lengths", b"Content-Length: 0, %d\r\n\r\n" % len(second), b""),
                ("a sign", b"Content-Length: +0\r\n\r\n", b""),
                ("a blank", b"Transfer-Encoding : chunked\r\n\r\n", b"%x\r\n" % len(second)),
                ("a fold", b"Transfer-Encoding:\r\n chunked\r\n\r\n", b"0\r\n\r\n"),
                ("a return", b"X: a\rTransfer-Encoding: chunked\r\n\r\n", b"%x\r\n" % len(second)),
                ("no name", b": a\r\n\r\n", b"")):
            got = server.raw(b"GET /healthz HTTP/1.1\r\n" + HOST + fields + body + second)
            server.refused(name, got, 0, 400)


@fault("D9", does=CLIENT + "sends chunks with trailers", good="takes no chunks", off="serve-framing")
def trailers(w):
    yield
    with serving(w) as server:
        for method in (b"GET", b"POST", b"PUT"):
            for trailer in (b"Host: 127.0.0.1\r\n", b"X: y\r\n" * 10000):
                got = server.raw(method + b" /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n"
                                 b"0\r\n" + trailer + b"\r\n")
                server.refused(method.decode(), got, 0, 400, 413)


@fault("D10", does=CLIENT + "is a page of another origin, which fetches, embeds and frames",
       good="answers none of it: 403, and no CORS", off="serve-origin")
def other_origin(w):
    yield
    with serving(w) as server:
        own = "http://127.0.0.1:%d" % server.port
        for status, headers in (
                (403, {"Origin": "http://evil.example"}), (403, {"Origin": "null"}),
                (403, {"Origin": "http://127.0.0.1:1"}), (403, {"Origin": own + ".evil.example"}),
                (403, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}),
                (403, {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "iframe"}),
                (403, {"Sec-Fetch-Site": "cross-site"}),
                (200, {"Origin": own}), (200, {"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}),
                (200, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"})):
            got, said, body = server.ask("/api/v1/sites", headers=headers)
            w.check(got == status, "%s gets %d", headers, got)
            w.check("Access-Control-Allow-Origin" not in said, "%s is allowed", headers)
            w.check(status == 200 or "127.0.0.1" not in body, "%s: is told a site", headers)


@fault("D11", does=CLIENT + "writes SQL, options and escapes into every parameter",
       good="takes them for what they are as text", off="serve-literal")
def injected(w):
    yield
    texts = ("' OR '1'='1", "x' UNION SELECT url, 1, 1, 1, 1, 1, 1, 1, 1, 1 FROM document --", "'; DROP TABLE page; --",
             "%", "_", "\"", "\\'", "--help", "-", "@", "*", "\u2028</script>", "=1+1", "x\u202e", "freshet_now")
    named = {"/site": "site", "/events": "site", "/event": "site", "/document": "url", "/url": "url", "/findings": "site code",
             "/api/v1/sites": "site", "/api/v1/documents": "site url", "/api/v1/series": "site", "/api/v1/events": "site tag kind",
             "/api/v1/diff": "site section since", "/api/v1/findings": "site document code severity", "/api/v1/explain": "url"}
    with serving(w) as server:
        for path, names in named.items():
            for name in names.split():
                for text in texts if w.is_full or name == "site" else texts[:3]:
                    status, _, body = server.ask("%s?%s=%s" % (path, name, urllib.parse.quote(text)))
                    w.check(status in (200, 400, 404), "%s %s=%s gets %d", path, name, text, status)
                    w.check("<script" not in body and "</script" not in body, "%s: a script", path)
                    if path.startswith("/api/"):
                        items = json.loads(body).get("items", [])
                        w.check(not items or path.endswith("explain"), "%s %s=%s gets %d items", path, name, text, len(items))
        for bad in ("%ff%fe", "%c0%af", "%ed%a0%80"):
            status, _, body = server.ask("/api/v1/sites?site=" + bad)
            w.check(status in (200, 400) and not json.loads(body).get("items"), "%s gets %d", bad, status)
