"""Requests that are signed: on challenge, always, never; walls that let signatures in, and walls
that do not (SPEC R-138 to R-142)."""
import datetime
import importlib.util
import os
import subprocess
import time
import unittest

from case import Case, urlset

HAS_CRYPTOGRAPHY = importlib.util.find_spec("cryptography") is not None
if HAS_CRYPTOGRAPHY:
    import wall as walls
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

DAY = 86400
AGENT = "https://bot.example"


@unittest.skipUnless(HAS_CRYPTOGRAPHY, "Python's cryptography is not installed")
class Signed(Case):
    """self.wall is a site with a robots.txt and a sitemap of three pages."""

    def setUp(self):
        super().setUp()
        self.follow_clock()
        self.key = os.path.join(self.program.folder, "key")
        self.public = self.new_key(self.key)
        self.wall = self.new_wall()
        self.wall.admit(self.public)

    def new_key(self, folder):
        os.mkdir(folder, 0o700)
        name = os.path.join(folder, "20260101T000000Z.pem")
        with open(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], check=True, stdout=file)
        with open(name, "rb") as file:
            return walls.public_of(file.read())

    def new_wall(self, **how):
        how.setdefault("now", lambda: self.clock.now())
        wall = walls.Wall(**how)
        self.addCleanup(wall.close)
        wall.put("/robots.txt", "Sitemap: %s\n" % wall.url("/sitemap.xml"))
        self.pages = [wall.url("/%s.html" % name) for name in "abc"]
        wall.put("/sitemap.xml", urlset(self.pages))
        for page in "abc":
            wall.put("/%s.html" % page, "<title>%s</title><p>Words." % page)
        return wall

    def identity(self, folder=None):
        return ["--identity", folder or self.key, "--signature-agent", AGENT]

    def read(self, *args, status=0, wall=None, **kwargs):
        wall = wall or self.wall
        wall.forget()
        return self.crawl(*(self.identity() + list(args)), wall.url("/sitemap.xml"), status=status,
                          **kwargs)

    def failing(self, code, *args, **kwargs):
        """The text of the finding with that code."""
        crawl = self.read(*args, status=(1, 3, 4), **kwargs)
        found = crawl.document((kwargs.get("wall") or self.wall).url("/sitemap.xml"))["findings"]
        texts = [f["text"] for f in found if f["code"] == code]
        self.assertEqual(len(texts), 1, str(crawl))
        return texts[0]

    def shown(self, url, word):
        """What list -l and explain say about it."""
        lines = []
        for args in (["list", "-l"], ["explain", url]):
            result = self.program.run(*args)
            line = [l for l in result.out.splitlines() if l.strip().startswith(word + ": ")]
            self.assertEqual(len(line), 1, "%s\n%s" % (word, result))
            lines.append(line[0].strip())
        self.assertEqual(lines[0], lines[1])
        return lines[0]


class Challenges(Signed):
    #
    def test_challenge(self):
        """One request more, then none: neither in this run nor in later ones."""
        self.read()
        self.assertEqual(self.wall.seen, [("/robots.txt", "unsigned"), ("/robots.txt", "valid"),
                                          ("/sitemap.xml", "valid")])
        self.assertEqual(len(self.program.export("--all")), 3)
        for days in (1, 40):
            self.clock.advance(days * DAY)
            self.read()
            self.assertEqual((self.wall.unsigned(), self.wall.verdicts()), ([], {"valid"}))

    def test_always(self):
        """No request without a signature, and nothing else is signed than what is sent."""
        self.read("--sign", "always")
        self.assertEqual(self.wall.seen, [("/robots.txt", "valid"), ("/sitemap.xml", "valid")])

    def test_always_without_identity(self):
        """Who wants each request signed gets none that is not."""
        config = os.path.join(self.program.folder, "freshet.conf")
        url = self.wall.url("/sitemap.xml")
        for section in ("[defaults]", "[site other.test]", None):
            with open(config, "w") as file:
                file.write("%s\nsign = always\n" % section if section else "")
            for command in ("crawl", "check", "fetch", "robots", "run"):
                with self.subTest(command=command, section=section):
                    typed = [] if section else ["--sign", "always"]
                    given = [] if command in ("fetch", "run") else [url]
                    result = self.program.run(command, "--config", config, *typed, *given)
                    self.assertEqual(result.status, 2, str(result))
                    self.assertIn("there is no identity to sign with", result.err)
        self.assertEqual(self.wall.seen, [])

    def test_never(self):
        text = self.failing("signature-wanted", "--sign", "never")
        self.assertEqual(self.wall.verdicts(), {"unsigned"})
        self.assertEqual(text, "status 401, and the host wants signed requests: sign is never")

    def test_without_identity(self):
        self.wall.forget()
        crawl = self.crawl(self.wall.url("/sitemap.xml"), status=(1, 3, 4))
        self.assertFailure(crawl, self.wall.url("/sitemap.xml"), "signature-wanted")
        self.assertEqual(self.wall.seen, [("/robots.txt", "unsigned"), ("/sitemap.xml", "unsigned")])

    def test_nobody_asks(self):
        """A site that challenges nobody sees no signature."""
        server = self.site()
        server.put("/sitemap.xml", urlset([server.url("/a")]))
        self.crawl(*self.identity(), server.url("/sitemap.xml"))
        self.assertEqual([r.header("Signature-Input") for r in server.requests], [None, None])

    def test_older_form(self):
        """Signature-Agent as a text, for a verifier of an older draft; that is remembered, too."""
        self.wall.challenge = walls.STRING
        self.read()
        self.assertEqual(self.wall.unsigned(), ["/robots.txt"])
        self.read()
        self.assertEqual(self.wall.verdicts(), {"valid"})
        self.assertEqual({r.header("Signature-Agent") for r in self.wall.requests},
                         {'"%s"' % AGENT})

    def test_exactly(self):
        """The answer to a challenge has its label and its nonce; later signatures have neither."""
        for status in (401, 403, 429):
            with self.subTest(status):
                wall = self.new_wall(status=status, name="s%d.test" % status)
                wall.admit(self.public)
                wall.extra = [("Retry-After", "1")] if status == 429 else []
                wall.challenge = 'its=("@authority");nonce="not-ours";tag="web-bot-auth"'
                self.read("--resolve=%s:%d:127.0.0.1" % (wall.name, wall.port), wall=wall)
                inputs = [r.header("Signature-Input") for r in wall.requests]
                self.assertRegex(inputs[1], r'^its=\("@authority"\);.*;nonce="not-ours";')
                self.assertRegex(inputs[2], r'^sig1=')
                self.assertNotIn("not-ours", inputs[2])
                self.assertEqual(wall.unsigned(), ["/robots.txt"])

    def test_settings(self):
        """The configuration of a site, a tag of the watch list, and what was typed."""
        config = os.path.join(self.program.folder, "freshet.conf")
        with open(config, "w") as file:
            file.write("[defaults]\nidentity = %s\nsignature-agent = %s\n[site 127.0.0.1]\nsign = never\n"
                       % (self.key, AGENT))
        url = self.wall.url("/sitemap.xml")
        for args, settings, verdicts in (
                ([], [], {"unsigned"}),
                ([], ["sign=always"], {"valid"}),
                (["--sign", "never"], [], {"unsigned"})):
            if settings:
                self.assertEqual(self.program.run("add", "--tag", "w", url).status, 0)
                result = self.program.run("set", "--tag", "w", *settings)
                self.assertEqual(result.status, 0, str(result))
            self.wall.forget()
            crawl = self.crawl("--config", config, *args, url, status=None)
            self.assertEqual(self.wall.verdicts(), verdicts, str(crawl))
        self.assertEqual(self.program.run("set", "127.0.0.1", "sign=often").status, 2)

    #
    def test_too_many_requests(self):
        """After a 429 the signed request waits as long as the server says."""
        self.wall.status, self.wall.extra = 429, [("Retry-After", "20")]
        self.clock.leap()
        self.read()
        self.assertEqual(self.wall.seen[0], ("/robots.txt", "unsigned"))
        self.assertEqual(self.wall.unsigned(), ["/robots.txt"])
        self.assertEqual(self.wall.signed(), ["/robots.txt", "/sitemap.xml"])
        first, second = self.wall.times[:2]
        self.assertGreaterEqual(second - first, 19)

    def test_too_many_requests_without_a_time(self):
        """Without Retry-After, as long as the hold lasts that a 429 leads to."""
        self.wall.status = 429
        self.clock.leap()
        self.read()
        self.assertEqual(len(self.wall.unsigned()), 1)
        self.assertGreaterEqual(self.wall.times[1] - self.wall.times[0], 60)

    def test_check(self):
        """`check` reads a site behind a wall, and its pages."""
        result = self.program.run("check", "--sample", "2", *self.identity(), "--format", "json",
                                  self.wall.url("/sitemap.xml"))
        self.assertIn(result.status, (0, 1), str(result))
        self.assertEqual(self.wall.unsigned(), ["/robots.txt"])
        self.assertEqual(len(self.wall.signed()), 4)

    def test_delay(self):
        """The signed request keeps the delay of the host.  What an answer takes on a slow machine is a part of the
        delay, by which the clock leaps less far: so the delay is long."""
        self.clock.leap()
        self.read("--delay", "900")
        self.assertEqual(len(self.wall.times), 3)
        gaps = [b - a for a, b in zip(self.wall.times, self.wall.times[1:])]
        self.assertGreater(min(gaps), 890, gaps)

    def test_redirect(self):
        """Each hop is signed for its own host, and one that challenges nobody is not."""
        other = self.new_wall(name="other.test")
        other.admit(self.public)
        plain = self.site(name="plain.test")
        plain.redirect("/sitemap.xml", other.url("/sitemap.xml"))
        self.wall.redirect("/sitemap.xml", plain.url("/sitemap.xml"))
        self.read(*("--resolve=%s:%d:127.0.0.1" % (site.name, site.port) for site in (other, plain)))
        self.assertEqual([r.header("Signature") for r in plain.requests], [None, None])
        self.assertEqual((self.wall.unsigned(), other.unsigned()),
                         (["/robots.txt"], ["/robots.txt"]))
        self.assertEqual(other.signed(), ["/robots.txt", "/sitemap.xml"])
        self.assertEqual(other.verdicts() | self.wall.verdicts(), {"unsigned", "valid"})

    def test_refused_address(self):
        """No byte goes to a host that the policy refuses, signed or not."""
        other = self.new_wall(address="127.0.0.2")
        self.wall.redirect("/sitemap.xml", other.url("/sitemap.xml"))
        self.read("--sign", "always", status=(1, 3, 4))
        self.assertEqual((other.connections, other.seen), (0, []))


class Refusals(Signed):
    """R-139, R-140: named, and left alone."""

    def left_alone(self, code, *args):
        """No further signed request within a day, one afterwards."""
        self.clock.advance(DAY // 2)
        text = self.failing(code, *args)
        self.assertEqual(self.wall.signed(), [], text)
        self.clock.advance(DAY // 2 + 60)
        self.read(*args, status=None)
        self.assertEqual(self.wall.signed(), ["/robots.txt"])
        self.assertEqual(self.wall.unsigned(), ["/sitemap.xml"])

    def test_wrong_key(self):
        self.wall.keys = {}
        text = self.failing("signature-refused")
        self.assertEqual(text, "status 401, and the host wants signed requests: it refused one "
                         "within a day, and gets none meanwhile")
        self.assertEqual(self.wall.seen, [("/robots.txt", "unsigned"),
                                          ("/robots.txt", "another key"),
                                          ("/sitemap.xml", "unsigned")])
        self.left_alone("signature-refused")

    def test_admitted_later(self):
        self.wall.keys = {}
        self.failing("signature-refused")
        self.wall.admit(self.public)
        self.clock.advance(DAY + 60)
        self.read()
        self.assertEqual((self.wall.unsigned(), self.wall.verdicts()), ([], {"valid"}))

    def test_without_end(self):
        """The signature is valid, and the wall challenges for ever."""
        self.wall.ends = False
        self.failing("signature-refused")
        self.assertEqual(len(self.wall.signed()), 1)
        self.left_alone("signature-refused")

    def test_no_further_challenge(self):
        """A wall that answers a signature with a plain refusal."""
        self.wall.keys = {}
        self.wall.challenge = None
        text = self.failing("signature-refused", "--sign", "always")
        self.assertIn("status 401 although signed with the key " + walls.thumbprint(self.public),
                      text)

    def test_one_page(self):
        """What is refused while other signatures are taken stops no signature."""
        self.read()
        self.wall.put("/sitemap.xml", "no", status=403)
        self.clock.advance(3600)
        crawl = self.read(status=(1, 3, 4))
        self.assertFailure(crawl, self.wall.url("/sitemap.xml"), "fetch-unauthorized")
        self.assertEqual(self.wall.verdicts(), {"valid"})

    def test_clock(self):
        """A clock that is an hour late is noticed by Date; once it is right, all is well."""
        for offset, word in ((3600, "behind"), (-3600, "ahead of")):
            self.wall.now = lambda offset=offset: self.clock.now() + offset
            text = self.failing("signature-clock")
            self.assertRegex(text, "status 401 although signed: the clock here is (3599|360[0-9]) s "
                             + word + " that of the server")
        self.wall.now = lambda: self.clock.now()
        self.read()
        self.assertEqual(self.wall.verdicts(), {"valid"})

    def test_unanswerable(self):
        for challenge in ('sig1=("@method" "@authority");created', "((((", 'sig1=("content-digest")',
                          'sig1=("@authority");alg="rsa-pss-sha512"', "x" * 20000,
                          ", ".join('s%d=("@method")' % n for n in range(9))):
            with self.subTest(challenge[:40]):
                self.wall.challenge = challenge
                crawl = self.read(status=(1, 3, 4))
                self.assertEqual(self.wall.signed(), [])
                self.assertLessEqual({"signature-wanted", "challenge-unanswerable"},
                                     set(crawl.codes(self.wall.url("/sitemap.xml"))), str(crawl))


    def test_megabyte(self):
        """A challenge that is larger than a header may be ends the answer."""
        self.wall.open = {"/robots.txt"}
        self.wall.challenge = "x" * 1000000
        crawl = self.read(status=(1, 3, 4))
        self.assertFailure(crawl, self.wall.url("/sitemap.xml"), "headers-too-big")
        self.assertEqual(self.wall.signed(), [])


class Shown(Signed):
    """R-141: walls are told apart."""

    def test_walls(self):
        url = self.wall.url("/sitemap.xml")
        self.wall.challenge = None
        self.wall.open = {"/robots.txt", "/sitemap.xml"}
        self.assertEqual(self.program.run("add", url).status, 0)
        for word, reply in (
                ("login", {"status": 401}),
                ("region", {"status": 451}),
                ("bots", {"status": 403, "headers": [("Server", "cloudflare")]}),
                ("cookie", {"status": 302, "headers": [("Location", url),
                                                       ("Set-Cookie", "seen=1")]}),
                ("signature-wanted", {"status": 403,
                                      "headers": [("Accept-Signature", walls.DICTIONARY)]})):
            self.wall.put("/sitemap.xml", "no", **reply)
            self.clock.advance(DAY)
            self.crawl(url, status=(1, 3, 4))
            self.shown(url, word)
        self.clock.advance(DAY)
        self.wall.close()
        self.crawl("--retry", "0", url, status=(1, 3, 4))
        self.assertIn("this network may be refused", self.shown(url, "network"))
        diff = self.program.run("diff", "--json", "--since", "30d")
        self.assertIn("region", {r.get("wall") for r in diff.records()}, str(diff))

    def test_too_many_requests(self):
        """A 429 that asks for a signature is a wall, too; one that other signatures pass is none."""
        url = self.wall.url("/sitemap.xml")
        self.assertEqual(self.program.run("add", url).status, 0)
        self.wall.status, self.wall.ends = 429, False
        for word, args in (("signature-wanted", ()), ("signature-refused", self.identity())):
            self.clock.advance(DAY)
            self.clock.leap()
            crawl = self.crawl(*args, url, status=None)
            self.assertEqual(crawl.status, 4, str(crawl))
            self.shown(self.wall.url("/robots.txt"), word)
            self.assertIn("robots-unreachable", crawl.codes())
        self.wall.ends = True
        self.clock.advance(DAY)
        self.read()
        self.wall.put("/robots.txt", status=429, headers=[("Accept-Signature", self.wall.challenge)])
        self.clock.advance(3600)
        crawl = self.read(status=None)
        self.assertNotIn("signature", str(self.program.run("list", "-l")))

    def test_site(self):
        """A site that was never read, of which no document is known."""
        site = self.wall.url("/")
        self.assertEqual(self.program.run("add", site).status, 0)
        for word, args in (("signature-wanted", ()), ("signature-refused", self.identity())):
            self.wall.keys = {}
            self.assertEqual(self.crawl(*args, site, status=None).status, 4)
            shown = self.program.run("list", "-l").out
            self.assertIn("%s (%s)\n  %s: " % (self.wall.url("/robots.txt"), word, word), shown)
            why = self.program.run("explain", site).out
            self.assertRegex(why, "there was no robots.txt: status 401\n +%s: " % word)
        self.wall.admit(self.public)
        self.clock.advance(DAY + 60)
        self.crawl(*self.identity(), site)
        self.assertNotIn("signature", self.program.run("list", "-l").out)

    def test_refused(self):
        url = self.wall.url("/sitemap.xml")
        self.assertEqual(self.program.run("add", url).status, 0)
        self.wall.keys = {}
        self.failing("signature-refused")
        self.assertIn("freshet identity show", self.shown(url, "signature-refused"))


class Pages(Signed):
    """R-138, R-142: pages that freshet fetches, and lines for other fetchers."""

    def setUp(self):
        super().setUp()
        self.read()
        self.clock.advance(60)

    def test_fetch(self):
        self.wall.forget()
        result = self.program.run("fetch", "--json", *self.identity())
        pages = [r for r in result.records() if r["type"] == "page"]
        self.assertEqual({p["status"] for p in pages}, {200}, str(result))
        self.assertEqual((len(pages), self.wall.verdicts()), (3, {"valid"}))

    def test_fetch_refused(self):
        self.wall.forget()
        result = self.program.run("fetch", "--json")
        pages = [r for r in result.records() if r["type"] == "page"]
        self.assertEqual({p["wall"] for p in pages}, {"signature-wanted"}, str(result))

    def verdict(self, line):
        names = {"Signature-Agent": "signature_agent", "Signature-Input": "signature_input",
                 "Signature": "signature"}
        return walls.verify(lambda name: line.get(names[name]), line["url"].split("/")[2],
                            self.wall.keys, self.clock.now())

    def due(self, *args):
        result = self.program.run("due", *args)
        self.assertEqual(result.status, 0, str(result))
        return result.records()

    def test_due(self):
        """A signature for each page, valid as long as its lease."""
        lines = self.due("--lease", "1h", "--sign", "always", *self.identity())
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertEqual(self.verdict(line), "valid", line)
            until = datetime.datetime.fromisoformat(line["lease_until"].replace("Z", "+00:00"))
            self.assertIn(";expires=%d;" % until.timestamp(), line["signature_input"] + ";")

    def test_due_never(self):
        """A site that is not to be signed for is not, whoever asks."""
        self.assertEqual(self.program.run("add", self.wall.url("/sitemap.xml")).status, 0)
        self.assertEqual(self.program.run("set", "127.0.0.1", "sign=never").status, 0)
        lines = self.due("--sign", "always", *self.identity())
        self.assertEqual([line.get("signature") for line in lines], [None] * 3)

    def test_due_on_challenge(self):
        lines = self.due("--sign", "challenge", *self.identity())
        self.assertEqual({self.verdict(line) for line in lines}, {"valid"})

    def test_due_unsigned(self):
        self.assertNotIn("signature", self.due(*self.identity())[0])

    def test_due_curl(self):
        result = self.program.run("due", "--format", "curl", "--sign", "always", *self.identity())
        self.assertEqual(result.out.count('header = "Signature: sig1=:'), 1, str(result))
        self.assertIn('header = "Signature-Input: sig1=(\\"@authority\\"', result.out)

    def test_due_without_identity(self):
        result = self.program.run("due", "--sign", "always")
        self.assertEqual(result.status, 2, str(result))
        self.assertIn("no identity", result.err)


if __name__ == "__main__":
    unittest.main()
