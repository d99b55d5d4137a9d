"""A spider that freshet feeds: scrapy runspider freshet_spider.py

What is due comes from 'freshet due --follow', and each answer goes to 'freshet
done'.  The pace is freshet's: it hands out no page of a host before the delay
that the host wants, one at a time, and none while the host wants to be left
alone.  -a due='-n 500' are further options of due.
"""
import hashlib
import json
import os
import re
import shlex

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from twisted.internet import defer, protocol, reactor

FRESHET = os.environ.get("FRESHET", "freshet")
# noindex of meta robots or X-Robots-Tag; not what is said to another bot
BARRED = re.compile(r"(?i)(?!\s*(?!freshet|unavailable_after|max-)[\w-]+\s*:)"
                    r"(?:.*,|\s*freshet\s*:)?\s*(?:noindex|none)\s*(?:,|$)")


class Lines(protocol.ProcessProtocol):
    """A process; each line that it prints goes to a function."""

    def __init__(self, take):
        self.take = take
        self.rest = b""
        self.ended = defer.Deferred()

    def outReceived(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(json.loads(line))

    def processEnded(self, reason):
        self.ended.callback(None)


class FreshetSpider(scrapy.Spider):
    name = "freshet"
    custom_settings = {
        "USER_AGENT": "freshet (+https://www.example.org/bot)",
        "ROBOTSTXT_OBEY": False,  # freshet hands out nothing that it forbids
        "RETRY_ENABLED": False, "REDIRECT_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, due="--hosts 200", **kwargs):
        super().__init__(**kwargs)
        self.options = shlex.split(due)
        self.is_over = self.is_closing = False

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.start, signals.spider_opened)
        crawler.signals.connect(spider.stay, signals.spider_idle)
        return spider

    def start_requests(self):
        return []

    def start(self):
        self.due = Lines(self.take)
        self.done = Lines(self.answered)
        for process, words, pipes in (
                (self.due, ["due", "--follow"] + self.options + ["--per-host", "1"], {0: 0, 1: "r", 2: 2}),
                (self.done, ["done"], {0: "w", 1: "r", 2: 2})):
            reactor.spawnProcess(process, FRESHET, [FRESHET] + words, env=None, childFDs=pipes)
        self.due.ended.addCallback(lambda _: setattr(self, "is_over", True))
        self.done.ended.addCallback(self.lost)

    def lost(self, _):
        """Without 'freshet done' results are lost, and pages fetched in vain."""
        if not self.is_closing:
            self.logger.error("'freshet done' has ended")
            self.crawler.engine.close_spider(self, "done has ended")

    def stay(self):
        if not self.is_over:
            raise DontCloseSpider

    def closed(self, reason):
        self.is_closing = True
        if not self.is_over:
            self.due.transport.signalProcess("INT")  # gives back what is not here yet
        self.done.transport.closeStdin()
        return self.done.ended

    def take(self, page):
        known = {"If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
        self.crawler.engine.crawl(scrapy.Request(
            page["url"], self.parse, errback=self.failed, dont_filter=True,
            headers={name: value for name, value in known.items() if value},
            meta={"handle_httpstatus_all": True}, cb_kwargs={"page": page}))

    def tell(self, page, **result):
        line = json.dumps({"lease": page["lease"], "url": page["url"], **result})
        self.done.transport.write(line.encode() + b"\n")

    def parse(self, response, page):
        def header(name):
            value = response.headers.get(name)
            return value.decode("utf-8", "replace") if value else None

        result = {"status": response.status, "bytes": len(response.body),
                  "etag": header("ETag"), "last_modified": header("Last-Modified"),
                  "location": header("Location"), "retry_after": header("Retry-After"),
                  "ms": int(response.meta.get("download_latency", 0) * 1000)}
        if response.status == 200:
            text = " ".join(" ".join(response.css("body ::text").getall()).split())
            result["content_hash"] = hashlib.sha256(text.encode()).hexdigest()
            said = [value.decode("utf-8", "replace") for value in response.headers.getlist("X-Robots-Tag")]
            for meta in response.css("meta[name][content]"):
                if meta.attrib["name"].strip().lower() in ("robots", "freshet"):
                    said.append(meta.attrib["content"])
            result["noindex"] = any(map(BARRED.match, said))
            yield {"url": response.url, "text": text}
        self.tell(page, **result)

    def failed(self, failure):
        self.logger.warning("%s: %s", failure.request.url, failure.value)
        self.tell(failure.request.cb_kwargs["page"], status=0)

    def answered(self, answer):
        if answer["ack"] != "OK":
            self.logger.warning("%s: %s", answer["lease"], answer["reason"])
