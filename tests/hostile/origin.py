"""Servers that do what no server should: asyncio, one thread, raw bytes.

    net = Net()
    origin = net.origin()
    origin.put("/sitemap.xml", answer)
    origin.requests, origin.accepted

An answer is the raw bytes, after which the connection is closed, or an async
function of a Connection, which is kept open only when that returns KEEP.  What
a flood sends is bounded, so that a crawler without defence takes no machine
along.
"""
import asyncio
import json
import os
import re
import resource
import socket
import struct
import threading
import time

KEEP = "keep"
FLOOD_BYTES = 24 << 20
FLOOD_SECONDS = 20
REST_S = 0.005  # 3 MB in a second: of a reader that stops in time, less than 1 MB lies in the sockets
HANG_SECONDS = 60
REASONS = {200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
           302: "Found", 304: "Not Modified", 307: "Temporary Redirect", 404: "Not Found",
           410: "Gone", 429: "Too Many Requests", 500: "Internal Server Error",
           503: "Service Unavailable"}


def head(*fields, status=200):
    """Returns the header of an answer, as bytes; fields are lines."""
    first = status if isinstance(status, str) else "HTTP/1.1 %d %s" % (
        status, REASONS.get(status, "Status"))
    return b"".join((line if isinstance(line, bytes) else line.encode("latin-1")) + b"\r\n"
                    for line in (first,) + fields) + b"\r\n"


def whole(body, *fields, status=200):
    """Returns a whole answer with its length."""
    body = body.encode() if isinstance(body, str) else body
    return head("Content-Length: %d" % len(body), *fields, status=status) + body


def is_whole(answer):
    """Is the body of the answer exactly as long as its header says?"""
    first, _, body = answer.partition(b"\r\n\r\n")
    said = re.search(rb"\r\nContent-Length: (\d+)", first)
    return said is not None and int(said[1]) == len(body)


def redirect(location, status=302):
    return whole(b"", "Location: " + location, status=status)


def chunk(data, extension=b""):
    return b"%x%s\r\n%s\r\n" % (len(data), extension, data)


class Request:
    def __init__(self, connection, line, fields, at):
        self.connection = connection
        parts = line.split(" ")
        self.method = parts[0]
        self.target = parts[1] if len(parts) > 1 else ""
        self.fields = fields
        self.at = at
        self.sent = 0

    def header(self, name):
        return next((v for k, v in self.fields if k.lower() == name.lower()), None)

    def __repr__(self):
        return "<%s %s on connection %d, %d bytes sent>" % (
            self.method, self.target, self.connection, self.sent)


class Connection:
    """The connection for one answer: .request, and what may be done to the
    client."""

    def __init__(self, writer, reader, request):
        self.writer = writer
        self.reader = reader
        self.request = request

    async def send(self, data):
        self.request.sent += len(data)
        self.writer.write(data)
        await self.writer.drain()

    async def flood(self, data, most=FLOOD_BYTES, rest_s=0):
        """Again and again; True when it has sent that much, or for so long.  A rest after each
        piece keeps what the sockets hold small, however large their buffers are."""
        end = time.monotonic() + FLOOD_SECONDS
        data *= max(1, 16384 // len(data))
        before = self.request.sent
        while self.request.sent - before < most and time.monotonic() < end:
            await self.send(data)
            if rest_s > 0:
                await asyncio.sleep(rest_s)
        return True

    async def drip(self, data, every_s, seconds=HANG_SECONDS):
        """A piece of `data` (bytes or an iterable of pieces) each time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.send(data)
            await asyncio.sleep(every_s)

    async def hang(self, seconds=HANG_SECONDS):
        """Say nothing until the other side has gone."""
        try:
            await asyncio.wait_for(self.reader.read(1), seconds)
        except asyncio.TimeoutError:
            pass

    def reset(self):
        """Close the connection with RST."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class Origin:
    def __init__(self, net, address, tls, port=0):
        self.net = net
        self.address = address
        self.tls = tls
        self.socket = socket.create_server((address, port), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.answers = {}
        self.requests = []
        self.accepted = 0
        self.on_accept = None  # an async function of a Connection, used instead of the answers
        self.server = None
        self.callers = []

    @property
    def url_root(self):
        return "%s://%s:%d" % ("https" if self.tls else "http", self.address, self.port)

    def url(self, path="/sitemap.xml"):
        return self.url_root + path

    def put(self, path, answer):
        """Set the answer for a path. None: for every path without an answer of
        its own."""
        self.answers[path] = answer

    def asked(self, path):
        return [r for r in self.requests if r.target == path]

    async def listen(self):
        self.server = await asyncio.start_server(self.serve, sock=self.socket, ssl=self.tls)

    async def deafen(self):
        self.server.close()
        self.socket = socket.create_server((self.address, self.port), backlog=0)
        # one connection is in the queue, and one more waits; later ones get no answer
        for _ in range(3):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex((self.address, self.port))
            self.callers.append(caller)

    async def serve(self, reader, writer):
        self.accepted += 1
        number = self.accepted
        task = asyncio.current_task()
        self.net.tasks.add(task)
        try:
            # bytes in buffers were not received by the other side
            writer.transport.set_write_buffer_limits(high=0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
            if self.on_accept:
                await self.on_accept(Connection(writer, reader, Request(number, "", [], 0)))
                return
            while await self.answer(number, reader, writer) == KEEP:
                pass
        except (OSError, EOFError, asyncio.IncompleteReadError, asyncio.LimitOverrunError,
                asyncio.CancelledError):
            pass
        finally:
            self.net.tasks.discard(task)
            writer.close()

    async def answer(self, number, reader, writer):
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *fields = text.rstrip("\r\n").split("\r\n")
        fields = [tuple(p.strip() for p in f.partition(":")[::2]) for f in fields]
        request = Request(number, line, fields, time.monotonic())
        self.requests.append(request)
        answer = self.answers.get(request.target, self.answers.get(None))
        if answer is None:
            answer = whole(b"not here\n", status=404)
        connection = Connection(writer, reader, request)
        try:
            if isinstance(answer, bytes):
                await connection.send(answer)
                return KEEP if is_whole(answer) else None
            return await answer(connection)
        finally:
            self.net.note(self, request)


class Listener:
    """A server to which nobody may ever connect."""

    def __init__(self, address, port):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.address = address
        self.port = port
        self.accepted = 0
        self.socket = socket.create_server((address, port), family=family)
        self.server = None

    async def listen(self):
        self.server = await asyncio.start_server(self.serve, sock=self.socket)

    async def serve(self, _, writer):
        self.accepted += 1
        writer.close()

    def __repr__(self):
        return "%s port %d" % (self.address, self.port)


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        return True
    except OSError:
        return False


FORBIDDEN = ("127.0.0.2", "::1") if has_ipv6() else ("127.0.0.2",)


class Net:
    """All servers of one scene, in a thread."""

    def __init__(self, log=None):
        self.log = log  # a text file that gets the requests, as NDJSON
        self.origins = []
        self.forbidden = []
        self.tasks = set()
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def waited_s(self):
        """Returns for how long the thread was ready to run while other
        processes had the processors."""
        try:
            path = "/proc/self/task/%d/schedstat" % self.thread.native_id
            with open(path, encoding="ascii") as f:
                return int(f.read().split()[1]) / 1e9
        except OSError:  # the kernel does not provide the number
            return 0.0

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(20)

    def origin(self, address=None, tls=None, port=0):
        """Returns a server on an address of its own, since delays are kept per
        address. Forbidden addresses use the same port, and nobody may ever
        connect to them. port: the port of an existing server."""
        count = len(self.origins)
        address = address or "127.0.%d.%d" % (1 + count // 250, 1 + count % 250)
        while True:
            origin = Origin(self, address, tls, port)
            try:
                guards = [Listener(a, origin.port) for a in FORBIDDEN if port == 0]
                break
            except OSError:
                origin.socket.close()
        for one in [origin] + guards:
            self.call(one.listen())
        self.origins.append(origin)
        self.forbidden += guards
        return origin

    def deaf(self):
        """Returns a server that never accepts, and whose queue is full."""
        origin = self.origin()
        self.call(origin.deafen())
        return origin

    def note(self, origin, request):
        if self.log:
            self.log.write(json.dumps({
                "t": round(time.time(), 3), "origin": origin.url_root, "method": request.method,
                "target": request.target, "connection": request.connection,
                "sent": request.sent, "headers": request.fields}) + "\n")
            self.log.flush()

    async def stop(self):
        for one in self.origins + self.forbidden:
            one.server.close()
            one.socket.close()
        for caller in sum((o.callers for o in self.origins), []):
            caller.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.sleep(0)

    def close(self):
        self.call(self.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


def raise_descriptors():
    """Allow as many descriptors as possible: each server has three."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return os.sysconf("SC_OPEN_MAX")
