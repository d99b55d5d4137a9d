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
    {"like:http://h/ab%", "http://h/aBc", true},
    {"like:HTTP://H/AB%", "http://h/ab", true},
    {"like:http://h/ab%", "http://h/a", true},
    {"like:http://h/ab%", "http://h/ac", false},
    {"like:http://h/ab%", "http://g/ab", false},
    {"like:http://h/%", "http://h/x", true},
    {"like:http://h/%", "http://i/", false},
    {"like:http%", "http://h/x", true},
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

/* Every URL that LIKE finds is in the range. */
static void
test_like(void **state)
{
	static const char letters[] = {'-', 'A', 'B', 'C', 'a', 'b', 'c'};
	struct loc_range range;
	char text[] = "http://h/xxx";

	loc_range_init(&range);
	range_set(&range, "like:http://h/b-%");
	for (size_t i = 0; i < COUNT(letters); i++)
		for (size_t k = 0; k < COUNT(letters); k++)
			for (size_t m = 0; m < COUNT(letters); m++) {
				text[9] = letters[i];
				text[10] = letters[k];
				text[11] = letters[m];
				if ((letters[i] == 'b' || letters[i] == 'B') &&
				    letters[k] == '-')
					assert_true(loc_range_has(
					    &range, slice_of(text)));
			}
	loc_range_release(&range);
}

UNIT_TESTS(loc_range, cmocka_unit_test(test_has), cmocka_unit_test(test_like));
