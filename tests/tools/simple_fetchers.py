"""Who fetches the site of a replay without freshet, by a simple rule.

    fetches = walk(events, pages_a_day, "lastmod-newest")
    replay.freshness(events, fetches)

Under the conditions of replay.Replay: the sitemap is read as often, as much may
be asked for at the same times, and as many requests fail.  The rules are those
of tests/sim/policy_fifo.c and policy_dates.c, so that what `sim` says of baselines
can be held against what they reach here.
"""
import datetime
import random

import replay
from clock import DAY

RULES = ("fifo", "lastmod-changed", "lastmod-newest")
READ_S = 6 * 3600
RETRY_S = 7200      # after no answer
NEVER = -1e12       # before all that were fetched


def moment(lastmod):
    """Of a date, its end; None: it is none."""
    try:
        at = datetime.datetime.fromisoformat(lastmod)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.timezone.utc)
    return at.timestamp() + (DAY - 1 if len(lastmod) == 10 else 0)


class SimpleFetcher:
    """What it knows."""

    def __init__(self, rule):
        self.rule = rule
        self.turn = 0
        self.seen = {}      # lastmod or None, of listed pages
        self.order = {}     # places of all that may be fetched
        self.moved = {}     # of those whose date has moved
        self.fetched = {}   # when
        self.away = []      # that gave no answer: until when, page, its places

    def place(self):
        self.turn += 1
        return self.turn

    def read(self, shown):
        away = {page for _, page, _, _ in self.away}
        for page, lastmod in sorted(shown.items()):
            is_new = page not in self.seen
            if not is_new and lastmod == self.seen[page]:
                continue
            if page not in self.order and page not in away:
                self.order[page] = self.place() + (0 if page in self.fetched else NEVER)
            at = None if lastmod is None else moment(lastmod)
            if self.rule == "fifo" or at is None or page in away:
                continue
            if page not in self.fetched if is_new else at > self.fetched.get(page, NEVER):
                if self.rule == "lastmod-newest":
                    self.moved[page] = -at
                else:
                    self.moved.setdefault(page, self.place())
        self.seen = dict(shown)

    def next(self, now):
        for _, page, place, moved in [a for a in self.away if a[0] <= now]:
            self.order[page] = place
            if moved is not None:
                self.moved[page] = moved
        self.away = [a for a in self.away if a[0] > now]
        places = self.moved or self.order
        return min(places, key=places.get) if places else None

    def tell(self, now, page, status):
        place, moved = self.order.pop(page), self.moved.pop(page, None)
        if status == 500:
            self.away.append((now + RETRY_S, page, place, moved))
            return
        self.fetched[page] = now
        if status == 200:
            self.order[page] = self.place()


def walk(events, pages_a_day, rule, seed=1):
    """What it fetches, as replay.freshness wants it."""
    fetcher, state, lots = SimpleFetcher(rule), replay.State(), random.Random(seed)
    begin, end = events[0].at, events[-1].at
    fetches, following, credit = [], 0, 0.0
    per_tick = pages_a_day * replay.TICK_S / DAY
    # half an hour after each reading, as replay.Replay.live
    for half in range(0, int(end - begin), replay.TICK_S // 2):
        now = begin + half
        while following < len(events) and events[following].at <= now:
            state.happen(events[following])
            following += 1
        if half % READ_S == 0 and state.published is not None:
            fetcher.read(state.shown)
        if half % replay.TICK_S == 0:
            continue
        credit += per_tick
        page = fetcher.next(now)
        while credit >= 1 - 1e-9 and page is not None:
            status = 404 if state.text.get(page) is None else \
                500 if lots.random() < replay.FAILING else 200
            credit -= 1
            fetches.append((now, page, status != 500))
            fetcher.tell(now, page, status)
            page = fetcher.next(now)
        credit = min(credit, max(1, per_tick))
    return fetches
