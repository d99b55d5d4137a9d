/* What the store knows about one URL: who lists it, who refused it, and who
 * could list it, each with the chain that leads there and the rule. */
#ifndef FRESHET_EXPLAIN_H
#define FRESHET_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/cli/options.h"
#include "crawler/frontier/frontier_only.h"
#include "crawler/inspect/explain_due.h"
#include "store/location.h"
#include "store/lookup.h"
#include "store/query.h"
#include "store/segment/entry.h"

#define EXPLAIN_STEPS 8 /* robots.txt, indexes above, the document */
#define EXPLAIN_CHAINS 4 /* shown of one document */
#define EXPLAIN_PLACES 32 /* shown of each sort */

/* One step of a chain, from robots.txt or the command line downwards. */
struct explain_step {
	char *url; /* owned; NULL: nobody in the store names what follows */
	uint32_t line; /* of a robots.txt, 0: it is a document */
	int64_t reading_id; /* whose entries stand, 0: none */
};

struct explain_chain {
	struct explain_step steps[EXPLAIN_STEPS];
	size_t count;
};

enum place_sort { PLACE_LISTED, PLACE_REFUSED, PLACE_ABLE, PLACE_UNABLE };
#define PLACE_SORTS 4

/* One document, and what it has to do with the URL. */
struct explain_place {
	enum place_sort sort;
	int64_t document_id;
	char *document; /* owned; as requested */
	char *final; /* owned; where its bytes came from */
	char *directory; /* owned; the path of that, up to its last slash */
	bool is_index;
	int64_t reading_id;
	/* LISTED, and REFUSED unless it is only known from a sample of the
	 * findings of its document */
	bool has_entry;
	struct entry entry; /* without its url */
	/* REFUSED */
	enum diag_code found;
	uint32_t line; /* 0: it is not known */
	int64_t since_s; /* it was accepted before; 0: as far as is known it
			    never was */
	/* the rules it was read under, where they are known, and today's */
	struct location_verdict verdict;
	struct location_verdict today;
	const char *profile; /* name of the set that verdict is by */
	bool is_known; /* it is the rules that it was read under */
	uint64_t refused; /* UNABLE: its entries that today's code refused */
	struct explain_chain *chains; /* owned */
	size_t chain_count;
	uint64_t more_chains; /* that are not shown */
};

/* What the robots.txt of the URL's origin says. */
struct explain_robots {
	bool is_known; /* it was asked for */
	bool has_rules;
	bool is_failing; /* it could not be had the last time */
	int status; /* 0: no answer */
	struct buf body;
	struct robots_verdict verdict;
	struct robots *robots; /* owned */
};

struct explanation {
	const char *asked; /* as typed */
	enum diag_code unusable; /* DIAG_OK, or why it is no URL of a page */
	struct url url;
	struct explain_place *places; /* owned; LISTED first */
	size_t count;
	size_t cap;
	uint64_t totals[PLACE_SORTS]; /* those not shown too */
	uint64_t documents; /* it is itself, that many times */
	bool is_read; /* and one of them was read */
	bool has_site; /* something is known of its host */
	bool is_gone; /* nobody lists it any more: */
	struct gone_row gone; /* who did, and until when */
	struct explain_robots robots;
	struct explain_dues dues;
};

/* explain_url(options, store, text, *explanation): the store is open to read
 * from.  explanation_release in any case. */
void explain_url(const struct options *, struct store *, const char *text,
    struct explanation *);
void explanation_release(struct explanation *);

/* explain_sites(store, text, only): it has to do with these sites. */
void explain_sites(struct store *, const char *text, struct frontier_only *);

/* explanation_is_accepted, _is_refused: neither means that nothing is known. */
bool explanation_is_accepted(const struct explanation *);
bool explanation_is_refused(const struct explanation *);

/* explain_chains(store, place): the chains that lead to its document, of which
 * its id and URL are known; explain_release_chains frees them alone. */
void explain_chains(struct store *, struct explain_place *);
void explain_release_chains(struct explain_place *);

/* explain_why(out, place, url): the rule in words, one line. */
void explain_why(
    struct buf *out, const struct explain_place *, const struct url *);

#endif
