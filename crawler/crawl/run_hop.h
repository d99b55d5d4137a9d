/* The driver: redirects, and further tries. */
#ifndef FRESHET_RUN_HOP_H
#define FRESHET_RUN_HOP_H

#include <stdbool.h>
#include <stdint.h>

struct fetch_result;
struct run;

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
