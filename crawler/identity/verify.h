/* Whether signatures of requests, and directories of keys, verify: what those
 * who are asked with a signature do, as far as freshet identity verify needs
 * it. */
#ifndef FRESHET_VERIFY_H
#define FRESHET_VERIFY_H

#include "crawler/identity/identity.h"

#define KEY_DIRECTORY_MAX 65536 /* bytes */

struct key_directory {
	struct identity_key keys[IDENTITY_KEYS_MAX]; /* without times */
	size_t count;
	size_t others; /* keys of another kind */
};

/* key_directory_read(directory, text, why): read a JWK Set. Returns DIAG_OK, or
 * DIAG_KEY_DIRECTORY_INVALID with one line in *why. */
enum diag_code key_directory_read(
    struct key_directory *, struct slice text, struct buf *why);

struct signed_message {
	struct slice head; /* lines "Name: value"; others are passed over */
	struct slice authority; /* of the request */
	bool is_answer; /* with the directory; else a request */
};

/*
 * signature_verify(message, directory, now_s, why): of a request the first
 * signature with the tag web-bot-auth, of an answer one by each key of the
 * directory. Fields are signed whole, or by a key; of other components
 * "@authority" alone is known.
 *
 * Returns DIAG_OK, or DIAG_SIGNATURE_INVALID, of an answer
 * DIAG_KEY_DIRECTORY_INVALID, with one line in *why. */
enum diag_code signature_verify(const struct signed_message *,
    const struct key_directory *, int64_t now_s, struct buf *why);

#endif
