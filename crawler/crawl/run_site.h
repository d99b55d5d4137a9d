/* The driver: what is under way at a site, see run_internal.h. */
#ifndef FRESHET_RUN_SITE_H
#define FRESHET_RUN_SITE_H

#include "base/site_rules.h"
#include "store/self_listed.h"

/* One crawl of one site; or one document of it that is read alone. */
struct site {
	int64_t id; /* in the store */
	uint32_t at_work; /* see at_work.h */
	bool is_single; /* a document, with its robots.txt */
	uint32_t crawl; /* that asked for it */
	int64_t begun_s; /* of the crawl, see store/site.h */
	const struct site_rules *rules;
	uint32_t children; /* that its indexes lead to, */
	uint64_t child_bytes; /* and of their URLs, as far as they are new */
	uint64_t claimed, claims; /* URLs; readings with URLs */
	uint32_t at_readers; /* its documents that wait for one, or have it */
	bool is_closed; /* its limit is reached */
	uint32_t open; /* visits that are not done, robots.txt included */
	bool is_resumed;
	uint64_t listed_at; /* run.proofs when it was asked for: */
	struct self_listed *listed; /* one user of it; what vouch_listed says */
};

/* site_is_crawled(site, crawl): is that its crawl?  Another crawl may be at the
 * same site by now. */
static inline bool
site_is_crawled(const struct site *site, uint32_t crawl)
{
	return site->crawl == crawl && !site->is_single;
}

/* Who is at work at a site, by its id: one crawl, or documents alone. */
struct place {
	int64_t site_id;
	uint32_t crawl; /* the latest, NONE: none */
	uint32_t singles;
	bool is_wanted; /* by a crawl that waits for the documents */
};

#endif
