"""Seven weeks of thirteen sites that misbehave: what is counted, what was listed on a
day, and what pages of events answer, is compared with seven_weeks.py."""
import calendar
import contextlib
import sqlite3
import time
import unittest

import seven_weeks
from case import Case
from certs import Authority
from clock import DAY
from daemon import Daemon
from past import judge_past
from seven_weeks import BEGIN, DAYS, SAID, SESSIONS, SITES, WEEKS
from server import tls_context

HOUR = 3600


class SevenWeeks(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.follow_clock(wall=BEGIN + 6 * HOUR)
        authority = Authority(self.program.folder)
        secure = self.site(tls=tls_context(*authority.sign(["hazel.test"])))
        plain = self.site()
        self.world = seven_weeks.World(plain, secure)
        self.truth = seven_weeks.Truth()
        self.network = ["--cacert", authority.path, "--connect-to",
                        ":443:127.0.0.1:%d" % secure.port, "--connect-to",
                        ":80:127.0.0.1:%d" % plain.port, "--delay", "0"]
        self.published = None

    def publish(self, at):
        day, hour = int((at - BEGIN) // DAY), int((at - BEGIN) % DAY // HOUR)
        if (day, hour >= 20) != self.published and day < DAYS:
            self.published = day, hour >= 20
            self.world.publish(day, hour)

    def targets(self):
        return ["http://%s/" % site for site in SITES]

    def by_crawl(self):
        """Each morning at seven."""
        self.clock.leap()
        for day in range(DAYS):
            self.clock.advance(BEGIN + day * DAY + 7 * HOUR - self.clock.now())
            self.publish(self.clock.now())
            result = self.program.run("crawl", "-q", "--progress", "off", "--retry", "0",
                                      *self.network, *self.targets())
            self.assertIn(result.status, (0, 1), str(result))

    def by_run(self):
        self.publish(self.clock.now())
        result = self.program.run("add", "--verify", "5", *self.targets())
        self.assertEqual(result.status, 0, str(result))
        daemon = Daemon(self.program, *self.network)
        self.clock.wait_followers(1)
        end = BEGIN + DAYS * DAY
        self.clock.leap(until=end, before=self.publish, stride=HOUR)
        self.clock.wait_until(end)
        self.clock.hold()
        daemon.end()

    @staticmethod
    def stamp(at):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))

    def numbers(self):
        """{(site, week): numbers} as they are told when all is over."""
        found = {}
        for week in range(WEEKS):
            result = self.program.run(
                "diff", "--json", "--since", self.stamp(BEGIN + 7 * week * DAY),
                "--until", self.stamp(BEGIN + 7 * (week + 1) * DAY))
            self.assertEqual(result.status, 0, str(result))
            for r in result.records():
                if r["type"] == "site":
                    found[r["site"], week] = {k: r.get(k, 0)
                                              for k in ("new", "gone", "moved", "left")}
        return found

    def judge_numbers(self, most):
        found = self.numbers()
        wrong = []
        for site in SITES:
            for week in range(WEEKS):
                wanted = self.truth.numbers(site, week)
                seen = found.get((site, week), {k: 0 for k in wanted})
                if seen != wanted:
                    wrong.append("week %d of %s: truth %s, told %s" % (week, site, wanted, seen))
        self.assertLessEqual(len(wrong), most, "\n" + "\n".join(wrong))

    def judge_listing(self, most):
        """What was listed at eight in the evening of every second day."""
        wrong = []
        for day in range(1, DAYS, 2):
            result = self.program.run("export", "-f", "jsonl", "--as-of",
                                      self.stamp(BEGIN + day * DAY + 20 * HOUR))
            self.assertIn(result.status, (0, 1), str(result))
            rows = {}
            for row in result.records():
                rows.setdefault(seven_weeks.site_of(row["loc"]), set()).add(row["loc"])
            for site in SITES:
                wanted = self.truth.listed(site, day)
                seen = rows.get(site, set())
                if site in SESSIONS:
                    seen = {url.split("?")[0] for url in seen}
                if seen != wanted:
                    wrong.append("day %d of %s: %d too many %s, %d missing %s" % (
                        day, site, len(seen - wanted), sorted(seen - wanted)[:3],
                        len(wanted - seen), sorted(wanted - seen)[:3]))
        self.assertLessEqual(len(wrong), most, "\n" + "\n".join(wrong))

    def judge_answers(self):
        """What `verify` says of each drop, rename and launch, and what it asked for that."""
        result = self.program.run("diff", "--json", "--since", self.stamp(BEGIN))
        asked = {kind for _, kind, _ in SAID} | {"mass-drop-waiting"}
        said = {}
        for r in result.records():
            if r["type"] == "event" and r["kind"] in asked:
                day = (calendar.timegm(time.strptime(r["at"], "%Y-%m-%dT%H:%M:%SZ")) - BEGIN) // DAY
                self.assertTrue(r["text"].endswith("; " + r.get("verified", "nothing")), r)
                said.setdefault((r["site"], r["kind"], day), set()).add(r["verified"])
        self.assertEqual(said, {key: {text} for key, text in SAID.items()})
        # five pages of each, and no other pages but where they redirect to
        with contextlib.closing(sqlite3.connect(self.program.store)) as db:
            urls, targets = zip(*db.execute("SELECT url, coalesce(location, url) FROM verified"))
        pages = {r.host.rsplit(":", 1)[0] + r.target for server in (self.world.plain, self.world.secure)
                 for r in server.requests if not r.target.endswith(("/", ".txt", ".xml")) or r.method == "HEAD"}
        self.assertEqual(pages - {url.split("://")[1] for url in urls + targets}, set())
        self.assertLessEqual(len(urls), 5 * (len(SAID) + 3))

    def judge(self):
        with self.subTest("numbers"):
            self.judge_numbers(1)   # of 91 site-weeks
        with self.subTest("listing"):
            self.judge_listing(6)   # of 312 site-days, as some cannot be seen by anybody
        with self.subTest("past"):
            judge_past(self, BEGIN, DAYS)

    def test_by_crawl(self):
        self.by_crawl()
        self.judge()

    def test_by_run(self):
        self.by_run()
        self.judge()
        with self.subTest("answers"):
            self.judge_answers()


if __name__ == "__main__":
    unittest.main()
