/* Options in the environment: FRESHET_STORE and FRESHET_CONFIG. */
#ifndef FRESHET_OPTIONS_ENVIRONMENT_H
#define FRESHET_OPTIONS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct givens;

/* givens_environment(givens, command): add what the environment names, where
 * the command (a COMMAND_BIT) takes it and it was not typed.
 * Returns false after one line on stderr. */
bool givens_environment(struct givens *, uint64_t command);

/* environment_warn(environment): print one line on stderr for each FRESHET_
 * variable that nothing reads. The list ends with NULL, as environ does. */
void environment_warn(char *const *environment);

#endif
