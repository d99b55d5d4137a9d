"""Runs the program under test, with a home and a store of its own."""
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time

import parent_death

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BINARY = os.path.abspath(os.environ.get("FRESHET_BIN")
                         or os.path.join(TOP, "build", "crawler", "freshet"))
# one built with -Dtest_hooks=true
HOOKED = os.path.abspath(os.environ.get("FRESHET_HOOKED_BIN")
                         or os.path.join(TOP, "build-gcc", "crawler", "freshet"))
# the simulator beside it, which nobody installs
SIM = next((path for path in (os.path.join(os.path.dirname(binary), "..", "tests", "sim", "freshet-sim")
                              for binary in (BINARY, HOOKED)) if os.path.exists(path)), "freshet-sim")
# a resolver of names.c, for LD_PRELOAD: no name server is asked
NAMES = next((path for path in (os.path.join(os.path.dirname(binary), "..", "tests", "tools", "names.so")
                                for binary in (BINARY, HOOKED)) if os.path.exists(path)), "names.so")

MEMORY = os.path.join(os.path.dirname(NAMES), "memory.so")  # memory that runs out, likewise


def has_hooks():
    """Is HOOKED there, and what it is said to be?"""
    try:
        with open(HOOKED, "rb") as f:
            return b"FRESHET_TEST_CLOCK" in f.read()
    except OSError:
        return False


NO_HOOKS = "" if has_hooks() else (
    "FRESHET_HOOKED_BIN names no binary with test hooks: '%s'" % HOOKED)


class Result:
    def __init__(self, args, status, out, err, seconds):
        self.args = args
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds

    def __str__(self):
        return "freshet %s\nexit status %d after %.1f s\nstdout: %s\nstderr: %s" % (
            " ".join(self.args), self.status, self.seconds, self.out[-4000:], self.err[-4000:])

    def records(self):
        """Each line of stdout as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


class Crawl:
    """What `crawl --json` said."""

    def __init__(self, result):
        self.result = result
        self.status = result.status
        records = result.records()
        self.documents = [r for r in records if r["type"] == "document"]
        self.summary = next((r for r in records if r["type"] == "summary"), None)

    def __str__(self):
        return str(self.result)

    def sitemaps(self):
        """The documents that are no robots.txt."""
        return [d for d in self.documents if d["kind"] != "robots"]

    def document(self, url):
        """The record of that URL; the last, if there are several."""
        found = [d for d in self.documents if d["url"] == url]
        if not found:
            raise AssertionError("no record of %s\n%s" % (url, self.result))
        return found[-1]

    def codes(self, url=None):
        """{code: count} of the findings of one document, or of all."""
        counts = {}
        for d in self.documents:
            if url is None or d["url"] == url:
                for finding in d["findings"]:
                    counts[finding["code"]] = counts.get(finding["code"], 0) + finding["count"]
        return counts


class Program:
    """One store, in a folder that close() removes."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="freshet-test-")
        self.store = os.path.join(self.folder, "store.db")
        self.remote = None  # an in_postgresql.Remote, whose cache the store is
        self.running = []
        self.binary = BINARY
        self.variables = {}  # of the environment, for every run
        # Names that are led to a server of the test are asked without delay,
        # unless the test says one: a second between two requests tests nothing.
        self.is_hasty = True

    def close(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, extra=None, args=()):
        env = {k: v for k, v in os.environ.items()
               if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
                        "FRESHET_TEST_MIRROR")}
        # an example in Python leaves nothing in docs, which the launcher looks at
        env.update(HOME=self.folder, LANG="C.UTF-8", TZ="UTC", TMPDIR=self.folder,
                   FRESHET_STORE=self.store, PYTHONDONTWRITEBYTECODE="1")
        if self.remote is not None:
            env.update(self.remote.environment(self.store, args))
        env.update(self.variables)
        env.update(extra or {})
        return {k: v for k, v in env.items() if v is not None}

    def words(self, args):
        """The whole command line."""
        words = [self.binary] + list(args)
        if self.is_hasty and any(a.startswith(("--connect-to", "--resolve")) for a in args) \
                and not any(a.startswith("--delay") for a in args):
            words[2:2] = ["--delay", "0"]
        # a keeper would ask PostgreSQL each few seconds of a time that leaps over days
        if self.remote is not None and words[1:2] == ["run"] and "FRESHET_TEST_CLOCK" in self.variables:
            words[2:2] = ["--shard", "0"]
        return words

    def run(self, *args, env=None, input=None, timeout=600, limits=(),
            stdout=subprocess.PIPE):
        """Run to the end; a Result. env: changes, None takes a variable out;
        limits: pairs of a resource and its limit; stdout: where it goes, and
        nothing in the Result."""
        begin = time.monotonic()
        if self.remote is not None:
            timeout = min(timeout, 120)  # no test on PostgreSQL needs more
        # without input, stdin is no pipe: a pipe would be read for targets
        done = subprocess.run(self.words(args), env=self.environment(env, args),
                              cwd=self.folder, timeout=timeout, stdout=stdout,
                              stderr=subprocess.PIPE,
                              preexec_fn=(lambda: [resource.setrlimit(r, (n, n))
                                                   for r, n in limits]) if limits else None,
                              **({"stdin": subprocess.DEVNULL} if input is None
                                 else {"input": input.encode()}))
        return Result(args, done.returncode, (done.stdout or b"").decode("utf-8"),
                      done.stderr.decode("utf-8"), time.monotonic() - begin)

    def change(self, statement):
        """Change rows of the store behind its back."""
        with contextlib.closing(sqlite3.connect(self.store)) as db, db:
            db.execute(statement)
        if self.remote is not None:
            self.remote.change(statement)

    def leave_postgresql(self):
        """For what is about a file: the store becomes one, if it is in PostgreSQL."""
        if self.remote is not None:
            path = os.path.join(self.folder, "store.db")
            result = self.run("db", "copy", path)
            if result.status != 0:
                raise AssertionError(str(result))
            self.remote, self.store = None, path

    def sim(self, *args, **how):
        """The same of the simulator."""
        binary, self.binary = self.binary, SIM
        try:
            return self.run(*args, **how)
        finally:
            self.binary = binary

    def at_terminal(self, width, *args, has_stderr=False):
        """Run at a terminal of that width; the lines that it shows, without
        colours."""
        ours, theirs = pty.openpty()
        shown = b""
        try:
            fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
            with subprocess.Popen(self.words(args), env=self.environment(None, args),
                                  cwd=self.folder, stdin=subprocess.DEVNULL, stdout=theirs,
                                  stderr=theirs if has_stderr else subprocess.DEVNULL):
                os.close(theirs)
                while True:
                    part = os.read(ours, 1 << 16)
                    shown += part
        except OSError:  # EIO: the last one that had the terminal ended
            pass
        finally:
            os.close(ours)
        return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).split("\r\n")

    def start(self, *args, env=None):
        """Start and return the process; its stdout and stderr are pipes."""
        process = subprocess.Popen(self.words(args), env=self.environment(env, args),
                                   cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=parent_death.with_parent(),
                                   bufsize=0)  # communicate() reads past buffers
        self.running.append(process)
        return process

    def crawl(self, *args, **kwargs):
        return Crawl(self.run("crawl", "--json", "--progress", "off", *args, **kwargs))

    def export(self, *args):
        """The rows of `export -f jsonl`."""
        result = self.run("export", "-f", "jsonl", *args)
        if result.status != 0:
            raise AssertionError(str(result))
        return result.records()

    def urls(self, *args):
        """Sorted URLs that the store lists and no rule refuses, or with
        --refused the others."""
        return sorted(row["loc"] for row in self.export(*args)
                      if row["refused"] is None or "--refused" in args)


def interrupt(process, sign=signal.SIGINT, timeout=600):
    """Send the signal and wait; (exit status, stdout, stderr, seconds)."""
    begin = time.monotonic()
    process.send_signal(sign)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out.decode(), err.decode(), time.monotonic() - begin
