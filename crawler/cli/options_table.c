/* The table of options, which is made of docs/reference/options.txt and
 * base/profile.c, and functions that search it. */
#include "crawler/cli/options_table.h"

#include <string.h>

#include "base/civil.h"

#define AT(field) offsetof(struct options, field)

#define FORM_ZONE "a time zone such as Europe/Berlin, +02:00, local or UTC"

const struct option option_rows[] = {
#include "options.inc"
    {.name = NULL}};

size_t
option_switch(const struct option *option)
{
	const size_t rows = sizeof(option_rows) / sizeof(option_rows[0]) - 1;

	return (size_t)(option - option_rows) - (rows - PROFILE_SWITCHES);
}

const struct option *
option_find(struct slice name)
{
	for (const struct option *option = option_rows; option->name != NULL;
	     option++) {
		const char *p = option->name;
		size_t i = 0;

		/* only names of switches have a '_' */
		while (i < name.len && p[i] != '\0' &&
		    (p[i] == name.p[i] || (p[i] == '_' && name.p[i] == '-')))
			i++;
		if (i == name.len && p[i] == '\0')
			return option;
	}
	return NULL;
}

const struct option *
option_of(const struct option *option, uint64_t command)
{
	if (option->commands & command)
		return option;
	for (const struct option *row = option_rows; row->name != NULL; row++)
		if (strcmp(row->name, option->name) == 0 &&
		    (row->commands & command) != 0)
			return row;
	return option;
}

enum option_place
option_place(const struct option *option)
{
	if (option->type == OPTION_PICK)
		return ON_LINE;
	for (const struct option *row = option_rows; row->name != NULL; row++)
		if (row != option && strcmp(row->name, option->name) == 0 &&
		    row->place < ON_LINE && option->place < ON_LINE)
			return ON_LINE;
	return option->place;
}

bool
option_repeats(const struct option *option)
{
	return option->type == OPTION_LIST || option->type == OPTION_LINES ||
	    option->type == OPTION_RULE;
}

int
choice_find(const char *choices, struct slice value)
{
	struct slice choice;

	for (int i = 0; slice_next(&choices, '|', &choice); i++)
		if (slice_equal(choice, value))
			return i;
	return -1;
}

enum argument_kind
option_argument(const struct option *option)
{
	if (option->argument == NULL)
		return VALUE_NONE;
	if (option->members != NULL)
		return VALUE_MEMBERS;
	if (option->choices != NULL)
		return VALUE_CHOICE;
	if (strcmp(option->argument, "FILE") == 0 ||
	    strcmp(option->argument, "PATH") == 0)
		return VALUE_FILE;
	return strcmp(option->argument, "DIR") == 0 ? VALUE_FOLDER : VALUE_ANY;
}
