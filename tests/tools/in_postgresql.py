"""The CLI tests with a store in PostgreSQL: FRESHET_STORE is the URL of a database
that `freshet db init` has been called for.

Each test has a copy of that database.  The path of its program's store is that of
the cache, in which tests look.  Commands get the URL, but for those that need a file.  When a test has ended, its processes end, and
PostgreSQL must have what the cache has, row by row.
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
FILES = ("serve", "export-trace")  # commands that need a file: they get the cache


class Remote:
    """The database of one test."""

    def __init__(self, folder):
        name = "t%d_%d" % (os.getpid(), next(NUMBERS))
        template = SERVER.split("?")[0].rsplit("/", 1)[1]
        self.server = SERVER.replace("/%s?" % template, "/postgres?")
        self.url = SERVER.replace("/%s?" % template, "/%s?" % name)
        pg.sql(self.server, 'CREATE DATABASE "%s" TEMPLATE "%s"' % (name, template))
        self.name = name
        self.caches = os.path.join(folder, "cache")
        self.path = pg.cache_of(self.url, self.caches)

    def close(self):
        pg.sql(self.server, 'DROP DATABASE "%s" WITH (FORCE)' % self.name)

    def environment(self, store, args):
        """store: the path that the program has now."""
        needs_file = any(word in FILES for word in args[:1])
        return {"XDG_CACHE_HOME": self.caches,
                "FRESHET_STORE": store if needs_file or store != self.path else self.url}

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


def begin(case):
    """Give the program of the case a store in PostgreSQL."""
    remote = Remote(case.program.folder)
    case.addCleanup(remote.close)
    case.program.remote = remote
    case.program.store = remote.path
