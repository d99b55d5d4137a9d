/* Main's end of one reader; private to readers*.c. */
#ifndef FRESHET_READER_LINK_H
#define FRESHET_READER_LINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "crawler/event/loop.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/reader_task.h"

#define LINK_JOBS 2 /* in flight */

struct reader_link;

struct reader_link_options {
	struct loop *loop;
	struct forkserver *forkserver;
	const struct readers_options *readers;
	/* finished: a task has its result; again: it is to be given once
	 * more; both take the task over.  changed: the link is free for a
	 * task, or has closed.  They come from the loop and from
	 * reader_link_exited, and must not free the link. */
	void (*finished)(void *arg, struct reader_task *);
	void (*again)(void *arg, struct reader_task *);
	void (*changed)(void *arg);
	void *arg;
};

/* reader_link_new(options, pid, fd): fd is taken over. */
struct reader_link *reader_link_new(
    const struct reader_link_options *, pid_t pid, int fd);

/* reader_link_free(link): its tasks are freed; the process is killed. */
void reader_link_free(struct reader_link *);

/* reader_link_room(link): how many more tasks it takes now; LINK_JOBS: it is
 * idle. */
unsigned reader_link_room(const struct reader_link *);

/* reader_link_load(link): tasks given and not finished. */
unsigned reader_link_load(const struct reader_link *);

/* reader_link_is_open(link): will it ever take a task again? */
bool reader_link_is_open(const struct reader_link *);

pid_t reader_link_pid(const struct reader_link *);

/* reader_link_site(link, *site_id): of its tasks under ISOLATE_SITE; false
 * when it never had one. */
bool reader_link_site(const struct reader_link *, int64_t *site_id);

/* reader_link_retire(link): it is idle, and takes nothing more. */
void reader_link_retire(struct reader_link *);

/* reader_link_give(link, task): there is room. */
void reader_link_give(struct reader_link *, struct reader_task *);

/* reader_link_exited(link, status): the process has ended, as waitpid says;
 * every task goes to finished or again. */
void reader_link_exited(struct reader_link *, int status);

/* reader_link_lost(link): the process ended with the fork server, and nobody
 * will tell how; every task that is not answered yet goes to again. */
void reader_link_lost(struct reader_link *);

#endif
