-- Move sites to another shard, which has none: `moved` has the two shards (a, b),
-- `moved_site` the ids of the sites.  Ids stay.  Rows that are of no site are in
-- both shards then.  The next owners ask no host before its delay.

CREATE TEMP TABLE moved_document ON COMMIT DROP AS SELECT t.id FROM moved,
	freshet.document t JOIN moved_site m ON m.id = t.site_id WHERE t.shard = a;
CREATE TEMP TABLE moved_reading ON COMMIT DROP AS SELECT t.id FROM moved,
	freshet.reading t JOIN moved_document m ON m.id = t.document_id WHERE t.shard = a;
CREATE TEMP TABLE moved_page ON COMMIT DROP AS SELECT t.id FROM moved,
	freshet.page t JOIN moved_document m ON m.id = t.document_id WHERE t.shard = a;
CREATE TEMP TABLE moved_host ON COMMIT DROP AS
	SELECT DISTINCT regexp_replace(t.host, '^www\.', '') AS id FROM moved,
	freshet.site t JOIN moved_site m ON m.id = t.id WHERE t.shard = a;
DO $$
DECLARE
	part record;
	shared text;
BEGIN
	FOR part IN SELECT * FROM (VALUES
		('site', 'site', 't.id'), ('site_origin', 'site', 't.site_id'),
		('document', 'site', 't.site_id'), ('root', 'site', 't.site_id'),
		('watch', 'site', 't.site_id'), ('watch_item', 'site', 't.site_id'),
		('note', 'site', 't.site_id'), ('left_page', 'site', 't.site_id'),
		('unknown_page', 'site', 't.site_id'), ('feed_site', 'site', 't.site_id'),
		('alert_site', 'site', 't.site_id'), ('verified', 'site', 't.site_id'),
		('past', 'site', 't.site_id'),
		('link', 'document', 't.index_id'),
		('segment', 'document', 't.id >> 16'),
		('block_index', 'document', 't.id >> 16'),
		('reading', 'reading', 't.id'), ('delta', 'reading', 't.id >> 16'),
		('finding', 'reading', 't.reading_id'), ('sample', 'reading', 't.reading_id'),
		('page', 'page', 't.id'), ('state', 'page', 't.id'),
		('lease', 'page', 't.page_id'), ('outcome', 'page', 't.page_id'),
		('page_says', 'page', 't.page_id'), ('archived', 'page', 't.page_id'),
		('request_log', 'host', 'regexp_replace(t.host, ''^www\.'', '''')'),
		('learned', 'site',
			'CASE WHEN t.kind IN (''site'', ''crawl'', ''aside'') THEN t.id END'),
		('learned', 'document', 'CASE t.kind WHEN ''document'' THEN t.id END')
	) AS parts (name, of, id) LOOP
		EXECUTE format('UPDATE freshet.%I t SET shard = b FROM moved, moved_%s m'
			' WHERE t.shard = a AND m.id = %s', part.name, part.of, part.id);
	END LOOP;
	FOREACH shared IN ARRAY ARRAY['meta', 'origin', 'proof', 'robots_text',
		'tag_budget', 'hold', 'signing', 'feed', 'alert', 'learned'] LOOP
		EXECUTE format('CREATE TEMP TABLE moved_rows AS SELECT t.*'
			' FROM freshet.%I t, moved WHERE shard = a', shared);
		IF shared = 'learned' THEN
			DELETE FROM moved_rows WHERE kind NOT IN ('all', 'told', 'section');
		END IF;
		UPDATE moved_rows SET shard = b FROM moved;
		EXECUTE format('INSERT INTO freshet.%I SELECT * FROM moved_rows', shared);
		DROP TABLE moved_rows;
	END LOOP;
END $$;
-- New rows get the ids after the last one of their shard, which may be lower now.
-- What is newer than something is compared with that, so that consumers, whose
-- cursors cannot be lowered here, begin anew.
UPDATE freshet.site t SET
	last_crawl_after = least(last_crawl_after, r), tallied_id = least(tallied_id, r),
	pending_id = CASE WHEN pending_id > tallied_id THEN pending_id ELSE least(pending_id, r) END,
	uncounted_id = CASE WHEN uncounted_id > tallied_id THEN uncounted_id
		ELSE least(uncounted_id, r) END,
	baseline_id = CASE WHEN baseline_id > d THEN d ELSE baseline_id END
FROM (SELECT shard,
		coalesce((SELECT max(id) FROM freshet.reading n WHERE n.shard = s.shard), 0) AS r,
		coalesce((SELECT max(id) FROM freshet.document n WHERE n.shard = s.shard), 0) AS d
	FROM moved, freshet.shard s WHERE shard IN (a, b)) m
WHERE t.shard = m.shard;
UPDATE freshet.feed SET cursor = NULL;
UPDATE freshet.meta SET pruned_reading_id = 0, pruned_outcome_id = 0,
	pruned_robots_id = 0, pruned_unknown_id = 0;
UPDATE freshet.shard s SET version = version + 1, term = term + 1,
	sites = (SELECT count(*) FROM freshet.watch w
		WHERE w.shard = s.shard AND w.is_watched = 1),
	pages = (SELECT count(*) FROM freshet.page p WHERE p.shard = s.shard)
	FROM moved WHERE s.shard IN (a, b)
	AND EXISTS (SELECT 1 FROM freshet.meta m WHERE m.shard = a);
DROP TABLE moved, moved_site, moved_document, moved_reading, moved_page, moved_host;
