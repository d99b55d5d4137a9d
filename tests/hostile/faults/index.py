"""HOSTILE 4.6: indexes that lead in circles, to others, or to too much."""
from faults.xml import END, ROOT, url
from origin import whole
from scene import fault, index, urlset

LENIENT = ["--profile", "lenient"]


def once(w, document, *paths):
    """Each of these was asked for just once."""
    for path in paths:
        count = len(document.origin.asked(path))
        w.check(count == 1, "%s was asked for %d times", path, count)


@fault("I1", does="lists an index that lists it",
       good="asks for each once",
       off=("index-loop", "nested-index"))
def circle(w):
    w.args += LENIENT
    origin = w.origin()
    origin.put("/b.xml", whole(index([origin.url("/a.xml"), origin.url("/s.xml")])))
    origin.put("/s.xml", whole(urlset([origin.url("/p")])))
    document = w.bad(whole(index([origin.url("/b.xml")])), path="/a.xml", origin=origin,
                     clean=True, urls=["/p"])
    w.status = 1
    run = yield
    once(w, document, "/a.xml", "/b.xml", "/s.xml")
    w.check("index-loop" in run.findings(origin.url("/b.xml")), "the circle is not told: %s",
            run.findings(origin.url("/b.xml")))
    # in strict an index in an index is no sitemap at all
    w.args[-1] = "strict"
    w.args.append("--force")
    run = yield
    once(w, document, "/a.xml", "/b.xml")
    record = run.record(origin.url("/b.xml"))
    w.check(record.get("failure") == "nested-index", "strict: %s", record.get("failure"))


@fault("I2", does="lists itself, in several spellings",
       good="asks for it once",
       off="index-loop")
def itself(w):
    origin = w.origin()
    own = origin.url("/a.xml")
    document = w.bad(whole(index([own, own + "?", own.replace("/a", "/./a"),
                                  own.replace("a.xml", "%61.xml"), own + "#x"])),
                     path="/a.xml", origin=origin, clean=True, codes=("index-self-reference",))
    w.status = 1
    yield
    w.check(len(document.origin.asked("/a.xml")) == 1, "asked for it: %s",
            document.origin.requests)


@fault("I3", does="lists a fresh index in each index, without end",
       good="follows a few levels, in strict none",
       off=("index-depth", "nested-index"))
def chain(w):
    w.args += LENIENT
    origin = w.origin()

    async def answer(c):
        number = int(c.request.target.strip("/x.ml") or 0)
        await c.send(whole(index([origin.url("/%d.xml" % (number + 1))])))
    origin.put(None, answer)
    origin.put("/robots.txt", whole("", status=404))
    w.bad(answer, path="/0.xml", origin=origin, clean=True)
    w.status = 1
    yield
    most = [r for r in origin.requests if r.target.endswith(".xml")]
    w.check(3 <= len(most) <= 5, "%d of them were asked for", len(most))
    w.args[-1] = "strict"
    w.args.append("--force")
    yield
    most = [r for r in origin.requests if r.target.endswith(".xml")]
    w.check(len(most) == 2, "strict: %d of them were asked for", len(most))


@fault("I4", does="lists the same child 50,000 times",
       good="asks for it once",
       off="duplicate-child")
def same_child(w):
    w.args += ["--max-bytes", "8M"]
    origin = w.origin()
    origin.put("/s.xml", whole(urlset([origin.url("/p")])))
    spellings = ["/s.xml", "/./s.xml", "/%73.xml", "/a/../s.xml", "/s.xml#1"]
    document = w.bad(whole(index([origin.url(spellings[n % 5]) for n in range(50000)])),
                     path="/a.xml", origin=origin, clean=True, urls=["/p"],
                     codes=("duplicate-child",))
    yield
    asked = [r for r in document.origin.requests if r.target != "/robots.txt"]
    w.check(len(asked) == 2, "%d requests", len(asked))


@fault("I5", does="lists 50,000 children on the host of somebody else",
       good="asks that host for nothing, unless its own robots.txt names them; and then slowly",
       off="foreign-children")
def victim(w):
    w.args += ["--max-bytes", "8M", "--delay", "250ms"]
    w.healthy_s = 8
    other = w.origin()
    forbidden = w.origin()
    bad = "http://127.0.0.2:%d/" % forbidden.port
    w.bad(whole(index([other.url("/%d.xml" % n) for n in range(50000)])), path="/a.xml",
          name="a stranger's host", clean=True, codes=("host-mismatch",))
    w.bad(whole(index([bad + "%d.xml" % n for n in range(50000)])), path="/a.xml",
          name="a forbidden address", origin=forbidden, clean=True, codes=("host-mismatch",))
    # that site itself is asked for, too: for what it names
    other.put(None, whole(urlset([other.url("/own")])))
    other.put("/robots.txt", whole("Sitemap: %s\nSitemap: %s\n" % (
        other.url("/7.xml"), other.url("/8.xml"))))
    w.targets.append(other.url("/"))
    w.status = 1
    yield
    asked = sorted(r.target for r in other.requests)
    w.check(asked == ["/7.xml", "/8.xml", "/robots.txt"], "the other site: %s", asked[:9])
    times = sorted(r.at for r in other.requests)
    gaps = [b - a for a, b in zip(times, times[1:])]
    w.check(min(gaps) >= 0.24, "asked after %.3f s", min(gaps))


@fault("I6", does="lists 20 indexes of children without end",
       good="stops at a quota of children, says so, and goes on from there",
       off="children-quota")
def many_children(w):
    w.args += ["--max-children", "100", "--profile", "lenient"]
    origin = w.origin()
    origin.put(None, whole(ROOT + url(origin.url("/p")) + END))
    origin.put("/robots.txt", whole("", status=404))
    for n in range(20):
        origin.put("/i%d.xml" % n, whole(index(
            [origin.url("/s%d-%d.xml" % (n, k)) for k in range(1000)])))
    document = w.bad(whole(index([origin.url("/i%d.xml" % n) for n in range(20)])),
                     path="/a.xml", origin=origin, clean=True)
    document.expect(clean=True, urls=["/p"])
    w.status = 3
    run = yield
    first = {r.target for r in origin.requests}
    w.check(100 <= len(first) <= 102, "%d requests", len(first))
    w.check("budget-reached" in " ".join(run.summary.get("findings", {})), "not told: %s",
            run.summary.get("findings"))
    w.args[w.args.index("100")] = "150"
    w.documents.clear()
    w.is_resumed = True
    yield
    second = {r.target for r in origin.requests}
    w.check(len(first | second) >= 150, "after another crawl %d", len(first | second))
    w.check(len(first & second) < 30, "%d were asked for again", len(first & second))


@fault("I7", does="mixes index and urlset, and is one today and the other tomorrow",
       good="goes by what it is now, and takes no entry of the wrong kind",
       off="root-decides")
def mixed(w):
    w.args += ["--delay", "0"]
    origin = w.origin()
    origin.put("/s.xml", whole(urlset([origin.url("/s")])))
    both = index([origin.url("/s.xml")]).replace(
        "</sitemapindex>", url(origin.url("/p")) + "</sitemapindex>")
    document = w.bad(whole(both), path="/a.xml", origin=origin, clean=True, urls=["/s"],
                     codes=("wrong-root",))
    yield
    document.put(whole(urlset([origin.url("/p")]).replace(
        "</urlset>", "<sitemap><loc>%s</loc></sitemap></urlset>" % origin.url("/s.xml"))))
    document.expect(clean=True, urls=["/p", "/s"], codes=("wrong-root",))
    run = yield
    w.check(run.record(document.url).get("kind") == "urlset", "kind %s",
            run.record(document.url).get("kind"))
    document.put(whole(both)).expect(clean=True, urls=["/s"], codes=("wrong-root",))
    run = yield
    w.check(run.record(document.url).get("kind") == "index", "kind %s",
            run.record(document.url).get("kind"))
