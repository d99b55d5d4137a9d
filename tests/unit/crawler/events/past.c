/* What is kept of the past of a site is what is computed. */
#include "crawler/events/past.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/section.h"
#include "base/zone.h"
#include "store/document.h"
#include "store/past.h"
#include "store/site.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define BEGIN_S (20416 * DAY_S) /* a Monday */
#define PAGES 60
#define SPANS 3

static uint32_t seed;

static unsigned
below(unsigned most)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % most;
}

/* Everything that the past tells of a span, as text. */
static const char *
tell(struct site_past *past, const struct events_span *span, struct buf *out)
{
	struct site_event_list list = {0};
	uint64_t sums[64][STATS_KINDS] = {{0}};

	(void)buf_print(out, "gap %d\n", (int)past_events(past, span, &list));
	for (size_t i = 0; i < list.count; i++) {
		site_event_json(out, &list.items[i], slice_of(SITE));
		(void)buf_put_char(out, '\n');
	}
	site_event_list_release(&list);
	for (size_t i = 0; i < past->counts.count; i++) {
		const struct site_count *one = &past->counts.items[i];
		struct slice name = names_slice(
		    &past->counts.sections, one->section);

		/* sections are named by one letter, or are the home page */
		if (one->at_s >= span->since_s && one->at_s < span->until_s)
			sums[name.len > 1 ? name.p[1] % 64 : 0][one->kind] +=
			    one->pages;
	}
	for (int i = 0; i < 64; i++)
		for (int kind = 0; kind < STATS_KINDS; kind++)
			if (sums[i][kind] > 0)
				(void)buf_print(out, "%d %d: %" PRIu64 "\n", i,
				    kind, sums[i][kind]);
	return buf_str(out);
}

static void
open_past(struct world *world, struct site_past *past, int64_t site_id,
    const struct events_span *span)
{
	past_open(past, world->store, site_id, span,
	    span->is_as_told ? PAST_TOLD | PAST_COUNTS
			     : PAST_KNOWN | PAST_COUNTS);
}

static struct events_span
some_span(int64_t now_s, unsigned days)
{
	struct events_span span = {.now_s = now_s,
	    .is_as_told = below(2) == 0,
	    .wants_doubtful = below(2) == 0};

	span.since_s = now_s - (int64_t)below(days * 86400);
	span.until_s = below(2) == 0 ? now_s + 1
				     : span.since_s +
		(int64_t)below((unsigned)(now_s - span.since_s) + 1);
	return span;
}

/* What a document lists: pages of three sections, of which some come, go and
 * move together. */
struct pages {
	bool is_there[PAGES];
	char section[PAGES];
};

static void
change(struct pages *pages)
{
	unsigned first = below(PAGES - 20), count = 1 + below(20);
	char section = (char)('p' + below(3));

	switch (below(4)) {
	case 0: /* come, or are back */
		for (unsigned i = first; i < first + count; i++)
			pages->is_there[i] = true;
		break;
	case 1: /* go */
		for (unsigned i = first; i < first + count; i++)
			pages->is_there[i] = false;
		break;
	case 2: /* move */
		for (unsigned i = first; i < first + count; i++)
			pages->section[i] = section;
		break;
	default:
		break;
	}
}

static void
put_pages(const struct pages *pages, struct buf *out)
{
	buf_clear(out);
	for (char section = 'p'; section < 's'; section++)
		for (unsigned i = 0; i < PAGES; i++)
			if (pages->is_there[i] && pages->section[i] == section)
				(void)buf_print(out, "%s%c/%02u-a-b",
				    out->len > 0 ? " " : "", section, i);
}

/* A history in which anything happens; after each reading, what is kept is what
 * is computed. */
static void
kept_is_computed(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	static const enum how hows[] = {COMPLETE, COMPLETE, COMPLETE, COMPLETE,
	    UNCHANGED, FAILED, PARTIAL, HELD};
	int64_t documents[2];
	struct pages pages[2] = {0};
	struct buf text = BUF_UP_TO(1 << 16);
	int64_t site_id, now_s = BEGIN_S;
	unsigned kept = 0, told = 0;

	seed = 47;
	documents[0] = document_make(store, SITE, MAP);
	documents[1] = document_make(store, SITE, HOST_TEXT "more.xml");
	site_id = store_site_find(store, slice_of(SITE));
	for (unsigned i = 0; i < PAGES; i++) {
		pages[0].section[i] = 'p';
		pages[1].section[i] = 'q';
		pages[0].is_there[i] = i < 40;
	}
	for (int n = 0; n < 120; n++) {
		unsigned which = below(2);
		enum how how = n < 2 ? COMPLETE : hows[below(8)];

		now_s += n < 2 ? 60 : 3600 * (int64_t)(1 + below(20));
		if (how != UNCHANGED && n > 1 && below(3) > 0)
			change(&pages[which]);
		put_pages(&pages[which], &text);
		(void)read_at(store, documents[n < 2 ? n : (int)which], now_s,
		    how, buf_str(&text));
		if (n == 1)
			(void)store_first_read(store, site_id);
		site_recount(store, site_id);
		if (n < 8)
			continue;
		kept += past_keep(
		    store, site_id, &(struct events_span){.now_s = now_s});
		assert_int_equal(store_flush(store), DIAG_OK);
		for (int i = 0; i < SPANS; i++) {
			/* the clock goes on after the last reading, or is set
			 * back before it */
			int64_t at_s = below(3) > 0
			    ? now_s + (int64_t)below(3 * 86400)
			    : now_s - (int64_t)below(2 * 86400);
			struct events_span span = some_span(
			    at_s, 1 + (unsigned)((at_s - BEGIN_S) / DAY_S));
			struct buf one = BUF_UP_TO(SIZE_MAX);
			struct buf other = BUF_UP_TO(SIZE_MAX);
			struct site_past past;

			open_past(world, &past, site_id, &span);
			(void)tell(&past, &span, &one);
			past_release(&past);
			/* without the row, which comes back */
			sql_run(world->path, "UPDATE past SET key = key + 1");
			open_past(world, &past, site_id, &span);
			(void)tell(&past, &span, &other);
			past_release(&past);
			sql_run(world->path, "UPDATE past SET key = key - 1");
			assert_string_equal(buf_str(&one), buf_str(&other));
			told += slice_count(buf_text(&one), '{') > 0;
			buf_release(&one);
			buf_release(&other);
		}
	}
	/* or nothing was compared */
	assert_true(kept > 50);
	assert_true(told > 100);
	buf_release(&text);
}

/* What is damaged is not there, whichever byte it is. */
static void
damaged_is_none(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	int64_t document_id = document_make(store, SITE, MAP);
	int64_t site_id = store_site_find(store, slice_of(SITE));
	struct buf data = BUF_UP_TO(SIZE_MAX);
	char change[200];

	(void)read_at(store, document_id, BEGIN_S, COMPLETE, "a b c");
	store_past_put(
	    store, site_id, 47, BEGIN_S, BEGIN_S + 9, slice_of("what is kept"));
	assert_int_equal(store_flush(store), DIAG_OK);
	assert_true(store_past_get(store, site_id, 47, BEGIN_S, &data));
	assert_string_equal(buf_str(&data), "what is kept");
	assert_false(store_past_get(store, site_id, 47, BEGIN_S - 1, &data));
	assert_false(store_past_get(store, site_id, 47, BEGIN_S + 9, &data));
	sql_run(world->path,
	    "CREATE TABLE sound AS SELECT data, until_s FROM past");
	for (int at = 1; at <= 28; at++) {
		(void)snprintf(change, sizeof(change),
		    "UPDATE past SET data = CAST(substr(s.data, 1, %d)"
		    " || char(1) || substr(s.data, %d) AS BLOB)"
		    " FROM sound s",
		    at - 1, at + 1);
		sql_run(world->path, change);
		assert_false(
		    store_past_get(store, site_id, 47, BEGIN_S, &data));
		(void)snprintf(change, sizeof(change),
		    "UPDATE past SET data = substr(s.data, 1, %d) FROM sound s",
		    at - 1);
		sql_run(world->path, change);
		assert_false(
		    store_past_get(store, site_id, 47, BEGIN_S, &data));
	}
	sql_run(world->path,
	    "UPDATE past SET data = s.data, until_s = s.until_s + 1"
	    " FROM sound s");
	assert_false(store_past_get(store, site_id, 47, BEGIN_S, &data));
	sql_run(
	    world->path, "UPDATE past SET until_s = s.until_s FROM sound s");
	assert_true(store_past_get(store, site_id, 47, BEGIN_S, &data));
	buf_release(&data);
}

/* Days of habits begin before the window: in Morocco with another offset in
 * Ramadan, and with that of +01:00 in all of a window from April on. */
static void
zone_of_habits(void **state)
{
	struct world *world = *state;
	struct store *store = world->store;
	struct events_span span = {.now_s = 1785000000}; /* July 2026 */
	int64_t document_id = document_make(store, SITE, MAP);
	int64_t site_id = store_site_find(store, slice_of(SITE));

	(void)read_at(
	    store, document_id, span.now_s - DAY_S, COMPLETE, "a b c");
	(void)store_first_read(store, site_id);
	site_recount(store, site_id);
	if (!zone_use("Africa/Casablanca"))
		skip(); /* no zones are installed */
	assert_true(past_keep(store, site_id, &span));
	assert_int_equal(store_flush(store), DIAG_OK);
	assert_true(past_is_kept(store, site_id, &span));
	assert_true(zone_use("+01:00"));
	assert_false(past_is_kept(store, site_id, &span));
	assert_true(zone_use("UTC"));
}

UNIT(past)
{
	const struct CMUnitTest tests[] = {world_test(kept_is_computed),
	    world_test(damaged_is_none), world_test(zone_of_habits)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
