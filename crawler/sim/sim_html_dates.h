/* The parts of `sim`'s page that tell what was learned of dates. */
#ifndef FRESHET_SIM_HTML_DATES_H
#define FRESHET_SIM_HTML_DATES_H

#include "base/buf.h"
#include "crawler/sim/sim_study.h"

/* sim_html_honesty(out, study): plots, where there are many sitemaps. */
void sim_html_honesty(struct buf *, const struct study *);

/* sim_html_documents(out, study): a table, where there are few. */
void sim_html_documents(struct buf *, const struct study *);

#endif
