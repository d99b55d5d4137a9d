/* Are two commands' options the same, as far as a crawl depends on them? */
#ifndef FRESHET_OPTIONS_SAME_H
#define FRESHET_OPTIONS_SAME_H

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/cli/options.h"

/*
 * options_each_value(options, fn, arg): fn for each option of crawl that is
 * not the command's own (what it prints, its store, --force), in the order of
 * the table: its name and value, on one line of text that only compares.
 * A password comes as a hash.
 */
typedef void option_value_fn(void *arg, const char *name, struct slice value);
void options_each_value(const struct options *, option_value_fn *, void *arg);

#endif
