/* What options choose between: values in the order of their choices. */
#ifndef FRESHET_CHOICES_H
#define FRESHET_CHOICES_H

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
enum progress_mode {
	PROGRESS_AUTO,
	PROGRESS_PLAIN,
	PROGRESS_JSON,
	PROGRESS_OFF
};
enum export_format {
	EXPORT_CSV,
	EXPORT_TSV,
	EXPORT_JSONL,
	EXPORT_URLS,
	EXPORT_SITEMAP
};
enum import_format { IMPORT_URLS, IMPORT_JSONL };
enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_JUNIT,
	REPORT_GITHUB,
	REPORT_SARIF,
	REPORT_HTML
};
enum fail_on { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_INFO };
enum sql_format { SQL_TABLE, SQL_CSV, SQL_TSV, SQL_JSON };
enum due_format { DUE_NDJSON, DUE_URLS, DUE_CURL };
enum stats_by {
	STATS_DAY,
	STATS_WEEK,
	STATS_HOUR,
	STATS_SECTION,
	STATS_SITEMAP
};
enum sim_format { SIM_TEXT, SIM_JSON, SIM_HTML };
enum ls_view { LS_URLS, LS_SITEMAPS, LS_TREE };

#endif
