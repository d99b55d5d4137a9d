"""What a fault is made of: how it is declared, and what it sets up.

    @fault("N6", does="...", good="...", off="framing-length")
    def two_lengths(w):
        w.bad(raw bytes or an async function, failure="fetch-network-error")

The function sets up servers and says of each bad document what must come of
it; then there is one crawl of all of them beside a healthy site, which judges
what every case must keep to (trial.py).  A generator has a crawl at each
`yield`, which gives it the Run, to change what is served and to judge more.
"""
import importlib
import inspect
import os
import pkgutil
import re

from case import gz, index, urlset
from origin import Net, whole

# every fault of a hostile server, or client (D), that must have a case
WANTED = (["N%d" % n for n in range(1, 41)] + ["R%d" % n for n in range(1, 16)]
          + ["Z%d" % n for n in range(1, 21)] + ["X%d" % n for n in range(1, 35)]
          + ["U%d" % n for n in range(1, 11)] + ["I%d" % n for n in range(1, 9)]
          + ["B%d" % n for n in range(1, 7)] + ["O%d" % n for n in range(1, 6)]
          + ["D%d" % n for n in range(1, 13)] + ["V%d" % n for n in range(1, 7)])
# the further faults of docs/internals/HOSTILE.md, and those of pages that are fetched
WANTED += ["L2"]  # by a reason
WANTED += ["E%d" % n for n in range(1, 71)] + ["W%d" % n for n in range(1, 21)]
FAULTS = {}
REASONS = {}
KINDS = "NVRZXUIBSPODLEMW"  # in their order


class Fault:
    def __init__(self, name, function, does, good, off, tier, is_crowd):
        self.name = name
        self.function = function
        self.does = does
        self.good = good
        self.off = (off,) if isinstance(off, str) else tuple(off)
        self.tier = tier
        self.is_crowd = is_crowd

    def begin(self, world):
        """Set up the case; returns the generator, or None."""
        made = self.function(world)
        if not inspect.isgenerator(made):
            return None
        next(made)
        return made


def fault(name, does, good, off, tier="quick", is_crowd=False):
    """off: the defence, or each of the defences, without which the case fails.
    A crowd is not served with the others unless it is named."""
    assert name in WANTED and name not in FAULTS, name
    assert tier in ("quick", "full") and does and good and off, name

    def declare(function):
        FAULTS[name] = Fault(name, function, does, good, off, tier, is_crowd)
        return function
    return declare


def by_reason(name, why):
    """Note an id that has no case, and the reason."""
    assert name in WANTED and name not in FAULTS, name
    REASONS[name] = why


def order(name):
    return KINDS.index(name[0]), int(name[1:])


def load():
    """Returns all faults, in order."""
    folder = os.path.join(os.path.dirname(os.path.realpath(__file__)), "faults")
    for module in sorted(m.name for m in pkgutil.iter_modules([folder])):
        importlib.import_module("faults." + module)
    return [FAULTS[n] for n in sorted(FAULTS, key=order)]


def select(faults, names):
    """Returns the faults with these names, or that a pattern matches: N1, N,
    N2[0-6]."""
    unknown = [n for n in names if not any(re.fullmatch(n, f.name) or n == f.name[0]
                                           for f in faults)]
    if unknown:
        raise SystemExit("no such fault: " + " ".join(unknown))
    return [f for f in faults if not names
            or any(re.fullmatch(n, f.name) or n == f.name[0] for n in names)]


class Document:
    """A document of a bad server, and the expected result of the next crawl."""

    def __init__(self, origin, path, name):
        self.origin = origin
        self.path = path
        self.url = origin.url(path)
        self.name = name or path
        self.wanted = None

    def put(self, answer):
        self.origin.put(self.path, answer)
        return self

    def expect(self, failure=None, partial=None, lost=None, clean=False, urls=(), codes=(),
               says="", most_requests=None):
        """Just one of failure (its code; or some), partial (a code that it has
        beside partial-document; or some of which it has one), lost (either of
        them: a cut before the first entry leaves no part) and clean.
        urls: paths, or whole URLs, of this server that the store lists then;
        codes: further ones; says: in the text of the code's finding."""
        assert [bool(failure), bool(partial), bool(lost), clean].count(True) == 1, self.url
        self.wanted = {"failure": failure, "partial": partial, "lost": lost, "clean": clean,
                       "urls": sorted(u if "://" in u else self.origin.url(u) for u in urls),
                       "codes": codes, "says": says, "most_requests": most_requests}
        return self


class Late(str):
    """A fault that is no more than the time it took."""


class World:
    """One case: its servers, and how the crawler is run.

    status is the exit status when it is not what the documents say; memory,
    CPU and time are bounds for all processes; healthy_s: after so long the
    healthy site must be through.
    """

    def __init__(self, is_full=False, net=None):
        self.is_full = is_full
        self.net = net or Net()
        self.documents = []
        self.targets = []
        # nothing here is about time: a busy machine gets all that it needs
        self.args = ["--retry", "0", "--max-time", "60", "--low-speed-time", "30",
                     "--connect-timeout", "30", "--max-bytes", "1M"]
        self.env = {}
        self.descriptors = None  # how many descriptors the crawler may have
        self.trust = None  # the CA that the crawler trusts, if a case has certificates
        self.status = None
        self.rss_mib = 64
        self.cpu_s = 3
        self.wall_s = 15
        self.healthy_s = 5
        self.is_resumed = False  # a crawl does not request what the crawl before it has read
        self.sub_cases = 0
        self.has_clock = False  # the case has a clock of its own, and a binary with hooks for tests
        self.has_hooks = False  # that binary, and the usual clock
        self.clock = None  # exists from the first crawl on, if has_clock
        self.sql = None  # sql(query): the rows that the store gives
        self.command = None  # command(*args): the Run of another command, judged
        self.program = None  # runs commands that read the store
        self.listed = []  # the URLs that the store lists after the latest crawl
        self.faults = []  # the faults that were found
        self.healthy = self.net.origin("127.0.0.1")
        self.healthy_urls = []
        self.put_healthy()

    def put_healthy(self):
        site = self.healthy
        pages = [[site.url("/%s/%d" % (part, n)) for n in range(5)] for part in ("a", "b")]
        site.put("/robots.txt", whole("User-agent: *\nDisallow: /private\nSitemap: %s\n"
                                      % site.url("/index.xml")))
        site.put("/index.xml", whole(index([site.url("/a.xml"), site.url("/b.xml.gz")])))
        site.put("/a.xml", whole(urlset(pages[0])))
        site.put("/b.xml.gz", whole(gz(urlset(pages[1]))))
        self.healthy_urls = sorted(pages[0] + pages[1])

    def origin(self, address=None, tls=None):
        return self.net.origin(address, tls)

    def bad(self, answer, path="/sitemap.xml", name=None, origin=None, **expected):
        """Make a document on a server of its own, which is a target. expected:
        as in Document.expect. A document with a name counts as a case."""
        document = Document(origin or self.origin(), path, name).put(answer)
        self.documents.append(document)
        self.targets.append(document.url)
        if expected:
            document.expect(**expected)
        if name:
            self.sub_cases += 1
        return document

    def fail(self, text, *details):
        self.faults.append(text % details if details else text)

    def check(self, is_so, text, *details):
        if not is_so:
            self.fail(text, *details)
        return bool(is_so)

    def hurry(self):
        """Give up soon: the case is about a server that is too slow."""
        self.args += ["--max-time", "5", "--low-speed-time", "2", "--connect-timeout", "2"]

    def check_time(self, is_so, text, *details):
        """Check what a machine with other work may spoil."""
        if not is_so:
            self.faults.append(Late(text % details))

    def close(self):
        self.net.close()
