/* What is learned from outcomes, and from which numbers values are computed:
 * equations (T4), (T5), (T11) and (V10) of scheduling-formulas.md. */
#include "sched/estimate.h"

#include <math.h>
#include <string.h>

#include "base/civil.h"
#include "sched/fast_math.h"
#include "sched/pages.h"

#define MOST 1e9
#define SILENT_LEAST 1e-6
#define ALL_FALSE_LEAST 1e-17
/* (T10): by how many standard deviations recall is lowered, out of care. */
#define DOUBT 1.5

/* paced(pace, seen): replace NaN and absurd numbers in what was seen of a page;
 * return it with days counted as in rate.h (T11).  Nothing was seen of a page
 * that was never fetched. */
static inline struct pending
paced(const struct pace *pace, struct pending *seen)
{
	if (!(seen->tau < INFINITY)) {
		*seen = (struct pending){.is_undated = seen->is_undated};
		return *seen;
	}
	seen->tau = within(seen->tau, 0, MOST);
	seen->moves = within(seen->moves, 0, MOST);
	seen->mass = within(seen->mass, 0, MOST);
	seen->blind = within(seen->blind, 0, seen->tau);
	struct pending p = *seen;
	if (!(p.tau > 0) || !(pace->share > 0))
		return p;
	p.tau = pace_days(
	    pace, (double)pace->share, seen->tau, seen->published);
	p.blind *= p.tau / seen->tau;
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
	memcpy(w->all_false, f.all_false, sizeof(w->all_false));
}

void
hints_learn(struct hints *hints, double changes_per_day, int64_t now_s)
{
	if (hints->day != 0 && now_s / DAY_S == hints->day)
		return;
	hints->day = now_s / DAY_S;
	/* One move in a reading is never a mass move. */
	(void)trust_reading(&hints->trust,
	    &(struct trust_reading){.listed = 1,
		.dated = 1,
		.moved = hints->is_heard,
		.changes = changes_per_day},
	    now_s);
	hints->is_heard = false;
	estimate_word(&hints->word, &hints->trust);
}

bool
hints_matter(const struct hints *hints)
{
	return hints != NULL && !trust_figures(&hints->trust).is_distrusted;
}

/* What the dates and the hints say of one page. */
struct seen_news {
	double told, silent; /* by dates */
	double moves, all_false;
	double hinted, quiet; /* as told and silent, by hints */
	double hints_false; /* the probability that all hints are false */
	double hints_true; /* how many of them are true, expected */
};

static inline struct seen_news
heard_of(const struct word *w, const struct pending *p)
{
	struct seen_news h = {
	    .silent = 1, .all_false = 1, .quiet = 1, .hints_false = 1};

	/* as of distrusted dates, nothing but what they would have told of
	 * themselves is counted (SPEC R-116) */
	if (hints_matter(p->of_site)) {
		const struct word *hint = &p->of_site->word;

		h.hinted = (double)hint->told;
		h.quiet = (double)hint->silent;
		h.hints_true = (double)hint->precision * p->hints;
		h.hints_false = trust_false_after(hint->all_false, p->hints);
	}
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

/* (T17): the days in which a change would have been announced, by a date that
 * a reading has seen, or by a hint. */
static inline double
told_days(const struct seen_news *news, const struct pending *p)
{
	double dated = news->told * (p->tau - p->blind);

	return dated + news->hinted * (p->tau - dated);
}

/* What is believed of the page now. */
struct belief {
	struct seen_news seen_news;
	double shape, days; /* of the rate of change */
};

/* believe(word, rate, pending, p, uncertain): what is believed now of a page of
 * which `rate` was believed at its last fetch.  *p is what was seen of it, with
 * days counted as in rate.h; *uncertain has the numbers from which the value of
 * a fetch is computed, for a weight of 1. */
static inline struct belief
believe(const struct word *w, const struct rate_belief *rate,
    const struct pending *pending, struct pending *p,
    struct value_uncertain *uncertain)
{
	struct pace pace = {.share = w->published, .gap_days = w->gap_days};
	struct pending seen = *pending;

	*p = paced(&pace, &seen);
	/* (T4): the moves since the last fetch count, and so do the days
	 * without a move. */
	struct belief now = {.seen_news = heard_of(w, p)};
	struct seen_news *news = &now.seen_news;
	/* a change may be told by both */
	now.shape = rate->shape +
	    fmax((double)w->precision * news->moves, news->hints_true);
	now.days = rate->days + told_days(news, p);
	/* (T10): the estimate of the share of silent changes is a careful
	 * one. */
	*uncertain = (struct value_uncertain){.weight = 1,
	    .shape = now.shape,
	    .days = now.days,
	    .exposure = (news->silent * p->tau + news->told * p->blind) *
		news->quiet,
	    .growth = (p->blind > 0 ? 1 : news->silent * (double)w->steady) *
		news->quiet};
	double all_false = news->all_false * news->hints_false;
	if (all_false < 1)
		uncertain->known = -log(
		    all_false > ALL_FALSE_LEAST ? all_false : ALL_FALSE_LEAST);
	return now;
}

void
estimate_view(
    struct view *v, const struct estimate_of *of, const struct pending *pending)
{
	const struct trust *trust = of->trust == NULL ? &trust_unknown
						      : of->trust;
	struct rate_belief b = rate_belief(of->rate, of->mean);
	struct value_uncertain uncertain;
	struct pending p;
	struct word w;

	estimate_word(&w, trust);
	struct belief now = believe(&w, &b, pending, &p, &uncertain);
	double precision = (double)w.precision;
	double changes = now.shape / now.days;
	double told = now.seen_news.told * changes;

	*v = (struct view){.changes_per_day = changes,
	    .rates = {1, now.seen_news.silent * now.seen_news.quiet * changes,
		told / precision, 1 - precision},
	    .evidence = {.tau = p.tau,
		.hazard = uncertain.known + told * p.blind,
		.blind = told},
	    .uncertain = uncertain};
}

bool
estimate_outcome(const struct estimate_of *of, const struct pending *pending,
    bool is_changed, int64_t now_s)
{
	struct pending raw = *pending;
	struct pending p = paced(&of->trust->pace, &raw);
	struct word w;
	bool is_deaf = trust_is_deaf(of->trust) || p.is_undated;
	struct rate_belief b = rate_belief(of->rate, of->mean);
	estimate_word(&w, of->trust);
	struct seen_news h = heard_of(&w, &p);
	double told = told_days(&h, &p);
	double dated = h.told * (p.tau - p.blind);
	double precision = (double)w.precision;
	double moves = h.moves + (h.hints_true > 0 ? p.hints : 0);
	double right = fmax(precision * h.moves, h.hints_true);
	/* (T15): as far as false moves follow changes, they tell of the rate,
	 * too. */
	double false_tell = follow_share(&of->trust->follow) * (1 - precision);
	bool is_open = is_changed && !is_deaf && p.moves + p.mass < 1;
	double changes = rate_learn(of->rate, of->mean,
	    &(struct rate_seen){.told_days = told,
		.silent_days = p.tau - told,
		.moves = moves,
		.precision = moves > 0 ? right / moves : precision,
		.all_false = h.all_false * h.hints_false,
		.is_changed = is_changed});

	rate_prior_add(of->seen, changes, p.tau);
	pace_learn(&of->trust->pace,
	    &(struct pace_outcome){.shape = b.shape,
		.days = b.days,
		.tau = raw.tau,
		.published = raw.published,
		.is_changed = is_changed});
	/* A date speaks of a hinted change, too, and a hint of a dated one:
	 * what the other said is one more way in which the page may have
	 * changed, and leaves fewer days to explain (T17). */
	struct trust_outcome outcome = {.shape = b.shape +
		fmax((precision + false_tell) * h.moves, h.hints_true),
	    .days = b.days + told + false_tell / precision * dated,
	    .tau = p.tau - dated,
	    .moves = p.hints,
	    .others_true = 1 - h.all_false,
	    .is_changed = is_changed};
	if (of->hints != NULL) {
		trust_outcome(&of->hints->trust, &outcome, now_s);
		estimate_word(&of->hints->word, &of->hints->trust);
	}
	if (is_open) {
		double expected = b.shape / b.days * p.tau;
		float *open = &of->trust->open;

		*open += ((float)fmin(expected, 100) - *open) / 4;
		return true;
	}
	outcome.tau = p.tau * (1 - h.hinted);
	outcome.moves = p.moves;
	outcome.mass = p.mass;
	outcome.others_true = 1 - h.hints_false;
	if (!is_deaf)
		trust_outcome(of->trust, &outcome, now_s);
	return false;
}

void
estimate_listed(const struct estimate_of *of, double age_days)
{
	struct trust_figures f = trust_figures(of->trust);

	if (!trust_is_deaf(of->trust))
		rate_add(of->rate, 0,
		    fmin(within(age_days, 0, MOST), 3650) * f.precision *
			f.recall);
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
	    .is_undated = page->lastmod == NEVER,
	    .hints = page->hints,
	    .of_site = page_site(pages, page)->hints};

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

void
page_estimate(struct sched_pages *pages, uint32_t number,
    struct estimate_of *of, struct pending *pending)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);

	*of = (struct estimate_of){.trust = source->trust,
	    .rate = &page->rate,
	    .hints = page_site(pages, page)->hints,
	    .mean = section_mean(pages->sections, source->site,
		page->dead > 0 ? SECTION_GONE : page->section)};
	*pending = pending_of(pages, page, 0);
	pending->published = fmax(
	    source_position(pages->sources, page->document) -
		(double)page->position,
	    0);
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

void
page_evaluate(struct sched_pages *pages, uint32_t number, unsigned moves,
    double least, struct evaluation *evaluation)
{
	struct sched_page *page = &pages->items[number];
	struct sched_source *source = page_source(pages, page);
	const struct word *word = source_word(source);
	struct pending pending, seen;
	struct value_uncertain uncertain;
	struct rate_belief rate;
	struct belief now;

	pages->evaluations++;
	/* A page that is new, gone or verified. */
	if (page->fetched == NEVER ||
	    (page->flags & (PAGE_REMOVED | PAGE_VERIFY)) != 0) {
		struct estimate_of of;
		struct view view;

		page_estimate(pages, number, &of, &pending);
		pending.moves += moves;
		estimate_view(&view, &of, &pending);
		view.rates.weight = view.uncertain.weight = (double)
								page->weight *
		    page_site(pages, page)->is.weight;
		evaluation->moves = view.rates.gamma;
		evaluation->value = page_state_value(page, &view.rates,
		    value_uncertain_evaluate(&view.uncertain, least,
			EVALUATION_DAYS, &evaluation->days));
		/* No date will say when, so nothing better is known. */
		if ((page->flags & PAGE_REMOVED) != 0)
			evaluation->days = EVALUATION_DAYS;
		return;
	}
	/* Nearly all pages: only what the value needs is computed. */
	pending = pending_of(pages, page, moves);
	if (word->published > 0)
		pending.published = fmax(
		    source_position(pages->sources, page->document) -
			(double)page->position,
		    0);
	rate = rate_belief(&page->rate,
	    section_mean(pages->sections, source->site,
		page->dead > 0 ? SECTION_GONE : page->section));
	now = believe(word, &rate, &pending, &seen, &uncertain);
	evaluation->moves = now.seen_news.told * now.shape /
	    (now.days * (double)word->precision);
	uncertain.weight = (double)page->weight *
	    page_site(pages, page)->is.weight;
	evaluation->value = value_uncertain_evaluate(
	    &uncertain, least, EVALUATION_DAYS, &evaluation->days);
}
