/*
 * Main's side of the readers.
 *
 *	submit -> waiting -> a link, in flight -> finished -> done
 *	             ^             |
 *	             +--- again ---+
 *
 * Everything moves in kick(), which a timer calls in the next round of the loop
 * after every change. kick() delivers one result, as the last thing it does,
 * because done may free the readers.
 */
#include "crawler/sandbox/readers.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/event/loop.h"
#include "crawler/sandbox/reader_link.h"

/* HOSTILE P10: after a failed fork, try again after 50, 100, ... 1,600 ms; give
 * up after this many failures in a row if there is no reader at all. */
#define MAX_FAILURES 6
#define BACKOFF_MS 50

/* HOSTILE P4: at most MAX_RESTARTS new fork servers within RESTARTS_MS. */
#define MAX_RESTARTS 3
#define RESTARTS_MS 60000

struct readers {
	struct loop *loop;
	struct forkserver *forkserver;
	struct readers_options options;
	struct loop_timer *kick; /* owned */
	struct loop_timer *backoff; /* owned */
	struct loop_watch *watch; /* owned; NULL: the fork server is gone */
	struct reader_link **links; /* owned, as are the link_count links */
	size_t link_count;
	size_t link_cap;
	unsigned spawning;
	unsigned failures; /* of fork, in a row */
	/* errno of fork, if no reader is left and no reader can be forked */
	int fork_error;
	bool is_backing_off;
	unsigned restarts; /* of the fork server, so far */
	int64_t restarted_ms[MAX_RESTARTS]; /* the times of the last restarts */
	struct reader_queue waiting;
	struct reader_queue finished;
	int scratch; /* owned; used if count is 0; -1: none yet */
};

static void on_forkserver(void *arg, int fd, int ready);

static void
changed(void *arg)
{
	struct readers *readers = arg;

	loop_timer_set(readers->kick, 0);
}

static void
finished(void *arg, struct queued_job *queued)
{
	struct readers *readers = arg;

	reader_queue_add(&readers->finished, queued);
	changed(readers);
}

static void
again(void *arg, struct queued_job *queued)
{
	struct readers *readers = arg;

	reader_queue_add_first(&readers->waiting, queued);
	changed(readers);
}

static bool
has_no_server(const struct readers *readers)
{
	return readers->options.count > 0 && readers->watch == NULL;
}

bool
readers_are_lost(const struct readers *readers, int *error)
{
	*error = has_no_server(readers) ? 0 : readers->fork_error;
	return *error != 0 || has_no_server(readers);
}

static void
fail_waiting(struct readers *readers, const char *why)
{
	struct queued_job *queued;

	while (readers->waiting.count > 0) {
		queued = reader_queue_take(&readers->waiting);
		queued_job_fail(queued, DIAG_READER_CRASHED, slice_of(why));
		finished(readers, queued);
	}
}

/* Messages of the fork server. */

static void
on_spawned(struct readers *readers, const struct forkserver_message *message)
{
	struct reader_link_options options = {.loop = readers->loop,
	    .forkserver = readers->forkserver,
	    .readers = &readers->options,
	    .finished = finished,
	    .again = again,
	    .changed = changed,
	    .arg = readers};

	if (readers->spawning == 0) {
		/* Other readers, which were freed since, asked for this
		 * process. */
		(void)close(message->fd);
		(void)forkserver_kill(readers->forkserver, message->pid);
		return;
	}
	readers->spawning--;
	readers->failures = 0;
	readers->fork_error = 0;
	readers->links = mem_grow(readers->links, &readers->link_cap,
	    readers->link_count + 1, sizeof(*readers->links));
	readers->links[readers->link_count++] = reader_link_new(
	    &options, message->pid, message->fd);
}

static void
readers_on_failed(
    struct readers *readers, const struct forkserver_message *message)
{
	if (readers->spawning == 0)
		return;
	readers->spawning--;
	if (readers->is_backing_off)
		return; /* it failed in the same round */
	readers->is_backing_off = true;
	loop_timer_set(readers->backoff, BACKOFF_MS << readers->failures);
	if (++readers->failures < MAX_FAILURES)
		return;
	readers->failures = MAX_FAILURES - 1;
	/* As long as a reader is left, it will come to the jobs. */
	if (readers->link_count > 0)
		return;
	readers->fork_error = message->status;
	fail_waiting(readers, "cannot fork");
}

static void
readers_on_gone(struct readers *readers)
{
	int64_t now_ms = loop_now_ms(readers->loop);
	int64_t *oldest_ms =
	    &readers->restarted_ms[readers->restarts % MAX_RESTARTS];

	loop_watch_free(readers->watch);
	readers->watch = NULL;
	readers->spawning = 0;
	/* The kernel ends the readers of a server with it. */
	while (readers->link_count > 0) {
		struct reader_link *link = readers
					       ->links[--readers->link_count];

		reader_link_lost(link);
		reader_link_free(link);
	}
	/* A server that dies again and again is not replaced for ever. */
	if (readers->restarts >= MAX_RESTARTS &&
	    now_ms - *oldest_ms < RESTARTS_MS)
		return;
	*oldest_ms = now_ms;
	readers->restarts++;
	if (forkserver_replace(readers->forkserver))
		readers->watch = loop_watch_new(readers->loop,
		    forkserver_fd(readers->forkserver), LOOP_READ,
		    on_forkserver, readers);
}

static void
on_forkserver(void *arg, int fd, int ready)
{
	struct readers *readers = arg;
	struct forkserver_message message;
	struct reader_link *link;
	size_t i;

	(void)fd;
	(void)ready;
	while (forkserver_take(readers->forkserver, &message)) {
		switch (message.event) {
		case FORKSERVER_SPAWNED:
			on_spawned(readers, &message);
			break;
		case FORKSERVER_FAILED:
			readers_on_failed(readers, &message);
			break;
		case FORKSERVER_EXITED:
			i = 0;
			while (i < readers->link_count &&
			    reader_link_pid(readers->links[i]) != message.pid)
				i++;
			/* It may be a reader of a struct that was freed. */
			if (i == readers->link_count)
				break;
			link = readers->links[i];
			readers->links[i] = readers
						->links[--readers->link_count];
			reader_link_exited(link, message.status);
			reader_link_free(link);
			break;
		case FORKSERVER_GONE:
			readers_on_gone(readers);
			break;
		}
	}
	changed(readers);
}

static void
on_backoff(void *arg)
{
	struct readers *readers = arg;

	readers->is_backing_off = false;
	changed(readers);
}

/* Distribution of jobs to links. */

/* readers_give(readers, room, reserved): give jobs to links that take exactly
 * `room` more; the last `reserved` jobs wait for readers that are being
 * forked. */
static void
readers_give(struct readers *readers, unsigned room, unsigned reserved)
{
	for (size_t i = 0;
	     i < readers->link_count && readers->waiting.count > reserved;) {
		struct reader_link *link = readers->links[i];

		if (reader_link_room(link) != room) {
			i++;
			continue;
		}
		/* A job that was given before wants a reader for itself. */
		if (readers->waiting.first->is_again && room != LINK_JOBS)
			return;
		reader_link_give(link, reader_queue_take(&readers->waiting));
	}
}

static bool
has_reader(const struct readers *readers, int64_t wanted)
{
	int64_t site_id;

	for (size_t i = 0; i < readers->link_count; i++)
		if (reader_link_is_open(readers->links[i]) &&
		    reader_link_site(readers->links[i], &site_id) &&
		    site_id == wanted)
			return true;
	return false;
}

/*
 * readers_take_for(readers, link): a waiting job that the link may have; NULL:
 * none.
 */
static struct queued_job *
readers_take_for(struct readers *readers, const struct reader_link *link)
{
	const struct queued_job *first = readers->waiting.first;
	bool is_idle = reader_link_room(link) == LINK_JOBS;
	int64_t site_id;

	if (first == NULL || (first->is_again && !is_idle))
		return NULL;
	if (reader_link_site(link, &site_id))
		return reader_queue_take_of(&readers->waiting, site_id);
	/* A new reader preferably gets a site that has none yet. */
	while (first != NULL && has_reader(readers, first->job.site_id))
		first = first->next;
	return first == NULL
	    ? reader_queue_take(&readers->waiting)
	    : reader_queue_take_of(&readers->waiting, first->job.site_id);
}

static void
dispatch(struct readers *readers)
{
	unsigned open_links = 0;
	unsigned room;

	if (has_no_server(readers)) {
		fail_waiting(readers, "fork server gone");
		return;
	}
	if (readers->options.isolation == ISOLATE_SITE) {
		/* Give each link jobs of its site. If jobs of other
		 * sites wait, idle readers end, to make room for new ones. */
		for (size_t i = 0; i < readers->link_count; i++) {
			struct reader_link *link = readers->links[i];

			while (reader_link_room(link) > 0) {
				struct queued_job *queued = readers_take_for(
				    readers, link);

				if (queued == NULL)
					break;
				reader_link_give(link, queued);
			}
		}
		for (size_t i = 0;
		     i < readers->link_count && readers->waiting.count > 0; i++)
			if (reader_link_room(readers->links[i]) == LINK_JOBS)
				reader_link_retire(readers->links[i]);
	} else
		readers_give(readers, LINK_JOBS, 0);
	for (size_t i = 0; i < readers->link_count; i++)
		open_links += reader_link_is_open(readers->links[i]);
	while (!readers->is_backing_off &&
	    readers->spawning < readers->waiting.count &&
	    open_links + readers->spawning < readers->options.count &&
	    forkserver_spawn(readers->forkserver))
		readers->spawning++;
	/* What no reader will be forked for is the second job of one. */
	for (room = LINK_JOBS - 1;
	     room > 0 && readers->options.isolation != ISOLATE_SITE; room--)
		readers_give(readers, room, readers->spawning);
}

static void
kick(void *arg)
{
	struct readers *readers = arg;
	struct queued_job *queued;

	if (readers->options.count == 0) {
		queued = reader_queue_take(&readers->waiting);
		if (queued != NULL) {
			at_work_site(queued->at_work);
			reader_scratch(
			    &readers->scratch, readers->options.scratch_dir);
			queued_job_run(queued, readers->scratch);
			reader_queue_add(&readers->finished, queued);
		}
	} else
		dispatch(readers);
	queued = reader_queue_take(&readers->finished);
	if (readers->finished.count > 0 ||
	    (readers->options.count == 0 && readers->waiting.count > 0))
		changed(readers);
	if (queued == NULL)
		return;
	loop_await(readers->loop, -1);
	queued_job_deliver(queued);
}

struct readers *
readers_new(struct loop *loop, struct forkserver *forkserver,
    const struct readers_options *options)
{
	struct readers *readers = mem_zero(sizeof(*readers));

	assert(options->count == 0 || forkserver != NULL);
	readers->loop = loop;
	readers->forkserver = forkserver;
	readers->options = *options;
	if (options->isolation == ISOLATE_DOCUMENT)
		readers->options.jobs_each = 1;
	readers->kick = loop_timer_new(loop, kick, readers);
	readers->backoff = loop_timer_new(loop, on_backoff, readers);
	if (options->count > 0)
		readers->watch = loop_watch_new(loop, forkserver_fd(forkserver),
		    LOOP_READ, on_forkserver, readers);
	readers->scratch = -1;
	return readers;
}

void
readers_free(struct readers *readers)
{
	size_t i;

	if (readers == NULL)
		return;
	for (i = 0; i < readers->link_count; i++)
		reader_link_free(readers->links[i]);
	free(readers->links);
	reader_queue_release(&readers->waiting);
	reader_queue_release(&readers->finished);
	loop_watch_free(readers->watch);
	loop_timer_free(readers->backoff);
	loop_timer_free(readers->kick);
	if (readers->scratch >= 0)
		(void)close(readers->scratch);
	free(readers);
}

void
readers_submit(struct readers *readers, const struct reader_job *job,
    readers_done_fn *done, void *arg)
{
	assert(job->body_fd >= 0);
	assert(!job->scope.has_previous || job->previous != NULL);
	reader_queue_add(&readers->waiting, queued_job_new(job, done, arg));
	loop_await(readers->loop, 1);
	changed(readers);
}

unsigned
readers_backlog(const struct readers *readers)
{
	unsigned count = readers->waiting.count + readers->finished.count;
	size_t i;

	for (i = 0; i < readers->link_count; i++)
		count += reader_link_load(readers->links[i]);
	return count;
}

unsigned
readers_pids(const struct readers *readers, int *pids, unsigned max)
{
	unsigned count = 0;

	while (count < max && count < readers->link_count) {
		pids[count] = reader_link_pid(readers->links[count]);
		count++;
	}
	return count;
}
