-- Who may do what `freshet run` does, and who may only look.  The roles are those
-- of all databases of a server, and not every user may make some.

DO $$ BEGIN
	IF to_regrole('freshet_worker') IS NULL THEN
		CREATE ROLE freshet_worker;
	END IF;
	IF to_regrole('freshet_reader') IS NULL THEN
		CREATE ROLE freshet_reader;
	END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
	NULL;
END $$;
DO $$ BEGIN
	GRANT USAGE ON SCHEMA freshet, freshet_public TO freshet_worker, freshet_reader;
	GRANT SELECT ON ALL TABLES IN SCHEMA freshet, freshet_public
		TO freshet_worker, freshet_reader;
	GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA freshet TO freshet_worker;
EXCEPTION WHEN undefined_object THEN
	NULL;
END $$;
