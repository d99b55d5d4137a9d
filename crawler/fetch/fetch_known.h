/*
 * The names whose addresses libcurl keeps. By default libcurl searches all
 * names for old ones after each request, which takes long. So fetch_curl.c
 * tells libcurl to keep them for ever, and this table says which names libcurl
 * has to forget.
 */
#ifndef FRESHET_FETCH_KNOWN_H
#define FRESHET_FETCH_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host.h"
#include "base/url.h"

#define KNOWN_S 300 /* until an address is looked up again */
#define KNOWN_MAX 2048 /* names kept at once */
#define KNOWN_TEXT (HOST_NAME_BYTES + sizeof(":65535"))

struct known_names;

/* known_new(hash_key): an empty table; hash_key is secret, so that nobody can
 * choose names that share a slot. */
struct known_names *known_new(uint64_t hash_key);
void known_free(struct known_names *);

/* known_has(known, url, now_ms): is url's host an address, or a name for which
 * libcurl has an address that is not too old?  Then no look-up is needed. */
bool known_has(const struct known_names *, const struct url *, int64_t now_ms);

/* known_is_old(known, url, now_ms): does libcurl have an address that is too
 * old? */
bool known_is_old(
    const struct known_names *, const struct url *, int64_t now_ms);

/* known_add(known, url, now_ms): libcurl found the address of url's host. */
void known_add(struct known_names *, const struct url *, int64_t now_ms);

/* known_name(url, text): write "host:port", libcurl's key. */
void known_name(const struct url *, char text[KNOWN_TEXT]);

/* known_forget(known, text): if more than KNOWN_MAX names are kept, take the
 * oldest out and write its key, which libcurl must forget now.  False: libcurl
 * need not forget any. */
bool known_forget(struct known_names *, char text[KNOWN_TEXT]);

#endif
