/* From the events of a run to the parts of a report. */
#include "crawler/report/report_build.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "crawler/crawl/local.h"
#include "crawler/parse/page.h"
#include "crawler/parse/scope.h"
#include "crawler/report/report_part.h"
#include "crawler/report/report_unlisted.h"

/* What the text of a listed URL gives away. */

#define ID_LEAST 16 /* letters; shorter values are no ids of sessions */
#define SESSIONS 8 /* the first of the names */

/* URL_HAS_SESSION_ID, URL_HAS_TRACKING: a parameter is the id of a session, or
 * tells where a visitor came from; else DIAG_OK. */
static enum diag_code
report_parameters(struct slice text)
{
	static const char *const names[] = {"jsessionid", "phpsessid",
	    "aspsessionid", "sessionid", "session_id", "oscsid", "zenid", "sid",
	    "gclid", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "yclid",
	    "ttclid", "twclid", "li_fat_id", "igshid", "mc_cid", "mc_eid",
	    "_hsenc", "_hsmi", "_ga", "_gl", "srsltid", "s_kwcid", "hsa_acc",
	    "pk_campaign", "mtm_campaign", "mtm_source"};
	enum diag_code code = DIAG_OK;
	size_t from = text.len;

	/* A session may stand in the path, behind a semicolon, as servers of
	 * Java write it. */
	for (size_t i = 0; i <= text.len; i++) {
		const char *equals = NULL;
		struct slice name;

		if (i < text.len && strchr("?&;", text.p[i]) == NULL)
			continue;
		if (from < i)
			equals = memchr(text.p + from, '=', i - from);
		if (equals != NULL) {
			name = slice_make(
			    text.p + from, (size_t)(equals - (text.p + from)));
			for (size_t k =
				 text.p + i - equals > ID_LEAST ? 0 : SESSIONS;
			     k < sizeof(names) / sizeof(names[0]); k++) {
				if (!slice_equal_nocase(
					name, slice_of(names[k])))
					continue;
				if (k < SESSIONS)
					return DIAG_URL_HAS_SESSION_ID;
				code = DIAG_URL_HAS_TRACKING;
			}
			if (name.len > 4 && strncasecmp(name.p, "utm_", 4) == 0)
				code = DIAG_URL_HAS_TRACKING;
		}
		from = i + 1;
	}
	return code;
}

/* Is the path that of a page for an error? It stands at the root, in the folder
 * of a language (/de/404), or is named as a file of HTML: /items/404 may be
 * one item of many. */
static bool
is_of_error(struct slice path)
{
	static const char *const ends[] = {".html", ".htm", "/index.html", "/"};
	const char *slash;
	size_t above;

	for (size_t i = sizeof(ends) / sizeof(ends[0]); i-- > 0;)
		if (slice_ends(path, slice_of(ends[i])) &&
		    path.len > strlen(ends[i])) {
			path.len -= strlen(ends[i]);
			break;
		}
	slash = memrchr(path.p, '/', path.len);
	if (slash == NULL)
		return false;
	above = (size_t)(slash - path.p);
	return (above == 0 || above == 3 || (above == 6 && path.p[3] == '-')) &&
	    (above == 0 || memrchr(path.p, '/', above) == path.p) &&
	    report_status_name(slice_from(path, above + 1));
}

/* URL_NOT_A_PAGE: a normalised URL is that of robots.txt, or its file name ends
 * in ".xml" or ".xml.gz" and has the word sitemap in it, or a number, in a
 * folder of that name; URL_HAS_SESSION_ID: a parameter has the name of
 * a session, and a value of 16 letters or more;
 * URL_HAS_TRACKING, URL_DOUBLE_SLASH, URL_OF_ERROR: as their names say; else
 * DIAG_OK. */
static enum diag_code
report_url_form(struct slice url)
{
	struct slice path = url;
	const char *slash;

	/* most URLs have no parameters, and no name with an end */
	enum diag_code code = memchr(url.p, '=', url.len) == NULL
	    ? DIAG_OK
	    : report_parameters(url);

	if (code != DIAG_OK)
		return code;
	path = slice_from(url, report_origin(url).len);
	for (const char *at = path.p;
	     (at = memmem(at, (size_t)(path.p + path.len - at), "//", 2)) !=
	     NULL;
	     at++) {
		/* a path may hold another URL: /web/https://a.example/ */
		if ((at == path.p || at[-1] != ':') &&
		    memchr(path.p, '?', (size_t)(at - path.p)) == NULL)
			return DIAG_URL_DOUBLE_SLASH;
	}
	if (is_of_error(path))
		return DIAG_URL_OF_ERROR;
	if (!slice_ends(url, slice_of(".xml")) &&
	    !slice_ends(url, slice_of(".xml.gz")) &&
	    !slice_ends(url, slice_of(".txt")))
		return DIAG_OK;
	if (slice_is(path, "/robots.txt"))
		return DIAG_URL_NOT_A_PAGE;
	slash = memrchr(path.p, '/', path.len);
	if (slice_ends(path, slice_of(".txt")) || slash == NULL)
		return DIAG_OK;
	/* Next.js writes /sitemap/0.xml, and names no index of such files */
	const char *end = slash + 1;

	while (isdigit((unsigned char)*end) != 0) /* ".xml" follows */
		end++;
	return (end > slash + 1 && *end == '.' &&
		   slice_ends(slice_make(path.p, (size_t)(slash - path.p)),
		       slice_of("/sitemap"))) ||
		memmem(slash, (size_t)(path.p + path.len - slash), "sitemap",
		    strlen("sitemap")) != NULL
	    ? DIAG_URL_NOT_A_PAGE
	    : DIAG_OK;
}

/* Append the URL with its escapes undone once: "%25C3%25BC" is "%C3%BC". False:
 * nothing in it is escaped twice. */
static bool
url_unescape_once(struct slice url, struct buf *out)
{
	bool is_twice = false;

	for (size_t i = 0; i < url.len; i++) {
		(void)buf_put_char(out, url.p[i]);
		if (url.len - i > 4 && memcmp(url.p + i, "%25", 3) == 0 &&
		    slice_hex(url.p[i + 3]) >= 0 &&
		    slice_hex(url.p[i + 4]) >= 0) {
			is_twice = true;
			i += 2;
		}
	}
	return is_twice;
}

/* Copy a text; "" if there is no room for more. */
static const char *
kept(struct report_builder *builder, struct slice text)
{
	const char *copy = report_text_keep(builder, text);

	return copy == NULL ? "" : copy;
}

static void
blame(struct report_builder *builder, struct report_page *page,
    enum diag_code code, const char *says, const char *what)
{
	page->codes[page->code_count++] = code;
	report_part_add(builder, page->document, code,
	    &(struct report_place){.loc = slice_of(page->url)}, "%s%s%s",
	    page->url, says, what);
}

/* A page that has no file was found out when its sitemap was read. */
static void
blame_failed(
    struct report_builder *builder, struct report_page *page, struct slice url)
{
	const struct report_unlisted *files = builder->unlisted;
	struct buf once = BUF_UP_TO(SIZE_MAX);
	bool is_twice;

	is_twice = url_unescape_once(url, &once);
	if (builder->parts[page->document].is_looked_up && page->hops == 0 &&
	    local_page(files->local, url) == LOCAL_ABSENT) {
		is_twice = is_twice &&
		    local_page(files->local, buf_text(&once)) > LOCAL_ABSENT;
		page->codes[page->code_count++] = is_twice
		    ? DIAG_URL_ESCAPED_TWICE
		    : DIAG_URL_FETCH_FAILED;
	} else {
		blame(builder, page, DIAG_URL_FETCH_FAILED, ": ", page->detail);
		if (is_twice && (page->status == 404 || page->status == 410))
			blame(builder, page, DIAG_URL_ESCAPED_TWICE,
			    " may stand for ", buf_str(&once));
	}
	buf_release(&once);
}

/* For a page that redirects, only that it redirects matters. */
static void
blame_content(struct report_builder *builder, struct report_page *page,
    const struct listed_page *from)
{
	if (from->has_refresh)
		blame(builder, page, DIAG_URL_META_REFRESH, ": ", page->detail);
	if (from->is_soft_404)
		blame(builder, page, DIAG_URL_SOFT_404, ": ", page->detail);

	if (page->noindex[0] != '\0')
		blame(builder, page, DIAG_URL_NOINDEX, ": ", page->noindex);
	if (from->bad_usage.len > 0)
		blame(builder, page, DIAG_URL_BAD_PREFERENCE, ": ",
		    kept(builder, from->bad_usage));
	switch (page->canonical) {
	case CANONICAL_NONE:
	case CANONICAL_SELF:
		break;
	case CANONICAL_OTHER:
		blame(builder, page,
		    builder->unlisted != NULL &&
			    local_page(builder->unlisted->local,
				slice_of(page->canonical_url)) == LOCAL_ABSENT
			? DIAG_URL_CANONICAL_MISSING
			: DIAG_URL_NOT_CANONICAL,
		    " names ", page->canonical_url);
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

bool
report_builder_asks(const struct report_builder *builder)
{
	for (size_t i = 0; i < builder->count; i++)
		if (builder->parts[i].document.generator != NULL &&
		    (builder->parts[i].document.generator->is_library ||
			builder->parts[i].document.generator->pages != NULL))
			return true;
	return false;
}

#define GENERATOR_PAGES 100

void
report_builder_page(void *arg, const struct listed_page *from)
{
	struct report_builder *builder = arg;
	struct report *report = &builder->report;
	uint32_t part = idmap_get(&builder->by_id, from->document_id);
	struct report_page *page;

	if (part != IDMAP_NONE &&
	    (from->generator.len > 0 ||
		(from->is_probe && from->end == PAGE_ANSWERED)) &&
	    builder->generator_pages++ < GENERATOR_PAGES) {
		/* Pages may say more of their site's sitemaps than these do
		 * themselves. */
		struct slice origin = report_origin(
		    slice_of(builder->parts[part].document.url));

		for (size_t i = 0; i < builder->count; i++) {
			struct report_document *document = &builder->parts[i]
								.document;
			const struct generator *made_by = generator_of_pages(
			    document->generator, from->generator);

			if (made_by == NULL ||
			    !slice_equal(
				origin, report_origin(slice_of(document->url))))
				continue;
			document->generator = made_by;
			document->generator_reason = made_by->is_library
			    ? "the namespaces of the library sitemap of npm"
			    : "the library sitemap.js, and <meta "
			      "name=\"generator\"> of its pages";
		}
	}
	if (from->is_probe)
		return;
	const struct unlisted_file *file = builder->unlisted == NULL
	    ? NULL
	    : report_unlisted_find(builder->unlisted, from->url);
	const char *unlisted = file == NULL || file->is_listed ? NULL
							       : file->path;

	/* A page that nothing lists should be listed, unless robots.txt or the
	 * page itself forbid to index it, or it stands for another one. */
	if (part == IDMAP_NONE ||
	    (unlisted != NULL &&
		!(from->end == PAGE_ANSWERED && from->noindex.len == 0 &&
		    !from->has_refresh && !from->is_soft_404 &&
		    (from->canonical == CANONICAL_NONE ||
			from->canonical == CANONICAL_SELF))))
		return;
	page = MEM_PUSH(report->pages, report->page_count, builder->page_cap);
	*page = (struct report_page){.url = kept(builder, from->url),
	    .document = part,
	    .unlisted = unlisted,
	    .end = from->end,
	    .status = from->status,
	    .final_status = from->final_status,
	    .hops = from->hops,
	    .detail = kept(builder, from->detail),
	    .is_cut = from->is_cut,
	    .noindex = kept(builder, from->noindex),
	    .purposes = from->purposes,
	    .canonical = from->canonical,
	    .canonical_url = kept(builder, from->canonical_url)};
	/* A chain of redirects may lead back to its beginning, with a cookie,
	 * say. */
	if (from->hops > 0 && !slice_equal(from->final_url, from->url))
		page->final_url = kept(builder, from->final_url);
	if (unlisted != NULL)
		return;
	/* of an endless redirect no other fault is reported */
	if (from->is_endless)
		blame(
		    builder, page, DIAG_URL_REDIRECT_LOOP, ": ", page->detail);
	else if (from->hops > 0 && page->final_url == NULL)
		blame(builder, page, DIAG_URL_REDIRECTS, ": ", page->detail);
	else if (from->hops > 0)
		blame(builder, page, DIAG_URL_REDIRECTS, " leads to ",
		    page->final_url);
	if (!from->is_endless) {
		switch (page->end) {
		case PAGE_DISALLOWED:
			/* A page that its own robots.txt forbids is, or will
			 * be, a finding of its document by report_blocked_add()
			 * already. */
			if (page->hops > 0 || builder->blocked == NULL ||
			    report_blocked_is_over(builder)) {
				blame(builder, page, DIAG_URL_BLOCKED_BY_ROBOTS,
				    ": ", page->detail);
				break;
			}
			page->codes[page->code_count++] =
			    DIAG_URL_BLOCKED_BY_ROBOTS;
			break;
		case PAGE_LOST:
			blame_failed(builder, page, from->url);
			break;
		case PAGE_ANSWERED:
			break;
		}
	}
	if (from->hops == 0)
		blame_content(builder, page, from);
}

static void
report_unreturned(void *arg, uint32_t part, uint32_t line, struct slice url)
{
	report_part_add(arg, part, DIAG_HREFLANG_NO_RETURN,
	    &(struct report_place){.line = line}, "%.*s", (int)url.len, url.p);
}

struct report_builder *
report_builder_new(
    uint64_t hash_key, const char *nowhere, struct report_unlisted *unlisted)
{
	struct report_builder *builder = mem_zero(sizeof(*builder));

	builder->problems = (struct names){.key = hash_key};
	builder->urls.key = hash_key;
	builder->nowhere = nowhere;
	builder->unlisted = unlisted;
	builder->links = (struct return_links){
	    .hash_key = hash_key, .broken = report_unreturned, .arg = builder};
	buf_init(&builder->links.texts, RETURN_TEXT_MAX);
	return builder;
}

void
report_builder_free(struct report_builder *builder)
{
	if (builder == NULL)
		return;
	for (size_t i = 0; i < builder->count; i++) {
		free(builder->parts[i].document.findings);
		buf_release(&builder->parts[i].lines);
	}
	free(builder->parts);
	strings_release(&builder->texts);
	free(builder->report.documents);
	free(builder->report.pages);
	free(builder->report.closed_pages);
	free(builder->report.groups);
	free(builder->by_id.slots);
	names_release(&builder->problems);
	free(builder->problem_parts);
	report_urls_release(&builder->urls);
	report_blocked_free(builder->blocked);
	free(builder->links.links);
	buf_release(&builder->links.texts);
	free(builder);
}

static uint32_t
part_new(struct report_builder *builder, struct slice url,
    const struct profile *profile)
{
	struct read_limits limits = read_limits_default();
	bool is_all = profile->limit_overrun == OVERRUN_ALL;
	uint32_t number = (uint32_t)builder->count;
	struct report_part *part;

	part = MEM_PUSH(builder->parts, builder->count, builder->cap);
	*part = (struct report_part){.profile = profile,
	    .parent = NO_PART,
	    .lines = BUF_UP_TO(SIZE_MAX)};
	part->document = (struct report_document){
	    .url = report_text_own(builder, url),
	    .parent = UINT32_MAX,
	    .lastmod_shape = "",
	    .max_entries = is_all ? limits.hard_entries : limits.max_entries,
	    .max_bytes = is_all ? limits.hard_bytes : limits.max_bytes};
	return number;
}

/* Whether the bytes never came, or may not be asked for. */
static bool
is_unfetched(enum diag_code code)
{
	/* Search Console calls "couldn't fetch" what has no bytes; other
	 * failures are in the bytes. */
	switch ((int)code) {
	case DIAG_PRIVATE_ADDRESS:
	case DIAG_HEADERS_TOO_BIG:
	case DIAG_BODY_TOO_BIG:
	case DIAG_ROBOTS_UNREACHABLE:
		return true;
	default:
		return strncmp(diag_name(code), "fetch-", 6) == 0;
	}
}

static void
take_findings(struct report_builder *builder, uint32_t number,
    const struct findings *findings)
{
	struct report_part *part = &builder->parts[number];

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *from = &findings->items[i];
		struct report_finding *to = report_part_find(part, from->code);

		to->count += from->count;
		for (unsigned k = 0; k < from->sample_count; k++) {
			const struct finding_sample *sample = &from->samples[k];

			report_part_sample(builder, to, number,
			    &(struct report_place){.line = sample->line,
				.entry = sample->entry,
				.loc = slice_of(sample->loc)},
			    slice_of(sample->text));
		}
	}
}

/* The blocks of a segment in memory. */
struct kept_blocks {
	const struct block_list *list;
	size_t at;
};

static struct slice
kept_pull(void *arg)
{
	struct kept_blocks *kept = arg;
	const struct block_copy *copy;

	if (kept->at == kept->list->count)
		return slice_make(NULL, 0);
	copy = &kept->list->items[kept->at++];
	return slice_make(copy->data, copy->len);
}

static void
take_shape(struct report_builder *builder, uint32_t number,
    const struct reading *reading, struct report_shape *shape)
{
	struct report_part *part = &builder->parts[number];
	/* the reader has said more of the dates already */
	bool is_told = findings_get(&reading->content.findings,
			   DIAG_LASTMOD_BUILD) != NULL ||
	    findings_get(&reading->content.findings, DIAG_LASTMOD_ONE_MOMENT) !=
		NULL;
	const char *name;

	/* If nine of ten dates are of one day, nine votes are for that day, and
	 * the tenth date cancels one of them: eight of ten are left. */
	if (shape->days.dated >= REPORT_SHAPE_LEAST &&
	    shape->days.votes * 10 >= shape->days.dated * 8) {
		struct kept_blocks kept = {.list = &reading->content.segment};
		struct block_reader *blocks = block_reader_new(
		    kept_pull, &kept);
		struct entry entry;

		while (block_next(blocks, &entry))
			if (entry.verdict == VERDICT_ACCEPTED &&
			    entry.lastmod.precision != DATE_NONE)
				shape->days.count +=
				    report_day_of(entry.lastmod.epoch_s) ==
				    shape->days.day;
		block_reader_free(blocks);
	}
	name = report_shape_name(shape, reading);
	part->document.lastmod_shape = name;
	/* Keep the days of a document with too few dates to judge; note_dates()
	 * judges those of an index together. */
	part->day_count = 0;
	if (part->document.failure == DIAG_OK && !is_told &&
	    shape->days.dated < REPORT_SHAPE_LEAST) {
		part->day_count = (size_t)shape->days.dated;
		memcpy(part->days, shape->few, sizeof(part->days));
	}
	/* the entries of a document that failed are lost */
	if (reading->failure != DIAG_OK)
		return;
	/* The dates are the time of the request. */
	if (!is_told && strcmp(name, "always now") == 0)
		report_part_add(builder, number, DIAG_LASTMOD_UNIFORM, NULL,
		    "%" PRIu64 " of %" PRIu64
		    " dates are within an hour of this reading",
		    shape->now, shape->days.dated);
	else if (!is_told && strcmp(name, "frozen") == 0)
		report_part_frozen(builder, number, &shape->days, "");
	if (report_shape_is_backwards(reading))
		report_part_add(builder, number, DIAG_LASTMOD_BACKWARDS, NULL,
		    "the index says %s, the newest entry %s",
		    date_text(&reading->index_lastmod).text,
		    date_text(&reading->content.merge.newest).text);
}

/* Listed pages among the files of the folder. */

#define LOOK_DEPTH 4 /* folders in front of a path that may be too many */
#define LOOK_FIRST 200 /* absent pages that tell whether looking is of use */

struct look {
	struct report_builder *builder;
	uint32_t part; /* of the document that lists the pages */
	uint64_t found[LOCAL_WITH_SLASH + 1]; /* pages, by their local_page */
	/* samples of those that are absent */
	struct report_place places[REPORT_SAMPLES - 1];
	char *urls[REPORT_SAMPLES - 1]; /* owned */
	size_t url_count;
	/* owned: the folders in front of the first absent page that has a file
	 * without them: "/en"; NULL: there is none */
	char *before;
	char *
	    root; /* owned: an absent page that is a folder in front; or NULL */
	uint64_t without; /* absent pages that have a file without them */
	bool is_over; /* the folder does not hold the pages */
};

/* Is that the page that a wrong URL means? It has a file, and is not one that
 * nothing lists. */
static bool
look_means(struct report_unlisted *files, struct slice url)
{
	struct unlisted_file *file = report_unlisted_find(files, url);

	if (local_page(files->local, url) <= LOCAL_ABSENT)
		return false;
	if (file != NULL)
		file->is_listed = true;
	return true;
}

/* Count the absent page if it has a file without the first folders of its path.
 * Look for these folders as long as they are not known. */
static void
look_without(struct look *look, struct slice url)
{
	struct report_unlisted *files = look->builder->unlisted;
	size_t origin = report_origin(url).len;
	struct slice folder = slice_from(
	    url_directory(&files->base), url_origin(&files->base).len);
	struct slice rest = slice_from(url, origin);
	bool is_found = false;
	size_t cut = 0;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (!slice_starts(rest, folder))
		return;
	/* `rest` begins with the slash at the end of the folder */
	rest = slice_from(rest, folder.len - 1);
	for (unsigned depth = 0; !is_found && depth < LOOK_DEPTH; depth++) {
		const char *slash = memchr(
		    rest.p + cut + 1, '/', rest.len - cut - 1);

		if (slash == NULL)
			break;
		cut = (size_t)(slash - rest.p);
		/* without all of its path any page is the first one */
		if (look->before == NULL && cut + 1 == rest.len &&
		    look->root == NULL)
			look->root = slice_dup(url);
		if (look->before == NULL
			? cut + 1 == rest.len
			: !slice_is(slice_make(rest.p, cut), look->before))
			continue;
		buf_clear(&text);
		(void)buf_put_slice(&text, slice_make(url.p, origin));
		(void)buf_put_slice(&text, folder);
		(void)buf_put_slice(&text, slice_from(rest, cut + 1));
		is_found = look_means(files, buf_text(&text));
	}
	buf_release(&text);
	look->without += is_found;
	if (is_found && look->before == NULL) {
		look->before = slice_dup(slice_make(rest.p, cut));
		if (look->root != NULL)
			look_without(look, slice_of(look->root));
	}
}

/* Look for the page of an accepted entry, unless its URL was found wrong:
 * that is one fault. */
static void
look_at(struct look *look, const struct entry *entry, enum diag_code wrong)
{
	struct report_builder *builder = look->builder;
	const struct local *local = builder->unlisted->local;
	enum local_page page = local_page(local, entry->url);
	struct report_place place = {
	    .entry = entry->ordinal + 1, .loc = entry->url};
	struct buf once = BUF_UP_TO(SIZE_MAX);

	if (wrong == DIAG_URL_NOT_A_PAGE || wrong == DIAG_URL_OF_ERROR)
		return;
	if (wrong == DIAG_URL_DOUBLE_SLASH) {
		for (size_t i = 0; i < entry->url.len; i++)
			if (entry->url.p[i] != '/' || i < 8 ||
			    entry->url.p[i - 1] != '/')
				(void)buf_put_char(&once, entry->url.p[i]);
		(void)look_means(builder->unlisted, buf_text(&once));
		buf_release(&once);
		return;
	}
	if (page != LOCAL_ABSENT) {
		look->found[page]++;
		return;
	}
	if (url_unescape_once(entry->url, &once) &&
	    look_means(builder->unlisted, buf_text(&once))) {
		report_part_add(builder, look->part, DIAG_URL_ESCAPED_TWICE,
		    &place, "%.*s has no file, and %s has one",
		    (int)entry->url.len, entry->url.p, buf_str(&once));
	} else {
		uint64_t absent = ++look->found[LOCAL_ABSENT];

		if (absent <= LOOK_FIRST || look->before != NULL)
			look_without(look, entry->url);
		/* a folder with the sitemaps alone */
		look->is_over = absent == LOOK_FIRST && look->without == 0 &&
		    builder->unlisted->pages.count < LOOK_FIRST / 2 &&
		    look->found[LOCAL_THERE] + look->found[LOCAL_WITH_HTML] +
			    look->found[LOCAL_WITH_SLASH] ==
			0;
		if (look->url_count < REPORT_SAMPLES - 1) {
			place.loc = slice_of(NULL);
			look->places[look->url_count] = place;
			look->urls[look->url_count++] = slice_dup(entry->url);
		}
	}
	buf_release(&once);
}

static void
look_end(struct look *look)
{
	struct report_builder *builder = look->builder;
	struct report_part *part = &builder->parts[look->part];
	uint64_t absent = look->found[LOCAL_ABSENT], all = absent;
	uint64_t html = look->found[LOCAL_WITH_HTML];
	uint64_t slash = look->found[LOCAL_WITH_SLASH];
	struct report_finding *finding;
	struct buf text = BUF_UP_TO(SIZE_MAX);
	/* one page may be there by chance */
	bool has_cause = look->without > 1 && look->without * 2 >= absent;

	all += look->found[LOCAL_THERE] + html + slash;
	/* A folder with few pages has only those that its server does not make
	 * itself. */
	part->is_looked_up = absent < all || has_cause ||
	    builder->unlisted->pages.count >= all / 2 + 1;
	if (part->is_looked_up && absent > 0) {
		finding = report_part_find(part, DIAG_URL_FETCH_FAILED);
		finding->count += absent;
		(void)buf_print(&text,
		    "%" PRIu64 " of %" PRIu64
		    " listed pages are not in the folder",
		    absent, all);
		if (has_cause)
			(void)buf_print(&text,
			    "; %" PRIu64 " would be there without %s",
			    look->without, look->before);
		if (has_cause || absent == all)
			report_part_sample(builder, finding, look->part,
			    &(struct report_place){0}, buf_text(&text));
		for (size_t i = 0; i < look->url_count; i++) {
			look->places[i].loc = slice_of(look->urls[i]);
			buf_clear(&text);
			(void)buf_print(&text,
			    "%s: no such file below the folder", look->urls[i]);
			report_part_sample(builder, finding, look->part,
			    &look->places[i], buf_text(&text));
		}
	}
	buf_clear(&text);
	if (html > 0)
		(void)buf_print(&text,
		    "%" PRIu64 " %s a server that adds .html%s", html,
		    html == 1 ? "URL needs" : "URLs need",
		    slash > 0 ? "; " : "");
	if (slash > 0)
		(void)buf_print(&text,
		    "%" PRIu64 " %s redirected to a slash by most servers",
		    slash, slash == 1 ? "URL is" : "URLs are");
	if (text.len > 0)
		report_part_add(builder, look->part, DIAG_URL_NEEDS_SERVER,
		    NULL, "%s", buf_str(&text));
	buf_release(&text);
	for (size_t i = 0; i < look->url_count; i++)
		free(look->urls[i]);
	free(look->before);
	free(look->root);
}

/* Add the URLs and dates. Damaged blocks were refused at the commit. */
static void
take_entries(struct report_builder *builder, uint32_t number,
    const struct reading *reading)
{
	struct kept_blocks kept = {.list = &reading->content.segment};
	struct block_reader *blocks = block_reader_new(kept_pull, &kept);
	struct report_part *part = &builder->parts[number];
	bool is_counted = part->has_dates;
	struct report_shape shape = {.at_s = reading->at_s};
	struct look look = {.builder = builder, .part = number};
	static const char *const rows[] = {"/402", "/406", "/501"};
	struct entry entry;
	bool is_row = false;

	report_blocked_begin(builder, number);
	while (block_next(blocks, &entry)) {
		struct unlisted_file *file = builder->unlisted == NULL
		    ? NULL
		    : report_unlisted_find(builder->unlisted, entry.url);

		if (file != NULL)
			file->is_listed = true;
		if (entry.verdict != VERDICT_ACCEPTED)
			continue;
		report_urls_add(&builder->urls, entry.url, number);
		/* Add what the URL says of itself: it is no page, or has a
		 * session in it. */
		enum diag_code code = report_url_form(entry.url);

		if (code == DIAG_OK && builder->unlisted != NULL &&
		    report_unlisted_is_sitemap(builder->unlisted, entry.url))
			code = DIAG_URL_NOT_A_PAGE;
		if (builder->unlisted != NULL && !look.is_over &&
		    reading->failure == DIAG_OK)
			look_at(&look, &entry, code);
		/* Of pages with numbers one is 404: no site has a page for
		 * each of the statuses 402, 406 and 501. */
		for (size_t i = 0; code == DIAG_URL_OF_ERROR && i < 3; i++)
			is_row |= memmem(entry.url.p, entry.url.len, rows[i],
				      4) != NULL;
		if (code != DIAG_OK)
			report_part_add(builder, number, code,
			    &(struct report_place){
				.entry = entry.ordinal + 1, .loc = entry.url},
			    "%.*s", (int)entry.url.len, entry.url.p);
		report_shape_add(&shape, &entry.lastmod);
		/* a document that is read again has its URLs once */
		if (!is_counted)
			builder->report
			    .ages[chart_age(&entry.lastmod, reading->at_s)]++;
		/* the entries of a document that failed are lost */
		if (reading->failure == DIAG_OK)
			report_blocked_add(builder, number, &entry);
	}
	block_reader_free(blocks);
	if (is_row)
		report_part_drop(part, DIAG_URL_OF_ERROR);
	if (builder->unlisted != NULL)
		look_end(&look);
	part->has_dates = part->has_dates || shape.entries > 0;
	take_shape(builder, number, reading, &shape);
}

static uint32_t
problem_of(const struct report_builder *builder, struct slice url)
{
	uint32_t name = names_find(&builder->problems, url);

	if (name != NAMES_NONE &&
	    builder->parts[builder->problem_parts[name]].id == 0)
		return builder->problem_parts[name];
	return IDMAP_NONE;
}

bool
report_names_wall(const struct content *content)
{
	const struct finding *html = findings_get(
	    &content->findings, DIAG_HTML_NOT_SITEMAP);

	return html != NULL && html->sample_count > 0 &&
	    slice_starts(
		slice_of(html->samples[0].text), slice_of(PAGE_OF_WALL));
}

void
report_builder_document(struct report_builder *builder, struct slice url,
    struct slice file, const struct reading *reading,
    const struct profile *profile)
{
	const struct content *content = &reading->content;
	const struct http_facts *http = &reading->http;
	uint32_t number = idmap_get(&builder->by_id, reading->document_id);
	bool is_new = number == IDMAP_NONE;

	if (is_new) {
		number = problem_of(builder, url);
		if (number == IDMAP_NONE)
			number = part_new(builder, url, profile);
		builder->parts[number].id = reading->document_id;
		idmap_put(&builder->by_id, reading->document_id, number);
	}
	struct report_document *document = &builder->parts[number].document;

	/* A document is read again if a rule or a proof came late: only its
	 * last reading counts, and of its problems none. */
	document->finding_count = 0;

	document->http_status = http->status;
	document->wire_bytes = http->wire_bytes;
	document->read_s = reading->at_s;
	if (file.len > 0)
		document->file = report_text_own(builder, file);
	if (http->final_url != NULL &&
	    (builder->nowhere == NULL ||
		!slice_starts(
		    slice_of(http->final_url), slice_of(builder->nowhere))) &&
	    strcmp(http->final_url, document->url) != 0)
		document->final_url = report_text_own(
		    builder, slice_of(http->final_url));

	document->kind = content->kind;
	document->failure = reading->failure;
	document->status = is_unfetched(reading->failure) ? REPORT_NOT_FETCHED
							  : REPORT_SUCCESS;
	document->is_complete = content->is_complete &&
	    reading->failure == DIAG_OK;
	document->gzip_layers = content->gzip_layers;
	document->decoded_bytes = content->decoded_bytes;
	document->seen = content->seen;
	/* the entries of a document that failed are lost */
	document->accepted = reading->failure == DIAG_OK ? content->accepted
							 : 0;
	document->refused = content->refused;
	document->entries = verdict_accepted(
	    content->merge.entries, content->merge.refused);
	document->dated = content->merge.dated;
	document->newest = content->merge.newest;
	document->generator = generator_of(
	    content->generator, &document->generator_reason);
	builder->parts[number].index_lastmod = reading->index_lastmod;
	if (date_order(&content->published, &document->newest) > 0)
		document->newest = content->published;
	buf_clear(&builder->parts[number].lines);
	(void)buf_put_slice(
	    &builder->parts[number].lines, buf_text(&content->lines));
	take_findings(builder, number, &content->findings);
	if (reading->failure != DIAG_OK)
		report_part_fail(&builder->parts[number], reading->failure);
	if (reading->failure == DIAG_HTML_NOT_SITEMAP && http->wall != NULL &&
	    !report_names_wall(content))
		/* the wall says more than the sample "html" */
		report_part_add(builder, number, DIAG_HTML_NOT_SITEMAP, NULL,
		    PAGE_OF_WALL "%s", http->wall);
	if (content->kind != KIND_INDEX && content->kind != KIND_ROBOTS)
		take_entries(builder, number, reading);
	/* Links are added once: a document that is read again has the same. */
	if (is_new && content->alternates.len > 0) {
		builder->has_links = true;
		return_links_add(
		    &builder->links, number, buf_text(&content->alternates));
	}
}

void
report_builder_problem(struct report_builder *builder, enum diag_code code,
    struct slice url, struct slice text, const struct profile *profile)
{
	uint32_t number = problem_of(builder, url);
	struct report_part *part;
	struct report_finding *finding;

	if (number == IDMAP_NONE) {
		number = part_new(builder, url, profile);
		uint32_t name = names_put(&builder->problems, url);

		builder->problem_parts = mem_grow(builder->problem_parts,
		    &builder->problem_cap, (size_t)name + 1,
		    sizeof(*builder->problem_parts));
		builder->problem_parts[name] = number;
	}
	part = &builder->parts[number];
	report_part_fail(part, code);
	finding = report_part_find(part, code);
	part->document.status = REPORT_NOT_FETCHED;
	part->document.failure = code;
	/* A target fails once, however often it is tried. */
	finding->count = 1;
	report_part_sample(
	    builder, finding, number, &(struct report_place){0}, text);
}

void
report_builder_date(struct report_builder *builder, int64_t document_id,
    enum diag_code code, uint32_t ordinal, struct slice url, struct slice text)
{
	uint32_t number = idmap_get(&builder->by_id, document_id);

	if (number != IDMAP_NONE)
		report_part_add(builder, number, code,
		    &(struct report_place){.entry = ordinal + 1, .loc = url},
		    "%.*s", (int)text.len, text.p);
}
