/* SHA-1, the digest that all readers of WARC know; of libcrypto, which libcurl
 * brings and which uses the instructions that processors have for it. */
#ifndef FRESHET_SHA1_H
#define FRESHET_SHA1_H

#include <stdbool.h>
#include <stdint.h>

#include "base/late.h"
#include "base/slice.h"

#define SHA1_BYTES 20

struct sha1; /* a running SHA-1 */

/* sha1_feed(sha1, bytes): true, as what takes the pieces of a spool has to.
 * sha1_end(sha1, value): the digest of all that was fed; frees sha1. */
struct sha1 *sha1_new(void);
bool sha1_feed(void *sha1, struct slice);
void sha1_end(struct sha1 *, uint8_t value[SHA1_BYTES]);

/* sha1_library(library): the version of libcrypto. */
void sha1_library(struct library *);

#endif
