/* freshet stats: what a site did lately, and how far its dates are right. */
#include "crawler/commands.h"
#include "crawler/exit.h"
#include "crawler/out.h"
#include "crawler/selection.h"
#include "crawler/stats.h"
#include "crawler/watch_desk.h"

static void
show(const struct options *options, struct store *store, struct slice host,
    struct out *out)
{
	struct watch_rules *rules = watch_rules_new(options, store);
	struct desk *desk = watch_desk(rules, options->now_s);
	struct stats stats;

	stats_gather(&stats, store, host, &options->stats, options->now_s);
	stats_ask(&stats, desk, store, options->now_s);
	if (options->is_json)
		stats_json(&stats, out);
	else
		stats_text(&stats, out);
	stats_release(&stats);
	desk_free(desk);
	watch_rules_free(rules);
}

int
command_stats(struct options *options)
{
	struct selection selection = {0};
	struct store *store = NULL;
	struct out out;
	int status = selection_open(options, &store);
	int written = EXIT_DONE;

	if (status != EXIT_DONE)
		return status;
	status = selection_init(&selection, store, options->args.items[0]);
	if (status == EXIT_DONE) {
		out_init(&out, options);
		show(options, store, slice_of(selection.site), &out);
		written = out_finish(&out);
	}
	selection_release(&selection);
	status = selection_close(store, status);
	return written != EXIT_DONE ? written : status;
}
