/*
 * The site that this process works for now, and the mark that the process
 * leaves when a bug ends it: a failed assertion or a fault signal. A process
 * that is killed (SIGKILL, power loss, no memory) leaves no mark.
 *
 * The mark is a file beside the store:
 *
 *	freshet-abort 1 SIGNAL HOST	the signal that ended the process, and
 *					the site at work then ("-": unknown)
 *	HOST TIMES			lines for the sites that were at work
 *					in this row of aborts: how often, in
 *					all lines of a site together
 *
 * A site is identified by its host, because a new site is not in the store yet.
 */
#ifndef FRESHET_AT_WORK_H
#define FRESHET_AT_WORK_H

#include <stdint.h>

#include "base/host.h"
#include "base/slice.h"

#define AT_WORK_SITES 16
#define AT_WORK_HOST_BYTES (HOST_NAME_BYTES + 1)

struct at_work_mark {
	int number; /* the signal; 0: there is no mark */
	char at[AT_WORK_HOST_BYTES]; /* the host; empty: it is unknown */
	unsigned count;
	struct {
		char host[AT_WORK_HOST_BYTES];
		unsigned times;
	} sites[AT_WORK_SITES];
};

/* at_work_name(host): the number of that site in this process; never 0. */
uint32_t at_work_name(struct slice host);

/* at_work_site(number): from now until the next callback of the loop, the
 * process works for that site; 0: for no known site. at_work_now(): the current
 * number. */
void at_work_site(uint32_t number);
uint32_t at_work_now(void);

/* at_work_read(store_path, mark): read the mark that an earlier process left; a
 * mark that makes no sense counts as none. at_work_forget: remove the mark. */
void at_work_read(const char *store_path, struct at_work_mark *);
void at_work_forget(const char *store_path);

/* at_work_begin(store_path, before): from now on this process, which owns the
 * store, leaves a mark when it aborts: the sites of `before` and the site at
 * work. Children that were forked earlier leave none. If store_path is NULL, it
 * leaves no mark any more. */
void at_work_begin(const char *store_path, const struct at_work_mark *before);

/* at_work_mark(number): write the mark now; called by that signal's handler. */
void at_work_mark(int number);

#endif
