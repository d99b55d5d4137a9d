-- The public views of a store (store/sql/public.c) for psql and other programs, and
-- the functions that they use.  What blocks must be decoded for is not here: the
-- tables url and change, which 'freshet export' and 'freshet sql' have.

CREATE SCHEMA freshet_public;
SET LOCAL search_path = freshet_public, pg_catalog;
CREATE TABLE severity (code text PRIMARY KEY, severity text NOT NULL);
CREATE FUNCTION freshet_time(bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT to_char(to_timestamp(nullif($1, 0)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') $$;
-- Seconds, nanoseconds, and the form: the precision in the lowest bits.
CREATE FUNCTION freshet_date(bigint, bigint, bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN ($3 & 7) = 6 THEN
		left(t, 19) || '.' || coalesce(nullif(rtrim(lpad($2::text, 9, '0'), '0'), ''), '0') || 'Z'
	WHEN ($3 & 7) = 5 THEN t
	WHEN ($3 & 7) = 4 OR (($3 & 7) = 3 AND substr(t, 12, 5) <> '00:00') THEN left(t, 16) || 'Z'
	ELSE left(t, CASE $3 & 7 WHEN 1 THEN 4 WHEN 2 THEN 7 ELSE 10 END) END
	FROM to_char(to_timestamp($1) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') t $$;
CREATE FUNCTION freshet_precision(bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT (ARRAY['year', 'month', 'day', 'minute', 'second', 'fraction'])[$1 & 7] $$;
CREATE FUNCTION freshet_severity(text) RETURNS text STABLE LANGUAGE sql AS $$
	SELECT severity FROM freshet_public.severity WHERE code = $1 $$;
-- Functions of SQLite.
CREATE FUNCTION iif(boolean, anyelement, anyelement) RETURNS anyelement IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN $1 THEN $2 ELSE $3 END $$;
CREATE FUNCTION max(bigint, bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
	SELECT greatest($1, $2) $$;
CREATE FUNCTION printf(text, bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$
	SELECT lpad(to_hex($2), 16, '0') $$;
CREATE FUNCTION flag(boolean) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$ SELECT $1::integer::bigint $$;
CREATE FUNCTION flag(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$ SELECT $1 $$;
CREATE FUNCTION flag(numeric) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$ SELECT $1::bigint $$;
-- Make a view of the text of SQLite's: "FROM main.table a ...", and columns.
CREATE FUNCTION view(name text, origin text, columns text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	first text := substring(origin FROM '^ FROM main\.\w+ (\w)');
	query text := format('SELECT %s.shard, %s%s', first, columns, origin);
BEGIN
	-- All that is joined is of one shard.
	query := regexp_replace(query, '(main\.\w+ )(\w) (ON|WHERE) ', '\1\2 \3 \2.shard = ' || first || '.shard AND ', 'g');
	query := regexp_replace(query, 'main\.(\w+)', 'freshet.\1', 'g');
	query := regexp_replace(query, 'GLOB ''(\*?)([^*'']*)(\*?)''', 'LIKE translate(''\1\2\3'', ''*'', ''%'')', 'g');
	query := regexp_replace(query, 'CAST\((\S+) AS TEXT\)', 'encode(\1, ''escape'')', 'g');
	query := regexp_replace(query, '(\.is_led|\.is_missed)( AND| THEN)', '\1 <> 0\2', 'g');
	EXECUTE format('CREATE VIEW freshet_public.%I AS %s', name, query);
END $$;
