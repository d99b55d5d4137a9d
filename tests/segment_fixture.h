/*
 * Segments and deltas as text, for tests.
 *
 * A segment is "a:5 b !c =d ^e ?f !?g": URLs http://h.test/a, /b and so on; a
 * has the date of day 5 after 2024-01-01; c was missed, d is held, e is news, f
 * is refused, g is refused and was missed; $h is https://h.test/h, $$i
 * https://www.h.test/i.  A delta is
 * "+a:5 -b:1 >c ~d:1:2 xe /f *g +?h": added, removed, returned, re-dated from
 * day 1 to day 2, gone, refused, accepted, and added though it is refused.
 */
#ifndef FRESHET_SEGMENT_FIXTURE_H
#define FRESHET_SEGMENT_FIXTURE_H

#include "base/buf.h"
#include "store/segment/block_list.h"
#include "store/segment/sorter.h"

#define DAY_0 1704067200 /* 2024-01-01 */
#define DAY_S 86400
#define HOST_TEXT "http://h.test/"

/* Blocks of a list, one after the other. */
struct list_source {
	const struct block_list *list;
	size_t at;
};

/* list_pull(source): a block_pull_fn.  list_add(list, block): a block_fn. */
struct slice list_pull(void *source);
void list_add(void *list, const struct block *);

/* date_of_day(day): the date of that day, without a time. */
struct date date_of_day(int day);

/* segment_make(list, text): the blocks of a segment; text is in ascending
 * order. */
void segment_make(struct block_list *, const char *text);

/* sorter_make(text): finished; text is in any order. */
struct sorter *sorter_make(const char *text);

/* put_day(out, date), put_name(out, url): as in segments. */
void put_day(struct buf *out, const struct date *);
void put_name(struct buf *out, struct slice url);

/* segment_text(pull, arg, out), delta_text: what blocks hold; damage fails
 * the test. */
const char *segment_text(block_pull_fn *, void *arg, struct buf *out);
const char *delta_text(block_pull_fn *, void *arg, struct buf *out);

#endif
