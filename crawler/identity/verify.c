/* Whether signatures verify. */
#include "crawler/identity/verify.h"

#include "crawler/event/ndjson.h"
#include "crawler/identity/ed25519.h"
#include "crawler/identity/structured.h"

enum diag_code
key_directory_read(
    struct key_directory *directory, struct slice text, struct buf *why)
{
	struct ndjson *set = ndjson_parse(slice_trim(text), NULL);
	const char *reason = set == NULL ? "it is no JSON object" : NULL;
	struct ndjson *one;

	*directory = (struct key_directory){0};
	for (size_t i = 0; reason == NULL && i < IDENTITY_KEYS_MAX &&
	     (one = ndjson_object(set, "keys", i)) != NULL;
	     i++) {
		struct identity_key *key = &directory->keys[directory->count];
		struct slice kid = ndjson_text(one, "kid");

		if (!slice_is(ndjson_text(one, "kty"), "OKP") ||
		    !slice_is(ndjson_text(one, "crv"), "Ed25519"))
			directory->others++;
		else if (ndjson_type(one, "d") != NDJSON_NONE)
			reason = "it has a private key (d): whoever has read "
				 "it can sign as you";
		else if (!base64_read(
			     ndjson_text(one, "x"), key->x, sizeof(key->x)))
			reason = "the x of a key is no 32 bytes in base64url";
		else {
			identity_name(key);
			directory->count++;
			if (kid.p != NULL && !slice_is(kid, key->keyid))
				reason = "the kid of a key is not its "
					 "thumbprint";
		}
		ndjson_free(one);
	}
	ndjson_free(set);
	if (reason == NULL && directory->count == 0)
		reason = "it has no Ed25519 key";
	if (reason != NULL)
		(void)buf_print(why, "%s", reason);
	return reason == NULL ? DIAG_OK : DIAG_KEY_DIRECTORY_INVALID;
}

/* All lines of a field of that name, joined as RFC 9421, 2.1 has it; false:
 * there is none. */
static bool
verify_field(
    const struct signed_message *message, struct slice name, struct buf *value)
{
	struct slice rest = message->head, line, label;
	bool is_there = false;

	while (slice_cut(&rest, '\n', &line)) {
		if (memchr(line.p, ':', line.len) == NULL)
			continue;
		(void)slice_cut(&line, ':', &label);
		line = slice_trim(line);
		if (!slice_equal_nocase(label, name))
			continue;
		(void)buf_print(value, "%s", is_there ? ", " : "");
		(void)buf_put_slice(value, line);
		is_there = true;
	}
	return is_there;
}

/* Append the line of a component to a signature base; false: it is unknown, or
 * not in the message. */
static bool
verify_line(const struct signed_message *message,
    const struct structured *component, struct buf *base)
{
	struct structured value;
	struct buf field = BUF_UP_TO(SIGNATURE_FIELD_MAX);
	struct slice text = message->authority;
	bool is_good;

	if (slice_is(component->text, "@authority")) {
		is_good = slice_is(
		    component->parameters, message->is_answer ? ";req" : "");
	} else {
		is_good = verify_field(message, component->text, &field);
		text = buf_text(&field);
		if (is_good && component->parameters.len > 0) {
			is_good = structured_find(component->parameters, ';',
				      slice_of("key"), &value) &&
			    structured_find(text, ',', value.text, &value);
			text = value.whole;
		}
	}
	(void)buf_put_slice(base, component->whole);
	(void)buf_print(base, ": ");
	(void)buf_put_slice(base, text);
	(void)buf_print(base, "\n");
	buf_release(&field);
	return is_good && component->type == STRUCTURED_STRING;
}

/* Does a signature of the message verify? NULL, or why not. */
static const char *
verify_one(const struct signed_message *message, const struct structured *input,
    const struct structured *value, const struct identity_key *key,
    int64_t now_s)
{
	bool has_authority = false, has_agent = false, is_known = true;
	struct structured item, created, expires;
	uint8_t signature[ED25519_SIGNATURE];
	struct slice list = input->text;
	struct ed25519 *public;
	struct buf base = BUF_UP_TO(SIZE_MAX);
	const char *why = NULL;

	while (structured_item(&list, &item)) {
		has_authority |= slice_is(item.text, "@authority");
		has_agent |= slice_is(item.text, "signature-agent");
		is_known = verify_line(message, &item, &base) && is_known;
	}
	(void)buf_print(&base, "\"@signature-params\": ");
	(void)buf_put_slice(&base, input->whole);
	if (!structured_find(
		input->parameters, ';', slice_of("created"), &created) ||
	    !structured_find(
		input->parameters, ';', slice_of("expires"), &expires) ||
	    created.type != STRUCTURED_NUMBER ||
	    expires.type != STRUCTURED_NUMBER)
		why = "it does not say when it was made and how long it is "
		      "valid (created, expires)";
	else if (created.number > now_s)
		why = "it was made in the future: one of two clocks is wrong";
	else if (expires.number < now_s)
		why = "it has expired";
	else if (!has_authority)
		why = "it does not cover the host (@authority)";
	else if (!has_agent && !message->is_answer &&
	    verify_field(message, slice_of("signature-agent"), &base))
		why = "it does not cover Signature-Agent, which was sent";
	else if (!is_known)
		why = "it covers what is not in the message, or not known here";
	else if (value->type != STRUCTURED_BYTES ||
	    !base64_read(value->text, signature, sizeof(signature)))
		why = "Signature has no 64 bytes for it";
	if (why == NULL) {
		public = ed25519_public(key->x);
		if (!ed25519_verify(public, buf_text(&base), signature))
			why = "it was made with another key, for another host, "
			      "or something was changed on the way";
		ed25519_free(public);
	}
	buf_release(&base);
	return why;
}

/* Judge the first signature with a tag, and by a key unless it is NULL, which
 * is then one of the directory; NULL, or why it does not verify. */
static const char *
verify_tagged(const struct signed_message *message, struct slice inputs,
    struct slice values, const struct key_directory *directory,
    const struct identity_key *by, int64_t now_s)
{
	const char *tag = message->is_answer ? IDENTITY_DIRECTORY_TAG
					     : IDENTITY_TAG;
	struct structured input, value, text;
	struct slice label;

	while (structured_next(&inputs, ',', &label, &input)) {
		if (input.type != STRUCTURED_LIST ||
		    !structured_find(
			input.parameters, ';', slice_of("tag"), &text) ||
		    !slice_is(text.text, tag) ||
		    !structured_find(
			input.parameters, ';', slice_of("keyid"), &text) ||
		    (by != NULL && !slice_is(text.text, by->keyid)))
			continue;
		for (size_t i = 0; by == NULL && i < directory->count; i++)
			if (slice_is(text.text, directory->keys[i].keyid))
				by = &directory->keys[i];
		if (by == NULL)
			return "its key (keyid) is not in the directory";
		if (!structured_find(values, ',', label, &value))
			return "Signature has nothing of its name";
		return verify_one(message, &input, &value, by, now_s);
	}
	return inputs.len > 0 ? "Signature-Input cannot be read"
	    : message->is_answer
	    ? "it is not signed by each of its keys for this host: others "
	      "could publish it, too"
	    : "there is no signature with a keyid and the tag web-bot-auth";
}

enum diag_code
signature_verify(const struct signed_message *message,
    const struct key_directory *directory, int64_t now_s, struct buf *why)
{
	struct buf inputs = BUF_UP_TO(SIGNATURE_FIELD_MAX),
		   values = BUF_UP_TO(SIGNATURE_FIELD_MAX);
	const char *reason = NULL;

	(void)verify_field(message, slice_of("signature-input"), &inputs);
	(void)verify_field(message, slice_of("signature"), &values);
	for (size_t i = 0;
	     reason == NULL && i < (message->is_answer ? directory->count : 1);
	     i++)
		reason = verify_tagged(message, buf_text(&inputs),
		    buf_text(&values), directory,
		    message->is_answer ? &directory->keys[i] : NULL, now_s);
	buf_release(&inputs);
	buf_release(&values);
	if (reason == NULL)
		return DIAG_OK;
	(void)buf_print(why, "%s", reason);
	return message->is_answer ? DIAG_KEY_DIRECTORY_INVALID
				  : DIAG_SIGNATURE_INVALID;
}
