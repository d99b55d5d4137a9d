#!/bin/sh
# fetch.sh FOLDER [OPTION OF due]...: fetch what is due with curl, into FOLDER,
# of 50 hosts at once, one page of each.
folder=$1
[ -d "$folder" ] || { echo "fetch.sh: no such folder: '$folder' (make it)" >&2; exit 2; }
shift

# field NAME: of $page; empty if it is null. No value holds a quote.
field() {
	case $page in *\""$1"\":\"*) ;; *) return ;; esac
	rest=${page#*\""$1"\":\"}
	printf '%s' "${rest%%\"*}"
}

# header NAME: of the answer, without what JSON would want to have escaped.
header() {
	grep -i "^$1:" "$file.head" | tail -n 1 | cut -d : -f 2- |
	    tr -cd ' !#-[]-~' | sed 's/^ *//'
}

# member NAME VALUE: for JSON, unless the value is empty.
member() {
	[ -z "$2" ] || printf ',"%s":"%s"' "$1" "$2"
}

# is_noindex: does the page, or its header, say so? What is said to another bot
# does not count.
is_noindex() {
	grep -Eqi '^x-robots-tag: *(freshet: *)?([^:]*,)? *(noindex|none)([^a-z]|$)' \
	    "$file.head" ||
	    grep -Eqi "<meta [^>]*name=[\"']?(robots|freshet)[\"' ][^>]*(noindex|none)" "$file" ||
	    grep -Eqi "<meta [^>]*(noindex|none)[^>]*name=[\"']?(robots|freshet)[\"' >/]" "$file"
}

fetch() {
	lease=$(field lease)
	url=$(field url)
	since=$(field last_modified)
	file=$folder/${lease%.*} # the same for the same page
	[ -e "$file" ] || since=
	said=$(curl --silent --max-time 60 --output "$file.new" --dump-header "$file.head" \
	    --user-agent "freshet (+https://www.example.org/bot)" \
	    --etag-compare "$file.etag" --etag-save "$file.etag" \
	    ${since:+--header "If-Modified-Since: $since"} \
	    --write-out '%{http_code} %{time_total}' --globoff "$url")
	more=$(member location "$(header location)"
	    member retry_after "$(header retry-after)"
	    member last_modified "$(header last-modified)")
	if [ "${said% *}" = 200 ]; then
		mv "$file.new" "$file"
		hash=$(sha256sum <"$file")
		more=$more$(member content_hash "${hash%% *}")
		if is_noindex; then more="$more,\"noindex\":true"; fi
	fi
	printf '{"lease":"%s","url":"%s","status":"%s","seconds":%s%s}\n' \
	    "$lease" "$url" "${said% *}" "${said#* }" "$more" 2>/dev/null ||
	    if kill "$loop" 2>/dev/null; then # so that 'due' ends, too
		    echo "fetch.sh: nobody reads the results: 'freshet done' has ended" >&2
	    fi
}

freshet due --hosts 50 "$@" --per-host 1 | {
	trap '' PIPE
	loop=$(exec sh -c 'echo $PPID')
	while read -r page; do
		fetch </dev/null &
	done
	wait
} | freshet done
