/*
 * freshet db: maintenance of the store.
 *
 * info, backup and fsck read it beside whoever writes. migrate, prune, vacuum
 * and fsck --repair need it for themselves: they wait until no other process
 * owns it. init makes one in PostgreSQL.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/past_keeper.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "store/depot/copy.h"
#include "store/fsck/fsck.h"
#include "store/prune.h"
#include "store/sql/public.h"

/* freshet db migrate, prune and vacuum, which need the store for themselves. */

/* How long an owner of the store may take to hear of the command, and how long
 * the command rests between two looks whether the store is free. */
#define DB_PATIENCE_MS 500
#define DB_STEP_MS 50

/* Open the store, which must exist, for writing, as soon as no other process
 * owns it. Returns EXIT_DONE, or another exit status after one line on
 * stderr. */
static int
db_open(const struct options *options, struct store **store)
{
	struct store_options how = {.path = options->store.path};
	struct store_call call = {
	    .command = "db", .never_owns = true, .patience_ms = DB_PATIENCE_MS};
	struct timespec step = {.tv_nsec = DB_STEP_MS * INT64_C(1000000)};
	bool has_waited = false;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	enum diag_code code;
	int status = EXIT_DONE;

	if (!crawler_finds_store(options->store.path))
		return EXIT_USAGE;
	for (;;) {
		buf_clear(&why);
		code = store_open(&how, store, &why);
		if (code != DIAG_STORE_LOCKED)
			break;
		if (!has_waited)
			complain("%s: %s; waiting until it is through, or is "
				 "stopped with Ctrl-C: it can go on later",
			    diag_name(code), buf_str(&why));
		has_waited = true;
		/* An owner that can be without the store leaves it.  Any other
		 * ends this call when it ends; one of another version says that
		 * it does not know the request. */
		status = store_call(options, &call);
		if (status != EXIT_DONE && status != EXIT_LOCKED)
			break;
		(void)nanosleep(&step, NULL);
	}
	if (code != DIAG_STORE_LOCKED) {
		if (code != DIAG_OK)
			complain("%s: %s", diag_name(code), buf_str(&why));
		status = exit_of_store(code);
	}
	buf_release(&why);
	return status;
}

/* Forget what a store in a file has, or a shard that nobody holds. */
static int
db_prune_one(struct options *options, struct prune_totals *totals)
{
	struct crawler crawler = {.options = options, .has_no_driver = true};
	struct buf why = BUF_UP_TO(SIZE_MAX);
	enum diag_code code = DIAG_OK;
	/* no other process may read what is removed */
	int status = options->store.url == NULL
	    ? db_open(options, &crawler.store)
	    : crawler_open(&crawler, NULL, &why);

	if (status == EXIT_LOCKED && options->store.url != NULL)
		complain("%s: %s; 'freshet run --keep' forgets while it works",
		    diag_name(DIAG_STORE_LOCKED), buf_str(&why));
	if (status == EXIT_DONE)
		code = store_prune(crawler.store,
		    options->now_s - options->db.older_s, totals);
	if (status == EXIT_DONE && code == DIAG_OK)
		code = store_await(crawler.store);
	if (code != DIAG_OK)
		status = complain_of_store(crawler.store, code);
	if (options->store.url == NULL)
		status = selection_close(crawler.store, status);
	else
		crawler_close(&crawler);
	buf_release(&why);
	return status;
}

/* What was removed leaves free pages in the file, which later readings fill:
 * the file gets smaller by 'vacuum' alone. */
static int
db_prune(struct options *options)
{
	struct prune_totals totals = {0};
	struct shards shards;
	struct out out;
	int status;

	if (options->db.older_s <= 0)
		return complain_with(EXIT_USAGE,
		    "'db prune' needs --older TIME: what is older goes");
	status = shards_open(&shards, options);
	for (unsigned i = 0; status == EXIT_DONE && i < shards.count; i++) {
		if (shards.count > 1)
			options_take_shard(options, i);
		status = db_prune_one(options, &totals);
	}
	shards_close(&shards);
	if (status != EXIT_DONE ||
	    (options->output.is_quiet && !options->output.is_json))
		return status;
	out_init(&out, &options->output);
	if (options->output.is_json) {
		out_json_line(&out.text, "prune");
		out_json_number(&out.text, "readings", totals.readings);
		out_json_number(&out.text, "findings", totals.findings);
		out_json_number(&out.text, "changes", totals.changes);
		out_json_number(&out.text, "outcomes", totals.outcomes);
		out_json_number(&out.text, "kept", totals.kept);
		out_json_line_end(&out.text);
	} else {
		(void)buf_print(&out.text,
		    "removed %s with %s and %s, and %s of fetches; kept %s as "
		    "old, on which the present rests\n",
		    human_of(totals.readings, "reading").text,
		    human_of(totals.findings, "finding").text,
		    human_of(totals.changes, "change").text,
		    human_of(totals.outcomes, "outcome").text,
		    human_of(totals.kept, "reading").text);
		if (totals.readings + totals.outcomes > 0 &&
		    options->store.url == NULL)
			(void)buf_print(&out.text,
			    "'freshet db vacuum' gives the space back\n");
	}
	return out_finish(&out);
}

/* SQLite reads its folder for temporary files once, before the first store is
 * opened. A folder that the operator chose stays. */
static void
db_vacuum_beside(const char *path)
{
	char *folder = textfile_folder(path);

	(void)setenv("SQLITE_TMPDIR", folder, 0);
	free(folder);
}

/* The copy that SQLite makes is as large as the store, so it must lie where the
 * store has room. */
static int
db_vacuum(struct options *options)
{
	struct store *store = NULL;
	struct store_info info;
	enum diag_code code;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	uint64_t before;
	struct out out;
	int status;

	db_vacuum_beside(options->store.path);
	status = db_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	/* the size before, to show what the action was good for */
	store_info(store, &info);
	before = info.file_bytes;
	code = store_vacuum(store, &why);
	store_info(store, &info);
	/* the action is done, but the write-ahead log is still there */
	if (code == DIAG_STORE_LOCKED)
		complain("%s", buf_str(&why));
	if ((code == DIAG_OK || code == DIAG_STORE_LOCKED) &&
	    (!options->output.is_quiet || options->output.is_json)) {
		out_init(&out, &options->output);
		if (options->output.is_json) {
			out_json_line(&out.text, "vacuum");
			out_json_number(&out.text, "before", before);
			out_json_number(&out.text, "after", info.file_bytes);
			out_json_line_end(&out.text);
		} else {
			(void)buf_print(&out.text, "%s before, %s after\n",
			    human_scaled(before, human_bytes).text,
			    human_scaled(info.file_bytes, human_bytes).text);
		}
		status = out_finish(&out);
	}
	if (code == DIAG_STORE_DAMAGED) {
		status = complain_of_store(store, code);
	} else if (code != DIAG_OK && code != DIAG_STORE_LOCKED) {
		complain("%s: %s", diag_name(code), buf_str(&why));
		status = exit_of_store(code);
	}
	buf_release(&why);
	store_close(store);
	return status;
}

/* freshet db backup: a copy of the store as it is at one moment. */

struct backup {
	/* signals that are blocked, so that no draft is left behind */
	sigset_t signals;
	int stopped_by; /* the signal that stopped the copy; 0: none */
};

/* A copy of a large store takes minutes: whoever waits may end it. */
static bool
on_step(void *arg, uint64_t done, uint64_t total)
{
	static const struct timespec at_once = {0};
	struct backup *backup = arg;
	int signal = sigtimedwait(&backup->signals, NULL, &at_once);

	(void)done;
	(void)total;
	if (signal > 0)
		backup->stopped_by = signal;
	return backup->stopped_by == 0;
}

/* The copy is a store of its own, as of one moment, while others write. */
static int
db_backup(struct options *options)
{
	const char *path = options->targets.args.items[1];
	struct backup backup = {.stopped_by = 0};
	struct store *store = NULL;
	enum diag_code code;
	uint64_t bytes = 0;
	struct stat made;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	struct out out;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	exit_block_signals(&backup.signals, NULL);
	code = store_backup(store, path, on_step, &backup, &why);
	if (backup.stopped_by != 0) {
		complain("interrupted; nothing was written");
		status = backup.stopped_by == SIGINT ? EXIT_INTERRUPTED
						     : EXIT_TERMINATED;
	} else if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(&why));
		status = exit_of_store(code);
	} else if ((!options->output.is_quiet || options->output.is_json)) {
		out_init(&out, &options->output);
		if (stat(path, &made) == 0)
			bytes = (uint64_t)made.st_size;
		if (options->output.is_json) {
			out_json_line(&out.text, "backup");
			out_json_string(&out.text, "file", path);
			out_json_number(&out.text, "bytes", bytes);
			out_json_line_end(&out.text);
		} else {
			out_text(&out, slice_of(path));
			(void)buf_print(&out.text, "  %s\n",
			    human_scaled(bytes, human_bytes).text);
		}
		status = out_finish(&out);
	}
	buf_release(&why);
	store_close(store);
	return status;
}

/* freshet db fsck: whether the store keeps its invariants. */

#define TEXT_MAX 1000 /* bytes of foreign text in a line */

struct db_report {
	struct out out;
	bool is_json;
	uint64_t repaired; /* so far */
	size_t faults; /* of the store in PostgreSQL as a whole */
	bool has_shards; /* it has several */
	unsigned shard; /* the one at hand */
};

/* Findings are printed as they are found, because a damaged store may end the
 * search. */
static void
on_found(void *arg, const struct fsck_finding *finding)
{
	struct db_report *report = arg;
	struct buf *text = &report->out.text;

	if (report->is_json) {
		out_json_line(text, "violation");
		if (report->has_shards && report->shard != COPY_ALL)
			out_json_number(text, "shard", report->shard);
		out_json_key(text, "invariant");
		(void)buf_print(text, "\"J%u\"", finding->invariant);
		out_json_string(text, "table", finding->table);
		out_json_key(text, "id");
		(void)buf_print(text, "%lld", (long long)finding->id);
		out_json_text(text, "where", finding->where);
		out_json_text(text, "what", finding->what);
		out_json_flag(text, "repaired", finding->is_repaired);
		out_json_flag(text, "forgotten", finding->is_forgotten);
		out_json_line_end(text);
	} else {
		if (report->has_shards && report->shard != COPY_ALL)
			(void)buf_print(text, "shard %u: ", report->shard);
		(void)buf_print(
		    text, "J%u %s", finding->invariant, finding->table);
		if (finding->id != 0)
			(void)buf_print(text, " %lld", (long long)finding->id);
		/* what stands in a damaged store may be anything */
		if (finding->where.len > 0) {
			(void)buf_put(text, " '", 2);
			vis_put(text, finding->where, TEXT_MAX);
			(void)buf_put_char(text, '\'');
		}
		(void)buf_put(text, ": ", 2);
		vis_put(text, finding->what, TEXT_MAX);
		(void)buf_print(text, "%s\n",
		    !finding->is_repaired ? ""
			: finding->is_forgotten
			? " (repaired: forgotten, to be read anew)"
			: " (repaired)");
	}
	(void)out_line(&report->out);
}

/* After a repair, check again, because only a check shows whether the store is
 * whole. */
static int
db_check(struct db_report *report, struct store *store, bool repairs)
{
	struct buf *text = &report->out.text;
	struct fsck_options how = {
	    .repairs = repairs, .found = on_found, .arg = report};
	struct fsck_totals totals = {0};
	enum diag_code code = DIAG_OK;

	if (repairs)
		code = store_fsck(store, &how, &totals);
	report->repaired = totals.repaired;
	how.repairs = false;
	if (code == DIAG_OK)
		code = store_fsck(store, &how, &totals);
	if (code != DIAG_OK)
		return complain_of_store(store, code);
	/* what was repaired is not found again, and was found all the same */
	totals.violations += report->repaired;
	totals.repaired = report->repaired;
	if (report->is_json) {
		out_json_line(text, "summary");
		if (report->has_shards)
			out_json_number(text, "shard", report->shard);
		out_json_number(text, "violations", totals.violations);
		out_json_number(text, "repaired", totals.repaired);
		out_json_number(text, "documents", totals.documents);
		out_json_number(text, "readings", totals.readings);
		out_json_number(text, "entries", totals.entries);
		out_json_number(text, "changes", totals.changes);
		out_json_line_end(text);
	} else {
		if (report->has_shards)
			(void)buf_print(text, "shard %u: ", report->shard);
		(void)buf_print(text, "%s, %s, %s%s%s: ",
		    human_of(totals.documents, "document").text,
		    human_of(totals.readings, "reading").text,
		    human_of(totals.entries, NULL).text,
		    totals.entries == 1 ? " entry, " : " entries, ",
		    human_of(totals.changes, "change").text);
		if (totals.violations == 0)
			(void)buf_print(text, "all is well\n");
		else {
			human_put(text, totals.violations, "violation");
			if (totals.repaired > 0)
				(void)buf_print(text, ", %llu repaired",
				    (unsigned long long)totals.repaired);
			(void)buf_put_char(text, '\n');
		}
	}
	(void)out_line(&report->out);
	return totals.violations > totals.repaired ? EXIT_DAMAGED : EXIT_DONE;
}

/* What only a store in PostgreSQL can have wrong. */
static void
db_on_fault(void *arg, const char *table, struct slice where, struct slice what)
{
	struct db_report *report = arg;
	struct fsck_finding finding = {
	    .invariant = 20, .table = table, .where = where, .what = what};

	report->faults++;
	report->shard = COPY_ALL;
	on_found(report, &finding);
}

/* A check without repair needs no lock: it reads what was committed. Of several
 * shards each is checked alone. */
static int
db_fsck(struct options *options)
{
	struct db_report report = {.is_json = options->output.is_json};
	/* a file that cannot even be opened is a finding, too */
	struct fsck_finding unopened = {.invariant = 1,
	    .table = "file",
	    .where = slice_of(options->store.path),
	    .what = slice_of("it cannot be opened")};
	unsigned shards = 1;
	int status = EXIT_DONE;
	int written;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	out_init(&report.out, &options->output);
	if (options->store.url != NULL &&
	    copy_check(options->store.url, db_on_fault, &report, &shards,
		&why) != DIAG_OK)
		status = complain_with(EXIT_USAGE, "%s: %s",
		    diag_name(DIAG_STORE_UNUSABLE), buf_str(&why));
	buf_release(&why);
	report.has_shards = shards > 1;
	/* a repair writes, so it needs the store for itself */
	if (options->db.wants_repair)
		db_vacuum_beside(options->store.path);
	options->store.has_shard = options->store.url != NULL;
	for (unsigned i = 0;
	     i < shards && (status == EXIT_DONE || status == EXIT_DAMAGED);
	     i++) {
		struct store *store = NULL;
		int before = status;

		options->store.shard = i;
		report.shard = i;
		status = options->db.wants_repair
		    ? db_open(options, &store)
		    : selection_open(options, &store);
		if (status == EXIT_DONE)
			status = db_check(
			    &report, store, options->db.wants_repair);
		else if (status == EXIT_DAMAGED && report.is_json)
			on_found(&report, &unopened);
		store_close(store);
		if (status == EXIT_DONE)
			status = before;
	}
	if (status == EXIT_DONE && report.faults > 0)
		status = EXIT_DAMAGED;
	written = out_finish(&report.out);
	return status == EXIT_DONE ? written : status;
}

#define NAME_WIDTH 16

/* A store without readings has no times, and a line less. */
static void
print_time(struct out *out, const char *name, int64_t epoch_s)
{
	(void)buf_print(&out->text, "%-*s%s\n", NAME_WIDTH, name,
	    epoch_s == 0 ? "-" : zone_text(epoch_s, ZONE_FULL).text);
}

/* Numbers that are kept by the store: the command takes as long for a large
 * store as for a small one. */
static int
db_info(struct options *options)
{
	const char *name = options->store.url != NULL ? options->store.url
						      : options->store.path;
	struct store_info info = {0};
	struct store *store = NULL;
	struct out out;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	store_info(store, &info);
	status = selection_close(store, status);
	if (status != EXIT_DONE)
		return status;
	/* The numbers, with their names for programs and for people. */
	const struct {
		const char *key, *name;
		uint64_t value;
	} facts[] = {{"sites", "sites", info.sites},
	    {"watched", "watched", info.watched},
	    {"documents", "documents", info.documents},
	    {"robots", "robots.txt", info.robots},
	    {"entries", "entries", info.urls}, {"pages", "pages", info.pages},
	    {"readings", "readings", info.readings},
	    {"findings", "findings", info.findings},
	    {"proofs", "proofs", info.proofs},
	    {"segment_bytes", "segments", info.segment_bytes},
	    {"delta_bytes", "deltas", info.delta_bytes},
	    {"file_bytes", "file", info.file_bytes},
	    {"schema", "schema", (uint64_t)info.schema_version}};

	out_init(&out, &options->output);
	if (options->output.is_json) {
		out_json_line(&out.text, "store");
		out_json_string(&out.text, "store", name);
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
			out_json_number(
			    &out.text, facts[i].key, facts[i].value);
		out_json_time(&out.text, "first_reading", info.first_reading_s);
		out_json_time(&out.text, "last_reading", info.last_reading_s);
		out_json_line_end(&out.text);
	} else {
		(void)buf_print(&out.text, "%-*s", NAME_WIDTH, "store");
		out_text(&out, slice_of(name));
		(void)buf_put_char(&out.text, '\n');
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
			bool is_size = strstr(facts[i].key, "_bytes") != NULL;

			(void)buf_print(
			    &out.text, "%-*s", NAME_WIDTH, facts[i].name);
			out_grouped(&out, facts[i].value, 0);
			(void)buf_put_slice(
			    &out.text, slice_of(is_size ? " bytes\n" : "\n"));
		}
		/* how much a URL costs tells how large the store will be */
		if (info.urls > 0)
			(void)buf_print(&out.text, "%-*s%.1f bytes\n",
			    NAME_WIDTH, "per entry",
			    (double)info.used_bytes / (double)info.urls);
		print_time(&out, "first reading", info.first_reading_s);
		print_time(&out, "last reading", info.last_reading_s);
	}
	return out_finish(&out);
}

#define MIGRATE_TOLD 1000 /* sites, some seconds */

/* A store of an older version has nothing that was kept of the past. */
static bool
migrate_on_step(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	if (done % MIGRATE_TOLD == 0)
		complain("computed the past of %s of %s",
		    human_of(done, NULL).text, human_of(total, "site").text);
	return true;
}

/* freshet db init, move, split and migrate: make a store in PostgreSQL, empty
 * or with what a file has, one more shard of it, or newer tables.  A store in a
 * file is made by the first command that writes into it, and migrated when it
 * is opened for writing: `migrate` only says what that did. */
static int
db_init(struct options *options)
{
	const char *action = options->targets.args.items[0];
	const char *operand = options->targets.args.count > 1
	    ? options->targets.args.items[1]
	    : NULL;
	bool is_split = strcmp(action, "split") == 0;
	bool is_migrate = strcmp(action, "migrate") == 0;
	bool is_file = options->store.url == NULL;
	struct copy_migrated migrated = {0};
	unsigned shards = options->db.shards;
	struct store *store = NULL;
	struct store_info info;
	int status = EXIT_DONE;
	struct out out;
	struct buf why = BUF_UP_TO(SIZE_MAX), views = BUF_UP_TO(SIZE_MAX);
	enum diag_code code;

	/* Nobody else may write into the file meanwhile. */
	if (strcmp(action, "move") == 0) {
		struct options file = *options;

		file.store.url = NULL;
		file.store.path = mem_copy(operand);
		status = db_open(&file, &store);
		free(file.store.path);
	} else if (is_file) {
		status = db_open(options, &store);
	}
	if (status != EXIT_DONE)
		return status;
	if (is_file) {
		store_info(store, &info);
		migrated.from = info.schema_before;
		migrated.to = info.schema_version;
		if (is_migrate)
			past_keep_read(store, options, 0, options->now_s,
			    migrate_on_step, NULL);
	}
	public_put_views(&views);
	/* what failed in a file is told when it is closed */
	code = is_file ? DIAG_OK
	    : is_split ? copy_split(options->store.url, operand, &shards, &why)
	    : is_migrate
	    ? copy_migrate(options->store.url, buf_str(&views), &migrated, &why)
	    : copy_init(
		  options->store.url, shards, buf_str(&views), store, &why);
	if (why.len > 0)
		complain("%s%s: %s", code == DIAG_OK ? "warning" : "",
		    code == DIAG_OK ? "" : diag_name(code), buf_str(&why));
	buf_release(&views);
	buf_release(&why);
	status = selection_close(store, exit_of_store(code));
	if (status != EXIT_DONE)
		return status;
	out_init(&out, &options->output);
	if (options->output.is_json) {
		out_json_line(&out.text, action);
		if (!is_file) {
			out_json_string(&out.text, "store", options->store.url);
			out_json_number(&out.text, "shards",
			    is_migrate ? migrated.shards : shards);
		}
		if (is_migrate) {
			out_json_number(
			    &out.text, "from", (uint64_t)migrated.from);
			out_json_number(&out.text, "to", (uint64_t)migrated.to);
		}
		if (is_migrate && !is_file)
			out_json_number(&out.text, "older", migrated.older);
		out_json_line_end(&out.text);
	} else if (is_migrate && !options->output.is_quiet) {
		bool is_new = migrated.from != migrated.to;

		if (is_new)
			(void)buf_print(&out.text, "schema %d is now %d",
			    migrated.from, migrated.to);
		else
			(void)buf_print(&out.text, "%sschema %d is the newest",
			    is_file ? "nothing to do: " : "", migrated.to);
		(void)buf_print(&out.text,
		    is_file ? "\n"
			: migrated.older == 0
			? is_new ? ", in all shards\n"
				 : ", and that of all shards\n"
			: "; %u of %s have an older one until a 'freshet run' "
			  "of this version takes them: repeat 'db migrate' "
			  "then, which removes what nobody needs any more\n",
		    migrated.older, human_of(migrated.shards, "shard").text);
	} else if (!options->output.is_quiet) {
		if (is_split)
			(void)buf_print(&out.text,
			    "half of shard %s is in the new shard %u", operand,
			    shards - 1);
		else
			(void)buf_print(&out.text, "made a store with %s%s",
			    human_of(shards, "shard").text,
			    strcmp(action, "init") == 0 ? ", empty" : "");
		(void)buf_print(&out.text,
		    "; 'freshet run --store %s' keeps it fresh\n",
		    options->store.url);
	}
	return out_finish(&out);
}

enum db_place { IN_FILE = 1, IN_POSTGRESQL = 2 };

struct action {
	const char *name;
	const char *operand; /* NULL: the action takes no argument */
	int (*run)(struct options *);
	unsigned places; /* of the stores that it works on */
	const char *instead; /* for those in another place */
};

#define OF_SERVER                                   \
	"it names no store in PostgreSQL: --store " \
	"postgresql://host/database"

static const struct action actions[] = {
    {"info", NULL, db_info, IN_FILE | IN_POSTGRESQL, NULL},
    {"init", NULL, db_init, IN_POSTGRESQL,
	"it makes a store in PostgreSQL: name it with --store "
	"postgresql://host/database"},
    {"move", "FILE", db_init, IN_POSTGRESQL, OF_SERVER},
    {"copy", "FILE", db_backup, IN_POSTGRESQL,
	"'freshet db backup' copies a store in a file"},
    {"split", "SHARD", db_init, IN_POSTGRESQL, OF_SERVER},
    {"fsck", NULL, db_fsck, IN_FILE | IN_POSTGRESQL, NULL},
    {"backup", "FILE", db_backup, IN_FILE,
	"PostgreSQL's own pg_basebackup does it; 'freshet db copy FILE' makes "
	"an ordinary store of it"},
    {"migrate", NULL, db_init, IN_FILE | IN_POSTGRESQL, NULL},
    {"prune", NULL, db_prune, IN_FILE | IN_POSTGRESQL, NULL},
    {"vacuum", NULL, db_vacuum, IN_FILE,
	"PostgreSQL does it by itself: see its autovacuum"},
};

int
command_db(struct options *options)
{
	const struct action *action = actions;
	size_t count = options->targets.args.count;

	/* the options know which actions there are */
	while (strcmp(options->targets.args.items[0], action->name) != 0)
		action++;
	/* most actions take nothing more */
	if (count > 1 && action->operand == NULL)
		return complain_with(EXIT_USAGE, "'db %s' takes no '%s'",
		    action->name, options->targets.args.items[1]);
	if (count == 1 && action->operand != NULL)
		return complain_with(EXIT_USAGE, "'db %s' needs a %s",
		    action->name, action->operand);
	if ((action->places &
		(options->store.url != NULL ? IN_POSTGRESQL : IN_FILE)) == 0)
		return complain_with(
		    EXIT_USAGE, "'db %s': %s", action->name, action->instead);
	if (options->store.url != NULL && options->db.wants_repair)
		return complain_with(EXIT_USAGE,
		    "'db fsck --repair' works on a file: 'freshet db copy' "
		    "makes one, and 'freshet db move' takes it back into an "
		    "empty database");
	return action->run(options);
}
