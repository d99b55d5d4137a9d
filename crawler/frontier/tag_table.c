/* Tags with a budget. */
#include "crawler/frontier/tag_table.h"

#include "base/civil.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/strings.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_hosts.h"
#include "store/watch.h"

/* Set the budget of a tag, which may be new; 0: none. */
static void
tag_put(void *arg, struct slice name, double per_hour)
{
	struct frontier *f = arg;
	struct tag_table *table = &f->tags;
	struct scheduler_host limit = {.requests_per_hour = per_hour,
	    .burst_ms = f->context.options.burst_ms};
	size_t i = 0;

	while (i < table->count && !slice_is(name, table->items[i].name))
		i++;
	if (i == table->count) {
		table->items = mem_grow(
		    table->items, &table->cap, i + 1, sizeof(*table->items));
		table->items[table->count++] = (struct tag_item){
		    .name = slice_dup(name),
		    .number = scheduler_add_tag(f->scheduler, 0)};
	}
	table->items[i].per_hour = per_hour;
	scheduler_limit_tag(f->scheduler, table->items[i].number, &limit);
}

void
tag_table_load(struct frontier *f)
{
	struct tag_table *table = &f->tags;

	for (size_t i = 0; i < table->count; i++)
		table->items[i].per_hour = 0;
	store_each_tag_budget(f->store, tag_put, f);
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].per_hour <= 0)
			tag_put(f, slice_of(table->items[i].name), 0);
}

static uint32_t
mix(struct frontier *f, uint32_t above, uint32_t tag)
{
	struct tag_table *table = &f->tags;

	for (size_t i = 0; i < table->mix_count; i++)
		if (table->mixes[i].above == above &&
		    table->mixes[i].tag == tag)
			return table->mixes[i].number;
	table->mixes = mem_grow(table->mixes, &table->mix_cap,
	    table->mix_count + 1, sizeof(*table->mixes));
	table->mixes[table->mix_count] = (struct tag_pair){.above = above,
	    .tag = tag,
	    .number = scheduler_add_tag_below(f->scheduler, above, tag)};
	return table->mixes[table->mix_count++].number;
}

uint32_t
tag_mix(struct frontier *f, const struct strings *tags)
{
	const struct tag_table *table = &f->tags;
	uint32_t number = SCHEDULER_NONE;

	/* the order of the table, so that each set of tags has one mix */
	for (size_t i = 0; i < table->count; i++) {
		if (!strings_has(tags, slice_of(table->items[i].name)))
			continue;
		number = number == SCHEDULER_NONE
		    ? table->items[i].number
		    : mix(f, number, table->items[i].number);
	}
	return number;
}

void
tag_asked(struct frontier *f, const struct strings *tags, int64_t age_s)
{
	const struct tag_table *table = &f->tags;

	if (age_s < 0 || age_s / MINUTE_S >= TAG_MINUTES)
		return;
	for (size_t i = 0; i < table->count; i++)
		if (strings_has(tags, slice_of(table->items[i].name)))
			table->items[i].asked[age_s / MINUTE_S] += 1;
}

/* A leaky bucket: each minute adds its requests and drains a minute's rate. */
double
tag_spent(const struct tag_item *tag)
{
	double spent = 0;

	for (size_t i = TAG_MINUTES; i-- > 0;) {
		spent -= tag->per_hour / TAG_MINUTES;
		spent = (spent > 0 ? spent : 0) + (double)tag->asked[i];
	}
	return spent;
}
