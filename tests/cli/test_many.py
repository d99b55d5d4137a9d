"""Many hosts in one run: all of them at once, each of them politely."""
import os
import unittest

from case import Case
from thousand import Thousand

FULL = os.environ.get("FRESHET_FULL") == "1"


class Many(Case):
    def thousand(self, **kwargs):
        server = Thousand(max_time=200, **kwargs)
        self.addCleanup(server.close)
        return server

    def crawl_all(self, server, *args, status=0, more=(), **kwargs):
        """Every host of the server from stdin; server.report is there then."""
        lines = "\n".join(server.targets() + list(more)) + "\n"
        crawl = self.crawl(*args, *server.connect_to, "-", input=lines, status=status, **kwargs)
        server.close()
        self.assertFalse(server.report["hold_failed"], server.report)
        return crawl

    def assertWhole(self, server):
        """export lists what the server's numbers say, to the last URL."""
        out = self.program.run("export", "-f", "urls")
        self.assertEqual(out.status, 0, str(out)[:4000])
        found, wanted = sorted(out.out.split()), server.expected_urls()
        if found != wanted:  # a difference of 100,000 lines would take hours
            missing = sorted(set(wanted) - set(found))[:5]
            extra = sorted(set(found) - set(wanted))[:5]
            self.fail("%d URLs instead of %d; missing %s, extra %s" % (
                len(found), len(wanted), missing, extra))


class Held(Many):
    """Nobody gets an answer before all connections are open."""

    def test_thousand(self):
        server = self.thousand(hosts=1000, urls=20, hold=1000, hold_time=60)
        self.crawl_all(server, "--delay", "0")
        self.assertGreaterEqual(server.report["most_open"], 1000)
        self.assertEqual(server.report["requests"], 7000)
        self.assertWhole(server)


class Spaced(Many):
    """No two requests to a host are closer than its delay, by the server's log."""

    def spaced(self, hosts, delay, slack):
        server = self.thousand(hosts=hosts, urls=5)
        self.crawl_all(server, "--delay", "%gs" % delay)
        self.assertWhole(server)
        gaps = server.gaps()
        self.assertEqual(len(gaps), 6 * hosts)
        self.assertGreaterEqual(min(gaps), delay)
        times = [r.at for r in server.requests()]
        self.assertLess(max(times) - min(times), 6 * delay * slack)

    def test_two_hundred(self):
        self.spaced(200, 0.3, 4)  # other tests run at the same time

    @unittest.skipUnless(FULL, "FRESHET_FULL=1 waits a second between requests")
    def test_thousand(self):
        self.spaced(1000, 1, 1.1)


if __name__ == "__main__":
    unittest.main()
