"""A web server that answers what a test tells it to, and remembers all.

    site = Site()
    site.put("/sitemap.xml", body, etag='"1"')
    ... site.url("/sitemap.xml") ...
    [r.target for r in site.requests]

Whole answers are written with their length; a test that wants something else
gives raw bytes, or a function of (request, connection) that writes on its own.
Runs in threads, listens on 127.0.0.1 and a free port unless told otherwise.
"""
import socket
import socketserver
import ssl
import threading
import time

REASONS = {200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
           302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
           308: "Permanent Redirect", 401: "Unauthorized", 403: "Forbidden",
           404: "Not Found", 410: "Gone", 418: "I'm a teapot", 429: "Too Many Requests",
           500: "Internal Server Error", 503: "Service Unavailable"}


class Request:
    """What came: its times are monotonic seconds."""

    def __init__(self, connection, line, headers, at):
        self.connection = connection
        self.at = at
        self.end = None
        parts = line.split(" ")
        self.method = parts[0]
        self.target = parts[1] if len(parts) > 1 else ""
        self.headers = headers
        self.body = b""
        self.status = None

    def header(self, name):
        """The first value of that header, or None."""
        return next((v for k, v in self.headers if k.lower() == name.lower()), None)

    @property
    def host(self):
        return self.header("Host") or ""

    @property
    def is_conditional(self):
        return (self.header("If-None-Match") or self.header("If-Modified-Since")) is not None

    def __repr__(self):
        return "<%s %s%s -> %s>" % (self.method, self.target,
                                    " (conditional)" if self.is_conditional else "", self.status)


class Reply:
    def __init__(self, body=b"", status=200, headers=(), etag=None, modified=None,
                 delay=0.0, gate=None, raw=None, call=None):
        """gate: a threading.Event that is waited for."""
        self.body = body.encode() if isinstance(body, str) else body
        self.status = status
        self.headers = list(headers)
        self.etag = etag
        self.modified = modified
        self.delay = delay
        self.gate = gate
        self.raw = raw
        self.call = call

    def is_current(self, request):
        """Does the condition of the request hold (RFC 9110 13.2.2)?"""
        tag = request.header("If-None-Match")
        if tag is not None:
            return self.etag is not None and self.etag in [t.strip() for t in tag.split(",")]
        since = request.header("If-Modified-Since")
        return since is not None and since == self.modified


class Handler(socketserver.BaseRequestHandler):
    def read_head(self, stream):
        line = stream.readline(65536)
        if not line:
            return None
        at = time.monotonic()
        headers = []
        while True:
            header = stream.readline(65536)
            if header in (b"\r\n", b"\n", b""):
                break
            name, _, value = header.decode("latin-1").partition(":")
            headers.append((name.strip(), value.strip()))
        request = Request(self.number, line.decode("latin-1").strip(), headers, at)
        request.body = stream.read(int(request.header("Content-Length") or 0))
        return request

    def is_tls_hello(self):
        """Does the client try TLS with a server that has none?  As other
        servers do, this one ends the connection at once."""
        return self.server.site.tls is None and self.request.recv(1, socket.MSG_PEEK) == b"\x16"

    def handle(self):
        site = self.server.site
        with site.lock:
            site.connections += 1
            self.number = site.connections
        try:
            if site.tls is not None:
                self.request.settimeout(600)
                self.request = site.tls.wrap_socket(self.request, server_side=True)
            self.request.settimeout(600)
            if self.is_tls_hello():
                return
            stream = self.request.makefile("rb")
            while not site.is_closing:
                request = self.read_head(stream)
                if request is None:
                    break
                if not self.serve(site, request):
                    break
        except (OSError, ValueError):
            pass
        finally:
            try:
                self.request.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def serve(self, site, request):
        """Answer; False when the connection is over."""
        with site.lock:
            site.requests.append(request)
            reply = site.find(request)
            site.arrived.notify_all()
        if reply.delay:
            time.sleep(reply.delay)
        if reply.gate is not None:
            reply.gate.wait(600)
        try:
            if reply.call is not None:
                request.status = 0
                return bool(reply.call(request, self.request))
            if reply.raw is not None:
                request.status = 0
                self.request.sendall(reply.raw)
                return False
            status, body = reply.status, reply.body
            if status == 200 and reply.is_current(request):
                status, body = 304, b""
            request.status = status
            head = self.head(reply, status, len(body))
            self.request.sendall(head if request.method == "HEAD" else head + body)
            return True
        finally:
            request.end = time.monotonic()

    @staticmethod
    def head(reply, status, length):
        lines = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Status"))]
        if reply.etag is not None:
            lines.append("ETag: " + reply.etag)
        if reply.modified is not None:
            lines.append("Last-Modified: " + reply.modified)
        lines += ["%s: %s" % header for header in reply.headers]
        if status not in (204, 304):
            lines.append("Content-Length: %d" % length)
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass

    def run(self):
        """Take connections until end(), which serve_forever() would notice
        only when it polls."""
        while True:
            try:
                connection, address = self.socket.accept()
            except OSError:
                return
            self.process_request(connection, address)

    def end(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.server_close()


class Site:
    """tls: an ssl.SSLContext for https; name: what URLs are written with."""

    def __init__(self, address="127.0.0.1", port=0, tls=None, name=None):
        self.replies = {}
        self.requests = []
        self.connections = 0
        self.is_closing = False
        self.lock = threading.RLock()
        self.arrived = threading.Condition(self.lock)
        self.tls = tls
        self.server = Server((address, port), Handler)
        self.server.site = self
        self.address = address
        self.port = self.server.server_address[1]
        self.name = name or address
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_closing = True
        self.server.end()
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def origin(self):
        return "%s://%s:%d" % ("https" if self.tls else "http", self.name, self.port)

    def url(self, path="/"):
        return self.origin + path

    def put(self, path, body=b"", **kwargs):
        """Answer path with that, whatever the host; kwargs as in Reply."""
        with self.lock:
            self.replies[path] = Reply(body, **kwargs)

    def redirect(self, path, location, status=302):
        self.put(path, b"", status=status, headers=[("Location", location)])

    def drop(self, path):
        with self.lock:
            self.replies.pop(path, None)

    def find(self, request):
        """The reply for "host/path", else for the path, else 404."""
        host = request.host.rsplit(":", 1)[0]
        for key in (host + request.target, request.target):
            if key in self.replies:
                return self.replies[key]
        return Reply(b"not here\n", status=404)

    # --- what was asked -----------------------------------------------------

    def forget(self):
        with self.lock:
            self.requests = []
            self.connections = 0

    def asked(self, path):
        """The requests for that path."""
        with self.lock:
            return [r for r in self.requests if r.target == path]

    def targets(self, robots=False):
        """Paths in the order they were asked for, robots.txt left out."""
        with self.lock:
            return [r.target for r in self.requests if robots or r.target != "/robots.txt"]

    def wait_for(self, path, timeout=600):
        """Wait until somebody has asked for path."""
        end = time.monotonic() + timeout
        with self.lock:
            while not any(r.target == path for r in self.requests):
                left = end - time.monotonic()
                if left <= 0 or not self.arrived.wait(left):
                    raise TimeoutError("nobody asked for " + path)

    def most_at_once(self):
        """The largest number of requests that were being answered together."""
        events = []
        with self.lock:
            for r in self.requests:
                events.append((r.at, 1))
                events.append((r.end or r.at, -1))
        most = now = 0
        for _, step in sorted(events, key=lambda e: (e[0], e[1])):
            now += step
            most = max(most, now)
        return most

    def gaps(self):
        """Seconds between the beginnings of one request and the next."""
        with self.lock:
            times = sorted(r.at for r in self.requests)
        return [b - a for a, b in zip(times, times[1:])]


def tls_context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


class Listener:
    """Accepts, counts and closes: what must never be connected to."""

    def __init__(self, address="127.0.0.2", port=0):
        self.socket = socket.create_server((address, port))
        self.address = address
        self.port = self.socket.getsockname()[1]
        self.accepted = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.accepted += 1
            client.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
