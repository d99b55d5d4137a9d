/* freshet note: notes about days of sites, for `report`. */

#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/control/asks.h"
#include "crawler/event/exit.h"
#include "store/site.h"
#include "store/watch.h"

/* One run of the command. */
struct noting {
	struct options *options;
	struct watch_request request;
	struct out out;
	struct slice host; /* --list: the site at hand */
};

/* A note that was removed has no text any more. */
static void
note_put_note(struct noting *noting, struct slice host, const char *change,
    int64_t at_s, struct slice text)
{
	struct buf *out = &noting->out.text;

	if (noting->options->output.is_json) {
		out_json_line(out, "note");
		out_json_word(out, "site", host);
		if (change != NULL)
			out_json_string(out, "change", change);
		out_json_time(out, "at", at_s);
		if (text.p != NULL)
			out_json_word(out, "text", text);
		(void)out_end_json(&noting->out);
	} else {
		if (change != NULL)
			(void)buf_print(out, "%s  ", change);
		out_text(&noting->out, host);
		(void)buf_print(out, "  %s%s", zone_text(at_s, ZONE_FULL).text,
		    text.p != NULL ? "  " : "");
		out_text(&noting->out, text);
		out_end_line(&noting->out);
	}
}

/* Notes come site by site, in the order of their days. */
static void
note_on_note(void *arg, int64_t at_s, struct slice text)
{
	struct noting *noting = arg;

	note_put_note(noting, noting->host, NULL, at_s, text);
}

/* The owner of the store decides: it knows the site and how many notes it has.
 */
static void
note_on_change(void *arg, struct slice host, enum watch_change change)
{
	struct noting *noting = arg;
	const struct watch_request *request = &noting->request;

	/* each of these is told alone: what was done to other sites stands */
	if (change == WATCH_FULL)
		complain("'%.*s' has %d notes, and takes no more",
		    (int)host.len, host.p, NOTE_MOST);
	else if (change == WATCH_UNKNOWN && request->verb == WATCH_UNNOTE)
		complain(
		    "'%.*s' has no note of that time", (int)host.len, host.p);
	else if (change == WATCH_UNKNOWN)
		complain("'%.*s' is not in the store", (int)host.len, host.p);
	else if (!noting->options->output.is_quiet)
		note_put_note(noting, host, watch_change_names[change],
		    request->note_s, slice_of(request->note));
}

/* Read SITE DATE [TEXT]. */
static bool
take_arguments(struct noting *noting)
{
	const struct strings *args = &noting->options->targets.args;
	bool is_removed = noting->options->note.wants_remove;
	struct watch_request *request = &noting->request;

	request->verb = is_removed ? WATCH_UNNOTE : WATCH_NOTE;
	if (args->count != (is_removed ? 2 : 3))
		return refuse("'note' needs %s; see 'freshet help note'",
		    is_removed ? "SITE and DATE" : "SITE, DATE and TEXT");
	if (!watch_item(args->items[0], request->verb, &request->items))
		return refuse("'%s' is no site", args->items[0]);
	if (!value_moment(
		args->items[1], noting->options->now_s, &request->note_s))
		return refuse("'%s' is not " FORM_WHEN, args->items[1]);
	if (is_removed)
		return true;
	/* white space at the ends is a slip of the shell's quotes */
	request->note = slice_dup(slice_trim(slice_of(args->items[2])));
	if (watch_note_check(slice_of(request->note)))
		return true;
	return refuse("a note is a line of 1 to %d bytes of UTF-8", NOTE_BYTES);
}

int
command_note(struct options *options)
{
	struct noting noting = {.options = options};
	struct strings hosts = {0};
	struct store *store = NULL;
	struct watch_asked asked;
	int status = EXIT_USAGE;

	if (options->note.wants_list && options->note.wants_remove)
		return complain_with(
		    EXIT_USAGE, "give --list or --remove, one of them");
	out_init(&noting.out, &options->output);
	if (options->note.wants_list) {
		/* the notes of each site, as the store has them */
		status = selection_open(options, &store);
		if (status == EXIT_DONE)
			status = choose_hosts(options, store, &hosts);
		for (size_t i = 0; status == EXIT_DONE && i < hosts.count;
		     i++) {
			noting.host = slice_of(hosts.items[i]);
			store_each_note(store,
			    store_site_find(store, noting.host), note_on_note,
			    &noting);
		}
		strings_release(&hosts);
		status = selection_close(store, status);
	} else if (take_arguments(&noting)) {
		status = watch_ask(
		    options, &noting.request, note_on_change, &noting, &asked);
		if (status == EXIT_DONE && asked.counts[WATCH_FULL] > 0)
			status = EXIT_FINDINGS;
		if (status == EXIT_DONE && asked.counts[WATCH_UNKNOWN] > 0)
			status = options->note.wants_remove ? EXIT_FINDINGS
							    : EXIT_NO_TARGET;
	}
	watch_request_release(&noting.request);
	return out_end(&noting.out, status);
}
