/* The desk: pages that fail, and when they are due again. */
#include "tests/unit/fixture.h"

#include "tests/desk_fixture.h"

#define HOUR_S 3600
#define MANY "a b c d e f g h i j k l m n o p q r s t u v w x y z"
#define PAGES 26

/* Handed out now; all but those of `bad` are answered.  How many. */
static int
fetch_all(struct office *office, const char *bad)
{
	struct desk_page page;
	int count = 0;

	while (office_take(office, &page)) {
		if (slice_is(page.url, bad))
			fail_msg("handed out: %s", bad);
		assert_string_equal(
		    office_done(office, page.token, 200, "x"), "OK");
		count++;
	}
	return count;
}

/* The next page fails; url: which, next_s: when it is due, from now. */
static void
fail_next(struct office *office, int status, int64_t retry_after_s,
    struct buf *url, int64_t *next_s)
{
	struct desk_result result = {
	    .status = status, .retry_after_s = retry_after_s};
	struct desk_answer answer;
	struct desk_page page;

	assert_true(office_take(office, &page));
	buf_clear(url);
	(void)buf_put_slice(url, page.url);
	result.token = slice_of(page.token);
	assert_int_equal(
	    desk_done(office->desk, &result, office->now_s, &answer), DESK_OK);
	office_commit(office);
	*next_s = answer.next_due_s - office->now_s;
}

static void
open_many(struct office *office, struct buf *url)
{
	buf_init(url, 1000);
	office_open(office);
	office_read(office, office->map, MANY);
	office_begin(office);
}

/* One page in error, never fetched: it waits, over a restart too, and the
 * others do not. */
static void
test_one_bad(void **state)
{
	struct office office;
	struct desk_page page;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	fail_next(&office, 500, 0, &url, &next_s);
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_int_equal(fetch_all(&office, buf_str(&url)), PAGES - 1);
	for (int i = 0; i < 59; i++) {
		office.now_s += 60;
		(void)fetch_all(&office, buf_str(&url));
	}
	office_restart(&office);
	(void)fetch_all(&office, buf_str(&url));
	office.now_s += 120;
	assert_true(office_take(&office, &page));
	assert_true(slice_is(page.url, buf_str(&url)));
	assert_string_equal(office_done(&office, page.token, 0, NULL), "OK");
	office.now_s += 2 * HOUR_S - 1;
	(void)fetch_all(&office, buf_str(&url));
	office_close(&office);
	buf_release(&url);
}

/* Its host wants to be asked later: it is due then, with the others; when it
 * says so again it is the page that waits. */
static void
test_limited(void **state)
{
	struct office office;
	struct buf url, again;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	buf_init(&again, 1000);
	fail_next(&office, 429, 30, &url, &next_s);
	assert_in_range(next_s, 30, 31);
	office.now_s += 29;
	assert_int_equal(fetch_all(&office, ""), 0);
	office.now_s += 1;
	fail_next(&office, 429, 30, &again, &next_s);
	if (slice_equal(buf_text(&url), buf_text(&again)))
		assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	else
		assert_in_range(next_s, 30, 31);
	office.now_s += 30;
	assert_true(fetch_all(&office, "") >= PAGES - 2);
	office_close(&office);
	buf_release(&url);
	buf_release(&again);
}

/* What is told while its host is held is due when that is over. */
static void
test_held_meanwhile(void **state)
{
	struct office office;
	struct desk_page first, second;
	struct desk_result result = {.status = 503, .retry_after_s = 600};
	struct desk_answer answer;
	struct buf token;

	(void)state;
	open_many(&office, &token);
	assert_true(office_take(&office, &first));
	(void)buf_put_slice(&token, slice_of(first.token));
	assert_true(office_take(&office, &second));
	result.token = slice_of(second.token);
	(void)desk_done(office.desk, &result, office.now_s, &answer);
	result = (struct desk_result){.token = buf_text(&token), .status = 500};
	assert_int_equal(
	    desk_done(office.desk, &result, office.now_s, &answer), DESK_OK);
	assert_int_equal(answer.next_due_s, office.now_s + 600);
	office_close(&office);
	buf_release(&token);
}

/* That others of its host wait for who may have them is no hold. */
static void
test_many_wait(void **state)
{
	struct desk_result result = {.status = 500};
	struct desk_answer answer;
	struct desk_page page;
	struct office office;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	office.taker.per_host = 1;
	assert_true(office_take(&office, &page));
	(void)buf_put_slice(&url, page.url);
	result.token = slice_of(page.token);
	/* the others are chosen, and wait */
	assert_false(desk_take(
	    office.desk, &office.taker, office.now_s, &(struct desk_page){0}));
	assert_int_equal(
	    desk_done(office.desk, &result, office.now_s, &answer), DESK_OK);
	next_s = answer.next_due_s - office.now_s;
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_true(fetch_all(&office, buf_str(&url)) > 0);
	office_close(&office);
	buf_release(&url);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_bad),
	    cmocka_unit_test(test_limited),
	    cmocka_unit_test(test_held_meanwhile),
	    cmocka_unit_test(test_many_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
