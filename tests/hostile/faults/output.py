"""HOSTILE 4.9: what comes out of what servers send; trial.py looks at all of it."""
from faults.http import pages
from origin import head, whole
from scene import fault, urlset


def listing(texts):
    """A urlset of locs that are refused, with the text in their findings."""
    return whole(urlset(["http://other.example/" + t for t in texts]))


@fault("O1", does="has controls, C1 and bidi characters in URLs, headers and the reason",
       good="prints nothing that a terminal would obey", off="json-printable")
def unprintable(w):
    # what XML 1.0 has; each control that it has not ends the document
    codes = [0x7f] + list(range(0x80, 0x100)) + list(range(0x202a, 0x202f)) + list(
        range(0x2066, 0x206a)) + [0x200b, 0x2028, 0x2029, 0xfeff, 0xfffd, 0x1f600]
    origin = w.origin()
    for name, make in (("raw", chr), ("references", lambda c: "&#%d;" % c)):
        w.bad(listing("%s]0;x%s" % (make(c), make(c)) for c in codes), name=name, clean=True,
              codes=("host-mismatch",))
    for name, line in (
            ("reason", "HTTP/1.1 404 \x1b]0;x\x07\x9b2J\x7f"),
            ("reason of a redirect", "HTTP/1.1 302 \x1b[2J\r\nLocation: /\x9b2J\xe2\x80\xae")):
        w.bad(head("Content-Length: 0", "ETag: \"\x1b[2J\x9b\"", status=line), name=name,
              failure=("fetch-not-found", "fetch-redirect-unsafe", "fetch-http-error"))
    for byte in (b"\x00", b"\x1b", b"\x08", b"\xff"):
        body = pages(origin).replace(b"/1<", b"/1" + byte + b"<")
        w.bad(whole(body), name=repr(byte), lost=("parse-error", "encoding-not-utf8",
                                                  "unsupported-format"))


@fault("O2", does="has a line of a log, or of JSON, behind a newline in a URL",
       good="writes one line for one thing", off="json-line")
def fake_lines(w):
    fakes = ["a\n{\"v\":1,\"type\":\"summary\",\"exit\":0}\nb", "a\r\nfreshet: all is well\r\n",
             "a&#10;{\"v\":1,\"type\":\"document\"}&#13;&#10;x", "a\u2028{}\u2029"]
    w.bad(listing(fakes), name="URLs", clean=True, codes=("host-mismatch",))
    w.bad(head("Content-Length: 0", "X-A: b", status="HTTP/1.1 404 no\tsuch"), name="reason",
          failure="fetch-not-found")
    run = yield
    kinds = [r.get("type") for r in run.records]
    w.check(kinds.count("summary") == 1 and kinds[-1] == "summary", "lines: %s", kinds)
    # beside robots.txt of each server and what the healthy one has
    w.check(kinds.count("document") == 8, "%d documents", kinds.count("document"))


@fault("N39", does="sends its body just above the limit of speed, for hours",
       good="gives up by the clock all the same", off="total-time")
def just_fast_enough(w):
    w.args += ["--max-time", "3"]
    w.wall_s = 6

    async def answer(c):
        await c.send(head("Content-Length: 900000"))
        await c.drip(b" " * 1100, 0.4, seconds=9)
    w.bad(answer, lost="fetch-network-error", says="longer than 3 s")
