/*
 * The values of all options of all commands, in groups by what they are for.
 * A function takes the groups that it needs; the whole is for those that parse
 * options, and for the commands.
 */
#ifndef FRESHET_OPTIONS_H
#define FRESHET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/page_filter.h"
#include "base/profile.h"
#include "base/renaming.h"
#include "base/section.h"
#include "base/site_rules.h"
#include "base/strings.h"
#include "crawler/event/log.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/readers.h"
#include "store/location.h"

/* Values of options that choose one of several words, in the order in which the
 * table of options names the words. */

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
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
	STATS_SITEMAP,
	STATS_WEEKDAY
};
enum stats_format { STATS_TEXT, STATS_NDJSON, STATS_CSV };
/* The kinds of events; crawler/events/site_event.h has them as an enum. */
#define EVENT_NAMES                                                     \
	"first-reading|section-launched|section-gone|mass-drop-waiting" \
	"|mass-drop-confirmed|mass-drop-accident|pages-moved"           \
	"|other-sitemap|burst|silence|redated|dates-backwards"          \
	"|verdict-changed|robots-changed|sitemap-line-lost"             \
	"|sitemap-line-back|sitemap-failing|sitemap-back|session-urls"
enum diff_format { DIFF_TEXT, DIFF_NDJSON, DIFF_CSV };
enum top_format { TOP_TEXT, TOP_NDJSON };
enum ls_view { LS_URLS, LS_SITEMAPS, LS_TREE };
enum list_by { LIST_BY_URL, LIST_BY_DOCUMENT };

/* A section [alert NAME] of the configuration: which events are told, to whom.
 * All strings and lists are owned. */
struct alert_rule {
	char *name;
	unsigned given; /* bits of the keys that the section has */
	/* bits 1 << kind, with the numbers of EVENT_NAMES; 0: all but
	 * notes and first readings */
	uint32_t kinds;
	struct strings tags; /* empty: all sites */
	struct strings sections; /* "/blog", "products"; empty: all */
	uint64_t at_least; /* pages; 0: any number */
	uint64_t share; /* percent of what an event counts of; 0: any */
	char *program; /* a program to start; NULL: none */
	char *webhook_file; /* a file with a URL; NULL: none */
	char *atom; /* a file to write; NULL: none */
};

/* The rules, in the order of the file.  Zeroed before its first use. */
struct alert_rules {
	struct alert_rule *items; /* owned */
	size_t count, cap;
};

/* Where a target stands in a list of targets. */
struct arg_place {
	const char *file; /* "-" is stdin */
	size_t line;
};

/* The targets of a command, and where they were found. */
struct options_targets {
	struct strings args; /* without "-" */
	/* how many of args were typed; the others come from lists */
	size_t typed;
	struct arg_place *places; /* owned: the places of those from lists */
	size_t place_cap;
	struct strings input_files; /* files with one target a line */
	bool has_stdin; /* stdin has targets: "-" was among args, or is_piped */
	bool is_piped; /* stdin is a pipe and no target was named */
};

/* The store that a command works on. */
struct options_store {
	bool is_needed; /* the command works on a store */
	const char *given; /* as typed, or NULL */
	const char *url; /* of PostgreSQL; NULL: the store is a file */
	/* owned: typed or by default; NULL: no store; with a URL and has_shard,
	 * the cache of the shard on this machine, which belongs to whoever
	 * holds the shard; without has_shard, no file */
	char *path;
	/* owned, with a URL: all caches of this machine begin as it does */
	char *machine;
	bool has_shard; /* this shard alone is meant */
	unsigned shard;
	bool is_default; /* the path is the default; its folder may be made */
};

/* How a command speaks to whoever called it. */
struct options_output {
	bool is_json, is_quiet;
	enum color_mode color;
	enum progress_mode progress;
	const char *tz; /* the zone of people: see base/zone.h; NULL: UTC */
};

/* What one [site HOST] of the configuration says. */
struct site_options {
	char *host; /* owned */
	struct options *options; /* owned */
	struct site_rules rules; /* borrows from options */
};

/* All of them; options_sites.h says what they mean. */
struct site_table {
	/* owned; sorted by host in site_table_finish() */
	struct site_options *items;
	size_t count;
	size_t cap;
	struct site_rules rules; /* rules of sites without a section */
};

/* The configuration, and what it says of single sites. */
struct options_config {
	const char *path; /* the path of the file that was read, or NULL */
	bool is_given; /* --config or --no-config was given */
	struct site_table sites;
	struct alert_rules alerts; /* owned */
};

/* The rules by which documents are read. */
struct options_rules {
	struct profile profile;
	/* the profile was typed, or comes from the environment */
	bool has_profile;
	/* SWITCH=VALUE, as given; profile has them applied */
	struct strings switches;
	struct strings assertions; /* arguments of --own, as given */
	struct string_set own; /* the arguments of --own, normalised */
};

/* Which pages and sitemaps are wanted: texts of base/page_filter.h. */
struct options_filters {
	struct strings given; /* of sites */
	struct strings call; /* typed for this call alone */
	struct page_filter *pages, *sitemaps; /* owned: of what is given */
};

/* What is a section of a site: see base/section.h. */
struct options_sections {
	unsigned depth;
	struct strings paths; /* as given */
	struct strings ignored; /* excluded from numbers alone */
	struct section_rules *rules; /* owned; NULL: those by default */
};

/* What pages of a site are asked for monitors: see watch.h; NULL: nothing. */
struct options_asks {
	const char *titles, *verify;
	bool is_titles_typed, is_verify_typed;
};

/* Which pages of a site moved, as the user says: see base/renaming.h. */
struct options_moves {
	struct strings given;
	struct renamings *renamings; /* owned */
};

/* What a crawl may use at most. The table of options has the names and the
 * defaults; security.md lists these limits and the fixed ones. */
struct options_limits {
	int64_t reader_cpu_s; /* CPU time of a reader for one document */
	/* wall-clock time of a reader for one document */
	int64_t reader_time_ms;
	uint64_t reader_memory; /* bytes */
	uint64_t document_bytes; /* of one document on the wire */
	uint64_t urls; /* listed URLs of all sites; 0: no limit */
	uint64_t site_urls; /* URLs of one site, read in one crawl */
	/* documents that the indexes of one site lead to */
	uint64_t site_children;
	/* bytes that the documents of one site make the store keep, in all and
	 * in a day */
	uint64_t site_kept, site_kept_day;
	/* share of a document's URLs that may vanish at once; 100: all of
	 * them */
	unsigned drop_percent;
	uint64_t store_bytes; /* size of the store; 0: no limit */
	/* free space that a crawl leaves on the disk of the store */
	uint64_t free_bytes;
};

/* The values of --parser. */
enum parser_choice { PARSER_AUTO, PARSER_LIBXML2 };

/* The processes that read documents. */
struct options_readers {
	unsigned count;
	bool has_count; /* the count was given */
	enum sandbox_mode sandbox;
	enum isolation isolation;
	enum parser_choice parser;
};

/* How requests are made. */
struct options_network {
	int64_t delay_ms; /* between two requests to one host */
	bool has_delay; /* the delay was given */
	bool is_delay_typed;
	unsigned retry; /* further tries after a network error */
	enum sign_mode sign;
	bool is_sign_typed;
	struct strings connect_to, resolve, allow_address;
	const char *ca_file, *proxy;
	const char *user_agent; /* NULL: freshet/VERSION with the contact */
	const char *contact;
	int64_t connect_timeout_ms, max_time_ms, low_speed_time_s;
};

/* As whom requests are signed. */
struct options_identity {
	const char *folder; /* of the keys; NULL: nothing is signed */
	const char *agent; /* "https://bot.example", or NULL */
};

/* What is sent to a target's own origin alone. */
struct options_login {
	struct strings headers; /* "Name: value" */
	const char *user_file;
	const char *credentials; /* USER:PASSWORD of that file, or NULL */
};

/* Options of `check`. */
struct options_check {
	/* "FORMAT" for stdout, or "FORMAT:FILE"; the words of enum
	 * report_format */
	struct strings formats;
	enum fail_on fail_on;
	/* "CODE" or "CODE:PATTERN"; "CODE=LEVEL": value_ignore(),
	 * value_severity() */
	struct strings ignores, severities;
	const char *baseline; /* a file; NULL: none */
	bool checks_schema, checks_legacy;
	unsigned sample; /* number of listed pages to fetch */
	/* compare dates with changes since the manifest; it may lack yet */
	bool judges_dates, is_first, has_git, is_dry;
	const char *manifest; /* a file; NULL: none */
	const char *base; /* URL of the folder root; NULL: none */
	const char *root; /* NULL: the folder of the first file */
};

/* What `ls`, `list`, `export` and `compare` print. */
struct options_listing {
	enum ls_view view;
	enum list_by by;
	bool is_long;
	bool wants_workers; /* list: of a store in PostgreSQL */
	bool wants_all, wants_indexes, wants_refused;
};

/* Further options of `export`. */
struct options_export {
	enum export_format format;
	const char *columns; /* NULL: all */
	/* in the form of value_moment(); NULL: not given. The span of changes
	 * is that of struct options_diff. */
	const char *as_of;
	bool wants_changes;
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
	bool is_peek; /* due: print without leases */
	const char *sign; /* due: with which pages to print signatures; NULL */
	const char *total_budget; /* a rate, as of `add --budget`; NULL: none */
	bool is_total_typed; /* the total budget stands on the command line */
	bool is_strict;
	int64_t hold_s;
	bool has_hold;
};

/* Options of `fetch`, and of `run`. */
struct options_fetch {
	bool is_wanted; /* run: it fetches pages */
	uint64_t count; /* pages; 0: no limit */
	bool is_follow;
	unsigned at_once; /* hosts */
	uint64_t page_bytes; /* of one page on the wire */
	const char *warc, *texts; /* folders, texts also "-"; NULL: none */
	bool archives_documents; /* robots.txt and sitemaps, to `warc` */
	bool is_warc_typed;
	const char *program; /* for sh; NULL: none */
};

/* Options of `run`. */
struct options_run {
	bool is_once;
	unsigned capacity; /* of this machine; 0: its processors */
	const char *hints; /* --hints, as of value_listen(); NULL: none */
	const char *hints_url; /* where hubs find that; NULL: nowhere */
	int64_t keep_s; /* age from which history is deleted; 0: never */
	enum log_mode log;
	/* the command line, parsed again when the configuration changes: */
	int argc;
	char **argv; /* borrowed */
};

/* Options of `top`. */
struct options_top {
	int64_t interval_ms;
	bool is_once;
	enum top_format format;
};

/* Options of `stats`. */
struct options_stats {
	enum stats_by by;
	int64_t last_s; /* 0: as many rows as fit */
	/* instead of last_s; 0: not given.  The second until_s does not count
	 */
	int64_t since_s, until_s;
	enum stats_format format;
	bool wants_rhythm; /* as with STATS_WEEKDAY */
	bool wants_readings; /* how many there were */
	/* of the site that is counted; NULL: those by default */
	const struct section_rules *sections; /* borrowed */
	const struct renamings *renamings; /* of that site; borrowed */
};

/* Options of `diff`; `stats`, `report` and `alert` take the span. */
struct options_diff {
	const char *since, *until; /* as of value_moment(); NULL: not given */
	const char *kinds; /* "burst,silence"; NULL: all */
	struct strings sections; /* "/blog", "products" */
	enum diff_format format;
	bool is_excel; /* the format is CSV */
	bool wants_rows, wants_exit_code;
};

/* Options of `changes`. */
struct options_changes {
	const char *consumer, *ack, *forget; /* NULL: not given */
	uint32_t limit; /* pages in a batch */
	bool wants_list;
};

/* Options of `notify`. */
struct options_notify {
	const char *endpoint, *key_file, *key_location; /* NULL: not given */
	uint32_t limit; /* pages in a batch */
};

/* Options of `report`, which takes the span of options_diff. */
struct options_report {
	const char *html; /* file, "-": stdout; NULL: not given */
};

/* Options of `serve`, and of the one that `run --listen` starts. */
struct options_serve {
	const char *listen; /* as of value_listen() */
	const char *beside; /* --listen of run; NULL: no server beside it */
	const char *token_file; /* NULL: not given */
};

/* Options of `note`. */
struct options_note {
	bool wants_list, wants_remove;
};

/* Options of the watch list. */
struct options_watch {
	struct strings tags; /* that choose sites */
	struct strings settings; /* of `add`: KEY=VALUE, as `set` has them */
};

/* Options of `robots`; `check` takes the agents. */
struct options_robots {
	/* product tokens, the first one is obeyed; none: freshet's own */
	struct strings agents;
	const char *file; /* file to read; NULL: ask the site */
	bool wants_history; /* the texts in the store, of SITEs */
};

/* Options of `db`. */
struct options_db {
	bool wants_repair; /* fsck */
	int64_t older_s; /* prune: age of what goes; 0: not given */
	unsigned shards; /* init and move */
};

struct options {
	const char *command; /* name of the command, "crawl" */
	int64_t now_s; /* when the command began */
	bool wants_help, wants_version;
	struct options_targets targets;
	struct options_store store;
	struct options_output output;
	struct options_config config;
	/* of all commands that read documents or make requests: */
	struct options_rules rules;
	struct options_filters filters;
	struct options_sections sections;
	struct options_asks asks;
	struct options_moves moves;
	struct options_limits limits;
	struct options_readers readers;
	struct options_network network;
	struct options_identity identity;
	struct options_login login;
	/* of single commands: */
	struct options_check check;
	struct options_robots robots;
	struct options_listing listing;
	struct options_export export;
	struct options_frontier frontier;
	struct options_fetch fetch;
	struct options_run run;
	struct options_top top;
	struct options_stats stats;
	struct options_diff diff;
	struct options_changes changes;
	struct options_notify notify;
	struct options_report report;
	struct options_note note;
	struct options_serve serve;
	struct options_watch watch;
	struct options_db db;
	bool is_forced; /* crawl: no request is conditional */
	enum import_format import_format; /* import */
	enum sql_format sql_format; /* sql */
	bool is_sandbox_test; /* doctor: run the test of the sandbox */
	const char *keep; /* demo: folder of the store; NULL: a temporary one */
	struct strings strings; /* owned; the groups borrow from these */
};

/* options_keep(options, text): copy a text. The copy lives as long as the
 * options. */
const char *options_keep(struct options *, struct slice text);

/* options_clear(options): free all that the options own, and zero them. */
void options_clear(struct options *);

/* options_make_folder(options): make the folder of the default store and the
 * folders above it. Returns false after one line on stderr. */
bool options_make_folder(const struct options *);

/* options_shard_path(options, shard): with a store in PostgreSQL, the path of
 * the cache of that shard, owned by the caller.  options_take_shard(options,
 * shard): from now on the command works on that shard. */
char *options_shard_path(const struct options *, unsigned shard);
void options_take_shard(struct options *, unsigned shard);

#endif
