"""A replay of a trace, beside what `freshet sim` and others make of it."""
import os

import folk
import replay
from clock import Clock
from program import HOOKED, Program

# that are told no more than ours
BASELINES = ("fifo", "random", "by-weight", "learned-greedy", "nutch-adaptive", "nutch-adaptive-due",
             "stormcrawler-default", "stormcrawler-adaptive", "stormcrawler-adaptive-due",
             "lastmod-changed", "lastmod-newest")


class Measured:
    """What came of a replay, what sim says of the same, and what fetchers by
    simple rules reach at the same server."""

    def __init__(self, lived, sim, by_rule):
        self.freshness = replay.freshness(lived.events, lived.fetches)
        self.fetches = len(lived.fetches)
        self.statuses = lived.statuses
        self.acks = lived.acks
        self.failed = sum(n for status, n in lived.statuses.items() if status not in (200, 304))
        self.readings = sum(r.target == "/sitemap.xml.gz" for r in lived.site.requests)
        self.sim = sim
        self.folk = by_rule
        others = [sim[name] for name in BASELINES]
        self.mean = sum(others) / len(others)

    def faults(self):
        """In words; none."""
        said = "freshness %.4f, " % self.freshness
        if self.freshness < self.sim["ours"] - 0.02:
            yield said + "sim says %.4f" % self.sim["ours"]
        if self.freshness < self.mean:
            yield said + "baselines have %.4f" % self.mean


def simulate(program, events, pages_a_day):
    """{policy: freshness}."""
    path = os.path.join(program.folder, "trace.tsv")
    replay.write(events, path)
    names = [word for name in ("ours",) + BASELINES for word in ("--policy", name)]
    result = program.run("sim", "--trace", path, "--budget", "%g/d" % pages_a_day,
                         "--seeds", "1", "-f", "json", "--progress", "off", *names)
    if result.status != 0:
        raise AssertionError(str(result))
    return {r["policy"]: r["freshness"] for r in result.records() if r["type"] == "policy"}


def measure(events, pages_a_day):
    program = Program()
    program.binary = HOOKED
    try:
        sim = simulate(program, events, pages_a_day)
        by_rule = {rule: replay.freshness(events, folk.walk(events, pages_a_day, rule))
                   for rule in folk.RULES}
        clock = Clock(program.folder, wall=events[0].at)
        program.variables.update(clock.variables)
        lived = replay.Replay(program, events, clock)
        try:
            lived.run(pages_a_day)
            return Measured(lived, sim, by_rule)
        finally:
            lived.close()
            clock.close()
    finally:
        program.close()
