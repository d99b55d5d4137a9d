#!/bin/sh
# warcio 2.4.11 (npm) indexes a metadata record in JSON as a capture of the page.
#
# WARC/1.1, 6.6: a 'metadata' record describes another record, and its format may
# vary.  `warcio cdx-index` leaves out metadata records whose Content-Type is
# application/warc-fields, and lists all others with the URL, the time and the
# length of their own, so that the index has two captures of one page at one
# moment.  In the order of a CDXJ file, which is that of bytes, the JSON comes
# before the HTML.  Seen with node 20.20.2, of one response and three metadata
# records of the same URL:
#   text/html                  listed, as it should be
#   application/warc-fields    left out, as it should be
#   application/json           LISTED as a capture of the page
#   text/anvl (of WARC/0.18)   LISTED as a capture of the page
#
# Installs the pinned package into a temporary folder; fails if what it sees
# has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund warcio@2.4.11
# record NUMBER TYPE CONTENT-TYPE BLOCK
record() {
	length=$(printf '%b' "$4" | wc -c)
	printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\n' "$2" "$1"
	printf 'WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://www.example.org/\r\n'
	printf 'Content-Type: %s\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n' "$3" "$length" "$4"
}
{
	record 1 response 'application/http;msgtype=response' \
	    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page</p>'
	record 2 metadata application/warc-fields 'via: http://www.example.org/a\r\n'
	record 3 metadata application/json '{"title":"page"}'
	record 4 metadata text/anvl 'via: http://www.example.org/a\r\n'
} >a.warc
npx --no-install warcio cdx-index a.warc | LC_ALL=C sort >a.cdxj
cat a.cdxj
found=$(sed 's/.*"mime":"\([^"]*\)".*/\1/' a.cdxj | tr '\n' ' ')
[ "$found" = "application/json text/anvl text/html " ] || { echo "this has changed"; exit 1; }
echo "listed as captures of the page: application/json text/anvl"
