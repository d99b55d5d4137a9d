/* The studies of `sim` as one HTML page. */
#ifndef FRESHET_SIM_HTML_H
#define FRESHET_SIM_HTML_H

#include "crawler/cli/out.h"
#include "crawler/sim/sim_study.h"

/* The page: sim_html_begin(), then sim_html() for each study with its number
 * from 0, then sim_html_end(). */
void sim_html_begin(struct out *);
void sim_html(struct out *, const struct study *, size_t number);
void sim_html_end(struct out *);

#endif
