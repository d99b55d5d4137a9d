/* What `run` is told. */
#ifndef FRESHET_OPTIONS_RUN_H
#define FRESHET_OPTIONS_RUN_H

#include <stdbool.h>

#include "crawler/event/log.h"

struct options_run {
	bool is_once;
	enum log_mode log;
	int argc; /* what was typed, to be read again with the configuration: */
	char **argv; /* borrowed */
};

#endif
