/* What Prometheus asks for, and what a monitor asks. */
#include "crawler/serve/serve_metrics.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "crawler/serve/serve_rows.h"
#include "store/sql/sql.h"

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

static void
put_metric_row(void *arg, const struct sql *sql)
{
	const struct putting *putting = arg;
	struct buf *out = &putting->out->text;
	int columns = sql_columns(sql);
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
		struct buf sql;

		buf_init(&sql, SIZE_MAX);
		serve_rows_query(&sql, metric->sql, context->now_s);
		(void)buf_print(&out.text, "# HELP %s %s\n# TYPE %s %s\n",
		    metric->name, metric->help, metric->name, metric->type);
		status = serve_rows(
		    context, buf_text(&sql), put_metric_row, &putting);
		buf_release(&sql);
	}
	if (stat(context->options->store.path, &file) == 0)
		(void)buf_print(&out.text,
		    "# HELP freshet_store_bytes Size of the file of the "
		    "store.\n# TYPE freshet_store_bytes gauge\n"
		    "freshet_store_bytes %" PRIdMAX "\n",
		    (intmax_t)file.st_size);
	written = out_finish(&out);
	return status != EXIT_DONE ? status : written;
}

int
serve_metrics_health(
    const struct serve_context *context, const struct serve_query *query)
{
	struct store *store = NULL;
	int status = selection_open(&context->options->store, &store);
	struct out out;
	int written;

	(void)query;
	status = selection_close(store, status);
	if (status != EXIT_DONE)
		return status;
	out_init(&out, &context->options->output);
	(void)buf_print(&out.text, "ok\n");
	written = out_finish(&out);
	return written;
}
