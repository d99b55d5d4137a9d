#!/bin/sh
# @rspress/plugin-sitemap 2.0.22 (npm) with @rspress/core 2.0.22: an entry of
# customMaps whose optional lastmod is undefined is written as
# <lastmod>undefined</lastmod>, which is no date.
#
# Its type is `lastmod?: string`, so that `lastmod: dates[route]` is accepted for
# a page without a known date, as of a file that git does not know yet.  Other
# generators leave the element out (next-sitemap 4.2.3, gatsby-plugin-sitemap
# 6.16.0).  Seen with node 22.23.3:
#   <loc>https://www.example.org/tea</loc><lastmod>undefined</lastmod>
#
# Installs the pinned packages, and node, into a temporary folder; fails if what
# it sees has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"name":"site","version":"1.0.0","private":true,"type":"module"}\n' >package.json
npm install --silent --no-audit --no-fund node@22.23.3 @rspress/core@2.0.22 @rspress/plugin-sitemap@2.0.22
mkdir docs
printf '# Home\n\nText.\n' >docs/index.md
printf '# Tea\n\nText.\n' >docs/tea.md
cat >rspress.config.ts <<'END'
import { defineConfig } from '@rspress/core';
import { pluginSitemap } from '@rspress/plugin-sitemap';

const dates: Record<string, string | undefined> = { '/': '2026-09-01T10:00:00Z' };
const entry = (route: string) => ({ loc: `https://www.example.org${route}`, lastmod: dates[route] });

export default defineConfig({
  root: 'docs',
  title: 'T',
  plugins: [pluginSitemap({
    siteUrl: 'https://www.example.org',
    customMaps: { '/': entry('/'), '/tea': entry('/tea') },
  })],
});
END
PATH="$folder/node_modules/.bin:$PATH" rspress build >log 2>&1 || { cat log; exit 1; }
sed 's/<url>/\n&/g' doc_build/sitemap.xml
echo
grep -q '<loc>https://www.example.org/tea</loc><lastmod>undefined</lastmod>' doc_build/sitemap.xml ||
    { echo "this has changed"; exit 1; }
grep -q '<loc>https://www.example.org/</loc><lastmod>2026-09-01T10:00:00Z</lastmod>' doc_build/sitemap.xml ||
    { echo "this has changed"; exit 1; }
echo "lastmod is the word undefined"
