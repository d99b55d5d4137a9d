"""A replay of a trace, beside what freshet-sim and others make of it."""
import os

import simple_fetchers
import replay
from clock import DAY, Clock
from program import HOOKED, Program

# of others, who are told no more than ours
PUBLISHED = ("fifo", "by-weight", "nutch-adaptive", "nutch-adaptive-due", "stormcrawler-default",
             "stormcrawler-adaptive", "stormcrawler-adaptive-due", "lastmod-changed")
# ours without dates, folders and publications; docs/internals/scheduling-formulas.md, "Goals":
WITHOUT = "learned-greedy"
BEHIND_WITHOUT = 0.005
BASELINES = PUBLISHED + (WITHOUT,)
BEHIND_SIM = 0.02
# by which pages one begins decides half a point
BEHIND_MEAN = 0.01


def mean(values):
    values = list(values)
    return sum(values) / len(values)


class Measured:
    """What came of a replay, what sim says of the same, and what fetchers by
    simple rules reach at the same server: these as the mean over their
    starts."""

    def __init__(self, lived, sim, by_rule):
        self.freshness = replay.freshness(lived.events, lived.fetches)
        self.fetches = len(lived.fetches)
        self.statuses = lived.statuses
        self.acks = lived.acks
        self.failed = sum(n for status, n in lived.statuses.items() if status not in (200, 304))
        self.readings = sum(r.target == "/sitemap.xml.gz" for r in lived.site.requests)
        self.sim = sim
        self.by_rule = by_rule
        self.mean = mean(sim[name] for name in BASELINES)

    def faults(self):
        """In words; none."""
        said = "freshness %.4f, " % self.freshness
        if self.freshness < self.sim["ours"] - BEHIND_SIM:
            yield said + "sim says %.4f" % self.sim["ours"]
        if self.freshness < self.mean - BEHIND_MEAN:
            yield said + "baselines have %.4f" % self.mean


def later(events, days):
    """The same, begun so many days later."""
    begin, end = events[0].at + days * DAY, events[-1].at
    return replay.cut(events, begin, (end - begin) // DAY) if days else events


def mean_of_each(dicts):
    return {name: mean(d[name] for d in dicts) for name in dicts[0]}


def simulate(program, events, pages_a_day):
    """{policy: freshness}."""
    path = os.path.join(program.folder, "trace.tsv")
    replay.write(events, path)
    names = [word for name in ("ours",) + BASELINES for word in ("--policy", name)]
    result = program.sim("--trace", path, "--budget", "%g/d" % pages_a_day, "--seeds", "1",
                         "--json", *names)
    if result.status != 0:
        raise AssertionError(str(result))
    return {r["policy"]: r["freshness"] for r in result.records() if r["type"] == "policy"}


def by_rules(events, pages_a_day, seed):
    """{rule: freshness}, at the same server."""
    return {rule: replay.freshness(events, simple_fetchers.walk(events, pages_a_day, rule, seed))
            for rule in simple_fetchers.RULES}


def measure(events, pages_a_day, starts=1):
    """starts: of those beside it, each a day after the one before."""
    program = Program()
    program.binary = HOOKED
    try:
        parts = [later(events, days) for days in range(starts)]
        sim = mean_of_each([simulate(program, part, pages_a_day) for part in parts])
        by_rule = mean_of_each([by_rules(part, pages_a_day, seed + 1)
                                for seed, part in enumerate(parts)])
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
