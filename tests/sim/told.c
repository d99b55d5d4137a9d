/* Schedulers that are told the truth: see told.h. */
#include "tests/sim/told.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/estimate.h"
#include "sched/limiter.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/value_exact.h"

/* A known rate counts as one that was learned from this many changes. */
#define SURE 1e7

struct told {
	struct scheduler *scheduler; /* borrowed */
	struct value_rates *rates; /* owned; by page */
	size_t count, cap; /* pages whose rates are known */
	struct told *next;
};

/* All schedulers that were told something; there are seldom two. */
static struct told *all_told;

/* The functions that the wrappers stand before. */
void __real_page_evaluate(struct sched_pages *, uint32_t number, unsigned moves,
    double least, struct evaluation *);
const struct site_price *__real_site_price(struct sched_sites *, uint32_t site);

void __wrap_page_evaluate(struct sched_pages *, uint32_t number, unsigned moves,
    double least, struct evaluation *);
const struct site_price *__wrap_site_price(struct sched_sites *, uint32_t site);

void
told_scarce(struct scheduler *scheduler)
{
	struct told *told = mem_zero(sizeof(*told));

	told->scheduler = scheduler;
	told->next = all_told;
	all_told = told;
}

void
told_rates(
    struct scheduler *scheduler, uint32_t page, const struct value_rates *rates)
{
	struct told *told = all_told;

	while (told->scheduler != scheduler)
		told = told->next;
	assert(page <= told->count);
	told->rates = mem_grow(
	    told->rates, &told->cap, (size_t)page + 1, sizeof(*told->rates));
	told->rates[page] = *rates;
	if (page == told->count)
		told->count++;
	page_reschedule(&scheduler->pages, page, false);
}

void
told_forget(struct scheduler *scheduler)
{
	struct told **at = &all_told;
	struct told *told;

	while (*at != NULL && (*at)->scheduler != scheduler)
		at = &(*at)->next;
	told = *at;
	if (told == NULL)
		return;
	*at = told->next;
	free(told->rates);
	free(told);
}

/* told_of(pages, number): the true rates of the page; NULL: it was not told. */
static const struct value_rates *
told_of(const struct sched_pages *pages, uint32_t number)
{
	for (const struct told *told = all_told; told != NULL;
	     told = told->next)
		if (pages == &told->scheduler->pages)
			return number < told->count ? &told->rates[number]
						    : NULL;
	return NULL;
}

/* Fill in the view of a page whose rates are known. */
static void
told_view(const struct value_rates *rates, const struct pending *pending,
    struct view *view)
{
	double moves_ever = rates->gamma * (1 - rates->q);

	view->rates = *rates;
	view->changes_per_day = rates->alpha + moves_ever;
	view->evidence = (struct value_evidence){.tau = pending->tau,
	    .moves = rates->gamma > 0 ? pending->moves : 0,
	    .hazard = moves_ever * pending->blind,
	    .blind = moves_ever};
	/* The rate is certain.  Days without a reading count as silent, as in
	 * (V10): by (V6) the value would rise with them from the first hour. */
	view->uncertain = (struct value_uncertain){.shape = SURE,
	    .days = SURE / view->changes_per_day,
	    .exposure = (rates->alpha * pending->tau +
			    moves_ever * pending->blind) /
		view->changes_per_day,
	    .known = view->evidence.moves * -log(fmax(rates->q, 1e-6)),
	    .growth = pending->blind > 0
		? 1
		: rates->alpha / view->changes_per_day};
}

/* Evaluate a page as page_evaluate() does, by its true rates.  A known rate is
 * certain, unless the scheduler itself reads the documents: then it is not
 * known how often they are read. */
static void
told_evaluate(const struct value_rates *rates, struct sched_pages *pages,
    uint32_t number, unsigned moves, double least,
    struct evaluation *evaluation)
{
	const struct sched_page *page = &pages->items[number];
	bool is_listed = (page->flags & PAGE_REMOVED) == 0;
	bool is_uncertain = pages->options->reads_documents;
	struct estimate_of of;
	struct pending pending;
	struct view view;

	page_estimate(pages, number, &of, &pending);
	pending.moves += moves;
	pages->evaluations++;
	told_view(rates, &pending, &view);
	view.rates.weight = view.uncertain.weight = (double)page->weight *
	    page_site(pages, page)->is.weight;
	evaluation->moves = view.rates.gamma;
	evaluation->days = EVALUATION_DAYS;
	if (is_uncertain) {
		evaluation->value = value_uncertain_evaluate(
		    &view.uncertain, least, EVALUATION_DAYS, &evaluation->days);
		if (!is_listed)
			evaluation->days = EVALUATION_DAYS;
	} else {
		evaluation->value = value_exact(&view.rates, &view.evidence);
		if (is_listed)
			evaluation->days = value_when(
			    &view.rates, &view.evidence, least);
	}
	evaluation->value = page_state_value(
	    page, &view.rates, evaluation->value);
}

void
__wrap_page_evaluate(struct sched_pages *pages, uint32_t number, unsigned moves,
    double least, struct evaluation *evaluation)
{
	const struct value_rates *rates = told_of(pages, number);

	if (rates != NULL)
		told_evaluate(rates, pages, number, moves, least, evaluation);
	else
		__real_page_evaluate(pages, number, moves, least, evaluation);
}

/* The budget is that of all hosts, and no other limit has a price. */
const struct site_price *
__wrap_site_price(struct sched_sites *sites, uint32_t site)
{
	const struct site_price *price = __real_site_price(sites, site);

	for (const struct told *told = all_told; told != NULL;
	     told = told->next)
		if (sites == &told->scheduler->sites)
			sites->items[site].price.price = limiter_level(
			    sites->queues->limiter, 0,
			    told->scheduler->hosts.kind_nodes[NODE_PAGES],
			    NULL);
	return price;
}
