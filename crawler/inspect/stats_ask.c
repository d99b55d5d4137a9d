/* Stats: how far the dates of a site are right. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/selection.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/inspect/stats.h"

struct asking {
	struct stats *stats;
	struct frontier *frontier;
	int64_t now_s;
};

static bool
on_document(void *arg, const struct document_row *row)
{
	struct asking *asking = arg;
	struct stats *stats = asking->stats;
	struct frontier_terms terms;

	if (row->dated == 0 || row->document.kind == KIND_INDEX ||
	    !frontier_document_terms(
		asking->frontier, row->document.id, asking->now_s, &terms))
		return true;
	stats->sources = mem_grow(stats->sources, &stats->source_cap,
	    stats->source_count + 1, sizeof(*stats->sources));
	stats->sources[stats->source_count++] = (struct stats_source){
	    .url = mem_copy(row->document.url), .terms = terms.terms};
	stats->checks += terms.terms.checks;
	stats->precision += terms.terms.checks * terms.terms.precision;
	return true;
}

static int
by_checks(const void *a, const void *b)
{
	const struct stats_source *x = a;
	const struct stats_source *y = b;

	if (x->terms.checks < y->terms.checks ||
	    x->terms.checks > y->terms.checks)
		return x->terms.checks > y->terms.checks ? -1 : 1;
	return strcmp(x->url, y->url);
}

void
stats_ask(struct stats *stats, struct frontier *frontier, struct store *store,
    int64_t now_s)
{
	struct asking asking = {stats, frontier, now_s};

	store_each_document(store, slice_of(stats->host), on_document, &asking);
	stats->precision = stats->checks > 0 ? stats->precision / stats->checks
					     : 0;
	if (stats->source_count > 0)
		qsort(stats->sources, stats->source_count,
		    sizeof(*stats->sources), by_checks);
}
