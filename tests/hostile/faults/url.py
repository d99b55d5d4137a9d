"""HOSTILE 4.5: URLs and dates that want to be taken for others."""
import csv
import io
import json

from faults.xml import END, ROOT, url
from origin import whole
from scene import fault, gz, index, urlset

# what is listed, and what of it is stored: a path of the same origin, or the
# code that it is refused with.  $ is scheme, host and port, @ host and port.
URLS = (
    ("$", "/"), ("$/", "/"), ("$?q", "/?q"), ("$/a#x", "/a"), ("$/a?", "/a?"), ("$/a?#", "/a?"),
    ("HTTP://@/up", "/up"), ("$/./d", "/d"), ("$/x/../e", "/e"), ("$/../f", "/f"),
    ("$/x/%2e%2e/g", "/g"), ("$/x/%2E./h", "/h"), ("$/x/.", "/x/"), ("$/y/..", "/"),
    ("$//i", "//i"), ("$/j//k", "/j//k"), ("$/a%2fb", "/a%2Fb"), ("$/%61bc", "/abc"),
    ("$/%7Eu", "/~u"), ("$/%fc", "/%FC"), ("$/%c3%bc", "/%C3%BC"), ("$/\xfc2", "/%C3%BC2"),
    ("$/100%", "/100%25"), ("$/%zz", "/%25zz"), ("$/%4", "/%254"), ("$/a b", "/a%20b"),
    ("$/q\"q", "/q%22q"), ("$/{x}", "/%7Bx%7D"), ("$/a|b^c`", "/a%7Cb%5Ec%60"),
    ("$/s;v=1,2", "/s;v=1,2"), ("$/!&amp;'()*+,;=:", "/!&'()*+,;=:"), ("$/[x]", "/[x]"),
    ("$/?a=b&amp;c=d&amp;a=b", "/?a=b&c=d&a=b"), ("$/?a=/../b", "/?a=/../b"),
    ("$/?%41", "/?A"), ("$/t&#9;t&#10;u", "/ttu"), ("&#160;$/n&#8203;", "/n"),
    ("$/\u202ev", "/%E2%80%AEv"), ("$/&#x9b;w", "/%C2%9Bw"), ("$/\U0001f600", "/%F0%9F%98%80"),
    ("$/..;/z", "/..;/z"), ("$/A/", "/A/"), ("$/%00nul", "/%00nul"), ("$/%0d%0aX: y", "/%0D%0AX:%20y"),
    # hosts and schemes
    ("http://u@@/a", "url-has-userinfo"), ("http://u:p@@/a", "url-has-userinfo"),
    ("http://@@/a", "url-has-userinfo"),
    ("http://a.example\\@@/a", ("invalid-url", "url-has-userinfo")),
    ("http:/@/a", "invalid-url"), ("http:///a", "invalid-url"), ("http:@/a", "invalid-url"),
    ("http://", "invalid-url"), ("http://@:99999/a", "invalid-url"), ("http://#/a", "invalid-url"),
    ("http://a..example/", "invalid-url"), ("http://a b.example/", "invalid-url"),
    ("http://999.1.1.1/", "invalid-url"), ("http://[::1/", "invalid-url"),
    ("http://[::g]/", "invalid-url"), ("http://h:0/", "invalid-url"), ("http://h:x/", "invalid-url"),
    ("http://%00/", "invalid-url"), ("http://a%2fb/", "invalid-url"), ("http://\u3002/", "invalid-url"),
    ("javascript:alert(1)", "unsupported-scheme"), ("file:///etc/passwd", "unsupported-scheme"),
    ("data:text/html,x", "unsupported-scheme"), ("ftp://@/a", "unsupported-scheme"),
    ("mailto:a@b.example", "unsupported-scheme"), ("htp://@/a", "unsupported-scheme"),
    ("//@/a", "relative-url"), ("/a", "relative-url"), ("a.html", "relative-url"),
    ("?q", "relative-url"), ("#f", "relative-url"), ("www.example.org/a", "relative-url"),
    ("https://@/a", "scheme-mismatch"), ("http://other.example/a", "host-mismatch"),
    ("http://www.@/a", ("host-mismatch", "invalid-url", "www-extra")),
    ("http://2130706433/a", ("host-mismatch", "port-mismatch", "private-address")),
)
SPELLINGS = ("$/p", "HTTP://@/p", "$/p#a", "$/p#", "$/./p", "$/x/../p", "$/%70", "$/x/%2e%2e/p",
             "$/../p", "$/../../p", "$/./././p", "$/y/./../p", "$/%50".lower(), "$/p\t",
             " $/p ", "$/&#x70;", "$/&#112;", "<![CDATA[$/p]]>", "$/<!-- -->p", "$/p#?x")


def fill(origin, text):
    host = origin.url_root.partition("//")[2]
    return text.replace("@@", "\0").replace("@", host).replace("\0", "@" + host).replace(
        "$", origin.url_root)


def output(w, *args):
    """What a command prints of the store, as it is."""
    return w.program.run(*args).out


def one_by_one(w, rows, make=url):
    """Each row is a document of its own: all that is said of it is known."""
    origin = w.origin()
    w.args += ["--delay", "0"]
    wanted = sorted({origin.url(good) for _, good in rows if good[0] == "/"})
    for number, (raw, good) in enumerate(rows):
        path = "/%d.xml" % number
        origin.put(path, whole(ROOT + make(fill(origin, raw.replace("<", "&lt;")
                                                if make is not url else raw)) + END))
        w.targets.append(origin.url(path))
        w.sub_cases += 1
    return origin, wanted


def judge_rows(w, run, origin, wanted, rows):
    for number, (raw, good) in enumerate(rows):
        record = run.record(origin.url("/%d.xml" % number))
        found = run.findings(origin.url("/%d.xml" % number))
        is_good = good[0] == "/" and isinstance(good, str)
        w.check(record.get("accepted") == (1 if is_good else 0), "%r: accepted %s, %s", raw,
                record.get("accepted"), found)
        codes = () if is_good else (good,) if isinstance(good, str) else good
        w.check(is_good or any(c in found for c in codes), "%r: %s, not %s", raw, sorted(found),
                codes)
    listed = [u for u in w.listed if u.startswith(origin.url("/"))]
    w.check(listed == wanted, "listed and not wanted %s; wanted and not listed %s",
            sorted(set(listed) - set(wanted))[:5], sorted(set(wanted) - set(listed))[:5])


@fault("U1", does="lists URLs of every shape that readers disagree about",
       good="has one verdict and one form for each",
       off=("dot-segments", "userinfo"))
def shapes(w):
    origin, wanted = one_by_one(w, URLS)
    run = yield
    judge_rows(w, run, origin, wanted, URLS)


DIRECTORY = ("$/d/in", "$/d/", "$/d/e/f", "$/d/%2e/g", "$/d/x/../h", "$/%64/i")
OUTSIDE = ("$/a", "$/", "$/d", "$/D/a", "$/da/a", "$/d/../b", "$/d/%2e%2e/c", "$/d/%2E./c2",
           "$/d%2fe", "$/./d/../x", "$/d/..;/../../y", "$//d/z", "$/d/../../../w", "$/e/d/")


@fault("U2", does="lists what is outside of its directory, by every detour",
       good="goes by the directory of what is meant",
       off=("directory", "dot-segments"))
def escapes(w):
    origin = w.origin()
    w.bad(whole(ROOT + "".join(url(fill(origin, u)) for u in DIRECTORY + OUTSIDE) + END),
          path="/d/s.xml", origin=origin, clean=True, codes=("outside-directory",),
          urls=["/d/in", "/d/", "/d/e/f", "/d/g", "/d/h", "/d/i"])
    run = yield
    record = run.record(origin.url("/d/s.xml"))
    w.check(record.get("refused") == len(OUTSIDE), "%s refused, not %d", record.get("refused"),
            len(OUTSIDE))


@fault("U3", does="lists hosts that look like its own",
       good="compares host, scheme and port as they are meant",
       off="foreign-children")
def hosts(w):
    names = ["h.example", "www.h.example", "xn--bcher-kva.example"]
    args = sum((["--resolve", "%s:80:127.0.0.1" % n] for n in ()), [])
    w.args += args
    origin = w.origin()
    port = origin.port
    good = ["http://127.0.1.%d:%d/a" % (int(origin.address.rpartition(".")[2]), port),
            "http://0x7f.0.1.%d:%d/b" % (int(origin.address.rpartition(".")[2]), port),
            "http://%s.:%d/c" % (origin.address, port), "HTTP://%s:%d/d" % (origin.address, port),
            "http://%s:0%d/e" % (origin.address, port)]
    bad = ["http://%s/a" % origin.address, "https://%s:%d/a" % (origin.address, port),
           "http://%s:%d/a" % (origin.address, port % 60000 + 1), "http://%s:80/a" % origin.address,
           "http://localhost:%d/a" % port, "http://127.0.0.1:%d/a" % port,
           "http://[::ffff:%s]:%d/a" % (origin.address, port)] + ["http://%s/" % n for n in names]
    w.bad(whole(ROOT + "".join(url(u) for u in good + bad) + END), origin=origin, clean=True,
          urls=["/a", "/b", "/c", "/d", "/e"])
    run = yield
    record = run.record(origin.url("/sitemap.xml"))
    w.check(record.get("refused") == len(bad), "%s refused, not %d", record.get("refused"),
            len(bad))


@fault("U4", does="lists user names, fragments, scripts, relative URLs",
       good="refuses them; of a fragment only that",
       off="userinfo")
def parts(w):
    origin = w.origin()
    rows = ("http://u:p@@/a", "http://u@@/b", "javascript:alert(1)", "/c", "d.html", "//@/e",
            "../f", "data:,g", "vbscript:h")
    w.bad(whole(ROOT + "".join(url(fill(origin, r)) for r in rows + ("$/ok#frag",)) + END),
          origin=origin, clean=True, urls=["/ok"],
          codes=("url-has-userinfo", "relative-url", "unsupported-scheme", "url-has-fragment"))


@fault("U5", does="lists control characters, bidi marks, zero-width and full-width ones",
       good="stores printable ASCII and nothing else",
       off="escaping")
def characters(w):
    origin = w.origin()
    points = [0x85, 0x9b, 0xa0, 0xad, 0x200b, 0x200e, 0x202e, 0x2066, 0x2028, 0xfeff, 0xff0e,
              0xff0f, 0x1f600, 0xe0001, 0x10fffd, 0x7f]
    w.bad(whole(ROOT + "".join(url("%s/x%cy" % (origin.url_root, p)) for p in points) + END),
          origin=origin, clean=True, urls=[
              "/x%sy" % "".join("%%%02X" % b for b in chr(p).encode()) for p in points])
    yield
    for loc in w.listed:
        w.check(all("!" <= c <= "~" for c in loc), "stored: %r", loc)


@fault("U6", does="lists one URL in 20 spellings",
       good="stores it once",
       off="dot-segments")
def spellings(w):
    origin = w.origin()
    w.bad(whole(ROOT + "".join(url(fill(origin, s)) for s in SPELLINGS if "%50" not in s) + END),
          origin=origin, clean=True, urls=["/p"], codes=("duplicate-url",))
    run = yield
    w.check(run.record(origin.url("/sitemap.xml")).get("entries") == 1, "%s entries",
            run.record(origin.url("/sitemap.xml")).get("entries"))


DATES = (
    ("2025", "2025"), ("2025-07", "2025-07"), ("2025-07-16", "2025-07-16"),
    ("2025-07-16T19:20Z", True), ("2025-07-16T19:20:30Z", True), ("2025-07-16T19:20:30.45Z", True),
    ("2025-07-16T19:20:30+01:00", True), ("2024-02-29", "2024-02-29"), ("2025-02-29", None),
    ("2025-13-01", None), ("2025-00-01", None), ("2025-01-32", None), ("2025-01-00", None),
    ("0000-01-01", None), ("9999-12-31", "9999-12-31"), ("10000-01-01", None), ("-2025-01-01", None),
    ("2025-07-16T25:00:00Z", None), ("2025-07-16T19:60:00Z", None), ("yesterday", None),
    ("", None), ("2025-07-16T19:20:30+99:00", None), ("20250716", None),
    ("2025-07-16<b/>", None), ("1" * 70000, None), ("2025-07-16\x41", None),
    ("16/07/2025", None), ("1752690000", None), ("NaN", None), ("2025-07-16T", None),
)


@fault("U7", does="dates its pages in every way, 9999 and 70,000 digits included",
       good="takes what is a date of this world",
       off="date-syntax")
def dates(w):
    origin = w.origin()
    entries = "".join("<url><loc>%s/%03d</loc><lastmod>%s</lastmod></url>\n" % (
        origin.url_root, n, text) for n, (text, _) in enumerate(DATES))
    w.bad(whole(ROOT + entries + END), origin=origin, clean=True,
          urls=["/%03d" % n for n in range(len(DATES))])
    run = yield
    found = run.findings(origin.url("/sitemap.xml"))
    rows = {r["loc"]: r["lastmod"] for r in map(json.loads, output(
        w, "export", "-f", "jsonl").splitlines()) if r["loc"].startswith(origin.url("/"))}
    have = [n for n in range(len(DATES)) if rows[origin.url("/%03d" % n)]]
    want = [n for n, (_, good) in enumerate(DATES) if good]
    w.check(have == want, "dated and should not be %s; not dated and should be %s; %s",
            [DATES[n][0][:30] for n in have if n not in want],
            [DATES[n][0][:30] for n in want if n not in have], found)
    for n, (text, good) in enumerate(DATES):
        if isinstance(good, str):
            w.check(rows[origin.url("/%03d" % n)] == good, "%s is %s", text,
                    rows[origin.url("/%03d" % n)])


@fault("U9", does="sends nonsense as changefreq and priority",
       good="ignores it, keeps the entry",
       off="hint-values")
def hints(w):
    values = ("1e308", "NaN", "-1", "2.0", "inf", "0x1", "", "0,5", "high", "1" * 5000, "1.0.0")
    origin = w.origin()
    entries = "".join("<url><loc>%s/%02d</loc><priority>%s</priority><changefreq>%s</changefreq>"
                      "</url>\n" % (origin.url_root, n, v, v) for n, v in enumerate(values))
    w.bad(whole(ROOT + entries + END), origin=origin, clean=True,
          urls=["/%02d" % n for n in range(len(values))],
          codes=("invalid-tag-value",))
    run = yield
    counts = {f["code"]: f["count"] for f in run.record(origin.url("/sitemap.xml"))["findings"]}
    w.check(counts["invalid-tag-value"] >= 2 * len(values) - 4, "%s", counts)


@fault("U10", does="lists 1,000,000 URLs that differ in a session id only",
       good="stops at a quota, in bounded memory",
       off="site-quota")
def sessions(w):
    children, each = (40, 25000) if w.is_full else (60, 2500)
    limit = children * each // 3
    w.args += ["--max-bytes", "64M", "--delay", "0", "--max-site-urls", str(limit)]
    w.cpu_s, w.healthy_s = 12, 12
    origin = w.origin()
    for n in range(children):
        text = ROOT + "".join(url("%s/p?sid=%08x%06x" % (origin.url_root, n, k))
                              for k in range(each)) + END
        origin.put("/%d.xml" % n, whole(gz(text)))
    origin.put("/index.xml", whole(index([origin.url("/%d.xml" % n) for n in range(children)])))
    w.targets.append(origin.url("/index.xml"))
    w.status = 3
    run = yield
    count = run.summary.get("urls", {}).get("listed", 0)
    # what was asked for already is read
    w.check(limit <= count <= limit + 4 * each, "%d listed, the limit is %d", count, limit)


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a,b", 'a"b', "a\nb", "plain")


@fault("O3", does="has formulas, quotes, commas and line ends where a spreadsheet reads them",
       good="writes CSV that reads back the same and begins with nothing that runs",
       off="csv-formula")
def spreadsheet(w):
    origin = w.origin()
    entries = ["%s/=cmd|'/c calc'!A0,%%22\"x\"" % origin.url_root, origin.url("/+1,-1"),
               origin.url("/@SUM(A1:A9)")]
    w.bad(whole(urlset(entries)), origin=origin, clean=True, urls=[
        "/=cmd%7C'/c%20calc'!A0,%22%22x%22", "/+1,-1", "/@SUM(A1:A9)"])
    yield
    rows = list(csv.reader(io.StringIO(output(w, "export", "-f", "csv"))))
    locs = sorted(row[rows[0].index("loc")] for row in rows[1:])
    w.check(locs == w.listed, "export: %s", locs)
    for text in FORMULAS:
        query = "SELECT '%s' AS x" % text.replace("'", "''")
        rows = list(csv.reader(io.StringIO(output(w, "sql", "-f", "csv", query), newline="")))
        value = rows[1][0] if len(rows) > 1 and rows[1] else None
        # SQL's output shows control characters instead of sending them
        shown = "".join(c if c >= " " else "\\x%02x" % ord(c) for c in text)
        w.check(value in (text, "'" + text, shown), "%r comes back as %r", text, value)
        w.check(not value or value[0] not in "=+-@\t\r", "%r begins with what runs", value)
