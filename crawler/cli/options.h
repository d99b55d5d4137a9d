/* What was typed: one table of options for all commands. */
#ifndef FRESHET_OPTIONS_H
#define FRESHET_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/profile.h"
#include "crawler/cli/choices.h"
#include "crawler/cli/crawl_limits.h"
#include "crawler/cli/options_frontier.h"
#include "crawler/cli/options_run.h"
#include "crawler/cli/options_sim.h"
#include "crawler/cli/options_stats.h"
#include "crawler/cli/options_watch.h"
#include "crawler/cli/words.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/readers.h"
#include "store/location.h"

struct site_table;

enum list_by { LIST_BY_URL, LIST_BY_DOCUMENT };

struct options {
	const char *command; /* "crawl" */
	struct words args; /* targets, without "-" */
	size_t typed; /* of args; those behind them come from lists: */
	struct arg_place *places; /* owned: where each of these stands */
	size_t place_cap;
	struct words input_files; /* further ones, a file of lines each */
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
	struct words switches; /* SWITCH=VALUE, as given; in profile already */
	struct words owned; /* assertions, as given */
	struct string_set own; /* the same, normalised */
	int64_t delay_ms;
	struct words connect_to, resolve, allow_address;
	struct words headers; /* "Name: value" */
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

/*
 * options_parse(options, argc, argv): read the command line; environment
 * variables FRESHET_<OPTION>, then the configuration, stand in for options
 * that are not given: a list is separated by white space (headers: by line
 * feeds), a flag is 1 or 0.  The command is NULL when none was named.
 * Returns 0, or 2 after one line on stderr that names the nearest known
 * option, command, key or value.  options_release in any case.
 */
int options_parse(struct options *, int argc, char **argv);
void options_release(struct options *);

/* options_read_targets(options): append those in each --input-file, and on
 * stdin when that was asked for, one a line; blank lines, and what follows a #
 * at the beginning of a line or behind a space, are skipped.  False after one
 * line on stderr: a file is unreadable. */
bool options_read_targets(struct options *);

/* options_make_folder(options): make the default store's folder and those
 * above it; false after one line on stderr. */
bool options_make_folder(const struct options *);

#endif
