"""What is kept of the past of sites is what is computed without it, to the byte, in all that
looks: commands, pages and the API, for random spans of time."""
import contextlib
import http.client
import random
import re
import sqlite3
import time

DAY = 86400
AS_OF = re.compile(r"as of [^;]*;")
COMMANDS = (["diff", "--json"], ["diff", "--rows", "-f", "csv"], ["report", "--html", "-"])
PATHS = ("/?", "/events?", "/api/v1/events?limit=1000&", "/api/v1/diff?limit=1000&")


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def without_rows(store, now):
    """A copy of the store in which nothing is kept; in the store something is, and holds."""
    bare = store + ".bare"
    with contextlib.closing(sqlite3.connect(store)) as db:
        db.execute("VACUUM INTO ?", (bare,))
        hold, = db.execute("SELECT count(*) FROM past p WHERE until_s > ? AND reading_id ="
                           " (SELECT max(last_reading_id) FROM document WHERE site_id = p.site_id)", (now,)).fetchone()
    if hold == 0:
        raise AssertionError("nothing that is kept holds")
    with contextlib.closing(sqlite3.connect(bare)) as db, db:
        db.execute("DELETE FROM past")
    return bare


def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    with contextlib.closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, AS_OF.sub("", response.read().decode())


def judge_past(case, begin, days, spans=8):
    """Of a Clocked case that has the time to itself from then on."""
    # rows that hold no more compare nothing: sites were read since, or the clock went on
    case.program.run("db", "migrate", "--quiet")
    stores = case.program.store, without_rows(case.program.store, case.clock.now())
    config = case.program.store + ".conf"
    with open(config, "w") as f:
        f.write("[alert all]\natom = %s.atom\n" % case.program.store)
    case.clock.rate(1)
    ports = []
    for store in stores:
        server = case.program.start("serve", "--listen", "127.0.0.1:0", "--store", store)
        ports.append(int(server.stderr.readline().decode().rsplit(":", 1)[1].strip("/\n")))
    rng = random.Random(47)
    for _ in range(spans):
        since = begin + rng.randrange(days * DAY)
        span = stamp(since), stamp(since + rng.randrange(1, 21 * DAY))
        for words in COMMANDS:
            told = [case.program.run(*words, "--since", span[0], "--until", span[1], "--store", store).out
                    for store in stores]
            case.assertEqual(told[0], told[1], (words, span))
        told = [case.program.run("alert", "replay", "all", "--since", span[0], "--json", "--config", config,
                                 "--store", store).out for store in stores]
        case.assertEqual(told[0], told[1], span)
        for path in PATHS:
            told = [ask(port, path + "since=%s&until=%s" % span) for port in ports]
            case.assertEqual(told[0][0], 200, (path, told[0]))
            case.assertEqual(told[0], told[1], (path, span))
