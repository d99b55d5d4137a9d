/*
 * Which site this process is at work for, and the mark that it leaves when a
 * bug ends it: a failed assertion, or a signal of a fault.  Whoever is killed
 * (SIGKILL, no power, no memory) leaves none.
 *
 * The mark is a file beside the store:
 *
 *	freshet-abort 1 SIGNAL HOST	the signal that ended the process, and
 *					the site at work then; -: none known
 *	HOST TIMES			each that was at work when one of the
 *					aborts in a row came: how often
 *
 * Sites are told by their hosts: a new one is not in the store yet.
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
	char at[AT_WORK_HOST_BYTES]; /* empty: nobody knows */
	unsigned count;
	struct {
		char host[AT_WORK_HOST_BYTES];
		unsigned times;
	} sites[AT_WORK_SITES];
};

/* at_work_name(host): the number of that site, for this process; never 0. */
uint32_t at_work_name(struct slice host);

/* at_work_site(number): what follows, until the next callback of the loop, is
 * done for that site; 0: for none that is known.  at_work_now(): that one. */
void at_work_site(uint32_t number);
uint32_t at_work_now(void);

/* at_work_read(store_path, mark): the mark of the start before; one that makes
 * no sense is none.  at_work_forget: remove it. */
void at_work_read(const char *store_path, struct at_work_mark *);
void at_work_forget(const char *store_path);

/*
 * at_work_begin(store_path, before): from now on this process, which holds the
 * store, leaves a mark there: that of before and what is at work.  Children of
 * earlier on leave none.  at_work_end: no longer.
 */
void at_work_begin(const char *store_path, const struct at_work_mark *before);
void at_work_end(void);

/* at_work_mark(number): from the handler of that signal: leave it now. */
void at_work_mark(int number);

#endif
