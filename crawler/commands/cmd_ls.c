/* freshet ls: what sites list. */
#include <inttypes.h>

#include "base/out_json.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/inspect/ls_documents.h"

struct ls {
	const struct options *options;
	struct out out;
	uint64_t refused; /* URLs printed that a location rule refuses */
};

/* With -l a URL has its date and, if a rule refuses it, the code of the rule.
 */
static bool
put_url(void *arg, const struct document_row *row, const struct entry *entry)
{
	struct ls *ls = arg;
	struct buf *text = &ls->out.text;
	const char *code = entry->verdict == VERDICT_ACCEPTED
	    ? ""
	    : diag_name(verdict_codes[entry->verdict]);

	ls->refused += entry->verdict != VERDICT_ACCEPTED;
	if (ls->options->output.is_json) {
		out_json_line(text, "url");
		out_json_word(text, "loc", entry->url);
		out_json_date(text, "lastmod", &entry->lastmod);
		out_json_string(text, "document", row->document.url);
		out_json_string(text, "refused", code);
		return out_end_json(&ls->out);
	}
	if (ls->options->listing.is_long) {
		ls_date(&ls->out, &entry->lastmod, 20);
		(void)buf_put(text, "  ", 2);
	}
	/* printable ASCII: a block with other bytes is damaged */
	(void)buf_put_slice(text, entry->url);
	if (ls->options->listing.is_long) {
		(void)buf_put(text, "  ", 2);
		out_text(&ls->out, slice_of(row->document.url));
		if (code[0] != '\0')
			(void)buf_print(text, "  %s", code);
	}
	(void)buf_put_char(text, '\n');
	return out_line(&ls->out);
}

/* What is printed of a selection depends on the view, which is one of three. */
static int
put_selection(
    struct ls *ls, struct store *store, const struct selection *selection)
{
	switch (ls->options->listing.view) {
	case LS_URLS: {
		/* What is refused is listed all the same: a site that lists
		 * only that must not look like a site that lists nothing. */
		bool is_refused = ls->options->listing.wants_refused;
		unsigned what = ls->options->listing.by == LIST_BY_DOCUMENT
		    ? WALK_BY_DOCUMENT
		    : 0;

		ls->refused = 0;
		what |= WALK_REFUSED | (is_refused ? WALK_ONLY_REFUSED : 0);
		int status = selection_entries(
		    selection, store, what, put_url, ls);
		if (ls->refused > 0 && !is_refused &&
		    !ls->options->listing.is_long &&
		    !ls->options->output.is_json)
			complain(
			    "%" PRIu64
			    " of these URLs %s refused; see 'freshet ls -l'",
			    ls->refused, ls->refused == 1 ? "is" : "are");
		return status;
	}
	case LS_TREE:
	case LS_SITEMAPS:
		/* JSON has no trees */
		if (ls->options->listing.view == LS_TREE &&
		    !ls->options->output.is_json)
			ls_tree(
			    &ls->options->listing, selection, store, &ls->out);
		else
			ls_documents(&ls->options->listing,
			    ls->options->output.is_json, selection, store,
			    &ls->out);
		break;
	}
	return EXIT_DONE;
}

/* Print one target; NULL: all sites. */
static int
ls_put_target(struct ls *ls, struct store *store, const char *target)
{
	struct selection selection = {0};
	int status = EXIT_DONE;

	if (target != NULL)
		status = selection_init(&selection, store, target);
	if (status == EXIT_DONE)
		status = put_selection(ls, store, &selection);
	selection_release(&selection);
	return status;
}

int
command_ls(struct options *options)
{
	const struct strings *targets = &options->targets.args;
	struct ls ls = {.options = options};
	struct store *store = NULL;
	size_t unknown = 0;
	size_t bad = 0;
	int status = targets_read(options, &bad);

	if (status == EXIT_DONE)
		status = selection_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	out_init(&ls.out, &options->output);
	if (targets->count == 0 && options->targets.input_files.count == 0 &&
	    (!options->targets.has_stdin || options->targets.is_piped))
		status = ls_put_target(&ls, store, NULL);
	for (size_t i = 0;
	     status == EXIT_DONE && i < targets->count && ls.out.error == 0;
	     i++) {
		status = ls_put_target(&ls, store, targets->items[i]);
		if (status != EXIT_NO_TARGET)
			continue;
		unknown++;
		status = EXIT_DONE;
	}
	/* 4 if none of them is known, 1 if some are not (exit.h) */
	if (status == EXIT_DONE && unknown > 0)
		status = unknown == targets->count ? EXIT_NO_TARGET
						   : EXIT_FINDINGS;
	if (status == EXIT_DONE && bad > 0)
		status = EXIT_FINDINGS;
	return selection_close(store, out_end(&ls.out, status));
}
