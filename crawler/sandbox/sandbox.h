/* What a reader gives up before it sees the first hostile byte. */
#ifndef FRESHET_SANDBOX_H
#define FRESHET_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct sandbox_options {
	int keep_fd; /* the one descriptor that stays; above 2 */
	uint64_t memory_bytes; /* RLIMIT_AS, 0: none */
	uint64_t scratch_bytes; /* RLIMIT_FSIZE */
	bool is_required; /* without a filter: fail */
	bool is_off; /* limits and descriptors only, no filter */
};

/*
 * sandbox_enter(options): close all descriptors but keep_fd, let the signals of
 * a crash kill, set the limits, then no_new_privs and the seccomp filter of
 * DESIGN 3.2: open and its like answer EACCES, socket, exec, fork and
 * everything else not listed kills.
 *
 * 0, 1 and 2 become /dev/null, so that no stray message can end in a file
 * that comes with a job; sanitizer builds keep 2 and have no memory limit.
 * False when is_required and the filter cannot be had, or a descriptor or a
 * limit could not be dealt with.
 */
bool sandbox_enter(const struct sandbox_options *);

/* sandbox_is_supported(): can this kernel do it?  For doctor and reports. */
bool sandbox_is_supported(void);

#endif
