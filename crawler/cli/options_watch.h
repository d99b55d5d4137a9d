/* What was typed for the watch list. */
#ifndef FRESHET_OPTIONS_WATCH_H
#define FRESHET_OPTIONS_WATCH_H

#include <stdbool.h>

#include "base/profile.h"
#include "crawler/cli/words.h"

struct options_watch {
	const char *every, *pages_every, *budget, *weight; /* or NULL */
	enum profile_name profile;
	bool has_profile;
	struct words tags, sections;
};

#endif
