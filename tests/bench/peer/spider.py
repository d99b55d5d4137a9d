"""Scrapy's SitemapSpider, which prints what it would fetch: scrapy runspider -a index=URL."""
import sys

import scrapy.spiders


class Spider(scrapy.spiders.SitemapSpider):
    name = "peer"
    custom_settings = {"COOKIES_ENABLED": False,  # its list of suffixes would be downloaded
                       "TELNETCONSOLE_ENABLED": False}

    def __init__(self, index, **others):
        self.sitemap_urls = [index]
        super().__init__(**others)

    def sitemap_filter(self, entries):
        """Pages are printed here, and so not asked for."""
        if entries.type == "sitemapindex":
            yield from entries
        else:
            sys.stdout.writelines(entry["loc"] + "\n" for entry in entries)
