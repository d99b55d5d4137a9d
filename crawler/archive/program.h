/*
 * A program of the user's that takes pages: a JSON object a line on its stdin.
 * It answers each with one line, in their order: "ok" acknowledges the page,
 * any other line refuses it.
 */
#ifndef FRESHET_PROGRAM_H
#define FRESHET_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/event/loop.h"

struct program;

enum program_answer {
	PROGRAM_TAKES,
	PROGRAM_REFUSES,
	PROGRAM_ENDED /* without an answer for the page */
};

struct program_callbacks {
	void *arg; /* of the functions */
	/* The program answered for the oldest page without an answer; may not
	 * call program_free(). */
	void (*answered)(void *arg, uint32_t id, enum program_answer);
	/* The program ended; status is that of waitpid().  Before, answered()
	 * was called with PROGRAM_ENDED for each page that had no answer.  The
	 * only call after this one is program_free(). */
	void (*ended)(void *arg, int status);
};

/* program_new(loop, command, callbacks): start `sh -c command`.  Callbacks come
 * from the loop only. NULL with errno when it cannot be started.  A program
 * that closes its stdin or its stdout can answer no more: it gets SIGTERM if it
 * does not end by itself. */
struct program *program_new(
    struct loop *, const char *command, const struct program_callbacks *);

/* program_put(program, id, line): hand over a page; line has no newline, and is
 * copied.  program_bytes(program): bytes of lines that the program has not read
 * yet: the caller hands out no more while there are megabytes. */
void program_put(struct program *, uint32_t id, struct slice line);
uint64_t program_bytes(const struct program *);

/* program_finish(program): no page follows: its stdin is closed behind the last
 * line; ended() comes when it has ended.
 * program_free(program): without a callback; if the program runs, it gets
 * SIGTERM; NULL is ignored. */
void program_finish(struct program *);
void program_free(struct program *);

#endif
