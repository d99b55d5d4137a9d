/* Proof that the sandbox holds: system calls tried in it (HOSTILE X34). */
#ifndef FRESHET_SANDBOX_TRIAL_H
#define FRESHET_SANDBOX_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

enum sandbox_outcome {
	SANDBOX_DONE, /* the call was made */
	SANDBOX_REFUSED, /* it answered an error that the sandbox gives */
	SANDBOX_KILLED, /* the process was killed for it */
	SANDBOX_BROKEN /* no process, or no sandbox */
};

struct sandbox_trial {
	const char *name; /* of the call; static */
	bool is_allowed; /* SANDBOX_DONE is what must come; else it must not */
	enum sandbox_outcome outcome;
};

/*
 * sandbox_trial_run(i, trial): the i-th call, tried in a process of its own
 * that entered the sandbox as a reader does; false past the last.  Must be
 * called before threads exist.
 */
bool sandbox_trial_run(size_t i, struct sandbox_trial *trial);

/* sandbox_trial_is_good(trial): did what must happen happen? */
bool sandbox_trial_is_good(const struct sandbox_trial *trial);

#endif
