/*
 * The past of a site.
 *
 *	row of the store, if it holds -> events and counts of the window
 *	or readings -> (events.h, site_counts.h) -> the same
 */
#include "crawler/events/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/renaming.h"
#include "base/section.h"
#include "base/wall.h"
#include "base/wire.h"
#include "base/zone.h"
#include "store/changes.h"
#include "store/page.h"
#include "store/past.h"
#include "store/site_changes.h"
#include "store/store.h"

/* When the window begins: with a day of the zone.  It goes on once a week, the
 * sites of a store on different days. */
static int64_t
past_begin_s(int64_t site_id, int64_t now_s)
{
	int64_t day = zone_day(now_s) - PAST_DAYS;

	return zone_day_s(day - (day + site_id) % 7);
}

/* The row of the store. */

#define FORMAT 3 /* of the data; another one is computed anew */
#define BYTES_MOST (1 << 20)
/* No number in a row is greater. */
#define COUNT_MOST (UINT64_C(1) << 48)
#define TIME_MOST (UINT64_C(1) << 40)

#define EVENT_TIME(member) WIRE_MEMBER(struct site_event, member, TIME_MOST)
#define EVENT_COUNT(member) WIRE_MEMBER(struct site_event, member, COUNT_MOST)
#define EVENT_FLAG(member) WIRE_MEMBER(struct site_event, member, 1)

static const struct wire_member event_members[] = {
    WIRE_MEMBER(struct site_event, kind, EVENT_KINDS - 1), EVENT_TIME(at_s),
    EVENT_TIME(known_s), EVENT_TIME(settles_s), EVENT_FLAG(is_doubtful),
    EVENT_TIME(end_s), EVENT_TIME(first_known_s), EVENT_COUNT(count),
    EVENT_COUNT(of), EVENT_COUNT(documents), EVENT_COUNT(document_id),
    EVENT_COUNT(first_reading_id), EVENT_COUNT(last_reading_id),
    EVENT_COUNT(back), EVENT_TIME(away_s), EVENT_FLAG(is_configured),
    EVENT_FLAG(is_redirected), EVENT_FLAG(is_of_index),
    EVENT_FLAG(is_in_turns)};

/* Texts that an event has before it is taken into a span. */
static const size_t event_texts[] = {offsetof(struct site_event, section),
    offsetof(struct site_event, replaced),
    offsetof(struct site_event, to_section), offsetof(struct site_event, from),
    offsetof(struct site_event, to), offsetof(struct site_event, text)};

static const struct wire_member count_members[] = {
    WIRE_MEMBER(struct site_count, document_id, COUNT_MOST),
    WIRE_MEMBER(struct site_count, section, UINT32_MAX),
    WIRE_MEMBER(struct site_count, kind, STATS_KINDS - 1),
    WIRE_MEMBER(struct site_count, pages, COUNT_MOST)};

/* A text, or NULL, which is no text of length 0. */
static void
put_text(struct buf *out, const char *text)
{
	size_t len = text == NULL ? 0 : strlen(text);

	wire_put_varint(out, text == NULL ? 0 : len + 1);
	(void)buf_put_slice(out, slice_make(text, len));
}

static char *
get_text(struct wire *wire)
{
	uint64_t len = wire_get_varint(wire);

	return len == 0 ? NULL : slice_dup(wire_get_bytes(wire, len - 1));
}

static void
put_events(struct buf *out, const struct site_event_list *list)
{
	wire_put_varint(out, list->count);
	wire_put_varint(out, list->has_more);
	for (size_t i = 0; i < list->count; i++) {
		const struct site_event *event = &list->items[i];

		wire_put_members(
		    out, event_members, LENGTH(event_members), event);
		for (size_t k = 0; k < LENGTH(event_texts); k++) {
			const char *text;

			memcpy(&text, (const char *)event + event_texts[k],
			    sizeof(text));
			put_text(out, text);
		}
		put_text(out, event->wall);
		wire_put_varint(out, event->headlines.count);
		for (size_t k = 0; k < event->headlines.count; k++)
			put_text(out, event->headlines.items[k]);
	}
}

static void
get_events(struct wire *wire, struct site_event_list *list)
{
	uint64_t count = wire_get_varint(wire);

	list->has_more = wire_get_varint(wire) > 0;
	for (; count > 0 && wire->ok; count--) {
		struct site_event event = {.at_s = 0};
		const struct wall *wall;
		uint64_t headlines;
		char *name;

		wire_get_members(
		    wire, event_members, LENGTH(event_members), &event);
		for (size_t k = 0; k < LENGTH(event_texts); k++) {
			char *text = get_text(wire);

			memcpy((char *)&event + event_texts[k], &text,
			    sizeof(text));
		}
		name = get_text(wire);
		wall = wall_named(slice_of(name));
		event.wall = wall == NULL ? NULL : wall->name;
		free(name);
		headlines = wire_get_varint(wire);
		for (; headlines > 0 && wire->ok; headlines--) {
			char *text = get_text(wire);

			strings_add(&event.headlines, slice_of(text));
			free(text);
		}
		(void)site_event_add(list, event);
	}
}

static void
put_counts(struct buf *out, const struct site_counts *counts)
{
	int64_t before_s = 0;

	wire_put_varint(out, counts->sections.count);
	for (uint32_t i = 0; i < counts->sections.count; i++) {
		put_text(out, names_text(&counts->sections, i));
		wire_put_varint(out, counts->are_lone[i]);
	}
	wire_put_varint(out, counts->count);
	for (size_t i = 0; i < counts->count; i++) {
		const struct site_count *one = &counts->items[i];
		int64_t later_s = one->at_s - before_s;

		/* mostly 0: those of a reading follow each other */
		wire_put_varint(out,
		    (uint64_t)(later_s < 0 ? -later_s : later_s) * 2 +
			(later_s < 0));
		before_s = one->at_s;
		wire_put_members(
		    out, count_members, LENGTH(count_members), one);
	}
}

static void
get_counts(struct wire *wire, struct site_counts *counts)
{
	uint64_t sections = wire_get_varint(wire), count;
	int64_t before_s = 0;

	/* each has a byte at least */
	if (sections > wire->in.len)
		wire->ok = false;
	counts->are_lone = mem_zero((wire->ok ? sections : 0) + 1);
	for (uint32_t i = 0; i < sections && wire->ok; i++) {
		char *name = get_text(wire);

		if (names_put(&counts->sections, slice_of(name)) != i)
			wire->ok = false;
		free(name);
		counts->are_lone[i] = wire_get_varint(wire) > 0;
	}
	for (count = wire_get_varint(wire); count > 0 && wire->ok; count--) {
		uint64_t later = wire_get_varint(wire);
		struct site_count *one;

		if (later / 2 >= TIME_MOST) {
			wire->ok = false;
			break;
		}
		one = MEM_PUSH(counts->items, counts->count, counts->cap);
		before_s += later % 2 > 0 ? -(int64_t)(later / 2)
					  : (int64_t)(later / 2);
		one->at_s = before_s;
		wire_get_members(
		    wire, count_members, LENGTH(count_members), one);
		if (one->section >= counts->sections.count)
			wire->ok = false;
	}
}

/* What the data depend on besides the readings, as a hash. */
static uint64_t
past_key(const struct site_past *past)
{
	int64_t begin_s = past_begin_s(past->site_id, past->span.now_s);
	struct buf text = BUF_UP_TO(SIZE_MAX);
	uint64_t key;

	(void)buf_print(&text, "%d %" PRId64 "\n", FORMAT, begin_s);
	section_rules_put(past->span.sections, &text);
	(void)buf_print(&text, "\n");
	renamings_put(past->span.renamings, &text);
	/* the zone, by when its days begin: those of habits, too */
	for (int64_t week = -20; week < 2 * PAST_DAYS / 7;
	     week += week < 0 ? 4 : 1)
		(void)buf_print(&text, " %" PRId64,
		    zone_day_s(zone_day(begin_s) + 7 * week) -
			7 * week * DAY_S);
	key = hash_key(buf_text(&text), store_hash_key(past->store));
	buf_release(&text);
	return key;
}

static void
find_changes(struct site_past *past, int64_t from_s)
{
	past->changes = site_changes_new(past->store, past->site_id,
	    past->span.renamings,
	    from_s > EVENTS_MOVED_S ? from_s - EVENTS_MOVED_S : 0);
}

/* The one definition of what is told of a site. */
static void
compute(struct site_past *past, int64_t begin_s, unsigned parts)
{
	struct events_span window = past->span;

	find_changes(past, begin_s);
	window.since_s = begin_s;
	for (unsigned told = 0; told < 2; told++) {
		window.is_as_told = told > 0;
		if ((parts & (PAST_KNOWN << told)) != 0)
			events_find(past->store, past->site_id, &window,
			    past->changes, &past->found[told]);
	}
	if ((parts & PAST_COUNTS) != 0)
		site_counts_gather(&past->counts, past->store, past->site_id,
		    begin_s, past->span.sections, past->changes);
}

static bool
is_too_much(const struct site_past *past)
{
	return !past->changes->is_compared || past->found[0].has_too_many ||
	    past->found[1].has_too_many;
}

/* Take what is kept of the site; false: it has to be computed.  *is_narrow:
 * because too much happened in the window. */
static bool
past_take(struct site_past *past, unsigned parts, bool *is_narrow)
{
	struct buf data = BUF_UP_TO(SIZE_MAX);
	struct wire wire;
	bool is_there = store_past_get(past->store, past->site_id,
	    past_key(past), past->span.now_s, &data);

	*is_narrow = is_there && data.len == 0;
	wire = (struct wire){buf_text(&data), is_there && data.len > 0};
	if (wire.ok) {
		past->counts.sections.key = store_hash_key(past->store);
		for (unsigned i = 0; i < 3; i++) {
			struct wire part = {wire_get_slice(&wire), true};

			if ((parts & 1U << i) == 0)
				continue;
			if (i < 2)
				get_events(&part, &past->found[i].list);
			else
				get_counts(&part, &past->counts);
			wire.ok = wire.ok && part.ok;
		}
		/* damaged data are no data */
		if (!wire.ok)
			past_release(past);
	}
	buf_release(&data);
	return wire.ok;
}

void
past_open(struct site_past *past, struct store *store, int64_t site_id,
    const struct events_span *span, unsigned parts)
{
	bool is_begun = store_read_begin(store);
	int64_t begin_s = past_begin_s(site_id, span->now_s);
	bool is_narrow = span->since_s <= begin_s;

	*past = (struct site_past){
	    .store = store, .site_id = site_id, .span = *span};
	if (is_narrow || !past_take(past, parts, &is_narrow)) {
		if (!is_narrow)
			compute(past, begin_s, parts);
		is_narrow = is_narrow || is_too_much(past);
		if (is_narrow) {
			past_release(past);
			compute(past, span->since_s, parts);
		}
	}
	if (is_begun)
		store_read_end(store);
}

bool
past_is_kept(
    struct store *store, int64_t site_id, const struct events_span *span)
{
	struct site_past past = {
	    .store = store, .site_id = site_id, .span = *span};
	struct buf data = BUF_UP_TO(SIZE_MAX);
	bool is_there = store_past_get(
	    store, site_id, past_key(&past), span->now_s, &data);

	buf_release(&data);
	return is_there;
}

bool
past_keep(struct store *store, int64_t site_id, const struct events_span *span)
{
	struct site_past past = {
	    .store = store, .site_id = site_id, .span = *span};
	const struct events_found *found = past.found;
	struct buf data = BUF_UP_TO(BYTES_MOST), part = BUF_UP_TO(BYTES_MOST);
	bool is_due = !past_is_kept(store, site_id, span) &&
	    store_number(store, STORE_UNTALLIED_S, site_id, 0) == 0;

	if (is_due) {
		compute(&past, past_begin_s(site_id, span->now_s), PAST_ALL);
		is_due = found[0].uncounted_s == 0;
	}
	for (unsigned i = 0; i < 3 && is_due; i++) {
		buf_clear(&part);
		if (i < 2)
			put_events(&part, &found[i].list);
		else
			put_counts(&part, &past.counts);
		wire_put_slice(&data, buf_text(&part));
		data.is_cut |= part.is_cut;
	}
	/* that too much happened at a site is kept, too */
	if (is_due && (data.is_cut || is_too_much(&past)))
		buf_clear(&data);
	if (is_due)
		store_past_put(store, site_id, past_key(&past), span->now_s,
		    found[found[1].until_s < found[0].until_s].until_s,
		    buf_text(&data));
	past_release(&past);
	buf_release(&data);
	buf_release(&part);
	return is_due;
}

enum events_gap
past_events(struct site_past *past, const struct events_span *span,
    struct site_event_list *list)
{
	return events_of_span(past->store, past->site_id,
	    &past->found[span->is_as_told], span,
	    span->sample > 0 ? past_changes(past) : NULL, list);
}

const struct site_changes *
past_changes(struct site_past *past)
{
	if (past->changes == NULL)
		find_changes(past, past->span.since_s);
	return past->changes;
}

void
past_release(struct site_past *past)
{
	site_changes_free(past->changes);
	past->changes = NULL;
	site_event_list_release(&past->found[0].list);
	site_event_list_release(&past->found[1].list);
	site_counts_release(&past->counts);
}
