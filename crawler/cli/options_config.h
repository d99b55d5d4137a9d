/* Options in the configuration file. */
#ifndef FRESHET_OPTIONS_CONFIG_H
#define FRESHET_OPTIONS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct givens;

/* The configuration for all users of a machine. */
#define CONFIG_SYSTEM "/etc/freshet/freshet.conf"

#define CONFIG_MAX_BYTES (1 << 20) /* size of the largest file */
#define CONFIG_MAX_LINE 8192 /* bytes; a header may be as long */

/* givens_config(givens, command): add the options of the configuration that the
 * command (a COMMAND_BIT) takes and that no stronger source gives;
 * those of sites go to options->sites. All keys and values are checked, also
 * those of other commands. Call givens_environment() before.
 * Returns false after one line on stderr that names file and line. */
bool givens_config(struct givens *, uint64_t command);

#endif
