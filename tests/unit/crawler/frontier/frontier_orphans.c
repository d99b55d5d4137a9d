/* The frontier: what nothing leads to any more is not read, and its pages are
 * not handed out. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"

#define HOUR_S 3600
#define OLD_MAP HOST_TEXT "old.xml"

static void
root(struct office *office, struct slice target)
{
	struct store *store = office->world.store;
	char *url = slice_dup(target);

	reach_root(store, store_site(store, slice_of(OFFICE_HOST)),
	    document_make(store, OFFICE_HOST, url), ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	free(url);
}

static void
unroot(struct office *office, struct slice target)
{
	struct store *store = office->world.store;
	int64_t site_id = store_site(store, slice_of(OFFICE_HOST));

	reach_unroot(store, site_id,
	    &(struct unrooting){
		.document_id = store_document_id(store, site_id, target),
		.at_s = office->now_s});
}

/* each(office, texts, fn): of each; texts: with a space behind each. */
static void
each(struct office *office, const char *texts,
    void (*fn)(struct office *, struct slice))
{
	for (const char *end; (end = strchr(texts, ' ')) != NULL;
	     texts = end + 1)
		fn(office, slice_make(texts, (size_t)(end - texts)));
}

/* watch(office, targets, former): former ones are taken off. */
static void
watch(struct office *office, const char *targets, const char *former)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(office->world.store, slice_of(OFFICE_HOST));
	row.every_least_s = row.every_most_s = HOUR_S;
	store_watch_put(office->world.store, &row);
	watch_release(&row);
	each(office, targets, root);
	each(office, former, unroot);
	assert_int_equal(store_flush(office->world.store), DIAG_OK);
	if (office->frontier != NULL) {
		frontier_watch_changed(office->frontier, 1, office->now_s);
		(void)frontier_sync(office->frontier, office->now_s);
	}
}

/* The documents that are read within a day, which robots.txt is once: their
 * names, in order. */
static const char *
read_in_a_day(struct office *office, struct buf *out)
{
	static const char *const names[] = {
	    "index.xml", "map.xml", "old.xml", "robots.txt", "x.xml", "y.xml"};
	int64_t end_s = office->now_s + DAY_S + HOUR_S;
	bool were_read[6] = {false};
	struct frontier_document document;

	for (; office->now_s < end_s; office->now_s += HOUR_S / 2)
		while (frontier_next_document(
		    office->frontier, office->now_s, &document)) {
			struct document it = document_get(
			    office->world.store, document.id);

			for (size_t i = 0; i < 6; i++)
				were_read[i] |= strcmp(
						    it.url + strlen(HOST_TEXT),
						    names[i]) == 0;
			document_release(&it);
			(void)submit(office->world.store,
			    reading_make(office->world.store, document.id,
				office->now_s, UNCHANGED, ""));
			(void)frontier_sync(office->frontier, office->now_s);
		}
	buf_clear(out);
	for (size_t i = 0; i < 6; i++)
		if (were_read[i])
			(void)buf_print(out, "%s ", names[i]);
	return buf_str(out);
}

static bool
is_off(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	assert_int_equal(terms.is_removed, terms.is_orphan);
	assert_int_equal(terms.is_listed, !terms.is_removed);
	return terms.is_removed;
}

/* Is it no page, and listed by no document? */
static bool
is_unknown(struct office *office, const char *url)
{
	struct frontier_terms terms;

	return !frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms);
}

static void
office_begin_old(struct office *office, int64_t *old)
{
	office_open(office);
	*old = document_make(office->world.store, OFFICE_HOST, OLD_MAP);
	watch(office, OFFICE_MAP " " OLD_MAP " ", "");
	office_begin(office);
}

static void
test_document(void **state)
{
	struct office office;
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_begin_old(&office, &old);
	office_read(&office, old, "a b");
	assert_string_equal(office_taken(&office, &out), "a b ");
	office_read(&office, office.map, "b c");
	office_read(&office, old, "a b d");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml old.xml robots.txt ");
	watch(&office, OFFICE_MAP " ", OLD_MAP " ");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	assert_true(is_off(&office, HOST_TEXT "a"));
	/* it never was a page */
	assert_true(is_unknown(&office, HOST_TEXT "d"));
	/* both listed it */
	assert_false(is_off(&office, HOST_TEXT "b"));
	office.now_s += 90 * DAY_S;
	assert_string_equal(office_taken(&office, &out), "c b ");
	/* to a program that begins now it is the same */
	office_restart(&office);
	office.now_s += 90 * DAY_S;
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	assert_true(is_off(&office, HOST_TEXT "a"));
	assert_string_equal(office_taken(&office, &out), "b c ");
	/* it is taken up again, and lists nothing until it is read */
	watch(&office, OFFICE_MAP " " OLD_MAP " ", "");
	office.now_s += 90 * DAY_S;
	assert_true(is_unknown(&office, HOST_TEXT "d"));
	office_read(&office, old, "a b d");
	assert_false(is_off(&office, HOST_TEXT "a"));
	assert_int_equal(office_count(&office), 4);
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml old.xml robots.txt ");
	buf_release(&out);
	office_close(&office);
}

/* A page that a fetcher has, or that waits for its host, when its target goes:
 * an answer is taken, and it is not handed out again. */
static void
test_leased(void **state)
{
	struct office office;
	struct frontier_page page;
	struct frontier_spent spent;
	char token[64];
	struct buf out;
	int64_t old;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_begin_old(&office, &old);
	office_read(&office, old, "a b");
	office.consumer.per_host = 1;
	assert_true(office_take(&office, &page));
	(void)snprintf(token, sizeof(token), "%s", page.token);
	assert_false(office_take(&office, &page));
	watch(&office, OFFICE_MAP " ", OLD_MAP " ");
	assert_string_equal(office_done(&office, token, 200, "x"), "OK");
	assert_string_equal(office_taken(&office, &out), "");
	assert_true(frontier_next_s(office.frontier, &office.consumer,
			office.now_s, &spent) == FRONTIER_NEVER);
	assert_null(spent.of);
	watch(&office, OFFICE_MAP " " OLD_MAP " ", "");
	assert_string_equal(office_taken(&office, &out), "");
	office_read(&office, old, "a b");
	assert_string_equal(office_taken(&office, &out), "b ");
	buf_release(&out);
	office_close(&office);
}

/* lists(office, index, children): a complete reading of an index; children:
 * NULL behind them. */
static void
lists(struct office *office, const char *index, const char *const *children)
{
	struct store *store = office->world.store;
	int64_t id = document_make(store, OFFICE_HOST, index);
	struct reading *reading;
	struct buf listed, url;

	buf_init(&listed, SIZE_MAX);
	buf_init(&url, SIZE_MAX);
	for (size_t i = 0; children[i] != NULL; i++)
		(void)buf_print(
		    &listed, "%s%s", i == 0 ? "" : " ", children[i]);
	reading = reading_make(
	    store, id, office->now_s, COMPLETE, buf_str(&listed));
	reading->content.kind = KIND_INDEX;
	store_links_begin(store, id);
	for (size_t i = 0; children[i] != NULL; i++) {
		buf_clear(&url);
		(void)buf_print(&url, HOST_TEXT "%s", children[i]);
		store_link(store, id,
		    document_make(store, OFFICE_HOST, buf_str(&url)),
		    &(struct date){0});
	}
	(void)submit(store, reading);
	(void)frontier_sync(office->frontier, office->now_s);
	buf_release(&listed);
	buf_release(&url);
}

/* Children of an index go with it, but those that another one lists, as long as
 * it does. */
static void
test_index(void **state)
{
	struct office office;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	office_open(&office);
	watch(&office, OFFICE_MAP " " HOST_TEXT "index.xml ", "");
	office_begin(&office);
	lists(&office, HOST_TEXT "index.xml",
	    (const char *const[]){"x.xml", "y.xml", NULL});
	lists(&office, OFFICE_MAP, (const char *const[]){"y.xml", NULL});
	assert_string_equal(read_in_a_day(&office, &out),
	    "index.xml map.xml robots.txt x.xml y.xml ");
	watch(&office, OFFICE_MAP " ", HOST_TEXT "index.xml ");
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt y.xml ");
	/* missed, and then gone */
	lists(&office, OFFICE_MAP, (const char *const[]){NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt y.xml ");
	lists(&office, OFFICE_MAP, (const char *const[]){NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt ");
	lists(&office, OFFICE_MAP, (const char *const[]){"x.xml", NULL});
	assert_string_equal(
	    read_in_a_day(&office, &out), "map.xml robots.txt x.xml ");
	buf_release(&out);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_document),
	    cmocka_unit_test(test_leased),
	    cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
