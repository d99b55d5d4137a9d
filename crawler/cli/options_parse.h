/* From the command line, the environment and the configuration to options. */
#ifndef FRESHET_OPTIONS_PARSE_H
#define FRESHET_OPTIONS_PARSE_H

#include "crawler/cli/options.h"

/* options_parse(options, argc, argv): read the command line. The configuration
 * stands in for options that were not typed; FRESHET_STORE and FRESHET_CONFIG
 * of the environment name the store and the configuration. A list there has
 * white space between its values (headers: line feeds); a flag is 1 or 0.
 * options->command is NULL if no command was named.
 * Returns 0, or 2 after one line on stderr that suggests the nearest option,
 * command, key or value. Call options_clear() in any case. */
int options_parse(struct options *, int argc, char **argv);

#endif
