/* Completions for zsh: specifications for its _arguments. */
#include <string.h>

#include "crawler/cli/completion.h"
#include "crawler/cli/options_each.h"

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

/* put_quoted(out, text): within '...', where a colon and brackets mean
 * something to _arguments and _describe. */
static void
put_quoted(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			put(out, "'\\'");
		else if (strchr("[]:\\", *text) != NULL)
			(void)buf_put_char(out, '\\');
		(void)buf_put_char(out, *text);
	}
}

static void
put_value(struct buf *out, const struct each *each)
{
	if (each->kind == VALUE_NONE)
		return;
	(void)buf_put_char(out, ':');
	put_quoted(out, each->argument);
	(void)buf_put_char(out, ':');
	switch (each->kind) {
	case VALUE_NONE:
	case VALUE_ANY:
		(void)buf_put_char(out, ' ');
		break;
	case VALUE_CHOICE:
		(void)buf_put_char(out, '(');
		completion_words(out, each->choices);
		(void)buf_put_char(out, ')');
		break;
	case VALUE_MEMBERS:
		put(out, "_values -s , ");
		put_quoted(out, each->argument);
		(void)buf_put_char(out, ' ');
		completion_words(out, each->option->members);
		break;
	case VALUE_SWITCH:
		(void)buf_put_char(out, '(');
		completion_pairs(out);
		(void)buf_put_char(out, ')');
		break;
	case VALUE_FILE:
		put(out, "_files");
		break;
	case VALUE_FOLDER:
		put(out, "_files -/");
		break;
	}
}

/* put_option(out, each): '*--own=[help]:ASSERTION: ', and its letter. */
static void
put_option(struct buf *out, const struct each *each)
{
	const char *many = option_repeats(each->option) ? "*" : "";
	char letter = each->option->letter;

	for (int form = 0; form < (letter == '\0' ? 1 : 2); form++) {
		put(out, " \\\n\t\t\t'");
		/* one spelling takes the place of the other */
		if (letter != '\0' && many[0] == '\0')
			(void)buf_print(out, "(-%c --%s)", letter, each->name);
		if (form == 0)
			(void)buf_print(out, "%s--%s%s", many, each->name,
			    each->kind == VALUE_NONE ? "" : "=");
		else
			(void)buf_print(out, "%s-%c%s", many, letter,
			    each->kind == VALUE_NONE ? "" : "+");
		(void)buf_put_char(out, '[');
		put_quoted(out, each->help);
		(void)buf_put_char(out, ']');
		put_value(out, each);
		(void)buf_put_char(out, '\'');
	}
}

static void
put_operands(struct buf *out, const struct command *command)
{
	const struct command *row;

	if (strcmp(command->name, "help") == 0) {
		put(out, " \\\n\t\t\t'1:topic:(");
		for (size_t i = 0; (row = command_row(i)) != NULL; i++)
			(void)buf_print(out, "%s ", row->name);
		completion_topics(out);
		put(out, ")'");
	} else if (command->actions != NULL) {
		(void)buf_print(out, " \\\n\t\t\t'1:%s:(", command->operand);
		completion_words(out, command->actions);
		put(out, ")'");
		if (command->max_args > 1)
			put(out, " \\\n\t\t\t'*:FILE:_files'");
	} else if (strcmp(command->operand, "FILE") == 0) {
		put(out, " \\\n\t\t\t'*:FILE:_files'");
	} else if (command->max_args > 0) {
		/* a bare message would keep zsh from completing options */
		(void)buf_print(
		    out, " \\\n\t\t\t'*:%s:_hosts'", command->operand);
	}
}

/* put_begin(out): up to the options of the single commands. */
static void
put_begin(struct buf *out)
{
	const struct command *command;

	put(out,
	    "#compdef freshet\n"
	    "# made by 'freshet completion zsh'\n\n"
	    "_freshet() {\n"
	    "\tlocal curcontext=$curcontext state line\n"
	    "\tlocal -a commands specs\n"
	    "\tcommands=(\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		(void)buf_print(out, "\t\t'%s:", command->name);
		put_quoted(out, command->summary);
		put(out, "'\n");
	}
	put(out,
	    "\t)\n"
	    "\t_arguments -C '(-h --help)'{-h,--help}'[print help]' \\\n"
	    "\t\t'(-V --version)'{-V,--version}'[print the version]' \\\n"
	    "\t\t'1:command:->command' '*::argument:->argument' && return\n"
	    "\tcase $state in\n"
	    "\tcommand)\n"
	    "\t\t_describe command commands ;;\n"
	    "\targument)\n"
	    "\t\tcurcontext=${curcontext%:*:*}:freshet-$words[1]:\n"
	    "\t\tcase $words[1] in\n");
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
			    "\t\t\t[[ $words[2] == (|-*|%s) ]] || "
			    "specs=(${specs:#--%s*})\n",
			    each.option->action, each.name);
}

void
completion_zsh(struct buf *out)
{
	const struct command *command;

	put_begin(out);
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		struct each each = {.commands = 1u << i};

		(void)buf_print(out, "\t\t%s)\n\t\t\tspecs=(", command->name);
		while (each_next(&each))
			put_option(out, &each);
		put_operands(out, command);
		put(out, ")\n");
		put_actions(out, 1u << i);
		put(out, "\t\t\t_arguments -s -S $specs ;;\n");
	}
	put(out,
	    "\t\tesac ;;\n"
	    "\tesac\n"
	    "}\n\n"
	    "if [[ $funcstack[1] == _freshet ]]; then\n"
	    "\t_freshet \"$@\"\n"
	    "else\n"
	    "\tcompdef _freshet freshet\n"
	    "fi\n");
}
