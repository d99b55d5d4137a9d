-- What a machine ($1) may do about each shard.  All machines sort alike, and each
-- one's part of the shards begins where that of the one before ends.
-- After an outage the owners of before come back first: others wait for a lease,
-- unless they are hasty ($2).
WITH m AS (
	SELECT member, since, capacity,
		sum(capacity) OVER (ORDER BY member COLLATE "C") AS upto,
		sum(capacity) OVER () AS total
	FROM freshet.member WHERE until > clock_timestamp() AND NOT leaves
), p AS (
	SELECT n * (upto - capacity) / total AS first, n * upto / total AS next,
		since < clock_timestamp() - lease_ms * interval '1 ms' AS is_patient
	FROM m, freshet.cluster,
		(SELECT count(*) AS n FROM freshet.shard) o
	WHERE member = $1
)
SELECT shard, coalesce((SELECT next - first FROM p), 0),
	owner IS NULL OR owner = $1 OR (until < clock_timestamp()
		AND ($2::boolean OR (SELECT is_patient FROM p)))
FROM freshet.shard
ORDER BY owner IS DISTINCT FROM $1, shard < (SELECT first FROM p), shard
