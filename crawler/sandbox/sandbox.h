/* The sandbox that a reader enters before it sees the first hostile byte, and
 * the proof that it holds. */
#ifndef FRESHET_SANDBOX_H
#define FRESHET_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sandbox_options {
	int keep_fd; /* the one descriptor that stays open; above 2 */
	uint64_t memory_bytes; /* RLIMIT_AS, 0: none */
	uint64_t scratch_bytes; /* RLIMIT_FSIZE */
	bool is_required; /* fail if there can be no filter */
	bool is_off; /* set limits and close descriptors only */
};

/*
 * sandbox_enter(options): close all descriptors but keep_fd, restore the
 * default action of crash signals, set the limits, then no_new_privs and the
 * seccomp filter of DESIGN section 3: open and similar calls fail with EACCES;
 * socket, exec, fork and every call that is not listed kill the process.
 *
 * 0, 1 and 2 become /dev/null, so that no stray message is written to a file
 * that comes with a job. Sanitizer builds keep 2 and have no memory limit.
 * False if is_required and there can be no filter, or if a descriptor or a
 * limit could not be set.
 */
bool sandbox_enter(const struct sandbox_options *);

/* sandbox_end_first(memory_bytes): if memory is short, the kernel ends this
 * process before those that own the store; and the address space of this
 * process is limited (0: it is not).  Sanitizer builds have no limit.  False if
 * the limit could not be set. */
bool sandbox_end_first(uint64_t memory_bytes);

/* sandbox_is_supported(): does the kernel have what the filter needs? */
bool sandbox_is_supported(void);

/* Proof that the sandbox holds: system calls are tried in it (HOSTILE X34). */

enum sandbox_outcome {
	SANDBOX_DONE, /* the call succeeded */
	SANDBOX_REFUSED, /* the call failed with an error */
	SANDBOX_KILLED, /* the process was killed for the call */
	SANDBOX_BROKEN /* there was no process, or no sandbox */
};

struct sandbox_trial {
	const char *name; /* of the call; static */
	enum sandbox_outcome outcome;
	bool is_good; /* the outcome is the one that the sandbox promises */
};

/* sandbox_trial_run(i, trial): try the i-th call in a new process that entered
 * the sandbox as a reader does. False past the last. Call it before threads
 * exist. */
bool sandbox_trial_run(size_t i, struct sandbox_trial *trial);

#endif
