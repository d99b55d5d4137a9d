/* The scheduler's tables: see scheduler.h. */
#include "sched/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "sched/evaluation.h"
#include "sched/limiter.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* The size of a page before the first one is known: the median of the web. */
#define PAGE_BYTES 30000
/* How many pages of a site are evaluated at once when it changes. */
#define EVALUATIONS_AT_ONCE 4096
/* Up to this time, milliseconds fit into an int64_t, even a year later. */
#define LAST_S (INT64_C(1) << 50)

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
	    .readings_per_day = 48,
	    .pages_per_day = 288};
}

struct scheduler *
scheduler_new(const struct scheduler_options *options)
{
	struct scheduler *s = mem_zero(sizeof(*s));

	assert(options->tick_s > 0);
	s->options = *options;
	s->clock.now_s = s->tick = INT64_MIN;
	s->page_bytes = PAGE_BYTES;
	s->queues.clock = &s->clock;
	s->sites = (struct sched_sites){
	    .clock = &s->clock, .queues = &s->queues, .levels = 1};
	s->sections = (struct sched_sections){
	    .clock = &s->clock, .sites = &s->sites};
	s->sources = (struct sched_sources){.options = &s->options,
	    .clock = &s->clock,
	    .queues = &s->queues,
	    .sites = &s->sites,
	    .sections = &s->sections};
	s->pages = (struct sched_pages){.options = &s->options,
	    .clock = &s->clock,
	    .queues = &s->queues,
	    .sites = &s->sites,
	    .sections = &s->sections,
	    .sources = &s->sources};
	s->hosts = (struct sched_hosts){.options = &s->options,
	    .clock = &s->clock,
	    .queues = &s->queues,
	    .sites = &s->sites};
	hosts_init(&s->hosts);
	budget_init(
	    &s->all, options->requests_per_hour, options->tick_s * 1000);
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
	free(s->pages.items);
	fifo_release(&s->pages.refreshes);
	fifo_release(&s->pages.relinks);
	for (size_t i = 0; i < s->sources.count; i++) {
		free(s->sources.items[i].trust);
		free(s->sources.items[i].gains);
		free(s->sources.items[i].retro);
	}
	free(s->sources.items);
	free(s->sections.items);
	hosts_release(&s->hosts);
	free(s->sites.items);
	queues_release(&s->queues);
	free(s);
}

/* The clock. */

static int64_t
clock_within(int64_t now_s)
{
	if (now_s > LAST_S)
		return LAST_S;
	return now_s < -LAST_S ? -LAST_S : now_s;
}

void
clock_set(struct scheduler *s, int64_t now_s)
{
	now_s = clock_within(now_s);
	if (now_s <= s->clock.now_s)
		return;
	/* the clock begins; or it had begun in 1970, and was corrected */
	if (s->clock.now_s == INT64_MIN || queues_is_far(&s->queues, now_s)) {
		queues_begin(&s->queues, now_s);
		limiter_end_all(s->queues.limiter, now_s);
		s->clock.first_s = now_s;
	}
	s->clock.now_s = now_s;
}

/* Adding sites, documents and pages. */

uint32_t
scheduler_add_site(struct scheduler *s, const struct scheduler_site *is)
{
	uint32_t number = (uint32_t)s->sites.count;

	assert(is->host < s->hosts.count);
	assert(is->tag == SCHEDULER_NONE || is->tag < s->hosts.tag_count);
	s->sites.items = mem_grow(s->sites.items, &s->sites.cap,
	    s->sites.count + 1, sizeof(*s->sites.items));
	s->sites.items[s->sites.count++] = (struct sched_site){.is = *is,
	    .silent = SCHEDULER_NONE,
	    .unlisted = SCHEDULER_NONE,
	    .quota = SCHEDULER_NONE,
	    .owed_s = SCHEDULER_NEVER};
	hosts_take(&s->hosts, number);
	return number;
}

uint32_t
scheduler_add_document(
    struct scheduler *s, const struct scheduler_document *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->sources.count;
	struct sched_source *source;

	assert(is->site < s->sites.count);
	assert(is->parent == SCHEDULER_NONE || is->parent < s->sources.count);
	clock_set(s, now_s);
	s->sources.items = mem_grow(s->sources.items, &s->sources.cap,
	    s->sources.count + 1, sizeof(*s->sources.items));
	source = &s->sources.items[s->sources.count++];
	*source = (struct sched_source){.site = is->site,
	    .parent = is->parent,
	    .is_index = is->is_index,
	    .is_robots = is->is_robots,
	    .added_s = s->clock.now_s,
	    .read_s = SCHEDULER_NEVER,
	    .held_s = INT64_MIN,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .cost = 1};
	if (is->is_robots || !stamp_parse(&source->stamp, is->name))
		source->stamp.span_s = 0;
	source->next_of_site = s->sites.items[is->site].first;
	s->sites.items[is->site].first = number + 1;
	s->sites.items[is->site].documents += !is->is_robots;
	source_reschedule(&s->sources, number);
	return number;
}

uint32_t
scheduler_add_page(
    struct scheduler *s, const struct scheduler_page *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->pages.count;
	struct sched_source *source;
	struct sched_page *page;

	assert(is->document < s->sources.count);
	clock_set(s, now_s);
	s->pages.items = mem_grow(s->pages.items, &s->pages.cap,
	    s->pages.count + 1, sizeof(*s->pages.items));
	page = &s->pages.items[s->pages.count++];
	source = &s->sources.items[is->document];
	*page = (struct sched_page){.document = is->document,
	    .next = source->first,
	    .weight = is->weight,
	    .section = is->section,
	    .added = time_pack(s->clock.now_s),
	    .mass_seen = source->mass_count};
	source->first = number + 1;
	if (is->lastmod_s != SCHEDULER_NO_DATE)
		page->lastmod = time_pack(is->lastmod_s);
	if (is->is_day)
		page->flags |= PAGE_DAY;
	if (is->is_out)
		page->flags |= ITEM_OUT;
	page->position = (float)source_position(&s->sources, is->document);
	if (is->fetched_s != SCHEDULER_NEVER)
		page->fetched = time_pack(is->fetched_s);
	else if (is->lastmod_s != SCHEDULER_NO_DATE && source->trust != NULL) {
		struct estimate_of of;
		struct pending pending;

		page_estimate(&s->pages, number, &of, &pending);
		estimate_listed(&of, days_after(&s->clock, is->lastmod_s));
	}
	source_site(&s->sources, source)->pages++;
	quota_set(&s->sites, source->site);
	if (!is->is_loaded)
		page_reschedule(&s->pages, number);
	return number;
}

/* Evaluate the pages of the document at once, or little by little if there
 * are many. */
static void
evaluate_pages(struct scheduler *s, uint32_t number, size_t *left)
{
	uint32_t page;

	for (page = source_first_page(&s->pages, number);
	     page != 0 && *left > 0; --*left) {
		page_reschedule(&s->pages, page - 1);
		page = s->pages.items[page - 1].next;
	}
	if (page != 0)
		source_refresh(&s->pages, number);
}

void
scheduler_set_site(
    struct scheduler *s, uint32_t number, const struct scheduler_site *is)
{
	struct scheduler_site *site;
	size_t left = EVALUATIONS_AT_ONCE;

	assert(number < s->sites.count);
	site = &s->sites.items[number].is;
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
	quota_set(&s->sites, number);
	for (uint32_t i = s->sites.items[number].first; i != 0;
	     i = s->sources.items[i - 1].next_of_site) {
		evaluate_pages(s, i - 1, &left);
		source_reschedule(&s->sources, i - 1);
		source_reschedule_listed(&s->sources, i - 1);
	}
}
