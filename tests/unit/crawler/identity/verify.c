/* crawler/identity/verify.c: what verifies, and what is said of the rest. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/identity/verify.h"

#define NOW_S INT64_C(1764489600)
#define X_9421 "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
#define KEYID_9421 "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"

static char folder[64];

static int
setup(void **state)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);
	struct identity *identity;

	(void)snprintf(folder, sizeof(folder), "/tmp/freshet-verify-XXXXXX");
	if (mkdtemp(folder) == NULL ||
	    identity_new(folder, NOW_S - 86400, &why) != DIAG_OK ||
	    identity_new(folder, NOW_S, &why) != DIAG_OK ||
	    identity_open(&identity, folder, NOW_S, &why) != DIAG_OK)
		return 1;
	*state = identity;
	return 0;
}

static int
teardown(void **state)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	identity_free(*state);
	if (dir == NULL)
		return 1;
	/* a test has made files and at most one empty folder */
	while ((entry = readdir(dir)) != NULL)
		if (unlinkat(dirfd(dir), entry->d_name, 0) != 0)
			(void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	(void)closedir(dir);
	return rmdir(folder);
}

static void
test_directory(void **state)
{
	static const struct {
		const char *text, *why; /* NULL: it is good */
	} rows[] = {
	    {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X_9421
	     "\"}]}",
		NULL},
	    {" {\"keys\":[{\"kty\":\"RSA\"},{\"kid\":\"" KEYID_9421
	     "\",\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X_9421
	     "\"}],\"purpose\":\"x\"}\n",
		NULL},
	    {"", "no JSON object"},
	    {"[]", "no JSON object"},
	    {"{}", "no Ed25519 key"},
	    {"{\"keys\":3}", "no Ed25519 key"},
	    {"{\"keys\":[{\"kty\":\"RSA\"}]}", "no Ed25519 key"},
	    {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}]}", "32 bytes"},
	    {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}]"
	     "}",
		"32 bytes"},
	    {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X_9421
	     "\",\"kid\":\"me\"}]}",
		"thumbprint"},
	    {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" X_9421
	     "\",\"d\":\"" X_9421 "\"}]}",
		"private key"},
	};
	struct key_directory directory;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < COUNT(rows); i++) {
		enum diag_code code;

		buf_clear(&why);
		code = key_directory_read(
		    &directory, slice_of(rows[i].text), &why);
		if ((code == DIAG_OK) != (rows[i].why == NULL) ||
		    (rows[i].why != NULL &&
			strstr(buf_str(&why), rows[i].why) == NULL))
			fail_msg("'%s': '%s'", rows[i].text, buf_str(&why));
		if (code == DIAG_OK)
			assert_string_equal(
			    directory.keys[0].keyid, KEYID_9421);
	}
	buf_release(&why);
}

static void
read_own(struct identity *identity, struct key_directory *directory)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);

	identity_directory(identity, &text);
	assert_int_equal(
	    key_directory_read(directory, buf_text(&text), &text), DIAG_OK);
	assert_int_equal(directory->count, 2);
	buf_release(&text);
}

/* Each form that is signed verifies; with any bit of it changed it does not. */
static void
test_flip(void **state)
{
	struct buf head = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	static const struct challenge forms[] = {{.form = AGENT_DICTIONARY},
	    {.form = AGENT_STRING}, {.form = AGENT_NONE}};
	struct key_directory directory;
	uint8_t nonce[IDENTITY_NONCE_BYTES];
	struct signature signature;
	size_t flips = 0;

	read_own(*state, &directory);
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct signing signing = {slice_of("a.test:8080"),
		    slice_of("https://bot.test"), &forms[i], NOW_S, NOW_S + 60,
		    nonce};
		struct signed_message message = {
		    .authority = slice_of("a.test:8080")};

		identity_nonce(nonce);
		identity_sign(*state, &signing, &signature);
		buf_clear(&head);
		(void)buf_print(&head, "GET / HTTP/1.1\r\nHost: a.test\r\n");
		if (signature.agent != NULL)
			(void)buf_print(&head, "signature-agent:  %s \r\n",
			    signature.agent);
		(void)buf_print(&head,
		    "Signature-Input: %s\r\nSIGNATURE: %s\r\n\r\n",
		    signature.input, signature.value);
		message.head = buf_text(&head);
		assert_int_equal(
		    signature_verify(&message, &directory, NOW_S, &why),
		    DIAG_OK);
		/* from the values of the fields on; a name in other case is
		 * the same field */
		for (size_t at = 0; at < head.len * 8; at += 3) {
			char *byte = &head.p[at / 8], was = *byte;
			const char *line = memrchr(head.p, '\n', at / 8);

			if (line == NULL ||
			    memchr(line, ':', (size_t)(byte - line)) == NULL ||
			    *byte == ' ' || *byte == '\r' || *byte == '\n' ||
			    strncmp(line, "\nHost", 5) == 0)
				continue;
			*byte = (char)(*byte ^ 1 << at % 8);
			if (signature_verify(
				&message, &directory, NOW_S, &why) == DIAG_OK)
				fail_msg("bit %zu of '%s'", at, buf_str(&head));
			*byte = was;
			flips++;
		}
		message.authority = slice_of("b.test");
		assert_int_equal(
		    signature_verify(&message, &directory, NOW_S, &why),
		    DIAG_SIGNATURE_INVALID);
		signature_release(&signature);
	}
	assert_true(flips > 2000);
	buf_release(&head);
	buf_release(&why);
}

/* What is wrong is said. */
static void
test_words(void **state)
{
	static const struct {
		int64_t from_s, until_s;
		const char *extra; /* lines in place of the signature */
		const char *why;
	} rows[] = {
	    {NOW_S + 1, NOW_S + 60, NULL, "in the future"},
	    {NOW_S - 60, NOW_S - 1, NULL, "expired"},
	    {0, 0, "", "no signature with a keyid"},
	    {0, 0, "Signature-Input: sig1=(", "cannot be read"},
	    {0, 0, "Signature-Input: s=();tag=\"web-bot-auth\";keyid=\"x\"",
		"not in the directory"},
	    {0, 0,
		"Signature-Input: s=();tag=\"web-bot-auth\";keyid=\"" KEYID_9421
		"\"",
		"nothing of its name"},
	    {0, 0,
		"Signature-Input: s=();tag=\"web-bot-auth\";keyid=\"" KEYID_9421
		"\"\nSignature: s=:AA==:",
		"does not say when"},
	    {0, 0,
		"Signature-Input: s=();created=1;expires=9999999999;"
		"tag=\"web-bot-auth\";keyid=\"" KEYID_9421
		"\"\nSignature: s=:AA==:",
		"does not cover the host"},
	    {0, 0,
		"Signature-Input: s=(\"@authority\" \"date\");created=1;"
		"expires=9999999999;tag=\"web-bot-auth\";keyid=\"" KEYID_9421
		"\"\nSignature: s=:AA==:",
		"not in the message"},
	    {0, 0,
		"Signature-Agent: \"x\"\nSignature-Input: s=(\"@authority\");"
		"created=1;expires=9999999999;tag=\"web-bot-auth\";"
		"keyid=\"" KEYID_9421 "\"\nSignature: s=:AA==:",
		"does not cover Signature-Agent"},
	    {0, 0,
		"Signature-Input: s=(\"@authority\");created=1;"
		"expires=9999999999;tag=\"web-bot-auth\";keyid=\"" KEYID_9421
		"\"\nSignature: s=:AA==:",
		"64 bytes"},
	};
	struct buf head = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	uint8_t nonce[IDENTITY_NONCE_BYTES] = {0};
	struct key_directory directory;
	struct signature signature;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signed_message message = {
		    .authority = slice_of("a.test")};
		struct signing signing = {slice_of("a.test"), slice_of(""),
		    NULL, rows[i].from_s, rows[i].until_s, nonce};

		read_own(*state, &directory);
		memcpy(directory.keys[1].keyid, KEYID_9421,
		    sizeof(directory.keys[1].keyid));
		identity_sign(*state, &signing, &signature);
		buf_clear(&head);
		if (rows[i].extra != NULL)
			(void)buf_print(&head, "%s", rows[i].extra);
		else
			(void)buf_print(&head,
			    "Signature-Input: %s\nSignature: %s",
			    signature.input, signature.value);
		message.head = buf_text(&head);
		buf_clear(&why);
		assert_int_equal(
		    signature_verify(&message, &directory, NOW_S, &why),
		    DIAG_SIGNATURE_INVALID);
		if (strstr(buf_str(&why), rows[i].why) == NULL)
			fail_msg("%zu: '%s'", i, buf_str(&why));
		signature_release(&signature);
	}
	buf_release(&head);
	buf_release(&why);
}

/* an answer is signed with each key, for the host that publishes it. */
static void
test_answer(void **state)
{
	struct buf head = BUF_UP_TO(SIZE_MAX), why = BUF_UP_TO(SIZE_MAX);
	struct signed_message message = {
	    .authority = slice_of("bot.test"), .is_answer = true};
	struct key_directory directory;
	struct signature signature;

	read_own(*state, &directory);
	identity_sign_directory(
	    *state, slice_of("bot.test"), NOW_S, NOW_S + 60, &signature);
	assert_null(signature.agent);
	(void)buf_print(&head, "Signature-Input: %s\nSignature: %s\n",
	    signature.input, signature.value);
	message.head = buf_text(&head);
	assert_int_equal(
	    signature_verify(&message, &directory, NOW_S, &why), DIAG_OK);
	message.authority = slice_of("thief.test");
	assert_int_equal(signature_verify(&message, &directory, NOW_S, &why),
	    DIAG_KEY_DIRECTORY_INVALID);
	/* a key that did not sign */
	message.authority = slice_of("bot.test");
	directory.keys[1].keyid[0] ^= 1;
	buf_clear(&why);
	assert_int_equal(signature_verify(&message, &directory, NOW_S, &why),
	    DIAG_KEY_DIRECTORY_INVALID);
	assert_non_null(strstr(buf_str(&why), "each of its keys"));
	signature_release(&signature);
	buf_release(&head);
	buf_release(&why);
}

#define SIGNED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(verify, cmocka_unit_test(test_directory), SIGNED(test_flip),
    SIGNED(test_words), SIGNED(test_answer));
