/* What an HTML page says of itself to those who index it. */
#ifndef FRESHET_PAGE_H
#define FRESHET_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* Of a page more is not looked at: what counts stands at its beginning. */
#define PAGE_MAX_BYTES (512u << 10)
#define PAGE_MAX_VALUE 4096 /* of what is kept of it */

/* Hostile text, borrowed from what it was read from; empty: there is none. */
struct page_facts {
	bool is_cut; /* there is more than PAGE_MAX_BYTES of it */
	struct slice noindex; /* content of the <meta name> that says so */
	bool is_google; /* whose name is googlebot, not robots */
	struct slice canonical; /* href of the first <link rel=canonical> */
	struct slice other; /* and of the latest that differs from it */
	uint32_t canonicals; /* as often as that changed */
	struct slice base; /* href of the first <base> */
	unsigned wall; /* page_wall_name(): it is a challenge; 0: it is none */
};

struct page_scan;

struct page_scan *page_scan_new(void);
void page_scan_free(struct page_scan *);

/* page_scan_feed(scan, bytes): false when no more of them are wanted. */
bool page_scan_feed(struct page_scan *, struct slice bytes);

/* page_scan_facts(scan): borrowed until it is freed. */
struct page_facts page_scan_facts(const struct page_scan *);

/*
 * page_put/get: for frames; get believes nothing: false when it makes no
 * sense.  The slices are borrowed from text.
 */
void page_put(struct buf *out, const struct page_facts *);
bool page_get(struct slice text, struct page_facts *);

#endif
