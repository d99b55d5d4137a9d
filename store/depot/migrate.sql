-- The tables of this version are in freshet_next, those of the store in freshet,
-- which gets what it lacks.  What this version lacks goes as soon as no shard is
-- older: nobody but the owners of older shards uses it.

DO $$
DECLARE
	next integer := (SELECT schema FROM freshet_next.cluster);
	is_over boolean := NOT EXISTS (SELECT FROM freshet.shard WHERE schema < next);
	change text;
BEGIN
	IF next < (SELECT schema FROM freshet.cluster) THEN
		RAISE 'the store has schema %, newer than %, the newest known',
			(SELECT schema FROM freshet.cluster), next;
	END IF;
	-- Views of others that depend on these make it fail.
	EXECUTE coalesce((SELECT 'DROP VIEW ' || string_agg(format('freshet_public.%I', viewname), ', ')
		FROM pg_views WHERE schemaname = 'freshet_public'), 'SELECT');
	DROP SCHEMA IF EXISTS freshet_public CASCADE;
	FOR change IN WITH tables AS (
		SELECT k.oid, nspname = 'freshet' AS is_there, relname AS name
		FROM pg_class k JOIN pg_namespace n ON n.oid = relnamespace
		WHERE relkind = 'r' AND nspname IN ('freshet', 'freshet_next')
	), columns AS (
		SELECT is_there, name, attname AS c, format_type(atttypid, atttypmod)
			|| CASE WHEN collname = 'C' THEN ' COLLATE "C"' ELSE '' END
			|| coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '')
			|| CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
			|| CASE WHEN attstorage = 'e' THEN
				format(', ALTER COLUMN %I SET STORAGE EXTERNAL', attname) ELSE '' END AS type
		FROM tables t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped
		LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
		LEFT JOIN pg_collation l ON l.oid = attcollation
	), indexes AS (
		SELECT schemaname = 'freshet' AS is_there, indexname, tablename AS name,
			replace(indexdef, 'freshet_next.', 'freshet.') AS made
		FROM pg_indexes WHERE schemaname IN ('freshet', 'freshet_next')
	)
	SELECT format('ALTER TABLE freshet_next.%I SET SCHEMA freshet', name)
	FROM tables WHERE name NOT IN (SELECT name FROM tables WHERE is_there)
	UNION ALL
	SELECT format('ALTER TABLE freshet.%I ADD COLUMN %I %s', name, c, type)
	FROM columns WHERE name IN (SELECT name FROM tables WHERE is_there)
		AND (name, c) NOT IN (SELECT name, c FROM columns WHERE is_there)
	UNION ALL
	SELECT made FROM indexes WHERE name IN (SELECT name FROM tables WHERE is_there)
		AND indexname NOT IN (SELECT indexname FROM indexes WHERE is_there)
	UNION ALL
	SELECT format('ALTER TABLE freshet.%I DROP COLUMN %I', name, c)
	FROM columns WHERE is_over AND name IN (SELECT name FROM tables WHERE NOT is_there)
		AND (name, c) NOT IN (SELECT name, c FROM columns WHERE NOT is_there)
	UNION ALL
	SELECT format('DROP TABLE freshet.%I', name)
	FROM tables WHERE is_over AND name NOT IN (SELECT name FROM tables WHERE NOT is_there)
	LOOP
		EXECUTE change;
	END LOOP;
	UPDATE freshet.cluster SET schema = next;
	DROP SCHEMA freshet_next CASCADE;
END $$;
