/* The texts of robots.txt, and what changed from one to the next. */
#include "crawler/inspect/robots_history.h"

#include "base/human.h"
#include "base/out_json.h"
#include "base/robots_difference.h"
#include "base/strings.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/site.h"

#define AGENTS_SHOWN 20

struct robots_history {
	struct store *store;
	struct out out;
	bool is_json;
	struct slice site, origin;
	bool has_before;
	struct buf before;
	bool is_full; /* nothing can be written any more */
};

/* For people. */

static void
text_change(void *arg, const struct robots_change *change)
{
	struct robots_history *history = arg;
	struct buf line;

	buf_init(&line, SIZE_MAX);
	robots_change_print(&line, change, AGENTS_SHOWN);
	(void)buf_print(
	    &history->out.text, "    %c ", change->is_new ? '+' : '-');
	out_text(&history->out, buf_text(&line));
	(void)buf_put_char(&history->out.text, '\n');
	buf_release(&line);
}

static void
text_version(struct robots_history *history, const struct robots_text *text)
{
	struct buf *out = &history->out.text;
	struct robots_difference difference;

	if (!history->has_before) {
		out_text(&history->out, history->origin);
		(void)buf_print(out, "/robots.txt\n");
	}
	(void)buf_print(out, "  ");
	if (text->since_s == 0)
		(void)buf_print(out, "%-16s", "the oldest text");
	else
		zone_moment(out, text->since_s);
	(void)buf_print(out, "  ");
	if (text->is_file)
		human_bytes(out, text->body.len);
	else
		(void)buf_print(out, "there was no such file");
	(void)buf_put_char(out, '\n');
	if (!history->has_before)
		return;
	difference = robots_compare(
	    buf_text(&history->before), text->body, text_change, history);
	if (difference.is_cut)
		(void)buf_print(
		    out, "    it has more rules than are compared\n");
}

/* For programs. */

static void
json_change(void *arg, const struct robots_change *change)
{
	struct robots_history *history = arg;
	struct buf *out = &history->out.text;

	out_json_begin(out, NULL);
	out_json_flag(out, "new", change->is_new);
	out_json_word(out, "name", change->name);
	out_json_text(out, "value", change->value);
	out_json_list(out, "agents");
	for (size_t i = 0; i < change->agent_count; i++) {
		out_json_text(out, NULL, change->agents[i]);
	}
	out_json_list_end(out);
	out_json_end(out);
}

/* Sites. */

static bool
on_text(void *arg, const struct robots_text *text)
{
	struct robots_history *history = arg;

	if (history->is_json) {
		struct buf *out = &history->out.text;

		out_json_line(out, "robots-text");
		out_json_word(out, "site", history->site);
		out_json_word(out, "origin", history->origin);
		out_json_time(out, "since", text->since_s);
		out_json_time(out, "until", text->until_s);
		out_json_flag(out, "file", text->is_file);
		out_json_list(out, "changes");
		if (history->has_before)
			(void)robots_compare(buf_text(&history->before),
			    text->body, json_change, history);
		out_json_list_end(out);
		out_json_text(out, "text", text->body);
		out_json_line_end(out);
	} else
		text_version(history, text);
	history->has_before = true;
	buf_clear(&history->before);
	(void)buf_put_slice(&history->before, text->body);
	history->is_full = !out_line(&history->out);
	return !history->is_full;
}

static void
add_origin(void *arg, struct slice origin)
{
	strings_add(arg, origin);
}

static int
show_site(struct robots_history *history, const char *text)
{
	struct selection selection = {0};
	struct strings origins = {0};
	int status = selection_init(&selection, history->store, text);

	if (status == EXIT_DONE) {
		history->site = slice_of(selection.site);
		store_each_site_origin(history->store,
		    store_site_find(history->store, history->site), add_origin,
		    &origins);
	}
	for (size_t i = 0; i < origins.count && !history->is_full; i++) {
		history->origin = slice_of(origins.items[i]);
		history->has_before = false;
		store_each_robots_text(
		    history->store, history->origin, on_text, history);
	}
	strings_release(&origins);
	selection_release(&selection);
	return status;
}

int
robots_history(const struct options *options)
{
	const struct string_list *sites = &options->targets.args;
	struct robots_history history = {.is_json = options->output.is_json};
	int status = selection_open(&options->store, &history.store);

	if (status != EXIT_DONE)
		return status;
	out_init(&history.out, &options->output);
	history.out.is_raw = history.is_json;
	buf_init(&history.before, SIZE_MAX);
	for (size_t i = 0;
	     i < sites->count && status == EXIT_DONE && !history.is_full; i++)
		status = show_site(&history, sites->items[i]);
	buf_release(&history.before);
	return selection_close(history.store, out_end(&history.out, status));
}
