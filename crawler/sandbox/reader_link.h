/* Main's end of one reader; for readers.c. */
#ifndef FRESHET_READER_LINK_H
#define FRESHET_READER_LINK_H

#include <stdbool.h>
#include <sys/types.h>

#include "crawler/event/loop.h"
#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/reader_task.h"

#define LINK_JOBS 2 /* tasks in flight */

struct reader_link;

struct reader_link_options {
	struct loop *loop;
	struct forkserver *forkserver;
	const struct readers_options *readers;
	/*
	 * finished: a task has its result; again: a task must be given once
	 * more; both take over the task. changed: the link has room for a task,
	 * or has closed. All come from the loop and from reader_link_exited,
	 * and must not free the link.
	 */
	void (*finished)(void *arg, struct reader_task *);
	void (*again)(void *arg, struct reader_task *);
	void (*changed)(void *arg);
	void *arg;
};

/* reader_link_new(options, pid, fd): fd is owned by the link. */
struct reader_link *reader_link_new(
    const struct reader_link_options *, pid_t pid, int fd);

/* reader_link_free(link): free the tasks and kill the process. */
void reader_link_free(struct reader_link *);

/* reader_link_room(link): how many more tasks the link takes now; LINK_JOBS:
 * the reader is idle. */
unsigned reader_link_room(const struct reader_link *);

/* reader_link_load(link): the number of tasks given and not finished. */
unsigned reader_link_load(const struct reader_link *);

/* reader_link_is_open(link): false: the link will take no more tasks. */
bool reader_link_is_open(const struct reader_link *);

pid_t reader_link_pid(const struct reader_link *);

/* reader_link_site(link, site_id): the site of its tasks under ISOLATE_SITE;
 * false: the link never had a task. */
bool reader_link_site(const struct reader_link *, int64_t *site_id);

/* reader_link_retire(link): close a link whose reader is idle. */
void reader_link_retire(struct reader_link *);

/* reader_link_give(link, task): give a task to a link that has room. */
void reader_link_give(struct reader_link *, struct reader_task *);

/* reader_link_exited(link, status): the process has ended with that status of
 * waitpid; every task goes to finished or again. */
void reader_link_exited(struct reader_link *, int status);

/* reader_link_lost(link): the process ended with the fork server, so that its
 * status is unknown; every task without an answer goes to again. */
void reader_link_lost(struct reader_link *);

#endif
