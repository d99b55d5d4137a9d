/* The event loop and descriptors; included by loop.h. */
#ifndef FRESHET_LOOP_WATCH_H
#define FRESHET_LOOP_WATCH_H

struct loop;
struct loop_watch;

enum loop_interest { LOOP_READ = 1, LOOP_WRITE = 2 };
typedef void loop_io_fn(void *arg, int fd, int ready);

/* loop_watch_new(loop, fd, interest, fn, arg): calls fn whenever fd is ready
 * for one of interest (0: none), until freed; the fd stays the caller's and
 * is closed after loop_watch_free. */
struct loop_watch *loop_watch_new(
    struct loop *, int fd, int interest, loop_io_fn *, void *arg);
void loop_watch_set(struct loop_watch *, int interest);
void loop_watch_free(struct loop_watch *);

#endif
