/* What a crawl may use at most; names and defaults are in the table of
 * options, and with those that are fixed in docs/security.md. */
#ifndef FRESHET_READER_LIMITS_H
#define FRESHET_READER_LIMITS_H

#include <stdint.h>

struct limits {
	int64_t reader_cpu_s; /* for one document */
	int64_t reader_time_ms; /* the same, by the wall clock */
	uint64_t reader_memory; /* bytes */
};

#endif
