"""Days on which nothing is as usual: what events and alerts make of them."""
import contextlib
import os
import socket
import sqlite3
import threading
import unittest

from case import index
from clock import DAY
from late import assert_sooner
from test_alert import Alert
from test_diff import Told

HOUR = 3600
FULL = os.environ.get("FRESHET_FULL") == "1"


class AllPages(Alert):
    """More pages change in a day than are compared for moves."""

    SITEMAPS, PAGES = (20, 50000) if FULL else (5, 42000)

    def publish(self):
        url = self.server.url
        self.server.put("/robots.txt", "Sitemap: %s\n" % url("/index.xml"))
        self.server.put("/index.xml", index([url("/%d.xml" % n) for n in range(self.SITEMAPS)]))
        for n in range(self.SITEMAPS):
            self.server.put("/%d.xml" % n, (
                '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>' % "".join(
                    "<url><loc>%s/%d/%05d</loc></url>" % (url(self.section), n, page)
                    for page in range(self.PAGES))).encode())

    def test_all_pages(self):
        pages = self.SITEMAPS * self.PAGES
        self.section = "/old"
        self.configure("[alert all]\nexec = %s\n" % self.program_path)
        self.crawl_day()
        self.alert("send")
        self.section = "/new"
        self.crawl_day(2)
        result = self.diff("--since", "9d")
        self.assertIn("more changes than are compared: sections, moves, bursts and silences were "
                      "not looked for", " ".join(result.out.split()))
        site, = [r for r in self.diff("--since", "9d", "--json").records() if r["type"] == "site"]
        self.assertEqual((site["new"], site["gone"], site["moved"], site["listed"]),
                         (pages, pages, 0, pages))
        self.assertFalse(site["complete"])
        assert_sooner(result.seconds, 60)
        # no drop is told: as much came as went
        self.crawl_day(3)
        self.alert("send")
        self.assertNotIn("mass-drop-waiting", [kind for kind, _ in self.told()])


class WrongClock(Told):
    def test_a_day_ahead(self):
        """For a day the clock is a week ahead, and then right again: nothing is told that did not
        happen, and nothing is told twice."""
        self.docs["/a.xml"] = self.pages("/p", range(40))
        for day in range(30):
            self.docs["/a.xml"].update(self.pages("/p", [100 + day]))
            self.crawl_day()
        self.clock.step(7 * DAY)
        self.docs["/a.xml"].update(self.pages("/p", [200]))
        self.crawl_day()
        self.clock.step(-7 * DAY)
        for day in range(20):
            self.docs["/a.xml"].update(self.pages("/p", [300 + day]))
            self.crawl_day()
        self.assertEqual([kind for kind, _, _ in self.records("--since", "100d")],
                         ["first-reading"])
        site, = [r for r in self.diff("--since", "100d", "--json").records()
                 if r["type"] == "site"]
        # the first day is the baseline
        self.assertEqual((site["new"], site["gone"], site["listed"]), (50, 0, 91))
        each = []
        for day in range(-1, 60):
            each += self.records("--since", self.date(day), "--until", self.date(day + 1))
        self.assertEqual([kind for kind, _, _ in each], ["first-reading"])


class Trouble(Alert):
    def test_webhook_hangs(self):
        """Nobody answers: what waits is told later, and the others are told at once."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            held = []

            def accept():
                try:
                    while True:
                        held.append(silent.accept()[0])
                except OSError:
                    pass
            thread = threading.Thread(target=accept, daemon=True)
            thread.start()
            place = self.write("slow-url", "http://127.0.0.1:%d/hook" % silent.getsockname()[1])
            self.configure("[alert slow]\nkinds = section-launched\nwebhook-file = %s\n"
                           "[alert quick]\nkinds = section-launched\nexec = %s\n"
                           % (place, self.program_path))
            self.crawl_day(2)
            self.alert("send")
            self.launch("one")
            result = self.alert("send", status=1)
            self.assertIn("slow  webhook  1 event not told: the webhook: ", result.out)
            self.assertIn("quick  exec  1 event told", result.out)
            assert_sooner(result.seconds, 45)
            for connection in held:
                connection.close()
            silent.shutdown(socket.SHUT_RDWR)
        thread.join()
        self.clock.advance(HOUR)
        self.write("slow-url", self.hook.url("/hook"))
        self.assertIn("slow  webhook  1 event told", self.alert("send").out)
        self.assertEqual(len(self.told()), 1)

    def test_full_disk(self):
        """What could not be noted down is told when there is room again, and once."""
        self.configure("[alert a]\nkinds = section-launched\nexec = %s\n" % self.program_path)
        self.crawl_day(2)
        self.alert("send")
        self.launch("one")
        binary = self.program.binary
        limited = os.path.join(self.program.folder, "limited")
        with open(limited, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\ntrap '' XFSZ\nexec prlimit --fsize=1000 %s \"$@\"\n" % binary)
        os.chmod(limited, 0o755)
        self.program.binary = limited
        self.alert("send", status=7)
        self.assertEqual(self.told(), [])
        self.program.binary = binary
        self.alert("send")
        self.alert("send")
        self.assertEqual([kind for kind, _ in self.told()], ["section-launched"])


if __name__ == "__main__":
    unittest.main()
