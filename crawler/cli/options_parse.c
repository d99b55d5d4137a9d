/*
 * From argv to options.
 *
 *	argv -> givens (words and options) -> command -> environment
 *	    -> configuration -> values -> profile, store, credentials, targets
 */
#include "crawler/cli/options_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawler/cli/options_apply.h"
#include "crawler/cli/options_config.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

/* Suggest among the options of the command, if it was typed before the option:
 * a suggestion that the command does not take would be a second mistake. */
static void
unknown_option(const struct givens *line, const char *word)
{
	const struct command *command = line->words.count == 0
	    ? NULL
	    : command_find(slice_of(line->words.items[0]));
	struct slice typed = slice_make(word, strcspn(word, "="));
	struct suggestion suggestion;

	suggestion_init(&suggestion, slice_from(typed, typed.len > 2 ? 2 : 1));
	suggestion_option(
	    &suggestion, command == NULL ? FOR_ALL : COMMAND_BIT_OF(command));
	complain_unknown("", "option", typed, &suggestion, "freshet help");
}

/* Take the next word as the option's value if it needs one and has none yet. */
static bool
take_value(struct given *given, int argc, char **argv, int *i)
{
	if (given->option->argument == NULL || given->value != NULL ||
	    given->is_off)
		return true;
	if (*i + 1 >= argc)
		return refuse("'%s' needs a value: %s", given->shown,
		    given->option->argument);
	given->value = argv[++*i];
	return true;
}

/* The option of that name, in the row of the command if that is known by
 * now. */
static const struct option *
options_line_find(const struct givens *line, struct slice name)
{
	const struct option *option = option_find(name);
	const struct command *command = line->words.count == 0
	    ? NULL
	    : command_find(slice_of(line->words.items[0]));

	return option == NULL || command == NULL
	    ? option
	    : option_of(option, COMMAND_BIT_OF(command));
}

/* Take argv[*i], which is "--name" or "--name=value". */
static bool
take_long(struct givens *line, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	struct slice name = slice_make(word + 2, strcspn(word + 2, "="));
	struct given given = {.source = FROM_LINE};

	/* Scripts of before may ask for what is always judged now. */
	if (strcmp(word, "--extensions") == 0 && line->words.count > 0 &&
	    strcmp(line->words.items[0], "check") == 0)
		return true;
	given.shown = options_keep(
	    line->options, slice_make(word, name.len + 2));
	given.option = options_line_find(line, name);
	/* '--no-NAME' is looked for when there is no option of the whole name
	 */
	if (given.option == NULL && slice_starts(name, slice_of("no-"))) {
		given.option = options_line_find(line, slice_from(name, 3));
		given.is_off = true;
		if (given.option != NULL && given.option->type != OPTION_FLAG &&
		    !given.option->has_off)
			given.option = NULL;
	}
	if (given.option == NULL) {
		unknown_option(line, word);
		return false;
	}
	/* '--name=value' has its value with it, also an empty one */
	if (word[2 + name.len] == '=')
		given.value = word + 3 + name.len;
	if (given.value != NULL &&
	    (given.option->argument == NULL || given.is_off))
		return refuse("'%s' takes no value", given.shown);
	if (!take_value(&given, argc, argv, i))
		return false;
	givens_add(line, &given);
	return true;
}

/* Take argv[*i], which is "-l", "-lq" or "-AName". */
static bool
take_short(struct givens *line, int argc, char **argv, int *i)
{
	const char *p = argv[*i] + 1;

	for (; *p != '\0'; p++) {
		struct given given = {.source = FROM_LINE};
		const struct option *row;
		char shown[3] = {'-', *p, '\0'};

		/* rows of one name have the same letter, or none has one */
		for (row = option_rows; row->name != NULL; row++)
			if (given.option == NULL && row->letter == *p)
				given.option = row;
		given.shown = options_keep(line->options, slice_of(shown));
		if (given.option == NULL) {
			unknown_option(line, given.shown);
			return false;
		}
		if (given.option->argument != NULL && p[1] != '\0')
			given.value = p + 1;
		if (!take_value(&given, argc, argv, i))
			return false;
		givens_add(line, &given);
		if (given.value != NULL)
			break;
	}
	return true;
}

/* Add the words and options of the command line. */
static bool
givens_take(struct givens *line, int argc, char **argv)
{
	bool is_over = false;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		bool is_taken = true;

		if (is_over || word[0] != '-' || word[1] == '\0')
			strings_add(&line->words, slice_of(word));
		else if (strcmp(word, "--") == 0)
			is_over = true;
		else if (word[1] == '-')
			is_taken = take_long(line, argc, argv, &i);
		else
			is_taken = take_short(line, argc, argv, &i);
		if (!is_taken)
			return false;
	}
	return true;
}

/* Options that exclude each other. */

/* Find the name of the next option that the given one excludes; `words` is what
 * is left of option.not_with.  Returns false past the last. */
static bool
givens_next_rival(
    const struct given *given, const char **words, struct slice *name)
{
	while (*words != NULL && **words != '\0') {
		size_t whole = strcspn(*words, " ");
		size_t len = strcspn(*words, ": ");
		char values[64] = "";
		bool is_it;

		*name = slice_make(*words, len);
		if (len < whole)
			(void)snprintf(values, sizeof(values), "%.*s",
			    (int)(whole - len - 1), *words + len + 1);
		*words += whole + ((*words)[whole] == ' ');
		is_it = values[0] == '\0' ||
		    (given->value != NULL &&
			choice_find(values, slice_of(given->value)) >= 0);
		if (is_it && !given->is_off)
			return true;
	}
	return false;
}

/* The last time that the option was typed; NULL: it was not, or its --no- form
 * was. */
static struct given *
givens_typed(const struct givens *line, struct slice name)
{
	struct given *last = NULL;

	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].source == FROM_LINE &&
		    slice_is(name, line->items[i].option->name))
			last = &line->items[i];
	return last == NULL || last->is_off ? NULL : last;
}

/* Remove the options of weaker sources that exclude a typed one, without a
 * message.  Returns false after one line on stderr if two were typed that
 * exclude each other. */
static bool
givens_settle(struct givens *line)
{
	size_t kept = 0;

	for (size_t i = 0; i < line->count; i++) {
		struct given *a = &line->items[i];
		const char *words = a->option->not_with;
		/* of an option that was typed twice the last one counts */
		bool is_typed = words != NULL &&
		    a == givens_typed(line, slice_of(a->option->name));
		struct slice name;

		/* either this option gives way to a typed one, or it is typed
		 * itself and others give way */
		while (givens_next_rival(a, &words, &name)) {
			const struct given *b = givens_typed(line, name);
			/* as they stand on the command line: '-f csv' */
			const struct given *both[] = {
			    a < b ? a : b, a < b ? b : a};
			struct buf text = BUF_UP_TO(1 << 16);

			a->gives_way |= b != NULL && a->source != FROM_LINE;
			for (size_t k = 0; is_typed && k < line->count; k++)
				line->items[k].gives_way |= line->items[k]
								.source !=
					FROM_LINE &&
				    slice_is(name, line->items[k].option->name);
			if (b == NULL || !is_typed)
				continue;
			for (size_t k = 0; k < 2; k++)
				(void)buf_print(&text,
				    both[k]->value != NULL ? "%s'%s %s'"
							   : "%s'%s'",
				    k > 0 ? " and " : "", both[k]->shown,
				    both[k]->value);
			complain("%s do not go together", buf_str(&text));
			buf_release(&text);
			return false;
		}
	}
	for (size_t i = 0; i < line->count; i++)
		if (!line->items[i].gives_way)
			line->items[kept++] = line->items[i];
	line->count = kept;
	return true;
}

/* The command, and all that follows from it. */

/* The command that the line asks for. *command is NULL if it asks for the
 * overview or for nothing. */
static bool
find_command(struct givens *line, const struct command **command)
{
	struct options *options = line->options;
	struct suggestion suggestion;
	struct slice name;

	*command = NULL;
	for (size_t i = 0; i < line->count; i++) {
		const struct option *option = line->items[i].option;

		if (option->target == offsetof(struct options, wants_help))
			options->wants_help = true;
		if (option->target == offsetof(struct options, wants_version))
			options->wants_version = true;
	}
	/* without a word, --help and --version are commands themselves */
	if (line->words.count > 0)
		name = slice_of(line->words.items[0]);
	else if (options->wants_version)
		name = slice_of("version");
	else if (options->wants_help || line->count == 0)
		return true;
	else
		return refuse("no command; see 'freshet help'");
	*command = command_find(name);
	if (*command == NULL) {
		suggestion_init(&suggestion, name);
		for (size_t i = 0; i < COMMAND_COUNT; i++)
			suggestion_try(&suggestion, command_rows[i].name);
		complain_unknown(
		    "", "command", name, &suggestion, "freshet help");
		return false;
	}
	return true;
}

/* Move the words behind the command to options->args, except "-". */
static bool
take_args(struct givens *line, const struct command *command)
{
	struct options *options = line->options;
	size_t count = line->words.count - (line->words.count > 0);
	struct suggestion suggestion;
	struct slice action;
	char see[64];
	struct stat in;

	for (size_t i = 1; i < line->words.count; i++)
		if (command->reads_stdin &&
		    strcmp(line->words.items[i], "-") == 0)
			options->targets.has_stdin = true;
		else
			strings_add(&options->targets.args,
			    slice_of(line->words.items[i]));
	/* what is behind --help need not be complete */
	if (options->wants_help)
		return true;
	/* In a script stdin may be anything: a pipe is the one thing that
	 * somebody has made for this command. */
	if (count == 0 && command->reads_stdin && !command->wants_dash &&
	    options->targets.input_files.count == 0)
		options->targets.is_piped = fstat(STDIN_FILENO, &in) == 0 &&
		    S_ISFIFO(in.st_mode);
	options->targets.has_stdin = options->targets.has_stdin ||
	    options->targets.is_piped;
	/* what a command does must not be guessed */
	action = slice_of(count > 0 ? line->words.items[1] : "");
	if (command->actions != NULL && count > 0 &&
	    choice_find(command->actions, action) < 0) {
		suggestion_init(&suggestion, action);
		suggestion_try(&suggestion, command->actions);
		(void)snprintf(
		    see, sizeof(see), "freshet help %s", command->name);
		complain_unknown(
		    "", command->operand, action, &suggestion, see);
		return false;
	}
	/* each action has arguments of its own */
	if (command->actions != NULL &&
	    (count < command->min_args || count > command->max_args))
		return refuse("the arguments of '%s' are: %s", command->name,
		    command->synopsis);
	if (count < command->min_args && !options->targets.has_stdin &&
	    options->targets.input_files.count == 0)
		return refuse("'%s' needs a %s; see 'freshet help %s'",
		    command->name, command->operand, command->name);
	return count <= command->max_args ||
	    refuse("'%s' takes %s %s", command->name,
		command->max_args == 0 ? "no" : "one", command->operand);
}

/* Add what the environment names, where the command takes it and it was not
 * typed. */
static void
givens_environment(struct givens *line, uint64_t command)
{
	static const struct {
		const char *variable;
		const char *option;
	} variables[] = {
	    {"FRESHET_STORE", "store"}, {"FRESHET_CONFIG", "config"}};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		struct given given = {
		    .option = option_find(slice_of(variables[i].option)),
		    .value = getenv(variables[i].variable),
		    .shown = variables[i].variable,
		    .source = FROM_ENVIRONMENT};
		bool takes = ((given.option->commands |
				  given.option->configured) &
				 command) != 0;

		/* an empty variable counts as none, as shells set it */
		if (takes && given.value != NULL && given.value[0] != '\0' &&
		    !givens_has(line, &given))
			givens_add(line, &given);
	}
}

/* The order matters: help and version must work with a broken configuration,
 * and a mistake on the command line is told before one in a file. */
static bool
options_parse_parse(struct givens *line, int argc, char **argv)
{
	const struct command *command;

	if (!givens_take(line, argc, argv) || !find_command(line, &command))
		return false;
	if (command == NULL)
		return true;
	if (line->options->wants_version)
		command = command_find(slice_of("version"));
	line->options->command = command->name;
	/* Replace each option by the row of this command. */
	uint64_t bit = COMMAND_BIT_OF(command);

	for (size_t i = 0; i < line->count; i++)
		line->items[i].option = option_of(line->items[i].option, bit);

	if (line->options->wants_help)
		return take_args(line, command);
	/* Does the command take all options that were typed? */
	for (size_t i = 0; !line->options->wants_version && i < line->count;
	     i++) {
		const struct given *given = &line->items[i];
		unsigned of = 0;

		if (given->option->commands & bit)
			continue;
		while (!(given->option->commands & COMMAND_BIT(of)))
			of++;
		return refuse("'%s' takes no '%s'; it is an option of '%s'",
		    command->name, given->shown, command_rows[of].name);
	}
	/* Read environment and configuration, and derive the rest. */
	struct options *options = line->options;
	const char *action = line->words.count > 1 ? line->words.items[1] : "";
	const struct option *option = option_find(slice_of("store"));

	options->store.is_needed = (option_of(option, bit)->commands & bit) !=
	    0;
	/* Does an option belong to another action of the command? */
	for (size_t i = 0; !options->wants_version && i < line->count; i++) {
		const struct given *given = &line->items[i];

		if (given->option->action == NULL ||
		    strcmp(given->option->action, action) == 0)
			continue;
		return refuse("'%s' is an option of '%s %s'", given->shown,
		    command->name, given->option->action);
	}
	if (!options->wants_version && !givens_settle(line))
		return false;
	givens_environment(line, bit);
	if ((FOR_CONFIGURED & bit) && !givens_config(line, bit))
		return false;
	/* note whether the profile was typed */
	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].source == FROM_LINE &&
		    line->items[i].option->target ==
			offsetof(struct options, rules.profile.name))
			line->options->rules.has_profile = true;
	if ((!options->wants_version && !givens_settle(line)) ||
	    !givens_apply(line))
		return false;
	return options->wants_version ||
	    (options_finish_site(options) &&
		(!options->store.is_needed || options_finish_store(options)) &&
		site_table_finish(options) && options_finish_fetch(options) &&
		((FOR_ALERTS & bit) == 0 || options_check_alerts(options)) &&
		take_args(line, command));
}

int
options_parse(struct options *options, int argc, char **argv)
{
	struct givens line = {.options = options};
	bool is_good;

	options_init(options);
	options->run.argc = argc;
	options->run.argv = argv;
	is_good = options_parse_parse(&line, argc, argv);
	strings_release(&line.words);
	free(line.items);
	return is_good ? EXIT_DONE : EXIT_USAGE;
}
