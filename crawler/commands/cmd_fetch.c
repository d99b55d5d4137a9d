/*
 * freshet fetch: fetch the pages that are due.  The owner of the store does it
 * (crawler/page_fetch), which is this process if no other one owns the store.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out_json.h"
#include "crawler/cli/command.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/driver_work.h"
#include "crawler/commands/due_words.h"
#include "crawler/control/crawler.h"
#include "crawler/control/shards.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"

/* The owner needs two seconds for what is under way, and the COMMIT. */
#define FAREWELL_MS 4000

struct fetch_command {
	struct options *options;
	struct strings sites; /* owned: hosts of the shard at hand */
	uint64_t count; /* pages that are still wanted; 0: no limit */
	bool is_one; /* shard */
	struct driver_work work;
};

/* A folder in words that mean the same to an owner that is elsewhere. */
static void
fetch_put_folder(struct buf *out, const char *key, const char *folder)
{
	char here[PATH_MAX];
	struct buf path = BUF_UP_TO(SIZE_MAX);

	if (folder == NULL)
		return;
	if (folder[0] != '/' && getcwd(here, sizeof(here)) != NULL)
		(void)buf_print(&path, "%s/", here);
	(void)buf_print(&path, "%s", folder);
	out_json_text(out, key, buf_text(&path));
	buf_release(&path);
}

static bool
fetch_wants_text(const struct options_fetch *fetch)
{
	return fetch->texts != NULL && strcmp(fetch->texts, "-") == 0;
}

static void
fetch_put(void *arg, struct buf *out, bool was_asked)
{
	struct fetch_command *command = arg;
	const struct options_fetch *fetch = &command->options->fetch;
	uint64_t done = command->work.totals.pages_done;

	/* what the owner before has fetched does not count again */
	if (was_asked && command->count > 0)
		command->count -= done < command->count ? done
							: command->count - 1;
	out_json_number(out, "count", command->count);
	out_json_number(out, "at_once", fetch->at_once);
	out_json_number(out, "max_bytes", fetch->page_bytes);
	out_json_flag(out, "follow", fetch->is_follow);
	out_json_flag(out, "text", fetch_wants_text(fetch));
	fetch_put_folder(out, "warc", fetch->warc);
	if (!fetch_wants_text(fetch))
		fetch_put_folder(out, "texts", fetch->texts);
	if (fetch->program != NULL)
		out_json_string(out, "exec", fetch->program);
	due_put_wanted(out, command->options, &command->sites);
}

static void
fetch_line(void *arg, const struct ndjson *object)
{
	const struct fetch_command *command = arg;
	struct slice type = ndjson_text(object, "type");
	char *next = slice_dup(ndjson_text(object, "due"));

	/* of several shards, one may know nothing of a tag */
	if (slice_is(type, "unknown") &&
	    (command->is_one || ndjson_text(object, "tag").len == 0))
		due_say_unknown(object);
	else if (slice_is(type, "more") && !command->options->output.is_quiet)
		due_say_nothing(next, command->is_one ? object : NULL, false);
	free(next);
}

int
command_fetch(struct options *options, struct forkserver *forkserver)
{
	struct fetch_command command = {
	    .options = options, .count = options->fetch.count};
	struct strings all = {0};
	struct shards shards = {0};
	int worst = EXIT_DONE, done = 0;
	int status = EXIT_DONE;

	if (options->store.url == NULL &&
	    !crawler_finds_store(options->store.path))
		return EXIT_USAGE;
	if (!sites_of(&options->targets.args, &all))
		status = EXIT_USAGE;
	else
		status = shards_open(&shards, options);
	command.is_one = shards.count == 1;
	if (status == EXIT_DONE && fetch_wants_text(&options->fetch) &&
	    !options->output.is_json)
		status = complain_with(EXIT_USAGE,
		    "'--texts -' needs --json: texts are members of the "
		    "objects on stdout");
	else if (status == EXIT_DONE && options->fetch.is_follow &&
	    !command.is_one)
		status = complain_with(EXIT_USAGE,
		    "'--follow' needs a store of one shard; 'freshet run "
		    "--fetch' fetches for each of its shards");
	/* one shard after another; a signal ends them all */
	for (unsigned s = 0; status == EXIT_DONE && s < shards.count; s++) {
		for (size_t i = 0; i < all.count; i++)
			if (shards_home(&shards, slice_of(all.items[i])) == s)
				strings_add(
				    &command.sites, slice_of(all.items[i]));
		if (all.count > 0 && command.sites.count == 0)
			continue;
		if (shards.count > 1)
			options_take_shard(options, s);
		command.work = (struct driver_work){.options = options,
		    .forkserver = forkserver,
		    .farewell_ms = FAREWELL_MS,
		    .stops_unheard = options->output.is_json,
		    .put = fetch_put,
		    .line = fetch_line,
		    .arg = &command};
		int one = driver_work_do(
		    &command.work, "fetch", COMMAND_BIT(COMMAND_FETCH));
		uint64_t pages = command.work.totals.pages_done;

		strings_release(&command.sites);
		/* pages of other shards make up for one that has none */
		done += one == EXIT_DONE;
		worst = one > worst ? one : worst;
		if (one >= 128 || (command.count > 0 && pages >= command.count))
			break;
		command.count -= command.count > 0 ? pages : 0;
	}
	if (!command.is_one && done > 0 &&
	    (worst == EXIT_NO_TARGET || worst == EXIT_LOCKED))
		worst = EXIT_FINDINGS;
	strings_release(&all);
	shards_close(&shards);
	return status == EXIT_DONE ? worst : status;
}
