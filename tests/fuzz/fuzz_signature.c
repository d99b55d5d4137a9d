/*
 * Any bytes as Accept-Signature, and as the header of a request: what is taken
 * of a structured field is in it, in order, and is taken again as it is; an
 * answer to a challenge that can be answered verifies; and nothing that a
 * stranger writes does.
 */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/identity/structured.h"
#include "crawler/identity/verify.h"
#include "tests/fuzz/fuzz.h"

#define NOW_S 1764489600

static struct identity *identity;
static struct key_directory directory;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char folder[] = "/tmp/freshet-fuzz-XXXXXX", path[64];
	struct buf text = BUF_UP_TO(SIZE_MAX);
	bool is_good;

	(void)argc;
	(void)argv;
	is_good = mkdtemp(folder) != NULL &&
	    identity_new(folder, NOW_S, &text) == DIAG_OK &&
	    identity_open(&identity, folder, NOW_S, &text) == DIAG_OK;
	(void)snprintf(path, sizeof(path), "%s/20251130T080000Z.pem", folder);
	(void)unlink(path);
	(void)rmdir(folder);
	assert(is_good);
	identity_directory(identity, &text);
	is_good = key_directory_read(&directory, buf_text(&text), &text) ==
	    DIAG_OK;
	assert(is_good);
	buf_release(&text);
	return 0;
}

static void
check_field(struct slice field)
{
	struct slice rest = field, key, again, name;
	const char *at = field.p;
	struct structured value, other;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	while (structured_next(&rest, ',', &key, &value)) {
		assert(key.len > 0 && key.p >= at);
		at = value.whole.p + value.whole.len;
		assert(value.whole.p >= key.p + key.len);
		assert(at <= field.p + field.len);
		if (value.whole.len > 0 && value.whole.p[0] != ';') {
			buf_clear(&text);
			(void)buf_print(&text, "k=");
			(void)buf_put_slice(&text, value.whole);
			again = buf_text(&text);
			assert(structured_next(&again, ',', &name, &other));
			assert(again.len == 0 && other.type == value.type);
			assert(slice_equal(other.text, value.text));
			assert(slice_equal(other.parameters, value.parameters));
		}
	}
	buf_release(&text);
}

static void
check_challenge(struct slice field)
{
	uint8_t nonce[IDENTITY_NONCE_BYTES] = {0};
	struct challenge challenge;
	struct signing signing = {slice_of("a.test"),
	    slice_of("https://bot.test"), &challenge, NOW_S, NOW_S + 60, nonce};
	struct signed_message message = {.authority = slice_of("a.test")};
	struct buf text = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	struct signature signature;

	if (accept_signature_parse(field, identity, true, &challenge, &why) ==
	    DIAG_OK) {
		identity_sign(identity, &signing, &signature);
		(void)buf_print(&text, "Signature-Input: %s\nSignature: %s\n",
		    signature.input, signature.value);
		if (signature.agent != NULL)
			(void)buf_print(
			    &text, "Signature-Agent: %s\n", signature.agent);
		message.head = buf_text(&text);
		assert(signature_verify(&message, &directory, NOW_S, &why) ==
		    DIAG_OK);
		signature_release(&signature);
	}
	buf_release(&text);
	buf_release(&why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = slice_make((const char *)data, size);
	struct signed_message message = {
	    .head = text, .authority = slice_of("a.test")};
	struct key_directory strange;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	check_field(text);
	check_challenge(text);
	assert(signature_verify(&message, &directory, NOW_S, &why) != DIAG_OK);
	(void)key_directory_read(&strange, text, &why);
	buf_release(&why);
	return 0;
}
