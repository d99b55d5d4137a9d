/* What is known of a URL, for people and for programs. */
#include "crawler/inspect/explain_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/wall.h"
#include "base/zone.h"
#include "crawler/cli/failing.h"
#include "crawler/inspect/ls_documents.h"

/* What `explain` prints of documents and chains. */

#define COLUMNS 80
#define FINDINGS 8 /* shown of one document */
#define LINES 20 /* Sitemap lines shown of a robots.txt */
#define TEXT_MAX 120 /* bytes of a sample */

/* Append a URL, without its origin if that is the origin of the URL that is
 * explained. */
static void
explain_put_url(const struct explanation *to, struct buf *out, const char *text)
{
	struct slice url = slice_of(text);
	struct slice origin = to->unusable == DIAG_OK ? url_origin(&to->url)
						      : slice_make(NULL, 0);

	if (origin.len > 0 && slice_starts(url, origin) &&
	    url.len > origin.len && url.p[origin.len] == '/')
		url = slice_from(url, origin.len);
	vis_put(out, url, SIZE_MAX);
}

/* What leads to a document that nothing names, by enum reach_root_kind. */
static const char *const root_words[] = {"a target that was named",
    "robots.txt, which named it until lately",
    "found at a usual place for sitemaps"};
static const char *const root_names[] = {"target", "robots-before", "place"};

/* The reading says which entries the step is about: a later one may list
 * others. */
static void
put_step(const struct explanation *to, struct buf *out,
    const struct explain_step *step)
{
	if (step->url == NULL) {
		(void)buf_print(out, "%s",
		    step->has_root ? root_words[step->root]
				   : "nothing names it any more");
		return;
	}
	explain_put_url(to, out, step->url);
	if (step->line > 0)
		(void)buf_print(out, " line %" PRIu32, step->line);
	else if (step->reading_id != 0)
		(void)buf_print(
		    out, " (reading %" PRId64 ")", step->reading_id);
}

/* Append the chains that lead to a document, one a line, each with `end` behind
 * it; the first one continues the line that was begun. */
static void
explain_put_chains(const struct explanation *to, struct out *out,
    const struct explain_place *place, const char *end)
{
	struct buf step = BUF_UP_TO(SIZE_MAX);

	for (size_t i = 0; i < place->chain_count; i++) {
		const struct explain_chain *chain = &place->chains[i];
		size_t column = strlen(EXPLAIN_INDENT);

		if (i > 0)
			(void)buf_print(&out->text, EXPLAIN_INDENT);
		/* the steps, and the end; a line breaks before an arrow */
		for (size_t k = 0; k <= chain->count; k++) {
			struct slice words;

			buf_clear(&step);
			if (k == chain->count) {
				(void)buf_print(&step, "%s", end);
			} else {
				(void)buf_print(&step, k > 0 ? " → " : "");
				put_step(to, &step, &chain->steps[k]);
			}
			words = buf_text(&step);
			if (k > 0 && column + slice_chars(words) > COLUMNS) {
				(void)buf_print(
				    &out->text, "\n" EXPLAIN_INDENT);
				column = strlen(EXPLAIN_INDENT);
				words = slice_trim(words);
			}
			(void)buf_put_slice(&out->text, words);
			column += slice_chars(words);
		}
		out_end_line(out);
	}
	buf_release(&step);
	if (place->more_chains > 0)
		(void)buf_print(&out->text,
		    EXPLAIN_INDENT "and %" PRIu64 " more ways\n",
		    place->more_chains);
	if (strcmp(place->final, place->document) != 0) {
		(void)buf_print(
		    &out->text, EXPLAIN_INDENT "which redirects to ");
		explain_put_url(to, &out->text, place->final);
		out_end_line(out);
	}
}

struct printer {
	const struct explanation *to;
	struct store *store;
	struct out *out;
	unsigned left;
	uint64_t more; /* findings not shown */
};

/* Severities differ between profiles; these lines are about a document of any
 * site, and have those of google, which is the default. */
static void
text_put_finding(void *arg, const struct finding_row *row)
{
	struct printer *printer = arg;
	struct out *out = printer->out;
	enum diag_code code = diag_find(row->code);
	struct slice text = slice_trim(row->text);

	if (code == DIAG_OK || printer->left == 0) {
		printer->more++;
		return;
	}
	printer->left--;
	explain_label(out, diag_info(code)->severity[PROFILE_GOOGLE],
	    severity_names[diag_info(code)->severity[PROFILE_GOOGLE]]);
	out_text(out, row->code);
	(void)buf_print(&out->text, " (%s), %s", diag_info(code)->rule,
	    human_of(row->count, "time").text);
	if (row->line > 0)
		(void)buf_print(&out->text, "; line %" PRIu32, row->line);
	if (text.len > 0) {
		(void)buf_print(&out->text, ": ");
		vis_put(&out->text, text, TEXT_MAX);
	}
	out_end_line(out);
}

/* Why a document is a window; NULL: it is none. */
static const char *const window_words[WINDOW_KINDS] = {
    [WINDOW_HABIT] = "in five readings only its oldest entries left",
    [WINDOW_NEWS] = "it is a news sitemap",
    [WINDOW_FEED] = "it is a feed"};

static bool
text_put_wall(void *arg, const struct document_row *row)
{
	struct printer *printer = arg;
	struct buf words = BUF_UP_TO(SIZE_MAX);
	const struct wall *wall = row->failure.len == 0
	    ? NULL
	    : failing_row_text(&words, printer->store, row);

	buf_release(&words);
	if (wall != NULL) {
		(void)buf_print(&printer->out->text, EXPLAIN_INDENT "%s: %s",
		    wall->name, wall->advice);
		out_end_line(printer->out);
	}
	return true;
}

/* What failed has no entries to count, and what was never asked for has not
 * even a status. */
static void
text_put_state(struct printer *printer, const struct document_row *row)
{
	const struct document *document = &row->document;
	struct buf *text = &printer->out->text;

	(void)buf_print(
	    text, EXPLAIN_INDENT "%s, ", document_kind_name(document->kind));
	if (row->reading_id == 0) {
		(void)buf_print(text, "never asked for");
		out_end_line(printer->out);
		return;
	}
	(void)buf_print(text, "%s %s (reading %" PRId64 ")",
	    outcome_name(row->outcome), zone_text(row->at_s, ZONE_FULL).text,
	    row->reading_id);
	if (row->status != 0)
		(void)buf_print(text, ", status %d", row->status);
	(void)buf_print(text, "%s%.*s", row->failure.len > 0 ? ", " : "",
	    (int)row->failure.len, row->failure.p);
	out_end_line(printer->out);
	(void)text_put_wall(printer, row);
	if (selection_is_robots(row) || row->failure.len > 0)
		return;
	(void)buf_print(
	    text, EXPLAIN_INDENT "%" PRIu64 " entries, ", document->entries);
	verdict_put_refused(text, document->refused, document->refused_by);
	(void)buf_print(text, ", %" PRIu64 " with lastmod%s\n", row->dated,
	    document->is_complete ? "" : "; not complete");
	if (window_words[document->window] != NULL)
		(void)buf_print(text,
		    EXPLAIN_INDENT "a window: %s; what leaves it is not gone\n",
		    window_words[document->window]);
	(void)out_line(printer->out);
}

/* The store keeps one row for each site that has the document. */
static bool
text_put_document(void *arg, const struct document_row *row)
{
	struct printer *printer = arg;
	struct out *out = printer->out;

	explain_label(out,
	    row->failure.len > 0 ? SEVERITY_ERROR : SEVERITY_INFO, "document");
	if (selection_is_robots(row)) {
		explain_put_url(printer->to, &out->text, row->document.url);
		out_end_line(out);
	} else {
		struct explain_place place = {.document_id = row->document.id,
		    .document = row->document.url,
		    .final = row->document.final_url != NULL
			? row->document.final_url
			: row->document.url};

		explain_chains(printer->store, &place);
		explain_put_chains(printer->to, out, &place, "");
		explain_release_chains(&place);
	}
	text_put_state(printer, row);
	if (selection_is_robots(row) && printer->to->robots.robots != NULL) {
		const struct explain_robots *robots = &printer->to->robots;
		struct slice url;
		uint32_t line;
		uint32_t i = 0;

		/* All lines are counted, and some are shown: a robots.txt may
		 * have a thousand. */
		for (; (url = robots_sitemap(robots->robots, i, &line)).len > 0;
		     i++) {
			if (i >= LINES)
				continue;
			(void)buf_print(&out->text,
			    EXPLAIN_INDENT "line %" PRIu32 " names %.*s\n",
			    line, (int)url.len, url.p);
			(void)out_line(out);
		}
		if (i > LINES)
			(void)buf_print(&out->text,
			    EXPLAIN_INDENT "and %" PRIu32 " more\n", i - LINES);
	}
	printer->left = FINDINGS;
	printer->more = 0;
	store_each_finding(
	    printer->store, row->content_id, text_put_finding, printer);
	if (printer->more > 0)
		(void)buf_print(&out->text,
		    EXPLAIN_INDENT "and %" PRIu64 " more codes\n",
		    printer->more);
	return out_line(out);
}

/* What is known of a URL as a JSON object. */

void
explain_trust_json(struct buf *text, const struct scheduler_terms *terms)
{
	out_json_real(text, "precision", terms->precision);
	out_json_real(text, "recall", terms->recall);
	out_json_real(text, "mass_precision", terms->mass_precision);
	out_json_real(text, "checks", terms->checks);
	out_json_string(text, "generator",
	    terms->generator == NULL ? NULL : terms->generator->name);
	out_json_flag(text, "gated", terms->is_gated);
	out_json_flag(text, "believed", terms->is_believed);
	out_json_flag(text, "distrusted", terms->is_distrusted);
}

/* Both kinds of items have all members, so that a program needs no case for
 * each. */
static void
json_due(struct buf *text, const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;

	out_json_begin(text, NULL, '{');
	out_json_string(
	    text, "of", due->document_id == 0 ? "page" : "document");
	out_json_string(text, "state", explain_due_state(due, now_s));
	out_json_flag(text, "promoted", it->is_page || due->document_id != 0);
	out_json_flag(text, "listed", it->is_listed || due->document_id != 0);
	out_json_flag(text, "watched", it->is_watched);
	out_json_time(text, "fetched", it->fetched_s);
	out_json_date(text, "lastmod", &due->lastmod);
	out_json_date(text, "lastmod_before", &due->before);
	out_json_time(
	    text, "lease_until", it->is_leased ? it->lease_until_s : 0);
	out_json_time(text, "held_until", it->held_until_s);
	out_json_flag(text, "held_with_pages", it->is_pages_hold);
	explain_limits_json(text, due);
	out_json_real(text, "robots_line", it->robots_line);
	out_json_number(text, "unpromoted", it->unpromoted);
	out_json_number(text, "site_unpromoted", it->site_unpromoted);
	const struct scheduler_terms *terms = &it->terms;
	out_json_time(text, "look_at", terms->due_s);
	out_json_real(text, "value", terms->value);
	out_json_real(text, "price", terms->price);
	out_json_real(text, "weight", terms->weight);
	out_json_real(text, "days", terms->days);
	out_json_real(text, "changes_per_day", terms->changes_per_day);
	out_json_real(text, "hazard", terms->hazard);
	out_json_real(text, "fresh", terms->fresh);
	out_json_real(text, "moves", terms->moves);
	out_json_real(text, "hints", terms->hints);
	out_json_real(text, "hint_precision",
	    terms->has_hints ? terms->hint_precision : NAN);
	out_json_real(
	    text, "hint_recall", terms->has_hints ? terms->hint_recall : NAN);
	out_json_real(text, "mass_moves", terms->mass);
	explain_trust_json(text, terms);
	out_json_flag(text, "overdue", terms->is_overdue);
	out_json_real(text, "failures", terms->failures);
	out_json_time(text, "not_before", terms->again_s);
	const struct explain_last *last = &due->last;

	out_json_time(text, "last_tried", last->is_known ? last->at_s : 0);
	out_json_string(text, "last_outcome",
	    !last->is_known         ? NULL
		: last->is_document ? outcome_name(last->outcome)
				    : page_outcome_name(last->kind));
	out_json_string(text, "last_failure", last->failure);
	out_json_number(text, "last_status", (uint64_t)last->status);
	out_json_number(text, "last_times", last->times);
	out_json_time(text, "last_since", last->is_known ? last->since_s : 0);
	out_json_string(text, "last_location", last->location);
	out_json_end(text, '}');
}

#define WORD_MAX 65536

static void
json_step(struct buf *out, const struct explain_step *step)
{
	out_json_begin(out, NULL, '{');
	if (step->url == NULL) {
		out_json_flag(out, "named", true);
		out_json_string(out, "by",
		    step->has_root ? root_names[step->root] : "nothing");
	} else if (step->line > 0) {
		out_json_string(out, "robots", step->url);
		out_json_number(out, "line", step->line);
	} else {
		out_json_string(out, "document", step->url);
		out_json_number(out, "reading", (uint64_t)step->reading_id);
	}
	out_json_end(out, '}');
}

/* The verdict of the reading and that of now stand side by side: a rule or a
 * proof may be new since. */
static void
json_place(struct buf *out, const struct explanation *to,
    const struct explain_place *place)
{
	static const char *const sorts[] = {
	    "accepted", "refused", "able", "unable"};
	struct buf why = BUF_UP_TO(WORD_MAX);

	explain_why(&why, place, &to->url);
	out_json_begin(out, NULL, '{');
	out_json_string(out, "verdict", sorts[place->sort]);
	out_json_string(out, "document", place->document);
	out_json_string(out, "final_url", place->final);
	out_json_flag(out, "index", place->is_index);
	out_json_number(out, "reading", (uint64_t)place->reading_id);
	if (place->has_entry) {
		const struct entry *entry = &place->entry;
		out_json_number(out, "entry", (uint64_t)entry->ordinal + 1);
		out_json_date(out, "lastmod", &entry->lastmod);
		out_json_time(out, "first_seen", entry->first_seen_s);
		out_json_time(out, "redated", entry->redated_s);
		out_json_string(
		    out, "state", entry->missed > 0 ? "removed" : "listed");
	}
	if (place->sort != PLACE_LISTED)
		out_json_number(out, "line", place->line);
	if (place->sort == PLACE_REFUSED)
		out_json_time(out, "refused_since", place->since_s);
	out_json_code(out, "code",
	    place->sort == PLACE_REFUSED ? place->found : place->verdict.code);
	out_json_word(out, "why", buf_text(&why));
	out_json_string(out, "profile", place->profile);
	out_json_flag(out, "rules_known", place->is_known);
	out_json_flag(out, "accepted_now", place->today.is_accepted);
	out_json_code(out, "code_now", place->today.code);
	out_json_number(out, "refused_so", place->refused);
	out_json_begin(out, "chains", '[');
	for (size_t i = 0; i < place->chain_count; i++) {
		out_json_begin(out, NULL, '[');
		for (size_t k = 0; k < place->chains[i].count; k++)
			json_step(out, &place->chains[i].steps[k]);
		out_json_end(out, ']');
	}
	out_json_end(out, ']');
	out_json_end(out, '}');
	buf_release(&why);
}

static void
json_robots(struct buf *out, const struct explain_robots *robots)
{
	struct slice text = slice_make(NULL, 0);

	if (!robots->is_known) {
		out_json_string(out, "robots", NULL);
		return;
	}
	if (robots->has_rules)
		text = slice_trim(
		    robots_line(buf_text(&robots->body), robots->verdict.line));
	out_json_begin(out, "robots", '{');
	out_json_flag(out, "rules", robots->has_rules);
	out_json_number(out, "status", (uint64_t)robots->status);
	out_json_flag(out, "allowed",
	    !robots->is_closed &&
		(!robots->has_rules || robots->verdict.is_allowed));
	purposes_json(out, robots->verdict.said);
	out_json_number(out, "line", robots->verdict.line);
	out_json_word(out, "text", text);
	out_json_end(out, '}');
}

/* The documents of the URL are lines as those of `ls --sitemaps --json`. */
static bool
document_line(void *arg, const struct document_row *row)
{
	const struct printer *printer = arg;

	ls_document_json(row, printer->store, printer->out);
	return out_line(printer->out);
}

void
explain_json(const struct explanation *to, struct store *store, struct out *out)
{
	struct printer lines = {.to = to, .store = store, .out = out};
	struct buf *text = &out->text;
	bool is_url = to->unusable == DIAG_OK;

	if (to->documents > 0)
		store_each_document(store, DOCUMENTS_AT, url_text(&to->url),
		    document_line, &lines);
	out_json_line(text, "explain");
	out_json_string(text, "asked", to->asked);
	out_json_word(
	    text, "url", is_url ? url_text(&to->url) : slice_make(NULL, 0));
	out_json_string(text, "verdict",
	    explanation_is_accepted(to)      ? "accepted"
		: explanation_is_refused(to) ? "refused"
					     : "unknown");
	out_json_code(text, "code", to->unusable);
	out_json_number(text, "documents", to->documents);
	out_json_number(text, "listed", to->totals[PLACE_LISTED]);
	out_json_number(text, "refused", to->totals[PLACE_REFUSED]);
	out_json_number(text, "able", to->totals[PLACE_ABLE]);
	out_json_number(text, "unable", to->totals[PLACE_UNABLE]);
	if (to->is_gone) {
		out_json_begin(text, "gone", '{');
		out_json_string(text, "document", to->gone.document);
		out_json_time(text, "at", to->gone.at_s);
		out_json_number(text, "reading", (uint64_t)to->gone.reading_id);
		out_json_flag(text, "left", to->gone.is_left);
		out_json_end(text, '}');
	} else {
		out_json_string(text, "gone", NULL);
	}
	out_json_begin(text, "places", '[');
	for (size_t i = 0; i < to->count; i++)
		json_place(text, to, &to->places[i]);
	out_json_end(text, ']');
	json_robots(text, &to->robots);
	out_json_begin(text, "due", '[');
	for (size_t i = 0; i < to->dues.count; i++)
		json_due(text, &to->dues.items[i], to->dues.now_s);
	out_json_end(text, ']');
	(void)out_end_json(out);
}

#define INDENT EXPLAIN_INDENT
#define SHOWN 8 /* documents that get a line each */
#define DIRECTORIES 4
#define DATES_MAX 1024

static void
text_put_dates(struct out *out, const struct explain_place *place)
{
	const struct entry *entry = &place->entry;
	struct buf text = BUF_UP_TO(DATES_MAX);

	(void)buf_print(&text, "lastmod %s; first seen %s",
	    entry->lastmod.precision != DATE_NONE
		? date_text(&entry->lastmod).text
		: "none",
	    zone_text(entry->first_seen_s, ZONE_FULL).text);
	if (entry->redated_s != 0)
		(void)buf_print(&text, "; lastmod moved %s",
		    zone_text(entry->redated_s, ZONE_FULL).text);
	(void)buf_print(&text, "; %s",
	    entry->missed > 0    ? "absent from the last complete reading"
		: entry->is_held ? "listed, though the last reading lacked it: "
				   "it lacked too much at once"
				 : "listed");
	if (place->sort == PLACE_REFUSED && place->since_s != 0)
		(void)buf_print(&text, ", and refused since %s",
		    zone_text(place->since_s, ZONE_FULL).text);
	else if (place->sort == PLACE_REFUSED)
		(void)buf_print(
		    &text, ", and refused ever since, as far as is known");
	out_wrapped(&out->text, INDENT, buf_str(&text));
	(void)out_line(out);
	buf_release(&text);
}

static void
put_ways(const struct explanation *to, struct out *out,
    const struct explain_place *place)
{
	struct buf words = BUF_UP_TO(WORD_MAX);

	if (place->line > 0)
		(void)buf_print(&words, " → line %" PRIu32, place->line);
	else if (place->has_entry)
		(void)buf_print(&words, " → entry %" PRIu64 " when first read",
		    (uint64_t)place->entry.ordinal + 1);
	explain_put_chains(to, out, place, buf_str(&words));
	buf_clear(&words);
	explain_why(&words, place, &to->url);
	out_wrapped(&out->text, INDENT, buf_str(&words));
	(void)out_line(out);
	buf_release(&words);
}

/* The verdict may be by other rules than today's. */
static void
put_accepted(const struct explanation *to, struct out *out,
    const struct explain_place *place)
{
	explain_label(out, SEVERITY_INFO, "accepted");
	put_ways(to, out, place);
	if (!place->is_known)
		(void)buf_print(&out->text,
		    INDENT "by the rules given now: it was read under others, "
			   "or a proof is new\n");
	else if (place->verdict.is_accepted != place->today.is_accepted)
		(void)buf_print(&out->text,
		    INDENT "so by profile %s, under which it was read; by the "
			   "rules given now: %s\n",
		    place->profile,
		    place->today.is_accepted ? "accepted"
					     : diag_name(place->today.code));
	text_put_dates(out, place);
}

/* A form that is wrong stays wrong, but a refusal for the place may be over
 * since the last crawl; only then another crawl is advised. */
static void
put_refused(const struct explanation *to, struct out *out,
    const struct explain_place *place)
{
	/* Is the code about the location of a URL? Other codes are about its
	 * form, which no rule or proof changes. */
	bool is_of_place = place->found == DIAG_HOST_MISMATCH ||
	    place->found == DIAG_WWW_MISSING ||
	    place->found == DIAG_WWW_EXTRA ||
	    place->found == DIAG_SCHEME_MISMATCH ||
	    place->found == DIAG_PORT_MISMATCH ||
	    place->found == DIAG_OUTSIDE_DIRECTORY;
	explain_label(out, SEVERITY_ERROR, "refused");
	put_ways(to, out, place);
	out_wrapped(
	    &out->text, INDENT "remedy: ", diag_info(place->found)->remedy);
	if (place->has_entry)
		text_put_dates(out, place);
	if (to->unusable == DIAG_OK && place->today.is_accepted && is_of_place)
		(void)buf_print(&out->text,
		    INDENT
		    "by the rules and proofs of now it is accepted: crawl "
		    "again\n");
	(void)out_line(out);
}

/* A URL that no document lists. */

/* Many sitemaps of a site refuse a URL for the same reason, so a reason stands
 * once, below all documents that share it. */
static void
put_places(const struct explanation *to, struct out *out, enum place_sort sort,
    const char *heading)
{
	uint64_t shown = 0;
	struct buf why = BUF_UP_TO(WORD_MAX), last = BUF_UP_TO(WORD_MAX);

	if (to->totals[sort] == 0)
		return;
	(void)buf_print(&out->text, INDENT "%s\n", heading);
	for (size_t i = 0; i < to->count && shown < SHOWN; i++) {
		const struct explain_place *place = &to->places[i];

		if (place->sort != sort)
			continue;
		buf_clear(&why);
		struct explain_place now = *place;

		now.verdict = place->today;
		explain_why(&why, &now, &to->url);
		if (place->refused > 0)
			(void)buf_print(&why,
			    "; it refused %" PRIu64
			    " entries so and %d were kept: "
			    "this may be one of the others",
			    place->refused, FINDING_SAMPLES);
		/* one reason for all documents above */
		if (shown > 0 && !slice_equal(buf_text(&why), buf_text(&last)))
			out_wrapped(&out->text, INDENT "  ", buf_str(&last));
		shown++;
		buf_clear(&last);
		(void)buf_put_slice(&last, buf_text(&why));
		(void)buf_print(&out->text, INDENT "- ");
		explain_put_url(to, &out->text, place->document);
		(void)buf_print(
		    &out->text, place->is_index ? ", as a sitemap\n" : "\n");
	}
	if (shown > 0)
		out_wrapped(&out->text, INDENT "  ", buf_str(&last));
	buf_release(&why);
	buf_release(&last);
	if (to->totals[sort] > shown)
		(void)buf_print(&out->text, INDENT "and %" PRIu64 " more\n",
		    to->totals[sort] - shown);
	(void)out_line(out);
}

/* Whoever asks about a page that no sitemap has wants to know where it may
 * stand; the paths are those of its own URL. */
static void
put_conditions(const struct explanation *to, struct out *out)
{
	struct slice origin = url_origin(&to->url);

	(void)buf_print(&out->text,
	    INDENT "to be accepted, it has to be in a document that\n" INDENT
		   "- lies on %.*s in ",
	    (int)origin.len, origin.p);
	struct slice path = slice_from(
	    url_directory(&to->url), to->url.path_at);
	size_t left = slice_count(path, '/');

	if (left > DIRECTORIES)
		left = DIRECTORIES;
	for (size_t i = 0; i < path.len && left > 0; i++) {
		if (path.p[i] != '/')
			continue;
		out_text(out, slice_make(path.p, i + 1));
		left--;
		(void)buf_print(&out->text, "%s",
		    left > 1 ? ", " : (left == 1 ? " or " : ""));
	}
	(void)buf_print(&out->text,
	    " (R-58),\n" INDENT
	    "- or is named by a Sitemap line of %.*s/robots.txt, or\n" INDENT
	    "  listed by an index that is (R-63 to R-65; in strict of other "
	    "hosts),\n" INDENT
	    "- or is of the same owner, and you say so: --own (R-67; not in "
	    "strict)\n",
	    (int)origin.len, origin.p);
	(void)out_line(out);
}

/* That a page left a window is no news: such a document lists what is recent.
 */
static void
put_unknown(const struct explanation *to, struct out *out)
{
	struct slice host = url_host(&to->url);

	explain_label(out, SEVERITY_WARNING,
	    to->is_gone && to->gone.is_left ? "left"
		: to->is_gone               ? "gone"
		: to->dues.count > 0        ? "not listed"
					    : "not known");
	(void)buf_print(&out->text,
	    to->is_gone && to->gone.is_left
		? "it left the window of a document that lists what is recent; "
		  "nobody says that it is gone"
		: to->is_gone ? "no document lists it any more"
			      : "no document in the store lists it");
	/* A host that was mistyped is found by that. */
	if (!to->has_site)
		(void)buf_print(&out->text, "; of %.*s nothing is known",
		    (int)host.len, host.p);
	out_end_line(out);
	if (to->is_gone) {
		(void)buf_print(&out->text, INDENT);
		explain_put_url(to, &out->text, to->gone.document);
		(void)buf_print(&out->text,
		    " listed it until %s (reading %" PRId64 ")\n",
		    zone_text(to->gone.at_s, ZONE_FULL).text,
		    to->gone.reading_id);
	}
	put_places(to, out, PLACE_ABLE,
	    "it would be accepted if one of these listed it:");
	put_places(to, out, PLACE_UNABLE,
	    "it would be refused if one of these listed it:");
	put_conditions(to, out);
}

/* Nothing is fetched without a robots.txt, so that an answer that is missing
 * forbids as much as a rule. */
static void
put_robots(const struct explanation *to, struct out *out)
{
	const struct explain_robots *robots = &to->robots;
	const struct robots_verdict *verdict = &robots->verdict;
	bool is_no = robots->is_closed ||
	    (robots->has_rules && !verdict->is_allowed);

	explain_label(out, is_no ? SEVERITY_ERROR : SEVERITY_INFO, "robots");
	if (!robots->is_known) {
		(void)buf_print(&out->text, "robots.txt was not read");
	} else if (robots->is_closed ||
	    (!robots->has_rules && robots->is_failing)) {
		(void)buf_print(&out->text, "%srobots.txt cannot be had: ",
		    is_no ? "it may not be fetched: " : "");
		if (robots->status == 0)
			(void)buf_print(&out->text, "no answer");
		else
			(void)buf_print(
			    &out->text, "status %d", robots->status);
	} else if (!robots->has_rules) {
		(void)buf_print(&out->text,
		    "there was no robots.txt: status %d", robots->status);
	} else if (verdict->line == 0) {
		(void)buf_print(
		    &out->text, "it may be fetched: no rule matches");
	} else if (verdict->is_given_up) {
		(void)buf_print(
		    &out->text, "it may not be fetched: " ROBOTS_GIVEN_UP);
	} else {
		(void)buf_print(&out->text, "%s: line %" PRIu32 ": ",
		    is_no ? "it may not be fetched" : "it may be fetched",
		    verdict->line);
		out_text(out,
		    slice_trim(
			robots_line(buf_text(&robots->body), verdict->line)));
	}
	purposes_print(&out->text, "; it says ", verdict->said);
	if (robots->is_failing && robots->has_rules && !robots->is_closed)
		(void)buf_print(&out->text,
		    "; robots.txt cannot be had now, and what it said before "
		    "holds");
	out_end_line(out);
}

void
explain_text(const struct explanation *to, struct store *store, struct out *out)
{
	struct printer printer = {.to = to, .store = store, .out = out};

	if (to->unusable != DIAG_OK) {
		explain_label(out, SEVERITY_ERROR, "refused");
		(void)buf_print(&out->text, "%s (%s): %s\n",
		    diag_name(to->unusable), diag_info(to->unusable)->rule,
		    diag_info(to->unusable)->trigger);
	}
	/* what is known of the documents that have the URL */
	if (to->documents > 0)
		store_each_document(store, DOCUMENTS_AT, url_text(&to->url),
		    text_put_document, &printer);

	for (size_t i = 0; i < to->count; i++) {
		if (to->places[i].sort == PLACE_LISTED)
			put_accepted(to, out, &to->places[i]);
		else if (to->places[i].sort == PLACE_REFUSED)
			put_refused(to, out, &to->places[i]);
	}
	for (enum place_sort sort = PLACE_LISTED; sort <= PLACE_REFUSED; sort++)
		if (to->totals[sort] > EXPLAIN_PLACES)
			(void)buf_print(&out->text,
			    INDENT "and %" PRIu64 " more documents\n",
			    to->totals[sort] - EXPLAIN_PLACES);
	(void)out_line(out);
	if (to->unusable != DIAG_OK)
		return;
	if (!explanation_is_accepted(to) && !explanation_is_refused(to))
		put_unknown(to, out);
	put_robots(to, out);
	/* Of a site behind a wall its robots.txt may be all that is known. */
	if (to->documents == 0) {
		struct buf robots = BUF_UP_TO(SIZE_MAX);

		(void)buf_put_slice(&robots, url_origin(&to->url));
		(void)buf_print(&robots, "/robots.txt");
		store_each_document(store, DOCUMENTS_AT, buf_text(&robots),
		    text_put_wall, &printer);
		buf_release(&robots);
	}
	explain_due_text(to, out);
}
