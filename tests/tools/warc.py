"""Reads a folder of WARC files, and judges what no archive may have.

    records, faults = read_folder(folder)
    record.kind, .url, .fields, .body, .file, .offset, .length

Of each record: it is one gzip member of its own; its length is that of its block;
block and payload have the SHA-1 that it says; its id is used once; a revisit refers
to a response that is there.  Written from ISO 28500:2017 alone, for tests.
"""
import base64
import collections
import gzip
import hashlib
import os
import re
import zlib

VERSION = b"WARC/1.1"
NEEDED = ("warc-type", "warc-record-id", "warc-date", "content-length")


class Record:
    def __init__(self, file, offset, length, fields, block):
        self.file, self.offset, self.length = file, offset, length
        self.fields = fields    # names in small letters
        self.block = block

    @property
    def kind(self):
        return self.fields.get("warc-type", "")

    @property
    def url(self):
        return self.fields.get("warc-target-uri", "").strip("<>")

    @property
    def id(self):
        return self.fields.get("warc-record-id", "").strip("<>")

    @property
    def date(self):
        return self.fields.get("warc-date", "")

    @property
    def is_answer(self):
        return self.kind in ("response", "revisit")

    @property
    def head(self):
        """The header of the HTTP message as text; the whole block if there is no body."""
        return self.block.partition(b"\r\n\r\n")[0].decode("latin-1")

    @property
    def body(self):
        return self.block.partition(b"\r\n\r\n")[2]

    @property
    def status(self):
        found = re.match(r"HTTP/\S+ (\d+)", self.head)
        return int(found.group(1)) if found else 0

    def header(self, name):
        """The first value of that header of the HTTP message, or None."""
        for line in self.head.split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.strip().lower() == name.lower():
                return value.strip()
        return None

    def content(self):
        """The payload without its coding."""
        if self.header("Content-Encoding") in ("gzip", "x-gzip"):
            return gzip.decompress(self.body)
        return self.body

    def __repr__(self):
        return "<%s %s in %s at %d>" % (self.kind, self.url, self.file, self.offset)


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def members(path):
    """(offset, length, bytes) of each gzip member; the last may be None: it is cut."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        unpacker = zlib.decompressobj(31)
        try:
            content = unpacker.decompress(data[at:])
        except zlib.error:
            content = None
        if content is None or not unpacker.eof:
            yield at, len(data) - at, None
            return
        end = len(data) - len(unpacker.unused_data)
        yield at, end - at, content
        at = end


def parse(name, offset, length, content):
    """(record, what is wrong with it)"""
    head, _, rest = content.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    fields, faults = {}, []
    for line in lines[1:]:
        key, _, value = line.decode("utf-8").partition(":")
        fields[key.strip().lower()] = value.strip()
    if lines[0] != VERSION:
        faults.append("begins with %r" % lines[0][:20])
    faults += ["has no " + field for field in NEEDED if field not in fields]
    size = int(fields.get("content-length", "-1"))
    record = Record(name, offset, length, fields, rest[:size])
    if rest[size:] != b"\r\n\r\n":
        faults.append("has a block of %d bytes, and says %d" % (len(rest) - 4, size))
    for field, data in (("warc-block-digest", record.block), ("warc-payload-digest", record.body)):
        # the payload of a revisit is not in it
        if field in fields and not (record.kind == "revisit" and field == "warc-payload-digest"):
            if sha1(data) != fields[field]:
                faults.append("%s is %s, not %s" % (field, fields[field], sha1(data)))
    return record, faults


def read_folder(folder):
    """All records, and what is wrong: lines of text."""
    records, faults = [], []
    for name in sorted(os.listdir(folder)):
        if not re.search(r"\.warc\.gz(\.open)?$", name):
            continue
        for offset, length, content in members(os.path.join(folder, name)):
            where = "%s at %d: " % (name, offset)
            if content is None:
                faults.append(where + "the member is cut")
                continue
            record, wrong = parse(name.removesuffix(".open"), offset, length, content)
            records.append(record)
            faults += [where + "%s %s %s" % (record.kind, record.url, text) for text in wrong]
    for record_id, count in collections.Counter(record.id for record in records).items():
        if count > 1:
            faults.append("%d records have the id %s" % (count, record_id))
    responses = {record.id: record for record in records if record.kind == "response"}
    for record in records:
        if record.kind == "revisit":
            of = responses.get(record.fields.get("warc-refers-to", "").strip("<>"))
            if of is None:
                faults.append("%r refers to no response" % record)
            elif of.url != record.url or of.date != record.fields.get("warc-refers-to-date", of.date):
                faults.append("%r refers to another page, %r" % (record, of))
            elif record.fields.get("warc-payload-digest", sha1(of.body)) != sha1(of.body):
                faults.append("%r has not the digest of %r" % (record, of))
        elif record.kind == "response" and record.body and "warc-payload-digest" not in record.fields:
            faults.append("%r has no digest of its payload" % record)
    return records, faults
