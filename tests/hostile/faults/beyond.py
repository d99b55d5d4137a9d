"""What docs/HOSTILE.md did not have at first (4.11)."""
from faults.names import has_names, named
from origin import whole
from scene import fault, urlset


@fault("E2", does="names, in the robots.txt of a host with a name, addresses of the inside",
       good="asks nobody at these, though the operator may",
       off="seeds-inward")
def inward(w):
    if not has_names():
        return
    origin = named(w, "outside.example")
    inside = w.net.origin("127.0.0.3", port=origin.port)
    w.args += ["--allow-address", "127.0.0.3/32", "--delay", "0"]
    inside.put(None, whole(urlset([inside.url("/p")])))
    spellings = ["http://%s:%d/x.xml" % (host, inside.port) for host in (
        "127.0.0.3", "127.3", "2130706435", "0x7f000003", "[::ffff:127.0.0.3]")]
    origin.put("/robots.txt", whole("".join("Sitemap: %s\n" % u for u in spellings)))
    w.targets.append(origin.url("/robots.txt"))
    w.status = 1
    run = yield
    w.check(not inside.accepted, "it was asked for %s", inside.requests)
    w.check("private-address" in run.findings(inside.url("/x.xml")), "not told: %s", run.records)
