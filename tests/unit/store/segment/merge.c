/* A new set of entries against the previous segment. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/segment/merge.h"
#include "store/segment/reading.h"
#include "tests/fixtures/sanitized.h"
#include "tests/fixtures/segment_fixture.h"

#define NOW_S (DAY_0 + 1000 * DAY_S)

enum how { COMPLETE, PARTIAL, UNCHANGED, HELD, BASELINE };

static const struct merge_case {
	const char *rule;
	const char *before; /* NULL: a first reading */
	const char *listed;
	enum how how;
	const char *segment;
	const char *delta;
} cases[] = {
    /* a baseline has no delta; any other first reading has one */
    {"R-120", NULL, "c b:1 a", COMPLETE, "a b:1 c", ""},
    {"R-120", NULL, "", COMPLETE, "", ""},
    {"R-120", "", "c b:1 a", COMPLETE, "a b:1 c", "+a +b:1 +c"},
    /* the second: nothing, then every kind of change */
    {"R-120", "a b:1 c", "c b:1 a", COMPLETE, "a b:1 c", ""},
    {"R-120", "a b:1 c", "a b:1 c d:4", COMPLETE, "a b:1 c d:4", "+d:4"},
    {"R-120", "b", "a b c", COMPLETE, "a b c", "+a +c"},
    {"R-120", "a b:1 c", "a c", COMPLETE, "a !b:1 c", "-b:1"},
    {"R-30", "a b:1 c", "a b:2 c", COMPLETE, "a b:2 c", "~b:1:2"},
    {"R-30", "a:3", "a:2", COMPLETE, "a:2", "~a:3:2"},
    {"R-30", "a", "a:2", COMPLETE, "a:2", "~a:2"},
    {"R-30", "a:2", "a", COMPLETE, "a", "~a:2"},
    {"R-120", "a b:1 c d", "b:3 c e", COMPLETE, "!a b:3 c !d e",
	"-a ~b:1:3 -d +e"},
    /* returned: missed once, listed again; its date may have moved */
    {"R-120", "a !b:1", "a b:1", COMPLETE, "a b:1", ">b:1"},
    {"R-120", "a !b:1", "a b:7", COMPLETE, "a b:7", ">b:7"},
    /* gone: absent from two complete readings in a row */
    {"R-120", "a !b:1", "a", COMPLETE, "a", "xb:1"},
    {"R-120", "!a !b", "", COMPLETE, "", "xa xb"},
    {"R-120", "a b", "", COMPLETE, "!a !b", "-a -b"},
    /* a partial reading makes nothing gone */
    {"R-120", "a !b:1 c", "a", PARTIAL, "a !b:1 c", ""},
    {"R-120", "a !b:1 c", "d:1", PARTIAL, "a !b:1 c d:1", "+d:1"},
    {"R-120", "a !b:1 c:1", "b:1 c:2", PARTIAL, "a b:1 c:2", ">b:1 ~c:1:2"},
    {"R-120", "a b", "", PARTIAL, "a b", ""},
    /* an unchanged reading counts as complete */
    {"15.2", "a !b:1 c", "", UNCHANGED, "a c", "xb:1"},
    {"15.2", "a c", "", UNCHANGED, "a c", ""},
    /* too much is absent at once: no entry is removed */
    {"R-120", "a b:1 c", "c d", HELD, "=a =b:1 c d", "+d"},
    {"R-120", "a b c", "", HELD, "=a =b =c", ""},
    {"R-120", "a !b ^c", "", HELD, "=a !c", "xb -c"},
    /* the next reading decides: entries that it lacks, too, are gone at once
     */
    {"R-120", "=a =b:1 c", "c", COMPLETE, "c", "xa xb:1"},
    {"R-120", "=a ?b =?c d", "d", COMPLETE, "!?b d", "xa -?b x?c"},
    {"R-120", "=a =b c", "a b c", COMPLETE, "a b c", ""},
    {"R-120", "=a:1 b", "a:2 b", COMPLETE, "a:2 b", "~a:1:2"},
    {"R-120", "=a =b c d", "a", HELD, "a =c =d", "xb"},
    {"R-120", "=a b", "b", PARTIAL, "=a b", ""},
    {"15.2", "=a !b c", "", UNCHANGED, "=a c", "xb"},
    /* a repeat is one entry */
    {"R-51", "a", "b:1 b:2 b", COMPLETE, "!a b:2", "-a +b:2"},
    {"R-51", "a", "?b:1 ?b:2", COMPLETE, "!a ?b:2", "-a +?b:2"},
    /* a refused entry is listed; only its absence removes it */
    {"R-71", NULL, "b ?a", COMPLETE, "?a b", ""},
    {"R-71", "a", "a ?b:1", COMPLETE, "a ?b:1", "+?b:1"},
    {"R-71", "a ?b:1", "a ?b:2", COMPLETE, "a ?b:2", "~?b:1:2"},
    {"R-120", "a ?b:1", "a", COMPLETE, "a !?b:1", "-?b:1"},
    {"R-120", "a !?b:1", "a", COMPLETE, "a", "x?b:1"},
    {"R-120", "a !?b:1", "", UNCHANGED, "a", "x?b:1"},
    {"R-120", "a ?b", "a", HELD, "a =?b", ""},
    {"R-120", "a ?b", "a", PARTIAL, "a ?b", ""},
    /* another verdict is a change of its own; only a return comes before it */
    {"R-71", "a b:1", "a ?b:1", COMPLETE, "a ?b:1", "/b:1:1"},
    {"R-71", "a ?b:1", "a b:1", COMPLETE, "a b:1", "*b:1:1"},
    {"R-71", "a b:1", "a ?b:2", COMPLETE, "a ?b:2", "/b:1:2"},
    {"R-71", "a ?b:2", "a b:1", PARTIAL, "a b:1", "*b:2:1"},
    {"R-71", "=a b", "?a b", COMPLETE, "?a b", "/a"},
    {"R-71", "!a b", "?a:1 b", COMPLETE, "?a:1 b", ">?a:1"},
    {"R-71", "!?a b", "a b", COMPLETE, "a b", ">a"},
    /* older versions did not keep refused entries */
    {"R-71", "a", "a:1 ?b c", BASELINE, "a:1 ?b c", "~a:1 +c"},
    {"R-71", "", "?a ?b", BASELINE, "?a ?b", ""},
    {"R-71", "!a b", "?a ?b", BASELINE, "?a ?b", ">?a /b"},
};

/* A document, reading after reading: its segment, and what the last reading
 * changed. */
struct trial {
	struct block_list segment, delta;
	struct merge_counts counts;
	struct buf text;
};

static int
setup(void **state)
{
	struct trial *trial = mem_zero(sizeof(*trial));

	buf_init(&trial->text, SIZE_MAX);
	*state = trial;
	return 0;
}

static int
teardown(void **state)
{
	struct trial *trial = *state;

	block_list_release(&trial->segment);
	block_list_release(&trial->delta);
	buf_release(&trial->text);
	free(trial);
	return 0;
}

/* Begin anew with this segment; NULL: with none. */
static void
trial_begin(struct trial *trial, const char *before)
{
	block_list_release(&trial->segment);
	trial->segment = (struct block_list){0};
	trial->counts = (struct merge_counts){0};
	if (before != NULL)
		segment_make(&trial->segment, before);
}

struct sinks {
	struct block_list segment, delta;
};

/* Read the document with these options, which need no more than how it is read;
 * NULL: unchanged.  Takes the sorter. */
static enum diag_code
trial_merge(
    struct trial *trial, struct merge_options options, struct sorter *sorter)
{
	struct list_source source = {&trial->segment, 0};
	struct sinks sinks = {0};
	enum diag_code code;

	if (options.now_s == 0)
		options.now_s = NOW_S;
	options.previous = options.is_first ? NULL : list_pull;
	options.previous_arg = &source;
	options.segment = block_list_add;
	options.segment_arg = &sinks.segment;
	options.delta = block_list_add;
	options.delta_arg = &sinks.delta;
	code = sorter == NULL ? merge_unchanged(&options, &trial->counts)
			      : merge_run(&options, sorter, &trial->counts);
	sorter_free(sorter);
	block_list_release(&trial->segment);
	block_list_release(&trial->delta);
	trial->segment = sinks.segment;
	trial->delta = sinks.delta;
	return code;
}

static void
trial_read(
    struct trial *trial, struct merge_options options, const char *listed)
{
	assert_int_equal(trial_merge(trial, options,
			     listed == NULL ? NULL : sorter_make(listed)),
	    DIAG_OK);
}

static const char *
trial_segment(struct trial *trial)
{
	struct list_source source = {&trial->segment, 0};

	return segment_text(list_pull, &source, &trial->text);
}

static const char *
trial_delta(struct trial *trial)
{
	struct list_source source = {&trial->delta, 0};

	return delta_text(list_pull, &source, &trial->text);
}

static const struct merge_options complete = {.is_complete = true};

static void
test_cases(void **state)
{
	struct trial *trial = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct merge_case *c = &cases[i];
		struct merge_options options = {
		    .is_complete = c->how != PARTIAL,
		    .is_held = c->how == HELD,
		    .is_first = c->before == NULL,
		    .is_baseline = c->how == BASELINE,
		};

		trial_begin(trial, c->before);
		trial_read(
		    trial, options, c->how == UNCHANGED ? NULL : c->listed);
		if (strcmp(trial_segment(trial), c->segment) != 0)
			fail_msg("case %zu: %s", i, buf_str(&trial->text));
		if (strcmp(trial_delta(trial), c->delta) != 0)
			fail_msg("case %zu: %s", i, buf_str(&trial->text));
		assert_int_equal(
		    trial->counts.segment_blocks, trial->segment.count);
		assert_int_equal(
		    trial->counts.delta_blocks, trial->delta.count);
	}
}

/*
 * Readings of one document in a row, and after each of them what left it, as a
 * delta, and the window (SPEC R-120).
 */
static const struct window_case {
	const char *name;
	bool is_feed;
	struct {
		const char *listed; /* NULL: no more readings; "=": unchanged */
		const char *delta;
		unsigned window;
	} readings[10]; /* a NULL ends them */
} window_cases[] = {
    /* an empty feed may be a mistake, and what is back in it has not left */
    {"feed", true,
	{{"c b a", "", WINDOW_FEED}, {"d c b", "<a +d", WINDOW_FEED},
	    {"", "-b -c -d", WINDOW_FEED}, {"d c", "<b >c >d", WINDOW_FEED},
	    {"", "-c -d", WINDOW_FEED}, {"=", "<c <d", WINDOW_FEED}}},
    {"news", false,
	{{"^c ^b ^a d", "", WINDOW_NEWS}, {"^e ^c d", "<a <b +e", WINDOW_NEWS},
	    /* without news data of its own, but in a news sitemap */
	    {"^e ^c", "-d", WINDOW_NEWS}, {"^e ^c", "<d", WINDOW_NEWS},
	    {"c f g", "<e +f +g", WINDOW_NONE}}},
    /* news data of a few entries say nothing of the others */
    {"mixed", false,
	{{"^z a b c", "", WINDOW_NONE}, {"^y a b", "-c +y <z", 1},
	    {"^y a b", "xc", 1}}},
    /* the last entry of the document is the oldest one, or the first one is */
    {"newest first", false,
	{{"e d c b a", "", 0}, {"f e d c b", "-a +f", 1},
	    {"g f e d c", "xa -b +g", 2}, {"h g f e d", "xb -c +h", 3},
	    {"i h g f e", "xc -d +i", 4},
	    {"j i h g f", "xd -e +j", WINDOW_HABIT}, {"=", "<e", WINDOW_HABIT},
	    {"k j i f", "-g -h +k", 0}, {"k j i f", "xg xh", 0}}},
    {"oldest first", false,
	{{"a b c", "", 0}, {"b c d", "-a +d", 1}, {"c d e", "xa -b +e", 2},
	    /* nothing left, or nothing came: neither counts */
	    {"c d e f", "xb +f", 2}, {"d e f", "-c", 2},
	    {"e f g", "xc -d +g", 3}, {"f g h", "xd -e +h", 4},
	    {"g h i", "xe -f +i", WINDOW_HABIT},
	    {"h i j", "<f -g +j", WINDOW_HABIT}}},
    {"by date", false,
	{{"a:3 b:1 c:2", "", 0}, {"a:3 c:2 d:4", "-b:1 +d:4", 1},
	    {"a:3 d:4 e:5", "xb:1 -c:2 +e:5", 2}}},
    /* a shop, whose new products take the places of any others */
    {"shop", false,
	{{"a b c d e", "", 0}, {"b c d e f", "-a +f", 1},
	    {"b d e f g", "xa -c +g", 0}, {"b d e f", "xc -g", 0}}},
    /* a folder is renamed bit by bit, the oldest pages first */
    {"renamed", false,
	{{"a/one a/two a/six", "", 0},
	    {"a/six a/two b/one", "-a/one +b/one", 0},
	    /* besides, another page comes */
	    {"a/six b/one b/two b/ten", "xa/one -a/two +b/ten +b/two", 1}}},
    /* nothing tells what was the oldest */
    {"all of it", false, {{"a b", "", 0}, {"c d", "-a -b +c +d", 0}}},
};

static void
test_windows(void **state)
{
	struct trial *trial = *state;

	for (size_t i = 0; i < COUNT(window_cases); i++) {
		const struct window_case *c = &window_cases[i];

		trial_begin(trial, NULL);
		for (size_t k = 0; c->readings[k].listed != NULL; k++) {
			const char *listed = c->readings[k].listed;
			struct merge_options options = {
			    .now_s = NOW_S + (int64_t)k,
			    .is_complete = true,
			    .is_first = k == 0,
			    .is_feed = c->is_feed,
			    .window = trial->counts.window,
			};

			trial_read(
			    trial, options, listed[0] == '=' ? NULL : listed);
			if (strcmp(trial_delta(trial), c->readings[k].delta) !=
				0 ||
			    trial->counts.window != c->readings[k].window)
				fail_msg("%s, reading %zu: '%s', window %u",
				    c->name, k, buf_str(&trial->text),
				    trial->counts.window);
		}
	}
}

/* A window is no mass drop, whatever it lacks. */
static void
test_window_drop(void **state)
{
	struct merge_counts counts = {
	    .lasting = 10, .lacking = 9, .entries = 9};

	assert_true(merge_is_drop(&counts, 30));
	counts.window = WINDOW_HABIT;
	assert_false(merge_is_drop(&counts, 30));
}

static void
test_counts(void **state)
{
	struct trial *trial = *state;
	const struct merge_counts *counts = &trial->counts;

	trial_begin(trial, "a:9 b:1 !c d !e");
	trial_read(trial, complete, "a:8 c:3 f:2000 g:5");
	assert_int_equal(counts->entries, 4);
	assert_int_equal(counts->missed, 2);
	assert_int_equal(counts->lasting, 3);
	assert_int_equal(counts->lacking, 2);
	assert_int_equal(counts->dated, 4);
	assert_int_equal(counts->regressed, 1);
	assert_int_equal(counts->changes[DELTA_ADDED], 2);
	assert_int_equal(counts->changes[DELTA_REMOVED], 2);
	assert_int_equal(counts->changes[DELTA_RETURNED], 1);
	assert_int_equal(counts->changes[DELTA_REDATED], 1);
	assert_int_equal(counts->changes[DELTA_GONE], 1);
	/* day 2000 lies in the future. */
	assert_int_equal(counts->newest.epoch_s, DAY_0 + 8 * DAY_S);
}

/* Refused entries count as entries, and for each rule; dates that come with a
 * return or another verdict are no regress. */
static void
test_refused_counts(void **state)
{
	struct trial *trial = *state;
	const struct merge_counts *counts = &trial->counts;

	trial_begin(trial, "a:9 ?b:9 !c:9 d:9 ?e:9 ?f");
	trial_read(trial, complete, "?a:8 b:8 c:8 d:8 ?e:8 ?g:7");
	assert_int_equal(counts->entries, 6);
	assert_int_equal(counts->refused, 3);
	assert_int_equal(counts->refused_by[VERDICT_DIRECTORY], 3);
	assert_int_equal(verdict_accepted(counts->entries, counts->refused), 3);
	assert_int_equal(merge_refused_by(counts), VERDICT_DIRECTORY);
	assert_int_equal(counts->dated, 3);
	assert_int_equal(counts->newest.epoch_s, DAY_0 + 8 * DAY_S);
	assert_int_equal(counts->missed, 1);
	assert_int_equal(counts->lasting, 5);
	assert_int_equal(counts->lacking, 1);
	assert_int_equal(counts->changes[DELTA_REFUSED], 1);
	assert_int_equal(counts->changes[DELTA_ACCEPTED], 1);
	assert_int_equal(counts->changes[DELTA_RETURNED], 1);
	assert_int_equal(counts->changes[DELTA_REDATED], 2);
	assert_int_equal(counts->changes[DELTA_ADDED], 1);
	assert_int_equal(counts->changes[DELTA_REMOVED], 1);
	assert_int_equal(counts->regressed, 1);
}

/* The rule that refuses most entries; of rules with equal numbers, the one
 * that is tried first. */
static void
test_refused_by(void **state)
{
	struct merge_counts counts = {0};
	struct entry entry = {.url = slice_of(HOST_TEXT "a")};

	assert_int_equal(merge_refused_by(&counts), VERDICT_ACCEPTED);
	merge_count(&counts, &entry, NOW_S);
	assert_int_equal(merge_refused_by(&counts), VERDICT_ACCEPTED);
	entry.verdict = VERDICT_DIRECTORY;
	merge_count(&counts, &entry, NOW_S);
	assert_int_equal(merge_refused_by(&counts), VERDICT_DIRECTORY);
	entry.verdict = VERDICT_HOST;
	merge_count(&counts, &entry, NOW_S);
	assert_int_equal(merge_refused_by(&counts), VERDICT_HOST);
	entry.verdict = VERDICT_PORT;
	merge_count(&counts, &entry, NOW_S);
	merge_count(&counts, &entry, NOW_S);
	assert_int_equal(merge_refused_by(&counts), VERDICT_PORT);
	assert_int_equal(counts.entries, 5);
	assert_int_equal(counts.refused, 4);
}

/* SPEC 15.16: 30 % of ten entries or more, or what the operator says; all of
 * fewer.  What comes replaces what is lacking. */
static void
test_drops(void **state)
{
	static const struct {
		unsigned percent, lasting, lacking, coming, entries;
		bool is_drop;
	} drops[] = {{30, 100, 30, 0, 70, false}, {30, 100, 31, 0, 69, true},
	    {30, 100, 100, 0, 0, true}, {30, 10, 3, 0, 7, false},
	    {30, 10, 4, 0, 6, true}, {30, 9, 8, 0, 1, false},
	    {30, 9, 9, 0, 1, false}, {30, 9, 9, 0, 0, true},
	    {30, 1, 1, 0, 0, true}, {30, 0, 0, 0, 0, false},
	    {30, 10, 0, 0, 0, false}, {30, 100, 31, 3, 72, true},
	    {30, 100, 31, 15, 84, false}, {30, 100, 100, 100, 100, false},
	    {30, 100, 80, 49, 69, true}, {30, 100, 80, 50, 70, false},
	    {30, 10, 4, 60, 66, false}, {0, 100, 0, 0, 100, false},
	    {0, 100, 1, 0, 99, true}, {1, 100, 1, 0, 99, false},
	    {99, 100, 99, 0, 1, false}, {99, 100, 100, 0, 0, true},
	    {100, 100, 100, 0, 0, false}, {100, 2, 2, 0, 0, false}};

	for (size_t i = 0; i < COUNT(drops); i++) {
		struct merge_counts counts = {.lasting = drops[i].lasting,
		    .lacking = drops[i].lacking,
		    .coming = drops[i].coming,
		    .entries = drops[i].entries};

		if (merge_is_drop(&counts, drops[i].percent) !=
		    drops[i].is_drop)
			fail_msg("row %zu", i);
	}
}

/* What a segment remembers of an entry across readings. */
static void
test_history(void **state)
{
	static const struct {
		int64_t first_seen_s;
		int64_t redated_s;
		/* segment_make() gives 0 to all; an absent entry has none */
		uint32_t ordinal;
	} expected[] = {
	    {DAY_0, 0, 0}, {DAY_0, NOW_S, 0}, {DAY_0, NOW_S, 2}, {NOW_S, 0, 3}};
	struct trial *trial = *state;
	struct list_source source = {&trial->segment, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry;

	trial_begin(trial, "a:1 b:1 !c:1");
	trial_read(trial, complete, "a:1 b:2 c:2 d:1");
	for (size_t i = 0; i < 4; i++) {
		assert_true(block_next(reader, &entry));
		assert_int_equal(entry.first_seen_s, expected[i].first_seen_s);
		assert_int_equal(entry.redated_s, expected[i].redated_s);
		assert_int_equal(entry.ordinal, expected[i].ordinal);
	}
	assert_false(block_next(reader, &entry));
	block_reader_free(reader);
}

/* One page is missed, two more are held later, and the reading after that finds
 * all of them gone: since the time of those that were held. */
static void
test_gone_since(void **state)
{
	static const struct {
		const char *listed;
		int64_t at_s, missed_open_s;
		bool is_held;
		const char *delta;
		int64_t gone_since_s;
	} rows[] = {
	    {"a b c", NOW_S + 1, 0, false, "-d", 0},
	    {"a", NOW_S + 5, NOW_S + 1, true, "", 0},
	    {"a", NOW_S + 9, 0, false, "xb xc xd", NOW_S + 5},
	};
	struct trial *trial = *state;

	trial_begin(trial, "a b c d");
	for (size_t i = 0; i < COUNT(rows); i++) {
		trial_read(trial,
		    (struct merge_options){.now_s = rows[i].at_s,
			.is_complete = true,
			.is_held = rows[i].is_held,
			.missed_open_s = rows[i].missed_open_s},
		    rows[i].listed);
		assert_string_equal(trial_delta(trial), rows[i].delta);
		assert_int_equal(
		    trial->counts.gone_since_s, rows[i].gone_since_s);
	}
}

/* SPEC R-120, 15.16: a reading does not decide about what is absent since a
 * time, or later. */
static void
test_undecided(void **state)
{
	static const struct {
		const char *before;
		bool is_held;
		/* the second reading, and what it leaves open */
		int64_t at_s, missed_open_s, held_open_s;
		const char *segment, *delta;
		uint64_t undecided, held;
		int64_t gone_since_s;
	} rows[] = {
	    {"a b", false, NOW_S + 9, 0, 0, "a", "xb", 0, 0, NOW_S},
	    {"a b", false, NOW_S + 9, NOW_S, 0, "a !b", "", 1, 0, 0},
	    {"a b", false, NOW_S + 9, NOW_S + 1, 0, "a", "xb", 0, 0, NOW_S},
	    {"a b", true, NOW_S + 9, 0, NOW_S, "a =b", "", 0, 1, 0},
	    {"a b", true, NOW_S + 9, NOW_S, 0, "a", "xb", 0, 0, NOW_S},
	    /* news has left by then */
	    {"a ^b", true, NOW_S + 9, NOW_S, 0, "a", "", 0, 0, 0},
	    /* the clock was set back */
	    {"a b", false, NOW_S - 9, NOW_S - 99, 0, "a", "xb", 0, 0, NOW_S},
	};
	struct trial *trial = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		trial_begin(trial, rows[i].before);
		trial_read(trial,
		    (struct merge_options){
			.is_complete = true, .is_held = rows[i].is_held},
		    "a");
		trial_read(trial,
		    (struct merge_options){.now_s = rows[i].at_s,
			.is_complete = true,
			.missed_open_s = rows[i].missed_open_s,
			.held_open_s = rows[i].held_open_s},
		    "a");
		assert_string_equal(trial_segment(trial), rows[i].segment);
		assert_string_equal(trial_delta(trial), rows[i].delta);
		assert_int_equal(trial->counts.undecided, rows[i].undecided);
		assert_int_equal(trial->counts.held, rows[i].held);
		assert_int_equal(
		    trial->counts.gone_since_s, rows[i].gone_since_s);
	}
}

/* What a site lists, as numbers in URLs; a number is in the segment until it
 * was absent twice. */
enum { NUMBERS = 60000 };

struct listing {
	uint8_t listed[NUMBERS]; /* 0: no; else its lastmod is that day */
	uint8_t absent[NUMBERS]; /* how often since it was listed */
	struct block_list segment;
	size_t entries; /* of the segment */
	size_t blocks_changed; /* by the last reading */
};

static bool
has_block(const struct block_list *list, const struct block_copy *block)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].len == block->len &&
		    memcmp(list->items[i].data, block->data, block->len) == 0)
			return true;
	return false;
}

/* The segment has what it is to have; count its entries. */
static void
check_listing(struct listing *listing)
{
	struct list_source source = {&listing->segment, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry;
	char url[64];

	listing->entries = 0;
	for (uint32_t i = 0; i < NUMBERS; i++) {
		if (listing->listed[i] == 0 && listing->absent[i] != 1)
			continue;
		listing->entries++;
		assert_true(block_next(reader, &entry));
		(void)snprintf(url, sizeof(url), HOST_TEXT "%05u", i);
		assert_true(slice_is(entry.url, url));
		assert_int_equal(entry.missed, listing->absent[i]);
		if (listing->listed[i] > 0)
			assert_int_equal(entry.lastmod.epoch_s,
			    DAY_0 + listing->listed[i] * DAY_S);
	}
	assert_false(block_next(reader, &entry));
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);
}

static void
read_listing(struct listing *listing)
{
	struct block_list before = listing->segment;
	struct list_source source = {&before, 0};
	struct sinks sinks = {0};
	struct merge_counts counts;
	struct merge_options options = {
	    .now_s = NOW_S,
	    .is_complete = true,
	    .previous = before.count == 0 ? NULL : list_pull,
	    .previous_arg = &source,
	    .segment = block_list_add,
	    .segment_arg = &sinks.segment,
	    .delta = block_list_add,
	    .delta_arg = &sinks.delta,
	};
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 24, .scratch_fd = -1, .now_s = NOW_S});
	size_t entries = listing->entries;
	char url[64];

	for (uint32_t i = NUMBERS, ordinal = 0; i-- > 0;) {
		if (listing->listed[i] > 0) {
			(void)snprintf(url, sizeof(url), HOST_TEXT "%05u", i);
			assert_true(sorter_add(sorter,
			    &(struct entry){.url = slice_of(url),
				.ordinal = ordinal++,
				.lastmod = {DAY_0 + listing->listed[i] * DAY_S,
				    0, DATE_DAY, 0, 0}}));
			listing->absent[i] = 0;
		} else if (listing->absent[i] < 2) {
			listing->absent[i]++;
		}
	}
	assert_true(sorter_finish(sorter));
	assert_int_equal(merge_run(&options, sorter, &counts), DIAG_OK);
	sorter_free(sorter);
	listing->segment = sinks.segment;
	check_listing(listing);
	entries += listing->entries;
	/* Each cut has more than BLOCK_FILL entries around it, of one segment
	 * or the other, or the block before it is full. */
	assert_true(sinks.segment.count <=
	    entries / BLOCK_FILL + entries / BLOCK_ENTRIES + 1);
	listing->blocks_changed = 0;
	for (size_t i = 0; i < sinks.segment.count; i++)
		listing->blocks_changed += !has_block(
		    &before, &sinks.segment.items[i]);
	block_list_release(&before);
	block_list_release(&sinks.delta);
}

/* A change at one place of a document changes the blocks of that place alone,
 * wherever the new entries stand in the document, and however often. */
static void
test_changed_blocks(void **state)
{
	struct listing *listing = calloc(1, sizeof(*listing));
	uint64_t seed = 7;
	size_t rounds = IS_SANITIZED ? 10 : 40;

	memset(listing->absent, 2, sizeof(listing->absent));
	for (size_t i = 0; i < NUMBERS; i++)
		listing->listed[i] = i % 3 > 0;
	read_listing(listing);
	assert_int_equal(listing->segment.count,
	    (NUMBERS * 2 / 3 + BLOCK_FILL - 1) / BLOCK_FILL);
	for (size_t round = 0; round < rounds; round++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t first = (seed >> 40) % (NUMBERS - 400);
		uint8_t day = (uint8_t)(seed >> 30 & 3); /* 0: removed */

		for (size_t i = first; i < first + 400; i++)
			listing->listed[i] = day;
		read_listing(listing);
		assert_in_range(listing->blocks_changed, 0, 3);
		/* What was absent is removed, small neighbours become one. */
		read_listing(listing);
		assert_in_range(listing->blocks_changed, 0, 3);
		read_listing(listing);
		assert_in_range(listing->blocks_changed, 0, 3);
		read_listing(listing);
		assert_int_equal(listing->blocks_changed, 0);
	}
	block_list_release(&listing->segment);
	free(listing);
}

/* periods that overlap are one date; the new spelling is stored. */
static void
test_spelling(void **state)
{
	struct trial *trial = *state;
	struct list_source source = {&trial->segment, 0};
	struct block_reader *reader = block_reader_new(list_pull, &source);
	struct entry entry = {
	    .url = slice_of(HOST_TEXT "a"),
	    .lastmod = {DAY_0 + DAY_S + 36000, 0, DATE_MINUTE, ZONE_EXPLICIT,
		0},
	};
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20, .scratch_fd = -1, .now_s = NOW_S});

	trial_begin(trial, "a:1");
	assert_true(sorter_add(sorter, &entry) && sorter_finish(sorter));
	assert_int_equal(trial_merge(trial, complete, sorter), DIAG_OK);
	assert_int_equal(trial->delta.count, 0);
	assert_true(block_next(reader, &entry));
	assert_int_equal(entry.lastmod.precision, DATE_MINUTE);
	assert_int_equal(entry.redated_s, 0);
	block_reader_free(reader);
}

static void
test_damaged(void **state)
{
	struct trial *trial = *state;

	trial_begin(trial, "a b");
	trial->segment.items[0].data[0] ^= 0x40;
	assert_int_equal(
	    trial_merge(trial, complete, sorter_make("a")), DIAG_STORE_DAMAGED);
}

#define trial_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(merge, trial_test(test_cases), trial_test(test_windows),
    cmocka_unit_test(test_window_drop), trial_test(test_counts),
    trial_test(test_refused_counts), cmocka_unit_test(test_refused_by),
    cmocka_unit_test(test_drops), trial_test(test_undecided),
    trial_test(test_gone_since), trial_test(test_history),
    cmocka_unit_test(test_changed_blocks), trial_test(test_spelling),
    trial_test(test_damaged));
