-- The home, shard $1 in term $2, takes note of hosts that others want, and holds
-- them for $3 ms unless somebody does: requests of which nobody knows may be under
-- way.  $4: answer those of which it took note before, too.  What is decided by
-- time is decided by when the statement came: what it sees of rows is newer.
WITH u AS (
	UPDATE freshet.host SET seen = $2::bigint,
		(holder, holder_term, until) = (
			SELECT CASE WHEN is_free THEN $1::integer ELSE holder END,
				CASE WHEN is_free THEN $2::bigint ELSE holder_term END,
				CASE WHEN is_free THEN clock_timestamp() + $3::float8 * interval '1 ms' ELSE until END
			FROM (SELECT holder IS NULL OR until < statement_timestamp() AS is_free) AS f)
	WHERE home = $1::integer AND seen < $2::bigint
	RETURNING host)
SELECT host FROM u
UNION SELECT host FROM freshet.host WHERE $4::boolean AND home = $1::integer
