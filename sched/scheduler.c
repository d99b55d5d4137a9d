/* The scheduler's tables, and where what is in them waits: see scheduler.h. */
#include "sched/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/limiter.h"
#include "sched/quota.h"
#include "sched/scheduler_hosts.h"
#include "sched/scheduler_internal.h"
#include "sched/scheduler_tell.h"

#define DAY_S 86400
/* Of a fetch, as long as none told: the median page of the web. */
#define PAGE_BYTES 30000
/* Pages of a site that are looked at when it is set. */
#define EVALUATIONS_AT_ONCE 4096

struct scheduler_options
scheduler_options_default(void)
{
	return (struct scheduler_options){.tick_s = 60,
	    .documents_share = 0.5,
	    .ceilings_share = 0.1,
	    .reads_documents = true};
}

struct scheduler_site
scheduler_site_default(void)
{
	return (struct scheduler_site){.tag = SCHEDULER_NONE,
	    .weight = 1,
	    .page_floor_s = 3600,
	    .page_ceiling_s = 90 * DAY_S,
	    .reading_floor_s = 900,
	    .reading_ceiling_s = 7 * DAY_S,
	    .retry_s = 900,
	    .readings_per_day = 288,
	    .pages_per_day = 288};
}

struct scheduler *
scheduler_new(const struct scheduler_options *options)
{
	struct scheduler *s = mem_zero(sizeof(*s));
	struct limiter_limit all;

	assert(options->tick_s > 0);
	s->options = *options;
	s->now_s = s->tick = INT64_MIN;
	s->levels = 1;
	s->page_bytes = PAGE_BYTES;
	families_init(&s->families, options->hash_key);
	all = limit_of(s, options->requests_per_hour);
	s->kind_nodes[NODE_PAGES] = s->kind_nodes[NODE_READINGS] = LIMITER_ROOT;
	if (options->asks_apart) {
		/* the limit of all is kept where the kinds are rivals */
		s->limiter = limiter_new(&(struct limiter_limit){0});
		s->limit = limiter_limit(s->limiter, &all);
		nodes_make(s, s->kind_nodes, s->limit, NULL, s->kind_nodes);
	} else {
		s->limiter = limiter_new(&all);
	}
	limiter_set_tick(s->limiter, options->tick_s);
	if (options->is_scarce)
		limiter_set_bound(s->limiter, s->limit);
	budget_init(&s->all, all.per_hour, all.burst_ms);
	budget_init(&s->documents,
	    options->requests_per_hour * options->documents_share,
	    options->tick_s * 1000);
	return s;
}

void
scheduler_free(struct scheduler *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->source_count; i++)
		free(s->sources[i].retro);
	free(s->pages);
	free(s->sources);
	free(s->sites);
	free(s->sections);
	free(s->hosts);
	addresses_free(s);
	free(s->tags);
	free(s->family);
	free(s->known);
	line_release(&s->overdue);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		line_release(&s->passed[kind]);
	line_release(&s->waiting);
	line_release(&s->refreshes);
	line_release(&s->relinks);
	families_release(&s->families);
	calendar_free(s->calendar);
	limiter_free(s->limiter);
	positions_release(&s->positions);
	free(s);
}

uint32_t
scheduler_add_site(struct scheduler *s, const struct scheduler_site *is)
{
	assert(is->host < s->host_count);
	assert(is->tag == SCHEDULER_NONE || is->tag < s->tag_count);
	s->sites = mem_grow(
	    s->sites, &s->site_cap, s->site_count + 1, sizeof(*s->sites));
	s->sites[s->site_count] = (struct site){.is = *is,
	    .silent = SCHEDULER_NONE,
	    .unlisted = SCHEDULER_NONE,
	    .quota = SCHEDULER_NONE,
	    .owed_s = SCHEDULER_NEVER};
	host_take(s, (uint32_t)s->site_count);
	return (uint32_t)s->site_count++;
}

/* Pages of the document: at once, or by and by if there are many. */
static void
evaluate_pages(struct scheduler *s, uint32_t number, size_t *left)
{
	uint32_t page;

	if (s->sources[number].is_index)
		return;
	for (page = source_first_page(s, number); page != 0 && *left > 0;
	     --*left) {
		page_reschedule(s, page - 1);
		page = s->pages[page - 1].next;
	}
	if (page != 0)
		source_refresh(s, number);
}

void
scheduler_set_site(
    struct scheduler *s, uint32_t number, const struct scheduler_site *is)
{
	struct scheduler_site *site;
	size_t left = EVALUATIONS_AT_ONCE;

	assert(number < s->site_count);
	site = &s->sites[number].is;
	*site = (struct scheduler_site){.host = site->host,
	    .tag = site->tag,
	    .weight = is->weight,
	    .page_floor_s = is->page_floor_s,
	    .page_ceiling_s = is->page_ceiling_s,
	    .reading_floor_s = is->reading_floor_s,
	    .reading_ceiling_s = is->reading_ceiling_s,
	    .retry_s = is->retry_s,
	    .readings_per_day = is->readings_per_day,
	    .pages_per_day = is->pages_per_day,
	    .wants_listing = is->wants_listing};
	quota_set(s, number);
	for (uint32_t i = s->sites[number].first; i != 0;
	     i = s->sources[i - 1].next_of_site) {
		evaluate_pages(s, i - 1, &left);
		source_reschedule(s, i - 1);
		source_reschedule_listed(s, i - 1);
	}
}

const struct site_price *
site_price(struct scheduler *s, uint32_t number)
{
	struct site *site = &s->sites[number];
	uint32_t nodes[PAGE_PLACES] = {
	    site->nodes[NODE_PAGES], site->silent, site->unlisted};

	if (site->price.levels == s->levels)
		return &site->price;
	site->price.levels = s->levels;
	for (int i = 0; i < PAGE_PLACES; i++)
		site->price.value[i] = limiter_level(s->limiter,
		    nodes[i] == SCHEDULER_NONE ? nodes[PLACE_HOST] : nodes[i]);
	site->price.price = limiter_price(
	    s->limiter, s->now_s * 1000, nodes[PLACE_HOST]);
	return &site->price;
}

void
site_levels_change(struct scheduler *s)
{
	s->levels++;
}

bool
item_is_waiting(const struct scheduler *s, uint32_t item)
{
	return (positions_get(&s->positions, item) & POSITIONS_QUEUED) != 0;
}

void
item_remove(struct scheduler *s, uint32_t item, uint32_t node)
{
	if (item_is_waiting(s, item))
		limiter_remove(s->limiter, node, item);
	else
		calendar_remove(s->calendar, item);
}

/* The mark that it is in the line of those to be looked at again. */
static bool
mark_waiting(struct scheduler *s, uint32_t item, bool is_waiting)
{
	uint32_t number = item_number(item);
	struct page *page;
	bool was = false;

	switch (item_kind(item)) {
	case ITEM_READING:
		was = s->sources[number].is_waiting;
		s->sources[number].is_waiting = is_waiting;
		break;
	case ITEM_LISTED:
		was = s->sources[number].is_listed_waiting;
		s->sources[number].is_listed_waiting = is_waiting;
		break;
	case ITEM_PAGE:
		page = &s->pages[number];
		was = (page->flags & PAGE_WAITING) != 0;
		page->flags &= (uint8_t)~PAGE_WAITING;
		if (is_waiting)
			page->flags |= PAGE_WAITING;
		break;
	}
	return was;
}

void
item_wait(struct scheduler *s, uint32_t item, uint32_t node, double value)
{
	limiter_put(s->limiter,
	    &(struct limiter_choice){
		.node = node, .number = item, .value = (float)value});
	if (!mark_waiting(s, item, true))
		line_put(&s->waiting, item);
}

bool
item_take_waiting(struct scheduler *s, uint32_t *item)
{
	if (!line_take(&s->waiting, item))
		return false;
	(void)mark_waiting(s, *item, false);
	return true;
}

void
item_evaluate_at(struct scheduler *s, uint32_t item, int64_t due_s)
{
	calendar_put(s->calendar, item, due_s);
}

void
item_reschedule(struct scheduler *s, uint32_t item)
{
	uint32_t number = item_number(item);

	switch (item_kind(item)) {
	case ITEM_READING:
		source_reschedule(s, number);
		break;
	case ITEM_LISTED:
		source_reschedule_listed(s, number);
		break;
	case ITEM_PAGE:
		page_reschedule(s, number);
		break;
	}
}
