/* The driver: entries whose verdict has changed since the reading before. */
#ifndef FRESHET_RUN_VERDICT_H
#define FRESHET_RUN_VERDICT_H

struct content;
struct store;
struct task;

/*
 * verdict_note(store, task, content): if the new reading of the task refuses
 * entries that were accepted before, or the other way round, add one finding
 * (VERDICT_CHANGED): how many entries, by which rule, and why, if one of a
 * few guesses explains it.  A document that is read once more in the same
 * crawl, because a proof came late, gets none.
 */
void verdict_note(struct store *, const struct task *, const struct content *);

#endif
