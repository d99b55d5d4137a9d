/* From when on it is known whether pages have moved. */
#include "crawler/events/open_documents.h"
#include "tests/fixtures/fixture.h"

#define DAY_S 86400
#define AT_S (20000 * INT64_C(86400))

static void
settled(void **state)
{
	static const struct {
		double from, to; /* when a document was open; 0: no end */
		double now;
		double settled; /* 0: not yet */
	} rows[] = {{-5, -4, 10, 2}, {-5, -4, 1.9, 0}, {-5, -4, 2, 2},
	    /* a document that was open a day and a half later is waited for */
	    {0, 1, 10, 2}, {0, 1.5, 10, 2}, {0, 3, 10, 3}, {0, 3, 2.9, 0},
	    {1, 7, 10, 7}, {1.1, 7, 10, 7}, {1.5, 7, 10, 7}, {1.6, 7, 10, 2},
	    {-3, 7, 10, 7},
	    /* but not for ever */
	    {0, 15, 20, 14}, {0, 0, 20, 14}, {0, 0, 13, 0}, {2, 0, 20, 2}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct open_documents open = {
		    .now_s = AT_S + (int64_t)(rows[i].now * DAY_S)};
		int64_t wanted = rows[i].settled > 0
		    ? AT_S + (int64_t)(rows[i].settled * DAY_S)
		    : 0;

		open_documents_add(&open,
		    AT_S + (int64_t)(rows[i].from * DAY_S),
		    rows[i].to != 0 ? AT_S + (int64_t)(rows[i].to * DAY_S) : 0);
		if (open_documents_settled(&open, AT_S) != wanted)
			fail_msg("row %zu: %lld not %lld", i,
			    (long long)open_documents_settled(&open, AT_S),
			    (long long)wanted);
		open_documents_release(&open);
	}
}

static void
none(void **state)
{
	struct open_documents open = {.now_s = AT_S};

	assert_true(open_documents_is_none(&open));
	open_documents_add(&open, AT_S - 9, AT_S - 8);
	assert_true(open_documents_is_none(&open));
	open_documents_add(&open, AT_S - 9, 0);
	assert_false(open_documents_is_none(&open));
	open_documents_release(&open);
}

UNIT(open_documents)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(settled),
	    cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
