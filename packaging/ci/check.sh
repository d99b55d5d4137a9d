#!/bin/sh
# Download the tarball of freshet, make sure that it is the right one, and check
# or stamp.
#
#   check.sh [ARGUMENT...]      arguments of the command, before all others
#
# FRESHET_URL                   the tarball
# FRESHET_SHA256                its SHA-256, 64 hexadecimal digits in small letters
# FRESHET_COMMAND               check (the default) or stamp
# FRESHET_TARGETS               what to check or stamp, one target in each line
# FRESHET_FAIL_ON               of check: error (the default), warning or info
# FRESHET_ARGUMENTS             further arguments, one in each line
#
# The status is that of freshet; 2 if there is none.
set -euf

fail() {
	printf 'freshet: %s\n' "$1" >&2
	exit 2
}

[ -n "${FRESHET_URL:-}" ] || fail "FRESHET_URL is not set"
[ -n "${FRESHET_SHA256:-}" ] || fail "FRESHET_SHA256 is not set"
[ -n "${FRESHET_TARGETS:-}" ] || fail "FRESHET_TARGETS is not set"
command=${FRESHET_COMMAND:-check}
case $command in
check) set -- "$@" --fail-on "${FRESHET_FAIL_ON:-error}" ;;
stamp) ;;
*) fail "FRESHET_COMMAND is neither check nor stamp" ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 2' INT TERM HUP

if command -v curl >/dev/null; then
	curl -fsSL --retry 3 -o "$folder/freshet.tar.gz" -- "$FRESHET_URL" ||
	    fail "cannot download '$FRESHET_URL'"
elif command -v wget >/dev/null; then
	wget -q -O "$folder/freshet.tar.gz" -- "$FRESHET_URL" ||
	    fail "cannot download '$FRESHET_URL'"
else
	fail "neither curl nor wget is installed"
fi
# The value is compared whole, so that nothing in it can name another file.
[ "$(sha256sum <"$folder/freshet.tar.gz" | cut -c 1-64)" = "$FRESHET_SHA256" ] ||
    fail "the SHA-256 of '$FRESHET_URL' is not the expected one"
mkdir "$folder/freshet"
tar -xzf "$folder/freshet.tar.gz" -C "$folder/freshet" --strip-components=1 ||
    fail "the tarball cannot be unpacked"

# -f: no line is a pattern of file names
IFS='
'
for line in ${FRESHET_ARGUMENTS:-}; do
	set -- "$@" "$line"
done
set -- "$@" --
for line in $FRESHET_TARGETS; do
	set -- "$@" "$line"
done
"$folder/freshet/bin/freshet" "$command" "$@"
