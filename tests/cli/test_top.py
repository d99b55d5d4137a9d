"""`top`: what a running process does at this moment."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import termios
import threading
import time
import unittest

from case import Case, index, urlset
from test_json import flat, tables

CHILDREN = 6
ROWS = 20
PATIENCE_S = 600


class Terminal:
    """The program at a terminal of its own; `shown` is all that it wrote."""

    def __init__(self, program, *args, columns=80, rows=24):
        self.ours, theirs = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(theirs)
        self.shown = b""
        self.process = subprocess.Popen(
            [program.binary] + list(args), cwd=program.folder, stdin=theirs, stdout=theirs,
            stderr=subprocess.PIPE, env=program.environment({"TERM": "xterm"}))
        program.running.append(self.process)
        self.theirs = theirs

    def resize(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, text):
        """Read until the text is shown; what was read."""
        seen = len(self.shown)
        end = time.monotonic() + PATIENCE_S
        while text.encode() not in self.shown[seen:]:
            if time.monotonic() > end:
                raise TimeoutError("no %r: %r" % (text, self.shown[seen:]))
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += os.read(self.ours, 1 << 16)
        return self.shown[seen:]

    def key(self, text):
        os.write(self.ours, text.encode())

    def end(self):
        """The exit status and stderr; the terminal must be as before."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.ours], [], [], 0.05)[0]:
                self.shown += os.read(self.ours, 1 << 16)
        err = self.process.communicate(timeout=PATIENCE_S)[1].decode()
        while select.select([self.ours], [], [], 0)[0]:
            self.shown += os.read(self.ours, 1 << 16)
        after = termios.tcgetattr(self.theirs)
        os.close(self.theirs)
        os.close(self.ours)
        if after != self.before:
            raise AssertionError("the terminal was not given back")
        if not self.shown.endswith(b"\x1b[?25h\x1b[?1049l"):
            raise AssertionError("the screen was not given back: %r" % self.shown[-80:])
        return self.process.returncode, err


class Top(Case):
    each_alone = True

    def setUp(self):
        super().setUp()
        self.slow = self.site()
        paths = ["/s%d.xml" % n for n in range(CHILDREN)]
        self.slow.put("/index.xml", index([self.slow.url(p) for p in paths]))
        self.slow.put("/robots.txt", "")
        self.slow.put("/s0.xml", "gone", status=404)
        # the others are not answered before the test is over
        self.over = threading.Event()
        self.addCleanup(self.over.set)
        for path in paths[1:]:
            self.slow.put(path, call=lambda *_: self.over.wait())

    def crawl_slowly(self):
        process = self.program.start("crawl", "--json", "--progress", "off",
                                     self.slow.url("/index.xml"))
        self.slow.wait_for("/s1.xml")
        return process

    def ask(self, *lists):
        """The answer, once all of these lists in it have rows."""
        end = time.monotonic() + PATIENCE_S
        while True:
            result = self.program.run("top", "-f", "ndjson")
            self.assertEqual(result.status, 0, str(result))
            status, = result.records()
            if all(status.get(name) for name in lists):
                return status
            if time.monotonic() > end:
                raise TimeoutError("without rows: %s" % status)
            time.sleep(0.02)

    def socket(self):
        peer = socket.socket(socket.AF_UNIX)
        self.addCleanup(peer.close)
        peer.settimeout(PATIENCE_S)
        while True:
            try:
                peer.connect(self.program.store + ".sock")
                return peer
            except BlockingIOError:  # as many as the kernel queues are not accepted yet
                time.sleep(0.01)

    def request(self, **more):
        version = self.program.run("version", "--json").records()[0]["version"]
        return json.dumps(dict({"v": 1, "command": "status", "version": version}, **more)) + "\n"

    def test_one_object(self):
        process = self.crawl_slowly()
        status = self.ask("failures")
        self.assertEqual((status["v"], status["type"], status["command"], status["pid"]),
                         (1, "status", "crawl", process.pid))
        self.assertEqual([a["url"] for a in status["asked"]], [self.slow.url("/s1.xml")])
        self.assertEqual(status["in_flight"], 1)
        self.assertEqual([f["url"] for f in status["failures"]], [self.slow.url("/s0.xml")])
        self.assertEqual(status["failures"][0]["code"], "fetch-not-found")
        minute = status["rates"][1]
        self.assertEqual(minute["seconds"], 60)
        # robots.txt, the index, and the child that is not there
        self.assertEqual((minute["requests"], minute["failed"]), (3, 1))
        self.assertGreater(minute["bytes"], 0)
        # a crawl leases nothing
        self.assertNotIn("ready", status)

    def test_picture_without_a_terminal(self):
        self.crawl_slowly()
        for args in ((), ("--once",)):
            result = self.program.run("top", *args)
            self.assertEqual(result.status, 0, str(result))
            self.assertIn("ASKED NOW", result.out)
            self.assertIn(self.slow.url("/s1.xml"), result.out)
            self.assertNotIn("\x1b", result.out)
        for width in (60, 160):
            self.assertLessEqual(max(map(len, self.program.at_terminal(width, "top", "--once"))), width)

    def test_run(self):
        """Also: docs/reference/json.md has all fields, and no other."""
        busy = self.site(address="127.0.0.2")
        busy.put("/robots.txt", "")
        busy.put("/index.xml", "", status=503, headers=[("Retry-After", "3600")])
        for site in (self.slow, busy):
            self.assertEqual(self.program.run("add", site.url("/index.xml")).status, 0)
        process = self.program.start("run", "--log", "json", "--allow-address", "127.0.0.0/8")
        self.slow.wait_for("/s1.xml")
        self.assertEqual(self.program.run("hold", "www.example.org", "--for", "2h").status, 0)
        status = self.ask("hosts", "failures", "asked", "holds")
        wanted = tables()["top: status"]
        self.assertEqual(flat(status, "", wanted) - {"v", "type"}, wanted)
        self.assertEqual([(h["host"], h["why"]) for h in status["hosts"]], [("127.0.0.2", "paused")])
        self.assertGreater(status["hosts"][0]["wait_ms"], 60000)
        self.assertEqual((status["command"], status["ready"], status["leased"]), ("run", 0, 0))
        self.assertIn("www.example.org", [h["host"] for h in status["holds"]])
        self.assertEqual(status["held"], len(status["holds"]))
        terminal = Terminal(self.program, "top", "--interval", "50ms")
        terminal.wait_for("HELD HOSTS: ")
        process.kill()
        process.wait()
        self.assertEqual(terminal.end(), (0, "freshet: the process that was watched has ended\n"))

    def test_until_q(self):
        self.crawl_slowly()
        terminal = Terminal(self.program, "top", "--interval", "50ms")
        shown = terminal.wait_for("ASKED NOW").decode()
        terminal.wait_for("\x1b[H")
        self.assertTrue(shown.startswith("\x1b[?1049h\x1b[?25l"), shown)
        terminal.key("x")
        terminal.wait_for("\x1b[H")
        terminal.key("q")
        self.assertEqual(terminal.end(), (0, ""))

    def test_keys_without_an_answer(self):
        """Keys make no time pass for a process that reads its configuration."""
        self.crawl_slowly()
        terminal = Terminal(self.program, "top")
        terminal.wait_for("ASKED NOW")
        path = self.program.store + ".sock"
        os.rename(path, path + ".away")
        for _ in range(12):
            terminal.key("x")
            time.sleep(0.05)
        self.assertIsNone(terminal.process.poll())
        os.rename(path + ".away", path)
        terminal.key("q")
        self.assertEqual(terminal.end(), (0, ""))

    def test_resize(self):
        """The next picture fits the terminal as it is then."""
        self.crawl_slowly()
        terminal = Terminal(self.program, "top", "--interval", "20ms", columns=60, rows=4)
        terminal.wait_for("\x1b[J")
        for columns, rows in ((160, 50), (60, 3), (30, 2)):
            terminal.resize(columns, rows)
            # pictures of the old size may be on their way
            end = time.monotonic() + PATIENCE_S
            while True:
                shown = terminal.wait_for("\x1b[J").decode()
                frame = shown[:shown.rindex("\x1b[J")].rpartition("\x1b[H")[2]
                lines = re.split(r"\r+\n", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame))
                if (len(lines) <= rows and max(map(len, lines)) <= columns and
                        ("ASKED NOW" in lines) == (rows == 50)):
                    break
                self.assertLess(time.monotonic(), end, frame)
        terminal.key("q")
        self.assertEqual(terminal.end()[0], 0)

    WHOLE = {
        "v": 1, "type": "status", "at": "2026-11-23T16:00:00Z", "command": "run", "pid": 77,
        "rates": [{"seconds": 10, "requests": 1, "bytes": 2048, "readings": 1, "failed": 0},
                  {"seconds": 60, "requests": 12, "bytes": 2048, "readings": 9, "failed": 3}],
        "in_flight": 1, "asked": [{"url": "http://www.example.org/a.xml", "ms": 1500}],
        "readers": 2, "open": 30, "open_hosts": 1,
        "hosts": [{"host": "slow.example", "why": "paused", "answer_ms": 300, "delay_ms": 1000, "wait_ms": 42000}],
        "failures": [{"url": "http://b.example/s.xml", "code": "fetch-not-found", "at": "2026-11-23T15:59:00Z"}],
        "ready": 5, "leased": 2, "next_page_s": 0, "next_document_s": None, "held": 1,
        "holds": [{"host": "held.example", "until": "2026-11-23T18:00:00Z", "pages_only": True}]}

    def test_whole_picture(self):
        self.answering((json.dumps(self.WHOLE) + '\n{"v":1,"type":"end","exit":0}\n').encode())
        result = self.program.run("top")
        self.assertEqual((result.status, result.out.splitlines()), (0, [
            "freshet run, process 77, at 2026-11-23T16:00:00Z",
            "last 10 s:  1 request for sitemaps  2.0 kB  1 document read, 0 failed",
            "last 60 s:  12 requests for sitemaps  2.0 kB  9 documents read, 3 failed",
            "now:  1 request  2 at readers  30 begun at 1 host",
            "documents:  none is due  pages:  due now, 5 wait, 2 leased",
            "ASKED NOW",
            "  1.5 s  http://www.example.org/a.xml",
            "HOSTS THAT TAKE TIME",
            "  slow.example                      paused   for 42 s  delay 1.0 s  answers in 0.3 s",
            "HELD HOSTS: 1",
            "  held.example                      until 2026-11-23T18:00:00Z  its pages",
            "FAILED OF LATE",
            "  2026-11-23T15:59:00Z  fetch-not-found  http://b.example/s.xml"]))

    def test_signals(self):
        self.crawl_slowly()
        for sign in (signal.SIGINT, signal.SIGTERM):
            terminal = Terminal(self.program, "top")
            terminal.wait_for("ASKED NOW")
            terminal.process.send_signal(sign)
            self.assertEqual(terminal.end(), (128 + sign, ""))

    def test_nobody_is_at_work(self):
        for args in ((), ("-f", "ndjson"), ("--once",)):
            result = self.program.run("top", *args)
            self.assertEqual((result.status, result.out), (4, ""), str(result))
            self.assertEqual(result.err, "freshet: no 'run' or 'crawl' is at work in the store '%s'\n"
                             % self.program.environment()["FRESHET_STORE"])

    def test_another_process_holds_the_store(self):
        """`due` reads no sites, and does not give the store up to be watched."""
        self.slow.put("/alone.xml", urlset([self.slow.url("/p")]))
        self.crawl(self.slow.url("/alone.xml"))
        self.program.run("due")
        owner = self.program.start("due", "--follow")
        while not os.path.exists(self.program.store + ".sock") and owner.poll() is None:
            time.sleep(0.01)
        if owner.poll() is not None:
            self.fail(str(owner.communicate()))
        result = self.program.run("top")
        self.assertEqual((result.status, result.out), (4, ""), str(result))
        self.assertIn("reads no sites", result.err)
        self.assertIsNone(owner.poll())

    def answering(self, answer):
        """Another process at the socket, which answers each request so."""
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(lambda: listener.shutdown(socket.SHUT_RDWR))
        listener.bind(self.program.store + ".sock")
        listener.listen()

        def serve():
            try:
                while True:
                    with listener.accept()[0] as peer:
                        peer.recv(65536)
                        peer.sendall(answer)
            except OSError:  # the listener was closed
                pass
        threading.Thread(target=serve, daemon=True).start()

    def test_another_version(self):
        """The answer of a version that does not know the request."""
        end = b'{"v":1,"type":"end","exit":%d}\n'
        for answer in (b'{"v":1,"type":"said","stream":2,"text":"freshet: the process that holds the store '
                       b'does not know this command\\n"}\n' + end % 2, b'{"v":1,"type":"new"}\n' + end % 0):
            self.answering(answer)
            result = self.program.run("top")
            self.assertEqual((result.status, result.out, result.err), (
                2, "", "freshet: the process that holds the store does not know this command\n"), str(result))
            os.unlink(self.program.store + ".sock")

    def test_no_answer(self):
        self.answering(b"")
        result = self.program.run("top")
        self.assertEqual((result.status, result.err), (
            5, "freshet: the process that holds the store does not answer\n"), str(result))

    def test_hostile_answer(self):
        self.answering((json.dumps({
            "v": 1, "type": "status", "command": "\x1b[2J\u202e", "at": "\x07", "rates": [1, {"seconds": "x"}],
            "asked": [{"url": "http://a/\x1b]0;x\x07\u202e" + "x" * 4000, "ms": -5}, 7] * 200,
            "hosts": [{"host": "a\nb", "why": "\r", "wait_ms": 1 << 62}], "failures": {}, "holds": [[]]})
            + '\n{"v":1,"type":"end","exit":0}\n').encode())
        result = self.program.run("top")
        self.assertEqual(result.status, 0, str(result))
        self.assertFalse(set(result.out) & set("\x1b\x07\r\u202e"), result.out[:400])
        self.assertLess(len(result.out.splitlines()), 4 * (ROWS + 100))

    def test_bad_requests(self):
        """A request of another version, with other members, or that is none; and
        a client that never reads."""
        process = self.crawl_slowly()
        for line, exit_status in ((self.request(version="0"), 2), (self.request(rows=1 << 40), 0),
                                  (self.request(version=[]), 2), ('{"v":1,"command":"status"}\n', 2)):
            peer = self.socket()
            peer.sendall(line.encode())
            with peer.makefile() as answer:
                self.assertEqual(json.loads(answer.readlines()[-1])["exit"], exit_status, line)
        request = self.request().encode()
        for _ in range(30):
            self.socket().sendall(request)
        self.assertEqual(self.ask()["in_flight"], 1)
        self.assertIsNone(process.poll())


if __name__ == "__main__":
    unittest.main()
