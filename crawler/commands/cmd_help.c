/* freshet help and version. */
#include <string.h>

#include "base/out_json.h"
#include "base/suggestion.h"
#include "base/vis.h"
#include "crawler/cli/options_help.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/cli/reference.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

static const char *
loss_name(enum loss loss)
{
	static const char *const names[] = {
	    "nothing", "field", "entry", "document", "run"};

	return names[loss];
}

static void
json_diagnostic(struct buf *out, enum diag_code code)
{
	const struct diag_info *info = diag_info(code);

	out_json_line(out, "diagnostic");
	out_json_string(out, "code", info->code);
	out_json_begin(out, "severity");
	for (int i = 0; i < 3; i++)
		out_json_string(
		    out, profile_names[i], severity_name(info->severity[i]));
	out_json_end(out);
	out_json_string(out, "loss", loss_name(info->loss));
	out_json_string(out, "trigger", info->trigger);
	out_json_string(out, "search_console", info->search_console);
	out_json_string(out, "remedy", info->remedy);
	out_json_string(out, "rule", info->rule);
	/* Append what the documents say of a code. */
	const struct reference_example *example = reference_example(code);
	out_json_string(out, "note", example->note);
	out_json_string(out, "with", example->with);
	out_json_string(out, "before", example->before);
	out_json_string(out, "after", example->after);
	out_json_list(out, "sources");
	for (size_t i = 0; i < REFERENCE_SOURCES; i++) {
		const struct reference_source *source = &example->sources[i];

		if (source->title == NULL)
			break;
		out_json_begin(out, NULL);
		out_json_string(out, "title", source->title);
		out_json_string(out, "url", source->link);
		out_json_end(out);
	}
	out_json_list_end(out);
	out_json_line_end(out);
}

static void
print_diagnostic(
    struct out *out, const struct options *options, enum diag_code code)
{
	const struct diag_info *info = diag_info(code);
	enum severity severity = diag_info(code)
				     ->severity[options->rules.profile.name];
	size_t from = out->text.len;

	if (options->output.is_json) {
		json_diagnostic(&out->text, code);
		return;
	}
	(void)buf_put_slice(&out->text, slice_of(info->code));
	out_pad(out, from, 28);
	(void)buf_put(&out->text, "  ", 2);
	out_severity(out, severity);
	(void)buf_put_slice(&out->text, slice_of(severity_name(severity)));
	out_severity(out, SEVERITY_NONE);
	if (info->loss != LOSS_NOTHING)
		(void)buf_print(
		    &out->text, ", costs the %s", loss_name(info->loss));
	(void)buf_print(&out->text, "\n");
	out_wrapped(&out->text, "  when    ", info->trigger);
	out_wrapped(&out->text, "  remedy  ", info->remedy);
	if (info->search_console[0] != '(')
		out_wrapped(
		    &out->text, "  Search Console: ", info->search_console);
}

/* Print lines as they are, indented. */
static void
print_block(struct buf *out, const char *title, const char *text)
{
	(void)buf_print(out, "\n  %s\n\n", title);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		if (len > 0)
			(void)buf_put(out, "    ", 4);
		(void)buf_put(out, text, len);
		(void)buf_put_char(out, '\n');
		text += len + (text[len] == '\n');
	}
}

/* Print a rule of SPEC, or a numbered row of HOSTILE. */
static void
print_rule(struct out *out, const struct options_output *output,
    const struct reference_rule *rule)
{
	if (output->is_json) {
		out_json_line(&out->text, "rule");
		out_json_string(&out->text, "rule", rule->name);
		out_json_string(&out->text, "place", rule->place);
		out_json_string(&out->text, "text", rule->text);
		out_json_line_end(&out->text);
		return;
	}
	(void)buf_print(&out->text, "%s  (%s)\n", rule->name, rule->place);
	out_wrapped(&out->text, "  ", rule->text);
}

/* Print one line that suggests the nearest command or diagnostic. */
static int
unknown_topic(const char *topic)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, slice_of(topic));
	for (size_t i = 0; command_row(i) != NULL; i++)
		suggestion_try(&suggestion, command_row(i)->name,
		    strlen(command_row(i)->name));
	suggestion_try(&suggestion, "diagnostics", strlen("diagnostics"));
	suggestion_try(&suggestion, "config", strlen("config"));
	suggestion_try(&suggestion, "switches", strlen("switches"));
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		suggestion_try(
		    &suggestion, diag_name(code), strlen(diag_name(code)));
	if (suggestion.best == NULL)
		complain("no help on '%s'; see 'freshet help'", topic);
	else
		complain("no help on '%s'; did you mean '%s'?", topic,
		    suggestion.best);
	return EXIT_USAGE;
}

/* Returns EXIT_DONE if the command has that action. */
static int
check_action(const char *name, const char *action)
{
	const struct command *command = command_find(slice_of(name));

	if (command == NULL)
		complain("'help' takes one topic; '%s' is no command", name);
	else if (command->actions == NULL)
		complain(
		    "'%s' has no actions; see 'freshet help %s'", name, name);
	else if (choice_find(command->actions, slice_of(action)) < 0)
		complain("'%s' has no action '%s'; it has: %s", name, action,
		    command->actions);
	else
		return EXIT_DONE;
	return EXIT_USAGE;
}

int
command_help(struct options *options)
{
	const struct string_list *args = &options->targets.args;
	int status = EXIT_DONE;

	if (args->count == 2)
		status = check_action(args->items[0], args->items[1]);
	if (status != EXIT_DONE)
		return status;
	return command_help_on(
	    options, args->count > 0 ? args->items[0] : NULL);
}

int
command_help_on(const struct options *options, const char *topic)
{
	enum diag_code code = topic == NULL ? DIAG_OK
					    : diag_find(slice_of(topic));
	const struct reference_rule *rule = topic == NULL
	    ? NULL
	    : reference_rule(slice_of(topic));
	struct out out;
	int status = EXIT_DONE;
	int written;

	out_init(&out, &options->output);
	out.is_raw = true; /* none of the text is foreign */
	if (topic != NULL && strcmp(topic, "diagnostics") == 0) {
		if (!options->output.is_json)
			out_wrapped(&out.text, "",
			    "What freshet can find, with its severity in the "
			    "profile google, when it is reported, and what to "
			    "do.\n");
		for (enum diag_code each = DIAG_OK + 1; each < DIAG_COUNT;
		     each++) {
			print_diagnostic(&out, options, each);
			if (!options->output.is_json)
				(void)buf_print(&out.text, "\n");
		}
	} else if (topic != NULL && strcmp(topic, "config") == 0)
		(options->output.is_json ? options_json_keys
					 : options_help_keys)(&out.text);
	else if (topic != NULL && strcmp(topic, "switches") == 0)
		(options->output.is_json ? options_json_switches
					 : options_help_switches)(&out.text);
	else if (code != DIAG_OK) {
		print_diagnostic(&out, options, code);
		if (!options->output.is_json) {
			/* Print what only the help on one code says: its rule,
			 * sources, example. */
			const struct reference_example
			    *example = reference_example(code);
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
	} else if (rule != NULL)
		print_rule(&out, &options->output, rule);
	else if (options->output.is_json &&
	    (topic == NULL || command_find(slice_of(topic)) != NULL)) {
		/* Print the named command as JSON; NULL: all commands. */
		const struct command *command;

		for (size_t i = 0; (command = command_row(i)) != NULL; i++)
			if (topic == NULL || strcmp(command->name, topic) == 0)
				options_json(i, &out.text);
	} else if (!options_help(topic, &out.text))
		status = unknown_topic(topic);
	written = out_finish(&out);
	return status == EXIT_DONE ? written : status;
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
