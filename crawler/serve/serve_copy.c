/* A store in PostgreSQL as `freshet serve` shows it. */
#include "crawler/serve/serve_copy.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/event/scratch.h"
#include "crawler/event/spawn.h"

#define REST_MS 60000 /* at least, between two copies */
#define REST_TIMES 9 /* as long as the copy took */
#define LOOK_MS 100 /* between two looks whether it is there */

/* Names of copies: the one that is made, the one that is shown, and the one
 * before, which answers may still read. */
#define NAMES 3

struct serve_copy {
	struct serve_copy_options how;
	char *folder; /* owned */
	struct loop_timer *timer; /* owned */
	pid_t pid; /* of `db copy`; 0: it does not run */
	int64_t begun_ms;
	unsigned number; /* of the copy that is made, or is next */
};

/* Remove the copy of that number, with what SQLite has laid beside it. */
static void
copy_remove(const struct serve_copy *copy, unsigned number)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
	struct buf path = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		buf_clear(&path);
		(void)buf_print(&path, "%s/%u.db%s", copy->folder,
		    number % NAMES, endings[i]);
		(void)unlink(buf_str(&path));
	}
	buf_release(&path);
}

/* Begin a copy, or see what became of it. */
static void
copy_step(void *arg)
{
	struct serve_copy *copy = arg;
	const struct options *options = copy->how.options;
	int64_t now_ms = loop_now_ms(copy->how.loop), rest_ms;
	struct buf path = BUF_UP_TO(SIZE_MAX);
	int status = 0;

	(void)buf_print(&path, "%s/%u.db", copy->folder, copy->number % NAMES);
	if (copy->pid == 0) {
		const char *config = options->config.path;
		const char *const words[] = {"freshet", "db", "copy",
		    buf_str(&path), "--store", options->store.given, "--quiet",
		    config == NULL ? "--no-config" : "--config", config, NULL};

		copy_remove(copy, copy->number);
		copy->begun_ms = now_ms;
		copy->pid = spawn_self(words);
		if (copy->pid < 0) {
			complain("cannot start 'freshet db copy': %s",
			    strerrordesc_np(errno));
			copy->pid = 0;
			status = EXIT_RESOURCES;
		}
	} else if (spawn_ended(&copy->pid, WNOHANG, &status)) {
		status = WIFEXITED(status) ? WEXITSTATUS(status)
					   : EXIT_RESOURCES;
		if (status == EXIT_DONE) {
			copy->number++;
			copy->how.made(copy->how.arg, buf_str(&path));
		}
	}
	rest_ms = (now_ms - copy->begun_ms) * REST_TIMES;
	loop_timer_set(copy->timer,
	    copy->pid != 0          ? LOOK_MS
		: rest_ms < REST_MS ? REST_MS
				    : rest_ms);
	if (status != EXIT_DONE)
		copy->how.failed(copy->how.arg, status);
	buf_release(&path);
}

struct serve_copy *
serve_copy_new(const struct serve_copy_options *options)
{
	struct serve_copy *copy = mem_zero(sizeof(*copy));

	*copy = (struct serve_copy){.how = *options,
	    .folder = scratch_folder(),
	    .timer = loop_timer_new(options->loop, copy_step, copy)};
	if (copy->folder == NULL) {
		complain("there is no room for temporary files: see TMPDIR");
		serve_copy_free(copy);
		return NULL;
	}
	loop_timer_set(copy->timer, 0);
	return copy;
}

void
serve_copy_free(struct serve_copy *copy)
{
	if (copy == NULL)
		return;
	if (copy->pid != 0) {
		(void)kill(copy->pid, SIGTERM);
		(void)spawn_ended(&copy->pid, 0, NULL);
	}
	for (unsigned i = 0; i < NAMES && copy->folder != NULL; i++)
		copy_remove(copy, i);
	scratch_drop(copy->folder);
	loop_timer_free(copy->timer);
	free(copy);
}
