"""freshet run under test: its log is read as it comes.

    daemon = Daemon(program, "--log", "json")
    daemon.wait("read", url=server.url("/sitemap.xml"))   # the event
    daemon.end()                                          # SIGTERM: 143
"""
import json
import signal
import threading
import time


class Daemon:
    def __init__(self, program, *args, env=None, log=True):
        words = ("run",) + (("--log", "json") if log else ()) + args
        self.process = program.start(*words, env=env)
        self.changed = threading.Condition()
        self.lines = []     # of stderr
        self.events = []    # of the log
        self.taken = 0      # events that wait() has passed
        self.is_over = False
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in iter(self.process.stderr.readline, b""):
            text = line.decode("utf-8", "replace").rstrip("\n")
            with self.changed:
                self.lines.append(text)
                if text.startswith("{"):
                    self.events.append(json.loads(text))
                self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    @staticmethod
    def fits(event, name, fields):
        return event["event"] == name and all(event.get(k) == v for k, v in fields.items())

    def wait(self, name, timeout=600, **fields):
        """The next event of that name with these fields."""
        end = time.monotonic() + timeout
        with self.changed:
            while True:
                while self.taken < len(self.events):
                    event = self.events[self.taken]
                    self.taken += 1
                    if self.fits(event, name, fields):
                        return event
                left = end - time.monotonic()
                if left <= 0 or self.is_over:
                    kind = AssertionError if self.is_over else TimeoutError
                    raise kind("no event %s %s\n%s" % (name, fields, self))
                self.changed.wait(left)

    def all(self, name, **fields):
        """All of these so far."""
        with self.changed:
            return [e for e in self.events if self.fits(e, name, fields)]

    def forget(self):
        """wait() looks at what comes from now on."""
        with self.changed:
            self.taken = len(self.events)

    def send(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM, timeout=600):
        """Its exit status after that signal; None: it ends by itself."""
        if number is not None:
            self.send(number)
        status = self.process.wait(timeout)
        self.thread.join(timeout)
        return status

    def __str__(self):
        return "\n".join(self.lines[-60:])
