/* What the store knows of one URL: which documents list it, refuse it or could
 * list it, each with the chains that lead there and the rule. */
#ifndef FRESHET_EXPLAIN_H
#define FRESHET_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/cli/options.h"
#include "crawler/frontier/frontier.h"
#include "crawler/inspect/explain_due.h"
#include "store/location.h"
#include "store/lookup.h"
#include "store/query.h"
#include "store/reach.h"
#include "store/segment/entry.h"

#define EXPLAIN_STEPS 8 /* robots.txt, the indexes above, and the document */
#define EXPLAIN_CHAINS 4 /* shown for one document */
#define EXPLAIN_PLACES 32 /* shown of each sort */

/* One step of a chain, from robots.txt or the command line downwards. */
struct explain_step {
	/* owned; NULL: neither robots.txt nor an index names the next step */
	char *url;
	/* without a URL: why the next step was read; has_root: it still is a
	 * root */
	bool has_root;
	enum reach_root_kind root;
	uint32_t line; /* line of a robots.txt; 0: the step is a document */
	int64_t reading_id; /* the reading that its entries are of; 0: none */
};

struct explain_chain {
	struct explain_step steps[EXPLAIN_STEPS];
	size_t count;
};

enum place_sort { PLACE_LISTED, PLACE_REFUSED, PLACE_ABLE, PLACE_UNABLE };
#define PLACE_SORTS 4

/* A document, and its relation to the URL. */
struct explain_place {
	enum place_sort sort;
	int64_t document_id;
	char *document; /* owned: its URL as requested */
	char *final; /* owned: the URL that its bytes came from */
	char *directory; /* owned: path of `final`, up to its last slash */
	bool is_index;
	int64_t reading_id;
	/* true for LISTED; for REFUSED false if the store has only a sample of
	 * the findings of the document */
	bool has_entry;
	struct entry entry; /* without its url */
	/* REFUSED: why */
	enum diag_code found;
	uint32_t line; /* 0: not known */
	/* the URL was accepted before then; 0: never, as far as is known */
	int64_t since_s;
	/* under the rules of its reading, if known, and under today's */
	struct location_verdict verdict;
	struct location_verdict today;
	const char *profile; /* profile that `verdict` is by */
	bool is_known; /* `verdict` is by the rules of its reading */
	/* UNABLE: entries of the document refused for the reason of `today` */
	uint64_t refused;
	struct explain_chain *chains; /* owned */
	size_t chain_count;
	uint64_t more_chains; /* not among these */
};

/* What the robots.txt of the URL's origin says. */
struct explain_robots {
	bool is_known; /* it was asked for */
	bool has_rules;
	bool is_failing; /* the last request for it failed */
	bool is_closed; /* and nothing may be fetched because of that */
	int status; /* 0: no answer */
	struct buf body;
	struct robots_verdict verdict;
	struct robots *robots; /* owned */
};

struct explanation {
	const char *asked; /* as typed */
	/* DIAG_OK, or why the text is not the URL of a page */
	enum diag_code unusable;
	struct url url;
	struct explain_place *places; /* owned; LISTED first */
	size_t count;
	size_t cap;
	uint64_t totals[PLACE_SORTS]; /* with those that are not shown */
	uint64_t documents; /* number of documents that have this URL */
	bool is_read; /* one of them was read */
	bool has_site; /* the store knows the host */
	bool is_gone; /* no document lists the URL any more: */
	struct gone_row gone; /* the last document that did, and until when */
	struct explain_robots robots;
	struct explain_dues dues;
};

/* explain_url(options, store, text, explanation): look up a URL; the store is
 * open for reading. Call explanation_release() in any case. */
void explain_url(const struct options *, struct store *, const char *text,
    struct explanation *);
void explanation_release(struct explanation *);

/* explain_parse(store, text, url): write the URL that the text means; without a
 * scheme it is of http if https does not answer, as in a crawl. Returns
 * DIAG_OK, or why the text is none; *url is unchanged then. */
enum diag_code explain_parse(struct store *, const char *text, struct url *);

/* Is the URL accepted? Is it refused? If neither, nothing is known of it. */
bool explanation_is_accepted(const struct explanation *);
bool explanation_is_refused(const struct explanation *);

/* explain_chains(store, place): find the chains that lead to the document of
 * the place, whose document_id and document are set.
 * explain_release_chains(place) frees the chains only. */
void explain_chains(struct store *, struct explain_place *);
void explain_release_chains(struct explain_place *);

/* explain_why(out, place, url): append the rule of the verdict in words, on one
 * line. */
void explain_why(
    struct buf *out, const struct explain_place *, const struct url *);

#endif
