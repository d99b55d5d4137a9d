/* The year: fetchers that lease pages. */
#ifndef FRESHET_YEAR_FETCHER_H
#define FRESHET_YEAR_FETCHER_H

#include <stdbool.h>
#include <stdint.h>

struct year;

void fetchers_begin(struct year *);
void fetchers_release(struct year *);
void fetchers_open(struct year *);
void fetchers_close(struct year *);
/* fetchers_shift(year, by_s): the clock was put back by so many seconds
 * between two processes. */
void fetchers_shift(struct year *, int64_t by_s);
/* fetchers_say(year): send the answers that are ready, before a COMMIT, so
 * that none is acknowledged. */
void fetchers_say(struct year *, bool is_heard);

#endif
