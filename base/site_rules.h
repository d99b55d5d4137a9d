/* The rules for one site, from its configuration and the command line. */
#ifndef FRESHET_SITE_RULES_H
#define FRESHET_SITE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/profile.h"
#include "base/slice.h"

struct page_filter;
struct string_set;

/* When requests are signed, if there is an identity (SPEC R-138). */
enum sign_mode {
	SIGN_CHALLENGE, /* once a host has asked for that */
	SIGN_ALWAYS,
	SIGN_NEVER
};

/* All pointers are borrowed. */
struct site_rules {
	struct profile profile;
	const struct string_set *own; /* hosts and prefixes of the same owner */
	const char *const *headers; /* NULL-terminated, or NULL; sent to the */
	const char *credentials; /* origins of targets only; or NULL */
	enum sign_mode sign;
	bool has_delay; /* was delay_ms set? */
	int64_t delay_ms; /* between two requests to the host */
	unsigned retry; /* further tries after a network error */
	uint64_t max_bytes; /* of one body on the wire */
	uint64_t max_urls; /* of the site (HOSTILE T18) */
	uint64_t max_children; /* of its indexes (HOSTILE T10) */
	/* percent of a document that may vanish at once (SPEC 15.16); 100: any
	 * share */
	/* bytes that the documents of the site make the store keep, in all and
	 * in a day (store/site.h); 0: no limit */
	uint64_t max_kept, max_kept_day;
	unsigned max_drop;
	/* which pages are wanted, and which sitemaps are read; NULL: all */
	const struct page_filter *pages, *sitemaps;
};

/* site_rules_fn(arg, host): the rules for a normalised host; never NULL, valid
 * as long as the caller of the function exists. */
typedef const struct site_rules *site_rules_fn(void *arg, struct slice host);

#endif
