/* base/addr.c: which addresses a public site may lead freshet to: HOSTILE
 * section 2. */
#include "tests/fixtures/fixture.h"

#include "base/addr.h"

struct row {
	const char *why;
	const char *first, *last; /* of a range that is not public */
	const char *below, *above; /* its public neighbours, or NULL */
};

static const struct row rows[] = {
    {"this network", "0.0.0.0", "0.255.255.255", NULL, "1.0.0.0"},
    {"private", "10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"},
    {"carrier", "100.64.0.0", "100.127.255.255", "100.63.255.255",
	"100.128.0.0"},
    {"loopback", "127.0.0.0", "127.255.255.255", "126.255.255.255",
	"128.0.0.0"},
    {"link-local, metadata", "169.254.0.0", "169.254.255.255",
	"169.253.255.255", "169.255.0.0"},
    {"private", "172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"},
    {"protocols", "192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"},
    {"example 1", "192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"},
    {"6to4 relays", "192.88.99.0", "192.88.99.255", "192.88.98.255",
	"192.88.100.0"},
    {"private", "192.168.0.0", "192.168.255.255", "192.167.255.255",
	"192.169.0.0"},
    {"benchmarks", "198.18.0.0", "198.19.255.255", "198.17.255.255",
	"198.20.0.0"},
    {"example 2", "198.51.100.0", "198.51.100.255", "198.51.99.255",
	"198.51.101.0"},
    {"example 3", "203.0.113.0", "203.0.113.255", "203.0.112.255",
	"203.0.114.0"},
    {"multicast, future", "224.0.0.0", "255.255.255.255", "223.255.255.255",
	NULL},
    {"a cloud's wire server", "168.63.129.16", "168.63.129.16", "168.63.129.15",
	"168.63.129.17"},
    {"unspecified, loopback", "::", "::1", NULL, NULL},
    {"in IPv6", "::ffff:127.0.0.0", "::ffff:127.255.255.255",
	"::ffff:126.255.255.255", "::ffff:128.0.0.0"},
    {"compatible", "::", "::255.255.255.255", NULL, NULL},
    {"translated by a host", "::ffff:0:0.0.0.0", "::ffff:0:255.255.255.255",
	NULL, NULL},
    {"translated", "64:ff9b::192.168.0.0", "64:ff9b::192.168.255.255",
	"64:ff9b::192.167.255.255", "64:ff9b::192.169.0.0"},
    {"translated locally", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
	NULL, NULL},
    {"not given out", "::1:0:0:0", "1fff:ffff::", NULL, "2000::"},
    {"6to4", "2002:a00::", "2002:aff:ffff:ffff:ffff:ffff:ffff:ffff",
	"2002:9ff:ffff::", "2002:b00::"},
    {"discard", "100::", "100::ffff:ffff:ffff:ffff", NULL, NULL},
    {"protocols", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
	"2000:ffff::", "2001:200::"},
    {"example", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:db7:ffff::", "2001:db9::"},
    {"example", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
	"3ffe:ffff::", "3fff:1000::"},
    {"not given out", "4000::", "fbff:ffff::", "3fff:ffff::", NULL},
    {"segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	NULL, NULL},
    {"unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL,
	NULL},
    {"link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL,
	NULL},
    {"site-local, multicast",
	"fec0::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, NULL},
};

static bool
is_public(const char *text)
{
	struct addr addr;

	assert_true(addr_parse(&addr, slice_of(text)));
	return addr_reach(&addr) == ADDR_PUBLIC;
}

static void
ranges_end_where_they_should(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];

		if (is_public(row->first) || is_public(row->last))
			fail_msg("%s %s is public", row->why, row->first);
		if (row->below != NULL && !is_public(row->below))
			fail_msg("%s is not public", row->below);
		if (row->above != NULL && !is_public(row->above))
			fail_msg("%s is not public", row->above);
	}
	assert_true(is_public("8.8.8.8"));
	assert_true(is_public("2606:4700::1111"));
	assert_true(is_public("64:ff9b::8.8.8.8"));
}

static void
addresses_within_are_found(void **state)
{
	static const char *const pairs[][2] = {{"192.0.2.1", "192.0.2.1"},
	    {"::ffff:192.0.2.1", "192.0.2.1"},
	    {"64:ff9b::192.0.2.1", "192.0.2.1"},
	    {"2002:c000:201::", "192.0.2.1"}};
	struct addr addr, v4;
	char out[46];

	for (size_t i = 0; i < COUNT(pairs); i++) {
		assert_true(addr_parse(&addr, slice_of(pairs[i][0])));
		assert_true(addr_v4(&addr, &v4));
		addr_print(&v4, out);
		assert_string_equal(out, pairs[i][1]);
	}
	assert_true(addr_parse(&addr, slice_of("2606:4700::c000:201")));
	assert_false(addr_v4(&addr, &v4));
}

static void
addresses_are_printed_as_read(void **state)
{
	static const char *const pairs[][2] = {{"127.0.0.1", "127.0.0.1"},
	    {"::1", "::1"}, {"[2001:DB8::1]", "2001:db8::1"},
	    {"::ffff:10.0.0.1", "10.0.0.1"}, {"::ffff:a00:1", "10.0.0.1"},
	    {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
	    {"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"}};

	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct addr addr;
		char out[46];

		assert_true(addr_parse(&addr, slice_of(pairs[i][0])));
		addr_print(&addr, out);
		assert_string_equal(out, pairs[i][1]);
	}
}

static void
other_texts_are_no_addresses(void **state)
{
	static const struct slice bad[] = {{"", 0}, {NULL, 0}, {"[]", 2},
	    {"1.2.3", 5}, {"1.2.3.4.5", 9}, {"1.2.3.256", 9}, {"01.2.3.4", 8},
	    {"0x7f.0.0.1", 10}, {"2130706433", 10}, {"1.2.3.4 ", 8},
	    {"1.2.3.4\0", 8}, {"1.2.3.4\0x", 9}, {"::1\0]", 5}, {":::", 3},
	    {"1::2::3", 7}, {"12345::", 7}, {"fe80::1%lo", 10}, {"[::1", 4},
	    {"::1]", 4}, {"localhost", 9}, {"[1.2.3.4]", 9},
	    {"1:2:3:4:5:6:7:000000000000000000000000000000008", 46},
	    {"00000000000000000000000000000000000000000000000000::1", 53}};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct addr addr;

		if (addr_parse(&addr, bad[i]))
			fail_msg("case %zu is taken", i);
	}
}

static void
network_bytes_are_taken(void **state)
{
	static const uint8_t four[] = {192, 0, 2, 1};
	static const uint8_t sixteen[16] = {0xfe, 0x80, [15] = 1};
	struct addr a = addr_from_v4(four);
	struct addr b;
	char out[46];

	memcpy(b.bytes, sixteen, sizeof(b.bytes));
	addr_print(&a, out);
	assert_string_equal(out, "192.0.2.1");
	addr_print(&b, out);
	assert_string_equal(out, "fe80::1");
}

static bool
is_loopback(struct slice text)
{
	struct addr addr;

	assert_true(addr_parse(&addr, text));
	return addr_reach(&addr) == ADDR_LOOPBACK;
}

static bool
is_private_host(struct slice text)
{
	return addr_host_reach(text) != ADDR_PUBLIC;
}

/* What is said of an address or of a name: SPEC R-70, for hosts as text. */
static void
texts_are_judged(void **state)
{
	static const struct {
		const char *what;
		bool (*is)(struct slice);
		const char *yes[12], *no[8];
	} judged[] = {
	    {"loopback", is_loopback,
		{"127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"},
		{"126.0.0.1", "128.0.0.1", "::", "10.0.0.1", "::2", "100::1"}},
	    {"a private host", is_private_host,
		{"localhost", "a.localhost", "127.0.0.1", "10.1.2.3", "[::1]",
		    "[fe80::1]", "[::ffff:7f00:1]"},
		{"localhost.example", "mylocalhost", "example.com", "8.8.8.8",
		    "[2606:4700::1111]", "", "10.1.2.3.example"}},
	    {"a local name", addr_name_is_local,
		{"intranet", "metadata", "metadata.google.internal",
		    "printer.local", "a.localhost", "nas.lan", "a.b.home.arpa",
		    "wiki.corp", "x.test", "a.onion", ""},
		{"example.com", "a.example", "internal.example", "mylan.net",
		    "b.arpa", "a.locals", "notlocal.xlocal"}},
	};

	for (size_t i = 0; i < COUNT(judged); i++) {
		const char *const *p;

		for (p = judged[i].yes; *p != NULL; p++)
			if (!judged[i].is(slice_of(*p)))
				fail_msg("'%s' is not %s", *p, judged[i].what);
		for (p = judged[i].no; *p != NULL; p++)
			if (judged[i].is(slice_of(*p)))
				fail_msg("'%s' is %s", *p, judged[i].what);
	}
}

struct cidr_row {
	const char *net;
	const char *in[3];
	const char *out[3];
};

static void
networks_hold_their_addresses(void **state)
{
	static const struct cidr_row nets[] = {
	    {"127.0.0.0/8", {"127.0.0.0", "127.255.255.255"},
		{"126.255.255.255", "128.0.0.0", "::1"}},
	    {"10.0.0.1", {"10.0.0.1", "::ffff:10.0.0.1"},
		{"10.0.0.0", "10.0.0.2"}},
	    {"128.0.0.0/9", {"128.127.255.255"}, {"128.128.0.0"}},
	    {"172.16.0.0/12", {"172.16.0.0", "172.31.255.255"},
		{"172.15.255.255", "172.32.0.0"}},
	    {"192.168.1.128/25", {"192.168.1.128", "192.168.1.255"},
		{"192.168.1.127", "192.168.2.0"}},
	    {"0.0.0.0/0", {"1.2.3.4", "255.255.255.255"}, {"::1"}},
	    {"10.9.9.9/8", {"10.0.0.1"}, {"11.0.0.1"}},
	    {"::1", {"::1"}, {"::", "::2", "127.0.0.1"}},
	    {"fd00::/8", {"fd00::", "fdff::1"}, {"fc00::1", "fe00::"}},
	    {"2001:db8::/33", {"2001:db8:7fff::"}, {"2001:db8:8000::"}},
	    {"[::1]/128", {"::1"}, {"::2"}},
	    {"::/0", {"::1", "1.2.3.4"}, {NULL}},
	};

	for (size_t i = 0; i < COUNT(nets); i++) {
		struct cidr cidr;
		struct addr addr;

		assert_true(cidr_parse(&cidr, slice_of(nets[i].net)));
		for (int k = 0; k < 3 && nets[i].in[k] != NULL; k++) {
			assert_true(addr_parse(&addr, slice_of(nets[i].in[k])));
			if (!addr_has_prefix(
				addr.bytes, cidr.net.bytes, cidr.bits))
				fail_msg(
				    "%s lacks %s", nets[i].net, nets[i].in[k]);
		}
		for (int k = 0; k < 3 && nets[i].out[k] != NULL; k++) {
			assert_true(
			    addr_parse(&addr, slice_of(nets[i].out[k])));
			if (addr_has_prefix(
				addr.bytes, cidr.net.bytes, cidr.bits))
				fail_msg(
				    "%s has %s", nets[i].net, nets[i].out[k]);
		}
	}
}

static void
bad_networks_are_refused(void **state)
{
	static const char *const bad[] = {"", "/", "/8", "10.0.0.0/", "10/8",
	    "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.0/ 8",
	    "10.0.0.0/0008", "::/129", "::/1000", "a.example/8", "::1/8/8"};
	struct cidr cidr;

	for (size_t i = 0; i < COUNT(bad); i++)
		if (cidr_parse(&cidr, slice_of(bad[i])))
			fail_msg("'%s' is taken", bad[i]);
	assert_false(cidr_parse(&cidr, slice_of(NULL)));
}

UNIT(addr)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ranges_end_where_they_should),
	    cmocka_unit_test(addresses_within_are_found),
	    cmocka_unit_test(addresses_are_printed_as_read),
	    cmocka_unit_test(other_texts_are_no_addresses),
	    cmocka_unit_test(network_bytes_are_taken),
	    cmocka_unit_test(texts_are_judged),
	    cmocka_unit_test(networks_hold_their_addresses),
	    cmocka_unit_test(bad_networks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
