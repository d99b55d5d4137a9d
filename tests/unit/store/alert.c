/* What alerts have told. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>

#include "store/alert.h"
#include "tests/fixtures/store_fixture.h"

#define NAME slice_of("launches")

static void
test_alert(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t document_id = document_make(s, SITE, MAP);
	struct document document = document_get(s, document_id);
	char why[] = "it ended with 3";
	struct store_alert alert = {100, 200, 2, 300, why};
	/* the store knows no site of the second number */
	struct store_alert_site sites[] = {
	    {document.site_id, 150}, {document.site_id + 1, 160}};

	assert_false(store_alert_get(s, NAME, 1, &alert));
	alert = (struct store_alert){100, 200, 2, 300, why};
	store_alert_put(s, NAME, 1, &alert, sites, COUNT(sites));
	/* another way of the same alert */
	alert = (struct store_alert){100, 999, 0, 0, NULL};
	store_alert_put(s, NAME, 2, &alert, NULL, 0);
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	s = world->store;
	assert_true(store_alert_get(s, NAME, 1, &alert));
	assert_int_equal(alert.begun_s, 100);
	assert_int_equal(alert.until_s, 200);
	assert_int_equal(alert.tries, 2);
	assert_int_equal(alert.next_s, 300);
	assert_string_equal(alert.why, why);
	free(alert.why);
	assert_int_equal(store_alert_held(s, NAME, 1, document.site_id), 150);
	assert_int_equal(store_alert_held(s, NAME, 1, document.site_id + 1), 0);
	assert_int_equal(store_alert_held(s, NAME, 2, document.site_id), 0);
	/* its sites stay, and then go */
	alert = (struct store_alert){100, 250, 0, 0, NULL};
	store_alert_put(s, NAME, 1, &alert, NULL, 0);
	assert_int_equal(store_alert_held(s, NAME, 1, document.site_id), 150);
	store_alert_put(s, NAME, 1, &alert, sites, 0);
	assert_int_equal(store_alert_held(s, NAME, 1, document.site_id), 0);
	assert_true(store_alert_get(s, NAME, 1, &alert));
	assert_int_equal(alert.until_s, 250);
	assert_null(alert.why);
	document_release(&document);
}

UNIT(alert)
{
	static const struct CMUnitTest tests[] = {world_test(test_alert)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
