/*
 * Hosts that several shards ask, and budgets that they share, as statements.
 *
 * docs/internals/machines.md has the protocol and why it holds.  In the table
 * `host`, holder and holder_term say whose the host is until when; free_at is
 * the time of its next request while it is held, else the end of the last one;
 * next is the shard that comes after the holder, as of next_at; seen is the
 * last term of the home that knew of the row.  Parameters are always:
 *
 *	$1 the shard, $2 its term, and what stands beside the statement.
 */
#ifndef FRESHET_RESERVE_H
#define FRESHET_RESERVE_H

#define RESERVE_MS(parameter) "(" parameter "::float8 * interval '1 ms')"

/* The clock of decisions is that of the moment at which the statement came:
 * what the statement sees of other rows is newer. */
#define RESERVE_NOW "statement_timestamp()"

/* The home takes note of hosts that others want, and holds them: requests of
 * which nobody knows may be under way.  $3 how long in ms, $4 whether to answer
 * those of which it took note before, too. */
#define RESERVE_UNHELD \
	"(seen < $2::bigint AND (holder IS NULL OR until < " RESERVE_NOW "))"
#define RESERVE_SEE                                                            \
	"WITH u AS (UPDATE freshet.host SET seen = $2::bigint,"                \
	" holder = CASE WHEN " RESERVE_UNHELD                                  \
	" THEN $1::integer ELSE holder END,"                                   \
	" holder_term = CASE WHEN " RESERVE_UNHELD                             \
	" THEN $2::bigint ELSE holder_term END,"                               \
	" until = CASE WHEN " RESERVE_UNHELD                                   \
	" THEN clock_timestamp() + " RESERVE_MS(                               \
	    "$3") " ELSE until END"                                            \
		  " WHERE home = $1::integer AND seen < $2::bigint RETURNING " \
		  "host)"                                                      \
		  " SELECT host FROM u UNION SELECT host FROM freshet.host"    \
		  " WHERE $4::boolean AND home = $1::integer"

/* What the shard holds is in use. $3 how long in ms. */
#define RESERVE_RENEW                                       \
	"UPDATE freshet.host SET until ="                   \
	" greatest(until, clock_timestamp() + " RESERVE_MS( \
	    "$3") ")"                                       \
		  " WHERE holder = $1::integer AND holder_term = $2::bigint"

/* Reserve a host: $3 how long in ms, $4 the host, $5 its delay in ms.  The
 * answer is a wait in ms; no row: not yet. */
#define RESERVE_MINE                                                 \
	"(h.holder = $1::integer AND h.holder_term = $2::bigint AND" \
	" h.until >= " RESERVE_NOW ")"
#define RESERVE_TIME                                             \
	"(CASE WHEN " RESERVE_MINE " THEN greatest(h.free_at,"   \
	" clock_timestamp()) ELSE greatest(clock_timestamp(),"   \
	" greatest(h.free_at, h.until,"                          \
	" CASE WHEN s.until < " RESERVE_NOW " THEN s.until END)" \
	" + " RESERVE_MS("$5") ") END)"
#define RESERVE_TAKE                                                           \
	"UPDATE freshet.host h SET holder = $1::integer,"                      \
	" holder_term = $2::bigint, free_at = " RESERVE_TIME ","               \
	" until = " RESERVE_TIME " + " RESERVE_MS(                             \
	    "$3") ","                                                          \
		  " next = nullif(h.next, $1::integer), wanted_at = CASE"      \
		  " WHEN h.home = $1::integer THEN h.wanted_at ELSE now() END" \
		  " FROM freshet.shard s WHERE h.host = $4 AND s.shard = "     \
		  "h.home"                                                     \
		  " AND (" RESERVE_MINE                                        \
		  " OR ((h.holder IS NULL OR h.until < " RESERVE_NOW           \
		  ") AND (h.next IS NULL OR h.next = $1::integer"              \
		  " OR h.next_at < " RESERVE_NOW " - interval '3 s')"          \
		  " AND (h.seen = s.term OR s.until < " RESERVE_NOW ")))"      \
		  " RETURNING ceil(extract(epoch FROM"                         \
		  " h.free_at - clock_timestamp()) * 1000)::bigint"

/* After that, in the same transaction: say that the shard wants the host, and
 * wake its home if that does not know.  $3 the host, $4 its slot. */
#define RESERVE_FIRST                                \
	"(h.next IS NULL OR h.next = $1::integer OR" \
	" h.next_at < " RESERVE_NOW " - interval '3 s')"
#define RESERVE_WANT                                                           \
	"WITH w AS (INSERT INTO freshet.host AS h (host, home, next, next_at)" \
	" SELECT $3, shard, $1::integer, now() FROM freshet.slot"              \
	" WHERE slot = $4::integer ON CONFLICT (host) DO UPDATE SET"           \
	" next = CASE WHEN " RESERVE_FIRST                                     \
	" THEN $1::integer ELSE h.next END,"                                   \
	" next_at = CASE WHEN " RESERVE_FIRST                                  \
	" THEN now() ELSE h.next_at END,"                                      \
	" wanted_at = now()"                                                   \
	" WHERE h.holder IS DISTINCT FROM $1::integer"                         \
	" OR h.holder_term <> $2::bigint RETURNING home, seen)"                \
	" SELECT pg_notify('freshet_' || w.home, '') FROM w"                   \
	" JOIN freshet.shard s ON s.shard = w.home WHERE w.seen <> s.term"

/* Give a host back.  $3 the host. */
#define RESERVE_BACK                                               \
	"UPDATE freshet.host SET holder = NULL,"                   \
	" free_at = clock_timestamp(), until = clock_timestamp()"  \
	" WHERE holder = $1::integer AND holder_term = $2::bigint" \
	" AND host = $3"

/*
 * Two statements of one transaction: the first takes a lock, so that the second
 * sees what all others have.  `granted` is what a shard was told last; `rate`,
 * whose sum never exceeds the total, is that, or what the shard was told
 * before, which it uses until it has the answer.  Parameters: the name; and $2
 * the shard, $3 the total, $4 what is wanted, $5 for how long in ms.
 */
#define RESERVE_LOCK_SHARES                                              \
	"INSERT INTO freshet.share VALUES ($1, -1, 0, 0, 0, 'infinity')" \
	" ON CONFLICT (name, shard) DO UPDATE SET wanted = 0"
#define RESERVE_SHARE                                                        \
	"INSERT INTO freshet.share AS m SELECT $1, $2::integer, r, r,"       \
	" $4::float8, clock_timestamp() + " RESERVE_MS(                      \
	    "$5") " FROM (SELECT"                                            \
		  " greatest(0, least($3::float8 - coalesce(sum(rate), 0),"  \
		  " coalesce($3::float8 * $4::float8 /"                      \
		  " nullif(coalesce(sum(wanted), 0) + $4::float8, 0), 0))) " \
		  "AS r"                                                     \
		  " FROM freshet.share WHERE name = $1 AND shard <> "        \
		  "$2::integer"                                              \
		  " AND until > clock_timestamp()) AS o"                     \
		  " ON CONFLICT (name, shard) DO UPDATE SET"                 \
		  " rate = greatest(excluded.granted, CASE WHEN m.until >"   \
		  " clock_timestamp() THEN m.granted END),"                  \
		  " granted = excluded.granted, wanted = excluded.wanted,"   \
		  " until = excluded.until RETURNING granted"

#endif
