/* The driver: commits, and the children that an index leads to. */
#ifndef FRESHET_RUN_COMMIT_H
#define FRESHET_RUN_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct reading;
struct run;

/* run_flush(run): COMMIT at once what is not committed yet. The store then
 * calls back for each stored reading, and its task goes on. */
enum diag_code run_flush(struct run *);

/* commit_accept(run, task): on entering ACCEPTING: begin to judge the children
 * of the index.
 * commit_accept_some(run): judge children for a few milliseconds; true: there
 * are more. */
void commit_accept(struct run *, uint32_t task);
bool commit_accept_some(struct run *);

/* commit_prepare(run, task): on entering COMMITTING: complete the reading of
 * the document. */
void commit_prepare(struct run *, uint32_t task);

/* commit_done(run, task, reading): the reading is committed. */
void commit_done(struct run *, uint32_t task, const struct reading *);

/* commit_expand_one(run): begin some stored children of the first index of
 * LIST_EXPANDING, which is DONE when all of them have begun. */
void commit_expand_one(struct run *);

/* commit_look_again(run): look at the first task of LIST_SUSPECTS; it begins
 * again if its proofs make a difference. */
void commit_look_again(struct run *);

#endif
