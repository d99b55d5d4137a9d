/*
 * The driver: entries whose verdict has changed since the reading before.
 *
 * The store keeps only a fingerprint of the rules of that reading (SPEC 15.1).
 * So this module guesses which rule may have changed: a guess is right if its
 * rules have that fingerprint.
 */
#include "crawler/crawl/run_verdict.h"

#include <inttypes.h>

#include "crawler/crawl/run_tasks.h"
#include "crawler/parse/scope.h"
#include "store/segment/reading.h"
#include "store/store.h"

#define TEXT_MAX FINDING_TEXT_MAX

struct guess {
	const struct location_scope *now;
	uint64_t before; /* fingerprint of the reading before */
	struct location_scope scope; /* the scope that is guessed */
};

static bool
verdict_is_it(const struct guess *guess)
{
	return location_fingerprint(&guess->scope, READER_VERSION) ==
	    guess->before;
}

/* Guess: the robots.txt of that origin named the document before, and does not
 * name it any more. */
static bool
had_proof(struct guess *guess, struct slice origin)
{
	if (string_set_has(&guess->now->proof_origins, origin))
		return false;
	location_scope_copy(&guess->scope, guess->now);
	string_set_add(&guess->scope.proof_origins, origin);
	return verdict_is_it(guess);
}

/* Guess: the robots.txt of that origin did not name the document before, and
 * names it now; an empty origin: no robots.txt named it before. */
static bool
had_none_of(struct guess *guess, struct slice origin)
{
	const struct string_set *now = &guess->now->proof_origins;

	location_scope_copy(&guess->scope, guess->now);
	string_set_release(&guess->scope.proof_origins);
	for (size_t i = 0; i < now->count && origin.len > 0; i++)
		if (!slice_is(origin, now->items[i]))
			string_set_add(&guess->scope.proof_origins,
			    slice_of(now->items[i]));
	return verdict_is_it(guess);
}

/* The same host under the other scheme, with default ports. */
static struct slice
twin(struct slice origin, struct buf *out)
{
	bool is_https = slice_starts(origin, slice_of("https:"));

	buf_clear(out);
	(void)buf_print(out, "http%s", is_https ? "" : "s");
	(void)buf_put_slice(out, slice_from(origin, is_https ? 5 : 4));
	return buf_text(out);
}

/* Find the origin whose Sitemap line has gone: the origin of the document, or
 * that of a page that is refused. */
static bool
lost_proof(struct guess *guess, const struct content *content, struct buf *out)
{
	const struct url *urls[] = {&guess->now->requested, &guess->now->final};
	enum diag_code code = verdict_code(merge_refused_by(&content->merge));
	const struct finding *finding = code == DIAG_OK
	    ? NULL
	    : findings_get(&content->findings, code);
	struct profile profile = guess->now->profile;
	struct url url;
	bool is_found = false;

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct slice origin = url_origin(urls[i]);

		buf_clear(out);
		(void)buf_put_slice(out, origin);
		if (had_proof(guess, origin) ||
		    had_proof(guess, twin(origin, out)))
			return true;
	}
	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	for (unsigned i = 0;
	     finding != NULL && !is_found && i < finding->sample_count; i++) {
		if (url_parse(&url, slice_of(finding->samples[i].text), NULL,
			&profile, (struct diag_sink){0}) != DIAG_OK)
			continue;
		buf_clear(out);
		(void)buf_put_slice(out, url_origin(&url));
		is_found = had_proof(guess, buf_text(out));
	}
	url_release(&url);
	return is_found;
}

static bool
new_proof(struct guess *guess, struct buf *out)
{
	const struct string_set *now = &guess->now->proof_origins;

	buf_clear(out);
	if (now->count == 0)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (had_none_of(guess, slice_of(now->items[i]))) {
			(void)buf_put_slice(out, slice_of(now->items[i]));
			return true;
		}
	(void)buf_put_slice(out, slice_of(now->items[0]));
	return had_none_of(guess, slice_make(NULL, 0));
}

/* The profile of the reading before; NULL: none of the three. */
static const char *
other_profile(struct guess *guess)
{
	static const char *const names[] = {"strict", "google", "lenient"};

	for (int i = PROFILE_STRICT; i <= PROFILE_LENIENT; i++) {
		struct location_scope *scope = &guess->scope;

		location_scope_copy(scope, guess->now);
		scope->profile = profile_default((enum profile_name)i);
		if (scope->profile.robots_proof != SWITCH_ON)
			string_set_release(&scope->proof_origins);
		if (scope->profile.ownership != SWITCH_ON)
			string_set_release(&scope->own);
		if (verdict_is_it(guess))
			return names[i];
	}
	return NULL;
}

static bool
had_no_own(struct guess *guess)
{
	location_scope_copy(&guess->scope, guess->now);
	string_set_release(&guess->scope.own);
	return guess->now->own.count > 0 && verdict_is_it(guess);
}

/* Append what changed in the rules, if a guess is right. */
static void
put_cause(struct buf *out, const struct location_scope *now,
    const struct document *document, const struct content *content)
{
	struct guess guess = {.now = now, .before = document->fingerprint};
	const char *profile;
	struct buf origin;

	if (document->final_url == NULL)
		return;
	if (!slice_is(url_text(&now->final), document->final_url)) {
		(void)buf_print(out, "; it comes from another URL now");
		return;
	}
	location_scope_init(&guess.scope, &now->profile);
	buf_init(&origin, URL_MAX_BYTES);
	if (lost_proof(&guess, content, &origin))
		(void)buf_print(out,
		    "; no Sitemap line of %s/robots.txt leads to it any more",
		    buf_str(&origin));
	else if (new_proof(&guess, &origin))
		(void)buf_print(out,
		    "; a Sitemap line of %s/robots.txt leads to it now",
		    buf_str(&origin));
	else {
		profile = other_profile(&guess);
		if (profile != NULL)
			(void)buf_print(out,
			    "; it was read with profile %s before", profile);
		else if (had_no_own(&guess))
			(void)buf_print(out, "; what --own says is new");
	}
	buf_release(&origin);
	location_scope_release(&guess.scope);
}

void
verdict_note(
    struct store *store, const struct task *task, const struct content *content)
{
	struct document document;
	struct buf text;

	/* If a document is read again because a proof came late, its verdicts
	 * are expected to change (SPEC 15.4). */
	if (task->rereads > 0 ||
	    content->merge.changes[DELTA_REFUSED] +
		    content->merge.changes[DELTA_ACCEPTED] ==
		0 ||
	    !store_document_get(store, task->document_id, &document))
		return;
	buf_init(&text, TEXT_MAX);
	const char *what = content->kind == KIND_INDEX ? "sitemap" : "URL";
	enum diag_code code = verdict_code(merge_refused_by(&content->merge));
	uint64_t refused = content->merge.changes[DELTA_REFUSED];
	uint64_t accepted = content->merge.changes[DELTA_ACCEPTED];

	/* Name the rule that refuses most entries now. */
	if (refused > 0)
		(void)buf_print(&text, "%" PRIu64 " %s%s now refused (%s, %s)",
		    refused, what, refused == 1 ? "" : "s", diag_name(code),
		    diag_info(code)->rule);
	if (accepted > 0)
		(void)buf_print(&text, "%s%" PRIu64 " %s%s now accepted",
		    refused > 0 ? ", " : "", accepted, what,
		    accepted == 1 ? "" : "s");
	put_cause(&text, &task->attempt->location, &document, content);
	findings_add(
	    &task->attempt->findings, DIAG_VERDICT_CHANGED, 0, buf_text(&text));
	buf_release(&text);
	document_release(&document);
}
