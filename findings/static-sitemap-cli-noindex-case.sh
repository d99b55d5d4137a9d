#!/bin/sh
# static-sitemap-cli 2.2.8 (npm) lists pages that ask not to be indexed.
#
# Its README: files with the `noindex` robots meta tag are excluded.  Seen with
# node 20.20.2, of six pages:
#   <meta name="robots" content="noindex">       left out, as it should be
#   <meta content="noindex" name="robots">       left out
#   <META NAME="ROBOTS" CONTENT="NOINDEX">       LISTED
#   <meta name="robots" content="none">          LISTED
#   <meta name="robots" content="NoIndex">       LISTED
#   no such element                              listed, as it should be
# Names and values of robots meta tags are compared without regard to case, and
# `none` means `noindex, nofollow` (Google's and Bing's documentation).
#
# Installs the pinned package into a temporary folder; fails if what it sees
# has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund static-sitemap-cli@2.2.8
page() {
	printf '<!DOCTYPE html>\n<html>\n<head>\n<title>%s</title>\n%s\n</head>\n<body>Text</body>\n</html>\n' \
	    "$1" "$2" >"site/$1.html"
}
mkdir site
page lower '<meta name="robots" content="noindex">'
page order '<meta content="noindex" name="robots">'
page upper '<META NAME="ROBOTS" CONTENT="NOINDEX">'
page none '<meta name="robots" content="none">'
page mixed '<meta name="robots" content="NoIndex">'
page plain ''
npx --no-install sscli --base https://www.example.org --root site --format txt
found=$(sed 's,.*/,,' site/sitemap.txt | sort | tr '\n' ' ')
echo "listed: $found"
[ "$found" = "mixed none plain upper " ] || { echo "this has changed"; exit 1; }
echo "listed though they say noindex: mixed none upper"
