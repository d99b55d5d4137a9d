/* What is known of a URL, for people. */
#include "crawler/inspect/explain_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/zone.h"
#include "crawler/inspect/explain_document.h"
#include "crawler/inspect/explain_print.h"

#define INDENT EXPLAIN_INDENT
#define SHOWN 8 /* documents that get a line each */
#define DIRECTORIES 4
#define WORD_MAX 65536
#define DATES_MAX 1024

/* Append the rule of the verdict, wrapped. */
static void
put_why(const struct explanation *to, struct out *out,
    const struct explain_place *place)
{
	struct buf why;

	buf_init(&why, WORD_MAX);
	explain_why(&why, place, &to->url);
	out_wrapped(&out->text, INDENT, buf_str(&why));
	(void)out_line(out);
	buf_release(&why);
}

/* Append the date of the entry, and how it changed here. */
static void
put_dates(struct out *out, const struct explain_place *place)
{
	const struct entry *entry = &place->entry;
	struct buf text;

	buf_init(&text, DATES_MAX);
	(void)buf_print(&text, "lastmod ");
	if (entry->lastmod.precision == DATE_NONE)
		(void)buf_print(&text, "none");
	else
		date_print(&text, &entry->lastmod);
	(void)buf_print(&text, "; first seen ");
	zone_print(&text, entry->first_seen_s);
	if (entry->redated_s != 0) {
		(void)buf_print(&text, "; lastmod moved ");
		zone_print(&text, entry->redated_s);
	}
	(void)buf_print(&text, "; %s",
	    entry->missed > 0    ? "absent from the last complete reading"
		: entry->is_held ? "listed, though the last reading lacked it: "
				   "it lacked too much at once"
				 : "listed");
	if (place->sort == PLACE_REFUSED && place->since_s != 0) {
		(void)buf_print(&text, ", and refused since ");
		zone_print(&text, place->since_s);
	} else if (place->sort == PLACE_REFUSED) {
		(void)buf_print(
		    &text, ", and refused ever since, as far as is known");
	}
	out_wrapped(&out->text, INDENT, buf_str(&text));
	(void)out_line(out);
	buf_release(&text);
}

/* Is the code about the location of a URL? Other codes are about its form,
 * which no rule or proof changes. */
static bool
is_of_place(enum diag_code code)
{
	switch ((int)code) {
	case DIAG_HOST_MISMATCH:
	case DIAG_WWW_MISSING:
	case DIAG_WWW_EXTRA:
	case DIAG_SCHEME_MISMATCH:
	case DIAG_PORT_MISMATCH:
	case DIAG_OUTSIDE_DIRECTORY:
		return true;
	default:
		return false;
	}
}

static void
put_refused(const struct explanation *to, struct out *out,
    const struct explain_place *place)
{
	char end[48] = "";

	explain_label(out, SEVERITY_ERROR, "refused");
	if (place->line > 0)
		(void)snprintf(
		    end, sizeof(end), " → line %" PRIu32, place->line);
	else if (place->has_entry)
		(void)snprintf(end, sizeof(end),
		    " → entry %" PRIu64 " when first read",
		    (uint64_t)place->entry.ordinal + 1);
	explain_put_chains(to, out, place, end);
	put_why(to, out, place);
	out_wrapped(
	    &out->text, INDENT "remedy: ", diag_info(place->found)->remedy);
	if (place->has_entry)
		put_dates(out, place);
	if (to->unusable == DIAG_OK && place->today.is_accepted &&
	    is_of_place(place->found))
		(void)buf_print(&out->text,
		    INDENT
		    "by the rules and proofs of now it is accepted: crawl "
		    "again\n");
	(void)out_line(out);
}

/* A URL that no document lists. */

static void
put_places(const struct explanation *to, struct out *out, enum place_sort sort,
    const char *heading)
{
	uint64_t shown = 0;
	struct buf why, last;

	if (to->totals[sort] == 0)
		return;
	buf_init(&why, WORD_MAX);
	buf_init(&last, WORD_MAX);
	(void)buf_print(&out->text, INDENT "%s\n", heading);
	for (size_t i = 0; i < to->count && shown < SHOWN; i++) {
		const struct explain_place *place = &to->places[i];

		if (place->sort != sort)
			continue;
		buf_clear(&why);
		/* Append why today's rules refuse the URL. */
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
		explain_put_url(to, out, place->document);
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

static void
put_conditions(const struct explanation *to, struct out *out)
{
	struct slice origin = url_origin(&to->url);

	(void)buf_print(&out->text,
	    INDENT "to be accepted, it has to be in a document that\n" INDENT
		   "- lies on %.*s in ",
	    (int)origin.len, origin.p);
	/* Append "/, /blog/ or /blog/2026/". */
	struct slice path = slice_from(
	    url_directory(&to->url), to->url.path_at);
	size_t left = 0;

	for (size_t i = 0; i < path.len; i++)
		left += path.p[i] == '/';
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
	if (!to->has_site)
		(void)buf_print(&out->text, "; of %.*s nothing is known",
		    (int)host.len, host.p);
	out_end_line(out);
	if (to->is_gone) {
		(void)buf_print(&out->text, INDENT);
		explain_put_url(to, out, to->gone.document);
		(void)buf_print(&out->text, " listed it until ");
		zone_print(&out->text, to->gone.at_s);
		(void)buf_print(&out->text, " (reading %" PRId64 ")\n",
		    to->gone.reading_id);
	}
	put_places(to, out, PLACE_ABLE,
	    "it would be accepted if one of these listed it:");
	put_places(to, out, PLACE_UNABLE,
	    "it would be refused if one of these listed it:");
	put_conditions(to, out);
}

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
	if (robots->is_failing && robots->has_rules && !robots->is_closed)
		(void)buf_print(&out->text,
		    "; robots.txt cannot be had now, and what it said before "
		    "holds");
	out_end_line(out);
}

void
explain_text(const struct explanation *to, struct store *store, struct out *out)
{
	if (to->unusable != DIAG_OK) {
		explain_label(out, SEVERITY_ERROR, "refused");
		(void)buf_print(&out->text, "%s (%s): %s",
		    diag_name(to->unusable), diag_info(to->unusable)->rule,
		    diag_info(to->unusable)->trigger);
		out_end_line(out);
	}
	explain_documents(to, store, out);
	for (size_t i = 0; i < to->count; i++) {
		if (to->places[i].sort == PLACE_LISTED) {
			const struct explain_place *place = &to->places[i];
			const struct entry *entry = &place->entry;
			char end[48];

			explain_label(out, SEVERITY_INFO, "accepted");
			(void)snprintf(end, sizeof(end),
			    " → entry %" PRIu64 " when first read",
			    (uint64_t)entry->ordinal + 1);
			explain_put_chains(to, out, place, end);
			put_why(to, out, place);
			/* Append which rules the verdict is by, if they are not
			 * today's. */
			bool is_moved = place->verdict.is_accepted !=
			    place->today.is_accepted;

			if (!place->is_known)
				(void)buf_print(&out->text,
				    INDENT "by the rules given now: it was "
					   "read under others, or "
					   "a proof is new\n");
			else if (is_moved)
				(void)buf_print(&out->text,
				    INDENT "so by profile %s, under which it "
					   "was read; by the rules "
					   "given now: %s\n",
				    place->profile,
				    place->today.is_accepted
					? "accepted"
					: diag_name(place->today.code));

			put_dates(out, place);
		} else if (to->places[i].sort == PLACE_REFUSED)
			put_refused(to, out, &to->places[i]);
	}
	for (enum place_sort sort = PLACE_LISTED; sort <= PLACE_REFUSED; sort++)
		if (to->totals[sort] > EXPLAIN_PLACES) {
			(void)buf_print(&out->text,
			    INDENT "and %" PRIu64 " more documents",
			    to->totals[sort] - EXPLAIN_PLACES);
			out_end_line(out);
		}
	if (to->unusable != DIAG_OK)
		return;
	if (!explanation_is_accepted(to) && !explanation_is_refused(to))
		put_unknown(to, out);
	put_robots(to, out);
	explain_due_text(to, out);
}
