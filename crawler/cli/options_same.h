/* The options that a crawl depends on, as texts that two processes compare. */
#ifndef FRESHET_OPTIONS_SAME_H
#define FRESHET_OPTIONS_SAME_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

/* options_each_value(options, fn, arg): call fn with name and value of each
 * option of `crawl`, in the order of the table, but for those that concern the
 * command alone (what it prints, its store, --force). The value is one line of
 * text, made only to be compared. A password, and what a
 * header says, are given as their hash. */
typedef void option_value_fn(void *arg, const char *name, struct slice value);
void options_each_value(const struct options *, option_value_fn *, void *arg);

#endif
