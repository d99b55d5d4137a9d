"""nginx on loopback, in a folder of its own."""
import contextlib
import os
import random
import shutil
import socket
import signal
import subprocess
import time

import parent_death


def free_port(address="127.0.0.1"):
    """A port that is free, and that the kernel gives to nobody who does not say which
    one: those of the servers of other tests are higher ones."""
    while True:
        with socket.socket() as s, contextlib.suppress(OSError):
            port = random.SystemRandom().randrange(12000, 32000)
            s.bind((address, port))
            return port


def wait_for_port(port, address="127.0.0.1", timeout=600):
    end = time.monotonic() + timeout
    while True:
        try:
            socket.create_connection((address, port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


class Nginx:
    """prefix holds nginx.conf, which has `daemon off`."""

    def __init__(self, prefix, port, address="127.0.0.1"):
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
        if program is None:
            raise FileNotFoundError("nginx")
        # else somebody else's server would answer in its stead
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((address, port))
        self.prefix = os.path.abspath(prefix)
        self.log = os.path.join(self.prefix, "access.log")
        self.process = subprocess.Popen(
            [program, "-p", self.prefix, "-c", "nginx.conf", "-e", "stderr"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            # its workers end with it when it is asked to, not when it is killed
            preexec_fn=parent_death.with_parent(signal.SIGTERM))
        try:
            wait_for_port(port, address)
        except OSError:
            self.process.kill()
            raise RuntimeError("nginx: " + self.process.stderr.read().decode()) from None

    def requests(self):
        """The access log that gen_corpus.py --access-log asks for, as dicts."""
        names = ("time", "connection", "host", "method", "uri", "status", "bytes",
                 "if_none_match", "if_modified_since", "agent")
        with open(self.log, encoding="utf-8") as f:
            return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in f]

    def forget(self):
        # nginx appends, so that it goes on at the new end
        os.truncate(self.log, 0)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


BASE = """%(user)sworker_processes 1;
daemon off;
pid nginx.pid;
error_log stderr;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  log_format requests escape=json '$msec\\t$connection\\t$host\\t$request_method\\t$request_uri\\t$status\\t$bytes_sent\\t$http_if_none_match\\t$http_if_modified_since\\t$http_user_agent';
  access_log access.log requests;
  client_body_temp_path temp-body;
  proxy_temp_path temp-proxy;
  fastcgi_temp_path temp-fastcgi;
  uwsgi_temp_path temp-uwsgi;
  scgi_temp_path temp-scgi;
  keepalive_requests 100000;
  types { application/xml xml; application/gzip gz; text/plain txt; }
  %(server)s
}
"""


def write_conf(prefix, server):
    """nginx.conf with that text in its http block."""
    os.makedirs(prefix, exist_ok=True)
    with open(os.path.join(prefix, "nginx.conf"), "w", encoding="utf-8") as f:
        f.write(BASE % {"user": "user root;\n" if os.geteuid() == 0 else "",
                        "server": server})
