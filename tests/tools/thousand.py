#!/usr/bin/env python3
"""A thousand sites in one process: many small hosts behind one port.

    tests/tools/thousand.py [--children N] [--urls N] [--hold N]
        [--hold-time S] [--latency S] [--cert FILE --key FILE] [--log FILE]
        [--max-time S] [--faulty N]

Whatever the host, it has a robots.txt that names an
index, which lists --children gzipped sitemaps of --urls URLs each.  All of it
follows from the numbers, so expected_urls() says what must come out.

With --faulty N of N requests one is answered with 503, by half an answer, or not at all.
With --hold N nobody gets an answer before N connections are open at the same
time; when that does not happen within --hold-time, all connections are closed
and the report says so.  A line on stdin swaps generation 2 in.  The log has a line for each request: monotonic
seconds, host, path, status.  The first line on stdout is the port; the report,
one JSON object, is written when stdin ends or --max-time is over.

    with Thousand(hosts=1000, children=5, hold=1000) as server:
        ... server.connect_to ... server.expected_urls() ...
    server.report, server.requests()
"""
import argparse
import asyncio
import collections
import gzip
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import zlib

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
REASONS = {200: "OK", 304: "Not Modified", 404: "Not Found"}


def host_name(number, domain):
    return "h%04d.%s" % (number, domain)


class World:
    """What the hosts serve."""

    def __init__(self, children, urls, scheme="http"):
        self.children = children
        self.urls = urls
        self.scheme = scheme
        self.generation = 1

    def is_changed(self, host, child):
        """Does generation 2 list one more URL there?  A third of all do."""
        return (zlib.crc32(host.encode()) + child) % 3 == 0

    def locs(self, host, child):
        more = self.generation > 1 and self.is_changed(host, child)
        return ["%s://%s/new/%d" % (self.scheme, host, child)] * more + ["%s://%s/p/%d-%d" % (self.scheme, host, child, i) for i in range(self.urls)]

    def paths(self):
        return ["/robots.txt", "/index.xml"] + ["/c%d.xml.gz" % c for c in range(self.children)]

    def body(self, host, path):
        """The bytes of that document, or None."""
        if path == "/robots.txt":
            text = "User-agent: *\nDisallow: /private\nSitemap: %s://%s/index.xml\n" % (
                self.scheme, host)
            return text.encode()
        if path == "/index.xml":
            items = "".join("<sitemap><loc>%s://%s/c%d.xml.gz</loc></sitemap>\n" % (
                self.scheme, host, c) for c in range(self.children))
            return self.document("sitemapindex", items)
        if path.startswith("/c") and path.endswith(".xml.gz"):
            child = int(path[2:-len(".xml.gz")])
            items = "".join("<url><loc>%s</loc></url>\n" % loc
                            for loc in self.locs(host, child))
            return gzip.compress(self.document("urlset", items), 1, mtime=0)
        return None

    @staticmethod
    def document(root, items):
        return ('<?xml version="1.0" encoding="UTF-8"?>\n<%s xmlns="%s">\n%s</%s>\n' % (
            root, NAMESPACE, items, root)).encode()


class Server:
    """Its connections share this."""

    def __init__(self, args, world):
        self.world = world
        self.hold = args.hold
        self.latency = args.latency
        self.faulty = args.faulty
        self.open = self.most_open = self.connections = self.requests = 0
        self.held = []  # functions that answer
        self.is_holding = args.hold > 0
        self.hold_failed = False
        self.cache = {}
        self.log = open(args.log, "w", encoding="ascii") if args.log else None
        self.transports = set()

    def opened(self):
        self.open += 1
        self.connections += 1
        self.most_open = max(self.most_open, self.open)
        if self.is_holding and self.open >= self.hold:
            self.release()

    def release(self):
        self.is_holding = False
        held, self.held = self.held, []
        for answer in held:
            answer()

    def give_up(self):
        """--hold-time is over."""
        if not self.is_holding:
            return
        self.hold_failed = True
        self.is_holding = False
        for transport in list(self.transports):
            transport.abort()

    def answer(self, host, path, tag):
        """The raw answer, and its status."""
        key = host + path
        if key not in self.cache:
            body = self.world.body(host, path)
            etag = None if body is None else '"%08x"' % zlib.crc32(body)
            self.cache[key] = (body, etag)
        body, etag = self.cache[key]
        if body is None:
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404
        status = 304 if tag == etag else 200
        head = "HTTP/1.1 %d %s\r\nETag: %s\r\n" % (status, REASONS[status], etag)
        if status == 304:
            return (head + "\r\n").encode(), 304
        return (head + "Content-Length: %d\r\n\r\n" % len(body)).encode() + body, 200

    def report(self):
        if self.log:
            self.log.close()
        return {"connections": self.connections, "most_open": self.most_open,
                "requests": self.requests, "hold_failed": self.hold_failed,
                "is_holding": self.is_holding}


class Connection(asyncio.Protocol):
    def __init__(self, server):
        self.server = server
        self.waiting = b""
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        self.server.transports.add(transport)
        self.server.opened()

    def connection_lost(self, _):
        self.server.open -= 1
        self.server.transports.discard(self.transport)

    def data_received(self, data):
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, self.waiting = self.waiting.split(b"\r\n\r\n", 1)
            self.request(head.decode("latin-1"), time.monotonic())

    def request(self, head, at):
        lines = head.split("\r\n")
        path = lines[0].split(" ")[1]
        fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        host = fields.get("host", "").rsplit(":", 1)[0]
        self.server.requests += 1

        def answer():
            raw, status = self.server.answer(host, path, fields.get("if-none-match"))
            turn = self.server.requests
            if self.server.faulty and turn % self.server.faulty == 0:
                kind = turn // self.server.faulty % 3
                raw, status = (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", 503) if kind == 0 \
                    else (raw[:len(raw) // 2], 0) if kind == 1 else (b"", 0)
            if self.server.log:
                self.server.log.write("%.6f %s %s %d\n" % (at, host, path, status))
            self.transport.write(raw)
            if status == 0:
                self.transport.close()
        if self.server.is_holding:
            self.server.held.append(answer)
        elif self.server.latency > 0:
            asyncio.get_running_loop().call_later(self.server.latency, answer)
        else:
            answer()


async def serve(args):
    loop = asyncio.get_running_loop()
    world = World(args.children, args.urls, "https" if args.cert else "http")
    server = Server(args, world)
    tls = None
    if args.cert:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(args.cert, args.key)
    listening = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0,
                                         backlog=4096, ssl=tls)
    print(listening.sockets[0].getsockname()[1], flush=True)
    if args.hold:
        loop.call_later(args.hold_time, server.give_up)
    over = asyncio.Event()

    def hear():
        if not sys.stdin.buffer.read1(4096):
            over.set()
        world.generation = 2
        server.cache.clear()
    loop.add_reader(sys.stdin.fileno(), hear)
    try:
        await asyncio.wait_for(over.wait(), args.max_time)
    except asyncio.TimeoutError:
        pass
    print(json.dumps(server.report()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--children", type=int, default=5)
    parser.add_argument("--urls", type=int, default=20)
    parser.add_argument("--hold", type=int, default=0)
    parser.add_argument("--hold-time", type=float, default=60)
    parser.add_argument("--latency", type=float, default=0)
    parser.add_argument("--faulty", type=int, default=0)
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--log")
    parser.add_argument("--max-time", type=float, default=600)
    asyncio.run(serve(parser.parse_args()))


Request = collections.namedtuple("Request", "at host path status")


class Thousand:
    """The server as a process of its own, which ends with this one."""

    def __init__(self, hosts=1000, children=5, urls=20, max_time=600, domain="example",
                 **options):
        import parent_death
        self.hosts = [host_name(n, domain) for n in range(hosts)]
        self.world = World(children, urls, "https" if options.get("cert") else "http")
        self.log = tempfile.NamedTemporaryFile(prefix="thousand-", suffix=".log")
        command = [sys.executable, os.path.realpath(__file__),
                   "--children", str(children), "--urls", str(urls), "--log", self.log.name,
                   "--max-time", str(max_time)]
        for name, value in options.items():
            command += ["--" + name.replace("_", "-"), str(value)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        preexec_fn=parent_death.with_parent(signal.SIGKILL))
        self.report = None
        self.port = int(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End it; then there is a report."""
        if self.report is not None:
            return
        out, _ = self.process.communicate(timeout=600)
        self.report = json.loads(out) if out else {}

    def swap(self):
        """Generation 2 from now on."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        self.world.generation = 2

    @property
    def connect_to(self):
        """The options that lead every host here."""
        return ["--connect-to", "::127.0.0.1:%d" % self.port]

    def targets(self):
        return ["%s://%s/" % (self.world.scheme, host) for host in self.hosts]

    def expected_urls(self):
        return sorted(loc for host in self.hosts for child in range(self.world.children)
                      for loc in self.world.locs(host, child))

    def requests(self):
        """All of them in the order of the answers, after close()."""
        with open(self.log.name, encoding="ascii") as f:
            rows = [line.split() for line in f]
        return [Request(float(at), host, path, int(status)) for at, host, path, status in rows]

    def gaps(self):
        """Seconds between one request and the next to the same host."""
        times = {}
        for request in self.requests():
            times.setdefault(request.host, []).append(request.at)
        return [b - a for at in times.values() for a, b in zip(sorted(at), sorted(at)[1:])]


if __name__ == "__main__":
    main()
