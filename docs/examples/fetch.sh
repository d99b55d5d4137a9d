#!/bin/sh
# fetch.sh FOLDER [OPTION OF due]...: fetch what is due with curl, into FOLDER,
# of 50 hosts at once, one page of each.
folder=$1
shift

# field NAME: of $page; no URL and no lease holds a quote.
field() {
	rest=${page#*\""$1"\":\"}
	printf '%s' "${rest%%\"*}"
}

fetch() {
	lease=$(field lease)
	url=$(field url)
	file=$folder/${lease%.*} # the same for the same page
	said=$(curl --silent --max-time 60 --output "$file.new" \
	    --user-agent "freshet (+https://www.example.org/bot)" \
	    --etag-compare "$file.etag" --etag-save "$file.etag" \
	    --write-out '%{http_code} %{time_total}' --globoff "$url")
	hash=
	if [ "${said% *}" = 200 ]; then
		mv "$file.new" "$file"
		hash=$(sha256sum <"$file")
	fi
	printf '{"lease":"%s","url":"%s","status":"%s","seconds":%s,"content_hash":"%s"}\n' \
	    "$lease" "$url" "${said% *}" "${said#* }" "${hash%% *}"
}

freshet due --hosts 50 --per-host 1 "$@" | {
	while read -r page; do
		fetch </dev/null &
	done
	wait
} | freshet done
