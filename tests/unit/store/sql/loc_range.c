/* Which URLs a query asks for. */
#include "tests/fixtures/fixture.h"

#include "store/sql/loc_range.h"

/* A range is "low..high", "glob:PATTERN" or "like:PATTERN". */
static void
range_set(struct loc_range *range, const char *text)
{
	const char *dots = strstr(text, "..");
	const char *pattern = strchr(text, ':');

	loc_range_clear(range);
	if (dots != NULL) {
		loc_range_narrow(
		    range, LOC_LEAST, slice_make(text, (size_t)(dots - text)));
		if (dots[2] != '\0')
			loc_range_narrow(range, LOC_MOST, slice_of(dots + 2));
	} else if (text[0] == 'g') {
		loc_range_narrow(range, LOC_GLOB, slice_of(pattern + 1));
	} else {
		loc_range_narrow(range, LOC_LIKE, slice_of(pattern + 1));
	}
}

static const struct {
	const char *range;
	const char *url;
	bool has;
} has_cases[] = {
    {"b..d", "a", false},
    {"b..d", "b", true},
    {"b..d", "d", true},
    {"b..d", "da", false},
    {"b..", "zzz", true},
    {"glob:ab*", "ab", true},
    {"glob:ab*", "abz", true},
    {"glob:ab*", "aB", false},
    {"glob:ab*", "ac", false},
    {"glob:a?b", "axb", true},
    {"glob:a[xy]", "ax", true},
    {"glob:*", "x", true},
    {"like:ab%", "aBc", true},
    {"like:AB%", "ab", true},
    {"like:ab%", "a", false},
    {"like:ab%", "ac", false},
    {"like:a_c", "axc", true},
    {"like:%", "x", true},
};

static void
test_has(void **state)
{
	struct loc_range range;

	loc_range_init(&range);
	for (size_t i = 0; i < COUNT(has_cases); i++) {
		range_set(&range, has_cases[i].range);
		if (loc_range_has(&range, slice_of(has_cases[i].url)) !=
		    has_cases[i].has)
			fail_msg(
			    "%s, %s", has_cases[i].range, has_cases[i].url);
	}
	loc_range_release(&range);
}

static const struct {
	const char *range;
	const char *from;
	const char *next; /* NULL: none */
} next_cases[] = {
    {"b..d", "", "b"},
    {"b..d", "c", "c"},
    {"b..d", "e", NULL},
    {"b..", "x", "x"},
    {"glob:ab*", "", "ab"},
    {"glob:ab*", "abc", "abc"},
    {"glob:ab*", "ac", NULL},
    /* capitals come first */
    {"like:ab%", "", "AB"},
    {"like:ab%", "AA", "AB"},
    {"like:ab%", "ABx", "ABx"},
    {"like:ab%", "AC", "Ab"},
    {"like:ab%", "Abc", "Abc"},
    {"like:ab%", "Ac", "aB"},
    {"like:ab%", "B", "aB"},
    {"like:ab%", "aC", "ab"},
    {"like:ab%", "a", "aB"},
    {"like:ab%", "ac", NULL},
    {"like:ab%", "b", NULL},
    {"like:a1b%", "a1C", "a1b"},
    {"like:a1b%", "a2", NULL},
    {"like:a1b%", "A2", "a1B"},
    {"like:/x%", "0", NULL},
    {"like:/x%", ".", "/X"},
    {"like:%", "q", "q"},
};

static void
test_next(void **state)
{
	struct loc_range range;
	struct buf least;

	loc_range_init(&range);
	buf_init(&least, 1000);
	for (size_t i = 0; i < COUNT(next_cases); i++) {
		range_set(&range, next_cases[i].range);
		bool has = loc_range_next(
		    &range, slice_of(next_cases[i].from), &least);
		if (has != (next_cases[i].next != NULL) ||
		    (has && !slice_is(buf_text(&least), next_cases[i].next)))
			fail_msg("%s, %s: %s", next_cases[i].range,
			    next_cases[i].from, has ? buf_str(&least) : "none");
	}
	/* from may lie in least */
	range_set(&range, "like:ab%");
	buf_clear(&least);
	(void)buf_put_slice(&least, slice_of("Ac"));
	assert_true(loc_range_next(&range, buf_text(&least), &least));
	assert_string_equal(buf_str(&least), "aB");
	buf_release(&least);
	loc_range_release(&range);
}

/* Every string that LIKE finds is found by going from one to the next. */
static void
test_next_misses_none(void **state)
{
	static const char letters[] = {'-', 'A', 'B', 'C', 'a', 'b', 'c'};
	struct loc_range range;
	struct buf least;
	char text[4] = {0};

	loc_range_init(&range);
	buf_init(&least, 1000);
	range_set(&range, "like:b-%");
	for (size_t i = 0; i < COUNT(letters); i++)
		for (size_t k = 0; k < COUNT(letters); k++)
			for (size_t m = 0; m < COUNT(letters); m++) {
				text[0] = letters[i];
				text[1] = letters[k];
				text[2] = letters[m];
				struct slice url = slice_of(text);
				bool has = loc_range_next(&range, url, &least);
				if (loc_range_has(&range, url))
					assert_true(has &&
					    slice_is(buf_text(&least), text));
				else if (has)
					assert_true(
					    slice_order(buf_text(&least), url) >
					    0);
			}
	buf_release(&least);
	loc_range_release(&range);
}

UNIT_TESTS(loc_range, cmocka_unit_test(test_has), cmocka_unit_test(test_next),
    cmocka_unit_test(test_next_misses_none));
