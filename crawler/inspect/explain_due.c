/* When a URL is due: ask the frontier, and say it in words. */
#include "crawler/inspect/explain_due.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/page_filter.h"
#include "base/vis.h"
#include "base/zone.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/inspect/explain.h"
#include "crawler/inspect/ls_documents.h"
#include "store/changes.h"
#include "store/document.h"
#include "store/feed.h"
#include "store/page.h"

void
explain_label(struct out *out, enum severity severity, const char *name)
{
	out_severity(out, severity);
	(void)buf_print(&out->text, "%-*s", (int)strlen(EXPLAIN_INDENT), name);
	out_severity(out, SEVERITY_NONE);
}

/* What the last fetch of a page brought, or the last reading of a document. */

#define LOCATION_SHOWN 2048

/* Only of these outcomes is it worth to say since when they last. */
static bool
due_is_lasting(enum page_outcome kind)
{
	return kind == PAGE_FAILED || kind == PAGE_GONE || kind == PAGE_MOVED;
}

/* Did the host answer, though not with the page? The frontier does not count
 * that as a failure, unless the answer asks freshet to wait. */
static bool
is_answer(enum page_outcome kind, int status)
{
	return kind == PAGE_FAILED && status >= 300 && status < 500 &&
	    status != 408 && status != 429;
}

/* The newest outcome comes first. The walk ends where another kind of outcome
 * ended the row, unless no fetch has told yet whether the page had changed. */
static bool
on_outcome(void *arg, const struct outcome_row *row)
{
	struct explain_last *last = arg;
	bool is_same = !last->is_known ||
	    (row->kind == last->kind &&
		is_answer(row->kind, row->status) ==
		    is_answer(last->kind, last->status));

	last->is_compared |= row->kind == PAGE_CHANGED ||
	    row->kind == PAGE_SAME || row->kind == PAGE_NOT_MODIFIED;
	if (!last->is_known) {
		last->is_known = true;
		last->at_s = row->at_s;
		last->kind = row->kind;
		last->status = row->status;
		last->has_hash = row->has_hash;
		if (row->location.len > 0)
			last->location = slice_dup(row->location);
	}
	last->is_over |= !is_same ||
	    (last->times > 0 && !due_is_lasting(row->kind));
	if (!last->is_over) {
		last->times++;
		last->since_s = row->at_s;
	}
	return !last->is_over || !last->is_compared;
}

static void
put_lasting(const struct explain_last *last, struct buf *out)
{
	if (last->times > 1)
		(void)buf_print(out, ", %" PRIu64 " times in a row since %s",
		    last->times, zone_text(last->since_s, ZONE_FULL).text);
	if (last->location == NULL)
		return;
	(void)buf_print(out, ", to ");
	vis_put(out, slice_of(last->location), LOCATION_SHOWN);
}

static void
explain_last_text(const struct explain_last *last, struct buf *out)
{
	static const char *const words[PAGE_OUTCOMES] = {
	    [PAGE_CHANGED] = "it had changed",
	    [PAGE_SAME] = "it was as before",
	    [PAGE_NOT_MODIFIED] = "it was as before",
	    [PAGE_FETCHED] = "whether it had changed was not said",
	    [PAGE_MOVED] = "it has moved",
	    [PAGE_GONE] = "it is gone",
	    [PAGE_FAILED] = "it failed"};

	/* A document that did not fail needs no sentence. */
	if (!last->is_known ||
	    (last->is_document && last->outcome != OUTCOME_FAILED &&
		last->outcome != OUTCOME_REFUSED))
		return;
	(void)buf_print(
	    out, "last tried %s: ", zone_text(last->at_s, ZONE_FULL).text);
	if (last->is_document) {
		(void)buf_print(out, "%s",
		    last->failure != NULL ? last->failure : "it failed");
		if (last->status != 0)
			(void)buf_print(out, ", status %d", last->status);
		put_lasting(last, out);
		return;
	}
	if (last->status == 0)
		(void)buf_print(out, "no answer");
	else
		(void)buf_print(out, "status %d", last->status);
	if (last->kind == PAGE_FETCHED && last->has_hash)
		(void)buf_print(out, ", and no text before to compare it with");
	else if (is_answer(last->kind, last->status))
		(void)buf_print(out, ", an answer without the page");
	else if (last->kind == PAGE_FAILED && last->status / 100 == 2)
		(void)buf_print(out,
		    ", but its answer refuses a purpose of its site, is a "
		    "wall, or cannot be read");
	else
		(void)buf_print(out, ", %s", words[last->kind]);
	if (due_is_lasting(last->kind))
		put_lasting(last, out);
	if (last->is_noindex)
		(void)buf_print(out, "; it says noindex");
}

/* What limits how often a page or a document is asked for. */

#define TAG_SHOWN 64

static void
put_bounds(struct buf *text, const struct frontier_terms *it, bool is_page)
{
	/* Without bounds there is nothing to keep. */
	if (it->least_s <= 0 && it->most_s <= 0)
		return;
	(void)buf_print(text, "; %s every ", is_page ? "fetched" : "read");
	watch_put_bounds(text, it->least_s, it->most_s);
	(void)buf_print(text, " (%s)", is_page ? "pages-every" : "every");
	if (frontier_round_is_late(&it->round)) {
		(void)buf_print(text, ", which cannot be kept: ");
		frontier_round_text(text, &it->round, is_page);
	}
	if (it->readings_per_day > 0)
		(void)buf_print(text,
		    "; all documents of its site and robots.txt together "
		    "%.4g times a day at most, or five times for each change",
		    it->readings_per_day);
	/* the limit does not apply to first fetches */
	if (it->pages_per_day > 0 && it->is_page && isfinite(it->terms.days))
		(void)buf_print(text,
		    "; a site gets a request a day for each of its pages, "
		    "%.4g at most, and five more for each page that changed",
		    it->pages_per_day);
}

static void
explain_time(struct buf *text, const char *before, int64_t at_s)
{
	(void)buf_print(text, "%s", before);
	zone_print(text, at_s, ZONE_FULL);
}

static void
explain_limits_text(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;
	if (it->delay_ms > 0)
		(void)buf_print(text, "; its host is asked every %.4g s",
		    (double)it->delay_ms / 1000);
	else
		(void)buf_print(text, "; its host wants no delay");
	/* a host that is held has a sentence of its own */
	if (it->host_ready_s > 0 && it->host_why != HOST_HELD)
		explain_time(text, ", not before ", it->host_ready_s);
	/* Pages that fetchers have are what the next one of the host waits
	 * for. */
	if (it->host_leases > 0)
		(void)buf_print(text, ", %s of it out",
		    human_of(it->host_leases, "page").text);
	/* The budgets; the scarcest one makes the price. */
	for (size_t i = 0; i < due->budget_count; i++) {
		const struct explain_budget *budget = &due->budgets[i];

		(void)buf_print(text, "%s%.10g/h of %s",
		    i > 0                       ? ", "
			: due->budget_count > 1 ? "; budgets "
						: "; budget ",
		    budget->per_hour,
		    budget->tag != NULL ? "tag "
			: strcmp(budget->of, "total") == 0
			? "all (total-budget)"
			: "its site");
		if (budget->tag != NULL)
			vis_put(text, slice_of(budget->tag), TAG_SHOWN);
	}
	put_bounds(text, &due->terms, due->document_id == 0);
}

static const char *
explain_source(const struct page_filter_rule *rule)
{
	return rule->is_weak ? "the configuration" : "the watch list";
}

void
explain_limits_json(struct buf *text, const struct explain_due *due)
{
	static const char *const whys[] = {[HOST_DELAY] = "delay",
	    [HOST_TURN] = "turn",
	    [HOST_LENT] = "fetcher",
	    [HOST_BUSY] = "busy",
	    [HOST_HELD] = "held"};
	const struct frontier_terms *it = &due->terms;

	out_json_real(text, "delay_ms", (double)it->delay_ms);
	out_json_flag(text, "budgeted", it->is_budgeted);
	out_json_begin(text, "budgets", '[');
	for (size_t i = 0; i < due->budget_count; i++) {
		const struct explain_budget *budget = &due->budgets[i];

		out_json_begin(text, NULL, '{');
		out_json_string(text, "of", budget->of);
		out_json_string(text, "tag", budget->tag);
		out_json_real(text, "requests_per_hour", budget->per_hour);
		out_json_end(text, '}');
	}
	out_json_end(text, ']');
	out_json_real(text, "least_s", (double)it->least_s);
	out_json_real(text, "most_s", (double)it->most_s);
	out_json_real(
	    text, "round_s", (double)it->round.requests * it->round.each_s);
	out_json_flag(text, "most_kept", !frontier_round_is_late(&it->round));
	out_json_real(text, "host_leases", it->host_leases);
	out_json_time(text, "host_ready", it->host_ready_s);
	out_json_string(text, "host_why", whys[it->host_why]);
	if (it->refused_by == NULL) {
		out_json_string(text, "left_out_by", NULL);
	} else {
		out_json_begin(text, "left_out_by", '{');
		out_json_string(
		    text, "key", page_filter_keys[it->refused_by->key]);
		out_json_string(text, "value", it->refused_by->value);
		out_json_string(text, "source", explain_source(it->refused_by));
		out_json_end(text, '}');
	}
}

static void
explain_limits_budget(
    void *arg, const char *of, struct slice tag, double per_hour)
{
	struct explain_due *due = arg;

	*MEM_PUSH(due->budgets, due->budget_count,
	    due->budget_cap) = (struct explain_budget){.of = of,
	    .tag = tag.len > 0 ? slice_dup(tag) : NULL,
	    .per_hour = per_hour};
}

/* At most this many readings are searched for the page's date at its last
 * fetch. */
#define MOST_READINGS 100

struct due_asking {
	struct frontier *frontier;
	struct explain_dues *to;
};

static void
due_add(struct due_asking *asking, struct explain_due *due)
{
	struct explain_dues *to = asking->to;

	frontier_each_budget(
	    asking->frontier, due->terms.site_id, explain_limits_budget, due);
	*MEM_PUSH(to->items, to->count, to->cap) = *due;
}

/* Several documents may have the URL: one for each site whose indexes list it.
 */
static bool
due_on_document(void *arg, const struct document_row *row)
{
	struct due_asking *asking = arg;
	struct explain_due due = {.document_id = row->document.id,
	    .is_robots = selection_is_robots(row),
	    .has_dates = row->dated > 0};

	if (frontier_document_terms(asking->frontier, due.document_id,
		asking->to->now_s, &due.terms)) {
		struct explain_last *last = &due.last;
		*last = (struct explain_last){.is_document = true,
		    .is_known = row->reading_id != 0,
		    .at_s = row->at_s,
		    .outcome = row->outcome,
		    .status = row->status,
		    .times = row->document.failures,
		    .since_s = row->document.failing_since_s};
		if (row->failure.len > 0)
			last->failure = slice_dup(row->failure);

		due_add(asking, &due);
	}
	return true;
}

struct finding_date {
	struct store *store;
	struct slice url;
	struct explain_due *due;
	unsigned looked; /* readings searched so far */
};

/* The date before is kept in the change alone: the page has only its date of
 * now. */
static bool
due_on_change(void *arg, const struct change *change)
{
	struct finding_date *finding = arg;

	if (change->kind == DELTA_REDATED &&
	    slice_equal(change->url, finding->url))
		finding->due->before = change->before;
	return finding->due->before.precision == DATE_NONE;
}

/* Only readings of the sitemap that the page belongs to now are looked at, and
 * a limited number of them: a site may have had thousands since the last fetch.
 */
static bool
due_on_reading(void *arg, const struct reading_row *reading)
{
	struct finding_date *finding = arg;

	if (reading->document_id != finding->due->terms.document_id ||
	    !reading->has_delta || reading->changes[DELTA_REDATED] == 0)
		return true;
	store_each_change(finding->store, reading->id, due_on_change, finding);
	return finding->due->before.precision == DATE_NONE &&
	    ++finding->looked < MOST_READINGS;
}

void
explain_due_ask(struct frontier *frontier, struct store *store,
    struct explanation *explanation, int64_t now_s)
{
	struct due_asking asking = {frontier, &explanation->dues};
	struct explain_due due = {0};

	asking.to->now_s = now_s;
	if (explanation->unusable != DIAG_OK)
		return;
	if (explanation->documents > 0)
		store_each_document(store, DOCUMENTS_AT,
		    url_text(&explanation->url), due_on_document, &asking);
	if (frontier_page_terms(
		frontier, url_text(&explanation->url), now_s, &due.terms)) {
		const struct frontier_terms *terms = &due.terms;
		struct finding_date finding = {.store = store,
		    .url = url_text(&explanation->url),
		    .due = &due};

		if (terms->lastmod_s != SCHEDULER_NO_DATE)
			due.lastmod = (struct date){.epoch_s = terms->lastmod_s,
			    .precision = DATE_SECOND};
		for (size_t i = 0; i < explanation->count; i++) {
			const struct explain_place *place = &explanation
								 ->places[i];

			/* the entry has the date as precisely as the site gave
			 * it */
			if (place->sort == PLACE_LISTED &&
			    place->document_id == terms->document_id)
				due.lastmod = place->entry.lastmod;
		}
		/* A date that never moved has no date before. */
		if (terms->terms.moves + terms->terms.mass > 0)
			store_each_reading(store,
			    (struct reading_from){.by = READINGS_OF_SITE,
				.id = terms->site_id,
				.at_s = terms->fetched_s},
			    due_on_reading, &finding);
		struct slice url = url_text(&explanation->url);
		int64_t page_id = store_page_find(store, url);

		if (page_id != 0) {
			store_each_outcome(
			    store, page_id, 0, on_outcome, &due.last);
			due.last.is_noindex = store_number(store, STORE_UNFIT,
						  page_id, 0) == PAGE_NOINDEX;
		}

		due_add(&asking, &due);
	}
}

/* The first line: when the URL is due, or why not. */

/* A page that failed waits for its next try; any other one until a request for
 * it is worth what others are. */
static void
put_later(struct buf *text, const struct frontier_terms *it, int64_t now_s)
{
	int64_t at_s = it->terms.again_s > now_s ? it->terms.again_s
						 : it->terms.due_s;

	/* No value grows while nothing is known of a page: a date or a sitemap
	 * has to say something. */
	if (at_s == SCHEDULER_NEVER) {
		(void)buf_print(text, "not before something is heard of it");
		return;
	}
	if (it->terms.again_s > now_s)
		(void)buf_print(text, "failed %s: tried",
		    human_times(it->terms.failures).text);
	else
		(void)buf_print(text, "looked at");
	(void)buf_print(text, " again %s, in %s",
	    zone_text(at_s, ZONE_FULL).text,
	    human_span((double)(at_s - now_s)).text);
	if (it->terms.owed_s != 0 && it->terms.owed_s == at_s)
		(void)buf_print(text, ", for what its last reading lacked%s",
		    it->terms.hints > 0 ? " or a hint tells" : "");
	if (it->terms.is_quota)
		(void)buf_print(text, ", when the quota of its site allows it");
}

/* Each of these needs another remedy, so each has a sentence of its own. */
static void
due_put_robots(struct buf *text, const struct frontier_terms *it)
{
	if (it->robots == FRONTIER_ROBOTS_REFUSE) {
		(void)buf_print(text, "robots.txt forbids it, line %u",
		    (unsigned)it->robots_line);
		purposes_print(
		    text, ": its site has a purpose, and ", it->refused_for);
	} else if (it->robots == FRONTIER_ROBOTS_UNKNOWN && !it->is_watched)
		(void)buf_print(text,
		    "no robots.txt of its origin was read yet, and its site is "
		    "not on the watch list: 'crawl' of that host does that, "
		    "or 'run' once it is added");
	else if (it->robots == FRONTIER_ROBOTS_UNKNOWN)
		(void)buf_print(text,
		    "no robots.txt of its origin was read yet: 'run' does "
		    "that, or 'crawl' of that host");
	else
		(void)buf_print(text,
		    "robots.txt cannot be had, and nothing is fetched without "
		    "it");
}

/* A page of a held host may have failed, too, and wait for longer. */
static void
explain_held(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;

	explain_time(text,
	    it->is_pages_hold ? "pages of its host failed: they are held until "
			      : "its host is held until ",
	    it->held_until_s);
	if (due->document_id == 0 && it->terms.again_s > it->held_until_s)
		(void)buf_print(text,
		    "; it failed %s: not tried again before %s",
		    human_times(it->terms.failures).text,
		    zone_text(it->terms.again_s, ZONE_FULL).text);
}

/* Append the first line. Returns its label, which is static. */
static const char *
explain_when(struct buf *text, const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;
	const char *state = explain_due_state(due, now_s);
	bool is_page = due->document_id == 0;

	if (strcmp(state, "removed") == 0)
		(void)buf_print(text,
		    it->is_orphan ? "neither an index nor robots.txt nor a "
				    "target leads to it any more"
				  : "its site was taken off the watch list");
	else if (strcmp(state, "unwatched") == 0)
		(void)buf_print(text,
		    "its site is not on the watch list: 'run' does not read "
		    "it");
	else if (strcmp(state, "refused") == 0 ||
	    strcmp(state, "unknown-robots") == 0)
		due_put_robots(text, it);
	else if (strcmp(state, "out") == 0 && is_page)
		explain_time(
		    text, "a fetcher has it, until ", it->lease_until_s);
	else if (strcmp(state, "out") == 0)
		(void)buf_print(text, "it is being read");
	else if (strcmp(state, "unwanted") == 0)
		(void)buf_print(text, "%s of its site, by %s = %s of %s",
		    is_page ? "it is none of the pages that are wanted"
			    : "it is none of the sitemaps that are read",
		    page_filter_keys[it->refused_by->key],
		    it->refused_by->value, explain_source(it->refused_by));
	else if (strcmp(state, "unpromoted") == 0) {
		uint64_t others = it->unpromoted > 0 ? it->unpromoted - 1 : 0;

		(void)buf_print(text,
		    "never handed out; it waits in its sitemap for its turn");
		if (others > 0)
			(void)buf_print(text,
			    ", with about %s that never %s either",
			    human_of(others, "page").text,
			    others == 1 ? "was" : "were");
		if (it->site_unpromoted > it->unpromoted)
			(void)buf_print(text,
			    "%s about %" PRIu64 " in other sitemaps",
			    others > 0 ? ", and" : ", with",
			    it->site_unpromoted - it->unpromoted);
	} else if (strcmp(state, "held") == 0)
		explain_held(text, due);
	else if (strcmp(state, "later") == 0)
		put_later(text, it, now_s);
	else if (it->terms.owed_s != 0 && it->terms.owed_s <= now_s)
		(void)buf_print(text,
		    "what its last reading lacked%s is looked for once more",
		    it->terms.hints > 0 ? ", or a hint tells," : "");
	else if (it->terms.is_overdue)
		(void)buf_print(text, "its longest interval is over");
	else if (isinf(it->terms.value))
		(void)buf_print(text, "its time has come");
	else
		(void)buf_print(text, "it waits for its turn");
	return strcmp(state, "due") == 0       ? "due now"
	    : strcmp(state, "later") == 0      ? "due later"
	    : strcmp(state, "unpromoted") == 0 ? "waiting"
	    : strcmp(state, "out") == 0        ? "out"
					       : "not due";
}

#define INDENT EXPLAIN_INDENT
#define WORDS_MAX 4096
/* With fewer checks the precision is that of the prior. */
#define FEW_CHECKS 3
#define NOTHING 1e-6 /* least value or price that is shown as one */
#define NEXT_TO_NOTHING 1e-4

const char *
explain_due_state(const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;
	const struct scheduler_terms *terms = &it->terms;
	bool is_page = due->document_id == 0;

	/* Of several reasons the first one is said: the others matter only once
	 * that is gone. */
	if (it->is_removed)
		return "removed";
	if (is_page && it->robots == FRONTIER_ROBOTS_REFUSE)
		return "refused";
	if (is_page && it->robots != FRONTIER_ROBOTS_ALLOW)
		return "unknown-robots";
	if (!is_page && !it->is_watched)
		return "unwatched";
	if (is_page ? it->is_leased : terms->is_out)
		return "out";
	if (it->refused_by != NULL)
		return "unwanted";
	if (is_page && !it->is_page)
		return "unpromoted";
	if (it->held_until_s > now_s)
		return "held";
	/* It is due if nothing else is worth more, or its time has come. */
	return terms->again_s <= now_s &&
		(terms->is_overdue || terms->is_waiting ||
		    isinf(terms->value) || terms->due_s <= now_s)
	    ? "due"
	    : "later";
}

/* The further lines: the terms of the value. */

static void
due_put_rate(struct buf *text, const struct explain_due *due)
{
	const struct scheduler_terms *terms = &due->terms.terms;
	bool is_page = due->document_id == 0;
	const char *what = is_page ? "the page" : "what it lists";

	if (!(terms->changes_per_day > 0)) {
		(void)buf_print(text, "%s is not expected to change", what);
		return;
	}
	(void)buf_print(text, "%s changes about every %s", what,
	    human_span(86400 / terms->changes_per_day).text);
	/* no fetch and no date has shown a change yet */
	if (is_page && !due->last.is_compared &&
	    terms->moves + terms->mass == 0)
		(void)buf_print(text, ", a guess");
}

/* An answer without the page leaves the older copy, whose age nobody asks for
 * here. */
static void
put_last(struct buf *text, const struct explain_due *due)
{
	const struct scheduler_terms *terms = &due->terms.terms;
	bool is_page = due->document_id == 0;
	/* the last answer was not the page */
	bool has_no_copy = due->last.is_known && due_is_lasting(due->last.kind);

	if (isinf(terms->days)) {
		(void)buf_print(text, "; never %s%s",
		    is_page ? "fetched" : "read",
		    !is_page && due->last.is_known ? ", though tried" : "");
		return;
	}
	(void)buf_print(text, "; last %s %s ago",
	    !is_page          ? "read"
		: has_no_copy ? "asked for"
			      : "fetched",
	    human_span(terms->days * 86400).text);
	if (is_page && !has_no_copy)
		(void)buf_print(text,
		    ", and as it was then with a probability of %.0f %%",
		    100 * terms->fresh);
}

static void
put_moves(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;

	/* Without the date before, the move may be older than what the store
	 * keeps. */
	(void)buf_print(text, "lastmod %s%s%s", date_text(&due->before).text,
	    due->before.precision != DATE_NONE ? " → " : "",
	    due->lastmod.precision != DATE_NONE ? date_text(&due->lastmod).text
						: "none");
	if (it->terms.moves + it->terms.mass == 0 && isfinite(it->terms.days))
		(void)buf_print(text, ", not moved since");
	if (it->terms.moves > 0)
		(void)buf_print(text, ", moved %s since",
		    human_times(it->terms.moves).text);
	if (it->terms.mass > 0)
		(void)buf_print(text,
		    ", moved %s since with most of its sitemap, which is right "
		    "%.0f %% of the time",
		    human_times(it->terms.mass).text,
		    100 * it->terms.mass_precision);
}

static void
due_put_trust(
    struct buf *text, const struct scheduler_terms *terms, const char *whose)
{
	if (terms->is_gated) {
		(void)buf_print(text,
		    "%s dates count for nothing: most of them move at every "
		    "reading (R-116)",
		    whose);
		return;
	}
	(void)buf_print(text,
	    "%s dates are right %.0f %% of the time they move", whose,
	    100 * terms->precision);
	if (terms->checks >= FEW_CHECKS)
		(void)buf_print(text, ", over %.0f moves", terms->checks);
	else if (terms->checks > 0)
		/* Old moves count less, so the sum may be below one. */
		(void)buf_print(text, " (over %s, too few to tell)",
		    human_of(
			terms->checks < 1 ? 1 : (uint64_t)terms->checks, "move")
			.text);
	else
		(void)buf_print(text, ", a guess before checks");
	(void)buf_print(
	    text, ", and tell %.0f %% of the changes", 100 * terms->recall);
	if (terms->is_distrusted)
		(void)buf_print(text, ": distrusted (R-116)");
}

/* The value and the price have one unit: days for which a fetcher has the page
 * of now. */
static void
due_put_value(struct buf *text, const struct frontier_terms *it)
{
	const struct scheduler_terms *terms = &it->terms;

	(void)buf_print(text, "a request now ");
	if (isinf(terms->value))
		(void)buf_print(text, "comes before all others%s",
		    terms->again_s > 0 ? ", once it may be tried again" : "");
	else if (terms->value < NOTHING)
		(void)buf_print(text, "would bring nothing");
	else if (terms->value < NEXT_TO_NOTHING)
		(void)buf_print(text, "would bring next to nothing");
	else
		(void)buf_print(text,
		    "would bring about %.3g days of freshness", terms->value);
	/* without a budget, a request costs no other request */
	if (it->spent_until_s > 0)
		explain_time(
		    text, "; the budget is used up until ", it->spent_until_s);
	else if (it->is_budgeted && terms->price < NOTHING)
		(void)buf_print(text, "; the budget is not used up");
	else if (it->is_budgeted && terms->price < NEXT_TO_NOTHING)
		(void)buf_print(text, "; the budget is hardly used up");
	else if (it->is_budgeted)
		(void)buf_print(text,
		    "; the budget goes to requests that bring %.3g or more",
		    terms->price);
	/* The usual weight says nothing. */
	if (terms->weight < 1 || terms->weight > 1)
		(void)buf_print(text, "; weight %.4g", terms->weight);
}

static void
due_put_line(struct out *out, struct buf *text)
{
	out_wrapped(&out->text, INDENT, buf_str(text));
	(void)out_line(out);
	buf_clear(text);
}

/* A robots.txt has no dates and no value: it is read once a day. */
static void
put_terms(struct out *out, struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;
	bool is_page = due->document_id == 0;

	bool has_dates = is_page ? due->lastmod.precision != DATE_NONE
				 : due->has_dates;

	if ((is_page && !it->is_page) || it->is_removed)
		return;
	if (is_page)
		put_moves(text, due);
	if (is_page && has_dates)
		(void)buf_print(text, "; ");
	if (has_dates)
		due_put_trust(
		    text, &it->terms, is_page ? "this sitemap's" : "its");
	else if (!is_page && !due->is_robots && isfinite(it->terms.days))
		(void)buf_print(text, "what it lists has no dates");
	if (text->len > 0)
		due_put_line(out, text);
	if (has_dates && it->terms.generator != NULL) {
		(void)buf_print(text,
		    "%s dates began with what %s is known for: %s",
		    is_page ? "this sitemap's" : "its",
		    it->terms.generator->name,
		    dates_source_texts[it->terms.generator->source]);
		due_put_line(out, text);
	}
	if (due->is_robots && it->is_watched && it->terms.failures == 0) {
		(void)buf_print(text,
		    "read once a day, whatever the every of its site says, "
		    "and before that if its Cache-Control asks for it "
		    "(R-104)");
		due_put_line(out, text);
	}
	if (due->is_robots)
		return;
	if (it->terms.has_hints) {
		(void)buf_print(text,
		    "hints of this site are right %.0f %% of the time, over "
		    "%.0f, and tell %.0f %% of the changes; %s since",
		    100 * it->terms.hint_precision, it->terms.hint_checks,
		    100 * it->terms.hint_recall,
		    human_of(it->terms.hints, "hint").text);
		due_put_line(out, text);
	}
	due_put_rate(text, due);
	put_last(text, due);
	due_put_line(out, text);
	due_put_value(text, it);
	explain_limits_text(text, due);
	due_put_line(out, text);
}

void
explain_due_text(const struct explanation *to, struct out *out)
{
	struct buf text = BUF_UP_TO(WORDS_MAX);

	for (size_t i = 0; i < to->dues.count; i++) {
		const struct explain_due *due = &to->dues.items[i];
		const struct frontier_terms *it = &due->terms;
		int64_t now_s = to->dues.now_s;
		const char *label = explain_when(&text, due, now_s);
		const char *state = explain_due_state(due, now_s);
		bool is_page = due->document_id == 0;

		explain_label(out, SEVERITY_INFO, label);
		if (is_page && it->is_page && !it->is_listed)
			(void)buf_print(&text, "; no sitemap lists it");
		struct buf lines = BUF_UP_TO(WORDS_MAX);

		out_wrapped(&lines, INDENT, buf_str(&text));
		(void)buf_put_slice(
		    &out->text, slice_from(buf_text(&lines), strlen(INDENT)));
		(void)out_line(out);
		buf_release(&lines);
		buf_clear(&text);
		explain_last_text(&due->last, &text);
		if (text.len > 0 && !is_page && it->terms.again_s > now_s &&
		    strcmp(state, "later") != 0 && it->is_watched)
			explain_time(
			    &text, "; not again before ", it->terms.again_s);
		if (text.len > 0)
			due_put_line(out, &text);
		if (strcmp(state, "unpromoted") == 0) {
			if (it->held_until_s > now_s) {
				explain_held(&text, due);
				due_put_line(out, &text);
			}
			due_put_value(&text, it);
			explain_limits_text(&text, due);
			due_put_line(out, &text);
		} else
			put_terms(out, &text, due);
	}
	buf_release(&text);
}
