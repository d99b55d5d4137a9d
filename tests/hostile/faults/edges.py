"""What stands at the edges: addresses, names, files, and what is told of it all
(docs/HOSTILE.md 4.11)."""
from faults.names import has_names, named
from origin import redirect
from scene import fault

# what no machine of the Internet has, though it is none of the usual ranges
ODD = ("::ffff:0:127.0.0.2", "5f00::1", "100:0:0:1::1", "4000::1", "::127.0.0.2", "64:ff9b::7f00:2",
       "2002:7f00:2::1", "64:ff9b:2::1")
# a sink of RFC 7534: nobody is harmed by the test of a test, which knocks there
SINK = "192.175.48.1"


@fault("E40", does="has names whose addresses hold others, or that nobody has, or this machine since it began",
       good="connects to none of them",
       off=("global-unicast", "own-anew", "own-within"))
def odd_addresses(w):
    if not has_names():
        yield
        return
    origin = named(w, "outside.example")
    w.args += ["--delay", "0"]
    w.env["FRESHET_TEST_OWN"] = SINK
    names = {a: "to%s.example" % a.replace(":", "x").replace(".", "o")
             for a in ODD + (SINK, "64:ff9b::" + SINK)}
    for address, name in names.items():
        w.bad(redirect("http://%s:%d/x" % (name, origin.port)), path="/%s.xml" % name, name=address,
              origin=origin, failure="private-address")
    run = yield
    said = [f["text"] for r in run.records if r.get("kind") == "robots" for f in r["findings"]
            if f["code"] == "private-address"]
    w.check(len(said) == len(names), "judged when connecting: %s", said)
