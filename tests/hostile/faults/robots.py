"""HOSTILE 4.6: robots.txt as a weapon."""
from origin import head, redirect, whole
from scene import fault, urlset

ALLOWED = {"clean": True, "urls": ["/p"]}
DENIED = {"failure": "fetch-blocked-by-robots"}


def site(w, name, robots, **expected):
    """A site whose robots.txt is that answer, and that has one page."""
    origin = w.origin()
    origin.put("/robots.txt", whole(robots) if isinstance(robots, str) else robots)
    return w.bad(whole(urlset([origin.url("/p")])), name=name, origin=origin, **expected)


@fault("B1", does="sends a robots.txt without end, one byte too long, with NUL, in UTF-16, in HTML",
       good="uses the first 512,000 bytes, and of those what makes sense",
       off="robots-bytes")
def sizes(w):
    async def endless(c):
        await c.send(head() + b"User-agent: *\nDisallow: /sitemap.xml\n")
        await c.flood(b"# filler\n" * 1000)
    site(w, "endless", endless, **DENIED)
    denies = "User-agent: *\nDisallow: /sitemap.xml\n"
    fill = "#" + "x" * (512000 - len(denies) - 2) + "\n"
    site(w, "512,000 bytes", fill + denies, **DENIED)
    site(w, "512,001 bytes, all but one of the last line", "#" + fill + denies, **DENIED)
    site(w, "the rule behind 512,000", "#" * len(denies) + fill + denies, **ALLOWED)
    site(w, "NUL", whole(b"User-agent: *\nDisallow: /a\0b\nDisallow: /sitemap.xml\n"), **DENIED)
    site(w, "UTF-16", whole(denies.encode("utf-16")), **ALLOWED)
    site(w, "HTML", "<html><body>\n%s</body></html>" % denies, **DENIED)
    site(w, "a mark", whole(b"\xef\xbb\xbf" + denies.encode()), **DENIED)


@fault("B2", does="forbids /***...* 2,000 times, for a path of 2 KB",
       good="matches in linear time",
       off="glob")
def globs(w):
    w.cpu_s = 2
    origin = w.origin()
    path = "/" + "a" * 2000
    origin.put("/robots.txt", whole("User-agent: *\n" + (
        "Disallow: /" + "*a" * 60 + "*b\n") * 2000))
    w.bad(whole(urlset([origin.url("/p")])), path=path, origin=origin, **ALLOWED)
    stars = w.origin()
    stars.put("/robots.txt", whole("User-agent: *\n" + ("Disallow: /" + "*" * 200 + "b$\n") * 2000))
    w.bad(whole(urlset([stars.url("/p")])), path=path, origin=stars, **ALLOWED)


@fault("B3", does="names 100,000 sitemaps, of others, of files, of private addresses",
       good="takes 10,000 lines at most, and nobody else's word for them",
       off="robots-lines")
def lines(w):
    w.args += ["--delay", "0", "--max-children", "40"]
    origin = w.origin()
    other = w.origin()
    forbidden = "http://127.0.0.2:%d/" % origin.port
    rest = ["Sitemap: file:///etc/passwd", "Sitemap: " + forbidden + "a.xml", "Sitemap: gopher://x/",
            "Sitemap: " + other.url("/x.xml"), "Sitemap: //x", "Sitemap:", "Sitemap: \x1b[2J"]
    origin.put("/robots.txt", whole("\n".join(rest * 1000 + ["Sitemap: " + origin.url("/sitemap.xml")]
                                               * 93000)))
    w.bad(whole(urlset([origin.url("/p")])), origin=origin, **ALLOWED)
    w.bad(whole(urlset([other.url("/p")])), path="/own.xml", origin=other, **ALLOWED)
    run = yield
    found = run.findings(origin.url("/robots.txt"))
    w.check("too-many-robots-sitemaps" in found, "not told: %s", found)
    w.check(len(origin.asked("/sitemap.xml")) == 1, "asked for it %d times",
            len(origin.asked("/sitemap.xml")))


@fault("B4", does="asks for a Crawl-delay of 1e9, -1, NaN, nothing, a word",
       good="keeps to it up to a limit, and ignores what is no number",
       off="crawl-delay")
def delays(w):
    for value in ("-1", "NaN", "inf", "", "soon", "0.001", "1e-9", "0x10"):
        site(w, value or "empty", "User-agent: *\nCrawl-delay: %s\n" % value, **ALLOWED)


@fault("B5", does="answers for robots.txt with 5xx, a circle, another host, 401, 404, silence",
       good="fetches nothing when it is unreachable, all when there is none",
       off="robots-5xx")
def outcomes(w):
    unreachable = {"failure": ("robots-unreachable", "fetch-blocked-by-robots")}
    site(w, "500", whole("", status=500), **unreachable)
    site(w, "503", whole("", status=503), **unreachable)
    site(w, "429", whole("", status=429), **unreachable)
    site(w, "cut", head("Content-Length: 100") + b"User", **unreachable)
    for status in (400, 401, 403, 404, 410, 418):
        site(w, str(status), whole("", status=status), **ALLOWED)
    site(w, "a circle", redirect("/robots.txt"), **ALLOWED)
    other = w.origin()
    other.put("/robots.txt", whole("User-agent: *\nDisallow: /sitemap.xml\n"))
    w.bad(whole(urlset([other.url("/p")])), path="/own.xml", name="another host's own",
          origin=other, **ALLOWED)
    site(w, "to another host", redirect(other.url("/robots.txt")), **DENIED)
    origin = w.origin()
    site(w, "to a forbidden address", redirect("http://127.0.0.2:%d/robots.txt" % origin.port),
         failure=("robots-unreachable", "fetch-blocked-by-robots", "private-address"))


@fault("B6", does="forbids its sitemaps between two crawls",
       good="asks for robots.txt first each time, and then for nothing",
       off="robots-first")
def changes(w):
    w.args += ["--delay", "0"]
    document = site(w, None, "User-agent: *\nAllow: /\n", **ALLOWED)
    yield
    document.origin.put("/robots.txt", whole("User-agent: *\nDisallow: /\n"))
    document.expect(urls=["/p"], **DENIED)
    yield
    asked = [r.target for r in document.origin.requests]
    w.check(asked == ["/robots.txt"], "asked for %s", asked)
