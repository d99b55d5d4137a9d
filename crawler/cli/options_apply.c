/* From the text of an option to its value, and what follows from several
 * options. */
#include "crawler/cli/options_apply.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

#define REFUSAL_MAX 2048

static const char spaces[] = " \t\r\n";

static void *
options_apply_field(struct options *options, const struct option_value *value)
{
	return (char *)options + value->option->target;
}

/* Print one line on stderr, with file and line in front if the value has them.
 * Returns false. */
static bool options_apply_refuse(const struct option_value *,
    const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool
options_apply_refuse(const struct option_value *value, const char *format, ...)
{
	char text[REFUSAL_MAX];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	complain("%s%s", value->where == NULL ? "" : value->where, text);
	return false;
}

/* Every enum of struct options has the size of an int. */
static void
set_enum(struct options *options, const struct option_value *value, int n)
{
	memcpy(options_apply_field(options, value), &n, sizeof(n));
}

/* Print which values the option takes, or suggest the nearest one. */
static bool
refuse_choice(const struct option_value *value, const char *choices)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, slice_of(value->text));
	for (const char *p = choices;; p++) {
		size_t len = strcspn(p, "|");

		suggestion_try(&suggestion, p, len);
		p += len;
		if (*p == '\0')
			break;
	}
	if (suggestion.best == NULL)
		return options_apply_refuse(value,
		    "'%s' is not '%s' but one of %s", value->shown, value->text,
		    choices);
	return options_apply_refuse(value,
	    "'%s' cannot be '%s'; did you mean '%.*s'?", value->shown,
	    value->text, (int)suggestion.best_len, suggestion.best);
}

/* Returns whether the text has the form that the option demands.  If not, the
 * function prints that form. */
static bool
has_shape(const struct option_value *value, const char *text)
{
	if (value->option->shape == NULL ? text[0] != '\0'
					 : value->option->shape(text))
		return true;
	/* the value may be a secret, a password or a header, and is not
	 * printed */
	if (value->option->shape == shape_user ||
	    (value->option->shape == shape_header && value->is_many))
		return options_apply_refuse(
		    value, "'%s' takes %s", value->shown, value->option->form);
	return options_apply_refuse(value, "'%s' takes %s, not '%s'",
	    value->shown,
	    value->option->form != NULL ? value->option->form
					: value->option->argument,
	    text);
}

/* Whether the word, up to a colon, is one of the option's choices. */
static bool
options_apply_is_chosen(const struct option_value *value, const char *word)
{
	const char *choices = value->option->choices;
	struct slice name = slice_make(word, strcspn(word, ":"));
	struct option_value named = *value;
	char text[64];

	if (choices == NULL || choice_find(choices, name) >= 0)
		return true;
	(void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.p);
	named.text = text;
	return refuse_choice(&named, choices);
}

static bool
apply_list(struct options *options, const struct option_value *value)
{
	struct string_list *words = options_apply_field(options, value);
	const char *ends = value->option->type == OPTION_LINES ? "\r\n"
							       : spaces;
	const char *p = value->text;

	if (!value->is_many) {
		if (!has_shape(value, value->text) ||
		    !options_apply_is_chosen(value, value->text))
			return false;
		string_list_add(words, value->text);
		return true;
	}
	for (p += strspn(p, ends); *p != '\0'; p += strspn(p, ends)) {
		size_t len = strcspn(p, ends);
		const char *word = options_keep(options, slice_make(p, len));

		if (!has_shape(value, word) ||
		    !options_apply_is_chosen(value, word))
			return false;
		string_list_add(words, word);
		p += len;
	}
	return true;
}

/* The values of a switch: "a|b" or "NUMBER". */
static const char *
switch_values(const char *key)
{
	const char *name;
	const char *values = "";

	for (size_t i = 0; profile_switch(i, &name, &values); i++)
		if (strcmp(name, key) == 0)
			break;
	return values;
}

static bool
apply_switch(struct options *options, const struct option_value *value)
{
	struct profile scratch = profile_default(PROFILE_GOOGLE);
	struct option_value named = *value;
	const char *values;
	struct buf word;

	if (!profile_set(
		&scratch, slice_of(value->key), slice_of(value->text))) {
		named.shown = value->key;
		values = switch_values(value->key);
		if (strcmp(values, "NUMBER") == 0)
			return options_apply_refuse(&named,
			    "'%s' takes a number, not '%s'", named.shown,
			    named.text);
		return refuse_choice(&named, values);
	}
	buf_init(&word, 1 << 20);
	(void)buf_print(&word, "%s=%s", value->key, value->text);
	string_list_add(
	    &options->rules.switches, options_keep(options, buf_text(&word)));
	buf_release(&word);
	return true;
}

static bool
refuse_zero(const struct option_value *value)
{
	return options_apply_refuse(
	    value, "'%s' must be more than 0", value->shown);
}

static bool
apply_number(struct options *options, const struct option_value *value)
{
	const struct option *option = value->option;
	uint64_t n;

	if (option->type == OPTION_SIZE && !value_size(value->text, &n))
		return options_apply_refuse(value,
		    "'%s' takes a size such as 65536, 64K or 1GiB, not '%s'",
		    value->shown, value->text);
	if (option->type == OPTION_COUNT &&
	    !value_number(value->text, INT64_MAX, &n))
		return options_apply_refuse(value,
		    "'%s' takes a number, not '%s'", value->shown, value->text);
	if (option->type == OPTION_NUMBER &&
	    !value_number(value->text, (uint64_t)option->max, &n))
		return options_apply_refuse(value,
		    "'%s' takes a number from 0 to %lld, not '%s'",
		    value->shown, (long long)option->max, value->text);
	if (n == 0 && option->is_positive)
		return refuse_zero(value);
	if (option->type == OPTION_NUMBER)
		*(unsigned *)options_apply_field(options, value) = (unsigned)n;
	else
		*(uint64_t *)options_apply_field(options, value) = n;
	return true;
}

static bool
apply_type(struct options *options, const struct option_value *value)
{
	switch (value->option->type) {
	case OPTION_FLAG: {
		bool is_on = !value->is_off;

		if (value->text != NULL) {
			int place = choice_find("0|no|false|off|1|yes|true|on",
			    slice_of(value->text));

			if (place < 0)
				return options_apply_refuse(value,
				    "'%s' is 1 or 0, not '%s'", value->shown,
				    value->text);
			is_on = place >= 4;
		}
		*(bool *)options_apply_field(options, value) = is_on;
		return true;
	}
	case OPTION_PICK:
		set_enum(options, value, value->option->pick);
		return true;
	case OPTION_CHOICE: {
		const char *choices = value->option->choices;
		int place = choice_find(choices, slice_of(value->text));

		if (place < 0)
			return refuse_choice(value, choices);
		set_enum(options, value, place);
		return true;
	}
	case OPTION_STRING: {
		bool is_none = value->option->has_off &&
		    (value->is_off || value->text[0] == '\0');

		if (!is_none && !has_shape(value, value->text))
			return false;
		*(const char **)options_apply_field(
		    options, value) = is_none ? NULL : value->text;
		return true;
	}
	case OPTION_PATH: {
		char room[128];

		if (access(value->text, R_OK) != 0) {
			return options_apply_refuse(value,
			    "'%s': cannot read '%s': %s", value->shown,
			    value->text, strerror_r(errno, room, sizeof(room)));
		}
		*(const char **)options_apply_field(
		    options, value) = value->text;
		return true;
	}
	case OPTION_LIST:
	case OPTION_LINES:
		return apply_list(options, value);
	case OPTION_MS:
	case OPTION_SECONDS: {
		bool is_seconds = value->option->type == OPTION_SECONDS;
		int64_t max = value->option->max;
		int64_t ms;

		if (!value_duration(value->text, max, &ms)) {
			return options_apply_refuse(value,
			    "'%s' takes a time such as 1.5, 300ms, 10m, 2h, 7d "
			    "or 1w, at most %lldd, not '%s'",
			    value->shown, (long long)(max / DAY_MS),
			    value->text);
		}
		if (ms == 0 && value->option->is_positive)
			return refuse_zero(value);
		*(int64_t *)options_apply_field(
		    options, value) = is_seconds ? (ms + 999) / 1000 : ms;
		return true;
	}
	case OPTION_SIZE:
	case OPTION_NUMBER:
	case OPTION_COUNT:
		return apply_number(options, value);
	case OPTION_SWITCH:
		return apply_switch(options, value);
	case OPTION_SET: /* givens_switches() has replaced each --set */
		return false;
	}
	return false;
}

bool
options_apply(struct options *options, const struct option_value *value)
{
	if (!apply_type(options, value))
		return false;
	if (value->option->has != 0)
		*(bool *)((char *)options + value->option->has) = true;
	if (value->option->typed != 0 && value->is_typed)
		*(bool *)((char *)options + value->option->typed) = true;
	return true;
}

void
options_init(struct options *options)
{
	const struct option *option;

	*options = (struct options){0};
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if (option->standard != NULL) {
			struct option_value value = {.option = option,
			    .shown = option->name,
			    .text = option->standard};
			bool is_good = apply_type(options, &value);

			assert(is_good);
		}
	options->rules.profile = profile_default(
	    (enum profile_name)options->rules.profile.name);
}

struct profile
options_profile(const struct options *options, enum profile_name name)
{
	/* Who watches a site wants to know its pages, whatever its owner did
	 * wrong; who checks one wants to know what search engines make of it
	 * (SPEC R-17). */
	struct profile profile = (options->command != NULL &&
				     (strcmp(options->command, "check") == 0 ||
					 strcmp(options->command, "compare") ==
					     0))
	    ? profile_default(name)
	    : profile_watching(name);

	/* options_apply() has checked each switch */
	for (size_t i = 0; i < options->rules.switches.count; i++) {
		const char *word = options->rules.switches.items[i];
		size_t len = strcspn(word, "=");

		(void)profile_set(
		    &profile, slice_make(word, len), slice_of(word + len + 1));
	}
	return profile;
}

/* What follows from several options: headers, credentials, the store. */

#define FILE_MAX_BYTES \
	(64 << 10) /* size of the files of --user-file and -H @FILE */
#define PATH_MAX_BYTES 4096

/* Add the headers of a file, one a line. */
static bool
add_header_file(
    struct options *options, struct string_list *headers, const char *path)
{
	struct buf file;
	struct slice text;
	bool is_good = false;

	buf_init(&file, FILE_MAX_BYTES);
	if (!textfile_read(path, &file))
		goto fail;
	for (text = buf_text(&file); text.len > 0;) {
		struct slice line = textfile_line(&text);
		const char *word;

		if (slice_trim(line).len == 0 || line.p[0] == '#')
			continue;
		word = options_keep(options, line);
		if (strlen(word) != line.len || word[0] == '@' ||
		    !shape_header(word)) {
			/* the line may be a secret and is not printed */
			complain(
			    "'%s' has a line that is no 'Name: value'", path);
			goto fail;
		}
		string_list_add(headers, word);
	}
	is_good = true;

fail:
	buf_release(&file);
	return is_good;
}

static bool
finish_user_file(struct options *options)
{
	struct buf file;
	struct slice text;
	struct slice line;
	bool is_good;

	buf_init(&file, FILE_MAX_BYTES);
	is_good = textfile_read(options->login.user_file, &file);
	if (is_good) {
		text = buf_text(&file);
		line = text.len == 0 ? text : textfile_line(&text);
		is_good = line.len > 0 &&
		    memchr(line.p, '\0', line.len) == NULL &&
		    (options->login.user != NULL ||
			memchr(line.p, ':', line.len) != NULL);
		if (!is_good)
			complain("'%s' must hold %s on its first line",
			    options->login.user_file,
			    options->login.user != NULL ? "the password"
							: "USER:PASSWORD");
		else if (options->login.user != NULL) {
			/* Keep "user:password" as the credentials. */
			struct slice user = slice_of(options->login.user);
			struct buf both;

			buf_init(&both, FILE_MAX_BYTES * 2);
			(void)buf_put_slice(&both, user);
			(void)buf_put_char(&both, ':');
			(void)buf_put_slice(&both, line);
			options->login.credentials = options_keep(
			    options, buf_text(&both));
			buf_release(&both);
		} else
			options->login.credentials = options_keep(
			    options, line);
	}
	buf_release(&file);
	return is_good;
}

static bool
finish_store(struct options *options)
{
	static const char scheme[] = "sqlite://";
	const char *given = options->store.given;
	const char *path = given;

	if (given == NULL) {
		/* The default store lies in the data folder of the XDG Base
		 * Directory specification, by which a relative path counts as
		 * none. */
		const char *data = getenv("XDG_DATA_HOME");
		const char *home = getenv("HOME");
		struct buf store;
		bool is_good = true;

		buf_init(&store, PATH_MAX_BYTES);
		if (data != NULL && data[0] == '/')
			is_good = buf_print(&store, "%s", data);
		else if (home != NULL && home[0] == '/')
			is_good = buf_print(&store, "%s/.local/share", home);
		else
			is_good = false;
		is_good = is_good && buf_print(&store, "/freshet/freshet.db");
		if (is_good)
			options->store.path = buf_take(&store);
		else
			complain("there is no home folder for the store: name "
				 "it with --store");
		options->store.is_default = true;
		buf_release(&store);
		return is_good;
	}
	if (strncmp(given, scheme, sizeof(scheme) - 1) == 0)
		path += sizeof(scheme) - 1;
	if (path == given ? strstr(given, "://") != NULL
			  : path[0] != '/' || path[1] == '\0') {
		complain("'--store' takes a path or sqlite:///path, not '%s'",
		    given);
		return false;
	}
	options->store.path = mem_copy(path);
	return true;
}

/* Each page is compared with all patterns, and a robots.txt, which they become,
 * must not be larger than ROBOTS_MAX_BYTES. */
#define PATTERNS_MAX_BYTES 65536

static bool
finish_sections(struct options *options)
{
	struct options_sections *sections = &options->sections;
	size_t bytes = 0;

	for (size_t i = 0; i < sections->ignored.count; i++)
		bytes += strlen(sections->ignored.items[i]) + 1;
	if (bytes > PATTERNS_MAX_BYTES) {
		complain("'section-ignore' has patterns of more than %d bytes",
		    PATTERNS_MAX_BYTES);
		return false;
	}
	if (sections->depth > 1 || sections->paths.count > 0 ||
	    sections->ignored.count > 0)
		sections->rules = section_rules_new(sections->depth,
		    sections->paths.items, sections->paths.count,
		    sections->ignored.items, sections->ignored.count);
	return true;
}

bool
options_finish_site(struct options *options)
{
	struct options_moves *moves = &options->moves;

	options->rules.profile = options_profile(
	    options, (enum profile_name)options->rules.profile.name);
	for (size_t i = 0; i < options->rules.assertions.count; i++)
		(void)location_own_parse(&options->rules.own,
		    slice_of(options->rules.assertions.items[i]));
	if (!finish_sections(options))
		return false;
	if (moves->given.count > RENAMINGS_MOST) {
		complain("'moved' stands more than %d times", RENAMINGS_MOST);
		return false;
	}
	moves->renamings = renamings_new(
	    moves->given.items, moves->given.count);
	struct string_list given = options->login.headers;
	bool is_good = true;

	options->login.headers = (struct string_list){0};
	for (size_t i = 0; is_good && i < given.count; i++)
		if (given.items[i][0] == '@')
			is_good = add_header_file(options,
			    &options->login.headers, given.items[i] + 1);
		else
			string_list_add(
			    &options->login.headers, given.items[i]);
	free(given.items);
	if (!is_good)
		return false;
	if (options->login.user_file != NULL)
		return finish_user_file(options);
	if (options->login.user != NULL)
		complain("'--user' needs a password: name a --user-file");
	return options->login.user == NULL;
}

bool
options_finish(struct options *options)
{
	return options_finish_site(options) &&
	    (!options->store.is_needed || finish_store(options));
}
