/* freshet compare: its output, for people and for programs. */
#include "crawler/commands/compare_print.h"

#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "crawler/report/report_phrases.h"

#define LABEL 10
#define COLUMN 12
#define INDENT 6
#define NAME_LEAST 24 /* columns */
#define SENTENCE 80 /* columns at most */

static const char *
compare_profile(int profile)
{
	static const char *const names[COMPARE_PROFILES] = {
	    "strict", "google", "lenient"};

	return names[profile];
}

/* Append "strict, google". */
static void
put_profiles(struct buf *out, unsigned mask)
{
	const char *comma = "";

	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (mask & 1u << i) {
			(void)buf_print(out, "%s%s", comma, compare_profile(i));
			comma = ", ";
		}
}

static void
put_code(struct buf *out, enum diag_code code)
{
	if (code == DIAG_OK)
		(void)buf_print(out, "for one of several reasons; see check");
	else
		(void)buf_print(
		    out, "%s (%s)", diag_name(code), diag_info(code)->rule);
}

/* Append a line for each code of those profiles. */
static void
put_codes(struct out *out, const enum diag_code codes[COMPARE_PROFILES],
    unsigned mask)
{
	while (mask != 0) {
		unsigned same = 0;
		enum diag_code code = DIAG_OK;

		for (int i = 0; i < COMPARE_PROFILES; i++) {
			if ((mask & 1u << i) == 0)
				continue;
			if (same == 0)
				code = codes[i];
			if (codes[i] == code)
				same |= 1u << i;
		}
		(void)buf_print(&out->text, "      ");
		put_profiles(&out->text, same);
		(void)buf_print(&out->text, ": ");
		put_code(&out->text, code);
		out_end_line(out);
		mask &= ~same;
	}
}

static void
put_group(struct out *out, const struct compare_group *group)
{
	struct buf *text = &out->text;
	unsigned others = 0;

	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (group->codes[i] != DIAG_OK || group->kind == GROUP_URL)
			others |= 1u << i;
	others &= ~group->mask;
	(void)buf_print(text, "  ");
	human_count(text, group->count);
	(void)buf_print(text, " %s%s %s ",
	    group->kind == GROUP_URL ? "URL" : "lastmod",
	    group->count == 1 || group->kind == GROUP_DATE ? "" : "s",
	    group->kind == GROUP_DATE && others == 0 ? "different in"
						     : "only in");
	put_profiles(text, group->mask);
	out_end_line(out);
	put_codes(out, group->codes, others);
	for (size_t i = 0; i < group->sample_count; i++) {
		(void)buf_print(text, "%*s", INDENT, "");
		(void)out_cut(out, slice_of(group->samples[i]), INDENT);
		out_end_line(out);
	}
	if (group->count > group->sample_count) {
		(void)buf_print(text, "      and ");
		human_count(text, group->count - group->sample_count);
		(void)buf_print(text, " more");
		out_end_line(out);
	}
}

static void
put_counts(struct out *out, const char *label,
    const struct compare_document *document, bool of_dates)
{
	size_t from = out->text.len;

	(void)buf_print(&out->text, "  %s", label);
	out_pad(out, from, LABEL);
	for (int i = 0; i < COMPARE_PROFILES; i++) {
		const struct merge_counts *counts = &document->readings[i]
							 .content.merge;

		if (compare_is_read(document, i))
			out_grouped(out,
			    of_dates ? counts->dated : merge_accepted(counts),
			    COLUMN);
		else
			(void)buf_print(&out->text, "%*s", COLUMN, "-");
	}
	out_end_line(out);
}

static bool
has_dates(const struct compare_document *document)
{
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (document->readings[i].content.merge.dated > 0)
			return true;
	return false;
}

static void
put_unread(struct out *out, const struct compare_document *document)
{
	enum diag_code codes[COMPARE_PROFILES];
	unsigned mask = 0;

	for (int i = 0; i < COMPARE_PROFILES; i++) {
		const struct compare_reading *reading = &document->readings[i];

		codes[i] = reading->is_reached ? reading->result
					       : reading->why_not;
		if (!compare_is_read(document, i))
			mask |= 1u << i;
	}
	if (mask == 0)
		return;
	(void)buf_print(&out->text, "  not read");
	out_end_line(out);
	put_codes(out, codes, mask);
}

void
compare_text_document(const struct compare_diff *diff, struct out *out)
{
	const struct compare_document *document = diff->document;
	const struct compare_reading *most = &document
						  ->readings[PROFILE_LENIENT];
	bool is_same = compare_is_same(diff);
	const char *verdict = is_same ? "same     " : "differs  ";
	struct buf *text = &out->text;
	struct buf facts;

	buf_init(&facts, SIZE_MAX);
	(void)buf_print(&facts, "  %s", report_kind_title(most->content.kind));
	if (is_same && compare_is_read(document, PROFILE_LENIENT)) {
		(void)buf_print(&facts, "  ");
		human_plural(&facts, merge_accepted(&most->content.merge),
		    document->is_index ? "sitemap" : "URL");
		(void)buf_print(&facts, ", ");
		human_count(&facts, most->content.merge.dated);
		(void)buf_print(&facts, " with lastmod");
	}
	out_severity(out, is_same ? SEVERITY_INFO : SEVERITY_WARNING);
	(void)buf_print(text, "%s", verdict);
	out_severity(out, SEVERITY_NONE);
	/* beside a name that is cut to nothing, facts are of no use */
	if (out->columns > 0 &&
	    strlen(verdict) + NAME_LEAST + facts.len > out->columns) {
		(void)out_cut(out, slice_of(diff->name), strlen(verdict));
		(void)buf_print(text, "\n%*s", LABEL - 2, "");
	} else {
		(void)out_cut(
		    out, slice_of(diff->name), strlen(verdict) + facts.len);
	}
	(void)buf_put_slice(text, buf_text(&facts));
	buf_release(&facts);
	out_end_line(out);
	if (!is_same) {
		(void)buf_print(text, "%*s", LABEL, "");
		for (int i = 0; i < COMPARE_PROFILES; i++)
			(void)buf_print(
			    text, "%*s", COLUMN, compare_profile(i));
		out_end_line(out);
		put_counts(out, document->is_index ? "sitemaps" : "URLs",
		    document, false);
		if (has_dates(document))
			put_counts(out, "lastmod", document, true);
	}
	put_unread(out, document);
	for (size_t i = 0; i < diff->count; i++)
		put_group(out, &diff->groups[i]);
}

/* Append how many documents differ, and how. */
static void
put_result(struct out *out, const struct compare_totals *totals)
{
	struct buf *text = &out->text;

	if (totals->documents == 0) {
		(void)buf_print(text, "nothing was read");
	} else if (totals->differing == 0) {
		(void)buf_print(text, "all profiles agree on ");
		human_plural(text, totals->documents, "document");
	} else {
		human_count(text, totals->differing);
		(void)buf_print(text, " of ");
		human_plural(text, totals->documents, "document");
		(void)buf_print(text,
		    " %s: ", totals->differing == 1 ? "differs" : "differ");
		human_plural(text, totals->differences[GROUP_URL], "URL");
		(void)buf_print(text, " and ");
		human_plural(text, totals->differences[GROUP_DATE], "date");
	}
	out_end_line(out);
}

void
compare_text_totals(const struct compare_totals *totals, struct out *out)
{
	struct buf *text = &out->text;

	put_result(out, totals);
	for (int i = 0; totals->documents > 0 && i < COMPARE_PROFILES; i++) {
		(void)buf_print(text, "  %-8s", compare_profile(i));
		out_grouped(out, totals->urls[i], COLUMN);
		(void)buf_print(
		    text, totals->urls[i] == 1 ? " URL, " : " URLs,");
		out_grouped(out, totals->dated[i], COLUMN);
		(void)buf_print(text, " with lastmod");
		out_end_line(out);
	}
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++) {
		size_t from = text->len;

		if (totals->codes[code] == 0)
			continue;
		(void)buf_print(text, "  ");
		put_code(text, (enum diag_code)code);
		out_pad(out, from, 40);
		out_grouped(out, totals->codes[code], COLUMN);
		out_end_line(out);
		out_wrapped_to(text, "      ",
		    diag_info((enum diag_code)code)->trigger,
		    out->columns > 0 && out->columns < SENTENCE ? out->columns
								: SENTENCE);
	}
	if (totals->lost > 0) {
		(void)buf_print(text, "  could not be fetched: ");
		human_plural(text, totals->lost, "document");
		out_end_line(out);
	}
}

/* For programs. */

static void
json_reading(
    struct buf *out, const struct compare_document *document, int profile)
{
	const struct compare_reading *reading = &document->readings[profile];
	bool is_read = compare_is_read(document, profile);

	out_json_key(out, compare_profile(profile));
	(void)buf_print(out, "{\"read\":%s", is_read ? "true" : "false");
	out_json_code(out, "failure",
	    reading->is_reached ? reading->result : reading->why_not);
	out_json_number(out, "entries",
	    is_read ? merge_accepted(&reading->content.merge) : 0);
	out_json_number(
	    out, "dated", is_read ? reading->content.merge.dated : 0);
	out_json_number(out, "refused", reading->content.refused);
	(void)buf_put_char(out, '}');
}

static void
json_group(struct buf *out, const struct compare_group *group)
{
	const char *comma = "";

	(void)buf_put_char(out, '{');
	out_json_word(out, "what",
	    slice_of(group->kind == GROUP_URL ? "url" : "lastmod"));
	out_json_key(out, "in");
	(void)buf_put_char(out, '[');
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (group->mask & 1u << i) {
			(void)buf_print(
			    out, "%s\"%s\"", comma, compare_profile(i));
			comma = ",";
		}
	(void)buf_put_char(out, ']');
	out_json_key(out, "codes");
	(void)buf_put_char(out, '{');
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if ((group->mask & 1u << i) == 0)
			out_json_code(out, compare_profile(i), group->codes[i]);
	(void)buf_put_char(out, '}');
	out_json_number(out, "count", group->count);
	out_json_key(out, "samples");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < group->sample_count; i++) {
		if (i > 0)
			(void)buf_put_char(out, ',');
		json_put(out, slice_of(group->samples[i]));
	}
	(void)buf_put_slice(out, slice_of("]}"));
}

void
compare_json_document(const struct compare_diff *diff, struct out *out)
{
	const struct compare_document *document = diff->document;
	struct buf *text = &out->text;

	(void)buf_put_slice(text, slice_of("{\"v\":1"));
	out_json_word(text, "type", slice_of("compare"));
	out_json_word(text, "url", slice_of(diff->name));
	out_json_word(text, "final_url",
	    slice_of(diff->name == document->url ? document->final_url : NULL));
	out_json_word(text, "kind",
	    slice_of(document_kind_name(
		document->readings[PROFILE_LENIENT].content.kind)));
	out_json_key(text, "same");
	(void)buf_print(text, "%s", compare_is_same(diff) ? "true" : "false");
	out_json_key(text, "profiles");
	(void)buf_put_char(text, '{');
	for (int i = 0; i < COMPARE_PROFILES; i++)
		json_reading(text, document, i);
	(void)buf_put_char(text, '}');
	out_json_key(text, "differences");
	(void)buf_put_char(text, '[');
	for (size_t i = 0; i < diff->count; i++) {
		if (i > 0)
			(void)buf_put_char(text, ',');
		json_group(text, &diff->groups[i]);
	}
	(void)buf_put_slice(text, slice_of("]}\n"));
	(void)out_line(out);
}

void
compare_json_totals(const struct compare_totals *totals, struct out *out)
{
	struct buf *text = &out->text;

	(void)buf_put_slice(text, slice_of("{\"v\":1"));
	out_json_word(text, "type", slice_of("summary"));
	out_json_number(text, "documents", totals->documents);
	out_json_number(text, "differing", totals->differing);
	out_json_number(text, "lost", totals->lost);
	out_json_number(text, "urls", totals->differences[GROUP_URL]);
	out_json_number(text, "dates", totals->differences[GROUP_DATE]);
	out_json_key(text, "profiles");
	(void)buf_put_char(text, '{');
	for (int i = 0; i < COMPARE_PROFILES; i++) {
		out_json_key(text, compare_profile(i));
		(void)buf_put_char(text, '{');
		out_json_number(text, "urls", totals->urls[i]);
		out_json_number(text, "dated", totals->dated[i]);
		(void)buf_put_char(text, '}');
	}
	(void)buf_put_char(text, '}');
	out_json_key(text, "codes");
	(void)buf_put_char(text, '{');
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++)
		if (totals->codes[code] > 0)
			out_json_number(text, diag_name((enum diag_code)code),
			    totals->codes[code]);
	(void)buf_put_slice(text, slice_of("}}\n"));
	(void)out_line(out);
}
