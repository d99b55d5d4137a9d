/* The frontier loads, saves, and follows the watch list; a model of leases. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "sched/sim/random.h"
#include "store/learned.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"

/* Leases and results are in the store: a new frontier knows them. */
static void
test_restart(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a:3 b:2 c:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(office_take(&office, &page));
	assert_string_equal(page.token, "2.1");
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	office_restart(&office);
	office.now_s += 60;
	assert_string_equal(
	    office_done(&office, "1.1", 200, "x"), "repeated-lease");
	assert_string_equal(office_taken(&office, &out), "c ");
	assert_string_equal(office_done(&office, "2.1", 200, "x"), "OK");
	office_kill(&office);
	office.now_s = OFFICE_S + 700;
	assert_string_equal(
	    office_done(&office, "3.1", 200, "x"), "expired-lease");
	assert_string_equal(office_taken(&office, &out), "c ");
	buf_release(&out);
	office_close(&office);
}

static void
damage(void *arg, int64_t id, struct slice data)
{
	struct store *store = ((struct office *)arg)->world.store;
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
	struct office office;
	struct frontier_terms terms;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, OFFICE_LETTERS);
	office_begin(&office);
	for (int i = 0; i < 10; i++)
		office_fetch(&office, "x");
	store_each_learned(office.world.store, "document", damage, &office);
	store_learned(office.world.store, "told", 0, slice_of("t"));
	store_learned(office.world.store, "all", 0, slice_of("all"));
	for (int64_t id = 1; id <= 10; id++)
		store_page_learned(office.world.store, id, slice_of("pq"));
	assert_int_equal(store_flush(office.world.store), DIAG_OK);
	office_kill(&office);
	assert_true(frontier_page_terms(
	    office.frontier, slice_of(HOST_TEXT "a"), office.now_s, &terms));
	assert_true(terms.is_page);
	assert_int_equal(terms.fetched_s, OFFICE_S);
	assert_true(terms.terms.days == 0);
	office.now_s += HOUR_S;
	assert_true(office_take(&office, &page));
	office_close(&office);
}

/* A new frontier knows exactly what the one before had learned and saved. */
static void
test_learned(void **state)
{
	struct office office;
	struct frontier_terms before, after;
	struct slice url = slice_of(HOST_TEXT "a");

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:5");
	office_begin(&office);
	for (int day = 101; day < 110; day++) {
		office_fetch(&office, day % 2 == 0 ? "x" : "y");
		office.now_s += DAY_S;
		office_read(&office, office.map, day % 2 == 0 ? "a:6" : "a:7");
	}
	office_commit(&office);
	assert_true(
	    frontier_page_terms(office.frontier, url, office.now_s, &before));
	office_kill(&office);
	assert_true(
	    frontier_page_terms(office.frontier, url, office.now_s, &after));
	assert_close(after.terms.value, before.terms.value, 1e-6);
	assert_close(
	    after.terms.changes_per_day, before.terms.changes_per_day, 1e-6);
	assert_close(after.terms.precision, before.terms.precision, 1e-9);
	assert_close(after.terms.alpha, before.terms.alpha, 1e-6);
	assert_int_equal(after.terms.moves, before.terms.moves);
	assert_true(before.terms.changes_per_day > 0.1);
	office_close(&office);
}

static void
put_watch(struct office *office, const char *section, bool is_watched)
{
	struct watch watch;

	watch_init(&watch);
	watch.site_id = 1;
	watch.is_watched = is_watched;
	watch.page_least_s = 60;
	if (section != NULL)
		strings_add(&watch.sections, slice_of(section));
	store_watch_put(office->world.store, &watch);
	watch_release(&watch);
	if (office->frontier != NULL)
		frontier_watch_changed(office->frontier, 1, office->now_s);
}

/* Sections of a site, and a site that was removed from the watch list. */
static void
test_wanted(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a b/ b/c bc c/b");
	put_watch(&office, "/b/", true);
	office_begin(&office);
	assert_string_equal(office_taken(&office, &out), "b/c b/ ");
	put_watch(&office, NULL, false);
	office.now_s += HOUR_S;
	assert_string_equal(office_taken(&office, &out), "");
	office_restart(&office);
	assert_string_equal(office_taken(&office, &out), "");
	put_watch(&office, "/b", true);
	assert_string_equal(office_taken(&office, &out), "b/c b/ ");
	put_watch(&office, NULL, true);
	assert_string_equal(office_taken(&office, &out), "a c/b bc ");
	/* pages that are leased when the site is removed stay leased when it
	 * is added again */
	put_watch(&office, NULL, false);
	office.now_s += HOUR_S;
	assert_string_equal(office_taken(&office, &out), "");
	put_watch(&office, "/a", true);
	assert_string_equal(office_taken(&office, &out), "a ");
	buf_release(&out);
	office_close(&office);
}

/* A lease, as its consumer knows it. */
struct held {
	char token[FRONTIER_TOKEN_SIZE];
	char url[64];
	int64_t until_s;
	bool is_live;
};

struct model {
	struct office office;
	struct random random;
	struct held held[4000];
	size_t count;
	uint64_t accepted;
	int64_t clock_s; /* of the frontier */
};

/* The clock mostly goes forward. */
static void
step_clock(struct model *model)
{
	static const int64_t steps[] = {0, 0, 1, 5, 60, 300, 700, -1, -300,
	    HOUR_S, -HOUR_S, DAY_S, YEAR_S, -YEAR_S};
	uint32_t which = random_below(&model->random,
	    model->count % 50 == 0 ? (uint32_t)COUNT(steps) : 8);
	int64_t back_s;

	model->office.now_s += steps[which];
	back_s = model->clock_s - model->office.now_s;
	if (back_s > 0 && back_s <= 600)
		return;
	model->clock_s = model->office.now_s;
	for (size_t i = 0; i < model->count && back_s > 0; i++)
		model->held[i].until_s -= back_s;
}

static void
step_take(struct model *model)
{
	struct frontier_page page;
	struct held *held = &model->held[model->count];

	if (!office_take(&model->office, &page))
		return;
	for (size_t i = 0; i < model->count; i++)
		if (slice_is(page.url, model->held[i].url)) {
			assert_true(!model->held[i].is_live ||
			    model->held[i].until_s <= model->clock_s);
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
	answer = office_done(&model->office, held->token, status,
	    random_below(&model->random, 2) == 0 ? "x" : "y");
	if (strcmp(answer, "OK") == 0) {
		assert_true(held->is_live);
		model->accepted++;
	} else if (held->is_live) {
		assert_string_equal(answer, "expired-lease");
		assert_true(held->until_s <= model->clock_s);
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

static void
run_model(uint64_t seed)
{
	struct model *model = calloc(1, sizeof(*model));
	uint64_t outcomes = 0;

	assert_non_null(model);
	random_init(&model->random, seed, 1);
	office_open(&model->office);
	office_read(&model->office, model->office.map, OFFICE_LETTERS);
	put_watch(&model->office, NULL, true);
	office_begin(&model->office);
	model->clock_s = model->office.now_s;
	for (int i = 0; i < 3000; i++) {
		uint32_t dice = random_below(&model->random, 100);

		step_clock(model);
		if (dice < 45)
			step_take(model);
		else if (dice < 90)
			step_done(model);
		else if (dice < 95)
			office_read(
			    &model->office, model->office.map, OFFICE_LETTERS);
		else if (dice < 98)
			office_restart(&model->office);
		else
			office_kill(&model->office);
	}
	store_each_outcome(
	    model->office.world.store, 0, count_outcome, &outcomes);
	assert_int_equal(outcomes, model->accepted);
	assert_true(outcomes > 150);
	office_close(&model->office);
	free(model);
}

/* No page is leased twice at a time, and no accepted result is lost. */
static void
test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++)
		run_model(seed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_learned),
	    cmocka_unit_test(test_wanted),
	    cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
