/* What was typed for `due`, `done` and `hold`. */
#ifndef FRESHET_OPTIONS_FRONTIER_H
#define FRESHET_OPTIONS_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/choices.h"

struct options_frontier {
	enum due_format format;
	unsigned count; /* pages */
	bool has_count;
	unsigned hosts, per_host; /* 0: no limit */
	bool has_per_host;
	int64_t lease_s;
	int64_t wait_ms; /* for the first page */
	bool is_follow;
	const char *total_budget; /* a rate, as of `add --budget`; NULL: none */
	bool is_total_typed; /* it is of the command line */
	bool is_strict;
	int64_t hold_s;
	bool has_hold;
};

#endif
