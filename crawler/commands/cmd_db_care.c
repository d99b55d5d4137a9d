/* freshet db migrate, prune, vacuum: what needs the store for itself. */
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/event/exit.h"
#include "crawler/cli/out.h"
#include "crawler/commands/cmd_db.h"
#include "store/prune.h"
#include "store/query.h"

static void
json_begin(struct buf *out, const char *type)
{
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(out, "type", slice_of(type));
}

static int
trouble(enum diag_code code, const char *text)
{
	complain("%s: %s", diag_name(code), text);
	return exit_of_store(code);
}

/* quiet(options): data is printed all the same when a program asks for it. */
static bool
is_silent(const struct options *options)
{
	return options->is_quiet && !options->is_json;
}

int
db_migrate(struct options *options)
{
	struct store *store = NULL;
	struct store_info info;
	enum diag_code code;
	struct out out;
	int status = db_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	store_info(store, &info);
	code = store_failed(store);
	if (code != DIAG_OK)
		status = complain_of_store(store, code);
	store_close(store);
	if (code != DIAG_OK)
		return status;
	if (is_silent(options))
		return EXIT_DONE;
	out_init(&out, options);
	if (options->is_json) {
		json_begin(&out.text, "migrate");
		out_json_number(
		    &out.text, "from", (uint64_t)info.schema_before);
		out_json_number(&out.text, "to", (uint64_t)info.schema_version);
		(void)buf_put_slice(&out.text, slice_of("}\n"));
	} else if (info.schema_before == info.schema_version) {
		(void)buf_print(&out.text,
		    "nothing to do: schema %d is the "
		    "newest\n",
		    info.schema_version);
	} else {
		(void)buf_print(&out.text, "schema %d is now %d\n",
		    info.schema_before, info.schema_version);
	}
	return out_finish(&out);
}

static void
text_pruned(struct buf *out, const struct prune_totals *totals)
{
	(void)buf_print(out, "removed ");
	human_plural(out, totals->readings, "reading");
	(void)buf_print(out, " with ");
	human_plural(out, totals->findings, "finding");
	(void)buf_print(out, " and ");
	human_plural(out, totals->changes, "change");
	(void)buf_print(out, ", and ");
	human_plural(out, totals->outcomes, "outcome");
	(void)buf_print(out, " of fetches; kept ");
	human_plural(out, totals->kept, "reading");
	(void)buf_print(out, " as old, on which the present rests\n");
	if (totals->readings + totals->outcomes > 0)
		(void)buf_print(
		    out, "'freshet db vacuum' gives the space back\n");
}

int
db_prune(struct options *options)
{
	struct store *store = NULL;
	struct prune_totals totals;
	enum diag_code code;
	struct out out;
	int status;

	if (options->older_s <= 0) {
		complain("'db prune' needs --older TIME: what is older goes");
		return EXIT_USAGE;
	}
	status = db_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	code = store_prune(store, options->now_s - options->older_s, &totals);
	if (code == DIAG_OK)
		code = store_failed(store);
	if (code != DIAG_OK)
		status = complain_of_store(store, code);
	store_close(store);
	if (code != DIAG_OK)
		return status;
	if (is_silent(options))
		return EXIT_DONE;
	out_init(&out, options);
	if (options->is_json) {
		json_begin(&out.text, "prune");
		out_json_number(&out.text, "readings", totals.readings);
		out_json_number(&out.text, "findings", totals.findings);
		out_json_number(&out.text, "changes", totals.changes);
		out_json_number(&out.text, "outcomes", totals.outcomes);
		out_json_number(&out.text, "kept", totals.kept);
		(void)buf_put_slice(&out.text, slice_of("}\n"));
	} else {
		text_pruned(&out.text, &totals);
	}
	return out_finish(&out);
}

/* It is asked for once, before the first store is opened.  What the operator
 * chose stands. */
void
db_vacuum_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? mem_copy(".")
	    : slash == path
	    ? mem_copy("/")
	    : slice_dup(slice_make(path, (size_t)(slash - path)));

	(void)setenv("SQLITE_TMPDIR", folder, 0);
	free(folder);
}

static int
report_vacuum(const struct options *options, uint64_t before, uint64_t after)
{
	struct out out;

	if (is_silent(options))
		return EXIT_DONE;
	out_init(&out, options);
	if (options->is_json) {
		json_begin(&out.text, "vacuum");
		out_json_number(&out.text, "before", before);
		out_json_number(&out.text, "after", after);
		(void)buf_put_slice(&out.text, slice_of("}\n"));
	} else {
		human_bytes(&out.text, before);
		(void)buf_print(&out.text, " before, ");
		human_bytes(&out.text, after);
		(void)buf_print(&out.text, " after\n");
	}
	return out_finish(&out);
}

int
db_vacuum(struct options *options)
{
	struct store *store = NULL;
	struct store_info info;
	enum diag_code code;
	struct buf why;
	uint64_t before;
	int status;

	db_vacuum_beside(options->store);
	status = db_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	store_info(store, &info);
	before = info.file_bytes;
	buf_init(&why, SIZE_MAX);
	code = store_vacuum(store, &why);
	store_info(store, &info);
	/* Done, and yet the log is still there. */
	if (code == DIAG_STORE_LOCKED)
		complain("%s", buf_str(&why));
	if (code == DIAG_OK || code == DIAG_STORE_LOCKED)
		status = report_vacuum(options, before, info.file_bytes);
	else if (code == DIAG_STORE_DAMAGED)
		status = complain_of_store(store, code);
	else
		status = trouble(code, buf_str(&why));
	buf_release(&why);
	store_close(store);
	return status;
}
