/* Options in the environment: variables FRESHET_<OPTION>. */
#ifndef FRESHET_OPTIONS_ENVIRONMENT_H
#define FRESHET_OPTIONS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct givens;

#define ENVIRONMENT_NAME_MAX 64

/* environment_name(name, variable): write the variable of an option:
 * "FRESHET_MAX_URLS" for "max-urls". */
void environment_name(const char *name, char variable[ENVIRONMENT_NAME_MAX]);

/* givens_environment(givens, command): add the options of the environment that
 * the command (a COMMAND_BIT) takes and that were not typed.
 * Returns false after one line on stderr. */
bool givens_environment(struct givens *, uint64_t command);

/* environment_warn(environment): print one line on stderr for each FRESHET_
 * variable that belongs to no option. The list ends with NULL, as environ
 * does. */
void environment_warn(char *const *environment);

#endif
