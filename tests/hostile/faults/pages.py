"""HOSTILE 4.13, W1 to W20: pages that `freshet fetch` archives, and what happens to the archive."""
import asyncio
import contextlib
import gzip
import json
import os
import signal
import subprocess
import time

import warc
from origin import KEEP, chunk, head, redirect, whole
from payload import Bomb
from scene import fault, urlset

HTML = "Content-Type: text/html; charset=utf-8"
PAGE = b"<!doctype html><title>A sound page</title><main><p>It has a text of its own.</main>"
DISK = "(the disk) "
MOST_PAGE = "1M"    # --max-bytes


def page(body=PAGE, *fields, status=200):
    return whole(body, HTML, *fields, status=status)


def site(w, answers, name=None, others=1):
    """A server whose sitemap lists these pages, {path: answer}, and some sound ones."""
    answers = dict(answers)
    for n in range(others):
        answers["/sound/%d" % n] = page()
    origin = w.origin()
    w.bad(whole(urlset([origin.url(path) for path in answers])), origin=origin, name=name, clean=True, urls=list(answers))
    for path, answer in answers.items():
        origin.put(path, answer)
    w.healthy.put(None, page())
    return origin


class Fetched:
    """One `freshet fetch`, and what every one of them must keep to."""

    def __init__(self, w, *args, status=None, folder="archive", most_s=20):
        self.w = w
        self.folder = os.path.join(w.program.folder, folder)
        self.run = w.command("fetch", "--json", "--progress", "off", "--warc", self.folder, *w.args, *args,
                             "--allow-address", "127.0.0.1/32", seconds=2 * most_s)
        w.check(not self.run.is_late, "fetch does not end: %s", self.run)
        w.check_time(self.run.own_s <= most_s, "fetch took %.1f s", self.run.own_s)
        w.check(self.run.rss_mib <= w.rss_mib, "a process had %.1f MiB", self.run.rss_mib)
        w.check(not self.run.broken, "no JSON: %r", self.run.broken[:1])
        if status is not None:
            w.check(self.run.status == status, "status %d, not %d: %s", self.run.status, status, self.run)
        for listener in w.net.forbidden:
            w.check(listener.accepted == 0, "%s, which is forbidden, was connected to", listener)
        fsck = w.command("db", "fsck")
        w.check(fsck.status == 0, "db fsck: %s", fsck)
        self.pages = {r["url"]: r for r in self.run.records if r.get("type") == "page"}
        for record in self.run.records:
            for key in ("title", "description"):
                text = record.get(key) or ""
                w.check(len(text.encode()) <= 4096 and "\x1b" not in text, "%s is %r", key, text[:80])
        self.records = []
        self.judge_archive()

    def judge_archive(self):
        w = self.w
        if not os.path.isdir(self.folder):
            return
        self.records, wrong = warc.read_folder(self.folder)
        for text in wrong:
            w.fail("the archive: %s", text)
        places = {(r.file, r.offset): r for r in self.records if r.is_answer}
        for one in self.pages.values():
            place = one.get("archive")
            record = place and places.get((place["file"], place["offset"]))
            w.check(place is None or (record is not None and record.id == place["id"]), "%s: %r is there", one, record)

    def healthy(self):
        """The pages of the healthy site came."""
        for url in self.w.healthy_urls:
            self.w.check(self.pages.get(url, {}).get("status") == 200, "the healthy page %s: %s", url, self.pages.get(url))
        return self

    def page(self, origin, path, **wanted):
        """The object of that page, whose members are these."""
        one = self.pages.get(origin.url(path))
        if self.w.check(one is not None, "nothing is said of %s: %s", path, self.run):
            for key, value in wanted.items():
                self.w.check(one.get(key) == value, "%s of %s is %r, not %r", key, path, one.get(key), value)
        return one or {}

    def answers(self, origin, path):
        return [r for r in self.records if r.is_answer and r.url == origin.url(path)]

    def truncated(self, origin, path, why):
        """What came of that page is in the archive, and said to be a part."""
        found = self.answers(origin, path)
        self.w.check(found and all(r.fields.get("warc-truncated") == why for r in found), "%s in the archive: %s", path,
                     [(r, r.fields.get("warc-truncated")) for r in found])
        return found


def most_bytes(w, args):
    at = w.args.index("--max-bytes")
    w.args[at:at + 2] = args


@fault("W1", does="sends pages without end, with chunks and without", good="stops at a limit of bytes, and archives the part",
       off="body-limit")
def endless_pages(w):
    async def chunks(c):
        await c.send(head(HTML, "Transfer-Encoding: chunked"))
        await c.flood(chunk(b"<p>more and more " * 100), rest_s=0.002)

    async def body(c):
        await c.send(head(HTML))
        await c.flood(b"<p>more and more " * 100, rest_s=0.002)
    origin = site(w, {"/chunks": chunks, "/body": body})
    yield
    got = Fetched(w).healthy()
    for path in ("/chunks", "/body"):
        w.sub_cases += 1
        got.truncated(origin, path, "length")
        sent = max(r.sent for r in origin.asked(path))
        w.check(sent < 6 << 20, "%s: %d bytes were sent", path, sent)
        one = got.page(origin, path)
        w.check(one.get("bytes", 0) <= 1 << 20, "%s: %s bytes", path, one.get("bytes"))


@fault("W2", does="has a page of 1 GiB, which it announces", good="takes no more than its limit of it, if anything",
       off="body-limit")
def huge_page(w):
    async def huge(c):
        await c.send(head(HTML, "Content-Length: %d" % (1 << 30)))
        await c.flood(b"<p>more and more " * 100, rest_s=0.002)
    origin = site(w, {"/huge": huge})
    yield
    got = Fetched(w).healthy()
    sent = max(r.sent for r in origin.asked("/huge"))
    w.check(sent < 6 << 20, "%d bytes were sent", sent)
    got.page(origin, "/huge")


@fault("W3", does="closes before the length of a page that it announced", good="archives the part as a part, and not as a whole page",
       off="cut-body")
def cut_page(w):
    async def cut(c):
        await c.send(head(HTML, "Content-Length: 5000") + PAGE)
    origin = site(w, {"/cut": cut})
    yield
    got = Fetched(w).healthy()
    got.truncated(origin, "/cut", "disconnect")
    one = got.page(origin, "/cut")
    w.check(one.get("error"), "no error is told: %s", one)


@fault("W4", does="sends more than the length of a page that it announced", good="takes so much, and no more of that connection",
       off="idle-bytes")
def long_page(w):
    async def longer(c):
        await c.send(head(HTML, "Content-Length: %d" % len(PAGE)) + PAGE)
        # while the connection waits for the next request
        await asyncio.sleep(0.05)
        await c.send(page(b"<title>Smuggled</title>"))
        return KEEP
    origin = site(w, {"/long": longer}, others=4)
    yield
    got = Fetched(w, "--delay", "0.2").healthy()
    got.page(origin, "/long", status=200, title="A sound page")
    for n in range(4):
        got.page(origin, "/sound/%d" % n, status=200, title="A sound page")
    w.check(not any(b"Smuggled" in r.block for r in got.records), "what was behind the answer is in the archive")


@fault("W5", does="sends a page byte by byte, one in a second", good="gives up by the clock, and fetches others meanwhile",
       off="low-speed")
def slow_page(w):
    w.args += ["--low-speed-time", "2", "--max-time", "60"]

    async def slow(c):
        await c.send(head(HTML, "Content-Length: 5000"))
        await c.drip(b"<", 1)
    origin = site(w, {"/slow": slow})
    yield
    begin = time.monotonic()
    got = Fetched(w).healthy()
    last = max(r.at for r in w.healthy.requests if r.target.startswith(("/a/", "/b/")))
    w.check(last - begin < 5 + got.run.waited_s, "the healthy pages waited for %.1f s", last - begin)
    one = got.page(origin, "/slow")
    w.check(one.get("error") and one.get("outcome") == "failed", "is taken for whole: %s", one)


@fault("W6", does="packs 1 GiB of zeros in a page of 1 MB, once and twice", good="stops at a limit of what is unpacked, in the sandbox; archives what came",
       off="page-bytes")
def page_bombs(w):
    most_bytes(w, ["--max-bytes", "4M"])
    bomb = Bomb(1 << 30, b"<!doctype html><title>A bomb</title>")
    inner = b"".join(bomb.pieces())
    twice = gzip.compress(inner, 9)

    def packed(data):
        return whole(data, HTML, "Content-Encoding: gzip")
    origin = site(w, {"/once": packed(inner), "/twice": packed(twice), "/file": whole(twice, "Content-Type: application/gzip")})
    yield
    got = Fetched(w).healthy()
    w.check(got.run.cpu_s < 5, "took %.1f s of CPU", got.run.cpu_s)
    for path, data in (("/once", inner), ("/twice", twice)):
        w.sub_cases += 1
        got.page(origin, path)
        w.check([r.body for r in got.answers(origin, path)] == [data], "%s is not in the archive as it was sent", path)


@fault("W7", does="says a wrong charset of a page, or one that nobody knows", good="says what it reads in UTF-8, whatever the bytes are",
       off="page-utf8")
def page_charsets(w):
    texts = {"utf-16": PAGE, "utf-8": "<title>caf\u00e9</title>".encode("latin-1"), "koi8-r": "<title>caf\u00e9</title>".encode(),
             "utf-7": b"<title>+ADw-b+AD4-</title>", "x-nobody-knows-" + "a" * 4000: PAGE, "\"": PAGE,
             "utf-32": "<title>caf\u00e9</title>".encode("utf-32"), "ebcdic-us": bytes(range(256))}
    origin = site(w, {"/%d" % n: whole(text, "Content-Type: text/html; charset=%s" % name)
                      for n, (name, text) in enumerate(texts.items())})
    yield
    got = Fetched(w).healthy()
    titles = {1: "caf\ufffd", 2: "caf\u0446\u2558", 3: "+ADw-b+AD4-", 4: "A sound page", 5: "A sound page"}
    for n in range(len(texts)):
        w.sub_cases += 1
        got.page(origin, "/%d" % n, status=200, **({"title": titles[n]} if n in titles else {}))


@fault("W8", does="sends hostile HTML: 300,000 levels, 100,000 attributes, titles of 1 MB with escapes, what never ends",
       good="reads it in bounded time in the sandbox, and prints nothing of it that acts", off="page-title")
def hostile_html(w):
    most_bytes(w, ["--max-bytes", "4M"])
    texts = [b"<title>deep</title>" + b"<div>" * 300000, b"<p " + b" ".join(b"a%d=x" % n for n in range(100000)) + b"><title>wide</title>",
             b"<title>" + b"\x1b[31mred\x07 \xe2\x80\xae" * 60000 + b"</title>", b"<title>no end", b"<!-- no end <title>x</title>",
             b"<script>no end <title>x</title>", b"<title>&" + b"#" * 100000 + b"x41;&#0;&#xd800;&#x110000;</title>",
             b"<html lang='" + b"x" * 100000 + b"'><meta name=robots content='" + b"none," * 100000 + b"'>",
             b"<a href='" + b"../" * 100000 + b"'>x</a>" * 1000, b"\0" * 100000 + b"<title>nul</title>",
             b"<title>a</title>" * 100000, b"<" * 1000000, b"<meta name=description content='::set-output name=x::y\n::'>"]
    origin = site(w, {"/%d" % n: page(text) for n, text in enumerate(texts)})
    yield
    got = Fetched(w).healthy()
    w.check(got.run.cpu_s < 10, "took %.1f s of CPU", got.run.cpu_s)
    for n in range(len(texts)):
        w.sub_cases += 1
        one = got.page(origin, "/%d" % n, status=200)
        w.check(len((one.get("title") or "").encode()) <= 1000, "a title of %d bytes", len(one.get("title") or ""))


@fault("W9", does="sends cookies, and redirects to the same page until they come back", good="notices the circle, and sends no cookie ever",
       off="redirect-loop")
def cookie_loop(w):
    origin = site(w, {"/cookie": redirect("/cookie").replace(b"\r\n", b"\r\nSet-Cookie: id=1; Path=/\r\n", 1)})
    other = {"/a": "/b", "/b": "/a"}
    for path, to in other.items():
        origin.put(path, redirect(to).replace(b"\r\n", b"\r\nSet-Cookie: id=2; Path=/\r\n", 1))
    yield
    got = Fetched(w).healthy()
    one = got.page(origin, "/cookie")
    w.check(one.get("error"), "no error is told: %s", one)
    w.check(len(origin.asked("/cookie")) <= 2, "asked for %d times", len(origin.asked("/cookie")))
    w.check(not any(r.header("Cookie") for r in origin.requests), "a cookie was sent back")


@fault("W10", does="has a wall: its pages redirect to a login, or are one", good="names the wall, goes no further than it, keeps the page as it was",
       off="login-wall")
def login_walls(w):
    form = page(b"<title>Log in</title><form action=/go method=post><input name=u><input type=password name=p></form>")
    walls = {"/1": "/login?next=/1", "/2": "/accounts/sign-in", "/3": "/sso/begin"}
    origin = site(w, {**{path: redirect(to) for path, to in walls.items()}, "/4": form})
    for to in walls.values():
        origin.put(to, redirect("/login/again"))
    origin.put("/login/again", form)
    yield
    got = Fetched(w).healthy()
    for path in list(walls) + ["/4"]:
        w.sub_cases += 1
        got.page(origin, path, wall="login")
    for to in [*walls.values(), "/login/again"]:
        w.check(not origin.asked(to), "the wall was followed to %s", to)
    w.check(not origin.asked("/go"), "the form was sent")


@fault("W11", does="answers 304 to a request without a condition, and with a validator that was never sent", good="takes nothing for unchanged",
       off="page-304")
def unasked_304(w):
    origin = site(w, {"/never": head("ETag: \"1\"", status=304), "/later": page(PAGE)})
    yield
    got = Fetched(w)
    one = got.page(origin, "/never")
    w.check(one.get("error") and one.get("outcome") == "failed", "is taken for unchanged: %s", one)
    w.check(not any(r.kind == "revisit" for r in got.answers(origin, "/never")), "a revisit is in the archive")
    got.healthy()


@contextlib.contextmanager
def small_disk(w, size, options="rw"):
    """A file system of so many bytes, as the folder of the archive; None: none can be had."""
    folder = os.path.join(w.program.folder, "archive")
    os.mkdir(folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d,%s" % (size, options), "freshet-test", folder],
                          capture_output=True, check=False)
    if done.returncode != 0:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


def wait_for(what, seconds=600):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


@fault("W12", does=DISK + "is full in the middle of an archive, and has room again later",
       good="acknowledges nothing that is not archived, asks for nothing meanwhile, goes on by itself", off="archive-full")
def full_disk(w):
    noise = os.urandom(30000).hex().encode()
    origin = site(w, {"/%d" % n: page(b"<title>%d</title>" % n + noise) for n in range(60)})
    yield
    with small_disk(w, 1 << 20) as folder:
        if folder is None:
            return
        out = os.path.join(w.program.folder, "out")
        with open(out, "wb") as f, open(out + ".err", "wb") as err:
            process = subprocess.Popen(
                [w.program.binary, "fetch", "--json", "--progress", "off", "--warc", folder, *w.args,
                 "--allow-address", "127.0.0.1/32"], env=w.program.environment(None), cwd=w.program.folder, stdout=f, stderr=err)
        try:
            def text(name=out + ".err"):
                with open(name, encoding="utf-8") as f:
                    return f.read()
            w.check(wait_for(lambda: "space" in text() or process.poll() is not None), "no word of the full disk")
            w.check(process.poll() is None, "fetch ended with %s: %s", process.returncode, text())
            time.sleep(1)
            before, told = len(origin.requests), len(text(out).splitlines())
            time.sleep(4)
            w.check(len(origin.requests) <= before + 1, "%d requests while the disk is full", len(origin.requests) - before)
            w.check(len(text(out).splitlines()) == told, "a page was acknowledged while the disk is full")
            w.check(told < 60, "all was acknowledged")
            w.check(text().count("space") == 1, "the warning came %d times: %s", text().count("space"), text())
            subprocess.run(["mount", "-o", "remount,size=%d" % (64 << 20), folder], check=True)
            w.check(wait_for(lambda: process.poll() is not None), "does not go on")
            w.check(process.returncode == 0, "status %s: %s", process.returncode, text())
        finally:
            process.kill()
            process.wait()
        records, wrong = warc.read_folder(folder)
        for one in wrong:
            w.fail("the archive: %s", one)
        told = [json.loads(line) for line in text(out).splitlines()]
        ids = {r.id for r in records if r.is_answer}
        names = [r["archive"]["id"] for r in told if r["type"] == "page" and r.get("archive")]
        w.check(len(names) == len(set(names)) == 60 + 1 + len(w.healthy_urls) and set(names) <= ids,
                "%d pages were told, %d of them are in the archive", len(names), len(set(names) & ids))


@fault("W13", does=DISK + "lets nobody write into the folder of the archive", good="says so before it asks anybody, status 7",
       off="archive-folder")
def no_folder(w):
    origin = site(w, {"/p": page()})
    yield
    origin.requests = []
    path = os.path.join(w.program.folder, "file")
    with open(path, "wb"):
        pass
    for folder in ("file", "file/below"):
        w.sub_cases += 1
        Fetched(w, status=7, folder=folder, most_s=5)
    with small_disk(w, 1 << 20, "ro") as folder:
        if folder is not None:
            w.sub_cases += 1
            Fetched(w, status=7, most_s=5)
    w.check(not origin.requests, "asked: %s", origin.requests)


@fault("W14", does=DISK + "has one folder for two processes of two stores", good="writes files of its own, and disturbs no other's",
       off="archive-lock")
def one_folder(w):
    async def soon(c):
        await asyncio.sleep(0.02)
        await c.send(page(b"<title>soon</title>"))
        return KEEP
    origin = site(w, {"/%d" % n: soon for n in range(100)})
    yield
    folder = os.path.join(w.program.folder, "archive")
    stores, outs = [w.program.store, w.program.store + "2"], []
    with open(stores[0], "rb") as f, open(stores[1], "wb") as to:
        to.write(f.read())
    both = []
    for store in stores:
        both.append(subprocess.Popen(
            [w.program.binary, "fetch", "--json", "--progress", "off", "--store", store, "--warc", folder, *w.args,
             "--allow-address", "127.0.0.1/32"], env=w.program.environment(None), cwd=w.program.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0))
        # the second one finds what the first one is writing
        first = both[-1].stdout.readline() + both[-1].stdout.readline()
        w.check(len([name for name in os.listdir(folder) if name.endswith(".open")]) == len(both)
                or any(process.poll() is not None for process in both), "files: %s", os.listdir(folder))
        outs.append((first, b""))
    outs = [(first[0] + out, err) for first, (out, err) in zip(outs, (process.communicate(timeout=600) for process in both))]
    records, wrong = warc.read_folder(folder)
    for text in wrong:
        # ids are made of URL and time: two may have fetched in one microsecond
        w.fail("the archive: %s", text)
    places = {(r.file, r.offset): r for r in records if r.is_answer}
    for process, (out, err) in zip(both, outs):
        w.check(process.returncode == 0, "status %d: %s", process.returncode, err)
        pages = [r for r in map(json.loads, out.splitlines()) if r["type"] == "page"]
        w.check(len(pages) == 101 + len(w.healthy_urls), "%d pages", len(pages))
        for one in pages:
            record = places.get((one["archive"]["file"], one["archive"]["offset"]))
            w.check(record is not None and record.url == one["url"], "%s: %r is there", one, record)
    w.check(len(places) == 2 * (101 + len(w.healthy_urls)), "%d answers", len(places))
    w.check(len({r.file for r in records}) == 2, "files: %s", {r.file for r in records})
    w.check(len(origin.asked("/1")) == 2, "asked for %d times", len(origin.asked("/1")))


@fault("W15", does="(kill -9) comes at any moment", good="has every acknowledged page in the archive once; the next start cuts off what is torn",
       off="archive-repair")
def killed(w):
    origin = site(w, {"/%d" % n: page(b"<title>%d</title>" % n + os.urandom(3000).hex().encode()) for n in range(150)})
    folder = os.path.join(w.program.folder, "archive")
    told = []
    yield
    for kill_after in (5, 20, 40, 60, 80, None):
        process = subprocess.Popen(
            [w.program.binary, "fetch", "--json", "--progress", "off", "--warc", folder, *w.args,
             "--allow-address", "127.0.0.1/32"], env=w.program.environment(None), cwd=w.program.folder,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        count = 0
        for line in process.stdout:
            count += 1
            with contextlib.suppress(ValueError):
                told.append(json.loads(line))
            if count == kill_after:
                w.sub_cases += 1
                process.send_signal(signal.SIGKILL)
        w.check(process.wait() == (-9 if kill_after else 0) or count < (kill_after or 1), "status %d", process.returncode)
        for name in os.listdir(folder):
            if name.endswith(".open") and kill_after in (20, 60):
                # as a machine leaves it whose power fails
                with open(os.path.join(folder, name), "ab") as f:
                    f.write(b"\x1f\x8b\x08\x00torn")
    records, wrong = warc.read_folder(folder)
    for text in wrong:
        w.fail("the archive: %s", text)
    w.check(not [name for name in os.listdir(folder) if name.endswith(".open")], "an open file: %s", os.listdir(folder))
    places = {(r.file, r.offset): r for r in records if r.is_answer}
    pages = [r for r in told if r["type"] == "page"]
    for one in pages:
        record = places.get((one["archive"]["file"], one["archive"]["offset"]))
        w.check(record is not None and record.id == one["archive"]["id"], "%s: %r is there", one, record)
    w.check(len({r["url"] for r in pages}) == len(pages), "a page was acknowledged twice")
    rows = w.sql("SELECT count(*) AS n FROM state WHERE fetched_s > 0")
    w.check(rows[0]["n"] == 151 + len(w.healthy_urls), "%s pages were fetched", rows[0]["n"])


@fault("W16", does="redirects its pages to its neighbours: loopback, other addresses, other schemes, in many spellings",
       good="connects to none of them", off="address-policy")
def inward(w):
    to = ["http://127.0.0.2:%d/" % w.healthy.port, "http://[::1]:%d/" % w.healthy.port, "http://2130706434:%d/" % w.healthy.port,
          "http://0x7f.2:%d/" % w.healthy.port, "http://[::ffff:127.0.0.2]:%d/" % w.healthy.port, "file:///etc/passwd",
          "gopher://127.0.0.2/", "//127.0.0.2:%d/x" % w.healthy.port, "http://127.0.0.2:%d@127.0.0.2/" % w.healthy.port]
    origin = site(w, {"/%d" % n: redirect(location, 302 if n % 2 else 301) for n, location in enumerate(to)})
    yield
    got = Fetched(w).healthy()
    for n in range(len(to)):
        w.sub_cases += 1
        one = got.page(origin, "/%d" % n)
        w.check(one.get("error") or 300 <= one.get("status", 0) < 400, "%s: %s", to[n], one)


@fault("W17", does="has pages that lead elsewhere: refresh, base, canonical, frames, links to stylesheets", good="asks nobody for any of it",
       off="address-policy")
def elsewhere(w):
    there = "http://127.0.0.2:%d/" % w.healthy.port
    text = ("<base href=%s><meta http-equiv=refresh content='0;url=%s'><link rel=canonical href=%sc><link rel=stylesheet href=%ss>"
            "<title>x</title><iframe src=%sf></iframe><img src=%si><script src=%sj></script>" % ((there,) * 7)).encode()
    origin = site(w, {"/p": page(text, "Link: <%sl>; rel=canonical" % there, "Refresh: 0; url=" + there)})
    yield
    got = Fetched(w).healthy()
    got.page(origin, "/p", status=200, title="x")
    w.check(len(origin.requests) <= 4, "asked: %s", origin.requests)


@fault("W18", does="answers 429 and 503 to its first page, with Retry-After of ages", good="leaves the host alone, and gives back what it had of it",
       off="retry-after")
def limited_pages(w):
    limited = [head("Retry-After: 99999999999", "Content-Length: 0", status="HTTP/1.1 " + status)
               for status in ("429 Wait", "503 Wait")]
    origin = site(w, {"/%d" % n: limited[n % 2] for n in range(20)}, others=0)
    yield
    origin.requests = []
    Fetched(w).healthy()
    asked = [r for r in origin.requests if r.target != "/robots.txt"]
    # several may have been under way at a host without delay
    w.check(len(asked) <= 8, "asked %d times", len(asked))
    rows = w.sql("SELECT count(*) AS n FROM lease")
    w.check(rows[0]["n"] <= 0, "%s leases stay", rows[0]["n"])


@fault("W19", does="sends a million header lines with a page, a NUL in one, and two lengths", good="refuses the answer, and archives none of it as a page",
       off="header-limit")
def page_headers(w):
    async def million(c):
        await c.send(b"HTTP/1.1 200 OK\r\n")
        await c.flood(b"X-Line: more and more\r\n", rest_s=0.002)
    origin = site(w, {"/million": million, "/nul": b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 2\r\n\r\nok",
                      "/two": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!"})
    yield
    got = Fetched(w).healthy()
    for path in ("/million", "/nul", "/two"):
        w.sub_cases += 1
        one = got.page(origin, path)
        w.check(one.get("error") and one.get("outcome") == "failed", "%s is taken: %s", path, one)
        for record in got.answers(origin, path):
            w.check(record.length < 1 << 18, "%r is large", record)


@fault("W20", does="lists pages that its robots.txt forbids, and redirects to such pages of its own and of others",
       good="asks for none of them", off="page-hop-rules")
def forbidden_hops(w):
    other = w.origin()
    other.put("/robots.txt", whole("User-agent: *\nDisallow: /secret\n"))
    other.put("/secret/1", page())
    origin = site(w, {"/ok": redirect(other.url("/secret/1")), "/own": redirect("/secret/2", 301), "/secret/3": page()})
    origin.put("/robots.txt", whole("User-agent: *\nDisallow: /secret\n"))
    origin.put("/secret/2", page())
    yield
    got = Fetched(w, "--allow-address", "%s/32" % other.address).healthy()
    for one in (origin, other):
        asked = [r.target for r in one.requests if r.target.startswith("/secret")]
        w.check(not asked, "asked for %s", asked)
    for path in ("/ok", "/own"):
        w.sub_cases += 1
        got.page(origin, path)
