/* Host names: IDNA, IP literals, registrable domains. */
#ifndef FRESHET_HOST_H
#define FRESHET_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/late.h"
#include "buf.h"
#include "diag.h"
#include "slice.h"

#define HOST_NAME_BYTES 253 /* of a name in its canonical spelling (DNS) */

/*
 * host_normalise(out, raw, kind, was_idn): Append the canonical spelling of raw
 * to out. raw is the host of an authority as written: its percent-escapes are
 * not decoded, an IPv6 literal has its brackets. The canonical spelling has
 * A-labels in lower case without a trailing dot, an IPv4 address as a dotted
 * quad, an IPv6 address compressed and in brackets. Names in plain lower-case
 * ASCII without "xn--" never reach ICU. A name longer than HOST_NAME_BYTES is
 * invalid.
 *
 * Returns DIAG_OK or DIAG_INVALID_URL (out is unchanged then); *kind is an enum
 * host_kind of url.h. Source: SPEC.
 */
enum diag_code host_normalise(
    struct buf *out, struct slice raw, uint8_t *kind, bool *was_idn);

/* host_warm(): load the data that ICU and libpsl would load at their first use,
 * so that host_normalise and host_registrable work in a process that cannot
 * open files any more. */
void host_warm(void);

/* host_registrable(host): the part of a normalised name that one owner
 * registered, by the public suffix list with its private section; borrowed from
 * host. Empty for an IP literal and for a name that is itself a suffix. */
struct slice host_registrable(struct slice host);

/* host_is_kin(a, b): do two normalised hosts belong to one owner: are they
 * equal, or do they share a registrable domain? */
bool host_is_kin(struct slice a, struct slice b);

/* host_is_www_of(a, b): is a exactly "www." followed by b? */
bool host_is_www_of(struct slice a, struct slice b);

#define HOST_LIBRARIES 2

/* host_libraries(libraries): the versions of ICU and libpsl. */
void host_libraries(struct library libraries[HOST_LIBRARIES]);

#endif
