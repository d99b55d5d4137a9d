"""HOSTILE N27 to N29, U8, I8: what takes days to show."""
import time

from origin import head, whole
from scene import fault, urlset

HOUR = 3600
DAY = 24 * HOUR


def pages(origin, numbers, dates=None):
    urls = [origin.url("/%d" % n) for n in numbers]
    return urlset(list(zip(urls, dates)) if dates else urls).encode()


def paths(numbers):
    return ["/%d" % n for n in numbers]


def document(w, name, numbers=range(3), **expected):
    """A sound one, at first, and its server."""
    origin = w.origin()
    w.has_clock = True
    return w.bad(whole(pages(origin, numbers)), name=name, origin=origin, clean=True,
                 urls=paths(numbers), **expected)


def limited(status, after):
    return head("Retry-After: " + after, "Content-Length: 0", status="HTTP/1.1 %d Wait" % status)


@fault("N27", does="429 and 503 with Retry-After of a day, of ages, negative, past, garbage",
       good="leaves the host alone, in later runs too, for a day at most", off="retry-after")
def retry_after(w):
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + DAY + 20 * HOUR))
    parked = [document(w, "%d %s" % (status, after[:12])) for status, after in
              ((429, "86400"), (503, "86400"), (503, "99999999999"), (429, date))]
    answers = [limited(429, "86400"), limited(503, "86400"), limited(503, "99999999999"),
               limited(429, date)]
    free = [document(w, "%d %s" % (status, after[:12])) for status, after in
            ((429, "-1"), (503, "-86400"), (503, "Thu, 01 Jan 2015 00:00:00 GMT"), (503, "soon"),
             (429, "1e9"), (503, ""))]
    free_answers = [limited(429, "-1"), limited(503, "-86400"),
                    limited(503, "Thu, 01 Jan 2015 00:00:00 GMT"), limited(503, "soon"),
                    limited(429, "1e9"), limited(503, "")]
    yield
    w.clock.advance(DAY)
    for one, answer in zip(parked + free, answers + free_answers):
        one.put(answer).expect(failure="fetch-rate-limited", urls=paths(range(3)),
                               most_requests=1)
    yield
    for row in w.sql("SELECT host, until_s FROM hold"):
        ahead = row["until_s"] - w.clock.now()
        w.check(19 * HOUR < ahead <= DAY or ahead < 90, "%s is held for %d s", row["host"], ahead)
    for one in parked + free:
        one.put(whole(pages(one.origin, range(3))))
    for one in free:
        one.expect(clean=True, urls=paths(range(3)))
    w.clock.advance(19 * HOUR)
    yield
    for one in parked:
        w.check(not one.origin.requests, "%s: asked meanwhile", one.name)
        one.expect(clean=True, urls=paths(range(3)))
    w.clock.advance(6 * HOUR)
    yield


@fault("N28", does="an ETag of 1 MB, with controls, quotes, lists or *",
       good="never sends it back", off=("validator-bytes", "tag-quotes"))
def hostile_tags(w):
    w.has_clock = True
    tags = [b'"%s"' % (b"x" * 300), b'"a\x07b"', b'"\x1b[2J"', b'"\xe9"', b'"a\x7f"', b'"a"b"',
            b'"a", "b"', b'W/"a""', b'"', b"*"]
    found = []
    for tag in tags:
        origin = w.origin()
        body = pages(origin, range(3))
        found.append(w.bad(
            b"HTTP/1.1 200 OK\r\nETag: %s\r\nContent-Length: %d\r\n\r\n%s" % (
                tag, len(body), body), name=repr(tag[:10]), origin=origin, clean=True,
            urls=paths(range(3))))
    huge = document(w, "1 MB")
    yield
    huge.put(head('ETag: "%s"' % ("x" * (1 << 20)), "Content-Length: 1") + b"x")
    huge.expect(failure=("headers-too-big", "fetch-network-error"), urls=paths(range(3)))
    w.clock.advance(DAY)
    yield
    for one in found:
        sent = [r.header("If-None-Match") for r in one.origin.asked(one.path)]
        w.check(sent == [None], "%s: sends %s", one.name, sent)


@fault("N29", does="304 for ever, though it has changed",
       good="asks for the whole after 30 days", off="full-get")
def unchanged_for_ever(w):
    w.has_clock = True
    origin = w.origin()

    async def answer(c):
        if c.request.header("If-None-Match"):
            await c.send(b"HTTP/1.1 304 Not Modified\r\n\r\n")
        else:
            await c.send(head('ETag: "1"', "Content-Length: %d" % len(new)) + new)
    new = pages(origin, range(6))
    one = w.bad(head('ETag: "1"', "Content-Length: %d" % len(pages(origin, range(3))))
                + pages(origin, range(3)), origin=origin, clean=True, urls=paths(range(3)))
    yield
    one.put(answer)
    for day in (10, 20, 29):
        w.clock.advance((10 if day < 29 else 9) * DAY)
        run = yield
        w.check(run.record(one.url).get("outcome") == "unchanged", "day %d: is read", day)
    w.clock.advance(2 * DAY)
    one.expect(clean=True, urls=paths(range(6)))
    run = yield
    w.check(not origin.asked(one.path)[0].header("If-None-Match"), "day 31: a condition")
    w.clock.advance(DAY)
    yield
    w.check(origin.asked(one.path)[0].header("If-None-Match"), "day 32: no condition")


@fault("U8", does="dates every page by the moment of the reading",
       good="believes its dates no more after three readings", off="date-gate")
def always_now(w):
    w.has_clock = True
    origin = w.origin()
    one = w.bad(whole(pages(origin, range(30))), origin=origin, clean=True,
                urls=paths(range(30)))
    said = []
    for _ in range(5):
        run = yield
        said.append("lastmod-untrusted" in run.findings(one.url))
        w.clock.advance(DAY)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(w.clock.now()))
        one.put(whole(pages(origin, range(30), [at] * 30)))
    w.check(said == [False] * 3 + [True] * 2, "distrusted: %s", said)


@fault("I8", does="is published empty, with a tenth of its pages, or not at all",
       good="forgets nothing before it was absent from two complete readings; a mass drop is held",
       off=("mass-drop", "absence"))
def drops(w):
    few, tenth, none = (document(w, name, range(20)) for name in
                        ("a quarter fewer", "a tenth is left", "no URL"))
    lost = [document(w, name, range(20)) for name in ("empty", "404", "410", "500", "cut")]
    answers = [whole(b""), whole(b"", status=404), whole(b"", status=410), whole(b"", status=500),
               whole(pages(lost[4].origin, range(20))[:500])]
    yield
    few.put(whole(pages(few.origin, range(15)))).expect(clean=True, urls=paths(range(15)))
    for one, left in ((tenth, range(2)), (none, range(0))):
        one.put(whole(pages(one.origin, left))).expect(
            clean=True, codes=("mass-drop",), urls=paths(range(20)))
    for one, answer, code in zip(lost, answers, ("empty-file", "fetch-not-found",
                                                 "fetch-not-found", "fetch-server-error", None)):
        one.put(answer).expect(urls=paths(range(20)),
                               **({"failure": code} if code else {"partial": "parse-error"}))
    changes = []
    for day in range(3):
        w.clock.advance(DAY)
        run = yield
        changes.append([(run.record(one.url).get("removed"), run.record(one.url).get("gone"))
                        for one in (few, tenth, none)])
        if day == 0:
            tenth.expect(clean=True, urls=paths(range(2)))
            none.expect(clean=True)
    w.check(changes == [[(5, 0), (0, 0), (0, 0)], [(0, 5), (0, 18), (0, 20)],
                        [(0, 0), (0, 0), (0, 0)]], "removed and gone: %s", changes)
