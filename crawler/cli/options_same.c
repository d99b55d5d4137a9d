/* The options that a crawl depends on, as texts that two processes compare. */
#include "crawler/cli/options_same.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_table.h"

/* The member at that offset. */
static const void *
at(const struct options *options, size_t offset)
{
	return (const char *)options + offset;
}

/* Append the value as a text that is equal if and only if the value is. */
static void
options_same_put_value(
    struct buf *out, const struct options *options, const struct option *option)
{
	const void *member = at(options, option->target);

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
	case OPTION_SET: /* givens_switches() has replaced each --set */
		break;
	}
	/* A typed value may have an effect that an equal default does not have,
	 * so this flag is a part of the text. */
	if (option->has != 0)
		(void)buf_print(
		    out, " %d", *(const bool *)at(options, option->has));
}

/* Replace the text by its hash, so that nobody can read it. */
static void
hide(struct buf *value)
{
	uint64_t hash = hash_key(buf_text(value), 0);

	buf_clear(value);
	(void)buf_print(value, "%016" PRIx64, hash);
}

/* A header may be a secret, and its hash is enough to compare it. */
static void
options_same_say(const struct options *options, const struct option *option,
    option_value_fn *fn, void *arg)
{
	const char *name = option->name == NULL ? "switch" : option->name;
	struct buf value;

	buf_init(&value, SIZE_MAX);
	options_same_put_value(&value, options, option);
	if (strcmp(name, "header") == 0)
		hide(&value);
	fn(arg, name, buf_text(&value));
	buf_release(&value);
}

/* The options of single sites, as one hash. */

/* One line a value, so that a value cannot run into the next one. */
static void
options_same_put_line(void *arg, const char *name, struct slice value)
{
	(void)buf_print(arg, "%s=%.*s\n", name, (int)value.len, value.p);
}

/* Only what a crawl depends on is compared: two processes may print their
 * results in different ways. */
static void
options_same_put_site(
    void *arg, const char *host, const struct options *options)
{
	const struct option *option;

	(void)buf_print(arg, "%s\n", host);
	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if ((option->commands & FOR_CRAWL) != 0 &&
		    option->place == IN_SITE)
			options_same_say(
			    options, option, options_same_put_line, arg);
	options_same_say(options, option_switch(), options_same_put_line, arg);
	if (options->login.credentials != NULL)
		(void)buf_print(arg, "%s\n", options->login.credentials);
}

void
options_each_value(
    const struct options *options, option_value_fn *fn, void *arg)
{
	const struct option *option;
	struct buf secret;

	for (size_t i = 0; (option = option_row(i)) != NULL; i++)
		if ((option->commands & FOR_CRAWL) != 0 && !option->is_own)
			options_same_say(options, option, fn, arg);
	options_same_say(options, option_switch(), fn, arg);
	struct buf text;

	buf_init(&text, SIZE_MAX);
	options_each_site(options, options_same_put_site, &text);
	hide(&text);
	fn(arg, "config", buf_text(&text));
	buf_release(&text);

	buf_init(&secret, SIZE_MAX);
	if (options->login.credentials != NULL) {
		(void)buf_print(&secret, "%s", options->login.credentials);
		hide(&secret);
	}
	fn(arg, "user", buf_text(&secret));
	buf_release(&secret);
}
