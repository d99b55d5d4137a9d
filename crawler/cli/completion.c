/* Completions: one section each for bash, fish and zsh. */
#include "crawler/cli/completion.h"

#include <string.h>

#include "base/diag.h"
#include "base/profile.h"
#include "crawler/cli/options_table.h"

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

static void
put_topics(struct buf *out)
{
	put(out, "config diagnostics switches");
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		(void)buf_print(out, " %s", diag_name(code));
}

static void
put_words(struct buf *out, const char *choices)
{
	for (; *choices != '\0'; choices++)
		(void)buf_put_char(out, *choices == '|' ? ' ' : *choices);
}

static void
put_pairs(struct buf *out)
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

/* The names of all switches; their values are completed by the next tab. */
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

/* Values for a list of members with commas between them. */
static void
put_members(struct buf *out, const char *members)
{
	put(out,
	    "\t\t[[ $word == *,* ]] && given=${word%,*},\n"
	    "\t\tCOMPREPLY=($(compgen -P \"$given\" -W '");
	put_words(out, members);
	put(out, "' -- \"${word##*,}\"))\n");
}

/* The pattern of one option in a `case`: "crawl:--delay | ls:--delay". */
static void
put_pattern(struct buf *out, const struct option_walk *walk)
{
	const struct command *command;
	const char *before = "\t";

	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		if ((walk->option->commands & COMMAND_BIT(i)) == 0)
			continue;
		(void)buf_print(
		    out, "%s%s:--%s", before, command->name, walk->name);
		before = " | ";
		if (walk->option->letter != '\0')
			(void)buf_print(out, " | %s:-%c", command->name,
			    walk->option->letter);
	}
	put(out, ")\n");
}

/* The words that may follow an option that takes a value. */
static void
bash_put_values(struct buf *out)
{
	struct option_walk walk = {.commands = FOR_ALL};

	put(out, "\tcase $command:$before in\n");
	while (option_walk_next(&walk)) {
		if (walk.kind == VALUE_NONE)
			continue;
		put_pattern(out, &walk);
		switch (walk.kind) {
		case VALUE_NONE:
		case VALUE_ANY:
			break;
		case VALUE_CHOICE:
			put(out, "\t\tCOMPREPLY=($(compgen -W '");
			put_words(out, walk.choices);
			put(out, "' -- \"$word\"))\n");
			break;
		case VALUE_MEMBERS:
			put_members(out, walk.option->members);
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

/* The names of the options of these commands. */
static void
put_names(struct buf *out, uint64_t commands)
{
	struct option_walk walk = {.commands = commands};
	const char *before = "";

	while (option_walk_next(&walk)) {
		(void)buf_print(out, "%s--%s", before, walk.name);
		before = " ";
		if (walk.option->letter != '\0')
			(void)buf_print(out, " -%c", walk.option->letter);
	}
}

/* All options that take a value, as one pattern. */
static void
put_takers(struct buf *out)
{
	struct option_walk walk = {.commands = FOR_ALL};
	const char *before = "";

	while (option_walk_next(&walk)) {
		if (walk.kind == VALUE_NONE)
			continue;
		(void)buf_print(out, "%s--%s", before, walk.name);
		before = " | ";
		if (walk.option->letter != '\0')
			(void)buf_print(out, " | -%c", walk.option->letter);
	}
}

static void
put_commands(struct buf *out)
{
	const struct command *command;

	for (size_t i = 0; (command = command_row(i)) != NULL; i++)
		(void)buf_print(out, "%s%s", i == 0 ? "" : " ", command->name);
}

/* The arguments of each command. */
static void
bash_put_operands(struct buf *out)
{
	const struct command *command;

	put(out, "\tcase $command:$count in\n\t:*)\n\t\twords='");
	put_commands(out);
	put(out, "' ;;\n\thelp:0)\n\t\twords='");
	put_commands(out);
	(void)buf_put_char(out, ' ');
	put_topics(out);
	put(out, "' ;;\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		if (command->actions != NULL) {
			(void)buf_print(
			    out, "\t%s:0)\n\t\twords='", command->name);
			put_words(out, command->actions);
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

/* Remove the options that belong to another action than the one on the command
 * line. */
static void
bash_put_actions(struct buf *out, uint64_t command)
{
	struct option_walk walk = {.commands = command};

	while (option_walk_next(&walk))
		if (walk.option->action != NULL)
			(void)buf_print(out,
			    "\t\t[[ -z $action || $action == %s ]] || "
			    "words=${words/--%s/}\n",
			    walk.option->action, walk.name);
}

static void
put_options(struct buf *out)
{
	const struct command *command;

	put(out, "\tcase $command in\n\t'')\n\t\twords='");
	/* without a command: options that all commands take */
	put_names(out, FOR_VERSION);
	put(out, "' ;;\n");
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		(void)buf_print(out, "\t%s)\n\t\twords='", command->name);
		put_names(out, COMMAND_BIT(i));
		put(out, "'\n");
		bash_put_actions(out, COMMAND_BIT(i));
		put(out, "\t\t;;\n");
	}
	put(out, "\tesac\n");
}

/* Set $word, the word at hand, and $before, the one before it. */
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

/* Find the command, its action, and the number of arguments before the word. */
static void
bash_put_begin(struct buf *out)
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
	bash_put_begin(out);
	bash_put_values(out);
	put(out, "\tif [[ $word == -* ]]; then\n");
	put_options(out);
	put(out, "\telse\n");
	bash_put_operands(out);
	put(out,
	    "\tfi\n"
	    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	    "}\n\n"
	    "complete -F _freshet freshet\n");
}

/* Completions for fish: one line for each command and option. */

/* Append the text as one word. */
static void
fish_put_quoted(struct buf *out, const char *text)
{
	(void)buf_put_char(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			(void)buf_put_char(out, '\\');
		(void)buf_put_char(out, *text);
	}
	(void)buf_put_char(out, '\'');
}

/* The values of an option, each with an empty description.  Without it fish
 * would show the description of the option beside each value. */
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

/* When the option is offered: after its command.  An option of one action (as
 * of `db`) is not offered once another action was typed. */
static void
put_condition(
    struct buf *out, const char *command, const struct option_walk *walk)
{
	const struct command *row = command_find(slice_of(command));

	(void)buf_print(out,
	    "complete -c freshet -n '__fish_seen_subcommand_from %s", command);
	if (walk->option->action != NULL) {
		put(out, "; and begin; not __fish_seen_subcommand_from ");
		put_words(out, row->actions);
		(void)buf_print(out, "; or __fish_seen_subcommand_from %s; end",
		    walk->option->action);
	}
	(void)buf_print(out, "' -l %s", walk->name);
}

static void
fish_put_option(
    struct buf *out, const char *command, const struct option_walk *walk)
{
	put_condition(out, command, walk);
	if (walk->option->letter != '\0')
		(void)buf_print(out, " -s %c", walk->option->letter);
	switch (walk->kind) {
	case VALUE_NONE:
		break;
	case VALUE_ANY:
		put(out, " -x");
		break;
	case VALUE_CHOICE:
		put(out, " -x -a \"");
		put_values(out, walk->choices);
		put(out, "\"");
		break;
	case VALUE_MEMBERS:
		put(out,
		    " -x -a '(__fish_complete_list , \"string split \\\" "
		    "\\\" \\\"");
		put_words(out, walk->option->members);
		put(out, "\\\"\")'");
		break;
	case VALUE_SWITCH:
		put(out, " -x -a '");
		put_pairs(out);
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
	fish_put_quoted(out, walk->help);
	(void)buf_put_char(out, '\n');
}

/* The actions or topics of a command until one of them stands there, and
 * files. */
static void
fish_put_operands(struct buf *out, const struct command *command)
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
		put_topics(out);
		put(out, "'\n");
	} else if (command->actions != NULL) {
		(void)buf_print(out, first, command->name);
		put_words(out, command->actions);
		put(out, "' -a '");
		put_words(out, command->actions);
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
		put_words(out, command->actions);
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
		fish_put_quoted(out, command->summary);
		(void)buf_put_char(out, '\n');
	}
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		struct option_walk walk = {.commands = COMMAND_BIT(i)};

		while (option_walk_next(&walk))
			fish_put_option(out, command->name, &walk);
		fish_put_operands(out, command);
	}
}

/* Completions for zsh: specifications for its _arguments. */

/* Append the text for use within '...', where _arguments and _describe give a
 * colon and brackets a meaning. */
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
put_value(struct buf *out, const struct option_walk *walk)
{
	if (walk->kind == VALUE_NONE)
		return;
	(void)buf_put_char(out, ':');
	put_quoted(out, walk->argument);
	(void)buf_put_char(out, ':');
	switch (walk->kind) {
	case VALUE_NONE:
	case VALUE_ANY:
		(void)buf_put_char(out, ' ');
		break;
	case VALUE_CHOICE:
		(void)buf_put_char(out, '(');
		put_words(out, walk->choices);
		(void)buf_put_char(out, ')');
		break;
	case VALUE_MEMBERS:
		put(out, "_values -s , ");
		put_quoted(out, walk->argument);
		(void)buf_put_char(out, ' ');
		put_words(out, walk->option->members);
		break;
	case VALUE_SWITCH:
		(void)buf_put_char(out, '(');
		put_pairs(out);
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

/* Append '*--own=[help]:ASSERTION: ', and the same for the option's letter. */
static void
put_option(struct buf *out, const struct option_walk *walk)
{
	const char *many = option_repeats(walk->option) ? "*" : "";
	char letter = walk->option->letter;

	for (int form = 0; form < (letter == '\0' ? 1 : 2); form++) {
		put(out, " \\\n\t\t\t'");
		/* -l and --long exclude each other */
		if (letter != '\0' && many[0] == '\0')
			(void)buf_print(out, "(-%c --%s)", letter, walk->name);
		if (form == 0)
			(void)buf_print(out, "%s--%s%s", many, walk->name,
			    walk->kind == VALUE_NONE ? "" : "=");
		else
			(void)buf_print(out, "%s-%c%s", many, letter,
			    walk->kind == VALUE_NONE ? "" : "+");
		(void)buf_put_char(out, '[');
		put_quoted(out, walk->help);
		(void)buf_put_char(out, ']');
		put_value(out, walk);
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
		put_topics(out);
		put(out, ")'");
	} else if (command->actions != NULL) {
		(void)buf_print(out, " \\\n\t\t\t'1:%s:(", command->operand);
		put_words(out, command->actions);
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

/* Append all that precedes the options of single commands. */
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

/* Remove the options that belong to another action than the one on the command
 * line. */
static void
put_actions(struct buf *out, uint64_t command)
{
	struct option_walk walk = {.commands = command};

	while (option_walk_next(&walk))
		if (walk.option->action != NULL)
			(void)buf_print(out,
			    "\t\t\t[[ $words[2] == (|-*|%s) ]] || "
			    "specs=(${specs:#--%s*})\n",
			    walk.option->action, walk.name);
}

void
completion_zsh(struct buf *out)
{
	const struct command *command;

	put_begin(out);
	for (size_t i = 0; (command = command_row(i)) != NULL; i++) {
		struct option_walk walk = {.commands = COMMAND_BIT(i)};

		(void)buf_print(out, "\t\t%s)\n\t\t\tspecs=(", command->name);
		while (option_walk_next(&walk))
			put_option(out, &walk);
		put_operands(out, command);
		put(out, ")\n");
		put_actions(out, COMMAND_BIT(i));
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
