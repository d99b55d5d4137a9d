/* Options in the configuration. */
#ifndef FRESHET_OPTIONS_CONFIG_H
#define FRESHET_OPTIONS_CONFIG_H

#include <stdbool.h>

struct givens;

/* Where it lies for all users of a machine. */
#define CONFIG_SYSTEM "/etc/freshet/freshet.conf"

/*
 * givens_config(line, command): what this command, a bit, takes and what a
 * stronger source does not give; the sites' into options->sites.  All keys
 * and values are checked.  Called after givens_environment.
 * False after one line on stderr that names file and line.
 */
bool givens_config(struct givens *, unsigned command);

#endif
