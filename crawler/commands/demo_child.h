/* A command of this program, run as another process beside the loop. */
#ifndef FRESHET_DEMO_CHILD_H
#define FRESHET_DEMO_CHILD_H

#include <sys/types.h>

#include "crawler/cli/options.h"

/* What the command finds in its environment, instead of what is there. */
struct demo_surroundings {
	const char *host; /* whose port 80 is at: */
	uint16_t port; /* of 127.0.0.1 */
	const char *store;
	const struct options *options; /* colours and JSON as here */
};

/*
 * demo_child_start(words, surroundings): run `freshet WORD...` with our
 * stdout and stderr, without stdin; it ends when we do.  words is
 * NULL-terminated.  Its process id, or -1 with errno.
 */
pid_t demo_child_start(
    const char *const *words, const struct demo_surroundings *);

#endif
