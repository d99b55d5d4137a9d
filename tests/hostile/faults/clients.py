"""HOSTILE 4.9, D1 to D12, O4 and O5: what `freshet serve` gives of the store of a crawl, and its clients; and who
sends hints to `freshet run`."""
import html
import html.parser
import http.client
import json
import re
import socket
import time
import urllib.parse
from contextlib import closing, contextmanager

from faults.output import listing
from origin import head, whole
from scene import fault, index, urlset

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


class Page(html.parser.HTMLParser):
    """What a browser makes of a page: its text, and what only foreign text could have brought."""

    def __init__(self, body):
        super().__init__()
        self.text = ""
        self.foreign = []
        self.feed(body)
        self.close()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            is_link = name in ("href", "src", "action", "xlink:href")
            if name.startswith("on") or name in ("evil", "srcdoc") or (
                    is_link and not re.match(r"https?://|/(?!/)|#", value or "")):
                self.foreign.append((tag, name, value))
        if tag in ("script", "img", "iframe", "object", "embed", "base", "form", "evil"):
            self.foreign.append((tag,))

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.foreign.append(("comment", data))


MARKUP = ("<script>alert(1)</script>", "\"><evil onerror=x>", "' evil='x", "</title></style></textarea><evil>", "<!--", "]]>",
          "<img src=x onerror=alert(1)>", "&lt;evil&gt;", "javascript:alert(1)//")


@fault("O4", does="has markup and scripts in URLs and titles, which pages show",
       good="shows them as text: no element and no link comes from data", off="markup-escape")
def markup(w):
    origin = w.origin()
    locs = [html.escape(text) for text in MARKUP]
    w.bad(listing(locs + ["x"]), name="refused", clean=True, codes=("host-mismatch",))
    w.bad(whole(urlset(["javascript:alert(1)"])), name="scheme", clean=True, codes=("unsupported-scheme",))
    origin.put("/own.xml", whole(urlset([origin.url("/p" + text) for text in locs])))
    w.targets.append(origin.url("/own.xml"))
    shown = ""
    yield
    with serving(w) as server:
        paths = ["/", "/site?site=" + origin.address, "/events", "/findings", "/health"]
        paths += ["/document?url=" + urllib.parse.quote(d.url, safe="") for d in w.documents]
        paths += ["/url?url=" + urllib.parse.quote(url, safe="") for url in w.listed]
        for text in MARKUP:
            quoted = urllib.parse.quote(text, safe="")
            paths += ["/site?site=" + quoted, "/events?tag=" + quoted, "/findings?code=" + quoted, "/document?url=" + quoted,
                      "/url?url=" + quoted, "/?since=" + quoted, "/findings?" + quoted]
        for path in paths:
            status, said, body = server.ask(path)
            page = Page(body)
            shown += page.text
            w.check(status in (200, 400, 404), "%s gets %d", path, status)
            w.check(said["Content-Type"] == "text/html; charset=utf-8", "%s is %s", path, said["Content-Type"])
            w.check(not page.foreign, "%s has %s", path, page.foreign[:3])
            w.check(page.text.count("freshet ") > 0, "%s has no end", path)
    w.check("/<script>alert(1)</script>" in shown, "the text does not come back")
    pages = [w.command("report", "--html", "-").out, w.command("check", "-f", "html", w.targets[-1]).out]
    for number, body in enumerate(pages):
        page = Page(body.decode())
        w.check(not page.foreign and page.text, "report %d has %s", number, page.foreign[:3])


@fault("O5", does="has more rows than one answer of the API, and text that is no UTF-8 or ends a line",
       good="answers in pages, each of them valid JSON in ASCII", off=("serve-part", "json-printable"))
def many_rows(w):
    children = 20000 if w.is_full else 2300
    w.args += ["--max-bytes", "4M"]  # for their index
    origin = w.origin()
    for n in range(children):
        origin.put("/%d.xml" % n, whole(urlset([origin.url("/p%d" % n)])))
    origin.put("/index.xml", whole(index([origin.url("/%d.xml" % n) for n in range(children)])))
    w.targets.append(origin.url("/index.xml"))
    w.bad(listing("a%sb" % c for c in "\u2028\u2029\x7f\x9b\u202e\ufeff\U0001f600"), name="text", clean=True,
          codes=("host-mismatch",))
    w.bad(head("Content-Length: 0", "Location: /\xff\xfe\xe2\x80", status="HTTP/1.1 404 \xff"), name="bytes",
          failure="fetch-not-found")
    w.cpu_s = w.wall_s = w.healthy_s = 60
    yield

    def all_of(path):
        """The objects of all parts of a list."""
        items, parts = [], 0
        while path is not None and w.check(parts < children, "%s has no end", path):
            status, _, body = server.ask(path)
            w.check(status == 200, "%s gets %d", path, status)
            w.check(body.isascii() and "\x7f" not in body, "%s is not printable", path)
            answer = json.loads(body)
            w.check(len(answer["items"]) <= 1000, "%s has %d objects", path, len(answer["items"]))
            items += answer["items"]
            path, parts = answer["next"], parts + 1
        return items

    with serving(w) as server:
        urls = [d["url"] for d in all_of("/api/v1/documents?limit=1000&site=" + origin.address)]
        wanted = {origin.url("/%d.xml" % n) for n in range(children)}
        w.check(len(urls) == len(set(urls)) and wanted <= set(urls), "%d documents, of them %d twice", len(urls),
                len(urls) - len(set(urls)))
        for path in ("sites", "documents", "findings", "events", "diff"):
            all_of("/api/v1/%s?limit=1000" % path)
        for text in ("%ff%fe", "%e2%80%a8", "%e2%80", "%f0%9f%98%80", "%7f"):
            status, _, body = server.ask("/api/v1/sites?site=" + text)
            w.check(status in (200, 400, 404) and body.isascii(), "%s gets %d", text, status)
            json.loads(body)
        for part in ("limit=1001", "limit=0", "limit=-1", "limit=1000000", "offset=-1", "offset=99999999999999999999"):
            status, _, body = server.ask("/api/v1/documents?" + part)
            w.check(status == 400 and json.loads(body), "%s gets %d", part, status)


@fault("D12", does="(a client of `run --hints`) submits URLs with keys that their site does not have",
       good="drops them: 403, and then 429", off="hint-key")
def foreign_keys(w):
    from daemon import Daemon  # pylint: disable=import-outside-toplevel
    site = w.origin()
    document = w.bad(whole(urlset([site.url("/a")])), origin=site, clean=True, urls=["/a"])
    site.put("/other.txt", whole("another-key"))
    yield
    w.program.run("add", document.url)
    daemon = Daemon(w.program, "--hints", "127.0.0.1:0", "--delay", "0")
    server = Server(w, daemon.process, daemon.wait("listening")["port"])
    path = "/indexnow?key=a-key-of-mine&url=%s&keyLocation=%s" % (
        urllib.parse.quote(site.url("/a")), urllib.parse.quote(site.url("/other.txt")))
    w.check(server.ask(path)[0] == 202, "is not taken")
    w.check(daemon.wait("problem", timeout=GIVE_UP_S)["code"] == "hint-key-refused", "the key is taken")
    for key, status in (("a-key-of-mine", 403), ("another-of-mine", 429)):
        got = server.ask(path.replace("a-key-of-mine", key))[0]
        w.check(got == status, "%s gets %d", key, got)
    w.check(daemon.end() == 143, "ends badly")
    w.check(daemon.all("hints") == [], "hints are taken")
