"""Runs one fault against the program, and checks what every case must keep
to."""
import json
import os
import re
import subprocess
import sys
import time
import traceback

import late
from clock import Clock
from origin import raise_descriptors
from program import BINARY, HOOKED, NO_HOOKS, TOP, Program
from scene import FAULTS, World, load

MEASURED = os.path.join(TOP, "tests", "tools", "measured.py")
PRINTABLE = re.compile(rb"[\x20-\x7e\n]*")
if not os.access(BINARY, os.X_OK):
    raise SystemExit("there is no binary '%s'" % BINARY)
with open(BINARY, "rb") as _f:
    # memory and time of a binary with AddressSanitizer are not judged
    IS_ASAN = b"__asan_init" in _f.read()


class Run:
    """A crawl, or another command, that has ended."""

    def __init__(self, command, begin, out, err, report):
        self.command = command
        self.begin = begin
        self.out = out
        self.err = err
        self.status = report["status"]
        self.rss_mib = report["rss_kib"] / 1024
        self.cpu_s = report["cpu_s"]
        self.wall_s = report["wall_s"]
        self.is_late = report["is_late"]
        # waiting while other processes had the processors; the servers of a crawl waited, too
        self.waited_s = report["waited_s"]
        self.records = []
        self.broken = []
        for line in out.split(b"\n")[:-1]:
            try:
                self.records.append(json.loads(line))
            except ValueError:
                self.broken.append(line)

    def __str__(self):
        return "freshet %s: status %d, %.1f s, waited %.1f s, CPU %.2f s, %.0f MiB\n%s%s" % (
            " ".join(self.command), self.status, self.wall_s, self.waited_s, self.cpu_s,
            self.rss_mib,
            self.out.decode("utf-8", "replace")[-3000:],
            self.err.decode("utf-8", "replace")[-1500:])

    @property
    def own_s(self):
        """Returns how long it took, without the time that the machine spent on
        other work."""
        return self.wall_s - self.waited_s

    @property
    def summary(self):
        return next((r for r in self.records if r.get("type") == "summary"), {})

    def record(self, url):
        """Returns the last record of that document, or {}."""
        return next((r for r in reversed(self.records)
                     if r.get("type") == "document" and r.get("url") == url), {})

    def findings(self, url):
        """Returns {code: text} of that document."""
        return {f["code"]: f["text"] or "" for f in self.record(url).get("findings", [])}


def measured(program, *args, env=None, seconds=30, descriptors=None):
    """Run the command to its end, or until it has taken this long; returns a
    Run."""
    report = os.path.join(program.folder, "measured.json")
    begin = time.monotonic()
    limit = ["prlimit", "--nofile=%d" % descriptors] if descriptors else []
    done = subprocess.run(
        limit + [sys.executable, "-IS", MEASURED, report, str(seconds), program.binary, *args],
        env=program.environment(env), cwd=program.folder, stdin=subprocess.DEVNULL,
        capture_output=True)
    with open(report, encoding="ascii") as f:
        return Run(args, begin, done.stdout, done.stderr, json.load(f))


def output_faults(run):
    """O1, O2: the output has nothing that a terminal would obey, and JSON is
    valid."""
    faults = []
    for stream, data in (("stdout", run.out), ("stderr", run.err)):
        rest = data[PRINTABLE.match(data).end():]
        if rest:
            faults.append("%s has %r" % (stream, rest[:20]))
    if ("--json" in run.command or "jsonl" in run.command) and run.broken:
        faults.append("no JSON: %r" % run.broken[:1])
    return faults


class Trial:
    """A fault, its world and a store of its own."""

    def __init__(self, fault, is_full):
        self.fault = fault
        self.world = World(is_full)
        self.program = self.world.program = Program()
        self.runs = []
        self.skipped = ""  # why
        self.world.command = self.other
        self.world.sql = lambda query: self.command("sql", "-f", "json", query).records

    def close(self):
        if self.world.clock is not None:
            self.world.clock.close()
        self.program.close()
        self.world.close()

    def command(self, *args, **kwargs):
        """Run another command as measured() does, and judge it."""
        run = measured(self.program, *args, **kwargs)
        for text in output_faults(run):
            self.world.fail("%s", text)
        return run

    def other(self, *args, **kwargs):
        """Run a command for people: its own words may be UTF-8, but all must be
        printable."""
        run = measured(self.program, *args, **kwargs)
        for stream, data in (("stdout", run.out), ("stderr", run.err)):
            wrong = [c for c in data.decode() if c != "\n" and not c.isprintable()]
            self.world.check(not wrong, "freshet %s: %s has %r", " ".join(args), stream, wrong[:5])
        return run

    # --- by construction ------------------------------------------------------

    def crawl(self):
        world = self.world
        for one in world.net.origins:
            one.requests = []
        waited_s = world.net.waited_s()
        run = self.command("crawl", "--json", "--progress", "off",
                           "--allow-address", "127.0.0.1/32", *world.args,
                           world.healthy.url("/"), *world.targets, env=world.env,
                           seconds=2 * world.wall_s + 10, descriptors=world.descriptors)
        run.waited_s += world.net.waited_s() - waited_s
        self.runs.append(run)
        self.judge_crawl(run)
        return run

    def judge_crawl(self, run):
        world, check, check_time = self.world, self.world.check, self.world.check_time
        check_time(not run.is_late, "does not end")
        check_time(run.own_s <= world.wall_s or late.is_busy(), "took %.1f s, more than %g", run.own_s, world.wall_s)
        if not IS_ASAN:
            check_time(run.cpu_s <= world.cpu_s, "took %.2f s of CPU, more than %g",
                       run.cpu_s, world.cpu_s)
            check(run.rss_mib <= world.rss_mib, "a process had %.1f MiB, more than %g",
                  run.rss_mib, world.rss_mib)
        for listener in world.net.forbidden:
            check(listener.accepted == 0, "%s, which is forbidden, was connected to", listener)
        fsck = self.command("db", "fsck")
        check(fsck.status == 0, "db fsck: %s", fsck)
        listed = world.listed = self.listed()
        self.judge_healthy(run, listed)
        is_bad = False
        for document in world.documents:
            is_bad |= self.judge_document(run, document, listed)
        wanted = world.status if world.status is not None else 1 if is_bad else 0
        check(run.status == wanted, "exit status %d, not %d", run.status, wanted)

    def listed(self):
        export = self.command("export", "-f", "jsonl")
        self.world.check(export.status == 0, "export: %s", export)
        return sorted({r["loc"] for r in export.records if r["refused"] is None})

    def judge_healthy(self, run, listed):
        world = self.world
        site = world.healthy
        root = site.url("/")
        found = [u for u in listed if u.startswith(root)]
        world.check(found == world.healthy_urls, "the healthy site: %d of %d URLs",
                    len(found), len(world.healthy_urls))
        if world.is_resumed:
            return
        # a second crawl asks for the same document, and is told that it is unchanged
        last = max((r.at for r in site.requests), default=run.begin + world.healthy_s + 1)
        world.check(last - run.begin <= world.healthy_s + run.waited_s,
                    "the healthy site was kept waiting for %.1f s", last - run.begin)

    def judge_document(self, run, document, listed):
        """Is the result as bad as it should be? Returns True if the document is
        not read as a whole."""
        wanted, record = document.wanted, run.record(document.url)
        found = run.findings(document.url)
        name = document.name

        def check(is_so, text, *details):
            self.world.check(is_so, name.replace("%", "%%") + ": " + text, *details)

        assert wanted is not None, "nothing is expected of " + document.url
        if not record:
            check(False, "nothing is said of it")
            return True
        one_of = wanted["failure"] or wanted["partial"] or wanted["lost"] or ()
        one_of = (one_of,) if isinstance(one_of, str) else one_of
        if wanted["failure"] or (wanted["lost"] and record["outcome"] == "failed"):
            check(record["outcome"] in ("failed", "refused") and record["failure"] in one_of,
                  "%s with %s, not failed with %s", record["outcome"], record["failure"], one_of)
        else:
            check(record["outcome"] in ("read", "unchanged"), "is %s: %s",
                  record["outcome"], record["failure"])
            check(record["complete"] == wanted["clean"], "complete is %s", record["complete"])
        said = [found[c] for c in one_of if c in found]
        check(said or not one_of, "none of %s in %s", one_of, found)
        check(wanted["says"] in " ".join(said), "%r does not say %r", said, wanted["says"])
        for code in wanted["codes"]:
            check(code in found, "%s is not in %s", code, found)
        root = document.origin.url("/")
        urls = [u for u in listed if u.startswith(root)]
        check(urls == wanted["urls"], "lists %d, %s, not %d, %s", len(urls), urls[:9],
              len(wanted["urls"]), wanted["urls"][:9])
        requests = len(document.origin.asked(document.path))
        most = wanted["most_requests"]
        check(most is None or requests <= most, "asked for %d times, not %s", requests, most)
        return not wanted["clean"]

    # --- the case -------------------------------------------------------------

    def go(self):
        made = self.fault.begin(self.world)
        if (self.world.has_clock or self.world.has_hooks) and NO_HOOKS:
            self.skipped = NO_HOOKS
            return
        if self.world.has_hooks:
            self.program.binary = HOOKED
        if self.world.has_clock:
            self.world.clock = Clock(self.program.folder)
            self.program.variables.update(self.world.clock.variables)
            self.program.binary = HOOKED
        run = self.crawl()
        while made is not None:
            try:
                made.send(run)
            except StopIteration:
                break
            run = self.crawl()


def judge(name, is_full):
    """Returns (id, seconds, cases, what is wrong, the last crawl, why it was
    skipped), for another process."""
    raise_descriptors()
    if not FAULTS:
        load()
    begin = time.monotonic()
    trial = Trial(FAULTS[name], is_full)
    try:
        trial.go()
    except Exception as error:  # pylint: disable=broad-except
        trial.world.fail("%r\n%s", error, traceback.format_exc())
    finally:
        trial.close()
    return (name, time.monotonic() - begin, max(1, trial.world.sub_cases), trial.world.faults,
            str(trial.runs[-1]) if trial.runs else "", trial.skipped)
