/* Pages of HTML that link to each other. */
#ifndef FRESHET_SERVE_PAGES_H
#define FRESHET_SERVE_PAGES_H

#include "crawler/serve/serve_routes.h"

/* Each prints a page (serve_routes.c), and returns an exit status. */
int serve_page_overview(
    const struct serve_context *, const struct serve_query *);
int serve_page_site(const struct serve_context *, const struct serve_query *);
int serve_page_events(const struct serve_context *, const struct serve_query *);
int serve_page_event(const struct serve_context *, const struct serve_query *);
int serve_page_document(
    const struct serve_context *, const struct serve_query *);
int serve_page_url(const struct serve_context *, const struct serve_query *);
int serve_page_findings(
    const struct serve_context *, const struct serve_query *);
int serve_page_health(const struct serve_context *, const struct serve_query *);

/* serve_page_trouble(out, status, text): append a page that says why there is
 * no other; the text may be foreign. */
void serve_page_trouble(struct buf *, int status, struct slice text);

#endif
