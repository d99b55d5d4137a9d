/* Budgets of tags: sites that are asked so often together. */
#ifndef FRESHET_FRONTIER_TAGS_H
#define FRESHET_FRONTIER_TAGS_H

#include "crawler/frontier/frontier_internal.h"

#define TAG_MINUTES 60

/* A tag that has, or had, a budget. */
struct tag_at {
	char *name; /* owned */
	double per_hour; /* 0: none now */
	uint32_t number; /* of the scheduler */
	/* when it was loaded: of its sites, in each minute of the last hour,
	 * the latest first */
	float asked[TAG_MINUTES];
};

/* Sites with several of them have a tag of the scheduler that keeps all. */
struct mix_at {
	uint32_t above, tag; /* of the scheduler: what it was made of */
	uint32_t number; /* likewise */
};

/* tags_load(frontier): those of the store; before its sites. */
void tags_load(struct frontier *);

/* tags_changed(frontier): they are others now. */
void tags_changed(struct frontier *);

/* tags_mix(frontier, tags): the tag of the scheduler for a site that has these;
 * SCHEDULER_NONE: none of them has a budget. */
uint32_t tags_mix(struct frontier *, const struct strings *tags);

/* site_asked(frontier, site, at_s): a page or document of it was asked for
 * then; when the frontier is loaded. tags_charge(frontier): that counts, as far
 * as it was not charged to the hosts; how much it was. */
void site_asked(struct frontier *, uint32_t site, int64_t at_s);
double tags_charge(struct frontier *);

void tags_release(struct frontier *);

#endif
