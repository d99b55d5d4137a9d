"""Another user of the machine, in a folder where everybody makes files: he gets no
command, and keeps nobody out."""
import contextlib
import fcntl
import os
import pwd
import shutil
import signal
import socket
import stat
import tempfile
import time
import unittest

from case import Case, urlset
from daemon import Daemon
from processes import kill


def impersonate(store, out):
    """Holds the lock file, listens at the socket, and writes what is sent; never returns."""
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    with open(store + ".lock", "a+b") as lock, socket.socket(socket.AF_UNIX) as listener:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        listener.bind(store + ".sock")
        listener.listen(8)
        os.chmod(store + ".sock", 0o777)
        os.write(out, b"ready\n")
        while True:
            peer, _ = listener.accept()
            peer.settimeout(600)
            os.write(out, peer.recv(65536))
            peer.sendall(b'{"v":1,"type":"page","url":"http://169.254.169.254/","token":"1"}\n')
            peer.close()


@unittest.skipIf(os.geteuid() != 0, "a second user takes root")
class SecondUser(Case):
    COMMANDS = (("crawl", "--header", "Cookie: SECRET", "SITE"), ("add", "--tag", "a", "SITE"),
                ("set", "HOST", "every=1d"), ("list",), ("due", "-n", "1"), ("done",),
                ("hold", "h.example", "--for", "1h"), ("note", "HOST", "2026-01-01", "text"),
                ("import", "-f", "urls", "-"), ("changes", "--consumer", "c"), ("top", "--once"),
                ("run", "--once"), ("rm", "SITE"), ("db", "prune", "--older", "1d"))

    def setUp(self):
        super().setUp()
        # a folder that others can reach, as those of other tests cannot be
        folder = tempfile.mkdtemp(prefix="freshet-test-", dir="/tmp")
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o1777)
        self.program.store = os.path.join(folder, "store.db")
        self.server = self.site()
        self.server.put("/robots.txt", "Sitemap: %s\n" % self.server.url("/s.xml"))
        self.server.put("/s.xml", urlset([self.server.url("/1")]))

    @contextlib.contextmanager
    def impostor(self):
        """A stream with what he is sent, once he is ended; his process."""
        for ending in (".sock", ".lock"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.program.store + ending)
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(BaseException):
                impersonate(self.program.store, write)
            os._exit(1)
        os.close(write)
        with open(read, "rb") as sent:
            try:
                self.assertEqual(sent.readline(), b"ready\n")
                yield sent, pid
            finally:
                if kill(pid):
                    os.waitpid(pid, 0)

    def test_commands(self):
        names = {"SITE": self.server.url("/"), "HOST": self.server.url("/").split("/")[2]}
        for words in self.COMMANDS:
            with self.subTest(command=words):
                with self.impostor() as (sent, pid):
                    run = self.program.run(*[names.get(w, w) for w in words], input="", timeout=600)
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    self.assertEqual(sent.read(), b"", str(run))
                # nobody is there for `top`
                self.assertEqual(run.status, 4 if words[0] == "top" else 0, str(run))
                self.assertNotIn("169.254", run.out)
        self.assertEqual(self.program.urls(), [self.server.url("/1")])

    def owner(self):
        """A `run` that has the store and serves its socket."""
        daemon = Daemon(self.program, "--no-config")
        self.addCleanup(daemon.process.kill)
        daemon.wait("started")
        return daemon

    def test_lock_goes(self):
        """He removes his lock file while the store is in use: nobody else gets the store."""
        with self.impostor():
            owner = self.owner()
        os.unlink(self.program.store + ".lock")
        prune = self.program.start("db", "prune", "--older", "1d")
        self.assertIn(b"store-locked", prune.stderr.readline())
        time.sleep(1)
        self.assertIsNone(prune.poll())
        owner.end()
        self.assertEqual(prune.wait(600), 0)

    def test_modes(self):
        """What is made beside a store of 0600 is for its owner alone."""
        old = os.umask(0o022)
        self.addCleanup(os.umask, old)
        self.program.run("crawl", self.server.url("/"))
        os.chmod(self.program.store, 0o600)
        owner = self.owner()
        folder = os.path.dirname(self.program.store)
        modes = {name: stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)
                 for name in os.listdir(folder)}
        owner.end()
        self.assertGreaterEqual(set(modes), {"store.db", "store.db.lock", "store.db.sock", "store.db-wal"})
        self.assertEqual({name: mode & 0o077 for name, mode in modes.items()}, dict.fromkeys(modes, 0))


if __name__ == "__main__":
    unittest.main()
