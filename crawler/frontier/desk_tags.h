/* Budgets of tags: sites that are asked so often together. */
#ifndef FRESHET_DESK_TAGS_H
#define FRESHET_DESK_TAGS_H

#include "crawler/frontier/desk_internal.h"

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

/* tags_load(desk): those of the store; before its sites. */
void tags_load(struct desk *);

/* tags_changed(desk): they are others now. */
void tags_changed(struct desk *);

/* tags_mix(desk, tags): the tag of the scheduler for a site that has these;
 * SCHEDULER_NONE: none of them has a budget. */
uint32_t tags_mix(struct desk *, const struct strings *tags);

/* site_asked(desk, site, at_s): a page or document of it was asked for then;
 * when the desk is loaded.
 * tags_charge(desk): that counts, as far as it was not charged to the hosts;
 * how much it was. */
void site_asked(struct desk *, uint32_t site, int64_t at_s);
double tags_charge(struct desk *);

void tags_release(struct desk *);

#endif
