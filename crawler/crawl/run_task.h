/* The driver: may a task be asked for, and what is its request? */
#ifndef FRESHET_RUN_TASK_H
#define FRESHET_RUN_TASK_H

#include <stdint.h>

#include "crawler/fetch/fetch.h"

struct run;

/*
 * task_judge(run, task): on entering NEW: may the task's URL be asked for, by
 * the limits of its crawl, by robots.txt, and by what its host has shown? Posts
 * QUEUED, WAITING, EXPANDING (an interrupted crawl has read the document),
 * GIVEN_UP or DONE.
 */
void task_judge(struct run *, uint32_t task);

/* task_fetch(run, task, done): on entering FETCHING: send the request; done has
 * the attempt as its argument. */
void task_fetch(struct run *, uint32_t task, fetch_done_fn *done);

#endif
