/*
 * Ablation: refinements of the scheduler that can be switched off, each alone,
 * to see what it is worth (tests/bench/ablation).
 *
 * The scheduler knows nothing of it, so the program pays nothing for it.
 * Programs that link this file wrap calls between the scheduler's files, as
 * told.h says; a wrapper leaves out what was switched off.
 */
#ifndef FRESHET_ABLATION_H
#define FRESHET_ABLATION_H

#include <stdbool.h>
#include <stddef.h>

struct ablation_refinement {
	const char *name;
	const char *text; /* what it does, with its equation in
			     scheduling-formulas.md */
};

/* ablation_refinements(count): what can be switched off. */
const struct ablation_refinement *ablation_refinements(size_t *count);

/* ablation_without(name): switch one off, for all schedulers of the process and
 * until its end.  Returns false when there is none of that name. */
bool ablation_without(const char *name);

#endif
