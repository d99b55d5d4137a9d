/* The targets of a command, typed and from lists. */
#ifndef FRESHET_TARGETS_H
#define FRESHET_TARGETS_H

#include <stddef.h>

#include "crawler/cli/options.h"

/* options_read_targets(options): append the targets in each --input-file, and
 * on stdin if it was asked for, one a line, to options->args. Blank lines are
 * skipped, and so is what follows a # at the beginning of a line or behind a
 * space. Returns false after one line on stderr if a file is unreadable. */
bool options_read_targets(struct options *);

/* targets_refuse(targets, i, what): print one line on stderr about
 * the i-th target: "FILE:LINE: 'text' what"; a typed one has no FILE:LINE. */
void targets_refuse(const struct options_targets *, size_t i, const char *what);

/* targets_read(options, *bad): call options_read_targets(), then look at each
 * target. A typed target that is neither a host nor a URL is a usage error; a
 * bad line of a list is reported, skipped and counted in *bad. options->args
 * keeps the good ones. Returns EXIT_DONE; or after one line on stderr
 * EXIT_USAGE, or EXIT_NO_TARGET if no line was good. */
int targets_read(struct options *, size_t *bad);

#endif
