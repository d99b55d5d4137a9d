/*
 * The identity of this crawler: Ed25519 keys in a folder, and what is made with
 * them: signatures of requests, and the directory of the keys (SPEC section
 * 18).
 *
 * Source: RFC 9421 (signatures), RFC 7638 and RFC 8037 (keys and their names),
 * draft-ietf-webbotauth-httpsig-protocol (which parts of a request are signed),
 * draft-meunier-webbotauth-httpsig-directory (the directory).
 */
#ifndef FRESHET_IDENTITY_H
#define FRESHET_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/url.h"

struct identity;

/* How long a key stays in the directory once there is a newer one: verifiers
 * keep a directory, and signatures of `due` are valid for their lease. */
#define IDENTITY_OVERLAP_S (7 * INT64_C(86400))

/* The folder has no more keys than this, retired ones included. */
#define IDENTITY_KEYS_MAX 64

#define IDENTITY_NONCE_BYTES 64

#define IDENTITY_DIRECTORY_PATH "/.well-known/http-message-signatures-directory"
#define IDENTITY_DIRECTORY_TYPE \
	"application/http-message-signatures-directory+json"
#define IDENTITY_TAG "web-bot-auth"
#define IDENTITY_DIRECTORY_TAG "http-message-signatures-directory"

/*
 * identity_open(identity, folder, now_s, why):
 * Read the keys in folder: each file whose name ends in ".pem" is one. Its name
 * says when it was made, as in 20261130T080000Z.pem. The newest key signs. One
 * that is older stays in the directory for IDENTITY_OVERLAP_S after the next
 * newer one was made, and is passed over then. A folder that changes later is
 * not noticed.
 *
 * Returns DIAG_OK, or after one line in *why, which names the file and never
 * what is in it: DIAG_KEY_INVALID (no such folder, no key in it, no regular
 * file, no PEM of a private key, another name), DIAG_KEY_KIND (a key that is
 * not Ed25519), DIAG_KEY_READABLE (others than its owner may read or write it).
 */
enum diag_code identity_open(
    struct identity **, const char *folder, int64_t now_s, struct buf *why);
void identity_free(struct identity *);

/*
 * identity_new(folder, now_s, why):
 * Make a key in folder, which is made, too, if it is not there: 0700, the file
 * 0600. Keys that are there stay. Returns DIAG_OK, or DIAG_KEY_INVALID with one
 * line in *why: the file could not be written, or there is one of this second.
 */
enum diag_code identity_new(const char *folder, int64_t now_s, struct buf *why);

/* One public key. */
struct identity_key {
	char keyid[44]; /* its thumbprint by RFC 7638, in base64url */
	uint8_t x[32];
	int64_t made_s;
	/* When it leaves the directory; INT64_MAX for the newest. */
	int64_t until_s;
};

/* identity_key(identity, i): a key that is in the directory, the newest, which
 * signs, first; borrowed; NULL behind the last.
 * identity_name(key): set the keyid of x. */
const struct identity_key *identity_key(const struct identity *, size_t i);
void identity_name(struct identity_key *);

/* How a signed request names the directory of its signer. */
enum agent_form {
	AGENT_NONE, /* not at all */
	/* Signature-Agent: sig1="https://..."; "signature-agent";key="sig1" is
	 * signed. This is the form of the newest draft, and the default. */
	AGENT_DICTIONARY,
	/* Signature-Agent: "https://..."; "signature-agent" is signed: the form
	 * of drafts before 2026. */
	AGENT_STRING
};

/* What a server asks for, by one member of Accept-Signature (RFC 9421, 5.1). */
struct challenge {
	enum agent_form form;
	/* Names of the signature, and of the member of the dictionary; empty:
	 * sig1. A zeroed struct with a form is a challenge, too. */
	char label[64];
	char agent_key[64];
	/* What the signature has to repeat; empty: a nonce of our own. It
	 * belongs to the one answer. */
	char nonce[256];
};

/* An Accept-Signature, or a Signature-Input, that is longer or has more members
 * is not read. */
#define SIGNATURE_FIELD_MAX 8192
#define SIGNATURE_MEMBERS_MAX 8

/*
 * accept_signature_parse(value, identity, has_agent, challenge, why):
 * Find the first member of an Accept-Signature that this identity can answer:
 * "@authority", with or without "signature-agent" (the latter only if
 * has_agent: there is a URL to name), no other component; the tag web-bot-auth
 * or none; no algorithm but ed25519; no key but the one that signs. What does
 * not cover
 * "@authority" is refused, since it would be valid for any host.
 *
 * value is all lines of the field, joined with ", ". Returns DIAG_OK, or
 * DIAG_CHALLENGE_UNANSWERABLE with a line in *why, which names the reason for
 * the last member; the text of the server is in it in parts, as it came.
 */
enum diag_code accept_signature_parse(struct slice value,
    const struct identity *, bool has_agent, struct challenge *,
    struct buf *why);

/* What is signed. */
struct signing {
	/* Of the request, as identity_authority() writes it. */
	struct slice authority;
	/* Where the directory is, an https URL without '"' and '\\'; empty: it
	 * is not named. */
	struct slice agent;
	/* What the server asked for. NULL: nothing; the signature is called
	 * sig1, and a directory is named as AGENT_DICTIONARY. */
	const struct challenge *challenge;
	int64_t created_s;
	int64_t expires_s;
	/* Random bytes; a nonce of the challenge goes before them. */
	const uint8_t *nonce;
};

/* Values of three fields of a request; each owned. */
struct signature {
	char *agent; /* Signature-Agent; NULL: the field is not sent */
	char *input; /* Signature-Input */
	char *value; /* Signature */
};

/* identity_sign(identity, signing, signature): pure: the same arguments give
 * the same signature, which signature_release() frees; that accepts a zeroed
 * one. */
void identity_sign(
    const struct identity *, const struct signing *, struct signature *);
void signature_release(struct signature *);

/* identity_nonce(nonce): random bytes of the kernel. */
void identity_nonce(uint8_t nonce[IDENTITY_NONCE_BYTES]);

/* identity_authority(url, out): append host and port of a request for url as
 * RFC 9421, 2.2.3 has them: in lower case, a default port left out. */
void identity_authority(const struct url *, struct buf *out);

/* identity_directory(identity, out): append the directory, a JWK Set with all
 * keys of identity_key(), the newest first. */
void identity_directory(const struct identity *, struct buf *out);

/* identity_sign_directory(identity, authority, created_s, expires_s,
 * signature): sign an answer with the directory for the host that publishes it,
 * once with each key: binding0, binding1, and so on. */
void identity_sign_directory(const struct identity *, struct slice authority,
    int64_t created_s, int64_t expires_s, struct signature *);

#endif
