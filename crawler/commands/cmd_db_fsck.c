/* freshet db fsck: does the store keep its promises? */
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/event/exit.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/cmd_db.h"
#include "crawler/parse/scope.h"
#include "store/fsck/fsck.h"

#define TEXT_MAX 1000 /* of what is foreign in a line */

struct report {
	struct out out;
	bool is_json;
	uint64_t repaired; /* so far */
};

static void
json_finding(struct buf *out, const struct fsck_finding *finding)
{
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(
	    out, "type", slice_of(finding->is_note ? "note" : "violation"));
	out_json_key(out, "invariant");
	(void)buf_print(out, "\"J%u\"", finding->invariant);
	out_json_word(out, "table", slice_of(finding->table));
	out_json_key(out, "id");
	(void)buf_print(out, "%lld", (long long)finding->id);
	out_json_key(out, "where");
	json_put(out, finding->where);
	out_json_key(out, "what");
	json_put(out, finding->what);
	out_json_key(out, "repaired");
	(void)buf_print(out, "%s", finding->is_repaired ? "true" : "false");
	out_json_key(out, "forgotten");
	(void)buf_print(out, "%s}\n", finding->is_forgotten ? "true" : "false");
}

static void
text_finding(struct buf *out, const struct fsck_finding *finding)
{
	(void)buf_print(out, "%sJ%u %s", finding->is_note ? "note " : "",
	    finding->invariant, finding->table);
	if (finding->id != 0)
		(void)buf_print(out, " %lld", (long long)finding->id);
	if (finding->where.len > 0) {
		(void)buf_put(out, " '", 2);
		vis_put(out, finding->where, TEXT_MAX);
		(void)buf_put_char(out, '\'');
	}
	(void)buf_put(out, ": ", 2);
	vis_put(out, finding->what, TEXT_MAX);
	(void)buf_print(out, "%s\n",
	    !finding->is_repaired ? ""
		: finding->is_forgotten
		? " (repaired: forgotten, to be read anew)"
		: " (repaired)");
}

static void
on_found(void *arg, const struct fsck_finding *finding)
{
	struct report *report = arg;

	if (report->is_json)
		json_finding(&report->out.text, finding);
	else
		text_finding(&report->out.text, finding);
	(void)out_line(&report->out);
}

static void
json_totals(struct buf *out, const struct fsck_totals *totals)
{
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(out, "type", slice_of("summary"));
	out_json_number(out, "violations", totals->violations);
	out_json_number(out, "repaired", totals->repaired);
	out_json_number(out, "notes", totals->notes);
	out_json_number(out, "documents", totals->documents);
	out_json_number(out, "readings", totals->readings);
	out_json_number(out, "entries", totals->entries);
	out_json_number(out, "changes", totals->changes);
	out_json_number(out, "judged_exactly", totals->judged_exactly);
	out_json_number(out, "judged_generally", totals->judged_generally);
	(void)buf_put_slice(out, slice_of("}\n"));
}

/* Which rules were applied is part of the answer: not all were stored. */
static void
text_totals(struct buf *out, const struct fsck_totals *totals)
{
	human_plural(out, totals->documents, "document");
	(void)buf_put(out, ", ", 2);
	human_plural(out, totals->readings, "reading");
	(void)buf_print(out, ", ");
	human_count(out, totals->entries);
	(void)buf_print(out, totals->entries == 1 ? " entry, " : " entries, ");
	human_plural(out, totals->changes, "change");
	(void)buf_print(out, ": ");
	if (totals->violations == 0)
		(void)buf_print(out, "all is well\n");
	else {
		human_plural(out, totals->violations, "violation");
		if (totals->repaired > 0)
			(void)buf_print(out, ", %llu repaired",
			    (unsigned long long)totals->repaired);
		(void)buf_put_char(out, '\n');
	}
	(void)buf_print(out, "location rules: ");
	human_plural(out, totals->judged_exactly, "document");
	(void)buf_print(out, " by the rules of their profile");
	if (totals->judged_generally > 0) {
		(void)buf_print(out, "; ");
		human_plural(out, totals->judged_generally, "document");
		(void)buf_print(out,
		    ", read under rules that are not stored, by those that "
		    "all profiles share");
	}
	(void)buf_put_char(out, '\n');
}

/* A file that cannot even be opened is a finding too. */
static int
tell_damage(struct report *report, const struct options *options)
{
	struct fsck_finding finding = {.invariant = 1,
	    .table = "file",
	    .where = slice_of(options->store),
	    .what = slice_of("it cannot be opened")};

	if (report->is_json)
		on_found(report, &finding);
	return EXIT_DAMAGED;
}

static enum diag_code
examine(struct report *report, struct store *store, bool repairs,
    struct fsck_totals *totals)
{
	struct fsck_options how = {.repairs = repairs,
	    .reader_version = READER_VERSION,
	    .max_depth = INDEX_MAX_DEPTH,
	    .found = on_found,
	    .arg = report};

	return store_fsck(store, &how, totals);
}

/* Whether what was repaired is whole now, only another look says. */
static int
check(struct report *report, struct store *store, bool repairs)
{
	struct fsck_totals totals = {0};
	enum diag_code code = DIAG_OK;

	if (repairs)
		code = examine(report, store, true, &totals);
	report->repaired = totals.repaired;
	if (code == DIAG_OK)
		code = examine(report, store, false, &totals);
	if (code != DIAG_OK)
		return complain_of_store(store, code);
	totals.violations += report->repaired;
	totals.repaired = report->repaired;
	if (report->is_json)
		json_totals(&report->out.text, &totals);
	else
		text_totals(&report->out.text, &totals);
	(void)out_line(&report->out);
	return totals.violations > totals.repaired ? EXIT_DAMAGED : EXIT_DONE;
}

int
db_fsck(struct options *options)
{
	struct report report = {.is_json = options->is_json};
	struct store *store = NULL;
	int status;
	int written;

	if (options->wants_repair)
		db_vacuum_beside(options->store);
	status = options->wants_repair ? db_open(options, &store)
				       : selection_open(options, &store);
	out_init(&report.out, options);
	if (status == EXIT_DONE)
		status = check(&report, store, options->wants_repair);
	else if (status == EXIT_DAMAGED)
		status = tell_damage(&report, options);
	store_close(store);
	written = out_finish(&report.out);
	return status == EXIT_DONE ? written : status;
}
