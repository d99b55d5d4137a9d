/* freshet compare: the same bytes under each profile. The driver is that of
 * `crawl`, on a temporary store that is deleted at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/compare_print.h"
#include "crawler/commands/target_files.h"
#include "crawler/control/crawler.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/event/stop_signals.h"

struct command_compare {
	/* first member: callbacks of either struct get the same address */
	struct compare compare;
	struct target_files files;
	struct compare_totals totals;
	struct out out;
	bool is_damaged;
};

/* Events of the driver. */

static void
clear_progress(const struct command_compare *command)
{
	if (command->compare.crawl.progress != NULL)
		progress_clear(command->compare.crawl.progress);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct command_compare *command = arg;
	struct buf path;

	(void)profile;
	if (reading->content.kind == KIND_ROBOTS ||
	    (reading->outcome != OUTCOME_FAILED &&
		reading->outcome != OUTCOME_REFUSED) ||
	    reading->http.has_digest)
		return;
	command->totals.lost++;
	clear_progress(command);
	buf_init(&path, SIZE_MAX);
	if (local_path(command->compare.crawl.local, url, &path))
		url = buf_text(&path);
	complain("%.*s: %s: %s", (int)url.len, url.p,
	    diag_name(reading->failure), diag_info(reading->failure)->trigger);
	buf_release(&path);
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	clear_progress(arg);
	if (code != DIAG_OK && text.len == 0)
		text = slice_of(diag_info(code)->trigger);
	complain("%.*s%s%s%s%.*s", (int)url.len, url.len > 0 ? url.p : "",
	    url.len > 0 ? ": " : "", code != DIAG_OK ? diag_name(code) : "",
	    code != DIAG_OK ? ": " : "", (int)text.len,
	    text.len > 0 ? text.p : "");
}

static void
on_done(void *arg)
{
	struct command_compare *command = arg;

	loop_stop(command->compare.crawl.loop);
}

static void
on_signal(void *arg, int number)
{
	struct command_compare *command = arg;
	struct crawler *crawl = &command->compare.crawl;

	crawl->stopped_by = number;
	run_stop(crawl->run);
	loop_stop(crawl->loop);
}

/* From the targets to the bodies. */

static int
take_targets(struct command_compare *command)
{
	struct crawler *crawl = &command->compare.crawl;
	int status;

	if (!options_read_targets(crawl->options))
		return EXIT_USAGE;
	if (crawl->options->targets.args.count == 0) {
		complain("compare needs a target: a host, the URL of a site, "
			 "an index or a sitemap, or a file");
		return EXIT_USAGE;
	}
	status = target_files_init(&command->files, crawl->options);
	command->compare.has_location = true;
	if (status == EXIT_DONE && command->files.root != NULL) {
		crawl->files = &command->files.options;
		command->compare.has_location = crawl->files->base != NULL;
	}
	if (!command->compare.has_location && !crawl->options->output.is_quiet)
		complain(TARGET_FILES_NO_BASE);
	return status;
}

static int
open_all(struct command_compare *command, struct forkserver *forkserver)
{
	struct crawler *crawl = &command->compare.crawl;
	char *folder = NULL;
	char room[128];
	struct buf why;
	int status;

	command->compare.bodies_fd = scratch_fd(NULL);
	free(crawl->options->store.path);
	crawl->options->store.path = scratch_store_make(&folder);
	if (command->compare.bodies_fd < 0 || folder == NULL) {
		complain("cannot make temporary files: %s",
		    strerror_r(errno, room, sizeof(room)));
		scratch_store_hide(&folder);
		return EXIT_DISK;
	}
	crawl->is_scratch = true;
	crawl->rules = compare_rules_of;
	crawl->body = compare_body;
	crawl->hooks_arg = &command->compare;
	buf_init(&why, SIZE_MAX);
	status = crawler_open(crawl, forkserver, &why);
	buf_release(&why);
	scratch_store_hide(&folder);
	return status;
}

static bool
add_targets(const struct command_compare *command)
{
	const struct crawler *crawl = &command->compare.crawl;
	const struct string_list *args = &crawl->options->targets.args;
	bool is_good = true;
	struct buf target;

	buf_init(&target, SIZE_MAX);
	for (size_t i = 0; is_good && i < args->count; i++) {
		buf_clear(&target);
		is_good = target_files_target(&command->files, crawl->local,
			      args->items[i], &target) &&
		    run_target(crawl->run, crawl->request, buf_text(&target)) ==
			DIAG_OK;
	}
	buf_release(&target);
	return is_good;
}

static int
crawl_all(struct command_compare *command)
{
	struct crawler *crawl = &command->compare.crawl;
	const struct options *options = crawl->options;
	struct crawl_options request = crawler_request(crawl, NULL);

	request.document = on_document;
	request.problem = on_problem;
	request.done = on_done;
	request.arg = request.done_arg = command;
	crawl->request = run_crawl(crawl->run, &request);
	if (!add_targets(command))
		return EXIT_USAGE;
	crawl->progress = progress_new(crawl->loop, options->output.progress,
	    options->output.is_quiet, crawler_progress, crawl);
	crawl->signals = stop_signals_new(crawl->loop, on_signal, command);
	run_start(crawl->run, crawl->request);
	loop_run(crawl->loop);
	run_stop(crawl->run);
	progress_free(crawl->progress);
	crawl->progress = NULL;
	return EXIT_DONE;
}

/* From the bodies to the differences. */

static void
count(struct compare_totals *totals, const struct compare_diff *diff)
{
	const struct compare_document *document = diff->document;

	totals->documents++;
	totals->differing += !compare_is_same(diff);
	for (int i = 0; i < COMPARE_PROFILES; i++) {
		const struct content *content = &document->readings[i].content;

		if (document->is_index || !compare_is_read(document, i))
			continue;
		totals->urls[i] += merge_accepted(&content->merge);
		totals->dated[i] += content->merge.dated;
	}
	for (size_t i = 0; i < diff->count; i++) {
		const struct compare_group *group = &diff->groups[i];

		totals->differences[group->kind] += group->count;
		for (int k = 0; k < COMPARE_PROFILES; k++) {
			bool is_first = group->codes[k] != DIAG_OK;

			for (int m = 0; m < k; m++)
				if (group->codes[m] == group->codes[k])
					is_first = false;
			if (is_first)
				totals->codes[group->codes[k]] += group->count;
		}
	}
}

static void
on_compared(void *arg, const struct compare_document *document)
{
	struct command_compare *command = arg;
	const struct options *options = command->compare.crawl.options;
	struct compare_diff diff;
	struct buf path;

	compare_diff(&command->compare, document,
	    options->listing.wants_all ? SIZE_MAX : COMPARE_SAMPLES, &diff);
	command->is_damaged = command->is_damaged || diff.is_damaged;
	count(&command->totals, &diff);
	buf_init(&path, SIZE_MAX);
	if (local_path(
		command->compare.crawl.local, slice_of(document->url), &path))
		diff.name = buf_str(&path);
	if (options->output.is_json)
		compare_json_document(&diff, &command->out);
	else
		compare_text_document(&diff, &command->out);
	compare_diff_release(&diff);
	buf_release(&path);
}

static int
status_of(const struct command_compare *command)
{
	const struct crawler *crawl = &command->compare.crawl;
	int status = crawler_status(
	    crawl, run_totals(crawl->run, crawl->request));

	if (status != EXIT_DONE && status != EXIT_FINDINGS &&
	    status != EXIT_BUDGET)
		return status;
	if (command->is_damaged)
		return EXIT_BUG;
	if (command->totals.documents == 0)
		return EXIT_NO_TARGET;
	if (status == EXIT_BUDGET)
		return status;
	return command->totals.differing + command->totals.lost +
		    command->files.bad >
		0
	    ? EXIT_FINDINGS
	    : EXIT_DONE;
}

static int
compare_all(struct command_compare *command)
{
	struct compare *compare = &command->compare;
	char room[128];
	int status;

	status = crawl_all(command);
	if (status != EXIT_DONE)
		return status;
	if (compare->error == 0 && compare->crawl.stopped_by == 0 &&
	    !crawler_complain(&compare->crawl))
		(void)compare_read(compare, on_compared, command);
	if (compare->has_no_readers)
		return crawler_readers_lost(compare->readers_error);
	if (compare->error != 0) {
		complain("no room for bodies in the folder for temporary "
			 "files: %s",
		    strerror_r(compare->error, room, sizeof(room)));
		return EXIT_DISK;
	}
	if (compare->crawl.stopped_by != 0)
		return 128 + compare->crawl.stopped_by;
	status = status_of(command);
	if (command->compare.crawl.options->output.is_json)
		compare_json_totals(&command->totals, &command->out);
	else
		compare_text_totals(&command->totals, &command->out);
	return status;
}

int
command_compare(struct options *options, struct forkserver *forkserver)
{
	struct command_compare command = {
	    .compare = {.crawl = {.options = options}, .bodies_fd = -1}};
	int status = take_targets(&command);
	int written;

	if (status != EXIT_DONE)
		return status;
	out_init(&command.out, &options->output);
	status = open_all(&command, forkserver);
	if (status == EXIT_DONE)
		status = compare_all(&command);
	crawler_close(&command.compare.crawl);
	compare_release(&command.compare);
	target_files_release(&command.files);
	written = out_finish(&command.out);
	return written != EXIT_DONE ? written : status;
}
