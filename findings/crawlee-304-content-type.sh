#!/bin/sh
# @crawlee/http 3.18.1 (npm): HttpCrawler counts the answer 304 to a conditional
# request as a failure, or hands it out as an empty page, by the name of the URL.
#
# An answer 304 has no Content-Type (RFC 9110, 15.4.5, asks for none).  Then the
# type is taken from the extension of the URL: `/page` becomes
# application/octet-stream, which is refused ("Skipping resource", and the request
# fails); `/page.html` becomes text/html, and requestHandler is called with a body
# of 0 bytes, which looks like a page whose text is gone.  Redirects that are not
# followed (followRedirect: false) fail in the same way.  Seen with node 20.20.2.
# `additionalMimeTypes: ['*/*']` and a look at the status help.
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

const server = createServer(({ headers, url }, answer) => {
    if (url === '/moved') answer.writeHead(301, { Location: '/page' }).end();
    else answer.writeHead(headers['if-none-match'] === '"a"' ? 304 : 500, { ETag: '"a"' }).end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });
const seen = {};
const note = (request, text) => { seen[new URL(request.url).pathname] = text; };
const crawler = new HttpCrawler({
    preNavigationHooks: [(_, got) => { got.followRedirect = false; }],
    requestHandler({ request, response, body }) {
        note(request, `handled, status ${response.statusCode}, ${body.length} bytes`);
    },
    failedRequestHandler({ request }, error) {
        note(request, `failed, ${/served Content-Type [^ ,]*/.exec(error.message)?.[0]}`);
    },
}, new Configuration({ persistStorage: false }));
await crawler.run(['/page', '/page.html', '/moved'].map((path) => ({
    url: `http://127.0.0.1:${server.address().port}${path}`, headers: { 'If-None-Match': '"a"' } })));
server.close();
const expected = {
    '/page': 'failed, served Content-Type application/octet-stream',
    '/page.html': 'handled, status 304, 0 bytes',
    '/moved': 'failed, served Content-Type application/octet-stream',
};
for (const [path, text] of Object.entries(expected)) {
    console.log(`${path}: ${seen[path]}`);
    if (seen[path] !== text) {
        console.log('this has changed');
        process.exitCode = 1;
    }
}
END
CRAWLEE_LOG_LEVEL=OFF node probe.mjs
