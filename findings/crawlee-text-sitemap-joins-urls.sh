#!/bin/sh
# @crawlee/utils 3.18.1 (npm): two URLs of a sitemap in text form become one when a
# piece of the body ends behind a newline.
#
# SitemapTxtParser splits what it has at newlines, drops empty parts, and keeps the
# last part for the next piece.  If the piece ended with a newline, that part is a
# whole URL, but the newline is gone, and the next piece is appended to it:
# `http://host/b` and `http://host/c` become `http://host/bhttp://host/c`, and both
# pages are lost.  Where a body is cut into pieces depends on the network and the
# server; of a list that comes line by line a single "URL" is left.  Seen with node
# 20.20.2, with Sitemap.load(); the same list in one piece is read rightly.
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
import { setTimeout as wait } from 'node:timers/promises';
import { Sitemap } from '@crawlee/utils';

let origin;
const server = createServer(async ({ url }, answer) => {
    const pieces = ['a', 'b', 'c', 'd'].map((page) => `${origin}/${page}\n`);
    answer.writeHead(200, { 'Content-Type': 'text/plain' });
    const size = { '/whole.txt': 4, '/pieces.txt': 2, '/lines.txt': 1 }[url];
    for (let at = 0; at < pieces.length; at += size) {
        answer.write(pieces.slice(at, at + size).join(''));
        await wait(300);
    }
    answer.end();
}).listen(0, '127.0.0.1');
await new Promise((resolve) => { server.once('listening', resolve); });
origin = `http://127.0.0.1:${server.address().port}`;
const expected = { '/whole.txt': '/a /b /c /d', '/pieces.txt': '/a /bORIGIN/c /d',
    '/lines.txt': '/aORIGIN/bORIGIN/cORIGIN/d' };
for (const [path, text] of Object.entries(expected)) {
    const { urls } = await Sitemap.load(origin + path);
    const seen = urls.map((url) => url.replace(origin, '').replaceAll(origin, 'ORIGIN')).join(' ');
    console.log(`${path}: ${urls.length} URLs: ${seen}`);
    if (seen !== text) {
        console.log('this has changed');
        process.exitCode = 1;
    }
}
server.closeAllConnections();
server.close();
END
node probe.mjs
