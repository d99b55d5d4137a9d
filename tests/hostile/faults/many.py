"""E1: one of many that lead to somebody who has nothing to do with them."""
from collections import Counter

from faults.names import has_names, named
from origin import KEEP, redirect, whole
from scene import fault, index, urlset

HOSTS = 1000  # of which 200 are asked in the quick tier
DELAY_MS = 20
VICTIM = "127.0.0.3"  # as tests/tools/names.c has it
NAMES = ("victim.example", "victim-too.example", VICTIM)


def host(number):
    return "m%04d.example" % number


def spellings(port, path):
    """The victim, as nobody else may lead there."""
    here = [(name, port) for name in NAMES + (
        "VICTIM.example", "victim.example.", "%76ictim.example", "victim%2eexample",
        "2130706435", "0x7f.3", "0177.0.0.3", "127.3", "[::ffff:127.0.0.3]", "[::ffff:7f00:3]",
        "me@victim.example", "\uff56ictim.example", "victim\u3002example")]
    return ["http://%s:%d%s" % (name, at, path) for name, at in here] + [
        "//victim.example:%d%s" % (port, path), "https://victim.example:%d%s" % (port, path),
        "http://victim.example:%d%s" % (port + 1, path), "http://victim.example%s" % path,
        "http:\\\\victim.example:%d%s" % (port, path), "http:/victim.example:%d%s" % (port, path),
        "http://victim.example:0%d/a/..%s" % (port, path)]


class Many:
    """Many names of one server, and the victim on the same port."""

    def __init__(self, w):
        self.count = HOSTS if w.is_full else HOSTS // 5
        self.server = named(w, host(0))
        self.port = self.server.port
        self.victim = w.net.origin(VICTIM, port=self.port)
        self.server.put(None, self.answer)
        self.victim.put(None, whole(urlset([self.victim.url("/own")])))
        self.victim.put("/robots.txt", whole("", status=404))

    def url(self, number, path):
        return "http://%s:%d%s" % (host(number % self.count), self.port, path)

    def to_victim(self, number, path):
        """Any spelling, in turn; a header holds Latin-1."""
        every = [u for u in spellings(self.port, path) if u.isascii()]
        return redirect(every[number % len(every)], status=(301, 302, 303, 307, 308)[number % 5])

    def robots(self, n):
        """A quarter each: none, redirected at once or by another's, with seeds there."""
        if n % 4 == 1:
            return redirect("http://%s:%d/r/%d" % (NAMES[n % 3], self.port, n))
        if n % 4 == 2:
            return redirect(self.url(n + 1, "/r/%d" % n))
        if n % 4 == 3:
            return whole("".join("Sitemap: %s\n" % u for u in [
                "http://%s:%d/seed/%d" % (name, self.port, n) for name in NAMES]))
        return whole("", status=404)

    def index(self, n):
        children = spellings(self.port, "/child/%d" % n)
        children += [self.url(n, p) for p in ("/to", "/by", "/own.xml")]
        return whole(index(children), "Link: <http://victim.example:%d/link>; rel=canonical"
                     % self.port, "Refresh: 0; url=http://victim.example:%d/" % self.port)

    async def answer(self, c):
        n = int(c.request.header("Host")[1:5])
        path, _, rest = c.request.target[1:].partition("/")
        if path == "robots.txt":
            answer = self.robots(n)
        elif path == "r":  # of another's robots.txt
            answer = redirect("http://%s:%d/r/%s" % (NAMES[n % 3], self.port, rest))
        elif path == "index.xml":
            answer = self.index(n)
        elif path == "to":
            answer = self.to_victim(n, "/to/%d" % n)
        elif path == "by":
            answer = redirect(self.url(n + 1, "/hop/%d" % n))
        elif path == "hop":
            answer = self.to_victim(n, "/hop/%s" % rest)
        elif path == "target.xml":  # the operator named it, and it may lead elsewhere
            answer = redirect("http://%s:%d/target/%d" % (NAMES[n % 3], self.port, n))
        else:
            answer = whole(urlset([self.url(n, "/page")] + spellings(self.port, "/page/%d" % n)))
        await c.send(answer)
        return KEEP


@fault("E1", is_crowd=True,
       does="is one of 200 hosts (--full: 1,000) that lead to one victim by all means there are",
       good="asks the victim for nothing, but for what their robots.txt name, at its pace; and has "
            "kept a record",
       off=("foreign-children", "foreign-redirect", "request-log"))
def thousand(w):
    if not has_names():
        yield
        return
    many = Many(w)
    for option, seconds in (("--max-time", "40"), ("--connect-timeout", "30")):
        w.args[w.args.index(option) + 1] = seconds
    w.args += ["--delay", "%dms" % DELAY_MS, "--allow-address", VICTIM + "/32"]
    w.targets += [many.url(n, "/robots.txt" if n % 8 == 3 else "/target.xml" if n % 8 == 4 else
                           "/index.xml") for n in range(many.count)]
    w.status, w.wall_s, w.healthy_s, w.cpu_s, w.rss_mib = 1, 60, 60, 40, 96
    w.sub_cases = many.count
    yield
    asked = Counter((r.header("Host").partition(":")[0], r.target) for r in many.victim.requests)
    kinds = Counter(target.split("/")[1] for _, target in asked)
    w.check(set(kinds) <= {"robots.txt", "r", "seed", "target"},
            "the victim was asked for more than robots.txt and seeds: %s", kinds)
    w.check(min(kinds[k] for k in ("r", "seed", "target")) > many.count // 20, "not all was tried: %s", kinds)
    w.check(not any(name == VICTIM for name, _ in asked), "its address was asked as a name")
    # by each of them once at most, whatever it lists: two names, and theirs
    w.check(len(many.victim.requests) <= 2 + 2 * many.count, "the victim was asked %d times",
            len(many.victim.requests))
    w.check(max(asked.values()) == 1, "the victim was asked twice: %s", asked.most_common(3))
    judge_request_log(w, many)


def judge_request_log(w, many):
    """What the servers saw is what the store says, host by host, and the pace was kept."""
    rows = w.sql("SELECT host, sum(requests) AS requests, min(least_gap_ms) AS gap_ms, "
                 "min(delay_ms) AS delay_ms, sum(overlaps) AS overlaps FROM request_log GROUP BY host")
    told = {row["host"]: row for row in rows}
    seen = Counter(r.header("Host").partition(":")[0]
                   for r in many.server.requests + many.victim.requests)
    w.check(len(seen) == many.count + 2, "%d hosts were asked", len(seen))
    differ = [(name, count, told.get(name)) for name, count in seen.items()
              if told.get(name, {}).get("requests") != count]
    w.check(not differ, "the request log differs for %d hosts: %s", len(differ), differ[:3])
    more = set(told) - set(seen) - {w.healthy.address}
    w.check(not more, "the request log has %s", sorted(more)[:5])
    fast = [row for row in rows if row["overlaps"] or row["delay_ms"] < DELAY_MS
            or (row["gap_ms"] is not None and row["gap_ms"] < DELAY_MS)]
    w.check(not fast, "%d hosts were asked too fast: %s", len(fast), fast[:3])
    times = sorted(r.at for r in many.victim.requests if r.header("Host").startswith("victim."))
    w.check(times[-1] - times[0] >= 0.9 * DELAY_MS / 1000 * (len(times) - 1),
            "the victim saw %d requests in %.1f s", len(times), times[-1] - times[0])
