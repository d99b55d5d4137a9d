/*
 * stdin and stdout of a command that must not block on either, because the
 * process at the other end may itself wait for the command.
 */
#ifndef FRESHET_STANDARD_H
#define FRESHET_STANDARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/loop.h"

struct inlet;

/*
 * inlet_new(loop, fd, options): read lines from a file, pipe, socket or
 * terminal. line: called for each line, without its line feed, which the last
 * line may lack. Of a line longer than max_line, only the first max_line + 1
 * bytes are passed. end: called when there are no more lines; error is an
 * errno, or 0 at the end of the file. The loop calls both; neither may free the
 * inlet.
 */
struct inlet_options {
	size_t max_line;
	void (*line)(void *arg, struct slice line);
	void (*end)(void *arg, int error);
	void *arg;
};
struct inlet *inlet_new(struct loop *, int fd, const struct inlet_options *);
void inlet_free(struct inlet *);

/* inlet_pause(inlet, is_paused): while paused, no line comes. */
void inlet_pause(struct inlet *, bool is_paused);

struct outlet;

/* outlet_new(loop, fd, written, arg): write to fd when it has room. The loop
 * calls `written` whenever some waiting bytes were written, or when writing has
 * failed for good; then outlet_error() says why. */
struct outlet *outlet_new(
    struct loop *, int fd, void (*written)(void *arg), void *arg);
void outlet_free(struct outlet *); /* waiting bytes are dropped */

/* outlet_put(outlet, text): write a copy of the text when there is room. */
void outlet_put(struct outlet *, struct slice text);

/* outlet_waiting(outlet): the bytes not written yet.
 * outlet_written(outlet): the bytes written so far.
 * outlet_taken(outlet): of a pipe, those of them that its reader has taken. */
size_t outlet_waiting(const struct outlet *);
uint64_t outlet_written(const struct outlet *);
uint64_t outlet_taken(const struct outlet *);

/* outlet_error(outlet): an errno; EPIPE: no process reads any more; 0: none. */
int outlet_error(const struct outlet *);

#endif
