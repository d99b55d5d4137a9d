/* Host names: IDNA, IP literals, registrable domains. */
#ifndef FRESHET_HOST_H
#define FRESHET_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/library.h"
#include "buf.h"
#include "diag.h"
#include "slice.h"

#define HOST_NAME_BYTES 253 /* of a name in its canonical spelling: DNS's */

/*
 * host_normalise(out, raw, *kind, *was_idn):
 * Append the canonical spelling of raw, an authority's host as written
 * (percent-escapes not yet undone; an IPv6 literal with its brackets), to
 * out: A-labels in lower case without the trailing dot, dotted quad for any
 * spelling of an IPv4 address, compressed IPv6 in brackets.  Names in plain
 * lower-case ASCII without "xn--" never reach ICU.
 * A name longer than HOST_NAME_BYTES is none.
 * Returns DIAG_OK or DIAG_INVALID_URL (out is then unchanged); *kind is an
 * enum host_kind of url.h.  Source: SPEC.
 */
enum diag_code host_normalise(
    struct buf *out, struct slice raw, uint8_t *kind, bool *was_idn);

/*
 * host_warm(): load what ICU and libpsl load lazily, so that a process that
 * may open nothing any more can call the functions above and below.
 */
void host_warm(void);

/*
 * host_registrable(host): the part of a normalised name that one owner
 * registered (public suffix list, private section included), borrowed from
 * host; empty for IP literals and for suffixes themselves.
 */
struct slice host_registrable(struct slice host);

/*
 * host_set_suffixes(list): use these public suffixes ("com", "co.uk", …;
 * NULL-terminated, borrowed for ever) instead of libpsl's; NULL goes back.
 * For tests.
 */
void host_set_suffixes(const char *const *list);

/* host_is_www_of(a, b): is a exactly "www." followed by b? */
bool host_is_www_of(struct slice a, struct slice b);

#define HOST_LIBRARIES 2

/* host_libraries(libraries): ICU and libpsl. */
void host_libraries(struct library libraries[HOST_LIBRARIES]);

#endif
