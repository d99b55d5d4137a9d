/* Which documents of a site are reachable, and what becomes of the others. */
#include "tests/fixtures/fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/proof.h"
#include "store/reach.h"
#include "store/siblings.h"
#include "store/site.h"
#include "store/site_tally.h"
#include "tests/fixtures/store_fixture.h"

#define HOST "h.test"
#define ORIGIN "http://h.test"
#define LINES_MAX 4
#define BEGIN_S (DAY_0 + 100 * (int64_t)DAY_S)

struct village {
	struct world world;
	struct store *store;
	int64_t site_id, now_s;
	int64_t told_id; /* the last reading before the latest assert_site */
};

static int64_t
document(struct village *village, const char *name)
{
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%s", name);
	return document_make(village->store, HOST, url);
}

static void
target(struct village *village, const char *name)
{
	reach_root(village->store, village->site_id, document(village, name),
	    ROOT_OF_TARGET, slice_make(NULL, 0));
}

static void
unroot(struct village *village, const char *name)
{
	reach_unroot(village->store, village->site_id,
	    &(struct unrooting){.document_id = document(village, name),
		.at_s = village->now_s});
	assert_int_equal(store_flush(village->store), DIAG_OK);
}

static void
place(struct village *village, const char *name)
{
	reach_root(village->store, village->site_id, document(village, name),
	    ROOT_OF_PLACE, slice_of(ORIGIN));
}

/* Read a whole robots.txt, a day later, that names these documents, with
 * spaces between them; they are requested then.  Returns what reach_robots
 * returns. */
static uint64_t
robots(struct village *village, const char *names)
{
	struct slice sitemaps[LINES_MAX];
	const uint32_t lines[LINES_MAX] = {1, 2, 3, 4};
	char urls[LINES_MAX][64];
	uint32_t count = 0;
	struct reading *reading;
	uint64_t lost;

	village->now_s += DAY_S;
	for (const char *p = names; *p != '\0'; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		(void)snprintf(urls[count], sizeof(urls[count]),
		    HOST_TEXT "%.*s", (int)len, p);
		sitemaps[count] = slice_of(urls[count]);
		count++;
		p += len;
	}
	lost = store_robots(village->store,
	    &(struct robots_fact){.origin = slice_of(ORIGIN),
		.fetched_s = village->now_s,
		.expires_s = village->now_s + DAY_S,
		.status = 200,
		.sitemaps = sitemaps,
		.lines = lines,
		.sitemap_count = count});
	for (uint32_t i = 0; i < count; i++)
		reach_root(village->store, village->site_id,
		    document_make(village->store, HOST, urls[i]), ROOT_OF_LINE,
		    slice_of(ORIGIN));
	reading = reading_new(document(village, "robots.txt"), village->now_s);
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	(void)submit(village->store, reading);
	return lost;
}

/* Read a document whose answer came from another URL. */
static void
comes(struct village *village, const char *name, const char *from, enum how how,
    const char *listed)
{
	struct reading *reading = reading_make(village->store,
	    document(village, name), ++village->now_s, how, listed);
	char url[64];

	(void)snprintf(url, sizeof(url), HOST_TEXT "%s", from);
	reading->http.final_url = mem_copy(url);
	(void)submit(village->store, reading);
}

static void
answers(
    struct village *village, const char *name, enum how how, const char *listed)
{
	comes(village, name, name, how, listed);
}

/* Read a document that was redirected to another one. */
static void
redirects(struct village *village, const char *name, const char *to,
    const char *listed)
{
	comes(village, name, to, COMPLETE, listed);
}

/* Read an index completely. */
static void
leads(struct village *village, const char *name, const char *children)
{
	int64_t id = document(village, name);
	struct reading *reading;
	char child[32];

	store_links_begin(village->store, id);
	for (const char *p = children; *p != '\0'; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		(void)snprintf(child, sizeof(child), "%.*s", (int)len, p);
		store_link(village->store, id, document(village, child),
		    &(struct date){0});
		p += len;
	}
	reading = reading_make(
	    village->store, id, ++village->now_s, COMPLETE, children);
	reading->content.kind = KIND_INDEX;
	(void)submit(village->store, reading);
}

static void
village_open(struct village *village)
{
	*village = (struct village){.now_s = BEGIN_S};
	world_open(&village->world);
	village->store = village->world.store;
	village->site_id = store_site(village->store, slice_of(HOST));
}

/* Assert how many pages the site lists, and how many were new, removed,
 * returned and gone since the last call. */
static void
assert_site(struct village *village, uint64_t listed, const char *told)
{
	struct site_tally *tally = site_tally_new(
	    village->store, village->site_id);
	uint64_t changes[DELTA_KINDS] = {0};
	char text[64];

	while (site_tally_some(tally, UINT64_MAX))
		;
	site_tally_put(tally, village->store);
	site_tally_free(tally);
	assert_int_equal(store_flush(village->store), DIAG_OK);
	assert_int_equal(
	    store_site_stored(village->store, village->site_id).listed, listed);
	store_site_changed(
	    village->store, village->site_id, village->told_id, changes);
	village->told_id = store_last_reading(village->store);
	(void)snprintf(text, sizeof(text), "%u %u %u %u",
	    (unsigned)changes[DELTA_ADDED], (unsigned)changes[DELTA_REMOVED],
	    (unsigned)changes[DELTA_RETURNED], (unsigned)changes[DELTA_GONE]);
	assert_string_equal(text, told);
}

/* Check that the first crawl of the site is over now, and what the site
 * lists. */
static void
begun(struct village *village, uint64_t listed)
{
	assert_true(store_first_read(village->store, village->site_id));
	assert_site(village, listed, "0 0 0 0");
}

static bool
is_led(struct village *village, const char *name)
{
	return store_is_led(village->store, document(village, name));
}

/* The entries that were gone by the last reading that ended a document had
 * been absent since this time. */
static int64_t
ended_since_s(struct village *village)
{
	sqlite3_stmt *stmt;
	int64_t since_s = 0;

	assert_int_equal(
	    sqlite3_prepare_v2(village->store->db,
		"SELECT since_s FROM reading WHERE outcome = 'ended'"
		" ORDER BY id DESC LIMIT 1",
		-1, &stmt, NULL),
	    SQLITE_OK);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		since_s = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	return since_s;
}

/* Sitemap lines. */

static void
lines_open(struct village *village)
{
	village_open(village);
	assert_int_equal(robots(village, "a.xml"), 0);
	answers(village, "a.xml", COMPLETE, "p q");
	begun(village, 2);
}

/* A Sitemap line is replaced.  Pages that only the old document listed are
 * gone with the second robots.txt that lacks the line, since the time of the
 * first. */
static void
test_line_replaced(void **state)
{
	struct village village;
	int64_t lost_s;

	lines_open(&village);
	assert_int_equal(robots(&village, "b.xml"), 0);
	lost_s = village.now_s;
	answers(&village, "b.xml", COMPLETE, "q r");
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 3, "1 0 0 0");
	assert_int_equal(robots(&village, "b.xml"), 0);
	assert_false(is_led(&village, "a.xml"));
	assert_site(&village, 2, "0 0 0 1");
	assert_int_equal(ended_since_s(&village), lost_s);
	/* a document that is named again is a root again, and its pages are
	 * new */
	assert_int_equal(robots(&village, "a.xml b.xml"), 0);
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 2, "0 0 0 0");
	answers(&village, "a.xml", COMPLETE, "p q");
	assert_site(&village, 3, "1 0 0 0");
	world_close(&village.world);
}

/* The old document stays until the new one has been read completely. */
static void
test_line_unread(void **state)
{
	struct village village;

	lines_open(&village);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(robots(&village, "b.xml"), 0);
		answers(&village, "b.xml", i < 2 ? FAILED : ABSENT, "");
		answers(&village, "a.xml", UNCHANGED, "");
	}
	answers(&village, "b.xml", PARTIAL, "r");
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 3, "1 0 0 0");
	answers(&village, "b.xml", COMPLETE, "r");
	assert_false(is_led(&village, "a.xml"));
	assert_site(&village, 1, "0 0 0 2");
	world_close(&village.world);
}

/* If robots.txt names no document all roots stay, and reach_robots says so
 * each time. */
static void
test_line_lost(void **state)
{
	struct village village;

	lines_open(&village);
	for (int i = 0; i < 4; i++)
		assert_int_equal(robots(&village, ""), 1);
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 2, "0 0 0 0");
	/* the line is back */
	assert_int_equal(robots(&village, "a.xml"), 0);
	/* another document is named, in two readings of robots.txt */
	assert_int_equal(robots(&village, "b.xml"), 0);
	answers(&village, "b.xml", COMPLETE, "r");
	assert_true(is_led(&village, "a.xml"));
	assert_int_equal(robots(&village, "a.xml b.xml"), 0);
	assert_int_equal(robots(&village, "b.xml"), 0);
	answers(&village, "b.xml", COMPLETE, "r");
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 3, "1 0 0 0");
	world_close(&village.world);
}

/* A default location is a root until robots.txt names documents; a target is
 * a root whatever robots.txt names. */
static void
test_places(void **state)
{
	struct village village;

	village_open(&village);
	place(&village, "sitemap.xml");
	target(&village, "t.xml");
	assert_int_equal(robots(&village, ""), 0);
	answers(&village, "sitemap.xml", COMPLETE, "p");
	answers(&village, "t.xml", COMPLETE, "q");
	begun(&village, 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(robots(&village, ""), 0);
	assert_true(is_led(&village, "sitemap.xml"));
	assert_int_equal(robots(&village, "b.xml"), 0);
	answers(&village, "b.xml", COMPLETE, "r");
	assert_true(is_led(&village, "sitemap.xml"));
	assert_int_equal(robots(&village, "b.xml"), 0);
	assert_false(is_led(&village, "sitemap.xml"));
	assert_true(is_led(&village, "t.xml"));
	assert_site(&village, 2, "1 0 0 1");
	world_close(&village.world);
}

/* Pages of a target that the operator removed did not leave their site. */
static void
test_unroot(void **state)
{
	struct village village;

	village_open(&village);
	target(&village, "a.xml");
	target(&village, "b.xml");
	answers(&village, "a.xml", COMPLETE, "p q");
	answers(&village, "b.xml", COMPLETE, "q r");
	begun(&village, 3);
	unroot(&village, "a.xml");
	assert_false(is_led(&village, "a.xml"));
	assert_segment(village.store, document(&village, "a.xml"), "");
	assert_site(&village, 2, "0 0 0 0");
	/* a target that is added again had its pages all the time; only later
	 * changes count */
	target(&village, "a.xml");
	answers(&village, "a.xml", COMPLETE, "p q s");
	assert_true(is_led(&village, "a.xml"));
	assert_site(&village, 4, "0 0 0 0");
	answers(&village, "a.xml", COMPLETE, "p q s t");
	assert_site(&village, 5, "1 0 0 0");
	/* all that the robots.txt and the default locations of the origin
	 * lead to */
	assert_int_equal(robots(&village, "c.xml"), 0);
	place(&village, "sitemap.xml");
	answers(&village, "c.xml", COMPLETE, "u");
	answers(&village, "sitemap.xml", COMPLETE, "v");
	assert_site(&village, 7, "2 0 0 0");
	reach_unroot(village.store, village.site_id,
	    &(struct unrooting){
		.origin = slice_of(ORIGIN), .at_s = village.now_s});
	assert_site(&village, 5, "0 0 0 0");
	world_close(&village.world);
}

/* A document ends when it answers 404 for a week, and by no other failure. */
static void
test_absent(void **state)
{
	struct village village;
	int64_t absent_s;

	village_open(&village);
	target(&village, "a.xml");
	answers(&village, "a.xml", COMPLETE, "p q");
	begun(&village, 2);
	answers(&village, "a.xml", ABSENT, "");
	village.now_s += 6 * DAY_S;
	answers(&village, "a.xml", ABSENT, "");
	assert_site(&village, 2, "0 0 0 0");
	/* something else */
	answers(&village, "a.xml", FAILED, "");
	village.now_s += 2 * DAY_S;
	answers(&village, "a.xml", ABSENT, "");
	absent_s = village.now_s;
	village.now_s += 7 * DAY_S - 2;
	answers(&village, "a.xml", ABSENT, "");
	assert_site(&village, 2, "0 0 0 0");
	answers(&village, "a.xml", ABSENT, "");
	assert_site(&village, 0, "0 0 0 2");
	assert_int_equal(ended_since_s(&village), absent_s);
	answers(&village, "a.xml", ABSENT, "");
	assert_site(&village, 0, "0 0 0 0");
	/* the document is back, and only pages that it did not list before
	 * are new */
	answers(&village, "a.xml", COMPLETE, "p");
	assert_site(&village, 1, "1 0 0 0");
	/* other failures end no document, however long they last */
	for (int i = 0; i < 60; i++) {
		village.now_s += DAY_S;
		answers(&village, "a.xml", i % 2 == 0 ? FAILED : REFUSED, "");
	}
	assert_site(&village, 1, "0 0 0 0");
	world_close(&village.world);
}

/* Children. */

static void
test_child(void **state)
{
	struct village village;
	int64_t lacked_s;

	village_open(&village);
	target(&village, "i.xml");
	target(&village, "j.xml");
	leads(&village, "i.xml", "x.xml y.xml");
	leads(&village, "j.xml", "y.xml");
	answers(&village, "x.xml", COMPLETE, "p q");
	answers(&village, "y.xml", COMPLETE, "q r");
	begun(&village, 3);
	leads(&village, "i.xml", "");
	lacked_s = village.now_s;
	assert_true(is_led(&village, "x.xml"));
	assert_site(&village, 3, "0 0 0 0");
	leads(&village, "i.xml", "");
	assert_false(is_led(&village, "x.xml"));
	assert_site(&village, 2, "0 0 0 1");
	assert_int_equal(ended_since_s(&village), lacked_s);
	/* the other index lists the child */
	assert_true(is_led(&village, "y.xml"));
	/* the child is listed again before it is missed twice */
	leads(&village, "j.xml", "");
	leads(&village, "j.xml", "y.xml");
	leads(&village, "j.xml", "");
	assert_true(is_led(&village, "y.xml"));
	answers(&village, "j.xml", UNCHANGED, "");
	assert_false(is_led(&village, "y.xml"));
	assert_site(&village, 0, "0 0 0 2");
	/* a child that is back, after more than a day */
	village.now_s += 2 * DAY_S;
	leads(&village, "i.xml", "x.xml");
	assert_true(is_led(&village, "x.xml"));
	answers(&village, "x.xml", COMPLETE, "q");
	assert_site(&village, 1, "1 0 0 0");
	world_close(&village.world);
}

/* When an index ends, its children and their children end, too, except those
 * that something else leads to. */
static void
test_index_ends(void **state)
{
	struct village village;

	village_open(&village);
	target(&village, "i.xml");
	target(&village, "z.xml");
	leads(&village, "i.xml", "j.xml y.xml z.xml");
	leads(&village, "j.xml", "x.xml i.xml");
	answers(&village, "x.xml", COMPLETE, "p");
	answers(&village, "y.xml", COMPLETE, "q");
	answers(&village, "z.xml", COMPLETE, "r");
	begun(&village, 3);
	answers(&village, "i.xml", ABSENT, "");
	village.now_s += REACH_ABSENT_S;
	answers(&village, "i.xml", ABSENT, "");
	assert_false(is_led(&village, "j.xml"));
	assert_false(is_led(&village, "x.xml"));
	assert_true(is_led(&village, "z.xml"));
	assert_site(&village, 1, "0 0 0 2");
	/* the children return with the index */
	leads(&village, "i.xml", "j.xml y.xml z.xml");
	assert_true(is_led(&village, "y.xml"));
	assert_true(is_led(&village, "j.xml"));
	answers(&village, "y.xml", COMPLETE, "q");
	assert_site(&village, 2, "1 0 0 0");
	world_close(&village.world);
}

/* Two documents that redirect to one URL count once, whichever is requested
 * first. */
static void
test_alias(void **state)
{
	struct village village;

	village_open(&village);
	target(&village, "a.xml");
	answers(&village, "a.xml", COMPLETE, "p q");
	begun(&village, 2);
	/* another document takes its place */
	redirects(&village, "a.xml", "b.xml", "p q");
	assert_site(&village, 2, "0 0 0 0");
	assert_int_equal(robots(&village, "b.xml"), 0);
	answers(&village, "b.xml", COMPLETE, "p q");
	assert_segment(village.store, document(&village, "a.xml"), "");
	assert_site(&village, 2, "0 0 0 0");
	redirects(&village, "a.xml", "b.xml", "p q");
	assert_segment(village.store, document(&village, "a.xml"), "");
	assert_site(&village, 2, "0 0 0 0");
	/* the target leads to the document, even if nothing else does */
	reach_unroot(village.store, village.site_id,
	    &(struct unrooting){
		.origin = slice_of(ORIGIN), .at_s = village.now_s});
	assert_true(is_led(&village, "b.xml"));
	assert_site(&village, 2, "0 0 0 0");
	/* the document is no alias any more, and lists what it listed */
	answers(&village, "a.xml", COMPLETE, "p q");
	assert_segment(village.store, document(&village, "a.xml"), "p q");
	assert_site(&village, 2, "0 0 0 0");
	world_close(&village.world);
}

/* An index that is redirected to a page list of the site ends with children
 * that are no pages. */
static void
test_index_becomes_alias(void **state)
{
	struct village village;

	village_open(&village);
	target(&village, "a.xml");
	target(&village, "i.xml");
	answers(&village, "a.xml", COMPLETE, "p q");
	leads(&village, "i.xml", "c.xml d.xml");
	begun(&village, 2);
	redirects(&village, "i.xml", "a.xml", "p q");
	assert_site(&village, 2, "0 0 0 0");
	world_close(&village.world);
}

/* A large site is not settled at each commit that puts it in doubt, but
 * store_settle settles it. */
static void
test_many(void **state)
{
	struct village village;
	char name[32];

	village_open(&village);
	target(&village, "i.xml");
	for (int i = 0; i <= SETTLE_MANY; i++) {
		(void)snprintf(name, sizeof(name), "more-%d.xml", i);
		(void)document(&village, name);
	}
	leads(&village, "i.xml", "a.xml b.xml");
	answers(&village, "a.xml", COMPLETE, "p");
	answers(&village, "b.xml", COMPLETE, "q");
	begun(&village, 2);
	leads(&village, "i.xml", "a.xml");
	answers(&village, "a.xml", COMPLETE, "p");
	leads(&village, "i.xml", "a.xml");
	assert_false(is_led(&village, "b.xml"));
	leads(&village, "i.xml", "a.xml b.xml");
	assert_false(is_led(&village, "b.xml"));
	assert_true(
	    store_settle(village.store, village.site_id, village.now_s));
	assert_int_equal(store_flush(village.store), DIAG_OK);
	assert_true(is_led(&village, "b.xml"));
	assert_false(
	    store_settle(village.store, village.site_id, village.now_s));
	/* some time later a commit settles the site */
	leads(&village, "i.xml", "a.xml");
	answers(&village, "a.xml", COMPLETE, "p");
	village.now_s += DAY_S;
	leads(&village, "i.xml", "a.xml");
	assert_false(is_led(&village, "b.xml"));
	world_close(&village.world);
}

/* Which of all documents may list what a.xml lacks: those of its own index, and
 * of the index beside it, but not what an index of the site lists elsewhere. */
static void
test_siblings(void **state)
{
	static const struct {
		const char *first; /* the document that was read first */
		bool is_sibling;
	} rows[] = {{"i.xml", false}, {"j.xml", true}, {"k.xml", false},
	    {"b.xml", true}, {"c.xml", true}, {"d.xml", false}};
	struct village village;

	village_open(&village);
	target(&village, "i.xml");
	target(&village, "d.xml");
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t first_s = 0, last_s = 0;

		/* what is asked about is read first, and then all others */
		for (int round = 0; round < 2; round++) {
			const struct {
				const char *name, *children;
			} indexes[] = {{"i.xml", "j.xml k.xml"},
			    {"j.xml", "a.xml b.xml"}, {"k.xml", "c.xml"}};
			const char *pages[] = {
			    "a.xml", "b.xml", "c.xml", "d.xml"};

			for (size_t k = 0; k < 3; k++)
				if ((strcmp(indexes[k].name, rows[i].first) ==
					0) == (round == 0))
					leads(&village, indexes[k].name,
					    indexes[k].children);
			for (size_t k = 0; k < 4; k++)
				if ((strcmp(pages[k], rows[i].first) == 0) ==
				    (round == 0))
					answers(
					    &village, pages[k], COMPLETE, "p");
			if (round == 0)
				first_s = village.now_s;
			last_s = village.now_s;
		}
		if ((siblings_open_s(village.store, document(&village, "a.xml"),
			 last_s) == first_s + 1) != rows[i].is_sibling)
			fail_msg("%s", rows[i].first);
	}
	world_close(&village.world);
}

UNIT(reach)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_line_replaced),
	    cmocka_unit_test(test_line_unread),
	    cmocka_unit_test(test_line_lost),
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_unroot),
	    cmocka_unit_test(test_siblings),
	    cmocka_unit_test(test_absent),
	    cmocka_unit_test(test_child),
	    cmocka_unit_test(test_index_ends),
	    cmocka_unit_test(test_alias),
	    cmocka_unit_test(test_index_becomes_alias),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
