/* The frontier: a document that fails for long is asked for every seven days,
 * or as often as somebody wants (SPEC R-77). */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "tests/fixtures/frontier_sites_fixture.h"

#define HOUR_S 3600

/* fail_for(office, days): how often it is asked for meanwhile, in vain. */
static int
fail_for(struct office *office, int days)
{
	int64_t end_s = office->now_s + days * (int64_t)DAY_S;
	struct frontier_document document;
	int asked = 0;

	for (; office->now_s < end_s; office->now_s += HOUR_S / 4)
		while (frontier_next_document(
		    office->frontier, office->now_s, &document)) {
			bool is_map = document.id == office->map;

			asked += is_map;
			(void)submit(office->world.store,
			    reading_make(office->world.store, document.id,
				office->now_s, is_map ? FAILED : UNCHANGED,
				""));
			(void)frontier_sync(office->frontier, office->now_s);
		}
	return asked;
}

static void
begin(struct office *office, int64_t every_s)
{
	office_open(office);
	office->options.reads_documents = true;
	office_watch(office, 1, OFFICE_HOST, every_s);
	office_read(office, office->map, "a b");
	office_begin(office);
	office_watch(office, 1, OFFICE_HOST, every_s);
	frontier_watch_changed(office->frontier, 1, office->now_s);
}

static void
test_week(void **state)
{
	struct office office;
	int early;

	(void)state;
	begin(&office, 0);
	/* once it is due at all */
	office.now_s += 7 * DAY_S;
	early = fail_for(&office, 7);
	assert_in_range(early, 10, 20);
	assert_in_range(fail_for(&office, 70), 9, 12);
	/* the program begins anew */
	office_restart(&office);
	assert_in_range(fail_for(&office, 70), 9, 12);
	/* it answers, and fails again: at first as often */
	office_read(&office, office.map, "a b");
	office.now_s += 7 * DAY_S;
	assert_in_range(fail_for(&office, 7), early - 2, early + 2);
	office_close(&office);
}

static void
test_wanted(void **state)
{
	struct office office;

	(void)state;
	begin(&office, 6 * HOUR_S);
	office.now_s += DAY_S;
	(void)fail_for(&office, 8);
	assert_in_range(fail_for(&office, 10), 38, 42);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_week), cmocka_unit_test(test_wanted)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
