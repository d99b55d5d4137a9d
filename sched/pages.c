/* Pages of the scheduler: see pages.h. */
#include "sched/pages.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"
#include "sched/scheduler_internal.h"

_Static_assert(sizeof(struct page) <= 64, "DESIGN 7");

/* Nothing is looked at again later than that: what is believed changes. */
#define LOOK_DAYS 8
/* Changes counted of a rate that is known. */
#define SURE 1e7
/* What is no longer listed is worth so much of what it was; once it was found
 * to be gone too, nothing. */
#define REMOVED_FACTOR 0.1
/* Once it is worth more than that: it is not known yet whether it is gone. */
#define VERIFY_FACTOR 0.2

uint32_t
scheduler_add_page(
    struct scheduler *s, const struct scheduler_page *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->page_count;
	struct source *source;
	struct page *page;

	assert(is->document < s->source_count);
	assert(!s->sources[is->document].is_index);
	clock_set(s, now_s);
	s->pages = mem_grow(
	    s->pages, &s->page_cap, s->page_count + 1, sizeof(*s->pages));
	page = &s->pages[s->page_count++];
	source = &s->sources[is->document];
	*page = (struct page){.document = is->document,
	    .next = source->first,
	    .weight = is->weight,
	    .section = is->section,
	    .added = time_pack(s->now_s),
	    .mass_seen = source->mass_count};
	source->first = number + 1;
	if (is->lastmod_s != SCHEDULER_NO_DATE)
		page->lastmod = time_pack(is->lastmod_s);
	if (is->is_day)
		page->flags |= PAGE_DAY;
	if (is->is_out)
		page->flags |= PAGE_OUT;
	page->position = (float)page_position(s, is->document);
	if (is->fetched_s != SCHEDULER_NEVER)
		page->fetched = time_pack(is->fetched_s);
	else if (is->lastmod_s != SCHEDULER_NO_DATE) {
		struct estimate_of of;
		struct pending pending;

		page_estimate(s, number, &of, &pending);
		estimate_listed(&of, days_after(s, is->lastmod_s));
	}
	page_settle(s, number, AT_PRICE);
	return number;
}

void
scheduler_know(
    struct scheduler *s, uint32_t number, const struct value_rates *rates)
{
	assert(number <= s->known_count);
	s->known = mem_grow(
	    s->known, &s->known_cap, (size_t)number + 1, sizeof(*s->known));
	s->known[number] = *rates;
	if (number == s->known_count)
		s->known_count++;
	page_settle(s, number, AT_PRICE);
}

double
page_position(const struct scheduler *s, uint32_t document)
{
	const struct source *source = &s->sources[document];
	double blind = 0;

	if (s->options.reads_documents && source->read_s != SCHEDULER_NEVER)
		blind = days_after(s, source->read_s);
	return pace_position(&source->trust.pace, blind);
}

void
page_estimate(struct scheduler *s, uint32_t number, struct estimate_of *of,
    struct pending *pending)
{
	struct page *page = &s->pages[number];
	struct source *source = &s->sources[page->document];
	uint16_t mass = (uint16_t)(source->mass_count - page->mass_seen);
	int64_t seen_s = time_unpack(page->fetched);

	*of = (struct estimate_of){.trust = &source->trust,
	    .rate = &page->rate,
	    .mean = page->dead > 0
		? section_mean_gone(s, source->site)
		: section_mean(s, source->site, page->section)};
	*pending = (struct pending){.tau = INFINITY,
	    .moves = page->moves,
	    .mass = (double)page->mass + mass,
	    .published = fmax(
		page_position(s, page->document) - (double)page->position, 0),
	    .is_undated = page->lastmod == NEVER};
	if (page->fetched == NEVER)
		return;
	pending->tau = days_after(s, seen_s);
	if (source->read_s != SCHEDULER_NEVER && source->read_s > seen_s)
		seen_s = source->read_s;
	/* Where somebody else reads, he reads soon: what was told meanwhile is
	 * worth waiting for. */
	if (s->options.reads_documents)
		pending->blind = days_after(s, seen_s);
}

/* Not where rates are known, and readings frequent. */
static bool
is_doubted(const struct scheduler *s, uint32_t number)
{
	return number >= s->known_count || s->options.reads_documents;
}

/* In a comparison the rates may be known. */
static void
view_known(const struct value_rates *known, const struct pending *pending,
    struct view *view)
{
	double told = known->gamma * (1 - known->q);

	view->rates = *known;
	view->changes_per_day = known->alpha + told;
	view->evidence = (struct value_evidence){.tau = pending->tau,
	    .moves = known->gamma > 0 ? pending->moves : 0,
	    .hazard = told * pending->blind,
	    .blind = told};
	/* Days not read yet are silent ones, as in (V10); (V6) rises with them
	 * from the first hour.  There is no doubt about the rate. */
	view->doubt = (struct value_doubt){.shape = SURE,
	    .days = SURE / view->changes_per_day,
	    .exposure = (known->alpha * pending->tau + told * pending->blind) /
		view->changes_per_day,
	    .known = view->evidence.moves * -log(fmax(known->q, 1e-6)),
	    .growth = pending->blind > 0
		? 1
		: known->alpha / view->changes_per_day};
}

/* Gone, and no longer listed.  A page that is gone and still listed is one
 * whose text is that it is gone: it may change again. */
static bool
is_over(const struct page *page)
{
	return page->dead > 0 && (page->flags & PAGE_REMOVED) != 0;
}

/* For nobody to starve a page must be worth ever more: LambdaCrawl's rates,
 * evenly spaced.  (S2) */
static double
fair_value(const struct view *view)
{
	double hazard = value_hazard(&view->rates, &view->evidence);

	if (hazard > 1e3)
		hazard = 1e3;
	return value_limit(&view->rates) * hazard * hazard / (1 + hazard);
}

double
page_look(
    struct scheduler *s, uint32_t number, unsigned moves, struct view *view)
{
	struct page *page = &s->pages[number];
	struct estimate_of of;
	struct pending pending;
	double value;

	s->looks++;
	page_estimate(s, number, &of, &pending);
	pending.moves += moves;
	estimate_view(view, &of, &pending);
	if (number < s->known_count)
		view_known(&s->known[number], &pending, view);
	view->rates.weight = view->doubt.weight = (double)page->weight *
	    s->sites[s->sources[page->document].site].is.weight;
	if (page->fetched == NEVER)
		value = value_limit(&view->rates);
	else if (s->options.is_fair)
		value = fair_value(view);
	else if (is_doubted(s, number))
		value = value_doubt(&view->doubt);
	else if (s->options.is_lite)
		value = value_lite(&view->rates, &view->evidence);
	else
		value = value_exact(&view->rates, &view->evidence);
	if ((page->flags & PAGE_VERIFY) != 0)
		return (page_is_anew(page) ? 1 : VERIFY_FACTOR) *
		    value_limit(&view->rates);
	if ((page->flags & PAGE_REMOVED) != 0)
		value *= REMOVED_FACTOR;
	return value;
}

/* One that was never fetched is late from when it became known. */
static int64_t
since_s(const struct page *page)
{
	return time_unpack(
	    page->fetched == NEVER ? page->added : page->fetched);
}

bool
page_is_overdue(const struct scheduler *s, const struct page *page)
{
	uint32_t site = s->sources[page->document].site;
	int64_t ceiling_s = s->sites[site].is.page_ceiling_s;

	return !page->is_retired && ceiling_s > 0 &&
	    s->now_s - since_s(page) >= ceiling_s;
}

/* Days until it is worth that, if nothing is seen of it. */
static double
days_until(const struct scheduler *s, const struct page *page,
    const struct view *view, double least)
{
	double pace = view->rates.alpha + view->evidence.blind;
	double x;

	if ((page->flags & PAGE_REMOVED) != 0)
		return LOOK_DAYS;
	if (!s->options.is_fair && is_doubted(s, (uint32_t)(page - s->pages)))
		return value_doubt_when(&view->doubt, least);
	if (!s->options.is_fair)
		return value_when(&view->rates, &view->evidence, least);
	/* The hazard at which fair_value is that. */
	x = least / value_limit(&view->rates);
	x = (x + sqrt(x * x + 4 * x)) / 2;
	return (x - value_hazard(&view->rates, &view->evidence)) / pace;
}

/* When to look at it again. */
static int64_t
look_s(const struct scheduler *s, const struct page *page,
    const struct view *view, double least)
{
	const struct scheduler_site
	    *site = &s->sites[s->sources[page->document].site].is;
	double days = days_until(s, page, view, least);
	int64_t due_s, late_s;

	if (!(days < LOOK_DAYS))
		days = LOOK_DAYS;
	due_s = s->now_s + (int64_t)(days * 86400);
	if (due_s <= s->now_s)
		due_s = s->now_s + 1;
	late_s = since_s(page) + site->page_ceiling_s;
	if (site->page_ceiling_s > 0 && s->now_s < late_s && due_s > late_s)
		due_s = late_s;
	if (page->fetched != NEVER &&
	    due_s < since_s(page) + site->page_floor_s)
		due_s = since_s(page) + site->page_floor_s;
	return due_s;
}

/* What it adds to a reading: what it would be worth to know that it moved, now
 * that it did not (SCHEDULING F.4). */
static void
settle_gain(struct scheduler *s, uint32_t number, double moves)
{
	struct page *page = &s->pages[number];
	struct view view;
	double gain = 0;

	if (!s->options.reads_documents)
		return;
	if (moves > 0 && page->fetched != NEVER &&
	    (page->flags & PAGE_REMOVED) == 0)
		gain = page_look(s, number, 1, &view) - s->price.value;
	gains_set(&s->sources[page->document].gains, &page->gain, gain, moves);
}

bool
page_is_above_floor(const struct scheduler *s, const struct page *page)
{
	const struct site *site = &s->sites[s->sources[page->document].site];

	return page->fetched == NEVER ||
	    s->now_s - time_unpack(page->fetched) >= site->is.page_floor_s;
}

void
page_settle(struct scheduler *s, uint32_t number, double least)
{
	struct page *page = &s->pages[number];
	uint32_t node = s->sites[s->sources[page->document].site]
			    .nodes[NODE_PAGES];
	uint32_t thing = thing_of(THING_PAGE, number);
	struct view view;
	double value;

	if (least < 0)
		least = DUE_SHARE * s->price.value;
	thing_leave(s, thing, node);
	if (page->is_retired)
		settle_gain(s, number, 0);
	if ((page->flags & PAGE_OUT) != 0 || page->is_retired)
		return;
	value = page_look(s, number, 0, &view);
	settle_gain(s, number, view.rates.gamma);
	if (page_is_overdue(s, page) && !is_over(page) &&
	    (page->flags & (PAGE_OVERDUE | PAGE_FORCED)) == 0) {
		page->flags |= PAGE_OVERDUE;
		line_put(&s->overdue, thing);
	}
	if ((page->flags & PAGE_FORCED) != 0)
		thing_wait(s, thing, node, FORCED_VALUE);
	else if (!is_over(page) && value >= least &&
	    page_is_above_floor(s, page))
		thing_wait(s, thing, node, value);
	else
		thing_look_at(s, thing, look_s(s, page, &view, least));
}
