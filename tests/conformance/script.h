/*
 * The fetcher of the cases about HTTP: a script of answers behind the header
 * of the real one.  What judges a request and an answer is the real code;
 * only libcurl and the network are not there.
 */
#ifndef FRESHET_CONFORMANCE_SCRIPT_H
#define FRESHET_CONFORMANCE_SCRIPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * script_begin(requests): the list of a case (SPEC section 14), borrowed until
 * script_end.  The first request for a URL gets its first answer, and so on;
 * the last one stays.  What is not in the list answers 404.
 */
void script_begin(const json_t *requests);
void script_end(void);

/* script_goes_on(): has a URL that was asked for an answer left? */
bool script_goes_on(void);

/* script_asked(): the URLs asked for, in order, without each robots.txt that
 * the script does not hold.  Borrowed. */
const json_t *script_asked(void);

/* script_sent(name): that header of the latest request, NULL when it had
 * none. */
const char *script_sent(const char *name);

/* script_retry_after_s(): of the latest answer; -1: none. */
int64_t script_retry_after_s(void);

#endif
