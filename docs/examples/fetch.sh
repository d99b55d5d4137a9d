#!/bin/sh
# fetch.sh FOLDER [OPTION OF due]...: fetch what is due with curl, into FOLDER.
folder=$1
shift

# field NAME: of $page; no URL and no lease holds a quote.
field() {
	rest=${page#*\""$1"\":\"}
	printf '%s' "${rest%%\"*}"
}

freshet due "$@" | while read -r page; do
	lease=$(field lease)
	url=$(field url)
	file=$folder/${lease%.*} # the same for the same page
	status=$(curl --silent --max-time 60 --output "$file.new" \
	    --user-agent "freshet (+https://www.example.org/bot)" \
	    --etag-compare "$file.etag" --etag-save "$file.etag" \
	    --write-out '%{http_code}' --globoff "$url")
	hash=
	if [ "$status" = 200 ]; then
		mv "$file.new" "$file"
		hash=$(sha256sum <"$file")
	fi
	printf '{"lease":"%s","url":"%s","status":"%s","content_hash":"%s"}\n' \
	    "$lease" "$url" "$status" "${hash%% *}"
done | freshet done
