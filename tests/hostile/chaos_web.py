"""A web of random sites for `chaos`: the same for the same seed and age.

    web = Web(seed, has_names, 0)
    web.grow(7)              # sites change as it does
    web.hosts                # authorities, as URLs have them

What an address serves depends on nothing but the seed, its host, its path, and
how often its site has changed until that age.  A path says by its letter what
it means to be: /i3.xml an index, /s a sitemap, /f a feed, /t a text, /p a page,
/r a redirect, /n nothing; a few lie.
"""
import asyncio
import random
import re

from case import gz, index, urlset
from origin import FORBIDDEN, KEEP, Listener, Net, head, is_whole, redirect, whole
from payload import Bomb

ADDRESSES = ["127.1.0.%d" % n for n in range(1, 25)]
HEALTHY = "127.1.1.1"
# more addresses than an operator has named, of two networks
CROWD = ["127.1.2.%d" % n for n in range(1, 41)] + ["127.1.3.%d" % n for n in range(1, 11)]
NAMES = (["%s.one.example" % n for n in ("www", "a", "b", "c", "d", "e")]
         + ["h%d.many.example" % n for n in range(24)]
         + ["one.example", "many.example", "www.two.example", "two.example", "xn--bcher-kva.example",
            "shop.example", "m.shop.example", "a-b.example", "deep.er.and.deep.er.shop.example"]
         + [".".join(["l" * 60] * 4)[:240] + ".example"])
# addresses to which freshet must not be led, or cannot connect
ELSEWHERE = ("127.0.0.2", "[::1]", "0", "2130706434", "0x7f.2", "0177.0.0.2", "localhost", "127.0.0.3",
             "[::ffff:127.0.0.2]", "10.0.0.1", "169.254.169.254", "[fd00::1]", "0.0.0.0")
NOWHERE = ("gone1.example", "gone2.many.example", "tar1.example", "turn.example", "victim.example",
           "both.many.example", "to10o0o0o1.example", "to5f00xx1.example")
SCHEMES = ("ftp://%s/", "file:///etc/passwd", "gopher://%s/x", "javascript:alert(1)", "data:,x", "https://%s/",
           "//%s/s1.xml", "http:/%s/", "http:///%s/", "HTTP://%s/s1.xml", "http://u:p@%s/s1.xml",
           "http://%s", "", " ", "?", "#x", "s2.xml", "../s2.xml", "http://%s/\\..\\s1.xml", "mailto:a@%s")
LONG_LABEL = "a" * 63
JUNK = ("\u00e9", "\U0001f600", "%", "%zz", "%2f", "&", "'", "\"", "<", "\u202e", "\uff0e", " ", "\t", "..", ";",
        "|", "\u0000", "\u001b[2J", "=1+1", "::error::x", "##[x]", "\u2028", "\\", "^", "{", "\u00df", "\u3002")
DATES = ("2026-08-01", "2026-08-01T10:00:00Z", "2026-08-01T10:00:00+02:00", "2026", "2026-08", "9999-12-31",
         "0000-00-00", "yesterday", "2026-13-45", "", "1", "2026-08-01T25:00:00Z", "Sat, 01 Aug 2026 00:00:00 GMT",
         "1" * 500, "2026-08-01T10:00:00.123456789Z", "-2026-08-01", "2262-04-12")
NAMESPACES = ("http://www.sitemaps.org/schemas/sitemap/0.9",) * 8 + (
    "http://www.google.com/schemas/sitemap/0.84", "https://www.sitemaps.org/schemas/sitemap/0.9", "", "urn:x")


def escaped(text):
    """Escapes text for XML; a character that XML cannot have is kept."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;")


def some(rng, *sizes):
    """One of the sizes, each four times as often as the next: what is large takes seconds, and is
    wrong in the same ways."""
    return rng.choices(sizes, [4.0 ** -n for n in range(len(sizes))])[0]


class Site:
    """The state of a host at one of its ages."""

    def __init__(self, web, host, version):
        self.web = web
        self.host = host
        self.version = version
        self.rng = random.Random("%s/%s/%d" % (web.seed, host, version))
        self.root = "http://" + host
        self.evil = self.rng.choice((0, 1, 2, 2, 3))  # a healthy one, odd, hostile, at war
        self.count = some(self.rng, 3, 8, 20, 60)  # of each kind of document

    def path(self, rng):
        """Returns the path of a document that usually exists."""
        folder = rng.choice(("", "", "", "", "d1/", "d1/d2/", "../", "%7Ed/"))
        kind = rng.choice("iisssssstfrpn")
        end = {"i": ".xml", "s": rng.choice((".xml", ".xml", ".xml.gz")), "t": ".txt", "f": ".rss",
               "r": "", "p": "", "n": ".xml"}[kind]
        return "/%s%s%d%s%s" % (folder, kind, rng.randrange(self.count), end,
                                rng.choice(("",) * 9 + ("?a=%d" % rng.randrange(9),)))

    def url(self, rng):
        """Returns a URL, usually one of this site."""
        if rng.random() < 0.8:
            return self.root + self.path(rng)
        return self.foreign(rng)

    def foreign(self, rng):
        web, way = self.web, rng.random()
        if way < 0.75:
            host = web.any_host(rng)
        elif way < 0.85:
            host = "%s:%d" % (rng.choice(ELSEWHERE), web.port)
        elif way < 0.95:
            host = "%s:%d" % (rng.choice(NOWHERE), web.port) if web.has_names else rng.choice(ELSEWHERE)
        else:
            # ports that no target has
            host = "%s:%d" % (self.host.rpartition(":")[0], rng.choice((web.side, web.side, 1, 0, 65536, 22)))
        return "http://" + host + self.path(rng)

    def long_url(self, rng):
        unit = rng.choice(("x", "\u00e9", "\U0001f600", "%41", "a/", "../", "*"))
        return self.root + "/s%d.xml?%s" % (
            rng.randrange(10 ** 6), unit * (rng.choice((200, 1000, 1900, 2040, 8000)) // len(unit)))

    def odd_url(self, rng):
        url = self.url(rng)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(url) + 1)
            url = url[:at] + rng.choice(JUNK) + url[at:]
        return url

    # --- robots.txt -----------------------------------------------------------

    def robots(self, rng):
        way = rng.random()
        if self.evil == 0 or way < 0.25:
            return self.good_robots(rng)
        if way < 0.35:
            return whole("", status=404)
        made = rng.choice((
            self.many_rules, self.star_rules, self.own_lines, self.foreign_lines, self.foreign_lines,
            self.robots_moves, self.robots_moves, self.robots_fails, self.robots_junk, self.delays))
        return made(rng)

    def lines(self, rng, count, maker):
        return "".join("Sitemap: %s\n" % maker(rng) for _ in range(count))

    def good_robots(self, rng):
        text = "User-agent: *\nDisallow: /private\nDisallow: /*.pdf$\n"
        text += self.lines(rng, rng.randrange(1, 4), lambda r: self.root + self.path(r))
        return whole(text, *rng.choice(((), ("Cache-Control: max-age=0",), ("ETag: \"r%d\"" % self.version,))))

    def many_rules(self, rng):
        count = some(rng, 500, 5000, 40000)
        return whole("User-agent: %s\n" % rng.choice(("*", "freshet", "Freshet/1")) + "".join(
            "%s: /x%d\n" % (rng.choice(("Allow", "Disallow")), n) for n in range(count))
                     + self.lines(rng, 3, self.url))

    def star_rules(self, rng):
        rule = rng.choice(("/*zq", "/*a*b*c*d", "/" + "*a" * 50 + "*b", "/*?*=*&*$", "/***********x"))
        return whole("User-agent: *\n" + "".join(
            "Disallow: %s%s\n" % (rule, rng.choice(("", "$", "%d" % n)))
            for n in range(some(rng, 50, 1000, 8000, 40000))) + self.lines(rng, 3, self.url))

    def own_lines(self, rng):
        count = some(rng, 50, 300, 2000)
        maker = rng.choice((self.url, self.long_url, self.odd_url)) if count < 300 else (
            lambda r: self.root + "/n%d.xml" % r.randrange(10 ** 6))
        return whole(self.lines(rng, count, maker))

    def foreign_lines(self, rng):
        if rng.random() < 0.1:
            return whole("".join("Sitemap: http://%s:%d/s%d.xml\n" % (a, self.web.port, n)
                                 for n in range(40) for a in CROWD))
        return whole(self.lines(rng, rng.choice((2, 10, 60)), self.foreign))

    def robots_moves(self, rng):
        return self.moves(rng, "/robots.txt")

    def robots_fails(self, rng):
        status = rng.choice((400, 401, 403, 410, 429, 500, 502, 503, 503, 206, 204, 304))
        fields = ()
        if status in (429, 503):
            fields = ("Retry-After: %s" % rng.choice((
                "0", "1", "1", "x", "-5", "Sat, 01 Aug 2020 00:00:00 GMT", "99999999999999999999", "3600")),)
        return whole("User-agent: *\nDisallow: /\n", *fields, status=status)

    def robots_junk(self, rng):
        return rng.choice((
            lambda: whole(gz("User-agent: *\nDisallow: /\n"), "Content-Encoding: gzip"),
            lambda: whole(gz("User-agent: *\nDisallow: /\n")),
            lambda: whole("<html><body>not here</body></html>", "Content-Type: text/html"),
            lambda: whole(bytes(rng.randrange(256) for _ in range(3000))),
            lambda: whole("\ufeffUser-agent: *\nDisallow: /\n".encode("utf-16")),
            lambda: whole("User-agent: *\nDisallow: /\n"),
            lambda: whole("User-agent: *\n" + "Sitemap: " + "x" * 600000),
            lambda: whole("\n" * 600000),
            lambda: whole("User-agent: *\rAllow: /\rDisallow: " + "\u00e9" * 5000 + "\r"
                          + "\r".join("sitemap:" + self.odd_url(rng) for _ in range(40))),
            lambda: b"HTTP/1.1 200 OK\r\n\r\nSitemap: " + self.url(rng).encode(),
            lambda: whole("")))()

    def delays(self, rng):
        return whole("User-agent: *\nCrawl-delay: %s\n" % rng.choice((
            "0", "0.01", "0.05", "-1", "NaN", "", "word", "0.2")) + self.lines(rng, 2, self.url))

    # --- documents ------------------------------------------------------------

    def document(self, path, rng):
        """Returns an answer: bytes, or an async function."""
        match = re.match(r"/(?:[^?]*/)?([istfrpn])(\d+)", path)
        kind = match[1] if match else rng.choice("sipn")
        if match and int(match[2]) >= 1000:  # one of hundreds of documents that are alike
            return whole("", status=404) if rng.random() < 0.7 else whole(urlset([self.root + "/p1"]))
        if self.evil > 0 and rng.random() < 0.04 * self.evil:
            kind = rng.choice("istfrpn")
        if kind == "n":
            return whole("not here\n", status=rng.choice((404, 404, 404, 410)))
        if kind == "r":
            return self.moves(rng, path)
        body = {"i": self.index, "s": self.sitemap, "t": self.text, "f": self.feed, "p": self.page}[kind](rng)
        if callable(body):
            return body
        if self.evil > 0 and rng.random() < 0.06 * self.evil:
            body = self.spoiled(rng, body)
        return self.answer(rng, path, body)

    def dated(self, rng, url):
        if rng.random() < 0.5:
            return escaped(url)
        return escaped(url), escaped(rng.choice(DATES[:4]) if self.evil < 2 else rng.choice(DATES))

    def index(self, rng):
        way = rng.random() if self.evil > 0 else 0
        if way < 0.5:
            urls = [self.root + self.path(rng) for _ in range(rng.randrange(1, 8))]
        elif way < 0.62:  # all indexes have these children
            urls = [self.root + "/s%d.xml" % n for n in range(some(rng, 5, 40, 300))]
        elif way < 0.72:
            urls = [self.foreign(rng) for _ in range(some(rng, 3, 30, 200))]
        elif way < 0.80:  # redirects to itself, and to others that do so
            urls = [self.root + "/i%d.xml" % n for n in range(self.count)] + [self.root + "/i0.xml?%d" % rng.randrange(99)]
        elif way < 0.88:
            urls = [self.long_url(rng) for _ in range(some(rng, 5, 60, 400))]
        elif way < 0.93:
            urls = [self.odd_url(rng) for _ in range(40)]
        elif way < 0.97:
            urls = [self.root + "/n%d.xml" % n for n in range(some(rng, 20, 100, 400, 2000))]
        else:
            urls = [self.root + "/s1.xml"] * 20000 + [self.foreign(rng) for _ in range(2000)]
        return index([self.dated(rng, u) for u in urls])

    def sitemap(self, rng):
        way = rng.random() if self.evil > 0 else 0
        few = rng.choice((0, 1, 3, some(rng, 5, 30, 200, 1000)))
        if way < 0.6:
            return urlset([self.dated(rng, "%s/p%d" % (self.root, rng.randrange(300))) for _ in range(few)])
        if way < 0.70:
            return urlset([self.dated(rng, self.odd_url(rng)) for _ in range(few)])
        if way < 0.78:
            return urlset([self.dated(rng, self.foreign(rng)) for _ in range(few)])
        if way < 0.84:
            return urlset([self.dated(rng, self.long_url(rng)) for _ in range(few)])
        if way < 0.88:
            return urlset(["%s/q%d" % (self.root, n) for n in range(some(rng, 3000, 20000, 50001))])
        if way < 0.93:
            return self.extended(rng, few)
        if way < 0.95:
            return self.bomb(rng)
        return "<urlset xmlns=\"%s\">%s</urlset>" % (rng.choice(NAMESPACES), "".join(
            "<%s><loc>%s</loc><loc/><x a='&#%d;'/></%s>" % (k, escaped(self.url(rng)), rng.choice((65, 0, 10, 8232)), k)
            for k in rng.choices(("url", "url", "sitemap", "u"), k=few)))

    def extended(self, rng, few):
        parts = ("<image:image><image:loc>%s</image:loc></image:image>",
                 "<news:news><news:title>%s</news:title></news:news>",
                 "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"%s\"/>",
                 "<priority>%s</priority>", "<changefreq>%s</changefreq>", "<![CDATA[%s]]>", "<!-- %s -->")
        return ("<urlset xmlns=\"%s\" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\""
                " xmlns:news=\"http://www.google.com/schemas/sitemap-news/0.9\""
                " xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">%s</urlset>" % (
                    rng.choice(NAMESPACES), "".join(
                        "<url><loc>%s</loc>%s</url>" % (escaped(self.url(rng)), "".join(
                            rng.choice(parts) % escaped(self.odd_url(rng).replace("--", ""))
                            for _ in range(rng.randrange(4)))) for _ in range(few))))

    def bomb(self, rng):
        return b"".join(Bomb(some(rng, 2, 20, 60) << 20, urlset([]).encode()[:-10], b" ").pieces())

    def text(self, rng):
        return "\n".join(rng.choice((self.url, self.url, self.odd_url))(rng) for _ in range(rng.choice((1, 20, 300))))

    def feed(self, rng):
        urls = [escaped(self.url(rng)) for _ in range(rng.choice((1, 10, 60)))]
        if rng.random() < 0.5:
            return "<rss version=\"2.0\"><channel><link>%s</link>%s</channel></rss>" % (self.root, "".join(
                "<item><link>%s</link><pubDate>%s</pubDate></item>" % (u, rng.choice(DATES)) for u in urls))
        return "<feed xmlns=\"http://www.w3.org/2005/Atom\">%s</feed>" % "".join(
            "<entry><link href=\"%s\"/><updated>%s</updated></entry>" % (u, rng.choice(DATES)) for u in urls)

    def page(self, rng):
        return "<!doctype html><html><head><meta name=robots content='%s'><link rel=canonical href='%s'></head>%s" % (
            rng.choice(("index", "noindex", "none, ##[x]", "\u202e")), self.odd_url(rng),
            "<p>" * rng.choice((1, 10, 30000)))

    def spoiled(self, rng, body):
        """Returns the document cut, packed, broken, or in another encoding."""
        data = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
        way = rng.randrange(9)
        at = rng.randrange(len(data) + 1)
        if way == 0:
            return data[:at]
        if way == 1:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1:]
        if way == 2:
            packed = gz(data)
            return packed[:rng.randrange(len(packed))]
        if way == 3:
            return gz(gz(data))
        if way == 4:
            return gz(data) + gz(b" ") * rng.choice((1, 30)) + rng.choice((b"", b"junk", b"\0" * 512))
        if way == 5:
            return b"<!DOCTYPE urlset [<!ENTITY a \"" + b"x" * 1000 + b"\">]>" + data
        if way == 6:
            return ("\ufeff" + data.decode("utf-8", "replace")).encode("utf-16")
        if way == 7:
            return data[:at] + b"<!--" + b"x" * rng.choice((10, 70000, 300000)) + b"-->" + data[at:]
        return b"<a>" * rng.choice((50, 99, 101, 5000)) + data

    def answer(self, rng, path, body):
        """Returns the body with headers, in one of the ways that HTTP has, and
        some that it does not have."""
        data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
        fields = []
        if path.endswith(".gz") and data[:2] != b"\x1f\x8b" and rng.random() < 0.9:
            data = gz(data, 1)
        elif rng.random() < 0.15:
            data = gz(data, 1)
            fields.append("Content-Encoding: " + rng.choice(("gzip", "gzip", "x-gzip", "gzip, identity")))
        if rng.random() < 0.5:
            fields.append("ETag: " + rng.choice(("\"%d\"" % self.version,) * 4 + (
                "W/\"x\"", "x", "\"" + "e" * 300 + "\"", "*", "\"\x01\"")))
        if rng.random() < 0.4:
            fields.append("Last-Modified: " + rng.choice(("Sat, 01 Aug 2026 00:00:00 GMT",) * 4 + (
                "Sat, 01 Aug 2076 00:00:00 GMT", "yesterday", "0", "x" * 400)))
        fields.append("Content-Type: " + rng.choice((
            "application/xml", "text/xml; charset=utf-8", "text/html", "application/octet-stream", "x" * 300, "text/plain")))
        if self.evil < 2 or rng.random() < 0.75:
            return whole(data, *fields)
        return rng.choice((self.late, self.dripping, self.cut, self.chunked, self.wrong_length, self.failing,
                           self.resetting, self.silent, self.many_headers))(rng, data, fields)

    @staticmethod
    def late(rng, data, fields):
        wait_s = rng.choice((0.05, 0.1, 0.4, 1.2))

        async def answer(c):
            await asyncio.sleep(wait_s)
            await c.send(whole(data, *fields))
            return KEEP
        return answer

    @staticmethod
    def dripping(rng, data, fields):
        count = rng.choice((3, 10, 40))

        async def answer(c):
            sent = whole(data, *fields)
            for n in range(count):
                await c.send(sent[len(sent) * n // count:len(sent) * (n + 1) // count])
                await asyncio.sleep(0.02)
            return KEEP
        return answer

    @staticmethod
    def cut(rng, data, fields):
        answer = whole(data, *fields)
        return answer[:rng.randrange(len(answer))]

    @staticmethod
    def chunked(rng, data, fields):
        size = rng.choice((1, 100, 5000)) if len(data) < 20000 else 60000
        pieces = [data[n:n + size] for n in range(0, len(data), size)]
        return head("Transfer-Encoding: chunked", *fields) + b"".join(
            b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + rng.choice((b"0\r\n\r\n", b"0\r\nX: y\r\n\r\n", b"", b"z\r\n"))

    @staticmethod
    def wrong_length(rng, data, fields):
        return head("Content-Length: %s" % rng.choice((
            len(data) + 10, max(0, len(data) - 10), -1, "x", "5, 6", 10 ** 20)), *fields) + data

    @staticmethod
    def failing(rng, data, fields):
        status = rng.choice((400, 401, 403, 404, 410, 429, 500, 502, 503, 203, 206, 999))
        return whole(data, *fields, *(("Retry-After: %s" % rng.choice(("1", "0", "soon", "60")),)
                                      if status in (429, 503) else ()), status=status)

    @staticmethod
    def resetting(rng, data, fields):
        part = whole(data, *fields)[:rng.choice((0, 5, 200))]

        async def answer(c):
            await c.send(part)
            c.reset()
        return answer

    @staticmethod
    def silent(rng, data, fields):
        part = whole(data, *fields)[:rng.choice((0, 20, 300))]

        async def answer(c):
            await c.send(part)
            await c.hang(3)
        return answer

    @staticmethod
    def many_headers(rng, data, fields):
        return whole(data, *fields, *["X-%d: %s" % (n, "y" * rng.choice((10, 900))) for n in range(100)])

    def moves(self, rng, path):
        """Returns a redirect of any kind."""
        way = rng.random()
        status = rng.choice((301, 302, 303, 307, 308, 300, 305))
        number = int(re.search(r"\d*$", path)[0] or 0) if len(path) < 40 else 0
        if way < 0.3:
            to = self.root + self.path(rng)
        elif way < 0.5:  # a chain over hosts, of new URLs each time
            to = "http://%s/r%d" % (self.web.any_host(rng), (number + 7) % 1000)
        elif way < 0.6:
            to = self.foreign(rng)
        elif way < 0.66:
            to = path
        elif way < 0.72:
            to = "http://" + ".".join([LONG_LABEL] * rng.choice((3, 4, 5, 15))) + ".example:%d/s1.xml" % self.web.port
        elif way < 0.80:
            to = rng.choice(SCHEMES)
            to = to % self.host if "%s" in to else to
        elif way < 0.88:
            to = "http://%s:%d/robots.txt" % (rng.choice(ELSEWHERE), self.web.port)
        elif way < 0.94:
            to = self.root + "/r%d?" % rng.randrange(10 ** 6) + rng.choice(("x", "\u00e9", "%41")) * rng.choice((3000, 10000))
        else:
            to = self.odd_url(rng)
        to = to.encode("utf-8", "replace").replace(b"\r", b"").replace(b"\n", b"")
        if rng.random() < 0.9:
            return head(b"Location: " + to, "Content-Length: 0", status=status)
        return head(b"Location: " + to, status=status) + b"x" * 100000


class Web:
    def __init__(self, seed, has_names, port):
        """port: the port of an earlier web; 0: any port."""
        self.seed = seed
        self.has_names = has_names
        self.age = 0
        self.net = Net()
        self.requests = 0
        self.made = {}  # the answers of this age
        self.port = self.serve(ADDRESSES[0], port).port
        if port:
            for address in FORBIDDEN:
                self.forbid(address, port)
        for address in ADDRESSES[1:] + CROWD + [HEALTHY] + (["127.0.0.1"] if has_names else []):
            self.serve(address, self.port)
        # another port of a host that is requested, and a neighbour address
        self.side = self.forbid("127.1.0.1", 0).port
        for address in ADDRESSES[1:8]:
            self.forbid(address, self.side)
        self.forbid("127.0.0.3", self.port)
        self.healthy = "%s:%d" % (HEALTHY, self.port)
        self.healthy_urls = sorted("http://%s/%s/%d" % (self.healthy, part, n) for part in "ab" for n in range(20))
        self.addresses = ["%s:%d" % (a, self.port) for a in ADDRESSES]
        self.names = ["%s:%d" % (n, self.port) for n in NAMES] if has_names else []
        self.hosts = self.addresses + self.names
        self.crowd = ["%s:%d" % (a, self.port) for a in CROWD]

    def serve(self, address, port):
        origin = self.net.origin(address, port=port)
        origin.put(None, self.answer)
        return origin

    def grow(self, age):
        """Let the sites age. The requests to the younger web are forgotten."""
        self.age = age
        self.made.clear()
        for origin in self.net.origins:
            self.requests += len(origin.requests)
            origin.requests = []

    def forbid(self, address, port):
        listener = Listener(address, port)
        self.net.call(listener.listen())
        listener.port = listener.socket.getsockname()[1]
        self.net.forbidden.append(listener)
        return listener

    def trespasses(self):
        """Returns the connections to addresses to which nobody may connect."""
        return ["%s" % listener for listener in self.net.forbidden if listener.accepted]

    def any_host(self, rng):
        return rng.choice(self.hosts if rng.random() < 0.85 else self.crowd)

    def version(self, host):
        """Returns how often the site has changed until now."""
        rng = random.Random("%s/%s" % (self.seed, host))
        period, offset = rng.choice((1, 3, 10, 30, 100)), rng.randrange(100)
        return (self.age + offset) // period

    def site(self, host):
        return Site(self, host, self.version(host))

    def healthy_answer(self, target):
        root = "http://" + self.healthy
        if target == "/robots.txt":
            return whole("User-agent: *\nDisallow: /private\nSitemap: %s/index.xml\n" % root)
        if target == "/index.xml":
            return whole(index([root + "/a.xml", root + "/b.xml.gz"]))
        for part, path, pack in (("a", "/a.xml", str.encode), ("b", "/b.xml.gz", gz)):
            if target == path:
                return whole(pack(urlset(["%s/%s/%d" % (root, part, n) for n in range(20)])))
        return whole(b"", status=404)

    def make(self, host, target):
        if host == self.healthy:
            return self.healthy_answer(target)
        site = self.site(host)
        rng = random.Random("%s/%s/%d/%s" % (self.seed, host, site.version, target))
        return site.robots(rng) if target == "/robots.txt" else site.document(target, rng)

    async def answer(self, connection):
        request = connection.request
        host = (request.header("Host") or "").lower()
        if ":" not in host:
            host += ":80"
        key = (self.age, host, request.target)
        if key not in self.made:
            if len(self.made) > 300:
                self.made.clear()
            self.made[key] = self.make(host, request.target)
        answer = self.made[key]
        if not isinstance(answer, bytes):
            return await answer(connection)
        tag = request.header("If-None-Match")
        if tag and b"\r\nETag: " + tag.encode("latin-1") + b"\r\n" in answer[:4000] and len(tag) % 3:
            answer = head("ETag: " + tag, status=304)
            await connection.send(answer)
            return KEEP
        await connection.send(answer)
        return KEEP if is_whole(answer) else None

    def close(self):
        self.net.close()
