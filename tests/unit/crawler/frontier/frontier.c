/* The frontier loads, saves, and follows the watch list; a model of leases. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/hold.h"
#include "store/outcome.h"
#include "store/page.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/sanitized.h"
#include "tests/sim/random.h"

/* Leases and results are in the store: a new frontier knows them. */
static void
test_restart(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a:3 b:2 c:1");
	(void)setup_page(setup);
	assert_string_equal(setup_page(setup).token, "2.1");
	setup_ok(setup, "1.1", 200, "x");
	setup_restart(setup);
	setup->now_s += 60;
	assert_string_equal(
	    setup_done(setup, "1.1", 200, "x"), "repeated-lease");
	assert_string_equal(setup_taken(setup), "c ");
	setup_ok(setup, "2.1", 200, "x");
	setup_kill(setup);
	setup->now_s = SETUP_S + 700;
	assert_string_equal(
	    setup_done(setup, "3.1", 200, "x"), "expired-lease");
	assert_string_equal(setup_taken(setup), "c ");
}

static void
damage(void *arg, int64_t id, struct slice data)
{
	struct store *store = ((struct setup *)arg)->world.store;
	char bytes[8192];

	assert_true(data.len < sizeof(bytes));
	memcpy(bytes, data.p, data.len);
	/* damage the version, the middle and the end of a record */
	for (size_t i = 0; i < data.len; i += data.len / 3 + 1)
		bytes[i] ^= (char)0xa5;
	store_learned(store, "document", id, slice_make(bytes, data.len));
	store_learned(store, "site", id, slice_make(bytes, data.len / 2));
	store_learned(store, "all", id, slice_make(bytes, 1));
	store_learned(store, "told", id, slice_make(bytes, 3));
}

/* The frontier does not believe damaged records, and goes on without them. */
static void
test_damaged(void **state)
{
	struct setup *setup = *state;
	struct store *store = setup->world.store;
	struct frontier_terms terms;

	setup_start(setup, SETUP_LETTERS);
	for (int i = 0; i < 10; i++)
		setup_fetch(setup, "x");
	store_each_learned(store, "document", damage, setup);
	store_learned(store, "told", 0, slice_of("t"));
	store_learned(store, "all", 0, slice_of("all"));
	for (int64_t id = 1; id <= 10; id++)
		store_page_set(store, id,
		    &(struct page_told){
			.learned = (struct slice[]){slice_of("pq")}});
	assert_int_equal(store_flush(store), DIAG_OK);
	setup_kill(setup);
	terms = setup_terms(setup, HOST_TEXT "a");
	assert_true(terms.is_page);
	assert_int_equal(terms.fetched_s, SETUP_S);
	assert_true(terms.terms.days == 0);
	setup->now_s += HOUR_S;
	(void)setup_page(setup);
}

/* A new frontier knows exactly what the one before had learned and saved. */
static void
test_learned(void **state)
{
	struct setup *setup = *state;
	struct scheduler_terms before, after;

	setup_start(setup, "a:5");
	for (int day = 101; day < 110; day++) {
		setup_fetch(setup, day % 2 == 0 ? "x" : "y");
		setup->now_s += DAY_S;
		setup_list(setup, day % 2 == 0 ? "a:6" : "a:7");
	}
	setup_commit(setup);
	before = setup_terms(setup, HOST_TEXT "a").terms;
	setup_kill(setup);
	after = setup_terms(setup, HOST_TEXT "a").terms;
	assert_close(after.value, before.value, 1e-6);
	assert_close(after.changes_per_day, before.changes_per_day, 1e-6);
	assert_close(after.precision, before.precision, 1e-9);
	assert_close(after.alpha, before.alpha, 1e-6);
	assert_int_equal(after.moves, before.moves);
	assert_true(before.changes_per_day > 0.1);
}

/* The site is on the watch list, with that section or all of them, or was
 * removed from it. */
static void
put_watch(struct setup *setup, const char *section, bool is_watched)
{
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = 1;
	watch.is_watched = is_watched;
	watch.page_least_s = 60;
	setup->rules.pages = setup_filter(setup, section);
	setup_put(setup, &watch);
	watch_release(&watch);
}

/* Sections of a site, and a site that was removed from the watch list. */
static void
test_wanted(void **state)
{
	static const struct {
		const char *section;
		bool is_watched;
		int64_t after_s;
		const char *taken;
	} steps[] = {
	    {"below=/b/", true, 0, "b/c b/ "},
	    {NULL, false, HOUR_S, ""},
	    {"include=/b/ include=/b$", true, 0, "b/c b/ "},
	    {NULL, true, 0, "a c/b bc "},
	    /* pages that are leased when the site is removed stay leased when
	     * it is added again */
	    {NULL, false, HOUR_S, ""},
	    {"below=/a exclude=/b", true, 0, "a "},
	};
	struct setup *setup = *state;

	setup_list(setup, "a b/ b/c bc c/b");
	for (size_t i = 0; i < COUNT(steps); i++) {
		put_watch(setup, steps[i].section, steps[i].is_watched);
		if (i == 0)
			setup_begin(setup);
		setup->now_s += steps[i].after_s;
		assert_string_equal(setup_taken(setup), steps[i].taken);
		if (i == 1) {
			setup_restart(setup);
			assert_string_equal(setup_taken(setup), "");
		}
	}
}

/* A lease, as its consumer knows it. */
struct held {
	char token[FRONTIER_TOKEN_SIZE];
	char url[64];
	int64_t until_s;
	bool is_live;
};

struct model {
	struct setup *setup;
	struct random random;
	struct held held[4000];
	size_t count;
	uint64_t accepted;
};

/* The clock goes forward; at times somebody asks with a time that has passed.
 */
static void
step_clock(struct model *model)
{
	static const int64_t steps[] = {
	    0, 0, 1, 5, 60, 300, 700, 0, HOUR_S, DAY_S, YEAR_S};
	uint32_t which = random_below(&model->random,
	    model->count % 50 == 0 ? (uint32_t)COUNT(steps) : 8);

	model->setup->now_s += steps[which];
	if (which == 7)
		(void)frontier_due_s(
		    model->setup->frontier, model->setup->now_s - YEAR_S);
}

static void
step_take(struct model *model)
{
	struct frontier_page page;
	struct held *held = &model->held[model->count];

	if (!setup_take(model->setup, &page))
		return;
	for (size_t i = 0; i < model->count; i++)
		if (slice_is(page.url, model->held[i].url)) {
			assert_true(!model->held[i].is_live ||
			    model->held[i].until_s <= model->setup->now_s);
			model->held[i].is_live = false;
		}
	(void)snprintf(held->url, sizeof(held->url), "%.*s", (int)page.url.len,
	    page.url.p);
	memcpy(held->token, page.token, sizeof(held->token));
	held->until_s = page.lease_until_s;
	held->is_live = true;
	model->count++;
}

static void
step_done(struct model *model)
{
	struct held *held;
	const char *answer;
	int status = random_below(&model->random, 5) == 0 ? 503 : 200;
	uint32_t late = random_below(&model->random, 8) == 0 ? 1000 : 8;

	if (model->count == 0)
		return;
	late = late < model->count ? late : (uint32_t)model->count;
	held =
	    &model->held[model->count - 1 - random_below(&model->random, late)];
	answer = setup_done(model->setup, held->token, status,
	    random_below(&model->random, 2) == 0 ? "x" : "y");
	if (strcmp(answer, "OK") == 0) {
		assert_true(held->is_live);
		model->accepted++;
	} else if (held->is_live) {
		assert_string_equal(answer, "expired-lease");
		assert_true(held->until_s <= model->setup->now_s);
	}
	held->is_live = false;
}

static bool
count_outcome(void *arg, const struct outcome_row *row)
{
	uint64_t *count = arg;

	*count += row->id > 0;
	return true;
}

/* No page is leased twice at a time, and no accepted result is lost. */
static void
test_model(void **state)
{
	for (uint64_t seed = 1; seed <= (IS_SANITIZED ? 1 : 3); seed++) {
		struct model *model = calloc(1, sizeof(*model));
		struct setup *setup = *state;
		uint64_t outcomes = 0;

		assert_non_null(model);
		random_init(&model->random, seed, 1);
		model->setup = setup;
		setup_again(setup);
		setup_list(setup, SETUP_LETTERS);
		put_watch(setup, NULL, true);
		setup_begin(setup);
		for (int i = 0; i < 3000; i++) {
			uint32_t dice = random_below(&model->random, 100);

			step_clock(model);
			if (dice < 45)
				step_take(model);
			else if (dice < 90)
				step_done(model);
			else if (dice < 95)
				setup_list(setup, SETUP_LETTERS);
			else if (dice < 98)
				setup_restart(setup);
			else
				setup_kill(setup);
		}
		store_each_outcome(
		    setup->world.store, 0, 0, count_outcome, &outcomes);
		assert_int_equal(outcomes, model->accepted);
		assert_true(outcomes > 150);
		free(model);
	}
}

UNIT_TESTS(frontier, setup_test(test_restart), setup_test(test_damaged),
    setup_test(test_learned), setup_test(test_wanted), setup_test(test_model));
