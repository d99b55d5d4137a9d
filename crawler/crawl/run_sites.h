/*
 * The driver's table of sites: the entries of crawls and of single documents,
 * and which of them is at work at which site.
 *
 * A crawl of a site and the single documents of the site exclude each other;
 * each of them has an entry.  An entry is named by its number; a pointer to an
 * entry is valid until the next one is added.
 */
#ifndef FRESHET_RUN_SITES_H
#define FRESHET_RUN_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct self_listed;
struct site_rules;
struct sites;
struct store;

/* One crawl of one site, or one single document of the site. */
struct crawled_site {
	int64_t id; /* in the store */
	uint32_t at_work; /* see at_work.h */
	bool is_single; /* one document and its robots.txt */
	uint32_t crawl; /* that asked for it; NONE: the number is free */
	int64_t begun_s; /* begin of the crawl, see store/site.h */
	const struct site_rules *rules;
	/* number of children that the indexes of the site lead to */
	uint32_t children;
	uint64_t child_bytes; /* bytes of the URLs of new children */
	uint64_t claimed, claims; /* URLs read; readings with URLs */
	uint32_t at_readers; /* documents that readers have, or will have */
	bool is_closed; /* the limit of URLs is reached */
	uint32_t open; /* tasks that are not done, robots.txt included */
	bool is_resumed; /* an earlier run began the crawl */
};

/* What is at work at a site: one crawl, or single documents. */
struct site_place {
	int64_t site_id;
	uint32_t crawl; /* the latest site entry of a crawl, NONE: none */
	uint32_t singles; /* single documents under way */
	bool is_wanted; /* a crawl waits for the single documents to end */
};

struct sites *sites_new(void);
void sites_free(struct sites *);

/* sites_count(sites): the numbers of entries are below this count; some of them
 * are free. */
uint32_t sites_count(const struct sites *);
struct crawled_site *sites_at(const struct sites *, uint32_t number);

/* site_is_crawled(site, crawl): is that entry a crawl of the site for that
 * crawl?  Another crawl may be at the same site by now. */
bool site_is_crawled(const struct crawled_site *, uint32_t crawl);

/* sites_begin(sites, site): the number of a copy. The caller writes the number
 * into the site's place.
 * sites_end(sites, number): no task of the entry is open: its number becomes
 * free, and the place loses the entry. */
uint32_t sites_begin(struct sites *, const struct crawled_site *);
void sites_end(struct sites *, uint32_t number);

/* sites_place(sites, site_id): the place of the site, made if there is none;
 * valid until the next place is made.  sites_place_find: NULL if there is none.
 */
struct site_place *sites_place(struct sites *, int64_t site_id);
struct site_place *sites_place_find(const struct sites *, int64_t site_id);

/* sites_want_no_place(sites): clear is_wanted of all places; a crawl that still
 * waits for single documents sets it again. False: it was set nowhere. */
bool sites_want_no_place(struct sites *);

/* sites_listed(sites, number, store): the documents that the site's own
 * robots.txt lists, see proof_self_listed(); borrowed until the entry is
 * removed or the next call.
 * sites_proofs_changed(sites): the lists of robots.txt files may have
 * changed. */
struct self_listed *sites_listed(
    struct sites *, uint32_t number, struct store *);
void sites_proofs_changed(struct sites *);

#endif
