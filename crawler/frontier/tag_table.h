/*
 * Tags with a budget: the requests an hour that all sites with the tag share.
 * The scheduler gives a site one tag; for sites with several, the table makes
 * a tag of the scheduler that keeps the budgets of all of them.
 */
#ifndef FRESHET_TAG_TABLE_H
#define FRESHET_TAG_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct scheduler;
struct store;
struct strings;
struct tag_table;

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

/* tag_table_new(store, scheduler, burst_ms): no tags yet.  store and scheduler
 * are borrowed and outlive the table; burst_ms: frontier_options. */
struct tag_table *tag_table_new(
    struct store *, struct scheduler *, int64_t burst_ms);
void tag_table_free(struct tag_table *);

/* tag_table_load(table): read all budgets of the store, at first and whenever
 * they were changed.  Sites must be given their tag_mix() again. */
void tag_table_load(struct tag_table *);

size_t tag_table_count(const struct tag_table *);
const struct tag_item *tag_table_at(const struct tag_table *, size_t tag);

/* tag_mix(table, tags): the scheduler's tag for a site with these tags;
 * SCHEDULER_NONE: none of them has or had a budget. */
uint32_t tag_mix(struct tag_table *, const struct strings *tags);

/* tag_asked(table, tags, age_s): a site with these tags was asked age_s
 * seconds before loading.  tag_spent(tag): how much of the budget such
 * requests have used up. */
void tag_asked(struct tag_table *, const struct strings *tags, int64_t age_s);
double tag_spent(const struct tag_item *);

#endif
