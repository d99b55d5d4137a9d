/* crawler/identity/structured.c: dictionaries of RFC 8941, good and bad. */
#include "tests/fixtures/fixture.h"

#include <inttypes.h>
#include <string.h>

#include "crawler/identity/structured.h"

/* What was read: keys, types and texts; "!" where it went wrong. */
static void
show(struct buf *out, struct slice field)
{
	static const char types[] = "otnsbl";
	struct slice key, rest;
	struct structured value, item;

	while (structured_next(&field, ',', &key, &value)) {
		(void)buf_print(out, "%.*s:%c<%.*s>", (int)key.len, key.p,
		    types[value.type], (int)value.text.len, value.text.p);
		if (value.type == STRUCTURED_NUMBER)
			(void)buf_print(out, "%" PRId64, value.number);
		rest = value.text;
		while (value.type == STRUCTURED_LIST &&
		    structured_item(&rest, &item))
			(void)buf_print(out, "[%c<%.*s>%.*s]", types[item.type],
			    (int)item.text.len, item.text.p,
			    (int)item.parameters.len, item.parameters.p);
		rest = value.parameters;
		while (structured_next(&rest, ';', &key, &item))
			(void)buf_print(out, ";%.*s:%c<%.*s>", (int)key.len,
			    key.p, types[item.type], (int)item.text.len,
			    item.text.p);
		(void)buf_put_char(out, ' ');
	}
	if (field.len > 0)
		(void)buf_put_char(out, '!');
}

static void
test_table(void **state)
{
	static const struct {
		const char *field, *seen;
	} rows[] = {
	    {"", ""},
	    {"a", "a:t<> "},
	    {"a=1", "a:n<1>1 "},
	    {"a=999999999999999", "a:n<999999999999999>999999999999999 "},
	    {"a=9999999999999999", "a:o<9999999999999999> "},
	    {"a=-1, b=1.5,c=tok/en", "a:o<-1> b:o<1.5> c:o<tok/en> "},
	    {"a=?1, b=?0", "a:t<?1> b:o<?0> "},
	    {"a=\"x, \\\"y\\\\\"", "a:s<x, \\\"y\\\\> "},
	    {"a=:aGk=:", "a:b<aGk=> "},
	    {"a=()", "a:l<> "},
	    {"a=( \"x\"  \"y\";key=\"k\";req );t=\"w\"",
		"a:l< \"x\"  \"y\";key=\"k\";req >[s<x>][s<y>;key=\"k\";req]"
		";t:s<w> "},
	    {"a;x; y=1 \t,\t *b.c-d_0", "a:t<>;x:t<>;y:n<1> *b.c-d_0:t<> "},
	    {"a=1,a=2", "a:n<1>1 a:n<2>2 "},
	    /* wrong */
	    {"a=1,", "!"},
	    {",a", "!"},
	    {"A=1", "!"},
	    {"a b", "!"},
	    {"a=", "!"},
	    {"a=\"x", "!"},
	    {"a=\"x\\", "!"},
	    {"a=\"x\\n\"", "!"},
	    {"a=\"\x01\"", "!"},
	    {"a=\"\xc3\xa4\"", "!"},
	    {"a=:aGk=", "!"},
	    {"a=(", "!"},
	    {"a=(\"x\"", "!"},
	    {"a=(\"x\"\"y\")", "!"},
	    {"a=(\"x\" \");b\xbc", "!"},
	    {"a=(\"x\" \")\\a\")", "!"},
	    {"a=((\"x\"))", "!"},
	    {"a=(\"x\";)", "!"},
	    {"a=1;", "!"},
	    {"a=1;X", "!"},
	    {"a=1, b=(;", "a:n<1>1 !"},
	};
	struct buf out = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_clear(&out);
		show(&out, slice_of(rows[i].field));
		if (strcmp(buf_str(&out), rows[i].seen) != 0)
			fail_msg("'%s': '%s'", rows[i].field, buf_str(&out));
	}
	buf_release(&out);
}

/* Bytes without a meaning are read to their end, and never behind it. */
static void
test_junk(void **state)
{
	static const char letters[] = "ab=1;,\"\\():?*. \t\x7f\xff";
	struct buf out = BUF_UP_TO(SIZE_MAX);
	uint32_t seed = 46;
	char *exact;

	for (size_t round = 0; round < 20000; round++) {
		size_t len = round % 24;

		exact = test_malloc(len + 1);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			exact[i] = letters[(seed >> 16) % (COUNT(letters) - 1)];
		}
		buf_clear(&out);
		show(&out, slice_make(exact, len));
		test_free(exact);
	}
	buf_release(&out);
}

static void
test_find(void **state)
{
	struct slice field = slice_of("a=1, b=2;x=3, a=\"4\"");
	struct structured value;

	assert_true(structured_find(field, ',', slice_of("a"), &value));
	assert_true(slice_is(value.text, "4"));
	assert_true(structured_find(field, ',', slice_of("b"), &value));
	assert_true(slice_is(value.whole, "2;x=3"));
	assert_true(
	    structured_find(value.parameters, ';', slice_of("x"), &value));
	assert_int_equal(value.number, 3);
	assert_false(structured_find(field, ',', slice_of("c"), &value));
	assert_false(
	    structured_find(slice_of("a=1,"), ',', slice_of("a"), &value));
}

UNIT_TESTS(structured, cmocka_unit_test(test_table),
    cmocka_unit_test(test_junk), cmocka_unit_test(test_find));
