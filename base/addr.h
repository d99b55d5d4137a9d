/* IP addresses, and which of them a public site may lead freshet to (HOSTILE
 * section 2). */
#ifndef FRESHET_ADDR_H
#define FRESHET_ADDR_H

#include <stdbool.h>
#include <stdint.h>

#include "slice.h"

/* An IPv6 address; an IPv4 address is stored as ::ffff:a.b.c.d. */
struct addr {
	uint8_t bytes[16];
};

/* addr_parse(addr, text): read a numeric address, IPv6 also in brackets. */
bool addr_parse(struct addr *, struct slice text);

/* addr_from_v4(bytes): the bytes are in network order. */
struct addr addr_from_v4(const uint8_t bytes[4]);

/* addr_print(addr, out): write "127.0.0.1" or "2001:db8::1"; out has room for
 * 46 bytes. */
void addr_print(const struct addr *, char out[46]);

bool addr_is_v4(const struct addr *);

/* addr_v4(addr, v4): find the IPv4 address that addr is, or that it embeds
 * (HOSTILE section 2). False: there is none. */
bool addr_v4(const struct addr *, struct addr *v4);

/* From where an address can be reached. Public is what lies outside all
 * reserved ranges of HOSTILE section 2, and, if it is IPv6, in the range of
 * public hosts; an embedded IPv4 address must be public, too. */
enum addr_reach { ADDR_PUBLIC, ADDR_PRIVATE, ADDR_LOOPBACK };

/* addr_host_reach(host): the same for a normalised host. localhost and the
 * names below it are loopback, all other names are taken for public. */
enum addr_reach addr_reach(const struct addr *);
enum addr_reach addr_host_reach(struct slice host);

/* addr_name_is_local(host): does a normalised name mean something inside one
 * network only? Such names have one label or end in a domain that the public
 * DNS does not delegate: RFC 6761 (localhost, test), RFC 6762 (local) with its
 * appendix G (intranet, private, corp, home, lan), RFC 7686 (onion), RFC 8375
 * (home.arpa), and internal, which ICANN reserved on 2024-07-29. */
bool addr_name_is_local(struct slice host);

struct cidr {
	struct addr net;
	uint8_t bits; /* the length of the prefix, 0 to 128 */
};

/* cidr_parse(cidr, text): read "127.0.0.0/8", "::1" or "10.0.0.1". */
bool cidr_parse(struct cidr *, struct slice text);

/* addr_has_prefix(bytes, prefix, bits): do both begin with the same bits? */
bool addr_has_prefix(
    const uint8_t *bytes, const uint8_t *prefix, unsigned bits);

#endif
