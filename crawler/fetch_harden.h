/* What every handle of libcurl is set to, whatever it asks for. */
#ifndef FRESHET_FETCH_HARDEN_H
#define FRESHET_FETCH_HARDEN_H

#include "crawler/fetch.h"

/*
 * fetch_harden(easy, options): all of HOSTILE section 2 that is no callback,
 * once in the life of a handle, which is libcurl's CURL *.  Cookies, alt-svc
 * and HSTS are off in libcurl until a file is named.
 */
void fetch_harden(void *easy, const struct fetcher_options *);

#endif
