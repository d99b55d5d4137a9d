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
		(void)buf_print(out, "%d", *(const int *)member);
		break;
	case OPTION_PATH: {
		/* Two relative paths of different folders must not look the
		 * same. */
		const char *path = *(const char *const *)member;
		char *real = path == NULL ? NULL : realpath(path, NULL);

		if (path != NULL)
			(void)buf_print(out, "%s", real == NULL ? path : real);
		free(real);
	} break;
	case OPTION_STRING:
		if (*(const char *const *)member != NULL)
			(void)buf_print(
			    out, "%s", *(const char *const *)member);
		break;
	case OPTION_LIST:
	case OPTION_LINES:
	case OPTION_SWITCH: {
		const struct string_list *words = member;

		for (size_t i = 0; i < words->count; i++)
			(void)buf_print(out, "%s\t", words->items[i]);
	} break;
	case OPTION_MS:
	case OPTION_SECONDS:
		(void)buf_print(out, "%" PRId64, *(const int64_t *)member);
		break;
	case OPTION_SIZE:
	case OPTION_COUNT:
		(void)buf_print(out, "%" PRIu64, *(const uint64_t *)member);
		break;
	case OPTION_NUMBER:
		(void)buf_print(out, "%u", *(const unsigned *)member);
		break;
	case OPTION_SET: /* givens_add() has replaced each --set */
		break;
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
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (is_hidden)
		(void)buf_print(
		    &text, "%s=%016" PRIx64, name, hash_key(value, 0));
	else
		(void)buf_print(
		    &text, "%s=%.*s", name, (int)value.len, value.p);
	strings_add(values, buf_text(&text));
	buf_release(&text);
}

/* A header may be a secret, and its hash is enough to compare it. */
static void
options_same_put(struct strings *values, const struct options *options,
    const struct option *option)
{
	const char *name = option->name == NULL ? "switch" : option->name;
	struct buf value;

	buf_init(&value, SIZE_MAX);
	options_same_put_value(&value, options, option);
	options_same_add(
	    values, name, buf_text(&value), strcmp(name, "header") == 0);
	buf_release(&value);
}

/* What a crawl of a site depends on; each value is a line, so that it cannot
 * run into the next one. */
static void
options_same_put_site(
    struct buf *out, const char *host, const struct options *options)
{
	const struct option *option;
	struct strings values = {0};

	for (option = option_rows; option->name != NULL; option++)
		if ((option->commands & COMMAND_BIT(COMMAND_CRAWL)) != 0 &&
		    option->place == IN_SITE)
			options_same_put(&values, options, option);
	options_same_put(&values, options, &option_switch);
	(void)buf_print(out, "%s\n", host);
	for (size_t i = 0; i < values.count; i++)
		(void)buf_print(out, "%s\n", values.items[i]);
	if (options->login.credentials != NULL)
		(void)buf_print(out, "%s\n", options->login.credentials);
	strings_release(&values);
}

void
options_values(const struct options *options, struct strings *values)
{
	const char *secret = options->login.credentials;
	const struct option *option;
	struct buf sites;

	for (option = option_rows; option->name != NULL; option++)
		if ((option->commands & COMMAND_BIT(COMMAND_CRAWL)) != 0 &&
		    !option->is_own)
			options_same_put(values, options, option);
	options_same_put(values, options, &option_switch);
	buf_init(&sites, SIZE_MAX);
	for (size_t i = 0; i < options->config.sites.count; i++)
		options_same_put_site(&sites,
		    options->config.sites.items[i].host,
		    options->config.sites.items[i].options);
	options_same_add(values, "config", buf_text(&sites), true);
	buf_release(&sites);
	options_same_add(values, "user", slice_of(secret == NULL ? "" : secret),
	    secret != NULL);
}
