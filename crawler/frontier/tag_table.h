/*
 * Tags with a budget: the requests an hour that all sites with the tag share.
 * The scheduler gives a site one tag; for sites with several, the table makes
 * a tag of the scheduler that keeps the budgets of all of them.
 */
#ifndef FRESHET_TAG_TABLE_H
#define FRESHET_TAG_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct frontier;
struct strings;

#define TAG_MINUTES 60

/* A tag that has or had a budget. */
struct tag_item {
	char *name; /* owned */
	double per_hour; /* 0: no budget now */
	uint32_t number; /* of the scheduler */
	/* Requests to its sites in each minute of the hour before the frontier
	 * was loaded; the latest minute first. */
	float asked[TAG_MINUTES];
};

/* A tag of the scheduler that keeps the budgets of two others. */
struct tag_pair {
	uint32_t above, tag; /* of the scheduler: the two */
	uint32_t number; /* of the scheduler: the mix */
};

struct tag_table {
	struct tag_item *items; /* owned, and their names */
	size_t count, cap;
	struct tag_pair *mixes; /* owned */
	size_t mix_count, mix_cap;
};

/* tag_table_load(frontier): read all budgets of the store, at first and
 * whenever they were changed.  Sites must be given their tag_mix() again. */
void tag_table_load(struct frontier *);

/* tag_mix(frontier, tags): the scheduler's tag for a site with these tags;
 * SCHEDULER_NONE: none of them has or had a budget. */
uint32_t tag_mix(struct frontier *, const struct strings *tags);

/* tag_asked(frontier, tags, age_s): a site with these tags was asked age_s
 * seconds before loading.  tag_spent(tag): how much of the budget such
 * requests have used up. */
void tag_asked(struct frontier *, const struct strings *tags, int64_t age_s);
double tag_spent(const struct tag_item *);

#endif
