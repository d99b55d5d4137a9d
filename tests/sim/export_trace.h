/* The history of a store as a trace. */
#ifndef FRESHET_EXPORT_TRACE_H
#define FRESHET_EXPORT_TRACE_H

#include "crawler/cli/options.h"
#include "crawler/cli/selection.h"
#include "store/store.h"

/* export_trace(output, selection, store): write the trace to stdout.
 * Returns EXIT_DONE, or another exit status after one line on stderr. */
int export_trace(
    const struct options_output *, const struct selection *, struct store *);

#endif
