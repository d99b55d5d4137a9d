/* Cases of kind location: SPEC. */
#include "store/location.h"

#include "tests/conformance/cases.h"

static void
parse(struct url *url, const char *text, const struct profile *profile)
{
	(void)url_parse(
	    url, slice_of(text), NULL, profile, (struct diag_sink){0});
}

/* normal(text, url): normalise a URL of the case. */
static struct slice
normal(const char *text, struct url *url)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	parse(url, text, &profile);
	return url_text(url);
}

/*
 * add_proof(scope, proof, named): if the robots.txt names one of the URLs in
 * `named`, its origin is proven; named documents of its own origin are listed.
 */
static void
add_proof(struct location_scope *scope, const json_t *proof,
    const struct string_set *named)
{
	struct self_listed *listed = scope->listed;

	struct url robots = {0}, sitemap = {0};
	size_t i;
	json_t *item;

	(void)normal(case_text(proof, "robots"), &robots);
	json_array_foreach(json_object_get(proof, "sitemap"), i, item)
	{
		struct slice text = normal(json_string_value(item), &sitemap);

		if (string_set_has(named, text))
			string_set_add(
			    &scope->proof_origins, url_origin(&robots));
		if (slice_equal(url_origin(&robots), url_origin(&sitemap)))
			(void)self_listed_add(listed, text);
	}
	url_release(&robots);
	url_release(&sitemap);
}

/* fill(c, scope): set the document of the case, its proofs and its owners. */
static void
fill(const json_t *c, struct location_scope *scope)
{
	const char *final = case_text(c, "final_index_url");
	struct string_set named = {0};
	struct url parent = {0};
	size_t i;
	json_t *item;

	parse(&scope->requested, case_text(c, "index_url"), &scope->profile);
	parse(&scope->final, final == NULL ? case_text(c, "index_url") : final,
	    &scope->profile);
	scope->has_location = true;
	string_set_add(&named, url_text(&scope->requested));
	json_array_foreach(json_object_get(c, "parents"), i, item)
	{
		if (scope->profile.proof_inherit == SWITCH_ON)
			string_set_add(
			    &named, normal(json_string_value(item), &parent));
	}
	scope->listed = self_listed_new();
	json_array_foreach(json_object_get(c, "robots_proof"), i, item)
	    add_proof(scope, item, &named);
	self_listed_seal(scope->listed);
	json_array_foreach(json_object_get(c, "own"), i, item)(void)
	    location_own_parse(&scope->own, slice_of(json_string_value(item)));
	url_release(&parent);
	string_set_release(&named);
}

/* is_above(c, entry): is the entry an index above the document? The crawl knows
 * that, not the rules (tests/scenario). */
static bool
is_above(const json_t *c, const struct url *entry)
{
	struct url parent = {0};
	bool found = false;
	size_t i;
	json_t *item;

	json_array_foreach(json_object_get(c, "parents"), i, item)
	    found |= slice_equal(
		normal(json_string_value(item), &parent), url_text(entry));
	url_release(&parent);
	return found;
}

/* judge(c, scope): judge the entry: first its syntax, then its location. */
static struct location_verdict
judge(const json_t *c, const struct location_scope *scope)
{
	struct location_verdict verdict = {.code = DIAG_OK};
	bool is_child = slice_is(slice_of(case_text(c, "subject")), "child");
	struct url entry = {0};

	verdict.code = url_parse(&entry, slice_of(case_text(c, "child_url")),
	    &scope->final, &scope->profile, (struct diag_sink){0});
	if (verdict.code == DIAG_OK)
		verdict = location_judge(
		    scope, &entry, is_child ? SUBJECT_CHILD : SUBJECT_PAGE);
	if (verdict.is_accepted && is_child && is_above(c, &entry))
		verdict = (struct location_verdict){.code = DIAG_INDEX_LOOP};
	url_release(&entry);
	return verdict;
}

/* travels(): does the scope give the same verdict after its way through a
 * frame? */
static bool
travels(const json_t *c, const struct location_scope *scope,
    struct location_verdict verdict)
{
	struct location_scope copy;
	struct location_verdict again;
	struct buf frame;
	struct wire wire;
	bool is_same;

	buf_init(&frame, SIZE_MAX);
	location_scope_init(&copy, &scope->profile);
	location_scope_put(&frame, scope, false);
	wire = (struct wire){buf_text(&frame), true};
	is_same = location_scope_get(&wire, &copy) && wire.in.len == 0 &&
	    location_fingerprint(&copy, 1) == location_fingerprint(scope, 1);
	again = judge(c, &copy);
	location_scope_release(&copy);
	buf_release(&frame);
	return is_same && again.is_accepted == verdict.is_accepted &&
	    again.code == verdict.code;
}

bool
case_location(const json_t *c, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	struct profile profile = case_profile(c);
	const char *code = case_text(expect, "code");
	struct location_scope scope;
	struct location_verdict verdict;
	bool passed;

	location_scope_init(&scope, &profile);
	fill(c, &scope);
	verdict = judge(c, &scope);
	passed = case_same_text(why, "decision",
		     slice_of(case_text(expect, "decision")),
		     slice_of(verdict.is_accepted ? "accept" : "reject")) &&
	    case_same_text(why, "code", slice_of(code == NULL ? "ok" : code),
		slice_of(diag_name(verdict.code)));
	if (passed && !travels(c, &scope, verdict)) {
		passed = false;
		(void)buf_print(why, "not the same after a frame\n");
	}
	location_scope_release(&scope);
	return passed;
}
