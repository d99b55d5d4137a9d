"""Read sitemaps and robots.txt files that somebody else wrote.

The binding of libfreshet for Python 3.9 and later: one file, ctypes, nothing to
build.  freshet.h is the contract; this file only gives it Python's shapes.

    import freshet

    with freshet.Freshet() as reader:
        place = freshet.Place("https://example.com/sitemap.xml")
        reading = reader.read(body, freshet.Document(place))
        for entry in reading.entries():
            if entry.refusal is None:
                print(entry.url, entry.lastmod)

A Freshet belongs to one thread at a time.  Strings that come from a document are
foreign text.  Bytes that are no UTF-8 become U+FFFD.
"""

from __future__ import annotations

import ctypes
import dataclasses
import datetime
import enum
import os
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

__all__ = [
    "Alternate", "Checks", "Document", "Entry", "Error", "Extension", "Finding",
    "Freshet", "HelperLost", "Kind", "Place", "Precision", "Reading", "Robots",
    "RobotsVerdict", "Sample", "Status", "Verdict", "version",
]

_API = 1


class Status(enum.IntEnum):
    OK = 0
    BAD_ARGUMENT = 1
    NO_MEMORY = 2
    NO_HELPER = 3
    NO_SANDBOX = 4
    HELPER_LOST = 5
    NO_BODY = 6


class Error(Exception):
    """A call that returned another status than OK."""

    def __init__(self, status: Status, text: str) -> None:
        super().__init__(text)
        self.status = status


class HelperLost(Error):
    """The helper died; the next call starts another."""


class Kind(enum.IntEnum):
    UNKNOWN = 0
    ROBOTS = 1
    INDEX = 2
    URLSET = 3
    TEXT = 4
    RSS = 5
    ATOM = 6


class Checks(enum.IntFlag):
    NONE = 0
    EXTENSIONS = 1
    SCHEMA = 2


class Precision(enum.IntEnum):
    NONE = 0
    YEAR = 1
    MONTH = 2
    DAY = 3
    MINUTE = 4
    SECOND = 5
    FRACTION = 6


class Extension(enum.IntFlag):
    NONE = 0
    IMAGE = 1
    VIDEO = 2
    NEWS = 4
    HREFLANG = 8
    OTHER = 16


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a document is, and the robots.txt files that name it."""

    url: Optional[str] = None
    final_url: Optional[str] = None
    proofs: Sequence[str] = ()


@dataclasses.dataclass(frozen=True)
class Document:
    """What is known of a document; see struct freshet_document."""

    place: Place = Place()
    index: Place = Place()
    depth: int = 0
    listed: Sequence[str] = ()
    own: Sequence[str] = ()
    profile: Optional[str] = None
    switches: Sequence[str] = ()
    content_type: Optional[str] = None
    content_encoding: Optional[str] = None
    now_s: int = 0
    listed_s: int = 0
    modified_s: int = 0
    checks: Checks = Checks.NONE
    is_truncated: bool = False


@dataclasses.dataclass(frozen=True)
class Sample:
    line: int
    text: str


@dataclasses.dataclass(frozen=True)
class Finding:
    code: str
    severity: str
    meaning: str
    remedy: str
    rule: str
    count: int
    samples: tuple[Sample, ...]


@dataclasses.dataclass(frozen=True)
class Alternate:
    language: str
    url: str


@dataclasses.dataclass(frozen=True)
class Entry:
    url: str
    refusal: Optional[str]
    ordinal: int
    lastmod: Optional[datetime.datetime]
    lastmod_precision: Precision
    has_zone: bool
    changefreq: int
    priority: Optional[float]
    extensions: Extension
    alternates: tuple[Alternate, ...]


@dataclasses.dataclass(frozen=True)
class Verdict:
    url: Optional[str]
    refusal: Optional[str]
    exception: Optional[str]


@dataclasses.dataclass(frozen=True)
class RobotsVerdict:
    is_allowed: bool
    line: int
    rule: str


# The structs of freshet.h.

_Texts = ctypes.POINTER(ctypes.c_char_p)


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("helper", ctypes.c_char_p),
        ("scratch_dir", ctypes.c_char_p),
        ("memory_bytes", ctypes.c_uint64),
        ("cpu_s", ctypes.c_uint32),
        ("wall_ms", ctypes.c_uint32),
        ("documents_each", ctypes.c_uint32),
        ("sandbox", ctypes.c_int),
    ]


class _Place(ctypes.Structure):
    _fields_ = [
        ("url", ctypes.c_char_p),
        ("final_url", ctypes.c_char_p),
        ("proofs", _Texts),
        ("proof_count", ctypes.c_size_t),
    ]


class _Document(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("place", _Place),
        ("index", _Place),
        ("depth", ctypes.c_uint32),
        ("listed", _Texts),
        ("listed_count", ctypes.c_size_t),
        ("own", _Texts),
        ("own_count", ctypes.c_size_t),
        ("profile", ctypes.c_char_p),
        ("switches", _Texts),
        ("switch_count", ctypes.c_size_t),
        ("content_type", ctypes.c_char_p),
        ("content_encoding", ctypes.c_char_p),
        ("now_s", ctypes.c_int64),
        ("listed_s", ctypes.c_int64),
        ("modified_s", ctypes.c_int64),
        ("checks", ctypes.c_uint),
        ("is_truncated", ctypes.c_bool),
    ]


class _Sample(ctypes.Structure):
    _fields_ = [("line", ctypes.c_uint32), ("text", ctypes.c_char_p)]


class _Finding(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_char_p),
        ("severity", ctypes.c_char_p),
        ("meaning", ctypes.c_char_p),
        ("remedy", ctypes.c_char_p),
        ("rule", ctypes.c_char_p),
        ("count", ctypes.c_uint64),
        ("samples", ctypes.POINTER(_Sample)),
        ("sample_count", ctypes.c_size_t),
    ]


class _Reading(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int),
        ("failure", ctypes.c_char_p),
        ("refusal", ctypes.c_char_p),
        ("is_complete", ctypes.c_bool),
        ("seen", ctypes.c_uint64),
        ("accepted", ctypes.c_uint64),
        ("entries", ctypes.c_uint64),
        ("decoded_bytes", ctypes.c_uint64),
        ("gzip_layers", ctypes.c_uint32),
        ("are_alternates_cut", ctypes.c_bool),
        ("findings", ctypes.POINTER(_Finding)),
        ("finding_count", ctypes.c_size_t),
    ]


class _Alternate(ctypes.Structure):
    _fields_ = [("language", ctypes.c_char_p), ("url", ctypes.c_char_p)]


class _Entry(ctypes.Structure):
    _fields_ = [
        ("url", ctypes.c_char_p),
        ("refusal", ctypes.c_char_p),
        ("ordinal", ctypes.c_uint32),
        ("lastmod_s", ctypes.c_int64),
        ("lastmod_nanos", ctypes.c_uint32),
        ("lastmod_precision", ctypes.c_int),
        ("has_zone", ctypes.c_bool),
        ("changefreq", ctypes.c_int),
        ("priority", ctypes.c_int),
        ("extensions", ctypes.c_uint),
        ("alternates", ctypes.POINTER(_Alternate)),
        ("alternate_count", ctypes.c_size_t),
    ]


class _Verdict(ctypes.Structure):
    _fields_ = [
        ("url", ctypes.c_char_p),
        ("refusal", ctypes.c_char_p),
        ("exception", ctypes.c_char_p),
    ]


class _Sitemap(ctypes.Structure):
    _fields_ = [("url", ctypes.c_char_p), ("line", ctypes.c_uint32)]


class _Facts(ctypes.Structure):
    _fields_ = [
        ("rules", ctypes.c_uint32),
        ("delay_ms", ctypes.c_uint32),
        ("sitemaps", ctypes.POINTER(_Sitemap)),
        ("sitemap_count", ctypes.c_size_t),
        ("findings", ctypes.POINTER(_Finding)),
        ("finding_count", ctypes.c_size_t),
    ]


class _RobotsVerdict(ctypes.Structure):
    _fields_ = [
        ("is_allowed", ctypes.c_bool),
        ("line", ctypes.c_uint32),
        ("rule", ctypes.c_char_p),
    ]


def _load(path: Optional[str]) -> ctypes.CDLL:
    """The library at that path, or beside this file, or above it, as in the
    tarball, or where the system looks."""
    name = "libfreshet.so.0"
    here = os.path.dirname(os.path.abspath(__file__))
    near = [os.path.join(here, name), os.path.join(os.path.dirname(here), name)]
    if path is None:
        path = next((p for p in near if os.path.exists(p)), name)
    lib = ctypes.CDLL(path)
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "freshet_api": (ctypes.c_uint, []),
        "freshet_version": (ctypes.c_char_p, []),
        "freshet_open": (ctypes.c_int, [
            ctypes.POINTER(pointer), ctypes.POINTER(_Options)]),
        "freshet_close": (None, [pointer]),
        "freshet_error": (ctypes.c_char_p, [pointer]),
        "freshet_has_sandbox": (ctypes.c_bool, [pointer]),
        "freshet_read": (ctypes.c_int, [
            pointer, ctypes.POINTER(_Document), ctypes.c_char_p,
            ctypes.c_size_t, ctypes.POINTER(ctypes.POINTER(_Reading))]),
        "freshet_read_fd": (ctypes.c_int, [
            pointer, ctypes.POINTER(_Document), ctypes.c_int,
            ctypes.POINTER(ctypes.POINTER(_Reading))]),
        "freshet_next": (ctypes.c_int, [
            pointer, ctypes.POINTER(ctypes.POINTER(_Entry))]),
        "freshet_judge": (ctypes.c_int, [
            pointer, ctypes.POINTER(_Document), ctypes.c_char_p,
            ctypes.c_bool, ctypes.POINTER(ctypes.POINTER(_Verdict))]),
        "freshet_robots_new": (ctypes.c_int, [
            pointer, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
            ctypes.c_char_p, ctypes.POINTER(pointer)]),
        "freshet_robots_free": (None, [pointer]),
        "freshet_robots_facts": (ctypes.POINTER(_Facts), [pointer]),
        "freshet_robots_ask": (ctypes.c_int, [
            pointer, ctypes.c_char_p,
            ctypes.POINTER(ctypes.POINTER(_RobotsVerdict))]),
    }
    for function, (result, arguments) in types.items():
        getattr(lib, function).restype = result
        getattr(lib, function).argtypes = arguments
    if lib.freshet_api() < _API:
        raise Error(Status.BAD_ARGUMENT, "the library is older than its binding")
    return lib


def version(library: Optional[str] = None) -> str:
    """The version of the library, as "0.1.0"."""
    return _text(_load(library).freshet_version())


def _bytes(text: Optional[str]) -> Optional[bytes]:
    if text is None:
        return None
    if "\0" in text:
        raise ValueError("a NUL in the text")
    return text.encode("utf-8", "surrogateescape")


def _optional(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else text.decode("utf-8", "replace")


def _text(text: Optional[bytes]) -> str:
    return _optional(text) or ""


def _texts(values: Sequence[str]) -> Any:
    if isinstance(values, str):
        raise TypeError("a sequence of strings is wanted, not a string")
    return (ctypes.c_char_p * (len(values) + 1))(*[_bytes(v) for v in values])


def _place(place: Place) -> _Place:
    return _Place(_bytes(place.url), _bytes(place.final_url),
                  _texts(place.proofs), len(place.proofs))


def _document(document: Document) -> _Document:
    return _Document(
        ctypes.sizeof(_Document), _place(document.place),
        _place(document.index), document.depth,
        _texts(document.listed), len(document.listed),
        _texts(document.own), len(document.own),
        _bytes(document.profile),
        _texts(document.switches), len(document.switches),
        _bytes(document.content_type), _bytes(document.content_encoding),
        document.now_s, document.listed_s, document.modified_s,
        int(document.checks), document.is_truncated)


def _findings(items: Any, count: int) -> tuple[Finding, ...]:
    return tuple(
        Finding(_text(f.code), _text(f.severity), _text(f.meaning),
                _text(f.remedy), _text(f.rule), f.count,
                tuple(Sample(s.line, _text(s.text))
                      for s in f.samples[:f.sample_count]))
        for f in items[:count])


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def _entry(e: Any) -> Entry:
    lastmod = None
    if e.lastmod_precision != Precision.NONE:
        try:
            lastmod = _EPOCH + datetime.timedelta(
                seconds=e.lastmod_s, microseconds=e.lastmod_nanos // 1000)
        except OverflowError:  # its zone leads out of the years 1 to 9999
            lastmod = None
    return Entry(
        _text(e.url), _optional(e.refusal), e.ordinal, lastmod,
        Precision(e.lastmod_precision), e.has_zone, e.changefreq,
        None if e.priority < 0 else e.priority / 10, Extension(e.extensions),
        tuple(Alternate(_text(a.language), _text(a.url))
              for a in e.alternates[:e.alternate_count]))


class Reading:
    """What became of the bytes of a document; see struct freshet_reading."""

    def __init__(self, owner: Freshet, number: int, r: Any) -> None:
        self._owner = owner
        self._number = number
        self.kind = Kind(r.kind)
        self.failure = _optional(r.failure)
        self.refusal = _optional(r.refusal)
        self.is_complete: bool = r.is_complete
        self.seen: int = r.seen
        self.accepted: int = r.accepted
        self.entry_count: int = r.entries
        self.decoded_bytes: int = r.decoded_bytes
        self.gzip_layers: int = r.gzip_layers
        self.are_alternates_cut: bool = r.are_alternates_cut
        self.findings = _findings(r.findings, r.finding_count)

    def entries(self) -> Iterator[Entry]:
        """The entries that are left, until the next call of the owner."""
        while True:
            entry = self._owner._next(self._number)
            if entry is None:
                return
            yield entry


class Robots:
    """A parsed robots.txt; close it, or use it in a `with` block."""

    def __init__(self, owner: Freshet, pointer: ctypes.c_void_p) -> None:
        self._owner = owner
        self._pointer: Optional[ctypes.c_void_p] = pointer
        facts = owner._lib.freshet_robots_facts(pointer).contents
        self.rules: int = facts.rules
        self.delay_s: float = facts.delay_ms / 1000
        self.sitemaps = tuple(
            (_text(s.url), int(s.line))
            for s in facts.sitemaps[:facts.sitemap_count])
        self.findings = _findings(facts.findings, facts.finding_count)

    def ask(self, url: str) -> RobotsVerdict:
        """May the agent fetch the URL?"""
        out = ctypes.POINTER(_RobotsVerdict)()
        if self._pointer is None:
            raise ValueError("the robots.txt is closed")
        self._owner._call(
            "freshet_robots_ask", self._pointer, _bytes(url), ctypes.byref(out))
        v = out.contents
        return RobotsVerdict(v.is_allowed, v.line, _text(v.rule))

    def close(self) -> None:
        if self._pointer is not None:
            self._owner._lib.freshet_robots_free(self._pointer)
            self._owner._robots.discard(self)
        self._pointer = None

    def __enter__(self) -> Robots:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Freshet:
    """A handle with its helper; close it, or use it in a `with` block."""

    def __init__(self, *, helper: Optional[str] = None,
                 scratch_dir: Optional[str] = None, memory_bytes: int = 0,
                 cpu_s: int = 0, wall_ms: int = 0, documents_each: int = 0,
                 needs_sandbox: bool = True,
                 library: Optional[str] = None) -> None:
        self._handle: Optional[ctypes.c_void_p] = None
        self._robots: set[Robots] = set()
        self._readings = 0
        self._lib = _load(library)
        options = _Options(
            ctypes.sizeof(_Options), _bytes(helper), _bytes(scratch_dir),
            memory_bytes, cpu_s, wall_ms, documents_each,
            0 if needs_sandbox else 1)
        handle = ctypes.c_void_p()
        status = self._lib.freshet_open(
            ctypes.byref(handle), ctypes.byref(options))
        self._handle = handle
        if status != Status.OK:
            error = self._error(status)
            self.close()
            raise error

    def _error(self, status: int) -> Error:
        text = _text(self._lib.freshet_error(self._handle))
        kind = HelperLost if status == Status.HELPER_LOST else Error
        return kind(Status(status), text)

    def _call(self, function: str, *arguments: Any) -> None:
        if self._handle is None:
            raise ValueError("the handle is closed")
        status = getattr(self._lib, function)(*arguments)
        if status != Status.OK:
            raise self._error(status)

    def _next(self, number: int) -> Optional[Entry]:
        out = ctypes.POINTER(_Entry)()
        if number != self._readings:
            raise ValueError("another document was read since")
        self._call("freshet_next", self._handle, ctypes.byref(out))
        return _entry(out.contents) if out else None

    @property
    def has_sandbox(self) -> bool:
        return bool(self._lib.freshet_has_sandbox(self._handle))

    def read(self, body: Union[bytes, int],
             document: Document = Document()) -> Reading:
        """Read the bytes, or all that comes from a descriptor."""
        out = ctypes.POINTER(_Reading)()
        given = _document(document)
        self._readings += 1
        if isinstance(body, int):
            self._call("freshet_read_fd", self._handle, ctypes.byref(given),
                       body, ctypes.byref(out))
        else:
            self._call("freshet_read", self._handle, ctypes.byref(given),
                       body, len(body), ctypes.byref(out))
        return Reading(self, self._readings, out.contents)

    def judge(self, document: Document, url: str,
              is_child: bool = False) -> Verdict:
        """May the document list the URL, as a page or as a sitemap?"""
        out = ctypes.POINTER(_Verdict)()
        given = _document(document)
        self._readings += 1
        self._call("freshet_judge", self._handle, ctypes.byref(given),
                   _bytes(url), is_child, ctypes.byref(out))
        v = out.contents
        return Verdict(
            _optional(v.url), _optional(v.refusal), _optional(v.exception))

    def robots(self, body: bytes, agent: str,
               profile: Optional[str] = None) -> Robots:
        """Parse a robots.txt for the product token of a crawler."""
        pointer = ctypes.c_void_p()
        self._readings += 1
        self._call("freshet_robots_new", self._handle, body, len(body),
                   _bytes(agent), _bytes(profile), ctypes.byref(pointer))
        robots = Robots(self, pointer)
        self._robots.add(robots)
        return robots

    def close(self) -> None:
        for robots in list(self._robots):
            robots.close()
        if self._handle is not None:
            self._lib.freshet_close(self._handle)
        self._handle = None

    def __enter__(self) -> Freshet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Nothing is there to be closed if the library could not be loaded.
        if getattr(self, "_handle", None) is not None:
            self.close()
