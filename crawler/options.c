/*
 * What was typed: words, then options, then what follows from them.
 *
 *	argv -> line (words and given options) -> command -> environment
 *	    -> values -> profile, store, credentials, targets
 */
#include "crawler/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/exit.h"
#include "crawler/nearest.h"
#include "crawler/options_internal.h"
#include "crawler/options_table.h"
#include "crawler/options_value.h"
#include "crawler/out.h"

/* An option as it was given, in argv or in the environment. */
struct given {
	const struct option *option;
	const char *shown; /* "--delay" or "FRESHET_DELAY", for errors */
	const char *key; /* of a switch, else NULL */
	const char *value; /* NULL: none */
	bool is_off; /* its --no- form */
	bool is_env;
};

struct line {
	struct options *options;
	struct words words; /* the command and its arguments */
	struct given *items;
	size_t count;
	size_t cap;
};

static void
line_add(struct line *line, const struct given *given)
{
	line->items = mem_grow(
	    line->items, &line->cap, line->count + 1, sizeof(*line->items));
	line->items[line->count++] = *given;
}

void
words_add(struct words *words, const char *word)
{
	words->items = mem_grow(
	    words->items, &words->cap, words->count + 2, sizeof(*words->items));
	words->items[words->count++] = word;
	words->items[words->count] = NULL;
}

const char *
options_keep(struct options *options, struct slice text)
{
	options->kept = mem_grow(options->kept, &options->kept_cap,
	    options->kept_count + 1, sizeof(*options->kept));
	options->kept[options->kept_count] = slice_dup(text);
	return options->kept[options->kept_count++];
}

/* complain_unknown(what, typed, nearest): the end of all misspellings. */
static void
complain_unknown(
    const char *what, struct slice typed, const struct nearest *nearest)
{
	int len = typed.len > 80 ? 80 : (int)typed.len;

	if (nearest->best == NULL)
		complain("unknown %s '%.*s'; see 'freshet help'", what, len,
		    typed.p);
	else
		complain("unknown %s '%.*s'; did you mean '%s%.*s'?", what, len,
		    typed.p, typed.p[0] == '-' ? "--" : "",
		    (int)nearest->best_len, nearest->best);
}

static void
unknown_option(const char *word)
{
	struct slice typed = slice_make(word, strcspn(word, "="));
	struct slice name = slice_from(typed, typed.len > 2 ? 2 : 1);
	struct nearest nearest;
	const char *key;
	const char *values;

	nearest_init(&nearest, name);
	for (size_t i = 0; option_row(i) != NULL; i++)
		nearest_try(
		    &nearest, option_row(i)->name, strlen(option_row(i)->name));
	for (size_t i = 0; profile_switch(i, &key, &values); i++)
		nearest_try(&nearest, key, strlen(key));
	complain_unknown("option", typed, &nearest);
}

/* take_value(given, argc, argv, i): the next word when the option wants one
 * and has none yet. */
static bool
take_value(struct given *given, int argc, char **argv, int *i)
{
	if (given->option->argument == NULL || given->value != NULL)
		return true;
	if (*i + 1 >= argc) {
		complain("'%s' needs a value: %s", given->shown,
		    given->option->argument);
		return false;
	}
	given->value = argv[++*i];
	return true;
}

/* take_long(line, argc, argv, i): argv[*i] is "--name" or "--name=value". */
static bool
take_long(struct line *line, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	struct slice name = slice_make(word + 2, strcspn(word + 2, "="));
	struct given given = {0};

	given.shown = options_keep(
	    line->options, slice_make(word, name.len + 2));
	given.option = option_find(name, &given.key);
	if (given.option == NULL && slice_starts(name, slice_of("no-"))) {
		given.option = option_find(slice_from(name, 3), &given.key);
		given.is_off = true;
		if (given.option != NULL && given.option->type != OPTION_FLAG)
			given.option = NULL;
	}
	if (given.option == NULL) {
		unknown_option(word);
		return false;
	}
	if (word[2 + name.len] == '=')
		given.value = word + 3 + name.len;
	if (given.value != NULL && given.option->argument == NULL) {
		complain("'%s' takes no value", given.shown);
		return false;
	}
	if (!take_value(&given, argc, argv, i))
		return false;
	line_add(line, &given);
	return true;
}

/* take_short(line, argc, argv, i): argv[*i] is "-l", "-lq", "-AName". */
static bool
take_short(struct line *line, int argc, char **argv, int *i)
{
	const char *p = argv[*i] + 1;

	for (; *p != '\0'; p++) {
		struct given given = {.option = option_find_letter(*p)};
		char shown[3] = {'-', *p, '\0'};

		given.shown = options_keep(line->options, slice_of(shown));
		if (given.option == NULL) {
			unknown_option(given.shown);
			return false;
		}
		if (given.option->argument != NULL && p[1] != '\0')
			given.value = p + 1;
		if (!take_value(&given, argc, argv, i))
			return false;
		line_add(line, &given);
		if (given.value != NULL)
			break;
	}
	return true;
}

static bool
take_line(struct line *line, int argc, char **argv)
{
	bool is_over = false;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		bool is_taken = true;

		if (is_over || word[0] != '-' || word[1] == '\0')
			words_add(&line->words, word);
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

/* find_command(line, *command): what the line asks for; NULL: nothing. */
static bool
find_command(struct line *line, const struct command **command)
{
	struct options *options = line->options;
	struct nearest nearest;
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
		nearest_init(&nearest, name);
		for (size_t i = 0; command_row(i) != NULL; i++)
			nearest_try(&nearest, command_row(i)->name,
			    strlen(command_row(i)->name));
		complain_unknown("command", name, &nearest);
		return false;
	}
	return true;
}

static bool
takes_option(const struct command *command, const char *name)
{
	const char *key;
	const struct option *option = option_find(slice_of(name), &key);
	unsigned bit = 1u << (command - command_row(0));

	return (option_of(option, bit)->commands & bit) != 0;
}

/* take_rows(line, command): the rows that are this command's own. */
static void
take_rows(struct line *line, const struct command *command)
{
	unsigned bit = 1u << (command - command_row(0));

	for (size_t i = 0; i < line->count; i++)
		line->items[i].option = option_of(line->items[i].option, bit);
}

/* check_commands(line, command): does it take all that was given? */
static bool
check_commands(const struct line *line, const struct command *command)
{
	unsigned bit = 1u << (command - command_row(0));

	for (size_t i = 0; i < line->count; i++) {
		const struct given *given = &line->items[i];
		unsigned of = 0;

		if (given->option->commands & bit)
			continue;
		while (!(given->option->commands & 1u << of))
			of++;
		complain("'%s' takes no '%s'; it is an option of '%s'",
		    command->name, given->shown, command_row(of)->name);
		return false;
	}
	return true;
}

/* add_from_env(line, option, key): FRESHET_<OPTION>, unless it was given. */
static void
add_from_env(struct line *line, const struct option *option, const char *key)
{
	const char *name = key != NULL ? key : option->name;
	struct given given = {.option = option, .key = key, .is_env = true};
	char variable[64];
	size_t n = 0;

	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].option == option &&
		    line->items[i].key == key)
			return;
	(void)snprintf(variable, sizeof(variable), "FRESHET_%s", name);
	for (n = 0; variable[n] != '\0'; n++)
		if (variable[n] == '-')
			variable[n] = '_';
		else if (variable[n] >= 'a' && variable[n] <= 'z')
			variable[n] = (char)(variable[n] - 'a' + 'A');
	given.value = getenv(variable);
	if (given.value == NULL || given.value[0] == '\0')
		return;
	given.shown = options_keep(line->options, slice_of(variable));
	line_add(line, &given);
}

static void
add_environment(struct line *line, const struct command *command)
{
	unsigned bit = 1u << (command - command_row(0));
	const struct option *option;
	const char *key;
	const char *values;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if ((option->commands & bit) && option_place(option) < ON_LINE)
			add_from_env(line, option, NULL);
	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		option = option_find(slice_of(key), &key);
		if (option->commands & bit)
			add_from_env(line, option, key);
	}
}

/* apply(line, is_env): the values of these; the environment's come first, so
 * that what was typed later wins. */
static bool
apply(struct line *line, bool is_env)
{
	for (size_t i = 0; i < line->count; i++) {
		const struct given *given = &line->items[i];
		struct option_value value = {.option = given->option,
		    .shown = given->shown,
		    .key = given->key,
		    .text = given->value,
		    .is_off = given->is_off,
		    .is_env = given->is_env};

		if (given->is_env == is_env &&
		    !options_apply(line->options, &value))
			return false;
	}
	return true;
}

/* take_args(line, command): what is left of the words, "-" apart. */
static bool
take_args(struct line *line, const struct command *command)
{
	struct options *options = line->options;
	size_t count = line->words.count - (line->words.count > 0);
	struct stat in;

	for (size_t i = 1; i < line->words.count; i++)
		if (command->reads_stdin &&
		    strcmp(line->words.items[i], "-") == 0)
			options->has_stdin = true;
		else
			words_add(&options->args, line->words.items[i]);
	if (options->wants_help)
		return true;
	if (count == 0 && command->reads_stdin)
		options->is_piped = fstat(STDIN_FILENO, &in) == 0 &&
		    S_ISFIFO(in.st_mode);
	options->has_stdin = options->has_stdin || options->is_piped;
	if (count < command->min_args && !options->has_stdin) {
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

static bool
parse(struct line *line, int argc, char **argv)
{
	const struct command *command;

	if (!take_line(line, argc, argv) || !find_command(line, &command))
		return false;
	if (command == NULL)
		return true;
	if (line->options->wants_version)
		command = command_find(slice_of("version"));
	line->options->command = command->name;
	take_rows(line, command);
	if (line->options->wants_help)
		return take_args(line, command);
	if (!line->options->wants_version && !check_commands(line, command))
		return false;
	line->options->needs_store = takes_option(command, "store");
	add_environment(line, command);
	if (!apply(line, true) || !apply(line, false))
		return false;
	return line->options->wants_version ||
	    (options_finish(line->options) && take_args(line, command));
}

/* options_init(options): all as it is built in. */
static void
options_init(struct options *options)
{
	const struct option *option;

	*options = (struct options){0};
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option->standard != NULL)
			options_standard(options, option);
	options->profile = profile_default(
	    (enum profile_name)options->profile.name);
}

int
options_parse(struct options *options, int argc, char **argv)
{
	struct line line = {.options = options};
	bool is_good;

	options_init(options);
	is_good = parse(&line, argc, argv);
	free(line.words.items);
	free(line.items);
	return is_good ? EXIT_DONE : EXIT_USAGE;
}

void
options_release(struct options *options)
{
	struct words *const lists[] = {&options->args, &options->switches,
	    &options->owned, &options->connect_to, &options->resolve,
	    &options->allow_address, &options->headers};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->items);
	for (size_t i = 0; i < options->kept_count; i++)
		free(options->kept[i]);
	free(options->kept);
	free(options->store);
	string_set_release(&options->own);
	*options = (struct options){0};
}

void
options_read_stdin(struct options *options)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) >= 0) {
		struct slice word = slice_trim(slice_make(line, (size_t)len));

		if (word.len > 0 && word.p[0] != '#')
			words_add(&options->args, options_keep(options, word));
	}
	free(line);
}
