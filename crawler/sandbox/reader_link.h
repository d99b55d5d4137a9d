/* Main's end of one reader; for readers.c. */
#ifndef FRESHET_READER_LINK_H
#define FRESHET_READER_LINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/slice.h"
#include "crawler/event/loop.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/reader_validation.h"
#include "crawler/sandbox/readers.h"
#include "store/segment/reading.h"

/* A job on its way through the readers, and the queue of such jobs; for
 * readers.c and reader_link.c. */

struct queued_job {
	struct reader_job job; /* owned */
	readers_done_fn *done;
	void *arg;
	struct queued_job *next; /* in its queue */
	bool was_second; /* the reader had another job when it got this one */
	bool is_again; /* given once already: only an idle reader may take it */
	uint32_t at_work; /* the number of the site: see at_work.h */
	bool is_too_large; /* an empty frame was sent instead */
	enum diag_code result;
	struct content content; /* owned */
};

struct queued_job *queued_job_new(
    const struct reader_job *, readers_done_fn *, void *arg);

/* queued_job_deliver(queued): call done and free the job. */
void queued_job_deliver(struct queued_job *);

/* queued_job_fail(queued, code, why): the result is this failure. */
void queued_job_fail(struct queued_job *, enum diag_code, struct slice why);

/* queued_job_run(queued, scratch_fd): read the document in this process. */
void queued_job_run(struct queued_job *, int scratch_fd);

/* reader_scratch(fd, dir): make *fd, which is -1 at first, an empty scratch
 * file; *fd stays -1 if there can be none. */
void reader_scratch(int *fd, const char *dir);

/* The queue owns its jobs; a zeroed queue is empty. */
struct reader_queue {
	struct queued_job *first;
	struct queued_job *last;
	unsigned count;
};

void reader_queue_add(struct reader_queue *, struct queued_job *);
void reader_queue_add_first(struct reader_queue *, struct queued_job *);
struct queued_job *reader_queue_take(struct reader_queue *);

/*
 * reader_queue_take_of(queue, site_id): the first job of that site, or NULL.
 */
struct queued_job *reader_queue_take_of(struct reader_queue *, int64_t site_id);
void reader_queue_release(struct reader_queue *);

#define LINK_JOBS 2 /* jobs in flight */

struct reader_link;

struct reader_link_options {
	struct loop *loop;
	struct forkserver *forkserver;
	const struct readers_options *readers;
	/*
	 * finished: a job has its result; again: a job must be given once
	 * more; both take over the job. changed: the link has room for a job,
	 * or has closed. All come from the loop and from reader_link_exited,
	 * and must not free the link.
	 */
	void (*finished)(void *arg, struct queued_job *);
	void (*again)(void *arg, struct queued_job *);
	void (*changed)(void *arg);
	void *arg;
};

/* reader_link_new(options, pid, fd): fd is owned by the link. */
struct reader_link *reader_link_new(
    const struct reader_link_options *, pid_t pid, int fd);

/* reader_link_free(link): free the jobs and kill the process. */
void reader_link_free(struct reader_link *);

/* reader_link_room(link): how many more jobs the link takes now; LINK_JOBS:
 * the reader is idle. */
unsigned reader_link_room(const struct reader_link *);

/* reader_link_load(link): the number of jobs given and not finished. */
unsigned reader_link_load(const struct reader_link *);

/* reader_link_is_open(link): false: the link will take no more jobs. */
bool reader_link_is_open(const struct reader_link *);

pid_t reader_link_pid(const struct reader_link *);

/* reader_link_site(link, site_id): the site of its jobs under ISOLATE_SITE;
 * false: the link never had a job. */
bool reader_link_site(const struct reader_link *, int64_t *site_id);

/* reader_link_retire(link): close a link whose reader is idle. */
void reader_link_retire(struct reader_link *);

/* reader_link_give(link, queued): give a job to a link that has room. */
void reader_link_give(struct reader_link *, struct queued_job *);

/* reader_link_exited(link, status): the process has ended with that status of
 * waitpid; every job goes to finished or again. */
void reader_link_exited(struct reader_link *, int status);

/* reader_link_lost(link): the process ended with the fork server, so that its
 * status is unknown; every job without an answer goes to again. */
void reader_link_lost(struct reader_link *);

#endif
