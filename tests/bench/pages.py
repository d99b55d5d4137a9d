"""Web pages of many hosts, and nginx to serve them on loopback.

    site = Pages(folder, hosts=300, pages=40)
    site.begin(port)              # h000.example ... all lead to 127.0.0.1:port
    site.urls(port)               # of all pages, a host after the other
    site.asked()                  # requests for pages so far, by status
"""
import collections
import gzip
import itertools
import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "tools"))

import nginx  # noqa: E402

# Each set of pages is what thirty of 300 hosts serve: as many bytes as a cache has not.
SETS = 10
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
SERVER = """sendfile on;
  tcp_nopush on;
  gzip_static %(gzip)s;
  map $host $set { "~(\\d)\\.example$" $1; default 0; }
  server {
    access_log access.log requests buffer=256k flush=1s;
    listen 127.0.0.1:%(port)d backlog=4096;
    location = /robots.txt { return 200 "User-agent: *\\nDisallow: /private/\\nSitemap: %(root)s/sitemap.xml\\n"; }
    location = /sitemap.xml { gzip_static off; root sitemaps/$host; }
    location /p/ { default_type "text/html; charset=utf-8"; root sets/$set; }
    location /small/ { default_type "text/html; charset=utf-8"; return 200 "%(small)s"; }
  }"""
SMALL = ("<!doctype html><html lang=en><title>$uri of $host</title><meta name=description content='Page $uri'>"
         "<main><p>What $host says of $uri, in a few words.</p><a href=/>home</a></main></html>\\n")


class Text:
    """Prose whose words are as frequent as those of a language are (Zipf)."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        parts = [a + b for a in ("", *"bcdfghklmnprstvw", "st", "tr", "ch", "pl") for b in "aeiou"]
        ends = ("", "n", "r", "s", "t", "l", "nd", "ng", "ly", "tion", "ment", "er", "ed")
        words = set()
        while len(words) < 6000:
            words.add("".join(self.chance.choices(parts, k=self.chance.choice((1, 1, 2, 2, 3)))) + self.chance.choice(ends))
        self.words = sorted(words, key=lambda word: (len(word), self.chance.random()))
        self.topic = self.words
        self.weights = list(itertools.accumulate(1 / (n + 1) for n in range(len(self.words))))

    def turn_to_topic(self):
        """A page repeats the words of what it is about."""
        self.topic = self.chance.choices(self.words, k=60)

    def some(self, count):
        words = self.chance.choices(self.words, cum_weights=self.weights, k=count)
        return " ".join(self.chance.choice(self.topic) if self.chance.random() < 0.4 else word for word in words)

    def sentence(self):
        return self.some(self.chance.randint(6, 24)).capitalize() + "."

    def slug(self):
        return "-".join(self.some(4).split())


def page(text, number, size, pages):
    """A page of a shop or a newspaper: head with what search engines read, menu, prose with links, footer."""
    chance = text.chance
    text.turn_to_topic()
    title, summary = text.some(7).capitalize(), text.sentence().replace("'", "")
    menu = "\n".join('      <li class="nav-item"><a class="nav-link" href="/p/%d.html" data-track="menu-%d">%s</a></li>' % (
        n % pages, n, text.some(2).title()) for n in range(24))
    head = """<!DOCTYPE html>
<html lang="en" class="no-js">
<head>
  <meta charset="utf-8">
  <title>%(title)s | Example</title>
  <meta name="description" content="%(summary)s">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta property="og:title" content="%(title)s">
  <meta property="og:description" content="%(summary)s">
  <meta property="og:type" content="article">
  <link rel="canonical" href="/p/%(number)d.html">
  <link rel="stylesheet" href="/assets/css/main.%(hash)08x.css">
  <link rel="preload" href="/assets/fonts/text-%(hash)08x.woff2" as="font" type="font/woff2" crossorigin>
  <script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"%(title)s","datePublished":"2026-0%(month)d-1%(day)d","author":{"@type":"Person","name":"%(author)s"}}</script>
  <script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('config','X-%(hash)d');</script>
</head>
<body class="page page-id-%(number)d">
  <header class="site-header"><nav class="main-nav" aria-label="Main">
    <ul class="nav">
%(menu)s
    </ul>
  </nav></header>
  <main id="content">
  <article class="post">
    <h1 class="post-title">%(title)s</h1>
""" % {"title": title, "summary": summary, "number": number, "hash": chance.getrandbits(32), "menu": menu,
       "month": chance.randint(1, 9), "day": chance.randint(0, 9), "author": text.some(2).title()}
    foot = """  </article>
  </main>
  <footer class="site-footer"><div class="widget"><h3>%s</h3><ul>
%s
  </ul></div><p class="copyright">&copy; 2026 Example</p></footer>
  <script src="/assets/js/app.%08x.js" defer></script>
</body>
</html>
""" % (text.some(2).title(), "\n".join('    <li><a href="/p/%d.html">%s</a></li>' % (
        chance.randrange(pages), text.some(5).capitalize()) for _ in range(20)), chance.getrandbits(32))
    body, length = [], len(head) + len(foot)
    while length < size:
        sentences = [text.sentence() for _ in range(chance.randint(2, 5))]
        at = chance.randrange(len(sentences))
        sentences[at] += ' <a href="/p/%d.html" title="%s">%s</a>' % (
            chance.randrange(pages), text.some(3), text.some(3))
        part = '    <div class="block block-text"><p class="text text-body">%s</p></div>\n' % " ".join(sentences)
        if chance.random() < 0.5:
            name = text.slug()
            part += ('    <figure class="image"><img src="/media/%s-640x480.jpg" srcset="/media/%s-320x240.jpg 320w" alt="%s"'
                     ' loading="lazy" width="640" height="480"></figure>\n' % (name, name, name.replace("-", " ")))
        body.append(part)
        length += len(part)
    return (head + "".join(body) + foot).encode()


class Pages:
    """kind: "p" are whole pages, "small" are of 200 bytes each, however many."""

    def __init__(self, folder, hosts, pages, size=20000, kind="p", has_port=True):
        self.folder, self.hosts, self.pages, self.kind, self.has_port = folder, hosts, pages, kind, has_port
        self.names = ["h%03d.example" % n for n in range(hosts)]
        self.port, self.server, self.ratio = None, None, None
        os.makedirs(folder, exist_ok=True)
        if kind == "p":
            self.make_sets(size)

    def make_sets(self, size):
        text, packed, plain = Text(1), 0, 0
        for at in range(SETS):
            to = os.path.join(self.folder, "sets", "%d" % at, "p")
            os.makedirs(to)
            for n in range(self.pages):
                data = page(text, n, size, self.pages)
                short = gzip.compress(data, 6)
                packed, plain = packed + len(short), plain + len(data)
                for end, content in (("", data), (".gz", short)):
                    with open(os.path.join(to, "%d.html%s" % (n, end)), "wb") as f:
                        f.write(content)
        self.size = plain / SETS / self.pages
        self.ratio = plain / packed

    def root(self, name):
        return "http://%s%s" % (name, ":%d" % self.port if self.has_port else "")

    def path(self, n):
        return "/p/%d.html" % n if self.kind == "p" else "/small/%d" % n

    def urls(self):
        """Hosts take turns, as a crawler would let them."""
        return [self.root(name) + self.path(n) for n in range(self.pages) for name in self.names]

    def begin(self, port, gzip_static=False):
        """Serve; the sitemaps name the port."""
        if self.port != port:
            self.port = port
            for name in self.names:
                to = os.path.join(self.folder, "sitemaps", name)
                os.makedirs(to, exist_ok=True)
                with open(os.path.join(to, "sitemap.xml"), "w", encoding="ascii") as f:
                    f.write('<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="%s">\n' % NAMESPACE)
                    f.writelines("<url><loc>%s%s</loc></url>\n" % (self.root(name), self.path(n))
                                 for n in range(self.pages))
                    f.write("</urlset>\n")
        nginx.write_conf(self.folder, SERVER % {
            "port": port, "gzip": "on" if gzip_static else "off", "small": SMALL,
            "root": "http://$host:%d" % port if self.has_port else "http://$host"})
        self.server = nginx.Nginx(self.folder, port)

    def end(self):
        if self.server is not None:
            self.server.close()
            self.server = None

    def forget(self):
        time.sleep(1.1)     # nginx keeps its log so long
        self.server.forget()

    def asked(self):
        """{status: requests for pages} since forget()."""
        time.sleep(1.1)
        return collections.Counter(row["status"] for row in self.server.requests()
                                   if row["uri"].startswith(("/p/", "/small/")))
