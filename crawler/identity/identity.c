/* The keys of this crawler, and what is signed with them. */
#include "crawler/identity/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/strings.h"
#include "crawler/identity/ed25519.h"
#include "crawler/identity/structured.h"

#define FILE_MAX_BYTES 4096 /* a key in PEM takes 119 */
#define LABEL "sig1"

struct identity {
	struct identity_key keys[IDENTITY_KEYS_MAX]; /* the newest first */
	struct ed25519 *secrets[IDENTITY_KEYS_MAX]; /* owned */
	size_t count;
};

/* The keys in their folder. */

/* "20261130T080000Z.pem" is the name of a key that was made then. */
static bool
identity_made(const char *name, int64_t *made_s)
{
	struct slice rest = slice_of(name);
	struct civil at;
	int year;

	if (!scan_number(&rest, 4, &year) ||
	    !scan_number(&rest, 2, &at.month) ||
	    !scan_number(&rest, 2, &at.day) || !scan_char(&rest, 'T') ||
	    !scan_number(&rest, 2, &at.hour) ||
	    !scan_number(&rest, 2, &at.minute) ||
	    !scan_number(&rest, 2, &at.second) || !slice_is(rest, "Z.pem"))
		return false;
	at.year = year;
	*made_s = civil_epoch_s(&at);
	return civil_is_real(&at);
}

/* Read the file of a key into pem. It must be a file that nobody but its owner,
 * who is the user of this process or root, may read or write. */
static enum diag_code
identity_load(const char *path, struct buf *pem, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum diag_code code = DIAG_KEY_INVALID;
	struct stat found;
	ssize_t len;

	*why = strerrordesc_np(errno);
	if (fd < 0)
		return code;
	if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) ||
	    found.st_size > FILE_MAX_BYTES) {
		*why = "it is no file with a key";
	} else if ((found.st_uid != geteuid() && found.st_uid != 0) ||
	    (found.st_mode & 077) != 0) {
		code = DIAG_KEY_READABLE;
		*why = "others than you can read or write it, or it is "
		       "another user's: chmod 600";
	} else {
		(void)buf_reserve(pem, FILE_MAX_BYTES);
		len = read(fd, pem->p, FILE_MAX_BYTES);
		if (len >= 0) {
			pem->len = (size_t)len;
			code = DIAG_OK;
		} else
			*why = strerrordesc_np(errno);
	}
	(void)close(fd);
	return code;
}

/* Add the key in that file. */
static enum diag_code
identity_add(struct identity *identity, const char *path,
    const struct identity_key *key, const char **why)
{
	struct buf pem = BUF_UP_TO(FILE_MAX_BYTES);
	enum diag_code code = identity_load(path, &pem, why);
	bool is_other = false;
	struct ed25519 *secret = code == DIAG_OK
	    ? ed25519_read(buf_text(&pem), &is_other)
	    : NULL;

	if (pem.cap > 0)
		explicit_bzero(pem.p, pem.cap);
	buf_release(&pem);
	if (code != DIAG_OK)
		return code;
	if (secret == NULL) {
		*why = is_other
		    ? "it is no Ed25519 key"
		    : "it has no private key in PEM, or one with a password";
		return is_other ? DIAG_KEY_KIND : DIAG_KEY_INVALID;
	}
	identity->keys[identity->count] = *key;
	ed25519_x(secret, identity->keys[identity->count].x);
	identity_name(&identity->keys[identity->count]);
	identity->secrets[identity->count++] = secret;
	return DIAG_OK;
}

void
identity_name(struct identity_key *key)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	uint8_t digest[SHA256_BYTES];

	/* RFC 7638, 3: the members in this order, and no space */
	(void)buf_print(&text, "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"");
	base64url_put(&text, key->x, sizeof(key->x));
	(void)buf_print(&text, "\"}");
	sha256(buf_text(&text), digest);
	buf_clear(&text);
	base64url_put(&text, digest, sizeof(digest));
	memcpy(key->keyid, buf_str(&text), sizeof(key->keyid));
	buf_release(&text);
}

/* The names of all keys in the folder, in the order of the times when they were
 * made; false with errno. */
static bool
identity_list(const char *folder, struct strings *names)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (dir == NULL)
		return false;
	while ((entry = readdir(dir)) != NULL)
		if (slice_ends(slice_of(entry->d_name), slice_of(".pem")))
			strings_add(names, slice_of(entry->d_name));
	(void)closedir(dir);
	strings_sort(names);
	return true;
}

enum diag_code
identity_open(
    struct identity **out, const char *folder, int64_t now_s, struct buf *why)
{
	struct identity *identity = mem_zero(sizeof(*identity));
	struct identity_key key = {.until_s = INT64_MAX};
	enum diag_code code = DIAG_OK;
	struct strings names = {0};
	struct buf path = BUF_UP_TO(SIZE_MAX);
	const char *reason = "there is no key in it: freshet identity new "
			     "makes one";

	(void)buf_print(&path, "%s", folder);
	if (!identity_list(folder, &names))
		reason = strerrordesc_np(errno);
	for (size_t i = names.count; i-- > 0 && code == DIAG_OK;) {
		buf_clear(&path);
		(void)buf_print(&path, "%s/%s", folder, names.items[i]);
		code = DIAG_KEY_INVALID;
		reason = "a key has the time when it was made for its name, "
			 "such as 20261130T080000Z.pem";
		if (identity_made(names.items[i], &key.made_s))
			code = key.until_s <= now_s ||
				identity->count == IDENTITY_KEYS_MAX
			    ? DIAG_OK
			    : identity_add(
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
		ed25519_free(identity->secrets[i]);
	free(identity);
}

enum diag_code
identity_new(const char *folder, int64_t now_s, struct buf *why)
{
	struct civil at = civil_of(now_s);
	struct ed25519 *key = ed25519_new();
	struct buf path = BUF_UP_TO(SIZE_MAX), pem = BUF_UP_TO(FILE_MAX_BYTES);
	bool is_good;
	int fd;

	(void)buf_print(&path, "%s/%04d%02d%02dT%02d%02d%02dZ.pem", folder,
	    (int)at.year, at.month, at.day, at.hour, at.minute, at.second);
	ed25519_print(key, &pem);
	ed25519_free(key);
	(void)mkdir(folder, 0700);
	fd = open(
	    buf_str(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	is_good = fd >= 0 && write(fd, pem.p, pem.len) == (ssize_t)pem.len &&
	    fsync(fd) == 0;
	if (!is_good)
		(void)buf_print(why, "cannot write '%s': %s", buf_str(&path),
		    strerrordesc_np(errno));
	if (fd >= 0)
		(void)close(fd);
	if (fd >= 0 && !is_good)
		(void)unlink(buf_str(&path));
	explicit_bzero(pem.p, pem.cap);
	buf_release(&pem);
	buf_release(&path);
	return is_good ? DIAG_OK : DIAG_KEY_INVALID;
}

const struct identity_key *
identity_key(const struct identity *identity, size_t i)
{
	return i < identity->count ? &identity->keys[i] : NULL;
}

/* Signatures. */

/* Sign the lines of a signature base with a key, and append the signature to
 * the two fields. `tail` is what stands behind expires. */
static void
identity_put(const struct identity *identity, size_t key, const char *label,
    const char *components, const struct buf *lines, int64_t created_s,
    int64_t expires_s, const char *tail, struct buf *input, struct buf *value)
{
	struct buf base = BUF_UP_TO(SIZE_MAX);
	uint8_t signature[ED25519_SIGNATURE];
	size_t from;

	(void)buf_print(input, "%s%s=", key > 0 ? ", " : "", label);
	from = input->len;
	(void)buf_print(input,
	    "(%s);created=%" PRId64 ";keyid=\"%s\";expires=%" PRId64 "%s",
	    components, created_s, identity->keys[key].keyid, expires_s, tail);
	(void)buf_put_slice(&base, buf_text(lines));
	(void)buf_print(&base, "\"@signature-params\": ");
	(void)buf_put_slice(&base, slice_from(buf_text(input), from));
	ed25519_sign(identity->secrets[key], buf_text(&base), signature);
	(void)buf_print(value, "%s%s=:", key > 0 ? ", " : "", label);
	base64_put(value, signature, sizeof(signature));
	(void)buf_put_char(value, ':');
	buf_release(&base);
}

void
identity_sign(const struct identity *identity, const struct signing *signing,
    struct signature *signature)
{
	static const struct challenge none = {.form = AGENT_DICTIONARY};
	const struct challenge *asked = signing->challenge != NULL
	    ? signing->challenge
	    : &none;
	const char *label = asked->label[0] != '\0' ? asked->label : LABEL;
	const char *key = asked->agent_key[0] != '\0' ? asked->agent_key
						      : LABEL;
	enum agent_form form = signing->agent.len > 0 ? asked->form
						      : AGENT_NONE;
	char components[128] = "\"@authority\"";
	struct buf lines = BUF_UP_TO(SIZE_MAX), tail = BUF_UP_TO(SIZE_MAX),
		   agent = BUF_UP_TO(SIZE_MAX), input = BUF_UP_TO(SIZE_MAX),
		   value = BUF_UP_TO(SIZE_MAX);
	size_t len = strlen(components);

	if (form != AGENT_NONE)
		(void)snprintf(components + len, sizeof(components) - len,
		    form == AGENT_STRING ? " \"signature-agent\""
					 : " \"signature-agent\";key=\"%s\"",
		    key);
	if (form == AGENT_DICTIONARY)
		(void)buf_print(&agent, "%s=", key);
	(void)buf_print(
	    &agent, "\"%.*s\"", (int)signing->agent.len, signing->agent.p);
	(void)buf_print(&lines, "\"@authority\": %.*s\n",
	    (int)signing->authority.len, signing->authority.p);
	if (form != AGENT_NONE)
		(void)buf_print(&lines, "%s: \"%.*s\"\n", components + len + 1,
		    (int)signing->agent.len, signing->agent.p);
	(void)buf_print(&tail, ";nonce=\"%s", asked->nonce);
	if (asked->nonce[0] == '\0')
		base64_put(&tail, signing->nonce, IDENTITY_NONCE_BYTES);
	(void)buf_print(&tail, "\";tag=\"" IDENTITY_TAG "\"");
	identity_put(identity, 0, label, components, &lines, signing->created_s,
	    signing->expires_s, buf_str(&tail), &input, &value);
	*signature = (struct signature){
	    form != AGENT_NONE ? buf_take(&agent) : NULL, buf_take(&input),
	    buf_take(&value)};
	buf_release(&lines);
	buf_release(&tail);
	buf_release(&agent);
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

void
identity_authority(const struct url *url, struct buf *out)
{
	struct slice origin = url_origin(url);

	/* a normalised URL has the host in lower case, and no default port */
	(void)buf_put_slice(out, slice_from(origin, url->host_at));
}

/* The directory. */

void
identity_directory(const struct identity *identity, struct buf *out)
{
	(void)buf_print(out, "{\"keys\":[");
	for (size_t i = 0; i < identity->count; i++) {
		(void)buf_print(out,
		    "%s\n{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"%s\","
		    "\"x\":\"",
		    i > 0 ? "," : "", identity->keys[i].keyid);
		base64url_put(
		    out, identity->keys[i].x, sizeof(identity->keys[i].x));
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

	(void)buf_print(&lines, "\"@authority\";req: %.*s\n",
	    (int)authority.len, authority.p);
	for (size_t i = 0; i < identity->count; i++) {
		(void)snprintf(label, sizeof(label), "binding%zu", i);
		identity_put(identity, i, label, "\"@authority\";req", &lines,
		    created_s, expires_s, ";tag=\"" IDENTITY_DIRECTORY_TAG "\"",
		    &input, &value);
	}
	*signature = (struct signature){
	    NULL, buf_take(&input), buf_take(&value)};
	buf_release(&lines);
}

/* Challenges. */

static bool
challenge_keep(char *room, size_t size, struct slice text)
{
	if (text.len >= size)
		return false;
	memcpy(room, text.p, text.len);
	room[text.len] = '\0';
	return true;
}

/* The components of a challenge; NULL, or why they cannot be signed. */
static const char *
challenge_components(
    struct slice list, bool has_agent, struct challenge *challenge)
{
	struct structured item, value;
	struct slice rest, name;
	bool has_authority = false;

	while (structured_item(&list, &item)) {
		bool is_string = item.type == STRUCTURED_STRING;

		rest = item.parameters;
		if (is_string && slice_is(item.text, "@authority") &&
		    rest.len == 0 && !has_authority) {
			has_authority = true;
		} else if (is_string &&
		    slice_is(item.text, "signature-agent") &&
		    challenge->form == AGENT_NONE) {
			challenge->form = AGENT_STRING;
			if (rest.len > 0)
				challenge->form = AGENT_DICTIONARY;
			/* its member is called as the challenge says, which
			 * must be a name */
			if (rest.len > 0 &&
			    (!structured_next(&rest, ';', &name, &value) ||
				!slice_is(name, "key") || rest.len > 0 ||
				value.type != STRUCTURED_STRING ||
				!challenge_keep(challenge->agent_key,
				    sizeof(challenge->agent_key), value.text) ||
				!structured_next(
				    &value.text, ',', &name, &item) ||
				item.whole.len > 0 || value.text.len > 0))
				return "it asks for an unknown form of "
				       "Signature-Agent";
		} else
			return "it asks to sign more than the host and "
			       "Signature-Agent";
	}
	if (!has_authority)
		return "it does not ask to sign the host, and a signature of "
		       "less is valid for any host";
	if (challenge->form != AGENT_NONE && !has_agent)
		return "it asks for Signature-Agent, and the option "
		       "signature-agent is not set";
	return NULL;
}

/* The same of what it asks to say of the signature. */
static const char *
challenge_parameters(struct slice parameters, const struct identity *identity,
    struct challenge *challenge)
{
	static const struct {
		const char *name, *value, *why;
	} texts[] = {
	    {"tag", IDENTITY_TAG, "it asks for another tag than web-bot-auth"},
	    {"alg", "ed25519", "it asks for another algorithm than ed25519"},
	    {"keyid", NULL, "it asks for another key"},
	};
	struct structured value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (structured_find(
			parameters, ';', slice_of(texts[i].name), &value) &&
		    value.type != STRUCTURED_TRUE &&
		    !slice_is(value.text,
			texts[i].value != NULL ? texts[i].value
					       : identity->keys[0].keyid))
			return texts[i].why;
	if (structured_find(parameters, ';', slice_of("nonce"), &value) &&
	    value.type == STRUCTURED_STRING &&
	    !challenge_keep(
		challenge->nonce, sizeof(challenge->nonce), value.text))
		return "its nonce is too long";
	return NULL;
}

enum diag_code
accept_signature_parse(struct slice value, const struct identity *identity,
    bool has_agent, struct challenge *challenge, struct buf *why)
{
	const char *reason = "it asks for nothing";
	struct structured member;
	struct slice label;

	for (size_t i = 0; i < SIGNATURE_MEMBERS_MAX && reason != NULL &&
	     value.len <= SIGNATURE_FIELD_MAX &&
	     structured_next(&value, ',', &label, &member);
	     i++) {
		*challenge = (struct challenge){.form = AGENT_NONE};
		if (member.type != STRUCTURED_LIST)
			reason = "it is no list of what is to be signed";
		else if (!challenge_keep(
			     challenge->label, sizeof(challenge->label), label))
			reason = "its name is too long";
		else
			reason = challenge_components(
			    member.text, has_agent, challenge);
		if (reason == NULL)
			reason = challenge_parameters(
			    member.parameters, identity, challenge);
	}
	if (reason == NULL)
		return DIAG_OK;
	if (value.len > 0)
		reason = "it is too long, or cannot be read";
	(void)buf_print(why, "Accept-Signature: %s", reason);
	return DIAG_CHALLENGE_UNANSWERABLE;
}
