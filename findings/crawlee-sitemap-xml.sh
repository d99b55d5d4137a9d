#!/bin/sh
# @crawlee/utils 3.18.1 (npm): Sitemap.load() loses the URLs of two forms of
# XML.
#
# A sitemap whose elements have a prefix (`<sm:url><sm:loc>`, with
# xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9") is the same document as
# one without (Namespaces in XML 1.0); it is read as a sitemap without URLs, because
# names are compared with their prefix; nothing is said.  A loc of text and a CDATA section,
# `<loc>http://host/a<![CDATA[?x=1&y=2]]></loc>`, is one text; only its last part is
# taken, which is no URL: a warning says that it does "not match enqueue strategy
# 'same-hostname'".  Seen with node 20.20.2.
#
# Installs the pinned package into a temporary folder; fails if what it sees has
# changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @crawlee/utils@3.18.1
cat >probe.mjs <<'END'
import { createServer } from 'node:http';
import { Sitemap } from '@crawlee/utils';

let origin;
const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const bodies = {
    '/plain.xml': () => `<urlset xmlns="${namespace}"><url><loc>${origin}/a</loc></url></urlset>`,
    '/prefix.xml': () => `<sm:urlset xmlns:sm="${namespace}"><sm:url><sm:loc>${origin}/a</sm:loc></sm:url></sm:urlset>`,
    '/cdata.xml': () => `<urlset xmlns="${namespace}"><url><loc>${origin}/a<![CDATA[?x=1&y=2]]></loc></url></urlset>`,
};
const server = createServer(({ url }, answer) => {
    answer.writeHead(200, { 'Content-Type': 'application/xml' }).end(bodies[url]());
}).listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });
origin = `http://127.0.0.1:${server.address().port}`;
const expected = { '/plain.xml': '/a', '/prefix.xml': '', '/cdata.xml': '' };
for (const [path, text] of Object.entries(expected)) {
    const { urls } = await Sitemap.load(origin + path);
    const seen = urls.map((url) => url.replace(origin, '')).join(' ');
    console.log(`${path}: ${urls.length} URLs ${seen}`);
    if (seen !== text) {
        console.log('this has changed');
        process.exitCode = 1;
    }
}
server.closeAllConnections();
server.close();
END
node probe.mjs
