/* The studies of `sim` as NDJSON. */
#ifndef FRESHET_SIM_JSON_H
#define FRESHET_SIM_JSON_H

#include "crawler/cli/out.h"
#include "tests/sim/sim_study.h"

/* sim_json(out, study): append one study; studies follow one another. */
void sim_json(struct out *, const struct study *);

#endif
