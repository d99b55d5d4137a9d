/* Options as they were given, from the text of one to its value, and what
 * follows from several options. */
#include "crawler/cli/options_apply.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/hash.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "store/depot/depot.h"

#define REFUSAL_MAX 2048

static const char spaces[] = " \t\r\n";

/* Print one line on stderr, with file and line in front if the value has them.
 * Returns false. */
static bool options_apply_refuse(const struct given *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool
options_apply_refuse(const struct given *given, const char *format, ...)
{
	char text[REFUSAL_MAX];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return refuse("%s%s", given->where == NULL ? "" : given->where, text);
}

/* Print which values the option takes, or suggest the nearest one. */
static bool
refuse_choice(const struct given *given, const char *choices)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, slice_of(given->value));
	suggestion_try(&suggestion, choices);
	if (suggestion.best == NULL)
		return options_apply_refuse(given,
		    "'%s' is not '%s' but one of %s", given->shown,
		    given->value, choices);
	return options_apply_refuse(given,
	    "'%s' cannot be '%s'; did you mean '%.*s'?", given->shown,
	    given->value, (int)suggestion.best_len, suggestion.best);
}

/* Returns whether the text has the form that the option demands.  If not, the
 * function prints that form. */
static bool
has_shape(const struct given *given, const char *text)
{
	if (value_has_shape(text, given->option->shape))
		return true;
	/* the value may be a secret, and is not printed */
	if (given->option->shape == SHAPE_HEADER && given->source != FROM_LINE)
		return options_apply_refuse(
		    given, "'%s' takes %s", given->shown, given->option->form);
	return options_apply_refuse(given, "'%s' takes %s, not '%s'",
	    given->shown,
	    given->option->form != NULL ? given->option->form
					: given->option->argument,
	    text);
}

/* Add KEY=VALUE to the list. */
static void
options_add_rule(struct strings *rules, const char *key, const char *value)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&text, "%s=%s", key, value);
	strings_add(rules, buf_text(&text));
	buf_release(&text);
}

/* Typed options are one value each, because a shell has parted them already; a
 * line of the configuration holds several, with white space between them. */
static bool
apply_list(struct options *options, const struct given *given, void *field)
{
	const char *ends = given->option->type == OPTION_LINES ? "\r\n"
							       : spaces;
	const char *choices = given->option->choices;
	const char *p = given->value;

	if (given->source != FROM_LINE)
		p += strspn(p, ends);
	/* a bad value ends the reading, and nothing of the file counts */
	while (given->source == FROM_LINE || *p != '\0') {
		size_t len = strcspn(p, ends);
		const char *word = given->source == FROM_LINE
		    ? given->value
		    : options_keep(options, slice_make(p, len));
		struct slice name = slice_make(word, strcspn(word, ":"));

		if (!has_shape(given, word))
			return false;
		/* the word, up to a colon, is one of the option's choices */
		if (choices != NULL && choice_find(choices, name) < 0) {
			struct given named = *given;
			char text[64];

			(void)snprintf(
			    text, sizeof(text), "%.*s", (int)name.len, name.p);
			named.value = text;
			return refuse_choice(&named, choices);
		}
		if (given->option->type == OPTION_RULE ||
		    given->option->type == OPTION_SETTING)
			options_add_rule(field, given->option->name, word);
		else
			strings_add(field, slice_of(word));
		if (given->source == FROM_LINE)
			return true;
		p += len;
		p += strspn(p, ends);
	}
	return true;
}

/* A switch is tried on a profile that is thrown away: the real one is made when
 * all sources are known, and its name may still change. */
static bool
apply_switch(const struct given *given, struct strings *switches)
{
	struct profile scratch = profile_default(PROFILE_GOOGLE);
	struct given named = *given;

	named.shown = given->option->name;
	if (profile_set(
		&scratch, slice_of(named.shown), slice_of(given->value))) {
		options_add_rule(switches, named.shown, given->value);
		return true;
	}
	if (given->option->choices != NULL)
		return refuse_choice(&named, given->option->choices);
	return options_apply_refuse(
	    &named, "'%s' takes a number, not '%s'", named.shown, named.value);
}

/* Times, sizes, counts and small numbers differ in their units and largest
 * values, and are the same otherwise. */
static bool
apply_number(const struct given *given, void *field)
{
	const struct option *option = given->option;
	bool is_time = option->type == OPTION_MS ||
	    option->type == OPTION_SECONDS;
	int64_t ms = 0;
	uint64_t n;

	if (is_time && !value_duration(given->value, option->max, &ms))
		return options_apply_refuse(given,
		    "'%s' takes a time such as 1.5, 300ms, 10m, 2h, 7d or 1w, "
		    "at most %lldd, not '%s'",
		    given->shown, (long long)(option->max / DAY_MS),
		    given->value);
	if (is_time)
		n = (uint64_t)ms;
	if (option->type == OPTION_SECONDS)
		n = (n + 999) / 1000;
	if (option->type == OPTION_SIZE && !value_size(given->value, &n))
		return options_apply_refuse(given,
		    "'%s' takes a size such as 65536, 64K or 1GiB, not '%s'",
		    given->shown, given->value);
	if (option->type == OPTION_COUNT &&
	    !value_number(given->value, INT64_MAX, &n))
		return options_apply_refuse(given,
		    "'%s' takes a number, not '%s'", given->shown,
		    given->value);
	if (option->type == OPTION_NUMBER &&
	    !value_number(given->value, (uint64_t)option->max, &n))
		return options_apply_refuse(given,
		    "'%s' takes a number from 0 to %lld, not '%s'",
		    given->shown, (long long)option->max, given->value);
	/* the type says how the number was read, and where it goes */
	if (n == 0 && option->is_positive)
		return options_apply_refuse(
		    given, "'%s' must be more than 0", given->shown);
	if (option->type == OPTION_NUMBER)
		*(unsigned *)field = (unsigned)n;
	else
		*(uint64_t *)field = n;
	return true;
}

/* Write the value. Nothing is written if it has another form, so that the
 * defaults stay as they are. */
static bool
apply_type(struct options *options, const struct given *given)
{
	void *field = (char *)options + given->option->target;

	switch (given->option->type) {
	case OPTION_FLAG: {
		bool is_on = !given->is_off;

		if (given->value != NULL) {
			int place = choice_find("0|no|false|off|1|yes|true|on",
			    slice_of(given->value));

			if (place < 0)
				return options_apply_refuse(given,
				    "'%s' is 1 or 0, not '%s'", given->shown,
				    given->value);
			is_on = place >= 4;
		}
		*(bool *)field = is_on;
		return true;
	}
	/* every enum of struct options has the size of an int */
	case OPTION_PICK:
		*(int *)field = given->option->pick;
		return true;
	case OPTION_CHOICE: {
		const char *choices = given->option->choices;
		int place = choice_find(choices, slice_of(given->value));

		if (place < 0)
			return refuse_choice(given, choices);
		*(int *)field = place;
		return true;
	}
	case OPTION_STRING: {
		bool is_none = given->option->has_off &&
		    (given->is_off || given->value[0] == '\0');

		if (!is_none && !has_shape(given, given->value))
			return false;
		*(const char **)field = is_none ? NULL : given->value;
		return true;
	}
	case OPTION_PATH:
		if (access(given->value, R_OK) != 0)
			return options_apply_refuse(given,
			    "'%s': cannot read '%s': %s", given->shown,
			    given->value, strerrordesc_np(errno));
		*(const char **)field = given->value;
		return true;
	case OPTION_LIST:
	case OPTION_LINES:
	case OPTION_RULE:
	case OPTION_SETTING:
		return apply_list(options, given, field);
	case OPTION_MS:
	case OPTION_SECONDS:
	case OPTION_SIZE:
	case OPTION_NUMBER:
	case OPTION_COUNT:
		return apply_number(given, field);
	case OPTION_SWITCH:
		return apply_switch(given, field);
	}
	return false;
}

void
options_init(struct options *options)
{
	const struct option *option;

	*options = (struct options){0};
	for (option = option_rows; option->name != NULL; option++)
		if (option->standard != NULL) {
			struct given given = {.option = option,
			    .shown = option->name,
			    .value = option->standard};
			bool is_good = apply_type(options, &given);

			assert(is_good);
		}
	options->rules.profile = profile_default(
	    (enum profile_name)options->rules.profile.name);
}

struct profile
options_profile(const struct options *options, enum profile_name name)
{
	struct profile profile = profile_default(name);
	bool is_check = options->command != NULL &&
	    (strcmp(options->command, "check") == 0 ||
		strcmp(options->command, "compare") == 0);

	/* Who watches a site wants to know its pages, whatever its owner did
	 * wrong, so an index in an index is followed, except in strict; who
	 * checks one wants to know what search engines make of it (SPEC
	 * */
	if (!is_check && name != PROFILE_STRICT)
		profile.nested_index = NESTED_FOLLOW;
	/* givens_apply() has checked each switch */
	for (size_t i = 0; i < options->rules.switches.count; i++) {
		const char *word = options->rules.switches.items[i];
		size_t len = strcspn(word, "=");

		(void)profile_set(
		    &profile, slice_make(word, len), slice_of(word + len + 1));
	}
	return profile;
}

/* Options as they were given. */

void
suggestion_option(struct suggestion *suggestion, uint64_t commands)
{
	const struct option *option;

	for (option = option_rows; option->name != NULL; option++)
		if ((option->commands & commands) != 0)
			suggestion_try(suggestion, option->name);
}

void
givens_add(struct givens *line, const struct given *given)
{
	struct given *added = MEM_PUSH(line->items, line->count, line->cap);

	*added = *given;
	if (given->where == NULL)
		added->where = "";
}

bool
givens_has(const struct givens *line, const struct given *given)
{
	for (size_t i = 0; i < line->count; i++)
		if (line->items[i].option == given->option &&
		    line->items[i].source > given->source)
			return true;
	return false;
}

bool
givens_apply(const struct givens *line)
{
	char *options = (char *)line->options;

	for (int source = FROM_DEFAULTS; source <= FROM_LINE; source++)
		for (size_t i = 0; i < line->count; i++) {
			const struct given *given = &line->items[i];

			if ((int)given->source != source)
				continue;
			if (!apply_type(line->options, given))
				return false;
			/* A member may have a flag beside it: that the option
			 * was given at all, or that it was typed. */
			if (given->option->has != 0)
				*(bool *)(options + given->option->has) = true;
			if (given->option->typed != 0 && source == FROM_LINE)
				*(bool *)(options +
				    given->option->typed) = true;
		}
	return true;
}

/* What follows from several options: headers, credentials, the store. */

#define FILE_MAX_BYTES \
	(64 << 10) /* size of the files of --user-file and -H @FILE */
#define PATH_MAX_BYTES 4096

/* Add the headers of a file, one a line. */
static bool
add_header_file(struct strings *headers, const char *path)
{
	struct buf file = BUF_UP_TO(FILE_MAX_BYTES);
	struct slice text;
	bool is_good = false;

	if (!textfile_read(path, &file))
		goto fail;
	for (text = buf_text(&file); text.len > 0;) {
		struct slice line = textfile_line(&text);
		const char *word;

		if (slice_trim(line).len == 0 || line.p[0] == '#')
			continue;
		strings_add(headers, line);
		word = headers->items[headers->count - 1];
		if (strlen(word) != line.len || word[0] == '@' ||
		    !value_has_shape(word, SHAPE_HEADER)) {
			/* the line may be a secret and is not printed */
			complain(
			    "'%s' has a line that is no 'Name: value'", path);
			goto fail;
		}
	}
	is_good = true;

fail:
	buf_release(&file);
	return is_good;
}

/* A password stands in a file, never on the command line, where each user of
 * the machine could read it. */
static bool
finish_user_file(struct options *options)
{
	struct buf file = BUF_UP_TO(FILE_MAX_BYTES);
	struct slice text, line = {0};
	bool is_good = textfile_read(options->login.user_file, &file);

	/* what stands in later lines is for people */
	text = buf_text(&file);
	if (is_good && text.len > 0)
		line = textfile_line(&text);
	if (is_good &&
	    (line.len == 0 || memchr(line.p, '\0', line.len) != NULL ||
		memchr(line.p, ':', line.len) == NULL))
		is_good = refuse(
		    "'%s' must hold USER:PASSWORD on its first line",
		    options->login.user_file);
	if (is_good)
		options->login.credentials = options_keep(options, line);
	buf_release(&file);
	return is_good;
}

/* A file in a folder of the user, of the XDG Base Directory specification, by
 * which a relative path counts as none. */
static bool
options_place_store(struct options *options, const char *variable,
    const char *below_home, const char *name)
{
	const char *folder = getenv(variable);
	const char *home = getenv("HOME");
	struct buf store = BUF_UP_TO(PATH_MAX_BYTES);
	bool is_good = false;

	if (folder != NULL && folder[0] == '/')
		is_good = buf_print(&store, "%s/freshet/%s", folder, name);
	else if (home != NULL && home[0] == '/')
		is_good = buf_print(
		    &store, "%s/%s/freshet/%s", home, below_home, name);
	if (is_good)
		options->store.path = buf_take(&store);
	else
		complain("there is no home folder for the store: name it with "
			 "--store");
	options->store.is_default = true;
	buf_release(&store);
	return is_good;
}

/* A store in PostgreSQL: is the URL one, and can the command use it?  Each URL
 * has a cache of its own on this machine. */
static bool
options_finish_url(struct options *options)
{
	const char *given = options->store.given;
	char name[64];
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (!depot_check_url(given, &why)) {
		complain("'--store': %s", buf_str(&why));
		buf_release(&why);
		return false;
	}
	if (options->serve.beside != NULL)
		return refuse(
		    "'--listen' is of a store in a file: 'freshet serve' shows "
		    "one in PostgreSQL");
	if (options->run.hints != NULL || options->notify.endpoint != NULL)
		return refuse("'%s' is of a store in a file",
		    options->run.hints != NULL ? "--hints" : "notify");
	options->store.url = given;
	(void)snprintf(name, sizeof(name), "%016" PRIx64 ".db",
	    hash_key(slice_of(given), 0));
	if (!options_place_store(options, "XDG_CACHE_HOME", ".cache", name))
		return false;
	options->store.machine = mem_copy(options->store.path);
	if (options->store.has_shard)
		options_take_shard(options, options->store.shard);
	return true;
}

/* Find where the store lies; whether it can be opened there is the business of
 * who opens it. */
bool
options_finish_store(struct options *options)
{
	static const char scheme[] = "sqlite://";
	const char *given = options->store.given;
	const char *path = given;

	if (given != NULL &&
	    (strncmp(given, "postgresql://", 13) == 0 ||
		strncmp(given, "postgres://", 11) == 0))
		return options_finish_url(options);
	if (options->store.has_shard)
		return refuse("'--shard' is about a store in PostgreSQL");
	if (given == NULL)
		return options_place_store(
		    options, "XDG_DATA_HOME", ".local/share", "freshet.db");
	/* 'sqlite:///path' is as other programs write it; another scheme would
	 * be another kind of store */
	if (strncmp(given, scheme, sizeof(scheme) - 1) == 0)
		path += sizeof(scheme) - 1;
	if (path == given ? strstr(given, "://") != NULL
			  : path[0] != '/' || path[1] == '\0')
		return refuse("'--store' takes a path, sqlite:///path or "
			      "postgresql://host/database, not '%s'",
		    given);
	options->store.path = mem_copy(path);
	return true;
}

static size_t
rules_bytes(const struct strings *rules)
{
	size_t bytes = 0;

	for (size_t i = 0; i < rules->count; i++)
		bytes += strlen(rules->items[i]) + 1;
	return bytes;
}

/* Make the filters of the options, and the one of pages that count in numbers,
 * which section-ignore narrows further. */
static bool
filters_finish(struct options *options, struct page_filter **counted)
{
	struct options_filters *filters = &options->filters;
	const struct strings *ignored = &options->sections.ignored;
	struct page_filter_texts none = {0};
	struct page_filter_texts given = {
	    (const char *const *)filters->given.items, filters->given.count};
	struct strings all = {0};

	filters->pages = page_filter_new(none, given, false);
	filters->sitemaps = page_filter_new(none, given, true);
	for (size_t i = 0; i < given.count; i++)
		strings_add(&all, slice_of(given.items[i]));
	for (size_t i = 0; i < ignored->count; i++)
		options_add_rule(&all, "exclude", ignored->items[i]);
	*counted = page_filter_new(none,
	    (struct page_filter_texts){
		(const char *const *)all.items, all.count},
	    false);
	/* all patterns together become one robots.txt */
	bool fits = rules_bytes(&all) <= FILTER_MAX_BYTES &&
	    rules_bytes(&filters->call) <= FILTER_MAX_BYTES;

	strings_release(&all);
	if (fits)
		return true;
	page_filter_free(*counted);
	return refuse("'%s' has patterns of more than %d bytes",
	    ignored->count > 0 ? "section-ignore" : "exclude",
	    FILTER_MAX_BYTES);
}

bool
options_finish_fetch(const struct options *options)
{
	const struct options_fetch *fetch = &options->fetch;

	if (fetch->archives_documents && fetch->warc == NULL)
		return refuse("'--warc-sitemaps' needs '--warc FOLDER'");
	if (fetch->is_warc_typed && !fetch->archives_documents &&
	    strcmp(options->command, "crawl") == 0)
		return refuse(
		    "'crawl --warc' needs '--warc-sitemaps': it fetches "
		    "nothing else");
	return true;
}

bool
options_finish_site(struct options *options)
{
	struct options_sections *sections = &options->sections;
	struct options_moves *moves = &options->moves;
	struct page_filter *counted;

	options->rules.profile = options_profile(
	    options, (enum profile_name)options->rules.profile.name);
	/* their forms were judged when they were read */
	for (size_t i = 0; i < options->rules.assertions.count; i++)
		(void)location_own_parse(&options->rules.own,
		    slice_of(options->rules.assertions.items[i]));
	if (!filters_finish(options, &counted))
		return false;
	if (sections->depth > 1 || sections->paths.count > 0 || counted != NULL)
		sections->rules = section_rules_new(sections->depth,
		    (const char *const *)sections->paths.items,
		    sections->paths.count, counted);
	if (moves->given.count > RENAMINGS_MOST)
		return refuse(
		    "'moved' stands more than %d times", RENAMINGS_MOST);
	moves->renamings = renamings_new(
	    (const char *const *)moves->given.items, moves->given.count);
	/* a header '@FILE' stands for the lines of that file */
	struct strings given = options->login.headers;
	bool is_good = true;

	options->login.headers = (struct strings){0};
	for (size_t i = 0; is_good && i < given.count; i++)
		if (given.items[i][0] == '@')
			is_good = add_header_file(
			    &options->login.headers, given.items[i] + 1);
		else
			strings_add(
			    &options->login.headers, slice_of(given.items[i]));
	strings_release(&given);
	if (!is_good)
		return false;
	return options->login.user_file == NULL || finish_user_file(options);
}
