/* stdin and stdout of a command that must not wait for either: whoever is at
 * the other end may be waiting for us. */
#ifndef FRESHET_STANDARD_H
#define FRESHET_STANDARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/loop.h"

struct inlet;

/*
 * inlet_new(loop, fd, options): lines from a file, pipe, socket or terminal.
 * line: each one, without its line feed; of one that is longer than max_line
 * the first max_line + 1 bytes; the last one may lack its line feed.
 * end: there are no more; error is an errno, 0: it was the end of it.
 * Both from the loop; neither may free the inlet.
 */
struct inlet_options {
	size_t max_line;
	void (*line)(void *arg, struct slice line);
	void (*end)(void *arg, int error);
	void *arg;
};
struct inlet *inlet_new(struct loop *, int fd, const struct inlet_options *);
void inlet_free(struct inlet *);

/* inlet_pause(inlet, is_paused): no line comes before it goes on. */
void inlet_pause(struct inlet *, bool is_paused);

struct outlet;

/*
 * outlet_new(loop, fd, written, arg): written from the loop, whenever some of
 * what waits was written, or will never be: outlet_error says why.
 */
struct outlet *outlet_new(
    struct loop *, int fd, void (*written)(void *arg), void *arg);
void outlet_free(struct outlet *); /* what waits is dropped */

/* outlet_put(outlet, text): it is written when there is room. */
void outlet_put(struct outlet *, struct slice text);

/* outlet_waiting(outlet): bytes that are not written yet; outlet_written: those
 * that are. */
size_t outlet_waiting(const struct outlet *);
uint64_t outlet_written(const struct outlet *);

/* outlet_error(outlet): an errno, EPIPE: nobody reads any more; 0: none. */
int outlet_error(const struct outlet *);

#endif
