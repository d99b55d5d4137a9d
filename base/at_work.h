/*
 * The site that this process works for now, and the mark that the process
 * leaves when a bug ends it: a failed assertion or a fault signal. A process
 * that is killed (SIGKILL, power loss, no memory) leaves no mark.
 *
 * The mark is a file beside the store, with a line for each such end in a row,
 * the latest one last: the signal, and the site at work then, "-" if it is
 * unknown.
 *
 *	freshet-abort 2 SIGNAL HOST
 *
 * A site is identified by its host, because a new site is not in the store yet.
 */
#ifndef FRESHET_AT_WORK_H
#define FRESHET_AT_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/host.h"
#include "base/slice.h"

#define AT_WORK_HOST_BYTES (HOST_NAME_BYTES + 1)

struct at_work_end {
	int number; /* the signal */
	char host[AT_WORK_HOST_BYTES]; /* empty: it is unknown */
};

/* at_work_name(host): the number of that site in this process; never 0. */
uint32_t at_work_name(struct slice host);

/* at_work_site(number): from now until the next callback of the loop, the
 * process works for that site; 0: for no known site. at_work_now(): the current
 * number. */
void at_work_site(uint32_t number);
uint32_t at_work_now(void);

/* at_work_read(store_path, lines): append the mark that earlier processes left.
 * at_work_next(lines, end): take the first of its lines, and move behind it;
 * false: there is none, or it makes no sense, and nor does what follows.
 * at_work_forget(store_path): remove the mark. */
void at_work_read(const char *store_path, struct buf *lines);
bool at_work_next(const char **lines, struct at_work_end *);
void at_work_forget(const char *store_path);

/* at_work_begin(store_path, before): from now on this process, which owns the
 * store, leaves a mark when it aborts: the lines of `before`, of which the last
 * ones count, and its own.  Children that were forked earlier leave none.  If
 * store_path is NULL, it leaves no mark any more. */
void at_work_begin(const char *store_path, const char *before);

/* at_work_mark(number): write the mark now; called by that signal's handler. */
void at_work_mark(int number);

#endif
