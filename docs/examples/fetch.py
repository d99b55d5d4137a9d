#!/usr/bin/env python3
"""freshet due --follow | fetch.py | freshet done"""
import hashlib, html.parser, http.client, json, sys, time, urllib.request
class Text(html.parser.HTMLParser):
    """The words of a page, without what stands around them."""
    words, depth, around = "", 0, {"script", "style", "nav", "header", "footer", "aside"}
    def handle_starttag(self, tag, attrs): self.depth += tag in self.around
    def handle_endtag(self, tag): self.depth -= self.depth > 0 and tag in self.around
    def handle_data(self, data): self.words += "" if self.depth else " ".join(data.split())
class AsItIs(urllib.request.HTTPErrorProcessor):
    def http_response(self, request, response): return response  # redirects and errors, too
    https_response = http_response
opener, free = urllib.request.build_opener(AsItIs), {}  # free: when a host may be asked again
for page in map(json.loads, sys.stdin):
    headers = {"User-Agent": "freshet (+https://www.example.org/bot)",  # whom robots.txt allows it
               "If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
    request = urllib.request.Request(page["url"], None, {k: v for k, v in headers.items() if v})
    result, text = {"lease": page["lease"], "url": page["url"], "status": 0}, Text()
    time.sleep(max(0, free.get(page["host"], 0) - time.monotonic()))
    try:
        with opener.open(request, timeout=60) as answer: body = answer.read(10000000)
        text.feed(body.decode("utf-8", "replace"))
        digest = hashlib.sha256(text.words.encode()).hexdigest() if answer.status == 200 else None
        result.update({name.lower().replace("-", "_"): answer.headers[name] for name in (
            "ETag", "Last-Modified", "Location", "Retry-After")}, status=answer.status,
            bytes=len(body), content_hash=digest)
    except (OSError, http.client.HTTPException) as error:
        print(page["url"], error, file=sys.stderr)
    free[page["host"]] = time.monotonic() + page["delay_ms"] / 1000
    print(json.dumps(result), flush=True)
