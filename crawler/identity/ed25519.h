/* Ed25519, SHA-256 and Base64, all of libcrypto. */
#ifndef FRESHET_ED25519_H
#define FRESHET_ED25519_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

#define ED25519_BYTES 32 /* of a public key */
#define ED25519_SIGNATURE 64
#define SHA256_BYTES 32

struct ed25519; /* a key, private or public */

/* ed25519_new(): a new private key, of libcrypto's random numbers.
 * ed25519_read(pem, is_other): a private key in PEM without a password; NULL:
 * there is none, or, with *is_other, one of another kind.
 * ed25519_public(x): a public key; NULL without memory.  ed25519_free(key):
 * NULL is fine. */
struct ed25519 *ed25519_new(void);
struct ed25519 *ed25519_read(struct slice pem, bool *is_other);
struct ed25519 *ed25519_public(const uint8_t x[ED25519_BYTES]);
void ed25519_free(struct ed25519 *);

/* ed25519_print(key, out): append a private key as PEM (PKCS #8).
 * ed25519_x(key, x): the public key of it. */
void ed25519_print(struct ed25519 *, struct buf *out);
void ed25519_x(struct ed25519 *, uint8_t x[ED25519_BYTES]);

void ed25519_sign(
    struct ed25519 *, struct slice text, uint8_t signature[ED25519_SIGNATURE]);
bool ed25519_verify(struct ed25519 *, struct slice text,
    const uint8_t signature[ED25519_SIGNATURE]);

void sha256(struct slice text, uint8_t value[SHA256_BYTES]);

/* base64_put(out, bytes, count): append them with '=' at the end.
 * base64url_put(): in the alphabet of URLs, without '='. count is 64 at most.
 * base64_read(text, bytes, count): false unless text, of either alphabet, is
 * exactly as many bytes, which are 64 at most, in their one form. */
void base64_put(struct buf *out, const uint8_t *bytes, size_t count);
void base64url_put(struct buf *out, const uint8_t *bytes, size_t count);
bool base64_read(struct slice text, uint8_t *bytes, size_t count);

#endif
