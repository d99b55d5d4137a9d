"""Scrapy fetches the URLs of a file: scrapy runspider -s DNS_RESOLVER=pages_spider.Loopback -a urls=FILE [-a reads=1] pages_spider.py

All names lead to 127.0.0.1.  With reads=1 it reads the title, the description and
the links of each page, else nothing; it stores nothing.  The last line of stdout
is how many pages came.
"""
import scrapy
from twisted.internet import defer, interfaces
from zope.interface import implementer


@implementer(interfaces.IResolverSimple)
class Loopback:
    """As DNS_RESOLVER: no name server is asked."""

    @classmethod
    def from_crawler(cls, _crawler, reactor):
        return cls(reactor)

    def __init__(self, reactor):
        self.reactor = reactor

    def install_on_reactor(self):
        self.reactor.installResolver(self)

    def getHostByName(self, _name, timeout=None):  # pylint: disable=invalid-name,unused-argument
        return defer.succeed("127.0.0.1")


class Spider(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "CONCURRENT_REQUESTS": 200, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "DOWNLOAD_DELAY": 0, "ROBOTSTXT_OBEY": True,
        "COOKIES_ENABLED": False,  # its list of suffixes would be downloaded
        "TELNETCONSOLE_ENABLED": False}

    def __init__(self, urls, reads="0", **others):
        super().__init__(**others)
        self.path, self.reads, self.count, self.links = urls, reads == "1", 0, 0

    def start_requests(self):
        with open(self.path, encoding="ascii") as f:
            for line in f:
                yield scrapy.Request(line.strip(), dont_filter=True)

    def parse(self, response, **_):
        self.count += 1
        if self.reads:
            response.css("title::text").get()
            response.css("meta[name=description]::attr(content)").get()
            self.links += len({response.urljoin(link) for link in response.css("a::attr(href)").getall()})

    def closed(self, _reason):
        print(self.count)
