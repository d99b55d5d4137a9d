/* Values of the watch list, and its settings. */
#include "tests/fixtures/fixture.h"

#include "crawler/cli/options_value.h"
#include "crawler/cli/watch_settings.h"
#include "store/watch.h"

static void
bounds_are_read_and_written(void **state)
{
	static const struct {
		const char *text;
		int64_t least_s, most_s; /* -1: none */
		const char *again;
	} rows[] = {{"10m", 600, 600, "10m"}, {"1h..1d", 3600, 86400, "1h..1d"},
	    {"..1d", 0, 86400, "..1d"}, {"1h..", 3600, 0, "1h.."},
	    {"0..1d", 0, 86400, "..1d"}, {"90", 90, 90, "90s"},
	    {"300ms", 1, 1, "1s"}, {"1.5h", 5400, 5400, "90m"},
	    {"25h..48h", 90000, 172800, "25h..2d"},
	    {"1d..1d", 86400, 86400, "1d"},
	    {"3650d", 315360000, 315360000, "3650d"}, {"3651d", -1, -1, ""},
	    {"", -1, -1, ""}, {"..", -1, -1, ""}, {"0", -1, -1, ""},
	    {"0..0", -1, -1, ""}, {"1d..1h", -1, -1, ""}, {"1h-1d", -1, -1, ""},
	    {"1h..1d..2d", -1, -1, ""}, {"1h ..1d", -1, -1, ""},
	    {"-1", -1, -1, ""}, {"1h...1d", -1, -1, ""},
	    {"00000000000000000000000000000001h", -1, -1, ""}};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t least_s = -1;
		int64_t most_s = -1;

		assert_int_equal(value_bounds(rows[i].text, &least_s, &most_s),
		    rows[i].most_s >= 0);
		if (least_s != rows[i].least_s || most_s != rows[i].most_s)
			fail_msg("%s: %lld..%lld", rows[i].text,
			    (long long)least_s, (long long)most_s);
		if (least_s < 0)
			continue;
		watch_put_bounds(out, least_s, most_s);
		assert_row(rows[i].text, out, rows[i].again);
	}
}

static void
numbers_have_limits(void **state)
{
	static const struct {
		const char *text;
		double weight, budget; /* -1: none */
	} rows[] = {{"1", 1, 1}, {"0.25", 0.25, 0.25}, {"0", -1, -1},
	    {"1000000", 1e6, 1e6}, {"1000001", -1, 1000001}, {"500/h", -1, 500},
	    {"48/d", -1, 2}, {"5%", -1, -1}, {"1e3", -1, -1}, {"nan", -1, -1},
	    {"inf", -1, -1}, {"-1", -1, -1}, {"", -1, -1}, {"1.", -1, -1},
	    {"0x10", -1, -1}, {"1 ", -1, -1}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double weight = -1;
		double budget = -1;

		(void)value_amount(rows[i].text, false, &weight);
		(void)value_amount(rows[i].text, true, &budget);
		if (weight < rows[i].weight || weight > rows[i].weight ||
		    budget < rows[i].budget || budget > rows[i].budget)
			fail_msg("%s: %g %g", rows[i].text, weight, budget);
	}
}

static void
put(void *arg, const char *key, struct slice value)
{
	(void)buf_print(arg, "%s=%.*s ", key, (int)value.len, value.p);
}

static void
settings_take_turns(void **state)
{
	static const struct {
		const char *given[4];
		const char *then; /* of all that was given so far */
	} rows[] = {{{"every=10m", "tag=a", "tag=b"}, "every=10m tag=a tag=b "},
	    {{"tag=c"}, "every=10m tag=c "},
	    {{"tag=", "weight=2", "below=/x"}, "every=10m weight=2 below=/x "},
	    {{"weight=1", "budget=24/d", "below=/x", "below=/x"},
		"every=10m budget=1/h below=/x "},
	    {{"every=", "profile=lenient"},
		"budget=1/h profile=lenient below=/x "},
	    {{"profile=", "budget=", "below="}, ""},
	    {{"include=/a", "include=/b", "sitemap-newer=30d", "depth=2"},
		"include=/a include=/b depth=2 sitemap-newer=30d "},
	    {{"include=/c", "depth="}, "include=/c sitemap-newer=30d "},
	    {{"include=", "sitemap-newer="}, ""},
	    {{"verify=4", "titles=20/d"}, "titles=20/d verify=4 "},
	    {{"verify=5"}, "titles=20/d verify=5 "}, {{"titles="}, "verify=5 "},
	    {{"verify="}, ""}};
	struct watch watch;
	struct buf *out = *state;

	watch = (struct watch)WATCH_DEFAULTS;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct strings given = {0};

		for (size_t k = 0; k < 4 && rows[i].given[k] != NULL; k++) {
			assert_true(watch_setting_check(rows[i].given[k], out));
			strings_add(&given, slice_of(rows[i].given[k]));
		}
		watch_settings_apply(&watch, &given);
		watch_each_setting(&watch, put, out);
		assert_row(rows[i].given[0], out, rows[i].then);
		strings_release(&given);
	}
	watch_release(&watch);
}

static void
odd_settings_are_named(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {{"evry=1h", "unknown key 'evry'; did you mean 'every'?"},
	    {"every", "'every' is no KEY=VALUE"},
	    {"=1", "'=1' is no KEY=VALUE"},
	    {"tag=a b", "'tag' takes " FORM_TAG ", not 'a b'"},
	    {"tag=\xff", "'tag' takes " FORM_TAG ", not '\xff'"},
	    {"below=x", "'below' takes " FORM_BELOW ", not 'x'"},
	    {"below=/\xc3\xa9",
		"'below' takes " FORM_BELOW ", not '/\xc3\xa9'"},
	    {"sitemap-exclude=/*",
		"'sitemap-exclude' takes " FORM_PATTERN ", not '/*'"},
	    {"newer=30", "'newer' takes " FORM_NEWER ", not '30'"},
	    {"depth=-1", "'depth' takes " FORM_DEPTH ", not '-1'"},
	    {"verify=0", "'verify' takes " FORM_VERIFY ", not '0'"},
	    {"verify=21", "'verify' takes " FORM_VERIFY ", not '21'"},
	    {"titles=0/d", "'titles' takes " FORM_BUDGET ", not '0/d'"},
	    {"profile=x",
		"'profile' takes strict, google or lenient, "
		"not 'x'"}};
	struct buf *why = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_false(watch_setting_check(rows[i].text, why));
		assert_row(rows[i].text, why, rows[i].why);
	}
}

UNIT(watch_settings)
{
	const struct CMUnitTest tests[] = {
	    text_test(bounds_are_read_and_written),
	    cmocka_unit_test(numbers_have_limits),
	    text_test(settings_take_turns),
	    text_test(odd_settings_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
