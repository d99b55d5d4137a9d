/* Ed25519 by libcrypto, which is loaded when it is first used. */
#include "crawler/identity/ed25519.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/late.h"

static struct {
	EVP_MD_CTX *(*begin)(void);
	void (*end)(EVP_MD_CTX *);
	int (*sign_init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *,
	    ENGINE *, EVP_PKEY *);
	int (*sign)(EVP_MD_CTX *, uint8_t *, size_t *, const uint8_t *, size_t);
	int (*verify_init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *,
	    ENGINE *, EVP_PKEY *);
	int (*verify)(
	    EVP_MD_CTX *, const uint8_t *, size_t, const uint8_t *, size_t);
	EVP_PKEY *(*make)(OSSL_LIB_CTX *, const char *, const char *, ...);
	EVP_PKEY *(*of_x)(int, ENGINE *, const uint8_t *, size_t);
	int (*x)(const EVP_PKEY *, uint8_t *, size_t *);
	int (*secret)(const EVP_PKEY *, uint8_t *, size_t *);
	int (*kind)(const EVP_PKEY *);
	void (*free)(EVP_PKEY *);
	BIO *(*bio_of)(const void *, int);
	int (*bio_free)(BIO *);
	EVP_PKEY *(*read)(BIO *, EVP_PKEY **, pem_password_cb *, void *);
	void (*no_errors)(void);
	int (*digest)(OSSL_LIB_CTX *, const char *, const char *, const void *,
	    size_t, uint8_t *, size_t *);
	int (*encode)(uint8_t *, const uint8_t *, int);
	int (*decode)(uint8_t *, const uint8_t *, int);
} crypto;

#define TEXT_OF(number) #number
#define LIBRARY(version) "libcrypto.so." TEXT_OF(version)

static void
ed25519_load(void)
{
	static const struct late_function functions[] = {
	    {"EVP_MD_CTX_new", &crypto.begin},
	    {"EVP_MD_CTX_free", &crypto.end},
	    {"EVP_DigestSignInit", &crypto.sign_init},
	    {"EVP_DigestSign", &crypto.sign},
	    {"EVP_DigestVerifyInit", &crypto.verify_init},
	    {"EVP_DigestVerify", &crypto.verify},
	    {"EVP_PKEY_Q_keygen", &crypto.make},
	    {"EVP_PKEY_new_raw_public_key", &crypto.of_x},
	    {"EVP_PKEY_get_raw_public_key", &crypto.x},
	    {"EVP_PKEY_get_raw_private_key", &crypto.secret},
	    {"EVP_PKEY_get_id", &crypto.kind},
	    {"EVP_PKEY_free", &crypto.free},
	    {"BIO_new_mem_buf", &crypto.bio_of},
	    {"BIO_free", &crypto.bio_free},
	    {"PEM_read_bio_PrivateKey", &crypto.read},
	    {"ERR_clear_error", &crypto.no_errors},
	    {"EVP_Q_digest", &crypto.digest},
	    {"EVP_EncodeBlock", &crypto.encode},
	    {"EVP_DecodeBlock", &crypto.decode},
	};

	if (crypto.decode == NULL)
		late_load(LIBRARY(OPENSSL_SHLIB_VERSION), functions,
		    sizeof(functions) / sizeof(functions[0]));
}

#define DECODED_MAX 64
#define ENCODED_MAX ((DECODED_MAX + 2) / 3 * 4 + 1)

void
base64_put(struct buf *out, const uint8_t *bytes, size_t count)
{
	uint8_t room[ENCODED_MAX];

	assert(count <= DECODED_MAX);
	ed25519_load();
	(void)buf_put(
	    out, room, (size_t)crypto.encode(room, bytes, (int)count));
}

void
base64url_put(struct buf *out, const uint8_t *bytes, size_t count)
{
	size_t from = out->len;

	base64_put(out, bytes, count);
	for (size_t i = from; i < out->len; i++) {
		if (out->p[i] == '+')
			out->p[i] = '-';
		if (out->p[i] == '/')
			out->p[i] = '_';
		if (out->p[i] == '=')
			out->len = i;
	}
}

bool
base64_read(struct slice text, uint8_t *bytes, size_t count)
{
	uint8_t room[ENCODED_MAX], decoded[ENCODED_MAX];
	struct buf again = BUF_UP_TO(SIZE_MAX);
	size_t len = (count + 2) / 3 * 4;
	bool is_equal;

	assert(count <= DECODED_MAX);
	ed25519_load();
	if (text.len > len || len - text.len > 2)
		return false;
	for (size_t i = 0; i < len; i++)
		room[i] = i >= text.len ? '=' : (uint8_t)text.p[i];
	for (size_t i = 0; i < text.len; i++)
		room[i] = room[i] == '-' ? '+' : room[i] == '_' ? '/' : room[i];
	if (crypto.decode(decoded, room, (int)len) < 0)
		return false;
	/* libcrypto reads more forms than one: the bytes decide */
	base64_put(&again, decoded, count);
	is_equal = slice_equal(
	    buf_text(&again), slice_make((const char *)room, len));
	if (is_equal)
		memcpy(bytes, decoded, count);
	buf_release(&again);
	return is_equal;
}

/* A struct ed25519 is an EVP_PKEY. */

struct ed25519 *
ed25519_new(void)
{
	EVP_PKEY *key;

	ed25519_load();
	key = crypto.make(NULL, NULL, "ED25519");
	assert(key != NULL);
	return (struct ed25519 *)key;
}

/* There is no password, and nobody is asked for one. */
static int
ed25519_no_password(char *room, int size, int is_new, void *arg)
{
	(void)room;
	(void)arg;
	return size < 0 ? is_new : -1;
}

struct ed25519 *
ed25519_read(struct slice pem, bool *is_other)
{
	EVP_PKEY *key;
	BIO *bio;

	ed25519_load();
	bio = crypto.bio_of(pem.p, (int)pem.len);
	assert(bio != NULL);
	key = crypto.read(bio, NULL, ed25519_no_password, NULL);
	(void)crypto.bio_free(bio);
	/* libcurl would take what is left here for an error of its own */
	crypto.no_errors();
	*is_other = key != NULL && crypto.kind(key) != EVP_PKEY_ED25519;
	if (!*is_other)
		return (struct ed25519 *)key;
	crypto.free(key);
	return NULL;
}

struct ed25519 *
ed25519_public(const uint8_t x[ED25519_BYTES])
{
	ed25519_load();
	return (struct ed25519 *)crypto.of_x(
	    EVP_PKEY_ED25519, NULL, x, ED25519_BYTES);
}

void
ed25519_free(struct ed25519 *key)
{
	if (key != NULL)
		crypto.free((EVP_PKEY *)key);
}

void
ed25519_x(struct ed25519 *key, uint8_t x[ED25519_BYTES])
{
	size_t len = ED25519_BYTES;
	int is_good = crypto.x((EVP_PKEY *)key, x, &len);

	assert(is_good == 1);
}

void
ed25519_print(struct ed25519 *key, struct buf *out)
{
	/* RFC 8410, 7: what stands before each key of this kind */
	uint8_t bytes[16 + ED25519_BYTES] = {0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3,
	    0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20};
	size_t len = ED25519_BYTES;
	int is_good = crypto.secret((EVP_PKEY *)key, bytes + 16, &len);

	assert(is_good == 1);
	(void)buf_print(out, "-----BEGIN PRIVATE KEY-----\n");
	base64_put(out, bytes, sizeof(bytes));
	(void)buf_print(out, "\n-----END PRIVATE KEY-----\n");
	explicit_bzero(bytes, sizeof(bytes));
}

void
ed25519_sign(struct ed25519 *key, struct slice text,
    uint8_t signature[ED25519_SIGNATURE])
{
	EVP_MD_CTX *at = crypto.begin();
	size_t len = ED25519_SIGNATURE;
	bool is_good = at != NULL &&
	    crypto.sign_init(at, NULL, NULL, NULL, (EVP_PKEY *)key) == 1 &&
	    crypto.sign(
		at, signature, &len, (const uint8_t *)text.p, text.len) == 1;

	assert(is_good);
	crypto.end(at);
}

bool
ed25519_verify(struct ed25519 *key, struct slice text,
    const uint8_t signature[ED25519_SIGNATURE])
{
	EVP_MD_CTX *at = crypto.begin();
	bool is_good = at != NULL &&
	    crypto.verify_init(at, NULL, NULL, NULL, (EVP_PKEY *)key) == 1 &&
	    crypto.verify(at, signature, ED25519_SIGNATURE,
		(const uint8_t *)text.p, text.len) == 1;

	crypto.end(at);
	crypto.no_errors();
	return is_good;
}

void
sha256(struct slice text, uint8_t value[SHA256_BYTES])
{
	int is_good;

	ed25519_load();
	is_good = crypto.digest(
	    NULL, "SHA256", NULL, text.p, text.len, value, NULL);
	assert(is_good == 1);
}
