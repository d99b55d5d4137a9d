"""What lies between programs and a PostgreSQL server: a Unix socket that forwards to
that of the server, in a process of its own.

    proxy = Proxy({"/tmp/a/.s.PGSQL.5432": "/tmp/pg/.s.PGSQL.5432"})
    proxy.hold("/tmp/a/", 3.0)    # nothing passes for so long, then all of it does
    proxy.sever("/tmp/a/")        # connections of these sockets end
    proxy.cut_later("/tmp/a/", k, "to", n)  # of the connections from now on the one after k
                                  # others ends when n bytes have gone to the server
                                  # ("from": come from it); what came before has passed
    proxy.cut_after("/tmp/a/", "to", n)     # likewise the first of those that are there,
                                  # n bytes from now on
    proxy.counts()                # bytes of each connection so far: [(to, from)]
"""
import json
import os
import selectors
import signal
import socket
import time

import parent_death


class Proxy:
    def __init__(self, places):
        """places: path of a socket to make: that of the server."""
        self.places = places
        ours, theirs = socket.socketpair()
        listeners = {}
        for path in places:
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen(64)
            os.chmod(path, 0o777)
            listeners[listener] = path
        self.pid = os.fork()
        if self.pid == 0:
            try:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                parent_death.with_parent()()
                ours.close()
                Forwarder(places, listeners, theirs).run()
            finally:
                os._exit(0)
        theirs.close()
        for listener in listeners:
            listener.close()
        self.lines = ours.makefile("rw")
        self.control = ours

    def say(self, *words):
        self.lines.write(json.dumps(words) + "\n")
        self.lines.flush()
        return json.loads(self.lines.readline())

    def hold(self, prefix, seconds):
        self.say("hold", prefix, seconds)

    def sever(self, prefix):
        self.say("sever", prefix)

    def cut_later(self, prefix, number, way, count):
        self.say("cut", prefix, number, way, count)

    def cut_after(self, prefix, way, count):
        self.say("after", prefix, way, count)

    def counts(self):
        return [tuple(c) for c in self.say("counts")]

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        self.lines.close()
        self.control.close()


class Pair:
    def __init__(self, path, client, server):
        self.path = path
        self.ends = {client: server, server: client}
        self.client = client
        # What an end does not take yet: a process that is stopped holds up nobody else.
        self.backlog = {client: b"", server: b""}
        self.counts = {"to": 0, "from": 0}
        self.cuts = {}


class Forwarder:
    def __init__(self, places, listeners, control):
        self.places, self.listeners, self.control = places, listeners, control
        self.chooser = selectors.DefaultSelector()
        self.chooser.register(control, selectors.EVENT_READ)
        for listener in listeners:
            self.chooser.register(listener, selectors.EVENT_READ)
        self.pairs = {}     # by each of its two sockets
        self.all = []
        self.held = {}      # prefix: until when
        self.cuts = {}      # prefix: (connections that begin before, way, count)

    def is_held(self, path):
        now = time.monotonic()
        return any(path.startswith(prefix) and until > now for prefix, until in self.held.items())

    def close(self, pair):
        for end in pair.ends:
            if self.pairs.pop(end, None) is not None:
                if end in self.chooser.get_map():
                    self.chooser.unregister(end)
                end.close()

    def watch(self, pair):
        """Who has not taken all is told nothing more."""
        for end, other in pair.ends.items():
            wanted = (0 if pair.backlog[other] else selectors.EVENT_READ) | (
                selectors.EVENT_WRITE if pair.backlog[end] else 0)
            if end in self.chooser.get_map():
                self.chooser.unregister(end)
            if wanted:
                self.chooser.register(end, wanted)

    def send(self, pair, end, piece):
        try:
            if pair.cuts:
                end.sendall(piece)  # what comes before the cut has passed
                piece = b""
            else:
                piece = piece[end.send(piece, socket.MSG_DONTWAIT):]
        except BlockingIOError:
            pass
        if piece or pair.backlog[end]:
            pair.backlog[end] = piece
            self.watch(pair)

    def go_on(self, end):
        """The end takes more."""
        pair = self.pairs.get(end)
        if pair is not None and pair.backlog[end]:
            try:
                self.send(pair, end, pair.backlog[end])
            except OSError:
                self.close(pair)

    def obey(self, words):
        answer = None
        if words[0] == "hold":
            self.held[words[1]] = time.monotonic() + words[2]
        elif words[0] == "sever":
            for pair in set(self.pairs.values()):
                if pair.path.startswith(words[1]):
                    self.close(pair)
        elif words[0] == "cut":
            self.cuts[words[1]] = words[2:]
        elif words[0] == "after":
            for pair in set(self.pairs.values()):
                if pair.path.startswith(words[1]):
                    pair.cuts[words[2]] = pair.counts[words[2]] + words[3]
        elif words[0] == "counts":
            answer = [(p.counts["to"], p.counts["from"]) for p in self.all]
        self.control.sendall((json.dumps(answer) + "\n").encode())

    def accept(self, listener):
        path = self.listeners[listener]
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(self.places[path])
        except OSError:
            client.close()
            return
        pair = Pair(path, client, server)
        for prefix in [p for p in self.cuts if path.startswith(p)]:
            number, way, count = self.cuts.pop(prefix)
            if number > 0:
                self.cuts[prefix] = (number - 1, way, count)
            else:
                pair.cuts[way] = count
        self.all.append(pair)
        for end in pair.ends:
            self.pairs[end] = pair
            self.chooser.register(end, selectors.EVENT_READ)

    def forward(self, end):
        pair = self.pairs.get(end)
        if pair is None or pair.backlog[pair.ends[end]]:
            return
        way = "to" if end is pair.client else "from"
        left = pair.cuts.get(way, pair.counts[way] + 65536) - pair.counts[way]
        try:
            piece = end.recv(min(65536, max(left, 1)))
            if piece and left > 0:
                self.send(pair, pair.ends[end], piece)
        except OSError:
            piece = b""
        pair.counts[way] += len(piece)
        if way in pair.cuts and pair.counts[way] >= pair.cuts[way]:
            for other in self.pairs.values():
                other.cuts = {}
            self.close(pair)
        elif not piece:
            self.close(pair)

    def run(self):
        lines = self.control.makefile("r")
        while True:
            events = self.chooser.select(0.02 if self.held else None)
            is_busy = False
            for key, mask in events:
                if key.fileobj is self.control:
                    line = lines.readline()
                    if not line:
                        return
                    self.obey(json.loads(line))
                elif key.fileobj in self.listeners:
                    if not self.is_held(self.listeners[key.fileobj]):
                        self.accept(key.fileobj)
                        is_busy = True
                elif key.fileobj in self.pairs:
                    if not self.is_held(self.pairs[key.fileobj].path):
                        if mask & selectors.EVENT_WRITE:
                            self.go_on(key.fileobj)
                        if mask & selectors.EVENT_READ:
                            self.forward(key.fileobj)
                        is_busy = True
            now = time.monotonic()
            self.held = {p: until for p, until in self.held.items() if until > now}
            if self.held and not is_busy:
                time.sleep(0.02)  # what is held is ready all the time
