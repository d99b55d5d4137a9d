/* The studies of `sim` as text, and words that the page shares. */
#ifndef FRESHET_SIM_TEXT_H
#define FRESHET_SIM_TEXT_H

#include "crawler/cli/out.h"
#include "tests/sim/sim_study.h"

/* sim_text(out, study): append one study; studies follow one another. */
void sim_text(struct out *, const struct study *);

/* sim_list(out, is_json): print the policies, worlds and parameters. */
void sim_list(struct out *, bool is_json);

/* sim_put_days(out, days): append "3.1 d", "5 h", "never"; "-" for NaN.
 * sim_put_share(out, share): append "81.7 %"; "-" for NaN. */
void sim_put_days(struct buf *, double days);
void sim_put_share(struct buf *, double share);

/* sim_put_readings(out, options): append who reads sitemaps, and when. */
void sim_put_readings(struct buf *, const struct sim_options *);

/* sim_put_rate(out, per_day): append "200/d" or "8.3/d". */
void sim_put_rate(struct buf *, double per_day);

#endif
