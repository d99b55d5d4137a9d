-- Shard $2 asks for its part of the budget $1, whose total is $3, since it wants $4;
-- it has the part for $5 ms.  `granted` is what it was told last; `rate`, whose sum
-- never exceeds the total, is that, or what it was told before, which it uses until
-- it has the answer.  The transaction has locked the budget's row of shard -1, so
-- that this statement sees what all others have.
INSERT INTO freshet.share AS m
SELECT $1, $2::integer, r, r, $4::float8, clock_timestamp() + $5::float8 * interval '1 ms'
FROM (
	SELECT greatest(0, least($3::float8 - coalesce(sum(rate), 0), coalesce(
		$3::float8 * $4::float8 / nullif(coalesce(sum(wanted), 0) + $4::float8, 0), 0))) AS r
	FROM freshet.share
	WHERE name = $1 AND shard <> $2::integer AND until > clock_timestamp()) AS o
ON CONFLICT (name, shard) DO UPDATE SET granted = excluded.granted,
	rate = greatest(excluded.granted, CASE WHEN m.until > clock_timestamp() THEN m.granted END),
	wanted = excluded.wanted, until = excluded.until
RETURNING granted
