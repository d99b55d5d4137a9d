/* Explain: what the store knows about one URL. */
#include "crawler/inspect/explain.h"

#include <assert.h>
#include <stdlib.h>

#include "base/host.h"
#include "base/mem.h"
#include "base/target.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/selection.h"
#include "store/lookup.h"
#include "store/raw_url.h"

#define AGENT "freshet" /* our product token in robots.txt */

/* One URL at work. */
struct inquiry {
	const struct options *options;
	struct store *store;
	struct explanation *to;
};

/* fill(inquiry, place, document): what it is and by which rules it judges. */
static void
fill(const struct inquiry *inquiry, struct explain_place *place,
    const struct document *document)
{
	const struct explanation *to = inquiry->to;
	struct slice directory = slice_of("/");
	struct url final;

	*place = (struct explain_place){.document_id = document->id,
	    .document = mem_copy(document->url),
	    .final = mem_copy(document->final_url != NULL ? document->final_url
							  : document->url),
	    .is_index = document->kind == KIND_INDEX};
	url_init(&final);
	if (raw_url_parse(&final, slice_of(place->final), NULL) == DIAG_OK)
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

/* keep(inquiry, place): with its chains, unless there are enough of its
 * sort. */
static void
keep(const struct inquiry *inquiry, struct explain_place *place)
{
	struct explanation *to = inquiry->to;

	if (to->totals[place->sort]++ >= EXPLAIN_PLACES) {
		release_place(place);
		return;
	}
	explain_chains(inquiry->store, place);
	to->places = mem_grow(
	    to->places, &to->cap, to->count + 1, sizeof(*to->places));
	to->places[to->count++] = *place;
}

/* Who lists it. */

static void
on_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	const struct inquiry *inquiry = arg;
	struct explain_place place;
	struct document document;

	if (!store_document_get(inquiry->store, document_id, &document))
		return;
	fill(inquiry, &place, &document);
	place.sort = entry->verdict == VERDICT_ACCEPTED ? PLACE_LISTED
							: PLACE_REFUSED;
	place.has_entry = true;
	place.entry = *entry;
	place.entry.url = slice_make(NULL, 0);
	place.found = verdict_code((enum verdict)entry->verdict);
	if (place.sort == PLACE_REFUSED)
		place.since_s = store_refused_since(
		    inquiry->store, document_id, url_text(&inquiry->to->url));
	keep(inquiry, &place);
	document_release(&document);
}

/* Who refused it for what it is: of that only samples are kept. */

/* listed_by(to, document_id): its place as one that the document lists; NULL:
 * it does not. */
static struct explain_place *
listed_by(const struct explanation *to, int64_t document_id)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->places[i].document_id == document_id &&
		    to->places[i].has_entry)
			return &to->places[i];
	return NULL;
}

/* is_it(inquiry, row): does the raw text of an entry mean the URL that is
 * asked for? */
static bool
is_it(const struct inquiry *inquiry, const struct sample_row *row)
{
	const struct explanation *to = inquiry->to;
	struct slice wanted = url_text(&to->url);
	struct document document = {0};
	enum diag_code code;
	struct url base;
	bool is_same;

	if (slice_equal(slice_trim(row->text), slice_of(to->asked)))
		return true;
	if (to->unusable != DIAG_OK)
		return false;
	is_same = raw_url_is(row->text, NULL, wanted, &code);
	if (code != DIAG_RELATIVE_URL)
		return is_same;
	url_init(&base);
	is_same = store_document_get(
		      inquiry->store, row->document_id, &document) &&
	    raw_url_parse(&base, slice_of(document.url), NULL) == DIAG_OK &&
	    raw_url_is(row->text, &base, wanted, &code);
	document_release(&document);
	url_release(&base);
	return is_same;
}

static void
on_sample(void *arg, const struct sample_row *row)
{
	const struct inquiry *inquiry = arg;
	enum diag_code code = diag_find(row->code);
	struct explain_place *listed;
	struct explain_place place;
	struct document document;

	/* a code that lets the entry pass in some profile has it listed */
	if (code == DIAG_OK || diag_info(code)->loss != LOSS_ENTRY ||
	    !is_it(inquiry, row))
		return;
	listed = listed_by(inquiry->to, row->document_id);
	if (listed != NULL) {
		if (listed->sort == PLACE_REFUSED && listed->found == code &&
		    listed->line == 0)
			listed->line = row->line;
		return;
	}
	if (!store_document_get(inquiry->store, row->document_id, &document))
		return;
	fill(inquiry, &place, &document);
	place.sort = PLACE_REFUSED;
	place.found = code;
	place.line = row->line;
	keep(inquiry, &place);
	document_release(&document);
}

/* Who could list it, when nobody does. */

static bool
may_concern(const struct inquiry *inquiry, const struct document_row *row)
{
	struct slice mine = url_host(&inquiry->to->url);
	struct slice theirs;
	struct url url;
	bool is_near = slice_equal(row->site, mine);

	if (is_near ||
	    options_site_rules(inquiry->options, row->site)->own->count > 0)
		return true;
	url_init(&url);
	if (raw_url_parse(&url, slice_of(row->document.url), NULL) == DIAG_OK) {
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
on_finding(void *arg, const struct finding_row *row)
{
	struct explain_place *place = arg;

	if (slice_is(row->code, diag_name(place->today.code)))
		place->refused = row->count;
}

static bool
on_document(void *arg, const struct document_row *row)
{
	const struct inquiry *inquiry = arg;
	struct explain_place place;

	if (row->document.kind == KIND_UNKNOWN ||
	    row->document.kind == KIND_ROBOTS)
		return true;
	if (!may_concern(inquiry, row) &&
	    (!row->document.lacks_refused || row->refused <= FINDING_SAMPLES))
		return true;
	fill(inquiry, &place, &row->document);
	place.sort = place.today.is_accepted ? PLACE_ABLE : PLACE_UNABLE;
	/* else, had it refused this one, it would be there */
	if (place.sort == PLACE_UNABLE && row->document.lacks_refused)
		store_each_finding(
		    inquiry->store, place.reading_id, on_finding, &place);
	/* of so few each has its sample: this is none of them */
	if (place.refused <= FINDING_SAMPLES)
		place.refused = 0;
	if (place.refused > 0 || may_concern(inquiry, row))
		keep(inquiry, &place);
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

/* robots.txt of its origin, as it was last read. */
static void
read_robots(struct store *store, struct explanation *to)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct explain_robots *robots = &to->robots;
	struct robots_fact fact;

	robots->is_known = store_robots_get(
	    store, url_origin(&to->url), &fact, &robots->body);
	robots->status = fact.status;
	robots->has_rules = fact.has_body;
	robots->is_failing = robots->is_known && fact.failing_since_s != 0;
	if (!robots->is_known || !robots->has_rules)
		return;
	robots->robots = robots_parse(
	    fact.body, slice_of(AGENT), &profile, (struct diag_sink){0});
	robots->verdict = robots_verdict(robots->robots, url_target(&to->url));
}

/* standing(store, url): of its origin: 0: never asked, 1: it could not be had,
 * 2: it could. */
static int
standing(struct store *store, const struct url *url)
{
	struct robots_fact fact;
	struct buf body;
	bool is_known;

	buf_init(&body, ROBOTS_MAX_BYTES + 1);
	is_known = store_robots_get(store, url_origin(url), &fact, &body);
	buf_release(&body);
	return !is_known ? 0 : fact.failing_since_s != 0 ? 1 : 2;
}

/* parse(store, text, url): without a scheme: http where https cannot be had,
 * as it is read. */
static enum diag_code
parse(struct store *store, const char *text, struct url *url)
{
	struct target target;
	struct target plain;
	struct buf http;
	enum diag_code code = target_parse(&target, slice_of(text));

	buf_init(&http, SIZE_MAX);
	(void)buf_print(&http, "http://%s", text);
	if (code == DIAG_OK && target.has_no_scheme) {
		if (target_parse(&plain, buf_text(&http)) == DIAG_OK &&
		    standing(store, &plain.url) > standing(store, &target.url))
			url_copy(&target.url, &plain.url);
		target_release(&plain);
	}
	if (code == DIAG_OK)
		url_copy(url, &target.url);
	target_release(&target);
	buf_release(&http);
	return code;
}

void
explain_sites(struct store *store, const char *text, struct frontier_only *only)
{
	struct url url;

	url_init(&url);
	if (parse(store, text, &url) == DIAG_OK)
		frontier_only_url(only, store, url_text(&url));
	url_release(&url);
}

void
explain_url(const struct options *options, struct store *store,
    const char *text, struct explanation *to)
{
	struct inquiry inquiry = {options, store, to};

	*to = (struct explanation){.asked = text};
	url_init(&to->url);
	buf_init(&to->robots.body, ROBOTS_MAX_BYTES + 1);
	to->unusable = parse(store, text, &to->url);
	if (to->unusable != DIAG_OK) {
		store_each_sample(store, on_sample, &inquiry);
		return;
	}
	to->has_site = store_has_site(store, url_host(&to->url));
	store_each_document_at(store, url_text(&to->url), on_itself, to);
	store_each_listing(store, url_text(&to->url), on_listing, &inquiry);
	store_each_sample(store, on_sample, &inquiry);
	if (to->count == 0 && to->documents == 0) {
		to->is_gone = store_gone(
		    store, url_text(&to->url), url_host(&to->url), &to->gone);
		store_each_document(
		    store, slice_make(NULL, 0), on_document, &inquiry);
	}
	read_robots(store, to);
}

void
explanation_release(struct explanation *to)
{
	for (size_t i = 0; i < to->count; i++)
		release_place(&to->places[i]);
	free(to->places);
	explain_due_release(&to->dues);
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
