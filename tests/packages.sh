# The Debian packages that building and testing need, and how to get them.
# Sourced by the launcher and by tests/run.  POSIX sh.
#
# kind, package, probe: cmd:NAME is in PATH, pc:NAME is known to pkg-config,
# file:PATTERN matches.  A probe that holds is enough; where the thing came from
# does not matter.

packages_table() {
	cat <<-'TABLE'
	build gcc cmd:gcc
	build libc6-dev file:/usr/include/stdio.h
	build meson cmd:meson
	build ninja-build cmd:ninja
	build pkgconf cmd:pkg-config
	build libcurl4-openssl-dev pc:libcurl
	build libxml2-dev pc:libxml-2.0
	build zlib1g-dev pc:zlib
	build libevent-dev pc:libevent_core
	build libsqlite3-dev pc:sqlite3
	build libzstd-dev pc:libzstd
	build libisal-dev pc:libisal
	build libxxhash-dev pc:libxxhash
	build libicu-dev pc:icu-uc
	build libpsl-dev pc:libpsl
	build libssl-dev pc:libcrypto
	build scdoc cmd:scdoc
	build libjansson-dev pc:jansson
	build ca-certificates file:/etc/ssl/certs/ca-certificates.crt
	test libcmocka-dev pc:cmocka
	test libexpat1-dev pc:expat
	test nginx-light cmd:nginx
	test curl cmd:curl
	test clang cmd:clang
	test lld cmd:ld.lld
	test libclang-rt-14-dev file:/usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.asan-*.a
	test clang-format cmd:clang-format
	test openssl cmd:openssl
	test python3 cmd:python3
	test sqlite3 cmd:sqlite3
	test git cmd:git
	test libpq-dev pc:libpq
	test postgresql-15 file:/usr/lib/postgresql/15/bin/initdb
	test groff-base cmd:groff
	test locales file:/usr/share/i18n/locales/de_DE
	test zsh cmd:zsh
	test fish cmd:fish
	test strace cmd:strace
	test python3-scrapy file:/usr/lib/python3/dist-packages/scrapy/__init__.py
	test yamllint cmd:yamllint
	test mypy cmd:mypy
	browser chromium cmd:chromium
	deb build-essential file:/usr/share/build-essential/*
	deb git cmd:git
	deb debhelper cmd:dh
	deb dh-python cmd:dh_python3
	deb dpkg-dev cmd:dpkg-buildpackage
	deb systemd pc:systemd
	tarball git cmd:git
	tarball patchelf cmd:patchelf
	tarball libpq-dev pc:libpq
	image debootstrap cmd:debootstrap
	packaging lintian cmd:lintian
	packaging buildah cmd:buildah
	TABLE
}

# packages_missing KIND...: the packages of these kinds that are not there.
packages_missing() (
	PATH=$PATH:/usr/sbin:/sbin
	packages_table | while read -r kind package probe; do
		case " $* " in
		*" $kind "*) ;;
		*) continue ;;
		esac
		case $probe in
		cmd:*) command -v "${probe#cmd:}" ;;
		pc:*) pkg-config --exists "${probe#pc:}" ;;
		file:*) ls -d ${probe#file:} ;;
		esac >/dev/null 2>&1 || printf '%s\n' "$package"
	done | tr '\n' ' '
)

# packages_apt LOG COMMAND...: apt-get, as root or through sudo.
packages_apt() {
	packages_log=$1
	shift
	if [ "$(id -u)" -eq 0 ]; then
		set -- env DEBIAN_FRONTEND=noninteractive apt-get "$@"
	elif [ -t 2 ] && [ -r /dev/tty ]; then
		set -- sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@"
	else
		set -- sudo -n env DEBIAN_FRONTEND=noninteractive apt-get "$@"
	fi
	"$@" -q -y -o DPkg::Lock::Timeout=300 </dev/null \
	    >>"$packages_log" 2>&1
}

# packages_promtool LOG FOLDER: put the checker of metrics there, out of Debian's
# package of Prometheus; installing that would start a server.
packages_promtool() {
	mkdir -p "$2" && (
		cd "$2" && apt-get download -q prometheus &&
		dpkg-deb --fsys-tarfile prometheus_*.deb |
		tar -x -f - --strip-components=3 ./usr/bin/promtool &&
		rm -f prometheus_*.deb
	) >>"$1" 2>&1 </dev/null
}

# packages_install LOG KIND...: install what is missing; false, with a message
# on stderr, when that cannot be done.  Asks the network for nothing when
# nothing is missing.
packages_install() {
	packages_file=$1
	shift
	packages_list=$(packages_missing "$@")
	[ -n "$packages_list" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1 || {
		[ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1
	}; then
		printf 'freshet: these packages are missing: %s\n' \
		    "$packages_list" >&2
		return 1
	fi
	printf 'freshet: installing %s\n' "$packages_list" >&2
	# Lists that are empty or old make the first attempt fail.
	# shellcheck disable=SC2086
	packages_apt "$packages_file" install --no-install-recommends \
	    $packages_list ||
	    { packages_apt "$packages_file" update &&
	    packages_apt "$packages_file" install --no-install-recommends \
	    $packages_list; } || {
		tail -n 20 "$packages_file" >&2
		printf 'freshet: cannot install; missing: %s\n' \
		    "$(packages_missing "$@")" >&2
		return 1
	}
}
