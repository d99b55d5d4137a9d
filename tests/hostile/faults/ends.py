"""What a server could end the whole process with (docs/HOSTILE.md 4.11)."""
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
