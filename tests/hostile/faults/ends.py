"""What a server could end the whole process with (docs/internals/HOSTILE.md 4.11)."""
import signal

from origin import whole
from scene import fault, urlset


@fault("E60", does="names more Sitemap lines, over 13 hosts of one site, than fit into a job of a reader",
       good="loses documents of that site at most; whoever else is in the crawl is read",
       off="frame-fits")
def vast_scope(w):
    w.args += ["--delay", "0", "--allow-address", "127.0.60.0/24"]
    first = w.origin()
    w.cpu_s, w.wall_s = 10, 30
    hosts = [w.net.origin("127.0.60.%d" % n, port=first.port) for n in range(1, 14)]
    for host in hosts:
        lines = "".join("Sitemap: %s%s%d\n" % (host.url("/x"), "\u00e9" * 1000, n)
                        for n in range(240))
        host.put("/robots.txt", whole(("User-agent: *\nDisallow: /x\n" + lines).encode()))
        host.put("/s.xml", whole(urlset([host.url("/1")])))
    first.put("/robots.txt", whole("".join("Sitemap: %s\n" % h.url("/s.xml") for h in hosts)))
    w.targets.append(first.url("/"))
    w.bad(whole("", status=404), failure="fetch-not-found")
    run = yield
    for host in hosts:
        record = run.record(host.url("/s.xml"))
        w.check(record.get("outcome") == "read", "%s is %s", host, record)


@fault("E61", does="has what ends the whole process, each time that it is read",
       good="leaves that site alone after two such ends in a row, says so, and reads the others",
       off=("abort-mark", "fault-mark", "set-aside"))
def ends_all(w):
    w.has_hooks = True
    w.args += ["--delay", "0"]
    site = w.origin()
    site.put("/sitemap.xml", whole(urlset([site.url("/1")])))
    w.targets.append(site.url("/sitemap.xml"))
    w.healthy_s = 10
    yield
    site.put("/sitemap.xml", whole(urlset([site.url("/2")])))
    for number, status in ((signal.SIGABRT, 9), (signal.SIGSEGV, -signal.SIGSEGV)):
        w.env = {"FRESHET_TEST_BUG": "%d:%s" % (number, site.url("/"))}
        # all of it, though some was read within this second
        run = w.command("crawl", "--force", *w.args, *w.targets, env=w.env)
        w.check(run.status == status, "did not end: %s", run)
    w.status = 1
    w.is_resumed = True
    run = yield
    w.check(not site.requests, "it was asked once more: %s", site.requests)
    w.check(run.summary["documents"]["unchanged"] == 3,
            "the others were not asked: %s", run)


@fault("E70", does="keeps the robots.txt of a host waiting that another site has documents on, and lists"
       " more than a site may",
       good="asks for that robots.txt still, for the other site: a crawl that forgot it never ended",
       off="robots-wanted")
def robots_of_a_full_site(w):
    # the later --retry counts; a 503 is asked again after a while
    w.args += ["--delay", "0", "--retry", "1", "--max-site-urls", "50",
               "--allow-address", "127.0.70.0/24"]
    w.status, w.healthy_s = 3, 10
    attacker, other = w.origin(), w.origin()
    between = w.net.origin("127.0.70.1", port=attacker.port)

    async def at_last(connection):
        answer = whole("User-agent: *\nDisallow: /x\n") if len(
            between.asked("/robots.txt")) > 1 else whole("", "Retry-After: 2", status=503)
        await connection.send(answer)
    between.put("/robots.txt", at_last)
    for site, name in ((attacker, "/a.xml"), (other, "/b.xml")):
        site.put("/robots.txt", whole("Sitemap: %s\nSitemap: %s\n" % (
            between.url(name), site.url("/large.xml"))))
        between.put(name, whole(urlset([site.url("/1")])))
        w.targets.append(site.url("/"))
    attacker.put("/large.xml", whole(urlset([attacker.url("/%d" % n) for n in range(60)])))
    other.put("/large.xml", whole(urlset([other.url("/2")])))
    run = yield
    record = run.record(between.url("/b.xml"))
    w.check(record.get("outcome") == "read", "the other site's document is %s", record)
    w.check(not between.asked("/a.xml"), "the full site was asked for more")
