/* What the formats of a report share. */
#include "crawler/report/report_phrases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/zone.h"
#include "crawler/report/report_dates.h"

#define NEAR_PERCENT 99 /* of a limit: sizes are exact from here on */
#define AGE_MAX_DAYS 60 /* a day farther off is clearer as a date */

const char *const report_status_names[] = {[REPORT_SUCCESS] = "success",
    [REPORT_HAS_ERRORS] = "has errors",
    [REPORT_NOT_FETCHED] = "couldn't fetch"};

const char *const report_kind_titles[] = {[KIND_ROBOTS] = "robots.txt",
    [KIND_INDEX] = "sitemap index",
    [KIND_URLSET] = "sitemap",
    [KIND_TEXT] = "text list",
    [KIND_RSS] = "RSS feed",
    [KIND_ATOM] = "Atom feed",
    [KIND_UNKNOWN] = "document"};

static void
put_span(struct buf *out, int64_t n, const char *unit, bool is_past)
{
	(void)buf_print(
	    out, is_past ? "%lld %s ago" : "in %lld %s", (long long)n, unit);
}

void
report_put_age(struct buf *out, const struct date *date, int64_t now_s)
{
	int64_t days = report_day_of(now_s) - report_day_of(date->epoch_s);
	bool is_past = date->epoch_s <= now_s;
	int64_t age_s = is_past ? now_s - date->epoch_s : date->epoch_s - now_s;

	/* A date without a day has no age; one that lies far off is clearer as
	 * a date. */
	if (date->precision == DATE_NONE) {
		(void)buf_put_char(out, '-');
	} else if (date->precision < DATE_DAY) {
		date_print(out, date);
	} else if (age_s >= AGE_MAX_DAYS * DAY_S) {
		struct date day = {
		    .epoch_s = report_day_of(date->epoch_s) * DAY_S,
		    .precision = DATE_DAY,
		    .zone = ZONE_EXPLICIT};

		date_print(out, &day);
		/* Whether the day in UTC is the one that the site wrote. Of a
		 * time zone, the date keeps only that there was one. */
		if (date->zone == ZONE_EXPLICIT &&
		    (date->precision != DATE_DAY ||
			report_day_of(date->epoch_s) * DAY_S != date->epoch_s))
			(void)buf_print(out, " UTC");
	} else if (date->precision == DATE_DAY && days == 0) {
		(void)buf_print(out, "today");
	} else if (date->precision == DATE_DAY) {
		put_span(out, days > 0 ? days : -days, "d", days > 0);
	} else if (age_s < MINUTE_S) {
		(void)buf_print(out, "now");
	} else if (age_s < HOUR_S) {
		put_span(out, age_s / MINUTE_S, "min", is_past);
		/* "30 h ago" says more than "1 d ago". */
	} else if (age_s < 2 * DAY_S) {
		put_span(out, age_s / HOUR_S, "h", is_past);
	} else {
		put_span(out, age_s / DAY_S, "d", is_past);
	}
}

/* Next to the limit every byte is shown, because one byte decides. */
bool
report_is_near_limit(const struct report_document *document)
{
	return document->max_bytes > 0 &&
	    report_percent(document->decoded_bytes, document->max_bytes) >=
	    NEAR_PERCENT;
}

void
report_put_bytes(
    struct buf *out, const struct report_document *document, bool is_limit)
{
	uint64_t bytes = is_limit ? document->max_bytes
				  : document->decoded_bytes;

	/* reading stops at the limit, so that the size is not known */
	for (size_t i = 0; !is_limit && i < document->finding_count; i++)
		if (document->findings[i].code == DIAG_FILE_TOO_LARGE) {
			(void)buf_print(out, "over ");
			break;
		}
	(void)buf_print(out, "%s",
	    report_is_near_limit(document)
		? human_of(bytes, "byte").text
		: human_scaled(bytes, human_bytes).text);
}

void
report_put_size(struct buf *out, const struct report_document *document)
{
	if (document->kind != KIND_ROBOTS) {
		human_put(out, document->seen,
		    document->kind == KIND_INDEX ? "sitemap" : "URL");
		if (document->max_entries > 0)
			(void)buf_print(out, " (limit %s)",
			    human_of(document->max_entries, NULL).text);
		(void)buf_print(out, ", ");
		if (document->refused > 0)
			(void)buf_print(out, "%s refused, ",
			    human_of(document->refused, NULL).text);
	}
	report_put_bytes(out, document, false);
	if (document->max_bytes > 0) {
		(void)buf_print(out, " (limit ");
		report_put_bytes(out, document, true);
		(void)buf_put_char(out, ')');
	}
}

void
report_put_line(struct buf *out, const struct report_sample *sample)
{
	/* A text list has lines and no entries; of a gzipped sitemap the entry
	 * is found more easily. */
	if (sample->line > 0)
		(void)buf_print(out, " line %u", sample->line);
	if (sample->entry > 0)
		(void)buf_print(out, "%s entry %u", sample->line > 0 ? "," : "",
		    sample->entry);
	if (sample->is_new)
		(void)buf_print(out, " (new)");
}

const struct report_document *
report_annotated(const struct report *report,
    const struct report_document *document, uint32_t *line)
{
	/* A file that is there can be mended itself, even if it could not be
	 * read as a sitemap. */
	if (document->failure == DIAG_OK || document->file != NULL ||
	    document->listed_entry == 0 ||
	    document->parent >= report->document_count)
		return document;
	*line = document->listed_line;
	return &report->documents[document->parent];
}

void
report_put_verdict(struct buf *out, const struct report *report)
{
	uint64_t bad = report->has_errors + report->not_fetched;
	bool is_blind = false; /* robots.txt could not be read */

	for (size_t i = 0; i < report->document_count; i++)
		is_blind |= report->documents[i].status == REPORT_NOT_FETCHED &&
		    report->documents[i].failure != DIAG_NO_SITEMAP_FOUND;
	if (report->sitemaps == 0) {
		(void)buf_print(out,
		    is_blind ? "nothing could be read"
			     : "no sitemap was found");
		return;
	}
	if (bad > 0 && report->sitemaps == 1) {
		(void)buf_print(out,
		    report->indexes > 0 ? "the index needs attention"
					: "the sitemap needs attention");
	} else if (bad > 0) {
		(void)buf_print(out, "%s of %s%s %s attention",
		    human_of(bad, NULL).text,
		    human_of(report->sitemaps, "sitemap").text,
		    report->indexes > 0 ? " and indexes" : "",
		    bad == 1 ? "needs" : "need");
	} else {
		(void)buf_print(out,
		    report->warnings > 0            ? "no errors in "
			: report_has_faults(report) ? "all is well but for "
						      "remarks in "
						    : "all is well with ");
		uint64_t lists = report->sitemaps - report->indexes;

		if (lists > 0 || report->indexes == 0)
			human_put(out, lists, "sitemap");
		if (report->indexes != 0)
			(void)buf_print(out, "%s%s%s", lists > 0 ? " and " : "",
			    human_of(report->indexes, NULL).text,
			    report->indexes == 1 ? " index" : " indexes");
	}
	if (report->lost > 0)
		(void)buf_print(out, ", %s%s",
		    human_of(report->lost, "target").text,
		    report->lost == 1 ? " has none" : " have none");
}

void
report_put_uncompared(struct buf *out, const struct report *report)
{
	if (report->uncompared > 0)
		(void)buf_print(out,
		    "only the first %s of %s URLs were compared with "
		    "robots.txt",
		    human_of(report->compared, NULL).text,
		    human_of(report->compared + report->uncompared, NULL).text);
	if (report->has_unjudged_links)
		(void)buf_print(out,
		    "%shreflang: whether links are returned was not judged; "
		    "there are too many",
		    report->uncompared > 0 ? "; " : "");
}

void
report_put_run(struct buf *out, const struct report *report)
{
	(void)buf_print(out, "read %s in %s, judged by profile %s",
	    zone_text(report->began_s, ZONE_FULL).text,
	    human_time(report->spent_ms, false).text, report->profile);
	if (report->agent != NULL)
		(void)buf_print(out, ", robots.txt for %s", report->agent);
	if (report_is_unconfined(report))
		(void)buf_print(
		    out, "; readers not sandboxed: %s", report->sandbox);
	if (report->uncompared > 0 || report->has_unjudged_links)
		(void)buf_print(out, "; ");
	report_put_uncompared(out, report);
}

const char *
report_title(const struct report *report, size_t i)
{
	/* A folder says nothing to whoever reads the report elsewhere. */
	bool is_path = strstr(report->targets[i], "://") == NULL;

	return is_path && report->target_urls != NULL &&
		report_origin(slice_of(report->target_urls[i])).len > 0
	    ? report->target_urls[i]
	    : report->targets[i];
}

void
report_put_accepted(struct buf *out, const struct report *report)
{
	uint64_t new = report->errors + report->warnings + report->infos -
	    report->known;

	if (report->has_baseline)
		(void)buf_print(out, "%s, %s known, %s%s",
		    human_of(new, "new finding").text,
		    human_of(report->known, NULL).text,
		    human_of(report->gone, NULL).text,
		    report->ignored > 0 ? " gone; " : " gone");
	if (report->ignored > 0)
		(void)buf_print(out, "%s ignored",
		    human_of(report->ignored, "finding").text);
}

bool
report_put_asides(struct buf *out, const struct report *report)
{
	bool has_one = false;

	for (size_t i = 0; i < report->group_count; i++) {
		const struct report_finding *finding = &report->groups[i];

		if (!report_is_aside(report, finding))
			continue;
		(void)buf_print(out, "%s%s, %s",
		    has_one ? "; " : "nothing to do: ",
		    diag_name(finding->code),
		    human_of(finding->count, "time").text);
		has_one = true;
	}
	return has_one;
}

bool
report_put_generators(struct buf *out, const struct report *report)
{
	const char *before = "made by ";

	for (size_t i = 0; i < report->document_count; i++) {
		const struct report_document *document = &report->documents[i];
		bool is_told = document->generator == NULL;

		for (size_t k = 0; k < i && !is_told; k++)
			is_told = report->documents[k].generator ==
			    document->generator;
		if (is_told)
			continue;
		(void)buf_print(out,
		    "%s%s, known by %s ('freshet help %s' says more)", before,
		    document->generator->name, document->generator_reason,
		    document->generator->name);
		before = "; and by ";
	}
	return before[0] == ';';
}

struct report_remedy
report_remedy(const struct report *report, const struct report_finding *finding)
{
	struct slice http = slice_of("http://");
	const struct generator *made_by = NULL;
	const char *advice = NULL;
	struct report_remedy remedy;
	struct slice origin;

	(void)snprintf(remedy.text, sizeof(remedy.text), "%s",
	    diag_info(finding->code)->remedy);
	if (finding->sample_count > 0)
		made_by = report->documents[finding->samples[0].document]
			      .generator;
	switch ((int)finding->code) {
	case DIAG_LASTMOD_BUILD:
	case DIAG_LASTMOD_UNIFORM:
	case DIAG_LASTMOD_ONE_MOMENT:
	case DIAG_LASTMOD_FROZEN:
	case DIAG_LASTMOD_BACKWARDS:
	case DIAG_INDEX_DATES_BUILD:
		if (made_by != NULL)
			advice = made_by->advice;
		break;
	default:
		for (size_t i = 0; made_by != NULL && i < GENERATOR_MENDS; i++)
			if (made_by->mends[i][0] != NULL &&
			    strcmp(made_by->mends[i][0],
				diag_name(finding->code)) == 0)
				advice = made_by->mends[i][1];
		break;
	}
	if (advice != NULL)
		(void)snprintf(remedy.text, sizeof(remedy.text),
		    "%s; with %s: %s", diag_info(finding->code)->remedy,
		    made_by->name, advice);
	/* Was the site asked over http, and does it list almost only https
	 * URLs? */
	if (finding->code != DIAG_SCHEME_MISMATCH ||
	    finding->sample_count == 0 ||
	    finding->count < (report->urls + report->refused) / 10 * 9)
		return remedy;
	origin = report_origin(
	    slice_of(report->documents[finding->samples[0].document].url));
	if (slice_starts(origin, http))
		(void)snprintf(remedy.text, sizeof(remedy.text),
		    "you asked for http, the site says https: check "
		    "https://%.*s",
		    (int)(origin.len - http.len), origin.p + http.len);
	return remedy;
}

/* Like report_path(). */
static struct slice
report_url_path(const struct report *report, const char *text)
{
	struct slice url = slice_of(text);
	struct slice origin = report_origin(url);

	if (report->document_count > 0 && origin.len > 0 &&
	    origin.len < url.len &&
	    slice_equal(
		origin, report_origin(slice_of(report->documents[0].url))))
		return slice_from(url, origin.len);
	return url;
}

/* "200", "301 to 404", "disallowed" or "no answer". */
static void
report_put_page_status(struct buf *out, const struct report_page *page)
{
	if (page->status == 0)
		(void)buf_print(out,
		    page->end == PAGE_DISALLOWED ? "disallowed" : "no answer");
	else
		(void)buf_print(out, "%d", page->status);
	/* Where redirects led is said only if the page itself answered. */
	if (page->status == 0 || page->final_url == NULL)
		return;
	if (page->end == PAGE_DISALLOWED)
		(void)buf_print(out, " to disallowed");
	else if (page->final_status == 0)
		(void)buf_print(out, " to no answer");
	else
		(void)buf_print(out, " to %d", page->final_status);
}

static const char *
report_page_index(const struct report_page *page)
{
	/* What was not read may say anything. */
	if (page->end != PAGE_ANSWERED)
		return "-";
	if (page->noindex[0] != '\0')
		return "noindex";
	return page->is_cut ? "unknown" : "yes";
}

static const char *
report_page_canonical(const struct report_page *page)
{
	static const char *const words[] = {[CANONICAL_NONE] = "none",
	    [CANONICAL_SELF] = "itself",
	    [CANONICAL_OTHER] = "another",
	    [CANONICAL_SEVERAL] = "several",
	    [CANONICAL_INVALID] = "no URL"};

	if (page->end != PAGE_ANSWERED)
		return "-";
	return words[page->canonical];
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
	    {page->unlisted != NULL, "no sitemap lists it: ", page->unlisted},
	};

	/* The i-th of those that are there, so that a format has one loop and
	 * no case. */
	for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++)
		if (notes[k].is_there && i-- == 0) {
			*says = notes[k].says;
			*what = notes[k].what;
			return true;
		}
	return false;
}

/* Lists of documents and of pages: the worst first. */

bool
report_is_under(const struct report *report, size_t i, uint32_t head)
{
	const struct report_document *document = &report->documents[i];
	uint32_t parent = document->parent;

	if (head == REPORT_ALL)
		return true;
	if (document->kind == KIND_ROBOTS ||
	    document->failure == DIAG_NO_SITEMAP_FOUND)
		return false;
	if (head != UINT32_MAX)
		return parent == head;
	return document->kind != KIND_INDEX &&
	    (parent >= report->document_count ||
		report->documents[parent].kind != KIND_INDEX);
}

static bool
rows_is_head(const struct report_document *document)
{
	return document->kind == KIND_ROBOTS || document->kind == KIND_INDEX;
}

#define ROW_RANKS 5

/* A document in the tree of indexes. */
struct row_node {
	uint32_t depth; /* indexes above it */
	unsigned rank; /* below ROW_RANKS; 0 is the worst */
	bool is_shown;
	bool is_first; /* of the siblings at the top that are sorted together */
};

/* Make the tree; the documents under one head are siblings. */
static struct row_node *
nodes_new(const struct report_list *list)
{
	const struct report *report = list->report;
	struct row_node *nodes = mem_zero(
	    (report->document_count + 1) * sizeof(*nodes));

	for (size_t i = list->from; i < list->to; i++) {
		const struct report_document *document = &report->documents[i];
		struct row_node *node = &nodes[i];

		node->rank = document->errors > 0 ||
			document->status == REPORT_HAS_ERRORS
		    ? 0
		    : document->status == REPORT_NOT_FETCHED ? 1
		    : document->warnings > 0                 ? 2
		    : document->infos > 0                    ? 3
							     : 4;
		/* Sitemaps of one origin that follow each other, and that no
		 * index lists, are sorted; all else at the top keeps its
		 * place. */
		if (list->head == REPORT_ALL && document->parent < i)
			node->depth = nodes[document->parent].depth + 1;
		else
			node->is_first = list->head == REPORT_ALL &&
			    (i == 0 || rows_is_head(document) ||
				rows_is_head(document - 1) ||
				nodes[i - 1].depth > 0 ||
				!slice_equal(
				    report_origin(slice_of(document->url)),
				    report_origin(slice_of(document[-1].url))));
	}
	return nodes;
}

/* If there is not room for all, an index with rows below it goes before
 * documents without faults: it is needed to read where errors are. */
static unsigned
row_worth(const struct report *report, const struct row_node *nodes, size_t i)
{
	unsigned rank = nodes[i].rank;

	return rank <= 1                          ? rank
	    : rows_is_head(&report->documents[i]) ? 2
						  : rank + 1;
}

/* Add the rows that are shown: the worst of siblings first, each with what is
 * below it, which stands behind it in the report. */
static void
rows_add(struct report_rows *rows, const struct row_node *nodes, size_t from,
    size_t to)
{
	for (size_t group; from < to; from = group) {
		for (group = from + 1; group < to && !nodes[group].is_first;)
			group++;
		for (unsigned rank = 0; rank < ROW_RANKS; rank++)
			for (size_t i = from, end; i < group; i = end) {
				end = i + 1;
				while (end < group &&
				    nodes[end].depth > nodes[i].depth)
					end++;
				if (nodes[i].rank != rank)
					continue;
				if (nodes[i].is_shown)
					rows->items[rows->count++] = (uint32_t)
					    i;
				rows_add(rows, nodes, i + 1, end);
			}
	}
}

void
report_rows_init(
    struct report_rows *rows, const struct report_list *list, uint64_t max)
{
	struct row_node *nodes = nodes_new(list);
	uint64_t shown = 0;

	*rows = (struct report_rows){
	    .items = mem_alloc(
		(list->to - list->from + 1) * sizeof(*rows->items))};
	/* First which rows are shown, by what is wrong with them; then their
	 * order on the page. */
	for (unsigned worth = 0; worth <= ROW_RANKS; worth++)
		for (size_t i = list->from; i < list->to; i++) {
			if (row_worth(list->report, nodes, i) != worth ||
			    !report_is_under(list->report, i, list->head))
				continue;
			nodes[i].is_shown = shown++ < max;
			rows->hidden += !nodes[i].is_shown;
			rows->errors += !nodes[i].is_shown &&
			    nodes[i].rank == 0;
			rows->lost += !nodes[i].is_shown && nodes[i].rank == 1;
		}
	rows_add(rows, nodes, list->from, list->to);
	free(nodes);
}

bool
report_table_drop_well(struct report_table *table)
{
	struct report_rows *rows = &table->rows;

	/* they come last */
	while (rows->items != NULL && rows->count > 0) {
		const struct report_page
		    *page = &table->report->pages[rows->items[rows->count - 1]];

		if (page->code_count > 0 || page->is_cut)
			break;
		rows->count--;
		rows->hidden = 0;
	}
	if (rows->count > 0)
		return true;
	free(rows->items);
	return false;
}

bool
report_table_init(struct report_table *table, const struct report *report,
    bool is_closed, uint64_t max)
{
	struct report_rows *rows = &table->rows;
	size_t all = is_closed ? report->closed_count : report->page_count;

	*table = (struct report_table){.report = report,
	    .is_closed = is_closed,
	    .id = is_closed ? "agents" : "pages",
	    .title = is_closed ? "Who may fetch what" : "Listed pages",
	    .columns = is_closed ? report->agent_count : 3,
	    .heads = {"status", "index", "canonical"}};
	rows->count = all < max ? all : (size_t)max;
	if (is_closed) {
		rows->hidden = report->closed - rows->count;
		for (size_t i = 0; i < report->agent_count; i++)
			table->heads[i] = report->agents[i].name;
		/* for one agent, the findings say it */
		return report->agent_count > 1 && report->closed > 0;
	}
	if (all == 0)
		return false;
	/* A page without faults says nothing that its sitemap does not say:
	 * the worst come first, and then those that are cut. */
	rows->items = mem_alloc(all * sizeof(*rows->items));
	for (int worth = 2 * SEVERITY_ERROR + 1; worth >= 0; worth--)
		for (size_t i = 0; i < all; i++)
			if (2 * (int)report->pages[i].severity +
				report->pages[i].is_cut ==
			    worth)
				rows->items[rows->hidden++] = (uint32_t)i;
	rows->hidden -= rows->count;
	for (size_t i = rows->count; i < all; i++)
		rows->bad += report->pages[rows->items[i]].code_count > 0;
	return true;
}

void
report_table_verdict(struct buf *out, const struct report_table *table)
{
	const struct report *report = table->report;
	size_t good = 0, unlisted = 0;

	if (table->is_closed) {
		(void)buf_print(out, "robots.txt forbids ");
		for (size_t i = 0; i < report->agent_count; i++) {
			uint64_t n = report->agents[i].forbidden;

			(void)buf_print(out, "%s%s to %s", i > 0 ? ", " : "",
			    n == 0 ? "none"
				   : human_of(n, i == 0 ? "listed URL" : NULL)
					 .text,
			    report->agents[i].name);
		}
		return;
	}
	/* Pages that nothing lists are no listed pages, though they stand in
	 * the same table. */
	for (size_t i = 0; i < report->page_count; i++) {
		good += report->pages[i].code_count == 0;
		unlisted += report->pages[i].unlisted != NULL;
	}
	if (report->page_count > unlisted)
		(void)buf_print(out, "%s looked at, %s with nothing wrong%s",
		    human_of(report->page_count - unlisted, "listed page").text,
		    human_of(good, NULL).text, unlisted > 0 ? "; " : "");
	if (unlisted > 0)
		(void)buf_print(out, "%s that no sitemap lists",
		    human_of(unlisted, "page").text);
}

void
report_table_row(
    const struct report_table *table, size_t i, struct report_table_row *row)
{
	const struct report *report = table->report;

	*row = (struct report_table_row){0};
	if (table->is_closed) {
		const struct report_closed *closed = &report->closed_pages[i];

		row->url = closed->url;
		for (size_t k = 0; k < report->agent_count; k++)
			row->cells[k] = (closed->agents >> k & 1) == 0 ? "yes"
								       : "no";
	} else {
		struct buf status;

		row->page = &report->pages[table->rows.items[i]];
		row->url = row->page->url;
		buf_init(&status, sizeof(row->status) - 1);
		report_put_page_status(&status, row->page);
		memcpy(row->status, buf_str(&status), status.len + 1);
		buf_release(&status);
		row->cells[0] = row->status;
		row->cells[1] = report_page_index(row->page);
		row->cells[2] = report_page_canonical(row->page);
	}
	row->path = report_url_path(report, row->url);
}

void
report_put_hidden(
    struct buf *out, const struct report_rows *rows, const char *where)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} parts[] = {{rows->errors, "has errors", "have errors"},
	    {rows->lost, "could not be fetched", "could not be fetched"},
	    {rows->bad, "has something wrong", "have something wrong"}};
	size_t shown = 0;

	(void)buf_print(out, "%s more", human_of(rows->hidden, NULL).text);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].count == 0)
			continue;
		(void)buf_print(out, "%s%s %s", shown++ == 0 ? " (" : ", ",
		    human_of(parts[i].count, NULL).text,
		    parts[i].count == 1 ? parts[i].one : parts[i].many);
	}
	/* of closed pages no format has all */
	(void)buf_print(out, "%s%s", shown > 0 ? ")" : "",
	    rows->items == NULL ? "" : where);
}
