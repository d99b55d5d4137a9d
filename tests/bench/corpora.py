"""Corpora of gen_corpus.py, and nginx to serve them on loopback."""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tools"))

import nginx  # noqa: E402
import truth  # noqa: E402

# of the entries of each sitemap, in the order of their URLs, these are redated in v3
ADJACENT = (0.50, 0.51)
REDATED = b"2026-06-01T00:00:00+00:00"
ENTRY = re.compile(rb"(<loc>([^<]*)</loc>\s*<lastmod>)([^<]*)")
NO_VALIDATORS = "etag off; if_modified_since off; add_header Last-Modified \"\";"
SERVER = """sendfile on;
  tcp_nopush on;
  %s
  server { listen 127.0.0.1:%d backlog=4096; root live/$host; }"""


class Corpus:
    """One corpus: folder, port, hosts, manifest, and its truth."""

    def __init__(self, folder, options, port):
        """Take the corpus that lies in that folder, or make it."""
        self.folder = folder
        path = os.path.join(folder, "manifest.json")
        if not os.path.exists(path):
            subprocess.run([sys.executable, os.path.join(HERE, "gen_corpus.py"), folder,
                            "--port", str(port)] + options, check=True, stdout=sys.stderr)
        with open(path, encoding="utf-8") as f:
            self.manifest = json.load(f)
        arguments = self.manifest["arguments"]
        for name, value in zip(options[::2], options[1::2]):
            if str(arguments[name[2:].replace("-", "_")]) != value:
                sys.exit("the corpus in '%s' is not of %s %s" % (folder, name, value))
        self.port = arguments["port"]
        self.children = arguments["children"]
        self.hosts = sorted(os.listdir(os.path.join(folder, "v1")))
        self.truths = {}

    def truth(self, generation):
        if generation not in self.truths:
            self.truths[generation] = truth.of(self, generation)
        return self.truths[generation]

    def make_adjacent(self):
        """v3: as v1, but the entries with new dates are neighbours."""
        new = os.path.join(self.folder, "v3.new")
        self.manifest["v3"] = self.manifest["v1"]
        if os.path.exists(os.path.join(self.folder, "v3")):
            return
        shutil.rmtree(new, ignore_errors=True)
        for path in self.files():
            to = path.replace("/v1/", "/v3.new/")
            os.makedirs(os.path.dirname(to), exist_ok=True)
            is_packed = path.endswith(".gz")
            with (gzip.open if is_packed else open)(path, "rb") as f:
                text = f.read()
            locs = sorted(m.group(2) for m in ENTRY.finditer(text))
            # of the index all, so that every sitemap is asked for
            chosen = set(locs[int(len(locs) * ADJACENT[0]):int(len(locs) * ADJACENT[1])]
                         if is_packed else locs)
            text = ENTRY.sub(lambda m: m.group(1) + (
                REDATED if m.group(2) in chosen else m.group(3)), text)
            with open(to, "wb") as f:
                f.write(gzip.compress(text, 6) if is_packed else text)
        os.rename(new, os.path.join(self.folder, "v3"))

    @property
    def urls(self):
        return self.manifest["v1"]["urls"]

    def targets(self):
        return ["http://%s:%d/" % (host, self.port) for host in self.hosts]

    def names(self):
        """What a site's documents are called, the index first."""
        return ["sitemap_index.xml"] + [
            "sitemap-%05d.xml.gz" % (n + 1) for n in range(self.children)]

    def locations(self):
        return [target + name for target in self.targets() for name in self.names()]

    def files(self):
        return [os.path.join(self.folder, "v1", host, name)
                for host in self.hosts for name in self.names()]


class Server:
    """nginx, with one corpus in one generation, with validators or without."""

    def __init__(self, folder):
        self.folder = folder
        self.nginx = None
        self.state = None

    def serve(self, corpus, generation="v1", has_validators=True):
        """True to what is asked from here on; the log is empty."""
        state = (corpus.folder, has_validators)
        if self.state != state:
            self.close()
            nginx.write_conf(self.folder, SERVER % (
                "" if has_validators else NO_VALIDATORS, corpus.port))
        live = os.path.join(self.folder, "live")
        os.symlink(os.path.join(os.path.abspath(corpus.folder), generation), live + ".new")
        os.replace(live + ".new", live)
        if self.nginx is None:
            self.nginx = nginx.Nginx(self.folder, corpus.port)
            self.state = state
        self.nginx.forget()

    def requests(self, count):
        """The log; nginx may write the last of `count` lines a moment late."""
        end = time.monotonic() + 2
        while True:
            found = self.nginx.requests()
            if len(found) >= count or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def close(self):
        if self.nginx is not None:
            self.nginx.close()
        self.nginx = self.state = None
