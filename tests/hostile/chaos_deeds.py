"""Random commands for `chaos`: the same for the same seed, number and store."""
import json
import urllib.parse

SWITCHES = ("site_match=registrable", "scheme_rule=any", "www_rule=fold", "dir_rule=warn", "dir_rule=enforce",
            "child_dir_waiver=none", "child_dir_waiver=listed-index", "url_dir_waiver=none", "robots_proof=off",
            "proof_inherit=off", "proof_authority=host", "ownership=off", "redirect_base=either",
            "redirect_base=requested", "nested_index=follow", "nested_index=reject", "namespace=any",
            "relative_loc=resolve", "max_loc_chars=100", "max_loc_chars=32768", "lastmod_forms=repair",
            "on_partial=drop", "limit_overrun=all", "limit_overrun=drop", "doctype=skip", "robots_5xx=rfc",
            "robots_repair=off", "priority_hints=on")
FORMATS = {"export": ("csv", "tsv", "jsonl", "urls", "sitemap"), "sql": ("table", "csv", "tsv", "json"),
           "check": ("text", "json", "junit", "github", "sarif", "html", "markdown"), "due": ("ndjson", "urls", "curl")}
QUERIES = ("SELECT * FROM url LIMIT 500", "SELECT * FROM request_log",
           "SELECT * FROM finding LIMIT 500",
           "SELECT count(*) FROM url", "SELECT document, count(*) FROM url GROUP BY 1",
           "SELECT * FROM sqlite_schema", "SELECT host, sum(requests) FROM request_log GROUP BY 1",
           "SELECT loc FROM url WHERE loc LIKE '%a%' ORDER BY 1 LIMIT 50", "SELECT nothing", "DELETE FROM url", "")
SPAN = ("days", "since", "until")
PART = ("limit", "offset")
ROUTES = {"/": (*SPAN, "page", "tag"), "/site": (*SPAN, "site"), "/events": (*SPAN, "page", "site", "tag"),
          "/event": (*SPAN, "site", "at", "kind"), "/document": ("url", "page"), "/url": ("url",),
          "/findings": ("page", "site", "code"), "/health": (), "/metrics": (), "/healthz": (), "/nothing": ("site",),
          "/api/v1/sites": ("site", *PART), "/api/v1/documents": ("site", "url", "failing", *PART),
          "/api/v1/series": ("site", "by", "last", *PART), "/api/v1/explain": ("url", *PART),
          "/api/v1/events": ("site", "tag", "since", "until", "kind", "section", *PART),
          "/api/v1/diff": ("site", "tag", "since", "until", "kind", "section", *PART),
          "/api/v1/findings": ("site", "document", "code", "severity", *PART)}
NUMBERS = ("1", "2", "7", "100", "1000", "3650", "0", "-1", "1e9", "1000000000", "999999999999999999", "99999999999999999999")
WHENS = ("1h", "7d", "90d", "2026-01-01", "2025-12-31", "0d", "-1d", "999999999999d", "1969-01-01", "9999-12-31", "never", "")
TEXTS = ("a", "@a", "burst", "/d1", "day", "weekday", "section", "error", "parse-error", "' OR '1'='1", "--help", "-", "*",
         "\u202e<script>", "%", "x" * 9000)
# what is no request, or one that means it ill; {host}: the Host that is right
RAW = ("", "GET", "GET / HTTP/1.1\r\n\r\n", "GET /\0 HTTP/1.1\r\n{host}\r\n", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
       "POST / HTTP/1.1\r\n{host}Content-Length: 99999999\r\n\r\nx", "GET / HTTP/1.1\r\n{host}Content-Length: 5\r\n\r\nGET /",
       "GET / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n", "TRACE / HTTP/1.1\r\n{host}\r\n",
       "GET / HTTP/1.1\r\n{host}" + "X: y\r\n" * 9000, "GET /" + "a" * 200000, "\x16\x03\x01\x02\0\x01", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
LOOK_S, WORK_S = 60, 150  # the first for a command that only reads, the second for one that makes requests


class Deed:
    """A command. may: exit statuses besides 0 to 4 that are no fault now."""

    def __init__(self, *args, seconds=WORK_S, may=(), stdin=None, is_json=False, healthy=False):
        self.args = [a for a in args if a is not None]
        self.seconds = seconds
        self.may = set(may)
        self.stdin = stdin
        self.is_json = is_json
        self.healthy = healthy  # that site is among its targets, and nothing limits it
        self.cut = None  # (after how many seconds, which signal)
        self.asks = []  # of serve: requests, and whether their clients wait for the answer
        self.wrong = []  # with these answers
        self.is_below = False  # the signal goes to a process that the command has forked

    @property
    def command(self):
        return " ".join(self.args[:2]) if self.args[0] == "db" else self.args[0]

    @property
    def is_apart(self):
        """Are documents read by separate processes?"""
        return "--readers 0" not in " ".join(self.args)

    def __str__(self):
        return "freshet " + " ".join(a if len(a) < 120 else a[:120] + "..." for a in self.args) + (
            " (%s%s after %.2f s)" % (self.cut[1].name, " below" if self.is_below else "", self.cut[0])
            if self.cut else "")


class Deeds:
    """Chooses what comes next. known(): something of that kind that the store
    has."""

    def __init__(self, web, rng, known):
        self.web = web
        self.rng = rng
        self.known = known

    def some(self, *pairs):
        """Returns each option of (probability, option, values...) with its
        probability."""
        words = []
        for chance, option, *values in pairs:
            if self.rng.random() < chance:
                words += [option] + ([str(self.rng.choice(values))] if values else [])
        return words

    # --- where to -------------------------------------------------------------

    def target(self):
        rng, web = self.rng, self.web
        host = rng.choice(web.hosts)
        way = rng.random()
        if way < 0.5:
            return "http://%s/" % host
        if way < 0.85:
            return "http://" + host + web.site(host).path(rng).replace("/../", "/")
        if way < 0.92:
            return "http://%s/robots.txt" % host
        return "http://%s/d1/" % host

    def targets(self, most=8):
        return [self.target() for _ in range(self.rng.randrange(1, most))]

    def url(self):
        """Returns a URL: as the store has it, as sites write it, or neither."""
        rng, web = self.rng, self.web
        way = rng.random()
        stored = self.known("url") if way < 0.5 else self.known("document") if way < 0.7 else None
        if stored:
            return stored
        site = web.site(rng.choice(web.hosts))
        return rng.choice((site.url, site.url, site.odd_url, site.long_url))(rng).replace("\0", "")

    def argument(self, text):
        """Returns a word that no command takes for an option."""
        return "x" + text if not text or text.startswith("-") else text

    def lines(self, count):
        return "".join(self.url().replace("\n", " ") + "\n" for _ in range(count))

    # --- how ------------------------------------------------------------------

    def network(self):
        rng = self.rng
        return ["--max-time", rng.choice(("1", "2", "1500ms")), "--low-speed-time", "1", "--connect-timeout", "1",
                "--retry", rng.choice("0001")] + self.some(
                    (0.97, "--delay", "0"), (0.1, "--delay", "10ms", "30ms"), (0.1, "-H", "X-A: b"),
                    (0.1, "--contact", "a@b.example"))

    def readers(self):
        return self.some((0.7, "--readers", 0, 1, 2), (0.2, "--isolate", "site", "document", "off"),
                         (0.1, "--sandbox", "off", "auto"), (0.1, "--reader-cpu", 2, 5),
                         (0.05, "--reader-memory", "200M"))

    def rules(self):
        return self.some((0.7, "--profile", "strict", "google", "lenient", "lenient"),
                         (0.1, "--own", "domain:one.example", "domain:example.com", "http://%s/" % self.web.hosts[0])) + [
                             "--" + self.rng.choice(SWITCHES) for chance in (0.3, 0.2) if self.rng.random() < chance]

    def limits(self):
        return self.some((0.12, "--max-urls", 1, 10, 100, 1000), (0.12, "--max-site-urls", 1, 10, 300),
                         (0.15, "--max-children", 1, 5, 50, 300), (0.2, "--max-bytes", 100, 5000, "100K", "8M"))

    # --- commands -------------------------------------------------------------

    def crawl(self):
        rng = self.rng
        limits = self.limits()
        healthy = rng.random() < 0.5
        targets = self.targets() + (["http://%s/" % self.web.healthy] if healthy else [])
        rng.shuffle(targets)
        limits += self.some((0.1, "--max-drop", 0, 10, 100), (0.15, "--force"),
                            (0.05, "--max-store", "1M", "4M", "1G"))
        is_json = rng.random() < 0.9
        words = self.network() + self.readers() + self.rules() + limits + (["--json"] if is_json else [])
        words += self.some((0.9, "--progress", "off", "off", "json", "plain"))
        return Deed("crawl", *words, *targets, is_json=is_json, healthy=healthy and is_json and not limits)

    def cut_crawl(self):
        deed = self.crawl()
        deed.healthy = False
        deed.cut = self.rng.choice((0.05, 0.2, 0.5, 1.5)) * self.rng.random(), self.rng.choice(
            ("SIGINT", "SIGTERM", "SIGKILL", "SIGKILL"))
        return deed

    def hurt_crawl(self):
        """Crawl while the fork server or a reader is killed, as a kernel
        without memory would do."""
        deed = self.crawl()
        deed.healthy = False
        deed.cut = self.rng.choice((0.05, 0.2, 0.5)) * self.rng.random(), "SIGKILL"
        deed.is_below = True
        deed.may.add(9)  # the fork server
        return deed

    def once(self):
        return Deed("run", "--once", "--log", self.rng.choice(("json", "json", "text")), *self.network(), *self.readers(),
                    *self.some((0.3, "--profile", "strict", "lenient"), (0.1, "--max-children", 1, 10),
                               (0.1, "--max-site-urls", 5), (0.1, "--keep", "1h", "1d"),
                               (0.1, "--total-budget", "100/h", "5/d"), (0.05, "--max-store", "1M")))

    def check(self):
        form = self.rng.choice(FORMATS["check"])
        return Deed("check", "-f", form, *self.network(), *self.readers(), *self.rules(), *self.limits(),
                    *self.some((0.4, "--sample", 1, 5, 30), (0.1, "--schema"),
                               (0.1, "--legacy"), (0.2, "--fail-on", "info", "warning")),
                    *self.targets(4), is_json=form == "json")

    def compare(self):
        is_json = self.rng.random() < 0.5
        return Deed("compare", *self.network(), *self.readers(), *self.limits(), *self.some((0.3, "--all")),
                    "--json" if is_json else None, *self.targets(3), is_json=is_json)

    def robots(self):
        urls = [self.argument(self.url()) for _ in range(self.rng.randrange(1, 8))]
        return Deed("robots", *self.network(), *self.some((0.3, "--agent", "other", "googlebot"), (0.3, "--profile", "lenient")),
                    *urls, may={2})

    def add(self):
        return Deed("add", *self.some(
            (0.4, "--every", "10m", "1h..1d", "1d"), (0.2, "--pages-every", "1h"), (0.3, "--tag", "a", "b"),
            (0.1, "--weight", 5, 0.1), (0.2, "--budget", "500/h", "4/d"), (0.1, "--below", "/d1/"),
            (0.3, "--profile", "strict", "lenient"), (0.2, "--json")), *self.targets(5), seconds=LOOK_S)

    def rm(self):
        return Deed("rm", self.target(), seconds=LOOK_S)

    def set(self):
        site = self.rng.choice((["@a"], ["--tag", "a"], [self.target()], [self.target()], [self.target()]))
        keys = ("budget=100/h", "budget=") if site == ["@a"] else (
            "every=10m", "every=1d", "every=", "tag=b", "weight=2", "budget=3/h", "profile=lenient", "below=/d1/",
            "pages-every=..7d", "target=" + self.target())
        return Deed("set", *site, self.rng.choice(keys), seconds=LOOK_S, may={2})

    def list(self):
        return Deed("list", *self.some((0.5, "-l"), (0.3, "--json"), (0.2, "--tag", "a")), seconds=LOOK_S)

    def due(self):
        form = self.rng.choice(FORMATS["due"])
        return Deed("due", "-f", form, "-n", str(self.rng.choice((1, 20, 300))), *self.some(
            (0.3, "--per-host", 1, 5), (0.3, "--hosts", 2), (0.3, "--lease", "1s", "1h"), (0.1, "--wait", "1s"),
            (0.2, "--tag", "a"), (0.1, "--delay", 0)), is_json=form == "ndjson", seconds=LOOK_S)

    def results(self):
        """Returns results of what `due` handed out last; some are not valid."""
        rng, lines = self.rng, []
        for lease, url in self.known("leases") or []:
            result = {"lease": lease, "url": url, "status": rng.choice((200, 200, 200, 304, 404, 503, 0, 99999)),
                      "content_hash": str(rng.randrange(3))}
            result.update(rng.choice(({}, {}, {"etag": "\"x\""}, {"retry_after": rng.choice((5, "soon", 10 ** 9))},
                                      {"location": self.url()}, {"last_modified": "x" * 300}, {"lease": "1.1"},
                                      {"url": self.url()}, {"ms": 5, "bytes": 10 ** 12}, {"at": "2076-01-01T00:00:00Z"})))
            lines.append(json.dumps(result)[:rng.choice((None,) * 9 + (20,))])
        lines += [json.dumps({"url": self.url(), "status": 200}) for _ in range(rng.choice((0, 0, 5)))]
        return "\n".join(lines) + "\n"

    def done(self):
        return Deed("done", *self.some((0.3, "--strict")), stdin=self.results(), is_json=True, seconds=LOOK_S)

    def hold(self):
        rng = self.rng
        if rng.random() < 0.3:
            return Deed("hold", seconds=LOOK_S)
        host = rng.choice((self.rng.choice(self.web.hosts).rpartition(":")[0], "a b", "\u00e9.example", "x" * 300, "127.1.0.1:80"))
        return Deed("hold", host, "--for", rng.choice(("0", "5", "1h", "300d")), seconds=LOOK_S, may={2})

    def release(self):
        leases = [lease for lease, _ in self.known("leases") or []][:3]
        return Deed("release", *self.rng.choice(([], leases, ["1.1"])), seconds=LOOK_S, may={2})

    def taken_in(self):
        rng = self.rng
        if rng.random() < 0.5:
            return Deed("import", stdin=self.lines(rng.choice((1, 50, 2000))), seconds=LOOK_S, may={4})
        rows = [json.dumps({"url": self.url(), "weight": rng.choice((1, -1, 1e99, "x")), "fetched": rng.choice((
            "2026-01-01T00:00:00Z", 5, "x"))})[:rng.choice((None, None, None, 30))] for _ in range(50)]
        return Deed("import", "-f", "jsonl", stdin="\n".join(rows) + "\n", seconds=LOOK_S, may={4})

    def explain(self):
        return Deed("explain", *self.some((0.3, "--json"), (0.3, "--profile", "strict", "lenient")),
                    *[self.argument(self.url()) for _ in range(self.rng.randrange(1, 5))], seconds=LOOK_S, may={2})

    def ls(self):
        return Deed("ls", *self.some((0.3, "--sitemaps"), (0.4, "-l"), (0.2, "--json")), *self.rng.choice(([], [self.target()])),
                    seconds=LOOK_S, may={2})

    def tree(self):
        return Deed("ls", "--tree", *self.some((0.5, "-l")), seconds=LOOK_S)

    def export(self):
        form = self.rng.choice(FORMATS["export"])
        ways = ([], ["--all"], ["--indexes"]) if form == "sitemap" else (
            [], ["--all"], ["--changes"], ["--changes", "--since", "7d"], ["--indexes"], ["--columns", "loc,lastmod"])
        return Deed("export", "-f", form, *self.rng.choice(ways), *self.rng.choice(([], [], [self.target()])),
                    seconds=LOOK_S, is_json=form == "jsonl", may={2})

    def past(self):
        return Deed("export", "--as-of", self.rng.choice(("1h", "yesterday", "2025-01-01", "5s")), "-f",
                    self.rng.choice(FORMATS["export"]), *self.some((0.3, "--by", "document")),
                    *self.rng.choice(([], [self.target()])), seconds=LOOK_S, may={2})

    def diff(self):
        return Deed("diff", *self.some((0.5, "--rows"), (0.3, "-f", "ndjson", "csv"), (0.2, "--tz", "+05:30", "local")),
                    "--since", self.rng.choice(("1h", "7d", "90d")), seconds=LOOK_S)

    def report(self):
        return Deed("report", "--html", self.rng.choice(("-", "report.html")), *self.some((0.5, "--since", "1h", "30d", "1y")),
                    *self.rng.choice(([], [self.target()])), seconds=LOOK_S, may={2})

    def changes(self):
        ways = (["--consumer", self.rng.choice(("a", "b"))], ["--consumer", "a", "--limit", "3"], ["--list"],
                ["--consumer", "a", "--ack", "x"], ["--forget", "b"])
        return Deed("changes", *self.rng.choice(ways), seconds=LOOK_S, may={2, 4})

    def note(self):
        return Deed("note", self.target(), "2026-01-0%d" % self.rng.randrange(1, 9), "a\u00e9<b>", seconds=LOOK_S, may={2})

    def top(self):
        return Deed("top", *self.some((0.5, "-f", "ndjson", "text")), seconds=LOOK_S, may={5})

    def history(self):
        return Deed("robots", "--history", self.target(), seconds=LOOK_S, may={2})

    def stats(self):
        return Deed("stats", *self.some((0.5, "--by", "day", "week", "hour", "section", "sitemap", "weekday"),
                                        (0.3, "--last", "7d", "365d"),
                                        (0.3, "--json")), self.target(), seconds=LOOK_S, may={2})

    def sql(self):
        return Deed("sql", "-f", self.rng.choice(FORMATS["sql"]), self.rng.choice(QUERIES), seconds=LOOK_S, may={2})

    def question(self):
        """Returns a request as text, and whether its client waits for the answer."""
        rng = self.rng
        if rng.random() < 0.2:
            return rng.choice(RAW).replace("{host}", "Host: 127.0.0.1\r\n"), rng.random() < 0.5
        path = rng.choice(sorted(ROUTES))
        words = []
        for name in ROUTES[path]:
            if rng.random() < (0.9 if name in ("site", "url", "at") else 0.25):
                value = (rng.choice(self.web.hosts).rpartition(":")[0] if name == "site" and rng.random() < 0.8 else
                         self.url() if name in ("url", "document") else
                         rng.choice(WHENS) if name in ("since", "until", "last") else
                         rng.choice(NUMBERS) if name in ("days", "page", "at", "failing", "limit", "offset") else
                         rng.choice(TEXTS))
                words.append(name + "=" + urllib.parse.quote(value.encode("utf-8", "replace")))
        return "%s %s?%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % (
            rng.choice(("GET",) * 9 + ("HEAD",)), path, "&".join(words)), rng.random() < 0.9

    def serve(self):
        deed = Deed("serve", "--listen", "127.0.0.1:0", *self.some((0.2, "--tz", "+05:30", "UTC")), seconds=LOOK_S, may={143})
        deed.asks = [self.question() for _ in range(self.rng.randrange(1, 12))]
        return deed

    def fsck(self):
        return Deed("db", "fsck", seconds=LOOK_S)

    def care(self):
        words = self.rng.choice((["info"], ["backup", "copy.db"], ["migrate"], ["prune", "--older", "1h"],
                                 ["prune", "--older", "2d"], ["vacuum"], ["fsck", "--repair"]))
        return Deed("db", *words, seconds=LOOK_S, may={2} if words[0] == "backup" else ())

    def doctor(self):
        return Deed("doctor", seconds=LOOK_S)

    CHANCES = {"crawl": 34, "cut_crawl": 5, "hurt_crawl": 3, "once": 7, "check": 7, "compare": 3, "robots": 4, "add": 6, "rm": 1, "set": 2,
               "list": 2, "due": 6, "done": 5, "hold": 2, "release": 1, "taken_in": 3, "explain": 5, "ls": 2, "tree": 1,
               "export": 4, "stats": 2, "sql": 3, "fsck": 4, "care": 4, "doctor": 0.3,
               "past": 2, "diff": 3, "report": 2, "changes": 3, "note": 1, "history": 1,
              "serve": 3}
    # while a daemon owns the store
    BESIDE = {"crawl": 4, "add": 8, "rm": 2, "set": 3, "list": 3, "due": 10, "done": 9, "hold": 4, "release": 2, "taken_in": 4,
              "explain": 6, "ls": 2, "export": 3, "stats": 2, "sql": 3, "fsck": 2, "care": 3, "once": 1, "check": 1,
              "past": 2, "diff": 3, "report": 2, "changes": 4, "note": 2, "history": 1,
              "top": 2, "serve": 5}

    def next(self, chances):
        names = sorted(chances)
        return getattr(self, self.rng.choices(names, [chances[n] for n in names])[0])()
