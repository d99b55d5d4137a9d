/*
 * Proof that the sandbox holds: this module tries system calls in it (HOSTILE
 * X34).
 */
#ifndef FRESHET_SANDBOX_TRIAL_H
#define FRESHET_SANDBOX_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

enum sandbox_outcome {
	SANDBOX_DONE, /* the call succeeded */
	SANDBOX_REFUSED, /* the call failed with an error */
	SANDBOX_KILLED, /* the process was killed for the call */
	SANDBOX_BROKEN /* there was no process, or no sandbox */
};

struct sandbox_trial {
	const char *name; /* of the call; static */
	/* true: the outcome must be SANDBOX_DONE; false: it must be
	 * SANDBOX_REFUSED or SANDBOX_KILLED */
	bool is_allowed;
	enum sandbox_outcome outcome;
};

/*
 * sandbox_trial_run(i, trial): try the i-th call in a new process that entered
 * the sandbox as a reader does. False past the last. Call it before threads
 * exist.
 */
bool sandbox_trial_run(size_t i, struct sandbox_trial *trial);

/* sandbox_trial_is_good(trial): is the outcome the one that the sandbox
 * promises? */
bool sandbox_trial_is_good(const struct sandbox_trial *trial);

#endif
