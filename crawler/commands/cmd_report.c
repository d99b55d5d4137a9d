/* freshet report: what happened at sites, as one page. */
#include <errno.h>
#include <string.h>

#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/pages/figures.h"
#include "crawler/pages/overview.h"

#define MONTH_S (30 * INT64_C(86400))

int
command_report(struct options *options)
{
	struct strings hosts = {0};
	struct overview overview = {.hosts = &hosts, .options = options};
	const char *path = options->report.html;
	int64_t since_s, until_s;
	struct out out;
	int status;

	if (path == NULL)
		return complain_with(EXIT_USAGE,
		    "'report' needs --html FILE; see 'freshet help report'");
	if (!choose_span(options, MONTH_S, &since_s, &until_s))
		return EXIT_USAGE;
	overview.span = figures_span(since_s, until_s, options->now_s);
	status = selection_open(options, &overview.store);
	if (status == EXIT_DONE)
		status = choose_hosts(options, overview.store, &hosts);
	if (status == EXIT_DONE && strcmp(path, "-") == 0)
		out_init(&out, &options->output);
	else if (status == EXIT_DONE &&
	    !out_init_file(&out, &options->output, path))
		status = EXIT_USAGE;
	if (status == EXIT_DONE) {
		out.is_raw = true;
		overview_write(&overview, &out);
		/* A page with holes must not replace a whole one: it is
		 * dropped, as if nobody listened, and selection_close() says
		 * why. */
		if (store_failed(overview.store) != DIAG_OK)
			out.error = EPIPE;
		status = out_finish(&out);
	}
	strings_release(&hosts);
	return selection_close(overview.store, status);
}
