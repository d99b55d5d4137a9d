/*
 * Any bytes as Accept-Signature, and as what a host publishes: an answer to a
 * challenge that can be answered is of the form that is due, whatever the
 * challenge says, is made again as it is, and is asked for by the challenge;
 * and no directory of a stranger is ours.
 */
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/identity/identity.h"
#include "tests/fuzz/fuzz.h"

#define NOW_S 1764489600

static struct identity *identity;
static struct buf directory = BUF_UP_TO(SIZE_MAX);

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
	identity_directory(identity, &directory);
	buf_release(&text);
	return 0;
}

static bool
is_name(const char *text)
{
	return (*text == '*' || (*text >= 'a' && *text <= 'z')) &&
	    text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-.*")] ==
	    '\0';
}

static void
check_challenge(struct slice field)
{
	uint8_t nonce[IDENTITY_NONCE_BYTES] = {0};
	struct challenge challenge;
	struct signing signing = {slice_of("a.test"),
	    slice_of("https://bot.test"), &challenge, NOW_S, NOW_S + 60, nonce};
	struct buf text = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	struct signature signature;
	struct challenge again;

	if (accept_signature_parse(field, identity, true, &challenge, &why) !=
	    DIAG_OK) {
		assert(why.len > 0 && memchr(why.p, '\n', why.len) == NULL);
		buf_release(&why);
		return;
	}
	assert(field.len <= 8192 && is_name(challenge.label));
	assert(slice_is_graphic(slice_of(challenge.nonce)));
	assert(strpbrk(challenge.nonce, "\"\\") == NULL);
	assert(memmem(field.p, field.len, challenge.label,
		   strlen(challenge.label)) != NULL);
	assert(memmem(field.p, field.len, "\"@authority\"", 12) != NULL);
	identity_sign(identity, &signing, &signature);
	(void)buf_print(&text, "%s", signature.input);
	assert(accept_signature_parse(
		   buf_text(&text), identity, true, &again, &why) == DIAG_OK);
	assert(again.form == challenge.form);
	assert(strcmp(again.label, challenge.label) == 0);
	assert(challenge.nonce[0] == '\0' ||
	    strcmp(again.nonce, challenge.nonce) == 0);
	assert((signature.agent != NULL) == (challenge.form != AGENT_NONE));
	signature_release(&signature);
	buf_release(&text);
	buf_release(&why);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = slice_make((const char *)data, size);
	struct buf why = BUF_UP_TO(SIZE_MAX);

	check_challenge(text);
	assert(identity_judge(
		   identity, text, slice_of(""), text, NOW_S, &why) != DIAG_OK);
	assert(identity_judge(identity, buf_text(&directory),
		   slice_of("a.test"), text, NOW_S, &why) != DIAG_OK);
	buf_release(&why);
	return 0;
}
