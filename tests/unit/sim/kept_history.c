/* The history of a store: what was listed, claimed and found, and when. */
#include "tests/fixtures/fixture.h"

#include "store/outcome.h"
#include "store/page.h"
#include "tests/fixtures/store_fixture.h"
#include "tests/sim/kept_history.h"

#define MAP HOST_TEXT "map.xml"
#define READINGS 6
#define LOOKS 5

/* "10 +a a:1 P3": in one second, in order; a text is "a=7", an end "a!". */
static void
put_event(struct buf *out, const struct kept_history *history,
    const struct kept_event *event)
{
	const char *url = names_text(&history->urls, event->url);

	(void)buf_put_char(out, ' ');
	if (event->kind == KEPT_PUBLISHED) {
		(void)buf_print(out, "P%d", (int)event->value);
		return;
	}
	if (event->kind == KEPT_WITHDRAWN) {
		(void)buf_print(out, "P-");
		return;
	}
	if (event->kind == KEPT_ADDED || event->kind == KEPT_REMOVED)
		(void)buf_print(
		    out, "%c", event->kind == KEPT_ADDED ? '+' : '-');
	put_name(out, slice_of(url));
	if (event->kind == KEPT_CLAIMED)
		put_day(out, &event->date);
	if (event->kind == KEPT_TEXT || event->kind == KEPT_CHANGED)
		(void)buf_print(out, "%s%d",
		    event->kind == KEPT_TEXT ? "=" : "~", (int)event->value);
	if (event->kind == KEPT_ENDED)
		(void)buf_print(out, "!");
}

static const char *
put_past(struct buf *out, const struct kept_history *history)
{
	buf_clear(out);
	for (size_t i = 0; i < history->count; i++) {
		const struct kept_event *event = &history->events[i];

		if (i == 0 || event->t_s != history->events[i - 1].t_s)
			(void)buf_print(out, "%s%d", i > 0 ? "; " : "",
			    (int)(event->t_s - DAY_0));
		put_event(out, history, event);
	}
	return buf_str(out);
}

struct seen_page {
	const char *url;
	int at;
	enum page_outcome kind;
	int hash; /* 0: none */
};

/* Readings are made at 10, 20, 30, …; "404" is one that found nothing. */
static const struct {
	struct {
		enum how how;
		const char *listed; /* NULL: no more */
	} readings[READINGS];
	struct seen_page seen[LOOKS];
	const char *history;
} cases[] = {
    {{{COMPLETE, "a:1 b"}}, {{NULL, 0, 0, 0}}, "10 a=0 b=0 +a +b a:1 P2"},
    /* what comes, moves, goes, and comes back */
    {{{COMPLETE, "a:1 b"}, {COMPLETE, "a:2 b c:5"}, {COMPLETE, "a:2 c:5"},
	 {COMPLETE, "a:2 b c"}},
	{{NULL, 0, 0, 0}},
	"10 a=0 b=0 +a +b a:1 P2; 20 c=0 +c a:2 c:5 P3; 30 -b P2;"
	" 40 +b c P3"},
    /* gone was removed before; what is not read again is no publication */
    {{{COMPLETE, "a b"}, {COMPLETE, "a"}, {UNCHANGED, ""}, {FAILED, ""},
	 {COMPLETE, "a:1"}},
	{{NULL, 0, 0, 0}}, "10 a=0 b=0 +a +b P2; 20 -b P1; 30 P1; 50 a:1 P1"},
    /* nothing is known before the first that brought entries */
    {{{FAILED, ""}, {UNREADABLE, ""}, {COMPLETE, "a"}}, {{NULL, 0, 0, 0}},
	"30 a=0 +a P1"},
    /* the change is where the date moved */
    {{{COMPLETE, "a:1"}, {COMPLETE, "a:2"}, {COMPLETE, "a:3"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 28, PAGE_CHANGED, 8},
	    {"a", 35, PAGE_SAME, 8}},
	"10 a=7 +a a:1 P1; 20 a~8 a:2 P1; 30 a:3 P1"},
    /* of several moves all, as far as they prove to be right */
    {{{COMPLETE, "a:1"}, {COMPLETE, "a:2"}, {COMPLETE, "a:3"},
	 {COMPLETE, "a:4"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 45, PAGE_CHANGED, 8}},
	"10 a=7 +a a:1 P1; 20 a~8 a:2 P1; 30 a:3 P1; 40 a~8 a:4 P1"},
    {{{COMPLETE, "a:1"}, {COMPLETE, "a:2"}, {COMPLETE, "a:3"},
	 {COMPLETE, "a:4"}, {COMPLETE, "a:5"}, {COMPLETE, "a:6"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 25, PAGE_CHANGED, 8},
	    {"a", 35, PAGE_CHANGED, 9}, {"a", 65, PAGE_CHANGED, 10}},
	"10 a=7 +a a:1 P1; 20 a~8 a:2 P1; 30 a~9 a:3 P1; 40 a~10 a:4 P1;"
	" 50 a~10 a:5 P1; 60 a~10 a:6 P1"},
    /* dates that fetches proved wrong: but one */
    {{{COMPLETE, "a:1"}, {COMPLETE, "a:2"}, {COMPLETE, "a:3"},
	 {COMPLETE, "a:4"}, {COMPLETE, "a:5"}, {COMPLETE, "a:6"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 25, PAGE_NOT_MODIFIED, 0},
	    {"a", 45, PAGE_SAME, 7}, {"a", 65, PAGE_CHANGED, 8}},
	"10 a=7 +a a:1 P1; 20 a:2 P1; 30 a:3 P1; 40 a:4 P1; 50 a~8 a:5 P1;"
	" 60 a:6 P1"},
    /* what its last fetch has seen already is no news */
    {{{COMPLETE, "a:1"}, {COMPLETE, "a:-1"}, {COMPLETE, "a:3"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 35, PAGE_CHANGED, 8}},
	"10 a=7 +a a:1 P1; 20 a:-1 P1; 30 a~8 a:3 P1"},
    /* or halfway */
    {{{COMPLETE, "a"}},
	{{"a", 12, PAGE_CHANGED, 7}, {"a", 20, PAGE_NOT_MODIFIED, 0},
	    {"a", 30, PAGE_CHANGED, 8}},
	"10 a=7 +a P1; 25 a~8"},
    /* ends, and is there again; failures tell nothing */
    {{{COMPLETE, "a"}},
	{{"a", 12, PAGE_SAME, 7}, {"a", 20, PAGE_FAILED, 0},
	    {"a", 22, PAGE_GONE, 0}, {"a", 32, PAGE_MOVED, 0},
	    {"a", 42, PAGE_CHANGED, 9}},
	"10 a=7 +a P1; 17 a!; 37 a=9"},
    /* it was not there when it was listed */
    {{{COMPLETE, "a"}}, {{"a", 5, PAGE_GONE, 0}, {"a", 20, PAGE_FETCHED, 0}},
	"10 a! +a P1; 15 a=0"},
    /* never listed: nothing is told */
    {{{COMPLETE, "a"}}, {{"z", 5, PAGE_SAME, 4}}, "10 a=0 +a P1"},
};

static void
look(struct store *store, int64_t map, const struct seen_page *seen)
{
	struct buf url;

	buf_init(&url, SIZE_MAX);
	(void)buf_print(&url, HOST_TEXT "%s", seen->url);
	store_outcome(store, NULL,
	    &(struct outcome_row){
		.page_id = store_page_add(store, map, buf_text(&url)),
		.at_s = DAY_0 + seen->at,
		.kind = seen->kind,
		.has_hash = seen->hash != 0,
		.hash = (uint64_t)seen->hash});
	buf_release(&url);
	assert_int_equal(store_flush(store), DIAG_OK);
}

static void
test_cases(void **state)
{
	const struct selection all = {.site = NULL};
	struct buf out;

	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct world world;
		struct kept_history history;
		int64_t map;

		world_open(&world);
		map = document_make(world.store, "h.test", MAP);
		for (int k = 0;
		     k < READINGS && cases[i].readings[k].listed != NULL; k++)
			(void)submit(world.store,
			    reading_make(world.store, map, DAY_0 + 10 * (k + 1),
				cases[i].readings[k].how,
				cases[i].readings[k].listed));
		for (int k = 0; k < LOOKS && cases[i].seen[k].url != NULL; k++)
			look(world.store, map, &cases[i].seen[k]);
		kept_history_init(&history, 1);
		kept_history_read(&history, world.store, &all);
		assert_string_equal(put_past(&out, &history), cases[i].history);
		kept_history_release(&history);
		world_close(&world);
	}
	buf_release(&out);
}

UNIT_TESTS(kept_history, cmocka_unit_test(test_cases));
