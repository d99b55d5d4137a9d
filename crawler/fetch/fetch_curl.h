/* The settings that every handle of libcurl has, whatever its request, and the
 * meaning of libcurl's codes. */
#ifndef FRESHET_FETCH_CURL_H
#define FRESHET_FETCH_CURL_H

#include "base/late.h"
#include "crawler/fetch/fetch_call.h"

/*
 * fetch_harden(easy, options, has_ca_file): apply all of HOSTILE section 2 that
 * needs no callback, once in the life of a handle (libcurl's CURL *);
 * has_ca_file: one file has all trusted certificates.  Cookies, alt-svc and
 * HSTS are off in libcurl as long as no file is named for them.
 */
void fetch_harden(void *easy, const struct fetcher_options *, bool has_ca_file);

/* fetch_set_proxy(easy, proxy): use this proxy for every host; NULL: use none,
 * not even one that the environment names. */
void fetch_set_proxy(void *easy, const char *proxy);

/*
 * fetch_place(easy, place, url): give the URL to the handle.  False when
 * libcurl (its CURLU *place) finds another host in the URL's text than url has:
 * freshet fetches only the host that its rules judged (HOSTILE F10).
 */
bool fetch_place(void *easy, void *place, struct url *);

/* fetch_list(list, format, …): append a line to a curl_slist * of libcurl and
 * return the list; NULL is an empty list. */
void *fetch_list(void *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* fetch_trouble(code): the meaning of a CURLcode. */
enum fetch_trouble fetch_trouble(int code);

struct fetch_facts {
	struct library library;
	bool has_async_names; /* look-ups do not block (HOSTILE F5) */
	bool has_c_ares; /* else each look-up is a thread */
	const char *tls; /* "OpenSSL/3.0.17"; NULL: no https */
	const char *ca_file; /* libcurl's trusted certificates, or NULL */
	const char *ca_folder; /* the same as a folder, or NULL */
};

/* fetch_facts(facts): describe the libcurl that runs; the texts are static. */
void fetch_facts(struct fetch_facts *);

#endif
