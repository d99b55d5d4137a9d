-- After host_take.sql, in the same transaction: shard $1, in its term $2, wants the
-- host $3 if it was refused, and comes next unless another was refused before; its
-- home, shard $4, is woken if it does not know of the row.
WITH w AS (
	INSERT INTO freshet.host AS h (host, home, next, next_at)
	VALUES ($3, $4::integer, $1::integer, now())
	ON CONFLICT (host) DO UPDATE SET wanted_at = now(),
		(next, next_at) = (
			SELECT CASE WHEN is_first THEN $1::integer ELSE h.next END,
				CASE WHEN is_first THEN now() ELSE h.next_at END
			FROM (SELECT h.next IS NULL OR h.next = $1::integer
				OR h.next_at < now() - interval '3 s' AS is_first) AS f)
	WHERE h.holder IS DISTINCT FROM $1::integer OR h.holder_term <> $2::bigint
	RETURNING home, seen)
SELECT pg_notify('freshet_' || w.home, '')
FROM w JOIN freshet.shard AS s ON s.shard = w.home WHERE w.seen <> s.term
