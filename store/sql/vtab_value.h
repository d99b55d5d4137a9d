/* Values of the public tables: times and dates as text, codes as words. */
#ifndef FRESHET_VTAB_VALUE_H
#define FRESHET_VTAB_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;

/* What the tables and functions of one connection share. */
struct vtab_shared {
	uint64_t blocks_read; /* decoded since it was made */
};

/*
 * vtab_functions(db, shared): freshet_time(s), freshet_date(s, nanos, form),
 * freshet_precision(form), freshet_severity(code), freshet_blocks_read(), and
 * freshet_may_hold(Bloom filter, loc) for tables that look for one.
 * The connection owns shared from now on, on failure too.  Returns SQLite's
 * code.
 */
int vtab_functions(struct sqlite3 *, struct vtab_shared *);

/* vtab_text(value): its text, borrowed; NULL gives an empty one. */
struct slice vtab_text(struct sqlite3_value *);

/* The text of a date: neighbours often have the same one, and to copy it costs
 * a tenth of making it. */
struct vtab_date {
	struct date date;
	char text[40];
	size_t len; /* 0: nothing yet */
};

/* vtab_put_*: the result of xColumn.  Empty text, DATE_NONE, the time 0 and
 * what is accepted are NULL. */
void vtab_put_text(struct sqlite3_context *, struct slice);
void vtab_put_time(
    struct sqlite3_context *, struct vtab_date *last, int64_t epoch_s);
void vtab_put_epoch(struct sqlite3_context *, int64_t epoch_s);
void vtab_put_date(
    struct sqlite3_context *, struct vtab_date *last, const struct date *);
void vtab_put_date_epoch(struct sqlite3_context *, const struct date *);
void vtab_put_precision(struct sqlite3_context *, const struct date *);
void vtab_put_zone(struct sqlite3_context *, const struct date *);
void vtab_put_refused(struct sqlite3_context *, unsigned verdict);

#endif
