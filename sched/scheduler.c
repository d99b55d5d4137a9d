/* The scheduler's tables: see scheduler.h. */
#include "sched/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/evaluation.h"
#include "sched/limiter.h"
#include "sched/quota.h"
#include "sched/scheduler_internal.h"

#define DAY_S 86400
/* The bytes of a fetch, until one is known: the median page of the web. */
#define PAGE_BYTES 30000
/* How many pages of a site are evaluated at once when it changes. */
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
		/* the limit of all belongs to the nodes that are twins */
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
	fifo_release(&s->overdue);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		fifo_release(&s->passed[kind]);
	fifo_release(&s->waiting);
	fifo_release(&s->refreshes);
	fifo_release(&s->relinks);
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
	s->sites[s->site_count] = (struct sched_site){.is = *is,
	    .silent = SCHEDULER_NONE,
	    .unlisted = SCHEDULER_NONE,
	    .quota = SCHEDULER_NONE,
	    .owed_s = SCHEDULER_NEVER};
	host_take(s, (uint32_t)s->site_count);
	return (uint32_t)s->site_count++;
}

uint32_t
scheduler_add_document(
    struct scheduler *s, const struct scheduler_document *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->source_count;
	struct sched_source *source;

	assert(is->site < s->site_count);
	assert(is->parent == SCHEDULER_NONE || is->parent < number);
	clock_set(s, now_s);
	s->sources = mem_grow(s->sources, &s->source_cap, s->source_count + 1,
	    sizeof(*s->sources));
	source = &s->sources[s->source_count++];
	*source = (struct sched_source){.site = is->site,
	    .parent = is->parent,
	    .family = families_put(&s->families, is->site, is->name),
	    .is_index = is->is_index,
	    .added_s = s->now_s,
	    .read_s = SCHEDULER_NEVER,
	    .held_s = INT64_MIN,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .cost = 1};
	if (!stamp_parse(&source->stamp, is->name))
		source->stamp.span_s = 0;
	while (s->family_cap <= source->family) {
		size_t before = s->family_cap;

		s->family = mem_grow(s->family, &s->family_cap,
		    (size_t)source->family + 1, sizeof(*s->family));
		for (size_t i = before; i < s->family_cap; i++)
			s->family[i] = (struct sched_family){0};
	}
	source->next_of_site = s->sites[is->site].first;
	s->sites[is->site].first = number + 1;
	s->sites[is->site].documents++;
	if (is->parent != SCHEDULER_NONE) {
		source->next = s->sources[is->parent].first;
		s->sources[is->parent].first = number + 1;
	}
	source_reschedule(s, number);
	return number;
}

uint32_t
scheduler_add_page(
    struct scheduler *s, const struct scheduler_page *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->page_count;
	struct sched_source *source;
	struct sched_page *page;

	assert(is->document < s->source_count);
	assert(!s->sources[is->document].is_index);
	clock_set(s, now_s);
	s->pages = mem_grow(
	    s->pages, &s->page_cap, s->page_count + 1, sizeof(*s->pages));
	page = &s->pages[s->page_count++];
	source = &s->sources[is->document];
	*page = (struct sched_page){.document = is->document,
	    .next = source->first,
	    .weight = is->weight,
	    .section = is->section,
	    .added = time_pack(s->now_s),
	    .mass_seen = source->mass_count};
	source->first = number + 1;
	if (is->lastmod_s != SCHEDULER_NO_DATE)
		page->lastmod = time_pack(is->lastmod_s);
	if (is->is_day)
		page->flags |= PAGE_DAY;
	if (is->is_out)
		page->flags |= PAGE_OUT;
	page->position = (float)page_position(s, is->document);
	if (is->fetched_s != SCHEDULER_NEVER)
		page->fetched = time_pack(is->fetched_s);
	else if (is->lastmod_s != SCHEDULER_NO_DATE) {
		struct estimate_of of;
		struct pending pending;

		page_estimate(s, number, &of, &pending);
		estimate_listed(&of, days_after(s, is->lastmod_s));
	}
	s->sites[source->site].pages++;
	quota_set(s, source->site);
	page_reschedule(s, number);
	return number;
}

void
scheduler_know(
    struct scheduler *s, uint32_t number, const struct value_rates *rates)
{
	assert(number <= s->known_count);
	s->known = mem_grow(
	    s->known, &s->known_cap, (size_t)number + 1, sizeof(*s->known));
	s->known[number] = *rates;
	if (number == s->known_count)
		s->known_count++;
	page_reschedule(s, number);
}

/* Evaluate the pages of the document at once, or little by little if there
 * are many. */
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
