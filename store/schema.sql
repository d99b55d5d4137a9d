-- The tables of the store, as steps: each one ends with its number, and brings a store
-- that has had those before to the next schema.
--
-- Times are seconds since the Epoch, UTC.  A date takes three columns: _s (NULL: none),
-- _nanos, and _form (see entry.h).  Codes, kinds and outcomes are stored as text.
-- segment.id is document << 16 | block, delta.id is reading << 16 | block; block.h
-- describes the data.
CREATE TABLE meta (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	hash_key BLOB NOT NULL, -- of keys of pages, per store
	created_s INTEGER -- of the first reading
) STRICT;
CREATE TABLE site (
	id INTEGER PRIMARY KEY,
	host TEXT NOT NULL UNIQUE,
	crawl_begun_s INTEGER NOT NULL DEFAULT 0 -- 0: none under way
) STRICT;
CREATE TABLE origin (
	id INTEGER PRIMARY KEY,
	origin TEXT NOT NULL UNIQUE,
	fetched_s INTEGER, -- of robots.txt; NULL: never asked
	expires_s INTEGER NOT NULL DEFAULT 0,
	failing_since_s INTEGER NOT NULL DEFAULT 0,
	status INTEGER NOT NULL DEFAULT 0,
	body BLOB -- the last good copy
) STRICT;
CREATE TABLE site_origin ( -- origins of a site's documents
	site_id INTEGER NOT NULL REFERENCES site,
	origin_id INTEGER NOT NULL REFERENCES origin,
	PRIMARY KEY (site_id, origin_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE document (
	id INTEGER PRIMARY KEY,
	site_id INTEGER NOT NULL REFERENCES site,
	url TEXT NOT NULL,
	kind TEXT NOT NULL DEFAULT 'unknown',
	final_url TEXT, etag TEXT, last_modified TEXT,
	wire_digest BLOB, decoded_digest BLOB,
	fingerprint INTEGER NOT NULL DEFAULT 0,
	last_read_s INTEGER NOT NULL DEFAULT 0,
	last_full_s INTEGER NOT NULL DEFAULT 0,
	last_try_s INTEGER NOT NULL DEFAULT 0,
	failures INTEGER NOT NULL DEFAULT 0,
	failing_since_s INTEGER NOT NULL DEFAULT 0,
	index_lastmod_s INTEGER, -- what an index gave at last_read_s
	index_lastmod_nanos INTEGER NOT NULL DEFAULT 0,
	index_lastmod_form INTEGER NOT NULL DEFAULT 0,
	last_reading_id INTEGER,
	last_full_id INTEGER,
	is_complete INTEGER NOT NULL DEFAULT 0,
	-- of the segment
	entries INTEGER NOT NULL DEFAULT 0,
	missed INTEGER NOT NULL DEFAULT 0,
	blocks INTEGER NOT NULL DEFAULT 0,
	dated INTEGER NOT NULL DEFAULT 0,
	newest_s INTEGER,
	newest_nanos INTEGER NOT NULL DEFAULT 0,
	newest_form INTEGER NOT NULL DEFAULT 0,
	UNIQUE (site_id, url)
) STRICT;
CREATE TABLE link ( -- an index lists a child
	index_id INTEGER NOT NULL REFERENCES document,
	child_id INTEGER NOT NULL REFERENCES document,
	lastmod_s INTEGER, lastmod_nanos INTEGER NOT NULL,
	lastmod_form INTEGER NOT NULL,
	is_missed INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (index_id, child_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_child ON link (child_id);
CREATE TABLE proof ( -- robots.txt of origin names url
	origin_id INTEGER NOT NULL REFERENCES origin,
	url TEXT NOT NULL,
	line INTEGER NOT NULL,
	seen_s INTEGER NOT NULL,
	PRIMARY KEY (origin_id, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX proof_url ON proof (url);
CREATE TABLE reading (
	id INTEGER PRIMARY KEY,
	document_id INTEGER NOT NULL REFERENCES document,
	at_s INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	failure TEXT,
	fingerprint INTEGER NOT NULL,
	status INTEGER NOT NULL,
	final_url TEXT, content_type TEXT,
	wire_bytes INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
	kind TEXT NOT NULL, is_complete INTEGER NOT NULL,
	decoded_bytes INTEGER NOT NULL, gzip_layers INTEGER NOT NULL,
	seen INTEGER NOT NULL, accepted INTEGER NOT NULL,
	refused INTEGER NOT NULL,
	entries INTEGER NOT NULL, missed INTEGER NOT NULL,
	dated INTEGER NOT NULL, regressed INTEGER NOT NULL,
	added INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0,
	returned INTEGER NOT NULL DEFAULT 0, redated INTEGER NOT NULL DEFAULT 0,
	gone INTEGER NOT NULL DEFAULT 0,
	delta_blocks INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX reading_document ON reading (document_id);
CREATE TABLE finding (
	reading_id INTEGER NOT NULL REFERENCES reading,
	position INTEGER NOT NULL, -- in order of appearance
	code TEXT NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (reading_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE sample (
	reading_id INTEGER NOT NULL,
	position INTEGER NOT NULL,
	number INTEGER NOT NULL,
	line INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (reading_id, position, number),
	FOREIGN KEY (reading_id, position) REFERENCES finding
) STRICT, WITHOUT ROWID;
CREATE TABLE segment (
	id INTEGER PRIMARY KEY,
	first_url TEXT NOT NULL,
	count INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE delta (
	id INTEGER PRIMARY KEY,
	count INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
INSERT INTO meta (id, hash_key) VALUES (1, randomblob(8));
PRAGMA application_id = 0x66727368;
PRAGMA user_version = 1;

-- Table fence is the block index, and has that name since step 12: it tells which URLs
-- a block can hold, so that few blocks are decoded to find a URL.  Column sieve is the
-- Bloom filter (bloom.h); NULL: the block may hold any URL.
CREATE TABLE fence (
	id INTEGER PRIMARY KEY, -- the id of the row of segment
	first_url TEXT NOT NULL,
	last_url TEXT,
	sieve BLOB
) STRICT;
INSERT INTO fence (id, first_url) SELECT id, first_url FROM segment;
PRAGMA user_version = 2;

ALTER TABLE site ADD COLUMN
	last_crawl_s INTEGER NOT NULL DEFAULT 0; -- its begin; 0: unknown
ALTER TABLE site ADD COLUMN
	last_crawl_after INTEGER NOT NULL DEFAULT 0; -- id of the last reading before
UPDATE site SET last_crawl_s = crawl_begun_s;
PRAGMA user_version = 3;

ALTER TABLE origin ADD COLUMN
	parked_until_s INTEGER NOT NULL DEFAULT 0; -- Retry-After; 0: none
PRAGMA user_version = 4;

CREATE TABLE ledger ( -- the requests to a host in a minute
	host TEXT NOT NULL,
	minute_s INTEGER NOT NULL, -- the begin of the minute
	requests INTEGER NOT NULL,
	least_gap_ms INTEGER, -- between two of a crawl; NULL: none
	delay_ms INTEGER NOT NULL, -- the least delay in the minute
	overlaps INTEGER NOT NULL, -- begun before another had ended
	last_s INTEGER NOT NULL, -- the last request
	PRIMARY KEY (host, minute_s)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 5;

CREATE TABLE watch ( -- sites that are kept fresh
	site_id INTEGER PRIMARY KEY REFERENCES site,
	is_watched INTEGER NOT NULL, -- 0: taken off the list
	added_s INTEGER NOT NULL,
	weight REAL NOT NULL,
	every_least_s INTEGER NOT NULL, every_most_s INTEGER NOT NULL,
	page_least_s INTEGER NOT NULL, page_most_s INTEGER NOT NULL,
	requests_per_hour REAL NOT NULL, -- 0: no budget of its own
	profile TEXT
) STRICT;
CREATE TABLE watch_item ( -- targets (former ones, too), tags, sections
	site_id INTEGER NOT NULL REFERENCES watch,
	kind TEXT NOT NULL,
	position INTEGER NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (site_id, kind, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE page ( -- in order of promotion
	id INTEGER PRIMARY KEY,
	key INTEGER NOT NULL, -- XXH3 of the URL with meta.hash_key
	document_id INTEGER NOT NULL REFERENCES document,
	url TEXT NOT NULL
) STRICT;
CREATE INDEX page_key ON page (key);
-- Tables that change with every lease and outcome refer to pages without REFERENCES.
-- So not every statement checks the reference, but fsck does.
CREATE TABLE state ( -- the state of a page, under its id
	id INTEGER PRIMARY KEY,
	weight REAL NOT NULL DEFAULT 1,
	lastmod_s INTEGER, -- as last told; NULL: none
	is_day INTEGER NOT NULL DEFAULT 0, -- lastmod was a day
	is_listed INTEGER NOT NULL DEFAULT 1,
	fetched_s INTEGER NOT NULL DEFAULT 0, -- 0: never
	status INTEGER NOT NULL DEFAULT 0,
	hash INTEGER, -- of the content; NULL: not known
	etag TEXT, last_modified TEXT,
	done_number INTEGER NOT NULL DEFAULT 0, -- last lease answered
	learned BLOB -- the scheduler's
) STRICT;
CREATE TABLE lease ( -- the latest of a page, until answered
	page_id INTEGER PRIMARY KEY,
	number INTEGER NOT NULL, -- how many leases the page has had
	asked_s INTEGER NOT NULL,
	until_s INTEGER NOT NULL -- 0: released, or let go
) STRICT;
CREATE TABLE outcome ( -- of fetches, append-only
	id INTEGER PRIMARY KEY,
	page_id INTEGER NOT NULL,
	number INTEGER NOT NULL, -- of the lease; 0: of none
	at_s INTEGER NOT NULL,
	kind TEXT NOT NULL,
	status INTEGER NOT NULL,
	hash INTEGER,
	location TEXT,
	bytes INTEGER NOT NULL, ms INTEGER NOT NULL
) STRICT;
CREATE TABLE learned ( -- the scheduler's, beyond pages
	kind TEXT NOT NULL,
	id INTEGER NOT NULL,
	data BLOB NOT NULL,
	PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE hold ( -- hosts that are left alone
	host TEXT PRIMARY KEY,
	until_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 6;

CREATE TABLE tag_budget ( -- of all sites with the tag together
	tag TEXT PRIMARY KEY,
	requests_per_hour REAL NOT NULL
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 7;

-- It is possible to hold the pages of a host alone; until_s is 0 if its sitemaps are
-- not held.
ALTER TABLE hold ADD COLUMN pages_until_s INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 8;

-- From this version on, segments also have the entries that the location rules refuse.
-- Segments that were written before lack them.
ALTER TABLE document ADD COLUMN
	refused INTEGER NOT NULL DEFAULT 0; -- of entries
ALTER TABLE document ADD COLUMN
	refused_by TEXT; -- the code of most of them
ALTER TABLE document ADD COLUMN
	lacks_refused INTEGER NOT NULL DEFAULT 0;
UPDATE document SET lacks_refused = 1 WHERE last_full_id IS NOT NULL;
ALTER TABLE reading ADD COLUMN
	listed_refused INTEGER NOT NULL DEFAULT 0; -- of entries
ALTER TABLE reading ADD COLUMN now_refused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN now_accepted INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 9;

-- What a site lists (SPEC 15.3): which documents can be reached from roots through
-- links, and which changes of a reading are changes of the site.
CREATE TABLE root ( -- the roots
	document_id INTEGER NOT NULL REFERENCES document,
	kind TEXT NOT NULL, -- target, line, place
	site_id INTEGER NOT NULL REFERENCES site,
	origin_id INTEGER REFERENCES origin, -- whose robots.txt; NULL: target
	missed INTEGER NOT NULL DEFAULT 0, -- readings in a row that lack it
	missed_s INTEGER NOT NULL DEFAULT 0, -- time of the first of these
	PRIMARY KEY (document_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX root_site ON root (site_id);
CREATE INDEX root_origin ON root (origin_id);
ALTER TABLE document ADD COLUMN
	ended_s INTEGER NOT NULL DEFAULT 0; -- when it ended; 0: never
ALTER TABLE document ADD COLUMN
	is_led INTEGER NOT NULL DEFAULT 1; -- is it reachable?
ALTER TABLE document ADD COLUMN
	absent_since_s INTEGER NOT NULL DEFAULT 0; -- 404 or 410 since
ALTER TABLE document ADD COLUMN alias_of INTEGER; -- with one final URL
ALTER TABLE document ADD COLUMN -- 1: ended, its entries are gone;
	cleared INTEGER NOT NULL DEFAULT 0; -- 2: and this was not reported
ALTER TABLE document ADD COLUMN
	owed_s INTEGER NOT NULL DEFAULT 0; -- second reading is due; 0: none
ALTER TABLE document ADD COLUMN
	owed_urls INTEGER NOT NULL DEFAULT 0; -- URLs that depend on it
ALTER TABLE document ADD COLUMN
	answered_s INTEGER NOT NULL DEFAULT 0; -- last second reading
ALTER TABLE document ADD COLUMN
	missed_pages INTEGER NOT NULL DEFAULT 1; -- missed entries are pages
UPDATE document SET missed_pages = 0 WHERE kind = 'index';
CREATE INDEX document_final ON document (site_id, final_url)
	WHERE final_url IS NOT NULL;
ALTER TABLE link ADD COLUMN
	missed_s INTEGER NOT NULL DEFAULT 0; -- first reading without it
ALTER TABLE reading ADD COLUMN
	since_s INTEGER NOT NULL DEFAULT 0; -- gone entries: absent since
ALTER TABLE reading ADD COLUMN pages INTEGER; -- bits: see entry.h
ALTER TABLE reading ADD COLUMN site_new INTEGER; -- NULL: not counted
ALTER TABLE reading ADD COLUMN site_removed INTEGER;
ALTER TABLE reading ADD COLUMN site_returned INTEGER;
ALTER TABLE reading ADD COLUMN site_gone INTEGER;
ALTER TABLE reading ADD COLUMN elsewhere BLOB; -- bits: see site_tally.c
ALTER TABLE site ADD COLUMN
	baseline_id INTEGER; -- last document of the first crawl; NULL: not over
ALTER TABLE site ADD COLUMN listed INTEGER; -- NULL: to be counted
ALTER TABLE site ADD COLUMN listed_refused INTEGER;
ALTER TABLE site ADD COLUMN
	tallied_id INTEGER NOT NULL DEFAULT 0; -- last reading in `listed`
ALTER TABLE site ADD COLUMN
	pending_id INTEGER NOT NULL DEFAULT 0; -- last reading with changes
ALTER TABLE site ADD COLUMN
	uncounted_id INTEGER NOT NULL DEFAULT 0; -- last one with unknown changes
CREATE INDEX site_pending ON site (id) WHERE pending_id > tallied_id;
ALTER TABLE site ADD COLUMN
	is_settled INTEGER NOT NULL DEFAULT 0; -- 0: reach is not known yet
-- Earlier versions did not store what led to a document.  So roots are made from what
-- names or lists the document now.  A document that nothing names or lists becomes a
-- target, unless an index of the site was read after the last attempt: then an index
-- dropped the document.
INSERT OR IGNORE INTO root (document_id, kind, site_id)
	SELECT d.id, 'target', d.site_id FROM document d JOIN watch_item w
	ON w.site_id = d.site_id AND w.kind = 'target' AND w.value = d.url;
INSERT OR IGNORE INTO root (document_id, kind, site_id, origin_id)
	SELECT d.id, 'line', d.site_id, p.origin_id FROM document d
	JOIN proof p ON p.url = d.url
	JOIN site_origin s ON s.site_id = d.site_id AND s.origin_id = p.origin_id;
INSERT OR IGNORE INTO root (document_id, kind, site_id, origin_id)
	SELECT d.id, 'place', d.site_id, o.id FROM document d
	JOIN site_origin s ON s.site_id = d.site_id
	JOIN origin o ON o.id = s.origin_id
	WHERE d.url IN (o.origin || '/sitemap.xml', o.origin || '/sitemap_index.xml')
	AND d.last_full_s > 0 AND d.id NOT IN (SELECT child_id FROM link);
INSERT OR IGNORE INTO root (document_id, kind, site_id)
	SELECT d.id, 'target', d.site_id FROM document d
	WHERE d.kind NOT IN ('robots', 'unlisted') AND d.last_full_s > 0
	AND d.id NOT IN (SELECT child_id FROM link)
	AND d.id NOT IN (SELECT document_id FROM root)
	AND NOT EXISTS (SELECT 1 FROM document i WHERE i.site_id = d.site_id
	 AND i.kind = 'index' AND i.last_read_s > d.last_try_s);
UPDATE site SET is_settled = 1 WHERE id NOT IN (SELECT site_id FROM document);
UPDATE site SET baseline_id = (SELECT max(id) FROM document),
	pending_id = 1 + (SELECT coalesce(max(id), 0) FROM reading),
	tallied_id = (SELECT coalesce(max(id), 0) FROM reading)
	WHERE id IN (SELECT site_id FROM document WHERE last_full_s > 0);
PRAGMA user_version = 10;

-- Each reading asks whether a root of the site was missed: a site may have thousands of
-- roots.
CREATE INDEX root_missed ON root (site_id) WHERE missed > 1;
PRAGMA user_version = 11;

CREATE TABLE robots_text ( -- former texts of robots.txt
	id INTEGER PRIMARY KEY, -- in the order of readings
	origin_id INTEGER NOT NULL REFERENCES origin,
	since_s INTEGER NOT NULL, -- 0: unknown
	until_s INTEGER NOT NULL, -- when another text was read
	body BLOB -- NULL: there was no file
) STRICT;
CREATE INDEX robots_text_origin ON robots_text (origin_id);
ALTER TABLE origin ADD COLUMN -- of the text of its row; 0: unknown;
	text_since_s INTEGER; -- NULL: no good answer yet
UPDATE origin SET text_since_s = 0 WHERE body IS NOT NULL
	OR (fetched_s IS NOT NULL AND failing_since_s = 0);
-- The words of the documents: block index, Bloom filter, request log.
ALTER TABLE fence RENAME TO block_index;
ALTER TABLE block_index RENAME COLUMN sieve TO bloom;
ALTER TABLE ledger RENAME TO request_log;
CREATE TABLE note ( -- what people keep about a day
	site_id INTEGER NOT NULL REFERENCES site,
	at_s INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (site_id, at_s, text)
) STRICT, WITHOUT ROWID;
-- The consumers of the feed (SPEC section 17).
CREATE TABLE feed (
	id INTEGER PRIMARY KEY,
	serial INTEGER NOT NULL, -- random, and part of each cursor
	name TEXT NOT NULL UNIQUE,
	tags TEXT NOT NULL, -- separated by spaces; none: all sites
	cursor TEXT, -- acknowledged; NULL: none yet
	made_s INTEGER NOT NULL,
	acked_s INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE feed_site ( -- sites whose pages it was told
	feed_id INTEGER NOT NULL REFERENCES feed,
	site_id INTEGER NOT NULL REFERENCES site,
	PRIMARY KEY (feed_id, site_id)
) STRICT, WITHOUT ROWID;
ALTER TABLE state ADD COLUMN -- for an index: 1 not found, 2 noindex, 3 moved
	unfit INTEGER NOT NULL DEFAULT 0;
UPDATE state SET unfit = 1 WHERE status IN (404, 410);
CREATE INDEX state_unfit ON state (id) WHERE unfit > 0;
ALTER TABLE outcome ADD COLUMN -- unfit is another one than before
	has_turned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN -- the last one removed that a
	pruned_reading_id INTEGER NOT NULL DEFAULT 0; -- consumer had to know
ALTER TABLE meta ADD COLUMN
	pruned_outcome_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN
	pruned_robots_id INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 12;

-- Where the pages of a site redirect to is asked for each of its pages that are gone.
-- Few outcomes are redirects, so writing the others costs nothing.
CREATE INDEX outcome_redirect ON outcome (page_id)
	WHERE location IS NOT NULL;
PRAGMA user_version = 13;

-- The block index has the first URL, too.  From this version on, blocks have another
-- form (block.h); those of before are read as they are.  Few documents were redirected:
-- only these are in the index of final URLs.
ALTER TABLE segment DROP COLUMN first_url;
DROP INDEX document_final;
CREATE INDEX document_final ON document (site_id, final_url)
	WHERE final_url <> url;
PRAGMA user_version = 14;

-- What became of the processes of `run` for alerts.  The date of a page is kept as its
-- site gave it; before, it was a day or a second.  A Retry-After that an origin sent
-- was kept apart from the holds of hosts.
ALTER TABLE meta ADD COLUMN
	alerts_well_s INTEGER NOT NULL DEFAULT 0; -- 0: never
ALTER TABLE meta ADD COLUMN alerts_died INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN -- see store_killed_s()
	killed_s INTEGER NOT NULL DEFAULT 0;
ALTER TABLE state ADD COLUMN lastmod_nanos INTEGER NOT NULL DEFAULT 0;
ALTER TABLE state ADD COLUMN lastmod_form INTEGER NOT NULL DEFAULT 0;
UPDATE state SET lastmod_form = iif(is_day, 3, 21)
	WHERE lastmod_s IS NOT NULL;
ALTER TABLE state DROP COLUMN is_day;
ALTER TABLE state ADD COLUMN -- in a sitemap; 0: not known
	first_seen_s INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hold ADD COLUMN
	limited INTEGER NOT NULL DEFAULT 0; -- answers 429 and 503 in a row
INSERT INTO hold (host, until_s) SELECT iif(h GLOB '*:[0-9]*' AND
	h NOT GLOB '*]', rtrim(rtrim(h, '0123456789'), ':'), h) AS host,
	max(until_s) FROM (SELECT substr(origin, instr(origin, '://') + 3) AS h,
	parked_until_s AS until_s FROM origin WHERE parked_until_s > 0)
	WHERE true GROUP BY 1 ON CONFLICT (host) DO UPDATE SET
	until_s = max(hold.until_s, excluded.until_s);
ALTER TABLE origin DROP COLUMN parked_until_s;
-- The newest date of an article that the document lists.
ALTER TABLE document ADD COLUMN published_s INTEGER;
ALTER TABLE document ADD COLUMN published_nanos INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN published_form INTEGER NOT NULL DEFAULT 0;
-- How often in a row the URLs of the document changed by a session part alone; NULL:
-- the reading changed no pages.
ALTER TABLE reading ADD COLUMN sessions INTEGER;
ALTER TABLE reading ADD COLUMN -- of the digest of the whole text; NULL:
	text INTEGER; -- no text was read, or not all of it
ALTER TABLE document ADD COLUMN -- a sibling lacks pages, so it is to be
	asked_s INTEGER NOT NULL DEFAULT 0; -- read by then; 0: it is not asked for
ALTER TABLE document ADD COLUMN
	looked_s INTEGER NOT NULL DEFAULT 0; -- last reading for a sibling
ALTER TABLE document ADD COLUMN
	whole_s INTEGER NOT NULL DEFAULT 0; -- last answer with all bytes; 0: last_full_s
ALTER TABLE document ADD COLUMN -- its requests have no conditions
	plain_until_s INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN -- dates that its index gives it are wrong
	index_is_wrong INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN -- bytes of segments and deltas
	kept INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN -- those of a day, but for first readings
	kept_today INTEGER NOT NULL DEFAULT 0;
ALTER TABLE site ADD COLUMN -- since the Epoch
	kept_day INTEGER NOT NULL DEFAULT 0;
UPDATE site SET kept =
	(SELECT coalesce(sum(length(s.data)), 0) FROM document d
	 JOIN segment s ON s.id >= d.id << 16 AND s.id < (d.id + 1) << 16
	 WHERE d.site_id = site.id) +
	(SELECT coalesce(sum(length(x.data)), 0) FROM document d
	 JOIN reading r ON r.document_id = d.id AND r.delta_blocks > 0
	 JOIN delta x ON x.id >= r.id << 16 AND x.id < (r.id + 1) << 16
	 WHERE d.site_id = site.id);
-- Windows (SPEC R-120): documents that list what is recent, and the pages that left
-- them.
ALTER TABLE document ADD COLUMN -- see enum window
	window INTEGER NOT NULL DEFAULT 0;
UPDATE document SET window = 7 WHERE kind IN ('rss', 'atom');
ALTER TABLE reading ADD COLUMN left_window INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN back INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reading ADD COLUMN site_left INTEGER;
ALTER TABLE reading ADD COLUMN site_back INTEGER;
CREATE TABLE left_page ( -- pages that left a window
	site_id INTEGER NOT NULL REFERENCES site,
	url TEXT NOT NULL,
	verdict INTEGER NOT NULL, -- enum verdict, as listed last
	known_s INTEGER NOT NULL, -- when it left, or was fetched since
	PRIMARY KEY (site_id, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX left_page_known ON left_page (site_id, known_s);
CREATE TABLE unknown_page ( -- of which too long nothing was known
	id INTEGER PRIMARY KEY, -- in this order
	site_id INTEGER NOT NULL REFERENCES site,
	at_s INTEGER NOT NULL,
	url TEXT NOT NULL
) STRICT;
ALTER TABLE meta ADD COLUMN
	pruned_unknown_id INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 15;

-- What alerts have told (store/alert.h).
CREATE TABLE alert (
	name TEXT NOT NULL, -- empty: who tells at this moment
	sink INTEGER NOT NULL, -- enum alert_sink
	begun_s INTEGER NOT NULL, -- events known from then on
	until_s INTEGER NOT NULL, -- those known before were told
	tries INTEGER NOT NULL DEFAULT 0, -- that failed, in a row
	next_s INTEGER NOT NULL DEFAULT 0, -- when the next one is made
	why TEXT, -- of the last one that failed
	PRIMARY KEY (name, sink)
) STRICT, WITHOUT ROWID;
CREATE TABLE alert_site ( -- sites that have an earlier until_s
	name TEXT NOT NULL,
	sink INTEGER NOT NULL,
	site_id INTEGER NOT NULL,
	until_s INTEGER NOT NULL,
	PRIMARY KEY (name, sink, site_id)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = 16;

ALTER TABLE document ADD COLUMN -- the name of who writes it (base/generator.h);
	generator TEXT; -- NULL: not known
PRAGMA user_version = 17;

-- What pages say of themselves, and what pages of an event of a site answered when they
-- were asked (crawler/events).
CREATE TABLE page_says (
	page_id INTEGER PRIMARY KEY,
	at_s INTEGER NOT NULL, -- when it was read
	title TEXT, description TEXT -- NULL: it says none, or could not be read
) STRICT;
CREATE TABLE verified (
	site_id INTEGER NOT NULL REFERENCES site,
	event TEXT NOT NULL,
	number INTEGER NOT NULL, -- of the page, from 0
	url TEXT NOT NULL,
	at_s INTEGER NOT NULL DEFAULT 0, -- of the answer; 0: it is still to be asked
	status INTEGER NOT NULL DEFAULT 0, -- 0: no answer
	location TEXT, -- where it redirects to
	why TEXT, -- there is no answer, or 'noindex'
	PRIMARY KEY (site_id, event, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX verified_waiting ON verified (site_id) WHERE at_s = 0;
CREATE TABLE archived ( -- the last whole answer of a page in an archive
	page_id INTEGER PRIMARY KEY,
	archive INTEGER NOT NULL, -- the number of its folder
	at_us INTEGER NOT NULL, -- when it was asked
	digest BLOB NOT NULL, -- SHA-1 of the payload
	validators INTEGER NOT NULL -- a hash of those that the answer had
) STRICT;
PRAGMA user_version = 18;

CREATE TABLE signing ( -- hosts that want signed requests (store/hold.h)
	host TEXT PRIMARY KEY,
	form INTEGER NOT NULL, -- enum agent_form
	at_s INTEGER NOT NULL -- a signature was taken; negative: refused since
) STRICT;
PRAGMA user_version = 19;

-- What is shown of the past of sites, as crawler/events/past.c computed it.  Rows may
-- be removed at any time.  Before the data stands the head of store/past.c.
CREATE TABLE past (
	site_id INTEGER PRIMARY KEY REFERENCES site,
	key INTEGER NOT NULL, -- a hash of what it was computed with
	reading_id INTEGER NOT NULL, -- the latest of the site then
	until_s INTEGER NOT NULL, -- from then on something is known
	data BLOB NOT NULL -- empty: too much happened
) STRICT;
-- Few readings change something; all others would be looked up for their times.
CREATE INDEX reading_changing ON reading (document_id, at_s) WHERE delta_blocks > 0;
-- What is learned of an origin or a page makes the past of its sites void.
CREATE INDEX site_origin_sites ON site_origin (origin_id);
PRAGMA user_version = 20;
