/* The identity of this crawler: Ed25519 keys in a folder, and what is made with
 * them: signatures of requests, and the directory of the keys (SPEC section
 * 18, which names the sources). */
#ifndef FRESHET_IDENTITY_H
#define FRESHET_IDENTITY_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/url.h"

struct identity;

/* How long a key stays in the directory once there is a newer one: verifiers
 * keep a directory, and signatures of `due` are valid for their lease. */
#define IDENTITY_OVERLAP_S (7 * INT64_C(86400))
/* Verifiers allow for clocks that differ by some seconds. */
#define IDENTITY_CLOCK_S 60
#define IDENTITY_NONCE_BYTES 64
#define SHA256_BYTES 32
#define IDENTITY_DIRECTORY_PATH "/.well-known/http-message-signatures-directory"
#define IDENTITY_DIRECTORY_TYPE \
	"application/http-message-signatures-directory+json"

/*
 * identity_open(identity, folder, now_s, why): read the keys in folder: each
 * file whose name is the time when it was made, as in 20261130T080000Z.pem
 * (SPEC ). Returns DIAG_OK; or DIAG_KEY_INVALID or
 * DIAG_KEY_READABLE after one line in *why, which names the file and never what
 * is in it.
 *
 * identity_new(folder, now_s, why): make a key in folder (0600), which is made,
 * too, if it is not there (0700). Returns DIAG_OK, or DIAG_KEY_INVALID with one
 * line in *why: it could not be written, or there is one of this second.
 */
enum diag_code identity_open(
    struct identity **, const char *folder, int64_t now_s, struct buf *why);
void identity_free(struct identity *);
enum diag_code identity_new(const char *folder, int64_t now_s, struct buf *why);

/* One public key. */
struct identity_key {
	char keyid[44]; /* its thumbprint by RFC 7638, in base64url */
	uint8_t x[32];
	int64_t made_s;
	int64_t until_s; /* in the directory; 0 for the newest */
};

/* identity_key(identity, i): a key that is in the directory, the newest, which
 * signs, first; borrowed; NULL behind the last. */
const struct identity_key *identity_key(const struct identity *, size_t i);

/* How a signed request names the directory of its signer. */
enum agent_form {
	AGENT_UNASKED, /* as AGENT_DICTIONARY */
	AGENT_DICTIONARY, /* sig1="https://...": of the newest draft */
	AGENT_STRING, /* "https://...": of drafts before 2026 */
	AGENT_NONE /* not at all */
};

/* What a server asks for, by one member of Accept-Signature (RFC 9421, 5.1).
 * A zeroed struct with a form is a challenge, too. */
struct challenge {
	enum agent_form form;
	char label[64]; /* of signature and directory; empty: sig1 */
	char nonce[256]; /* empty: one of our own. It is for one answer. */
};

/* accept_signature_parse(value, identity, has_agent, challenge, why): find the
 * first member that can be answered (SPEC R-135), with a URL to name if
 * has_agent. Returns DIAG_OK, or DIAG_CHALLENGE_UNANSWERABLE with one line in
 * *why, without the server's text. */
enum diag_code accept_signature_parse(struct slice value,
    const struct identity *, bool has_agent, struct challenge *,
    struct buf *why);

/* What is signed. */
struct signing {
	struct slice authority; /* as identity_authority() writes it */
	struct slice agent; /* URL of the directory; empty: it is not named */
	const struct challenge *challenge;
	int64_t created_s;
	int64_t expires_s;
	const uint8_t *nonce; /* IDENTITY_NONCE_BYTES, as random as can be */
};

/* Values of three fields of a request; each owned. */
struct signature {
	char *agent; /* Signature-Agent; NULL: the field is not sent */
	char *input; /* Signature-Input */
	char *value; /* Signature */
};

/* identity_sign(identity, signing, signature): pure: the same arguments give
 * the same signature, which signature_release() frees; that accepts a zeroed
 * one.
 * identity_nonce(nonce): random bytes of the kernel.
 * identity_authority(url): host and port of a request for url, borrowed, as
 * RFC 9421, 2.2.3 has them: in lower case, a default port left out.
 * identity_sign_text(identity, i, text, bytes): the bare signature of a text by
 * a key.
 * hmac_sha256(key, text, value): RFC 2104, of a key that both sides know. */
void identity_sign(
    const struct identity *, const struct signing *, struct signature *);
void signature_release(struct signature *);
void identity_nonce(uint8_t nonce[IDENTITY_NONCE_BYTES]);
struct slice identity_authority(const struct url *);
void identity_sign_text(const struct identity *, size_t i, struct slice text,
    uint8_t bytes[static 64]);
void hmac_sha256(
    struct slice key, struct slice text, uint8_t value[SHA256_BYTES]);

/* identity_directory(identity, out): append the directory (SPEC R-136).
 * identity_sign_directory(identity, authority, created_s, expires_s,
 * signature): sign an answer with it for a host, once with each key.
 * identity_judge(identity, text, authority, head, now_s, why): is text that
 * directory, and has the answer of that host with these header lines those
 * signatures? Returns DIAG_OK, or DIAG_KEY_DIRECTORY_INVALID with one line in
 * *why. */
void identity_directory(const struct identity *, struct buf *out);
void identity_sign_directory(const struct identity *, struct slice authority,
    int64_t created_s, int64_t expires_s, struct signature *);
enum diag_code identity_judge(const struct identity *, struct slice text,
    struct slice authority, struct slice head, int64_t now_s, struct buf *why);

#endif
