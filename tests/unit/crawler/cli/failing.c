/* What fails, in words. */
#include "tests/fixtures/fixture.h"

#include "crawler/cli/failing.h"
#include "store/site.h"

#define SINCE_S 1795183200 /* 2026-11-20 14:00 */

static void
reasons(void **state)
{
	static const struct {
		const char *code;
		int status;
		const char *text;
		int64_t since_s;
		uint64_t tries;
		const char *words;
	} rows[] = {{"fetch-server-error", 500, "status 500", SINCE_S, 12,
			"status 500 since 2026-11-20 14:00 (12 tries)"},
	    {"robots-unreachable", 503, "status 503", SINCE_S, 1,
		"status 503 since 2026-11-20 14:00 (1 try)"},
	    {"fetch-network-error", 0, "connection refused", SINCE_S, 2,
		"connection refused since 2026-11-20 14:00 (2 tries)"},
	    {"fetch-network-error", 0, "", 0, 0, "network error"},
	    {"fetch-redirect-loop", 302, "http://h.test/", 0, 3,
		"redirect loop (3 tries)"},
	    {"fetch-blocked-by-robots", 0, "robots.txt line 2: /a\nb", SINCE_S,
		1,
		"robots.txt forbids it (line 2: Disallow: /a\\x0ab) since "
		"2026-11-20 14:00 (1 try)"},
	    {"fetch-blocked-by-robots", 0, "robots.txt has too many rules", 0,
		0, "robots.txt forbids it"},
	    {"html-not-sitemap", 200, "html", 0, 0, "HTML and no sitemap"},
	    {"empty-file", 200, "", 0, 0, "empty file"},
	    {"fetch-network-error", 0, "a\nb", 0, 0, "a\\x0ab"},
	    {"", 0, "", 0, 2, "it fails (2 tries)"}};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		failing_text(out,
		    &(struct failing){slice_of(rows[i].code), rows[i].status,
			slice_of(rows[i].text), rows[i].since_s,
			rows[i].tries});
		assert_row(rows[i].code, out, rows[i].words);
	}
}

static void
shares(void **state)
{
	static const struct {
		struct site_totals totals;
		const char *words;
	} rows[] = {{{.documents = 3}, ""},
	    {{.documents = 3, .failing = 1}, "1 of 3 sitemaps fails"},
	    {{.documents = 1, .failing = 1}, "its sitemap fails"},
	    {{.documents = 4, .indexes = 1, .failing = 3, .failing_indexes = 1},
		"2 of 3 sitemaps fail, its index fails"},
	    {{.documents = 5, .indexes = 2, .failing = 2, .failing_indexes = 2},
		"2 of 2 indexes fail"},
	    {{.documents = 1, .failing_robots = 1}, "its robots.txt fails"},
	    {{.documents = 2000, .failing = 1000, .failing_robots = 2},
		"1,000 of 2,000 sitemaps fail, 2 robots.txt fail"}};
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		failing_site_text(out, &rows[i].totals);
		assert_row("totals", out, rows[i].words);
	}
}

UNIT(failing)
{
	const struct CMUnitTest tests[] = {
	    text_test(reasons),
	    text_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
