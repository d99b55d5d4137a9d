/* The settings of worlds, and that each combination makes a world. */
#include <string.h>

#include "tests/fixtures/fixture.h"
#include "tests/sim/world.h"
#include "tests/sim/world_options.h"

struct set_case {
	const char *key, *value;
	enum world_fault fault;
};

static const struct set_case set_cases[] = {
    {"pages", "500", WORLD_OK},
    {"pages", "0", WORLD_BAD_VALUE},
    {"pages", "1.5", WORLD_BAD_VALUE},
    {"pages", "1e3", WORLD_OK},
    {"pages", "1e9", WORLD_BAD_VALUE},
    {"pages", "", WORLD_BAD_VALUE},
    {"pages", " 5", WORLD_BAD_VALUE},
    {"pages", "5x", WORLD_BAD_VALUE},
    {"pages", "5-6", WORLD_BAD_VALUE},
    {"pages", "nan", WORLD_BAD_VALUE},
    {"pages", "inf", WORLD_BAD_VALUE},
    {"pages", "0x10", WORLD_BAD_VALUE},
    {"rate", "0.5", WORLD_OK},
    {"rate", "0", WORLD_BAD_VALUE},
    {"rate", "-1", WORLD_BAD_VALUE},
    {"rate", "1e-300", WORLD_BAD_VALUE},
    {"noisy_recall", "0.1-0.2", WORLD_OK},
    {"noisy_recall", "0.3", WORLD_OK},
    {"noisy_recall", "0.3-0.2", WORLD_BAD_VALUE},
    {"noisy_recall", "0.3-", WORLD_BAD_VALUE},
    {"noisy_recall", "0.3-2", WORLD_BAD_VALUE},
    {"noisy_precision", "0", WORLD_BAD_VALUE},
    {"changes", "bursty", WORLD_OK},
    {"changes", "1", WORLD_OK},
    {"changes", "often", WORLD_BAD_VALUE},
    {"joint", "0.5", WORLD_BAD_VALUE},
    {"Pages", "5", WORLD_UNKNOWN_KEY},
    {"", "5", WORLD_UNKNOWN_KEY},
};

static void
test_set(void **state)
{
	struct world_options options = *world_preset("w1");

	for (size_t i = 0; i < COUNT(set_cases); i++) {
		const struct set_case *c = &set_cases[i];
		if (world_set(&options, c->key, c->value) != c->fault)
			fail_msg("%s=%s", c->key, c->value);
	}
	assert_close(options.pages, 1000, 0);
	assert_close(options.rate, 0.5, 0);
	assert_close(options.recall[WORLD_NOISY].low, 0.3, 0);
	assert_close(options.recall[WORLD_NOISY].high, 0.3, 0);
	assert_close(options.changes, WORLD_PERIODIC, 0);
	assert_null(world_preset("W0"));
}

/* Each value that world_get returns can be set again, and all presets are
 * within the limits. */
static void
test_get(void **state)
{
	size_t count, settings;
	const struct world_options *all = world_presets(&count);
	const struct world_setting *setting = world_settings(&settings);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < settings; k++) {
			struct world_options options = all[i];
			char text[64], again[64];
			world_get(&options, &setting[k], text, sizeof(text));
			/* A range that its world does not use may be empty. */
			if (setting[k].is_range && strcmp(text, "0-0") == 0)
				continue;
			if (world_set(&options, setting[k].key, text) !=
			    WORLD_OK)
				fail_msg("%s: %s=%s", all[i].name,
				    setting[k].key, text);
			world_get(&options, &setting[k], again, sizeof(again));
			assert_string_equal(text, again);
		}
	}
}

/* What can be set together makes a world: no division by 0, no endless
 * process, no time that does not fit. */
static void
test_extremes(void **state)
{
	static const char *const sets[][2] = {{"rate", "1e-9"},
	    {"slowest", "0"}, {"sites", "9"}, {"sites", "100000"},
	    {"spread", "10"}, {"noisy_precision", "0.001"},
	    {"noisy_recall", "0"}, {"burst", "0.99"}, {"burst", "0"},
	    {"burst_speed", "1"}, {"jitter", "1"}, {"jitter", "0"},
	    {"size_spread", "10"}, {"days", "1"}, {"turn_days", "0.01"},
	    {"turn_days", "36500"}, {"index_recall", "0"}, {"gone", "1"},
	    {"born", "1"}, {"none", "0"}, {"shared", "1"}};

	for (size_t i = 0; i < COUNT(sets); i++) {
		for (int changes = 0; changes <= WORLD_BURSTY; changes++) {
			struct world_options options = *world_preset("W6");
			struct history history;
			options.pages = 300;
			options.sites = 12;
			options.shares[WORLD_NOISY] = 0.2;
			options.changes = changes;
			options.children = changes;
			assert_int_equal(
			    world_set(&options, sets[i][0], sets[i][1]),
			    WORLD_OK);
			world_make(&history, &options);
			assert_int_equal(history.page_count, 300);
			history_release(&history);
		}
	}
}

UNIT_TESTS(world_options, cmocka_unit_test(test_set),
    cmocka_unit_test(test_get), cmocka_unit_test(test_extremes));
