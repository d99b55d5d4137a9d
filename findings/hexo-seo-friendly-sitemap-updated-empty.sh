#!/bin/sh
# hexo-generator-seo-friendly-sitemap 0.2.1 (npm) with Hexo 8.1.2: with Hexo's
# documented `updated_option: 'empty'`, a post without `updated` ends the whole
# build; nothing of the site is written.
#
# Its template says `item.updated.toISOString() || item.date.toISOString()`: the
# date is meant to stand in, but `updated` is undefined then.  Seen with node
# 20.20.2: status 2, "Cannot read properties of undefined (reading
# 'toISOString')" in post-sitemap.ejs, no folder public.  With the default,
# 'mtime', and with 'date', the same site is built; hexo-generator-sitemap 3.0.1
# builds it with 'empty', too.
#
# Installs the pinned packages into a temporary folder; fails if what it sees has
# changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"name":"site","version":"1.0.0","private":true,"hexo":{"version":"8.1.2"}}\n' >package.json
npm install --silent --no-audit --no-fund hexo@8.1.2 hexo-generator-seo-friendly-sitemap@0.2.1 \
    hexo-renderer-marked@7.0.1 hexo-renderer-ejs@2.0.0
mkdir -p source/_posts themes/plain/layout
printf -- '---\ntitle: Tea\ndate: 2026-09-01 10:00:00\n---\nText\n' >source/_posts/tea.md
echo '<title><%= page.title %></title><%- page.content %>' >themes/plain/layout/index.ejs
build() {
	printf 'title: T\nurl: https://www.example.org\ntheme: plain\nupdated_option: %s\n' "$1" >_config.yml
	rm -rf public db.json
	status=0
	npx --no-install hexo generate >log 2>&1 || status=$?
	echo "updated_option: $1: status $status, sitemaps: $(ls public/*sitemap*.xml 2>/dev/null | wc -l)"
}
build "'date'"
[ "$status" = 0 ] && [ -f public/post-sitemap.xml ] || { echo "this has changed"; cat log; exit 1; }
grep -o '<lastmod>.*' public/post-sitemap.xml
build "'empty'"
[ "$status" != 0 ] && [ ! -e public/post-sitemap.xml ] &&
    grep "undefined (reading 'toISOString')" log || { echo "this has changed"; cat log; exit 1; }
