#!/usr/bin/env python3
"""Deterministic sitemap corpus generator (two generations, v1 and v2).

Writes a tree that any static HTTP server can serve:

    OUT/v1/<host>/robots.txt              names the index
    OUT/v1/<host>/sitemap_index.xml       <sitemapindex>, one entry per child
    OUT/v1/<host>/sitemap-00001.xml.gz    <urlset>, --urls entries
    OUT/v2/<host>/...                     the same site one crawl later
    OUT/manifest.json                     what a correct consumer must find
    OUT/nginx.conf                        a static server for it (port --port)

v2 differs from v1 in a fraction --changed of the URLs: most get a newer
lastmod, --removed-share of them vanish, --added-share are new URLs.  With
--change-layout scattered every child changes a little (worst case for
skip-if-unchanged); with clustered, ten times fewer children carry all of the
changes (what date-ordered sitemaps do).  A child that did not change is the
SAME file in v2 (hard link, same mtime), so a static server's ETag and
Last-Modified prove it unchanged, and the index's lastmod for it is unchanged.

What makes it realistic: four URL styles (product, article, deep category,
query string with &amp;), 60-120 byte URLs, three lastmod spellings, pretty and
compact layout, changefreq/priority in a quarter of the children, image
extension in --image-share of the children, hreflang alternates in
--hreflang-share, percent-encoded UTF-8 now and then.  --out-of-scope makes
that fraction of the entries break the protocol's host rule.

The --stray-* options make fractions of the entries break one location rule
each, the same entries in both generations; manifest.json counts them.  www and
sub-domain strays need named hosts (--host-pattern), directory strays an
--index-dir below the root: index, children and all other pages lie in it.
Half of the directory strays lie in a folder whose name begins alike.

Everything follows from --seed: same arguments, same bytes (same zlib).
Examples:
    gen_corpus.py big                                  # 200 x 50,000 = 10 M
    gen_corpus.py small --children 20                  # 20 x 50,000 = 1 M
    gen_corpus.py many --hosts 1000 --children 5 --urls 200
"""
import argparse
import gzip
import hashlib
import json
import math
import multiprocessing
import os
import random
import sys
import time

SITEMAP_NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
IMAGE_NS = "http://www.google.com/schemas/sitemap-image/1.1"
XHTML_NS = "http://www.w3.org/1999/xhtml"

FIRST_DAY = 1672531200          # 2023-01-01, oldest lastmod in v1
DAYS = 1096                     # three years of lastmods
V1_DAY = FIRST_DAY + DAYS * 86400           # 2026-01-01, when v1 is published
V2_DAY = V1_DAY + 7 * 86400                 # v2 appears a week later
LANGS = ("en", "de", "fr", "es", "it", "pt-BR", "ja", "x-default")
STYLES = ("product", "article", "category", "query")
STRAYS = ("host", "www", "subdomain", "scheme", "port", "dir")


# --- small deterministic tables -------------------------------------------

def make_words(rng, count):
    """Pronounceable words of 4-10 letters; unique, fixed by the rng."""
    heads = "b br c ch d dr f fl g gr h j k l m n p pl r s sh st t tr v w".split()
    vowels = "a e i o u ai ea oo ou".split()
    tails = "n r s t l m nd rk st ng x".split() + [""] * 6
    words = []
    seen = set()
    while len(words) < count:
        word = "".join(
            rng.choice(heads) + rng.choice(vowels) for _ in range(rng.choice((2, 2, 3)))
        ) + rng.choice(tails)
        if 4 <= len(word) <= 10 and word not in seen:
            seen.add(word)
            words.append(word)
    return words


class Tables:
    """Look-up tables shared by every child of a run (built once a process)."""

    def __init__(self, seed):
        rng = random.Random("tables-%d" % seed)
        self.words = make_words(rng, 2048)
        self.categories = ["%s/%s" % (a, b) for a in rng.sample(self.words, 24)
                           for b in rng.sample(self.words, 12)][:256]
        self.odd = ["caf%C3%A9", "stra%C3%9Fe", "%E6%9D%B1%E4%BA%AC", "pi%C3%B1ata"]
        # ISO days of v1's three years and the week up to v2
        self.days = [time.strftime("%Y-%m-%d", time.gmtime(FIRST_DAY + 86400 * d))
                     for d in range(DAYS + 8)]
        self.slashdays = [d.replace("-", "/") for d in self.days]
        self.minutes = ["%02d:%02d" % divmod(m, 60) for m in range(1440)]
        self.seconds = ["%02d" % s for s in range(60)]


TABLES = None


def tables(seed):
    global TABLES
    if TABLES is None:
        TABLES = Tables(seed)
    return TABLES


# --- one child sitemap ------------------------------------------------------

def urls_of_child(args, base, child, count, start, rng):
    """Yield (path, day, bits): `count` entries numbered from `start`.

    The stream depends only on rng, so v1 and v2 see the same base entries.
    `path` is already XML-escaped and starts with '/'.
    """
    t = tables(args.seed)
    words, cats, odd = t.words, t.categories, t.odd
    style = STYLES[child % 4]
    bits = rng.getrandbits
    for i in range(count):
        r = bits(112)
        uid = start + i
        # squaring a uniform index skews towards the common words
        k = r & 2047
        w1 = words[k * k >> 11]
        k = r >> 11 & 2047
        w2 = words[k * k >> 11]
        w3 = words[r >> 22 & 2047]
        w4 = words[r >> 33 & 2047]
        day = (r >> 96) % DAYS
        if r >> 44 & 127 == 0:
            w3 = odd[r >> 51 & 3]
        if style == "product":
            path = "/%s/%s-%s-%s-%s-%d.html" % (cats[r >> 53 & 255], w1, w2, w3, w4, uid)
        elif style == "article":
            path = "/news/%s/%s-%s-%s-%s-%s-%d" % (
                t.slashdays[day], w1, w2, w3, w4, words[r >> 61 & 2047], uid)
        elif style == "category":
            path = "/%s/%s/%s/%s-%s/p%d/" % (cats[r >> 53 & 255], w1, w2, w3, w4, uid)
        else:
            path = "/catalog/item.php?cat=%s&amp;sku=%s-%s&amp;id=%d&amp;ref=%s" % (
                w1, w3, w4, uid, w2)
        yield path, day, r


def changed_plan(args, host_no, child):
    """Which base entries of this child change in v2: (touched, removed, added)."""
    if args.changed <= 0:
        return frozenset(), frozenset(), 0
    share = args.changed
    if args.change_layout == "clustered":
        # one child in ten (at least one a host) carries ten times the share
        hot = max(1, math.ceil(args.children / 10))
        order = list(range(args.children))
        random.Random("hot-%d-%d" % (args.seed, host_no)).shuffle(order)
        if child not in order[:hot]:
            return frozenset(), frozenset(), 0
        share = min(1.0, args.changed * args.children / hot)
    elif args.quiet_hosts > 0:
        if random.Random("quiet-%d-%d" % (args.seed, host_no)).random() < args.quiet_hosts:
            return frozenset(), frozenset(), 0
    rng = random.Random("plan-%d-%d-%d" % (args.seed, host_no, child))
    total = round(share * args.urls)
    added = round(total * args.added_share)
    picked = rng.sample(range(args.urls), min(args.urls, total - added))
    removed = picked[:round(total * args.removed_share)]
    return frozenset(picked[len(removed):]), frozenset(removed), added


def stray_plan(args, host_no, child):
    """Yield, entry after entry, the kind of stray that it is, or None."""
    bounds = []
    total = 0.0
    for kind in STRAYS:
        share = getattr(args, "stray_" + kind)
        total += share
        if share > 0:
            bounds.append((total, kind))
    if not bounds:
        while True:
            yield None
    rng = random.Random("stray-%d-%d-%d" % (args.seed, host_no, child))
    while True:
        x = rng.random()
        yield next((kind for bound, kind in bounds if x < bound), None)


def stray_root(args, host_no, base, kind, uid):
    """What stands before the path of a stray of that kind."""
    host = host_name(args, host_no)
    folder = args.index_dir.rstrip("/")
    if kind == "host":
        return "http://elsewhere.example" + folder
    if kind == "www":
        other = host[4:] if host.startswith("www.") else "www." + host
        return "http://%s:%d%s" % (other, args.port, folder)
    if kind == "subdomain":
        return "http://blog.%s:%d%s" % (host, args.port, folder)
    if kind == "scheme":
        return "https://%s:%d%s" % (host, args.port, folder)
    if kind == "port":
        return "http://%s:%d%s" % (host, args.port + 1, folder)
    return base + (folder + "-old" if uid % 2 else "/elsewhere")


def render_child(args, host_no, base, child, version):
    """Return (xml bytes, counts) of one child in one generation."""
    t = tables(args.seed)
    touched, removed, added = (changed_plan(args, host_no, child) if version == 2
                               else (frozenset(), frozenset(), 0))
    shape = random.Random("shape-%d-%d-%d" % (args.seed, host_no, child))
    pretty = shape.random() < 0.6
    hints = shape.random() < 0.25
    pick = shape.random()
    images = pick < args.image_share
    alternates = not images and pick < args.image_share + args.hreflang_share
    spelling = shape.choice(("offset", "offset", "date", "zulu"))

    nl, ind, ind2 = ("\n", "  ", "    ") if pretty else ("", "", "")
    attrs = ' xmlns="%s"' % SITEMAP_NS
    if images:
        attrs += ' xmlns:image="%s"' % IMAGE_NS
    if alternates:
        attrs += ' xmlns:xhtml="%s"' % XHTML_NS
    out = ['<?xml version="1.0" encoding="UTF-8"?>\n<urlset%s>%s' % (attrs, nl)]

    open_url = "%s<url>%s%s<loc>" % (ind, nl, ind2)
    close_loc = "</loc>%s%s<lastmod>" % (nl, ind2)
    close_mod = "</lastmod>%s" % nl
    close_url = "%s</url>%s" % (ind, nl)

    start = (host_no * (args.children + 1) + child) * args.urls * 2 + 10_000_000
    rng = random.Random("urls-%d-%d-%d" % (args.seed, host_no, child))
    stream = list(urls_of_child(args, base, child, args.urls, start, rng))
    extra = list(urls_of_child(args, base, child, added, start + args.urls,
                               random.Random("added-%d-%d-%d" % (args.seed, host_no, child))))
    alien = round(args.out_of_scope * 65536)
    n = stray = 0
    inside = base + args.index_dir.rstrip("/")
    kinds = dict.fromkeys(STRAYS, 0)
    for i, ((path, day, r), kind) in enumerate(
            zip(stream + extra, stray_plan(args, host_no, child))):
        if i in removed:
            continue
        root = inside
        if kind:
            root = stray_root(args, host_no, base, kind, i)
            kinds[kind] += 1
        if alien and r >> 72 & 65535 < alien:
            root = "http://elsewhere.example"       # breaks the host rule
            stray += 1
        minute = (r >> 60) % 1440
        if i in touched or i >= args.urls:
            day = DAYS + 1 + minute % 7             # between v1 and v2
        if spelling == "date":
            mod = t.days[day]
        elif spelling == "zulu":
            mod = "%sT%s:%s.%03dZ" % (t.days[day], t.minutes[minute],
                                      t.seconds[(r >> 90) % 60], r >> 80 & 511)
        else:
            mod = "%sT%s:%s+00:00" % (t.days[day], t.minutes[minute],
                                      t.seconds[(r >> 90) % 60])
        out.append(open_url + root + path + close_loc + mod + close_mod)
        if hints:
            out.append("%s<changefreq>%s</changefreq>%s%s<priority>0.%d</priority>%s" % (
                ind2, ("daily", "weekly", "monthly")[r % 3], nl, ind2, r % 10, nl))
        if images:
            for k in range(1 + (r >> 70 & 1)):
                out.append("%s<image:image>%s%s%s<image:loc>%s/media/%x/%x-%d.jpg</image:loc>"
                           "%s%s</image:image>%s" % (ind2, nl, ind2, ind, base, r & 255,
                                                     r >> 40 & 0xffffff, k, nl, ind2, nl))
        if alternates:
            for k in range(3):
                lang = LANGS[(r + k) % 8]
                out.append('%s<xhtml:link rel="alternate" hreflang="%s" href="%s/%s%s"/>%s' % (
                    ind2, lang, base, lang, path, nl))
        out.append(close_url)
        n += 1
    out.append("</urlset>\n")
    counts = {"urls": n, "out_of_scope": stray, "touched": len(touched),
              "removed": len(removed), "added": added}
    counts.update(("stray_" + kind, count) for kind, count in kinds.items()
                  if getattr(args, "stray_" + kind) > 0)
    return "".join(out).encode(), counts


# --- files ------------------------------------------------------------------

def child_name(args, child):
    return "sitemap-%05d.xml%s" % (child + 1, "" if args.plain else ".gz")


def pack(args, xml):
    return xml if args.plain else gzip.compress(xml, args.level, mtime=0)


def write(path, data, mtime):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)             # never write through an older hard link
    with open(path, "wb") as f:
        f.write(data)
    os.utime(path, (mtime, mtime))


def link(old, new):
    os.makedirs(os.path.dirname(new), exist_ok=True)
    if os.path.exists(new):
        os.unlink(new)
    os.link(old, new)


def host_name(args, host_no):
    """127.0.0.1 for one host; else the pattern, filled with n, hi and lo."""
    if args.hosts == 1 and args.host_pattern is None:
        return "127.0.0.1"
    pattern = args.host_pattern or "127.1.{hi}.{lo}"
    return pattern.format(n=host_no, hi=host_no // 250, lo=host_no % 250 + 1)


def make_child(job):
    """Write one child in both generations; returns its manifest record."""
    args, host_no, child = job
    host = host_name(args, host_no)
    base = "http://%s:%d" % (host, args.port)
    name = child_name(args, child)
    folder = args.index_dir.strip("/")
    old = os.path.join(args.out, "v1", host, folder, name)
    new = os.path.join(args.out, "v2", host, folder, name)

    xml, counts = render_child(args, host_no, base, child, 1)
    data = pack(args, xml)
    write(old, data, V1_DAY)
    rec = {"host": host_no, "child": child, "v1": counts, "xml_bytes": len(xml),
           "file_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}

    touched, removed, added = changed_plan(args, host_no, child)
    if touched or removed or added:
        xml, counts = render_child(args, host_no, base, child, 2)
        write(new, pack(args, xml), V2_DAY)
        rec["v2"] = counts
    else:
        link(old, new)
        rec["v2"] = dict(rec["v1"])
    rec["differs"] = bool(touched or removed or added)
    return rec


def write_index(args, host_no, version, differs):
    """The index and robots.txt of one host; differs[i]: child i is new in v2."""
    host = host_name(args, host_no)
    base = "http://%s:%d" % (host, args.port)
    folder = args.index_dir.rstrip("/")
    stamp = {False: "2026-01-01T00:00:00+00:00", True: "2026-01-08T00:00:00+00:00"}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="%s">\n' % SITEMAP_NS]
    for child in range(args.children):
        lines.append("  <sitemap>\n    <loc>%s/%s</loc>\n    <lastmod>%s</lastmod>\n  </sitemap>\n"
                     % (base + folder, child_name(args, child), stamp[version == 2 and differs[child]]))
    lines.append("</sitemapindex>\n")
    top = os.path.join(args.out, "v%d" % version, host)
    when = V2_DAY if version == 2 else V1_DAY
    write(os.path.join(top, folder.lstrip("/"), "sitemap_index.xml"),
          "".join(lines).encode(), when)
    robots = "User-agent: *\nDisallow:\n"
    if not args.no_robots_sitemap:
        robots += "\nSitemap: %s/sitemap_index.xml\n" % (base + folder)
    write(os.path.join(top, "robots.txt"), robots.encode(), when)


def write_nginx(args):
    """A static server for OUT; start: nginx -p OUT -c nginx.conf -e stderr."""
    hosts = [host_name(args, h) for h in range(args.hosts)]
    numeric = [h for h in hosts if h.replace(".", "").isdigit()] or ["127.0.0.1"]
    # as root nginx would drop to a user who may not read OUT
    user = "user root;\n" if os.geteuid() == 0 else ""
    log = ("  log_format requests escape=json '$msec\\t$connection\\t$host\\t$request_method"
           "\\t$request_uri\\t$status\\t$bytes_sent\\t$http_if_none_match"
           "\\t$http_if_modified_since\\t$http_user_agent';\n"
           "  access_log access.log requests;\n" if args.access_log else "  access_log off;\n")
    temp = "".join("  %s_temp_path temp-%s;\n" % (name, name)
                   for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    conf = [user + "worker_processes 1;\ndaemon off;\npid nginx.pid;\nerror_log stderr;\n"
            "worker_rlimit_nofile 16384;\nevents { worker_connections 8192; }\n"
            "http {\n" + log + temp + "  sendfile on;\n  tcp_nopush on;\n"
            "  keepalive_requests 100000;\n"
            "  types { application/xml xml; application/gzip gz; text/plain txt; }\n"
            "  server {\n"]
    conf += ["    listen %s:%d;\n" % (h, args.port) for h in numeric]
    # `live` -> v1; re-point it at v2 for the second crawl
    conf.append("    root live/$host;\n  }\n}\n")
    with open(os.path.join(args.out, "nginx.conf"), "w") as f:
        f.write("".join(conf))
    live = os.path.join(args.out, "live")
    if not os.path.islink(live):
        os.symlink("v1", live)


def parse_args(argv):
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", help="directory to write")
    p.add_argument("--children", type=int, default=200, help="children per host (200)")
    p.add_argument("--urls", type=int, default=50000, help="URLs per child (50000)")
    p.add_argument("--hosts", type=int, default=1, help="number of hosts (1)")
    p.add_argument("--host-pattern", help="host names, e.g. 'h{n}.test' or '127.1.{hi}.{lo}'")
    p.add_argument("--port", type=int, default=8088)
    p.add_argument("--changed", type=float, default=0.01,
                   help="fraction of URLs that differ between v1 and v2 (0.01)")
    p.add_argument("--change-layout", choices=("scattered", "clustered"), default="scattered")
    p.add_argument("--quiet-hosts", type=float, default=0.0,
                   help="fraction of hosts with no change at all (scattered layout)")
    p.add_argument("--removed-share", type=float, default=0.1, help="of the changed (0.1)")
    p.add_argument("--added-share", type=float, default=0.1, help="of the changed (0.1)")
    p.add_argument("--out-of-scope", type=float, default=0.0,
                   help="fraction of entries on a foreign host (0)")
    for kind in STRAYS:
        p.add_argument("--stray-" + kind, type=float, default=0.0, metavar="F",
                       help="fraction of entries that break the %s rule (0)" % kind)
    p.add_argument("--index-dir", default="/", metavar="/DIR/",
                   help="where index, children and pages lie (/)")
    p.add_argument("--no-robots-sitemap", action="store_true",
                   help="robots.txt without its Sitemap line")
    p.add_argument("--access-log", action="store_true",
                   help="nginx writes OUT/access.log: time, connection, host, method, URI, "
                        "status, bytes, If-None-Match, If-Modified-Since, user agent")
    p.add_argument("--image-share", type=float, default=0.2)
    p.add_argument("--hreflang-share", type=float, default=0.1)
    p.add_argument("--plain", action="store_true", help="write .xml, not .xml.gz")
    p.add_argument("--level", type=int, default=6, help="gzip level (6)")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    args = p.parse_args(argv)
    if not (args.index_dir.startswith("/") and args.index_dir.endswith("/")):
        p.error("--index-dir must begin and end with a slash")
    if args.stray_dir > 0 and args.index_dir == "/":
        p.error("--stray-dir needs an --index-dir below the root")
    if args.stray_www > 0 or args.stray_subdomain > 0:
        if host_name(args, 0).replace(".", "").isdigit():
            p.error("--stray-www and --stray-subdomain need a --host-pattern of names")
    return args


# Options that the manifest mentions only where they were used, so that a plain
# run stays the same, byte for byte.
LATER_OPTIONS = dict.fromkeys(["stray_" + kind for kind in STRAYS], 0.0)
LATER_OPTIONS.update(index_dir="/", no_robots_sitemap=False, access_log=False)


def main(argv=None):
    args = parse_args(argv)
    os.makedirs(args.out, exist_ok=True)
    jobs = ((args, h, c) for h in range(args.hosts) for c in range(args.children))
    totals = {"files": 0, "xml_bytes": 0, "file_bytes": 0, "children_differ": 0,
              "v1": {}, "v2": {}}
    differs = [[False] * args.children for _ in range(args.hosts)]
    digest = []
    with multiprocessing.Pool(args.jobs) as pool:
        for rec in pool.imap_unordered(make_child, jobs, chunksize=1 if args.urls > 1000 else 32):
            differs[rec["host"]][rec["child"]] = rec["differs"]
            totals["files"] += 1
            totals["xml_bytes"] += rec["xml_bytes"]
            totals["file_bytes"] += rec["file_bytes"]
            totals["children_differ"] += rec["differs"]
            for v in ("v1", "v2"):
                for key, n in rec[v].items():
                    totals[v][key] = totals[v].get(key, 0) + n
            digest.append((rec["host"], rec["child"], rec["sha256"]))
    for h in range(args.hosts):
        for version in (1, 2):
            write_index(args, h, version, differs[h])
    write_nginx(args)
    totals["sha256_of_v1_children"] = hashlib.sha256(
        "".join("%d %d %s\n" % d for d in sorted(digest)).encode()).hexdigest()
    totals["arguments"] = {k: v for k, v in vars(args).items() if k not in ("out", "jobs")
                           and not (k in LATER_OPTIONS and v == LATER_OPTIONS[k])}
    with open(os.path.join(args.out, "manifest.json"), "w") as f:
        json.dump(totals, f, indent=1, sort_keys=True)
        f.write("\n")
    print("%d children, %d URLs (v2: %d), %.1f MB XML, %.1f MB on disk, %d children differ in v2"
          % (totals["files"], totals["v1"]["urls"], totals["v2"]["urls"],
             totals["xml_bytes"] / 1e6, totals["file_bytes"] / 1e6, totals["children_differ"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
