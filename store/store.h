/* The store: what is known about sites, in one SQLite file. */
#ifndef FRESHET_STORE_H
#define FRESHET_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "store/reading.h"

struct store;

struct store_options {
	const char *path;
	bool is_read_only; /* readers never checkpoint (HOSTILE F17) */
	uint64_t min_free_bytes; /* of the file system; 1 GiB (HOSTILE T18) */
};

/*
 * store_open(options, *store, why):
 * Open, or make, the store: lock file first, then the settings of HOSTILE
 * section 5, then migrations.  why gets one line for people.
 * Returns DIAG_OK, STORE_LOCKED, STORE_DAMAGED (no store, damaged or newer),
 * STORE_UNUSABLE (directory, symlink, FIFO, missing or read-only folder,
 * network file system) or DISK_FULL.  An empty file is a new store; a
 * read-only open of a missing one is STORE_UNUSABLE.
 */
enum diag_code store_open(const struct store_options *, struct store **,
    struct buf *why);

/* store_close(store): flushes nothing; NULL is fine. */
void store_close(struct store *);

/* store_failed(store): DIAG_OK until a commit failed for good (DISK_FULL,
 * STORE_DAMAGED); nothing further is written or found then: ids are 0, loops
 * end. */
enum diag_code store_failed(const struct store *);

/* Sites and documents. All ids are positive. */

/* store_site(store, host): the site of that name, made when it is new. */
int64_t store_site(struct store *, struct slice host);

/* What the driver must know of a document before it asks for it. */
struct document {
	int64_t id;
	int64_t site_id;
	char *url; /* owned, normalised, as requested */
	enum document_kind kind; /* of the latest reading that knew */
	char *final_url;     /* owned; of the stored validators; or NULL */
	char *etag;          /* owned or NULL */
	char *last_modified; /* owned or NULL */
	bool has_digest;
	struct digest wire_digest;
	struct digest decoded_digest;
	uint64_t fingerprint;     /* scope of the segment; 0: none */
	int64_t last_read_s;      /* last READ or UNCHANGED, 0: never */
	int64_t last_full_s;      /* last READ, 0: never */
	int64_t last_try_s;
	uint32_t failures;        /* in a row */
	int64_t failing_since_s;  /* 0: not failing */
	struct date index_lastmod;      /* newest that an index gives it now */
	struct date index_lastmod_read; /* the same at its last reading */
	uint64_t entries; /* of the segment */
	uint64_t missed;
	bool is_complete; /* latest reading that brought bytes */
};

void document_release(struct document *);

/*
 * store_document(store, site_id, url, *document):
 * The document of that normalised URL within the site, made when it is new.
 * What is made becomes durable with the next commit.
 */
void store_document(struct store *, int64_t site_id, struct slice url,
    struct document *);

/* store_document_get(store, id, *document): false when there is none. */
bool store_document_get(struct store *, int64_t id, struct document *);

/*
 * store_links_begin(store, index_id), store_link(store, index_id, child_id,
 * lastmod): the index lists the child, accepted.  They become known with the
 * index's next reading, if that is READ: call both before its commit.  Links
 * that a complete reading does not renew are missed, and dropped by the next
 * complete or unchanged one (SPEC R-120); a partial one only adds.
 */
void store_links_begin(struct store *, int64_t index_id);
void store_link(struct store *, int64_t index_id, int64_t child_id,
    const struct date *lastmod);

/* store_each_child(store, index_id, fn, arg): the accepted children, without
 * the missed ones. */
typedef void store_child_fn(void *arg, int64_t child_id,
    const struct date *lastmod);
void store_each_child(struct store *, int64_t index_id, store_child_fn *,
    void *arg);

/*
 * Proofs: "robots.txt of origin A names document D".  store_robots replaces
 * what an origin's robots.txt was last known to say; sitemaps[] are
 * normalised URLs with the lines they stand on.
 */
struct robots_fact {
	struct slice origin;
	int64_t fetched_s;      /* when this answer came */
	int64_t expires_s;      /* SPEC R-104 */
	int64_t failing_since_s; /* 0: reachable; SPEC R-102 */
	int status;             /* HTTP status, 0: none */
	struct slice body;      /* the last good copy, empty: none */
	bool has_body;
	const struct slice *sitemaps;
	const uint32_t *lines;
	uint32_t sitemap_count;
};

void store_robots(struct store *, const struct robots_fact *);

/* store_robots_get(store, origin, *fact, body): false when never asked;
 * fact->body points into body; sitemaps are not filled in. */
bool store_robots_get(struct store *, struct slice origin,
    struct robots_fact *, struct buf *body);

/*
 * store_vouchers(store, document_url, out, arg): each origin that names the
 * document; store_self_listed(store, site_id, …): each document that the
 * robots.txt of its own origin names, of the origins the site touches.
 */
typedef void store_text_fn(void *arg, struct slice text);
void store_vouchers(struct store *, struct slice document_url,
    store_text_fn *, void *arg);
void store_self_listed(struct store *, int64_t site_id, store_text_fn *,
    void *arg);

/*
 * Commits.  store_submit takes the reading over and queues it; it becomes
 * durable with the next store_flush, which is due when store_submit answers
 * true (64 readings or 8 MB are waiting) or 20 ms later; done is called from
 * store_flush after COMMIT and may submit again.  The reading and done_arg
 * are valid in done; the reading is freed afterwards.  Children (store_link,
 * store_document) and robots facts written since the last flush lie in the
 * same transaction.
 */
typedef void store_done_fn(void *arg, const struct reading *, int64_t reading_id);
bool store_submit(struct store *, struct reading *, store_done_fn *,
    void *arg);

/* store_flush(store): COMMIT what waits.  DIAG_OK, DISK_FULL or
 * STORE_DAMAGED; on failure all that waited is rolled back and dropped, done
 * is not called, and store_failed answers the code from then on. */
enum diag_code store_flush(struct store *);

/* store_pending(store): does anything wait for a COMMIT? */
bool store_pending(const struct store *);

#endif
