#!/usr/bin/env python3
"""freshet due --follow | fetch.py | freshet done"""
import hashlib, html.parser, json, sys, time, urllib.error, urllib.request

AGENT = "freshet (+https://www.example.org/bot)"  # robots.txt was read for freshet

class Text(html.parser.HTMLParser):
    """The words of a page, without what stands around them."""
    depth, around = 0, {"script", "style", "nav", "header", "footer", "aside"}
    def handle_starttag(self, tag, attrs):
        self.depth += tag in self.around
    def handle_endtag(self, tag):
        self.depth -= self.depth > 0 and tag in self.around
    def handle_data(self, data):
        self.digest.update(b"" if self.depth else " ".join(data.split()).encode())

class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None  # where it leads to is for freshet to say

opener = urllib.request.build_opener(Stay)
for page in map(json.loads, sys.stdin):
    known = {"If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
    request = urllib.request.Request(page["url"], headers={"User-Agent": AGENT, **{
        name: value for name, value in known.items() if value}})
    result = {"lease": page["lease"], "url": page["url"], "status": 0}
    begin = time.monotonic()
    try:
        try:
            response = opener.open(request, timeout=60)
        except urllib.error.HTTPError as answer:
            response = answer
        body, headers = response.read(10000000), response.headers
        result.update(status=response.status, bytes=len(body), location=headers["Location"],
                      etag=headers["ETag"], last_modified=headers["Last-Modified"],
                      retry_after=headers["Retry-After"])
        if response.status == 200:
            text = Text()
            text.digest = hashlib.sha256()
            text.feed(body.decode("utf-8", "replace"))
            result["content_hash"] = text.digest.hexdigest()
    except OSError as error:
        print(page["url"], error, file=sys.stderr)
    print(json.dumps({**result, "ms": int((time.monotonic() - begin) * 1000)}), flush=True)
