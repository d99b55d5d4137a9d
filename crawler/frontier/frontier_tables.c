/* The frontier's tables, and its clock. */
#include "crawler/frontier/frontier_tables.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/url.h"
#include "crawler/frontier/pacer.h"

#define TICK_S 1 /* of the scheduler: intervals may be seconds */

struct frontier *
frontier_tables_new(const struct frontier_options *options)
{
	struct frontier *f = mem_zero(sizeof(*f));
	struct scheduler_options of = scheduler_options_default();

	of.tick_s = TICK_S;
	of.requests_per_hour = options->requests_per_hour;
	of.reads_documents = options->reads_documents;
	of.asks_apart = true;
	of.hash_key = options->hash_key;
	f->store = options->store;
	f->scheduler = scheduler_new(&of);
	f->context.options = *options;
	f->context.scheduler = f->scheduler;
	f->hosts = host_table_new(&f->context);
	f->tags = tag_table_new(f->store, f->scheduler, options->burst_ms);
	names_init(&f->origins.names, options->hash_key);
	f->leases = lease_table_new();
	f->pacer = pacer_new(&f->context, f->hosts);
	buf_init(&f->told_url, URL_MAX_BYTES);
	return f;
}

void
frontier_free(struct frontier *f)
{
	if (f == NULL)
		return;
	buf_release(&f->told_url);
	candidate_cache_release(&f->candidates);
	ranking_release(&f->ready.turns);
	pacer_free(f->pacer);
	lease_table_free(f->leases);
	idmap_release(&f->section_by_key);
	idmap_release(&f->document_by_id);
	free(f->origins.items);
	names_release(&f->origins.names);
	for (size_t i = 0; i < f->sites.count; i++) {
		strings_release(&f->sites.items[i].sections);
		strings_release(&f->sites.items[i].tags);
	}
	free(f->sites.items);
	idmap_release(&f->sites.by_id);
	free(f->dirty_pages.items);
	free(f->dirty_documents.items);
	free(f->dirty_sites.items);
	free(f->dirty_sections.items);
	free(f->suspects.items);
	tag_table_free(f->tags);
	host_table_free(f->hosts);
	idmap_release(&f->page_by_url);
	scheduler_free(f->scheduler);
	free(f);
}

int64_t
frontier_clock(struct frontier *f, int64_t now_s)
{
	if (now_s > f->context.now_s)
		f->context.now_s = now_s;
	return f->context.now_s;
}
