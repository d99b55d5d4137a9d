/* The frontier's tables, and its clock. */
#include "crawler/frontier/frontier_tables.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/pacer.h"
#include "sched/scheduler_next.h"

#define TICK_S 1 /* of the scheduler: intervals may be seconds */

struct frontier *
frontier_tables_new(const struct frontier_options *options)
{
	struct frontier *frontier = mem_zero(sizeof(*frontier));
	struct frontier_context *context = &frontier->context;
	struct scheduler_options of = scheduler_options_default();

	of.tick_s = TICK_S;
	of.requests_per_hour = options->requests_per_hour;
	of.reads_documents = options->reads_documents;
	of.asks_apart = true;
	of.hash_key = options->hash_key;
	struct scheduler *scheduler = scheduler_new(&of);

	context->options = *options;
	context->scheduler = scheduler;
	frontier->pages = page_table_new(context);
	frontier->hosts = host_table_new(context);
	frontier->tags = tag_table_new(
	    options->store, scheduler, options->burst_ms);
	frontier->sites = frontier_sites_new(
	    context, frontier->hosts, frontier->tags);
	frontier->origins = origin_table_new(
	    context, frontier->hosts, frontier->sites, frontier->pages);
	frontier->documents = document_table_new(context,
	    &(struct document_neighbours){.hosts = frontier->hosts,
		.sites = frontier->sites,
		.origins = frontier->origins,
		.candidates = &frontier->candidates});
	frontier->sections = section_table_new(options->store, scheduler);
	frontier->leases = lease_table_new();
	frontier->pacer = pacer_new(context, frontier->hosts);
	buf_init(&frontier->told_url, URL_MAX_BYTES);
	/* Let the modules that work on several tables know these. */
	frontier->ready = (struct ready_queues){.context = &frontier->context,
	    .pages = frontier->pages,
	    .hosts = frontier->hosts,
	    .sites = frontier->sites,
	    .origins = frontier->origins,
	    .documents = frontier->documents};
	frontier->parents = (struct page_parents){.context = &frontier->context,
	    .pages = frontier->pages,
	    .documents = frontier->documents,
	    .sites = frontier->sites,
	    .origins = frontier->origins,
	    .sections = frontier->sections,
	    .ready = &frontier->ready};
	frontier->promotion = (struct promotion){.context = &frontier->context,
	    .pages = frontier->pages,
	    .documents = frontier->documents,
	    .sites = frontier->sites,
	    .origins = frontier->origins,
	    .sections = frontier->sections,
	    .parents = &frontier->parents,
	    .candidates = &frontier->candidates};
	return frontier;
}

void
frontier_free(struct frontier *frontier)
{
	if (frontier == NULL)
		return;
	buf_release(&frontier->told_url);
	candidate_cache_release(&frontier->candidates);
	ranking_release(&frontier->ready.turns);
	pacer_free(frontier->pacer);
	lease_table_free(frontier->leases);
	section_table_free(frontier->sections);
	document_table_free(frontier->documents);
	origin_table_free(frontier->origins);
	frontier_sites_free(frontier->sites);
	tag_table_free(frontier->tags);
	host_table_free(frontier->hosts);
	page_table_free(frontier->pages);
	scheduler_free(frontier->context.scheduler);
	free(frontier);
}

int64_t
frontier_clock(struct frontier *frontier, int64_t now_s)
{
	if (now_s > frontier->context.now_s)
		frontier->context.now_s = now_s;
	return frontier->context.now_s;
}
