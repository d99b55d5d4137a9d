/* freshet report: what happened at sites, as one page. */
#include <errno.h>
#include <string.h>

#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/pages/figures.h"
#include "crawler/pages/overview.h"
#include "store/store.h"

#define MONTH_S (30 * INT64_C(86400))

/* What the page is about: the tag, the only site, or how many. */
static void
put_title(
    const struct options *options, const struct strings *hosts, struct buf *out)
{
	if (options->watch.tags.count == 1)
		(void)buf_print(out, "%s", options->watch.tags.items[0]);
	else if (hosts->count == 1)
		(void)buf_print(out, "%s", hosts->items[0]);
	else if (options->watch.tags.count + options->targets.args.count > 0)
		(void)buf_print(out, "%zu sites", hosts->count);
	else
		(void)buf_print(out, "All sites");
}

static void
set_rules(void *options, struct slice host, struct events_span *span)
{
	span->sections = options_site_sections(options, host);
	span->renamings = options_site_renamings(options, host);
}

static int
write_page(const struct options *options, struct overview *overview)
{
	const char *path = options->report.html;
	struct buf title;
	struct out out;

	if (strcmp(path, "-") == 0)
		out_init(&out, &options->output);
	else if (!out_init_file(&out, &options->output, path))
		return EXIT_USAGE;
	out.is_raw = true;
	buf_init(&title, SIZE_MAX);
	put_title(options, overview->hosts, &title);
	overview->title = buf_str(&title);
	overview_write(overview, &out);
	/* A page with holes must not replace a whole one: it is dropped, as if
	 * nobody listened, and selection_close() says why. */
	if (store_failed(overview->store) != DIAG_OK)
		out.error = EPIPE;
	buf_release(&title);
	return out_finish(&out);
}

int
command_report(struct options *options)
{
	struct strings hosts = {0};
	struct overview overview = {.hosts = &hosts,
	    .zone = options->output.tz,
	    .site = set_rules,
	    .site_arg = options};
	int64_t since_s, until_s;
	int status;

	if (options->report.html == NULL) {
		complain("'report' needs --html FILE; see 'freshet help "
			 "report'");
		return EXIT_USAGE;
	}
	if (!choose_span(options, MONTH_S, &since_s, &until_s))
		return EXIT_USAGE;
	overview.span = figures_span(since_s, until_s, options->now_s);
	status = selection_open(&options->store, &overview.store);
	if (status == EXIT_DONE)
		status = choose_hosts(options, overview.store, &hosts);
	if (status == EXIT_DONE)
		status = write_page(options, &overview);
	strings_release(&hosts);
	return selection_close(overview.store, status);
}
