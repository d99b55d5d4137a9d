/* Documents, links between them, robots facts and crawls. */
#include "tests/fixtures/fixture.h"

#include "store/db.h"
#include "store/proof.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/store.h"
#include "tests/fixtures/store_fixture.h"

static void
test_identity(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct document document;

	int64_t site = store_site(s, slice_of("a.test"));
	int64_t id = document_make(s, "a.test", MAP);
	assert_int_equal(store_site(s, slice_of("a.test")), site);
	assert_int_equal(document_make(s, "a.test", MAP), id);
	/* a document belongs to the site that led to it */
	assert_int_not_equal(document_make(s, "b.test", MAP), id);
	assert_int_equal(store_document_id(s, site, slice_of(MAP)), id);
	assert_int_equal(store_document_id(s, site, slice_of("x")), 0);
	assert_false(store_document_get(s, 999, &document));
	assert_true(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_false(store_pending(s));
	world_reopen(world);
	assert_int_equal(document_make(world->store, "a.test", MAP), id);
}

/* Children of an index. */

static void
add_child(void *arg, int64_t child_id, const struct date *lastmod)
{
	struct buf *out = arg;

	(void)buf_print(out, " %d", (int)child_id);
	put_day(out, lastmod);
}

static void
assert_children(struct store *store, int64_t index_id, const char *expected)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	store_each_child(store, index_id, add_child, &out);
	assert_string_equal(buf_str(&out), expected);
	buf_release(&out);
}

static void
link_day(struct store *store, int64_t index_id, int64_t child_id, int day)
{
	struct date date = date_of_day(day);

	store_link(store, index_id, child_id, &date);
}

static void
test_links(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t index = document_make(s, SITE, HOST_TEXT "index.xml"); /* 1 */
	int64_t two = document_make(s, SITE, HOST_TEXT "2.xml");
	int64_t three = document_make(s, SITE, HOST_TEXT "3.xml");

	/* the child is known once the index was read, not before */
	link_set_of(s, index)->count = 0;
	link_day(s, index, two, 5);
	link_day(s, index, three, 6);
	assert_int_equal(store_flush(s), DIAG_OK);
	assert_children(s, index, "");
	(void)read_at(s, index, 1, COMPLETE, "");
	assert_children(s, index, " 2:5 3:6");
	world_reopen(world);
	s = world->store;
	assert_children(s, index, " 2:5 3:6");
}

/* R-120, for children: they are missed before they are dropped. */
static void
test_links_age(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t index = document_make(s, SITE, HOST_TEXT "index.xml");
	int64_t two = document_make(s, SITE, HOST_TEXT "2.xml");
	int64_t three = document_make(s, SITE, HOST_TEXT "3.xml");
	reach_root(s, store_site(s, slice_of(SITE)), index, ROOT_OF_TARGET,
	    slice_make(NULL, 0));
	link_day(s, index, two, 5);
	link_day(s, index, three, 6);
	(void)read_at(s, index, 1, COMPLETE, "");
	/* a failed reading changes nothing, and its links are dropped */
	link_set_of(s, index)->count = 0;
	(void)read_at(s, index, 2, FAILED, "");
	assert_children(s, index, " 2:5 3:6");
	/* a partial reading adds and re-dates children */
	link_set_of(s, index)->count = 0;
	link_day(s, index, two, 7);
	(void)read_at(s, index, 3, PARTIAL, "");
	assert_children(s, index, " 2:7 3:6");
	/* a complete reading: 3 is missed, and may return */
	link_set_of(s, index)->count = 0;
	link_day(s, index, two, 7);
	(void)read_at(s, index, 4, COMPLETE, "");
	assert_children(s, index, " 2:7");
	link_set_of(s, index)->count = 0;
	link_day(s, index, three, 8);
	(void)read_at(s, index, 5, COMPLETE, "");
	assert_children(s, index, " 3:8");
	assert_true(store_number(s, STORE_IS_LED, two, 0) != 0);
	/* an unchanged reading: 2 is missed for the second time; once the other
	 * child was read, nothing leads to 2 */
	(void)read_at(s, index, 6, UNCHANGED, "");
	assert_children(s, index, " 3:8");
	assert_true(store_number(s, STORE_IS_LED, two, 0) != 0);
	(void)read_at(s, three, 7, COMPLETE, "");
	(void)read_at(s, index, 8, UNCHANGED, "");
	assert_false(store_number(s, STORE_IS_LED, two, 0) != 0);
	assert_true(store_number(s, STORE_IS_LED, three, 0) != 0);
}

static void
add_parent(void *arg, int64_t index_id, struct slice url)
{
	struct buf *out = arg;

	(void)buf_print(out, " %d=", (int)index_id);
	put_name(out, url);
}

/* */
#define OF_CHILD " FROM document WHERE url LIKE '%/c.xml'"
static void
test_index_lastmod(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t one = document_make(s, SITE, HOST_TEXT "1.xml");
	int64_t two = document_make(s, SITE, HOST_TEXT "2.xml");
	int64_t child = document_make(s, SITE, HOST_TEXT "c.xml");
	link_day(s, one, child, 5);
	(void)read_at(s, one, 1, COMPLETE, "");
	/* The second index is read before the child, but after the request for
	 * the child: its lastmod is news. */
	struct reading *asked = reading_make(s, child, 2, COMPLETE, "");
	link_day(s, two, child, 9);
	(void)read_at(s, two, 3, COMPLETE, "");
	(void)submit(s, asked);

	struct date five = date_of_day(5);
	struct date nine = date_of_day(9);
	assert_int_equal(store_index_lastmod(s, child).epoch_s, nine.epoch_s);
	assert_int_equal(
	    sql_first(s->db, "SELECT index_lastmod_s" OF_CHILD), five.epoch_s);
	assert_int_equal(
	    sql_first(s->db, "SELECT index_lastmod_form & 7" OF_CHILD),
	    DATE_DAY);
	store_each_parent(s, child, add_parent, out);
	assert_string_equal(buf_str(out), " 1=1.xml 2=2.xml");
}

/* A loop within a loop over the same rows, and the same loops again. */

struct nest {
	struct store *store;
	struct buf *out;
	unsigned depth;
};

static void
add_nested(void *arg, int64_t child_id, const struct date *lastmod)
{
	struct nest nest = *(const struct nest *)arg;

	(void)buf_print(nest.out, " %d", (int)child_id);
	if (nest.depth-- == 0)
		return;
	(void)buf_print(nest.out, "(");
	store_each_child(nest.store, 1, add_nested, &nest);
	(void)buf_print(nest.out, ")");
}

static void
test_nested_loops(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t index = document_make(s, SITE, HOST_TEXT "index.xml"); /* 1 */
	link_day(s, index, document_make(s, SITE, HOST_TEXT "2.xml"), 5);
	link_day(s, index, document_make(s, SITE, HOST_TEXT "3.xml"), 6);
	(void)read_at(s, index, 1, COMPLETE, "");
	for (int i = 0; i < 2; i++) {
		struct nest nest = {s, out, 2};

		buf_clear(out);
		store_each_child(s, index, add_nested, &nest);
		assert_string_equal(
		    buf_str(out), " 2( 2( 2 3) 3( 2 3)) 3( 2( 2 3) 3( 2 3))");
	}
}

/* Robots and proofs. */

static void
add_text(void *arg, struct slice text)
{
	struct buf *out = arg;

	(void)buf_put_char(out, ' ');
	(void)buf_put_slice(out, text);
}

static void
put_robots(struct store *store, const char *origin, const char *first,
    const char *second)
{
	struct slice sitemaps[] = {slice_of(first), slice_of(second)};
	const uint32_t lines[] = {3, 4};
	struct robots_fact fact = {
	    .origin = slice_of(origin),
	    .fetched_s = 100,
	    .expires_s = 200,
	    .status = 200,
	    .has_body = true,
	    .body = slice_make("a\0b", 3),
	    .sitemaps = sitemaps,
	    .lines = lines,
	    .sitemap_count = (first != NULL) + (second != NULL),
	};

	store_robots(store, &fact);
}

static void
assert_proof_origins(struct store *store, const char *url, const char *expected)
{
	struct string_set set = {0};
	struct buf out;

	buf_init(&out, SIZE_MAX);
	proof_collect(store, 0, slice_of(url), 0, &set);
	for (size_t i = 0; i < set.count; i++)
		(void)buf_print(&out, " %s", set.items[i]);
	assert_string_equal(buf_str(&out), expected);
	buf_release(&out);
	string_set_release(&set);
}

static void
test_robots(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	struct robots_fact fact;
	struct buf body;

	buf_init(&body, SIZE_MAX);
	assert_false(
	    store_robots_get(s, slice_of("http://h.test"), &fact, &body));
	put_robots(s, "http://h.test", "http://cdn.test/m.xml", MAP);
	put_robots(s, "http://i.test", "http://cdn.test/m.xml", MAP);
	assert_proof_origins(
	    s, "http://cdn.test/m.xml", " http://h.test http://i.test");
	/* only the latest robots.txt counts */
	put_robots(s, "http://i.test", "http://i.test/m.xml", NULL);
	assert_proof_origins(s, "http://cdn.test/m.xml", " http://h.test");
	assert_proof_origins(s, "http://nobody.test/", "");

	assert_true(
	    store_robots_get(s, slice_of("http://h.test"), &fact, &body));
	assert_int_equal(fact.fetched_s, 100);
	assert_int_equal(fact.expires_s, 200);
	assert_int_equal(fact.status, 200);
	assert_true(fact.has_body && fact.body.len == 3);

	/* only origins of the site count, and only for their own
	 * documents */
	int64_t site = store_site(s, slice_of(SITE));
	store_each_url(s, URLS_SELF_LISTED, site, slice_of(""), add_text, out);
	assert_string_equal(buf_str(out), "");
	(void)document_make(s, SITE, "http://h.test/robots.txt");
	store_each_url(s, URLS_SELF_LISTED, site, slice_of(""), add_text, out);
	assert_string_equal(buf_str(out), " " MAP);
	assert_int_equal(store_flush(s), DIAG_OK);
	buf_release(&body);
}

/* has a document of that origin been read since? */
static void
test_answered(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	static const struct {
		const char *origin;
		int64_t since_s;
		bool has_answered;
	} cases[] = {
	    {"http://h.test", 99, true}, {"http://h.test", 100, false},
	    {"http://h.tes", 99, false}, {"http://h.test:80", 99, false},
	    {"http://i.test", 99, false}, /* the reading failed */
	};

	int64_t site = store_site(s, slice_of(SITE));
	(void)read_at(s, document_make(s, SITE, "http://h.test/a"), 100,
	    COMPLETE, "http://h.test/p\n");
	(void)read_at(
	    s, document_make(s, SITE, "http://i.test/a"), 100, FAILED, "");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct profile profile = profile_default(PROFILE_GOOGLE);
		struct robots_fact fact = {.origin = slice_of(cases[i].origin),
		    .failing_since_s = cases[i].since_s};

		/* after 30 days only a site that answers is open */
		assert_int_equal(robots_is_closed(s, site, &profile, &fact,
				     cases[i].since_s + 30 * INT64_C(86400)),
		    !cases[i].has_answered);
	}
}

static void
test_crawl(void **state)
{
	struct world *world = *state;
	enum { THEN = 1000000, NEVER = 0 };
	static const struct {
		int64_t now_s;
		int64_t begun_s;
		bool is_resumed;
	} cases[] = {
	    {THEN, THEN, false},
	    {THEN, THEN, true}, /* in the same second */
	    {THEN + 60, THEN, true},
	    {THEN + CRAWL_RESUME_S + 1, THEN + CRAWL_RESUME_S + 1, false},
	    {THEN, THEN, false}, /* the clock went back */
	    {NEVER, NEVER, false}, /* it ends here */
	    {THEN, THEN, false},
	};
	bool is_resumed;

	int64_t site = store_site(world->store, slice_of(SITE));
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (cases[i].now_s == NEVER) {
			store_crawl_end(world->store, site);
			continue;
		}
		assert_int_equal(store_crawl_begin(world->store, site,
				     cases[i].now_s, &is_resumed),
		    cases[i].begun_s);
		assert_int_equal(is_resumed, cases[i].is_resumed);
		assert_int_equal(store_flush(world->store), DIAG_OK);
		world_reopen(world);
	}
}

UNIT_TESTS(document, world_test(test_identity), world_test(test_links),
    world_test(test_links_age), world_test(test_index_lastmod),
    world_test(test_nested_loops), world_test(test_robots),
    world_test(test_answered), world_test(test_crawl));
