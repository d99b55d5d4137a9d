/* Which listed URLs become pages first. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/promotion.h"
#include "tests/fixtures/frontier_fixture.h"

/* URLs with the newest date become pages first, then those without a date;
 * each once. */
static void
test_order(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	setup_start(setup, "a b:3 c:90 d:8");
	page = setup_page(setup);
	assert_string_equal(text_of(&setup->out, page.url), HOST_TEXT "c");
	assert_string_equal(text_of(&setup->out, page.host), SETUP_HOST);
	assert_string_equal(page.token, "1.1");
	assert_string_equal(page.why, "new");
	assert_int_equal(page.lease_until_s, SETUP_S + 600);
	assert_int_equal(page.delay_ms, 1000);
	assert_int_equal(page.lastmod.precision, DATE_DAY);
	assert_int_equal(page.etag.len, 0);
	assert_string_equal(setup_taken(setup), "d b a ");
	setup_walk(setup, "0");
}

/* Fetch the pages that are due, for so many days; pages of the folder q have
 * changed each time. */
static void
learn_quick(struct setup *setup)
{
	struct frontier_page page;
	char text[16];

	setup_start(setup, "q/a r/a");
	for (int time = 0; time <= 5; time++) {
		if (time > 0)
			setup->now_s += 10 * DAY_S;
		while (setup_take(setup, &page)) {
			bool is_quick = strncmp(page.url.p + strlen(HOST_TEXT),
					    "q/", 2) == 0;

			(void)snprintf(
			    text, sizeof(text), "%d", is_quick ? time : 0);
			setup_ok(setup, page.token, 200, text);
		}
	}
}

static void
test_orders(void **state)
{
	static const struct {
		const char *why;
		bool has_learned; /* that pages in q/ change often */
		const char *listed, *later; /* after a minute; NULL: nothing */
		const char *taken;
	} cases[] = {
	    {"what a later reading added comes before what is older", false,
		"a:90 b:91", "a:90 b:91 c d:5", "d c b a "},
	    /* their copies stay right for longer */
	    {"what changes little comes first of what is alike", true,
		"q/a r/a q/b s r/b/c r/d q/e", NULL, "r/b/c r/d s q/b q/e "},
	    {"new and lasting URLs take turns: neither waits for ever", true,
		"q/a r/a r/b r/c r/d", "q/a r/a r/b r/c r/d q/b q/c q/d q/e",
		"q/e r/d q/c r/b q/b r/c q/d "},
	    /* to show in which of its folders much changes */
	    {"the first ones come from all parts of the document", false,
		"a0 a1 b2 b3 c4 c5 d6 d7 e8", NULL,
		"a0 e8 c4 b2 d6 a1 c5 b3 d7 "},
	};
	struct setup *setup = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		setup_again(setup);
		if (cases[i].has_learned)
			learn_quick(setup);
		else
			setup_begin(setup);
		setup_list(setup, cases[i].listed);
		setup->now_s += 60;
		if (cases[i].later != NULL)
			setup_list(setup, cases[i].later);
		if (strcmp(setup_taken(setup), cases[i].taken) != 0)
			fail_msg("%s: %s", cases[i].why, buf_str(&setup->out));
	}
}

/* A document lists more URLs than the cache remembers: each becomes a page
 * once. */
static void
test_large(void **state)
{
	enum { PAGES = 3000 };
	static bool is_seen[PAGES];
	struct setup *setup = *state;
	struct frontier_page page;
	struct buf listed;
	int count;

	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < PAGES; i++)
		(void)buf_print(&listed, "%04d ", i);
	setup_delay(setup, 100);
	setup_start(setup, buf_str(&listed));
	for (count = 0; setup_take(setup, &page); count++) {
		long i = strtol(
		    text_of(&listed, page.url) + strlen(HOST_TEXT), NULL, 10);

		assert_in_range(i, 0, PAGES - 1);
		assert_false(is_seen[i]);
		is_seen[i] = true;
		/* one half of the document, and then the other */
		assert_int_equal(i % 2, count >= PAGES / 2);
		setup_ok(setup, page.token, 200, "t");
	}
	assert_int_equal(count, PAGES);
	buf_release(&listed);
}

/* Where each reading re-dates all entries the dates carry no weight (SPEC
 * */
static void
test_distrusted(void **state)
{
	struct setup *setup = *state;
	char listed[64];

	setup_start(setup, "a:1 b:1 c:2 d:1");
	assert_string_equal(
	    text_of(&setup->out, setup_page(setup).url), HOST_TEXT "c");
	for (int day = 10; day < 20; day++) {
		(void)snprintf(listed, sizeof(listed), "a:%d b:%d c:%d d:%d",
		    day, day, day, day + 1);
		setup->now_s += DAY_S;
		setup_list(setup, listed);
	}
	assert_string_equal(setup_taken(setup), "c a b d ");
}

/* Promote the next page of each document with so many entries. */
static void
promote_each(struct setup *setup, uint32_t entries)
{
	struct frontier *frontier = setup->frontier;

	for (uint32_t i = 0; i < frontier->scheduler->sources.count; i++)
		if (document_at(frontier, i)->listed == entries)
			assert_true(promotion_next(setup->frontier, i,
					&setup->consumer) != NONE);
}

/* The processor time of promoting the next page of each of so many
 * documents, several times, after all of them were gone through. */
static double
in_turn(int documents)
{
	enum { ENTRIES = 600, TIMES = 10 };
	struct setup setup;
	struct buf listed;
	double begin_s;
	char name[64];

	setup_open(&setup);
	buf_init(&listed, SIZE_MAX);
	for (int i = 0; i < documents; i++) {
		(void)snprintf(name, sizeof(name), "m%d.xml", i);
		buf_clear(&listed);
		for (int k = 0; k < ENTRIES; k++)
			(void)buf_print(&listed, "%04d/%d ", k, i);
		setup_read(
		    &setup, setup_document(&setup, name), buf_str(&listed));
	}
	buf_release(&listed);
	setup_begin(&setup);
	promote_each(&setup, ENTRIES);
	begin_s = setup_cpu_s();
	for (int times = 0; times < TIMES; times++)
		promote_each(&setup, ENTRIES);
	begin_s = setup_cpu_s() - begin_s;
	setup_close(&setup);
	return begin_s / documents;
}

/* A page costs no more where there are more than 64 documents. */
static void
test_documents_in_turn(void **state)
{
	setup_cheap("documents in turn", in_turn, 40, 120, 3);
}

/* However many documents there are, none is gone through again for each of
 * its pages. */
static void
test_very_many_in_turn(void **state)
{
	enum { DOCUMENTS = 2500, TIMES = 10 };
	struct setup *setup = *state;
	char text[128];

	for (int i = 0; i < DOCUMENTS; i++) {
		(void)snprintf(text, sizeof(text), "m%d.xml", i);
		int64_t id = setup_document(setup, text);

		(void)snprintf(text, sizeof(text),
		    "a%d b%d c%d d%d e%d f%d g%d h%d i%d j%d", i, i, i, i, i, i,
		    i, i, i, i);
		setup_read(setup, id, text);
	}
	setup_begin(setup);
	for (int times = 0; times < TIMES; times++)
		promote_each(setup, TIMES);
	assert_int_equal(
	    setup->frontier->scheduler->pages.count, DOCUMENTS * TIMES);
	assert_int_equal(setup->frontier->candidates.fills, DOCUMENTS);
	/* nothing is remembered of a document all of whose entries are pages */
	assert_int_equal(setup->frontier->candidates.count, 0);
}

UNIT_TESTS(promotion, setup_test(test_order), setup_test(test_orders),
    setup_test(test_large), setup_test(test_distrusted),
    cmocka_unit_test(test_documents_in_turn),
    setup_test(test_very_many_in_turn));
