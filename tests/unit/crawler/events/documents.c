/* Events that follow from the readings of single documents. */
#include <string.h>

#include "crawler/events/documents.h"
#include "tests/fixtures/fixture.h"

#define DAY_S 86400
#define START_S (20000 * DAY_S)
#define MOST 8

/* A step: a reading on a day. The rest of the row is that of a complete reading
 * of a urlset with 100 dated entries. */
struct step {
	double day;
	int64_t document_id;
	enum outcome outcome;
	enum document_kind kind; /* KIND_UNKNOWN: a urlset */
	bool is_partial;
	uint64_t redated, regressed, dated, others;
	uint64_t refused, accepted;
	uint64_t held; /* of 100 */
	uint64_t gone, site_gone, gone_pages, new_pages;
	uint64_t sessions;
	uint64_t missed;
	bool has_lost_line, is_in_turns;
	uint64_t entries; /* of a first reading; 0: it is none */
	uint64_t moved; /* of others, as was known on that day */
	double moved_day;
};

struct trial {
	const char *name;
	struct step steps[MOST]; /* ends with document 0 */
	const char *events; /* "KIND@DAY=COUNT/OF#DOCUMENTS " of each */
};

static void
feed(struct documents *documents, const struct step *step, int64_t id,
    struct site_event_list *list)
{
	struct reading_row row = {.id = id,
	    .document_id = step->document_id,
	    .at_s = START_S + (int64_t)(step->day * DAY_S),
	    .outcome = step->outcome,
	    .is_read = step->outcome == OUTCOME_READ,
	    .kind = step->kind == KIND_UNKNOWN ? KIND_URLSET : step->kind,
	    .is_complete = !step->is_partial,
	    .lists_pages = step->kind == KIND_UNKNOWN,
	    .is_counted = true,
	    .has_delta = step->entries == 0,
	    .entries = step->entries,
	    .dated = step->dated > 0 ? step->dated : 100,
	    .missed = step->missed,
	    .sessions = step->sessions,
	    .is_in_turns = step->is_in_turns,
	    .regressed = step->regressed};
	struct document_facts facts = {.row = &row,
	    .gone_pages = step->gone_pages,
	    .new_pages = step->new_pages,
	    .held = step->held,
	    .held_of = step->held > 0 ? 100 : 0,
	    .has_lost_line = step->has_lost_line};

	row.changes[DELTA_REDATED] = row.site[DELTA_REDATED] = step->redated;
	row.changes[DELTA_ADDED] = step->others;
	row.changes[DELTA_GONE] = step->gone;
	row.site[DELTA_GONE] = step->site_gone;
	row.site[DELTA_REFUSED] = step->refused;
	row.site[DELTA_ACCEPTED] = step->accepted;
	documents_reading(documents, &facts, list);
}

/* What is made of some steps. */
struct lived {
	struct open_documents open;
	struct site_event_list list;
};

/* Feed steps, up to one without a document. */
static struct lived
live(const struct step *steps, size_t count, int64_t lag_s)
{
	struct lived lived = {.open.now_s = START_S + 1000 * DAY_S};
	struct documents *documents = documents_new(lag_s);

	for (size_t i = 0; i < count; i++)
		for (uint64_t k = 0; k < steps[i].moved; k++)
			documents_moved(documents,
			    START_S + (int64_t)(steps[i].day * DAY_S),
			    START_S + (int64_t)(steps[i].moved_day * DAY_S));
	for (size_t i = 0; i < count && steps[i].document_id > 0; i++)
		feed(documents, &steps[i], (int64_t)i + 1, &lived.list);
	documents_end(documents, &lived.open, &lived.list);
	documents_free(documents);
	return lived;
}

static void
lived_release(struct lived *lived)
{
	site_event_list_release(&lived->list);
	free(lived->open.items);
}

static void
assert_events(const struct trial *trial)
{
	struct lived lived = live(trial->steps, MOST, DOCUMENTS_AS_KNOWN);
	struct buf said;

	buf_init(&said, SIZE_MAX);
	site_event_list_sort(&lived.list);
	for (size_t i = 0; i < lived.list.count; i++) {
		const struct site_event *event = &lived.list.items[i];
		struct slice kind = site_event_kind_name(event->kind);

		/* a drop that was decided is told by the decision */
		if (event->kind == EVENT_MASS_DROP_WAITING && event->end_s > 0)
			continue;
		(void)buf_print(&said, "%.*s@%.1f=%llu/%llu#%llu ",
		    (int)kind.len, kind.p,
		    (double)(event->at_s - START_S) / DAY_S,
		    (unsigned long long)event->count,
		    (unsigned long long)event->of,
		    (unsigned long long)event->documents);
		if (event->is_in_turns)
			(void)buf_print(&said, "in turns ");
	}
	if (strcmp(buf_str(&said), trial->events) != 0)
		fail_msg("%s: %s\nnot %s", trial->name, buf_str(&said),
		    trial->events);
	buf_release(&said);
	lived_release(&lived);
}

#define READ .document_id = 1
#define DOCUMENT(n) .document_id = (n)

static const struct trial trials[] = {
    {"nothing", {{0, READ}, {1, READ}, {2, READ}}, ""},
    /* mass drops: the next complete reading decides */
    {"a drop waits", {{0, READ}, {1, READ, .held = 40}},
	"mass-drop-waiting@1.0=40/100#0 "},
    /* what came elsewhere is not missing */
    {"a rename within the sitemap",
	{{0, READ}, {1, READ, .held = 40, .others = 40}}, ""},
    {"less came than is missing",
	{{0, READ}, {1, READ, .held = 40, .others = 39}},
	"mass-drop-waiting@1.0=40/100#0 "},
    {"a split, whose other part was read before",
	{{0, READ}, {1.9, DOCUMENT(2), .entries = 50}, {2, READ, .held = 40}},
	""},
    {"a split, whose other part is read after it",
	{{0, READ}, {2, READ, .held = 40}, {2.001, DOCUMENT(2), .entries = 50}},
	""},
    {"another sitemap comes later",
	{{0, READ}, {2, READ, .held = 40}, {2.01, DOCUMENT(2), .entries = 50}},
	"mass-drop-waiting@2.0=40/100#0 "},
    {"the pages of the first day have not come",
	{{0, READ, .entries = 100}, {0.5, READ, .held = 40}},
	"mass-drop-waiting@0.5=40/100#0 "},
    {"an index lists others instead",
	{{0, READ, .kind = KIND_INDEX},
	    {1, READ, .kind = KIND_INDEX, .held = 10, .others = 12}},
	""},
    {"a drop is confirmed",
	{{0, READ}, {1, READ, .held = 40},
	    {2, READ, .gone = 40, .site_gone = 40, .gone_pages = 40},
	    {3, READ}},
	"mass-drop-confirmed@1.0=40/100#0 "},
    {"a drop was an accident", {{1, READ, .held = 40}, {2, READ}, {3, READ}},
	"mass-drop-accident@1.0=40/100#0 "},
    {"two versions in turns",
	{{1, READ, .held = 40}, {2, READ}, {5, READ, .held = 40}, {6, READ},
	    {7, READ, .held = 50}, {8, READ}, {15, READ, .held = 50},
	    {16, READ}},
	"mass-drop-accident@1.0=40/100#0 mass-drop-accident@5.0=40/100#0 "
	"mass-drop-accident@7.0=50/100#0 in turns "
	"mass-drop-accident@15.0=50/100#0 "},
    {"a failure decides nothing",
	{{1, READ, .held = 40}, {1.5, READ, .outcome = OUTCOME_FAILED}},
	"mass-drop-waiting@1.0=40/100#0 "},
    {"a partial reading decides nothing",
	{{1, READ, .held = 40}, {2, READ, .is_partial = true}},
	"mass-drop-waiting@1.0=40/100#0 "},
    {"pages that moved or are elsewhere did not drop",
	{{1, READ, .held = 40}, {2, READ, .gone = 40, .site_gone = 40}}, ""},
    {"some of them moved",
	{{1, READ, .held = 40},
	    {2, READ, .gone = 40, .site_gone = 40, .gone_pages = 15}},
	"mass-drop-confirmed@1.0=15/100#0 "},
    {"others replace some of them",
	{{0.1, DOCUMENT(1), .others = 10, .new_pages = 10},
	    {1, DOCUMENT(1), .held = 40},
	    {1, DOCUMENT(2), .others = 30, .new_pages = 5},
	    {2, DOCUMENT(1), .gone = 40, .site_gone = 40, .gone_pages = 40}},
	"mass-drop-confirmed@1.0=25/100#0 "},
    {"others replace all of them",
	{{1, READ, .held = 40, .others = 40, .new_pages = 40},
	    {2, READ, .gone = 40, .site_gone = 40, .gone_pages = 40}},
	""},
    {"new pages come later",
	{{1, DOCUMENT(1), .held = 40},
	    {1.5, DOCUMENT(2), .others = 40, .new_pages = 40},
	    {2, DOCUMENT(1), .gone = 40, .site_gone = 40, .gone_pages = 40}},
	"mass-drop-confirmed@1.0=40/100#0 "},
    {"URLs with a session part",
	{{1, READ, .others = 40, .sessions = 1},
	    {2, READ, .held = 40, .others = 40, .sessions = 2},
	    {3, READ, .held = 40, .others = 40, .gone = 40, .sessions = 3},
	    {4, READ}, {5, READ, .others = 1, .gone = 40, .site_gone = 40}},
	"session-urls@2.0=0/0#0 "},
    {"another drop", {{1, READ, .held = 40}, {2, READ, .held = 50}, {3, READ}},
	"mass-drop-accident@2.0=50/100#0 "},
    {"an index drops sitemaps",
	{{1, READ, .kind = KIND_INDEX, .held = 40},
	    {2, READ, .kind = KIND_INDEX, .gone = 40}},
	"mass-drop-confirmed@1.0=40/100#0 "},
    {"it ends with its pages",
	{{1, READ, .held = 40},
	    {2, READ, .outcome = OUTCOME_ENDED, .gone = 100, .site_gone = 100,
		.gone_pages = 100}},
	"mass-drop-confirmed@1.0=100/100#0 "},
    /* dates */
    {"half get another date", {{1, READ, .redated = 50}},
	"redated@1.0=50/100#1 "},
    {"less than half", {{1, READ, .redated = 49}}, ""},
    {"few pages", {{1, READ, .redated = 19, .dated = 20}}, ""},
    {"enough pages", {{1, READ, .redated = 20, .dated = 20}},
	"redated@1.0=20/20#1 "},
    {"many came, too", {{1, READ, .redated = 50, .others = 6}}, ""},
    {"few came, too", {{1, READ, .redated = 50, .others = 5}},
	"redated@1.0=50/100#1 "},
    {"dates of children of an index",
	{{1, READ, .kind = KIND_INDEX, .redated = 50}}, ""},
    {"dates of a part", {{1, READ, .redated = 50, .is_partial = true}}, ""},
    {"several sitemaps, within a day",
	{{1, DOCUMENT(1), .redated = 50}, {1.2, DOCUMENT(2), .redated = 60},
	    {2.1, DOCUMENT(1), .redated = 70}},
	"redated@1.0=110/200#2 redated@2.1=70/100#1 "},
    {"a sitemap several times within a day",
	{{1, DOCUMENT(1), .redated = 50}, {1.2, DOCUMENT(2), .redated = 60},
	    {1.5, DOCUMENT(1), .redated = 90}, {2, DOCUMENT(1), .redated = 80},
	    {2.1, DOCUMENT(2), .redated = 70},
	    {2.2, DOCUMENT(1), .redated = 60}},
	"redated@1.0=110/200#2 redated@2.0=150/200#2 "},
    {"dates of two versions in turns",
	{{1, READ, .redated = 50, .is_in_turns = true},
	    {2, READ, .redated = 50, .regressed = 50, .is_in_turns = true}},
	""},
    {"dates go back", {{1, READ, .regressed = 10}},
	"dates-backwards@1.0=10/100#1 "},
    {"few dates go back", {{1, READ, .regressed = 9}}, ""},
    {"few pages go back", {{1, READ, .regressed = 4, .dated = 10}}, ""},
    {"all dates go back", {{1, READ, .redated = 90, .regressed = 90}},
	"dates-backwards@1.0=90/100#1 "},
    /* verdicts */
    {"pages are refused", {{1, READ, .refused = 7, .accepted = 2}},
	"verdict-changed@1.0=7/2#1 "},
    {"pages are accepted", {{1, READ, .accepted = 2}},
	"verdict-changed@1.0=0/2#1 "},
    /* another sitemap lists them */
    {"five pages are elsewhere", {{1, READ, .gone = 9, .site_gone = 4}},
	"other-sitemap@1.0=5/0#1 "},
    {"four pages are elsewhere", {{1, READ, .gone = 9, .site_gone = 5}}, ""},
    {"in two sitemaps", {{1, READ, .gone = 3}, {1.1, DOCUMENT(2), .gone = 2}},
	"other-sitemap@1.0=5/0#2 "},
    {"sitemaps of an index are elsewhere",
	{{1, READ, .kind = KIND_INDEX, .gone = 9}}, ""},
    /* Sitemap lines */
    {"the lines are lost, and back",
	{{0, READ, .kind = KIND_ROBOTS},
	    {1, READ, .kind = KIND_ROBOTS, .has_lost_line = true},
	    {2, READ, .kind = KIND_ROBOTS, .has_lost_line = true},
	    {3, READ, .kind = KIND_ROBOTS}, {4, READ, .kind = KIND_ROBOTS}},
	"sitemap-line-lost@1.0=0/0#0 sitemap-line-back@3.0=0/0#0 "},
    {"nobody knows when they were lost",
	{{1, READ, .kind = KIND_ROBOTS, .has_lost_line = true},
	    {2, READ, .kind = KIND_ROBOTS, .has_lost_line = true}},
	""},
    {"a robots.txt that fails loses nothing",
	{{0, READ, .kind = KIND_ROBOTS},
	    {1, READ, .kind = KIND_ROBOTS, .outcome = OUTCOME_FAILED},
	    {2, READ, .kind = KIND_ROBOTS}},
	""},
    /* failures */
    {"a sitemap fails for a day",
	{{0, READ}, {1, READ, .outcome = OUTCOME_FAILED},
	    {1.9, READ, .outcome = OUTCOME_FAILED},
	    {2, READ, .outcome = OUTCOME_FAILED},
	    {3, READ, .outcome = OUTCOME_REFUSED}, {4, READ}, {5, READ}},
	"sitemap-failing@1.0=0/0#1 sitemap-back@4.0=0/0#1 "},
    {"a sitemap fails for less than a day",
	{{0, READ}, {1, READ, .outcome = OUTCOME_FAILED},
	    {1.9, READ, .outcome = OUTCOME_FAILED}, {2, READ}},
	""},
    {"two sitemaps fail",
	{{1, DOCUMENT(1), .outcome = OUTCOME_FAILED},
	    {1.1, DOCUMENT(2), .outcome = OUTCOME_FAILED},
	    {2.2, DOCUMENT(1), .outcome = OUTCOME_FAILED},
	    {2.3, DOCUMENT(2), .outcome = OUTCOME_FAILED}},
	"sitemap-failing@1.0=0/0#2 "},
    {"it ends",
	{{1, READ, .outcome = OUTCOME_FAILED},
	    {2, READ, .outcome = OUTCOME_FAILED},
	    {3, READ, .outcome = OUTCOME_ENDED}, {9, READ}},
	"sitemap-failing@1.0=0/0#1 sitemap-back@9.0=0/0#1 "},
    {"it ends because it fails, and goes on failing",
	{{1, READ, .outcome = OUTCOME_FAILED},
	    {2, READ, .outcome = OUTCOME_FAILED},
	    {8, READ, .outcome = OUTCOME_ENDED},
	    {9, READ, .outcome = OUTCOME_FAILED},
	    {20, READ, .outcome = OUTCOME_FAILED}},
	"sitemap-failing@1.0=0/0#1 "},
    {"it failed once when it ended",
	{{1, READ, .outcome = OUTCOME_FAILED},
	    {1.5, READ, .outcome = OUTCOME_ENDED},
	    {9, READ, .outcome = OUTCOME_FAILED}, {9.5, READ}},
	""},
};

/* What is read too late changes no event that was told. */
static void
as_told(void **state)
{
	static const struct step steps[] = {
	    {1, DOCUMENT(1), .redated = 100},
	    {1.001, DOCUMENT(2), .redated = 80},
	    {1.01, DOCUMENT(3), .redated = 60},
	    /* a note is known when it has five pages */
	    {2, DOCUMENT(1), .gone = 3},
	    {2.1, DOCUMENT(2), .gone = 4},
	    {2.2, DOCUMENT(3), .gone = 4},
	};
	struct lived lived = live(steps, COUNT(steps), EVENTS_LAG_S);
	const struct site_event *events = lived.list.items;

	assert_int_equal(lived.list.count, 2);
	assert_int_equal(events[0].kind, EVENT_REDATED);
	assert_int_equal(events[0].count, 180);
	assert_int_equal(events[0].documents, 2);
	assert_int_equal(events[1].kind, EVENT_OTHER_SITEMAP);
	assert_int_equal(events[1].count, 7);
	assert_int_equal(events[1].known_s, START_S + (int64_t)(2.1 * DAY_S));
	lived_release(&lived);
}

/* A renamed section hides no drop: its new pages replace its old ones. */
static void
renamed(void **state)
{
	static const struct {
		uint64_t moved; /* of 100 that came when 40 went */
		double moved_day, end_day; /* the drop is decided then; or 0 */
		double known_day; /* 0: the drop is not told */
		uint64_t confirmed; /* pages */
	} rows[] = {{0, 0, 0, 0, 0}, {60, 1.05, 0, 0, 0},
	    {61, 1.05, 0, 1.05, 0}, {100, 1.05, 0, 1.05, 0},
	    {100, 0.9, 0, 1, 0}, {100, 1.05, 2, 1.05, 40},
	    /* it is decided before the pages are known to have moved */
	    {100, 3, 2, 0, 0}, {100, 2.5, 0, 2.5, 0},
	    /* or by the reading that says so */
	    {100, 2, 2, 0, 40}, {70, 2, 2, 0, 10}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		/* as told: what came was taken for new */
		struct step steps[] = {{1, DOCUMENT(1), .held = 40},
		    {1, DOCUMENT(2), .others = 100, .new_pages = 100,
			.moved = rows[i].moved, .moved_day = rows[i].moved_day},
		    {rows[i].end_day, DOCUMENT(1), .gone = 40, .site_gone = 40,
			.gone_pages = 40}};
		struct lived lived = live(
		    steps, rows[i].end_day > 0 ? 3 : 2, EVENTS_LAG_S);
		const struct site_event *event = lived.list.items;

		assert_int_equal(lived.list.count,
		    (rows[i].known_day > 0) + (rows[i].confirmed > 0));
		if (rows[i].known_day > 0) {
			assert_int_equal(event->kind, EVENT_MASS_DROP_WAITING);
			assert_int_equal(event->at_s, START_S + DAY_S);
			assert_int_equal(event->known_s,
			    START_S + (int64_t)(rows[i].known_day * DAY_S));
			event++;
		}
		if (rows[i].confirmed > 0) {
			assert_int_equal(
			    event->kind, EVENT_MASS_DROP_CONFIRMED);
			assert_int_equal(event->count, rows[i].confirmed);
		}
		lived_release(&lived);
	}
}

static void
kinds(void **state)
{
	for (size_t i = 0; i < COUNT(trials); i++)
		assert_events(&trials[i]);
}

/* A document is open from the reading that lacks entries for the first time to
 * the next one. */
static void
open_documents_are_told(void **state)
{
	static const struct step steps[] = {{0, READ}, {1, READ, .missed = 3},
	    {2, READ, .outcome = OUTCOME_FAILED}, {3, READ, .is_partial = true},
	    {5, READ}, {6, DOCUMENT(2), .held = 40}};
	struct lived lived = live(steps, COUNT(steps), DOCUMENTS_AS_KNOWN);
	const struct open_interval *open = lived.open.items;

	assert_int_equal(lived.open.count, 2);
	assert_int_equal(open[0].from_s, START_S + 1 * DAY_S);
	assert_int_equal(open[0].to_s, START_S + 5 * DAY_S);
	assert_int_equal(open[1].from_s, START_S + 6 * DAY_S);
	assert_int_equal(open[1].to_s, 0);
	assert_false(open_documents_is_none(&lived.open));
	lived_release(&lived);
}

static bool
is_unseen(struct documents *documents, int64_t id, double day)
{
	struct reading_row row = {.document_id = id,
	    .at_s = START_S + (int64_t)(day * DAY_S),
	    .is_read = true,
	    .is_complete = true,
	    .lists_pages = true,
	    .kind = KIND_URLSET};
	struct document_facts facts = {.row = &row, .new_pages = id == 1};
	struct site_event_list list = {0};
	bool is = documents_unseen(documents, &row);

	documents_reading(documents, &facts, &list);
	site_event_list_release(&list);
	return is;
}

/* Pages that came while nobody looked are no burst, and no page in such a time
 * is no silence. */
static void
unseen(void **state)
{
	struct documents *documents = documents_new(DOCUMENTS_AS_KNOWN);

	assert_false(is_unseen(documents, 1, 0));
	assert_false(is_unseen(documents, 2, 2));
	assert_true(is_unseen(documents, 1, 2.1));
	assert_false(is_unseen(documents, 1, 4));
	assert_true(
	    documents_are_seen(documents, START_S, START_S + 6 * DAY_S));
	assert_false(
	    documents_are_seen(documents, START_S, START_S + 6 * DAY_S + 1));
	/* document 2 never brought a page, and 1 none since */
	assert_true(documents_are_seen(
	    documents, START_S + 5 * DAY_S, START_S + 9 * DAY_S));
	/* after a time without any reading all is unseen for a day */
	assert_true(is_unseen(documents, 2, 8));
	assert_true(is_unseen(documents, 3, 8.9));
	assert_false(is_unseen(documents, 4, 9.1));
	documents_free(documents);
}

#define AT_S (20000 * INT64_C(86400))

static void
settled(void **state)
{
	static const struct {
		double from, to; /* when a document was open; 0: no end */
		double now;
		double settled; /* 0: not yet */
	} rows[] = {{-5, -4, 10, 2}, {-5, -4, 1.9, 0}, {-5, -4, 2, 2},
	    /* a document that was open a day and a half later is waited for */
	    {0, 1, 10, 2}, {0, 1.5, 10, 2}, {0, 3, 10, 3}, {0, 3, 2.9, 0},
	    {1, 7, 10, 7}, {1.1, 7, 10, 7}, {1.5, 7, 10, 7}, {1.6, 7, 10, 2},
	    {-3, 7, 10, 7},
	    /* but not for ever */
	    {0, 15, 20, 14}, {0, 0, 20, 14}, {0, 0, 13, 0}, {2, 0, 20, 2}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct open_documents open = {
		    .now_s = AT_S + (int64_t)(rows[i].now * DAY_S)};
		int64_t wanted = rows[i].settled > 0
		    ? AT_S + (int64_t)(rows[i].settled * DAY_S)
		    : 0;

		open_documents_add(&open,
		    AT_S + (int64_t)(rows[i].from * DAY_S),
		    rows[i].to != 0 ? AT_S + (int64_t)(rows[i].to * DAY_S) : 0);
		if (open_documents_settled(&open, AT_S) != wanted)
			fail_msg("row %zu: %lld not %lld", i,
			    (long long)open_documents_settled(&open, AT_S),
			    (long long)wanted);
		free(open.items);
	}
}

static void
none(void **state)
{
	struct open_documents open = {.now_s = AT_S};

	assert_true(open_documents_is_none(&open));
	open_documents_add(&open, AT_S - 9, AT_S - 8);
	assert_true(open_documents_is_none(&open));
	open_documents_add(&open, AT_S - 9, 0);
	assert_false(open_documents_is_none(&open));
	free(open.items);
}

UNIT(documents)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kinds),
	    cmocka_unit_test(as_told),
	    cmocka_unit_test(renamed),
	    cmocka_unit_test(open_documents_are_told),
	    cmocka_unit_test(unseen),
	    cmocka_unit_test(settled),
	    cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
