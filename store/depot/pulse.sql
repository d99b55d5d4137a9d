-- A machine tells that it runs: name, place, program, schema, capacity, leaves.  After
-- a pause of half a lease it has told without a pause since now only.
INSERT INTO freshet.member (member, place, program, schema, capacity, leaves, since, until)
SELECT $1, $2, $3, $4::integer, $5::integer, $6::boolean, now(),
	now() + lease_ms * interval '1 ms'
FROM freshet.cluster
ON CONFLICT (member) DO UPDATE SET place = excluded.place, program = excluded.program,
	schema = excluded.schema, capacity = excluded.capacity,
	leaves = excluded.leaves, until = excluded.until,
	since = CASE WHEN (excluded.until - member.until) * 2 > excluded.until - now()
		THEN now() ELSE member.since END
