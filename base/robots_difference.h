/* What one text of robots.txt says, and another one does not. */
#ifndef FRESHET_ROBOTS_DIFFERENCE_H
#define FRESHET_ROBOTS_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* A record that came or went: "Disallow" and "/labs/" for some agents.  Its
 * slices point into the texts. */
struct robots_change {
	bool is_new;
	struct slice name; /* as RFC 9309 spells it, else as written */
	struct slice value;
	/* the product tokens that the record is for; none: it is for no group,
	 * as a Sitemap line is */
	const struct slice *agents;
	size_t agent_count;
};

struct robots_difference {
	uint64_t came, went; /* records */
	bool is_of_sitemaps; /* only Sitemap lines came or went */
	/* the texts have too many records to be compared; some byte of them
	 * differs */
	bool is_cut;
	bool is_different; /* a record came or went, or is_cut */
};

typedef void robots_change_fn(void *arg, const struct robots_change *);

/*
 * robots_compare(before, after, fn, arg):
 * Call fn, unless it is NULL, for each record that came, then for each that
 * went, in the order of their names and values.  A record counts for each agent
 * of its group; comments, blank space, the order of records and the case of
 * names count for nothing, and so do records without a value.  A User-agent
 * line that came is a record of its own only if none of the other records that
 * came is for its agent; the same is true of those that went.
 *
 * Time is n log n in the bytes of both texts, and in the agents times rules of
 * a group, up to a limit.
 */
struct robots_difference robots_compare(
    struct slice before, struct slice after, robots_change_fn *, void *arg);

/* robots_change_print(out, change, agents): append "Disallow: /labs/ for *",
 * with the names of so many agents, and the number of the others.  What is
 * appended is foreign text; a long value is cut. */
void robots_change_print(
    struct buf *, const struct robots_change *, size_t agents);

#endif
