"""HOSTILE 4.2, N36, N37: names and where they lead, what the environment says,
and what of a reader's word is believed (X33)."""
import asyncio
import os
import tempfile

from faults.redirect import REFUSED
from origin import KEEP, redirect, whole
from program import BINARY, NAMES
from scene import by_reason, fault, urlset

DAY = 24 * 3600

by_reason("R8", "what the operator allows never changes while a process runs, and connections are kept by "
          "host and port: none can be used again for an address that is refused.  Each request is "
          "judged all the same when it takes a connection (before_request in crawler/fetch/fetch.c)")
by_reason("L2", "`tests/run asan` runs the whole suite where AddressSanitizer, UBSan and LSan look on, which "
          "takes as long as all of this")


def has_names():
    """Else the case is nothing but the healthy site."""
    if os.access(BINARY, os.R_OK):
        with open(BINARY, "rb") as f:
            if b"__asan_init" in f.read():
                print("     skipped: nothing is preloaded before AddressSanitizer", flush=True)
                return False
    return True


def named(w, name):
    """A server at the address that is allowed, which is known by its name."""
    w.env["LD_PRELOAD"] = NAMES
    w.check(os.access(NAMES, os.R_OK), "no resolver to preload: '%s'", NAMES)
    origin = w.origin("127.0.0.1")
    origin.address = name
    return origin


def pages(origin):
    return whole(urlset([origin.url("/p")]))


@fault("R6", does="has a name that leads to itself first, and to a neighbour the next time",
       good="judges the address that it connects to, each time",
       off="address-policy")
def rebinding(w):
    if not has_names():
        yield
        return
    first, second = named(w, "turn.example"), named(w, "turn.example")
    w.args += ["--delay", "0"]
    w.bad(pages(first), origin=first, clean=True, urls=["/p"])
    w.bad(redirect(second.url("/x.xml")), path="/to.xml", origin=first, failure=REFUSED,
          urls=["/p"])
    w.bad(pages(second), origin=second, failure=REFUSED)
    yield
    w.check(not second.accepted, "the other port was connected to")


@fault("R7", does="has a name with two addresses, one of them a neighbour's",
       good="connects to the other",
       off="address-policy")
def two_addresses(w):
    if not has_names():
        return
    origin = named(w, "both.example")
    w.bad(pages(origin), origin=origin, clean=True, urls=["/p"])


@fault("R9", does="waits as a proxy, and for passwords, that the environment names",
       good="asks itself, and gives no password that it was not told to",
       off=("environment-proxy", "netrc"))
def environment(w):
    proxy, origin = w.origin(), w.origin()
    proxy.put(None, whole(urlset([])))
    with tempfile.TemporaryDirectory() as home:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY",
                     "ALL_PROXY"):
            w.env[name] = proxy.url("/")
        w.env.update(HOME=home, CURL_HOME=home, XDG_CONFIG_HOME=home)
        with open(os.path.join(home, ".curlrc"), "w", encoding="ascii") as f:
            f.write('proxy = "%s"\nheader = "X-Rc: 1"\n' % proxy.url("/"))
        with open(os.path.join(home, ".netrc"), "w", encoding="ascii") as f:
            f.write("machine %s login me password word\ndefault login me password word\n"
                    % origin.address)
        w.bad(pages(origin), origin=origin, clean=True, urls=["/p"])
        yield
    w.check(not proxy.accepted, "the proxy was connected to")
    for request in origin.requests:
        w.check(not request.header("Authorization") and not request.header("X-Rc"),
                "it was told %s", request.fields)


@fault("R13", does="redirects to another port, or to another host, which would like to know the key",
       good="gives it to the site alone that the operator named",
       off="own-headers")
def key(w):
    origin = w.origin()
    with tempfile.NamedTemporaryFile("w", suffix=".password", delete=False) as f:
        f.write("me:word\n")
    w.args += ["-H", "X-Api-Key: secret", "--user-file", f.name, "--delay", "0",
               "--allow-address", "127.0.0.0/8"]
    others = w.origin(origin.address), w.origin()
    for n, other in enumerate(others):
        other.put("/real.xml", pages(other))
        # its port is one that was named, though not for this host
        w.targets.append("http://127.0.3.%d:%d/" % (n + 1, other.port))
        w.bad(redirect(other.url("/real.xml")), path="/%d.xml" % n, origin=origin, clean=True)
    w.status = 1
    yield
    os.unlink(f.name)
    for request in origin.requests:
        w.check(request.header("X-Api-Key") == "secret"
                and request.header("Authorization") == "Basic bWU6d29yZA==",
                "the site itself was not told: %s", request.fields)
    for other in others:
        w.check(other.asked("/real.xml"), "%s was not asked", other.url_root)
        for request in other.requests:
            w.check(not request.header("X-Api-Key") and not request.header("Authorization"),
                    "%s was told %s", other.url_root, request.fields)


@fault("N36", does="has name servers that answer after 2 seconds that they cannot",
       good="waits for them beside its work, and reads others meanwhile",
       off="lookups-beside")
def slow_names(w):
    if not has_names():
        yield
        return
    w.env["FRESHET_TAR_S"] = "2"
    w.args[w.args.index("--connect-timeout") + 1] = "1"
    for n in range(4):
        origin = named(w, "tar%d.example" % n)
        w.bad(pages(origin), origin=origin, failure="robots-unreachable")
    w.healthy_s = 1.5
    run = yield
    # 50 ms are the aim: what is beyond them may be the machine's; waiting for
    # somebody takes no processor time
    gap, most = run.summary["longest_gap_ms"], 500 + 1000 * run.waited_s
    w.check(gap < most, "nothing was done for %d ms, more than %d", gap, most)


@fault("N37", does="has 2,000 names that do not exist (--full: 10,000)",
       good="looks up a few at once, and reads others meanwhile",
       off="lookups-limit")
def storm(w):
    if not has_names():
        yield
        return
    count = 10000 if w.is_full else 2000
    named(w, "here.example")
    w.healthy_s = 3 if w.is_full else 2
    w.targets += ["http://gone%05d.example/" % n for n in range(count)]
    w.status = 1
    if w.is_full:
        w.cpu_s = 15
    with tempfile.NamedTemporaryFile("r") as f:
        w.env.update(FRESHET_TEST_THREADS=f.name, FRESHET_GONE_US="2000")
        yield
        threads = [int(line) for line in f]
    w.check(len(threads) >= count, "%d names were looked up", len(threads))
    w.check(max(threads, default=0) <= 17, "%d threads beside the first", max(threads) - 1)


@fault("E13", is_crowd=True,
       does="has 24 names whose servers answer late, before a crawler that has few descriptors",
       good="keeps its transfers for those whose addresses it knows",
       off="names-gate")
def late_names(w):
    if not has_names():
        yield
        return
    named(w, "here.example")
    w.env["FRESHET_TAR_S"] = "1"
    w.descriptors = 90
    w.targets += ["http://tar%02d.example/" % n for n in range(24)]
    w.status, w.healthy_s = 1, 1.5
    yield


@fault("E14", is_crowd=True,
       does="has 2,000 names below one that it registered, and none of them exists",
       good="has a few of one owner wait at once: others' names are looked up meanwhile",
       off="names-turns")
def names_of_one(w):
    if not has_names():
        yield
        return
    well = named(w, "well.example")
    w.env["FRESHET_GONE_US"] = "5000"
    w.targets += ["http://gone%05d.pit.example/" % n for n in range(2000)]
    w.bad(pages(well), origin=well, clean=True, urls=["/p"])
    w.status, w.cpu_s = 1, 10
    run = yield
    took = well.asked("/sitemap.xml")[0].at - run.begin
    w.check(took < run.wall_s / 2, "another's page came after %.1f of %.1f s", took, run.wall_s)


@fault("X33", does="makes a reader die, hang, or answer what it may not",
       good="loses that one document, stores nothing of it, says why",
       off=("lost-reader", "validation"))
def lying_reader(w):
    w.has_clock = True  # only a binary with hooks has a reader that does so
    origin = w.origin()
    site = w.healthy
    robots = site.answers["/robots.txt"]

    async def late(c):
        # the first reading of all is to be that of the other document
        await asyncio.sleep(0.3)
        await c.send(robots)
        return KEEP
    site.put("/robots.txt", late)
    w.args += ["--delay", "0", "--reader-time", "500ms"]
    one = w.bad(pages(origin), origin=origin)
    plants = [("crash", "crashed"), ("garbage", "killed"), ("lie-host", "killed")]
    if w.is_full:
        w.rss_mib = 96  # of a flood this side keeps something, too
        plants += [("exit", "crashed"), ("oversize", "killed"), ("sleep", "killed"),
                   ("flood", "killed"), ("after-end", None), ("ends", None)]
    for plant, how in plants:
        w.sub_cases += 1
        w.env["FRESHET_TEST_FAULT"] = plant
        one.name = plant
        if how:
            one.expect(failure="reader-" + how)
        else:  # the answer had come, and what comes after it is nobody's
            one.expect(clean=True, urls=["/p"])
        yield
        w.clock.advance(DAY)
    del w.env["FRESHET_TEST_FAULT"]
    one.expect(clean=True, urls=["/p"])
    yield
