/* Evaluations of pages: see evaluation.h. */
#include "sched/evaluation.h"

#include <assert.h>
#include <math.h>

#include "sched/scheduler_internal.h"

/* How many changes seem to have been counted when a rate is known. */
#define SURE 1e7
/* The value of a page that is no longer listed, as a share; once the page is
 * gone, it is worth nothing. */
#define REMOVED_FACTOR 0.1
/* The value, as a share, while it is not known whether the page is gone. */
#define VERIFY_FACTOR 0.2

double
page_position(const struct scheduler *s, uint32_t document)
{
	const struct sched_source *source = &s->sources[document];
	double blind = 0;

	if (s->options.reads_documents && source->read_s != SCHEDULER_NEVER)
		blind = days_after(s, source->read_s);
	return pace_position(&source->trust.pace, blind);
}

/* What was seen of the page since its last fetch. */
static struct pending
pending_of(
    const struct scheduler *s, const struct sched_page *page, unsigned moves)
{
	const struct sched_source *source = &s->sources[page->document];
	uint16_t mass = (uint16_t)(source->mass_count - page->mass_seen);
	int64_t seen_s = time_unpack(page->fetched);
	struct pending pending = {.tau = INFINITY,
	    .moves = (double)page->moves + moves,
	    .mass = (double)page->mass + mass,
	    .is_undated = page->lastmod == NEVER};

	if (page->fetched == NEVER)
		return pending;
	pending.tau = days_after(s, seen_s);
	if (source->read_s != SCHEDULER_NEVER && source->read_s > seen_s)
		seen_s = source->read_s;
	/* Where another program reads the documents, it reads soon, so its
	 * announcements are worth waiting for. */
	if (s->options.reads_documents)
		pending.blind = days_after(s, seen_s);
	return pending;
}

static double
published(const struct scheduler *s, const struct sched_page *page)
{
	double since = page_position(s, page->document) -
	    (double)page->position;

	return since > 0 ? since : 0;
}

static double
mean_of(struct scheduler *s, const struct sched_page *page, uint32_t site)
{
	return page->dead > 0 ? section_mean_gone(s, site)
			      : section_mean(s, site, page->section);
}

void
page_estimate(struct scheduler *s, uint32_t number, struct estimate_of *of,
    struct pending *pending)
{
	struct sched_page *page = &s->pages[number];
	struct sched_source *source = &s->sources[page->document];

	*of = (struct estimate_of){.trust = source_trust(source),
	    .rate = &page->rate,
	    .mean = mean_of(s, page, source->site)};
	*pending = pending_of(s, page, 0);
	pending->published = published(s, page);
}

/* Known rates are certain, where readings are frequent. */
static bool
is_rate_uncertain(const struct scheduler *s, uint32_t number)
{
	return number >= s->known_count || s->options.reads_documents;
}

/* Rates may be known in comparisons. */
static void
view_known(const struct value_rates *known, const struct pending *pending,
    struct view *view)
{
	double moves_ever = known->gamma * (1 - known->q);

	view->rates = *known;
	view->changes_per_day = known->alpha + moves_ever;
	view->evidence = (struct value_evidence){.tau = pending->tau,
	    .moves = known->gamma > 0 ? pending->moves : 0,
	    .hazard = moves_ever * pending->blind,
	    .blind = moves_ever};
	/* Days without a reading count as silent, as in (V10); the value by
	 * (V6) would rise with them from the first hour.  The rate is
	 * certain. */
	view->uncertain = (struct value_uncertain){.shape = SURE,
	    .days = SURE / view->changes_per_day,
	    .exposure = (known->alpha * pending->tau +
			    moves_ever * pending->blind) /
		view->changes_per_day,
	    .known = view->evidence.moves * -log(fmax(known->q, 1e-6)),
	    .growth = pending->blind > 0
		? 1
		: known->alpha / view->changes_per_day};
}

/* No page starves if its value grows for ever: LambdaCrawl's rates, evenly
 * spaced.  (S2) */
static double
fair_value(const struct view *view)
{
	double hazard = value_hazard(&view->rates, &view->evidence);

	if (hazard > 1e3)
		hazard = 1e3;
	return value_limit(&view->rates) * hazard * hazard / (1 + hazard);
}

static double
weight_of(const struct scheduler *s, const struct sched_page *page)
{
	return (double)page->weight *
	    s->sites[s->sources[page->document].site].is.weight;
}

static void
view_of(struct scheduler *s, uint32_t number, const struct pending *pending,
    struct view *view)
{
	struct sched_page *page = &s->pages[number];
	struct sched_source *source = &s->sources[page->document];
	struct estimate_of of = {.trust = &source->trust,
	    .rate = &page->rate,
	    .mean = mean_of(s, page, source->site)};

	estimate_view(view, &of, pending);
	if (number < s->known_count)
		view_known(&s->known[number], pending, view);
	view->rates.weight = view->uncertain.weight = weight_of(s, page);
}

void
page_view(struct scheduler *s, uint32_t number, struct view *view,
    struct pending *pending)
{
	*pending = pending_of(s, &s->pages[number], 0);
	pending->published = published(s, &s->pages[number]);
	view_of(s, number, pending, view);
}

/* Days until the value is `least`, if nothing is seen meanwhile. */
static double
days_until(const struct scheduler *s, bool is_listed, const struct view *view,
    double least)
{
	double pace = view->rates.alpha + view->evidence.blind;
	double x;

	if (!is_listed)
		return EVALUATION_DAYS;
	if (!s->options.is_fair)
		return value_when(&view->rates, &view->evidence, least);
	/* the hazard at which fair_value is `least` */
	x = least / value_limit(&view->rates);
	x = (x + sqrt(x * x + 4 * x)) / 2;
	return (x - value_hazard(&view->rates, &view->evidence)) / pace;
}

/* The evaluation of a page that is new, gone or verified, or with other
 * options than the usual ones. */
static void
evaluate_closely(struct scheduler *s, uint32_t number,
    const struct pending *pending, double least, struct evaluation *evaluation)
{
	const struct sched_page *page = &s->pages[number];
	bool is_listed = (page->flags & PAGE_REMOVED) == 0;
	bool is_doubt = !s->options.is_fair && is_rate_uncertain(s, number);
	struct view view;

	view_of(s, number, pending, &view);
	evaluation->moves = view.rates.gamma;
	if (is_doubt && is_listed)
		evaluation->value = value_uncertain_evaluate(
		    &view.uncertain, least, EVALUATION_DAYS, &evaluation->days);
	else
		evaluation->days = days_until(s, is_listed, &view, least);
	if (page->fetched == NEVER)
		evaluation->value = value_limit(&view.rates);
	else if (s->options.is_fair)
		evaluation->value = fair_value(&view);
	else if (is_doubt)
		evaluation->value = value_uncertain(&view.uncertain);
	else if (s->options.is_lite)
		evaluation->value = value_lite(&view.rates, &view.evidence);
	else
		evaluation->value = value_exact(&view.rates, &view.evidence);
	if ((page->flags & PAGE_VERIFY) != 0)
		evaluation->value = (page_is_anew(page) ? 1 : VERIFY_FACTOR) *
		    value_limit(&view.rates);
	else if (!is_listed)
		evaluation->value *= REMOVED_FACTOR;
}

/* Collect what the value of an ordinary page is computed from; false: the
 * page needs evaluate_closely. */
static bool
is_plain(struct scheduler *s, uint32_t number, struct pending *pending,
    struct value_uncertain *uncertain, struct evaluation *evaluation)
{
	struct sched_page *page = &s->pages[number];
	struct sched_source *source = &s->sources[page->document];
	const struct word *word = source_word(source);

	s->evaluations++;
	if (word->published > 0)
		pending->published = published(s, page);
	if (page->fetched == NEVER || s->options.is_fair ||
	    (page->flags & (PAGE_REMOVED | PAGE_VERIFY)) != 0 ||
	    number < s->known_count)
		return false;
	evaluation->moves = estimate_uncertain(uncertain, word, &page->rate,
	    mean_of(s, page, source->site), pending);
	uncertain->weight = weight_of(s, page);
	return true;
}

void
page_evaluate(struct scheduler *s, uint32_t number, unsigned moves,
    double least, struct evaluation *evaluation)
{
	struct pending pending = pending_of(s, &s->pages[number], moves);
	struct value_uncertain uncertain;

	if (is_plain(s, number, &pending, &uncertain, evaluation))
		evaluation->value = value_uncertain_evaluate(
		    &uncertain, least, EVALUATION_DAYS, &evaluation->days);
	else
		evaluate_closely(s, number, &pending, least, evaluation);
}

bool
page_has_signal(const struct scheduler *s, const struct sched_page *page)
{
	const struct sched_source *source = &s->sources[page->document];

	if (page->moves > 0 && !source->trust.is_gated)
		return true;
	return !trust_is_deaf(&source->trust) &&
	    (page->mass > 0 || page->mass_seen != source->mass_count);
}

double
page_value(struct scheduler *s, uint32_t number)
{
	struct evaluation evaluation;

	page_evaluate(s, number, 0, 0, &evaluation);
	return evaluation.value;
}

/* Pages, their sources and their sites lie anywhere in memory. */
void
pages_prefetch(const struct scheduler *s, const uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sched_source
		    *source = &s->sources[s->pages[numbers[i]].document];

		__builtin_prefetch(source, 0);
		__builtin_prefetch(&source->read_s, 0);
	}
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(
		    &s->sites[s->sources[s->pages[numbers[i]].document].site],
		    0);
}

void
pages_evaluate(struct scheduler *s, const uint32_t *numbers, size_t count,
    const double *least, struct evaluation *evaluations)
{
	struct value_uncertain uncertains[EVALUATIONS_MAX];
	double values[EVALUATIONS_MAX];
	struct value_uncertain_result seen[EVALUATIONS_MAX];
	size_t which[EVALUATIONS_MAX];
	size_t n = 0;

	assert(count <= EVALUATIONS_MAX);
	uncertains[0] = (struct value_uncertain){0};
	values[0] = 0;
	for (size_t i = 0; i < count; i++) {
		struct pending pending = pending_of(
		    s, &s->pages[numbers[i]], 0);

		if (is_plain(s, numbers[i], &pending, &uncertains[n],
			&evaluations[i])) {
			values[n] = least[i];
			which[n++] = i;
		} else {
			evaluate_closely(
			    s, numbers[i], &pending, least[i], &evaluations[i]);
		}
	}
	value_uncertain_evaluate_all(
	    uncertains, n, values, EVALUATION_DAYS, seen);
	for (size_t i = 0; i < n; i++) {
		evaluations[which[i]].value = seen[i].value;
		evaluations[which[i]].days = seen[i].days;
	}
}
