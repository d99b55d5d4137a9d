"""README.md, made of what the faults say of themselves."""
import os

import scene

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "README.md")
TEXT = """\
# Hostile servers

Faults of servers, numbered as in docs/HOSTILE.md (E: its section 4.11).  Each is
a scene: one or more servers on loopback that misbehave in one way, and what a
good crawler does.

	tests/hostile/run [--full] [-j 4] [ID...]    freshet against each of them
	tests/hostile/serve [--list] [ID...]         the servers alone, for any crawler
	tests/hostile/off [ID...]                    does each case need its defence?
	tests/hostile/together                       all of them at once beside healthy sites
	tests/hostile/selftest                       do the judges notice?

`serve` prints a line for each bad document: id, URL, what it does, what a good
crawler does; then it logs each request as a JSON object a line, until Ctrl-C or
the end of `--time`.  Each server has an address of its own in 127.0.0.0/8, and a
port from the kernel.  On the same port 127.0.0.2 and ::1 listen: a crawler that
connects to these was talked into asking somebody whom it may not ask, and the
log says so.  Floods end after 24 MiB or 20 seconds, silence after a minute, so
that a crawler without defence takes no machine along.

Beside the bad documents there is a healthy site, whose address is the first line:
a crawler that is given all of it at once should have the healthy one whole.

Every case of `run` asserts the exit status, the diagnostics of each document
and the URLs that the store lists of it, bounds of memory (64 MiB for the largest
process), CPU and wall clock, that `db fsck` finds nothing, that nothing forbidden
was connected to, that the healthy site is whole and did not wait, that stdout and
stderr hold printable text only and that each line of JSON is JSON.

| id | the server | a good crawler |
| --- | --- | --- |
"""


def cell(text):
    return text.replace("|", "\\|")


def text():
    rows = ["| %s | %s | %s |\n" % (f.name, cell(f.does), cell(f.good)) for f in scene.load()]
    return TEXT + "".join(rows)


def write():
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(text())


def outdated():
    """What is wrong with it, as a list."""
    with open(PATH, encoding="utf-8") as f:
        return [] if f.read() == text() else ["write it with: tests/hostile/serve --readme"]
