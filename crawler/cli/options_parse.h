/* The command line, the environment and the configuration become options. */
#ifndef FRESHET_OPTIONS_PARSE_H
#define FRESHET_OPTIONS_PARSE_H

#include "crawler/cli/options.h"

/*
 * options_parse(options, argc, argv): read the command line; environment
 * variables FRESHET_<OPTION>, then the configuration, stand in for options
 * that are not given: a list is separated by white space (headers: by line
 * feeds), a flag is 1 or 0.  The command is NULL when none was named.
 * Returns 0, or 2 after one line on stderr that names the nearest known
 * option, command, key or value.  options_release in any case.
 */
int options_parse(struct options *, int argc, char **argv);

/* options_release(options): free what the options own.  Zeroed options are
 * allowed. */
void options_release(struct options *);

#endif
