/* The scope of a reading: everything that its result depends on besides the
 * bytes. */
#ifndef FRESHET_SCOPE_H
#define FRESHET_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"
#include "store/location.h"

/* Increase it with every change that could make the same bytes read
 * differently. */
#define READER_VERSION 5

/* An index that has this many indexes above it is too deep (SPEC R-17). */
#define INDEX_MAX_DEPTH 4

/* Limits for every document, whatever its profile (SPEC, HOSTILE
 * T13 to T15). The comments name the values of read_limits_default(). */
struct read_limits {
	uint64_t max_bytes; /* decoded: 52,428,800 (SPEC R-38) */
	uint64_t hard_bytes; /* 256 MiB; used if limit_overrun is "all" */
	uint64_t max_entries; /* 50,000 (SPEC) */
	uint64_t hard_entries; /* 1,000,000 */
	uint32_t max_depth; /* XML levels: 100 */
	uint32_t max_attributes; /* of one element: 64 */
	uint32_t max_text; /* bytes of one value: 1 MiB */
	uint32_t max_pending; /* bytes that libxml2 may hold back: 65,536 */
	uint32_t max_members; /* gzip members: 1,024 */
	/* bytes read without a byte of output: 4 MiB, the body of a sitemap of
	 * 100,000 URLs */
	uint32_t max_idle_input;
	uint32_t max_images; /* of one entry: 1,000 (SPEC R-107) */
	uint32_t max_news; /* of one document: 1,000 (SPEC R-111) */
	/* memory for sorting before the scratch file is used: 48 MiB */
	uint64_t sort_memory;
};

struct read_limits read_limits_default(void);

/* Checks that only cause findings: no entry depends on them. */
struct read_checks {
	bool has_extensions; /* SPEC */
	bool has_schema; /* what only the XSD forbids (SPEC) */
	/* the limit of bytes that held until 2016 (SPEC R-39) */
	bool has_legacy;
	bool has_lines; /* keep the line of each entry: content.lines */
	/* with has_extensions: content.alternates lists the links in full
	 * (return_links.h) */
	bool has_alternates;
	uint64_t hash_key; /* secret; for links (SPEC R-112) */
};

struct scope {
	struct location_scope location;
	struct read_limits limits;
	struct read_checks checks; /* none by default */
	int64_t now_s; /* the time of the reading */
	int64_t listed_s; /* lastmod of this document in its index; 0: none */
	int64_t modified_s; /* its Last-Modified header; 0: none */
	bool is_page; /* the bytes are those of a listed page: see read.h */
	/* of a page: the main text is written to the file of the job */
	bool wants_text;
	/* so many bytes of a page are read, and it must be whole; 0: only its
	 * beginning is wanted, of PAGE_MAX_BYTES */
	uint64_t page_bytes;
	bool is_robots; /* the bytes are those of a robots.txt: see read.h */
	bool is_child; /* it was fetched as the child of an index */
	uint32_t depth; /* the number of indexes above it; 0 for a seed */
	/* the transfer ended early, so that a missing entry proves nothing */
	bool is_truncated;
	bool has_previous; /* a previous segment comes with the job */
	/* there is no previous segment, and the new entries are no changes:
	 * they existed from the beginning */
	bool is_first;
	/* the previous segment lacks refused entries: see merge.h */
	bool is_baseline;
	unsigned window; /* see merge.h */
	bool is_scratch; /* its segment will not be stored */
	bool is_scan_off; /* libxml2 reads every document: see read.h */
	/* too many entries are missing to remove any (SPEC R-120) */
	bool is_held;
	/* since when entries are absent, and which of those that were absent
	 * before are not decided about: see merge.h */
	int64_t absent_s, missed_open_s, held_open_s;
	/* owned; the entries get these dates: see read.h; or NULL */
	char *dates;
	char *content_type; /* owned; as sent, or NULL */
	char *content_encoding; /* owned; as sent, or NULL */
	/* owned; the product token of the crawler, as a name in <meta> of a
	 * page (robots_name()); NULL: none */
	char *agent;
};

void scope_init(struct scope *, const struct profile *);
void scope_release(struct scope *);

/* scope_put, scope_get: for frames. scope_get trusts nothing, and initialises
 * *scope, which must be released even if it returns false. */
void scope_put(struct buf *, const struct scope *);
bool scope_get(struct wire *, struct scope *);

#endif
