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

#include "base/mem.h"
#include "crawler/cli/options_apply.h"
#include "crawler/cli/options_config.h"
#include "crawler/cli/options_line.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

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
	if (line->words.count > 0)
		name = slice_of(line->words.items[0]);
	else if (options->wants_version)
		name = slice_of("version");
	else if (options->wants_help || line->count == 0)
		return true;
	else {
		complain("no command; see 'freshet help'");
		return false;
	}
	*command = command_find(name);
	if (*command == NULL) {
		suggestion_init(&suggestion, name);
		for (size_t i = 0; command_row(i) != NULL; i++)
			suggestion_try(&suggestion, command_row(i)->name,
			    strlen(command_row(i)->name));
		complain_unknown("", "command", name, &suggestion);
		return false;
	}
	return true;
}

/* Returns whether the command takes all options that were typed.  If not, the
 * function prints the first one that it does not take. */
static bool
check_commands(const struct givens *line, const struct command *command)
{
	uint64_t bit = command_bit(command);

	for (size_t i = 0; i < line->count; i++) {
		const struct given *given = &line->items[i];
		unsigned of = 0;

		if (given->option->commands & bit)
			continue;
		while (!(given->option->commands & COMMAND_BIT(of)))
			of++;
		complain("'%s' takes no '%s'; it is an option of '%s'",
		    command->name, given->shown, command_row(of)->name);
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
	struct stat in;

	for (size_t i = 1; i < line->words.count; i++)
		if (command->reads_stdin &&
		    strcmp(line->words.items[i], "-") == 0)
			options->targets.has_stdin = true;
		else
			string_list_add(
			    &options->targets.args, line->words.items[i]);
	if (options->wants_help)
		return true;
	if (count == 0 && command->reads_stdin && !command->wants_dash &&
	    options->targets.input_files.count == 0)
		options->targets.is_piped = fstat(STDIN_FILENO, &in) == 0 &&
		    S_ISFIFO(in.st_mode);
	options->targets.has_stdin = options->targets.has_stdin ||
	    options->targets.is_piped;
	if (count < command->min_args && !options->targets.has_stdin &&
	    options->targets.input_files.count == 0) {
		complain("'%s' needs a %s; see 'freshet help %s'",
		    command->name, command->operand, command->name);
		return false;
	}
	if (count > command->max_args) {
		if (command->max_args == 0)
			complain("'%s' takes no %s", command->name,
			    command->operand);
		else
			complain("'%s' takes one %s", command->name,
			    command->operand);
		return false;
	}
	return true;
}

/* Add what the environment names, where the command takes it and it was not
 * typed.  Returns false after one line on stderr. */
static bool
givens_environment(struct givens *line, uint64_t command)
{
	static const struct {
		const char *variable;
		const char *option;
	} variables[] = {
	    {"FRESHET_STORE", "store"}, {"FRESHET_CONFIG", "config"}};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *key;
		struct given given = {
		    .option = option_find(slice_of(variables[i].option), &key),
		    .value = getenv(variables[i].variable),
		    .shown = variables[i].variable,
		    .source = FROM_ENVIRONMENT};
		bool takes = ((given.option->commands |
				  given.option->configured) &
				 command) != 0;

		if (takes && given.value != NULL && given.value[0] != '\0' &&
		    !givens_has(line, &given) && !givens_add(line, &given))
			return false;
	}
	return true;
}

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
	uint64_t bit = command_bit(command);

	for (size_t i = 0; i < line->count; i++)
		line->items[i].option = option_of(line->items[i].option, bit);

	if (line->options->wants_help)
		return take_args(line, command);
	if (!line->options->wants_version && !check_commands(line, command))
		return false;
	/* Read environment and configuration, and derive the rest. */
	struct options *options = line->options;
	const char *key;
	const struct option *option = option_find(slice_of("store"), &key);
	options->store.is_needed = (option_of(option, bit)->commands & bit) !=
	    0;
	if (!options->wants_version &&
	    (givens_conflicts(line) || givens_misplaced(line)))
		return false;
	if (!givens_switches(line) || !givens_environment(line, bit) ||
	    ((FOR_CONFIGURED & bit) && !givens_config(line, bit)))
		return false;
	/* note whether the profile was typed */
	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].source == FROM_LINE &&
		    line->items[i].option->target ==
			offsetof(struct options, rules.profile.name))
			line->options->rules.has_profile = true;
	givens_give_way(line);
	if (!givens_apply(line))
		return false;
	if ((FOR_CONFIGURED & bit) && !options->output.is_quiet) {
		/* Print one line on stderr for each FRESHET_ variable that
		 * nothing reads. */
		char *const *environment = environ;
		/* of the launcher and the tests, beside those above */
		static const char *const known[] = {
		    "STORE=", "CONFIG=", "SHARED=", "BIN=", "HOOKED_BIN=",
		    "FULL=", "GOLDEN=", "PICTURES=", "TEST_"};

		for (; *environment != NULL; environment++) {
			const char *name = *environment + strlen("FRESHET_");
			bool is_known = false;

			if (strncmp(*environment, "FRESHET_",
				strlen("FRESHET_")) != 0)
				continue;
			for (size_t i = 0; i < sizeof(known) / sizeof(known[0]);
			     i++)
				is_known = is_known ||
				    strncmp(name, known[i], strlen(known[i])) ==
					0;
			if (!is_known)
				complain(
				    "warning: '%.*s' in the environment has no "
				    "effect; see 'freshet help config'",
				    (int)strcspn(*environment, "="),
				    *environment);
		}
	}
	return options->wants_version ||
	    (options_finish(options) &&
		site_table_finish(options->config.sites, options) &&
		((FOR_ALERTS & bit) == 0 || options_check_alerts(options)) &&
		take_args(line, command));
}

int
options_parse(struct options *options, int argc, char **argv)
{
	struct givens line = {.options = options};
	bool is_good;

	options_init(options);
	options->config.sites = site_table_new();
	options->run.argc = argc;
	options->run.argv = argv;
	is_good = options_parse_parse(&line, argc, argv);
	givens_release(&line);
	return is_good ? EXIT_DONE : EXIT_USAGE;
}

void
options_release(struct options *options)
{
	site_table_free(options->config.sites);
	options_clear(options);
}
