"""A site that follows a trace, with run, due, a fetcher and done."""
import calendar
import os
import time
import types
import unittest

import compared_replay
import simple_fetchers
import replay
from case import SHARED
from program import NO_HOOKS

TRACE = os.path.join(SHARED, "traces", "ingress-nginx.trace.tsv.gz")
DAYS = 20
PAGES_A_DAY = 6


def spell(stamp):
    return calendar.timegm(time.strptime(stamp, "%Y-%m-%d"))


class Counting(unittest.TestCase):
    """Numbers that were also counted by hand."""

    def trace(self):
        return [replay.Event(0, "D", (0,), "https://a.example/s.xml"),
                replay.Event(0, "U", (0,), "https://a.example/x"),
                replay.Event(0, "U", (1,), "https://a.example/y?z"),
                replay.Event(0, "N", (0, 1), "t"),
                replay.Event(0, "A", (0, 1), "0"),
                replay.Event(0, "P", (0,), "2"),
                replay.Event(3 * replay.DAY, "C", (0,), "u"),
                replay.Event(4 * replay.DAY, "P", (0,), "2")]

    def test_freshness(self):
        """The second half is the third and fourth day: the copy of one page is
        right on the third, and that of the other is never there."""
        self.assertEqual(replay.freshness(self.trace(), []), 0)
        self.assertAlmostEqual(replay.freshness(self.trace(), [(0, 0, True)]), 0.25)
        self.assertAlmostEqual(replay.freshness(self.trace(), [(0, 0, False)]), 0)
        self.assertAlmostEqual(replay.freshness(
            self.trace(), [(0, 0, True), (0, 1, True), (3.5 * replay.DAY, 0, True)]), 0.875)

    def test_cut(self):
        """Changes before the first day exist at its begin."""
        part = replay.cut(self.trace(), 3.5 * replay.DAY, 1)
        state = replay.State()
        for event in part:
            state.happen(event)
        self.assertEqual(state.text, {0: "u", 1: "t"})
        self.assertEqual(state.paths, {0: "/x", 1: "/y?z"})
        self.assertEqual(set(state.shown), {0, 1})
        self.assertEqual((part[0].at, part[-1].at), (3.5 * replay.DAY, 4.5 * replay.DAY))

    def test_later(self):
        """A later start has the same end, and knows what happened before."""
        part = compared_replay.later(self.trace(), 3)
        self.assertEqual((part[0].at, part[-1].at), (3 * replay.DAY, 4 * replay.DAY))
        self.assertEqual([e.value for e in part if e.kind == "N" and e.ids == (0,)], ["u"])
        self.assertEqual(replay.freshness(part, [(3 * replay.DAY, 0, True)]), 0.5)
        self.assertEqual(compared_replay.later(self.trace(), 0), self.trace())

    def test_faults(self):
        """The result is more than two points behind sim, or more than one behind
        the mean of the others."""
        lived = types.SimpleNamespace(
            events=self.trace(), fetches=[(0, 0, True)], statuses={}, acks={},
            site=types.SimpleNamespace(requests=[]))
        for ours, others, words in ((0.26, 0.2, []), (0.28, 0.2, ["sim"]),
                                    (0.26, 0.27, ["baselines"]),
                                    (0.28, 0.27, ["sim", "baselines"])):
            sim = dict.fromkeys(compared_replay.BASELINES, others)
            sim["ours"] = ours
            faults = list(compared_replay.Measured(lived, sim, {}).faults())
            self.assertEqual([fault.split()[2] for fault in faults], words)


class SimpleFetchers(unittest.TestCase):
    """Who goes by turns, or by dates, of the same site."""

    def walk(self, rule):
        """Three pages, one fetch a day; of the second the date moves."""
        trace = [replay.Event(0, "D", (0,), "https://a.example/s.xml")]
        trace += [replay.Event(0, "U", (i,), "https://a.example/%d" % i) for i in range(3)]
        trace += [replay.Event(0, "N", (0, 1), "t"), replay.Event(0, "X", (2,), "-"),
                  replay.Event(0, "A", (0, 1, 2), "0"), replay.Event(0, "P", (0,), "3"),
                  replay.Event(5 * replay.DAY, "C", (1,), "u"),
                  replay.Event(5 * replay.DAY, "L", (1,), "1970-01-06"),
                  replay.Event(5 * replay.DAY, "P", (0,), "3"),
                  replay.Event(7 * replay.DAY, "P", (0,), "3")]
        return [page for _, page, is_answered in simple_fetchers.walk(trace, 1, rule)
                if is_answered]

    def test_rules(self):
        self.assertEqual(self.walk("fifo"), [0, 1, 2, 0, 1, 0, 1])
        self.assertEqual(self.walk("lastmod-changed"), [0, 1, 2, 0, 1, 1, 0])
        self.assertEqual(self.walk("lastmod-newest"), [0, 1, 2, 0, 1, 1, 0])

    def test_moment(self):
        self.assertEqual(simple_fetchers.moment("1970-01-02"), 2 * replay.DAY - 1)
        self.assertEqual(simple_fetchers.moment("1970-01-02T01:00:00+01:00"), replay.DAY)
        self.assertIsNone(simple_fetchers.moment("None"))


@unittest.skipIf(NO_HOOKS, NO_HOOKS)
@unittest.skipUnless(os.path.exists(TRACE), "no traces in '%s'" % SHARED)
class Lived(unittest.TestCase):
    """tests/bench/replay does the same for years."""

    def test_as_simulated(self):
        events = replay.cut(replay.read(TRACE), spell("2020-03-01"), DAYS)
        got = compared_replay.measure(events, PAGES_A_DAY)
        self.assertEqual(list(got.faults()), [])
        self.assertEqual(set(got.acks), {"OK"})
        self.assertEqual(got.fetches, DAYS * PAGES_A_DAY)
        self.assertAlmostEqual(got.readings, DAYS * 4, delta=3)
        self.assertGreater(got.statuses[304], got.fetches / 10)


if __name__ == "__main__":
    unittest.main()
