"""A PostgreSQL server of a test's own, below a temporary folder, on a Unix socket.

It ends with the test (close), or with the process that started it.
"""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

BIN = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)), "")
NO_SERVER = "" if os.access(os.path.join(BIN, "initdb"), os.X_OK) else (
    "PostgreSQL's server is not installed (postgresql-15)")
PORT = 5432  # names the socket only
PATIENCE = 60


class Server:
    def __init__(self, settings=()):
        self.settings = settings  # further ones, such as "fsync=on"
        # the folder of a test is its user's alone, and may be too long for a socket
        self.folder = tempfile.mkdtemp(prefix="freshet-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        self.process = None
        # initdb and the server refuse to run as root
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        os.chmod(self.folder, 0o755)
        subprocess.run(self.as_user + [os.path.join(BIN, "initdb"), "-D", self.data, "--no-sync", "-A", "trust",
                                       "-E", "UTF8", "--locale=C", "-U", "postgres"],
                       check=True, stdout=subprocess.DEVNULL, cwd="/", timeout=PATIENCE)
        self.start()

    def start(self):
        """Start the server, and wait until it takes connections."""
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "QUIT"] + self.as_user[1:] + [os.path.join(BIN, "postgres"), "-D", self.data, "-k", self.folder, "-p", str(PORT),
                            "-c", "listen_addresses=", "-c", "fsync=off", "-c", "log_min_messages=fatal",
                            "-c", "shared_buffers=16MB", "-c", "max_connections=20"]
            + [word for setting in self.settings for word in ("-c", setting)],
            cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database):
        return "postgresql://postgres@/%s?host=%s&port=%d" % (database, self.folder, PORT)

    def sql(self, text, database="postgres"):
        """The rows that the statements answer, each a list of texts; NULL is None."""
        result = subprocess.run(
            [os.path.join(BIN, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-R", "\x1e",
             "-P", "null=\x1d", "-h", self.folder, "-p", str(PORT), "-U", "postgres", "-d", database, "-c", text],
            check=False, capture_output=True, text=True, timeout=PATIENCE)
        if result.returncode != 0:
            raise RuntimeError(result.stderr)
        out = result.stdout[:-1] if result.stdout.endswith("\n") else result.stdout
        return [[None if cell == "\x1d" else cell for cell in row.split("\x1f")]
                for row in out.split("\x1e")] if out else []

    def database(self, name, how=""):
        """A new database; its URL."""
        self.sql("CREATE DATABASE \"%s\" %s" % (name, how))
        return self.url(name)
