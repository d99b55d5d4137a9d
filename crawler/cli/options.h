/* What was typed: one table of options for all commands. */
#ifndef FRESHET_OPTIONS_H
#define FRESHET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/profile.h"
#include "crawler/cli/string_list.h"
#include "crawler/event/log.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/readers.h"
#include "store/location.h"

struct site_table;

/* What options choose between: values in the order of their choices. */

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

/* A line of a list of targets. */
struct arg_place {
	const char *file; /* "-": stdin */
	size_t line;
};

/* What a crawl may use at most; names and defaults are in the table of
 * options, and with those that are fixed in docs/security.md. */

struct limits {
	int64_t reader_cpu_s; /* for one document */
	int64_t reader_time_ms; /* the same, by the wall clock */
	uint64_t reader_memory; /* bytes */
	uint64_t site_urls; /* of one site, read in one crawl */
	uint64_t site_children; /* documents that its indexes lead to */
	unsigned drop_percent; /* of a document at once; 100: all of it */
	uint64_t store_bytes; /* of the store; 0: no limit */
	uint64_t free_bytes; /* that a crawl leaves where the store is */
};

/* What was typed for `due`, `done` and `hold`. */

struct options_frontier {
	enum due_format format;
	unsigned count; /* pages */
	bool has_count;
	unsigned hosts, per_host; /* 0: no limit */
	bool has_per_host;
	int64_t lease_s;
	int64_t wait_ms; /* for the first page */
	bool is_follow;
	const char *total_budget; /* a rate, as of `add --budget`; NULL: none */
	bool is_total_typed; /* it is of the command line */
	bool is_strict;
	int64_t hold_s;
	bool has_hold;
};

/* What `run` is told. */

struct options_run {
	bool is_once;
	enum log_mode log;
	int argc; /* what was typed, to be read again with the configuration: */
	char **argv; /* borrowed */
};

/* What was typed for `sim`. */

struct options_sim {
	struct string_list traces, worlds, settings, policies, budgets;
	enum sim_format format;
	unsigned days; /* 0: as long as the world or the trace is */
	unsigned warm_up_days;
	bool has_warm_up; /* else half of the days */
	unsigned seeds;
	int64_t read_every_s;
	bool has_read_every;
	bool is_joint; /* readings are asked for, and paid */
	bool wants_equal; /* requests for equal freshness */
	bool wants_list;
};

/* What was typed for `stats`. */

struct options_stats {
	enum stats_by by;
	int64_t last_s; /* 0: what fits */
};

/* What was typed for the watch list. */

struct options_watch {
	const char *every, *pages_every, *budget, *weight; /* or NULL */
	enum profile_name profile;
	bool has_profile;
	struct string_list tags, sections;
};

enum list_by { LIST_BY_URL, LIST_BY_DOCUMENT };

struct options {
	const char *command; /* "crawl" */
	struct string_list args; /* targets, without "-" */
	size_t typed; /* of args; those behind them come from lists: */
	struct arg_place *places; /* owned: where each of these stands */
	size_t place_cap;
	struct string_list input_files; /* further ones, a file of lines each */
	bool has_stdin; /* "-" was among them, or: */
	bool is_piped; /* stdin is a pipe and no target was named */
	bool wants_help, wants_version;
	bool is_json, is_quiet;
	enum when color;
	enum progress_mode progress;
	const char *store_given; /* as given, or NULL */
	char *store; /* owned: the path that was given, or the default one */
	bool needs_store; /* the command works on one */
	bool is_default_store; /* nobody named it: its folder may be made */
	const char *config; /* the configuration that was read, or NULL */
	bool has_config; /* it was named, or switched off */
	struct site_table *sites; /* owned: see options_sites.h */
	/* crawl */
	struct profile profile;
	bool has_profile; /* typed, or of the environment */
	struct string_list
	    switches; /* SWITCH=VALUE, as given; in profile already */
	struct string_list owned; /* assertions, as given */
	struct string_set own; /* the same, normalised */
	int64_t delay_ms;
	struct string_list connect_to, resolve, allow_address;
	struct string_list headers; /* "Name: value" */
	const char *user, *user_file; /* as given, without a password */
	const char *credentials; /* USER:PASSWORD made of these, or NULL */
	const char *ca_file, *proxy;
	const char *user_agent; /* NULL: freshet/VERSION with the contact */
	const char *contact;
	int64_t connect_timeout_ms, max_time_ms, low_speed_time_s;
	unsigned retry, readers;
	bool has_readers, has_delay;
	enum sandbox_mode sandbox;
	enum isolation isolation;
	struct limits limits;
	uint64_t max_urls, max_bytes; /* listed; on the wire; 0: default */
	bool is_forced; /* nothing is conditional */
	enum ls_view view;
	bool is_long; /* ls, list */
	enum export_format format;
	enum import_format import_format;
	const char *columns; /* NULL: all */
	const char *since; /* as value_moment reads it; NULL: not given */
	bool wants_all, wants_changes, wants_indexes, wants_refused,
	    wants_trace;
	enum list_by list_by; /* ls, export */
	const char *agent; /* robots, check: NULL: our own product token */
	const char *file; /* robots: NULL: ask */
	bool is_sandbox_test, wants_repair; /* doctor; db fsck */
	int64_t older_s; /* db prune; 0: not given */
	int64_t keep_s; /* run: what is older is forgotten; 0: nothing is */
	int64_t now_s; /* when the command began */
	/* check */
	enum report_format report_format;
	enum fail_on fail_on;
	bool checks_extensions, checks_schema, checks_legacy;
	unsigned sample; /* listed pages to look at */
	const char *base; /* URL of what lies in root; NULL: none */
	const char *root; /* NULL: the folder of the first file */
	enum sql_format sql_format; /* sql */
	struct options_sim sim;
	struct options_watch watch; /* add */
	struct options_frontier frontier;
	struct options_stats stats;
	struct options_run run;
	const char *keep; /* demo: the store's folder; NULL: a temporary one */
	/* Owned strings that words and pointers above lie in. */
	char **kept;
	size_t kept_count, kept_cap;
};

/* options_keep(options, text): an owned copy of the text, which lives as long
 * as the options. */
const char *options_keep(struct options *, struct slice text);

/* options_clear(options): free what the options own, but for the table of
 * sites; options_release() in options_parse.h frees that too. */
void options_clear(struct options *);

/* options_make_folder(options): make the default store's folder and those
 * above it; false after one line on stderr. */
bool options_make_folder(const struct options *);

#endif
