/* freshet stats: what a site did lately, and how often its dates are right. */
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/control/frontier_make.h"
#include "crawler/event/exit.h"
#include "crawler/inspect/stats_text.h"

/* A site is gathered and printed before the next: its numbers may be many. */
static void
show_one(const struct options *options, struct store *store,
    struct frontier *frontier, struct slice host, struct out *out)
{
	struct options_stats how = options->stats;
	struct stats stats;

	how.sections = options_of_site(options, host)->sections.rules;
	how.renamings = options_of_site(options, host)->moves.renamings;
	how.wants_readings = true;
	stats_gather(&stats, store, host, &how, options->now_s, NULL);
	stats_ask(&stats, frontier, store, options->now_s);
	switch (how.format) {
	case STATS_TEXT:
		stats_text(&stats, out);
		break;
	case STATS_NDJSON:
		stats_json(&stats, out);
		break;
	case STATS_CSV:
		stats_csv(&stats, out);
		break;
	}
	stats_release(&stats);
}

int
command_stats(struct options *options)
{
	struct options_stats *stats = &options->stats;
	struct strings hosts = {0};
	struct store *store = NULL;
	struct out out;
	int status;

	if (options->output.is_json)
		options->stats.format = STATS_NDJSON;
	if (options->targets.args.count == 0 && options->watch.tags.count == 0)
		return complain_with(EXIT_USAGE,
		    "'stats' needs a SITE or --tag; see 'freshet help stats'");
	/* without --since and --until the span follows from --last and --by */
	if ((options->diff.since != NULL || options->diff.until != NULL) &&
	    !choose_span(
		options, stats_last_s(stats), &stats->since_s, &stats->until_s))
		return EXIT_USAGE;
	if (options->diff.until == NULL)
		stats->until_s = 0;
	status = selection_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	/* numbers are kept by site and section, and not for any folder */
	status = choose_hosts(options, store, &hosts);
	if (status == EXIT_DONE) {
		out_init(&out, &options->output);
		out.is_raw = options->stats.format == STATS_CSV;
		/* one heading for all sites, so that it is one table */
		if (options->stats.format == STATS_CSV)
			stats_csv_heading(options->stats.by, &out);
		/* Print one site after the other. */
		struct watch_rules rules = {.options = options, .store = store};
		struct frontier_only only = {0};
		struct frontier *frontier;

		for (size_t i = 0; i < hosts.count; i++)
			frontier_only_add(&only,
			    store_site_find(store, slice_of(hosts.items[i])));
		frontier = frontier_to_show(
		    &rules, &only, NULL, options->now_s);
		for (size_t i = 0; i < hosts.count && out.error == 0; i++) {
			if (i > 0 && options->stats.format == STATS_TEXT)
				(void)buf_put_char(&out.text, '\n');
			show_one(options, store, frontier,
			    slice_of(hosts.items[i]), &out);
		}
		frontier_free(frontier);
		frontier_only_release(&only);
		watch_rules_release(&rules);

		status = out_end(&out, status);
	}
	strings_release(&hosts);
	return selection_close(store, status);
}
