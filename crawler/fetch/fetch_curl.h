/* What every handle of libcurl is set to, whatever it asks for, and what the
 * library's codes mean. */
#ifndef FRESHET_FETCH_CURL_H
#define FRESHET_FETCH_CURL_H

#include "base/library.h"
#include "crawler/fetch/fetch_call.h"

/*
 * fetch_harden(easy, options): all of HOSTILE section 2 that is no callback,
 * once in the life of a handle, which is libcurl's CURL *.  Cookies, alt-svc
 * and HSTS are off in libcurl until a file is named.
 */
void fetch_harden(void *easy, const struct fetcher_options *);

/* fetch_set_proxy(easy, proxy): that one and no other; NULL: none at all, not
 * one of the environment either. */
void fetch_set_proxy(void *easy, const char *proxy);

/*
 * fetch_place(easy, place, url): what was judged is what is fetched (HOSTILE
 * F10): in the text of the URL libcurl's CURLU *place has to find the same host
 * as the rules did; false: it does not.
 */
bool fetch_place(void *easy, void *place, struct url *);

/* fetch_begin(): a CURLM *, and what the process owes libcurl; NULL: it cannot
 * be had.  Ended by curl_multi_cleanup and curl_global_cleanup. */
void *fetch_begin(void);

/* fetch_bound(multi, capacity, is_direct): connections of its CURLM; direct:
 * each host has its own. */
void fetch_bound(void *multi, unsigned capacity, bool is_direct);

/* fetch_list(list, format, …): one more line in libcurl's list, its curl_slist
 * *, which is the answer; NULL is an empty one. */
void *fetch_list(void *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* fetch_list_copy(items): such a list of them; items is ended by NULL, or
 * NULL itself. */
void *fetch_list_copy(const char *const *items);

/* fetch_trouble(code): of a CURLcode. */
enum fetch_trouble fetch_trouble(int code);

struct fetch_facts {
	struct library library;
	bool has_async_names; /* look-ups do not block (HOSTILE F5) */
	bool has_c_ares; /* else each look-up is a thread */
	const char *tls; /* "OpenSSL/3.0.17"; NULL: no https */
	const char *ca_file; /* the certificates that it trusts, or NULL */
	const char *ca_folder; /* the same */
};

/* fetch_facts(facts): libcurl as it is now; the texts are static. */
void fetch_facts(struct fetch_facts *);

#endif
