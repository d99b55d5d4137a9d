"""HOSTILE 4.3: what comes packed."""
import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
import zlib

from faults.xml import END, MIB, ROOT, streamed, url
from origin import chunk, head, whole
from payload import FHCRC, Bomb, deflate, gzip_head, member
from scene import fault, gz

NAME = "/sitemap.xml.gz"
BROKEN = "compression-error"


def text_of(origin, names="abc"):
    return (ROOT + "".join(url(origin.url("/" + n)) for n in names) + END).encode()


def put(w, name, pack, *fields, path=NAME, **expected):
    """A target whose body is pack(the urlset of its origin, /a to /c)."""
    origin = w.origin()
    return w.bad(whole(pack(text_of(origin)), *fields), path=path, name=name, origin=origin,
                 **expected)


ALL = {"clean": True, "urls": ["/a", "/b", "/c"]}
FIRST = {"partial": BROKEN, "urls": ["/a", "/b", "/c"]}


def known_good(w, name, spoil, become=None, **expected):
    """A target that is good at first, for spoil_all to break.  become(text): what
    is expected then, when that goes by its own text."""
    document = put(w, name, gz, **ALL)
    document.spoil = spoil
    document.spoilt = become or (lambda _: expected)


def spoil_all(w):
    """Nothing that a broken body lacks is removed (two crawls)."""
    w.args += ["--delay", "0"]
    run = yield
    for document in w.documents:
        body = text_of(document.origin)
        document.put(whole(document.spoil(body))).expect(urls=["/a", "/b", "/c"],
                                                         **document.spoilt(body))
    run = yield
    for document in w.documents:
        changes = [run.record(document.url).get(k, 0) for k in ("added", "removed", "gone")]
        w.check(not any(changes), "%s: added, removed, gone: %s", document.name, changes)


# --- too much ---------------------------------------------------------------------


def bomb(w, size, **kwargs):
    w.args += ["--max-bytes", "64M"]
    w.cpu_s = 1.5
    w.rss_mib = 32
    return w.bad(streamed(Bomb(size, **kwargs)), path=NAME, failure=(
        "file-too-large", "unsupported-format"))


@fault("Z1", does="sends 1 GiB of zeros in 1 MB",
       good="stops at a limit of what is inflated",
       off="inflated-limit")
def zeros(w):
    document = bomb(w, 1 << 30, fill=b"\n")
    run = yield
    size = run.record(document.url).get("decoded_bytes", 0)
    w.check(size <= 52428800 + 65536, "%d bytes were inflated", size)


@fault("Z2", does="sends 10 GiB of zeros in 10 MB",
       good="stops at a limit of what is inflated",
       off="inflated-limit")
def many_zeros(w):
    document = bomb(w, 10 << 30, fill=b"\n")
    run = yield
    size = run.record(document.url).get("decoded_bytes", 0)
    w.check(size <= 52428800 + 65536, "%d bytes were inflated", size)


@fault("Z3", does="sends 10 GiB of spaces inside a good sitemap",
       good="stops at a limit of what is inflated, keeps the entries before",
       off="inflated-limit")
def spaces(w):
    w.args += ["--max-bytes", "64M"]
    w.rss_mib = 32
    origin = w.origin()
    text = text_of(origin).decode()
    at = text.index(url(origin.url("/b")))
    w.bad(streamed(Bomb(10 << 30, text[:at].encode(), b" ", text[at:].encode())), path=NAME,
          origin=origin, partial="file-too-large", urls=["/a"])


@fault("Z4", does="packs a sitemap three times, and 1 GiB twice",
       good="undoes one layer of the file and one of the transport, no more",
       off="layers")
def nested(w):
    put(w, "three", lambda text: gz(gz(gz(text))), failure="gzip-too-many-layers")
    put(w, "three, one of the transport", lambda text: gz(gz(gz(text))),
        "Content-Encoding: gzip", failure="gzip-too-many-layers")
    put(w, "two, one of the transport", lambda text: gz(gz(text)), "Content-Encoding: gzip",
        **ALL)
    put(w, "a bomb in two", lambda text: gz(b"".join(Bomb(1 << 30).pieces())),
        "Content-Encoding: gzip", failure=("file-too-large", "unsupported-format"))


# --- members -----------------------------------------------------------------------


@fault("Z5", does="packs a sitemap as two members, or as one for each byte",
       good="reads them as one text",
       off="members")
def members(w):
    put(w, "two", lambda text: gz(text[:99]) + gz(text[99:]), **ALL)
    put(w, "one for each byte", lambda text: b"".join(
        member(text[n:n + 1]) for n in range(len(text))), **ALL)
    put(w, "an empty one between", lambda text: gz(text[:99]) + gz(b"") + gz(text[99:]), **ALL)


@fault("Z6", does="sends two members so that their border is at each byte of what is read at once",
       good="reads them as one text",
       off="members")
def split_members(w):
    # what is pulled at once has 32 KiB: the 20 bytes between the members lie
    # across that
    for n in range(0, 30, 1 if w.is_full else 3):
        def pack(text, n=n):
            second = gz(text[99:])
            first = member(text[:99], extra=b"x" * 32000, comment=b"")
            gap = 32768 - len(first) + 10 - n
            return member(text[:99], extra=b"x" * 32000, comment=b"y" * gap) + second
        put(w, "at %d" % n, pack, **ALL)


@fault("Z7", does="sends 500,000 empty members",
       good="stops at a limit of members",
       off="member-limit")
def empty_members(w):
    w.args += ["--max-bytes", "64M"]
    w.cpu_s = 1.5
    put(w, "500,000", lambda text: member(b"") * 500000, failure=BROKEN)
    put(w, "1,024", lambda text: gz(text) + member(b"") * 1023, **ALL)
    put(w, "1,025", lambda text: gz(text) + member(b"") * 1024, **FIRST)


# --- no progress -------------------------------------------------------------------


@fault("Z8", does="sends 20 MB of empty blocks",
       good="stops when much comes in and nothing out",
       off="no-progress")
def empty_blocks(w):
    w.args += ["--max-bytes", "64M"]
    blocks = b"\0\0\0\xff\xff" * (4 * MIB)
    put(w, "first of all", lambda text: gzip_head() + blocks + deflate(text), failure=BROKEN)
    put(w, "behind a sitemap", lambda text: gzip_head() + zlib_part(text) + blocks, **FIRST)
    put(w, "fixed codes", lambda text: gzip_head() + fixed_blocks(4 * MIB), failure=BROKEN)


def zlib_part(text):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)


def fixed_blocks(count):
    """Empty blocks of fixed codes: ten bits each, so five bytes have four."""
    bits = "0100000000" * 4
    return bytes(int(bits[n:n + 8][::-1], 2) for n in range(0, 40, 8)) * (count // 4)


@fault("Z9", does="sends a name, a comment, an extra field of 20 MB",
       good="stops when much comes in and nothing out",
       off="no-progress")
def long_fields(w):
    w.args += ["--max-bytes", "64M"]
    for name in ("name", "comment"):
        put(w, name, lambda text, name=name: member(text, **{name: b"n" * (20 * MIB)}),
            failure=BROKEN)
    put(w, "extra fields", lambda text: member(b"", extra=b"x" * 65535) * 400, failure=BROKEN)
    put(w, "one extra field", lambda text: member(text, extra=b"x" * 65535), **ALL)


# --- what follows -------------------------------------------------------------------


@fault("Z10", does="pads with zeros, as tar does",
       good="reads it, and says nothing",
       off="padding")
def zero_padding(w):
    put(w, "10 KiB", lambda text: gz(text) + b"\0" * 10240, **ALL)
    put(w, "one", lambda text: gz(text) + b"\0", **ALL)
    run = yield
    for document in w.documents:
        found = run.findings(document.url)
        w.check(not [c for c in found if "garbage" in c], "%s: %s", document.name, found)


@fault("Z11", does="adds what is no gzip behind it",
       good="reads what is before, and says so",
       off="garbage")
def garbage(w):
    for name, more in (("text", b"more"), ("behind zeros", b"\0\0x"), ("half a magic", b"\x1fx"),
                       ("the end of another", b"\x1f"), ("a sitemap", b"<urlset/>"),
                       ("1 MB", random.Random(1).randbytes(900000))):
        put(w, name, lambda text, more=more: gz(text) + more, codes=("gzip-trailing-garbage",),
            **ALL)


# --- damage -------------------------------------------------------------------------


@fault("Z12", does="ends at every byte",
       good="says that it is cut, keeps whole entries, removes nothing",
       off="gzip-end")
def cut(w):
    def become(text, n):
        # each of them has an address of its own: its root ends where it ends
        begun = zlib.decompressobj(31).decompress(gz(text)[:n])
        return {"partial" if ROOT.encode() in begun else "failure": "gzip-truncated"}
    # by how much the last one, whose address is longest, may be shorter
    for n in range(2, len(gz(text_of(w.healthy))) - 16, 1 if w.is_full else 9):
        known_good(w, "after %d" % n, lambda text, n=n: gz(text)[:n],
                   lambda text, n=n: become(text, n))
    yield from spoil_all(w)


@fault("Z13", does="ends within the checksum",
       good="says that it is cut: that nothing lacks cannot be known",
       off="gzip-end")
def cut_trailer(w):
    for n in range(1, 9):
        known_good(w, "%d bytes lack" % n, lambda text, n=n: gz(text)[:-n],
                   partial="gzip-truncated")
    yield from spoil_all(w)


@fault("Z14", does="has a wrong checksum",
       good="does not take it for whole, removes nothing",
       off="checksum")
def wrong_crc(w):
    known_good(w, "CRC", lambda text: member(text[:200], crc=1), partial=BROKEN)
    known_good(w, "of the second member", lambda text: gz(text[:99]) + member(text[99:200], crc=1),
               partial=BROKEN)
    yield from spoil_all(w)


@fault("Z15", does="has a wrong length",
       good="does not take it for whole, removes nothing",
       off="checksum")
def wrong_size(w):
    known_good(w, "one more", lambda text: member(text, size=len(text) + 1), partial=BROKEN)
    known_good(w, "none", lambda text: member(text, size=0), partial=BROKEN)
    yield from spoil_all(w)


@fault("Z16", does="has one bit flipped, at each place",
       good="never takes what is wrong for whole",
       off="checksum")
def flipped(w):
    """Which bits matter is what Python's gzip says, which does not look at the
    reserved ones of the flags."""
    origin = w.origin()
    text = text_of(origin)
    bodies = {}
    for bit in range(0, 8 * len(gz(text)), 1 if w.is_full else 37):
        spoilt = bytearray(gz(text))
        spoilt[bit // 8] ^= 1 << bit % 8
        bodies[bit] = bytes(spoilt)
        origin.put("/%d.xml.gz" % bit, whole(bodies[bit]))
        w.targets.append(origin.url("/%d.xml.gz" % bit))
    w.sub_cases += len(bodies)
    w.status = 1
    if w.is_full:
        w.cpu_s, w.wall_s, w.healthy_s = 30, 90, 60
    run = yield
    for bit, body in bodies.items():
        try:
            is_good = gzip.decompress(body) == text
        except (OSError, EOFError, zlib.error):
            is_good = False
        record = run.record(origin.url("/%d.xml.gz" % bit))
        w.check(record.get("outcome") == "read" or not is_good, "bit %d: %s", bit,
                record.get("failure"))
        w.check(is_good or record.get("outcome") == "failed" or record.get("complete") is False,
                "bit %d: %s, complete", bit, record.get("outcome"))


# --- other formats ---------------------------------------------------------------------


def tarred(text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        info = tarfile.TarInfo("sitemap.xml")
        info.size = len(text)
        tar.addfile(info, io.BytesIO(text))
    return out.getvalue()


def zipped(text):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sitemap.xml", text)
    return out.getvalue()


@fault("Z17", does="is zlib, raw deflate, compress, bzip2, xz, zip, tar.gz, or plain, as .gz",
       good="tells by the bytes what it is; takes plain XML, refuses the others",
       off="plain-named-gz")
def other_packers(w):
    for name, pack in (("zlib", zlib.compress), ("raw deflate", deflate),
                       ("compress", lambda text: b"\x1f\x9d\x90" + text), ("bzip2", bz2.compress),
                       ("xz", lzma.compress), ("zip", zipped), ("tar.gz", tarred)):
        put(w, name, pack, failure=(BROKEN, "unsupported-format", "parse-error",
                                    "encoding-not-utf8"))
    put(w, "plain", lambda text: text, codes=("gz-extension-not-gzip",), **ALL)
    for name, pack in (("zlib", zlib.compress), ("raw", deflate)):
        put(w, "Content-Encoding: deflate, " + name, pack, "Content-Encoding: deflate",
            path="/sitemap.xml", **ALL)


@fault("Z18", does="sets another method, a wrong checksum of its header",
       good="refuses it; a reserved flag does not matter",
       off="gzip-header")
def bad_header(w):
    for name, fields in (("method 7", {"method": 7}),
                         ("wrong FHCRC", {"flags": FHCRC, "bad_check": True})):
        put(w, name, lambda text, fields=fields: member(text, **fields), failure=BROKEN)
    put(w, "right FHCRC", lambda text: member(text, flags=FHCRC, name=b"n"), **ALL)
    put(w, "reserved 0x40", lambda text: member(text, flags=0x40), **ALL)


@fault("Z19", does="sends a packed sitemap byte by byte, in chunks of one",
       good="reads the same",
       off="gunzip-pieces")
def byte_by_byte(w):
    for name, field, wrap, last in (
            ("bytes", "Content-Length: %d", bytes, b""),
            ("chunks", "Transfer-Encoding: chunked", chunk, b"0\r\n\r\n")):
        origin = w.origin()
        body = gz(text_of(origin))

        async def answer(c, body=body, field=field, wrap=wrap, last=last):
            await c.send(head(field % len(body) if "%" in field else field))
            for byte in body:
                await c.send(wrap(bytes([byte])))
            await c.send(last)
        w.bad(answer, path=NAME, name=name, origin=origin, **ALL)


@fault("Z20", does="sends the first byte of gzip, or the first two, and no more",
       good="says that it is cut, or that it is nothing it knows",
       off="gzip-end")
def first_byte(w):
    for count in range(1, 11):
        put(w, "%d bytes" % count, lambda text, count=count: gz(text)[:count],
            failure=("gzip-truncated", BROKEN, "unsupported-format"))
    put(w, "none", lambda text: b"", failure="empty-file")
