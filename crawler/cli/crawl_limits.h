/* What a crawl may use at most; names and defaults are in the table of
 * options, and with those that are fixed in docs/security.md. */
#ifndef FRESHET_CRAWL_LIMITS_H
#define FRESHET_CRAWL_LIMITS_H

#include <stdint.h>

struct limits {
	int64_t reader_cpu_s; /* for one document */
	int64_t reader_time_ms; /* the same, by the wall clock */
	uint64_t reader_memory; /* bytes */
	uint64_t site_urls; /* of one site, read in one crawl */
	uint64_t site_children; /* documents that its indexes lead to */
	unsigned drop_percent; /* of a document at once; 100: all of it */
	uint64_t store_bytes; /* of the store; 0: no limit */
	uint64_t free_bytes; /* that a crawl leaves where the store is */
};

#endif
