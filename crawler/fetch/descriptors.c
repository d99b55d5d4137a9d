/* How many descriptors there are for transfers. */
#include "crawler/fetch/descriptors.h"

#include <sys/resource.h>

/* HOSTILE T31. */
#define WANTED 4096
#define KEPT 64 /* for the store, the loop, the readers, the resolver */
#define EACH 3
#define MAX_TRANSFERS 1024

unsigned
descriptors_transfers(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (limit.rlim_cur < WANTED && limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = {.rlim_max = limit.rlim_max,
		    .rlim_cur = limit.rlim_max < WANTED ? limit.rlim_max
							: WANTED};

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur < KEPT + EACH)
		return 1;
	if (limit.rlim_cur >= KEPT + EACH * MAX_TRANSFERS)
		return MAX_TRANSFERS;
	return (unsigned)((limit.rlim_cur - KEPT) / EACH);
}
