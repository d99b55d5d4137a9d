/* Help on commands. */
#include "crawler/cli/options_help.h"

#include <stdio.h>
#include <string.h>

#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"

#define OPTION_WIDTH 30
#define NAME_WIDTH 11
#define TEXT_MAX 4096 /* a paragraph */

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

static void
pad(struct buf *out, size_t from, size_t width)
{
	while (out->len - from < width)
		if (!buf_put_char(out, ' '))
			return;
}

static void
put_examples(struct buf *out, const struct command *command)
{
	const char *p = command->examples;

	put(out, "Examples:\n");
	while (*p != '\0') {
		size_t typed = command_half(p);
		const char *does = p + typed + 1;
		size_t len = strcspn(does, "\n");

		(void)buf_print(
		    out, "  %.*s\n      %.*s\n", (int)typed, p, (int)len, does);
		p = does + len + 1;
	}
}

static void
put_option(struct buf *out, const struct option *option)
{
	struct buf name;
	struct buf help;

	buf_init(&name, 256);
	if (option->letter != '\0')
		(void)buf_print(&name, "  -%c, ", option->letter);
	else
		put(&name, "      ");
	(void)buf_print(&name, "--%s", option->name);
	if (option->argument != NULL)
		(void)buf_print(&name, " %s", option->argument);
	if (name.len + 2 > OPTION_WIDTH) {
		(void)buf_put_slice(out, buf_text(&name));
		(void)buf_put_char(out, '\n');
		buf_clear(&name);
	}
	pad(&name, 0, OPTION_WIDTH);
	buf_init(&help, TEXT_MAX);
	put(&help, option->help);
	if (option_repeats(option))
		put(&help, "; may be repeated");
	/* of choices the text says more than a name */
	if (option->standard != NULL && option->type != OPTION_CHOICE)
		(void)buf_print(&help, " (%s)", option->standard);
	out_wrapped(out, buf_str(&name), buf_str(&help));
	buf_release(&help);
	buf_release(&name);
}

/* put_switches(out): in short. */
static void
put_switches(struct buf *out)
{
	const char *key;
	const char *values;

	put(out,
	    "\nSwitches (--set SWITCH=VALUE, or each as an option: --dir-rule "
	    "warn); 'freshet\nhelp switches' explains them:\n");
	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		size_t from = out->len;

		(void)buf_print(out, "  %s  ", key);
		pad(out, from, 22);
		put(out, values);
		(void)buf_put_char(out, '\n');
	}
}

static void
put_options(struct buf *out, unsigned bit)
{
	put(out, "\nOptions:\n");
	for (size_t i = 0; option_row(i) != NULL; i++)
		if (option_row(i)->commands & bit)
			put_option(out, option_row(i));
	if ((bit & option_switch()->commands) != 0)
		put_switches(out);
}

/* put_exits(out, exits): one of the lines "0|done" each. */
static void
put_exits(struct buf *out, const char *exits)
{
	put(out, "\nExit status:\n");
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
put_command(struct buf *out, const struct command *command)
{
	unsigned bit = command_bit(command);
	struct buf text;

	(void)buf_print(
	    out, "freshet %s: %s\n\n", command->name, command->summary);
	buf_init(&text, TEXT_MAX);
	(void)buf_print(
	    &text, "freshet %s %s", command->name, command->synopsis);
	out_wrapped(out, "Usage: ", buf_str(&text));
	(void)buf_put_char(out, '\n');
	put_examples(out, command);
	for (const char *p = command->text; *p != '\0';) {
		size_t len = strcspn(p, "\n");

		buf_clear(&text);
		(void)buf_put(&text, p, len);
		(void)buf_put_char(out, '\n');
		out_wrapped(out, "", buf_str(&text));
		p += len + 1;
	}
	buf_release(&text);
	put_options(out, bit);
	put_exits(out, command->exits);
	(void)buf_put_char(out, '\n');
	if (FOR_CONFIGURED & bit)
		out_wrapped(out, "",
		    "FRESHET_<OPTION> in the environment stands in for an "
		    "option that is not given, FRESHET_JSON for --json; so "
		    "does the configuration: 'freshet help config'.");
	else
		out_wrapped(out, "",
		    "FRESHET_<OPTION> in the environment stands in for an "
		    "option that is not given.");
}

static void
put_overview(struct buf *out)
{
	const char *group = "";

	put(out,
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
		pad(out, from, NAME_WIDTH + 2);
		(void)buf_print(out, "%s\n", command->summary);
	}
	put(out,
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
	put_command(out, command);
	return true;
}
