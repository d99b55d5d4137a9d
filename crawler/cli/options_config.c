/*
 * Options in the configuration.
 *
 *	file -> line -> entry (option, host) -> givens of all, or of a site
 *
 * A line is empty, a section or KEY = VALUE, or begins with # or ;. The whole
 * rest of the line is the value, with '#', ';' and quotes; white space around
 * it is not.
 *
 *	[defaults]
 *	delay = 2s
 *	[site www.example.org]
 *	profile = strict
 *	[alert rivals]
 *	kinds = section-launched
 *
 * Entries that the command does not take are applied to scratch options, so
 * that the first command that reads the file finds every mistake.
 */
#include "crawler/cli/options_config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/url.h"
#include "crawler/cli/options_apply.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

#define PATH_MAX_BYTES 4096

/* The sections [alert NAME]. */

#define NAME_MAX_BYTES 60 /* of an alert */

/* What the value of a key is. */
enum alert_value {
	ALERT_KINDS, /* lists of words with commas */
	ALERT_TAGS,
	ALERT_SECTIONS,
	ALERT_NUMBER, /* 0 is any number of pages, as without the key */
	ALERT_SHARE,
	ALERT_PATH
};

static const struct alert_key {
	const char *name;
	size_t member; /* of struct alert_rule */
	enum alert_value value;
	const char *form;
} alert_keys[] = {
    {"kinds", offsetof(struct alert_rule, kinds), ALERT_KINDS,
	"kinds of events with commas; see 'freshet help diff'"},
    {"tags", offsetof(struct alert_rule, tags), ALERT_TAGS,
	"tags of the watch list with commas"},
    {"sections", offsetof(struct alert_rule, sections), ALERT_SECTIONS,
	"sections with commas, such as /blog or products"},
    {"at-least", offsetof(struct alert_rule, at_least), ALERT_NUMBER,
	"a number of pages"},
    {"share", offsetof(struct alert_rule, share), ALERT_SHARE,
	"a percentage such as 30%"},
    {"exec", offsetof(struct alert_rule, program), ALERT_PATH,
	"the path of a program, from the root"},
    {"webhook-file", offsetof(struct alert_rule, webhook_file), ALERT_PATH,
	"the path of a file, from the root"},
    {"atom", offsetof(struct alert_rule, atom), ALERT_PATH,
	"the path of a file, from the root"},
};

/* Take the words of a list.  Returns false if one has another form. */
static bool
alert_take_list(
    struct alert_rule *rule, enum alert_value value, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct slice word = slice_trim(slice_make(list, len));
		int kind = choice_find(EVENT_NAMES, word);
		char *text;
		bool is_good;

		/* '/blog/' and '/blog' are the same section */
		if (value == ALERT_SECTIONS && word.len > 1 &&
		    word.p[word.len - 1] == '/')
			word.len--;
		text = slice_dup(word);
		/* A tag or section that no site has is no mistake here: sites
		 * get their tags later, and their sections when all of the
		 * configuration was read.  alert_complain_tags() and
		 * options_check_alerts() look. */
		is_good = value == ALERT_KINDS
		    ? kind >= 0
		    : value_has_shape(text,
			  value == ALERT_TAGS ? SHAPE_TAG : SHAPE_SECTION);
		/* bits, so that an event is matched without a look at names */
		if (is_good && value == ALERT_KINDS)
			rule->kinds |= UINT32_C(1) << kind;
		else if (is_good)
			strings_add(
			    value == ALERT_TAGS ? &rule->tags : &rule->sections,
			    word);
		free(text);
		if (!is_good || list[len] == '\0')
			return is_good;
		list += len + 1;
	}
}

/* Write the member of the rule that the key sets.  Returns false if the value
 * has another form. */
static bool
alert_take(
    struct alert_rule *rule, const struct alert_key *key, const char *value)
{
	void *to = (char *)rule + key->member;
	size_t len = strlen(value);

	switch (key->value) {
	case ALERT_KINDS:
	case ALERT_TAGS:
	case ALERT_SECTIONS:
		return alert_take_list(rule, key->value, value);
	case ALERT_NUMBER:
		return value_number(value, UINT32_MAX, to);
	case ALERT_SHARE:
		/* The sign of percent must stand there: '30' alone could be a
		 * number of pages, which is another key. */
		return len > 1 && value[len - 1] == '%' &&
		    slice_number(slice_make(value, len - 1), to) &&
		    rule->share <= 100;
	case ALERT_PATH:
		/* from the root: a daemon has no folder of its own */
		break;
	}
	if (value[0] == '/')
		*(char **)to = mem_copy(value);
	return value[0] == '/';
}

#define ALERT_KEYS (sizeof(alert_keys) / sizeof(alert_keys[0]))

/* Take KEY = VALUE of the section [alert NAME]; `where` is "FILE:LINE: ".
 * Returns false after one line on stderr. */
static bool
alert_rules_add(struct alert_rules *rules, const char *name, const char *key,
    const char *value, const char *where)
{
	struct suggestion suggestion;
	struct alert_rule *rule = NULL;
	size_t len = strlen(name);
	bool is_name = len > 0 && len <= NAME_MAX_BYTES;

	for (size_t i = 0; i < len; i++)
		is_name = is_name &&
		    (ascii_is_letter(name[i]) || ascii_is_digit(name[i]) ||
			name[i] == '-' || name[i] == '_');
	if (!is_name)
		return refuse("%sthe name of an alert has 1 to %d "
			      "letters, digits, '-' and '_'",
		    where, NAME_MAX_BYTES);
	/* a section may stand in pieces: its rule may be there already */
	for (size_t i = 0; rule == NULL && i < rules->count; i++)
		if (strcmp(rules->items[i].name, name) == 0)
			rule = &rules->items[i];
	if (rule == NULL) {
		rule = MEM_PUSH(rules->items, rules->count, rules->cap);
		*rule = (struct alert_rule){.name = mem_copy(name)};
	}
	/* a key that is misspelt gets the nearest one */
	suggestion_init(&suggestion, slice_of(key));
	for (size_t i = 0; i < ALERT_KEYS; i++) {
		suggestion_try(&suggestion, alert_keys[i].name);
		if (strcmp(key, alert_keys[i].name) != 0)
			continue;
		/* a second value would be lost */
		if ((rule->given & 1u << i) != 0)
			return refuse("%s'%s' stands in [alert %s] already",
			    where, key, name);
		rule->given |= 1u << i;
		if (alert_take(rule, &alert_keys[i], value))
			return true;
		return refuse("%s'%s' takes %s, not '%s'", where, key,
		    alert_keys[i].form, value);
	}
	complain_unknown(
	    where, "key", slice_of(key), &suggestion, "man freshet.conf");
	return false;
}

/* The file. */

struct config_entry {
	const char *host; /* normalised; NULL: [defaults] */
	const char *name; /* of the option */
	struct given given;
	unsigned line;
};

struct config_file {
	struct givens *line;
	uint64_t command;
	const char *path;
	struct config_entry *entries; /* owned */
	size_t count, cap;
	unsigned number; /* of the line at hand */
	/* of the section at hand: which of the three, and its name */
	bool has_section;
	const char *host, *alert;
};

/* The path of the file to read; NULL: there is none. *is_named: it was given by
 * --config. */
static const char *
options_config_find(const struct givens *line, bool *is_named)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	const char *found = NULL;
	struct given none = {0};
	const struct given *named = &none;
	struct buf path;
	struct stat facts;

	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].option->target ==
			offsetof(struct options, config.path) &&
		    line->items[i].source >= named->source)
			named = &line->items[i];
	*is_named = named->option != NULL;
	if (*is_named)
		return named->is_off || named->value[0] == '\0' ? NULL
								: named->value;
	buf_init(&path, PATH_MAX_BYTES);
	/* XDG Base Directory specification: a relative path counts as none */
	if (xdg != NULL && xdg[0] == '/')
		(void)buf_print(&path, "%s/freshet/freshet.conf", xdg);
	else if (home != NULL && home[0] == '/')
		(void)buf_print(&path, "%s/.config/freshet/freshet.conf", home);
	if (path.len > 0 && stat(buf_str(&path), &facts) == 0)
		found = options_keep(line->options, buf_text(&path));
	else if (stat(CONFIG_SYSTEM, &facts) == 0)
		found = CONFIG_SYSTEM;
	buf_release(&path);
	return found;
}

/* Print one line on stderr about the line at hand.  Returns false. */
static bool
config_refuse(const struct config_file *file, const char *what)
{
	return refuse("%s:%u: %s", file->path, file->number, what);
}

/* Take "[defaults]", "[site HOST]" or "[alert NAME]", without its brackets. */
static bool
config_section(struct config_file *file, struct slice section)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	size_t len = 0;
	struct slice name;
	struct buf text = BUF_UP_TO(URL_MAX_BYTES);
	struct url url = {0};
	bool is_good;

	while (len < section.len && section.p[len] != ' ' &&
	    section.p[len] != '\t')
		len++;
	name = slice_trim(slice_from(section, len));
	section.len = len;
	file->has_section = true;
	file->host = file->alert = NULL;
	/* the three kinds of sections; what is none of them may be misspelt */
	if (slice_is(section, "defaults") && name.len == 0)
		return true;
	if (slice_is(section, "alert") && name.len > 0) {
		file->alert = options_keep(file->line->options, name);
		return true;
	}
	if (slice_is(section, "alert"))
		return config_refuse(
		    file, "an alert needs a name: [alert NAME]");
	if (!slice_is(section, "site"))
		return config_refuse(file,
		    "a section is [defaults], [site HOST] or [alert NAME], "
		    "with nothing behind it");
	if (name.len == 0)
		return config_refuse(
		    file, "a site needs its host: [site HOST]");
	/* A site is a host, with or without a scheme and a port; what stands
	 * behind it would be a folder, and rules are of whole sites. */
	if (memmem(name.p, name.len, "://", 3) == NULL)
		(void)buf_put_slice(&text, slice_of("http://"));
	(void)buf_put_slice(&text, name);
	is_good = url_parse(&url, buf_text(&text), NULL, &profile,
		      (struct diag_sink){0}) == DIAG_OK &&
	    slice_is(url_target(&url), "/");
	if (is_good)
		file->host = options_keep(file->line->options, url_host(&url));
	else
		complain("%s:%u: '%.*s' is neither a host nor the URL of a "
			 "site",
		    file->path, file->number, (int)name.len, name.p);
	url_release(&url);
	buf_release(&text);
	return is_good;
}

/* Returns whether the key is an option that may stand in this section.  If not,
 * the function prints why. */
static bool
may_stand(const struct config_entry *entry, const char *key)
{
	const struct given *given = &entry->given;
	struct suggestion suggestion;
	enum option_place place;

	if (given->option == NULL) {
		suggestion_init(&suggestion, slice_of(key));
		suggestion_option(&suggestion, FOR_ALL);
		complain_unknown(given->where, "key", slice_of(key),
		    &suggestion, "freshet help config");
		return false;
	}
	place = option_place(given->option);
	/* an option of the command line in a file would be a surprise later */
	if (place >= ON_LINE)
		return refuse("%s'%s' stands in no configuration: it "
			      "is an option of the command line",
		    given->where, key);
	/* one process has one of it, whatever sites it reads */
	if (entry->host != NULL && place != IN_SITE)
		return refuse(
		    "%s'%s' concerns all sites: it stands in [defaults]",
		    given->where, key);
	return true;
}

/* Keep the texts with their place: an entry is judged when all entries are
 * known, and its message names file and line. */
static bool
config_add(struct config_file *file, struct slice key, struct slice value)
{
	struct options *options = file->line->options;
	struct config_entry entry = {.host = file->host, .line = file->number};
	struct given *given = &entry.given;
	struct buf where = BUF_UP_TO(PATH_MAX_BYTES * 2);

	(void)buf_print(&where, "%s:%u: ", file->path, file->number);
	given->where = options_keep(options, buf_text(&where));
	buf_release(&where);
	given->source = file->host == NULL ? FROM_DEFAULTS : FROM_SITE;
	given->shown = options_keep(options, key);
	given->value = options_keep(options, value);
	/* alerts have keys of their own, and no option has their values */
	if (file->alert != NULL)
		return alert_rules_add(&options->config.alerts, file->alert,
		    given->shown, given->value, given->where);
	/* A configuration of before may ask for what is always judged now. */
	if (slice_is(key, "extensions"))
		return true;
	given->option = option_find(key);
	if (!may_stand(&entry, given->shown))
		return false;
	/* of several rows the one that the command uses, which stands first if
	 * the command takes another one from the command line */
	if (((given->option->commands | given->option->configured) &
		file->command) == 0)
		given->option = option_of(given->option, file->command);
	entry.name = given->option->name;
	*MEM_PUSH(file->entries, file->count, file->cap) = entry;
	return true;
}

/* Take one line.  Returns false after one line on stderr. */
static bool
config_line(struct config_file *file, struct slice line)
{
	struct slice text = slice_trim(line);
	size_t key = 0;

	if (line.len > CONFIG_MAX_LINE)
		return config_refuse(
		    file, "the line is longer than 8192 bytes");
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
			return config_refuse(
			    file, "a control character: is it text?");
	if (text.len == 0 || text.p[0] == '#' || text.p[0] == ';')
		return true;
	if (text.p[0] == '[')
		/* a bracket that does not close is no section */
		return config_section(file,
		    text.len > 1 && text.p[text.len - 1] == ']'
			? slice_trim(slice_make(text.p + 1, text.len - 2))
			: text);
	/* Some write "KEY: VALUE", which may have a '=' in its value. */
	while (key < text.len && text.p[key] != '=' && text.p[key] != ':')
		key++;
	if (key == 0 || key == text.len || text.p[key] != '=')
		return config_refuse(
		    file, "this is neither KEY = VALUE nor a section");
	if (!file->has_section)
		return config_refuse(file,
		    "a key before the first section: begin with [defaults]");
	return config_add(file, slice_trim(slice_make(text.p, key)),
	    slice_trim(slice_from(text, key + 1)));
}

/* [defaults] come first, then the sites; two sections of one host are one.
 * Within a section the order of the file counts: values of a list are kept in
 * it. */
static const struct sort_key options_config_by_line[] = {
    {SORT_KEY(struct config_entry, host), false},
    {SORT_KEY(struct config_entry, line), false}, {0}};

/* Equal keys stand side by side. */
static const struct sort_key options_config_by_key[] = {
    {SORT_KEY(struct config_entry, host), false},
    {SORT_KEY(struct config_entry, name), false},
    {SORT_KEY(struct config_entry, line), false}, {0}};

/* Are both entries of [defaults], or of one host? */
static bool
options_config_is_together(
    const struct config_entry *a, const struct config_entry *b)
{
	return a->host == b->host ||
	    (a->host != NULL && b->host != NULL &&
		strcmp(a->host, b->host) == 0);
}

/* Whether the command takes the entry and no stronger source gives the
 * option. */
static bool
options_config_is_taken(
    const struct config_file *file, const struct config_entry *entry)
{
	const struct option *option = entry->given.option;

	return ((option->commands | option->configured) & file->command) != 0 &&
	    option_place(option) <= IN_SITE &&
	    !givens_has(file->line, &entry->given);
}

/* Make the options of one site from the entries of its section, and from those
 * of all others that may concern a site. */
static bool
options_config_add_site(
    const struct config_file *file, size_t first, size_t end)
{
	const struct givens *all = file->line;
	struct site_table *sites = &all->options->config.sites;
	struct givens line = {.options = mem_zero(sizeof(*line.options))};
	bool is_good;

	*MEM_PUSH(
	    sites->items, sites->count, sites->cap) = (struct site_options){
	    .host = mem_copy(file->entries[first].host),
	    .options = line.options};
	options_init(line.options);
	for (size_t i = first; i < end; i++)
		if (options_config_is_taken(file, &file->entries[i]))
			givens_add(&line, &file->entries[i].given);
	for (size_t i = 0; i < all->count; i++)
		if (option_place(all->items[i].option) == IN_SITE &&
		    !givens_has(&line, &all->items[i]))
			givens_add(&line, &all->items[i]);
	is_good = givens_apply(&line);
	free(line.items);
	return is_good;
}

/* Give the options what the file says: mistakes of all entries first, then the
 * defaults, then each site. */
static bool
add_entries(struct config_file *file)
{
	size_t i = 0;

	sort_rows(file->entries, file->count, sizeof(*file->entries),
	    options_config_by_key);
	/* a key that takes one value may not stand twice */
	for (i = 1; i < file->count; i++) {
		const struct config_entry *a = &file->entries[i - 1];
		const struct config_entry *b = &file->entries[i];

		if (!options_config_is_together(a, b) ||
		    a->given.option != b->given.option ||
		    option_repeats(b->given.option))
			continue;
		return refuse("%s'%s' stands in line %u already",
		    b->given.where, b->given.shown, a->line);
	}
	sort_rows(file->entries, file->count, sizeof(*file->entries),
	    options_config_by_line);
	/* Check the entries that the command does not take. The files that they
	 * name need not exist. */
	struct options scratch;
	struct givens line = {.options = &scratch};
	bool is_good;

	options_init(&scratch);
	for (size_t k = 0; k < file->count; k++)
		if (file->entries[k].given.option->type != OPTION_PATH &&
		    !options_config_is_taken(file, &file->entries[k]))
			givens_add(&line, &file->entries[k].given);
	is_good = givens_apply(&line);
	free(line.items);
	options_clear(&scratch);
	if (!is_good)
		return false;
	for (i = 0; i < file->count && file->entries[i].host == NULL; i++)
		if (options_config_is_taken(file, &file->entries[i]))
			givens_add(file->line, &file->entries[i].given);
	/* the sections of a host stand side by side, and are one */
	while (i < file->count) {
		size_t first = i;

		while (i < file->count &&
		    options_config_is_together(
			&file->entries[first], &file->entries[i]))
			i++;
		if (!options_config_add_site(file, first, i))
			return false;
	}
	return true;
}

bool
givens_config(struct givens *line, uint64_t command)
{
	/* byte order mark in UTF-8 */
	static const char mark[] = "\xef\xbb\xbf";
	const struct alert_rules *alerts = &line->options->config.alerts;
	struct config_file file = {.line = line, .command = command};
	struct slice left;
	struct buf text = BUF_UP_TO(CONFIG_MAX_BYTES);
	bool is_good;
	bool is_named;

	file.path = options_config_find(line, &is_named);
	if (file.path == NULL)
		return true;
	if (!is_named)
		line->options->config.path = file.path;
	is_good = textfile_read(file.path, &text);
	left = buf_text(&text);
	if (slice_starts(left, slice_of(mark)))
		left = slice_from(left, sizeof(mark) - 1);
	while (is_good && left.len > 0) {
		file.number++;
		is_good = config_line(&file, textfile_line(&left));
	}
	buf_release(&text);
	/* Has each alert somewhere to tell?  One way is enough. */
	for (size_t i = 0; is_good && i < alerts->count; i++) {
		const struct alert_rule *rule = &alerts->items[i];

		is_good = rule->program != NULL || rule->webhook_file != NULL ||
		    rule->atom != NULL ||
		    refuse("%s: [alert %s] tells nobody: it needs 'exec', "
			   "'webhook-file' or 'atom'",
			file.path, rule->name);
	}
	if (is_good && file.count > 0)
		is_good = add_entries(&file);
	free(file.entries);
	return is_good;
}
