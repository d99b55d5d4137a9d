/* What a site did, in words and bars. */
#include <stdlib.h>
#include <string.h>

#include "crawler/inspect/stats_gather.h"
#include "crawler/inspect/stats_text.h"
#include "tests/fixtures/fixture.h"

#define TUESDAY_S 1763424000 /* 2025-11-18 */
#define DAY_S 86400

static char host[] = "www.example.org";
static char posts[] = "https://www.example.org/posts.xml";
static char shop[] = "https://shop.example.org/shop.xml";
static char blog[] = "/blog";
static char others[] = "(others)";

static void
assert_text(const struct stats *stats, const char *wanted)
{
	struct out out = {0};

	buf_init(&out.text, 1 << 16);
	stats_text(stats, &out);
	if (strcmp(buf_str(&out.text), wanted) != 0)
		fail_msg("%s\nnot:\n%s", buf_str(&out.text), wanted);
	buf_release(&out.text);
}

static void
assert_honesty(const struct stats *stats, const char *words)
{
	struct out out = {0};
	const char *at;

	buf_init(&out.text, 1 << 16);
	stats_text(stats, &out);
	at = strstr(buf_str(&out.text), "lastmod honesty: ");
	assert_non_null(at);
	at += strlen("lastmod honesty: ");
	if (strncmp(at, words, strlen(words)) != 0 || at[strlen(words)] != '\n')
		fail_msg("%s\nnot: %s", at, words);
	buf_release(&out.text);
}

static void
bars_stand_for_days(void **state)
{
	struct stats_row rows[] = {
	    {.at_s = TUESDAY_S - DAY_S, .counts = {1, 0, 0, 70, 0}},
	    {.at_s = TUESDAY_S, .counts = {60, 0, 0, 10, 0}},
	    {.at_s = TUESDAY_S + DAY_S, .counts = {0, 2, 0, 80, 1}}};
	struct stats stats = {.host = host,
	    .from_s = TUESDAY_S - DAY_S,
	    .to_s = TUESDAY_S + DAY_S + 3600,
	    .rows = rows,
	    .count = 3,
	    .counts = {61, 2, 0, 160, 1},
	    .read = 1200,
	    .unchanged = 1};

	assert_text(&stats,
	    "www.example.org  2025-11-17 → 2025-11-19  1,201 readings: 1,200 "
	    "read, 1 unchanged, 0 failed\n"
	    "new      ▂█▁        61   max 60 on Tue 11-18\n"
	    "removed  ▁▁█         2   max 2 on Wed 11-19\n"
	    "re-dated ▇▂█       160   max 80 on Wed 11-19\n"
	    "gone     ▁▁█         1   max 1 on Wed 11-19\n"
	    "lastmod honesty: no sitemap has dates\n");
}

static void
many_rows_share_a_bar(void **state)
{
	struct stats_row rows[150];
	struct stats stats = {.host = host,
	    .by = STATS_HOUR,
	    .from_s = TUESDAY_S,
	    .to_s = TUESDAY_S + 149 * 3600,
	    .rows = rows,
	    .count = 150};

	memset(rows, 0, sizeof(rows));
	for (int i = 0; i < 150; i++)
		rows[i].at_s = TUESDAY_S + i * 3600;
	rows[28].counts[DELTA_ADDED] = rows[29].counts[DELTA_ADDED] = 4;
	stats.counts[DELTA_ADDED] = 8;
	assert_text(&stats,
	    "www.example.org  2025-11-18 → 2025-11-24  0 readings: 0 read, 0 "
	    "unchanged, 0 failed\n"
	    "new      ▁▁▁▁▁▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁       "
	    "  8"
	    "   max 8 from Wed 11-19 03:00\n"
	    "removed  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁       "
	    "  0"
	    "\n"
	    "re-dated ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁       "
	    "  0"
	    "\n"
	    "lastmod honesty: no sitemap has dates\n");
}

#define NAMED                                                                \
	"www.example.org  2025-11-18 → 2025-11-18  0 readings: 0 read, 0 " \
	"unchanged, 0 failed\n"                                              \
	"SECTION                     "                                       \
	"     NEW   MOVED REMOVED    GONE RE-DATED\n"                        \
	"/blog                       "                                       \
	"       6       0       1       2       0"                           \
	"  ▇▇▇▇▇▇▇▇▇▇\n"                                 \
	"(others)                    "                                       \
	"       0       0       0       0       4  ▇▇▇▇\n"

static void
sources_have_evidence(void **state)
{
	struct stats_source sources[] = {{.url = posts,
					     .terms = {.precision = 0.07,
						 .checks = 1412,
						 .is_distrusted = true}},
	    {.url = shop, .terms = {.precision = 0.9, .checks = 2.9}},
	    {.url = shop, .terms = {.precision = 0.5}}};
	struct stats_row rows[] = {
	    {.name = blog, .counts = {6, 1, 0, 0, 2}, .sum = 9},
	    {.name = others, .counts = {0, 0, 0, 4, 0}, .sum = 4}};
	struct stats stats = {.host = host,
	    .by = STATS_SECTION,
	    .from_s = TUESDAY_S,
	    .to_s = TUESDAY_S,
	    .rows = rows,
	    .count = 2,
	    .sources = sources,
	    .source_count = 3,
	    .checks = 1414.9,
	    .precision = 0.0717};

	assert_text(&stats,
	    NAMED
	    "lastmod honesty: right 7 % of the time it moves, over 1,415 "
	    "moves of 2 sitemaps\n"
	    "  /posts.xml: right 7 % of the time it moves, over 1,412 moves → "
	    "dates carry no weight\n"
	    "  and 2 more, less checked or not\n");
}

static void
one_source_is_one_line(void **state)
{
	struct stats_source sources[] = {{.url = posts,
	    .terms = {
		.precision = 0.07, .checks = 1412, .is_distrusted = true}}};
	struct stats_row rows[] = {
	    {.name = blog, .counts = {6, 1, 0, 0, 2}, .sum = 9},
	    {.name = others, .counts = {0, 0, 0, 4, 0}, .sum = 4}};
	struct stats stats = {.host = host,
	    .by = STATS_SECTION,
	    .from_s = TUESDAY_S,
	    .to_s = TUESDAY_S,
	    .rows = rows,
	    .count = 2,
	    .sources = sources,
	    .source_count = 1};

	assert_text(&stats,
	    NAMED "lastmod honesty: right 7 % of the time it moves, over 1,412 "
		  "moves "
		  "→ dates carry no weight\n");
	sources[0].terms.is_gated = true;
	sources[0].terms.checks = 0;
	assert_text(&stats,
	    NAMED
	    "lastmod honesty: most of them move at every reading → dates count "
	    "for nothing\n");
}

/* A fetch that told is not none, though it is too little to go by. */
static void
few_checks_are_counted(void **state)
{
	static const struct {
		double checks;
		const char *words;
	} rows[] = {
	    {0, "not checked: it takes pages fetched by 'due' and 'done'"},
	    {0.5, "over 1 move, too few to tell"},
	    {1, "over 1 move, too few to tell"},
	    {2.9, "over 2 moves, too few to tell"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stats_source sources[] = {
		    {.url = posts,
			.terms = {.precision = 0.78, .checks = rows[i].checks}},
		    {.url = shop}};
		struct stats stats = {.host = host,
		    .by = STATS_SECTION,
		    .from_s = TUESDAY_S,
		    .to_s = TUESDAY_S,
		    .sources = sources,
		    .source_count = 1,
		    .checks = rows[i].checks};

		/* of one sitemap, and of all */
		assert_honesty(&stats, rows[i].words);
		stats.source_count = 2;
		assert_honesty(&stats, rows[i].words);
	}
}

UNIT(stats_text)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bars_stand_for_days),
	    cmocka_unit_test(many_rows_share_a_bar),
	    cmocka_unit_test(sources_have_evidence),
	    cmocka_unit_test(one_source_is_one_line),
	    cmocka_unit_test(few_checks_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
