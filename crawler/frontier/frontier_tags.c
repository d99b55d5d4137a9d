/* Budgets of tags: see frontier_tags.h. */
#include "crawler/frontier/frontier_tags.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_hosts.h"

#define MINUTE_S 60

/* put(frontier, name, per_hour): that is its budget; burst as of a host. */
static void
put(void *arg, struct slice name, double per_hour)
{
	struct frontier *frontier = arg;
	struct scheduler_host limit = {.requests_per_hour = per_hour,
	    .burst_ms = frontier->options.burst_ms};
	struct tag_at *tag;
	size_t i = 0;

	while (
	    i < frontier->tag_count && !slice_is(name, frontier->tags[i].name))
		i++;
	if (i == frontier->tag_count) {
		frontier->tags = mem_grow(frontier->tags, &frontier->tag_cap,
		    i + 1, sizeof(*frontier->tags));
		frontier->tags[frontier->tag_count++] = (struct tag_at){
		    .name = slice_dup(name),
		    .number = scheduler_add_tag(frontier->scheduler, 0)};
	}
	tag = &frontier->tags[i];
	tag->per_hour = per_hour;
	scheduler_limit_tag(frontier->scheduler, tag->number, &limit);
}

void
tags_load(struct frontier *frontier)
{
	store_each_tag_budget(frontier->options.store, put, frontier);
}

/* both(frontier, above, tag): the tag of the scheduler that keeps both. */
static uint32_t
both(struct frontier *frontier, uint32_t above, uint32_t tag)
{
	for (size_t i = 0; i < frontier->mix_count; i++)
		if (frontier->mixes[i].above == above &&
		    frontier->mixes[i].tag == tag)
			return frontier->mixes[i].number;
	frontier->mixes = mem_grow(frontier->mixes, &frontier->mix_cap,
	    frontier->mix_count + 1, sizeof(*frontier->mixes));
	frontier->mixes[frontier->mix_count] = (struct mix_at){.above = above,
	    .tag = tag,
	    .number = scheduler_add_tag_below(frontier->scheduler, above, tag)};
	return frontier->mixes[frontier->mix_count++].number;
}

uint32_t
tags_mix(struct frontier *frontier, const struct strings *tags)
{
	uint32_t number = SCHEDULER_NONE;

	/* in one order, so that each set is one mix */
	for (size_t i = 0; i < frontier->tag_count; i++) {
		if (!strings_has(tags, slice_of(frontier->tags[i].name)))
			continue;
		number = number == SCHEDULER_NONE
		    ? frontier->tags[i].number
		    : both(frontier, number, frontier->tags[i].number);
	}
	return number;
}

void
tags_changed(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->tag_count; i++)
		frontier->tags[i].per_hour = 0;
	tags_load(frontier);
	for (size_t i = 0; i < frontier->tag_count; i++)
		if (frontier->tags[i].per_hour <= 0)
			put(frontier, slice_of(frontier->tags[i].name), 0);
	for (size_t i = 0; i < frontier->site_count; i++) {
		struct site_at *site = &frontier->sites[i];

		site->is.tag = tags_mix(frontier, &site->tags);
		scheduler_set_tag(
		    frontier->scheduler, site->is.host, site->is.tag);
	}
}

void
site_asked(struct frontier *frontier, uint32_t number, int64_t at_s)
{
	int64_t minute = (frontier->began_s - at_s) / MINUTE_S;

	if (at_s > frontier->began_s || minute >= TAG_MINUTES)
		return;
	for (size_t i = 0; i < frontier->tag_count; i++)
		if (strings_has(&frontier->sites[number].tags,
			slice_of(frontier->tags[i].name)))
			frontier->tags[i].asked[minute] += 1;
}

/* As a bucket that leaks at the rate. */
static double
left_of(const struct tag_at *tag)
{
	double left = 0;

	for (size_t i = TAG_MINUTES; i-- > 0;) {
		left -= tag->per_hour / TAG_MINUTES;
		left = (left > 0 ? left : 0) + (double)tag->asked[i];
	}
	return left;
}

double
tags_charge(struct frontier *frontier)
{
	double charged = 0;

	for (size_t i = 0; i < frontier->tag_count; i++) {
		const struct tag_at *tag = &frontier->tags[i];
		double left = left_of(tag);

		for (size_t k = 0; k < frontier->site_count; k++)
			if (strings_has(
				&frontier->sites[k].tags, slice_of(tag->name)))
				left -= frontier->hosts[frontier->sites[k].host]
					    .charged;
		if (left <= 0)
			continue;
		scheduler_spend_tag(
		    frontier->scheduler, tag->number, frontier->now_s, left);
		charged += left;
	}
	return charged;
}

void
tags_release(struct frontier *frontier)
{
	for (size_t i = 0; i < frontier->tag_count; i++)
		free(frontier->tags[i].name);
	free(frontier->tags);
	free(frontier->mixes);
}
