/* Progress on stderr while a crawl runs (CLI section 1). */
#ifndef FRESHET_PROGRESS_H
#define FRESHET_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/options.h"
#include "crawler/crawl/run.h"
#include "crawler/event/loop.h"

struct progress;

/* Where the counts come from, at each line anew. */
typedef const struct run_totals *progress_totals_fn(void *arg);

/*
 * progress_new(loop, mode, is_quiet, totals, arg): a line that is rewritten on
 * a terminal, one line a minute elsewhere, one JSON object a second, or
 * nothing.
 */
struct progress *progress_new(struct loop *, enum progress_mode, bool is_quiet,
    progress_totals_fn *, void *arg);

/* progress_free(progress): takes the line off the terminal. */
void progress_free(struct progress *);

/* progress_clear(progress): takes the line off the terminal for a while, so
 * that something else can be printed. */
void progress_clear(struct progress *);

#endif
