"""Makes README.md from the descriptions of the faults."""
import os

import scene

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "README.md")
TEXT = """\
# Hostile servers

Faults of servers, numbered as in docs/internals/HOSTILE.md (E: its section 4.11).  Each is
a scene: one or more servers on loopback that misbehave in one way, and what a
good crawler does.  D are clients of `freshet serve`: they come behind a crawl of the
healthy site, and are none of the servers of `serve`.  O4 and O5 look at what it serves.
W are pages, which `freshet fetch` asks for behind the crawl, into an archive.

	tests/hostile/run [--full] [-j 4] [--table] [ID...]  freshet against each of them
	tests/hostile/serve [--list] [ID...]         the servers alone, for any crawler
	tests/hostile/off [ID...]                    does each case need its defence?
	tests/hostile/together                       all of them at once beside healthy sites
	tests/hostile/selftest                       do the judges notice?
	tests/hostile/chaos [--seed N] [--commands N]  random sites, commands, options, one store

What is no server's, of disks, processes, memory, clocks and PostgreSQL, is shown by
other folders of tests: `elsewhere.py` says which. `run --full` runs them, too, and with
`--table` writes docs/internals/defences.md of it all. A long test tries other points in
each run, and counts them in tests/durability/counts.tsv; `off` keeps what each test said
without its defence in without.tsv.

`serve` prints a line for each bad document: id, URL, what it does, what a good
crawler does; then it logs each request as a JSON object a line, until Ctrl-C or
the end of `--time`.  Each server has an address of its own in 127.0.0.0/8, and a
port from the kernel.  On the same port 127.0.0.2 and ::1 listen: a crawler that
connects to these was talked into asking somebody whom it may not ask, and the
log says so.  Floods end after 24 MiB or 20 seconds, silence after a minute, so
that a crawler without defence takes no machine along.

`chaos` is for those that nobody has thought of: a web of some 60 random hosts (half
of them below the same few domains) changes while random commands with random
options go over one store; now and then one is cut off, two run at once, others
speak with a `run`, or a reader or the fork server is killed.  No command may stay
past its time, end by a signal or with a status that its help has not, leave a
process behind, use more than 160 MiB, keep the loop for 200 ms of processor time,
connect to what is forbidden, or print what is not printable or no JSON; a healthy
site is whole, `db fsck` finds nothing.  `run` does a sample of 60 commands, always
the same ones; a soak is `--commands 10000 --seed N --folder DIR`, with a build with
`-Dtest_hooks=true`, whose clock follows the test so that days pass, or one with
sanitizers.  DIR then has what is needed to do a failed command once more.

Beside the bad documents there is a healthy site, whose address is the first line:
a crawler that is given all of it at once should have the healthy one whole.

Every case of `run` asserts the exit status, the diagnostics of each document
and the URLs that the store lists of it, bounds of memory (64 MiB for the largest
process), CPU and wall clock, that `db fsck` finds nothing, that nothing forbidden
was connected to, that the healthy site is whole and did not wait, that stdout and
stderr hold printable text only and that each line of JSON is JSON.  The wall clock
is without what the crawl and its servers waited for a processor that others had;
what the loop does in one piece is judged by processor time.  A machine with other
work makes no case fail, and a defence that is missing does.

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
    """Returns what is wrong with README.md, as a list."""
    with open(PATH, encoding="utf-8") as f:
        return [] if f.read() == text() else ["write it with: tests/hostile/serve --readme"]
