/* Compare: for programs. */
#include "base/out_json.h"
#include "crawler/commands/compare_print.h"

static void
json_code(struct buf *out, const char *key, enum diag_code code)
{
	out_json_word(
	    out, key, slice_of(code == DIAG_OK ? "" : diag_name(code)));
}

static void
json_reading(
    struct buf *out, const struct compare_document *document, int profile)
{
	const struct compare_reading *reading = &document->readings[profile];
	bool is_read = compare_is_read(document, profile);

	out_json_key(out, compare_profile(profile));
	(void)buf_print(out, "{\"read\":%s", is_read ? "true" : "false");
	json_code(out, "failure",
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
			json_code(out, compare_profile(i), group->codes[i]);
	(void)buf_put_char(out, '}');
	out_json_number(out, "count", group->count);
	out_json_key(out, "samples");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < group->sample_count; i++) {
		if (i > 0)
			(void)buf_put_char(out, ',');
		out_json_text(out, slice_of(group->samples[i]));
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
