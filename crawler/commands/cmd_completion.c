/*
 * freshet completion: completions for shells.  Each shell has a short script,
 * which asks `freshet __complete WORD...` what may stand in the place of the
 * last word.  That word may be empty; the words before it are those of the
 * command line, without the program.
 *
 * Each line of the answer is a word, or a word, a tab and its description.  A
 * single line that begins with a colon stands for names that the shell knows:
 * ":files", ":folders", ":hosts".
 */
#include <stdio.h>
#include <string.h>

#include "base/profile.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

#include "completion_bash.inc"
#include "completion_fish.inc"
#include "completion_zsh.inc"

int
command_completion(struct options *options)
{
	const char *shell = options->targets.args.items[0];
	static const struct {
		const char *shell, *script;
	} rows[] = {
	    {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
	struct out out;

	out_init(&out, &options->output);
	out.is_raw = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].shell, shell) == 0)
			(void)buf_print(&out.text, "%s", rows[i].script);
	return out_finish(&out);
}

struct completion {
	struct buf *out;
	struct slice last; /* the word to complete */
	const struct command *command; /* NULL: none was typed */
	uint64_t commands; /* its bit */
	const char *action; /* the first argument, NULL: none */
	size_t arguments; /* before the last word */
};

/* Offer a word that continues what was typed: `before`, which stands there
 * already, and `text`. */
static void
completion_offer(struct completion *completion, struct slice before,
    struct slice text, const char *help)
{
	struct buf whole = BUF_UP_TO(SIZE_MAX);

	(void)buf_put_slice(&whole, before);
	(void)buf_put_slice(&whole, text);
	if (slice_starts(buf_text(&whole), completion->last)) {
		(void)buf_put_slice(completion->out, buf_text(&whole));
		(void)buf_print(completion->out, "%s%s\n",
		    help != NULL ? "\t" : "", help != NULL ? help : "");
	}
	buf_release(&whole);
}

/* Offer each of "a|b|c". */
static void
completion_offer_each(
    struct completion *completion, struct slice before, const char *choices)
{
	struct slice choice;

	while (slice_next(&choices, '|', &choice))
		completion_offer(completion, before, choice, NULL);
}

/* Offer the values of an option; `before` stands in the last word already. */
static void
completion_offer_values(struct completion *completion,
    const struct option *option, struct slice before)
{
	struct slice last = completion->last;

	switch (option_argument(option)) {
	case VALUE_NONE:
	case VALUE_ANY:
		break;
	case VALUE_CHOICE:
		completion_offer_each(completion, before, option->choices);
		break;
	/* of 'new,go' the last member is completed */
	case VALUE_MEMBERS:
		while (last.len > before.len && last.p[last.len - 1] != ',')
			last.len--;
		completion_offer_each(completion, last, option->members);
		break;
	case VALUE_FILE:
		(void)buf_print(completion->out, ":files\n");
		break;
	case VALUE_FOLDER:
		(void)buf_print(completion->out, ":folders\n");
		break;
	}
}

/* The option of "--name", "--name=value" or "-c"; NULL: there is none. */
static const struct option *
completion_find_option(const struct completion *completion, struct slice word)
{
	const struct option *option = option_rows;
	struct slice name;

	if (slice_starts(word, slice_of("--"))) {
		/* the name ends where a value begins */
		word = slice_from(word, 2);
		(void)slice_cut(&word, '=', &name);
		option = option_find(name);
		if (option != NULL)
			option = option_of(option, completion->commands);
		return option != NULL &&
			(option->commands & completion->commands) != 0
		    ? option
		    : NULL;
	}
	while (option->name != NULL &&
	    (option->letter != word.p[1] ||
		(option->commands & completion->commands) == 0))
		option++;
	return option->name != NULL ? option : NULL;
}

static void
completion_offer_arguments(struct completion *completion)
{
	const struct command *command = completion->command;
	bool is_first = completion->arguments == 0;
	bool is_help = command != NULL && strcmp(command->name, "help") == 0;

	for (size_t i = 0;
	     i < COMMAND_COUNT && (command == NULL || (is_help && is_first));
	     i++)
		completion_offer(completion, slice_of(""),
		    slice_of(command_rows[i].name), command_rows[i].summary);
	if (command == NULL)
		return;
	/* help has topics of three kinds: commands, words and codes */
	if (is_help && is_first) {
		completion_offer_each(
		    completion, slice_of(""), "config|diagnostics|switches");
		for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT;
		     code++)
			completion_offer(completion, slice_of(""),
			    slice_of(diag_name(code)), NULL);
	} else if (command->actions != NULL && is_first) {
		completion_offer_each(
		    completion, slice_of(""), command->actions);
	} else if (strcmp(command->operand, "FILE") == 0 ||
	    (command->actions != NULL && command->max_args > 1)) {
		(void)buf_print(completion->out, ":files\n");
	} else if (!is_help && command->max_args > 0) {
		(void)buf_print(completion->out, ":hosts\n");
	}
}

int
command_complete(int count, char *const *words)
{
	struct buf out = {0};
	struct completion completion = {.out = &out, .commands = FOR_ALL};
	const struct option *option = NULL;
	bool wants_value = false; /* the option before */
	bool is_known = true;

	completion.last = slice_of(count > 0 ? words[count - 1] : "");
	for (int i = 0; i + 1 < count; i++) {
		struct slice word = slice_of(words[i]);

		if (wants_value) {
			wants_value = false;
		} else if (word.len > 1 && word.p[0] == '-') {
			option = completion_find_option(&completion, word);
			wants_value = option != NULL &&
			    option_argument(option) != VALUE_NONE &&
			    memchr(word.p, '=', word.len) == NULL;
		} else if (completion.command == NULL) {
			completion.command = command_find(word);
			is_known = is_known && completion.command != NULL;
			if (completion.command != NULL)
				completion.commands = COMMAND_BIT_OF(
				    completion.command);
		} else if (completion.arguments++ == 0) {
			completion.action = word.p;
		}
	}
	/* nothing is offered for a command that does not exist */
	if (!is_known)
		;
	else if (wants_value)
		completion_offer_values(&completion, option, slice_of(""));
	else if (slice_starts(completion.last, slice_of("--")) &&
	    memchr(completion.last.p, '=', completion.last.len) != NULL) {
		const char *value = memchr(
		    completion.last.p, '=', completion.last.len);

		option = completion_find_option(&completion, completion.last);
		if (option != NULL)
			completion_offer_values(&completion, option,
			    slice_make(completion.last.p,
				(size_t)(value + 1 - completion.last.p)));
	} else if (completion.last.len > 0 && completion.last.p[0] == '-') {
		/* Offer the options of the command, but not those of another
		 * action than the one that was typed; without a command, those
		 * that all commands take. */
		uint64_t commands = completion.command == NULL
		    ? COMMAND_BIT(COMMAND_VERSION)
		    : completion.commands;
		char letter[] = "-x", name[64];

		for (option = option_rows; option->name != NULL; option++) {
			if ((option->commands & commands) == 0 ||
			    (completion.action != NULL &&
				option->action != NULL &&
				strcmp(completion.action, option->action) != 0))
				continue;
			(void)snprintf(
			    name, sizeof(name), "--%s", option->name);
			/* of a switch, as people type it */
			for (char *p = name; *p != '\0'; p++)
				*p = *p == '_' ? '-' : *p;
			completion_offer(&completion, slice_of(""),
			    slice_of(name), option->help);
			letter[1] = option->letter;
			if (letter[1] != '\0')
				completion_offer(&completion, slice_of(""),
				    slice_of(letter), option->help);
		}
	} else
		completion_offer_arguments(&completion);
	(void)fwrite(out.p, 1, out.len, stdout);
	buf_release(&out);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_DISK;
}
