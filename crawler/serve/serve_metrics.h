/* What Prometheus asks for, and what a monitor asks. */
#ifndef FRESHET_SERVE_METRICS_H
#define FRESHET_SERVE_METRICS_H

#include "crawler/serve/serve_routes.h"

/* serve_metrics(context, query): print numbers of the store and of each site,
 * in the text format of Prometheus; no URL is a label.
 * serve_metrics_health(context, query): print "ok" if the store can be read. */
int serve_metrics(const struct serve_context *, const struct serve_query *);
int serve_metrics_health(
    const struct serve_context *, const struct serve_query *);

#endif
