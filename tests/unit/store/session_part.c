/* Session parts of URLs, and what the readings of such a document change. */
#include "store/siblings.h"

#include "store/changes.h"
#include "store/site.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define AT_S INT64_C(1000000)

/* Append the pages of a text with "%d", from 1 on. */
static void
put_pages(struct buf *out, const char *before, const char *after, int count)
{
	for (int i = 1; i <= count; i++)
		(void)buf_print(out, "%s%d%s ", before, i, after);
}

static void
parts(void **state)
{
	/* 6 pages of the first, then of the second kind: before and after their
	 * numbers; and others that stay */
	static const struct {
		const char *from[2], *to[2], *part;
	} trials[] = {
	    {{"a/", "?sid=1"}, {"a/", "?sid=2"}, "?sid="},
	    {{"a/", ";jsessionid=1"}, {"a/", ";jsessionid=2?x"},
		";jsessionid="},
	    {{"a/", ";jsessionid=1/x.html?y=2"},
		{"a/", ";jsessionid=2/x.html?y=2"}, ";jsessionid="},
	    {{"a?id=", "&s=1&x=2"}, {"a?id=", "&s=4&x=2"}, "?s="},
	    {{"a?s=1&id=", ""}, {"a?s=2&id=", ""}, "?s="},
	    {{"a/", "?s=1&t=1"}, {"a/", "?s=2&t=2"}, "?s="},
	    /* it comes, or goes */
	    {{"a/", ""}, {"a/", "?sid=2"}, "?sid="},
	    {{"a/", "?sid=2"}, {"a/", ""}, "?sid="},
	    /* other pages */
	    {{"a?id=", ""}, {"a?id=7", ""}, ""},
	    {{"a?id=", "&s=1"}, {"a?id=7", "&s=2"}, ""},
	    {{"a/", "?sid=1"}, {"b/", "?sid=2"}, ""},
	    {{"a/", ""}, {"b/", ""}, ""},
	    {{"a/x?p=", ""}, {"a/x?q=", ""}, ""},
	};

	for (size_t i = 0; i < COUNT(trials); i++) {
		struct world world;
		struct buf text, part;
		int64_t document_id, id = 0;

		world_open(&world);
		buf_init(&text, SIZE_MAX);
		buf_init(&part, SIZE_MAX);
		document_id = document_make(world.store, SITE, MAP);
		for (int at = 0; at < 2; at++) {
			const char *const *kind = at == 0 ? trials[i].from
							  : trials[i].to;

			buf_clear(&text);
			put_pages(&text, "z/", "", 3);
			put_pages(&text, kind[0], kind[1], 6);
			id = read_at(world.store, document_id, AT_S + at,
			    COMPLETE, buf_str(&text));
		}
		if (session_part_find(world.store, id, &part) !=
			(trials[i].part[0] != '\0') ||
		    !slice_is(buf_text(&part), trials[i].part))
			fail_msg("%s%s: %s", trials[i].to[0], trials[i].to[1],
			    buf_str(&part));
		buf_release(&part);
		buf_release(&text);
		world_close(&world);
	}
}

static bool
take_row(void *arg, const struct reading_row *row)
{
	*(struct reading_row *)arg = *row;
	return true;
}

static bool
add_changes(void *arg, const struct reading_row *row)
{
	uint64_t *sum = arg;

	*sum += row->site[DELTA_ADDED] + row->site[DELTA_GONE];
	return row->sessions < SESSION_READINGS;
}

/* From the third version on, nothing is a change of the site; from the second
 * reading on that brings pages otherwise, all is one again. */
static void
counts(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *after;
		int count;
		uint64_t sessions, added, gone;
	} readings[] = {
	    {"?s=1", 6, 0, 0, 0},
	    {"?s=2", 6, 1, 6, 0},
	    {"?s=2", 6, 1, 0, 6},
	    {"?s=3", 6, 2, 0, 0}, /* and what came before is none, too */
	    {"?s=4", 6, 3, 0, 0},
	    {"", 6, 4, 0, 0}, /* it is mended */
	    {"", 6, 4, 0, 0}, /* the last ones with the part go */
	    {"", 8, 0, 2, 0}, /* pages come */
	    {"", 3, 0, 0, 0},
	    {"", 3, 0, 0, 5},
	};
	struct buf text;
	uint64_t sum = 0;
	int64_t document_id, site_id;

	buf_init(&text, SIZE_MAX);
	document_id = document_make(world->store, SITE, MAP);
	site_id = store_site(world->store, slice_of(SITE));
	for (size_t i = 0; i < COUNT(readings); i++) {
		struct reading_row row = {0};
		int64_t id;

		buf_clear(&text);
		put_pages(&text, "a/", readings[i].after, readings[i].count);
		id = read_at(world->store, document_id,
		    AT_S + (int64_t)i * 86400, COMPLETE, buf_str(&text));
		site_recount(world->store, site_id);
		store_each_reading(world->store,
		    (struct reading_from){.after_id = id - 1}, take_row, &row);
		if (row.sessions != readings[i].sessions ||
		    row.site[DELTA_ADDED] != readings[i].added ||
		    row.site[DELTA_GONE] != readings[i].gone)
			fail_msg("reading %zu: %d sessions, %d new, %d gone", i,
			    (int)row.sessions, (int)row.site[DELTA_ADDED],
			    (int)row.site[DELTA_GONE]);
	}
	store_each_reading(world->store, (struct reading_from){.after_id = 0},
	    add_changes, &sum);
	assert_int_equal(sum, 0);
	buf_release(&text);
}

UNIT_TESTS(session_part, cmocka_unit_test(parts), world_test(counts));
