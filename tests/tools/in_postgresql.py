"""The CLI tests with a store in PostgreSQL: FRESHET_STORE is the URL of a database
that `freshet db init` has been called for.

Each test that needs one has a copy of that database.  The path of its program's store is that of
the cache, in which tests look.  Commands get the URL, but for those that need a file.  When a test has ended, its processes end, and
PostgreSQL must have what the cache has, row by row.  A test that takes seven
minutes hangs.
"""
import os
import signal
import subprocess

import pg

SERVER = os.environ.get("FRESHET_STORE", "")
SERVER = SERVER if SERVER.startswith("postgresql://") else ""
LOG = os.environ.get("FRESHET_POSTGRESQL_LOG")  # how each test's store was found
NUMBERS = iter(range(1000000))
END_S = 20
MOST_S = 400  # of a test
NO_STORE = (("check",), ("compare",), ("help",), ("version",))
FILES = ("serve", "export-trace")  # commands that need a file: they get the cache


class Remote:
    """The database of one test."""

    def __init__(self, folder):
        name = "t%d_%d" % (os.getpid(), next(NUMBERS))
        self.template = SERVER.split("?")[0].rsplit("/", 1)[1]
        self.server = SERVER.replace("/%s?" % self.template, "/postgres?")
        self.url = SERVER.replace("/%s?" % self.template, "/%s?" % name)
        self.name, self.is_made = name, False
        self.caches = os.path.join(folder, "cache")
        self.path = pg.cache_of(self.url, self.caches)

    def close(self):
        if self.is_made:
            pg.sql(self.server, 'DROP DATABASE "%s" WITH (FORCE)' % self.name)

    def environment(self, store, args):
        """store: the path that the program has now."""
        if not self.is_made and tuple(args[:1]) not in NO_STORE:
            self.is_made = True
            pg.sql(self.server, 'CREATE DATABASE "%s" STRATEGY FILE_COPY TEMPLATE "%s"' % (self.name, self.template))
        needs_file = any(word in FILES for word in args[:1])
        return {"XDG_CACHE_HOME": self.caches,
                "FRESHET_STORE": store if needs_file or store != self.path else self.url}

    def change(self, statement):
        """statement: as of the store in a file."""
        pg.sql(self.url, "SET search_path = freshet; " + statement)

    def compare(self, case):
        """End what runs, and compare."""
        for process in case.program.running:
            if process.poll() is None:
                for number in (signal.SIGCONT, signal.SIGTERM):
                    process.send_signal(number)
                try:
                    process.communicate(timeout=END_S)
                except (subprocess.TimeoutExpired, ValueError):
                    process.kill()
        owner, version = None, "0"
        if self.is_made:
            owner, version = pg.sql(self.url, "SELECT owner, version FROM freshet.shard WHERE shard = 0")[0]
        lines, rows, what = [], 0, "unused"
        if owner is not None:
            what = "killed"  # the cache may have more than PostgreSQL
        elif version != "0" and os.path.exists(self.path):
            lines, rows = pg.differences(self.url, self.path)
            what = "different" if lines else "equal"
        if LOG:
            with open(LOG, "a", encoding="utf-8") as f:
                f.write("%s %d %s\n" % (what, rows, case.id()))
        case.assertEqual(lines, [])


def hang(*_):
    raise TimeoutError("it takes more than %d s" % MOST_S)


def begin(case):
    """Give the program of the case a store in PostgreSQL."""
    signal.signal(signal.SIGALRM, hang)
    signal.alarm(MOST_S)
    case.addCleanup(signal.alarm, 0)
    remote = Remote(case.program.folder)
    case.addCleanup(remote.close)
    case.program.remote = remote
    case.program.store = remote.path
