/* What finds a row in the table of options. */
#include "crawler/cli/options_table.h"

#include <string.h>

/* is_same_name(a, b): equal, '-' and '_' alike. */
static bool
is_same_name(struct slice a, const char *b)
{
	size_t i = 0;

	for (; i < a.len && b[i] != '\0'; i++) {
		char x = a.p[i] == '_' ? '-' : a.p[i];
		char y = b[i] == '_' ? '-' : b[i];

		if (x != y)
			return false;
	}
	return i == a.len && b[i] == '\0';
}

const struct option *
option_find(struct slice name, const char **key)
{
	const struct option *option;
	const char *values;

	*key = NULL;
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (slice_is(name, option->name))
			return option;
	for (size_t i = 0; profile_switch(i, key, &values); i++)
		if (is_same_name(name, *key))
			return option_switch();
	*key = NULL;
	return NULL;
}

const struct option *
option_find_letter(char letter)
{
	const struct option *option;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option->letter != '\0' && option->letter == letter)
			return option;
	return NULL;
}

/* same_name(option, i): the i-th row and those after it: the next one of the
 * same name. */
static const struct option *
same_name(const struct option *option, size_t *i)
{
	const struct option *row;

	while ((row = option_row((*i)++)) != NULL)
		if (option->name != NULL &&
		    strcmp(row->name, option->name) == 0)
			return row;
	return NULL;
}

const struct option *
option_of(const struct option *option, unsigned command)
{
	const struct option *row;
	size_t i = 0;

	if (option->commands & command)
		return option;
	while ((row = same_name(option, &i)) != NULL)
		if (row->commands & command)
			return row;
	return option;
}

enum option_place
option_place(const struct option *option)
{
	const struct option *row;
	size_t i = 0;

	if (option->type == OPTION_PICK)
		return ON_LINE;
	while ((row = same_name(option, &i)) != NULL)
		if (row != option && row->place < ON_LINE &&
		    option->place < IN_ENVIRONMENT)
			return IN_ENVIRONMENT;
	return option->place;
}

bool
option_repeats(const struct option *option)
{
	return option->type == OPTION_LIST || option->type == OPTION_LINES ||
	    option->type == OPTION_SET;
}

const char *
option_values(const struct option *option)
{
	if (option->choices != NULL)
		return option->choices;
	return option->argument != NULL ? option->argument : "0|1";
}

int
choice_find(const char *choices, struct slice value)
{
	for (int i = 0;; i++) {
		size_t len = strcspn(choices, "|");

		if (slice_equal(slice_make(choices, len), value))
			return i;
		if (choices[len] == '\0')
			return -1;
		choices += len + 1;
	}
}
