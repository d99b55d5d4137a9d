/* What decoded blocks may hold, whoever made the blocks: shared by fuzz
 * targets. */
#ifndef FRESHET_FUZZ_CHECK_H
#define FRESHET_FUZZ_CHECK_H

#include "base/buf.h"
#include "store/segment/block.h"

/*
 * check_entry(entry, last), check_change(change, last): the promises of
 * store/segment/block.h; last is the URL before it, empty at first, and becomes
 * this one.  check_date(date): one that can be compared and printed.
 */
void check_entry(const struct entry *, struct buf *last);
void check_change(const struct change *, struct buf *last);
void check_date(const struct date *);

/* check_block(data, has_changes): decode it; how many there were.  *damaged
 * says whether the bytes were no such block. */
unsigned check_block(struct slice data, bool has_changes, bool *damaged);

#endif
