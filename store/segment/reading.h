/* A reading: what one attempt to read one document brought. */
#ifndef FRESHET_READING_H
#define FRESHET_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/wire.h"
#include "store/segment/block_list.h"
#include "store/segment/finding.h"
#include "store/segment/merge.h"

enum document_kind {
	KIND_UNKNOWN,
	KIND_ROBOTS,
	KIND_INDEX,
	KIND_URLSET,
	KIND_TEXT,
	KIND_RSS,
	KIND_ATOM,
	KIND_COUNT, /* of what a reading can say */
	/* no document, but what pages belong to that none lists */
	KIND_UNLISTED = KIND_COUNT
};

/* document_kind_name(kind): "index", "urlset", "text", "rss", "atom",
 * "robots", "unknown", "unlisted".  document_kind_find(name): KIND_UNKNOWN for
 * others. */
const char *document_kind_name(enum document_kind);
enum document_kind document_kind_find(struct slice name);

/* What the bytes said: the value of the pure function (DESIGN 3.1). */
struct content {
	enum document_kind kind;
	/*
	 * DIAG_OK, or the code that made the document unreadable as a whole
	 * (DIAG_UNSUPPORTED_FORMAT, …); a partial document has DIAG_OK and
	 * is_complete false, with its reason among the findings.
	 */
	enum diag_code failure;
	bool is_complete;
	bool is_held; /* it lacks too much to remove anything (SPEC R-120) */
	bool
	    is_baseline; /* not all of what is new has changes: merge_options */
	uint64_t decoded_bytes;
	struct digest decoded_digest;
	unsigned gzip_layers;
	uint64_t seen; /* entries, valid or not */
	uint64_t accepted; /* of these: taken, repeats included */
	uint64_t refused; /* of these: not taken */
	struct merge_counts merge;
	struct findings findings;
	struct block_list segment;
	struct block_list delta;
	/* hreflang links, for judging the site (crawler/parse/return_links.h);
	 * empty unless extensions were checked. Never stored. */
	struct buf alternates;
	/* of a listed page that was looked at, what it says of itself
	 * (crawler/parse/page.h); else empty. Never stored. */
	struct buf page;
};

/* Of content.alternates, bytes: less than a frame between processes. */
#define CONTENT_MAX_ALTERNATES (12u << 20)
#define CONTENT_MAX_PAGE (64u << 10)

void content_init(struct content *);
void content_release(struct content *);

/* How an attempt ended. */
enum outcome {
	OUTCOME_READ,
	OUTCOME_UNCHANGED,
	OUTCOME_FAILED,
	OUTCOME_REFUSED,
	OUTCOME_ENDED /* no attempt: nothing leads to it any more */
};

/* outcome_name(outcome): "read", "unchanged", "failed", "refused",
 * "ended".
 * outcome_find(name): OUTCOME_FAILED for others. */
const char *outcome_name(enum outcome);
enum outcome outcome_find(struct slice name);

/* One hop's worth of HTTP facts, of the last hop. */
struct http_facts {
	int status; /* 0: none came */
	char *final_url; /* owned; NULL: none */
	char *etag; /* owned; NULL: none */
	char *last_modified; /* owned; NULL: none */
	char *content_type; /* owned; NULL: none */
	char *content_encoding; /* owned; NULL: none; not stored */
	const char *wall; /* static: whose bot wall answered; not stored */
	uint64_t wire_bytes;
	uint32_t duration_ms;
	bool has_digest;
	struct digest wire_digest;
};

struct reading {
	int64_t document_id;
	int64_t at_s; /* when the request was sent */
	enum outcome outcome;
	enum diag_code failure; /* DIAG_OK unless FAILED or REFUSED */
	uint64_t fingerprint; /* of the scope it was read under */
	struct date index_lastmod; /* newest an index gave before the request;
				      SPEC R-115 compares with it */
	struct http_facts http;
	struct content content; /* zeroed unless bytes were read; findings of
				   the transfer are here too */
};

/* reading_new(document_id, at_s), reading_free(reading): owns all of it. */
struct reading *reading_new(int64_t document_id, int64_t at_s);
void reading_free(struct reading *);

#endif
