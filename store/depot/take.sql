-- Machine $2 takes shard $1 for $3 ms, if it knows its schema ($4 is the newest that
-- it knows): the new term, the version and the schema; or why it may not.  At last: for
-- how many seconds nobody had it, if the last owner gave it, less one, since clocks of
-- machines count whole ones.
WITH taken AS (
	UPDATE freshet.shard SET owner = $2, term = term + 1,
		until = clock_timestamp() + $3::float8 * interval '1 ms'
	WHERE shard = $1::integer AND schema <= $4::integer
		AND (owner IS NULL OR until < clock_timestamp() OR owner = $2)
	RETURNING term, version, schema
), forgotten AS (
	-- These no shard wants any more, and nobody is asked now.
	DELETE FROM freshet.host WHERE home = $1::integer AND EXISTS (SELECT FROM taken)
		AND greatest(until, wanted_at) < now() - interval '1 day'
)
SELECT t.term, t.version, t.schema, CASE WHEN s.schema > $4::integer
	THEN 'its schema ' || s.schema || ' is newer than ' || $4 || ', the newest known'
	WHEN s.owner = 'set aside'
	THEN 'shard ' || shard || ' killed its workers, and is left alone for some minutes'
	ELSE coalesce('another machine holds shard ' || shard || ': ' || coalesce(
		(SELECT m.place FROM freshet.member m WHERE m.member = s.owner), owner),
		'another machine took it') END,
	CASE WHEN s.owner IS NULL AND isfinite(s.until) AND s.term + 1 = t.term
		THEN greatest(0, floor(extract(epoch FROM clock_timestamp() - s.until)) - 1)::bigint ELSE 0 END
FROM freshet.shard s LEFT JOIN taken t ON true WHERE shard = $1::integer
