/* Options in the environment: FRESHET_<OPTION>. */
#ifndef FRESHET_OPTIONS_ENVIRONMENT_H
#define FRESHET_OPTIONS_ENVIRONMENT_H

#include <stdbool.h>

struct givens;

#define ENVIRONMENT_NAME_MAX 64

/* environment_name(name, variable): "FRESHET_MAX_URLS" of "max-urls". */
void environment_name(const char *name, char variable[ENVIRONMENT_NAME_MAX]);

/* givens_environment(line, command): what this command, a bit, takes and was
 * not typed; false after one line on stderr. */
bool givens_environment(struct givens *, unsigned command);

/* line_warn(environment): one line on stderr for each FRESHET_ variable that
 * is nothing's; NULL-terminated, as environ is. */
void line_warn(char *const *environment);

#endif
