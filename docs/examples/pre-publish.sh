#!/bin/sh
# Publish a folder only if its sitemaps are right.
#
#   pre-publish.sh FOLDER URL COMMAND...
#
# FOLDER will be found at URL; COMMAND puts it there.  Nothing is asked of the
# server at URL.  sitemaps.html says what was found.
#
#   pre-publish.sh public https://www.example.org/ rsync -a public/ web:/srv/www/
set -eu

folder=$1
url=$2
shift 2
if ! freshet check -f html --fail-on warning --base "$url" "$folder" \
    >sitemaps.html; then
	echo "not published: see sitemaps.html" >&2
	exit 1
fi
exec "$@"
