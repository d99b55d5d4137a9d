#!/usr/bin/env python3
"""Many hosts whose pages freshet fetches itself, kills, 429s: no request too early, none
that robots.txt forbids, and an archive that has what was acknowledged, once.

    FRESHET_BIN=... tests/tools/fetch_soak.py [--minutes M] [--hosts N]
        [--seed S] [--keep FOLDER]

The hosts of politeness_soak.py, and more: pages with validators and gzip, redirects to
other pages and other hosts, chains, loops and login pages, and robots.txt that forbid
some pages and change every CHANGE seconds.  `run --fetch --warc`, `run` with a client
`fetch --follow --json --warc`, both together, or `fetch` alone do the work; every few
seconds one of them, or a reader, is killed, most often with SIGKILL, and another one of
these arrangements goes on.  `crawl` of a few hosts reads their robots.txt anew, every
second or so.

What is judged by the log of the server, for each host over all requests: what
politeness_soak.py says of beginnings, delays and holds, and

- rules     No page, and no target of a redirect, is asked for that the last
            robots.txt forbids that was answered before; none before the first one.
            A robots.txt that came when the process was killed may be lost.
- stale     No page is asked for when that robots.txt is older than an hour, its least age
            (or its max-age, if that is more), and a minute for what was on its way,
            except while it cannot be had.

What is judged of the archive, when all has ended.  The server numbers its answers, and
each answer has its number in a header:

- records   Each record can be read, and has its length and its digests.
- once      No answer of the server lies there twice; what lies there is what the
            server sent.
- acked     Each line of `fetch --json` with a place names the record of its last URL, once;
            each outcome in the store, looked at every few seconds, has a record of
            that time; each row of `archived` has one of that time and digest.
- whole     No file ends with .open.

The last line is `N passed, N failed`; what is wrong is printed before it.
"""
import bisect
import calendar
import collections
import gzip
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
import politeness_soak  # noqa: E402
import processes  # noqa: E402
import warc  # noqa: E402
from politeness_soak import BINARY, crawl_delay  # noqa: E402

CHANGE = 45         # seconds that a robots.txt stays as it is
MAX_AGE = 20        # what it says of itself
LEAST_AGE = 3600    # what freshet makes of that
CRAWLED = 8         # hosts of one `crawl`
REDIRECTS = 6       # pages of a host that redirect
ARRANGEMENTS = ("run --fetch", "run and fetch", "run --fetch and fetch", "fetch")
LEFT = 0.5          # seconds after an answer in which a client that closes may not have read it
FIRST = 10          # of each kind of fault that are printed


class World(politeness_soak.World):
    """What the hosts answer."""

    @staticmethod
    def has_robots(number):
        return number % 3 != 0 or crawl_delay(number) is not None

    @classmethod
    def forbidden(cls, number, at):
        """Prefixes that robots.txt of that host forbids at that time; the note of its answer."""
        if not cls.has_robots(number):
            return []
        is_odd = int(at / CHANGE) % 2 == 1
        return (["/x/"] + ["/s1/"] * (number % 4 == 2 and is_odd) + ["/t/"] * (number % 4 == 1 and is_odd)
                + ["/s0/3"] * (number % 5 == 1))

    def name(self, number):
        return "h%04d.test" % (number % len(self.names))

    def answer(self, name, path, at, fields):
        number = self.names[name]
        status, headers, body, wait = self.plain_answer(name, path, at)
        if status in (429, 503):
            return status, headers, body, wait, None
        if path == "/robots.txt":
            rules = self.forbidden(number, at)
            if status == 200:
                headers = ["Cache-Control: max-age=%d" % MAX_AGE]
                body = body.replace("User-agent: *\n", "User-agent: *\n" + "".join("Disallow: %s\n" % r for r in rules))
            return status, headers, body, wait, rules
        if path == "/s0.xml":
            entries = [("http://%s/s0/%d" % (name, n), at if n % 4 == 0 else None) for n in range(politeness_soak.PAGES)]
            entries += [("http://%s/r/%d" % (name, n), None) for n in range(REDIRECTS) if number % 2 == 0]
            return 200, [], self.document("urlset", "url", entries), wait, None
        if path.startswith("/r/"):
            return self.redirect(number, int(path[3:])) + (wait, None)
        if path == "/loop":
            return 302, ["Location: /loop"], "", wait, None
        if path.startswith("/login"):
            return 200, ["Content-Type: text/html"], ("<title>Log in</title><form><input type=password></form>"), wait, None
        if path.startswith(("/s", "/t/", "/x/")) and not path.endswith(".xml"):
            return self.page(name, number, path, fields) + (wait, None)
        return status, headers, body, wait, None

    def redirect(self, number, kind):
        there = "http://" + self.name(number + 1)
        status, to = ((301, "/t/0"), (302, there + "/t/1"), (307, there + "/r/1"), (302, "/login?next=/"),
                      (302, there + "/loop"), (302, there + "/x/secret"))[kind]
        return status, ["Location: " + to], ""

    def page(self, name, number, path, fields):
        version = self.rng.randrange(3)
        text = "<!doctype html><title>%s of %s</title><main><p>What %s says of %s for the %dth time.</p>%s</main>" % (
            path, name, name, path, version, "<a href=/s0/1>more of it</a> and so on. " * 40)
        tag = '"%s"' % hashlib.sha1(text.encode()).hexdigest()[:12]
        headers = ["Content-Type: text/html; charset=utf-8"]
        if number % 2 == 1:
            # the one that it was told of may still be the right one
            if fields.get("if-none-match") and self.rng.random() < 0.6:
                return 304, ["ETag: " + fields["if-none-match"]], b""
            headers.append("ETag: " + tag)
        body = text.encode()
        if number % 3 == 1 and "gzip" in fields.get("accept-encoding", ""):
            return 200, headers + ["Content-Encoding: gzip"], gzip.compress(body, 6, mtime=0)
        return 200, headers, body


def is_page(path):
    return path.startswith(("/s0/", "/s1/", "/r/", "/t/", "/x/", "/login", "/loop"))


class Soak(politeness_soak.Soak):
    def __init__(self, args):
        super().__init__(args)
        self.lines = {}
        self.archive = os.path.join(self.program.folder, "pages")
        self.network = ["--connect-to", "::127.0.0.1:%d" % self.port, "--retry", "1"]
        self.client = None
        self.client_at = 0.0
        self.crawl, self.crawl_at = None, 0.0
        self.arrangement = None
        self.told = []          # lines of fetch --json
        self.readers = []
        self.stored = {}        # (url, fetched_s): (status, lease)
        self.looked = 0
        self.arrangements = collections.Counter()

    # --- what runs ---

    def begin_run(self):
        """Called once, and whenever that which runs has ended."""
        self.arrangement = self.rng.choice(ARRANGEMENTS)
        self.arrangements[self.arrangement] += 1
        if self.arrangement == "fetch":
            self.run = self.begin_fetch()
            self.client = None
            return
        more = ["--fetch", "--warc", self.archive] if "--fetch" in self.arrangement else []
        self.run = self.popen([BINARY, "run"] + self.network + more, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=self.errors)
        self.client = None

    def begin_fetch(self):
        process = self.popen([BINARY, "fetch", "--follow", "--json", "--progress", "off", "--warc", self.archive]
                             + self.network, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        reader = threading.Thread(target=self.read_lines, args=(process.stdout,), daemon=True)
        reader.start()
        self.readers.append(reader)
        return process

    def read_lines(self, lines):
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue    # its process was killed
            if row.get("type") == "page":
                self.told.append(row)

    def wants_client(self):
        return self.arrangement in ("run and fetch", "run --fetch and fetch")

    def keep_going(self):
        self.look_into_store()
        if self.run.poll() is not None:
            if self.run.returncode == 9:    # the reader that was killed was the process that starts them
                self.killed_run.append((time.monotonic() - 1, time.monotonic()))
            if self.client is not None and self.client.poll() is None:
                # its owner is gone: it ends, or becomes the owner
                self.end(self.client, signal.SIGKILL if self.rng.random() < 0.5 else signal.SIGTERM)
            self.begin_run()
        if self.wants_client() and (self.client is None or self.client.poll() is not None):
            # not as often as it can end
            if time.monotonic() > self.client_at:
                self.client = self.begin_fetch()
                self.client_at = time.monotonic() + 1

        self.crawl_some()

    def crawl_some(self):
        """Somebody wants to see a few sites now."""
        if self.crawl is not None and self.crawl.poll() is None:
            if time.monotonic() > self.crawl_at + 240:
                self.faults.append(("end", "a crawl of %d sites does not end" % CRAWLED))
                self.end(self.crawl, signal.SIGKILL)
            return
        if time.monotonic() < self.crawl_at:
            return
        self.crawl_at = time.monotonic() + self.rng.uniform(0.5, 2)
        self.crawl = self.popen([BINARY, "crawl", "-q"] + self.network + [
            "http://h%04d.test/" % n for n in self.rng.sample(range(self.args.hosts), CRAWLED)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)

    def end(self, process, number):
        sent = time.monotonic()
        process.send_signal(number)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            self.faults.append(("end", "a process was told %d, and did not end within a minute" % number))
            process.kill()
            process.wait()
        self.killed_run.append((sent, time.monotonic()))
        self.killed.append((sent, "%s %d of %s" % ("run" if process is self.run else "client", process.pid,
                                                  self.arrangement), number))

    def kill(self):
        name = self.rng.choice(("run", "run", "run", "client", "crawl", "reader"))
        number = self.rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
        if name == "reader":
            pids = processes.descendants(self.run.pid)
            if pids and self.run.poll() is None:
                try:
                    os.kill(self.rng.choice(pids), signal.SIGKILL)
                    self.kills["reader"] += 1
                except ProcessLookupError:
                    pass
            return
        if name == "crawl" and (self.crawl is None or self.crawl.poll() is not None):
            name = "run"
        process = self.run
        if name == "crawl" or (name == "client" and self.client is not None):
            process = self.crawl if name == "crawl" else self.client
        if process.poll() is None:
            self.kills["%s %d" % (self.arrangement if process is self.run else name, number)] += 1
            self.end(process, number)

    def look_into_store(self):
        """Outcomes that are in the store, every few seconds."""
        if time.monotonic() < self.looked + 4:
            return
        self.looked = time.monotonic()
        try:
            for url, at, status, lease in self.rows_of(
                    "SELECT url, fetched_s, status, done_number FROM page JOIN state USING (id) WHERE fetched_s > 0"):
                self.stored.setdefault((url, at), (status, lease))
        except sqlite3.OperationalError:
            pass    # it is being made, or is busy

    def rows_of(self, query):
        db = sqlite3.connect("file:%s?mode=ro" % self.program.store, uri=True, timeout=2)
        try:
            return db.execute(query).fetchall()
        finally:
            db.close()

    def end_all(self):
        super().end_all()
        for process in (self.client, self.crawl):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        for reader in self.readers:
            reader.join(20)
        self.looked = 0
        self.look_into_store()
        # whoever takes the folder next repairs what the last kill left
        self.program.run("fetch", "-n", "1", "--warc", self.archive, *self.network)

    # --- the verdict ---

    def known_at(self, row):
        # an owner that hands the store over does not wait for answers that are under way
        if self.closed.get(row[7], row[2] + LEFT) < row[2] + LEFT:
            return None
        return None if self.is_killed_near(row[1], row[2]) else row[2]

    def judge_rules(self, host, rows, counts):
        """Pages that robots.txt forbids."""
        rules = []              # what may be known: lists of prefixes, the last one the newest
        newest, is_trouble = None, False
        for row in rows:
            _, begin, end, path, status, _, _, _, _, note = row
            if path == "/robots.txt":
                is_trouble = note is None
                if note is not None:
                    rules = (rules if self.is_killed_near(begin, end) else []) + [note]
                    newest = end
            elif is_page(path):
                counts["pages"] += 1
                what = "%s at %.3f" % (path, begin)
                if not rules:
                    self.fault("rules", host, begin, "%s, and no robots.txt was answered before" % what)
                elif all(any(path.startswith(prefix) for prefix in some) for some in rules):
                    self.fault("rules", host, begin, "%s, which is forbidden by %s, %.1f s before" % (
                        what, rules[-1], begin - newest))
                elif rules[-1]:
                    counts["allowed"] += 1
                limit = LEAST_AGE if World.has_robots(int(host[1:5])) else 86400
                if newest is not None and not is_trouble:
                    counts["oldest"] = max(counts["oldest"], begin - newest - limit)
                    if begin - newest > limit + 60:
                        self.fault("stale", host, begin, "%s, by a robots.txt of %.0f s" % (what, begin - newest))

    def judge_archive(self, counts):
        records, wrong = warc.read_folder(self.archive)
        self.faults += [("records", text) for text in wrong]
        self.faults += [("whole", name) for name in os.listdir(self.archive) if name.endswith(".open")]
        sent = {row[7]: row for row in self.rows}
        answers = [record for record in records if record.is_answer]
        counts["records"], counts["answers"] = len(records), len(answers)
        numbers = collections.Counter(record.header("X-Request") for record in answers)
        for number, count in numbers.items():
            if count > 1 or number is None:
                self.faults.append(("once", "answer %s of the server lies there %d times" % (number, count)))
        for record in answers:
            row = sent.get(int(record.header("X-Request") or 0))
            if row is None:
                self.faults.append(("once", "%r is no answer of the server" % record))
            elif "http://%s%s" % (row[0], row[3]) != record.url or row[4] != record.status:
                self.faults.append(("once", "%r is the answer to %s" % (record, row)))
            elif record.kind == "response" and hashlib.sha1(record.body).hexdigest() != row[8]:
                self.faults.append(("once", "%r has another body than the server sent" % record))
        self.judge_acks(records, answers, counts)

    def judge_acks(self, records, answers, counts):
        at_place = {(record.file, record.offset): record for record in answers}
        by_id = {record.id: record for record in answers}
        used = collections.Counter()
        for row in self.told:
            place = row.get("archive")
            if place is None:
                if row["status"] in (200, 304) and "error" not in row:
                    self.faults.append(("acked", "no place: %s" % row))
                continue
            counts["told"] += 1
            record = at_place.get((place["file"], place["offset"]))
            if record is None or record.id != place["id"] or record.length != place["length"]:
                self.faults.append(("acked", "%r there, %r of that id, of %s" % (record, by_id.get(place["id"]), row)))
            # the last answer, if none came from where it redirects to
            elif record.url != row.get("final_url", row["url"]) and row["status"] != 0:
                self.faults.append(("acked", "%r there, of %s" % (record, row)))
            elif place["revisit"] != (record.kind == "revisit"):
                self.faults.append(("acked", "%r is not what %s says" % (record, row)))
            else:
                used[record.id] += 1
        self.faults += [("acked", "%d results name %s" % (count, name)) for name, count in used.items() if count > 1]
        # what the store says, against the times of the answers of the page itself
        times = collections.defaultdict(list)
        for record in answers:
            times[record.url].append(seconds_of(record.date))
        for url in times:
            times[url].sort()
        for (url, at), (status, _) in self.stored.items():
            if status == 0:
                continue
            counts["stored"] += 1
            near = times[url][bisect.bisect_left(times[url], at - 90):bisect.bisect_right(times[url], at + 1)]
            # the page was asked for when its lease says, or its redirect took some time
            if not near:
                self.faults.append(("acked", "%s, %d at %d in the store, is not in the archive; nearest %s" % (
                    url, status, at, sorted(times[url], key=lambda t: abs(t - at))[:2])))
        digests = {(record.url, micros_of(record.date)): record for record in answers}
        for url, at_us, digest in self.rows_of(
                "SELECT url, at_us, digest FROM archived JOIN page ON page.id = page_id"):
            counts["archived"] += 1
            record = digests.get((url, at_us))
            if record is None:
                # where a redirect ended
                record = next((r for (_, at), r in digests.items() if at == at_us), None)
            if record is None:
                self.faults.append(("acked", "`archived` has %s at %d, and the archive has not" % (url, at_us)))
            elif record.kind == "response" and hashlib.sha1(record.body).digest() != digest:
                self.faults.append(("acked", "`archived` has another digest than %r" % record))

    def judge(self):
        hosts = collections.defaultdict(list)
        for row in self.rows:
            hosts[row[0]].append(row)
        counts = collections.Counter(least=10.0, oldest=-1e9)
        for host, rows in sorted(hosts.items()):
            rows.sort(key=lambda r: r[1])
            self.judge_host(host, rows, counts)
            self.judge_rules(host, rows, counts)
        self.judge_archive(counts)
        statuses = collections.Counter(row[4] for row in self.rows if is_page(row[3]))
        print("%d hosts; %d requests, %d of them for pages (%s); %d answers 429 or 503, %d holds judged; arrangements: %s;"
              " killed: %s" % (len(hosts), len(self.rows), counts["pages"], ", ".join(
                  "%d: %d" % pair for pair in sorted(statuses.items())), counts["limited"], counts["holds"],
                               dict(self.arrangements), dict(self.kills)))
        print("the least gap is %.0f ms longer than its delay; the server was late by %.0f ms at most, which excuses %d"
              " gaps; %d pages were asked for where rules forbid others; the oldest robots.txt was %.0f s over its age" % (
                  1000 * counts["least"], 1000 * max((by for _, by in self.late), default=0), counts["excused"],
                  counts["allowed"], counts["oldest"]))
        print("%d records in the archive, %d of them answers; %d places were told, %d outcomes seen in the store, %d rows"
              " of `archived`" % tuple(counts[key] for key in ("records", "answers", "told", "stored", "archived")))
        kinds = collections.Counter(kind for kind, _ in self.faults)
        for kind in kinds:
            for text in [text for k, text in self.faults if k == kind][:FIRST]:
                print("%s: %s" % (kind, text))
        if self.still:
            print("the machine stood still %d times, which excuses %d faults" % (len(self.still), self.excused))
        checks = {kind: not kinds[kind] for kind in ("overlap", "gap", "hold", "rules", "stale", "records", "once", "acked",
                                                     "whole", "end")}
        hosted = sum(any(is_page(row[3]) for row in rows) for rows in hosts.values())
        checks["enough"] = (hosted >= 0.8 * self.args.hosts and counts["pages"] > 4 * self.args.hosts
                            and counts["told"] > 0 and counts["archived"] > self.args.hosts
                            and counts["answers"] > 0.5 * counts["pages"] and statuses[304] > 0)
        print(", ".join("%s %d" % (kind, count) for kind, count in kinds.items()) or "nothing is wrong")
        failed = [name for name, is_right in checks.items() if not is_right]
        print("%d passed, %d failed%s" % (len(checks) - len(failed), len(failed),
                                          ": " + ", ".join(failed) if failed else ""))
        return not failed

    def close(self):
        if self.args.keep:
            os.makedirs(self.args.keep, exist_ok=True)
            subprocess.run(["cp", "-r", self.archive, os.path.join(self.args.keep, "pages")], check=False)
            with open(os.path.join(self.args.keep, "told.jsonl"), "w", encoding="utf-8") as f:
                f.writelines(json.dumps(row) + "\n" for row in self.told)
        super().close()


def micros_of(date):
    """Of a WARC-Date, with a fraction or without one."""
    whole, fraction = re.match(r"([^.Z]*)(?:\.(\d+))?Z$", date).groups()
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) * 1000000 + int((fraction or "0").ljust(6, "0")[:6])


def seconds_of(date):
    return micros_of(date) / 1e6


if __name__ == "__main__":
    sys.exit(politeness_soak.main(Soak, World))
