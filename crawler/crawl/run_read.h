/* The driver: from the answer to the commit, see run_internal.h. */
#ifndef FRESHET_RUN_READ_H
#define FRESHET_RUN_READ_H

#include "crawler/crawl/run_tables.h"

/* run_scope.c: is_index: with what only an index needs */
void read_scope(struct run *, uint32_t task, const struct url *final,
    bool is_index, struct location_scope *);
void read_scope_of(struct run *, uint32_t site, const struct document *index,
    const struct url *final, struct location_scope *);
uint64_t read_fingerprint(
    struct run *, uint32_t task, const struct url *final, bool is_index);
/* read_vouched(run, visit): a hash of who vouches for an index and so for its
 * children, 0: nobody does */
uint64_t read_vouched(struct run *, uint32_t task);
/* is_overdue: it must be read as a whole, whatever is known (HOSTILE T35) */
bool read_is_overdue(struct run *, const struct document *);

/* run_read.c: from the answer to the reading */
void read_answered(struct run *, uint32_t task, const struct fetch_result *);
struct reading *read_begin(
    struct run *, uint32_t task, const struct fetch_result *);

/* run_commit.c: from the reading to the commit */
void read_accept(struct run *, uint32_t task); /* its children, then submit */
bool read_accept_some(struct run *); /* one slice; true: more to do */
void read_submit(struct run *, uint32_t task);
/* read_children(run, visit): those that are stored begin, by and by, and then
 * it is over.  read_lead_some: one slice; true: more to do. */
void read_children(struct run *, uint32_t task);
bool read_lead_some(struct run *);

/* read_again_if_vouched(run, visit): it was read, and more is known now of who
 * vouches for it; if that brings a proof, it is due again (SPEC 15.4). */
void read_again_if_vouched(struct run *, uint32_t task);
bool read_suspects(struct run *); /* one slice; true: more to do */

#endif
