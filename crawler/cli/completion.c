/* Completions for bash, which need nothing but bash. */
#include "crawler/cli/completion.h"

#include <string.h>

#include "base/diag.h"
#include "base/profile.h"
#include "crawler/cli/options_each.h"

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

void
completion_topics(struct buf *out)
{
	put(out, "config diagnostics switches");
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		(void)buf_print(out, " %s", diag_name(code));
}

void
completion_words(struct buf *out, const char *choices)
{
	for (; *choices != '\0'; choices++)
		(void)buf_put_char(out, *choices == '|' ? ' ' : *choices);
}

void
completion_pairs(struct buf *out)
{
	const char *before = "";
	const char *key;
	const char *values;

	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		bool is_number = strcmp(values, "NUMBER") == 0;

		for (const char *p = is_number ? "" : values;; p++) {
			size_t len = strcspn(p, "|");

			(void)buf_print(
			    out, "%s%s=%.*s", before, key, (int)len, p);
			before = " ";
			p += len;
			if (*p == '\0')
				break;
		}
	}
}

/* put_switches(out): their names; a value comes with the next tab. */
static void
put_switches(struct buf *out)
{
	const char *before = "";
	const char *key;
	const char *values;

	put(out,
	    "\t\tcompopt -o nospace 2>/dev/null\n"
	    "\t\tCOMPREPLY=($(compgen -S = -W '");
	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		(void)buf_print(out, "%s%s", before, key);
		before = " ";
	}
	put(out, "' -- \"$word\"))\n");
}

/* put_members(out, members): of which several may stand, with commas. */
static void
put_members(struct buf *out, const char *members)
{
	put(out,
	    "\t\t[[ $word == *,* ]] && given=${word%,*},\n"
	    "\t\tCOMPREPLY=($(compgen -P \"$given\" -W '");
	completion_words(out, members);
	put(out, "' -- \"${word##*,}\"))\n");
}

/* put_pattern(out, each): "crawl:--delay|ls:--delay" */
static void
put_pattern(struct buf *out, const struct each *each)
{
	const struct command *command;
	const char *before = "\t";

	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		if ((each->option->commands & 1u << i) == 0)
			continue;
		(void)buf_print(
		    out, "%s%s:--%s", before, command->name, each->name);
		before = " | ";
		if (each->option->letter != '\0')
			(void)buf_print(out, " | %s:-%c", command->name,
			    each->option->letter);
	}
	put(out, ")\n");
}

/* put_values(out): what stands behind an option that takes a value. */
static void
put_values(struct buf *out)
{
	struct each each = {.commands = FOR_ALL};

	put(out, "\tcase $command:$before in\n");
	while (each_next(&each)) {
		if (each.kind == VALUE_NONE)
			continue;
		put_pattern(out, &each);
		switch (each.kind) {
		case VALUE_NONE:
		case VALUE_ANY:
			break;
		case VALUE_CHOICE:
			put(out, "\t\tCOMPREPLY=($(compgen -W '");
			completion_words(out, each.choices);
			put(out, "' -- \"$word\"))\n");
			break;
		case VALUE_MEMBERS:
			put_members(out, each.option->members);
			break;
		case VALUE_SWITCH:
			put_switches(out);
			break;
		case VALUE_FILE:
			put(out, "\t\t_freshet_files -f\n");
			break;
		case VALUE_FOLDER:
			put(out, "\t\t_freshet_files -d\n");
			break;
		}
		put(out, "\t\treturn ;;\n");
	}
	put(out, "\tesac\n");
}

/* put_names(out, commands, separator): the options of these commands. */
static void
put_names(struct buf *out, unsigned commands)
{
	struct each each = {.commands = commands};
	const char *before = "";

	while (each_next(&each)) {
		(void)buf_print(out, "%s--%s", before, each.name);
		before = " ";
		if (each.option->letter != '\0')
			(void)buf_print(out, " -%c", each.option->letter);
	}
}

/* put_takers(out): the options that take a value, as one pattern. */
static void
put_takers(struct buf *out)
{
	struct each each = {.commands = FOR_ALL};
	const char *before = "";

	while (each_next(&each)) {
		if (each.kind == VALUE_NONE)
			continue;
		(void)buf_print(out, "%s--%s", before, each.name);
		before = " | ";
		if (each.option->letter != '\0')
			(void)buf_print(out, " | -%c", each.option->letter);
	}
}

static void
put_commands(struct buf *out)
{
	const struct command *command;

	for (size_t i = 0; (command = command_row(i)) != NULL; i++)
		(void)buf_print(out, "%s%s", i == 0 ? "" : " ", command->name);
}

/* put_operands(out): the arguments of each command. */
static void
put_operands(struct buf *out)
{
	const struct command *command;

	put(out, "\tcase $command:$count in\n\t:*)\n\t\twords='");
	put_commands(out);
	put(out, "' ;;\n\thelp:0)\n\t\twords='");
	put_commands(out);
	(void)buf_put_char(out, ' ');
	completion_topics(out);
	put(out, "' ;;\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		if (command->actions != NULL) {
			(void)buf_print(
			    out, "\t%s:0)\n\t\twords='", command->name);
			completion_words(out, command->actions);
			put(out, "' ;;\n");
		}
		if ((command->actions != NULL && command->max_args > 1) ||
		    strcmp(command->operand, "FILE") == 0)
			(void)buf_print(out,
			    "\t%s:*)\n\t\t_freshet_files -f\n\t\treturn ;;\n",
			    command->name);
	}
	put(out, "\tesac\n");
}

/* put_actions(out, command): take away what belongs to another action than the
 * one that stands there. */
static void
put_actions(struct buf *out, unsigned command)
{
	struct each each = {.commands = command};

	while (each_next(&each))
		if (each.option->action != NULL)
			(void)buf_print(out,
			    "\t\t[[ -z $action || $action == %s ]] || "
			    "words=${words/--%s/}\n",
			    each.option->action, each.name);
}

static void
put_options(struct buf *out)
{
	const struct command *command;

	put(out, "\tcase $command in\n\t'')\n\t\twords='");
	/* of all commands, and not only of some */
	put_names(out, FOR_VERSION);
	put(out, "' ;;\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		(void)buf_print(out, "\t%s)\n\t\twords='", command->name);
		put_names(out, 1u << i);
		put(out, "'\n");
		put_actions(out, 1u << i);
		put(out, "\t\t;;\n");
	}
	put(out, "\tesac\n");
}

/* put_before(out): the word, and what stands before it. */
static void
put_before(struct buf *out)
{
	put(out,
	    "\tword=${COMP_WORDS[COMP_CWORD]}\n"
	    "\tbefore=${COMP_WORDS[COMP_CWORD-1]}\n"
	    "\t# --option=value comes in three words\n"
	    "\tif [[ $word == = ]]; then\n"
	    "\t\tword= i=2\n"
	    "\telif [[ $before == = && $COMP_CWORD -gt 2 ]]; then\n"
	    "\t\tbefore=${COMP_WORDS[COMP_CWORD-2]} i=3\n"
	    "\tfi\n"
	    "\t# --set switch=value comes in four\n"
	    "\tif ((i > 1)) && [[ ${COMP_WORDS[COMP_CWORD-i]} == --set ]]; "
	    "then\n"
	    "\t\tbefore=--${before//_/-}\n"
	    "\tfi\n");
}

/* put_begin(out): which command, which word, how many before it. */
static void
put_begin(struct buf *out)
{
	put(out,
	    "# bash completion for freshet, made by 'freshet completion "
	    "bash'\n\n"
	    "_freshet_files()\n{\n"
	    "\tlocal IFS=$'\\n'\n"
	    "\tcompopt -o filenames 2>/dev/null\n"
	    "\tCOMPREPLY=($(compgen \"$1\" -- \"$word\"))\n"
	    "}\n\n"
	    "_freshet()\n{\n"
	    "\tlocal word before command='' action='' words='' given=''\n"
	    "\tlocal count=0 i=1\n"
	    "\tCOMPREPLY=()\n");
	put_before(out);
	put(out,
	    "\ti=1\n"
	    "\tfor ((; i < COMP_CWORD; i++)); do\n"
	    "\t\tcase ${COMP_WORDS[i]} in\n\t\t");
	put_takers(out);
	put(out,
	    ")\n"
	    "\t\t\t[[ ${COMP_WORDS[i+1]} == = ]] && ((i++))\n"
	    "\t\t\t((i++)) ;;\n"
	    "\t\t-*) ;;\n"
	    "\t\t*)\n"
	    "\t\t\tif [[ -z $command ]]; then\n"
	    "\t\t\t\tcommand=${COMP_WORDS[i]}\n"
	    "\t\t\telse\n"
	    "\t\t\t\t((count++))\n"
	    "\t\t\t\taction=${action:-${COMP_WORDS[i]}}\n"
	    "\t\t\tfi ;;\n"
	    "\t\tesac\n"
	    "\tdone\n");
}

void
completion_bash(struct buf *out)
{
	put_begin(out);
	put_values(out);
	put(out, "\tif [[ $word == -* ]]; then\n");
	put_options(out);
	put(out, "\telse\n");
	put_operands(out);
	put(out,
	    "\tfi\n"
	    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	    "}\n\n"
	    "complete -F _freshet freshet\n");
}
