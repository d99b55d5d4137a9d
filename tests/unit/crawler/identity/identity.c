/* crawler/identity/identity.c: keys in a folder, what is signed, challenges. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* RFC 8037, A.3 */
static void
test_name(void **state)
{
	struct identity_key key = {
	    .x = {0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b,
		0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a, 0x0e, 0xe1, 0x72, 0xf3,
		0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07,
		0x51, 0x1a}};

	identity_name(&key);
	assert_string_equal(
	    key.keyid, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
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
	    {"notes.txt", "", 0644, DIAG_KEY_INVALID, "there is no key in it"},
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
		0600, DIAG_KEY_KIND, "no Ed25519 key"},
	    {"mine.pem", KEY_9421, 0600, DIAG_KEY_INVALID,
		"mine.pem': a key has the time"},
	    {"20251330T080000Z.pem", KEY_9421, 0600, DIAG_KEY_INVALID,
		"a key has the time"},
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
	assert_true(key->until_s == INT64_MAX);
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
	    {{.form = AGENT_DICTIONARY, .label = "x", .agent_key = "y"},
		"https://bot.test", "y=\"https://bot.test\"",
		"x=(\"@authority\" \"signature-agent\";key=\"y\")"},
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
		bool has_agent, is_good;
		enum agent_form form;
		const char *label, *agent_key, *nonce, *why;
	} rows[] = {
	    {"sig1=(\"@authority\" \"signature-agent\");created;expires;keyid;"
	     "tag=\"web-bot-auth\"",
		true, true, AGENT_STRING, "sig1", "", "", ""},
	    {"q=(\"signature-agent\";key=\"b\" "
	     "\"@authority\");nonce=\"a\\\"b\"",
		true, true, AGENT_DICTIONARY, "q", "b", "a\\\"b", ""},
	    {"sig1=(\"@authority\")", false, true, AGENT_NONE, "sig1", "", "",
		""},
	    {"sig1=(\"@authority\");keyid=\"" KEYID_9421 "\";alg=\"ed25519\"",
		false, true, AGENT_NONE, "sig1", "", "", ""},
	    /* the second one can be answered */
	    {"a=(\"@method\"), b=(\"@authority\")", false, true, AGENT_NONE,
		"b", "", "", ""},
	    {"sig1=(\"@authority\" \"signature-agent\")", false, false,
		AGENT_NONE, NULL, NULL, NULL, "signature-agent is not set"},
	    {"sig1=(\"@method\" \"@authority\")", true, false, AGENT_NONE, NULL,
		NULL, NULL, "more than the host"},
	    {"sig1=(\"@authority\";req)", true, false, AGENT_NONE, NULL, NULL,
		NULL, "more than the host"},
	    {"sig1=(\"@authority\" \"@authority\")", true, false, AGENT_NONE,
		NULL, NULL, NULL, "more than the host"},
	    {"sig1=(\"@authority\" \"content-digest\")", true, false,
		AGENT_NONE, NULL, NULL, NULL, "more than the host"},
	    {"sig1=(@authority)", true, false, AGENT_NONE, NULL, NULL, NULL,
		"cannot be read"},
	    {"sig1=(\"signature-agent\")", true, false, AGENT_NONE, NULL, NULL,
		NULL, "valid for any host"},
	    {"sig1=()", true, false, AGENT_NONE, NULL, NULL, NULL,
		"valid for any host"},
	    {"sig1=(\"@authority\" \"signature-agent\";sf)", true, false,
		AGENT_NONE, NULL, NULL, NULL, "unknown form"},
	    {"sig1=(\"@authority\" \"signature-agent\";key=\"a, b\")", true,
		false, AGENT_NONE, NULL, NULL, NULL, "unknown form"},
	    {"sig1=(\"@authority\" \"signature-agent\";key=\"A\")", true, false,
		AGENT_NONE, NULL, NULL, NULL, "unknown form"},
	    {"sig1=(\"@authority\");tag=\"other\"", true, false, AGENT_NONE,
		NULL, NULL, NULL, "another tag"},
	    {"sig1=(\"@authority\");alg=\"rsa-pss-sha512\"", true, false,
		AGENT_NONE, NULL, NULL, NULL, "another algorithm"},
	    {"sig1=(\"@authority\");keyid=\"other\"", true, false, AGENT_NONE,
		NULL, NULL, NULL, "another key"},
	    {"sig1=\"x\"", true, false, AGENT_NONE, NULL, NULL, NULL,
		"no list"},
	    {"", true, false, AGENT_NONE, NULL, NULL, NULL, "for nothing"},
	    {"a,b,c,d,e,f,g,h,i=(\"@authority\")", true, false, AGENT_NONE,
		NULL, NULL, NULL, "too long"},
	    {"\xff", true, false, AGENT_NONE, NULL, NULL, NULL,
		"cannot be read"},
	};
	struct buf why = BUF_UP_TO(SIZE_MAX), text = BUF_UP_TO(SIZE_MAX);
	struct challenge challenge;
	struct identity *identity;

	put("20251130T080000Z.pem", KEY_9421, 0600);
	identity = opened(NOW_S);
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_clear(&why);
		if ((accept_signature_parse(slice_of(rows[i].value), identity,
			 rows[i].has_agent, &challenge, &why) == DIAG_OK) !=
		    rows[i].is_good)
			fail_msg("'%s': '%s'", rows[i].value, buf_str(&why));
		if (strstr(buf_str(&why), rows[i].why) == NULL)
			fail_msg("'%s': '%s'", rows[i].value, buf_str(&why));
		if (!rows[i].is_good)
			continue;
		assert_int_equal(challenge.form, rows[i].form);
		assert_string_equal(challenge.label, rows[i].label);
		assert_string_equal(challenge.agent_key, rows[i].agent_key);
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
	struct buf out = BUF_UP_TO(SIZE_MAX);
	struct url url;

	url_init(&url);
	for (size_t i = 0; i < COUNT(rows); i++) {
		buf_clear(&out);
		assert_int_equal(
		    url_parse_raw(&url, slice_of(rows[i].url), NULL), DIAG_OK);
		identity_authority(&url, &out);
		assert_string_equal(buf_str(&out), rows[i].authority);
	}
	url_release(&url);
	buf_release(&out);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(identity, cmocka_unit_test(test_name), IN_FOLDER(test_open),
    IN_FOLDER(test_rotate), IN_FOLDER(test_sign), IN_FOLDER(test_challenge),
    cmocka_unit_test(test_authority));
