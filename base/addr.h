/* Addresses: which ones a public site may make us talk to (HOSTILE 2). */
#ifndef FRESHET_ADDR_H
#define FRESHET_ADDR_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"

/* IPv6, or IPv4 as ::ffff:a.b.c.d. */
struct addr {
	uint8_t bytes[16];
};

/* addr_parse(addr, text): a numeric address, IPv6 with or without brackets. */
bool addr_parse(struct addr *, struct slice text);

/* addr_from_ip(addr, family, bytes): from network bytes, 4 or 16 of them. */
struct addr addr_from_v4(const uint8_t bytes[4]);
struct addr addr_from_v6(const uint8_t bytes[16]);

/* addr_print(addr, out): "127.0.0.1" or "2001:db8::1"; out holds 46 bytes. */
void addr_print(const struct addr *, char out[46]);

bool addr_is_v4(const struct addr *);

/* addr_v4(addr, v4): the IPv4 address that addr is, or holds and leads to
 * (HOSTILE section 2); false: there is none. */
bool addr_v4(const struct addr *, struct addr *v4);

/*
 * addr_is_public(addr): none of the reserved ranges of HOSTILE section 2, and
 * of IPv6 only what was given out for all; an IPv4 address within is judged as
 * such, too.
 */
bool addr_is_public(const struct addr *);
bool addr_is_loopback(const struct addr *);

/* host_is_private(host): is a normalised host a literal that is not public,
 * or localhost or below it? */
bool addr_host_is_private(struct slice host);

/*
 * addr_name_is_local(host): is a normalised name one that means something
 * inside of a network only?  One label; or a domain that names of the public
 * DNS are not below: RFC 6761 (localhost, test), RFC 6762 (local) with its
 * appendix G (intranet, private, corp, home, lan), RFC 7686 (onion), RFC 8375
 * (home.arpa), and internal, which ICANN reserved on 2024-07-29.
 */
bool addr_name_is_local(struct slice host);

struct cidr {
	struct addr net;
	uint8_t bits; /* of 128 */
};

/* cidr_parse(cidr, text): "127.0.0.0/8", "::1", "10.0.0.1". */
bool cidr_parse(struct cidr *, struct slice text);
bool cidr_has(const struct cidr *, const struct addr *);

#endif
