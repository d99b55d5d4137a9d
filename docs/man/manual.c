/*
 * Write manual pages for scdoc from the tables of commands, options and
 * diagnostics, and from prose. The program runs while freshet is built.
 *
 *	manual command crawl [PROSE]     freshet-crawl(1)
 *	manual page PROSE                freshet(1), freshet.conf(5)
 *	manual diagnostics               freshet-diagnostics(7)
 *	manual catalogue                 diagnostics.md, which is Markdown
 *
 * In prose, a line @commands@, @keys@ or @files@ stands for what the tables
 * say.
 */
#include <string.h>

#include "base/diag.h"
#include "base/profile.h"
#include "crawler/cli/options_config.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/cli/reference.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"

#define PROSE_MAX_BYTES (1 << 18)

static void
manual_put(struct buf *out, const char *text)
{
	(void)buf_put_slice(out, slice_of(text));
}

/* Append the text, escaped for scdoc. */
static void
manual_put_escaped(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("\\_*#[]|`~;<>", text[i]) != NULL)
			(void)buf_put_char(out, '\\');
		(void)buf_put_char(out, text[i]);
	}
}

static void
manual_put_text(struct buf *out, const char *text)
{
	manual_put_escaped(out, text, strlen(text));
}

/* The value of a switch in each profile. */
static void
put_sets(struct buf *out, const struct option *option)
{
	static const char *const names[] = {
	    ". strict: ", ", google: ", ", lenient: "};

	for (int name = 0; option->type == OPTION_SWITCH && name < 3; name++) {
		manual_put(out, names[name]);
		profile_switch_value(
		    option_switch(option), (enum profile_name)name, out);
	}
}

/* Append the name of an option; that of a switch as people type it. */
static void
put_name(struct buf *out, const char *name)
{
	for (; *name != '\0'; name++)
		(void)buf_put_char(out, *name == '_' ? '-' : *name);
}

/* Append lines "status|meaning" as a list of terms. */
static void
put_pairs(struct buf *out, const char *text)
{
	for (const char *p = text; *p != '\0';) {
		size_t whole = strcspn(p, "\n");
		size_t len = (size_t)((const char *)memrchr(p, '|', whole) - p);

		(void)buf_put_char(out, '*');
		manual_put_escaped(out, p, len);
		manual_put(out, "*\n\t");
		manual_put_escaped(out, p + len + 1, whole - len - 1);
		manual_put(out, "\n\n");
		p += whole + 1;
	}
}

static bool put_prose(struct buf *out, const char *path);

static void
manual_put_options(struct buf *out, uint64_t bit)
{
	bool has_switches = false;

	manual_put(out, "# OPTIONS\n\n");
	for (const struct option *option = option_rows; option->name != NULL;
	     option++) {
		if ((option->commands & bit) == 0)
			continue;
		if (option->type == OPTION_SWITCH && !has_switches)
			manual_put(out, "## SWITCHES OF THE PROFILE\n\n");
		has_switches = option->type == OPTION_SWITCH;
		/* Append "*-H*, *--header* _LINE_" and the help of the option.
		 */
		if (option->letter != '\0')
			(void)buf_print(out, "*-%c*, ", option->letter);
		manual_put(out, "*--");
		put_name(out, option->name);
		(void)buf_put_char(out, '*');
		if (option->argument != NULL) {
			manual_put(out, " _");
			manual_put_text(out,
			    option->choices != NULL ? option->choices
						    : option->argument);
			(void)buf_put_char(out, '_');
		}
		manual_put(out, "\n\t");
		manual_put_text(out, option->help);
		put_sets(out, option);
		if (option->standard != NULL && option->type != OPTION_CHOICE)
			(void)buf_print(out, " (%s)", option->standard);
		manual_put(out, ".");
		if (option_repeats(option))
			manual_put(out, " May be given more than once.");
		manual_put(out, "\n\n");
	}
	if (FOR_CONFIGURED & bit)
		manual_put(out,
		    "*freshet.conf*(5) stands in for options that are not "
		    "given.\n\n");
}

static bool
put_command(struct buf *out, const struct command *command, const char *prose)
{
	(void)buf_print(out, "freshet-%s(1)\n\n# NAME\n\nfreshet-%s - ",
	    command->name, command->name);
	manual_put_text(out, command->summary);
	(void)buf_print(out, "\n\n# SYNOPSIS\n\n*freshet %s* ", command->name);
	manual_put_text(out, command->synopsis);
	manual_put(out, "\n\n");
	if (command->text[0] != '\0')
		manual_put(out, "# DESCRIPTION\n\n");
	for (const char *p = command->text; *p != '\0';) {
		size_t len = strcspn(p, "\n");

		manual_put_escaped(out, p, len);
		manual_put(out, "\n\n");
		p += len + 1;
	}
	if (prose != NULL && !put_prose(out, prose))
		return false;
	manual_put_options(out, COMMAND_BIT_OF(command));
	manual_put(out, "# EXIT STATUS\n\n");
	put_pairs(out, command->exits);
	manual_put(out, "# EXAMPLES\n\n");
	put_pairs(out, command->examples);
	manual_put(out,
	    "# SEE ALSO\n\n*freshet*(1), *freshet.conf*(5), "
	    "*freshet-diagnostics*(7)\n");
	return true;
}

static void
put_keys(struct buf *out)
{
	const struct command *command;

	for (const struct option *option = option_rows; option->name != NULL;
	     option++) {
		const char *before = " ";

		if ((option->commands & FOR_CONFIGURED) == 0 ||
		    option_place(option) > IN_SITE)
			continue;
		(void)buf_put_char(out, '*');
		put_name(out, option->name);
		manual_put(out, "* = _");
		manual_put_text(out,
		    option->choices != NULL        ? option->choices
			: option->argument != NULL ? option->argument
						   : "0|1");
		manual_put(out, option_repeats(option) ? "_ ...\n\t" : "_\n\t");
		manual_put_text(out, option->help);
		put_sets(out, option);
		manual_put(out, ". ");
		if (option->standard != NULL)
			(void)buf_print(out, "Default: %s. ", option->standard);
		manual_put(out,
		    option_place(option) == IN_SITE
			? "In \\[defaults\\] and \\[site\\]. For"
			: "In \\[defaults\\]. For");
		for (command = command_rows; command->name != NULL; command++)
			if (option->commands & FOR_CONFIGURED &
			    COMMAND_BIT_OF(command)) {
				(void)buf_print(out, "%s*freshet-%s*(1)",
				    before, command->name);
				before = ", ";
			}
		manual_put(out, ".\n\n");
	}
}

static const char *const losses[] = {
    "nothing", "the field", "the entry", "the document", "the run"};

/* Append the text, escaped for Markdown and its tables. */
static void
put_markdown(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("\\_*[]|`<>", *text) != NULL)
			(void)buf_put_char(out, '\\');
		(void)buf_put_char(out, *text);
	}
}

/* Append a block of text as it is; NULL: nothing. */
static void
manual_put_block(struct buf *out, const char *title, const char *text)
{
	if (text != NULL)
		(void)buf_print(
		    out, "%s:\n\n```text\n%s\n```\n\n", title, text);
}

/* Append the part about one code. */
static void
put_code(struct buf *out, enum diag_code code)
{
	const struct diag_info *info = diag_info(code);
	const struct reference_example *example = &reference_examples[code];

	(void)buf_print(out,
	    "### %s\n\nSeverity: %s (strict: %s, lenient: %s). Costs: %s.\n\n",
	    info->code, severity_names[info->severity[PROFILE_GOOGLE]],
	    severity_names[info->severity[PROFILE_STRICT]],
	    severity_names[info->severity[PROFILE_LENIENT]],
	    losses[info->loss]);
	manual_put(out, "* When: ");
	put_markdown(out, info->trigger);
	manual_put(out, ".\n* What to do: ");
	put_markdown(out, info->remedy);
	manual_put(out, ".\n");
	if (info->search_console[0] != '(') {
		manual_put(out, "* In Search Console: ");
		put_markdown(out, info->search_console);
		manual_put(out, ".\n");
	}
	(void)buf_print(out, "* Rule: %s.", info->rule);
	for (size_t i = 0; i < REFERENCE_SOURCES; i++)
		if (example->sources[i].title != NULL)
			(void)buf_print(out, "%s [%s](%s)%s",
			    i == 0 ? " Source:" : ",",
			    example->sources[i].title, example->sources[i].link,
			    i + 1 == REFERENCE_SOURCES ||
				    example->sources[i + 1].title == NULL
				? "."
				: "");
	manual_put(out, "\n\n");
	if (example->note != NULL)
		(void)buf_print(out, "%s\n\n", example->note);
	if (example->with != NULL)
		(void)buf_print(out, "With `%s`.\n\n", example->with);
	manual_put_block(out, "Before", example->before);
	manual_put_block(out, "After", example->after);
}

static void
put_catalogue(struct buf *out)
{
	manual_put(out,
	    "# Diagnostics\n\n"
	    "Each finding has a code that never changes. Its severity is that "
	    "of the profile: strict, google (the default), lenient. "
	    "`freshet help CODE` prints one of them, with its example and its "
	    "sources.\n\n"
	    "A finding that costs the document may come in its middle: then "
	    "the entries before it are kept, except in strict.\n\n"
	    "An example that shows entries alone is about /sitemap.xml of "
	    "https://www.shop.example/, or about its index. Behind a line "
	    "`-- /NAME --` stands another file or the answer of a server, "
	    "behind `-- then --` what the site has at the next reading, and "
	    "behind `-- shell --` commands that make the files. A test runs "
	    "each example: the code is reported before, and not after.\n\n"
	    "This page is made from `base/diag.def` and "
	    "`docs/reference/diagnostics.txt` by `ninja -C build "
	    "diagnostics-md`; a test holds it to that.\n\n"
	    "| code | severity | costs | when |\n"
	    "| --- | --- | --- | --- |\n");
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++) {
		const struct diag_info *info = diag_info(code);

		(void)buf_print(out, "| [%s](#%s) | %s | %s | ", info->code,
		    info->code, severity_names[info->severity[PROFILE_GOOGLE]],
		    losses[info->loss]);
		put_markdown(out, info->trigger);
		manual_put(out, " |\n");
	}
	manual_put(out, "\n");
	for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		put_code(out, code);
}

/* Append a file of prose with its markers replaced. Returns false after one
 * line on stderr. */
static bool
put_prose(struct buf *out, const char *path)
{
	struct buf text;
	struct slice left;
	bool is_good;

	buf_init(&text, PROSE_MAX_BYTES);
	is_good = textfile_read(path, &text);
	for (left = buf_text(&text); is_good && left.len > 0;) {
		struct slice line = textfile_line(&left);

		if (slice_is(line, "@commands@")) {
			const struct command *command;

			for (command = command_rows; command->name != NULL;
			     command++) {
				(void)buf_print(
				    out, "*freshet-%s*(1)\n\t", command->name);
				manual_put_text(out, command->summary);
				manual_put(out, "\n\n");
			}
		} else if (slice_is(line, "@keys@")) {
			put_keys(out);
		} else if (line.len > 0 && line.p[0] == '@') {
			complain("'%s' has a marker that is none", path);
			is_good = false;
		} else {
			(void)buf_put_slice(out, line);
			(void)buf_put_char(out, '\n');
		}
	}
	buf_release(&text);
	return is_good;
}

int
main(int argc, char **argv)
{
	const struct options options = {.output.color = COLOR_NEVER};
	const struct command *command = NULL;
	bool is_good = false;
	struct out out;
	int status;

	out_init(&out, &options.output);
	out.is_raw = true;
	if (argc >= 3 && strcmp(argv[1], "command") == 0)
		command = command_find(slice_of(argv[2]));
	if (command != NULL)
		is_good = put_command(
		    &out.text, command, argc > 3 ? argv[3] : NULL);
	else if (argc == 3 && strcmp(argv[1], "page") == 0)
		is_good = put_prose(&out.text, argv[2]);
	else if (argc == 2 && strcmp(argv[1], "diagnostics") == 0) {
		manual_put(&out.text,
		    "freshet-diagnostics(7)\n\n# NAME\n\nfreshet-diagnostics - "
		    "what freshet finds in sitemaps, and what to do about "
		    "it\n\n"
		    "# DESCRIPTION\n\n"
		    "Each finding has a code that never changes. Behind it "
		    "stand its severity in the profiles strict, google and "
		    "lenient, what it costs, when it is reported and what "
		    "mends it; then the name that Search Console has for it, "
		    "if any, and the rule in the specification. What costs the "
		    "document may come in its middle: then the entries before "
		    "it are kept, except in strict. *freshet help* _CODE_ "
		    "prints one, *freshet help diagnostics --json* all of them "
		    "for programs.\n\n# CODES\n\n");
		for (enum diag_code code = DIAG_OK + 1; code < DIAG_COUNT;
		     code++) {
			const struct diag_info *info = diag_info(code);

			(void)buf_print(&out.text,
			    "*%s*\n\t%s, %s, %s; costs %s. When: ", info->code,
			    severity_names[info->severity[0]],
			    severity_names[info->severity[1]],
			    severity_names[info->severity[2]],
			    losses[info->loss]);
			manual_put_text(&out.text, info->trigger);
			manual_put(&out.text, ". Remedy: ");
			manual_put_text(&out.text, info->remedy);
			manual_put(&out.text, ". Search Console: ");
			manual_put_text(&out.text, info->search_console);
			manual_put(&out.text, ". Rule: ");
			manual_put_text(&out.text, info->rule);
			manual_put(&out.text, ".\n\n");
		}
		manual_put(&out.text,
		    "# SEE ALSO\n\n*freshet*(1), *freshet-help*(1)\n");

		is_good = true;
	} else if (argc == 2 && strcmp(argv[1], "catalogue") == 0) {
		put_catalogue(&out.text);
		is_good = true;
	} else
		complain("usage: manual command NAME [PROSE] | page PROSE | "
			 "diagnostics | catalogue");
	status = out_finish(&out);
	return is_good ? status : EXIT_USAGE;
}
