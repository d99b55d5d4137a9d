/* freshet explain: is a URL accepted or refused, and why. */
#include "crawler/commands.h"
#include "crawler/exit.h"
#include "crawler/explain_print.h"
#include "crawler/selection.h"

struct counts {
	size_t accepted;
	size_t known;
};

static void
put_url(const struct options *options, struct store *store, struct out *out,
    const char *text, struct counts *counts)
{
	struct explanation explanation;
	bool is_accepted;

	explain_url(options, store, text, &explanation);
	is_accepted = explanation_is_accepted(&explanation);
	counts->accepted += is_accepted;
	counts->known += is_accepted || explanation_is_refused(&explanation);
	if (options->is_json) {
		explain_json(&explanation, store, out);
	} else {
		if (options->args.count > 1) {
			out_text(out, slice_of(text));
			explain_end(out);
		}
		explain_text(&explanation, store, out);
	}
	explanation_release(&explanation);
}

static int
explain_all(const struct options *options, struct store *store, struct out *out)
{
	const struct words *urls = &options->args;
	struct counts counts = {0};

	for (size_t i = 0; i < urls->count && out->error == 0; i++)
		put_url(options, store, out, urls->items[i], &counts);
	if (counts.known == 0)
		return EXIT_NO_TARGET;
	return counts.accepted == urls->count ? EXIT_DONE : EXIT_FINDINGS;
}

int
command_explain(struct options *options)
{
	struct store *store = NULL;
	struct out out;
	int status;
	int written;

	if (!options_read_targets(options))
		return EXIT_USAGE;
	if (options->args.count == 0) {
		complain("explain needs a URL");
		return EXIT_USAGE;
	}
	status = selection_open(options, &store);
	if (status != EXIT_DONE)
		return status;
	out_init(&out, options);
	status = explain_all(options, store, &out);
	written = out_finish(&out);
	status = selection_close(store, status);
	return written != EXIT_DONE ? written : status;
}
