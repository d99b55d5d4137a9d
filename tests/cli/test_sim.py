"""freshet-sim: worlds, good and bad traces, formats."""
import gzip
import json
import os
import time
import unittest

from case import SHARED, Case
from program import SIM, TOP
from test_json import tables

SMALL = ("--with", "pages=60", "--with", "sites=4", "--days", "8", "--seeds", "2")
HEAD = "# freshet-trace 1\n"
DAY = 86400


def rows(*lines):
    return HEAD + "".join("\t".join(str(part) for part in line) + "\n" for line in lines)


def site(days=20, more=()):
    """A trace of four pages; one changes each day, and its date moves."""
    lines = [(0, "D", 0, "https://www.example.org/sitemap.xml")]
    lines += [(0, "U", n, "https://www.example.org/%d" % n) for n in range(4)]
    lines += [(0, "N", n, "a%d" % n) for n in range(4)]
    lines += [(0, "A", "0-3", 0), (0, "L", "0-3", "1970-01-01"), (0, "P", 0, 4)]
    for day in range(1, days + 1):
        at = day * DAY
        lines += [(at, "C", 1, "%x" % (day + 100)),
                  (at, "L", 1, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))),
                  (at, "P", 0, 4)]
    return rows(*lines, *more)


@unittest.skipUnless(os.path.exists(SIM), "the simulator is not built")
class Sim(Case):
    def sim(self, *args, status=0, **kwargs):
        result = self.program.sim(*args, **kwargs)
        self.assertEqual(result.status, status, str(result))
        return result

    def records(self, *args, kind=None, status=0):
        found = [json.loads(line) for line in
                 self.sim(*args, "--json", status=status).out.splitlines()]
        return [r for r in found if kind is None or r["type"] == kind]

    def put(self, text, name="site.trace.tsv"):
        path = os.path.join(self.program.folder, name)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path


class Worlds(Sim):
    def test_same_seed(self):
        """The same seed gives the same figures, and another one gives
        others."""
        self.assertEqual(self.sim(*SMALL).out, self.sim(*SMALL).out)
        self.assertNotEqual(self.sim(*SMALL).out, self.sim(*SMALL, "--with", "seed=7").out)

    def test_policies(self):
        """fifo is always there, and each policy once, in the order of the
        options."""
        names = [r["name"] for r in self.records("--list") if r["of"] == "policy"]
        self.assertIn("fifo", names)
        found = self.records(*SMALL, "--policy", "fifo", "--policy", "fifo", kind="policy")
        self.assertEqual([r["policy"] for r in found], ["fifo"])
        found = self.records(*SMALL, "--policy", "all", kind="policy")
        self.assertEqual(sorted(r["policy"] for r in found), sorted(names))
        usual = self.records(*SMALL, kind="policy")
        self.assertEqual({r["knows"] for r in usual}, {"nothing"})

    def test_shards(self):
        """Shares of the budget on 16 shards cost little: docs/internals/performance.md has a larger world."""
        found = {r["policy"]: r["freshness"] for r in self.records(
            "--world", "W2", "--with", "pages=2000", "--with", "sites=200", "--days", "60", "--seeds", "2",
            "--policy", "ours", "--policy", "ours-sharded", kind="policy")}
        self.assertGreater(found["ours-sharded"], found["ours"] - 0.02)
        self.assertGreater(found["ours-sharded"], found["fifo"] + 0.05)

    def test_figures(self):
        """Shares are between 0 and 1, the gap of fifo is 0, and budgets are
        kept."""
        for r in self.records(*SMALL, "--policy", "all", "--budget", "1/h", kind="policy"):
            self.assertTrue(0 < r["freshness"] <= 1, r)
            self.assertLessEqual(r["fetches"], 24 + 1e-6, r)
            self.assertTrue(r["freshness_error"] >= 0, r)
            if r["policy"] == "fifo":
                self.assertAlmostEqual(r["gap_closed"] or 0, 0)

    def test_behind(self):
        """The distance to the first policy is computed from the same seeds."""
        found = self.records(*SMALL, "--policy", "by-weight", "--policy", "fifo")
        fresh = {name: [r["freshness"] for r in found if r["type"] == "seed" and
                        r["policy"] == name] for name in ("by-weight", "fifo")}
        first, other = (r for r in found if r["type"] == "policy")
        self.assertEqual((first["behind_first"], first["behind_first_error"]), (None, None))
        apart = [a - b for a, b in zip(fresh["by-weight"], fresh["fifo"])]
        self.assertAlmostEqual(other["behind_first"], sum(apart) / 2, places=5)
        # Student's t of two: 12.706 times half of their distance
        self.assertAlmostEqual(other["behind_first_error"],
                               12.706 * abs(apart[0] - apart[1]) / 2, places=4)

    def test_budgets(self):
        """Each budget is a study of its own; more requests give more
        freshness."""
        found = self.records(*SMALL, "--budget", "1/d", "--budget", "1/h", "--budget", "200%",
                             "--policy", "fifo", kind="policy")
        self.assertEqual([r["requests"] for r in found], [1, 24, 120])
        self.assertLess(found[0]["freshness"], found[1]["freshness"])
        self.assertLess(found[1]["freshness"], found[2]["freshness"])

    def test_window(self):
        world = self.records(*SMALL, kind="world")[0]
        self.assertEqual((world["days"], world["from_day"], world["to_day"]), (8, 4, 8))
        self.assertEqual((world["pages"], world["sites"], world["trace"]), (60, 4, False))

    def test_warm_up(self):
        """How many days count, and which are left to count."""
        found = self.records(*SMALL, "--warm-up", "7", "--policy", "fifo")
        world, policy = ([r for r in found if r["type"] == kind][0] for kind in ("world", "policy"))
        self.assertEqual((world["days"], world["from_day"], world["to_day"]), (8, 7, 8))
        last = self.records(*SMALL, "--policy", "fifo", kind="day")[-1]
        self.assertAlmostEqual(policy["freshness"], last["freshness"], places=4)
        world = self.records(*SMALL, "--warm-up", "0", "--policy", "fifo", kind="world")[0]
        self.assertEqual(world["from_day"], 0)
        said = self.sim(*SMALL, "--warm-up", "8", status=2)
        self.assertEqual((said.out, said.err), (
            "", "freshet: '--warm-up 8' leaves nothing of the 8 days of 'W2'\n"))

    def test_readings(self):
        paid = self.records(*SMALL, "--joint", "--read-every", "1d", "--budget", "10/d",
                            "--policy", "fifo")
        self.assertEqual((paid[0]["read_every_s"], paid[0]["readings_paid"]), (DAY, True))
        policy = [r for r in paid if r["type"] == "policy"][0]
        self.assertAlmostEqual(policy["readings"], 4, places=1)
        self.assertLess(policy["fetches"], 6.5)
        free = self.records(*SMALL, "--read-every", "1d", "--budget", "10/d",
                            "--policy", "fifo", kind="policy")[0]
        self.assertAlmostEqual(free["fetches"], 10, places=1)

    def test_equal(self):
        found = self.records(*SMALL, "--equal", "--policy", "fifo", kind="policy")
        self.assertEqual(found[0]["requests_for_equal"], 3)
        self.assertIn("EQUAL", self.sim(*SMALL, "--equal", "--policy", "fifo").out)
        self.assertNotIn("EQUAL", self.sim(*SMALL, "--policy", "fifo").out)

    def test_every_world(self):
        """Each world can be made in a small size."""
        names = [r["name"] for r in self.records("--list") if r["of"] == "world"]
        args = [part for name in names for part in ("--world", name)]
        found = self.records(*args, *SMALL, "--policy", "fifo", kind="world")
        self.assertEqual([r["world"] for r in found], names)

    def test_without(self):
        """Each refinement that can be switched off makes a difference, where
        it has something to do."""
        folders = self.put(rows(
            (0, "D", 0, "https://www.example.org/sitemap.xml"),
            *((0, "U", n, "https://www.example.org/%s/%d" % ("ab"[n % 2], n)) for n in range(40)),
            *((0, "N", n, "a%d" % n) for n in range(40)),
            (0, "A", "0-39", 0), (0, "L", "0-39", "1970-01-01"), (0, "P", 0, 40),
            *(row for day in range(1, 40) for row in (
                (day * DAY, "C", 2 * (day % 20), "%x" % (day + 100)),
                (day * DAY, "X", 39, "-") if day % 2 else (day * DAY, "N", 39, "b%d" % day),
                (day * DAY, "L", 2 * (day % 20), "1970-02-%02d" % (day % 28 + 1)),
                (day * DAY, "P", 0, 40)))))
        runs = (("--trace", folders, "--budget", "20%"),
                ("--world", "W3", "--with", "pages=400", "--with", "sites=8", "--seeds", "1",
                 "--with", "deploy=0.3", "--budget", "20%"))
        def figures(*without):
            return [r["freshness"] for run in runs
                    for r in self.records(*run, *without, "--policy", "ours", kind="policy")]
        whole = figures()
        for r in self.records("--list"):
            if r["of"] == "refinement":
                with self.subTest(without=r["name"]):
                    self.assertNotEqual(figures("--without", r["name"]), whole)

    def test_wrong(self):
        for args, said in (
                (("--without", "silense"), "there is no refinement 'silense'"),
                (("--policy", "fifi"), "there is no policy 'fifi'; did you mean 'fifo'?"),
                (("--world", "W22"), "there is no world 'W22'; did you mean"),
                (("--world", "qqqqqqqq"), "there is no world 'qqqqqqqq'; see 'freshet-sim --list'"),
                (("--with", "page=3"), "there is no parameter 'page'; did you mean 'pages'?"),
                (("--with", "pages=none"), "'pages' cannot be 'none', but 1 to 2e+07"),
                (("--with", "pages=nan"), "'pages' cannot be 'nan'"),
                (("--with", "rate=0"), "'rate' cannot be '0', but 1e-09 to 1000"),
                (("--with", "rate=inf"), "'rate' cannot be 'inf'"),
                (("--with", "rate=-1"), "'rate' cannot be '-1'"),
                (("--with", "fastest=1e9"), "'fastest' cannot be '1e9'"),
                (("--with", "weight_spread=1e400"), "'weight_spread' cannot be '1e400'"),
                (("--with", "partial_recall=0.9-0.1"),
                 "'partial_recall' cannot be '0.9-0.1', but 0 to 1, or two such as 0.3-0.8"),
                (("--with", "pages"), "'--with' takes KEY=VALUE, not 'pages'"),
                (("--budget", "0/h"), "'--budget' takes a rate such as"),
                (("--budget", "5/w"), "'--budget' takes a rate such as"),
                (("--days", "0"), "--days"), (("--seeds", "0"), "--seeds"),
                (("--read-every", "0"), "--read-every"),
                (("--nothing",), "--nothing"), (("--days",), "--days"),
                (("W2",), "'W2' is no option; see 'freshet-sim --help'")):
            with self.subTest(args=args):
                result = self.sim(*args, status=2)
                self.assertEqual(result.out, "")
                self.assertIn(said, result.err)


class Odd(Sim):
    """Worlds that no site should be like, with numbers at the limits of
    arithmetic."""

    def judge(self, *settings, ahead=-0.005, others=(), days=40):
        """Every figure is a number, and our policy is not worse than round
        robin."""
        args = ("--with", "pages=400", "--with", "sites=20", "--days", str(days), "--seeds", "2")
        found = self.records(*args, *[part for text in settings for part in ("--with", text)],
                             "--policy", "ours", *others)
        policies = {r["policy"]: r for r in found if r["type"] == "policy"}
        for r in found:
            for key, value in r.items():
                if isinstance(value, float):
                    self.assertTrue(abs(value) < 1e9, (key, r))
        for name in ("ours", "fifo"):
            self.assertTrue(0 <= policies[name]["freshness"] <= 1, policies[name])
        self.assertGreaterEqual(policies["ours"]["freshness"],
                                policies["fifo"]["freshness"] + ahead)
        return policies["ours"]

    ONLY = ("none=0", "correct=0", "day=0", "now=0", "deploy=0", "stale=0", "partial=0")

    def test_always_now(self):
        """Each page has a new date at each reading, so dates are worth
        nothing."""
        ours = self.judge(*self.ONLY, "now=1", ahead=0.05)
        self.assertLess(ours["found_share"], 0.9)

    def test_redated(self):
        """Several times a day a deployment gives every page a new date."""
        self.judge(*self.ONLY, "deploy=1", "deploy_days=0.2", ahead=0.05)

    def test_never(self):
        self.judge(*self.ONLY, "stale=1", ahead=0.05)

    def test_backwards(self):
        """The date of each day is arbitrary, in the past or the future."""
        self.judge(*self.ONLY, "random=1", ahead=0.05)

    def test_rates(self):
        """There are pages that never change, pages that change all the time,
        and both."""
        self.judge("slowest=0", "rate=1e-9", "spread=0")
        # a thousand changes of each page a day: more days cost only time
        self.judge("fastest=1000", "rate=1000", "spread=0", days=4)
        self.judge("slowest=0", "fastest=1000", "spread=10", ahead=0.01, days=4)

    def test_weights(self):
        """The largest weight is twenty orders of magnitude above the
        smallest."""
        self.judge("weight_spread=10", ahead=0.02)

    def test_no_answers(self):
        self.judge("failures=1", ahead=0)
        self.judge("failures=0.5")

    def test_budgets(self):
        """The budget is almost 0, or larger than everything there is to
        request."""
        self.judge("requests=0", ahead=0)
        self.judge("requests=1e-6", ahead=0)
        self.judge("requests=50")
        # more than each page at each hour is no use, and is not tried
        found = self.records(*SMALL, "--budget", "999999999/h", "--policy", "fifo")
        self.assertEqual(found[0]["requests"], 60 * 24)

    def test_dear_readings(self):
        """A reading costs more than all requests that there will ever be."""
        self.judge("joint=1", "reading_cost=1e6", ahead=-1)

    def test_comings_and_goings(self):
        self.judge("born=1", "gone=1")

    def test_traces(self):
        """Dates that go backwards, that are always new, that lie in the future,
        and no dates."""
        for name, date in (("back", lambda day: time.gmtime((4000 - day) * DAY)),
                           ("now", lambda day: time.gmtime(day * DAY)),
                           ("ahead", lambda day: time.gmtime((day + 20000) * DAY)),
                           ("none", lambda day: None)):
            with self.subTest(dates=name):
                lines = [(0, "D", 0, "https://www.example.org/sitemap.xml")]
                lines += [(0, "U", n, "https://www.example.org/%d" % n) for n in range(9)]
                lines += [(0, "N", n, "a%d" % n) for n in range(9)]
                lines += [(0, "A", "0-8", 0), (0, "P", 0, 9)]
                for day in range(1, 120):
                    at = date(day)
                    lines += [(day * DAY, "C", day % 3, "%x" % (day + 100)),
                              (day * DAY, "L", "0-8",
                               time.strftime("%Y-%m-%d", at) if at else "-"),
                              (day * DAY, "P", 0, 9)]
                path = self.put(rows(*lines))
                found = self.records("--trace", path, "--budget", "2/d", "--policy", "ours",
                                     kind="policy")
                ours, fifo = found
                self.assertGreater(ours["freshness"], fifo["freshness"] + 0.05)


class Traces(Sim):
    def test_replay(self):
        """One page changes each day: enough requests find each change, few do
        not."""
        path = self.put(site())
        found = self.records("--trace", path, "--budget", "24/d", "--budget", "1/d",
                             "--policy", "fifo")
        world = found[0]
        self.assertEqual((world["pages"], world["sites"], world["documents"], world["days"],
                          world["trace"]), (4, 1, 1, 20, True))
        policies = [r for r in found if r["type"] == "policy"]
        self.assertGreater(policies[0]["freshness"], 0.95)
        self.assertLess(policies[1]["freshness"], 0.9)
        self.assertAlmostEqual(policies[0]["found_share"], 1 / 24, places=2)

    def test_late_starts(self):
        """Each seed begins the trace later; the first begins at its start."""
        path = self.put(site(60))
        found = {n: [r["freshness"] for r in self.records(
            "--trace", path, "--budget", "1/d", "--seeds", n, "--policy", "fifo", kind="seed")]
            for n in ("1", "4")}
        self.assertEqual(found["4"][:1], found["1"])
        self.assertGreater(len(set(found["4"])), 2)
        early = self.records("--trace", path, "--warm-up", "0", "--seeds", "4", "--budget", "1/d",
                             "--policy", "fifo", kind="seed")
        self.assertEqual(len({r["freshness"] for r in early}), 1)

    def test_honesty(self):
        """Dates are compared with changes: one page changes and its date moves,
        for another only the date moves."""
        path = self.put(site(more=[
            (20 * DAY, "L", 2, "1970-01-19"), (20 * DAY, "C", 3, "b"), (20 * DAY, "P", 0, 4)]))
        found = self.records("--trace", path, "--policy", "ours", kind="document")[0]
        self.assertAlmostEqual(found["true_precision"], 20 / 21, places=4)
        self.assertAlmostEqual(found["true_recall"], 20 / 21, places=4)
        text = self.sim("--trace", path, "--policy", "ours").out
        self.assertRegex(text, r"LEARNED BY ours[^\n]*\n  www.example.org .* 0.95 .* 0.95\n")

    def test_packed(self):
        text = site()
        plain = self.sim("--trace", "-", "--policy", "fifo", input=text).out
        packed = self.put(gzip.compress(text.encode()), "-.gz")
        self.assertEqual(self.sim("--trace", packed, "--policy", "fifo").out,
                         plain.replace("-  what", packed + "  what", 1))

    def test_too_young(self):
        """A warning says once that the trace is too short to judge by; the
        figures are printed anyway."""
        head = [(0, "D", 0, "https://a.example/s.xml"), (0, "U", 0, "https://a.example/p"),
                (0, "N", 0, "a"), (0, "A", 0, 0), (0, "P", 0, 1)]
        path = self.put(rows(*head, (1800, "C", 0, "b"), (1800, "P", 0, 1)))
        some = ("--trace", path, "--policy", "fifo", "--seeds", "1")
        found = self.sim(*some, "--budget", "1/d", "--budget", "2/d")
        self.assertEqual(found.err, "freshet: '%s' covers 30 min: too short to judge policies by; "
                         "let it grow to 2.0 d at least\n" % path)
        self.assertIn("POLICY", found.out)
        self.assertEqual(self.sim(*some, "-q").err, "")
        self.assertIn("let it grow to 8.0 d at least",
                      self.sim(*some, "--read-every", "1d").err)
        grown = self.put(rows(*head, (2 * DAY, "C", 0, "b"), (2 * DAY, "P", 0, 1)))
        self.assertEqual(self.sim("--trace", grown, "--policy", "fifo", "--seeds", "1").err, "")

    def test_last_days(self):
        path = self.put(site())
        world = self.records("--trace", path, "--days", "6", "--policy", "fifo", kind="world")[0]
        self.assertEqual((world["days"], world["from_day"]), (6, 3))

    def judge(self, text, code, line, status=1):
        result = self.sim("--trace", self.put(text), "--policy", "fifo", "--seeds", "1",
                          status=status)
        self.assertIn("freshet: %s: '%s' line %d: " % (code, self.put(text), line), result.err)
        self.assertEqual(result.out == "", status == 4)
        return result

    def test_malformed(self):
        self.judge(site(more=[(20 * DAY, "C", 1)]), "trace-malformed", 74)

    def test_out_of_order(self):
        self.judge(site(more=[(DAY, "C", 1, "b")]), "trace-out-of-order", 74)

    def test_future(self):
        self.judge(site(more=[(int(time.time()) + 10 * DAY, "C", 1, "b")]), "trace-future", 74)

    def test_inconsistent(self):
        self.judge(site(more=[(20 * DAY, "C", 4, "b")]), "trace-inconsistent", 74)

    def test_unsupported(self):
        self.judge(site().replace("trace 1", "trace 2"), "trace-unsupported", 1, status=4)

    def test_empty(self):
        self.judge(rows((0, "D", 0, "https://a/"), (9, "P", 0, 0)), "trace-empty", 4, status=4)

    def test_too_large(self):
        self.judge(rows((0, "D", 0, "https://a/"), (0, "U", 4000000, "https://a/")),
                   "trace-too-large", 3, status=4)

    def test_many_wrong_lines(self):
        """Three wrong lines of each code are printed, and how many more there
        are."""
        err = self.judge(site(more=[(20 * DAY, "C", "x", n) for n in range(10)]),
                         "trace-malformed", 76).err
        self.assertEqual(err.count("trace-malformed: "), 4)
        self.assertIn("and 7 lines more", err)

    def test_hostile_text(self):
        """No text of a trace can act on a terminal."""
        err = self.judge(site(more=[(20 * DAY, "C", 1, "\x1b]0;x\x07\u202e")]),
                         "trace-malformed", 74).err
        self.assertNotIn("\x1b", err)
        self.assertNotIn("\u202e", err)

    def test_cut(self):
        """A gzip file without its end: the part that came is used, and a
        message says so."""
        packed = gzip.compress(site(2000).encode())
        path = self.put(packed[:len(packed) // 2], "cut.gz")
        err = self.sim("--trace", path, "--policy", "fifo", "--seeds", "1", status=1).err
        self.assertIn("'%s' counts up to here: " % path, err)

    def test_unreadable(self):
        good = self.put(site())
        for bad in (good + ".no", self.program.folder):
            result = self.sim("--trace", bad, status=4)
            self.assertIn("cannot read '%s': " % bad, result.err)
            self.assertEqual(result.out, "")
            both = self.sim("--trace", bad, "--trace", good, "--policy", "fifo", status=1)
            self.assertIn("cannot read", both.err)
            self.assertIn("www.example.org" if "LEARNED" in both.out else "fifo", both.out)

    def test_real(self):
        """The whole histories of real sites."""
        folder = os.path.join(SHARED, "traces")
        if not os.path.isdir(folder):
            self.skipTest("there is no folder '%s'" % folder)
        for name, pages, days, precision, recall in (
                ("hop-site", 169, 2139, 0.989, 0.423), ("ingress-nginx", 119, 2884, 0.0238, 0.984)):
            found = self.records("--trace", os.path.join(folder, name + ".trace.tsv.gz"),
                                 "--seeds", "1", "--policy", "ours")
            self.assertEqual((found[0]["pages"], found[0]["days"]), (pages, days))
            dates = [r for r in found if r["type"] == "document"][0]
            # of the traces' own description
            self.assertAlmostEqual(dates["true_precision"], precision, places=3)
            self.assertAlmostEqual(dates["true_recall"], recall, places=3)


class Formats(Sim):
    def test_fields(self):
        """README.md names every field that is printed, and no other."""
        named = tables(os.path.join(TOP, "tests", "sim", "README.md"), "### ")
        found = self.records(*SMALL, "--policy", "all") + self.records("--list")
        for kind in named:
            with self.subTest(kind=kind):
                records = [r for r in found if r["type"] == kind]
                # of one sitemap, what a policy learned of it
                if kind == "document" and not records:
                    continue
                fields = {name for r in records for name in r} - {"v", "type"}
                self.assertEqual(fields, named[kind])
        self.assertEqual({r["type"] for r in found}, set(named))

    def test_one_seed(self):
        """With one seed there is no interval, and none is printed."""
        one = self.sim(*SMALL, "--seeds", "1", "--policy", "fifo").out
        self.assertNotIn("\u00b1", one)
        self.assertIn("\u00b1", self.sim(*SMALL, "--policy", "fifo").out)
        self.assertNotIn("nan", one)

    def test_width(self):
        for line in self.sim(*SMALL, "--policy", "all").out.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
