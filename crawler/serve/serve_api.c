/* The JSON API. */
#include "crawler/serve/serve_api.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/serve/openapi.inc"
#include "crawler/serve/serve_rows.h"

#define WORDS 20 /* of a command line, at most */

/* A command line. */
struct words {
	char *items[WORDS + 1]; /* owned */
	size_t count;
};

/* Append the word that both texts make together. */
static void
api_add(struct words *words, const char *first, const char *second)
{
	struct buf word;

	if (words->count == WORDS)
		return;
	buf_init(&word, SIZE_MAX);
	(void)buf_print(&word, "%s%s", first, second);
	words->items[words->count++] = buf_take(&word);
}

/* Append an option whose value is that of a parameter of the same name. */
static void
add_option(
    struct words *words, const struct serve_query *query, const char *name)
{
	const char *value = serve_query_get(query, name);
	struct buf option;

	if (value == NULL)
		return;
	buf_init(&option, SIZE_MAX);
	(void)buf_print(&option, "--%s=", name);
	api_add(words, buf_str(&option), value);
	buf_release(&option);
}

static void
add_operand(
    struct words *words, const struct serve_query *query, const char *name)
{
	const char *value = serve_query_get(query, name);

	if (value == NULL)
		return;
	api_add(words, "--", "");
	api_add(words, value, "");
}

static int
api_run(const struct serve_context *context, struct words *words)
{
	int status = serve_api_run(
	    context, (const char *const *)words->items, words->count);

	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	return status;
}

int
serve_api_run(
    const struct serve_context *context, const char *const *words, size_t count)
{
	const struct options *options = context->options;
	struct words line = {0};
	int status;

	api_add(&line, "freshet", "");
	api_add(&line, words[0], "");
	api_add(&line, "--store=", options->store.path);
	if (options->config.is_given && options->config.path == NULL)
		api_add(&line, "--no-config", "");
	else if (options->config.path != NULL)
		api_add(&line, "--config=", options->config.path);
	for (size_t i = 1; i < count; i++)
		api_add(&line, words[i], "");
	status = context->command((int)line.count, line.items, context->now_s);
	for (size_t i = 0; i < line.count; i++)
		free(line.items[i]);
	return status;
}

/* Commands. */

/* Begin a command whose output has times. */
static void
api_begin(struct words *words, const struct serve_context *context,
    const char *command, const char *format)
{
	api_add(words, command, "");
	api_add(words, format, "");
	if (context->options->output.tz != NULL)
		api_add(words, "--tz=", context->options->output.tz);
}

static int
run_diff(const struct serve_context *context, const struct serve_query *query,
    bool has_rows)
{
	struct words words = {0};

	api_begin(&words, context, "diff", "--format=ndjson");
	if (has_rows)
		api_add(&words, "--rows", "");
	add_option(&words, query, "since");
	add_option(&words, query, "until");
	add_option(&words, query, "kind");
	add_option(&words, query, "section");
	add_option(&words, query, "tag");
	add_operand(&words, query, "site");
	return api_run(context, &words);
}

int
serve_api_events(
    const struct serve_context *context, const struct serve_query *query)
{
	return run_diff(context, query, false);
}

int
serve_api_diff(
    const struct serve_context *context, const struct serve_query *query)
{
	return run_diff(context, query, true);
}

int
serve_api_series(
    const struct serve_context *context, const struct serve_query *query)
{
	struct words words = {0};

	if (!serve_query_needs(query, "site"))
		return EXIT_USAGE;
	api_begin(&words, context, "stats", "--json");
	add_option(&words, query, "by");
	add_option(&words, query, "last");
	add_operand(&words, query, "site");
	return api_run(context, &words);
}

int
serve_api_explain(
    const struct serve_context *context, const struct serve_query *query)
{
	struct words words = {0};

	if (!serve_query_needs(query, "url"))
		return EXIT_USAGE;
	api_add(&words, "explain", "");
	api_add(&words, "--json", "");
	add_operand(&words, query, "url");
	return api_run(context, &words);
}

/* Queries. */

/* Run the query with " AND NAME = 'VALUE'" for each of the parameters, up to
 * NULL, that is there. */
static int
api_sql(const struct serve_context *context, const struct serve_query *query,
    const char *select, const char *const *names, const char *order)
{
	struct words words = {0};
	struct buf sql;

	buf_init(&sql, SIZE_MAX);
	(void)buf_print(&sql, "%s", select);
	for (; *names != NULL; names++) {
		const char *value = serve_query_get(query, *names);

		if (value == NULL)
			continue;
		(void)buf_print(&sql, " AND %s = ", *names);
		serve_rows_literal(&sql, value);
	}
	(void)buf_print(&sql, " ORDER BY %s", order);
	api_add(&words, "sql", "");
	api_add(&words, "--format=json", "");
	api_add(&words, "--", "");
	api_add(&words, buf_str(&sql), "");
	buf_release(&sql);
	return api_run(context, &words);
}

int
serve_api_sites(
    const struct serve_context *context, const struct serve_query *query)
{
	static const char *const names[] = {"site", NULL};

	return api_sql(context, query,
	    "SELECT s.host AS site, s.listed, s.refused, s.missed,"
	    " s.documents,"
	    " (SELECT count(*) FROM document d WHERE d.site = s.host"
	    " AND d.failing) AS failing,"
	    " (SELECT min(d.failing_since) FROM document d"
	    " WHERE d.site = s.host AND d.failing) AS failing_since,"
	    " (SELECT max(d.last_read) FROM document d"
	    " WHERE d.site = s.host) AS last_read, s.last_try,"
	    " coalesce((SELECT w.watched FROM watch w"
	    " WHERE w.site = s.host), 0) AS watched"
	    " FROM site s WHERE 1",
	    names, "s.host");
}

#define DOCUMENTS                                                         \
	"SELECT site, url, kind, outcome, failure, complete, listed,"     \
	" refused, missed, dated, newest, last_try, last_read, failures," \
	" failing_since FROM document d WHERE kind <> 'unlisted'"

int
serve_api_documents(
    const struct serve_context *context, const struct serve_query *query)
{
	static const char *const names[] = {"site", "url", NULL};
	uint64_t failing = 0;

	if (!serve_query_number(query, "failing", 0, 1, &failing)) {
		complain("the parameter 'failing' is 0 or 1");
		return EXIT_USAGE;
	}
	return api_sql(context, query,
	    failing != 0 ? DOCUMENTS " AND d.failing" : DOCUMENTS, names,
	    "site, url");
}

int
serve_api_findings(
    const struct serve_context *context, const struct serve_query *query)
{
	static const char *const names[] = {
	    "site", "document", "code", "severity", NULL};

	return api_sql(context, query,
	    "SELECT site, document, code, severity, count, line, text, at"
	    " FROM finding WHERE current",
	    names, "site, document, code");
}

int
serve_api_description(
    const struct serve_context *context, const struct serve_query *query)
{
	struct out out;

	(void)query;
	out_init(&out, &context->options->output);
	out.is_raw = true;
	(void)buf_put_slice(&out.text, slice_of(openapi));
	return out_finish(&out);
}
