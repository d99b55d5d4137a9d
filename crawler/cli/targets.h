/* The targets of a command, typed and from lists. */
#ifndef FRESHET_TARGETS_H
#define FRESHET_TARGETS_H

#include <stddef.h>

#include "crawler/cli/options.h"

/* options_read_targets(options): append those in each --input-file, and on
 * stdin when that was asked for, one a line; blank lines, and what follows a #
 * at the beginning of a line or behind a space, are skipped.  False after one
 * line on stderr: a file is unreadable. */
bool options_read_targets(struct options *);

/* targets_refuse(options, i, what): one line: "FILE:LINE: 'text' what", of what
 * was typed without the place. */
void targets_refuse(const struct options *, size_t i, const char *what);

/*
 * targets_read(options, *bad): options_read_targets, then a look at each: a
 * typed one that is neither a host nor a URL is a mistake; a bad line of a list
 * is named, costs itself only, and is counted in *bad.  args holds the good
 * ones.  Returns EXIT_DONE, EXIT_USAGE, or EXIT_NO_TARGET when no line was
 * good; each after a line on stderr.
 */
int targets_read(struct options *, size_t *bad);

#endif
