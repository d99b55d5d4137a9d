/*
 * Two generations of a document: what becomes of each URL is what the
 * contract of store/segment/merge.h says of it alone, however the rest looks.
 *
 *	byte 0: HOW_*
 *	rest:   entries, a line each: a byte (which generation, missed, day,
 *	        refused, held, news), then the name
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store/segment/block.h"
#include "store/segment/merge.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/fuzz.h"

#define ITEMS_MAX 32
#define NAME_MAX_BYTES 16
#define NO_DAY 7
#define WAS_ORDINAL 1000 /* and more: the ordinals of before */
#define DAY_0 1704067200 /* 2024-01-01 */
#define DAY_S 86400
#define NOW_S (DAY_0 + 100 * DAY_S)
#define BEFORE_S (DAY_0 + 50 * DAY_S)

enum {
	HOW_COMPLETE = 1,
	HOW_FIRST = 2,
	HOW_UNCHANGED = 4,
	HOW_BASELINE = 8,
	HOW_HELD = 16
};
enum {
	LINE_PREVIOUS = 1,
	LINE_MISSED = 2,
	LINE_DAY_SHIFT = 2,
	LINE_REFUSED = 32,
	LINE_HELD = 64, /* unless it is missed */
	LINE_NEWS = 128
};

/* One URL and what both generations say of it. */
struct item {
	char url[NAME_MAX_BYTES];
	size_t len;
	bool is_before, is_now, was_missed;
	bool was_refused, is_refused; /* is: of its first line */
	bool was_held, was_news;
	unsigned before, now; /* days */
	uint32_t ordinal; /* position of its first line in the new generation */
	uint32_t was_ordinal; /* in the generation before */
};

struct world {
	uint8_t how;
	struct item items[ITEMS_MAX];
	size_t count;
	struct sorter *sorter;
	struct block_list previous, segment, delta;
	struct merge_counts counts;
};

static struct date
date_of(unsigned day)
{
	if (day == NO_DAY)
		return (struct date){0};
	return (struct date){
	    .epoch_s = DAY_0 + (int64_t)day * DAY_S, .precision = DATE_DAY};
}

static struct item *
find(struct world *world, struct slice url)
{
	for (size_t i = 0; i < world->count; i++)
		if (slice_equal(url,
			slice_make(world->items[i].url, world->items[i].len)))
			return &world->items[i];
	if (world->count == ITEMS_MAX)
		return NULL;
	struct item *item = &world->items[world->count++];
	*item = (struct item){.len = url.len, .before = NO_DAY, .now = NO_DAY};
	memcpy(item->url, url.p, url.len);
	return item;
}

static uint8_t
verdict_of_item(bool is_refused)
{
	return is_refused ? VERDICT_PORT : VERDICT_ACCEPTED;
}

static void
read_line(struct world *world, struct slice line, uint32_t ordinal)
{
	char url[NAME_MAX_BYTES];
	size_t len = 0;
	unsigned flags = (unsigned char)line.p[0];
	unsigned day = flags >> LINE_DAY_SHIFT & 7;

	for (size_t i = 1; i < line.len && len < sizeof(url); i++)
		if (line.p[i] > ' ' && line.p[i] < 0x7f)
			url[len++] = line.p[i];
	struct item *item = len == 0 ? NULL : find(world, slice_make(url, len));
	if (item == NULL)
		return;
	if ((flags & LINE_PREVIOUS) != 0) {
		item->is_before = true;
		item->was_missed = (flags & LINE_MISSED) != 0;
		item->was_refused = (flags & LINE_REFUSED) != 0;
		item->was_held = !item->was_missed && (flags & LINE_HELD) != 0;
		item->was_news = (flags & LINE_NEWS) != 0;
		item->before = day;
		item->was_ordinal = WAS_ORDINAL + ordinal;
		return;
	}
	if (!item->is_now)
		item->is_refused = (flags & LINE_REFUSED) != 0;
	struct entry entry = {.url = slice_make(url, len),
	    .lastmod = date_of(day),
	    .verdict = verdict_of_item(item->is_refused),
	    .ordinal = ordinal};
	bool is_added = sorter_add(world->sorter, &entry);
	assert(is_added);
	if (!item->is_now)
		item->ordinal = ordinal;
	/* SPEC R-51: the newest date of repeats counts */
	if (item->now == NO_DAY || (day != NO_DAY && day > item->now))
		item->now = day;
	item->is_now = true;
}

static int
by_url(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	return slice_order(
	    slice_make(x->url, x->len), slice_make(y->url, y->len));
}

static void
write_previous(struct world *world)
{
	struct block_writer *writer = block_writer_new(
	    block_list_add, &world->previous, 0);

	for (size_t i = 0; i < world->count; i++) {
		const struct item *item = &world->items[i];
		struct entry entry = {.url = slice_make(item->url, item->len),
		    .lastmod = date_of(item->before),
		    .first_seen_s = BEFORE_S,
		    .redated_s = (int64_t)item->len,
		    .ordinal = item->was_ordinal,
		    .missed = item->was_missed,
		    .is_held = item->was_held,
		    .extensions = item->was_news ? EXT_NEWS : 0,
		    .verdict = verdict_of_item(item->was_refused)};

		if (item->is_before)
			block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
}

/* What the contract says of one URL: whether and how the new segment holds
 * it, and whether there is a change, and of which kind. */
struct fate {
	bool is_kept, is_changed;
	bool is_held; /* the kept entry */
	bool was_listed; /* in the change */
	uint8_t missed;
	bool is_refused; /* of the kept entry, and in the change */
	enum delta_kind kind;
	unsigned day; /* of the kept entry */
	int64_t first_seen_s, redated_s;
	struct date before, after; /* of the change */
};

static bool
lists_any(const struct world *world)
{
	for (size_t i = 0; i < world->count; i++)
		if (world->items[i].is_now)
			return true;
	return false;
}

static void
fate_of_absent(
    struct fate *fate, const struct item *item, const struct world *world)
{
	uint8_t how = world->how;
	bool is_unchanged = (how & HOW_UNCHANGED) != 0;
	bool counts = is_unchanged || (how & HOW_COMPLETE) != 0;
	bool is_gone = counts &&
	    (item->was_missed || (item->was_held && !is_unchanged) ||
		(item->was_news && !is_unchanged && lists_any(world)));
	bool lacks = counts && !is_unchanged && !is_gone;
	bool holds = (how & HOW_HELD) != 0 && !item->was_news;

	fate->is_kept = !is_gone;
	fate->missed = item->was_missed || (lacks && !holds);
	fate->is_held = item->was_held || (lacks && holds);
	fate->is_changed = is_gone || (lacks && !holds);
	fate->was_listed = is_gone && !item->was_missed;
	/* what has news data leaves a window */
	fate->kind = !is_gone ? DELTA_REMOVED
	    : item->was_news  ? DELTA_LEFT
			      : DELTA_GONE;
	fate->day = item->before;
	fate->first_seen_s = BEFORE_S;
	fate->redated_s = (int64_t)item->len;
	fate->before = date_of(item->before);
	fate->is_refused = item->was_refused;
}

static struct fate
fate_of(const struct item *item, const struct world *world)
{
	uint8_t how = world->how;
	struct fate fate = {0};
	bool is_redated = item->before != item->now;

	if (!item->is_now) {
		if (item->is_before)
			fate_of_absent(&fate, item, world);
		return fate;
	}
	fate.is_kept = true;
	fate.day = item->now;
	fate.after = date_of(item->now);
	fate.first_seen_s = item->is_before ? BEFORE_S : NOW_S;
	fate.is_changed = true;
	fate.is_refused = item->is_refused;
	if (!item->is_before) {
		fate.kind = DELTA_ADDED;
		fate.is_changed = (how & HOW_BASELINE) == 0 ||
		    !item->is_refused;
		return fate;
	}
	fate.redated_s = is_redated ? NOW_S : (int64_t)item->len;
	fate.is_changed = is_redated || item->was_missed ||
	    item->is_refused != item->was_refused;
	fate.kind = item->was_missed                ? DELTA_RETURNED
	    : item->is_refused == item->was_refused ? DELTA_REDATED
	    : item->is_refused                      ? DELTA_REFUSED
						    : DELTA_ACCEPTED;
	if (!item->was_missed)
		fate.before = date_of(item->before);
	return fate;
}

static bool
is_same_date(const struct date *a, const struct date *b)
{
	return a->precision == b->precision && a->epoch_s == b->epoch_s;
}

static void
check_kept(
    const struct entry *entry, const struct item *item, const struct fate *fate)
{
	struct date date = date_of(fate->day);

	assert(slice_equal(entry->url, slice_make(item->url, item->len)));
	assert(entry->missed == fate->missed);
	assert(entry->is_held == fate->is_held);
	assert(entry->verdict == verdict_of_item(fate->is_refused));
	assert(is_same_date(&entry->lastmod, &date));
	assert(entry->first_seen_s == fate->first_seen_s);
	assert(entry->redated_s == fate->redated_s);
	/* what is absent has a time in place of the ordinal */
	assert(entry->ordinal ==
	    (entry_is_absent(entry) ? 0
		    : item->is_before && !item->was_missed && !item->was_held
		    ? item->was_ordinal
		    : item->ordinal));
}

static void
check_changed(const struct change *change, const struct item *item,
    const struct fate *fate)
{
	assert(slice_equal(change->url, slice_make(item->url, item->len)));
	assert(change->kind == fate->kind);
	assert(change->was_listed == fate->was_listed);
	assert(change->verdict == verdict_of_item(fate->is_refused));
	assert(is_same_date(&change->before, &fate->before));
	assert(is_same_date(&change->after, &fate->after));
}

static void
check_world(const struct world *world)
{
	struct block_walk segment = {.list = &world->segment};
	struct block_walk delta = {.list = &world->delta};
	struct block_reader *entries = block_reader_new(
	    block_walk_pull, &segment);
	struct block_reader *changes = block_reader_new(
	    block_walk_pull, &delta);
	uint64_t told[DELTA_KINDS] = {0};
	struct change change;
	struct entry entry;

	for (size_t i = 0; i < world->count; i++) {
		const struct item *item = &world->items[i];
		struct fate fate = fate_of(item, world);

		if (fate.is_kept) {
			bool is_there = block_next(entries, &entry);
			assert(is_there);
			check_kept(&entry, item, &fate);
		}
		if (fate.is_changed && (world->how & HOW_FIRST) == 0) {
			bool is_there = block_next_change(changes, &change);
			assert(is_there);
			check_changed(&change, item, &fate);
			told[fate.kind]++;
		}
	}
	assert(!block_next(entries, &entry) && !block_reader_damaged(entries));
	assert(!block_next_change(changes, &change) &&
	    !block_reader_damaged(changes));
	assert(memcmp(told, world->counts.changes, sizeof(told)) == 0);
	assert(world->counts.segment_blocks == world->segment.count);
	assert(world->counts.delta_blocks == world->delta.count);
	block_reader_free(entries);
	block_reader_free(changes);
}

static void
run(struct world *world)
{
	struct block_walk walk = {.list = &world->previous};
	struct merge_options options = {.now_s = NOW_S,
	    .is_complete = (world->how & HOW_COMPLETE) != 0,
	    .is_first = (world->how & HOW_FIRST) != 0,
	    .is_held = (world->how & HOW_HELD) != 0,
	    .is_baseline = (world->how & HOW_BASELINE) != 0,
	    .previous = block_walk_pull,
	    .previous_arg = &walk,
	    .segment = block_list_add,
	    .segment_arg = &world->segment,
	    .delta = block_list_add,
	    .delta_arg = &world->delta};

	write_previous(world);
	enum diag_code code = (world->how & HOW_UNCHANGED) != 0
	    ? merge_unchanged(&options, &world->counts)
	    : merge_run(&options, world->sorter, &world->counts);
	assert(code == DIAG_OK);
	check_world(world);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world world = {0};
	uint32_t ordinal = 0;

	if (size < 1)
		return 0;
	world.how = data[0];
	world.sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20, .scratch_fd = -1, .now_s = NOW_S});
	struct slice in = slice_make((const char *)data + 1, size - 1);
	while (in.len > 0) {
		const char *end = memchr(in.p, '\n', in.len);
		size_t n = end == NULL ? in.len : (size_t)(end - in.p);

		if (n > 0)
			read_line(&world, slice_make(in.p, n), ordinal++);
		in = slice_from(in, end == NULL ? n : n + 1);
	}
	if (world.count > 0)
		qsort(world.items, world.count, sizeof(world.items[0]), by_url);
	bool is_finished = sorter_finish(world.sorter);
	assert(is_finished);
	/* A first reading has no previous generation, an unchanged one no new
	 * generation. */
	for (size_t i = 0; i < world.count; i++) {
		if ((world.how & HOW_UNCHANGED) != 0)
			world.items[i].is_now = false;
		if ((world.how & HOW_FIRST) != 0)
			world.items[i].is_before = false;
	}
	run(&world);
	sorter_free(world.sorter);
	block_list_release(&world.previous);
	block_list_release(&world.segment);
	block_list_release(&world.delta);
	return 0;
}
