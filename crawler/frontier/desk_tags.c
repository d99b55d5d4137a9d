/* Budgets of tags: see desk_tags.h. */
#include "crawler/frontier/desk_tags.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/desk_parts.h"
#include "sched/scheduler_tags.h"

#define MINUTE_S 60

/* put(desk, name, per_hour): that is its budget; burst as of a host. */
static void
put(void *arg, struct slice name, double per_hour)
{
	struct desk *desk = arg;
	struct scheduler_host limit = {
	    .requests_per_hour = per_hour, .burst_ms = desk->options.burst_ms};
	struct tag_at *tag;
	size_t i = 0;

	while (i < desk->tag_count && !slice_is(name, desk->tags[i].name))
		i++;
	if (i == desk->tag_count) {
		desk->tags = mem_grow(
		    desk->tags, &desk->tag_cap, i + 1, sizeof(*desk->tags));
		desk->tags[desk->tag_count++] = (struct tag_at){
		    .name = slice_dup(name),
		    .number = scheduler_add_tag(desk->scheduler, 0)};
	}
	tag = &desk->tags[i];
	tag->per_hour = per_hour;
	scheduler_limit_tag(desk->scheduler, tag->number, &limit);
}

void
tags_load(struct desk *desk)
{
	store_each_tag_budget(desk->options.store, put, desk);
}

/* both(desk, above, tag): the tag of the scheduler that keeps both. */
static uint32_t
both(struct desk *desk, uint32_t above, uint32_t tag)
{
	for (size_t i = 0; i < desk->mix_count; i++)
		if (desk->mixes[i].above == above && desk->mixes[i].tag == tag)
			return desk->mixes[i].number;
	desk->mixes = mem_grow(desk->mixes, &desk->mix_cap, desk->mix_count + 1,
	    sizeof(*desk->mixes));
	desk->mixes[desk->mix_count] = (struct mix_at){.above = above,
	    .tag = tag,
	    .number = scheduler_add_tag_below(desk->scheduler, above, tag)};
	return desk->mixes[desk->mix_count++].number;
}

uint32_t
tags_mix(struct desk *desk, const struct strings *tags)
{
	uint32_t number = SCHEDULER_NONE;

	/* in one order, so that each set is one mix */
	for (size_t i = 0; i < desk->tag_count; i++) {
		if (!strings_has(tags, slice_of(desk->tags[i].name)))
			continue;
		number = number == SCHEDULER_NONE
		    ? desk->tags[i].number
		    : both(desk, number, desk->tags[i].number);
	}
	return number;
}

void
tags_changed(struct desk *desk)
{
	for (size_t i = 0; i < desk->tag_count; i++)
		desk->tags[i].per_hour = 0;
	tags_load(desk);
	for (size_t i = 0; i < desk->tag_count; i++)
		if (desk->tags[i].per_hour <= 0)
			put(desk, slice_of(desk->tags[i].name), 0);
	for (size_t i = 0; i < desk->site_count; i++) {
		struct site_at *site = &desk->sites[i];

		site->is.tag = tags_mix(desk, &site->tags);
		scheduler_set_tag(desk->scheduler, site->is.host, site->is.tag);
	}
}

void
site_asked(struct desk *desk, uint32_t number, int64_t at_s)
{
	int64_t minute = (desk->began_s - at_s) / MINUTE_S;

	if (at_s > desk->began_s || minute >= TAG_MINUTES)
		return;
	for (size_t i = 0; i < desk->tag_count; i++)
		if (strings_has(&desk->sites[number].tags,
			slice_of(desk->tags[i].name)))
			desk->tags[i].asked[minute] += 1;
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
tags_charge(struct desk *desk)
{
	double charged = 0;

	for (size_t i = 0; i < desk->tag_count; i++) {
		const struct tag_at *tag = &desk->tags[i];
		double left = left_of(tag);

		for (size_t k = 0; k < desk->site_count; k++)
			if (strings_has(
				&desk->sites[k].tags, slice_of(tag->name)))
				left -= desk->hosts[desk->sites[k].host]
					    .charged;
		if (left <= 0)
			continue;
		scheduler_spend_tag(
		    desk->scheduler, tag->number, desk->now_s, left);
		charged += left;
	}
	return charged;
}

void
tags_release(struct desk *desk)
{
	for (size_t i = 0; i < desk->tag_count; i++)
		free(desk->tags[i].name);
	free(desk->tags);
	free(desk->mixes);
}
