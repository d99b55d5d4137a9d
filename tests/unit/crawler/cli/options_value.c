/* Values of options: units and shapes. */
#include "tests/fixtures/fixture.h"

#include "crawler/cli/options_table.h"
#include "crawler/cli/options_value.h"

static void
values_have_units(void **state)
{
	static const struct {
		const char *text;
		int64_t ms; /* -1: none */
	} times[] = {{"0", 0}, {"1", 1000}, {"1.5", 1500}, {"300ms", 300},
	    {"90s", 90000}, {"10m", 600000}, {"2h", 7200000}, {"7d", 604800000},
	    {"0.0004", 0}, {"1.23456789", 1234}, {"0.5h", 1800000}, {"", -1},
	    {"s", -1}, {"-1", -1}, {"+1", -1}, {"1.", -1}, {".5", -1},
	    {"1 s", -1}, {"1S", -1}, {"1e3", -1}, {"8d", -1},
	    {"604800.001", -1}, {"18446744073709551617", -1},
	    {"99999999999999999999d", -1}};
	static const struct {
		const char *text;
		int64_t bytes; /* -1: none */
	} sizes[] = {{"0", 0}, {"4096", 4096}, {"64K", 65536},
	    {"64M", 67108864}, {"1GiB", 1073741824}, {"5MB", 5000000},
	    {"1.5K", 1536}, {"1T", 1099511627776}, {"1kB", 1000}, {"1k", -1},
	    {"M", -1}, {"", -1}, {"1 M", -1}, {"-1", -1}, {"99999999T", -1},
	    {"18446744073709551616", -1}};

	for (size_t i = 0; i < COUNT(times); i++) {
		int64_t ms = -1;

		if (value_duration(times[i].text, 604800000, &ms) !=
			(times[i].ms >= 0) ||
		    ms != times[i].ms)
			fail_msg("%s: %lld", times[i].text, (long long)ms);
	}
	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint64_t bytes = UINT64_MAX;

		if (value_size(sizes[i].text, &bytes) !=
			(sizes[i].bytes >= 0) ||
		    (int64_t)bytes != sizes[i].bytes)
			fail_msg("%s: %llu", sizes[i].text,
			    (unsigned long long)bytes);
	}
}

/* A date comes first, a time back from now else. */
static void
moments_are_dates_or_times(void **state)
{
	static const struct {
		const char *text;
		int64_t at_s; /* -1: none */
	} moments[] = {{"2026-11-01", 1793491200}, {"2026", 1767225600},
	    {"2026-11-01T01:00+01:00", 1793491200},
	    {"2026-11-01T00:00:30Z", 1793491230},
	    {"2026-11-01 00:30", 1793493000}, {"2026-11-01 25:00", -1},
	    {"today", 1999987200}, {"yesterday", 1999900800},
	    {"1w", 2000000000 - 604800}, {"1y", 2000000000 - 31536000},
	    {"7d", 2000000000 - 604800}, {"90m", 2000000000 - 5400},
	    {"1500ms", 2000000000 - 1}, {"0", 2000000000}, {"2026-02-30", -1},
	    {"2026-11-01T25:00Z", -1}, {"", -1}, {"-7d", -1}, {"7 d", -1},
	    {"36501d", -1}, {"101y", -1}, {"now", -1}};

	for (size_t i = 0; i < COUNT(moments); i++) {
		int64_t at_s = -1;

		if (value_moment(moments[i].text, 2000000000, &at_s) !=
			(moments[i].at_s >= 0) ||
		    at_s != moments[i].at_s)
			fail_msg("%s: %lld", moments[i].text, (long long)at_s);
	}
}

static const struct shape_row {
	option_shape_fn *shape;
	const char *text;
	bool is_good;
} shapes[] = {
    {shape_connect_to, "a:80:b:8080", true},
    {shape_connect_to, "::127.0.0.1:8080", true},
    {shape_connect_to, ":::8080", true},
    {shape_connect_to, "[::1]:443:[2001:db8::1]:8443", true},
    {shape_connect_to, "a:80:b", false},
    {shape_connect_to, "a:80:b:8080:", false},
    {shape_connect_to, "a:x:b:80", false},
    {shape_connect_to, "a:65536:b:80", false},
    {shape_connect_to, "a:0:b:80", false},
    {shape_connect_to, "[::1:443:b:80", false},
    {shape_resolve, "a:80:127.0.0.1", true},
    {shape_resolve, "+a:80:127.0.0.1,[::1],::2", true},
    {shape_resolve, "a::127.0.0.1", false},
    {shape_resolve, "a:80:", false},
    {shape_resolve, "a:80:127.0.0.1,", false},
    {shape_resolve, ":80:127.0.0.1", false},
    {shape_proxy, "proxy", false},
    {shape_proxy, "proxy:", false},
    {shape_proxy, "[::1]", false},
    {shape_proxy, "[::1]:3128", true},
    {shape_proxy, "proxy.example:3128", true},
    {shape_proxy, "http://user:p@w@proxy.example:3128/", true},
    {shape_proxy, "socks5h://[::1]:1080", true},
    {shape_proxy, "foo://proxy", false},
    {shape_proxy, "HTTP://proxy", true},
    {shape_proxy, "http://", false},
    {shape_proxy, "http://:80", false},
    {shape_proxy, "http://proxy:65536", false},
    {shape_proxy, "http://proxy/path", false},
    {shape_proxy, "proxy example", false},
    {shape_proxy, "", false},
    {shape_header, "A: b", true},
    {shape_header, "A:", true},
    {shape_header, "@x", true},
    {shape_header, "@", false},
    {shape_header, "A : b", false},
    {shape_header, ": b", false},
    {shape_header, "A: b\r\nC: d", false},
    {shape_text, "a b", true},
    {shape_text, "", false},
    {shape_text, "a\nb", false},
    {shape_user, "bob", true},
    {shape_user, "bob:", false},
    {shape_listen, "127.0.0.1:8787", true},
    {shape_listen, "0.0.0.0:0", true},
    {shape_listen, "[::1]:65535", true},
    {shape_listen, "127.0.0.1:65536", false},
    {shape_listen, "127.0.0.1:", false},
    {shape_listen, "127.0.0.1", false},
    {shape_listen, ":80", false},
    {shape_listen, "80", false},
    {shape_listen, "", false},
    {shape_listen, "::1:80", false},
    {shape_listen, "[::1]", false},
    {shape_listen, "[::1:80", false},
    {shape_listen, "::1]:80", false},
    {shape_listen, "localhost:80", false},
    {shape_listen, "127.0.0.1:-1", false},
    {shape_listen, "127.0.0.1: 80", false},
    {shape_own, "https://example.org/x/", true},
    {shape_own, "example", false},
};

static void
texts_have_shapes(void **state)
{
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (shapes[i].shape(shapes[i].text) != shapes[i].is_good)
			fail_msg("%zu: %s", i, shapes[i].text);
}

UNIT(options_value)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_have_units),
	    cmocka_unit_test(moments_are_dates_or_times),
	    cmocka_unit_test(texts_have_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
