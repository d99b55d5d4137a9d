/* SHA-1 by libcrypto, which is loaded when it is first used. */
#include "crawler/archive/sha1.h"

#include <assert.h>
#include <openssl/evp.h>

/* clang-format off */
#define FUNCTIONS(F) \
	F(EVP_MD_CTX_new) F(EVP_MD_CTX_free) F(EVP_sha1) F(EVP_DigestInit_ex) \
	F(EVP_DigestUpdate) F(EVP_DigestFinal_ex) F(OpenSSL_version)
#define ENTRY(name) LATE_ENTRY(crypto, name)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} crypto;

#define TEXT_OF(number) #number
#define LIBRARY(version) "libcrypto.so." TEXT_OF(version)

static void
load_crypto(void)
{
	static const struct late_function functions[] = {FUNCTIONS(ENTRY)};

	if (crypto.OpenSSL_version == NULL)
		late_load(LIBRARY(OPENSSL_SHLIB_VERSION), functions,
		    sizeof(functions) / sizeof(functions[0]));
}

/* A struct sha1 is an EVP_MD_CTX. */

struct sha1 *
sha1_new(void)
{
	EVP_MD_CTX *context;
	int is_good;

	load_crypto();
	context = crypto.EVP_MD_CTX_new();
	assert(context != NULL);
	is_good = crypto.EVP_DigestInit_ex(context, crypto.EVP_sha1(), NULL);
	assert(is_good == 1);
	return (struct sha1 *)context;
}

bool
sha1_feed(void *sha1, struct slice bytes)
{
	return crypto.EVP_DigestUpdate(sha1, bytes.p, bytes.len) == 1;
}

void
sha1_end(struct sha1 *sha1, uint8_t value[SHA1_BYTES])
{
	(void)crypto.EVP_DigestFinal_ex((EVP_MD_CTX *)sha1, value, NULL);
	crypto.EVP_MD_CTX_free((EVP_MD_CTX *)sha1);
}

void
sha1_library(struct library *library)
{
	load_crypto();
	*library = library_make("libcrypto", OPENSSL_VERSION_STR,
	    crypto.OpenSSL_version(OPENSSL_VERSION_STRING));
}
