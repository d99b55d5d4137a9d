"""The examples of README and of the documents, as they stand there.

A block that begins with ```console is run: each line behind `$ ` (with the
lines behind `> `) by one shell, in a folder of its own for each document, and
what the block shows behind it is what is printed.  `…` stands for anything; a
duration for any duration; a block that shows nothing behind a command may
print anything.  The commands end with 0 or 1.

`<!-- world: NAME -->` before a block changes the world first: see World.  The
hosts of the documents are servers on loopback with their true names.  A block
that begins with ```console not run: REASON is for the machine of the reader only.
"""
import glob
import os
import re
import select
import shutil
import socket
import socketserver
import subprocess
import threading
import unittest

import machines_world
from case import Case, gz, index, urlset
from certs import Authority
from program import NO_HOOKS, TOP
from server import Site, tls_context

# Blocks that cannot be run here.  This number only goes down.
NOT_RUN = 11

FENCE = re.compile(r"(?ms)^(?:<!-- world: ([a-z -]+) -->\n)?```([^\n]*)\n(.*?)^```$")
HOUR = 3600
DAY = 86400
BEGIN_S = 1772200800  # 2026-02-27T14:00:00Z


def documents():
    """README and all documents for users, by their names."""
    paths = [os.path.join(TOP, "README.md")]
    for folder in ("guide", "reference"):
        paths += sorted(glob.glob(os.path.join(TOP, "docs", folder, "*.md")))
    return [os.path.relpath(path, TOP) for path in paths]


def text_of(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def commands(block):
    """[(command, what is shown behind it or None)]"""
    found = []
    for line in block.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
        else:
            raise AssertionError("'%s' stands before a command" % line)
    return [(command, "\n".join(shown) if shown else None) for command, shown in found]


def pattern_of(shown):
    """What must be printed, as a regular expression."""
    text = re.escape(shown.rstrip("\n"))
    text = text.replace("…", ".*")
    return re.compile(re.sub(r"(?<![\d.])\d+\\\.\d\\ s\b", r"[\\d.:]+ s", text), re.S)


class Tunnel(socketserver.ThreadingTCPServer):
    """A proxy for other programs: every CONNECT leads to one port."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port):
        self.to = port
        super().__init__(("127.0.0.1", 0), Through)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05},
                         daemon=True).start()


class Through(socketserver.BaseRequestHandler):
    def handle(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            more = self.request.recv(1)
            if not more:
                return
            head += more
        with socket.create_connection(("127.0.0.1", self.server.to)) as other:
            self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            ends = [self.request, other]
            while True:
                for ready in select.select(ends, (), (), 60)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    ends[1 - ends.index(ready)].sendall(data)


class World:
    """The hosts of the documents, and how they change.

    www.example.org is a shop; its folder `public` lies in the working folder.
    www.rival.example and www.other.example are rivals.
    """

    HOSTS = ("www.example.org", "shop.example.org", "www.rival.example", "www.other.example")

    def __init__(self, case, folder):
        self.case = case
        self.folder = folder
        self.clock = case.clock
        authority = Authority(case.program.folder)
        self.site = Site(tls=tls_context(*authority.sign(self.HOSTS)))
        case.addCleanup(self.site.close)
        tunnel = Tunnel(self.site.port)
        case.addCleanup(tunnel.server_close)
        case.addCleanup(tunnel.shutdown)
        path = os.path.join(case.program.folder, "documents.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[defaults]\nconnect-to = ::127.0.0.1:%d\ncacert = %s\ndelay = 0\n"
                    % (self.site.port, authority.path))
        self.variables = {
            "FRESHET_CONFIG": path,
            "https_proxy": "http://127.0.0.1:%d" % tunnel.server_address[1],
            "SSL_CERT_FILE": authority.path}
        self.owner()
        self.rivals(range(1, 41), range(1, 13))

    def put_file(self, name, body):
        path = os.path.join(self.folder, "public", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(body if isinstance(body, bytes) else body.encode())
        kind = "text/plain" if name.endswith(".txt") else "application/xml"
        self.site.put("www.example.org/" + name, body, headers=[("Content-Type", kind)])

    def owner(self, mistakes=True):
        """A shop, with mistakes or without."""
        at = "https://www.example.org/"
        self.put_file("robots.txt", "User-agent: *\nDisallow: /basket\n"
                                    "Sitemap: %ssitemap.xml\n" % at)
        self.put_file("sitemap.xml", index([at + "tea.xml.gz", at + "pages.xml"]))
        self.put_file("tea.xml.gz", gz(urlset([
            (at + "tea/%d" % n, "2025-%02d-%02d" % (1 + n % 12, 1 + n % 28)) for n in range(1, 121)])))
        pages = [(at + "about", "2026-02-30" if mistakes else "2026-02-20"),
                 (at + "contact", "2026-02-01")]
        if mistakes:
            pages += ["https://cdn.example.org/catalogue.pdf", "/imprint", at + "basket"]
        self.put_file("pages.xml", urlset(pages))
        self.put_pages("www.example.org", ["tea/%d" % n for n in range(1, 121)] +
                       ["about", "contact"])

    def put_pages(self, host, names):
        for name in names:
            self.site.put("%s/%s" % (host, name), "<title>%s</title><p>All about %s." % (name, name),
                          headers=[("Content-Type", "text/html")])

    def rivals(self, products, posts, lessons=(), prices="2026-01-05"):
        for host, numbers in (("www.rival.example", products), ("www.other.example", range(1, 31))):
            at = "https://%s/" % host
            self.site.put(host + "/robots.txt", "Sitemap: %ssitemap.xml\n" % at)
            self.site.put(host + "/sitemap.xml", index([at + "shop.xml", at + "blog.xml"]),
                          headers=[("Content-Type", "application/xml")])
            self.site.put(host + "/shop.xml", urlset(
                [(at + "shop/%d" % n, prices) for n in numbers] +
                [(at + "academy/%d" % n, prices) for n in lessons if "rival" in host]),
                          headers=[("Content-Type", "application/xml")])
            self.site.put(host + "/blog.xml", urlset([(at + "blog/%d" % n, "2026-01-%02d" % n)
                                                      for n in posts]),
                          headers=[("Content-Type", "application/xml")])
            self.put_pages(host, ["shop/%d" % n for n in numbers] + ["blog/%d" % n for n in posts])

    # what <!-- world: --> says

    def a_week_later(self):
        """A rival has five new products, ends three, and opens an academy; both write
        posts. Meanwhile cron calls `freshet run --once`."""
        self.clock.advance(3 * DAY)
        self.rivals(range(4, 46), range(1, 15), range(1, 9))
        for wait_s in (HOUR, 4 * DAY, 0):
            self.case.program.run("run", "--once", env=self.variables)
            self.clock.advance(wait_s)

    def an_hour_later(self):
        self.clock.advance(3600)

    def the_folder_is_built(self):
        """It gets its pages, and one sitemap that dates them by the build."""
        names = ["tea/%d" % n for n in range(1, 121)] + ["about", "contact"]
        for name in ["tea.xml.gz", "pages.xml"]:
            if os.path.exists(os.path.join(self.folder, "public", name)):
                os.unlink(os.path.join(self.folder, "public", name))
        os.makedirs(os.path.join(self.folder, "public", "tea"), exist_ok=True)
        for name in names:
            with open(os.path.join(self.folder, "public", name + ".html"), "w", encoding="ascii") as f:
                f.write("<title>%s</title><p>%s" % (name, name))
        with open(os.path.join(self.folder, "public", "sitemap.xml"), "w", encoding="ascii") as f:
            f.write(urlset([("https://www.example.org/" + name, "2026-02-27") for name in names]))

    def the_mistakes_are_mended(self):
        self.owner(mistakes=False)


class Documents(Case):
    def session(self, name):
        """Run the blocks of a document."""
        blocks = [found for found in FENCE.findall(text_of(name)) if found[1] == "console"]
        if not blocks:
            return
        if NO_HOOKS:
            self.skipTest(NO_HOOKS)
        has_machines = "several-machines" in name
        if has_machines and machines_world.can_run():
            self.skipTest(machines_world.can_run())
        # between machines there is no clock but the true one
        self.clock = None
        if not has_machines:
            self.follow_clock(wall=BEGIN_S)
        folder = os.path.join(self.program.folder, "work")
        shell = os.path.join(self.program.folder, "bin")
        for made in (folder, shell):
            os.makedirs(made)
        os.symlink(self.program.binary, os.path.join(shell, "freshet"))
        os.symlink(os.path.join(TOP, "docs"), os.path.join(folder, "docs"))
        world = World(self, folder)
        variables = world.variables
        if has_machines:
            world = machines_world.Machines(self, folder, variables)
        for change, _, block in blocks:
            if change:
                variables = getattr(world, change.replace(" ", "_"))() or variables
            environment = self.program.environment(variables)
            environment["PATH"] = shell + ":" + environment["PATH"]
            for command, shown in commands(block):
                self.step(name, command, shown, folder, environment)

    def step(self, name, command, shown, folder, environment):
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, timeout=600,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        said = "%s: $ %s\n%s" % (name, command, done.stdout)
        self.assertIn(done.returncode, (0, 1), said)
        if shown is not None:
            self.assertTrue(pattern_of(shown).fullmatch(done.stdout.rstrip("\n")),
                            "%s\n--- shown:\n%s" % (said, shown))

    def test_all_are_run(self):
        """No example stands outside a block, and few blocks are not run."""
        outside, skipped = [], 0
        for name in documents():
            text = text_of(name)
            for kind in re.findall(r"(?m)^```(console.+)$", text):
                self.assertRegex(kind, r"^console not run: \w+ \w+", name)
                skipped += 1
            if name.endswith("tour.md"):
                continue  # it is what `freshet demo` says: test_demo.py
            for line in FENCE.sub("", text).split("\n"):
                if re.match(r"(\t|    )\$? ?(freshet|\./freshet) ", line):
                    outside.append("%s: %s" % (name, line.strip()))
        self.assertEqual(outside, [])
        self.assertEqual(skipped, NOT_RUN)

    def test_counts(self):
        """README says "more than" a number of examples, cases and faults that is near today's."""
        text = text_of("README.md")
        cases = sum(text_of(path).count("\n") for path in glob.glob(os.path.join(
            TOP, "tests", "conformance", "cases", "*.jsonl")))
        examples = len(re.findall(r"(?m)^before$", text_of("docs/reference/diagnostics.txt")))
        faults = subprocess.run([os.path.join(TOP, "tests", "hostile", "serve"), "--list"],
                                stdout=subprocess.PIPE, text=True, check=True).stdout.count("\n")
        for count, what in ((cases, ", all as specified"), (examples, ", and each of them run"),
                            (faults, " faults of servers")):
            said = re.search(r"\| more than ([\d,]+)" + what, text)
            self.assertIsNotNone(said, what)
            number = int(said.group(1).replace(",", ""))
            self.assertTrue(number < count < 1.2 * number, "%d%s: %d" % (number, what, count))

    def test_links(self):
        """Each link of a document to a file leads to one, and to a part that is there."""
        for name in documents() + sorted(os.path.relpath(path, TOP) for path in glob.glob(
                os.path.join(TOP, "docs", "internals", "*.md"))):
            for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text_of(name))):
                path, _, part = link.partition("#")
                if re.match(r"[a-z]+:", link):
                    continue
                target = os.path.normpath(os.path.join(TOP, os.path.dirname(name), path)) \
                    if path else os.path.join(TOP, name)
                self.assertTrue(os.path.exists(target), "%s: %s" % (name, link))
                if part:
                    self.assertIn(part, anchors(target), "%s: %s" % (name, link))


def anchors(path):
    """The parts of a document, as GitHub and others name them."""
    with open(path, encoding="utf-8") as f:
        heads = re.findall(r"(?m)^#+ (.*)$", f.read())
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def session_test(name):
    return lambda self: self.session(name)


for document in documents():
    setattr(Documents, "test_" + re.sub(r"\W+", "_", document), session_test(document))

if __name__ == "__main__":
    unittest.main()
