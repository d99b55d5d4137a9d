-- What a store in PostgreSQL has beside its tables, in which each row has its
-- shard; in the schema of the search path (migrate.sql).  A column that is added
-- later may be NULL, or has a default.

CREATE TABLE cluster (
	id integer PRIMARY KEY CHECK (id = 1),
	made timestamptz NOT NULL DEFAULT now(),
	schema integer NOT NULL, -- no shard has a newer one
	lease_ms integer NOT NULL DEFAULT 10000 CHECK (lease_ms BETWEEN 1000 AND 600000),
	hash_key text NOT NULL
);
-- Who holds a shard, and until when (depot.c).
CREATE TABLE shard (
	shard integer PRIMARY KEY, owner text,
	term bigint NOT NULL DEFAULT 0, version bigint NOT NULL DEFAULT 0,
	until timestamptz NOT NULL DEFAULT '-infinity',
	schema integer NOT NULL, sites bigint, pages bigint
) WITH (fillfactor = 50);
-- The machines that run (members.c).
CREATE TABLE member (
	member text PRIMARY KEY, place text NOT NULL, program text NOT NULL,
	schema integer NOT NULL, capacity integer NOT NULL,
	leaves boolean NOT NULL DEFAULT false, until timestamptz NOT NULL,
	since timestamptz NOT NULL -- it has told without a pause
) WITH (fillfactor = 50);
-- The shard of each slot of hosts (pg_home).
CREATE TABLE slot (slot integer PRIMARY KEY, shard integer NOT NULL);
-- Requests of commands for the owner of a shard, which removes them when they are
-- done.
CREATE TABLE mail (
	id bigint GENERATED ALWAYS AS IDENTITY, shard integer NOT NULL,
	made timestamptz NOT NULL DEFAULT now(), lines text NOT NULL,
	PRIMARY KEY (shard, id)
);
-- Hosts that several shards ask, and who may ask next (host_take.sql).
CREATE TABLE host (
	host text PRIMARY KEY, home integer NOT NULL, seen bigint NOT NULL DEFAULT 0,
	holder integer, holder_term bigint,
	until timestamptz NOT NULL DEFAULT '-infinity',
	free_at timestamptz NOT NULL DEFAULT '-infinity',
	delay_ms double precision NOT NULL DEFAULT 0, -- of the last that reserved it
	next integer, next_at timestamptz NOT NULL DEFAULT '-infinity',
	wanted_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX ON host (home);
CREATE INDEX ON host (holder) WHERE holder IS NOT NULL;
-- How much of a budget a shard may use until when (depot.h).
CREATE TABLE share (
	name text NOT NULL, shard integer NOT NULL,
	rate double precision NOT NULL, granted double precision NOT NULL,
	wanted double precision NOT NULL, until timestamptz NOT NULL,
	PRIMARY KEY (name, shard)
) WITH (fillfactor = 50);
-- What only several shards can have wrong, but for homes of sites.
CREATE OR REPLACE FUNCTION freshet.faults() RETURNS TABLE (place text, what text) STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT 'slot', 'there is none, or it is of no shard: ' || n
		FROM generate_series(0, 4095) n LEFT JOIN freshet.slot t ON t.slot = n
		LEFT JOIN freshet.shard s ON s.shard = t.shard WHERE s.shard IS NULL;
	RETURN QUERY SELECT 'shard', 'its number leaves a gap: ' || shard FROM freshet.shard
		WHERE shard >= (SELECT count(*) FROM freshet.shard);
	FOR place IN SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'freshet' AND column_name = 'shard' AND table_name <> 'shard' LOOP
		RETURN QUERY EXECUTE format('SELECT %L, count(*) || '' rows of shard '' || shard ||'
			' '', which does not exist'' FROM freshet.%I t WHERE NOT EXISTS'
			' (SELECT 1 FROM freshet.shard s WHERE s.shard = t.shard) GROUP BY shard', place, place);
	END LOOP;
END $$;
