/* What a store says of the time of new pages. */
#include "crawler/inspect/stats_gather.h"

#include <stdio.h>

#include "base/page_filter.h"
#include "crawler/inspect/stats_text.h"
#include "store/site.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define HOUR_S INT64_C(3600)
#define DAYS_S (24 * HOUR_S)
#define MONDAY_S (20416 * DAYS_S) /* 2025-11-24 */

static void
gather(struct world *world, struct stats *stats,
    const struct section_rules *sections, int days)
{
	struct options_stats how = {.by = STATS_WEEKDAY, .sections = sections};

	stats_gather(stats, world->store, slice_of(SITE), &how,
	    MONDAY_S + days * DAYS_S, NULL);
}

static void
assert_words(struct stats *stats, const char *wanted)
{
	struct buf words;

	buf_init(&words, 1 << 12);
	rhythm_words(&stats->rhythm, &words);
	assert_string_equal(buf_str(&words), wanted);
	buf_release(&words);
	stats_release(stats);
}

/* A reading at ten of that day, which lists pages a to `last`. */
static void
crawl(struct world *world, int64_t document, int day, char last, enum how how)
{
	struct buf text;

	buf_init(&text, 1 << 12);
	for (char page = 'a'; page <= last; page++)
		(void)buf_print(&text, "%s%c", page == 'a' ? "" : " ", page);
	(void)read_at(world->store, document,
	    MONDAY_S + day * DAYS_S + 10 * HOUR_S, how, buf_str(&text));
	buf_release(&text);
}

/* Two pages come each Thursday, and are found by the reading on Friday. */
static void
daily_readings(void **state)
{
	struct world *world = *state;
	int64_t document = document_make(world->store, SITE, MAP);
	struct section_rules *rules;
	struct out out = {0};
	struct stats stats;
	const char *const all = "exclude=/g";

	gather(world, &stats, NULL, 0);
	assert_words(&stats, "nothing new");
	for (int day = 0; day < 36; day++) {
		char last = (char)('a' + 2 * ((day + 3) / 7));

		crawl(world, document, day, last,
		    day > 0 && day % 7 != 4 ? UNCHANGED : COMPLETE);
		if (day == 0) {
			gather(world, &stats, NULL, 1);
			assert_words(&stats, "nothing new");
		}
	}
	gather(world, &stats, NULL, 36);
	assert_int_equal(stats.rhythm.all, 10);
	assert_int_equal(stats.rhythm.hourless[3], 10);
	assert_int_equal(stats.rhythm.placeless, 0);
	buf_init(&out.text, 1 << 16);
	stats_json(&stats, &out);
	assert_non_null(strstr(buf_str(&out.text),
	    "\"has_rhythm\":true,\"words\":\"Thursdays, two at once\","
	    "\"weekdays\":\"Thu\",\"hour_from\":null,\"hour_to\":null,"
	    "\"at_once\":2,\"new\":10,\"not_placed\":0,"));
	buf_release(&out.text);
	assert_words(&stats, "Thursdays, two at once");
	/* ignored pages are no evidence */
	rules = section_rules_new(1, NULL, 0,
	    page_filter_new((struct page_filter_texts){&all, 1},
		(struct page_filter_texts){0}, false));
	gather(world, &stats, rules, 36);
	assert_int_equal(stats.rhythm.all, 9);
	stats_release(&stats);
	section_rules_free(rules);
}

/* A failure is no look: what came since then has no place. */
static void
failures(void **state)
{
	struct world *world = *state;
	int64_t document = document_make(world->store, SITE, MAP);
	struct stats stats;

	crawl(world, document, 0, 'a', COMPLETE);
	crawl(world, document, 1, 'b', COMPLETE);
	crawl(world, document, 2, 'b', FAILED);
	crawl(world, document, 3, 'z', COMPLETE);
	gather(world, &stats, NULL, 4);
	assert_int_equal(stats.rhythm.all, 25);
	assert_int_equal(stats.rhythm.placeless, 24);
	/* Wednesday was not seen */
	assert_int_equal(stats.rhythm.seen_days[0], 1);
	assert_int_equal(stats.rhythm.seen_days[2], 0);
	stats_release(&stats);
}

UNIT(stats_gather)
{
	const struct CMUnitTest tests[] = {
	    world_test(daily_readings),
	    world_test(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
