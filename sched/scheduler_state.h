/*
 * What the scheduler learned, as bytes that are kept from one run to the next.
 *
 * scheduler_save_*(scheduler, number, buf) appends a record of a few hundred
 * bytes at most.  scheduler_load_*(scheduler, number, bytes) restores what was
 * learned of something that was added before.  Returns false, and changes
 * nothing, when another version wrote the record or it is damaged; numbers that
 * are NaN, or below 0 where none can be, are damage.
 *
 * Not kept: which items were out, what budgets have spent, whether changes
 * found since the last reading were announced (they are forgotten), and holds
 * (scheduler_held_s).  The record of all holds prices and what all sites share.
 */
#ifndef FRESHET_SCHEDULER_STATE_H
#define FRESHET_SCHEDULER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct scheduler;

void scheduler_save_page(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_page(struct scheduler *, uint32_t, struct slice);
void scheduler_save_document(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_document(struct scheduler *, uint32_t, struct slice);
void scheduler_save_site(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_site(struct scheduler *, uint32_t, struct slice);
void scheduler_save_section(const struct scheduler *, uint32_t, struct buf *);
bool scheduler_load_section(struct scheduler *, uint32_t, struct slice);
void scheduler_save_all(const struct scheduler *, struct buf *);
bool scheduler_load_all(struct scheduler *, struct slice);

#endif
