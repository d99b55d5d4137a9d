#!/usr/bin/env python3
"""Many hosts, two pipelines of fetchers, kills, 429s: no two requests to a host
overlap or lie closer than its delay, by the log of the server.

    FRESHET_BIN=... tests/tools/politeness_soak.py [--minutes M] [--hosts N]
        [--seed S] [--keep FOLDER]

fetch_soak.py is this for a freshet that fetches the pages itself.

`freshet run` reads robots.txt and sitemaps again all the time.  One pipeline is
`due --follow | fetcher | done`, the other one is `due -n 40 | fetcher | done`,
again and again.  Every few seconds one of the processes is killed, most often
with SIGKILL, and what is missing begins again.  All hosts are names that lead to
one server; it answers slowly at times, some hosts have a Crawl-delay, and some
answer 429 or 503, with Retry-After or without.

What is judged, for each host, over robots.txt, sitemaps and pages together:

- A request begins when the server has its first line (or, if that is earlier,
  when its fetcher says that it sent it), and ends when the answer is written.
  None begins before the one before it has ended.
- Between two beginnings lies the delay: a second, or the Crawl-delay once a
  robots.txt was answered with it.  SLACK is for the way to the server.  The
  server notes when it was late itself, and excuses as much there.
- After a 429 or 503 nobody asks before Retry-After, or a minute, is over, as far
  as freshet knew of it: freshet itself was answered so and was not killed in that
  second, or `done` has acknowledged the page.  A second less is right, because
  holds end at whole seconds.
- A machine that stood still for longer than STILL (it was suspended, or its clock
  was set) outlives leases while fetchers go on with what they have.  Nothing is
  judged for the length of a lease after that; how often it was is printed, and a
  tenth of the time at most may be lost so.

The fetcher is outside freshet, and does what docs/guide/run-a-crawler.md demands:
between two requests of a batch to one host it waits for delay_ms, and after a 429
or 503 it gives back what it has of that host.

The last line is `N passed, N failed`; what is wrong is printed before it.
"""
import argparse
import asyncio
import bisect
import collections
import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
import parent_death  # noqa: E402
from program import BINARY, Program  # noqa: E402

SLACK = 0.05
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
PAGES = 12          # of a sitemap
SITEMAPS = 2        # of a host
LEASE = 60          # so that what a dead fetcher had comes back in time
HOLD_LEAST = 60     # without Retry-After
STILL = 5.0         # seconds
LATE = 0.25         # for a request to wait at the server


def crawl_delay(number):
    """What robots.txt of that host asks for."""
    return {0: 2, 1: 3}.get(number % 7)


# --- the server, a process of its own ---------------------------------------

class World:
    """What the hosts answer."""

    def __init__(self, hosts, seed):
        self.names = {"h%04d.test" % n: n for n in range(hosts)}
        self.rng = random.Random(seed)

    def answer(self, name, path, at, _fields):
        """(status, headers, body, seconds until it comes, a note for the log)"""
        return *self.plain_answer(name, path, at), None

    def plain_answer(self, name, path, at):
        rng, number = self.rng, self.names[name]
        wait = rng.choice((0, 0, 0, 0.05, 0.3)) if number % 5 else rng.choice((0, 0.4, 1.5, 2.5))
        # a host in five is in trouble at times, a few requests long
        if number % 5 == 2 and rng.random() < 0.06:
            after = rng.choice((None, None, 2, 5, 20))
            return (rng.choice((429, 503)), [] if after is None else ["Retry-After: %d" % after],
                    "", wait)
        if path == "/robots.txt":
            if number % 3 == 0 and crawl_delay(number) is None:
                return 404, [], "", wait
            delay = crawl_delay(number)
            return 200, ["Cache-Control: max-age=60"], "User-agent: *\n%sSitemap: http://%s/index.xml\n" % (
                "" if delay is None else "Crawl-delay: %d\n" % delay, name), wait
        if path in ("/index.xml", "/sitemap_index.xml"):
            return 200, [], self.document("sitemapindex", "sitemap", [
                ("http://%s/s%d.xml" % (name, n), at) for n in range(SITEMAPS)]), wait
        if path.endswith(".xml") and path.startswith("/s") and path != "/sitemap.xml":
            return 200, [], self.document("urlset", "url", [
                ("http://%s%s/%d" % (name, path[:-4], n), at if n % 4 == 0 else None)
                for n in range(PAGES)]), wait
        if path.startswith("/s"):
            return 200, [], "text of %d" % rng.randrange(3), wait
        return 404, [], "", wait

    @staticmethod
    def document(root, entry, rows):
        return "<%s xmlns=\"%s\">%s</%s>" % (root, NAMESPACE, "".join(
            "<%s><loc>%s</loc>%s</%s>" % (entry, loc, "" if at is None else time.strftime(
                "<lastmod>%Y-%m-%dT%H:%M:%SZ</lastmod>", time.gmtime(at - at % 10)), entry)
            for loc, at in rows), root)


async def serve(args, world):
    """Prints the port; ends with stdin; the log is JSON, a line a request."""
    numbers = itertools.count(1)
    log = open(args.log, "w", encoding="ascii")
    late = []
    loop = asyncio.get_running_loop()

    async def client(reader, writer):
        number = None
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                begin = time.monotonic()
                lines = head.decode("latin-1").split("\r\n")
                fields = {n.lower(): v.strip() for n, _, v in (x.partition(":") for x in lines[1:])}
                path = lines[0].split(" ")[1]
                name = fields["host"].rsplit(":", 1)[0]
                status, headers, body, wait, note = world.answer(name, path, time.time(), fields)
                # who was killed waits for no answer
                while time.monotonic() < begin + wait and not reader.at_eof():
                    await asyncio.sleep(min(0.02, max(0, begin + wait - time.monotonic())))
                sent = float(fields.get("x-sent", begin))
                data, end, number = body if isinstance(body, bytes) else body.encode(), time.monotonic(), next(numbers)
                length = [] if status == 304 else ["Content-Length: %d" % len(data)]
                writer.write(("\r\n".join(["HTTP/1.1 %d X" % status, "X-Request: %d" % number] + length
                                          + headers) + "\r\n\r\n").encode() + data)
                after = next((int(h.split(": ")[1]) for h in headers if h.startswith("Retry")), None)
                log.write(json.dumps([name, min(begin, sent), end, path, status, after,
                                      fields.get("user-agent", ""), number, hashlib.sha1(data).hexdigest(), note]) + "\n")
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError, KeyError, IndexError,
                ValueError):    # the log is closed
            pass
        finally:
            writer.close()
            if number is not None and not log.closed:
                log.write(json.dumps({"closed": number, "at": time.monotonic()}) + "\n")

    async def watch():
        """How late this process is itself."""
        while True:
            begin = time.monotonic()
            await asyncio.sleep(0.01)
            by = time.monotonic() - begin - 0.01
            if by > SLACK / 4:
                late.append((begin, by))

    server = await asyncio.start_server(client, "127.0.0.1", 0, backlog=1024)
    watching = loop.create_task(watch())
    print(server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), lambda: sys.stdin.buffer.read1(100) or over.set())
    await over.wait()
    watching.cancel()
    log.close()
    print(json.dumps({"late": late}), flush=True)


# --- a fetcher ---------------------------------------------------------------

async def fetch(args):
    """Reads lines of due, prints lines for done."""
    loop = asyncio.get_running_loop()
    queues, tasks = {}, set()
    reader = asyncio.StreamReader(limit=1 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)

    def say(row):
        try:
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os._exit(1)

    async def get(page):
        _, _, rest = page["url"].partition("://")
        name, _, path = rest.partition("/")
        asked, writer = time.monotonic(), None
        try:
            answer, writer = await asyncio.open_connection("127.0.0.1", args.port)
            asked = time.monotonic()
            writer.write(("GET /%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: fetcher freshet\r\n"
                          "X-Sent: %.6f\r\n\r\n" % (path, name, asked)).encode())
            head = (await answer.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
            body = await answer.readexactly(int(fields["Content-Length"]))
            row = {"lease": page["lease"], "status": int(head[0].split(" ")[1]),
                   "content_hash": "%x" % (hash(body) & 0xffffffff)}
            if "Retry-After" in fields:
                row["retry_after"] = int(fields["Retry-After"])
        except (OSError, asyncio.IncompleteReadError):
            row = {"lease": page["lease"], "status": 0}
        finally:
            if writer is not None:
                writer.close()
        row["ms"] = int(1000 * (time.monotonic() - asked))
        say(row)
        return asked, row["status"] in (429, 503)

    last = {}   # when a host was asked last

    async def work(host):
        # the pages of `due -n` are one batch, the next one of --follow may be asked for at once
        queue, asked = queues[host], last.get(host) if args.batch else None
        while queue:
            page = queue.popleft()
            if asked is not None:
                await asyncio.sleep(max(0, asked + page["delay_ms"] / 1000 - time.monotonic()))
            asked, is_limited = await get(page)
            last[host] = asked
            if is_limited and queue:
                leases = [p["lease"] for p in queue]
                queue.clear()
                process = await asyncio.create_subprocess_exec(
                    BINARY, "release", *leases, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                await process.wait()
        del queues[host]

    while True:
        line = await reader.readline()
        if not line:
            break
        page = json.loads(line)
        if page["host"] in queues:
            queues[page["host"]].append(page)
            continue
        queues[page["host"]] = collections.deque([page])
        task = loop.create_task(work(page["host"]))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    while tasks:
        await asyncio.wait(list(tasks))


# --- all of it ---------------------------------------------------------------

class Soak:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(args.seed)
        self.program = Program()
        self.program.is_hasty = False
        self.faults = []
        self.excused = 0            # faults after the machine stood still
        self.kills = collections.Counter()
        self.killed_run = []        # when the signal was sent, and when the process had ended
        self.still = []             # when the machine went on after it stood still
        self.log = tempfile.NamedTemporaryFile(prefix="politeness-", suffix=".log")
        self.killed = []            # for who looks for the cause of a fault
        self.errors = open(os.path.join(self.program.folder, "errors"), "wb")
        self.acks = collections.defaultdict(list)   # url: when done acknowledged it
        self.server = self.popen([sys.executable, os.path.realpath(sys.argv[0]), "--serve", "--log", self.log.name,
                                  "--hosts", str(args.hosts), "--seed", str(args.seed)],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.server.stdout.readline())
        self.run = None
        self.lines = {"follow": [], "batch": []}

    def popen(self, words, **kwargs):
        return subprocess.Popen(words, env=self.program.environment({"FRESHET_BIN": BINARY}),
                                cwd=self.program.folder, stderr=kwargs.pop("stderr", None),
                                preexec_fn=parent_death.with_parent(signal.SIGKILL), **kwargs)

    def begin_run(self):
        self.run = self.popen([BINARY, "run", "--connect-to", "::127.0.0.1:%d" % self.port,
                               "--retry", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)

    def begin_line(self, name):
        due = self.popen([BINARY, "due", "--lease", "%ds" % LEASE]
                         + (["--follow"] if name == "follow" else ["-n", "40", "--wait", "1s"]),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors)
        fetcher = self.popen([sys.executable, os.path.realpath(sys.argv[0]), "--fetch", "--port", str(self.port)]
                             + (["--batch"] if name == "batch" else []),
                             stdin=due.stdout, stdout=subprocess.PIPE, stderr=self.errors)
        done = self.popen([BINARY, "done"], stdin=fetcher.stdout, stdout=subprocess.PIPE, stderr=self.errors)
        threading.Thread(target=self.note_acks, args=(done.stdout,), daemon=True).start()
        due.stdout.close()
        fetcher.stdout.close()
        self.lines[name] = [due, fetcher, done]

    def note_acks(self, lines):
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue    # its process was killed
            if row.get("ack") == "OK":
                self.acks[row["url"]].append(time.monotonic())

    def keep_going(self):
        """Begin again what has ended."""
        if self.run.poll() is not None:
            self.begin_run()
        for name, line in self.lines.items():
            ended = [p for p in line if p.poll() is not None]
            if len(ended) == len(line):
                self.begin_line(name)

    def kill(self):
        """Kill one process; a pipeline without it ends by itself."""
        name = self.rng.choice(("run", "run", "due", "fetcher", "done"))
        line = self.lines[self.rng.choice(sorted(self.lines))]
        process = self.run if name == "run" else line[("due", "fetcher", "done").index(name)]
        number = self.rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
        if process.poll() is None:
            sent = time.monotonic()
            process.send_signal(number)
            process.wait(30)
            if name == "run":
                self.killed_run.append((sent, time.monotonic()))
            elif name == "due" or name == "fetcher" or number == signal.SIGKILL:
                # a fetcher that is gone leaves due alone with its pipe
                for other in line if name == "fetcher" else ():
                    if other.poll() is None and other is line[0]:
                        other.send_signal(signal.SIGTERM)
            self.kills["%s %d" % (name, number)] += 1
            self.killed.append((sent, name, number))

    def soak(self):
        names = os.path.join(self.program.folder, "sites")
        with open(names, "w", encoding="ascii") as f:
            f.writelines("http://h%04d.test/\n" % n for n in range(self.args.hosts))
        added = self.program.run("add", "-i", names, "--every", "8s..20s", "--pages-every", "20s..40s")
        assert added.status == 0, str(added)
        self.begin_run()
        for name in self.lines:
            self.begin_line(name)
        end = time.monotonic() + 60 * self.args.minutes
        next_kill = time.monotonic() + 8
        looked = time.monotonic(), time.time()
        while time.monotonic() < end:
            time.sleep(0.05)
            before, looked = looked, (time.monotonic(), time.time())
            steps = looked[0] - before[0], looked[1] - before[1]
            if max(steps) > STILL or abs(steps[0] - steps[1]) > 1:
                self.still.append(looked[0])
            self.keep_going()
            if time.monotonic() > next_kill:
                self.kill()
                next_kill = time.monotonic() + self.rng.uniform(2, 8)
        self.end_all()
        out = self.server.communicate(timeout=20)[0]
        self.late = json.loads(out)["late"]
        with open(self.log.name, encoding="ascii") as f:
            lines = [json.loads(line) for line in f]
        self.rows = [line for line in lines if isinstance(line, list)]
        # by the number of the last answer of a connection: when its client had closed it
        self.closed = {line["closed"]: line["at"] for line in lines if isinstance(line, dict)}

    def end_all(self):
        for process in [self.run] + sum(self.lines.values(), []):
            if process.poll() is None:
                process.kill()
                process.wait()

    # --- the verdict ---

    def lateness(self, *times):
        """By how much the server may have been late with the first of these."""
        return max((by for at in times for begin, by in self.late[
            bisect.bisect_left(self.late, [at - 2]):bisect.bisect_left(self.late, [at + 0.1])]
            if begin + by + 0.05 > at), default=0)

    def fault(self, kind, host, at, text):
        if self.is_still_near(at):
            self.excused += 1
        else:
            self.faults.append((kind, "%s: %s" % (host, text)))

    def is_killed_near(self, begin, end):
        """Was the process killed that asked then, or in the second after its
        answer?  On a busy machine it ends some time after the signal, and the
        server reads what it has sent some time after that."""
        i = bisect.bisect_left(self.killed_run, begin - LATE, key=lambda times: times[1])
        return i < len(self.killed_run) and self.killed_run[i][0] < end + 1

    def is_still_near(self, at):
        """May leases have ended while the machine stood still?"""
        return any(when - STILL < at < when + LEASE for when in self.still)

    def known_at(self, row):
        """When freshet knew of that answer, if it is certain that it did."""
        host, begin, end, path, _, _, agent = row[:7]
        if "fetcher" not in agent:
            return None if self.is_killed_near(begin, end) else end
        times = self.acks["http://%s%s" % (host, path)]
        i = bisect.bisect_left(times, end - 0.05)
        return times[i] if i < len(times) and times[i] < end + 3 else None

    def judge_host(self, host, rows, counts):
        delay = 1.0
        before = None
        held = None     # (until, who said so, when freshet knew)
        for row in rows:
            _, begin, end, path, status, after, agent = row[:7]
            what = "%s %s at %.3f" % ("page" if "fetcher" in agent else "document", path, begin)
            if before is not None:
                counts["gaps"] += 1
                counts["least"] = min(counts["least"], begin - before[1] - delay)
                if begin < before[2] - SLACK / 10 - self.lateness(before[2]):
                    self.fault("overlap", host, begin, "%s begins before %s ended, at %.3f" % (what, before[3], before[2]))
                counts["excused"] += delay - SLACK > begin - before[1] >= delay - SLACK - self.lateness(before[1])
                if begin - before[1] < delay - SLACK - self.lateness(before[1]):
                    self.fault("gap", host, begin, "%.3f s before %s, after %s; %.0f s are its delay" % (
                        begin - before[1], what, before[3], delay))
            # what was sent before freshet knew is right
            if held is not None and held[2] < begin < held[0]:
                self.fault("hold", host, begin, "%s, %.1f s before the end of the hold by %s" % (
                    what, held[0] - begin, held[1]))
            # the first one may have been lost with a process that was killed
            if path == "/robots.txt" and status == 200 and not self.is_killed_near(begin, end):
                delay = float(crawl_delay(int(host[1:5])) or 1)
            if status in (429, 503):
                counts["limited"] += 1
                known = self.known_at(row)
                if known is not None:
                    until = end + (HOLD_LEAST if after is None else after) - 1
                    held = max(held or (0, "", 0), (until, "%s (%d, %s)" % (what, status, after), known))
                    counts["holds"] += 1
            if before is None or end > before[2] or begin > before[1]:
                before = (begin, begin, max(end, before[2] if before else end), what)

    def judge(self):
        hosts = collections.defaultdict(list)
        for row in self.rows:
            hosts[row[0]].append(row)
        counts = collections.Counter(least=10.0)
        for host, rows in sorted(hosts.items()):
            self.judge_host(host, sorted(rows, key=lambda r: r[1]), counts)
        pages = sum("fetcher" in row[6] for row in self.rows)
        both = sum(len({"fetcher" in r[6] for r in rows}) == 2 for rows in hosts.values())
        print("%d hosts, %d of them asked for documents and pages; %d documents, %d pages, %d answers 429 or 503, "
              "%d holds judged; killed: %s; the least gap is %.0f ms longer than its delay; the server was late by "
              "%.0f ms at most, which excuses %d gaps" % (len(hosts), both, len(self.rows) - pages, pages, counts["limited"],
                                   counts["holds"], dict(self.kills), 1000 * counts["least"], 1000 * max((by for _, by in self.late), default=0), counts["excused"]))
        if self.still:
            print("the machine stood still %d times, which excuses %d faults" % (len(self.still), self.excused))
        for kind, text in self.faults[:40]:
            print("%s: %s" % (kind, text))
        kinds = collections.Counter(kind for kind, _ in self.faults)
        checks = {"still": len(self.still) * LEASE <= 6 * self.args.minutes or not self.excused,
                  "overlap": not kinds["overlap"], "gap": not kinds["gap"], "hold": not kinds["hold"],
                  "enough": both >= 0.8 * self.args.hosts and pages > 2 * self.args.hosts
                  and len(self.rows) - pages > 4 * self.args.hosts}
        print(", ".join("%s %d" % (kind, count) for kind, count in kinds.items()) or "nothing is wrong")
        failed = [name for name, is_right in checks.items() if not is_right]
        print("%d passed, %d failed%s" % (len(checks) - len(failed), len(failed),
                                          ": " + ", ".join(failed) if failed else ""))
        return not failed

    def close(self):
        if self.args.keep:
            os.makedirs(self.args.keep, exist_ok=True)
            with open(os.path.join(self.args.keep, "kills"), "w", encoding="ascii") as f:
                f.writelines("%.3f %s %d\n" % row for row in self.killed)
            for path, name in ((self.log.name, "server.log"), (os.path.join(self.program.folder, "errors"), "errors"),
                               (self.program.store, "store.db")):
                with open(path, "rb") as src, open(os.path.join(self.args.keep, name), "wb") as to:
                    to.write(src.read())
        self.program.close()


def main(soak_of=Soak, world_of=World):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=1.5)
    parser.add_argument("--hosts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fetch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--batch", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--log", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve or args.fetch:
        asyncio.run(serve(args, world_of(args.hosts, args.seed)) if args.serve else fetch(args))
        return 0
    soak = soak_of(args)
    try:
        soak.soak()
        is_right = soak.judge()
    finally:
        soak.close()
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
