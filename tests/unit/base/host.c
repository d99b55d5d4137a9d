/* Host names: SPEC, HOSTILE T9, T19, U3, U5. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/host.h"
#include "base/url.h"

struct row {
	const char *rule;
	const char *raw;
	const char *host; /* NULL: refused */
	uint8_t kind;
	bool was_idn;
};

static const struct row rows[] = {
    {"R-44 case", "EXAMPLE.Com", "example.com", HOST_NAME, false},
    {"R-44 case", "AZ.example", "az.example", HOST_NAME, false},
    {"R-44 empty", "", NULL, 0, false},
    {"U5 only a soft hyphen", "\xc2\xad", NULL, 0, false},
    {"R-44 leading dot", ".a", NULL, 0, false},
    {"R-44 hyphens", "-a-.b--c.example", "-a-.b--c.example", HOST_NAME, false},
    {"R-44 escaped capital", "%45xample.com", "example.com", HOST_NAME, false},
    {"R-44 escaped dot", "a%2eb", "a.b", HOST_NAME, false},
    {"R-44 escaped colon", "a%3A80", NULL, 0, false},
    {"T9 %00", "a%00b", NULL, 0, false},
    {"R-44 lone percent", "a%zz", NULL, 0, false},
    {"R-44 lone percent", "a%4", NULL, 0, false},
    {"R-44 DEL", "a\x7f", NULL, 0, false},
    {"R-45",
	"b\xc3\xbc"
	"cher.example",
	"xn--bcher-kva.example", HOST_NAME, true},
    {"R-45 capitals",
	"B\xc3\x9c"
	"CHER.example",
	"xn--bcher-kva.example", HOST_NAME, true},
    {"R-45 escaped", "b%C3%BCcher.example", "xn--bcher-kva.example", HOST_NAME,
	true},
    {"R-45 composed", "u\xcc\x88.example", "xn--tda.example", HOST_NAME, true},
    {"R-45 A-label", "xn--bcher-kva.example", "xn--bcher-kva.example",
	HOST_NAME, false},
    {"R-45 A-label, capitals", "XN--BCHER-KVA.example", "xn--bcher-kva.example",
	HOST_NAME, false},
    {"R-45 ideographic dot",
	"a\xe3\x80\x82"
	"example",
	"a.example", HOST_NAME, true},
    {"U5 fullwidth",
	"\xef\xbd\x81\xef\xbc\x8e"
	"example",
	"a.example", HOST_NAME, true},
    {"U5 fullwidth slash",
	"a\xef\xbc\x8f"
	"example",
	NULL, 0, false},
    {"U5 soft hyphen",
	"a\xc2\xad"
	"b.example",
	"ab.example", HOST_NAME, true},
    {"U5 bidi override",
	"a\xe2\x80\xae"
	"b.example",
	NULL, 0, false},
    {"U5 C1", "a\xc2\x9b.example", NULL, 0, false},
    {"U5 not UTF-8", "a\xff.example", NULL, 0, false},
    {"U5 surrogate", "a%ED%A0%80.example", NULL, 0, false},
    {"R-46", "127.0.0.1", "127.0.0.1", HOST_IPV4, false},
    {"R-46", "0X7F.1", "127.0.0.1", HOST_IPV4, false},
    {"R-46", "2130706433", "127.0.0.1", HOST_IPV4, false},
    {"R-46", "0177.0.0.2", "127.0.0.2", HOST_IPV4, false},
    {"R-46", "127.2", "127.0.0.2", HOST_IPV4, false},
    {"R-46", "0", "0.0.0.0", HOST_IPV4, false},
    {"R-46", "99999999999999999999", NULL, 0, false},
    {"R-46", "zoo.1", NULL, 0, false},
    {"R-46", "a.0xffffffffff", NULL, 0, false},
    {"R-46", "a.0xfg", "a.0xfg", HOST_NAME, false},
    {"R-46", "a.1", NULL, 0, false},
    {"R-46", "a.0x1", NULL, 0, false},
    {"R-46", "0x", "0.0.0.0", HOST_IPV4, false},
    {"R-46", "1.0X.0x.4", "1.0.0.4", HOST_IPV4, false},
    {"R-46", "10x.0.0.1", NULL, 0, false},
    {"R-46 a name", "a.0xg", "a.0xg", HOST_NAME, false},
    {"R-46 fullwidth digits", "\xef\xbc\x91.2.3.4", "1.2.3.4", HOST_IPV4, true},
    {"R-46", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", HOST_IPV6, false},
    {"R-46", "[::ffff:0:102]", "[::ffff:0:102]", HOST_IPV6, false},
    {"R-46", "[::1.2.3.4]", "[::102:304]", HOST_IPV6, false},
    {"R-46", "[::g]", NULL, 0, false},
    {"R-46", "[fe80::1%25lo]", NULL, 0, false},
    {"R-46", "[1.2.3.4]", NULL, 0, false},
    {"R-46", "[v1.x]", NULL, 0, false},
};

/* no host has one of these, as itself or escaped. */
static void
some_bytes_are_refused(void **state)
{
	static const char bytes[] = " <>\"^|\\`{[:#?!$&'()*+,;=\t\x7f/@%";
	struct buf *out = *state;
	bool was_idn;
	uint8_t kind;
	char raw[8];

	for (const char *p = bytes; *p != '\0'; p++) {
		(void)snprintf(raw, sizeof(raw), "a%cb", *p);
		if (host_normalise(out, slice_of(raw), &kind, &was_idn) !=
		    DIAG_INVALID_URL)
			fail_msg("'%s' is '%s'", raw, buf_str(out));
		(void)snprintf(raw, sizeof(raw), "a%%%02Xb", (unsigned)*p);
		if (host_normalise(out, slice_of(raw), &kind, &was_idn) !=
		    DIAG_INVALID_URL)
			fail_msg("'%s' is '%s'", raw, buf_str(out));
	}
}

static void
hosts_are_normalised(void **state)
{
	struct buf *out = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		uint8_t kind = 77;
		bool was_idn = true;
		enum diag_code code;

		buf_clear(out);
		(void)buf_put(out, "//", 2);
		code = host_normalise(out, slice_of(row->raw), &kind, &was_idn);
		if (row->host == NULL) {
			if (code != DIAG_INVALID_URL ||
			    strcmp(buf_str(out), "//") != 0)
				fail_msg("%s '%s' is '%s'", row->rule, row->raw,
				    buf_str(out));
			continue;
		}
		if (code != DIAG_OK || strcmp(buf_str(out) + 2, row->host) != 0)
			fail_msg("%s '%s' is '%s'", row->rule, row->raw,
			    buf_str(out));
		assert_int_equal(kind, row->kind);
		assert_int_equal(was_idn, row->was_idn);
		/* A normal host normalises to itself. */
		buf_clear(out);
		assert_int_equal(
		    host_normalise(out, slice_of(row->host), &kind, &was_idn),
		    DIAG_OK);
		assert_string_equal(buf_str(out), row->host);
	}
}

static void
long_hosts_do_no_harm(void **state)
{
	char raw[5000];
	struct buf out;
	uint8_t kind;
	bool was_idn;

	buf_init(&out, 100);
	for (size_t len = 1; len < sizeof(raw); len += 13) {
		memset(raw, 'a', sizeof(raw));
		buf_clear(&out);
		/* A result that exceeds the ceiling changes nothing. */
		if (host_normalise(
			&out, slice_make(raw, len), &kind, &was_idn) != DIAG_OK)
			assert_int_equal(out.len, 0);
		memcpy(raw, "xn--", 4);
		(void)host_normalise(
		    &out, slice_make(raw, len), &kind, &was_idn);
		memcpy(raw, "\xc3\xbc", 2);
		(void)host_normalise(
		    &out, slice_make(raw, len), &kind, &was_idn);
	}
	for (size_t i = 0; i + 3 < sizeof(raw); i += 3)
		memcpy(raw + i, "\xef\xb7\xba", 3); /* expands to 18 letters */
	for (size_t len = 3; len < sizeof(raw); len += 3)
		(void)host_normalise(
		    &out, slice_make(raw, len), &kind, &was_idn);
	buf_release(&out);
}

/* R-59, lenient. */
static void
registrable_domains_are_found(void **state)
{
	static const char *const pairs[][2] = {{"example.com", "example.com"},
	    {"a.b.example.com", "example.com"}, {"com", ""},
	    {"a.example.co.uk", "example.co.uk"}, {"co.uk", ""},
	    {"user.github.io", "user.github.io"}, {"github.io", ""},
	    {"test", ""}, {"b.a.test", "a.test"}, {"127.0.0.1", ""},
	    {"[::1]", ""}, {"", ""}};

	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct slice host = slice_of(pairs[i][0]);
		struct slice got = host_registrable(host);

		if (!slice_is(got, pairs[i][1]))
			fail_msg("'%s' gives '%.*s'", pairs[i][0], (int)got.len,
			    got.p);
		/* The result is borrowed from host. */
		if (got.len > 0)
			assert_ptr_equal(got.p + got.len, host.p + host.len);
	}
}

static void
kin_is_one_owner(void **state)
{
	static const struct {
		const char *a, *b;
		bool is_kin;
	} kin[] = {{"a.example.com", "example.com", true},
	    {"a.example.com", "example.org", false}, {"com", "com", true},
	    {"com", "org", false}, {"a.github.io", "b.github.io", false},
	    {"localhost", "localhost", true}, {"127.0.0.1", "127.0.0.1", true},
	    {"127.0.0.1", "127.0.0.2", false}, {"test", "a.test", false}};

	for (size_t i = 0; i < COUNT(kin); i++)
		if (host_is_kin(slice_of(kin[i].a), slice_of(kin[i].b)) !=
		    kin[i].is_kin)
			fail_msg("%s, %s", kin[i].a, kin[i].b);
}

static void
www_is_a_label(void **state)
{
	static const char *const others[][2] = {{"a.b", "www.a.b"},
	    {"a.b", "a.b"}, {"wwwa.b", "a.b"}, {"xxx.a.b", "a.b"},
	    {"www.a.b", "a.c"}, {"www.www.a.b", "a.b"}};

	assert_true(host_is_www_of(slice_of("www.a.b"), slice_of("a.b")));
	for (size_t i = 0; i < COUNT(others); i++)
		if (host_is_www_of(
			slice_of(others[i][0]), slice_of(others[i][1])))
			fail_msg("%s, %s", others[i][0], others[i][1]);
}

/* After host_warm() a process that can open no files gives the same results. */
static void
warming_is_enough(void **state)
{
	static const char *const hosts[] = {"b\303\274cher.example",
	    "\xe6\x97\xa5\xe6\x9c\xac.example",
	    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d.example",
	    "xn--bcher-kva.example"};
	struct rlimit before, none;
	bool was_idn;
	uint8_t kind;
	struct buf *out = *state;

	host_warm();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_null(fopen("/dev/null", "r"));
	for (size_t i = 0; i < COUNT(hosts); i++)
		assert_int_equal(
		    host_normalise(out, slice_of(hosts[i]), &kind, &was_idn),
		    DIAG_OK);
	assert_true(slice_is(
	    host_registrable(slice_of("a.example.co.jp")), "example.co.jp"));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static enum diag_code
normalise(struct slice host, size_t room)
{
	struct buf out;
	uint8_t kind;
	bool was_idn;
	enum diag_code code;

	buf_init(&out, room);
	code = host_normalise(&out, host, &kind, &was_idn);
	buf_release(&out);
	return code;
}

static void
hosts_need_room(void **state)
{
	static const char *const hosts[] = {
	    "example.com", "1.2.3.4", "[2001:db8::1]", "[::ffff:1.2.3.4]"};

	for (size_t i = 0; i < COUNT(hosts); i++) {
		assert_int_equal(normalise(slice_of(hosts[i]), 64), DIAG_OK);
		assert_int_equal(
		    normalise(slice_of(hosts[i]), 6), DIAG_INVALID_URL);
	}
	/* a NUL ends no address */
	assert_int_equal(
	    normalise(slice_make("[::1\0]", 6), 64), DIAG_INVALID_URL);
}

/* Nothing is read behind the last byte. */
static void
hosts_end(void **state)
{
	char full[1024];
	char *cut = slice_dup(slice_of("a%4"));

	memset(full, 'A', sizeof(full));
	assert_int_equal(
	    normalise(slice_make(full, sizeof(full)), 4096), DIAG_INVALID_URL);
	assert_int_equal(
	    normalise(slice_make(full, HOST_NAME_BYTES), 4096), DIAG_OK);
	assert_int_equal(normalise(slice_make(full, HOST_NAME_BYTES + 1), 4096),
	    DIAG_INVALID_URL);
	assert_int_equal(normalise(slice_make(cut, 3), 64), DIAG_INVALID_URL);
	cut[2] = '%';
	assert_int_equal(normalise(slice_make(cut, 3), 64), DIAG_INVALID_URL);
	free(cut);
}

static void
no_domain_is_registrable(void **state)
{
	char text[1026];

	memset(text, 'a', sizeof(text));
	memcpy(text + 1021, ".com", 4);
	assert_int_equal(host_registrable(slice_make(text, 0)).len, 0);
	assert_int_equal(host_registrable(slice_make(text, 1025)).len, 0);
	assert_int_equal(
	    host_registrable(slice_make(text + 1, 1024)).len, 1024);
	assert_int_equal(host_registrable(slice_of("[::1]")).len, 0);
}

UNIT(host)
{
	const struct CMUnitTest tests[] = {
	    text_test(warming_is_enough),
	    text_test(some_bytes_are_refused),
	    text_test(hosts_are_normalised),
	    cmocka_unit_test(long_hosts_do_no_harm),
	    cmocka_unit_test(registrable_domains_are_found),
	    cmocka_unit_test(kin_is_one_owner),
	    cmocka_unit_test(www_is_a_label),
	    cmocka_unit_test(hosts_need_room),
	    cmocka_unit_test(hosts_end),
	    cmocka_unit_test(no_domain_is_registrable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
