/* Progress of `sim` on stderr. */
#ifndef FRESHET_CMD_SIM_PROGRESS_H
#define FRESHET_CMD_SIM_PROGRESS_H

#include "crawler/cli/options.h"
#include "crawler/event/loop.h"
#include "crawler/sim/sim_study.h"

/* Zeroed but for the first three. */
struct sim_progress {
	struct loop *loop; /* borrowed, for its clock; NULL: say nothing */
	const struct options *options;
	const char *name; /* of what is simulated now */
	int64_t began_ms, shown_ms;
	bool has_begun;
	bool has_line; /* on the terminal, to be taken off */
};

/* sim_progress_step: a study_told_fn; arg is the struct. */
void sim_progress_step(void *arg, const struct study_step *);

/* sim_progress_clear(progress): take the line off the terminal. */
void sim_progress_clear(struct sim_progress *);

#endif
