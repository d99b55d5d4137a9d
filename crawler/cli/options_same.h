/* The options that a crawl depends on, as texts that two processes compare. */
#ifndef FRESHET_OPTIONS_SAME_H
#define FRESHET_OPTIONS_SAME_H

#include "base/strings.h"
#include "crawler/cli/options.h"

/* options_values(options, command, values): append "NAME=VALUE" of each option
 * of that command (COMMAND_BIT), in the order of the table, but for those that
 * concern the command alone (what it prints, its store, --force). The value is
 * made only to be compared. A password, and what a header says, are given as
 * their hash. */
void options_values(const struct options *, uint64_t command, struct strings *);

#endif
