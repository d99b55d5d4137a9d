#!/usr/bin/env python3
"""freshet due --follow | fetch.py | freshet done"""
import collections, concurrent.futures, hashlib, html.parser, json
import sys, threading, time, urllib.request
class Text(html.parser.HTMLParser):  # the words of a page, without what stands around them
    words, depth, around = "", 0, {"script", "style", "nav", "header", "footer", "aside"}
    def handle_starttag(self, tag, attrs): self.depth += tag in self.around
    def handle_endtag(self, tag): self.depth -= self.depth > 0 and tag in self.around
    def handle_data(self, data): self.words += "" if self.depth else " ".join(data.split())
class AsItIs(urllib.request.HTTPErrorProcessor):  # redirects and errors, too
    def http_response(self, request, response): return response
    https_response = http_response
opener, free = urllib.request.build_opener(AsItIs), {}  # free: when a host may be asked
def fetch(page, result, text):
    headers = {"User-Agent": "freshet (+https://www.example.org/bot)",  # whom robots.txt allows it
               "If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
    request = urllib.request.Request(page["url"], None, {k: v for k, v in headers.items() if v})
    with opener.open(request, timeout=60) as answer: body = answer.read(10000000)
    text.feed(body.decode("utf-8", "replace"))
    if answer.status == 200: result["content_hash"] = hashlib.sha256(text.words.encode()).hexdigest()
    result.update({name.lower().replace("-", "_"): answer.headers[name] for name in (
        "ETag", "Last-Modified", "Location", "Retry-After")}, status=answer.status, bytes=len(body))
def work(page, host):
    with host:  # one page of a host at a time, at its delay
        time.sleep(max(0, free.get(page["host"], 0) - time.monotonic()))
        begun, result = time.monotonic(), {"lease": page["lease"], "url": page["url"], "status": 0}
        try: fetch(page, result, Text())
        except Exception as error: print(page["url"], error, file=sys.stderr)
        free[page["host"]] = begun + page["delay_ms"] / 1000
        result["ms"] = int(1000 * (time.monotonic() - begun))
        print(json.dumps(result) + "\n", end="", flush=True)
hosts, pool = collections.defaultdict(threading.Lock), concurrent.futures.ThreadPoolExecutor(200)
for page in map(json.loads, sys.stdin): pool.submit(work, page, hosts[page["host"]])
