"""A spider that freshet feeds: scrapy runspider freshet_spider.py -O items.jl

freshet_scheduler.py, which lies beside it, says which pages come; -s
FRESHET_DUE='-n 500' are further options of 'freshet due'.
"""
import scrapy
from freshet_scheduler import FreshetScheduler


class FreshetSpider(scrapy.Spider):
    name = "freshet"
    custom_settings = {"SCHEDULER": FreshetScheduler, "CONCURRENT_REQUESTS": 200,
                       "USER_AGENT": "freshet (+https://www.example.org/bot)"}

    def parse(self, response):
        text = " ".join(response.css("body ::text").getall())
        yield {"url": response.url, "text": " ".join(text.split())}
