/* What was typed for `sim`. */
#ifndef FRESHET_OPTIONS_SIM_H
#define FRESHET_OPTIONS_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/cli/choices.h"
#include "crawler/cli/words.h"

struct options_sim {
	struct words traces, worlds, settings, policies, budgets;
	enum sim_format format;
	unsigned days; /* 0: as long as the world or the trace is */
	unsigned warm_up_days;
	bool has_warm_up; /* else half of the days */
	unsigned seeds;
	int64_t read_every_s;
	bool has_read_every;
	bool is_joint; /* readings are asked for, and paid */
	bool wants_equal; /* requests for equal freshness */
	bool wants_list;
};

#endif
