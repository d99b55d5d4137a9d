#!/usr/bin/env python3
"""freshet due --follow | fetch.py | freshet done"""
import collections, concurrent.futures, hashlib, html.parser, json, os, re
import select, subprocess, sys, threading, time, urllib.request
# noindex of meta robots or X-Robots-Tag; not what is said to another bot
barred = re.compile(r"(?i)(?!\s*(?!freshet|unavailable_after|max-)[\w-]+\s*:)"
                    r"(?:.*,|\s*freshet\s*:)?\s*(?:noindex|none)\s*(?:,|$)").match
class Text(html.parser.HTMLParser):  # the words of a page, without what stands around them
    words, depth, noindex, around = "", 0, False, {"script", "style", "nav", "header", "footer", "aside"}
    def handle_starttag(self, tag, attrs):
        self.depth, it = self.depth + (tag in self.around), {k: v or "" for k, v in attrs}
        if tag == "meta" and it.get("name", "").strip().lower() in ("robots", "freshet"):
            self.noindex |= barred(it.get("content", "")) is not None
    def handle_endtag(self, tag): self.depth -= self.depth > 0 and tag in self.around
    def handle_data(self, data): self.words += "" if self.depth else " ".join(data.split())
class AsItIs(urllib.request.HTTPErrorProcessor):  # redirects and errors, too
    def http_response(self, request, response): return response
    https_response = http_response
opener = urllib.request.build_opener(AsItIs)
class Host:  # its pages that wait; when it may be asked; until when it wants to be left alone
    def __init__(self):
        self.turn, self.pages, self.free, self.alone = threading.Lock(), collections.deque(), 0, 0
    def give_back(self):  # fetch.py hands its own options, such as --store, to freshet
        leases = [self.pages.popleft()["lease"] for _ in range(len(self.pages))]
        if leases: subprocess.run(["freshet", "release", *sys.argv[1:], *leases], stdout=subprocess.DEVNULL)
def fetch(page, result, text):
    headers = {"User-Agent": "freshet (+https://www.example.org/bot)",  # whom robots.txt allows it
               "If-None-Match": page["etag"], "If-Modified-Since": page["last_modified"]}
    request = urllib.request.Request(page["url"], None, {k: v for k, v in headers.items() if v})
    with opener.open(request, timeout=60) as answer: body = answer.read(10000000)
    text.feed(body.decode("utf-8", "replace"))
    if answer.status == 200:
        result["content_hash"] = hashlib.sha256(text.words.encode()).hexdigest()
        result["noindex"] = text.noindex or any(map(barred, answer.headers.get_all("X-Robots-Tag", [])))
    result.update({name.lower().replace("-", "_"): answer.headers[name] for name in (
        "ETag", "Last-Modified", "Location", "Retry-After")}, status=answer.status, bytes=len(body))
def watch(results):  # when 'freshet done' ends, results would be lost, and pages fetched in vain
    results.register(1, 0)
    results.poll()  # an error, and nothing else, ends the wait, also while no result is written
    print("fetch.py: nobody reads the results", file=sys.stderr, flush=True)
    os._exit(1)
def work(host):
    with host.turn:  # one page of a host at a time, at its delay
        if time.monotonic() < host.alone: host.give_back()
        if not host.pages: return
        page = host.pages.popleft()
        time.sleep(max(0, host.free - time.monotonic()))
        begun, result = time.monotonic(), {"lease": page["lease"], "url": page["url"], "status": 0}
        try: fetch(page, result, Text())
        except Exception as error: print(page["url"], error, file=sys.stderr)
        host.free, result["ms"] = begun + page["delay_ms"] / 1000, int(1000 * (time.monotonic() - begun))
        print(json.dumps(result) + "\n", end="", flush=True)
        if result["status"] in (429, 503):  # also of what was on its way
            host.alone = time.monotonic() + 1
            host.give_back()
hosts, pool = collections.defaultdict(Host), concurrent.futures.ThreadPoolExecutor(200)
threading.Thread(target=watch, args=(select.poll(),), daemon=True).start()
for page in map(json.loads, sys.stdin):
    hosts[page["host"]].pages.append(page)
    pool.submit(work, hosts[page["host"]])
