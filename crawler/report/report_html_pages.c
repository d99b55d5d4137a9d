/* The listed pages of a report's page. */
#include "crawler/report/report_html_pages.h"

#include "base/human.h"
#include "base/vis.h"
#include "crawler/cli/out.h"
#include "crawler/report/report_page_parts.h"
#include "crawler/report/report_parts.h"
#include "crawler/report/report_rows.h"

#define ROWS 1000
#define WIDE 160

static void
put(struct buf *out, const char *markup)
{
	(void)buf_print(out, "%s", markup);
}

/* put_cut(out, text): the middle is left out where it is long. */
static void
put_cut(struct buf *out, struct slice text)
{
	struct buf cut;

	buf_init(&cut, SIZE_MAX);
	(void)vis_put_middle(&cut, text, WIDE);
	xml_put(out, buf_text(&cut));
	buf_release(&cut);
}

/* put_name(out, report, page): a link to a URL of the web, and to no other. */
static void
put_name(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	bool is_link = report_origin(slice_of(page->url)).len > 0;

	put(out, "<td>");
	if (is_link) {
		put(out, "<a rel=\"noreferrer nofollow\" href=\"");
		report_put_xml(out, slice_of(page->url));
		put(out, "\">");
	} else {
		put(out, "<span class=\"url\">");
	}
	put_cut(out, report_page_path(report, page));
	put(out, is_link ? "</a>" : "</span>");
	put(out, "</td>");
}

static void
put_state(struct buf *out, const struct report_page *page)
{
	const char *says, *what;

	(void)buf_print(out, "<td><span class=\"state %s\">",
	    page->severity == SEVERITY_NONE ? "good"
					    : severity_name(page->severity));
	report_put_page_status(out, page);
	put(out, "</span>");
	for (size_t i = 0; i < page->code_count; i++)
		(void)buf_print(out, " <a class=\"%s\" href=\"#%s\">%s</a>",
		    severity_name(page->severity), diag_name(page->codes[i]),
		    diag_name(page->codes[i]));
	for (size_t i = 0; report_page_note(page, i, &says, &what); i++) {
		(void)buf_print(out, "<br><span class=\"soft url\">%s", says);
		put_cut(out, slice_of(what));
		put(out, "</span>");
	}
	put(out, "</td>");
}

static void
put_row(struct buf *out, const struct report *report,
    const struct report_page *page)
{
	put(out, "<tr>");
	put_name(out, report, page);
	put_state(out, page);
	(void)buf_print(out,
	    "<td data-name=\"index\"><span>%s</span></td>"
	    "<td data-name=\"canonical\"><span>%s</span></td></tr>\n",
	    report_page_index(page), report_page_canonical(page));
}

void
report_html_pages(const struct report *report, struct out *out)
{
	struct buf *text = &out->text;
	struct report_rows rows;

	if (report->page_count == 0)
		return;
	report_page_rows_init(&rows, report, ROWS);
	put(text, "<section>\n<h2>Listed pages</h2>\n<p>");
	report_put_pages_verdict(text, report);
	put(text,
	    ".</p>\n<table>\n<thead><tr><th scope=\"col\">page</th>"
	    "<th scope=\"col\">status</th><th scope=\"col\">index</th>"
	    "<th scope=\"col\">canonical</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < rows.count; i++) {
		put_row(text, report, &report->pages[rows.items[i]]);
		(void)out_line(out);
	}
	put(text, "</tbody>\n</table>\n");
	if (rows.hidden > 0) {
		put(text, "<p class=\"soft\">");
		report_put_hidden(text, &rows);
		put(text, " not shown; -f json lists all.</p>\n");
	}
	report_rows_release(&rows);
	put(text, "</section>\n");
}
