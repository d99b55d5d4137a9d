/* The scheduler as a policy of the simulator. */
#include "tests/sim/policies.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sched/scheduler.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "tests/sim/known.h"
#include "tests/sim/told.h"

/* A section of the scheduler, and its site; number 0: none yet. */
struct our_section {
	uint32_t number, site;
};

struct ours {
	const struct history *history;
	struct known known; /* owned */
	bool knows; /* rates and dates are not learned */
	struct scheduler *scheduler;
	/* owned; by page: its number in the scheduler, plus one */
	uint32_t *pages;
	uint32_t *theirs; /* owned; by number in the scheduler: the page */
	struct our_section *sections; /* owned; by section of the history */
	size_t theirs_cap;
};

/* A generator whose dates are known to be like these; NULL: there is none. */
static const struct generator *
dated_by(enum history_dating dating)
{
	static const char *const names[DATING_COUNT] = {
	    [DATING_CORRECT] = "Docusaurus",
	    [DATING_DAY] = "Docusaurus",
	    [DATING_NOW] = "Antora",
	    [DATING_DEPLOY] = "Antora",
	    [DATING_PARTIAL] = "Hugo"};

	return names[dating] == NULL ? NULL
				     : generator_find(slice_of(names[dating]));
}

static void
add_documents(struct ours *ours, const struct sim_setup *setup)
{
	const struct history *history = ours->history;
	bool *is_index = mem_zero(history->document_count + 1);

	for (size_t i = 0; i < history->document_count; i++)
		if (history->documents[i].parent != HISTORY_NONE)
			is_index[history->documents[i].parent] = true;
	for (size_t i = 0; i < history->document_count; i++) {
		struct scheduler_document document = {
		    .site = history->documents[i].site,
		    .parent = history->documents[i].parent,
		    .is_index = is_index[i]};

		uint32_t number = scheduler_add_document(
		    ours->scheduler, &document, history->begin_s);

		ours->scheduler->sources.items[number]
		    .generator = setup->has_generators
		    ? dated_by(history->documents[i].dates[0].dating)
		    : setup->generator;
	}
	free(is_index);
}

/* A folder belongs to the first site that lists a page in it; pages of other
 * sites in that folder have no section.  Folders are at most nine deep
 * (trace_section.c), so the recursion is short. */
static uint32_t
section_of(struct ours *ours, uint32_t site, uint32_t section)
{
	const struct history *history = ours->history;
	struct our_section *mine;

	if (section == 0)
		return 0;
	mine = &ours->sections[section - 1];
	if (mine->number == 0) {
		mine->site = site;
		mine->number = sections_add(&ours->scheduler->sections, site,
		    section_of(ours, site, history->sections[section - 1]));
	}
	return mine->site == site ? mine->number : 0;
}

static void *
ours_new(const struct sim_setup *setup)
{
	struct scheduler_options options = scheduler_options_default;
	struct ours *ours = mem_zero(sizeof(*ours));
	struct scheduler_host host = {0};

	options.tick_s = setup->tick_s;
	options.reads_documents = setup->reads_documents;
	/* The simulator enforces the budget, and lets a tick use what the tick
	 * before left over.  The budget set here leaves room for that; its
	 * purpose is only to limit the share of readings. */
	if (setup->reads_documents) {
		double per_hour = setup->requests_per_day / 24;
		double room = per_hour + 3600.0 / (double)setup->tick_s;

		options.requests_per_hour = room;
		options.documents_share *= per_hour / room;
	}
	ours->history = setup->history;
	ours->scheduler = scheduler_new(&options);
	told_scarce(ours->scheduler);
	ours->pages = mem_zero(
	    (setup->history->page_count + 1) * sizeof(uint32_t));
	ours->sections = mem_zero(
	    (setup->history->section_count + 1) * sizeof(*ours->sections));
	(void)scheduler_add_host(ours->scheduler, &host);
	for (size_t i = 0; i < setup->history->site_count; i++) {
		struct scheduler_site site = scheduler_site_default;

		/* The simulator compares choices by value, so there are no
		 * floors, ceilings and quotas. */
		site.page_floor_s = site.page_ceiling_s = 0;
		site.reading_floor_s = site.reading_ceiling_s = 0;
		site.pages_per_day = 0;
		(void)scheduler_add_site(ours->scheduler, &site);
	}
	add_documents(ours, setup);
	return ours;
}

static void *
ours_new_known(const struct sim_setup *setup)
{
	struct ours *ours = ours_new(setup);

	known_init(&ours->known, setup->history);
	ours->knows = true;
	return ours;
}

struct scheduler *
policy_ours_scheduler(void *arg)
{
	struct ours *ours = arg;

	return ours->scheduler;
}

static void
ours_free(void *arg)
{
	struct ours *ours = arg;

	if (ours == NULL)
		return;
	told_forget(ours->scheduler);
	scheduler_free(ours->scheduler);
	if (ours->knows)
		known_release(&ours->known);
	free(ours->pages);
	free(ours->theirs);
	free(ours->sections);
	free(ours);
}

static void
tell_truth(struct ours *ours, int64_t now_s, uint32_t page)
{
	struct value_rates rates;

	if (!ours->knows)
		return;
	rates = known_rates(&ours->known, page, now_s);
	told_rates(ours->scheduler, ours->pages[page] - 1, &rates);
}

static void
ours_page(void *arg, int64_t now_s, uint32_t number, bool is_fetched)
{
	struct ours *ours = arg;
	uint32_t document = ours->history->pages[number].document;
	struct scheduler_page page = {.document = document,
	    .section = section_of(ours, ours->history->documents[document].site,
		ours->history->pages[number].section),
	    .weight = ours->history->pages[number].weight,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .fetched_s = is_fetched ? now_s : SCHEDULER_NEVER};
	uint32_t mine = scheduler_add_page(ours->scheduler, &page, now_s);

	ours->pages[number] = mine + 1;
	ours->theirs = mem_grow(
	    ours->theirs, &ours->theirs_cap, mine + 1, sizeof(*ours->theirs));
	ours->theirs[mine] = number;
	tell_truth(ours, now_s, number);
}

static void
ours_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct ours *ours = arg;
	struct scheduler_reading told = {.now_s = now_s,
	    .listed = reading->listed,
	    .dated = reading->dated,
	    .cost = reading->cost,
	    .is_failed = reading->is_failed};

	for (size_t i = 0; i < reading->move_count; i++) {
		told.added += reading->moves[i].kind == SIM_NEW;
		told.removed += reading->moves[i].kind == SIM_GONE;
		told.moved += reading->moves[i].kind == SIM_MOVED;
	}
	scheduler_reading(ours->scheduler, reading->document, &told);
	for (size_t i = 0; i < reading->move_count; i++) {
		const struct sim_move *move = &reading->moves[i];
		struct scheduler_signal signal = {.kind = move->kind == SIM_NEW
			? SIGNAL_NEW
			: move->kind == SIM_MOVED ? SIGNAL_MOVED
						  : SIGNAL_REMOVED,
		    .lastmod_s = move->lastmod_s,
		    .is_day = move->is_day};

		if (move->is_document) {
			scheduler_child_signal(
			    ours->scheduler, move->number, &signal);
			continue;
		}
		scheduler_page_signal(
		    ours->scheduler, ours->pages[move->number] - 1, &signal);
	}
}

static void
ours_outcome(void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	static const enum scheduler_outcome_kind kinds[] = {
	    [SIM_CHANGED] = FETCH_CHANGED,
	    [SIM_SAME] = FETCH_SAME,
	    [SIM_DEAD] = FETCH_GONE,
	    [SIM_FAILED] = FETCH_FAILED};
	struct ours *ours = arg;

	tell_truth(ours, now_s, page);
	scheduler_outcome(ours->scheduler, ours->pages[page] - 1,
	    &(struct scheduler_outcome){
		.now_s = now_s, .kind = kinds[outcome]});
}

static void
ours_hint(void *arg, int64_t now_s, uint32_t page)
{
	struct ours *ours = arg;

	scheduler_hint(
	    ours->scheduler, SCHEDULER_PAGE, ours->pages[page] - 1, now_s);
}

static bool
ours_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct ours *ours = arg;
	struct scheduler_choice choice;

	if (!scheduler_next_of(
		ours->scheduler, now_s, SCHEDULER_KINDS_ALL, NULL, &choice))
		return false;
	request->is_document = choice.kind == SCHEDULER_DOCUMENT;
	request->number = request->is_document ? choice.number
					       : ours->theirs[choice.number];
	return true;
}

static bool
ours_honesty(void *arg, uint32_t document, double *precision, double *recall)
{
	struct ours *ours = arg;
	struct scheduler_terms terms;

	scheduler_explain_document(
	    ours->scheduler, document, INT64_MIN, &terms);
	/* While the gate is closed, only mass moves count. */
	*precision = terms.is_gated ? terms.mass_precision : terms.precision;
	*recall = terms.is_gated ? 0 : terms.recall;
	return true;
}

/* The scheduler on several machines: each shard has a scheduler of its own, for
 * the sites that a hash gives it, and a share of the budget in proportion to
 * what waits there, as store/depot and crawler/control make it. */

#define SHARDS 16

struct shards {
	const struct history *history;
	struct sim_setup setup;
	struct ours *items[SHARDS]; /* owned */
	double wanted[SHARDS];
	double credit[SHARDS];
	int64_t tick_s; /* the last one for which credit was given */
	unsigned turn;
};

static unsigned
shards_of(const struct shards *shards, uint32_t document)
{
	return (unsigned)(hash_key(slice_make((const char *)&shards->history
						  ->documents[document]
						  .site,
				       sizeof(uint32_t)),
			      1) %
	    SHARDS);
}

static void *
shards_new(const struct sim_setup *setup)
{
	struct shards *shards = mem_zero(sizeof(*shards));

	shards->history = setup->history;
	shards->setup = *setup;
	shards->tick_s = INT64_MIN;
	for (int i = 0; i < SHARDS; i++)
		shards->items[i] = ours_new(setup);
	return shards;
}

static void
shards_free(void *arg)
{
	struct shards *shards = arg;

	for (int i = 0; shards != NULL && i < SHARDS; i++)
		ours_free(shards->items[i]);
	free(shards);
}

static void
shards_page(void *arg, int64_t now_s, uint32_t number, bool is_fetched)
{
	struct shards *shards = arg;
	unsigned shard = shards_of(
	    shards, shards->history->pages[number].document);

	shards->wanted[shard]++;
	ours_page(shards->items[shard], now_s, number, is_fetched);
}

static void
shards_reading(void *arg, int64_t now_s, const struct sim_reading *reading)
{
	struct shards *shards = arg;
	unsigned shard = shards_of(shards, reading->document);

	shards->credit[shard] -= reading->cost;
	ours_reading(shards->items[shard], now_s, reading);
}

static void
shards_outcome(
    void *arg, int64_t now_s, uint32_t page, enum sim_outcome outcome)
{
	struct shards *shards = arg;

	ours_outcome(shards->items[shards_of(
			 shards, shards->history->pages[page].document)],
	    now_s, page, outcome);
}

static bool
shards_next(void *arg, int64_t now_s, struct sim_request *request)
{
	struct shards *shards = arg;
	double per_tick = shards->setup.requests_per_day *
	    (double)shards->setup.tick_s / 86400;
	double all = 0;

	if (now_s != shards->tick_s) {
		for (int i = 0; i < SHARDS; i++)
			all += shards->wanted[i];
		for (int i = 0; i < SHARDS; i++) {
			double mine = per_tick * shards->wanted[i] / all;

			/* what is not spent is lost */
			shards->credit[i] = fmin(shards->credit[i],
						fmax(1, mine)) +
			    mine;
		}
		shards->tick_s = now_s;
	}
	for (int tries = 0; tries < SHARDS; tries++) {
		unsigned shard = shards->turn++ % SHARDS;

		if (shards->credit[shard] < 1 - 1e-9 ||
		    !ours_next(shards->items[shard], now_s, request))
			continue;
		if (!request->is_document)
			shards->credit[shard]--;
		return true;
	}
	return false;
}

static bool
shards_honesty(void *arg, uint32_t document, double *precision, double *recall)
{
	struct shards *shards = arg;

	return ours_honesty(shards->items[shards_of(shards, document)],
	    document, precision, recall);
}

#define OURS                                                                 \
	.reads = true, .free = ours_free, .page = ours_page,                 \
	.reading = ours_reading, .outcome = ours_outcome, .hint = ours_hint, \
	.next = ours_next, .honesty = ours_honesty

const struct sim_policy policy_ours = {.name = "ours",
    .text = "learns whom to believe and what a request is worth",
    .new = ours_new,
    OURS};

const struct sim_policy policy_ours_known = {.name = "ours-known",
    .text = "ours, told the true rates and the truth about dates",
    .knows = SIM_KNOWS_RATES | SIM_KNOWS_DATES,
    .new = ours_new_known,
    OURS};

const struct sim_policy policy_ours_sharded = {.name = "ours-sharded",
    .text = "ours on 16 shards, each with a share of the budget",
    .reads = true,
    .new = shards_new,
    .free = shards_free,
    .page = shards_page,
    .reading = shards_reading,
    .outcome = shards_outcome,
    .next = shards_next,
    .honesty = shards_honesty};
