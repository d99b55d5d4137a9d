-- Shard $1, in its term $2, reserves the host $4 with a delay of $5 ms, for $3 ms
-- after the time of the request.  The shard before may have known a longer delay.
-- The answer is a wait in ms; no row: not yet.
UPDATE freshet.host AS h SET holder = $1::integer, holder_term = $2::bigint,
	(free_at, until) = (
		SELECT t, t + $3::float8 * interval '1 ms'
		FROM (SELECT greatest(clock_timestamp(), CASE
			-- its own still: at the time that it had
			WHEN h.holder = $1::integer AND h.holder_term = $2::bigint
				AND h.until >= statement_timestamp() THEN h.free_at
			ELSE greatest(h.free_at, h.until, CASE WHEN s.until < statement_timestamp() THEN s.until END)
				+ greatest($5::float8, h.delay_ms) * interval '1 ms' END) AS t) AS f),
	delay_ms = $5::float8,
	next = nullif(h.next, $1::integer),
	wanted_at = CASE WHEN h.home = $1::integer THEN h.wanted_at ELSE now() END
FROM freshet.shard AS s
WHERE h.host = $4 AND s.shard = h.home
	AND ((h.holder = $1::integer AND h.holder_term = $2::bigint AND h.until >= statement_timestamp())
		OR ((h.holder IS NULL OR h.until < statement_timestamp())
			AND (h.next IS NULL OR h.next = $1::integer
				OR h.next_at < statement_timestamp() - interval '3 s')
			AND (h.seen = s.term OR s.until < statement_timestamp())))
RETURNING greatest(0, ceil(extract(epoch FROM h.free_at - clock_timestamp()) * 1000))::bigint
