/*
 * The report: one page with all sites of a selection, which says first whether
 * it can be believed, then what happened, then who does what; and after that a
 * part for each of the sites that changed most.
 *
 * As pages that link to each other, it is a page with rows of sites, and a page
 * for each site.
 */
#ifndef FRESHET_OVERVIEW_H
#define FRESHET_OVERVIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/events/events.h"

struct store;

#define OVERVIEW_PARTS 50 /* sites with a part of their own */
#define OVERVIEW_TABLE 500 /* with a part or a row; all others have a line */
#define OVERVIEW_SENTENCES 8 /* under "What happened" */
#define OVERVIEW_ROWS 40 /* sites on one of several pages */

/* Links lead to /site?site=, /document?url=, /event?site=&at=&kind= and to the
 * pages of rows /?page=. */
struct overview_links {
	const char *nav; /* markup above the page */
	const char *tail; /* markup; ends each link: "&amp;days=30" */
	size_t page; /* of rows, from 0 */
	bool is_site; /* the page of the only site */
};

struct overview {
	struct store *store;
	const struct strings *hosts; /* sorted, each once */
	/* --tz, the rules of each site, and the tag or sites that were typed,
	 * which the page names */
	const struct options *options;
	struct events_span span; /* as figures_span() makes it */
	/* NULL: one page, with a part for each site */
	const struct overview_links *links;
};

/* overview_write(overview, out): append the page.  Stops when nothing can be
 * written any more. */
void overview_write(const struct overview *, struct out *);

#endif
