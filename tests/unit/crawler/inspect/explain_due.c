/* When a URL is due, in words. */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/cli/out.h"
#include "crawler/inspect/explain.h"
#include "crawler/inspect/explain_due.h"

#define NOW_S 1735732800 /* 2025-01-01T12:00:00Z */
#define DAY_S 86400

/* A page that is due by its date, and what all others differ from. */
static struct explain_due
page(void)
{
	return (struct explain_due){
	    .lastmod = {.epoch_s = NOW_S - 3600, .precision = DATE_SECOND},
	    .before = {.epoch_s = NOW_S - 43200, .precision = DATE_DAY},
	    .last = {.is_compared = true},
	    .terms = {.document_id = 7,
		.is_page = true,
		.is_watched = true,
		.is_listed = true,
		.fetched_s = NOW_S - 4 * DAY_S,
		.lastmod_s = NOW_S - 3600,
		.delay_ms = 1500,
		.is_budgeted = true,
		.least_s = 3600,
		.most_s = 90 * DAY_S,
		.terms = {.value = 0.83,
		    .price = 0.25,
		    .weight = 1,
		    .days = 4,
		    .changes_per_day = 0.5,
		    .fresh = 0.25,
		    .moves = 1,
		    .precision = 0.914,
		    .recall = 0.8,
		    .checks = 1412,
		    .is_waiting = true,
		    .due_s = SCHEDULER_NEVER}}};
}

static char *
words_of(const struct explain_due *due)
{
	struct explain_due items[1] = {*due};
	struct explanation to = {
	    .dues = {.items = items, .count = 1, .now_s = NOW_S}};
	struct out out = {0};

	buf_init(&out.text, 1 << 16);
	explain_due_text(&to, &out);
	return buf_take(&out.text);
}

static void
assert_words(const struct explain_due *due, const char *wanted)
{
	char *words = words_of(due);

	if (strcmp(words, wanted) != 0)
		fail_msg("%s\nnot:\n%s", words, wanted);
	free(words);
}

#define TERMS                                                                 \
	"           lastmod 2025-01-01 → 2025-01-01T11:00:00Z, moved once " \
	"since; this\n"                                                       \
	"           sitemap's dates are right 91 % of the time they move, "   \
	"over 1412\n"                                                         \
	"           moves, and tell 80 % of the changes\n"                    \
	"           the page changes about every 2.0 d; last fetched 4.0 d "  \
	"ago, and as it\n"                                                    \
	"           was then with a probability of 25 %\n"                    \
	"           a request now would bring about 0.83 days of freshness; " \
	"the budget\n"                                                        \
	"           goes to requests that bring 0.25 or more; its host is "   \
	"asked every 1.5\n"                                                   \
	"           s; fetched every 1h..90d (pages-every)\n"

static void
terms_are_words(void **state)
{
	struct explain_due due = page();

	assert_words(&due, "due now    it waits for its turn\n" TERMS);
}

static void
odd_terms_are_words(void **state)
{
	struct explain_due due = page();
	char *words;

	due.terms.terms = (struct scheduler_terms){.value = INFINITY,
	    .weight = 2,
	    .days = INFINITY,
	    .precision = 0.5,
	    .mass = 2,
	    .mass_precision = 0.1,
	    .is_gated = true,
	    .due_s = NOW_S};
	due.before.precision = DATE_NONE;
	due.terms.delay_ms = 0;
	due.terms.host_leases = 2;
	due.terms.is_listed = false;
	assert_words(&due,
	    "due now    its time has come; no sitemap lists it\n"
	    "           lastmod 2025-01-01T11:00:00Z, moved 2 times since with "
	    "most of its\n"
	    "           sitemap, which is right 10 % of the time; this "
	    "sitemap's dates count\n"
	    "           for nothing: most of them move at every reading "
	    "(R-116)\n"
	    "           the page is not expected to change; never fetched\n"
	    "           a request now comes before all others; the budget is "
	    "not used up;\n"
	    "           weight 2; its host wants no delay, 2 pages of it out; "
	    "fetched every\n"
	    "           1h..90d (pages-every)\n");
	/* what nobody has to pay for has no price */
	due = page();
	due.terms.is_budgeted = false;
	due.terms.least_s = due.terms.most_s = 0;
	words = words_of(&due);
	assert_non_null(strstr(words,
	    "0.83 days of freshness; its host is\n"
	    "           asked every 1.5 s\n"));
	free(words);
}

/* assert_says(due, part, is_said): wherever it is wrapped. */
static void
assert_says(const struct explain_due *due, const char *part, bool is_said)
{
	char *words = words_of(due);
	char *to = words;

	for (const char *from = words; *from != '\0'; from++)
		if (!strchr(" \n", *from) || !strchr(" \n", from[1]))
			*to++ = *from == '\n' ? ' ' : *from;
	*to = '\0';
	if ((strstr(words, part) != NULL) != is_said)
		fail_msg("%s: %s", part, words);
	free(words);
}

/* Each budget that holds is named. */
static void
budgets_are_named(void **state)
{
	struct explain_due due = page();
	struct explain_budget budgets[] = {{"total", NULL, 5000},
	    {"site", NULL, 500}, {"tag", (char[]){"news\033"}, 0.5}};

	due.budgets = budgets;
	due.budget_count = 1;
	assert_says(
	    &due, "; budget 5000/h of all (total-budget); fetched every", true);
	due.budgets = budgets + 1;
	due.budget_count = 2;
	assert_says(&due,
	    "; budgets 500/h of its site, 0.5/h of tag news\\x1b; fetched",
	    true);
}

/* If the pace of the host does not allow a ceiling, explain says so. */
static void
late_ceilings_are_told(void **state)
{
	struct explain_due due = page();

	due.terms.least_s = due.terms.most_s = 60;
	due.terms.round = (struct frontier_round){
	    .requests = 6, .each_s = 30, .most_s = 60};
	assert_says(&due,
	    "fetched every 1m (pages-every), which cannot be kept: 6 pages at "
	    "30 s a request take 3 min, and take turns",
	    true);
	due.terms.round.most_s = 180;
	assert_says(&due, "cannot be kept", false);
	due.document_id = 7;
	due.has_dates = true;
	due.terms.round = (struct frontier_round){
	    .requests = 1, .each_s = 90, .most_s = 60};
	assert_says(&due, "cannot be kept: 1 document at 90 s a request", true);
}

static void
documents_are_read(void **state)
{
	struct explain_due due = page();

	due.document_id = 7;
	due.has_dates = true;
	due.terms.terms.is_waiting = false;
	due.terms.terms.due_s = NOW_S + 5400;
	due.terms.terms.checks = 1;
	due.terms.terms.is_distrusted = true;
	due.terms.terms.value = 0;
	due.terms.least_s = 900;
	due.terms.most_s = DAY_S;
	due.terms.readings_per_day = 48;
	assert_words(&due,
	    "due later  looked at again 2025-01-01T13:30:00Z, in 1.5 h\n"
	    "           its dates are right 91 % of the time they move "
	    "(over 1 move, too few\n"
	    "           to tell), and tell 80 % of the changes: distrusted "
	    "(R-116)\n"
	    "           what it lists changes about every 2.0 d; last read 4.0 "
	    "d ago\n"
	    "           a request now would bring nothing; the budget goes to "
	    "requests that\n"
	    "           bring 0.25 or more; its host is asked every 1.5 s; "
	    "read every 15m..1d\n"
	    "           (every); all documents of its site and robots.txt "
	    "together 48 times a\n"
	    "           day at most, or five times for each change\n");
	due.is_robots = true;
	due.has_dates = false;
	assert_words(&due,
	    "due later  looked at again 2025-01-01T13:30:00Z, in 1.5 h\n"
	    "           read once a day, whatever the every of its site says, "
	    "and before that\n"
	    "           if its Cache-Control asks for it (R-104)\n");
	due.terms.terms.failures = 1;
	due.terms.terms.due_s = SCHEDULER_NEVER;
	assert_words(&due, "due later  not before something is heard of it\n");
}

/* A site's quota may be used up. */
static void
quota_is_named(void **state)
{
	struct explain_due due = page();

	due.terms.terms.is_waiting = false;
	due.terms.terms.due_s = NOW_S + 44;
	assert_says(&due,
	    "later looked at again 2025-01-01T12:00:44Z, in 44 s lastmod",
	    true);
	due.terms.terms.is_quota = true;
	assert_says(&due,
	    "in 44 s, when the quota of its site allows it lastmod", true);
	assert_says(&due, "a site gets a request", false);
	due.terms.pages_per_day = 288;
	assert_says(&due,
	    "; a site gets a request a day for each of its pages, 288 at most, "
	    "and five more for each page that changed",
	    true);
}

/* Its host may be asked before it is tried again. */
static void
failed_pages_of_held_hosts(void **state)
{
	struct explain_due due = page();

	due.terms.held_until_s = NOW_S + 60;
	due.terms.terms.failures = 1;
	due.terms.terms.again_s = NOW_S + 900;
	assert_says(&due,
	    "its host is held until 2025-01-01T12:01:00Z; it failed once: not "
	    "tried again before 2025-01-01T12:15:00Z lastmod",
	    true);
	due.terms.terms.again_s = NOW_S + 60;
	assert_says(&due, "held until 2025-01-01T12:01:00Z lastmod", true);
}

/* A host that answers is well: the scheduler takes it for a fetch. */
static void
walls_are_answers(void **state)
{
	static const int answers[] = {302, 401, 403, 499};
	static const int failures[] = {0, 408, 429, 500, 503};
	struct explain_due due = page();

	due.last = (struct explain_last){.is_known = true,
	    .at_s = NOW_S - 60,
	    .kind = PAGE_FAILED,
	    .times = 30,
	    .since_s = NOW_S - 3600};
	for (size_t i = 0; i < COUNT(answers); i++) {
		due.last.status = answers[i];
		assert_says(&due,
		    "an answer without the page, 30 times in a row since",
		    true);
		assert_says(&due, "it failed", false);
	}
	for (size_t i = 0; i < COUNT(failures); i++) {
		due.last.status = failures[i];
		assert_says(&due, "it failed, 30 times in a row since", true);
	}
}

/* freshet has tried to read the document, and never could. */
static void
failing_waits(void **state)
{
	struct explain_due due = page();

	due.document_id = 7;
	due.is_robots = true;
	due.has_dates = false;
	due.terms.terms.is_overdue = true;
	due.terms.terms.value = INFINITY;
	due.terms.terms.failures = 2;
	due.terms.terms.again_s = NOW_S + 900;
	assert_words(&due,
	    "due later  failed 2 times: tried again 2025-01-01T12:15:00Z, in "
	    "15 min\n");
}

/* What it failed with is said, where it was never read, too. */
static void
tries_are_told(void **state)
{
	struct explain_due due = page();

	due.document_id = 7;
	due.terms.terms.value = due.terms.terms.days = INFINITY; /* never */
	due.terms.terms.failures = 2;
	due.terms.terms.again_s = NOW_S + 900;
	due.last = (struct explain_last){.is_known = true,
	    .is_document = true,
	    .at_s = NOW_S - 60,
	    .outcome = OUTCOME_FAILED,
	    .failure = (char[]){"fetch-server-error"},
	    .status = 500,
	    .times = 2,
	    .since_s = NOW_S - 3600};
	assert_words(&due,
	    "due later  failed 2 times: tried again 2025-01-01T12:15:00Z, in "
	    "15 min\n"
	    "           last tried 2025-01-01T11:59:00Z: fetch-server-error, "
	    "status 500, 2\n"
	    "           times in a row since 2025-01-01T11:00:00Z\n"
	    "           what it lists changes about every 2.0 d; never read, "
	    "though tried\n"
	    "           a request now comes before all others, once it may be "
	    "tried again;\n"
	    "           the budget goes to requests that bring 0.25 or more; "
	    "its host is\n"
	    "           asked every 1.5 s; read every 1h..90d (every)\n");
	/* it waits for something else, too */
	due.is_robots = true;
	due.terms.held_until_s = NOW_S + 60;
	assert_words(&due,
	    "not due    its host is held until 2025-01-01T12:01:00Z\n"
	    "           last tried 2025-01-01T11:59:00Z: fetch-server-error, "
	    "status 500, 2\n"
	    "           times in a row since 2025-01-01T11:00:00Z; not again "
	    "before\n"
	    "           2025-01-01T12:15:00Z\n");
	due.last.outcome = OUTCOME_READ;
	assert_words(
	    &due, "not due    its host is held until 2025-01-01T12:01:00Z\n");
}

/* Why it is not due, in the order in which that counts. */
static void
reasons_have_an_order(void **state)
{
	struct explain_due due = page();
	struct explain_due document = page();

	document.document_id = 7;
	due.terms.terms.is_overdue = true;
	assert_string_equal(explain_due_state(&due, NOW_S), "due");
	due.terms.terms.is_overdue = due.terms.terms.is_waiting = false;
	assert_string_equal(explain_due_state(&due, NOW_S), "later");
	due.terms.held_until_s = document.terms.held_until_s = NOW_S + 1;
	assert_string_equal(explain_due_state(&due, NOW_S), "held");
	assert_string_equal(explain_due_state(&document, NOW_S), "held");
	due.terms.is_page = false;
	assert_string_equal(explain_due_state(&due, NOW_S), "unpromoted");
	assert_words(&due,
	    "waiting    never handed out; it waits in its sitemap for its "
	    "turn\n"
	    "           its host is held until 2025-01-01T12:00:01Z\n"
	    "           a request now would bring about 0.83 days of "
	    "freshness; the budget\n"
	    "           goes to requests that bring 0.25 or more; its host is "
	    "asked every 1.5\n"
	    "           s; fetched every 1h..90d (pages-every)\n");
	due.terms.refused_by = &(struct page_filter_rule){
	    FILTER_EXCLUDE, "/tag/", false};
	assert_string_equal(explain_due_state(&due, NOW_S), "unwanted");
	due.terms.is_leased = document.terms.terms.is_out = true;
	assert_string_equal(explain_due_state(&due, NOW_S), "out");
	assert_string_equal(explain_due_state(&document, NOW_S), "out");
	due.terms.robots = FRONTIER_ROBOTS_CLOSED;
	assert_string_equal(explain_due_state(&due, NOW_S), "unknown-robots");
	due.terms.robots = FRONTIER_ROBOTS_REFUSE;
	assert_string_equal(explain_due_state(&due, NOW_S), "refused");
	document.terms.is_watched = false;
	assert_string_equal(explain_due_state(&document, NOW_S), "unwatched");
	due.terms.is_removed = document.terms.is_removed = true;
	assert_string_equal(explain_due_state(&due, NOW_S), "removed");
	assert_string_equal(explain_due_state(&document, NOW_S), "removed");
	assert_words(
	    &document, "not due    its site was taken off the watch list\n");
}

/* What a page that was never handed out takes turns with, and what holds it. */
static void
turns_have_a_length(void **state)
{
	struct explain_due due = page();

	due.terms.is_page = false;
	due.terms.unpromoted = due.terms.site_unpromoted = 1;
	assert_says(&due,
	    "in its sitemap for its turn a request now would bring about 0.83 "
	    "days",
	    true);
	due.terms.site_unpromoted = 3;
	assert_says(&due, "its turn, with about 2 in other sitemaps", true);
	due.terms.unpromoted = 2;
	assert_says(&due,
	    "its turn, with about 1 page that never was either, and about 1 in "
	    "other sitemaps",
	    true);
	due.terms.unpromoted = due.terms.site_unpromoted = 3;
	assert_says(&due,
	    "its turn, with about 2 pages that never were either a request",
	    true);
	assert_says(&due, "is held until", false);
	due.terms.held_until_s = NOW_S + 60;
	due.terms.is_pages_hold = true;
	assert_says(&due,
	    "pages of its host failed: they are held until "
	    "2025-01-01T12:01:00Z "
	    "a request now",
	    true);
}

/* Its robots.txt was not read: whoever has its site on his list does that. */
static void
robots_are_read_where_watched(void **state)
{
	struct explain_due due = page();

	due.terms.is_page = false;
	due.terms.robots = FRONTIER_ROBOTS_UNKNOWN;
	assert_words(&due,
	    "not due    no robots.txt of its origin was read yet: 'run' does "
	    "that, or 'crawl'\n"
	    "           of that host\n");
	due.terms.is_watched = false;
	assert_words(&due,
	    "not due    no robots.txt of its origin was read yet, and its site "
	    "is not on the\n"
	    "           watch list: 'crawl' of that host does that, or 'run' "
	    "once it is added\n");
}

UNIT(explain_due)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(terms_are_words),
	    cmocka_unit_test(odd_terms_are_words),
	    cmocka_unit_test(budgets_are_named),
	    cmocka_unit_test(late_ceilings_are_told),
	    cmocka_unit_test(documents_are_read),
	    cmocka_unit_test(quota_is_named),
	    cmocka_unit_test(failed_pages_of_held_hosts),
	    cmocka_unit_test(walls_are_answers),
	    cmocka_unit_test(failing_waits),
	    cmocka_unit_test(tries_are_told),
	    cmocka_unit_test(reasons_have_an_order),
	    cmocka_unit_test(turns_have_a_length),
	    cmocka_unit_test(robots_are_read_where_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
