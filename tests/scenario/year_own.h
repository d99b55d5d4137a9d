/* The year: on some days the process fetches pages itself. */
#ifndef FRESHET_YEAR_OWN_H
#define FRESHET_YEAR_OWN_H

#include <stdbool.h>

struct year;

/* own_open(year): a life begins; own_day(year): a day begins: the process
 * fetches pages on every other day, besides all other fetchers.
 * own_close(year): a life ends. */
void own_open(struct year *);
void own_day(struct year *);
void own_close(struct year *);

#endif
