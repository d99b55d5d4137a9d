#!/bin/sh
# @crawlee/http 3.18.1 (npm), HttpCrawler with its defaults: a server that answers
# 429 or 503 with `Retry-After: 60` is asked three times more within a second.
#
# RFC 9110, 10.2.3: Retry-After says how long the client ought to wait.  Neither
# the header nor a pause comes between the attempts: a request that failed goes
# back into the queue, and the next free task takes it (sameDomainDelaySecs, which
# would space requests, is 0).  A host that asks for less gets four times as much.
# Seen with node 20.20.2: 4 requests within 0.1 s for each of both pages; then the
# request counts as failed.
#
# Installs the pinned package into a temporary folder; fails if what it sees has
# changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @crawlee/http@3.18.1
cat >probe.mjs <<'END'
import { createServer } from 'node:http';
import { Configuration, HttpCrawler } from '@crawlee/http';

const asked = { '/429': [], '/503': [] };
const server = createServer(({ url }, answer) => {
    asked[url]?.push(Date.now());
    answer.writeHead(Number(url.slice(1)), { 'Retry-After': '60', 'Content-Type': 'text/html' }).end('later');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });
const crawler = new HttpCrawler({ requestHandler() {} }, new Configuration({ persistStorage: false }));
await crawler.run(Object.keys(asked).map((path) => `http://127.0.0.1:${server.address().port}${path}`));
server.close();
for (const [path, times] of Object.entries(asked)) {
    const all = times.at(-1) - times[0];
    console.log(`${path}: ${times.length} requests within ${(all / 1000).toFixed(1)} s, Retry-After: 60`);
    if (times.length !== 4 || all > 5000) {
        console.log('this has changed');
        process.exitCode = 1;
    }
}
END
CRAWLEE_LOG_LEVEL=OFF node probe.mjs
