/* Changing the watch list: here, or through whoever holds the store. */
#ifndef FRESHET_WATCH_ASK_H
#define FRESHET_WATCH_ASK_H

#include "crawler/cli/options.h"
#include "crawler/control/watch_change.h"

struct watch_asked {
	bool was_held; /* another process did it, or the last of it */
	uint64_t counts[WATCH_CHANGES];
};

/*
 * watch_ask(options, request, told, arg, asked): make the change, some items
 * at a time; told once each is committed, with 0 for its site where another
 * process did it.  Returns EXIT_DONE, or the exit status after one line on
 * stderr; what was told of is done all the same.
 */
int watch_ask(const struct options *, const struct watch_request *,
    watch_changed_fn *, void *arg, struct watch_asked *);

#endif
