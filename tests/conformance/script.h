/*
 * The fetcher of the cases about HTTP: a script of answers behind the header of
 * the real fetcher. The code that judges requests and answers is the real one;
 * only libcurl and the network are missing.
 */
#ifndef FRESHET_CONFORMANCE_SCRIPT_H
#define FRESHET_CONFORMANCE_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * script_begin(requests): requests is the list of a case (SPEC section 14),
 * borrowed until script_end. The first request for a URL gets its first answer,
 * and so on; the last answer is repeated. A URL that is not in the list gets
 * status 404.
 */
void script_begin(const json_t *requests);
void script_end(void);

/*
 * script_goes_on(): does a requested URL have an answer that was not given yet?
 */
bool script_goes_on(void);

/* script_asked(): the requested URLs, in order, without a robots.txt that the
 * script does not contain. Borrowed. */
const json_t *script_asked(void);

/* script_sent(name): that header of the latest request; NULL: it had none. */
const char *script_sent(const char *name);

/* script_retry_after_s(): Retry-After of the latest answer; -1: none. */
int64_t script_retry_after_s(void);

#endif
