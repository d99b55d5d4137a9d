"""HOSTILE 4.11, E25 to E36: what one owner can make of many hosts, long names,
large robots.txt and children without end."""
import asyncio
import random

from case import gz
from faults.names import has_names, named
from origin import KEEP, redirect, whole
from scene import fault, index, urlset

NO_WAIT = ["--delay", "0"]
# where time is not what the case is about: a machine that is slow is no slow server
PATIENT = ["--max-time", "60", "--low-speed-time", "60", "--connect-timeout", "30"]
LABEL = "a" * 63


def robots(sitemaps=(), rules=""):
    return whole("User-agent: *\n%s\n%s" % (rules, "".join("Sitemap: %s\n" % s for s in sitemaps)))


def many_hosts(w, answer):
    """A server at whatever name below evil.example; answer(host, path) is the
    body, or None: there is nothing.  A function that makes its URLs."""
    origin = named(w, "h0.evil.example")

    async def speak(c):
        host = (c.request.header("Host") or "").split(":")[0]
        body = answer(host, c.request.target)
        await c.send(whole(b"", status=404) if body is None else body)
        return KEEP
    origin.put(None, speak)
    return origin, lambda host, path: "http://%s:%d%s" % (host, origin.port, path)


@fault("E25", does="redirects to, names, lists and has pages at hosts of 254 to 1,024 bytes",
       good="refuses what is no name, and goes on",
       off="name-length")
def long_names(w):
    w.args += NO_WAIT + ["--max-urls", "10000"]
    longest = ".".join([LABEL] * 3) + "." + "a" * 61
    hosts = [longest + "a", ".".join([LABEL] * 4) + ".example", "b." * 140 + "example",
             ".".join(["a" * 60] * 16) + ".example",
             ".".join(["\u00fc" * 25] * 10) + ".example", "%61" * 300 + ".example"]
    for n, host in enumerate(hosts):
        site = w.origin()
        far = "http://%s:%d" % (host, site.port)
        site.put("/robots.txt", robots([far + "/named.xml", site.url("/named.xml")]))
        site.put("/named.xml", whole(urlset([site.url("/n")])))
        w.bad(redirect((far + "/x.xml").encode("utf-8").decode("latin-1")), origin=site,
              name="redirect %d" % n, failure="fetch-redirect-unsafe", urls=["/n", "/p"])
        w.targets.append(site.url("/"))
        w.bad(whole(index([far + "/c.xml", site.url("/c.xml")])), path="/index.xml", origin=site,
              clean=True, urls=["/n", "/p"], codes=("invalid-url",))
        site.put("/c.xml", whole(urlset([far + "/p", site.url("/p")])))
        other = w.origin()
        other.put("/robots.txt", redirect(far.encode("utf-8").decode("latin-1") + "/robots.txt"))
        w.bad(whole(urlset([other.url("/p")])), origin=other, name="robots %d" % n, clean=True,
              urls=["/p"])
    w.status = 1


@fault("E26", does="has 14 names, whose robots.txt name half a megabyte of their own documents each",
       good="takes no more of them than one owner may have, and reads its sitemaps",
       off="self-listed-limit")
def own_lines(w):
    if not has_names():
        return
    w.args += NO_WAIT
    hosts = ["h%d.evil.example" % n for n in range(14)]

    def answer(host, path):
        if path == "/robots.txt":
            lines, size, n = [], 0, 0
            while size < 500000:
                lines.append(url(host, "/%s/%d.xml" % ("\u00e9" * 400, n)))
                size += len(lines[-1].encode()) + 10
                n += 1
            if host == hosts[0]:
                lines = [url(h, "/s.xml") for h in hosts] + lines[:-40]
            return robots(lines if host != hosts[0] else lines)
        if path == "/s.xml":
            return whole(index([url(host, "/c%d.xml" % n) for n in range(10)]))
        return whole(urlset([url(host, path + "/p")])) if path.startswith("/c") else None
    origin, url = many_hosts(w, answer)
    w.targets.append(url(hosts[0], "/"))
    w.rss_mib, w.cpu_s, w.status = 96, 8, 1
    yield
    listed = [u for u in w.listed if ".evil.example" in u]
    w.check(len(listed) == 14 * 10, "lists %d", len(listed))


@fault("E27", does="forbids with 30,000 rules of stars, and lists 500 children of 2,000 characters",
       good="stops trying after a while: what that does not decide is forbidden",
       off="star-work")
def stars(w):
    w.args += NO_WAIT
    rules = ["Disallow:/*z%04x" % n for n in range(30000)]
    for number in range(2):
        site = w.origin()
        site.put("/robots.txt", robots(rules="\n".join(rules)))
        site.put(None, whole(urlset([])))
        w.bad(whole(index([site.url("/%d/%s.xml" % (k, "ab" * 1000)) for k in range(500)])),
              origin=site, name=str(number), clean=True)
    w.cpu_s, w.status = 6, 1
    run = yield
    gap = run.summary["longest_gap_cpu_ms"]
    w.check(gap < 100, "the loop did nothing else for %d ms", gap)
    blocked = [r for r in run.records if r.get("failure") in ("fetch-blocked-by-robots", "budget-reached")]
    w.check(len(blocked) == 1000, "%d were refused", len(blocked))


@fault("E28", does="lists 1,500 pages of 2,000 characters, and forbids them with 30,000 rules of stars",
       good="hands out pages of others meanwhile, as quickly as ever",
       off="star-work")
def stars_for_pages(w):
    w.args += NO_WAIT + ["--max-bytes", "8M"]
    site = w.origin()
    rules = ["Disallow:/*z%04x" % n for n in range(30000)]
    site.put("/robots.txt", robots(rules="\n".join(rules)))
    pages = ["/%d/%s" % (k, "ab" * 1000) for k in range(1500)]
    w.bad(whole(urlset([site.url(p) for p in pages])), origin=site, clean=True, urls=pages)
    w.rss_mib = 96
    yield
    for _ in range(3):
        run = w.command("due", "-n", "100", "--delay", "0", seconds=60)
        w.check(run.status == 0 and run.cpu_s < 2, "%s", run)


@fault("E30", does="has 120 names, each with 64,000 rules in its robots.txt",
       good="keeps few of them in memory at a time",
       off="rules-memory")
def many_rules(w):
    if not has_names():
        return
    w.args += NO_WAIT + PATIENT
    hosts = ["h%d.evil%d.example" % (n, n % 12) for n in range(120)]
    rules = "\n".join("Disallow:/%x" % n for n in range(0x8000, 0x8000 + 30000))
    small = "User-agent: freshet\n" + rules[:240000] + "\nUser-agent: *\n" + rules[:240000] + "\n"

    def answer(host, path):
        if path == "/robots.txt":
            text = small.replace("Disallow:/", "Disallow:/%s" % host[:2])[:500000]
            if host == hosts[0]:
                text = "".join("Sitemap: %s\n" % url(h, "/s.xml") for h in hosts) + text[:400000]
            return whole(text)
        return whole(urlset([url(host, "/p")])) if path == "/s.xml" else None
    origin, url = many_hosts(w, answer)
    w.targets.append(url(hosts[0], "/"))
    w.rss_mib, w.cpu_s, w.wall_s = 112, 12, 30
    yield
    listed = [u for u in w.listed if ".example" in u]
    w.check(len(listed) == 120, "lists %d", len(listed))


@fault("E31", does="answers with an index late, when another sitemap has reached the limit of URLs",
       good="ends then, and says so",
       off="wake-after-skip")
def late_index(w):
    # with a smaller limit nothing would be under way beside another document
    w.args += NO_WAIT + ["--max-urls", "150000", "--low-speed-time", "9", "--max-time", "9"]
    full, late = w.origin(), w.origin()
    names = [full.url("/s%d.xml" % n) for n in range(4)]
    full.put("/robots.txt", robots(names))
    for n in range(4):
        full.put("/s%d.xml" % n, whole(gz(urlset([full.url("/%d/%d" % (n, k)) for k in range(50000)]))))

    first = full.answers["/s0.xml"]

    async def begin(c):
        await c.hang(1)  # the healthy site is through by then
        await c.send(first)

    async def wait(c):
        await c.hang(3)
        await c.send(whole(index([late.url("/c%d.xml" % n) for n in range(9)])))
    full.put("/s0.xml", begin)
    late.put("/robots.txt", robots([late.url("/index.xml")]))
    late.put("/index.xml", wait)
    w.targets += [full.url("/"), late.url("/")]
    w.status, w.cpu_s = 3, 4
    run = yield
    w.check_time(run.own_s < 10, "took %.1f s", run.own_s)


@fault("E32", does="lists the same 1,000 children in 200 indexes that its robots.txt names",
       good="remembers some of the indexes of each, and looks at no child very often",
       off="parents-limit")
def shared_children(w):
    w.args += NO_WAIT
    site = w.origin()
    site.put("/robots.txt", robots([site.url("/i%d.xml" % n) for n in range(200)]))
    children = index([site.url("/c%d.xml" % n) for n in range(1000)])
    for n in range(200):
        site.put("/i%d.xml" % n, whole(children))
    site.put(None, whole(urlset([])))
    w.targets.append(site.url("/"))
    w.cpu_s, w.status, w.wall_s = 5, 1, 30
    run = yield
    asked = len([r for r in site.requests if r.target.startswith("/c")])
    w.check(asked == 1000, "asked for %d children", asked)
    gap = run.summary["longest_gap_cpu_ms"]
    w.check(gap < 100, "the loop did nothing else for %d ms", gap)
    w.is_resumed, w.status = True, 0
    run = yield
    gap = run.summary["longest_gap_cpu_ms"]
    w.check(gap < 100, "the second time the loop did nothing else for %d ms", gap)


@fault("E33", does="lists 60,000 children of 8,000 bytes in ten packed indexes of 60 kB",
       good="has no more of them wait than their bytes allow",
       off="child-bytes")
def growing_children(w):
    w.args += NO_WAIT + ["--max-children", "20000", "--max-time", "10"]
    site = w.origin()
    site.put("/robots.txt", robots([site.url("/i%d.xml.gz" % n) for n in range(4)]))
    for n in range(4):
        urls = [site.url("/%d-%d-%s.xml" % (n, k, "\U0001f600" * 660)) for k in range(6000)]
        site.put("/i%d.xml.gz" % n, whole(gz(index(urls))))
    site.put(None, whole(b"", status=404))
    w.targets.append(site.url("/"))
    w.rss_mib, w.cpu_s, w.wall_s, w.status = 96, 10, 40, 3
    yield


@fault("E35", does="names sitemaps of 1,100 hosts below one name that it registered",
       good="asks 1,000 of them for their robots.txt, the others another day",
       off="owner-hosts")
def hosts_without_end(w):
    if not has_names():
        return
    w.args += NO_WAIT
    hosts = ["h%d.evil.example" % n for n in range(1100)]
    asked = set()

    def answer(host, path):
        if path == "/robots.txt":
            asked.add(host)
            return robots([url(h, "/s.xml") for h in hosts] if host == hosts[0] else [])
        return whole(urlset([url(host, "/p")])) if path == "/s.xml" else None
    origin, url = many_hosts(w, answer)
    w.targets.append(url(hosts[0], "/"))
    w.rss_mib, w.cpu_s, w.wall_s, w.status = 96, 10, 60, 1
    yield
    w.check(len(asked) == 1001, "%d were asked", len(asked))
    listed = [u for u in w.listed if ".evil.example" in u]
    w.check(len(listed) == 1001, "lists %d", len(listed))


@fault("E36", does="has 60 hosts below its name, each with half a megabyte of robots.txt",
       good="reads some of them, and leaves what the others list for another day",
       off="owner-bytes")
def robots_without_end(w):
    if not has_names():
        return
    w.args += NO_WAIT
    hosts = ["h%d.evil.example" % n for n in range(60)]
    rng = random.Random(1)
    noise = "".join("# %016x\n" % rng.getrandbits(64) for _ in range(26000))[:490000]

    def answer(host, path):
        if path == "/robots.txt":
            lines = [url(h, "/s.xml") for h in hosts] if host == hosts[0] else []
            return whole(noise + "\nUser-agent: *\n" + "".join("Sitemap: %s\n" % s for s in lines))
        return whole(urlset([url(host, "/p")])) if path == "/s.xml" else None
    origin, url = many_hosts(w, answer)
    w.targets.append(url(hosts[0], "/"))
    w.rss_mib, w.cpu_s, w.status = 96, 6, 1
    yield
    listed = [u for u in w.listed if ".evil.example" in u]
    w.check(20 < len(listed) < 40, "lists %d", len(listed))


@fault("E37", does="makes a reader answer with blocks of kilobytes that unpack to 60 MB of URLs",
       good="takes no more URLs of it than the document can hold",
       off="unpacked-bytes")
def packed_answer(w):
    w.has_clock = True  # only a binary with hooks has a reader that does so
    site = w.healthy
    robots_of_healthy = site.answers["/robots.txt"]

    async def late(c):
        # the first reading of all is to be that of the other document
        while not origin.asked("/sitemap.xml"):
            await asyncio.sleep(0.05)
        await c.hang(0.3)
        await c.send(robots_of_healthy)
        return KEEP
    site.put("/robots.txt", late)
    w.args += NO_WAIT + PATIENT + ["--reader-time", "20s"]
    w.env["FRESHET_TEST_FAULT"] = "pack"
    origin = w.origin()
    w.bad(whole(urlset([origin.url("/p")])), origin=origin, failure="reader-killed",
          says="more URLs than the document can hold")
    w.rss_mib, w.cpu_s, w.healthy_s = 160, 5, 8
    yield
