/* The diagnostics catalogue. */
#include "tests/fixtures/fixture.h"

#include <ctype.h>
#include <string.h>

static void
every_row_is_whole(void **state)
{
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++) {
		const struct diag_info *info = diag_info((enum diag_code)i);

		assert_true(strlen(info->code) >= 4);
		for (const char *p = info->code; *p != '\0'; p++)
			assert_true(islower(*p) || isdigit(*p) || *p == '-');
		assert_true(strlen(info->trigger) > 0);
		assert_true(strlen(info->search_console) > 0);
		assert_true(strlen(info->remedy) > 0);
		assert_true(strchr("RTSFXIE", info->rule[0]) != NULL);
		assert_true(info->loss <= LOSS_RUN);
	}
}

static void
names_find_their_codes(void **state)
{
	for (int i = DIAG_OK + 1; i < DIAG_COUNT; i++)
		assert_int_equal(
		    diag_find(slice_of(diag_name((enum diag_code)i))), i);
	assert_string_equal(diag_name(DIAG_OK), "ok");
	assert_int_equal(diag_find(slice_of("ok")), DIAG_OK);
	assert_int_equal(diag_find(slice_of("")), DIAG_OK);
	assert_int_equal(diag_find(slice_of("invalid-ur")), DIAG_OK);
	assert_int_equal(diag_find(slice_of("invalid-url2")), DIAG_OK);
	assert_int_equal(diag_find(slice_of("invalid-url")), DIAG_INVALID_URL);
}

struct severity_case {
	enum diag_code code;
	enum severity strict, google, lenient;
	enum loss loss;
	const char *rule;
};

/* One row for each pattern of severities, so that no column slips. */
static void
severities_follow_the_profile(void **state)
{
	static const struct severity_case cases[] = {
	    {DIAG_OUTSIDE_DIRECTORY, SEVERITY_ERROR, SEVERITY_ERROR,
		SEVERITY_WARNING, LOSS_ENTRY, "R-58 R-60"},
	    {DIAG_MIXED_HOSTS, SEVERITY_ERROR, SEVERITY_INFO, SEVERITY_INFO,
		LOSS_NOTHING, "R-68"},
	    {DIAG_FETCH_NOT_FOUND, SEVERITY_ERROR, SEVERITY_ERROR,
		SEVERITY_ERROR, LOSS_DOCUMENT, "R-72"},
	    {DIAG_STORE_LOCKED, SEVERITY_ERROR, SEVERITY_ERROR, SEVERITY_ERROR,
		LOSS_RUN, "F17"},
	    {DIAG_VIDEO_THUMBNAIL_SIZE, SEVERITY_NONE, SEVERITY_NONE,
		SEVERITY_NONE, LOSS_NOTHING, "R-132"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct diag_info *info = diag_info(cases[i].code);

		assert_int_equal(
		    info->severity[PROFILE_STRICT], cases[i].strict);
		assert_int_equal(
		    info->severity[PROFILE_GOOGLE], cases[i].google);
		assert_int_equal(
		    info->severity[PROFILE_LENIENT], cases[i].lenient);
		assert_int_equal(info->loss, cases[i].loss);
		assert_string_equal(info->rule, cases[i].rule);
	}
}

static void
severities_have_names(void **state)
{
	assert_string_equal(severity_names[SEVERITY_NONE], "none");
	assert_string_equal(severity_names[SEVERITY_INFO], "info");
	assert_string_equal(severity_names[SEVERITY_WARNING], "warning");
	assert_string_equal(severity_names[SEVERITY_ERROR], "error");
}

static void
a_zeroed_sink_swallows(void **state)
{
	struct seen seen = {{0}};

	diag_emit((struct diag_sink){NULL, NULL}, DIAG_EMPTY_TAG, slice_of(""));
	diag_emit(seen_sink(&seen), DIAG_EMPTY_TAG, slice_of("x"));
	diag_emit(seen_sink(&seen), DIAG_EMPTY_TAG, slice_of(NULL));
	assert_int_equal(seen.count[DIAG_EMPTY_TAG], 2);
}

UNIT(diag)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_is_whole),
	    cmocka_unit_test(names_find_their_codes),
	    cmocka_unit_test(severities_follow_the_profile),
	    cmocka_unit_test(severities_have_names),
	    cmocka_unit_test(a_zeroed_sink_swallows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
