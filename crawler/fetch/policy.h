/* The policy: which addresses and ports freshet may connect to (HOSTILE
 * section 2, SPEC R-70). */
#ifndef FRESHET_POLICY_H
#define FRESHET_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/addr.h"
#include "base/slice.h"
#include "base/url.h"

struct policy;

/* policy_new(): a policy that allows public addresses that are not this
 * machine's own, with the ports 80 and 443, and nothing else. */
struct policy *policy_new(void);
void policy_free(struct policy *);

/* policy_look(policy, now_ms): read this machine's own addresses again if they
 * were read POLICY_OWN_MS ago or earlier. Call it before each decision, because
 * a daemon may run for years. */
#define POLICY_OWN_MS 10000
void policy_look(struct policy *, int64_t now_ms);

/* policy_allow(policy, text): allow the addresses of --allow-address, such as
 * "127.0.0.0/8"; false when the text is no CIDR. */
bool policy_allow(struct policy *, struct slice text);

/* policy_keep_targets(policy, hash_key): remember the hosts of targets from now
 * on, hashed with this secret key. This is needed with a proxy, which looks the
 * names of targets up itself. */
void policy_keep_targets(struct policy *, uint64_t hash_key);

/* policy_allow_target(policy, url): the operator named this URL. Its port is
 * allowed for all hosts. If the host is an address, that address is allowed for
 * it; if the host is localhost or below localhost, loopback addresses are
 * allowed. */
void policy_allow_target(struct policy *, const struct url *);

/* policy_allow_port(policy, port): the operator named this port, which is
 * allowed for all hosts; which addresses are allowed is another question. */
void policy_allow_port(struct policy *, uint16_t port);

/* policy_is_target(policy, url): is url's host the host of a target that
 * policy_keep_targets remembered?
 * policy_allows_all(policy): is every address allowed ("::/0")? */
bool policy_is_target(const struct policy *, const struct url *);
bool policy_allows_all(const struct policy *);

/* policy_connect_to(policy, text), policy_resolve(policy, text): values of
 * --connect-to and --resolve, in curl's forms HOST1:PORT1:HOST2:PORT2 and
 * HOST:PORT:ADDR[,ADDR]…  The address and port are allowed for exactly that
 * host; an empty HOST1, and "*" in --resolve, mean all hosts.  A HOST2 that is
 * a name allows only the addresses of a --resolve of that name, and loopback
 * addresses when it is localhost.  False when the text has another form. */
bool policy_connect_to(struct policy *, struct slice text);
bool policy_resolve(struct policy *, struct slice text);

/* policy_route(policy, url, *addr, *port): the address and port to which
 * --connect-to leads a request for url. False when --connect-to does not apply,
 * or leads to a name, which libcurl looks up. */
bool policy_route(const struct policy *, const struct url *, struct addr *addr,
    uint16_t *port);

/* policy_is_resolved(policy, url): is an address of url's host in --resolve? */
bool policy_is_resolved(const struct policy *, const struct url *);

/* policy_port_ok(policy, url): may url's port be used at all? */
bool policy_port_ok(const struct policy *, const struct url *);

/* policy_address_ok(policy, url, addr, port): may a request for url go to
 * this address and port? */
bool policy_address_ok(const struct policy *, const struct url *,
    const struct addr *, uint16_t port);

/* policy_is_local(policy, url, addr): is addr a loopback address that the
 * operator allowed or named?  Requests to it need no delay, and no limit for
 * each address. */
bool policy_is_local(
    const struct policy *, const struct url *, const struct addr *);

/* sockaddr_read(from, addr, port): convert a socket address; false when it is
 * neither IPv4 nor IPv6.  `from` has as many bytes as its family has. */
bool sockaddr_read(const struct sockaddr *from, struct addr *, uint16_t *port);

#endif
