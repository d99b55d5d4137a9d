-- Rows to be copied of shard $1, or of all, for a freshet that knows schema $2: their
-- schema; how many requests wait for nobody; why they cannot be copied.
SELECT min(schema), (SELECT count(*) FROM freshet.mail m JOIN freshet.shard s USING (shard)
		WHERE s.owner IS NULL OR s.until < clock_timestamp()),
	CASE WHEN count(*) = 0 THEN format('there is no shard %s: they are 0 to %s', $1::text,
			(SELECT max(shard) FROM freshet.shard))
		WHEN max(schema) > $2::integer THEN format('its schema %s is newer than %s, the newest'
			' known: install the freshet that other machines have', max(schema), $2::integer)
		WHEN min(schema) < max(schema) THEN format('shards have schema %s or %s until a new'
			' ''freshet run'' has taken each: look then, or at sites of one shard',
			min(schema), max(schema)) END
FROM freshet.shard WHERE $1::text IN (shard::text, 'all')
