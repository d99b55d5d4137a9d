/*
 * Do the dates of a document say only when it was made (SPEC R-117, 15.8)?
 * Counted in hours around the times at which it may have been made, so that
 * memory does not grow with the document.
 */
#ifndef FRESHET_UNIFORM_H
#define FRESHET_UNIFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/w3cdate.h"

#define UNIFORM_TIMES 3
#define UNIFORM_HOURS 48 /* 24 before and 24 after */

struct uniform {
	uint64_t dated;
	int64_t times_s[UNIFORM_TIMES]; /* 0: unknown */
	uint32_t hours[UNIFORM_TIMES][UNIFORM_HOURS];
};

/* uniform_init(uniform, times_s): 0 among them is no time. */
void uniform_init(struct uniform *, const int64_t times_s[UNIFORM_TIMES]);

/* uniform_add(uniform, date): of one entry. */
void uniform_add(struct uniform *, const struct date *);

/* uniform_found(uniform): at least 20 dates, 95 % of them within one window
 * of 24 hours that is within 24 hours of one of the times. */
bool uniform_found(const struct uniform *);

#endif
