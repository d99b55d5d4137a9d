"""What a process may find around it: odd environments and limits, full or closed
outputs, storms of signals, others that begin at the same time (HOSTILE P7, P11, P12,
P14, P15)."""
import fcntl
import os
import resource
import signal
import struct
import subprocess
import time
import unittest

import counts
from durable import Durable
from processes import descendants, kill

F_OFD_SETLK = 37


class Around(Durable):
    WORLD = {"children": 4, "entries": 20, "delay": 0.02}

    def begin(self, command=(), **how):
        """A crawl that this command runs, with the outputs that are said."""
        self.fresh()
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        process = subprocess.Popen(
            list(command) + [self.program.binary, "crawl", "--json", "--progress", "off",
                             self.world.index],
            env=self.program.environment(), cwd=self.program.folder, stdin=subprocess.DEVNULL, **how)
        self.program.running.append(process)
        return process


class Outputs(Around):
    """P11: nothing that is said is lost silently, and no file of the store is taken for an
    output."""

    def end(self, process, statuses):
        process.communicate(timeout=600)
        self.assertIn(process.returncode, statuses)
        self.assertSound()
        self.resume(self.assertKept(""))

    def test_full(self):
        with open("/dev/full", "wb") as full:
            self.end(self.begin(stdout=full), (7,))
            self.end(self.begin(stdout=full, stderr=full), (7,))
            # what is lost of the errors alone is no result
            self.end(self.begin(stderr=full), (0, 7))

    def test_closed(self):
        """The shell closes them before the program begins."""
        for closed, statuses in self.some(((">&-", (7,)), ("<&-", (0,)), ("2>&-", (0,)), ("<&- >&- 2>&-", (7,))), 2):
            with self.subTest(closed=closed):
                self.end(self.begin(("sh", "-c", 'exec "$@" ' + closed, "sh")), statuses)

    def test_other_commands(self):
        """Each that prints what is in a store."""
        self.fresh()
        self.crawl("--delay", "0", self.world.index)
        for args in self.some((["export"], ["ls"], ["diff"], ["sql", "SELECT * FROM document"],
                     ["stats", self.server.origin + "/"], ["list"],
                     ["db", "info"], ["explain", self.world.index]), 3):
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                result = self.program.run(*args, stdout=full)
                self.assertEqual(result.status, 7, str(result))
                self.assertIn("cannot write to stdout", result.err)


class Signals(Around):
    """P7: none of them does damage, or makes a system call fail."""

    WORLD = {"children": 12, "entries": 40, "delay": 0.03}

    def storm(self, *signals, pause=0.001, main_alone=()):
        """A crawl that gets them all the time, and its readers with it."""
        process = self.begin()
        first = process.stdout.readline()
        sent = turn = 0
        while process.poll() is None:
            # all get the same: one that is stopped is continued the next time
            for pid in [process.pid] + descendants(process.pid):
                sent += kill(pid, signals[turn % len(signals)])
            sent += sum(kill(process.pid, sign) for sign in main_alone)
            turn += 1
            time.sleep(pause)
        out, err = process.communicate(timeout=600)
        self.assertGreater(sent, 50)
        return process.returncode, (first + out).decode(), err.decode()

    def test_stop_and_go(self):
        status, out, err = self.storm(signal.SIGSTOP, signal.SIGCONT, pause=0.01)
        self.assertEqual(status, 0, err)
        self.assertSound()
        self.assertKept(out)
        self.assertSame(self.told())

    def test_harmless(self):
        """Signals that nobody asked for, a thousand a second: of windows, children, urgent data."""
        status, out, err = self.storm(signal.SIGWINCH, signal.SIGCHLD, signal.SIGURG, signal.SIGCONT,
                                      main_alone=(signal.SIGPIPE, signal.SIGXFSZ))
        self.assertEqual((status, err), (0, ""))
        self.assertSound()
        self.assertKept(out)
        self.assertSame(self.told())

    def test_deadly(self):
        """What ends a process ends this one at any time, and what it said holds."""
        for sign in self.some((signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU, signal.SIGQUIT, signal.SIGALRM), 2):
            with self.subTest(signal=sign):
                process = self.begin()
                out = b"".join(process.stdout.readline() for _ in range(self.random.randrange(1, 8)))
                process.send_signal(sign)
                rest, _ = process.communicate(timeout=600)
                self.assertIn(process.returncode, (-sign, 128 + sign, 0))
                self.assertSound()
                self.resume(self.assertKept((out + rest).decode()))

    def test_nobody_reads(self):
        """`| head -1`"""
        process = self.begin()
        out = process.stdout.readline()
        process.stdout.close()
        _ = process.stderr.read()
        self.assertIn(process.wait(timeout=600), (0, 7))
        self.assertSound()
        self.resume(self.assertKept(out.decode()))


class Environments(Around):
    """P12: what is stored is the same."""

    def crawls_as(self, env, limits=(), before=None):
        """The same as an undisturbed crawl, told by the usual environment."""
        self.fresh()
        done = subprocess.run(
            [self.program.binary, "crawl", "--json", "--progress", "off", "--delay", "0", self.world.index],
            env={k: v for k, v in dict(self.program.environment(), **env).items() if v is not None},
            cwd=self.program.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
            preexec_fn=lambda: ([resource.setrlimit(r, n) for r, n in limits], before and before()))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertSound()
        self.assertKept(done.stdout.decode())
        self.assertSame(self.told())

    def test_locales_and_zones(self):
        for env in self.some(({"LC_ALL": "tr_TR.UTF-8"}, {"LANG": "C"}, {"LC_ALL": "de_DE"}, {"LANG": None},
                         {"TZ": None}, {"TZ": "junk"}, {"TZ": ":/etc/passwd"}, {"TZ": "Pacific/Kiritimati"},
                         {"TZ": "XXX-99:99:99YYY,J400/999"}), 2):
            with self.subTest(env=env):
                self.crawls_as(env)

    def test_homes(self):
        for env in self.some(({"HOME": None}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"TMPDIR": None},
                         {"PATH": None}), 2):
            with self.subTest(env=env):
                self.crawls_as(env)

    def test_no_room_for_bodies(self):
        """It says which folder is missing, and with it the next run goes on."""
        self.fresh()
        result = self.program.run("crawl", self.world.index, env={"TMPDIR": "/nonexistent"})
        self.assertEqual((result.status, result.err.count("\n")), (7, 1), str(result))
        self.assertIn("temporary files", result.err)
        self.resume([])

    def test_much(self):
        """A megabyte of it."""
        self.crawls_as({"X%d" % n: "x" * 100000 for n in range(10)})

    def test_file_modes(self):
        """Whatever the umask is, nobody else can write to a store."""
        for mask in self.some((0o000, 0o077, 0o027), 2):
            with self.subTest(umask=mask):
                self.crawls_as({}, before=lambda mask=mask: os.umask(mask))
                folder = os.path.dirname(self.program.store)
                for name in os.listdir(folder):
                    mode = os.lstat(os.path.join(folder, name)).st_mode
                    self.assertEqual(mode & 0o022, 0, "%s: %o" % (name, mode))

    def test_small_limits(self):
        self.crawls_as({}, limits=((resource.RLIMIT_CORE, (0, 0)), (resource.RLIMIT_MEMLOCK, (0, 0)),
                                   (resource.RLIMIT_STACK, (1 << 20, 1 << 20))))


class AtOnce(Around):
    """P14, P15: the lock of the system decides who writes, and nothing else."""

    def test_same_second(self):
        """One makes the store, and the others ask it, or wait."""
        for _ in range(counts.pick(1, 5, 10)):
            self.fresh()
            command = [self.program.binary, "crawl", "--json", "--progress", "off", "--delay", "0",
                       self.world.index]
            started = [subprocess.Popen(command, env=self.program.environment(), cwd=self.program.folder,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE) for _ in range(4)]
            for process in started:
                out, err = process.communicate(timeout=600)
                self.assertIn(process.returncode, (0, 5), (out + err).decode())
            self.assertIn(0, [process.returncode for process in started])
            self.assertSound()
            self.assertGreaterEqual(len(set(self.committed())), self.documents)

    def test_stale_lock(self):
        """A lock file that names a process that lives, which has nothing to do with it."""
        self.fresh()
        for text in self.some(("%d\n" % os.getpid(), "1\n", "garbage", "9" * 30 + "\n"), 2):
            with self.subTest(text=text):
                self.fresh()
                with open(self.program.store + ".lock", "w", encoding="ascii") as f:
                    f.write(text)
                self.crawl("--delay", "0", self.world.index)
                self.assertSame(self.told())

    def test_dead_owner(self):
        """Whoever holds the lock holds it though the file names nobody, and after its death
        nobody waits."""
        self.fresh()
        self.crawl("--delay", "0", self.world.index)
        fd = os.open(self.program.store + ".lock", os.O_RDWR)
        fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
        holder = subprocess.Popen(["sleep", "600"], pass_fds=(fd,))
        os.close(fd)  # the lock lives in the other process alone
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        waits = self.program.start("db", "migrate")
        self.assertIn(b"store-locked", waits.stderr.readline())
        holder.kill()
        self.assertEqual(waits.wait(timeout=600), 0)


if __name__ == "__main__":
    unittest.main()
