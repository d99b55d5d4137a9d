/* Help on the configuration, and the tables for programs. */
#include <stdio.h>
#include <string.h>

#include "crawler/options_config.h"
#include "crawler/options_environment.h"
#include "crawler/options_help.h"
#include "crawler/options_table.h"
#include "crawler/out.h"
#include "crawler/out_json.h"

#define TEXT_MAX 4096

static void
put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

/* put_commands(out, option): "crawl, ls". */
static void
put_commands(struct buf *out, const struct option *option)
{
	const struct command *command;
	const char *before = "";

	for (size_t i = 0; (command = command_row(i)) != NULL; i++)
		if (option->commands & FOR_CONFIGURED & 1u << i) {
			(void)buf_print(out, "%s%s", before, command->name);
			before = ", ";
		}
}

static void
put_key(struct buf *out, const struct option *option)
{
	struct buf text;

	(void)buf_print(out, "\n  %s = %s%s\n", option->name,
	    option_values(option), option_repeats(option) ? " ..." : "");
	out_wrapped(out, "      ", option->help);
	buf_init(&text, TEXT_MAX);
	if (option->standard != NULL)
		(void)buf_print(&text, "Default: %s. ", option->standard);
	else if (option->type == OPTION_FLAG)
		put(&text, "Default: 0. ");
	(void)buf_print(&text, "In [defaults]%s. For: ",
	    option_place(option) == IN_SITE ? " and [site HOST]" : "");
	put_commands(&text, option);
	(void)buf_put_char(&text, '.');
	out_wrapped(out, "      ", buf_str(&text));
	buf_release(&text);
}

static void
put_files(struct buf *out)
{
	put(out,
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
	    "Keys are the long options. Stronger first: what is typed, "
	    "FRESHET_<OPTION> in the environment, [site HOST], [defaults], "
	    "what is built in. A list (...) may be repeated, or holds several "
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
	    "that holds one, FRESHET_PASSWORD in the environment is one.");
}

void
options_help_keys(struct buf *out)
{
	const struct option *option;
	const char *key;
	const char *values;

	put_files(out);
	put(out, "\nKeys:\n");
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option_place(option) <= IN_SITE)
			put_key(out, option);
	put(out,
	    "\nSwitches of the profile, each a key of its own, in [defaults] "
	    "and [site HOST]:\n");
	for (size_t i = 0; profile_switch(i, &key, &values); i++)
		(void)buf_print(out, "  %s = %s\n", key, values);
}

/* json_list(out, key, words): of "a|b". */
static void
json_list(struct buf *out, const char *key, const char *words)
{
	const char *before = "";

	out_json_key(out, key);
	(void)buf_put_char(out, '[');
	for (const char *p = words == NULL ? "" : words; *p != '\0';) {
		size_t len = strcspn(p, "|");

		(void)buf_print(out, "%s\"%.*s\"", before, (int)len, p);
		before = ",";
		p += len + (p[len] == '|');
	}
	(void)buf_put_char(out, ']');
}

static void
json_text(struct buf *out, const char *key, const char *text)
{
	if (text != NULL)
		out_json_word(out, key, slice_of(text));
}

/* json_members(out, option, name, values): of an option, or of a switch of
 * the profile, which has no name of its own in the table. */
static void
json_members(struct buf *out, const struct option *option, const char *name,
    const char *values)
{
	static const char *const places[] = {"environment|defaults",
	    "environment|defaults|site", "environment", ""};
	char variable[ENVIRONMENT_NAME_MAX];
	char letter[2] = {option->letter, '\0'};

	json_text(out, "type", option->name == NULL ? "switch" : "option");
	json_text(out, "name", name);
	json_text(out, "letter", letter[0] == '\0' ? NULL : letter);
	json_text(out, "argument", option->argument);
	json_list(out, "choices",
	    values == NULL || strcmp(values, "NUMBER") == 0 ? NULL : values);
	json_text(out, "default", option->standard);
	json_list(out, "places", places[option_place(option)]);
	environment_name(name, variable);
	if (option_place(option) < ON_LINE)
		json_text(out, "environment", variable);
	json_text(out, "help", option->help);
}

static void
json_option(struct buf *out, const struct option *option, const char *name,
    const char *values)
{
	put(out, out->p[out->len - 1] == '[' ? "{" : ",{");
	json_members(out, option, name, values);
	(void)buf_put_char(out, '}');
}

static void
json_options(struct buf *out, unsigned bit)
{
	const struct option *option;
	const char *key;
	const char *values;

	out_json_key(out, "options");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option->commands & bit)
			json_option(out, option, option->name, option->choices);
	if (option_switch()->commands & bit)
		for (size_t i = 0; profile_switch(i, &key, &values); i++)
			json_option(out, option_switch(), key, values);
	(void)buf_put_char(out, ']');
}

void
options_json(size_t i, struct buf *out)
{
	const struct command *command = command_row(i);

	put(out, "{\"v\":1");
	json_text(out, "type", "command");
	json_text(out, "name", command->name);
	json_text(out, "group", command->group);
	json_text(out, "summary", command->summary);
	json_text(out, "synopsis", command->synopsis);
	json_list(out, "actions", command->actions);
	out_json_key(out, "exits");
	(void)buf_put_char(out, '{');
	for (const char *p = command->exits; *p != '\0';) {
		size_t len = strcspn(p, "|");
		size_t whole = strcspn(p, "\n");
		char status[8];

		(void)snprintf(status, sizeof(status), "%.*s", (int)len, p);
		out_json_key(out, status);
		out_json_text(out, slice_make(p + len + 1, whole - len - 1));
		p += whole + 1;
	}
	(void)buf_put_char(out, '}');
	json_options(out, 1u << i);
	put(out, "}\n");
}

void
options_json_keys(struct buf *out)
{
	const struct option *option;
	const char *key;
	const char *values;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++) {
		if (option_place(option) > IN_SITE)
			continue;
		put(out, "{\"v\":1");
		json_members(out, option, option->name, option->choices);
		put(out, "}\n");
	}
	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		put(out, "{\"v\":1");
		json_members(out, option_switch(), key, values);
		put(out, "}\n");
	}
}
