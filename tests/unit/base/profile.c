/* The switches of the rules: SPEC section 1. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "base/profile.h"

struct row {
	const char *key;
	const char *strict, *google, *lenient;
};

/* SPEC section 1, row by row. */
static const struct row rows[] = {
    {"site_match", "origin", "origin", "registrable"},
    {"scheme_rule", "exact", "exact", "any"},
    {"www_rule", "exact", "exact", "fold"},
    {"dir_rule", "enforce", "enforce", "warn"},
    {"child_dir_waiver", "none", "listed-child", "listed-index"},
    {"url_dir_waiver", "none", "listed", "listed"},
    {"robots_proof", "on", "on", "on"},
    {"proof_inherit", "on", "on", "on"},
    {"proof_authority", "origin", "origin", "host"},
    {"ownership", "off", "on", "on"},
    {"redirect_base", "final", "final", "either"},
    {"nested_index", "reject", "reject", "follow"},
    {"namespace", "exact", "known", "any"},
    {"relative_loc", "reject", "reject", "resolve"},
    {"max_loc_chars", "2047", "2048", "8192"},
    {"lastmod_forms", "note", "zones", "repair"},
    {"on_partial", "drop", "keep", "keep"},
    {"limit_overrun", "drop", "first", "all"},
    {"doctype", "reject", "reject", "skip"},
    {"robots_5xx", "rfc", "google", "google"},
    {"robots_repair", "off", "on", "on"},
    {"priority_hints", "off", "off", "off"},
};

static bool
same_profiles(const struct profile *a, const struct profile *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Setting a switch to the value in the table changes nothing. */
static void
the_sets_are_those_of_the_table(void **state)
{
	for (int name = PROFILE_STRICT; name <= PROFILE_LENIENT; name++) {
		struct profile profile = profile_default(
		    (enum profile_name)name);

		assert_int_equal(profile.name, name);
		for (size_t i = 0; i < COUNT(rows); i++) {
			struct profile set = profile;
			const char *value = name == PROFILE_STRICT
			    ? rows[i].strict
			    : name == PROFILE_GOOGLE ? rows[i].google
						     : rows[i].lenient;

			assert_true(profile_set(
			    &set, slice_of(rows[i].key), slice_of(value)));
			if (!same_profiles(&set, &profile))
				fail_msg("%s is not %s", rows[i].key, value);
		}
	}
}

static void
the_switches_are_those_of_the_table(void **state)
{
	struct buf *value = *state;

	assert_int_equal(PROFILE_SWITCHES, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *key = profile_switches[i].key;

		assert_string_equal(key, rows[i].key);
		if (strcmp(key, "max_loc_chars") != 0)
			assert_non_null(
			    strstr(profile_switches[i].values, rows[i].google));
		profile_switch_value(i, PROFILE_GOOGLE, value);
		assert_row(key, value, rows[i].google);
		profile_switch_value(i, PROFILE_LENIENT, value);
		assert_row(key, value, rows[i].lenient);
		assert_true(strlen(profile_switches[i].help) > 10);
	}
}

/* Each value of each switch sets its field, and that field only. */
static void
each_switch_sets_one_field(void **state)
{
	struct profile google = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct profile set = google;
		const int *a = (const int *)(const void *)&google;
		const int *b = (const int *)(const void *)&set;
		int changed = 0;
		const char *key = profile_switches[i].key;

		if (strcmp(rows[i].key, "max_loc_chars") == 0)
			continue;
		for (const char *p = profile_switches[i].values;
		     p != NULL && changed == 0;) {
			const char *bar = strchr(p, '|');
			size_t n = bar == NULL ? strlen(p) : (size_t)(bar - p);

			assert_true(
			    profile_set(&set, slice_of(key), slice_make(p, n)));
			for (size_t k = 0; k < sizeof(set) / sizeof(int); k++)
				changed += a[k] != b[k];
			p = bar == NULL ? NULL : bar + 1;
		}
		assert_int_equal(changed, 1);
	}
}

static void
values_have_their_meaning(void **state)
{
	struct profile p = profile_default(PROFILE_STRICT);

	assert_true(
	    profile_set(&p, slice_of("redirect-base"), slice_of("requested")));
	assert_int_equal(p.redirect_base, REDIRECT_REQUESTED);
	assert_true(profile_set(
	    &p, slice_of("child_dir-waiver"), slice_of("listed_index")));
	assert_int_equal(p.child_dir_waiver, CHILD_LISTED_INDEX);
	assert_true(
	    profile_set(&p, slice_of("lastmod_forms"), slice_of("zones")));
	assert_int_equal(p.lastmod_forms, LASTMOD_ZONES);
	assert_true(
	    profile_set(&p, slice_of("priority_hints"), slice_of("on")));
	assert_int_equal(p.priority_hints, SWITCH_ON);
	assert_true(
	    profile_set(&p, slice_of("max-loc-chars"), slice_of("100")));
	assert_int_equal(p.max_loc_chars, 100);
	assert_true(profile_set(&p, slice_of("max_loc_chars"), slice_of("9")));
	assert_int_equal(p.max_loc_chars, 9);
	assert_true(
	    profile_set(&p, slice_of("max_loc_chars"), slice_of("32768")));
	assert_int_equal(p.max_loc_chars, 32768);
	assert_int_equal(p.name, PROFILE_STRICT);
}

static void
unknown_words_change_nothing(void **state)
{
	static const char *const bad[][2] = {{"dir_rule", "off"},
	    {"dir_rule", ""}, {"dir_rule", "enforc"}, {"dir_rule", "enforce "},
	    {"dir_rule", "enforce|warn"}, {"dirrule", "warn"}, {"", "warn"},
	    {"name", "strict"}, {"max_loc_chars", "32769"},
	    {"max_loc_chars", "0"}, {"max_loc_chars", ""},
	    {"max_loc_chars", "-1"}, {"max_loc_chars", "2k"},
	    {"max_loc_chars", "99999999999"}, {"max_loc_chars", "NUMBER"}};
	const struct profile google = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct profile p = google;

		assert_false(
		    profile_set(&p, slice_of(bad[i][0]), slice_of(bad[i][1])));
		assert_true(same_profiles(&p, &google));
	}
}

static void
profiles_have_names(void **state)
{
	static const char *const names[] = {"strict", "google", "lenient"};
	enum profile_name name = PROFILE_LENIENT;

	assert_false(profile_find(slice_of("Google"), &name));
	assert_false(profile_find(slice_of(""), &name));
	assert_int_equal(name, PROFILE_LENIENT);
	for (int i = PROFILE_STRICT; i <= PROFILE_LENIENT; i++) {
		assert_true(profile_find(slice_of(names[i]), &name));
		assert_int_equal(name, i);
	}
}

static void
frames_carry_every_field(void **state)
{
	struct profile sent = profile_default(PROFILE_LENIENT);
	struct profile got;
	struct wire wire;
	struct buf *buf = *state;

	sent.max_loc_chars = 77;
	sent.priority_hints = SWITCH_ON;
	profile_put(buf, &sent);
	wire = (struct wire){buf_text(buf), true};
	assert_true(profile_get(&wire, &got));
	assert_true(same_profiles(&sent, &got));
	assert_int_equal(wire.in.len, 0);
	for (size_t n = 0; n < buf->len; n++) {
		wire = (struct wire){slice_make(buf->p, n), true};
		assert_false(profile_get(&wire, &got));
	}
}

/* Each byte in turn gets a value that its field does not allow. */
static void
frames_that_lie_are_refused(void **state)
{
	struct profile google = profile_default(PROFILE_GOOGLE);
	struct profile got;
	struct buf *buf = *state;

	profile_put(buf, &google);
	for (size_t i = 0; i < buf->len; i++) {
		struct wire wire = {buf_text(buf), true};
		char before = buf->p[i];

		/* The two low bytes of a length may have any value. */
		if (i == 1 + 4 * 14 || i == 2 + 4 * 14)
			continue;
		buf->p[i] = (char)0xf7;
		assert_false(profile_get(&wire, &got));
		buf->p[i] = before;
	}
}

/* The first value past the last of each switch is refused. */
static void
frames_end_at_the_last_value(void **state)
{
	struct profile google = profile_default(PROFILE_GOOGLE);
	struct profile got;
	struct buf *buf = *state;

	profile_put(buf, &google);
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t at = 1 + 4 * i;
		const char *values = profile_switches[i].values;
		struct wire wire;
		char before = buf->p[at];
		char count = 1;

		if (values == NULL)
			continue;
		for (; *values != '\0'; values++)
			count = (char)(count + (*values == '|'));
		buf->p[at] = (char)(count - 1);
		wire = (struct wire){buf_text(buf), true};
		assert_true(profile_get(&wire, &got));
		buf->p[at] = count;
		wire = (struct wire){buf_text(buf), true};
		assert_false(profile_get(&wire, &got));
		buf->p[at] = before;
	}
}

/* A refusal that a switch turns into a remark is a warning, in every set. */
static void
test_severity(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	assert_int_equal(
	    profile_severity(&profile, DIAG_OUTSIDE_DIRECTORY), SEVERITY_ERROR);
	profile.dir_rule = DIR_WARN;
	assert_int_equal(profile_severity(&profile, DIAG_OUTSIDE_DIRECTORY),
	    SEVERITY_WARNING);
	profile = profile_default(PROFILE_LENIENT);
	assert_int_equal(
	    profile_severity(&profile, DIAG_RELATIVE_URL), SEVERITY_WARNING);
	profile.relative_loc = RELATIVE_REJECT;
	assert_int_equal(
	    profile_severity(&profile, DIAG_RELATIVE_URL), SEVERITY_ERROR);
	assert_int_equal(profile_severity(&profile, DIAG_MISSING_NAMESPACE),
	    SEVERITY_WARNING);
	profile = profile_default(PROFILE_STRICT);
	assert_int_equal(
	    profile_severity(&profile, DIAG_MISSING_NAMESPACE), SEVERITY_ERROR);
}

UNIT(profile)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_sets_are_those_of_the_table),
	    text_test(the_switches_are_those_of_the_table),
	    cmocka_unit_test(each_switch_sets_one_field),
	    cmocka_unit_test(values_have_their_meaning),
	    cmocka_unit_test(unknown_words_change_nothing),
	    cmocka_unit_test(profiles_have_names),
	    text_test(frames_carry_every_field),
	    text_test(frames_that_lie_are_refused),
	    text_test(frames_end_at_the_last_value),
	    cmocka_unit_test(test_severity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
