/*
 * stdin and stdout of a command that must not block on either, because the
 * process at the other end may itself wait for the command.
 */
#ifndef FRESHET_STANDARD_H
#define FRESHET_STANDARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/event/loop.h"
#include "crawler/event/splitter.h"

struct inlet_options {
	size_t max_line;
	void (*line)(void *arg, struct slice line);
	void (*end)(void *arg, int error);
	void *arg;
};
/* Lines on their way in. The users read is_paused; a zeroed inlet may be
 * released. */
struct inlet {
	struct inlet_options options;
	int fd;
	struct loop_watch *watch; /* owned: runs while nothing can be read */
	struct loop_timer *next; /* owned: runs while something can */
	struct splitter in;
	bool is_paused, is_over;
	bool has_left; /* a pause left bytes in `in` */
	bool is_long; /* skip the rest of a line that is too long */
};

/* inlet_init(inlet, loop, fd, options): read lines from a file, pipe, socket or
 * terminal. line: called for each line, without its line feed, which the last
 * line may lack. Of a line longer than max_line, only the first max_line + 1
 * bytes are passed. end: called when there are no more lines; error is an
 * errno, or 0 at the end of the file. The loop calls both; neither may free the
 * inlet. */
void inlet_init(
    struct inlet *, struct loop *, int fd, const struct inlet_options *);
void inlet_release(struct inlet *);

/* inlet_pause(inlet, is_paused): while paused, no line comes. */
void inlet_pause(struct inlet *, bool is_paused);

/* Bytes on their way out. The users read `out`, `written_bytes` and `error`; to
 * release it, which a zeroed outlet may be, drops waiting bytes. */
struct outlet {
	int fd;
	struct loop_watch *watch; /* owned: waits for room */
	struct loop_timer *next; /* owned: writes in the next round */
	struct buf out; /* not written yet */
	uint64_t written_bytes; /* so far */
	int error; /* an errno; EPIPE: no process reads any more; 0: none */
	int always; /* enum loop_interest also while nothing waits */
	void (*written)(void *arg);
	void *arg;
};

/* outlet_init(outlet, loop, fd, written, arg): write to fd when it has room.
 * The loop calls `written` whenever some waiting bytes were written, or when
 * writing has failed for good; then `error` says why. */
void outlet_init(struct outlet *, struct loop *, int fd,
    void (*written)(void *arg), void *arg);
void outlet_release(struct outlet *);

/* outlet_put(outlet, text): write a copy of the text when there is room. */
void outlet_put(struct outlet *, struct slice text);

/* outlet_taken(outlet): of a pipe, how many of the bytes written so far its
 * reader has taken. */
uint64_t outlet_taken(const struct outlet *);

#endif
