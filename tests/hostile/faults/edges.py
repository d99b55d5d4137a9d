"""What stands at the edges: addresses, names, files, and what is told of it all
(docs/internals/HOSTILE.md 4.11)."""
import csv
import ctypes
import io
import json
import os
import re
import shutil
import socket
import subprocess
import time
import unicodedata

from daemon import Daemon
from faults.names import NAMES, has_names, named
from origin import head, redirect, whole
from scene import fault, index, urlset

# what no machine of the Internet has, though it is none of the usual ranges
ODD = ("::ffff:0:127.0.0.2", "5f00::1", "100:0:0:1::1", "4000::1", "::127.0.0.2", "64:ff9b::7f00:2",
       "2002:7f00:2::1", "64:ff9b:2::1")
# a sink of RFC 7534: nobody is harmed by the test of a test, which knocks there
SINK = "192.175.48.1"


@fault("E40", does="has names whose addresses hold others, or that nobody has, or this machine since it began",
       good="connects to none of them",
       off=("global-unicast", "own-anew", "own-within"))
def odd_addresses(w):
    if not has_names():
        yield
        return
    origin = named(w, "outside.example")
    w.args += ["--delay", "0"]
    w.env["FRESHET_TEST_OWN"] = SINK
    names = {a: "to%s.example" % a.replace(":", "x").replace(".", "o")
             for a in ODD + (SINK, "64:ff9b::" + SINK)}
    for address, name in names.items():
        w.bad(redirect("http://%s:%d/x" % (name, origin.port)), path="/%s.xml" % name, name=address,
              origin=origin, failure="private-address")
    run = yield
    said = [f["text"] for r in run.records if r.get("kind") == "robots" for f in r["findings"]
            if f["code"] == "private-address"]
    w.check(len(said) == len(names), "judged when connecting: %s", said)


@fault("R15", does="leads to a public address of the machine that crawls, by redirects, children and Sitemap lines",
       good="connects to none of them: it is a neighbour like any other",
       off="own-machine")
def own_machine(w):
    if not has_names():
        yield
        return
    origin = named(w, "outside.example")
    w.args += ["--delay", "0"]
    w.env.update(FRESHET_TEST_OWN=SINK, FRESHET_TEST_OWN_FIRST="1")
    name = "to%s.example" % SINK.replace(".", "o")
    for text in (name, SINK, "[::ffff:%s]" % SINK, "[64:ff9b::c0af:3001]", "0xc0.175.48.1", "3232706561"):
        w.bad(redirect("http://%s:%d/x" % (text, origin.port)), path="/%d.xml" % len(w.documents), name=text,
              origin=origin, failure=("private-address", "fetch-redirect-unsafe"))
    run = yield
    said = [f["text"] for r in run.records if r.get("kind") == "robots" for f in r["findings"]
            if f["code"] == "private-address"]
    w.check(said, "judged when connecting: %s", said)


FORMULAS = ("x;=1+1", "x;+1;-1", "x;@SUM(A1)", "x;;=cmd%7C'/c%20calc'!A0;")
# what is no URL, and is shown as it was written
TEXTS = ("\u00a0=1+1", "\u3000-1", "\uff1d1+1", "\uff201", "\ufe631", "\u22121", "\u200b=1", "x; \u2003=1",
         "x;\uff0b1")


@fault("E41", does="has formulas behind semicolons, behind blanks of every kind, and in full-width letters",
       good="writes CSV in which no cell begins with one, whether commas, semicolons or tabs part them",
       off=("csv-semicolon", "csv-blank", "csv-wide"))
def other_spreadsheets(w):
    origin = w.origin()
    w.args += ["--delay", "0"]
    w.bad(whole(urlset([origin.url("/" + f) for f in FORMULAS])), origin=origin, clean=True,
          urls=["/" + f for f in FORMULAS])
    for n, text in enumerate(TEXTS):
        w.bad(whole(urlset([text])), path="/%d.xml" % n, name=ascii(text), origin=origin, clean=True,
              urls=["/" + f for f in FORMULAS])
    yield
    for args in (("export",), ("sql", "SELECT 1, loc, 2, loc FROM url"),
                 ("sql", "SELECT 1, text FROM finding"), ("sql", "SELECT text, 1 FROM finding")):
        for form, own in (("csv", ","), ("tsv", "\t")):
            run = w.program.run(*args, "-f", form)
            w.check(run.status == 0, "%s", run)
            for sign in ";\t" + own:
                acting = [c for row in cells(run.out, sign) for c in row if begins_formula(c)]
                w.check(not acting, "%s -f %s, read with %r: %r", args[0], form, sign, acting[:3])
    rows = cells(w.program.run("sql", "SELECT loc FROM url", "-f", "csv").out, ",")
    read = sorted(row[0].replace(";'", ";") for row in rows[1:])
    w.check(read == w.listed, "reads back as %s", read)


def cells(text, sign):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=sign))


def begins_formula(cell):
    """Whatever is invisible or blank before it, and however wide it is."""
    shown = unicodedata.normalize("NFKC", cell).lstrip().lstrip("\u200b\u2212") or " "
    return shown[0] in "=+-@" or cell.lstrip().startswith("\u2212")


# a value is a word, or stands between quotes that nothing within ends
VALUE = r'(?:[^\s"\\]+|"(?:[^"\\\x00-\x1f]|\\["\\]|\\x[0-9a-f]{2})*")'
LINE = re.compile(r"\S+Z [a-z]+( [a-z_]+=%s)*" % VALUE)


@fault("E42", does="ends what is told of it with a backslash, or with quotes and fields of its own",
       good="writes a log in which each value ends where it says",
       off="log-backslash")
def log_lines(w):
    ends = ["\\", "\\\\\\", '" forged=1 x="', '\\" forged=1 x="', "\\x0a", "\\\\\" forged=1", " forged=1 \\"]
    origins = [w.origin() for _ in ends]
    for origin, end in zip(origins, ends):
        origin.put("/sitemap_index.xml", redirect("ftp://a/ b" + end))
    yield
    w.program.run("add", *[o.url("/") for o in origins])
    daemon = Daemon(w.program, "--log", "text", "--allow-address", "127.0.0.1/32", "--delay", "0", log=False)
    limit = time.monotonic() + 600
    while time.monotonic() < limit and sum(" lost " in l for l in daemon.lines) < len(ends):
        time.sleep(0.05)
    w.check(daemon.end() == 143, "%s", daemon)
    told = [line for line in daemon.lines if " problem " in line and "redirect" in line]
    w.check(len(told) == len(ends), "told of %d: %s", len(told), daemon)
    for line in daemon.lines:
        w.check(LINE.fullmatch(line), "no line of a log: %s", line)
        values = re.findall(" ([a-z_]+)=%s" % VALUE, line)
        w.check("forged" not in values, "a field of its own: %s", line)


FIELDS = ('x","retry_after":86400,"content_hash":"forged', '"', "\\", '\\"', "{}", '"} {"lease":"1.1"}',
          b"\xff\xfe", "x" * 90000, "Sun, 06 Nov 1994 08:49:37 GMT", "%{url}\\n{}", "")


@fault("E43", does="writes fields of a result into headers that curl tells of, or what makes the line none",
       good="takes each result for that of its page, and of the header what can be sent back",
       off=("curl-template", "done-validator"))
def told_by_curl(w):
    origin = w.origin()
    origin.put("/robots.txt", whole("User-agent: *\nDisallow:\n"))
    paths = ["/%d" % n for n in range(2 * len(FIELDS))]
    for n, field in enumerate(FIELDS):
        value = field if isinstance(field, bytes) else field.encode()
        origin.put(paths[2 * n], whole(b"page", b"Last-Modified: " + value, b"ETag: \"" + value[:90] + b"\""))
        origin.put(paths[2 * n + 1], whole(b"", b"Location: " + value, b"Last-Modified: " + value, status=302))
    w.bad(whole(urlset([origin.url(p) for p in paths])), origin=origin, clean=True, urls=paths)
    yield
    if shutil.which("curl") is None:
        return
    told = w.program.run("due", "-f", "curl", "--per-host", "0", "-n", "100", origin.address)
    w.check(told.status == 0, "%s", told)
    curl = subprocess.run(["curl", "-q", "-K", "-"], input=told.out.encode(), capture_output=True,
                          cwd=w.program.folder, env=w.program.environment(), timeout=600, check=False)
    done = subprocess.run([w.program.binary, "done"], input=curl.stdout, capture_output=True,
                          cwd=w.program.folder, env=w.program.environment(), timeout=600, check=False)
    acks = [json.loads(line) for line in done.stdout.splitlines()]
    w.check(len(acks) == len(paths) and all(a["ack"] == "OK" for a in acks), "%s\n%s", acks, curl)
    rows = w.sql("SELECT url, hash, last_modified, status FROM page ORDER BY id")
    w.check(len(rows) == len(paths), "%d pages", len(rows))
    for row in rows:
        n = int(row["url"].rpartition("/")[2])
        field = FIELDS[n // 2]
        fits = isinstance(field, str) and 0 < len(field) <= 256
        w.check(row["hash"] is None and row["status"] == (302 if n % 2 else 200) and
                row["last_modified"] == (field if fits and n % 2 == 0 else None), "forged, or lost: %s", row)
    held = w.sql("SELECT * FROM hold")
    w.check(not held, "held: %s", held)


def asked(w, *lines):
    """The lines of the answer that whoever holds the store gives to a neighbour."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(120)
        peer.connect(w.program.store + ".sock")
        for line in lines:
            peer.sendall((json.dumps(line) if isinstance(line, dict) else line).encode() + b"\n")
        data = b""
        while b'"type":"end"' not in data and b'"ack"' not in data:
            piece = peer.recv(65536)
            if not piece:
                break
            data += piece
    return [json.loads(line) for line in data.splitlines()]


NO_HOSTS = ("a b", "\u0001", "x\n", "", " ", "a/b", "user@a", "%00", "[::1", "x" * 254, "x" * 4000, "\u202ea", "a:80",
            "http://a/")
HOSTS = {"UPPER.Example": "upper.example", "b\u00fccher.example": "xn--bcher-kva.example",
         "0x7f.1": "127.0.0.1", "dot.example.": "dot.example"}
TARGETS = {"HTTP://Add.Example:80/%7ea/../S.xml": "http://add.example/S.xml",
           "b\u00fccher.example": "xn--bcher-kva.example", " pad.example ": "pad.example"}


@fault("E44", does="(a neighbour that may use the store's socket) names hosts and targets that are none, or oddly spelt",
       good="keeps each as it is normalised, and refuses what is none: the store stays whole",
       off=("hold-host", "watch-target", "done-validator"))
def odd_neighbour(w):
    origin = w.origin()
    w.bad(whole(urlset([origin.url("/p")])), origin=origin, clean=True, urls=["/p"])
    yield
    w.program.run("due", "-n", "1", origin.address)
    version = w.program.run("version", "--json").records()[0]["version"]
    daemon = Daemon(w.program, "--allow-address", "127.0.0.1/32")
    daemon.wait("started")

    def ask(**request):
        return asked(w, dict(request, v=1, version=version))
    for host in NO_HOSTS:
        told = ask(command="hold", host=host, for_s=60)
        w.check(told == [{"v": 1, "type": "hello"}, {"v": 1, "type": "end", "exit": 2}],
                "hold %r: %s", host, told)
    for host, kept in HOSTS.items():
        told = ask(command="hold", host=host, for_s=60)
        w.check(any(t.get("host") == kept for t in told) and told[-1].get("exit") == 0,
                "hold %r: %s", host, told)
    ask(command="add", targets=list(TARGETS) + ["a b", "ftp://a/", "@news"], settings=[])
    ask(command="set", targets=["add.example"],
        settings=["target=HTTP://ADD.example/\u00e9", "target=http://other.example/"])
    for result in ({"location": "\u0001" * 9000}, {"etag": "x" * 9000, "last_modified": "a\r\nX: y"}):
        told = asked(w, {"v": 1, "command": "done", "version": version},
                     "1 " + json.dumps(dict(result, url=origin.url("/p"), status=200)))
        w.check(told[-1].get("ack") == "OK", "done: %s", told)
    w.check(daemon.end() == 143, "%s", daemon)
    fsck = w.command("db", "fsck")
    w.check(fsck.status == 0, "db fsck: %s", fsck)
    held = sorted(r["host"] for r in w.sql("SELECT host FROM hold"))
    w.check(held == sorted(HOSTS.values()), "held: %s", held)
    kept = sorted(r["value"] for r in w.sql("SELECT value FROM watch_item WHERE kind = 'target'"))
    w.check(kept == sorted(["http://add.example/%C3%A9"] + list(TARGETS.values())[1:]), "targets: %s", kept)


IN_OPEN = 0x20
LINKS = {"absolute.xml": "SECRET", "relative.xml": "../secret.txt", "twice.xml": "absolute.xml",
         "folder": "..", "deep/up.xml": "../../secret.txt", "proc": "/proc/self", "null.xml": "/dev/null",
         "zero.xml": "/dev/zero", "magic.xml": "/proc/self/exe"}
CHILDREN = (*LINKS, "folder/secret.txt", "folder/site/real.xml", "proc/environ", "proc/cwd/secret.txt", "fifo.xml",
            "..%2fsecret.txt", "%2e%2e/secret.txt", "deep/..%5c..%5csecret.txt")


@fault("E45", does="(a change that is checked before it is published) has links out of its folder, a FIFO, devices",
       good="reads regular files below the folder, and opens nothing else",
       off=("beneath", "fifo"))
def links(w):
    yield
    folder, base = w.program.folder, "https://www.example.org/"
    site, secret = os.path.join(folder, "site"), os.path.join(folder, "secret.txt")
    with open(secret, "w", encoding="ascii") as f:
        f.write("TOKEN=hunter2\n")
    os.makedirs(os.path.join(site, "deep"))
    for name, to in LINKS.items():
        os.symlink(secret if to == "SECRET" else to, os.path.join(site, name))
    os.mkfifo(os.path.join(site, "fifo.xml"))
    os.symlink(secret, os.path.join(site, "robots.txt"))
    os.symlink("real.xml", os.path.join(site, "within.xml"))
    for name, text in (("sitemap.xml", index([base + c for c in CHILDREN + ("real.xml", "within.xml")])),
                       ("real.xml", urlset([base + "p"]))):
        with open(os.path.join(site, name), "w", encoding="utf-8") as f:
            f.write(text)
    libc = ctypes.CDLL(None)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    for path in (os.path.join(site, "fifo.xml"), secret):
        libc.inotify_add_watch(watch, path.encode(), IN_OPEN)
    for args in (("check", "--base", base, "site"), ("check", "-f", "json", "--base", base, "site"),
                 ("check", "--base", base, "--root", "site", "site/sitemap.xml"), ("check", "site/sitemap.xml"),
                 ("compare", "--base", base, "site")):
        run = w.command(*args, seconds=20)
        w.check(run.status == 1 and run.own_s < 5, "%s", run)
        w.check(b"hunter2" not in run.out + run.err and b"TOKEN" not in run.out + run.err, "shows it: %s", run)
        within = args[1] == "-f" and [d.get("accepted") for d in run.records
                                      if str(d.get("path")).endswith("/within.xml")]
        w.check(not within or within == [1], "a link within: %s", within)
    for path in ("site/absolute.xml", "site/folder/secret.txt", "site/fifo.xml", "site/null.xml"):
        run = w.command("check", "--base", base, "--root", "site", path)
        w.check(run.status == 2 and b"hunter2" not in run.out + run.err, "%s", run)
    try:
        w.fail("opened: %r", os.read(watch, 4096))
    except BlockingIOError:
        pass
    os.close(watch)


COMMANDS = ("::set-output name=pwn::yes", "\u3000::add-mask::e", "\u034f:\u200d:stop-commands::x", ":\ufe0f:error::x",
            "##[set-output name=pwn;]yes", "#\u034f#[error]x", "#\ufe0f\u200d#[add-mask]e",
            "##vso[task.setvariable variable=a;]b", "##teamcity[buildStop]", "\n::error::x", "\r ::error::x",
            "%0A::error::x", "a " + "b" * 90 + " ::error::x", "x\x85::error::x", "x\u2028::error::x")
# what comparing texts passes over, as runners of .NET compare them
HIDDEN = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
                    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\x00-\x08\x0e-\x1f\x7f]")
OWN = re.compile(r"::(error|warning|notice)[ :]")


def obeyed(text, form):
    """The lines that a runner would take for a command that is none of ours."""
    lines = re.split("[\r\n]", HIDDEN.sub("", text))
    return [line for line in lines if "##[" in line or "##vso[" in line or "##teamcity[" in line
            or (line.strip().startswith("::") and not (form == "github" and OWN.match(line)))]


@fault("E46", does="writes workflow commands of CI wherever something of it is shown, for lines and within them",
       good="shows them so that no runner takes them for commands",
       off=("lines-begin", "lines-within", "hidden-between", "json-hash"))
def commands(w):
    origin, moved = w.origin(), w.origin()
    w.args += ["--delay", "0"]

    def escaped(text):
        return "".join("&#%d;" % ord(c) for c in text)
    origin.put("/robots.txt", whole("".join("Sitemap: %s\nDisallow: /%s\nCrawl-delay: %s\n%s\n" % ((c,) * 4) for c in (
        c.replace("\n", " ").replace("\r", " ") for c in COMMANDS)) + "Allow: /\n"))
    pages = ["/%d" % n for n in range(len(COMMANDS))]
    for path, text in zip(pages, COMMANDS):
        origin.put(path, whole("<html><meta name=robots content=\"noindex, %s\"><link rel=canonical href=\"%s\">" % (
            text, text)))
        w.bad(whole(urlset([origin.url(path)] + ["%s" % escaped(t) for t in (text, "http://h/ " + text)])
                    .replace("</urlset>", "<url><loc>%s</loc><lastmod>%s</lastmod><x>%s</x></url></urlset>" % (
                        origin.url(path), escaped(text), escaped(text)))),
              path="/s%s.xml" % path[1:], name=ascii(text), origin=origin, clean=True, urls=pages)
        plain = "ftp://a/" + text.encode("ascii", "replace").decode().replace("\n", "").replace("\r", "")
        w.bad(redirect(plain), path="/m%s" % path, origin=moved, failure="fetch-redirect-unsafe")
    w.bad(head(*["X-Robots-Tag: bot: %s" % c for c in COMMANDS if c.isascii() and "\n" not in c and "\r" not in c])
          + b"<urlset>", path="/h.xml", origin=moved, lost=("parse-error", "unsupported-format", "wrong-namespace"))
    yield
    allow = ("--allow-address", "127.0.0.1/32", "--progress", "off", "--delay", "0")
    targets = [d.url for d in w.documents]
    ran = [("crawl", "--store", "other.db", *allow, *targets), ("crawl", "--store", "third.db", "--json", *allow, *targets)]
    ran += [("check", "-f", form, "--sample", "50", *allow, *targets)
            for form in ("github", "text", "json", "junit", "sarif", "html", "markdown")]
    ran += [("check", "-f", "github", *allow, *targets), ("compare", *allow, *targets), ("robots", *allow, origin.url("/")),
            ("ls",), ("ls", "--tree"), ("ls", "--sitemaps", "-l"), ("list",), ("stats",), ("due", "-n", "99"),
            ("sql", "SELECT text FROM finding"), ("sql", "-f", "json", "SELECT * FROM finding"),
            ("sql", "SELECT char(10) || ' ::error::x' || char(10) || '##[error]x' AS '::x::'"),
            ("export", "-f", "jsonl"), ("nothing ##[error]x ::error::x",), ("check", "::error::x ##[error]x"),
            ("explain", "::error::x ##[error]x"), ("hold", "::error::##[error]x", "--for", "1s")]
    ran += [("explain", url) for url in (targets[0], origin.url("/0"), origin.url("/robots.txt"))]
    shown = 0
    for args in ran:
        run = w.program.run(*args)
        form = args[2] if args[0] == "check" and args[1] == "-f" else ""
        for name, text in (("stdout", run.out), ("stderr", run.err)):
            wrong = obeyed(text, form)
            w.check(not wrong, "freshet %s: %s has %r", " ".join(args)[:60], name, wrong[:2])
            shown += "set-output" in text
        w.check(run.status in (0, 1, 2, 4), "%s", run)
    w.check(shown > 5, "%d of them show it", shown)


INSIDE = ("intranet", "metadata.google.internal", "printer.local", "wiki.corp", "nas.lan", "a.home.arpa", "x.onion",
          "db.localhost", "victim.example", "both.example", "gone.example", "to169o254o169o254.example",
          "to5f00xx1.example", "to127o0o0o1z5f00xx1.example", "to5f00xx1z127o0o0o1.example",
          "to127o0o0o1z10o0o0o1.example", "10.0.0.1", "[::1]", "127.0.0.2", "2130706434")
OUTSIDE = ("turn.example", "well.example")
OWN_NAMES = ("target", "wiki.intranet", "gone.target.example")


def proxied(proxy, asked):
    """Serves whoever says where to, by SOCKS or HTTP; notes in asked what he says."""
    async def serve(c):
        first = await c.reader.readexactly(1)
        if first == b"\5":
            await c.reader.readexactly((await c.reader.readexactly(1))[0])
            await c.send(b"\5\0")
            kind = (await c.reader.readexactly(4))[3]
            size = {1: 4, 4: 16}.get(kind) or (await c.reader.readexactly(1))[0]
            to = await c.reader.readexactly(size)
            await c.reader.readexactly(2)
            await c.send(b"\5\0\0\1" + bytes(6))
            asked.append(to.decode() if kind == 3 else socket.inet_ntop(
                socket.AF_INET if size == 4 else socket.AF_INET6, to))
        elif first == b"\4":
            port = await c.reader.readexactly(7)
            await c.reader.readuntil(b"\0")
            is_named = port[3:6] == bytes(3)
            asked.append((await c.reader.readuntil(b"\0"))[:-1].decode() if is_named
                         else socket.inet_ntoa(port[3:7]))
            await c.send(b"\0\x5a" + bytes(6))
        begin = await c.reader.readexactly(1) if first in b"\4\5" else first
        while begin != b"\x16":  # nobody speaks TLS here
            text = begin + await c.reader.readuntil(b"\r\n\r\n")
            begin = b""
            target = text.split(b" ")[1].decode()
            if text.startswith(b"CONNECT"):
                asked.append(target.rpartition(":")[0])
                await c.send(whole(b"", status=403))
                continue
            if "://" in target:
                asked.append(target.split("/")[2])
            else:
                host = re.search(rb"(?i)\r\nHost: ([^\r]+)", text)[1].decode()
                target = "http://" + host + target
            await c.send(proxy.answers.get(target, whole(b"not here", status=404)))
    return serve


@fault("E47", does="leads a crawler that has a proxy to names of the inside, by redirects and Sitemap lines",
       good="looks each name up itself first, and asks the proxy for none that leads inside or nowhere",
       off=("proxy-look", "proxy-local-names", "proxy-every-address", "proxy-literal", "socks-place"))
def by_proxy(w):
    yield
    if not has_names():
        return
    for kind in ("http", "socks4", "socks4a", "socks5", "socks5h"):
        w.sub_cases += 1
        asked, proxy = [], w.origin()
        proxy.on_accept = proxied(proxy, asked)
        base = "http://outside.example"
        leads = ["%s://%s/x" % (scheme, host) for host in INSIDE + OUTSIDE for scheme in ("http", "https")]
        proxy.put(base + "/robots.txt", whole("".join("Sitemap: %s\n" % u for u in leads)))
        targets = [base + "/%d.xml" % n for n in range(len(leads))]
        for target, to in zip(targets, leads):
            proxy.put(target, redirect(to))
        args = ["--proxy", proxy.url("").replace("http", kind, 1), "--allow-address", "127.0.0.1/32", "--delay", "0",
                "--retry", "0", "--progress", "off", "--max-time", "4", base + "/", *targets]

        def crawl(name, *more):
            asked.clear()
            run = w.program.run("crawl", "--store", kind + name + ".db", *args, *more, env={"LD_PRELOAD": NAMES})
            w.check(run.status in (1, 4), "%s: %s", kind, run)
            return set(asked)
        said = crawl("1")
        w.check(said <= {"127.0.0.1", "outside.example", *(OUTSIDE if kind == "http" else ())},
                "%s: asked for %s", kind, sorted(said))
        w.check(kind != "http" or said >= set(OUTSIDE), "%s: not asked for %s", kind, set(OUTSIDE) - said)
        w.check(kind == "http" or "127.0.0.1" in said, "%s: %s", kind, said)
        if kind not in ("http", "socks5h"):
            continue
        said = crawl("2", *["http://%s/" % name for name in OWN_NAMES])
        w.check(said >= set(OWN_NAMES), "%s: not asked for its own names: %s", kind, said)
        said = crawl("3", "--allow-address", "::/0")
        w.check(said >= {"intranet", "gone.example", "victim.example"}, "%s: all are allowed: %s", kind, said)
