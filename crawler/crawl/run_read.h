/* The driver: a document from the answer of its server to its reading. */
#ifndef FRESHET_RUN_READ_H
#define FRESHET_RUN_READ_H

#include <stdint.h>

#include "base/diag.h"

struct content;
struct fetch_result;
struct reading;
struct run;

/* read_begin(run, task, result): make the reading of the attempt, from the
 * answer; result NULL: there is no answer. The attempt owns the reading. */
struct reading *read_begin(
    struct run *, uint32_t task, const struct fetch_result *);

/* read_answered(run, task, result): the request for a document or a probe has
 * ended, with or without an answer. */
void read_answered(struct run *, uint32_t task, const struct fetch_result *);

/* read_finished(run, task, result, content): a reader has read the body, see
 * readers_done_fn.  Takes content over. */
void read_finished(
    struct run *, uint32_t task, enum diag_code result, struct content *);

#endif
