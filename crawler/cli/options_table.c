/* The table of options, which is made of docs/reference/options.txt, and
 * functions that search it and walk over it. */
#include "crawler/cli/options_table.h"

#include <stdio.h>
#include <string.h>

#include "base/civil.h"

#define AT(field) offsetof(struct options, field)

#define FORM_ZONE "a time zone such as Europe/Berlin, +02:00, local or UTC"

const struct option option_rows[] = {
#include "options.inc"
    {.name = NULL}};

/* Every switch of the profile is an option of its own name. */
const struct option option_switch = {.argument = "VALUE",
    .type = OPTION_SWITCH,
    .target = AT(rules.switches),
    .commands = COMMAND_BIT(COMMAND_CHECK) | COMMAND_BIT(COMMAND_CRAWL) |
	COMMAND_BIT(COMMAND_RUN) | COMMAND_BIT(COMMAND_EXPLAIN),
    .configured = COMMAND_BIT(COMMAND_FETCH),
    .place = IN_SITE};

const struct option *
option_find(struct slice name, const char **key)
{
	const struct option *option;

	*key = NULL;
	for (option = option_rows; option->name != NULL; option++)
		if (slice_is(name, option->name))
			return option;
	/* in a name of a switch '-' and '_' count as the same */
	for (size_t i = 0; i < PROFILE_SWITCHES; i++) {
		size_t k = 0;

		*key = profile_switches[i].key;
		while (k < name.len && (*key)[k] != '\0' &&
		    ((*key)[k] == name.p[k] ||
			((*key)[k] == '_' && name.p[k] == '-')))
			k++;
		if (k == name.len && (*key)[k] == '\0')
			return &option_switch;
	}
	*key = NULL;
	return NULL;
}

const struct option *
option_of(const struct option *option, uint64_t command)
{
	if (option->commands & command || option->name == NULL)
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
	for (const struct option *row = option_rows;
	     row->name != NULL && option->name != NULL; row++)
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

/* Switches are written with '_' in rules and with '-' as options; a shell
 * completes the latter. */
static void
options_table_set(
    struct option_walk *walk, const struct option *option, const char *name)
{
	walk->option = option;
	walk->argument = option->argument;
	(void)snprintf(walk->name, sizeof(walk->name), "%s", name);
	for (char *p = walk->name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	if (walk->argument == NULL)
		walk->kind = VALUE_NONE;
	else if (option->members != NULL)
		walk->kind = VALUE_MEMBERS;
	else if (walk->choices != NULL)
		walk->kind = VALUE_CHOICE;
	else if (strcmp(walk->argument, "FILE") == 0 ||
	    strcmp(walk->argument, "PATH") == 0)
		walk->kind = VALUE_FILE;
	else
		walk->kind = strcmp(walk->argument, "DIR") == 0 ? VALUE_FOLDER
								: VALUE_ANY;
}

bool
option_walk_next(struct option_walk *walk)
{
	const struct profile_switch *row;
	const struct option *option;
	const size_t rows = sizeof(option_rows) / sizeof(option_rows[0]) - 1;

	while (walk->at < rows) {
		option = &option_rows[walk->at++];
		if ((option->commands & walk->commands) == 0)
			continue;
		walk->choices = option->choices;
		walk->help = option->help;
		options_table_set(walk, option, option->name);
		return true;
	}
	/* behind the last row come the switches, which are no rows */
	walk->place = walk->at - rows;
	if ((option_switch.commands & walk->commands) == 0 ||
	    walk->place >= PROFILE_SWITCHES)
		return false;
	row = &profile_switches[walk->place];
	walk->at++;
	walk->help = row->help;
	walk->is_switch = true;
	walk->choices = row->values;
	options_table_set(walk, &option_switch, row->key);
	return true;
}
