/* The options that a crawl depends on, as texts that two processes compare. */
#include "crawler/cli/options_same.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/cli/options_table.h"

/* Append the value as a text that is equal if and only if the value is. */
static void
options_same_put_value(
    struct buf *out, const struct options *options, const struct option *option)
{
	const void *member = (const char *)options + option->target;

	switch (option->type) {
	case OPTION_FLAG:
		(void)buf_print(out, "%d", *(const bool *)member);
		break;
	case OPTION_PICK:
	case OPTION_CHOICE:
	case OPTION_NUMBER:
		(void)buf_print(out, "%u", *(const unsigned *)member);
		break;
	case OPTION_MS:
	case OPTION_SECONDS:
	case OPTION_SIZE:
	case OPTION_COUNT:
		(void)buf_print(out, "%" PRIu64, *(const uint64_t *)member);
		break;
	case OPTION_STRING:
	case OPTION_PATH: {
		/* Two relative paths of different folders must not look the
		 * same. */
		const char *text = *(const char *const *)member;
		char *real = text == NULL || option->type == OPTION_STRING
		    ? NULL
		    : realpath(text, NULL);

		(void)buf_put_slice(out, slice_of(real == NULL ? text : real));
		free(real);
	} break;
	case OPTION_LIST:
	case OPTION_LINES:
	case OPTION_RULE:
	case OPTION_SETTING:
	case OPTION_SWITCH: {
		const struct strings *words = member;

		for (size_t i = 0; i < words->count; i++)
			(void)buf_print(out, "%s\t", words->items[i]);
	} break;
	}
	/* A typed value may have an effect that an equal default does not have,
	 * so this flag is a part of the text. */
	if (option->has != 0)
		(void)buf_print(out, " %d",
		    *(const bool *)((const char *)options + option->has));
}

/* Append "NAME=VALUE", the value as a hash if nobody shall read it. */
static void
options_same_add(struct strings *values, const char *name, struct slice value,
    bool is_hidden)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (is_hidden)
		(void)buf_print(
		    &text, "%s=%016" PRIx64, name, hash_key(value, 0));
	else
		(void)buf_print(
		    &text, "%s=%.*s", name, (int)value.len, value.p);
	strings_add(values, buf_text(&text));
	buf_release(&text);
}

/* Append what the command depends on: the options of a single site, or of all.
 * A header may be a secret, and its hash is enough to compare it. */
static void
options_same_put(struct strings *values, const struct options *options,
    uint64_t command, bool is_site)
{
	struct buf value = BUF_UP_TO(SIZE_MAX);

	for (const struct option *row = option_rows; row->name != NULL; row++) {
		bool is_switch = row->type == OPTION_SWITCH;

		/* all switches are in the list of the first one */
		if (is_switch ? row[-1].type == OPTION_SWITCH
			      : (row->commands & command) == 0 ||
			    (is_site ? row->place != IN_SITE : row->is_own))
			continue;
		buf_clear(&value);
		options_same_put_value(&value, options, row);
		options_same_add(values, is_switch ? "switch" : row->name,
		    buf_text(&value), strcmp(row->name, "header") == 0);
	}
	buf_release(&value);
}

void
options_values(
    const struct options *options, uint64_t command, struct strings *values)
{
	const struct site_table *table = &options->config.sites;
	const char *secret = options->login.credentials;
	struct buf sites = BUF_UP_TO(SIZE_MAX);

	options_same_put(values, options, command, false);
	/* each value is a line, so that it cannot run into the next one */
	for (size_t i = 0; i < table->count; i++) {
		const struct options *site = table->items[i].options;
		struct strings lines = {0};

		options_same_put(&lines, site, command, true);
		(void)buf_print(&sites, "%s\n", table->items[i].host);
		for (size_t k = 0; k < lines.count; k++)
			(void)buf_print(&sites, "%s\n", lines.items[k]);
		if (site->login.credentials != NULL)
			(void)buf_print(
			    &sites, "%s\n", site->login.credentials);
		strings_release(&lines);
	}
	options_same_add(values, "config", buf_text(&sites), true);
	buf_release(&sites);
	options_same_add(values, "user", slice_of(secret == NULL ? "" : secret),
	    secret != NULL);
}
