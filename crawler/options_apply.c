/* Values of options: put where they belong, and what follows from them. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "crawler/nearest.h"
#include "crawler/options_internal.h"
#include "crawler/options_value.h"
#include "crawler/out.h"

static const char spaces[] = " \t\r\n";

static void *
field(struct options *options, const struct option_value *value)
{
	return (char *)options + value->option->target;
}

static bool
apply_flag(struct options *options, const struct option_value *value)
{
	bool is_on = !value->is_off;

	if (value->text != NULL) {
		int place = choice_find(
		    "0|no|false|off|1|yes|true|on", slice_of(value->text));

		if (place < 0) {
			complain("'%s' is 1 or 0, not '%s'", value->shown,
			    value->text);
			return false;
		}
		is_on = place >= 4;
	}
	*(bool *)field(options, value) = is_on;
	return true;
}

/* set_enum(options, value, n): all enums of struct options lie in an int. */
static void
set_enum(struct options *options, const struct option_value *value, int n)
{
	memcpy(field(options, value), &n, sizeof(n));
}

/* complain_choice(value, choices): one line on what the value may be. */
static void
complain_choice(const struct option_value *value, const char *choices)
{
	struct nearest nearest;

	nearest_init(&nearest, slice_of(value->text));
	for (const char *p = choices;; p++) {
		size_t len = strcspn(p, "|");

		nearest_try(&nearest, p, len);
		p += len;
		if (*p == '\0')
			break;
	}
	if (nearest.best == NULL)
		complain("'%s' is not '%s' but one of %s", value->shown,
		    value->text, choices);
	else
		complain("'%s' cannot be '%s'; did you mean '%.*s'?",
		    value->shown, value->text, (int)nearest.best_len,
		    nearest.best);
}

static bool
apply_choice(struct options *options, const struct option_value *value)
{
	const char *choices = value->option->choices;
	int place = choice_find(choices, slice_of(value->text));

	if (place < 0) {
		complain_choice(value, choices);
		return false;
	}
	set_enum(options, value, place);
	return true;
}

/* has_shape(value, text): else one line that names the form. */
static bool
has_shape(const struct option_value *value, const char *text)
{
	if (value->option->shape == NULL ? text[0] != '\0'
					 : value->option->shape(text))
		return true;
	/* what was typed may be a password */
	if (value->option->shape == shape_user)
		complain("'%s' takes %s", value->shown, value->option->form);
	else
		complain("'%s' takes %s, not '%s'", value->shown,
		    value->option->form != NULL ? value->option->form
						: value->option->argument,
		    text);
	return false;
}

static bool
apply_list(struct options *options, const struct option_value *value)
{
	struct words *words = field(options, value);
	const char *ends = value->option->type == OPTION_LINES ? "\r\n"
							       : spaces;
	const char *p = value->text;

	if (!value->is_env) {
		if (!has_shape(value, value->text))
			return false;
		words_add(words, value->text);
		return true;
	}
	for (p += strspn(p, ends); *p != '\0'; p += strspn(p, ends)) {
		size_t len = strcspn(p, ends);
		const char *word = options_keep(options, slice_make(p, len));

		if (!has_shape(value, word))
			return false;
		words_add(words, word);
		p += len;
	}
	return true;
}

static bool
apply_switch(struct options *options, const struct option_value *value)
{
	struct buf word;

	buf_init(&word, 1 << 20);
	(void)buf_print(&word, "%s=%s", value->key, value->text);
	words_add(&options->switches, options_keep(options, buf_text(&word)));
	buf_release(&word);
	return true;
}

static bool
apply_path(struct options *options, const struct option_value *value)
{
	char room[128];

	if (access(value->text, R_OK) != 0) {
		complain("'%s': cannot read '%s': %s", value->shown,
		    value->text, strerror_r(errno, room, sizeof(room)));
		return false;
	}
	*(const char **)field(options, value) = value->text;
	return true;
}

static bool
apply_time(struct options *options, const struct option_value *value)
{
	bool is_seconds = value->option->type == OPTION_SECONDS;
	int64_t max = value->option->max;
	int64_t ms;

	if (!value_duration(value->text, max, &ms)) {
		complain("'%s' takes a time such as 1.5, 300ms, 10m or 2h, "
			 "at most %lld s, not '%s'",
		    value->shown, (long long)(max / 1000), value->text);
		return false;
	}
	*(int64_t *)field(options, value) = is_seconds ? (ms + 999) / 1000 : ms;
	return true;
}

static bool
apply_number(struct options *options, const struct option_value *value)
{
	const struct option *option = value->option;
	uint64_t n;

	if (option->type == OPTION_SIZE) {
		if (value_size(value->text, field(options, value)))
			return true;
		complain("'%s' takes a size such as 65536, 64K or 1GiB, "
			 "not '%s'",
		    value->shown, value->text);
		return false;
	}
	if (option->type == OPTION_COUNT) {
		if (value_number(value->text, INT64_MAX, field(options, value)))
			return true;
		complain(
		    "'%s' takes a number, not '%s'", value->shown, value->text);
		return false;
	}
	if (!value_number(value->text, (uint64_t)option->max, &n)) {
		complain("'%s' takes a number from 0 to %lld, not '%s'",
		    value->shown, (long long)option->max, value->text);
		return false;
	}
	*(unsigned *)field(options, value) = (unsigned)n;
	return true;
}

static bool
apply_string(struct options *options, const struct option_value *value)
{
	if (!has_shape(value, value->text))
		return false;
	*(const char **)field(options, value) = value->text;
	return true;
}

static bool
apply_type(struct options *options, const struct option_value *value)
{
	switch (value->option->type) {
	case OPTION_FLAG:
		return apply_flag(options, value);
	case OPTION_PICK:
		set_enum(options, value, value->option->pick);
		return true;
	case OPTION_CHOICE:
		return apply_choice(options, value);
	case OPTION_STRING:
		return apply_string(options, value);
	case OPTION_PATH:
		return apply_path(options, value);
	case OPTION_LIST:
	case OPTION_LINES:
		return apply_list(options, value);
	case OPTION_MS:
	case OPTION_SECONDS:
		return apply_time(options, value);
	case OPTION_SIZE:
	case OPTION_NUMBER:
	case OPTION_COUNT:
		return apply_number(options, value);
	case OPTION_SWITCH:
		return apply_switch(options, value);
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
	return true;
}

void
options_standard(struct options *options, const struct option *option)
{
	struct option_value value = {
	    .option = option, .shown = option->name, .text = option->standard};
	bool is_good = apply_type(options, &value);

	assert(is_good);
}

/* complain_switch(word): what is wrong with "SWITCH=VALUE". */
static void
complain_switch(const char *word)
{
	struct option_value value = {.text = strchr(word, '=')};
	size_t len = strcspn(word, "=");
	struct nearest nearest;
	const char *key;
	const char *values = "";

	if (value.text == NULL) {
		complain("'--set' takes SWITCH=VALUE, not '%s'", word);
		return;
	}
	value.text++;
	(void)option_find(slice_make(word, len), &value.key);
	nearest_init(&nearest, slice_make(word, len));
	for (size_t i = 0; profile_switch(i, &key, &values); i++) {
		nearest_try(&nearest, key, strlen(key));
		if (value.key != NULL && strcmp(value.key, key) == 0)
			break;
	}
	value.shown = value.key;
	if (value.key == NULL && nearest.best != NULL)
		complain("unknown switch '%.*s'; did you mean '%s'?", (int)len,
		    word, nearest.best);
	else if (value.key == NULL)
		complain("unknown switch '%.*s'; see 'freshet help crawl'",
		    (int)len, word);
	else if (strcmp(values, "NUMBER") == 0)
		complain(
		    "'%s' takes a number, not '%s'", value.key, value.text);
	else
		complain_choice(&value, values);
}

bool
options_finish_profile(struct options *options)
{
	options->profile = profile_default(
	    (enum profile_name)options->profile.name);
	for (size_t i = 0; i < options->switches.count; i++) {
		const char *word = options->switches.items[i];
		size_t len = strcspn(word, "=");
		struct slice value = slice_of(
		    word[len] == '=' ? word + len + 1 : "");

		if (!profile_set(
			&options->profile, slice_make(word, len), value)) {
			complain_switch(word);
			return false;
		}
	}
	/* each has the right shape already */
	for (size_t i = 0; i < options->owned.count; i++)
		(void)location_own_parse(
		    &options->own, slice_of(options->owned.items[i]));
	return true;
}
