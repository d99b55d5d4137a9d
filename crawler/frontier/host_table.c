/* Hosts, their limits and holds. */
#include "crawler/frontier/host_table.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/names.h"
#include "sched/heap.h"
#include "sched/host_queue.h"
#include "sched/scheduler_hosts.h"
#include "store/aside.h"
#include "store/site.h"

struct host_table {
	const struct frontier_context *context;
	struct names names;
	struct host_item *items; /* owned */
	size_t count, cap;
	/* owned: host * HELD_KINDS + kind, by the end that was reported to
	 * options.held */
	struct ranking holds;
};

struct host_table *
host_table_new(const struct frontier_context *context)
{
	struct host_table *table = mem_zero(sizeof(*table));

	table->context = context;
	names_init(&table->names, context->options.hash_key);
	return table;
}

void
host_table_free(struct host_table *table)
{
	names_release(&table->names);
	for (size_t i = 0; i < table->count; i++)
		fifo_release(&table->items[i].ready);
	ranking_release(&table->holds);
	free(table->items);
	free(table);
}

uint32_t
host_find(const struct host_table *table, struct slice name)
{
	return names_find(&table->names, name);
}

struct host_item *
host_at(const struct host_table *table, uint32_t host)
{
	return &table->items[host];
}

const char *
host_name(const struct host_table *table, uint32_t host)
{
	return names_text(&table->names, host);
}

uint32_t
host_count(const struct host_table *table)
{
	return (uint32_t)table->count;
}

/* options.held is not called for a hold that is longer by less. */
#define HOLD_NEWS_S 60

/* Limits. */

void
host_limit(struct host_table *table, uint32_t number)
{
	struct slice name = slice_of(host_name(table, number));
	struct host_item *host = host_at(table, number);
	double per_hour = host->per_hour;
	struct scheduler_host limit;
	bool is_budget = per_hour > 0;

	host->delay_ms = host_delay_ms(
	    table->context->options.rules(
		table->context->options.rules_arg, name),
	    name, host->crawl_delay_ms);
	if (host->delay_ms > 0 &&
	    (per_hour <= 0 || per_hour > HOUR_MS / (double)host->delay_ms)) {
		per_hour = HOUR_MS / (double)host->delay_ms;
		is_budget = false;
	}
	host->rate = per_hour;
	/* The budget counts seconds; pacer.h keeps the delay to the
	 * millisecond. */
	budget_change(&host->rate_limit, table->context->now_s * SECOND_MS,
	    per_hour, host->delay_ms + 2 * SECOND_MS);
	if (host->number == NONE)
		return;
	limit = (struct scheduler_host){.requests_per_hour = per_hour,
	    .burst_ms = table->context->options.burst_ms,
	    .is_budget = is_budget};
	scheduler_set_host(table->context->scheduler, host->number, &limit);
}

uint32_t
host_put(struct host_table *table, struct slice name)
{
	uint32_t number = names_put(&table->names, name);

	if (number < table->count)
		return number;
	table->items = mem_grow(table->items, &table->cap, (size_t)number + 1,
	    sizeof(*table->items));
	table->items[number] = (struct host_item){
	    .number = NONE, .held_s = {INT64_MIN, INT64_MIN}};
	table->count = (size_t)number + 1;
	budget_init(&host_at(table, number)->rate_limit, 0, 0);
	host_limit(table, number);
	return number;
}

/* Reporting holds.  A hold is numbered host * HELD_KINDS + kind. */

static void
report_hold(
    struct host_table *table, uint32_t hold, int64_t until_s, const char *why)
{
	struct frontier_held held = {
	    .host = slice_of(host_name(table, hold / HELD_KINDS)),
	    .is_pages = hold % HELD_KINDS == HELD_PAGES,
	    .until_s = until_s,
	    .why = why};

	table->context->options.held(table->context->options.arg, &held);
}

int64_t
hold_over_s(const struct host_table *table)
{
	const struct ranking_item *first = ranking_first(&table->holds);

	return first == NULL ? FRONTIER_NEVER : (int64_t)first->key;
}

void
holds_over(struct host_table *table)
{
	while (hold_over_s(table) <= table->context->now_s) {
		uint32_t hold = ranking_first(&table->holds)->number;

		ranking_remove(&table->holds, hold);
		report_hold(table, hold, 0, "over");
	}
}

/* Holding. */

static void
hold_scheduler(struct host_table *table, uint32_t number, enum held_kind kind)
{
	const struct host_item *host = host_at(table, number);
	enum scheduler_hold_kind what = kind == HELD_PAGES
	    ? SCHEDULER_HOLD_PAGES
	    : SCHEDULER_HOLD_ALL;

	if (host->number == NONE)
		return;
	if (host->held_s[kind] <= table->context->now_s)
		scheduler_unhold(table->context->scheduler, host->number, what);
	else
		scheduler_hold(table->context->scheduler, host->number, what,
		    table->context->now_s,
		    host->held_s[kind] - table->context->now_s);
}

void
host_hold(struct host_table *table, uint32_t number, enum held_kind kind,
    int64_t until_s, const char *why)
{
	host_at(table, number)->held_s[kind] = until_s;
	uint32_t hold = number * HELD_KINDS + kind;
	bool is_known = ranking_has(&table->holds, hold);
	bool is_news = !is_known ||
	    (double)until_s > ranking_key(&table->holds, hold) + HOLD_NEWS_S;

	if (table->context->options.held != NULL) {
		if (until_s > table->context->now_s) {
			ranking_put(&table->holds, hold, (double)until_s);
			if (is_news)
				report_hold(table, hold, until_s, why);
		} else if (is_known) {
			ranking_remove(&table->holds, hold);
			report_hold(table, hold, 0, why);
		}
	}

	hold_scheduler(table, number, kind);
	if (kind == HELD_ALL && table->context->driver_hold != NULL)
		table->context->driver_hold(table->context->driver,
		    slice_of(host_name(table, number)), until_s);
}

void
host_hold_again(struct host_table *table, uint32_t number)
{
	const int64_t *held_s = host_at(table, number)->held_s;

	for (int kind = 0; kind < HELD_KINDS; kind++)
		if (held_s[kind] > table->context->now_s)
			hold_scheduler(table, number, (enum held_kind)kind);
}

struct hold_times
host_times(const struct host_table *table, uint32_t number)
{
	const int64_t *held_s = host_at(table, number)->held_s;
	struct hold_times times = {0};

	if (held_s[HELD_ALL] > table->context->now_s)
		times.all_s = held_s[HELD_ALL];
	if (held_s[HELD_PAGES] > table->context->now_s)
		times.pages_s = held_s[HELD_PAGES];
	return times;
}

void
host_save_hold(struct host_table *table, uint32_t number)
{
	store_hold(table->context->options.store,
	    slice_of(host_name(table, number)), host_times(table, number));
}

void
holds_save(struct host_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (host_held_s(table, i) != INT64_MIN)
			host_save_hold(table, i);
}

int64_t
host_held_s(const struct host_table *table, uint32_t number)
{
	const int64_t *held_s = host_at(table, number)->held_s;

	return held_s[HELD_ALL] > held_s[HELD_PAGES] ? held_s[HELD_ALL]
						     : held_s[HELD_PAGES];
}

int64_t
host_ready_s(struct host_table *table, uint32_t number, bool is_spaced)
{
	struct host_item *host = host_at(table, number);
	int64_t ready_s = table->context->now_s;

	if (host_held_s(table, number) > ready_s)
		ready_s = host_held_s(table, number);
	if (is_spaced || host->number == NONE) {
		int64_t free_ms = budget_ready_ms(
		    &host->rate_limit, table->context->now_s * SECOND_MS);

		free_ms = (free_ms + SECOND_MS - 1) / SECOND_MS;
		ready_s = free_ms > ready_s ? free_ms : ready_s;
	}
	return ready_s;
}
