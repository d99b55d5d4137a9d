/* Options in the environment. */
#include "crawler/cli/options_environment.h"

#include <stdlib.h>
#include <string.h>

#include "crawler/cli/options_line.h"
#include "crawler/cli/out.h"

bool
givens_environment(struct givens *line, uint64_t command)
{
	static const struct {
		const char *variable;
		const char *option;
	} variables[] = {
	    {"FRESHET_STORE", "store"}, {"FRESHET_CONFIG", "config"}};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *key;
		struct given given = {
		    .option = option_find(slice_of(variables[i].option), &key),
		    .value = getenv(variables[i].variable),
		    .shown = variables[i].variable,
		    .source = FROM_ENVIRONMENT};
		bool takes = ((given.option->commands |
				  given.option->configured) &
				 command) != 0;

		if (takes && given.value != NULL && given.value[0] != '\0' &&
		    !givens_has(line, &given) && !givens_add(line, &given))
			return false;
	}
	return true;
}

void
environment_warn(char *const *environment)
{
	/* of the launcher and the tests, beside those above */
	static const char *const known[] = {"STORE=", "CONFIG=", "SHARED=",
	    "BIN=", "HOOKED_BIN=", "FULL=", "GOLDEN=", "PICTURES=", "TEST_"};

	for (; *environment != NULL; environment++) {
		const char *name = *environment + strlen("FRESHET_");
		bool is_known = false;

		if (strncmp(*environment, "FRESHET_", strlen("FRESHET_")) != 0)
			continue;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is_known = is_known ||
			    strncmp(name, known[i], strlen(known[i])) == 0;
		if (!is_known)
			complain("warning: '%.*s' in the environment has no "
				 "effect; see 'freshet help config'",
			    (int)strcspn(*environment, "="), *environment);
	}
}
