/* Which addresses and ports may be talked to (HOSTILE section 2, SPEC R-70). */
#ifndef FRESHET_POLICY_H
#define FRESHET_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/slice.h"
#include "base/url.h"

struct policy;

/* policy_new(): public addresses that are none of this machine's own, ports
 * 80 and 443, and nothing else. */
struct policy *policy_new(void);
void policy_free(struct policy *);

/* policy_look(policy, now_ms): read this machine's own addresses anew if they
 * are older than that: before each decision of a process that may live for
 * years. */
#define POLICY_OWN_MS 10000
void policy_look(struct policy *, int64_t now_ms);

/* policy_allow(policy, text): --allow-address, "127.0.0.0/8"; false: no CIDR.
 */
bool policy_allow(struct policy *, struct slice text);

/* policy_keep_targets(policy, hash_key): from now on the hosts of targets are
 * remembered, by that key of nobody else's: there is a proxy, and their names
 * are for it to find. */
void policy_keep_targets(struct policy *, uint64_t hash_key);

/* policy_allow_target(policy, url): the operator named this URL: its port is
 * allowed for all, and for its host the address when that is a literal, or
 * loopback ones when it is localhost or below it. */
void policy_allow_target(struct policy *, const struct url *);

/* policy_is_target(policy, url): was its host one of these targets?
 * policy_allows_all(policy): every address, "::/0"? */
bool policy_is_target(const struct policy *, const struct url *);
bool policy_allows_all(const struct policy *);

/*
 * policy_connect_to(policy, text), policy_resolve(policy, text): curl's
 * HOST1:PORT1:HOST2:PORT2 and HOST:PORT:ADDR[,ADDR]…; the address and port
 * are allowed for exactly that host (an empty one means all, in --resolve "*").
 * A HOST2 that is a name allows no address, except those of a --resolve of
 * that name, and loopback ones when it is localhost.  False when the text has
 * another form.
 */
bool policy_connect_to(struct policy *, struct slice text);
bool policy_resolve(struct policy *, struct slice text);

/*
 * policy_route(policy, url, *addr, *port): where --connect-to leads a request
 * for url; false when nowhere else, or to a name, which is libcurl's to find.
 */
bool policy_route(const struct policy *, const struct url *, struct addr *addr,
    uint16_t *port);

/* policy_is_resolved(policy, url): has --resolve an address for its host? */
bool policy_is_resolved(const struct policy *, const struct url *);

/* policy_port_ok(policy, url): may this port be asked at all? */
bool policy_port_ok(const struct policy *, const struct url *);

/* policy_address_ok(policy, url, addr, port): may a request for url go to
 * this address and port? */
bool policy_address_ok(const struct policy *, const struct url *,
    const struct addr *, uint16_t port);

/* policy_is_local(policy, url, addr): a loopback address that the operator
 * allowed or named: no delay, no limit per address. */
bool policy_is_local(
    const struct policy *, const struct url *, const struct addr *);

#endif
