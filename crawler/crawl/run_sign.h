/* Signed requests (SPEC ). */
#ifndef FRESHET_RUN_SIGN_H
#define FRESHET_RUN_SIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/site_rules.h"
#include "crawler/identity/identity.h"

struct buf;
struct fetch_result;
struct run;
struct store;

/* Who signs; everything is borrowed. */
struct signer {
	const struct identity *identity; /* NULL: nothing is signed */
	const char *agent; /* URL of the directory, or NULL */
	struct store *store; /* remembers what hosts want */
};

#define SIGN_VALID_S 300 /* a signature of a request of our own */

/*
 * signer_sign(signer, mode, url, challenge, now_s, expires_s, signature):
 * Sign a request for url, in answer to a challenge, or as the host wanted it
 * last if that is NULL. False: it is not to be signed; then signature is
 * zeroed.  The caller releases the signature.
 */
bool signer_sign(const struct signer *, enum sign_mode, const struct url *,
    const struct challenge *, int64_t now_s, int64_t expires_s,
    struct signature *);

/* run_sign_answered(run, task, result): learn from the answer.  True: it is a
 * challenge, and the task is queued again, to ask once more with a signature.
 * After a 429 the hold of the host decides when (hop_retry()). */
bool run_sign_answered(
    struct run *, uint32_t task, const struct fetch_result *);

/* run_sign_failure(run, task, result, text): why the answer is a refusal, if
 * signatures are the reason: its diagnostic, with words behind those of text;
 * else DIAG_OK, which a 429 is in any case, with the words. */
enum diag_code run_sign_failure(
    struct run *, uint32_t task, const struct fetch_result *, struct buf *text);

#endif
