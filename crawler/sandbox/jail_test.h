/* Proof that the jail holds: system calls tried in it (HOSTILE X34). */
#ifndef FRESHET_JAIL_TEST_H
#define FRESHET_JAIL_TEST_H

#include <stdbool.h>
#include <stddef.h>

enum jail_outcome {
	JAIL_DONE, /* the call was made */
	JAIL_REFUSED, /* it answered an error that the jail gives */
	JAIL_KILLED, /* the process was killed for it */
	JAIL_BROKEN /* no process, or no jail */
};

struct jail_trial {
	const char *name; /* of the call; static */
	bool is_allowed; /* JAIL_DONE is what must come; else it must not */
	enum jail_outcome outcome;
};

/*
 * jail_test(i, trial): the i-th call, tried in a process of its own that
 * entered the jail as a reader does; false past the last.  Must be called
 * before threads exist.
 */
bool jail_test(size_t i, struct jail_trial *trial);

/* jail_is_good(trial): did what must happen happen? */
bool jail_is_good(const struct jail_trial *trial);

#endif
