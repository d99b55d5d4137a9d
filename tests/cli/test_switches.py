"""Every switch of the profiles, set alone, changes what is read (SPEC section 1)."""
import collections
import os
import re

from case import Case, gz, index, urlset
from test_clock import HOUR, Clocked

A, B = "http://a.example", "http://b.example"

# What a robots.txt names.
named = "Sitemap: {}\n".format

Row = collections.namedtuple("Row", "switch value files target document before after options")


def row(switch, value, files, before, after, target=None, document=None, options=()):
    """files: {"host/path": a body, or a list, or the target of a redirect};
    before and after: (accepted entries, codes) of the document under the
    profile google, and with the switch."""
    document = document or A + "/s.xml"
    return Row(switch, value, files, target or document, document, before, after, options)


def here(*entries):
    return {"a.example/s.xml": urlset(entries)}


ROWS = [
    row("site_match", "registrable", here("http://shop.a.example/"),
        (0, "host-mismatch"), (1, "cross-host-accepted")),
    row("scheme_rule", "any", here("https://a.example/"),
        (0, "scheme-mismatch"), (1, "cross-host-accepted")),
    row("www_rule", "fold", here("http://www.a.example/"),
        (0, "www-missing"), (1, "cross-host-accepted")),
    row("dir_rule", "warn", {"a.example/d/s.xml": urlset([A + "/x"])},
        (0, "outside-directory"), (1, "outside-directory"), document=A + "/d/s.xml"),
    row("child_dir_waiver", "listed-index",
        {"a.example/robots.txt": named(A + "/d/i.xml"),
         "a.example/d/i.xml": index([A + "/s.xml"]), **here(A + "/x")},
        (0, "outside-directory"), (1, "directory-waived"), A + "/", A + "/d/i.xml"),
    row("url_dir_waiver", "none",
        {"a.example/robots.txt": named(A + "/d/s.xml"),
         "a.example/d/s.xml": urlset([A + "/x"])},
        (1, "directory-waived"), (0, "outside-directory"), A + "/", A + "/d/s.xml"),
    row("robots_proof", "off",
        {"b.example/robots.txt": named(A + "/s.xml"), **here(B + "/x")},
        (1, "accepted-by-robots-proof"), (0, "host-mismatch"), B + "/"),
    row("proof_inherit", "off",
        {"b.example/robots.txt": named(A + "/i.xml"),
         "a.example/i.xml": index([A + "/s.xml"]), **here(B + "/x")},
        (1, "accepted-by-robots-proof"), (0, "host-mismatch"), B + "/"),
    row("proof_authority", "host",
        {"b.example/robots.txt": named(A + "/s.xml"), **here("https://b.example/x")},
        (0, "host-mismatch"), (1, "accepted-by-robots-proof"), B + "/"),
    row("ownership", "off", here(B + "/x"),
        (1, "accepted-by-ownership"), (0, "host-mismatch"),
        options=("--own", "domain:a.example", "--own", "domain:b.example")),
    row("redirect_base", "requested",
        {"a.example/s.xml": [A + "/d/s.xml"], "a.example/d/s.xml": urlset([A + "/x"])},
        (0, "outside-directory sitemap-redirected"), (1, "sitemap-redirected")),
    row("nested_index", "follow",
        {"a.example/i.xml": index([A + "/s.xml"]), "a.example/s.xml": index([A + "/t.xml"]),
         "a.example/t.xml": urlset([A + "/x"])},
        (0, "nested-index"), (1, "nested-index"), A + "/i.xml"),
    row("namespace", "exact",
        {"a.example/s.xml": "<urlset><url><loc>%s/x</loc></url></urlset>" % A},
        (1, "missing-namespace"), (0, "missing-namespace")),
    row("relative_loc", "resolve", here("/x"), (0, "relative-url"), (1, "relative-url")),
    row("max_loc_chars", "18", here(A + "/x", A + "/yz"), (2, ""), (1, "url-too-long")),
    row("lastmod_forms", "note", here((A + "/x", "2024-06-05T10:11:12")),
        (1, "lastmod-no-timezone"), (1, "invalid-date")),
    row("on_partial", "drop",
        {"a.example/s.xml": urlset([A + "/x", A + "/y"]).replace("</urlset>", "<url>&")},
        (2, "parse-error"), (0, "parse-error")),
    row("limit_overrun", "drop",
        {"a.example/s.xml": gz(urlset("%s/%d" % (A, n) for n in range(50001)))},
        (50000, "gzip-undeclared too-many-urls"),
        (0, "gzip-undeclared too-many-urls")),
    row("doctype", "skip",
        {"a.example/s.xml": urlset([A + "/x"]).replace("<urlset", "<!DOCTYPE urlset><urlset")},
        (0, "doctype-present"), (1, "doctype-present")),
    row("robots_repair", "off",
        {"a.example/robots.txt": "User-agent: *\nDisalow: /s.xml\n", **here(A + "/x")},
        (0, "fetch-blocked-by-robots"), (1, "")),
]

# What no single reading can show: it needs half a day (below); it is for the schedule.
ELSEWHERE = {"robots_5xx", "priority_hints"}


class Switches(Case):
    def look(self, row, *args, **kwargs):
        result = self.program.run("check", "--json", "--progress", "off", "--retry", "0",
                                  *row.options, "--connect-to", "::127.0.0.1:%d" % self.port,
                                  *args, row.target, **kwargs)
        record = next((r for r in result.records()
                       if r["record"] == "document" and r["path"] == row.document), None)
        self.assertIsNotNone(record, str(result))
        return record["accepted"], " ".join(sorted(
            f["code"] for f in record["findings"] if f["code"] != "partial-document"))

    def serve(self, row):
        server = self.site()
        for at, body in row.files.items():
            if isinstance(body, list):
                server.redirect(at, *body)
            else:
                server.put(at, body)
        self.port = server.port

    def ways(self, row):
        """Returns (name, arguments, environment) of each way to set the
        switch."""
        key = row.switch.replace("_", "-")
        site = row.target.split("/")[2]
        yield "option", ["--" + key, row.value], {}
        for name, text in (("[defaults]", "[defaults]\n%s = %s\n" % (row.switch, row.value)),
                           ("[site]", "[site %s]\n%s = %s\n" % (site, key, row.value)),
                           ("[site other]",
                            "[site other.example]\n%s = %s\n" % (key, row.value))):
            path = os.path.join(self.program.folder, "freshet.conf")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            yield name, ["--config", path], {}

    def test_each_alone(self):
        """The first one in every way, the others in one each: the ways are the
        same for all of them."""
        for number, each in enumerate(ROWS):
            self.serve(each)
            self.assertNotEqual(each.before, each.after, each.switch)
            with self.subTest(switch=each.switch, way="none"):
                self.assertEqual(self.look(each), each.before)
            for turn, (name, args, env) in enumerate(self.ways(each)):
                if number > 0 and turn != number % 4:
                    continue
                with self.subTest(switch=each.switch, way=name):
                    self.assertEqual(self.look(each, *args, env=env),
                                     each.before if name == "[site other]" else each.after)

    def test_all_are_here(self):
        text = self.program.run("help", "switches").out
        known = set(re.findall(r"^  ([a-z_0-9]+) = ", text, re.M))
        self.assertEqual({each.switch for each in ROWS} | ELSEWHERE, known)
        self.assertEqual(len(ROWS) + len(ELSEWHERE), len(known))


class Unreachable(Clocked):
    """robots_5xx: thirteen hours after the first failure, with a good copy."""

    def look(self, *args, env=None):
        url = self.server.url("/s.xml")
        self.program.store = os.path.join(self.program.folder, "%d.db" % self.number)
        self.number += 1
        self.server.put("/s.xml", urlset([self.server.url("/x")]))
        self.server.put("/robots.txt", "User-agent: *\n")
        self.crawl(*args, url, env=env)
        self.server.put("/robots.txt", status=503)
        self.crawl("--retry", "0", *args, url, status=4, env=env)
        self.clock.advance(13 * HOUR)
        crawl = self.crawl("--retry", "0", *args, url, status=(0, 1, 4), env=env)
        return crawl.document(url)["outcome"]

    def test_robots_5xx(self):
        self.clock.leap()  # a server in trouble is spared for a while
        self.number = 0
        path = os.path.join(self.program.folder, "freshet.conf")
        self.assertEqual(self.look(), "unchanged")
        self.assertEqual(self.look("--profile", "strict"), "refused")
        for name, args, env in (
                ("option", ["--robots-5xx", "rfc"], {}),
                ("[defaults]", ["--config", path], "[defaults]\nrobots-5xx = rfc\n"),
                ("[site]", ["--config", path], "[site 127.0.0.1]\nrobots-5xx = rfc\n")):
            with self.subTest(way=name):
                if isinstance(env, str):
                    with open(path, "w", encoding="utf-8") as f:
                        f.write(env)
                    env = {}
                self.assertEqual(self.look(*args, env=env), "refused")
