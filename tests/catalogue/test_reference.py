"""The examples of docs/reference/diagnostics.txt: each code is reported of what
stands before, and not of what stands after.

The head of that file describes the examples.  The site is www.shop.example:
files are checked as if they were published there, and answers come from a
server on loopback that has its name, with http in place of https.
"""
import os
import re
import subprocess
import sys
import unittest

from case import Case, index, urlset
from program import TOP

sys.path.insert(0, os.path.join(TOP, "docs"))
import tables  # noqa: E402

REFERENCE = os.path.join(TOP, "docs", "reference", "diagnostics.txt")
HOST = "www.shop.example"
CODES = tables.examples(REFERENCE)[1]
# Codes without an example that runs, since they are none of files and answers alone: of keys, say.
WITHOUT = 36


def whole(text):
    """Entries become a document; everything else is one."""
    for begin, made in (("<url>", urlset), ("<url ", urlset), ("<sitemap>", index)):
        if text.startswith(begin):
            return made([]).replace("</", text + "\n</")
    return text + "\n"


def answer(text, path):
    """The bytes of an HTTP response."""
    kind = "text/plain" if path.endswith("/robots.txt") else "application/xml"
    if not text.startswith("HTTP/1.1 "):
        text = "HTTP/1.1 200 OK\nContent-Type: %s\n\n%s" % (kind, text)
    head, _, body = text.partition("\n\n")
    body = whole(body).encode() if body else b""
    if "\nContent-Length:" not in head:
        head += "\nContent-Length: %d" % len(body)
    return (head.replace("\n", "\r\n") + "\r\nConnection: close\r\n\r\n").encode() + body


class Examples(Case):
    def check(self, *args):
        """(codes that are reported, those of them that are errors or warnings)"""
        result = self.program.run("check", "-f", "json", "--delay", "0", *args)
        found = [r for r in result.records() if r["record"] == "finding"]
        self.assertTrue(result.out.endswith("\n") and result.status in (0, 1, 4), str(result))
        return ({r["code"] for r in found},
                {r["code"] for r in found if r["severity"] != "info"})

    def check_folder(self, commands, files, options):
        folder = os.path.join(self.program.folder, "public")
        for name, text in files or [("/sitemap.xml", "<url>\n<loc>https://%s/tea</loc>\n</url>" % HOST)]:
            path = folder + name
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text + "\n" if name == "/robots.txt" else whole(text))
        if commands:
            subprocess.run(["sh", "-e"], input=re.sub(r"(?m)^\$ ", "", commands), text=True,
                           cwd=folder, check=True)
        target = folder
        if "/robots.txt" not in dict(files):
            target = next((os.path.join(folder, name) for name in
                           ("index.xml", "sitemap.txt", "sitemap.xml.gz")
                           if os.path.exists(os.path.join(folder, name))), folder)
        root = [] if target == folder else ["--root", folder]
        return self.check("--base", "https://%s/" % HOST, *root, *options, target)

    def serve(self, files):
        self.server.replies.clear()
        for name, text in files:
            self.server.put(name.lstrip("/") if not name.startswith("/") else name,
                            raw=answer(text.replace("https:", "http:"), name))

    @staticmethod
    def target(files):
        names = dict(files)
        if "/robots.txt" in names and "/sitemap.xml" not in names:
            return "http://%s/" % HOST
        strange = next((name for name in names if not name.startswith("/")), None)
        if strange and "/sitemap.xml" not in names:
            return "http://" + strange
        return "http://%s%s" % (HOST, "/index.xml" if "/index.xml" in names else "/sitemap.xml")

    def judge(self, text, options):
        """What is reported of an example: as check()."""
        phases = [[(name or "/sitemap.xml", body) for name, body in tables.pieces(phase.strip("\n"))]
                  for phase in text.split("-- then --")]
        files = phases[-1]
        if len(phases) == 1 and not any(body.startswith("HTTP/1.1 ") for _, body in files):
            commands = dict(files).get("shell")
            return self.check_folder(commands, [f for f in files if f[0] != "shell"], options)
        self.server = self.site()
        to = ["--connect-to", "::127.0.0.1:%d" % self.server.port]
        if len(phases) == 1:
            self.serve(files)
            return self.check(*to, *options, self.target(files))
        target = self.target(phases[0])
        for files in phases:
            self.serve(files)
            crawl = self.crawl("--delay", "0", *to, *options, target, status=None)
        return set(crawl.codes()), set()

    def test_every_code(self):
        """Each code has its examples, or a note that says when it is reported."""
        done = subprocess.run([self.program.binary, "help", "diagnostics", "--json"], check=True,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        codes = set(re.findall(r'"code":"([a-z0-9-]+)"', done.stdout))
        self.assertEqual(codes, set(CODES), "docs/reference/diagnostics.txt")
        for code, parts in CODES.items():
            self.assertTrue("before" in parts or "note" in parts, code)
        self.assertEqual(sum("before" not in parts for parts in CODES.values()), WITHOUT)

    def test_notes_fill_their_lines(self):
        """A line of a note ends only where the next word has no room."""
        for code, parts in CODES.items():
            if "note" not in parts:
                continue
            out = self.program.run("help", code).out
            note = re.search(r"(?m)^  note    (.*(?:\n {10}\S.*)*)", out)[1].split("\n")
            self.assertEqual(" ".join(line.strip() for line in note).split(), parts["note"].split(), code)
            for line, after in zip(note, note[1:]):
                self.assertGreater(10 + len(line.strip()) + 1 + len(after.split()[0]), 80, (code, line))


def example_test(code, parts):
    def test(self):
        options = parts.get("with", "").split()
        codes, _ = self.judge(parts["before"], options)
        self.assertIn(code, codes, "before")
        self.program.close()
        self.program.__init__()
        codes, bad = self.judge(parts["after"], options)
        self.assertNotIn(code, codes, "after")
        self.assertEqual(bad, set(), "after")
    return test


for name, example in CODES.items():
    if "before" in example:
        setattr(Examples, "test_" + name.replace("-", "_"), example_test(name, example))

if __name__ == "__main__":
    unittest.main()
