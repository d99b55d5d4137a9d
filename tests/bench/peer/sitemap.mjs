// The streams of the package sitemap, one document after the other: node sitemap.mjs INDEX
import {Readable} from "node:stream";
import {createGunzip} from "node:zlib";
import {parseSitemapIndex, XMLToSitemapItemStream} from "sitemap";

const body = async (url) => Readable.fromWeb((await fetch(url)).body);

for (const {url} of await parseSitemapIndex(await body(process.argv[2]))) {
  const lines = [];
  const items = (await body(url)).pipe(createGunzip()).pipe(new XMLToSitemapItemStream({logger: false}));
  for await (const item of items)
    lines.push(item.url);
  process.stdout.write(lines.join("\n") + "\n");
}
