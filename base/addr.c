/* Addresses, and the ranges that a public site may not lead freshet to. */
#include "base/addr.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t v4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
static const uint8_t nat64_prefix[12] = {0, 0x64, 0xff, 0x9b};

struct addr
addr_from_v4(const uint8_t bytes[4])
{
	struct addr addr;

	memcpy(addr.bytes, v4_prefix, 12);
	memcpy(addr.bytes + 12, bytes, 4);
	return addr;
}

bool
addr_is_v4(const struct addr *addr)
{
	return memcmp(addr->bytes, v4_prefix, 12) == 0;
}

bool
addr_parse(struct addr *addr, struct slice text)
{
	char copy[INET6_ADDRSTRLEN];
	uint8_t bytes[16];
	bool has_brackets = text.len >= 2 && text.p[0] == '[' &&
	    text.p[text.len - 1] == ']';

	if (has_brackets)
		text = slice_make(text.p + 1, text.len - 2);
	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	if (strlen(copy) != text.len)
		return false;
	if (!has_brackets && inet_pton(AF_INET, copy, bytes) == 1)
		*addr = addr_from_v4(bytes);
	else if (inet_pton(AF_INET6, copy, bytes) == 1)
		memcpy(addr->bytes, bytes, sizeof(addr->bytes));
	else
		return false;
	return true;
}

void
addr_print(const struct addr *addr, char out[46])
{
	if (addr_is_v4(addr))
		(void)inet_ntop(AF_INET, addr->bytes + 12, out, 46);
	else
		(void)inet_ntop(AF_INET6, addr->bytes, out, 46);
}

/* A range as it is written in HOSTILE section 2. */
struct range {
	uint8_t bytes[16];
	uint8_t bits;
};

static const struct range v4_ranges[] = {{{0}, 8}, {{10}, 8}, {{100, 64}, 10},
    {{127}, 8}, {{169, 254}, 16}, {{172, 16}, 12}, {{192, 0, 0}, 24},
    {{192, 0, 2}, 24}, {{192, 88, 99}, 24}, {{192, 168}, 16}, {{198, 18}, 15},
    {{198, 51, 100}, 24}, {{203, 0, 113}, 24}, {{224}, 4}, {{240}, 4},
    {{168, 63, 129, 16}, 32}};

/* The range that IANA assigns public IPv6 hosts from (RFC 4291 2.4 and IANA's
 * "IPv6 Address Space"), and the ranges inside it that are not public. */
static const struct range v6_global = {{0x20}, 3};
static const struct range v6_ranges[] = {
    {{0x20, 1}, 23}, {{0x20, 1, 0x0d, 0xb8}, 32}, {{0x3f, 0xff}, 20}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool
addr_has_prefix(const uint8_t *bytes, const uint8_t *prefix, unsigned bits)
{
	unsigned whole = bits / 8;
	unsigned rest = bits % 8;

	if (memcmp(bytes, prefix, whole) != 0)
		return false;
	return rest == 0 || ((bytes[whole] ^ prefix[whole]) >> (8 - rest)) == 0;
}

bool
addr_v4(const struct addr *addr, struct addr *v4)
{
	static const uint8_t six_to_four[2] = {0x20, 2};
	const uint8_t *bytes = addr->bytes + 12;

	/* mapped (RFC 4291 2.5.5.2), NAT64 (RFC 6052 2.1) or 6to4 (RFC 3056) */
	if (addr_has_prefix(addr->bytes, six_to_four, 16))
		bytes = addr->bytes + 2;
	else if (!addr_is_v4(addr) &&
	    !addr_has_prefix(addr->bytes, nat64_prefix, 96))
		return false;
	*v4 = addr_from_v4(bytes);
	return true;
}

enum addr_reach
addr_reach(const struct addr *addr)
{
	static const uint8_t one[16] = {[15] = 1};
	const uint8_t *bytes = addr->bytes;
	const struct range *ranges = v6_ranges;
	size_t count = COUNT(v6_ranges);
	struct addr v4;

	if (addr_is_v4(addr) ? bytes[12] == 127 : memcmp(bytes, one, 16) == 0)
		return ADDR_LOOPBACK;
	/* What an IPv6 address embeds is where the packets go. */
	if (addr_v4(addr, &v4)) {
		bytes = v4.bytes + 12;
		ranges = v4_ranges;
		count = COUNT(v4_ranges);
	} else if (!addr_has_prefix(bytes, v6_global.bytes, v6_global.bits))
		return ADDR_PRIVATE;
	for (size_t i = 0; i < count; i++)
		if (addr_has_prefix(bytes, ranges[i].bytes, ranges[i].bits))
			return ADDR_PRIVATE;
	return ADDR_PUBLIC;
}

/* addr_is_below(host, domain): is host the domain itself or a name in it? */
static bool
addr_is_below(struct slice host, const char *domain)
{
	size_t len = strlen(domain);

	return host.len >= len &&
	    slice_is(slice_from(host, host.len - len), domain) &&
	    (host.len == len || host.p[host.len - len - 1] == '.');
}

enum addr_reach
addr_host_reach(struct slice host)
{
	struct addr addr;

	if (addr_parse(&addr, host))
		return addr_reach(&addr);
	return addr_is_below(host, "localhost") ? ADDR_LOOPBACK : ADDR_PUBLIC;
}

bool
addr_name_is_local(struct slice host)
{
	static const char *const domains[] = {"localhost", "test", "local",
	    "intranet", "private", "corp", "home", "lan", "onion", "home.arpa",
	    "internal"};

	if (host.len == 0 || memchr(host.p, '.', host.len) == NULL)
		return true;
	for (size_t i = 0; i < COUNT(domains); i++)
		if (addr_is_below(host, domains[i]))
			return true;
	return false;
}

bool
cidr_parse(struct cidr *cidr, struct slice text)
{
	const char *slash = text.len == 0 ? NULL
					  : memchr(text.p, '/', text.len);
	struct slice net = text;
	uint64_t bits, max;

	if (slash != NULL)
		net.len = (size_t)(slash - text.p);
	if (!addr_parse(&cidr->net, net))
		return false;
	max = addr_is_v4(&cidr->net) && memchr(net.p, ':', net.len) == NULL
	    ? 32
	    : 128;
	bits = max;
	if (slash != NULL &&
	    (text.len - net.len > sizeof("/128") - 1 ||
		!slice_number(slice_from(text, net.len + 1), &bits) ||
		bits > max))
		return false;
	cidr->bits = (uint8_t)(bits + (128 - max));
	return true;
}
