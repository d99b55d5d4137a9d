/* What a crawl counts. */
#ifndef FRESHET_RUN_TOTALS_H
#define FRESHET_RUN_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/segment/reading.h"

/* What a crawl has counted so far. Documents do not include robots.txt. */
struct run_totals {
	uint64_t sites;
	uint64_t known; /* documents that this run has to look at */
	uint64_t done;
	uint64_t read, unchanged, failed, refused;
	uint64_t partial; /* of read: not to their ends */
	uint64_t already; /* read before this run was interrupted */
	/* entries and changes of all documents that were done; at the end,
	 * those of the sites: SPEC 15.3 */
	uint64_t listed;
	uint64_t refused_by[VERDICTS]; /* of these, of each most by that rule */
	uint64_t changes[DELTA_KINDS];
	uint64_t waiting; /* documents of the sites: a second reading is owed */
	uint64_t waiting_urls; /* that depend on those */
	uint64_t first_sites; /* that were read through for the first time */
	uint64_t pages, pages_done; /* listed, that are looked at */
	uint64_t refused_entries;
	uint64_t refused_children; /* of these: of indexes */
	uint64_t codes[DIAG_COUNT]; /* findings, occurrences */
	uint64_t wire_bytes;
	uint64_t requests;
	uint64_t lost_targets; /* sites at which nothing was found */
	bool is_over_budget;
	uint64_t gap_ms, gap_cpu_ms, commit_ms; /* the longest of the run: see
						   loop.h */
};

#endif
