"""freshet doctor: its report on this machine, and on one with faults."""
import fcntl
import os
import resource
import sqlite3
import struct
import subprocess
import unittest

from case import Case, urlset

LIBRARIES = {"libcurl", "libevent", "zlib", "ISA-L", "libxml2", "jansson", "xxHash", "libcrypto",
             "ICU", "libpsl", "SQLite", "zstd", "libpq"}


class Doctor(Case):
    def doctor(self, *args, status=None, **kwargs):
        """{(group, name): record}"""
        result = self.program.run("doctor", "--json", *args, **kwargs)
        self.assertEqual(result.err, "", str(result))
        records = result.records()
        checks = [r for r in records if r["type"] == "check"]
        summary = records[-1]
        self.assertEqual(summary["type"], "summary")
        for word in ("ok", "warn", "bad"):
            self.assertEqual(summary[word], sum(r["status"] == word for r in checks))
        self.assertEqual(result.status, 1 if summary["bad"] else 0, str(result))
        if status is not None:
            self.assertEqual(result.status, status, str(result))
        return {(r["group"], r["name"]): r for r in checks}

    def assertBad(self, checks, group, name, text):
        self.assertEqual(checks[group, name]["status"], "bad", checks[group, name])
        self.assertIn(text, checks[group, name]["text"])
        self.assertTrue(checks[group, name]["remedy"])

    def crawl_something(self):
        site = self.site()
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        self.crawl(site.url("/sitemap.xml"))

    def test_this_machine(self):
        checks = self.doctor()
        self.assertEqual({n for g, n in checks if g == "libraries"} - {"TLS"}, LIBRARIES)
        for (group, name), record in checks.items():
            if name in LIBRARIES and group == "libraries":
                self.assertRegex(record["text"], r"^\d+\.\d+")
        for group, name in (("system", "descriptors"), ("system", "temporary files"),
                            ("system", "clock"), ("store", "file system"), ("store", "room"),
                            ("system", "certificates")):
            self.assertIn((group, name), checks)
        self.assertEqual(checks["store", "locks"]["status"], "ok")
        self.assertIn("none yet", checks["store", "store"]["text"])

    def test_identity(self):
        """The keys that the configuration names are looked at, and nothing is told without one."""
        self.assertNotIn("identity", {group for group, _ in self.doctor()})
        folder = os.path.join(self.program.folder, "keys")
        config = os.path.join(self.program.folder, "freshet.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write("[defaults]\nidentity = %s\n" % folder)
        os.mkdir(folder, 0o700)
        checks = self.doctor("--config", config, status=1)
        self.assertBad(checks, "identity", "key", "key-invalid: '%s'" % folder)
        self.assertEqual(self.program.run("identity", "new", folder).status, 0)
        checks = self.doctor("--config", config)
        self.assertEqual(checks["identity", "key"]["status"], "ok")
        key, = os.listdir(folder)
        os.chmod(os.path.join(folder, key), 0o644)
        checks = self.doctor("--config", config, status=1)
        self.assertBad(checks, "identity", "key", "key-readable: '%s/%s'" % (folder, key))

    def test_sandbox(self):
        """HOSTILE X34; the `read` call, which is allowed, shows that the
        sandbox does not stop every call."""
        checks = self.doctor("--sandbox-test")
        self.assertEqual({group for group, _ in checks}, {"sandbox"})
        if checks["sandbox", "seccomp"]["status"] != "ok":
            self.skipTest("this kernel has no seccomp")
        found = {name: record["text"] for (_, name), record in checks.items()}
        found.pop("seccomp")
        self.assertEqual(found, {"read": "done", "openat": "refused", "socket": "killed",
                                 "execve": "killed", "ptrace": "killed", "clone": "killed",
                                 "kill": "killed", "mmap of code": "killed"})

    def test_for_people(self):
        result = self.program.run("doctor")
        # a path is never broken
        long = [line for line in result.out.splitlines() if len(line) > 80]
        self.assertEqual([line for line in long if len(line.split()) > 1], [])
        self.assertNotIn("\x1b", result.out)
        self.assertRegex(result.out.splitlines()[-1], r"^\d+ ok, \d+ warnings?, \d+ bad$")
        bad = self.program.run("doctor", "--color", "always", env={"TMPDIR": "/nonexistent"})
        self.assertIn("\x1b[31mbad\x1b[0m", bad.out)

    def test_a_store(self):
        self.crawl_something()
        checks = self.doctor()
        self.assertRegex(checks["store", "store"]["text"], r"^schema \d+, 1 documents, ")
        self.assertEqual(checks["store", "lock"]["text"], "nobody holds it")
        self.assertEqual(checks["store", "last reading"]["status"], "ok")

    def test_a_lock(self):
        self.crawl_something()
        with open(self.program.store + ".lock", "r+b") as lock:
            whole = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK, whole)
            lock.write(b"4711\n")
            lock.truncate()
            lock.flush()
            held = self.doctor()["store", "lock"]
            # what others do meanwhile, and it is true
            self.assertRegex(held["text"], "^process 4711 holds it: .*"
                             "'vacuum' and 'fsck --repair' wait until")
            vacuum = self.program.start("db", "vacuum")
            self.assertRegex(vacuum.stderr.readline(), b"store-locked: .*waiting until it is")
        self.assertEqual(vacuum.wait(600), 0)

    def test_a_clock_that_went_back(self):
        """HOSTILE T21"""
        self.crawl_something()
        with sqlite3.connect(self.program.store) as db:
            db.execute("UPDATE reading SET at_s = at_s + 1000000")
        db.close()
        self.assertBad(self.doctor(status=1), "store", "last reading", "20")

    def test_bad_stores(self):
        folder = self.program.folder
        garbage = os.path.join(folder, "garbage.db")
        with open(garbage, "wb") as f:
            f.write(b"no store at all " * 1000)
        link = os.path.join(folder, "link.db")
        os.symlink(garbage, link)
        for path, text in ((garbage, "store-damaged"), (link, "symbolic link"),
                           (folder, "is a directory")):
            with self.subTest(path=path):
                self.assertBad(self.doctor("--store", path, status=1), "store", "store", text)
        missing = os.path.join(folder, "no", "folder", "store.db")
        self.assertBad(self.doctor("--store", missing, status=1), "store", "folder", "No such")

    def test_bad_places(self):
        self.assertBad(self.doctor("--store", "/proc/store.db", status=1), "store", "locks",
                       "no file can be made")
        self.assertBad(self.doctor(env={"TMPDIR": "/nonexistent"}, status=1), "system",
                       "temporary files", "no file")

    def test_certificates(self):
        path = os.path.join(self.program.folder, "empty.pem")
        with open(path, "w", encoding="ascii"):
            pass
        self.assertBad(self.doctor("--cacert", path, status=1), "system", "certificates", "0 bytes in")

    def test_no_system_certificates(self):
        """Certificates in the folder beside the missing file are never used, so
        they do not count."""
        bundle = "/etc/ssl/certs/ca-certificates.crt"
        in_a_mount = ["unshare", "-rm", "sh", "-c", "mount --bind /dev/null %s && exec \"$@\""
                      % bundle, "sh"]
        if not os.path.exists(bundle) or subprocess.run(in_a_mount + ["true"],
                                                        capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted over '%s'" % bundle)
        done = subprocess.run(in_a_mount + [self.program.binary, "doctor"], timeout=600,
                              env=self.program.environment(), capture_output=True)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(b"0 bytes in " + bundle.encode(), done.stdout)

    def test_few_descriptors(self):
        """HOSTILE T31, P8"""
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
        done = subprocess.run([self.program.binary, "doctor"], preexec_fn=limit, timeout=600,
                              env=self.program.environment(), capture_output=True)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stdout.decode(), r"bad +descriptors +100, up to 100")


if __name__ == "__main__":
    unittest.main()
