/* The location rules: what a document may list. */
#include "store/location.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "base/hash.h"
#include "base/host.h"
#include "base/mem.h"

#define MAX_STRINGS 100000 /* the most items of a set in a frame */

struct self_listed {
	unsigned users;
	struct string_set urls;
	/* Owned; one more than URLs: sums[i] is that of the hashes of the first
	 * i URLs, modulo 2^64.  NULL: URLs may still be added. */
	uint64_t *sums;
	size_t bytes; /* of all URLs */
};

/* The index of the first item that is not less than the text. */
static size_t
string_set_from(const struct string_set *set, struct slice text)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(slice_of(set->items[mid]), text) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
string_set_has(const struct string_set *set, struct slice text)
{
	size_t at = string_set_from(set, text);

	return at < set->count && slice_is(text, set->items[at]);
}

void
string_set_add(struct string_set *set, struct slice text)
{
	size_t at = string_set_from(set, text);

	if (at < set->count && slice_is(text, set->items[at]))
		return;
	set->items = mem_grow(
	    set->items, &set->cap, set->count + 1, sizeof(*set->items));
	memmove(set->items + at + 1, set->items + at,
	    (set->count - at) * sizeof(*set->items));
	set->items[at] = slice_dup(text);
	set->count++;
}

void
string_set_release(struct string_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->items[i]);
	free(set->items);
	*set = (struct string_set){0};
}

static void
string_set_copy(struct string_set *to, const struct string_set *from)
{
	string_set_release(to);
	for (size_t i = 0; i < from->count; i++)
		string_set_add(to, slice_of(from->items[i]));
}

void
location_scope_init(struct location_scope *scope, const struct profile *p)
{
	*scope = (struct location_scope){.profile = *p};
}

void
location_scope_release(struct location_scope *scope)
{
	url_release(&scope->requested);
	url_release(&scope->final);
	string_set_release(&scope->proof_origins);
	self_listed_release(scope->listed);
	scope->listed = NULL;
	string_set_release(&scope->own);
}

void
location_scope_copy(
    struct location_scope *to, const struct location_scope *from)
{
	to->profile = from->profile;
	to->has_location = from->has_location;
	url_copy(&to->requested, &from->requested);
	url_copy(&to->final, &from->final);
	string_set_copy(&to->proof_origins, &from->proof_origins);
	self_listed_release(to->listed);
	to->listed = self_listed_share(from->listed);
	string_set_copy(&to->own, &from->own);
}

/* Ownership (SPEC R-67). */

static const char domain_word[] = "domain:";

bool
location_own_parse(struct string_set *set, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct slice trimmed = slice_trim(text);
	struct slice word = slice_of(domain_word);
	struct buf made = BUF_UP_TO(URL_MAX_BYTES);
	struct url url = {0};
	bool is_good;

	if (slice_starts(trimmed, word)) {
		uint8_t kind;
		bool is_idn;
		struct slice name = slice_from(trimmed, word.len);

		/* The result needs no test: the buffer has room for any URL, so
		 * also for a name. */
		(void)buf_put_slice(&made, word);
		is_good = host_normalise(&made, name, &kind, &is_idn) ==
			DIAG_OK &&
		    kind == HOST_NAME &&
		    host_registrable(slice_from(buf_text(&made), word.len))
			    .len > 0;
	} else {
		is_good = url_parse(&url, trimmed, NULL, &profile,
			      (struct diag_sink){0}) == DIAG_OK;
		(void)buf_put_slice(&made, url_text(&url));
	}
	if (is_good)
		string_set_add(set, buf_text(&made));
	url_release(&url);
	buf_release(&made);
	return is_good;
}

static bool
is_owned(const struct string_set *own, const struct url *url)
{
	struct slice word = slice_of(domain_word);

	for (size_t i = 0; i < own->count; i++) {
		struct slice claim = slice_of(own->items[i]);

		if (slice_starts(claim, word)) {
			/* The host is the domain itself, or a name under it. */
			struct slice host = url_host(url);
			struct slice domain = slice_from(claim, word.len);
			size_t more = host.len - domain.len;

			if (host.len >= domain.len &&
			    slice_equal(slice_from(host, more), domain) &&
			    (more == 0 || host.p[more - 1] == '.'))
				return true;
		} else if (slice_starts(url_text(url), claim)) {
			return true;
		}
	}
	return false;
}

/* Hosts, schemes and ports.  The first test that fails decides. */

static enum diag_code
judge_origin(const struct profile *profile, const struct url *base,
    const struct url *entry)
{
	struct slice mine = url_host(base), theirs = url_host(entry);
	bool is_extra, is_lacking;

	if (!slice_equal(mine, theirs)) {
		is_extra = host_is_www_of(mine, theirs);
		is_lacking = host_is_www_of(theirs, mine);
		/* The label "www" has a switch of its own, whatever site_match
		 * is. */
		if (is_extra || is_lacking) {
			if (profile->www_rule != WWW_FOLD)
				return is_extra ? DIAG_WWW_EXTRA
						: DIAG_WWW_MISSING;
		} else if (profile->site_match != SITE_REGISTRABLE ||
		    !host_is_kin(mine, theirs)) {
			return DIAG_HOST_MISMATCH;
		}
	}
	if (base->is_https != entry->is_https &&
	    profile->scheme_rule == SCHEME_EXACT)
		return DIAG_SCHEME_MISMATCH;
	/* The default ports of http and https count as equal. */
	if (base->port != entry->port &&
	    !(base->port == (base->is_https ? 443 : 80) &&
		entry->port == (entry->is_https ? 443 : 80)))
		return DIAG_PORT_MISMATCH;
	return DIAG_OK;
}

/* Proofs (SPEC ). */

/* has_proof(scope, entry): does the entry's authority name the document or
 * an index above it? */
static bool
has_proof(const struct location_scope *scope, const struct url *entry)
{
	if (scope->profile.robots_proof == SWITCH_OFF)
		return false;
	if (string_set_has(&scope->proof_origins, url_origin(entry)))
		return true;
	if (scope->profile.proof_authority != PROOF_HOST)
		return false;
	for (size_t i = 0; i < scope->proof_origins.count; i++) {
		/* The host of "https://host:port". */
		struct slice origin = slice_of(scope->proof_origins.items[i]);
		bool is_https = slice_starts(origin, slice_of("https:"));
		struct slice host = slice_from(
		    origin, strlen(is_https ? "https://" : "http://"));
		size_t len = host.len;

		while (
		    len > 0 && host.p[len - 1] != ':' && host.p[len - 1] != ']')
			len--;
		/* In "[::1]" the last colon does not begin a port. */
		if (len > 0 && host.p[len - 1] == ':')
			host.len = len - 1;
		if (slice_equal(host, url_host(entry)))
			return true;
	}
	return false;
}

static struct location_verdict
verdict(bool is_accepted, enum diag_code code)
{
	enum verdict refused = is_accepted ? VERDICT_ACCEPTED
					   : verdict_of(code);

	/* Segments have a verdict for each rule that refuses. */
	assert(is_accepted == (refused == VERDICT_ACCEPTED));
	return (struct location_verdict){is_accepted, code, refused};
}

/* The verdict by one base URL.  Self references and private addresses have been
 * judged before; ownership is judged afterwards. */
static struct location_verdict
judge_against(const struct location_scope *scope, const struct url *base,
    const struct url *entry, enum location_subject subject)
{
	const struct profile *profile = &scope->profile;
	bool is_same_origin = slice_equal(url_origin(base), url_origin(entry));
	struct slice dir = slice_from(url_directory(base), base->path_at);
	bool is_below = slice_starts(url_path(entry), dir);
	/* Does the robots.txt of a child's own origin name the child?  Of most
	 * children nobody asks. */
	bool is_listed = (!is_same_origin || !is_below) &&
	    subject == SUBJECT_CHILD && profile->robots_proof == SWITCH_ON &&
	    self_listed_has(scope->listed, url_text(entry));
	bool is_waived;
	enum diag_code accept = is_same_origin ? DIAG_OK
					       : DIAG_CROSS_HOST_ACCEPTED;
	enum diag_code code = DIAG_OK;

	if (!is_same_origin) {
		/* SPEC: a proof for another origin means that
		 * the rule about directories does not apply there. */
		if (has_proof(scope, entry) || is_listed)
			return verdict(true, DIAG_ACCEPTED_BY_ROBOTS_PROOF);
		code = judge_origin(profile, base, entry);
		if (code != DIAG_OK)
			return verdict(false, code);
		if (!slice_equal(url_host(base), url_host(entry)))
			return verdict(true, accept);
	}
	if (is_below)
		return verdict(true, accept);
	/* What waives the rule about directories, of a page and of a child? */
	if (subject == SUBJECT_PAGE)
		is_waived = profile->url_dir_waiver == URL_LISTED &&
		    has_proof(scope, entry);
	else if (profile->child_dir_waiver == CHILD_NONE)
		is_waived = false;
	else
		is_waived = is_listed ||
		    (profile->child_dir_waiver == CHILD_LISTED_INDEX &&
			has_proof(scope, entry));
	if (is_waived)
		return verdict(true, DIAG_DIRECTORY_WAIVED);
	if (profile->dir_rule == DIR_WARN)
		return verdict(
		    true, is_same_origin ? DIAG_OUTSIDE_DIRECTORY : accept);
	return verdict(false, DIAG_OUTSIDE_DIRECTORY);
}

/* SPEC R-54: the requested or the final URL of a redirected document, or both,
 * are its base. */
static struct location_verdict
judge_bases(const struct location_scope *scope, const struct url *entry,
    enum location_subject subject)
{
	struct location_verdict by_final, by_requested;

	if (scope->profile.redirect_base == REDIRECT_REQUESTED)
		return judge_against(scope, &scope->requested, entry, subject);
	by_final = judge_against(scope, &scope->final, entry, subject);
	if (scope->profile.redirect_base == REDIRECT_FINAL ||
	    !host_is_kin(url_host(&scope->requested), url_host(&scope->final)))
		return by_final;
	by_requested = judge_against(scope, &scope->requested, entry, subject);
	if (by_requested.is_accepted &&
	    (by_requested.code == DIAG_OK || !by_final.is_accepted))
		return by_requested;
	return by_final;
}

struct location_verdict
location_judge(const struct location_scope *scope, const struct url *entry,
    enum location_subject subject)
{
	struct location_verdict answer;

	if (!scope->has_location)
		return verdict(true, DIAG_OK);
	if (subject == SUBJECT_CHILD &&
	    (slice_equal(url_text(entry), url_text(&scope->requested)) ||
		slice_equal(url_text(entry), url_text(&scope->final))))
		return verdict(false, DIAG_INDEX_SELF_REFERENCE);
	/* Nearly all entries of a sound document are accepted here. */
	if (scope->profile.redirect_base != REDIRECT_REQUESTED &&
	    slice_starts(url_text(entry), url_directory(&scope->final)))
		return verdict(true, DIAG_OK);
	if (addr_host_reach(url_host(entry)) != ADDR_PUBLIC &&
	    addr_host_reach(url_host(&scope->final)) == ADDR_PUBLIC)
		return verdict(false, DIAG_PRIVATE_ADDRESS);
	answer = judge_bases(scope, entry, subject);
	if ((!answer.is_accepted || answer.code == DIAG_OUTSIDE_DIRECTORY) &&
	    scope->profile.ownership == SWITCH_ON &&
	    is_owned(&scope->own, &scope->final) &&
	    is_owned(&scope->own, entry))
		return verdict(true, DIAG_ACCEPTED_BY_OWNERSHIP);
	return answer;
}

/* Frames. */

static void
put_set(struct buf *out, const struct string_set *set)
{
	wire_put_varint(out, set->count);
	for (size_t i = 0; i < set->count; i++)
		wire_put_slice(out, slice_of(set->items[i]));
}

static bool
get_set(struct wire *wire, struct string_set *set)
{
	uint64_t count = wire_get_varint(wire);

	if (count > MAX_STRINGS)
		return false;
	for (uint64_t i = 0; i < count && wire->ok; i++) {
		struct slice text = wire_get_slice(wire);

		if (wire->ok)
			string_set_add(set, text);
	}
	return wire->ok;
}

void
location_scope_put(
    struct buf *out, const struct location_scope *scope, bool has_digest)
{
	static const struct string_set none;

	profile_put(out, &scope->profile);
	wire_put_fixed(out, 1, scope->has_location);
	if (scope->has_location) {
		wire_put_slice(out, url_text(&scope->requested));
		wire_put_slice(out, url_text(&scope->final));
	}
	put_set(out, &scope->proof_origins);
	if (has_digest)
		wire_put_varint(out,
		    scope->has_location ? self_listed_digest(scope->listed,
					      url_directory(&scope->final))
					: 0);
	else
		put_set(
		    out, scope->listed == NULL ? &none : &scope->listed->urls);
	put_set(out, &scope->own);
}

bool
location_scope_get(struct wire *wire, struct location_scope *scope)
{
	bool is_good;

	if (!profile_get(wire, &scope->profile))
		return false;
	scope->has_location = wire_get_fixed(wire, 1) != 0;
	if (scope->has_location) {
		struct slice requested = wire_get_slice(wire);
		struct slice final = wire_get_slice(wire);

		/* Both are normalised, so that parsing does not change them. */
		if (!wire->ok ||
		    url_parse_raw(&scope->requested, requested, NULL) !=
			DIAG_OK ||
		    url_parse_raw(&scope->final, final, NULL) != DIAG_OK)
			return false;
	}
	scope->listed = self_listed_new();
	is_good = get_set(wire, &scope->proof_origins) &&
	    get_set(wire, &scope->listed->urls) && get_set(wire, &scope->own);
	self_listed_seal(scope->listed);
	return is_good;
}

uint64_t
location_fingerprint(
    const struct location_scope *scope, uint32_t reader_version)
{
	struct buf bytes = BUF_UP_TO(SIZE_MAX);
	uint64_t hash;

	location_scope_put(&bytes, scope, true);
	hash = hash_key(buf_text(&bytes), reader_version);
	buf_release(&bytes);
	/* 0 stands for "no segment yet" in the store. */
	return hash + (hash == 0);
}

/* Self-listed documents. */

/* The key need not be secret: a site that makes two sets with the same digest
 * only hides a change of its own. */
#define DIGEST_KEY 1

struct self_listed *
self_listed_new(void)
{
	struct self_listed *listed = mem_zero(sizeof(*listed));

	listed->users = 1;
	return listed;
}

bool
self_listed_add(struct self_listed *listed, struct slice url)
{
	assert(listed->sums == NULL);
	if (listed->urls.count == SELF_LISTED_MAX ||
	    url.len > SELF_LISTED_BYTES - listed->bytes)
		return false;
	string_set_add(&listed->urls, url);
	listed->bytes += url.len;
	return true;
}

void
self_listed_seal(struct self_listed *listed)
{
	size_t count = listed->urls.count;

	listed->sums = mem_zero((count + 1) * sizeof(*listed->sums));
	for (size_t i = 0; i < count; i++)
		listed->sums[i + 1] = listed->sums[i] +
		    hash_key(slice_of(listed->urls.items[i]), DIGEST_KEY);
}

struct self_listed *
self_listed_share(struct self_listed *listed)
{
	if (listed != NULL)
		listed->users++;
	return listed;
}

void
self_listed_release(struct self_listed *listed)
{
	if (listed == NULL || --listed->users > 0)
		return;
	string_set_release(&listed->urls);
	free(listed->sums);
	free(listed);
}

bool
self_listed_has(const struct self_listed *listed, struct slice url)
{
	return listed != NULL && string_set_has(&listed->urls, url);
}

uint64_t
self_listed_digest(const struct self_listed *listed, struct slice directory)
{
	size_t from, low, high;

	if (listed == NULL)
		return 0;
	assert(listed->sums != NULL);
	/* Items that begin with the directory stand side by side. */
	low = from = string_set_from(&listed->urls, directory);
	high = listed->urls.count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_starts(slice_of(listed->urls.items[mid]), directory))
			low = mid + 1;
		else
			high = mid;
	}
	return listed->sums[from] + listed->sums[listed->urls.count] -
	    listed->sums[low];
}
