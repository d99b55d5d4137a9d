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
	enum value_shape shape;
	const char *text;
	bool is_good;
} shapes[] = {
    {SHAPE_CONNECT_TO, "a:80:b:8080", true},
    {SHAPE_CONNECT_TO, "::127.0.0.1:8080", true},
    {SHAPE_CONNECT_TO, ":::8080", true},
    {SHAPE_CONNECT_TO, "[::1]:443:[2001:db8::1]:8443", true},
    {SHAPE_CONNECT_TO, "a:80:b", false},
    {SHAPE_CONNECT_TO, "a:80:b:8080:", false},
    {SHAPE_CONNECT_TO, "a:x:b:80", false},
    {SHAPE_CONNECT_TO, "a:65536:b:80", false},
    {SHAPE_CONNECT_TO, "a:0:b:80", false},
    {SHAPE_CONNECT_TO, "[::1:443:b:80", false},
    {SHAPE_RESOLVE, "a:80:127.0.0.1", true},
    {SHAPE_RESOLVE, "+a:80:127.0.0.1,[::1],::2", true},
    {SHAPE_RESOLVE, "a::127.0.0.1", false},
    {SHAPE_RESOLVE, "a:80:", false},
    {SHAPE_RESOLVE, "a:80:127.0.0.1,", false},
    {SHAPE_RESOLVE, ":80:127.0.0.1", false},
    {SHAPE_PROXY, "proxy", false},
    {SHAPE_PROXY, "proxy:", false},
    {SHAPE_PROXY, "[::1]", false},
    {SHAPE_PROXY, "[::1]:3128", true},
    {SHAPE_PROXY, "proxy.example:3128", true},
    {SHAPE_PROXY, "http://user:p@w@proxy.example:3128/", true},
    {SHAPE_PROXY, "socks5h://[::1]:1080", true},
    {SHAPE_PROXY, "foo://proxy", false},
    {SHAPE_PROXY, "HTTP://proxy", true},
    {SHAPE_PROXY, "http://", false},
    {SHAPE_PROXY, "http://:80", false},
    {SHAPE_PROXY, "http://proxy:65536", false},
    {SHAPE_PROXY, "http://proxy/path", false},
    {SHAPE_PROXY, "proxy example", false},
    {SHAPE_PROXY, "", false},
    {SHAPE_HEADER, "A: b", true},
    {SHAPE_HEADER, "A:", true},
    {SHAPE_HEADER, "@x", true},
    {SHAPE_HEADER, "@", false},
    {SHAPE_HEADER, "A : b", false},
    {SHAPE_HEADER, ": b", false},
    {SHAPE_HEADER, "A: b\r\nC: d", false},
    {SHAPE_TEXT, "a b", true},
    {SHAPE_TEXT, "", false},
    {SHAPE_TEXT, "a\nb", false},
    {SHAPE_LISTEN, "127.0.0.1:8787", true},
    {SHAPE_LISTEN, "0.0.0.0:0", true},
    {SHAPE_LISTEN, "[::1]:65535", true},
    {SHAPE_LISTEN, "127.0.0.1:65536", false},
    {SHAPE_LISTEN, "127.0.0.1:", false},
    {SHAPE_LISTEN, "127.0.0.1", false},
    {SHAPE_LISTEN, ":80", false},
    {SHAPE_LISTEN, "80", false},
    {SHAPE_LISTEN, "", false},
    {SHAPE_LISTEN, "::1:80", false},
    {SHAPE_LISTEN, "[::1]", false},
    {SHAPE_LISTEN, "[::1:80", false},
    {SHAPE_LISTEN, "::1]:80", false},
    {SHAPE_LISTEN, "localhost:80", false},
    {SHAPE_LISTEN, "127.0.0.1:-1", false},
    {SHAPE_LISTEN, "127.0.0.1: 80", false},
    {SHAPE_OWN, "https://example.org/x/", true},
    {SHAPE_OWN, "example", false},
};

static void
texts_have_shapes(void **state)
{
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (value_has_shape(shapes[i].text, shapes[i].shape) !=
		    shapes[i].is_good)
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
