/* What programs ask for: the JSON API, and metrics. */
#include "crawler/serve/serve_api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "crawler/serve/openapi.inc"
#include "store/sql/sql.h"

#define WHY_MAX 4096

int
serve_rows(const struct serve_context *context, struct slice query,
    serve_row_fn *fn, void *arg)
{
	struct store *store = NULL;
	struct sql *sql = NULL;
	struct buf why = BUF_UP_TO(WHY_MAX);
	enum sql_result result;
	int status = selection_open(context->options, &store);

	if (status != EXIT_DONE)
		return status;
	/* sql_begin() reads the query, which is not run before sql_step(). */
	result = sql_begin(store, query, &sql, &why);
	if (result == SQL_IS_DONE)
		result = sql_step(sql, &why);
	while (result == SQL_IS_ROW) {
		fn(arg, sql);
		result = sql_step(sql, &why);
	}
	/* Queries are ours: one that SQLite does not read is a bug, and all
	 * else is the fault of the store. */
	if (result != SQL_IS_DONE) {
		complain("%s", buf_str(&why));
		status = result == SQL_IS_FAILED ? exit_of_store(sql->failure)
						 : EXIT_BUG;
	}
	sql_end(sql);
	buf_release(&why);
	store_close(store);
	return status;
}

/* Only the quote has a meaning within a literal of SQL (HOSTILE D11). */
void
serve_rows_literal(struct buf *query, const char *text)
{
	(void)buf_put_char(query, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			(void)buf_put_char(query, '\'');
		(void)buf_put_char(query, *text);
	}
	(void)buf_put_char(query, '\'');
}

void
serve_rows_where(struct buf *query, const char *name, const char *value)
{
	if (value == NULL)
		return;
	(void)buf_print(query, " AND %s = ", name);
	serve_rows_literal(query, value);
}

/* SQLite has a clock of its own, but all of an answer is of one moment. */
void
serve_rows_query(struct buf *query, const char *text, int64_t now_s)
{
	struct slice word = slice_of("freshet_now");
	struct slice rest = slice_of(text);

	while (rest.len > 0) {
		bool is_now = slice_starts(rest, word);

		if (is_now)
			(void)buf_print(query, "%" PRId64, now_s);
		else
			(void)buf_put_char(query, rest.p[0]);
		rest = slice_from(rest, is_now ? word.len : 1);
	}
}

/* Words are copied: they may be parts of a request, which ends before them. */
void
serve_words_add(struct serve_words *words, const char *format, ...)
{
	struct buf word = BUF_UP_TO(SIZE_MAX);
	va_list args;

	/* No path of the API has so many words; the last place stays NULL. */
	if (words->count + 1 == sizeof(words->items) / sizeof(*words->items))
		return;
	va_start(args, format);
	(void)buf_vprint(&word, format, args);
	va_end(args);
	words->items[words->count++] = buf_take(&word);
}

void
serve_words_begin(struct serve_words *words,
    const struct serve_context *context, const char *command)
{
	const struct options_config *config = &context->options->config;

	*words = (struct serve_words){0};
	serve_words_add(words, "freshet");
	serve_words_add(words, "%s", command);
	serve_words_add(words, "--store=%s", context->options->store.path);
	if (config->path != NULL)
		serve_words_add(words, "--config=%s", config->path);
	else if (config->is_given)
		serve_words_add(words, "--no-config");
}

int
serve_words_run(struct serve_words *words, const struct serve_context *context)
{
	int status = context->command(
	    (int)words->count, words->items, context->now_s);

	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	return status;
}

/* The paths of the API.  A path is answered by a command: `words`, its options,
 * stand between '|', the parameters `same` become its options of those names,
 * and a parameter its operand.  Or it is answered by a query of SQL, whose
 * conditions are the parameters `same`: the columns of these names have the
 * given values. */
static const struct api_path {
	const char *path, *command, *words, *same;
	const char *operand; /* NULL: none */
	bool is_needed; /* the operand */
	bool has_times; /* in the command's output: it takes --tz */
	const char *select, *order; /* NULL: no query */
} api_paths[] = {
    {"/api/v1/events", "diff", "--format=ndjson",
	"since|until|kind|section|tag", "site", false, true, NULL, NULL},
    {"/api/v1/diff", "diff", "--format=ndjson|--rows",
	"since|until|kind|section|tag", "site", false, true, NULL, NULL},
    {"/api/v1/series", "stats", "--json", "by|last", "site", true, true, NULL,
	NULL},
    {"/api/v1/explain", "explain", "--json", "", "url", true, false, NULL,
	NULL},
    {"/api/v1/sites", "sql", "--format=json", "site", NULL, false, false,
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
	"s.host"},
    {"/api/v1/documents", "sql", "--format=json", "site|url", NULL, false,
	false,
	"SELECT site, url, kind, outcome, failure, complete, listed,"
	" refused, missed, dated, newest, last_try, last_read, failures,"
	" failing_since FROM document d WHERE kind <> 'unlisted'",
	"site, url"},
    {"/api/v1/findings", "sql", "--format=json", "site|document|code|severity",
	NULL, false, false,
	"SELECT site, document, code, severity, count, line, text, at"
	" FROM finding WHERE current",
	"site, document, code"},
};

int
serve_api(const struct serve_context *context, const struct serve_query *query)
{
	const struct api_path *path = api_paths;
	const char *words, *same, *value;
	struct serve_words line;
	uint64_t failing = 0;
	struct slice next;
	struct buf sql = BUF_UP_TO(SIZE_MAX);

	/* Each path that leads here has a row. */
	while (strcmp(path->path, query->path) != 0)
		path++;
	if (path->is_needed && !serve_query_needs(query, path->operand))
		return EXIT_USAGE;
	if (!serve_query_number(query, "failing", 0, 1, &failing)) {
		complain("the parameter 'failing' is 0 or 1");
		return EXIT_USAGE;
	}
	serve_words_begin(&line, context, path->command);
	for (words = path->words; slice_next(&words, '|', &next);)
		serve_words_add(&line, "%.*s", (int)next.len, next.p);
	if (path->has_times && context->options->output.tz != NULL)
		serve_words_add(&line, "--tz=%s", context->options->output.tz);
	/* Parameters narrow the query, or become options. */
	if (path->select != NULL)
		(void)buf_print(&sql, "%s%s", path->select,
		    failing != 0 ? " AND d.failing" : "");
	for (same = path->same; slice_next(&same, '|', &next);) {
		char name[16];

		(void)snprintf(
		    name, sizeof(name), "%.*s", (int)next.len, next.p);
		value = serve_query_get(query, name);
		if (path->select != NULL)
			serve_rows_where(&sql, name, value);
		else if (value != NULL)
			serve_words_add(&line, "--%s=%s", name, value);
	}
	/* The operand stands last, behind "--": a site that is called
	 * "--config" is a site. */
	value = path->operand == NULL ? NULL
				      : serve_query_get(query, path->operand);
	if (path->select != NULL) {
		(void)buf_print(&sql, " ORDER BY %s", path->order);
		value = buf_str(&sql);
	}
	if (value != NULL) {
		serve_words_add(&line, "--");
		serve_words_add(&line, "%s", value);
	}
	buf_release(&sql);
	return serve_words_run(&line, context);
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

/* Metrics, and what a monitor asks. */

/* A metric: its query has the site and the value, or the value alone. */
struct metric {
	const char *name, *type, *help, *sql;
};

#define PER_SITE(value) "SELECT s.host, " value " FROM site s ORDER BY s.host"
#define OF_DOCUMENTS(value, where)                                \
	PER_SITE("(SELECT " value " FROM document d WHERE d.site" \
		 " = s.host AND " where ")")
/* The copies that a fetcher reported. */
#define OF_COPIES(value)                              \
	"SELECT p.site, " value " FROM page p WHERE " \
	"p.fetched_s IS NOT NULL GROUP BY p.site ORDER BY 1"

/* clang-format off */
static const struct metric metrics[] = {
    {"freshet_sites", "gauge", "Sites of the store.",
	"SELECT count(*) FROM site"},
    {"freshet_readings_total", "counter",
	"Attempts to read documents since the store was made.",
	"SELECT coalesce(max(id), 0) FROM reading"},
    {"freshet_fetches_total", "counter",
	"Results of page fetches since the store was made.",
	"SELECT coalesce(max(id), 0) FROM outcome"},
    {"freshet_leases", "gauge", "Pages that are handed out now.",
	"SELECT count(*) FROM lease WHERE until_s > freshet_now"},
    {"freshet_held_hosts", "gauge", "Hosts that are left alone now.",
	"SELECT count(*) FROM hold WHERE pages_until_s > freshet_now"},
    {"freshet_alerts_died_total", "counter",
	"Processes of 'freshet run' for alerts that died.",
	"SELECT alerts_died FROM meta"},
    {"freshet_alerts_well_timestamp_seconds", "gauge",
	"When such a process last ended well; 0: never.",
	"SELECT alerts_well_s FROM meta"},
    {"freshet_site_pages", "gauge",
	"Pages that the sitemaps of the site list, without refused ones.",
	PER_SITE("s.listed - s.refused")},
    {"freshet_site_refused_pages", "gauge",
	"Listed URLs of the site that a location rule refuses.",
	PER_SITE("s.refused")},
    {"freshet_site_missing_pages", "gauge",
	"Entries that the last complete reading lacked, and that are not gone "
	"yet.",
	PER_SITE("s.missed")},
    {"freshet_site_waiting_pages", "gauge",
	"Listed pages of the site that were never fetched.",
	PER_SITE("max(0, s.listed - s.refused - (SELECT count(*) FROM page p "
	    "WHERE p.site = s.host AND p.listed AND p.fetched_s IS NOT NULL))")},
    {"freshet_site_documents", "gauge",
	"Documents of the site: robots.txt, indexes, sitemaps and feeds.",
	PER_SITE("s.documents")},
    {"freshet_site_failing_documents", "gauge",
	"Documents of the site whose latest reading failed.",
	OF_DOCUMENTS("count(*)", "d.failing")},
    {"freshet_site_last_read_timestamp_seconds", "gauge",
	"When a document of the site was last read; 0: never.",
	OF_DOCUMENTS("coalesce(max(d.last_read_s), 0)", "1")},
    {"freshet_site_copies", "gauge", "Pages of the site that were fetched.",
	OF_COPIES("count(*)")},
    {"freshet_site_copy_age_seconds_mean", "gauge",
	"Mean time since the pages of the site were last fetched.",
	OF_COPIES("freshet_now - avg(p.fetched_s)")},
    {"freshet_site_copy_age_seconds_max", "gauge",
	"Time since the oldest copy of a page of the site was fetched.",
	OF_COPIES("freshet_now - min(p.fetched_s)")},
};
/* clang-format on */

struct putting {
	struct out *out;
	const struct metric *metric;
};

/* A line of a metric: its name, the site if there is one, and the value. */
static void
put_metric_row(void *arg, const struct sql *sql)
{
	const struct putting *putting = arg;
	struct buf *out = &putting->out->text;
	int columns = sql->columns;
	struct sql_value value = sql_value(sql, columns - 1);

	(void)buf_print(out, "%s", putting->metric->name);
	if (columns == 2) {
		(void)buf_print(out, "{site=\"");
		/* Append a value of a label.  No host has an end of a line, but
		 * a damaged store may. */
		struct slice text = sql_value(sql, 0).text;
		for (size_t i = 0; i < text.len; i++) {
			if (text.p[i] == '\\' || text.p[i] == '"')
				(void)buf_put_char(out, '\\');
			if (text.p[i] == '\n')
				(void)buf_print(out, "\\n");
			else
				(void)buf_put_char(out, text.p[i]);
		}

		(void)buf_print(out, "\"}");
	}
	(void)buf_print(out, " %.*s\n", (int)value.text.len, value.text.p);
	(void)out_line(putting->out);
}

/* Each metric is a query of its own in a snapshot of its own: metrics are
 * looked at over time, and none need fit another to the second. */
int
serve_metrics(
    const struct serve_context *context, const struct serve_query *query)
{
	int status = EXIT_DONE;
	struct stat file;
	struct out out;
	int written;

	(void)query;
	out_init(&out, &context->options->output);
	out.is_raw = true;
	for (size_t i = 0;
	     i < sizeof(metrics) / sizeof(metrics[0]) && status == EXIT_DONE;
	     i++) {
		const struct metric *metric = &metrics[i];
		struct putting putting = {&out, metric};
		struct buf sql = BUF_UP_TO(SIZE_MAX);

		serve_rows_query(&sql, metric->sql, context->now_s);
		(void)buf_print(&out.text, "# HELP %s %s\n# TYPE %s %s\n",
		    metric->name, metric->help, metric->name, metric->type);
		status = serve_rows(
		    context, buf_text(&sql), put_metric_row, &putting);
		buf_release(&sql);
	}
	/* The size of the file is no fact of the store itself. */
	if (stat(context->options->store.path, &file) == 0)
		(void)buf_print(&out.text,
		    "# HELP freshet_store_bytes Size of the file of the "
		    "store.\n# TYPE freshet_store_bytes gauge\n"
		    "freshet_store_bytes %" PRIdMAX "\n",
		    (intmax_t)file.st_size);
	written = out_finish(&out);
	return status != EXIT_DONE ? status : written;
}

/* A monitor asks this often, and without a token: that the store opens says
 * enough, and costs little. */
int
serve_health(
    const struct serve_context *context, const struct serve_query *query)
{
	struct store *store = NULL;
	int status = selection_open(context->options, &store);
	struct out out;

	(void)query;
	status = selection_close(store, status);
	if (status != EXIT_DONE)
		return status;
	out_init(&out, &context->options->output);
	(void)buf_print(&out.text, "ok\n");
	return out_finish(&out);
}
