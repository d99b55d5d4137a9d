/* freshet hold and release: what fetchers tell the frontier besides results. */
#include <inttypes.h>

#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/control/shards.h"
#include "crawler/control/store_client.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_lines.h"

/* One request to the frontier, and its answers. */
struct call {
	struct options *options;
	struct shards shards; /* of the store */
	const char *host; /* hold: whose pages; borrowed */
	struct buf request;
	int64_t released; /* pages of all shards */
	struct out out;
};

/* Answers about hosts have a type, those about leases have none. */
static void
hold_on_line(void *arg, struct slice line, const struct ndjson *answer)
{
	struct call *call = arg;
	struct ndjson *ack = NULL;

	if (answer == NULL)
		answer = ack = ndjson_parse(line, NULL);
	if (answer == NULL)
		return;
	/* Warn of a host that the store does not know: it may be misspelt. */
	if (ndjson_flag(answer, "unknown") && !call->options->output.is_quiet)
		complain("no site and no page of '%s' is known%s", call->host,
		    call->options->frontier.hold_s == 0
			? ""
			: "; it is held all the same");
	/* a program gets the answer of the owner as it is */
	if (call->options->output.is_json) {
		(void)buf_put_slice(&call->out.text, line);
		out_end_line(&call->out);
	} else if (!call->options->output.is_quiet) {
		struct out *out = &call->out;
		struct slice type = ndjson_text(answer, "type");
		bool is_over = call->options->frontier.hold_s == 0;

		if (type.p == NULL) {
			/* Print an answer about one lease, for people. */
			struct slice reason = ndjson_text(answer, "reason");

			out_text(out, ndjson_text(answer, "lease"));
			(void)buf_print(&out->text, "  %s",
			    reason.p == NULL ? "given back" : "");
			out_text(out, reason);
			out_end_line(out);
		} else if (slice_is(type, "held")) {
			out_text(out, ndjson_text(answer, "host"));
			(void)buf_print(&out->text, "  is held %s",
			    is_over ? "no longer" : "until ");
			if (!is_over)
				out_text(out, ndjson_text(answer, "until"));
			if (ndjson_flag(answer, "stood"))
				(void)buf_print(
				    &out->text, ", as it was before");
			out_end_line(out);
		} else {
			call->released += ndjson_number(answer, "pages", 0);
		}
	}
	ndjson_free(ack);
}

/* Send call->request to a shard. */
static int
hold_ask(struct call *call, unsigned shard)
{
	struct store_call how = {.request = buf_text(&call->request),
	    .line = hold_on_line,
	    .arg = call,
	    .shards = &call->shards,
	    .shard = shard};
	int status;

	exit_on_signals();
	out_init(&call->out, &call->options->output);
	status = store_call(call->options, &how);
	return out_end(&call->out, status);
}

/* The hosts that are held, read from the store. */

struct hold_listing {
	const struct options *options;
	struct out out;
	size_t count;
};

/* Print a host, unless its hold is over.  It may be held as a whole, or its
 * pages alone, or both for different times. */
static void
list_hold(void *arg, struct slice host, const struct hold_times *times)
{
	struct hold_listing *listing = arg;
	struct buf *text = &listing->out.text;
	int64_t now_s = listing->options->now_s;
	int64_t all_s = times->all_s > now_s ? times->all_s : 0;
	int64_t pages_s = times->pages_s > now_s ? times->pages_s : 0;

	if (all_s == 0 && pages_s == 0)
		return;
	listing->count++;
	if (listing->options->output.is_json) {
		out_json_line(text, "held");
		out_json_word(text, "host", host);
		out_json_time(
		    text, "until", all_s > 0 ? all_s : FRONTIER_NEVER);
		out_json_time(
		    text, "pages_until", pages_s > all_s ? pages_s : all_s);
		(void)out_end_json(&listing->out);
	} else {
		out_text(&listing->out, host);
		if (all_s > 0)
			(void)buf_print(text, "  is held until %s",
			    zone_text(all_s, ZONE_FULL).text);
		if (pages_s > all_s)
			(void)buf_print(text, "%s%s",
			    all_s > 0 ? ", its pages until "
				      : "  has its pages held until ",
			    zone_text(pages_s, ZONE_FULL).text);
		out_end_line(&listing->out);
	}
}

int
command_hold(struct options *options)
{
	bool has_hosts = options->targets.args.count > 0;
	bool has_tags = options->watch.tags.count > 0;
	struct hold_listing listing = {.options = options};
	struct call call = {.options = options};
	struct store *store = NULL;
	struct strings hosts = {0};
	int status = EXIT_DONE;

	if (!has_hosts && !has_tags && !options->frontier.has_hold) {
		/* without an argument: who is held, as the store knows it */
		status = selection_open(options, &store);
		if (status != EXIT_DONE)
			return status;
		out_init(&listing.out, &options->output);
		store_each_hold(store, list_hold, &listing);
		if (listing.count == 0 && !options->output.is_quiet)
			complain("no host is held");
		return selection_close(store, out_end(&listing.out, status));
	}
	if (has_hosts == has_tags)
		return complain_with(
		    EXIT_USAGE, "'hold' needs either a HOST or --tag");
	if (!options->frontier.has_hold)
		return complain_with(
		    EXIT_USAGE, "'hold' needs a time: --for TIME");
	if (has_tags)
		status = sites_tagged(options, false, &hosts);
	else if (!sites_of(&options->targets.args, &hosts))
		status = EXIT_USAGE;
	if (status == EXIT_DONE)
		status = shards_open(&call.shards, options);
	for (size_t i = 0; status == EXIT_DONE && i < hosts.count; i++) {
		call.host = hosts.items[i];
		store_call_begin(&call.request, "hold");
		out_json_string(&call.request, "host", hosts.items[i]);
		out_json_number(
		    &call.request, "for_s", (uint64_t)options->frontier.hold_s);
		out_json_line_end(&call.request);
		status = hold_ask(
		    &call, shards_home(&call.shards, slice_of(call.host)));
		buf_release(&call.request);
	}
	shards_close(&call.shards);
	strings_release(&hosts);
	return status;
}

int
command_release(struct options *options)
{
	const struct strings *leases = &options->targets.args;
	struct call call = {.options = options};
	int status = shards_open(&call.shards, options);
	int one;

	/* without leases, all that are out are given back */
	for (unsigned s = 0; s < call.shards.count && status <= EXIT_FINDINGS;
	     s++) {
		size_t count = 0;

		store_call_begin(&call.request, "release");
		out_json_flag(&call.request, "all", leases->count == 0);
		out_json_begin(&call.request, "leases", '[');
		for (size_t i = 0; i < leases->count; i++) {
			struct slice lease = slice_of(leases->items[i]);

			if (shards_of_token(
				&call.shards, lease, slice_of("")) != s)
				continue;
			count++;
			out_json_text(&call.request, NULL, lease);
		}
		out_json_end(&call.request, ']');
		out_json_line_end(&call.request);
		one = leases->count > 0 && count == 0 ? EXIT_DONE
						      : hold_ask(&call, s);
		status = one > status ? one : status;
		buf_release(&call.request);
	}
	shards_close(&call.shards);
	if (leases->count > 0 || status > EXIT_FINDINGS ||
	    options->output.is_json || options->output.is_quiet)
		return status;
	out_init(&call.out, &options->output);
	(void)buf_print(&call.out.text, "%" PRId64 " %s given back\n",
	    call.released, call.released == 1 ? "page was" : "pages were");
	return out_end(&call.out, status);
}
