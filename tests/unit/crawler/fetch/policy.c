/* crawler/fetch/policy.c: which addresses and ports are allowed. */
#include "crawler/fetch/policy.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>

#include "tests/fixtures/fixture.h"
#include "tests/fixtures/url_fixture.h"

/* This machine's interfaces, as these tests see them: the program's own
 * definitions go before the C library's. */
static struct sockaddr_in own_v4;
static struct sockaddr_in6 own_v6;
static struct ifaddrs own_list[3];
static bool has_moved; /* 93.184.216.99 is 93.184.216.98 now */
static unsigned lists; /* how often getifaddrs was called */

static void
set_own(void)
{
	struct addr addr;

	own_v4.sin_family = AF_INET;
	assert_true(addr_parse(&addr, slice_of("93.184.216.99")));
	memcpy(&own_v4.sin_addr, addr.bytes + 12, 4);
	own_v4.sin_addr.s_addr ^= htonl(has_moved);
	own_v6.sin6_family = AF_INET6;
	assert_true(addr_parse(&addr, slice_of("2606:2800:220:1::99")));
	memcpy(&own_v6.sin6_addr, addr.bytes, 16);
	own_list[0].ifa_next = &own_list[1];
	own_list[0].ifa_addr = (struct sockaddr *)&own_v4;
	own_list[1].ifa_next = &own_list[2];
	own_list[1].ifa_addr = NULL; /* an interface without an address */
	own_list[2].ifa_addr = (struct sockaddr *)&own_v6;
}

int
getifaddrs(struct ifaddrs **list)
{
	set_own();
	lists++;
	*list = own_list;
	return 0;
}

void
freeifaddrs(struct ifaddrs *list)
{
	assert_ptr_equal(list, own_list);
}

/* The options of the operator; NULL: none. */
struct typed {
	const char *allow;
	const char *target;
	const char *connect_to;
	const char *resolve;
};

static void
allow_target(struct policy *policy, const char *target)
{
	struct url url;

	must_parse_url(&url, target);
	policy_allow_target(policy, &url);
	url_release(&url);
}

static struct policy *
make(const struct typed *typed)
{
	struct policy *policy = policy_new();

	if (typed->allow != NULL)
		assert_true(policy_allow(policy, slice_of(typed->allow)));
	if (typed->target != NULL)
		allow_target(policy, typed->target);
	if (typed->connect_to != NULL)
		assert_true(
		    policy_connect_to(policy, slice_of(typed->connect_to)));
	if (typed->resolve != NULL)
		assert_true(policy_resolve(policy, slice_of(typed->resolve)));
	return policy;
}

static const struct {
	const char *rule;
	struct typed typed;
	/* The URL, the address that its host has, and the port that is
	 * connected to: "+" if this is allowed, "-" if not.  An "l" behind the
	 * sign: the address is local, a loopback address that the operator
	 * allowed or named. */
	const char *checks[8];
} rows[] = {
    /* HOSTILE section 2: public addresses, ports 80 and 443 */
    {"T6", {0},
	{"+ http://a.example/ 93.184.216.34 80",
	    "+ https://a.example/ 2606:2800:220:1::1 443",
	    "- http://a.example/ 93.184.216.34 81",
	    "- http://a.example/ 127.0.0.1 80", "- http://a.example/ ::1 80",
	    "- http://a.example/ 10.1.2.3 80",
	    "- http://a.example/ 169.254.169.254 80"}},
    {"R5", {0},
	{"- http://a.example/ ::ffff:127.0.0.2 80",
	    "- http://a.example/ 64:ff9b::7f00:2 80"}},
    {"R14", {0}, {"- http://a.example:8080/ 93.184.216.34 8080"}},
    {"R14", {.target = "http://a.example:8080/"},
	{"+ http://a.example:8080/ 93.184.216.34 8080",
	    "- http://a.example:8081/ 93.184.216.34 8081"}},
    /* this machine's own address */
    {"R15", {0},
	{"- http://a.example/ 93.184.216.99 80",
	    "+ http://a.example/ 93.184.216.98 80",
	    "- http://a.example/ 2606:2800:220:1::99 80",
	    "- http://a.example/ 64:ff9b::93.184.216.99 80",
	    "+ http://a.example/ 64:ff9b::93.184.216.98 80",
	    "- http://a.example/ 2002:5db8:d863::1 80"}},
    {"R15", {.allow = "93.184.216.99"},
	{"+ http://a.example/ 93.184.216.99 80"}},
    {"R15", {.target = "http://93.184.216.99/"},
	{"+ http://93.184.216.99/ 93.184.216.99 80"}},
    /* --allow-address */
    {"--allow-address", {.allow = "127.0.0.1/32"},
	{"+l http://a.example/ 127.0.0.1 80",
	    "- http://a.example/ 127.0.0.2 80",
	    "-l http://a.example:81/ 127.0.0.1 81"}},
    {"--allow-address", {.allow = "::1"}, {"+l http://a.example/ ::1 80"}},
    {"--allow-address", {.allow = "10.0.0.0/8"},
	{"+ http://a.example/ 10.9.8.7 80"}},
    /* a target that is a literal: for that host, at any allowed port */
    {"R-70", {.target = "http://127.0.0.1:8080/"},
	{"+l http://127.0.0.1:8080/x 127.0.0.1 8080",
	    "+l http://127.0.0.1/x 127.0.0.1 80",
	    "- http://a.example:8080/ 127.0.0.1 8080",
	    "- http://127.0.0.2:8080/ 127.0.0.2 8080"}},
    {"R-70", {.target = "http://[::1]:8080/"},
	{"+l http://[::1]:8080/ ::1 8080"}},
    {"R-70", {.target = "http://a.example/"},
	{"- http://a.example/ 127.0.0.1 80"}},
    /* localhost is loopback and nothing else */
    {"R-70", {.target = "http://localhost/"},
	{"+l http://localhost/ 127.0.0.1 80", "+l http://localhost/ ::1 80",
	    "- http://localhost/ 10.0.0.1 80",
	    "- http://x.localhost/ 127.0.0.1 80"}},
    /* --connect-to: exactly that host, that port, that place */
    {"R-70", {.connect_to = "a.example:443:127.0.0.1:8443"},
	{"+l https://a.example/ 127.0.0.1 8443"}},
    {"R-70", {.connect_to = "A.Example:443:127.0.0.1:8443"},
	{"+l https://a.example/ 127.0.0.1 8443"}},
    {"R-70", {.connect_to = "a.example:443:127.0.0.1:8443"},
	{"-l https://a.example/ 127.0.0.1 443",
	    "- https://a.example/ 127.0.0.2 8443",
	    "- http://a.example/ 127.0.0.1 8443",
	    "- https://b.example/ 127.0.0.1 8443"}},
    {"R-70", {.connect_to = "a.example:81:127.0.0.1:8443"},
	{"+l http://a.example:81/ 127.0.0.1 8443"}},
    {"curl", {.connect_to = "::127.0.0.1:8443"},
	{"+l https://b.example/ 127.0.0.1 8443",
	    "+l https://b.example:9/ 127.0.0.1 8443"}},
    {"curl", {.connect_to = "::127.0.0.1:"},
	{"+l https://b.example/ 127.0.0.1 443",
	    "-l https://b.example:9/ 127.0.0.1 9"}},
    {"curl", {.connect_to = "a.example:443::8443"},
	{"+ https://a.example/ 93.184.216.34 8443",
	    "- https://a.example/ 93.184.216.34 443",
	    "- https://a.example/ 127.0.0.1 8443"}},
    {"curl", {.connect_to = "[2606:2800::1]:80:[::1]:8080"},
	{"+l http://[2606:2800::1]/ ::1 8080"}},
    /* --connect-to to a name allows no address. */
    {"--connect-to", {.connect_to = "a.example:443:b.example:8443"},
	{"- https://a.example/ 127.0.0.1 8443",
	    "+ https://a.example/ 93.184.216.34 8443"}},
    {"--connect-to",
	{.connect_to = "a.example:443:b.example:8443", .allow = "127.0.0.0/8"},
	{"+l https://a.example/ 127.0.0.1 8443"}},
    {"--connect-to", {.connect_to = "a.example:443:localhost:8443"},
	{"+l https://a.example/ 127.0.0.1 8443"}},
    {"--connect-to",
	{.connect_to = "a.example:443:b.example:8443",
	    .resolve = "b.example:8443:127.0.0.1"},
	{"+l https://a.example/ 127.0.0.1 8443"}},
    /* --resolve */
    {"R-70", {.resolve = "a.example:443:127.0.0.1"},
	{"+l https://a.example/ 127.0.0.1 443"}},
    {"R-70", {.resolve = "+a.example:443:127.0.0.1,[::1]"},
	{"+l https://a.example/ ::1 443"}},
    {"R-70", {.resolve = "a.example:443:127.0.0.1,::1"},
	{"+l https://a.example/ ::1 443"}},
    {"R-70", {.resolve = "a.example:8443:127.0.0.1"},
	{"+l https://a.example:8443/ 127.0.0.1 8443"}},
    {"R-70", {.resolve = "a.example:443:127.0.0.1"},
	{"- http://a.example/ 127.0.0.1 80",
	    "- https://b.example/ 127.0.0.1 443"}},
    {"curl", {.resolve = "*:443:127.0.0.1"},
	{"+l https://b.example/ 127.0.0.1 443"}},
};

/* Does a check like "+l http://a.example/ 127.0.0.1 80" hold? */
static bool
holds(const struct policy *policy, const char *check)
{
	char sign[3], at[64], on[64];
	struct addr addr;
	struct url url;
	uint16_t port;
	bool is_ok, is_local;

	assert_int_equal(
	    sscanf(check, "%2s %63s %63s %hu", sign, at, on, &port), 4);
	must_parse_url(&url, at);
	assert_true(addr_parse(&addr, slice_of(on)));
	is_ok = policy_address_ok(policy, &url, &addr, port);
	is_local = policy_is_local(policy, &url, &addr);
	url_release(&url);
	return is_ok == (sign[0] == '+') && is_local == (sign[1] == 'l');
}

static void
test_addresses(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct policy *policy = make(&rows[i].typed);
		const char *const *check = rows[i].checks;

		for (; *check != NULL; check++)
			if (!holds(policy, *check))
				fail_msg(
				    "row %zu, %s: %s", i, rows[i].rule, *check);
		policy_free(policy);
	}
}

/* R15: an address that the machine got after the start. */
static void
test_own_anew(void **state)
{
	struct policy *policy = policy_new();
	unsigned before;

	policy_look(policy, 1000);
	before = lists;
	has_moved = true;
	policy_look(policy, 1000 + POLICY_OWN_MS - 1);
	assert_int_equal(lists, before);
	assert_true(holds(policy, "- http://a.example/ 93.184.216.99 80"));
	policy_look(policy, 1000 + POLICY_OWN_MS);
	assert_true(holds(policy, "+ http://a.example/ 93.184.216.99 80"));
	assert_true(holds(policy, "- http://a.example/ 93.184.216.98 80"));
	has_moved = false;
	policy_free(policy);
}

/* A value of another form is refused. */
static void
test_forms(void **state)
{
	static const char *const connect_to[] = {"", "a", "a:80", "a:80:b",
	    "a:x:b:80", "a:80:b:x", "a:0:b:80", "a:65536:b:80", "[::1:80:b:80",
	    "a:80:[::1:80", "a b:80:c:80", "a:80:b:80:90"};
	static const char *const resolve[] = {"", "a", "a:80",
	    "a:80:", "a:80:b", "a::127.0.0.1", ":80:127.0.0.1", "a:x:127.0.0.1",
	    "a:80:127.0.0.1,", "a:80:127.0.0.1,b", "-a:80"};
	static const char *const allow[] = {
	    "", "a", "127.0.0.1/33", "1.2.3", "127.0.0.1/", "::1/129"};
	struct policy *policy = policy_new();

	for (size_t i = 0; i < COUNT(connect_to); i++)
		if (policy_connect_to(policy, slice_of(connect_to[i])))
			fail_msg("--connect-to '%s'", connect_to[i]);
	for (size_t i = 0; i < COUNT(resolve); i++)
		if (policy_resolve(policy, slice_of(resolve[i])))
			fail_msg("--resolve '%s'", resolve[i]);
	for (size_t i = 0; i < COUNT(allow); i++)
		if (policy_allow(policy, slice_of(allow[i])))
			fail_msg("--allow-address '%s'", allow[i]);
	/* A refused value leaves nothing behind. */
	assert_true(holds(policy, "- http://a/ 127.0.0.1 80"));
	policy_free(policy);
}

/* Ask a question about the URL of a text. */
static bool
says(bool question(const struct policy *, const struct url *),
    const struct policy *policy, const char *text)
{
	struct url url;
	bool answer;

	must_parse_url(&url, text);
	answer = question(policy, &url);
	url_release(&url);
	return answer;
}

/* E47: for which hosts may a proxy be asked without a look-up here? */
static void
test_targets(void **state)
{
	struct policy *policy = policy_new();

	allow_target(policy, "http://wiki.corp/");
	/* not kept yet */
	assert_false(says(policy_is_target, policy, "http://wiki.corp/"));
	policy_keep_targets(policy, 7);
	allow_target(policy, "http://wiki.corp/");
	assert_true(says(policy_is_target, policy, "http://wiki.corp/"));
	assert_true(says(policy_is_target, policy, "https://wiki.corp:8443/x"));
	assert_false(says(policy_is_target, policy, "http://other.corp/"));
	assert_false(policy_allows_all(policy));
	assert_true(policy_allow(policy, slice_of("0.0.0.0/0")));
	assert_false(policy_allows_all(policy));
	assert_true(policy_allow(policy, slice_of("::/0")));
	assert_true(policy_allows_all(policy));
	policy_free(policy);
}

/* The first --connect-to that covers the URL decides. */
static const struct {
	const char *typed[2];
	const char *url;
	const char *to; /* NULL: not to an address */
	uint16_t port;
} routes[] = {
    {{"::127.0.0.1:8080"}, "http://a.example/x", "127.0.0.1", 8080},
    {{"::127.0.0.1:8080"}, "https://b.example/", "127.0.0.1", 8080},
    {{"a.example:443:[::1]:8443"}, "https://a.example/", "::1", 8443},
    {{"a.example:443:[::1]:8443"}, "http://a.example/", NULL, 0},
    {{"a.example:80:127.0.0.1:"}, "http://a.example/", "127.0.0.1", 80},
    {{"a.example:80:127.0.0.1:1", "::127.0.0.2:2"}, "http://a.example/",
	"127.0.0.1", 1},
    {{"::127.0.0.2:2", "a.example:80:127.0.0.1:1"}, "http://a.example/",
	"127.0.0.2", 2},
    {{"a.example:80:127.0.0.1:1", "::127.0.0.2:2"}, "http://b.example/",
	"127.0.0.2", 2},
    {{"::b.example:81", "::127.0.0.2:2"}, "http://a.example/", NULL, 0},
    {{":::81"}, "http://a.example/", NULL, 0},
    {{NULL}, "http://a.example/", NULL, 0},
};

static void
test_route(void **state)
{
	for (size_t i = 0; i < COUNT(routes); i++) {
		struct policy *policy = policy_new();
		struct addr addr;
		char text[46];
		struct url url;
		uint16_t port;
		bool is_routed;

		for (size_t k = 0; k < 2 && routes[i].typed[k] != NULL; k++)
			assert_true(policy_connect_to(
			    policy, slice_of(routes[i].typed[k])));
		must_parse_url(&url, routes[i].url);
		is_routed = policy_route(policy, &url, &addr, &port);
		assert_int_equal(is_routed, routes[i].to != NULL);
		if (is_routed) {
			addr_print(&addr, text);
			assert_string_equal(text, routes[i].to);
			assert_int_equal(port, routes[i].port);
		}
		url_release(&url);
		policy_free(policy);
	}
}

/* A name with a --resolve needs no look-up. */
static void
test_resolved(void **state)
{
	struct policy *policy = make(
	    &(struct typed){.resolve = "a.example:80:127.0.0.1"});

	assert_true(says(policy_is_resolved, policy, "http://a.example/"));
	assert_false(says(policy_is_resolved, policy, "http://b.example/"));
	assert_false(says(policy_is_resolved, policy, "http://a.example:81/"));
	policy_free(policy);
}

UNIT_TESTS(policy, cmocka_unit_test(test_route),
    cmocka_unit_test(test_resolved), cmocka_unit_test(test_targets),
    cmocka_unit_test(test_addresses), cmocka_unit_test(test_own_anew),
    cmocka_unit_test(test_forms));
