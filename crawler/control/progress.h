/* Progress on stderr while a crawl runs. */
#ifndef FRESHET_PROGRESS_H
#define FRESHET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"

struct progress;

/* progress_new(loop, mode, is_quiet, totals): by the mode, a line that is
 * rewritten on a terminal, a line a minute, a JSON object a second, or nothing.
 * Without known documents the line is about pages that are fetched.
 * Each line reads the counts, which stay where they are: a run with one crawl
 * moves none. */
struct progress *progress_new(struct loop *, enum progress_mode, bool is_quiet,
    const struct run_totals *);

/* progress_free(progress): clear the line on the terminal, and free. */
void progress_free(struct progress *);

/* progress_clear(progress): clear the line on the terminal, so that something
 * else can be printed; the next tick shows it again.  NULL is ignored. */
void progress_clear(struct progress *);

/* progress_interval_ms(mode, is_quiet): the time between two lines; 0: there
 * are none. */
int64_t progress_interval_ms(enum progress_mode, bool is_quiet);

#endif
