/* Histories: the order of events, and truth about dates that changes. */
#include "tests/sim/history.h"

#include "tests/fixtures/fixture.h"

static void
test_sort(void **state)
{
	static const int64_t times_s[] = {
	    1700000000, 5, 1700000000, -7, 70000, 5, INT64_C(1) << 40, 5, -7};
	static const uint32_t order[] = {3, 8, 1, 5, 7, 4, 0, 2, 6};
	struct history history;

	history_init(&history);
	history_sort(&history);
	for (uint32_t i = 0; i < COUNT(times_s); i++) {
		struct history_event event = {
		    .t_s = times_s[i], .subject = i, .kind = HISTORY_CHANGES};
		history_add(&history, &event);
	}
	history_sort(&history);
	for (size_t i = 0; i < COUNT(order); i++) {
		assert_int_equal(history.events[i].subject, order[i]);
		assert_int_equal(history.events[i].t_s, times_s[order[i]]);
	}
	/* Sorted already, and still able to grow. */
	history_sort(&history);
	history_add(&history, &(struct history_event){.t_s = 6, .subject = 9});
	history_sort(&history);
	assert_int_equal(history.events[5].subject, 9);
	assert_int_equal(history.event_count, COUNT(order) + 1);
	history_release(&history);
}

/* The difference of the least and the greatest time does not overflow. */
static void
test_sort_extremes(void **state)
{
	struct history history;

	history_init(&history);
	history_add(&history, &(struct history_event){.t_s = INT64_MAX});
	history_add(&history, &(struct history_event){.t_s = 0});
	history_add(&history, &(struct history_event){.t_s = INT64_MIN});
	history_sort(&history);
	assert_true(history.events[0].t_s == INT64_MIN);
	assert_true(history.events[1].t_s == 0);
	assert_true(history.events[2].t_s == INT64_MAX);
	history_release(&history);
}

static void
test_numbers(void **state)
{
	struct history history;
	char name[] = "a.example";

	history_init(&history);
	assert_int_equal(history.class_count, 1);
	assert_int_equal(history_add_site(&history, name, 0), 0);
	name[0] = 'b';
	assert_int_equal(history_add_site(&history, name, 0), 1);
	assert_string_equal(history.sites[0].name, "a.example");
	for (uint32_t i = 0; i < 100; i++) {
		struct history_document document = {.site = i, .cost = 1};
		struct history_page page = {.document = i, .weight = 1};
		assert_int_equal(history_add_document(&history, &document), i);
		assert_int_equal(history_add_page(&history, &page), i);
	}
	for (uint32_t i = 1; i < 100; i++)
		assert_int_equal(history_add_section(&history, i / 2), i);
	assert_int_equal(history.sections[77 - 1], 38);
	assert_int_equal(history.documents[77].site, 77);
	assert_int_equal(history.pages[77].document, 77);
	history_release(&history);
	history_release(&history);
}

static void
test_dates_turn(void **state)
{
	struct history_document document = {
	    .dates = {{.dating = DATING_CORRECT}, {.dating = DATING_STALE}},
	    .turn_s = 1000};

	assert_int_equal(history_dates(&document, 999)->dating, DATING_CORRECT);
	assert_int_equal(history_dates(&document, 1000)->dating, DATING_STALE);
	document.turn_s = INT64_MAX;
	assert_int_equal(
	    history_dates(&document, 1 << 30)->dating, DATING_CORRECT);
}

UNIT_TESTS(history, cmocka_unit_test(test_sort),
    cmocka_unit_test(test_sort_extremes), cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_dates_turn));
