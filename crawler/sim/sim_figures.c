/* Names of figures and bounds. */
#include "crawler/sim/sim_figures.h"

const char *
study_key(enum study_figure figure)
{
	static const char *const keys[] = {"freshness", "gap_closed",
	    "share_of_bound", "behind_first", "age_days", "delay_days",
	    "delay_top_days", "fetches", "found_share", "failed_share",
	    "readings", "readings_cost", "requests_for_equal", "honesty_within",
	    "precision_off", "recall_off"};

	return keys[figure];
}

const char *
study_bound_key(enum study_bound bound)
{
	static const char *const keys[] = {
	    "signals", "blind", "joint", "clairvoyant"};

	return keys[bound];
}

const char *
study_bound_text(enum study_bound bound)
{
	static const char *const texts[] = {"rates known, moves told at once",
	    "rates known, dates not looked at", "rates known, readings paid",
	    "the future known"};

	return texts[bound];
}
