/* What the scheduler believes, for people: see scheduler_explain.h. */
#include "sched/scheduler_explain.h"

#include <math.h>

#include "sched/estimate.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* Show what is believed, and the dates from which it was learned. */
static void
show_view(struct scheduler_terms *terms, const struct scheduler *s,
    const struct view *view, const struct pending *pending,
    const struct sched_source *source)
{
	const struct trust *trust = source_dates(source);
	struct trust_figures figures = trust_figures(trust), hinted;
	const struct hints *hints = source_site(&s->sources, source)->hints;

	if (hints != NULL) {
		hinted = trust_figures(&hints->trust);
		terms->has_hints = true;
		terms->hint_precision = hinted.precision;
		terms->hint_recall = hinted.recall;
		terms->hint_checks = (double)hints->trust.moves;
		terms->hints = (unsigned)pending->hints;
	}
	terms->weight = view->rates.weight;
	terms->days = pending->tau;
	terms->changes_per_day = view->changes_per_day;
	terms->alpha = view->rates.alpha;
	terms->gamma = view->rates.gamma;
	terms->q = view->rates.q;
	terms->hazard = isinf(pending->tau)
	    ? INFINITY
	    : value_hazard(&view->rates, &view->evidence);
	terms->fresh = exp(-terms->hazard);
	terms->moves = (unsigned)pending->moves;
	terms->mass = (unsigned)pending->mass;
	terms->precision = figures.precision;
	terms->recall = figures.recall;
	terms->mass_precision = figures.mass_precision;
	terms->checks = (double)trust->moves;
	terms->generator = source_known(source);
	terms->is_gated = trust->is_gated;
	terms->is_believed = figures.is_believed;
	terms->is_distrusted = figures.is_distrusted;
}

static void
show_place(struct scheduler_terms *terms, struct scheduler *s, uint32_t site,
    uint32_t item)
{
	terms->price = site_price(&s->sites, site)->price;
	terms->is_waiting = queues_is_waiting(&s->queues, item);
	terms->due_s = queues_due_s(&s->queues, item);
}

/* What would be due waits for the quota of its site, which has something left
 * at left_s. */
static void
show_quota(struct scheduler_terms *terms, int64_t left_s, int64_t now_s)
{
	if (left_s <= now_s || (!terms->is_waiting && terms->due_s > left_s))
		return;
	terms->is_waiting = false;
	terms->is_quota = true;
	terms->due_s = left_s;
}

void
scheduler_explain_page(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	struct sched_page *page = sched_page_at(s, number);
	struct evaluation evaluation;
	struct estimate_of of;
	struct pending pending;
	struct view view;

	clock_set(s, now_s);
	page_evaluate(&s->pages, number, 0, 0, &evaluation);
	*terms = (struct scheduler_terms){.value = evaluation.value};
	if ((page->flags & ITEM_FORCED) != 0)
		terms->value = INFINITY;
	page_estimate(&s->pages, number, &of, &pending);
	estimate_view(&view, &of, &pending);
	view.rates.weight = (double)page->weight *
	    page_site(&s->pages, page)->is.weight;
	show_view(terms, s, &view, &pending, page_source(&s->pages, page));
	show_place(terms, s, page_source(&s->pages, page)->site,
	    item_of(ITEM_PAGE, number));
	/* a page without a known change waits for the quota */
	if (terms->is_waiting && (page->flags & ITEM_FORCED) == 0 &&
	    page->place == PLACE_SILENT)
		show_quota(terms,
		    quota_ready_s(
			&s->sites, page_source(&s->pages, page)->site),
		    now_s);
	terms->is_out = (page->flags & ITEM_OUT) != 0;
	terms->is_overdue = page_is_overdue(&s->pages, page);
	terms->failures = page->failures;
	if (page->again != NEVER && time_unpack(page->again) > s->clock.now_s)
		terms->again_s = time_unpack(page->again);
}

void
scheduler_explain_listed(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	const struct sched_source *source = sched_source_at(s, number);

	clock_set(s, now_s);
	*terms = (struct scheduler_terms){
	    .value = source_listed_value(&s->sources, number),
	    .weight = source_site(&s->sources, source)->is.weight,
	    .days = INFINITY,
	    .hazard = INFINITY};
	if ((source->listed_flags & ITEM_FORCED) != 0)
		terms->value = INFINITY;
	terms->changes_per_day = rate_mean(
	    &source_site(&s->sources, source)->rates, &s->sections.rates);
	show_place(terms, s, source->site, item_of(ITEM_LISTED, number));
	terms->is_overdue = (source->listed_flags &
				(ITEM_OVERDUE | ITEM_FORCED)) != 0;
}

void
scheduler_explain_document(struct scheduler *s, uint32_t number, int64_t now_s,
    struct scheduler_terms *terms)
{
	struct sched_source *source = sched_source_at(s, number);
	bool is_forced = (source->flags & ITEM_FORCED) != 0;
	struct pending pending;
	struct view view;

	clock_set(s, now_s);
	*terms = (struct scheduler_terms){
	    .value = source_evaluate(&s->sources, number, 0)};
	if (IS_FORCED(terms->value) || is_forced)
		terms->value = INFINITY;
	source_view(&s->sources, number, 0, &view, &pending);
	show_view(terms, s, &view, &pending, source);
	terms->weight = source_rules(&s->sources, source)->weight;
	show_place(terms, s, source->site, item_of(ITEM_READING, number));
	if (!is_forced)
		show_quota(terms, source_allowed_s(&s->sources, source), now_s);
	terms->is_out = (source->flags & ITEM_OUT) != 0;
	terms->is_overdue = source_is_overdue(&s->sources, source);
	terms->owed_s = source->owed_s;
	terms->failures = source->failures;
	if (source->failures > 0 && source->held_s > s->clock.now_s)
		terms->again_s = source->held_s;
}
