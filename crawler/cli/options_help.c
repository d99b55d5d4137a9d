/* Help on commands and configuration, as text and as JSON. */
#include "crawler/cli/options_help.h"

#include <stdio.h>
#include <string.h>

#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/cli/options_config.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"

#define OPTION_WIDTH 30
#define NAME_WIDTH 11
#define TEXT_MAX 4096 /* bytes of a paragraph */

static void
options_help_put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

static void
options_help_pad(struct buf *out, size_t from, size_t width)
{
	while (out->len - from < width)
		if (!buf_put_char(out, ' '))
			return;
}

static void
options_help_put_options(struct buf *out, uint64_t bit)
{
	options_help_put(out, "\nOptions:\n");
	for (size_t i = 0; option_row(i) != NULL; i++)
		if (option_row(i)->commands & bit) {
			const struct option *option = option_row(i);
			struct buf name;
			struct buf help;

			buf_init(&name, 256);
			if (option->letter != '\0')
				(void)buf_print(
				    &name, "  -%c, ", option->letter);
			else
				options_help_put(&name, "      ");
			(void)buf_print(&name, "--%s", option->name);
			if (option->argument != NULL)
				(void)buf_print(&name, " %s", option->argument);
			if (name.len + 2 > OPTION_WIDTH) {
				(void)buf_put_slice(out, buf_text(&name));
				(void)buf_put_char(out, '\n');
				buf_clear(&name);
			}
			options_help_pad(&name, 0, OPTION_WIDTH);
			buf_init(&help, TEXT_MAX);
			options_help_put(&help, option->help);
			if (option_repeats(option))
				options_help_put(&help, "; may be repeated");
			/* the help of a choice explains its default */
			if (option->standard != NULL &&
			    option->type != OPTION_CHOICE)
				(void)buf_print(
				    &help, " (%s)", option->standard);
			out_wrapped(out, buf_str(&name), buf_str(&help));
			buf_release(&help);
			buf_release(&name);
		}
	if ((bit & option_switch()->commands) != 0) {
		/* The switches in short; explain_switches() has the whole text.
		 */
		const char *key;
		const char *values;

		options_help_put(out,
		    "\nSwitches (--set SWITCH=VALUE, or each as an option: "
		    "--dir-rule warn); 'freshet\nhelp switches' explains "
		    "them:\n");
		for (size_t i = 0; profile_switch(i, &key, &values); i++) {
			size_t from = out->len;

			(void)buf_print(out, "  %s  ", key);
			options_help_pad(out, from, 22);
			options_help_put(out, values);
			(void)buf_put_char(out, '\n');
		}
	}
}

/* Append a line for each line "status|meaning". */
static void
put_exits(struct buf *out, const char *exits)
{
	options_help_put(out, "\nExit status:\n");
	for (const char *p = exits; *p != '\0';) {
		size_t status = strcspn(p, "|");
		size_t whole = strcspn(p, "\n");
		struct buf text;
		char first[16];

		buf_init(&text, TEXT_MAX);
		(void)buf_put(&text, p + status + 1, whole - status - 1);
		(void)snprintf(
		    first, sizeof(first), "  %-4.*s", (int)status, p);
		out_wrapped(out, first, buf_str(&text));
		buf_release(&text);
		p += whole + 1;
	}
}

static void
put_overview(struct buf *out)
{
	const char *group = "";

	options_help_put(out,
	    "freshet reads the sitemaps of sites, remembers what they "
	    "list, and says what\nchanged.\n\n"
	    "Usage: freshet COMMAND [OPTION]... [ARGUMENT]...\n\n"
	    "Examples:\n"
	    "  freshet crawl www.example.org        # read a site into "
	    "the store\n"
	    "  freshet ls --tree www.example.org    # what it lists\n"
	    "  freshet export --changes             # what the last crawl "
	    "changed\n");
	for (size_t i = 0; command_row(i) != NULL; i++) {
		const struct command *command = command_row(i);
		size_t from;

		if (strcmp(group, command->group) != 0)
			(void)buf_print(out, "\n%s\n", command->group);
		group = command->group;
		from = out->len;
		(void)buf_print(out, "  %s", command->name);
		options_help_pad(out, from, NAME_WIDTH + 2);
		(void)buf_print(out, "%s\n", command->summary);
	}
	options_help_put(out,
	    "\n'freshet help COMMAND' explains a command and its options, "
	    "'freshet help config'\nwhat may stand in for them.\n");
}

bool
options_help(const char *name, struct buf *out)
{
	const struct command *command;

	if (name == NULL) {
		put_overview(out);
		return true;
	}
	command = command_find(slice_of(name));
	if (command == NULL)
		return false;
	uint64_t bit = command_bit(command);
	struct buf text;

	(void)buf_print(
	    out, "freshet %s: %s\n\n", command->name, command->summary);
	buf_init(&text, TEXT_MAX);
	(void)buf_print(
	    &text, "freshet %s %s", command->name, command->synopsis);
	out_wrapped(out, "Usage: ", buf_str(&text));
	(void)buf_put_char(out, '\n');
	options_help_put(out, "Examples:\n");
	for (const char *p = command->examples; *p != '\0';) {
		size_t typed = command_half(p);
		const char *does = p + typed + 1;
		size_t len = strcspn(does, "\n");

		(void)buf_print(
		    out, "  %.*s\n      %.*s\n", (int)typed, p, (int)len, does);
		p = does + len + 1;
	}
	for (const char *p = command->text; *p != '\0';) {
		size_t len = strcspn(p, "\n");

		buf_clear(&text);
		(void)buf_put(&text, p, len);
		(void)buf_put_char(out, '\n');
		out_wrapped(out, "", buf_str(&text));
		p += len + 1;
	}
	buf_release(&text);
	options_help_put_options(out, bit);
	put_exits(out, command->exits);
	(void)buf_put_char(out, '\n');
	if (FOR_CONFIGURED & bit)
		out_wrapped(out, "",
		    "The configuration stands in for options that are not "
		    "given: 'freshet help config'.");

	return true;
}

/* The configuration. */

static void
put_files(struct buf *out)
{
	options_help_put(out,
	    "The configuration: what stands in for options that are not "
	    "typed\n\n"
	    "The first of these that there is, and no other:\n"
	    "  the FILE of --config, or of FRESHET_CONFIG; --no-config means "
	    "none\n"
	    "  $XDG_CONFIG_HOME/freshet/freshet.conf, or\n"
	    "  ~/.config/freshet/freshet.conf without XDG_CONFIG_HOME\n"
	    "  " CONFIG_SYSTEM "\n\n"
	    "Example:\n"
	    "  # a comment, also one that ; begins, has a line of its own\n"
	    "  [defaults]\n"
	    "  contact = https://crawler.example.org/about\n"
	    "  max-time = 2m\n\n"
	    "  [site www.example.org]\n"
	    "  profile = strict\n"
	    "  delay = 5s\n\n");
	out_wrapped(out, "",
	    "Keys are the long options. Stronger first: what is typed, what "
	    "the watch list says of a site (freshet set), [site HOST], "
	    "[defaults], what is built in. Of the environment only "
	    "FRESHET_STORE, FRESHET_CONFIG and NO_COLOR count. A list (...) "
	    "may be repeated, or holds several "
	    "values with spaces between them; a stronger one replaces it "
	    "whole. Headers have spaces in them: one a line. A value needs no "
	    "quotes; all of the line counts.");
	(void)buf_put_char(out, '\n');
	out_wrapped(out, "",
	    "TIME is seconds, or 300ms, 90s, 10m, 2h, 7d; SIZE is bytes, or "
	    "64K, 1GiB, 5MB; 0|1 may be no|yes, off|on, false|true.");
	(void)buf_put_char(out, '\n');
	out_wrapped(out, "",
	    "Passwords stand in no configuration: 'user-file' names a file "
	    "that holds one.");
}

/* What each switch does, and its value in each profile. */
static void
explain_switches(struct buf *out)
{
	static const char *const names[] = {"strict", ", google", ", lenient"};
	const char *key;
	const char *values;

	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		(void)buf_print(out, "\n  %s = %s\n", key, values);
		out_wrapped(out, "      ", profile_switch_help(i));
		options_help_put(out, "      ");
		for (int name = 0; name < 3; name++) {
			(void)buf_print(out, "%s: ", names[name]);
			profile_switch_value(i, (enum profile_name)name, out);
		}
		(void)buf_put_char(out, '\n');
	}
}

void
options_help_keys(struct buf *out)
{
	const struct option *option;

	put_files(out);
	options_help_put(out, "\nKeys:\n");
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option_place(option) <= IN_SITE) {
			struct buf text;

			(void)buf_print(out, "\n  %s = %s%s\n", option->name,
			    option_values(option),
			    option_repeats(option) ? " ..." : "");
			out_wrapped(out, "      ", option->help);
			buf_init(&text, TEXT_MAX);
			if (option->standard != NULL)
				(void)buf_print(
				    &text, "Default: %s. ", option->standard);
			else if (option->type == OPTION_FLAG)
				options_help_put(&text, "Default: 0. ");
			(void)buf_print(&text, "In [defaults]%s. For: ",
			    option_place(option) == IN_SITE ? " and [site HOST]"
							    : "");
			/* Append the names of the commands that use the
			 * option's configured value. */
			const struct command *command;
			const char *before = "";

			for (size_t k = 0; (command = command_row(k)) != NULL;
			     k++)
				if ((option->commands | option->configured) &
				    FOR_CONFIGURED & COMMAND_BIT(k)) {
					(void)buf_print(&text, "%s%s", before,
					    command->name);
					before = ", ";
				}
			(void)buf_put_char(&text, '.');
			out_wrapped(out, "      ", buf_str(&text));
			buf_release(&text);
		}
	options_help_put(out,
	    "\nSwitches of the profile, each a key of its own, in [defaults] "
	    "and [site HOST]:\n");
	explain_switches(out);
}

void
options_help_switches(struct buf *out)
{
	out_wrapped(out, "",
	    "The switches of the profile: what the rules strict, google and "
	    "lenient are made of. Each is an option (--dir-rule warn), a value "
	    "of --set (--set dir_rule=warn), and a key of the "
	    "configuration.");
	explain_switches(out);
}

/* Append the list of strings that "a|b" names. */
static void
options_help_json_list(struct buf *out, const char *key, const char *words)
{
	out_json_list(out, key);
	for (const char *p = words == NULL ? "" : words; *p != '\0';) {
		size_t len = strcspn(p, "|");

		out_json_text(out, NULL, slice_make(p, len));
		p += len + (p[len] == '|');
	}
	out_json_list_end(out);
}

static void
json_text(struct buf *out, const char *key, const char *text)
{
	if (text != NULL)
		out_json_string(out, key, text);
}

/* The members of an option; or of a switch of the profile, whose name and
 * values are not in the table. */
static void
json_members(struct buf *out, const struct option *option, const char *name,
    const char *values)
{
	static const char *const places[] = {"defaults", "defaults|site", ""};
	char letter[2] = {option->letter, '\0'};

	json_text(out, "type", option->name == NULL ? "switch" : "option");
	json_text(out, "name", name);
	json_text(out, "letter", letter[0] == '\0' ? NULL : letter);
	json_text(out, "argument", option->argument);
	options_help_json_list(out, "choices",
	    values == NULL || strcmp(values, "NUMBER") == 0 ? NULL : values);
	json_text(out, "default", option->standard);
	options_help_json_list(out, "places", places[option_place(option)]);
	json_text(out, "action", option->action);
	json_text(out, "help", option->help);
}

/* The members of the i-th switch. */
static void
json_switch(struct buf *out, size_t i)
{
	const char *key = NULL;
	const char *values = NULL;
	struct buf value;

	(void)profile_switch(i, &key, &values);
	json_members(out, option_switch(), key, values);
	json_text(out, "help", profile_switch_help(i));
	out_json_begin(out, "profiles");
	buf_init(&value, 64);
	for (int name = 0; name < 3; name++) {
		buf_clear(&value);
		profile_switch_value(i, (enum profile_name)name, &value);
		out_json_word(out, profile_names[name], buf_text(&value));
	}
	buf_release(&value);
	out_json_end(out);
}

void
options_json(size_t i, struct buf *out)
{
	const struct command *command = command_row(i);

	out_json_line(out, "command");
	json_text(out, "name", command->name);
	json_text(out, "group", command->group);
	json_text(out, "summary", command->summary);
	json_text(out, "synopsis", command->synopsis);
	options_help_json_list(out, "actions", command->actions);
	out_json_begin(out, "exits");
	for (const char *p = command->exits; *p != '\0';) {
		size_t len = strcspn(p, "|");
		size_t whole = strcspn(p, "\n");
		char status[8];

		(void)snprintf(status, sizeof(status), "%.*s", (int)len, p);
		out_json_text(
		    out, status, slice_make(p + len + 1, whole - len - 1));
		p += whole + 1;
	}
	out_json_end(out);
	uint64_t bit = COMMAND_BIT(i);
	const struct option *option;

	out_json_list(out, "options");
	for (size_t k = 0; (option = option_row(k)) != NULL; k++) {
		if ((option->commands & bit) == 0)
			continue;
		out_json_begin(out, NULL);
		json_members(out, option, option->name, option->choices);
		out_json_end(out);
	}
	for (size_t k = 0; (option_switch()->commands & bit) &&
	     profile_switch_help(k) != NULL;
	     k++) {
		out_json_begin(out, NULL);
		json_switch(out, k);
		out_json_end(out);
	}
	out_json_list_end(out);
	out_json_line_end(out);
}

void
options_json_keys(struct buf *out)
{
	const struct option *option;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++) {
		if (option_place(option) > IN_SITE)
			continue;
		out_json_line(out, NULL);
		json_members(out, option, option->name, option->choices);
		out_json_line_end(out);
	}
	options_json_switches(out);
}

void
options_json_switches(struct buf *out)
{
	for (size_t i = 0; profile_switch_help(i) != NULL; i++) {
		out_json_line(out, NULL);
		json_switch(out, i);
		out_json_line_end(out);
	}
}
