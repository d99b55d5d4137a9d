/*
 * freshet crawl: read the sitemaps of sites into the store.
 *
 * The owner of the store crawls, which is this process if no other one owns it.
 * If the owner leaves first, the crawl goes on as after an interruption: what
 * was read before is not read again.
 */
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/cli/command.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/driver_work.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"

/* The blocks of a document, the cache of the store and the table in which URLs
 * are counted, which takes 8 MiB, fit into twice this. */
#define KEPT_BYTES (12 << 20)
/* How long a user who stops the command waits for an owner that hangs. */
#define FAREWELL_MS 2000

struct crawl_command {
	struct options *options;
	size_t bad; /* bad lines in lists of targets */
};

/* The targets are those that were typed, or those of the watched sites with a
 * tag. */
static int
take_targets(struct options *options, size_t *bad)
{
	int status;

	if (options->watch.tags.count > 0) {
		/* The targets of watched sites with a tag, in place of typed
		 * ones.  stdin may be a pipe that nobody writes to, as in a job
		 * of cron. */
		struct options_targets *targets = &options->targets;
		struct strings found = {0};

		if (targets->args.count > 0 || targets->input_files.count > 0 ||
		    (targets->has_stdin && !targets->is_piped))
			return complain_with(
			    EXIT_USAGE, "give TARGETs or --tag, one of them");
		status = sites_tagged(options, true, &found);
		targets->args = found;
		return status;
	}
	status = targets_read(options, bad);
	if (status == EXIT_DONE && options->targets.args.count == 0)
		return complain_with(EXIT_USAGE,
		    "'crawl' needs a TARGET or --tag; see 'freshet help "
		    "crawl'");
	return status;
}

static void
crawl_put(void *arg, struct buf *out, bool was_asked)
{
	const struct crawl_command *command = arg;
	const struct strings *args = &command->options->targets.args;

	out_json_flag(out, "force", command->options->is_forced);
	out_json_flag(out, "again", was_asked);
	out_json_flag(out, "bad", command->bad > 0);
	out_json_begin(out, "targets", '[');
	for (size_t i = 0; i < args->count; i++) {
		/* Append a target: bytes that are not UTF-8 are
		 * percent-encoded, since JSON cannot hold them. */
		struct slice text = slice_of(args->items[i]);
		struct buf ascii = BUF_UP_TO(SIZE_MAX);

		for (size_t k = 0; k < text.len; k++)
			if ((unsigned char)text.p[k] < 0x80)
				(void)buf_put_char(&ascii, text.p[k]);
			else
				(void)buf_print(
				    &ascii, "%%%02X", (unsigned char)text.p[k]);
		out_json_text(
		    out, NULL, vis_is_utf8(text) ? text : buf_text(&ascii));
		buf_release(&ascii);
	}
	out_json_end(out, ']');
}

int
command_crawl(struct options *options, struct forkserver *forkserver)
{
	struct strings all, *args = &options->targets.args;
	struct shards shards = {0};
	struct crawl_command command = {.options = options};
	int worst = EXIT_DONE;
	int status;

	mem_keep(KEPT_BYTES);
	status = take_targets(options, &command.bad);
	if (status == EXIT_DONE)
		status = shards_open(&shards, options);
	if (status != EXIT_DONE)
		return status;
	/* one shard after another; a signal ends them all */
	all = *args;
	for (unsigned s = 0; s < shards.count && worst < 128; s++) {
		*args = (struct strings){0};
		for (size_t i = 0; i < all.count; i++)
			if (shards_home(&shards, slice_of(all.items[i])) == s)
				strings_add(args, slice_of(all.items[i]));
		if (args->count == 0)
			continue;
		if (shards.count > 1)
			options_take_shard(options, s);
		struct driver_work work = {.options = options,
		    .forkserver = forkserver,
		    .makes_store = true,
		    .farewell_ms = FAREWELL_MS,
		    .put = crawl_put,
		    .arg = &command};

		status = driver_work_do(
		    &work, "crawl", COMMAND_BIT(COMMAND_CRAWL));
		worst = status > worst ? status : worst;
		strings_release(args);
	}
	*args = all;
	shards_close(&shards);
	return worst;
}
