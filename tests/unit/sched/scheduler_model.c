/*
 * Random operations on the scheduler, with numbers that no honest caller has,
 * faults, and a clock that jumps.  The scheduler must keep the rates of hosts,
 * of tags and of all requests, must not choose an item twice, and must choose
 * the same for the same seed.
 */
#include "sched/scheduler.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sched/scheduler_events.h"
#include "sched/scheduler_next.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/sanitized.h"
#include "tests/fixtures/scheduler_gate.h"
#include "tests/sim/random.h"

enum {
	HOSTS = 6,
	TAGS = 2,
	SITES = 10,
	DOCUMENTS = 60,
	PAGES = 1500,
	/* of each run; five runs make a million */
	OPERATIONS = IS_SANITIZED ? 60000 : 200000,
	DAY_S = 86400,
};

struct site {
	uint32_t host, tag;
	int64_t page_floor_s, reading_floor_s;
};

struct document {
	uint32_t site, index;
	bool is_index, is_out;
	int64_t read_s; /* INT64_MIN: never */
	uint32_t backlog;
	/* how many of its backlog were chosen and not added yet */
	uint32_t asked;
};

struct page {
	uint32_t document;
	bool is_out;
	int64_t fetched_s;
};

struct model {
	struct scheduler *s;
	struct random random;
	struct gate all, hosts[HOSTS], tags[TAGS];
	struct site sites[SITES];
	struct document documents[DOCUMENTS];
	struct page pages[PAGES];
	uint32_t document_count, page_count;
	int64_t now_s; /* as told */
	/* the time that has passed, including leaps of the clock */
	int64_t passed_s;
	bool is_odd; /* the caller gives numbers without a meaning */
	bool asks_apart; /* calls are for pages, for documents, or for both */
	uint64_t digest; /* of all choices */
	uint64_t chosen[3]; /* by kind */
};

static uint32_t
below(struct model *model, uint32_t n)
{
	return random_below(&model->random, n);
}

static double
some_double(struct model *model)
{
	static const double odd[] = {
	    0, -1, 1e-300, 1e300, INFINITY, -INFINITY, NAN, -0.0};

	if (model->is_odd && below(model, 10) == 0)
		return odd[below(model, COUNT(odd))];
	return random_exponential(&model->random);
}

static int64_t
some_time(struct model *model)
{
	static const int64_t odd[] = {
	    INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};

	if (model->is_odd && below(model, 10) == 0)
		return odd[below(model, COUNT(odd))];
	return model->now_s + (int64_t)below(model, 100 * DAY_S) - 95 * DAY_S;
}

static uint32_t
some_count(struct model *model)
{
	return model->is_odd && below(model, 20) == 0 ? UINT32_MAX
						      : below(model, 50);
}

static int64_t
some_hold(struct model *model)
{
	return model->is_odd ? some_time(model) : below(model, 600);
}

static uint64_t
some_bytes(struct model *model)
{
	if (model->is_odd)
		return random_next(&model->random) >> below(model, 64);
	return below(model, 100000);
}

/* --- what must hold ------------------------------------------------------ */

static void
chose_page(struct model *model, const struct scheduler_choice *choice)
{
	struct page *page = &model->pages[choice->number];
	const struct document *document = &model->documents[page->document];
	int64_t floor_s = model->sites[document->site].page_floor_s;

	assert_true(choice->number < model->page_count);
	assert_false(page->is_out);
	page->is_out = true;
	/* no request before the floor */
	if (page->fetched_s != INT64_MIN && choice->reason != REASON_REMOVED)
		assert_true(model->passed_s - page->fetched_s >= floor_s);
}

static void
chose_document(struct model *model, const struct scheduler_choice *choice)
{
	struct document *document = &model->documents[choice->number];
	int64_t floor_s = model->sites[document->site].reading_floor_s;

	assert_true(choice->number < model->document_count);
	assert_false(document->is_out);
	document->is_out = true;
	/* */
	if (document->read_s != INT64_MIN)
		assert_true(model->passed_s - document->read_s >= floor_s);
}

/* chose(model, choice): check that the choice is allowed. */
static void
chose(struct model *model, const struct scheduler_choice *choice)
{
	const struct site *site;
	uint32_t document = choice->number;

	assert_false(isnan(choice->value));
	assert_true(choice->value >= 0);
	assert_true(isfinite(choice->price) && choice->price >= 0);
	switch (choice->kind) {
	case SCHEDULER_PAGE:
		chose_page(model, choice);
		document = model->pages[choice->number].document;
		break;
	case SCHEDULER_LISTED:
		assert_true(model->documents[document].backlog > 0);
		model->documents[document].backlog--;
		model->documents[document].asked++;
		break;
	case SCHEDULER_DOCUMENT:
		chose_document(model, choice);
		break;
	}
	site = &model->sites[model->documents[document].site];
	gate_pass(&model->all, model->passed_s);
	gate_pass(&model->hosts[site->host], model->passed_s);
	if (site->tag != SCHEDULER_NONE)
		gate_pass(&model->tags[site->tag], model->passed_s);
	model->chosen[choice->kind]++;
	model->digest = (model->digest ^ choice->number ^
			    (uint64_t)choice->kind << 40 ^
			    (uint64_t)model->passed_s << 8) *
	    0x9e3779b97f4a7c15U;
}

/* --- operations ---------------------------------------------------------- */

static void
add_document(struct model *model)
{
	struct scheduler_document is = {.site = below(model, SITES),
	    .parent = SCHEDULER_NONE,
	    .name = slice_of("/sitemap-2026-01-02.xml")};
	uint32_t parent = below(model, DOCUMENTS);

	if (model->document_count == DOCUMENTS)
		return;
	if (parent < model->document_count &&
	    model->documents[parent].is_index) {
		is.parent = parent;
		is.site = model->documents[parent].site;
	} else {
		is.is_index = below(model, 3) == 0;
	}
	assert_int_equal(scheduler_add_document(model->s, &is, model->now_s),
	    model->document_count);
	model->documents[model->document_count++] = (struct document){
	    .site = is.site,
	    .index = is.parent,
	    .is_index = is.is_index,
	    .read_s = INT64_MIN};
}

static void
add_page(struct model *model)
{
	uint32_t number = below(model, DOCUMENTS);
	struct document *document = &model->documents[number];
	struct scheduler_page is = {.document = number,
	    .weight = (float)some_double(model),
	    .lastmod_s = some_time(model),
	    .is_day = below(model, 2) == 0,
	    .fetched_s = below(model, 2) == 0 ? SCHEDULER_NEVER : model->now_s};

	if (number >= model->document_count || document->is_index ||
	    model->page_count == PAGES)
		return;
	if (document->asked > 0) {
		document->asked--;
		is.is_out = true;
		is.fetched_s = SCHEDULER_NEVER;
	}
	assert_int_equal(
	    scheduler_add_page(model->s, &is, model->now_s), model->page_count);
	model->pages[model->page_count++] = (struct page){.document = number,
	    .is_out = is.is_out,
	    .fetched_s = is.fetched_s == SCHEDULER_NEVER ? INT64_MIN
							 : model->passed_s};
}

static struct scheduler_signal
some_signal(struct model *model)
{
	return (struct scheduler_signal){
	    .kind = (enum scheduler_signal_kind)below(model, 4),
	    .lastmod_s = some_time(model),
	    .is_day = below(model, 2) == 0};
}

/* Give signals of the pages of a document, or of the children of an index. */
static void
some_signals(struct model *model, uint32_t number)
{
	for (uint32_t p = 0; p < model->page_count; p++)
		if (model->pages[p].document == number &&
		    below(model, 8) == 0) {
			struct scheduler_signal signal = some_signal(model);

			scheduler_page_signal(model->s, p, &signal);
		}
	for (uint32_t d = 0; d < model->document_count; d++)
		if (model->documents[d].index == number &&
		    below(model, 8) == 0) {
			struct scheduler_signal signal = some_signal(model);

			scheduler_child_signal(model->s, d, &signal);
		}
}

static void
some_reading(struct model *model)
{
	uint32_t number = below(model, DOCUMENTS);
	struct document *document = &model->documents[number];
	struct scheduler_reading reading = {.now_s = model->now_s,
	    .listed = some_count(model),
	    .dated = some_count(model),
	    .added = some_count(model),
	    .removed = some_count(model),
	    .moved = some_count(model),
	    .bytes = some_bytes(model),
	    .cost = some_double(model),
	    .is_unchanged = below(model, 3) == 0,
	    .is_bulk = below(model, 9) == 0,
	    .is_partial = below(model, 9) == 0,
	    .is_failed = below(model, 9) == 0,
	    .is_gone = below(model, 9) == 0};

	/* mostly documents that were chosen */
	if (number >= model->document_count ||
	    (!document->is_out && below(model, 20) != 0))
		return;
	scheduler_reading(model->s, number, &reading);
	document->is_out = false;
	if (!reading.is_failed)
		document->read_s = model->passed_s;
	some_signals(model, number);
	if (!document->is_index && below(model, 4) == 0) {
		document->backlog = below(model, 100);
		scheduler_listed(model->s, number, document->backlog);
	}
}

static void
some_outcome(struct model *model)
{
	uint32_t number = below(model, PAGES);
	struct page *page = &model->pages[number];
	struct scheduler_outcome outcome = {.now_s = model->now_s,
	    .kind = (enum scheduler_outcome_kind)below(model, 7),
	    .bytes = some_bytes(model),
	    .hold_s = below(model, 20) == 0 ? some_hold(model) : 0};

	if (number >= model->page_count ||
	    (!page->is_out && below(model, 50) != 0))
		return;
	scheduler_outcome(model->s, number, &outcome);
	page->is_out = false;
	if (outcome.kind != FETCH_FAILED)
		page->fetched_s = model->passed_s;
}

static void
some_choices(struct model *model)
{
	struct scheduler_choice choice;
	unsigned wants = model->asks_apart ? 1 + below(model, 3) : 3;
	int64_t now_s = model->now_s;

	(void)scheduler_due_of_s(model->s, now_s, wants);
	for (uint32_t n = below(model, 4); n > 0; n--) {
		if (!scheduler_next_of(model->s, now_s, wants, NULL, &choice)) {
			/* no caller is told to ask again at once */
			assert_true(
			    scheduler_due_of_s(model->s, now_s, wants) > now_s);
			return;
		}
		assert_true(
		    wants & (choice.kind == SCHEDULER_DOCUMENT ? 2U : 1U));
		chose(model, &choice);
		if (below(model, 10) != 0)
			continue;
		scheduler_give_back(model->s, model->now_s, &choice);
		if (choice.kind == SCHEDULER_PAGE)
			model->pages[choice.number].is_out = false;
		else if (choice.kind == SCHEDULER_DOCUMENT)
			model->documents[choice.number].is_out = false;
		else {
			model->documents[choice.number].backlog++;
			model->documents[choice.number].asked--;
		}
	}
}

static void
pass_time(struct model *model, int64_t s)
{
	model->now_s += s;
	model->passed_s += s;
}

/* The machine slept, or its clock is put right; or somebody asks with a time
 * that has passed. */
static void
leap(struct model *model)
{
	switch (below(model, 8)) {
	case 0:
		pass_time(model, below(model, 400 * DAY_S));
		break;
	case 1:
		(void)scheduler_due_of_s(model->s,
		    model->now_s - below(model, 400 * DAY_S),
		    SCHEDULER_KINDS_ALL);
		break;
	default:
		pass_time(model, below(model, 2 * DAY_S));
		break;
	}
}

static void
step(struct model *model)
{
	uint32_t what = below(model, 1000);

	if (what < 300)
		some_choices(model);
	else if (what < 600)
		some_outcome(model);
	else if (what < 750)
		some_reading(model);
	else if (what < 760)
		add_document(model);
	else if (what < 790)
		add_page(model);
	else if (what < 800 && model->page_count > 0)
		scheduler_weigh(model->s, below(model, model->page_count),
		    (float)some_double(model));
	else if (what < 999)
		pass_time(model, below(model, 60));
	else
		leap(model);
}

/* --- runs ---------------------------------------------------------------- */

static void
model_begin(struct model *model, uint64_t seed, bool reads)
{
	struct scheduler_options options = scheduler_options_default;

	random_init(&model->random, seed, 0);
	model->now_s = 1700000000;
	options.requests_per_hour = model->all.per_hour = 9000;
	options.reads_documents = reads;
	options.asks_apart = model->asks_apart;
	model->s = scheduler_new(&options);
	for (uint32_t i = 0; i < HOSTS; i++) {
		struct gate *host = &model->hosts[i];

		host->delay_ms = i == 0 ? 0 : 1000 * below(model, 5);
		host->per_hour = i % 2 == 0 ? 0 : 600;
		assert_int_equal(
		    scheduler_add_host(model->s,
			&(struct scheduler_host){.delay_ms = host->delay_ms,
			    .requests_per_hour = host->per_hour}),
		    i);
	}
	for (uint32_t i = 0; i < TAGS; i++) {
		model->tags[i].per_hour = 1800;
		assert_int_equal(
		    scheduler_add_tag(model->s, SCHEDULER_NONE, SCHEDULER_NONE),
		    i);
		scheduler_limit_tag(model->s, i,
		    &(struct scheduler_host){
			.requests_per_hour = 1800, .is_budget = true});
	}
	for (uint32_t i = 0; i < SITES; i++) {
		struct scheduler_site is = scheduler_site_default;

		is.host = below(model, HOSTS);
		is.tag = below(model, 2) == 0 ? SCHEDULER_NONE
					      : below(model, TAGS);
		is.weight = some_double(model);
		is.wants_listing = below(model, 5) == 0;
		model->sites[i] = (struct site){
		    is.host, is.tag, is.page_floor_s, is.reading_floor_s};
		assert_int_equal(scheduler_add_site(model->s, &is), i);
	}
}

/* run(seed, reads, is_odd): the digest of what was chosen. */
static uint64_t
run(uint64_t seed, bool reads, bool is_odd, bool asks_apart)
{
	struct model *model = mem_zero(sizeof(*model));
	uint64_t digest;
	size_t half = 0;

	model->is_odd = is_odd;
	model->asks_apart = asks_apart;
	model_begin(model, seed, reads);
	for (int i = 0; i < OPERATIONS; i++) {
		step(model);
		if (i == OPERATIONS / 2)
			half = mallinfo2().uordblks;
	}
	/* The tables are full by then, so memory must not grow any more. */
	assert_true(mallinfo2().uordblks < half + 200000);
	assert_true(model->chosen[SCHEDULER_PAGE] > OPERATIONS / 200);
	assert_true(
	    model->chosen[SCHEDULER_DOCUMENT] > OPERATIONS / 400 || !reads);
	digest = model->digest;
	scheduler_free(model->s);
	free(model);
	return digest;
}

static void
test_same(void **state)
{
	uint64_t first = run(1, true, false, true);

	assert_true(run(1, true, false, true) == first);
}

static void
test_more(void **state)
{
	(void)run(2, false, false, false); /* pages only */
	(void)run(3, true, true, false);
	(void)run(4, true, true, true);
}

UNIT_TESTS(
    scheduler_model, cmocka_unit_test(test_same), cmocka_unit_test(test_more));
