/* Completions for fish: one line for each command and option. */
#include <string.h>

#include "crawler/cli/completion.h"
#include "crawler/cli/options_each.h"

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

/* put_quoted(out, text): as one word. */
static void
put_quoted(struct buf *out, const char *text)
{
	(void)buf_put_char(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			(void)buf_put_char(out, '\\');
		(void)buf_put_char(out, *text);
	}
	(void)buf_put_char(out, '\'');
}

/* put_values(out, choices): each with an empty description: that of the option
 * says nothing of them. */
static void
put_values(struct buf *out, const char *choices)
{
	const char *before = "";

	for (const char *p = choices;; p++) {
		size_t len = strcspn(p, "|");

		(void)buf_print(out, "%s%.*s\\t''", before, (int)len, p);
		before = " ";
		p += len;
		if (*p == '\0')
			break;
	}
}

/* put_condition(out, command, each): after which words it is offered; an option
 * of one action not behind another. */
static void
put_condition(struct buf *out, const char *command, const struct each *each)
{
	const struct command *row = command_find(slice_of(command));

	(void)buf_print(out,
	    "complete -c freshet -n '__fish_seen_subcommand_from %s", command);
	if (each->option->action != NULL) {
		put(out, "; and begin; not __fish_seen_subcommand_from ");
		completion_words(out, row->actions);
		(void)buf_print(out, "; or __fish_seen_subcommand_from %s; end",
		    each->option->action);
	}
	(void)buf_print(out, "' -l %s", each->name);
}

static void
put_option(struct buf *out, const char *command, const struct each *each)
{
	put_condition(out, command, each);
	if (each->option->letter != '\0')
		(void)buf_print(out, " -s %c", each->option->letter);
	switch (each->kind) {
	case VALUE_NONE:
		break;
	case VALUE_ANY:
		put(out, " -x");
		break;
	case VALUE_CHOICE:
		put(out, " -x -a \"");
		put_values(out, each->choices);
		put(out, "\"");
		break;
	case VALUE_MEMBERS:
		put(out,
		    " -x -a '(__fish_complete_list , \"string split \\\" "
		    "\\\" \\\"");
		completion_words(out, each->option->members);
		put(out, "\\\"\")'");
		break;
	case VALUE_SWITCH:
		put(out, " -x -a '");
		completion_pairs(out);
		put(out, "'");
		break;
	case VALUE_FILE:
		put(out, " -r -F");
		break;
	case VALUE_FOLDER:
		put(out, " -x -a '(__fish_complete_directories)'");
		break;
	}
	put(out, " -d ");
	put_quoted(out, each->help);
	(void)buf_put_char(out, '\n');
}

/* put_operands(out, command): its actions or topics, as long as none is
 * there, and files. */
static void
put_operands(struct buf *out, const struct command *command)
{
	static const char first[] =
	    "complete -c freshet -n '__fish_seen_subcommand_from %s; and not "
	    "__fish_seen_subcommand_from ";
	const struct command *row;

	if (strcmp(command->name, "help") == 0) {
		put(out,
		    "complete -c freshet -n '__fish_seen_subcommand_from help' "
		    "-a '");
		for (size_t i = 0; (row = command_row(i)) != NULL; i++)
			(void)buf_print(out, "%s ", row->name);
		completion_topics(out);
		put(out, "'\n");
	} else if (command->actions != NULL) {
		(void)buf_print(out, first, command->name);
		completion_words(out, command->actions);
		put(out, "' -a '");
		completion_words(out, command->actions);
		put(out, "'\n");
	}
	if (strcmp(command->operand, "FILE") == 0) {
		(void)buf_print(out,
		    "complete -c freshet -n '__fish_seen_subcommand_from %s' "
		    "-F\n",
		    command->name);
	} else if (command->actions != NULL && command->max_args > 1) {
		(void)buf_print(out,
		    "complete -c freshet -n '__fish_seen_subcommand_from %s; "
		    "and __fish_seen_subcommand_from ",
		    command->name);
		completion_words(out, command->actions);
		put(out, "' -F\n");
	}
}

void
completion_fish(struct buf *out)
{
	const struct command *command;

	put(out,
	    "# fish completion for freshet, made by 'freshet completion "
	    "fish'\n"
	    "complete -c freshet -f\n"
	    "complete -c freshet -n __fish_use_subcommand -s h -l help -d "
	    "'print help'\n"
	    "complete -c freshet -n __fish_use_subcommand -s V -l version -d "
	    "'print the version'\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		(void)buf_print(out,
		    "complete -c freshet -n __fish_use_subcommand -a %s -d ",
		    command->name);
		put_quoted(out, command->summary);
		(void)buf_put_char(out, '\n');
	}
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		struct each each = {.commands = 1u << i};

		while (each_next(&each))
			put_option(out, command->name, &each);
		put_operands(out, command);
	}
}
