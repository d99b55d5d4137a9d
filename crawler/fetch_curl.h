/* What every handle of libcurl is set to, whatever it asks for, and what the
 * library's codes mean. */
#ifndef FRESHET_FETCH_CURL_H
#define FRESHET_FETCH_CURL_H

#include "crawler/fetch_call.h"

/*
 * fetch_harden(easy, options): all of HOSTILE section 2 that is no callback,
 * once in the life of a handle, which is libcurl's CURL *.  Cookies, alt-svc
 * and HSTS are off in libcurl until a file is named.
 */
void fetch_harden(void *easy, const struct fetcher_options *);

/* fetch_trouble(code): of a CURLcode. */
enum fetch_trouble fetch_trouble(int code);

#endif
