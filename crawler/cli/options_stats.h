/* What was typed for `stats`. */
#ifndef FRESHET_OPTIONS_STATS_H
#define FRESHET_OPTIONS_STATS_H

#include <stdint.h>

#include "crawler/cli/choices.h"

struct options_stats {
	enum stats_by by;
	int64_t last_s; /* 0: what fits */
};

#endif
