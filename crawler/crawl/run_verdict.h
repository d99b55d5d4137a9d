/* The driver: entries whose verdict is another than before. */
#ifndef FRESHET_RUN_VERDICT_H
#define FRESHET_RUN_VERDICT_H

#include <stdint.h>

struct content;
struct run;

/*
 * verdict_note(run, number, content): when the reading of the visit, which is
 * under way, finds entries refused that were accepted before, or the other way
 * round, that is one finding (VERDICT_CHANGED): how many, by which rule, and,
 * where one of a few guesses explains it, why.  Not when the document is read
 * once more in the same crawl, because a proof came late.
 */
void verdict_note(struct run *, uint32_t number, const struct content *);

#endif
