/* The values of all options of all commands. */
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

/* Values of options that choose one of several words, in the order in which the
 * table of options names the words. */

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
	REPORT_HTML,
	REPORT_MARKDOWN
};
#define REPORT_FORMATS "text|json|junit|github|sarif|html|markdown"
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
enum list_by { LIST_BY_URL, LIST_BY_DOCUMENT };

/* Where a target stands in a list of targets. */
struct arg_place {
	const char *file; /* "-" is stdin */
	size_t line;
};

/* What a crawl may use at most. The table of options has the names and the
 * defaults; security.md lists these limits and the fixed ones. */
struct limits {
	int64_t reader_cpu_s; /* CPU time of a reader for one document */
	/* wall-clock time of a reader for one document */
	int64_t reader_time_ms;
	uint64_t reader_memory; /* bytes */
	uint64_t site_urls; /* URLs of one site, read in one crawl */
	/* documents that the indexes of one site lead to */
	uint64_t site_children;
	/* share of a document's URLs that may vanish at once; 100: all of
	 * them */
	unsigned drop_percent;
	uint64_t store_bytes; /* size of the store; 0: no limit */
	/* free space that a crawl leaves on the disk of the store */
	uint64_t free_bytes;
};

/* How requests are made. */
struct options_network {
	struct string_list connect_to, resolve, allow_address;
	const char *ca_file, *proxy;
	const char *user_agent; /* NULL: freshet/VERSION with the contact */
	const char *contact;
	int64_t connect_timeout_ms, max_time_ms, low_speed_time_s;
};

/* Options of `check`. */
struct options_check {
	/* "FORMAT" for stdout, or "FORMAT:FILE"; the words of enum
	 * report_format */
	struct string_list formats;
	enum fail_on fail_on;
	bool checks_extensions, checks_schema, checks_legacy;
	unsigned sample; /* number of listed pages to fetch */
	const char *base; /* URL of the folder root; NULL: none */
	const char *root; /* NULL: the folder of the first file */
};

/* What `ls`, `list`, `export` and `compare` print. */
struct options_listing {
	enum ls_view view;
	enum list_by by;
	bool is_long;
	bool wants_all, wants_indexes, wants_refused;
};

/* Further options of `export`. */
struct options_export {
	enum export_format format;
	const char *columns; /* NULL: all */
	const char *since; /* in the form of value_moment(); NULL: not given */
	bool wants_changes, wants_trace;
};

/* Options of `due`, `done` and `hold`. */
struct options_frontier {
	enum due_format format;
	unsigned count; /* pages */
	bool has_count;
	unsigned hosts, per_host; /* 0: no limit */
	bool has_per_host;
	int64_t lease_s;
	int64_t wait_ms; /* how long to wait for the first page */
	bool is_follow;
	const char *total_budget; /* a rate, as of `add --budget`; NULL: none */
	bool is_total_typed; /* the total budget stands on the command line */
	bool is_strict;
	int64_t hold_s;
	bool has_hold;
};

/* Options of `run`. */
struct options_run {
	bool is_once;
	enum log_mode log;
	/* the command line, parsed again when the configuration changes: */
	int argc;
	char **argv; /* borrowed */
};

/* Options of `sim`. */
struct options_sim {
	struct string_list traces, worlds, settings, policies, budgets;
	enum sim_format format;
	unsigned days; /* 0: all days of the world or the trace */
	unsigned warm_up_days;
	bool has_warm_up; /* false: the first half of the days is warm-up */
	unsigned seeds;
	int64_t read_every_s;
	bool has_read_every;
	bool is_joint; /* a policy asks for readings and pays for them */
	/* report how many requests lead to the same freshness */
	bool wants_equal;
	bool wants_list;
};

/* Options of `stats`. */
struct options_stats {
	enum stats_by by;
	int64_t last_s; /* 0: as many rows as fit */
};

/* Options of `add` and `set`. */
struct options_watch {
	const char *every, *pages_every, *budget, *weight; /* or NULL */
	enum profile_name profile;
	bool has_profile;
	struct string_list tags, sections;
};

struct options {
	const char *command; /* name of the command, "crawl" */
	struct string_list args; /* targets, without "-" */
	/* so many of args were typed; the others come from lists: */
	size_t typed;
	struct arg_place *places; /* owned: the places of those from lists */
	size_t place_cap;
	struct string_list input_files; /* files with one target a line */
	bool has_stdin; /* stdin has targets: "-" was among args, or is_piped */
	bool is_piped; /* stdin is a pipe and no target was named */
	bool wants_help, wants_version;
	bool is_json, is_quiet;
	enum when color;
	enum progress_mode progress;
	const char *store_given; /* as typed, or NULL */
	char *store; /* owned: the path of the store, typed or by default */
	bool needs_store; /* the command works on a store */
	/* the path is the default, whose folder may be made */
	bool is_default_store;
	/* path of the configuration that was read, or NULL */
	const char *config;
	bool has_config; /* --config or --no-config was given */
	struct site_table *sites; /* owned; options_sites.h */
	/* options of commands that read documents */
	struct profile profile;
	bool has_profile; /* the profile was typed or is of the environment */
	/* SWITCH=VALUE, as given; profile has them applied */
	struct string_list switches;
	struct string_list owned; /* arguments of --own, as given */
	struct string_set own; /* the same, normalised */
	int64_t delay_ms;
	struct string_list headers; /* "Name: value" */
	const char *user, *user_file; /* as given; no password in them */
	const char *credentials; /* USER:PASSWORD made of these, or NULL */
	unsigned retry, readers;
	bool has_readers, has_delay;
	enum sandbox_mode sandbox;
	enum isolation isolation;
	struct limits limits;
	/* listed URLs; bytes on the wire; 0: default */
	uint64_t max_urls, max_bytes;
	bool is_forced; /* no request is conditional */
	enum import_format import_format;
	/* robots, check; NULL: freshet's own product token */
	const char *agent;
	const char *file; /* robots: file to read; NULL: ask the site */
	bool is_sandbox_test, wants_repair; /* doctor; db fsck */
	int64_t older_s; /* db prune: age of what goes; 0: not given */
	int64_t keep_s; /* run: age from which history is deleted; 0: never */
	int64_t now_s; /* when the command began */
	enum sql_format sql_format; /* sql */
	struct options_network network;
	struct options_check check;
	struct options_listing listing;
	struct options_export export;
	struct options_sim sim;
	struct options_watch watch; /* add, set */
	struct options_frontier frontier;
	struct options_stats stats;
	struct options_run run;
	const char *keep; /* demo: folder of the store; NULL: a temporary one */
	/* Owned strings; the lists and pointers above borrow them. */
	char **kept;
	size_t kept_count, kept_cap;
};

/* options_keep(options, text): copy a text. The copy lives as long as the
 * options. */
const char *options_keep(struct options *, struct slice text);

/* options_clear(options): free what the options own, but for the table of
 * sites; options_release() in options_parse.h frees that too. */
void options_clear(struct options *);

/* options_make_folder(options): make the folder of the default store and the
 * folders above it. Returns false after one line on stderr. */
bool options_make_folder(const struct options *);

#endif
