-- The COPY that tells the rows of all shards in table $1 as those of one store, with
-- the columns $2.  Ids are renumbered, so that the order within a shard
-- stays.  A cursor of the feed is of one shard, so that all is told again; the
-- scheduler has applied all readings then, and the keys of folders depend on the
-- ids of sites.
WITH columns AS (
	SELECT c, n, ordinal_position AS key, (SELECT count(*) FROM freshet.shard)::text AS shards
	FROM string_to_array($2, ',') names, unnest(names) WITH ORDINALITY u (c, n)
	LEFT JOIN information_schema.key_column_usage ON column_name = c
		AND table_schema = 'freshet' AND table_name = $1
), listed AS (
	SELECT string_agg(CASE
		WHEN $1 = 'feed' AND c = 'cursor' THEN 'NULL::text'
		WHEN $1 = 'learned' AND c = 'data' THEN
			'CASE WHEN t.kind = ''told'' THEN ''\xffffffffffffff7f'' ||'
			' substr(t.data, 9) ELSE t.data END'
		WHEN $1 IN ('segment', 'block_index', 'delta') AND c = 'id' THEN
			format('((t.id >> 16) * %s + t.shard) << 16 | (t.id & 65535)', shards)
		WHEN $1 IN ('origin', 'feed') AND c = 'id' OR c IN ('origin_id', 'feed_id') THEN
			'o.joined'
		-- what shards know of one host
		WHEN $1 IN ('hold', 'request_log') AND key IS NULL THEN
			format('(%s(t.%I) OVER (PARTITION BY t.host%s))::bigint',
				CASE WHEN c IN ('requests', 'overlaps') THEN 'sum'
				WHEN c IN ('least_gap_ms', 'delay_ms') THEN 'min' ELSE 'max' END,
				c, CASE $1 WHEN 'request_log' THEN ', t.minute_s' END)
		WHEN c ~ CASE $1 WHEN 'meta' THEN '^pruned_'
			ELSE '(^|_)id$|^alias_of$|^last_crawl_after$' END THEN
			format('CASE WHEN t.%1$I = 0 THEN 0 ELSE t.%1$I * %2$s + t.shard END', c, shards)
		ELSE format('t.%I', c)
		END, ', ' ORDER BY n) AS list,
		-- of rows with one key that of the first shard stays
		string_agg(n::text, ', ' ORDER BY key) FILTER (WHERE key IS NOT NULL) AS keys
	FROM columns
), joined AS (
	-- What several shards know of the same origin, or of the same consumer, is one
	-- row, that of whoever asked last, and has one new id.
	SELECT format(' LEFT JOIN (SELECT shard, id, first_value(id * %s + shard)'
		' OVER (PARTITION BY %s ORDER BY %s DESC NULLS LAST, shard) AS joined'
		' FROM freshet.%I) o ON o.shard = t.shard AND o.id = t.%I', shards, part, last, origin, c)
	|| CASE WHEN $1 IN ('origin', 'proof', 'robots_text', 'feed') THEN
		format(' WHERE o.joined = t.%I * %s + t.shard', c, shards) ELSE '' END AS text
	FROM (VALUES ('origin', 'id', 'origin', 'origin', 'fetched_s'),
		('', 'origin_id', 'origin', 'origin', 'fetched_s'),
		('feed', 'id', 'feed', 'name', 'acked_s'),
		('', 'feed_id', 'feed', 'name', 'acked_s')) AS v (of, c, origin, part, last)
	JOIN columns USING (c) WHERE of IN ('', $1)
)
SELECT format('COPY (SELECT DISTINCT ON (%s) %s FROM freshet.%I t%s%s ORDER BY %1$s, t.shard)'
	' TO STDOUT (FORMAT binary)', keys, list, $1, (SELECT text FROM joined),
	CASE $1 WHEN 'learned' THEN ' WHERE t.kind <> ''section''' END)
FROM listed
