/* One document on its way; see run_internal.h. */
#ifndef FRESHET_RUN_PARTS_H
#define FRESHET_RUN_PARTS_H

#include "crawler/crawl/run.h"
#include "store/accept.h"

/*
 *	NEW -> WAITING (robots.txt of its origin) -> QUEUED (frontier)
 *	    -> FETCHING -> READING (a reader) -> ACCEPTING (children)
 *	    -> COMMITTING -> LEADING (children begin) -> DONE
 * A redirect or a retry leads from FETCHING back to WAITING.
 */
enum task_state {
	TASK_NEW,
	TASK_WAITING,
	TASK_QUEUED,
	TASK_FETCHING,
	TASK_READING,
	TASK_ACCEPTING,
	TASK_COMMITTING,
	TASK_LEADING,
	TASK_DONE
};

/* PAGE: what a document lists, see run_page.c; parent is the document. */
enum task_type { TASK_ROBOTS, TASK_DOCUMENT, TASK_PROBE, TASK_PAGE };

/* One document in this run; small, since there may be 100,000. */
struct task {
	char *url; /* owned */
	int64_t document_id; /* 0: a probe that has found nothing yet */
	int64_t newest_s; /* index lastmod, INT64_MIN: none */
	struct date lastmod; /* the same as it was listed */
	uint64_t fingerprint; /* of the scope it was last read under */
	struct attempt *attempt; /* owned while it is on its way */
	uint32_t site;
	uint32_t parent; /* visit of the index, NONE for a seed */
	uint32_t origin; /* ROBOTS, PROBE: whose it is */
	uint64_t vouched; /* of the index that listed it last: a hash of who
			     vouches for that, 0: nobody does */
	uint8_t rereads, checks; /* for proofs that came later; looks at them */
	uint8_t type, state, class, depth;
	bool is_guess; /* found at a default location */
	bool is_below; /* PROBE: not of its origin, but below a target */
	bool is_renewed; /* its stored segment cannot be decoded */
	bool is_child; /* an index lists it */
	bool is_suspect; /* it waits for such a look */
	bool is_given, is_heard; /* of a single document: it was asked for;
				    a reading of it is committed */
};

/* What a visit needs only while it is on its way. */
struct attempt {
	struct run *run;
	uint32_t number; /* of its visit */
	struct url current; /* of this hop */
	struct string_set passed; /* URLs of the hops before */
	unsigned hops;
	unsigned tries; /* that failed on the network */
	bool is_conditional;
	bool is_truncated; /* its body */
	bool is_lacking; /* children were too many: it is to be read again */
	bool is_held; /* read again, since it lacks so much (SPEC R-120) */
	bool is_first; /* nothing that it lists is a change: struct scope */
	bool is_baseline; /* nor what of it is refused: likewise */
	struct date index_lastmod; /* when it was asked for */
	uint64_t judged_by; /* rules that allow this hop, 0: none yet */
	uint32_t host; /* in the frontier */
	struct spool_file *spool;
	struct location_scope location; /* of the reading under way */
	struct reading *reading;
	struct findings findings; /* of the hops, kept for the reading */
	struct page_look *look; /* owned; of a page that answered */
	struct accept *accept;
	struct ancestry *ancestry; /* owned; of a single index */
	int64_t last_child; /* id of the last one that has begun */
	uint64_t vouched; /* see struct visit */
};

#endif
