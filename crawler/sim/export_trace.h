/* freshet export --trace: the past of a store, to be replayed by sim. */
#ifndef FRESHET_EXPORT_TRACE_H
#define FRESHET_EXPORT_TRACE_H

#include "crawler/cli/options.h"
#include "crawler/cli/selection.h"
#include "store/store.h"

/* export_trace(options, selection, store): on stdout.  Returns EXIT_DONE, or
 * the exit status after one line on stderr. */
int export_trace(
    const struct options *, const struct selection *, struct store *);

#endif
