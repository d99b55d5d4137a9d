-- What list --workers prints: for people, and for programs.
WITH s AS (
	SELECT 1 AS v, 'shard' AS type, shard,
		coalesce((SELECT m.place FROM freshet.member m
			WHERE m.member = s.owner), s.owner, '') AS machine,
		CASE WHEN owner IS NULL THEN 'free'
			WHEN until < clock_timestamp() THEN 'lapsed'
			ELSE 'held' END AS state,
		term, coalesce(sites, 0) AS sites, coalesce(pages, 0) AS pages,
		(SELECT count(*) FROM freshet.mail m WHERE m.shard = s.shard) AS mail
	FROM freshet.shard s
), m AS (
	SELECT 1 AS v, 'machine' AS type, place AS machine, program, capacity,
		CASE WHEN until < clock_timestamp() THEN 'gone'
			WHEN leaves THEN 'leaves' ELSE 'runs' END AS state
	FROM freshet.member WHERE until > clock_timestamp() - interval '1 day'
		-- Whoever has left is not missed.
		AND (until > clock_timestamp() OR NOT leaves)
)
SELECT line, json FROM (
	SELECT 0 AS part, shard AS n, '' AS name,
		format('%5s  %-24s%6s%8s%12s%6s  %s', shard, machine, term, sites,
			pages, mail, state) AS line, row_to_json(s) AS json FROM s
	UNION ALL SELECT 1, 0, machine,
		format('%s: %s, capacity %s, freshet %s', machine, state, capacity,
			program), row_to_json(m) FROM m
) lines ORDER BY part, n, name
