/* The driver: a document from the answer of its server to its reading; and, for
 * tasks of all types, redirects and further tries. */
#ifndef FRESHET_RUN_READ_H
#define FRESHET_RUN_READ_H

#include <stdbool.h>
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

/* hop_redirect(run, task, result): follow a redirect, or give the task up.
 * False: nothing was done; the task is a robots.txt whose redirect is not
 * followed, which counts as if there were no file (SPEC R-100). */
bool hop_redirect(struct run *, uint32_t task, const struct fetch_result *);

/* hop_unconditional(run, task, result): ask again without conditions, if the
 * answer is one that only they explain: a refusal of them, or nothing (SPEC
 * False: nothing was done. */
bool hop_unconditional(
    struct run *, uint32_t task, const struct fetch_result *);

/* hop_retry(run, task, result): try again later, if the answer or the failure
 * allows another try. False: nothing was done. */
bool hop_retry(struct run *, uint32_t task, const struct fetch_result *);

#endif
