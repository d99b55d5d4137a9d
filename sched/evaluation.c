/* Evaluations of pages: see evaluation.h. */
#include "sched/evaluation.h"

#include <math.h>

#include "sched/pages.h"

/* What was seen of the page since its last fetch, as if its date had moved
 * `moves` times more. */
static struct pending
pending_of(const struct sched_pages *pages, const struct sched_page *page,
    unsigned moves)
{
	const struct sched_source *source = page_source(pages, page);
	uint16_t mass = (uint16_t)(source->mass_count - page->mass_seen);
	int64_t seen_s = time_unpack(page->fetched);
	struct pending pending = {.tau = INFINITY,
	    .moves = (double)page->moves + moves,
	    .mass = (double)page->mass + mass,
	    .is_undated = page->lastmod == NEVER};

	if (page->fetched == NEVER)
		return pending;
	pending.tau = days_after(pages->clock, seen_s);
	if (source->read_s != SCHEDULER_NEVER && source->read_s > seen_s)
		seen_s = source->read_s;
	/* If another program reads the documents, it does so soon, so the
	 * scheduler waits for what their dates will say. */
	if (pages->options->reads_documents)
		pending.blind = days_after(pages->clock, seen_s);
	return pending;
}

static double
published(const struct sched_pages *pages, const struct sched_page *page)
{
	double since = source_position(pages->sources, page->document) -
	    (double)page->position;

	return since > 0 ? since : 0;
}

static double
mean_of(struct sched_pages *pages, const struct sched_page *page, uint32_t site)
{
	return page->dead > 0
	    ? section_mean_gone(pages->sections, site)
	    : section_mean(pages->sections, site, page->section);
}

void
page_estimate(struct sched_pages *pages, uint32_t number,
    struct estimate_of *of, struct pending *pending)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);

	*of = (struct estimate_of){.trust = source_trust(source),
	    .rate = &page->rate,
	    .mean = mean_of(pages, page, source->site)};
	*pending = pending_of(pages, page, 0);
	pending->published = published(pages, page);
}

static double
weight_of(const struct sched_pages *pages, const struct sched_page *page)
{
	return (double)page->weight * page_site(pages, page)->is.weight;
}

static void
view_of(struct sched_pages *pages, uint32_t number,
    const struct pending *pending, struct view *view)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);
	struct estimate_of of = {.trust = source->trust,
	    .rate = &page->rate,
	    .mean = mean_of(pages, page, source->site)};

	estimate_view(view, &of, pending);
	view->rates.weight = view->uncertain.weight = weight_of(pages, page);
}

void
page_view(struct sched_pages *pages, uint32_t number, struct view *view,
    struct pending *pending)
{
	*pending = pending_of(pages, &pages->items[number], 0);
	pending->published = published(pages, &pages->items[number]);
	view_of(pages, number, pending, view);
}

/* The evaluation of a page that is new, gone or verified. */
static void
evaluate_closely(struct sched_pages *pages, uint32_t number,
    const struct pending *pending, double least, struct evaluation *evaluation)
{
	const struct sched_page *page = &pages->items[number];
	bool is_listed = (page->flags & PAGE_REMOVED) == 0;
	struct view view;

	view_of(pages, number, pending, &view);
	evaluation->moves = view.rates.gamma;
	evaluation->value = value_uncertain_evaluate(
	    &view.uncertain, least, EVALUATION_DAYS, &evaluation->days);
	if (page->fetched == NEVER)
		evaluation->value = value_limit(&view.rates);
	if ((page->flags & PAGE_VERIFY) != 0)
		evaluation->value = (page_is_anew(page) ? 1 : VERIFY_FACTOR) *
		    value_limit(&view.rates);
	else if (!is_listed)
		evaluation->value *= REMOVED_FACTOR;
	/* No date will say when, so nothing better is known. */
	if (!is_listed)
		evaluation->days = EVALUATION_DAYS;
}

void
page_evaluate(struct sched_pages *pages, uint32_t number, unsigned moves,
    double least, struct evaluation *evaluation)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);
	const struct word *word = source_word(source);
	struct pending pending = pending_of(pages, page, moves);
	struct value_uncertain uncertain;

	pages->evaluations++;
	if (word->published > 0)
		pending.published = published(pages, page);
	if (page->fetched == NEVER ||
	    (page->flags & (PAGE_REMOVED | PAGE_VERIFY)) != 0) {
		evaluate_closely(pages, number, &pending, least, evaluation);
		return;
	}
	/* Nearly all pages: only what the value needs is computed. */
	evaluation->moves = estimate_uncertain(&uncertain, word, &page->rate,
	    mean_of(pages, page, source->site), &pending);
	uncertain.weight = weight_of(pages, page);
	evaluation->value = value_uncertain_evaluate(
	    &uncertain, least, EVALUATION_DAYS, &evaluation->days);
}

bool
page_has_signal(const struct sched_pages *pages, const struct sched_page *page)
{
	const struct sched_source *source = page_source(pages, page);

	if (page->moves > 0 && !source_dates(source)->is_gated)
		return true;
	return !trust_is_deaf(source_dates(source)) &&
	    (page->mass > 0 || page->mass_seen != source->mass_count);
}

double
page_value(struct sched_pages *pages, uint32_t number)
{
	struct evaluation evaluation;

	page_evaluate(pages, number, 0, 0, &evaluation);
	return evaluation.value;
}
