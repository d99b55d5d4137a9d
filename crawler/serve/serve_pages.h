/* Pages of HTML that link to each other. */
#ifndef FRESHET_SERVE_PAGES_H
#define FRESHET_SERVE_PAGES_H

#include "crawler/serve/serve_query.h"

/* Each prints the page of that path (serve.c). */
serve_print_fn serve_page_overview, serve_page_events, serve_page_event,
    serve_page_document, serve_page_url, serve_page_findings, serve_page_health;

/* serve_page_trouble(out, status, text): append a page that says why there is
 * no other; the text may be foreign. */
void serve_page_trouble(struct buf *, int status, struct slice text);

#endif
