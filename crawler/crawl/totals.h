/* What a crawl counts. */
#ifndef FRESHET_TOTALS_H
#define FRESHET_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/segment/reading.h"

/* The counts of a crawl so far.  Documents do not include robots.txt. */
struct run_totals {
	uint64_t sites;
	uint64_t known; /* documents that this run knows and looks at */
	uint64_t done;
	uint64_t read, unchanged, failed, refused;
	uint64_t partial; /* of `read`: readings that are not complete */
	uint64_t already; /* documents read before this run was interrupted */
	/* Entries and changes of all documents that were done; at the end of
	 * the crawl, of its sites (SPEC 15.3). */
	uint64_t listed;
	/* of `listed`: refused entries, each document's under its main rule */
	uint64_t refused_by[VERDICTS];
	uint64_t changes[DELTA_KINDS];
	uint64_t waiting; /* documents that wait for a second reading */
	uint64_t waiting_urls; /* URLs of these documents */
	uint64_t first_sites; /* read through for the first time */
	uint64_t pages, pages_done; /* listed pages: to look at; done */
	uint64_t refused_entries;
	/* of `refused_entries`: entries of indexes */
	uint64_t refused_children;
	uint64_t codes[DIAG_COUNT]; /* findings by code */
	/* Documents that the scanner read, and those that other parsers read,
	 * with their decoded bytes; of the latter, why the scanner stepped
	 * aside. */
	uint64_t scanned, scanned_bytes;
	uint64_t parsed, parsed_bytes;
	uint64_t asides[ASIDE_COUNT];
	uint64_t wire_bytes;
	uint64_t requests;
	uint64_t lost_targets; /* sites at which nothing was found */
	bool is_over_budget;
	/* The longest ones of the run, see loop.h. */
	uint64_t gap_ms, gap_cpu_ms, commit_ms;
};

/* totals_refused(totals, most): the number of listed entries that are
 * refused; *most is the rule that refuses most of them. */
uint64_t totals_refused(const struct run_totals *, enum verdict *most);

#endif
