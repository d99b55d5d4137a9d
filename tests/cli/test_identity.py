"""freshet identity: keys and their rotation, the directory as a file and as an answer of serve, and verifiers of
others."""
import http.client
import json
import os
import shutil
import stat
import subprocess
import unittest

import npm
from case import Case, urlset
from clock import DAY
from program import BINARY, HOOKED, TOP

PATH = "/.well-known/http-message-signatures-directory"
TYPE = "application/http-message-signatures-directory+json"
SIGN = next((path for path in (os.path.join(os.path.dirname(binary), "..", "tests", "tools", "sign")
                               for binary in (BINARY, HOOKED)) if os.path.exists(path)), "sign")
REQUESTS = 1000


class Identity(Case):
    def setUp(self):
        super().setUp()
        self.folder = os.path.join(self.program.folder, "keys")

    def identity(self, *args, status=0):
        run = self.program.run("identity", *args)
        self.assertEqual(run.status, status, str(run))
        return run

    def keys(self, action="show"):
        return [json.loads(line) for line in self.identity(action, self.folder, "--json").out.splitlines()]

    def put(self, name, text, mode=0o600, folder=None):
        path = os.path.join(folder or self.program.folder, name)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def serve(self, *args):
        site = self.site()
        site.put("/sitemap.xml", urlset([site.url("/a")]))
        self.crawl(site.url("/sitemap.xml"))
        token = self.put("token", "0123456789abcdef\n")
        process = self.program.start("serve", "--listen", "127.0.0.1:0", "--token-file", token, *args)
        self.addCleanup(process.kill)
        return int(process.stderr.readline().decode().rsplit(":", 1)[1].strip("/\n"))

    def ask(self, port, path=PATH):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path, headers={"Host": "anything.test"})
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response.status, dict(response.getheaders()), body


class Keys(Identity):
    def test_new(self):
        """One key, which nobody else may read, and of which only the public part is printed."""
        new = self.identity("new", self.folder).out
        self.assertRegex(new, r"^[\w-]{43}  made \d{4}-\d\d-\d\d \d\d:\d\d  signs\n$")
        name, = os.listdir(self.folder)
        self.assertRegex(name, r"^\d{8}T\d{6}Z\.pem$")
        path = os.path.join(self.folder, name)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)
        with open(path, encoding="ascii") as f:
            secret = f.read().split("\n")[1]
        directory = self.identity("directory", self.folder).out
        self.assertEqual([(k["kty"], k["crv"], k["kid"], k["use"]) for k in json.loads(directory)["keys"]],
                         [("OKP", "Ed25519", new[:43], "sig")])
        for text in (new, directory, self.identity("show", self.folder).out, json.dumps(self.keys())):
            self.assertNotIn(secret[-43:-1], text)

    def test_rotate(self):
        self.follow_clock()
        first, = self.keys("new")
        self.assertEqual((first["signs"], first["until"]), (True, None))
        self.clock.advance(10 * DAY)
        second, old = self.keys("new")
        # the clock goes on while a program starts
        self.assertRegex(second["made"], r"^2026-01-11T00:\d\d:\d\dZ$")
        self.assertEqual([second["signs"], second["until"], old["keyid"], old["signs"], old["until"]],
                         [True, None, first["keyid"], False, second["made"].replace("-11T", "-18T")])
        self.assertIn("in the directory until 2026-01-18", self.identity("show", self.folder).out)
        self.clock.advance(7 * DAY)
        self.assertEqual([key["keyid"] for key in self.keys()], [second["keyid"]])
        self.assertEqual(len(os.listdir(self.folder)), 2)

    def test_bad_keys(self):
        """R-133: each is refused with its code, in one line that has nothing of the file."""
        self.identity("new", self.folder)
        name, = os.listdir(self.folder)
        path = os.path.join(self.folder, name)
        with open(path, encoding="ascii") as f:
            pem = f.read()
        for text, mode, code in ((pem, 0o640, "key-readable"), (pem, 0o604, "key-readable"),
                                 ("secret", 0o600, "key-invalid"), ("", 0o600, "key-invalid"),
                                 (pem.replace("K2Vw", "K2Vu"), 0o600, "key-invalid")):
            self.put(name, text, mode, self.folder)
            err = self.identity("show", self.folder, status=2).err
            self.assertRegex(err, r"^freshet: %s: '%s': [^\n]+\n$" % (code, path))
            self.assertNotIn("secret", err)
        os.unlink(path)
        self.assertIn("key-invalid", self.identity("directory", self.folder, status=2).err)
        self.put("mine.pem", pem, folder=self.folder)
        self.assertIn("20261130T080000Z.pem", self.identity("show", self.folder, status=2).err)
        self.assertIn("key-invalid", self.identity("new", "/proc/none", status=2).err)

    def test_usage(self):
        for args, said in ((("old", self.folder), "unknown ACTION 'old'"),
                           (("new", self.folder, "x"), "'identity new' takes FOLDER\n"),
                           (("verify", self.folder), "'identity verify' takes FOLDER and URL\n"),
                           (("foolish",), "see 'freshet help identity'"),
                           (("new",), "the arguments of 'identity' are: new FOLDER|show"),
                           (("verify", self.folder, "a", "b"), "the arguments of 'identity' are: new FOLDER|show")):
            self.assertIn(said, self.identity(*args, status=2).err)
        for agent in ("http://bot.test", "https://Bot.test", "https://bot.test/", "https://bot.test/x", "bot.test"):
            run = self.program.run("crawl", "--signature-agent", agent, "http://127.0.0.1:9/")
            self.assertEqual(run.status, 2, str(run))
            self.assertIn("https://HOST", run.err)


class Directories(Identity):
    def verify(self, place, status=0):
        run = self.program.run("identity", "verify", self.folder, place, "--json")
        self.assertEqual(run.status, status, str(run))
        return json.loads(run.out)

    def test_serve(self):
        """R-136: everybody may read it, and it is signed for the host of --signature-agent alone, by all keys."""
        self.follow_clock()
        self.identity("new", self.folder)
        self.clock.advance(DAY)
        self.identity("new", self.folder)
        self.clock.rate(1)
        port = self.serve("--identity", self.folder, "--signature-agent", "https://bot.test")
        status, headers, body = self.ask(port)
        self.assertEqual((status, headers["Content-Type"], headers["Cache-Control"]), (200, TYPE, "max-age=3600"))
        self.assertEqual(body, self.identity("directory", self.folder).out)
        self.assertEqual(headers["Signature-Input"].count('("@authority";req)'), 2)
        self.assertEqual(self.ask(port, "/")[0], 401)
        # as another host has it
        answer = [("Content-Type", TYPE)] + [(n, headers[n]) for n in ("Signature-Input", "Signature")]
        site = self.site()
        site.put(PATH, body, headers=answer)
        bad = self.verify(site.url("/"), status=1)
        self.assertEqual(bad["code"], "key-directory-invalid")
        self.assertIn("for this host", bad["why"])
        # keys that were made meanwhile; then none that can be read
        self.clock.advance(DAY)
        self.identity("new", self.folder)
        self.assertEqual(len(json.loads(self.ask(port)[2])["keys"]), 3)
        shutil.rmtree(self.folder)
        self.assertEqual(self.ask(port)[0], 503)

    def test_hosts(self):
        """What a host publishes, judged as others judge it."""
        self.identity("new", self.folder)
        site = self.site()
        port = self.serve("--identity", self.folder, "--signature-agent", "https://127.0.0.1:%d" % site.port)
        _, headers, body = self.ask(port)
        signed = [(n, headers[n]) for n in ("Signature-Input", "Signature")]
        for path, text, how, why in (
                (PATH, body, [("Content-Type", TYPE), *signed], None),
                (PATH, body, [("Content-Type", "application/json"), *signed],
                 "its Content-Type is 'application/json', not " + TYPE),
                (PATH, body, [("Content-Type", TYPE)], "not signed"),
                (PATH, body.replace('"kid":"', '"kid":"a'), [("Content-Type", TYPE), *signed], "directory prints"),
                (PATH, "x" * 70000, [("Content-Type", TYPE), *signed], "body-too-big"),
                ("/other", body, [("Content-Type", TYPE), *signed], "status 404")):
            site.put(PATH, "", status=404)
            site.put(path, text, headers=how)
            found = self.verify(site.url("/").rstrip("/"), status=1 if why else 0)
            self.assertIn(why or "", found["why"])
            self.assertNotIn("ok:", found["why"])
            self.assertEqual(found["code"], "key-directory-invalid" if why else None)
        self.assertIsNone(self.verify(site.url("/other"))["code"])
        self.identity("verify", self.folder, "ftp://127.0.0.1/", status=2)


class Neighbours(Identity):
    def test_verifiers(self):
        """web-bot-auth and http-message-sig verify each of 1,000 random requests, none of which one bit was changed,
        the directory's own answer, and the names of the keys."""
        modules, reason = npm.modules("signatures")
        if modules is None:
            self.skipTest(reason)
        self.identity("new", self.folder)
        name, = os.listdir(self.folder)
        os.rename(os.path.join(self.folder, name), os.path.join(self.folder, "20260101T000000Z.pem"))
        self.identity("new", self.folder)
        answer = self.ask(self.serve("--identity", self.folder, "--signature-agent", "https://bot.test"))
        told = {"url": "https://bot.test" + PATH, "input": answer[1]["Signature-Input"],
                "signature": answer[1]["Signature"]}
        signed = subprocess.run([SIGN, self.folder, str(REQUESTS)], capture_output=True, check=True).stdout
        run = subprocess.run(["node", os.path.join(TOP, "tests", "tools", "signatures", "verify.mjs"), modules,
                              self.put("d.json", answer[2]), self.put("answer", json.dumps(told))],
                             input=signed, capture_output=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stderr.decode())
        found = json.loads(run.stdout)
        self.assertEqual((found["requests"], found["good"], found["changedGood"]), (REQUESTS, REQUESTS, 0))
        self.assertGreater(found["bot"], REQUESTS // 2)
        self.assertEqual((found["botGood"], found["changedBotGood"]), (found["bot"], 0))
        self.assertEqual((found["directory"], found["thumbprints"]), (len(json.loads(answer[2])["keys"]),) * 2)


if __name__ == "__main__":
    unittest.main()
