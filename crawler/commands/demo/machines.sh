# freshet demo machines: what one would type, on one machine in place of four.
# The environment has FRESHET (the program), DEMO_FOLDER, DEMO_PORTS (one for each
# site), and DEMO_URLS (how many they have together).
set -eu
say() { printf '%s\n' "$*"; }
freshet() { "$FRESHET" "$@"; }
export FRESHET_STORE="postgresql://freshet@/postgres?host=$DEMO_FOLDER"
export FRESHET_CONFIG="$DEMO_FOLDER/conf"
printf '[defaults]\ndelay = 0.5\n' >"$FRESHET_CONFIG"
sites=
n=0
for port in $DEMO_PORTS; do
	printf 'connect-to = shop%d.example:80:127.0.0.1:%d\n' $n "$port" >>"$FRESHET_CONFIG"
	sites="$sites http://shop$n.example/"
	n=$((n + 1))
done
machines= server=
end() {
	for pid in $machines; do kill -TERM "-$pid" 2>/dev/null || :; done
	for pid in $machines; do wait "$pid" 2>/dev/null || :; done
	[ -z "$server" ] || { kill -INT $server && wait $server || :; }
	rm -rf "$DEMO_FOLDER"
}
trap end EXIT
trap 'exit 143' INT TERM

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || say /none/initdb)")
[ -x "$bin/initdb" ] || {
	say "there is no PostgreSQL server on this machine: install postgresql" >&2
	exit 2
}
as=
if [ "$(id -u)" = 0 ]; then # it refuses to run as root
	user=$(id -un postgres 2>/dev/null || say nobody)
	chown "$user" "$DEMO_FOLDER"
	as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups"
fi
cd /
$as "$bin/initdb" -D "$DEMO_FOLDER/data" --no-sync -A trust -E UTF8 --locale=C -U freshet >/dev/null
$as "$bin/postgres" -D "$DEMO_FOLDER/data" -k "$DEMO_FOLDER" -c listen_addresses= -c fsync=off \
	>/dev/null 2>&1 &
server=$!
until "$bin/pg_isready" -q -h "$DEMO_FOLDER"; do
	kill -0 $server 2>/dev/null || {
		say "the PostgreSQL server does not start" >&2
		server=
		exit 8
	}
	sleep 0.1
done

say "A PostgreSQL server of this demo alone has been started. A store for six shards:"
say '$ freshet db init --shards 6'
freshet db init --shards 6
say '$ freshet add' $sites
freshet add $sites >/dev/null
say
say 'On each of three machines:  $ freshet run'
# each in a process group of its own, which can die at once
for n in 1 2 3; do
	XDG_CACHE_HOME=$DEMO_FOLDER/machine-$n setsid "$FRESHET" run >"$DEMO_FOLDER/$n.log" 2>&1 &
	machines="$machines $!"
	[ $n != 2 ] || second=$!
done
urls() { freshet export 2>/dev/null | wc -l; }
wait_for() { # so many URLs are in the store; in two minutes at most
	ends=$(($(date +%s) + 120))
	until have=$(urls) && [ "$have" -ge "$1" ]; do
		[ "$(date +%s)" -lt $ends ] || return 1
		sleep 1
	done
}
wait_for $((DEMO_URLS / 3)) || exit 3
say '$ freshet list --workers'
freshet list --workers
say
say "Machine 2 loses its power. The others wait until its time has passed, and take its sites."
# with its workers, which would give back what they hold
kill -KILL $(cat "/proc/$second/task/$second/children") "$second"
wait_for "$DEMO_URLS" || exit 3
say '$ freshet list --workers'
freshet list --workers
say
