/* crawler/identity/ed25519.c: the vectors of RFC 9421 and RFC 8037, Base64. */
#include "tests/fixtures/fixture.h"

#include <string.h>

#include "crawler/identity/ed25519.h"

/* RFC 9421, B.1.4 */
static const char key_9421[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
    "-----END PRIVATE KEY-----\n";

/* RFC 9421, B.2.6: the signature base, and its signature. */
static const char base_9421[] =
    "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n"
    "\"@method\": POST\n"
    "\"@path\": /foo\n"
    "\"@authority\": example.com\n"
    "\"content-type\": application/json\n"
    "\"content-length\": 18\n"
    "\"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" "
    "\"content-type\" \"content-length\");created=1618884473"
    ";keyid=\"test-key-ed25519\"";
static const char signature_9421[] =
    "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6v"
    "uQv5lIp5WPpBKRCw==";

static void
test_vector(void **state)
{
	uint8_t signature[ED25519_SIGNATURE], x[ED25519_BYTES];
	struct buf text = BUF_UP_TO(SIZE_MAX);
	struct ed25519 *key, *public;
	bool is_other;

	key = ed25519_read(slice_of(key_9421), &is_other);
	assert_non_null(key);
	ed25519_x(key, x);
	base64url_put(&text, x, sizeof(x));
	assert_string_equal(
	    buf_str(&text), "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs");
	ed25519_sign(key, slice_of(base_9421), signature);
	buf_clear(&text);
	base64_put(&text, signature, sizeof(signature));
	assert_string_equal(buf_str(&text), signature_9421);
	/* what is printed is what was read */
	buf_clear(&text);
	ed25519_print(key, &text);
	assert_string_equal(buf_str(&text), key_9421);
	public = ed25519_public(x);
	assert_true(ed25519_verify(public, slice_of(base_9421), signature));
	for (size_t i = 0; i < sizeof(signature) * 8; i++) {
		signature[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(
		    ed25519_verify(public, slice_of(base_9421), signature));
		signature[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	ed25519_free(public);
	ed25519_free(key);
	buf_release(&text);
}

/* Each new key is another one, and can be read again. */
static void
test_new(void **state)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	uint8_t x[2][ED25519_BYTES], again[ED25519_BYTES];
	struct ed25519 *key;
	bool is_other;

	for (size_t i = 0; i < 2; i++) {
		key = ed25519_new();
		ed25519_x(key, x[i]);
		buf_clear(&text);
		ed25519_print(key, &text);
		ed25519_free(key);
		key = ed25519_read(buf_text(&text), &is_other);
		assert_non_null(key);
		ed25519_x(key, again);
		assert_memory_equal(again, x[i], sizeof(again));
		ed25519_free(key);
	}
	assert_memory_not_equal(x[0], x[1], sizeof(again));
	buf_release(&text);
}

static void
test_refused(void **state)
{
	static const struct {
		const char *pem;
		bool is_other;
	} rows[] = {
	    {"", false},
	    {"-----BEGIN PRIVATE KEY-----\n", false},
	    {"-----BEGIN PRIVATE KEY-----\nMC4CAQAw\n"
	     "-----END PRIVATE KEY-----\n",
		false},
	    /* a public key */
	    {"-----BEGIN PUBLIC KEY-----\n"
	     "MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=\n"
	     "-----END PUBLIC KEY-----\n",
		false},
	    /* X25519, which cannot sign */
	    {"-----BEGIN PRIVATE KEY-----\n"
	     "MC4CAQAwBQYDK2VuBCIEIJ+"
	     "DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF\n"
	     "-----END PRIVATE KEY-----\n",
		true},
	};
	bool is_other;

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_null(ed25519_read(slice_of(rows[i].pem), &is_other));
		assert_int_equal(is_other, rows[i].is_other);
	}
}

static void
test_base64(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		bool is_good;
	} rows[] = {
	    {"AAAA", 3, true},
	    {"_-8", 2, true},
	    {"/+8=", 2, true},
	    {"/+9=", 2, false}, /* bits behind the last byte */
	    {"_-9", 2, false},
	    {"AAA", 3, false},
	    {"AAAA", 2, false},
	    {"AA=A", 3, false},
	    {"AA A", 3, false},
	    {"AA\nA", 3, false},
	    {"====", 3, false},
	    {"", 3, false},
	    {"AAAAAAAA", 3, false},
	};
	uint8_t bytes[64];

	for (size_t i = 0; i < COUNT(rows); i++)
		if (base64_read(slice_of(rows[i].text), bytes, rows[i].count) !=
		    rows[i].is_good)
			fail_msg("'%s'", rows[i].text);
	assert_true(base64_read(slice_of(signature_9421), bytes, 64));
	assert_int_equal(bytes[0], 0xc2);
	assert_int_equal(bytes[63], 0x0b);
}

UNIT_TESTS(ed25519, cmocka_unit_test(test_vector), cmocka_unit_test(test_new),
    cmocka_unit_test(test_refused), cmocka_unit_test(test_base64));
