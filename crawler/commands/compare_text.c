/* Compare: for people. */
#include "base/human.h"
#include "crawler/commands/compare_print.h"
#include "crawler/report/report_parts.h"

#define LABEL 10
#define COLUMN 12

static void
end_line(struct out *out)
{
	(void)buf_put_char(&out->text, '\n');
	(void)out_line(out);
}

const char *
compare_profile(int profile)
{
	static const char *const names[COMPARE_PROFILES] = {
	    "strict", "google", "lenient"};

	return names[profile];
}

/* put_profiles(out, mask): "strict, google". */
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

/* put_codes(out, codes, mask): one line for each code of those profiles. */
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
		end_line(out);
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
	end_line(out);
	put_codes(out, group->codes, others);
	for (size_t i = 0; i < group->sample_count; i++) {
		(void)buf_print(text, "      ");
		out_text(out, slice_of(group->samples[i]));
		end_line(out);
	}
	if (group->count > group->sample_count) {
		(void)buf_print(text, "      and ");
		human_count(text, group->count - group->sample_count);
		(void)buf_print(text, " more");
		end_line(out);
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
	end_line(out);
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
	end_line(out);
	put_codes(out, codes, mask);
}

void
compare_text_document(const struct compare_diff *diff, struct out *out)
{
	const struct compare_document *document = diff->document;
	const struct compare_reading *most = &document
						  ->readings[PROFILE_LENIENT];
	bool is_same = compare_is_same(diff);
	struct buf *text = &out->text;

	out_severity(out, is_same ? SEVERITY_INFO : SEVERITY_WARNING);
	(void)buf_print(text, is_same ? "same     " : "differs  ");
	out_severity(out, SEVERITY_NONE);
	out_text(out, slice_of(diff->name));
	(void)buf_print(text, "  %s", report_kind_title(most->content.kind));
	if (is_same && compare_is_read(document, PROFILE_LENIENT)) {
		(void)buf_print(text, "  ");
		human_plural(text, merge_accepted(&most->content.merge),
		    document->is_index ? "sitemap" : "URL");
		(void)buf_print(text, ", ");
		human_count(text, most->content.merge.dated);
		(void)buf_print(text, " with lastmod");
	}
	end_line(out);
	if (!is_same) {
		(void)buf_print(text, "%*s", LABEL, "");
		for (int i = 0; i < COMPARE_PROFILES; i++)
			(void)buf_print(
			    text, "%*s", COLUMN, compare_profile(i));
		end_line(out);
		put_counts(out, document->is_index ? "sitemaps" : "URLs",
		    document, false);
		if (has_dates(document))
			put_counts(out, "lastmod", document, true);
	}
	put_unread(out, document);
	for (size_t i = 0; i < diff->count; i++)
		put_group(out, &diff->groups[i]);
}

/* put_result(out, totals): how many documents differ, and in what. */
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
	end_line(out);
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
		end_line(out);
	}
	for (int code = DIAG_OK + 1; code < DIAG_COUNT; code++) {
		size_t from = text->len;

		if (totals->codes[code] == 0)
			continue;
		(void)buf_print(text, "  ");
		put_code(text, (enum diag_code)code);
		out_pad(out, from, 40);
		out_grouped(out, totals->codes[code], COLUMN);
		end_line(out);
		out_wrapped(
		    text, "      ", diag_info((enum diag_code)code)->trigger);
	}
	if (totals->lost > 0) {
		(void)buf_print(text, "  could not be fetched: ");
		human_plural(text, totals->lost, "document");
		end_line(out);
	}
}
