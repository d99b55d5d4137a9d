/* The frontier: pages handed out and taken back. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/outcome.h"
#include "tests/fixtures/frontier_fixture.h"

/* Newest date first, then those without; each once. */
static void
test_order(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a b:3 c:90 d:8");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_string_equal(text_of(&out, page.url), HOST_TEXT "c");
	assert_string_equal(text_of(&out, page.host), OFFICE_HOST);
	assert_string_equal(page.token, "1.1");
	assert_string_equal(page.why, "new");
	assert_int_equal(page.lease_until_s, OFFICE_S + 600);
	assert_int_equal(page.delay_ms, 1000);
	assert_int_equal(page.lastmod.precision, DATE_DAY);
	assert_int_equal(page.etag.len, 0);
	assert_string_equal(office_taken(&office, &out), "d b a ");
	assert_false(office_take(&office, &page));
	buf_release(&out);
	office_close(&office);
}

/* What a later reading added comes before what was there. */
static void
test_added_first(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a:90 b:91");
	office_begin(&office);
	office.now_s += 3600;
	office_read(&office, office.map, "a:90 b:91 c d:5");
	assert_string_equal(office_taken(&office, &out), "d c b a ");
	buf_release(&out);
	office_close(&office);
}

/* Fetch what there is; pages of q have changed each time. */
static void
fetch_all(struct office *office, int time)
{
	struct frontier_page page;
	char text[16];

	while (office_take(office, &page)) {
		bool is_quick = strncmp(page.url.p + strlen(HOST_TEXT), "q/",
				    2) == 0;

		(void)snprintf(text, sizeof(text), "%d", is_quick ? time : 0);
		assert_string_equal(
		    office_done(office, page.token, 200, text), "OK");
	}
}

/* Of those that are alike the pages of a folder in which little changes: what
 * is fetched there is right for longer. */
static void
test_quiet_first(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "q/a r/a");
	office_begin(&office);
	for (int time = 0; time < 5; time++) {
		fetch_all(&office, time);
		office.now_s += 10 * DAY_S;
	}
	fetch_all(&office, 5);
	office_read(&office, office.map, "q/a r/a q/b s r/b/c r/d q/e");
	assert_string_equal(
	    office_taken(&office, &out), "r/b/c r/d s q/b q/e ");
	buf_release(&out);
	office_close(&office);
}

/* What was added last and what is right for longest take turns: of quick pages
 * that come for ever, and quiet ones that wait, neither is left out. */
static void
test_turns(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "q/a r/a");
	office_begin(&office);
	for (int time = 0; time < 5; time++) {
		fetch_all(&office, time);
		office.now_s += 10 * DAY_S;
	}
	fetch_all(&office, 5);
	office_read(&office, office.map, "q/a r/a r/b r/c r/d");
	office.now_s += 60;
	office_read(&office, office.map, "q/a r/a r/b r/c r/d q/b q/c q/d q/e");
	assert_string_equal(
	    office_taken(&office, &out), "q/e r/d q/c r/b q/b r/c q/d ");
	buf_release(&out);
	office_close(&office);
}

/* Of pages that are alike the first ones are of all parts of the document:
 * they are to show in which of its folders much changes. */
static void
test_spread(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a0 a1 b2 b3 c4 c5 d6 d7 e8");
	office_begin(&office);
	assert_string_equal(
	    office_taken(&office, &out), "a0 e8 c4 b2 d6 a1 c5 b3 d7 ");
	buf_release(&out);
	office_close(&office);
}

/* More than are remembered at a time: each comes once. */
static void
test_large(void **state)
{
	enum { PAGES = 3000 };
	static bool is_seen[PAGES];
	struct office office;
	struct frontier_page page;
	struct buf listed;
	int count = 0;

	(void)state;
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	office_open(&office);
	office.rules.has_delay = true;
	office.rules.delay_ms = 100;
	office_read(&office, office.map, buf_str(&listed));
	office_begin(&office);
	while (office_take(&office, &page)) {
		const char *digits = page.url.p + strlen(HOST_TEXT);
		int i = (digits[0] - '0') * 1000 + (digits[1] - '0') * 100 +
		    (digits[2] - '0') * 10 + digits[3] - '0';

		assert_in_range(i, 0, PAGES - 1);
		assert_false(is_seen[i]);
		is_seen[i] = true;
		/* a half of the document, and then the other */
		assert_int_equal(i % 2, count >= PAGES / 2);
		count++;
		assert_string_equal(
		    office_done(&office, page.token, 200, "t"), "OK");
	}
	assert_int_equal(count, PAGES);
	buf_release(&listed);
	office_close(&office);
}

/* Where each reading dates all anew the dates carry no weight. */
static void
test_distrusted(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf out;
	char listed[64];

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a:1 b:1 c:2 d:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_string_equal(text_of(&out, page.url), HOST_TEXT "c");
	for (int day = 10; day < 20; day++) {
		(void)snprintf(listed, sizeof(listed), "a:%d b:%d c:%d d:%d",
		    day, day, day, day + 1);
		office.now_s += DAY_S;
		office_read(&office, office.map, listed);
	}
	assert_string_equal(office_taken(&office, &out), "c a b d ");
	buf_release(&out);
	office_close(&office);
}

/* Nothing of it is believed, and nothing is lost. */
static void
test_bad_lines(void **state)
{
	static const struct {
		const char *token;
		int status;
		const char *reason;
	} cases[] = {
	    {"", 200, "nothing-named"},
	    {"x.1", 200, "bad-lease"},
	    {"1.", 200, "bad-lease"},
	    {".1", 200, "bad-lease"},
	    {"11", 200, "bad-lease"},
	    {"1.0", 200, "bad-lease"},
	    {"1.1.1", 200, "bad-lease"},
	    {"1.100000000", 200, "bad-lease"},
	    {"8000000000000000.1", 200, "bad-lease"},
	    {"fffffffffffffffff.1", 200, "bad-lease"},
	    {"1.2", 200, "unknown-lease"},
	    {"2.1", 200, "unknown-lease"},
	    {"1.1", 42, "bad-status"},
	    {"1.1", -1, "bad-status"},
	    {"1.1", 600, "bad-status"},
	    {"1.1", 200, "OK"},
	    {"1.1", 200, "repeated-lease"},
	};
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
		    office_done(&office, cases[i].token, cases[i].status, NULL),
		    cases[i].reason);
	office_close(&office);
}

static void
says(struct office *office, const struct frontier_result *result,
    const char *reason)
{
	struct frontier_answer answer;
	enum frontier_ack ack = frontier_done(
	    office->frontier, result, office->now_s, &answer);

	assert_string_equal(ack == FRONTIER_OK ? "OK" : answer.reason, reason);
	if (ack == FRONTIER_OK)
		assert_true(answer.next_due_s > office->now_s);
	office_commit(office);
}

/* Of another page, of none, from the future, and without a lease. */
static void
test_urls(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_result result = {
	    .status = 200, .token = slice_of("1.1")};

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	result.url = slice_of(HOST_TEXT "b");
	says(&office, &result, "url-of-another-page");
	result.url = slice_of("HTTP://H.test:80/a");
	result.at_s = office.now_s + 301;
	says(&office, &result, "from-the-future");
	result.at_s = office.now_s + 300;
	says(&office, &result, "OK");
	result.token = slice_of("");
	result.at_s = office.now_s - 1;
	says(&office, &result, "older-result");
	result.at_s = 0;
	says(&office, &result, "OK");
	result.url = slice_of("no URL");
	says(&office, &result, "bad-url");
	result.url = slice_of(HOST_TEXT "b");
	says(&office, &result, "unknown-url");
	office_close(&office);
}

/* A fetch that nobody asked for answers the one who was asked, too. */
static void
test_unasked(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_result result = {
	    .status = 200, .url = slice_of(HOST_TEXT "a")};

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	says(&office, &result, "OK");
	assert_string_equal(
	    office_done(&office, "1.1", 200, NULL), "repeated-lease");
	office_close(&office);
}

/* A lease that is over is not accepted, and its page goes to another. */
static void
test_expiry(void **state)
{
	struct office office;
	struct frontier_page page;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(
	    frontier_due_s(office.frontier, office.now_s) <= OFFICE_S + 600);
	office.now_s += 599;
	assert_false(office_take(&office, &page));
	office.now_s += 1;
	assert_string_equal(
	    office_done(&office, "1.1", 200, NULL), "expired-lease");
	assert_true(office_take(&office, &page));
	assert_string_equal(page.token, "1.2");
	assert_string_equal(
	    office_done(&office, "1.1", 200, NULL), "superseded-lease");
	assert_string_equal(office_done(&office, "1.2", 200, NULL), "OK");
	office_close(&office);
}

/* All of it is in the store. */
static void
test_restart(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	office_read(&office, office.map, "a:3 b:2 c:1");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_true(office_take(&office, &page));
	assert_string_equal(page.token, "2.1");
	assert_string_equal(office_done(&office, "1.1", 200, "x"), "OK");
	office_restart(&office);
	office.now_s += 60;
	assert_string_equal(
	    office_done(&office, "1.1", 200, "x"), "repeated-lease");
	assert_string_equal(office_taken(&office, &out), "c ");
	assert_string_equal(office_done(&office, "2.1", 200, "x"), "OK");
	office_kill(&office);
	office.now_s = OFFICE_S + 700;
	assert_string_equal(
	    office_done(&office, "3.1", 200, "x"), "expired-lease");
	assert_string_equal(office_taken(&office, &out), "c ");
	buf_release(&out);
	office_close(&office);
}

static void
test_release(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a b");
	office_begin(&office);
	assert_true(office_take(&office, &page));
	assert_int_equal(frontier_release(office.frontier, slice_of("1.1"),
			     office.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(frontier_release(office.frontier, slice_of("1.1"),
			     office.now_s, &answer),
	    FRONTIER_SKIPPED);
	assert_string_equal(answer.reason, "expired-lease");
	assert_true(office_take(&office, &page));
	assert_true(office_take(&office, &page));
	assert_false(office_take(&office, &page));
	assert_int_equal(
	    frontier_release_all(office.frontier, office.now_s), 2);
	assert_true(office_take(&office, &page));
	office_close(&office);
}

struct seen_outcome {
	int64_t id;
	enum page_outcome kind;
};

static bool
note_outcome(void *arg, const struct outcome_row *row)
{
	*(struct seen_outcome *)arg = (struct seen_outcome){row->id, row->kind};
	return false;
}

static void
outcome_is(struct office *office, int64_t id, const char *kind)
{
	struct seen_outcome seen = {0};

	store_each_outcome(office->world.store, id - 1, note_outcome, &seen);
	assert_int_equal(seen.id, id);
	assert_string_equal(page_outcome_name(seen.kind), kind);
}

struct outcome_case {
	int status;
	const char *hash, *etag;
	const char *kind; /* as the store has it */
};

static void
play(struct office *office, const struct outcome_case *cases, size_t count)
{
	struct frontier_page page;

	assert_true(office_take(office, &page));
	for (size_t i = 0; i < count; i++) {
		struct frontier_result result = {.status = cases[i].status,
		    .url = slice_of(HOST_TEXT "a"),
		    .has_hash = cases[i].hash != NULL,
		    .content_hash = slice_of(cases[i].hash),
		    .etag = slice_of(cases[i].etag)};

		office->now_s += 60;
		says(office, &result, "OK");
		outcome_is(office, (int64_t)i + 1, cases[i].kind);
	}
}

/* What came of a fetch, and what is kept of it. */
static void
test_outcomes(void **state)
{
	static const struct outcome_case cases[] = {
	    {200, "one", NULL, "fetched"},
	    {200, "one", NULL, "same"},
	    {200, "two", "\"e\"", "changed"},
	    {200, NULL, "\"e\"", "same"},
	    {200, NULL, "W/\"e\"", "fetched"},
	    {200, NULL, "W/\"e\"", "fetched"},
	    {304, NULL, NULL, "not-modified"},
	    {503, NULL, NULL, "failed"},
	    {0, NULL, NULL, "failed"},
	    {302, NULL, NULL, "failed"},
	    {301, NULL, NULL, "moved"},
	    {410, NULL, NULL, "gone"},
	    {200, "two", NULL, "same"},
	};
	struct office office;

	(void)state;
	office_open(&office);
	office_read(&office, office.map, "a");
	office_begin(&office);
	play(&office, cases, COUNT(cases));
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_added_first),
	    cmocka_unit_test(test_quiet_first),
	    cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_spread),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_distrusted),
	    cmocka_unit_test(test_bad_lines),
	    cmocka_unit_test(test_urls),
	    cmocka_unit_test(test_unasked),
	    cmocka_unit_test(test_expiry),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_release),
	    cmocka_unit_test(test_outcomes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
