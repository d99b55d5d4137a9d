/*
 * The driver's table of origins: what is known of the robots.txt of each, and
 * who waits for it.
 *
 * An origin is named by its number; a pointer to an origin is valid until the
 * next one is added.
 */
#ifndef FRESHET_RUN_ORIGINS_H
#define FRESHET_RUN_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/fifo.h"

struct host_states;
struct origins;
struct run_options;
struct url;

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

/* What an origin has used today of its owner's budget, see run_owner.h. */
struct origin_use {
	uint32_t robots_bytes, sitemaps;
	bool is_asked;
};

struct origin {
	/* borrowed from the table: "https://host:port"; NULL: the number is
	 * free */
	const char *text;
	uint32_t host; /* number in the host queue */
	uint64_t serial; /* of the crawl for which robots.txt was asked last */
	uint32_t seed_site; /* site whose seeds the Sitemap lines will be */
	/* id of the site that has the origin as a target: requests to the
	 * origin may carry the site's headers; 0: none */
	int64_t named_by;
	uint8_t state; /* enum origin_state: of robots.txt */
	/* SPEC R-102: why nothing may be fetched, or DIAG_OK */
	enum diag_code closed_by;
	uint32_t crawl_delay_ms; /* of robots.txt, 0: none */
	int64_t used_ms; /* when the origin was looked up last */
	int64_t fresh_until_s; /* robots.txt (SPEC R-104) */
	bool is_seeded; /* its Sitemap lines are wanted */
	/* origins_seed_later() has put the origin into its list */
	bool is_to_seed;
	/* given without a scheme: http is tried if https fails */
	bool may_be_http;
	/* the host was given without a scheme, see struct robots_fact */
	bool is_of_host;
	unsigned probes; /* default locations tried */
	uint32_t *awaiting; /* owned: crawls whose documents wait for it */
	size_t awaiting_count, awaiting_cap;
	/* store_rules() has its rules; false: all is allowed */
	bool has_rules;
	bool repairs; /* the rules are read with repairs (SPEC R-97) */
	uint64_t rules_stamp; /* of these rules only */
	struct origin_use used;
	uint32_t *waiting; /* owned: tasks in state WAITING */
	size_t waiting_count, waiting_cap;
};

/* origins_new(options, hosts): an empty table; everything is borrowed. */
struct origins *origins_new(const struct run_options *, struct host_states *);
void origins_free(struct origins *);

/* origins_count(origins): the numbers of origins are below this count; some of
 * them are free. */
uint32_t origins_count(const struct origins *);
struct origin *origins_at(const struct origins *, uint32_t number);

/* origins_of(origins, url): the number of the origin of the URL; it is added if
 * it is not there, and so is its host. */
uint32_t origins_of(struct origins *, const struct url *);

/* origins_are_many(origins): are there many origins, and twice as many as at
 * the last origins_are_searched()?
 * origins_forget(origins, number): the number becomes free.
 * origins_are_searched(origins): the caller has just forgotten all unused
 * origins. */
bool origins_are_many(const struct origins *);
void origins_forget(struct origins *, uint32_t number);
void origins_are_searched(struct origins *);

/* origins_stamp(origins): a number that no rules had before. */
uint64_t origins_stamp(struct origins *);

/*
 * Origins whose Sitemap lines become seeds when the time has come.
 *
 * origins_seed_later(origins, number, site): put the origin into the list; its
 * lines will be seeds of that site.
 * origins_to_seed(origins, count): the list of these origins; the seed_site of
 * some may be NONE by now. Borrowed until the next call.
 * origins_tidy_to_seed(origins): remove origins whose seed_site is NONE from
 * the list.
 */
void origins_seed_later(struct origins *, uint32_t number, uint32_t site);
const uint32_t *origins_to_seed(const struct origins *, size_t *count);
void origins_tidy_to_seed(struct origins *);

/* origins_known(origins): the origins whose robots.txt became known.
 * run_machine.c takes them out, and continues the tasks and crawls that waited
 * for them. */
struct fifo *origins_known(struct origins *);

#endif
