/* What the store knows of one URL. */
#include "crawler/inspect/explain.h"

#include <stdlib.h>

#include "base/host.h"
#include "base/mem.h"
#include "base/target.h"
#include "crawler/cli/options_sites.h"
#include "store/site.h"

/* Chains: from robots.txt or the command line down to a document. */

/* A walk upwards; urls[0] and ids[0] are the document itself. */
struct ascent {
	struct store *store;
	struct explain_place *place;
	struct slice urls[EXPLAIN_STEPS];
	int64_t ids[EXPLAIN_STEPS];
	size_t depth; /* number of urls and ids that are set */
	bool has_root; /* robots.txt or an index names the last one */
};

/* Keep a complete chain. `origin` has the robots.txt that names the first
 * document of the chain; empty: no robots.txt does. */
static void
explain_finish(struct ascent *ascent, struct slice origin, uint32_t line)
{
	struct explain_place *place = ascent->place;
	struct explain_chain *chain;
	struct buf url = {0};

	if (place->chain_count == EXPLAIN_CHAINS) {
		place->more_chains++;
		return;
	}
	if (place->chains == NULL)
		place->chains = mem_zero(
		    EXPLAIN_CHAINS * sizeof(*place->chains));
	chain = &place->chains[place->chain_count++];
	if (origin.len > 0) {
		(void)buf_put_slice(&url, origin);
		(void)buf_put_slice(&url, slice_of("/robots.txt"));
		chain->steps[0].url = buf_take(&url);
		chain->steps[0].line = line;
	} else {
		chain->steps[0].has_root = reach_root_kind(ascent->store,
		    ascent->ids[ascent->depth - 1], &chain->steps[0].root);
	}
	chain->count = 1;
	for (size_t i = ascent->depth; i > 0; i--)
		chain->steps[chain->count++] = (struct explain_step){
		    .url = slice_dup(ascent->urls[i - 1]),
		    .reading_id = store_standing(
			ascent->store, ascent->ids[i - 1], &url)};
	buf_release(&url); /* the hosts, of which nobody asks */
}

/* A Sitemap line of a robots.txt is the top of a chain: nothing leads to a
 * robots.txt. */
static void
on_proof(void *arg, struct slice origin, uint32_t line)
{
	struct ascent *ascent = arg;

	ascent->has_root = true;
	explain_finish(ascent, origin, line);
}

static void climb(struct ascent *, int64_t document_id, struct slice url);

/* Indexes may list each other, so a document that is on the way up already is
 * passed over. */
static void
on_parent(void *arg, int64_t index_id, struct slice url)
{
	struct ascent *ascent = arg;

	/* one step is left for robots.txt */
	if (ascent->depth + 1 == EXPLAIN_STEPS)
		return;
	for (size_t i = 0; i < ascent->depth; i++)
		if (ascent->ids[i] == index_id)
			return;
	climb(ascent, index_id, url);
	ascent->has_root = true;
}

/* Go up from a document on all ways at once; the way at hand is a stack, which
 * is put back at the end. */
static void
climb(struct ascent *ascent, int64_t document_id, struct slice url)
{
	bool had_root = ascent->has_root;

	ascent->urls[ascent->depth] = url;
	ascent->ids[ascent->depth++] = document_id;
	ascent->has_root = false;
	store_each_proof(ascent->store, url, on_proof, ascent);
	store_each_parent(ascent->store, document_id, on_parent, ascent);
	if (!ascent->has_root)
		explain_finish(ascent, slice_make(NULL, 0), 0);
	ascent->has_root = had_root;
	ascent->depth--;
}

void
explain_chains(struct store *store, struct explain_place *place)
{
	struct ascent ascent = {.store = store, .place = place};

	climb(&ascent, place->document_id, slice_of(place->document));
}

void
explain_release_chains(struct explain_place *place)
{
	for (size_t i = 0; i < place->chain_count; i++)
		for (size_t k = 0; k < place->chains[i].count; k++)
			free(place->chains[i].steps[k].url);
	free(place->chains);
	place->chains = NULL;
	place->chain_count = 0;
}

/* Verdicts: by which rules a document may list a URL. */

struct judge {
	struct store *store;
	const struct site_rules *rules; /* today's rules */
	struct proof_document document;
	/* fingerprint of the rules under which the document was read */
	uint64_t fingerprint;
	const struct url *url;
	enum location_subject subject;
};

/* Judge by one profile. Returns true if the document was read under exactly
 * these rules (SPEC 15.1). */
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
	is_same = proof_scope(
	    judge->store, &judge->document, INDEX_MAX_DEPTH, &scope);
	if (is_same)
		*verdict = location_judge(&scope, judge->url, judge->subject);
	/* The same verdict by other rules is no proof: only the same rules
	 * are. */
	is_same = is_same &&
	    location_fingerprint(&scope, READER_VERSION) == judge->fingerprint;
	location_scope_release(&scope);
	return is_same;
}

static void
explain_judge(const struct options *options, struct store *store,
    struct explain_place *place, const struct document *document,
    const struct url *url)
{
	struct buf host = BUF_UP_TO(SIZE_MAX);
	struct site_rules rules;
	struct judge judge = {.store = store,
	    .document = {.id = document->id,
		.url = slice_of(document->url),
		.final_url = slice_of(place->final)},
	    .fingerprint = document->fingerprint,
	    .url = url,
	    .subject = place->is_index ? SUBJECT_CHILD : SUBJECT_PAGE};

	place->reading_id = store_standing(store, document->id, &host);
	rules = watch_site_rules(options, store, buf_text(&host));
	judge.rules = &rules;
	if (place->is_index)
		judge.document.listed = proof_self_listed(
		    store, document->site_id);
	/* Judge by today's rules. If the document was read under other rules,
	 * look for these among the three profiles. */
	const struct profile *profile = &judge.rules->profile;

	place->profile = profile_names[profile->name];
	place->is_known = judge_by(&judge, profile, &place->today);
	place->verdict = place->today;
	for (int i = PROFILE_STRICT; i <= PROFILE_LENIENT; i++) {
		struct profile set = profile_default((enum profile_name)i);
		struct location_verdict verdict;

		if (place->is_known)
			break;
		/* as options_profile() has it for who watches sites */
		if (i != PROFILE_STRICT)
			set.nested_index = NESTED_FOLLOW;
		place->is_known = judge_by(&judge, &set, &verdict);
		if (!place->is_known)
			continue;
		place->verdict = verdict;
		place->profile = profile_names[i];
	}
	self_listed_release(judge.document.listed);
	buf_release(&host);
}

/* Say which document robots.txt names as proof; `rule` is the rule for the case
 * that robots.txt names the place's document itself. */
static void
put_proof(struct buf *out, const struct explain_place *place,
    const struct url *url, const char *rule)
{
	bool is_waiver = place->verdict.code == DIAG_DIRECTORY_WAIVED;
	size_t own_len = url_origin(url).len;
	const struct explain_chain *chain = NULL;

	/* Find the first chain that begins with the robots.txt of the URL's own
	 * origin; it may be one of those that are not shown. */
	for (size_t i = place->chain_count; i-- > 0;) {
		const struct explain_step *step = &place->chains[i].steps[0];

		if (step->line > 0 &&
		    slice_starts(slice_of(step->url), url_origin(url)) &&
		    step->url[own_len] == '/')
			chain = &place->chains[i];
	}
	if (chain == NULL)
		(void)buf_print(out, "robots.txt names the %s itself (R-66)",
		    place->is_index ? "sitemap" : "document");
	else if (chain->count == 2 && !place->is_index)
		(void)buf_print(out, "robots.txt names the sitemap (%s)", rule);
	else
		(void)buf_print(out, "robots.txt names the index (%s)",
		    is_waiver ? "R-65" : "R-64");
}

/* Name the rule by which the URL was accepted, with the proof that the rule
 * asks for. */
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

void
explain_why(
    struct buf *out, const struct explain_place *place, const struct url *url)
{
	/* What was found is the reason of then; today's rules may have
	 * another. */
	enum diag_code code = place->sort == PLACE_REFUSED
	    ? place->found
	    : place->verdict.code;

	if (place->sort != PLACE_REFUSED && place->verdict.is_accepted) {
		why_accepted(out, place, url);
		return;
	}
	(void)buf_print(out, "%s (%s): %s", diag_name(code),
	    diag_info(code)->rule, diag_info(code)->trigger);
	if (code == DIAG_OUTSIDE_DIRECTORY)
		(void)buf_print(out, "; the directory is %s", place->directory);
}

#define AGENT "freshet" /* freshet's product token in robots.txt */

struct inquiry {
	const struct options *options;
	struct store *store;
	struct explanation *to;
};

static void
explain_fill(const struct inquiry *inquiry, struct explain_place *place,
    const struct document *document)
{
	const struct explanation *to = inquiry->to;
	struct slice directory = slice_of("/");
	struct url final = {0};

	*place = (struct explain_place){.document_id = document->id,
	    .document = mem_copy(document->url),
	    .final = mem_copy(document->final_url != NULL ? document->final_url
							  : document->url),
	    .is_index = document->kind == KIND_INDEX};
	if (url_parse_raw(&final, slice_of(place->final), NULL) == DIAG_OK)
		directory = slice_from(url_directory(&final), final.path_at);
	place->directory = slice_dup(directory);
	url_release(&final);
	if (to->unusable == DIAG_OK)
		explain_judge(inquiry->options, inquiry->store, place, document,
		    &to->url);
}

static void
release_place(struct explain_place *place)
{
	explain_release_chains(place);
	free(place->document);
	free(place->final);
	free(place->directory);
}

static void
explain_keep(const struct inquiry *inquiry, struct explain_place *place)
{
	struct explanation *to = inquiry->to;

	/* A URL in a thousand sitemaps has a thousand places, which nobody
	 * reads. */
	if (to->totals[place->sort]++ >= EXPLAIN_PLACES) {
		release_place(place);
		return;
	}
	explain_chains(inquiry->store, place);
	*MEM_PUSH(to->places, to->count, to->cap) = *place;
}

/* The entry itself says whether it was accepted; the verdicts by rules are
 * computed again, to name the rule. */
static void
explain_on_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct inquiry *inquiry = arg;
	struct explain_place place;
	struct document document;

	if (!store_document_get(inquiry->store, document_id, &document))
		return;
	explain_fill(inquiry, &place, &document);
	place.sort = entry->verdict == VERDICT_ACCEPTED ? PLACE_LISTED
							: PLACE_REFUSED;
	place.has_entry = true;
	place.entry = *entry;
	place.entry.url = slice_make(NULL, 0);
	place.found = verdict_codes[entry->verdict];
	if (place.sort == PLACE_REFUSED)
		place.since_s = store_refused_since(
		    inquiry->store, document_id, url_text(&inquiry->to->url));
	explain_keep(inquiry, &place);
	document_release(&document);
}

/* Documents that refused the URL for its form. The store has only samples of
 * such refusals. */

static bool
is_it(const struct inquiry *inquiry, const struct sample_row *row)
{
	const struct explanation *to = inquiry->to;
	struct slice wanted = url_text(&to->url);
	struct document document = {0};
	enum diag_code code;
	struct url base = {0};
	bool is_same;

	if (slice_equal(slice_trim(row->text), slice_of(to->asked)))
		return true;
	if (to->unusable != DIAG_OK)
		return false;
	is_same = raw_url_is(row->text, NULL, wanted, &code);
	if (code != DIAG_RELATIVE_URL)
		return is_same;
	is_same = store_document_get(
		      inquiry->store, row->document_id, &document) &&
	    url_parse_raw(&base, slice_of(document.url), NULL) == DIAG_OK &&
	    raw_url_is(row->text, &base, wanted, &code);
	document_release(&document);
	url_release(&base);
	return is_same;
}

/* A refused text is kept as the site wrote it, so that it has to be compared as
 * a URL. */
static void
on_sample(void *arg, const struct sample_row *row)
{
	const struct inquiry *inquiry = arg;
	enum diag_code code = diag_find(row->code);
	struct explain_place *listed;
	struct explain_place place;
	struct document document;

	/* an entry that some profile accepts is stored as an entry */
	if (code == DIAG_OK || diag_info(code)->loss != LOSS_ENTRY ||
	    !is_it(inquiry, row))
		return;
	/* If the document lists the URL, the sample may say in which line. */
	for (size_t i = 0; i < inquiry->to->count; i++) {
		listed = &inquiry->to->places[i];
		if (listed->document_id != row->document_id ||
		    !listed->has_entry)
			continue;
		if (listed->sort == PLACE_REFUSED && listed->found == code &&
		    listed->line == 0)
			listed->line = row->line;
		return;
	}
	if (!store_document_get(inquiry->store, row->document_id, &document))
		return;
	explain_fill(inquiry, &place, &document);
	place.sort = PLACE_REFUSED;
	place.found = code;
	place.line = row->line;
	explain_keep(inquiry, &place);
	document_release(&document);
}

/* Documents that could list the URL, if no document does. */

/* Most documents of a large store have nothing to do with the URL: those of its
 * host, of its registrable domain, or of sites with --own may. */
static bool
may_concern(const struct inquiry *inquiry, const struct document_row *row)
{
	struct slice mine = url_host(&inquiry->to->url);
	struct slice theirs;
	struct url url = {0};
	bool is_near = slice_equal(row->site, mine);

	if (is_near ||
	    options_site_rules(inquiry->options, row->site)->own->count > 0)
		return true;
	if (url_parse_raw(&url, slice_of(row->document.url), NULL) == DIAG_OK) {
		theirs = url_host(&url);
		is_near = slice_equal(theirs, mine) ||
		    (host_registrable(mine).len > 0 &&
			slice_equal(
			    host_registrable(theirs), host_registrable(mine)));
	}
	url_release(&url);
	return is_near;
}

static void
explain_on_finding(void *arg, const struct finding_row *row)
{
	struct explain_place *place = arg;

	if (slice_is(row->code, diag_name(place->today.code)))
		place->refused = row->count;
}

static bool
explain_on_document(void *arg, const struct document_row *row)
{
	const struct inquiry *inquiry = arg;
	struct explain_place place;

	if (row->document.kind == KIND_UNKNOWN ||
	    row->document.kind == KIND_ROBOTS)
		return true;
	if (!may_concern(inquiry, row) &&
	    (!row->document.lacks_refused || row->refused <= FINDING_SAMPLES))
		return true;
	explain_fill(inquiry, &place, &row->document);
	place.sort = place.today.is_accepted ? PLACE_ABLE : PLACE_UNABLE;
	/* a document that keeps all refused URLs would keep this one as an
	 * entry */
	if (place.sort == PLACE_UNABLE && row->document.lacks_refused)
		store_each_finding(inquiry->store, place.reading_id,
		    explain_on_finding, &place);
	/* each of so few refused entries has a sample, and no sample is this
	 * URL */
	if (place.refused <= FINDING_SAMPLES)
		place.refused = 0;
	if (place.refused > 0 || may_concern(inquiry, row))
		explain_keep(inquiry, &place);
	else
		release_place(&place);
	return true;
}

static bool
on_itself(void *arg, const struct document_row *row)
{
	struct explanation *to = arg;

	to->documents++;
	to->is_read = to->is_read ||
	    (row->reading_id != 0 &&
		(row->outcome == OUTCOME_READ ||
		    row->outcome == OUTCOME_UNCHANGED));
	return true;
}

/* How much is known of the robots.txt of a URL's origin? 0: it was never asked
 * for; 1: it could not be fetched; 2: it was read. */
static int
explain_robots_rank(struct store *store, const struct url *url)
{
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(ROBOTS_MAX_BYTES + 1);
	bool is_known;

	is_known = store_robots_get(store, url_origin(url), &fact, &body);
	buf_release(&body);
	return !is_known ? 0 : fact.failing_since_s != 0 ? 1 : 2;
}

enum diag_code
explain_parse(struct store *store, const char *text, struct url *url)
{
	struct target target;
	struct target plain;
	struct buf http = BUF_UP_TO(SIZE_MAX);
	enum diag_code code = target_parse(&target, slice_of(text));

	(void)buf_print(&http, "http://%s", text);
	if (code == DIAG_OK && target.has_no_scheme) {
		if (target_parse(&plain, buf_text(&http)) == DIAG_OK &&
		    explain_robots_rank(store, &plain.url) >
			explain_robots_rank(store, &target.url))
			url_copy(&target.url, &plain.url);
		url_release(&plain.url);
	}
	if (code == DIAG_OK)
		url_copy(url, &target.url);
	url_release(&target.url);
	buf_release(&http);
	return code;
}

void
explain_url(const struct options *options, struct store *store,
    const char *text, struct explanation *to)
{
	struct inquiry inquiry = {options, store, to};

	*to = (struct explanation){.asked = text};
	buf_init(&to->robots.body, ROBOTS_MAX_BYTES + 1);
	to->unusable = explain_parse(store, text, &to->url);
	if (to->unusable != DIAG_OK) {
		store_each_sample(store, on_sample, &inquiry);
		return;
	}
	to->has_site = store_site_find(store, url_host(&to->url)) != 0;
	store_each_document(
	    store, DOCUMENTS_AT, url_text(&to->url), on_itself, to);
	store_each_listing(
	    store, url_text(&to->url), explain_on_listing, &inquiry);
	store_each_sample(store, on_sample, &inquiry);
	/* Only if nothing knows the URL, all documents are asked whether they
	 * could list it: that is a walk over the whole store. */
	if (to->count == 0 && to->documents == 0) {
		to->is_gone = store_gone(
		    store, url_text(&to->url), url_host(&to->url), &to->gone);
		store_each_document(store, DOCUMENTS_OF_SITE,
		    slice_make(NULL, 0), explain_on_document, &inquiry);
	}
	struct slice host = url_host(&to->url);
	struct profile profile = watch_site_rules(options, store, host).profile;
	struct explain_robots *robots = &to->robots;
	struct robots_fact fact;

	robots->is_known = store_robots_get(
	    store, url_origin(&to->url), &fact, &robots->body);
	robots->status = fact.status;
	robots->has_rules = fact.has_body;
	robots->is_failing = robots->is_known && fact.failing_since_s != 0;
	robots->is_closed = robots->is_known &&
	    robots_is_closed(store, store_site_find(store, host), &profile,
		&fact, options->now_s);
	/* A site whose robots.txt fails for too long is treated as one without
	 * rules. */
	if (robots_is_old(&fact, &profile, options->now_s))
		robots->has_rules = false;
	if (!robots->is_known || !robots->has_rules)
		return;
	robots->robots = robots_parse(
	    fact.body, slice_of(AGENT), &profile, (struct diag_sink){0});
	robots->verdict = robots_verdict(robots->robots, url_target(&to->url));
}

void
explanation_release(struct explanation *to)
{
	for (size_t i = 0; i < to->count; i++)
		release_place(&to->places[i]);
	free(to->places);
	for (size_t i = 0; i < to->dues.count; i++) {
		struct explain_due *due = &to->dues.items[i];

		for (size_t k = 0; k < due->budget_count; k++)
			free(due->budgets[k].tag);
		free(due->budgets);
		free(due->last.location);
		free(due->last.failure);
	}
	free(to->dues.items);
	url_release(&to->url);
	buf_release(&to->robots.body);
	free(to->gone.document);
	robots_free(to->robots.robots);
}

bool
explanation_is_accepted(const struct explanation *to)
{
	return to->totals[PLACE_LISTED] > 0 || to->is_read;
}

bool
explanation_is_refused(const struct explanation *to)
{
	return !explanation_is_accepted(to) &&
	    (to->unusable != DIAG_OK || to->totals[PLACE_REFUSED] > 0 ||
		to->documents > 0);
}
