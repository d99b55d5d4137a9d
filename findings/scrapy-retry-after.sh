#!/bin/sh
# Scrapy 2.8 (Debian 12: python3-scrapy 2.8.0-2), with its defaults: a server that
# answers 429 or 503 with `Retry-After: 60` is asked twice more at once.
#
# RFC 9110, 10.2.3: Retry-After says how long the client ought to wait.
# RetryMiddleware takes both for passing errors and puts the request back without
# a pause; the header is not read, and other pages of the host go on as before.
# Seen with Python 3.11.2: 3 requests within 0.1 s for each of both pages.
#
# Uses /usr/bin/python3 with Debian's package; fails if what it sees has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >probe.py <<'END'
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess
from twisted.internet import reactor
from twisted.web import resource, server

asked = {b"/429": [], b"/503": []}


class Later(resource.Resource):
    isLeaf = True

    def render_GET(self, request):
        asked[request.path].append(time.monotonic())
        request.setResponseCode(int(request.path[1:]))
        request.setHeader("Retry-After", "60")
        return b"later"


class Probe(scrapy.Spider):
    name = "probe"

    def parse(self, response):
        pass


if scrapy.__version__ != "2.8.0":
    sys.exit("this is Scrapy %s, not 2.8.0" % scrapy.__version__)
port = reactor.listenTCP(0, server.Site(Later()), interface="127.0.0.1").getHost().port
process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
process.crawl(Probe, start_urls=["http://127.0.0.1:%d%s" % (port, path.decode()) for path in asked])
process.start()
for path, times in asked.items():
    print("%s: %d requests within %.1f s, Retry-After: 60" % (path.decode(), len(times), times[-1] - times[0]))
    if len(times) != 3 or times[-1] - times[0] > 5:
        sys.exit("this has changed")
END
/usr/bin/python3 probe.py
