"""Bytes to serve: gzip members made by hand, endless bombs, XML in pieces. A
large body is one piece that is sent many times, and its checksum is computed
from that of the piece, so the whole body is never in memory."""
import struct
import zlib

from case import gz, index, urlset

__all__ = ["Bomb", "crc_repeat", "gz", "index", "member", "split_urlset", "urlset"]
FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT = 1, 2, 4, 8, 16


def crc_combine(first, second, length):
    """Returns the CRC of two pieces in a row, from the CRC of each."""
    def times(matrix, vector):
        total = 0
        for row in matrix:
            if vector & 1:
                total ^= row
            vector >>= 1
        return total

    # what a zero bit does to a CRC; squared, two, four, eight bits
    power = [0xedb88320] + [1 << n for n in range(31)]
    bits = 8 * length
    while bits:
        if bits & 1:
            first = times(power, first)
        power = [times(power, row) for row in power]
        bits >>= 1
    return first ^ second


def crc_repeat(piece, count):
    """Returns the CRC of the piece, repeated count times."""
    total, one, length = 0, zlib.crc32(piece), len(piece)
    while count:
        if count & 1:
            total = crc_combine(total, one, length)
        one = crc_combine(one, one, length)
        length *= 2
        count >>= 1
    return total


def deflate(data, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def gzip_head(flags=0, method=8, name=b"", extra=b"", comment=b"", bad_check=False):
    """Returns the header of a member; name, extra and comment set their
    flags."""
    flags |= (FEXTRA if extra else 0) | (FNAME if name else 0) | (FCOMMENT if comment else 0)
    text = struct.pack("<BBBBIBB", 0x1f, 0x8b, method, flags, 0, 0, 255)
    if flags & FEXTRA:
        text += struct.pack("<H", len(extra)) + extra
    if flags & FNAME:
        text += name + b"\0"
    if flags & FCOMMENT:
        text += comment + b"\0"
    if flags & FHCRC:
        text += struct.pack("<H", (zlib.crc32(text) + bad_check) & 0xffff)
    return text


def member(data, level=6, crc=None, size=None, raw=None, **fields):
    """Returns one member. crc and size replace the true values, raw the
    deflated data; fields are those of gzip_head."""
    data = data.encode() if isinstance(data, str) else data
    return (gzip_head(**fields) + (deflate(data, level) if raw is None else raw)
            + struct.pack("<II", zlib.crc32(data) if crc is None else crc,
                          (len(data) if size is None else size) & 0xffffffff))


class Bomb:
    """A valid member of `total` bytes: before, piece again and again, after.

    length is of the compressed bytes, pieces() gives them.
    """

    def __init__(self, total, before=b"", fill=b"\0", after=b""):
        piece = fill * (1 << 20)
        self.count = total >> 20
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        self.first = gzip_head() + packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
        # after a full flush no data refers to earlier data
        self.piece = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
        crc = crc_combine(zlib.crc32(before), crc_repeat(piece, self.count),
                          self.count << 20)
        crc = crc_combine(crc, zlib.crc32(after), len(after))
        size = len(before) + (self.count << 20) + len(after)
        self.last = packer.compress(after) + packer.flush() + struct.pack(
            "<II", crc, size & 0xffffffff)
        self.length = len(self.first) + self.count * len(self.piece) + len(self.last)

    def pieces(self):
        yield self.first
        for _ in range(self.count // 16):
            yield self.piece * 16
        yield self.piece * (self.count % 16)
        yield self.last


def split_urlset(urls):
    """Returns (the part before the end tag, the end tag)."""
    text = urlset(urls).encode()
    at = text.rindex(b"</")
    return text[:at], text[at:]
