/* The frontier: pages that are past their ceiling, or were. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/frontier/frontier_tables.h"
#include "sched/scheduler_next.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"

#define HOUR_S 3600

/* How often pages are asked for, on the watch list. */
static void
put_watch(struct office *office, int64_t least_s, int64_t most_s)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(office->world.store, slice_of(OFFICE_HOST));
	row.page_least_s = least_s;
	row.page_most_s = most_s;
	store_watch_put(office->world.store, &row);
	if (office->frontier != NULL)
		frontier_watch_changed(
		    office->frontier, row.site_id, office->now_s);
	watch_release(&row);
}

/* Those that were chosen as late, and wait. */
static int
waiting_late(const struct office *office)
{
	int n = 0;

	for (uint32_t i = 0; i < page_count(office->frontier->pages); i++)
		n += (page_at(office->frontier->pages, i)->flags &
			 PAGE_READY) != 0 &&
		    page_at(office->frontier->pages, i)->reason ==
			REASON_CEILING;
	return n;
}

/* Six pages past their ceiling, at a host that is asked every half minute: one
 * is out, and the others wait for whoever may have more. */
static void
begin_late(struct office *office)
{
	struct frontier_page page;

	office_open(office);
	office->rules.has_delay = true;
	office->rules.delay_ms = 30000;
	office_read(office, office->map, "a:5 b:5 c:5 d:5 e:5 f:5");
	put_watch(office, 60, 60);
	office_begin(office);
	for (int i = 0; i < 30; i++, office->now_s += 30)
		while (office_take(office, &page))
			assert_string_equal(
			    office_done(office, page.token, 200, "x"), "OK");
	office->consumer.per_host = 1;
	for (int i = 0; i < 12; i++, office->now_s += 30)
		(void)office_take(office, &page);
	office->consumer.per_host = 0;
	assert_true(waiting_late(office) >= 3);
}

/* What was chosen and waits is judged again when its site is wanted less often,
 * or it is listed no more: nobody hears of a ceiling that is none. */
static void
test_judged_again(void **state)
{
	struct frontier_page page;
	struct office office;
	int handed = 0, removed = 0;

	(void)state;
	begin_late(&office);
	put_watch(&office, 60, 0);
	assert_int_equal(waiting_late(&office), 0);
	for (int i = 0; i < 20; i++, office.now_s += 30)
		while (office_take(&office, &page)) {
			assert_string_not_equal(page.why, "ceiling");
			handed++;
		}
	assert_true(handed >= 5);
	office_close(&office);

	begin_late(&office);
	for (int i = 0; i < 2; i++, office.now_s++)
		office_read(&office, office.map, "z");
	assert_int_equal(waiting_late(&office), 0);
	for (int i = 0; i < 20; i++, office.now_s += 30)
		while (office_take(&office, &page)) {
			assert_string_not_equal(page.why, "ceiling");
			removed += strcmp(page.why, "removed") == 0;
		}
	assert_in_range(removed, 5, 6);
	office_close(&office);
}

struct told {
	int times;
	struct frontier_late late;
};

static void
note_late(void *arg, const struct frontier_late *late)
{
	struct told *told = arg;

	assert_true(slice_is(late->host, OFFICE_HOST));
	told->times++;
	told->late = *late;
}

/* That a ceiling cannot be kept is said once, and again when it is another; one
 * that can be is not spoken of. */
static void
test_told(void **state)
{
	static const int64_t ceilings[] = {60, 3600, 90};
	struct told told = {0};
	struct frontier_page page;
	struct office office;

	(void)state;
	office_open(&office);
	office.rules.has_delay = true;
	office.rules.delay_ms = 30000;
	office.options.late = note_late;
	office.options.arg = &told;
	office_read(&office, office.map, "a:5 b:5 c:5 d:5 e:5 f:5");
	office_begin(&office);
	for (size_t at = 0; at < COUNT(ceilings); at++) {
		put_watch(&office, ceilings[at], ceilings[at]);
		for (int i = 0; i < 300; i++, office.now_s += 30)
			while (office_take(&office, &page))
				assert_string_equal(
				    office_done(&office, page.token, 200, "x"),
				    "OK");
		assert_int_equal(told.times, at < 2 ? 1 : 2);
		assert_int_equal(told.late.ceiling_s, at < 2 ? 60 : 90);
		assert_int_equal(told.late.pages, 6);
	}
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_judged_again),
	    cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
