/* The list of checks of `freshet doctor`, and their results. */
#ifndef FRESHET_DOCTOR_REPORT_H
#define FRESHET_DOCTOR_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "crawler/cli/options.h"

enum doctor_status { DOCTOR_OK, DOCTOR_WARN, DOCTOR_BAD };

struct doctor_check {
	const char *group; /* static */
	const char *name; /* static */
	enum doctor_status status;
	char *text; /* owned: what was found */
	/* static: what to do, or what freshet does about it; NULL: nothing */
	const char *remedy;
};

struct doctor {
	const struct options *options;
	const char *group; /* group of the checks to come */
	struct doctor_check *items; /* owned */
	size_t count;
	size_t cap;
};

/* doctor_add(doctor, status, name, remedy): add a check, without its text.
 * doctor_say(doctor, format, ...): append to the text of the last check. */
void doctor_add(
    struct doctor *, enum doctor_status, const char *name, const char *remedy);
void doctor_say(struct doctor *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void doctor_say_bytes(struct doctor *, uint64_t bytes); /* "38.1 MB" */

#endif
