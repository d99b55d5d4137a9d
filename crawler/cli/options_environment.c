/* Options in the environment. */
#include "crawler/cli/options_environment.h"

#include <stdlib.h>
#include <string.h>

#include "crawler/cli/options_apply.h"
#include "crawler/cli/options_line.h"
#include "crawler/cli/out.h"

static const char prefix[] = "FRESHET_";
#define PREFIX (sizeof(prefix) - 1)

void
environment_name(const char *name, char variable[ENVIRONMENT_NAME_MAX])
{
	size_t n = PREFIX;

	memcpy(variable, prefix, PREFIX);
	for (; *name != '\0' && n + 1 < ENVIRONMENT_NAME_MAX; name++) {
		char c = *name == '-' ? '_' : *name;

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		variable[n++] = c;
	}
	variable[n] = '\0';
}

/* Add the option if its variable is set and the option was not typed. */
static bool
add_variable(struct givens *line, const struct option *option, const char *key)
{
	struct given given = {
	    .option = option, .key = key, .source = FROM_ENVIRONMENT};
	char variable[ENVIRONMENT_NAME_MAX];

	environment_name(key != NULL ? key : option->name, variable);
	given.value = getenv(variable);
	if (given.value == NULL || given.value[0] == '\0' ||
	    givens_has(line, &given))
		return true;
	given.shown = options_keep(line->options, slice_of(variable));
	return givens_add(line, &given);
}

bool
givens_environment(struct givens *line, uint64_t command)
{
	const struct option *option;
	const char *key;
	const char *values;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (((option->commands | option->configured) & command) &&
		    option_place(option) < ON_LINE &&
		    !add_variable(line, option, NULL))
			return false;
	for (size_t i = 0; profile_switch(i, &key, &values); i++)
		if ((option_switch()->commands & command) &&
		    !add_variable(line, option_switch(), key))
			return false;
	return true;
}

/* Whether a variable that is no option means something to the program, its
 * launcher or its tests. */
static bool
is_ours(struct slice name)
{
	static const char *const names[] = {
	    "PASSWORD", "SHARED", "BIN", "HOOKED_BIN", "FULL", "GOLDEN"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_is(name, names[i]))
			return true;
	return slice_starts(name, slice_of("TEST_"));
}

/* The option of a variable, NULL if there is none; `out` gets its spelling as
 * an option. */
static const struct option *
to_option(struct slice name, struct buf *out)
{
	const char *key;

	buf_clear(out);
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i] == '_' ? '-' : name.p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		(void)buf_put_char(out, c);
	}
	return option_find(buf_text(out), &key);
}

/* Warn of a variable that belongs to no option. */
static void
warn(struct slice name, struct slice spelt)
{
	char best[ENVIRONMENT_NAME_MAX];
	char word[ENVIRONMENT_NAME_MAX];
	int len = name.len > 80 ? 80 : (int)name.len;
	struct suggestion suggestion;

	suggestion_init(&suggestion, spelt);
	suggestion_option(&suggestion, FOR_ALL);
	suggestion_try(&suggestion, "password", strlen("password"));
	if (suggestion.best == NULL) {
		complain("warning: '%s%.*s' in the environment is no option; "
			 "see 'freshet help config'",
		    prefix, len, name.p);
		return;
	}
	memcpy(word, suggestion.best, suggestion.best_len);
	word[suggestion.best_len] = '\0';
	environment_name(word, best);
	complain("warning: '%s%.*s' in the environment is no option; did you "
		 "mean '%s'?",
	    prefix, len, name.p, best);
}

void
environment_warn(char *const *environment)
{
	struct buf spelt;

	buf_init(&spelt, 1 << 10);
	for (; *environment != NULL; environment++) {
		const char *text = *environment;
		const struct option *option;
		struct slice name;

		if (strncmp(text, prefix, PREFIX) != 0)
			continue;
		text += PREFIX;
		name = slice_make(text, strcspn(text, "="));
		option = to_option(name, &spelt);
		if (option == NULL && !is_ours(name))
			warn(name, buf_text(&spelt));
		else if (option != NULL && option_place(option) == ON_LINE)
			complain("warning: '%s%.*s' in the environment has no "
				 "effect: '--%s' can only be typed",
			    prefix, (int)name.len, name.p, option->name);
	}
	buf_release(&spelt);
}
