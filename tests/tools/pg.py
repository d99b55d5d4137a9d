"""A PostgreSQL server of a test's own, below a temporary folder, on a Unix socket.

It ends with the test (close), or with the process that started it.
"""
import contextlib
import ctypes
import glob
import os
import pwd
import signal
import sqlite3
import subprocess
import tempfile
import time

BIN = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), "")
NO_SERVER = "" if os.access(os.path.join(BIN, "initdb"), os.X_OK) else (
    "PostgreSQL's server is not installed (postgresql-15)")
PORT = 5432  # names the socket only
PATIENCE = 600


def psql(url, text):
    """What psql prints, with \\x1f between cells, \\x1e between rows, \\n after each statement's."""
    result = subprocess.run(
        [os.path.join(BIN, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-R", "\x1e",
         "-P", "null=\x1d", "-d", url, "-f", "-"],
        check=False, capture_output=True, text=True, timeout=PATIENCE, input=text,
        env=dict(os.environ, PGCLIENTENCODING="UTF8"))
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return result.stdout


def rows_of(out):
    out = out[:-1] if out.endswith("\n") else out
    return [[None if cell == "\x1d" else cell for cell in row.split("\x1f")]
            for row in out.split("\x1e")] if out else []


def sql(url, text):
    """The rows that the statement answers, each a list of texts; NULL is None."""
    return rows_of(psql(url, text))


def cache_of(url, folder, shard=0):
    """The path of the cache of that store, below $XDG_CACHE_HOME."""
    xxhash = ctypes.CDLL("libxxhash.so.0")
    xxhash.XXH3_64bits.restype = ctypes.c_uint64
    xxhash.XXH3_64bits.argtypes = ctypes.c_char_p, ctypes.c_size_t
    return os.path.join(folder, "freshet", "%016x-%d.db" % (xxhash.XXH3_64bits(url.encode(), len(url)), shard))


def differences(url, path, shard=0):
    """How the rows of a shard differ from those of a store file: lines for
    people; and how many rows the file has."""
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % path, uri=True)) as db:
        db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
        tables = [row[0] for row in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")]
        asked, ours, kinds = [], {}, {}
        for table in tables:
            columns = [(name, kind, key) for _, name, kind, _, _, key in
                       db.execute("PRAGMA table_info(\"%s\")" % table)]
            keys = ", ".join('"%s"' % name for name, _, key in sorted(columns, key=lambda c: c[2]) if key)
            cells = ", ".join({"BLOB": 'lower(hex("%s"))', "REAL": '"%s"', "INTEGER": '"%s"'}.get(kind, '"%s"') % name
                              for name, kind, _ in columns)
            nulls = ", ".join('"%s" IS NULL' % name for name, _, _ in columns)
            n = len(columns)
            ours[table] = [[None if row[n + i] else row[i] for i in range(n)] for row in
                           db.execute("SELECT %s, %s FROM \"%s\" ORDER BY %s" % (cells, nulls, table, keys))]
            asked.append("SELECT '\x01', '%s';SELECT %s FROM freshet.\"%s\" WHERE shard = %d ORDER BY %s;" % (
                table, ", ".join(("encode(\"%s\", 'hex')" if kind == "BLOB" else '"%s"') % name
                                 for name, kind, _ in columns), table, shard, keys))
            kinds[table] = [kind for _, kind, _ in columns]
    theirs = {}
    for part in psql(url, "BEGIN ISOLATION LEVEL REPEATABLE READ;%sCOMMIT;" % "".join(asked)).split("\x01\x1f")[1:]:
        table, _, out = part.partition("\n")
        theirs[table] = [[None if cell is None else float(cell) if kind == "REAL" else
                          int(cell) if kind == "INTEGER" else cell
                          for cell, kind in zip(row, kinds[table])] for row in rows_of(out)]
    lines = []
    for table in tables:
        if ours[table] != theirs[table]:
            only = [[row for row in one if row not in other][:3]
                    for one, other in ((ours[table], theirs[table]), (theirs[table], ours[table]))]
            lines.append("%s: %d rows in the file, %d in PostgreSQL; only in the file: %.600r; only in PostgreSQL: %.600r"
                         % (table, len(ours[table]), len(theirs[table]), *only))
    return lines, sum(len(ours[table]) for table in tables)


class Server:
    def __init__(self, settings=(), primary=None):
        """settings: further ones, such as "fsync=on"; primary: be a hot standby of
        that server."""
        self.settings = settings
        # the folder of a test is its user's alone, and may be too long for a socket
        self.folder = tempfile.mkdtemp(prefix="freshet-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        # Whatever ends this process (the workers of the suite call no atexit), the folder goes.
        self.sweeper = subprocess.Popen(
            ["sh", "-c", 'cat; until rm -rf "$1"; do sleep 0.2; done 2>/dev/null', "sh", self.folder],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd="/", start_new_session=True)
        self.process = None
        # initdb and the server refuse to run as root
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        os.chmod(self.folder, 0o755)
        words = ["initdb", "-D", self.data, "--no-sync", "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres"]
        if primary is not None:
            words = ["pg_basebackup", "-D", self.data, "--no-sync", "-R", "-c", "fast", "-h", primary.folder,
                     "-p", str(PORT), "-U", "postgres"]
        subprocess.run(self.as_user + [os.path.join(BIN, words[0])] + words[1:], check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=PATIENCE)
        self.start()

    def start(self):
        """Start the server, and wait until it takes connections."""
        words = ["setpriv", "--pdeathsig", "QUIT"] + self.as_user[1:] + [
            os.path.join(BIN, "postgres"), "-D", self.data, "-k", self.folder, "-p", str(PORT)]
        for setting in ("listen_addresses=", "fsync=off", "shared_buffers=16MB", "max_connections=100", "max_wal_size=64MB",
                        "log_min_messages=warning", "log_min_error_statement=panic", *self.settings):
            words += ["-c", setting]
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(words, cwd="/", stdout=subprocess.DEVNULL, stderr=log)
        ends = time.monotonic() + PATIENCE
        while subprocess.run([os.path.join(BIN, "pg_isready"), "-q", "-h", self.folder, "-p", str(PORT)],
                             check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > ends:
                raise RuntimeError("PostgreSQL does not start")
            time.sleep(0.02)

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT: at once, as after a loss of power; SIGINT: cleanly, but without waiting for clients."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
        self.process = None

    def close(self):
        self.stop()
        self.sweeper.stdin.close()
        self.sweeper.wait(PATIENCE)

    def url(self, database):
        return "postgresql://postgres@/%s?host=%s&port=%d" % (database, self.folder, PORT)

    def sql(self, text, database="postgres"):
        """The rows that the statements answer, each a list of texts; NULL is None."""
        return sql(self.url(database), text)

    def database(self, name, how=""):
        """A new database; its URL.  To copy files takes half the processor time of
        writing all pages to the log."""
        self.sql("CREATE DATABASE \"%s\" STRATEGY FILE_COPY %s" % (name, how))
        return self.url(name)
