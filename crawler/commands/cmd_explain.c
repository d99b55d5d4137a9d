/* freshet explain: whether a URL is accepted or refused, and why. */
#include "base/zone.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/control/frontier_make.h"
#include "crawler/event/exit.h"
#include "crawler/frontier/site_crawl.h"
#include "crawler/inspect/explain_due.h"
#include "crawler/inspect/explain_text.h"
#include "store/site.h"
#include "store/watch.h"

/* For more URLs the frontier loads all sites. */
#define FEW_URLS 64

struct explaining {
	const struct options *options;
	struct store *store;
	struct frontier_only only;
	struct frontier *frontier;
	struct out out;
	size_t accepted;
	size_t known;
};

/* Say of a watched site that nothing is found there, and since when. */
static void
put_lost_site(struct explaining *at, struct slice host)
{
	struct buf *text = &at->out.text;
	int64_t site_id = store_site_find(at->store, host);
	struct site_crawl crawl;
	struct watch watch;

	if (site_id == 0 || !store_watch_get(at->store, site_id, &watch))
		return;
	if (watch.is_watched && site_crawl_get(at->store, &watch, &crawl) &&
	    crawl.tries > 0 && crawl.whole_s != SITE_CRAWL_NEVER) {
		explain_label(&at->out, SEVERITY_WARNING, "not found");
		(void)buf_print(text, "nothing is found at its site");
		if (crawl.lost_s != 0)
			(void)buf_print(text, " since %s",
			    zone_text(crawl.lost_s, ZONE_FULL).text);
		(void)buf_print(text, "; 'run' tries again %s",
		    zone_text(crawl.whole_s, ZONE_FULL).text);
		out_end_line(&at->out);
	}
	watch_release(&watch);
}

/* Each URL has an answer of its own; one that is not known does not end the
 * others. */
static int
explain_all(struct explaining *at)
{
	const struct strings *urls = &at->options->targets.args;

	for (size_t i = 0; i < urls->count && at->out.error == 0; i++) {
		struct explanation explanation;
		bool is_accepted;

		explain_url(
		    at->options, at->store, urls->items[i], &explanation);
		explain_due_ask(
		    at->frontier, at->store, &explanation, at->options->now_s);
		is_accepted = explanation_is_accepted(&explanation);
		at->accepted += is_accepted;
		/* a URL that is listed no longer, or was leased though nothing
		 * lists it */
		at->known += is_accepted ||
		    explanation_is_refused(&explanation) ||
		    explanation.is_gone || explanation.dues.count > 0;
		if (at->options->output.is_json) {
			explain_json(&explanation, at->store, &at->out);
		} else {
			/* several answers need the URL above each */
			if (at->options->targets.args.count > 1) {
				out_text(&at->out, slice_of(urls->items[i]));
				out_end_line(&at->out);
			}
			explain_text(&explanation, at->store, &at->out);
			if (explanation.unusable == DIAG_OK)
				put_lost_site(at, url_host(&explanation.url));
		}
		explanation_release(&explanation);
	}
	/* what nothing is known of is most often misspelt */
	if (at->known == 0)
		return EXIT_NO_TARGET;
	return at->accepted == urls->count ? EXIT_DONE : EXIT_FINDINGS;
}

int
command_explain(struct options *options)
{
	struct explaining at = {.options = options};
	struct watch_rules rules;
	int status;

	if (!options_read_targets(options))
		return EXIT_USAGE;
	if (options->targets.args.count == 0)
		return complain_with(EXIT_USAGE, "explain needs a URL");
	status = selection_open(options, &at.store);
	if (status != EXIT_DONE)
		return status;
	rules = (struct watch_rules){.options = options, .store = at.store};
	/* Make a frontier that knows the sites of the URLs. */
	const struct strings *urls = &at.options->targets.args;
	bool are_few = urls->count <= FEW_URLS;
	for (size_t i = 0; are_few && i < urls->count; i++) {
		struct url url = {0};

		if (explain_parse(at.store, urls->items[i], &url) == DIAG_OK)
			frontier_only_url(&at.only, at.store, url_text(&url));
		url_release(&url);
	}
	at.frontier = frontier_to_show(
	    &rules, are_few ? &at.only : NULL, at.options, at.options->now_s);

	out_init(&at.out, &options->output);
	status = explain_all(&at);
	status = out_end(&at.out, status);
	frontier_free(at.frontier);
	frontier_only_release(&at.only);
	watch_rules_release(&rules);
	return selection_close(at.store, status);
}
