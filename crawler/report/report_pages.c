/* The report: listed pages that were looked at. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/report/report_blocked.h"
#include "crawler/report/report_build_internal.h"

/* kept(builder, text): "" when there is no room for more. */
static const char *
kept(struct report_builder *builder, struct slice text)
{
	const char *copy = report_text_keep(builder, text);

	return copy == NULL ? "" : copy;
}

/* blame(builder, page, code, format, text): one more of what is wrong. */
static void
blame(struct report_builder *builder, struct report_page *page,
    enum diag_code code, const char *says, const char *what)
{
	struct report_part *part = &builder->parts[page->document];
	struct report_finding *finding = report_part_find(part, code);
	struct buf text;

	page->codes[page->code_count++] = code;
	if (finding->severity > page->severity)
		page->severity = finding->severity;
	finding->count++;
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "%s%s%s", page->url, says, what);
	report_part_sample(
	    builder, finding, page->document, 0, buf_text(&text));
	buf_release(&text);
}

/* blame_robots(builder, page): what its own robots.txt forbids is a finding of
 * the document already, or will be when all is read. */
static void
blame_robots(struct report_builder *builder, struct report_page *page)
{
	const struct report_part *part = &builder->parts[page->document];
	enum severity severity = profile_severity(
	    part->profile, DIAG_URL_BLOCKED_BY_ROBOTS);

	if (page->hops > 0 || builder->blocked == NULL ||
	    report_blocked_is_over(builder)) {
		blame(builder, page, DIAG_URL_BLOCKED_BY_ROBOTS, ": ",
		    page->detail);
		return;
	}
	page->codes[page->code_count++] = DIAG_URL_BLOCKED_BY_ROBOTS;
	if (severity > page->severity)
		page->severity = severity;
}

static void
blame_end(struct report_builder *builder, struct report_page *page)
{
	switch (page->end) {
	case PAGE_DISALLOWED:
		blame_robots(builder, page);
		break;
	case PAGE_FAILED:
		blame(builder, page, DIAG_URL_FETCH_FAILED, ": ", page->detail);
		break;
	case PAGE_ANSWERED:
		break;
	}
}

/* What another page says is of no interest: that it is another one is. */
static void
blame_content(struct report_builder *builder, struct report_page *page)
{
	if (page->noindex[0] != '\0')
		blame(builder, page, DIAG_URL_NOINDEX, ": ", page->noindex);
	switch (page->canonical) {
	case CANONICAL_NONE:
	case CANONICAL_SELF:
		break;
	case CANONICAL_OTHER:
		blame(builder, page, DIAG_URL_NOT_CANONICAL, " names ",
		    page->canonical_url);
		break;
	case CANONICAL_SEVERAL:
		blame(builder, page, DIAG_URL_NOT_CANONICAL,
		    " names several, the first is ", page->canonical_url);
		break;
	case CANONICAL_INVALID:
		blame(builder, page, DIAG_URL_NOT_CANONICAL,
		    " names what is no URL", "");
		break;
	}
}

void
report_builder_page(void *arg, const struct listed_page *from)
{
	struct report_builder *builder = arg;
	struct report *report = &builder->report;
	uint32_t part = idmap_get(&builder->by_id, from->document_id);
	struct report_page *page;

	if (part == IDMAP_NONE)
		return;
	report->pages = mem_grow(report->pages, &builder->page_cap,
	    report->page_count + 1, sizeof(*report->pages));
	page = &report->pages[report->page_count++];
	*page = (struct report_page){.url = kept(builder, from->url),
	    .document = part,
	    .end = from->end,
	    .status = from->status,
	    .final_status = from->final_status,
	    .hops = from->hops,
	    .detail = kept(builder, from->detail),
	    .is_cut = from->is_cut,
	    .noindex = kept(builder, from->noindex),
	    .canonical = from->canonical,
	    .canonical_url = kept(builder, from->canonical_url)};
	if (from->hops > 0 && !slice_equal(from->final_url, from->url))
		page->final_url = kept(builder, from->final_url);
	/* What leads nowhere is not blamed for what is not there, too. */
	if (from->is_endless)
		blame(
		    builder, page, DIAG_URL_REDIRECT_LOOP, ": ", page->detail);
	else if (from->hops > 0 && page->final_url == NULL)
		blame(builder, page, DIAG_URL_REDIRECTS, ": ", page->detail);
	else if (from->hops > 0)
		blame(builder, page, DIAG_URL_REDIRECTS, " leads to ",
		    page->final_url);
	if (!from->is_endless)
		blame_end(builder, page);
	if (from->hops == 0)
		blame_content(builder, page);
}

static int
compare_pages(const void *a, const void *b)
{
	const struct report_page *x = a;
	const struct report_page *y = b;

	if (x->document != y->document)
		return x->document < y->document ? -1 : 1;
	return strcmp(x->url, y->url);
}

void
report_pages(struct report_builder *builder)
{
	struct report *report = &builder->report;

	for (size_t i = 0; i < report->page_count; i++)
		report->pages[i]
		    .document = builder->parts[report->pages[i].document].place;
	if (report->page_count > 0)
		qsort(report->pages, report->page_count, sizeof(*report->pages),
		    compare_pages);
}
