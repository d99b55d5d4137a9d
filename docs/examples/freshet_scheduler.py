"""A scheduler for Scrapy: any spider fetches what freshet finds due.

    SCHEDULER = "freshet_scheduler.FreshetScheduler"    # in settings.py
    USER_AGENT = "freshet (+https://www.example.org/bot)"
    FRESHET_DUE = "--tag shops -n 500"                  # options of due, if any

Pages come from 'freshet due --follow' and go to the method parse() of the spider;
each result goes to 'freshet done'.  The pace is freshet's: one page of a host at
a time, none before the delay that the host wants, none while it wants to be left
alone.  Redirects and retries of these pages are freshet's affair, too.  What the
spider itself asks for is scheduled as always.
"""
import hashlib
import json
import logging
import os
import re
import shlex
import subprocess

from scrapy import Request, signals
from scrapy.core.scheduler import Scheduler
from twisted.internet import defer, protocol

FRESHET = os.environ.get("FRESHET", "freshet")
# noindex of meta robots or X-Robots-Tag; not what is said to another bot
BARRED = re.compile(r"(?i)(?!\s*(?!freshet|unavailable_after|max-)[\w-]+\s*:)"
                    r"(?:.*,|\s*freshet\s*:)?\s*(?:noindex|none)\s*(?:,|$)")
logger = logging.getLogger(__name__)


class Lines(protocol.ProcessProtocol):
    """A process; each line that it prints goes to a function."""

    def __init__(self, take):
        self.take, self.rest, self.is_over, self.ended = take, b"", False, defer.Deferred()

    def outReceived(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(json.loads(line))

    def processEnded(self, reason):
        self.is_over = True
        self.ended.callback(None)


class FreshetScheduler(Scheduler):
    is_closing = False

    def open(self, spider):
        from twisted.internet import reactor  # not before the settings have said which
        self.waiting = {}  # pages by their leases that were handed out and not reported
        self.due, self.done = Lines(self.take), Lines(self.answered)
        self.crawler.signals.connect(self.received, signals.response_received)
        words = ["--hosts", str(self.crawler.settings["CONCURRENT_REQUESTS"]),
                 *shlex.split(self.crawler.settings.get("FRESHET_DUE", "")), "--per-host", "1"]
        for process, argv, pipes in ((self.done, ["done"], {0: "w", 1: "r", 2: 2}),
                                     (self.due, ["due", "--follow", *words], {0: 0, 1: "r", 2: 2})):
            reactor.spawnProcess(process, FRESHET, [FRESHET, *argv], env=None, childFDs=pipes)
        self.done.ended.addCallback(self.lost)
        return super().open(spider)

    def has_pending_requests(self):
        """While 'due' runs there may be more; Scrapy asks again within five seconds."""
        return not self.due.is_over or super().has_pending_requests()

    def take(self, page):
        self.waiting[page["lease"]] = page
        known = {"If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
        if not self.is_closing:
            self.crawler.engine.crawl(Request(
                page["url"], errback=self.failed, dont_filter=True,
                headers={name: value for name, value in known.items() if value},
                meta={"freshet": page["lease"], "dont_redirect": True, "dont_retry": True,
                      "dont_obey_robotstxt": True}))  # freshet hands out nothing that it forbids

    def tell(self, lease, **result):
        page = self.waiting.pop(lease, None)
        if page is not None:
            line = json.dumps({"lease": lease, "url": page["url"], **result})
            self.done.transport.write(line.encode() + b"\n")

    def text_of(self, response):
        """What counts as a change of the page: override it to say what matters."""
        return " ".join(" ".join(response.css("body ::text").getall()).split())

    def received(self, response, request):
        if "freshet" not in request.meta:
            return
        result = {name.lower().replace("-", "_"): (response.headers.get(name) or b"").decode("latin-1")
                  for name in ("ETag", "Last-Modified", "Location", "Retry-After")}
        result = {name: value for name, value in result.items() if value}
        if response.status == 200:
            said = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
            text = response.body
            if hasattr(response, "css"):
                text = self.text_of(response).encode()
                said += [meta.attrib["content"] for meta in response.css("meta[name][content]")
                         if meta.attrib["name"].strip().lower() in ("robots", "freshet")]
            result["content_hash"] = hashlib.sha256(text).hexdigest()
            result["noindex"] = any(map(BARRED.match, said))
        self.tell(request.meta["freshet"], status=response.status, bytes=len(response.body),
                  ms=int(1000 * request.meta.get("download_latency", 0)), **result)

    def failed(self, failure):
        """No answer came, or the spider does not want this status, which was reported before."""
        self.tell(failure.request.meta["freshet"], status=0)
        return failure

    def answered(self, answer):
        if answer["ack"] != "OK":
            logger.warning("%s: %s", answer["lease"], answer["reason"])

    def lost(self, _):
        """Without 'freshet done' results are lost, and pages fetched in vain."""
        if not self.is_closing:
            logger.error("'freshet done' has ended")
            self.crawler.engine.close_spider(self.crawler.spider, "done has ended")

    @defer.inlineCallbacks
    def close(self, reason):
        """Report what was fetched, then give back what was not."""
        self.is_closing = True
        if not self.due.is_over:
            self.due.transport.signalProcess("INT")
            yield self.due.ended
        if not self.done.is_over:
            self.done.transport.closeStdin()
            yield self.done.ended
        if self.waiting:
            subprocess.run([FRESHET, "release", *self.waiting], stdout=subprocess.DEVNULL)
        yield super().close(reason)
