"""The machines of docs/guide/several-machines.md: a PostgreSQL server with TLS and passwords, and two for freshet."""
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time

import pg
import processes
from certs import Authority

LEASE_S = 2
HBA = """local all all trust
hostssl freshet,moved freshet 127.0.0.0/8 scram-sha-256
hostssl freshet +freshet_reader 127.0.0.0/8 scram-sha-256
"""


class Machines:
    """db.example is an address of this process alone."""

    def __init__(self, case, folder, variables):
        self.case, self.folder, self.variables = case, folder, variables
        # postgres refuses a key that others could read, and must read it itself
        files = tempfile.mkdtemp(prefix="freshet-pg-", dir="/tmp")
        case.addCleanup(shutil.rmtree, files, True)
        os.chmod(files, 0o755)
        authority = Authority(files)
        certificate, key = authority.sign(["db.example"])
        hba = os.path.join(files, "hba")
        with open(hba, "w", encoding="ascii") as f:
            f.write(HBA)
        address = "127.%d.%d.%d" % (os.getpid() >> 16 & 63, os.getpid() >> 8 & 255, os.getpid() & 255 | 1)
        if os.geteuid() == 0:
            shutil.chown(key, "postgres")
        self.server = pg.Server(settings=(
            "listen_addresses=" + address, "hba_file=" + hba, "ssl=on",
            "ssl_cert_file=" + certificate, "ssl_key_file=" + key))
        case.addCleanup(self.server.close)
        self.url = "postgresql://freshet@db.example/freshet"
        self.there = {"PGHOST": self.server.folder, "PGUSER": "postgres"}
        self.here = {"PGHOSTADDR": address, "PGSSLROOTCERT": authority.path, "FRESHET_STORE": self.url,
                     "PGPASSFILE": os.path.join(folder, "pgpass")}
        self.keepers = []

    def machine(self, number):
        return dict(self.variables, **self.here, XDG_CACHE_HOME=os.path.join(self.folder, "machine-%d" % number))

    def start(self, number):
        process = self.case.program.start("run", "--log", "json", "--delay", "0", env=self.machine(number))
        self.case.addCleanup(self.kill, process)
        self.keepers.append(process)

    def kill(self, process):
        """The machine is lost: the keeper and its workers at once."""
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            for pid in processes.descendants(process.pid):
                processes.kill(pid)
            process.kill()
        process.communicate(timeout=600)

    def sql(self, text):
        return self.server.sql(text, "freshet")

    def wait_for(self, what, seconds=600):
        ends = time.monotonic() + seconds
        while not what():
            self.case.assertLess(time.monotonic(), ends)
            time.sleep(0.1)

    def held(self):
        return sorted(int(row[0]) for row in self.sql(
            "SELECT count(*) FROM freshet.shard WHERE until > clock_timestamp() GROUP BY owner"))

    # what <!-- world: --> says: each answers the environment from now on

    def on_the_machine_of_the_database(self):
        return {**self.variables, **self.there}

    def on_the_first_machine(self):
        return self.machine(1)

    def at_the_dashboard(self):
        return dict(self.variables, PGHOST="db.example", PGUSER="dashboard", PGPASSWORD="yet-another-one",
                    PGSSLMODE="verify-full", PGHOSTADDR=self.here["PGHOSTADDR"], PGSSLROOTCERT=self.here["PGSSLROOTCERT"])

    def both_machines_run(self):
        # so that nobody waits for the usual ten seconds
        self.sql("UPDATE freshet.cluster SET lease_ms = %d" % (LEASE_S * 1000))
        for number in (1, 2):
            self.start(number)
        self.wait_for(lambda: self.held() == [2, 2])
        return self.machine(1)

    def the_sites_are_read(self):
        self.wait_for(lambda: self.case.program.run("export", env=self.machine(1)).out.count("\n") > 200)
        return self.machine(1)

    def the_second_machine_dies(self):
        self.kill(self.keepers[1])
        self.wait_for(lambda: self.held() == [4])
        self.wait_for(lambda: self.sql("SELECT count(*) FROM freshet.member WHERE until > clock_timestamp()") == [["1"]])
        return self.machine(1)

    def a_store_in_a_file(self):
        path = os.path.join(self.folder, "freshet.db")
        added = self.case.program.run("add", "www.example.org", "www.rival.example", "--store", path, env=self.variables)
        self.case.assertEqual(added.status, 0, str(added))
        with sqlite3.connect(path) as db:
            self.case.assertEqual(db.execute("SELECT count(*) FROM site").fetchone(), (2,))
        self.server.sql("CREATE DATABASE moved OWNER freshet")
        with open(os.path.join(self.folder, "pgpass"), "a", encoding="ascii") as f:
            f.write("db.example:*:moved:freshet:choose-another-one\n")
        return self.machine(1)


def can_run():
    """Why these machines cannot be; empty: they can."""
    if pg.NO_SERVER:
        return pg.NO_SERVER
    return "" if subprocess.run(["psql", "--version"], capture_output=True, check=False).returncode == 0 else "no psql"
