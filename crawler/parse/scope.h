/* All that a reading depends on besides the bytes. */
#ifndef FRESHET_SCOPE_H
#define FRESHET_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"
#include "store/location.h"

/* Changes with anything that could make the same bytes read otherwise. */
#define READER_VERSION 5

/* An index with this many indexes above it is one too many (SPEC R-17). */
#define INDEX_MAX_DEPTH 4

/*
 * What no document may pass, whatever its profile (SPEC,
 * HOSTILE T13 to T15).  read_limits_default() gives the numbers named here.
 */
struct read_limits {
	uint64_t max_bytes; /* decoded: 52,428,800 (SPEC R-38) */
	uint64_t hard_bytes; /* 256 MiB, when limit_overrun is "all" */
	uint64_t max_entries; /* 50,000 (SPEC) */
	uint64_t hard_entries; /* 1,000,000 */
	uint32_t max_depth; /* XML levels: 100 */
	uint32_t max_attributes; /* of one element: 64 */
	uint32_t max_text; /* bytes of one value: 1 MiB */
	uint32_t max_pending; /* bytes libxml2 may hold back: 65,536 */
	uint32_t max_members; /* gzip members: 1,024 */
	uint32_t max_idle_input; /* bytes in without a byte out: 1 MiB */
	uint32_t max_images; /* of one entry: 1,000 (SPEC R-107) */
	uint32_t max_news; /* of one document: 1,000 (SPEC R-111) */
	uint64_t sort_memory; /* before the scratch file is used: 48 MiB */
};

struct read_limits read_limits_default(void);

/* What is looked at only to report it: no entry depends on it. */
struct read_checks {
	bool has_extensions; /* SPEC */
	bool has_schema; /* what the XSD alone forbids (SPEC) */
	bool has_legacy; /* the limit of bytes until 2016 (SPEC R-39) */
	uint64_t hash_key; /* nobody else's: of links (SPEC R-112) */
};

struct scope {
	struct location_scope location;
	struct read_limits limits;
	struct read_checks checks; /* none, unless asked for */
	int64_t now_s; /* the time of the reading */
	int64_t listed_s; /* lastmod that its index gives it, 0: none */
	int64_t modified_s; /* its Last-Modified, 0: none */
	bool is_page; /* what a document lists: see page.h */
	bool is_child; /* fetched as the child of an index */
	uint32_t depth; /* of indexes above it, 0 for a seed */
	bool
	    is_truncated; /* the transfer ended early: absence proves nothing */
	bool has_previous; /* a previous segment comes with the job */
	bool is_first; /* none does, and nothing of the new one is a change: it
			  was there from the beginning */
	bool is_baseline; /* which lacks what was refused: see merge.h */
	bool is_scratch; /* its segment will not be kept */
	bool is_held; /* it lacks too much to remove anything (SPEC R-120) */
	char *content_type; /* owned; as sent, or NULL */
	char *content_encoding; /* owned; as sent, or NULL */
};

void scope_init(struct scope *, const struct profile *);
void scope_release(struct scope *);

/*
 * scope_put/get: for frames; get believes nothing and initialises *scope,
 * which is to be released even when it says false.
 */
void scope_put(struct buf *, const struct scope *);
bool scope_get(struct wire *, struct scope *);

#endif
