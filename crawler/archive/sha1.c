/* SHA-1 by libcrypto, which is loaded when it is first used. */
#include "crawler/archive/sha1.h"

#include <assert.h>
#include <openssl/evp.h>

static struct {
	EVP_MD_CTX *(*new)(void);
	void (*free)(EVP_MD_CTX *);
	const EVP_MD *(*sha1)(void);
	int (*begin)(EVP_MD_CTX *, const EVP_MD *, ENGINE *);
	int (*feed)(EVP_MD_CTX *, const void *, size_t);
	int (*end)(EVP_MD_CTX *, unsigned char *, unsigned *);
	const char *(*version)(int);
} crypto;

#define TEXT_OF(number) #number
#define LIBRARY(version) "libcrypto.so." TEXT_OF(version)

static void
load_crypto(void)
{
	static const struct late_function functions[] = {
	    {"EVP_MD_CTX_new", &crypto.new},
	    {"EVP_MD_CTX_free", &crypto.free},
	    {"EVP_sha1", &crypto.sha1},
	    {"EVP_DigestInit_ex", &crypto.begin},
	    {"EVP_DigestUpdate", &crypto.feed},
	    {"EVP_DigestFinal_ex", &crypto.end},
	    {"OpenSSL_version", &crypto.version},
	};

	if (crypto.version == NULL)
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
	context = crypto.new();
	assert(context != NULL);
	is_good = crypto.begin(context, crypto.sha1(), NULL);
	assert(is_good == 1);
	return (struct sha1 *)context;
}

bool
sha1_feed(void *sha1, struct slice bytes)
{
	return crypto.feed(sha1, bytes.p, bytes.len) == 1;
}

void
sha1_end(struct sha1 *sha1, uint8_t value[SHA1_BYTES])
{
	(void)crypto.end((EVP_MD_CTX *)sha1, value, NULL);
	crypto.free((EVP_MD_CTX *)sha1);
}

void
sha1_library(struct library *library)
{
	load_crypto();
	*library = library_make("libcrypto", OPENSSL_VERSION_STR,
	    crypto.version(OPENSSL_VERSION_STRING));
}
