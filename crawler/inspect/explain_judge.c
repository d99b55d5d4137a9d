/* Explain: by which rules a document may list a URL, in words. */
#include "crawler/cli/options_sites.h"
#include "crawler/cli/watch_rules.h"
#include "crawler/inspect/explain.h"
#include "crawler/parse/scope.h"
#include "store/lookup.h"
#include "store/vouch.h"

struct judge {
	struct store *store;
	const struct site_rules *rules; /* of today */
	struct vouch_document document;
	uint64_t fingerprint; /* of the rules that it was read under */
	const struct url *url;
	enum location_subject subject;
};

/* judge_by(judge, profile, verdict): true when the document was read under
 * just these rules (SPEC 15.1). */
static bool
judge_by(const struct judge *judge, const struct profile *profile,
    struct location_verdict *verdict)
{
	const struct string_set *own = judge->rules->own;
	struct location_scope scope;
	bool is_same;

	location_scope_init(&scope, profile);
	if (profile->ownership == SWITCH_ON)
		for (size_t i = 0; i < own->count; i++)
			string_set_add(&scope.own, slice_of(own->items[i]));
	*verdict = (struct location_verdict){.code = DIAG_INVALID_URL};
	is_same = vouch_scope(
	    judge->store, &judge->document, INDEX_MAX_DEPTH, &scope);
	if (is_same)
		*verdict = location_judge(&scope, judge->url, judge->subject);
	is_same = is_same &&
	    location_fingerprint(&scope, READER_VERSION) == judge->fingerprint;
	location_scope_release(&scope);
	return is_same;
}

static const char *
name_of(int profile)
{
	static const char *const names[] = {"strict", "google", "lenient"};

	return names[profile];
}

/* judge_all(judge, place): today's rules first, then the three sets. */
static void
judge_all(const struct judge *judge, struct explain_place *place)
{
	const struct profile *profile = &judge->rules->profile;

	place->profile = name_of(profile->name);
	place->is_known = judge_by(judge, profile, &place->today);
	place->verdict = place->today;
	for (int i = PROFILE_STRICT; i <= PROFILE_LENIENT; i++) {
		struct profile set = profile_default((enum profile_name)i);
		struct location_verdict verdict;

		if (place->is_known)
			break;
		place->is_known = judge_by(judge, &set, &verdict);
		if (!place->is_known)
			continue;
		place->verdict = verdict;
		place->profile = name_of(i);
	}
}

void
explain_judge(const struct options *options, struct store *store,
    struct explain_place *place, const struct document *document,
    const struct url *url)
{
	struct buf host;
	struct site_rules rules;
	struct judge judge = {.store = store,
	    .document = {.id = document->id,
		.url = slice_of(document->url),
		.final_url = slice_of(place->final)},
	    .fingerprint = document->fingerprint,
	    .url = url,
	    .subject = place->is_index ? SUBJECT_CHILD : SUBJECT_PAGE};

	buf_init(&host, SIZE_MAX);
	place->reading_id = store_standing(store, document->id, &host);
	rules = *options_site_rules(options, buf_text(&host));
	(void)watch_profile(options, store, buf_text(&host), &rules.profile);
	judge.rules = &rules;
	if (place->is_index)
		judge.document.listed = vouch_listed(store, document->site_id);
	judge_all(&judge, place);
	self_listed_release(judge.document.listed);
	buf_release(&host);
}

/* In words. */

/* namer(place, url): the chain that begins with the robots.txt of the URL's
 * own origin; NULL: there is none, or it is not shown. */
static const struct explain_chain *
namer(const struct explain_place *place, const struct url *url)
{
	for (size_t i = 0; i < place->chain_count; i++) {
		const struct explain_chain *chain = &place->chains[i];

		if (chain->steps[0].line > 0 &&
		    slice_starts(
			slice_of(chain->steps[0].url), url_origin(url)) &&
		    chain->steps[0].url[url_origin(url).len] == '/')
			return chain;
	}
	return NULL;
}

/* put_proof(out, place, url, rule): which line proves what; rule is that of a
 * document that is named itself. */
static void
put_proof(struct buf *out, const struct explain_place *place,
    const struct url *url, const char *rule)
{
	const struct explain_chain *chain = namer(place, url);
	bool is_waiver = place->verdict.code == DIAG_DIRECTORY_WAIVED;

	if (chain == NULL)
		(void)buf_print(out, "robots.txt names the %s itself (R-66)",
		    place->is_index ? "sitemap" : "document");
	else if (chain->count == 2 && !place->is_index)
		(void)buf_print(out, "robots.txt names the sitemap (%s)", rule);
	else
		(void)buf_print(out, "robots.txt names the index (%s)",
		    is_waiver ? "R-65" : "R-64");
}

static void
why_accepted(
    struct buf *out, const struct explain_place *place, const struct url *url)
{
	switch ((int)place->verdict.code) {
	case DIAG_OK:
		(void)buf_print(out, "same origin, in the directory %s %s",
		    place->directory,
		    place->is_index ? "(R-59, R-60)" : "(R-55, R-58)");
		break;
	case DIAG_DIRECTORY_WAIVED:
		(void)buf_print(out,
		    "same origin; directory %s waived, because ",
		    place->directory);
		put_proof(out, place, url, "R-65");
		break;
	case DIAG_ACCEPTED_BY_ROBOTS_PROOF:
		(void)buf_print(out, "another origin, whose ");
		put_proof(out, place, url, "R-63");
		break;
	case DIAG_ACCEPTED_BY_OWNERSHIP:
		(void)buf_print(out,
		    "the document and the URL are of one owner, as --own says "
		    "(R-67)");
		break;
	case DIAG_CROSS_HOST_ACCEPTED:
		(void)buf_print(out,
		    "another origin, which the profile takes for the same "
		    "site (R-59)");
		break;
	default:
		(void)buf_print(out, "%s: %s (%s)",
		    diag_name(place->verdict.code),
		    diag_info(place->verdict.code)->trigger,
		    diag_info(place->verdict.code)->rule);
	}
}

/* why_not(out, code, place): a refusal. */
static void
why_not(struct buf *out, enum diag_code code, const struct explain_place *place)
{
	const struct diag_info *info = diag_info(code);

	(void)buf_print(
	    out, "%s (%s): %s", diag_name(code), info->rule, info->trigger);
	if (code == DIAG_OUTSIDE_DIRECTORY)
		(void)buf_print(out, "; the directory is %s", place->directory);
}

void
explain_why(
    struct buf *out, const struct explain_place *place, const struct url *url)
{
	if (place->sort == PLACE_REFUSED)
		why_not(out, place->found, place);
	else if (place->verdict.is_accepted)
		why_accepted(out, place, url);
	else
		why_not(out, place->verdict.code, place);
}
