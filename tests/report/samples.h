/* Reports to print: by hand, and of a seed. */
#ifndef FRESHET_TESTS_SAMPLES_H
#define FRESHET_TESTS_SAMPLES_H

#include "crawler/report/report.h"

/*
 * samples_get(name): "site" (an index with trouble), "well" (one sitemap),
 * "none" (nothing found), "local" (files), "unpublished" (files with URLs),
 * "many" (a long index), "pages" (listed ones), or a number
 * for samples_random.  Never given back; NULL when there is none of that name.
 */
struct report *samples_get(const char *name);

/* samples_random(seed): of that seed; its texts are attacks on the formats. */
struct report *samples_random(unsigned seed);

/* samples_finish(report): the sums and groups that follow from its documents.
 */
void samples_finish(struct report *);

#endif
