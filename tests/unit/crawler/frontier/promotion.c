/* Which listed URLs become pages first. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "crawler/frontier/frontier_tables.h"
#include "tests/fixtures/frontier_fixture.h"

/* URLs with the newest date become pages first, then those without a date;
 * each once. */
static void
test_order(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b:3 c:90 d:8");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_string_equal(text_of(&out, page.url), HOST_TEXT "c");
	assert_string_equal(text_of(&out, page.host), SETUP_HOST);
	assert_string_equal(page.token, "1.1");
	assert_string_equal(page.why, "new");
	assert_int_equal(page.lease_until_s, SETUP_S + 600);
	assert_int_equal(page.delay_ms, 1000);
	assert_int_equal(page.lastmod.precision, DATE_DAY);
	assert_int_equal(page.etag.len, 0);
	assert_string_equal(setup_taken(&setup, &out), "d b a ");
	assert_false(setup_take(&setup, &page));
	buf_release(&out);
	setup_close(&setup);
}

/* URLs that a later reading added come before older ones. */
static void
test_added_first(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:90 b:91");
	setup_begin(&setup);
	setup.now_s += 3600;
	setup_read(&setup, setup.map, "a:90 b:91 c d:5");
	assert_string_equal(setup_taken(&setup, &out), "d c b a ");
	buf_release(&out);
	setup_close(&setup);
}

/* Fetch all pages that are due; pages of the folder q have changed each
 * time. */
static void
fetch_all(struct setup *setup, int time)
{
	struct frontier_page page;
	char text[16];

	while (setup_take(setup, &page)) {
		bool is_quick = strncmp(page.url.p + strlen(HOST_TEXT), "q/",
				    2) == 0;

		(void)snprintf(text, sizeof(text), "%d", is_quick ? time : 0);
		assert_string_equal(
		    setup_done(setup, page.token, 200, text), "OK");
	}
}

/* Of URLs that are alike, those of a folder in which little changes come
 * first: their copies stay right for longer. */
static void
test_quiet_first(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "q/a r/a");
	setup_begin(&setup);
	for (int time = 0; time < 5; time++) {
		fetch_all(&setup, time);
		setup.now_s += 10 * DAY_S;
	}
	fetch_all(&setup, 5);
	setup_read(&setup, setup.map, "q/a r/a q/b s r/b/c r/d q/e");
	assert_string_equal(setup_taken(&setup, &out), "r/b/c r/d s q/b q/e ");
	buf_release(&out);
	setup_close(&setup);
}

/* New URLs and URLs that stay right for longest take turns: neither has to
 * wait for ever. */
static void
test_turns(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "q/a r/a");
	setup_begin(&setup);
	for (int time = 0; time < 5; time++) {
		fetch_all(&setup, time);
		setup.now_s += 10 * DAY_S;
	}
	fetch_all(&setup, 5);
	setup_read(&setup, setup.map, "q/a r/a r/b r/c r/d");
	setup.now_s += 60;
	setup_read(&setup, setup.map, "q/a r/a r/b r/c r/d q/b q/c q/d q/e");
	assert_string_equal(
	    setup_taken(&setup, &out), "q/e r/d q/c r/b q/b r/c q/d ");
	buf_release(&out);
	setup_close(&setup);
}

/* Of URLs that are alike, the first ones come from all parts of the
 * document, to show in which of its folders much changes. */
static void
test_spread(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a0 a1 b2 b3 c4 c5 d6 d7 e8");
	setup_begin(&setup);
	assert_string_equal(
	    setup_taken(&setup, &out), "a0 e8 c4 b2 d6 a1 c5 b3 d7 ");
	buf_release(&out);
	setup_close(&setup);
}

/* A document lists more URLs than the cache remembers: each becomes a page
 * once. */
static void
test_large(void **state)
{
	enum { PAGES = 3000 };
	static bool is_seen[PAGES];
	struct setup setup;
	struct frontier_page page;
	struct buf listed;
	int count = 0;

	(void)state;
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	setup_open(&setup);
	setup.rules.has_delay = true;
	setup.rules.delay_ms = 100;
	setup_read(&setup, setup.map, buf_str(&listed));
	setup_begin(&setup);
	while (setup_take(&setup, &page)) {
		const char *digits = page.url.p + strlen(HOST_TEXT);
		int i = (digits[0] - '0') * 1000 + (digits[1] - '0') * 100 +
		    (digits[2] - '0') * 10 + digits[3] - '0';

		assert_in_range(i, 0, PAGES - 1);
		assert_false(is_seen[i]);
		is_seen[i] = true;
		/* one half of the document, and then the other */
		assert_int_equal(i % 2, count >= PAGES / 2);
		count++;
		assert_string_equal(
		    setup_done(&setup, page.token, 200, "t"), "OK");
	}
	assert_int_equal(count, PAGES);
	buf_release(&listed);
	setup_close(&setup);
}

/* Where each reading re-dates all entries the dates carry no weight (SPEC
 * */
static void
test_distrusted(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct buf out;
	char listed[64];

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:1 b:1 c:2 d:1");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_string_equal(text_of(&out, page.url), HOST_TEXT "c");
	for (int day = 10; day < 20; day++) {
		(void)snprintf(listed, sizeof(listed), "a:%d b:%d c:%d d:%d",
		    day, day, day, day + 1);
		setup.now_s += DAY_S;
		setup_read(&setup, setup.map, listed);
	}
	assert_string_equal(setup_taken(&setup, &out), "c a b d ");
	buf_release(&out);
	setup_close(&setup);
}

/* The processor time of promoting the next page of each of so many
 * documents, several times, after all of them were gone through. */
static double
in_turn(int documents)
{
	enum { ENTRIES = 600, TIMES = 10 };
	struct setup setup;
	struct buf listed;
	double begin_s = 0;
	char text[64];

	setup_open(&setup);
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < documents; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "m%d.xml", i);
		buf_clear(&listed);
		for (int k = 0; k < ENTRIES; k++)
			(void)buf_print(&listed, "%04d/%d ", k, i);
		setup_read(&setup,
		    document_make(setup.world.store, SETUP_HOST, text),
		    buf_str(&listed));
	}
	buf_release(&listed);
	setup_begin(&setup);
	for (int times = 0; times <= TIMES; times++) {
		if (times == 1)
			begin_s = setup_cpu_s();
		for (uint32_t i = 0;
		     i < document_count(setup.frontier->documents); i++)
			if (document_at(setup.frontier->documents, i)->listed ==
			    ENTRIES)
				assert_true(
				    promotion_next(
					&setup.frontier->promotion, i) != NONE);
	}
	begin_s = setup_cpu_s() - begin_s;
	setup_close(&setup);
	return begin_s / documents;
}

/* A page costs no more where there are more than 64 documents. */
static void
test_documents_in_turn(void **state)
{
	double few_s, many_s;

	(void)state;
	few_s = in_turn(40);
	many_s = in_turn(120);
	print_message("%.0f us, %.0f us\n", few_s * 1e6, many_s * 1e6);
	assert_true(many_s < 3 * few_s);
}

/* However many documents there are, none is gone through again for each of
 * its pages. */
static void
test_very_many_in_turn(void **state)
{
	enum { DOCUMENTS = 2500, TIMES = 10 };
	struct setup setup;
	char text[128];

	(void)state;
	setup_open(&setup);
	for (int i = 0; i < DOCUMENTS; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "m%d.xml", i);
		int64_t id = document_make(setup.world.store, SETUP_HOST, text);

		(void)snprintf(text, sizeof(text),
		    "a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d", i, i, i, i, i, i,
		    i, i, i, i);
		(void)submit(setup.world.store,
		    reading_make(
			setup.world.store, id, setup.now_s, COMPLETE, text));
	}
	setup_begin(&setup);
	for (int times = 0; times < TIMES; times++)
		for (uint32_t i = 0;
		     i < document_count(setup.frontier->documents); i++)
			if (document_at(setup.frontier->documents, i)->listed ==
			    TIMES)
				assert_true(
				    promotion_next(
					&setup.frontier->promotion, i) != NONE);
	assert_int_equal(page_count(setup.frontier->pages), DOCUMENTS * TIMES);
	assert_int_equal(setup.frontier->candidates.fills, DOCUMENTS);
	/* nothing is remembered of a document all of whose entries are pages */
	assert_int_equal(setup.frontier->candidates.count, 0);
	setup_close(&setup);
}

UNIT(promotion)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_added_first),
	    cmocka_unit_test(test_quiet_first),
	    cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_spread),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_distrusted),
	    cmocka_unit_test(test_documents_in_turn),
	    cmocka_unit_test(test_very_many_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
