-- What a machine ($1) may do about each shard, and whether that has a schema which
-- the machine does not know.  All machines sort alike, and each one's part of the
-- shards begins where that of the one before ends.  Machines that do not know the
-- newest schema have no more of them than there are older ones.
-- After an outage the owners of before come back first: others wait for a lease,
-- unless they are hasty ($2).
WITH s AS (
	SELECT *, row_number() OVER (ORDER BY schema, shard) - 1 AS n,
		max(schema) OVER () AS newest, count(*) OVER () AS count
	FROM freshet.shard
), m AS (
	SELECT member, since, m.capacity, m.schema < newest AS is_old, count,
		sum(capacity) OVER (PARTITION BY m.schema < newest ORDER BY member COLLATE "C") AS upto,
		sum(capacity) OVER (PARTITION BY m.schema < newest) AS total,
		least(count * coalesce(sum(capacity) FILTER (WHERE m.schema < newest) OVER (), 0)
			/ sum(capacity) OVER (), (SELECT count(*) FROM s WHERE schema < newest)) AS old
	FROM freshet.member m, (SELECT DISTINCT newest, count FROM s) o
	WHERE until > clock_timestamp() AND NOT leaves
), p AS (
	SELECT first + size * (upto - capacity) / total AS first, first + size * upto / total AS next,
		since < clock_timestamp() - lease_ms * interval '1 ms' AS is_patient
	FROM (SELECT *, CASE WHEN is_old THEN 0 ELSE old END AS first,
		CASE WHEN is_old THEN old ELSE count - old END AS size FROM m) o, freshet.cluster
	WHERE member = $1
), me AS (
	SELECT schema AS known FROM freshet.member WHERE member = $1
)
SELECT shard, coalesce((SELECT next - first FROM p), 0), schema <= known
	AND (owner IS NULL OR owner = $1 OR (until < clock_timestamp()
		AND ($2::boolean OR (SELECT is_patient FROM p)))),
	schema > known
FROM s, me
ORDER BY owner IS DISTINCT FROM $1, n < (SELECT first FROM p), n
