/* What is learned from outcomes, and from which numbers values are computed:
 * equations (T4), (T5), (T11) and (V10) of scheduling-formulas.md. */
#include "sched/estimate.h"

#include <math.h>

#include "sched/pages.h"

#define MOST 1e9
#define SILENT_LEAST 1e-6
#define ALL_FALSE_LEAST 1e-17
/* (T10): by how many standard deviations recall is lowered, out of care. */
#define DOUBT 1.5

static inline double
amount(double x)
{
	x = x > 0 ? x : 0; /* NaN becomes 0 */
	return x < MOST ? x : MOST;
}

/* What was seen of a page, with NaN and absurd numbers replaced. Nothing was
 * seen of a page that was never fetched. */
static inline struct pending
known(const struct pending *pending)
{
	if (!(pending->tau < INFINITY))
		return (struct pending){.is_undated = pending->is_undated};
	double tau = amount(pending->tau);
	double blind = amount(pending->blind);
	return (struct pending){tau, amount(pending->moves),
	    amount(pending->mass), pending->published,
	    blind < tau ? blind : tau, pending->is_undated};
}

/* (T11): what was seen of a page, with days counted as in pace.h. */
static inline struct pending
paced(const struct pace *pace, const struct pending *pending)
{
	struct pending p = *pending;

	if (!(p.tau > 0) || !(pace->share > 0))
		return p;
	p.tau = pace_days(pace, pending->tau, pending->published);
	p.blind *= p.tau / pending->tau;
	return p;
}

void
estimate_word(struct word *w, const struct trust *trust)
{
	struct trust_figures f = trust_figures(trust);
	const struct pace *pace = &trust->pace;
	double silent = 1 - f.recall + DOUBT * f.spread;

	*w = (struct word){.silent = 1,
	    .precision = (float)f.precision,
	    .published = pace->share,
	    .gap_days = pace->gap_days,
	    .mass_false = 1};
	/* If the source publishes so rarely that a publication is news, days
	 * without one do not count. */
	w->steady = pace->gap_days < PACE_NEWS_DAYS ? 1 : 1 - pace->share;
	for (int n = 0; n < TRUST_MOVES; n++)
		w->all_false[n] = 1;
	if (trust_is_deaf(trust))
		return;
	w->told = (float)f.recall;
	w->silent = (float)fmin(fmax(silent, SILENT_LEAST), 1);
	w->mass_false = (float)(1 -
	    f.mass_precision * (1 - (double)pace->share));
	for (int n = 0; n < TRUST_MOVES; n++)
		w->all_false[n] = (float)trust_all_false(trust, n + 1);
}

/* What the dates say of one page. */
struct seen_news {
	double told, silent;
	double moves, all_false;
};

static inline struct seen_news
heard_of(const struct word *w, const struct pending *p)
{
	struct seen_news h = {.silent = 1, .all_false = 1};

	if (p->is_undated || !(w->told > 0))
		return h;
	h.told = (double)w->told;
	h.silent = (double)w->silent;
	if (p->moves >= 1) {
		h.moves = p->moves;
		h.all_false = trust_false_after(w->all_false, p->moves);
	}
	if (p->mass >= 1)
		h.all_false *= (double)w->mass_false;
	return h;
}

/* What is believed of the page now. */
struct belief {
	struct seen_news seen_news;
	double shape, days; /* of the rate of change */
	double known; /* hazard of the moves */
};

static inline struct belief
believe(
    const struct word *w, const struct rate_belief *b, const struct pending *p)
{
	struct belief now = {.seen_news = heard_of(w, p)};
	/* (T4): the moves since the last fetch count, and so do the days
	 * without a move. */
	now.shape = b->shape + (double)w->precision * now.seen_news.moves;
	now.days = b->days + now.seen_news.told * (p->tau - p->blind);
	if (now.seen_news.all_false < 1)
		now.known = -log(now.seen_news.all_false > ALL_FALSE_LEAST
			? now.seen_news.all_false
			: ALL_FALSE_LEAST);
	return now;
}

static inline struct value_uncertain
doubt_of(const struct word *w, const struct belief *b, const struct pending *p)
{
	/* (T10): the estimate of the share of silent changes is a careful
	 * one. */
	return (struct value_uncertain){.weight = 1,
	    .shape = b->shape,
	    .days = b->days,
	    .exposure = b->seen_news.silent * p->tau +
		b->seen_news.told * p->blind,
	    .known = b->known,
	    .growth = p->blind > 0 ? 1
				   : b->seen_news.silent * (double)w->steady};
}

/* The numbers from which the value of a fetch is computed, for a weight of 1.
 * Returns how many times a day the date of the page moves. */
static double
estimate_uncertain(struct value_uncertain *uncertain, const struct word *w,
    const struct rate *rate, double mean, const struct pending *pending)
{
	struct pace pace = {.share = w->published, .gap_days = w->gap_days};
	struct pending raw = known(pending);
	struct pending p = paced(&pace, &raw);
	struct rate_belief b = rate_belief(rate, mean);
	struct belief now = believe(w, &b, &p);

	*uncertain = doubt_of(w, &now, &p);
	return now.seen_news.told * now.shape /
	    (now.days * (double)w->precision);
}

void
estimate_view(
    struct view *v, const struct estimate_of *of, const struct pending *pending)
{
	const struct trust *trust = of->trust == NULL ? &trust_unknown
						      : of->trust;
	struct pending raw = known(pending);
	struct pending p = paced(&trust->pace, &raw);
	struct rate_belief b = rate_belief(of->rate, of->mean);
	struct word w;

	estimate_word(&w, trust);
	struct belief now = believe(&w, &b, &p);
	double precision = (double)w.precision;
	double changes = now.shape / now.days;
	double told = now.seen_news.told * changes;

	*v = (struct view){.changes_per_day = changes,
	    .rates = {1, now.seen_news.silent * changes, told / precision,
		1 - precision},
	    .evidence = {.tau = p.tau,
		.hazard = now.known + told * p.blind,
		.blind = told},
	    .uncertain = doubt_of(&w, &now, &p)};
}

bool
estimate_outcome(const struct estimate_of *of, const struct pending *pending,
    bool is_changed, int64_t now_s)
{
	struct pending raw = known(pending);
	struct pending p = paced(&of->trust->pace, &raw);
	struct word w;
	bool is_deaf = trust_is_deaf(of->trust) || p.is_undated;
	struct rate_belief b = rate_belief(of->rate, of->mean);
	estimate_word(&w, of->trust);
	struct seen_news h = heard_of(&w, &p);
	double told_days = h.told * (p.tau - p.blind);
	double precision = (double)w.precision;
	bool is_open = is_changed && !is_deaf && p.moves + p.mass < 1;
	double changes = rate_learn(of->rate, of->mean,
	    &(struct rate_seen){.told_days = told_days,
		.silent_days = p.tau - told_days,
		.moves = h.moves,
		.precision = precision,
		.all_false = h.all_false,
		.is_changed = is_changed});

	rate_prior_add(of->seen, changes, p.tau);
	pace_learn(&of->trust->pace,
	    &(struct pace_outcome){.shape = b.shape,
		.days = b.days,
		.tau = raw.tau,
		.published = raw.published,
		.is_changed = is_changed});
	if (is_open) {
		double expected = b.shape / b.days * p.tau;
		float *open = &of->trust->open;

		*open += ((float)fmin(expected, 100) - *open) / 4;
		return true;
	}
	if (!is_deaf)
		trust_outcome(of->trust,
		    /* (T4): true moves are changes, too. */
		    &(struct trust_outcome){
			.shape = b.shape + precision * h.moves,
			.days = b.days + told_days,
			.tau = p.tau,
			.moves = p.moves,
			.mass = p.mass,
			.is_changed = is_changed},
		    now_s);
	return false;
}

void
estimate_retro(const struct estimate_of *of, bool is_told, int64_t now_s)
{
	trust_retro(of->trust, is_told, now_s);
}

void
estimate_listed(const struct estimate_of *of, double age_days)
{
	struct trust_figures f = trust_figures(of->trust);

	if (!trust_is_deaf(of->trust))
		rate_add(of->rate, 0,
		    fmin(amount(age_days), 3650) * f.precision * f.recall);
}

/* Evaluations of pages. */

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

double
page_state_value(const struct sched_page *page, const struct value_rates *rates,
    double value)
{
	if ((page->flags & PAGE_VERIFY) != 0)
		return (page_is_anew(page) ? 1 : VERIFY_FACTOR) *
		    value_limit(rates);
	if (page->fetched == NEVER)
		value = value_limit(rates);
	return (page->flags & PAGE_REMOVED) != 0 ? value * REMOVED_FACTOR
						 : value;
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
	evaluation->value = page_state_value(
	    page, &view.rates, evaluation->value);
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
