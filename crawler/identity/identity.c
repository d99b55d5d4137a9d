/* The keys of this crawler, and what is signed with them. */
#include "crawler/identity/identity.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/base64.h"
#include "base/civil.h"
#include "base/late.h"
#include "base/mem.h"
#include "base/strings.h"

#define FILE_MAX_BYTES 4096 /* a key in PEM takes 119 */
#define FIELD_MAX_BYTES 8192 /* of Accept-Signature */
#define MEMBERS_MAX 8
#define KEYS_MAX 64 /* in a directory */
#define NAME "abcdefghijklmnopqrstuvwxyz0123456789_-.*"
#define NONCE "ABCDEFGHIJKLMNOPQRSTUVWXYZ+/=~:"
#define LABEL "sig1"
#define AGENT "\"signature-agent\""
#define AGENT_OF AGENT ";key=\"%s\""
#define TAG "web-bot-auth"
#define DIRECTORY_TAG "http-message-signatures-directory"
#define DIRECTORY_COVERED "\"@authority\";req"

struct identity {
	struct identity_key keys[KEYS_MAX]; /* the newest first */
	EVP_PKEY *secrets[KEYS_MAX]; /* owned */
	size_t count;
};

/* libcrypto, which is loaded when it is first used. */

/* clang-format off */
#define FUNCTIONS(F) \
	F(EVP_MD_CTX_new) F(EVP_MD_CTX_free) F(EVP_DigestSignInit) \
	F(EVP_DigestSign) F(EVP_PKEY_Q_keygen) F(EVP_PKEY_get_raw_public_key) \
	F(EVP_PKEY_get_id) F(EVP_PKEY_free) F(PEM_read_PrivateKey) \
	F(PEM_write_PKCS8PrivateKey) F(ERR_clear_error) F(EVP_Q_digest) \
	F(EVP_Q_mac)
/* clang-format on */
#define LIBRARY(version) "libcrypto.so." LATE_TEXT(version)

static struct {
	FUNCTIONS(LATE_POINTER)
} crypto;

static void
crypto_load(void)
{
	late_load(
	    LIBRARY(OPENSSL_SHLIB_VERSION), LATE_NAMES(FUNCTIONS), &crypto);
}

/* The keys in their folder. */

/* Set the keyid of a key. */
static void
identity_name(struct identity_key *key)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	unsigned char digest[SHA256_BYTES];
	int is_good;

	crypto_load();
	/* RFC 7638, 3: the members in this order, and no space */
	(void)buf_print(&text, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"");
	base64_put(&text, key->x, sizeof(key->x), true);
	(void)buf_print(&text, "\"}");
	is_good = crypto.EVP_Q_digest(
	    NULL, "SHA256", NULL, text.p, text.len, digest, NULL);
	assert(is_good == 1);
	buf_clear(&text);
	base64_put(&text, digest, sizeof(digest), true);
	memcpy(key->keyid, buf_str(&text), sizeof(key->keyid));
	buf_release(&text);
}

/* Add the key in a file, which must be one that nobody but its owner, who is
 * the user of this process or root, may read or write. */
static enum diag_code
identity_add(struct identity *identity, const char *path,
    const struct identity_key *key, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct identity_key *added = &identity->keys[identity->count];
	enum diag_code code = DIAG_KEY_INVALID;
	char password[1] = ""; /* nobody is asked for one */
	size_t len = sizeof(added->x);
	EVP_PKEY *secret = NULL;
	struct stat found;

	if (file == NULL || fstat(fd, &found) != 0) {
		*why = strerrordesc_np(errno);
	} else if (!S_ISREG(found.st_mode) || found.st_size > FILE_MAX_BYTES) {
		*why = "it is no file with a key";
	} else if ((found.st_uid != geteuid() && found.st_uid != 0) ||
	    (found.st_mode & 077) != 0) {
		code = DIAG_KEY_READABLE;
		*why = "others than you may read or write it: chmod 600";
	} else {
		crypto_load();
		/* no copy is left in memory */
		(void)setvbuf(file, NULL, _IONBF, 0);
		secret = crypto.PEM_read_PrivateKey(file, NULL, NULL, password);
		/* libcurl would take what is left here for its own error */
		crypto.ERR_clear_error();
		*why = "it has no private key in PEM, or one with a password";
	}
	if (file != NULL)
		(void)fclose(file);
	if (secret == NULL)
		return code;
	if (crypto.EVP_PKEY_get_id(secret) != EVP_PKEY_ED25519) {
		crypto.EVP_PKEY_free(secret);
		*why = "it is no Ed25519 key";
		return DIAG_KEY_INVALID;
	}
	*added = *key;
	(void)crypto.EVP_PKEY_get_raw_public_key(secret, added->x, &len);
	identity_name(added);
	identity->secrets[identity->count++] = secret;
	return DIAG_OK;
}

enum diag_code
identity_open(
    struct identity **out, const char *folder, int64_t now_s, struct buf *why)
{
	struct identity *identity = mem_zero(sizeof(*identity));
	struct identity_key key = {0};
	enum diag_code code = DIAG_OK;
	struct strings names = {0};
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	struct buf path = BUF_UP_TO(SIZE_MAX);
	const char *reason = "it has no key: freshet identity new makes one";
	struct stat found;

	(void)buf_print(&path, "%s", folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (slice_ends(slice_of(entry->d_name), slice_of(".pem")))
			strings_add(&names, slice_of(entry->d_name));
	if (dir == NULL || fstat(dirfd(dir), &found) != 0) {
		reason = strerrordesc_np(errno);
	} else if ((found.st_mode & 022) != 0) {
		/* who may write the folder may put his own key there */
		code = DIAG_KEY_READABLE;
		reason = "others than you may write it: chmod go-w";
		(void)buf_print(
		    why, "mode %04o: ", (unsigned)found.st_mode & 07777);
	}
	if (dir != NULL)
		(void)closedir(dir);
	/* in the order of the times when they were made */
	strings_sort(&names);
	for (size_t i = names.count; i-- > 0 && code == DIAG_OK &&
	     (i + 1 == names.count || key.until_s > now_s) &&
	     identity->count < KEYS_MAX;) {
		struct tm at = {0};
		const char *end = strptime(
		    names.items[i], "%Y%m%dT%H%M%SZ.pem", &at);

		buf_clear(&path);
		(void)buf_print(&path, "%s/%s", folder, names.items[i]);
		code = DIAG_KEY_INVALID;
		reason = "its name is no time, as in 20261130T080000Z.pem";
		key.made_s = timegm(&at);
		if (end != NULL && *end == '\0')
			code = identity_add(
			    identity, buf_str(&path), &key, &reason);
		key.until_s = key.made_s + IDENTITY_OVERLAP_S;
	}
	if (identity->count == 0 && code == DIAG_OK)
		code = DIAG_KEY_INVALID;
	if (code != DIAG_OK) {
		(void)buf_print(why, "'%s': %s", buf_str(&path), reason);
		identity_free(identity);
		identity = NULL;
	}
	*out = identity;
	strings_release(&names);
	buf_release(&path);
	return code;
}

void
identity_free(struct identity *identity)
{
	for (size_t i = 0; identity != NULL && i < identity->count; i++)
		crypto.EVP_PKEY_free(identity->secrets[i]);
	free(identity);
}

enum diag_code
identity_new(const char *folder, int64_t now_s, struct buf *why)
{
	struct civil at = civil_of(now_s);
	struct buf path = BUF_UP_TO(SIZE_MAX);
	EVP_PKEY *key;
	FILE *file;
	int fd;
	bool is_good;

	crypto_load();
	key = crypto.EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	(void)buf_print(&path, "%s/%04d%02d%02dT%02d%02d%02dZ.pem", folder,
	    (int)at.year, at.month, at.day, at.hour, at.minute, at.second);
	(void)mkdir(folder, 0700);
	fd = open(
	    buf_str(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	is_good = file != NULL && setvbuf(file, NULL, _IONBF, 0) == 0 &&
	    crypto.PEM_write_PKCS8PrivateKey(
		file, key, NULL, NULL, 0, NULL, NULL) == 1 &&
	    fsync(fd) == 0;
	crypto.EVP_PKEY_free(key);
	if (!is_good)
		(void)buf_print(why, "cannot write '%s': %s", buf_str(&path),
		    strerrordesc_np(errno));
	if (file != NULL)
		(void)fclose(file);
	if (fd >= 0 && !is_good)
		(void)unlink(buf_str(&path));
	buf_release(&path);
	return is_good ? DIAG_OK : DIAG_KEY_INVALID;
}

const struct identity_key *
identity_key(const struct identity *identity, size_t i)
{
	return i < identity->count ? &identity->keys[i] : NULL;
}

/* Signatures. */

void
identity_sign_text(const struct identity *identity, size_t i, struct slice text,
    uint8_t bytes[static 64])
{
	EVP_MD_CTX *at = crypto.EVP_MD_CTX_new();
	size_t len = 64;
	bool is_good = crypto.EVP_DigestSignInit(
			   at, NULL, NULL, NULL, identity->secrets[i]) == 1 &&
	    crypto.EVP_DigestSign(
		at, bytes, &len, (const unsigned char *)text.p, text.len) == 1;

	assert(is_good);
	crypto.EVP_MD_CTX_free(at);
}

/* Sign the lines of a signature base with a key, and append the signature to
 * the two fields. `tail` is what stands behind expires. */
static void
identity_put(const struct identity *identity, size_t key, const char *label,
    const char *covered, struct buf *lines, int64_t created_s,
    int64_t expires_s, const char *tail, struct buf *input, struct buf *value)
{
	size_t from, len = lines->len;
	uint8_t bytes[64];

	(void)buf_print(input, "%s%s=", key > 0 ? ", " : "", label);
	from = input->len;
	(void)buf_print(input,
	    "(%s);created=%" PRId64 ";keyid=\"%s\";expires=%" PRId64 "%s",
	    covered, created_s, identity->keys[key].keyid, expires_s, tail);
	(void)buf_print(lines, "\"@signature-params\": ");
	(void)buf_put_slice(lines, slice_from(buf_text(input), from));
	identity_sign_text(identity, key, buf_text(lines), bytes);
	lines->len = len;
	(void)buf_print(value, "%s%s=:", key > 0 ? ", " : "", label);
	base64_put(value, bytes, sizeof(bytes), false);
	(void)buf_put_char(value, ':');
}

void
identity_sign(const struct identity *identity, const struct signing *signing,
    struct signature *signature)
{
	const struct challenge *asked = signing->challenge;
	const char *label = asked->label[0] != '\0' ? asked->label : LABEL;
	enum agent_form form = signing->agent.len > 0 ? asked->form
						      : AGENT_NONE;
	struct buf lines = BUF_UP_TO(SIZE_MAX), tail = BUF_UP_TO(SIZE_MAX),
		   agent = BUF_UP_TO(SIZE_MAX), input = BUF_UP_TO(SIZE_MAX),
		   value = BUF_UP_TO(SIZE_MAX);
	char covered[128] = "\"@authority\"", *name = covered + strlen(covered);

	(void)buf_print(&lines, "%s: %.*s\n", covered,
	    (int)signing->authority.len, signing->authority.p);
	if (form != AGENT_NONE) {
		bool is_old = form == AGENT_STRING;

		(void)snprintf(
		    name, 112, is_old ? " " AGENT : " " AGENT_OF, label);
		(void)buf_print(&lines, "%s: \"%.*s\"\n", name + 1,
		    (int)signing->agent.len, signing->agent.p);
		(void)buf_print(&agent, "%s%s\"%.*s\"", is_old ? "" : label,
		    is_old ? "" : "=", (int)signing->agent.len,
		    signing->agent.p);
	}
	(void)buf_print(&tail, ";nonce=\"%s", asked->nonce);
	if (asked->nonce[0] == '\0')
		base64_put(&tail, signing->nonce, IDENTITY_NONCE_BYTES, false);
	(void)buf_print(&tail, "\";tag=\"" TAG "\"");
	identity_put(identity, 0, label, covered, &lines, signing->created_s,
	    signing->expires_s, buf_str(&tail), &input, &value);
	*signature = (struct signature){
	    form != AGENT_NONE ? buf_take(&agent) : NULL, buf_take(&input),
	    buf_take(&value)};
	buf_release(&lines);
	buf_release(&tail);
}

void
signature_release(struct signature *signature)
{
	free(signature->agent);
	free(signature->input);
	free(signature->value);
	*signature = (struct signature){0};
}

void
identity_nonce(uint8_t nonce[IDENTITY_NONCE_BYTES])
{
	/* For so few bytes getrandom() never fails once the system is up. */
	(void)!getrandom(nonce, IDENTITY_NONCE_BYTES, 0);
}

struct slice
identity_authority(const struct url *url)
{
	/* a normalised URL has the host in lower case, and no default port */
	return slice_from(url_origin(url), url->host_at);
}

void
hmac_sha256(struct slice key, struct slice text, uint8_t value[SHA256_BYTES])
{
	const unsigned char *p = (const unsigned char *)text.p;
	bool is_good;

	crypto_load();
	is_good = crypto.EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key.p,
		      key.len, p, text.len, value, SHA256_BYTES, NULL) != NULL;
	assert(is_good);
}

/* Challenges.  What is answered has no mark within quotes at which the field is
 * cut here, so quotes need not be looked at; and what is kept can be sent back
 * as it is. */

static bool
challenge_keep(char *room, size_t size, const char *set, struct slice text)
{
	if (text.len >= size)
		return false;
	memcpy(room, text.p, text.len);
	room[text.len] = '\0';
	return strspn(room, set) == text.len;
}

/* Fill in a challenge; NULL, or why it cannot be answered. */
static const char *
challenge_read(struct slice member, const struct identity *identity,
    bool has_agent, struct challenge *asked)
{
	struct slice list, part, name;
	bool has_authority = false;
	char keyid[48], keyed[96];

	*asked = (struct challenge){.form = AGENT_NONE};
	(void)snprintf(keyid, sizeof(keyid), "\"%s\"", identity->keys[0].keyid);
	if (!slice_cut(&member, '=', &name) ||
	    !challenge_keep(asked->label, sizeof(asked->label), NAME, name) ||
	    asked->label[0] < 'a' || !scan_char(&member, '(') ||
	    slice_count(member, ')') == 0)
		return "it is no list of what is to be signed";
	(void)slice_cut(&member, ')', &list);
	(void)snprintf(keyed, sizeof(keyed), AGENT_OF, asked->label);
	while (slice_cut(&list, ' ', &part)) {
		if (slice_is(part, "\"@authority\"") && !has_authority)
			has_authority = true;
		else if (asked->form == AGENT_NONE && slice_is(part, AGENT))
			asked->form = AGENT_STRING;
		else if (asked->form == AGENT_NONE && slice_is(part, keyed))
			asked->form = AGENT_DICTIONARY;
		else if (part.len > 0)
			return "it asks for more than host and Signature-Agent";
	}
	/* a signature of less would be valid for any host */
	if (!has_authority)
		return "it does not ask to sign the host";
	if (asked->form != AGENT_NONE && !has_agent)
		return "the option signature-agent is not set";
	while (slice_cut(&member, ';', &part)) {
		(void)slice_cut(&part, '=', &name);
		/* without a value it is asked for, whatever it is */
		if (part.len == 0)
			continue;
		if (slice_is(name, "tag") && !slice_is(part, "\"" TAG "\""))
			return "it asks for another tag than " TAG;
		if (slice_is(name, "alg") && !slice_is(part, "\"ed25519\""))
			return "it asks for another algorithm than ed25519";
		if (slice_is(name, "keyid") && !slice_is(part, keyid))
			return "it asks for another key";
		if (slice_is(name, "nonce") &&
		    (part.len < 2 || part.p[0] != '"' ||
			part.p[part.len - 1] != '"' ||
			!challenge_keep(asked->nonce, sizeof(asked->nonce),
			    NAME NONCE, slice_make(part.p + 1, part.len - 2))))
			return "its nonce is too long, or no word";
	}
	return NULL;
}

enum diag_code
accept_signature_parse(struct slice value, const struct identity *identity,
    bool has_agent, struct challenge *challenge, struct buf *why)
{
	const char *reason = value.len > FIELD_MAX_BYTES ? "it is too long"
							 : "it is empty";
	struct slice member;

	for (size_t i = 0; i < MEMBERS_MAX && value.len <= FIELD_MAX_BYTES &&
	     slice_cut(&value, ',', &member);
	     i++) {
		reason = challenge_read(member, identity, has_agent, challenge);
		if (reason == NULL)
			return DIAG_OK;
	}
	(void)buf_print(why, "Accept-Signature: %s", reason);
	return DIAG_CHALLENGE_UNANSWERABLE;
}

/* The directory. */

void
identity_directory(const struct identity *identity, struct buf *out)
{
	(void)buf_print(out, "{\"keys\":[");
	for (size_t i = 0; i < identity->count; i++) {
		const struct identity_key *key = &identity->keys[i];

		(void)buf_print(out,
		    "%s\n{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"%s\","
		    "\"x\":\"",
		    i > 0 ? "," : "", key->keyid);
		base64_put(out, key->x, sizeof(key->x), true);
		(void)buf_print(out, "\",\"use\":\"sig\"}");
	}
	(void)buf_print(out, "\n]}\n");
}

void
identity_sign_directory(const struct identity *identity, struct slice authority,
    int64_t created_s, int64_t expires_s, struct signature *signature)
{
	struct buf lines = BUF_UP_TO(SIZE_MAX), input = BUF_UP_TO(SIZE_MAX),
		   value = BUF_UP_TO(SIZE_MAX);
	char label[32];

	(void)buf_print(&lines, DIRECTORY_COVERED ": %.*s\n",
	    (int)authority.len, authority.p);
	for (size_t i = 0; i < identity->count; i++) {
		(void)snprintf(label, sizeof(label), "binding%zu", i);
		identity_put(identity, i, label, DIRECTORY_COVERED, &lines,
		    created_s, expires_s, ";tag=\"" DIRECTORY_TAG "\"", &input,
		    &value);
	}
	*signature = (struct signature){
	    NULL, buf_take(&input), buf_take(&value)};
	buf_release(&lines);
}

enum diag_code
identity_judge(const struct identity *identity, struct slice text,
    struct slice authority, struct slice head, int64_t now_s, struct buf *why)
{
	struct buf own = BUF_UP_TO(SIZE_MAX), sent = BUF_UP_TO(SIZE_MAX);
	int64_t created_s = 0, expires_s = 0;
	const char *reason = NULL, *at;
	struct signature signature;

	(void)buf_put_slice(&sent, head);
	at = strstr(buf_str(&sent), DIRECTORY_COVERED ");");
	/* a signature of a text is always the same: it is made again */
	if (at != NULL)
		(void)sscanf(at + strlen(DIRECTORY_COVERED),
		    ");created=%15" SCNd64 ";keyid=%*[^;];expires=%15" SCNd64,
		    &created_s, &expires_s);
	identity_sign_directory(
	    identity, authority, created_s, expires_s, &signature);
	identity_directory(identity, &own);
	if (!slice_equal(slice_trim(text), slice_trim(buf_text(&own))))
		reason = "it is not what freshet identity directory prints";
	else if (strstr(buf_str(&sent), signature.input) == NULL ||
	    strstr(buf_str(&sent), signature.value) == NULL)
		reason = "it is not signed by each of its keys for this host";
	else if (now_s < created_s - IDENTITY_CLOCK_S ||
	    now_s > expires_s + IDENTITY_CLOCK_S)
		reason = "its signature has expired, or a clock is wrong";
	signature_release(&signature);
	buf_release(&own);
	buf_release(&sent);
	(void)buf_print(why, "%s", reason == NULL ? "" : reason);
	return reason == NULL ? DIAG_OK : DIAG_KEY_DIRECTORY_INVALID;
}
