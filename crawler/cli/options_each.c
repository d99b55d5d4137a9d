/* One option after the other. */
#include "crawler/cli/options_each.h"

#include <stdio.h>
#include <string.h>

#include "base/profile.h"

static enum value_kind
kind_of(const struct each *each)
{
	if (each->argument == NULL)
		return VALUE_NONE;
	if (each->option->members != NULL)
		return VALUE_MEMBERS;
	if (each->option->type == OPTION_SET)
		return VALUE_SWITCH;
	if (each->choices != NULL)
		return VALUE_CHOICE;
	if (strcmp(each->argument, "FILE") == 0 ||
	    strcmp(each->argument, "PATH") == 0)
		return VALUE_FILE;
	return strcmp(each->argument, "DIR") == 0 ? VALUE_FOLDER : VALUE_ANY;
}

static void
set(struct each *each, const struct option *option, const char *name)
{
	each->option = option;
	each->argument = option->argument;
	(void)snprintf(each->name, sizeof(each->name), "%s", name);
	for (char *p = each->name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	each->kind = kind_of(each);
}

bool
each_next(struct each *each)
{
	const struct option *option;
	const char *key;
	const char *values;
	size_t rows = 0;

	while ((option = option_row(each->at)) != NULL) {
		each->at++;
		if ((option->commands & each->commands) == 0)
			continue;
		each->choices = option->choices;
		each->help = option->help;
		set(each, option, option->name);
		return true;
	}
	while (option_row(rows) != NULL)
		rows++;
	each->place = each->at - rows;
	if ((option_switch()->commands & each->commands) == 0 ||
	    !profile_switch(each->place, &key, &values))
		return false;
	each->at++;
	each->help = profile_switch_help(each->place);
	each->is_switch = true;
	each->choices = strcmp(values, "NUMBER") == 0 ? NULL : values;
	set(each, option_switch(), key);
	return true;
}
