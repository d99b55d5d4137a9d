/* Listed pages in the formats of a report: what they share. */
#include "crawler/report/report_page_parts.h"

#include "base/human.h"
#include "base/out_json.h"
#include "crawler/report/report_parts.h"

struct slice
report_page_path(const struct report *report, const struct report_page *page)
{
	struct slice url = slice_of(page->url);
	struct slice origin = report_origin(url);

	if (report->document_count > 0 && origin.len > 0 &&
	    origin.len < url.len &&
	    slice_equal(
		origin, report_origin(slice_of(report->documents[0].url))))
		return slice_from(url, origin.len);
	return url;
}

void
report_put_page_status(struct buf *out, const struct report_page *page)
{
	if (page->status == 0)
		(void)buf_print(out,
		    page->end == PAGE_DISALLOWED ? "disallowed" : "no answer");
	else
		(void)buf_print(out, "%d", page->status);
	if (page->status == 0 || page->final_url == NULL)
		return;
	if (page->end == PAGE_DISALLOWED)
		(void)buf_print(out, " to disallowed");
	else if (page->final_status == 0)
		(void)buf_print(out, " to no answer");
	else
		(void)buf_print(out, " to %d", page->final_status);
}

const char *
report_page_index(const struct report_page *page)
{
	if (page->end != PAGE_ANSWERED)
		return "-";
	if (page->noindex[0] != '\0')
		return "noindex";
	return page->is_cut ? "unknown" : "yes";
}

const char *
report_page_canonical(const struct report_page *page)
{
	if (page->end != PAGE_ANSWERED)
		return "-";
	switch (page->canonical) {
	case CANONICAL_NONE:
		return "none";
	case CANONICAL_SELF:
		return "itself";
	case CANONICAL_OTHER:
		return "another";
	case CANONICAL_SEVERAL:
		return "several";
	case CANONICAL_INVALID:
		break;
	}
	return "no URL";
}

bool
report_page_note(const struct report_page *page, size_t i, const char **says,
    const char **what)
{
	bool has_canonical = page->canonical == CANONICAL_OTHER ||
	    page->canonical == CANONICAL_SEVERAL;
	const struct {
		bool is_there;
		const char *says, *what;
	} notes[] = {
	    {page->final_url != NULL, "leads to ", page->final_url},
	    {page->detail[0] != '\0', "", page->detail},
	    {page->noindex[0] != '\0', "", page->noindex},
	    {page->is_cut && page->noindex[0] == '\0',
		"no noindex in its first 512 KiB; the rest was not looked at",
		""},
	    {has_canonical, "names ", page->canonical_url},
	};

	for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++)
		if (notes[k].is_there && i-- == 0) {
			*says = notes[k].says;
			*what = notes[k].what;
			return true;
		}
	return false;
}

void
report_put_pages_verdict(struct buf *out, const struct report *report)
{
	size_t good = 0;

	for (size_t i = 0; i < report->page_count; i++)
		good += report->pages[i].code_count == 0;
	human_plural(out, report->page_count, "listed page");
	(void)buf_print(out, " looked at, ");
	human_count(out, good);
	(void)buf_print(out, " with nothing wrong");
}

/* As JSON. */

static void
put_word(struct buf *out, const char *key, const char *word)
{
	out_json_word(out, key, slice_of(word));
}

static void
put_status(struct buf *out, const char *key, int status)
{
	if (status > 0)
		out_json_number(out, key, (uint64_t)status);
	else
		put_word(out, key, NULL);
}

static const char *
end_name(enum page_end end)
{
	switch (end) {
	case PAGE_ANSWERED:
		return "answered";
	case PAGE_DISALLOWED:
		return "disallowed";
	case PAGE_FAILED:
		break;
	}
	return "failed";
}

static const char *
canonical_name(enum page_canonical canonical)
{
	static const char *const names[] = {
	    "none", "itself", "another", "several", "invalid"};

	return names[canonical];
}

static void
put_content(struct buf *out, const struct report_page *page)
{
	bool is_known = page->end == PAGE_ANSWERED;

	out_json_key(out, "noindex");
	(void)buf_print(out, "%s",
	    page->noindex[0] != '\0'        ? "true"
		: is_known && !page->is_cut ? "false"
					    : "null");
	put_word(out, "noindex_by", page->noindex);
	put_word(out, "canonical",
	    is_known ? canonical_name(page->canonical) : NULL);
	put_word(out, "canonical_url", page->canonical_url);
}

void
report_put_page_json(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	put_word(out, "path", page->url);
	put_word(out, "sitemap",
	    page->document < report->document_count
		? report->documents[page->document].url
		: NULL);
	put_word(out, "outcome", end_name(page->end));
	put_status(out, "http_status", page->status);
	out_json_number(out, "redirects", page->hops);
	put_word(out, "final_url", page->final_url);
	put_status(out, "final_status", page->final_status);
	put_word(out, "detail", page->detail);
	put_content(out, page);
	out_json_key(out, "codes");
	(void)buf_put_char(out, '[');
	for (size_t i = 0; i < page->code_count; i++)
		(void)buf_print(out, "%s\"%s\"", i > 0 ? "," : "",
		    diag_name(page->codes[i]));
	(void)buf_put_char(out, ']');
}
