/*
 * The names whose addresses libcurl keeps.  It would look through all of them
 * after each request for those that are too old; told to keep them for ever,
 * it has to be told which to forget.
 */
#ifndef FRESHET_FETCH_KNOWN_H
#define FRESHET_FETCH_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host.h"
#include "base/url.h"

#define KNOWN_S 300 /* how long an address is good */
#define KNOWN_MAX 2048 /* kept at once */
#define KNOWN_TEXT (HOST_NAME_BYTES + sizeof(":65535"))

struct known;

/* known_new(hash_key): nobody else's. */
struct known *known_new(uint64_t hash_key);
void known_free(struct known *);

/* known_has(known, url, now_ms): is its host a literal, or a name that libcurl
 * has a good address of?  Then no thread is needed. */
bool known_has(const struct known *, const struct url *, int64_t now_ms);

/* known_is_old(known, url, now_ms): has it one that is good no more? */
bool known_is_old(const struct known *, const struct url *, int64_t now_ms);

/* known_add(known, url, now_ms): libcurl has found its address. */
void known_add(struct known *, const struct url *, int64_t now_ms);

/* known_name(url, text): "host:port", as libcurl keeps it. */
void known_name(const struct url *, char text[KNOWN_TEXT]);

/* known_forget(known, text): more than KNOWN_MAX are kept: the name that has
 * been there longest, which libcurl must forget; false: none. */
bool known_forget(struct known *, char text[KNOWN_TEXT]);

#endif
