"""kill -9 of readers and of the process that forks them (HOSTILE P4): no
document suffers for it, or the run ends with 9 and the next one goes on."""
import time
import unittest

import counts
from durable import Durable
from processes import children_of, kill, named, started_with

TRIALS = counts.pick(2, 8, 20)


class Helpers(Durable):
    """Documents that take a reader some milliseconds."""

    WORLD = {"children": 12, "entries": 1500, "delay": 0.02}

    def start(self):
        """A crawl whose first document is committed."""
        self.fresh()
        self.server.forget()
        process = self.program.start("crawl", "--json", "--progress", "off",
                                     self.world.index)
        return process, process.stdout.readline()

    def wait_some(self):
        time.sleep(self.random.uniform(0, self.step * self.documents / 6))

    def processes(self):
        return started_with("FRESHET_STORE", self.program.store)

    def end(self, process, out, statuses):
        rest, err = process.communicate(timeout=600)
        out, err = (out + rest).decode(), err.decode()
        self.assertIn(process.returncode, statuses, out + err)
        self.assertSound()
        return out, err, self.assertKept(out)


class Readers(Helpers):
    def test_kill(self):
        for number in range(TRIALS):
            with self.subTest(trial=number):
                process, out = self.start()
                killed = 0
                while process.poll() is None:
                    self.wait_some()
                    for pid in named(self.processes(), "freshet-reader"):
                        kill(pid)
                        killed += 1
                # one that was killed twice costs its reading
                out, _, _ = self.end(process, out, (0, 1))
                self.assertGreater(killed, 0)
                since = ()
                if process.returncode == 1:
                    self.assertIn("reader-crashed", out)
                    self.crawl(self.world.index)
                    since = ("--since", "1h")  # two crawls have told of all
                self.assertSame(self.told(*since))


class ForkServer(Helpers):
    def test_kill(self):
        """There is none left to start readers."""
        for number in range(TRIALS):
            with self.subTest(trial=number):
                process, out = self.start()
                self.wait_some()
                # a reader has that name until it has its own
                server, = [pid for pid in named(self.processes(), "freshet-forks")
                           if pid in children_of(process.pid)]
                kill(server)
                _, err, committed = self.end(process, out, (9,))
                self.assertRegex(err, r"\Afreshet: .*run the same command to resume\n\Z")
                self.assertLess(len(committed), self.documents)
                self.resume(committed)


if __name__ == "__main__":
    unittest.main()
