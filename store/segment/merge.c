/* Merging a new set of entries into the previous segment. */
#include "store/segment/merge.h"

#include <stddef.h>

#define NAME_LEAST 3 /* a last segment of fewer bytes tells no pages apart */
/* In a document of fewer entries a loss of some percent is nothing unusual. */
#define DROP_LEAST 10

/* Does a reading lack only the oldest entries of its document?  Three orders of
 * age are tried: by date, and by the time when an entry came; of entries that
 * came together, the last or the first one in the document is the oldest. */
enum age_order { BY_DATE, LAST_IS_OLDEST, FIRST_IS_OLDEST, AGE_ORDERS };

struct age {
	int64_t s;
	uint32_t nanos;
	int64_t rank; /* of entries that came together */
};

struct ages {
	struct age absent[AGE_ORDERS]; /* the youngest of them */
	struct age present[AGE_ORDERS]; /* the oldest of them */
	uint64_t absents, presents;
	bool has_undated;
	uint64_t news; /* entries with news data that are listed now */
	/* sums of the names of what left, and of what came */
	uint64_t absent_names, new_names;
};

struct merge {
	const struct merge_options *options;
	struct merge_counts *counts;
	struct block_reader *previous; /* NULL: there is none */
	/* the entry of previous that was read last begins a block of so many
	 * entries; 0: it begins none */
	uint32_t begun;
	struct block_writer *segment;
	struct block_writer *delta;
	struct ages ages;
	bool lists_nothing; /* the reading has no entry at all */
	int64_t held_gone_s; /* as gone_since_s, of what was held till now */
};

static void
merge_open(struct merge *merge, const struct merge_options *options,
    struct merge_counts *counts)
{
	unsigned flags = (options->is_bare ? BLOCK_BARE : 0) |
	    (options->is_in_a_hurry ? BLOCK_HURRY : 0);

	*counts = (struct merge_counts){0};
	*merge = (struct merge){
	    .options = options,
	    .counts = counts,
	};
	/* The blocks follow those of the previous segment, if there is one. */
	if (!options->is_first && options->previous != NULL) {
		merge->previous = block_reader_new(
		    options->previous, options->previous_arg);
		flags |= BLOCK_FOLLOW;
	}
	merge->segment = block_writer_new(
	    options->segment, options->segment_arg, flags);
	if (!options->is_first)
		merge->delta = block_writer_new(
		    options->delta, options->delta_arg, 0);
}

/* Emit the last blocks, unless the merge failed; free all. */
static enum diag_code
merge_close(struct merge *merge, enum diag_code code)
{
	if (merge->previous != NULL && block_reader_damaged(merge->previous))
		code = DIAG_STORE_DAMAGED;
	/* A reading has one such time.  It is that of what was held, since an
	 * earlier delta tells when the others were missed. */
	if (merge->held_gone_s > 0)
		merge->counts->gone_since_s = merge->held_gone_s;
	if (code == DIAG_OK) {
		merge->counts->segment_blocks = block_writer_finish(
		    merge->segment);
		if (merge->delta != NULL)
			merge->counts->delta_blocks = block_writer_finish(
			    merge->delta);
	}
	block_writer_free(merge->segment);
	block_writer_free(merge->delta);
	block_reader_free(merge->previous);
	return code;
}

/* Is the entry one of what is recent, whatever else its document lists?  News
 * entries leave their document after two days (SPEC R-111). */
static bool
is_recent(const struct entry *entry, bool is_feed)
{
	return is_feed || (entry->extensions & EXT_NEWS) != 0;
}

static bool
is_lasting(const struct merge *merge, const struct entry *entry)
{
	return entry->missed == 0 && !is_recent(entry, merge->options->is_feed);
}

bool
merge_leaves(const struct entry *entry, bool is_feed, unsigned window)
{
	return is_recent(entry, is_feed) || window >= WINDOW_HABIT;
}

/* Windows. */

static int
age_compare(const struct age *one, const struct age *other)
{
	if (one->s != other->s)
		return one->s < other->s ? -1 : 1;
	if (one->nanos != other->nanos)
		return one->nanos < other->nanos ? -1 : 1;
	return one->rank < other->rank ? -1 : one->rank > other->rank;
}

/* A number for the last segment of a URL.  Two segments of one number would
 * only make a document of their own site no window. */
static uint64_t
name_of(struct slice url)
{
	size_t end = url.len, begin;
	uint64_t name = 0;

	if (end > 0 && url.p[end - 1] == '/')
		end--;
	for (begin = end; begin > 0 && url.p[begin - 1] != '/';)
		begin--;
	if (end - begin < NAME_LEAST)
		return 0;
	for (; begin < end; begin++)
		name = (name ^ (unsigned char)url.p[begin]) *
		    UINT64_C(0x9E3779B97F4A7C15);
	/* in the sum, what differs at the end must not count less */
	return (name ^ name >> 32) * UINT64_C(0xD6E8FEB86659FD93);
}

/* Note an entry that the reading lacks for the first time, or has. */
static void
note_age(struct merge *merge, const struct entry *entry, bool is_absent)
{
	struct ages *ages = &merge->ages;
	const struct age age[AGE_ORDERS] = {
	    [BY_DATE] = {entry->lastmod.epoch_s, entry->lastmod.nanos, 0},
	    [LAST_IS_OLDEST] = {entry->first_seen_s, 0,
		-(int64_t)entry->ordinal},
	    [FIRST_IS_OLDEST] = {entry->first_seen_s, 0, entry->ordinal}};
	uint64_t *count = is_absent ? &ages->absents : &ages->presents;
	struct age *most = is_absent ? ages->absent : ages->present;

	ages->has_undated |= entry->lastmod.precision == DATE_NONE;
	if (is_absent)
		ages->absent_names += name_of(entry->url);
	for (int i = 0; i < AGE_ORDERS; i++) {
		int order = *count == 0 ? 0 : age_compare(&age[i], &most[i]);

		if (*count == 0 || (is_absent ? order > 0 : order < 0))
			most[i] = age[i];
	}
	(*count)++;
}

/* The window after a reading (SPEC R-120). */
static unsigned
window_of(const struct merge *merge)
{
	const struct merge_options *options = merge->options;
	const struct merge_counts *counts = merge->counts;
	const struct ages *ages = &merge->ages;
	unsigned readings = options->window > WINDOW_HABIT ? WINDOW_NONE
							   : options->window;
	bool are_oldest = false;

	if (options->is_feed)
		return WINDOW_FEED;
	if (!options->is_complete)
		return options->window;
	if (merge->ages.news > 0 && merge->ages.news * 2 >= counts->entries)
		return WINDOW_NEWS;
	if (merge->ages.absents == 0)
		return readings;
	/* If nothing stayed, it is not known what was the oldest. */
	for (int i = 0; ages->presents > 0 && i < AGE_ORDERS; i++)
		are_oldest |= (i != BY_DATE || !ages->has_undated) &&
		    age_compare(&ages->absent[i], &ages->present[i]) < 0;
	/* Did each page that left come again in another folder?  A folder that
	 * is renamed bit by bit often begins with its oldest pages. */
	if (!are_oldest ||
	    (merge->ages.absent_names != 0 &&
		merge->ages.absent_names == merge->ages.new_names))
		return WINDOW_NONE;
	/* What only shrinks is no window. */
	return readings +
	    (readings < WINDOW_HABIT && counts->changes[DELTA_ADDED] > 0);
}

static bool
next_previous(struct merge *merge, struct entry *entry)
{
	if (merge->previous == NULL || !block_next(merge->previous, entry))
		return false;
	merge->counts->lasting += is_lasting(merge, entry);
	merge->begun = block_begun(merge->previous);
	return true;
}

void
merge_count(
    struct merge_counts *counts, const struct entry *entry, int64_t now_s)
{
	if (entry->missed > 0) {
		counts->missed++;
		return;
	}
	counts->entries++;
	if (entry->is_held) {
		counts->held++;
		if (counts->held_since_s == 0 ||
		    entry->absent_s < counts->held_since_s)
			counts->held_since_s = entry->absent_s;
	}
	if (entry->verdict != VERDICT_ACCEPTED) {
		counts->refused++;
		counts->refused_by[entry->verdict]++;
	}
	if (entry->lastmod.precision == DATE_NONE)
		return;
	counts->dated += entry->verdict == VERDICT_ACCEPTED;
	/* The comparison is cheaper than date_doubt, so it comes first. */
	if (date_order(&entry->lastmod, &counts->newest) > 0 &&
	    date_doubt(&entry->lastmod, now_s) == DIAG_OK)
		counts->newest = entry->lastmod;
}

enum verdict
merge_refused_by(const struct merge_counts *counts)
{
	int most = VERDICT_ACCEPTED;

	for (int i = most + 1; i < VERDICTS; i++)
		if (counts->refused_by[i] > counts->refused_by[most])
			most = i;
	return (enum verdict)most;
}

static void
keep(struct merge *merge, const struct entry *entry)
{
	block_writer_add(merge->segment, entry);
	merge_count(merge->counts, entry, merge->options->now_s);
}

/* Add a change of an entry to the delta; NULL dates are DATE_NONE. */
static void
change(struct merge *merge, enum delta_kind kind, const struct entry *entry,
    const struct date *before, const struct date *after)
{
	static const struct date none;

	if (merge->delta == NULL)
		return;
	merge->counts->changes[kind]++;
	block_writer_add_change(merge->delta,
	    &(struct change){
		.url = entry->url,
		.kind = (uint8_t)kind,
		.verdict = entry->verdict,
		.before = before == NULL ? none : *before,
		.after = after == NULL ? none : *after,
	    });
}

/* The entry is gone, or has left the window. */
static void
gone(struct merge *merge, const struct entry *entry)
{
	enum delta_kind kind = merge_leaves(entry, merge->options->is_feed,
				   merge->options->window)
	    ? DELTA_LEFT
	    : DELTA_GONE;

	int64_t *since_s = entry->is_held ? &merge->held_gone_s
					  : &merge->counts->gone_since_s;

	if (merge->delta == NULL)
		return;
	merge->counts->changes[kind]++;
	/* Keep the earliest time; 0: there is none yet. */
	if (entry_is_absent(entry) &&
	    (*since_s == 0 || entry->absent_s < *since_s))
		*since_s = entry->absent_s;
	block_writer_add_change(merge->delta,
	    &(struct change){.url = entry->url,
		.kind = (uint8_t)kind,
		.verdict = entry->verdict,
		.was_listed = entry->missed == 0,
		.before = entry->lastmod});
}

/* An entry that was absent before and is absent now; returns false if the new
 * segment drops the entry. */
static bool
still_absent(struct merge *merge, const struct entry *entry)
{
	int64_t open_s = entry->is_held ? merge->options->held_open_s
					: merge->options->missed_open_s;

	merge->counts->lasting -= is_lasting(merge, entry);
	/* The reading may leave it undecided.  A time that is still to come is
	 * one of a clock that was set back; it is not waited for. */
	if (!is_recent(entry, merge->options->is_feed) && open_s > 0 &&
	    entry->absent_s >= open_s &&
	    entry->absent_s <= merge->options->now_s) {
		merge->counts->undecided += !entry->is_held;
		return true;
	}
	gone(merge, entry);
	return false;
}

/* An entry that a complete reading lacks; returns false if the new segment
 * drops the entry. */
static bool
absent(struct merge *merge, struct entry *entry)
{
	const struct merge_options *options = merge->options;
	int64_t absent_s = options->absent_s > 0 ? options->absent_s
						 : options->now_s;

	if (entry_is_absent(entry))
		return still_absent(merge, entry);
	/* An empty document may be a mistake of the site. */
	if (is_recent(entry, options->is_feed) && !merge->lists_nothing) {
		gone(merge, entry);
		return false;
	}
	/* before the time takes the place of the ordinal */
	if (is_lasting(merge, entry))
		note_age(merge, entry, true);
	entry->absent_s = absent_s < 0 ? 0
	    : absent_s > UINT32_MAX    ? UINT32_MAX
				       : (uint32_t)absent_s;
	if (is_lasting(merge, entry)) {
		merge->counts->lacking++;
		entry->is_held = merge->options->is_held;
	}
	if (!entry->is_held) {
		change(merge, DELTA_REMOVED, entry, &entry->lastmod, NULL);
		entry->missed = 1;
	}
	return true;
}

static void
in_both(struct merge *merge, struct entry *entry, const struct entry *before)
{
	const struct date *was = &before->lastmod;
	const struct date *is = &entry->lastmod;
	bool is_redated = date_differs(was, is);
	bool was_refused = before->verdict != VERDICT_ACCEPTED;
	bool is_refused = entry->verdict != VERDICT_ACCEPTED;

	entry->first_seen_s = before->first_seen_s;
	entry->redated_s = is_redated ? merge->options->now_s
				      : before->redated_s;
	entry->missed = 0;
	entry->is_held = false;
	/* A new entry at the top of the document must not change the others. */
	if (!entry_is_absent(before))
		entry->ordinal = before->ordinal;
	merge->ages.news += (entry->extensions & EXT_NEWS) != 0;
	note_age(merge, entry, false);
	if (before->missed > 0) {
		merge->counts->coming += !is_recent(
		    entry, merge->options->is_feed);
		change(merge, DELTA_RETURNED, entry, NULL, is);
	} else if (is_refused != was_refused) {
		change(merge, is_refused ? DELTA_REFUSED : DELTA_ACCEPTED,
		    entry, was, is);
	} else if (is_redated) {
		change(merge, DELTA_REDATED, entry, was, is);
		merge->counts->regressed += !is_refused &&
		    was->precision != DATE_NONE && is->precision != DATE_NONE &&
		    date_order(is, was) < 0;
	}
	keep(merge, entry);
}

enum diag_code
merge_run(const struct merge_options *options, struct sorter *sorter,
    struct merge_counts *counts)
{
	struct merge merge;
	struct entry entry;
	struct entry before;

	merge_open(&merge, options, counts);
	bool has_new = sorter != NULL && sorter_next(sorter, &entry);
	bool has_before = next_previous(&merge, &before);
	merge.lists_nothing = !has_new;
	while (has_new || has_before) {
		int order = !has_before ? -1
		    : !has_new          ? 1
					: slice_order(entry.url, before.url);

		/* The entry of the previous segment, or what takes its place,
		 * comes next. */
		if (order >= 0)
			block_writer_cut(merge.segment, merge.begun);
		if (order < 0) {
			/* Only the new reading has the URL. */
			entry.first_seen_s = merge.options->now_s;
			entry.redated_s = 0;
			entry.missed = 0;
			entry.is_held = false;
			merge.counts->coming += !is_recent(
			    &entry, merge.options->is_feed);
			merge.ages.news += (entry.extensions & EXT_NEWS) != 0;
			if (merge.previous != NULL)
				merge.ages.new_names += name_of(entry.url);
			if (!merge.options->is_baseline ||
			    entry.verdict == VERDICT_ACCEPTED)
				change(&merge, DELTA_ADDED, &entry, NULL,
				    &entry.lastmod);
			keep(&merge, &entry);
		} else if (order > 0) {
			/* Only the segment before has it. */
			if (!merge.options->is_complete ||
			    absent(&merge, &before))
				keep(&merge, &before);
		} else {
			in_both(&merge, &entry, &before);
		}
		if (order <= 0)
			has_new = sorter_next(sorter, &entry);
		if (order >= 0)
			has_before = next_previous(&merge, &before);
	}
	counts->window = window_of(&merge);
	return merge_close(&merge,
	    sorter != NULL && sorter_end(sorter)->is_failed ? DIAG_READER_KILLED
							    : DIAG_OK);
}

bool
merge_is_drop(const struct merge_counts *counts, unsigned percent)
{
	if (percent >= 100 || counts->window >= WINDOW_HABIT)
		return false;
	if (counts->lasting < DROP_LEAST)
		return counts->lacking > 0 && counts->entries == counts->held;
	uint64_t most = counts->lasting * percent;
	if (counts->lacking * 100 <= most)
		return false;
	return counts->coming < counts->lacking / 2 ||
	    counts->lacking * 100 > most + counts->coming * 100;
}

enum diag_code
merge_unchanged(
    const struct merge_options *options, struct merge_counts *counts)
{
	struct merge merge;
	struct entry before;

	merge_open(&merge, options, counts);
	counts->window = options->window;
	while (next_previous(&merge, &before)) {
		block_writer_cut(merge.segment, merge.begun);
		if (before.missed == 0 || still_absent(&merge, &before))
			keep(&merge, &before);
	}
	return merge_close(&merge, DIAG_OK);
}
