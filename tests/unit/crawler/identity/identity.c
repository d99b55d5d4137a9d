/* crawler/identity/identity.c: keys in a folder, what is signed, challenges,
 * the directory. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/civil.h"
#include "crawler/identity/identity.h"

#define KEY_9421                                                           \
	"-----BEGIN PRIVATE KEY-----\n"                                    \
	"MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF" \
	"\n-----END PRIVATE KEY-----\n"
#define KEYID_9421 "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
#define NOW_S INT64_C(1764489600)

static char folder[64];

static void
put(const char *name, const char *text, mode_t mode)
{
	char path[160];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	(void)close(fd);
}

static int
setup(void **state)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/freshet-identity-XXXXXX");
	return mkdtemp(folder) == NULL;
}

static int
teardown(void **state)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (dir == NULL)
		return 1;
	/* a test has made files and at most one empty folder */
	while ((entry = readdir(dir)) != NULL)
		if (unlinkat(dirfd(dir), entry->d_name, 0) != 0)
			(void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	(void)closedir(dir);
	return rmdir(folder);
}

static struct identity *
opened(int64_t now_s)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);
	struct identity *identity;

	if (identity_open(&identity, folder, now_s, &why) != DIAG_OK)
		fail_msg("%s", buf_str(&why));
	buf_release(&why);
	return identity;
}

/* RFC 9421, B.2.6: the signature base, and its signature. */
static const char base_9421[] =
    "\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n"
    "\"@method\": POST\n"
    "\"@path\": /foo\n"
    "\"@authority\": example.com\n"
    "\"content-type\": application/json\n"
    "\"content-length\": 18\n"
    "\"@signature-params\": (\"date\" \"@method\" \"@path\" \"@authority\" "
    "\"content-type\" \"content-length\");created=1618884473"
    ";keyid=\"test-key-ed25519\"";
static const char signature_9421[] =
    "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6v"
    "uQv5lIp5WPpBKRCw==";

/* RFC 4231, 4.3 */
static void
test_hmac(void **state)
{
	uint8_t value[SHA256_BYTES];
	struct buf out = BUF_UP_TO(SIZE_MAX);

	hmac_sha256(
	    slice_of("Jefe"), slice_of("what do ya want for nothing?"), value);
	base64_put(&out, value, sizeof(value), false);
	assert_string_equal(
	    buf_str(&out), "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
	buf_release(&out);
}

/* RFC 9421, B.1.4 and B.2.6; RFC 8037, A.1 to A.3 */
static void
test_vectors(void **state)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	struct identity *identity;
	uint8_t bytes[64];

	put("20251130T080000Z.pem", KEY_9421, 0600);
	put("20251129T080000Z.pem",
	    "-----BEGIN PRIVATE KEY-----\n"
	    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
	    "\n-----END PRIVATE KEY-----\n",
	    0600);
	identity = opened(NOW_S);
	identity_sign_text(identity, 0, slice_of(base_9421), bytes);
	base64_put(&text, bytes, sizeof(bytes), false);
	assert_string_equal(buf_str(&text), signature_9421);
	buf_clear(&text);
	base64_put(&text, identity_key(identity, 0)->x, 32, true);
	assert_string_equal(
	    buf_str(&text), "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs");
	assert_string_equal(identity_key(identity, 0)->keyid, KEYID_9421);
	assert_string_equal(identity_key(identity, 1)->keyid,
	    "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
	identity_free(identity);
	buf_release(&text);
}

/* */
static void
test_open(void **state)
{
	static const struct {
		const char *name, *text;
		mode_t mode;
		enum diag_code code;
		const char *why;
	} rows[] = {
	    {"notes.txt", "", 0644, DIAG_KEY_INVALID, "it has no key"},
	    {"20251130T080000Z.pem", KEY_9421, 0600, DIAG_OK, ""},
	    {"20251130T080000Z.pem", KEY_9421, 0400, DIAG_OK, ""},
	    {"20251130T080000Z.pem", KEY_9421, 0640, DIAG_KEY_READABLE,
		"chmod 600"},
	    {"20251130T080000Z.pem", KEY_9421, 0602, DIAG_KEY_READABLE,
		"chmod 600"},
	    {"20251130T080000Z.pem", "junk", 0600, DIAG_KEY_INVALID,
		"no private key in PEM"},
	    {"20251130T080000Z.pem",
		"-----BEGIN PRIVATE KEY-----\n"
		"MC4CAQAwBQYDK2VuBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfS"
		"nF\n-----END PRIVATE KEY-----\n",
		0600, DIAG_KEY_INVALID, "no Ed25519 key"},
	    {"mine.pem", KEY_9421, 0600, DIAG_KEY_INVALID,
		"mine.pem': its name is no time"},
	    {"20251330T080000Z.pem", KEY_9421, 0600, DIAG_KEY_INVALID,
		"its name is no time"},
	};
	struct buf why = BUF_UP_TO(SIZE_MAX);
	struct identity *identity;
	char path[160];

	for (size_t i = 0; i < COUNT(rows); i++) {
		put(rows[i].name, rows[i].text, rows[i].mode);
		buf_clear(&why);
		assert_int_equal(identity_open(&identity, folder, NOW_S, &why),
		    rows[i].code);
		if (strstr(buf_str(&why), rows[i].why) == NULL)
			fail_msg("'%s'", buf_str(&why));
		/* nothing of a file is told */
		assert_null(strstr(buf_str(&why), "MC4C"));
		assert_null(strstr(buf_str(&why), "junk"));
		assert_int_equal(identity != NULL, rows[i].code == DIAG_OK);
		identity_free(identity);
		(void)snprintf(
		    path, sizeof(path), "%s/%s", folder, rows[i].name);
		assert_int_equal(unlink(path), 0);
	}
	/* a folder that others may write */
	put("20251130T080000Z.pem", KEY_9421, 0600);
	for (mode_t mode = 0720; mode == 0720 || mode == 0702; mode -= 016) {
		assert_int_equal(chmod(folder, mode), 0);
		buf_clear(&why);
		assert_int_equal(identity_open(&identity, folder, NOW_S, &why),
		    DIAG_KEY_READABLE);
		assert_non_null(strstr(
		    buf_str(&why), mode == 0720 ? "mode 0720:" : "mode 0702:"));
	}
	assert_int_equal(chmod(folder, 0755), 0);
	identity_free(opened(NOW_S));
	(void)snprintf(path, sizeof(path), "%s/20251130T080000Z.pem", folder);
	assert_int_equal(unlink(path), 0);
	/* a folder in place of a key, and no folder at all */
	(void)snprintf(path, sizeof(path), "%s/20251130T080000Z.pem", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(
	    identity_open(&identity, folder, NOW_S, &why), DIAG_KEY_INVALID);
	assert_int_equal(identity_open(&identity, "/no/such", NOW_S, &why),
	    DIAG_KEY_INVALID);
	buf_release(&why);
}

/* the old key stays for a week. */
static void
test_rotate(void **state)
{
	struct buf why = BUF_UP_TO(SIZE_MAX), out = BUF_UP_TO(SIZE_MAX);
	struct identity *identity;
	const struct identity_key *key;
	char first[44], path[160];
	struct stat found;

	assert_int_equal(identity_new(folder, NOW_S, &why), DIAG_OK);
	(void)snprintf(path, sizeof(path), "%s/20251130T080000Z.pem", folder);
	assert_int_equal(stat(path, &found), 0);
	assert_int_equal(found.st_mode & 0777, 0600);
	/* a second one of the same second */
	assert_int_equal(identity_new(folder, NOW_S, &why), DIAG_KEY_INVALID);
	identity = opened(NOW_S + 50 * DAY_S);
	key = identity_key(identity, 0);
	assert_int_equal(key->made_s, NOW_S);
	assert_int_equal(key->until_s, 0);
	memcpy(first, key->keyid, sizeof(first));
	identity_free(identity);
	assert_int_equal(
	    identity_new(folder, NOW_S + 50 * DAY_S, &why), DIAG_OK);
	identity = opened(NOW_S + 57 * DAY_S - 1);
	assert_string_not_equal(identity_key(identity, 0)->keyid, first);
	key = identity_key(identity, 1);
	assert_string_equal(key->keyid, first);
	assert_int_equal(key->until_s, NOW_S + 57 * DAY_S);
	assert_null(identity_key(identity, 2));
	identity_directory(identity, &out);
	assert_int_equal(slice_count(buf_text(&out), '\n'), 4);
	assert_non_null(strstr(buf_str(&out), first));
	identity_free(identity);
	identity = opened(NOW_S + 57 * DAY_S);
	assert_null(identity_key(identity, 1));
	identity_free(identity);
	buf_release(&out);
	buf_release(&why);
}

/* the fields, byte for byte, in all forms. */
static void
test_sign(void **state)
{
	static const uint8_t nonce[IDENTITY_NONCE_BYTES];
	static const struct {
		struct challenge challenge;
		const char *agent, *sent, *input;
	} rows[] = {
	    {{.form = AGENT_DICTIONARY}, "https://bot.test",
		"sig1=\"https://bot.test\"",
		"sig1=(\"@authority\" \"signature-agent\";key=\"sig1\")"},
	    {{.form = AGENT_STRING}, "https://bot.test", "\"https://bot.test\"",
		"sig1=(\"@authority\" \"signature-agent\")"},
	    {{.form = AGENT_NONE}, "https://bot.test", NULL,
		"sig1=(\"@authority\")"},
	    {{.form = AGENT_DICTIONARY}, "", NULL, "sig1=(\"@authority\")"},
	    {{.form = AGENT_DICTIONARY, .label = "x"}, "https://bot.test",
		"x=\"https://bot.test\"",
		"x=(\"@authority\" \"signature-agent\";key=\"x\")"},
	};
	struct buf want = BUF_UP_TO(SIZE_MAX);
	struct signature signature;
	struct identity *identity;

	put("20251130T080000Z.pem", KEY_9421, 0600);
	identity = opened(NOW_S);
	assert_string_equal(identity_key(identity, 0)->keyid, KEYID_9421);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct signing signing = {slice_of("example.com"),
		    slice_of(rows[i].agent), &rows[i].challenge, 1735689600,
		    1735693200, nonce};

		identity_sign(identity, &signing, &signature);
		buf_clear(&want);
		(void)buf_print(&want,
		    "%s;created=1735689600;keyid=\"" KEYID_9421
		    "\";expires=1735693200;nonce=\"",
		    rows[i].input);
		for (size_t k = 0; k < 86; k++)
			(void)buf_put_char(&want, 'A');
		(void)buf_print(&want, "==\";tag=\"web-bot-auth\"");
		if (rows[i].sent == NULL)
			assert_null(signature.agent);
		else
			assert_string_equal(signature.agent, rows[i].sent);
		assert_string_equal(signature.input, buf_str(&want));
		assert_int_equal(strlen(signature.value),
		    strcspn(rows[i].input, "=") + 1 + 90);
		signature_release(&signature);
	}
	identity_free(identity);
	buf_release(&want);
}

/* */
static void
test_challenge(void **state)
{
	static const struct {
		const char *value;
		bool has_agent;
		enum agent_form form;
		const char *label, *nonce;
		const char *why; /* it cannot be answered; NULL: it can */
	} rows[] = {
	    {"sig1=(\"@authority\" "
	     "\"signature-agent\");created;expires;keyid;tag=\"web-bot-auth\"",
		true, AGENT_STRING, "sig1", "", NULL},
	    {"q=( \"signature-agent\";key=\"q\"  \"@authority\" ) ; "
	     "nonce=\"a/b+c==\"",
		true, AGENT_DICTIONARY, "q", "a/b+c==", NULL},
	    {"sig1=(\"@authority\")", false, AGENT_NONE, "sig1", "", NULL},
	    {"sig1=(\"@authority\");alg=\"ed25519\";keyid=\"" KEYID_9421 "\"",
		false, AGENT_NONE, "sig1", "", NULL},
	    {"sig1=(\"@authority\");x=\"a, b;c)\", y", false, AGENT_NONE,
		"sig1", "", NULL},
	    {"a=(\"@method\"), b=(\"@authority\")", false, AGENT_NONE, "b", "",
		NULL},
	    {"sig1=(\"@authority\" \"signature-agent\")", false, AGENT_NONE, "",
		"", "signature-agent is not set"},
	    {"sig1=(\"@method\" \"@authority\")", true, AGENT_NONE, "", "",
		"more than host"},
	    {"sig1=(\"@authority\";req)", true, AGENT_NONE, "", "",
		"more than host"},
	    {"sig1=(\"@authority\" \"@authority\")", true, AGENT_NONE, "", "",
		"more than host"},
	    {"sig1=(\"@authority\" \"content-digest\")", true, AGENT_NONE, "",
		"", "more than host"},
	    {"sig1=(@authority)", true, AGENT_NONE, "", "", "more than host"},
	    {"sig1=(\"signature-agent\")", true, AGENT_NONE, "", "",
		"does not ask to sign the host"},
	    {"sig1=()", true, AGENT_NONE, "", "",
		"does not ask to sign the host"},
	    {"sig1=(\"@authority\" \"signature-agent\";sf)", true, AGENT_NONE,
		"", "", "more than host"},
	    {"sig1=(\"@authority\" \"signature-agent\";key=\"other\")", true,
		AGENT_NONE, "", "", "more than host"},
	    {"sig1=(\"@authority\" \"signature-agent\";key=\"sig1\" "
	     "\"signature-agent\")",
		true, AGENT_NONE, "", "", "more than host"},
	    {"A=(\"@authority\")", true, AGENT_NONE, "", "", "no list"},
	    {"1=(\"@authority\")", true, AGENT_NONE, "", "", "no list"},
	    {"a b=(\"@authority\")", true, AGENT_NONE, "", "", "no list"},
	    {"=(\"@authority\")", true, AGENT_NONE, "", "", "no list"},
	    {"sig1=(\"@authority\"", true, AGENT_NONE, "", "", "no list"},
	    {"sig1=(\"@authority\"  ", true, AGENT_NONE, "", "", "no list"},
	    {"sig1=(", true, AGENT_NONE, "", "", "no list"},
	    {"sig1=(\"@authority\" \")", true, AGENT_NONE, "", "",
		"more than host"},
	    {"sig1=(\"@authority\");tag=\"other\"", true, AGENT_NONE, "", "",
		"another tag"},
	    {"sig1=(\"@authority\");alg=\"rsa-pss-sha512\"", true, AGENT_NONE,
		"", "", "another algorithm"},
	    {"sig1=(\"@authority\");keyid=\"other\"", true, AGENT_NONE, "", "",
		"another key"},
	    {"sig1=(\"@authority\");nonce=\"a\\\"b\"", true, AGENT_NONE, "", "",
		"nonce"},
	    {"sig1=(\"@authority\");nonce=\"a b\"", true, AGENT_NONE, "", "",
		"nonce"},
	    {"sig1=(\"@authority\");nonce=\"a\"b", true, AGENT_NONE, "", "",
		"nonce"},
	    {"sig1=(\"@authority\");nonce=a", true, AGENT_NONE, "", "",
		"nonce"},
	    {"sig1=\"x\"", true, AGENT_NONE, "", "", "no list"},
	    {"", true, AGENT_NONE, "", "", "is empty"},
	    {",,,", true, AGENT_NONE, "", "", "no list"},
	    {"a,b,c,d,e,f,g,h,i=(\"@authority\")", true, AGENT_NONE, "", "",
		"no list"},
	    {"\xff", true, AGENT_NONE, "", "", "no list"},
	};
	struct buf why = BUF_UP_TO(SIZE_MAX), text = BUF_UP_TO(SIZE_MAX);
	struct challenge challenge;
	struct identity *identity;

	put("20251130T080000Z.pem", KEY_9421, 0600);
	identity = opened(NOW_S);
	for (size_t i = 0; i < COUNT(rows); i++) {
		enum diag_code code;

		buf_clear(&why);
		code = accept_signature_parse(slice_of(rows[i].value), identity,
		    rows[i].has_agent, &challenge, &why);
		if ((code == DIAG_OK) != (rows[i].why == NULL) ||
		    (rows[i].why != NULL &&
			strstr(buf_str(&why), rows[i].why) == NULL))
			fail_msg("'%s': '%s'", rows[i].value, buf_str(&why));
		if (code != DIAG_OK)
			continue;
		assert_int_equal(challenge.form, rows[i].form);
		assert_string_equal(challenge.label, rows[i].label);
		assert_string_equal(challenge.nonce, rows[i].nonce);
	}
	/* a megabyte, and names and nonces that are too long */
	for (size_t i = 0; i < 3; i++) {
		buf_clear(&text);
		(void)buf_print(
		    &text, "%s", i == 2 ? "a=(\"@authority\");nonce=\"" : "a");
		for (size_t k = 0; k < (i == 0 ? 1u << 20 : 300u); k++)
			(void)buf_put_char(&text, 'a');
		(void)buf_print(
		    &text, "%s", i == 2 ? "\"" : "=(\"@authority\")");
		assert_int_equal(accept_signature_parse(buf_text(&text),
				     identity, true, &challenge, &why),
		    DIAG_CHALLENGE_UNANSWERABLE);
	}
	identity_free(identity);
	buf_release(&text);
	buf_release(&why);
}

/* what others publish of it is judged; with a bit changed it is wrong.
 */
static void
test_directory(void **state)
{
	/* verifiers allow a minute */
	static const int64_t times[] = {NOW_S - 61, NOW_S + 121},
			     right[] = {NOW_S - 60, NOW_S, NOW_S + 120};
	struct buf text = BUF_UP_TO(SIZE_MAX), head = BUF_UP_TO(SIZE_MAX),
		   why = BUF_UP_TO(SIZE_MAX);
	struct slice host = slice_of("bot.test");
	struct signature signature;
	struct identity *identity;

	assert_int_equal(identity_new(folder, NOW_S - DAY_S, &why), DIAG_OK);
	assert_int_equal(identity_new(folder, NOW_S, &why), DIAG_OK);
	identity = opened(NOW_S);
	identity_directory(identity, &text);
	identity_sign_directory(identity, host, NOW_S, NOW_S + 60, &signature);
	assert_null(signature.agent);
	(void)buf_print(&head,
	    "HTTP/1.1 200 OK\r\nSignature-Input: %s\r\n"
	    "Signature: %s\r\n",
	    signature.input, signature.value);
	for (size_t i = 0; i < COUNT(right); i++)
		assert_int_equal(identity_judge(identity, buf_text(&text), host,
				     buf_text(&head), right[i], &why),
		    DIAG_OK);
	for (size_t i = 0; i < COUNT(times); i++) {
		buf_clear(&why);
		assert_int_equal(identity_judge(identity, buf_text(&text), host,
				     buf_text(&head), times[i], &why),
		    DIAG_KEY_DIRECTORY_INVALID);
		assert_non_null(strstr(buf_str(&why), "a clock"));
	}
	buf_clear(&why);
	assert_int_equal(
	    identity_judge(identity, buf_text(&text), slice_of("thief.test"),
		buf_text(&head), NOW_S, &why),
	    DIAG_KEY_DIRECTORY_INVALID);
	assert_non_null(strstr(buf_str(&why), "for this host"));
	assert_int_equal(identity_judge(identity, buf_text(&text), host,
			     slice_of(""), NOW_S, &why),
	    DIAG_KEY_DIRECTORY_INVALID);
	for (size_t at = 0; at < head.len * 8; at++) {
		const char *line = memrchr(head.p, '\n', at / 8 + 1);
		size_t from = line == NULL ? 0 : (size_t)(line - head.p);

		/* from the values on: names are another matter */
		if (line == NULL || strncmp(line, "\nSignature", 10) != 0 ||
		    memchr(line, ':', at / 8 - from) == NULL ||
		    strchr(" \r\n", head.p[at / 8]) != NULL)
			continue;
		head.p[at / 8] ^= (char)(1 << at % 8);
		if (identity_judge(identity, buf_text(&text), host,
			buf_text(&head), NOW_S, &why) == DIAG_OK)
			fail_msg("bit %zu of '%s'", at, buf_str(&head));
		head.p[at / 8] ^= (char)(1 << at % 8);
	}
	buf_clear(&why);
	text.p[40] ^= 1;
	assert_int_equal(identity_judge(identity, buf_text(&text), host,
			     buf_text(&head), NOW_S, &why),
	    DIAG_KEY_DIRECTORY_INVALID);
	assert_non_null(strstr(buf_str(&why), "identity directory prints"));
	signature_release(&signature);
	identity_free(identity);
	buf_release(&text);
	buf_release(&head);
	buf_release(&why);
}

static void
test_authority(void **state)
{
	static const struct {
		const char *url, *authority;
	} rows[] = {
	    {"https://WWW.Example.com/a?b", "www.example.com"},
	    {"https://example.com:443/", "example.com"},
	    {"http://example.com:80/", "example.com"},
	    {"https://example.com:80/", "example.com:80"},
	    {"http://[::1]:8080/x", "[::1]:8080"},
	};
	struct url url = {0};

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(
		    url_parse_raw(&url, slice_of(rows[i].url), NULL), DIAG_OK);
		assert_true(
		    slice_is(identity_authority(&url), rows[i].authority));
	}
	url_release(&url);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(identity, cmocka_unit_test(test_hmac), IN_FOLDER(test_vectors),
    IN_FOLDER(test_open), IN_FOLDER(test_rotate), IN_FOLDER(test_sign),
    IN_FOLDER(test_challenge), IN_FOLDER(test_directory),
    cmocka_unit_test(test_authority));
