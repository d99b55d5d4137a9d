/* Which addresses and ports freshet may connect to. */
#include "crawler/fetch/policy.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/strings.h"

#define PORT_ANY 0

/* One --connect-to or --resolve: where the requests for a host may go. */
struct pin {
	char *host; /* owned, normalised; "": every host */
	uint16_t port; /* of the URL, or PORT_ANY */
	char *to_host; /* owned; "": the host of the URL */
	uint16_t to_port; /* PORT_ANY: the port of the URL */
};

struct pin_list {
	struct pin *items; /* owned */
	size_t count;
	size_t cap;
};

struct policy {
	struct cidr *allowed; /* owned */
	size_t allowed_count;
	size_t allowed_cap;
	struct addr *own; /* owned: the addresses of this machine */
	size_t own_count;
	size_t own_cap;
	int64_t own_ms; /* when they were read; INT64_MIN: unknown */
	uint8_t ports[(UINT16_MAX + 1) / 8]; /* a bit for each allowed port */
	struct strings named; /* hosts of targets that are no public names */
	struct names targets; /* owned: hosts of all targets, if has_targets */
	bool has_targets;
	struct pin_list connect_to;
	struct pin_list resolve; /* to_host is an address */
};

bool
sockaddr_read(const struct sockaddr *from, struct addr *addr, uint16_t *port)
{
	const void *p = from;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	uint8_t bytes[4];

	if (from->sa_family == AF_INET) {
		memcpy(&in, p, sizeof(in));
		memcpy(bytes, &in.sin_addr, sizeof(bytes));
		*addr = addr_from_v4(bytes);
		*port = ntohs(in.sin_port);
		return true;
	}
	if (from->sa_family != AF_INET6)
		return false;
	memcpy(&in6, p, sizeof(in6));
	memcpy(addr->bytes, &in6.sin6_addr, sizeof(addr->bytes));
	*port = ntohs(in6.sin6_port);
	return true;
}

/* own_read(policy): read this machine's addresses. If that fails, the addresses
 * that were read before stay; even without any, the ranges of private addresses
 * are still refused, so crawling can go on. */
static void
own_read(struct policy *policy)
{
	struct ifaddrs *list;
	struct addr addr;
	uint16_t port;

	if (getifaddrs(&list) != 0)
		return;
	policy->own_count = 0;
	for (const struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
		if (i->ifa_addr == NULL ||
		    !sockaddr_read(i->ifa_addr, &addr, &port))
			continue;
		*MEM_PUSH(
		    policy->own, policy->own_count, policy->own_cap) = addr;
	}
	freeifaddrs(list);
}

void
policy_allow_port(struct policy *policy, uint16_t port)
{
	policy->ports[port / 8] |= (uint8_t)(1U << port % 8);
}

struct policy *
policy_new(void)
{
	struct policy *policy = mem_zero(sizeof(*policy));

	policy_allow_port(policy, 80);
	policy_allow_port(policy, 443);
	own_read(policy);
	policy->own_ms = INT64_MIN;
	return policy;
}

void
policy_look(struct policy *policy, int64_t now_ms)
{
	if (policy->own_ms != INT64_MIN &&
	    now_ms - policy->own_ms < POLICY_OWN_MS)
		return;
	own_read(policy);
	policy->own_ms = now_ms;
}

/* pins_cut(list, count): only the first so many pins stay. */
static void
pins_cut(struct pin_list *list, size_t count)
{
	while (list->count > count) {
		struct pin *pin = &list->items[--list->count];

		free(pin->host);
		free(pin->to_host);
	}
}

void
policy_free(struct policy *policy)
{
	if (policy == NULL)
		return;
	free(policy->allowed);
	free(policy->own);
	strings_release(&policy->named);
	if (policy->has_targets)
		names_release(&policy->targets);
	pins_cut(&policy->connect_to, 0);
	pins_cut(&policy->resolve, 0);
	free(policy->connect_to.items);
	free(policy->resolve.items);
	free(policy);
}

bool
policy_allow(struct policy *policy, struct slice text)
{
	struct cidr cidr;

	if (!cidr_parse(&cidr, text))
		return false;
	*MEM_PUSH(
	    policy->allowed, policy->allowed_count, policy->allowed_cap) = cidr;
	return true;
}

void
policy_keep_targets(struct policy *policy, uint64_t hash_key)
{
	policy->targets = (struct names){.key = hash_key};
	policy->has_targets = true;
}

bool
policy_is_target(const struct policy *policy, const struct url *url)
{
	return policy->has_targets &&
	    names_find(&policy->targets, url_host(url)) != NAMES_NONE;
}

bool
policy_allows_all(const struct policy *policy)
{
	for (size_t i = 0; i < policy->allowed_count; i++)
		if (policy->allowed[i].bits == 0)
			return true;
	return false;
}

void
policy_allow_target(struct policy *policy, const struct url *url)
{
	policy_allow_port(policy, url->port);
	if (policy->has_targets && url->host_kind == HOST_NAME)
		(void)names_put(&policy->targets, url_host(url));
	if (url->host_kind == HOST_NAME &&
	    addr_host_reach(url_host(url)) == ADDR_PUBLIC)
		return;
	/* A daemon names the targets of its watch list many times. */
	if (!strings_has(&policy->named, url_host(url)))
		strings_add(&policy->named, url_host(url));
}

/* Reading HOST1:PORT1:HOST2:PORT2 and HOST:PORT:ADDR[,ADDR]. */

/* pin_add(list, pin): append a pin, whose strings the list owns from now on.
 * False, and they are freed, when one of them could not be read. */
static bool
pin_add(struct pin_list *list, const struct pin *pin)
{
	if (pin->host == NULL || pin->to_host == NULL) {
		free(pin->host);
		free(pin->to_host);
		return false;
	}
	*MEM_PUSH(list->items, list->count, list->cap) = *pin;
	return true;
}

/* take_until(text, end, part): cut off the text before the next `end`; false
 * when there is none.  Colons in brackets belong to the part. */
static bool
take_until(struct slice *text, char end, struct slice *part)
{
	size_t at = 0;

	if (text->len > 0 && text->p[0] == '[') {
		const char *close = memchr(text->p, ']', text->len);

		if (close == NULL)
			return false;
		at = (size_t)(close - text->p) + 1;
	}
	while (at < text->len && text->p[at] != end)
		at++;
	if (at == text->len)
		return false;
	*part = slice_make(text->p, at);
	*text = slice_from(*text, at + 1);
	return true;
}

/* read_host(text): the normalised host, owned; "" for an empty text; NULL when
 * the text is no host. */
static char *
read_host(struct slice text)
{
	struct buf out = BUF_UP_TO(URL_MAX_BYTES);
	uint8_t kind;
	bool was_idn;
	char *host = NULL;

	if (text.len == 0)
		return mem_copy("");
	if (host_normalise(&out, text, &kind, &was_idn) == DIAG_OK)
		host = buf_take(&out);
	buf_release(&out);
	return host;
}

static bool
read_port(struct slice text, uint16_t *port)
{
	uint64_t value = PORT_ANY;
	bool is_good = text.len == 0 ||
	    (text.len <= 5 && slice_number(text, &value) && value > 0 &&
		value <= UINT16_MAX);

	*port = is_good ? (uint16_t)value : PORT_ANY;
	return is_good;
}

bool
policy_connect_to(struct policy *policy, struct slice text)
{
	struct slice host, port, to_host;
	struct pin pin = {0};

	if (!take_until(&text, ':', &host) || !take_until(&text, ':', &port) ||
	    !take_until(&text, ':', &to_host) || !read_port(port, &pin.port) ||
	    !read_port(text, &pin.to_port))
		return false;
	pin.host = read_host(host);
	pin.to_host = read_host(to_host);
	return pin_add(&policy->connect_to, &pin);
}

bool
policy_resolve(struct policy *policy, struct slice text)
{
	struct slice host, port, address;
	char printed[46], to_host[48];
	size_t count = policy->resolve.count;
	struct addr addr;
	bool is_last = false;
	uint16_t number;

	/* curl's "+" only says how long the address is kept. */
	if (text.len > 0 && text.p[0] == '+')
		text = slice_from(text, 1);
	if (!take_until(&text, ':', &host) || host.len == 0 ||
	    !take_until(&text, ':', &port) || port.len == 0 ||
	    !read_port(port, &number))
		return false;
	if (slice_is(host, "*"))
		host.len = 0;
	while (!is_last) {
		struct pin pin = {.port = number, .to_port = number};

		is_last = !take_until(&text, ',', &address);
		pin.host = read_host(host);
		/* An address has the form that it has in URLs: "[::1]". */
		if (addr_parse(&addr, is_last ? text : address)) {
			addr_print(&addr, printed);
			(void)snprintf(to_host, sizeof(to_host),
			    strchr(printed, ':') == NULL ? "%s" : "[%s]",
			    printed);
			pin.to_host = mem_copy(to_host);
		}
		if (pin_add(&policy->resolve, &pin))
			continue;
		/* Of a value that is wrong no part holds. */
		pins_cut(&policy->resolve, count);
		return false;
	}
	return true;
}

/* Judging. */

/* May a request for host and port go to addr and addr_port? */
struct question {
	struct slice host;
	uint16_t port;
	const struct addr *addr;
	uint16_t addr_port; /* PORT_ANY: the port does not matter */
};

/* pin_next(list, at, host, port): the next pin for this host and port from *at
 * on, which moves behind it; NULL: there is none. */
static const struct pin *
pin_next(
    const struct pin_list *list, size_t *at, struct slice host, uint16_t port)
{
	while (*at < list->count) {
		const struct pin *pin = &list->items[(*at)++];

		if ((pin->host[0] == '\0' || slice_is(host, pin->host)) &&
		    (pin->port == PORT_ANY || pin->port == port))
			return pin;
	}
	return NULL;
}

/* is_host(host, addr): does host mean addr without a look-up?  Names of
 * localhost mean this machine (RFC 6761 6.3). */
static bool
is_host(struct slice host, const struct addr *addr)
{
	struct addr literal;

	if (addr_parse(&literal, host))
		return memcmp(&literal, addr, sizeof(literal)) == 0;
	return addr_host_reach(host) != ADDR_PUBLIC &&
	    addr_reach(addr) == ADDR_LOOPBACK;
}

static bool
is_resolved(const struct policy *policy, const struct question *q)
{
	const struct pin *pin;
	size_t at = 0;

	while (
	    (pin = pin_next(&policy->resolve, &at, q->host, q->port)) != NULL)
		if (is_host(slice_of(pin->to_host), q->addr) &&
		    (q->addr_port == PORT_ANY || q->addr_port == q->port))
			return true;
	return false;
}

/* is_pinned(policy, q): do --connect-to and --resolve lead the request there? A
 * host that --connect-to names may itself be in a --resolve. */
static bool
is_pinned(const struct policy *policy, const struct question *q)
{
	const struct pin *pin;
	size_t at = 0;

	while ((pin = pin_next(&policy->connect_to, &at, q->host, q->port)) !=
	    NULL) {
		struct question to = *q;

		if (pin->to_port != PORT_ANY)
			to.port = pin->to_port;
		if (pin->to_host[0] != '\0')
			to.host = slice_of(pin->to_host);
		if (q->addr_port != PORT_ANY && q->addr_port != to.port)
			continue;
		if (is_resolved(policy, &to) ||
		    (pin->to_host[0] != '\0' && is_host(to.host, q->addr)))
			return true;
	}
	return is_resolved(policy, q);
}

bool
policy_route(const struct policy *policy, const struct url *url,
    struct addr *addr, uint16_t *port)
{
	size_t at = 0;
	const struct pin *pin = pin_next(
	    &policy->connect_to, &at, url_host(url), url->port);

	if (pin == NULL)
		return false;
	*port = pin->to_port == PORT_ANY ? url->port : pin->to_port;
	return addr_parse(addr, slice_of(pin->to_host));
}

bool
policy_is_resolved(const struct policy *policy, const struct url *url)
{
	size_t at = 0;

	return pin_next(&policy->resolve, &at, url_host(url), url->port) !=
	    NULL;
}

bool
policy_port_ok(const struct policy *policy, const struct url *url)
{
	const struct pin *pin;
	size_t at = 0;

	if ((policy->ports[url->port / 8] >> url->port % 8 & 1) != 0 ||
	    policy_is_resolved(policy, url))
		return true;
	/* "::host:" leaves every port as it is, so it allows no further
	 * port. */
	while ((pin = pin_next(&policy->connect_to, &at, url_host(url),
		    url->port)) != NULL)
		if (pin->port != PORT_ANY || pin->to_port != PORT_ANY)
			return true;
	return false;
}

static bool
policy_judge(const struct policy *policy, const struct url *url,
    const struct addr *addr, uint16_t addr_port)
{
	struct question q = {.host = url_host(url),
	    .port = url->port,
	    .addr = addr,
	    .addr_port = addr_port};
	struct addr v4 = *addr, to;
	uint16_t port = url->port;

	if (is_pinned(policy, &q))
		return true;
	/* What --connect-to sends to another port may use no other one. */
	(void)policy_route(policy, url, &to, &port);
	if (addr_port != PORT_ANY && addr_port != port)
		return false;
	for (size_t i = 0; i < policy->allowed_count; i++)
		if (addr_has_prefix(addr->bytes, policy->allowed[i].net.bytes,
			policy->allowed[i].bits))
			return true;
	/* The operator named this host, which means the address by itself. */
	if (is_host(q.host, addr) && strings_has(&policy->named, q.host))
		return true;
	/* Others may be led to public addresses only, and not to one of this
	 * machine, nor to an IPv6 address that contains one: the network may
	 * translate packets to such an address and send them to this
	 * machine. */
	(void)addr_v4(addr, &v4);
	for (size_t i = 0; i < policy->own_count; i++)
		if (memcmp(&policy->own[i], addr, sizeof(*addr)) == 0 ||
		    memcmp(&policy->own[i], &v4, sizeof(v4)) == 0)
			return false;
	return addr_reach(addr) == ADDR_PUBLIC;
}

bool
policy_address_ok(const struct policy *policy, const struct url *url,
    const struct addr *addr, uint16_t port)
{
	return port != PORT_ANY && policy_port_ok(policy, url) &&
	    policy_judge(policy, url, addr, port);
}

bool
policy_is_local(
    const struct policy *policy, const struct url *url, const struct addr *addr)
{
	return addr_reach(addr) == ADDR_LOOPBACK &&
	    policy_judge(policy, url, addr, PORT_ANY);
}
