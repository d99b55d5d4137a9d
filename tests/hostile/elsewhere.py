"""The faults of docs/internals/HOSTILE.md that are no server's: of disks, processes,
memory, clocks, tools, and PostgreSQL.  Other folders of tests show them; here
stands which.

A test is a kind and what to run of it:

    cli         tests/cli/run NAME
    durability  tests/durability/run quick NAME, or part with --full
    large       tests/durability/run part NAME
    unit        FOLDER MODULE: unit-FOLDER of the hooked build
    program     a command of the tree; {full|quick} has two forms

Each test of a fault has to pass; off takes its defences out, as those of a server.
"""
import os
import re
import subprocess
import time

import scene
from program import BINARY, HOOKED, TOP

SECONDS = 1200  # that a test may take
COUNT = re.compile(r"^(\d+) passed, (\d+) failed$", re.M)
HOSTILE = os.path.join(TOP, "docs", "internals", "HOSTILE.md")
FAULTS = {}


class Elsewhere:
    """A fault, as scene.Fault is; off is empty where a program shows by
    itself that it can fail: mutants/selftest, fuzz/plants."""

    is_crowd = False
    tier = "full"

    def __init__(self, name, does, good, tests, off):
        self.name = name
        self.does = does
        self.good = good
        self.tests = [tuple(t.split(None, 1)) for t in tests]
        self.off = (off,) if isinstance(off, str) else tuple(off)

    def shown_by(self):
        return ", ".join("`%s`" % command_text(kind, what) for kind, what in self.tests)


def add(name, does, good, *tests, off=()):
    assert name not in FAULTS and tests, name
    FAULTS[name] = Elsewhere(name, does, good, tests, off)


# --- disk: actions of section 4.7

add("S1", "(disk) refuses any system call, once or from then on: full, or broken",
    "ends with status 7, keeps what was committed; the next run completes it",
    "durability test_faults.FirstCrawlFaults", "durability test_faults.RecrawlFaults",
    "durability test_faults.ReadFaults", "durability test_faults.BodyFaults", off="disk-status")
add("S2", "(disk) fails to synchronise, once",
    "takes that commit for failed, and never tells of it",
    "durability test_faults.SyncFaults", off="sync-full")
add("S3", "(disk) loses its power: what was not synchronised is gone, sectors are torn",
    "loses nothing that was acknowledged, and keeps nothing in part",
    "durability test_powercut", off="sync-full")
add("S4", "(disk) has a limit for the size of a file",
    "ends with status 7, and is not ended by the signal",
    "durability test_full.FileSize", "cli test_db.Backup.test_disk_full", off="file-size-signal")
add("S5", "(disk) has no byte left, in earnest",
    "ends with status 7; with room the next run completes it",
    "durability test_full.SmallDisk.test_full", off="disk-status")
add("S6", "(disk) allows the database no further page",
    "writes, finds and promises nothing further", "unit store store", off="disk-status")
add("S7", "(disk) has less room than the store must leave, at the start or later",
    "stops before the disk is full, with status 7",
    "durability test_full.SmallDisk.test_floor", "unit store store", off="disk-floor")
add("S8", "(disk) has a folder, a link, a FIFO, another database or a newer store at its place",
    "ends with status 2 or 6 and one clear line, and changes nothing",
    "cli test_bad_input.Stores", "unit store store", off="store-path")
add("S9", "(disk) changes any byte of a store",
    "reads it or ends with status 6, says where, and never dies of it",
    "durability test_damaged", "unit store/fsck fsck", "cli test_db.Fsck.test_flipped_bytes",
    off="integrity-check")
add("S10", "(disk) loses the log or its index, or has another store's, or a hot journal",
    "recovers the store, or ends with status 6; nothing else is lost",
    "cli test_db.Log", off="old-log")
add("S11", "(neighbour) is a second writer", "lets one of them write, by the lock of the system",
    "unit store store", "cli test_db.Lock.test_held", off="store-lock")
add("S12", "(neighbour) reads while documents are written",
    "shows whole documents only, and holds nobody up",
    "durability test_reader.Watched", off="one-transaction")
add("S13", "(neighbour) reads for so long that the log cannot begin anew",
    "cuts the log back when the reader has gone", "unit store store", off="log-limit")
add("S14", "(kill -9) ends a migration before any statement of any step",
    "leaves what was there before, and migrates the next time",
    "unit store schema", off="migrate-whole")
add("S15", "(disk) holds a store of ten million URLs",
    "begins at once, and looks at all of it in bounded time and memory",
    "large test_large", off="bounded-cache")
add("S16", "(operator) makes a copy while documents are written",
    "copies a state that the crawl went through, and fsck finds nothing",
    "cli test_db.Backup.test_while_a_crawl_writes", off="copy-done")
add("S17", "(kill -9, disk, power) strikes again while the store is recovered or repaired",
    "recovers as if nothing had happened in between: nothing acknowledged is lost, and a repair is whole",
    "durability test_recovery", "durability test_powercut", off="sync-full")

# --- processes: section 4.8

add("P1", "(kill -9) ends the main process at random, beside a reader that stays, too",
    "keeps what it acknowledged; the next run asks for the rest alone",
    "durability test_kill.FirstCrawl", "durability test_kill.Recrawl",
    "durability test_kill.BesideReader", off="ack-after-commit")
add("P2", "(kill -9) ends it before each system call that touches the store",
    "keeps what it acknowledged; the next run asks for the rest alone",
    "durability test_faults.FirstCrawlKill", "durability test_faults.RecrawlKill", off="ack-after-commit")
add("P3", "(kill -9) ends a writer some steps into its next commit",
    "has every reading that was acknowledged, and no part of another",
    "unit store store", off="one-transaction")
add("P4", "(kill -9) ends readers, and the process that forks them",
    "starts another reader; without who forks ends with status 9, and the next run goes on",
    "durability test_helpers", "unit crawler/sandbox readers_faults", off="reader-again")
add("P5", "(kill -9) ends the main process beside its readers",
    "leaves no process behind", "cli test_interrupt.Interrupt.test_no_orphans",
    "unit crawler/sandbox readers_faults", off="end-with-main")
add("P6", "(operator) sends SIGTERM or SIGINT, once or twice",
    "ends with 143 or 130 in time, the second time at once; the next run goes on",
    "cli test_interrupt.Interrupt.test_ctrl_c", "cli test_interrupt.Interrupt.test_sigterm",
    "cli test_interrupt.Interrupt.test_silent_server", "cli test_fetch.Owners.test_second_interrupt",
    off="second-signal")
add("P7", "(machine) stops and continues it, sends a thousand signals a second, or closes its output",
    "goes on, or ends by what ends a process; no system call fails for it",
    "durability test_process.Signals", "cli test_bad_input.Usage.test_closed_stdout", off="closed-pipe")
add("P8", "(machine) gives 16 to 100 descriptors",
    "is slower and complete, or ends with status 8", "cli test_many_hosts.Descriptors",
    off="descriptors")
add("P9", "(machine) gives a reader no more memory", "fails that document alone",
    "cli test_sandbox.Planted.test_memory", "unit crawler/sandbox readers_faults", off="reader-memory")
add("P10", "(machine) can fork no reader, for a while or at all",
    "tries again, then ends; no document is to blame",
    "cli test_sandbox.NoReader", "unit crawler/sandbox readers", off="fork-again")

add("P11", "(operator) leads its outputs to a full disk, or closes descriptors 0, 1 and 2",
    "ends with status 7, and takes no file of the store for an output",
    "durability test_process.Outputs", off="standard-descriptors")
add("P12", "(machine) has an odd locale, zone, home, umask, or a megabyte of environment",
    "stores the same, which nobody else may write",
    "durability test_process.Environments", off="store-mode")
add("P13", "(a month) has a thousand sites, servers that fail, and readers that are killed",
    "reads each site each day; memory, descriptors and processes do not grow",
    "large test_soak", off="lines-freed")
add("P14", "(operator) begins four crawls in the same second",
    "makes one store, and lets one of them write",
    "durability test_process.AtOnce.test_same_second", off="store-lock")
add("P15", "(disk) has a lock file that names a process which lives",
    "goes by the lock of the system, and not by the file",
    "durability test_process.AtOnce.test_stale_lock", "durability test_process.AtOnce.test_dead_owner",
    off="store-lock")

# --- clock: section 4.6

add("I9", "(clock) goes back and forward by hours and years, also while it runs",
    "says so; times in the store never go back, and no host is asked more often",
    "cli test_over_days.WrongClock", "cli test_over_days.LeftAlone.test_clock_set_back",
    off="clock-back")
add("I10", "(a year) has hosts that are dead, busy and slow, and a clock that leaps",
    "asks no host above its rate, nothing waits beyond its ceiling, memory is bounded",
    "unit sched scheduler_year", off="host-rate")

# --- clients of `serve`: section 4.9

add("D13", "says that it is a hub, or is one that lies",
    "answers 404, 403 or plain text; no hint is taken, and nobody is asked",
    "cli test_hints.Hubs", off="hub-signature")

# --- allocations and tools: section 4.10

add("L1", "(machine) has no memory for an allocation of any library, once or from then on",
    "ends with status 8 and one line; the next run completes it; a reader costs its document",
    "durability test_memory", off=("json-memory", "curl-memory", "sqlite-memory"))
add("L3", "(a change) brings a banned call or what compilers warn of",
    "is not taken: the lint names the line", "program tests/lint/run", off="banned-call")
add("L4", "(a change) brings a branch of the rules that no test takes",
    "is not taken: the coverage names it", "program tests/coverage/run", off="untested-branch")
add("L5", "(a change) has one of the faults that a program plants into the rules",
    "is noticed by the tests, 95 of 100 at least",
    "program tests/mutants/run --count {40|4}")
add("L6", "(fuzzers) send what nobody thought of to whatever reads foreign bytes",
    "crashes nowhere and breaks no promise", "program tests/fuzz/run --time {10|1}")

# --- a store in PostgreSQL: section 4.12

add("M1", "(kill -9) ends a worker", "starts another one; nothing is lost",
    "cli test_machines_keeper.Death.test_worker", off="keeper-again")
add("M2", "(kill -9) ends a keeper", "ends its workers, which give their shards",
    "cli test_machines_keeper.Death.test_keeper", off="keeper-gone")
add("M3", "(power) ends a machine", "takes its shards over when the lease is over, and keeps delays",
    "cli test_machines_keeper.Share.test_two", "cli test_depot_hosts.Hosts.test_holder_dies", off="depot-lease")
add("M4", "(machine) is suspended for longer than a lease",
    "asks no host and commits nothing before PostgreSQL says that the shard is its own",
    "cli test_depot.Trouble.test_paused", "cli test_depot.Trouble.test_stale", "cli test_depot_hosts.Hosts.test_pause",
    off="depot-valid")
add("M5", "(machine) stands still in the middle of a COMMIT",
    "ends that connection after a lease, for who needs the shard",
    "cli test_depot_trouble.Take.test_stopped_in_a_commit", off="depot-evict")
add("M6", "(PostgreSQL) is killed and comes back", "waits, finds out what was committed, and goes on",
    "cli test_depot.Trouble.test_restart", "cli test_machines_keeper.Death.test_server", off="depot-ack")
add("M7", "(PostgreSQL) is lost, and its standby promoted", "loses nothing",
    "program tests/machines/kills --seconds {60|20} --chaos promote", off="depot-ack")
add("M8", "(network) cuts connections, in the middle of a COMMIT, too", "makes each COMMIT once",
    "cli test_depot.Trouble.test_cut", off="depot-ack")
add("M9", "(PostgreSQL) is full, read only or locked", "waits for it",
    "cli test_depot_trouble.Server.test_read_only", "cli test_depot_trouble.Server.test_locked",
    "cli test_depot_trouble.Server.test_full", off="depot-passing")
add("M10", "(PostgreSQL) refuses a COMMIT again and again", "ends after eight times, and says why",
    "cli test_depot_trouble.Server.test_refused", off="depot-refusals")
add("M11", "(operator) removes rows with psql", "misses them with the next COMMIT, and fsck names them",
    "cli test_depot_trouble.Server.test_rows_are_gone", "cli test_machines_look.Fsck", off="depot-rows")
add("M12", "(clock) of a machine differs by more than 10 s", "takes no shard, or gives what it has",
    "cli test_depot_trouble.Clock", off="depot-clock")
add("M13", "(disk) damages a cache", "fills it anew", "cli test_depot.Rows.test_damaged_cache", off="depot-cache")
add("M14", "(a shard) kills its workers", "leaves it alone for ten minutes, on all machines",
    "cli test_machines_keeper.Death.test_poisoned", off="keeper-alone")
add("M15", "(operator) has machines of two versions, or kills a migration",
    "touches no newer shard and says so; a shard is of one schema",
    "cli test_machines_migrate.Roll", "cli test_machines_migrate.Killed", off="depot-schema")
add("M16", "(operator) writes a password into a URL, or has a certificate that nobody trusts",
    "refuses it, and says what to do", "cli test_depot.Init.test_unfit", "cli test_depot_trouble.Tls",
    off="depot-password")
add("M17", "(a server) sends text that PostgreSQL does not take", "keeps U+FFFD, and says so",
    "cli test_depot_hosts.Commits.test_text", off="depot-text")
add("M18", "(a letter) makes no sense", "answers it in the log, and does the next one",
    "cli test_machines_router.Here.test_mail", off="mail-unknown")
add("M19", "(operator) asks for a shard that nobody holds, or another machine",
    "notes it in PostgreSQL, and says so", "cli test_machines_router.Elsewhere", off="mail-posted")


# --- running them -----------------------------------------------------------------

def command_text(kind, what):
    if kind == "program":
        return what.replace("tests/", "", 1).partition("{")[0].strip()
    return "%s %s" % ("durability" if kind == "large" else kind, what)


def command(kind, what, is_full, build):
    """The words of it, from the top of the tree."""
    if kind == "cli":
        return ["tests/cli/run", "-j", "1"] + what.split()
    if kind in ("durability", "large"):
        tier = "part" if is_full or kind == "large" else "quick"
        return ["tests/durability/run", "-j", "1", tier] + what.split()
    if kind == "unit":
        folder, module = what.split()
        return [os.path.join(build, "tests", "unit", "unit-" + folder.replace("/", "-")), module]
    assert kind == "program", kind
    return re.sub(r"\{([^|]*)\|([^}]*)\}", r"\1" if is_full else r"\2", what).split()


def targets(faults):
    """What ninja must build for them, beside the program."""
    found = []
    for fault in faults:
        for kind, what in fault.tests if fault.name in FAULTS else ():
            if kind == "unit":
                found.append("tests/unit/unit-" + what.split()[0].replace("/", "-"))
            if what == "test_memory":
                found.append("tests/tools/memory.so")
            if what == "test_powercut":
                found.append("tests/durability/powercut")
            if what.startswith("test_machines_migrate"):
                found.append("tests/tools/freshet-next")
            if what.startswith(("test_depot_hosts", "test_depot_trouble")):
                found.append("tests/tools/depot-peer")
    return sorted(set(found))


def run_test(kind, what, is_full, tree, build, variables=None):
    """(passed, what is wrong, why it was skipped) of one test."""
    try:
        done = subprocess.run(
            command(kind, what, is_full, build), cwd=tree, env=variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 0, "does not end", ""
    said = done.stdout.decode("utf-8", "replace")
    counts = COUNT.findall(said)
    good, bad = map(int, counts[-1]) if counts else (int(done.returncode == 0), int(done.returncode != 0))
    skipped = re.findall(r"^skipped (.*)$", said, re.M)
    if done.returncode == 0 and bad == 0 and good > 0:
        return good, "", ""
    if bad == 0 and skipped:
        return 0, "", skipped[0]
    return good, reason(said) or "ends with %d" % done.returncode, ""


def reason(said):
    """What the output says first of what is wrong."""
    for pattern in (r"^(?:\w+Error|AssertionError\w*): .*", r"^.*(?:FAILED|FAIL|ERROR).*", r"^.*error.*"):
        found = re.search(pattern, said, re.M)
        if found:
            return found[0].strip()[:200]
    return "\n".join(said.splitlines()[-3:])


def judge(name, is_full, tree=TOP, build=None):
    """As trial.judge."""
    begin, cases, wrong, why = time.monotonic(), 0, [], ""
    build = build or os.path.dirname(os.path.dirname(HOOKED if os.path.exists(HOOKED) else BINARY))
    for kind, what in FAULTS[name].tests:
        count, fault, skipped = run_test(kind, what, is_full, tree, build)
        cases += count
        why = why or skipped and "%s: %s" % (what, skipped)
        if fault:
            wrong.append("%s: %s" % (command_text(kind, what), fault))
    return name, time.monotonic() - begin, max(1, cases), wrong, "", "" if cases else why


# --- which there are ----------------------------------------------------------------

def ids():
    """Every id of section 4 of HOSTILE.md, in order."""
    with open(HOSTILE, encoding="utf-8") as f:
        text = f.read()
    text = text[text.index("\n## 4. "):text.index("\n## 5. ")]
    found = set()
    for line in text.split("\n"):
        if line.startswith("| "):
            found.update(re.findall(r"(?:^\| |; |, |\band )([%s]\d{1,2})(?: (?=\S)| \|)" % scene.KINDS, line))
        else:
            found.update(re.findall(r"(?::|·)\*{0,2} (V\d) ", line))
            found.update(re.findall(r"^growth · (V\d) ", line))
    return sorted(found, key=scene.order)


def missing(have):
    """What of them nothing shows, and what is shown that none of them is."""
    wanted = ids()
    return (["no test shows " + n for n in wanted if n not in have]
            + ["HOSTILE.md has no " + n for n in sorted(have, key=scene.order) if n not in wanted])
