-- Why a shard cannot be split by a freshet that knows schema $1; no row: it can.
SELECT 'a ''freshet run'' is at work, or died less than a lease ago: end each, and split then'
FROM freshet.shard WHERE owner IS NOT NULL AND until > clock_timestamp()
UNION ALL
SELECT 'requests are noted that no ''freshet run'' has done yet: start one, end it, and split then'
FROM freshet.mail
UNION ALL
SELECT 'a ''freshet run'' ended less than a minute ago, and hosts are reserved for it: split a minute later'
FROM freshet.host WHERE until > clock_timestamp()
UNION ALL
SELECT format('shard %s has schema %s until a ''freshet run'' of this version has taken it', shard, schema)
FROM freshet.shard WHERE schema <> $1::integer
LIMIT 1
