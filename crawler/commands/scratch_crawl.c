/* A crawl on a temporary store: see scratch_crawl.h. */
#include "crawler/commands/scratch_crawl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/event/stop_signals.h"
#include "crawler/stamp/listed.h"

#define NAME "scratch.db"

int
scratch_crawl_open(struct crawler *crawl, struct forkserver *forkserver)
{
	static const char *const endings[] = {"", ".lock", "-wal", "-shm"};
	char *folder = scratch_folder();
	char room[128];
	struct buf why, path;
	int status;

	/* The store of the configuration is not touched: what these commands
	 * read is of no use to anybody later. */
	free(crawl->options->store.path);
	crawl->options->store.path = NULL;
	if (folder == NULL) {
		complain("cannot make a folder for temporary files: %s",
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_DISK;
	}
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s/" NAME, folder);
	crawl->options->store.path = buf_take(&path);
	crawl->is_scratch = true;
	buf_init(&why, SIZE_MAX);
	status = crawler_open(crawl, forkserver, &why);
	/* no other process can have the lock in a new folder */
	if (status == EXIT_LOCKED)
		complain("%s", buf_str(&why));
	buf_release(&why);
	/* The store is open: without names, nothing of it is left behind. */
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		buf_clear(&path);
		(void)buf_print(&path, "%s/" NAME "%s", folder, endings[i]);
		(void)unlink(buf_str(&path));
	}
	(void)rmdir(folder);
	buf_release(&path);
	free(folder);
	return status;
}

void
scratch_crawl_done(void *arg)
{
	struct crawler *crawl = arg;

	loop_stop(crawl->loop);
}

/* The first signal: what is under way is given up, and the command reports on
 * what was read until now. */
static void
scratch_crawl_on_signal(void *arg, int number)
{
	struct crawler *crawl = arg;

	crawl->stopped_by = number;
	run_stop(crawl->run);
	/* the loop may be at work for what comes after the crawl */
	loop_stop(crawl->loop);
}

void
scratch_crawl_run(struct crawler *crawl)
{
	const struct options_output *output = &crawl->options->output;

	crawl->progress = progress_new(crawl->loop, output->progress,
	    output->is_quiet, run_totals(crawl->run, crawl->request));
	crawl->signals = stop_signals_new(
	    crawl->loop, scratch_crawl_on_signal, crawl);
	crawl->began_ms = loop_now_ms(crawl->loop);
	run_start(crawl->run, crawl->request);
	loop_run(crawl->loop);
	/* commit what was read, so that the report can be made of it */
	run_stop(crawl->run);
	progress_free(crawl->progress);
	crawl->progress = NULL;
}

int
scratch_crawl_listed(
    struct crawler *crawl, struct manifest *manifest, bool *is_whole)
{
	const struct options_output *output = &crawl->options->output;
	struct run_totals totals = *run_totals(crawl->run, crawl->request);
	struct listed_with listed = {crawl->loop, crawl->readers, crawl->local,
	    crawl->store, &crawl->options->rules.profile, &totals};
	int status;

	crawl->progress = progress_new(
	    crawl->loop, output->progress, output->is_quiet, &totals);
	status = listed_read(&listed, manifest, is_whole);
	progress_free(crawl->progress);
	crawl->progress = NULL;
	return status;
}
