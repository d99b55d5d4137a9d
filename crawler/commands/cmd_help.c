/* freshet help and version: what the tables of commands, options, diagnostics
 * and rules say, as text and as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/generator.h"
#include "base/out_json.h"
#include "base/suggestion.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/cli/reference.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

#include "config_text.inc"

#define OPTION_WIDTH 30
#define NAME_WIDTH 11
#define TEXT_MAX 4096 /* bytes of a paragraph */

/* Help is made of our own texts, which need no escapes. */
static void
help_put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

/* All options of a command in the order of the table, which is that of their
 * use. */
static void
help_put_options(struct buf *out, uint64_t bit)
{
	struct buf name = BUF_UP_TO(256), help = BUF_UP_TO(TEXT_MAX);
	const struct option *option = option_rows;

	help_put(out, "\nOptions:\n");
	for (; option->type != OPTION_SWITCH; option++) {
		if ((option->commands & bit) == 0)
			continue;
		buf_clear(&name);
		if (option->letter != '\0')
			(void)buf_print(&name, "  -%c, ", option->letter);
		else
			help_put(&name, "      ");
		(void)buf_print(&name, "--%s", option->name);
		if (option->argument != NULL)
			(void)buf_print(&name, " %s", option->argument);
		if (name.len + 2 > OPTION_WIDTH) {
			(void)buf_print(out, "%s\n", buf_str(&name));
			buf_clear(&name);
		}
		/* texts of help are ASCII, so that a byte is a column */
		(void)buf_print(&name, "%*s", OPTION_WIDTH - (int)name.len, "");
		buf_clear(&help);
		help_put(&help, option->help);
		if (option_repeats(option))
			help_put(&help, "; may be repeated");
		/* the help of a choice explains its default */
		if (option->standard != NULL && option->type != OPTION_CHOICE)
			(void)buf_print(&help, " (%s)", option->standard);
		out_wrapped(out, buf_str(&name), buf_str(&help));
	}
	buf_release(&help);
	buf_release(&name);
	if ((bit & option->commands) != 0) {
		/* The switches in short; explain_switches() has the whole text.
		 */
		help_put(out,
		    "\nSwitches (--dir-rule warn); 'freshet help switches' "
		    "explains them:\n");
		for (; option->name != NULL; option++)
			(void)buf_print(out, "  %-18s  %s\n", option->name,
			    option->choices == NULL ? "NUMBER"
						    : option->choices);
	}
}

void
help_overview(struct buf *out)
{
	const char *group = "";

	help_put(out,
	    "freshet reads the sitemaps of sites, remembers what they "
	    "list, and says what\nchanged.\n\n"
	    "Usage: freshet COMMAND [OPTION]... [ARGUMENT]...\n\n"
	    "Examples:\n"
	    "  freshet crawl www.example.org        # read a site into "
	    "the store\n"
	    "  freshet ls --tree www.example.org    # what it lists\n"
	    "  freshet export --changes             # what the last crawl "
	    "changed\n");
	for (const struct command *command = command_rows;
	     command->name != NULL; command++) {
		/* the table is in the order of the groups */
		if (strcmp(group, command->group) != 0)
			(void)buf_print(out, "\n%s\n", command->group);
		group = command->group;
		(void)buf_print(out, "  %-*s%s\n", NAME_WIDTH, command->name,
		    command->summary);
	}
	help_put(out,
	    "\n'freshet help COMMAND' explains a command and its options, "
	    "'freshet help config'\nwhat may stand in for them.\n");
}

/* Examples come first: they are what most readers look for. */
static bool
help_command(const char *name, struct buf *out)
{
	const struct command *command = command_find(slice_of(name));
	struct slice line;
	uint64_t bit;
	struct buf text = BUF_UP_TO(TEXT_MAX);

	if (command == NULL)
		return false;
	bit = COMMAND_BIT_OF(command);

	(void)buf_print(
	    out, "freshet %s: %s\n\n", command->name, command->summary);
	(void)buf_print(
	    &text, "freshet %s %s", command->name, command->synopsis);
	out_wrapped(out, "Usage: ", buf_str(&text));
	(void)buf_put_char(out, '\n');
	help_put(out, "Examples:\n");
	for (const char *p = command->examples; *p != '\0';) {
		const char *does = (const char *)memrchr(
				       p, '|', strcspn(p, "\n")) +
		    1;
		size_t typed = (size_t)(does - 1 - p);
		size_t len = strcspn(does, "\n");

		(void)buf_print(
		    out, "  %.*s\n      %.*s\n", (int)typed, p, (int)len, does);
		p = does + len + 1;
	}
	for (const char *p = command->text; slice_next(&p, '\n', &line);) {
		buf_clear(&text);
		(void)buf_put_slice(&text, line);
		(void)buf_put_char(out, '\n');
		out_wrapped(out, "", buf_str(&text));
	}
	help_put_options(out, bit);
	/* a line for each line "status|meaning" */
	help_put(out, "\nExit status:\n");
	for (const char *p = command->exits; slice_next(&p, '\n', &line);) {
		size_t status = strcspn(line.p, "|");
		char first[16];

		buf_clear(&text);
		(void)buf_put_slice(&text, slice_from(line, status + 1));
		(void)snprintf(
		    first, sizeof(first), "  %-4.*s", (int)status, line.p);
		out_wrapped(out, first, buf_str(&text));
	}
	buf_release(&text);
	(void)buf_put_char(out, '\n');
	if (FOR_CONFIGURED & bit)
		out_wrapped(out, "",
		    "The configuration stands in for options that are not "
		    "given: 'freshet help config'.");

	return true;
}

/* The configuration. */

/* What a switch does, and its value in each profile. */
static void
explain_switch(struct buf *out, const struct option *option)
{
	static const char *const names[] = {"strict", ", google", ", lenient"};

	(void)buf_print(out, "\n  %s = %s\n", option->name,
	    option->choices == NULL ? "NUMBER" : option->choices);
	out_wrapped(out, "      ", option->help);
	help_put(out, "      ");
	for (int name = 0; name < 3; name++) {
		(void)buf_print(out, "%s: ", names[name]);
		profile_switch_value(
		    option_switch(option), (enum profile_name)name, out);
	}
	(void)buf_put_char(out, '\n');
}

static void
explain_switches(struct buf *out)
{
	for (const struct option *option = option_rows; option->name != NULL;
	     option++)
		if (option->type == OPTION_SWITCH)
			explain_switch(out, option);
}

/* A key with its default and the commands that heed it, because one file serves
 * all commands. */
static void
help_put_key(struct buf *out, const struct option *option)
{
	const struct command *command = command_rows;
	const char *before = "";
	struct buf text = BUF_UP_TO(TEXT_MAX);

	(void)buf_print(out, "\n  %s = %s%s\n", option->name,
	    option->choices != NULL        ? option->choices
		: option->argument != NULL ? option->argument
					   : "0|1",
	    option_repeats(option) ? " ..." : "");
	out_wrapped(out, "      ", option->help);
	if (option->standard != NULL)
		(void)buf_print(&text, "Default: %s. ", option->standard);
	else if (option->type == OPTION_FLAG)
		help_put(&text, "Default: 0. ");
	(void)buf_print(&text, "In [defaults]%s. For: ",
	    option_place(option) == IN_SITE ? " and [site HOST]" : "");
	/* the commands that use its configured value */
	for (; command->name != NULL; command++)
		if ((option->commands | option->configured) & FOR_CONFIGURED &
		    COMMAND_BIT_OF(command)) {
			(void)buf_print(&text, "%s%s", before, command->name);
			before = ", ";
		}
	(void)buf_put_char(&text, '.');
	out_wrapped(out, "      ", buf_str(&text));
	buf_release(&text);
}

static void
help_put_keys(struct buf *out)
{
	const struct option *option;
	struct slice line;
	struct buf text = BUF_UP_TO(TEXT_MAX);

	/* What the file is: where it lies, what it looks like, what is
	 * stronger. Lines that begin with a space are an example or a list. */
	for (const char *p = config_text; slice_next(&p, '\n', &line);) {
		buf_clear(&text);
		(void)buf_put_slice(&text, line);
		if (line.len == 0 || line.p[0] == ' ')
			(void)buf_print(out, "%s\n", buf_str(&text));
		else
			out_wrapped(out, "", buf_str(&text));
	}
	help_put(out, "\nKeys:\n");
	for (option = option_rows; option->type != OPTION_SWITCH; option++)
		if (option_place(option) <= IN_SITE)
			help_put_key(out, option);
	buf_release(&text);
	help_put(out,
	    "\nSwitches of the profile, each a key of its own, in [defaults] "
	    "and [site HOST]:\n");
	explain_switches(out);
}

/* Append the list of strings that "a|b" names. */
static void
json_list(struct buf *out, const char *key, const char *words)
{
	struct slice word;

	out_json_begin(out, key, '[');
	while (words != NULL && slice_next(&words, '|', &word))
		out_json_text(out, NULL, word);
	out_json_end(out, ']');
}

/* A member that an option does not have is left out, and not null. */
static void
json_text(struct buf *out, const char *key, const char *text)
{
	if (text != NULL)
		out_json_string(out, key, text);
}

/* The members of an option, or of a switch of the profile, which has a value in
 * each of them. */
static void
json_members(struct buf *out, const struct option *option)
{
	static const char *const places[] = {"defaults", "defaults|site", ""};
	bool is_switch = option->type == OPTION_SWITCH;
	char letter[2] = {option->letter, '\0'};
	struct buf value = BUF_UP_TO(64);

	json_text(out, "type", is_switch ? "switch" : "option");
	json_text(out, "name", option->name);
	json_text(out, "letter", letter[0] == '\0' ? NULL : letter);
	json_text(out, "argument", option->argument);
	json_list(out, "choices", option->choices);
	json_text(out, "default", option->standard);
	json_list(out, "places", places[option_place(option)]);
	json_text(out, "action", option->action);
	json_text(out, "help", option->help);
	if (!is_switch)
		return;
	out_json_begin(out, "profiles", '{');
	for (int i = 0; i < 3; i++) {
		buf_clear(&value);
		profile_switch_value(
		    option_switch(option), (enum profile_name)i, &value);
		out_json_word(out, profile_names[i], buf_text(&value));
	}
	buf_release(&value);
	out_json_end(out, '}');
}

/* A command with all its options, for programs that draw forms or check
 * scripts. */
static void
json_command(struct buf *out, const struct command *command)
{
	struct slice line;

	out_json_line(out, "command");
	json_text(out, "name", command->name);
	json_text(out, "group", command->group);
	json_text(out, "summary", command->summary);
	json_text(out, "synopsis", command->synopsis);
	json_list(out, "actions", command->actions);
	/* the statuses are keys, so that a script can look one up */
	out_json_begin(out, "exits", '{');
	for (const char *p = command->exits; slice_next(&p, '\n', &line);) {
		size_t len = strcspn(line.p, "|");
		char status[8];

		(void)snprintf(
		    status, sizeof(status), "%.*s", (int)len, line.p);
		out_json_text(out, status, slice_from(line, len + 1));
	}
	out_json_end(out, '}');
	out_json_begin(out, "options", '[');
	for (const struct option *option = option_rows; option->name != NULL;
	     option++)
		if ((option->commands & COMMAND_BIT_OF(command)) != 0) {
			out_json_begin(out, NULL, '{');
			json_members(out, option);
			out_json_end(out, '}');
		}
	out_json_end(out, ']');
	out_json_line_end(out);
}

/* The keys of the configuration, without the options that stand on the command
 * line alone; or its switches, which are keys, too. */
static void
json_keys(struct buf *out, bool are_switches)
{
	for (const struct option *option = option_rows; option->name != NULL;
	     option++) {
		if (option->type != OPTION_SWITCH &&
		    (are_switches || option_place(option) > IN_SITE))
			continue;
		out_json_line(out, NULL);
		json_members(out, option);
		out_json_line_end(out);
	}
}

/* A key of the configuration, or a switch; false: there is none. */
static bool
help_key(const char *name, bool is_json, struct buf *out)
{
	const struct option *first = option_find(slice_of(name));
	const struct option *option = first;

	/* of the rows of one name that of the configuration */
	while (option != NULL && option->name != NULL &&
	    (strcmp(option->name, first->name) != 0 ||
		option_place(option) > IN_SITE))
		option++;
	if (option == NULL || option->name == NULL)
		return false;
	if (is_json) {
		out_json_line(out, NULL);
		json_members(out, option);
		out_json_line_end(out);
	} else if (option->type == OPTION_SWITCH)
		explain_switch(out, option);
	else
		help_put_key(out, option);
	return true;
}

/* Diagnostics and rules. */

/* What a finding costs, in the words that the report uses. */
static const char *const losses[] = {
    "nothing", "field", "entry", "document", "run"};

/* All that is known of a code, so that a program needs no other page. */
static void
json_diagnostic(struct buf *out, enum diag_code code)
{
	const struct diag_info *info = diag_info(code);

	out_json_line(out, "diagnostic");
	out_json_string(out, "code", info->code);
	out_json_begin(out, "severity", '{');
	for (int i = 0; i < 3; i++)
		out_json_string(
		    out, profile_names[i], severity_names[info->severity[i]]);
	out_json_end(out, '}');
	out_json_string(out, "loss", losses[info->loss]);
	out_json_string(out, "trigger", info->trigger);
	out_json_string(out, "search_console", info->search_console);
	out_json_string(out, "remedy", info->remedy);
	out_json_string(out, "rule", info->rule);
	/* Append what the documents say of a code. */
	const struct reference_example *example = &reference_examples[code];
	out_json_string(out, "note", example->note);
	out_json_string(out, "with", example->with);
	out_json_string(out, "before", example->before);
	out_json_string(out, "after", example->after);
	out_json_begin(out, "sources", '[');
	for (size_t i = 0; i < REFERENCE_SOURCES; i++) {
		const struct reference_source *source = &example->sources[i];

		if (source->title == NULL)
			break;
		out_json_begin(out, NULL, '{');
		out_json_string(out, "title", source->title);
		out_json_string(out, "url", source->link);
		out_json_end(out, '}');
	}
	out_json_end(out, ']');
	out_json_line_end(out);
}

/* The severity is that of the profile that was asked for. */
static void
print_diagnostic(
    struct out *out, const struct options *options, enum diag_code code)
{
	const struct diag_info *info = diag_info(code);
	enum severity severity = info->severity[options->rules.profile.name];

	if (options->output.is_json) {
		json_diagnostic(&out->text, code);
		return;
	}
	(void)buf_print(&out->text, "%-28s  ", info->code);
	out_severity(out, severity);
	(void)buf_put_slice(&out->text, slice_of(severity_names[severity]));
	out_severity(out, SEVERITY_NONE);
	if (info->loss != LOSS_NOTHING)
		(void)buf_print(
		    &out->text, ", costs the %s", losses[info->loss]);
	(void)buf_print(&out->text, "\n");
	out_wrapped(&out->text, "  when    ", info->trigger);
	out_wrapped(&out->text, "  remedy  ", info->remedy);
	/* in parentheses stands that Search Console has no name for it */
	if (info->search_console[0] != '(')
		out_wrapped(
		    &out->text, "  Search Console: ", info->search_console);
}

/* Print whose dates the generator writes, and how to mend them. */
static void
print_generator(struct out *out, const struct generator *one, bool is_json)
{
	const struct {
		const char *key, *title, *text;
	} rows[] = {{"version", "  version ", one->version},
	    {"dates", "  dates   ", one->dates},
	    {"moves", "  moves   ", one->moves},
	    {"loc", "  loc     ", one->loc},
	    {"split", "  splits  ", one->split},
	    {"index", "  index   ", one->index},
	    {"switch", "  switch  ", one->advice},
	    {"tried", "  tried   ", one->tried}};

	if (is_json) {
		out_json_line(&out->text, "generator");
		out_json_string(&out->text, "name", one->name);
	} else
		(void)buf_print(&out->text, "%s\n", one->name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_json)
			out_json_string(&out->text, rows[i].key, rows[i].text);
		else
			out_wrapped(&out->text, rows[i].title, rows[i].text);
	for (size_t i = 0; i < GENERATOR_MENDS; i++)
		if (!is_json && one->mends[i][0] != NULL) {
			(void)buf_print(
			    &out->text, "  against %s\n", one->mends[i][0]);
			out_wrapped(&out->text, "          ", one->mends[i][1]);
		}
	if (is_json)
		out_json_line_end(&out->text);
}

/* Print lines as they are, indented. */
static void
print_block(struct buf *out, const char *title, const char *text)
{
	struct slice line;

	(void)buf_print(out, "\n  %s\n\n", title);
	while (slice_next(&text, '\n', &line))
		(void)buf_print(out, "%s%.*s\n", line.len > 0 ? "    " : "",
		    (int)line.len, line.p);
}

/* Print one line that suggests the nearest command or diagnostic. */
static int
unknown_topic(const char *topic)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, slice_of(topic));
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		suggestion_try(&suggestion, command_rows[i].name);
	suggestion_try(&suggestion, "diagnostics|generators|config|switches");
	for (const struct generator *one = generator_rows; one->name != NULL;
	     one++)
		suggestion_try(&suggestion, one->name);
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		suggestion_try(&suggestion, diag_name(code));
	complain_unknown(
	    "", "topic", slice_of(topic), &suggestion, "freshet help");
	return EXIT_USAGE;
}

int
command_help(struct options *options)
{
	const struct strings *args = &options->targets.args;

	return command_help_on(
	    options, args->count > 0 ? args->items[0] : NULL);
}

int
command_help_on(const struct options *options, const char *topic)
{
	const struct slice name = slice_of(topic);
	enum diag_code code = diag_find(name);
	const struct reference_rule *rule = reference_rule(name);
	const struct generator *generator = generator_find(name);
	bool is_json = options->output.is_json;
	struct out out;
	int status = EXIT_DONE;

	out_init(&out, &options->output);
	out.is_raw = true; /* none of the text is foreign */
	if (slice_is(name, "diagnostics")) {
		if (!is_json)
			out_wrapped(&out.text, "",
			    "What freshet can find, with its severity in the "
			    "profile google, when it is reported, and what to "
			    "do.");
		for (enum diag_code each = DIAG_OK + 1; each < DIAG_COUNT;
		     each++) {
			print_diagnostic(&out, options, each);
			if (!is_json)
				(void)buf_print(&out.text, "\n");
		}
	} else if (generator != NULL)
		print_generator(&out, generator, is_json);
	else if (slice_is(name, "generators")) {
		for (generator = generator_rows; generator->name != NULL;
		     generator++) {
			print_generator(&out, generator, is_json);
			if (!is_json)
				(void)buf_print(&out.text, "\n");
		}
	} else if (is_json &&
	    (slice_is(name, "config") || slice_is(name, "switches")))
		json_keys(&out.text, topic[0] == 's');
	else if (slice_is(name, "config"))
		help_put_keys(&out.text);
	else if (slice_is(name, "switches")) {
		out_wrapped(&out.text, "",
		    "The switches of the profile: what the rules strict, "
		    "google and lenient are made of. Each is an option "
		    "(--dir-rule warn) and a key of the configuration "
		    "(dir_rule = warn).");
		explain_switches(&out.text);
	} else if (code != DIAG_OK) {
		print_diagnostic(&out, options, code);
		if (!is_json) {
			/* Print what only the help on one code says: its rule,
			 * sources, example. */
			const struct reference_example
			    *example = &reference_examples[code];
			const char *rules = diag_info(code)->rule;
			int len = (int)strcspn(rules, " ");

			(void)buf_print(&out.text,
			    "  rule    %s; see 'freshet help %.*s'\n", rules,
			    len, rules);
			for (size_t i = 0; i < REFERENCE_SOURCES; i++)
				if (example->sources[i].title != NULL)
					(void)buf_print(&out.text,
					    "  source  %s\n          %s\n",
					    example->sources[i].title,
					    example->sources[i].link);
			if (example->note != NULL)
				out_wrapped(
				    &out.text, "  note    ", example->note);
			if (example->with != NULL)
				(void)buf_print(
				    &out.text, "  with    %s\n", example->with);
			if (example->before != NULL) {
				print_block(&out.text,
				    "An example with this finding:",
				    example->before);
				print_block(
				    &out.text, "And without:", example->after);
			}
		}
	} else if (rule != NULL && is_json) {
		out_json_line(&out.text, "rule");
		out_json_string(&out.text, "rule", rule->name);
		out_json_string(&out.text, "place", rule->place);
		out_json_string(&out.text, "text", rule->text);
		out_json_line_end(&out.text);
	} else if (rule != NULL) {
		/* a rule of SPEC, or a numbered row of HOSTILE */
		(void)buf_print(
		    &out.text, "%s  (%s)\n", rule->name, rule->place);
		out_wrapped(&out.text, "  ", rule->text);
	} else if (is_json && (topic == NULL || command_find(name) != NULL)) {
		/* Print the named command as JSON; NULL: all commands. */
		const struct command *command;

		for (command = command_rows; command->name != NULL; command++)
			if (topic == NULL || strcmp(command->name, topic) == 0)
				json_command(&out.text, command);
	} else if (topic == NULL)
		help_overview(&out.text);
	else if (!help_command(topic, &out.text) &&
	    !help_key(topic, is_json, &out.text))
		status = unknown_topic(topic);
	return out_end(&out, status);
}

int
command_version(struct options *options)
{
	struct out out;

	out_init(&out, &options->output);
	if (options->output.is_json)
		(void)buf_print(&out.text,
		    "{\"v\":1,\"type\":\"version\",\"name\":\"freshet\","
		    "\"version\":\"%s\",\"compiler\":\"%s\"}\n",
		    FRESHET_VERSION, __VERSION__);
	else
		(void)buf_print(&out.text, "freshet %s\n", FRESHET_VERSION);
	return out_finish(&out);
}
