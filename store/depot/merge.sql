-- What the columns of table $1 are in one store, of $2 shards: ids are
-- renumbered, so that the order within a shard stays.  A cursor of the feed is of
-- one shard, so that all is told again; the scheduler has applied all readings
-- then.
SELECT string_agg(CASE
	WHEN $1 = 'feed' AND c = 'cursor' THEN 'NULL::text'
	WHEN $1 = 'learned' AND c = 'data' THEN
		'CASE WHEN t.kind = ''told'' THEN ''\xffffffffffffff7f'' ||'
		' substr(t.data, 9) ELSE t.data END'
	WHEN $1 IN ('segment', 'block_index', 'delta') AND c = 'id' THEN
		format('((t.id >> 16) * %s + t.shard) << 16 | (t.id & 65535)', $2::text)
	WHEN $1 IN ('origin', 'feed') AND c = 'id' OR c IN ('origin_id', 'feed_id') THEN
		'o.joined'
	WHEN c ~ CASE $1 WHEN 'meta' THEN '^pruned_'
		ELSE '(^|_)id$|^alias_of$|^last_crawl_after$' END THEN
		format('CASE WHEN t.%1$I = 0 THEN 0 ELSE t.%1$I * %2$s + t.shard END', c, $2)
	ELSE format('t.%I', c)
	END, ', ' ORDER BY n)
FROM (SELECT column_name::text AS c, ordinal_position AS n FROM information_schema.columns
	WHERE table_schema = 'freshet' AND table_name = $1 AND column_name <> 'shard') x
